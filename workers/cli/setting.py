"""The process's settings, with bad ones told as bad input."""

from pydantic import ValidationError

from workers.kernel.errors import InvalidInput
from workers.settings import ServerSettings

REFERENCE = "see the reference of settings"


def read_settings() -> ServerSettings:
    """The settings of the environment. Raises InvalidInput naming the variable, what is wrong and what is accepted."""
    try:
        settings = ServerSettings()
    except ValidationError as error:
        first = error.errors()[0]
        problem, _, accepted = first["msg"].removeprefix("Value error, ").partition("; accepted: ")
        if not first["loc"]:  # settings that don't go together
            raise InvalidInput("settings", problem, accepted or REFERENCE) from error
        name = f"TOCSIN_{'_'.join(map(str, first['loc'])).upper().removeprefix('TOCSIN_')}"
        # What was given isn't repeated where we refused it: a URL holds its password.
        given = "" if first["type"] == "value_error" else f"{first['input']!r}: "
        raise InvalidInput(name, f"{given}{problem}", accepted or REFERENCE) from error
    for name, url in (("TOCSIN_REDIS_URL", settings.redis_url), ("TOCSIN_BROKER_URL", settings.broker_url)):
        _check_sentinel(name, url)
    return settings


def _check_sentinel(name: str, url: str) -> None:
    from workers.store.sentinel import read_sentinel

    try:
        read_sentinel(url)
    except ValueError as error:
        problem, _, accepted = str(error).partition("; accepted: ")
        raise InvalidInput(name, problem, accepted) from error
