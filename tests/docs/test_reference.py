"""The reference pages are complete and equal to the code: settings, keys, bundles, records."""

import re
from typing import Any

import msgspec
import pytest

from tests.docs.pages import DOCS, ROOT, fences, name, pages, prose, tables
from workers.rules.bundle import Bundle, BundleAmendment, BundleOrder, BundleState
from workers.service.recording import FORMAT, FORMAT_VERSION, Digests, RecordHeader
from workers.settings import ServerSettings
from workers.store.keys import CATALOGUE

REFERENCE = DOCS / "reference"
WHO = {"API": "api", "worker": "worker", "sweeper": "sweeper", "operator": "cli"}
COMMAND_LINE = {"TOCSIN_URL", "TOCSIN_TOKEN"}


def rows(page: str, heading: str) -> list[list[str]]:
    """The rows of all tables of a page whose first heading is this one."""
    return [row for table in tables(REFERENCE / page) if table[0][0] == heading for row in table[1:]]


def plain(cell: str) -> str:
    return cell.strip("`")


def bounds_of(field: Any) -> str:
    """What a setting accepts, as the page words it."""
    least = most = ""
    for item in field.metadata:
        least = f"{item.ge} or more" if hasattr(item, "ge") else least
        least = f"above {item.gt}" if hasattr(item, "gt") else least
        most = str(item.le) if hasattr(item, "le") else most
    if not least:
        return "text"
    if not most:
        return least
    return f"{least}, up to {most}" if least.startswith("above") else least.replace("or more", f"to {most}")


def test_the_page_of_settings_lists_each_with_its_default_and_its_bounds() -> None:
    listed = {row[0]: (row[1], row[2]) for row in rows("settings.md", "variable") if len(row) == 4}
    expected = {
        f"`TOCSIN_{setting.upper()}`": ("empty" if field.default == "" else f"`{field.default}`", bounds_of(field))
        for setting, field in ServerSettings.model_fields.items()
    }

    assert expected == listed


def test_every_setting_is_told_in_words() -> None:
    assert [row[0] for row in rows("settings.md", "variable") if len(row[-1]) < 15] == []


@pytest.mark.parametrize("page", pages(), ids=name)
def test_pages_name_only_settings_that_exist(page: Any) -> None:
    text = page.read_text(encoding="utf-8")
    known = {f"TOCSIN_{setting.upper()}" for setting in ServerSettings.model_fields} | COMMAND_LINE

    assert set(re.findall(r"\bTOCSIN_[A-Z_]*[A-Z]\b", text)) <= known


def roles(cell: str) -> tuple[str, ...]:
    return tuple(WHO.values()) if cell == "all" else tuple(WHO[who] for who in cell.split(", "))


def test_the_page_of_keys_is_the_catalogue() -> None:
    listed = {
        plain(key): (kind, content, roles(writers), roles(readers), life)
        for key, kind, content, writers, readers, life in (row for row in rows("keys.md", "key") if len(row) == 6)
    }

    assert listed == {
        spec.pattern: (spec.kind, spec.content, spec.writers, spec.readers, spec.life) for spec in CATALOGUE
    }


def fields_of(page: str, after: str) -> dict[str, str]:
    """Field → default of the first table after a heading."""
    text = prose(REFERENCE / page)
    section = text[text.index(f"\n{after}\n") :]
    lines = section[section.index("\n| field") :].partition("\n\n")[0].strip().splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {plain(field): row[1] for row in cells for field in row[0].split(", ")}


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("## The document", Bundle),
        ("### `state`", BundleState),
        ("### An item of `orders`", BundleOrder),
        ("### An item of `amendments`", BundleAmendment),
    ],
)
def test_the_page_of_bundles_names_every_field_and_says_which_are_needed(heading: str, kind: type) -> None:
    listed = fields_of("bundle.md", heading)
    fields = msgspec.structs.fields(kind)

    assert set(listed) == {field.encode_name for field in fields}
    assert {field for field, default in listed.items() if default == "needed"} == {
        field.encode_name for field in fields if field.required
    }


def test_the_page_of_records_names_every_field_of_the_header() -> None:
    listed = fields_of("record.md", "## The first line: the header")

    assert list(listed) == [field.name for field in msgspec.structs.fields(RecordHeader)]
    assert (listed["format"], listed["format_version"]) == (f"`{FORMAT}`", str(FORMAT_VERSION))
    for field in msgspec.structs.fields(Digests):
        assert f"`{field.name}`" in listed["digests"]


def test_the_readme_shows_no_number_without_the_command_that_prints_it() -> None:
    """Figures stand in the shown output of a command only, or in the name of a version that is needed."""
    text = re.sub(r"`[^`]*`", "", prose(ROOT / "README.md"))
    figures = [line for line in text.splitlines() if re.search(r"\d", line)]

    assert [line for line in figures if "Python 3.11" not in line] == []
    assert any("replay identical" in block for _, block in fences(ROOT / "README.md", ""))
