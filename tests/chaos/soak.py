"""A long life: thousands of ticks of one campaign; memory, keys and the work of a tick must stay flat.

What grows by design is measured apart: a commitment and a seed a tick, for ever, and an idempotency record a batch, for
a day. Days pass by the test's hand: the records that expire are dropped before each measure.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from tests.chaos.host import children_of
from tests.chaos.sample import sample
from workers import clock
from workers.bootstrap import Services, compose
from workers.cli.client import Client, Problem
from workers.cli.processes import wait_until
from workers.cli.stack import Stack, StackPlan
from workers.registry import load_registry
from workers.service.access import Access
from workers.store.keys import Keys

CAMPAIGN: Final = "long-life"
HOMES: Final = 12
RETAIN_TICKS: Final = 20
SLICES: Final = 2
ORDERS: Final = 8
ENVIRONMENT: Final = {"TOCSIN_CACHE_BYTES": str(2 << 20)}
"""Caches that are full soon: what grows after that would grow for ever."""
MEASURES: Final = 10
"""Measures in a run; the first two are of a campaign that is still filling what it retains, and of cold caches."""
SETTLED: Final = 2
TICK_LIMIT_S: Final = 30.0
TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")

# How much more than at the settled measures the last ones may have: a share, and what a page of an allocator may take.
MEMORY_SHARE, MEMORY_MORE = 1.10, 6 << 20
BYTES_SHARE, BYTES_MORE = 1.10, 256 << 10
KEYS_SHARE, KEYS_MORE = 1.05, 32
WORK_SHARE = 1.25

Measure = dict[str, float]


def soak(folder: Path, *, ticks: int, tell: Callable[[str], None]) -> tuple[dict[str, Any], list[str]]:
    """Play, measuring now and then: the measures, and what isn't flat."""
    began_s = clock.monotonic_s()
    measures: list[Measure] = []
    plan = StackPlan(folder=folder, workers=1, concurrency=1, fsync="everysec", environment=ENVIRONMENT)
    with Stack(plan, lambda what: tell(f"· {what}")) as stack:
        services = compose(stack.settings)
        admin = Access(services.store, clock.entropy).create_admin("soak").secret
        with Client(stack.url, admin) as operator:
            camps = _found(operator, stack.url)
            every, before = max(ticks // MEASURES, 1), _work(stack)
            for tick in range(1, ticks + 1):
                _play(services, operator, camps, tick)
                if tick % every == 0:
                    _wait_retired(services, tick)
                    measures.append(_measure(stack, services, tick, (_work(stack) - before) / every))
                    before = _work(stack)
                    tell(f"{clock.monotonic_s() - began_s:6.1f} s  {_line(measures[-1])}")
            for client in camps.values():
                client.close()
        services.store.client.close()
    problems = list(_growing(measures))
    seconds = round(clock.monotonic_s() - began_s, 1)
    return {"seconds": seconds, "ticks": ticks, "flat": not problems, "measures": measures}, problems


def _found(operator: Client, url: str) -> dict[str, Client]:
    plan = {
        "campaign": CAMPAIGN,
        "rulebook": "veil" if "veil" in load_registry() else next(iter(load_registry())),
        "scenario": {"generate": {"size": HOMES, "seed": CAMPAIGN}},
        "policy": {"reveal_after": 1},
        "retain_ticks": RETAIN_TICKS,
        "slices": SLICES,
    }
    view = operator.post("/campaigns", plan, key=CAMPAIGN)
    operator.post(f"/campaigns/{CAMPAIGN}/lifecycle", {"verb": "open"})
    tokens = {
        camp: operator.post(f"/campaigns/{CAMPAIGN}/tokens", {"scope": "camp", "camp": camp})["secret"]
        for camp in view["camps"]
    }
    return {camp: Client(url, secret) for camp, secret in tokens.items()}


def _play(services: Services, operator: Client, camps: dict[str, Client], tick: int) -> None:
    """Each camp's orders, the close, and each camp's report as it comes."""
    for camp, orders in sample(services, CAMPAIGN, tick).items():
        if orders:
            camps[camp].post(f"/campaigns/{CAMPAIGN}/orders", {"orders": orders[:ORDERS]}, key=f"{camp}-{tick}")
    _close(operator, tick)
    for client in camps.values():
        place = str(tick - 1)
        complete: list[int] = []
        deadline_s = clock.monotonic_s() + TICK_LIMIT_S
        while tick not in complete:
            page = client.get(f"/campaigns/{CAMPAIGN}/reports", after=place, wait_s=5)
            place, complete = page["next"], [page["complete"] or 0]
            if clock.monotonic_s() > deadline_s:
                raise TimeoutError(f"tick {tick}: no report within {TICK_LIMIT_S:g} s")


def _close(operator: Client, tick: int) -> None:
    """Close a tick, once the head says what the reports said before it: that the last one is published."""

    def closed() -> bool:
        try:
            operator.post(f"/campaigns/{CAMPAIGN}/ticks/{tick}:close")
        except Problem as problem:
            if problem.code != "tick_not_closable":
                raise
            return False
        return True

    wait_until(closed, f"tick {tick} closes", TICK_LIMIT_S)


def _wait_retired(services: Services, tick: int) -> None:
    """Wait until nothing of a tick is under way any more."""

    def retired() -> bool:
        head = services.store.heads.get(CAMPAIGN)
        return head is not None and head.retired == tick

    wait_until(retired, f"tick {tick} is retired", TICK_LIMIT_S)


def _processes(stack: Stack) -> Iterator[tuple[str, int]]:
    """Every process of the stack, and their children."""
    yield "server", stack.server.pid
    for child in stack.children:
        yield child.name, child.pid
        for number, pid in enumerate(children_of(child.pid), start=1):
            yield f"{child.name}'s child {number}", pid


def _work(stack: Stack) -> float:
    """Seconds that all processes together have worked: unlike a clock, it doesn't run while others use the machine."""
    return sum(_cpu_s(pid) for _, pid in _processes(stack))


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def _memory(pid: int) -> int:
    """Bytes of a process that are nobody else's, or shared (its resident set)."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    return 0


def _measure(stack: Stack, services: Services, tick: int, work_s: float) -> Measure:
    client, keys = services.store.client, Keys(CAMPAIGN)
    expiring = [key for key in client.scan_iter(keys.idem("*"), count=1_000) if client.ttl(key) > 0]
    for start in range(0, len(expiring), 1_000):
        client.unlink(*expiring[start : start + 1_000])
    by_design = sum(client.memory_usage(key, samples=0) or 0 for key in (keys.commitments, keys.seeds))
    found: Measure = {
        "tick": tick,
        "work_ms": round(work_s * 1_000, 1),
        "keys": client.dbsize(),
        "bytes": int(client.info("memory")["used_memory"]) - by_design,
        "by_design_bytes": by_design,
    }
    return found | {f"memory of {name}": _memory(pid) for name, pid in _processes(stack)}


def _line(measure: Measure) -> str:
    memory = ", ".join(
        f"{name} {value / (1 << 20):.0f}" for name, value in measure.items() if name.startswith("memory")
    )
    return (
        f"tick {measure['tick']:.0f}: {measure['work_ms']:.1f} ms of work a tick, {measure['keys']:.0f} keys, "
        f"{measure['bytes'] / 1024:.0f} KiB, MiB: {memory.replace('memory of ', '')}"
    )


def _growing(measures: list[Measure]) -> Iterator[str]:
    """What is more at the end than once everything had settled; a single measure may be off, the least of two isn't."""
    for name in measures[0].keys() - {"tick", "by_design_bytes"}:
        settled = max(measure[name] for measure in measures[SETTLED : SETTLED + 2])
        last = min(measure[name] for measure in measures[-2:])
        share, more = WORK_SHARE, 0.0
        if name.startswith("memory"):
            share, more = MEMORY_SHARE, MEMORY_MORE
        elif name == "bytes":
            share, more = BYTES_SHARE, BYTES_MORE
        elif name == "keys":
            share, more = KEYS_SHARE, KEYS_MORE
        if last > settled * share + more:
            yield f"not flat: {name} was {settled:.0f} once settled and is {last:.0f} at the end"
