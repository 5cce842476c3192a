"""What the demonstration proves: rolls are held against seeds, and seeds against commitments, and cheats are found."""

import pytest

from workers.cli.errors import CheckFailed
from workers.cli.proving import check_rolls, draw_of, rolls_in
from workers.kernel.dice import Dice
from workers.kernel.ids import commitment

SEED = bytes(range(32))
DICE = Dice(SEED)
SEEDS = {1: SEED.hex()}
COMMITMENTS = {1: commitment(SEED)}


def roll(path: str, dice: list[int], **more: int) -> dict[str, object]:
    return {"path": path, "dice": dice, **more}


D6 = roll("mission/x/roll", list(DICE.d6("mission/x/roll", 3)))
POINTS = roll("search/y/roll", [DICE.stream("search/y/roll").below(100) + 1])
FORCES = roll("raid/z/roll", [DICE.stream("raid/z/roll").below(1_000)], below=1_000)


def test_each_kind_of_roll_is_drawn_again_from_its_path() -> None:
    assert ([6, 6, 6], 1) == draw_of(DICE, D6)
    assert ([1_000], 0) == draw_of(DICE, FORCES)
    assert ([100], 1) == draw_of(DICE, POINTS)


@pytest.mark.parametrize("honest", [D6, POINTS, FORCES], ids=["d6", "points", "forces"])
def test_dice_that_are_not_the_seeds_are_found_out(honest) -> None:
    loaded = {**honest, "dice": [die + 1 for die in honest["dice"]]}

    assert 1 == check_rolls([(1, {"event": "x", "roll": honest})], SEEDS, COMMITMENTS)
    with pytest.raises(CheckFailed, match=f"tick 1, {honest['path']}: the dice"):
        check_rolls([(1, {"event": "x", "roll": loaded})], SEEDS, COMMITMENTS)


def test_a_seed_that_was_not_committed_to_is_found_out() -> None:
    with pytest.raises(CheckFailed, match="tick 1: the seed revealed is not the one committed to"):
        check_rolls([], {1: "00" * 32}, COMMITMENTS)


def test_a_roll_that_both_camps_read_counts_once_and_one_of_a_hidden_seed_not_at_all() -> None:
    facts = [(1, {"roll": D6}), (1, {"roll": D6}), (2, {"roll": D6}), (1, {"rolls": [{"inner": POINTS}]})]

    assert 2 == check_rolls(facts, SEEDS, COMMITMENTS)


def test_what_has_no_dice_is_no_roll() -> None:
    assert [] == list(rolls_in({"path": "a/b/c", "dice": [], "roll": None, "terms": [{"name": "x", "value": 1}]}))
