"""Power is cut in the middle of a ride, again and again: what is older than five seconds is on the disk."""

import datetime
import json

import pytest

import images
from machine import machine

pytestmark = pytest.mark.booted
CUTS = 5
RIDES = "/var/lib/handlebar/rides"
# What the recorder promises, seconds.
PROMISE = 5.0


def prepare(root):
    with open(root / "etc" / "handlebar" / "handlebard.toml", "a") as file:
        file.write(f'record = "{RIDES}"\n')


def seconds(fix):
    return datetime.datetime.fromisoformat(fix["time"].replace("Z", "+00:00")).timestamp()


def published(text):
    """The fixes among the lines that a client wrote down until the power went."""
    fixes = []
    for line in text.splitlines():
        if line.startswith('{"class":"TPV"') and line.rstrip().endswith("}"):
            fix = json.loads(line)
            if fix.get("mode", 0) >= 2 and fix.get("reason") != "snapshot":
                fixes.append(seconds(fix))
    return fixes


def test_power_cuts(figures):
    try:
        with machine(prepare) as board:
            demanded, kept = set(), set()
            saved = []
            for number in range(CUTS + 1):
                board.boot()
                # The daemon is back by itself, and what it wrote before the cut can be read.
                board.until("systemctl is-active handlebard", "the daemon")
                listing = board.run(
                    f"for file in $(ls {RIDES}/*.nmea 2>/dev/null); do handlebarctl decode $file 2>/dev/null || [ $? = 65 ]; done", timeout=120
                )
                kept = set(published(listing))
                missing = demanded - kept
                assert not missing, f"after cut {number}: {len(missing)} fixes of {len(demanded)} are gone: {sorted(missing)[:5]}"
                board.run("systemctl start feeder && cd /opt/test && python3 gadget.py plug 1546 01a8")
                if number == CUTS:
                    # Whether a ride goes on is known once the receiver tells the time.
                    board.until("handlebarctl status >/dev/null", "a fix")
                    break
                board.run("systemd-run --quiet --unit=writer sh -c 'handlebarctl watch --json --filter 0 >/dev/virtio-ports/log'")
                board.until("handlebarctl status >/dev/null", "a fix")
                # Somewhere in the recorder's rhythm, each time elsewhere.
                board.run(f"sleep {9 + 1.3 * number}")
                board.cut()
                seen = published(board.log())
                cut = seen[-1]
                assert len(seen) > 30
                demanded |= {one for one in seen if one <= cut - PROMISE}
                saved.append((len(seen), cut))
            lost = [max(0.0, cut - max(one for one in kept if one <= cut)) for _, cut in saved]
            figures.append(
                f"{CUTS} power cuts: all of {len(demanded)} fixes older than {PROMISE:.0f} s were on the disk; "
                f"the last {', '.join(f'{one:.1f}' for one in lost)} s before each cut were not"
            )
            board.until(f"test $(ls {RIDES} | cut -c1-16 | sort -u | wc -l) = 1", "one ride, not several", timeout=30)
            rides = board.run(f"ls {RIDES}").split()
            assert len({ride(name) for name in rides}) == 1, f"one ride became several: {rides}"
    except images.Missing as missing:
        pytest.skip(str(missing))


def ride(name):
    """The ride that a file is a part of."""
    return name.split(".")[0].split("-")[0]
