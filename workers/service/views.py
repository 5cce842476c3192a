"""What a camp knows of the published state: the input of `check` and `odds`, and of `GET view`.

The state is immutable and named by its manifest's digest, so what was decoded of it is kept, within a bound, and shared
between threads; nobody changes it.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from workers.kernel.digest import bucket_of
from workers.kernel.entities import Slice, View, slice_of_bucket, slice_of_key
from workers.service.campaigns import Campaign, Campaigns
from workers.service.records import Manifest
from workers.store.blobs import BlobCache
from workers.store.places import slices_of

LINES_FACTOR: Final = 2
"""A slice cut into its lines takes about this many times its bytes."""
STATES_KEPT: Final = 64
"""Published states of which the manifest and the shared record are kept decoded."""


PieceSource = Callable[[str, list[str]], list[Slice]]
"""Slices of a campaign by their digests."""


@dataclass(frozen=True, slots=True)
class PublishedState:
    """The state that camps know of: that of the last published tick."""

    manifest: Manifest
    shared: Any
    seen: dict[str, Any] = field(default_factory=dict)
    """Camp → what it knows of the shared record."""


class Views:
    """Opens the published states of campaigns for camps.

    Up to `cache_bytes` of slices are kept cut into their lines, beside those that the campaigns keep whole.
    """

    def __init__(self, campaigns: Campaigns, cache_bytes: int) -> None:
        self._campaigns = campaigns
        self._pieces: BlobCache[Slice] = BlobCache(cache_bytes)
        self._states: BlobCache[PublishedState] = BlobCache(STATES_KEPT)

    def open(self, campaign: Campaign, camp: str, tick: int) -> "Lens":
        """The published state as a camp knows it, for orders of a tick. Raises MissingBlob where it was collected."""
        state = self._state(campaign)
        if camp not in state.seen:
            state.seen[camp] = campaign.rulebook.see_shared(state.shared, camp)
        return Lens(self._piece_of, campaign, state, camp, tick)

    def _piece_of(self, campaign: str, digests: list[str]) -> list[Slice]:
        """Slices by their digests. Raises MissingBlob."""
        pieces = {digest: piece for digest in digests if (piece := self._pieces.get(digest)) is not None}
        wanted = [digest for digest in digests if digest not in pieces]
        for digest, data in zip(wanted, self._campaigns.blobs(campaign, wanted), strict=True):
            pieces[digest] = Slice.parse(data)
            self._pieces.put(digest, pieces[digest], len(data) * LINES_FACTOR)
        return [pieces[digest] for digest in digests]

    def _state(self, campaign: Campaign) -> PublishedState:
        digest = campaign.head.start_manifest
        name = f"{campaign.name}/{digest}"
        state = self._states.get(name)
        if state is None:
            manifest = self._campaigns.manifest(campaign.name, digest)
            state = PublishedState(manifest, self._campaigns.shared(campaign, manifest))
            self._states.put(name, state, 1)
        return state


class Lens:
    """One published state through one camp's eyes. For one request: what it loaded stays with it."""

    def __init__(self, pieces: PieceSource, campaign: Campaign, state: PublishedState, camp: str, tick: int) -> None:
        self._pieces = pieces
        self._campaign = campaign
        self._state = state
        self._read_home = campaign.engine.read_home
        self._see_home = campaign.rulebook.see
        self._seen: dict[str, Any] = {}
        self.camp: Final = camp
        self.tick: Final = tick
        self.shared: Final = state.seen[camp]
        """What the camp knows of the shared record."""

    def load(self, keys: Iterable[str]) -> None:
        """Load what the camp knows of homes, each slice once. Raises MissingBlob."""
        new = [key for key in dict.fromkeys(keys) if key not in self._seen]
        wanted: defaultdict[int, list[str]] = defaultdict(list)
        for key, number in zip(new, slices_of(new, len(self._state.manifest.slices)), strict=True):
            wanted[number].append(key)
        for number, piece in self._slices(sorted(wanted)):
            for key in wanted[number]:
                self._seen[key] = self._see(piece, key)

    def view(self, homes: Iterable[str], booked: Mapping[str, tuple[Any, ...]]) -> View[Any, Any, Any]:
        """What `check` and `odds` receive: only homes that were loaded and of which the camp knows something."""
        known = {}
        for key in homes:
            seen = self._seen.get(key)
            if seen is not None:
                known[key] = seen
        return View(self.camp, self.tick, self._campaign.settings, self.shared, known, booked)

    def homes_after(self, after: str, only: frozenset[str] | None) -> Iterator[tuple[str, Any]]:
        """The homes that the camp knows something of, in the order of the state (bucket, then key), those after the
        key `after` (empty: from the first); `only` these, where it isn't None. Raises MissingBlob."""
        slices = len(self._state.manifest.slices)
        floor = (bucket_of(after), after) if after else (-1, "")
        places = None if only is None else {slice_of_key(key, slices) for key in only}
        for number in range(slice_of_bucket(max(floor[0], 0), slices), slices):
            if places is None or number in places:
                yield from self._homes_of(number, floor, only)

    def _homes_of(self, number: int, floor: tuple[int, str], only: frozenset[str] | None) -> Iterator[tuple[str, Any]]:
        ((_, piece),) = self._slices([number])
        for bucket, names in piece.keys.items():
            for key in names:
                if (bucket, key) > floor and (only is None or key in only):
                    seen = self._see(piece, key)
                    if seen is not None:
                        yield key, seen

    def _slices(self, numbers: list[int]) -> Iterator[tuple[int, Slice]]:
        digests = [self._state.manifest.slices[number].digest for number in numbers]
        yield from zip(numbers, self._pieces(self._campaign.name, digests), strict=True)

    def _see(self, piece: Slice, key: str) -> Any:
        line = piece.lines.get(key)
        if line is None:
            return None
        return self._see_home(self._read_home(line), self._state.shared, self.camp)


class SeenHome(msgspec.Struct, frozen=True):
    """A home as a camp knows it, under its key."""

    key: str
    home: Any


class Known(msgspec.Struct, frozen=True):
    """What a camp knows of the state that `published` left, a page at a time; `next` asks for the homes that follow
    (empty: there are none). `shared` comes with every page."""

    camp: str
    published: int
    shared: Any
    homes: tuple[SeenHome, ...]
    next: str


def known_to(lens: Lens, published: int, after: str, limit: int, only: frozenset[str] | None) -> Known:
    """A page of what a camp knows, or of it an actor's own homes. Raises MissingBlob."""
    homes = [SeenHome(key, home) for key, home in itertools.islice(lens.homes_after(after, only), limit + 1)]
    more = len(homes) > limit
    page = tuple(homes[:limit])
    return Known(lens.camp, published, lens.shared, page, page[-1].key if more else "")
