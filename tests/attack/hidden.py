"""Worlds that differ in nothing but what one camp can't know."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from tests.rules.anarchy.test_conformance import disturb as disturb_anarchy
from tests.rules.veil.test_conformance import disturb as disturb_veil
from workers.bootstrap import Services
from workers.kernel.dice import Dice, Stream
from workers.kernel.digest import canonical
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice, State, cut
from workers.kernel.orders import Booked, Booking
from workers.rules.contract import view_of
from workers.service.founding import CampaignPlan, new_campaign
from workers.service.records import Manifest, blob, encoded, manifest_of
from workers.store.records import NewCampaign, Policy


def disturb_uprising(
    state: State[Any], orders: Sequence[Booked[Any, Any]], camp: str, stream: Stream
) -> Iterable[State[Any]]:
    """The sheets of the enemy's hidden units, wherever they are: nobody knows them before something happens to them."""
    for home in state.homes.values():
        for unit in home.units.values():
            if unit.hidden and unit.active and unit.camp != camp:
                unit.force, unit.stealth, unit.bodyguards = stream.below(9), stream.below(9), stream.below(9)
    yield state


Disturb = Callable[[State[Any], Sequence[Booked[Any, Any]], str, Stream], Iterable[State[Any]]]

DISTURB: dict[str, Disturb] = {"anarchy": disturb_anarchy, "uprising": disturb_uprising, "veil": disturb_veil}
"""What each rulebook's conformance says is hidden from a camp, changed."""

CASES = (("anarchy", "players"), ("uprising", "law"), ("uprising", "revolution"), ("veil", "angel"), ("veil", "demon"))
"""The attackers: of each rulebook every camp from which something is hidden."""

UNTOUCHED = frozenset({"anarchy", "veil"})
"""The rulebooks of which what is changed takes part in nothing that the attacker is shown of the tick either."""


@dataclass(frozen=True)
class Seat:
    """An attacker's seat: the rulebook, its camp, and the orders that the camp may give on what it knows."""

    campaign: str
    rulebook: str
    camp: str
    orders: tuple[dict[str, Any], ...]
    entities: tuple[str, ...]
    names: tuple[str, ...]
    """Every home that there is: names that an attacker may guess."""


def start(services: Services, name: str, rulebook: str, seed: bytes) -> tuple[NewCampaign, State[Any], Engine]:
    """The first state of a campaign, before it is stored."""
    engine = Engine(services.registry.get(rulebook))
    plan = CampaignPlan(campaign=name, rulebook=rulebook, campaign_seed=seed.hex(), policy=Policy(reveal_after=1))
    new = new_campaign(engine, plan, seed, "made", "made")
    manifest = msgspec.json.decode(new.blobs[new.manifest], type=Manifest)
    homes: dict[str, Any] = {}
    for ref in manifest.slices:
        if ref.digest:
            homes |= {key: engine.read_home(line) for key, line in Slice.parse(new.blobs[ref.digest]).lines.items()}
    return new, State(engine.read_shared(new.blobs[manifest.shared]), homes), engine


def sampled(state: State[Any], engine: Engine, settings: Any, camp: str) -> list[Booked[Any, Any]]:
    """The rulebook's sample orders of a camp that are legal one by one at the start."""
    rulebook: Any = engine.rules
    found = []
    sample = rulebook.sample(state.homes.values(), state.shared, settings, 1, Dice(bytes(32)))
    for number, (owner, actor, order) in enumerate(sample):
        homes = {key: state.homes.get(key) for key in rulebook.reads(order).homes}
        answer = rulebook.check(order, view_of(rulebook, owner, 1, settings, state.shared, homes, {}))
        if owner == camp and isinstance(answer, Booking):
            found.append(Booked(str(number), answer.home, owner, actor, order, answer.facts))
    return found


def enemy_orders(services: Services, seat: Seat, camp: str, seed: bytes) -> list[dict[str, Any]]:
    """Orders of another camp that are legal in the world that isn't changed."""
    new, state, engine = start(services, seat.campaign, seat.rulebook, seed)
    settings = msgspec.json.decode(new.settings, type=engine.rules.settings)  # type: ignore[attr-defined]  # a rulebook has settings; the interpreter need not know
    return [msgspec.to_builtins(booked.order) for booked in sampled(state, engine, settings, camp)[:10]]


def found(
    services: Services, rulebook: str, camp: str, seed: bytes, hidden: Stream | None = None, name: str = ""
) -> Seat:
    """Found and open a campaign; with `hidden`, what the camp can't know of its first state is drawn from it."""
    name = name or f"{rulebook}-{camp}"
    new, state, engine = start(services, name, rulebook, seed)
    settings = msgspec.json.decode(new.settings, type=engine.rules.settings)  # type: ignore[attr-defined]  # a rulebook has settings; the interpreter needn't know
    mine = sampled(state, engine, settings, camp)
    seat = Seat(
        name,
        rulebook,
        camp,
        tuple(msgspec.to_builtins(booked.order) for booked in mine),
        tuple(sorted({booked.home for booked in mine})),
        tuple(sorted(state.homes)),
    )
    if hidden is not None:
        before = _plain(state)
        changed = list(DISTURB[rulebook](state, mine, camp, hidden))
        assert changed, f"nothing is hidden from {camp}"
        assert _plain(changed[-1]) != before
        new = _with_state(new, changed[-1])
    services.store.heads.create(new, seed=seed)
    services.store.heads.lifecycle(name, "open")
    return seat


def _plain(state: State[Any]) -> bytes:
    return canonical([state.shared, sorted(state.homes.items())])


def _with_state(new: NewCampaign, state: State[Any]) -> NewCampaign:
    blobs: dict[str, bytes] = {}
    slices = [piece.to_bytes() for piece in cut(state.homes.items(), new.slices)]
    manifest = manifest_of(canonical(state.shared), slices, blobs)
    return msgspec.structs.replace(new, manifest=blob(encoded(manifest), blobs), blobs=blobs)
