"""What is at the daemon's path instead of a daemon that answers: each state has a true sentence and a remedy, the same ones in
every command, in doctor and in the Python client."""

import contextlib
import getpass
import json
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading

import pytest

from handlebar_harness import BIN, RECORDING, ROOT, TIMEOUT, Daemon

GREETING = b'{"class":"VERSION","release":"1","rev":"1","proto_major":3,"proto_minor":14,"handlebar":1}\r\n'
RESTART = "restart it: sudo systemctl restart handlebard"
CHOICE = "set HANDLEBAR_SOCKET to the path of the daemon's socket"
NOBODY = 65534
ME = getpass.getuser()


@contextlib.contextmanager
def listening(path, kind=socket.SOCK_STREAM, backlog=32):
    with socket.socket(socket.AF_UNIX, kind) as one:
        one.bind(str(path))
        if kind == socket.SOCK_STREAM:
            one.listen(backlog)
        yield one


@contextlib.contextmanager
def sending(path, data):
    """A process that sends these bytes on each connection, and nothing more."""
    with listening(path) as one:
        accepted = []

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    accepted.append(one.accept()[0])
                    # Who only asks which process listens is gone by now.
                    with contextlib.suppress(BrokenPipeError):
                        accepted[-1].sendall(data)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            one.shutdown(socket.SHUT_RDWR)
            thread.join()
            for each in accepted:
                each.close()


@contextlib.contextmanager
def stopped(path):
    with Daemon(path.parent, f"recording:{RECORDING}") as daemon:
        daemon.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            daemon.process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def crowded(path):
    with listening(path, backlog=0), contextlib.ExitStack() as stack:
        with contextlib.suppress(BlockingIOError):
            while True:
                one = stack.enter_context(socket.socket(socket.AF_UNIX))
                one.setblocking(False)
                one.connect(str(path))
        yield


@contextlib.contextmanager
def made(make):
    make()
    yield


@contextlib.contextmanager
def ended(path):
    with listening(path):
        pass
    yield


@contextlib.contextmanager
def denied(path, directory=0o755, mode=0o600, group=0):
    with listening(path):
        os.chmod(path, mode)
        os.chown(path, -1, group)
        os.chmod(path.parent, directory)
        yield


PROCESS = r"[\w./-]+ \(pid \d+\)"
# By name: how the path comes into the state, the sentence and the remedy, and whether another user asks.
STATES = {
    "absent": (lambda path: made(lambda: None), "{path} (No such file or directory|does not exist)|no daemon at {path} \\(No such file", "start", False),
    "no listener": (ended, r"no daemon at {path} \(Connection refused\)|no process listens on {path}", "start handlebard", False),
    "stopped": (stopped, r"handlebard \(pid \d+\) at {path} is stopped", r"continue it: sudo kill -CONT \d+", False),
    "mute": (lambda path: sending(path, b""), PROCESS + " at {path} accepts a connection and sends nothing", RESTART, False),
    "greets only": (lambda path: sending(path, GREETING), PROCESS + " at {path} does not answer", RESTART, False),
    "another program": (
        lambda path: sending(path, b"HTTP/1.1 400 Bad Request\r\n"), PROCESS + " at {path} is not handlebard: it sends something else",
        CHOICE, False),
    "full backlog": (crowded, "the process at {path} accepts no more connections", RESTART, False),
    "directory": (lambda path: made(path.mkdir), "{path} is a directory, not the daemon's socket", CHOICE, False),
    "file": (lambda path: made(path.touch), "{path} is a file, not the daemon's socket", CHOICE, False),
    "loop of links": (lambda path: made(lambda: path.symlink_to(path)), "{path} is a loop of links, not the daemon's socket", CHOICE, False),
    "datagrams": (
        lambda path: listening(path, socket.SOCK_DGRAM), "{path} is a socket of another kind, not the daemon's socket", CHOICE, False),
    "closed directory": (
        lambda path: denied(path, directory=0o700),
        f"{{path}}: permission denied, the directory {{folder}} is for {ME} alone \\(mode 0700\\)",
        "open it for others: sudo chmod o[+]x {folder}", True),
    "for its owner": (
        denied, f"{{path}}: permission denied, it is for {ME} alone \\(mode 0600\\)", "set socket-mode and socket-group in handlebard.toml",
        True),
    "for root's group": (
        lambda path: denied(path, mode=0o660), f"{{path}}: permission denied, it is for {ME} alone \\(mode 0660\\)",
        "set socket-mode and socket-group in handlebard.toml", True),
    "for a group": (
        lambda path: denied(path, mode=0o660, group=20), "{path}: permission denied, it is for the group dialout",
        "join the group: sudo usermod -aG dialout " + pwd.getpwuid(NOBODY).pw_name, True),
}

ASKING = """
import sys
sys.path.insert(0, sys.argv[2])
import handlebar
try:
    handlebar.Client(sys.argv[1]).status()
except handlebar.HandlebarError as error:
    sys.exit(f"handlebarctl: {error}")
"""


@pytest.mark.parametrize("state", STATES)
def test_the_sentence_is_true(folder, state):
    enter, sentence, remedy, is_other = STATES[state]
    if is_other and os.geteuid() != 0:
        pytest.skip("another user can be only with root's rights")
    # Below the test's folder, which every user may search; the checkout may be closed to others.
    folder.chmod(0o755)
    programs = BIN, ROOT / "clients" / "python"
    if is_other:
        shutil.copy(BIN / "handlebarctl", folder)
        shutil.copytree(programs[1] / "handlebar", folder / "handlebar")
        programs = folder, folder
    path = folder / "run" / "location.sock"
    path.parent.mkdir()
    become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if is_other else []
    commands = {
        name: [*become, programs[0] / "handlebarctl", "--socket", path, *arguments]
        for name, arguments in {
            "status": ["status"], "course": ["course", "show"], "record": ["record", "status"], "locate": ["locate", "--timeout", "1"],
            "doctor": ["doctor", "--json"]}.items()}
    commands["python"] = [*become, sys.executable, "-c", ASKING, path, programs[1]]
    with enter(path):
        running = {
            name: subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/")
            for name, command in commands.items()}
        answers = {name: (*process.communicate(timeout=TIMEOUT), process.returncode) for name, process in running.items()}
    words = {"path": re.escape(str(path)), "folder": re.escape(str(path.parent))}
    for name, (output, error, code) in answers.items():
        if name == "doctor":
            error = next(f"{one['message']}; {one['remedy']}" for one in map(json.loads, output.splitlines()) if one["check"] == "socket")
        assert re.search(f"({sentence.format(**words)}).*{remedy.format(**words)}", error), f"{name}: {error}"
        assert "usermod -aG root" not in error and "no fix" not in error
        if name not in ("doctor", "python"):
            assert code == (5 if is_other else 3), f"{name}: {code}"
