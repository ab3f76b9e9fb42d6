"""The clock of a board that boots in the past: chronyd as Debian ships it sets it by the receiver's fixes."""

import pytest

import images
from machine import machine

pytestmark = pytest.mark.booted
SOCKET = "/run/chrony.handlebar.sock"
# What nmea_sender's epoch 0 was measured at: 2026-03-19T12:00:00Z.
EPOCH = 1_773_921_600
# One epoch a second on its own clock, whatever the system's shows.
FEEDER = """\
import os, time, tty
import gadget, nmea_sender

number = 0
begin = time.monotonic()
port = None
while True:
    time.sleep(max(0.0, begin + number - time.monotonic()))
    try:
        if port is None:
            port = os.open(gadget.END, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            tty.setraw(port)
        # A cold start: the first seconds have neither a fix nor a date.
        os.write(port, nmea_sender.epoch(number, valid=number >= 5))
    except OSError:
        port = None
    if number == 5:
        open("/run/first-date", "w").write(str(time.monotonic()))
    number += 1
"""
# The moment at which the clock is right, on the monotonic one.
WATCHER = f"""\
import time
while not {EPOCH} <= time.time() < {EPOCH} + 86400:
    time.sleep(0.05)
open("/run/clock-right", "w").write(str(time.monotonic()))
"""


def prepare(root):
    with open(root / "etc" / "handlebar" / "handlebard.toml", "a") as file:
        file.write(f'chrony-socket = "{SOCKET}"\n')
    (root / "opt" / "test" / "clock_feeder.py").write_text(FEEDER)
    (root / "opt" / "test" / "clock_watcher.py").write_text(WATCHER)
    # As the file itself describes it.
    images.inside(root, "install -m 644 /usr/share/handlebard/chrony.conf /etc/chrony/conf.d/handlebar.conf")


@pytest.fixture(scope="module")
def board():
    try:
        with machine(prepare, extra=("apparmor", "chrony")) as one:
            one.boot()
            yield one
    except images.Missing as missing:
        pytest.skip(str(missing))


def test_the_clock_is_right_within_five_seconds(board, figures):
    board.until("systemctl is-active chrony && systemctl is-active handlebard", "both daemons")
    assert board.run("cat /proc/$(systemctl show --property=MainPID --value chrony)/attr/current").strip() == "/usr/sbin/chronyd (enforce)"
    # The group of the daemon, and no one else, writes to the socket.
    assert board.run(f"stat -c '%G %a' {SOCKET}").split() == ["handlebar", "660"]
    board.run("date -s 2025-01-01T00:00:00Z")
    board.run("cd /opt/test && python3 gadget.py plug 1546 01a8")
    for name in ("watcher", "feeder"):
        board.run(f"systemd-run --unit=clock-{name} --setenv=PYTHONPATH=/opt/test python3 /opt/test/clock_{name}.py")
    board.until("test -s /run/clock-right", "the right time", timeout=90)
    first, right = (float(board.run(f"cat /run/{name}")) for name in ("first-date", "clock-right"))
    figures.append(f"system clock: right {right - first:.1f} s after the first valid date")
    assert right - first <= 5.0
    # The first samples are of the time before the step.
    near = "awk -F, '/GNSS/ && $7 ^ 2 < 1 { near = 1 } END { exit !near }'"
    board.until(f"chronyc -c sourcestats | {near}", "an offset below a second", timeout=10)
