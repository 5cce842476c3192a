"""Lantern: keepers against smugglers on a foggy coast, one tick a night."""

from .rulebook import RULEBOOK

__all__ = ["RULEBOOK"]
