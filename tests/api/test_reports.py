"""Reports over HTTP: pages and long polls. (Streams need a real connection: test_serving.)"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.api.web import Web, problem

ANNA = {"kind": "fish", "boat": "anna"}
BERT = {"kind": "fish", "boat": "bert"}
REPORTS = "/campaigns/pond/reports"


def test_a_camp_reads_its_own_report(web: Web, east: str, west: str):
    web.post("/campaigns/pond/orders", east, json=ANNA)
    web.play("pond")
    mine, theirs = (web.get(REPORTS, token).json() for token in (east, west))
    assert ("east", "west") == (mine["camp"], theirs["camp"])
    assert "caught" in [fact["fact"]["event"] for fact in mine["facts"]]
    assert "caught" not in [fact["fact"]["event"] for fact in theirs["facts"]]
    assert 1 == mine["complete"]


def test_an_actor_reads_its_own_facts_and_the_public_ones(web: Web, east: str, pat: str):
    web.post("/campaigns/pond/orders", east, json={"orders": [ANNA, BERT]})
    web.play("pond")
    facts = [fact["fact"] for fact in web.get(f"{REPORTS}?after=0", pat).json()["facts"]]
    assert {("caught", "bert"), ("level", None)} == {(fact["event"], fact.get("boat")) for fact in facts}


def test_nobody_reads_as_another_camp_and_operators_say_as_which(web: Web, operator: str, east: str, pat: str):
    for token in (east, pat):
        problem(web.get(f"{REPORTS}?camp=west", token), 403, "forbidden_scope")
    problem(web.get(REPORTS, operator), 422, "invalid_request")
    problem(web.get(f"{REPORTS}?camp=north", operator), 422, "invalid_request")
    assert "west" == web.get(f"{REPORTS}?camp=west", operator).json()["camp"]


def test_reading_goes_on_after_the_last_fact(web: Web, east: str):
    web.post("/campaigns/pond/orders", east, json={"orders": [ANNA, BERT]})
    web.play("pond")
    whole = [fact["id"] for fact in web.get(REPORTS, east).json()["facts"]]
    found: list[str] = []
    page = web.get(f"{REPORTS}?pages=1", east).json()
    while True:
        found += [fact["id"] for fact in page["facts"]]
        if not page["more"]:
            break
        page = web.get(f"{REPORTS}?pages=1&after={page['next']}", east).json()
    assert whole == found
    assert whole[3:] == [fact["id"] for fact in web.get(f"{REPORTS}?after={whole[2]}", east).json()["facts"]]


def test_the_language_is_chosen_at_reading(web: Web, east: str):
    answers = [
        web.get(f"{REPORTS}?lang=fr", east),
        web.get(REPORTS, east, headers={"Accept-Language": "fr"}),
        web.get(REPORTS, east),
    ]
    texts = [answer.json()["facts"][-1]["text"] for answer in answers]
    assert ["Le lac compte 40 poissons."] * 2 + ["The lake holds 40 fish."] == texts


@pytest.mark.parametrize("query", ["after=x", "after=1-", "wait_s=-1", "wait_s=61", "wait_s=nan", "pages=0", "lang=de"])
def test_a_bad_question_names_its_field(web: Web, east: str, query: str):
    (error,) = problem(web.get(f"{REPORTS}?{query}", east), 422, "invalid_request")["errors"]
    assert query.partition("=")[0] == error["field"]


def test_a_long_poll_answers_at_once_where_there_is_news(web: Web, east: str):
    assert web.get(f"{REPORTS}?wait_s=60", east).json()["facts"]


def test_a_long_poll_without_news_comes_back_empty(web: Web, east: str):
    page = web.get(f"{REPORTS}?after=0&wait_s=0.05", east).json()
    assert ([], "0") == (page["facts"], page["next"])


def test_a_long_poll_is_woken_by_a_publication(web: Web, east: str):
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(web.get, f"{REPORTS}?after=0&wait_s=15", east)
        web.play("pond")
        assert [1] == sorted({fact["tick"] for fact in waiting.result(timeout=20).json()["facts"]})


def test_who_asks_for_more_than_the_api_gives_gets_as_much_and_goes_on(serving: Callable[..., Web]):
    web = serving(report_pages_max=1, stream_wait_s=0.01)
    web.found("pond")
    east = web.token("pond", "camp", camp="east")
    web.play("pond")
    page = web.get(f"{REPORTS}?pages=1000000", east).json()
    assert (True, "0") == (page["more"], page["next"])
    while page["more"]:
        page = web.get(f"{REPORTS}?pages=2&after={page['next']}", east).json()
    assert 1 == page["complete"]
    assert [] == web.get(f"{REPORTS}?after={page['next']}&wait_s=60", east).json()["facts"]


# Views.


def test_a_view_shows_what_the_token_knows(web: Web, operator: str, east: str, pat: str):
    keys = {
        token: [one["key"] for one in web.get("/campaigns/pond/view?camp=east", token).json()["homes"]]
        for token in (operator, east, pat)
    }
    assert ["anna", "bert", "dora"] == sorted(keys[east]) == sorted(keys[operator])
    assert ["bert"] == keys[pat]
    problem(web.get("/campaigns/pond/view?camp=west", east), 403, "forbidden_scope")
    problem(web.get("/campaigns/pond/view", operator), 422, "invalid_request")


def test_a_view_that_has_not_changed_is_not_sent_again(web: Web, east: str):
    first = web.get("/campaigns/pond/view", east)
    tag = first.headers["etag"]
    again = web.get("/campaigns/pond/view", east, headers={"If-None-Match": tag})
    assert (304, b"", tag) == (again.status_code, again.content, again.headers["etag"])
    web.post("/campaigns/pond/orders", east, json=ANNA)
    web.play("pond")
    assert 200 == web.get("/campaigns/pond/view", east, headers={"If-None-Match": tag}).status_code


def test_a_view_comes_in_pages(web: Web, east: str):
    found: list[str] = []
    after = ""
    while True:
        page = web.get(f"/campaigns/pond/view?limit=1&after={after}", east).json()
        found += [one["key"] for one in page["homes"]]
        after = page["next"]
        if not after:
            break
    assert ["anna", "bert", "dora"] == sorted(found)
