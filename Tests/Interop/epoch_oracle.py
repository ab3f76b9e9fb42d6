"""The epochs of a log, independent of the daemon: pynmea2 and pyubx2 decode, a few lines group.

An epoch is a run of timed sentences (RMC, GGA, GLL, GNS, ZDA) whose time of day is the same within 10 ms and of which
no type comes twice. It has a fix when no sentence in it is void and at least one has a position.
"""

import datetime
import re
from dataclasses import dataclass, field

import pynmea2
from pyubx2 import UBXReader

SENTENCE = re.compile(rb"[$]([\x20-\x23\x25-\x29\x2b-\x7e]*)[*]([0-9A-Fa-f]{2})")
SAME_TIME = 0.010 + 1e-9
DAY = datetime.timedelta(days=1)


@dataclass
class Epoch:
    """One measurement instant of the receiver."""

    key: float  # seconds of the day, as the first timed sentence has them
    start: int  # offset of its first byte in the log
    types: set = field(default_factory=set)
    positions: list = field(default_factory=list)  # (latitude, longitude) in degrees, every one that was sent
    void: bool = False
    date: datetime.date | None = None
    measured: datetime.datetime | None = None

    @property
    def has_fix(self):
        return bool(self.positions) and not self.void


def seconds_of_day(text):
    """`hhmmss[.s…]` as seconds; None when it is anything else."""
    match = re.fullmatch(r"(\d\d)(\d\d)(\d\d(?:\.\d*)?)", text)
    if not match:
        return None
    hour, minute, second = int(match[1]), int(match[2]), float(match[3])
    if hour > 23 or minute > 59 or second >= 61:
        return None
    return hour * 3600 + minute * 60 + second


def calendar_date(text):
    """`ddmmyy` as a date with the pivot at 80; None when the calendar has no such day."""
    if not re.fullmatch(r"\d{6}", text):
        return None
    year = int(text[4:6])
    try:
        return datetime.date(year + (1900 if year >= 80 else 2000), int(text[2:4]), int(text[:2]))
    except ValueError:
        return None


def position(message):
    """(latitude, longitude) as pynmea2 has them; None unless the sentence carries both, whole and in range."""
    if not (message.lat and message.lon and message.lat_dir in "NS" and message.lon_dir in "EW"):
        return None
    if not (message.lat_dir and message.lon_dir):
        return None
    for text in (message.lat, message.lon):
        if float(text) % 100 >= 60:
            return None
    latitude, longitude = message.latitude, message.longitude
    return (latitude, longitude) if abs(latitude) <= 90 and abs(longitude) <= 180 else None


def is_void(kind, data):
    """Whether a timed sentence reports that there is no fix."""
    if kind in ("RMC", "GLL"):
        status = data[1] if kind == "RMC" else data[5]
        mode_index = 11 if kind == "RMC" else 6
        mode = data[mode_index] if len(data) > mode_index else ""
        return mode == "N" or (status != "A" and status != "D" and mode != "E")
    if kind == "GGA":
        return data[5] == "0"
    if kind == "GNS":
        return bool(data[5]) and set(data[5]) == {"N"}
    return False


TIME_FIELD = {"RMC": 0, "GGA": 0, "GLL": 4, "GNS": 0, "ZDA": 0}
FEWEST_FIELDS = {"RMC": 9, "GGA": 10, "GLL": 6, "GNS": 10, "ZDA": 4}


def timed_sentences(log):
    """(offset, kind, fields, message) of every timed sentence whose checksum is right."""
    for match in SENTENCE.finditer(log):
        try:
            message = pynmea2.parse(match[0].decode("ascii"), check=True)
        except pynmea2.ParseError:
            continue
        kind = getattr(message, "sentence_type", None)
        if kind in TIME_FIELD and len(message.data) >= FEWEST_FIELDS[kind]:
            yield match.start(), kind, message.data, message


def epochs(log):
    """Every epoch of a log, in the order in which the receiver sent them."""
    found = []
    for offset, kind, data, message in timed_sentences(log):
        time = seconds_of_day(data[TIME_FIELD[kind]])
        if time is None:
            continue
        if not found or abs(time - found[-1].key) > SAME_TIME or (message.talker, kind) in found[-1].types:
            found.append(Epoch(key=time, start=offset))
        epoch = found[-1]
        epoch.types.add((message.talker, kind))
        epoch.void = epoch.void or is_void(kind, data)
        if kind == "RMC":
            epoch.date = calendar_date(data[8]) or epoch.date
        elif kind == "ZDA":
            epoch.date = calendar_date(data[1] + data[2] + data[3][-2:]) or epoch.date
        if kind != "ZDA" and (where := position(message)):
            epoch.positions.append(where)
    put_dates(found)
    return found


def put_dates(found):
    """Gives each epoch its UTC time: its own date, else the day that is nearest to the epoch before."""
    last = None
    for epoch in found:
        midnight = datetime.timedelta(seconds=epoch.key)
        if epoch.date:
            epoch.measured = datetime.datetime.combine(epoch.date, datetime.time()) + midnight
        elif last:
            same_day = datetime.datetime.combine(last.date(), datetime.time()) + midnight
            epoch.measured = min((same_day + DAY * shift for shift in (-1, 0, 1)), key=lambda one: abs(one - last))
        last = epoch.measured or last


def published(found):
    """The epochs to publish: those with a fix, where time goes on or a clock was set."""
    return believed([epoch for epoch in found if epoch.has_fix], lambda epoch: epoch.measured)


def believed(items, time):
    """The items whose time goes on, and those whose time went back if three go on from there: a clock was set."""
    last = None
    for number, item in enumerate(items):
        if last and time(item) and time(item) < last:
            times = [time(one) for one in items[number : number + 3] if time(one)]
            if len(times) < 3 or times != sorted(times) or times[2] >= last:
                continue
        last = time(item) or last
        yield item


def ubx_messages(log):
    """Every UBX frame of a log with a valid checksum: its bytes, and the message that pyubx2 decodes."""
    at = 0
    while (at := log.find(b"\xb5\x62", at)) >= 0:
        frame = log[at : at + 8 + int.from_bytes(log[at + 4 : at + 6], "little")]
        try:
            message = UBXReader.parse(frame, validate=1)
        except Exception:
            at += 1
            continue
        at += len(frame)
        yield frame, message


def ubx_solutions(log):
    """The NAV-PVT of a log that state a fix."""
    for _, message in ubx_messages(log):
        if message.identity == "NAV-PVT" and message.gnssFixOk and message.fixType and not message.invalidLlh:
            yield message
