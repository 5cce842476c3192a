"""The Veil: angels against demons for a city's zones, on the d666. Clauses V1–V36."""

from workers.rules.veil.rulebook import RULEBOOK

__all__ = ["RULEBOOK"]
