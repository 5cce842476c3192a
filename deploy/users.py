"""The server's access list, made from the catalogue of keys: `python deploy/users.py > deploy/users.acl`.

One user a process, with the keys that the catalogue gives its role and the commands that it sends. The server takes the
keys of a script's call as read and written, all of them, and checks each command inside as well: so whoever runs a
script may read and write each key that is handed to it. Tests hold the file to this module, and both to a real server.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from workers.app import QUEUE_LARGE, QUEUE_SMALL
from workers.store.keys import CATALOGUE, KeySpec, Role

LUA: Final = Path(__file__).resolve().parents[1] / "workers" / "store" / "lua"


@dataclass(frozen=True)
class Script:
    """A script of the store: the roles whose processes run it, and the keys, by their names in the catalogue, that it
    is handed. The operator's role may run each of them."""

    roles: tuple[Role, ...]
    keys: tuple[str, ...]


SCRIPTS: Final[dict[str, Script]] = {
    "create": Script(("api",), ("head", "commitments", "record", "blobs", "blob", "reports")),
    "lifecycle": Script(("api",), ("head",)),
    "intake": Script(("api",), ("head", "counts", "revisions", "ready", "idems", "idem", "book", "where", "meters")),
    "withdraw": Script(("api",), ("head", "counts", "revisions", "ready", "meters")),
    "ready": Script(("api",), ("head", "ready")),
    "close": Script(("api", "sweeper"), ("head", "counts", "ready", "commitments")),
    "retry": Script(("api",), ("head",)),
    "attempt": Script(("worker",), ("head", "attempts")),
    "output": Script(("worker",), ("head", "outputs", "workers", "blobs", "blob")),
    "commit": Script(("worker",), ("head", "blobs", "steps", "blob")),
    "fail": Script(("worker",), ("head",)),
    "pages": Script(("worker",), ("head", "reports")),
    "published": Script(("worker",), ("head", "record", "seeds")),
    "mark": Script(("worker",), ("head",)),
    "reveal": Script(("worker",), ("head", "seeds")),
    "collect": Script(("worker",), ("blobs", "blob")),
    "admit": Script(("api",), ("requests",)),
    "hold": Script(("api",), ("streams", "open_streams")),
    "reserve": Script(("api",), ("founded",)),
    "supersede": Script(("api",), ("token",)),
    "lease_take": Script(("sweeper",), ("sweeper",)),
}


@dataclass(frozen=True)
class Grant:
    """Commands, and patterns of keys (`%R~` to read, `%W~` to write, `~` for both) and of channels (`&`)."""

    commands: tuple[str, ...]
    keys: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


CONNECTION: Final = Grant(_words("ping client|setinfo client|setname select multi exec eval evalsha"))

# What the store's adapters send outside scripts.
ADAPTERS: Final[dict[Role, Grant]] = {
    "api": Grant(
        _words(
            "info config|get time get mget hget hgetall hkeys hmget lrange smembers xrange xrevrange xread"
            " zadd zrem zrange zcount hincrby hsetnx set sadd srem unlink"
        )
    ),
    "worker": Grant(_words("time get mget hgetall hkeys hincrby lrange xrevrange zadd zrem unlink expire ltrim xtrim")),
    "sweeper": Grant(_words("time hgetall hkeys smembers zrangebyscore zadd zrem")),
}
# Exports walk over the keys and read them whole; restores write them, in transactions that look before they do.
BACKUP: Final = Grant(_words("scan watch unwatch pttl pexpire exists hset rpush xadd"))
ADAPTERS["cli"] = Grant(
    tuple(sorted({command for grant in (*ADAPTERS.values(), BACKUP) for command in grant.commands}))
)

# What Celery sends over its Redis transport. A queue is a list for each priority; a chord counts its tasks under keys
# of its own; the control mailbox is what `celery inspect` talks to.
_QUEUES: Final = (QUEUE_LARGE, QUEUE_SMALL)
_PRIORITIES: Final = tuple(f"{queue}*" for queue in _QUEUES)
_BINDINGS: Final = "_kombu.binding*"
_CHORD: Final = "celery-taskset-meta-*"
_RESULT: Final = "celery-task-meta-*"
_MAILBOX: Final = "*.celery.pidbox*"
# A pattern that a worker subscribes to must be granted letter for letter; the 0 is the database of the server's URL.
_MAILBOX_CHANNEL: Final = "&/0.celery.pidbox"
_EVENT_CHANNEL: Final = "&/0.celeryev/worker.*"
PUBLISH: Final = Grant(
    _words("llen lpush sadd set del"),
    keys=tuple(f"%W~{name}" for name in (*_PRIORITIES, _BINDINGS, _CHORD)),
)
CONTROL: Final = Grant(
    _words(
        "script|load script|exists time publish brpop llen sadd smembers srem zadd zrangebyscore zrem exists"
        " del pexpire"
    ),
    keys=(f"~{_MAILBOX}", f"~{_BINDINGS}"),
    channels=(_MAILBOX_CHANNEL,),
)
CONSUME: Final = Grant(
    _words(
        "lpush rpush rpop hset hget hdel zrange zcount sismember watch unwatch get set setex expire"
        " subscribe unsubscribe psubscribe punsubscribe"
    ),
    keys=tuple(f"~{name}" for name in (*_PRIORITIES, "unacked*", _CHORD, _RESULT, "celeryev.*")),
    channels=(_EVENT_CHANNEL, f"&{_RESULT}"),
)

BROKER: Final[dict[Role, tuple[Grant, ...]]] = {
    "api": (PUBLISH,),
    "worker": (PUBLISH, CONSUME, CONTROL),
    "sweeper": (PUBLISH,),
    "cli": (PUBLISH, CONSUME, CONTROL),  # who waits for an answer puts back what other consumers left, as each one does
}

USERS: Final[dict[Role, str]] = {
    "api": "tocsin-api",
    "worker": "tocsin-worker",
    "sweeper": "tocsin-sweeper",
    "cli": "tocsin-operator",
}

# Beside our processes: one that may ask whether the server lives, without a password, and one that reads the length of
# the queues (an autoscaler does so by a script of its own, to which a key is handed).
PROBE: Final = ("tocsin-probe", "nopass", Grant(("ping",)))
SCALER: Final = (
    "tocsin-scaler",
    "",
    Grant(
        _words("ping client|setinfo client|setname select eval evalsha type llen"),
        tuple(f"~{queue}" for queue in _QUEUES),
    ),
)


def glob_of(spec: KeySpec) -> str:
    """The pattern by which the server matches all names of a key."""
    return re.sub(r"<[a-z0-9]+>", "*", spec.pattern)


def runs(role: Role) -> dict[str, Script]:
    """The scripts that processes of this role run."""
    return {name: script for name, script in SCRIPTS.items() if role == "cli" or role in script.roles}


def access(role: Role, spec: KeySpec) -> str:
    """`R`, `W`, `RW` or nothing: what a role may do with a key, its scripts counted."""
    handed = any(spec.name in script.keys for script in runs(role).values())
    may_read = handed or role in spec.readers
    may_write = handed or role in spec.writers
    return "R" * may_read + "W" * may_write


def commands_inside(script: str) -> set[str]:
    """The commands that a script of the store sends, in lower case."""
    text = (LUA / f"{script}.lua").read_text(encoding="utf-8")
    return {command.lower() for command in re.findall(r"redis\.p?call\('(\w+)'", text)}


def store_grant(role: Role) -> Grant:
    """What a role may do with the store's keys: by its adapters, and by the scripts that it runs."""
    signs = {"R": "%R~", "W": "%W~", "RW": "~"}
    allowed = ((access(role, spec), glob_of(spec)) for spec in CATALOGUE)
    inside = set().union(*(commands_inside(name) for name in runs(role)))
    return Grant(
        commands=(*CONNECTION.commands, *ADAPTERS[role].commands, *sorted(inside)),
        keys=tuple(signs[access] + glob for access, glob in allowed if access),
    )


def line(user: str, password: str, *grants: Grant) -> str:
    """A user's line of the list. Without a password nobody can log in as that user."""
    given = {key for grant in grants for key in grant.keys}
    keys = sorted(key for key in given if key.startswith("~") or f"~{key.partition('~')[2]}" not in given)
    channels = sorted({channel for grant in grants for channel in grant.channels})
    commands = sorted({f"+{command}" for grant in grants for command in grant.commands})
    rules = ("on", password, "resetkeys", *keys, "resetchannels", *channels, "-@all", *commands)
    return " ".join(["user", user, *(rule for rule in rules if rule)])


def access_list() -> str:
    """The whole list. Whoever doesn't log in gets nothing."""
    lines = ["user default off resetkeys resetchannels -@all"]
    lines += [line(user, "", store_grant(role), *BROKER[role]) for role, user in USERS.items()]
    lines += [line(*PROBE), line(*SCALER)]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    sys.stdout.write(access_list())
