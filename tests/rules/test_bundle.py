"""Bundles: one tick as one document, read strictly and written back the same."""

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from tests.sample_plugin.installation import GAMES
from workers.kernel.errors import InvalidInput
from workers.kernel.ids import id_key, tick_seed
from workers.kernel.tick import resolve
from workers.rules.bundle import Loaded, bundle_of, load_bundle, result_document
from workers.rules.contract import Rulebook

NIGHT = (GAMES / "a_night.json").read_text(encoding="utf-8")


def load(lantern: Rulebook, text: str | bytes, slices: int = 1) -> Loaded:
    return load_bundle(text if isinstance(text, bytes) else text.encode(), lambda name: lantern, slices)


def changed(change: dict[str, Any]) -> str:
    """The night with some of its parts replaced, each named by its path; None removes one."""
    document = json.loads(NIGHT)
    for path, value in change.items():
        *parents, last = path.split("/")
        part = document
        for name in parents:
            part = part[int(name)] if isinstance(part, list) else part[name]
        if value is None:
            del part[last]
        elif isinstance(part, list):
            part[int(last)] = value
        else:
            part[last] = value
    return json.dumps(document)


def refusal(lantern: Rulebook, text: str | bytes) -> InvalidInput:
    with pytest.raises(InvalidInput) as found:
        load(lantern, text)
    return found.value


def test_a_bundle_written_again_resolves_to_the_same_tick(lantern: Rulebook) -> None:
    loaded = load(lantern, NIGHT)
    again = load(lantern, bundle_of(lantern, loaded.given), 16)

    assert resolve(loaded.engine, loaded.given).digest == resolve(again.engine, again.given).digest
    assert bundle_of(lantern, loaded.given) == bundle_of(lantern, again.given)


def test_a_bundle_of_orders_that_came_from_the_store_is_the_same(lantern: Rulebook) -> None:
    ids = [f"{i}" * 25 + "a" for i in "234567abc"]
    text = changed({f"orders/{i}/id": name for i, name in enumerate(ids)})
    given = load(lantern, text).given
    packing = load(lantern, text).engine.packing
    stored = [packing.unpack(packing.pack(booked)) for booked in given.orders]
    assert bundle_of(lantern, given) == bundle_of(lantern, replace(given, orders=stored))


def test_made_up_games_may_give_the_campaign_seed(lantern: Rulebook) -> None:
    seed = bytes(32)
    both = {"campaign_seed": None, "tick_seed": tick_seed(seed, 3).hex(), "id_key": id_key(seed).hex()}

    expected = load(lantern, NIGHT)
    found = load(lantern, changed(both))

    assert (expected.given.tick_seed, expected.given.id_key) == (found.given.tick_seed, found.given.id_key)


def test_an_order_without_home_is_booked_as_check_says(lantern: Rulebook) -> None:
    by_id = {booked.id: booked for booked in load(lantern, NIGHT).given.orders}

    assert ("corvo", "sandy hole") == (by_id["04"].home, by_id["04"].facts.cove)
    assert ("farouk", None) == (by_id["09"].home, by_id["09"].facts)
    assert "sandy hole" == by_id["08"].facts.cove


@pytest.mark.parametrize(
    ("change", "field", "problem", "accepted"),
    [
        ({"rulebook": 3}, "rulebook", "Expected `str`", "str"),
        ({"rulebook_version": "0"}, "rulebook_version", "recorded with version '0' of lantern", "'1'"),
        ({"tick": -1}, "tick", "-1 is not a tick", "0..2**53-1"),
        ({"tick": 2**53}, "tick", "is not a tick", "0..2**53-1"),
        ({"moon": "full"}, "moon", "unknown field `moon`", ""),
        ({"campaign_seed": None}, "tick_seed", "0 characters that are not a seed", "64 hexadecimal digits"),
        ({"campaign_seed": "00"}, "campaign_seed", "2 characters", "64 hexadecimal digits"),
        ({"campaign_seed": "zz" * 32}, "campaign_seed", "64 characters", "64 hexadecimal digits"),
        ({"campaign_seed": " " + "0" * 63}, "campaign_seed", "64 characters", "64 hexadecimal digits"),
        ({"id_key": "00" * 32}, "campaign_seed", "given beside tick_seed or id_key", "either it, or both of them"),
        ({"settings/to_land": "ten"}, "settings.to_land", "Expected `int`", "int"),
        ({"state/shared": {}}, "state.shared.coves", "missing required field `coves`", ""),
        ({"state/homes/anne/skill": None}, "state.homes.anne.skill", "missing required field `skill`", ""),
        ({"state/homes/anne/id": "anna"}, "state.homes.anne.id", "the home says 'anna'", "'anne'"),
        ({"orders/1/id": "01"}, "orders[1].id", "'01' is empty or taken", "ids that differ"),
        ({"orders/1/id": ""}, "orders[1].id", "'' is empty or taken", "ids that differ"),
        ({"orders/1/camp": "sharks"}, "orders[1].camp", "unknown camp 'sharks'", "keepers or smugglers"),
        ({"orders/1/order": {"kind": "dance"}}, "orders[1].order.kind", "Invalid value 'dance'", ""),
        ({"orders/4/order/crates": 0}, "orders[4].order.crates", "Expected `int` >= 1", "int >= 1"),
        ({"orders/0/order/to": "the moon"}, "orders[0].order.to", "refused: unknown_cove", "old mill or sandy hole"),
        ({"orders/0/order/crew": "corvo"}, "orders[0].order.crew", "refused: unknown_crew", "a crew of yours"),
        ({"orders/7/facts": [3]}, "orders[7].facts[0]", "Expected `str`", "str"),
        ({"dropped": ["77"]}, "dropped", "no order has the id '77'", "ids of the bundle's orders"),
        ({"amendments/0/home": "anne"}, "amendments[0].home", "'anne' is not where this event acts", "'gaëlle'"),
        ({"amendments/0/event/event": "flood"}, "amendments[0].event.event", "Invalid value 'flood'", ""),
    ],
)
def test_a_bundle_that_is_wrong_names_the_field(
    lantern: Rulebook, change: dict[str, Any], field: str, problem: str, accepted: str
) -> None:
    found = refusal(lantern, changed(change))

    assert field == found.field
    assert problem in found.problem
    if accepted:
        assert found.accepted.endswith(accepted)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "truncated"),
        (b"{", "truncated"),
        (b"[]", "Expected `object`"),
        (b'{"rulebook": "\xff"}', "UTF-8"),
        (b'{"rulebook": NaN}', "malformed"),
        (b'{"settings":' + b"[" * 100_000, "nested too deep"),
    ],
)
def test_what_is_no_document_is_refused(lantern: Rulebook, text: bytes, problem: str) -> None:
    assert problem.lower() in str(refusal(lantern, text)).lower()


def test_an_unknown_rulebook_is_refused_by_whoever_knows_the_names(lantern: Rulebook) -> None:
    def find(name: str) -> Rulebook:
        raise InvalidInput("rulebook", f"unknown rulebook {name!r}", "lantern")

    with pytest.raises(InvalidInput, match="unknown rulebook 'lantern'"):
        load_bundle(NIGHT.encode(), find)


def test_amendments_of_a_rulebook_without_any_are_refused(lantern: Rulebook) -> None:
    found = refusal(replace(lantern, amendments={}), NIGHT)

    assert ("amendments[0]", "none") == (found.field, found.accepted)


def test_the_document_of_a_result_holds_events_state_reports_and_digest(lantern: Rulebook) -> None:
    loaded = load(lantern, NIGHT)
    result = resolve(loaded.engine, loaded.given)
    document = json.loads(msgspec.json.encode(result_document(result)))

    assert {"tick", "events", "state", "reports", "digest"} == document.keys()
    assert (3, result.digest) == (document["tick"], document["digest"])
    assert "gaëlle" in document["state"]["homes"]
    assert {"keepers", "smugglers"} == document["reports"].keys()
    rolls = [event["roll"] for event in document["events"] if "roll" in event]
    assert rolls
    assert all({"path", "dice", "terms", "total", "threshold", "outcome"} == roll.keys() for roll in rolls)
