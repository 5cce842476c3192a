"""The command line as a program, and one stack of real processes for the verbs that need a server."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from workers import clock
from workers.bootstrap import compose
from workers.cli.processes import wait_until
from workers.cli.program import app
from workers.cli.stack import Stack, StackPlan
from workers.service.access import Access

LIMIT_S = 60.0


class Cli:
    """Runs a verb in this process, through the program's own entry, with options that every call gets."""

    def __init__(self, **environment: str) -> None:
        # A terminal's width or colours must not change what a test reads.
        self._environment = {"TOCSIN_URL": "", "TOCSIN_TOKEN": "", "COLUMNS": "200", "NO_COLOR": "1", **environment}

    def __call__(self, *arguments: str, stdin: str | bytes | None = None) -> Result:
        """The result of a verb; an exception that isn't an exit is raised: no verb may end in a traceback."""
        return CliRunner().invoke(app, arguments, input=stdin, env=self._environment, catch_exceptions=False)

    def json(self, *arguments: str, stdin: str | bytes | None = None) -> Any:
        """The document of a verb that does its work."""
        result = self(*arguments, "--json", stdin=stdin)
        assert 0 == result.exit_code, result.stderr
        return json.loads(result.stdout)


def tocsin(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `tocsin` as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "workers.cli", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@dataclass(frozen=True)
class Town:
    """A stack with campaign `town` of the Veil: tick 1 is published, tick 2 takes orders."""

    stack: Stack
    operator: Cli
    angel: Cli
    demon: Cli
    record: Path

    def wait_archived(self, campaign: str, tick: int) -> Path:
        """The record of a tick, once it is archived."""
        archive = compose(self.stack.settings).archive
        wait_until(lambda: tick in archive.ticks(campaign), f"tick {tick} is archived", LIMIT_S)
        return Path(archive.path(campaign, tick))


def orders_of(cli: Cli, camp: str) -> list[dict[str, Any]]:
    """The example's orders of a camp that name no mission: legal at the start of every campaign of its scenario."""
    bundle = json.loads(cli("resolve", "--example", "veil").stdout)
    mine = [item["order"] for item in bundle["orders"] if item["camp"] == camp]
    return [order for order in mine if order["kind"] in ("influence", "recovery")]


def open_campaign(operator: Cli, name: str, *options: str) -> tuple[str, str]:
    """Create and open a campaign; the secrets of its two camps' tokens."""
    created = operator("campaign", "new", name, "--open", "--reveal-after", "1", *options)
    assert 0 == created.exit_code, created.stderr
    angel = operator.json("campaign", "token", name, "--camp", "angel")
    demon = operator.json("campaign", "token", name, "--camp", "demon")
    return angel["secret"], demon["secret"]


@contextmanager
def town(folder: Path) -> Iterator[Town]:
    """The town, its first tick played; everything is ended at the end."""
    plan = StackPlan(folder=folder, workers=1, concurrency=2, fsync="no")
    with Stack(plan) as stack:
        secret = Access(compose(stack.settings).store, clock.entropy).create_admin().secret
        operator = Cli(TOCSIN_URL=stack.url, TOCSIN_TOKEN=secret)
        angel, demon = open_campaign(operator, "town")
        made = Town(
            stack,
            operator,
            Cli(TOCSIN_URL=stack.url, TOCSIN_TOKEN=angel),
            Cli(TOCSIN_URL=stack.url, TOCSIN_TOKEN=demon),
            Path(compose(stack.settings).archive.path("town", 1)),
        )
        for camp, player in (("angel", made.angel), ("demon", made.demon)):
            sent = player("orders", "send", "town", "-", stdin=json.dumps(orders_of(operator, camp)))
            assert 0 == sent.exit_code, sent.stdout + sent.stderr
        assert 0 == operator("tick", "close", "town").exit_code
        watched = operator("tick", "watch", "town", "1", "--limit-s", str(LIMIT_S))
        assert 0 == watched.exit_code, watched.stderr
        made.wait_archived("town", 1)
        yield made
