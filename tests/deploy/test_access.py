"""The access list: made from the catalogue of keys, taken by a real server, and enforced there."""

import re

import pytest
from redis.exceptions import AuthenticationError, NoPermissionError

from deploy import users
from tests.deploy.guarded import DEPLOY, PROCESSES, GuardedServer, draw_secrets
from workers.store.connection import connect
from workers.store.keys import CATALOGUE, Keys, Role, token_key

# One guarded server serves all tests here: they stay on one test process.
pytestmark = pytest.mark.xdist_group("deploy-access")

SEED = bytes(range(32))
ROLES: dict[str, Role] = {"api": "api", "worker": "worker", "sweeper": "sweeper", "operator": "cli"}


def test_the_list_is_what_its_module_makes_of_the_catalogue() -> None:
    assert users.access_list() == (DEPLOY / "users.acl").read_text(encoding="utf-8")


def test_each_script_of_the_store_has_its_roles_and_its_keys() -> None:
    names = {path.stem for path in users.LUA.glob("*.lua")}

    assert names == set(users.SCRIPTS)
    assert {key for script in users.SCRIPTS.values() for key in script.keys} <= {spec.name for spec in CATALOGUE}


def test_as_it_is_shipped_nobody_can_log_in_but_to_ask_whether_the_server_lives() -> None:
    lines = [line.split() for line in (DEPLOY / "users.acl").read_text(encoding="utf-8").splitlines()]
    open_to = [words[1] for words in lines if "nopass" in words or any(word.startswith((">", "#")) for word in words)]

    assert open_to == ["tocsin-probe"]
    assert lines[0][:3] == ["user", "default", "off"]


def test_secrets_are_drawn_once_and_differ(tmp_path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert draw_secrets(first, "store:6379").returncode == draw_secrets(second, "store:6379").returncode == 0
    again = draw_secrets(first, "store:6379")

    assert again.returncode == 1
    assert "move them away first" in again.stderr
    passwords = [(folder / f"{name}.env").read_text() for folder in (first, second) for name in (*PROCESSES, "scaler")]
    assert len(set(passwords)) == 10
    assert {path.stat().st_mode & 0o077 for path in first.glob("*.env")} == {0}


def test_who_does_not_log_in_gets_nothing_and_the_probe_gets_its_answer(guarded: GuardedServer) -> None:
    stranger = connect(f"redis://127.0.0.1:{guarded.port}/0")
    with pytest.raises(AuthenticationError):
        stranger.ping()
    probe = connect(guarded.url)
    assert probe.ping()
    with pytest.raises(NoPermissionError):
        probe.execute_command("GET", "tocsin:sweeper")


def test_the_api_writes_the_seed_and_has_no_way_to_read_it(guarded: GuardedServer) -> None:
    seed = Keys("sealed").seed
    api = guarded.client_of("api")
    assert api.set(seed, SEED, nx=True)

    for command in (
        ("GET", seed),
        ("MGET", seed),
        ("SET", seed, "x", "GET"),
        ("EVAL", "return redis.call('GET', KEYS[1])", 1, seed),
        ("EVAL", "return redis.call('GET', ARGV[1])", 0, seed),
        ("EVAL", "redis.call('SET', KEYS[1], redis.call('GET', ARGV[1]))", 1, Keys("sealed").head, seed),
        ("COPY", seed, Keys("sealed").head),
        ("RENAME", seed, Keys("sealed").head),
        ("DUMP", seed),
        ("MONITOR",),
        ("CONFIG", "SET", "dir", "."),
        ("ACL", "SETUSER", "tocsin-api", "~*"),
    ):
        with pytest.raises(Exception, match=r"(?i)perm"):
            api.execute_command(*command)
    assert guarded.client_of("worker").get(seed) == SEED
    assert guarded.client_of("operator").get(seed) == SEED


@pytest.mark.parametrize("process", ["worker", "sweeper"])
def test_nobody_who_resolves_or_sweeps_writes_a_seed(guarded: GuardedServer, process: str) -> None:
    with pytest.raises(NoPermissionError):
        guarded.client_of(process).set(Keys("planted").seed, SEED)


def test_the_sweeper_reads_neither_seeds_nor_orders_nor_tokens(guarded: GuardedServer) -> None:
    keys = Keys("private")
    sweeper = guarded.client_of("sweeper")
    for command in (
        ("HGETALL", keys.record(1)),
        ("HGETALL", keys.revisions(1)),
        ("EVAL", "return redis.call('LRANGE', KEYS[1], 0, -1)", 1, keys.book(1, 0)),
        ("EVAL", "return redis.call('GET', KEYS[1])", 1, keys.seed),
        ("EVAL", "return redis.call('GET', KEYS[1])", 1, token_key("0" * 64)),
    ):
        with pytest.raises(Exception, match=r"(?i)perm"):
            sweeper.execute_command(*command)


def test_the_api_publishes_work_and_takes_none(guarded: GuardedServer) -> None:
    api = guarded.client_of("api")
    for command in (
        ("BRPOP", "tocsin.large", 1),
        ("RPOP", "tocsin.large"),
        ("LRANGE", "tocsin.large", 0, -1),
        ("HGETALL", "unacked"),
        ("PUBLISH", "/0.celery.pidbox", "shutdown"),
    ):
        with pytest.raises(NoPermissionError):
            api.execute_command(*command)


@pytest.mark.parametrize("process", PROCESSES)
@pytest.mark.parametrize("name", sorted(users.SCRIPTS))
def test_a_script_gets_its_keys_under_the_users_that_may_have_them_all(
    guarded: GuardedServer, process: str, name: str
) -> None:
    """The server is asked whether it would take the call; nothing runs."""
    role, script = ROLES[process], users.SCRIPTS[name]
    specs = [spec for spec in CATALOGUE if spec.name in script.keys]
    call = ("EVAL", "return 1", len(specs), *(_example(spec.pattern) for spec in specs))
    reply = guarded.test_client().execute_command("ACL", "DRYRUN", users.USERS[role], *call)

    if name in users.runs(role):
        assert reply == b"OK"
        assert users.commands_inside(name) <= _commands_of(users.USERS[role])
    elif any(users.access(role, spec) != "RW" for spec in specs):
        assert b"no permissions to access" in reply


@pytest.mark.parametrize(
    ("process", "name"),
    [
        ("api", "output"), ("api", "commit"), ("api", "attempt"), ("api", "published"), ("api", "reveal"),
        ("api", "lease_take"),
        ("worker", "create"), ("worker", "intake"), ("worker", "ready"), ("worker", "close"), ("worker", "lease_take"),
        ("sweeper", "create"), ("sweeper", "intake"), ("sweeper", "withdraw"), ("sweeper", "output"),
        ("sweeper", "commit"),
        ("worker", "admit"), ("worker", "hold"), ("worker", "reserve"), ("worker", "supersede"),
        ("sweeper", "admit"), ("sweeper", "hold"), ("sweeper", "reserve"), ("sweeper", "supersede"),
        ("sweeper", "pages"), ("sweeper", "published"), ("sweeper", "reveal"), ("sweeper", "collect"),
    ],
)  # fmt: skip
def test_no_process_can_run_what_is_another_ones_work(process: str, name: str) -> None:
    role = ROLES[process]
    specs = {spec.name: spec for spec in CATALOGUE}

    assert any(users.access(role, specs[key]) != "RW" for key in users.SCRIPTS[name].keys)


def _example(pattern: str) -> str:
    """A name of a key."""
    values = {"campaign": "paris", "camp": "angel", "letter": "q", "digest": "0" * 64, "sha256": "0" * 64}
    return re.sub("<([a-z0-9]+)>", lambda match: values.get(match[1], "3"), pattern)


def _commands_of(user: str) -> set[str]:
    lines = (DEPLOY / "users.acl").read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if line.startswith(f"user {user} "))
    return {word.removeprefix("+") for word in line.split() if word.startswith("+")}
