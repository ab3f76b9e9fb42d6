"""`handlebarctl doctor` on running daemons: it names every fault and no other."""

import itertools
import json
import os
import socket
import struct
import subprocess
import sys
import threading

import pytest

from gpsd_harness import Feeder
from handlebar_harness import BIN, ROOT, TIMEOUT, Daemon, Receiver, control, tracking, until
from nmea_sender import epoch, sentence
from simulated_receivers import ubx

sys.path.insert(0, str(ROOT / "clients" / "python"))
import handlebar  # noqa: E402


def examine(path, *options, **environment):
    """The exit code and the findings by check."""
    done = subprocess.run(
        [BIN / "handlebarctl", "--socket", path, "doctor", "--json", *options], capture_output=True, text=True,
        timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL, env={**os.environ, "HANDLEBAR_CONFIG": "", **environment},
    )
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == int(any(one["state"] == "wrong" for one in findings)), done.stdout + done.stderr
    for one in findings:
        assert one["state"] != "wrong" or one["remedy"], one
    return {one["check"]: one for one in findings if one["state"] == "wrong"}, findings


def test_no_findings_with_a_fix(folder):
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}") as daemon,
        daemon.connect() as client,
        # The fix would be lost before a slow examination.
        Feeder(receiver),
    ):
        client.watch(distanceFilter=0)
        client.wait("STATE", tracking)
        wrong, findings = examine(daemon.socket)
        # The sentences carry a time of their own; on this machine the clock may be another.
        assert set(wrong) <= {"clock", "disk", "holder"}, wrong
        # This test holds the other end of the line, and the line itself.
        assert [one for one in findings if one["check"] == "holder" and f"(pid {os.getpid()})" not in one["message"]] == []
        assert {"configuration", "socket", "receiver", "sky"} <= {one["check"] for one in findings}
        daemon.stop()


def test_no_receiver(folder):
    with Daemon(folder, f"serial:{folder}/absent") as daemon:
        wrong, _ = examine(daemon.socket)
        assert f"{folder}/absent does not exist" in wrong["receiver"]["message"]
        daemon.stop()


def test_device_held_by_another_process(folder):
    with Receiver(folder / "gps0") as receiver:
        holder = subprocess.Popen(["sleep", "infinity"], stdin=receiver.slave)
        try:
            with Daemon(folder, f"serial:{receiver.link}") as daemon:
                _, findings = examine(daemon.socket)
                assert any(f"sleep (pid {holder.pid})" in one["message"] for one in findings if one["check"] == "holder")
                daemon.stop()
        finally:
            holder.kill()
            holder.wait()


def test_no_daemon(folder):
    wrong, _ = examine(folder / "absent.sock")
    assert "does not exist" in wrong["socket"]["message"] and "systemctl start" in wrong["socket"]["remedy"]
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "left.sock"))
    wrong, _ = examine(folder / "left.sock")
    assert "no process listens" in wrong["socket"]["message"]


def test_wrong_configuration(folder):
    (folder / "handlebard.toml").write_text("\ndistance_filter = 5\n")
    wrong, _ = examine(folder / "absent.sock", HANDLEBAR_CONFIG=f"{folder}/handlebard.toml")
    message = wrong["configuration"]["message"]
    assert message.startswith(f"{folder}/handlebard.toml:2: distance_filter: "), message
    assert '"distance-filter"' in message


def test_text_output(folder):
    code, out, err = control(folder / "absent.sock", "doctor")
    assert code == 1 and err == ""
    assert "\nwrong  socket " in "\n" + out and " do: " in out


def searching(number, signals=(), *more):
    """An epoch without a fix, the signals of satellites in dBHz, and further sentences."""
    seen = "".join(f",{10 + index},40,100,{signal}" for index, signal in enumerate(signals))
    return epoch(number, 0.2, valid=False) + sentence(f"GPGSV,1,1,{len(signals):02d}{seen}") + b"".join(map(sentence, more))


def sirf(payload):
    return b"\xa0\xa2" + struct.pack(">H", len(payload)) + payload + struct.pack(">H", sum(payload) & 0x7FFF) + b"\xb0\xb3"


# What a sick board sends in a step, of which the number is given: nothing but bytes, or sentences. The configuration of its source,
# the finding about it, and why there is no fix.
BOARDS = {
    "nothing": (lambda number: b"", "", ("wrong", "receiver", "nothing arrives from the receiver", "its TX is wired"), "silent"),
    "another speed": (
        lambda number: bytes((number + index) * 37 % 97 + 128 for index in range(200)), "?speed=9600",
        ("wrong", "speed", "without an NMEA sentence at 9600 baud", "remove speed=9600 from the source"), "wrongSpeed"),
    "SiRF binary": (
        lambda number: sirf(b"\x02" + bytes(range(40))) + sirf(bytes(188)) + sirf(bytes(20)), "",
        ("wrong", "speed", "it sends SiRF binary", "gpsctl -n"), "noNMEA"),
    "a prompt": (
        lambda number: b"\r\npi login: " if number < 6 else b"", "",
        ("wrong", "speed", "it sends the text of a console", "set the source to the receiver's line"), "noNMEA"),
    "no antenna": (
        lambda number: searching(number, (), "GPTXT,01,01,01,ANTENNA OPEN"), "",
        ("note", "sky", "the circuit of its antenna is open (TXT)", "check the antenna's plug"), "antenna"),
    "a short circuit": (
        lambda number: searching(number, (), "GPTXT,01,01,01,ANTENNA SHORT"), "",
        ("wrong", "sky", "a short circuit of its antenna (TXT)", "unplug the antenna"), "antenna"),
    "no sky": (searching, "", ("wrong", "sky", "the receiver sees no satellite", "a view of the sky"), "searching"),
    "no list of satellites": (
        lambda number: epoch(number, 0.2, valid=False) + sentence("GNGSA,A,1,,,,,,,,,,,,,9.9,8.8,4.5"), "",
        ("note", "sky", "the receiver has no fix, and reports no satellites", "a view of the sky"), "searching"),
    "no checksums": (
        lambda number: b"".join(line[:-3] + b"\r\n" for line in epoch(number, 0.2).splitlines()), "",
        ("wrong", "speed", "it sends NMEA 0183 without checksums", "add checksums=prefer to the source"), "noNMEA"),
    "a line that damages all": (
        lambda number: b"".join(line[:-1] + (b"1" if line.endswith(b"0") else b"0") + b"\r\n" for line in epoch(number, 0.2).splitlines()), "",
        ("wrong", "speed", "it sends NMEA 0183 with wrong checksums", "check the cable"), "noNMEA"),
    "weak signals": (
        lambda number: searching(number, (18, 22, 25), "GPTXT,01,01,01,ANTENNA OK"), "",
        ("note", "sky", "no fix yet: 3 signals, the strongest of 25 dBHz", "a better view of the sky"), "searching"),
    "jamming": (
        lambda number: ubx(0x0A, 0x38, bytes([0, 1, 0, 0, 0, 3, *[0] * 22])) + searching(number, (25,)), "",
        ("note", "sky", "states jamming: critical (MON-RF)", "move the antenna away"), "jammed"),
    "another datum": (
        lambda number: epoch(number, 0.2) + sentence("GPDTM,P90,,0.0,N,0.0,E,0.0,W84"), "",
        ("note", "sky", "states positions on another datum than WGS 84: P90 (DTM)", "set the receiver to WGS 84"), None),
    "memory without a position": (
        lambda number: sentence(f"GNRMC,12{number // 60 % 60:02d}{number % 60:02d}.00,A,0000.0000,N,00000.0000,E,0.0,,190326,,,A,V"), "",
        ("wrong", "sky", "fixes at 0\u00b0 N 0\u00b0 E", "its power away"), "implausible"),
    "a compass": (
        lambda number: sentence("HEHDT,90.0,T") * 5, "", ("wrong", "sky", "none with a position", "let it send RMC and GGA"),
        "noPosition"),
    "a disturbed line": (
        lambda number: epoch(number, 0.2) + b"\xff\x00~" + sentence("GPVTG,1.0,T,,M,1.0,N,1.9,K,A")[:-4] + b"ZZ\r\n"
        + sentence("GPGLL,4807.038,N,01131.000,E,120000.00,A,A").replace(b"4807", b"4817"), "",
        ("note", "speed", "the line is disturbed: ", "check the cable"), None),
    "a line that does not take all": (
        lambda number: epoch(number, 0.2) + sentence("GNTXT,01,01,00,txbuf alloc"), "",
        ("note", "speed", "the line did not take all that the receiver sends", "receiver = { speed = 115200 }"), None),
    "a full line": (
        lambda number: epoch(number, 0.2) + sentence("GPGSV,1,1,00") * 20, "?speed=9600",
        ("wrong", "speed", "the line is too slow for what the receiver sends: 100 % of 9600 bit/s", "receiver = { speed = 38400 }"), None),
    "a supply that breaks down": (
        lambda number: sentence("GPTXT,01,01,02,MA=CASIC") + epoch(number, 0.2), "",
        ("note", "receiver", "the receiver has started ", "check the cable, the plug and the power supply"), None),
}  # fmt: skip


class Board:
    """Sends a step every 0.2 s, however long an examination takes."""

    def __init__(self, receiver, sends):
        self.receiver, self.sends = receiver, sends
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def run(self):
        for number in itertools.count():
            if self.over.wait(0.2):
                return
            if data := self.sends(number):
                self.receiver.write(data)


@pytest.mark.parametrize("sends, options, finding, reason", BOARDS.values(), ids=BOARDS)
def test_a_sick_board_is_told_from_the_others(folder, sends, options, finding, reason):
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}{options}") as daemon,
        Board(receiver, sends),
    ):

        def found():
            _, findings = examine(daemon.socket)
            return [one for one in findings if (one["state"], one["check"]) == finding[:2] and finding[2] in one["message"]]

        (one,) = until(found, finding[2], timeout=2 * TIMEOUT, pause=0.5)
        assert finding[3] in one["remedy"]
        with daemon.connect() as client:
            client.watch()
            # A board without a reason has its fix soon, perhaps after the finding.
            state = client.wait(
                "STATE", lambda state: state.get("reason") == reason and (reason or state["state"] == "tracking")
            )
        assert "reasonSince" in state if reason else "reasonSince" not in state
        with handlebar.Client(daemon.socket) as client:
            status = client.status()
        # A pseudo-terminal counts no lost bytes.
        assert status.reason == reason and status.sources[0].overruns is None
        daemon.stop()


def test_bytes_that_the_driver_of_a_line_has_lost(folder, interposed, monkeypatch):
    lost = folder / "overruns"
    lost.write_text("3")
    monkeypatch.setenv("OVERRUNS", str(lost))
    monkeypatch.setenv("LD_PRELOAD", str(interposed))
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}") as daemon,
        Board(receiver, lambda number: epoch(number, 0.2)),
        handlebar.Client(daemon.socket) as client,
    ):
        monkeypatch.delenv("LD_PRELOAD")
        until(lambda: client.status().sources[0].overruns == 0, "the count")
        lost.write_text("15")
        until(lambda: client.status().sources[0].overruns == 12, "the lost bytes")
        wrong, _ = examine(daemon.socket)
        assert "has lost 12 bytes of the line in the last minute" in wrong["speed"]["message"]
        daemon.stop()
