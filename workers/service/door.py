"""The worker's door: what may come in as a message. Anything else is refused before a task sees it, and counted.

Whoever has the broker alone can put anything on a queue. So a message is read strictly: JSON in an envelope of ours, no
compression, no task but ours, arguments that fit it, nothing to call afterwards but the commit of the same phase. All
that it can ask for then is a computation, and whether that is to be done the campaign's head says, not the message.
"""

from base64 import b64decode
from binascii import Error as NotBase64
from typing import Annotated, Any, Final, Literal, get_args

import msgspec

from workers.store.keys import CAMPAIGN_PATTERN

SHARD: Final[str] = "tocsin.shard"
COMMIT: Final[str] = "tocsin.commit"
RESOLVE: Final[str] = "tocsin.resolve"
PUBLISH: Final[str] = "tocsin.publish"
FINISH: Final[str] = "tocsin.finish"

Kind = Literal["not_json", "no_message", "unknown_task", "wrong_arguments", "unknown_command"]
"""What was refused: bytes that aren't JSON, JSON that is no message of ours, a task of another name, arguments that
don't fit the task, a command to the worker that is none of those that only look."""
KINDS: Final[tuple[str, ...]] = get_args(Kind)

MESSAGE_CHARACTERS_MAX: Final = 1 << 20
"""Of a message's body, in base64. A shard's message with its commit has 1 kB, one of 100 campaigns 9 kB."""
CAMPAIGNS_MAX: Final = 100
TIME_LIMIT_MAX_S: Final = 24 * 60 * 60

COMMANDS: Final = frozenset(
    {
        "ping", "active", "active_queues", "clock", "hello", "query_task", "registered", "report", "reserved",
        "revoked", "scheduled", "stats",
    }
)  # fmt: skip
"""The commands to a worker that change nothing of it: those that `celery inspect` sends."""

Campaign = Annotated[str, msgspec.Meta(pattern=rf"\A{CAMPAIGN_PATTERN}\Z")]
Number = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
Digest = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=255)]


class _Arguments(msgspec.Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    """A task's arguments, in their order."""


class ShardArguments(_Arguments, frozen=True):
    """A shard of a superstep."""

    campaign: Campaign
    tick: Number
    step: Number
    epoch: Number
    shard: Number
    input_digest: Digest


class CommitArguments(_Arguments, frozen=True):
    """The commit of a superstep."""

    campaign: Campaign
    tick: Number
    step: Number
    epoch: Number
    input_digest: Digest


class ResolveArguments(_Arguments, frozen=True):
    """Fused ticks of some campaigns."""

    campaigns: Annotated[list[Campaign], msgspec.Meta(max_length=CAMPAIGNS_MAX)]


class PublishArguments(_Arguments, frozen=True):
    """A resolved tick."""

    campaign: Campaign
    tick: Number


class FinishArguments(_Arguments, frozen=True):
    """What follows a campaign's publications."""

    campaign: Campaign


ARGUMENTS: Final[dict[str, type[_Arguments]]] = {
    SHARD: ShardArguments,
    COMMIT: CommitArguments,
    RESOLVE: ResolveArguments,
    PUBLISH: PublishArguments,
    FINISH: FinishArguments,
}

Limit = Annotated[int, msgspec.Meta(ge=1, le=TIME_LIMIT_MAX_S)]


class _Headers(msgspec.Struct, frozen=True):
    """Of Celery's headers those that steer something; its others tell only."""

    task: Text
    id: Text
    timelimit: tuple[Limit | None, Limit | None]
    """Of the sender's choice; none where it knows no task (the API, the sweeper): then the task's own hold."""
    retries: Number = 0
    group: Text | None = None
    group_index: Number | None = None
    root_id: Text | None = None
    parent_id: Text | None = None
    eta: None = None
    expires: None = None
    compression: None = None
    stamped_headers: Annotated[list[str], msgspec.Meta(max_length=0)] | None = None


class _Way(msgspec.Struct, frozen=True):
    exchange: str
    routing_key: str


class _Properties(msgspec.Struct, frozen=True):
    delivery_tag: Text
    delivery_info: _Way
    body_encoding: Literal["base64"]
    correlation_id: str | None = None
    reply_to: str | None = None
    priority: Annotated[int, msgspec.Meta(ge=0, le=9)] = 0


class _Envelope(
    msgspec.Struct, frozen=True, rename={"content_type": "content-type", "content_encoding": "content-encoding"}
):
    """A message as the transport writes it."""

    body: Annotated[str, msgspec.Meta(max_length=MESSAGE_CHARACTERS_MAX)]
    content_type: Literal["application/json"]
    content_encoding: Literal["utf-8"]
    properties: _Properties
    headers: dict[str, Any] = {}


class _Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    queue: Text
    task_id: Text
    reply_to: Text | None = None
    root_id: Text | None = None
    parent_id: Text | None = None
    group_id: Text | None = None
    group_index: Number | None = None
    chain: Annotated[list[Any], msgspec.Meta(max_length=0)] | None = None


class _Commit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What follows a phase's shards: its commit, and nothing else."""

    task: Literal["tocsin.commit"]
    args: CommitArguments
    options: _Options
    kwargs: Annotated[dict[str, Any], msgspec.Meta(max_length=0)]
    immutable: bool
    subtask_type: None = None
    chord_size: Number | None = None


class _Embedded(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    callbacks: Annotated[list[Any], msgspec.Meta(max_length=0)] | None = None
    errbacks: Annotated[list[Any], msgspec.Meta(max_length=0)] | None = None
    chain: Annotated[list[_Commit], msgspec.Meta(max_length=1)] | None = None
    chord: _Commit | None = None


class _Body(msgspec.Struct, array_like=True, forbid_unknown_fields=True, frozen=True):
    args: msgspec.Raw
    kwargs: Annotated[dict[str, Any], msgspec.Meta(max_length=0)]
    embedded: _Embedded


class _Command(msgspec.Struct, frozen=True):
    method: str


class Refused(Exception):
    """A message that isn't let in: its kind, and what is wrong with it."""

    def __init__(self, kind: Kind, problem: str) -> None:
        self.kind: Kind = kind
        super().__init__(problem)


def check_task(message: Any) -> None:
    """Raises Refused for what came from a queue, decoded once, and isn't a message that asks one of our tasks."""
    envelope, body = _opened(message)
    try:
        headers = msgspec.convert(envelope.headers, _Headers)
    except msgspec.ValidationError as error:
        raise Refused("no_message", f"headers: {error}") from error
    wanted = ARGUMENTS.get(headers.task)
    if wanted is None:
        raise Refused("unknown_task", f"no task {headers.task[:80]!r}")
    try:
        call = msgspec.json.decode(body, type=_Body)
        msgspec.json.decode(call.args, type=wanted)
    except msgspec.ValidationError as error:
        raise Refused("wrong_arguments", f"{headers.task}: {error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("not_json", f"{headers.task}: its body: {error}") from error


def check_command(message: Any, *, mailbox: bool) -> None:
    """Raises Refused for what came from a queue that isn't for tasks and that a worker should rather not read; from its
    mailbox, for every command that would change it."""
    _, body = _opened(message)
    try:
        command = msgspec.json.decode(body, type=_Command if mailbox else Any)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(
            "not_json" if not isinstance(error, msgspec.ValidationError) else "no_message", str(error)
        ) from error
    if mailbox and command.method not in COMMANDS:
        raise Refused("unknown_command", f"no command {command.method[:80]!r} is taken here")


def _opened(message: Any) -> tuple[_Envelope, bytes]:
    try:
        envelope = msgspec.convert(message, _Envelope)
        body = b64decode(envelope.body, validate=True)
    except (msgspec.ValidationError, NotBase64, ValueError) as error:
        raise Refused("no_message", str(error)) from error
    if envelope.headers.get("compression"):
        raise Refused("no_message", "compressed messages aren't unpacked")
    return envelope, body
