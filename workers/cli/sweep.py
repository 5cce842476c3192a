"""`tocsin sweep`: close what is due, and send again what makes no progress."""

import signal
from typing import Annotated, Any

import typer

from workers.cli.output import logs_to_stderr
from workers.cli.setting import read_settings

app = typer.Typer(add_completion=False)


@app.command()
def sweep(
    rounds: Annotated[int, typer.Option("--rounds", min=0, help="Stop after so many rounds (0: sweep for ever).")] = 0,
) -> None:
    """Sweep: one process does it at a time, however many are started."""
    from workers.app import make_app
    from workers.bootstrap import compose
    from workers.dispatch import Dispatcher
    from workers.sweeper import Sweeper

    logs_to_stderr()
    settings = read_settings()
    services = compose(settings)
    signal.signal(signal.SIGTERM, _end)
    Sweeper(services, Dispatcher(make_app(settings), services)).run(rounds or None)


def _end(number: int, frame: Any) -> None:  # noqa: ARG001 what a handler of signals is given
    """A sweeper that is told to stop has done its work: its lease runs out by itself."""
    raise SystemExit(0)
