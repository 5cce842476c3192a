"""The phases from the moves on: moves (U20), contests and gambles (U18), assaults (U15, U16), the aftermath (U24)."""

from typing import Any

from tests.rules.uprising.reading.table import SIDES, Stands, Table, other, within
from workers.rules.uprising.entities import Unit


def moves(table: Table) -> None:
    watched = {(place, unit.camp) for place in table.homes for unit in table.active(place) if not unit.hidden}
    gone: set[str] = set()
    arrivals = []
    for _, place, orders in table.groups("move"):
        for booked in orders:
            order, card = booked.order, table.city.cards.get(booked.order.card)
            usable = card is not None and card.kind == "move" and booked.camp in card.sides
            if card is None or not usable or order.target not in table.city.ground[place].neighbours:
                table.void.add(booked.id)
                continue
            able = [name for name in dict.fromkeys(order.units) if _may_go(table, place, name, booked.camp)]
            able = [name for name in able if name not in gone and not (card.covered and name in table.served)]
            if not able:
                table.void.add(booked.id)
                continue
            if set(order.units) - set(able):
                table.dropped[booked.id] = set(order.units) - set(able)
            gone.update(able)
            table.served.update(able if card.covered else ())
            arrivals += [(name, place, order.target, card.covered) for name in able]
            table.told += [("move", booked.id, name, order.target) for name in able]
    for name, place, target, covered in arrivals:
        unit = table.homes[target].units[name] = table.homes[place].units.pop(name)
        if not covered:
            table.shaken.add(name)
        elif (target, other(unit.camp)) not in watched:
            unit.hidden = True


def _may_go(table: Table, place: str, name: str, side: str) -> bool:
    unit = table.homes[place].units.get(name)
    return unit is not None and unit.status == "active" and unit.camp == side and unit.nature != "building"


def contests(table: Table) -> None:
    for key, place, orders in table.groups("contest", "gamble", by_card=True):
        kept = table.standing(place, orders)
        if not kept:
            continue
        booked, card, _ = kept[0]
        side = booked.camp
        what: dict[str, Any]
        if card.kind == "gamble":
            points = 50 if card.chance is None else card.chance
            what = {"path": f"contest/{key}/roll", "points": points}
            success = table.percent(what["path"], points)
        else:
            attack = table.attack(table.units(place, kept), place, "contest")
            enemies = table.defence(table.active(place, other(side)), place, "contest") + 1
            defence = enemies if card.defence is None else card.defence
            chance = table.chance(attack, defence, card, side, "contest")
            what = {"path": f"contest/{key}/contest", "chance": str(chance)}
            success = table.contest(what["path"], chance)
        if success:
            table.gain(side, place, card)
        table.carried_out(card.kind, place, kept, card, **what, success=success)
    table.end_of_phase()


def assaults(table: Table) -> None:
    for key, place, orders in table.groups("assault"):
        side = orders[0].camp
        attackers = [unit for unit in table.attackers(place, side) if table.attack([unit], place, "assault")]
        if not attackers or not _something_to_overcome(table, place, side):
            table.all_void(orders)
            continue
        kept = table.standing(place, orders)
        if kept:
            _assault(table, key, place, kept, attackers)
    table.end_of_phase()


def _something_to_overcome(table: Table, place: str, side: str) -> bool:
    home, prison = table.homes[place], table.city.prisons.get(place)
    return (
        any(not unit.hidden for unit in table.defenders(place, other(side)))
        or (home.garrison is not None and home.garrison.force > 0 and side in home.garrison.hostile)
        or (home.landmark is not None and home.landmark.holder != side)
        or (prison is not None and prison.holder != side)
        or (side == "law" and home.barricades > 0)
    )


def _assault(table: Table, key: str, place: str, kept: list[Stands], attackers: list[Unit]) -> None:
    home, side = table.homes[place], kept[0][0].camp
    defenders = table.defenders(place, other(side))
    defence = table.defence(defenders, place, "assault") + (home.barricades if side == "law" else 0)
    if home.garrison is not None and side in home.garrison.hostile:
        defence += home.garrison.force
    if home.landmark is not None and home.landmark.holder != side:
        defence += home.landmark.defence
    attack = table.attack(attackers, place, "assault")
    card, chance = table.best(kept, lambda card: table.chance(attack, defence, card, side, "assault"))
    path = f"assault/{key}/contest"
    won = table.contest(path, chance)
    table.count([*attackers, *defenders])
    table.assaulted.add(place)
    home.fire += 1
    table.carried_out("assault", place, kept, card, path=path, chance=str(chance), success=won)
    if won:
        for unit in defenders:
            if unit.nature != "building":
                _strike(table, key, place, unit)
        if home.landmark is not None:
            home.landmark.holder = side
        if place in table.city.prisons:
            table.seized[place] = side
        table.gain(side, place, card, 25, -30)
    else:
        drawn = table.dice.stream(f"assault/{key}/casualty").below(len(attackers))
        _strike(table, key, place, attackers[drawn])


def _strike(table: Table, key: str, place: str, unit: Unit) -> None:
    falls = table.percent(f"assault/{key}/{table.ids.handle(unit.id)}", 50)
    unit.wounds += 0 if falls else 1
    if falls or unit.wounds >= 3:
        unit.status = "fallen"
    table.told.append(("struck", place, unit.id, unit.status == "fallen", unit.wounds))


def aftermath(table: Table) -> None:
    for place in table.homes:
        for unit in table.active(place):
            if unit.id in table.counted and unit.hidden:
                points = within(50 + 8 * (2 - unit.stealth), 0, 95)
                success = table.percent(f"aftermath/{table.ids.handle(unit.id)}/reveal", points)
                table.told.append(("hiding", place, unit.id, points, success))
                if success:
                    table.reveal(unit, place)
    for place, prison in table.city.prisons.items():
        for unit in table.homes[place].units.values():
            if prison.holder != table.held[place] and unit.status == "imprisoned" and unit.camp == prison.holder:
                unit.status, unit.hidden = "active", False
    for place in table.homes:
        _rest(table, place)
    crowd = sum(len(table.active(place, "revolution")) for place in table.homes)
    table.heat -= -(-crowd // 4)
    table.end_of_phase()


def _rest(table: Table, place: str) -> None:
    home = table.homes[place]
    home.gas = False
    if place not in table.assaulted:
        home.fire = max(0, home.fire - 1)
        for unit in table.active(place):
            unit.wounds -= 1 if unit.wounds and unit.id not in table.served else 0
    for side in SIDES:
        if table.tick % 5 == 0 and home.influence.of(other(other(side))) >= 50:
            name = table.ids.created("levy", table.tick, place, side)
            home.units[name] = Unit(name, other(other(side)), "troop", 1, 2)
