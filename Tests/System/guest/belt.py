"""A heart rate belt in reach of this machine's Bluetooth, which is the kernel's virtual controller: both are bumble's.

It sends 72 beats a minute once a second; at SIGUSR1 it goes out of reach for a moment, and sends 80 from then on.
"""

import asyncio
import pathlib
import signal

from bumble.controller import Controller
from bumble.core import UUID, AdvertisingData
from bumble.device import Device
from bumble.gatt import (
    GATT_BATTERY_LEVEL_CHARACTERISTIC, GATT_BATTERY_SERVICE, GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC, GATT_HEART_RATE_SERVICE,
    Characteristic, Service)
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.transport import open_transport
from bumble.transport.common import AsyncPipeSink

ADDRESS = "C0:11:22:33:44:55"
# Of the kernel's controller.
OWN = "F0:F1:F2:F3:F4:F5"
beats = 72


class KernelController(Controller):
    """Has one address: the link takes a controller's random one as the sender's, and BlueZ connects by the public one."""

    @property
    def random_address(self):
        return self.public_address

    @random_address.setter
    def random_address(self, address):
        pass


def belt(link):
    controller = Controller("belt", link=link)
    device = Device(name="Belt", address=Address(ADDRESS), host=Host(controller, AsyncPipeSink(controller)))
    rate = Characteristic(GATT_HEART_RATE_MEASUREMENT_CHARACTERISTIC, Characteristic.Properties.NOTIFY, Characteristic.READABLE, b"")
    battery = Characteristic(
        GATT_BATTERY_LEVEL_CHARACTERISTIC, Characteristic.Properties.READ, Characteristic.READABLE, bytes([85]))
    device.add_services([Service(GATT_HEART_RATE_SERVICE, [rate]), Service(GATT_BATTERY_SERVICE, [battery])])
    device.advertising_data = bytes(AdvertisingData([
        (AdvertisingData.COMPLETE_LOCAL_NAME, b"Belt"),
        (AdvertisingData.COMPLETE_LIST_OF_16_BIT_SERVICE_CLASS_UUIDS, UUID.to_bytes(GATT_HEART_RATE_SERVICE)),
    ]))
    return device, rate


async def main():
    async def leave():
        global beats
        beats = 80
        for connection in list(device.connections.values()):
            await connection.disconnect()

    link = LocalLink()
    async with await open_transport("vhci") as kernel:
        KernelController("kernel", host_source=kernel.source, host_sink=kernel.sink, link=link, public_address=OWN)
        device, rate = belt(link)
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, lambda: asyncio.ensure_future(leave()))
        await device.power_on()
        await device.start_advertising(auto_restart=True)
        pathlib.Path("/run/belt").touch()
        while True:
            await device.notify_subscribers(rate, bytes([0, beats]))
            await asyncio.sleep(1)


asyncio.run(main())
