"""The units as they are installed: right in themselves, and closed as far as their work lets them."""

import re
import subprocess

import pytest

from handlebar_harness import BIN, ROOT

BOUND = 1.0


def analyze(*arguments):
    done = subprocess.run(["systemd-analyze", *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_units_are_right(installed, folder):
    """Each setting is one that systemd knows, without a word."""
    units = []
    for unit in (installed / "usr" / "lib" / "systemd" / "system").glob("*.s*"):
        if not unit.is_file():
            continue
        units.append(folder / unit.name)
        text = unit.read_text().replace("/usr/sbin/handlebard", str(BIN / "handlebard"))
        units[-1].write_text(text.replace("/usr/bin/handlebarctl", str(BIN / "handlebarctl")).replace(
            "/usr/bin/handlebar-sensors", str(ROOT / "clients/python/handlebar-sensors")))
    assert len(units) == 6
    code, said = analyze("verify", "--man=no", "--recursive-errors=no", *units)
    assert code == 0 and not said.strip(), said


@pytest.mark.parametrize(
    ("name", "drop_in"), [
        ("handlebard", None), ("handlebard", "network.conf"), ("handlebard", "gpio.conf"), ("handlebar-forward", None),
        ("handlebar-map", None), ("handlebar-sensors", None)]
)
def test_exposure(folder, name, drop_in):
    """As installed no worse than the bound; the network costs a few tenths."""
    unit = folder / f"{name}.service"
    text = (ROOT / "systemd" / unit.name).read_text()
    if drop_in:
        text += (ROOT / "systemd" / drop_in).read_text()
    unit.write_text(text)
    _, said = analyze("security", "--offline=true", "--no-pager", unit)
    level = re.search(r"Overall exposure level for \S+: (\d+\.\d+)", said)
    assert level, said
    assert float(level[1]) <= BOUND + (0.5 if drop_in == "network.conf" or name == "handlebar-forward" else 0), said


def settings(name):
    """The [Service] or [Socket] settings of a unit, each with its values in order."""
    found = {}
    for line in (ROOT / "systemd" / name).read_text().splitlines():
        if match := re.match(r"(\w+)=(.*)", line):
            found.setdefault(match[1], []).append(match[2])
    return found


def test_device_rules_are_numbers():
    """A name is resolved when the service starts: a receiver whose module comes later would be refused for ever."""
    service = settings("handlebard.service")
    assert service["DevicePolicy"] == ["closed"]
    assert "PrivateDevices" not in service
    for rule in service["DeviceAllow"]:
        assert re.fullmatch(r"char-\d+ rw", rule), rule


def test_socket_is_outside_of_what_stops_with_the_service():
    service, socket = settings("handlebard.service"), settings("handlebard.socket")
    assert "RuntimeDirectory" not in service
    folder = socket["ListenStream"][0].rsplit("/", 1)[0]
    assert re.search(rf"^d {re.escape(folder)} ", (ROOT / "systemd" / "tmpfiles.conf").read_text(), re.MULTILINE)
    assert socket["SocketMode"] == ["0660"]
    assert re.search(rf"^u {socket['SocketGroup'][0]} ", (ROOT / "systemd" / "sysusers.conf").read_text(), re.MULTILINE)


def test_sysusers_and_tmpfiles(folder):
    """Both are taken by systemd's own programs, into a root that has the group of serial ports and nothing else."""
    (folder / "etc").mkdir()
    (folder / "etc" / "group").write_text("root:x:0:\ndialout:x:20:\n")
    (folder / "etc" / "passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    for program, file in (("systemd-sysusers", "sysusers.conf"), ("systemd-tmpfiles", "tmpfiles.conf")):
        command = [program, f"--root={folder}", *(["--create"] if "tmpfiles" in program else []), ROOT / "systemd" / file]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    user = next(line for line in (folder / "etc" / "passwd").read_text().splitlines() if line.startswith("handlebar:"))
    assert user.endswith("/nologin")
    assert "dialout:x:20:handlebar" in (folder / "etc" / "group").read_text().splitlines()
    made = folder / "run" / "handlebar"
    assert made.stat().st_mode & 0o777 == 0o755
    assert made.stat().st_uid == int(user.split(":")[2])


def test_chronyd_runs_whatever_becomes_of_its_socket():
    """As without the group handlebar."""
    (command,) = settings("chrony-access.conf")["ExecStartPost"]
    assert command.startswith("-+")


def test_a_purge_removes_every_state_file():
    kept = set()
    for source in (ROOT / "Sources" / "LocationDaemon").rglob("*.swift"):
        kept.update(re.findall(r'StateFile\(\s*name: "([\w-]+)', source.read_text()))
    purge = (ROOT / "packaging" / "debian" / "postrm").read_text()
    removed = re.search(r"for file in ([\w ]+); do rm", purge)[1].split()
    removed += re.findall(r'"\$state"/([\w-]+)\*', purge)
    assert "navigation-" in kept and kept == set(removed)
