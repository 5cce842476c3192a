"""`tocsin campaign`, `orders`, `tick` and `reports`, over a real stack: what they print, and how they end."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.cli.world import Cli, Town, open_campaign, orders_of
from workers.cli.processes import wait_until

pytestmark = pytest.mark.xdist_group("town")

LIMIT_S = 60.0


def test_a_campaign_is_created_as_a_draft_opened_paused_resumed_and_ended(place: Town) -> None:
    operator = place.operator
    created = operator.json("campaign", "new", "life", "--set", "intel_ttl=3", "--cron", "0 20 * * *", "--slices", "32")

    assert ("draft", "veil", 3, "0 20 * * *", 32) == (
        created["status"],
        created["rulebook"],
        created["settings"]["intel_ttl"],
        created["schedule"]["cron"],
        created["operations"]["slices"],
    )
    statuses = [operator.json("campaign", verb, "life")["status"] for verb in ("open", "pause", "resume", "end")]
    assert ["open", "paused", "open", "ended"] == statuses


def test_the_same_creation_under_one_key_happens_once(place: Town) -> None:
    for _ in range(2):
        assert 0 == place.operator("campaign", "new", "once", "--key", "k1").exit_code
    other = place.operator("campaign", "new", "once", "--key", "k2")

    assert 2 == other.exit_code
    assert "campaign_exists" in other.stderr


@pytest.mark.parametrize("suffix", [".json", ".toml"])
def test_a_campaign_starts_from_a_scenario_in_a_file(place: Town, tmp_path: Path, suffix: str) -> None:
    from workers.registry import load_registry
    from workers.rules.resources import scenario_text

    file = tmp_path / f"scenario{suffix}"
    if suffix == ".json":
        file.write_text(place.operator("campaign", "generate", "veil", "--size", "12").stdout, encoding="utf-8")
    else:
        veil = load_registry().get("veil")
        file.write_text(scenario_text(veil, veil.scenarios[0]), encoding="utf-8")
    created = place.operator("campaign", "new", f"from-{suffix[1:]}", "--scenario", str(file))

    assert 0 == created.exit_code, created.stderr


def test_a_generated_scenario_depends_on_its_seed_alone(cli: Cli) -> None:
    def made(seed: str) -> str:
        return cli("campaign", "generate", "veil", "--size", "30", "--seed", seed).stdout

    assert made("one") == made("one")
    assert made("one") != made("two")


def test_a_campaign_is_shown_to_people_and_to_machines(place: Town) -> None:
    told = place.operator("campaign", "show", "town").stdout
    document = place.operator.json("campaign", "show", "town")

    assert ("town", "open", ["angel", "demon"]) == (document["campaign"], document["status"], document["camps"])
    assert "angel, demon" in told
    assert "UTC" in told
    assert "town" in place.operator.json("campaign", "show")["campaigns"]
    assert "town" in place.operator("campaign", "show").stdout.split()


def test_a_token_is_shown_once_and_does_what_its_scope_says(place: Town) -> None:
    secret = place.operator("campaign", "token", "town", "--scope", "operator").stdout.strip()
    helper = Cli(TOCSIN_URL=place.stack.url, TOCSIN_TOKEN=secret)

    assert "town" == helper.json("campaign", "show", "town")["campaign"]
    assert 2 == helper("campaign", "show").exit_code


def test_orders_are_checked_sent_listed_and_withdrawn(place: Town) -> None:
    secret, _ = open_campaign(place.operator, "orders")
    player = Cli(TOCSIN_URL=place.stack.url, TOCSIN_TOKEN=secret)
    text = json.dumps({"orders": orders_of(player, "angel")})

    judged = player.json("orders", "check", "orders", "-", stdin=text)
    sent = player.json("orders", "send", "orders", "-", "--key", "k", stdin=text)
    again = player.json("orders", "send", "orders", "-", "--key", "k", stdin=text)
    listed = player.json("orders", "list", "orders")
    first = sent["results"][0]["id"]
    gone = player.json("orders", "withdraw", "orders", first, first)

    assert all(one["would_book"] and one["odds"] for one in judged["results"])
    assert sent == again
    assert {one["id"] for one in sent["results"]} == {one["id"] for one in listed["orders"]}
    assert [{"id": first}, {"id": first}] == gone["orders"]
    assert first not in player("orders", "list", "orders").stdout


def test_a_refused_order_is_told_in_words_and_stops_no_other(place: Town) -> None:
    secret, _ = open_campaign(place.operator, "refused")
    player = Cli(TOCSIN_URL=place.stack.url, TOCSIN_TOKEN=secret)
    good = orders_of(player, "angel")[:1]
    text = json.dumps([*good, {**good[0], "servant": "nobody"}])
    judged = player("orders", "check", "refused", "-", stdin=text)
    sent = player("orders", "send", "refused", "-", "--lang", "fr", stdin=text)

    assert (1, 1) == (judged.exit_code, sent.exit_code)
    assert "tocsin: 1 of 2 orders refused\n" == sent.stderr
    assert "nobody" in sent.stdout
    assert 1 == len(player.json("orders", "list", "refused")["orders"])


def test_an_atomic_batch_with_a_bad_order_books_nothing(place: Town) -> None:
    secret, _ = open_campaign(place.operator, "atomic")
    player = Cli(TOCSIN_URL=place.stack.url, TOCSIN_TOKEN=secret)
    good = orders_of(player, "angel")[:1]
    text = json.dumps([*good, {**good[0], "servant": "nobody"}])
    sent = player("orders", "send", "atomic", "-", "--atomic", stdin=text)

    assert 2 == sent.exit_code
    assert "batch_refused" in sent.stderr
    assert [] == player.json("orders", "list", "atomic")["orders"]


def test_orders_for_a_tick_that_is_closed_are_refused_as_a_whole(place: Town) -> None:
    text = json.dumps(orders_of(place.angel, "angel")[:1])
    late = place.angel("orders", "send", "town", "-", "--for-tick", "1", stdin=text)

    assert 2 == late.exit_code
    assert "tick_closed" in late.stderr


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"", "tocsin: -: Input data was truncated"),
        (b"[]", "-: it holds no orders (accepted: an order, a list of orders, or {orders: […]})"),
        (b"7", "it holds no orders"),
        (b"[NaN]", "JSON is malformed"),
        (b"\xff\xfe", "JSON is malformed"),
    ],
)
def test_a_file_without_orders_is_named(cli: Cli, data: bytes, named: str) -> None:
    result = cli("orders", "send", "town", "-", stdin=data)

    assert 2 == result.exit_code
    assert named in result.stderr


def test_a_tick_is_told_closed_watched_and_published(place: Town) -> None:
    state = place.operator.json("tick", "status", "town", "1")
    watched = place.operator.json("tick", "watch", "town", "1")
    told = place.operator("tick", "status", "town", "1").stdout

    assert "published" == state["status"] == watched["status"]
    assert state["record"]["digest"] in told
    assert all(phase["name"] in told for phase in state["record"]["phases"])
    assert "open" == place.operator.json("tick", "status", "town")["status"]


def test_closing_a_tick_twice_closes_it_once(place: Town) -> None:
    again = place.operator.json("tick", "close", "town", "1")

    assert not again["now"]
    assert 2 == place.operator.json("campaign", "show", "town")["open_tick"]


def test_watching_gives_up_after_its_limit(place: Town) -> None:
    result = place.operator("tick", "watch", "town", "--limit-s", "0.01")

    assert 3 == result.exit_code
    assert "tick 2 is open, not published within 0.01 s" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("tick", "status", "town", "soon"), "TICK: 'soon' is no tick (accepted: a number, or current)"),
        (("tick", "status", "town", "99"), "unknown_tick"),
        (("tick", "retry", "town", "1"), "not_retryable"),
        (("tick", "status", "nowhere"), "unknown_campaign"),
        (("campaign", "new", "Bad Name"), "campaign: 'Bad Name' is no campaign id (accepted: [a-z0-9]"),
        (("campaign", "show", "../town"), "campaign: '../town' is no campaign id"),
        (("tick", "status", "town/ticks"), "campaign: 'town/ticks' is no campaign id"),
        (("campaign", "new", "x", "--set", "intel_ttl"), "--set: 'intel_ttl' is no setting (accepted: NAME=VALUE)"),
        (("campaign", "new", "x", "--set", "spell=3"), "settings.spell: unknown setting"),
        (("campaign", "new", "x", "--reveal-after", "soon"), "--reveal-after: 'soon' is no number of ticks"),
        (("campaign", "new", "x", "--scenario", "a", "--generate", "9"), "--scenario: given beside --generate"),
        (("campaign", "new", "x", "--scenario", "atlantis"), "unknown scenario 'atlantis'"),
        (("campaign", "new", "x", "--rulebook", "chess"), "unknown rulebook 'chess'"),
        (("campaign", "new", "x", "--cron", "never"), "schedule.cron"),
        (("campaign", "new", "x", "--slices", "7"), "slices: 7 is no power of two"),
        (("campaign", "token", "town", "--camp", "nobody"), "camp: unknown camp 'nobody'"),
        (("campaign", "token", "town", "--scope", "king"), "--scope"),
        (("reports", "read", "town"), "camp"),
        (("reports", "read", "town", "--camp", "angel", "--after", "yesterday"), "after"),
        (("reports", "read", "town", "--lang", "la"), "--lang: unknown language 'la'"),
        (("orders", "list", "town"), "forbidden_scope"),
    ],
)
def test_bad_requests_end_with_exit_code_2_and_say_what_is_accepted(
    place: Town, arguments: tuple[str, ...], named: str
) -> None:
    result = place.operator(*arguments)

    assert 2 == result.exit_code
    assert named in result.stderr
    assert "" == result.stdout


def test_a_player_may_not_close_ticks(place: Town) -> None:
    result = place.angel("tick", "close", "town")

    assert 2 == result.exit_code
    assert "forbidden_scope" in result.stderr


def test_each_camp_reads_its_own_report(place: Town) -> None:
    angel, demon = place.angel.json("reports", "read", "town"), place.demon.json("reports", "read", "town")

    assert ("angel", "demon") == (angel["camp"], demon["camp"])
    assert angel["facts"] != demon["facts"]
    assert all({"id", "tick", "phase", "fact", "text"} == set(fact) for fact in angel["facts"])
    assert 1 == angel["complete"]


def test_a_report_goes_on_after_a_fact_and_speaks_french(place: Town) -> None:
    facts = place.angel.json("reports", "read", "town")["facts"]
    rest = place.angel.json("reports", "read", "town", "--after", facts[0]["id"], "--lang", "fr")["facts"]
    told = place.angel("reports", "read", "town", "--lang", "fr").stdout

    assert [fact["id"] for fact in facts[1:]] == [fact["id"] for fact in rest]
    assert rest[0]["text"] != facts[1]["text"]
    assert rest[0]["text"] in told
    assert {"tick 0", "tick 1"} <= set(told.splitlines())


def test_a_tail_gives_the_same_facts_a_line_each(place: Town) -> None:
    facts = place.angel.json("reports", "read", "town")["facts"]
    count = str(len(facts))
    tailed = place.angel("reports", "tail", "town", "--count", count, "--json")
    told = place.angel("reports", "tail", "town", "--count", "1", "--after", facts[0]["id"])

    assert facts == [json.loads(line) for line in tailed.stdout.splitlines()]
    assert [facts[1]["id"], facts[1]["text"]] == [told.stdout.split()[0], told.stdout.strip().partition(": ")[2]]


def test_a_campaign_whose_tick_closes_by_itself_needs_nobody(place: Town) -> None:
    open_campaign(place.operator, "bell", "--interval-s", "1")

    def rung() -> bool:
        return bool(place.operator.json("campaign", "show", "bell")["published"] >= 2)

    wait_until(rung, "two ticks are published", LIMIT_S)
    assert 0 == place.operator("campaign", "end", "bell").exit_code


def test_without_a_server_every_verb_of_http_ends_with_exit_code_3(tmp_path: Path) -> None:
    nobody = Cli(TOCSIN_URL="http://127.0.0.1:9", TOCSIN_TOKEN="x")
    for arguments in (
        ("campaign", "show"),
        ("tick", "status", "town"),
        ("reports", "read", "town"),
        ("reports", "tail", "town"),
        ("orders", "list", "town"),
        ("tick", "ready", "town"),
        ("view", "town"),
    ):
        result = nobody(*arguments)
        assert 3 == result.exit_code, arguments
        assert "tocsin: the API doesn't answer" in result.stderr


def test_a_url_that_is_none_is_bad_input() -> None:
    for url in ("nonsense", "ftp://127.0.0.1", "http://[::1"):
        result = Cli(TOCSIN_URL=url, TOCSIN_TOKEN="x")("campaign", "show")
        assert 2 == result.exit_code, url
        assert "--url" in result.stderr


def test_a_url_where_something_else_answers_ends_with_exit_code_3() -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>hello</html>")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        somewhere = Cli(TOCSIN_URL=f"http://127.0.0.1:{server.server_port}", TOCSIN_TOKEN="x")
        results = [somewhere("campaign", "show", "town"), somewhere("reports", "tail", "town")]
        server.shutdown()

    for result in results:
        assert 3 == result.exit_code
        assert "doesn't answer as an API of Tocsin does (status 200)" in result.stderr
