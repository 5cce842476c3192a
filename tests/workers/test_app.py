"""The transport's limits, as the transport itself has them: what dies or falls silent keeps nobody waiting for long."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery

from workers.app import make_app
from workers.bootstrap import YOUNG_OBJECTS
from workers.settings import ServerSettings
from workers.store.connection import CONNECT_TIMEOUT_S, SOCKET_TIMEOUT_S
from workers.store.embedded import EmbeddedServer


@pytest.fixture
def app(real_server: EmbeddedServer) -> Iterator[Celery]:
    with make_app(ServerSettings(redis_url=real_server.url)) as made:
        yield made


def test_a_worker_killed_while_it_gives_messages_back_keeps_the_others_from_it_for_seconds(app: Celery) -> None:
    visible_s = app.conf.broker_transport_options["visibility_timeout"]
    with app.connection_for_read() as connection:
        channel: Any = connection.default_channel
        assert channel.unacked_mutex_expire < visible_s


def test_nobody_waits_for_ever_on_a_connection_whose_other_end_vanished(app: Celery) -> None:
    with app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        broker = channel.client.connection_pool.connection_kwargs
        assert (SOCKET_TIMEOUT_S, CONNECT_TIMEOUT_S) == (broker["socket_timeout"], broker["socket_connect_timeout"])
    backend: Any = app.backend
    results = backend.client.connection_pool.connection_kwargs
    assert (SOCKET_TIMEOUT_S, CONNECT_TIMEOUT_S) == (results["socket_timeout"], results["socket_connect_timeout"])


def test_a_worker_loads_its_rulebooks_and_settles_its_memory_before_it_forks() -> None:
    """Asked in a process of its own, since both are for good."""
    program = (
        "import gc, sys; from workers.tasks import app; "
        "print('workers.rules.veil' in sys.modules, gc.get_freeze_count() > 10_000, gc.get_threshold()[0])"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    assert ["True", "True", str(YOUNG_OBJECTS)] == told.stdout.split()
