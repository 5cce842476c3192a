"""Quarantine: a tick that can't be resolved stands still, says why and which order, and keeps what reproduces it."""

import functools
from collections.abc import Sequence
from typing import Any

import structlog

from workers.kernel.blame import find_culprits
from workers.kernel.orders import Booked
from workers.kernel.tick import TickInput, resolve
from workers.rules.bundle import bundle_of
from workers.service.campaigns import Campaign, Campaigns
from workers.service.closed_book import ClosedBook
from workers.service.resolution import Resolution, Work
from workers.service.shards import ShardPlay
from workers.store import Store
from workers.store.archive import Archive
from workers.store.records import Failure

MESSAGE_CHARACTERS = 500
"""A failure's message is cut at this length: the head is read often."""

log = structlog.get_logger()


class Quarantine:
    """Puts ticks into quarantine."""

    def __init__(self, store: Store, campaigns: Campaigns, resolution: Resolution, archive: Archive) -> None:
        self._store = store
        self._campaigns = campaigns
        self._resolution = resolution
        self._archive = archive

    def failed_shard(self, work: Work, shard: int, error: Exception, worker: str) -> None:
        """A shard raised the same again and again: find the orders to blame and the slice, and stop the tick."""
        campaign = self._resolution.asked_for(work)
        if campaign is None:
            return
        details: dict[str, str] = {"phase": self._phase(campaign, work)}
        try:
            self._blame(campaign, work, shard, type(error), details)
        except Exception as trouble:  # noqa: BLE001 a tick goes into quarantine even when nobody can say why
            details["blame"] = f"incomplete: {trouble!r}"[:MESSAGE_CHARACTERS]
        self._fail(work, str(shard), error, worker, details)

    def _blame(
        self, campaign: Campaign, work: Work, shard: int, kind: type[Exception], details: dict[str, str]
    ) -> None:
        """Add to `details` the slice that raises, the orders to blame, and where the bundle is that reproduces it."""
        play = self._resolution.load_shard(campaign, work, shard)
        for index in play.slices:
            orders = play.orders(index)
            if _raises(play, index, orders, kind):
                details["slice"] = str(index)
                culprits = find_culprits(functools.partial(_raises, play, index, kind=kind), orders)
                details["orders"] = " ".join(booked.id for booked in culprits)
                details |= self._bundle(campaign, work, index, kind)
                return

    def failed_commit(self, work: Work, error: Exception, worker: str) -> None:
        """The barrier raised the same again and again: no order is to blame, the rulebook or the state is."""
        campaign = self._resolution.asked_for(work)
        if campaign is not None:
            self._fail(work, "commit", error, worker, {"phase": self._phase(campaign, work)})

    def lost(self, work: Work, shard: str, worker: str) -> None:
        """A shard was started too often and never came to an end: whoever ran it was killed."""
        message = (
            "started too often without an outcome: its workers were killed (out of memory, or past the time limit)"
        )
        failure = Failure("lost", message, work.epoch, work.step, shard, worker)
        self._store.ticks.fail(work.campaign, work.tick, work.epoch, failure, lost=True)
        log.error("tick lost", campaign=work.campaign, tick=work.tick, step=work.step, shard=shard)

    def _fail(self, work: Work, shard: str, error: Exception, worker: str, details: dict[str, str]) -> None:
        message = f"{type(error).__name__}: {error}"[:MESSAGE_CHARACTERS]
        failure = Failure("exception", message, work.epoch, work.step, shard, worker, details)
        self._store.ticks.fail(work.campaign, work.tick, work.epoch, failure)
        log.error("tick failed", campaign=work.campaign, tick=work.tick, error=message, **details)

    def _phase(self, campaign: Campaign, work: Work) -> str:
        return campaign.engine.supersteps_of(work.tick)[work.step].phase

    def _bundle(self, campaign: Campaign, work: Work, index: int, kind: type[Exception]) -> dict[str, str]:
        """Write the slice's start of tick and its orders as a bundle, and say whether they alone raise the same."""
        head = campaign.head
        manifest = self._campaigns.manifest(campaign.name, head.start_manifest)
        digests = [ref.digest if i == index else "" for i, ref in enumerate(manifest.slices)]
        given = TickInput(
            tick=work.tick,
            tick_seed=self._campaigns.tick_seed(campaign.name, work.tick),
            id_key=campaign.ids.key,
            settings=campaign.settings,
            shared=self._campaigns.blobs(campaign.name, [manifest.shared])[0],
            slices=self._campaigns.blobs(campaign.name, digests),
            orders=ClosedBook(self._store, campaign, work.tick).portions([index])[0].orders,
            dropped=frozenset(head.dropped),
        )
        path = self._archive.write_bundle(campaign.name, work.tick, work.epoch, bundle_of(campaign.rulebook, given))
        try:
            resolve(campaign.engine, given)
        except kind:
            return {"bundle": path, "bundle_reproduces": "yes"}
        except Exception:  # noqa: BLE001 whatever else it raises is what the operator wants to know
            return {"bundle": path, "bundle_reproduces": "another exception"}
        return {"bundle": path, "bundle_reproduces": "no: it needs homes of other slices"}


def _raises(play: ShardPlay, index: int, orders: Sequence[Booked[Any, Any]], kind: type[Exception]) -> bool:
    try:
        play.try_slice(index, list(orders))
    except kind:
        return True
    return False
