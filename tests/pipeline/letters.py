"""Messages for a worker, good ones and forged ones, as whoever has the broker alone can put them on a queue."""

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any

from workers.service.door import FINISH, SHARD

DEEP = 100_000
BOMB_BYTES = 200_000_000
EMBEDDED = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}


def letter(
    task: Any = FINISH,
    args: Sequence[Any] = ("nobody",),
    *,
    body: bytes | None = None,
    headers: dict[str, Any] | None = None,
    **envelope: Any,
) -> dict[str, Any]:
    """A message as the transport writes one, with some of it changed."""
    content = json.dumps([list(args), {}, EMBEDDED]).encode() if body is None else body
    steering = {
        "lang": "py",
        "task": task,
        "id": "8b0d2f0c-1111",
        "retries": 0,
        "timelimit": [50, 40],
        "root_id": "8b0d",
    }
    way = {"exchange": "tocsin", "routing_key": "tocsin.small"}
    return {
        "body": base64.b64encode(content).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {**steering, **(headers or {})},
        "properties": {
            "correlation_id": "8b0d", "delivery_mode": 2, "delivery_info": way, "priority": 0,
            "body_encoding": "base64", "delivery_tag": "8b0d2f0c-2222",
        },
        **envelope,
    }  # fmt: skip


def signature(task: str, args: Sequence[Any], **more: Any) -> dict[str, Any]:
    """What a message may ask to be sent afterwards."""
    options = {"queue": "tocsin.large", "task_id": "8b0d2f0c-3333"}
    plain = {
        "task": task,
        "args": list(args),
        "kwargs": {},
        "options": options,
        "subtask_type": None,
        "immutable": True,
    }
    return plain | more


def followed(**embedded: Any) -> bytes:
    """A body that asks for something afterwards."""
    return json.dumps([["nobody"], {}, {**EMBEDDED, **embedded}]).encode()


def raw(message: Any) -> bytes:
    return json.dumps(message).encode()


def _without(message: dict[str, Any], field: str) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name != field}


_HASH = "0" * 64
_WITHOUT_ID = letter()
del _WITHOUT_ID["headers"]["id"]

FORGED: dict[str, tuple[str, bytes]] = {
    "no JSON": ("not_json", b"garbage"),
    "no UTF-8": ("not_json", b"\xff\xfe"),
    "nested too deep": ("not_json", b"[" * DEEP),
    "a number": ("no_message", b"5"),
    "a list": ("no_message", b"[]"),
    "an empty object": ("no_message", b"{}"),
    "no headers": ("no_message", raw(_without(letter(), "headers"))),
    "headers that are a list": ("no_message", raw(letter() | {"headers": [1]})),
    "no properties": ("no_message", raw(letter() | {"properties": {}})),
    "no id": ("no_message", raw(_WITHOUT_ID)),
    "pickle": ("no_message", raw(letter() | {"content-type": "application/x-python-serialize"})),
    "YAML": ("no_message", raw(letter() | {"content-type": "application/x-yaml"})),
    "no base64": ("no_message", raw(letter() | {"body": "!!"})),
    "a body that is too long": ("no_message", raw(letter() | {"body": "A" * (1 << 21)})),
    "a compressed body": (
        "no_message",
        raw(letter(body=zlib.compress(b"0" * BOMB_BYTES), headers={"compression": "application/x-gzip"})),
    ),
    "a time to wait until": ("no_message", raw(letter(headers={"eta": "2030-01-01T00:00:00+00:00"}))),
    "a time to expire that is none": ("no_message", raw(letter(headers={"expires": "never"}))),
    "one time limit": ("no_message", raw(letter(headers={"timelimit": [None]}))),
    "a time limit that is a number": ("no_message", raw(letter(headers={"timelimit": 5}))),
    "a time limit in words": ("no_message", raw(letter(headers={"timelimit": ["long", "short"]}))),
    "a task that is a list": ("no_message", raw(letter(task=["a"]))),
    "a body that is no JSON": ("not_json", raw(letter(body=b"hello"))),
    "a body that is nested too deep": ("not_json", raw(letter(body=b"[" * DEEP))),
    "a body that is a number": ("wrong_arguments", raw(letter(body=b"5"))),
    "a body that is short": ("wrong_arguments", raw(letter(body=b"[]"))),
    "NaN": ("not_json", raw(letter(body=b"[[NaN],{},{}]"))),
    "a task of the system": ("unknown_task", raw(letter(task="os.system", args=("true",)))),
    "a task of Celery's own": ("unknown_task", raw(letter(task="celery.chunks", args=(1, 2, 3)))),
    "too few arguments": ("wrong_arguments", raw(letter(task=SHARD, args=("town",)))),
    "arguments of other types": ("wrong_arguments", raw(letter(task=SHARD, args=("town", "1", {}, [], None, 5)))),
    "a path for a name": ("wrong_arguments", raw(letter(args=("../town",)))),
    "a name with a newline": ("wrong_arguments", raw(letter(args=("town\n",)))),
    "a name that only looks like one": ("wrong_arguments", raw(letter(args=("t\u043ewn",)))),
    "a huge integer": ("wrong_arguments", raw(letter(body=b'[["town",%b],{},{}]' % (b"9" * 10_000)))),
    "a negative shard": ("wrong_arguments", raw(letter(task=SHARD, args=("town", 1, 0, 1, -1, _HASH)))),
    "one argument more": ("wrong_arguments", raw(letter(args=("town", 1)))),
    "arguments by name": ("wrong_arguments", raw(letter(body=b'[["town"],{"campaign":"town"},{}]'))),
    "something to call afterwards": (
        "wrong_arguments",
        raw(letter(body=followed(callbacks=[signature(FINISH, ["town"])]))),
    ),
    "something to call after an error": (
        "wrong_arguments",
        raw(letter(body=followed(errbacks=[signature(FINISH, ["town"])]))),
    ),
    "a chain to another task": (
        "wrong_arguments",
        raw(letter(body=followed(chain=[signature("os.system", ["true"])]))),
    ),
    "options of its own": (
        "wrong_arguments",
        raw(
            letter(
                body=followed(
                    chord=signature("tocsin.commit", ["town", 1, 0, 1, _HASH], options={"serializer": "pickle"})
                )
            )
        ),
    ),
}  # fmt: skip
"""What may not come in: the kind that it is counted as, and its bytes on the queue."""
