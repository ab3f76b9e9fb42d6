"""Compares the output of `handlebarctl decode --sentences` with other parsers, value by value."""

import json
import math
import subprocess
from dataclasses import dataclass

import nmea_peers
import nmea_rules
from handlebar_harness import BIN

# Half a unit of the last place that is printed, and what binary fractions add.
LAST_PLACE = {
    9: ("lat", "lon", "latOffset", "lonOffset", "probability"),
    3: ("speed", "velD", "hdop", "pdop", "vdop", "tdop", "dop", "tow", "clockBias", "clockDrift", "granularity", "dgpsAge",
        "el", "az", "ss", "altHAE", "eph", "epv"),
}  # fmt: skip
TOLERANCE = {key: 0.501 * 10.0**-places for places, keys in LAST_PLACE.items() for key in keys}
POSITION = 2e-9  # pynmeagps rounds degrees to ten places, pynmea2 adds degrees and minutes in binary


@dataclass
class Difference:
    """A value that differs in another parser, or a sentence that it refuses."""

    peer: str
    kind: str
    key: str  # "refuses" when it takes the sentence for none
    fields: list  # texts behind the address
    fault: str | None  # what is wrong with the value's fields, by the rules
    ours: object
    theirs: object
    sentence: str

    @property
    def is_of_an_unusual_form(self):
        """Whether the peer lacks what is in an unusual form, and is right for us."""
        texts = self.fields if self.key == "refuses" else nmea_rules.texts_of(self.kind, rule(self.kind, self.key), self.fields)
        return (self.key == "refuses" or not self.fault) and any(map(nmea_rules.is_unusual, texts))

    def __str__(self):
        return f"{self.peer} {self.kind} {self.key}: {self.theirs!r}, ours {self.ours!r} ({self.fault}) in {self.sentence}"


def decode(sentences):
    """Our object for each sentence."""
    text = "".join(sentence + "\r\n" for sentence in sentences).encode("ascii")
    tool = [BIN / "handlebarctl", "decode", "--sentences", "-"]
    lines = subprocess.run(tool, input=text, capture_output=True, check=True, timeout=120).stdout.splitlines()
    assert len(lines) == len(sentences), "not one object for each sentence"
    return [json.loads(line) for line in lines]


def alike(key, ours, theirs):
    """Whether two values are equal; peers keep blanks and small letters."""
    if isinstance(theirs, str):
        return (ours or "") in (theirs, theirs.strip(" "), theirs.strip(" ").upper())
    if ours is None or theirs is None:
        return ours is theirs
    if isinstance(theirs, float):
        if not isinstance(ours, (int, float)) or not math.isfinite(theirs):
            return False
        tolerance = POSITION if key in ("lat", "lon") else TOLERANCE.get(key, 0.501e-4)
        return abs(ours - theirs) <= max(tolerance, 1e-9 * abs(theirs))
    if isinstance(theirs, list) and theirs and isinstance(theirs[0], dict):
        return len(ours) == len(theirs) and all(
            one.keys() == other.keys() and all(alike(name, one[name], other[name]) for name in one)
            for one, other in zip(ours, theirs)
        )
    return ours == theirs


def differences(sentences):
    """Every difference, and how many values were compared. Asserts what holds for ours without any peer: a value whose
    fields are at fault is missing and named."""
    found, compared = [], 0
    for sentence, ours in zip(sentences, decode(sentences)):
        kind = ours.get("type")
        if kind not in nmea_rules.RULES or "fields" in ours:
            continue
        fields = sentence[1:-3].split(",")[1:]
        check_faults(kind, fields, ours, sentence)
        for peer, read in nmea_peers.READERS.items():
            try:
                theirs = read(sentence, kind)
            except nmea_peers.Refused as refusal:
                wrong = ", ".join(sorted(nmea_rules.faults(kind, fields))) or None
                found.append(Difference(peer, kind, "refuses", fields, wrong, None, str(refusal), sentence))
                continue
            for key, value in (theirs or {}).items():
                compared += 1
                if not alike(key, ours.get(key), value):
                    wrong = nmea_rules.fault(kind, rule(kind, key), fields)
                    found.append(Difference(peer, kind, key, fields, wrong, ours.get(key), value, sentence))
    return found, compared


def rule(kind, key):
    """The rule that judges a value."""
    return "place" if key in ("lat", "lon") and "place" in nmea_rules.RULES[kind] else key


def check_faults(kind, fields, ours, sentence):
    """By the rules, what is malformed is missing and named, and nothing else is named."""
    named = set(ours.get("problems", []))
    for key in nmea_rules.RULES[kind]:
        names = {"lat", "lon"} if key == "place" else {key}
        wrong = nmea_rules.fault(kind, key, fields)
        if wrong and wrong != nmea_rules.COUNT:
            assert named & names, f"{wrong} {key} is not named in {sentence}: {ours}"
            if key not in ("satellites", "residuals", "speed"):
                assert not any(name in ours for name in names), f"{wrong} {key} has a value in {sentence}: {ours}"
        elif not wrong:
            assert not named & names, f"{key} is named and is right in {sentence}: {ours}"
