"""A rulebook whose version or data changed is refused, until the operator says that the campaign goes on under it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
import redis

from tests.service.lake import RULEBOOK
from tests.service.pond import ANNA, World, world
from tests.service.test_backup import booked, founded, go_on, head_of, played, restored, step, taken
from workers.registry import Plugin, Registry
from workers.rules.contract import Rulebook
from workers.service.campaigns import WrongRulebook
from workers.service.problems import Problem
from workers.service.upgrading import NotUpgradable, Upgrading

NEWER = replace(RULEBOOK, version="2")


def under(pond: World, rulebook: Rulebook, folder: Path) -> World:
    """A process of another release on the same server."""
    return world(pond.services.store.client, folder.as_uri(), rulebooks=Registry([Plugin(rulebook, "tests 1")]))


def upgrading(pond: World) -> Upgrading:
    return Upgrading(pond.services.store, pond.services.campaigns)


@pytest.mark.parametrize("rulebook", [NEWER, replace(RULEBOOK, data={"tables": [1]})], ids=["version", "data"])
def test_a_changed_rulebook_is_refused_for_an_open_tick_until_the_upgrade(
    client: redis.Redis, tmp_path: Path, rulebook: Rulebook
) -> None:
    old = founded(client, tmp_path)
    booked(old, 1)
    new = under(old, rulebook, tmp_path)
    with pytest.raises(WrongRulebook, match="campaign pond runs on lake"):
        new.services.campaigns.load("pond")
    with pytest.raises(Problem, match="pond"):
        new.send(ANNA)

    done = upgrading(new).upgrade("pond")
    played(new)

    assert (True, None) == (done.changed, done.restarted)
    assert 1 == head_of(new).published
    with pytest.raises(WrongRulebook):
        old.services.campaigns.load("pond")
    (act,) = head_of(new).history
    assert ("upgrade", 1, done.before, done.after) == (act.act, act.tick, act.before, act.after)
    header = msgspec.json.decode(next(new.services.archive.read("pond", 1)))
    assert (rulebook.version, rulebook.fingerprint()) == (header["rulebook_version"], header["fingerprint"])


def test_an_upgrade_to_what_is_there_changes_nothing(client: redis.Redis, tmp_path: Path) -> None:
    pond = founded(client, tmp_path)
    head = head_of(pond)

    assert not upgrading(pond).upgrade("pond").changed
    assert head == head_of(pond)


def test_a_tick_that_is_being_resolved_starts_again_under_the_new_rules(client: redis.Redis, tmp_path: Path) -> None:
    old = founded(client, tmp_path)
    booked(old, 1)
    old.close()
    step(old)
    new = under(old, NEWER, tmp_path)
    done = upgrading(new).upgrade("pond")
    head = head_of(new)

    assert 1 == done.restarted
    assert (0, 2, "resolving") == (head.step, head.epoch, head.tick_status)
    assert head.start_manifest == head.manifest
    go_on(new)


@pytest.mark.parametrize(("finished", "told"), [(False, "isn't archived"), (True, "not yet published")])
def test_a_tick_that_was_played_under_the_old_rules_ends_under_them(
    client: redis.Redis, tmp_path: Path, finished: bool, told: str
) -> None:
    old = founded(client, tmp_path)
    old.close()
    while head_of(old).tick_status == "resolving":
        step(old)
    if not finished:
        old.services.publication.publish("pond", 1)

    with pytest.raises(NotUpgradable, match=told):
        upgrading(under(old, NEWER, tmp_path)).upgrade("pond")
    assert RULEBOOK.fingerprint() == head_of(old).fingerprint


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"camps": ("east", "north")}, "its camps are"),
        ({"shared": msgspec.defstruct("Shared", [("unheard_of", int)])}, "can't read its shared state"),
        ({"home": msgspec.defstruct("Home", [("id", str), ("unheard_of", int)])}, "can't read its "),
    ],
)
def test_a_version_that_can_not_read_the_campaign_is_refused_with_the_place(
    client: redis.Redis, tmp_path: Path, changes: dict[str, Any], told: str
) -> None:
    old = founded(client, tmp_path)
    booked(old, 1)
    before = head_of(old)
    new = under(old, replace(NEWER, **changes), tmp_path)

    with pytest.raises(NotUpgradable, match=told):
        upgrading(new).upgrade("pond")
    assert before == head_of(old)


def test_booked_orders_that_the_new_version_can_not_read_are_a_reason_too(client: redis.Redis, tmp_path: Path) -> None:
    old = founded(client, tmp_path)
    booked(old, 1)
    new = under(old, replace(NEWER, orders=RULEBOOK.orders[-1:]), tmp_path)

    with pytest.raises(NotUpgradable, match="orders of tick 1"):
        upgrading(new).upgrade("pond")


def test_an_export_goes_to_a_newer_release_and_waits_there_for_its_upgrade(client: redis.Redis, tmp_path: Path) -> None:
    old = founded(client, tmp_path)
    booked(old, 1)
    lines = taken(old)
    client.flushall()
    new = under(old, NEWER, tmp_path)
    restored(lines, new)
    with pytest.raises(WrongRulebook):
        new.services.campaigns.load("pond")
    upgrading(new).upgrade("pond")
    played(new)

    assert ["restore", "upgrade"] == [act.act for act in head_of(new).history]
    assert 2 == head_of(new).open_tick
