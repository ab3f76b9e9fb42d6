"""The quick start of u-blox receivers: what is kept over power-off and sent back, and that nothing false ever is."""

import datetime
import math
import os
import pathlib
import re
import struct
import sys
import termios
import time

import pytest

from handlebar_harness import ROOT, Daemon, Stopwatch, control, tracking, until
from simulated_receivers import SimulatedOther, SimulatedUblox, SimulatedUblox6, SimulatedUbloxF9, SimulatedUbloxKeys, ubx

sys.path.insert(0, str(ROOT / "clients" / "python"))
import handlebar  # noqa: E402

FAMILIES = [SimulatedUblox, SimulatedUbloxKeys, SimulatedUbloxF9]
WISH = "receiver.protocol=nmea&receiver.rate=5&receiver.speed=38400"
# Seconds to the first fix of a receiver that knows nothing.
COLD = 8.0


class Run(Daemon):
    """A daemon with a state directory; the receiver's start is over, and there is a fix."""

    def __init__(self, folder, receiver, wish=WISH, options=()):
        self.state = folder / "state"
        super().__init__(folder, f"serial:{receiver.link}?{wish}", options=["--state", self.state, *options])

    def status(self):
        with self.connect() as client:
            client.send("?STATUS;")
            return client.wait("STATUS")

    def first_fix(self, meanwhile=lambda: None):
        """What `STATUS` reports of the first fix, after the set-up."""
        def found():
            meanwhile()
            status = self.status()
            return status["sources"][0].get("receiver") in ("done", "unsupported") and status.get("firstFix")

        return until(found, "the first fix and the set-up", pause=0.1)

    def stop(self):
        """Stops it as the service manager does, which waits 5 s."""
        clock = Stopwatch(self.pid)
        super().stop(clock=clock)
        assert clock.now() < 4.5


def kept(folder):
    """The files of databases."""
    return sorted((folder / "state").glob("navigation-*"))


def sent(receiver, group=0x13):
    """The messages of a class that the receiver was sent, without queries."""
    return [command for command in receiver.commands if command[2] == group and len(command) > 8]


def restored(receiver):
    """The messages of a database that it has taken, in their order. Those on their way come again if the answer is late."""
    frames = [frame for frame in receiver.aids if frame[3] == 0x80]
    assert len(frames) < 1.5 * receiver.number_of_entries
    return list(dict.fromkeys(frames))


def cold(receiver):
    receiver.cold = COLD
    receiver.switch_on()
    return receiver


def forget(receiver):
    """Takes its power away while no daemon runs."""
    with receiver.lock:
        receiver.power_cycle()
        if receiver.master is not None:
            # What the daemon has not read any more is at the speed of before.
            termios.tcflush(receiver.master, termios.TCOFLUSH)
            line = os.open(receiver.link, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            termios.tcflush(line, termios.TCIFLUSH)
            os.close(line)
        receiver.commands.clear()
        receiver.partial = b""


def learn(folder, receiver, wish=WISH):
    """A run of the daemon that keeps the receiver's database."""
    with Run(folder, receiver, wish) as daemon:
        assert daemon.first_fix()["start"] == "cold"
        daemon.stop()
    forget(receiver)


def checksum(lines):
    value = 0xCBF29CE484222325
    for byte in "".join(line + "\n" for line in lines).encode():
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:x}"


def rewrite(path, change):
    """Changes the lines of a kept database, with a checksum that is right."""
    head, *lines, _, end, rest = path.read_text().split("\n")
    change(lines)
    path.write_text("\n".join([head, *lines, checksum(lines), end, rest]))


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("wish", [WISH, "receiver.rate=5"])
def test_a_database_survives_the_power_and_makes_the_start_quick(folder, family, wish):
    with family(folder / "gps0") as receiver:
        learn(folder, cold(receiver), wish)
        (file,) = kept(folder)
        assert file.name == "navigation-" + receiver.unique.hex() and file.stat().st_mode & 0o777 == 0o640
        # Without its database it would never have a fix.
        receiver.cold = math.inf
        with Run(folder, receiver, wish) as daemon:
            first = daemon.first_fix()
            # Whole, before the rate, and nothing that is not known: the clock is not set here, or it would be sent.
            assert restored(receiver) == receiver.entries()
            assert first["start"] == "aided" and "database" in first["aids"].split(",")
            names = [(command[2], command[3]) for command in receiver.commands]
            rate = next(
                number for number, command in enumerate(receiver.commands)
                if command[2:4] == b"\x06\x08" and len(command) > 8 or command[2:4] == b"\x06\x8a" and command[10:14] == b"\1\0\x21\x30")
            last = max(number for number, name in enumerate(names) if name == (0x13, 0x80))
            assert last < rate and receiver.settings["period"] == 200
            daemon.stop()


@pytest.mark.parametrize("family", [SimulatedUblox6, SimulatedOther])
def test_a_receiver_without_assistance_is_sent_none(folder, family):
    begin = time.monotonic()
    with family(folder / "gps0") as receiver, Run(folder, receiver) as daemon:
        first = daemon.first_fix()
        assert "start" not in first and "aids" not in first and first["duration"] < time.monotonic() - begin
        assert not [command for command in receiver.commands if command[2:4] in (b"\x13\x80", b"\x27\x03")]
        daemon.stop()
        assert not kept(folder)


def test_a_receiver_with_a_fix_is_not_disturbed(folder):
    with SimulatedUblox(folder / "gps0") as receiver:
        with Run(folder, receiver) as daemon:
            assert daemon.first_fix()["start"] == "warm"
            daemon.stop()
        assert kept(folder) and not sent(receiver)
        with Run(folder, receiver) as daemon:
            first = daemon.first_fix()
            assert first["start"] == "warm" and "aids" not in first
            assert "the receiver had a fix" in control(daemon.socket, "status")[1]
            daemon.stop()
        assert not sent(receiver)


def other_firmware(file, receiver):
    receiver.version = (*receiver.version[:2], ["FWVER=SPG 9.99", *receiver.version[2][1:]])


def old(days):
    def change(file, receiver):
        def lines(lines):
            utc, boot, instant = lines[2].split()
            lines[2] = f"{utc} {boot} {int(instant) - days * 86_400 * 10**9}"

        rewrite(file, lines)

    return change


def other_boot(file, receiver):
    """By the clock, which is not known to be set but later than its time, it is from March 2026."""
    def lines(lines):
        utc, _, instant = lines[2].split()
        lines[2] = f"{utc} 00000000-0000-0000-0000-000000000000 {instant}"

    rewrite(file, lines)


def damaged(file, receiver):
    text = file.read_text()
    middle = len(text) // 2
    file.write_text(text[:middle] + ("0" if text[middle] != "0" else "1") + text[middle + 1:])


def truncated(file, receiver):
    file.write_bytes(file.read_bytes()[:1000])


def other_receiver(file, receiver):
    """The file of another receiver under this one's name."""
    rewrite(file, lambda lines: lines.__setitem__(0, "0a0b0c0d0e"))


@pytest.mark.parametrize("change, said", [
    (other_firmware, "firmware was"), (old(15), "15 days old"), (other_boot, "days old"), (damaged, "is damaged"), (truncated, "is damaged"),
    (other_receiver, "of another receiver"),
])
def test_a_database_that_does_not_fit_is_not_sent(folder, change, said):
    with SimulatedUblox(folder / "gps0") as receiver:
        learn(folder, cold(receiver))
        change(kept(folder)[0], receiver)
        with Run(folder, receiver) as daemon:
            first = daemon.first_fix()
            assert "database" not in first.get("aids", "") and not [frame for frame in sent(receiver) if frame[3] == 0x80]
            assert re.search(said, daemon.log) and receiver.settings["period"] == 200
            daemon.stop()
        # It is replaced by that of this run.
        (file,) = [path for path in kept(folder) if path.suffix != ".damaged"]
        assert len(file.read_text().split("\n")) == receiver.number_of_entries + 7


def test_a_database_of_13_days_is_sent(folder):
    with SimulatedUblox(folder / "gps0") as receiver:
        learn(folder, cold(receiver))
        old(13)(kept(folder)[0], receiver)
        with Run(folder, receiver) as daemon:
            assert "database" in daemon.first_fix()["aids"]
            daemon.stop()


def test_each_receiver_has_its_own_database(folder):
    with SimulatedUblox(folder / "gps0") as receiver:
        learn(folder, cold(receiver))
    with SimulatedUblox(folder / "gps0") as other:
        other.unique = bytes([5, 5, 5, 5, 5])
        cold(other)
        with Run(folder, other) as daemon:
            assert "database" not in daemon.first_fix().get("aids", "")
            daemon.stop()
        assert not [frame for frame in sent(other) if frame[3] == 0x80]
    assert len(kept(folder)) == 2


def test_power_cuts_in_the_writing_leave_the_old_or_the_new_database(folder, interposed, monkeypatch):
    with SimulatedUblox(folder / "gps0") as receiver:
        learn(folder, cold(receiver))
        (file,) = kept(folder)
        for stage in ("before", "half", "written", "synchronized", "renamed"):
            old_bytes = file.read_bytes()
            monkeypatch.setenv("LD_PRELOAD", str(interposed))
            monkeypatch.setenv("CUT_AT", stage)
            with Run(folder, receiver) as daemon:
                assert "database" in daemon.first_fix()["aids"]
                daemon.process.terminate()
                assert daemon.wait_end() == -9, f"no power cut at {stage}"
            monkeypatch.delenv("LD_PRELOAD")
            assert [path.name for path in kept(folder)] == [file.name]
            assert (file.read_bytes() == old_bytes) == (stage != "renamed")
            lines = file.read_text().split("\n")
            assert lines[-2] == "end" and checksum(lines[1:-3]) == lines[-3]
            forget(receiver)


def test_the_time_is_sent_only_when_the_clock_is_set(folder, interposed, monkeypatch):
    if pathlib.Path("/run/systemd/timesync/synchronized").exists():
        pytest.skip("systemd-timesyncd keeps this machine's clock")
    monkeypatch.setenv("LD_PRELOAD", str(interposed))
    with SimulatedUblox(folder / "gps0") as receiver:
        cold(receiver)
        with Run(folder, receiver) as daemon:
            assert "time" not in daemon.first_fix().get("aids", "") and not sent(receiver)
            daemon.stop()
        forget(receiver)
        monkeypatch.setenv("CLOCK_ERROR", "250000")
        begin = datetime.datetime.now(datetime.timezone.utc)
        with Run(folder, receiver) as daemon:
            first = daemon.first_fix()
            # By this clock the database of the simulated March is too old.
            assert first["start"] == "aided" and first["aids"].split(",")[0] == "time"
            daemon.stop()
        # It comes again, as it is then, if the answer is late.
        frame = next(frame for frame in receiver.aids if frame[3] == 0x40 and frame[6] == 0x10)
        year, month, day, hour, minute, second, _, nanoseconds, whole, _, rest = struct.unpack_from("<HBBBBBBIHHI", frame, 10)
        said = datetime.datetime(year, month, day, hour, minute, second, nanoseconds // 1000, datetime.timezone.utc)
        margin = datetime.timedelta(seconds=1)
        assert begin - margin < said < datetime.datetime.now(datetime.timezone.utc) + margin
        assert 0.25 < whole + rest / 1e9 < 0.5


def test_the_place_is_sent_with_an_error_that_grows(folder):
    begin = time.monotonic()
    with SimulatedUblox(folder / "gps0") as receiver:
        learn(folder, cold(receiver))
        with Run(folder, receiver) as daemon:
            assert "position" in daemon.first_fix()["aids"].split(",")
            daemon.stop()
        # The same again if the answer is late.
        (frame,) = {frame for frame in receiver.aids if frame[3] == 0x40 and frame[6] == 0x01}
        latitude, longitude, height, error = struct.unpack_from("<iiiI", frame, 10)
        assert abs(latitude / 1e7 - 48.1) < 0.1 and abs(longitude / 1e7 - 11.5) < 0.1
        # 5 km, and 10 m/s for the time since then.
        assert 5_000_00 < error < 5_000_00 + (time.monotonic() - begin) * 1000
        # A position of another boot has no age, and by a clock that is not set it gets none.
        state = folder / "state" / "position"
        state.write_text(re.sub(r"(?m)^\S+( \d+ \{)", r"other\1", state.read_text()))
        forget(receiver)
        with Run(folder, receiver) as daemon:
            assert "position" not in daemon.first_fix()["aids"].split(",")
            daemon.stop()


def test_assistance_files_are_sent_as_far_as_they_are_orbits_for_today(folder, interposed, monkeypatch):
    monkeypatch.setenv("LD_PRELOAD", str(interposed))
    monkeypatch.setenv("CLOCK_ERROR", "1000")
    files = folder / "assistance"
    files.mkdir()
    now = datetime.datetime.now(datetime.timezone.utc)

    def daily(satellite, when):
        return ubx(0x13, 0x20, bytes([0, 0, satellite, 0, when.year - 2000, when.month, when.day, 0]) + bytes(68))

    # Around midnight either day is today.
    today = [daily(satellite, now + datetime.timedelta(minutes=minutes)) for satellite in range(1, 31) for minutes in (0, 10)]
    orbits = [ubx(0x13, 0x00, bytes([1, 0, satellite, 0]) + bytes(64)) for satellite in range(1, 11)]
    false = [ubx(0x13, 0x40, bytes([0x10]) + bytes(23)), ubx(0x06, 0x04, bytes(4)), ubx(0x13, 0x80, bytes(60))]
    tomorrow = daily(9, now + datetime.timedelta(days=3))
    (files / "offline.ubx").write_bytes(b"".join(dict.fromkeys(today)) + tomorrow + b"\xb5\x62garbage")
    (files / "online.ubx").write_bytes(b"".join(false + orbits))
    (files / "page.ubx").write_text("<html>Not found</html>")
    (files / "huge.ubx").write_bytes(bytes((1 << 20) + 1))
    (files / "whole.ubx").write_bytes(bytes(1 << 20))
    (files / "folder.ubx").mkdir()
    (files / "readme.txt").write_text("no file of orbits")
    with SimulatedUblox(folder / "gps0") as receiver:
        cold(receiver)
        with Run(folder, receiver, f"{WISH}&receiver.assistance={files}") as daemon:
            first = daemon.first_fix()
            assert first["aids"].split(",")[-1] == "assistance"
            log = daemon.log
            daemon.stop()
        frames = [frame for frame in receiver.aids if frame[3] != 0x40 or frame[6] != 0x10]
        assert set(frames) <= set(today) | set(orbits) and set(orbits) <= set(frames) and len(frames) >= 40
        for words in ("offline.ubx: 0 other messages and 9 damaged bytes", "online.ubx: 3 other messages", "page.ubx: no UBX-MGA messages",
                      "huge.ubx: larger than 1 MiB", "whole.ubx: makes the files larger", "folder.ubx: not a file"):
            assert words in log, words
        assert "readme" not in log
    (folder / "b").mkdir()
    with SimulatedUblox(folder / "b" / "gps0") as receiver:
        cold(receiver)
        with Run(folder / "b", receiver, f"{WISH}&receiver.assistance={folder}/none") as daemon:
            daemon.first_fix()
            assert "none has no assistance files; put files" in daemon.log
            daemon.stop()


@pytest.mark.parametrize("trouble", [
    {"lost": [0x80]}, {"rejected": [0x80, 0x40]}, {"refused": ["acknowledging"]}, {"deaf": ["aid"]}, {"deaf": ["unique", "status"]},
    {"garbage": b"\xb5\x62\x13\x60\xff\xff"}, {"late": 0.3},
])
def test_trouble_in_the_start_delays_nothing_but_the_fix(folder, trouble):
    with SimulatedUblox(folder / "gps0") as receiver:
        learn(folder, cold(receiver))
        for name, value in trouble.items():
            setattr(receiver, name, set(value) if isinstance(value, list) else value)
        # With late answers the line has its speed after more than six seconds.
        receiver.cold = 15.0
        with Run(folder, receiver) as daemon, daemon.connect() as client:
            client.watch(distanceFilter=0)
            first = daemon.first_fix(meanwhile=client.receive)
            helped = "garbage" in trouble or "late" in trouble
            assert ("database" in first.get("aids", "")) == helped, daemon.log
            until(lambda: receiver.settings["period"] == 200, "the set-up")
            client.wait("STATE", tracking)
            seq = client.wait("TPV", lambda fix: fix["mode"] >= 2)["seq"]
            client.wait("TPV", lambda fix: fix["seq"] >= seq + 5)
            daemon.stop()


@pytest.mark.parametrize("trouble", [{"hides_an_entry": True}, {"deaf": ["end"]}, {"deaf": ["database"]}])
def test_a_database_that_does_not_arrive_whole_is_thrown_away(folder, trouble):
    with SimulatedUblox(folder / "gps0") as receiver:
        learn(folder, cold(receiver))
        before = kept(folder)[0].read_bytes()
        for name, value in trouble.items():
            setattr(receiver, name, set(value) if isinstance(value, list) else value)
        with Run(folder, receiver, options=["--record", folder / "rides"]) as daemon:
            daemon.first_fix()
            daemon.stop()
            assert "database not kept, an older one stays" in daemon.log
        assert kept(folder)[0].read_bytes() == before
        assert list((folder / "rides").glob("*.nmea"))


def test_unplugged_in_the_middle_of_its_start_and_of_the_end(folder):
    with SimulatedUblox(folder / "gps0") as receiver:
        learn(folder, cold(receiver))
        receiver.late = 0.1
        with Run(folder, receiver) as daemon:
            until(lambda: len([frame for frame in sent(receiver) if frame[3] == 0x80]) > 3, "the first messages")
            receiver.unplug()
            receiver.late = 0
            begin = time.monotonic()
            forget(receiver)
            receiver.plug()
            first = daemon.first_fix()
            # Timed from when it was switched on, by its own clock.
            assert "database" in first["aids"] and first["duration"] < time.monotonic() - begin + 1
            assert restored(receiver) == receiver.entries()
            # Its answer never comes, as it is unplugged.
            receiver.late = 60
            clock = Stopwatch(daemon.pid)
            daemon.process.terminate()
            until(lambda: receiver.commands[-1][2:4] in (b"\x06\x23", b"\x13\x80"), "the query of its database")
            receiver.unplug()
            until(lambda: daemon.process.poll() is not None or clock.look() < 0, "the end", pause=0.001)
            assert daemon.wait_end() == 0 and clock.now() < 5


def test_flash_memory_is_written_only_on_request(folder):
    with SimulatedUblox(folder / "gps0") as receiver:
        receiver.has_flash = True
        learn(folder, cold(receiver))
        with Run(folder, receiver) as daemon:
            daemon.first_fix()
            daemon.stop()
        assert not [command for command in receiver.commands if command[2:4] in (b"\x09\x14", b"\x06\x04")] and not receiver.backup
        kept(folder)[0].unlink()
        wish = f"{WISH}&receiver.flash=true"
        forget(receiver)
        with Run(folder, receiver, wish) as daemon:
            daemon.first_fix()
            daemon.stop()
        until(lambda: receiver.backup and receiver.is_receiving, "the backup, and the start of the receiver after it")
        forget(receiver)
        kept(folder)[0].unlink()
        # Without its backup it would never have a fix.
        receiver.cold = math.inf
        with Run(folder, receiver, wish) as daemon:
            first = daemon.first_fix()
            assert "database" in first["aids"].split(",")
            assert not receiver.backup, "it is cleared after the restore"
            daemon.stop()
        until(lambda: receiver.backup and receiver.is_receiving, "the backup, and the start of the receiver after it")


def test_a_power_cycle_without_a_hang_up_and_without_a_rate(folder):
    """Sentences from a receiver that was set up to UBX show that it was switched on again."""
    with SimulatedUblox(folder / "gps0", speed=38400) as receiver:
        cold(receiver)
        with Run(folder, receiver, "receiver.model=bike") as daemon:
            assert daemon.first_fix()["start"] == "cold"
            # It rides on: at once, a clock that goes by steps would put the switch before the fix.
            ridden = receiver.number + 2
            until(lambda: receiver.settings["nmea"] == 0 and receiver.number > ridden, "UBX alone")
            receiver.cold = 25.0
            begin = time.monotonic()
            receiver.power_cycle()
            until(lambda: receiver.settings["nmea"] == 0 and receiver.settings["model"] == 10, "the second set-up")
            # Timed from when it was switched on, by its own clock.
            first = until(lambda: daemon.status().get("firstFix"), "the first fix after it", pause=0.1)
            assert 24 < first["duration"] < time.monotonic() - begin + 1
            daemon.stop()


def test_what_a_person_is_shown(folder):
    with SimulatedUblox(folder / "gps0") as receiver:
        learn(folder, cold(receiver))
        with Run(folder, receiver) as daemon:
            duration = daemon.first_fix()["duration"]
            text = r"after ([\d.]+) s, helped by position, database"
            status = re.search(rf"first fix +{text}", control(daemon.socket, "status")[1])
            doctor = re.search(f"the first fix came {text}", control(daemon.socket, "doctor")[1])
            # Half a tenth may be rounded either way.
            assert float(status[1]) == float(doctor[1]) == pytest.approx(duration, abs=0.051)
            with handlebar.Client(daemon.socket) as client:
                first = client.status().first_fix
            assert (first.duration, first.start, first.aids) == (duration, "aided", "position,database")
            daemon.stop()
