"""The wheel carries what the packages need beside their Python: scripts, words, scenarios, pages."""

from pathlib import Path
from zipfile import ZipFile

from hatchling.builders.wheel import WheelBuilder

from tests.tidy.repository import PACKAGES, ROOT, files, name, within


def test_the_wheel_holds_every_file_of_both_packages_and_nothing_else(tmp_path: Path) -> None:
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with ZipFile(wheel) as archive:
        packed = {entry for entry in archive.namelist() if ".dist-info/" not in entry}

    assert {name(path) for path in files() if within(path, *PACKAGES)} == packed
