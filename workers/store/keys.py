"""Every key that Tocsin owns in Redis, as data: names are built from the catalogue and from nothing else.

Keys of one campaign share the hash tag `{<campaign>}`, so a script may touch them together on a Cluster. The seed
lies under a prefix of its own: an access list can let the API write it and not read it.
"""

from __future__ import annotations

import re
from typing import Final, Literal

import msgspec

from workers.store.errors import InvalidName

BUCKETS: Final = 256
"""Homes fall into this many buckets, by the first byte of SHA-256 of the home's key."""

SLICES_MAX: Final = BUCKETS
GROUPS_MAX: Final = 1 << 16

CAMPAIGN_PATTERN: Final = "[a-z0-9][a-z0-9-]{0,62}"
CAMP_PATTERN: Final = "[A-Za-z0-9][A-Za-z0-9_.-]{0,62}"

_CAMPAIGN = re.compile(CAMPAIGN_PATTERN)
_CAMP = re.compile(CAMP_PATTERN)
_PART = re.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,127}")

Kind = Literal["hash", "list", "set", "zset", "stream", "string"]
Role = Literal["api", "worker", "sweeper", "cli"]


class KeySpec(msgspec.Struct, frozen=True):
    """One line of the catalogue.

    `pattern` is the key's name with `<placeholders>`; `kind` its Redis type; `content` what it holds;
    `life` when it goes away. Roles are the processes that need the access, for the server's access list.
    """

    name: str
    pattern: str
    kind: Kind
    content: str
    writers: tuple[Role, ...]
    readers: tuple[Role, ...]
    life: str


# Who takes requests, who resolves (and retires what the others left), who sweeps; the operator may do it all.
_ALL: Final[tuple[Role, ...]] = ("api", "worker", "sweeper", "cli")
_RUN: Final[tuple[Role, ...]] = ("worker", "cli")
_ASK: Final[tuple[Role, ...]] = ("api", "cli")
_SWEEP: Final[tuple[Role, ...]] = ("sweeper", "cli")
_ASK_AND_RUN: Final[tuple[Role, ...]] = ("api", "worker", "cli")
_ASK_AND_SWEEP: Final[tuple[Role, ...]] = ("api", "sweeper", "cli")
_FOREVER: Final = "as long as the campaign"
_TICK: Final = "until the tick is archived and retired"

CATALOGUE: Final[tuple[KeySpec, ...]] = (
    # One campaign.
    KeySpec("head", "tocsin:{<campaign>}:head", "hash", "the campaign's present state", _ALL, _ALL, _FOREVER),
    KeySpec(
        "seed",
        "tocsin-seed:{<campaign>}",
        "string",
        "the campaign seed, 32 raw bytes; the API may write it, once, and not read it",
        _ASK,
        _RUN,
        _FOREVER,
    ),
    KeySpec(
        "commitments",
        "tocsin:{<campaign>}:commitments",
        "hash",
        "tick → SHA-256 of its tick seed, hex; public before the tick opens",
        _ASK_AND_SWEEP,
        _ALL,
        _FOREVER,
    ),
    KeySpec("seeds", "tocsin:{<campaign>}:seeds", "hash", "tick → revealed tick seed, hex", _RUN, _ALL, _FOREVER),
    KeySpec(
        "blobs",
        "tocsin:{<campaign>}:blobs",
        "hash",
        "digest → the last tick that named the blob",
        _ASK_AND_RUN,
        _RUN,
        _FOREVER,
    ),
    KeySpec(
        "blob",
        "tocsin:{<campaign>}:blob:<digest>",
        "string",
        "an immutable blob: slice, shared state, manifest, events, pages; compressed, named by its plain bytes",
        _ASK_AND_RUN,
        _ASK_AND_RUN,
        "until a retirement finds its line in the blobs index older than the retired tick",
    ),
    KeySpec(
        "reports",
        "tocsin:{<campaign>}:reports:<camp>",
        "stream",
        "a camp's report pages; entry id tick-page, fields p (the page, compressed) and last (1 on a tick's last page)",
        _ASK_AND_RUN,
        _ASK_AND_RUN,
        "trimmed to retain_ticks, never emptied nor deleted",
    ),
    KeySpec(
        "record",
        "tocsin:{<campaign>}:record:<tick>",
        "hash",
        "a published tick's record: digests, counts, times",
        _ASK_AND_RUN,
        _ASK_AND_RUN,
        "retain_ticks after its retirement",
    ),
    KeySpec(
        "tokens",
        "tocsin:{<campaign>}:tokens",
        "set",
        "SHA-256 of the campaign's tokens, hex",
        _ASK,
        _ASK,
        _FOREVER,
    ),
    KeySpec(
        "actors",
        "tocsin:{<campaign>}:actors",
        "hash",
        "name of an actor → its camp, for good: ids of orders are made from these names; "
        "'': those of all tokens are in",
        _ASK,
        _ASK,
        _FOREVER,
    ),
    # One tick of one campaign: the book.
    KeySpec(
        "book",
        "tocsin:{<campaign>}:book:<tick>:<slice>",
        "list",
        "orders of one slice, packed, every revision, as they came: an element is one, or several of one batch",
        _ASK_AND_RUN,
        _ASK_AND_RUN,
        _TICK,
    ),
    KeySpec(
        "meters",
        "tocsin:{<campaign>}:meters:<tick>:<group>",
        "hash",
        "meter → amount booked on it",
        _ASK_AND_RUN,
        _ASK,
        _TICK,
    ),
    KeySpec(
        "where",
        "tocsin:{<campaign>}:where:<tick>:<letter>",
        "list",
        "by the first letter of an order's id: the next five and a byte, the slice; as many as were booked together",
        _ASK_AND_RUN,
        _ASK,
        _TICK,
    ),
    KeySpec(
        "revisions",
        "tocsin:{<campaign>}:revisions:<tick>",
        "hash",
        "order id → revision, where it isn't 1; 0 is withdrawn",
        _ASK_AND_RUN,
        _ASK_AND_RUN,
        _TICK,
    ),
    KeySpec(
        "counts",
        "tocsin:{<campaign>}:counts:<tick>",
        "hash",
        "orders: live orders of the tick; version: changes of its book; "
        "by/<camp>/<actor>: live orders of a sender, none: no field; changes/<camp>/<actor>: all that it changed",
        _ASK_AND_RUN,
        _ALL,
        _TICK,
    ),
    KeySpec(
        "ready",
        "tocsin:{<campaign>}:ready:<tick>",
        "set",
        "camps that said ready",
        _ALL,
        _ASK_AND_SWEEP,
        "until the close",
    ),
    KeySpec(
        "idem",
        "tocsin:{<campaign>}:idem:<digest>",
        "string",
        "an idempotency record: the body's digest, a space, the reply",
        _ASK_AND_RUN,
        _ASK,
        "24 hours after its tick's retirement",
    ),
    KeySpec(
        "idems",
        "tocsin:{<campaign>}:idems:<tick>",
        "list",
        "digests of the idempotency records of a tick",
        _ASK_AND_RUN,
        _RUN,
        _TICK,
    ),
    # One tick of one campaign: the resolution.
    KeySpec(
        "outputs",
        "tocsin:{<campaign>}:outputs:<tick>:<epoch>:<step>",
        "hash",
        "shard → its output, written once",
        _RUN,
        _ALL,
        _TICK,
    ),
    KeySpec(
        "workers",
        "tocsin:{<campaign>}:workers:<tick>",
        "hash",
        "epoch/step/shard → the worker that played it",
        _RUN,
        _ASK_AND_RUN,
        _TICK,
    ),
    KeySpec(
        "attempts",
        "tocsin:{<campaign>}:attempts:<tick>:<epoch>",
        "hash",
        "step/shard → starts, step/leap of a leap; step/shard/exception → failures",
        _RUN,
        _ASK_AND_RUN,
        _TICK,
    ),
    KeySpec(
        "steps",
        "tocsin:{<campaign>}:steps:<tick>:<epoch>",
        "list",
        "a summary a committed step",
        _RUN,
        _ASK_AND_RUN,
        _TICK,
    ),
    # All campaigns.
    KeySpec(
        "campaigns",
        "tocsin:campaigns",
        "set",
        "campaign ids; a listed one may not exist",
        _ASK,
        _ASK_AND_SWEEP,
        "forever",
    ),
    KeySpec(
        "due",
        "tocsin:due",
        "zset",
        "hint: campaign → when it is to be looked at whether its open tick closes, ms",
        _ALL,
        _SWEEP,
        "forever",
    ),
    KeySpec(
        "running", "tocsin:running", "zset", "hint: campaign → last progress of its tick, ms", _ALL, _SWEEP, "forever"
    ),
    KeySpec("sweeper", "tocsin:sweeper", "string", "the sweeper's lease: its holder", _SWEEP, _SWEEP, "seconds"),
    KeySpec(
        "token",
        "tocsin:token:<sha256>",
        "string",
        "a token's record, under the SHA-256 of the token, hex",
        _ASK,
        _ASK,
        "until it is revoked, or ends since another token replaced it",
    ),
    KeySpec(
        "admin_tokens",
        "tocsin:tokens",
        "set",
        "SHA-256 of the tokens of no campaign, hex",
        _ASK,
        _ASK,
        "forever",
    ),
    # What a token may take of each at most (the digest is that of the first of a row of tokens that replaced each
    # other; of requests, that of the one sent), and what is told to whoever watches the installation.
    KeySpec(
        "requests",
        "tocsin:requests:<sha256>",
        "string",
        "requests that a token made within the second that its first one began",
        _ASK,
        _ASK,
        "a second",
    ),
    KeySpec(
        "streams",
        "tocsin:streams:<sha256>",
        "zset",
        "leases of a token's open streams of reports: stream → until when, ms",
        _ASK,
        _ASK,
        "until the last lease runs out",
    ),
    KeySpec(
        "open_streams",
        "tocsin:streams",
        "zset",
        "the same of all tokens, without saying whose: stream → until when, ms",
        _ASK,
        _ASK,
        "until the last lease runs out",
    ),
    KeySpec(
        "founded",
        "tocsin:founded:<sha256>",
        "zset",
        "campaigns that a token founded and that haven't ended: campaign → when its place was reserved, ms",
        _ASK,
        _ASK,
        "forever",
    ),
    KeySpec(
        "tallies",
        "tocsin:tallies",
        "hash",
        "what metrics count: a counter and its labels → how often",
        _ASK_AND_RUN,
        _ASK,
        "forever",
    ),
)

SPECS: Final[dict[str, KeySpec]] = {spec.name: spec for spec in CATALOGUE}
_TEMPLATES: Final[dict[str, str]] = {spec.name: re.sub(r"<[a-z0-9]+>", "%s", spec.pattern) for spec in CATALOGUE}

CAMPAIGNS: Final = _TEMPLATES["campaigns"]
DUE: Final = _TEMPLATES["due"]
RUNNING: Final = _TEMPLATES["running"]
SWEEPER: Final = _TEMPLATES["sweeper"]
ADMIN_TOKENS: Final = _TEMPLATES["admin_tokens"]
OPEN_STREAMS: Final = _TEMPLATES["open_streams"]
TALLIES: Final = _TEMPLATES["tallies"]


def token_key(digest: str) -> str:
    """The key of a token's record; `digest` is the SHA-256 of the token, hex."""
    return _TEMPLATES["token"] % digest


def requests_key(digest: str) -> str:
    """The key of a token's count of requests.

    It has no hash tag: on a Cluster the counts of different tokens lie in different slots, so none is hot for more
    than one token's requests, and the limit bounds those.
    """
    return _TEMPLATES["requests"] % digest


def streams_key(digest: str) -> str:
    """The key of a token's open streams."""
    return _TEMPLATES["streams"] % digest


def founded_key(digest: str) -> str:
    """The key of the campaigns that a token founded."""
    return _TEMPLATES["founded"] % digest


def key_of(name: str, *parts: str) -> str:
    """A key by its name in the catalogue and the values of its placeholders, in their order.

    Raises InvalidName for a name that isn't there, or a part that could lead out of the key.
    """
    spec = SPECS.get(name)
    if spec is None:
        raise InvalidName(f"key: {name!r} is none; accepted: {', '.join(sorted(SPECS))}")
    wanted = spec.pattern.count("<")
    if len(parts) != wanted or any(_PART.fullmatch(part) is None for part in parts):
        raise InvalidName(f"key {name}: {list(parts)!r}; accepted: {wanted} parts for {spec.pattern}")
    return _TEMPLATES[name] % parts


def is_campaign(campaign: str) -> bool:
    """Whether a name can be a campaign's: 1 to 63 of `a-z0-9-`, starting with a letter or digit."""
    return _CAMPAIGN.fullmatch(campaign) is not None


def check_campaign(campaign: str) -> str:
    """The same name, if it can be a campaign's.

    Raises InvalidName where it can't (see `is_campaign`).
    """
    if not is_campaign(campaign):
        raise InvalidName(f"campaign: {campaign!r} is no campaign id; accepted: {CAMPAIGN_PATTERN}")
    return campaign


def check_camp(camp: str) -> str:
    """The same name, if it can be a camp's. Raises InvalidName where it doesn't match CAMP_PATTERN."""
    if _CAMP.fullmatch(camp) is None:
        raise InvalidName(f"camp: {camp!r} is no camp name; accepted: {CAMP_PATTERN}")
    return camp


class Keys:
    """The key names of one campaign. Raises InvalidName on a name that can't be a campaign's."""

    __slots__ = ("campaign",)

    def __init__(self, campaign: str) -> None:
        self.campaign = check_campaign(campaign)

    def _name(self, name: str, *parts: object) -> str:
        return _TEMPLATES[name] % (self.campaign, *parts)

    @property
    def head(self) -> str:
        return self._name("head")

    @property
    def seed(self) -> str:
        return self._name("seed")

    @property
    def commitments(self) -> str:
        return self._name("commitments")

    @property
    def seeds(self) -> str:
        return self._name("seeds")

    @property
    def blobs(self) -> str:
        return self._name("blobs")

    @property
    def tokens(self) -> str:
        return self._name("tokens")

    @property
    def actors(self) -> str:
        return self._name("actors")

    def blob(self, digest: str) -> str:
        return self._name("blob", digest)

    def reports(self, camp: str) -> str:
        return self._name("reports", camp)

    def record(self, tick: int) -> str:
        return self._name("record", tick)

    def book(self, tick: int, slice_: int) -> str:
        return self._name("book", tick, slice_)

    def meters(self, tick: int, group: int) -> str:
        return self._name("meters", tick, group)

    def where(self, tick: int, letter: str) -> str:
        return self._name("where", tick, letter)

    def revisions(self, tick: int) -> str:
        return self._name("revisions", tick)

    def counts(self, tick: int) -> str:
        return self._name("counts", tick)

    def ready(self, tick: int) -> str:
        return self._name("ready", tick)

    def idem(self, digest: str) -> str:
        return self._name("idem", digest)

    def idems(self, tick: int) -> str:
        return self._name("idems", tick)

    def outputs(self, tick: int, epoch: int, step: int) -> str:
        return self._name("outputs", tick, epoch, step)

    def workers(self, tick: int) -> str:
        return self._name("workers", tick)

    def attempts(self, tick: int, epoch: int) -> str:
        return self._name("attempts", tick, epoch)

    def steps(self, tick: int, epoch: int) -> str:
        return self._name("steps", tick, epoch)
