"""A campaign of any size, drawn from dice: districts on a grid, a handful of units of each side in each."""

from math import isqrt

from workers.kernel.dice import Dice, Stream
from workers.rules.uprising import tables
from workers.rules.uprising.cards import Boon, Card, Gains, Side
from workers.rules.uprising.entities import Bonus, Faction, Garrison, Influence, Landmark
from workers.rules.uprising.scenario import DistrictStart, PrisonStart, Scenario, SideStart, UnitStart

CARDS = (
    Card("barricade", "gamble", (tables.REVOLUTION,), gains=Gains(barricades=2)),
    Card("house-to-house", "search", (tables.LAW,), chance=60, neighbours=True, gains=Gains(authority=1)),
    Card("proclamation", "rally", by_authority=True),
    Card("storm", "assault", (tables.LAW,), modifier=1, gains=Gains(influence=20, heat=2)),
    Card("strike", "contest", (tables.REVOLUTION,), defence=3, gains=Gains(influence=10, heat=1)),
    Card("tear-gas", "gamble", (tables.LAW,), chance=60, gains=Gains(gas=True)),
    Card("through-the-cellars", "move", covered=True),
)
"""The cards of a generated campaign, beside the standard ones."""

PRISON_EVERY = 5
LANDMARK_EVERY = 3


def generate(size: int, dice: Dice) -> Scenario:
    """A scenario with `size` districts (at least 1), 10 units in each; one text for one seed."""
    count = max(1, size)
    names = [f"d{number:05d}" for number in range(count)]
    stream = dice.stream("generate/uprising/city")
    width = max(1, isqrt(count))
    return Scenario(
        title=f"Uprising in {count} districts",
        sides={
            tables.REVOLUTION: SideStart(
                authority=40,
                factions=(Faction("clubs", 50),),
                upgrades=(Boon("back-doors", escape_chance=20), Boon("paving-stones", force={"assault": 1})),
            ),
            tables.LAW: SideStart(
                authority=50,
                factions=(Faction("party-of-order", 50, order=True),),
                upgrades=(Boon("armoured-vans", points={"raid": 10}),),
                assets=("order_faction",),
            ),
        },
        districts=tuple(_district(number, names, width, stream) for number in range(count)),
        units=tuple(unit for name in names for unit in _units(name, stream)),
        cards=CARDS,
        heat=20,
    )


def _district(number: int, names: list[str], width: int, stream: Stream) -> DistrictStart:
    row, column = divmod(number, width)
    around = [number - width, number + width]
    around += [number - 1] if column > 0 else []
    around += [number + 1] if column < width - 1 else []
    neighbours = tuple(names[other] for other in sorted(around) if 0 <= other < len(names))
    holders: tuple[Side, ...] = tables.SIDES
    return DistrictStart(
        id=names[number],
        name=f"{column + 1}, {row + 1}",
        neighbours=neighbours,
        influence=Influence(20 + stream.below(40), 20 + stream.below(40)),
        barricades=stream.below(4),
        landmark=Landmark(f"square {number}", 1 + stream.below(3)) if number % LANDMARK_EVERY == 0 else None,
        garrison=Garrison(1 + stream.below(3), (tables.REVOLUTION,)) if stream.below(4) == 0 else None,
        disease=stream.below(10) == 0,
        prison=PrisonStart(holders[stream.below(2)]) if number % PRISON_EVERY == 0 else None,
    )


def _units(place: str, stream: Stream) -> list[UnitStart]:
    """Five units of each side: a speaker, one who spies, two troops, a building."""

    def unit(side: Side, what: str, force: int, **sheet: object) -> UnitStart:
        nature = sheet.pop("nature", "person")
        return UnitStart(id=f"{place}-{what}", side=side, district=place, nature=nature, force=force, **sheet)  # type: ignore[arg-type]  # a sheet's fields by name

    hidden = stream.below(2) == 0
    return [
        unit(tables.REVOLUTION, "orator", 1, named=True, bodyguards=stream.below(2)),
        unit(tables.REVOLUTION, "conspirator", 1 + stream.below(2), stealth=2 + stream.below(3), hidden=True),
        unit(tables.REVOLUTION, "section", 2 + stream.below(2), nature="troop", bonus=Bonus(barricade=1)),
        unit(tables.REVOLUTION, "band", 1 + stream.below(3), nature="troop", hidden=hidden, bonus=Bonus(numbers=1)),
        unit(tables.REVOLUTION, "press", stream.below(2), nature="building", hidden=stream.below(3) == 0),
        unit(tables.LAW, "prefect", 1, named=True, bodyguards=stream.below(3), never_rallies=stream.below(5) == 0),
        unit(
            tables.LAW, "informer", 0, informer=True, hidden=stream.below(2) == 0, search_chance=30 + stream.below(30)
        ),
        unit(tables.LAW, "company", 3 + stream.below(2), nature="troop", refuses=stream.below(8) == 0),
        unit(tables.LAW, "patrol", 2, nature="troop", bonus=Bonus(defence=1)),
        unit(tables.LAW, "station", 1 + stream.below(2), nature="building", bonus=Bonus(defence=1)),
    ]
