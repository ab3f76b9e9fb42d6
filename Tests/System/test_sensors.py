"""Sensors of a booted system: a contact on a GPIO line, and a heart rate belt of bumble's behind BlueZ and bleak."""

import hashlib
import json
import shutil
import subprocess
import sys
import time

import pytest

import gpio_sim
import images
from handlebar_harness import ROOT, until
from machine import machine

pytestmark = pytest.mark.booted
SIMULATED = "/sys/kernel/config/gpio-sim/wheel"
LINE = "gpio:gpiochip0/3"
RULES = "/usr/share/handlebard/64-handlebar-local.rules"
DROP_IN = "/etc/systemd/system/handlebard.service.d/gpio.conf"
BELT = "C0:11:22:33:44:55"
PULL = f"/sys/devices/platform/$(cat {SIMULATED}/dev_name)/$(cat {SIMULATED}/bank0/chip_name)/sim_gpio3/pull"
# A wheel turns: its contact is closed and opened.
TURN = f"for pull in down up; do echo pull-$pull >{PULL}; sleep 0.05; done"
# A contact that flutters for 2 s, as fast as it goes; it says how often it was closed.
FLUTTER = f"""
python3 - {PULL} <<'END'
import os, sys, time
pull, closed, end = os.open(sys.argv[1], os.O_WRONLY), 0, time.monotonic() + 2
while time.monotonic() < end:
    os.pwrite(pull, b"pull-down", 0)
    os.pwrite(pull, b"pull-up", 0)
    closed += 1
print(closed)
END
"""
# A chip by a name that stays its own whatever its number is.
NAMED_RULE = 'SUBSYSTEM=="gpio", KERNEL=="gpiochip*", GROUP="handlebar", MODE="0640", SYMLINK+="wheel"'
NAMED = "gpio:/dev/wheel/3"
READINGS = """\
import dataclasses, json, handlebar
print(json.dumps([dataclasses.asdict(one) for one in handlebar.Client().sensors()]))
"""


def bumble():
    """The emulated peripheral's packages."""
    wanted = ROOT / "Tests" / "System" / "requirements.txt"
    folder = images.CACHE / f"python-{hashlib.sha256(wanted.read_bytes()).hexdigest()[:12]}"
    if not folder.exists():
        draft = folder.with_suffix(".draft")
        shutil.rmtree(draft, ignore_errors=True)
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps")
        subprocess.run([*pip, "--target", draft, "--requirement", wanted], check=True)
        draft.rename(folder)
    return folder


def prepare(root):
    with open(root / "etc" / "handlebar" / "handlebard.toml", "a") as file:
        file.write(f'sources = ["serial:/dev/gps0?speed=auto", "{LINE}"]\n')
    (root / "opt" / "test" / "readings.py").write_text(READINGS)
    shutil.copytree(bumble(), root / "opt" / "bumble")
    version = images.run("dpkg-deb", "--field", images.package(), "Version").strip()
    shutil.copy(images.package().with_name(f"python3-handlebar_{version}_all.deb"), root / "python.deb")
    images.inside(root, "dpkg -i /python.deb && rm /python.deb")


@pytest.fixture(scope="module")
def obstacle():
    """Why there is no simulated chip; `None` if there is one."""
    try:
        gpio_sim.build()
    except images.Missing as missing:
        return str(missing)
    return None


@pytest.fixture(scope="module")
def board(obstacle):
    try:
        with machine(prepare, extra=("bluez", "python3-bleak")) as one:
            one.boot()
            yield one
    except images.Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def chip(board, obstacle):
    """A simulated chip, which the service may read by what is shipped for it."""
    if obstacle:
        pytest.skip(obstacle)
    board.run(f"sed '/gpiochip0/s/^#//' {RULES} >/etc/udev/rules.d/64-handlebar-local.rules && udevadm control --reload")
    board.run(f"install -D -m 644 /usr/share/handlebard/gpio.conf {DROP_IN} && systemctl daemon-reload")
    board.run("modprobe gpio-sim")
    board.until(f"mkdir -p {SIMULATED}/bank0", "the file system of the chips")
    board.run(f"echo 8 >{SIMULATED}/bank0/num_lines && echo 1 >{SIMULATED}/live && udevadm settle")
    assert board.run("stat -c '%G %a' /dev/gpiochip0").split() == ["handlebar", "640"]


def reading(board, kind):
    """The newest reading of a kind; None without one."""
    return next((one for one in json.loads(board.run("python3 /opt/test/readings.py")) if one["sensor"] == kind), None)


def test_the_doctor_opens_a_chip_to_the_service(board):
    """What it says helps, from a chip that is missing to one that is root's and not among the service's devices."""
    board.until("systemctl is-active handlebard", "the daemon")

    def finding(words):
        """What the doctor says, once it has these words."""
        board.until(f"handlebarctl doctor --json | grep '\"sensor\"' | grep -q '{words}'", words)
        (line,) = [line for line in board.run("handlebarctl doctor --json || true").splitlines() if '"sensor"' in line]
        return json.loads(line)

    assert finding("no GPIO chip")["message"] == f"{LINE} does not exist"
    # Another device in the place of a chip: it is opened, and then is none.
    board.run("mknod -m 600 /dev/gpiochip0 c $(stat -c '%Hr %Lr' /dev/hwrng)")
    denied = finding(RULES)
    assert denied["message"] == f"{LINE}: permission denied (group root)"
    assert denied["remedy"].endswith("sudo udevadm control --reload; sudo udevadm trigger --subsystem-match=gpio")
    # As the rule would.
    board.run("chgrp handlebar /dev/gpiochip0 && chmod 640 /dev/gpiochip0")
    _, install, reload, restart = finding("gpio.conf")["remedy"].split("sudo ")
    for command in (install.partition(" (")[0], reload, restart):
        board.run(command)
    assert finding("is not a GPIO chip")["state"] == "wrong"
    board.run("rm /dev/gpiochip0")


def turn(board, revolutions):
    """Turns the wheel once, to a number of revolutions."""
    board.run(TURN)
    until(lambda: (reading(board, "wheel") or {}).get("revolutions") == revolutions, f"turn {revolutions}", pause=0.5)


def state_of_line(board, words):
    board.until(f"handlebarctl status | grep -q '^- gpio  *{words}'", words)


def test_a_contact_on_a_line(board, chip):
    """A wheel whose turns a chip of the kernel sees."""
    board.run("systemctl restart handlebard")
    state_of_line(board, "acquiring")
    # Turns are counted from the first reading on.
    for count in range(5):
        turn(board, count)
    assert reading(board, "wheel")["source"] == LINE


def test_a_line_that_flutters(board, chip, figures):
    """More edges than the kernel keeps, which it does not debounce: the service bears them, and counts turns again."""
    board.run("echo 1 >/sys/module/gpio_sim/parameters/debounces && systemctl restart handlebard")
    state_of_line(board, "acquiring")
    for count in range(3):
        turn(board, count)

    def spent():
        return int(board.run("systemctl show --property=CPUUsageNSec --value handlebard")) / 1e9

    before, began = spent(), time.monotonic()
    edges = int(board.run(FLUTTER))
    seconds, elapsed = spent() - before, time.monotonic() - began
    figures.append(f"{edges} edges of a line in 2 s: {seconds:.2f} s of the processor in {elapsed:.1f} s")
    assert edges > 2000 and seconds < elapsed / 2
    # The service answers in the midst of it. A wheel turns 60 times a second at most.
    answers = "handlebarctl status | grep -q '^- gpio  *tracking' && python3 /opt/test/readings.py | grep -q '\"is_implausible\": true'"
    board.run(f"({FLUTTER}) & until {answers}; do :; done; wait")
    turned = reading(board, "wheel")["revolutions"]
    assert turned <= 2 + 60 * (time.monotonic() - began)
    for count in (1, 2):
        turn(board, turned + count)
    assert not reading(board, "wheel")["is_implausible"] and reading(board, "wheel")["value"] > 0
    assert board.run("systemctl show --property=NRestarts --value handlebard").strip() == "0"


def test_a_chip_that_comes_back(board, chip):
    """As one that is plugged in again. Linux 6.1 gives it another number if a line of it was read."""
    board.run(f"echo '{NAMED_RULE}' >/etc/udev/rules.d/64-handlebar-local.rules && udevadm control --reload")
    board.run("udevadm trigger --settle --subsystem-match=gpio && test -e /dev/wheel")
    board.run(f"sed -i 's|^DeviceAllow=.*|DeviceAllow=char-gpiochip r|' {DROP_IN} && systemctl daemon-reload")
    board.run(f"sed -i 's|{LINE}|{NAMED}|' /etc/handlebar/handlebard.toml && systemctl restart handlebard")
    state_of_line(board, "acquiring")
    for count in range(2):
        turn(board, count)
    for count in (2, 3):
        board.run(f"echo 0 >{SIMULATED}/live")
        state_of_line(board, f"failed, {NAMED}: {NAMED} does not exist")
        board.run(f"echo 1 >{SIMULATED}/live && udevadm settle")
        state_of_line(board, "acquiring")
        turn(board, count)
        state_of_line(board, "tracking")
    said = board.run("journalctl --no-pager --output=cat --unit=handlebard")
    assert said.count(f"{NAMED} is unavailable: the line is gone") == 2, said
    assert said.count(f"the sensor is back DEVICE={NAMED}") == 2, said
    assert board.run("systemctl show --property=NRestarts --value handlebard").strip() == "0"


def test_a_heart_rate_belt(board):
    """Found, added, read by the service as it is shipped, and read again after it was out of reach."""
    if not list((board.kernel / "lib" / "modules" / board.version / "kernel" / "drivers" / "bluetooth").glob("hci_vhci.ko*")):
        pytest.skip(f"Debian's kernel {board.version} has no hci_vhci")
    board.run("modprobe hci_vhci")
    board.run("systemd-run --unit=belt --setenv=PYTHONPATH=/opt/bumble python3 /opt/test/belt.py")
    board.until("test -e /run/belt", "the belt")
    board.until("bluetoothctl power on >/dev/null; bluetoothctl show | grep -q 'Powered: yes'", "BlueZ")
    found = board.run("handlebar-sensors scan --seconds 10", timeout=90)
    assert f"{BELT}  heart rate  Belt\n" in found
    board.run(f"handlebar-sensors add {BELT} chest && systemctl start handlebar-sensors")

    def beats():
        return {one: (reading(board, "heartRate") or {}).get(one) for one in ("source", "value", "unit")}

    until(lambda: beats()["value"], "the first beat", timeout=120, pause=0.5)
    assert beats() == {"source": "chest", "value": 72, "unit": "1/min"}
    board.run("systemctl kill --signal=USR1 belt")
    until(lambda: beats()["value"] == 80, "the belt, back in reach", timeout=120, pause=0.5)
    said = board.run("journalctl --no-pager --output=cat --unit=handlebar-sensors")
    assert said.count("chest: connected, battery 85 %") == 2 and said.count("chest: disconnected; it is looked for") == 1, said
