"""A campaign's life: draft, open, paused, ended; and the deadline that its open tick gets with it."""

from workers.service.campaigns import Campaigns
from workers.service.closing import closable_ms
from workers.service.deadlines import next_deadline_ms
from workers.service.problems import Problem
from workers.store import Store
from workers.store.records import LifecycleReply, Verb


class Lifecycle:
    """Moves campaigns through their life."""

    def __init__(self, store: Store, campaigns: Campaigns) -> None:
        self._store = store
        self._campaigns = campaigns

    def move(self, name: str, verb: Verb) -> LifecycleReply:
        """Open, pause, resume or end a campaign; doing so again changes nothing.

        Opened and resumed, the open tick gets the schedule's next deadline. Raises UnknownCampaign, and Problem
        (lifecycle_refused) where the present status doesn't allow it.
        """
        head = self._campaigns.load(name).head
        deadline_ms = 0
        if verb in ("open", "resume"):
            deadline_ms = next_deadline_ms(head.schedule, self._store.heads.server_time_ms())
            if deadline_ms:  # a campaign that is open already keeps its deadline, and its place in the index
                self._store.hints.due_at_latest(name, deadline_ms)
        reply = self._store.heads.lifecycle(name, verb, deadline_ms=deadline_ms)
        if reply.outcome == "refused":
            raise Problem("lifecycle_refused", f"Campaign {name!r} is {reply.status}: it can't be told to {verb}.")
        if verb in ("pause", "end"):
            self._store.hints.not_due(name)
        elif head.schedule.when_ready:  # all camps may have said so before it was paused
            self._store.hints.due_at_latest(name, closable_ms(head))
        return reply
