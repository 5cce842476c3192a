"""The API's client: paths and tokens in, decoded documents out, problem documents as errors."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx2
import msgspec

from workers.cli.errors import Unreachable
from workers.kernel.errors import InvalidInput, TocsinError

DEFAULT_URL: Final = "http://127.0.0.1:8000"
FOLDER: Final = Path(".tocsin")
"""Where `tocsin up` keeps everything."""
TOKEN_FILE: Final = "admin-token"
URL_FILE: Final = "url"
ENVIRONMENT_FILE: Final = "env"
"""For a shell to read: the settings of the server and the archive, for verbs that speak with them."""
TIMEOUT_S: Final = 30.0
EVENT_STREAM: Final = "text/event-stream"
_TOKEN: Final = re.compile(r"[!-~]*")
"""What may stand behind `Bearer`: visible ASCII."""


class Problem(TocsinError):
    """The API refused: its problem document."""

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        self.status = status
        self.document = document
        self.code = str(document.get("code", ""))
        detail = str(document.get("detail") or document.get("title") or "refused")
        lines = [f"{self.code or status}: {detail}"]
        for error in document.get("errors") or ():
            line = f"{error.get('field') or 'request'}: {error.get('problem')}"
            if line not in detail:
                lines.append(f"  {line}" + (f" (accepted: {error['accepted']})" if error.get("accepted") else ""))
        super().__init__("\n".join(lines))


class Client:
    """Speaks with the API at `url` with one token. Use it as a context manager."""

    def __init__(self, url: str, token: str, language: str = "en") -> None:
        """Raises InvalidInput for what is no URL and for what is no token, which it doesn't repeat."""
        headers = {"Accept-Language": language}
        token = token.strip()  # a file's lines end in "\r\n" where it was written on another system
        if token:
            headers["Authorization"] = f"Bearer {token}"
        # Checked here: whatever sends a header that can't be one shows it in its error.
        if _TOKEN.fullmatch(token) is None:
            raise InvalidInput("--token", "it is no token", "what `tocsin up` or `tocsin campaign token` gave")
        try:
            base = httpx2.URL(f"{url.rstrip('/')}/v1")
        except httpx2.InvalidURL as error:
            raise InvalidInput("--url", f"{url!r} is no URL ({error})", "http://host:port") from error
        if base.scheme not in ("http", "https") or not base.host:
            raise InvalidInput("--url", f"{url!r} is no URL of HTTP", "http://host:port")
        self._http = httpx2.Client(base_url=base, headers=headers, timeout=TIMEOUT_S)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def get(self, path: str, **query: Any) -> Any:
        """GET a document."""
        wait_s = float(query.get("wait_s") or 0)
        given = {name: value for name, value in query.items() if value not in (None, "")}
        return self._send("GET", path, params=given, timeout=TIMEOUT_S + wait_s)

    def post(self, path: str, body: Any = None, *, key: str = "") -> Any:
        """POST a document, with an idempotency key where one is given."""
        return self._write("POST", path, body, {"Idempotency-Key": key} if key else {})

    def put(self, path: str, body: Any = None, *, revision: int | None = None) -> Any:
        """PUT a document; in the place of that revision, where one is given, or not at all."""
        return self._write("PUT", path, body, {} if revision is None else {"If-Match": f'"{revision}"'})

    def delete(self, path: str) -> Any:
        """DELETE."""
        return self._send("DELETE", path)

    def stream(self, path: str, *, last_event_id: str = "", **query: Any) -> "Iterator[ServerEvent]":
        """Each server-sent event, until the server ends the stream."""
        headers = {"Accept": EVENT_STREAM}
        if last_event_id:
            headers["Last-Event-ID"] = last_event_id
        given = {name: value for name, value in query.items() if value not in (None, "")}
        # Heartbeats come far more often than this.
        timeout = httpx2.Timeout(TIMEOUT_S, read=TIMEOUT_S * 2)
        with self._http.stream("GET", path, params=given, headers=headers, timeout=timeout) as response:
            if response.is_error:
                response.read()
                raise _refusal(response)
            if not response.headers.get("content-type", "").startswith(EVENT_STREAM):
                raise _no_api(response)
            yield from events(response.iter_lines())

    def _write(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        if body is None:
            return self._send(method, path, headers=headers)
        content = msgspec.json.encode(body)
        return self._send(method, path, content=content, headers={**headers, "Content-Type": "application/json"})

    def _send(self, method: str, path: str, **request: Any) -> Any:
        response = self._http.request(method, path, **request)
        if response.is_error:
            raise _refusal(response)
        try:
            return msgspec.json.decode(response.content) if response.content else None
        except msgspec.DecodeError as error:
            raise _no_api(response) from error


class ServerEvent(NamedTuple):
    """An event of an event stream: its name, the last id so far, its data read as JSON."""

    name: str
    id: str
    data: Any


def events(lines: Iterator[str]) -> Iterator[ServerEvent]:
    """The events of an event stream (the HTML standard's text/event-stream)."""
    name, event_id, data = "message", "", []
    for line in lines:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "id":
            event_id = value
        elif field == "data":
            data.append(value)
        elif not line:
            if data:
                yield ServerEvent(name, event_id, msgspec.json.decode("\n".join(data)))
            name, data = "message", []


def _no_api(response: httpx2.Response) -> Unreachable:
    return Unreachable(f"{response.url} doesn't answer as an API of Tocsin does (status {response.status_code})")


def _refusal(response: httpx2.Response) -> TocsinError:
    try:
        document = msgspec.json.decode(response.content)
    except msgspec.DecodeError:
        document = {}
    if not isinstance(document, dict):
        document = {}
    document.setdefault("detail", f"HTTP status {response.status_code}")
    problem = Problem(response.status_code, document)
    return Unreachable(str(problem)) if response.is_server_error else problem


def open_client(url: str, token: str, language: str = "en", folder: Path = FOLDER) -> Client:
    """A client with what the command line gave, else with what `tocsin up` left in its folder, else on port 8000."""
    return Client(url or _left(folder / URL_FILE) or DEFAULT_URL, token or _left(folder / TOKEN_FILE), language)


def _left(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def private_file(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as target:
        target.write(text)
    part.replace(path)
