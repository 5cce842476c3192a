"""The tasks: each a few lines over the service, each safe to run twice, late, or not at all.

What asks for them passed the worker's door (`service.door`); what it asks for is done where the campaign's head asks
for the same. `celery -A workers.tasks worker -Q tocsin.large,tocsin.small` runs them. A process composes its services
at its first task.
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from celery import Celery
from celery.exceptions import SoftTimeLimitExceeded
from redis.exceptions import RedisError

from workers.app import Refuse, make_app
from workers.bootstrap import Services, compose, settle_memory
from workers.dispatch import COMMIT, FINISH, PUBLISH, RESOLVE, SHARD, Dispatcher
from workers.registry import Registry, load_registry
from workers.service.campaigns import UnknownCampaign
from workers.service.closed_book import KeptBook
from workers.service.leaps import Resolved
from workers.service.resolution import CommitOutcome, Run, Work
from workers.service.running import Runner
from workers.settings import ServerSettings
from workers.store import Store
from workers.store.records import StepId
from workers.store.tallies import tally_field

log = structlog.get_logger()


class Runtime:
    """What the tasks of one process work with."""

    def __init__(self, app: Celery, services: Services) -> None:
        self.services = services
        self.dispatcher = Dispatcher(app, services)
        self.runner: Runner = services.runner((SoftTimeLimitExceeded,))

    def shard(self, work: Work, shard: int) -> None:
        """Play a shard; when the step turns out to be over, or the head never asked for this, nothing.

        A start is counted only of what the head asks for: a message that nobody of ours sent brings no tick nearer to
        quarantine.
        """
        campaign = self.services.resolution.asked_for(work)
        if campaign is not None and shard < campaign.head.tick_shards:
            self.runner.shard(work, shard)

    def commit(self, work: Work) -> None:
        """End a superstep whose shards are all there, and send what the head asks for then."""
        campaign = self.services.resolution.asked_for(work)
        if campaign is None:
            return
        written = self.services.store.ticks.output_shards(work.campaign, work.tick, work.epoch, work.step)
        if len(written) < campaign.head.tick_shards:
            return
        outcome = self.runner.commit(work)
        if outcome in ("committed", "resolved"):
            self.services.store.hints.running(work.campaign, self.services.store.heads.server_time_ms())
            self.dispatcher.wake(work.campaign)
        elif outcome == "missing":
            self.dispatcher.rerun(work.campaign)

    def resolve(self, name: str) -> None:
        """A whole fused tick, in leaps; where one doesn't get on, superstep by superstep, each played and committed.
        Killed, it goes on from the last commit.
        """
        books: dict[tuple[int, int, int], KeptBook] = {}
        careful, counted = False, True
        while True:
            campaign = self.services.campaigns.load(name)
            head = campaign.head
            if head.tick_status != "resolving" or head.resolving is None or not head.fused:
                break
            closed = (head.resolving, head.epoch, head.closed_ms)
            if closed not in books:
                books[closed] = KeptBook(self.services.store, campaign, head.resolving)
            run = Run(campaign, books[closed])
            at = StepId(name, head.resolving, head.epoch, head.step)
            if not careful:
                leapt = self.runner.leap(at, run)
                if leapt.resolved and self.publish(name, at.tick, leapt.resolved):
                    return
                careful = leapt.outcome in ("careful", "halted", "missing", "whole")
                continue
            work = Work(name, at.tick, at.step, at.epoch, self.services.resolution.present_input(campaign))
            outcome = self._superstep(work, run, counted=counted)
            if outcome is None:
                return
            counted = outcome not in ("committed", "resolved")
        if head.tick_status == "resolved" and head.resolving is not None:
            self.publish(name, head.resolving)

    def _superstep(self, work: Work, run: Run, *, counted: bool) -> CommitOutcome | None:
        """One superstep of a fused tick; None where the tick went into quarantine.

        A start is counted where this process takes the tick up, and again wherever it doesn't get on.
        """
        for shard in range(run.campaign.head.tick_shards):
            if self.runner.shard(work, shard, run, counted=counted) is None:
                return None
        return self.runner.commit(work, run, counted=counted)

    def publish(self, name: str, tick: int, resolved: Resolved | None = None) -> bool:
        """Publish a resolved tick, then archive and retire; False where it isn't resolved (any more, or otherwise).
        `resolved`: the tick, where this process resolved it."""
        if self.services.publication.publish(name, tick, resolved) == "stale":
            return False
        self.services.store.hints.not_running(name)
        self.services.publication.finish(name)
        return True


@contextmanager
def known_campaigns() -> Iterator[None]:
    """Does nothing for a campaign that doesn't exist: whoever asked for it knows no more afterwards than before."""
    try:
        yield
    except UnknownCampaign as error:
        log.warning("work of no campaign", error=str(error))


def refusals(settings: ServerSettings) -> Refuse:
    """What counts the messages that a worker refuses, in the tallies that metrics are read from. The count that a
    server which is away doesn't take is lost."""

    @functools.cache
    def store() -> Store:
        return Store.at(settings.redis_url)

    def refuse(kind: str) -> None:
        try:
            store().tallies.add({tally_field("door", kind): 1})
        except RedisError as error:
            log.warning("refusal not counted", kind=kind, error=str(error))

    return refuse


def build_app(settings: ServerSettings | None = None, registry: Registry | None = None) -> Celery:
    """The Celery application with its tasks (on other rulebooks than the installed ones, if given).

    No connection is opened.
    """
    chosen = settings or ServerSettings()
    app = make_app(chosen, refusals(chosen))

    @functools.cache
    def runtime() -> Runtime:
        return Runtime(app, compose(chosen, registry=registry))

    @app.task(name=SHARD, shared=False)
    def shard(campaign: str, tick: int, step: int, epoch: int, shard: int, input_digest: str) -> None:
        with known_campaigns():
            runtime().shard(Work(campaign, tick, step, epoch, input_digest), shard)

    @app.task(name=COMMIT, shared=False)
    def commit(campaign: str, tick: int, step: int, epoch: int, input_digest: str) -> None:
        with known_campaigns():
            runtime().commit(Work(campaign, tick, step, epoch, input_digest))

    @app.task(name=RESOLVE, shared=False)
    def resolve(campaigns: list[str]) -> None:
        for name in campaigns:
            try:
                runtime().resolve(name)
            except SoftTimeLimitExceeded:
                raise
            except Exception as error:  # noqa: BLE001 what goes wrong in one campaign stays that campaign's
                log.warning("campaign put off", campaign=name, error=repr(error))

    @app.task(name=PUBLISH, shared=False)
    def publish(campaign: str, tick: int) -> None:
        with known_campaigns():
            runtime().publish(campaign, tick)

    @app.task(name=FINISH, shared=False)
    def finish(campaign: str) -> None:
        with known_campaigns():
            runtime().services.publication.finish(campaign)

    return app


def __getattr__(name: str) -> Any:
    """`celery -A workers.tasks` looks for `app`: it is made then, from the environment, not when this is imported.

    The rulebooks are loaded before the pool forks: its processes share them, and the first task of each waits for none.
    """
    if name == "app":
        made = build_app(registry=load_registry())
        settle_memory()
        return made
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
