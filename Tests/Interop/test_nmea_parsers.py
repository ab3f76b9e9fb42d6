"""Every value of every sentence, compared with two independent parsers, pynmea2 and pynmeagps.

Their errors are listed in nmea_differences.py. Malformed fields, which they cannot judge, are judged by the rules in
nmea_rules.py: the value is missing, and its name is among the problems.
"""

import json

import pytest

import nmea_compare
from handlebar_harness import BUNDLED, DEVICE_LOGS, DRIVES, LONG, ROOT
from nmea_differences import WRONG
from nmea_generator import Generator, contents, framed

MOST = 100_000 if LONG else 1500
GENERATED = 20_000 if LONG else 600
SEEDS = range(1, 5)


def agree(sentences):
    """Asserts that all differences are listed; returns the number of compared values."""
    found, compared = nmea_compare.differences(sentences)
    for difference in found:
        assert difference.is_of_an_unusual_form or any(wrong.covers(difference) for wrong in WRONG), str(difference)
    return compared


def sentences_of(path):
    """The sentences of a log, evenly sampled when there are many."""
    found = contents(path.read_bytes())
    return [framed(content) for content in found[:: len(found) // MOST + 1]]


@pytest.mark.logs
@pytest.mark.parametrize("path", [*DEVICE_LOGS, *DRIVES], ids=lambda path: path.stem)
def test_real_receivers(path):
    sentences = sentences_of(path)
    assert agree(sentences) > len(sentences)


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_bundled_rides(path):
    sentences = sentences_of(path)
    assert agree(sentences) > 4 * len(sentences)


def test_vectors():
    vectors = (ROOT / "Tests/LocationCoreTests/Vectors/nmea.jsonl").read_text(encoding="utf-8").splitlines()
    data = b"\n".join(bytes.fromhex(json.loads(line)["hex"]) for line in vectors)
    assert agree([framed(content) for content in contents(data) if len(content) < 250]) > 100


@pytest.mark.parametrize("seed", SEEDS)
def test_valid_sentences_of_every_type(seed):
    generator = Generator(seed)
    assert agree([framed(generator.sentence()) for _ in range(GENERATED)]) > 5 * GENERATED


@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_sentences_with_a_right_checksum(seed):
    generator = Generator(seed + 100)
    damaged = [generator.damaged(generator.sentence()) for _ in range(GENERATED)]
    assert agree([framed(content) for content in damaged if len(content) < 250]) > GENERATED


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_listed_differences_still_exist(wrong):
    """An entry without a difference must be removed."""
    found, _ = nmea_compare.differences([wrong.sentence])
    assert any(wrong.covers(difference) for difference in found)
