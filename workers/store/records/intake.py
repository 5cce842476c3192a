"""Orders on their way into the book, and what intake answers."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

ITEMS_MAX: Final = 1_000
AMOUNT_MAX: Final = 1 << 31
"""Of one order on one meter. Scripts count in doubles: thousands of these add up to whole numbers still."""


class Cost(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An amount to take on a meter, at most up to `limit` in all; an amount of 0 or less always passes.

    `home` places the meter (an entity's home, or any name for a meter that has none); `field` is the meter's
    name, unique in the campaign, the shorter the better: each booked meter is stored under it.
    """

    home: str
    field: str
    amount: int
    limit: int


class Release(msgspec.Struct, frozen=True, array_like=True):
    """An amount to give back to a meter: what an earlier revision took."""

    home: str
    field: str
    amount: int


class IntakeItem(msgspec.Struct, frozen=True, gc=False):
    """One order to book. `id`: 26 characters of lower-case base32; `home` says in which slice it is booked;
    `packed` is the order's bytes (they carry id and revision: the book keeps every revision). `expect` is 0 for a
    new order, else the revision that it replaces; `release` is what that one took."""

    id: str
    home: str
    packed: bytes
    costs: tuple[Cost, ...] = ()
    release: tuple[Release, ...] = ()
    expect: int = 0


class IntakeRequest(msgspec.Struct, frozen=True):
    """What a batch says of itself. `tick`: the tick that the ids were made for; `idem`: the digest of its
    idempotency key, or "", with `body`, the digest of what was sent, and `note`, any text that is kept with the
    answer and given back with it; `camp`: whose ready mark an order clears, or ""; `by`: the count of live orders that
    new ones are added to (see `sender_count`), or ""; `for_tick`: this tick or none; `change`: all items
    replace orders, of the tick that takes orders or of the one after it; `atomic`: all of it or nothing.
    `orders_tick_max` bounds a tick's live orders, and four times that all changes of its book (replaced orders stay in
    it); `orders_actor_tick_max` bounds those that `by` counts, and four times that all changes of that sender."""

    tick: int
    idem: str = ""
    body: str = ""
    note: str = ""
    camp: str = ""
    by: str = ""
    for_tick: bool = False
    change: bool = False
    atomic: bool = False
    orders_tick_max: int = 2_000_000
    orders_actor_tick_max: int = 2_000_000


Refused = Literal["over", "revision_conflict", "tick_full", "actor_full", "changes_full", "not_booked"]


class ItemRefusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why an item wasn't booked: `over` (meter `field` stands at `used` of `limit`), `revision_conflict`
    (`revision` is the present one; 0: withdrawn), `tick_full`, `actor_full` and `changes_full` (`limit` reached),
    `not_booked` (another item of an atomic batch was refused)."""

    refused: Refused
    field: str = ""
    used: int = 0
    limit: int = 0
    revision: int = 0


IntakeOutcome = Literal[
    "answered", "idempotency_conflict", "closed_campaign", "other_tick", "tick_closed", "view_changed", "apart"
]


class IntakeReply(msgspec.Struct, frozen=True):
    """The answer to a batch.

    `answered`: `results` holds, an item, the revision booked, or its refusal; `published` is the state that it
    was checked on. `other_tick`, `tick_closed`: `tick` is the one that takes orders now. `view_changed`:
    `published` is the state to check on. `closed_campaign`: `status` says why, "" where there is none. `apart`,
    which no caller of `Intake.book` sees: the batch can't be booked whole.
    `replayed`: the answer to the same batch, given before; `note` is what that request said.
    """

    outcome: IntakeOutcome
    tick: int = 0
    published: int = 0
    status: str = ""
    results: tuple[int | ItemRefusal, ...] = ()
    note: str = ""
    replayed: bool = False


class WithdrawReply(msgspec.Struct, frozen=True):
    """`withdrawn`; `same`: it was already; `revision_conflict`: `revision` is the present one; `tick_closed`:
    `tick` takes orders now; `closed_campaign`: `status` says why."""

    outcome: Literal["withdrawn", "same", "revision_conflict", "tick_closed", "closed_campaign"]
    revision: int = 0
    tick: int = 0
    status: str = ""


class ReadyReply(msgspec.Struct, frozen=True):
    """`marked`: `ready` of `camps` camps are ready now. `unknown_camp`; `tick_closed`: `tick` takes
    orders now; `closed_campaign`: `status` says why."""

    outcome: Literal["marked", "unknown_camp", "tick_closed", "closed_campaign"]
    ready: int = 0
    camps: int = 0
    tick: int = 0
    status: str = ""


class Counts(msgspec.Struct, frozen=True):
    """A tick's book in numbers: live `orders`, and `version`, the count of its changes; `theirs` and `their_changes`,
    the same of a sender that was asked for."""

    orders: int
    version: int
    theirs: int = 0
    their_changes: int = 0
