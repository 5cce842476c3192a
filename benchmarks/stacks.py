"""Where the samples of a profile are: what `--profile FILE.txt` wrote, summed up by function.

`python -m benchmarks.stacks FILE.txt [WITHIN]`: two columns of percents, of samples in which a function was anywhere on
the stack, and in which it was at its end; with WITHIN, of those samples only that have a function of that name.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

LINES = 60
OURS = re.compile(r"\((workers|api)/")
PLACE = re.compile(r":\d+\)$")


def counted(lines: Iterable[str], within: str = "") -> tuple[int, Counter[str], Counter[str]]:
    """All samples, and by function those in which it took part and those which ended in it."""
    whole, part, end = 0, Counter[str](), Counter[str]()
    for line in lines:
        stack, _, count = line.rpartition(" ")
        frames = [PLACE.sub(")", frame) for frame in stack.split(";")]
        if within and not any(frame.startswith(within) for frame in frames):
            continue
        whole += int(count)
        end[frames[-1]] += int(count)
        for frame in set(frames):
            part[frame] += int(count)
    return whole, part, end


def main() -> None:
    """Print it."""
    file, within = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    whole, part, end = counted(Path(file).read_text(encoding="utf-8").splitlines(), within)
    print(f"{whole} samples")
    ours = [frame for frame, _ in part.most_common() if OURS.search(frame) or end[frame] * 100 > whole]
    for frame in ours[:LINES]:
        print(f"{100 * part[frame] / whole:6.1f} {100 * end[frame] / whole:6.1f}  {frame}")


if __name__ == "__main__":
    main()
