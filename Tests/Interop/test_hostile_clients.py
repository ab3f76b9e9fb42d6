"""Hostile clients and machines: the daemon stays within its limits and serves all other clients."""

import fcntl
import os
import re
import resource
import select
import signal
import socket
import subprocess
import time

import pytest

import nmea_sender
from handlebar_harness import BIN, TIMEOUT, RECORDING, SANITIZED, Client, Daemon, Ended, Late, Receiver, Stopwatch, until
from measuring import harmless, measured, processor


def anonymous(daemon):
    """Anonymous memory, KiB."""
    with open(f"/proc/{daemon.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon:"))


def descriptors(daemon):
    return len(os.listdir(f"/proc/{daemon.pid}/fd"))


def ask_without_reading(client, request, seconds):
    """Sends requests for a time; returns the number of bytes sent."""
    sent = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            sent += client.socket.send(request * 500)
        except BlockingIOError:
            select.select([], [client.socket], [], 0.05)
        except (BrokenPipeError, ConnectionResetError):
            break
    return sent


@pytest.mark.limits
def test_requests_of_a_client_that_has_closed_do_no_harm(folder):
    """Requests of a client that has closed are read while a fix is written to it."""
    ride = f"recording:{RECORDING}?speed=1000&loop=true"
    with Daemon(folder, ride) as daemon:
        end = time.monotonic() + 4
        while time.monotonic() < end:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(TIMEOUT)
                client.connect(str(daemon.socket))
                client.sendall(b'?WATCH={"json":true,"distanceFilter":0};\n')
                client.recv(65536)
                client.sendall(b"?STATUS;\n" * 3)
        with daemon.connect() as client:
            client.send("?STATUS;")
            client.wait("STATUS")
        assert daemon.is_alive()


@pytest.mark.parametrize("request_text", ["?POLL;", "?STATUS;", "?VERSION;\n"])
def test_thousands_of_requests_at_once_are_answered(folder, request_text):
    """A client that sends faster than it reads receives every answer, as long as it reads."""
    count = 2000
    with Daemon(folder, f"serial:{folder}/absent") as daemon, daemon.connect() as client:
        left = request_text.encode() * count
        while len(client.lines) <= count and not client.ended:
            readable, writable, _ = select.select([client], [client] if left else [], [], TIMEOUT)
            assert readable or writable, "neither an answer nor an ear"
            if writable:
                try:
                    left = left[client.socket.send(left) :]
                except BlockingIOError:
                    pass
            if readable:
                client.receive()
        assert [line["class"] for line in client.lines] == ["VERSION"] + [request_text.strip("?;\n")] * count
        daemon.stop()


@measured
@pytest.mark.parametrize("speed", ["1", "max"])
def test_requests_without_reading_cost_no_memory(folder, speed):
    ride = folder / "ride.nmea"
    ride.write_bytes(b"".join(burst for _, burst in nmea_sender.ride(3600)))
    with Daemon(folder, f"recording:{ride}?speed={speed}&start=watch") as daemon, daemon.connect() as client:
        client.send('?WATCH={"enable":true,"json":true,"distanceFilter":0};')
        before = anonymous(daemon)
        ask_without_reading(client, b"?STATUS;", 2)
        assert SANITIZED or anonymous(daemon) - before < 2048
        assert daemon.is_alive()
        daemon.stop()


@pytest.mark.limits
@measured
def test_a_stopped_reader_of_a_fast_replay_costs_no_memory(folder):
    """The replay waits for the reader; what another client causes meanwhile is not kept without limit."""
    ride = folder / "ride.nmea"
    ride.write_bytes(RECORDING.read_bytes() * 4)
    with Daemon(folder, f"recording:{ride}?speed=max") as daemon, daemon.connect() as other:
        stopped = daemon.connect()
        with stopped:
            stopped.send('?WATCH={"enable":true,"json":true,"distanceFilter":0};')
            stopped.wait_full(other, least=100_000)
            before = anonymous(daemon)
            end = time.monotonic() + 4
            while time.monotonic() < end:
                other.send('?FOLLOW={"view":"map","enable":false};?FOLLOW={"view":"map","enable":true};' * 20)
            other.settle()
            assert SANITIZED or anonymous(daemon) - before < 3000

            def is_told():
                return sum(line["class"] == "WATCH" for line in stopped.lines) == 2

            until(lambda: stopped.receive() or stopped.ended or is_told(), "the state in place of the events")
            # Where all of that took 10 s, it was closed.
            if not is_told():
                other.send("?STATUS;")
                assert other.wait("STATUS")["counts"]["clientsStalled"] == 1
            assert sum(line["class"] == "FOLLOW" for line in stopped.lines) < 200
        daemon.stop()


def test_a_slow_reader_of_a_fast_replay_receives_every_line(folder):
    """It reads only when the daemon can write no more."""
    ride = f"recording:{RECORDING}?speed=max"
    with Daemon(folder, ride) as daemon, daemon.connect() as slow, daemon.connect() as other:
        slow.send('?WATCH={"enable":true,"json":true,"distanceFilter":0};')
        received = b""
        while b'"ended":true' not in received[-4096:]:
            slow.wait_full(other, least=0)
            received += slow.socket.recv(30_000)
        daemon.stop()
    numbers = [int(number) for number in re.findall(rb'^{"class":"TPV".*"seq":(\d+)', received, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    decoded = subprocess.run([BIN / "handlebarctl", "decode", RECORDING], capture_output=True, check=True)
    assert len(numbers) == decoded.stdout.count(b'"seq":')


def test_clients_that_close_in_the_middle_cost_nothing(folder):
    """A thousand clients close within a request or before their answers."""
    with Daemon(folder, f"serial:{folder}/absent") as daemon:
        def hurry(number):
            with Client(daemon.socket) as client:
                try:
                    client.send(b'?WATCH={"ena' if number % 2 else b"?WATCH={};" + b"?STATUS;" * 200)
                except Ended:
                    pass

        for _ in range(50):
            daemon.connect().socket.close()
        daemon.is_alive()
        files = descriptors(daemon)
        # As many at once as wait below for a daemon that has no processor.
        daemon.process.send_signal(signal.SIGSTOP)
        for number in range(50):
            hurry(number)
        daemon.process.send_signal(signal.SIGCONT)
        daemon.is_alive()
        until(lambda: descriptors(daemon) <= files, "every connection closed")
        memory = anonymous(daemon)
        for number in range(1000):
            hurry(number)
            if number % 50 == 0:
                # Keeps room in the kernel's queue, which refuses further clients.
                daemon.is_alive()
        assert daemon.is_alive()
        until(lambda: descriptors(daemon) <= files, "every connection closed")
        assert SANITIZED or anonymous(daemon) - memory < 512
        daemon.stop()


def test_repeated_refusals_are_logged_once(folder):
    with Daemon(folder, f"serial:{folder}/absent") as daemon:
        clients = [daemon.connect() for _ in range(256)]
        for _ in range(200):
            with Client(daemon.socket) as client:
                assert client.wait("ERROR")["code"] == "tooManyClients"
        assert daemon.log.count("refused") == 1
        for client in clients:
            client.socket.close()
        daemon.stop()


def accepts(path):
    try:
        Client(path).socket.close()
    except (FileNotFoundError, ConnectionRefusedError):
        return False
    return True


def test_clients_wait_while_no_descriptor_is_free(folder):
    """Without a free descriptor clients wait; the daemon does not spin, and accepts them when descriptors are free again."""
    path = folder / "location.sock"
    with subprocess.Popen(
        [BIN / "handlebard", "--socket", path, "--source", f"serial:{folder}/absent"],
        stderr=subprocess.DEVNULL, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24)),
    ) as process:
        try:
            until(lambda: accepts(path), "the start")
            clients = [Client(path) for _ in range(60)]
            assert clients[0].next()["class"] == "VERSION"
            until(lambda: len(os.listdir(f"/proc/{process.pid}/fd")) >= 24, "the last descriptor")
            before = processor(process.pid)
            with pytest.raises(Late):
                clients[-1].next(1.5)
            assert processor(process.pid) - before < 0.3
            for client in clients:
                client.socket.close()
            with Client(path) as client:
                assert client.next()["class"] == "VERSION"
            process.terminate()
            assert process.wait(TIMEOUT) == 0
        finally:
            if process.poll() is None:
                process.kill()


def test_stopped_clients_do_not_delay_the_end(folder):
    """Clients stopped within a request delay neither other clients nor SIGTERM."""
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200") as daemon,
        daemon.connect() as good,
    ):
        good.watch(distanceFilter=0)
        frozen = [daemon.connect() for _ in range(50)]
        for client in frozen:
            client.send('?WATCH={"enable":true,"json":true,"distanceFilter":100000,"heartbeat":0.1};')
        # Fixes that are late together are one: each is waited for.
        receiver.play(nmea_sender.ride(300, period=0.05), speed=5, after=lambda: good.wait("TPV"))
        assert [line["seq"] for line in good.lines if line["class"] == "TPV"] == list(range(1, 301))
        clock = Stopwatch(daemon.pid)
        daemon.stop(clock=clock)
        assert clock.now() < 3
        for client in frozen:
            client.socket.close()


@measured
def test_a_fast_replay_waits_for_a_reader_that_stops(folder):
    """The replay waits for it; other clients are answered, and nothing is kept for it."""
    path = folder / "ride.nmea"
    path.write_bytes(RECORDING.read_bytes() * 20)
    with Daemon(folder, f"recording:{path}?speed=max&start=watch") as daemon:
        with daemon.connect() as stopped, daemon.connect() as other, harmless(daemon):
            stopped.send('?WATCH={"json":true,"distanceFilter":0};')
            stopped.wait_full(other, least=100_000)
            for _ in range(5000):
                other.settle()
        daemon.stop()


@pytest.mark.parametrize("rate", ["1000", "max"])
def test_a_fast_replay_starves_no_client(folder, rate):
    """Recorded time faster than the machine starves neither clients nor SIGTERM."""
    ride = folder / "ride.nmea"
    burst = b"".join(burst for _, burst in nmea_sender.ride(36_000, period=0.1))
    ride.write_bytes(burst)
    loop = "&loop=true" if rate != "max" else "&start=now"
    with Daemon(folder, f"recording:{ride}?speed={rate}{loop}") as daemon:
        clients = [daemon.connect() for _ in range(20)]
        for client in clients:
            client.watch(distanceFilter=0 if rate != "max" else 100_000)
        clock = Stopwatch(daemon.pid)
        assert daemon.is_alive()
        daemon.stop(clock=clock)
        assert clock.now() < 5
        for client in clients:
            client.socket.close()


def test_a_request_is_answered_after_the_end_of_a_fast_replay(folder):
    """A request on recorded time is answered on the machine's time when the recording is over."""
    ride = folder / "ride.nmea"
    ride.write_bytes(b"".join(nmea_sender.epoch(number, valid=False) for number in range(3)))
    with Daemon(folder, f"recording:{ride}?speed=max") as daemon, daemon.connect() as client:
        client.send('?LOCATE={"timeout":3};')
        assert client.wait("ERROR")["code"] == "timedOut"
        daemon.stop()


def test_two_recordings_wait_for_the_first_client(folder):
    for name in "ab":
        (folder / name).write_bytes(b"".join(nmea_sender.epoch(number) for number in range(30)))
    sources = [f"recording:{folder / name}?start=watch" for name in "ab"]
    with Daemon(folder, *sources) as daemon, daemon.connect() as client:
        client.watch()

        def states():
            client.send("?STATUS;")
            return {source["state"] for source in client.wait("STATUS")["sources"]}

        until(lambda: states() == {"tracking"}, "both play", pause=0.1)
        daemon.stop()


def test_a_recording_may_hold_events_in_any_order(folder):
    """A recording may hold losses and returns in any order."""
    parts = [b"# handlebar-recording 1\n"]
    events = [b"found", b"found", b"lost", b"lost", b"", b"lost", b"found", b"lost", b"", b"found", b""]
    for number, event in enumerate(events):
        parts.append(b"# t=%d src=0\n" % (number * 1000))
        parts.append(b'# e {"source":"%s"}\n' % event if event else nmea_sender.epoch(number))
    ride = folder / "ride.nmea"
    ride.write_bytes(b"".join(parts))
    with Daemon(folder, f"recording:{ride}?speed=max") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.wait("PLAYBACK")
        assert [line["seq"] for line in client.lines if line["class"] == "TPV"] == [1, 2, 3]
        daemon.stop()


def test_a_loss_is_recorded_and_replayed(folder):
    """The replay loses the source at the time of the unplugging, without the silence before `lost`."""
    rides = folder / "rides"
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        receiver.play(nmea_sender.ride(4, period=0.2))
        client.wait("TPV", lambda fix: fix["seq"] == 4)
        receiver.unplug()
        client.wait("STATE", lambda state: state["state"] == "lost")
        receiver.plug()
        client.wait("STATE", lambda state: state["state"] == "acquiring")
        receiver.write(nmea_sender.epoch(10, period=0.2))
        client.wait("TPV", lambda fix: fix["seq"] == 5)
        daemon.stop()
    (ride,) = rides.iterdir()
    assert ride.read_text().count('# e {"source":"lost"}') == 1
    assert ride.read_text().count('# e {"source":"found"}') == 1
    with Daemon(folder, f"recording:{ride}?speed=max") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.wait("PLAYBACK")
        seen = [line.get("state") or line["seq"] for line in client.lines if line["class"] in ("STATE", "TPV")]
        assert seen[seen.index(4) :] == [4, "lost", "acquiring", "tracking", 5, "idle"], seen
        daemon.stop()


def test_a_removed_recording_is_reported(folder):
    rides = folder / "rides"
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=115200", options=["--record", rides]) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        until(lambda: rides.exists() and list(rides.iterdir()), "the file")
        for path in rides.iterdir():
            path.unlink()
        receiver.write(nmea_sender.epoch(0))
        client.wait("TPV")

        def status():
            client.send("?STATUS;")
            return client.wait("STATUS")

        failed = until(lambda: (one := status()).get("recordingError") and one, "the error", pause=0.2)
        assert "recording" not in failed
        daemon.stop()


@pytest.mark.parametrize("closed", ["2>&-", "0<&- 1>&- 2>&-"])
def test_output_to_closed_standard_descriptors_is_discarded(folder, closed):
    """Output to a closed standard error is discarded and never reaches the recording."""
    rides = folder / "rides"
    path = folder / "location.sock"
    with Receiver(folder / "gps0") as receiver:
        command = f"exec {BIN}/handlebard --socket {path} --source serial:{receiver.link} --record {rides} {closed}"
        with subprocess.Popen(["sh", "-c", command]) as process:
            until(lambda: rides.exists() and list(rides.iterdir()), "the recording")
            for descriptor in range(3):
                assert not os.readlink(f"/proc/{process.pid}/fd/{descriptor}").startswith(("socket", str(folder), "anon"))
            process.send_signal(signal.SIGTERM)
            assert process.wait(TIMEOUT) == 0
        assert all(b"handlebard:" not in ride.read_bytes() for ride in rides.iterdir())


def test_a_lock_of_the_directory_does_not_keep_the_daemon_from_starting(folder):
    """Any user can lock a directory; the daemon waits for the lock of its own file, for a limited time."""
    directory, lock = os.open(folder, os.O_RDONLY), folder / "location.sock.lock"
    fcntl.flock(directory, fcntl.LOCK_EX)
    with Daemon(folder, f"serial:{folder}/absent") as daemon:
        assert daemon.is_alive() and not lock.exists()
        daemon.stop()
    holder = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(holder, fcntl.LOCK_EX)
    with Daemon(folder, f"serial:{folder}/absent", wait=False) as daemon:
        assert daemon.wait_end() == 71
        assert str(lock) in daemon.log
    os.close(directory)
    os.close(holder)


def test_one_of_many_instances_serves(folder):
    """Of several daemons started at once one serves, and the others name it."""
    daemons = [Daemon(folder, f"serial:{folder}/absent", wait=False) for _ in range(6)]
    try:
        until(lambda: sum(daemon.process.poll() is None for daemon in daemons) == 1, "one is left")
        serving = next(daemon for daemon in daemons if daemon.process.poll() is None)
        assert all(daemon.process.returncode == 71 for daemon in daemons if daemon is not serving)
        serving.wait_ready()
        assert serving.is_alive()
        # Its file taken away, another may serve the path, and is not robbed of it.
        serving.socket.unlink()
        with Daemon(folder, f"serial:{folder}/absent") as successor:
            serving.stop()
            assert successor.is_alive()
            successor.stop()
        assert not serving.socket.exists()
    finally:
        for daemon in daemons:
            if daemon.process.poll() is None:
                daemon.process.kill()
                daemon.process.wait()


def test_a_stopped_daemon_publishes_the_newest_fix_with_its_age(folder):
    """Of the fixes that waited for it, the newest alone is published, and those after it as new."""
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}?speed=9600") as daemon:
        with daemon.connect() as client:
            client.watch(distanceFilter=0)
            begin = time.monotonic()

            def measured(number):
                """When the receiver measures an epoch."""
                return begin + number * 0.5

            def wait_until(instant):
                until(lambda: time.monotonic() >= instant, "an instant", pause=0.005)

            def send(number):
                """Sends an epoch when it is measured, and returns its fix."""
                wait_until(measured(number))
                receiver.write(nmea_sender.epoch(number, 0.5))
                clock = f"12:{number // 120:02d}:{number / 2 % 60:06.3f}Z"
                return client.wait("TPV", lambda line: line["time"].endswith(clock))

            usual = min(send(number)["_at"] - measured(number) for number in range(6))
            daemon.process.send_signal(signal.SIGSTOP)
            wait_until(measured(13) + 2)
            receiver.write(b"".join(nmea_sender.epoch(number, 0.5) for number in range(6, 14)))
            client.lines.clear()
            resumed = time.monotonic()
            daemon.process.send_signal(signal.SIGCONT)
            late = client.wait("TPV")
            assert late["time"] == "2026-03-19T12:00:06.500Z"
            # The daemon knows the usual delay up to that of the client.
            assert resumed - measured(13) - usual - 0.1 < late["age"] < late["_at"] - measured(13) + 0.1
            for _ in range(4):
                number = int((time.monotonic() - begin) / 0.5) + 1
                fix = send(number)
                # Unless it really took that long.
                assert "age" not in fix or fix["_at"] - measured(number) > 1.5
            client.settle()
            assert sum(line["class"] == "TPV" for line in client.lines) == 5
            client.send("?STATUS;")
            assert client.wait("STATUS")["counts"]["lateFixes"] == 7
        daemon.stop()


@measured
def test_rapid_plugging_costs_nothing(folder):
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}?speed=auto") as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        for number in range(20):
            receiver.unplug()
            receiver.plug()

        def reopened():
            return str(receiver.link.resolve()) in held(daemon)

        until(reopened, "reopening")
        files, memory = descriptors(daemon), anonymous(daemon)
        for number in range(200):
            receiver.unplug()
            receiver.plug()
            receiver.write(nmea_sender.epoch(number)[: number * 7 % 190])
            if number % 20 == 0:
                until(reopened, "reopening")
            client.receive()
        until(reopened, "reopening")
        until(lambda: descriptors(daemon) <= files + 1, "closing of the old line's descriptors")
        assert SANITIZED or anonymous(daemon) - memory < 512
        for number in range(300, 310):
            receiver.write(nmea_sender.epoch(number))
        client.wait("TPV")
        daemon.stop()


def held(daemon):
    """The open descriptors of the daemon."""
    names = []
    for descriptor in os.listdir(f"/proc/{daemon.pid}/fd"):
        try:
            names.append(os.readlink(f"/proc/{daemon.pid}/fd/{descriptor}"))
        except FileNotFoundError:
            pass
    return names


@pytest.mark.parametrize("impostor", ["file", "folder", "fifo", "/dev/null", "socket"])
def test_a_link_to_no_serial_line_is_reported(folder, impostor):
    """A link to something else is reported; the receiver is used once the link leads to it."""
    other = folder / "other"
    if impostor == "file":
        other.write_text("$GPRMC\n")
    elif impostor == "folder":
        other.mkdir()
    elif impostor == "fifo":
        os.mkfifo(other)
    elif impostor == "socket":
        socket.socket(socket.AF_UNIX).bind(str(other))
    else:
        other.symlink_to(impostor)
    link = folder / "gps0"
    link.symlink_to(other)
    with Daemon(folder, f"serial:{link}") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        failed = client.wait("STATE", lambda state: state["state"] == "failed")
        assert failed["error"] in ("misconfigured", "unavailable") and failed["remedy"]
        with Receiver(link) as receiver:
            until(lambda: str(link.resolve()) in held(daemon), "the receiver is open")
            for number in range(4):
                receiver.write(nmea_sender.epoch(number))
            client.wait("TPV")
        daemon.stop()
