"""Events: what happened. The only way that state changes, and all that anybody reads.

An event is declared once. Each of its fields says who may read it, by a `Reader` in its annotation; a field without one
is the server's alone. What a camp reads of an event (`project`) follows from these declarations and from nothing else:

    class Healed(Event, frozen=True, tag="healed"):
        camp: Annotated[str, OWN]
        patient: Annotated[str, OWN]
        cause: str                       # nobody but the server

An event does one of three things: it changes its own home, it adds to named sums of shared entities, or (`Mail`) it
is carried to another home and read there in the next superstep.
"""

import typing
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import msgspec

from workers.kernel.errors import RulebookError

PUBLIC_FACT = None
"""What `about` says of a fact that every actor of every camp may read."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who may read a field: a name (for the documentation) and a rule `(event, camp) -> bool`."""

    name: str
    reads: Callable[[Any, str], bool]


def _is_own(event: Any, camp: str) -> bool:
    return bool(event.camp == camp)


def _is_other(event: Any, camp: str) -> bool:
    return bool(event.camp != camp)


PUBLIC = Reader("public", lambda event, camp: True)
"""Every camp."""
OWN = Reader("own", _is_own)
"""The camp named in the event's field `camp`."""
OTHER = Reader("other", _is_other)
"""Every camp but the one named in the event's field `camp`."""
NOBODY = Reader("nobody", lambda event, camp: False)
"""The server's record alone."""


class Event(msgspec.Struct, frozen=True, gc=False, tag_field="event"):
    """Base of a rulebook's events.

    `gc=False`, here and on the other records of which a tick makes one or more an order: what is frozen when it is made
    can't be part of a cycle, so the collector of cycles needn't know of it, and it is made and dropped sooner.
    """

    void: ClassVar[bool] = False
    """Whether the event says that an order was void (counted in a phase's progress)."""

    def about(self, camp: str) -> tuple[str, ...] | None:
        """The entities of `camp` that the fact concerns: an actor reads the facts on its own entities and the public
        ones (`PUBLIC_FACT`). The default, no entity, is for the camp as a whole.
        """
        return ()


class Mail(Event, frozen=True):
    """An event carried to another home: `to` is that home's key. Read in the next superstep, sorted by canonical
    bytes.
    """

    to: str


class OrderDropped(Event, frozen=True, tag="order_dropped"):
    """The operator resolved the tick again without an order (`tick retry --drop`): every camp reads that one was
    dropped, its own camp reads which.
    """

    void: ClassVar[bool] = True
    camp: Annotated[str, OWN]
    actor: Annotated[str, OWN]
    order: Annotated[str, OWN]
    dropped: Annotated[int, PUBLIC] = 1

    def about(self, camp: str) -> tuple[str, ...] | None:
        """Public: that an order was dropped."""
        return PUBLIC_FACT


KERNEL_EVENTS: tuple[type[Event], ...] = (OrderDropped,)


_STANDARD = (PUBLIC, OWN, OTHER, NOBODY)


class _Cut:
    """Some fields of an event of one type, and its tag, as a record in the order of their names."""

    __slots__ = ("_record", "_values")

    def __init__(self, tag: str, names: Iterable[str]) -> None:
        fields = sorted(["event", *names])
        self._record: Any = msgspec.defstruct(f"Part_{tag}", fields, frozen=True, gc=False, module=__name__)
        # The tag is read like a field, so that one call gives all values in their order.
        self._values = attrgetter(*("__struct_config__.tag" if name == "event" else name for name in fields))

    def __call__(self, event: Any) -> msgspec.Struct:
        record: msgspec.Struct = self._record(*self._values(event))
        return record


def _whole(event: Any) -> msgspec.Struct:
    whole: msgspec.Struct = event
    return whole


Show: TypeAlias = Callable[[Any], msgspec.Struct] | None
"""What is shown of an event: itself, a record of some of its fields, or (None) nothing."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a type of event is projected.

    `audience` tells the two simple cases from all others: `nobody` reads a field of it; `own`: the camp named in `camp`
    reads all of it, and every other camp nothing.

    Where it has the standard readers alone, `own` is what the camp named in `camp` is shown, and `other` what any
    other is, worked out once. Else `bits` has its readers but those two whose answer is always the same, each with a
    bit, and `shown` what a sum of bits is shown, worked out when it is first asked for.
    """

    fields: tuple[tuple[str, Reader], ...]
    tag: str
    audience: Literal["nobody", "own", "any"]
    standard: bool
    has_camp: bool
    own: Show
    other: Show
    bits: tuple[tuple[int, Reader], ...]
    shown: dict[int, Show]

    def project(self, event: Any, camp: str) -> msgspec.Struct | None:
        """What a camp reads of an event of this type: see `Projector`."""
        if self.standard:
            show = self.own if self.has_camp and event.camp == camp else self.other
        else:
            key = 0
            for bit, reader in self.bits:
                if reader.reads(event, camp):
                    key |= bit
            if key not in self.shown:
                readers = {PUBLIC, *(reader for bit, reader in self.bits if key & bit)}
                self.shown[key] = _shown(self.tag, self.fields, readers)
            show = self.shown[key]
        return show(event) if show is not None else None


def _shown(tag: str, fields: Collection[tuple[str, Reader]], readers: Collection[Reader]) -> Show:
    """What is shown to whom some readers admit."""
    names = [name for name, reader in fields if reader in readers]
    if not names:
        return None
    return _whole if len(names) == len(fields) else _Cut(tag, names)


def _plan_of(event_type: "type[Event]") -> Plan:
    tag = tag_of(event_type)
    fields = tuple(readers_of(event_type).items())
    readers = {reader.name: reader for _, reader in fields}.values()
    asked = [reader for reader in readers if reader not in (PUBLIC, NOBODY)]
    return Plan(
        fields=fields,
        tag=tag,
        audience=_audience_of(event_type, readers),
        standard=all(reader in _STANDARD for reader in readers),
        has_camp="camp" in event_type.__struct_fields__,
        own=_shown(tag, fields, (PUBLIC, OWN)),
        other=_shown(tag, fields, (PUBLIC, OTHER)),
        bits=tuple((1 << number, reader) for number, reader in enumerate(asked)),
        shown={},
    )


def _audience_of(event_type: "type[Event]", readers: Collection[Reader]) -> Literal["nobody", "own", "any"]:
    if all(reader == NOBODY for reader in readers):
        return "nobody"
    return "own" if all(reader == OWN for reader in readers) and "camp" in event_type.__struct_fields__ else "any"


def readers_of(event_type: type[Event]) -> dict[str, Reader]:
    """Who may read each field of an event type.

    Raises TypeError on a field annotated with two readers, and on two readers of one name: what a camp may read is told
    apart by the name.
    """
    found: dict[str, Reader] = {}
    hints = typing.get_type_hints(event_type, include_extras=True)
    for name in event_type.__struct_fields__:
        declared = [extra for extra in getattr(hints[name], "__metadata__", ()) if isinstance(extra, Reader)]
        if len(declared) > 1:
            raise TypeError(f"{event_type.__name__}.{name} declares {len(declared)} readers, one is accepted")
        found[name] = declared[0] if declared else NOBODY
    named: dict[str, Reader] = {}
    for reader in found.values():
        if named.setdefault(reader.name, reader) != reader:
            raise TypeError(f"{event_type.__name__} has two readers called {reader.name!r}, one is accepted")
    return found


def tag_of(event_type: type[msgspec.Struct]) -> str:
    """The tag by which a record's type is told apart in JSON."""
    return str(event_type.__struct_config__.tag)


class Projector:
    """Compiled projections of a rulebook's events: `project(event, camp)`.

    Returns the event itself when the camp reads all of it, a record of the fields that it reads and the event's tag, in
    the order of their names, when it reads some, None when it reads none.
    """

    __slots__ = ("_plans", "_rulebook")

    def __init__(self, event_types: tuple[type[Event], ...], rulebook: str = "?") -> None:
        self._rulebook = rulebook
        self._plans: dict[type, Plan] = {event_type: _plan_of(event_type) for event_type in event_types}

    def plan(self, event_type: type[Event]) -> Plan:
        """How events of a type are projected. Raises RulebookError for one that wasn't declared."""
        plan = self._plans.get(event_type)
        if plan is None:
            raise RulebookError(self._rulebook, f"{event_type.__name__} happened, which is not among its events")
        return plan

    def project(self, event: Event, camp: str) -> msgspec.Struct | None:
        """What a camp reads of an event. Raises RulebookError for an event of an undeclared type."""
        return self.plan(type(event)).project(event, camp)
