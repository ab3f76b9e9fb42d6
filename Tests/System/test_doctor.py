"""`handlebarctl doctor` on a booted board: whatever is wrong is named, and the command that it names ends it."""

import contextlib
import functools
import json

import pytest

import images
import nmea_sender
from receiver import PERIOD, Receiver
from userland import Userland

pytestmark = pytest.mark.booted
DIALOUT = 20
SOCKET = "/run/handlebar/location.sock"
RIDES = "/var/lib/handlebar/rides"


@pytest.fixture(scope="module")
def board():
    with contextlib.ExitStack() as stack:
        try:
            root = stack.enter_context(images.root())
            (root / "package.deb").write_bytes(images.package().read_bytes())
            images.inside(root, "dpkg -i /package.deb && rm /package.deb && useradd --create-home stranger")
            # The one who types is root here already.
            (root / "usr" / "local" / "bin" / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
            (root / "usr" / "local" / "bin" / "sudo").chmod(0o755)
            (root / "etc" / "handlebar" / "handlebard.toml").write_text(f'record = "{RIDES}"\n')
            receiver = stack.enter_context(Receiver(DIALOUT))
            board = stack.enter_context(Userland(root, binds=[(receiver.path, "/dev/ttyGPS0")]))
        except images.Missing as missing:
            pytest.skip(str(missing))
        board.receiver = receiver
        board.run("ln -s ttyGPS0 /dev/gps0")
        board.until(lambda: board.run("handlebarctl status", check=False).returncode == 0, "a fix")
        yield board


def wrong(board, check, user=None):
    """What is wrong with one of the things that are looked at: (message, remedy) of each finding."""
    done = board.run("handlebarctl doctor --json", check=False, user=user)
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    assert findings and done.returncode == int(any(one["state"] == "wrong" for one in findings)), done.stdout + done.stderr
    return [(one["message"], one["remedy"]) for one in findings if one["check"] == check and one["state"] == "wrong"]


def is_cured(board, check, message, command, user=None, run=True, also=None):
    """The finding comes, names the command, and goes when that was run."""

    def found():
        return [remedy for said, remedy in wrong(board, check, user) if message in said]

    def named():
        remedies = found()
        return any(command in one for one in remedies) and remedies

    # What was plugged in just now is not named before its links had their time.
    remedies = board.until(named, f"the finding that says {message!r} and {command!r}")
    assert len(remedies) == 1, remedies
    if run:
        board.run(command)
    if also:
        also()
    board.until(lambda: not found(), f"the end of the finding that says {message!r}")


def test_nothing_is_wrong_with_a_fix(board):
    # The receiver of this test tells a time of its own.
    checks = ("configuration", "socket", "receiver", "group", "holder", "speed", "interference", "source", "sky", "disk")
    for check in checks:
        assert not wrong(board, check), check


def test_no_receiver(board):
    board.run("rm /dev/gps0 && systemctl restart handlebard")
    try:
        is_cured(
            board, "receiver", "/dev/gps0 does not exist", "set the source to serial:/dev/ttyGPS0", run=False,
            also=lambda: board.run("ln -s ttyGPS0 /dev/gps0"),
        )
    finally:
        board.run("ln -sf ttyGPS0 /dev/gps0")


def test_wrong_group(board):
    board.run("chgrp tape /dev/ttyGPS0 && systemctl restart handlebard")
    try:
        is_cured(
            board, "group", "/dev/gps0", "sudo usermod -aG tape handlebar", also=lambda: board.run("systemctl restart handlebard"),
        )
    finally:
        board.run("chgrp dialout /dev/ttyGPS0; gpasswd --delete handlebar tape; systemctl restart handlebard", check=False)


HOLDERS = {
    "gpsd": ("gpsd.service gpsd.socket", "sudo systemctl disable --now gpsd.socket gpsd.service"),
    "ModemManager": ("ModemManager.service", "sudo systemctl disable --now ModemManager"),
    "brltty": ("brltty.service brltty-udev.service", "sudo systemctl mask --now brltty-udev brltty"),
    "agetty": ("serial-getty@ttyGPS0.service", "sudo systemctl mask --now serial-getty@ttyGPS0.service"),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_held(board, name):
    """By a service that is known to do so."""
    units, command = HOLDERS[name]
    unit, *others = units.split()
    folder = "/usr/lib/systemd/system"
    program = f"/opt/holder/{name}"
    board.run(f"mkdir -p /opt/holder && cp /usr/bin/sleep {program}")
    service = f"[Service]\nExecStart={program} 10000\nStandardInput=file:/dev/ttyGPS0\n[Install]\nWantedBy=multi-user.target\n"
    (board.root / folder.lstrip("/") / unit).write_text(service)
    for other in others:
        text = "[Socket]\nListenStream=/run/other.sock\n" if other.endswith(".socket") else "[Service]\nExecStart=true\n"
        (board.root / folder.lstrip("/") / other).write_text(text)
    board.run("systemctl daemon-reload && systemctl stop handlebard.service")
    try:
        board.run(f"systemctl enable --now {unit} && systemctl start handlebard")
        pid = board.show(unit, "MainPID")
        is_cured(board, "holder", f"{name} (pid {pid})", command)
        assert board.run(f"systemctl is-enabled {unit}", check=False).stdout.strip() in ("disabled", "masked")
    finally:
        board.run(f"systemctl stop {units}; systemctl unmask {units}; cd {folder} && rm {units}; systemctl daemon-reload", check=False)
    board.until(lambda: board.run("handlebarctl status", check=False).returncode == 0, "a fix")


def test_held_by_any_other_program(board):
    pid = board.run("mkdir -p /opt/holder && cp /usr/bin/sleep /opt/holder/minicom; /opt/holder/minicom 10000 </dev/ttyGPS0 >/dev/null 2>&1 & echo $!").stdout.strip()
    is_cured(board, "holder", f"minicom (pid {pid})", f"sudo kill {pid}")


def test_wrong_speed(board):
    """At the wrong speed bytes come, and no sentence."""
    board.receiver.says = lambda number: bytes([0x80 | number % 100]) * 200
    board.run("systemctl restart handlebard")

    def right():
        board.receiver.says = functools.partial(nmea_sender.epoch, period=PERIOD)

    try:
        is_cured(board, "speed", "/dev/gps0", "show what it sends: sudo timeout 3 cat -v /dev/gps0", run=False, also=right)
    finally:
        right()


def test_no_sky(board):
    nothing = nmea_sender.sentence("GPGSV,1,1,00")
    board.receiver.says = lambda number: nmea_sender.epoch(number, period=PERIOD, valid=False) + nothing

    def opened():
        board.receiver.says = functools.partial(nmea_sender.epoch, period=PERIOD)

    try:
        is_cured(board, "sky", "sees no satellite", "give the antenna a view of the sky", run=False, also=opened)
    finally:
        opened()


def test_socket_cannot_be_reached(board):
    board.run("systemctl stop handlebard.socket handlebard.service")
    is_cured(board, "socket", f"{SOCKET} does not exist", "sudo systemctl start handlebard")
    board.run("systemctl stop handlebard.socket handlebard.service")
    board.run(f"python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('{SOCKET}')\"")
    is_cured(board, "socket", f"no process listens on {SOCKET}", "sudo systemctl restart handlebard")
    is_cured(
        board, "socket", f"{SOCKET}: permission denied, it is for the group handlebar",
        "sudo usermod -aG handlebar stranger", user="stranger",
    )


def test_wrong_configuration(board):
    path = board.root / "etc" / "handlebar" / "handlebard.toml"
    before = path.read_text()
    path.write_text(before + "distance_filter = 5\n")
    try:
        is_cured(
            board, "configuration", "handlebard.toml:2: distance_filter", "handlebard --check-config", run=False,
            also=lambda: path.write_text(before),
        )
    finally:
        path.write_text(before)


def test_full_disk(board):
    board.run(f"systemctl stop handlebard.service && mount -t tmpfs -o size=4M tmpfs {RIDES} && chown handlebar: {RIDES} && systemctl start handlebard")
    try:
        is_cured(
            board, "disk", f"MiB are free at {RIDES}", f"df -h {RIDES}",
            also=lambda: board.run(f"systemctl stop handlebard.service; umount {RIDES}; systemctl start handlebard"),
        )
    finally:
        board.run(f"mountpoint -q {RIDES} && umount -l {RIDES}; systemctl restart handlebard", check=False)
