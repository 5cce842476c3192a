"""Bad news, as an exit code and a sentence: 1 a check failed, 2 usage or input, 3 server unreachable."""

from typing import Final

from workers.kernel.errors import TocsinError

CHECK_FAILED: Final = 1
BAD_INPUT: Final = 2
UNREACHABLE: Final = 3


class CheckFailed(TocsinError):
    """Something was asked and the answer is no: the command did its work, and says what doesn't hold."""


class Unreachable(TocsinError):
    """A server doesn't answer, or answers that it can't serve now."""


def told(error: Exception) -> tuple[int, str] | None:
    """The exit code and the sentence of an error that isn't a fault of this program; None for one that is."""
    if isinstance(error, CheckFailed):
        return CHECK_FAILED, str(error)
    if isinstance(error, Unreachable):
        return UNREACHABLE, str(error)
    if isinstance(error, TocsinError):
        return BAD_INPUT, str(error)
    return _told_by_others(error)


def _told_by_others(error: Exception) -> tuple[int, str] | None:
    # Only here, where something went wrong already, is it worth the time to import the clients' exceptions.
    import httpx2
    from redis.exceptions import AuthenticationError, RedisError

    from workers.store.connection import NO_SERVER
    from workers.store.errors import ServerStartError, StoreError

    if isinstance(error, httpx2.TransportError):
        return UNREACHABLE, f"the API doesn't answer: {error}"
    if isinstance(error, NO_SERVER) and not isinstance(error, AuthenticationError):
        return UNREACHABLE, f"the server doesn't answer: {error}"
    if isinstance(error, ServerStartError):
        return UNREACHABLE, str(error)
    if isinstance(error, StoreError | RedisError):
        return BAD_INPUT, str(error)
    return None
