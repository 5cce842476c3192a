"""A Celery worker on a host whose clock goes wrong: `python -m tests.chaos.skewed SECONDS <celery's arguments>`.

The clock of this process alone is set ahead (or back), before anything has looked at it.
"""

import sys
import time


def skew(by_s: float) -> None:
    """Set this process's clock ahead by so many seconds."""
    seconds, nanoseconds = time.time, time.time_ns

    def ahead() -> float:
        return seconds() + by_s

    def ahead_ns() -> int:
        return nanoseconds() + int(by_s * 1_000_000_000)

    time.time, time.time_ns = ahead, ahead_ns


if __name__ == "__main__":
    skew(float(sys.argv[1]))
    from celery.__main__ import main

    sys.argv = ["celery", *sys.argv[2:]]
    sys.exit(main())
