"""Taking a campaign over from an export, into a server that doesn't have it.

Everything is checked before anything is written, and written in one transaction.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from workers.kernel.errors import InvalidInput, TocsinError
from workers.kernel.ids import commitment, id_key, tick_seed
from workers.service.exporting import Export, export_lines
from workers.store import Store
from workers.store.backup import Item, put, write_blobs
from workers.store.records import SCHEMA, SEED_BYTES, Act, Head

STAGED: Final = 2
"""The tick that is so many after the open one (after the resolving one, while one resolves) waits in the head to be
committed to in public."""


class CampaignExists(TocsinError):
    """The server has a campaign of that name, or the seed of one: nothing is restored over it."""


class NotTheSeed(TocsinError):
    """The seed given isn't the campaign's."""


def read_seed(text: str) -> bytes:
    """A campaign seed from its 64 hexadecimal digits. Raises InvalidInput, which doesn't repeat them."""
    digits = text.strip()
    if len(digits) != 2 * SEED_BYTES or not set(digits) <= set("0123456789abcdefABCDEF"):
        raise InvalidInput("campaign seed", "it is no seed", "64 hexadecimal digits")
    return bytes.fromhex(digits)


class Backup:
    """Exports campaigns of a store, and restores them."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def export(self, name: str) -> Iterator[bytes]:
        """The lines of an export; the campaign may be at play. Raises UnknownCampaign."""
        return export_lines(self._store, name)

    def restore(self, name: str, lines: Callable[[], Iterable[bytes]], seed: bytes) -> Head:
        """Restore a campaign from the lines of an export (asked for twice) and its seed; its head.

        Raises InvalidInput for lines that aren't a whole export of that campaign, NotTheSeed, and CampaignExists: then
        nothing was written that anybody reads.
        """
        if self._store.heads.get(name) is not None:
            raise CampaignExists(f"there is a campaign {name!r} on this server")
        export = Export(lines)
        if export.header.campaign != name:
            raise InvalidInput("campaign", f"the export is of {export.header.campaign!r}", "the campaign's own name")
        check_seed(export, seed)
        act = Act("restore", export.head.open_tick, self._store.heads.server_time_ms())
        written = Item("head", (), [part.encode() for pair in acted(export.head, act).items() for part in pair])
        write_blobs(self._store, name, export.blobs())
        if not put(self._store, name, [*export.keys(), written], export.tokens(), seed):
            raise CampaignExists(f"there is a campaign {name!r} on this server, or another seed under its name")
        head = self._store.heads.get(name)
        if head is None:
            raise CampaignExists(f"the campaign {name!r} that was restored is gone: somebody works on this server")
        hint(self._store, head)
        return head


def check_seed(export: Export, seed: bytes) -> None:
    """Raises NotTheSeed where the id key, a commitment or a revealed seed isn't what this campaign seed gives."""
    head = export.head

    def expect(what: str, said: str, true: str) -> None:
        if said != true:
            raise NotTheSeed(f"campaign {head.campaign}: the seed given isn't its own, by {what}")

    expect("its id key", head.id_key, id_key(seed).hex())
    for tick, said in export.numbers("commitments").items():
        expect(f"the commitment of tick {tick}", said, commitment(tick_seed(seed, tick)))
    for tick, said in export.numbers("seeds").items():
        expect(f"the revealed seed of tick {tick}", said, tick_seed(seed, tick).hex())
    staged = (head.open_tick if head.resolving is None else head.resolving) + STAGED
    expect(f"the commitment of tick {staged}", head.staged_commitment, commitment(tick_seed(seed, staged)))


def acted(head: Head, act: Act) -> dict[str, str]:
    """The fields of a head with one more act in its history: it is of the present schema from then on."""
    history = msgspec.json.encode((*head.history, act)).decode()
    return {"history": history, "schema": str(SCHEMA)}


def hint(store: Store, head: Head) -> None:
    """Put a campaign into the sweeper's index as its head stands."""
    if head.status == "open" and head.deadline_ms:
        store.hints.due(head.campaign, head.deadline_ms)
    if head.tick_status in ("resolving", "resolved"):
        store.hints.running(head.campaign, head.progress_ms)
