"""Names that try to lead elsewhere: into other paths and keys, or into the terminal of whoever reads them."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.api.web import Web
from tests.cli.world import Cli
from workers.cli.output import shown, table
from workers.kernel.errors import InvalidInput
from workers.store.archive import Archive
from workers.store.errors import InvalidName
from workers.store.keys import Keys, key_of

TRICKS = {
    "up": "../pond",
    "up and up": "../../../../etc/passwd",
    "up, encoded": "%2e%2e%2fpond",
    "absolute": "/etc/passwd",
    "with NUL": "pond\0",
    "with a newline": "pond\n",
    "very long": "p" * 10_000,
    "a slash": "pond/west",
    "a backslash": "..\\pond",
    "braces": "{pond}",
    "a star": "*",
    "a colon": "pond:head",
    "Cyrillic": "p\u043end",
    "full width": "\uff50\uff4f\uff4e\uff44",
    "a soft hyphen": "po\u00adnd",
    "turned round": "\u202epond",
    "capitals": "POND",
    "a dot": ".",
    "two dots": "..",
    "a script": "<script>alert(1)</script>",
    "an escape": "\x1b]0;owned\x07",
    "a number of another script": "\u0661",
    "nothing": "",
}


IN_PATHS = [trick for trick in TRICKS if "dot" not in trick]
"""Of `.` and `..` every client of HTTP makes another path before it asks."""


def at(name: str) -> str:
    return quote(name, safe="")


@pytest.mark.parametrize("trick", list(TRICKS))
def test_a_campaign_is_not_created_under_it(web: Web, trick: str) -> None:
    answer = web.post("/campaigns", web.admin, json={"campaign": TRICKS[trick], "rulebook": "lake"})

    assert (422, "invalid_request") == (answer.status_code, answer.json()["code"])
    assert "campaign" == answer.json()["errors"][0]["field"]
    assert [b"pond"] == sorted(web.world.services.store.client.smembers("tocsin:campaigns"))


@pytest.mark.parametrize("route", ["", "/view", "/orders", "/ticks/1", "/reports", "/tokens"])
@pytest.mark.parametrize("trick", IN_PATHS)
def test_no_campaign_answers_to_it(web: Web, operator: str, trick: str, route: str) -> None:
    answer = web.get(f"/campaigns/{at(TRICKS[trick])}{route}", operator)

    assert answer.status_code in (400, 404, 405, 422), answer.text
    assert b"deadline_ms" not in answer.content


@pytest.mark.parametrize("trick", IN_PATHS)
def test_no_tick_order_or_token_answers_to_it(web: Web, operator: str, trick: str) -> None:
    """The parts of a path below a campaign."""
    east = web.token("pond", "camp", camp="east")
    for method, path, token in (
        ("GET", "ticks/{}", operator),
        ("GET", "ticks/{}/seed", operator),
        ("POST", "ticks/{}:close", operator),
        ("GET", "orders/{}", east),
        ("DELETE", "orders/{}", east),
        ("DELETE", "tokens/{}", operator),
    ):
        answer = web.ask(method, f"/campaigns/pond/{path.format(at(TRICKS[trick]))}", token)
        if TRICKS[trick]:
            assert answer.status_code in (400, 404, 405, 409, 422), (path, answer.text)
    assert 200 == web.get("/campaigns/pond", operator).status_code
    assert 1 == web.get("/campaigns/pond", operator).json()["open_tick"]


@pytest.mark.parametrize("trick", list(TRICKS))
def test_in_queries_headers_and_bodies_it_is_data_or_refused(web: Web, operator: str, trick: str) -> None:
    text = TRICKS[trick]
    east = web.token("pond", "camp", camp="east")
    answers = [
        web.get("/campaigns/pond/reports", east, params={"after": text}),
        web.get("/campaigns/pond/view", east, params={"after": text}),
        web.get("/campaigns/pond/orders", east, params={"after": text}),
        web.get("/campaigns/pond/reports", operator, params={"camp": text}),
        web.get("/campaigns/pond/reports", east, params={"lang": text}),
        web.post("/campaigns/pond/orders", east, json={"kind": "fish", "boat": text}),
        web.post("/campaigns/pond/orders", east, json={"kind": text, "boat": "anna"}),
        web.post(
            "/campaigns/pond/tokens", operator, json={"scope": "actor", "camp": "east", "actor": text, "label": text}
        ),
        web.post("/campaigns/pond/tokens", operator, json={"scope": "camp", "camp": text}),
    ]
    if text.isascii() and text.isprintable():
        answers.append(
            web.post(
                "/campaigns/pond/orders",
                east,
                json={"kind": "fish", "boat": "anna"},
                headers={"Idempotency-Key": text, "Last-Event-ID": text, "If-Match": text, "Accept-Language": text},
            )
        )
    for answer in answers:
        assert answer.status_code < 500, answer.text
        assert answer.headers["content-type"] in ("application/json", "application/problem+json")
        json.loads(answer.content)


@pytest.mark.parametrize("trick", [name for name in TRICKS if name != "capitals"])
def test_no_key_and_no_file_is_named_by_it(tmp_path: Path, trick: str) -> None:
    archive = Archive((tmp_path / "archive").as_uri())
    for name in (lambda: Keys(TRICKS[trick]).head, lambda: archive.path(TRICKS[trick], 1)):
        with pytest.raises(InvalidName):
            name()
    if TRICKS[trick]:
        with pytest.raises(InvalidName):
            key_of("token", TRICKS[trick] + "/")


@pytest.mark.parametrize("trick", list(TRICKS))
@pytest.mark.parametrize(
    "verb",
    [
        ("campaign", "show"), ("campaign", "open"), ("campaign", "export"), ("campaign", "restore"),
        ("campaign", "upgrade"),
        ("tick", "status"), ("tick", "close"), ("reports", "read"), ("orders", "list"), ("orders", "check"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_verb_refuses_it_before_anything_is_asked(cli: Cli, verb: tuple[str, ...], trick: str) -> None:
    if not TRICKS[trick]:
        return
    more = ("-",) if verb[1] == "check" else ()
    result = cli(*verb, TRICKS[trick], *more, stdin="{}")

    assert 2 == result.exit_code, result.stderr
    assert "is no campaign id" in result.stderr
    assert result.stderr.replace("\n", "").isprintable()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ariane", "Ariane"),
        ("de l\u2019\u00c9toile : « oui\u202f»", "de l\u2019\u00c9toile : « oui\u202f»"),
        ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\rb", "a\\rb"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\x9b31m", "\\x9b31m"),
        ("two\nlines", "two\nlines"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_moves_a_terminal_is_spelled_out(text: str, expected: str) -> None:
    assert expected == shown(text)


def test_names_in_tables_are_neither_markup_nor_commands(capsys: pytest.CaptureFixture[str]) -> None:
    table("\x1b[31mtitle", ("name",), [("[bold]x[/bold]",), ("\x1b[2Jy",)])
    told = capsys.readouterr().out

    assert "[bold]x[/bold]" in told
    assert "\x1b[2J" not in told
    assert "\\x1b[2Jy" in told


def named(bundle: dict[str, Any], name: str) -> dict[str, Any]:
    """The bundle with the name of a zone changed, which words tell."""
    zones = bundle["state"]["shared"]["zones"]
    for zone in zones.values():
        zone["name"] = name
    return bundle


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "\x1b]0;owned\x07", "{who} %s", "[link=x]y[/link]"])
def test_a_name_in_a_report_is_data_and_words_only_carry_it(cli: Cli, tmp_path: Path, name: str) -> None:
    bundle = named(json.loads(cli("resolve", "--example", "veil").stdout), name)
    path = tmp_path / "named.json"
    path.write_text(json.dumps(bundle), encoding="utf-8")
    people, machine = cli("resolve", str(path)), cli("resolve", str(path), "--json")

    assert (0, 0) == (people.exit_code, machine.exit_code), people.stderr
    assert "\x1b" not in people.stdout + machine.stdout
    assert name in json.loads(machine.stdout)["state"]["shared"]["zones"].popitem()[1]["name"]


@pytest.mark.parametrize("depth", [100, 100_000])
def test_a_body_that_is_deep_or_whose_numbers_are_huge_is_told(web: Web, depth: int) -> None:
    east = web.token("pond", "camp", camp="east")
    bodies = {
        b"[" * depth + b"]" * depth,
        b'{"kind":"fish","boat":"anna","x":' + b"[" * depth + b"]" * depth + b"}",
        b'{"kind":"fish","boat":"anna","times":' + b"9" * depth + b"}",
        b'{"orders":[{"kind":"fish","boat":"anna"}],"for_tick":' + b"9" * depth + b"}",
        b'{"kind":"fish","boat":"\xff\xfe"}',
        b'{"kind":"fish","boat":"anna"' + b" " * (5 << 20) + b"}",
    }
    for body in bodies:
        answer = web.post("/campaigns/pond/orders", east, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 409, 413, 422), answer.text
        assert answer.json()["detail"]


def test_a_path_of_a_file_that_is_a_trick_is_told() -> None:
    from workers.cli.documents import existing_file

    for trick in ("a\0b", "x" * 10_000, "no/such/../file", "\x1b[2J"):
        with pytest.raises(InvalidInput):
            existing_file(trick)
