"""What one token may take: requests a second, streams that are open, campaigns that it founds.

Each bound is a setting. What is refused says what would be accepted, and when to come again where time heals it.
"""

from collections.abc import Callable
from typing import Final, TypeVar

from workers.kernel.errors import InvalidInput
from workers.service.problems import FieldProblem, Problem
from workers.settings import ServerSettings
from workers.store import Store
from workers.store.records import Admission

T = TypeVar("T")

LEASE_MARGIN_MS: Final = 5_000
STREAM_BYTES: Final = 16
UNFOUNDED_MS: Final = 600_000
"""A place reserved for a campaign that isn't there after this time is given back: nobody is founding it any more."""


class Limits:
    """Holds tokens to the settings' bounds. `entropy` gives the random bytes that name streams."""

    def __init__(self, store: Store, settings: ServerSettings, entropy: Callable[[int], bytes]) -> None:
        self._store = store
        self._settings = settings
        self._entropy = entropy

    @property
    def requests_max(self) -> int:
        """Requests of a token within a second."""
        return self._settings.requests_token_second_max

    @property
    def lease_ms(self) -> int:
        """How long a stream's place outlives the process that holds it: two waits for news, and a margin."""
        return int(self._settings.stream_wait_s * 2_000) + LEASE_MARGIN_MS

    def check_requests(self, admission: Admission) -> None:
        """Raise Problem (too_many_requests) past the requests of a second."""
        most = self.requests_max
        if admission.requests > most:
            problem = FieldProblem("Authorization", "too many requests of this token", f"at most {most} in a second")
            raise Problem(
                "too_many_requests",
                f"A token makes at most {most} requests in a second here.",
                (problem,),
                retry_after_s=seconds(admission.left_ms),
            )

    def open_stream(self, owner: str) -> str:
        """Take a place for a stream; its name. Raises Problem (too_many_streams)."""
        most = self._settings.streams_token_max
        stream = self._entropy(STREAM_BYTES).hex()
        hold = self._store.limits.open_stream(owner, stream, for_ms=self.lease_ms, most=most)
        if not hold.held:
            problem = FieldProblem("Authorization", f"{hold.count} open streams of this token", f"at most {most}")
            raise Problem(
                "too_many_streams",
                f"A token has at most {most} open streams here.",
                (problem,),
                retry_after_s=seconds(hold.first_ms),
            )
        return stream

    def keep_stream(self, token: str, owner: str, stream: str) -> bool:
        """Hold a stream's place longer; False where it must end: its token was revoked, or its place was lost."""
        most = self._settings.streams_token_max
        known, hold = self._store.limits.keep_stream(token, owner, stream, for_ms=self.lease_ms, most=most)
        return known and hold.held

    def close_stream(self, owner: str, stream: str) -> None:
        """Give a stream's place back."""
        self._store.limits.close_stream(owner, stream)

    def found(self, owner: str, campaign: str, found: Callable[[], T]) -> T:
        """Found a campaign in one of the places that an owner has for those that haven't ended.

        Where the answer of founding is lost, the place stays: whether the campaign is there is then unknown. Raises
        Problem (too_many_campaigns), and what `found` raises.
        """
        fresh = self._reserve(owner, campaign)
        try:
            return found()
        except (Problem, InvalidInput):
            if fresh:
                self._store.limits.give_back(owner, [campaign])
            raise

    def _reserve(self, owner: str, campaign: str) -> bool:
        most = self._settings.campaigns_token_max
        outcome, count = self._store.limits.reserve_campaign(owner, campaign, most)
        if outcome == "full":
            now_ms = self._store.heads.server_time_ms()
            self._store.limits.give_back(owner, self._store.limits.ended(owner, now_ms - UNFOUNDED_MS))
            outcome, count = self._store.limits.reserve_campaign(owner, campaign, most)
        if outcome == "full":
            problem = FieldProblem("campaign", f"{count} campaigns of this token haven't ended", f"at most {most}")
            raise Problem("too_many_campaigns", f"A token has at most {most} campaigns that haven't ended.", (problem,))
        return outcome == "reserved"


def seconds(wait_ms: int) -> int:
    """Whole seconds to wait, at least one."""
    return max(1, -(-wait_ms // 1_000))
