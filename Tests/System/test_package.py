"""The Debian package: reproducible for one set of resolved versions, clean, and correct at each step of its life."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import images
from handlebar_harness import BIN, ROOT
from userland import Userland

pytestmark = pytest.mark.booted
UNITS = ("handlebard.service", "handlebard.socket")
MAP = "handlebar-map.socket"
RIDE = "/var/lib/handlebar/rides/2026-03-19T120000Z.nmea"
# Where the configuration may have had others recorded.
OTHER_RIDE = "/var/lib/handlebar/tours/alps/2026-03-20T080000Z.nmea"
EMPTY = "/var/lib/handlebar/tours/none/at all"


@pytest.fixture(scope="module")
def package():
    try:
        images.need("dpkg-deb")
        return images.package()
    except images.Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def root():
    try:
        with images.root() as path:
            yield path
    except images.Missing as missing:
        pytest.skip(str(missing))


def test_two_builds_are_the_same_bytes(folder):
    """Whoever the user is, whatever the umask, time zone, language and folder for temporary files; also of a commit that is newer
    than the files."""
    folder.chmod(0o777)
    user = {"user": 65534, "group": 65534, "extra_groups": ()}
    # A checkout may be its owner's alone.
    if subprocess.run(["test", "-r", BIN / "handlebard"], check=False, **user).returncode:
        user = {}
    made = []
    for name, who, mask, variables in (
        ("one", {}, 0o022, {"TZ": "UTC", "LANG": "C"}),
        ("two", user, 0o077, {"TZ": "Pacific/Auckland", "LANG": "de_DE.UTF-8", "TMPDIR": str(folder)}),
    ):
        subprocess.run(
            [ROOT / "packaging" / "deb"], umask=mask, check=True, stdout=subprocess.DEVNULL, **who,
            env=os.environ | variables | {"OUT": str(folder / name), "BIN": str(BIN), "SOURCE_DATE_EPOCH": "4000000000"},
        )
        made.append({one.name: one.read_bytes() for one in (folder / name).iterdir()})
    assert made[0] == made[1]
    assert sorted(name.partition("_")[0] for name in made[0]) == ["handlebard", "python3-handlebar"]


def test_programs_without_libgps_are_no_package(folder):
    """Compiled where gps.h is missing, they would not use it."""
    program = folder / "handlebard"
    program.write_text("#!/bin/sh\necho 0.0.0\n")
    program.chmod(0o755)
    environment = os.environ | {"OUT": str(folder / "out"), "BIN": str(folder)}
    done = subprocess.run([ROOT / "packaging" / "deb"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "without gps.h" in done.stderr, done.stderr
    assert not (folder / "out").exists()


def test_cross_build_needs_root():
    command = ["setpriv", "--reuid=65534", "--clear-groups", ROOT / "packaging" / "cross"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "run as root" in done.stderr, done.stderr


@pytest.mark.skipif(not os.environ.get("HANDLEBAR_LONG"), reason="two release builds from scratch: HANDLEBAR_LONG=1")
def test_two_builds_from_scratch_are_the_same_bytes(folder):
    """Compiled twice, in two places, from two clean clones: not a byte of the package tells one from the other."""
    made = []
    for place in (folder / "one", folder / "another" / "much" / "deeper"):
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, place], check=True)
        environment = {name: value for name, value in os.environ.items() if name not in ("BIN", "OUT", "MAKEFLAGS", "SOURCE_DATE_EPOCH")}
        done = subprocess.run(["make", "-C", place, "deb"], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        made.append({one.name: one.read_bytes() for one in (place / ".build-deb").glob("*.deb")})
        shutil.rmtree(place)
    assert len(made[0]) == 2
    assert made[0] == made[1]


def test_resolved_versions_are_recorded(package, folder):
    """The package names the version of each Swift package that the programs were built from, sorted, and nothing else."""
    images.run("dpkg-deb", "--extract", package, folder / "root")
    lines = (folder / "root/usr/share/doc/handlebard/resolved-packages").read_text().splitlines()
    assert all(re.fullmatch(r"[a-z0-9.-]+ \d+(\.\d+)*", line) for line in lines), lines
    assert lines == sorted(lines)
    state = json.loads((BIN.parent / "workspace-state.json").read_text())["object"]["dependencies"]
    versions = {one["packageRef"]["identity"]: one["state"]["checkoutState"]["version"] for one in state}
    assert dict(line.split() for line in lines) == versions
    assert {"swift-nio", "swift-log"} <= set(versions)


@pytest.fixture
def python_package(package):
    """The package of the Python client that was built with the daemon's."""
    version = images.run("dpkg-deb", "--field", package, "Version").strip()
    one = package.with_name(f"python3-handlebar_{version}_all.deb")
    if not one.exists():
        pytest.skip(f"there is no {one.name} beside {package}")
    return one


def test_the_python_client_is_a_package(root, python_package, folder):
    """The Python package for any user of the system's Python; compiled with the system's, and purged without a trace."""
    images.run("dpkg-deb", "--extract", python_package, folder / "root")
    files = {str(one.relative_to(folder / "root")) for one in (folder / "root").rglob("*") if one.is_file()}
    documents = {f"usr/share/doc/python3-handlebar/{name}" for name in ("README.md", "changelog.gz", "copyright")}
    documents |= {"usr/bin/handlebar-sensors", "usr/share/man/man1/handlebar-sensors.1.gz"}
    sources = {one.name for one in (images.ROOT / "clients/python/handlebar").iterdir() if one.is_file()}
    assert "py.typed" in sources
    assert files == {f"usr/lib/python3/dist-packages/handlebar/{name}" for name in sources} | documents
    assert images.run("dpkg-deb", "--field", python_package, "Depends").strip() == "python3 (>= 3.9)"
    (root / "package.deb").write_bytes(python_package.read_bytes())
    before = images.inside(root, LIST)
    version = images.inside(root, "dpkg -i /package.deb >&2 && cd / && python3 -c 'import handlebar; print(handlebar.__version__)'")
    assert version.strip() == images.run(BIN / "handlebard", "--version").strip()
    images.inside(root, "dpkg --purge python3-handlebar")
    assert images.inside(root, LIST) == before


def test_lintian_is_content(package, python_package):
    try:
        done = subprocess.run(["lintian", "--fail-on=warning", package, python_package], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("lintian is not installed")
    assert done.returncode == 0, done.stdout + done.stderr


def test_default_configuration_is_valid(root, package):
    """What is installed and not touched starts the daemon."""
    (root / "package.deb").write_bytes(package.read_bytes())
    images.inside(root, "dpkg -i /package.deb && handlebard --check-config")


# What changes by itself or is a record of what was done; the package's own names in it are looked for below.
PASSING = (
    "/var/lib/dpkg", "/var/log", "/var/cache", "/run", "/proc", "/sys", "/dev", "/tmp", "/var/tmp", "/etc/machine-id", "/package.deb",
    "/newer.deb", "/var/lib/systemd", "/etc/passwd-", "/etc/group-", "/etc/shadow-", "/etc/gshadow-", "/etc/.pwd.lock",
    "/etc/subuid", "/etc/subgid", "/root",
)
LIST = (
    "find / -xdev '(' " + " -o ".join(f"-path {one}" for one in PASSING)
    + " ')' -prune -o '(' -type f -printf 'f %m %U:%G %s %p\\n' -o -type d -printf 'd %m %U:%G %p\\n' -o -printf '%y %l %p\\n' ')' | sort; "
    "cat /etc/passwd /etc/group"
)


def traces(run):
    """Names of ours in the places that change by themselves."""
    found = run("find /run /var/lib/systemd /var/cache /tmp /var/tmp /dev -iname '*handlebar*' 2>/dev/null; dpkg -l | grep handlebar; true")
    return [line for line in found.splitlines() if line]


def test_image_without_a_running_systemd(root, package):
    """Installed where nothing runs, as images are made: enabled, not started; purged without a trace."""
    (root / "package.deb").write_bytes(package.read_bytes())

    def run(script):
        return images.inside(root, script)

    before = run(LIST)
    run("dpkg -i /package.deb")
    for unit in UNITS:
        assert run(f"systemctl is-enabled {unit}").strip() == "enabled"
    assert run("id -nG handlebar").split() == ["handlebar", "dialout"]
    assert run("handlebard --version").strip()
    run("dpkg --purge handlebard")
    assert run(LIST) == before
    assert not traces(run)


def test_life_on_a_running_board(root, package):
    """Installed, upgraded, removed, installed again, purged: each step leaves exactly what it should."""
    with contextlib.ExitStack() as stack:
        (root / "package.deb").write_bytes(package.read_bytes())
        version = images.run("dpkg-deb", "--field", package, "Version").strip()
        newer = stack.enter_context(images.newer(package, version + "+newer"))
        (root / "newer.deb").write_bytes(newer.read_bytes())
        try:
            board = stack.enter_context(Userland(root))
        except images.Missing as missing:
            pytest.skip(str(missing))

        def run(script):
            return board.run(script).stdout

        def active():
            return [board.show(unit, "ActiveState") for unit in UNITS]

        before = run(LIST)

        # Installed: enabled and started.
        run("dpkg -i /package.deb")
        assert active() == ["active", "active"]
        assert [run(f"systemctl is-enabled {unit}").strip() for unit in UNITS] == ["enabled", "enabled"]
        assert board.show("handlebard", "User") == "handlebar"
        # The map listens on the network once its owner wants that.
        assert board.show(MAP, "ActiveState") == "inactive"
        run(f"systemctl enable --now {MAP}")
        first = board.show("handlebard", "MainPID")

        # Upgraded: the new one runs, what was configured and recorded stays.
        run("echo '# mine' >>/etc/handlebar/handlebard.toml")
        run(f"install -d -o handlebar -g handlebar -m 750 {os.path.dirname(RIDE)}; echo ride >{RIDE}; chown handlebar: {RIDE}")
        run("dpkg -i --force-confold /newer.deb")
        assert active() == ["active", "active"]
        assert board.show(MAP, "ActiveState") == "active"
        second = board.show("handlebard", "MainPID")
        assert second not in ("0", first)
        assert "# mine" in run("cat /etc/handlebar/handlebard.toml")
        assert run(f"cat {RIDE}") == "ride\n"

        # Stopped and disabled by its owner: an upgrade does not overrule that.
        run("systemctl disable --now handlebard.service handlebard.socket")
        run("dpkg -i /package.deb")
        assert active() == ["inactive", "inactive"]
        assert board.run("systemctl is-enabled handlebard.service", check=False).stdout.strip() == "disabled"
        run("systemctl enable --now handlebard.socket handlebard.service")
        assert active() == ["active", "active"]

        # Removed: nothing runs, no socket, no program; configuration and rides stay.
        run("dpkg --remove handlebard")
        assert board.run("pgrep -x handlebard", check=False).returncode == 1
        assert board.show(MAP, "ActiveState") == "inactive"
        assert board.run("test -e /run/handlebar/location.sock", check=False).returncode
        assert board.run("ls /usr/sbin/handlebard /usr/lib/systemd/system/handlebard.*", check=False).stdout == ""
        assert "# mine" in run("cat /etc/handlebar/handlebard.toml")
        assert run(f"cat {RIDE}") == "ride\n"

        # Installed again: as it was.
        run("dpkg -i /package.deb")
        assert active() == ["active", "active"]
        assert "# mine" in run("cat /etc/handlebar/handlebard.toml")

        # Purged: nothing but the rides, wherever they lie, and those are root's.
        run(f"install -d -o handlebar -g handlebar {os.path.dirname(OTHER_RIDE)} '{EMPTY}'; echo tour >{OTHER_RIDE}; chown handlebar: {OTHER_RIDE}")
        run("dpkg --purge handlebard")
        run("systemctl daemon-reload")
        assert board.run("systemctl cat handlebard.service", check=False).returncode
        left = set(run(LIST).splitlines()) ^ set(before.splitlines())
        folders = {str(one) for ride in (RIDE, OTHER_RIDE) for one in pathlib.PurePath(ride).parents}
        folders -= {"/", "/var", "/var/lib"}
        assert {line.split()[-1] for line in left} == {RIDE, OTHER_RIDE} | folders, left
        assert all("0:0" in line.split() for line in left), left
        assert run(f"cat {RIDE} {OTHER_RIDE}") == "ride\ntour\n"
        assert not traces(run)

        # Installed once more: the rides are the daemon's again, whatever number its user has now.
        run("dpkg -i /package.deb")
        assert run(f"stat -c %U {RIDE}").strip() == "handlebar"
        # Purged without rides: nothing at all.
        run("systemctl stop handlebard.service && rm -r /var/lib/handlebar/rides /var/lib/handlebar/tours")
        run("dpkg --purge handlebard")
        assert run(LIST) == before
        assert not traces(run)
