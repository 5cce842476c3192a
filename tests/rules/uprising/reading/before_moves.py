"""The phases before the moves: assassination (U14), search (U19), rally (U17), arrest (U12), raid (U13)."""

from collections.abc import Iterator
from typing import Any

from tests.rules.uprising.reading.table import Stands, Table, other, within
from workers.rules.uprising.cards import Card
from workers.rules.uprising.entities import Unit


def assassinations(table: Table) -> None:
    for key, place, orders in table.groups("assassination"):
        target = table.target(place, orders[0])
        if target is None or target.nature != "person":
            table.all_void(orders)
            continue
        kept = table.standing(place, orders, kill=True)
        if kept:
            _assassination(table, key, place, kept, target)
    table.end_of_phase()


def _assassination(table: Table, key: str, place: str, kept: list[Stands], target: Unit) -> None:
    def chance(card: Card) -> int:
        return within((55 if card.chance is None else card.chance) - 10 * target.bodyguards, 5, 95)

    card, points = table.best(kept, chance)
    path = f"assassination/{key}/roll"
    success = table.percent(path, points)
    if success:
        target.status = "fallen"
        table.gain(kept[0][0].camp, place, card)
    else:
        table.heat += 5
        for killer in table.units(place, kept):
            table.reveal(killer, place)
    table.carried_out("assassination", place, kept, card, path=path, points=points, success=success)


def searches(table: Table) -> None:
    asked = [search for group in table.groups("search") if (search := _asked(table, *group)) is not None]
    found: dict[str, str] = {}
    rewards = []
    for side, place, subject, points, reach, card in [*_unasked(table), *asked]:
        alarm = 15 if side == "law" and table.city.heat >= 50 else 0
        successes = 0
        for where in reach:
            for unit in filter(lambda unit: unit.hidden, table.active(where, other(side))):
                chance = within(points + alarm + 8 * (2 - unit.stealth), 0, 95)
                success = table.percent(f"search/{subject}/{table.ids.handle(unit.id)}", chance)
                table.told.append(("search_roll", subject, unit.id, chance, success))
                successes += success
                if success:
                    found[unit.id] = where
        if successes and card is not None:
            rewards.append((side, place, card))
    for name, where in found.items():
        table.reveal(table.homes[where].units[name], where)
    for side, place, card in rewards:
        table.gain(side, place, card)
    table.end_of_phase()


Search = tuple[str, str, str, int, list[str], Card | None]
"""Side, district, who searches as paths name it, points, the districts in reach, the card."""


def _asked(table: Table, key: str, place: str, orders: list[Any]) -> Search | None:
    kept = table.standing(place, orders)
    if not kept:
        return None
    own = max(50 if unit.search_chance is None else unit.search_chance for unit in table.units(place, kept))
    card, points = table.best(kept, lambda card: own if card.chance is None else card.chance)
    table.carried_out("search", place, kept, card)
    reach = [place, *(table.city.ground[place].neighbours if card.neighbours else ())]
    return orders[0].camp, place, key, points, reach, card


def _unasked(table: Table) -> Iterator[Search]:
    for place in table.homes:
        for unit in table.active(place):
            if unit.spy or unit.informer:
                points = 50 if unit.search_chance is None else unit.search_chance
                reach = [place, *(table.city.ground[place].neighbours if unit.search_neighbours else ())]
                yield unit.camp, place, table.ids.handle(unit.id), points, reach, None


def rallies(table: Table) -> None:
    groups = table.groups("rally")
    overdrawn = _overdrawn(table, groups)
    for key, place, orders in groups:
        target = _waverer(table, place, orders[0])
        if target is None:
            table.all_void(orders)
        else:
            _rally(table, key, place, orders, target, key in overdrawn)
    table.end_of_phase()


def _rally(table: Table, key: str, place: str, orders: list[Any], target: Unit, overdrawn: bool) -> None:
    kept = table.standing(place, orders, lambda card: not (card.by_authority and overdrawn))
    if not kept:
        return
    side = orders[0].camp
    enough = table.city.gauges[side].authority >= 10 * target.force
    friends = len(table.units(place, kept))

    def chance(card: Card) -> int:
        if card.by_authority:
            return 100 if enough else 0
        return within((40 if card.chance is None else card.chance) + 5 * friends, 0, 95)

    card, points = table.best(kept, chance)
    path = "" if card.by_authority else f"rally/{key}/roll"
    success = enough if card.by_authority else table.percent(path, points)
    if success:
        target.camp, target.rallied = side, table.tick
        table.authority[side] -= 10 if card.by_authority else 0
        table.gain(side, place, card)
    table.carried_out("rally", place, kept, card, path=path, points=points, success=success)


def _waverer(table: Table, place: str, booked: Any) -> Unit | None:
    target = table.target(place, booked)
    if target is None or target.nature == "building" or not target.named or target.never_rallies:
        return None
    return None if target.rallied and table.tick - target.rallied <= 5 else target


def _overdrawn(table: Table, groups: list[tuple[str, str, list[Any]]]) -> set[str]:
    """The keys of rallies by authority that don't fit beside those kept, in ascending initiative (K6)."""
    left: dict[Any, int] = {side: gauges.authority for side, gauges in table.city.gauges.items()}
    over: set[str] = set()
    for key, place, orders in sorted(groups, key=lambda group: table.dice.initiative(group[0])):
        side = orders[0].camp
        claims = False
        for booked in orders:
            card = table.city.cards.get(booked.order.card)
            mine = card is not None and card.kind == "rally" and side in card.sides and card.by_authority
            able = any(table._able(place, name, side, kill=False) for name in booked.order.units)
            claims = claims or (mine and able)
        if not claims or _waverer(table, place, orders[0]) is None:
            continue
        if left[side] < 10:
            over.add(key)
        else:
            left[side] -= 10
    return over


def arrests(table: Table) -> None:
    for key, place, orders in table.groups("arrest"):
        target = table.target(place, orders[0])
        if target is None or target.nature == "building":
            table.all_void(orders)
            continue
        kept = table.standing(place, orders)
        if kept:
            _arrest(table, key, place, kept, target)
    table.end_of_phase()


def _arrest(table: Table, key: str, place: str, kept: list[Stands], target: Unit) -> None:
    side = kept[0][0].camp
    units = table.units(place, kept)
    attack = table.attack(units, place, "arrest")
    defence = table.defence([target], place, "arrest") + 1
    card, chance = table.best(kept, lambda card: table.chance(attack, defence, card, side, "arrest"))
    path = f"arrest/{key}/contest"
    table.count(unit for unit in units if not unit.refuses)
    outcome, prison = "failed", None
    if table.contest(path, chance):
        for name in [faction.id for faction in table.city.gauges[side].factions if faction.order]:
            table.loyalty[side, name] = table.loyalty.get((side, name), 0) + 2
        table.gain(side, place, card)
        escape = max((boon.escape_chance for boon in table.city.boons[target.camp]), default=0)
        if escape and table.percent(f"arrest/{key}/escape", escape):
            outcome, target.hidden = "escaped", True
        else:
            outcome, prison = "arrested", _prison(table, place, target.camp)
            target.status = "out" if prison is None else "imprisoned"
            if prison is not None:
                table.jailed.append((table.homes[place].units.pop(target.id), prison))
    table.carried_out("arrest", place, kept, card, path=path, chance=str(chance), outcome=outcome, prison=prison)


def _prison(table: Table, place: str, side: str) -> str | None:
    """The nearest prison that a side doesn't hold, unreachable ones last, then the lowest id."""
    far = {place: 0}
    queue = [place]
    for name in queue:
        for neighbour in table.city.ground[name].neighbours:
            if neighbour not in far:
                far[neighbour] = far[name] + 1
                queue.append(neighbour)
    free = [name for name, prison in table.city.prisons.items() if prison.holder != side]
    return min(free, key=lambda name: (far.get(name, len(table.homes)), name.encode()), default=None)


def raids(table: Table) -> None:
    raided: set[tuple[str, str]] = set()
    for key, place, orders in table.groups("raid"):
        side, target = orders[0].camp, table.target(place, orders[0])
        if target is None or (side, place) in raided:
            table.all_void(orders)
        elif _raid(table, key, place, orders, target):
            raided.add((side, place))
    table.end_of_phase()


def _raid(table: Table, key: str, place: str, orders: list[Any], target: Unit) -> bool:
    """Whether it was carried out."""
    kept = table.standing(place, orders, lambda card: target.nature == "building" or not card.buildings_only)
    if not kept:
        return False
    side = orders[0].camp
    attackers, defenders = table.attackers(place, side), table.defenders(place, target.camp)
    attack, defence = table.attack(attackers, place, "raid"), table.defence(defenders, place, "raid") + 1
    card, chance = table.best(kept, lambda card: table.chance(attack + card.bonus, defence, card, side, "raid"))
    path = f"raid/{key}/contest"
    success = table.contest(path, chance)
    table.count([*attackers, *defenders])
    if success:
        target.status = "destroyed"
        table.gain(side, place, card)
    table.carried_out("raid", place, kept, card, path=path, chance=str(chance), success=success)
    return True
