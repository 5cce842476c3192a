"""The pure kernel: dice, ids, orders, events, entities, phases, the tick, digests, odds and the error families.

No module here does IO or reads a clock, the environment or global randomness; no result depends on the order of a set.
"""
