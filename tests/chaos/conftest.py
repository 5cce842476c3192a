"""The server that these tests share."""

from tests.servers import real_client, real_server  # noqa: F401 - pytest finds fixtures by their names
