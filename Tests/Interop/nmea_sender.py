"""Sentences as a receiver sends them, for tests without a real log."""

import datetime
import functools
import operator


def sentence(body):
    """`$body*hh` with the checksum and CR LF."""
    return b"$%s*%02X\r\n" % (body.encode(), functools.reduce(operator.xor, body.encode(), 0))


def angle(degrees, width, letters):
    """`ddmm.mmmmm,H`."""
    whole, minutes = divmod(round(abs(degrees) * 60e5), 60 * 100000)
    return f"{whole:0{width}d}{minutes / 1e5:08.5f},{letters[degrees < 0]}"


def epoch(number, period=1.0, latitude=48.1, longitude=11.5, speed=10.0, valid=True):
    """RMC, GGA and GSA of the epoch with that number, `period` seconds apart, northward at `speed` m/s."""
    when = datetime.datetime(2026, 3, 19, 12, 0, 0) + datetime.timedelta(seconds=number * period)
    clock = when.strftime("%H%M%S.") + f"{when.microsecond // 10000:02d}"
    where = f"{angle(latitude + speed * period * number / 111_200, 2, 'NS')},{angle(longitude, 3, 'EW')}"
    if not valid:
        return sentence(f"GNRMC,{clock},V,,,,,,,{when:%d%m%y},,,N,V") + sentence(f"GNGGA,{clock},,,,,0,00,,,M,,M,,")
    return (
        sentence(f"GNRMC,{clock},A,{where},{speed * 1.94384:.3f},0.0,{when:%d%m%y},,,A,V")
        + sentence(f"GNGGA,{clock},{where},1,10,0.9,500.0,M,47.0,M,,")
        + sentence("GNGSA,A,3,02,05,12,15,18,20,24,25,29,31,,,1.7,0.9,1.4,1")
    )


def ride(count, period=1.0, **options):
    """`count` epochs as `(second, bytes)` bursts."""
    return [(number * period, epoch(number, period, **options)) for number in range(count)]
