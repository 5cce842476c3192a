"""A night, phase by phase."""

from collections.abc import Iterator, Sequence

from workers.kernel.events import Event
from workers.kernel.odds import Term
from workers.kernel.orders import Booked
from workers.kernel.phases import Context, Homes, Phase, Shared, Sums, everybody

from .entities import SMUGGLERS, Coast, Crew, Settings
from .events import (
    Adrift,
    Dawn,
    Given,
    Handed,
    Heard,
    Landing,
    Light,
    Lights,
    OrderVoid,
    Roll,
    Rowed,
    Safe,
    Seized,
    Stowed,
    Surf,
    Taken,
    Watching,
)
from .orders import Facts, Hand, Land, Row, Watch

Night = Context[Coast, Settings]


def stow(crew: Crew, orders: Sequence[object], mail: Sequence[object], night: Night) -> Iterator[Event]:
    """Before the first night, each boat takes 1d6 + 2 crates aboard."""
    if crew.camp == SMUGGLERS:
        path = f"dusk/{night.ids.handle(crew.id)}/crates"
        yield Stowed(crew.camp, crew.id, path, night.dice.d6(path, 1)[0] + 2)


def row(
    crew: Crew | None, orders: Sequence[Booked[Row | Hand, Facts]], mail: Sequence[object], night: Night
) -> Iterator[Event]:
    """Crates go from boat to boat, by initiative; then the crews row."""
    for booked in sorted(orders, key=lambda booked: night.dice.initiative(booked.id)):
        order = booked.order
        if crew is None:
            yield OrderVoid(booked.camp, order.crew, booked.id, "gone")
        elif isinstance(order, Hand):
            if crew.cove != booked.facts.cove:
                yield OrderVoid(booked.camp, order.crew, booked.id, "apart")
            elif crew.crates < order.crates:
                yield OrderVoid(booked.camp, order.crew, booked.id, "short")
            else:
                yield Given(crew.camp, crew.id, order.to, order.crates)
                yield Handed(order.to, crew.camp, order.crates)
    for booked in orders:
        if crew is not None and isinstance(booked.order, Row):
            yield Rowed(crew.camp, crew.id, booked.order.to)


def land(
    crew: Crew | None, orders: Sequence[Booked[Land, None]], mail: Sequence[Handed], night: Night
) -> Iterator[Event]:
    """What was handed over comes aboard; then crates go ashore: 2d6 + skill against the sea and their number."""
    for letter in mail:
        yield (Adrift if crew is None else Taken)(letter.camp, letter.to, letter.crates)
    for booked in orders:
        crates = booked.order.crates
        if crew is None:
            yield OrderVoid(booked.camp, booked.order.crew, booked.id, "gone")
        elif crew.crates < crates:
            yield OrderVoid(booked.camp, crew.id, booked.id, "short")
        else:
            path = f"landing/{booked.id}/roll"
            dice = night.dice.d6(path, 2)
            total = sum(dice) + crew.skill
            threshold = night.settings.sea + crates
            outcome: Surf = "ashore" if total >= threshold else "swamped"
            roll = Roll(path, dice, (Term("skill", crew.skill),), total, threshold, outcome)
            yield Landing(crew.camp, crew.id, crew.cove, crates, outcome, roll)


def hear(coast: Coast, sums: Sums, night: Night) -> Iterator[Event]:
    """Each crate that was moved on a beach can be heard."""
    for cove, noise in sums.of("noise/"):
        yield Heard(cove, noise)


def watch(
    crew: Crew | None, orders: Sequence[Booked[Watch, None]], mail: Sequence[object], night: Night
) -> Iterator[Event]:
    """1d6 + skill + the noise in the cove, against the hour."""
    for booked in orders:
        if crew is None:
            yield OrderVoid(booked.camp, booked.order.crew, booked.id, "gone")
            continue
        path = f"lanterns/{booked.id}/roll"
        dice = night.dice.d6(path, 1)
        terms = (Term("skill", crew.skill), Term("noise", night.shared.noise.get(crew.cove, 0)))
        total = sum(dice) + sum(term.value for term in terms)
        outcome: Light = "lit" if total >= night.settings.watch else "dark"
        roll = Roll(path, dice, terms, total, night.settings.watch, outcome)
        yield Watching(crew.camp, crew.id, crew.cove, outcome, roll)


def shine(coast: Coast, sums: Sums, night: Night) -> Iterator[Event]:
    """Everybody sees where a lantern burns."""
    for name in sorted(sums.highest):
        yield Lights(name.removeprefix("lit/"))


def dawn(crew: Crew, orders: Sequence[object], mail: Sequence[object], night: Night) -> Iterator[Event]:
    """What lies on a lit beach is seized, the rest is carried away."""
    if crew.ashore and crew.cove in night.shared.lit:
        yield Seized(crew.camp, crew.id, crew.cove, crew.ashore)
    elif crew.ashore:
        yield Safe(crew.camp, crew.id, crew.ashore)


def count(coast: Coast, sums: Sums, night: Night) -> Iterator[Event]:
    """The score, and a quiet coast again."""
    yield Dawn(sums.added.get("landed", 0), sums.added.get("seized", 0))


PHASES = (
    Phase("tide", (Homes(row, (Row, Hand)),)),
    Phase("landing", (Homes(land, (Land,)), Shared(hear))),
    Phase("lanterns", (Homes(watch, (Watch,)), Shared(shine))),
    Phase("dawn", (Homes(dawn, every=everybody), Shared(count))),
)
OPENING = (Phase("dusk", (Homes(stow, every=everybody),)),)
