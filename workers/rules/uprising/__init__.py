"""The Uprising: Revolution against Law for the districts of a city, by contested orders. Pure: no IO anywhere."""

from workers.rules.uprising.rulebook import RULEBOOK

__all__ = ["RULEBOOK"]
