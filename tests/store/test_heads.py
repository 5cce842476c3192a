"""Campaigns: created whole or not at all, moved by their lifecycle alone, read back as written."""

from typing import get_args

import msgspec
import pytest
import redis
from rich.pretty import pretty_repr

from tests.store.campaigns import CAMPS, MANIFEST, NAME, SEED, digest, head_of, new_campaign, opened, scripts
from workers.store import Store
from workers.store.embedded import EmbeddedServer
from workers.store.errors import CorruptRecord, InvalidName, InvalidRequest
from workers.store.heads import Heads
from workers.store.keys import Keys
from workers.store.records import CAMPS_MAX, RECORD_FIELDS_MAX, Head, Policy, Schedule, Status, Verb
from workers.store.scripts import Scripts


def test_a_new_campaign_is_a_draft_whose_tick_1_will_be_the_first(store: Store) -> None:
    before_ms = store.heads.server_time_ms()
    assert "created" == store.heads.create(new_campaign(), seed=SEED).outcome
    head = head_of(store)

    assert ("draft", 1, 0, 0) == (head.status, head.open_tick, head.published, head.archived)
    assert (None, "", False, None, ()) == (head.resolving, head.tick_status, head.fused, head.failure, head.dropped)
    assert digest(MANIFEST) == head.manifest == head.start_manifest
    assert "c3" == head.staged_commitment
    assert before_ms <= head.created_ms <= store.heads.server_time_ms()


def test_a_head_is_read_back_as_it_was_given(store: Store) -> None:
    given = new_campaign(
        settings='{"décors":[1,2]}',
        schedule=Schedule(cron="0 20 * * *", time_zone="Europe/Paris", when_ready=True),
        policy=Policy(reveal_after="end"),
        slices=64,
        groups=4096,
        shards=3,
        min_open_s=60,
        retain_ticks=7,
    )
    store.heads.create(given, seed=SEED)
    head = head_of(store)

    shared = {field.name for field in msgspec.structs.fields(Head)} & set(given.__struct_fields__)
    assert {name: getattr(given, name) for name in shared} == {name: getattr(head, name) for name in shared}


def test_creation_writes_commitments_blobs_their_lines_first_pages_and_the_record_of_tick_0(store: Store) -> None:
    store.heads.create(new_campaign(), seed=SEED)

    assert {0: "c0", 1: "c1", 2: "c2"} == store.heads.commitments(NAME)
    assert ["c2", None] == [store.heads.commitment(NAME, tick) for tick in (2, 3)]
    assert [MANIFEST] == store.blobs.get_many(NAME, [digest(MANIFEST)])
    assert {digest(MANIFEST): 0} == store.blobs.index(NAME)
    assert [(0, 1, b"welcome, demons", False), (0, 2, b"more", True)] == [
        (page.tick, page.page, page.body, page.last) for page in store.reports.read(NAME, "demons")
    ]
    record = store.heads.record(NAME, 0)
    assert record is not None
    assert "0" == record["orders"]
    assert SEED == store.heads.seed(NAME)
    assert [NAME] == store.heads.campaigns()


def test_the_same_creation_sent_again_changes_nothing(store: Store, client: redis.Redis) -> None:
    store.heads.create(new_campaign(), seed=SEED)
    before = {key: client.dump(key) for key in client.scan_iter()} if client.keys() else {}

    assert "same" == store.heads.create(new_campaign(), seed=bytes(32)).outcome
    assert before == {key: client.dump(key) for key in client.scan_iter()}
    assert SEED == store.heads.seed(NAME)


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"creation_digest": "other body"}, "conflict"),
        ({"creation_key": "other key"}, "exists"),
        ({"creation_key": ""}, "exists"),
    ],
)
def test_a_name_is_given_once(store: Store, changes: dict[str, str], outcome: str) -> None:
    store.heads.create(new_campaign(), seed=SEED)

    assert outcome == store.heads.create(new_campaign(**changes), seed=bytes(32)).outcome
    assert SEED == store.heads.seed(NAME)
    assert "body" == head_of(store).creation_digest


def test_a_creation_without_a_key_is_never_the_same_as_another(store: Store) -> None:
    store.heads.create(new_campaign(creation_key="", creation_digest=""), seed=SEED)

    assert "exists" == store.heads.create(new_campaign(creation_key="", creation_digest=""), seed=SEED).outcome


def test_a_creation_that_the_server_refuses_leaves_no_seed_behind(store: Store, client: redis.Redis) -> None:
    client.set(Keys(NAME).commitments, b"not a hash")

    with pytest.raises(redis.ResponseError):
        store.heads.create(new_campaign(), seed=SEED)
    assert store.heads.seed(NAME) is None


def test_a_campaign_that_lost_its_seed_gets_no_other(store: Store, client: redis.Redis) -> None:
    store.heads.create(new_campaign(), seed=SEED)
    client.delete(Keys(NAME).seed)

    assert "same" == store.heads.create(new_campaign(), seed=bytes(32)).outcome
    assert store.heads.seed(NAME) is None


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"campaign": "Paris"}, "campaign"),
        ({"camps": ()}, "camps"),
        ({"camps": ("a", "a"), "pages": {}}, "camps"),
        ({"camps": tuple(f"camp-{number}" for number in range(CAMPS_MAX + 1)), "pages": {}}, "camps"),
        ({"camps": ("an}gels",), "pages": {}}, "camp"),
        ({"slices": 3}, "slices"),
        ({"slices": 512}, "slices"),
        ({"groups": 0}, "groups"),
        ({"groups": 1 << 17}, "groups"),
        ({"shards": -1}, "shards"),
        ({"steps": 0}, "steps"),
        ({"retain_ticks": 0}, "retain_ticks"),
        ({"manifest": "nowhere"}, "manifest"),
        ({"record": {str(number): "" for number in range(RECORD_FIELDS_MAX + 1)}}, "record"),
        ({"pages": {"angles": [b"page"]}}, "pages"),
    ],
)
def test_what_can_t_be_a_campaign_is_refused_by_the_name_of_its_field(changes: dict[str, object], named: str) -> None:
    with pytest.raises((InvalidRequest, InvalidName), match=f"^{named}: .*accepted"):
        new_campaign(**changes)


def test_a_seed_has_32_bytes(store: Store) -> None:
    with pytest.raises(InvalidRequest, match="seed: 31 bytes"):
        store.heads.create(new_campaign(), seed=bytes(31))
    assert store.heads.get(NAME) is None


def test_a_schedule_has_an_interval_or_a_cron_expression() -> None:
    with pytest.raises(InvalidRequest, match="schedule"):
        Schedule(interval_s=60, cron="* * * * *")
    with pytest.raises(InvalidRequest, match="interval_s"):
        Schedule(interval_s=-1)


def test_a_seed_isn_t_revealed_before_its_tick() -> None:
    with pytest.raises(InvalidRequest, match="reveal_after"):
        Policy(reveal_after=-1)


ALLOWED: dict[tuple[str, str], str] = {
    ("draft", "open"): "open",
    ("draft", "end"): "ended",
    ("open", "pause"): "paused",
    ("open", "end"): "ended",
    ("paused", "resume"): "open",
    ("paused", "end"): "ended",
}
ALREADY = {("open", "open"), ("open", "resume"), ("paused", "pause"), ("ended", "end")}
WAY: dict[str, tuple[Verb, ...]] = {"draft": (), "open": ("open",), "paused": ("open", "pause"), "ended": ("end",)}


@pytest.mark.parametrize("verb", get_args(Verb))
@pytest.mark.parametrize("status", get_args(Status))
def test_the_lifecycle_is_draft_open_paused_ended(store: Store, status: str, verb: Verb) -> None:
    store.heads.create(new_campaign(), seed=SEED)
    for step in WAY[status]:
        store.heads.lifecycle(NAME, step)
    reply = store.heads.lifecycle(NAME, verb)

    if (status, verb) in ALLOWED:
        assert ("changed", ALLOWED[status, verb]) == (reply.outcome, reply.status)
    else:
        assert ("same" if (status, verb) in ALREADY else "refused", status) == (reply.outcome, reply.status)
    assert reply.status == head_of(store).status


def test_what_doesn_t_exist_can_t_be_opened(store: Store) -> None:
    reply = store.heads.lifecycle("nowhere", "open")

    assert ("refused", "") == (reply.outcome, reply.status)
    assert store.heads.get("nowhere") is None


def test_opening_notes_the_time_and_the_deadline_and_resuming_a_new_deadline(store: Store) -> None:
    head = opened(store, deadline_ms=5_000)
    assert 5_000 == head.deadline_ms
    assert head.created_ms <= head.opened_ms <= store.heads.server_time_ms()

    store.heads.lifecycle(NAME, "pause", deadline_ms=6_000)
    assert 5_000 == head_of(store).deadline_ms
    store.heads.lifecycle(NAME, "resume", deadline_ms=7_000)
    assert (7_000, head.opened_ms) == (head_of(store).deadline_ms, head_of(store).opened_ms)


def test_archived_and_retired_only_grow(store: Store) -> None:
    store.heads.create(new_campaign(), seed=SEED)
    for tick in (2, 1, 2):
        store.heads.archived(NAME, tick)
    for tick in (10, 9):
        scripts(store).run("mark", [Keys(NAME).head], ["retired", tick])

    assert (2, 10) == (head_of(store).archived, head_of(store).retired)


def test_marking_what_doesn_t_exist_creates_nothing(store: Store) -> None:
    store.heads.archived("nowhere", 1)

    assert store.heads.get("nowhere") is None


def test_seeds_are_revealed_together_only_when_the_campaign_has_ended(store: Store) -> None:
    opened(store)
    assert not store.heads.reveal(NAME, {1: "5eed"})
    assert {} == store.heads.seeds(NAME)

    store.heads.lifecycle(NAME, "end")
    assert store.heads.reveal(NAME, {2: "5eed2", 1: "5eed1"})
    assert [(1, "5eed1"), (2, "5eed2")] == list(store.heads.seeds(NAME).items())
    assert ["5eed2", None] == [store.heads.seed_revealed(NAME, tick) for tick in (2, 3)]


@pytest.mark.parametrize(
    ("field", "value"), [("step", "x"), ("camps", "angels"), ("schedule", "{"), ("failure", "?"), ("schema", "3")]
)
def test_a_head_that_we_did_not_write_is_refused_by_the_name_of_its_field(
    store: Store, client: redis.Redis, field: str, value: str
) -> None:
    store.heads.create(new_campaign(), seed=SEED)
    client.hset(Keys(NAME).head, field, value)

    with pytest.raises(CorruptRecord, match=field):
        store.heads.get(NAME)


def test_a_head_of_a_later_release_is_refused_with_the_reason(store: Store, client: redis.Redis) -> None:
    store.heads.create(new_campaign(), seed=SEED)
    client.hset(Keys(NAME).head, "schema", "7")

    with pytest.raises(CorruptRecord, match=r"schema: 7 is of a later release; this one reads 1 to 2"):
        store.heads.get(NAME)


def test_a_head_of_an_earlier_release_is_read_and_not_rewritten(store: Store, client: redis.Redis) -> None:
    """Schema 1 knew no history."""
    store.heads.create(new_campaign(), seed=SEED)
    written = head_of(store)
    client.hset(Keys(NAME).head, "schema", "1")
    client.hdel(Keys(NAME).head, "history")

    assert msgspec.structs.replace(written, schema=1) == head_of(store)
    assert b"1" == client.hget(Keys(NAME).head, "schema")


def test_a_head_that_lacks_a_field_is_refused(store: Store, client: redis.Redis) -> None:
    store.heads.create(new_campaign(), seed=SEED)
    client.hdel(Keys(NAME).head, "epoch")

    with pytest.raises(CorruptRecord, match="epoch"):
        store.heads.get(NAME)


def test_neither_the_seed_nor_the_id_key_is_ever_printed(store: Store) -> None:
    new = new_campaign()
    store.heads.create(new, seed=SEED)
    head = head_of(store)

    for text in (repr(new), str(new), repr(head), str(head), f"{store}", pretty_repr(head), pretty_repr(new)):
        assert SEED.hex() not in text
        assert repr(SEED)[2:-1] not in text
        assert head.id_key not in text


def test_an_access_list_can_let_the_api_create_campaigns_and_not_read_their_seeds(
    real_server: EmbeddedServer, real_client: redis.Redis
) -> None:
    real_client.acl_setuser("api", enabled=True, passwords=["+pass"], commands=["+@all"], reset=True)
    real_client.execute_command("ACL", "SETUSER", "api", "~tocsin:*", "%W~tocsin-seed:*")
    with redis.Redis(port=real_server.port, username="api", password="pass") as limited:
        heads = Heads(limited, Scripts(limited))
        assert "created" == heads.create(new_campaign(), seed=SEED).outcome
        assert "same" == heads.create(new_campaign(), seed=bytes(32)).outcome
        with pytest.raises(redis.exceptions.NoPermissionError):
            heads.seed(NAME)
    real_client.acl_deluser("api")

    assert real_client.get(Keys(NAME).seed) == SEED
    assert CAMPS == head_of(Store.over(real_client)).camps
