"""A second reading of the sheet: the whole tick resolved from the clauses alone, slowly and in one piece, to be
compared with the rulebook's. It shares the rulebook's records and the kernel's dice, and none of its rules or numbers.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from tests.rules.uprising.reading import after_moves, before_moves
from tests.rules.uprising.reading.table import Table


def read_again(homes: Mapping[str, Any], city: Any, tick: int, seed: bytes, ids: Any, orders: Iterable[Any]) -> Table:
    """The tick as the sheet has it (U21), in the settings' defaults."""
    table = Table(dict(homes), city, tick, seed, ids, orders)
    before_moves.assassinations(table)
    before_moves.searches(table)
    before_moves.rallies(table)
    before_moves.arrests(table)
    before_moves.raids(table)
    after_moves.moves(table)
    after_moves.contests(table)
    after_moves.assaults(table)
    after_moves.aftermath(table)
    return table
