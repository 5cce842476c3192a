"""Who may do what."""

from __future__ import annotations

from typing import Literal

import msgspec

from workers.store.errors import InvalidRequest

Scope = Literal["admin", "operator", "camp", "actor"]


class Token(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a token may do: `admin` everywhere; `operator` in `campaign`; `camp` for all of `camp`; `actor`
    for its `entities`. Raises InvalidRequest where scope and fields don't fit."""

    scope: Scope
    campaign: str = ""
    camp: str = ""
    actor: str = ""
    entities: tuple[str, ...] = ()
    created_ms: int = 0
    label: str = ""

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
