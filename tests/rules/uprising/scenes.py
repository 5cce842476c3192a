"""Scenes that several tests play."""

from typing import Any

from tests.rules.uprising.board import IDS, Board
from workers.rules.resources import convert_scenario
from workers.rules.uprising import RULEBOOK
from workers.rules.uprising.orders import AnyOrder, Arrest, Assault, Raid

SIDES: dict[str, dict[str, object]] = {"revolution": {}, "law": {}}
PLACE = {"id": "north"}


def founded(**plain: object) -> Any:
    scenario = convert_scenario(RULEBOOK, {"title": "t", "sides": SIDES, "districts": [PLACE], **plain})
    return RULEBOOK.found(scenario, IDS)


def a_crowd() -> Board:
    board = Board()
    for name in ("ada", "ben", "cleo"):
        board.unit(name, "law", 2)
    board.unit("louise", force=3)
    return board


def an_assault(side: str = "law") -> Board:
    """A section of Force 3 and a company of Force 4; the side given assaults."""
    board = Board()
    board.unit("section", force=3)
    board.unit("company", "law", 4)
    board.order(Assault("north", ("company" if side == "law" else "section",)))
    return board


def a_fight(kind: type) -> Board:
    """A hidden unit on each side, another one that refuses to fire, and a fight."""
    board = Board()
    board.unit("section", force=3)
    board.unit("ghost", hidden=True, stealth=3)
    board.unit("shy", hidden=True, refuses=True)
    board.unit("press", nature="building")
    board.unit("company", "law", 3)
    board.unit("spy", "law", hidden=True, stealth=0)
    orders: dict[type, AnyOrder] = {
        Arrest: Arrest("north", ("company", "spy"), "section"),
        Raid: Raid("north", ("company",), "press"),
        Assault: Assault("north", ("company",)),
    }
    board.order(orders[kind])
    return board
