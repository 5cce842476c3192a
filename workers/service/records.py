"""What the service writes into the store's opaque blobs: manifests, outputs of shards, summaries of steps."""

from collections.abc import Iterable, Mapping

import msgspec

from workers.kernel.digest import canonical, sha256_hex
from workers.kernel.entities import Slice
from workers.kernel.phases import Sums

EMPTY_PAGE = b'{"phase":"","facts":[]}'
"""The one page of a camp that has nothing to read of a tick: it says that the tick is complete."""


class SliceRef(msgspec.Struct, frozen=True, array_like=True):
    """A slice in a manifest: the blob's digest (empty: no home) and the digest of each bucket that has a home."""

    digest: str = ""
    buckets: dict[int, str] = {}


class Manifest(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole state, by digests: the shared record, the slices, and the mail under way to the next superstep.

    `mail` has, for each shard that gets some, the blobs of lines sent to it, one a sender.
    """

    shared: str
    slices: tuple[SliceRef, ...]
    mail: dict[int, tuple[str, ...]] = {}

    def named(self) -> set[str]:
        """The digests of all blobs that this state consists of."""
        slices = {ref.digest for ref in self.slices if ref.digest}
        return {self.shared, *slices, *(digest for digests in self.mail.values() for digest in digests)}

    def buckets(self) -> dict[int, bytes]:
        """The digest of each bucket that has a home."""
        return {bucket: bytes.fromhex(text) for ref in self.slices for bucket, text in ref.buckets.items()}


class ShardOutput(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a shard made of its slices: only digests, sums and counts; a function of the shard's input alone.

    `slices` has the slices that changed; `events` a digest for each bucket that had an event, `events_blob` the blob of
    their lines; `pages` a blob for each page of a camp, in order; `mail` a blob for each shard that gets some; `book`
    the digests of the book's buckets (in the first superstep only).
    """

    slices: dict[int, SliceRef]
    events: dict[int, str]
    sums: Sums
    counts: tuple[int, int]
    events_blob: str = ""
    pages: dict[str, tuple[str, ...]] = {}
    mail: dict[int, str] = {}
    book: dict[int, str] = {}


class PhaseSummary(msgspec.Struct, frozen=True):
    """A phase in a tick's record: its name, the shards of its supersteps, its events and void orders."""

    name: str
    shards: int
    events: int
    void: int


class StepSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """A committed superstep: counts by phase, the digest of its events, and the blobs of events and pages, in order.

    `paged`: each blob of pages is one page; in what the releases before this field wrote, a line each.
    """

    phases: tuple[PhaseSummary, ...]
    events_digest: str
    events_blobs: tuple[str, ...] = ()
    pages: dict[str, tuple[str, ...]] = {}
    book_digest: str = ""
    paged: bool = False

    def named(self) -> set[str]:
        """The digests of all blobs that the summary names."""
        return {*self.events_blobs, *(digest for digests in self.pages.values() for digest in digests)}


def blob(data: bytes, into: dict[str, bytes]) -> str:
    """Put bytes among blobs by their digest; returns the digest, or an empty text for empty bytes."""
    if not data:
        return ""
    digest = sha256_hex(data)
    into[digest] = data
    return digest


def hexadecimal(digests: Mapping[int, bytes]) -> dict[int, str]:
    """Digests by bucket as they are written, in the order of the buckets."""
    return {bucket: digests[bucket].hex() for bucket in sorted(digests)}


def ref_of(homes: Slice, blobs: dict[str, bytes]) -> SliceRef:
    """What a manifest says of a slice; its blob goes among `blobs`."""
    return SliceRef(blob(homes.to_bytes(), blobs), hexadecimal(homes.bucket_digests()))


def blobs_of(parts: Iterable[bytes], into: dict[str, bytes]) -> tuple[str, ...]:
    """Put some bytes, none of them empty, among blobs by their digests; returns the digests in the same order."""
    return tuple([blob(data, into) for data in parts])


def encoded(record: msgspec.Struct) -> bytes:
    """The canonical bytes of a record, numbers as keys written as texts."""
    return canonical(msgspec.to_builtins(record, str_keys=True))


def manifest_of(shared: bytes, slices: Iterable[bytes], blobs: dict[str, bytes]) -> Manifest:
    """The manifest of a whole state between two ticks; the state's own blobs go among `blobs`."""
    refs = [SliceRef(blob(data, blobs), hexadecimal(Slice.parse(data).bucket_digests())) for data in slices]
    return Manifest(blob(shared, blobs), tuple(refs))
