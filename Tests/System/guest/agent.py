#!/usr/bin/env python3
"""Does inside of the virtual machine what the test outside asks for: one JSON object a line, in both directions."""

import json
import os
import subprocess
import time

PORT = "/dev/virtio-ports/agent"

while not os.path.exists(PORT):
    time.sleep(0.1)
with open(PORT, "r+b", buffering=0) as port:
    partial = b""
    while True:
        came = port.read(65536)
        if not came:
            # Nobody is at the other end yet.
            time.sleep(0.1)
        partial += came
        *lines, partial = partial.split(b"\n")
        for line in lines:
            asked = json.loads(line)
            try:
                done = subprocess.run(
                    ["sh", "-c", asked["script"]], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                    timeout=asked["timeout"], check=False,
                )
                answer = {"code": done.returncode, "out": done.stdout, "err": done.stderr}
            except subprocess.TimeoutExpired:
                answer = {"code": -1, "out": "", "err": f"not within {asked['timeout']} s"}
            left = json.dumps(answer).encode() + b"\n"
            # The port takes what fits.
            while left:
                left = left[port.write(left) :]
