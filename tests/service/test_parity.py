"""A dry run says what sending would do; and what stands in the book is what was acknowledged."""

import tempfile
from pathlib import Path
from typing import Any

import fakeredis
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.pond import EAST, PAT, WEST, World, submission, world
from workers.service.access import Sender
from workers.service.orders import Receipt

BOATS = ("anna", "bert", "carl", "dora", "nobody")
FISH = st.fixed_dictionaries({"kind": st.just("fish"), "boat": st.sampled_from(BOATS), "lines": st.integers(0, 4)})
ESCORT = st.fixed_dictionaries(
    {"kind": st.just("escort"), "boat": st.sampled_from(BOATS), "other": st.sampled_from(BOATS)}
)
BATCH = st.lists(FISH | ESCORT, min_size=1, max_size=8)
SENDERS = st.sampled_from([EAST, WEST, PAT])


def pond() -> World:
    made = world(fakeredis.FakeRedis(server=fakeredis.FakeServer()), Path(tempfile.gettempdir()).as_uri())
    made.found()
    return made


def book_of(made: World) -> dict[str, tuple[str, str]]:
    """Id → camp and actor of each live order of tick 1."""
    return {one.id: (one.camp, one.actor) for one in made.live()}


@settings(max_examples=30, deadline=None)
@given(batches=st.lists(st.tuples(SENDERS, BATCH), min_size=1, max_size=5))
def test_a_dry_run_and_a_submission_agree_and_the_book_has_what_was_acknowledged(
    batches: list[tuple[Sender, list[dict[str, Any]]]],
):
    made = pond()
    acknowledged: dict[str, tuple[str, str]] = {}
    for number, (sender, orders) in enumerate(batches):
        judged = made.face.desk.check(sender, "pond", submission(*orders))
        answer = made.face.desk.submit(sender, "pond", submission(*orders), f"key {number}")
        assert [one.would_book for one in judged] == [isinstance(one, Receipt) for one in answer.results]
        receipts = [one for one in answer.results if isinstance(one, Receipt)]
        acknowledged.update({one.id: (sender.camp, sender.actor) for one in receipts})
    assert acknowledged == book_of(made)
    for number, (sender, orders) in enumerate(batches):
        made.face.desk.submit(sender, "pond", submission(*orders), f"key {number}")
    assert acknowledged.keys() <= book_of(made).keys()
