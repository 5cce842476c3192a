"""`tocsin up`: everything on one machine, until Ctrl-C."""

import shlex
import signal
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from workers.cli.client import ENVIRONMENT_FILE, FOLDER, TOKEN_FILE, URL_FILE, private_file
from workers.cli.errors import CheckFailed
from workers.cli.output import note
from workers.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from workers.cli.stack import Stack
    from workers.settings import ServerSettings

app = typer.Typer(add_completion=False)

WORKERS_MAX: Final = 256
LOOK_S: Final = 1.0
"""Between two looks after the processes."""
RESTARTS_MAX: Final = 5
"""A process that ends so often within `RESTARTS_WITHIN_S` is not started again."""
RESTARTS_WITHIN_S: Final = 60.0


@app.command()
def up(
    workers: Annotated[int, typer.Option("--workers", min=1, max=WORKERS_MAX, help="Worker processes.")] = 2,
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="The API's port (0: a free one).")] = 8_000,
    folder: Annotated[str, typer.Option("--folder", help="Where data, archive, logs and the token lie.")] = str(FOLDER),
) -> None:
    """Start the server, the API, workers and the sweeper; end them all on Ctrl-C or SIGTERM."""
    from workers.cli.stack import Stack, StackPlan

    place = Path(folder)
    if port and _taken(port):
        raise InvalidInput("--port", f"somebody listens on port {port} already", "another port, or 0 for a free one")
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    plan = StackPlan(folder=place, workers=1, concurrency=workers, port=port)
    with Stack(plan, lambda what: note(f"· {what}")) as stack:
        token = keep_admin_token(stack.settings, place / TOKEN_FILE)
        environment = place / ENVIRONMENT_FILE
        private_file(environment, environment_of(stack.settings))
        private_file(place / URL_FILE, stack.url)
        try:
            print(f"API    {stack.url}/v1\ntoken  {token} (an admin's)\nlogs   {place / 'logs'}")
            print(f"server . {shlex.quote(str(environment))} (its settings, for operators' verbs)\nCtrl-C ends it all.")
            look_after(stack, ended)
        finally:
            for left in (place / URL_FILE, environment):
                left.unlink(missing_ok=True)
            note("· ending")


def environment_of(settings: "ServerSettings") -> str:
    """Lines for a shell to read, which give a verb the server and the archive of these settings."""
    told = {
        "TOCSIN_REDIS_URL": settings.redis_url,
        "TOCSIN_BROKER_URL": settings.broker_url,
        "TOCSIN_ARCHIVE_URL": settings.archive_url,
    }
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in told.items())


def keep_admin_token(settings: "ServerSettings", path: Path) -> Path:
    """The file of an admin's token that works: the one that is there, or a new one, readable by its owner alone."""
    from workers import clock
    from workers.service.access import Access
    from workers.store import Store

    access = Access(Store.at(settings.redis_url), clock.entropy)
    if path.exists():
        known = access.authenticate(path.read_text(encoding="utf-8").strip())
        if known is not None and known.scope == "admin":
            return path
    private_file(path, access.create_admin("tocsin up").secret)
    return path


def look_after(stack: "Stack", ended: threading.Event) -> None:
    """Start again what ends by itself, until told to end. Raises CheckFailed for a process that ends again and again.

    A worker ends by itself when the server is full; nothing is lost by that. The server is started on its files again.
    """
    from workers import clock

    ends: dict[str, list[float]] = {}
    while not ended.wait(LOOK_S):
        parts: list[tuple[str, Any]] = [("server", stack.server), *((child.name, child) for child in stack.children)]
        for name, part in parts:
            if part.running:
                continue
            now_s = clock.monotonic_s()
            recent = [moment for moment in ends.get(name, ()) if now_s - moment < RESTARTS_WITHIN_S]
            if len(recent) >= RESTARTS_MAX:
                raise CheckFailed(f"{name} ends again and again; its log ends:\n{part.log()}")
            ends[name] = [*recent, now_s]
            note(f"· {name} ended, and is started again")
            part.start()


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
