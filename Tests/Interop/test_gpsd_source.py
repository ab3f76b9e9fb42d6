"""A real gpsd as the source: restarts, hangs, lost devices, several devices, sentences, a serial line beside it."""

import os
import shutil
import signal
import subprocess
import time

import pytest

import nmea_sender
from gpsd_harness import Feeder, Gpsd, descriptors, free_port, kilobytes, needs, needs_gpsd
from handlebar_harness import BIN, LONG, SANITIZED, Daemon, Late, Receiver, Stopwatch, until

pytestmark = needs_gpsd


def fixes(client):
    return [line for line in client.lines if line["class"] == "TPV" and line["mode"] >= 2]


def assert_ordered(client):
    """No jump back in time, no duplicate."""
    times = [fix["time"] for fix in fixes(client) if "time" in fix]
    assert all(one < other for one, other in zip(times, times[1:])), "time goes back or an epoch comes twice"


@pytest.mark.slow
def test_restarts(folder):
    """gpsd ends by every signal, repeatedly; its own first report to another client is the reference."""
    rounds = 200 if LONG else 20
    ways = [signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGKILL]
    late = []
    with (
        Receiver(folder / "gps0") as receiver,
        Gpsd(receiver.link) as gpsd,
        Feeder(receiver),
        Daemon(folder, gpsd.uri) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        client.wait("TPV")
        before = None
        for number in range(rounds):
            gpsd.kill(ways[number % len(ways)])
            killed, clock = time.monotonic(), Stopwatch(daemon.pid)
            client.receive()
            client.waiting.clear()
            gpsd.start()
            down = time.monotonic() - killed
            with gpsd.watch() as witness:
                first = witness.wait("TPV", lambda report: report["mode"] >= 2 and "lat" in report)["_at"]
            # Not one that was on its way when gpsd ended.
            fix = client.wait("TPV", lambda report: report["reason"] == "regained")
            late.append(clock.at(clock.begin + fix["_at"] - first))
            # The delay between two attempts grows with the time without an answer: it is at most twice that and half a second.
            assert late[-1] <= max(1.0, 2 * down + 0.5)
            if number == rounds // 10:
                before = descriptors(daemon.pid), *kilobytes(daemon.pid)
        after = descriptors(daemon.pid), *kilobytes(daemon.pid)
        daemon.stop()
    late.sort()
    print(
        f"{rounds} restarts: first fix after gpsd's first report p50 {late[len(late) // 2]:.3f} s, "
        f"p99 {late[len(late) * 99 // 100]:.3f} s, worst {late[-1]:.3f} s; descriptors {before[0]} -> {after[0]}, "
        f"RSS {before[1]} -> {after[1]} kB, anonymous {before[2]} -> {after[2]} kB"
    )
    assert after[0] <= before[0]
    if not SANITIZED:
        assert after[1] <= before[1] + 1024
        assert after[2] <= before[2] + 512
    assert_ordered(client)


def test_hang_and_wake(folder):
    """A stopped gpsd sends nothing and closes nothing."""
    with (
        Receiver(folder / "gps0") as receiver,
        Gpsd(receiver.link) as gpsd,
        Feeder(receiver),
        Daemon(folder, gpsd.uri) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        client.wait("TPV")
        clock = Stopwatch(daemon.pid)
        gpsd.process.send_signal(signal.SIGSTOP)
        lost = client.wait("STATE", lambda state: state["state"] == "lost")
        assert clock.at(lost["_at"]) <= 3.5
        gpsd.process.send_signal(signal.SIGCONT)
        assert client.wait("TPV")["reason"] == "regained"
        daemon.stop()
    assert_ordered(client)


def test_lost_device(folder):
    """The receiver behind gpsd is unplugged; gpsd itself stays."""
    with (
        Receiver(folder / "gps0") as receiver,
        Gpsd(receiver.link) as gpsd,
        Daemon(folder, gpsd.uri) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        with Feeder(receiver):
            client.wait("TPV")
        clock = Stopwatch(daemon.pid, gpsd.process.pid)
        receiver.unplug()
        assert clock.at(client.wait("STATE", lambda state: state["state"] == "lost")["_at"]) <= 3.5
        client.send("?POLL;")
        assert all(fix.get("mode", 0) <= 1 for fix in client.wait("POLL")["tpv"])
        daemon.stop()


def test_one_device_of_several(folder):
    with (
        Receiver(folder / "gps0") as first,
        Receiver(folder / "gps1") as second,
        Gpsd(first.link, second.link) as gpsd,
        Feeder(first, latitude=10),
        Feeder(second, latitude=50),
    ):
        for device, latitude in zip(gpsd.devices, (10, 50)):
            with Daemon(folder, f"{gpsd.uri}{device}") as daemon, daemon.connect() as client:
                client.watch(distanceFilter=0)
                for _ in range(5):
                    fix = client.wait("TPV")
                    assert abs(fix["lat"] - latitude) < 1
                    assert fix["device"] == device
                daemon.stop()
        with Daemon(folder, f"{gpsd.uri}/dev/nope") as daemon, daemon.connect() as client:
            client.watch()
            failed = client.wait("STATE", lambda state: state["state"] == "failed")
            assert failed["error"] == "notFound"
            assert gpsd.devices[1] in failed["remedy"]
            daemon.stop()
        # Without a device name one of them is used, and only that.
        with Daemon(folder, gpsd.uri) as daemon, daemon.connect() as client:
            client.watch(distanceFilter=0)
            places = {round(client.wait("TPV")["lat"]) for _ in range(12)}
            assert len(places) == 1
            daemon.stop()


def test_sentences_pass_through(folder):
    """A client that requests sentences receives gpsd's; without such a client they are not requested from gpsd."""
    with (
        Receiver(folder / "gps0") as receiver,
        Gpsd(receiver.link) as gpsd,
        Feeder(receiver),
        Daemon(folder, gpsd.uri, options=["--nmea-socket", folder / "nmea.sock"]) as daemon,
        daemon.connect() as client,
    ):
        client.watch(nmea=True, distanceFilter=0)
        until(lambda: client.receive() or len(client.sentences) >= 6, "sentences")
        assert {line[3:6] for line in client.sentences} >= {"RMC", "GGA"}
        client.watch(nmea=False)
        client.wait("TPV")
        client.wait("TPV")
        client.sentences.clear()
        client.wait("TPV")
        assert not client.sentences
        with subprocess.Popen(
            ["socat", "-u", f"UNIX-CONNECT:{folder / 'nmea.sock'}", "-"], stdout=subprocess.PIPE
        ) as reader:
            lines = [reader.stdout.readline() for _ in range(4)]
            reader.terminate()
        assert all(line.startswith(b"$") and line.endswith(b"\r\n") for line in lines)
        daemon.stop()


@pytest.mark.slow
def test_failover_for_real(folder):
    """gpsd takes the lead when the serial source fails; serial takes it back 10 s after its return."""
    with (
        Receiver(folder / "gps0") as serial,
        Receiver(folder / "gps1") as other,
        Gpsd(other.link) as gpsd,
        Daemon(folder, f"serial:{serial.link}?speed=9600", gpsd.uri) as daemon,
        daemon.connect() as client,
        Feeder(other) as far,
    ):
        client.watch(distanceFilter=0)
        with Feeder(serial, first=far.number):
            client.wait("TPV", lambda fix: fix["source"] == "serial")
            until(lambda: client.receive() or len(fixes(client)) > 20, "fixes")
        clock = Stopwatch(daemon.pid, gpsd.process.pid)
        serial.unplug()
        lead = client.wait("STATE", lambda state: "leads" in state)
        assert (lead["source"], lead["leads"]) == ("gpsd", "failed") or lead["leads"] == "silent"
        assert clock.at(lead["_at"]) <= 4
        first = client.wait("TPV")
        assert (first["source"], first["reason"]) == ("gpsd", "source")
        until(lambda: client.receive() or fixes(client)[-1]["seq"] > first["seq"] + 10, "fixes of gpsd")
        serial.plug()
        back, clock = time.monotonic(), Stopwatch(daemon.pid, gpsd.process.pid)
        with Feeder(serial, first=far.number):
            lead = client.wait("STATE", lambda state: "leads" in state)
            assert (lead["source"], lead["leads"]) == ("serial", "preferred")
            assert lead["_at"] - back >= 9.9 and clock.at(lead["_at"]) <= 12
            first = client.wait("TPV")
            assert (first["source"], first["reason"]) == ("serial", "source")
            until(lambda: client.receive() or fixes(client)[-1]["seq"] > first["seq"] + 10, "fixes of serial")
        daemon.stop()
    assert_ordered(client)
    leads = [line["source"] for line in client.lines if line["class"] == "STATE" and "leads" in line]
    # It leads from the start, with or without a fix.
    sources = ["serial", *(fix["source"] for fix in fixes(client))]
    changes = [other for one, other in zip(sources, sources[1:]) if one != other]
    assert changes == leads, "the sources are interleaved"


def test_serial_line_that_gpsd_holds(folder):
    with (
        Receiver(folder / "gps0") as receiver,
        Gpsd(receiver.link) as gpsd,
        Feeder(receiver),
        gpsd.watch() as witness,
    ):
        # It has opened the line by then.
        witness.wait("TPV")
        source = f"serial:{receiver.link}?speed=9600"
        with Daemon(folder, source, gpsd.uri) as daemon, daemon.connect() as client:
            client.watch(distanceFilter=0)
            client.send("?STATUS;")
            serial, _ = client.wait("STATUS")["sources"]
            assert serial["error"] == "busy"
            assert "gpsd (pid" in serial["message"] and "systemctl disable --now gpsd.socket" in serial["remedy"]
            assert client.wait("TPV")["source"] == "gpsd"
            assert "gpsd and another source use the same receiver" in daemon.log
            daemon.stop()


def test_gpsd_behind_a_serial_line_that_is_held(folder):
    with (
        Receiver(folder / "gps0") as receiver,
        Feeder(receiver),
        Daemon(folder, f"serial:{receiver.link}?speed=9600", f"gpsd://localhost:{(port := free_port())}") as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        assert client.wait("TPV")["source"] == "serial"
        folder.chmod(0o777)
        # Without a device and a control socket it would end.
        with Gpsd(receiver.link, port=port, options=["-F", folder / "gpsd.sock"], as_user=True):

            def busy():
                client.send("?STATUS;")
                source = client.wait("STATUS")["sources"][1]
                return source.get("error") == "busy" and source

            gpsd = until(busy, "the explanation", pause=0.1)
            assert f"this daemon holds serial:{receiver.link}" in gpsd["message"]
            assert "configure only one of" in gpsd["remedy"]
        assert {fix["source"] for fix in fixes(client)} == {"serial"}
        daemon.stop()


def test_gpsd_is_not_installed(folder):
    """Without gpsd the error names the package to install."""
    if os.geteuid() != 0:
        pytest.skip("hiding gpsd needs a mount namespace")
    hide = "".join(f"mount --bind /dev/null {path} && " for path in gpsd_paths())
    script = folder / "handlebard"
    script.write_text(f'#!/bin/sh\nexec unshare --mount sh -c \'{hide} exec "$0" "$@"\' {BIN / "handlebard"} "$@"\n')
    script.chmod(0o755)
    trial = subprocess.run(["unshare", "--mount", "sh", "-c", f"{hide} true"], capture_output=True, check=False)
    if trial.returncode:
        pytest.skip("no mount namespace to be had")
    with Daemon(folder, f"gpsd://localhost:{free_port()}", program=script) as daemon, daemon.connect() as client:
        client.watch()
        failed = client.wait("STATE", lambda state: state["state"] == "failed")
        assert failed["error"] == "notFound"
        assert "gpsd is not installed" in failed["message"]
        assert failed["remedy"].startswith("sudo apt-get install gpsd")
        daemon.stop()


def gpsd_paths():
    return [path for path in ("/usr/sbin/gpsd", "/usr/local/sbin/gpsd", "/usr/bin/gpsd") if os.path.exists(path)]


def test_gpsd_is_not_running(folder):
    with Daemon(folder, f"gpsd://localhost:{free_port()}") as daemon, daemon.connect() as client:
        client.watch()
        failed = client.wait("STATE", lambda state: state["state"] == "failed")
        assert failed["error"] == "unavailable"
        assert "systemctl status gpsd" in failed["remedy"]
        daemon.stop()


@needs("gpsfake")
def test_gpsfake(folder):
    """gpsfake feeds a real gpsd, which feeds the daemon."""
    log = folder / "ride.log"
    log.write_bytes(b"".join(nmea_sender.epoch(number, period=0.2) for number in range(3000)))
    port = free_port()
    with subprocess.Popen(
        [shutil.which("gpsfake"), "-q", "-P", str(port), "-c", "0.02", str(log)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    ) as fake:
        try:
            with Daemon(folder, f"gpsd://localhost:{port}") as daemon, daemon.connect() as client:
                client.watch(distanceFilter=0)
                try:
                    until(lambda: client.receive() or len(fixes(client)) >= 20, "fixes")
                except Late:
                    assert fake.poll() is None, "gpsfake has ended"
                    raise
                daemon.stop()
        finally:
            os.killpg(fake.pid, signal.SIGTERM)
    assert_ordered(client)
