"""The daemon under a service manager: notifications, inherited sockets, reload and stop."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import time

import pytest

import nmea_sender
from gpsd_harness import free_port
from handlebar_harness import BIN, LONG, TIMEOUT, ROOT, Client, Ended, Receiver, Stopwatch, tracking, until
from measuring import measured


class Manager:
    """A service manager: the environment of a service and its notifications."""

    def __init__(self, folder, abstract=False):
        self.folder = folder
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = f"handlebar-test-{os.getpid()}-{time.monotonic_ns()}"
        self.socket.bind(f"\0{name}" if abstract else str(folder / "notify"))
        self.address = f"@{name}" if abstract else str(folder / "notify")
        self.messages = []
        self.log_path = folder / "service.log"
        self.process = None

    def start(self, *options, sockets=None, source=None, listen_pid="$$", **environment):
        """Starts the daemon as systemd does; `sockets` are (name, socket) pairs handed over from descriptor 3 on."""
        sockets = sockets or []
        command = [str(BIN / "handlebard"), *map(str, options)]
        if source != "":
            command += ["--source", source or f"serial:{self.folder}/absent"]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("HANDLEBAR_")} | {
            "NOTIFY_SOCKET": self.address, "SWIFT_BACKTRACE": "enable=no",
        } | environment
        script = 'exec "$@"'
        if sockets:
            environment |= {"LISTEN_FDS": str(len(sockets)), "LISTEN_FDNAMES": ":".join(name for name, _ in sockets)}
            moves = " ".join(f"{3 + index}<&{one.fileno()}" for index, (_, one) in enumerate(sockets))
            script = f'export LISTEN_PID={listen_pid}; exec {moves}; exec "$@"'
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                ["bash", "-c", script, "bash", *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=log, env=environment, pass_fds=[one.fileno() for _, one in sockets],
            )
        return self

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.socket.close()
        if kind is not None:
            print(self.messages, self.log)

    @property
    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def wait(self, beginning, timeout=TIMEOUT):
        """The next message that begins so, and when it came."""
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            self.socket.settimeout(left)
            with contextlib.suppress(TimeoutError):
                message = self.socket.recv(4096).decode()
                self.messages.append(message)
                if message.startswith(beginning):
                    return message
        raise AssertionError(f"no {beginning}; there were {self.messages}\n{self.log}")

    def take_all(self):
        """Takes the messages that have come; a time after which all others were sent."""
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                before = time.monotonic()
                self.messages.append(self.socket.recv(4096).decode())
        return before

    def wait_end(self, clock):
        """The exit code; the clock is updated until the end."""
        until(lambda: self.process.poll() is not None or clock.look() < 0, "the end", pause=0.001)
        return self.process.wait(TIMEOUT)

    def stop(self):
        """Asks it to stop; how long that took."""
        clock = Stopwatch(self.process.pid)
        self.process.send_signal(signal.SIGTERM)
        assert self.wait_end(clock) == 0, self.log
        return clock.now()


def listening(path):
    """A listening socket as a socket unit makes it."""
    one = socket.socket(socket.AF_UNIX)
    one.bind(str(path))
    one.listen(16)
    return one


@pytest.mark.parametrize("abstract", [False, True], ids=["path", "abstract"])
def test_notifies_ready_status_and_stopping(folder, abstract):
    with Manager(folder, abstract) as manager:
        manager.start("--socket", folder / "location.sock")
        manager.wait("READY=1")
        # A client can connect after READY=1.
        with Client(folder / "location.sock") as client:
            assert client.next()["class"] == "VERSION"
        status = manager.wait("STATUS=no fix: ")
        assert f"{folder}/absent does not exist" in status
        manager.stop()
        manager.wait("STOPPING=1")
        assert manager.messages.index("READY=1") < manager.messages.index(status)


def test_pings_at_half_the_watchdog(folder):
    with Manager(folder) as manager:
        manager.start("--socket", folder / "location.sock", WATCHDOG_USEC="400000")
        manager.wait("READY=1")
        # Comes at once.
        manager.wait("WATCHDOG=1")
        begin = manager.take_all()
        for _ in range(11):
            manager.wait("WATCHDOG=1")
        # Ten more after the first one, at half the time each.
        assert time.monotonic() - begin > 1.99
        # A loop that hangs does not ping.
        manager.process.send_signal(signal.SIGSTOP)
        until(lambda: "T (stopped)" in open(f"/proc/{manager.process.pid}/status").read(), "the halt")
        manager.take_all()
        manager.socket.settimeout(0.6)
        with pytest.raises(TimeoutError):
            manager.socket.recv(4096)
        manager.process.send_signal(signal.SIGCONT)
        manager.wait("WATCHDOG=1")
        manager.stop()


def test_no_pings_for_another_process(folder):
    with Manager(folder) as manager:
        manager.start("--socket", folder / "location.sock", WATCHDOG_USEC="100000", WATCHDOG_PID="1")
        manager.wait("READY=1")
        manager.wait("STATUS=")
        manager.stop()
        manager.wait("STOPPING=1")
        assert not [one for one in manager.messages if one.startswith("WATCHDOG")]


def test_activated_socket_stays_out_of_children(folder):
    """An inherited socket may lack the close-on-exec flag."""
    with Manager(folder) as manager, listening(folder / "unit.sock") as unit:
        manager.start(sockets=[("location", unit)], WATCHDOG_USEC="5000000")
        manager.wait("READY=1")
        with Client(folder / "unit.sock") as client:
            assert client.next()["class"] == "VERSION"
        info = open(f"/proc/{manager.process.pid}/fdinfo/3").read()
        flags = int(next(line.split()[1] for line in info.splitlines() if line.startswith("flags:")), 8)
        assert flags & os.O_CLOEXEC
        manager.stop()


def test_activated_sockets_are_served_and_left(folder):
    with Manager(folder) as manager, listening(folder / "unit.sock") as unit, listening(folder / "nmea.sock") as nmea:
        # A client that comes before the daemon waits in the socket.
        with Client(folder / "unit.sock") as early:
            manager.start(sockets=[("nmea", nmea), ("location", unit)], source=f"recording:{ROOT}/recordings/city.nmea?loop=true")
            assert early.next()["class"] == "VERSION"
            early.watch()
            with Client(folder / "nmea.sock") as reader:
                until(lambda: reader.receive() or reader.sentences, "a sentence")
            # A client that is behind gets no last line.
            early.settle()
            assert manager.stop() < 2
            with contextlib.suppress(Ended):
                while True:
                    early.next()
            assert early.lines[-1]["code"] == "stopping"
        # The socket is the manager's: the next client waits there for the next daemon.
        assert (folder / "unit.sock").exists()
        with Client(folder / "unit.sock") as next_client:
            manager.start(sockets=[("location", unit)])
            assert next_client.next()["class"] == "VERSION"
            manager.stop()


def test_sockets_for_another_process_are_left_alone(folder):
    with Manager(folder) as manager, listening(folder / "unit.sock") as unit:
        manager.start("--socket", folder / "location.sock", sockets=[("location", unit)], listen_pid="1")
        manager.wait("READY=1")
        with Client(folder / "location.sock") as client:
            assert client.next()["class"] == "VERSION"
        manager.stop()


def test_a_socket_that_cannot_be_served_is_named(folder):
    with Manager(folder) as manager, listening(folder / "unit.sock") as unit:
        manager.start(sockets=[("web", unit)])
        assert manager.process.wait(TIMEOUT) == 71
        assert 'named "web"' in manager.log
        manager.process = None
    with Manager(folder / "..", abstract=True) as manager, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        manager.folder, manager.log_path = folder, folder / "second.log"
        manager.start(sockets=[("location", datagrams)])
        assert manager.process.wait(TIMEOUT) == 71
        assert "not a listening Unix stream socket" in manager.log
        manager.process = None


def refusal(client):
    """The single line that a client receives before it is disconnected."""
    with contextlib.suppress(Ended):
        while True:
            client.next()
    assert [line["class"] for line in client.lines] == ["ERROR"], client.lines
    return client.lines[0]


def nobody_waits(unit):
    """Whether no connection waits, for which a service manager would start the service again."""
    return not select.select([unit], [], [], 0)[0]


def test_wrong_configuration_is_reported_to_waiting_clients(folder):
    """No connection is left for which the service manager would start the daemon again at once."""
    config = folder / "handlebard.toml"
    config.write_text("distance-filter = 3\nmax-clients = 0\n")
    with Manager(folder) as manager, listening(folder / "unit.sock") as unit, listening(folder / "nmea.sock") as nmea:
        with Client(folder / "unit.sock") as early, Client(folder / "nmea.sock") as reader:
            early.send('?WATCH={"enable":true,"json":true};')
            begin = time.monotonic()
            manager.start("--config", config, sockets=[("nmea", nmea), ("location", unit)], source="")
            refused = refusal(early)
            # A client that returns is served by the same process, which delays its end.
            with Client(folder / "unit.sock") as again:
                assert refusal(again)["message"] == refused["message"]
            assert refused["code"] == "misconfigured"
            assert "handlebard.toml:2:" in refused["message"] and "max-clients" in refused["message"]
            assert "systemctl restart handlebard" in refused["remedy"]
            # No error is sent on the NMEA socket.
            until(lambda: reader.receive() or reader.ended, "the end of the other connection")
            assert not reader.sentences and not reader.lines
        assert "handlebard.toml:2:" in manager.wait("STATUS=cannot start: ")
        assert manager.process.wait(TIMEOUT) == 78
        assert time.monotonic() - begin > 4.9
        assert nobody_waits(unit) and nobody_waits(nmea)
        assert manager.log.count("handlebard.toml:2:") == 1


@measured
def test_wrong_configuration_ends_at_once_without_clients(folder):
    config = folder / "handlebard.toml"
    config.write_text("max-clients = 0\n")
    with Manager(folder) as manager, listening(folder / "unit.sock") as unit:
        clock = Stopwatch()
        manager.start("--config", config, sockets=[("location", unit)], source="")
        clock.pids.append(manager.process.pid)
        assert manager.wait_end(clock) == 78
        assert clock.now() < 4


def test_reporting_to_waiting_clients_can_be_stopped(folder):
    config = folder / "handlebard.toml"
    config.write_text("max-clients = 0\n")
    with Manager(folder) as manager, listening(folder / "unit.sock") as unit:
        with Client(folder / "unit.sock") as early:
            manager.start("--config", config, sockets=[("location", unit)], source="")
            refusal(early)
        manager.process.terminate()
        assert manager.process.wait(TIMEOUT) == -signal.SIGTERM


def test_wrong_command_line_is_reported_to_waiting_clients(folder):
    with Manager(folder) as manager, listening(folder / "unit.sock") as unit:
        with Client(folder / "unit.sock") as early:
            manager.start("--no-such-option", sockets=[("location", unit)])
            refused = refusal(early)
            assert refused["code"] == "misconfigured" and "--no-such-option" in refused["message"]
            # Before it stays for further clients, in which a signal ends it.
            assert "--no-such-option" in manager.log
        assert manager.process.wait(TIMEOUT) == 64
        assert nobody_waits(unit)


def test_taken_port_is_reported_to_waiting_clients(folder):
    """The service manager retries at its own pace and not at that of the clients."""
    with Manager(folder) as manager, listening(folder / "unit.sock") as unit, socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with Client(folder / "unit.sock") as early:
            manager.start("--tcp", f"127.0.0.1:{port}", sockets=[("location", unit)])
            refused = refusal(early)
            assert refused["code"] == "unavailable" and f"127.0.0.1:{port} is taken" in refused["message"]
        assert manager.process.wait(TIMEOUT) == 71
        assert nobody_waits(unit)


@measured
def test_stops_in_time_with_a_client_that_does_not_read(folder):
    with Manager(folder) as manager:
        manager.start(
            "--socket", folder / "location.sock", source=f"recording:{ROOT}/recordings/city.nmea?speed=50&loop=true")
        manager.wait("READY=1")
        with Client(folder / "location.sock") as deaf, Client(folder / "location.sock") as other:
            deaf.send('?WATCH={"enable":true,"json":true,"distanceFilter":0};')
            other.watch(distanceFilter=0)
            for _ in range(100):
                other.wait("TPV")
            # A client that is behind gets no last line.
            other.watch(enable=False)
            other.settle()
            assert manager.stop() < 2
            with contextlib.suppress(Ended):
                while True:
                    other.next()
            assert other.lines[-1]["code"] == "stopping"


def reload(manager):
    """Sends SIGHUP and waits for the notification of its end; returns the lines logged meanwhile."""
    before = len(manager.log)
    begin = time.monotonic_ns() // 1000
    manager.process.send_signal(signal.SIGHUP)
    message = manager.wait("RELOADING=1")
    assert begin <= int(message.split("MONOTONIC_USEC=")[1]) <= time.monotonic_ns() // 1000
    manager.wait("READY=1")
    return manager.log[before:]


def test_reload_keeps_clients(folder):
    config = folder / "handlebard.toml"
    config.write_text(f'sources = ["serial:{folder}/gps0"]\nmax-clients = 5\nsocket = "{folder}/location.sock"\n')
    with Receiver(folder / "gps0") as receiver, Manager(folder) as manager:
        manager.start("--config", config, source="")
        manager.wait("READY=1")
        with Client(folder / "location.sock") as client:
            assert client.watch()["distanceFilter"] == 10
            bursts = nmea_sender.ride(40, period=0.1)
            receiver.play(bursts[:20])
            client.wait("STATE", tracking)
            config.write_text(
                f'sources = ["serial:{folder}/gps1", "serial:{folder}/gps0"]\nmax-clients = 3\ndistance-filter = 0\n'
                f'drift-limit = 50\nlog-level = "debug"\nrecord = "{folder}/rides"\nsocket = "{folder}/other.sock"\n')
            log = reload(manager)
            assert "configuration taken over" in log
            assert "socket takes effect at the next start" in log
            assert client.wait("WATCH")["distanceFilter"] == 0
            assert [one["path"] for one in client.wait("DEVICES")["devices"]] == [f"{folder}/gps1", f"{folder}/gps0"]
            # The receiver was not let go of: the next fixes come as if nothing had been.
            receiver.play([(second - 2, data) for second, data in bursts[20:]])
            assert client.wait("TPV", lambda fix: fix["mode"] > 1)["source"] == "serial-2"

            def recorded():
                """The status, once the recorder has its file."""
                client.send("?STATUS;")
                one = client.wait("STATUS")
                return "recording" in one and one

            status = until(recorded, "the recording")
            assert status["clientLimit"] == 3
            assert status["recording"].startswith(f"{folder}/rides/")
            assert status["counts"]["fixes"] > 20
            assert not (folder / "other.sock").exists()
            # Debug is on: the next client is logged.
            with Client(folder / "location.sock"):
                until(lambda: "client connected" in manager.log, "the client in the log")
            config.write_text(f'sources = ["serial:{folder}/gps1"]\nsocket = "{folder}/location.sock"\n')
            reload(manager)
            assert client.wait("STATE", lambda state: "leads" in state)["leads"] == "removed"
            assert client.wait("RECORD")["state"] == "off"
            client.send("?STATUS;")
            assert "recording" not in client.wait("STATUS", lambda one: len(one["sources"]) == 1)
        manager.stop()


def test_reload_keeps_a_requested_recording(folder):
    config = folder / "handlebard.toml"
    common = f'sources = ["serial:{folder}/gps0"]\nrecord = "{folder}/rides"\nsocket = "{folder}/location.sock"\n'
    with Receiver(folder / "gps0") as receiver, Manager(folder) as manager:
        config.write_text(common + "record-from-start = false\n")
        manager.start("--config", config, source="")
        manager.wait("READY=1")
        with Client(folder / "location.sock") as client:

            def state(request=""):
                """One recorder makes room for the next without anyone noticing."""
                client.send(f"?RECORD{request};")
                return client.wait("RECORD", lambda one: one["directory"] == f"{folder}/rides")["state"]

            assert state() == "stopped"
            state('={"enable":true}')
            receiver.play(nmea_sender.ride(5, period=0.1))
            until(lambda: state() == "recording", "the recording")
            # What a client began goes on, in the same ride.
            config.write_text(common + "record-from-start = false\nride-stop = 600\n")
            reload(manager)
            until(lambda: state() == "recording", "the recording after the reload")
            # What a client ended stays so, although it had begun by itself.
            config.write_text(common + "record-from-start = true\nride-stop = 600\n")
            state('={"enable":false}')
            until(lambda: state() == "stopped", "the end")
            reload(manager)
            until(lambda: state() == "recording", "what is now wanted from the start")
            state('={"enable":false}')
            until(lambda: state() == "stopped", "the end")
            config.write_text(common + "record-from-start = true\nride-stop = 700\n")
            reload(manager)
            until(lambda: state() == "stopped", "the recorder after the reload")
        manager.stop()


@pytest.mark.parametrize(
    "text, complaint",
    [
        ("distance-fliter = 5", ':1: distance-fliter: there is no such key; did you mean "distance-filter"?'),
        ("\nmax-clients = 0", ":2: max-clients: 0 is out of range"),
        ('tcp = ["board:2947"]', "write localhost or an address"),
        ('sources = ["serial:/a"', ":1:"),
        (None, "there is no such file"),
    ],
    ids=["key", "range", "host", "syntax", "gone"],
)
def test_invalid_reload_keeps_the_running_one(folder, text, complaint):
    config = folder / "handlebard.toml"
    config.write_text("distance-filter = 7\n")
    with Manager(folder) as manager:
        manager.start("--config", config, "--socket", folder / "location.sock")
        manager.wait("READY=1")
        with Client(folder / "location.sock") as client:
            assert client.watch()["distanceFilter"] == 7
            if text is None:
                config.unlink()
            else:
                config.write_text(text)
            log = reload(manager)
            assert "the old one stays" in log and complaint in log, log
            client.send("?WATCH;")
            assert client.wait("WATCH")["distanceFilter"] == 7
            config.write_text("distance-filter = 8\n")
            assert "taken over" in reload(manager)
            assert client.wait("WATCH")["distanceFilter"] == 8
        manager.stop()


def test_flags_win_after_a_reload_too(folder):
    config = folder / "handlebard.toml"
    config.write_text("distance-filter = 7\n")
    with Manager(folder) as manager:
        manager.start("--config", config, "--socket", folder / "location.sock", "--distance-filter", "3")
        manager.wait("READY=1")
        with Client(folder / "location.sock") as client:
            assert client.watch()["distanceFilter"] == 3
            config.write_text("distance-filter = 9\n")
            assert "nothing to change" in reload(manager)
            client.send("?WATCH;")
            assert client.wait("WATCH")["distanceFilter"] == 3
        manager.stop()


def test_a_full_log_pipe_delays_no_client(folder):
    """The daemon answers while standard error is a full pipe."""
    read_end, write_end = os.pipe()
    with Manager(folder) as manager:
        os.set_blocking(write_end, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(write_end, b"x" * 4096)
        os.set_blocking(write_end, True)
        manager.process = subprocess.Popen(
            [BIN / "handlebard", "--source", f"serial:{folder}/absent", "--socket", folder / "location.sock",
             "--log-level", "debug"],
            stdin=subprocess.DEVNULL, stderr=write_end,
            env={k: v for k, v in os.environ.items() if not k.startswith("HANDLEBAR_")} | {
                "NOTIFY_SOCKET": manager.address},
        )
        os.close(write_end)
        manager.wait("READY=1")
        for _ in range(5):
            with Client(folder / "location.sock") as client:
                assert client.next()["class"] == "VERSION"
        manager.stop()
        os.close(read_end)


def wakeups(process):
    """The voluntary context switches of a process."""
    status = open(f"/proc/{process.pid}/status").read()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("voluntary")))


@pytest.mark.parametrize("records", [False, True], ids=["", "recording"])
def test_idle_daemon_sleeps(folder, records):
    """An idle daemon wakes up at most once a second: the watchdog's pings and the recorder's checks of the disk
    come together."""
    with Manager(folder) as manager:
        options = ("--record", folder / "rides") if records else ()
        manager.start("--socket", folder / "location.sock", *options, source=f"udp://127.0.0.1:{free_port()}",
                      WATCHDOG_USEC="2000000")
        manager.wait("READY=1")
        manager.wait("WATCHDOG=1")

        with Client(folder / "location.sock") as client:
            client.watch()
            client.until_quiet(1)
            begin, before = time.monotonic(), wakeups(manager.process)
            for _ in range(8):
                manager.wait("WATCHDOG=1")
            # By itself each ping would be one more: two a second.
            assert wakeups(manager.process) - before <= time.monotonic() - begin + 2
        manager.stop()


@pytest.mark.slow
@pytest.mark.skipif(not LONG, reason="HANDLEBAR_LONG=1 waits until a missing receiver is looked for once a second")
def test_daemon_without_receiver_sleeps(folder):
    """Without a receiver and a client it polls for the receiver, after half a minute once a second."""
    with Manager(folder) as manager:
        manager.start("--socket", folder / "location.sock")
        manager.wait("READY=1")

        def is_calm():
            before, begin = wakeups(manager.process), time.monotonic()
            # The wake-ups of some seconds are counted.
            time.sleep(5)
            return wakeups(manager.process) - before <= time.monotonic() - begin + 1

        until(is_calm, "one wake-up a second", timeout=60)
        manager.stop()
