"""The project works anywhere: no file names a package registry's host or a path of somebody's machine."""

import re

import pytest

from tests.tidy.repository import files, name, text_lines

# A letter of each stands in brackets, so that this file doesn't find itself.
_MASKED = (
    "py[p]i.org", "py[p]i.python.org", "files.python[h]osted.org", "registry.np[m]js.org", "[d]eb.d[e]bian.org",
    "security.d[e]bian.org", "proxy.g[o]lang.org", "index.cr[a]tes.io", "repo.an[a]conda.com",
)  # fmt: skip
HOSTS = tuple(masked.replace("[", "").replace("]", "") for masked in _MASKED)
HOST = re.compile("|".join(re.escape(host) for host in HOSTS))
FOLDERS = ("work", "root", "home", "Users")
MACHINE_PATH = re.compile(
    r"(?<![\w.~$)}>*/-])/(?:" + "|".join(re.escape(folder) for folder in FOLDERS) + r")(?:/|\b(?=[\s\"'`:;,)]|$))"
)


def addresses(line: str) -> list[str]:
    return [match.group() for pattern in (HOST, MACHINE_PATH) for match in pattern.finditer(line)]


def test_no_file_names_a_registry_or_a_path_of_one_machine() -> None:
    found = {
        f"{name(path)}:{number}": names
        for path in files()
        for number, line in text_lines(path)
        if (names := addresses(line))
    }

    assert {} == found


@pytest.mark.parametrize("host", HOSTS)
def test_a_registry_host_is_found(host: str) -> None:
    assert [host] == addresses(f"see https://{host}/simple for more")


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_machine_path_is_found(folder: str) -> None:
    assert [f"/{folder}/"] == addresses(f"cd '/{folder}/somewhere'")
    assert [f"/{folder}"] == addresses(f"cd /{folder}")


@pytest.mark.parametrize(
    "line", ["GET /v1/home/3", "the tick's work/rest", "/homes/3", "$HOME/home/x", "/workers/kernel/"]
)
def test_a_path_of_the_project_or_of_the_api_is_left_alone(line: str) -> None:
    assert [] == addresses(line)
