"""The apt repository: a bare Debian that knows nothing but its address and key installs the daemon, and nothing that the key did
not sign; an update costs nothing of the ride that is recorded meanwhile."""

import contextlib
import datetime
import functools
import http.server
import json
import os
import re
import shlex
import shutil
import subprocess
import threading

import pytest

import images
from handlebar_harness import ROOT, TIMEOUT, Late, until
from machine import machine
from receiver import PERIOD, Receiver
from userland import Userland

pytestmark = pytest.mark.booted
DIALOUT = 20
KEY = "rider@handlebar.example"
RIDES = "/var/lib/handlebar/rides"
CONFIGURED = "/etc/handlebar/handlebard.toml"
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


@pytest.fixture(params=images.RELEASES)
def release(request):
    return request.param


@pytest.fixture
def root(repository, release):
    place, address = repository
    try:
        with images.root(release=release) as path:
            introduce(path, place, address)
            yield path
    except images.Missing as missing:
        pytest.skip(str(missing))


UPDATE = "apt-get update --error-on=any"


def test_a_bare_system_installs_from_its_address_and_key(root):
    images.inside(root, f"{UPDATE} && apt-get install --yes handlebard")
    assert images.inside(root, "dpkg-query -W -f '${db:Status-Status}' handlebard") == "installed"
    assert images.inside(root, "handlebarctl --version").strip()
    images.inside(root, "apt-get purge --yes handlebard")
    assert not (root / "etc/handlebar").exists() and not (root / "usr/sbin/handlebard").exists()


def test_what_the_key_did_not_sign_is_refused(root, repository):
    place, _ = repository
    index = place / "InRelease"
    index.write_text(index.read_text().replace("Origin: handlebar", "Origin: another"))
    with pytest.raises(images.Missing, match="(?s)signatures? (was|were) invalid|BADSIG|signature verification failed"):
        images.inside(root, UPDATE)


def fixes(text):
    """The times of the fixes in whole lines."""
    reports = [json.loads(line) for line in text.splitlines() if line.startswith('{"class":"TPV"') and line.endswith("}")]
    return {one["time"] for one in reports if one["mode"] == 3 and one.get("reason") != "snapshot"}


@contextlib.contextmanager
def board(prepare, release):
    """What runs a script on a booted system with a receiver: a container, or a machine of another architecture."""
    if images.IS_CROSS:
        with machine(prepare, packaged=False, release=release) as one:
            one.boot()
            one.run("systemctl start feeder && cd /opt/test && python3 gadget.py plug 1546 01a8")
            yield one.run
    else:
        with images.root(release=release) as root, Receiver(DIALOUT) as receiver:
            prepare(root)
            with Userland(root, binds=[(receiver.path, "/dev/ttyGPS0")]) as one:
                one.run("ln -s ttyGPS0 /dev/gps0")
                yield lambda script, **options: one.run(script, **options).stdout


def test_an_update_costs_nothing_of_the_ride_that_is_recorded(repository, release, folder, gpg, figures):
    """Each fix that a client was told of, before, during and after it, is in one ride; the configuration stays. A purge leaves
    the ride."""
    place, _ = repository
    package = images.package()
    version = images.run("dpkg-deb", "--field", package, "Version").strip() + "+newer"
    later = folder / "later"

    def prepare(root):
        introduce(root, place, "file:/repository")
        for one in (place, later):
            shutil.copytree(one, root / one.name)

    with contextlib.ExitStack() as stack:
        try:
            shutil.copytree(place, later)
            with images.newer(package, version) as newer:
                shutil.copy(newer, later)
            index(later, gpg)
            run = stack.enter_context(board(prepare, release))
        except images.Missing as missing:
            pytest.skip(str(missing))

        def wait(condition, what):
            try:
                until(condition, what, timeout=TIMEOUT * images.SLOWNESS, pause=0.1 * images.SLOWNESS)
            except Late as late:
                raise AssertionError(f"{late}\n{run('journalctl --no-pager --unit=handlebard --lines=30', check=False)}") from late

        def told():
            return fixes(run("cat /run/client", check=False))

        def recorded():
            return fixes(run(f"for one in {RIDES}/*.nmea; do handlebarctl decode $one 2>/dev/null || true; done"))

        run(f"{UPDATE} && apt-get install --yes handlebard", timeout=120)
        run(f"printf %s {shlex.quote(CONFIGURATION)} >{CONFIGURED} && systemctl restart handlebard")
        run("systemd-run --quiet --unit=client sh -c 'handlebarctl watch --json --filter 0 >/run/client'")
        wait(lambda: len(told()) > 20, "fixes")
        begin = max(told())
        run(f"mount --bind /later /repository && {UPDATE} && apt-get upgrade --yes", timeout=120)
        assert run("dpkg-query -W -f '${Version}' handlebard") == version
        end = max(told())
        wait(lambda: len([one for one in told() if one > end]) > 20, "fixes after the update")
        assert run(f"cat {CONFIGURED}") == CONFIGURATION

        times = told()
        wait(lambda: times <= recorded(), "the recording")
        wait(lambda: len({one[:16] for one in run(f"ls {RIDES}").split()}) == 1, "one ride, not two")
        first, last = (datetime.datetime.fromisoformat(one.replace("Z", "+00:00")) for one in (begin, max(times)))
        sent = round((last - first).total_seconds() / PERIOD)
        lost = sent - len([one for one in times if one > begin])
        figures.append(f"an update of {release}, {images.ARCH}: {lost} of {sent} epochs were sent while no daemon ran")

        run("systemctl stop client handlebard")
        rides = run(f"cd {RIDES} && sha256sum *.nmea")
        run("apt-get purge --yes handlebard", timeout=120)
        assert run(f"cd {RIDES} && sha256sum *.nmea") == rides
        assert not run(f"ls {CONFIGURED} /usr/sbin/handlebard 2>/dev/null || true")
