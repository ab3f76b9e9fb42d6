"""Sensors that the daemon reads itself: a barometer and a wheel's contact, as the kernel shows them."""

import fcntl
import json
import os
import re
import shutil
import signal
import struct

import pytest

import nmea_sender
import replay_files
from handlebar_harness import Client, Daemon, Receiver, control, until


def show(tree, kilopascals):
    """A barometer in a folder like one of /sys/bus/iio/devices."""
    tree.mkdir(exist_ok=True)
    (tree / "in_pressure_input").write_text(f"{kilopascals}\n")


def state_of(client):
    """The only sensor in STATUS; None without one."""
    client.send("?STATUS;")
    sensors = client.wait("STATUS").get("sensors", [])
    assert len(sensors) < 2
    return sensors[0] if sensors else None


def test_a_barometer_that_vanishes_is_said_and_found_again(folder):
    tree, settings = folder / "iio", folder / "handlebard.toml"
    name = f"iio:{tree}"
    show(tree, 95.0125)
    with Receiver(folder / "gps0") as receiver:
        sources = [f"serial:{receiver.link}?speed=115200", name]
        settings.write_text(f"sources = {json.dumps(sources)}\nrecord = \"{folder}/rides\"\n")
        with Daemon(folder, options=["--config", settings]) as daemon, Client(daemon.socket) as client:
            client.watch(distanceFilter=0, sensors=True)
            report = client.wait("SENSOR", lambda one: one["value"] == 95012.5)
            assert (report["sensor"], report["source"], report["unit"]) == ("pressure", name, "Pa")
            # What is no number is no reading.
            (tree / "in_pressure_input").write_text("nan\n")
            until(lambda: "cannot be read" in daemon.log, "the message")
            assert (state_of(client)["state"], state_of(client)["error"]) == ("failed", "unavailable")
            shutil.rmtree(tree)
            until(lambda: f"{name} does not exist" in daemon.log, "the message")
            sensor = state_of(client)
            assert (sensor["state"], sensor["error"], sensor["device"]) == ("failed", "notFound", name)
            _, shown, _ = control(daemon.socket, "status")
            (line,) = [line for line in shown.splitlines() if line.startswith("- iio ")]
            assert f"{name} does not exist; {sensor['remedy']}" in line
            code, shown, _ = control(daemon.socket, "doctor")
            assert code == 1 and f"wrong  sensor         {name} does not exist\n" in shown and f"do: {sensor['remedy']}" in shown
            # The position does not depend on it.
            for number in range(3):
                receiver.write(nmea_sender.epoch(number))
                client.wait("TPV", lambda one: one["mode"] == 3)
            client.send("?STATUS;")
            assert [one["source"] for one in client.wait("STATUS")["sources"]] == ["serial"]
            show(tree, 94)
            client.wait("SENSOR", lambda one: one["value"] == 94000 and "implausible" not in one)
            assert daemon.log.count("does not exist") == 1 and daemon.log.count("the sensor is back") == 1
            assert state_of(client) == {"source": "iio", "device": name, "state": "tracking"}
            values = {line["value"] for line in client.lines if line["class"] == "SENSOR"}
            assert values == {95012.5, 94000}, "nothing is invented"
            settings.write_text(settings.read_text().replace(f', "{name}"', ""))
            daemon.process.send_signal(signal.SIGHUP)
            until(lambda: "source removed" in daemon.log, "the reload")
            assert state_of(client) is None
            daemon.stop()
    (ride,) = (folder / "rides").glob("*.nmea")
    event = '# e {"request":"SENSOR","sensor":"pressure","value":95012.5,"source":' + json.dumps(name) + "}\n"
    assert event in ride.read_text()
    with Daemon(folder, f"recording:{ride}?speed=max") as daemon, Client(daemon.socket) as client:
        client.watch(distanceFilter=0, sensors=True)
        client.wait("PLAYBACK", lambda one: one["ended"])
        client.settle()
        told = [line for line in client.lines if line["class"] == "SENSOR"]
        assert {line["source"] for line in told} == {name} and told[-1]["value"] == 94000


def test_a_recording_beside_a_sensor_has_its_time(folder):
    """Else 20 readings of a sensor would be too many before the first subscriber, or in a pause."""
    show(folder / "iio", 95)
    (folder / "ride.nmea").write_bytes(replay_files.plain(20))
    sources = (f"recording:{folder}/ride.nmea?start=watch", f"iio:{folder}/iio")
    with Daemon(folder, *sources) as daemon, Client(daemon.socket) as client:
        client.send('?PLAYBACK={"pause":true};')
        assert "the only source" in client.wait("ERROR")["message"]
        client.watch(distanceFilter=0, sensors=True)
        client.wait("TPV", lambda one: one["mode"] == 3)


@pytest.mark.parametrize("bounces", [False, True], ids=["debounced by the kernel", "debounced here"])
def test_the_contact_of_a_wheel(folder, interposed, monkeypatch, bounces):
    chip, pipe = folder / "chip", folder / "events"
    chip.touch()
    os.mkfifo(pipe)
    monkeypatch.setenv("LD_PRELOAD", str(interposed))
    monkeypatch.setenv("GPIO_EVENTS", str(pipe))
    if bounces:
        monkeypatch.setenv("GPIO_BOUNCES", "1")

    def send(*edges):
        with open(pipe, "r+b", buffering=0) as events:
            # Each event is read as a whole, as the kernel hands them out.
            fcntl.fcntl(events, fcntl.F_SETFL, os.O_RDWR | os.O_DIRECT)
            for number, milliseconds in edges:
                events.write(struct.pack("=QIIII24x", int(milliseconds * 1e6), 2, 17, number, number))

    with Receiver(folder / "gps0") as receiver:
        source = f"serial:{receiver.link}?speed=115200"
        with Daemon(folder, source, f"gpio:{chip}/17") as daemon, Client(daemon.socket) as client:
            client.watch(distanceFilter=0, sensors=True)
            until(lambda: state_of(client)["state"] == "acquiring", "the line")
            send((1, 1000), (2, 1000.4))
            assert client.wait("SENSOR")["revolutions"] == 0
            send((3, 1500))
            report = client.wait("SENSOR", lambda one: "value" in one)
            assert (report["value"], report["source"]) == (120, f"gpio:{chip}/17")
            # 10 kHz, of which the kernel keeps a part.
            send(*((number, 1500 + number / 10) for number in range(4, 40_000, 40)))
            client.wait("SENSOR", lambda one: one.get("implausible"))
            receiver.write(nmea_sender.epoch(0))
            client.wait("TPV", lambda one: one["mode"] == 3)
            assert daemon.is_alive()


@pytest.mark.parametrize(("chip", "words", "error"), [
    ("/nonexistent/0", "gpio:/nonexistent/0 does not exist", "notFound"),
    ("/dev/null/0", "is not a GPIO chip", "misconfigured"),
], ids=["missing", "none"])
def test_a_line_that_cannot_be_read_is_said_once(folder, chip, words, error):
    with Receiver(folder / "gps0") as receiver:
        with Daemon(folder, f"serial:{receiver.link}?speed=115200", f"gpio:{chip}") as daemon, Client(daemon.socket) as client:
            client.watch(distanceFilter=0)
            until(lambda: words in daemon.log, "the message")
            receiver.write(nmea_sender.epoch(0))
            client.wait("TPV", lambda one: one["mode"] == 3)
            assert len(re.findall(words, daemon.log)) == 1
            sensor = state_of(client)
            assert (sensor["state"], sensor["error"]) == ("failed", error) and words in sensor["message"]
