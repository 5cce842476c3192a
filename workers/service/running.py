"""Running a shard or a commit with its failures counted: a bad order wedges no campaign, a killed worker no tick.

An attempt is counted before the work starts, so one that is killed has counted too. The same exception as often as
`failures_max` puts the tick in quarantine with the orders to blame; starts without an outcome past `attempts_max` put
it there as lost. Faults of the machine (the server away, memory, a time limit) are raised: whoever sweeps sends the
work again.
"""

from collections.abc import Callable
from typing import TypeVar

import structlog
from redis.exceptions import RedisError

from workers.kernel.digest import sha256_hex
from workers.service.campaigns import MissingBlob, UnknownCampaign, WrongRulebook
from workers.service.leaps import Leapt
from workers.service.quarantine import Quarantine
from workers.service.resolution import CommitOutcome, Resolution, Run, ShardOutcome, Work
from workers.settings import ServerSettings
from workers.store import Store
from workers.store.records import StepId

ResultT = TypeVar("ResultT")

log = structlog.get_logger()

MACHINE_FAULTS: tuple[type[BaseException], ...] = (
    RedisError,
    OSError,
    MemoryError,
    MissingBlob,
    UnknownCampaign,
    WrongRulebook,
)
"""What says nothing of the rules or the orders: never counted as a failure of the shard."""


class Runner:
    """Runs what a head asks for. `faults` adds to the exceptions that are the machine's (a task's time limit)."""

    def __init__(
        self,
        store: Store,
        resolution: Resolution,
        quarantine: Quarantine,
        settings: ServerSettings,
        worker: str,
        faults: tuple[type[BaseException], ...] = (),
    ) -> None:
        self._store = store
        self._resolution = resolution
        self._quarantine = quarantine
        self._settings = settings
        self._worker = worker
        self._faults = (*MACHINE_FAULTS, *faults)

    def leap(self, at: StepId, run: Run) -> Leapt:
        """Play as many supersteps of a fused tick as go well, and commit them unless they are all of it: then its
        publication does. Where a leap from here came to no end before, they are better played one by one, which finds
        out in which of them the process dies.
        """
        started = self._resolution.begin_leap(at, run)
        if started.outcome != "counted":
            return Leapt("stale")
        if started.count > 1:
            return Leapt("careful")
        return self._resolution.leap(at, self._worker, run, self._faults)

    def shard(self, work: Work, shard: int, run: Run | None = None, *, counted: bool = True) -> ShardOutcome | None:
        """Play a shard and write its output; None when the tick went into quarantine.

        `run`: what a process that plays a whole tick has at hand. `counted`: whether the start is an attempt of its
        own; one that follows a commit of the same process isn't: had that been killed, whoever goes on starts here.
        """

        def blame(error: Exception) -> None:
            self._quarantine.failed_shard(work, shard, error, self._worker)

        def play() -> ShardOutcome:
            return self._resolution.run_shard(work, shard, self._worker, run)

        return self._run(work, str(shard), play, blame, counted=counted)

    def commit(self, work: Work, run: Run | None = None, *, counted: bool = True) -> CommitOutcome | None:
        """End a superstep; None when the tick went into quarantine. The rest is as for `shard`."""

        def blame(error: Exception) -> None:
            self._quarantine.failed_commit(work, error, self._worker)

        return self._run(work, "commit", lambda: self._resolution.commit(work, run), blame, counted=counted)

    def _run(
        self,
        work: Work,
        name: str,
        attempt: Callable[[], ResultT],
        blame: Callable[[Exception], None],
        *,
        counted: bool,
    ) -> ResultT | None:
        while True:
            if counted and self._lost(work, name):
                return None
            try:
                return attempt()
            except self._faults:
                raise
            except Exception as error:  # noqa: BLE001 a rulebook may raise anything, and it is counted
                text = f"{type(error).__name__}: {error}"
                log.warning(
                    "shard failed", campaign=work.campaign, tick=work.tick, step=work.step, shard=name, error=text
                )
                noted = self._store.ticks.failure_note(work.at, name, sha256_hex(text.encode())[:16])
                if noted.outcome == "stale":
                    return None
                if noted.count >= self._settings.failures_max:
                    blame(error)
                    return None

    def _lost(self, work: Work, name: str) -> bool:
        """Count a start; True where there were too many without an outcome: the tick goes into quarantine."""
        started = self._store.ticks.attempt(work.at, name)
        if started.outcome != "counted" or started.count <= self._settings.attempts_max:
            return False
        self._quarantine.lost(work, name, self._worker)
        return True
