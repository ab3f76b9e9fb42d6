"""A USB device that this machine plugs into itself: a serial port with any id, by the kernel's own gadget on a bus that is not there.

usage: gadget.py plug VENDOR PRODUCT | gadget.py unplug | gadget.py feed

`feed` writes an epoch five times a second into the device's end, and its number to /run/epoch. What nobody takes is not
kept: a receiver does not tell old positions when it is plugged in.
"""

import array
import fcntl
import os
import pathlib
import subprocess
import sys
import termios
import time
import tty

import nmea_sender

GADGET = pathlib.Path("/sys/kernel/config/usb_gadget/receiver")
END = "/dev/ttyGS0"
PERIOD = 0.2
# Epochs are counted from the same moment whoever asks, before and after a power cut.
BEGIN = 1_790_000_000


def make(vendor, product):
    """Describes the device; a description that is there gets the new ids."""
    if not GADGET.exists():
        subprocess.run(["modprobe", "-a", "dummy_hcd", "libcomposite", "usb_f_acm"], check=True)
        subprocess.run("mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config", shell=True, check=True)
        (GADGET / "strings" / "0x409").mkdir(parents=True)
        (GADGET / "configs" / "c.1").mkdir()
        function = GADGET / "functions" / "acm.usb0"
        function.mkdir()
        (GADGET / "configs" / "c.1" / "acm.usb0").symlink_to(function)
    (GADGET / "idVendor").write_text(f"0x{vendor}")
    (GADGET / "idProduct").write_text(f"0x{product}")


def plug(vendor, product):
    """Puts the plug in; returns when, on the monotonic clock."""
    make(vendor, product)
    controller = next(pathlib.Path("/sys/class/udc").iterdir()).name
    (GADGET / "UDC").write_text(controller)
    return time.monotonic()


def unplug():
    """Pulls the plug; returns when."""
    when = time.monotonic()
    (GADGET / "UDC").write_text("\n")
    return when


def feed():
    waiting = array.array("i", [0])
    number = int((time.time() - BEGIN) / PERIOD)
    port = None
    while True:
        number += 1
        time.sleep(max(0.0, BEGIN + number * PERIOD - time.time()))
        try:
            if port is None:
                port = os.open(END, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
                tty.setraw(port)
            fcntl.ioctl(port, termios.TIOCOUTQ, waiting)
            if waiting[0] == 0:
                os.write(port, nmea_sender.epoch(number, period=PERIOD, speed=1.0, latitude=0.0))
        except BlockingIOError:
            pass
        except (OSError, termios.error):
            # Pulling the plug hangs up this end, too.
            if port is not None:
                os.close(port)
            port = None
        pathlib.Path("/run/epoch.new").write_text(str(number))
        os.rename("/run/epoch.new", "/run/epoch")


if __name__ == "__main__":
    if sys.argv[1] == "plug":
        print(plug(*sys.argv[2:]))
    elif sys.argv[1] == "unplug":
        print(unplug())
    else:
        feed()
