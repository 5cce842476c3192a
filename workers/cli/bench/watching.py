"""What a server was asked, told by itself: MONITOR names each command and whether a script or a client sent it."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from workers.store.connection import connect

_END: Final = "tocsin-bench-end"
END_LIMIT_S: Final = 60.0
SILENCE_LIMIT_S: Final = 600.0


@dataclass(slots=True)
class Asked:
    """Commands that clients sent, by name, each a round trip or part of one; `inside` are those of scripts."""

    sent: Counter[str] = field(default_factory=Counter)
    inside: Counter[str] = field(default_factory=Counter)

    @property
    def round_trips(self) -> int:
        """How often a client asked and waited, at most: commands of one pipeline count each."""
        return self.sent.total()


@contextmanager
def watched(url: str) -> Iterator[Asked]:
    """What a server is asked while the block runs; whole once the block has ended.

    For counts, not for clocks: the server tells everything twice.
    """
    found = Asked()
    started = threading.Event()
    thread = threading.Thread(target=_listen, args=(url, found, started), daemon=True)
    thread.start()
    started.wait(END_LIMIT_S)
    try:
        yield found
    finally:
        with connect(url) as client:
            client.echo(_END)
        thread.join(END_LIMIT_S)


def _listen(url: str, found: Asked, started: threading.Event) -> None:
    with connect(url, socket_timeout_s=SILENCE_LIMIT_S) as client, client.monitor() as monitor:
        started.set()
        for told in monitor.listen():
            words = told["command"].split(" ", 2)
            if words[:2] == ["ECHO", _END]:
                return
            name = words[0].lower()
            (found.inside if told["client_type"] == "lua" else found.sent)[name] += 1
