"""The Celery application of the fault tests' workers: the installed rulebooks, with traps that a test sets.

A trap is a file in the folder `TOCSIN_TEST_TRAPS`. `hang-<superstep>` and `hang-commit-<superstep>` stop the first
process that gets there, for as long as it lives (so the test can kill it in that very place); `poison` names a home
whose orders make every phase raise. Nothing of the rulebook itself is changed: name, version and data, so its
fingerprint, are its own.
"""

import dataclasses
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from workers.kernel.phases import Homes, Phase, Shared
from workers.registry import Plugin, Registry, load_registry
from workers.rules.contract import Rulebook
from workers.settings import ServerSettings
from workers.tasks import build_app

HANG_LIMIT_S = 120.0


def trap_rulebook(rulebook: Rulebook, traps: Path) -> Rulebook:
    """The same rulebook with a trap before each step."""
    superstep = -1
    phases = []
    for phase in rulebook.phases:
        steps: list[Homes | Shared] = []
        for step in phase.steps:
            if isinstance(step, Homes):
                superstep += 1
                steps.append(dataclasses.replace(step, decide=_trapped_home(step.decide, traps, superstep)))
            else:
                steps.append(Shared(_trapped_commit(step.decide, traps, superstep)))
        phases.append(Phase(phase.name, tuple(steps)))
    return dataclasses.replace(rulebook, phases=tuple(phases))


def _trapped_home(decide: Callable[..., Iterable[Any]], traps: Path, superstep: int) -> Callable[..., Iterable[Any]]:
    def trapped(home: Any, orders: Any, mail: Any, context: Any) -> Iterable[Any]:
        spring(traps / f"hang-{superstep}")
        poison = traps / "poison"
        if poison.exists() and any(booked.home == poison.read_text() for booked in orders):
            raise RuntimeError("poisoned")
        return decide(home, orders, mail, context)

    return trapped


def _trapped_commit(decide: Callable[..., Iterable[Any]], traps: Path, superstep: int) -> Callable[..., Iterable[Any]]:
    def trapped(shared: Any, sums: Any, context: Any) -> Iterable[Any]:
        spring(traps / f"hang-commit-{superstep}")
        return decide(shared, sums, context)

    return trapped


def spring(trap: Path) -> None:
    """If the trap is set, take it, say which process is in it, and stay."""
    try:
        trap.rename(trap.with_name(f"{trap.name}.sprung"))
    except FileNotFoundError:
        return
    trap.with_name(f"{trap.name}.pid").write_text(str(os.getpid()))
    threading.Event().wait(HANG_LIMIT_S)
    raise RuntimeError(f"nobody killed the process in trap {trap.name}")


def trapped_registry(traps: Path) -> Registry:
    """The installed rulebooks, each with its traps."""
    installed = load_registry().plugins.values()
    return Registry(Plugin(trap_rulebook(plugin.rulebook, traps), plugin.distribution) for plugin in installed)


def __getattr__(name: str) -> Any:
    if name == "app":
        return build_app(ServerSettings(), trapped_registry(Path(os.environ["TOCSIN_TEST_TRAPS"])))
    raise AttributeError(name)
