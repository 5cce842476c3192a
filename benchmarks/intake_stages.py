"""What each stage of booking a batch over HTTP takes, in processor time an order: the API's work, one stage after
another, in this process and on one thread.

What an API process needs beyond it is HTTP's: granian, FastAPI's way to the route and back, the hop to a thread.
"""

import json
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from api.calls import decode_body
from api.replies import Batch as Body
from api.replies import batch_reply
from benchmarks.common import arguments, book_of
from workers import clock
from workers.bootstrap import settle_memory
from workers.cli.bench.books import Book
from workers.cli.bench.errors import BenchError
from workers.cli.bench.ground import BATCH, Ground, ground
from workers.cli.bench.intake import Batch as Sent
from workers.cli.bench.intake import batches_of
from workers.service.access import Sender
from workers.service.batches import Batch
from workers.service.face import Face
from workers.service.meters import Meters
from workers.service.orders import Submission, submission_digest
from workers.store.intake import sender_count
from workers.store.records import IntakeRequest


class Stages:
    """Processor seconds by stage."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what is done inside."""
        started = time.process_time()
        yield
        self.seconds[name] += time.process_time() - started


def book_one(face: Face, name: str, sent: Sent, number: int, stages: Stages) -> None:
    """Book a batch as a request does, its token's admission and its idempotency key's look-up left out."""
    sender = Sender(sent.camp, sent.camp)
    stage = stages.stage
    with stage("body to JSON"):
        decode_body(sent.body, dict[str, msgspec.Raw])
        submission = Submission(decode_body(sent.body, Body).orders)
    with stage("head and state"):
        look = face.desk.look(name)
        judge = face.desk.judge(look, sender)
        meters = Meters(face.store, look.campaign.head, look.tick)
    with stage("JSON to orders"):
        orders = face.desk.reader(look.campaign).read_all(submission.orders)
    with stage("digest of the body"):
        digest = submission_digest(submission, orders)
    batch = Batch(sender, submission, orders, f"{name}-{number}")
    with stage("judged, packed, with ids"):
        items, _ = batch.items(look, judge, meters)
    by = sender_count(sender.camp, sender.actor)
    request = IntakeRequest(tick=look.tick, idem=f"{number:064x}", body=digest, camp=sender.camp, by=by)
    with stage("grouped for the script, sent, its reply read"):
        reply = face.store.intake.book(look.campaign.head, request, items)
    with stage("receipts"):
        answer = batch.answer(look.campaign, reply)
    with stage("answer to JSON"):
        msgspec.json.encode(batch_reply(answer, str))


def measured(here: Ground, face: Face, book: Book) -> dict[str, float]:
    """Microseconds an order by stage, of one campaign's orders; all of them are found booked afterwards."""
    name, stages = here.name(), Stages()
    head = here.found(book, name)
    for number, batch in enumerate(batches_of(book, BATCH)):
        book_one(face, name, batch, number, stages)
    booked = face.store.intake.counts(head.campaign, 1).orders
    here.forget([name])
    if booked != len(book.items):
        raise BenchError(f"{booked} orders were booked, of {len(book.items)} sent")
    return {stage: seconds / booked * 1e6 for stage, seconds in stages.seconds.items()}


def main() -> None:
    """Print one JSON document."""
    given = arguments("What each stage of booking a batch over HTTP takes")
    book = book_of(given.rulebook, given.orders)
    with ground(1) as here:
        services = here.services
        face = Face.over(here.settings, services.store, services.registry, services.campaigns, clock.entropy)
        settle_memory()
        runs = [measured(here, face, book) for _ in range(given.runs + 1)][1:]  # the first one fills the caches
    medians = {stage: round(statistics.median(run[stage] for run in runs), 2) for stage in runs[0]}
    found = {
        "rulebook": given.rulebook,
        "orders": given.orders,
        "cpu_us_an_order": medians,
        "sum": round(sum(medians.values()), 1),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
