"""`tocsin roll`: the dice of a path, as anybody can recompute them once the tick's seed is revealed."""

import re
import shlex
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from workers.cli.options import AsJson
from workers.cli.output import print_json
from workers.kernel.dice import Dice
from workers.kernel.errors import InvalidInput

app = typer.Typer(add_completion=False)

_FLAG = "--below"
_INTEGER = re.compile(r"[+-]?\d+")


class RollCommand(TyperCommand):
    """A command whose `--below` takes all integers that follow it: `--below 6 6 6`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Write `--below 6 6` as `--below=6 --below=6`, which the parser understands."""
        return super().parse_args(ctx, spread(args))


def spread(arguments: list[str]) -> list[str]:
    """The arguments with the flag repeated before each integer that follows it."""
    found: list[str] = []
    taking = False
    for argument in arguments:
        if argument == _FLAG:
            taking = True
        elif taking and _INTEGER.fullmatch(argument):
            found.append(f"{_FLAG}={argument}")
        else:
            taking = argument.startswith(f"{_FLAG}=")
            found.append(argument)
    return found


@app.command(cls=RollCommand)
def roll(
    tick_seed: Annotated[str, typer.Option("--tick-seed", metavar="HEX", help="The tick's seed, 64 hex digits.")],
    path: Annotated[str, typer.Option("--path", help="The roll's path: phase/subject/label.")],
    below: Annotated[
        list[int], typer.Option("--below", metavar="N…", help="A bound a draw: 6 6 6 draws three times 0..5.")
    ],
    as_json: AsJson = False,
) -> None:
    """Draw what a path draws: each value is uniform below its bound."""
    stream = Dice(_seed(tick_seed))
    try:
        draws = stream.stream(path)
    except ValueError as error:
        raise InvalidInput("--path", str(error), "phase/subject/label, e.g. mission/01/roll") from error
    try:
        values = [draws.below(bound) for bound in below]
    except ValueError as error:
        raise InvalidInput("--below", str(error), "integers from 1 to 2**64") from error
    if as_json:
        print_json({"values": values})
        return
    print(" ".join(map(str, values)))
    print(f"\nBlock 0 of this path is\n  {openssl_line(tick_seed, path)}")
    print("Take its bytes in order: for N up to 256 a byte b, refused where b ≥ N·⌊256/N⌋, gives b mod N;")
    print("for larger N eight bytes, big-endian, with 2⁶⁴ instead of 256. Block 1 ends in #1, and so on.")


def openssl_line(tick_seed: str, path: str, block: int = 0) -> str:
    """The command by which anybody recomputes a block of a path's stream."""
    message = shlex.quote(f"{path}#{block}")
    return f"printf %s {message} | openssl dgst -sha256 -mac HMAC -macopt hexkey:{tick_seed}"


def _seed(text: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b""
    if len(text) != 64 or len(seed) != 32:
        raise InvalidInput("--tick-seed", f"{len(text)} characters that are no seed", "64 hexadecimal digits")
    return seed
