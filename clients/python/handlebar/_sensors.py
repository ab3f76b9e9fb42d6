"""The program handlebar-sensors: feeds the daemon with Bluetooth sensors, by bleak."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import importlib
import json
import os
import pathlib
import re
import signal
import sys
from typing import Any, Dict, List, NoReturn, Optional, Tuple

from . import _characteristics as characteristics
from ._aio import AsyncClient, AsyncUpdates
from ._characteristics import Reading
from ._errors import HandlebarError, Refused

_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
"""Seconds from the loss of a sensor to the first attempt to find it, and at most between two of them."""
_PAUSE = 0.06
"""Seconds between two readings: the daemon takes 20 a second."""
_POLL = 1.0
"""Seconds between two readings of a sensor that does not send them by itself."""
_DAEMON = ("", "")
"""What a failure belongs to that is no refusal of a reading."""


def _fail(message: str, code: int) -> NoReturn:
    print(f"handlebar-sensors: {message}", file=sys.stderr)
    raise SystemExit(code)


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


def _bleak() -> Any:
    try:
        return importlib.import_module("bleak")
    except ImportError:
        _fail("bleak is not installed; run: sudo apt-get install python3-bleak", os.EX_UNAVAILABLE)


class _Known:
    """The sensors that were added, name by address, in a file."""

    def __init__(self, directory: str):
        self._path = pathlib.Path(directory) / "sensors.json"
        self.names: Dict[str, str] = {}
        try:
            names = json.loads(self._path.read_bytes())
            if not isinstance(names, dict) or not all(
                isinstance(name, str) and 1 <= len(name.encode()) <= 64 for name in names.values()
            ):
                raise ValueError("no names by address")
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            _fail(f"{self._path}: {error}; remove the file and add the sensors again", os.EX_CONFIG)
        self.names = names

    def store(self) -> None:
        draft = self._path.with_suffix(".new")
        try:
            self._path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            # The directory is the service's: root does not write through a link of that user.
            with contextlib.suppress(FileNotFoundError):
                draft.unlink()
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(self.names, file, indent=1)
                file.flush()
                os.fchmod(descriptor, 0o644)
                os.fsync(descriptor)
            draft.replace(self._path)
        except OSError as error:
            _fail(f"{error}; run it with sudo, or name another directory by --state", os.EX_CANTCREAT)

    def address(self, text: str) -> str:
        """The address of a sensor by its address or name."""
        for address, name in self.names.items():
            if text in (address, name) or text.upper() == address:
                return address
        _fail(f"there is no sensor {text}; see: handlebar-sensors list", os.EX_USAGE)


class _Feed:
    """Sends the newest reading of each sensor to the daemon. What cannot be sent is too old when it could be."""

    def __init__(self, updates: AsyncUpdates):
        self._updates = updates
        self._newest: Dict[Tuple[str, str], Reading] = {}
        self._arrived = asyncio.Event()
        self._said: Dict[Tuple[str, str], str] = {}

    def put(self, source: str, reading: Reading) -> None:
        self._newest[reading.sensor, source] = reading
        self._arrived.set()

    async def run(self) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            newest, self._newest = self._newest, {}
            for key, reading in newest.items():
                try:
                    await self._updates.report_sensor(reading.sensor, source=key[1], **reading.fields)
                    self._said.pop(key, None)
                    self._said.pop(_DAEMON, None)
                except Refused as refusal:
                    self._report(key, str(refusal))
                except HandlebarError as failure:
                    self._report(_DAEMON, str(failure))
                    # The rest is as old as the attempt took.
                    break
                await asyncio.sleep(_PAUSE)

    def _report(self, key: Tuple[str, str], error: str) -> None:
        if self._said.get(key) != error:
            _say(error)
        self._said[key] = error


class _Sensor:
    """One sensor: connected, read, and looked for again when it is lost."""

    def __init__(self, bleak: Any, address: str, name: str, feed: _Feed, connecting: asyncio.Lock):
        self._bleak = bleak
        self._address = address
        self._name = name
        self._feed = feed
        # BlueZ looks for one device at a time.
        self._connecting = connecting
        self._wait = _FIRST_WAIT
        self._said: Optional[str] = None

    async def run(self) -> None:
        while True:
            try:
                await self._follow()
                message = "disconnected"
            # A library and a bus behind it fail in many ways, and none of them ends the other sensors.
            except Exception as error:
                message = str(error) or type(error).__name__
            if message != self._said:
                _say(f"{self._name}: {message}; it is looked for")
            self._said = message
            await asyncio.sleep(self._wait)
            self._wait = min(2 * self._wait, _LONGEST_WAIT)

    async def _follow(self) -> None:
        lost = asyncio.Event()
        client = self._bleak.BleakClient(self._address, disconnected_callback=lambda _: lost.set())
        try:
            async with self._connecting:
                await client.connect()
            polled = await self._subscribe(client)
            self._wait, self._said = _FIRST_WAIT, None
            while not lost.is_set():
                for one in polled:
                    self._take(one.uuid, False, one, await client.read_gatt_char(one))
                try:
                    await asyncio.wait_for(lost.wait(), _POLL if polled else None)
                except asyncio.TimeoutError:
                    pass
        finally:
            await client.disconnect()

    async def _subscribe(self, client: Any) -> List[Any]:
        """Subscribes to the characteristics that the sensor sends; returns those that have to be read."""
        found: Dict[str, Any] = {}
        for one in client.services.characteristics.values():
            found.setdefault(one.uuid, one)
        battery = found.get(characteristics.BATTERY)
        percent = None
        if battery and "read" in battery.properties:
            # It is only said, and a sensor may want to be paired for it.
            with contextlib.suppress(Exception):
                percent = characteristics.battery(await client.read_gatt_char(battery))
        _say(f"{self._name}: connected" + ("" if percent is None else f", battery {percent} %"))
        known = [one for uuid, one in found.items() if uuid in characteristics.CHARACTERISTICS]
        if not known:
            _say(f"{self._name}: it measures nothing that is known")
        sent = [one for one in known if {"notify", "indicate"} & set(one.properties)]
        # One that has both profiles counts its turns in both, by different clocks.
        power_only = characteristics.SPEED_AND_CADENCE in found
        for one in sent:
            await client.start_notify(one, functools.partial(self._take, one.uuid, power_only))
        return [one for one in known if one not in sent and "read" in one.properties]

    def _take(self, uuid: str, power_only: bool, _: Any, data: bytes) -> None:
        for reading in characteristics.readings(uuid, data):
            if uuid != characteristics.POWER or reading.sensor == "power" or not power_only:
                self._feed.put(self._name, reading)


async def _scan(seconds: float) -> None:
    scanner = _bleak().BleakScanner
    try:
        found = await scanner.discover(timeout=seconds, return_adv=True)
    except Exception as error:
        _fail(f"{str(error) or type(error).__name__}; is Bluetooth on? Try: bluetoothctl power on", os.EX_UNAVAILABLE)
    lines = []
    for address, (device, advertised) in found.items():
        kinds = [kind for uuid, kind in characteristics.SERVICES.items() if uuid in advertised.service_uuids]
        if kinds:
            lines.append((-advertised.rssi, f"{address}  {', '.join(kinds)}  {_printable(device.name or '')}".rstrip()))
    for _, line in sorted(lines):
        print(line)
    if not lines:
        _say("no sensor was found; wake it up by moving it, and disconnect it from other devices")


def _printable(text: str) -> str:
    return "".join(one if one.isprintable() else "?" for one in text)


async def _run(known: _Known) -> None:
    bleak = _bleak()
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    async with AsyncClient(wait=5) as client, client.updates(
            distance_filter=1_000_000, satellites=False, trips=False) as updates:
        feed, connecting = _Feed(updates), asyncio.Lock()
        sensors = [_Sensor(bleak, address, name, feed, connecting) for address, name in known.names.items()]
        tasks = [asyncio.ensure_future(one) for one in (feed.run(), *(sensor.run() for sensor in sensors))]
        try:
            await asyncio.gather(*tasks)
        except asyncio.CancelledError:
            pass
        finally:
            for one in tasks:
                one.cancel()
            # Connections are closed: a sensor that is still connected does not advertise.
            await asyncio.wait(tasks)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="handlebar-sensors", description=__doc__)
    directory = os.environ.get("STATE_DIRECTORY", "/var/lib/handlebar-sensors")
    parser.add_argument("--state", metavar="DIR", default=directory, help="directory of the list of sensors (default: %(default)s)")
    commands = parser.add_subparsers(dest="command", required=True)
    scan = commands.add_parser("scan", help="show the sensors that are in reach")
    scan.add_argument("--seconds", type=float, default=10, metavar="S", help="how long to listen (default: 10)")
    add = commands.add_parser("add", help="add a sensor, or change its name")
    add.add_argument("address", help="its address, as scan shows it")
    add.add_argument("name", nargs="?", help="its name in readings (default: the address)")
    commands.add_parser("list", help="show the sensors that were added")
    commands.add_parser("remove", help="remove a sensor").add_argument("sensor", help="its address or name")
    commands.add_parser("run", help="read the sensors and feed the daemon, as the service does")
    return parser


def main(arguments: Optional[List[str]] = None) -> None:
    """Runs the program."""
    options = _parser().parse_args(arguments)
    if options.command == "scan":
        try:
            return asyncio.run(_scan(options.seconds))
        except KeyboardInterrupt:
            raise SystemExit(130) from None
    known = _Known(options.state)
    if options.command == "list":
        for address, name in known.names.items():
            print(address if name == address else f"{address}  {name}")
    elif options.command == "run":
        if not known.names:
            _fail("no sensor was added; find one: handlebar-sensors scan", os.EX_CONFIG)
        asyncio.run(_run(known))
    else:
        if options.command == "add":
            address = options.address.upper()
            name = options.name or address
            if not re.fullmatch(r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}", address):
                _fail(f"{options.address} is no address; see: handlebar-sensors scan", os.EX_USAGE)
            if not name.isprintable() or len(name.encode()) > 64:
                _fail("a name has 1 to 64 bytes", os.EX_USAGE)
            if name in (other for at, other in known.names.items() if at != address):
                _fail(f"another sensor has the name {name}", os.EX_USAGE)
            known.names[address] = name
        else:
            del known.names[known.address(options.sensor)]
        known.store()
        _say("if the service runs: sudo systemctl restart handlebar-sensors")
