"""When a tick closes by itself: an interval, or a cron expression in a time zone. Pure: the time is handed in."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from workers.kernel.errors import InvalidInput
from workers.store.records import Schedule

INTERVAL_MAX_S = 366 * 24 * 3600
"""The longest interval, in seconds: a leap year."""
CRON_FIELDS = 5
"""Minute, hour, day of the month, month, day of the week. The library takes one of seconds too: none is meant here."""


def check_schedule(schedule: Schedule, field: str = "schedule") -> None:
    """Raise InvalidInput, naming the field under `field`, unless every deadline of the schedule can be computed."""
    if schedule.interval_s > INTERVAL_MAX_S:
        raise InvalidInput(f"{field}.interval_s", f"{schedule.interval_s} s is too long", f"0..{INTERVAL_MAX_S}")
    zone = _zone(schedule.time_zone, f"{field}.time_zone")
    if not schedule.cron:
        return
    accepted = "a cron expression of five fields that comes round, e.g. '0 20 * * *'"
    fields = len(schedule.cron.split())
    if fields != CRON_FIELDS:
        raise InvalidInput(f"{field}.cron", f"{schedule.cron!r} has {fields} fields", accepted)
    try:
        next(CronSim(schedule.cron, datetime(2000, 1, 1, tzinfo=zone)))
    except (CronSimError, StopIteration) as error:
        raise InvalidInput(
            f"{field}.cron", f"{schedule.cron!r} is not a cron expression ({error})", accepted
        ) from error


def next_deadline_ms(schedule: Schedule, after_ms: int) -> int:
    """The first deadline strictly after `after_ms`; both in milliseconds since 1970. 0 when the schedule has none.

    However many deadlines were missed, the answer is one. A cron expression is read on the wall clock of its zone: a
    time that a change to summer time skips falls on the first moment after the gap; one that occurs twice, once.
    """
    if schedule.interval_s:
        return after_ms + schedule.interval_s * 1000
    if not schedule.cron:
        return 0
    zone = _zone(schedule.time_zone, "schedule.time_zone")
    after = datetime.fromtimestamp(after_ms / 1000, tz=UTC).astimezone(zone)
    for found in CronSim(schedule.cron, after):
        deadline_ms = int(found.timestamp()) * 1000
        if deadline_ms > after_ms:
            return deadline_ms
    return 0


def _zone(name: str, field: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        accepted = "a name of the time zone database, e.g. 'Europe/Paris' or 'UTC'"
        raise InvalidInput(field, f"unknown time zone {name!r}", accepted) from error
