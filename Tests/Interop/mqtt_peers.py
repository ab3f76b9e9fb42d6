"""A mosquitto of our own, an independent subscriber, a line between them and the forwarder, and certificates."""

import contextlib
import json
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import threading
import time

import paho.mqtt.client as mqtt

from gpsd_harness import free_port
from handlebar_harness import BIN, TIMEOUT, until


def memory(pid):
    """The memory of a process in kB by the kernel's names: VmRSS and VmHWM, Rss, Pss, Private_Dirty and so on."""
    texts = [pathlib.Path(f"/proc/{pid}/{name}").read_text() for name in ("status", "smaps_rollup")]
    return {
        line.split(":")[0]: int(line.split()[1]) for text in texts for line in text.splitlines() if line.endswith(" kB")
    }


class Broker:
    """A mosquitto on a loopback port, which keeps sessions over a restart."""

    def __init__(self, folder, *settings, port=None):
        self.port = port or free_port()
        self.folder = folder / f"broker-{self.port}"
        self.folder.mkdir(exist_ok=True)
        anonymous = [] if any("password_file" in line for line in settings) else ["allow_anonymous true"]
        self.configuration = self.folder / "mosquitto.conf"
        lines = [
            f"listener {self.port} 127.0.0.1", "user root", "persistence true", f"persistence_location {self.folder}/",
            "max_queued_messages 0", "set_tcp_nodelay true", *anonymous, *settings,
        ]
        self.configuration.write_text("\n".join(lines) + "\n")
        self.process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        program = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin")
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                [program, "-c", self.configuration], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

        def accepts():
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return True
            return False

        until(accepts, "mosquitto")

    def stop(self):
        """In order: it writes its sessions."""
        if self.process:
            self.process.terminate()
            self.process.wait(TIMEOUT)
            self.process = None

    @property
    def url(self):
        return f"mqtt://127.0.0.1:{self.port}"


class Subscriber:
    """A persistent session of paho, quality of service 1: every message that the broker accepted arrives at least once."""

    def __init__(self, broker, name="subscriber", topic="fleet/#"):
        self.messages = []
        self.statuses = []
        self.marks = 0
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=name, clean_session=False)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_connect = lambda client, *_: client.subscribe(topic, qos=1)
        self.client.on_message = self.take
        self.subscribed = threading.Event()
        self.client.on_subscribe = lambda *_: self.subscribed.set()
        self.client.connect("127.0.0.1", broker.port)

    def take(self, _client, _data, message):
        if message.topic == "fleet/mark":
            self.marks += 1
        elif message.topic.endswith("/status"):
            self.statuses.append((message.payload.decode(), message.retain))
        else:
            self.messages.append(json.loads(message.payload))

    def __enter__(self):
        self.client.loop_start()
        assert self.subscribed.wait(TIMEOUT), "no subscription"
        return self

    def __exit__(self, *_):
        self.client.disconnect()
        self.client.loop_stop()

    def settle(self):
        """Waits for everything that the broker has accepted up to now: a message of its own follows it."""
        before = self.marks
        self.client.publish("fleet/mark", qos=1)
        until(lambda: self.marks > before, "its own message")

    @property
    def fixes(self):
        """What a consumer that drops repetitions has, by ride and seq; a repetition that differs is an error."""
        found = {}
        for message in list(self.messages):
            key = message["ride"], message["seq"]
            content = {name: value for name, value in message.items() if name != "created_at"}
            assert found.setdefault(key, content) == content, (found[key], content)
        return found


class HostileBroker:
    """Accepts every unit, then sends `attack`, an endless number of pieces, and reads nothing."""

    def __init__(self, attack, context=None, port=0):
        self.attack, self.context = attack, context
        self.server = socket.create_server(("127.0.0.1", port))
        self.port = self.server.getsockname()[1]
        self.sent = []
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        for unit in self.open:
            with contextlib.suppress(OSError):
                unit.shutdown(socket.SHUT_RDWR)

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                unit, _ = self.server.accept()
                threading.Thread(target=self.serve, args=(unit,), daemon=True).start()

    def serve(self, unit):
        """Appends the number of bytes to `sent` when the unit has closed the connection."""
        sent = 0
        with contextlib.suppress(OSError):
            unit.settimeout(TIMEOUT)
            self.open.append(unit)
            if self.context:
                unit = self.context.wrap_socket(unit, server_side=True)
                self.open.append(unit)
            unit.recv(65536)
            unit.sendall(b"\x20\x02\0\0")
            for piece in self.attack():
                unit.sendall(piece)
                sent += len(piece)
        self.sent.append(sent)
        unit.close()


class Line:
    """A TCP line to a port that can be slow, cut, and dead."""

    def __init__(self, port):
        self.target = port
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.bytes_per_second = None
        self.is_dead = False
        self.open = []
        self.ended = False
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended = True
        with contextlib.suppress(OSError):
            self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        self.cut()

    @property
    def url(self):
        return f"mqtt://127.0.0.1:{self.port}"

    def accept(self):
        while not self.ended:
            try:
                near, _ = self.server.accept()
            except OSError:
                return
            if self.is_dead:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                near.close()
                continue
            far.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.open += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.copy, args=(source, sink), daemon=True).start()

    def copy(self, source, sink):
        with contextlib.suppress(OSError, ValueError):
            while True:
                rate = self.bytes_per_second
                if not select.select([source], [], [], 1)[0]:
                    continue
                data = source.recv(max(1, rate // 20) if rate else 65536)
                if not data:
                    break
                sink.sendall(data)
                if rate:
                    # As long as a line of that rate takes.
                    time.sleep(len(data) / rate)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self):
        for end in self.open:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self.open = []


class Forwarder:
    """`handlebarctl forward` in the background."""

    def __init__(self, folder, url, *options, rides=None, topic="fleet/unit", prefix=()):
        self.log_path = folder / "forward.log"
        command = [
            *prefix, BIN / "handlebarctl", "forward", url, "--topic", topic, "--rides", rides or folder / "rides",
            "--state", folder / "state", *options,
        ]
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.kill()

    @property
    def log(self):
        return self.log_path.read_text()

    @property
    def peak(self):
        """Largest resident memory, kB."""
        return memory(self.process.pid)["VmHWM"]

    def kill(self):
        self.process.kill()
        self.process.wait(TIMEOUT)

    def stop(self, clock=None):
        """Stops it by a signal and returns its exit code; a clock is updated until its end."""
        self.process.send_signal(signal.SIGTERM)
        if clock is not None:
            until(lambda: self.process.poll() is not None or clock.look() < 0, "the end", pause=0.001)
        return self.process.wait(TIMEOUT)


# An RSA key takes a third of a second of processor.
NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]


class Certificates:
    """An authority and certificates that openssl makes."""

    def __init__(self, folder):
        self.folder = folder / "certificates"
        self.folder.mkdir()
        self.authority("ca")

    def path(self, name):
        return self.folder / name

    def run(self, *arguments):
        subprocess.run(["openssl", *map(str, arguments)], cwd=self.folder, check=True, capture_output=True)

    def authority(self, name):
        self.run(
            "req", "-x509", *NEW_KEY, "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-days", "2",
            "-subj", f"/CN={name}",
        )

    def issue(self, name, begin="20200101000000Z", end="20991231235959Z", host="localhost"):
        """A certificate of the authority, valid between two times; that of localhost is for its address, too."""
        alternatives = f"DNS:{host}" + (",IP:127.0.0.1" if host == "localhost" else "")
        self.run("req", *NEW_KEY, "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={host}")
        (self.folder / "index.txt").write_text("")
        (self.folder / "serial").write_text("01\n")
        (self.folder / "ca.conf").write_text(
            "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n"
            f"x509_extensions=x\ncopy_extensions=none\n[p]\ncommonName=supplied\n[x]\nsubjectAltName={alternatives}\n"
        )
        self.run(
            "ca", "-batch", "-config", "ca.conf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", f"{name}.csr", "-out",
            f"{name}.pem", "-startdate", begin, "-enddate", end, "-notext",
        )
