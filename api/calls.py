"""What a route gets of a request: its token, its body within the limit, its language; and the service to ask.

Reading the body is all that happens on the event loop; routes run in threads, and there alone the store is asked.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any, Final, TypeVar

import msgspec
import structlog
from fastapi import Depends, Query, Request, Response
from starlette.requests import ClientDisconnect

from api.metrics import ADMISSION, Watched
from api.queries import check_names
from api.streams import Streams
from workers.kernel.errors import InvalidInput, Refusal, invalid_from
from workers.kernel.words import Words
from workers.rules.contract import LANGUAGES
from workers.rules.resources import load_words
from workers.service.accepted import accepted_by
from workers.service.access import Sender
from workers.service.campaigns import Campaign
from workers.service.desk import KEY_LENGTH_MAX
from workers.service.face import Face
from workers.service.problems import FieldProblem, Problem, invalid_request
from workers.service.sentences import choose_language, sentence
from workers.store.connection import NO_SERVER
from workers.store.errors import InvalidRequest
from workers.store.records import Admission, Token

T = TypeVar("T")

BEARER: Final = "bearer "

log = structlog.get_logger()


class Gate:
    """What the application hands to its routes: the service, how a campaign's work is sent to workers, what waits for
    new pages of reports, and what is told to whoever watches."""

    def __init__(self, face: Face, wake: Callable[[str], object], streams: Streams, watched: Watched) -> None:
        self.face: Final = face
        self.streams: Final = streams
        self.watched: Final = watched
        self._wake = wake

    def wake(self, campaign: str) -> None:
        """Send the work that a campaign's head asks for; what can't be sent now, the sweeper sends."""
        try:
            self._wake(campaign)
        except Exception as error:  # noqa: BLE001 the change is done and in the store; sending is only a hint, of any transport
            log.warning("work not sent: the sweeper will", campaign=campaign, error=repr(error))


class Call:
    """One request, as routes see it."""

    def __init__(self, gate: Gate, request: Request, body: bytes) -> None:
        self.gate: Final = gate
        self.face: Final = gate.face
        self.body: Final = body
        self._headers = request.headers
        self._scope = request.scope
        self._admission: Admission | None = None

    @property
    def token(self) -> Token | None:
        """The request's token, if it brings one that is known. The first time, the request is counted as one of the
        token's. Raises Problem (too_many_requests)."""
        admission = self._admitted()
        return None if admission is None else admission.token

    @property
    def owner(self) -> str:
        """Whose campaigns and streams the request's token counts to; empty without a token."""
        admission = self._admitted()
        return "" if admission is None else admission.owner

    def _admitted(self) -> Admission | None:
        if self._admission is None:
            value = self._headers.get("authorization", "")
            secret = value[len(BEARER) :].strip() if value[: len(BEARER)].lower() == BEARER else ""
            if not secret:
                return None
            self._admission = self._scope[ADMISSION] = self.face.access.admit(secret)
            self.face.limits.check_requests(self._admission)
        return self._admission

    def open_stream(self) -> str:
        """Take one of the token's places for streams. Raises Problem (too_many_streams)."""
        return self.face.limits.open_stream(self.owner)

    def keep_stream(self, stream: str) -> bool:
        """Hold the place longer; False where the stream must end: its token was revoked or replaced."""
        admission = self._admitted()
        return admission is not None and self.face.limits.keep_stream(admission.id, admission.owner, stream)

    def close_stream(self, stream: str) -> None:
        """Give the place back; where the server is gone, it comes back by itself."""
        with suppress(*NO_SERVER):
            self.face.limits.close_stream(self.owner, stream)

    def count_orders(self, result: str, times: int = 1) -> None:
        """Count orders for whoever watches: by what became of them."""
        self.face.counters.count("orders", result, times=times)

    def admin(self) -> Token:
        """The token, which must be an admin's. Raises Problem."""
        return self.face.access.admin(self.token)

    def operator(self, campaign: str) -> Token:
        """The token, which must operate the campaign. Raises Problem."""
        return self.face.access.operator_of(self.token, campaign)

    def reader(self, campaign: str) -> Token:
        """The token, which must open the campaign. Raises Problem."""
        return self.face.access.reader_of(self.token, campaign)

    def sender(self, campaign: str) -> Sender:
        """For whom the token sends orders in the campaign. Raises Problem."""
        return self.face.access.sender_of(self.token, campaign)

    def campaign(self, name: str) -> Campaign:
        """A campaign that the token was found to open."""
        return self.face.desk.look(name).campaign

    @property
    def key(self) -> str:
        """The idempotency key, or nothing. Raises Problem (invalid_request) for a header that is there and empty."""
        key = self._headers.get("idempotency-key")
        if key == "":
            accepted = f"1 to {KEY_LENGTH_MAX} printable characters, or no such header"
            problem = FieldProblem("Idempotency-Key", "it is empty", accepted)
            raise Problem("invalid_request", "The idempotency key can't be used.", (problem,))
        return key or ""

    def expected_revision(self) -> int | None:
        """The revision that `If-Match` names; None without it. Raises Problem (invalid_request)."""
        value = self._headers.get("if-match", "").strip()
        if value in ("", "*"):
            return None
        digits = value.strip('"')
        if not (digits.isascii() and digits.isdecimal()) or len(digits) > 9:
            problem = FieldProblem("If-Match", f"{value!r} is no revision", 'a revision in quotes, e.g. "1"')
            raise Problem("invalid_request", "The header If-Match can't be understood.", (problem,))
        return int(digits)

    def header(self, name: str) -> str:
        """A header, or nothing."""
        return self._headers.get(name, "")

    def decode(self, kind: type[T]) -> T:
        """The body as a record. Raises Problem (malformed_json, invalid_request)."""
        return decode_body(self.body, kind)

    def language(self, wanted: str) -> str:
        """The answer's language: the one wanted by name, or by the headers. Raises Problem (invalid_request) for a name
        that isn't spoken."""
        if wanted and wanted not in LANGUAGES:
            problem = FieldProblem("lang", f"unknown language {wanted!r}", " or ".join(LANGUAGES))
            raise Problem("invalid_request", "The language isn't spoken here.", (problem,))
        return choose_language(wanted, self._headers.get("accept-language", ""))

    def words(self, campaign: Campaign, wanted: str) -> Words:
        """The words of the answer's language. Raises Problem as `language` does."""
        return load_words(campaign.rulebook, self.language(wanted))

    def speaker(self, campaign: str, wanted: str) -> Callable[[Refusal], str]:
        """What puts refusals into words; the words are loaded once something is refused."""
        language = self.language(wanted)
        loaded: list[Words] = []

        def say(refusal: Refusal) -> str:
            if not loaded:
                loaded.append(load_words(self.campaign(campaign).rulebook, language))
            return sentence(refusal, loaded[0])

        return say

    def perspective(self, campaign: Campaign, camp: str) -> tuple[str, frozenset[str] | None]:
        """Whose eyes a request reads with: a camp, and for an actor its entities.

        Operators name a camp; everybody else reads as its own. Raises Problem.
        """
        token = self.reader(campaign.name)
        if token.scope in ("admin", "operator"):
            if camp not in campaign.head.camps:
                problem = FieldProblem("camp", f"unknown camp {camp!r}", " or ".join(campaign.head.camps))
                raise Problem("invalid_request", "An operator says as which camp to read.", (problem,))
            return camp, None
        if camp not in ("", token.camp):
            raise Problem("forbidden_scope", f"The token reads as {token.camp!r} and as no other camp.")
        return token.camp, frozenset(token.entities) if token.scope == "actor" else None


def decode_body(body: bytes, kind: type[T]) -> T:
    """A body as a record. Raises Problem: malformed_json where it isn't JSON, invalid_request where it isn't the
    record, naming the field."""
    try:
        body.decode()  # what is kept undecoded (an order) isn't looked at by the decoder
        return msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError as error:
        raise invalid_request(_told(error, kind)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise malformed(str(error) if body else "the body is empty") from error
    except RecursionError as error:
        raise malformed("it is nested too deep") from error


def _told(error: msgspec.ValidationError, kind: Any) -> InvalidInput:
    found = invalid_from(error)
    if isinstance(error.__cause__, InvalidRequest):
        # The record's own word: `field: problem; accepted: …`, with a field that is as deep as the decoder's or deeper.
        field, _, told = str(error.__cause__).partition(": ")
        problem, _, accepted = told.partition("; accepted: ")
        return InvalidInput(field, problem, accepted)
    return InvalidInput(found.field, found.problem, accepted_by(kind, found))


def malformed(reason: str) -> Problem:
    """The problem of a body that isn't JSON."""
    problem = FieldProblem("", reason, "JSON in UTF-8")
    return Problem("malformed_json", f"The body can't be read: {reason}.", (problem,))


async def read_body(request: Request, bytes_max: int) -> bytes:
    """The body, read no further than the limit. Raises Problem (body_too_large, malformed_json)."""
    announced = request.headers.get("content-length", "")
    if announced.isascii() and announced.isdecimal():
        digits = announced.lstrip("0")  # a number with more of them is larger, and needn't be read
        if len(digits) > len(str(bytes_max)) or int(digits or "0") > bytes_max:
            raise _too_large(bytes_max)
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > bytes_max:
                raise _too_large(bytes_max)
            parts.append(part)
    except ClientDisconnect as error:
        raise malformed("its client left before its end") from error
    return b"".join(parts)


def _too_large(bytes_max: int) -> Problem:
    problem = FieldProblem("", "the body is too large", f"at most {bytes_max} bytes")
    return Problem("body_too_large", f"A body has at most {bytes_max} bytes here.", (problem,))


async def read_call(request: Request) -> Call:
    """A request with a body of ordinary size, as a route takes it. Raises Problem (invalid_request, body_too_large,
    malformed_json)."""
    check_names(request)
    gate: Gate = request.app.state.gate
    return Call(gate, request, await read_body(request, gate.face.settings.body_bytes_max))


async def _founding_call(request: Request) -> Call:
    check_names(request)
    gate: Gate = request.app.state.gate
    return Call(gate, request, await read_body(request, gate.face.settings.scenario_bytes_max))


Calling = Annotated[Call, Depends(read_call)]
"""A request with a body of ordinary size."""
FoundingCall = Annotated[Call, Depends(_founding_call)]
"""A request whose body may hold a whole scenario."""
Language = Annotated[str, Query(description="language of sentences: en or fr; else Accept-Language decides")]


def answer(value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A JSON response of a record."""
    return Response(msgspec.json.encode(value), status, headers, "application/json")
