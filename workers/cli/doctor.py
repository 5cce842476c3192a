"""`tocsin doctor`: whether this machine's settings, server, archive and rulebooks are fit for a campaign."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, cast

import typer

from workers.cli.errors import CheckFailed, Unreachable
from workers.cli.options import AsJson
from workers.cli.output import print_json, table
from workers.cli.rulebooks import installed
from workers.cli.setting import read_settings
from workers.registry import PluginError

if TYPE_CHECKING:
    from workers.settings import ServerSettings
    from workers.store import Store

app = typer.Typer(add_completion=False)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at, whether it is fit, and what was found."""

    name: str
    fit: bool
    found: str


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Look at the settings, the server, the archive and the rulebooks. Exit code 1 where one isn't fit, 3 where the
    server doesn't answer."""
    settings = read_settings()
    checks = [Check("settings", True, f"read from the environment; server {without_password(settings.redis_url)}")]
    answering = _reach("server", settings.redis_url, checks)
    if answering:
        _look_at_server(settings, checks)
    if settings.broker != settings.redis_url:
        answering = _reach("broker", settings.broker, checks) and answering
    checks.append(_attempt("archive", lambda: _try_archive(settings.archive_url)))
    checks.extend(_rulebooks())
    if as_json:
        print_json({"fit": all(check.fit for check in checks), "checks": [asdict(check) for check in checks]})
    else:
        rows = [("fit" if check.fit else "UNFIT", check.name, check.found) for check in checks]
        table("", ("", "what", "found"), rows)
    unfit = "not fit: " + ", ".join(dict.fromkeys(check.name for check in checks if not check.fit))
    if not answering:
        raise Unreachable(unfit)
    if not all(check.fit for check in checks):
        raise CheckFailed(unfit)


def without_password(url: str) -> str:
    """A URL as it may be shown."""
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"…@{host}" if "@" in parts.netloc else host, query="").geturl()


def _reach(name: str, url: str, checks: list[Check]) -> bool:
    from redis.exceptions import RedisError

    from workers.store.connection import connect

    client = connect(url)
    try:
        client.ping()
    except RedisError as error:
        checks.append(Check(name, False, f"doesn't answer: {error}"))
        return False
    finally:
        client.close()
    checks.append(Check(name, True, "answers"))
    return True


def _look_at_server(settings: "ServerSettings", checks: list[Check]) -> None:
    from workers.store import Store
    from workers.store.connection import server_problems

    store = Store.at(settings.redis_url)
    found = server_problems(store.client)
    checks.extend(Check("server", False, problem) for problem in found)
    if not found:
        checks.append(Check("server", True, "version, eviction policy and append-only file are as they must be"))
    checks.append(_attempt("scripts", lambda: _load_scripts(store)))
    names = store.heads.campaigns()
    checks.append(Check("campaigns", True, f"{len(names)} on this server"))
    for name in names:
        checks.extend(_look_at_campaign(store, settings.archive_url, name))


def _look_at_campaign(store: "Store", archive_url: str, name: str) -> Iterator[Check]:
    """A campaign whose head can't be read, or whose archive knows more than the server."""
    from workers.store.archive import Archive
    from workers.store.errors import StoreError

    try:
        head = store.heads.get(name)
        newest = max(Archive(archive_url).ticks(name), default=0)
    except (StoreError, OSError) as error:
        yield Check("campaigns", False, f"{name}: {error}")
        return
    if head is not None and newest > head.published:
        found = f"{name}: published {head.published}, the archive has tick {newest}; tocsin campaign restore {name}"
        yield Check("campaigns", False, found)


def _load_scripts(store: "Store") -> str:
    from workers.store.commands import Commands
    from workers.store.scripts import Scripts

    scripts = Scripts(cast(Commands, store.client))
    for name in scripts.names():
        store.client.script_load(scripts.text(name))
    return f"{len(scripts.names())} load"


def _try_archive(url: str) -> str:
    """Write a file beside the campaigns, read it back, and take it away."""
    import fsspec

    from workers import clock

    system, root = fsspec.url_to_fs(url)
    probe = f"{root.rstrip('/')}/doctor-{clock.entropy(8).hex()}"
    was_there = system.exists(root)
    system.makedirs(root, exist_ok=True)
    try:
        system.pipe_file(probe, b"doctor")
        if system.cat_file(probe) != b"doctor":
            raise OSError("what was written isn't what is read")
    finally:
        if system.exists(probe):
            system.rm_file(probe)
        if not was_there:
            system.rmdir(root)
    return f"{url} can be written and read"


def _attempt(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, True, look())
    except Exception as error:  # noqa: BLE001 whatever it is, it is what the doctor tells
        return Check(name, False, f"{type(error).__name__}: {error}")


def _rulebooks() -> Iterator[Check]:
    try:
        registry = installed()
    except PluginError as error:
        for problem in error.problems:
            yield Check("rulebook", False, problem)
        return
    if not registry:
        yield Check("rulebook", False, "none is installed")
    for name, plugin in registry.plugins.items():
        rulebook = plugin.rulebook
        found = f"{name} {rulebook.version} of {plugin.distribution}, fingerprint {rulebook.fingerprint()}"
        yield Check("rulebook", True, found)
