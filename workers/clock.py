"""Where time and entropy come in from: nowhere else does Tocsin ask for either.

Deadlines are the server's clock, read inside its scripts; this one paces loops and names processes.
"""

import secrets
import time


def monotonic_s() -> float:
    """Seconds from some moment on, never backwards: for waits and intervals."""
    return time.monotonic()


def sleep_s(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


def entropy(count: int) -> bytes:
    """`count` bytes from the system, fit for seeds and tokens."""
    return secrets.token_bytes(count)
