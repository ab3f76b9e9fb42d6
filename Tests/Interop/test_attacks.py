"""Attacks on the daemon through everything that it reads. A section for each."""

import os
import pathlib
import random
import signal
import subprocess
import time
import tomllib

import nmea_sender
from handlebar_harness import BIN, Daemon, Receiver, tracking, until
from measuring import measured

# --- configuration ---------------------------------------------------------------------------------------------------

LARGEST = 65_536

# Files with the line of the error; `None` for a file that is refused as a whole.
HOSTILE = {
    "bracket": (b"[\n", 1),
    "bracket in line 3": (b"# a\n\n[", 3),
    "bracket and comment": (b"[#", 1),
    "bracket and equals": (b"[=\n", 1),
    "bracket and dot": (b"[.", 1),
    "bracket and brace": (b"[{\n", 1),
    "three brackets": (b"[[[\n", 1),
    "four brackets": (b"[[[[a]]]]\n", 1),
    "closing brackets": (b"]]\n", 1),
    "no second bracket": (b"[[sources]\n", 1),
    "header twice": (b"[a]\n[a]\n", 2),
    "dots": (b"a." * 2000, 1),
    "dots with a value": (b"a." * 10_000 + b"a = 1", 1),
    "dots in a header": (b"[" + b"a." * 10_000 + b"a]", 1),
    "only brackets": (b"[" * LARGEST, 1),
    "nested arrays": (b"\nsources = " + b"[" * 60_000, 2),
    "nested and closed arrays": (b"sources = " + b"[" * 30_000 + b"]" * 30_000, 1),
    "nested tables": (b"sources = " + b"{ a = " * 10_000, 1),
    "many tables": (b"[[sources]]\n" * 5000, 501),
    "many keys": (b"".join(b"k%d=1\n" % number for number in range(6000)), 501),
    "many sources": (b"sources = [" + b'"serial:/a",' * 600 + b"]", 1),
    "one key twice": (b"socket = '/a'\n" * 4000, 2),
    "only quotes": (b'"' * LARGEST, 1),
    "open string": (b'socket = "' + b"a" * 60_000, 1),
    "open multi-line string": (b'\n\nsocket = """' + b"a\n" * 30_000, 3),
    "only backslashes": (b'socket = "' + b"\\" * 60_000, 1),
    "long word": (b"max-clients = " + b"9" * 60_000, 1),
    "long key": (b"k" * 60_000 + b" = 1", 1),
    "long quoted key": (b'"' + b"k" * 60_000 + b'" = 1', 1),
    "long level": (b'log-level = "' + b"a\\n" * 20_000 + b'"', 1),
    "long path": (b'\nsocket = "/' + b"a" * 60_000 + b'"', 2),
    "many parameters": (b'sources = ["serial:/a?' + b"a&" * 30_000 + b'"]', 1),
    "NUL": (b"drift-limit = 5\n\0", 2),
    "only NUL": (bytes(5000), 1),
    "NUL in a string": (b'\nsocket = "/a\0b"', 2),
    "escaped NUL in the socket": (b'socket = "/tmp/a\\u0000b"', 1),
    "escaped NUL in a source": (b"sources = ['serial:/dev/gps%00']", 1),
    "not UTF-8": (b"# \xfc\n", 1),
    "overlong UTF-8": (b"#\nsocket = '\xc0\xaf'", 2),
    "UTF-16": ("\ufeffsocket = 'a'\n".encode("utf-16-le"), 1),
    "CR alone": (b"drift-limit = 5\rdrift-limit = 6\r", 1),
    "escape sequence": (b"socket = '\x1b[2J'", 1),
    "too large": (b"#" * (LARGEST + 1), None),
    "endless": (pathlib.Path("/dev/zero"), None),
    "pipe": (os.mkfifo, None),
    "folder": (os.mkdir, None),
}


def put(path, content):
    """Puts a hostile file in the place of a configuration."""
    new = path.with_name("new")
    if isinstance(content, bytes):
        new.write_bytes(content)
    elif isinstance(content, pathlib.Path):
        new.symlink_to(content)
    else:
        content(new)
    if path.is_dir():
        path.rmdir()
    if new.is_dir():
        path.unlink(missing_ok=True)
    new.rename(path)


def check(path):
    """Runs `handlebard --check-config`: (exit code, lines on standard error)."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HANDLEBAR_")}
    done = subprocess.run(
        [BIN / "handlebard", "--config", path, "--check-config"], stdin=subprocess.DEVNULL, capture_output=True,
        env=environment | {"SWIFT_BACKTRACE": "enable=no"}, timeout=30, check=False)
    assert not done.stdout
    return done.returncode, done.stderr.decode().split("\n")[:-1]


def complaint(path, line):
    return f"{path}: " if line is None else f"{path}:{line}: "


def test_hostile_configurations_are_refused_with_one_line(folder):
    path = folder / "f.toml"
    for name, (content, line) in HOSTILE.items():
        put(path, content)
        code, lines = check(path)
        assert code == 78 and len(lines) == 1, (name, code, lines)
        assert complaint(path, line) in lines[0] and len(lines[0]) < 1000 and lines[0].isprintable(), (name, lines)


def test_a_hostile_configuration_at_the_start(folder):
    path = folder / "f.toml"
    for name in ("bracket", "dots with a value", "not UTF-8"):
        put(path, HOSTILE[name][0])
        with Daemon(folder, options=("--config", path), wait=False) as daemon:
            assert daemon.wait_end() == 78
            assert complaint(path, 1) in daemon.log and not daemon.socket.exists(), name


def test_unusual_but_valid_configurations_are_accepted(folder):
    path = folder / "f.toml"
    for text in (
        b"", b"\xef\xbb\xbfdrift-limit = 5", b"drift-limit = 5\r\n\r\n# \xc3\xa9\r\n", b"#" * LARGEST,
        b'"socket" = """\n/run/\\\n  a"""\nsources = [[], ]', b"sources.uri = 'serial:/a'\nsources.speed = 9_600",
        b"[[sources]]\nuri = 'serial:/a'\nspeed = 0x12C0\n[[ 'sources' ]]\nuri = \"udp://:\\u0031\"\n",
    ):
        path.write_bytes(text)
        refused = b"[[]" in text
        assert check(path)[0] == (78 if refused else 0), text


@measured
def test_hostile_configurations_do_not_disturb_a_running_daemon(folder):
    """With a SIGHUP before each epoch, fixes arrive as quickly as without."""
    path = folder / "f.toml"
    # The command line of the daemon overrides the paths of a file.
    refused = {name: case for name, case in HOSTILE.items() if name != "long path"}
    path.write_text("distance-filter = 0\n")
    bursts = nmea_sender.ride(2 * len(HOSTILE) + 30, period=0.1)
    with Receiver(folder / "gps0") as receiver:
        with Daemon(folder, f"serial:{folder}/gps0", options=("--config", path)) as daemon, daemon.connect() as client:
            client.watch()
            receiver.play(bursts[:20])
            client.wait("STATE", tracking)
            receiver.play([(second - bursts[20][0], data) for second, data in bursts[20:30]])
            client.until_quiet(0.5)

            def latency(data):
                """Seconds from the last byte of an epoch to its fix."""
                receiver.write(data)
                begin = time.monotonic()
                return client.wait("TPV", lambda fix: fix["mode"] > 1)["_at"] - begin

            quiet = sorted(latency(data) for _, data in bursts[30 : 30 + len(HOSTILE)])
            disturbed = []
            for number, (name, (content, line)) in enumerate(refused.items(), 1):
                put(path, content)
                daemon.process.send_signal(signal.SIGHUP)
                disturbed.append(latency(bursts[30 + len(HOSTILE) + number - 1][1]))
                until(lambda count=number: daemon.log.count("the old one stays") == count, f"the refusal of {name}")
                assert complaint(path, line) in daemon.log.splitlines()[-1], name
            disturbed.sort()
            # A build for debugging takes some 10 ms for the largest files.
            assert disturbed[-1] < quiet[-1] + 0.1, (quiet, disturbed)
            assert disturbed[len(disturbed) // 2] < quiet[len(quiet) // 2] + 0.05, (quiet, disturbed)
            assert "taken over" not in daemon.log
            put(path, b"distance-filter = 7\n")
            daemon.process.send_signal(signal.SIGHUP)
            assert client.wait("WATCH")["distanceFilter"] == 7
            daemon.stop()


TOKENS = r"""
[ ] [[ ]] { } = . , # \ ' " ''' \u00e9 \UFFFFFFFF 0 1 9600 -1 1_0 0x 1e3 .5 nan true a a.b sources 'b' "c" 'a' = 1
""".split() + ['"""', " ", "\t", "\n", "\r\n", "\r", "\x7f", "\u00e9", "a = ", "\nb = 1\n", "\n[a]\n", "\n[[b]]\n"]


def test_syntax_errors_are_those_of_another_parser(folder):
    """What Python's parser of TOML refuses is a syntax error, and nothing else is. A key `z` makes every text an error."""
    path = folder / "f.toml"
    generator = random.Random(2026)
    for _ in range(100):
        text = "z = 1\n" + "".join(generator.choice(TOKENS) for _ in range(generator.randint(1, 6)))
        path.write_bytes(text.encode())
        try:
            tomllib.loads(text)
            is_valid = True
        except tomllib.TOMLDecodeError:
            is_valid = False
        code, lines = check(path)
        assert code == 78 and (": syntax: " not in lines[0]) == is_valid, (text, lines)
