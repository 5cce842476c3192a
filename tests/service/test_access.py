"""Tokens: a scope says what a token sees and does, and a campaign that it doesn't open isn't there."""

from typing import Any

import msgspec
import pytest
from rich.pretty import pretty_repr

from tests.service.pond import BERT, World, receipt
from workers import clock
from workers.kernel.errors import InvalidInput
from workers.service.access import Access, NewToken, RotationPlan, Sender, TokenPlan
from workers.service.problems import Problem
from workers.store.records import Token

CAMP = TokenPlan("camp", camp="east")
ACTOR = TokenPlan("actor", camp="east", actor="pat", entities=("bert",))
PAT_OF_THE_WEST = TokenPlan("actor", camp="west", actor="pat", entities=("carl",))


def made(pond: World, plan: TokenPlan) -> Token:
    found = pond.face.access.authenticate(pond.face.access.create("pond", plan).secret)
    assert found is not None
    return found


def test_a_secret_opens_what_its_scope_says(pond: World):
    access = pond.face.access
    assert Sender("east", "east") == access.sender_of(made(pond, CAMP), "pond")
    assert Sender("east", "pat", frozenset({"bert"})) == access.sender_of(made(pond, ACTOR), "pond")
    assert "operator" == access.operator_of(made(pond, TokenPlan("operator")), "pond").scope


@pytest.mark.parametrize("plan", [CAMP, ACTOR])
def test_players_operate_nothing(pond: World, plan: TokenPlan):
    with pytest.raises(Problem, match="forbidden_scope"):
        pond.face.access.operator_of(made(pond, plan), "pond")


def test_operators_send_no_orders(pond: World):
    for token in (made(pond, TokenPlan("operator")), Token("admin")):
        with pytest.raises(Problem, match="forbidden_scope"):
            pond.face.access.sender_of(token, "pond")


@pytest.mark.parametrize("plan", [CAMP, ACTOR, TokenPlan("operator")])
def test_another_campaign_answers_like_one_that_does_not_exist(pond: World, plan: TokenPlan):
    pond.found("other")
    token = made(pond, plan)
    answers = []
    for name in ("other", "nowhere"):
        for ask in (pond.face.access.reader_of, pond.face.access.sender_of, pond.face.access.operator_of):
            for asked in (token, None):
                with pytest.raises(Problem) as error:
                    ask(asked, name)
                answers.append((error.value.code, error.value.detail.replace(name, "X")))
    assert 1 == len(set(answers))


def test_an_unknown_or_revoked_secret_opens_nothing(pond: World):
    new = pond.face.access.create("pond", CAMP)
    assert pond.face.access.authenticate(new.secret) is not None
    pond.face.access.revoke("pond", new.id)
    for secret in (new.secret, "tocsin_" + "A" * 43, "", new.id):
        assert pond.face.access.authenticate(secret) is None


def test_a_token_is_revoked_in_its_own_campaign_only(pond: World):
    pond.found("other")
    new = pond.face.access.create("pond", CAMP)
    with pytest.raises(Problem, match="unknown_token"):
        pond.face.access.revoke("other", new.id)
    assert pond.face.access.authenticate(new.secret) is not None


def test_lists_show_no_secret(pond: World):
    new: list[NewToken] = [pond.face.access.create("pond", plan) for plan in (CAMP, ACTOR)]
    listed = pond.face.access.listed("pond").tokens
    assert sorted(one.id for one in new) == [one.id for one in listed]
    assert not any(one.secret in repr(listed) + repr(one) + pretty_repr(one) for one in new)


def test_an_admin_is_asked_for_by_name(pond: World):
    access = pond.face.access
    assert "admin" == access.admin(access.authenticate(access.create_admin().secret)).scope
    with pytest.raises(Problem, match="unauthorized"):
        access.admin(None)
    with pytest.raises(Problem, match="forbidden_scope"):
        access.admin(made(pond, TokenPlan("operator")))


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({"scope": "admin"}, "scope"),
        ({"scope": "camp"}, "camp"),
        ({"scope": "camp", "camp": "north"}, "camp"),
        ({"scope": "camp", "camp": "east", "actor": "pat"}, "actor"),
        ({"scope": "operator", "camp": "east"}, "camp"),
        ({"scope": "actor", "camp": "east", "entities": ("bert",)}, "actor"),
        ({"scope": "actor", "camp": "east", "actor": "pat"}, "entities"),
        ({"scope": "actor", "camp": "east", "actor": "pat", "entities": ("",)}, "entities"),
        ({"scope": "actor", "camp": "east", "actor": "west", "entities": ("bert",)}, "actor"),
        ({"scope": "actor", "camp": "east", "actor": "a\n", "entities": ("bert",)}, "actor"),
        ({"scope": "operator", "label": "x" * 65}, "label"),
    ],
)
def test_a_token_that_makes_no_sense_is_refused_by_its_field(pond: World, plan: dict[str, Any], field: str):
    with pytest.raises(InvalidInput) as error:
        pond.face.access.create("pond", TokenPlan(**plan))
    assert field == error.value.field


def test_no_two_camps_have_an_actor_of_one_name(pond: World):
    """An order's id is made from its actor's name: two of one name would meet in the book."""
    pond.face.access.create("pond", ACTOR)
    pond.face.access.create("pond", ACTOR)
    with pytest.raises(InvalidInput, match="the name of an actor of 'east'") as error:
        pond.face.access.create("pond", PAT_OF_THE_WEST)
    assert ("actor", "another name, or the camp 'east'") == (error.value.field, error.value.accepted)


def test_a_name_stays_with_its_camp_when_its_tokens_are_gone(pond: World):
    for token in (pond.face.access.create("pond", ACTOR), pond.face.access.create("pond", ACTOR)):
        pond.face.access.revoke("pond", token.id)
    with pytest.raises(InvalidInput, match="stays it"):
        pond.face.access.create("pond", PAT_OF_THE_WEST)
    assert "pat" == made(pond, ACTOR).actor


def test_a_plan_that_makes_no_sense_takes_no_name(pond: World):
    for wrong in (msgspec.structs.replace(ACTOR, label="x" * 65), msgspec.structs.replace(ACTOR, entities=())):
        with pytest.raises(InvalidInput):
            pond.face.access.create("pond", wrong)
    assert "west" == made(pond, PAT_OF_THE_WEST).camp


def test_an_order_is_the_only_one_of_its_id_however_its_sender_s_name_is_used_again(pond: World):
    """The attack: the token is revoked, its name is given to another camp, and the same idempotency key is sent."""
    access = pond.face.access
    first = access.create("pond", ACTOR)
    east = access.sender_of(access.authenticate(first.secret), "pond")
    sent = receipt(pond.send(BERT, sender=east, key="turn-1").results[0])
    access.revoke("pond", first.id)
    with pytest.raises(InvalidInput):
        access.create("pond", PAT_OF_THE_WEST)
    other = made(pond, msgspec.structs.replace(PAT_OF_THE_WEST, actor="may"))
    again = pond.send({"kind": "fish", "boat": "carl"}, sender=access.sender_of(other, "pond"), key="turn-1")
    assert sent.id != receipt(again.results[0]).id


def test_a_token_is_replaced_in_its_own_campaign_only(pond: World):
    pond.found("other")
    access = pond.face.access
    old = access.create("pond", CAMP)
    for campaign in ("other", ""):
        with pytest.raises(Problem, match="unknown_token"):
            access.rotate(campaign, old.id, RotationPlan())
    new = access.rotate("pond", old.id, RotationPlan())
    assert access.authenticate(old.secret) is None
    assert Sender("east", "east") == access.sender_of(access.authenticate(new.secret), "pond")
    assert new.secret not in repr(new) + pretty_repr(new)


def test_an_admin_s_token_is_listed_replaced_and_revoked_as_no_campaign_s(pond: World):
    access = pond.face.access
    old = access.create_admin("first")
    with pytest.raises(Problem, match="unknown_token"):
        access.rotate("pond", old.id, RotationPlan())
    new = access.rotate("", old.id, RotationPlan())
    assert [(new.id, "admin", old.id)] == [(one.id, one.scope, one.replaces) for one in access.listed("").tokens]
    access.revoke("", new.id)
    assert access.authenticate(new.secret) is None
    assert () == access.listed("").tokens


def test_a_token_that_ends_already_is_not_replaced_again(pond: World):
    access = pond.face.access
    old = access.create("pond", CAMP)
    access.rotate("pond", old.id, RotationPlan(60))
    with pytest.raises(Problem, match="token_ending"):
        access.rotate("pond", old.id, RotationPlan())
    ends = {one.id: one.ends_ms for one in access.listed("pond").tokens}
    assert ends[old.id] > pond.services.store.heads.server_time_ms()


@pytest.mark.parametrize(("overlap_s", "accepted"), [(-1, False), (0, True), (60, True), (61, False)])
def test_an_overlap_is_bounded_by_the_setting(pond: World, overlap_s: int, accepted: bool):
    access = Access(pond.services.store, clock.entropy, overlap_max_s=60)
    old = access.create("pond", CAMP)
    if accepted:
        access.rotate("pond", old.id, RotationPlan(overlap_s))
        assert (overlap_s > 0) == (access.authenticate(old.secret) is not None)
        return
    with pytest.raises(InvalidInput, match=r"0\.\.60") as error:
        access.rotate("pond", old.id, RotationPlan(overlap_s))
    assert "overlap_s" == error.value.field
    assert access.authenticate(old.secret) is not None
