"""`tocsin campaign export`, `restore` and `upgrade`: what an operator does on the server itself, with its settings."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from workers.cli.documents import existing_file, read_document
from workers.cli.errors import CheckFailed
from workers.cli.options import AsJson, CampaignId
from workers.cli.output import field_rows, print_json, table
from workers.cli.setting import read_settings
from workers.kernel.errors import InvalidInput

SEED_FILE_BYTES_MAX = 4_096


def export(
    campaign: CampaignId,
    output: Annotated[
        str, typer.Option("--output", metavar="FILE", help="Where it goes (default: CAMPAIGN.export.zst).")
    ] = "",
    campaign_seed_file: Annotated[
        str,
        typer.Option("--campaign-seed-file", metavar="FILE", help="Write the campaign's seed too, to this file alone."),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Write a whole campaign as it is now, at play or not, to one file. The campaign's seed is never in it."""
    from workers.bootstrap import compose
    from workers.service.backup import Backup
    from workers.service.campaigns import UnknownCampaign
    from workers.store.archive import write_file

    services = compose(read_settings())
    path = output or f"{campaign}.export.zst"
    _check_new(path, campaign_seed_file)
    if services.store.heads.get(campaign) is None:
        raise UnknownCampaign(f"no campaign {campaign!r}")
    if campaign_seed_file:
        seed = services.campaigns.campaign_seed(campaign)
        with _named(campaign_seed_file):
            _write_secret(campaign_seed_file, seed.hex())
    try:
        with _named(path):
            digest = write_file(path, Backup(services.store).export(campaign))
    except BaseException:
        if campaign_seed_file:
            Path(campaign_seed_file).unlink(missing_ok=True)
        raise
    _tell({"campaign": campaign, "file": path, "bytes": Path(path).stat().st_size, "sha256": digest}, as_json)


def restore(
    campaign: CampaignId,
    source: Annotated[
        str, typer.Option("--from", metavar="FILE", help="The export; without it: what is on the server.")
    ] = "",
    campaign_seed_file: Annotated[
        str,
        typer.Option(
            "--campaign-seed-file", metavar="FILE", help="The campaign's seed, 64 hexadecimal digits; needs --from."
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Restore a campaign from an export into a server without it, then bring it up to its archive. Without `--from`:
    bring the campaign that is on the server up to its archive, which the server fell behind.
    """
    from workers.bootstrap import compose
    from workers.service.backup import Backup, read_seed
    from workers.service.catching_up import BrokenArchive, CatchingUp
    from workers.store.archive import read_file

    if bool(source) != bool(campaign_seed_file):
        raise InvalidInput("--from", "it goes with --campaign-seed-file", "both of them, or neither")
    settings = read_settings()
    services = compose(settings)
    if source:
        path = str(existing_file(source))
        seed = read_seed(read_document(campaign_seed_file, SEED_FILE_BYTES_MAX).decode(errors="replace"))
        Backup(services.store).restore(campaign, lambda: read_file(path, max_bytes=settings.archive_bytes_max), seed)
    try:
        done = CatchingUp(services.store, services.campaigns, services.archive).catch_up(campaign)
    except BrokenArchive as error:
        raise CheckFailed(str(error)) from error
    found = {"campaign": campaign, "restored_at": done.before, "published": done.after, "orders_lost": done.orders_lost}
    _tell(found, as_json)


def upgrade(campaign: CampaignId, as_json: AsJson = False) -> None:
    """Let a campaign go on under the version of its rulebook that is installed here. A tick that is being resolved
    starts again under it."""
    from workers.bootstrap import compose
    from workers.service.upgrading import NotUpgradable, Upgrading

    services = compose(read_settings())
    try:
        done = Upgrading(services.store, services.campaigns).upgrade(campaign)
    except NotUpgradable as error:
        raise CheckFailed(str(error)) from error
    found = {"campaign": campaign, "before": done.before, "after": done.after, "changed": done.changed}
    _tell(found | {"restarted": done.restarted}, as_json)


def _check_new(path: str, seed_path: str) -> None:
    """Raises InvalidInput where one of the files can't be made: before either is."""
    if seed_path and os.path.realpath(seed_path) == os.path.realpath(path):
        raise InvalidInput("--campaign-seed-file", "it is the export's file", "a file of its own")
    for name in filter(None, (path, seed_path)):
        if os.path.lexists(name):
            raise InvalidInput(name, "it is there already", "the name of a new file")
        with _named(name), os.scandir(os.path.dirname(name) or "."):
            pass  # there is such a folder


@contextmanager
def _named(path: str) -> Iterator[None]:
    """What the system refuses is told with the file's own name, not with that of a part or a folder."""
    try:
        yield
    except OSError as error:
        raise InvalidInput(path, f"can't be written ({error.strerror or error})", "a new file") from error


def _write_secret(path: str, text: str) -> None:
    """A new file that its owner alone may read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        os.unlink(path)
        raise


def _tell(document: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(document)
    else:
        table("", ("field", "value"), field_rows(document))
