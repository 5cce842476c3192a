"""The check of an order at intake: what it reads, who commands it, whether it is legal, what it costs."""

from typing import Any

from workers.kernel.entities import Reads, View
from workers.kernel.errors import Refusal
from workers.kernel.orders import Booking, Cost, Order
from workers.rules.anarchy.entities import GM
from workers.rules.anarchy.legal import faults
from workers.rules.anarchy.legal_mission import (
    allot_faults,
    gm_only,
    join_faults,
    open_faults,
    place_faults,
    start_faults,
)
from workers.rules.anarchy.legal_narration import effects_of
from workers.rules.anarchy.names import joined, owner_of
from workers.rules.anarchy.orders import (
    ActingOrder,
    Allot,
    AnySceneOrder,
    Close,
    Grant,
    Join,
    MissionOrder,
    Narrate,
    Open,
    Place,
    SceneOrder,
    StandingOrder,
    Start,
    Threat,
)
from workers.rules.anarchy.refusals import illegal
from workers.rules.anarchy.see import Seen, SeenCampaign, SeenScene
from workers.rules.anarchy.settings import Settings
from workers.rules.anarchy.tables import PLAYER_MOST

AnyView = View[SeenCampaign, Seen, Settings]


def reads(order: Order) -> Reads:
    """The homes that a check needs: the scene, the mission, and for one who joins the player."""
    match order:
        case Grant(scene=scene):
            return Reads((scene,), (scene,))
        case SceneOrder(scene=scene):
            return Reads((scene,))
        case Join(mission=mission, player=player):
            return Reads((mission, player))
        case Place(mission=mission):
            return Reads((mission,), (mission,))
        case MissionOrder(mission=mission):
            return Reads((mission,))
    return Reads()


def commands(order: Order) -> tuple[str, ...]:
    """The player or the mission that gives the order: what belongs to them is named after them."""
    match order:
        case ActingOrder(character=character):
            return (owner_of(character),)
        case SceneOrder(scene=scene):
            return (owner_of(scene),)
        case MissionOrder(mission=mission):
            return (mission,)
    return ()


def check(order: Order, view: AnyView) -> Booking | tuple[Refusal, ...]:
    """A booking, or why the order is refused."""
    match order:
        case ActingOrder() | Grant() | Threat() | Close():
            return _scene(order, view)
        case MissionOrder():
            return _mission(order, view)
    return (illegal("gm_only", ""),)


def _scene(order: AnySceneOrder, view: AnyView) -> Booking | tuple[Refusal, ...]:
    home = view.homes.get(order.scene)
    if home is None or home.scene is None:
        return (illegal("unknown_scene", "scene", name=order.scene),)
    found = tuple(faults(order, home.scene, view.camp, view.settings))
    if found:
        return found
    if isinstance(order, Grant):
        booked = [item.order for item in view.booked.get(order.scene, ())]
        granted = sum(1 for other in booked if isinstance(other, Grant) and other.player == order.player)
        if home.scene.points[order.player] + granted >= PLAYER_MOST:
            accepted = f"a player with fewer than {PLAYER_MOST}"
            return (illegal("at_most", "player", accepted, name=order.player, most=PLAYER_MOST),)
    return Booking(order.scene, _costs(order, home.scene, view))


def _costs(order: AnySceneOrder, scene: SeenScene, view: AnyView) -> tuple[Cost, ...]:
    """What a scene order takes of its meters: Narrations, points, standing orders, threats (A12, A13, A15)."""
    match order:
        case Narrate(character=name):
            costs = [Cost(f"narration:{name}", 1, 1)]
            effects = effects_of(order)
            player = scene.characters[name].player
            if player and effects:
                costs.append(Cost(f"points:{player}", len(effects), scene.points.get(player, 0)))
            if any(effect == "new_threat" for _, effect in effects):
                costs.append(Cost(f"threats:{view.camp}", 1, scene.threats))
            return tuple(costs)
        case StandingOrder(character=name):
            return (Cost(f"standing:{name}", 1, view.settings.reactions),)
        case Grant(player=player):
            left = PLAYER_MOST - scene.points[player]
            return (Cost(f"granted:{player}", 1, left), Cost(f"points:{player}", -1, 0))
        case Threat():
            return (Cost(f"threats:{GM}", 1, scene.threats),)
        case _:
            return (Cost("closed", 1, 1),)


def _mission(order: MissionOrder, view: AnyView) -> Booking | tuple[Refusal, ...]:
    found = tuple(gm_only(order, view.camp))
    if found:
        return found
    home = view.homes.get(order.mission)
    if isinstance(order, Start):
        return tuple(start_faults(order, home)) or Booking(order.mission, (Cost("started", 1, 1),))
    if home is None or home.mission is None:
        return (illegal("unknown_mission", "mission", name=order.mission),)
    mission = home.mission
    match order:
        case Join():
            return tuple(join_faults(order, view.homes.get(order.player))) or Booking(
                order.player, (Cost("joined", 1, 1),)
            )
        case Allot():
            costs = (Cost(f"allotted:{order.scene}", 1, 1), Cost("reserve", order.points, mission.reserve))
            return tuple(allot_faults(order, mission)) or Booking(order.mission, costs)
        case Open():
            return tuple(open_faults(order, mission)) or Booking(order.mission, (Cost(f"opened:{order.name}", 1, 1),))
        case Place():
            booked: list[Any] = [item.order for item in view.booked.get(order.mission, ())]
            opening = {joined(o.mission, o.name): len(o.places) for o in booked if isinstance(o, Open)}
            starting = any(isinstance(other, Start) for other in booked)
            return tuple(place_faults(order, mission, opening, starting)) or Booking(
                order.mission, (Cost(f"placed:{order.character}", 1, 1),)
            )
    return (illegal("gm_only", ""),)
