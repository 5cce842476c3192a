"""The process's settings, with bad ones told as bad input."""

from pydantic import ValidationError

from workers.kernel.errors import InvalidInput
from workers.settings import ServerSettings


def read_settings() -> ServerSettings:
    """The settings of the environment. Raises InvalidInput naming the variable, what is wrong and what is accepted."""
    try:
        return ServerSettings()
    except ValidationError as error:
        first = error.errors()[0]
        if not first["loc"]:  # settings that don't go together; what was given isn't repeated, a URL holds its password
            raise InvalidInput(
                "settings", first["msg"].removeprefix("Value error, "), "see the reference of settings"
            ) from error
        name = f"TOCSIN_{'_'.join(map(str, first['loc'])).upper().removeprefix('TOCSIN_')}"
        raise InvalidInput(name, f"{first['input']!r}: {first['msg']}", "see the reference of settings") from error
