"""Who may do what: tokens, their scopes, and the sender of orders that a token speaks for.

A token sees and does what its scope says. Without a token that opens it, a campaign answers like one that doesn't
exist, so that nobody learns which campaigns there are.
"""

from collections.abc import Callable
from typing import Final

import msgspec

from workers.kernel.errors import InvalidInput
from workers.service.problems import Problem, unknown_campaign
from workers.store import Store
from workers.store.keys import is_campaign
from workers.store.records import Admission, Head, Scope, Token
from workers.store.tokens import SECRET_BYTES, digest_of

ENTITIES_MAX: Final = 1_000
NAME_MAX: Final = 64
OVERLAP_MAX_S: Final = 86_400


class Sender(msgspec.Struct, frozen=True):
    """For whom orders are sent: a camp, the actor that the orders name, and the entities that it may command (None: all
    that its camp may)."""

    camp: str
    actor: str
    entities: frozenset[str] | None = None


class TokenPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A token to make: `camp` for the scopes camp and actor, `actor` and `entities` for the scope actor."""

    scope: Scope
    camp: str = ""
    actor: str = ""
    entities: tuple[str, ...] = ()
    label: str = ""


class NewToken(msgspec.Struct, frozen=True):
    """A token made: its secret is shown this once."""

    id: str
    secret: str
    token: Token

    def __repr__(self) -> str:
        """Without the secret: representations end in logs."""
        return f"<NewToken {self.id} {self.token.scope}>"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        """The same for rich, which prints tracebacks with their values."""
        return [("id", self.id), ("scope", self.token.scope)]


class RotationPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a token is replaced: the old secret works for `overlap_s` seconds more (0: it ends at once)."""

    overlap_s: int = 0


class TokenListing(msgspec.Struct, frozen=True):
    """A token as listed: never its secret. `id` is the SHA-256 of the secret; `ends_ms` is when it ends, where another
    token replaced it (else 0); `replaces` is the id of the token that this one replaced, if it did."""

    id: str
    scope: Scope
    camp: str
    actor: str
    entities: tuple[str, ...]
    created_ms: int
    label: str
    ends_ms: int
    replaces: str


class TokenList(msgspec.Struct, frozen=True):
    """Tokens, of a campaign or of none."""

    tokens: tuple[TokenListing, ...]


class Access:
    """Knows tokens, makes, replaces and revokes them. `entropy` gives the random bytes of secrets; a replaced token
    works on for `overlap_max_s` seconds at most."""

    def __init__(self, store: Store, entropy: Callable[[int], bytes], overlap_max_s: int = OVERLAP_MAX_S) -> None:
        self._store = store
        self._entropy = entropy
        self._overlap_max_s = overlap_max_s

    def authenticate(self, secret: str) -> Token | None:
        """What a secret may do; None where it is unknown or revoked."""
        return self._store.tokens.get(secret) if secret else None

    def admit(self, secret: str) -> Admission:
        """The same, with the request counted as one of the token's."""
        return self._store.tokens.admit(secret)

    def operator_of(self, token: Token | None, campaign: str) -> Token:
        """The token, if it operates the campaign. Raises Problem: unknown_campaign where it doesn't open it,
        forbidden_scope where it does and may not."""
        opened = self.reader_of(token, campaign)
        if opened.scope not in ("admin", "operator"):
            raise _forbidden(opened, "an operator's token")
        return opened

    def sender_of(self, token: Token | None, campaign: str) -> Sender:
        """For whom the token sends orders. Raises Problem as `operator_of` does."""
        opened = self._opened(token, campaign)
        if opened.scope == "camp":
            return Sender(opened.camp, opened.camp)
        if opened.scope == "actor":
            return Sender(opened.camp, opened.actor, frozenset(opened.entities))
        raise _forbidden(opened, "a camp's or an actor's token")

    def reader_of(self, token: Token | None, campaign: str) -> Token:
        """The token, if it opens the campaign at all. Raises Problem (unknown_campaign), also for what can be no
        campaign's name: an admin's token opens whatever there is."""
        opened = self._opened(token, campaign)
        if not is_campaign(campaign):
            raise unknown_campaign(campaign)
        return opened

    @staticmethod
    def _opened(token: Token | None, campaign: str) -> Token:
        if token is None or (token.scope != "admin" and token.campaign != campaign):
            raise unknown_campaign(campaign)
        return token

    def admin(self, token: Token | None) -> Token:
        """The token, if it's an admin's. Raises Problem: unauthorized without a token that is known, else
        forbidden_scope."""
        if token is None:
            raise Problem("unauthorized", "This needs an admin's token, sent as `Authorization: Bearer …`.")
        if token.scope != "admin":
            raise _forbidden(token, "an admin's token")
        return token

    def create_admin(self, label: str = "") -> NewToken:
        """Make an admin's token: what a new installation starts from."""
        return self._make(Token(scope="admin", created_ms=self._store.heads.server_time_ms(), label=label))

    def create(self, campaign: str, plan: TokenPlan) -> NewToken:
        """Make a token of a campaign. Raises InvalidInput naming the field, and Problem (unknown_campaign)."""
        head = self._store.heads.get(campaign)
        if head is None:
            raise unknown_campaign(campaign)
        self._check(head, plan)
        if plan.scope == "actor":
            self._claim(campaign, plan)
        record = Token(
            scope=plan.scope,
            campaign=campaign,
            camp=plan.camp,
            actor=plan.actor,
            entities=tuple(sorted(set(plan.entities))),
            created_ms=self._store.heads.server_time_ms(),
            label=plan.label,
        )
        return self._make(record)

    def listed(self, campaign: str) -> TokenList:
        """A campaign's tokens, without their secrets; for "", those of no campaign: admins'. Raises Problem
        (unknown_campaign)."""
        self._check_there(campaign)
        return TokenList(
            tuple(
                TokenListing(
                    digest,
                    one.scope,
                    one.camp,
                    one.actor,
                    one.entities,
                    one.created_ms,
                    one.label,
                    one.ends_ms,
                    one.replaces,
                )
                for digest, one in self._store.tokens.listed(campaign).items()
            )
        )

    def revoke(self, campaign: str, token_id: str) -> None:
        """Revoke a token of a campaign ("": an admin's), and the one that it replaced, should that still work.

        Raises Problem: unknown_token where there is none of that id, unknown_campaign.
        """
        self._check_own(campaign, token_id)
        if not self._store.tokens.revoke(token_id):
            raise _unknown_token(token_id)

    def rotate(self, campaign: str, token_id: str, plan: RotationPlan) -> NewToken:
        """Replace a token of a campaign ("": an admin's) by one that may do the same.

        Raises InvalidInput for an overlap out of bounds, and Problem: unknown_token where there is none of that id,
        unknown_campaign, token_ending where it was replaced already.
        """
        if not 0 <= plan.overlap_s <= self._overlap_max_s:
            raise InvalidInput("overlap_s", f"{plan.overlap_s} seconds", f"0..{self._overlap_max_s}")
        self._check_own(campaign, token_id)
        found = self._store.tokens.replace(
            token_id,
            secret=self._entropy(SECRET_BYTES),
            now_ms=self._store.heads.server_time_ms(),
            overlap_ms=plan.overlap_s * 1_000,
        )
        if found.outcome == "ending" and found.record is not None:
            detail = f"Another token replaced it; it ends at {found.record.ends_ms} ms since 1970."
            raise Problem("token_ending", detail)
        if found.record is None:
            raise _unknown_token(token_id)
        return NewToken(digest_of(found.secret), found.secret, found.record)

    def _check_there(self, campaign: str) -> None:
        if campaign and self._store.heads.get(campaign) is None:
            raise unknown_campaign(campaign)

    def _check_own(self, campaign: str, token_id: str) -> None:
        """A token of another campaign answers like one that doesn't exist, and is looked up all the same."""
        self._check_there(campaign)
        known = self._store.tokens.by_id(token_id)
        if known is None or known.campaign != campaign:
            raise _unknown_token(token_id)

    def _make(self, record: Token) -> NewToken:
        secret = self._store.tokens.create(record, secret=self._entropy(SECRET_BYTES))
        return NewToken(digest_of(secret), secret, record)

    def _check(self, head: Head, plan: TokenPlan) -> None:
        if plan.scope == "admin":
            raise InvalidInput("scope", "an admin's token belongs to no campaign", "operator, camp or actor")
        camps = " or ".join(head.camps)
        if plan.scope == "operator":
            if plan.camp or plan.actor or plan.entities:
                raise InvalidInput("camp", "an operator's token has no camp, actor or entities", "none of them")
        elif plan.camp not in head.camps:
            raise InvalidInput("camp", f"unknown camp {plan.camp!r}", camps)
        if plan.scope == "camp" and (plan.actor or plan.entities):
            raise InvalidInput("actor", "a camp's token has no actor and no entities", "neither of them")
        if plan.scope == "actor":
            self._check_actor(head, plan)
        if len(plan.label) > NAME_MAX or not plan.label.isprintable():
            problem = "it is too long or has control characters"
            raise InvalidInput("label", problem, f"at most {NAME_MAX} printable characters")

    def _claim(self, campaign: str, plan: TokenPlan) -> None:
        """An order's id is made from its actor's name, so a name stays with its camp, also without a token."""
        camp = self._store.tokens.claim(campaign, plan.actor, plan.camp)
        if camp != plan.camp:
            problem = f"{plan.actor!r} is the name of an actor of {camp!r}, and stays it"
            raise InvalidInput("actor", problem, f"another name, or the camp {camp!r}")

    def _check_actor(self, head: Head, plan: TokenPlan) -> None:
        if not 1 <= len(plan.actor) <= NAME_MAX or not plan.actor.isprintable():
            raise InvalidInput("actor", f"{plan.actor!r} is no actor's name", f"1 to {NAME_MAX} printable characters")
        if plan.actor in head.camps:
            raise InvalidInput("actor", f"{plan.actor!r} is the name of a camp", "another name")
        if not 1 <= len(plan.entities) <= ENTITIES_MAX:
            raise InvalidInput("entities", f"{len(plan.entities)} entities", f"1 to {ENTITIES_MAX}")
        if not all(plan.entities):
            raise InvalidInput("entities", "one of them is empty", "the ids of the actor's entities")


def _unknown_token(token_id: str) -> Problem:
    return Problem("unknown_token", f"There is no such token here: {token_id!r}.")


def _forbidden(token: Token, wanted: str) -> Problem:
    return Problem("forbidden_scope", f"This needs {wanted}; the token's scope is {token.scope!r}.")
