"""The end of a campaign (U26)."""

from workers.rules.contract import Verdict
from workers.rules.uprising import tables
from workers.rules.uprising.entities import Census, City
from workers.rules.uprising.settings import Settings


def verdict(city: City, settings: Settings, tick: int) -> Verdict | None:
    """A side with no active unit but buildings, and no district that it holds, has lost; both have: it's a draw."""
    beaten = [side for side in tables.SIDES if city.census.get(side, Census()) == Census()]
    if not beaten:
        return None
    if len(beaten) == len(tables.SIDES):
        return Verdict("", "draw")
    return Verdict(tables.other(beaten[0]), f"{beaten[0]}_beaten")
