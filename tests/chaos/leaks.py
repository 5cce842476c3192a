"""What must not be left in the server once every campaign has ended: keys, messages, leases, readers, subscriptions."""

import re
from collections.abc import Iterator
from typing import Any, Final, cast

from workers.app import QUEUE_LARGE, QUEUE_SMALL
from workers.bootstrap import Services
from workers.store.commands import Commands
from workers.store.keys import CATALOGUE, DUE, RUNNING, Keys

LASTING: Final = (
    "head", "seed", "commitments", "seeds", "blobs", "blob", "reports", "record", "tokens",
    "campaigns", "token", "admin_tokens", "due", "running", "founded", "tallies",
)  # fmt: skip
"""Keys that a campaign keeps after its end; idempotency records and the sweeper's lease go away by themselves."""
CONNECTIONS_A_PROCESS_MAX: Final = 24
MESSAGES: Final = ("unacked", "unacked_index", QUEUE_LARGE, QUEUE_SMALL)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile("".join(".+" if part.startswith("<") else re.escape(part) for part in _PARTS.findall(text)))


_PARTS: Final = re.compile(r"<[a-z0-9]+>|[^<]+")
_LASTING: Final = tuple(_pattern(spec.pattern) for spec in CATALOGUE if spec.name in LASTING)
_CELERY: Final = re.compile(r"_kombu\.binding.+|.+\.pidbox")
"""Bindings of queues, and the inboxes for broadcasts that the transport keeps: one a queue, whatever is sent."""


def left_behind(services: Services, processes: int) -> Iterator[str]:
    """Everything that is left and shouldn't be, a sentence each; a run that has just ended may need seconds."""
    client = services.store.client
    for raw in client.scan_iter(count=1_000):
        key = raw.decode()
        if key in MESSAGES:
            yield f"messages are left in {key}"
        elif any(pattern.fullmatch(key) for pattern in (*_LASTING, _CELERY)):
            continue
        elif client.ttl(key) < 0:
            yield f"key {key} is left and doesn't expire"
    for campaign in services.store.heads.campaigns():
        yield from _left_of_campaign(services, campaign)
    for hint in (DUE, RUNNING):
        for name, _ in cast(Any, client).zrange(hint, 0, -1, withscores=True):
            yield f"{hint} still names {name.decode()}"
    yield from _listeners(client, processes)


def _left_of_campaign(services: Services, name: str) -> Iterator[str]:
    """Blobs that only ticks before the last retired one named, of no state that is kept; and blobs in no index."""
    client, head = cast(Commands, services.store.client), services.store.heads.get(name)
    if head is None:
        return
    keys = Keys(name)
    manifest = services.campaigns.manifest(name, head.start_manifest)
    kept = {head.start_manifest, *manifest.named()}
    indexed = {digest.decode(): int(tick) for digest, tick in client.hgetall(keys.blobs).items()}
    for digest, tick in sorted(indexed.items()):
        if tick < head.retired and digest not in kept:
            yield f"{name}: blob {digest} of tick {tick} belongs to no state that is kept"
    stored = {key.decode().rpartition(":")[2] for key in services.store.client.scan_iter(keys.blob("*"), count=1_000)}
    for digest in sorted(stored - indexed.keys()):
        yield f"{name}: blob {digest} is in no index"


def _listeners(client: Any, processes: int) -> Iterator[str]:
    connections = client.client_list()
    waiting = [one for one in connections if "b" in one.get("flags", "") and one.get("cmd") == "xread"]
    if waiting:
        yield f"{len(waiting)} readers of reports wait, and nobody reads"
    if len(connections) > processes * CONNECTIONS_A_PROCESS_MAX:
        yield f"{len(connections)} connections for {processes} processes"
    channels = [channel.decode() for channel in client.pubsub_channels("*") if b"celery-task-meta" in channel]
    if channels:
        yield f"{len(channels)} subscriptions to results of tasks"
