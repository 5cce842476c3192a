"""The conformance kit: a good rulebook passes every check, and each check finds the fault that it is there for."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest

from tests.sample_plugin.installation import GAMES
from workers.kernel.errors import InvalidInput, Refusal
from workers.kernel.events import PUBLIC, Event
from workers.kernel.odds import Odds
from workers.kernel.orders import Booking
from workers.kernel.phases import Homes, Phase
from workers.rules.bundle import load_bundle
from workers.rules.conformance import (
    CHECKS,
    Conformance,
    ConformanceError,
    any_order,
    bundles,
    determinism,
    digests,
    ends,
    evolution,
    exactness,
    facts_have_words,
    fog_of_answers,
    fog_of_fields,
    fog_of_hidden,
    fog_of_names,
    languages_agree,
    odds_against_dice,
    odds_form,
    packing,
    phases_have_words,
    refusals_have_words,
    round_trips,
    sample_is_legal,
    scenarios,
    settings_bounds,
    void_orders,
)
from workers.rules.contract import Rulebook, Verdict

OPEN_SUMS = ("landed", "seized", "noise/")
COPIES = count()
NIGHT = {"a night": (GAMES / "a_night.json").read_bytes()}


@pytest.fixture(scope="module")
def kit(lantern: Rulebook) -> Conformance:
    return Conformance(lantern, NIGHT, open_sums=OPEN_SUMS)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_sample_plugin_conforms(check: Callable[[Conformance], None], kit: Conformance) -> None:
    check(kit)


def test_the_sample_plugin_plays_on_in_other_processes_whatever_their_hash_seed(site: Path, kit: Conformance) -> None:
    program = (
        "import json, sys; from lantern import RULEBOOK; from workers.rules.conformance import Conformance, digests; "
        "print(json.dumps(digests(Conformance(RULEBOOK, {'a night': sys.stdin.buffer.read()}))))"
    )
    expected = digests(kit)

    for seed in ("0", "1", "20071"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{site}{os.pathsep}{Path.cwd()}"}
        run = subprocess.run(
            [sys.executable, "-c", program], input=NIGHT["a night"], env=environment, check=True, capture_output=True
        )

        assert expected == json.loads(run.stdout)


def test_a_night_on_the_coast_ends_as_its_dice_say(lantern: Rulebook, kit: Conformance) -> None:
    (_, trace), *_ = kit.traces
    told = [msgspec.to_builtins(act.event) for act in trace.acts]
    shared = json.loads(trace.result.shared)

    assert [("corvo", 4, "ashore"), ("dinah", 5, "ashore")] == [
        (fact["crew"], fact["crates"], fact["outcome"]) for fact in told if fact["event"] == "landing"
    ]
    assert ["corvo"] == [fact["crew"] for fact in told if fact["event"] == "seized"]
    assert {"08": "apart", "09": "gone"} == {
        fact["order"]: fact["reason"] for fact in told if fact["event"] == "order_void"
    }
    assert (2 + 5, 4) == (shared["landed"], shared["seized"])
    assert "c792f1da3882ce06554346678aa296fbb91f32e25a891d778c21989f4002a80d" == trace.result.digest


def test_nobody_wins_before_enough_crates_are_landed_or_seized(lantern: Rulebook) -> None:
    night = load_bundle(NIGHT["a night"], lambda name: lantern)
    verdicts = []
    for landed, seized in ((9, 7), (10, 7), (10, 8)):
        shared = msgspec.structs.replace(night.state.shared, landed=landed, seized=seized)
        verdicts.append(lantern.verdict(shared, night.given.settings, 4))

    assert [None, Verdict("smugglers", "enough_landed"), Verdict("keepers", "enough_seized")] == verdicts


# What follows breaks the sample rulebook in one place at a time.


def broken(rulebook: Rulebook, **changes: Any) -> Conformance:
    return Conformance(replace(rulebook, **changes), NIGHT, open_sums=OPEN_SUMS)


def with_decide(rulebook: Rulebook, phase: str, wrap: Callable[[Any], Any]) -> tuple[Phase, ...]:
    """The rulebook's phases with the first step of one of them decided otherwise."""

    def changed(found: Phase) -> Phase:
        first, *rest = found.steps
        assert isinstance(first, Homes)
        return replace(found, steps=(replace(first, decide=wrap(first.decide)), *rest))

    return tuple(changed(found) if found.name == phase else found for found in rulebook.phases)


def find(check: Callable[[Conformance], None], kit: Conformance) -> str:
    with pytest.raises(ConformanceError) as found:
        check(kit)
    return str(found.value)


def test_a_decision_that_depends_on_how_often_it_was_asked_is_found(lantern: Rulebook) -> None:
    calls = count()

    def wrap(decide):
        def counting(home, orders, mail, context):
            for event in decide(home, orders, mail, context):
                yield msgspec.structs.replace(event, crates=next(calls)) if hasattr(event, "crates") else event

        return counting

    assert "`decide` remembers" in find(determinism, broken(lantern, phases=with_decide(lantern, "dawn", wrap)))


def test_a_decision_that_remembers_the_home_before_is_found(lantern: Rulebook) -> None:
    before = [""]

    def wrap(decide):
        def remembering(home, orders, mail, context):
            cove, before[0] = before[0], "" if home is None else home.cove
            for event in decide(home, orders, mail, context):
                yield msgspec.structs.replace(event, cove=cove) if hasattr(event, "cove") else event

        return remembering

    assert "`decide` remembers" in find(determinism, broken(lantern, phases=with_decide(lantern, "tide", wrap)))


def test_a_sum_that_depends_on_how_the_homes_are_cut_is_found(lantern: Rulebook) -> None:
    safe = importlib.import_module("lantern.events").Safe

    def tally(event, sums):
        sums.added["landed"] = min(sums.added.get("landed", 0) + event.crates, 6)

    fleet = json.loads(NIGHT["a night"])
    fleet["orders"] = fleet["amendments"] = []
    fleet["state"]["homes"] = {
        f"boat {i}": {"id": f"boat {i}", "camp": "smugglers", "cove": "old mill", "skill": 2, "ashore": 4}
        for i in range(9)
    }
    crowded = replace(lantern, tally={**lantern.tally, safe: tally})

    message = find(determinism, Conformance(crowded, {"a fleet": json.dumps(fleet).encode()}))

    assert "a fleet, with 2 slices" in message
    assert "another digest" in message


def test_a_home_changed_without_an_event_is_found(lantern: Rulebook) -> None:
    def wrap(decide):
        def meddling(home, orders, mail, context):
            if home is not None:
                home.skill += 1
            yield from decide(home, orders, mail, context)

        return meddling

    message = find(evolution, broken(lantern, phases=with_decide(lantern, "landing", wrap)))

    assert "home 'corvo'" in message
    assert "something but `evolve` changed it" in message


def test_the_shared_record_changed_by_a_homes_step_is_found(lantern: Rulebook) -> None:
    def wrap(decide):
        def meddling(home, orders, mail, context):
            context.shared.landed += 1
            yield from decide(home, orders, mail, context)

        return meddling

    message = find(evolution, broken(lantern, phases=with_decide(lantern, "landing", wrap)))

    assert "the shared record ends as" in message


def test_an_event_that_cannot_be_read_back_is_found(lantern: Rulebook) -> None:
    def wrap(decide):
        def careless(home, orders, mail, context):
            for event in decide(home, orders, mail, context):
                yield msgspec.structs.replace(event, cove=7) if hasattr(event, "cove") else event

        return careless

    message = find(evolution, broken(lantern, phases=with_decide(lantern, "dawn", wrap)))

    assert "reading the event" in message
    assert "Expected `str`, got `int`" in message


class OtherFacts(msgspec.Struct, frozen=True, array_like=True):
    cove: str


def test_facts_of_another_type_than_declared_are_found(lantern: Rulebook) -> None:
    def check(order, view):
        answer = lantern.check(order, view)
        if isinstance(answer, Booking) and answer.facts is not None:
            return msgspec.structs.replace(answer, facts=OtherFacts(answer.facts.cove))
        return answer

    assert "its facts OtherFacts(cove='sandy hole') are unpacked" in find(packing, broken(lantern, check=check))


class Rumour(Event, frozen=True, tag="rumour"):
    """Its public field is harmless, but `about` tells the hidden one."""

    crates: Annotated[int, PUBLIC]
    culprit: str

    def about(self, camp: str) -> tuple[str, ...]:
        return (self.culprit,)


def test_a_hidden_field_that_shows_in_what_the_fact_is_about_is_found(lantern: Rulebook) -> None:
    message = find(fog_of_fields, broken(lantern, events=(*lantern.events, Rumour)))

    assert "may not read 'culprit' of event 'rumour'" in message


def test_a_sum_that_betrays_hidden_entities_is_found(lantern: Rulebook) -> None:
    message = find(fog_of_hidden, Conformance(lantern, NIGHT, open_sums=("landed", "seized")))

    assert "'keepers' reads" in message
    assert "name them in `open_sums`" in message


def more_crates(state, orders, camp, stream):
    """Boats that the keepers don't know of carry more than they did."""
    if camp == "keepers" and "dinah" in state.homes:
        state.homes["dinah"].crates += 1 + stream.below(5)
        yield state


def test_hidden_entities_may_change_as_an_author_says_and_no_camp_notices(lantern: Rulebook) -> None:
    fog_of_hidden(Conformance(lantern, NIGHT, open_sums=OPEN_SUMS, disturb=more_crates))


def test_a_fact_that_betrays_what_an_author_changed_is_found(lantern: Rulebook) -> None:
    def wrap(decide):
        def indiscreet(home, orders, mail, context):
            yield from decide(home, orders, mail, context)
            if home is not None and home.crates > 4:
                yield Rumour(home.crates, "")

        return indiscreet

    phases = with_decide(lantern, "tide", wrap)
    changed = replace(lantern, events=(*lantern.events, Rumour), phases=phases)
    message = find(fog_of_hidden, Conformance(changed, NIGHT, open_sums=OPEN_SUMS, disturb=more_crates))

    assert "with what `disturb` changed" in message
    assert "rumour" in message


def test_a_disturbance_that_the_camp_would_notice_is_refused(lantern: Rulebook) -> None:
    def shown(state, orders, camp, stream):
        if "dinah" in state.homes:
            state.homes["dinah"].shown = "gull rock"
            yield state

    message = find(fog_of_hidden, Conformance(lantern, NIGHT, open_sums=OPEN_SUMS, disturb=shown))

    assert "it may change hidden things alone" in message


class Shadow(msgspec.Struct, dict=True):
    """A glimpse that carries more than it shows."""

    id: str


def test_an_answer_that_rests_on_more_than_the_bytes_of_the_view_is_found(lantern: Rulebook) -> None:
    def see(home, shared, camp):
        seen = lantern.see(home, shared, camp)
        if seen is None or seen is home:
            return seen
        shadow = Shadow(home.id)
        shadow.__dict__["cove"] = home.cove
        return shadow

    def check(order, view):
        seen = view.homes.get(order.crew)
        if isinstance(seen, Shadow) and getattr(seen, "cove", None) is not None:
            return (Refusal("unknown_crew", "crew", values={"crew": seen.cove}),)  # type: ignore[attr-defined]  # the fault that the kit must find
        return lantern.check(order, view)

    assert "on the view rebuilt from its bytes" in find(fog_of_answers, broken(lantern, see=see, check=check))


def test_an_answer_that_needs_keys_that_reads_does_not_name_is_found(lantern: Rulebook) -> None:
    def reads(order):
        return msgspec.structs.replace(lantern.reads(order), homes=(order.crew,))

    hand = b'"crew": "corvo", "to": "dinah", "crates": 2}'
    booked = NIGHT["a night"].replace(hand, hand + b', "home": "corvo", "facts": ["sandy hole"]')
    kit = Conformance(replace(lantern, reads=reads), {"a night": booked})

    assert "with only what `reads` names" in find(fog_of_answers, kit)


def test_a_view_through_which_hidden_numbers_shine_is_found(lantern: Rulebook) -> None:
    holds: dict[str, int] = {}

    def see(home, shared, camp):
        holds[home.id] = home.crates
        return lantern.see(home, shared, camp)

    def odds(order, view):
        found = lantern.odds(order, view)
        return msgspec.structs.replace(found, effects={"all": {"crates": sum(holds.values())}})

    assert "when only what the camp doesn't know changes" in find(fog_of_answers, broken(lantern, see=see, odds=odds))


def test_a_check_that_changes_what_it_was_shown_is_found(lantern: Rulebook) -> None:
    def check(order, view):
        answer = lantern.check(order, view)
        if isinstance(answer, Booking):
            view.homes[order.crew].skill += 1
        return answer

    assert "changed" in find(fog_of_answers, broken(lantern, check=check))


def test_K7_a_refusal_that_tells_a_hidden_name_from_no_name_is_found(lantern: Rulebook) -> None:
    def check(order, view):
        answer = lantern.check(order, view)
        if order.crew in ("anne", "bastien", "dinah") and not isinstance(answer, Booking):
            return (msgspec.structs.replace(answer[0], code="not_yours"),)
        return answer

    message = find(fog_of_names, broken(lantern, check=check))

    assert "not_yours" in message
    assert "with a name that nothing has" in message


@pytest.mark.parametrize(
    ("odds", "problem"),
    [
        (Odds("2/4", {"ashore": "1/2", "swamped": "1/2"}, (), "full"), "'2/4' is not in lowest terms"),
        (Odds("1/2", {"ashore": "1/2", "swamped": "1/3"}, (), "full"), "sum to 5/6"),
        (Odds("0.5", {"ashore": "1/2", "swamped": "1/2"}, (), "full"), "is no fraction"),
        (Odds("3/2", {"ashore": "3/2", "swamped": "-1/2"}, (), "full"), "a success of 3/2"),
        (Odds(None, {}, (), "known"), "no word of which term is missing"),
        (Odds(None, {"ashore": "1/1"}, (), "known", "noise"), "beside a missing term"),
    ],
)
def test_K3_odds_that_are_no_exact_distribution_are_found(lantern: Rulebook, odds: Odds, problem: str) -> None:
    assert problem in find(odds_form, broken(lantern, odds=lambda order, view: odds))


def test_K3_odds_that_the_dice_contradict_are_found(lantern: Rulebook) -> None:
    def odds(order, view):
        found = lantern.odds(order, view)
        if found.outcomes.keys() == {"ashore", "swamped"}:
            swapped = {"ashore": found.outcomes["swamped"], "swamped": found.outcomes["ashore"]}
            return msgspec.structs.replace(found, success=swapped["ashore"], outcomes=swapped)
        return found

    assert "its odds are" in find(odds_against_dice, broken(lantern, odds=odds))


def test_K3_an_outcome_that_the_odds_do_not_name_is_found(lantern: Rulebook) -> None:
    certain = Odds("1/1", {"ashore": "1/1"}, (), "known")

    def odds(order, view):
        return certain if type(order).__name__ == "Land" else lantern.odds(order, view)

    assert "'swamped' happened" in find(odds_against_dice, broken(lantern, odds=odds))


def test_rolls_that_the_kit_cannot_find_are_not_passed_over(lantern: Rulebook) -> None:
    quiet = Conformance(lantern, NIGHT, open_sums=OPEN_SUMS, outcome_of=lambda booked, events: None)

    assert "give `outcome_of`" in find(odds_against_dice, quiet)


class Weighed(msgspec.Struct):
    id: str
    camp: str
    cargo: dict[str, float] = {}


def test_a_float_in_a_record_is_found(lantern: Rulebook) -> None:
    kit = Conformance(replace(lantern, home=Weighed), {})

    assert "cargo (float)" in find(exactness, kit)


def test_a_record_whose_canonical_form_loses_something_is_found(lantern: Rulebook) -> None:
    crew = importlib.import_module("lantern.entities").Crew
    forgetful = msgspec.defstruct("Forgetful", [("mate", crew | None, None)], bases=(crew,), tag=False, kw_only=True)
    forgetful.__eq__ = lambda self, other: False  # type: ignore[method-assign]  # the fault that the kit must find

    assert "comes back from its canonical bytes" in find(round_trips, broken(lantern, home=forgetful))


def test_settings_that_a_bundle_cannot_hold_are_found(lantern: Rulebook) -> None:
    module = importlib.import_module("lantern.scenario")
    house = msgspec.defstruct("HouseSettings", [("tides", int, 2)], bases=(lantern.settings,), frozen=True)
    scenario = msgspec.defstruct(
        "HouseScenario", [("settings", house, house())], bases=(module.Scenario,), frozen=True, kw_only=True
    )

    assert "settings comes back from a bundle as" in find(bundles, broken(lantern, scenario=scenario))


def test_a_generator_that_makes_another_scenario_each_time_is_found(lantern: Rulebook) -> None:
    calls = count()

    def generate(size, dice):
        return msgspec.structs.replace(lantern.generate(size, dice), title=f"coast {next(calls)}")

    assert "gives another scenario the second time" in find(scenarios, broken(lantern, generate=generate))


@pytest.mark.parametrize(
    ("meta", "problem"),
    [
        (msgspec.Meta(ge=0, description="hours of night"), "the setting 'hours' has no bounds"),
        (msgspec.Meta(le=9, description="hours of night"), "the setting 'hours' has no bounds"),
        (msgspec.Meta(ge=0, le=9), "the setting 'hours' has no description"),
    ],
)
def test_a_setting_without_bounds_or_description_is_found(lantern: Rulebook, meta: msgspec.Meta, problem: str) -> None:
    settings = msgspec.defstruct("LongNight", [("hours", Annotated[int, meta], 8)], bases=(lantern.settings,))

    assert problem in find(settings_bounds, Conformance(replace(lantern, settings=settings), {}))


def test_a_setting_at_whose_bound_the_game_breaks_is_found(lantern: Rulebook) -> None:
    def wrap(decide):
        def short_watch(home, orders, mail, context):
            assert context.settings.watch < 20, "nobody reaches that"
            yield from decide(home, orders, mail, context)

        return short_watch

    changed = replace(lantern, phases=with_decide(lantern, "lanterns", wrap))

    message = find(settings_bounds, Conformance(changed, {}))

    assert "with the setting watch = 20: inlet, tick 1, resolved: raised AssertionError: nobody reaches" in message


def test_settings_that_found_refuses_are_passed_over(lantern: Rulebook) -> None:
    def found(scenario, ids):
        if scenario.settings.watch == 20:
            raise InvalidInput("settings.watch", "20 is beyond all dice", "1..19")
        return lantern.found(scenario, ids)

    settings_bounds(Conformance(replace(lantern, found=found), {}))


def test_a_sample_that_gives_an_illegal_order_is_found(lantern: Rulebook) -> None:
    watch = importlib.import_module("lantern.orders").Watch

    def sample(homes, shared, settings, tick, dice):
        yield from lantern.sample(homes, shared, settings, tick, dice)
        yield "smugglers", "corvo", watch("corvo")

    assert "refused: not_your_trade" in find(sample_is_legal, broken(lantern, sample=sample))


def test_a_sample_that_spends_more_than_there_is_is_found(lantern: Rulebook) -> None:
    def sample(homes, shared, settings, tick, dice):
        for drawn in lantern.sample(homes, shared, settings, tick, dice):
            yield drawn
            yield drawn

    assert "over the limit of meter" in find(sample_is_legal, broken(lantern, sample=sample))


def test_a_kind_of_order_that_no_game_plays_is_found(lantern: Rulebook) -> None:
    def sample(homes, shared, settings, tick, dice):
        drawn = lantern.sample(homes, shared, settings, tick, dice)
        return ((camp, actor, order) for camp, actor, order in drawn if type(order).__name__ != "Watch")

    message = find(sample_is_legal, Conformance(replace(lantern, sample=sample), {}))

    assert "no game plays an order of the kinds Watch" in message


def test_a_rulebook_without_any_order_to_play_is_found(lantern: Rulebook) -> None:
    idle = Conformance(replace(lantern, sample=lambda *given: iter(())), {})

    assert "there is nothing to check" in find(packing, idle)


def test_a_verdict_for_a_camp_that_does_not_exist_is_found(lantern: Rulebook) -> None:
    changed = broken(lantern, verdict=lambda shared, settings, tick: Verdict("sharks", "enough_seized"))

    assert "names no camp" in find(ends, changed)


def test_an_order_that_commands_nobody_is_found(lantern: Rulebook) -> None:
    assert "`commands` gives ()" in find(ends, broken(lantern, commands=lambda order: ()))


def test_a_check_that_fails_on_a_strange_order_is_found(lantern: Rulebook) -> None:
    def check(order, view):
        return lantern.check(order, view) if view.homes[order.crew] else ()

    assert "`check`: raised KeyError" in find(any_order, broken(lantern, check=check))


def test_a_check_that_refuses_without_a_reason_is_found(lantern: Rulebook) -> None:
    def check(order, view):
        return lantern.check(order, view) if order.crew in view.homes else ()

    assert "neither a booking nor a refusal" in find(any_order, broken(lantern, check=check))


def fragile(decide):
    def decide_for_own_crew(home, orders, mail, context):
        for booked in orders:
            assert booked.actor == booked.order.crew, "a boat listens to its own crew alone"
        yield from decide(home, orders, mail, context)

    return decide_for_own_crew


def test_an_accepted_order_that_cannot_be_resolved_is_found(lantern: Rulebook) -> None:
    message = find(any_order, broken(lantern, phases=with_decide(lantern, "landing", fragile)))

    assert "a night, resolved with " in message
    assert "raised AssertionError: a boat listens to its own crew alone" in message


def test_a_game_that_cannot_be_resolved_is_named(lantern: Rulebook) -> None:
    phases = with_decide(lantern, "landing", fragile)
    night = NIGHT["a night"].replace(b'"actor": "dinah"', b'"actor": "corvo"')
    message = find(evolution, Conformance(replace(lantern, phases=phases), {"a mutiny": night}))

    assert "a mutiny, resolved: raised AssertionError: a boat listens to its own crew alone" in message


def test_K6_an_order_that_vanishes_with_its_home_is_found(lantern: Rulebook) -> None:
    def wrap(decide):
        def silent(home, orders, mail, context):
            if home is not None:
                yield from decide(home, orders, mail, context)

        return silent

    message = find(void_orders, broken(lantern, phases=with_decide(lantern, "landing", wrap)))

    assert "is lost without a word when home 'corvo' isn't there" in message


def test_K6_a_home_that_is_not_there_must_not_stop_the_tick(lantern: Rulebook) -> None:
    def wrap(decide):
        def trusting(home, orders, mail, context):
            assert home.id
            yield from decide(home, orders, mail, context)

        return trusting

    message = find(void_orders, Conformance(replace(lantern, phases=with_decide(lantern, "landing", wrap)), {}))

    assert "raised AttributeError" in message


@pytest.fixture
def reworded(lantern: Rulebook, site: Path) -> Callable[[str, str, str], Conformance]:
    """Makes the sample rulebook speak other words: a copy of its package with some of its words replaced."""

    def make(language: str, old: str, new: str) -> Conformance:
        package = f"lantern_in_other_words_{next(COPIES)}"
        folder = shutil.copytree(site / "lantern", site / package)
        words = folder / "words" / f"{language}.toml"
        text = words.read_text(encoding="utf-8")
        assert old in text
        words.write_text(text.replace(old, new), encoding="utf-8")
        importlib.invalidate_caches()
        return broken(lantern, package=package)

    return make


@pytest.mark.parametrize(
    ("language", "old", "new", "check", "problem"),
    [
        ("fr", "rowed = [", "rows = [", languages_agree, "differ in the keys ['rowed', 'rows']"),
        ("fr", "vers {cove}", "au loin", languages_agree, "'rowed' fills"),
        ("en", 'title = "Lantern"', 'title = ""', languages_agree, "the title is empty in 'en'"),
        ("en", "lights = [", "candles = [", facts_have_words, "no template in 'en' fits"),
        ("en", "taken = [", '"taken.soon" = [', facts_have_words, "no template in 'en' fits"),
        ("en", "joined = [", "came = [", facts_have_words, "'joined'"),
        ("fr", '"landing.swamped" = [', '"landing.lost" = [', facts_have_words, "landing"),
        ("en", "{landed} crates landed", "{drowned} crates landed", facts_have_words, "'dawn'"),
        ("fr", 'lanterns = "Les lanternes"', 'lampes = "Les lanternes"', phases_have_words, "lacks ['lanterns']"),
        ("en", "unknown_mate = ", "unknown_friend = ", refusals_have_words, "lacks 'unknown_mate'"),
        ("en", "no way to {to}", "no way to {there}", refusals_have_words, "leaves blanks empty in 'en': ['there']"),
    ],
)
def test_a_gap_in_the_words_is_found(reworded, language, old, new, check, problem) -> None:
    assert problem in find(check, reworded(language, old, new))


def test_a_refusal_that_names_no_field_of_its_order_is_found(lantern: Rulebook) -> None:
    def check(order, view):
        answer = lantern.check(order, view)
        return answer if isinstance(answer, Booking) else (msgspec.structs.replace(answer[0], field="ship"),)

    assert "names the field 'ship'" in find(refusals_have_words, broken(lantern, check=check))


def test_a_game_of_another_rulebook_is_refused(lantern: Rulebook) -> None:
    game = NIGHT["a night"].replace(b'"lantern"', b'"chess"')

    with pytest.raises(InvalidInput, match="a game of 'chess'"):
        Conformance(lantern, {"chess": game})
