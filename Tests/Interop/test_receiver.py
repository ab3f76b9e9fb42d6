"""Setting up receivers: each family as it answers, and everything that can go wrong on the way."""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import time

import pytest

import nmea_sender
from gpsd_harness import Gpsd, needs_gpsd
from handlebar_harness import TIMEOUT, Daemon, Receiver, control, received, tracking, until
from simulated_receivers import (
    SimulatedAiroha, SimulatedAT6558, SimulatedFirebird, SimulatedL76K, SimulatedMediaTek, SimulatedOther, SimulatedSendOnly,
    SimulatedUblox, SimulatedUblox6, SimulatedUbloxKeys, SimulatedUnicore,
)
from test_sources import counted

WISH = "receiver.protocol=nmea&receiver.rate=5&receiver.model=bike&receiver.accuracy=true&receiver.speed=38400"
WANTED = {"period": 200, "model": 10, "accuracy": 1, "nmea": 1}
CASIC = [SimulatedAT6558, SimulatedL76K]
FAMILIES = [SimulatedUblox, SimulatedUbloxKeys, SimulatedMediaTek, SimulatedAiroha, *CASIC]


def show(daemon, *command):
    """What `handlebarctl receiver` reports."""
    _, out, error = control(daemon.socket, "receiver", *(command or ["show"]), "--json", timeout=120)
    assert out, error
    return json.loads(out)


def reported(daemon):
    """The same without a program of its own, for those who ask often."""
    with daemon.connect() as client:
        client.send("?RECEIVER;")
        return client.wait("RECEIVER")


def wait_done(daemon, client=None, states=("done",), timeout=2 * TIMEOUT):
    """Its report; a client that is passed reads on meanwhile."""
    def done():
        if client:
            client.settle()
        return (report := reported(daemon))["state"] in states and report

    return until(done, "the end of the set-up", timeout, 0.2)


HOLDER = """
import os, sys
print(flush=True)
for _ in sys.stdin:
    line = os.open(sys.argv[1], os.O_RDONLY | os.O_NOCTTY)
    print(flush=True)
    sys.stdin.readline()
    os.close(line)
    print(flush=True)
"""


class Holder:
    """Another process, which has a line open within `holding`."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate()

    @contextlib.contextmanager
    def holding(self):
        self.go_on()
        yield self.process.pid
        self.go_on()

    def go_on(self):
        self.process.stdin.write("\n")
        assert self.process.stdout.readline() == "\n"


def outcomes(report):
    return {setting["name"]: setting["outcome"] for setting in report["settings"]}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_set_up(folder, family):
    with family(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon:
        report = wait_done(daemon)
        settings = outcomes(report)
        assert receiver.speed == 38400 and settings["speed"] == "set"
        assert receiver.settings["period"] == 200 and settings["period"] == "set"
        # A position after every measurement: u-blox 9 and later have a setting of its own for that.
        assert (settings.get("navigation"), receiver.settings.get("navigation")) == (
            ("set", 1) if family is SimulatedUbloxKeys else (None, None))
        assert receiver.settings["accuracy"] == 1 and settings["accuracy"] == "set"
        bike = {SimulatedUblox: 10, SimulatedUbloxKeys: 10, SimulatedAT6558: 3, SimulatedL76K: 3}.get(family, 0)
        assert receiver.settings["model"] == bike and settings["model"] in ("set", "same", "acknowledged", "sent")
        with daemon.connect() as client:
            client.watch(distanceFilter=0)
            client.wait("STATE", tracking)
            begin = client.wait("TPV", lambda fix: fix["mode"] >= 2)["seq"]
            client.wait("TPV", lambda fix: fix["seq"] >= begin + 10)
        # Nothing is left to do.
        before = len(receiver.commands)
        left = {name for name, outcome in outcomes(show(daemon, "plan")).items() if outcome != "same"}
        # MediaTek has no query for the model, and Quectel's CASIC does not answer it.
        assert left == ({"model"} if family in (SimulatedMediaTek, SimulatedL76K) else set())
        assert len(receiver.commands) > before and receiver.speed == 38400
        daemon.stop()


UBX = "receiver.rate=5&receiver.model=bike"


@contextlib.contextmanager
def without_a_loss(daemon, receiver):
    """Every epoch from the first fix on is a fix, once."""
    with daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.wait("TPV", lambda fix: fix["mode"] >= 2)
        yield client
        client.settle()
        fixes = [line for line in client.lines if line["class"] == "TPV" and line["mode"] >= 2 and line.get("reason") != "snapshot"]
        # A u-blox 6 states its time in a message of its own, which is switched on after that of the position.
        times = [fix["time"] for fix in fixes if "time" in fix]
        assert len(set(times)) == len(times), "an epoch was two fixes"
        # A receiver that stands still with the machine sends nothing for longer than its period.
        assert receiver.standstill > 1 or not [line for line in client.lines if line["class"] == "STATE" and line["state"] == "lost"]


@pytest.mark.parametrize("family", [SimulatedUblox6, SimulatedUblox, SimulatedUbloxKeys])
def test_every_ublox_is_set_up_to_ubx_and_back(folder, family):
    with family(folder / "gps0") as receiver:
        with Daemon(folder, f"serial:{receiver.link}?{UBX}") as daemon:
            with without_a_loss(daemon, receiver) as client:
                report = wait_done(daemon, client)
                assert report["output"] == "ubx" and set(outcomes(report).values()) <= {"set", "same"}, report
                assert receiver.settings["nmea"] == 0 and receiver.settings["period"] == 200
                # Satellites once a second.
                assert receiver.settings["svinfo" if family is SimulatedUblox6 else "sat"] == 5
                seq = client.wait("TPV", lambda fix: fix["mode"] >= 2)["seq"]
                client.wait("TPV", lambda fix: fix["seq"] >= seq + 15 and "eph" in fix)
            daemon.stop()
        # The receiver keeps its state: NMEA, asked for, comes back.
        with Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon:
            with without_a_loss(daemon, receiver) as client:
                assert wait_done(daemon, client)["output"] == "nmea"
                assert receiver.settings["nmea"] == 1 and receiver.settings["accuracy"] == 1
                assert not any(receiver.settings.get(name) for name in family.messages_known.values())
                seq = client.wait("TPV", lambda fix: fix["mode"] >= 2)["seq"]
                client.wait("TPV", lambda fix: fix["seq"] >= seq + 15)
            daemon.stop()


@pytest.mark.parametrize("trouble", [
    {"refused": ["nmea"]}, {"refused": ["pvt"]}, {"late": 0.3}, {"garbage": b"\xb5\x62\x06\x24\xff\x00\x00$PMTK001,\xff\n"},
])
@pytest.mark.parametrize("family", [SimulatedUblox, SimulatedUbloxKeys])
def test_trouble_on_the_way_to_ubx(folder, family, trouble):
    with family(folder / "gps0", **trouble) as receiver, Daemon(folder, f"serial:{receiver.link}?{UBX}") as daemon:
        with without_a_loss(daemon, receiver) as client:
            output = wait_done(daemon, client)["output"]
        assert output == ("nmea" if "refused" in trouble else "ubx")
        assert receiver.settings["nmea"] == (output == "nmea") and receiver.settings["period"] == 200
        daemon.stop()


@pytest.mark.parametrize("wish, code", [("auto", 0), ("ubx", 1)])
def test_a_receiver_that_acknowledges_ubx_and_sends_none_stays_with_nmea(folder, wish, code):
    with SimulatedUblox(folder / "gps0") as receiver:
        receiver.withheld = ("pvt",)
        with Daemon(folder, f"serial:{receiver.link}?{UBX}&receiver.protocol={wish}") as daemon:
            with without_a_loss(daemon, receiver) as client:
                assert wait_done(daemon, client)["output"] == "nmea"
                assert receiver.settings["nmea"] == 1 and receiver.settings["pvt"] == 0
            found, out, _ = control(daemon.socket, "receiver", "apply", timeout=120)
            assert found == code and "NMEA" in out, out
            daemon.stop()


def test_a_source_that_does_not_ask_is_sent_nothing(folder):
    with SimulatedUblox(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?speed=9600") as daemon:
        with daemon.connect() as client:
            client.watch(distanceFilter=0)
            client.wait("TPV", lambda fix: fix["mode"] >= 2)
        assert show(daemon)["state"] == "off"
        code, _, error = control(daemon.socket, "receiver", "apply")
        assert code == 1 and "does not ask" in error
        assert not receiver.commands
        daemon.stop()


def test_an_unknown_receiver_is_asked_and_set_up_no_further(folder):
    with SimulatedOther(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon:
        report = wait_done(daemon, states=("unsupported",))
        assert report["settings"] == [] and receiver.speed == 9600
        assert set(receiver.commands) <= {"PMTK605", "PAIR020", "PQTMVERNO", "PCAS06,0", "PDTINFO"}
        daemon.stop()


@pytest.mark.parametrize("model, family, ability, words", [
    (SimulatedUnicore, "Unicore", "20 epochs a second", "CONFIG COM1 115200"),
    (SimulatedFirebird, "Unicore Firebird", "10 epochs a second", "$CFGPRT,1,0,115200,1,3"),
])
def test_a_receiver_of_another_family_is_named_and_left_as_it_is(folder, model, family, ability, words):
    with model(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon:
        report = wait_done(daemon, states=("unsupported",))
        assert report["family"] == family and report["settings"] == [] and receiver.speed == 9600
        code, out, _ = control(daemon.socket, "receiver", "show")
        assert code == 1 and "left as they are" in out and words in out
        assert f"a receiver of {family} is left as it is" in daemon.log
        _, out, _ = control(daemon.socket, "doctor", timeout=60)
        out = " ".join(out.split())
        assert f"a receiver of {family}" in out and f"is left as it is; it can do {ability}" in out and f"by hand: {words}" in out
        daemon.stop()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("refused", ["speed", "period", "accuracy"])
def test_a_refused_setting_is_skipped_alone(folder, family, refused):
    with (
        family(folder / "gps0", refused=[refused]) as receiver,
        Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon,
    ):
        settings = outcomes(wait_done(daemon))
        assert settings.pop(refused) == "refused"
        assert set(settings.values()) <= {"set", "same", "acknowledged", "sent"}, settings
        with daemon.connect() as client:
            client.watch(distanceFilter=0)
            client.wait("TPV", lambda fix: fix["mode"] >= 2)
        daemon.stop()


@pytest.mark.parametrize("trouble", [
    {"late": 0.3}, {"garbage": b"\xb5\x62\x06\x24\xff\x00\x00$PMTK001,\xff\n"}, {"deaf": ["period", "accuracy", "model"]},
    {"deaf": ["speed"]}, {"refused": [("model", 10)]},
])
def test_trouble_on_the_way(folder, trouble):
    """Late and lost acknowledgements, garbage around them, and a model that the product does not know."""
    with (
        SimulatedUblox(folder / "gps0", **trouble) as receiver,
        Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon,
    ):
        assert set(outcomes(wait_done(daemon)).values()) == {"set"}
        assert receiver.settings == WANTED | {"model": 4 if "refused" in trouble else 10}
        assert receiver.speed == 38400
        daemon.stop()


@pytest.mark.parametrize("wish", [f"{WISH}&speed=auto", "receiver.protocol=nmea&receiver.rate=5&speed=9600"])
def test_a_receiver_that_is_mute_at_its_new_speed_is_read_there(folder, wish):
    """It sends sentences, which are enough; a line with a fixed speed finds it there again after a hang-up."""
    with (
        SimulatedUblox(folder / "gps0", mute=True) as receiver,
        Daemon(folder, f"serial:{receiver.link}?{wish}") as daemon, daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        until(lambda: receiver.speed == 38400, "the new speed")
        begin = time.monotonic()
        while (passed := time.monotonic() - begin) < 8:
            fix = client.wait("TPV", lambda fix: fix["mode"] >= 2)
        print(f"a fix at {passed:.1f} s")
        assert outcomes(wait_done(daemon, client))["speed"] == "set"
        receiver.unplug()
        receiver.plug()
        client.wait("STATE", lambda state: state["state"] == "lost")
        seq = fix["seq"]
        client.wait("TPV", lambda fix: fix["mode"] >= 2 and fix["seq"] > seq + 3)
        daemon.stop()


@pytest.mark.parametrize("commands", [2, 4, 6])
def test_unplugged_in_the_middle(folder, commands):
    with (
        SimulatedUblox(folder / "gps0", late=0.2) as receiver,
        Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon,
    ):
        until(lambda: len(receiver.commands) >= commands, "the first commands")
        receiver.unplug()
        # Its state is not that of a receiver that is no longer there.
        assert until(lambda: (report := reported(daemon))["state"] == "waiting" and report, "the end")["settings"] == []
        assert control(daemon.socket, "receiver", "apply")[0] == 1
        receiver.power_cycle()
        receiver.late = 0
        receiver.plug()
        until(lambda: receiver.settings == WANTED, "the set-up", 2 * TIMEOUT)
        wait_done(daemon)
        daemon.stop()


@pytest.mark.parametrize("family", CASIC)
def test_what_a_casic_receiver_is(folder, family):
    wish = "receiver.rate=2&receiver.speed=9600"
    with family(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?{wish}") as daemon:
        report = wait_done(daemon)
        model = {SimulatedAT6558: "ATGM336H", SimulatedL76K: None}[family]
        assert (report["family"], report.get("model"), report["firmware"]) == ("CASIC", model, "URANUS5 V5.3.0.0")
        assert outcomes(report) == {"speed": "same", "period": "set"} and receiver.settings["period"] == 500
        assert {command[:6] for command in receiver.commands if command[:4] == "PCAS"} == {"PCAS06", "PCAS02"}
        daemon.stop()


@pytest.mark.parametrize("trouble", [
    {"garbage": b"\xb5\x62\x06\x24\xff\x00\x00$PMTK001,\xff\n"}, {"deaf": ["version"]}, {"late": 1.0}, {"impersonates": True},
    {"interrupts": b"$GNGLL,4806.00000,N,01130.0"},
])
def test_trouble_with_a_casic_receiver(folder, trouble):
    """Answers behind garbage, late, for other families and within sentences; or none, of one that has just started."""
    with (
        SimulatedAT6558(folder / "gps0", **trouble) as receiver, Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon,
    ):
        if "deaf" in trouble:
            until(lambda: len(receiver.commands) >= 2, "the first queries")
            receiver.power_cycle()
        with without_a_loss(daemon, receiver) as client:
            report = wait_done(daemon, client)
            seq = client.wait("TPV", lambda fix: fix["mode"] >= 2)["seq"]
            client.wait("TPV", lambda fix: fix["seq"] >= seq + 10)
        assert report["family"] == "CASIC" and receiver.settings == {"period": 200, "model": 3, "accuracy": 1}
        # Without an answer, a speed is shown by sentences; one that cannot be read is not changed.
        assert receiver.speed == (9600 if "deaf" in trouble else 38400)
        daemon.stop()


def test_a_casic_receiver_that_cannot_receive_is_named_by_its_first_texts(folder):
    wish = "receiver.rate=5&receiver.speed=9600"
    with SimulatedSendOnly(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?{wish}") as daemon:
        report = wait_done(daemon)
        assert (report["family"], report["model"], report["firmware"]) == ("CASIC", "ATGM332D", "URANUS5 V5.3.0.0")
        assert outcomes(report) == {"speed": "unanswered", "period": "refused"}
        with daemon.connect() as client:
            client.watch()
            client.wait("STATE", lambda state: state.get("reason") == "searching" and state["antenna"] == "ok")
        daemon.stop()


def test_a_rate_that_does_not_fit_on_the_line_leaves_a_casic_receiver_as_it_is(folder):
    wish = "receiver.rate=10&receiver.speed=9600"
    with SimulatedAT6558(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?{wish}") as daemon:
        with without_a_loss(daemon, receiver) as client:
            assert outcomes(wait_done(daemon, client)) == {"speed": "same", "period": "refused"}
        code, out, _ = control(daemon.socket, "receiver", "show")
        assert code == 1 and "1000, wanted 100: refused" in out
        assert receiver.settings["period"] == 1000 and receiver.speed == 9600
        daemon.stop()


@pytest.mark.parametrize("commands", [5, 7, 8, 10])
@pytest.mark.parametrize("cycles", [True, False])
def test_a_casic_receiver_unplugged_in_the_middle(folder, commands, cycles):
    """With its power or, as one that has a battery, without: its speed is then the new one."""
    with SimulatedAT6558(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon:
        until(lambda: len(receiver.commands) >= commands, "the first commands")
        receiver.unplug()
        until(lambda: reported(daemon)["state"] == "waiting", "the end")
        if cycles:
            receiver.power_cycle()
        receiver.plug()
        until(lambda: receiver.settings == {"period": 200, "model": 3, "accuracy": 1}, "the set-up", 2 * TIMEOUT)
        assert wait_done(daemon)["settings"][0]["current"] == receiver.speed == 38400
        daemon.stop()


def test_antenna_overflow_and_restart_are_reported_logged_and_recorded(folder):
    rides = folder / "rides"
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=9600", options=("--record", rides)) as daemon, daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        number = 0

        def send(*texts):
            nonlocal number
            for _ in range(5):
                number += 1
                receiver.write(nmea_sender.epoch(number, 0.2) + b"".join(map(nmea_sender.sentence, texts)))
                begin = time.monotonic()
                until(lambda: client.receive() or time.monotonic() > begin + 0.2, "the next epoch")

        send("GPTXT,01,01,02,MA=CASIC")
        client.wait("STATE", lambda state: state.get("mode") == 3 and "antenna" not in state)
        send("GPTXT,01,01,01,ANTENNA OPEN", "GNTXT,01,01,00,txbuf alloc")
        state = client.wait("STATE", lambda state: state.get("antenna") == "open" and state["state"] == "tracking")
        assert state["antennaSource"] == "TXT"
        # It has a fix, so the antenna is a passive one.
        assert "antenna" not in control(daemon.socket, "status")[1]
        send("GPTXT,01,01,01,ANTENNA SHORT", "GPTXT,01,01,02,MA=CASIC")
        client.wait("STATE", lambda state: state.get("antenna") == "short")
        client.send("?STATUS;")
        status = client.wait("STATUS")
        assert (status["sources"][0]["antenna"], status["sources"][0]["antennaSource"]) == ("short", "TXT")
        assert (status["counts"]["overflows"], status["counts"]["receiverStarts"]) == (5, 10)
        assert "antenna short (TXT)" in control(daemon.socket, "status")[1]
        code, text, _ = control(daemon.socket, "doctor", timeout=60)
        text = " ".join(text.split())
        assert code == 1 and "states a short circuit of its antenna (TXT)" in text
        assert "5 times" in text and "speed = 115200" in text and "the receiver has started 10 times" in text
        times = [line["time"] for line in client.lines if line["class"] == "TPV"]
        # Of fixes that arrive together the newest is sent.
        assert len(times) == len(set(times)) and len(times) + status["counts"]["lateFixes"] >= 14
        assert [daemon.log.count(text) for text in (
            "interference changed", "the line does not take all", "the receiver has restarted")] == [2, 1, 1]
        daemon.stop()
    (file,) = rides.glob("*.nmea")
    events = [json.loads(line[4:]) for line in file.read_bytes().splitlines() if line.startswith(b"# e ")]
    assert [event["antenna"] for event in events if event.get("source") == "interference"] == ["open", "short"]
    with Daemon(folder, f"recording:{file}?speed=max") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.wait("STATE", lambda state: state.get("antenna") == "short")
        daemon.stop()


def test_a_power_cycle_without_a_hang_up(folder):
    with SimulatedUblox(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon:
        wait_done(daemon)
        receiver.power_cycle()
        until(lambda: receiver.settings == WANTED and receiver.speed == 38400, "the second set-up", 2 * TIMEOUT)
        wait_done(daemon)
        daemon.stop()


def test_a_start_that_a_receiver_states_is_noticed_where_its_rate_is_the_same(folder):
    wish = "receiver.protocol=nmea&receiver.rate=1&receiver.model=bike&receiver.accuracy=true&receiver.speed=9600"
    wanted = {**WANTED, "period": 1000}
    with SimulatedUblox(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?{wish}") as daemon:
        wait_done(daemon)
        assert receiver.settings == wanted
        with receiver.lock:
            receiver.power_cycle()
            receiver.transmit(nmea_sender.sentence("GNTXT,01,01,02,u-blox AG - www.u-blox.com"))
        until(lambda: receiver.settings == wanted, "the second set-up", 2 * TIMEOUT)
        wait_done(daemon)
        daemon.stop()


def test_a_receiver_is_asked_why_it_has_started(folder):
    wish = "receiver.protocol=nmea&receiver.rate=5&receiver.speed=9600"
    with (
        SimulatedUbloxKeys(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?{wish}") as daemon,
        daemon.connect() as client,
    ):
        client.watch()

        def reason():
            client.send("?STATUS;")
            return client.wait("STATUS")["sources"][0].get("resetReason")

        wait_done(daemon)
        client.wait("STATE", lambda state: state.get("mode") == 3)
        assert reason() == "coldStart" and "has restarted" not in daemon.log
        with receiver.lock:
            receiver.power_cycle()
            receiver.reset_reason = 2
            receiver.transmit(nmea_sender.sentence("GNTXT,01,01,02,u-blox AG - www.u-blox.com"))
        until(lambda: reason() == "watchdog", "the reason of the second start", 2 * TIMEOUT)
        until(lambda: "the receiver states why it has restarted" in daemon.log, "the reason in the log")
        assert daemon.log.count("the receiver has restarted") == 1 and "watchdog" in daemon.log
        daemon.stop()


def test_a_receiver_held_by_another_process_is_sent_nothing(folder):
    """A process that opened the line before the daemon did; root ignores the exclusive mode."""
    with (
        SimulatedUblox(folder / "gps0") as receiver, Holder(receiver.link.resolve()) as other, other.holding() as holder,
        Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon,
    ):
        report = wait_done(daemon, states=("busy",))
        assert str(holder) in report["holder"]
        assert not receiver.commands and receiver.settings == receiver.defaults
        daemon.stop()


OTHER_MOUNT = """
import fcntl, os, struct, sys
TIOCGPTN, TIOCSPTLCK = 0x80045430, 0x40045431
while True:
    master = os.open("/dev/pts/ptmx", os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(master, TIOCSPTLCK, struct.pack("i", 0))
    path = "/dev/pts/%d" % struct.unpack("I", fcntl.ioctl(master, TIOCGPTN, bytes(4)))
    line = os.open(path, os.O_RDWR | os.O_NOCTTY)
    if path == sys.argv[1]:
        break
print(path, flush=True)
sys.stdin.read()
"""


def test_a_pseudo_terminal_of_the_same_name_in_a_container_holds_nothing(folder):
    mount = ["unshare", "--mount", "sh", "-c", 'mount -t devpts -o newinstance,ptmxmode=666 devpts /dev/pts && exec "$@"', "sh"]
    if subprocess.run([*mount, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no mount namespace here: needs root")
    with SimulatedUblox(folder / "gps0") as receiver:
        name = str(receiver.link.resolve())
        with subprocess.Popen(
            [*mount, sys.executable, "-c", OTHER_MOUNT, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other:
            assert other.stdout.readline().strip() == name
            with Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon:
                assert wait_done(daemon, states=("done", "busy"))["state"] == "done"
                assert f"(pid {other.pid})" not in control(daemon.socket, "doctor")[1]
                daemon.stop()
            other.stdin.close()


def test_another_process_in_the_middle_ends_the_set_up(folder):
    with (
        SimulatedUblox(folder / "gps0", late=0.3) as receiver, Holder(receiver.link.resolve()) as other,
        Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon,
    ):
        until(lambda: len(receiver.commands) >= 2, "the first commands")
        with other.holding() as holder:
            sent = len(receiver.commands)
            report = wait_done(daemon, states=("busy",))
            assert str(holder) in report["holder"] and report["settings"] == []
            # The one on its way.
            assert len(receiver.commands) <= sent + 1
        assert control(daemon.socket, "receiver", "apply", timeout=120)[0] == 0
        assert receiver.settings == WANTED and receiver.speed == 38400
        daemon.stop()


@needs_gpsd
def test_a_receiver_of_gpsd_is_sent_nothing(folder):
    """Until the gpsd is gone, which itself sends nothing here."""
    with SimulatedUblox(folder / "gps0") as receiver, Gpsd(receiver.link, options=["-b"]) as gpsd:
        open_files = pathlib.Path(f"/proc/{gpsd.process.pid}/fd")
        until(lambda: receiver.link.resolve() in {file.resolve() for file in open_files.iterdir()}, "gpsd's opening of the line")
        with Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon:
            with daemon.connect() as client:
                client.watch()
                client.wait("STATE", lambda state: state.get("error") == "busy")
            code, _, error = control(daemon.socket, "receiver", "apply")
            assert code == 1 and "not open" in error
            assert not receiver.commands and receiver.settings == receiver.defaults
            gpsd.kill()
            until(lambda: receiver.settings == WANTED, "the set-up", 2 * TIMEOUT)
            wait_done(daemon)
            daemon.stop()


def test_what_a_person_is_shown(folder):
    """What the receiver is, what would be sent, what was done, and why not."""
    with (
        SimulatedUblox(folder / "gps0", refused=["accuracy"]) as receiver,
        Daemon(folder, f"serial:{receiver.link}?{WISH}") as daemon,
    ):
        wait_done(daemon)
        with receiver.lock:
            receiver.settings["model"] = 0
        for command, code, model in [
            ("plan", 0, "0, wanted 10: planned (B5620624240001000A"), ("apply", 1, "10, wanted 10: set"),
        ]:
            found, out, _ = control(daemon.socket, "receiver", command, timeout=120)
            assert found == code and "u-blox, NEO-M8N-0, SPG 3.01, protocol 18.00" in out, out
            assert model in out, out
        assert "0, wanted 1: refused" in out, out
        daemon.stop()


def test_the_recording_holds_what_the_receiver_sent(folder):
    rides = folder / "rides"
    rides.mkdir()
    # At the wanted speed from the start: none of its bytes is lost in a change of speed.
    with (
        SimulatedUblox(folder / "gps0", speed=38400) as receiver,
        Daemon(folder, f"serial:{receiver.link}?{WISH}&speed=38400", options=("--record", rides)) as daemon,
    ):
        wait_done(daemon)
        until(lambda: receiver.settings["period"] == 200, "the rate")
        with receiver.lock:
            sent = receiver.sent
            until(lambda: counted(daemon, "bytes") == len(sent), "the line to be read")
            daemon.stop()
    recorded = received(b"".join(path.read_bytes() for path in sorted(rides.glob("*.nmea"))))
    assert sent.count(b"\xb5\x62") >= 8
    assert recorded == sent


def test_doctor_names_what_the_receiver_could_do(folder):
    with SimulatedUblox(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?speed=9600") as daemon:
        def finding():
            _, out, _ = control(daemon.socket, "doctor", "--json", timeout=60)
            # The load is measured in the first seconds.
            return re.search(r"1 Hz at 9600 bit/s, [1-9]\d? % of the line used: receiver = { rate = 5, speed = 38400 }", out)

        until(finding, "the finding", pause=1.0)
        assert not receiver.commands
        daemon.stop()
