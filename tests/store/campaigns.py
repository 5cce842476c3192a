"""Made-up campaigns, orders and ticks for the store's tests. The store knows no rulebook: bytes do."""

from base64 import b32encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, cast

from workers.store import Store
from workers.store.commands import Commands
from workers.store.records import (
    CloseReply,
    CloseTerms,
    Cost,
    Head,
    IntakeItem,
    IntakeReply,
    IntakeRequest,
    NewCampaign,
    StepCommit,
    StepId,
    TickPublication,
)
from workers.store.reports import page_calls
from workers.store.scripts import Scripts

SEED = bytes(range(32))
NAME = "paris"
NOW_MS = 1_700_000_000_000
CAMPS = ("angels", "demons")


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def order_id(number: int) -> str:
    return b32encode(sha256(b"order %d" % number).digest()[:16]).decode().lower().rstrip("=")


MANIFEST = b"the first manifest"


def new_campaign(**changes: Any) -> NewCampaign:
    fields: dict[str, Any] = {
        "campaign": NAME,
        "rulebook": "veil",
        "rulebook_version": "1",
        "fingerprint": "fingerprint",
        "camps": CAMPS,
        "steps": 2,
        "id_key": "1d" * 32,
        "commitments": ("c0", "c1", "c2"),
        "staged_commitment": "c3",
        "manifest": digest(MANIFEST),
        "blobs": {digest(MANIFEST): MANIFEST},
        "pages": {"angels": [b"welcome, angels"], "demons": [b"welcome, demons", b"more"]},
        "record": {"orders": "0"},
        "creation_key": "key",
        "creation_digest": "body",
    }
    return NewCampaign(**(fields | changes))


def head_of(store: Store, campaign: str = NAME) -> Head:
    head = store.heads.get(campaign)
    assert head is not None
    return head


def opened(store: Store, *, deadline_ms: int = 0, **changes: Any) -> Head:
    """A campaign that takes orders for tick 1."""
    new = new_campaign(**changes)
    assert store.heads.create(new, seed=SEED).outcome == "created"
    assert store.heads.lifecycle(new.campaign, "open", deadline_ms=deadline_ms).outcome == "changed"
    return head_of(store, new.campaign)


def order(number: int, *, home: str = "servant-1", amount: int = 1, limit: int = 3, **changes: Any) -> IntakeItem:
    """An order that takes an amount of its home's action points."""
    fields: dict[str, Any] = {
        "id": order_id(number),
        "home": home,
        "packed": b"order %d" % number,
        "costs": (Cost(home, f"{home}/ap", amount, limit),),
    }
    return IntakeItem(**(fields | changes))


def book(store: Store, head: Head, *items: IntakeItem, **request: Any) -> IntakeReply:
    """Book for the open tick, unless the request says otherwise."""
    return store.intake.book(head, IntakeRequest(**({"tick": head.open_tick} | request)), items)


def whole_book(store: Store, head: Head, tick: int) -> list[bytes]:
    slices = store.intake.read_slices(head.campaign, tick, range(head.slices))
    return sorted(packed for one in slices for packed in one)


def close(store: Store, tick: int = 1, **terms: Any) -> CloseReply:
    return store.ticks.close(NAME, tick, CloseTerms(**({"trigger": "operator"} | terms)), NOW_MS)


def commit_step(store: Store, step: int, *, last: bool, tick: int = 1, epoch: int = 1) -> str:
    """Commit a step that changes the manifest; the reply's outcome."""
    manifest = b"manifest %d/%d" % (tick, step)
    move = StepCommit(
        old_manifest=head_of(store).manifest,
        new_manifest=digest(manifest),
        last=last,
        summaries=(b'{"step":%d}' % step,),
        named=frozenset(),
        blobs={digest(manifest): manifest},
    )
    return store.ticks.commit(StepId(NAME, tick, epoch, step), move).outcome


def resolved(store: Store, tick: int = 1) -> None:
    """Close a tick and commit its two steps."""
    assert close(store, tick).outcome == "closed"
    assert commit_step(store, 0, last=False, tick=tick) == "committed"
    assert commit_step(store, 1, last=True, tick=tick) == "committed"


def published(store: Store, tick: int = 1, **plan: Any) -> None:
    """Take a tick from its close to its publication, with a page for each camp."""
    resolved(store, tick)
    assert publish(store, tick, **plan) == "published"


def publish(store: Store, tick: int = 1, **plan: Any) -> str:
    """Publish a resolved tick, with a page for each camp unless the plan says otherwise; the outcome."""
    return store.ticks.publish(NAME, tick, publication(store, tick, **plan))


def publication(store: Store, tick: int, **plan: Any) -> TickPublication:
    """How a tick that is resolved to the head's manifest is published."""
    fields: dict[str, Any] = {
        "pages": {camp: [b"page for " + camp.encode()] for camp in CAMPS},
        "epoch": head_of(store).epoch,
        "manifest": head_of(store).manifest,
        "staged_commitment": f"c{tick + 3}",
        "record": {"orders": "0"},
        "seeds": {},
    }
    return TickPublication(**(fields | plan))


def scripts(store: Store) -> Scripts:
    """The store's scripts, to run one by itself."""
    return Scripts(cast(Commands, store.client))


def write_pages(store: Store, camp: str, tick: int, pages: Sequence[bytes | str]) -> tuple[str, int, int]:
    """Write a camp's pages and declare nothing: the scripts' case, how many were written, how many were there."""
    head = head_of(store)
    replies = scripts(store).run_all(list(page_calls(NAME, camp, tick, head.epoch, head.manifest, pages)))
    return replies[-1][0].decode(), sum(reply[1] for reply in replies), sum(reply[2] for reply in replies)
