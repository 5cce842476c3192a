"""The Veil's tick, a module a phase: `table` puts them together in V29's order."""
