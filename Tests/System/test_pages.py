"""The commands of README.md and handlebar-pi(7), in order and as printed, on a machine of its own: from the package to the
page in a browser."""

import array
import contextlib
import fcntl
import importlib.machinery
import importlib.util
import re
import shlex
import shutil
import socket
import termios
import threading
import time

import pytest

import images
import nmea_sender
from chromium import Chromium
from handlebar_harness import ROOT
from machine import machine

pytestmark = pytest.mark.booted
# Installed in the image, since the machine reaches no other.
PACKAGES = ("sudo", "chrony", "socat", "sqlite3", "gdal-bin", "libjs-leaflet", "libsqlite3-0")
# What needs a radio.
RADIO = r"^sudo nmcli\b.*\n"
REBOOT = "sudo reboot\n"
PAGE = 8480
PERIOD = 0.2
# The port on the bus of the board: its firmware may have others.
PORT = "for port in /sys/class/tty/ttyS*; do case $(readlink -f $port) in */pci0*) basename $port;; esac; done"
NETWORK = "[Match]\nType=ether\n[Network]\nAddress=10.0.2.15/24\nGateway=10.0.2.2\n"
GADGET = "cd /opt/test && python3 gadget.py"


def readme():
    """The blocks of the README that are for a board."""
    loader = importlib.machinery.SourceFileLoader("readme", str(ROOT / "Tests" / "Readme" / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("readme", loader))
    loader.exec_module(module)
    return [body for _, _, how, _, body in module.blocks((ROOT / "README.md").read_text()) if how == "board"]


def manual():
    """The blocks of commands of the page for a Raspberry Pi."""
    page = (ROOT / "packaging" / "man" / "handlebar-pi.7").read_text()
    blocks = re.findall(r"^\.Bd -literal -offset indent\n(.*?)^\.Ed$", page, re.MULTILINE | re.DOTALL)
    return [re.sub(RADIO, "", body, flags=re.MULTILINE) for body in blocks]


def prepare(root):
    firmware = root / "boot" / "firmware"
    firmware.mkdir(parents=True)
    (firmware / "cmdline.txt").write_text("console=serial0,115200 console=tty1 root=PARTUUID=1-02 rootwait\n")
    (firmware / "config.txt").write_text("[all]\n")
    images.inside(root, "useradd --create-home --shell /bin/sh rider")
    (root / "etc" / "sudoers.d" / "rider").write_text("rider ALL=(ALL) NOPASSWD: ALL\n")
    package = images.package()
    for folder in (root / "home" / "rider", root / "home" / "rider" / ".build-deb"):
        folder.mkdir(exist_ok=True)
        shutil.copy(package, folder)
    (root / "etc" / "systemd" / "network" / "board.network").write_text(NETWORK)
    images.inside(root, "systemctl enable systemd-networkd && systemctl mask systemd-networkd-wait-online")


class Uart:
    """A receiver at the other end of the machine's UART. What nobody reads is not kept."""

    def __init__(self, path):
        self.path = path
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.talk, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def talk(self):
        begin = time.monotonic()
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.path))
            waiting = array.array("i", [0])
            while not self.over.wait(PERIOD):
                fcntl.ioctl(line, termios.TIOCOUTQ, waiting)
                if waiting[0] == 0:
                    line.sendall(nmea_sender.epoch(int((time.monotonic() - begin) / PERIOD), period=PERIOD))


@pytest.fixture(scope="module")
def board():
    images.need("chromium")
    uart = ("-device", "pci-serial,chardev=uart", "-chardev", "socket,id=uart,path={folder}/uart,server=on,wait=off")
    try:
        with machine(prepare, extra=PACKAGES, packaged=False, forwards=PAGE, options=uart) as one:
            one.boot()
            yield one
    except images.Missing as missing:
        pytest.skip(str(missing))


def typed(board, body, timeout=120):
    """Types a block of commands as the rider would, logged in anew."""
    script = shlex.quote(f"set -eu\n{body}")
    board.run(f"runuser --login rider --command {script}", timeout=timeout)


@contextlib.contextmanager
def browser(board, url, folder):
    """The page of an address in a browser on another machine, once it shows where the rider is."""
    host = re.fullmatch(r"http://([^/]+:8480)/\?token=[0-9a-f]{32}", url)
    assert host, url
    folder.mkdir()
    with Chromium(folder, options=[f"--host-resolver-rules=MAP {host[1]} 127.0.0.1:{board.forward}"]) as page:
        page.open(url)
        page.until("document.querySelector('#state').dataset.kind === 'good'", 60 * images.SLOWNESS)
        page.until("/^[0-9]+$/.test(document.querySelector('#speed b').textContent)")
        # A header that counts for encrypted connections only is named as one.
        assert not [error for error in page.errors if "Cross-Origin-Opener-Policy" not in error.get("text", "")], page.errors
        yield page


def test_the_readme_leads_to_the_page_in_a_browser(board, folder):
    first, *rest = readme()
    assert len(rest) >= 2
    typed(board, first, timeout=300)
    board.run(f"systemctl start feeder && {GADGET} plug 1546 01a8")
    board.until("handlebarctl status >/dev/null", "a fix")
    for body in rest:
        typed(board, body)
    assert "handlebar" in board.run("id -nG rider").split()
    board.until("handlebarctl status >/dev/null", "a fix")
    board.until("ls /var/lib/handlebar/rides | grep -q .", "a recording")
    assert board.run("systemctl show --property=PrivateNetwork --value handlebard").strip() == "no"
    board.run(f"systemd-run --unit=page --property=StandardOutput=file:/run/page handlebarctl map --listen 0.0.0.0:{PAGE}")
    url = board.until("grep http /run/page", "the address")
    with browser(board, url, folder / "browser"):
        pass
    board.run(f"systemctl stop page feeder && {GADGET} unplug && apt-get purge --yes handlebard", timeout=300)
    assert not board.run("ls /etc/handlebar 2>/dev/null || true")


def test_the_manual_leads_to_the_map_on_a_raspberry_pi(board, folder):
    (port,) = board.run(PORT).split()
    typed(board, "gdal_create -outsize 600 400 -bands 3 -burn 200 -a_srs EPSG:4326 -a_ullr 11.4 48.2 11.6 48.1 map.tif")
    blocks = manual()
    assert sum(REBOOT in body for body in blocks) == 1
    with contextlib.ExitStack() as stack:
        for body in blocks:
            typed(board, body.replace("ttyS0", port).replace(REBOOT, ""), timeout=300)
            if REBOOT in body:
                board.reboot()
                stack.enter_context(Uart(board.folder / "uart"))
                board.until("handlebarctl status >/dev/null", "a fix after the start of the board")
        firmware = board.run("cat /boot/firmware/cmdline.txt /boot/firmware/config.txt").splitlines()
        assert firmware == [
            "console=tty1 root=PARTUUID=1-02 rootwait", "[all]", "enable_uart=1", "dtparam=uart0=on", "dtoverlay=pps-gpio,gpiopin=18",
        ]
        assert board.run("readlink /dev/gps0").strip() == port
        assert "handlebar" in board.run("id -nG rider").split()
        assert "udp://" in board.run("handlebarctl status --json")
        assert 'model = "bike"' in board.run("grep ^sources /etc/handlebar/handlebard.toml")
        (autostart,) = board.run("cat /home/rider/.config/labwc/autostart").splitlines()
        board.run("ls " + shlex.quote(re.search(r"--tiles (\S+)", autostart)[1]))
        board.until("handlebarctl status >/dev/null", "a fix")
        url = board.run("handlebarctl map --address").split()[0]
        with browser(board, url, folder / "browser") as page:
            page.until("document.querySelectorAll('.leaflet-tile-loaded').length > 0")
            assert "OpenStreetMap" in page.run("document.querySelector('#attribution').textContent")
    board.run("apt-get purge --yes handlebard", timeout=300)
