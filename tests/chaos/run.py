"""One run: a host, campaigns of every rulebook at play, faults, the heal, and what is true afterwards."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.chaos import checks, faults, leaks
from tests.chaos.checks import Findings
from tests.chaos.host import Host
from tests.chaos.ledger import Ledger
from tests.chaos.players import Game, Reader
from workers import clock
from workers.bootstrap import Services, compose
from workers.cli.client import Client
from workers.cli.errors import Unreachable
from workers.cli.processes import wait_until
from workers.kernel.digest import sha256_hex
from workers.registry import load_registry
from workers.service.access import Access

HOMES: Final = 24
HEAL_LIMIT_S: Final = 90.0
LEAK_LIMIT_S: Final = 60.0
JOIN_LIMIT_S: Final = 40.0
FOUND_LIMIT_S: Final = 60.0

Tell = Callable[[str], None]


@dataclass
class Run:
    """A run's parts."""

    host: Host
    services: Services
    ledger: Ledger
    tell: Tell
    games: list[Game] = field(default_factory=list)
    readers: list[Reader] = field(default_factory=list)


def plans(campaigns: int) -> list[dict[str, Any]]:
    """The campaigns to found: each rulebook's in turn; every other one is spread over shards, every third closes at a
    deadline."""
    rulebooks = list(load_registry())
    found: list[dict[str, Any]] = []
    for number in range(campaigns):
        rulebook = rulebooks[number % len(rulebooks)]
        plan: dict[str, Any] = {
            "campaign": f"{rulebook}-{number}",
            "rulebook": rulebook,
            "scenario": {"generate": {"size": HOMES, "seed": number}},
            "policy": {"reveal_after": 1},
            "campaign_seed": sha256_hex(f"campaign {number}".encode()),
            "slices": 16,
            "shards": 3,
            "fuse_below": 0 if number % 2 else 1_000_000,
            "retain_ticks": 1_000,
        }
        if number % 3 == 0:
            plan["schedule"] = {"interval_s": 3}
        found.append(plan)
    return found


def run(folder: Path, *, seed: str, duration_s: float, campaigns: int, tell: Tell) -> tuple[dict[str, Any], Findings]:
    """Play, break, heal, check: the numbers of the run, and what isn't as it must be."""
    began_s = clock.monotonic_s()
    findings, ledger = Findings(), Ledger()
    with Host(folder) as host:
        tell(f"{clock.monotonic_s() - began_s:5.1f} s  all processes run")
        services = compose(host.settings)
        made = Run(host, services, ledger, tell)
        _start(made, campaigns, seed, duration_s)
        faults.play(host, faults.plan(seed, duration_s), duration_s, tell)
        _finish(made, findings)
        numbers = _numbers(made)
        tell(f"{clock.monotonic_s() - began_s:5.1f} s  checks")
        _check(made, findings)
        for game in made.games:
            game.close()
        services.store.client.close()
    return {"seconds": round(clock.monotonic_s() - began_s, 1), **numbers, **findings.counts}, findings


def _start(made: Run, campaigns: int, seed: str, duration_s: float) -> None:
    """Most campaigns are founded before anything breaks, the last ones in the midst of it."""
    admin = Access(made.services.store, clock.entropy).create_admin("chaos").secret
    connect = made_client(made.host)
    wanted = plans(campaigns)
    for plan in wanted:
        made.games.append(Game(plan, connect(admin), connect, made.services, made.ledger, f"{seed}/{plan['campaign']}"))
    late = made.games[-1:]
    for game in made.games[:-1]:
        game.start()
    for game in made.games[:-1]:
        if not game.playing.wait(FOUND_LIMIT_S):
            raise Unreachable(f"{game.campaign} wasn't founded: {game.error!r}")
        _read(made, game)
    for game in late:
        timer = threading.Timer(min(duration_s / 4, 5.0), game.start)
        timer.daemon = True
        timer.start()


def made_client(host: Host) -> Callable[[str], Client]:
    """Makes a client of the API behind its proxy, with a token."""
    return lambda secret: Client(host.api_url, secret)


def _read(made: Run, game: Game) -> None:
    """A reader a camp: by long polls and on a stream in turn."""
    for camp, secret in game.camps.items():
        streamed = len(made.readers) % 2 == 1
        reader = Reader(game, camp, made_client(made.host)(secret), streamed=streamed)
        reader.start()
        made.readers.append(reader)


def _finish(made: Run, findings: Findings) -> None:
    """Heal; let every client get its answer, every tick its end; then end the campaigns."""
    made.host.heal()
    made.tell("         healed")
    for game in made.games:
        game.finishing.set()
    for game in made.games:
        game.join(JOIN_LIMIT_S)
        if game.is_alive() or game.error is not None:
            findings.stuck.append(f"{game.name}: {game.error!r}")
    made.tell("         every client has its answer")
    late = [game for game in made.games if game.camps and not any(r.campaign == game.campaign for r in made.readers)]
    for game in late:
        _read(made, game)
    for game in made.games:
        _end(made, game, findings)
        made.tell(f"         {game.campaign} ended")
    for reader in made.readers:
        reader.finish(made.services.campaigns.load(reader.campaign).head.published)
    made.host.to_api.cut_all()  # who reads a stream learns only by its end that there is nothing more to come
    for reader in made.readers:
        reader.join(JOIN_LIMIT_S)
        if reader.is_alive() or reader.error is not None:
            findings.stuck.append(f"{reader.name}: {reader.error!r}, read up to {reader.facts[-1:]}")


def _end(made: Run, game: Game, findings: Findings) -> None:
    """The last tick with orders is closed and published; then the campaign ends, and all that ends with it."""
    heads, name = made.services.store.heads, game.campaign

    def resolved() -> bool:
        head = heads.get(name)
        if head is None:
            return False
        last = made.ledger.last_tick(name)
        if head.open_tick <= last and not head.tick_status:
            game.close_tick(head.open_tick)
        return head.published >= last and not head.tick_status

    def finished() -> bool:
        head = heads.get(name)
        if head is None or made.services.publication.unrevealed(head):
            return False
        return head.status == "ended" and not head.tick_status and head.retired == head.published

    try:
        wait_until(resolved, f"{name} is published", HEAL_LIMIT_S)
        game.end()
        wait_until(finished, f"{name} is archived", HEAL_LIMIT_S)
    except Exception as error:  # noqa: BLE001 whatever keeps a campaign from its end, it is stuck
        findings.stuck.append(f"{name}: {error} {heads.get(name)}")


def _numbers(made: Run) -> dict[str, int]:
    host, heads = made.host, made.services.store.heads
    published = [head.published for game in made.games if (head := heads.get(game.campaign)) is not None]
    return {
        "ticks": sum(published),
        "orders_acknowledged": len(made.ledger.orders),
        "kills": host.kills,
        "server_kills": host.server_kills,
        "cuts": host.to_server.cuts + host.to_api.cuts,
        "heals": host.heals,
    }


def _check(made: Run, findings: Findings) -> None:
    services = made.services
    findings.duplicated += made.ledger.contradictions
    for game in made.games:
        head = services.store.heads.get(game.campaign)
        if head is None:
            continue
        records = checks.read_records(services, game.campaign, head.published, findings)
        checks.check_digests(services, game.campaign, records, findings)
        checks.check_orders(services, game.campaign, records, made.ledger, findings)
        checks.check_reports(services, game.campaign, records, head.camps, findings)
        for reader in made.readers:
            if reader.campaign == game.campaign:
                checks.check_reading(reader.name, records, reader.camp, reader.facts, findings)
    _check_leaks(made, findings)


def _check_leaks(made: Run, findings: Findings) -> None:
    """What is left of it, once it had time to go."""
    found: list[str] = []

    def clean() -> bool:
        found[:] = leaks.left_behind(made.services, len(made.host.children))
        found.extend(f"process {pid} outlived its killed parent" for pid in made.host.orphans())
        return not found

    try:
        wait_until(clean, "nothing is left", LEAK_LIMIT_S)
    except Unreachable:
        findings.leaks += found
