"""`tocsin tick ready`, `orders replace` and `view`, over a real stack: what a player does with a token of its own."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.cli.world import Cli, Town, open_campaign, orders_of

pytestmark = pytest.mark.xdist_group("town")


def players(place: Town, name: str, *options: str) -> tuple[Cli, Cli]:
    """The camps of a new campaign."""
    angel, demon = open_campaign(place.operator, name, *options)
    return tuple(Cli(TOCSIN_URL=place.stack.url, TOCSIN_TOKEN=secret) for secret in (angel, demon))  # type: ignore[return-value] # two of two


def test_a_tick_closes_when_both_camps_have_said_that_they_are_ready(place: Town) -> None:
    angel, demon = players(place, "readiness", "--when-ready")

    assert {"tick": 1, "ready": True, "closed": False} == angel.json("tick", "ready", "readiness")
    assert {"tick": 1, "ready": False, "closed": False} == angel.json("tick", "ready", "readiness", "--take-back")
    assert "ready for the close of tick 1\n" == demon("tick", "ready", "readiness").stdout
    assert "not ready for the close of tick 1\n" == demon("tick", "ready", "readiness", "--take-back").stdout
    demon("tick", "ready", "readiness")
    assert "all camps are ready; tick 1 is closed\n" == angel("tick", "ready", "readiness").stdout


def test_an_operator_is_no_camp_that_could_be_ready(place: Town) -> None:
    result = place.operator("tick", "ready", "town")

    assert (2, "") == (result.exit_code, result.stdout)
    assert "forbidden_scope" in result.stderr


def test_an_order_is_replaced_at_its_revision_and_keeps_its_id(place: Town) -> None:
    angel, _ = players(place, "replacing")
    first, *_ = orders_of(angel, "angel")
    sent = angel.json("orders", "send", "replacing", "-", stdin=json.dumps(first))["results"][0]["id"]
    other = json.dumps({"kind": "recovery", "servant": first["servant"]})
    done = angel.json("orders", "replace", "replacing", sent, "-", "--revision", "1", stdin=other)

    assert (sent, 2) == (done["id"], done["revision"])
    (listed,) = angel.json("orders", "list", "replacing")["orders"]
    assert (sent, 2, True) == (listed["id"], listed["revision"], json.loads(other).items() <= listed["order"].items())
    again = angel("orders", "replace", "replacing", sent, "-", stdin=other)
    assert (0, f"{sent} replaced, at revision 2\n") == (again.exit_code, again.stdout)
    late = angel("orders", "replace", "replacing", sent, "-", "--revision", "1", stdin=json.dumps(first))
    assert (2, True) == (late.exit_code, "revision_conflict" in late.stderr)


def test_where_the_new_order_is_refused_the_old_one_stands(place: Town) -> None:
    angel, _ = players(place, "standing")
    first = orders_of(angel, "angel")[0]
    sent = angel.json("orders", "send", "standing", "-", stdin=json.dumps(first))["results"][0]["id"]
    for bad in ({**first, "servant": "nobody"}, {**first, "kind": "sing"}):
        refused = angel("orders", "replace", "standing", sent, "-", stdin=json.dumps(bad))
        assert (1, "") == (refused.exit_code, refused.stdout), refused.stderr
        assert refused.stderr.startswith("tocsin: order_")
    assert [1] == [one["revision"] for one in angel.json("orders", "list", "standing")["orders"]]


@pytest.mark.parametrize(
    ("order", "text", "named"),
    [
        ("a" * 26, "[{}, {}]", "-: it holds 2 orders (accepted: one order)"),
        ("a" * 26, "[]", "-: it holds no orders"),
        ("a" * 26, '{"kind": "recovery", "servant": "a1"}', "unknown_order"),
        ("../ready", '{"kind": "recovery", "servant": "a1"}', "not_found"),
    ],
)
def test_what_can_replace_nothing_ends_with_exit_code_2(place: Town, order: str, text: str, named: str) -> None:
    result = place.angel("orders", "replace", "town", order, "-", stdin=text)

    assert (2, "") == (result.exit_code, result.stdout)
    assert named in result.stderr


def test_a_view_is_what_the_camp_knows_of_the_published_state(place: Town) -> None:
    known = {camp: player.json("view", "town") for camp, player in (("angel", place.angel), ("demon", place.demon))}

    published = place.operator.json("campaign", "show", "town")["published"]
    assert [("angel", published), ("demon", published)] == [(one["camp"], one["published"]) for one in known.values()]
    assert [{"camp", "published", "shared", "homes"}] * 2 == [set(one) for one in known.values()]
    assert known["angel"]["homes"] != known["demon"]["homes"]
    assert known["demon"] == place.operator.json("view", "town", "--camp", "demon")
    told = place.angel("view", "town").stdout
    assert told.startswith(f"what angel knows after tick {published}")
    assert all(home["key"] in told for home in known["angel"]["homes"])


def test_an_operator_says_as_which_camp_it_looks(place: Town) -> None:
    result = place.operator("view", "town")

    assert (2, "") == (result.exit_code, result.stdout)
    assert "camp: unknown camp ''" in result.stderr


@contextmanager
def pages(published: Iterator[int]) -> Iterator[Cli]:
    """An API whose view is three pages of one home each, each of the state that the next of these ticks left."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            number = int(parse_qs(urlsplit(self.path).query).get("after", ["0"])[0]) + 1
            tick = next(published)
            home = {"key": f"{number}", "home": {"tick": tick}}
            page = {"camp": "angel", "published": tick, "shared": {}, "homes": [home], "next": ""}
            body = json.dumps({**page, "next": f"{number}" if number < 3 else ""}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield Cli(TOCSIN_URL=f"http://127.0.0.1:{server.server_port}", TOCSIN_TOKEN="x")
        server.shutdown()


def test_a_view_is_of_one_tick_also_where_one_is_published_while_it_is_read() -> None:
    with pages(iter([1, 1, 2, 2, 2, 2])) as cli:
        known: Any = cli.json("view", "town")

    assert (2, ["1", "2", "3"]) == (known["published"], [home["key"] for home in known["homes"]])
    assert {2} == {home["home"]["tick"] for home in known["homes"]}


def test_ticks_that_are_published_faster_than_they_are_read_end_with_exit_code_3() -> None:
    with pages(count()) as cli:
        result = cli("view", "town")

    assert (3, "") == (result.exit_code, result.stdout)
    assert "8 ticks were published while its view was read" in result.stderr
