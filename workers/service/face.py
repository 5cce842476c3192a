"""Everything that the HTTP face and the command line ask of the service, put together over one store."""

from collections.abc import Callable
from dataclasses import dataclass

from workers.registry import Registry
from workers.service.access import Access
from workers.service.campaigns import Campaigns
from workers.service.changes import Changes
from workers.service.closing import Closing
from workers.service.desk import Desk
from workers.service.founding import Founding
from workers.service.lifecycle import Lifecycle
from workers.service.limits import Limits
from workers.service.metrics import Counters, Telemetry
from workers.service.overview import Overview
from workers.service.readiness import Readiness
from workers.service.reports import ReportReader
from workers.service.views import Views
from workers.settings import ServerSettings
from workers.store import Store
from workers.store.archive import Archive


@dataclass(frozen=True, slots=True)
class Face:
    """What a front end works with. Nothing in it holds the state of a request: threads share it."""

    settings: ServerSettings
    store: Store
    registry: Registry
    campaigns: Campaigns
    access: Access
    founding: Founding
    lifecycle: Lifecycle
    closing: Closing
    overview: Overview
    views: Views
    desk: Desk
    changes: Changes
    readiness: Readiness
    reports: ReportReader
    limits: Limits
    counters: Counters
    telemetry: Telemetry

    @classmethod
    def over(
        cls,
        settings: ServerSettings,
        store: Store,
        registry: Registry,
        campaigns: Campaigns,
        entropy: Callable[[int], bytes],
    ) -> "Face":
        """Compose over a store; nothing is sent. `entropy` gives random bytes: seeds, secrets, keys."""
        views = Views(campaigns, settings.cache_bytes)
        closing = Closing(store, settings, Archive(settings.archive_url))
        desk = Desk(store, campaigns, views, settings, entropy)
        return cls(
            settings=settings,
            store=store,
            registry=registry,
            campaigns=campaigns,
            access=Access(store, entropy, settings.token_overlap_max_s),
            founding=Founding(store, campaigns, entropy),
            lifecycle=Lifecycle(store, campaigns),
            closing=closing,
            overview=Overview(store),
            views=views,
            desk=desk,
            changes=Changes(store, desk),
            readiness=Readiness(store, desk, closing),
            reports=ReportReader(store),
            limits=Limits(store, settings, entropy),
            counters=Counters(store),
            telemetry=Telemetry(store),
        )
