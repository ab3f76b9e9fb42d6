"""Headless Chromium, driven through its DevTools protocol on a pipe: no other package is needed."""

import base64
import contextlib
import fcntl
import json
import os
import pathlib
import select
import signal
import subprocess
import time

from handlebar_harness import TIMEOUT, Late, until


def running(group):
    """Whether a process of the group still runs. One that nobody has waited for does not."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, of = stat.read_text().rpartition(") ")[2].split()[:3]
        except OSError:
            continue
        if int(of) == group and state != "Z":
            return True
    return False


class Chromium:
    """A browser with one page. `errors` holds what the page wrote to its console as an error, and its exceptions;
    `requests` the addresses of what it loaded."""

    def __init__(self, folder, width=1280, height=800, scale=1, touch=False, options=()):
        requests, self.output = os.pipe()
        self.input, answers = os.pipe()
        command = [
            "chromium", "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--disable-gpu", "--hide-scrollbars", "--enable-precise-memory-info",
            "--js-flags=--expose-gc", f"--user-data-dir={folder}/chromium", *options, "about:blank",
        ]

        def descriptors():
            # The browser reads requests from 3 and writes answers to 4.
            # Copies that neither 3 nor 4 replaces.
            copies = [fcntl.fcntl(one, fcntl.F_DUPFD, 5) for one in (requests, answers)]
            for number, copy in enumerate(copies, 3):
                os.dup2(copy, number)

        self.log = folder / "chromium.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=descriptors, close_fds=False,
                start_new_session=True)
        os.close(requests)
        os.close(answers)
        self.number = 0
        self.partial = b""
        self.messages = []
        self.errors = []
        self.requests = []
        self.session = None
        page = next(one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Performance", "Network"):
            self.call(f"{domain}.enable")
        self.emulate(width, height, scale, touch)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.output)
        os.close(self.input)
        self.process.terminate()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(TIMEOUT)
        # Its helpers go on writing into the profile, which is deleted next.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        until(lambda: not running(self.process.pid), "the end of the browser's processes")

    def call(self, method, **parameters):
        """The result of a method of the protocol."""
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        deadline = time.monotonic() + 3 * TIMEOUT
        if not select.select([], [self.output], [], 3 * TIMEOUT)[1]:
            raise Late(f"Chromium does not read {method}")
        os.write(self.output, json.dumps(request).encode() + b"\0")
        # Events may go on though no answer comes.
        while (left := deadline - time.monotonic()) > 0:
            for message in self.read(left):
                if message.get("id") == self.number:
                    assert "error" not in message, (method, message["error"])
                    return message["result"]
        raise Late(f"Chromium does not answer {method} {parameters}")

    def read(self, timeout):
        """The messages that arrive; events are kept."""
        if not select.select([self.input], [], [], max(0, timeout))[0]:
            raise Late("Chromium does not answer")
        data = os.read(self.input, 1 << 20)
        if not data:
            self.process.kill()
            raise AssertionError(f"Chromium has ended, with {self.process.wait()}: {self.log.read_text(errors='replace')[-2000:]}")
        *whole, self.partial = (self.partial + data).split(b"\0")
        messages = [json.loads(text) for text in whole]
        for message in messages:
            match message.get("method"):
                case "Runtime.exceptionThrown":
                    self.errors.append(message["params"]["exceptionDetails"])
                case "Log.entryAdded" if message["params"]["entry"]["level"] == "error":
                    self.errors.append(message["params"]["entry"])
                case "Network.requestWillBeSent":
                    self.requests.append(message["params"]["request"]["url"])
        return messages

    def emulate(self, width, height, scale, touch):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)

    def resize(self, width, height, scale=1, touch=False):
        """Changes the window of an open page, and waits until it has drawn itself there."""
        self.emulate(width, height, scale, touch)
        self.until(f"innerWidth === {width} && innerHeight === {height}")
        self.frames(2)

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.until("location.href !== 'about:blank' && document.readyState === 'complete'", 3 * TIMEOUT)

    def run(self, expression):
        """The value of a JavaScript expression; promises are awaited."""
        done = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, (expression, done["exceptionDetails"])
        return done["result"].get("value")

    def until(self, expression, timeout=TIMEOUT):
        """Waits for a true value of an expression, and returns it."""
        return until(lambda: self.run(expression), expression, timeout, pause=0.02)

    def frames(self, count):
        """Waits until the page has drawn so many frames."""
        self.run(f"new Promise((done) => {{ let left = {count}; (function next() {{"
                 " left-- ? requestAnimationFrame(next) : done() })() })")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, start, way, steps=12):
        """Drags the map with the mouse, and holds still before the end, so that nothing slides on. The first movement is the
        start of the drag, and does not count."""
        x, y = start
        self.mouse("mousePressed", x - 6, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseMoved", x, y, button="left", buttons=1)
        for step in range(1, steps + 1):
            self.mouse("mouseMoved", x + way[0] * step / steps, y + way[1] * step / steps, button="left", buttons=1)
        # The last movement is drawn in the next frame; how far a map slides follows from those of the last 50 ms.
        self.frames(2)
        self.until("Date.now() - page.view.map.dragging._lastTime > 50")
        self.mouse("mouseReleased", x + way[0], y + way[1], button="left", clickCount=1)

    def touch(self, kind, *points):
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y} for x, y in points])

    def key(self, key):
        more = {"text": key} if len(key) == 1 else {}
        more |= {
            " ": {"code": "Space", "windowsVirtualKeyCode": 32},
            "Tab": {"windowsVirtualKeyCode": 9},
            "Enter": {"windowsVirtualKeyCode": 13, "text": "\r"},
            "Escape": {"windowsVirtualKeyCode": 27},
        }.get(key, {})
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **more)

    def click(self, selector):
        x, y = self.run(
            f"(() => {{ const box = document.querySelector('{selector}').getBoundingClientRect();"
            " return [box.x + box.width / 2, box.y + box.height / 2] })()")
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def memory(self):
        """Bytes of the page's objects, and the number of its nodes, after a collection."""
        for _ in range(2):
            self.call("HeapProfiler.collectGarbage")
        metrics = {one["name"]: one["value"] for one in self.call("Performance.getMetrics")["metrics"]}
        return metrics["JSHeapUsedSize"], metrics["Nodes"]
