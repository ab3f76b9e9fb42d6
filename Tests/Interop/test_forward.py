"""Rides are forwarded to a real broker: nothing is lost, and nothing counts twice for a consumer that drops repetitions of
ride and seq. What must arrive is computed from the sentences of the recordings alone, by an oracle of its own."""

import collections
import datetime
import fcntl
import json
import os
import pathlib
import random
import resource
import shutil
import socket
import subprocess
import time

import jinja2
import paho.mqtt.client as mqtt
import pytest

import epoch_oracle
import nmea_sender
from gpsd_harness import free_port
from handlebar_harness import BIN, LONG, RECORDING, TIMEOUT, Daemon, Receiver, control, fill, small_disk, until
from mqtt_peers import Broker, Certificates, Forwarder, Line, Subscriber

DATE = datetime.datetime(2026, 3, 19, 12, tzinfo=datetime.UTC)


def place(latitude, longitude):
    return round(latitude, 6), round(longitude, 6)


def expected(*files):
    """Times and places of the fixes of recordings."""
    log = b"".join(
        line for file in files for line in file.read_bytes().splitlines(keepends=True) if not line.startswith(b"#")
    )
    return [
        (int(epoch.measured.replace(tzinfo=datetime.UTC).timestamp()), {place(*one) for one in epoch.positions})
        for epoch in epoch_oracle.published(epoch_oracle.epochs(log))
        if epoch.measured
    ]


def assert_complete(fixes, wanted):
    """Each epoch of the oracle arrived once, and nothing else."""
    came = [(fix["tst"], place(fix["lat"], fix["lon"])) for _, fix in sorted(fixes.items())]
    assert [when for when, _ in came] == [when for when, _ in wanted]
    for (when, where), (_, places) in zip(came, wanted):
        assert min(abs(where[0] - lat) + abs(where[1] - lon) for lat, lon in places) < 3e-6, when


def name(number):
    return f"{DATE + datetime.timedelta(hours=number):%Y%m%dT%H%M%SZ}"


def recording(epochs, run=0, source=0):
    """The bytes of a recording of numbered epochs."""
    lines = [b"# handlebar-recording 1\n# device=/dev/gps0\n# boot=1f0c9a7e\n# run=%d\n" % run]
    for number in epochs:
        lines.append(b"# t=%d u=%d src=%d\n" % (number * 1000, 1773921600000 + number * 1000, source))
        lines.append(nmea_sender.epoch(number))
    return b"".join(lines)


def write_rides(folder, count, seconds):
    """Rides of so many seconds, an hour apart."""
    rides = folder / "rides"
    rides.mkdir(exist_ok=True)
    files = []
    for number in range(count):
        files.append(rides / f"{name(number)}.nmea")
        files[-1].write_bytes(recording(range(number * 3600, number * 3600 + seconds)))
    return files


def once(folder, url, *options, rides=None, timeout=120, **process):
    """`forward --once`: exit code and messages."""
    done = subprocess.run(
        list(map(str, [
            BIN / "handlebarctl", "forward", url, "--once", "--topic", "fleet/unit", "--rides", rides or folder / "rides",
            "--state", folder / "state", *options,
        ])),
        capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL, check=False, **process,
    )
    return done.returncode, done.stderr


def arrived(subscriber, count, timeout=120):
    """Waits until a deduplicating consumer has so many fixes, and for what is still on the way."""
    until(lambda: len(subscriber.fixes) >= count, f"{count} fixes", timeout=timeout)
    subscriber.settle()
    return subscriber.fixes


@pytest.mark.parametrize("ride", ["city", "motorway", "mountain", "tunnel"])
def test_a_ride_arrives_as_decode_shows_it(folder, ride):
    rides = folder / "rides"
    rides.mkdir()
    file = rides / f"{name(0)}.nmea"
    shutil.copy(RECORDING.with_name(f"{ride}.nmea"), file)
    with Broker(folder) as broker, Subscriber(broker) as subscriber:
        assert once(folder, broker.url) == (0, "")
        code, out, _ = control("/nonexistent", "decode", file)
        assert code == 0
        wanted = [line for line in map(json.loads, out.splitlines()) if line["mode"] > 1 and "time" in line]
        fixes = arrived(subscriber, len(wanted))
        # A second run has nothing to send.
        before = len(subscriber.messages)
        assert once(folder, broker.url) == (0, "")
        assert len(subscriber.messages) == before == len(fixes) == len(wanted)
        until(lambda: len(subscriber.statuses) >= 4, "the statuses")
        assert [text for text, _ in subscriber.statuses] == ["online", "offline"] * 2
    for message, fix in zip(subscriber.messages, wanted):
        assert message["_type"] == "location" and message["topic"] == "fleet/unit" and message["tid"] == "it"
        assert (message["lat"], message["lon"]) == (fix["lat"], fix["lon"])
        when = datetime.datetime.fromisoformat(fix["time"])
        assert message["tst"] == int(when.timestamp())
        assert message["ride"] == name(0) and message["seq"] == 1_000_000 + fix["seq"]
        pairs = [
            ("alt", "altMSL", 1), ("vel", "speed", 3.6), ("cog", "track", 1), ("acc", "eph", 1), ("vac", "epv", 1)
        ]
        for ours, theirs, factor in pairs:
            assert (ours in message) == (theirs in fix), (ours, message, fix)
            if ours in message:
                difference = abs(message[ours] - fix[theirs] * factor)
                assert isinstance(message[ours], int) and min(difference, abs(difference - 360)) <= 0.51
    assert_complete(fixes, expected(file))


def test_a_killed_forwarder_loses_nothing(folder):
    """`kill -9` at random moments, on a slow line."""
    chance = random.Random(9)
    kills = 50 if LONG else 10
    files = write_rides(folder, 4, 150 * kills // 4)
    with Broker(folder) as broker, Subscriber(broker) as subscriber, Line(broker.port) as line:
        line.bytes_per_second = 30_000
        hits = 0
        for _ in range(kills):
            before = len(subscriber.messages)
            with Forwarder(folder, line.url) as forwarder:
                until(lambda: len(subscriber.messages) > before, "the first message")
                # At any moment of its work.
                time.sleep(chance.uniform(0, 0.6))
                assert forwarder.process.poll() is None
            hits += len(subscriber.fixes) < 150 * kills // 4 * 4
        assert hits >= kills * 3 // 4, "the kills came after the end"
        line.bytes_per_second = None
        assert once(folder, line.url)[0] == 0
        wanted = expected(*files)
        fixes = arrived(subscriber, len(wanted))
        print(f"{kills} kills: {len(wanted)} fixes, {len(subscriber.messages)} messages, {len(fixes)} without repetitions")
        assert_complete(fixes, wanted)


def test_a_restart_of_the_broker_loses_nothing(folder):
    files = write_rides(folder, 3, 400)
    with Broker(folder) as broker, Subscriber(broker) as subscriber, Line(broker.port) as line:
        line.bytes_per_second = 30_000
        with Forwarder(folder, line.url) as forwarder:
            for _ in range(4):
                before = len(subscriber.messages)
                until(lambda: len(subscriber.messages) > before + 20, "messages", timeout=60)
                broker.stop()
                until(lambda: "trying again" in forwarder.log, "the loss of the broker")
                broker.start()
            line.bytes_per_second = None
            wanted = expected(*files)
            fixes = arrived(subscriber, len(wanted))
            assert forwarder.stop() == 0
        assert "connected" in forwarder.log
        assert_complete(fixes, wanted)
        assert once(folder, line.url)[0] == 0
        assert len(subscriber.fixes) == len(fixes)


def test_an_outage_is_made_up_for(folder):
    """Recording goes on during an outage of hours (a day in the long run), which is made up for."""
    hours = 24 if LONG else 2
    seconds = 3600 if LONG else 300
    with Broker(folder) as broker, Subscriber(broker) as subscriber, Line(broker.port) as line:
        write_rides(folder, 1, 60)
        with Forwarder(folder, line.url) as forwarder:
            arrived(subscriber, 60)
            line.is_dead = True
            line.cut()
            until(lambda: "trying again" in forwarder.log, "the outage")
            files = write_rides(folder, hours, seconds)
            wanted = expected(*files)
            assert len(subscriber.fixes) == 60
            line.is_dead = False
            until(lambda: "connected" in forwarder.log, "the connection", timeout=90)
            begin = time.monotonic()
            until(lambda: len(subscriber.messages) >= len(wanted), "every fix", timeout=600, pause=0.1)
            passed = time.monotonic() - begin
            fixes = arrived(subscriber, len(wanted))
            print(
                f"{len(wanted)} fixes in {passed:.1f} s after the outage: {len(subscriber.messages)} messages, "
                f"{len(wanted) - len(fixes)} lost, peak of the forwarder {forwarder.peak} kB"
            )
            assert_complete(fixes, wanted)
            assert len(subscriber.messages) <= len(wanted) + 60
            assert forwarder.stop() == 0


def test_a_ride_that_is_being_recorded_arrives(folder):
    """From a receiver through the daemon's recorder, with kills of the forwarder and a restart of the daemon."""
    rides = folder / "rides"
    number = 0
    with Broker(folder) as broker, Subscriber(broker) as subscriber, Receiver(folder / "gps0") as receiver:
        for life in range(2):
            with Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon:
                with daemon.connect() as client:
                    client.watch(distanceFilter=0)
                    for _ in range(3):
                        with Forwarder(folder, broker.url):
                            before = len(subscriber.fixes)
                            for _ in range(12):
                                receiver.write(nmea_sender.epoch(number, period=0.1))
                                number += 1
                                client.wait("TPV", lambda fix: fix["mode"] == 3)
                            until(lambda: len(subscriber.fixes) >= before + 6, "live fixes")
                daemon.stop()
        assert once(folder, broker.url)[0] == 0
        files = sorted(rides.glob("*.nmea"), key=lambda file: file.stem)
        assert len(files) == 2
        wanted = expected(*files)
        fixes = arrived(subscriber, len(wanted))
        assert len(wanted) >= number - 2
        assert_complete(fixes, wanted)
        assert {ride for ride, _ in fixes} == {"20260319T120000Z"}


def test_finished_rides_behind_an_open_one_with_an_older_name_are_forwarded(folder):
    files = write_rides(folder, 3, 30)
    with Broker(folder) as broker, Subscriber(broker) as subscriber, open(files[0], "r+b") as recorder:
        fcntl.flock(recorder, fcntl.LOCK_EX)
        assert once(folder, broker.url) == (0, "")
        # The newest epoch of the open ride is not complete.
        fixes = arrived(subscriber, 89)
        assert collections.Counter(ride for ride, _ in fixes) == {name(0): 29, name(1): 30, name(2): 30}
        (folder / "rides" / f"{name(4)}.nmea").write_bytes(recording(range(14400, 14430)))
        code, out, errors = control("/nonexistent", "forward", "--status", "--state", folder / "state")
        assert code == 0, errors
        assert f"1 of 3 finished rides wait, from {name(4)} on" in out and "30 fixes" in out, out
        fcntl.flock(recorder, fcntl.LOCK_UN)
        assert once(folder, broker.url) == (0, "")
        assert len(arrived(subscriber, 120)) == 120


def test_new_fixes_overtake_the_backlog(folder):
    """New fixes overtake the backlog, and the backlog is not forgotten, not even over a kill."""
    files = write_rides(folder, 2, 1500)
    growing = folder / "rides" / f"{name(5)}.nmea"
    with Broker(folder) as broker, Subscriber(broker) as subscriber, Line(broker.port) as line:
        line.bytes_per_second = 10_000
        with open(growing, "wb", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(recording(range(18000, 18050)))
            second = 18050
            for _ in range(3):
                with Forwarder(folder, line.url, "--live-first"):
                    before = len(subscriber.messages)
                    until(lambda: len(subscriber.messages) > before + 10, "the backlog")
                    live = second
                    for _ in range(5):
                        file.write(recording([second])[len(recording([])) :])
                        second += 1
                    wanted = int(DATE.timestamp()) + live + 3
                    until(lambda: any(one["tst"] == wanted for one in list(subscriber.messages)), "the live fix")
                    assert len(subscriber.fixes) < 3000
        line.bytes_per_second = None
        assert once(folder, line.url, "--live-first")[0] == 0
        wanted = expected(*files, growing)
        assert_complete(arrived(subscriber, len(wanted)), wanted)


def test_a_full_disk_of_the_state_only_repeats(folder):
    """What is acknowledged while the state cannot be written is sent again after a restart; the old state stays whole."""
    with small_disk(folder / "state", size="64k") as state, Broker(folder) as broker, Subscriber(broker) as subscriber:
        write_rides(folder, 1, 100)
        assert once(folder, broker.url) == (0, "")
        files = write_rides(folder, 2, 100)
        filler = fill(state)
        code, errors = once(folder, broker.url)
        assert code == 74 and "No space left" in errors and "sent again" in errors, errors
        shown = control("/nonexistent", "forward", "--status", "--state", state)[1]
        assert "1 of 2 finished rides wait" in shown and "100 fixes" in shown, shown
        with Forwarder(folder, broker.url) as forwarder:
            until(lambda: "No space left" in forwarder.log, "the error")
            until(lambda: len(subscriber.messages) >= 300, "all of them again")
            filler.unlink()
            until(lambda: "the state is written again" in forwarder.log, "the state")
        assert once(folder, broker.url) == (0, "")
        wanted = expected(*files)
        fixes = arrived(subscriber, len(wanted))
        assert len(subscriber.messages) == 300
        assert_complete(fixes, wanted)


def test_what_a_full_disk_has_of_the_rides_arrives(folder):
    """Rides and state on one disk that fills up while a ride is recorded and forwarded: what the recording contains arrives."""
    with (
        small_disk(folder / "disk") as disk, Broker(folder) as broker, Subscriber(broker) as subscriber,
        Receiver(folder / "gps0") as receiver,
    ):
        rides, place = disk / "rides", ["--state", disk / "state"]
        source = f"serial:{receiver.link}?speed=115200"
        with Daemon(folder, source, options=["--record", rides]) as daemon, daemon.connect() as client:
            number = 0

            def go(is_done=lambda: False, epochs=1000):
                nonlocal number
                while epochs and not is_done():
                    receiver.write(nmea_sender.epoch(number, period=0.1))
                    client.wait("TPV", lambda fix: fix["mode"] == 3)
                    number, epochs = number + 1, epochs - 1
                    # The disk is looked at once in a while.
                    time.sleep(0.02)

            client.watch(distanceFilter=0)
            with Forwarder(folder, broker.url, *place, rides=rides) as forwarder:
                go(epochs=50)
                until(lambda: len(subscriber.fixes) >= 40, "live fixes")
                last = nmea_sender.epoch(number - 1, period=0.1).splitlines()[1]
                until(lambda: last in b"".join(file.read_bytes() for file in rides.glob("*.nmea")), "the recording")
                filler = fill(disk)
                go(lambda: "recording failed" in daemon.log)
                go(epochs=30)
                assert forwarder.process.poll() is None
            # Neither the rides nor the state can be written.
            with Forwarder(folder, broker.url, *place, rides=rides):
                go(epochs=30)
                missed = number
                filler.unlink()
                go(lambda: len(list(rides.glob("*.nmea"))) == 2)
                go(epochs=50)
                until(lambda: max(fix["tst"] for fix in subscriber.fixes.values()) > DATE.timestamp() + missed / 10, "new fixes")
            daemon.stop()
        assert once(folder, broker.url, *place, rides=rides) == (0, "")
        files = sorted(rides.glob("*.nmea"), key=lambda file: file.stem)
        wanted = expected(*files)
        fixes = arrived(subscriber, len(wanted))
        print(f"{number} epochs, {len(wanted)} recorded, {len(subscriber.messages)} messages, {len(fixes)} without repetitions")
        assert 95 <= len(wanted) <= number - 60
        assert_complete(fixes, wanted)


def test_a_state_that_cannot_be_used_is_named(folder):
    write_rides(folder, 1, 10)
    with Broker(folder) as broker, Subscriber(broker) as subscriber:
        (folder / "file").write_text("")
        code, errors = once(folder, broker.url, "--state", folder / "file" / "state")
        assert code == 73 and "cannot create" in errors
        with Forwarder(folder, broker.url):
            arrived(subscriber, 10)
            code, errors = once(folder, broker.url)
            assert code == 1 and "another forwarder uses" in errors
        (folder / "state" / "cursor").write_text("# handlebar-forward 1\nrides=/\nride=x y\n")
        code, errors = once(folder, broker.url)
        assert code == 0 and "the state is damaged" in errors
        arrived(subscriber, 10)
        assert len(subscriber.messages) == 20
        # Without a state that is there everything would be sent again.
        (folder / "other").mkdir()
        code, errors = once(folder, broker.url, rides=folder / "other")
        assert code == 1 and "is of the rides in" in errors
        (folder / "state" / "cursor").rename(folder / "kept")
        (folder / "state" / "cursor").mkdir()
        code, errors = once(folder, broker.url)
        assert code == 66 and "cursor" in errors
        (folder / "state" / "cursor").rmdir()
        (folder / "kept").rename(folder / "state" / "cursor")
        assert once(folder, broker.url) == (0, "")
        assert len(subscriber.messages) == 20


def test_more_rides_wait_than_files_can_be_open(folder):
    (folder / "rides").mkdir()
    for number in range(300):
        (folder / "rides" / f"{name(number)}.nmea").write_bytes(recording(range(number * 10, number * 10 + 2)))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Broker(folder) as broker, Subscriber(broker) as subscriber:
        few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, most))}
        assert once(folder, broker.url, **few) == (0, "")
        assert len(arrived(subscriber, 600)) == 600


@pytest.mark.parametrize(
    ("issue", "message"),
    [
        ({}, None),
        ({"end": "20240101000000Z"}, "is not valid (expired"),
        ({"begin": "20980101000000Z"}, "is not valid (expired"),
        ({"host": "elsewhere.example"}, "is not valid (expired, for another name"),
    ],
    ids=["valid", "expired", "future", "other-name"],
)
def test_the_certificate_of_the_broker_is_verified(folder, interposed, issue, message):
    write_rides(folder, 1, 20)
    certificates = Certificates(folder)
    certificates.issue("server", **issue)
    certificates.issue("unit")
    certificates.authority("other")
    settings = [
        f"{key} {certificates.path(file)}"
        for key, file in [("cafile", "ca.pem"), ("certfile", "server.pem"), ("keyfile", "server.key")]
    ]
    with Broker(folder, *settings, "require_certificate true") as broker:
        url = f"mqtts://127.0.0.1:{broker.port}"
        unit = ["--cert", certificates.path("unit.pem"), "--key", certificates.path("unit.key")]
        code, errors = once(folder, url, "--ca", certificates.path("ca.pem"), *unit)
        if message:
            assert code == 5 and message in errors and "--ca" in errors, (code, errors)
            return
        assert (code, errors) == (0, "")
        assert "all finished rides acknowledged" in control("/nonexistent", "forward", "--status", "--state", folder / "state")[1]
        shutil.rmtree(folder / "state")
        # Another authority, no certificate of the unit, no file.
        code, errors = once(folder, url, "--ca", certificates.path("other.pem"), *unit)
        assert code == 5 and "unknown authority" in errors
        for outrun in [{}, {"LD_PRELOAD": interposed, "OUTRUN": "1"}]:
            code, errors = once(folder, url, "--ca", certificates.path("ca.pem"), env=os.environ | outrun)
            assert code == 5 and ("certificate required" in errors or "--cert" in errors), errors
        code, errors = once(folder, url, "--ca", folder / "missing.pem", *unit)
        assert code == 66 and "missing.pem" in errors


def test_a_connection_that_ends_during_the_handshake_is_tried_again(folder):
    write_rides(folder, 1, 20)
    certificates = Certificates(folder)
    certificates.issue("server")
    settings = [f"certfile {certificates.path('server.pem')}", f"keyfile {certificates.path('server.key')}"]
    port = free_port()
    closing = socket.create_server(("127.0.0.1", port))
    with Forwarder(folder, f"mqtts://localhost:{port}", "--ca", certificates.path("ca.pem"), "--once") as forwarder:
        for _ in range(2):
            unit, _ = closing.accept()
            # What is not read would reset the connection, which is not its end.
            assert unit.recv(65536)
            unit.close()
        closing.close()
        with Broker(folder, *settings, port=port):
            assert forwarder.process.wait(60) == 0
        assert "no encrypted connection" in forwarder.log


def test_a_renewed_certificate_is_used_without_a_restart(folder):
    write_rides(folder, 1, 20)
    certificates = Certificates(folder)
    certificates.issue("server", end="20240101000000Z")
    settings = [f"certfile {certificates.path('server.pem')}", f"keyfile {certificates.path('server.key')}"]
    with Broker(folder, *settings) as broker:
        with Forwarder(folder, f"mqtts://localhost:{broker.port}", "--ca", certificates.path("ca.pem")) as forwarder:
            until(lambda: "is not valid (expired" in forwarder.log, "the error")
            certificates.issue("server")
            broker.stop()
            broker.start()
            until(lambda: "connected" in forwarder.log, "the connection")
            status = lambda: control("/nonexistent", "forward", "--status", "--state", folder / "state")[1]
            until(lambda: "all finished rides acknowledged" in status(), "the acknowledgements")
            assert forwarder.log.count("expired") == 1


def test_a_key_or_certificate_that_cannot_be_used(folder):
    """It is an error with --once; no passphrase is asked for."""
    write_rides(folder, 1, 20)
    certificates = Certificates(folder)
    for name in ("server", "unit", "other"):
        certificates.issue(name)
    certificates.run("pkey", "-aes128", "-passout", "pass:secret", "-in", "unit.key", "-out", "locked.key")
    certificates.path("junk").write_text("junk\n")
    certificates.path("folder").mkdir()
    settings = [f"certfile {certificates.path('server.pem')}", f"keyfile {certificates.path('server.key')}"]
    with Broker(folder, *settings) as broker:
        for files, message in [
            (["ca.pem", "unit.pem", "junk"], 'key file "'), (["ca.pem", "unit.pem", "locked.key"], 'key file "'),
            (["ca.pem", "unit.pem", "other.key"], 'key file "'), (["ca.pem", "unit.pem", "folder"], 'key file "'),
            (["ca.pem", "junk", "unit.key"], 'client certificate "'), (["junk", "unit.pem", "unit.key"], "CA certificates"),
        ]:
            options = [word for pair in zip(["--ca", "--cert", "--key"], map(certificates.path, files)) for word in pair]
            code, errors = once(folder, f"mqtts://localhost:{broker.port}", *options, timeout=TIMEOUT)
            assert code == 5 and message in errors and "--cert and --key" in errors, (files, code, errors)
            assert "pass phrase" not in errors and errors.count("\n") == 1, errors


@pytest.mark.parametrize(
    "line", [b"x" * 65_535, "schl\u00fcssel ".encode() + b"y" * 5000 + b"\r\nmore\n", b"a\rb"], ids=["longest", "line", "return"],
)
def test_a_password_is_sent_whole(folder, line):
    write_rides(folder, 1, 20)
    (folder / "password").write_bytes(line)
    password = line.split(b"\n")[0].removesuffix(b"\r")
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"mqtt://127.0.0.1:{server.getsockname()[1]}"
        with Forwarder(folder, url, "--user", "unit", "--password-file", folder / "password"):
            unit, _ = server.accept()
            wanted = b"\0\4unit" + len(password).to_bytes(2) + password
            with unit, unit.makefile("rb") as packets:
                assert packets.read(1) == b"\x10"
                length = 0
                for place in range(4):
                    byte = packets.read(1)[0]
                    length |= (byte & 127) << 7 * place
                    if byte < 128:
                        break
                assert packets.read(length).endswith(wanted)


def test_what_is_no_password_is_refused(folder):
    write_rides(folder, 1, 20)
    file = folder / "password"
    for line in (b"", b"\nsecret\n", b"sec\0ret\n", b"x" * 65_536 + b"\n", b"\xff\n"):
        file.write_bytes(line)
        code, errors = once(folder, "mqtt://127.0.0.1:1", "--user", "unit", "--password-file", file)
        assert code == 65 and "not a password" in errors, (line[:9], code, errors)
    code, errors = once(folder, "mqtt://127.0.0.1:1", "--password-file", file)
    assert code == 64 and "needs --user" in errors


def test_user_and_password_are_those_of_the_broker(folder):
    write_rides(folder, 1, 20)
    passwords = folder / "passwords"
    subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "unit", "secret"], check=True, capture_output=True)
    good, bad = folder / "good", folder / "bad"
    good.write_text("secret\n")
    bad.write_text("wrong\n")
    with Broker(folder, f"password_file {passwords}", "allow_anonymous false") as broker:
        for options in ([], ["--user", "unit", "--password-file", bad]):
            code, errors = once(folder, broker.url, *options)
            assert code == 5 and "refuses the unit" in errors, errors
        assert once(folder, broker.url, "--user", "unit", "--password-file", good) == (0, "")
        code, errors = once(folder, broker.url.replace("://", "://unit:secret@"))
        assert code == 64 and "--password-file" in errors


def test_a_consumer_that_was_away_gets_everything(folder):
    files = write_rides(folder, 2, 500)
    with Broker(folder) as broker:
        with Subscriber(broker):
            pass
        assert once(folder, broker.url)[0] == 0
        with Subscriber(broker) as subscriber:
            wanted = expected(*files)
            assert_complete(arrived(subscriber, len(wanted)), wanted)


def test_what_is_whole_of_a_damaged_ride_arrives(folder):
    """NULs, a torn line and a torn end are left out; what is whole arrives."""
    (file, _) = write_rides(folder, 2, 200)
    data = file.read_bytes()
    cut = data.index(b"# t=100000 ")
    data = data[: cut + 4] + b"\0" * 3000 + b"\n" + data[data.index(b"# t=110000 ") :]
    file.write_bytes(data[:-40])
    with Broker(folder) as broker, Subscriber(broker) as subscriber:
        assert once(folder, broker.url)[0] == 0
        code, out, _ = control("/nonexistent", "decode", file)
        shown = [line for line in map(json.loads, out.splitlines()) if line["mode"] > 1]
        fixes = arrived(subscriber, len(shown) + 200)
        first = [message for (ride, _), message in fixes.items() if ride == name(0)]
        assert [(one["lat"], one["lon"]) for one in first] == [(one["lat"], one["lon"]) for one in shown]
        assert 185 <= len(first) <= 190


def described(folder):
    """What Home Assistant receives of a unit with a ride: the descriptions by topic, retained or not, and the last message."""
    write_rides(folder, 1, 60)
    came = {}

    def take(_client, _data, message):
        came[message.topic] = (json.loads(message.payload), message.retain)

    with Broker(folder) as broker, Subscriber(broker) as subscriber:
        assert once(folder, broker.url, "--home-assistant")[0] == 0
        subscriber.settle()
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
        client.on_connect = lambda client, *_: client.subscribe("homeassistant/#")
        client.on_message = take
        client.connect("127.0.0.1", broker.port)
        client.loop_start()
        until(lambda: len(came) == 2, "the descriptions")
        client.loop_stop()
    return came, subscriber.messages[-1]


def test_home_assistant_finds_the_unit(folder):
    """Its templates read the messages that arrive; the descriptions stay at the broker, for one that starts later."""
    came, message = described(folder)
    tracker, is_retained = came["homeassistant/device_tracker/fleet_unit/config"]
    speed, _ = came["homeassistant/sensor/fleet_unit/config"]
    assert is_retained
    assert tracker["json_attributes_topic"] == speed["state_topic"] == "fleet/unit"
    assert tracker["availability_topic"] == speed["availability_topic"] == "fleet/unit/status"
    assert tracker["device"] == speed["device"] == {"identifiers": "fleet_unit", "name": "unit"}
    assert tracker["unique_id"] != speed["unique_id"]
    assert {"lat", "lon", "vel", "acc"} <= set(message)
    attributes = json.loads(jinja2.Template(tracker["json_attributes_template"]).render(value_json=message))
    assert (attributes["latitude"], attributes["longitude"]) == (message["lat"], message["lon"])
    assert (attributes["gps_accuracy"], attributes["speed"]) == (message["acc"], message["vel"])
    sparse = json.loads(jinja2.Template(tracker["json_attributes_template"]).render(value_json={"lat": 0, "lon": -1.5}))
    assert sparse == {"latitude": 0, "longitude": -1.5}
    assert jinja2.Template(speed["value_template"]).render(value_json=message) == str(message["vel"])


@pytest.mark.desktop
def test_home_assistant_accepts_the_descriptions(folder):
    """By its own schemas, which remove what they do not know."""
    import voluptuous
    from homeassistant.components.mqtt import device_tracker, sensor

    came, _ = described(folder)
    for kind, entity in (("device_tracker", device_tracker), ("sensor", sensor)):
        description, _ = came[f"homeassistant/{kind}/fleet_unit/config"]
        assert set(entity.DISCOVERY_SCHEMA(description)) >= set(description)
        with pytest.raises(voluptuous.Invalid, match="availability_topic"):
            entity.DISCOVERY_SCHEMA(description | {"availability_topic": "fleet/#/status"})


def test_the_status_of_a_killed_unit_becomes_offline(folder):
    write_rides(folder, 1, 10)
    with Broker(folder) as broker, Subscriber(broker) as subscriber:
        with Forwarder(folder, broker.url):
            until(lambda: ("online", False) in subscriber.statuses, "online")
        until(lambda: subscriber.statuses[-1] == ("offline", False), "the will")
    with broker, Subscriber(broker, "another") as late:
        until(lambda: late.statuses == [("offline", True)], "the retained status")


def test_the_status_tells_what_waits(folder):
    write_rides(folder, 3, 50)
    code, _, errors = control("/nonexistent", "forward", "--status", "--state", folder / "state")
    assert code == 66 and "no state of a forwarder" in errors
    with Broker(folder) as broker:
        assert once(folder, broker.url)[0] == 0
    file = folder / "rides" / f"{name(4)}.nmea"
    file.write_bytes(recording(range(14400, 14430)))
    (folder / "rides" / f"{name(1)}.nmea").unlink()
    code, out, errors = control("/nonexistent", "forward", "--status", "--state", folder / "state")
    assert code == 0, errors
    assert f"1 of 3 finished rides wait, from {name(4)} on" in out and "30 fixes" in out and "2026-03-19T16:00:00Z" in out
    assert "last acknowledgement" in out and "lost" not in out


def is_held(file):
    """Whether a process has locked a file."""
    return f":{file.stat().st_ino} 0 EOF" in pathlib.Path("/proc/locks").read_text()


def test_retention_waits_and_then_tells(folder):
    """The recorder keeps rides for a forwarder without a broker, up to twice the number."""
    files = write_rides(folder, 4, 50)
    rides = folder / "rides"
    with Line(1) as line, Receiver(folder / "gps0") as receiver:
        line.is_dead = True
        with Forwarder(folder, line.url) as forwarder:
            until(lambda: "trying again" in forwarder.log, "the outage")
            until(lambda: all(is_held(file) for file in files), "the forwarder holds every ride")
            for kept in (2, 1):
                configuration = folder / "handlebard.toml"
                configuration.write_text(f"record-rides = {kept}\n")
                options = ["--config", configuration, "--record", rides]
                with Daemon(folder, f"serial:{receiver.link}?speed=115200", options=options) as daemon:
                    # The recorder's own ride counts, too: 5 rides become 4, then 4 become 2.
                    removed = lambda: daemon.log.count("is removed before all of it has been forwarded")
                    until(lambda: removed() == {2: 1, 1: 2}[kept], "the warnings")
                    daemon.stop()
                assert len(list(rides.glob("20260319*.nmea"))) == {2: 3, 1: 1}[kept]
            until(lambda: forwarder.log.count("was removed before all of it was acknowledged") == 3, "the losses")
            # Also over a kill during the outage.
            shown = lambda: control("/nonexistent", "forward", "--status", "--state", folder / "state")[1]
            until(lambda: f"3 rides, the last {name(2)}" in shown(), "the losses in the state")


def test_wrong_arguments_are_refused(folder):
    for options, message in [
        (["http://x"], "mqtt://HOST"), ([], "name the broker"), (["mqtt://x", "--qos", "0"], "--qos"),
        (["mqtt://x", "--topic", "a/#"], "wildcards"), (["mqtt://x", "--ca", "y"], "mqtts://"),
        (["mqtts://x", "--cert", "y"], "belong together"), (["mqtt://x", "--filter", "-1"], "--filter"),
    ]:
        code, _, errors = control("/nonexistent", "forward", *options)
        assert code == 64 and message in errors, errors
    (folder / "libmosquitto.so.1").write_text("")
    write_rides(folder, 1, 5)
    code, errors = once(folder, "mqtt://127.0.0.1:1", env={"LD_LIBRARY_PATH": str(folder)})
    assert code == 69 and "apt install libmosquitto1" in errors
