"""How events change the records: the only way that state changes.

Events carry what they change, worked out and bounded by the phase that decided them, so nothing here knows a setting.
"""

from collections.abc import Mapping

from workers.kernel.engine import Evolve, Tally
from workers.kernel.events import Event
from workers.kernel.phases import Sums
from workers.rules.veil import events as on
from workers.rules.veil.amendments import ServantJoined, ServantLeft, ZoneCorrected
from workers.rules.veil.entities import Chain, City, Intel, Mission, Servant
from workers.rules.veil.tables import CHARACTERISTICS, INFLUENCE, MISSION, RECOVERY, TALENTS

PLAYED_LATER = (MISSION.name, INFLUENCE.name, RECOVERY.name)
"""The kinds that a later phase plays without asking anybody: it must be told which of them are void."""


def _void(home: Servant | None, event: on.OrderVoid) -> Servant | None:
    if home is not None and event.kind in PLAYED_LATER:
        home.void.append(event.order)
    return home


def _rolled(home: Servant, event: on.Rolled, kind: str) -> Servant:
    home.pp -= event.pp
    if event.routine:
        home.successes = (*home.successes, kind)
    return home


def _asked(kind: str) -> Evolve:
    return lambda home, event: _rolled(home, event, kind)


def _mission_played(home: Servant, event: on.MissionPlayed) -> Servant:
    played = home.mission(event.mission)
    if played is not None:
        home.missions.remove(played)
        if event.chains:
            home.chain = Chain(played.zone, played.approach, played.base, played.chain)
    home.exposure += event.exposure
    home.rating = event.rating
    home.wounds = event.wounds
    home.played = True
    return _rolled(home, event, MISSION.name)


def _influence_played(home: Servant, event: on.InfluencePlayed) -> Servant:
    home.exposure += event.exposure
    return _rolled(home, event, INFLUENCE.name)


def _recovered(home: Servant, event: on.RecoveryRolled) -> Servant:
    _rolled(home, event, RECOVERY.name)
    home.pp = event.pp_now
    home.wounds = event.wounds
    return home


def _seen(home: Servant, event: on.MissionSeen) -> Servant:
    mission = home.mission(event.mission)
    if mission is not None:
        if event.cause == "exposed":
            mission.exposed = True
        else:
            mission.by_intel = True
    return home


def _forgotten(home: Servant, event: on.MissionForgotten) -> Servant:
    mission = home.mission(event.mission)
    if mission is not None:
        if event.by_intel:
            mission.by_intel = False
        else:
            mission.exposed = False
    return home


def _settled(home: Servant, event: Event) -> Servant:
    home.succeeded, home.successes = home.successes, ()
    home.played = False
    home.void = []
    return home


def _decayed(home: Servant, event: on.Decayed) -> Servant:
    home.exposure = event.exposure
    home.rating = event.rating
    return _settled(home, event)


def _held(home: Servant, event: on.MissionHeld) -> Servant:
    mission = home.mission(event.mission)
    if mission is not None:
        mission.held += 1
    return home


def _lapsed(home: Servant, event: on.MissionLapsed) -> Servant:
    home.missions = [mission for mission in home.missions if mission.id != event.mission]
    home.rating = event.rating
    return home


def _assigned(home: Servant, event: on.MissionAssigned) -> Servant:
    home.missions.append(Mission(event.mission, event.zone, event.approach, event.base, event.tick, event.chain))
    home.chain = None
    return home


def _chain_broken(home: Servant, event: on.ChainBroken) -> Servant:
    home.chain = None
    return home


def _joined(home: Servant | None, event: ServantJoined) -> Servant:
    if home is not None:
        return home
    stats = {name: getattr(event, name) for name in (*CHARACTERISTICS, *TALENTS)}
    return Servant(event.servant, event.camp, event.superior, **stats, joined=True)


def _left(home: Servant | None, event: ServantLeft) -> Servant | None:
    if home is not None:
        home.left = True
    return home


def _counted(home: Servant, event: on.ServantCounted) -> Servant:
    home.joined = False
    home.pp = event.pp
    return home


def _gone(home: Servant, event: Event) -> None:
    return None


EVOLVE: Mapping[type[Event], Evolve] = {
    on.OrderVoid: _void,
    on.IntelRolled: _asked("intel"),
    on.SupportRolled: _asked("support"),
    on.CounterRolled: _asked("counter"),
    on.MissionPlayed: _mission_played,
    on.InfluencePlayed: _influence_played,
    on.RecoveryRolled: _recovered,
    on.MissionSeen: _seen,
    on.MissionForgotten: _forgotten,
    on.Settled: _settled,
    on.Decayed: _decayed,
    on.MissionHeld: _held,
    on.MissionLapsed: _lapsed,
    on.MissionAssigned: _assigned,
    on.ChainBroken: _chain_broken,
    ServantJoined: _joined,
    ServantLeft: _left,
    on.ServantCounted: _counted,
    on.ServantRefused: _gone,
    on.ServantDeparted: _gone,
}
"""Changes of a servant."""


def _intel_got(city: City, event: on.IntelGot) -> None:
    held = city.intel.setdefault(event.camp, {}).setdefault(event.zone, Intel(event.through))
    held.through = event.through
    held.coverage = event.coverage
    held.covered = event.covered


def _intel_stale(city: City, event: on.IntelStale) -> None:
    city.intel[event.camp][event.zone].coverage = False


def _zone_report(city: City, event: on.ZoneReport) -> None:
    held = city.intel[event.camp][event.zone]
    held.influence = event.influence
    held.known = event.tick


def _zone_moved(city: City, event: on.ZoneMoved) -> None:
    zone = city.zones[event.zone]
    zone.moved_angel += event.angel
    zone.moved_demon += event.demon
    zone.divine += event.divine
    zone.satanic += event.satanic
    zone.noise += event.noise
    zone.influence = event.influence


def _veil_torn(city: City, event: on.VeilTorn) -> None:
    city.interventions += event.interventions
    city.exposure += event.exposure
    city.divine += event.divine
    city.satanic += event.satanic


def _veil_decayed(city: City, event: on.VeilDecayed) -> None:
    city.servants = event.servants
    city.strain = event.strain
    for zone, noise in event.noise:
        city.zones[zone].noise = noise


def _seal_lifted(city: City, event: on.SealLifted) -> None:
    city.set_seal(event.zone, 0)


def _zone_sealed(city: City, event: on.ZoneSealed) -> None:
    city.set_seal(event.zone, event.through)
    if event.cause == "noise":
        city.zones[event.zone].noise = 0


def _tick_closed(city: City, event: on.TickClosed) -> None:
    city.interventions = city.exposure = city.divine = city.satanic = 0
    for zone in city.zones.values():
        zone.moved_angel = zone.moved_demon = zone.divine = zone.satanic = 0
        zone.corrected = False


def _zone_corrected(city: City, event: ZoneCorrected) -> None:
    zone = city.zones.get(event.zone)
    if zone is not None:
        zone.influence = event.influence
        zone.corrected = True


EVOLVE_SHARED: Mapping[type[Event], Evolve] = {
    on.IntelGot: _intel_got,
    on.IntelStale: _intel_stale,
    on.ZoneReport: _zone_report,
    on.ZoneMoved: _zone_moved,
    on.VeilTorn: _veil_torn,
    on.VeilDecayed: _veil_decayed,
    on.SealLifted: _seal_lifted,
    on.ZoneSealed: _zone_sealed,
    on.TickClosed: _tick_closed,
    ZoneCorrected: _zone_corrected,
}
"""Changes of the city."""


# What leaves a home: `<camp>/<zone>` points moved, `divine/<zone>` and `satanic/<zone>` interventions (no zone: a
# recovery's), `noise/<zone>` exposure gained, `intel/<camp>/<zone>` the best intel (1: got, 2: with a coverage),
# `servants` how the number of servants changes.


def _intervened(event: on.Rolled, zone: str, sums: Sums) -> None:
    power = event.roll.power
    if power:
        sums.add(f"divine/{zone}" if power == "angel" else f"satanic/{zone}", 1)


def _tally_intel(event: on.IntelRolled, sums: Sums) -> None:
    if event.roll.succeeded:
        sums.maximum(f"intel/{event.camp}/{event.zone}", 2 if event.coverage else 1)
    _intervened(event, event.zone, sums)


def _tally_zone(event: on.SupportRolled | on.CounterRolled, sums: Sums) -> None:
    _intervened(event, event.zone, sums)


def _tally_played(event: on.MissionPlayed | on.InfluencePlayed, sums: Sums) -> None:
    if event.gain is not None and event.gain.points:
        sums.add(f"{event.camp}/{event.zone}", event.gain.points)
    if event.exposure:
        sums.add(f"noise/{event.zone}", event.exposure)
    _intervened(event, event.zone, sums)


def _tally_recovery(event: on.RecoveryRolled, sums: Sums) -> None:
    _intervened(event, "", sums)


TALLY: Mapping[type[Event], Tally] = {
    on.IntelRolled: _tally_intel,
    on.SupportRolled: _tally_zone,
    on.CounterRolled: _tally_zone,
    on.MissionPlayed: _tally_played,
    on.InfluencePlayed: _tally_played,
    on.RecoveryRolled: _tally_recovery,
    on.ServantCounted: lambda event, sums: sums.add("servants", 1),
    on.ServantDeparted: lambda event, sums: sums.add("servants", -1),
}
"""What events add to sums of the city."""
