"""What a player keeps of a campaign, checked without the server: the rolls of its report, and its orders' receipts.

Papers are one JSON document that `tocsin reports save` writes: the facts that the camp read, and by tick the
commitments and the seeds that are revealed. Receipts are lines of JSON that `tocsin orders send --receipts` adds to a
file.
"""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Final

import msgspec

from workers.cli.documents import read_document
from workers.cli.errors import CheckFailed
from workers.cli.proving import draw_of, rolls_in
from workers.cli.rulebooks import installed
from workers.kernel.dice import Dice
from workers.kernel.errors import InvalidInput, invalid_from
from workers.kernel.ids import commitment
from workers.kernel.orders import union_of
from workers.rules.bundle import read_part
from workers.service.access import Sender
from workers.service.orders import receipt_digest

PAPERS_BYTES_MAX: Final = 256 << 20
_NOTED: Final = re.compile(r"([0-9]{1,15})=([0-9a-fA-F]{64})")
Hash = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Tick = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]


class ReadFact(msgspec.Struct, frozen=True):
    """A fact of a report, as the API tells it."""

    id: str
    tick: Tick
    fact: dict[str, Any]


class Papers(msgspec.Struct, frozen=True):
    """A camp's report with what its dice are checked by."""

    campaign: str
    rulebook: str
    camp: str
    facts: tuple[ReadFact, ...]
    commitments: dict[Tick, Hash]
    seeds: dict[Tick, Hash]


class KeptReceipt(msgspec.Struct, frozen=True):
    """A receipt with the order that it is for."""

    campaign: str
    rulebook: str
    tick: Tick
    id: str
    revision: int
    camp: str
    actor: str
    order: dict[str, Any]
    digest: Hash


class Rolls(msgspec.Struct, frozen=True):
    """Of a report's rolls: those that are what their seed draws, and those whose seed isn't revealed yet."""

    checked: int
    waiting: int


def read_papers(name: str) -> Papers:
    """The papers of a file. Raises InvalidInput naming the field."""
    papers: Papers = _read(read_document(name, PAPERS_BYTES_MAX), Papers, name)
    return papers


def read_receipts(name: str) -> list[KeptReceipt]:
    """The receipts of a file, a line each. Raises InvalidInput naming the line."""
    lines = read_document(name, PAPERS_BYTES_MAX).splitlines()
    return [_read(line, KeptReceipt, f"{name}: line {number}") for number, line in enumerate(lines, 1) if line.strip()]


def noted(texts: list[str]) -> dict[int, str]:
    """Commitments that a player wrote down, `TICK=HEX` in capitals or not. Raises InvalidInput, also for two different
    ones of one tick."""
    found: dict[int, str] = {}
    for text in texts:
        parts = _NOTED.fullmatch(text)
        if parts is None:
            raise InvalidInput("--commitment", f"{text[:100]!r} is none", "TICK=HEX, 64 hexadecimal digits")
        tick, value = int(parts[1]), parts[2].lower()
        if found.setdefault(tick, value) != value:
            raise InvalidInput("--commitment", f"two different ones for tick {tick}", "one for each tick")
    return found


def check_rolls(name: str, papers: Papers, written_down: dict[int, str]) -> Rolls:
    """Check every roll of a report whose tick's seed is revealed.

    Raises CheckFailed naming the first tick whose commitment or seed isn't what was promised, or the first roll that
    isn't what its seed draws.
    """
    for tick, promise in sorted(written_down.items()):
        if tick not in papers.commitments:
            raise CheckFailed(f"{name}: commitments.{tick}: it isn't there, and one was written down")
        if papers.commitments[tick] != promise:
            raise CheckFailed(f"{name}: commitments.{tick}: it isn't the one that was written down")
    dice: dict[int, Dice] = {}
    for tick, seed in sorted(papers.seeds.items()):
        promised = written_down.get(tick) or papers.commitments.get(tick)
        if promised is None:
            raise InvalidInput(f"{name}: commitments", f"tick {tick} has a seed and no commitment", "one for each seed")
        if commitment(bytes.fromhex(seed)) != promised:
            raise CheckFailed(f"{name}: seeds.{tick}: the seed revealed isn't the one that was committed to")
        dice[tick] = Dice(bytes.fromhex(seed))
    checked: set[tuple[int, str]] = set()
    waiting: set[tuple[int, str]] = set()
    for number, told in enumerate(papers.facts):
        for roll in rolls_in(told.fact):
            known = dice.get(told.tick)
            if known is None:
                waiting.add((told.tick, roll["path"]))
                continue
            _check_roll(f"{name}: facts[{number}] ({told.id}), {roll['path'][:80]!r}", known, roll)
            checked.add((told.tick, roll["path"]))
    return Rolls(len(checked), len(waiting))


def _check_roll(where: str, dice: Dice, roll: dict[str, Any]) -> None:
    faces, below = roll["dice"], roll.get("below", 1)
    if not isinstance(faces, list) or not all(isinstance(face, int) for face in faces) or not isinstance(below, int):
        raise CheckFailed(f"{where}: its dice are no numbers")
    try:
        drawn = draw_of(dice, roll)
    except ValueError as error:
        raise CheckFailed(f"{where}: no roll has that path ({error})") from error
    if drawn is None:
        raise CheckFailed(f"{where}: the dice {faces} aren't what the seed draws")


def check_receipts(name: str, receipts: list[KeptReceipt]) -> int:
    """Check that each receipt is of its very order, camp and actor; how many there are.

    Raises CheckFailed naming the first that isn't, and InvalidInput for an order that its rulebook doesn't know.
    """
    registry = installed()
    for number, kept in enumerate(receipts, start=1):
        where = f"{name}: receipt {number} ({kept.id[:40]})"
        if kept.rulebook not in registry:
            raise InvalidInput(f"{where}.rulebook", f"{kept.rulebook[:40]!r} is not installed", " or ".join(registry))
        kinds: Any = union_of(registry.get(kept.rulebook).orders)
        order = read_part(msgspec.json.encode(kept.order), kinds, f"{where}.order")
        digest = receipt_digest(kept.id, kept.revision, Sender(kept.camp, kept.actor), order)
        if digest != kept.digest:
            raise CheckFailed(f"{where}: recorded {kept.digest}, found {digest}")
    return len(receipts)


def lines_of(receipts: list[KeptReceipt]) -> Iterator[str]:
    """Receipts as the lines of a file."""
    for kept in receipts:
        yield msgspec.json.encode(kept).decode() + "\n"


def _read(data: bytes, kind: Any, where: str) -> Any:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.DecodeError as error:
        found = invalid_from(error)
        raise InvalidInput(f"{where}: {found.field or 'document'}", found.problem, found.accepted) from error
    except (UnicodeDecodeError, RecursionError) as error:
        problem = "nested too deep" if isinstance(error, RecursionError) else "not UTF-8"
        raise InvalidInput(where, problem, "JSON in UTF-8") from error
