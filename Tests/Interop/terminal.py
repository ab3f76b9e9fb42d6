"""A terminal with a program on it, for tests of what a person sees and presses."""

import codecs
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from handlebar_harness import TIMEOUT, Late, until


class Terminal:
    """A terminal with a program on it, in a session of its own."""

    def __init__(self, folder, *command, cwd=None, variables=None):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.text = self.transcript = ""
        # A read may end within a character.
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        clean = {k: v for k, v in os.environ.items() if not k.startswith("HANDLEBAR_")}
        # The folders that the programs make are made where a test can see that they go away again.
        own = {"XDG_RUNTIME_DIR": str(folder), "TMPDIR": str(folder), "TERM": "xterm", "SWIFT_BACKTRACE": "enable=no"}
        self.process = subprocess.Popen(
            ["setsid", "--ctty", *map(str, command)],
            stdin=self.slave, stdout=self.slave, stderr=self.slave, cwd=cwd,
            env=clean | own | (variables or {}),
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(TIMEOUT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def read(self):
        while select.select([self.master], [], [], 0.05)[0]:
            piece = self.decoder.decode(os.read(self.master, 65536))
            self.text += piece
            self.transcript += piece

    def shows(self, pattern, timeout=TIMEOUT):
        """Waits until what came since the last match has the pattern."""
        deadline = time.monotonic() + timeout
        while True:
            self.read()
            if match := re.search(pattern, self.text):
                self.text = self.text[match.end() :]
                return match
            if time.monotonic() > deadline:
                raise Late(f"{pattern!r} was not shown within {timeout} s, but {self.text[-300:]!r}")

    def press(self, keys):
        """Presses keys, or sends a signal."""
        self.text = ""
        if isinstance(keys, signal.Signals):
            self.process.send_signal(keys)
        else:
            os.write(self.master, keys)

    def end(self):
        """Waits for its end and returns its exit code; settings, screen and cursor must be as they were at the start."""
        until(lambda: self.read() or self.process.poll() is not None, "the end", pause=0)
        # What it wrote last may have come since.
        self.read()
        assert termios.tcgetattr(self.slave) == self.before
        for on, off in ("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?25l", "\x1b[?25h"):
            assert self.transcript.count(on) == self.transcript.count(off)
        return self.process.returncode

    def reads_keys(self):
        """Whether each key is delivered at once, without echo, and Ctrl-C remains a signal."""
        flags = termios.tcgetattr(self.slave)[3]
        return not flags & (termios.ICANON | termios.ECHO) and bool(flags & termios.ISIG)

    def suspend_and_resume(self, shown):
        """Presses Ctrl-Z, which restores the terminal, and continues; waits until the program shows that."""
        self.press(b"\x1a")
        status = pathlib.Path(f"/proc/{self.process.pid}/stat")
        until(lambda: self.read() or status.read_text().rpartition(")")[2].split()[0] == "T", "the program is stopped", pause=0)
        assert termios.tcgetattr(self.slave) == self.before
        self.press(signal.SIGCONT)
        self.shows(shown)
        until(self.reads_keys, "keys")
