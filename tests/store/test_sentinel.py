"""The address of a server behind Sentinels: read once, told to every client in its own form."""

import asyncio

import pytest

from workers.app import make_app
from workers.settings import ServerSettings
from workers.store.connection import connect, connect_async
from workers.store.sentinel import PORT, SentinelAddress, read_sentinel

URL = "sentinel://ann:p%40ss@10.0.0.1:26380,10.0.0.2,host-3:26381/2?master=town&sentinel_password=s%2Fx"
ADDRESS = SentinelAddress(
    (("10.0.0.1", 26_380), ("10.0.0.2", PORT), ("host-3", 26_381)), "town", 2, "ann", "p@ss", "s/x"
)


def test_every_part_of_the_url_is_read() -> None:
    assert ADDRESS == read_sentinel(URL)


@pytest.mark.parametrize("url", ["redis://127.0.0.1:6379/0", "rediss://h:1", "unix:///run/x.sock", ""])
def test_another_scheme_is_none(url: str) -> None:
    assert None is read_sentinel(url)


@pytest.mark.parametrize(
    "url",
    [
        "sentinel://", "sentinel://h:1/0", "sentinel://h:1/0?master=", "sentinel://h:x/0?master=m",
        "sentinel://h:0/0?master=m", "sentinel://h:65536/0?master=m", "sentinel://h:1,/0?master=m",
        "sentinel://h:1/zero?master=m", "sentinel://h:1/0?master=m&ssl=1", "sentinel://:secret@h:1/0",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ValueError, match="accepted: sentinel://") as refused:
        connect(url)
    assert "secret" not in str(refused.value)


def test_no_password_is_shown() -> None:
    assert "p@ss" not in repr(ADDRESS)
    assert "s/x" not in repr(ADDRESS)


def test_clients_are_of_the_primary_that_the_sentinels_name() -> None:
    client = connect(URL)
    options = client.connection_pool.connection_kwargs
    asynchronous = connect_async(URL)

    for kwargs in (options, asynchronous.connection_pool.connection_kwargs):
        assert (2, "ann", "p@ss") == (kwargs["db"], kwargs["username"], kwargs["password"])
    assert "town" == getattr(client.connection_pool, "service_name", "")
    client.close()
    asyncio.run(asynchronous.aclose())


def test_celery_is_told_a_url_a_sentinel_and_the_name_beside_it() -> None:
    conf = make_app(ServerSettings(redis_url=URL)).conf
    expected = ";".join(
        f"sentinel://ann:p%40ss@{host}/2" for host in ("10.0.0.1:26380", f"10.0.0.2:{PORT}", "host-3:26381")
    )

    assert expected == conf.broker_url
    assert f"workers.app.QuietSentinelBackend+{expected}" == conf.result_backend
    for options in (conf.broker_transport_options, conf.result_backend_transport_options):
        assert ("town", {"password": "s/x"}) == (options["master_name"], options["sentinel_kwargs"])


def test_on_a_plain_server_celery_is_told_the_url_as_it_is() -> None:
    conf = make_app(ServerSettings(redis_url="redis://127.0.0.1:1/0")).conf

    assert "redis://127.0.0.1:1/0" == conf.broker_url
    assert conf.result_backend.startswith("workers.app.QuietBackend+redis://")
    assert "master_name" not in conf.broker_transport_options
