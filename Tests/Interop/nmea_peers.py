"""The values that pynmea2 and pynmeagps read from a sentence, under the names and in the units of
`handlebarctl decode --sentences`. A value that a parser does not support is left out, a missing one is None.

pynmea2 leaves most fields as text: those are numbers here when they look like one, so that only what it decodes itself
(places, times, dates) is put to the test beyond its splitting of fields.
"""

import datetime
import re

import pynmea2
import pynmeagps

NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)")
KNOT = 1852 / 3600


class Refused(Exception):
    """The parser rejects the sentence."""


def number(text):
    """A field as a number; None when it is empty or something else."""
    if isinstance(text, (int, float)):
        return float(text)
    text = "" if text is None else str(text)
    return float(text) if NUMBER.fullmatch(text) else None


def dilution(text):
    """A dilution of precision; None for 0 and from 99 on."""
    value = number(text)
    return value if value is not None and 0 < value < 99 else None


def letter(text):
    return text if text and len(text) == 1 else None


def clock(value):
    """A time as in our JSON, cut to the millisecond."""
    return value.strftime("%H:%M:%S.") + f"{value.microsecond // 1000:03}" if isinstance(value, datetime.time) else None


def calendar(value):
    return value.isoformat() if isinstance(value, datetime.date) else None


def course(text):
    value = number(text)
    return 0.0 if value == 360 else value


def times(text, factor):
    value = number(text)
    return None if value is None else value * factor


def turned(value, direction, negative):
    """A number with the sign of its direction letter."""
    value = number(value)
    return None if value is None else -value if direction == negative else value


def place(latitude, longitude, is_known):
    return {"lat": latitude if is_known else None, "lon": longitude if is_known else None}


def pynmea2_place(message):
    return place(message.latitude, message.longitude, bool(message.lat and message.lon))


# pynmea2: the values of a message, by type.
PYNMEA2 = {
    "RMC": lambda m: {
        "time": clock(m.timestamp), "status": letter(m.status), **pynmea2_place(m),
        "speed": times(m.spd_over_grnd, KNOT), "track": course(m.true_course), "date": calendar(m.datestamp),
        "magvar": turned(m.mag_variation, m.mag_var_dir, "W"),
    },
    "GGA": lambda m: {
        "time": clock(m.timestamp), **pynmea2_place(m), "quality": number(m.gps_qual), "nSat": number(m.num_sats),
        "hdop": dilution(m.horizontal_dil), "altMSL": number(m.altitude), "geoidSep": number(m.geo_sep),
        "dgpsAge": number(m.age_gps_data), "dgpsSta": number(m.ref_station_id),
    },
    "GLL": lambda m: {**pynmea2_place(m), "time": clock(m.timestamp), "status": letter(m.status)},
    "GNS": lambda m: {
        "time": clock(m.timestamp), **pynmea2_place(m), "modes": m.mode_indicator or None, "nSat": number(m.num_sats),
        "hdop": dilution(m.hdop), "altMSL": number(m.altitude), "geoidSep": number(m.geo_sep),
        "dgpsAge": number(m.age_gps_data),
    },
    "VTG": lambda m: {
        "track": course(m.true_track), "magtrack": course(m.mag_track),
        "speed": times(m.spd_over_grnd_kmph, 1 / 3.6)
        if number(m.spd_over_grnd_kts) is None
        else times(m.spd_over_grnd_kts, KNOT),
        "mode": letter(m.faa_mode),
    },
    "ZDA": lambda m: {"time": clock(m.timestamp)},
    "GST": lambda m: {
        "time": clock(m.timestamp), "rms": number(m.rms), "major": number(m.std_dev_major),
        "minor": number(m.std_dev_minor), "orient": course(m.orientation), "lat": number(m.std_dev_latitude),
        "lon": number(m.std_dev_longitude), "alt": number(m.std_dev_altitude),
    },
    "GSA": lambda m: {
        "selection": letter(m.mode), "mode": number(m.mode_fix_type),
        "satellites": [int(one) for one in (getattr(m, f"sv_id{slot:02}") for slot in range(1, 13)) if one.isdigit() and int(one)],
        "pdop": dilution(m.pdop), "hdop": dilution(m.hdop), "vdop": dilution(m.vdop),
    },
    "GSV": lambda m: {
        "parts": number(m.num_messages), "part": number(m.msg_num), "nSat": number(m.num_sv_in_view),
        "satellites": pynmea2_satellites(m),
    },
    "GBS": lambda m: {
        "time": clock(m.timestamp), "epy": number(m.lat_err), "epx": number(m.lon_err), "epv": number(m.alt_err),
        "failed": number(m.sat_prn_num_f), "probability": number(m.pro_miss), "bias": number(m.est_bias),
        "deviation": number(m.est_bias_dev),
    },
    "DTM": lambda m: {"datum": m.datum or None, "subdivision": m.subd_datum or None, "altOffset": number(m.altitude)},
    "TXT": lambda m: {"parts": number(m.num_msg), "part": number(m.msg_num), "id": number(m.msg_type)},
    "HDT": lambda m: {"heading": course(m.heading)},
    "PUBX,00": lambda m: {
        "time": clock(m.timestamp), **pynmea2_place(m), "altHAE": number(m.alt_ref), "status": m.nav_stat or None,
        "eph": number(m.h_acc), "epv": number(m.v_acc), "speed": times(m.sog, 1 / 3.6), "track": course(m.cog),
        "velD": number(m.v_vel), "hdop": dilution(m.hdop), "vdop": dilution(m.vdop), "tdop": dilution(m.tdop),
        "nSat": number(m.num_svs),
    },
    "PUBX,04": lambda m: {"time": clock(m.time), "date": calendar(m.date), "tow": number(m.utc_tow)},
    "PGRME": lambda m: {"eph": number(m.hpe), "epv": number(m.vpe), "sep": number(m.osepe)},
    "PGRMZ": lambda m: {"altMSL": times(m.altitude, 0.3048), "source": number(m.pos_fix_dim)},
    "PTNL,GGK": lambda m: {
        "time": clock(m.timestamp), **pynmea2_place(m), "quality": number(m.quality), "nSat": number(m.num_sats),
        "dop": dilution(m.dop),
    },
}


def pynmea2_satellites(message):
    satellites = []
    for slot in range(1, 5):
        values = [getattr(message, f"{name}_{slot}") for name in ("sv_prn_num", "elevation_deg", "azimuth", "snr")]
        if number(values[0]):
            satellites.append(satellite("PRN el az ss", values))
    return satellites


def satellite(names, values):
    """One satellite's object, without what is missing; an azimuth of 360 is 0."""
    read = {name: course(value) if name == "az" else number(value) for name, value in zip(names.split(), values)}
    return {name: value for name, value in read.items() if value is not None}


def gps_place(message):
    return place(message.lat, message.lon, message.lat != "" and message.lon != "")


def gps(message, name):
    """A value of pynmeagps; None for a field that the sentence does not have or leaves empty."""
    value = getattr(message, name, "")
    return None if value == "" else value


# pynmeagps: the values of a message, by type.
PYNMEAGPS = {
    "RMC": lambda m: {
        "time": clock(m.time), "status": letter(m.status), **gps_place(m), "speed": times(m.spd, KNOT),
        "track": course(m.cog), "date": calendar(m.date), "magvar": turned(m.mv, m.mvEW, "W"),
        "mode": letter(gps(m, "posMode")), "navStatus": letter(gps(m, "navStatus")),
    },
    "GGA": lambda m: {
        "time": clock(m.time), **gps_place(m), "quality": number(m.quality), "nSat": number(m.numSV),
        "hdop": dilution(m.HDOP), "altMSL": number(m.alt), "geoidSep": number(m.sep), "dgpsAge": number(gps(m, "diffAge")),
        "dgpsSta": number(gps(m, "diffStation")),
    },
    "GLL": lambda m: {
        **gps_place(m), "time": clock(m.time), "status": letter(m.status), "mode": letter(gps(m, "posMode")),
    },
    "GNS": lambda m: {
        "time": clock(m.time), **gps_place(m), "modes": m.posMode or None, "nSat": number(m.numSV),
        "hdop": dilution(m.HDOP), "altMSL": number(m.alt), "geoidSep": number(m.sep), "dgpsAge": number(gps(m, "diffAge")),
        "dgpsSta": number(gps(m, "diffStation")), "navStatus": letter(gps(m, "navStatus")),
    },
    "VTG": lambda m: {
        "track": course(m.cogt), "magtrack": course(m.cogm),
        "speed": times(m.sogk, 1 / 3.6) if number(m.sogn) is None else times(m.sogn, KNOT),
        "mode": letter(gps(m, "posMode")),
    },
    "ZDA": lambda m: {"time": clock(m.time)},
    "GST": lambda m: {
        "time": clock(m.time), "rms": number(m.rangeRms), "major": number(m.stdMajor), "minor": number(m.stdMinor),
        "orient": course(m.orient), "lat": number(m.stdLat), "lon": number(m.stdLong), "alt": number(m.stdAlt),
    },
    "GSA": lambda m: {
        "selection": letter(m.opMode), "mode": number(m.navMode),
        "satellites": [int(one) for one in (gps(m, f"svid_{slot:02}") for slot in range(1, 25)) if one],
        "pdop": dilution(m.PDOP), "hdop": dilution(m.HDOP), "vdop": dilution(m.VDOP),
        "system": hexadecimal(gps(m, "systemId")),
    },
    "GSV": lambda m: {
        "parts": number(m.numMsg), "part": number(m.msgNum), "nSat": number(m.numSV),
        "satellites": [
            satellite("PRN el az ss", [gps(m, f"{name}_{slot:02}") for name in ("svid", "elv", "az", "cno")])
            for slot in range(1, 5)
            if gps(m, f"svid_{slot:02}")
        ],
        "signal": hexadecimal(gps(m, "signalID")),
    },
    "GBS": lambda m: {
        "time": clock(m.time), "epy": number(m.errLat), "epx": number(m.errLon), "epv": number(m.errAlt),
        "failed": number(m.svid), "probability": number(m.prob), "bias": number(m.bias), "deviation": number(m.stddev),
        "system": hexadecimal(gps(m, "systemId")), "signal": hexadecimal(gps(m, "signalId")),
    },
    "GRS": lambda m: {"time": clock(m.time), "mode": number(m.mode), "system": hexadecimal(gps(m, "systemId"))},
    "DTM": lambda m: {
        "datum": m.datum or None, "subdivision": m.subDatum or None, "latOffset": minutes(m.latOfset, m.NS, "S"),
        "lonOffset": minutes(m.lonOfset, m.EW, "W"), "altOffset": number(m.alt), "reference": m.refDatum or None,
    },
    "TXT": lambda m: {"parts": number(m.numMsg), "part": number(m.msgNum), "id": number(m.msgType)},
    "HDT": lambda m: {"heading": course(m.headingT)},
    "THS": lambda m: {"heading": course(m.headt), "mode": letter(m.mi)},
    "PUBX,00": lambda m: {
        "time": clock(m.time), **gps_place(m), "altHAE": number(m.altRef), "status": m.navStat or None,
        "eph": number(m.hAcc), "epv": number(m.vAcc), "speed": times(m.SOG, 1 / 3.6), "track": course(m.COG),
        "velD": number(m.vVel), "dgpsAge": number(m.diffAge), "hdop": dilution(m.HDOP), "vdop": dilution(m.VDOP),
        "tdop": dilution(m.TDOP), "nSat": number(m.numSVs),
    },
    "PUBX,03": lambda m: {
        "nSat": number(m.numSv),
        "satellites": [
            {**satellite("PRN az el ss lock", [gps(m, f"{name}_{slot:02}") for name in ("svid", "azi", "ele", "cno", "lck")]),
             **({"use": use} if (use := letter(gps(m, f"status_{slot:02}"))) else {})}
            for slot in range(1, 41)
            if gps(m, f"svid_{slot:02}")
        ],
    },
    "PUBX,04": lambda m: {
        "time": clock(m.time), "date": calendar(m.date), "tow": number(m.utcTow), "week": number(m.utcWk),
        "clockBias": number(m.clkBias), "clockDrift": number(m.clkDrift), "granularity": number(m.tpGran),
    },
    "PGRME": lambda m: {"eph": number(m.HPE), "epv": number(m.VPE), "sep": number(m.EPE)},
    "PGRMZ": lambda m: {"altMSL": times(m.alt, 0.3048), "source": number(gps(m, "fix"))},
    "PTNL,GGK": lambda m: {
        "time": clock(m.utctime), **gps_place(m), "quality": number(m.gpsQual), "nSat": number(m.sip),
        "dop": dilution(m.DOP),
    },
}


def hexadecimal(text):
    return int(text, 16) if text and re.fullmatch(r"[0-9A-Fa-f]{1,2}", str(text)) else None


def minutes(value, direction, negative):
    value = turned(value, direction, negative)
    return None if value is None else value / 60


def read_by_pynmea2(sentence, kind):
    """The values of pynmea2; None for an unknown type."""
    if kind not in PYNMEA2:
        return None
    try:
        return PYNMEA2[kind](pynmea2.parse(sentence, check=True))
    except (pynmea2.ParseError, ValueError, TypeError, AttributeError, IndexError) as problem:
        raise Refused(f"{type(problem).__name__}: {problem}") from problem


def read_by_pynmeagps(sentence, kind):
    """The values of pynmeagps; None for an unknown type."""
    if kind not in PYNMEAGPS:
        return None
    # It makes as many satellites as are stated, for seven seconds in a damaged sentence.
    if kind == "PUBX,03" and len(sentence.split(",")[2]) > 3:
        raise Refused("more satellites than a sentence can have")
    try:
        return PYNMEAGPS[kind](pynmeagps.NMEAReader.parse(sentence))
    except Exception as problem:  # pylint: disable=broad-except  # Anything at all comes out of it for a malformed field.
        raise Refused(f"{type(problem).__name__}: {problem}") from problem


READERS = {"pynmea2": read_by_pynmea2, "pynmeagps": read_by_pynmeagps}
