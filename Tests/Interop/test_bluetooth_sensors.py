"""handlebar-sensors with a fake bleak: readings of Bluetooth sensors reach the daemon, also after one was lost."""

import asyncio
import contextlib
import os
import sys
import types

import pytest

from handlebar_harness import ROOT, TIMEOUT, Daemon

sys.path.insert(0, str(ROOT / "clients" / "python"))
import handlebar  # noqa: E402
from handlebar import _limits, _sensors  # noqa: E402
from handlebar._characteristics import BATTERY, HEART_RATE, POWER, PRESSURE, SPEED_AND_CADENCE  # noqa: E402


class Peripheral:
    """A sensor: its characteristics with their values, and who is connected to it."""

    def __init__(self, **values):
        self.values = {globals()[name]: bytes.fromhex(value) for name, value in values.items()}
        self.failures = []
        self.connections = 0
        self.client = None
        self.subscribed = asyncio.Event()

    def notify(self, uuid, value):
        self.client.callbacks[uuid](None, bytearray.fromhex(value))

    def leave(self):
        client, self.client = self.client, None
        self.subscribed.clear()
        client.disconnected(client)


def fake_bleak(peripherals):
    class BleakClient:
        def __init__(self, address, disconnected_callback):
            self.peripheral, self.disconnected = peripherals[address], disconnected_callback
            self.callbacks = {}
            self.services = types.SimpleNamespace(characteristics={
                handle: types.SimpleNamespace(uuid=uuid, properties=["read"] if uuid in (PRESSURE, BATTERY) else ["notify"])
                for handle, uuid in enumerate(self.peripheral.values)})

        async def connect(self):
            await asyncio.sleep(0)
            self.peripheral.connections += 1
            if self.peripheral.failures:
                raise self.peripheral.failures.pop()
            self.peripheral.client = self

        async def start_notify(self, one, callback):
            self.callbacks[one.uuid] = callback
            if len(self.callbacks) == len(set(self.peripheral.values) - {PRESSURE, BATTERY}):
                self.peripheral.subscribed.set()

        async def read_gatt_char(self, one):
            return bytearray(self.peripheral.values[one.uuid])

        async def disconnect(self):
            if self.peripheral.client is self:
                self.peripheral.client = None

    return types.SimpleNamespace(BleakClient=BleakClient)


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(_sensors, "_FIRST_WAIT", 0.01)
    monkeypatch.setattr(_sensors, "_POLL", 0.01)


@contextlib.asynccontextmanager
async def running(monkeypatch, daemon, folder, peripherals):
    """The program, and a subscription to what it feeds."""
    monkeypatch.setenv("HANDLEBAR_SOCKET", str(daemon.socket))
    monkeypatch.setitem(sys.modules, "bleak", fake_bleak({address: one for address, _, one in peripherals}))
    known = _sensors._Known(str(folder))
    known.names = {address: name for address, name, _ in peripherals}
    async with handlebar.AsyncClient(daemon.socket) as client, client.updates(sensors=True) as updates:
        task = asyncio.ensure_future(_sensors._run(known))

        async def sensor(kind, source, value):
            while True:
                one = await updates.next(TIMEOUT)
                if isinstance(one, handlebar.Sensor) and (one.sensor, one.source, one.value) == (kind, source, value):
                    return one

        try:
            yield sensor
        finally:
            task.cancel()
            await asyncio.wait_for(task, TIMEOUT)
            assert all(one.client is None for _, _, one in peripherals), "a connected sensor cannot be found again"


def test_sensors_are_told_apart_lost_and_found_again(folder, monkeypatch, capsys, quick):
    async def ride(daemon):
        chest, arm = Peripheral(HEART_RATE="00", BATTERY="55"), Peripheral(HEART_RATE="00", BATTERY="00")
        air = Peripheral(PRESSURE="6d7f0e00")
        # It wants to be paired for it.
        arm.values[BATTERY] = None
        chest.failures = [OSError("the adapter is off"), TimeoutError()]
        peripherals = [("C0:00:00:00:00:01", "chest", chest), ("C0:00:00:00:00:02", "C0:00:00:00:00:02", arm),
                       ("C0:00:00:00:00:03", "air", air)]
        async with running(monkeypatch, daemon, folder, peripherals) as sensor:
            await sensor("pressure", "air", 95012.5)
            await asyncio.wait_for(chest.subscribed.wait(), TIMEOUT)
            await asyncio.wait_for(arm.subscribed.wait(), TIMEOUT)
            chest.notify(HEART_RATE, "00 48")
            await sensor("heartRate", "chest", 72)
            arm.notify(HEART_RATE, "00 4a")
            await sensor("heartRate", "C0:00:00:00:00:02", 74)
            chest.leave()
            await asyncio.wait_for(chest.subscribed.wait(), TIMEOUT)
            chest.notify(HEART_RATE, "00")
            chest.notify(HEART_RATE, "00 50")
            # It is reported at most twice a second.
            while True:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(sensor("heartRate", "chest", 80), 1)
                    break
                chest.notify(HEART_RATE, "00 50")
        assert chest.connections == 4

    with Daemon(folder, f"serial:{folder}/none") as daemon:
        asyncio.run(ride(daemon))
    told = capsys.readouterr().err
    for words in "the adapter is off; it is looked for", "chest: connected, battery 85 %", "chest: disconnected":
        assert words in told


def test_a_daemon_that_is_gone_and_comes_back_is_fed_again(folder, monkeypatch, capsys, quick):
    """Each reason why it is not is said once."""
    # Until it is said that there is none, as for users.
    monkeypatch.setattr(_limits, "CONNECT_TIMEOUT", 5)

    async def ride(daemons):
        chest = Peripheral(HEART_RATE="00")
        first = daemons.enter_context(Daemon(folder, f"serial:{folder}/none"))
        async with running(monkeypatch, first, folder, [("C0:00:00:00:00:01", "chest", chest)]) as sensor:
            await asyncio.wait_for(chest.subscribed.wait(), TIMEOUT)
            chest.notify(HEART_RATE, "00 48")
            await sensor("heartRate", "chest", 72)
            first.process.kill()
            first.process.wait()
            told = ""
            while "no daemon" not in told:
                chest.notify(HEART_RATE, "00 49")
                await asyncio.sleep(0.01)
                told += capsys.readouterr().err
            daemons.enter_context(Daemon(folder, f"serial:{folder}/none"))

            async def beat():
                while True:
                    chest.notify(HEART_RATE, "00 50")
                    await asyncio.sleep(0.1)

            beating = asyncio.ensure_future(beat())
            await sensor("heartRate", "chest", 80)
            beating.cancel()
        lines = (told + capsys.readouterr().err).splitlines()
        assert len(set(lines)) == len(lines) < 5 and chest.connections == 1, lines

    with contextlib.ExitStack() as daemons:
        asyncio.run(asyncio.wait_for(ride(daemons), 4 * TIMEOUT))


def test_a_scan_without_bluetooth(monkeypatch, capsys):
    class BleakScanner:
        @staticmethod
        async def discover(**_):
            raise OSError("no adapter")

    monkeypatch.setitem(sys.modules, "bleak", types.SimpleNamespace(BleakScanner=BleakScanner))
    with pytest.raises(SystemExit) as end:
        _sensors.main(["scan"])
    assert end.value.code == os.EX_UNAVAILABLE and "no adapter; is Bluetooth on?" in capsys.readouterr().err


def test_a_power_meter_that_also_has_the_other_profile_counts_once(folder, monkeypatch, quick):
    async def ride(daemon):
        meter = Peripheral(SPEED_AND_CADENCE="00", POWER="00")
        async with running(monkeypatch, daemon, folder, [("C0:00:00:00:00:01", "meter", meter)]) as sensor:
            await asyncio.wait_for(meter.subscribed.wait(), TIMEOUT)
            meter.notify(SPEED_AND_CADENCE, "01 64000000 0004")
            meter.notify(POWER, "1000 c800 a0860100 0008")
            await sensor("power", "meter", 200)
            async with handlebar.AsyncClient(daemon.socket) as client:
                kinds = {one.sensor: one for one in await client.sensors()}
        assert set(kinds) == {"wheel", "power"} and not kinds["wheel"].is_implausible

    with Daemon(folder, f"serial:{folder}/none") as daemon:
        asyncio.run(ride(daemon))
