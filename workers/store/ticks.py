"""A tick's way from its close to its publication: each step one script that compares with the head, then sets."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import msgspec

from workers.store.blobs import blob_names
from workers.store.commands import Commands
from workers.store.compression import compressed
from workers.store.hints import closing_hint
from workers.store.keys import Keys
from workers.store.records import (
    AttemptReply,
    CloseReply,
    CloseTerms,
    CommitReply,
    Failure,
    OutputReply,
    PublishOutcome,
    RetryReply,
    ShardOutput,
    StepCommit,
    StepId,
    TickPublication,
    check_record,
)
from workers.store.reports import PAGES_A_CALL, page_calls
from workers.store.scripts import Argument, Call, Question, Scripts


class Ticks:
    """Closes ticks, books what shards made of them, and moves the head; never decides anything about the game."""

    def __init__(self, client: Commands, scripts: Scripts) -> None:
        self._client = client
        self._scripts = scripts

    def close(self, campaign: str, tick: int, terms: CloseTerms, now_ms: int) -> CloseReply:
        """Freeze the book of `tick`; the next one takes orders at once. `now_ms`, the server's time, stands in the
        sweeper's hint that the campaign may be running, which is there before the tick is closed.

        Closing twice, or from two places, closes once: the second gets `other_tick`.
        """
        keys = Keys(campaign)
        names = [keys.head, keys.counts(tick), keys.ready(tick), keys.commitments]
        call: Call = ("close", names, [tick, msgspec.json.encode(terms)])
        *_, text = self._scripts.run_after([closing_hint(campaign, now_ms)], call)
        return msgspec.json.decode(text, type=CloseReply)

    def output(self, at: StepId, shard: ShardOutput) -> OutputReply:
        """Write a shard's output, once, with its blobs.

        A second output for the same input that differs is a divergence: the tick fails, and what was there stays.
        """
        keys = Keys(at.campaign)
        digests = sorted(shard.blobs)
        names = [keys.head, keys.outputs(at.tick, at.epoch, at.step), keys.workers(at.tick), keys.blobs]
        names += blob_names(at.campaign, digests)
        arguments: list[Argument] = [at.tick, at.epoch, at.step, shard.shard, shard.output, shard.worker]
        arguments.append("" if shard.closed_ms is None else shard.closed_ms)
        arguments += [compressed(shard.blobs[digest]) for digest in digests]
        outcome, count = self._scripts.outcome("output", names, arguments)
        return OutputReply(outcome=outcome, count=count)

    def commit(self, at: StepId, step: StepCommit) -> CommitReply:
        """Move the head past a step or several, if it stands there and every blob that the new manifest names is
        stored."""
        outcome, *missing = self._scripts.outcome(*_commit_call(at, step))
        return CommitReply(outcome=outcome, missing=tuple(missing))

    def attempt(self, at: StepId, shard: str) -> AttemptReply:
        """Count a start of a shard (its number, or "commit"), before it works: a killed one has counted too.

        A shard that has written its output counts no more.
        """
        return self._count(at, f"{at.step}/{shard}", shard)

    def leap_attempt(self, at: StepId, *questions: Question[Any]) -> tuple[AttemptReply, list[list[Any]]]:
        """Count a start of a leap: of one process playing superstep after superstep from here, before it works. What it
        will need first is asked for in the same round trip: the replies to each question, for its `read`.
        """
        commands = [command for question in questions for command in question.commands]
        *replies, counted = self._scripts.run_after(commands, _attempt_call(at, f"{at.step}/leap", ""))
        rest = iter(replies)
        told = [list(itertools.islice(rest, len(question.commands))) for question in questions]
        return _attempt_reply(counted), told

    def failure_note(self, at: StepId, shard: str, exception_digest: str) -> AttemptReply:
        """Count a failure of a shard by what it raised; the reply says how often the same was raised."""
        return self._count(at, f"{at.step}/{shard}/{exception_digest}", "")

    def _count(self, at: StepId, field: str, started: str) -> AttemptReply:
        return _attempt_reply(self._scripts.run(*_attempt_call(at, field, started)))

    def fail(self, campaign: str, tick: int, epoch: int, failure: Failure, *, lost: bool = False) -> bool:
        """Quarantine a resolving tick as `failed`, or `lost`; False where it wasn't resolving in that epoch."""
        arguments: list[Argument] = [tick, epoch, "lost" if lost else "failed", msgspec.json.encode(failure)]
        return bool(self._scripts.outcome("fail", [Keys(campaign).head], arguments)[0] == "failed")

    def retry(self, campaign: str, tick: int, epoch: int, *, drop: Sequence[str] = ()) -> RetryReply:
        """Start a quarantined tick again, in a new epoch, from the manifest that it began with.

        `epoch` is the failed one; `drop` names orders to leave out from now on (the caller checks that they are
        the tick's).
        """
        outcome, present = self._scripts.outcome("retry", [Keys(campaign).head], [tick, epoch, *drop])
        return RetryReply(outcome=outcome, epoch=present)

    def publish(
        self, campaign: str, tick: int, publication: TickPublication, commit: tuple[StepId, StepCommit] | None = None
    ) -> PublishOutcome:
        """Write a resolved tick's pages to the camps' streams, then declare it published, once and in that order.

        Pages that a stream has already are skipped, so a publication that was cut off is done again. `commit`: the
        commit that resolves the tick, to be sent with them; where it isn't done, all that follows is `stale`.
        Raises InvalidRequest for a record out of bounds.
        """
        check_record(publication.record)
        keys = Keys(campaign)
        waiting: list[Call] = [_commit_call(*commit)] if commit else []
        held = 0
        for camp, pages in publication.pages.items():
            for call in page_calls(campaign, camp, tick, publication.epoch, publication.manifest, pages):
                waiting.append(call)
                held += len(call[2])
                if held >= PAGES_A_CALL:
                    self._scripts.run_all(waiting)
                    waiting, held = [], 0
        seeds = {str(number): publication.seeds[number] for number in sorted(publication.seeds)}
        plan = msgspec.json.encode({"record": publication.record, "seeds": seeds})
        names = [keys.head, keys.record(tick), keys.seeds, *map(keys.reports, publication.pages)]
        state: list[Argument] = [tick, publication.epoch, publication.manifest]
        waiting.append(("published", names, [*state, publication.staged_commitment, plan]))
        outcome: PublishOutcome = self._scripts.run_all(waiting, together=True)[-1][0].decode()
        return outcome

    def outputs(self, campaign: str, tick: int, epoch: int, step: int) -> dict[int, bytes]:
        """Shard → its output, of the shards that have written theirs."""
        raw = self._client.hgetall(Keys(campaign).outputs(tick, epoch, step))
        return dict(sorted((int(name), text) for name, text in raw.items() if name.isdigit()))

    def divergences(self, campaign: str, tick: int, epoch: int, step: int) -> dict[int, bytes]:
        """The second outputs, by shard, of shards that wrote two different ones for the same input."""
        raw = self._client.hgetall(Keys(campaign).outputs(tick, epoch, step))
        return dict(sorted((int(name.partition(b"/")[0]), text) for name, text in raw.items() if not name.isdigit()))

    def output_shards(self, campaign: str, tick: int, epoch: int, step: int) -> list[int]:
        """The shards that have written their output, ascending."""
        names = self._client.hkeys(Keys(campaign).outputs(tick, epoch, step))
        return sorted(int(name) for name in names if name.isdigit())

    def attempts(self, campaign: str, tick: int, epoch: int) -> dict[str, int]:
        """An epoch's starts by "step/shard" ("step/leap" of several steps at once), and its failures by
        "step/shard/exception digest"."""
        raw = self._client.hgetall(Keys(campaign).attempts(tick, epoch))
        return {name.decode(): int(value) for name, value in sorted(raw.items())}

    def account(self, campaign: str, tick: int, epoch: int) -> tuple[list[bytes], dict[str, str]]:
        """What a record tells of a resolution, read at once: the summaries of an epoch's committed steps, in order, and
        the worker of each output, by "epoch/step/shard"."""
        keys = Keys(campaign)
        with self._client.pipeline(transaction=False) as pipeline:
            pipeline.lrange(keys.steps(tick, epoch), 0, -1)
            pipeline.hgetall(keys.workers(tick))
            summaries, raw = pipeline.execute()
        return summaries, {name.decode(): value.decode() for name, value in sorted(raw.items())}


def _attempt_call(at: StepId, field: str, started: str) -> Call:
    keys = Keys(at.campaign)
    names = [keys.head, keys.attempts(at.tick, at.epoch), keys.outputs(at.tick, at.epoch, at.step)]
    return "attempt", names, [at.tick, at.epoch, at.step, field, started]


def _attempt_reply(reply: Sequence[Any]) -> AttemptReply:
    outcome, count = reply
    return AttemptReply(outcome=outcome.decode(), count=count)


def _commit_call(at: StepId, step: StepCommit) -> Call:
    keys = Keys(at.campaign)
    written = sorted(step.blobs)
    others = sorted(step.named - step.blobs.keys())
    names = [keys.head, keys.blobs, keys.steps(at.tick, at.epoch), keys.workers(at.tick)]
    names += blob_names(at.campaign, (*written, *others))
    arguments: list[Argument] = [at.tick, at.epoch, at.step, step.old_manifest, step.new_manifest, int(step.last)]
    closed_ms = "" if step.closed_ms is None else step.closed_ms
    arguments += [step.worker, closed_ms, len(step.summaries), len(written), *step.summaries]
    arguments += [compressed(step.blobs[digest]) for digest in written]
    return "commit", names, arguments
