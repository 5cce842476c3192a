"""Deadlines on the wall clock of a zone, over changes to and from summer time."""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.kernel.errors import InvalidInput
from workers.service.deadlines import check_schedule, next_deadline_ms
from workers.store.records import Schedule

PARIS = ZoneInfo("Europe/Paris")
EVENING = Schedule(cron="30 20 * * *", time_zone="Europe/Paris")
NIGHT = Schedule(cron="30 2 * * *", time_zone="Europe/Paris")


def ms(*when: int, fold: int = 0, zone: ZoneInfo = PARIS) -> int:
    moment = datetime(*when, tzinfo=zone, fold=fold)  # type: ignore[arg-type, misc] # year, month, day, … of a test
    return int(moment.timestamp() * 1000)


def test_without_interval_and_cron_there_is_no_deadline():
    assert 0 == next_deadline_ms(Schedule(when_ready=True), 1_000)


def test_an_interval_counts_from_the_time_given():
    assert 61_000 == next_deadline_ms(Schedule(interval_s=60), 1_000)


def test_a_cron_deadline_is_strictly_after_the_time_given():
    exactly = ms(2026, 6, 1, 20, 30)
    assert exactly == next_deadline_ms(EVENING, exactly - 1)
    assert ms(2026, 6, 2, 20, 30) == next_deadline_ms(EVENING, exactly)


def test_missed_deadlines_collapse_into_one():
    assert ms(2026, 6, 9, 20, 30) == next_deadline_ms(EVENING, ms(2026, 6, 9, 12, 0))


@pytest.mark.parametrize(("day", "offset_h"), [((2026, 3, 28), 1), ((2026, 3, 29), 2), ((2026, 10, 25), 1)])
def test_an_evening_deadline_stays_at_half_past_eight_in_paris(day: tuple[int, int, int], offset_h: int):
    found = next_deadline_ms(EVENING, ms(*day, 12, 0))
    assert datetime(*day, 20, 30, tzinfo=timezone(timedelta(hours=offset_h))).timestamp() * 1000 == found


def test_a_time_that_summer_time_skips_falls_on_the_first_moment_after_the_gap():
    assert ms(2026, 3, 29, 3, 0) == next_deadline_ms(NIGHT, ms(2026, 3, 28, 12, 0))
    assert ms(2026, 3, 30, 2, 30) == next_deadline_ms(NIGHT, ms(2026, 3, 29, 3, 0))


def test_a_time_that_comes_twice_in_autumn_is_one_deadline():
    first = ms(2026, 10, 25, 2, 30, fold=0)
    assert first == next_deadline_ms(NIGHT, ms(2026, 10, 24, 12, 0))
    assert ms(2026, 10, 26, 2, 30) == next_deadline_ms(NIGHT, first)
    assert ms(2026, 10, 26, 2, 30) == next_deadline_ms(NIGHT, ms(2026, 10, 25, 2, 30, fold=1) - 1)


@given(
    after_ms=st.integers(ms(2026, 1, 1), ms(2027, 1, 1)),
    cron=st.sampled_from(["*/7 * * * *", "0 */3 * * *", "30 2 * * *", "0 12 * * 1", "15 4 1 * *"]),
    zone=st.sampled_from(["Europe/Paris", "UTC", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu"]),
)
def test_deadlines_ascend_and_each_is_the_first_after_every_moment_before_it(after_ms: int, cron: str, zone: str):
    schedule = Schedule(cron=cron, time_zone=zone)
    first = next_deadline_ms(schedule, after_ms)
    assert first > after_ms
    assert first % 60_000 == 0
    between = after_ms + (first - after_ms) // 2
    assert first == next_deadline_ms(schedule, between)
    assert first < next_deadline_ms(schedule, first)


@pytest.mark.parametrize(
    ("schedule", "field"),
    [
        (Schedule(cron="every day"), "schedule.cron"),
        (Schedule(cron="0 0 31 2 *"), "schedule.cron"),
        (Schedule(cron="* * * * * *"), "schedule.cron"),
        (Schedule(cron="0 20 * *"), "schedule.cron"),
        (Schedule(cron="0 20 * * *", time_zone="Europe/Atlantis"), "schedule.time_zone"),
        (Schedule(time_zone="../etc/passwd"), "schedule.time_zone"),
        (Schedule(interval_s=400 * 24 * 3600), "schedule.interval_s"),
    ],
)
def test_a_schedule_that_names_no_time_is_refused_by_its_field(schedule: Schedule, field: str):
    with pytest.raises(InvalidInput) as error:
        check_schedule(schedule)
    assert field == error.value.field
    assert error.value.accepted


def test_good_schedules_pass():
    for schedule in (Schedule(), EVENING, Schedule(interval_s=60), Schedule(when_ready=True)):
        check_schedule(schedule)
