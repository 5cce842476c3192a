"""What happens to the host, and when: drawn from a seed before anything runs."""

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from redis.exceptions import RedisError

from tests.chaos.host import Host
from tests.chaos.proxy import CUTS
from workers import clock
from workers.app import QUEUE_LARGE, QUEUE_SMALL
from workers.store.connection import Client, connect
from workers.store.errors import ServerStartError

GAP_S: Final = (0.6, 2.0)
LOOK_S: Final = 0.005
FIND_S: Final = 1.0
FULL_BYTES: Final = 1

Happening = Callable[[Host, random.Random], str]


@dataclass(frozen=True, slots=True)
class Planned:
    """A fault of a name at a moment, in seconds from the beginning, with dice of its own."""

    at_s: float
    name: str
    seed: str


def plan(seed: str, duration_s: float) -> list[Planned]:
    """The faults of a run: every kind once before any comes again, in an order that the seed draws; the server is
    killed among the first."""
    chance = random.Random(seed)
    found: list[Planned] = []
    at_s = chance.uniform(*GAP_S)
    names = _names(chance)
    while at_s < duration_s:
        found.append(Planned(at_s, next(names), f"{seed}/{len(found)}"))
        at_s += chance.uniform(*GAP_S)
    return found


def _names(chance: random.Random) -> Iterator[str]:
    kills = ["kill a worker", "kill the server", "kill a worker's child", "kill the API", "kill the sweeper"]
    chance.shuffle(kills)
    yield from kills
    while True:
        names = sorted(FAULTS)
        chance.shuffle(names)
        yield from names


def kill_worker(host: Host, chance: random.Random) -> str:
    """SIGKILL to a worker and all its children."""
    worker = chance.choice(host.workers)
    host.kill(worker)
    return f"{worker.name} and its children killed"


def kill_worker_parent(host: Host, chance: random.Random) -> str:
    """SIGKILL to a worker's parent process; its children are left alone."""
    worker = chance.choice(host.workers)
    host.kill_parent(worker)
    return f"{worker.name}'s parent killed"


def kill_worker_child(host: Host, chance: random.Random) -> str:
    """SIGKILL to one of a worker's pool processes."""
    worker = chance.choice(host.workers)
    host.kill_child(worker)
    return f"a child of {worker.name} killed"


def stop_worker(host: Host, chance: random.Random) -> str:
    """SIGTERM to a worker."""
    worker = chance.choice(host.workers)
    host.terminate(worker)
    return f"{worker.name} told to stop"


def kill_sweeper(host: Host, chance: random.Random) -> str:
    """SIGKILL to the sweeper, which holds the lease."""
    assert host.stack.sweeper is not None
    host.kill(host.stack.sweeper)
    return "sweeper killed"


def kill_api(host: Host, chance: random.Random) -> str:
    """SIGKILL to the API and its children."""
    assert host.stack.api is not None
    host.kill(host.stack.api)
    return "API killed"


def kill_server(host: Host, chance: random.Random) -> str:
    """SIGKILL to the server, which comes back with what its append-only file holds."""
    away_s = chance.uniform(0.0, 1.5)
    host.kill_server(away_s)
    return f"server killed, back after {away_s:.1f} s"


def cut_server(host: Host, chance: random.Random) -> str:
    """Connections to the server are cut: before a request, between it and its reply, or left half-open."""
    kind, times = chance.choice(CUTS), chance.randint(1, 6)
    host.to_server.cut(kind, times, hold_s=chance.uniform(0.5, 3.0))
    return f"{times} connections to the server cut {kind}"


def cut_server_wholly(host: Host, chance: random.Random) -> str:
    """Every connection to the server is cut, as by a switch that restarts."""
    host.to_server.cut_all()
    return "all connections to the server cut"


def cut_api(host: Host, chance: random.Random) -> str:
    """Connections of clients to the API are cut."""
    kind, times = chance.choice(CUTS), chance.randint(1, 4)
    host.to_api.cut(kind, times, hold_s=chance.uniform(0.5, 2.0))
    return f"{times} connections to the API cut {kind}"


def fill_server(host: Host, chance: random.Random) -> str:
    """The server's memory is full: it takes no write. Freed a moment later."""
    full_s = chance.uniform(0.3, 2.0)
    with connect(host.settings.redis_url) as client:
        client.config_set("maxmemory", FULL_BYTES)
        threading.Event().wait(full_s)
        client.config_set("maxmemory", 0)
    host.heals += 1
    return f"server full for {full_s:.1f} s"


def double_message(host: Host, chance: random.Random) -> str:
    """A message that waits in a queue is there twice."""

    def double(client: Client, queue: str) -> bool:
        waiting = client.lrange(queue, 0, 0)
        return bool(waiting) and client.lpush(queue, *waiting) > 0

    return "a message doubled" if _with_queue(host, chance, double) else "no message to double"


def drop_message(host: Host, chance: random.Random) -> str:
    """A message that waits in a queue is lost."""
    dropped = _with_queue(host, chance, lambda client, queue: client.rpop(queue) is not None)
    return "a message dropped" if dropped else "no message to drop"


def delay_message(host: Host, chance: random.Random) -> str:
    """A message leaves its queue and comes back later, behind the others."""
    held: list[tuple[str, bytes]] = []

    def take(client: Client, queue: str) -> bool:
        message = client.rpop(queue)
        if isinstance(message, bytes):
            held.append((queue, message))
        return bool(held)

    if not _with_queue(host, chance, take):
        return "no message to delay"
    away_s = chance.uniform(0.5, 3.0)
    threading.Event().wait(away_s)
    with connect(host.settings.redis_url) as client:
        client.lpush(*held[0])
    return f"a message delayed by {away_s:.1f} s"


def _with_queue(host: Host, chance: random.Random, change: Callable[[Client, str], bool]) -> bool:
    """Do something to a queue in which a message waits; False where none does for a while (workers are fast)."""
    pause, end_s = threading.Event(), clock.monotonic_s() + FIND_S
    queues = [QUEUE_LARGE, QUEUE_SMALL]
    with connect(host.settings.redis_url) as client:
        while clock.monotonic_s() < end_s:
            chance.shuffle(queues)
            if any(change(client, queue) for queue in queues):
                return True
            pause.wait(LOOK_S)
    return False


FAULTS: Final[dict[str, Happening]] = {
    "kill a worker": kill_worker,
    "kill a worker's parent": kill_worker_parent,
    "kill a worker's child": kill_worker_child,
    "stop a worker": stop_worker,
    "kill the sweeper": kill_sweeper,
    "kill the API": kill_api,
    "kill the server": kill_server,
    "cut connections to the server": cut_server,
    "cut all connections to the server": cut_server_wholly,
    "cut connections to the API": cut_api,
    "fill the server": fill_server,
    "double a message": double_message,
    "drop a message": drop_message,
    "delay a message": delay_message,
}


def play(host: Host, planned: list[Planned], duration_s: float, tell: Callable[[str], None]) -> None:
    """Let it all happen, each at its moment (or as soon after it as the one before is over)."""
    began_s, pause = clock.monotonic_s(), threading.Event()
    for fault in planned:
        pause.wait(max(0.0, fault.at_s - (clock.monotonic_s() - began_s)))
        if clock.monotonic_s() - began_s > duration_s:
            break
        said = f"{fault.name}: the server is away"
        with suppress(RedisError, ServerStartError):
            said = FAULTS[fault.name](host, random.Random(fault.seed))
        tell(f"{clock.monotonic_s() - began_s:5.1f} s  {said}")
    pause.wait(max(0.0, duration_s - (clock.monotonic_s() - began_s)))
