"""The package on a booted Debian: started, watched, activated, closed to whoever has no business with it."""

import contextlib
import json
import re
import threading
import time

import pytest

import images
from handlebar_harness import ROOT, Client, Ended, Late, tracking
from receiver import Receiver
from userland import Userland

pytestmark = pytest.mark.booted
DIALOUT = 20
SOCKET = "/run/handlebar/location.sock"
RIDES = "/var/lib/handlebar/rides"
CONFIGURATION = f'sources = ["serial:/dev/gps0?speed=9600"]\nrecord = "{RIDES}"\ndistance-filter = 0\n'


@pytest.fixture(scope="module")
def board():
    """A board that the package was installed on before it first booted, as an image is made."""
    with contextlib.ExitStack() as stack:
        try:
            # A broker for the forwarder, which its test starts.
            root = stack.enter_context(images.root("mosquitto", "mosquitto-clients"))
            images.inside(root, "systemctl mask mosquitto")
            package = images.package()
            (root / "package.deb").write_bytes(package.read_bytes())
            images.inside(root, "dpkg -i /package.deb && rm /package.deb")
            for user, groups in (("rider", "handlebar"), ("stranger", "users")):
                images.inside(root, f"useradd --create-home --groups {groups} {user}")
            (root / "etc" / "handlebar" / "handlebard.toml").write_text(CONFIGURATION)
            receiver = stack.enter_context(Receiver(DIALOUT))
            board = stack.enter_context(Userland(root, binds=[(receiver.path, "/dev/ttyGPS0")]))
        except images.Missing as missing:
            pytest.skip(str(missing))
        board.receiver = receiver
        board.run("ln -s ttyGPS0 /dev/gps0")
        yield board


def client(board):
    """A connection from outside of the container, as root: what comes over it is judged here."""
    return Client(f"/proc/{board.leader}/root{SOCKET}")


def process(board):
    return int(board.show("handlebard", "MainPID"))


def has_fix(board):
    return board.run("handlebarctl status", check=False).returncode == 0


def inside(pid, user, groups):
    """The beginning of a command that runs as a user of the group, in the file system that a service sees."""
    return f"nsenter --target={pid} --mount setpriv --reuid={user} --regid=handlebar {groups} "


def writable(board, command, *own):
    """The places that a user may write: its own, and those of the system that vanish with it or belong to the kernel's
    bookkeeping."""
    script = (
        f"{command} find / -xdev '(' -type d -o -type f ')' -writable -print; {command} find /run /dev /var /tmp /home /etc "
        "'(' -path /proc -o -path /sys ')' -prune -o '(' -type d -o -type f ')' -writable -print"
    )
    found = set(board.run(script, check=False).stdout.split())
    places = (*own, "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock", "/proc")
    strange = {one for one in found if not any(one == place or one.startswith(place + "/") for place in places)}
    assert not strange, strange
    return found


def test_starts_at_boot(board):
    """Active without anybody's help, and says so; nothing on this system failed."""
    assert board.booted == "running", board.run("systemctl --failed").stdout
    assert board.show("handlebard", "ActiveState") == "active"
    assert board.show("handlebard", "Type") == "notify"
    assert board.show("handlebard.socket", "SubState") == "running"
    board.until(lambda: has_fix(board), "a fix")
    board.until(lambda: "3D" in board.show("handlebard", "StatusText"), "the status line")


def test_socket_is_for_the_group(board):
    """Who is in the group gets a fix, who is not gets a reason."""
    assert board.run(f"stat -c '%a %U %G' {SOCKET}").stdout.split() == ["660", "root", "handlebar"]
    board.until(lambda: has_fix(board), "a fix")
    inside = board.run("handlebarctl locate --json", user="rider")
    assert json.loads(inside.stdout)["mode"] >= 2
    outside = board.run("handlebarctl locate", user="stranger", check=False)
    assert outside.returncode == 5, outside.stderr
    assert len(outside.stderr.splitlines()) == 1 and "handlebar" in outside.stderr, outside.stderr
    # Not by connecting to it in its own way, nor by putting another in its place.
    attempt = f"python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"{SOCKET}\")'"
    assert "PermissionError" in board.run(attempt, user="stranger", check=False).stderr
    assert board.run(f"rm -f {SOCKET}", user="stranger", check=False).returncode
    assert board.run("mv /run/handlebar /run/other", user="stranger", check=False).returncode
    assert board.run(f"ls {RIDES}", user="stranger", check=False).returncode


def test_exposure_as_installed(board, figures):
    """What systemd itself makes of the unit that runs."""
    said = board.run("systemd-analyze security --no-pager handlebard.service").stdout
    level = float(re.search(r"Overall exposure level for handlebard.service: (\d+\.\d+)", said)[1])
    figures.append(f"exposure as installed: {level}")
    assert level <= 1.0


def test_holds_no_privilege(board):
    status = board.run(f"cat /proc/{process(board)}/status").stdout
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(fields[name], 16) == 0, name
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"
    assert "0" not in fields["Uid"].split()
    assert board.run("id -un " + fields["Uid"].split()[0]).stdout.strip() == "handlebar"
    # No network but its own, which has nothing in it.
    links = board.run(f"nsenter --target={process(board)} --net cat /proc/net/dev").stdout
    assert [line.split(":")[0].strip() for line in links.splitlines()[2:]] == ["lo"]


def test_writes_nowhere_else(board):
    """With the daemon's own eyes and hands: where its user may write, in the file system that it sees."""
    command = inside(process(board), "handlebar", "--groups=dialout")
    assert "/var/lib/handlebar" in writable(board, command, "/run/handlebar", "/var/lib/handlebar", "/dev/ttyGPS0")
    # A client cannot name a place, either.
    with client(board) as rider:
        rider.next()
        for key in ("directory", "path", "file", "record"):
            rider.send(f'?RECORD={{"enable":true,"{key}":"/tmp/elsewhere"}};')
        rider.send("?VERSION;")
        rider.wait("VERSION")
    written = board.run("find / -xdev -user handlebar -not -path '/proc/*' -not -path '/sys/*'; find /run /tmp /dev -user handlebar").stdout.split()
    assert written and all(one.startswith(("/var/lib/handlebar", "/run/handlebar")) for one in written), written
    # Its /tmp is nobody else's.
    marker = f"/tmp/handlebar-{process(board)}"
    board.run(f"touch {marker}")
    assert board.run(f"ls /proc/{process(board)}/root{marker}", check=False).returncode


def test_records_into_its_own_place(board):
    """Every fix goes to a file that only the daemon writes and its group reads."""
    board.until(lambda: has_fix(board), "a fix")

    def sizes():
        return board.run(f"find {RIDES} -type f -printf '%s %m %u %g %p\\n'").stdout.split("\n")[:-1]

    first = board.until(sizes, "a recording")
    size, mode, user, group, path = first[-1].split()
    assert (mode, user, group) == ("640", "handlebar", "handlebar")
    board.until(lambda: int(sizes()[-1].split()[0]) > int(size), "more of the recording")
    decoded = board.run(f"handlebarctl decode {path}", user="rider")
    fixes = [json.loads(line) for line in decoded.stdout.splitlines()]
    assert fixes and fixes[-1]["mode"] == 3


def test_forwarder_reads_the_rides_and_changes_nothing(board):
    """What is recorded arrives at a broker; the service may read rides, and write its own state."""
    env = board.root / "etc" / "handlebar" / "forward.env"
    board.until(lambda: has_fix(board), "a fix")
    board.run("systemd-run --quiet --unit=broker mosquitto -p 1883")
    board.until(lambda: board.run("mosquitto_pub -h 127.0.0.1 -t up -n", check=False).returncode == 0, "the broker")
    env.write_text("HANDLEBAR_FORWARD=mqtt://127.0.0.1 --topic fleet/board\nHANDLEBAR_MQTT_PASSWORD=secret\n")
    env.chmod(0o600)
    try:
        board.run("systemctl start handlebar-forward")
        message = json.loads(board.run("mosquitto_sub -h 127.0.0.1 -t fleet/board -C 1 -W 20").stdout)
        assert message["_type"] == "location" and f"{message['ride']}." in board.run(f"ls {RIDES}").stdout
        shown = "handlebarctl forward --status | grep '^last acknowledgement.*Z$' && handlebarctl status | grep ^forwarding"
        board.until(lambda: board.run(shown, check=False, user="rider").returncode == 0, "the acknowledgement")
        assert board.run("handlebarctl forward --status", check=False, user="stranger").returncode

        service = int(board.show("handlebar-forward", "MainPID"))
        fields = dict(line.split(":\t", 1) for line in board.run(f"cat /proc/{service}/status").stdout.splitlines() if ":\t" in line)
        assert {int(fields[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")} == {0}
        assert (fields["NoNewPrivs"], fields["Seccomp"]) == ("1", "2")
        assert board.run("id -un " + fields["Uid"].split()[0]).stdout.strip() == "handlebar-forward"
        its = inside(service, "handlebar-forward", "--clear-groups")
        assert "/var/lib/handlebar-forward" in writable(board, its, "/var/lib/handlebar-forward")
        assert board.run(f"{its} sh -c 'cat {RIDES}/*.nmea'").stdout.startswith("# handlebar-recording")
        for attempt in (f"touch {RIDES}/other", f"sh -c 'rm {RIDES}/*.nmea'", "cat /etc/handlebar/forward.env", f"ls {SOCKET}"):
            done = board.run(its + attempt, check=False)
            assert done.returncode and ("denied" in done.stderr or "Read-only" in done.stderr), (attempt, done.stderr)
        assert board.show("handlebar-forward", "NRestarts") == "0"
        board.run("systemctl stop handlebar-forward")
        assert board.show("handlebar-forward", "Result") == "success"
        assert board.run("mosquitto_sub -h 127.0.0.1 -t fleet/board/status -C 1 -W 20").stdout.strip() == "offline"
    finally:
        board.run("systemctl stop handlebar-forward broker", check=False)
        env.unlink()


def test_hung_daemon_is_replaced(board):
    """The watchdog ends a daemon that does not come round any more; the next one serves on the same socket."""
    old = process(board)
    board.run(f"kill -STOP {old}")
    stopped = time.monotonic()
    board.until(lambda: process(board) not in (0, old), "another daemon", timeout=30)
    assert time.monotonic() - stopped < 15
    assert "watchdog" in board.journal("--unit=handlebard --lines=50").lower()
    board.until(lambda: has_fix(board), "a fix")
    assert int(board.show("handlebard", "NRestarts")) >= 1


def test_dead_daemon_is_replaced(board):
    """Who connects while nobody serves is not refused: systemd holds the socket, the next daemon answers."""
    old = process(board)
    board.run(f"kill -SEGV {old}")
    with client(board) as rider:
        assert rider.next()["class"] == "VERSION"
    assert process(board) != old
    board.until(lambda: has_fix(board), "a fix")


def test_activation(board):
    """Stopped by hand, the first client starts it again."""
    board.run("systemctl stop handlebard.service")
    assert board.show("handlebard", "ActiveState") == "inactive"
    assert board.run(f"test -S {SOCKET}").returncode == 0
    with client(board) as rider:
        assert rider.next()["class"] == "VERSION"
        rider.watch(distanceFilter=0)
        rider.wait("TPV", lambda fix: fix.get("mode", 0) >= 2)
    assert board.show("handlebard", "ActiveState") == "active"


def test_without_the_socket_unit(board):
    """Socket activation is not required."""
    board.run("systemctl stop handlebard.service handlebard.socket && systemctl mask --runtime handlebard.socket")
    try:
        board.run("systemctl start handlebard.service")
        assert board.run(f"stat -c '%a %G' {SOCKET}").stdout.split() == ["660", "handlebar"]
        assert board.run("handlebarctl locate", user="rider").returncode == 0
        assert board.run("handlebarctl locate", user="stranger", check=False).returncode == 5
    finally:
        board.run(
            "systemctl stop handlebard.service; systemctl unmask --runtime handlebard.socket; "
            "systemctl start handlebard.socket handlebard.service"
        )
    board.until(lambda: has_fix(board), "a fix")


def test_stop_tells_everyone(board):
    """Within 2 s, and each client hears the end."""
    with client(board) as rider:
        rider.next()
        rider.watch(distanceFilter=0)
        rider.wait("TPV", lambda fix: fix.get("mode", 0) >= 2)
        begin = time.monotonic()
        board.run("systemctl stop handlebard.service")
        assert time.monotonic() - begin <= 2.0
        rider.until_quiet(1.0)
        assert rider.ended and rider.lines[-1]["code"] == "stopping"
    assert board.show("handlebard", "Result") == "success"
    # What the sandbox refuses, the daemon does without, and without a word.
    said = board.journal("--identifier=handlebard --lines=8")
    assert "stopping" in said and "Failed" not in said, said
    board.run("systemctl start handlebard.service")
    board.until(lambda: has_fix(board), "a fix")


def test_reload_keeps_the_clients(board):
    """A new configuration takes effect; one that is wrong is refused, named, and the running one kept."""
    path = "/etc/handlebar/handlebard.toml"
    old = process(board)
    with client(board) as rider:
        rider.next()
        rider.watch()
        rider.wait("STATE", tracking)
        board.run(f"sed -i 's/^distance-filter = .*/distance-filter = 25/' {path} && systemctl reload handlebard")
        with client(board) as other:
            other.next()
            assert other.watch()["distanceFilter"] == 25
        board.run(f"echo 'distance-filtre = 5' >>{path} && systemctl reload handlebard", check=False)
        board.until(lambda: "distance-filtre" in board.journal(), "the reason in the journal")
        assert board.show("handlebard", "ActiveState") == "active"
        with client(board) as other:
            other.next()
            assert other.watch()["distanceFilter"] == 25
        rider.send("?POLL;")
        rider.wait("POLL")
        assert not rider.ended
    assert process(board) == old
    (board.root / path.lstrip("/")).write_text(CONFIGURATION)
    board.run("systemctl reload handlebard")


@contextlib.contextmanager
def wrong_configuration(board):
    """The file with a wrong value in its fourth line, until it is left."""
    path = board.root / "etc" / "handlebar" / "handlebard.toml"
    path.write_text(CONFIGURATION + "max-clients = 0\n")
    try:
        yield
    finally:
        path.write_text(CONFIGURATION)


def starts(board):
    """How often the service was started since the boot."""
    said = board.run("journalctl --no-pager --output=cat --unit=handlebard").stdout
    return sum(line.startswith("Starting ") for line in said.splitlines())


class Impatient:
    """Clients that connect again as soon as they were sent away, and what each was told."""

    def __init__(self, board, count=3):
        self.board = board
        self.told = []
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.ask, daemon=True) for _ in range(count)]

    def ask(self):
        while not self.over.wait(0.02):
            with contextlib.suppress(OSError, Ended, Late), client(self.board) as one:
                self.told.append(one.next())

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join()


def test_wrong_configuration_is_not_tried_again(board):
    """At the start it ends at once with the line in the journal, and is not started over and over."""
    with wrong_configuration(board):
        before = starts(board)
        assert board.run("systemctl restart handlebard.service", check=False).returncode
        assert board.show("handlebard", "ExecMainStatus") == "78"
        assert board.show("handlebard", "NRestarts") == "0"
        assert "handlebard.toml:4" in board.journal()
        assert starts(board) == before + 1
    board.run("systemctl restart handlebard.service")
    board.until(lambda: has_fix(board), "a fix")


@pytest.mark.parametrize("way", ["the next client", "systemctl restart handlebard"])
def test_wrong_configuration_while_clients_wait(board, way):
    """Each hears why, the service fails and says so, the socket stays; mended, all is well without more ado."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(wrong_configuration(board))
        board.run("systemctl restart handlebard.service", check=False)
        before = starts(board)
        with Impatient(board) as impatient:
            # Long enough for a loop of starts to be seen.
            time.sleep(8)
            assert starts(board) - before <= 3
        assert len(impatient.told) > 20
        for line in impatient.told:
            assert (line["class"], line["code"]) == ("ERROR", "misconfigured"), line
            assert "handlebard.toml:4" in line["message"]
        # What the socket unit was made for, it still does.
        assert board.show("handlebard.socket", "ActiveState") == "active"
        assert board.show("handlebard.socket", "Result") == "success"
        said = board.run("handlebarctl status", check=False)
        assert said.returncode == 1 and "handlebard.toml:4" in said.stderr and len(said.stderr.splitlines()) == 1
        board.until(lambda: board.show("handlebard", "ActiveState") == "failed", "the service's failure")
        assert board.show("handlebard", "ExecMainStatus") == "78"
        assert "handlebard.toml:4" in board.show("handlebard", "StatusText")
        assert "handlebard.toml:4" in board.journal()
        stack.close()
        if way != "the next client":
            board.run(way)
        with client(board) as rider:
            assert rider.next()["class"] == "VERSION"
        assert board.show("handlebard", "ActiveState") == "active"
    board.until(lambda: has_fix(board), "a fix")


def test_daemon_that_never_starts_leaves_a_way_back(board):
    """systemd's own limit ends what no daemon is there to end; one order brings service and socket back."""
    drop_in = "/run/systemd/system/handlebard.service.d"
    board.run(
        f"mkdir -p {drop_in} && printf '[Service]\nExecStart=\nExecStart=/bin/false\nRestart=no\n' >{drop_in}/broken.conf && "
        "systemctl daemon-reload && systemctl stop handlebard.service"
    )
    try:
        with Impatient(board):
            board.until(lambda: board.show("handlebard.socket", "ActiveState") == "failed", "the end of the socket unit", timeout=60)
    finally:
        board.run(f"rm -r {drop_in} && systemctl daemon-reload")
    board.run("systemctl restart handlebard")
    assert [board.show(unit, "ActiveState") for unit in ("handlebard", "handlebard.socket")] == ["active", "active"]
    with client(board) as rider:
        assert rider.next()["class"] == "VERSION"
    board.until(lambda: has_fix(board), "a fix")


def test_journal_has_fields(board):
    """What happened is found by what it was about, and by how grave it was."""
    board.until(lambda: has_fix(board), "a fix")

    def found(question):
        return board.run(f"journalctl --no-pager --output=cat --unit=handlebard {question}", check=False).stdout

    assert "serial line opened" in found("DEVICE=/dev/gps0")
    assert found("SOURCE=serial")
    assert "handlebard.toml:4" in found("--priority=crit")
    assert "serial line opened" not in found("--priority=warning")
    board.run("echo 'distance-filtre = 5' >>/etc/handlebar/handlebard.toml && systemctl reload handlebard", check=False)
    (board.root / "etc" / "handlebar" / "handlebard.toml").write_text(CONFIGURATION)
    board.run("systemctl reload handlebard")
    assert "distance-filtre" in found("REASON=configuration --priority=err")
    # Who misbehaves is named by number.
    script = (
        "import os, socket, sys; one = socket.socket(socket.AF_UNIX); one.connect(sys.argv[1]); print(os.getpid(), flush=True); "
        "one.sendall(b'?NONSENSE;' * 20)\nwhile one.recv(4096): pass"
    )
    pid = board.run(f'python3 -c "{script}" {SOCKET}', check=False, user="rider").stdout.strip()
    board.until(lambda: found(f"CLIENT_PID={pid}"), "the client in the journal")
    assert not found(f"CLIENT_PID={pid}1")


def test_network_is_opened_by_the_drop_in(board):
    """Without it no address can be reached, with it a source on loopback leads."""
    sender = (
        "import itertools, socket, sys, time\n"
        "listener = socket.create_server(('127.0.0.1', 10110))\n"
        "one, _ = listener.accept()\n"
        "for line in itertools.cycle(open('/root/ride.nmea', 'rb')):\n"
        "    if line.startswith(b'$'): one.sendall(line); time.sleep(0.02)\n"
    )
    (board.root / "root" / "sender.py").write_text(sender)
    (board.root / "root" / "ride.nmea").write_bytes((ROOT / "recordings" / "city.nmea").read_bytes())
    path = board.root / "etc" / "handlebar" / "handlebard.toml"
    folder = "/etc/systemd/system/handlebard.service.d"
    board.run("ip link set lo up || python3 -c 'import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack(\"16sh14x\", b\"lo\", 0x49))'")
    board.run("systemd-run --quiet --unit=sender python3 /root/sender.py")
    path.write_text('sources = ["tcp://127.0.0.1:10110"]\n')
    try:
        board.run("systemctl restart handlebard")
        board.until(lambda: "no fix" in board.show("handlebard", "StatusText"), "word of what cannot be reached")
        assert not has_fix(board)
        board.run(f"install -D -m 644 /usr/share/handlebard/network.conf {folder}/network.conf && systemctl daemon-reload && systemctl restart handlebard")
        board.until(lambda: has_fix(board), "a fix from the network")
        assert "tcp" in board.show("handlebard", "StatusText")
    finally:
        path.write_text(CONFIGURATION)
        board.run(f"systemctl stop sender; rm -rf {folder}; systemctl daemon-reload; systemctl restart handlebard")
    board.until(lambda: has_fix(board), "a fix")


def test_nothing_is_logged_per_fix(board):
    """At rest the journal stays as it is, fix after fix."""
    board.until(lambda: has_fix(board), "a fix")
    board.until(lambda: "recording FILE" in board.journal(f"_PID={process(board)}"), "the recording, the last that begins")
    with client(board) as rider:
        rider.next()
        rider.watch(distanceFilter=0)
        rider.wait("TPV", lambda fix: fix.get("mode", 0) >= 2)
        before = board.journal("--unit=handlebard")
        for _ in range(20):
            rider.wait("TPV")
        assert board.journal("--unit=handlebard") == before
