"""Receivers on a PTY that answer set-up commands like the real families, and refuse, delay or lose what a test asks for.

A receiver hears and is heard only at its own speed: at another one, what is sent either way is garbage.
"""

import datetime
import math
import os
import select
import struct
import termios
import threading
import time

import nmea_sender
from handlebar_harness import Receiver

SPEEDS = {
    termios.B4800: 4800, termios.B9600: 9600, termios.B19200: 19200, termios.B38400: 38400, termios.B57600: 57600,
    termios.B115200: 115200, termios.B230400: 230400, termios.B460800: 460800, termios.B921600: 921600,
}


def ubx(group, number, payload=b""):
    """A UBX frame."""
    body = bytes([group, number]) + struct.pack("<H", len(payload)) + payload
    a = b = 0
    for byte in body:
        a = (a + byte) & 255
        b = (b + a) & 255
    return b"\xb5\x62" + body + bytes([a, b])


def earth_centered(latitude, longitude, height):
    """WGS 84 coordinates, centimetres, of a place in degrees and metres."""
    latitude, longitude = math.radians(latitude), math.radians(longitude)
    squared = 6.69437999014e-3
    normal = 6378137.0 / math.sqrt(1 - squared * math.sin(latitude) ** 2)
    across = (normal + height) * math.cos(latitude)
    along = (normal * (1 - squared) + height) * math.sin(latitude)
    return tuple(round(100 * part) for part in (across * math.cos(longitude), across * math.sin(longitude), along))


class SimulatedReceiver(Receiver):
    """The common part: epochs at the receiver's rate, and a thread that answers.

    `refused` holds the names of settings that are refused, `late` delays each reaction, `deaf` loses the answers of settings,
    `mute` every answer at another speed than the initial one, `garbage` precedes each answer. `sent` is everything that was sent at the right speed, `commands` what was received.
    """

    def __init__(self, link, speed=9600, refused=(), late=0.0, deaf=(), mute=False, garbage=b""):
        self.speed = self.initial_speed = speed
        self.refused, self.late, self.deaf, self.garbage = set(refused), late, set(deaf), garbage
        self.mute = mute
        self.settings = dict(self.defaults)
        self.sent = b""
        self.commands = []
        self.pending = []
        self.number = 0
        self.partial = b""
        self.over = threading.Event()
        self.lock = threading.RLock()
        # Seconds in which it could work: on a machine that is too busy for the daemon, its time passes more slowly, too.
        self.now = 0.0
        # The longest time for which it could not.
        self.standstill = 0.0
        self.switch_on()
        super().__init__(link)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    defaults = {"period": 1000, "model": 0, "accuracy": 0}
    # Its motion northward, m/s.
    pace = 10.0

    def switch_on(self):
        """Begins a search for a first fix."""

    def has_fix(self):
        return True

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        super().__exit__()

    def power_cycle(self):
        """Returns to the settings at power-on; the line stays."""
        with self.lock:
            self.switch_on()
            self.settings = dict(self.defaults)
            self.speed = self.initial_speed
            self.pending = []

    def unplug(self):
        with self.lock:
            super().unplug()

    def plug(self):
        with self.lock:
            super().plug()
            # The daemon writes nothing while another process has the line open.
            os.close(self.slave)
            self.slave = None

    def line_speed(self):
        return SPEEDS.get(termios.tcgetattr(self.master)[5])

    def transmit(self, data):
        """Sends; at another speed than the line's only garbage arrives."""
        if self.line_speed() == self.speed:
            self.sent += data
        else:
            data = bytes(byte ^ 0x95 for byte in data[::2])
        try:
            self.write(data, timeout=5)
        except (AssertionError, OSError):
            pass

    def run(self):
        due, last = self.now, time.monotonic()
        while not self.over.is_set():
            self.rest(due)
            before, last = last, time.monotonic()
            # While this machine does other things it stands still, and then goes on without catching up.
            self.now += min(last - before, 0.25)
            self.standstill = max(self.standstill, last - before)
            with self.lock:
                if self.master is None:
                    due = self.now
                elif not self.listen():
                    due = self.now
                else:
                    self.answer()
                    if self.now >= due:
                        self.transmit(self.epoch())
                        due = max(due + self.settings["period"] * self.settings.get("navigation", 1) / 1000, self.now)

    def rest(self, due):
        """Waits for a command, at most until an epoch or an answer is due."""
        with self.lock:
            line = select.poll()
            if is_there := self.master is not None:
                line.register(self.master, select.POLLIN)
            wait = min(0.05, due - self.now, *(at - time.monotonic() for at, _ in self.pending[:1]))
        # A line that no one has open cannot be waited for.
        if not is_there or any(event & ~select.POLLIN for _, event in line.poll(max(1, wait * 1000))):
            self.over.wait(0.02)

    def epoch(self):
        # Epochs are numbered in fifths of a second, whatever the rate.
        step = max(1, self.settings["period"] // 200)
        self.number += step
        if not self.has_fix():
            # Nor does it know the time.
            return nmea_sender.sentence("GNRMC,,V,,,,,,,,,,N,V") + nmea_sender.sentence("GNGGA,,,,,,0,00,99.99,,,,,,")
        data = nmea_sender.epoch(self.number, period=0.2, speed=self.pace)
        if self.settings["accuracy"]:
            data += nmea_sender.sentence("GNGST,,,,,,1.5,1.5,2.0")
        return data

    def listen(self):
        """Answers what was received; returns whether the line is open."""
        try:
            data = os.read(self.master, 4096)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if self.line_speed() != self.speed:
            return True
        self.partial += data
        for message in self.messages():
            self.commands.append(message)
            self.pending.append((time.monotonic() + self.late, message))
        return True

    def answer(self):
        """Acts on the messages that are due."""
        while self.pending and self.pending[0][0] <= time.monotonic():
            for name, answer in self.answers(self.pending.pop(0)[1]):
                if name not in self.deaf and not (self.mute and self.speed != self.initial_speed):
                    self.transmit(self.garbage + answer)

    def accept(self, name, value):
        """Takes a setting; returns whether it is not refused."""
        if name in self.refused or (name, value) in self.refused:
            return False
        if name == "speed":
            self.speed = value
        else:
            self.settings[name] = value
        return True


class SimulatedUblox(SimulatedReceiver):
    """u-blox 6 to 8, by one message per setting."""

    defaults = {"period": 1000, "model": 0, "accuracy": 0, "nmea": 1}
    # The messages of the class NAV that it knows, by number; their rates are settings of these names.
    messages_known = {0x07: "pvt", 0x04: "dop", 0x35: "sat", 0x01: "posecef"}
    # What it acknowledges and does not send.
    withheld = ()
    # Seconds to the first fix without and with its own database, of which it accepts only its own messages; None: it has one.
    cold, warm = None, 0.3
    number_of_entries = 60
    unique = bytes([1, 2, 3, 4, 5])
    # MGA messages that it loses, or answers with a refusal, by id; whether its database lacks a message that it states.
    lost, rejected, hides_an_entry = (), (), False
    has_flash = False
    version = ("ROM CORE 3.01 (107888)", "00080000", ["FWVER=SPG 3.01", "PROTVER=18.00", "MOD=NEO-M8N-0"])

    def switch_on(self):
        self.begun = self.now
        self.restored, self.aids, self.acknowledges, self.is_receiving = set(), [], 0, True
        self.backup = getattr(self, "backup", False)
        self.has_restored_backup = self.backup and self.has_flash

    def has_fix(self):
        if self.cold is None:
            return True
        is_warm = self.has_restored_backup or len(self.restored) == self.number_of_entries
        return self.is_receiving and self.now - self.begun > (self.warm if is_warm else self.cold)

    def entries(self):
        """The messages of its database."""
        return [ubx(0x13, 0x80, bytes(12) + self.unique + bytes([number] * 80)) for number in range(self.number_of_entries)]

    def assistance(self, frame):
        """Answers to queries about its knowledge, and to what it is helped with; None for other messages."""
        kind, payload = tuple(frame[2:4]), frame[6:-2]
        if kind == (0x27, 0x03):
            return [("unique", ubx(0x27, 3, bytes([len(self.unique) - 4, 0, 0, 0]) + self.unique))]
        if kind == (1, 3):
            running = round((self.now - self.begun) * 1000)
            return [("status", ubx(1, 3, struct.pack("<IBBBBII", 0, 3, 0xD0 + self.has_fix(), 0, 0, 0, running)))]
        if kind == (6, 0x23) and not payload:
            navx5 = bytes([2, 0]) + bytes(15) + bytes([self.acknowledges]) + bytes(22)
            return [("acknowledging", ubx(6, 0x23, navx5)), ("acknowledging", self.acknowledge(frame, True))]
        if kind == (6, 0x23):
            assert payload[2:8] == b"\0\4\0\0\0\0", "more than the acknowledgements is changed"
            self.acknowledges = payload[17] * ("acknowledging" not in self.refused)
            return [("acknowledging", self.acknowledge(frame, self.acknowledges == 1))]
        if kind == (9, 0x14) and not payload:
            state = 2 if self.has_restored_backup else 3
            return [("backup", ubx(9, 0x14, bytes([3, 0, 0, 0, state, 0, 0, 0])) if self.has_flash else self.acknowledge(frame, False))]
        if kind == (9, 0x14):
            assert payload[0] == 1 or not self.is_receiving, "the backup is made at rest"
            self.backup = payload[0] == 0
            return [("backup", ubx(9, 0x14, bytes([2, 0, 0, 0, 1, 0, 0, 0])))] if self.has_flash else []
        if kind == (6, 4):
            self.is_receiving = payload[2] == 9
            return []
        if kind == (0x13, 0x80) and not payload:
            entries = self.entries() if self.has_fix() else []
            sent = entries[1:] if self.hides_an_entry else entries
            end = ubx(0x13, 0x60, struct.pack("<BBBBI", 1, 0, 0, 0x80, len(entries)))
            return [("database", b"".join(sent))] + ([("end", end)] if self.acknowledges else [])
        if kind[0] == 0x13:
            if kind[1] in self.lost:
                return []
            used = kind[1] not in self.rejected and (kind[1] != 0x80 or frame in self.entries())
            if used:
                self.aids.append(frame)
                if kind[1] == 0x80:
                    self.restored.add(frame)
            answer = ubx(0x13, 0x60, bytes([used, 0, 0 if used else 4, kind[1]]) + payload[:4])
            return [("aid", answer)] if self.acknowledges else []
        return None

    def messages(self):
        while (start := self.partial.find(b"\xb5\x62")) >= 0:
            self.partial = self.partial[start:]
            if len(self.partial) < 8:
                return
            end = 8 + struct.unpack_from("<H", self.partial, 4)[0]
            if len(self.partial) < end:
                return
            frame, self.partial = self.partial[:end], self.partial[end:]
            if ubx(frame[2], frame[3], frame[6:-2]) == frame:
                yield frame

    @staticmethod
    def acknowledge(frame, accepted):
        return ubx(5, 1 if accepted else 0, frame[2:4])

    def version_frame(self):
        software, hardware, extensions = self.version
        return ubx(10, 4, b"".join(
            text.encode().ljust(length, b"\0")
            for text, length in [(software, 30), (hardware, 10), *((text, 30) for text in extensions)]))

    def port(self, speed, nmea=None):
        nmea = self.settings["nmea"] if nmea is None else nmea
        return struct.pack("<BBHIIHHHH", 1, 0, 0, 0x8D0, speed, 7, 3 if nmea else 1, 0, 0)

    def epoch(self):
        sentences = super().epoch()
        data = sentences if self.settings["nmea"] else b""
        due = [name for name in self.messages_known.values() if (rate := self.settings.get(name, 0)) and self.number % rate == 0]
        return data + b"".join(self.message(name) for name in due if name not in self.withheld)

    def message(self, name):
        """One message of the epoch whose sentences nmea_sender makes."""
        when = datetime.datetime(2026, 3, 19, 12) + datetime.timedelta(seconds=self.number * 0.2)
        # 19 March 2026 is a Thursday; GPS is 18 s ahead.
        tow = (round((when - datetime.datetime(2026, 3, 15)).total_seconds() * 1000) + 18000) % 604_800_000
        latitude, longitude = round((48.1 + self.pace * 0.2 * self.number / 111_200) * 1e7), 115_000_000
        nano = when.microsecond * 1000
        if name == "pvt":
            return ubx(1, 0x07, struct.pack(
                "<IHBBBBBBIiBBBBiiiiIIiiiiiIIHBBIihH", tow, when.year, when.month, when.day, when.hour, when.minute, when.second, 0x37 * self.has_fix(),
                20, nano, 3 if self.has_fix() else 0, self.has_fix(), 0xE0, 10, longitude, latitude, 547_000, 500_000, 1200, 1900, 10_000, 0, 0, 10_000, 0, 200, 50_000,
                170, 0, 0, 0, 0, 0, 0))
        if name == "dop":
            return ubx(1, 0x04, struct.pack("<I7H", tow, 200, 170, 100, 140, 90, 70, 60))
        if name == "eoe":
            return ubx(1, 0x61, struct.pack("<I", tow))
        if name == "sat":
            return ubx(1, 0x35, struct.pack("<IBBH", tow, 1, 10, 0) + b"".join(
                struct.pack("<BBBbhhI", 0, number, 40, 45, 30 * number, 0, 0x1F) for number in range(2, 12)))
        if name == "svinfo":
            return ubx(1, 0x30, struct.pack("<IBBH", tow, 10, 2, 0) + b"".join(
                struct.pack("<BBBBBbhi", number, number, 0x0D, 7, 40, 45, 30 * number, 0) for number in range(2, 12)))
        if name == "posllh":
            return ubx(1, 0x02, struct.pack("<IiiiiII", tow, longitude, latitude, 547_000, 500_000, 1200, 1900))
        if name == "velned":
            return ubx(1, 0x12, struct.pack("<IiiiIIiII", tow, 1000, 0, 0, 1000, 1000, 0, 20, 50_000))
        if name == "timeutc":
            return ubx(1, 0x21, struct.pack(
                "<IIiHBBBBBB", tow, 20, nano, when.year, when.month, when.day, when.hour, when.minute, when.second, 7))
        if name == "sol":
            x, y, z = earth_centered(latitude / 1e7, longitude / 1e7, 547)
            week = (when - datetime.datetime(1980, 1, 6)).days // 7
            return ubx(1, 0x06, struct.pack(
                "<IihBBiiiIiiiIHBBI", tow, 0, week, 3, 0x0D, x, y, z, 200, 0, 0, 0, 30, 170, 0, 10, 0))
        raise AssertionError(f"no such message: {name}")

    def answers(self, frame):
        if (answers := self.assistance(frame)) is not None:
            return answers
        return self.settled(frame)

    def settled(self, frame):
        """Answers to queries of settings, and to commands."""
        kind, payload = tuple(frame[2:4]), frame[6:-2]
        if kind == (10, 4):
            yield "version", self.version_frame()
        elif kind == (6, 0x00) and not payload:
            yield "port", ubx(6, 0, self.port(self.speed))
            yield "port", self.acknowledge(frame, True)
        elif kind == (6, 0x00):
            wanted = struct.unpack_from("<I", payload, 8)[0]
            nmea = payload[14] >> 1 & 1
            assert payload == self.port(wanted, nmea), "more than the speed and the protocols is changed"
            assert wanted == self.speed or nmea == self.settings["nmea"], "both are changed at once"
            if nmea != self.settings["nmea"]:
                yield "nmea", self.acknowledge(frame, self.accept("nmea", nmea))
            elif "speed" in self.refused:
                yield "speed", self.acknowledge(frame, False)
            else:
                yield "speed", self.acknowledge(frame, True)
                self.speed = wanted
        elif kind == (6, 0x08) and not payload:
            yield "period?", ubx(6, 8, struct.pack("<HHH", self.settings["period"], 1, 1))
        elif kind == (6, 0x08):
            yield "period", self.acknowledge(frame, self.accept("period", struct.unpack_from("<H", payload)[0]))
        elif kind == (6, 0x24) and not payload:
            yield "model?", ubx(6, 0x24, bytes([255, 255, self.settings["model"]]) + bytes(33))
        elif kind == (6, 0x24):
            assert payload[:2] == b"\x01\x00" and len(payload) == 36, "more than the model is changed"
            yield "model", self.acknowledge(frame, self.accept("model", payload[2]))
        elif kind == (6, 0x01) and payload[0] == 1:
            name = self.messages_known.get(payload[1])
            if name is None:
                yield "unknown", self.acknowledge(frame, False)
            elif len(payload) == 2:
                yield name + "?", ubx(6, 1, payload + bytes([0, self.settings.get(name, 0), 0, 0, 0, 0]))
            else:
                yield name, self.acknowledge(frame, self.accept(name, payload[2]))
        elif kind == (6, 0x01) and len(payload) == 2:
            yield "accuracy?", ubx(6, 1, payload + bytes([0, self.settings["accuracy"], 0, 0, 0, 0]))
        elif kind == (6, 0x01):
            yield "accuracy", self.acknowledge(frame, self.accept("accuracy", payload[2]))
        else:
            raise AssertionError(f"an unexpected message: {frame.hex()}")


class SimulatedUblox6(SimulatedUblox):
    """u-blox 6: no NAV-PVT, nothing about its protocol in the version, and no messages for assistance."""

    def assistance(self, frame):
        return None

    messages_known = {0x06: "sol", 0x02: "posllh", 0x12: "velned", 0x21: "timeutc", 0x04: "dop", 0x30: "svinfo"}
    version = ("7.03 (45969)", "00040007", [])


class SimulatedUbloxKeys(SimulatedUblox):
    """u-blox 9 and later, by keys; it has no messages for single settings."""

    version = ("EXT CORE 1.00 (3fda8e)", "00190000", ["FWVER=SPG 5.10", "PROTVER=34.10", "MOD=MAX-M10S"])
    # Another program has left it with a position after every second measurement.
    defaults = {"period": 500, "navigation": 2, "model": 0, "accuracy": 0, "nmea": 1}
    messages_known = SimulatedUblox.messages_known | {0x61: "eoe"}
    keys = {0x30210001: ("period", "<H"), 0x30210002: ("navigation", "<H"), 0x20110021: ("model", "<B"), 0x209100D4: ("accuracy", "<B"),
            0x40520001: ("speed", "<I"), 0x10740002: ("nmea", "<B"), 0x20910007: ("pvt", "<B"), 0x20910039: ("dop", "<B"),
            0x20910016: ("sat", "<B"), 0x20910160: ("eoe", "<B")}

    # It has six bytes.
    unique = bytes([6, 5, 4, 3, 2, 1])
    # A cold start.
    reset_reason = 1

    def assistance(self, frame):
        assert tuple(frame[2:4]) != (6, 0x23), "a message that u-blox 9 and later do not have"
        if tuple(frame[2:4]) == (6, 0x8A) and frame[10:14] == bytes([0x25, 0, 0x11, 0x10]):
            assert frame[6:10] == b"\0\1\0\0", "another layer than RAM is written"
            self.acknowledges = frame[14] * ("acknowledging" not in self.refused)
            return [("acknowledging", self.acknowledge(frame, self.acknowledges == 1))]
        if tuple(frame[2:4]) == (6, 0x8B) and frame[10:14] == bytes([0x25, 0, 0x11, 0x10]):
            value = ubx(6, 0x8B, b"\x01\x00\x00\x00" + frame[10:14] + bytes([self.acknowledges]))
            return [("acknowledging", value), ("acknowledging", self.acknowledge(frame, True))]
        return super().assistance(frame)

    def settled(self, frame):
        kind, payload = tuple(frame[2:4]), frame[6:-2]
        if kind == (10, 4):
            yield "version", self.version_frame()
            return
        if kind == (10, 0x39):
            yield "reset", ubx(10, 0x39, bytes([1, self.reset_reason]) + bytes(22))
            return
        name, form = self.keys.get(struct.unpack_from("<I", payload, 4)[0], (None, None))
        if name is None or kind not in ((6, 0x8A), (6, 0x8B)):
            yield "unknown", self.acknowledge(frame, False)
        elif kind == (6, 0x8B):
            value = self.speed if name == "speed" else self.settings.get(name, 0)
            yield name + "?", ubx(6, 0x8B, b"\x01\x00\x00\x00" + payload[4:8] + struct.pack(form, value))
            yield name + "?", self.acknowledge(frame, True)
        else:
            assert payload[:4] == b"\x00\x01\x00\x00", "another layer than RAM is written"
            value = struct.unpack_from(form, payload, 8)[0]
            if name == "speed" and name not in self.refused:
                yield name, self.acknowledge(frame, True)
                self.speed = value
            else:
                yield name, self.acknowledge(frame, self.accept(name, value))


class SimulatedUbloxF9(SimulatedUbloxKeys):
    """u-blox F9."""

    version = ("EXT CORE 1.00 (9db928)", "00190000", ["ROM BASE 0x118B2060", "FWVER=HPG 1.32", "PROTVER=27.31", "MOD=ZED-F9P"])
    unique = bytes([9, 9, 1, 2, 3])


class SimulatedSentences(SimulatedReceiver):
    """A receiver that is set by sentences."""

    def messages(self):
        *lines, self.partial = self.partial.split(b"\n")
        for line in lines:
            start = line.rfind(b"$")
            body = line[start + 1 :].split(b"*")[0].decode(errors="replace")
            if nmea_sender.sentence(body).strip() == line[start:].strip():
                yield body

    def answers(self, body):
        for name, *answers in self.replies(body.split(",")):
            for answer in answers:
                yield name, nmea_sender.sentence(answer)


class SimulatedMediaTek(SimulatedSentences):
    """MediaTek MT3333, by PMTK."""

    output = [0, 1, 1, 1, 1, 5] + [0] * 13

    def replies(self, fields):
        name, values = fields[0], fields[1:]
        if name == "PMTK605":
            yield "version", "PMTK705,AXN_5.1.7_3333_19020118,0027,PA1616S,1.0"
        elif name == "PMTK400":
            yield "period?", f"PMTK500,{self.settings['period']},0,0,0,0"
        elif name == "PMTK414":
            output = self.output[:7] + [self.settings["accuracy"]] + self.output[8:]
            yield "accuracy?", "PMTK514," + ",".join(map(str, output))
        elif name == "PMTK251":
            self.accept("speed", int(values[0]))
        elif name in ("PMTK220", "PMTK886", "PMTK314"):
            setting = {"PMTK220": "period", "PMTK886": "model", "PMTK314": "accuracy"}[name]
            if setting == "accuracy":
                assert values[:7] == [str(value) for value in self.output[:7]], "other sentences are changed"
            accepted = self.accept(setting, int(values[7 if setting == "accuracy" else 0]))
            yield setting, f"PMTK001,{name[4:]},{3 if accepted else 2}"


class SimulatedAiroha(SimulatedSentences):
    """Quectel's receivers of Airoha, by PAIR."""

    def replies(self, fields):
        name, values = fields[0], fields[1:]
        number = name[4:]
        if name == "PAIR020":
            yield "version", "PAIR001,020,0", "PAIR020,AG3352Q_V2.5.0.AG3352_20220829,S,N,9ec1cc8,2210141405"
        elif name == "PAIR865":
            yield "speed?", "PAIR001,865,0", f"PAIR865,0,0,{self.speed}"
        elif name == "PAIR051":
            yield "period?", "PAIR001,051,0", f"PAIR051,{self.settings['period']}"
        elif name == "PAIR081":
            yield "model?", "PAIR001,081,0", f"PAIR081,{self.settings['model']}"
        elif name == "PAIR063":
            yield "accuracy?", "PAIR001,063,0", f"PAIR063,8,{self.settings['accuracy']}"
        elif name == "PAIR864":
            if "speed" in self.refused:
                yield "speed", f"PAIR001,{number},4"
            else:
                yield "speed", f"PAIR001,{number},0"
                self.speed = int(values[2])
        elif name in ("PAIR050", "PAIR080", "PAIR062"):
            setting = {"PAIR050": "period", "PAIR080": "model", "PAIR062": "accuracy"}[name]
            accepted = self.accept(setting, int(values[-1]))
            yield setting, f"PAIR001,{number},{0 if accepted else 3}"


class SimulatedAT6558(SimulatedSentences):
    """An ATGM336H with CASIC's AT6558, by PCAS: it acknowledges nothing, states what it is when it starts and when it is asked,
    and its antenna, a passive one, in each epoch."""

    defaults = {"period": 1000, "model": 0, "accuracy": 0}
    speeds = [4800, 9600, 19200, 38400, 57600, 115200]
    fastest = 100
    software = "GPTXT,01,01,02,SW=URANUS5,V5.3.0.0"
    hardware = "GPTXT,01,01,02,HW=ATGM336H,0001170603610"
    banner = ["GPTXT,01,01,02,MA=CASIC", "GPTXT,01,01,02,IC=AT6558-5N-31-0C510800,BM05CKJ-F2-015708", "GPTXT,01,01,02,MO=GB"]
    antenna = "OPEN"

    def __init__(self, link, impersonates=False, interrupts=b"", **options):
        # Whether it also answers for other families, and the beginning of a sentence within which an answer comes.
        self.impersonates, self.interrupts = impersonates, interrupts
        super().__init__(link, **options)

    def switch_on(self):
        self.greeting = b"".join(map(nmea_sender.sentence, self.banner))

    def epoch(self):
        greeting, self.greeting = self.greeting, b""
        return greeting + super().epoch() + nmea_sender.sentence("GPTXT,01,01,01,ANTENNA " + self.antenna)

    # Of CFG-NAVX, in CASIC's own protocol.
    query = b"\xba\xce\0\0\6\7\0\0\6\7"
    has_frames = True

    def messages(self):
        if self.query in self.partial:
            self.partial = self.partial.replace(self.query, b"")
            yield "CFG-NAVX"
        yield from super().messages()

    def answers(self, body):
        if body == "CFG-NAVX":
            if self.has_frames:
                model = self.settings["model"]
                yield "model?", b"\xba\xce\x2c\0\6\7" + bytes([0, 0, 0, 0, model, *[0] * 39]) + bytes([0x2C + model, 0, 6, 7])
            return
        for name, answer in super().answers(body):
            yield name, self.interrupts + answer

    def replies(self, fields):
        name, values = fields[0], fields[1:]
        assert name not in ("PCAS00", "PCAS04", "PCAS10"), f"{name} writes to flash, or changes what nobody asked for"
        if name == "PCAS06":
            yield "version", {"0": self.software, "1": self.hardware}.get(values[0])
        elif name == "PCAS01":
            self.accept("speed", self.speeds[int(values[0])])
        elif name == "PCAS02":
            # Five in a second are all that its output at 9600 bit/s takes.
            if int(values[0]) >= (200 if self.speed <= 9600 else self.fastest):
                self.accept("period", int(values[0]))
        elif name == "PCAS03":
            assert len(values) == 14 and not any(values[:13]), "other sentences are changed"
            self.accept("accuracy", int(values[13]))
        elif name == "PCAS11":
            self.accept("model", int(values[0]))
        elif self.impersonates and name == "PMTK605":
            yield "version", "PMTK001,605,1"
        elif self.impersonates and name.startswith("PQTM"):
            yield "version", "PQTMVERNO,ERROR,1"


class SimulatedL76K(SimulatedAT6558):
    """Quectel L76K: no name, at most five epochs a second, and a while for each command."""

    fastest = 200
    has_frames = False
    banner = ["GPTXT,01,01,02,SW=URANUS5,V5.3.0.0"]

    def __init__(self, link, **options):
        super().__init__(link, **{"late": 0.4, **options})

    def replies(self, fields):
        return [] if fields == ["PCAS06", "1"] else super().replies(fields)


class SimulatedSendOnly(SimulatedAT6558):
    """An ATGM332D of which only the output is wired, in a house: its first texts, as its users publish them, and no time."""

    banner = [f"GPTXT,01,01,02,{text}" for text in (
        "MA=CASIC", "HW=ATGM332D,0001190723621", "IC=AT6558-5N-31-0C510800,BMDHCKJ-F1-000285", "SW=URANUS5,V5.3.0.0",
        "TB=2020-04-28,13:43:10", "MO=GB", "BS=SOC_BootLoader,V6.2.0.2", "FI=00856014")]
    antenna = "OK"

    def has_fix(self):
        return False

    def answer(self):
        self.pending.clear()


class SimulatedUnicore(SimulatedSentences):
    """Unicore UM980: text commands, of which each is acknowledged, and logs that begin with #."""

    def messages(self):
        *lines, self.partial = self.partial.split(b"\n")
        for line in lines:
            yield line.decode(errors="replace").strip()

    def answers(self, line):
        if line.endswith("VERSIONA"):
            log = b'#VERSIONA,97,GPS,FINE,2343,48235000,0,0,18,813;"UM980","R4.10Build11833","HRPT00-S10C-P"*270a13f7\r\n'
            # The checksum is that of the `$`, too.
            yield "version", b"$command,VERSIONA,response: OK*45\r\n" + log


class SimulatedFirebird(SimulatedSentences):
    """Unicore UM621, as it states itself in public logs."""

    def replies(self, fields):
        if fields == ["PDTINFO"]:
            yield "version", "PDTINFO,UM621-02,G1B1L1E1,V1.2,R6.0.0.0Build2810,2310414000033,PC12B4231700429"


class SimulatedOther(SimulatedSentences):
    """A receiver that answers nothing."""

    def replies(self, fields):
        return []
