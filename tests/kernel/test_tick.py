"""A tick in memory: the same bytes however it is cut, in whatever order its orders came, in any process."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernel.toy import (
    PHASES,
    Bank,
    Close,
    Closed,
    Counted,
    Earn,
    Earned,
    Gift,
    Give,
    Got,
    Opened,
    Purse,
    Toy,
    book,
    engine,
    purses,
    tick,
)
from workers.kernel.digest import bucket_of, canonical
from workers.kernel.engine import PAGE_FACTS
from workers.kernel.entities import Slice
from workers.kernel.errors import RulebookError
from workers.kernel.events import Event
from workers.kernel.orders import Booked
from workers.kernel.phases import Homes, Phase, Shared
from workers.kernel.tick import Amendment, TickResult, resolve

ENGINE = engine()
POWERS = [1, 2, 4, 8, 16, 32, 64, 128, 256]


def facts(result: TickResult, camp: str) -> list[tuple[str, Any, Any]]:
    pages = [msgspec.json.decode(page) for page in result.pages[camp]]
    return [(page["phase"], about, fact) for page in pages for about, fact in page["facts"]]


def homes(result: TickResult) -> dict[str, Any]:
    return {name: msgspec.json.decode(line) for data in result.slices for name, line in Slice.parse(data).lines.items()}


def events(result: TickResult) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for step in result.steps for line in step.events]


@pytest.mark.parametrize("slices", POWERS)
def test_a_tick_has_one_digest_and_one_story_however_its_homes_are_cut(slices: int) -> None:
    expected = resolve(ENGINE, tick(purses(60), book(60)))
    found = resolve(ENGINE, tick(purses(60), book(60), slices))

    assert expected.digest == found.digest
    assert (expected.state_digest, expected.book_digest) == (found.state_digest, found.book_digest)
    assert [step.events_digest for step in expected.steps] == [step.events_digest for step in found.steps]
    assert [step.counts for step in expected.steps] == [step.counts for step in found.steps]
    assert homes(expected) == homes(found)
    assert expected.shared == found.shared
    assert {camp: facts(expected, camp) for camp in "ab"} == {camp: facts(found, camp) for camp in "ab"}


@settings(max_examples=40)
@given(st.integers(1, 40), st.sampled_from(POWERS), st.data())
def test_a_tick_has_one_digest_in_whatever_order_its_orders_and_homes_came(
    number: int, slices: int, data: st.DataObject
) -> None:
    orders = book(number)
    expected = resolve(ENGINE, tick(purses(number), orders))
    shuffled = data.draw(st.permutations(orders))
    mixed = dict(data.draw(st.permutations(list(purses(number).items()))))

    assert expected.digest == resolve(ENGINE, tick(mixed, shuffled, slices)).digest


@settings(max_examples=25)
@given(st.integers(1, 20))
def test_orders_from_the_store_play_like_those_that_never_left(number: int) -> None:
    orders = book(number)
    stored = [ENGINE.packing.unpack(ENGINE.packing.pack(booked)) for booked in orders]

    assert resolve(ENGINE, tick(purses(number), orders)).digest == resolve(ENGINE, tick(purses(number), stored)).digest


PROGRAM = """
import json
from tests.kernel.toy import book, engine, purses, tick
from workers.kernel.tick import resolve
result = resolve(engine(), tick(purses(60), book(60), 16))
pages = {camp: [page.decode() for page in pages] for camp, pages in result.pages.items()}
print(json.dumps([result.digest, result.shared.decode(), pages]))
"""


@pytest.mark.parametrize("seed", ["0", "1", "31337"])
def test_a_tick_has_the_same_bytes_in_any_process(seed: str) -> None:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])}
    run = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True)
    result = resolve(ENGINE, tick(purses(60), book(60), 16))
    pages = {camp: [page.decode() for page in pages] for camp, pages in result.pages.items()}

    assert [result.digest, result.shared.decode(), pages] == json.loads(run.stdout)


def test_another_state_book_number_or_rulebook_gives_another_digest() -> None:
    base = tick(purses(9), book(9))
    ticks = [
        base,
        tick(purses(10), book(9)),
        tick(purses(9), book(9), bank=Bank(total=1, tax_every=1)),
        tick(purses(9), book(9)[1:]),
        replace(base, dropped=frozenset({book(9)[0].id})),
        replace(base, tick=2),
    ]
    digests = [resolve(engine(name="other"), base).digest, *(resolve(ENGINE, other).digest for other in ticks)]

    assert len(digests) == len(set(digests))


def test_another_seed_gives_other_events() -> None:
    given_tick = tick(purses(9), book(9))
    other = replace(given_tick, tick_seed=bytes(32))

    assert resolve(ENGINE, given_tick).steps[0].events_digest != resolve(ENGINE, other).steps[0].events_digest


def one(order: Any, home: str = "p0", order_id: str = "01") -> Booked[Any, Any]:
    return Booked(order_id, home, "a", home, order, None)


def test_a_home_without_orders_keeps_its_bytes() -> None:
    line = b'{"held":3,"camp":"a","id":"p1"}'
    slices = [Slice.of({"p0": canonical(Purse("p0", "a")), "p1": line}).to_bytes()]
    result = resolve(ENGINE, replace(tick({}, [one(Earn("p0"))], bank=Bank()), slices=slices))

    assert line == Slice.parse(result.slices[0]).lines["p1"]


def test_mail_is_read_in_the_next_superstep_by_the_home_that_it_names() -> None:
    result = resolve(ENGINE, tick(purses(3), [one(Give("p0", "p2"))], bank=Bank()))

    assert ["gift", "counted", "got"] == [event["event"] for event in events(result)]
    assert (0, 3) == (homes(result)["p0"].get("held", 0), homes(result)["p2"]["held"])


def test_mail_to_a_home_that_is_not_there_may_make_it() -> None:
    result = resolve(ENGINE, tick(purses(1), [one(Give("p0", "new"))], 16, bank=Bank()))

    assert {"id": "new", "camp": "a", "held": 1} == homes(result)["new"]


def test_a_home_that_an_event_removes_is_gone() -> None:
    result = resolve(ENGINE, tick(purses(2), [one(Close("p0"))], bank=Bank()))

    assert ["p1"] == list(homes(result))


def test_K6_an_order_for_a_home_that_is_not_there_is_void() -> None:
    result = resolve(ENGINE, tick(purses(1), [one(Earn("ghost"), "ghost")], bank=Bank()))

    assert [{"event": "missed", "camp": "a", "order": "01"}] == [fact for _, _, fact in facts(result, "a")][:1]
    assert (2, 1) == (result.steps[0].counts["work"].events, result.steps[0].counts["work"].void)
    assert "ghost" not in homes(result)


def test_sequential_rules_read_what_the_events_before_made_of_their_home() -> None:
    orders = [one(Earn("p0", 1), order_id=f"0{i}") for i in range(3)]
    result = resolve(ENGINE, tick(purses(1), orders, bank=Bank()))
    earned = [event for event in events(result) if event["event"] == "earned"]
    running = [sum(event["total"] for event in earned[:i]) for i in range(3)]

    assert running == [event["held"] for event in earned]


def test_orders_are_played_in_the_order_of_their_ids() -> None:
    orders = [one(Earn("p0", stake), order_id=order_id) for order_id, stake in (("b", 1), ("a", 0), ("c", 2))]
    result = resolve(ENGINE, tick(purses(1), orders, bank=Bank()))
    dice = result.context.dice

    assert [dice.d6(f"earn/{order_id}/roll", 2) for order_id in "abc"] == [
        tuple(event["dice"]) for event in events(result) if event["event"] == "earned"
    ]


def test_sums_are_read_by_the_shared_step_behind_them_alone() -> None:
    result = resolve(ENGINE, tick(purses(4), [one(Earn("p0", 2)), one(Earn("p1", 1), "p1", "02")]))
    totals = [event["total"] for event in events(result) if event["event"] == "earned"]
    counted = next(event for event in events(result) if event["event"] == "counted")
    taxed = next(event for event in events(result) if event["event"] == "taxed")

    assert (sum(totals), max(totals)) == (counted["total"], counted["best"])
    assert 4 == taxed["amount"]
    assert {"total": sum(totals) - 4, "best": max(totals), "tax_every": 1} == msgspec.json.decode(result.shared)


def test_a_step_for_every_home_runs_when_the_context_says_so() -> None:
    idle = resolve(ENGINE, tick(purses(5), bank=Bank()))
    taxed = resolve(ENGINE, tick(purses(5), bank=Bank(tax_every=1)))

    assert ["counted"] == [event["event"] for event in events(idle)]
    assert ["got"] * 4 == [event["event"] for event in events(taxed) if event["event"] == "got"]


def test_tick_0_has_a_table_of_its_own() -> None:
    result = resolve(ENGINE, tick(purses(5), tick=0, bank=Bank()))

    assert ["set-up"] == [step.phase for step in result.steps]
    assert {"got", "taxed"} == {event["event"] for event in events(result)}


def test_a_page_holds_256_facts_at_most_and_names_its_phase() -> None:
    number = PAGE_FACTS + 3
    orders = [one(Earn("p0"), order_id=f"{i:04}") for i in range(number)]
    result = resolve(ENGINE, tick(purses(1), orders, bank=Bank()))
    pages = [msgspec.json.decode(page) for page in result.pages["a"]]

    assert [PAGE_FACTS, 3, 1] == [len(page["facts"]) for page in pages]
    assert {"work"} == {page["phase"] for page in pages}


def test_each_camp_reads_its_own_fields_and_what_a_fact_is_about() -> None:
    result = resolve(ENGINE, tick(purses(1), [one(Earn("p0"))], bank=Bank()))
    phase, about, own = facts(result, "a")[0]
    other = facts(result, "b")[0]

    assert ("work", ["p0"], {"event", "camp", "home", "dice"}) == (phase, about, set(own))
    assert ("work", [], {"event": "earned", "total": sum(own["dice"])}) == other


def test_a_camp_that_reads_nothing_has_no_page() -> None:
    quiet = engine(phases=(Phase("work", (Homes(lambda *given: ()), Shared(lambda *given: ()))),))

    assert {"a": [], "b": []} == resolve(quiet, tick(purses(2))).pages


def test_a_dropped_order_is_told_and_not_played() -> None:
    orders = [one(Earn("p0")), one(Close("p1"), "p1", "02"), one(Earn("ghost"), "ghost", "03")]
    result = resolve(ENGINE, tick(purses(2), orders, dropped=frozenset({"01", "03"}), bank=Bank()))

    assert ["order_dropped", "order_dropped", "closed"] == sorted(
        (event["event"] for event in events(result) if event["event"] != "counted"), reverse=True
    )
    assert [None, None] == [about for _, about, fact in facts(result, "b") if fact["event"] == "order_dropped"]
    assert {"01", "03"} == {fact.get("order") for _, _, fact in facts(result, "a") if fact["event"] == "order_dropped"}
    assert [{1}] == [{fact["dropped"] for _, _, fact in facts(result, "b") if fact["event"] == "order_dropped"}]
    assert 2 == result.steps[0].counts["work"].void


def test_a_dropped_order_makes_no_step_visit_its_home() -> None:
    visited: list[str | None] = []

    def look(purse, orders, mail, context):
        visited.append(purse and purse.id)
        return ()

    quiet = engine(phases=(Phase("work", (Homes(look, (Earn,)),)),))
    resolve(quiet, tick(purses(2), [one(Earn("p0")), one(Earn("p1"), "p1", "02")], dropped=frozenset({"01"})))

    assert ["p1"] == visited


def test_amendments_come_before_the_first_phase() -> None:
    amendments = (
        Amendment("p0", Got("p0", 40)),
        Amendment("p9", Opened("b", "p9", 5)),
        Amendment("", Counted(100, 7)),
    )
    result = resolve(ENGINE, tick(purses(1), [one(Earn("p0"))], 16, amendments=amendments, bank=Bank()))

    assert ["amendments", "work", "work", "tax"] == [step.phase for step in result.steps]
    assert [40] == [event["held"] for event in events(result) if event["event"] == "earned"]
    assert "p9" in homes(result)
    assert msgspec.json.decode(result.shared)["total"] > 100
    assert "amendments" == facts(result, "b")[0][0]
    assert 3 == result.steps[0].counts["amendments"].events


def test_an_amendment_may_remove_a_home() -> None:
    result = resolve(ENGINE, tick(purses(2), amendments=(Amendment("p0", Closed("p0")),), bank=Bank()))

    assert ["p1"] == list(homes(result))


def test_sums_that_no_shared_step_reads_are_refused() -> None:
    steps = PHASES[0].steps
    deaf = engine(phases=(Phase("work", (steps[0], steps[2])),))

    with pytest.raises(RulebookError, match="phase 'work' sends sums and no shared step reads them"):
        resolve(deaf, tick(purses(1), [one(Earn("p0"))]))


def test_an_event_that_the_rulebook_did_not_declare_is_refused() -> None:
    class Surprise(Event, frozen=True, tag="surprise"):
        pass

    odd = engine(phases=(Phase("work", (Homes(lambda *given: [Surprise()], (Earn,)),)),))

    with pytest.raises(RulebookError, match="rulebook 'toy': Surprise happened"):
        resolve(odd, tick(purses(1), [one(Earn("p0"))]))


def test_mail_from_a_rulebook_without_mail_is_refused() -> None:
    silent = engine(events=tuple(kind for kind in Toy().events if kind.__name__ != "Gift"))

    with pytest.raises(RulebookError, match="no event of the rulebook is mail"):
        silent.read_mail([b"{}"])


def test_mail_comes_in_canonical_order_whoever_sent_it() -> None:
    lines = [canonical(Gift("p0", amount)) for amount in (2, 1, 3)]

    assert [Gift("p0", 1), Gift("p0", 2), Gift("p0", 3)] == ENGINE.read_mail(lines)
    assert ENGINE.read_mail(lines) == ENGINE.read_mail(lines[::-1])


def test_the_events_digest_of_a_bucket_is_over_its_own_events() -> None:
    result = ENGINE.play_slice(
        ENGINE.steps[0],
        tick(purses(4)).slices[0],
        [one(Earn("p0")), one(Earn("p1"), "p1", "02")],
        [],
        resolve(ENGINE, tick(purses(1))).context,
    )

    assert {bucket_of("p0"), bucket_of("p1")} == set(result.events) == set(result.event_digests())
    assert result.homes is not None
    assert {bucket_of("p0"), bucket_of("p1")} == result.changed
    assert {bucket_of(name) for name in purses(4)} == set(result.homes.bucket_digests())


def test_a_slice_in_which_nothing_changed_has_no_new_bytes() -> None:
    context = resolve(ENGINE, tick(purses(1))).context
    result = ENGINE.play_slice(ENGINE.steps[0], tick(purses(4)).slices[0], [one(Give("p0", "p1"))], [], context)

    assert (None, set()) == (result.homes, result.changed)
    assert [("p1", b'{"event":"gift","to":"p1","amount":1}')] == result.mail


def test_a_home_may_be_made_where_another_is_removed() -> None:
    def swap(purse, orders, mail, context):
        yield Closed(purse.id) if purse is not None else Opened("b", orders[0].home, 1)

    swapping = engine(phases=(Phase("work", (Homes(swap, (Earn,)),)),))
    result = resolve(swapping, tick(purses(2), [one(Earn("p0")), one(Earn("new"), "new", "02")]))

    assert {"p1", "new"} == set(homes(result))
    assert Slice.parse(result.slices[0]).to_bytes() == result.slices[0]
    assert {bucket_of("p1"), bucket_of("new")} == set(Slice.parse(result.slices[0]).bucket_digests())


def test_the_projection_of_the_toy_hides_the_dice_from_the_other_camp() -> None:
    event = Earned("a", "p0", (1, 2), 3, 0)

    assert {"event": "earned", "total": 3} == msgspec.to_builtins(ENGINE.projector.project(event, "b"))
