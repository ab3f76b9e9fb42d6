"""`handlebarctl decode --stats` against independent counts of sentences by address, epochs and the load of the line."""

import collections
import functools
import json
import operator
import re
import subprocess

import pytest

import epoch_oracle
from handlebar_harness import BIN, BUNDLED, DEVICE_LOGS, DRIVES, ROOT, TIMEOUT, named, received

REAL = [pytest.param(path, marks=pytest.mark.logs) for path in (*DEVICE_LOGS, *DRIVES)]
every_log = pytest.mark.parametrize("path", [*BUNDLED, *REAL], ids=lambda path: path.stem)
NUMBERED = {b"PUBX": (b"00", b"03", b"04"), b"PSTI": (b"030",), b"PTNL": (b"GGK",)}


def statistics(path, *options):
    tool = [BIN / "handlebarctl", "decode", "--stats", "--json", *options, path]
    lines = subprocess.run(tool, capture_output=True, check=True, timeout=3 * TIMEOUT).stdout.splitlines()
    assert len(lines) == 1
    return json.loads(lines[0])


def address(content):
    """The reported address of a sentence: numbered messages with their number, MediaTek's without; at most eight
    characters behind a talker."""
    head, *fields = content.split(b",")
    if fields and fields[0] in NUMBERED.get(head, ()):
        head += b"," + fields[0]
    elif re.fullmatch(rb"PMTK\d{3}", head):
        head = b"PMTK"
    return head.decode()[: 8 if head.startswith(b"P") else 10]


def by_hand(log):
    """Sentences with a right checksum by address."""
    counts = collections.Counter()
    for match in epoch_oracle.SENTENCE.finditer(log):
        total = 0
        for byte in match[1]:
            total ^= byte
        if total == int(match[2], 16):
            counts[address(match[1])] += 1
    return counts


@every_log
def test_counts(path):
    log = b"".join(line for line in path.read_bytes().splitlines(keepends=True) if not line.startswith(b"#"))
    stats = statistics(path)
    counted = by_hand(log)
    sentences = [one for one in stats["types"] if not one["type"].startswith("UBX-")]
    reported = {one.get("talker", "") + one["type"]: one["count"] for one in sentences}
    short = stats["rejected"].get("fieldCount", 0)
    assert sum(reported.values()) == sum(counted.values()) - short + stats["withoutChecksum"]
    if not short and not stats["withoutChecksum"]:
        assert reported == counted
    talkers = collections.Counter()
    for one in stats["types"]:
        if "talker" in one:
            talkers[one["talker"]] += one["count"]
    assert {one["talker"]: one["count"] for one in stats["talkers"]} == talkers
    assert stats["sentences"] == sum(reported.values())


@every_log
def test_epochs_and_order(path):
    log = b"".join(line for line in path.read_bytes().splitlines(keepends=True) if not line.startswith(b"#"))
    stats = statistics(path)
    keys = [epoch.key for epoch in epoch_oracle.epochs(log)]
    # Epochs without any time, and sentences before the first one, are epochs too.
    assert stats["epochs"] >= len({round(key, 2) for key in keys})
    ways = collections.Counter(round(later - earlier, 2) for earlier, later in zip(keys, keys[1:]) if later > earlier)
    if len(ways) == 1:
        assert stats["period"] == pytest.approx(next(iter(ways)), abs=0.01)
    names = {one.get("talker", "") + one["type"] for one in stats["types"]}
    assert set(stats["order"]) <= names
    assert 0 < stats["orderShare"] <= 1


def counts_of_ubx(path, log):
    stats = statistics(path, "--speed", "38400")
    messages = list(epoch_oracle.ubx_messages(log))
    reported = [one for one in stats["types"] if one["type"].startswith("UBX-")]
    # Of a decoded message the name, of the others class and id.
    counted = collections.Counter(
        f"UBX-{message.identity}" if any(one["type"] == f"UBX-{message.identity}" for one in reported) else f"UBX-{frame[2]:02X}-{frame[3]:02X}"
        for frame, message in messages
    )
    assert {one["type"]: one["count"] for one in reported} == counted
    assert stats["ubxMessages"] == len(messages)
    assert sum(one["bytes"] for one in reported) == sum(len(frame) for frame, _ in messages)
    return stats, messages


def test_messages_of_ubx(ubx_ride):
    log = received(ubx_ride.read_bytes())
    stats, messages = counts_of_ubx(ubx_ride, log)
    times = sorted({message.iTOW for _, message in messages})
    assert stats["epochs"] == len(times) and stats["period"] == 0.2 and stats["gaps"]["count"] == 0
    assert stats["order"] == ["UBX-NAV-PVT", "UBX-NAV-DOP"] and stats["orderShare"] > 0.75
    assert stats["line"]["mean"] == pytest.approx(10 * len(log) / stats["seconds"], rel=0.01)
    assert {one["system"] for one in stats["satellites"]} == {"GPS", "GLONASS"}
    assert list(stats["errors"]["horizontal"]) == ["ubx"]
    table = subprocess.run([BIN / "handlebarctl", "decode", "--stats", ubx_ride], capture_output=True, check=True, timeout=TIMEOUT)
    assert b"order          UBX-NAV-PVT UBX-NAV-DOP" in table.stdout
    assert b"UBX-02-13" not in table.stdout and b"not decoded" not in table.stdout


@pytest.mark.logs
@pytest.mark.parametrize("path", named("LOGS", "**/*ublo*.log"), ids=lambda path: path.stem)
def test_messages_of_real_ubx(path):
    counts_of_ubx(path, path.read_bytes())


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize("content", [
    b"\x7fELF\0\0$ L9\n$(L9\n$(\n\x01$0t\n", b"echo $HOME,$PATH\n$GPGGX,1\n", b"$GPRMC,1*00\n", b"", b"\xff" * 1000,
], ids=["program", "script", "checksum", "empty", "noise"])
def test_a_file_without_a_sentence_has_no_statistics(tmp_path, content, options):
    path = tmp_path / "file"
    path.write_bytes(content)
    done = subprocess.run(
        [BIN / "handlebarctl", "decode", "--stats", *options, path], capture_output=True, check=False, timeout=3 * TIMEOUT)
    assert (done.returncode, done.stdout) == (65, b"") and b"no valid NMEA sentence" in done.stderr
    # A receiver that never sends checksums has them.
    path.write_bytes(content + b"\n$GPRMC,120000,A,4800.0,N,01130.0,E,0,0,190326,,,A\n")
    assert statistics(path)["sentences"] >= 1


def test_line_load():
    """The same recording on lines of two speeds: the load is the share of bytes times ten bits."""
    path = ROOT / "recordings" / "city.nmea"
    slow, fast = (statistics(path, "--speed", speed)["line"] for speed in ("4800", "115200"))
    assert slow["mean"] == fast["mean"]
    assert slow["meanLoad"] == pytest.approx(slow["mean"] / 4800, abs=0.001)
    assert fast["fullestLoad"] == pytest.approx(fast["fullest"] / 115200, abs=0.001)


def test_times_of_centuries_have_a_sum(folder):
    """Each of many epochs is half a day, less a second, after the one before."""
    file = folder / "log.nmea"
    count, step = 215_000, 43_199
    with open(file, "wb") as log:
        for number in range(count):
            second = number * step % 86_400
            time = b"%02d%02d%02d" % (second // 3600, second // 60 % 60, second % 60)
            body = b"GPRMC,%s,A,4800.000,N,01130.000,E,10.0,45.0,190326,,,A" % time
            log.write(b"$%s*%02X\r\n" % (body, functools.reduce(operator.xor, body)))
    found = statistics(file)
    assert found["epochs"] == count and found["period"] == step
    assert found["seconds"] == count * step
