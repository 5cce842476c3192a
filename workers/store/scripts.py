"""The Lua scripts, loaded from their files, and how they are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha1
from importlib.resources import files
from typing import Any, Generic, TypeVar

from redis.exceptions import NoScriptError

from workers.store.commands import Commands

AnswerT = TypeVar("AnswerT")

Argument = str | bytes | int
Call = tuple[str, Sequence[str], Sequence[Argument]]
"""A script's name, its keys and its arguments."""
Command = Sequence[Argument]
"""A command of the server's, by its name, and its arguments."""


@dataclass(frozen=True, slots=True)
class Question(Generic[AnswerT]):
    """What somebody may ask in the round trip of another: commands that read, and what their replies say."""

    commands: Sequence[Command]
    read: Callable[[Sequence[Any]], AnswerT]


class Scripts:
    """All scripts by name, over one client.

    A script checks everything first and writes afterwards, because the server doesn't take back what a script wrote
    before it failed. Each is called by its SHA-1; a server that doesn't know it yet gets the text.
    """

    def __init__(self, client: Commands) -> None:
        self._client = client
        self._texts = {
            entry.name.removesuffix(".lua"): entry.read_text(encoding="utf-8")
            for entry in files("workers.store").joinpath("lua").iterdir()
            if entry.name.endswith(".lua")
        }
        self._digests = {
            name: sha1(text.encode(), usedforsecurity=False).hexdigest() for name, text in self._texts.items()
        }

    def text(self, name: str) -> str:
        """The script's source. Raises KeyError where there is none of that name."""
        return self._texts[name]

    def names(self) -> list[str]:
        """The names of all scripts, sorted."""
        return sorted(self._texts)

    def run(self, name: str, keys: Sequence[str], arguments: Sequence[Argument]) -> Any:
        """Run a script; its reply as the server gave it: integers, bytes, lists of them."""
        count = len(keys)
        try:
            return self._client.execute_command("EVALSHA", self._digests[name], count, *keys, *arguments)
        except NoScriptError:
            return self._client.execute_command("EVAL", self._texts[name], count, *keys, *arguments)

    def queue(self, pipeline: Any, name: str, keys: Sequence[str], arguments: Sequence[Argument]) -> None:
        """Put a call into a pipeline; a server that doesn't know the script answers NoScriptError (`run` it then)."""
        pipeline.execute_command("EVALSHA", self._digests[name], len(keys), *keys, *arguments)

    def run_after(self, commands: Sequence[Command], call: Call) -> list[Any]:
        """Run a script behind some commands, in one round trip; the replies to the commands, then the script's."""
        with self._client.pipeline(transaction=False) as pipeline:
            for command in commands:
                pipeline.execute_command(*command)
            self.queue(pipeline, *call)
            replies: list[Any] = pipeline.execute(raise_on_error=False)
        if isinstance(replies[-1], NoScriptError):
            replies[-1] = self.run(*call)
        for reply in replies:
            if isinstance(reply, Exception):
                raise reply
        return replies

    def run_all(self, calls: Sequence[Call], *, together: bool = False) -> list[Any]:
        """Run scripts in one round trip, one after another; their replies. Each must be one that may run twice: from
        the first that the server doesn't know yet, all are run again. Raises the first error that one gave; those after
        it may have run all the same.

        `together`: as one transaction. The server syncs once for all of them, however many turns it takes to read them,
        and serves nobody else before the last is done.
        """
        with self._client.pipeline(transaction=together) as pipeline:
            for name, keys, arguments in calls:
                self.queue(pipeline, name, keys, arguments)
            replies: list[Any] = pipeline.execute(raise_on_error=False)
        for number, reply in enumerate(replies):
            if isinstance(reply, NoScriptError):
                return replies[:number] + [self.run(*call) for call in calls[number:]]
            if isinstance(reply, Exception):
                raise reply
        return replies

    def outcome(self, name: str, keys: Sequence[str], arguments: Sequence[Argument]) -> list[Any]:
        """Run a script whose reply is a list that starts with the case's name; names and texts come decoded."""
        return [value.decode() if isinstance(value, bytes) else value for value in self.run(name, keys, arguments)]
