"""Pulls the receiver and puts it back, over and over, under changing numbers; prints what a client saw, as JSON.

usage: replug.py TIMES
"""

import json
import os
import sys
import time

import gadget
from handlebar_harness import Client, Late, tracking

LINK = "/dev/gps0"
SOCKET = "/run/handlebar/location.sock"


def main():
    turns = []
    with Client(SOCKET) as client:
        client.next()
        client.watch(distanceFilter=0)
        client.wait("TPV", lambda fix: fix.get("mode", 0) >= 2)
        for number in range(int(sys.argv[1])):
            turn = {"device": os.readlink(LINK)}
            # A stranger that keeps the old one open makes the kernel give the next one another number.
            held = os.open(LINK, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK) if number % 2 == 0 else None
            pulled = gadget.unplug()
            lost = client.wait("STATE", lambda state: not tracking(state), timeout=10)
            turn |= {"lost": lost["_at"] - pulled, "state": lost["state"], "error": lost.get("error")}
            # As long as a hand takes at least.
            time.sleep(0.3)
            client.receive()
            client.waiting.clear()
            put = gadget.plug("1546", "01a8")
            try:
                fix = client.wait("TPV", lambda fix: fix.get("mode", 0) >= 2, timeout=30)
                turn |= {"fix": fix["_at"] - put, "reason": fix.get("reason"), "back": os.readlink(LINK)}
            except Late:
                turn |= {"fix": None}
            if held is not None:
                os.close(held)
            turns.append(turn)
    print(json.dumps(turns))


if __name__ == "__main__":
    main()
