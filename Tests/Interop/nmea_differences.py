"""The errors of other NMEA parsers, each with its reason and a sentence that shows it.

An entry covers a difference when peer, type and value are its own, the fields' fault is one of its faults (None: the fields
are right), and `when`, if given, is true. An entry whose sentence shows no difference must be removed.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from nmea_generator import framed
from nmea_rules import COUNT, HEMISPHERE, LETTER, MALFORMED, RANGE, UNIT

ANY = None


@dataclass
class Wrong:
    peer: str
    why: str
    shown: str  # content of a sentence
    kinds: tuple | None = ANY
    keys: tuple | None = ANY
    faults: tuple = (None,)
    when: Callable = lambda difference: True

    def covers(self, difference):
        is_meant = difference.key == "refuses" if self.keys == ("refuses",) else difference.key != "refuses"
        faults = (difference.fault or "").split(", ") if difference.key == "refuses" else [difference.fault or ""]
        return (
            difference.peer == self.peer
            and is_meant
            and (self.kinds is ANY or difference.kind in self.kinds)
            and (self.keys is ANY or difference.key in self.keys)
            and any((fault or "") in faults for fault in self.faults)
            and self.when(difference)
        )

    @property
    def sentence(self):
        return framed(self.shown)

    def __str__(self):
        return f"{self.peer}: {self.why}"


def two_digit_year(difference):
    place = {"RMC": 8, "PUBX,04": 2}[difference.kind]
    return 69 <= int(difference.fields[place][4:6]) <= 79


def has_leap_second(difference):
    return difference.ours is None or str(difference.ours).startswith("23:59:60")


def has_nanoseconds(difference):
    return any(re.fullmatch(r"\d{6}\.\d{7,}", field) for field in difference.fields)


def miscounts(difference):
    return difference.fields[1] != str((len(difference.fields) - 2) // 6)


BOTH = ("pynmea2", "pynmeagps")

WRONG = [
    # What is right and read otherwise.
    *(
        Wrong(peer, "two-digit years from 69 on are of the last century; GPS began in 1980, so 69 to 79 are to come",
              "GNRMC,123519,A,4807.038,N,01131.000,E,22.4,84.4,190375,,", ("RMC", "PUBX,04"), ("date",), when=two_digit_year)
        for peer in BOTH
    ),
    *(
        Wrong(peer, "23:59:60 is a leap second; its clock has none, so there is no time",
              "GPZDA,235960,31,12,2026,00,00", keys=("time",), when=has_leap_second)
        for peer in BOTH
    ),
    Wrong("pynmea2", "the signal id at the end, since NMEA 4.1, is the number of one more satellite",
          "GPGSV,1,1,01,08,56,248,28,1", ("GSV",), ("satellites",), when=lambda d: len(d.fields) % 4 == 0),
    Wrong("pynmeagps", "a time with more than six decimals is none",
          "GPZDA,123519.123456789,19,03,2026,00,00", keys=("time",), when=lambda d: d.theirs is None and has_nanoseconds(d)),
    Wrong("pynmeagps", "whole minutes without a dot are no coordinate",
          "GPGLL,4807,N,01131.0,E,123519,A", keys=("lat", "lon"), when=lambda d: d.theirs is None),
    Wrong("pynmeagps", "reads as many satellites as the count field holds, not as many as follow",
          "PUBX,03,1,21,-,92,28,,055,15,-,21,,,064", ("PUBX,03",), ("satellites",), when=miscounts),
    # What is malformed and believed.
    *(
        Wrong(peer, "signs, blanks, exponents, nan and inf pass for numbers, as Python reads them",
              shown, faults=(MALFORMED,))
        for peer, shown in zip(BOTH, ("GPGST,123519,1e3,,,,1.0,1.0,1.0", "GPVTG,nan,T,,M,1.0,N,2.0,K,A"))
    ),
    *(
        Wrong(peer, "no value is checked against the range that it can have: latitudes of 90° and 60', courses of 400°",
              "GPRMC,123519,A,4860.0,N,01131.000,E,22.4,400.1,190326,,", faults=(RANGE,))
        for peer in BOTH
    ),
    *(
        Wrong(peer, "a number without its hemisphere is one of the north, the east, or 0, which puts a rider on the equator",
              "GPGGA,123519,4807.038,,01131.000,E,1,08,0.9,545.4,M,46.9,M,,", faults=(HEMISPHERE,))
        for peer in BOTH
    ),
    *(
        Wrong(peer, "units are passed by: a height in feet is one in metres",
              "PGRME,17.6,f,1.2,M,3.4,M", faults=(UNIT,))
        for peer in BOTH
    ),
    *(
        Wrong(peer, "letters and digits that mean nothing are handed on as status, mode or quality",
              "GPRMC,123519,9,4807.038,N,01131.000,E,22.4,84.4,190326,,", faults=(LETTER,))
        for peer in BOTH
    ),
    Wrong("pynmea2", "groups of satellites that are cut short are read as far as they go",
          "GPGSV,1,1,02,08,56,248,28,09,12", ("GSV",), faults=(COUNT,)),
    Wrong("pynmeagps", "groups of satellites that are cut short are read as far as they go",
          "GPGSV,1,1,04,81,29,011,12,72,,,310,38,1", ("GSV", "PUBX,03"), faults=(COUNT,)),
    # What costs a whole sentence.
    Wrong("pynmea2", "degrees and whole minutes without a dot, or without a leading zero, are an exception",
          "GPGLL,4807,N,01131,E,123519,A", keys=("refuses",), when=lambda d: "is not valid DDDMM" in d.theirs),
    Wrong("pynmea2", "one malformed coordinate is an exception when it is asked for",
          "GPGLL,4807.038x,N,01131.000,E,123519,A", keys=("refuses",), faults=(MALFORMED, RANGE, HEMISPHERE)),
    Wrong("pynmeagps", "one malformed field costs the whole sentence",
          "GPRMC,123519,A,4807.038,N,01131.000,E,x,84.4,190326,,", keys=("refuses",),
          faults=(MALFORMED, RANGE, HEMISPHERE, LETTER, UNIT, COUNT)),
    Wrong("pynmeagps", "satellites' levels and angles with decimals, as SkyTraq sends them, cost the whole sentence",
          "GPGSV,1,1,01,08,56,248,28.5", ("GSV", "PUBX,03"), ("refuses",), when=lambda d: any("." in text for text in d.fields)),
    Wrong("pynmeagps", "a granularity of the time pulse that is no whole number costs the whole sentence",
          "PUBX,04,123519,190326,390919.00,2410,18,1930035,-2660.664,43.5", ("PUBX,04",), ("refuses",)),
    Wrong("pynmeagps", "satellites without a count in front of them cost the whole sentence",
          "PUBX,03,,18,-,351,7,50,022", ("PUBX,03",), ("refuses",), when=lambda d: not d.fields[1]),
    Wrong("pynmeagps", "a reserved field that is no number costs the whole sentence",
          "PUBX,00,123519,4807.038,N,01131.000,E,545.4,G3,2.1,2.0,3.6,77.5,0,,0.9,1.1,0.7,9,x,0", ("PUBX,00",), ("refuses",)),
]  # fmt: skip
