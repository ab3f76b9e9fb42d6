"""The time of fixes, as a real chronyd receives it. It does not touch this machine's clock: chronyd runs with -x."""

import contextlib
import datetime
import os
import random
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import nmea_sender
from handlebar_harness import ROOT, TIMEOUT, Daemon, Receiver, until

# nmea_sender's epoch 0.
EPOCH = datetime.datetime(2026, 3, 19, 12, tzinfo=datetime.timezone.utc).timestamp()
LATENCY = 0.1

pytestmark = [
    pytest.mark.skipif(time.time() < EPOCH, reason="the system clock is not set"),
    pytest.mark.skipif(os.geteuid() != 0, reason="chronyd starts as root only"),
    pytest.mark.skipif(shutil.which("chronyd") is None, reason="chrony is not installed"),
]


class Chronyd:
    """A chronyd that leaves the clock alone, with the shipped reference clock at another path."""

    def __init__(self, folder):
        self.folder = folder
        self.socket = folder / "chrony.sock"
        folder.chmod(0o700)
        lines = [line for line in (ROOT / "systemd/chrony.conf").read_text().splitlines() if not line.startswith("#")]
        shipped = "\n".join(lines).replace("/run/chrony.handlebar.sock", str(self.socket))
        assert str(self.socket) in shipped
        (folder / "chrony.conf").write_text(
            f"{shipped}\nbindcmdaddress {folder}/command.sock\ncmdport 0\nport 0\npidfile {folder}/chronyd.pid\n")
        self.process = subprocess.Popen(
            ["chronyd", "-x", "-d", "-u", "root", "-f", folder / "chrony.conf"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until((folder / "command.sock").exists, "chronyd")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        for name in ("chrony.sock", "command.sock"):
            (self.folder / name).unlink(missing_ok=True)

    def ask(self, report):
        """The fields of a report's line about GNSS."""
        done = subprocess.run(
            ["chronyc", "-h", str(self.folder / "command.sock"), "-c", "-n", report],
            capture_output=True, text=True, check=True)
        return next(line.split(",") for line in done.stdout.splitlines() if "GNSS" in line)

    @property
    def reach(self):
        """The register of the last eight polls, one bit each."""
        return int(self.ask("sources")[5], 8)

    @property
    def is_selected(self):
        return self.ask("sources")[1] == "*"


class Ride:
    """Epochs at 5 Hz with a burst of varying length, measured by the system's clock `LATENCY` before their first byte."""

    period = 0.2

    def __init__(self, receiver):
        self.receiver = receiver
        self.random = random.Random(4)
        self.number = round((time.time() - EPOCH) / self.period) + 1

    def step(self):
        """Waits for the next epoch and sends it."""
        due = EPOCH + self.number * self.period + LATENCY
        while (left := due - time.time()) > 0:
            # The receiver's own pace is what is measured.
            time.sleep(min(left, 0.02))
        satellites = nmea_sender.sentence("GPGSV,1,1,04,01,40,083,46,02,17,308,41,03,07,344,39,04,22,228,45")
        data = nmea_sender.epoch(self.number, period=self.period, speed=0.0) + satellites * self.random.randrange(12)
        for begin in range(0, len(data), 64):
            self.receiver.write(data[begin : begin + 64])
        self.number += 1

    def until(self, condition, what, timeout=TIMEOUT):
        """Goes on, also while the condition is looked at: the answer of another program must not delay an epoch."""
        end = time.monotonic() + timeout
        with ThreadPoolExecutor(1) as pool:
            while True:
                looked = pool.submit(condition)
                self.step()
                while not looked.done():
                    self.step()
                if looked.result():
                    return
                assert time.monotonic() < end, what


def test_chronyd_takes_the_time(folder):
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=9600", options=configured(folder)) as daemon,
        contextlib.ExitStack() as stack,
    ):
        ride = Ride(receiver)
        # chronyd comes later than the daemon and restarts; each time, the daemon has noticed before the next one starts.
        def is_missed(times):
            return daemon.log.count("chronyd does not listen") >= times

        ride.until(lambda: is_missed(1), "the missing chronyd is not logged")
        for _ in range(2):
            with Chronyd(folder) as chronyd:
                ride.until(lambda: chronyd.is_selected, "GNSS is never selected")
                missed = daemon.log.count("chronyd does not listen")
            ride.until(lambda: is_missed(missed + 1), "the end of chronyd is not logged")
            assert daemon.is_alive()
        chronyd = stack.enter_context(Chronyd(folder))
        ride.until(lambda: chronyd.reach == 0o377, "no sample in some polls")

        def is_steady():
            """Whether many samples differ little: those sent while the machine was busy are replaced by later ones."""
            statistics = chronyd.ask("sourcestats")
            # The shipped offset is the latency of this receiver, less what this machine needs to send the first bytes.
            return int(statistics[1]) >= 16 and abs(float(statistics[6])) < 0.05 and float(statistics[7]) < 0.025

        ride.until(is_steady, "too few samples, or they differ")
        ride.until(lambda: daemon.log.count("chronyd receives the time") >= 3, "the third chronyd is not logged")
        assert daemon.log.count("chronyd receives the time") == 3
        daemon.stop()


@pytest.mark.parametrize("source", [f"recording:{ROOT}/recordings/tunnel.nmea", "simulate:city"])
def test_a_recording_or_simulation_sets_no_clock(folder, source):
    with (
        Chronyd(folder) as chronyd,
        Daemon(folder, source, options=configured(folder)) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        for _ in range(8):
            client.wait("TPV", lambda fix: fix["mode"] >= 2, timeout=60)
        assert chronyd.reach == 0
        daemon.stop()


def configured(folder):
    """The options that name chronyd's socket, which is a key of the file."""
    (folder / "handlebard.toml").write_text(f'chrony-socket = "{folder}/chrony.sock"\n')
    return ("--config", folder / "handlebard.toml")
