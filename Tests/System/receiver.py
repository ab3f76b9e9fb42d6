"""A receiver that a test plugs in: writes an epoch every so often, as one would that has the sky."""

import contextlib
import fcntl
import functools
import os
import pty
import termios
import threading
import time
import tty

import nmea_sender

PERIOD = 0.2
# Where the epochs are counted from: each test continues in one time, whichever receiver it plays.
BEGIN = time.monotonic()


class Receiver:
    """A PTY that is fed by a thread until it is closed. Nobody need be reading: what does not fit is lost."""

    def __init__(self, group):
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.path = os.ttyname(self.slave)
        os.chown(self.path, 0, group)
        os.chmod(self.path, 0o660)
        os.set_blocking(self.master, False)
        # What it says in the epoch of a number.
        self.says = functools.partial(nmea_sender.epoch, period=PERIOD)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.talk, daemon=True)
        self.thread.start()

    def talk(self):
        number = int((time.monotonic() - BEGIN) / PERIOD) + 1
        while not self.over.wait(max(0.0, BEGIN + number * PERIOD - time.monotonic())):
            # On a PTY the exclusive use outlives its user for as long as the other end is open; on a port it does not.
            fcntl.ioctl(self.slave, termios.TIOCNXCL)
            with contextlib.suppress(BlockingIOError):
                os.write(self.master, self.says(number))
            number = int((time.monotonic() - BEGIN) / PERIOD) + 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        os.close(self.slave)
        os.close(self.master)
