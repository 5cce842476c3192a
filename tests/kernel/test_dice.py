"""Keyed dice: uniform to the last byte, and each roll alone with its path."""

import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.kernel.dice import Dice, Stream, check_path

SEED = bytes(range(32))
PART = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="/#"), min_size=1).map(
    lambda text: unicodedata.normalize("NFC", text)
)
PATH = st.tuples(PART, PART, PART).map("/".join)


class Fed(Dice):
    """Dice whose blocks are given: what a stream makes of every byte there is."""

    def __init__(self, *blocks: bytes) -> None:
        super().__init__(SEED)
        self.blocks = blocks

    def block(self, path: str, index: int) -> bytes:
        return self.blocks[index]


def fed(*blocks: bytes) -> Stream:
    return Fed(*blocks).stream("a/b/c")


@pytest.mark.parametrize("bound", range(1, 257))
def test_a_draw_from_one_byte_gives_each_value_equally_often(bound: int) -> None:
    ways = 256 // bound
    stream = fed(bytes(range(256)))

    assert dict.fromkeys(range(bound), ways) == Counter(stream.below(bound) for _ in range(ways * bound))


@pytest.mark.parametrize("bound", range(1, 257))
def test_a_byte_beyond_the_last_whole_round_is_drawn_again(bound: int) -> None:
    accepted = 256 - 256 % bound
    stream = fed(bytes(range(accepted, 256)) + b"\x00")

    assert 0 == stream.below(bound)


@pytest.mark.parametrize("bound", [257, 1000, 10**12, 2**63, 2**63 + 1, 2**64 - 1, 2**64])
def test_a_draw_from_eight_bytes_accepts_below_the_last_whole_round_and_no_more(bound: int) -> None:
    accepted = 2**64 - 2**64 % bound
    last = (accepted - 1).to_bytes(8, "big")

    assert bound - 1 == fed(last).below(bound)
    if accepted < 2**64:
        assert bound - 1 == fed(accepted.to_bytes(8, "big") + b"\xff" * 8 + last).below(bound)


@pytest.mark.parametrize("bound", [0, -1, 2**64 + 1])
def test_a_bound_outside_1_to_2_to_the_64_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match=r"below 1\.\.2\*\*64"):
        fed(bytes(32)).below(bound)


def test_a_draw_below_1_takes_a_byte_too() -> None:
    stream = fed(b"\x09\x03")

    assert (0, 3) == (stream.below(1), stream.below(256))


def test_fewer_than_eight_bytes_left_in_a_block_are_dropped() -> None:
    stream = fed(bytes([7]) * 30, (1).to_bytes(8, "big") + b"\x05")
    drawn = [stream.below(256) for _ in range(25)]

    assert [7] * 25 == drawn
    assert (1, 5) == (stream.below(257), stream.below(256))


def test_a_block_has_32_bytes_and_the_next_one_goes_on() -> None:
    dice = Dice(SEED)
    stream = dice.stream("a/b/c")

    assert dice.block("a/b/c", 0) + dice.block("a/b/c", 1) == bytes(stream.below(256) for _ in range(64))


@given(PATH, st.one_of(st.integers(1, 300), st.integers(1, 1 << 64)))
def test_a_first_draw_is_that_of_the_paths_stream(path: str, bound: int) -> None:
    dice = Dice(SEED)

    assert dice.stream(path).below(bound) == dice.below(path, bound)


@pytest.mark.parametrize("bound", [-1, 0, (1 << 64) + 1])
def test_a_first_draw_is_below_an_acceptable_bound(bound: int) -> None:
    with pytest.raises(ValueError, match=r"below 1\.\.2\*\*64"):
        Dice(SEED).below("a/b/c", bound)


@given(PATH, st.integers(0, 80))
def test_dice_drawn_together_are_those_drawn_one_by_one(path: str, count: int) -> None:
    dice = Dice(SEED)
    stream = dice.stream(path)
    expected = tuple(stream.d6() for _ in range(count))

    assert expected == (dice.d6(path, count) if count else ())


@given(st.lists(PATH, min_size=2, max_size=5, unique=True), st.data())
def test_a_stream_does_not_depend_on_draws_from_others(paths: list[str], data: st.DataObject) -> None:
    dice = Dice(SEED)
    alone = {path: [dice.stream(path).below(100)] for path in paths}
    for path in paths:
        stream = dice.stream(path)
        alone[path] = [stream.below(100) for _ in range(8)]
    streams = {path: dice.stream(path) for path in paths}
    mixed: dict[str, list[int]] = {path: [] for path in paths}
    for path in data.draw(st.permutations(paths * 8)):
        mixed[path].append(streams[path].below(100))

    assert alone == mixed


def test_K5_a_percentage_lies_between_1_and_100() -> None:
    low, high = fed(b"\x00").percent(), fed(b"\x63").percent()

    assert (1, 100) == (low, high)


@given(PATH)
def test_a_path_of_three_clean_parts_is_accepted(path: str) -> None:
    check_path(path)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("", "phase/subject/label"),
        ("mission/01", "phase/subject/label"),
        ("mission/01/roll/again", "phase/subject/label"),
        ("mission/01#2/roll", "phase/subject/label"),
        ("mission//roll", "is empty"),
        ("/01/roll", "is empty"),
        ("mission/01/", "is empty"),
        ("mission/é/", "is empty"),
        ("mission/e\u0301/roll", "NFC"),
        ("mission/0\n1/roll", "control"),
        ("mission/\x7f/roll", "control"),
        ("mission/\x85/roll", "control"),
        ("mission/\ud800/roll", "control"),
    ],
)
def test_a_malformed_path_is_refused(path: str, problem: str) -> None:
    dice = Dice(SEED)

    with pytest.raises(ValueError, match=problem):
        dice.stream(path)
    with pytest.raises(ValueError, match=problem):
        dice.d6(path, 1)
    with pytest.raises(ValueError, match=problem):
        dice.below(path, 6)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="a tick seed has 32 bytes"):
        Dice(bytes(length))


def test_other_seeds_give_other_dice() -> None:
    first, second = Dice(SEED), Dice(SEED[::-1])

    assert first.block("a/b/c", 0) != second.block("a/b/c", 0)
    assert first.initiative("01") != second.initiative("01")
