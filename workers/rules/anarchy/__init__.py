"""Anarchy: scenes played in turn order, dice pools, glitch dice, and Anarchy points that answer other players' acts."""

from workers.rules.anarchy.rulebook import RULEBOOK

__all__ = ["RULEBOOK"]
