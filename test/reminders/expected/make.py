"""Writes runs.json: when reminders are due in 400 days, by Python's own calendar and zones.

It shares no code and no zone data with the service: the next runs come from there, these from here.
Each list is the first moment in minutes since 1970 and then how many minutes passed until each next one, the same
ones gathered as [minutes, times].
"""

import calendar
import json
import pathlib
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

START, DAYS = date(2026, 11, 21), 400

# Zones whose clocks change at the given time, or never; some by half an hour, some at midnight. Those whose rules are
# still being decided (Morocco) are left out: two releases of the zone data may disagree about them.
ZONES = {
    "America/New_York": "02:30", "America/Sao_Paulo": "09:00", "America/St_Johns": "02:15", "Europe/Lisbon": "01:30",
    "America/Santiago": "00:00", "Africa/Cairo": "00:30", "Asia/Kathmandu": "23:59", "Asia/Tehran": "00:00",
    "Australia/Sydney": "02:30", "Australia/Lord_Howe": "02:15", "Pacific/Chatham": "03:00", "Pacific/Apia": "12:00",
}


def falls(repeat: str, day: date) -> bool:
    last = calendar.monthrange(day.year, day.month)[1]
    if repeat == "once":
        return day == date(2027, 3, 14)
    if repeat == "daily":
        return True
    if repeat == "weekdays":
        return day.weekday() < 5
    if repeat == "weekly":
        return day.weekday() == 6
    if repeat == "monthly":
        return day.day == last
    leap = calendar.isleap(day.year)
    return (day.month, day.day) == (2, 29 if leap else 28)


def moment(zone: str, day: date) -> int:
    hour, minute = map(int, ZONES[zone].split(":"))
    # fold=0: the earlier of two, and in a gap the offset of before, which moves the time forward.
    local = datetime(day.year, day.month, day.day, hour, minute, tzinfo=ZoneInfo(zone))
    return round(local.timestamp()) // 60


def gathered(moments: list[int]) -> list:
    told: list = [moments[0]]
    for step in (b - a for a, b in zip(moments, moments[1:])):
        if len(told) > 1 and told[-1][0] == step:
            told[-1][1] += 1
        else:
            told.append([step, 1])
    return told


days = [START + timedelta(days=n) for n in range(DAYS)]
runs = {
    zone: {
        "time": time,
        **{r: gathered([moment(zone, d) for d in days if falls(r, d)])
           for r in ("once", "daily", "weekdays", "weekly", "monthly", "yearly")},
    }
    for zone, time in ZONES.items()
}
lines = [f'"{zone}":{json.dumps(told, separators=(",", ":"))}' for zone, told in runs.items()]
pathlib.Path(__file__).with_name("runs.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
