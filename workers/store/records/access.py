"""Who may do what."""

from __future__ import annotations

from typing import Literal

import msgspec

from workers.store.errors import InvalidRequest

Scope = Literal["admin", "operator", "camp", "actor"]


class Token(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a token may do: `admin` everywhere; `operator` in `campaign`; `camp` for all of `camp`; `actor`
    for its `entities`.

    `ends_ms` is when a token that was replaced ends (0: it wasn't); `replaces` is the id of the one that this one was
    made from, and `origin` that of the first of them (empty: it replaces none). Raises InvalidRequest where scope and
    fields don't fit."""

    scope: Scope
    campaign: str = ""
    camp: str = ""
    actor: str = ""
    entities: tuple[str, ...] = ()
    created_ms: int = 0
    label: str = ""
    ends_ms: int = 0
    replaces: str = ""
    origin: str = ""

    def __post_init__(self) -> None:
        needs = {
            "campaign": self.scope != "admin",
            "camp": self.scope in ("camp", "actor"),
            "actor": self.scope == "actor",
        }
        for field, needed in needs.items():
            if bool(getattr(self, field)) != needed:
                raise InvalidRequest(
                    f"{field}: {getattr(self, field)!r} with scope {self.scope!r}; "
                    f"accepted: {'a name' if needed else 'nothing'}"
                )


class Admission(msgspec.Struct, frozen=True):
    """A request's token (None: it is unknown or revoked), its id, and how many requests it made in the window that is
    open, this one among them; `left_ms` is when that ends. 0 requests: they couldn't be counted."""

    token: Token | None
    id: str
    requests: int
    left_ms: int

    @property
    def owner(self) -> str:
        """Whose campaigns and streams are counted: a token and those that replace it count as one."""
        return (self.token and self.token.origin) or self.id


class Hold(msgspec.Struct, frozen=True):
    """Whether a lease is held, how many are held in all, and when the first of them runs out if nobody renews it."""

    held: bool
    count: int
    first_ms: int


class Replacement(msgspec.Struct, frozen=True):
    """`replaced`: `secret` is the new one. `unknown`: there is no such token (any more). `ending`: another replaced it
    already, and it ends at `record.ends_ms`."""

    outcome: Literal["replaced", "unknown", "ending"]
    record: Token | None = None
    secret: str = ""

    def __repr__(self) -> str:
        """Without the secret: representations end in logs."""
        return f"<Replacement {self.outcome}>"
