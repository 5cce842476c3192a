"""A whole Tocsin for a test: a real server, real Celery worker processes, an archive; everything ended by its owner."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from workers.bootstrap import Services, compose
from workers.clock import entropy
from workers.dispatch import Dispatcher
from workers.kernel.dice import Dice
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice
from workers.service.access import Sender
from workers.service.desk import Desk
from workers.service.founding import CampaignPlan, Founding
from workers.service.orders import Receipt, Submission
from workers.service.recording import Record, read_record
from workers.service.replaying import Replay, replay
from workers.service.views import Views
from workers.settings import ServerSettings
from workers.store.records import Head
from workers.sweeper import Sweeper
from workers.tasks import build_app

ROOT = Path(__file__).resolve().parents[2]
WAIT_LIMIT_S = 60.0
SEED = "b5a8dd20cc56908f40e2082b5c7f5137ccb4ec9a67e05f0727dce4fce02cd645"


def wait_for(what: Callable[[], Any], said: str, limit_s: float = WAIT_LIMIT_S) -> Any:
    """Wait until `what()` is true, looking often; its value. Fails, saying what was waited for, past the limit."""
    end = time.monotonic() + limit_s
    pause = threading.Event()
    while True:
        found = what()
        if found:
            return found
        assert time.monotonic() < end, f"waited {limit_s} s in vain: {said}"
        pause.wait(0.02)


class World:
    """One server's world."""

    def __init__(self, url: str, folder: Path) -> None:
        self.traps = folder / "traps"
        self.traps.mkdir()
        self.settings = ServerSettings(
            redis_url=url, archive_url=f"file://{folder / 'archive'}", stall_s=0.5, sweep_walk_interval_s=0.2
        )
        self.services: Services = compose(self.settings)
        self.dispatcher = Dispatcher(build_app(self.settings), self.services)
        self.sweeper = Sweeper(self.services, self.dispatcher, "test")
        self._founding = Founding(self.services.store, self.services.campaigns, entropy)
        views = Views(self.services.campaigns, self.settings.cache_bytes)
        self.desk = Desk(self.services.store, self.services.campaigns, views, self.settings, entropy)
        self._workers: list[subprocess.Popen[bytes]] = []

    def start_worker(self, processes: int = 1) -> subprocess.Popen[bytes]:
        """Start a Celery worker whose rulebooks have this world's traps."""
        environment = {
            **os.environ,
            "TOCSIN_REDIS_URL": self.settings.redis_url,
            "TOCSIN_ARCHIVE_URL": self.settings.archive_url,
            "TOCSIN_TEST_TRAPS": str(self.traps),
        }
        command = [sys.executable, "-m", "celery", "-A", "tests.pipeline.trapped", "worker"]
        command += ["-Q", "tocsin.large,tocsin.small", "--concurrency", str(processes), "--loglevel", "ERROR"]
        command += ["--without-gossip", "--without-mingle", "--without-heartbeat", "-n", f"w{len(self._workers)}@%h"]
        worker = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
        self._workers.append(worker)
        return worker

    def kill_worker(self, worker: subprocess.Popen[bytes]) -> None:
        """SIGKILL to a worker and its children, all at once."""
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(WAIT_LIMIT_S)

    def stop(self) -> None:
        """End every worker that this world started."""
        for worker in self._workers:
            if worker.poll() is None:
                self.kill_worker(worker)

    def found(self, name: str, **options: Any) -> Head:
        """Found and open a campaign of the Veil from a fixed seed."""
        plan = {"campaign": name, "rulebook": "veil", "campaign_seed": SEED, "slices": 16, "shards": 4, "fuse_below": 0}
        self._founding.found(msgspec.convert(plan | options, CampaignPlan))
        self.services.store.heads.lifecycle(name, "open")
        return self.head(name)

    def head(self, name: str) -> Head:
        """The campaign's head."""
        head = self.services.store.heads.get(name)
        assert head is not None
        return head

    def orders(self, name: str) -> list[tuple[str, str, Any]]:
        """The rulebook's sample orders for the campaign's open tick, drawn from dice that depend on the tick alone."""
        campaign = self.services.campaigns.load(name)
        engine: Engine = campaign.engine
        manifest = self.services.campaigns.manifest(name, campaign.head.start_manifest)
        shared = self.services.campaigns.shared(campaign, manifest)
        homes = []
        for data in self.services.campaigns.blobs(name, [ref.digest for ref in manifest.slices]):
            homes += [engine.read_home(line) for line in Slice.parse(data).lines.values()]
        tick = campaign.head.open_tick
        dice = Dice(tick.to_bytes(32, "big"))
        return list(campaign.rulebook.sample(homes, shared, campaign.settings, tick, dice))

    def book(self, name: str, *, backwards: bool = False, alone: bool = False) -> list[Receipt]:
        """Book the sample orders of the open tick, a batch a camp (or each by itself); the receipts."""
        tick = self.head(name).open_tick
        batches: dict[tuple[str, str], list[msgspec.Raw]] = {}
        for number, (camp, _, order) in enumerate(self.orders(name)):
            key = f"tick-{tick}-{number}" if alone else f"tick-{tick}"
            batches.setdefault((camp, key), []).append(msgspec.Raw(msgspec.json.encode(order)))
        receipts: list[Receipt] = []
        for camp, key in sorted(batches, reverse=backwards):
            answer = self.desk.submit(Sender(camp, camp), name, Submission(tuple(batches[camp, key])), key)
            receipts += [result for result in answer.results if isinstance(result, Receipt)]
        return receipts

    def close(self, name: str) -> int:
        """Close the open tick and send its work; the tick."""
        head = self.head(name)
        reply = self.services.closing.close(head, head.open_tick, "operator")
        assert reply.outcome == "closed", reply
        self.dispatcher.wake(name)
        return head.open_tick

    def wait_published(self, name: str, tick: int, limit_s: float = WAIT_LIMIT_S) -> dict[str, str]:
        """Sweep until a tick is published, archived and retired; its record."""

        def done() -> bool:
            self.sweeper.round()
            head = self.head(name)
            assert head.tick_status not in ("failed", "lost"), head.failure
            return head.retired >= tick

        wait_for(done, f"campaign {name}: tick {tick} retired", limit_s)
        record = self.services.store.heads.record(name, tick)
        assert record is not None
        return record

    def wait_failed(self, name: str) -> Head:
        """Sweep until the campaign's tick is in quarantine; its head."""

        def failed() -> bool:
            self.sweeper.round()
            return self.head(name).tick_status in ("failed", "lost")

        wait_for(failed, f"campaign {name}: tick in quarantine")
        return self.head(name)

    def play(self, name: str) -> dict[str, str]:
        """Book, close and wait: one tick, its record."""
        self.book(name)
        return self.wait_published(name, self.close(name))

    def archived(self, name: str, tick: int) -> Record:
        """The archived record of a tick."""
        return read_record(self.services.archive.read(name, tick))

    def replay(self, name: str, tick: int) -> Replay:
        """A tick resolved again from its archived record."""
        campaign = self.services.campaigns.load(name)
        return replay(self.archived(name, tick), campaign.rulebook, campaign.engine)

    def stream(self, name: str, camp: str) -> list[tuple[int, int, bytes]]:
        """All entries of a camp's stream: tick, page, bytes."""
        return [
            (page.tick, page.page, page.body) for page in self.services.store.reports.read(name, camp, count=10_000)
        ]

    def set_trap(self, trap: str) -> None:
        """Set a trap for the next process that gets there."""
        (self.traps / trap).touch()

    def trapped_pid(self, trap: str) -> int:
        """Wait until a process is in the trap; its pid."""
        sprung = self.traps / f"{trap}.pid"
        return int(wait_for(lambda: sprung.exists() and sprung.read_text(), f"a process in trap {trap}"))


@contextmanager
def world(url: str, folder: Path) -> Iterator[World]:
    """A world that ends its workers at the end."""
    made = World(url, folder)
    try:
        yield made
    finally:
        made.stop()
