"""A campaign as the service works on it: its head, its rulebook made ready, its settings and its blobs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import msgspec

from workers.kernel.digest import canonical, digest_of_parts
from workers.kernel.engine import Engine
from workers.kernel.errors import TocsinError
from workers.kernel.ids import Ids, tick_seed
from workers.kernel.phases import Context
from workers.kernel.tick import context_of
from workers.registry import Registry
from workers.rules.contract import Rulebook
from workers.service.records import Manifest
from workers.store import Store
from workers.store.blobs import BlobCache
from workers.store.records import Head


class UnknownCampaign(TocsinError):
    """There is no such campaign."""


class MissingBlob(TocsinError):
    """A blob that a manifest names is not in the store (it was collected: read the head again)."""


class WrongRulebook(TocsinError):
    """This process has another version of the campaign's rulebook than the campaign runs on."""


@dataclass(frozen=True, slots=True)
class Campaign:
    """A head with what it takes to work on it."""

    head: Head
    rulebook: Rulebook
    engine: Engine
    settings: Any
    ids: Ids

    @property
    def name(self) -> str:
        """The campaign's id."""
        return self.head.campaign


ENTRY_BYTES: Final = 64
"""What a small text takes in memory, about."""

NOTHING: Final[Mapping[str, bytes]] = MappingProxyType({})
"""No blobs."""

_MANIFEST = msgspec.json.Decoder(Manifest)


class Campaigns:
    """Loads campaigns and their blobs; keeps what is costly to make or to ask for and never changes."""

    def __init__(self, store: Store, registry: Registry, cache: BlobCache[Any]) -> None:
        self._store = store
        self._registry = registry
        self._cache = cache
        self._engines: dict[str, Engine] = {}
        self._fingerprints: dict[str, str] = {}

    def engine(self, name: str) -> Engine:
        """A rulebook made ready to run. Raises InvalidInput for a name that nobody registered."""
        engine = self._engines.get(name)
        if engine is None:
            engine = self._engines[name] = Engine(self._registry.get(name))
        return engine

    def rulebook(self, name: str) -> Rulebook:
        """A rulebook by name. Raises InvalidInput for a name that nobody registered."""
        return self._registry.get(name)

    def fingerprint(self, name: str) -> str:
        """A rulebook's fingerprint, worked out once. Raises InvalidInput for a name that nobody registered."""
        found = self._fingerprints.get(name)
        if found is None:
            found = self._fingerprints[name] = self._registry.get(name).fingerprint()
        return found

    def load(self, name: str) -> Campaign:
        """A campaign as it is now. Raises UnknownCampaign, and WrongRulebook when this process can't play it."""
        return self._made(name, self._store.heads.get(name))

    def load_at(self, name: str) -> tuple[Campaign, int]:
        """The same, with the server's clock when it was read, in milliseconds since 1970."""
        head, now_ms = self._store.heads.get_at(name)
        return self._made(name, head), now_ms

    def _made(self, name: str, head: Head | None) -> Campaign:
        if head is None:
            raise UnknownCampaign(f"no campaign {name!r}")
        rulebook = self._registry.get(head.rulebook)
        if self.fingerprint(head.rulebook) != head.fingerprint:
            raise WrongRulebook(
                f"campaign {name} runs on {head.rulebook} {head.rulebook_version} ({head.fingerprint[:12]}), "
                f"this process has {rulebook.version} ({self.fingerprint(head.rulebook)[:12]})"
            )
        settings = msgspec.json.decode(head.settings, type=rulebook.settings)
        return Campaign(head, rulebook, self.engine(head.rulebook), settings, Ids(bytes.fromhex(head.id_key)))

    def blobs(self, campaign: str, digests: list[str], fresh: Mapping[str, bytes] = NOTHING) -> list[bytes]:
        """Blobs by digest, from those that are `fresh` (stored nowhere yet), the cache or the store; an empty digest is
        empty bytes. Raises MissingBlob."""
        found = {digest: fresh[digest] for digest in digests if digest in fresh}
        wanted = self.uncached(digest for digest in digests if digest not in found)
        for digest, data in zip(wanted, self._store.blobs.get_many(campaign, wanted), strict=True):
            if data is None:
                raise MissingBlob(f"campaign {campaign}: blob {digest} is not in the store")
            found[digest] = data
            self._cache.put(digest, data, len(data))
        return [b"" if not digest else found.get(digest) or self._cached(campaign, digest) for digest in digests]

    def uncached(self, digests: Iterable[str]) -> list[str]:
        """The digests of blobs that aren't in the cache."""
        return [digest for digest in digests if digest and self._cache.get(digest) is None]

    def keep(self, blobs: Mapping[str, bytes], digests: Iterable[str]) -> None:
        """Keep blobs that were just written or read: whoever plays on asks for them next."""
        for digest in digests:
            if digest in blobs:
                self._cache.put(digest, blobs[digest], len(blobs[digest]))

    def _cached(self, campaign: str, digest: str) -> bytes:
        data = self._cache.get(digest)
        if data is None:
            (data,) = self._store.blobs.get_many(campaign, [digest])
        if data is None:
            raise MissingBlob(f"campaign {campaign}: blob {digest} is not in the store")
        return data

    def manifest(self, campaign: str, digest: str, fresh: Mapping[str, bytes] = NOTHING) -> Manifest:
        """A manifest by its digest. Raises MissingBlob."""
        return _MANIFEST.decode(self.blobs(campaign, [digest], fresh)[0])

    def shared(self, campaign: Campaign, manifest: Manifest) -> Any:
        """The shared record of a state, freshly read: the caller may change it."""
        return campaign.engine.read_shared(self.blobs(campaign.name, [manifest.shared])[0])

    def context(self, campaign: Campaign, tick: int, shared: Any) -> Context[Any, Any]:
        """What the phases of a tick read, the tick's dice included: for processes that may read the campaign seed."""
        return context_of(tick, tick_seed(self.seed(campaign), tick), campaign.ids.key, campaign.settings, shared)

    def seed(self, campaign: Campaign) -> bytes:
        """The seed of a campaign that was loaded, asked for once: for processes that may read it. Its id key follows
        from it and so names it."""
        name = f"{campaign.head.id_key}/seed"
        seed: bytes | None = self._cache.get(name)
        if seed is None:
            seed = self.campaign_seed(campaign.name)
            self._cache.put(name, seed, ENTRY_BYTES)
        return seed

    def commitment(self, campaign: Campaign) -> str:
        """The commitment to the seed of the tick that is being resolved; empty where there is none."""
        name = f"{campaign.head.id_key}/{campaign.head.resolving}/commitment"
        known: str | None = self._cache.get(name)
        if known is None:
            tick = -1 if campaign.head.resolving is None else campaign.head.resolving
            known = self._store.heads.commitment(campaign.name, tick) or ""
            if known:
                self._cache.put(name, known, ENTRY_BYTES)
        return known

    def campaign_seed(self, campaign: str) -> bytes:
        """The campaign seed: for processes that may read it. Raises UnknownCampaign when there is none."""
        seed = self._store.heads.seed(campaign)
        if seed is None:
            raise UnknownCampaign(f"campaign {campaign}: its seed is not in the store")
        return seed

    def tick_seed(self, campaign: str, tick: int) -> bytes:
        """The seed of a tick's dice, from the campaign seed. Raises UnknownCampaign when there is none to read."""
        return tick_seed(self.campaign_seed(campaign), tick)


def input_digest(head: Head, commitment: str) -> str:
    """What a superstep's output depends on, as one digest: state, book, settings, rulebook, seed, epoch, shards.

    The book of a closed tick can't change; its count of changes and the ids dropped from it name its content.
    """
    parts = {
        "campaign": head.campaign,
        "tick": head.resolving,
        "epoch": head.epoch,
        "step": head.step,
        "shards": head.tick_shards,
        "manifest": head.manifest,
        "book": [head.orders, head.book_version, list(head.dropped)],
        "settings": canonical(msgspec.json.decode(head.settings)).decode(),
        "fingerprint": head.fingerprint,
        "commitment": commitment,
    }
    return digest_of_parts("tocsin/input", parts)
