"""The script files: what each must say of itself, and what none may use."""

import re

import pytest
import redis

from tests.store.campaigns import NAME, SEED, new_campaign
from workers.store import Store
from workers.store.scripts import Scripts


@pytest.fixture
def scripts(client: redis.Redis) -> Scripts:
    return Scripts(client)  # type: ignore[arg-type] # redis-py types replies as bytes or text; ours are bytes


def test_each_script_begins_with_its_name_its_keys_its_arguments_and_its_replies(scripts: Scripts) -> None:
    for name in scripts.names():
        header = re.match(r"(--.*\n)+", scripts.text(name))
        assert header is not None, name
        assert header[0].startswith(f"-- {name}: "), name
        assert all(f"\n-- {word} " in header[0] for word in ("KEYS", "ARGV", "Reply")), name


@pytest.mark.parametrize("forbidden", ["sha1hex", "cmsgpack", "struct.", "bit.", "loadstring", "math.random", "KEYS *"])
def test_no_script_uses_what_a_twin_lacks_or_a_replica_can_t_repeat(scripts: Scripts, forbidden: str) -> None:
    assert [] == [name for name in scripts.names() if forbidden in scripts.text(name)]


def test_no_script_names_a_key_itself(scripts: Scripts) -> None:
    assert [] == [name for name in scripts.names() if "tocsin:" in scripts.text(name)]


def test_a_server_that_forgot_its_scripts_gets_them_again(store: Store, client: redis.Redis) -> None:
    store.heads.create(new_campaign(), seed=SEED)
    assert "changed" == store.heads.lifecycle(NAME, "open").outcome
    client.script_flush()

    assert "changed" == store.heads.lifecycle(NAME, "pause").outcome
