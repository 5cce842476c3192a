"""The program: its verbs, and what becomes of an error."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from workers.cli.errors import told
from workers.cli.output import note

VERBS: Final = MappingProxyType(
    {
        "demo": "workers.cli.demo",
        "up": "workers.cli.up",
        "campaign": "workers.cli.campaign",
        "token": "workers.cli.token",
        "orders": "workers.cli.orders",
        "tick": "workers.cli.tick",
        "view": "workers.cli.view",
        "reports": "workers.cli.reports",
        "resolve": "workers.cli.resolve",
        "replay": "workers.cli.replay",
        "verify": "workers.cli.verify",
        "roll": "workers.cli.roll",
        "odds": "workers.cli.odds",
        "sweep": "workers.cli.sweep",
        "doctor": "workers.cli.doctor",
        "bench": "workers.cli.bench",
    }
)
"""Each verb with the module whose `app` it is, in the order of the help."""


class Verbs(Mapping[str, Any]):
    """The verbs as commands, each imported when it is asked for: `tocsin roll` must not wait for Celery."""

    def __getitem__(self, name: str) -> Any:
        command = get_command(import_module(VERBS[name]).app)
        command.name = name
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


class Program(TyperGroup):
    """All verbs: an error that isn't this program's fault ends in a sentence and an exit code, never in a traceback."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        commands: Any = Verbs()
        self.commands = commands

    def invoke(self, ctx: Any) -> Any:
        """Run the verb."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            bad_news = told(error)
            if bad_news is None:
                raise
            code, sentence = bad_news
            note(f"tocsin: {sentence}")
            raise typer.Exit(code) from error


app = typer.Typer(
    name="tocsin",
    cls=Program,
    epilog="Exit codes: 0 done, 1 a check failed, 2 usage or input, 3 server unreachable.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


@app.callback()
def tocsin() -> None:
    """Resolves the ticks of campaign games."""
