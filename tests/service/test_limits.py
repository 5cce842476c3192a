"""Limits of a token's campaigns: exact for many at once, and mended where a process was killed."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
import redis

from tests.service.pond import World, world
from workers.service.founding import CampaignPlan, Founded
from workers.service.limits import UNFOUNDED_MS, seconds
from workers.service.problems import Problem
from workers.store.keys import founded_key

OWNER = "0" * 64
MOST = 3


@pytest.fixture
def lake(client: redis.Redis, tmp_path: Path) -> World:
    return world(client, tmp_path.as_uri(), campaigns_token_max=MOST)


def found(lake: World, name: str, owner: str = OWNER) -> Founded:
    plan = CampaignPlan(campaign=name, rulebook="lake")
    return lake.face.limits.found(owner, name, lambda: lake.face.founding.found(plan))


def places(lake: World) -> set[str]:
    client = cast(Any, lake.services.store.client)
    return {name.decode() for name in client.zrange(founded_key(OWNER), 0, -1)}


def test_of_many_creations_at_once_as_many_are_carried_out_as_may_be(lake: World):
    def attempt(number: int) -> str:
        try:
            found(lake, f"c{number}")
        except Problem as problem:
            return problem.code
        return "founded"

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(attempt, range(8)))
    assert [MOST, 8 - MOST] == [outcomes.count(code) for code in ("founded", "too_many_campaigns")]
    assert places(lake) == set(lake.services.store.heads.campaigns())


def test_a_place_stays_where_nobody_knows_whether_the_campaign_was_founded(lake: World):
    def lost() -> Founded:
        raise redis.TimeoutError("the answer didn't come")

    with pytest.raises(redis.TimeoutError):
        lake.face.limits.found(OWNER, "pond", lost)
    assert {"pond"} == places(lake)
    assert found(lake, "pond").created
    assert {"pond"} == places(lake)


def test_places_of_creations_that_were_killed_come_back(lake: World):
    """Once they are old enough that nobody can be at work on them, and somebody needs them."""
    store = lake.services.store
    for number in range(MOST):
        store.limits.reserve_campaign(OWNER, f"killed{number}", MOST)
    with pytest.raises(Problem, match="too_many_campaigns"):
        found(lake, "pond")
    now_ms = store.heads.server_time_ms()
    cast(Any, store.client).zadd(founded_key(OWNER), {"killed1": now_ms - UNFOUNDED_MS - 1})
    assert found(lake, "pond").created
    assert {"killed0", "killed2", "pond"} == places(lake)


def test_a_campaign_that_another_founded_takes_no_place(lake: World):
    found(lake, "pond", "1" * 64)
    with pytest.raises(Problem, match="campaign_exists"):
        found(lake, "pond")
    assert set() == places(lake)


@pytest.mark.parametrize(("wait_ms", "expected"), [(-5, 1), (0, 1), (1, 1), (1_000, 1), (1_001, 2), (60_000, 60)])
def test_a_wait_is_told_in_whole_seconds_and_never_too_short(wait_ms: int, expected: int):
    assert expected == seconds(wait_ms)
