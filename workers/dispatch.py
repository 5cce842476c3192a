"""Sending work: whatever a campaign's head asks for becomes messages. Any process may do so, at any time.

A phase is a group of shards and a commit, as a chain; the commit's task looks at the head again and sends the next
one. Messages carry ids and the digest of their input, no data and no decision: one that is lost is sent again, one
that comes twice finds its work done, a forged one can only ask for what the head asks for.
"""

from collections.abc import Iterable
from typing import Any

from celery import Celery, chain, group

from workers.app import QUEUE_LARGE, QUEUE_SMALL
from workers.bootstrap import Services
from workers.service.campaigns import Campaign
from workers.service.door import COMMIT, FINISH, PUBLISH, RESOLVE, SHARD
from workers.service.resolution import Work

__all__ = ["COMMIT", "FINISH", "PUBLISH", "RESOLVE", "SHARD", "Dispatcher"]


class Dispatcher:
    """Sends the work that heads ask for, through one Celery application."""

    def __init__(self, app: Celery, services: Services) -> None:
        self._app = app
        self._services = services

    def wake(self, name: str) -> str:
        """Send what the campaign's head asks for, from its beginning; returns the name of the task sent, or nothing."""
        campaign = self._services.campaigns.load(name)
        head = campaign.head
        if head.tick_status == "resolving":
            if head.fused:
                return self.resolve([name])
            self._send_phase(campaign, range(head.tick_shards))
            return SHARD
        return self._after(campaign)

    def nudge(self, name: str) -> str:
        """Send again what is missing of a tick that makes no progress: its shards without output, or its commit."""
        campaign = self._services.campaigns.load(name)
        head = campaign.head
        if head.tick_status != "resolving" or head.fused or head.resolving is None:
            return self.wake(name)
        written = self._services.store.ticks.output_shards(name, head.resolving, head.epoch, head.step)
        missing = [shard for shard in range(head.tick_shards) if shard not in set(written)]
        if missing:
            self._send_phase(campaign, missing)
            return SHARD
        self._signature(COMMIT, self._work(campaign)).apply_async()
        return COMMIT

    def rerun(self, name: str) -> None:
        """Send all shards of the present superstep and its commit again (some blob that they made is gone)."""
        campaign = self._services.campaigns.load(name)
        self._send_phase(campaign, range(campaign.head.tick_shards))

    def resolve(self, names: list[str]) -> str:
        """Send one task that resolves the fused ticks of these campaigns, one after another."""
        self._app.signature(RESOLVE, args=[names], immutable=True, queue=QUEUE_SMALL).apply_async()
        return RESOLVE

    def _after(self, campaign: Campaign) -> str:
        head = campaign.head
        if head.tick_status == "resolved":
            self._app.signature(
                PUBLISH, args=[campaign.name, head.resolving], immutable=True, queue=QUEUE_SMALL
            ).apply_async()
            return PUBLISH
        if min(head.archived, head.retired) < head.published or head.status == "ended":
            self._app.signature(FINISH, args=[campaign.name], immutable=True, queue=QUEUE_SMALL).apply_async()
            return FINISH
        return ""

    def _send_phase(self, campaign: Campaign, shards: Iterable[int]) -> None:
        work = self._work(campaign)
        header = [self._signature(SHARD, work, shard) for shard in shards]
        chain(group(header, app=self._app), self._signature(COMMIT, work), app=self._app).apply_async()

    def _work(self, campaign: Campaign) -> Work:
        head = campaign.head
        tick = -1 if head.resolving is None else head.resolving
        return Work(campaign.name, tick, head.step, head.epoch, self._services.resolution.present_input(campaign))

    def _signature(self, name: str, work: Work, *more: int) -> Any:
        arguments = [work.campaign, work.tick, work.step, work.epoch, *more, work.input_digest]
        return self._app.signature(name, args=arguments, immutable=True, queue=QUEUE_LARGE)
