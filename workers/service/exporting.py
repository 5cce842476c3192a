"""An export: a campaign at one moment as lines, of which an empty server and the campaign seed make it again.

The first line is the header; each further line is a JSON array, its first item the name of a key in the catalogue:

    [name, parts, content]          a key, or a part of one: its lines follow one another
    [name, parts, content, life_ms] one that has so long to live
    ["end", lines, sha256]          the last line: how many came before it, and the SHA-256 of them all

Content is a list: a hash's fields and values in turn, a list's or set's members, a string alone, a stream's ids and
entries in turn, an entry being an object. Bytes that are UTF-8 stand as text, others as a list of one text, their
base64. Blobs and pages are plain. The campaign seed is never in it.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Annotated, Any, Final

import msgspec

from workers.kernel.digest import sha256_hex
from workers.kernel.engine import PAGE_FACTS
from workers.kernel.errors import InvalidInput, invalid_from
from workers.service.campaigns import UnknownCampaign
from workers.store import Store
from workers.store.backup import Item, Snapshot, all_idems, check_item, read_idems, read_tokens, snapshot
from workers.store.compression import compressed, plain
from workers.store.errors import StoreError
from workers.store.heads import decode_head
from workers.store.keys import SPECS
from workers.store.records import Head
from workers.store.tokens import read_token

FORMAT: Final = "tocsin-export"
FORMAT_VERSION: Final = 1
PART_VALUES: Final = 200
"""Values on a line, at most (an even number: a hash's fields stay with their values)."""
BLOBS_A_READ: Final = 16
TICK_DIGITS_MAX: Final = 15
STREAM_NUMBER_MAX: Final = (1 << 64) - 1

PAGE_BYTES_MAX: Final = 16 << 20
"""A page has `PAGE_FACTS` facts at most, of a few hundred bytes each: a hundredth of this. A reader has many pages in
memory at a time, so what comes from elsewhere is bounded."""

_ENTRY_ID = re.compile(rb"([0-9]{1,20})-([0-9]{1,20})")


class ExportHeader(msgspec.Struct, frozen=True):
    """The first line of an export."""

    campaign: str
    format: str = FORMAT
    format_version: int = FORMAT_VERSION


class _Page(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A page of a report: whom each fact is about (None: everybody), and the fact."""

    phase: str
    facts: Annotated[tuple[tuple[tuple[str, ...] | None, dict[str, Any]], ...], msgspec.Meta(max_length=PAGE_FACTS)]


_decode_page = msgspec.json.Decoder(_Page).decode


def export_lines(store: Store, campaign: str) -> Iterator[bytes]:
    """The lines of an export, each with its newline; the server may be at work. Raises UnknownCampaign."""
    digest, count = sha256(), 0
    for line in _body(store, campaign):
        digest.update(line)
        count += 1
        yield line
    yield _line("end", count, digest.hexdigest())


def _body(store: Store, campaign: str) -> Iterator[bytes]:
    yield msgspec.json.encode(ExportHeader(campaign)) + b"\n"
    written: set[str] = set()
    while True:
        # Most blobs are read before the moment that the export is of, so that few can go away after it.
        yield from _blobs(store, campaign, sorted(store.blobs.index(campaign)), written)
        idems = all_idems(store, campaign)
        taken = snapshot(store, campaign)
        if taken is None:
            raise UnknownCampaign(f"no campaign {campaign!r}")
        yield from _blobs(store, campaign, taken.index(), written)
        if written.issuperset(taken.index()):
            break
    for item in taken.items:
        yield from _item_lines(_with_pages(item, plain))
    for item in (*read_idems(store, campaign, idems | taken.idems()), *read_tokens(store, taken.tokens())):
        yield from _item_lines(item)


def _blobs(store: Store, campaign: str, digests: list[str], written: set[str]) -> Iterator[bytes]:
    """Lines of the blobs that aren't written yet; one that was collected meanwhile is left out."""
    wanted = [digest for digest in digests if digest not in written]
    for start in range(0, len(wanted), BLOBS_A_READ):
        chunk = wanted[start : start + BLOBS_A_READ]
        for digest, data in zip(chunk, store.blobs.get_many(campaign, chunk), strict=True):
            if data is not None:
                written.add(digest)
                yield from _item_lines(Item("blob", (digest,), [data]))


def _item_lines(item: Item) -> Iterator[bytes]:
    for start in range(0, len(item.content), PART_VALUES):
        content = [_plain(value) for value in item.content[start : start + PART_VALUES]]
        yield _line(item.name, item.parts, content, *([item.life_ms] if item.life_ms else []))


def _with_pages(item: Item, change: Callable[[bytes], bytes]) -> Item:
    """An item with each page that it holds changed."""
    if item.name != "reports":
        return item
    content = list(item.content)
    for place, fields in enumerate(content[1::2]):
        entry = dict(zip(fields[::2], fields[1::2], strict=True))
        changed = entry | {b"p": change(entry[b"p"])}
        content[2 * place + 1] = [part for pair in changed.items() for part in pair]
    return msgspec.structs.replace(item, content=content)


def _line(*parts: Any) -> bytes:
    return msgspec.json.encode(parts) + b"\n"


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return {name.decode(): _plain(inner) for name, inner in zip(value[::2], value[1::2], strict=True)}
    try:
        return value.decode()
    except UnicodeDecodeError:
        return [b64encode(value).decode()]


class Export:
    """An export that was read to its end and holds together. Its blobs are read again when they are asked for."""

    def __init__(self, lines: Callable[[], Iterable[bytes]]) -> None:
        self._lines = lines
        self.header, self.items, self._digests = _read(lines())
        heads = [item for item in self.items if item.name == "head"]
        raw = {name: value for item in heads for name, value in zip(item.content[::2], item.content[1::2], strict=True)}
        try:
            self.head: Head = decode_head("head", raw)
        except StoreError as error:
            raise InvalidInput("export", str(error), "a head that this release reads") from error
        self._check()

    def tokens(self) -> list[Item]:
        """The records of tokens."""
        return [item for item in self.items if item.name == "token"]

    def keys(self) -> list[Item]:
        """The campaign's keys but its blobs."""
        return [item for item in self.items if item.name != "token"]

    def blobs(self) -> Iterator[tuple[str, bytes]]:
        """The blobs by digest, read anew."""
        for item in _items(self._lines()):
            if item.name == "blob":
                yield item.parts[0], item.content[0]

    def numbers(self, name: str) -> dict[int, str]:
        """Tick → text, of the hash of that name."""
        pairs = [
            (field, value.decode(errors="replace"))
            for item in self.items
            if item.name == name
            for field, value in zip(item.content[::2], item.content[1::2], strict=True)
        ]
        for field, _ in pairs:
            if not (field.isdigit() and len(field) <= TICK_DIGITS_MAX):
                raise InvalidInput(f"{name}", f"{field[:40]!r} is no tick", "a number from 0")
        return {int(field): value for field, value in pairs}

    def _check(self) -> None:
        if self.head.campaign != self.header.campaign:
            raise InvalidInput("export", f"its head is of {self.head.campaign!r}", f"one of {self.header.campaign!r}")
        index = Snapshot(self.head, tuple(self.items)).index()
        named = {*index, self.head.manifest, self.head.start_manifest}
        missing = sorted(named - self._digests)
        self._check_streams()
        self._check_tokens()
        if missing:
            raise InvalidInput("export", f"{len(missing)} blobs are missing ({missing[0][:12]}…)", "all that are named")

    def _check_tokens(self) -> None:
        """A restored token opens what its record says, so it must be one of this very campaign."""
        for item in self.tokens():
            try:
                token = read_token(item.parts[0], item.content[0])
            except StoreError as error:
                raise InvalidInput("token", str(error), "the record of a token") from error
            if token.campaign != self.head.campaign:
                problem = f"{item.parts[0][:12]}… is of {token.campaign or 'no campaign'!r}"
                raise InvalidInput("token", problem, f"tokens of {self.head.campaign!r}")

    def _check_streams(self) -> None:
        """A server refuses a stream's entry whose id isn't above the one before it, in the middle of a transaction that
        it doesn't take back: so such an export is refused before anything is written."""
        newest: dict[tuple[str, ...], tuple[int, int]] = {}
        for item in self.items:
            if SPECS[item.name].kind != "stream":
                continue
            for entry in item.content[::2]:
                found = _ENTRY_ID.fullmatch(entry)
                place = (int(found[1]), int(found[2])) if found else (0, 0)
                if place <= newest.get(item.parts, (0, 0)) or max(place) > STREAM_NUMBER_MAX:
                    problem = f"{entry[:40].decode(errors='replace')!r} is out of place in {list(item.parts)}"
                    raise InvalidInput(item.name, problem, "ids of entries, ascending: tick-page")
                newest[item.parts] = place


def _read(lines: Iterable[bytes]) -> tuple[ExportHeader, list[Item], set[str]]:
    """All of an export but the bytes of its blobs. Raises InvalidInput naming the line."""
    source = iter(lines)
    first = next(source, b"")
    header = _header(first)
    items: list[Item] = []
    blobs: set[str] = set()
    digest = sha256(first)
    count, ended = 1, False
    for line in source:
        if ended:
            raise InvalidInput(f"line {count + 2}", "it follows the end", "nothing")
        item = _item(line, count + 1)
        if item is None:
            _check_end(line, count, digest.hexdigest())
            ended = True
            continue
        digest.update(line)
        count += 1
        if item.name == "blob":
            if sha256_hex(item.content[0]) != item.parts[0]:
                raise InvalidInput(f"line {count}", "the blob isn't what its digest says", "the blob of that digest")
            blobs.add(item.parts[0])
        else:
            _check_pages(item, f"line {count}")
            items.append(_with_pages(item, compressed))
    if not ended:
        raise InvalidInput("export", "it has no end: it was cut off", "a whole export")
    return header, items, blobs


def check_page(page: bytes, at: str) -> None:
    """Raises InvalidInput, with the place, for what is no page of a report."""
    if len(page) > PAGE_BYTES_MAX:
        raise InvalidInput(at, f"{len(page)} bytes", f"at most {PAGE_BYTES_MAX} bytes")
    try:
        _decode_page(page)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        problem = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise InvalidInput(at, problem, "a page as JSON: phase and facts") from error


def _check_pages(item: Item, where: str) -> None:
    """Raises InvalidInput for what is no page, with its place: readers take what the server holds for pages."""
    for entry_id, fields in zip(item.content[::2], item.content[1::2], strict=True) if item.name == "reports" else ():
        at = f"{where}: the page {entry_id[:40].decode(errors='replace')} of {list(item.parts)}"
        entry = dict(zip(fields[::2], fields[1::2], strict=True))
        page = entry.pop(b"p", None)
        if not isinstance(page, bytes) or entry not in ({}, {b"last": b"1"}):
            raise InvalidInput(at, "its fields are no page's", "p, and last: 1 on the last page of a tick")
        check_page(page, at)


def _items(lines: Iterable[bytes]) -> Iterator[Item]:
    for number, line in enumerate(lines, start=1):
        item = _item(line, number) if number > 1 else None
        if item is not None:
            yield item


def _header(line: bytes) -> ExportHeader:
    try:
        header = msgspec.json.decode(line, type=ExportHeader)
    except msgspec.DecodeError as error:
        raise invalid_from(error, "line 1") from error
    if header.format != FORMAT:
        raise InvalidInput("line 1.format", f"{header.format!r} is no export", repr(FORMAT))
    if header.format_version != FORMAT_VERSION:
        problem = f"version {header.format_version} is not one that this release reads"
        raise InvalidInput("line 1.format_version", problem, str(FORMAT_VERSION))
    return header


def _item(line: bytes, number: int) -> Item | None:
    """The item of a line; None for the end."""
    try:
        name, *rest = msgspec.json.decode(line, type=list[Any])
        if name == "end":
            return None
        parts, content, *life = rest
        item = msgspec.convert(Item(name, tuple(parts), [_read_value(value) for value in content], *life), Item)
        check_item(item)
    except msgspec.DecodeError as error:
        raise invalid_from(error, f"line {number}") from error
    except (StoreError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise InvalidInput(f"line {number}", str(error), "a line of an export") from error
    return item


def _read_value(value: Any) -> Any:
    if isinstance(value, dict):
        return [part for name, inner in value.items() for part in (name.encode(), _read_value(inner))]
    if isinstance(value, str):
        return value.encode()
    (text,) = value
    return b64decode(text, validate=True)


def _check_end(line: bytes, count: int, digest: str) -> None:
    if msgspec.json.decode(line, type=list[Any]) != ["end", count, digest]:
        raise InvalidInput("export", "its end doesn't fit what came before it", "an export as it was written")
