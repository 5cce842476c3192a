"""A bundle: one tick as one JSON document, with all that it depends on. The format of golden games and of quarantine.

    {"rulebook": "veil", "rulebook_version": "1", "settings": {…}, "tick": 3,
     "tick_seed": "64 hex digits", "id_key": "64 hex digits",
     "state": {"shared": {…}, "homes": {"a1": {…}}},
     "orders": [{"id": "01", "camp": "angel", "actor": "a1", "order": {"kind": "influence", …}}],
     "amendments": [{"home": "a1", "event": {"event": "…", …}}], "dropped": ["01"]}

`campaign_seed` may stand instead of `tick_seed` and `id_key` in made-up games. An order's `home` and `facts` may be
left out: they are then what the rulebook's `check` says at the tick's start, and an order that it refuses is an
error.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from workers.kernel.dice import check_path
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice, State, View, cut
from workers.kernel.errors import InvalidInput, invalid_from
from workers.kernel.events import Event
from workers.kernel.ids import id_key, tick_seed
from workers.kernel.orders import Booked, Order, Packing, union_of
from workers.kernel.tick import Amendment, TickInput, TickResult
from workers.rules.contract import Rulebook, Sight

_SEED_DIGITS = 64


class BundleOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One order of a bundle: live, unless its id is among the dropped."""

    id: str
    camp: str
    actor: str
    order: msgspec.Raw
    home: str = ""
    facts: msgspec.Raw = msgspec.Raw(b"null")


class BundleAmendment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An amendment of a bundle: the home that it changes (empty: the shared record) and the event."""

    event: msgspec.Raw
    home: str = ""


class BundleState(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state at the tick's start."""

    shared: msgspec.Raw
    homes: dict[str, msgspec.Raw]


class Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The document, its rulebook's parts still unread."""

    rulebook: str
    rulebook_version: str
    tick: int
    state: BundleState
    settings: msgspec.Raw = msgspec.Raw(b"{}")
    tick_seed: str = ""
    id_key: str = ""
    campaign_seed: str = ""
    orders: tuple[BundleOrder, ...] = ()
    amendments: tuple[BundleAmendment, ...] = ()
    dropped: tuple[str, ...] = ()


class Loaded(msgspec.Struct, frozen=True):
    """A bundle read with its rulebook: ready to resolve."""

    rulebook: Rulebook
    engine: Engine
    given: TickInput
    state: State[Any]


def load_bundle(text: bytes, find: Callable[[str], Rulebook], slices: int = 1) -> Loaded:
    """Read a bundle. `find` gives the rulebook of a name (and raises InvalidInput for a name that it doesn't know).

    Raises InvalidInput naming the field, what was wrong and what would be accepted.
    """
    try:
        bundle = msgspec.json.decode(text, type=Bundle)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _invalid(error, "") from error
    rulebook = find(bundle.rulebook)
    if bundle.rulebook_version != rulebook.version:
        problem = f"recorded with version {bundle.rulebook_version!r} of {rulebook.name}"
        raise InvalidInput("rulebook_version", problem, repr(rulebook.version))
    if not 0 <= bundle.tick < 1 << 53:
        raise InvalidInput("tick", f"{bundle.tick} is not a tick", "0..2**53-1")
    return _load(bundle, rulebook, slices)


def _load(bundle: Bundle, rulebook: Rulebook, slices: int) -> Loaded:
    engine = Engine(rulebook)
    dice_seed, ids = _seeds(bundle)
    settings = read_part(bytes(bundle.settings), rulebook.settings, "settings")
    shared = read_part(bytes(bundle.state.shared), rulebook.shared, "state.shared")
    homes = {}
    for key, raw in bundle.state.homes.items():
        homes[key] = read_part(bytes(raw), rulebook.home, f"state.homes.{key}")
        if homes[key].id != key:
            raise InvalidInput(f"state.homes.{key}.id", f"the home says {homes[key].id!r}", repr(key))
    state = State(shared, homes)
    orders = _orders(bundle, rulebook, settings, state)
    amendments = tuple(_amendment(i, item, rulebook) for i, item in enumerate(bundle.amendments))
    unknown = sorted(set(bundle.dropped) - {booked.id for booked in orders})
    if unknown:
        raise InvalidInput("dropped", f"no order has the id {unknown[0]!r}", "ids of the bundle's orders")
    lines = [piece.to_bytes() for piece in cut(homes.items(), slices)]
    given = TickInput(
        tick=bundle.tick,
        tick_seed=dice_seed,
        id_key=ids,
        settings=settings,
        shared=msgspec.json.encode(shared, order="deterministic"),
        slices=lines,
        orders=orders,
        dropped=frozenset(bundle.dropped),
        amendments=amendments,
    )
    return Loaded(rulebook, engine, given, state)


def read_part(data: bytes, kind: Any, field: str) -> Any:
    """One value of a type from its JSON. Raises InvalidInput with the path of the field."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _invalid(error, field) from error


def _invalid(error: Exception, field: str) -> InvalidInput:
    if isinstance(error, msgspec.ValidationError | msgspec.DecodeError):
        return invalid_from(error, field)
    problem = "nested too deep" if isinstance(error, RecursionError) else "not UTF-8"
    return InvalidInput(field, problem, "JSON in UTF-8")


def _seeds(bundle: Bundle) -> tuple[bytes, bytes]:
    if bundle.campaign_seed:
        if bundle.tick_seed or bundle.id_key:
            raise InvalidInput("campaign_seed", "given beside tick_seed or id_key", "either it, or both of them")
        seed = _hex(bundle.campaign_seed, "campaign_seed")
        return tick_seed(seed, bundle.tick), id_key(seed)
    return _hex(bundle.tick_seed, "tick_seed"), _hex(bundle.id_key, "id_key")


def _hex(text: str, field: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(text) != _SEED_DIGITS or len(seed) != _SEED_DIGITS // 2:
        raise InvalidInput(field, f"{len(text)} characters that are not a seed", "64 hexadecimal digits")
    return seed


def _orders(bundle: Bundle, rulebook: Rulebook, settings: Any, state: State[Any]) -> list[Booked[Any, Any]]:
    kinds: Any = union_of(rulebook.orders)
    found: list[Booked[Any, Any]] = []
    sight = Sight(rulebook, bundle.tick, settings, state.shared)
    booked: dict[tuple[str, str], list[Booked[Any, Any]]] = {}
    known: set[str] = set()
    for i, item in enumerate(bundle.orders):
        where = f"orders[{i}]"
        if not item.id or item.id in known:
            raise InvalidInput(f"{where}.id", f"{item.id!r} is empty or taken", "ids that differ")
        try:
            check_path(f"order/{item.id}/roll")
        except ValueError as error:
            problem = f"{item.id!r} can't stand in a path of dice"
            raise InvalidInput(f"{where}.id", problem, "NFC text without '/', '#' and control characters") from error
        known.add(item.id)
        if item.camp not in rulebook.camps:
            raise InvalidInput(f"{where}.camp", f"unknown camp {item.camp!r}", " or ".join(rulebook.camps))
        order = read_part(bytes(item.order), kinds, f"{where}.order")
        if item.home:
            facts = read_part(bytes(item.facts), rulebook.facts | None if rulebook.facts else None, f"{where}.facts")
            entry = Booked(item.id, item.home, item.camp, item.actor, order, facts)
        else:
            reads = rulebook.reads(order)
            homes = {key: state.homes.get(key) for key in reads.homes}
            mine = {key: tuple(booked[item.camp, key]) for key in reads.booked if (item.camp, key) in booked}
            entry = _checked(where, item, order, rulebook, sight.view(item.camp, homes, mine))
        booked.setdefault((item.camp, entry.home), []).append(entry)
        found.append(entry)
    return found


def _checked(
    where: str, item: BundleOrder, order: Order, rulebook: Rulebook, view: View[Any, Any, Any]
) -> Booked[Any, Any]:
    answer = rulebook.check(order, view)
    if isinstance(answer, tuple):
        refusal = answer[0]
        place = f"{where}.order.{refusal.field}" if refusal.field else f"{where}.order"
        raise InvalidInput(place, f"refused: {refusal.code} {dict(refusal.values)}", refusal.accepted)
    return Booked(item.id, answer.home, item.camp, item.actor, order, answer.facts, answer.costs)


def _amendment(i: int, item: BundleAmendment, rulebook: Rulebook) -> Amendment:
    kinds = tuple(rulebook.amendments)
    if not kinds:
        raise InvalidInput(f"amendments[{i}]", f"{rulebook.name} has no amendments", "none")
    event: Event = read_part(bytes(item.event), union_of(kinds), f"amendments[{i}].event")
    expected = rulebook.amendments[type(event)](event)
    if item.home != expected:
        raise InvalidInput(f"amendments[{i}].home", f"{item.home!r} is not where this event acts", repr(expected))
    return Amendment(item.home, event)


def bundle_of(rulebook: Rulebook, given: TickInput) -> bytes:
    """The bundle of a tick: the document that `load_bundle` reads back to the same input."""
    homes: dict[str, msgspec.Raw] = {}
    for data in given.slices:
        homes.update({key: msgspec.Raw(line) for key, line in Slice.parse(data).lines.items()})
    packing = Packing(rulebook.orders, rulebook.facts, rulebook.camps)
    orders = [
        {
            "id": booked.id,
            "camp": booked.camp,
            "actor": booked.actor,
            "home": booked.home,
            "order": packing.plain(booked.order),
            **({"facts": booked.facts} if booked.facts is not None else {}),
        }
        for booked in sorted(given.orders, key=lambda booked: booked.id)
    ]
    document = {
        "rulebook": rulebook.name,
        "rulebook_version": rulebook.version,
        "settings": given.settings,
        "tick": given.tick,
        "tick_seed": given.tick_seed.hex(),
        "id_key": given.id_key.hex(),
        "state": {"shared": msgspec.Raw(given.shared), "homes": homes},
        "orders": orders,
        "amendments": [{"home": item.home, "event": item.event} for item in given.amendments],
        "dropped": sorted(given.dropped),
    }
    return msgspec.json.encode(document, order="deterministic")


def result_document(result: TickResult) -> dict[str, Any]:
    """What `tocsin resolve` prints: every event by phase, the state, each camp's report, the digests."""
    homes: dict[str, msgspec.Raw] = {}
    for data in result.slices:
        homes.update({key: msgspec.Raw(line) for key, line in Slice.parse(data).lines.items()})
    return {
        "tick": result.tick,
        "events": [msgspec.Raw(line) for step in result.steps for line in step.events],
        "state": {"shared": msgspec.Raw(result.shared), "homes": homes},
        "reports": {camp: [msgspec.Raw(page) for page in pages] for camp, pages in result.pages.items()},
        "digest": result.digest,
    }
