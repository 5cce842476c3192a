"""`python -m tests.chaos chaos|soak`: the last line of output is one JSON object; exit 1 unless nothing is wrong."""

import argparse
import json
import logging
import sys
import tempfile
from pathlib import Path

import structlog

from tests.chaos.run import run
from tests.chaos.soak import soak


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("what", choices=("chaos", "soak"), help="break everything, or go on for long")
    parser.add_argument("--duration-s", type=float, default=45.0, help="how long things break, in seconds")
    parser.add_argument("--seed", default="1", help="what happens when is drawn from this")
    parser.add_argument("--campaigns", type=int, default=6, help="campaigns at play")
    parser.add_argument("--ticks", type=int, default=2_000, help="ticks of the long campaign")
    parser.add_argument("--folder", default="", help="where server, archive and logs lie (default: a new folder)")
    return parser.parse_args()


def tell(line: str) -> None:
    print(line, flush=True)


def main() -> int:
    given = arguments()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    folder = Path(given.folder or tempfile.mkdtemp(prefix=f"tocsin-{given.what}-"))
    tell(f"logs, records and the server's files lie in {folder}")
    if given.what == "soak":
        measured, problems = soak(folder, ticks=given.ticks, tell=tell)
        for line in problems:
            tell(line)
        tell(json.dumps(measured))
        return 1 if problems else 0
    tell(f"seed {given.seed}")
    numbers, findings = run(folder, seed=given.seed, duration_s=given.duration_s, campaigns=given.campaigns, tell=tell)
    for line in findings.lines():
        tell(line)
    tell(json.dumps(numbers))
    return 1 if any(findings.counts.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
