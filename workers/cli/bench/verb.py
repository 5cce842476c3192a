"""The sub-commands of `tocsin bench`, one a question."""

import typer

from workers.cli.bench.compare import compare
from workers.cli.bench.everything import everything
from workers.cli.bench.growth import growth
from workers.cli.bench.intake import intake
from workers.cli.bench.many import many
from workers.cli.bench.memory import memory
from workers.cli.bench.replaying import replay
from workers.cli.bench.reports import reports
from workers.cli.bench.small import small
from workers.cli.bench.tick import tick

app = typer.Typer(
    add_completion=False, help="Measure: ratios to references taken in the same run.", no_args_is_help=True
)

for command in (tick, small, many, growth, intake, reports, replay, memory, compare):
    app.command(command.__name__)(command)
app.command("all")(everything)


@app.callback()
def bench() -> None:
    """Measure: ratios to references taken in the same run."""
