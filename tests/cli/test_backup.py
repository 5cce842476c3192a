"""`tocsin campaign export`, `restore` and `upgrade`, as an operator types them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.world import Cli
from tests.deploy.guarded import GuardedServer
from workers import clock
from workers.app import make_app
from workers.bootstrap import Services, compose
from workers.service.face import Face
from workers.service.founding import CampaignPlan
from workers.settings import ServerSettings
from workers.store.archive import read_file
from workers.tasks import Runtime

SEED = "b5a8dd20cc56908f40e2082b5c7f5137ccb4ec9a67e05f0727dce4fce02cd645"

pytestmark = pytest.mark.xdist_group("cli-backup")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedServer]:
    """A server with its access list: the operator's user may do all that the verbs do."""
    with GuardedServer(tmp_path_factory.mktemp("guarded")) as server:
        yield server


class Place:
    """An operator's environment, and a campaign of the Veil that is open."""

    def __init__(self, server: GuardedServer, folder: Path) -> None:
        self.folder = folder
        self.server = server
        self.url = server.url_of("operator")
        self.cli = Cli(TOCSIN_REDIS_URL=self.url, TOCSIN_ARCHIVE_URL=(folder / "archive").as_uri())
        self.services: Services = compose(ServerSettings(redis_url=self.url, archive_url=(folder / "archive").as_uri()))
        store, campaigns = self.services.store, self.services.campaigns
        self.face = Face.over(self.services.settings, store, self.services.registry, campaigns, clock.entropy)
        self.empty()
        self.face.founding.found(CampaignPlan(campaign="quays", rulebook="veil", campaign_seed=SEED))
        self.face.lifecycle.move("quays", "open")

    def empty(self) -> None:
        self.server.test_client().flushall()

    def file(self, name: str) -> str:
        return str(self.folder / name)

    def play(self) -> None:
        """A whole tick without orders, in this process."""
        head = self.services.campaigns.load("quays").head
        assert "closed" == self.face.closing.close(head, head.open_tick, "operator").outcome
        Runtime(make_app(self.services.settings), self.services).resolve("quays")


@pytest.fixture
def place(guarded: GuardedServer, tmp_path: Path) -> Place:
    return Place(guarded, tmp_path)


def test_a_campaign_is_exported_and_restored_by_the_operators_user(place: Place) -> None:
    export, seed = place.file("quays.zst"), place.file("quays.seed")
    made = place.cli.json("campaign", "export", "quays", "--output", export, "--campaign-seed-file", seed)
    place.empty()
    restored = place.cli.json("campaign", "restore", "quays", "--from", export, "--campaign-seed-file", seed)

    assert Path(export).stat().st_size == made["bytes"]
    assert {0o600} == {Path(name).stat().st_mode & 0o777 for name in (export, seed)}
    assert SEED == Path(seed).read_text().strip()
    assert SEED.encode() not in b"".join(read_file(export))
    assert {"campaign": "quays", "restored_at": 0, "published": 0, "orders_lost": []} == restored
    assert ("open", 1) == (place.services.campaigns.load("quays").head.status, 1)
    place.play()


def test_a_server_older_than_its_archive_is_brought_up_to_it(place: Place) -> None:
    export, seed = place.file("quays.zst"), place.file("quays.seed")
    place.cli.json("campaign", "export", "quays", "--output", export, "--campaign-seed-file", seed)
    for _ in range(2):
        place.play()
    state = place.services.campaigns.load("quays").head.manifest
    place.empty()
    restored = place.cli.json("campaign", "restore", "quays", "--from", export, "--campaign-seed-file", seed)

    assert (0, 2) == (restored["restored_at"], restored["published"])
    assert state == place.services.campaigns.load("quays").head.manifest
    again = place.cli.json("campaign", "restore", "quays")
    assert (2, 2) == (again["restored_at"], again["published"])


def test_a_broken_archive_is_a_check_that_failed(place: Place) -> None:
    export, seed = place.file("quays.zst"), place.file("quays.seed")
    place.cli.json("campaign", "export", "quays", "--output", export, "--campaign-seed-file", seed)
    for _ in range(2):
        place.play()
    place.empty()
    (place.folder / "archive" / "quays" / "tick-0000000001.zst").unlink()
    result = place.cli("campaign", "restore", "quays", "--from", export, "--campaign-seed-file", seed)

    assert 1 == result.exit_code
    assert "the record of tick 1 can't be read" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("export", "nobody", "--output", "FOLDER/nobody.zst"), "no campaign 'nobody'"),
        (("export", "quays", "--output", "FOLDER/there"), "it is there already"),
        (("export", "quays", "--output", "FOLDER/none/quays.zst"), "can't be written"),
        (("restore", "nobody"), "no campaign 'nobody'"),
        (("restore", "quays", "--from", "FOLDER/there"), "both of them, or neither"),
        (("restore", "quays", "--from", "FOLDER/none", "--campaign-seed-file", "FOLDER/seed"), "there is no such file"),
        (("restore", "other", "--from", "FOLDER/there", "--campaign-seed-file", "FOLDER/seed"), "damaged"),
        (("restore", "other", "--from", "FOLDER/there", "--campaign-seed-file", "FOLDER/there"), "it is no seed"),
        (("restore", "other", "--from", "FOLDER/export", "--campaign-seed-file", "FOLDER/seed"), "is of 'quays'"),
        (("restore", "quays", "--from", "FOLDER/export", "--campaign-seed-file", "FOLDER/seed"), "there is a campaign"),
        (("upgrade", "nobody"), "no campaign 'nobody'"),
    ],
)
def test_what_can_not_be_done_is_told_in_a_sentence(place: Place, arguments: tuple[str, ...], said: str) -> None:
    place.cli.json("campaign", "export", "quays", "--output", place.file("export"))
    Path(place.file("there")).write_text("here I am")
    Path(place.file("seed")).write_text(SEED)
    result = place.cli("campaign", *(word.replace("FOLDER", str(place.folder)) for word in arguments))

    assert 2 == result.exit_code
    assert said in result.stderr
    assert SEED not in result.stderr
    assert not list(place.folder.glob("nobody*"))


@pytest.mark.parametrize(
    ("campaign", "output", "seed", "said"),
    [
        ("quays", "w.zst", "none/w.seed", "FOLDER/none/w.seed: can't be written (No such file or directory)"),
        ("quays", "none/w.zst", "w.seed", "FOLDER/none/w.zst: can't be written (No such file or directory)"),
        ("quays", "there/w.zst", "w.seed", "FOLDER/there/w.zst: can't be written (Not a directory)"),
        ("quays", "w.zst", "there", "FOLDER/there: it is there already"),
        ("quays", "w.zst", "w.zst", "--campaign-seed-file: it is the export's file"),
        ("quays", "w.zst", "none/../w.zst", "--campaign-seed-file: it is the export's file"),
        ("nobody", "w.zst", "w.seed", "no campaign 'nobody'"),
    ],
)
def test_an_export_that_can_not_be_written_leaves_nothing(
    place: Place, campaign: str, output: str, seed: str, said: str
) -> None:
    Path(place.file("there")).write_text("here I am")
    options = ("--output", place.file(output), "--campaign-seed-file", place.file(seed))
    result = place.cli("campaign", "export", campaign, *options)

    assert 2 == result.exit_code
    assert result.stderr.startswith(f"tocsin: {said.replace('FOLDER', str(place.folder))}"), result.stderr
    assert ["there"] == [file.name for file in place.folder.iterdir() if file.is_file()]


def test_another_seed_restores_nothing(place: Place) -> None:
    export, seed = place.file("quays.zst"), place.file("quays.seed")
    place.cli.json("campaign", "export", "quays", "--output", export)
    Path(seed).write_text("0" * 64)
    place.empty()
    result = place.cli("campaign", "restore", "quays", "--from", export, "--campaign-seed-file", seed)

    assert 2 == result.exit_code
    assert "the seed given isn't its own" in result.stderr
    assert [] == list(place.server.test_client().scan_iter())


def test_an_upgrade_says_what_it_found(place: Place) -> None:
    document: dict[str, Any] = place.cli.json("campaign", "upgrade", "quays")

    assert document["before"] == document["after"]
    assert not document["changed"]


def test_the_doctor_names_a_campaign_that_is_older_than_its_archive(place: Place) -> None:
    place.play()
    export, seed = place.file("quays.zst"), place.file("quays.seed")
    place.cli.json("campaign", "export", "quays", "--output", export, "--campaign-seed-file", seed)
    place.play()
    place.empty()
    moved = place.folder / "archive"
    moved.rename(place.folder / "away")
    place.cli.json("campaign", "restore", "quays", "--from", export, "--campaign-seed-file", seed)
    (place.folder / "away").rename(moved)
    checks = json.loads(place.cli("doctor", "--json").stdout)["checks"]

    (unfit,) = [check["found"] for check in checks if not check["fit"]]
    assert "quays: published 1, the archive has tick 2; tocsin campaign restore quays" == unfit
