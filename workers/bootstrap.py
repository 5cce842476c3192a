"""The one place where things are put together: a process's services, from its settings.

Tests hand in what isn't ours (a client of a fake server); everything else is made here, once a process.
"""

import gc
import os
import socket
from dataclasses import dataclass
from typing import Final

from workers.registry import Registry, load_registry
from workers.service.campaigns import Campaigns
from workers.service.closing import Closing
from workers.service.publication import Publication
from workers.service.quarantine import Quarantine
from workers.service.resolution import Resolution
from workers.service.running import Runner
from workers.settings import ServerSettings
from workers.store import Store
from workers.store.archive import Archive
from workers.store.blobs import BlobCache
from workers.store.connection import Client, connect

YOUNG_OBJECTS: Final = 100_000
"""New objects, less those that have gone, after which Python's collector looks for cycles among them. Its default, some
hundreds or thousands by version, has it look far more often than a shard leaves any."""
OLDER_COLLECTIONS: Final = (20, 20)


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that a process works with, composed."""

    settings: ServerSettings
    store: Store
    registry: Registry
    archive: Archive
    campaigns: Campaigns
    closing: Closing
    resolution: Resolution
    publication: Publication
    quarantine: Quarantine

    def runner(self, faults: tuple[type[BaseException], ...] = ()) -> Runner:
        """What runs shards and commits in this process."""
        return Runner(self.store, self.resolution, self.quarantine, self.settings, worker_name(), faults)


def settle_memory() -> None:
    """Prepare a process that has made what it keeps (and may fork its workers now): that is never garbage, so no
    collection looks through it again and its pages stay shared; and it collects seldom."""
    gc.freeze()
    collect_seldom()


def collect_seldom() -> None:
    """Prepare a process that plays ticks or books orders: its objects come by the hundred thousand, none of them in a
    cycle, so cycles among new ones are looked for seldom."""
    gc.set_threshold(YOUNG_OBJECTS, *OLDER_COLLECTIONS)


def worker_name() -> str:
    """This process, as records name it: host and process id."""
    return f"{socket.gethostname()}:{os.getpid()}"


def compose(
    settings: ServerSettings | None = None, *, client: Client | None = None, registry: Registry | None = None
) -> Services:
    """Put a process together. No connection is opened before the first call."""
    chosen = settings or ServerSettings()
    store = Store.over(client if client is not None else connect(chosen.redis_url))
    rulebooks = registry if registry is not None else load_registry()
    archive = Archive(chosen.archive_url)
    campaigns = Campaigns(store, rulebooks, BlobCache(chosen.cache_bytes))
    resolution = Resolution(store, campaigns)
    return Services(
        settings=chosen,
        store=store,
        registry=rulebooks,
        archive=archive,
        campaigns=campaigns,
        closing=Closing(store, chosen, archive),
        resolution=resolution,
        publication=Publication(store, campaigns, archive, chosen.archive_lag_max),
        quarantine=Quarantine(store, campaigns, resolution, archive),
    )
