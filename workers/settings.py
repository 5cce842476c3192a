"""What a process is told from outside, read once: environment variables with the prefix `TOCSIN_`.

Every limit has a default and a bound; `docs/reference/settings.md` lists them all, and a test holds it to this model.
"""

from typing import Annotated, Final, Self
from urllib.parse import parse_qsl, urlsplit

import fsspec
from pydantic import AfterValidator, Field, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

ADDRESSES: Final = (
    "redis://host:port/database, rediss://, unix:///path?db=… or sentinel://host:port,…/database?master=NAME"
)
FOLDERS: Final = "file:///path, or the URL of a folder for which fsspec's package is installed"
_LOGIN: Final = frozenset({"db", "username", "password", "client_name", "health_check_interval"})
_TLS: Final = frozenset(
    {
        "ssl_cert_reqs",
        "ssl_ca_certs",
        "ssl_ca_path",
        "ssl_certfile",
        "ssl_keyfile",
        "ssl_password",
        "ssl_check_hostname",
    }
)
_QUERY: Final = {"redis": _LOGIN, "rediss": _LOGIN | _TLS, "unix": _LOGIN}
"""What the query of a server's URL may say. The rest is ours (timeouts, decoding, the protocol), or a misspelling that
redis-py would only stumble over when it connects."""
_VALUES: Final = {
    "ssl_cert_reqs": ("none", "optional", "required"),
    "ssl_check_hostname": ("true", "false"),
}


def _usable_address(url: str) -> str:
    """A server's URL that redis-py can connect by. Errors repeat nothing of it that may be a password.

    What `sentinel://` says is read where the connection is made.
    """
    try:
        parts = urlsplit(url)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        _ = None if parts.scheme == "sentinel" else parts.port
    except ValueError as error:
        raise ValueError(f"it is no URL; accepted: {ADDRESSES}") from error
    if parts.scheme == "sentinel":
        return url
    if parts.scheme not in _QUERY or not (parts.path if parts.scheme == "unix" else parts.hostname):
        raise ValueError(f"it is no URL of a server; accepted: {ADDRESSES}")
    known = _QUERY[parts.scheme]
    unknown = sorted(query.keys() - known)
    if unknown:
        # An "@" here is that of a login whose password should have been quoted.
        what = "something" if "@" in parts.query else repr(unknown[0])
        raise ValueError(f"its query says {what}; accepted: {', '.join(sorted(known))}")
    for name, values in _VALUES.items():
        if query.get(name, values[0]) not in values:
            raise ValueError(f"{name} is none of those that there are; accepted: {', '.join(values)}")
    database = query.get("db") or (parts.path.strip("/") if parts.scheme != "unix" else "")
    for name, number in (("its database", database), ("health_check_interval", query.get("health_check_interval"))):
        if number and not (number.isascii() and number.isdigit() and len(number) <= 9):
            raise ValueError(f"{name} is no number; accepted: 0 to 999999999")
    return url


def _usable_folder(url: str) -> str:
    """An archive's URL whose file system is installed: nothing is opened."""
    if not url.strip():
        raise ValueError(f"it is empty; accepted: {FOLDERS}")
    for part in url.split("::"):
        protocol = part.partition("://")[0] if "://" in part else "file"
        try:
            fsspec.get_filesystem_class(protocol)
        except ImportError as error:
            raise ValueError(f"{protocol}:// needs a package that isn't here: {error}; accepted: {FOLDERS}") from error
        except ValueError as error:
            raise ValueError(f"fsspec has no file system {protocol[:40]!r}; accepted: {FOLDERS}") from error
    return url


def _usable_address_or_none(url: str) -> str:
    return _usable_address(url) if url else url


class ServerSettings(BaseSettings):
    """Settings of a process of Tocsin: API, worker, sweeper or command line."""

    # What was given is not repeated in an error: a server's URL holds its password.
    model_config = SettingsConfigDict(env_prefix="TOCSIN_", frozen=True, extra="ignore", hide_input_in_errors=True)

    redis_url: Annotated[str, AfterValidator(_usable_address), Field(description="the server that holds the truth")] = (
        "redis://127.0.0.1:6379/0"
    )
    broker_url: Annotated[
        str,
        AfterValidator(_usable_address_or_none),
        Field(description="the server that carries Celery's messages; empty: redis_url"),
    ] = ""
    archive_url: Annotated[
        str, AfterValidator(_usable_folder), Field(description="the folder of the archive, for fsspec")
    ] = "file://./tocsin-archive"
    cache_bytes: Annotated[int, Field(ge=0, description="slices kept by a worker process, in bytes")] = 64 << 20
    orders_per_shard: Annotated[int, Field(ge=1, description="orders that a shard is cut for")] = 25_000
    shards_min: Annotated[int, Field(ge=1, le=256, description="shards of a tick that isn't fused, at least")] = 4
    archive_lag_max: Annotated[int, Field(ge=1, description="published ticks that may wait for the archive")] = 10
    attempts_max: Annotated[
        int, Field(ge=1, description="starts of a shard with no outcome before the tick is lost")
    ] = 10
    failures_max: Annotated[int, Field(ge=1, description="same exceptions of a shard before the tick is failed")] = 3
    task_soft_limit_s: Annotated[int, Field(ge=1, description="a task is asked to stop after this time")] = 40
    task_hard_limit_s: Annotated[int, Field(ge=2, description="a task is killed after this time")] = 50
    visibility_timeout_s: Annotated[int, Field(ge=3, description="a message not acknowledged is sent again")] = 60
    sweep_interval_s: Annotated[float, Field(gt=0, description="time between two rounds of the sweeper")] = 1.0
    sweep_walk_interval_s: Annotated[
        float, Field(gt=0, description="time between two slow walks over all campaigns")
    ] = 30.0
    sweep_lease_s: Annotated[float, Field(gt=0, description="life of the sweeper's lease")] = 5.0
    stall_s: Annotated[
        float, Field(gt=0, description="a tick without progress for this long gets its work sent again")
    ] = 5.0
    batch_campaigns: Annotated[int, Field(ge=1, le=100, description="small campaigns resolved by one task")] = 10
    batch_orders_max: Annotated[int, Field(ge=1, le=1000, description="orders in a batch")] = 1_000
    body_bytes_max: Annotated[int, Field(ge=1024, description="bytes of a request's body")] = 4 << 20
    scenario_bytes_max: Annotated[int, Field(ge=1024, description="bytes of a scenario")] = 16 << 20
    orders_tick_max: Annotated[int, Field(ge=1, description="live orders of a campaign's tick")] = 10_000_000
    orders_actor_tick_max: Annotated[int, Field(ge=1, description="live orders of one sender in a tick")] = 1_000_000
    requests_token_second_max: Annotated[int, Field(ge=1, description="requests of one token within a second")] = 1_000
    streams_token_max: Annotated[int, Field(ge=1, description="open streams of reports of one token")] = 1_000
    campaigns_token_max: Annotated[int, Field(ge=1, description="campaigns of one token, not ended")] = 10_000
    token_overlap_max_s: Annotated[int, Field(ge=0, description="a replaced token may work on for this long")] = 86_400
    report_pages_max: Annotated[int, Field(ge=1, le=1000, description="pages of a report in one answer")] = 50
    stream_wait_s: Annotated[float, Field(gt=0, le=60, description="a reader's wait for a new page")] = 15.0
    archive_bytes_max: Annotated[int, Field(ge=1024, description="bytes of one archived tick, unpacked")] = 8 << 30

    @model_validator(mode="after")
    def _a_task_ends_before_its_message_comes_again(self) -> Self:
        """A task that outlives the visibility timeout would run twice at once; one killed before it was asked to stop
        would never stop by itself."""
        for smaller, larger in (
            ("task_soft_limit_s", "task_hard_limit_s"),
            ("task_hard_limit_s", "visibility_timeout_s"),
        ):
            value, bound = getattr(self, smaller), getattr(self, larger)
            if value >= bound:
                raise ValueError(
                    f"{smaller}: {value} is not below {larger}, which is {bound}; accepted: 1 to {bound - 1}"
                )
        return self

    @property
    def broker(self) -> str:
        """The URL of Celery's broker and result backend."""
        return self.broker_url or self.redis_url
