"""`tocsin token`: a secret is replaced or revoked by its token's id."""

from hashlib import sha256
from typing import Any

import pytest

from tests.cli.world import Cli, Town, open_campaign

UNKNOWN = "0" * 64


def opens(place: Town, secret: str, name: str) -> bool:
    """Whether a secret still opens a campaign."""
    return Cli(TOCSIN_URL=place.stack.url, TOCSIN_TOKEN=secret)("campaign", "show", name, "--json").exit_code == 0


def id_of(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


@pytest.fixture
def harbour(place: Town) -> str:
    """A campaign of this file's own; the secret of a camp's token."""
    name = f"harbour-{len(place.operator.json('campaign', 'show')['campaigns'])}"
    open_campaign(place.operator, name)
    return name


def made(place: Town, name: str) -> str:
    return str(place.operator.json("campaign", "token", name, "--camp", "angel")["secret"])


def test_a_rotated_token_is_another_secret_for_the_same_and_the_old_one_is_gone(place: Town, harbour: str):
    old = made(place, harbour)
    result = place.operator("token", "rotate", id_of(old), "--campaign", harbour)
    new = result.stdout.strip()
    assert (0, True, False) == (result.exit_code, opens(place, new, harbour), opens(place, old, harbour))
    listed: list[dict[str, Any]] = place.operator.json("token", "list", "--campaign", harbour)["tokens"]
    assert id_of(new) in [one["id"] for one in listed]
    assert id_of(old) not in [one["id"] for one in listed]


def test_with_an_overlap_both_work_and_the_list_says_until_when(place: Town, harbour: str):
    old = made(place, harbour)
    document = place.operator.json("token", "rotate", id_of(old), "--campaign", harbour, "--overlap-s", "600")
    assert opens(place, old, harbour)
    assert opens(place, document["secret"], harbour)
    listing = place.operator("token", "list", "--campaign", harbour)
    assert id_of(old) in listing.stdout
    assert old not in listing.stdout


def test_a_revoked_token_opens_nothing(place: Town, harbour: str):
    old = made(place, harbour)
    assert {"revoked": id_of(old)} == place.operator.json("token", "revoke", id_of(old), "--campaign", harbour)
    assert not opens(place, old, harbour)
    assert 0 == place.operator("token", "revoke", id_of(made(place, harbour)), "--campaign", harbour).exit_code


def test_admins_tokens_are_listed_without_a_campaign(place: Town):
    listed = place.operator.json("token", "list")["tokens"]
    assert {"admin"} == {one["scope"] for one in listed}


@pytest.mark.parametrize("verb", ["rotate", "revoke"])
def test_a_secret_given_for_an_id_is_refused_and_not_repeated(place: Town, harbour: str, verb: str):
    secret = made(place, harbour)
    result = place.operator("token", verb, secret, "--campaign", harbour)
    assert 2 == result.exit_code
    assert "TOKEN_ID" in result.stderr
    assert secret not in result.stdout + result.stderr
    assert opens(place, secret, harbour)


@pytest.mark.parametrize("verb", ["rotate", "revoke"])
def test_a_token_that_is_not_there_is_said_so(place: Town, harbour: str, verb: str):
    result = place.operator("token", verb, UNKNOWN, "--campaign", harbour)
    assert 2 == result.exit_code
    assert "unknown_token" in result.stderr
