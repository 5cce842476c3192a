"""Founding a campaign: whole or not at all, once a key, and nothing of it foreseeable or shown."""

from typing import Any

import pytest
from rich.pretty import pretty_repr

from tests.service.pond import World
from workers.kernel.errors import InvalidInput
from workers.kernel.ids import commitment, id_key, tick_seed
from workers.service.founding import CampaignPlan
from workers.service.problems import Problem
from workers.store.records import Policy, Schedule

SEED = "07" * 32


def plan(**more: Any) -> CampaignPlan:
    return CampaignPlan(campaign="pond", rulebook="lake", **more)


def test_a_campaign_starts_as_a_draft_with_its_set_up_published(empty: World):
    empty.found(opened=False, campaign_seed=SEED)
    head = empty.services.campaigns.load("pond").head
    assert ("draft", 1, 0) == (head.status, head.open_tick, head.published)
    (page,) = empty.services.store.reports.read("pond", "east")
    assert (0, 1, True) == (page.tick, page.page, page.last)


def test_commitments_of_ticks_0_1_and_2_are_public_at_creation_and_that_of_3_is_staged(empty: World):
    empty.found(opened=False, campaign_seed=SEED)
    seed = bytes.fromhex(SEED)
    hashes = [commitment(tick_seed(seed, tick)) for tick in range(4)]
    assert dict(enumerate(hashes[:3])) == empty.services.store.heads.commitments("pond")
    assert hashes[3] == empty.services.campaigns.load("pond").head.staged_commitment


def test_ids_come_from_a_key_that_is_not_the_seed(empty: World):
    empty.found(opened=False, campaign_seed=SEED)
    head = empty.services.campaigns.load("pond").head
    assert id_key(bytes.fromhex(SEED)).hex() == head.id_key
    assert bytes.fromhex(SEED) == empty.services.store.heads.seed("pond")


def test_a_seed_is_drawn_where_none_is_given_and_differs_between_campaigns(empty: World):
    empty.found("one")
    empty.found("two")
    seeds = {empty.services.store.heads.seed(name) for name in ("one", "two")}
    assert 2 == len(seeds)


def test_the_same_creation_founds_once(empty: World):
    assert empty.face.founding.found(plan(), "key").created
    before = empty.services.campaigns.load("pond").head
    assert not empty.face.founding.found(plan(), "key").created
    assert before == empty.services.campaigns.load("pond").head


def test_a_key_used_for_another_plan_is_a_conflict(empty: World):
    empty.face.founding.found(plan(), "key")
    with pytest.raises(Problem, match="idempotency_conflict"):
        empty.face.founding.found(plan(shards=2), "key")


@pytest.mark.parametrize("key", ["", "other"])
def test_a_name_that_is_taken_is_refused(empty: World, key: str):
    empty.face.founding.found(plan(), "key")
    with pytest.raises(Problem, match="campaign_exists"):
        empty.face.founding.found(plan(), key)


def test_a_generated_scenario_depends_on_its_seed_alone(empty: World):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        empty.found(name, scenario={"generate": {"size": 40, "seed": seed}}, campaign_seed=SEED)
    manifests = [empty.services.campaigns.load(name).head.manifest for name in "abc"]
    assert manifests[0] == manifests[1] != manifests[2]


def test_a_large_campaign_gets_more_slices_and_groups(empty: World):
    empty.found(scenario={"generate": {"size": 20_000}})
    head = empty.services.campaigns.load("pond").head
    assert (64, 512) == (head.slices, head.groups)


def test_a_whole_scenario_is_accepted_as_plain_data_and_settings_override_it(empty: World):
    boats = [{"id": "solo", "camp": "west"}]
    empty.found(scenario={"title": "Alone", "boats": boats, "settings": {"hands": 3}}, settings={"hands": 4})
    assert 4 == empty.services.campaigns.load("pond").settings.hands


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"scenario": "sea"}, "scenario"),
        ({"scenario": {"generate": {"size": 0}}}, "scenario.generate.size"),
        ({"scenario": {"generate": {"size": 5}, "title": "x"}}, "scenario"),
        ({"scenario": {"generate": {"size": "many"}}}, "scenario.generate.size"),
        ({"scenario": {"title": "x"}}, "scenario.boats"),
        ({"scenario": {"title": "x", "boats": [{"id": "b", "camp": "north"}]}}, "scenario.boats[0].camp"),
        ({"settings": {"hands": 99}}, "settings.hands"),
        ({"settings": {"feet": 2}}, "settings.feet"),
        ({"campaign_seed": "abc"}, "campaign_seed"),
        ({"campaign_seed": "zz" * 32}, "campaign_seed"),
        ({"slices": 3}, "slices"),
        ({"slices": 512}, "slices"),
        ({"shards": -1}, "shards"),
        ({"retain_ticks": 0}, "retain_ticks"),
        ({"schedule": Schedule(cron="never")}, "schedule.cron"),
    ],
)
def test_a_bad_plan_is_refused_by_its_field_and_founds_nothing(empty: World, more: dict[str, Any], field: str):
    with pytest.raises(InvalidInput) as error:
        empty.face.founding.found(plan(**more))
    assert field == error.value.field
    assert empty.services.store.heads.get("pond") is None


@pytest.mark.parametrize("name", ["", "Pond", "a/b", "-a", "a" * 64, "a{b}"])
def test_a_bad_name_is_refused(empty: World, name: str):
    with pytest.raises(InvalidInput) as error:
        empty.face.founding.found(CampaignPlan(campaign=name, rulebook="lake"))
    assert "campaign" == error.value.field


def test_a_seed_is_in_no_representation_and_no_error(empty: World):
    given = plan(campaign_seed=SEED)
    assert SEED not in repr(given)
    assert SEED not in pretty_repr(given)
    with pytest.raises(InvalidInput) as error:
        empty.face.founding.found(plan(campaign_seed="ab" * 31))
    assert "abab" not in str(error.value)


def test_the_policy_and_the_schedule_are_kept(empty: World):
    empty.found(opened=False, schedule=Schedule(interval_s=60), policy=Policy(reveal_after="end"))
    head = empty.services.campaigns.load("pond").head
    assert (60, "end", 0) == (head.schedule.interval_s, head.policy.reveal_after, head.deadline_ms)


def test_opening_sets_the_first_deadline_and_pausing_and_resuming_a_new_one(empty: World):
    empty.found(schedule=Schedule(interval_s=3_600))
    now_ms = empty.services.store.heads.server_time_ms()
    first = empty.services.campaigns.load("pond").head.deadline_ms
    assert now_ms + 3_590_000 < first <= now_ms + 3_600_000
    assert ["pond"] == empty.services.store.hints.due_until(first, 10)
    empty.face.lifecycle.move("pond", "pause")
    assert [] == empty.services.store.hints.due_until(first, 10)
    empty.face.lifecycle.move("pond", "resume")
    assert first <= empty.services.campaigns.load("pond").head.deadline_ms


@pytest.mark.parametrize("verb", ["open", "resume"])
def test_opening_what_is_open_delays_no_close(empty: World, verb: Any):
    empty.found(schedule=Schedule(interval_s=3_600))
    store = empty.services.store
    before = empty.services.campaigns.load("pond").head
    store.hints.due("pond", 1_000)
    assert "same" == empty.face.lifecycle.move("pond", verb).outcome

    assert ["pond"] == store.hints.due_until(1_000, 10)
    assert before == empty.services.campaigns.load("pond").head


@pytest.mark.parametrize(
    ("before", "verb"), [((), "pause"), ((), "resume"), (("open", "end"), "open"), (("end",), "resume")]
)
def test_a_step_that_the_status_does_not_allow_is_refused(empty: World, before: tuple[Any, ...], verb: Any):
    empty.found(opened=False)
    for step in before:
        empty.face.lifecycle.move("pond", step)
    with pytest.raises(Problem, match="lifecycle_refused"):
        empty.face.lifecycle.move("pond", verb)
