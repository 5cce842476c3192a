"""The record of a tick: one self-contained sequence of lines, from which anybody who holds it can resolve it again.

The first line is the header; each further line is a JSON array whose first item says what it is:

    ["shared", {…}]  ["home", {…}]          the state at the tick's start
    ["order", {id, home, camp, actor, order, facts}]   the live orders, in ascending id within each slice
    ["event", step, {…}]                    what happened, in canonical order
    ["page", camp, {…}]                     each camp's report, page by page
    ["end", digest]                         SHA-256 over all lines before it, each with its newline

A record holds the tick's seed and the campaign's id key, so it is the operator's; it never holds the campaign seed.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from workers.kernel.digest import BUCKETS, canonical
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice, slice_of_key
from workers.kernel.errors import InvalidInput, invalid_from
from workers.kernel.orders import Booked, union_of
from workers.kernel.tick import TickInput
from workers.rules.contract import Rulebook
from workers.service.records import PhaseSummary

FORMAT = "tocsin-record"
FORMAT_VERSION = 1


class Digests(msgspec.Struct, frozen=True):
    """The digests of a tick: its book, the events of each superstep, the states before and after, and of it all."""

    book: str
    events: tuple[str, ...]
    state_start: str
    state: str
    tick: str


class RecordHeader(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of a record."""

    format: str = FORMAT
    format_version: int = FORMAT_VERSION
    campaign: str
    rulebook: str
    rulebook_version: str
    fingerprint: str
    settings: msgspec.Raw
    tick: int
    epoch: int
    tick_seed: str
    id_key: str
    salt: str
    commitment: str
    slices: int
    orders: int
    dropped: tuple[str, ...]
    digests: Digests
    phases: tuple[PhaseSummary, ...]


class RecordedOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A live order in a record."""

    id: str
    home: str
    camp: str
    actor: str
    order: msgspec.Raw
    facts: msgspec.Raw = msgspec.Raw(b"null")


@dataclass(slots=True)
class Record:
    """A record read: its header and its lines by kind, still encoded."""

    header: RecordHeader
    shared: bytes = b""
    homes: list[bytes] = field(default_factory=list)
    orders: list[RecordedOrder] = field(default_factory=list)
    events: list[tuple[int, bytes]] = field(default_factory=list)
    pages: dict[str, list[bytes]] = field(default_factory=dict)
    end: str = ""
    """The digest that the last line says."""
    content: str = ""
    """The digest of the lines before it as they were read."""


_KINDS = ("shared", "home", "order", "event", "page", "end")
"""The kinds of line, in the order in which they come."""


def line_of(kind: str, *parts: bytes) -> bytes:
    """A line of a record."""
    return b"[" + b",".join([canonical(kind), *parts]) + b"]"


def order_line(engine: Engine, booked: Booked[Any, Any]) -> bytes:
    """The line of a live order."""
    plain = {
        "id": booked.id,
        "home": booked.home,
        "camp": booked.camp,
        "actor": booked.actor,
        "order": engine.packing.plain(booked.order),
        "facts": booked.facts,
    }
    return line_of("order", canonical(plain))


def ended(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a record as they are written: each with its newline, and the line that ends them."""
    content = hashlib.sha256()
    for line in lines:
        whole = line + b"\n"
        content.update(whole)
        yield whole
    yield line_of("end", canonical(content.hexdigest())) + b"\n"


def read_record(lines: Iterable[bytes]) -> Record:
    """Read a record. Raises InvalidInput naming the line, what was wrong and what would be accepted.

    Whether its last line tells the digest of those before it is for `replay` to hold against it.
    """
    source = iter(lines)
    first = next(source, b"")
    record = Record(read_header(first))
    content = hashlib.sha256(_whole(first))
    rank = 0
    for number, line in enumerate(source, start=2):
        if record.end:
            raise InvalidInput(f"line {number}", "it follows the end line", "nothing")
        try:
            rank = _take(record, msgspec.json.decode(line, type=list[msgspec.Raw]), rank)
        except msgspec.DecodeError as error:
            raise invalid_from(error, f"line {number}") from error
        except RecursionError as error:
            raise InvalidInput(f"line {number}", "nested too deep", "JSON in UTF-8") from error
        except (ValueError, IndexError) as error:
            raise InvalidInput(f"line {number}", str(error), "shared, home, order, event and page lines") from error
        if not record.end:
            content.update(_whole(line))
    if not record.shared or not record.end:
        raise InvalidInput("record", f"it has no {'end' if record.shared else 'shared'} line", "a whole record")
    record.content = content.hexdigest()
    return record


def _whole(line: bytes) -> bytes:
    """A line with its newline, whether or not whoever read it left it there."""
    return line if line.endswith(b"\n") else line + b"\n"


def read_header(line: bytes) -> RecordHeader:
    """The header of a record, from its first line. Raises InvalidInput."""
    header: RecordHeader = read_line(line, RecordHeader, "line 1")
    if header.format != FORMAT:
        raise InvalidInput("line 1.format", f"{header.format!r} is not a record", repr(FORMAT))
    if header.format_version != FORMAT_VERSION:
        later = ": a later release wrote it" if header.format_version > FORMAT_VERSION else ""
        problem = f"version {header.format_version} is not one that this release reads{later}"
        raise InvalidInput("line 1.format_version", problem, str(FORMAT_VERSION))
    return header


def _take(record: Record, parts: list[msgspec.Raw], rank: int) -> int:
    """Take a line into the record; the rank of its kind. Raises ValueError where it is none, or comes out of order."""
    kind = msgspec.json.decode(parts[0], type=str)
    if kind not in _KINDS:
        raise ValueError(f"unknown kind of line {kind!r}")
    if _KINDS.index(kind) < rank or (kind == "shared" and record.shared):
        raise ValueError(f"a {kind} line stands out of order")
    if kind == "shared":
        record.shared = bytes(parts[1])
    elif kind == "home":
        record.homes.append(bytes(parts[1]))
    elif kind == "order":
        record.orders.append(msgspec.json.decode(parts[1], type=RecordedOrder))
    elif kind == "event":
        record.events.append((msgspec.json.decode(parts[1], type=int), bytes(parts[2])))
    elif kind == "page":
        record.pages.setdefault(msgspec.json.decode(parts[1], type=str), []).append(bytes(parts[2]))
    else:
        record.end = msgspec.json.decode(parts[1], type=str)
    return _KINDS.index(kind)


def input_of(record: Record, rulebook: Rulebook, slices: int | None = None) -> TickInput:
    """What to resolve to get the recorded tick again (cut into as many slices as it was, or as many as given).

    Raises InvalidInput when the record's parts are not this rulebook's.
    """
    header = record.header
    count = header.slices if slices is None else slices
    if not 1 <= count <= BUCKETS or count & (count - 1):
        raise InvalidInput("slices", f"{count} is no number of slices", f"a power of two from 1 to {BUCKETS}")
    lines: list[dict[str, bytes]] = [{} for _ in range(count)]
    for number, line in enumerate(record.homes):
        key = read_line(line, _Keyed, f"home {number}").id
        place = lines[slice_of_key(key, count)]
        if key in place:
            raise InvalidInput(f"home {number}", f"{key!r} has another home line", "one line a home")
        place[key] = line
    return TickInput(
        tick=header.tick,
        tick_seed=_seed(header.tick_seed, "tick_seed"),
        id_key=_seed(header.id_key, "id_key"),
        settings=read_line(bytes(header.settings), rulebook.settings, "settings"),
        shared=record.shared,
        slices=[Slice.of(part).to_bytes() for part in lines],
        orders=_orders(record, rulebook),
        dropped=frozenset(header.dropped),
    )


class _Keyed(msgspec.Struct):
    id: str


def _orders(record: Record, rulebook: Rulebook) -> list[Booked[Any, Any]]:
    kinds = union_of(rulebook.orders)
    facts_type: Any = type(None) if rulebook.facts is None else rulebook.facts | None
    found = []
    for item in record.orders:
        order = read_line(bytes(item.order), kinds, f"order {item.id}")
        facts = read_line(bytes(item.facts), facts_type, f"order {item.id} facts")
        found.append(Booked(item.id, item.home, item.camp, item.actor, order, facts))
    return found


def read_line(data: bytes, kind: Any, where: str) -> Any:
    """A value of a type from its JSON. Raises InvalidInput with the path of the field."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        raise invalid_from(error, where) from error
    except (UnicodeDecodeError, RecursionError) as error:
        problem = "nested too deep" if isinstance(error, RecursionError) else "not UTF-8"
        raise InvalidInput(where, problem, "JSON in UTF-8") from error


def check_state(record: Record, rulebook: Rulebook) -> None:
    """Read the state of a record as the rulebook has it. Raises InvalidInput naming the line's field."""
    read_line(record.shared, rulebook.shared, "shared")
    for number, line in enumerate(record.homes):
        read_line(line, rulebook.home, f"home {number}")


def _seed(text: str, where: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(seed) != 32:
        raise InvalidInput(where, "it is not a seed", "64 hexadecimal digits")
    return seed


def lines_of_slices(slices: Iterable[bytes]) -> Iterator[bytes]:
    """The home lines of a state, slice by slice."""
    for data in slices:
        piece = Slice.parse(data)
        for key in piece:
            yield line_of("home", piece.lines[key])
