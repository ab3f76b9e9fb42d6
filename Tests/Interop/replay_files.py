"""The same short ride in every form that can be replayed."""

import datetime
import json

import garmin_fit_sdk

import nmea_sender


def times(count, start=12 * 3600):
    for number in range(count):
        second = start + number
        yield number, f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def place(number):
    """The position of a ride to the north at about 15 m/s."""
    return 48 + number * 0.000135, 11.5


def plain(count):
    return b"".join(burst for _, burst in nmea_sender.ride(count, period=1.0))


def recording(count, boot="a", start=5000):
    text = f"# handlebar-recording 1\n# device=/dev/gps0\n# boot={boot}\n".encode()
    for number, (_, burst) in enumerate(nmea_sender.ride(count, period=1.0)):
        text += f"# t={start + 1000 * number} src=0\n".encode() + burst
    return text


def gpsd(count, start=12 * 3600):
    """The output of `gpspipe -w`: two reports an epoch, the second one with the speed."""
    lines = [
        {"class": "VERSION", "release": "3.22", "rev": "3.22", "proto_major": 3, "proto_minor": 14},
        {"class": "DEVICES", "devices": [{"class": "DEVICE", "path": "/dev/ttyACM0", "activated": "2026-03-19"}]},
        {"class": "WATCH", "enable": True, "json": True},
    ]
    for number, time in times(count, start):
        lat, lon = place(number)
        tpv = {"class": "TPV", "device": "/dev/ttyACM0", "mode": 3, "time": f"2026-03-19T{time}.000Z", "lat": lat, "lon": lon}
        lines += [tpv, {"class": "SKY", "device": "/dev/ttyACM0", "hdop": 0.9, "satellites": [{"PRN": 8, "used": True}]}]
        lines += [tpv | {"altMSL": 500.5, "speed": 15.0, "track": 0.0}]
    return "".join(json.dumps(line) + "\r\n" for line in lines).encode()


def gpsfake(count):
    """A log with a head of comments, another daemon's reports and an odd line between the sentences."""
    head = b"# Name: a receiver\n# Chipset = none\n#\n# Date: 2026-03-19\n"
    return head + b'{"class":"VERSION","release":"3.22"}\n' + plain(count) + b"\r\n# the end\n!AIVDM,1,1,,A,0,0*00\n"


def gpx(count, start=12 * 3600):
    points = ""
    for number, time in times(count, start):
        lat, lon = place(number)
        points += f'<trkpt lat="{lat!r}" lon="{lon!r}"><ele>500.5</ele><time>2026-03-19T{time}Z</time></trkpt>\n'
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1">'
        f'<wpt lat="1" lon="2"><name>not on the way</name></wpt><trk><trkseg>{points}</trkseg></trk></gpx>\n'
    ).encode()


def tcx(count, start=12 * 3600):
    points = ""
    for number, time in times(count, start):
        lat, lon = place(number)
        points += (
            f"<Trackpoint><Time>2026-03-19T{time}Z</Time><Position><LatitudeDegrees>{lat!r}</LatitudeDegrees>"
            f"<LongitudeDegrees>{lon!r}</LongitudeDegrees></Position><AltitudeMeters>500.5</AltitudeMeters></Trackpoint>\n"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<TrainingCenterDatabase '
        'xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities><Activity Sport="Biking">'
        f'<Id>1</Id><Lap StartTime="2026-03-19T12:00:00Z"><Track>{points}</Track></Lap></Activity></Activities>'
        "</TrainingCenterDatabase>\n"
    ).encode()


def semicircles(degrees):
    return round(degrees / 180 * 2**31)


def fit(count, start=12 * 3600, kind="activity", notes=()):
    """An activity or a course, written by Garmin's SDK; `notes` are course points: number of the record, type, name."""
    numbers = garmin_fit_sdk.Profile["mesg_num"]
    encoder = garmin_fit_sdk.Encoder()
    midnight = datetime.datetime(2026, 3, 19, tzinfo=datetime.timezone.utc)
    encoder.write_mesg({
        "mesg_num": numbers["FILE_ID"], "type": kind, "manufacturer": "development", "product": 1,
        "time_created": midnight + datetime.timedelta(seconds=start),
    })
    for number in range(count):
        lat, lon = place(number)
        there = {
            "timestamp": midnight + datetime.timedelta(seconds=start + number), "position_lat": semicircles(lat),
            "position_long": semicircles(lon),
        }
        for index, sort, name in notes:
            if index == number:
                encoder.write_mesg({"mesg_num": numbers["COURSE_POINT"], "type": sort, "name": name} | there)
        encoder.write_mesg(
            {"mesg_num": numbers["RECORD"], "enhanced_altitude": 500.6, "heart_rate": 140, "temperature": -5} | there)
    return bytes(encoder.close())


def route(metres=300):
    """Two points without times, so far apart to the north."""
    return f'<gpx><rte><rtept lat="48" lon="11.5"/><rtept lat="{48 + metres / 111_200}" lon="11.5"/></rte></gpx>'.encode()


FORMS = {"recording": recording, "plain": plain, "gpsd": gpsd, "gpsfake": gpsfake, "gpx": gpx, "tcx": tcx, "fit": fit}
