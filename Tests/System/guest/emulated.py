"""An emulated u-blox M8 at the device's end: it knows nothing whenever it starts, as a receiver whose power was cut."""

import datetime
import os
import signal
import time
import tty

import gadget
from simulated_receivers import SimulatedUblox


class UsbUblox(SimulatedUblox):
    cold, warm, pace = 40.0, 1.0, 0.0

    def plug(self):
        self.master = os.open(gadget.END, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self.master)

    def unplug(self):
        os.close(self.master)
        self.master = None

    def line_speed(self):
        return self.speed

    def switch_on(self):
        super().switch_on()
        # The time is that of the machine.
        begin = datetime.datetime(2026, 3, 19, 12, tzinfo=datetime.timezone.utc).timestamp()
        self.number = int((time.time() - begin) / 0.2)


with UsbUblox(gadget.END):
    signal.pause()
