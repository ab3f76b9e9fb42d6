"""A receiver's database through power cuts: kept by the daemon on the disk, sent back at the next start."""

import json

import pytest

import images
from machine import machine

pytestmark = pytest.mark.booted
SOURCE = 'sources = [{ uri = "serial:/dev/gps0", receiver = { rate = 5 } }]'
DATABASE = "/var/lib/handlebar/navigation-0102030405"


def prepare(root):
    with open(root / "etc" / "handlebar" / "handlebard.toml", "a") as file:
        file.write(SOURCE + "\n")


def start(board):
    """Switches on the board and its receiver; returns what is reported of the first fix."""
    board.boot()
    board.run("cd /opt/test && python3 gadget.py plug 1546 01a8")
    board.run("systemd-run --quiet --unit=receiver python3 /opt/test/emulated.py")
    # The set-up follows the quick start, whatever comes first.
    board.until("handlebarctl receiver show --json | grep -q '\"state\":\"done\"'", "the set-up")
    board.until("handlebarctl status --json | grep -q firstFix", "the first fix", timeout=120 * images.SLOWNESS)
    return json.loads(board.run("handlebarctl status --json"))["firstFix"]


def restart(board):
    """Restarts the daemon, which keeps the database when it stops; the receiver goes on."""
    board.run("systemctl restart handlebard")
    assert not board.run("journalctl --unit=handlebard | grep -i 'timed out' || true"), "it was killed"
    board.until(f"test -s {DATABASE}", "the database")


def test_quick_start_through_power_cuts(figures):
    try:
        with machine(prepare) as board:
            cold = start(board)
            assert cold["start"] == "cold" and "aids" not in cold
            restart(board)
            kept = board.run(f"cat {DATABASE}")
            assert board.run(f"stat -c '%a %U' {DATABASE}").split() == ["640", "handlebar"]
            board.cut()
            aided = start(board)
            assert aided["start"] == "aided" and "database" in aided["aids"].split(",")
            assert aided["duration"] < cold["duration"]
            assert board.run(f"cat {DATABASE}") == kept
            # Without a stop, the older one stays.
            board.cut()
            again = start(board)
            assert again["start"] == "aided" and board.run(f"cat {DATABASE}") == kept
            figures.append(
                f"emulated receiver, first fix after a power cut: {cold['duration']:.1f} s cold, "
                f"{aided['duration']:.1f} s and {again['duration']:.1f} s with its database"
            )
    except images.Missing as missing:
        pytest.skip(str(missing))
