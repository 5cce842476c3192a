"""What answering a request costs: commands of the server, and calls of hash functions, counted where they happen."""

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import redis

HASHES = ("_hashlib", "_sha1", "_sha2", "_sha256", "_sha512", "_blake2", "_md5", "_hmac")
"""The interpreter's own modules of hash functions: whoever hashes calls one of them."""
OURS = ("info", "config|resetstat")


class HashCounter:
    """Counts calls of hash functions (making, feeding, reading one) in every thread that starts while it is on."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    def __call__(self, frame: FrameType, event: str, called: Any) -> None:
        """The interpreter's hook: it is told of each call."""
        if event != "c_call":
            return
        module = getattr(called, "__module__", None) or type(getattr(called, "__self__", None)).__module__
        if module in HASHES:
            self.calls[called.__name__] += 1


@contextmanager
def counting_hashes() -> Iterator[HashCounter]:
    """Count in this thread and in all that start from now on."""
    counter = HashCounter()
    before = threading.getprofile(), sys.getprofile()
    threading.setprofile(counter)
    sys.setprofile(counter)
    try:
        yield counter
    finally:
        threading.setprofile(before[0])
        sys.setprofile(before[1])


class CommandCounter:
    """Counts what the server does, by its own statistics: scripts, and the commands inside them."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def reset(self) -> None:
        self._client.config_resetstat()

    def read(self) -> dict[str, int]:
        """Command → calls since the reset."""
        stats = self._client.info("commandstats")
        counted = {name.removeprefix("cmdstat_"): int(values["calls"]) for name, values in stats.items()}
        return {name: count for name, count in sorted(counted.items()) if name not in OURS}
