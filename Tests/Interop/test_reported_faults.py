"""Faults that users of other programs reported, in their smallest form: what a receiver or a file says is kept."""

import contextlib
import json
import pathlib
import struct
import time

import fitdecode
import pytest

from handlebar_harness import ROOT, Client, Daemon, Receiver, control, tracking, until
from nmea_sender import sentence
from simulated_receivers import ubx
from test_doctor import examine


def rmc(second, east=0.0, north=0.0, speed=10.0, course="90.0", mode="A", minute=30, fraction=""):
    """RMC at 48.2° N 11.6° E; east and north in minutes of arc."""
    return sentence(
        f"GNRMC,09{minute}{second:02}{fraction},A,48{12 + north:08.5f},N,011{36 + east:08.5f},E,{speed:.2f},{course},140626,,,{mode}"
    )


def gga(second, east=0.0, north=0.0, quality="1", used=12, hdop="0.8", minute=30):
    altitude = "520.0"
    return sentence(
        f"GNGGA,09{minute}{second:02},48{12 + north:08.5f},N,011{36 + east:08.5f},E,{quality},{used:02},{hdop},{altitude},M,47.0,M,,"
    )


def decoded(folder, data):
    """The fixes of a log, by `decode`."""
    path = folder / "case.nmea"
    path.write_bytes(data)
    code, out, err = control("/nonexistent", "decode", "--filter", "0", path)
    assert code == 0, err
    return [one for one in map(json.loads, out.splitlines()) if "lat" in one]


def skies(folder, data):
    """The satellites that a log's replay publishes."""
    path = folder / "case.nmea"
    path.write_bytes(data)
    with Daemon(folder, f"recording:{path}?speed=max&start=watch") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0, satellites=True)
        client.wait("PLAYBACK", lambda line: line["ended"])
        return [line for line in client.lines if line["class"] == "SKY"]


def live(folder, bursts, last=None):
    """The fixes that a subscriber gets of a receiver at a line; of those that come together, the newest."""
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        receiver.play(bursts, meanwhile=client.receive)
        client.wait("TPV", lambda one: one.get("time", "")[17:21] == last if last else one.get("seq") == len(bursts))
        return [line for line in client.lines if line["class"] == "TPV" and line["mode"] > 1]


def test_satellites_in_use_that_are_not_listed_are_counted(folder):
    data = (
        rmc(0) + gga(0) + sentence("GNGSA,A,3,05,12,20,,,,,,,,,,1.7,0.9,1.5,1") + sentence("GNGSA,A,3,06,16,24,,,,,,,,,,1.7,0.9,1.5,3")
        + sentence("GPGSV,1,1,01,05,49,232,47,1") + rmc(1)
    )
    sky = skies(folder, data)[0]
    assert sky["uSat"] == 6 and len(sky["satellites"]) == sky["nSat"]


def test_one_gsv_sequence_of_an_allystar_has_several_constellations(folder):
    data = b"".join(
        rmc(second) + gga(second) + sentence("GPGSV,3,1,09,06,45,190,41,30,33,060,40,19,28,120,39,03,61,300,44,1")
        + sentence("GPGSV,3,2,09,07,50,010,42,195,70,100,40,1") + sentence("GPGSV,3,3,09,06,45,190,38,30,33,060,37,195,70,100,39,8")
        for second in range(3)
    )
    found = skies(folder, data)
    assert found
    for sky in found:
        numbers = [(one.get("gnssid"), one["PRN"]) for one in sky["satellites"]]
        assert len(numbers) == len(set(numbers)) == 6


def test_the_heading_of_ths_is_that_of_its_own_second(folder):
    bursts = [
        (number / 5, rmc(number, speed=0.01, course="") + gga(number) + sentence(f"GNTHS,{100 + number}.00,A")) for number in range(12)
    ]
    fixes = live(folder, bursts)
    assert [(fix["time"][17:19], fix["heading"]) for fix in fixes] == [(f"{number:02}", 100 + number) for number in range(12)]


def test_a_quality_of_two_digits_is_read(folder):
    (fix,) = decoded(folder, b"$GPGGA,174815.40,4241.46474,N,00949.77225,W,05,08,1.24,11.8,M,50.5,M,,*40\r\n")
    assert fix["altMSL"] == 11.8 and fix["status"] == 4


@pytest.mark.parametrize("first", ["rmc", "gga"])
@pytest.mark.parametrize("way", ["log", "live"])
def test_sentences_with_and_without_a_fraction_are_one_epoch(folder, first, way):
    """GGA has whole seconds, RMC the fraction: at 30 m/s the positions differ by less than the second between them."""
    bursts = []
    for number in range(10):
        pair = [rmc(number, east=0.025 * number, speed=58.0, fraction=".80"), gga(number, east=0.025 * number)]
        bursts.append(b"".join(pair if first == "rmc" else reversed(pair)))
    if way == "log":
        fixes = decoded(folder, b"".join(bursts))
    else:
        fixes = live(folder, list(enumerate(bursts)), last="09.8")
    assert [fix["time"][17:21] for fix in fixes] == [f"{number:02}.8" for number in range(10)]
    assert all("altMSL" in fix and "speed" in fix for fix in fixes)


def test_a_fix_of_three_satellites_has_no_altitude(folder):
    data = (
        b"$GPRMC,155838.00,A,5700.54078,N,03922.22691,E,1.194,,280217,,,A*79\r\n"
        b"$GPGGA,155838.00,5700.54078,N,03922.22691,E,1,03,5.62,187.5,M,12.5,M,,*59\r\n"
    )
    (fix,) = decoded(folder, data)
    assert fix["mode"] == 2 and "altMSL" not in fix


def test_a_log_without_a_date_is_exported_where_none_is_needed(folder):
    path = folder / "garmin.nmea"
    path.write_bytes(
        b"$GPGGA,004646,3450.7509,N,11918.7148,W,1,06,1.3,52.6,M,-35.2,M,,*4F\r\n"
        b"$GPGGA,004647,3450.7510,N,11918.7148,W,1,06,1.3,52.6,M,-35.2,M,,*46\r\n"
    )
    code, _, err = control("/nonexistent", "export", "--fit", "-o", folder / "ride.fit", path)
    assert code == 65 and "no fix of garmin has a date" in err, err
    code, out, err = control("/nonexistent", "export", "--gpx", path)
    assert code == 0 and out.count("<trkpt") == 2, err
    code, _, err = control("/nonexistent", "export", "--gpx", "--trim", "1000", path)
    assert code == 65 and "all fixes of garmin are in a zone or trimmed away" in err, err
    path.write_bytes(sentence("GPGGA,004646,,,,,0,00,99.9,,,,,,"))
    code, _, err = control("/nonexistent", "export", "--fit", "-o", folder / "ride.fit", path)
    assert code == 65 and "garmin has no fix" in err, err


def test_epochs_without_gga_are_fixes_without_an_altitude(folder):
    fixes = decoded(folder, b"".join(rmc(number, east=0.0042 * number) + (gga(number, east=0.0042 * number) if number % 4 == 0 else b"") for number in range(40)))
    assert len(fixes) == 40
    assert sum("altMSL" in fix for fix in fixes) >= 9
    assert all(fix["mode"] == 2 or "altMSL" in fix for fix in fixes)


def test_one_wrong_speed_is_not_the_highest_of_a_ride(folder):
    speeds = [3.0] * 40
    speeds[20] = 920.0
    ride, _ = shown(folder, b"".join(rmc(number, east=0.00125 * number, speed=speed) for number, speed in enumerate(speeds)), "ride.nmea")
    assert ride["maxSpeed"] == pytest.approx(1.54, abs=0.1) and ride["distance"] == pytest.approx(60, abs=8)


@contextlib.contextmanager
def receiver_of_another_time(folder, ago, **environment):
    """A daemon of a receiver whose time is some seconds ago, and what the doctor finds about the clock."""
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)

        def burst():
            past = time.gmtime(time.time() - ago)
            return sentence(time.strftime("GNRMC,%H%M%S.00,A,3748.00000,S,14506.00000,E,10.00,90.0,%d%m%y,,,A", past))

        until(lambda: receiver.write(burst()) or client.receive() or any(line["class"] == "STATE" and tracking(line) for line in client.lines), "a fix", pause=1)

        def found():
            """What the doctor finds, who compares the clock of a receiver with a fix alone."""
            receiver.write(burst())
            wrong, _ = examine(daemon.socket, **environment)
            return wrong.get("clock")

        yield daemon, until(found, "a finding about the clock")


def test_a_date_1024_weeks_back_is_named_with_its_remedy(folder):
    """The date is 1024 weeks back, the clock is right."""
    with receiver_of_another_time(folder, 1024 * 7 * 86400) as (daemon, clock):
        assert "1024 weeks in the past" in clock["message"] and "rollover=snap" in clock["remedy"]
        until(lambda: "rollover=snap" in daemon.log, "the log to name it")
        daemon.stop()


@pytest.mark.parametrize("keeper", ["kernel", None])
def test_a_clock_that_the_kernel_calls_set_is_right(folder, interposed, keeper):
    """As chrony(8) keeps it, without the file of systemd-timesyncd(8)."""
    if not keeper and pathlib.Path("/run/systemd/timesync/synchronized").exists():
        pytest.skip("systemd-timesyncd keeps this machine's clock")
    kept = {"LD_PRELOAD": str(interposed), "CLOCK_ERROR": "250000" if keeper else "-1"}
    with receiver_of_another_time(folder, 5000, **kept) as (daemon, clock):
        if keeper:
            assert "behind the system clock, which is synchronized" in clock["message"] and "seen the sky" in clock["remedy"]
        else:
            assert "the system clock is" in clock["message"] and "synchronized" not in clock["message"]
        daemon.stop()


@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("way", ["log", "live"])
def test_a_receivers_clock_that_steps_back_loses_no_way(folder, step, way):
    """The receiver's clock steps back while the rider goes on."""
    seconds = [*range(10, 16), *range(16 - step, 24)]
    bursts = [rmc(second, east=0.0042 * number) for number, second in enumerate(seconds)]
    if way == "live":
        east = [fix["lon"] for fix in live(folder, list(enumerate(bursts)))]
        # All are published, some of them together.
        assert east == sorted(east) and len(east) >= len(bursts) - 3
        return
    east = [fix["lon"] for fix in decoded(folder, b"".join(bursts))]
    assert east == sorted(east)
    # A log does not say how much time has passed: a fix with the time of the one before is the same.
    assert len(east) == len(bursts) - (step == 1)


def test_an_incomplete_gst_leaves_the_dilutions(folder):
    data = rmc(0) + gga(0) + sentence("GNGSA,A,3,07,03,23,26,16,22,09,06,19,,,,1.11,0.68,0.87,1") + sentence("GNGST,093000.00,31,,,,1.3,1.4,2.4")
    (sky,) = skies(folder, data)
    assert (sky["pdop"], sky["hdop"], sky["vdop"], sky["uSat"]) == (1.11, 0.68, 0.87, 9)


def test_a_standing_rider_is_not_moved_by_fixes_of_a_high_hdop(folder):
    """Standing, with some fixes that are hundreds of metres off and say so."""
    places = [(0.0, "0.9")] * 12 + [(0.18, "25.5"), (-0.12, "27.1"), (0.24, "26.0")] + [(0.0, "0.9")] * 6
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=10)
        # So fast that a pause of this machine is hardly a loss, after which any position is published.
        receiver.play([
            (number / 5, rmc(number, north=north, speed=0.2, course="") + gga(number, north=north, used=4, hdop=hdop))
            for number, (north, hdop) in enumerate(places)
        ], meanwhile=client.receive)
        client.settle()
        came = [line for line in client.lines if line["class"] == "TPV" and line["mode"] > 1]
        assert came and all(line["lat"] == pytest.approx(48.2, abs=1e-6) for line in came), came
        assert "stopped" in [line.get("reason") for line in came]


def test_a_wrong_date_without_a_fix_is_not_published(folder):
    """The time of an epoch without a fix does not step back, and a fix that follows has its own."""
    def pvt(year, month, day, hour, second, fix):
        payload = bytearray(92)
        struct.pack_into("<IHBBBBBBIiBBBB", payload, 0, 327_500_000 + second * 1000, year, month, day, hour, 0, second, 7, 30, 0, fix, 1 if fix else 0, 0, 12 if fix else 0)
        struct.pack_into("<iiiiII", payload, 24, 116_000_000, 482_000_000, 567_000, 520_000, 2500, 4000)
        return ubx(0x01, 0x07, bytes(payload))

    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        bursts = [pvt(2021, 1, 13, 19, second, 3) for second in range(4)]
        bursts += [pvt(2012, 12, 8, 1, 4, 0), pvt(2021, 1, 13, 19, 5, 0), pvt(2012, 12, 8, 1, 6, 0)]
        bursts += [pvt(2021, 1, 13, 19, second, 3) for second in range(7, 10)]
        receiver.play(list(enumerate(bursts)), meanwhile=client.receive)
        client.wait("TPV", lambda one: one.get("time", "").startswith("2021-01-13T19:00:09"))
        times = [line["time"] for line in client.lines if line["class"] == "TPV" and "time" in line]
        assert times == sorted(times) and times[0] >= "2021", times


def test_an_extrapolated_position_reaches_no_target(folder):
    """After five fixes the receiver only extrapolates, without an error: through a target, which it does not reach."""
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.send('?TARGET={"name":"home","lat":48.2,"lon":11.60080,"radius":20};')
        epochs = [rmc(number, east=0.0042 * number, mode="A" if number < 5 else "E") + (
            gga(number, east=0.0042 * number) if number < 5 else gga(number, east=0.0042 * number, quality="6", used=0, hdop="")
        ) for number in range(20)]
        receiver.play([(number / 4, epoch) for number, epoch in enumerate(epochs)], meanwhile=client.receive)
        assert client.wait("TPV", lambda one: one.get("seq") == 20)["status"] == 5
        assert not [line for line in client.lines if line.get("state") == "arriving"]
        # A measured fix decides again.
        receiver.write(rmc(21, east=0.048) + gga(21, east=0.048))
        assert client.wait("ARRIVAL", lambda one: one["state"] == "arriving")


def test_a_gst_of_gpsd_is_no_position_and_belongs_to_its_own_time(folder):
    lines = [
        {"class": "VERSION", "release": "3.22", "rev": "3.22", "proto_major": 3, "proto_minor": 14},
        {"class": "GST", "device": "/dev/ttyUSB0", "time": "2022-11-29T00:41:08.000Z", "rms": 4.3, "lat": 1.2, "lon": 0.96, "alt": 3.6},
        {"class": "TPV", "device": "/dev/ttyUSB0", "mode": 3, "time": "2022-11-29T00:41:12.000Z", "lat": 34.958293333, "lon": -115.145771667, "altMSL": 146.6},
    ]
    path = folder / "gpsd.log"
    path.write_text("".join(json.dumps(line) + "\r\n" for line in lines))
    code, out, err = control("/nonexistent", "decode", "--filter", "0", path)
    assert code == 0, err
    came = [json.loads(line) for line in out.splitlines()]
    assert [one["lat"] for one in came if one["class"] == "TPV"] == [34.958293333]
    assert not [one for one in came if one["class"] == "GST" and one.get("time", "").startswith("2022-11-29T00:41:12")]


def gpx(*segments):
    """Tracks of `(second, north, altitude)`, a track each."""
    def point(second, north):
        stamp = f"<time>{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(1_777_622_400 + second))}</time>" if second is not None else ""
        return f'<trkpt lat="{48.2 + north * 1e-4:.7f}" lon="11.6">{stamp}</trkpt>'

    tracks = "".join(f"<trk><trkseg>{''.join(point(*one) for one in segment)}</trkseg></trk>" for segment in segments)
    return f'<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">{tracks}</gpx>'.encode()


def shown(folder, data, name="file.gpx"):
    """The figures of `rides show`, and what it says beside them."""
    path = folder / name
    path.write_bytes(data)
    code, out, err = control("/nonexistent", "rides", "show", path, "--json")
    assert code == 0, err
    return json.loads(out), err


def test_points_that_a_gpx_repeats_are_left_out(folder):
    """A, then A and B, then A, B and C."""
    points = [(3 * number, number) for number in range(20)]
    once, _ = shown(folder, gpx(points))
    ride, err = shown(folder, gpx(points[:7], points[:13], points))
    assert ride == once | {"damages": 20, "bytes": ride["bytes"]}
    assert "20 points left out that the file repeats" in err


@pytest.mark.parametrize("kind", ["points", "tracks"])
def test_a_gpx_in_the_wrong_order_is_put_in_the_order_of_time(folder, kind):
    points = [(3 * number, number) for number in range(20)]
    once, _ = shown(folder, gpx(points))
    if kind == "points":
        ride, _ = shown(folder, gpx(points[::-1]))
        assert (ride["fixes"], ride["distance"]) == (once["fixes"], once["distance"])
        return
    # The second track is an hour earlier and 10 km away: no way leads back.
    early = [(second - 3600, north + 900) for second, north in points]
    path = folder / "exchanged.gpx"
    path.write_bytes(gpx(points, early))
    code, out, err = control("/nonexistent", "export", "--csv", path)
    assert code == 0, err
    times = [line.split(",")[0] for line in out.splitlines()[1:]]
    assert len(times) == 40 and times == sorted(times)


def test_a_course_of_pieces_in_any_order_is_reported(folder):
    """Pieces in any order are a line that nobody meant."""
    order = [0, 2, 1, 199, *range(3, 199)]
    path = folder / "tour.gpx"
    path.write_bytes(gpx(*[[(None, 10 * number), (None, 10 * number + 10)] for number in order]))
    code, _, err = control("/nonexistent", "course", "export", path, "-o", folder / "tour.fit")
    assert code == 0 and "the line jumps in" in err and "21.91 km" in err, err
    path.write_bytes(gpx([(None, number) for number in range(400)]))
    code, _, err = control("/nonexistent", "course", "export", path, "-o", folder / "tour.fit")
    assert code == 0 and err == ""


@pytest.mark.parametrize("interval", [1, 6, 12, 30, 60, 240])
def test_long_intervals_of_a_file_are_no_gaps(folder, interval):
    """The interval between the points of a file is the file's own."""
    data = gpx([(interval * number, number) for number in range(10)])
    ride, _ = shown(folder, data)
    assert ride["fixes"] == 10
    code, out, err = control("/nonexistent", "export", "--gpx", folder / "file.gpx")
    assert code == 0 and out.count("<trkseg>") == 1 and out.count("<trkpt") >= 2, err


def test_a_fit_file_has_a_serial_number_and_the_local_time(folder):
    path = folder / "city.fit"
    code, _, err = control("/nonexistent", "export", ROOT / "recordings" / "city.nmea", "--fit", "-o", path)
    assert code == 0, err
    with fitdecode.FitReader(path, check_crc=fitdecode.CrcCheck.RAISE, error_handling=fitdecode.ErrorHandling.RAISE) as reader:
        found = {frame.name: frame for frame in reader if isinstance(frame, fitdecode.FitDataMessage)}
    assert found["file_id"].get_value("serial_number") > 0
    assert found["device_info"].get_value("serial_number") == found["file_id"].get_value("serial_number")
    assert found["activity"].has_field("local_timestamp")


@pytest.mark.slow
def test_a_client_that_reads_slowly_is_not_closed(folder):
    """Who reads a little at a time reads: it is not closed. Who reads nothing is."""
    ride = folder / "long.nmea"
    ride.write_bytes(b"".join(rmc(number % 60, east=0.0001 * number, minute=10 + number // 60) for number in range(2400)))
    with Daemon(folder, f"recording:{ride}?speed=10&start=watch") as daemon, Client(daemon.socket) as slow, daemon.connect() as other:
        slow.send('?WATCH={"enable":true,"json":true,"distanceFilter":0};')
        slow.wait_full(other, 2000)
        slow.socket.setblocking(True)
        for _ in range(9):
            assert slow.socket.recv(512), "closed although it reads"
            # Its own pace, which is what is tried.
            time.sleep(3)
        assert "read nothing" not in daemon.log
        until(lambda: "read nothing for 10 s" in daemon.log, "the one that reads nothing to be closed", timeout=60)


def test_sirf_binary_is_named_with_its_remedy(folder):
    def sirf(payload):
        return b"\xa0\xa2" + struct.pack(">H", len(payload)) + payload + struct.pack(">H", sum(payload) & 0x7FFF) + b"\xb0\xb3"

    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}") as daemon:
        def named():
            receiver.write(sirf(b"\x02" + bytes(range(40))) + sirf(bytes(188)) + sirf(bytes(20)))
            return "SiRF binary" in daemon.log

        until(named, "the protocol to be named", timeout=120, pause=0.2)
        wrong, _ = examine(daemon.socket)
        assert "SiRF binary" in wrong["speed"]["message"] and "gpsctl -n" in wrong["speed"]["remedy"]
        daemon.stop()


def test_a_lost_part_of_gsv_changes_no_number_of_satellites(folder):
    def epoch(second, isWhole=True):
        return (
            rmc(second) + gga(second) + sentence("GPGSV,2,1,05,01,41,301,44,02,71,312,40,03,45,100,35,04,45,100,35,1")
            + (sentence("GPGSV,2,2,05,05,41,301,44,1") if isWhole else b"") + sentence("GPGSV,1,1,01,07,71,312,40,8")
        )

    found = skies(folder, b"".join(epoch(second, second != 3) for second in range(7)))
    assert {sky["nSat"] for sky in found} == {6}


@pytest.mark.parametrize("kind", ["VTG", "HDT"])
def test_a_speed_or_heading_before_gga_belongs_to_its_epoch(folder, kind):
    first = {"VTG": "GPVTG,90.0,T,,M,{0}.0,N,18.5,K,A", "HDT": "GPHDT,{0}.0,T"}[kind]
    fixes = decoded(folder, b"".join(sentence(first.format(10 + number)) + gga(number, east=0.0042 * number) for number in range(8)))
    if kind == "VTG":
        assert [round(fix["speed"] / 0.514444) for fix in fixes] == list(range(10, 18))
    else:
        assert [fix.get("trueheading", fix.get("heading")) for fix in fixes] == list(range(10, 18))


def test_a_first_point_without_a_time_is_left_out(folder):
    points = [(3 * number, number) for number in range(20)]
    ride, err = shown(folder, gpx([(None, 0), *points[1:]]))
    assert ride["fixes"] == 19 and "1 damaged place" in err
    once, _ = shown(folder, gpx(points[1:]))
    assert ride["distance"] == once["distance"]
