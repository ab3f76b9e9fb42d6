"""GeoClue on a booted Debian: after the commands in the package's file, its applications have the receiver's positions."""

import contextlib
import shutil

import pytest

import images
from handlebar_harness import ROOT
from receiver import Receiver
from userland import Userland

pytestmark = pytest.mark.booted
DIALOUT = 20
# The name of an agent that Debian's configuration allows.
AGENT = "geoclue-demo-agent"


# They have GeoClue 2.6, and 2.7, the first that reads conf.d.
@pytest.mark.parametrize("release", images.RELEASES)
def test_commands_work_as_printed(release):
    with contextlib.ExitStack() as stack:
        try:
            root = stack.enter_context(images.root("geoclue-2.0", "python3-gi", release=release))
            (root / "package.deb").write_bytes(images.package().read_bytes())
            images.inside(root, "dpkg -i /package.deb && rm /package.deb")
            shutil.copy(ROOT / "Tests" / "Interop" / "reporters" / "geoclue.py", root / "opt")
            receiver = stack.enter_context(Receiver(DIALOUT))
            board = stack.enter_context(Userland(root, binds=[(receiver.path, "/dev/ttyGPS0")]))
        except images.Missing as missing:
            pytest.skip(str(missing))
        board.run("ln -s ttyGPS0 /dev/gps0")
        text = board.run("cat /usr/share/handlebard/geoclue.conf").stdout
        *commands, of_debian_12 = [line.removeprefix("#   ") for line in text.splitlines() if line.startswith("#   ")]
        assert len(commands) == 4
        if release == "bookworm":
            commands[0] = of_debian_12
        board.run("\n".join(["set -eu", *commands, "systemctl start geoclue"]))
        places = board.run(f"timeout 30 python3 -u /opt/geoclue.py {AGENT} | head -n 3").stdout.splitlines()
        assert len(places) == 3
        for latitude, longitude, _ in (map(float, line.split()) for line in places):
            assert 48.1 <= latitude < 49 and longitude == 11.5
