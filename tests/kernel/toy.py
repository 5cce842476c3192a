"""A toy game for the kernel's own tests: purses that gain, give and sometimes vanish."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import msgspec

from workers.kernel.digest import canonical
from workers.kernel.engine import Engine, Evolve, Tally
from workers.kernel.entities import cut
from workers.kernel.events import OTHER, OWN, PUBLIC, PUBLIC_FACT, Event, Mail
from workers.kernel.ids import Ids
from workers.kernel.orders import Booked, Order
from workers.kernel.phases import Context, Homes, Phase, Shared, Sums
from workers.kernel.tick import TickInput

SEED = bytes(range(32))
KEY = b"k" * 32


class Earn(Order, frozen=True, tag="earn"):
    who: str
    stake: int = 1


class Give(Order, frozen=True, tag="give"):
    who: str
    to: str


class Close(Order, frozen=True, tag="close"):
    who: str


class Facts(msgspec.Struct, frozen=True, array_like=True):
    note: str
    tags: tuple[str, ...] = ()


class Earned(Event, frozen=True, tag="earned"):
    camp: Annotated[str, OWN]
    home: Annotated[str, OWN]
    dice: Annotated[tuple[int, ...], OWN]
    total: Annotated[int, OTHER]
    held: int

    def about(self, camp: str) -> tuple[str, ...] | None:
        return (self.home,) if camp == self.camp else ()


class Gift(Mail, frozen=True, tag="gift"):
    amount: int


class Got(Event, frozen=True, tag="got"):
    home: Annotated[str, PUBLIC]
    amount: Annotated[int, PUBLIC]

    def about(self, camp: str) -> tuple[str, ...] | None:
        return PUBLIC_FACT


class Opened(Event, frozen=True, tag="opened"):
    camp: Annotated[str, PUBLIC]
    home: Annotated[str, PUBLIC]
    amount: Annotated[int, PUBLIC]


class Closed(Event, frozen=True, tag="closed"):
    home: Annotated[str, PUBLIC]


class Missed(Event, frozen=True, tag="missed"):
    void: ClassVar[bool] = True
    camp: Annotated[str, OWN]
    order: Annotated[str, OWN]


class Counted(Event, frozen=True, tag="counted"):
    total: Annotated[int, PUBLIC]
    best: Annotated[int, PUBLIC]


class Taxed(Event, frozen=True, tag="taxed"):
    amount: Annotated[int, PUBLIC]


class Purse(msgspec.Struct, omit_defaults=True):
    id: str
    camp: str
    held: int = 0


class Bank(msgspec.Struct, omit_defaults=True):
    total: int = 0
    best: int = 0
    tax_every: int = 0


Night = Context[Bank, None]


def earn(
    purse: Purse | None, orders: Sequence[Booked[Any, Facts]], mail: Sequence[Any], context: Night
) -> Iterator[Event]:
    for booked in orders:
        order = booked.order
        if purse is None:
            yield Missed(booked.camp, booked.id)
        elif isinstance(order, Give):
            yield Gift(order.to, 1)
        elif isinstance(order, Close):
            yield Closed(purse.id)
        else:
            dice = context.dice.d6(f"earn/{booked.id}/roll", 2)
            yield Earned(purse.camp, purse.id, dice, sum(dice) * order.stake, purse.held)


def receive(purse: Purse | None, orders: Sequence[Any], mail: Sequence[Gift], context: Night) -> Iterator[Event]:
    for letter in mail:
        if purse is None:
            yield Opened("a", letter.to, letter.amount)
        else:
            yield Got(letter.to, letter.amount)


def tax(purse: Purse, orders: Sequence[Any], mail: Sequence[Any], context: Night) -> Iterator[Event]:
    if purse.held:
        yield Got(purse.id, -1)


def count(bank: Bank, sums: Sums, context: Night) -> Iterator[Event]:
    yield Counted(sums.added.get("earned", 0), sums.highest.get("best", 0))


def taxed(bank: Bank, sums: Sums, context: Night) -> Iterator[Event]:
    if sums.added:
        yield Taxed(sums.added["tax"])


def _earned(purse: Purse, event: Earned) -> Purse:
    purse.held += event.total
    return purse


def _got(purse: Purse, event: Got) -> Purse:
    purse.held += event.amount
    return purse


def _counted(bank: Bank, event: Counted) -> None:
    bank.total += event.total
    bank.best = max(bank.best, event.best)


def _taxed(bank: Bank, event: Taxed) -> None:
    bank.total -= event.amount


def _tally_earned(event: Earned, sums: Sums) -> None:
    sums.add("earned", event.total)
    sums.maximum("best", event.total)


def _tally_got(event: Got, sums: Sums) -> None:
    if event.amount < 0:
        sums.add("tax", -event.amount)


PHASES = (
    Phase("work", (Homes(earn, (Earn, Give, Close)), Shared(count), Homes(receive), Shared(lambda *given: ()))),
    Phase("tax", (Homes(tax, every=lambda context: context.shared.tax_every > 0), Shared(taxed))),
)


@dataclass(frozen=True)
class Toy:
    """The toy as what the interpreter needs of a rulebook."""

    phases: tuple[Phase, ...] = PHASES
    opening: tuple[Phase, ...] = (Phase("set-up", (Homes(tax, every=lambda context: True), Shared(taxed))),)
    name: str = "toy"
    camps: tuple[str, ...] = ("a", "b")
    orders: tuple[type[Order], ...] = (Earn, Give, Close)
    facts: type[msgspec.Struct] | None = Facts
    home: type[msgspec.Struct] = Purse
    shared: type[msgspec.Struct] = Bank
    events: tuple[type[Event], ...] = (Earned, Gift, Got, Opened, Closed, Missed, Counted, Taxed)

    @property
    def evolve(self) -> Mapping[type[Event], Evolve]:
        return {
            Earned: _earned,
            Got: _got,
            Opened: lambda purse, event: Purse(event.home, event.camp, event.amount),
            Closed: lambda purse, event: None,
        }

    @property
    def evolve_shared(self) -> Mapping[type[Event], Evolve]:
        return {Counted: _counted, Taxed: _taxed}

    @property
    def tally(self) -> Mapping[type[Event], Tally]:
        return {Earned: _tally_earned, Got: _tally_got}


def engine(**changes: Any) -> Engine:
    return Engine(Toy(**changes))


def purses(number: int) -> dict[str, Purse]:
    return {f"p{i}": Purse(f"p{i}", "ab"[i % 2], i % 5) for i in range(number)}


def book(number: int, kinds: Sequence[Order] = ()) -> list[Booked[Any, Any]]:
    """Three orders for each purse (of each ninth, one lies in a home that isn't there), or the orders given."""
    ids = Ids(KEY)
    found = []
    for i in range(number):
        who = f"p{i}"
        target = f"p{(i * 7) % number}" if i % 9 else f"nobody {i}"
        for index, order in enumerate(kinds or (Earn(who, i % 4), Give(who, target), Earn(who, 1))):
            home = who if kinds or index < 2 or i % 9 else target
            found.append(Booked(ids.order(1, who, "k", index), home, "ab"[i % 2], who, order, Facts(who, ("é",))))
    return found


def tick(
    homes: Mapping[str, Purse], orders: Sequence[Booked[Any, Any]] = (), slices: int = 1, **changes: Any
) -> TickInput:
    bank = changes.pop("bank", Bank(tax_every=1))
    number = changes.pop("tick", 1)
    cuts = [piece.to_bytes() for piece in cut(homes.items(), slices)]
    return TickInput(number, SEED, KEY, None, canonical(bank), cuts, orders, **changes)
