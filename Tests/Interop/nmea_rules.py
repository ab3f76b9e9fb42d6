"""The legal content of each field of a sentence, decided from its text alone: an oracle beside all parsers.

`fault(kind, key, texts)` returns what is wrong with the fields of a value of `decode --sentences`, or None. Blanks around a value,
a plus before a number that may be negative, zero decimals of a whole number, zeros before a digit that stands for a word, and
small letters leave no doubt.
"""

import datetime
import re

NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)")
ANGLE = re.compile(r"(\d{1,5})(\.\d*)?")
NO_DATE = datetime.date(1980, 1, 6)  # the date of receivers without one
FASTEST = 1000  # m/s; no receiver of this kind moves faster

MALFORMED = "malformed"
RANGE = "out of range"
UNIT = "another unit"
LETTER = "an unknown letter"
HEMISPHERE = "no hemisphere"
COUNT = "a number of fields that no version has"


def decimal(lowest=0.0, highest=1e15, factor=1.0):
    """A number in a range; a minus is legal when the range has negative numbers."""

    def judge(text, *units):
        text = text.strip(" ")
        if not text:
            return None
        digits = text[1:] if lowest < 0 and text[0] in "+-" else text
        if not NUMBER.fullmatch(digits):
            return MALFORMED
        return None if lowest <= float(text) * factor <= highest else RANGE

    return judge


def whole(lowest=0, highest=1_000_000_000):
    """Digits in a range."""

    def judge(text, *_):
        text = text.strip(" ")
        if not text:
            return None
        if not re.fullmatch(r"\d+(\.0*)?", text):
            return MALFORMED
        text = text.split(".")[0]
        return None if lowest <= int(text) <= highest else RANGE

    return judge


def letters(legal):
    """One of the characters."""
    words = {"", *legal}
    return lambda text, *_: None if text.strip(" ") in words or plain(text) in words else LETTER


def plain(text):
    """A letter or a digit that stands for a word."""
    text = text.strip(" ").upper()
    return text.lstrip("0") or "0" if text.isdigit() else text


def is_unusual(text):
    """Whether a text has one of these forms, which other parsers refuse."""
    return text != text.strip(" ") or bool(re.fullmatch(r"\+.*|\d+\.0*|[a-z]|0+\d", text))


def with_unit(judge, unit):
    """A value and its unit, which may be missing."""
    return lambda text, letter="", *_: judge(text) or (None if letter == unit or plain(letter) in ("", unit) else UNIT)


def time(text, *_):
    text = text.strip(" ")
    if not text:
        return None
    if not re.fullmatch(r"\d{6}(\.\d*)?", text):
        return MALFORMED
    hour, minute, second = int(text[:2]), int(text[2:4]), int(text[4:6])
    legal = hour < 24 and minute < 60 and (second < 60 or (hour, minute, second) == (23, 59, 60))
    return None if legal else RANGE


def date(text, *_):
    """`ddmmyy`."""
    text = text.strip(" ")
    if not text:
        return None
    if not re.fullmatch(r"\d{6}", text):
        return MALFORMED
    year = int(text[4:]) + (1900 if int(text[4:]) >= 80 else 2000)
    try:
        day = datetime.date(year, int(text[2:4]), int(text[:2]))
    except ValueError:
        return RANGE
    return RANGE if day == NO_DATE else None


def calendar(day, month, year):
    """Day, month and four-digit year in fields of their own."""
    if wrong := whole(0, 31)(day) or whole(0, 12)(month):
        return wrong
    year = year.strip(" ")
    if not year:
        return None
    if not re.fullmatch(r"\d{4}", year):
        return MALFORMED
    return date_of(day, month, year) if day and month else None


def date_of(day, month, year):
    try:
        found = datetime.date(int(year), int(month), int(day))
    except ValueError:
        return RANGE
    return RANGE if found == NO_DATE else None


def zone(hours, minutes):
    """Hours east of UTC, with or without a sign, and minutes."""
    if wrong := whole(0, 59)(minutes):
        return wrong
    if not re.fullmatch(r"\d*", minutes) or not re.fullmatch(r"[+-]?\d*", hours):
        return MALFORMED
    digits = hours[1:] if hours[:1] in ("+", "-") else hours
    if not hours:
        return None
    return (whole(0, 14)(digits) or None) if digits else MALFORMED


def place(*texts):
    """Latitude, hemisphere, longitude, hemisphere."""
    for text, hemisphere, legal, limit in ((*texts[:2], "NS", 90), (*texts[2:4], "EW", 180)):
        text, hemisphere = text.strip(" "), plain(hemisphere)
        if not text:
            continue
        match = ANGLE.fullmatch(text)
        if not match:
            return MALFORMED
        degrees, minutes = divmod(int(match[1]), 100)
        if minutes >= 60 or degrees + (minutes + float("0" + (match[2] or ".0"))) / 60 > limit:
            return RANGE
        if len(hemisphere) != 1 or hemisphere not in legal:
            return HEMISPHERE
    return None


def variation(text, direction="", *_):
    if not text:
        return None
    return decimal(0, 180)(text) or (None if plain(direction) in ("E", "W") else HEMISPHERE)


def offset(legal):
    def judge(text, direction="", *_):
        if not text:
            return None
        return decimal(-10800, 10800)(text) or (None if len(plain(direction)) == 1 and plain(direction) in legal else HEMISPHERE)

    return judge


def vtg_speed(knots, knots_unit, metric, metric_unit):
    return with_unit(decimal(0, FASTEST, 1852 / 3600), "N")(knots, knots_unit) or with_unit(
        decimal(0, FASTEST, 1 / 3.6), "K"
    )(metric, metric_unit)


def groups(judges, skip):
    """Satellites, as many fields each as there are judges."""

    def judge(*texts):
        rest = texts[skip:]
        for index, text in enumerate(rest[: len(rest) // len(judges) * len(judges)]):
            if wrong := judges[index % len(judges)](text):
                return wrong
        return None

    return judge


def gsv_satellites(*texts):
    rest = len(texts) - 3
    if rest < 0 or rest % 4 > 1 or rest > 17:
        return COUNT
    return groups((whole(0, 999), decimal(-90, 90), decimal(0, 360), decimal(0, 99)), 3)(*texts)


def pubx_satellites(*texts):
    if (len(texts) - 2) % 6:
        return COUNT
    judges = (whole(0, 999), letters("-Ue"), decimal(0, 360), decimal(-90, 90), decimal(0, 99), whole(0, 255))
    return groups(judges, 2)(*texts)


def modes(text, *_):
    return None if re.fullmatch(" *([A-Za-z]{0,5}|[A-Za-z]{6}.*) *", text) else MALFORMED


def pubx_status(text, *_):
    return None if text in ("", "NF", "DR", "G2", "G3", "D2", "D3", "RK", "TT") else LETTER


def anything(*_):
    return None


STORED = 2e6  # m, s; beyond, no thousandths are kept
COURSE, LENGTH, HEIGHT, DOP, COUNTED = decimal(0, 360), decimal(), decimal(-1e15), decimal(), whole(0, 255)
KNOTS, METRIC = decimal(0, FASTEST, 1852 / 3600), decimal(0, FASTEST, 1 / 3.6)
STATUS, MODE, NAVSTATUS = letters("AVD"), letters("NADEFRPMS"), letters("SCUV")
SYSTEM = lambda text, *_: None if re.fullmatch(" *([0-9A-Fa-f]{1,2})? *", text) else MALFORMED
ALL = slice(None)

# By type: the fields of each value, counted after the address, and their legal content.
RULES = {
    "RMC": {
        "time": ([0], time), "status": ([1], STATUS), "place": ([2, 3, 4, 5], place), "speed": ([6], KNOTS),
        "track": ([7], COURSE), "date": ([8], date), "magvar": ([9, 10], variation), "mode": ([11], MODE),
        "navStatus": ([12], NAVSTATUS),
    },
    "GGA": {
        "time": ([0], time), "place": ([1, 2, 3, 4], place), "quality": ([5], letters("0123456789")),
        "nSat": ([6], COUNTED), "hdop": ([7], DOP), "altMSL": ([8, 9], with_unit(HEIGHT, "M")),
        "geoidSep": ([10, 11], with_unit(HEIGHT, "M")), "dgpsAge": ([12], LENGTH), "dgpsSta": ([13], whole()),
    },
    "GLL": {"place": ([0, 1, 2, 3], place), "time": ([4], time), "status": ([5], STATUS), "mode": ([6], MODE)},
    "GNS": {
        "time": ([0], time), "place": ([1, 2, 3, 4], place), "modes": ([5], modes), "nSat": ([6], COUNTED),
        "hdop": ([7], DOP), "altMSL": ([8], HEIGHT), "geoidSep": ([9], HEIGHT), "dgpsAge": ([10], LENGTH),
        "dgpsSta": ([11], whole()), "navStatus": ([12], NAVSTATUS),
    },
    "VTG": {
        "track": ([0, 1], with_unit(COURSE, "T")), "magtrack": ([2, 3], with_unit(COURSE, "M")),
        "speed": ([4, 5, 6, 7], vtg_speed), "mode": ([8], MODE),
    },
    "ZDA": {"time": ([0], time), "date": ([1, 2, 3], calendar), "zone": ([4, 5], zone)},
    "GST": {
        "time": ([0], time), "rms": ([1], LENGTH), "major": ([2], LENGTH), "minor": ([3], LENGTH),
        "orient": ([4], COURSE), "lat": ([5], LENGTH), "lon": ([6], LENGTH), "alt": ([7], LENGTH),
    },
    "GSA": {
        "selection": ([0], letters("MA")), "mode": ([1], letters("123")),
        "satellites": (list(range(2, 14)), groups((whole(0, 999),), 0)), "pdop": ([14], DOP), "hdop": ([15], DOP),
        "vdop": ([16], DOP), "system": ([17], SYSTEM),
    },
    "GSV": {
        "parts": ([0], whole(1, 255)), "part": ([1, 0], lambda part, parts: gsv_part(part, parts)),
        "nSat": ([2], COUNTED), "satellites": (ALL, gsv_satellites), "signal": (ALL, lambda *texts: gsv_signal(texts)),
    },
    "GBS": {
        "time": ([0], time), "epy": ([1], LENGTH), "epx": ([2], LENGTH), "epv": ([3], LENGTH),
        "failed": ([4], whole(0, 999)), "probability": ([5], LENGTH), "bias": ([6], HEIGHT), "deviation": ([7], LENGTH),
        "system": ([8], SYSTEM), "signal": ([9], SYSTEM),
    },
    "GRS": {
        "time": ([0], time), "mode": ([1], whole(0, 1)), "residuals": (list(range(2, 14)), groups((decimal(-STORED, STORED),), 0)),
        "system": ([14], SYSTEM), "signal": ([15], SYSTEM),
    },
    "DTM": {
        "datum": ([0], anything), "subdivision": ([1], anything), "latOffset": ([2, 3], offset("NS")),
        "lonOffset": ([4, 5], offset("EW")), "altOffset": ([6], HEIGHT), "reference": ([7], anything),
    },
    "TXT": {"parts": ([0], whole(0, 99)), "part": ([1], whole(0, 99)), "id": ([2], whole(0, 99))},
    "HDT": {"heading": ([0, 1], with_unit(COURSE, "T"))},
    "THS": {"heading": ([0], COURSE), "mode": ([1], letters("AEMSV"))},
    "PUBX,00": {
        "time": ([1], time), "place": ([2, 3, 4, 5], place), "altHAE": ([6], decimal(-STORED, STORED)),
        "status": ([7], pubx_status), "eph": ([8], decimal(0, STORED)), "epv": ([9], decimal(0, STORED)),
        "speed": ([10], METRIC), "track": ([11], COURSE),
        "velD": ([12], decimal(-FASTEST, FASTEST)), "dgpsAge": ([13], decimal(0, STORED)), "hdop": ([14], DOP), "vdop": ([15], DOP),
        "tdop": ([16], DOP), "nSat": ([17], COUNTED), "deadReckoning": ([19], whole(0, 1)),
    },
    "PUBX,03": {"nSat": ([1], COUNTED), "satellites": (ALL, pubx_satellites)},
    "PUBX,04": {
        "time": ([1], time), "date": ([2], date), "tow": ([3], decimal(0, 604800)), "week": ([4], whole(0, 99999)),
        "leapseconds": ([5], lambda text, *_: whole(0, 255)(text.removesuffix("D")) or (MALFORMED if text == "D" else None)),
        "clockBias": ([6], HEIGHT), "clockDrift": ([7], HEIGHT), "granularity": ([8], HEIGHT),
    },
    "PGRME": {
        "eph": ([0, 1], with_unit(LENGTH, "M")), "epv": ([2, 3], with_unit(LENGTH, "M")),
        "sep": ([4, 5], with_unit(LENGTH, "M")),
    },
    "PGRMZ": {"altMSL": ([0, 1], with_unit(HEIGHT, "f")), "source": ([2], letters("123"))},
    "PTNL,GGK": {
        "time": ([1], time), "place": ([3, 4, 5, 6], place), "quality": ([7], whole(0, 99)), "nSat": ([8], COUNTED),
        "dop": ([9], DOP),
    },
}


def gsv_part(part, parts):
    total = int(parts) if not whole(1, 255)(parts) and parts else 255
    return whole(1, total)(part)


def gsv_signal(texts):
    rest = len(texts) - 3
    if rest < 0 or rest % 4 > 1 or rest > 17:
        return COUNT
    return SYSTEM(texts[-1]) if rest % 4 == 1 else None


def texts_of(kind, key, fields):
    """The texts of the fields of a value; empty where the sentence has none."""
    places = RULES[kind][key][0]
    if places is ALL:
        return fields
    return [fields[place] if place < len(fields) else "" for place in places]


def fault(kind, key, fields):
    """The fault of the fields of a value, or None."""
    return RULES[kind][key][1](*texts_of(kind, key, fields))


def faults(kind, fields):
    """The faults of all values of a sentence."""
    return {wrong for key in RULES[kind] if (wrong := fault(kind, key, fields))}
