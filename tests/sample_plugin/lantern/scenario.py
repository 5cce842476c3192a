"""How a campaign starts, how one is made up, and who plays it when nobody does."""

import unicodedata
from collections.abc import Iterable, Iterator

import msgspec

from workers.kernel.dice import Dice, Stream
from workers.kernel.entities import State
from workers.kernel.errors import InvalidInput
from workers.kernel.ids import Ids

from .entities import CAMPS, KEEPERS, Coast, Crew, Settings
from .orders import Hand, Land, Row, Watch


class CrewStart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A crew as a scenario writes it."""

    id: str
    camp: str
    cove: str
    skill: int = 2


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The coast at dusk."""

    title: str
    coves: tuple[str, ...]
    crews: tuple[CrewStart, ...]
    settings: Settings = Settings()


def found(scenario: Scenario, ids: Ids) -> State[Coast]:
    """The first state. Raises InvalidInput naming the field."""
    if not scenario.coves:
        raise InvalidInput("coves", "a coast without a cove", "at least one")
    homes: dict[str, Crew] = {}
    for i, crew in enumerate(scenario.crews):
        if not _is_name(crew.id) or crew.id in homes:
            raise InvalidInput(f"crews[{i}].id", f"{crew.id!r} is taken or no name", "1 to 64 characters but / and #")
        if crew.camp not in CAMPS:
            raise InvalidInput(f"crews[{i}].camp", f"unknown camp {crew.camp!r}", " or ".join(CAMPS))
        if crew.cove not in scenario.coves:
            raise InvalidInput(f"crews[{i}].cove", f"unknown cove {crew.cove!r}", " or ".join(scenario.coves))
        homes[crew.id] = Crew(crew.id, crew.camp, crew.cove, crew.skill)
    return State(Coast(scenario.coves), homes)


def _is_name(text: str) -> bool:
    plain = all(character not in "/#" and unicodedata.category(character)[0] != "C" for character in text)
    return 0 < len(text) <= 64 and plain and unicodedata.normalize("NFC", text) == text


def generate(size: int, dice: Dice) -> Scenario:
    """A coast with about `size` crews, one of keepers to two of smugglers, and a cove for every three."""
    coves = tuple(f"cove {number}" for number in range(1, size // 3 + 3))
    stream = dice.stream("generate/coast/crews")
    crews = []
    for number in range(1, max(size, 2) + 1):
        camp = CAMPS[min(number % 3, 1)]
        crews.append(CrewStart(f"{camp[0]}{number}", camp, coves[stream.below(len(coves))], stream.below(4)))
    return Scenario(f"A coast of {len(crews)} crews", coves, tuple(crews))


def sample(
    crews: Iterable[Crew], coast: Coast, settings: Settings, tick: int, dice: Dice
) -> Iterator[tuple[str, str, Row | Hand | Land | Watch]]:
    """Each crew does its trade, and one in two rows first; a boat may hand crates to the next one in its cove."""
    known = {crew.id: crew for crew in crews}
    for name in sorted(known):
        crew = known[name]
        stream = dice.stream(f"sample/{name}/orders")
        if stream.below(2) and len(coast.coves) > 1:
            others = [cove for cove in coast.coves if cove != crew.cove]
            yield crew.camp, name, Row(name, others[stream.below(len(others))])
        if crew.camp == KEEPERS:
            yield crew.camp, name, Watch(name)
        elif crew.crates:
            yield from _smuggle(crew, [mate for mate in known.values() if _mates(crew, mate)], stream)


def _mates(crew: Crew, mate: Crew) -> bool:
    return mate.id != crew.id and mate.camp == crew.camp and mate.cove == crew.cove


def _smuggle(crew: Crew, mates: list[Crew], stream: Stream) -> Iterator[tuple[str, str, Hand | Land]]:
    given = 0
    if mates and stream.below(3) == 0:
        given = 1
        yield crew.camp, crew.id, Hand(crew.id, min(mate.id for mate in mates), given)
    if crew.crates > given:
        yield crew.camp, crew.id, Land(crew.id, stream.below(min(crew.crates - given, 6)) + 1)
