"""What a camp reads of an event follows from who may read each of its fields, and from nothing else."""

from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.kernel.digest import canonical
from workers.kernel.errors import RulebookError
from workers.kernel.events import (
    KERNEL_EVENTS,
    NOBODY,
    OTHER,
    OWN,
    PUBLIC,
    PUBLIC_FACT,
    Event,
    Mail,
    OrderDropped,
    Projector,
    Reader,
    readers_of,
    tag_of,
)

WITNESS = Reader("witness", lambda event, camp: camp in event.witnesses)


class Theft(Event, frozen=True, tag="theft"):
    camp: Annotated[str, OWN]
    loot: Annotated[int, OWN]
    missing: Annotated[int, OTHER]
    place: Annotated[str, PUBLIC]
    thief: Annotated[str, WITNESS]
    motive: str
    witnesses: Annotated[tuple[str, ...], NOBODY] = ()


class Sunrise(Event, frozen=True, tag="sunrise"):
    hour: Annotated[int, PUBLIC]


class Secret(Event, frozen=True, tag="secret"):
    what: str


class Letter(Mail, frozen=True, tag="letter"):
    text: Annotated[str, PUBLIC]


PROJECT = Projector((Theft, Sunrise, Secret, Letter)).project


def read(event: Event, camp: str) -> Any:
    """What a camp reads of an event, as plain data."""
    return msgspec.to_builtins(PROJECT(event, camp))


THEFT = Theft("law", 7, 7, "the bank", "Rififi", "greed", ("press",))


def test_each_camp_reads_the_fields_that_are_its_own() -> None:
    assert {"event": "theft", "camp": "law", "loot": 7, "place": "the bank"} == read(THEFT, "law")
    assert {"event": "theft", "missing": 7, "place": "the bank"} == read(THEFT, "mob")
    assert {"event": "theft", "missing": 7, "place": "the bank", "thief": "Rififi"} == read(THEFT, "press")


def test_what_a_camp_reads_in_part_is_written_in_the_order_of_names() -> None:
    assert b'{"camp":"law","event":"theft","loot":7,"place":"the bank"}' == canonical(PROJECT(THEFT, "law"))


def test_a_reader_that_has_the_name_of_a_standard_one_is_asked_all_the_same() -> None:
    class Whisper(Event, frozen=True, tag="whisper"):
        word: Annotated[str, Reader("public", lambda event, camp: camp == "law")]
        tone: Annotated[str, Reader("nobody", lambda event, camp: camp == "law")]

    project = Projector((Whisper,)).project

    assert project(Whisper("run", "low"), "law") == Whisper("run", "low")
    assert project(Whisper("run", "low"), "mob") is None


def test_an_event_that_a_camp_may_read_whole_is_handed_over_as_it_is() -> None:
    sunrise = Sunrise(6)

    assert sunrise is PROJECT(sunrise, "law")


def test_of_an_event_for_nobody_no_camp_reads_anything() -> None:
    assert PROJECT(Secret("it rains"), "law") is None


def test_of_mail_the_address_is_for_nobody() -> None:
    assert {"event": "letter", "text": "hello"} == read(Letter("p1", "hello"), "law")


@given(st.text(), st.sampled_from(["law", "mob", "press"]))
def test_what_a_camp_may_not_read_changes_nothing_that_it_reads(motive: str, camp: str) -> None:
    changed = Theft("law", 7, 7, "the bank", "Rififi", motive, ("press",))

    assert PROJECT(THEFT, camp) == PROJECT(changed, camp)


def test_a_field_without_a_reader_is_for_nobody() -> None:
    assert {
        "camp": OWN,
        "loot": OWN,
        "missing": OTHER,
        "place": PUBLIC,
        "thief": WITNESS,
        "motive": NOBODY,
        "witnesses": NOBODY,
    } == readers_of(Theft)


def test_a_field_with_two_readers_is_refused() -> None:
    class Confused(Event, frozen=True, tag="confused"):
        what: Annotated[int, OWN, PUBLIC]

    with pytest.raises(TypeError, match=r"Confused\.what declares 2 readers, one is accepted"):
        readers_of(Confused)


def test_two_readers_of_one_name_in_an_event_are_refused() -> None:
    class Masked(Event, frozen=True, tag="masked"):
        first: Annotated[int, Reader("spy", lambda event, camp: True)]
        second: Annotated[int, Reader("spy", lambda event, camp: False)]

    with pytest.raises(TypeError, match="two readers called 'spy'"):
        Projector((Masked,))


def test_an_event_that_was_not_declared_is_named() -> None:
    with pytest.raises(RulebookError, match="rulebook 'toy': Sunrise happened, which is not among its events"):
        Projector((Secret,), "toy").project(Sunrise(6), "law")


def test_an_event_is_told_apart_by_its_tag() -> None:
    assert "sunrise" == tag_of(Sunrise)
    assert (OrderDropped,) == KERNEL_EVENTS


def test_every_camp_reads_that_an_order_was_dropped_and_its_own_camp_which() -> None:
    dropped = OrderDropped("law", "a1", "01")
    project = Projector(KERNEL_EVENTS).project

    assert dropped is project(dropped, "law")
    assert {"event": "order_dropped", "dropped": 1} == msgspec.to_builtins(project(dropped, "mob"))
    assert PUBLIC_FACT is dropped.about("mob")
    assert dropped.void


def test_an_event_concerns_its_camp_as_a_whole_unless_it_says_otherwise() -> None:
    assert () == Secret("it rains").about("law")
    assert not Secret.void
