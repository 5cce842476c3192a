"""What an operator may change between ticks. Nobody reads these events: what came of each is told in its tick."""

from typing import Annotated

import msgspec

from workers.kernel.events import Event
from workers.rules.veil.entities import Stat
from workers.rules.veil.names import Name
from workers.rules.veil.tables import INFLUENCE_MAX, Camp


class ServantJoined(Event, frozen=True, tag="servant_joined"):
    """Amendment: a new servant (V1, V2), told to its camp by `ServantCounted` or `ServantRefused`. Without effect where
    the servant is there already."""

    servant: Name
    camp: Camp
    superior: Name
    body: Stat = 0
    mind: Stat = 0
    soul: Stat = 0
    speech: Stat = 0
    violence: Stat = 0
    stealth: Stat = 0
    smooth_talk: Stat = 0
    occult: Stat = 0
    machines: Stat = 0
    investigation: Stat = 0


class ServantLeft(Event, frozen=True, tag="servant_left"):
    """Amendment: a servant leaves with its missions, told to its camp by `ServantDeparted`. It doesn't act any more."""

    servant: Name


class ZoneCorrected(Event, frozen=True, tag="zone_corrected"):
    """Amendment: a zone's influence is set, told to all by `CorrectionTold`. Without effect, and told to nobody, where
    there is no such zone."""

    zone: Name
    influence: Annotated[int, msgspec.Meta(ge=-INFLUENCE_MAX, le=INFLUENCE_MAX)]
