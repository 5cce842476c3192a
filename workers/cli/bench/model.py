"""What a tick asks of its servers: messages, tasks and round trips as functions of shards, slices and supersteps.

A model is here to be wrong in one direction only: messages and tasks are exact, round trips and bytes are bounds that
hold however the work is spread and however little is cached. `tests/bench/test_model.py` holds real ticks to it;
docs/explanation/scaling.md says what follows for large ones.
"""

from dataclasses import dataclass
from math import ceil
from typing import Final

SINGLE_MESSAGE_BYTES: Final = 4_000
"""A message without a group: campaigns to resolve, or a tick to publish; taking and acknowledging it included."""
SHARD_MESSAGE_BYTES: Final = 5_500
"""What a shard costs the broker in bytes received: its message with the commit that waits for all, and its counting."""
COMMIT_MESSAGE_BYTES: Final = 7_000
"""The same for a commit, which is kept until its shards are done."""

A_SHARD: Final = 11
"""Round trips of a shard's task: head and commitment at the door of the work, its start counted, head and commitment
again when it is done, manifest, shared record, seed, mail, revisions, output."""
A_READ: Final = 2
"""Round trips for some slices of a shard in a superstep: their homes, and their orders where it plays any."""
SLICES_A_READ: Final = 4
"""Slices that a shard asks for at once, at least, as long as one has less than a megabyte (`service.shards`)."""
SLICES_A_LOOK: Final = 8
"""Slices that the archive asks for at once (`service.publication`)."""
A_COMMIT: Final = 17
"""Round trips of a commit: head, commitment and the shards that are there at the door; its start counted, head,
commitment, outputs, manifest, shared record, seed, commit; then the clock and the hint; then head, commitment and what
the next message needs, and one to spare for a script's text."""
A_LEAP: Final = 12
"""Round trips of a fused tick, whatever its supersteps, beside those of its slices: head and commitment, its start
counted, revisions, manifest, shared record, seed, one commit, the head again; and some to spare for a script's text."""
PAGES_A_LOOK: Final = 64
"""Pages that the archive asks for at once (`service.publication`); a slice makes one for a camp in a superstep, as long
as that has no more than 256 facts. Publication asks for none: the server copies them."""
A_TICK: Final = 36
"""Round trips of a tick whatever its size: close, digests, pages, record, archive, retirement."""


@dataclass(frozen=True, slots=True)
class TickCounts:
    """What one tick asks for, from its close to its retirement."""

    tasks: int
    messages: int
    round_trips: int
    broker_bytes: int


def tick_counts(*, supersteps: int, shards: int, slices: int, camps: int = 2, fused: bool = False) -> TickCounts:
    """The counts of a tick of a rulebook with so many supersteps and camps.

    A fused tick is one task that plays all of it in one leap, as long as it is small; else each superstep sends its
    shards and a commit, and one more message publishes.
    """
    told = supersteps * (camps * ceil(slices / PAGES_A_LOOK) + 1)
    end = told + 2 * ceil(slices / SLICES_A_LOOK) + A_TICK
    reads = A_READ * ceil(slices / shards / SLICES_A_READ)
    if fused:
        return TickCounts(1, 1, A_LEAP + reads + end, SINGLE_MESSAGE_BYTES)
    steps = supersteps * (shards * (A_SHARD + reads) + A_COMMIT)
    messages = supersteps * (shards + 1) + 1
    sent = supersteps * (shards * SHARD_MESSAGE_BYTES + COMMIT_MESSAGE_BYTES) + SINGLE_MESSAGE_BYTES
    return TickCounts(messages, messages, steps + end, sent)
