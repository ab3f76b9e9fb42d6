"""The apt repository: a bare Debian that knows nothing but its address and key installs the daemon, and nothing that the key did
not sign; an update costs nothing of the ride that is recorded meanwhile."""

import contextlib
import datetime
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import threading

import pytest

import images
from handlebar_harness import ROOT
from receiver import PERIOD, Receiver
from userland import Userland

pytestmark = pytest.mark.booted
DIALOUT = 20
KEY = "rider@handlebar.example"
RIDES = "/var/lib/handlebar/rides"
CONFIGURATION = f'sources = ["serial:/dev/gps0?speed=9600"]\nrecord = "{RIDES}"\n'
# As the manual has it.
LINE = re.search(r"(?m)^\.Dl (deb .*)$", (ROOT / "packaging/man/handlebar-pi.7").read_text())[1]


def index(place, gpg):
    subprocess.run([ROOT / "packaging/repository", place], env=os.environ | {"KEY": KEY, "GNUPGHOME": gpg.home}, check=True)


def introduce(root, place, address):
    """Gives a root file system the address and key of a repository, in place of those that it has."""
    for one in (root / "etc/apt").glob("sources.list*"):
        shutil.rmtree(one) if one.is_dir() else one.unlink()
    (root / "etc/apt/keyrings").mkdir(exist_ok=True)
    shutil.copy(place / "handlebar.asc", root / "etc/apt/keyrings")
    (root / "etc/apt/sources.list").write_text(LINE.replace("ADDRESS", address) + "\n")


@pytest.fixture
def repository(folder, gpg):
    """A folder with the package, signed, and the address at which it is served."""
    place = folder / "repository"
    place.mkdir()
    try:
        images.need("apt-ftparchive")
        shutil.copy(images.package(), place)
    except images.Missing as missing:
        pytest.skip(str(missing))
    gpg("--passphrase", "", "--quick-generate-key", KEY)
    index(place, gpg)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=place)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield place, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def root(repository):
    place, address = repository
    try:
        with images.root() as path:
            introduce(path, place, address)
            yield path
    except images.Missing as missing:
        pytest.skip(str(missing))


UPDATE = "apt-get update --error-on=any"


def test_a_bare_system_installs_from_its_address_and_key(root):
    images.inside(root, f"{UPDATE} && apt-get install --yes handlebard")
    assert images.inside(root, "dpkg-query -W -f '${db:Status-Status}' handlebard") == "installed"
    assert images.inside(root, "handlebarctl --version").strip()


def test_what_the_key_did_not_sign_is_refused(root, repository):
    place, _ = repository
    index = place / "InRelease"
    index.write_text(index.read_text().replace("Origin: handlebar", "Origin: another"))
    with pytest.raises(images.Missing, match="(?s)signatures? (was|were) invalid|BADSIG"):
        images.inside(root, UPDATE)


def fixes(text):
    """The times of the fixes in whole lines."""
    reports = [json.loads(line) for line in text.splitlines() if line.startswith('{"class":"TPV"') and line.endswith("}")]
    return {one["time"] for one in reports if one["mode"] == 3 and one.get("reason") != "snapshot"}


def test_an_update_costs_nothing_of_the_ride_that_is_recorded(repository, gpg, figures):
    """Each fix that a client was told of, before, during and after it, is in one ride; the configuration stays."""
    place, _ = repository
    package = images.package()
    version = images.run("dpkg-deb", "--field", package, "Version").strip() + "+newer"
    with contextlib.ExitStack() as stack:
        try:
            root = stack.enter_context(images.root())
            introduce(root, place, "file:/repository")
            newer = stack.enter_context(images.newer(package, version))
            receiver = stack.enter_context(Receiver(DIALOUT))
            board = stack.enter_context(Userland(root, binds=[(receiver.path, "/dev/ttyGPS0"), (place, "/repository")]))
        except images.Missing as missing:
            pytest.skip(str(missing))
        board.run(f"ln -s ttyGPS0 /dev/gps0 && {UPDATE} && apt-get install --yes handlebard")
        configuration = board.root / "etc/handlebar/handlebard.toml"
        configuration.write_text(CONFIGURATION)
        board.run("systemctl restart handlebard && systemd-run --quiet --unit=client sh -c 'handlebarctl watch --json --filter 0 >/run/client'")

        def told():
            return fixes(board.run("cat /run/client", check=False).stdout)

        def recorded():
            return fixes(board.run(f"for one in {RIDES}/*.nmea; do handlebarctl decode $one 2>/dev/null || true; done").stdout)

        board.until(lambda: len(told()) > 20, "fixes")
        shutil.copy(newer, place)
        index(place, gpg)
        begin = max(told())
        board.run(f"{UPDATE} && apt-get upgrade --yes")
        assert board.run("dpkg-query -W -f '${Version}' handlebard").stdout == version
        end = max(told())
        board.until(lambda: len([one for one in told() if one > end]) > 20, "fixes after the update")
        assert configuration.read_text() == CONFIGURATION

        times = told()
        board.until(lambda: times <= recorded(), "the recording")
        board.until(lambda: len({one[:16] for one in board.run(f"ls {RIDES}").stdout.split()}) == 1, "one ride, not two")
        first, last = (datetime.datetime.fromisoformat(one.replace("Z", "+00:00")) for one in (begin, max(times)))
        sent = round((last - first).total_seconds() / PERIOD)
        figures.append(f"an update: {sent - len([one for one in times if one > begin])} of {sent} epochs were sent while no daemon ran")
