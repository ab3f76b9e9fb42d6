"""handlebar-pi(7): its commands, run in order on a booted Debian that has what a Raspberry Pi's image has."""

import contextlib
import re
import shutil

import pytest

import images
from handlebar_harness import ROOT
from receiver import Receiver
from userland import Userland

pytestmark = [pytest.mark.booted, pytest.mark.skipif(images.IS_CROSS, reason="a container runs programs of its machine alone")]
# Installed in the image, since a container has no network.
PACKAGES = ("chrony", "socat", "sqlite3", "gdal-bin", "libjs-leaflet", "libsqlite3-0")
# What needs a radio, and what ends the container.
LEFT_OUT = r"^sudo (nmcli|reboot)\b.*\n"


def blocks():
    """The page's blocks of commands, in order."""
    page = (ROOT / "packaging" / "man" / "handlebar-pi.7").read_text()
    for body in re.findall(r"^\.Bd -literal -offset indent\n(.*?)^\.Ed$", page, re.MULTILINE | re.DOTALL):
        yield re.sub(LEFT_OUT, "", body, flags=re.MULTILINE)


def test_commands_work_as_printed():
    with contextlib.ExitStack() as stack:
        try:
            root = stack.enter_context(images.root(*PACKAGES))
            firmware = root / "boot" / "firmware"
            firmware.mkdir(parents=True)
            (firmware / "cmdline.txt").write_text("console=serial0,115200 console=tty1 root=PARTUUID=1-02 rootwait\n")
            (firmware / "config.txt").write_text("[all]\n")
            images.as_typed_by(root, "rider")
            shutil.copy(images.package(), root / "home" / "rider")
            receiver = stack.enter_context(Receiver(group=20))
            board = stack.enter_context(Userland(root, binds=[(receiver.path, "/dev/ttyS0")]))
        except images.Missing as missing:
            pytest.skip(str(missing))
        board.run("ln -s ttyS0 /dev/gps0")
        board.run("cd /home/rider && gdal_create -outsize 600 400 -bands 3 -burn 200 -a_srs EPSG:4326 -a_ullr 11.4 48.2 11.6 48.1 map.tif")
        for number, body in enumerate(blocks()):
            # udevd does not run in a container.
            body = re.sub(r"^sudo udevadm .*\n", "", body, flags=re.MULTILINE)
            board.run(f"cd /home/rider; export USER=rider HOME=/home/rider\nset -eu\n{body}", timeout=120)
            if number == 0:
                board.until(lambda: board.run("handlebarctl status", check=False).returncode == 0, "a fix")
        assert (firmware / "cmdline.txt").read_text() == "console=tty1 root=PARTUUID=1-02 rootwait\n"
        assert {"enable_uart=1", "dtparam=uart0=on", "dtoverlay=pps-gpio,gpiopin=18"} <= set(
            (firmware / "config.txt").read_text().splitlines()
        )
        assert "handlebar" in board.run("id -nG rider").stdout.split()
        status = board.run("handlebarctl status --json").stdout
        assert "udp://" in status, status
        address = board.run("handlebarctl map --address").stdout.split()[0]
        local = re.sub(r"//[^:/]+|//\[[^]]+\]", "//127.0.0.1", address)
        # The address leads to the page by a cookie.
        page = board.run(
            "python3 -c 'from urllib.request import HTTPCookieProcessor, build_opener;"
            f" print(build_opener(HTTPCookieProcessor()).open(\"{local}\").read().decode())'").stdout
        assert "<title>" in page
        board.run("DEBIAN_FRONTEND=noninteractive apt-get purge --yes handlebard")
