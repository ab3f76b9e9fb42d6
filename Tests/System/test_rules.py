"""The udev rules, on devices of all kinds that are not there: which one gets the link, and which one must not."""

import os
import re
import shutil
import subprocess

import pytest

from handlebar_harness import ROOT

RECEIVERS = [
    ("1546", "01a4"), ("1546", "01a5"), ("1546", "01a6"), ("1546", "01a7"), ("1546", "01a8"), ("1546", "01a9"),
    ("1546", "01ab"), ("0e8d", "3329"), ("1163", "0100"), ("1163", "0200"), ("067b", "aaa0"),
]
OTHERS = {
    "FTDI FT232R": ("0403", "6001"), "FTDI FT-X": ("0403", "6015"), "CP210x": ("10c4", "ea60"), "PL2303": ("067b", "2303"),
    "CH340": ("1a86", "7523"), "u-blox modem SARA": ("1546", "110a"), "u-blox modem LISA": ("1546", "1102"),
    "u-blox modem TOBY": ("1546", "1141"), "u-blox 01aa": ("1546", "01aa"), "MediaTek phone": ("0e8d", "2008"),
    "Quectel modem": ("2c7c", "0125"), "Arduino": ("2341", "0043"),
}
FTDI_SERIAL = "A50285BI"


def bed(kind, vendor, product):
    """A USB device and the tty on it, in umockdev's words."""
    name = "ttyACM3" if kind == "acm" else "ttyUSB3"
    usb = "/devices/pci0000:00/0000:00:14.0/usb1/1-2"
    interface = f"{usb}/1-2:1.0"
    if kind == "acm":
        tty, parents = f"{interface}/tty/{name}", ""
    else:
        tty = f"{interface}/{name}/tty/{name}"
        parents = f"P: {interface}/{name}\nE: DEVTYPE=\nE: SUBSYSTEM=usb-serial\nA: port_number=0\n\n"
    text = f"""\
P: {tty}
N: {name}
E: DEVNAME=/dev/{name}
E: SUBSYSTEM=tty
E: MAJOR=166
E: MINOR=3

{parents}P: {interface}
E: DEVTYPE=usb_interface
E: SUBSYSTEM=usb
E: INTERFACE=2/2/1
A: bInterfaceNumber=00
A: bInterfaceClass=02
A: bInterfaceSubClass=02
A: bInterfaceProtocol=01

P: {usb}
N: bus/usb/001/002
E: DEVNAME=/dev/bus/usb/001/002
E: DEVTYPE=usb_device
E: SUBSYSTEM=usb
E: MAJOR=189
E: MINOR=1
A: idVendor={vendor}
A: idProduct={product}
A: serial={FTDI_SERIAL}
A: bDeviceClass=02
A: busnum=1
A: devnum=2

P: /devices/pci0000:00/0000:00:14.0
E: SUBSYSTEM=pci
A: vendor=0x8086
A: device=0x9d2f
"""
    return re.sub(r"E: DEVTYPE=\n", "", text), tty, usb


# A /run, a rules folder and a /dev that vanish with it: what is tried makes real links.
APART = """
set -e
mount -t tmpfs none /run
mount -t tmpfs none /etc/udev
mkdir /etc/udev/rules.d
mount -t tmpfs none /dev
mknod -m 666 /dev/null c 1 3
mknod -m 666 /dev/urandom c 1 9
mkdir /dev/pts
mount -t devpts -o newinstance,ptmxmode=0666 none /dev/pts
ln -s pts/ptmx /dev/ptmx
"""
# The product's rules beside the system's own.
TRY = APART + """
cp "$1"/*.rules /etc/udev/rules.d
exec umockdev-run --device "$2" -- udevadm test --action="$3" "/sys$4"
"""


def missing():
    """Why the rules cannot be tried here."""
    if os.geteuid() != 0:
        return "udevadm test writes links: it needs root, for a /dev and a /run of its own"
    for program in ("umockdev-run", "udevadm", "unshare"):
        if not shutil.which(program):
            return f"{program} is not installed"
    done = subprocess.run(["unshare", "--mount", "sh", "-c", APART], capture_output=True, text=True, check=False)
    if done.returncode:
        return f"no /dev of its own to be had: {done.stderr.strip()}"
    return None


WHY_NOT = missing()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))


class Verdict:
    """What `udevadm test` says of a device."""

    def __init__(self, said):
        self.said = said
        self.properties = dict(re.findall(r"^([A-Z_0-9.]+)=(.*)$", said, re.MULTILINE))
        self.links = self.properties.get("DEVLINKS", "").split()

    @property
    def is_taken(self):
        return "/dev/gps0" in self.links


def tried(folder, description, device, action="add", local=""):
    rules = folder / "rules"
    rules.mkdir(exist_ok=True)
    for rule in (ROOT / "udev").glob("65-*.rules"):
        shutil.copy(rule, rules)
    (rules / "64-handlebar-local.rules").write_text(local)
    (folder / "device.umockdev").write_text(description)
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", TRY, "sh", rules, folder / "device.umockdev", action, device],
        capture_output=True, text=True, check=False,
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "handlebar" not in " ".join(line for line in said.splitlines() if "nvalid" in line or "nknown" in line), said
    return Verdict(said)


@pytest.mark.parametrize("vendor, product", RECEIVERS)
def test_receivers_are_taken(folder, vendor, product):
    description, tty, usb = bed("acm", vendor, product)
    verdict = tried(folder, description, tty)
    assert verdict.is_taken, verdict.said
    assert "handlebard.service" in verdict.properties["SYSTEMD_WANTS"].split()
    assert ":systemd:" in verdict.properties["TAGS"]
    assert verdict.properties["ID_MM_DEVICE_IGNORE"] == "1"
    assert re.search(r"65-handlebar.rules:\d+ GROUP 20\n", verdict.said)
    assert re.search(r"65-handlebar.rules:\d+ MODE 0660\n", verdict.said)
    # ModemManager looks at the whole device before it looks at the port.
    assert tried(folder, description, usb).properties["ID_MM_DEVICE_IGNORE"] == "1"


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_left_alone(folder, name):
    vendor, product = OTHERS[name]
    description, tty, usb = bed("acm" if vendor in ("1546", "2c7c", "2341", "0e8d") else "usb", vendor, product)
    verdict = tried(folder, description, tty)
    assert not verdict.is_taken, verdict.said
    for device in (verdict, tried(folder, description, usb)):
        assert "handlebard.service" not in device.properties.get("SYSTEMD_WANTS", "")
        assert "ID_MM_DEVICE_IGNORE" not in device.properties


def test_removal_wakes_nobody(folder):
    description, tty, _ = bed("acm", "1546", "01a8")
    verdict = tried(folder, description, tty, action="remove")
    assert "handlebard.service" not in verdict.properties.get("SYSTEMD_WANTS", "")


def examples():
    """The lines of the example that are there to be taken into use."""
    lines = (ROOT / "udev" / "64-handlebar-local.rules").read_text().splitlines()
    return [line.removeprefix("#") for line in lines if re.match(r"#[A-Z]", line)]


def test_nothing_is_opted_in_unasked():
    lines = (ROOT / "udev" / "64-handlebar-local.rules").read_text().splitlines()
    assert all(line.startswith("#") or not line for line in lines)
    assert len(examples()) == 6


def test_opted_in_by_serial_number(folder):
    """The example as it stands takes this adapter, and no other of the same make."""
    rule = next(line for line in examples() if FTDI_SERIAL in line)
    description, tty, _ = bed("usb", *OTHERS["FTDI FT232R"])
    assert tried(folder, description, tty, local=rule).is_taken
    other = description.replace(FTDI_SERIAL, "A50285BJ")
    assert not tried(folder, other, tty, local=rule).is_taken


def test_opted_in_by_port(folder):
    """The example for adapters without a number of their own: the port decides."""
    rule = next(line for line in examples() if "ID_PATH" in line)
    description, tty, _ = bed("usb", *OTHERS["CH340"])
    assert tried(folder, description, tty, local=rule).is_taken
    assert not tried(folder, description, tty, local=rule.replace("usb-0:2:", "usb-0:3:")).is_taken
