"""Reports: pages, long polls, and a stream of server-sent events that goes on where its reader stopped."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated

import msgspec
from anyio import CancelScope
from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from api.calls import Call, Calling, Language, answer
from api.queries import DIGITS
from workers.kernel.words import Words
from workers.service.reports import Position, end_of, entry_before, facts_of, parse_position
from workers.store.connection import NO_SERVER

router = APIRouter(tags=["reports"])

Camp = Annotated[str, Query(description="whose report; operators must say, others read their own camp's")]
After = Annotated[str, Query(description="go on after this: `tick`, `tick-page` or a fact's id, `tick-page.index`")]
WaitS = Annotated[
    float,
    Query(
        ge=0,
        le=60,
        description="wait for news where there is none, in seconds: no longer than the API does (a setting)",
    ),
]
Pages = Annotated[
    int,
    DIGITS,
    Query(
        ge=1,
        le=1_000_000,
        description="stored pages to read, of at most 256 facts each: no more than the API gives (a setting)",
    ),
]

RECONNECT_MS = 2_000


@dataclass(frozen=True, slots=True)
class Reading:
    """A reader of one report: whose it is, what it may read of it, in which words, from where."""

    campaign: str
    camp: str
    entities: frozenset[str] | None
    words: Words
    after: Position
    key: str


def _reading(call: Call, campaign: str, camp: str, after: str, lang: str, field: str = "after") -> Reading:
    call.reader(campaign)
    found = call.campaign(campaign)
    chosen, entities = call.perspective(found, camp)
    key = call.face.reports.key(campaign, chosen)
    return Reading(campaign, chosen, entities, call.words(found, lang), parse_position(after, field), key)


@router.get("/campaigns/{campaign}/reports", operation_id="read_reports")
async def read_reports(
    call: Calling,
    campaign: str,
    camp: Camp = "",
    after: After = "",
    wait_s: WaitS = 0,
    pages: Pages = 10,
    lang: Language = "",
) -> Response:
    """The facts that follow a place, with their words; `next` is the place to go on from.

    `trimmed` says that something between the place asked for and what follows was told and is no longer kept.
    """
    reading = await run_in_threadpool(_reading, call, campaign, camp, after, lang)
    most = min(pages, call.face.settings.report_pages_max)
    wait_s = min(wait_s, call.face.settings.stream_wait_s)
    if wait_s:
        await call.gate.streams.pages_after(reading.key, entry_before(reading.after), wait_s)

    def read() -> Response:
        found = call.face.reports.read(
            campaign, reading.camp, reading.words, after=reading.after, entities=reading.entities, pages=most
        )
        return answer(found)

    return await run_in_threadpool(read)


@router.get("/campaigns/{campaign}/reports:stream", operation_id="stream_reports")
async def stream_reports(
    call: Calling, campaign: str, camp: Camp = "", after: After = "", lang: Language = ""
) -> Response:
    """The facts that follow a place, as they come, as server-sent events.

    An event `fact` has the fact's id as its id: a client that reconnects sends it as `Last-Event-ID` and misses
    nothing. An event `complete` says that a tick's report was read to its end; `trimmed`, that something between the
    place asked for and what follows was told and is no longer kept. Comments keep the connection alive.
    """
    last = call.header("last-event-id")
    reading = await run_in_threadpool(
        _reading, call, campaign, camp, last or after, lang, "Last-Event-ID" if last else "after"
    )
    stream = await run_in_threadpool(call.open_stream)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_events(call, reading, stream), media_type="text/event-stream", headers=headers)


async def _events(call: Call, reading: Reading, stream: str) -> AsyncIterator[bytes]:
    after = reading.after
    yield b"retry: %d\n\n" % RECONNECT_MS
    try:
        if await run_in_threadpool(call.face.reports.trimmed, reading.campaign, reading.camp, after):
            yield _event("trimmed", "", {"after": after.text})
        while await run_in_threadpool(call.keep_stream, stream):
            pages = await call.gate.streams.pages_after(
                reading.key, entry_before(after), call.face.settings.stream_wait_s
            )
            if not pages:
                yield b": still here\n\n"
            for page in pages:
                for fact in facts_of(page, after, reading.entities, reading.words):
                    yield _event("fact", fact.id, fact)
                after = end_of(page)
                if page.last:
                    yield _event("complete", after.text, {"tick": page.tick})
    except NO_SERVER:
        yield b": the server is unreachable, come again\n\n"
    finally:
        with CancelScope(shield=True):  # a reader that goes away cancels all of this
            await run_in_threadpool(call.close_stream, stream)


def _event(name: str, event_id: str, data: object) -> bytes:
    line = b"id: %b\n" % event_id.encode() if event_id else b""
    return b"event: %b\n%bdata: %b\n\n" % (name.encode(), line, msgspec.json.encode(data))
