"""The tasks: each a few lines over the service, each safe to run twice, late, or not at all.

`celery -A workers.tasks worker -Q tocsin.large,tocsin.small` runs them. A process composes its services at its first
task.
"""

import functools
from typing import Any

import structlog
from celery import Celery
from celery.exceptions import SoftTimeLimitExceeded

from workers.app import make_app
from workers.bootstrap import Services, compose
from workers.dispatch import COMMIT, FINISH, PUBLISH, RESOLVE, SHARD, Dispatcher
from workers.registry import Registry
from workers.service.resolution import Work
from workers.service.running import Runner
from workers.settings import ServerSettings

log = structlog.get_logger()


class Runtime:
    """What the tasks of one process work with."""

    def __init__(self, app: Celery, services: Services) -> None:
        self.services = services
        self.dispatcher = Dispatcher(app, services)
        self.runner: Runner = services.runner((SoftTimeLimitExceeded,))

    def shard(self, work: Work, shard: int) -> None:
        """Play a shard; when the step turns out to be over, nothing."""
        self.runner.shard(work, shard)

    def commit(self, work: Work) -> None:
        """End a superstep, and send what the head asks for then."""
        outcome = self.runner.commit(work)
        if outcome in ("committed", "resolved"):
            self.services.store.hints.running(work.campaign, self.services.store.heads.server_time_ms())
            self.dispatcher.wake(work.campaign)
        elif outcome == "missing":
            self.dispatcher.rerun(work.campaign)

    def resolve(self, name: str) -> None:
        """A whole fused tick, each superstep played and committed; killed, it goes on from the last commit."""
        while True:
            campaign = self.services.campaigns.load(name)
            head = campaign.head
            if head.tick_status != "resolving" or head.resolving is None or not head.fused:
                break
            digest = self.services.resolution.present_input(campaign)
            work = Work(name, head.resolving, head.step, head.epoch, digest)
            for shard in range(head.tick_shards):
                if self.runner.shard(work, shard) is None:
                    return
            if self.runner.commit(work) is None:
                return
        if head.tick_status == "resolved" and head.resolving is not None:
            self.publish(name, head.resolving)

    def publish(self, name: str, tick: int) -> None:
        """Publish a resolved tick, then archive and retire."""
        if self.services.publication.publish(name, tick) != "stale":
            self.services.store.hints.not_running(name)
            self.services.publication.finish(name)


def build_app(settings: ServerSettings | None = None, registry: Registry | None = None) -> Celery:
    """The Celery application with its tasks (on other rulebooks than the installed ones, if given).

    No connection is opened.
    """
    chosen = settings or ServerSettings()
    app = make_app(chosen)

    @functools.cache
    def runtime() -> Runtime:
        return Runtime(app, compose(chosen, registry=registry))

    @app.task(name=SHARD, shared=False)
    def shard(campaign: str, tick: int, step: int, epoch: int, shard: int, input_digest: str) -> None:
        runtime().shard(Work(campaign, tick, step, epoch, input_digest), shard)

    @app.task(name=COMMIT, shared=False)
    def commit(campaign: str, tick: int, step: int, epoch: int, input_digest: str) -> None:
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
        runtime().publish(campaign, tick)

    @app.task(name=FINISH, shared=False)
    def finish(campaign: str) -> None:
        runtime().services.publication.finish(campaign)

    return app


def __getattr__(name: str) -> Any:
    """`celery -A workers.tasks` looks for `app`: it is made then, from the environment, not when this is imported."""
    if name == "app":
        return build_app()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
