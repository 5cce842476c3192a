"""What is read back: views, reports, campaigns and ticks, each cut to what a token may know."""

import json
from typing import Any

import pytest

from tests.service.pond import ANNA, BERT, WEST, World, receipt
from workers.kernel.ids import commitment
from workers.kernel.words import Words
from workers.rules.resources import load_words
from workers.service.overview import CampaignView, TickView
from workers.service.problems import Problem
from workers.service.reports import Position, ReportPage, parse_position
from workers.service.views import Known, known_to
from workers.store.keys import Keys
from workers.store.records import Policy, Schedule, Token

OPERATOR = Token("operator", campaign="pond")
CAMP = Token("camp", campaign="pond", camp="east")


@pytest.fixture
def words(pond: World) -> Words:
    return load_words(pond.services.registry.get("lake"), "en")


def known(pond: World, camp: str, after: str = "", limit: int = 100, only: frozenset[str] | None = None) -> Known:
    campaign = pond.services.campaigns.load("pond")
    lens = pond.face.views.open(campaign, camp, campaign.head.open_tick)
    return known_to(lens, campaign.head.published, after, limit, only)


def read(pond: World, words: Words, after: str = "", camp: str = "east", **more: Any) -> ReportPage:
    return pond.face.reports.read("pond", camp, words, after=parse_position(after), **more)


def tick(pond: World, number: int, token: Token) -> TickView:
    return pond.face.overview.tick(pond.services.campaigns.load("pond"), number, token)


def show(pond: World, token: Token) -> CampaignView:
    return pond.face.overview.campaign(pond.services.campaigns.load("pond"), token)


# Views.


def test_a_view_holds_what_the_camp_knows_and_nothing_else(pond: World):
    homes = {one.key: one.home for one in known(pond, "east").homes}
    assert {"anna", "bert", "dora"} == set(homes)
    assert (5, None) == (homes["anna"].oil, homes["dora"].oil)


def test_an_actors_view_has_its_own_homes(pond: World):
    assert ["bert"] == [one.key for one in known(pond, "east", only=frozenset({"bert", "carl"})).homes]


def test_a_view_comes_in_pages_and_has_each_home_once(empty: World):
    empty.found(scenario={"generate": {"size": 70}})
    whole = [one.key for one in known(empty, "east").homes]
    found: list[str] = []
    after = ""
    while True:
        page = known(empty, "east", after, 4)
        found += [one.key for one in page.homes]
        after = page.next
        if not after:
            break
    assert whole == found
    assert len(set(whole)) == len(whole) >= 35


def test_a_view_changes_with_the_published_tick(pond: World):
    pond.send({**ANNA, "lines": 3})
    pond.close()
    assert 0 == known(pond, "east").published
    pond.runtime.resolve("pond")
    after = known(pond, "east")
    assert 1 == after.published
    assert after.shared.fish == 40 - after.shared.caught


# Reports.


def test_facts_have_ids_words_and_an_order(pond: World, words: Words):
    page = read(pond, words)
    assert [("0-1.1", "surveyed"), ("0-1.2", "level")] == [(one.id, one.fact["event"]) for one in page.facts]
    assert ["Your shore caught 0 in all.", "The lake holds 40 fish."] == [one.text for one in page.facts]
    assert ("Dusk", 0, "0", False) == (page.facts[0].phase, page.complete, page.next, page.more)


def test_words_come_in_the_language_that_was_asked_for(pond: World):
    french = load_words(pond.services.registry.get("lake"), "fr")
    assert ["Votre rive a pris 0 en tout.", "Le lac compte 40 poissons."] == [
        one.text for one in read(pond, french).facts
    ]


def test_a_reader_goes_on_after_a_fact_a_page_or_a_tick(pond: World, words: Words):
    pond.send(ANNA, BERT)
    pond.play()
    whole = [one.id for one in read(pond, words).facts]
    for place, identity in enumerate(whole):
        assert whole[place + 1 :] == [one.id for one in read(pond, words, identity).facts]
    assert whole[2:] == [one.id for one in read(pond, words, "0-1").facts]
    assert whole[2:] == [one.id for one in read(pond, words, "0").facts]
    last = read(pond, words, "1")
    assert ((), "1", None) == (last.facts, last.next, last.complete)


def test_pages_read_one_by_one_are_the_whole(pond: World, words: Words):
    pond.send(ANNA, BERT)
    pond.play()
    whole = [one.id for one in read(pond, words).facts]
    found: list[str] = []
    after, more = "", True
    while more:
        page = read(pond, words, after, pages=1)
        found += [one.id for one in page.facts]
        after, more = page.next, page.more
    assert whole == found


def test_an_actor_reads_the_facts_on_its_own_entities_and_the_public_ones(pond: World, words: Words):
    pond.send(ANNA, BERT)
    pond.play()
    mine = read(pond, words, "0", entities=frozenset({"bert"})).facts
    assert {("caught", "bert"), ("level", None)} == {(one.fact["event"], one.fact.get("boat")) for one in mine}


def test_K7_the_other_camps_report_has_nothing_of_ones_boats(pond: World, words: Words):
    got = receipt(pond.send({**ANNA, "lines": 3}).results[0])
    pond.play()
    other = json.dumps([one.fact for one in read(pond, words, camp="west").facts])
    assert "anna" not in other
    assert got.id not in other
    assert "anna" in json.dumps([one.fact for one in read(pond, words).facts])


def test_a_reader_who_comes_too_late_is_told(empty: World):
    empty.found(retain_ticks=1)
    for _ in range(4):
        empty.play()
    words = load_words(empty.services.registry.get("lake"), "en")
    assert read(empty, words).trimmed
    assert not read(empty, words, "3").trimmed


PAGES = 3


@pytest.fixture
def long_reports(pond: World) -> World:
    """The east's report has ticks 0 to 3, each of three pages, of three facts each."""
    keys = Keys("pond")
    client = pond.services.store.client
    client.unlink(keys.reports("east"))
    page = b'{"phase":"","facts":[%b]}' % b",".join([b'[null,{"event":"level","water":1}]'] * 3)
    for number in range(4 * PAGES):
        last = {b"last": b"1"} if number % PAGES == PAGES - 1 else {}
        entry: dict[Any, Any] = {b"p": page, **last}
        client.xadd(keys.reports("east"), entry, id=f"{number // PAGES}-{number % PAGES + 1}")
    return pond


def places() -> list[str]:
    """Every place of such a report, in order, but the ones that stand for a tick or page read whole."""
    ids = [f"{tick}-{page}.{index}" for tick in range(4) for page in range(1, PAGES + 1) for index in range(1, 4)]
    return ["", *ids]


@pytest.mark.parametrize("kept", ["0-1", "1-1", "2-1", "3-1"])
def test_trimmed_is_told_exactly_where_something_was_told_and_is_gone(long_reports: World, words: Words, kept: str):
    """Against the facts themselves: what follows the place before the cut, and doesn't after it."""
    before = {place: [one.id for one in read(long_reports, words, place, pages=99).facts] for place in places()}
    store = long_reports.services.store
    store.client.xtrim(Keys("pond").reports("east"), minid=kept, approximate=False)
    for place, expected in before.items():
        page = read(long_reports, words, place, pages=99)
        gone = [one.id for one in page.facts] != expected
        # Who has the last fact of a tick that is gone and not its end was still to be told that it was complete.
        unended = place.endswith(f"-{PAGES}.3") and f"{place.split('-')[0]}-{PAGES}" < kept
        assert (
            (gone or unended)
            == page.trimmed
            == long_reports.face.reports.trimmed("pond", "east", parse_position(place))
        )


@pytest.mark.parametrize("kept", ["0-1", "1-1", "2-1", "3-1", "3-3"])
def test_who_goes_on_from_next_is_told_so_exactly(long_reports: World, words: Words, kept: str):
    nexts = [read(long_reports, words, pages=count).next for count in range(1, 4 * PAGES + 1)]
    assert ["0-1", "0-2", "0", "1-1"] == nexts[:4]
    before = [[one.id for one in read(long_reports, words, place, pages=99).facts] for place in nexts]
    long_reports.services.store.client.xtrim(Keys("pond").reports("east"), minid=kept, approximate=False)
    for place, expected in zip(nexts, before, strict=True):
        page = read(long_reports, words, place, pages=99)
        assert ([one.id for one in page.facts] != expected) == page.trimmed, place


def test_a_gap_within_a_report_is_told_to_whoever_stands_before_it(long_reports: World, words: Words):
    """As where a server came back so old that its archive's ticks went further than it keeps."""
    client = long_reports.services.store.client
    client.xdel(Keys("pond").reports("east"), *(f"{tick}-{page}" for tick in (1, 2) for page in (1, 2, 3)))
    assert [True, True, False, False] == [read(long_reports, words, place).trimmed for place in ("0", "1", "2", "3")]
    assert not read(long_reports, words).trimmed


@pytest.mark.parametrize("place", ["x", "1-", "1-2.", "1.2", "-1", "1-2.3.4", "9" * 16, "\u0661"])
def test_a_place_that_is_none_is_refused(place: str):
    with pytest.raises(Problem, match="invalid_request"):
        parse_position(place)


def test_places_are_in_the_order_of_what_was_read():
    places = ["", "0-1.1", "0-1.2", "0-1", "0-2.1", "0-2", "0", "1-1.1", "1"]
    positions = [parse_position(place) for place in places]
    assert sorted(positions) == positions
    assert Position() == positions[0]


# Campaigns and ticks.


def test_camps_see_a_campaign_without_counts(pond: World):
    pond.send(ANNA)
    assert show(pond, CAMP).operations is None
    operations = show(pond, OPERATOR).operations
    assert operations is not None
    assert 1 == operations.orders


def test_a_camp_reads_its_own_readiness(pond: World):
    pond.face.readiness.mark("pond", "west", on=True)
    assert (False, True) == (show(pond, CAMP).ready, show(pond, Token("camp", campaign="pond", camp="west")).ready)


def test_a_ticks_way_from_upcoming_to_published(pond: World):
    assert ["open", "upcoming", "upcoming"] == [tick(pond, number, CAMP).status for number in (1, 2, 3)]
    pond.close()
    assert ("resolving", "night") == (tick(pond, 1, CAMP).status, tick(pond, 1, CAMP).phase)
    pond.runtime.resolve("pond")
    assert ("published", "") == (tick(pond, 1, CAMP).status, tick(pond, 1, CAMP).phase)
    with pytest.raises(Problem, match="unknown_tick"):
        tick(pond, 5, CAMP)


def test_camps_see_a_tick_without_counts_and_operators_with_them(pond: World):
    pond.send(ANNA, BERT)
    pond.close()
    assert (None, None) == (tick(pond, 1, CAMP).progress, tick(pond, 1, CAMP).record)
    progress = tick(pond, 1, OPERATOR).progress
    assert progress is not None
    assert (2, 0, 2, 0, 1) == (progress.orders, progress.step, progress.steps, progress.shards_done, progress.shards)
    pond.runtime.resolve("pond")
    assert tick(pond, 1, CAMP).record is None
    record = tick(pond, 1, OPERATOR).record
    assert record is not None
    assert (2, ["night", "dawn"]) == (record.orders, [phase.name for phase in record.phases])


def test_a_camp_gets_a_seal_and_not_the_digest(pond: World):
    pond.play()
    record = tick(pond, 1, OPERATOR).record
    assert record is not None
    shown = tick(pond, 1, CAMP)
    assert 64 == len(shown.seal)
    assert record.digest not in repr(shown)


def test_a_seed_is_revealed_by_policy_and_hashes_to_its_commitment(empty: World):
    empty.found(policy=Policy(reveal_after=1))
    overview = empty.face.overview
    before = overview.commitment(empty.services.campaigns.load("pond").head, 1)
    empty.play()
    with pytest.raises(Problem, match=r"not_revealed.*tick 2 is published"):
        overview.seed(empty.services.campaigns.load("pond").head, 1)
    empty.play()
    head = empty.services.campaigns.load("pond").head
    assert before == commitment(bytes.fromhex(overview.seed(head, 1)))


@pytest.mark.parametrize(("after", "words"), [(None, "never"), ("end", "ends"), (3, "tick 4 is published")])
def test_a_seed_that_is_not_revealed_says_when_it_will_be(empty: World, after: Any, words: str):
    empty.found(policy=Policy(reveal_after=after))
    with pytest.raises(Problem, match=f"not_revealed.*{words}"):
        empty.face.overview.seed(empty.services.campaigns.load("pond").head, 1)


def test_the_commitment_of_a_tick_is_public_before_it_opens(pond: World):
    overview, campaigns = pond.face.overview, pond.services.campaigns
    assert 64 == len(overview.commitment(campaigns.load("pond").head, 2))
    with pytest.raises(Problem, match=r"not_committed.*tick 1 closes"):
        overview.commitment(campaigns.load("pond").head, 3)
    pond.close()
    assert 64 == len(overview.commitment(campaigns.load("pond").head, 3))


# Readiness.


def test_a_tick_closes_when_all_camps_are_ready_and_the_schedule_says_so(empty: World):
    empty.found(schedule=Schedule(when_ready=True))
    assert (1, False) == empty.face.readiness.mark("pond", "east", on=True)
    assert (1, True) == empty.face.readiness.mark("pond", "west", on=True)
    assert (2, False) == empty.face.readiness.mark("pond", "west", on=True)


def test_readiness_alone_closes_nothing(pond: World):
    for camp in ("east", "west"):
        assert (1, False) == pond.face.readiness.mark("pond", camp, on=True)


def test_a_camps_next_order_takes_its_word_back(empty: World):
    empty.found(schedule=Schedule(when_ready=True))
    empty.face.readiness.mark("pond", "east", on=True)
    empty.send(ANNA)
    assert (1, False) == empty.face.readiness.mark("pond", "west", on=True)
    empty.send({"kind": "fish", "boat": "carl"}, sender=WEST)
    assert (1, False) == empty.face.readiness.mark("pond", "east", on=True)
    assert (1, True) == empty.face.readiness.mark("pond", "west", on=True)


def test_a_word_can_be_taken_back(empty: World):
    empty.found(schedule=Schedule(when_ready=True))
    empty.face.readiness.mark("pond", "east", on=True)
    empty.face.readiness.mark("pond", "east", on=False)
    assert (1, False) == empty.face.readiness.mark("pond", "west", on=True)


def test_a_draft_has_nobody_ready(empty: World):
    empty.found(opened=False)
    with pytest.raises(Problem, match="campaign_not_open"):
        empty.face.readiness.mark("pond", "east", on=True)
