"""What anybody can prove of recorded ticks: that they replay identically, and that the dice are the committed ones.

Nothing here asks the server: records, commitments, seeds and reports are what was read before.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from workers.cli.errors import CheckFailed
from workers.cli.records import record_of
from workers.cli.resolve import load, run
from workers.kernel.dice import Dice
from workers.kernel.ids import commitment
from workers.registry import Registry
from workers.rules.bundle import bundle_of
from workers.service.recording import Record, input_of

REPLAY_LIMIT_S: Final = 300.0
HASH_SEED: Final = 20_071
"""PYTHONHASHSEED of the replaying process, or one more where that is ours."""
D6: Final = 6
POINTS: Final = 100


def replay_elsewhere(records: Sequence[Path]) -> dict[str, Any]:
    """Replay records in another process, with another hash seed; what it prints. Raises CheckFailed where it fails."""
    ours = os.environ.get("PYTHONHASHSEED")
    other = HASH_SEED + (ours == str(HASH_SEED))
    command = [sys.executable, "-m", "workers.cli", "replay", *map(str, records), "--json"]
    environment = {**os.environ, "PYTHONHASHSEED": str(other)}
    done = subprocess.run(command, env=environment, capture_output=True, timeout=REPLAY_LIMIT_S, check=False)
    if not done.stdout:
        raise CheckFailed(f"the replay failed ({done.returncode}): {done.stderr.decode(errors='replace').strip()}")
    found: dict[str, Any] = msgspec.json.decode(done.stdout)
    return found


def facts_of_record(record: Record, camp: str) -> list[Any]:
    """The facts that a record holds for a camp, in order."""
    pages = (msgspec.json.decode(page) for page in record.pages.get(camp, ()))
    return [fact for page in pages for _, fact in page["facts"]]


def write_bundles(records: Iterable[Path], folder: Path, registry: Registry) -> Iterator[tuple[Path, str]]:
    """Write the bundle of each record into a folder, resolve it from its file; its path and the digest.

    Raises CheckFailed where the bundle's digest isn't the record's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path in records:
        record = record_of(str(path))
        rulebook = registry.get(record.header.rulebook)
        bundle = folder / f"tick-{record.header.tick}.json"
        bundle.write_bytes(bundle_of(rulebook, input_of(record, rulebook)))
        digest = run(load(str(bundle)), str(bundle)).digest
        if digest != record.header.digests.tick:
            recorded = record.header.digests.tick
            raise CheckFailed(f"{bundle} resolves to {digest}, the tick was recorded as {recorded}")
        yield bundle, digest


def check_rolls(facts: Iterable[tuple[int, Any]], seeds: Mapping[int, str], commitments: Mapping[int, str]) -> int:
    """Check every roll among facts (with their ticks) whose tick's seed is revealed; how many different ones there are.

    Raises CheckFailed for a seed that isn't what was committed to, and for dice that aren't the seed's.
    """
    dice: dict[int, Dice] = {}
    for tick, seed in seeds.items():
        if commitments.get(tick) != commitment(bytes.fromhex(seed)):
            raise CheckFailed(f"tick {tick}: the seed revealed is not the one committed to")
        dice[tick] = Dice(bytes.fromhex(seed))
    checked: set[tuple[int, str]] = set()
    for tick, fact in facts:
        if tick not in dice:
            continue
        for roll in rolls_in(fact):
            if draw_of(dice[tick], roll) is None:
                raise CheckFailed(f"tick {tick}, {roll['path']}: the dice {roll['dice']} are not the seed's")
            checked.add((tick, roll["path"]))
    return len(checked)


def rolls_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every roll inside a fact: a mapping with a path and dice."""
    if isinstance(value, dict):
        if isinstance(value.get("path"), str) and value.get("dice"):
            yield value
        for inner in value.values():
            yield from rolls_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from rolls_in(inner)


class Draw(NamedTuple):
    """How a roll's dice come from its path: a bound each, and what is added to each value drawn."""

    bounds: list[int]
    added: int


def draw_of(dice: Dice, roll: Mapping[str, Any]) -> Draw | None:
    """How a roll's dice are drawn: below its own bound where it names one, else as d6, else as 1..100; None where they
    aren't what its path draws."""
    drawn = list(roll["dice"])
    below = roll.get("below")
    ways = [(D6, 1), (POINTS, 1)] if below is None else [(below, 0)]
    for bound, added in ways:
        stream = dice.stream(roll["path"])
        if drawn == [stream.below(bound) + added for _ in drawn]:
            return Draw([bound] * len(drawn), added)
    return None
