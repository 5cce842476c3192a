"""Large ticks on machines that we don't have: processes and one server, simulated from figures of one that we have.

A process takes a slice's orders and homes from the server, works, and goes on to the next; at the end of its shard it
writes what it made. The server does one thing at a time, in the order in which it is asked. A superstep ends when its
last shard does; a commit stands between two. Small campaigns are closed by one sweeper, one after another, and each is
played by one process in one leap.

    .venv/bin/python -m benchmarks.simulate --orders 10000000 --processes 160
    .venv/bin/python -m benchmarks.simulate --campaigns 100000 --processes 160

The figures are those of `tocsin bench tick --json` (`cpu_us_an_order`), `bench small` and `bench many`
(`closing_median`).
"""

import argparse
import heapq
import json
from dataclasses import dataclass, replace

SLICES_MAX = 256
HOMES_A_SLICE = 512
ORDERS_A_HOME = 2


@dataclass(frozen=True)
class Machine:
    """What the figures say: processor time of an order in a worker and in the server, of a small tick in both, of a
    commit, of a close; and the processes."""

    processes: int = 160
    worker_us_an_order: float = 40.0
    server_us_an_order: float = 6.0
    worker_ms_a_small_tick: float = 12.0
    server_ms_a_small_tick: float = 5.0
    commit_ms: float = 15.0
    close_ms: float = 1.0
    supersteps: int = 8
    servers: int = 1


@dataclass(frozen=True)
class Outcome:
    """How long it takes, and of that time how much the server and the processes work."""

    seconds: float
    server_busy: float
    processes_busy: float

    @property
    def saturated(self) -> str:
        """What is waited for most."""
        return "server" if self.server_busy >= self.processes_busy else "processes"


class Server:
    """Does one thing at a time."""

    def __init__(self) -> None:
        self.free_s = 0.0
        self.worked_s = 0.0

    def ask(self, at_s: float, work_s: float) -> float:
        """When something asked for at a moment is done."""
        self.free_s = max(self.free_s, at_s) + work_s
        self.worked_s += work_s
        return self.free_s


def slices_of(orders: int) -> int:
    """The slices of a campaign with so many orders a tick: a power of two, 4 to 256."""
    wanted = max(orders // ORDERS_A_HOME // HOMES_A_SLICE, 1)
    return max(4, min(1 << (wanted - 1).bit_length(), SLICES_MAX))


def one_campaign(machine: Machine, orders: int, shards: int) -> Outcome:
    """One tick of one campaign: as many supersteps as there are, each with all slices, none of them cached."""
    slices = slices_of(orders)
    server = Server()
    now_s = worked_s = 0.0
    steps = machine.supersteps
    work_s = orders * machine.worker_us_an_order / 1e6 / slices / steps
    # Of the server's time, half goes into reading slices and orders, half into taking in what was made of them.
    each_s = orders * machine.server_us_an_order / 1e6 / slices / steps / 2
    for _ in range(steps):
        waiting = [range(i * slices // shards, (i + 1) * slices // shards) for i in range(shards)][::-1]
        # A process by the moment at which it has time: with what is left of its shard, and how much it has to write.
        free: list[tuple[float, int, int, int]] = [(now_s, number, 0, 0) for number in range(machine.processes)]
        end_s = now_s
        while free:
            at_s, number, left, made = heapq.heappop(free)
            if left:
                at_s = server.ask(at_s, each_s) + work_s
                worked_s += work_s
                heapq.heappush(free, (at_s, number, left - 1, made + 1))
            elif made:
                at_s = server.ask(at_s, made * each_s)
                end_s = max(end_s, at_s)
                heapq.heappush(free, (at_s, number, 0, 0))
            elif waiting:
                heapq.heappush(free, (at_s, number, len(waiting.pop()), 0))
        now_s = end_s + machine.commit_ms / 1e3
    return Outcome(now_s, server.worked_s / now_s, worked_s / now_s / machine.processes)


def many_campaigns(machine: Machine, campaigns: int) -> Outcome:
    """Small campaigns, all due at once."""
    server = Server()
    steps = machine.supersteps
    each_s, work_s = machine.server_ms_a_small_tick / 1e3 / steps, machine.worker_ms_a_small_tick / 1e3 / steps
    free = [(0.0, number, 0) for number in range(machine.processes)]
    closed = 0
    end_s = worked_s = 0.0
    while free:
        at_s, number, left = heapq.heappop(free)
        if left:
            at_s = server.ask(at_s, each_s) + work_s
            worked_s += work_s
            end_s = max(end_s, at_s)
            heapq.heappush(free, (at_s, number, left - 1))
        elif closed < campaigns:
            closed += 1
            heapq.heappush(free, (max(at_s, closed * machine.close_ms / 1e3), number, steps))
    return Outcome(end_s, server.worked_s / end_s, worked_s / end_s / machine.processes)


def main() -> None:
    """Simulate, and print a JSON document."""
    parser = argparse.ArgumentParser(description="A tick on machines that we don't have.")
    parser.add_argument("--orders", type=int, default=0)
    parser.add_argument("--orders-per-shard", type=int, default=25_000)
    parser.add_argument("--campaigns", type=int, default=0)
    for name, default in vars(Machine()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default)
    chosen = vars(parser.parse_args())
    machine = replace(Machine(), **{name: chosen[name] for name in vars(Machine())})
    if chosen["orders"]:
        shards = min(max(-(-chosen["orders"] // chosen["orders_per_shard"]), 4), slices_of(chosen["orders"]))
        found, what = one_campaign(machine, chosen["orders"], shards), {"orders": chosen["orders"], "shards": shards}
    else:
        campaigns = max(chosen["campaigns"] // machine.servers, 1)
        part = replace(machine, processes=max(machine.processes // machine.servers, 1))
        found, what = many_campaigns(part, campaigns), {"campaigns": chosen["campaigns"], "servers": machine.servers}
    told = {"seconds": found.seconds, "server_busy": found.server_busy, "processes_busy": found.processes_busy}
    rounded = {name: float(f"{value:.3g}") for name, value in told.items()}
    print(json.dumps({**what, "processes": machine.processes, **rounded, "saturated": found.saturated}))


if __name__ == "__main__":
    main()
