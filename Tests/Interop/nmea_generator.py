"""Random sentences from seeds: valid ones of every type, and damaged ones with a right checksum."""

import random
import re

SENTENCE = re.compile(rb"[$]([\x20-\x23\x25-\x29\x2b-\x7e]*)[*]([0-9A-Fa-f]{2})")


def framed(content):
    """`$`, the content, `*` and the right checksum."""
    total = 0
    for byte in content.encode("ascii"):
        total ^= byte
    return f"${content}*{total:02X}"


def contents(data):
    """The distinct contents between `$` and a right checksum in a log."""
    found = {}
    for match in SENTENCE.finditer(data):
        total = 0
        for byte in match[1]:
            total ^= byte
        if total == int(match[2], 16):
            found[match[1].decode("ascii")] = None
    return list(found)


class Generator:
    """Makes the contents of sentences."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def maybe(self, text, chance=0.85):
        """A field that is sometimes empty."""
        return text if self.random.random() < chance else ""

    def digits(self, decimals):
        return "".join(self.random.choice("0123456789") for _ in range(decimals))

    def number(self, lowest, highest, decimals=(0, 1, 2, 3), width=0):
        whole = self.random.randint(lowest, highest)
        count = self.random.choice(decimals)
        return f"{whole:0{width}}" + (f".{self.digits(count)}" if count else "")

    def time(self):
        count = self.random.choice((0, 1, 2, 3, 3, 6))
        text = f"{self.random.randrange(24):02}{self.random.randrange(60):02}{self.random.randrange(60):02}"
        return text + (f".{self.digits(count)}" if count else "")

    def date(self):
        return f"{self.random.randint(1, 28):02}{self.random.randint(1, 12):02}{self.random.choice((99, 0, 19, 26, 68, 69, 79)):02}"

    def place(self):
        """Latitude, hemisphere, longitude, hemisphere; all or nothing."""
        if self.random.random() < 0.1:
            return ",,,"
        places = self.random.randint(2, 7)
        latitude = f"{self.random.randrange(90):02}{self.random.randrange(60):02}.{self.digits(places)}"
        longitude = f"{self.random.randrange(180):03}{self.random.randrange(60):02}.{self.digits(places)}"
        return f"{latitude},{self.random.choice('NS')},{longitude},{self.random.choice('EW')}"

    def height(self):
        return self.number(-50, 4000, (0, 1, 2, 3))

    def dop(self):
        return self.maybe(self.random.choice((self.number(1, 20), "0.84", "99.99", "1.5")))

    def measure(self):
        return self.maybe(self.number(0, 40, (1, 2, 3)))

    def talker(self):
        return self.random.choice(("GN", "GP", "GL", "GA", "GB"))

    def tail(self, *fields):
        """Fields of later versions, as many of them as the receiver has."""
        kept = fields[: self.random.randint(0, len(fields))]
        return "".join("," + field for field in kept)

    def sentence(self):
        """The content of a right sentence."""
        return getattr(self, self.random.choice([name for name in dir(self) if name.startswith("make_")]))()

    def make_rmc(self):
        variation = self.random.choice((",", f"{self.number(0, 30, (1,))},{self.random.choice('EW')}"))
        return (
            f"{self.talker()}RMC,{self.maybe(self.time())},{self.random.choice('AV')},{self.place()},{self.maybe(self.number(0, 200))},"
            f"{self.maybe(self.number(0, 359, width=3))},{self.maybe(self.date())},{variation}"
            + self.tail(self.random.choice("ADEFNR"), self.random.choice("SCUV"))
        )

    def make_gga(self):
        return (
            f"{self.talker()}GGA,{self.maybe(self.time())},{self.place()},{self.random.randint(0, 8)},{self.random.randint(0, 40):02},"
            f"{self.dop()},{self.maybe(self.height())},M,{self.maybe(self.height())},M,{self.maybe(self.number(0, 60, (1,)), 0.3)},"
            f"{self.maybe(f'{self.random.randrange(1024):04}', 0.3)}"
        )

    def make_gll(self):
        return f"{self.talker()}GLL,{self.place()},{self.maybe(self.time())},{self.random.choice('AV')}" + self.tail("A")

    def make_gns(self):
        modes = "".join(self.random.choice("ANDEFR") for _ in range(self.random.randint(2, 6)))
        return (
            f"GNGNS,{self.maybe(self.time())},{self.place()},{modes},{self.random.randint(0, 40):02},{self.dop()},"
            f"{self.maybe(self.height())},{self.maybe(self.height())},," + self.tail("V")
        )

    def make_vtg(self):
        return (
            f"{self.talker()}VTG,{self.maybe(self.number(0, 359))},T,{self.maybe(self.number(0, 359), 0.3)},M,"
            f"{self.maybe(self.number(0, 200))},N,{self.maybe(self.number(0, 370))},K,{self.random.choice('ADEN')}"
        )

    def make_zda(self):
        return f"{self.talker()}ZDA,{self.time()},{self.random.randint(1, 28):02},{self.random.randint(1, 12):02},2026,00,00"

    def make_gst(self):
        return f"{self.talker()}GST,{self.time()}," + ",".join(
            (*(self.measure() for _ in range(3)), self.maybe(self.number(0, 179, (1,))), *(self.measure() for _ in range(3)))
        )

    def make_gsa(self):
        used = [f"{self.random.randint(1, 96):02}" for _ in range(self.random.randint(0, 12))]
        slots = ",".join(used + [""] * (12 - len(used)))
        return f"{self.talker()}GSA,{self.random.choice('MA')},{self.random.randint(1, 3)},{slots},{self.dop()},{self.dop()},{self.dop()}" + self.tail(
            str(self.random.randint(1, 6))
        )

    def make_gsv(self):
        parts = self.random.randint(1, 4)
        groups = "".join(
            f",{self.random.randint(1, 96):02},{self.maybe(self.number(0, 90, (0,), 2))},{self.maybe(self.number(0, 359, (0,), 3))},"
            f"{self.maybe(self.number(10, 55, (0,)))}"
            for _ in range(self.random.randint(1, 4))
        )
        return f"{self.talker()}GSV,{parts},{self.random.randint(1, parts)},{4 * parts:02}{groups}" + self.tail(self.random.choice("156B"))

    def make_gbs(self):
        return f"{self.talker()}GBS,{self.time()},{self.measure()},{self.measure()},{self.measure()},{self.random.randint(1, 96):02},0.01,-{self.number(1, 20, (1,))},3.8"

    def make_grs(self):
        return f"{self.talker()}GRS,{self.time()},{self.random.randint(0, 1)}," + ",".join(self.maybe(self.number(-5, 5, (1,)), 0.5) for _ in range(12)) + ",1,1"

    def make_dtm(self):
        return f"GPDTM,{self.random.choice(('W84', 'P90', '999'))},,{self.number(0, 9, (2,))},{self.random.choice('NS')},{self.number(0, 9, (2,))},{self.random.choice('EW')},{self.number(-50, 50, (1,))},W84"

    def make_txt(self):
        return f"{self.talker()}TXT,01,01,{self.random.randint(0, 7):02},ANTSTATUS=OK"

    def make_heading(self):
        return self.random.choice((f"HEHDT,{self.number(0, 359)},T", f"GNTHS,{self.number(0, 359)},{self.random.choice('AEMSV')}"))

    def make_pubx00(self):
        return (
            f"PUBX,00,{self.time()},{self.place()},{self.height()},{self.random.choice(('NF', 'G2', 'G3', 'D3', 'RK'))},{self.number(0, 30)},{self.number(0, 30)},"
            f"{self.number(0, 200)},{self.number(0, 359)},{self.number(-9, 9)},,{self.dop()},{self.dop()},{self.dop()},{self.random.randint(0, 20)},0,{self.random.randint(0, 1)}"
        )

    def make_pubx03(self):
        count = self.random.randint(1, 8)
        groups = "".join(
            f",{self.random.randint(1, 96)},{self.random.choice('-Ue')},{self.maybe(self.number(0, 359, (0,)))},{self.maybe(self.number(0, 90, (0,)))},"
            f"{self.maybe(self.number(10, 55, (0,)))},{self.random.randint(0, 64):03}"
            for _ in range(count)
        )
        return f"PUBX,03,{count:02}{groups}"

    def make_pubx04(self):
        return f"PUBX,04,{self.time()},{self.date()},{self.number(0, 604799, (2,))},{self.random.randint(0, 2500)},18,{self.random.randint(0, 2000000)},-{self.number(0, 3000, (3,))},43"

    def make_garmin(self):
        return self.random.choice(
            (f"PGRME,{self.measure()},M,{self.measure()},M,{self.measure()},M", f"PGRMZ,{self.number(0, 9000, (0,))},f,{self.random.randint(1, 3)}")
        )

    def make_trimble(self):
        place = self.place()
        return f"PTNL,GGK,{self.time()},031926,{place},{self.random.randint(0, 5)},{self.random.randint(0, 20):02},{self.dop()},EHT{self.number(0, 900, (3,))},M"

    def damaged(self, content):
        """The same content with one to three faults in its fields, as a bad line, a bad receiver or an attacker makes them."""
        head, *fields = content.split(",")
        for _ in range(self.random.randint(1, 3)):
            place = self.random.randrange(len(fields))
            fault = self.random.randrange(7)
            if fault == 0:
                fields[place] = ""
            elif fault == 1:
                fields[place] = self.random.choice(
                    ("nan", "inf", "-", "+1", "1e3", "0x1F", "-1", "4860.0", "9100.0", "18100.0", "360", "240000", "235960", "310226", "99.99", "*2A"[1:], "A", "x")
                )
            elif fault == 2:
                del fields[place]
                fields = fields or [""]
            elif fault == 3:
                fields.insert(place, self.random.choice(("", "1", "N", fields[place])))
            elif fields[place]:
                at = self.random.randrange(len(fields[place]))
                with_byte = self.random.choice("0123456789.-+ NSEWAVxe")
                fields[place] = fields[place][:at] + with_byte + fields[place][at + (fault < 6) :]
        return ",".join([head, *fields])
