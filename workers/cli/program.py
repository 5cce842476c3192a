"""The program: its verbs, and what becomes of an error."""

from typing import Any

import typer
from typer.core import TyperGroup

from workers.cli import campaign as campaigns
from workers.cli import demo as demonstration
from workers.cli import doctor, odds, orders, replay, resolve, roll, sweep, tick, up, verify
from workers.cli import reports as report
from workers.cli.errors import told
from workers.cli.output import note


class Program(TyperGroup):
    """All verbs: an error that isn't this program's fault ends in a sentence and an exit code, never in a traceback."""

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
    help="Resolves the ticks of campaign games.",
    epilog="Exit codes: 0 done, 1 a check failed, 2 usage or input, 3 server unreachable.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("demo")(demonstration.demo)
app.command("up")(up.up)
app.add_typer(campaigns.app, name="campaign")
app.add_typer(orders.app, name="orders")
app.add_typer(tick.app, name="tick")
app.add_typer(report.app, name="reports")
app.command("resolve")(resolve.resolve)
app.command("replay")(replay.replay)
app.command("verify")(verify.verify)
app.command("roll", cls=roll.RollCommand)(roll.roll)
app.command("odds")(odds.odds)
app.command("sweep")(sweep.sweep)
app.command("doctor")(doctor.doctor)
