"""The servers that these tests need."""

from tests.servers import real_server  # noqa: F401 - pytest finds fixtures by their names
