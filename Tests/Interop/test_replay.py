"""A recording in place of the receiver: every form, in order, controlled by any client, the same each time."""

import datetime
import socket
import urllib.parse

import pytest

import replay_files
from handlebar_harness import RECORDING, Daemon, tracking


def play(folder, files, query="speed=max&start=watch"):
    """All lines for a subscriber of files played in sequence, without VERSION."""
    first, *rest = [urllib.parse.quote(str(path)) for path in files]
    uri = f"recording:{first}?{query}" + "".join(f"&then={path}" for path in rest)
    with Daemon(folder, uri) as daemon, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(60)
        connection.connect(str(daemon.socket))
        connection.sendall(b'?WATCH={"enable":true,"json":true,"distanceFilter":0};')
        lines = []
        for line in connection.makefile("rb"):
            lines.append(line)
            if line.startswith(b'{"class":"PLAYBACK"') and b'"ended":true' in line:
                break
        daemon.stop()
    return b"".join(lines[1:])


def fixes(client):
    return [line for line in client.lines if line["class"] == "TPV" and line["mode"] > 1]


@pytest.mark.parametrize("form", replay_files.FORMS)
def test_each_form_gives_one_fix_an_epoch_and_the_same_bytes_each_time(folder, form):
    file = folder / "ride"
    file.write_bytes(replay_files.FORMS[form](30))
    first = play(folder, [file])
    positions = [line for line in first.splitlines() if line.startswith(b'{"class":"TPV"')]
    assert len(positions) == 30, first.decode()
    assert b'"position":29' in first.splitlines()[-1]
    assert play(folder, [file]) == first
    # At another speed only the lines with the speed differ.
    last = play(folder, [file], "speed=200&start=watch").splitlines()[-1]
    assert last.replace(b'"speed":200,', b"") == first.splitlines()[-1]


def test_values_of_reports_and_points_are_published(folder):
    for form in ("gpsd", "gpx", "tcx", "fit"):
        file = folder / form
        file.write_bytes(replay_files.FORMS[form](5))
        with Daemon(folder, f"recording:{file}?speed=max") as daemon, daemon.connect() as client:
            client.watch(distanceFilter=0)
            client.wait("PLAYBACK", lambda line: line["ended"])
            daemon.stop()
        for number, fix in enumerate(fixes(client)):
            lat, lon = replay_files.place(number)
            # FIT has semicircles, and fifths of a metre.
            near = 4.2e-8 if form == "fit" else 1e-9
            assert (fix["lat"], fix["lon"], fix["mode"]) == (pytest.approx(lat, abs=near), pytest.approx(lon, abs=near), 3)
            assert fix["time"] == f"2026-03-19T12:00:0{number}.000Z"
            assert fix["altMSL"] == (500.6 if form == "fit" else 500.5)
            assert ("speed" in fix) == (form == "gpsd")


def test_a_route_without_times_is_simulated(folder):
    file = folder / "route.gpx"
    file.write_bytes(replay_files.route(300))
    with Daemon(folder, f"recording:{file}?speed=max") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        assert client.wait("PLAYBACK", lambda line: line["ended"])["position"] == pytest.approx(20, abs=1)
        daemon.stop()
    assert 20 <= len(fixes(client)) <= 22
    assert all("time" not in fix and fix.get("speed", 15) == 15 for fix in fixes(client))


def test_several_files_in_order_and_names_with_odd_characters(folder):
    """The second ride follows the first although it was measured earlier."""
    names = ["late, the first?.nmea", "early & other=1%.json", "gpx #é.gpx"]
    contents = [replay_files.plain(10), replay_files.gpsd(10, start=8 * 3600), replay_files.gpx(10, start=9 * 3600)]
    for name, content in zip(names, contents):
        (folder / name).write_bytes(content)
    files = [folder / name for name in names]
    text = play(folder, files)
    lines = text.splitlines()
    times = [line.split(b'"time":"')[1][:24] for line in lines if line.startswith(b'{"class":"TPV"')]
    assert len(times) == 30
    assert times == sorted(times) and len(set(times)) == 30
    playback = [line for line in lines if line.startswith(b'{"class":"PLAYBACK"')]
    assert [b"early" in playback[0], b"gpx #" in playback[1], b'"ended":true' in playback[2]] == [True] * 3
    assert play(folder, files) == text


@pytest.mark.parametrize("content", [b"hello\nworld\n", b"<kml></kml>", b"\x01\x02\x03" * 100])
def test_an_unknown_file_format_is_an_error(folder, content):
    (folder / "good.nmea").write_bytes(replay_files.plain(2))
    (folder / "x").write_bytes(content)
    with Daemon(folder, f"recording:{folder}/good.nmea?then={folder}/x") as daemon, daemon.connect() as client:
        client.watch()
        state = client.wait("STATE", lambda state: state["state"] == "failed")
        assert state["error"] == "misconfigured" and f"{folder}/x" in state["message"] and "GPX" in state["message"]
        client.send('?PLAYBACK={"seek":1};')
        assert "GPX" in client.wait("ERROR")["message"]
        daemon.stop()


def test_one_of_several_recorded_sources_is_chosen(folder):
    text = b"# handlebar-recording 1\n# device=/dev/a\n# device=/dev/b\n"
    for number, (_, burst) in enumerate(replay_files.nmea_sender.ride(6, period=1.0)):
        text += f"# t={1000 * number} src={number % 2}\n".encode() + burst
    (folder / "two.nmea").write_bytes(text)
    for query, first in (("", "00"), ("&src=1", "01")):
        with Daemon(folder, f"recording:{folder}/two.nmea?speed=max{query}") as daemon, daemon.connect() as client:
            client.watch(distanceFilter=0)
            client.wait("PLAYBACK", lambda line: line["ended"])
            daemon.stop()
        assert len(fixes(client)) == 3
        assert "src=NUMBER" in daemon.log


def test_any_client_controls_the_playback(folder):
    """Pause, seek and speed take effect or are refused, are reported to all clients, and time never steps back."""
    (folder / "ride.nmea").write_bytes(replay_files.recording(600))
    uri = f"recording:{folder}/ride.nmea?start=watch"
    with Daemon(folder, uri) as daemon, daemon.connect() as watcher, daemon.connect() as other:

        def ask(text):
            other.send(text)
            return other.wait("PLAYBACK")

        assert ask("?PLAYBACK;")["position"] == 0
        watcher.watch(distanceFilter=0)
        watcher.wait("TPV")
        paused = ask('?PLAYBACK={"pause":true};')
        assert paused["paused"] and paused["speed"] == 1 and paused["file"].endswith("ride.nmea")
        playback = watcher.wait("PLAYBACK")
        assert playback["paused"]
        assert len(watcher.until_quiet(1.5)) <= 2
        assert ask("?PLAYBACK;")["position"] == paused["position"]
        # Two changes at once.
        sought = ask('?PLAYBACK={"pause":false,"seek":300};')
        assert sought["position"] == 300 and not sought["paused"]
        assert watcher.wait("STATE", lambda state: state["state"] == "lost")
        assert watcher.wait("STATE", tracking)
        fix = watcher.wait("TPV")
        assert fix["reason"] == "regained" and fix["time"] == "2026-03-19T12:05:00.000Z", fix
        assert ask("?PLAYBACK;")["duration"] == 599
        other.send('?PLAYBACK={"speed":50};')
        assert other.wait("PLAYBACK")["speed"] == 50
        watcher.wait("TPV", lambda one: one["seq"] >= fix["seq"] + 60)
        back = ask('?PLAYBACK={"seek":0};')
        assert back["position"] == 0
        assert watcher.wait("TPV", lambda one: one["reason"] == "regained")
        # The rest as fast as it goes, and every fix of it.
        fastest = ask('?PLAYBACK={"speed":"max"};')
        assert "speed" not in fastest
        assert watcher.wait("PLAYBACK", lambda line: line["ended"])["position"] == 599
        seqs = [one["seq"] for one in fixes(watcher)]
        assert seqs == sorted(seqs)
        times = [one["time"] for one in fixes(watcher)]
        assert times == sorted(times) and len(set(times)) == len(times)
        # It is over; a seek plays on.
        over = ask("?PLAYBACK;")
        assert over["ended"]
        assert not ask('?PLAYBACK={"seek":590};')["ended"]
        assert watcher.wait("TPV", lambda one: one["seq"] > seqs[-1])["reason"] == "regained"
        assert watcher.wait("PLAYBACK", lambda line: line["ended"])
        other.send("?STATUS;")
        counters = other.wait("STATUS")["counts"]
        assert counters["outOfOrder"] == 0 and counters["suspects"] == 0 and counters["fixes"] > 600
        daemon.stop()


def test_a_seek_into_an_epoch(folder):
    """The first fix after a seek is of a whole epoch, measured at the target or later."""
    with Daemon(folder, f"recording:{RECORDING}?speed=20&start=watch") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        begin = client.wait("TPV", lambda fix: fix["mode"] == 3 and "time" in fix)
        origin = datetime.datetime.fromisoformat(begin["time"])
        for place in (60.05, 150.1, 222.333, 101.5, 300.9):
            client.send(f'?PLAYBACK={{"seek":{place}}};')
            assert client.wait("PLAYBACK")["position"] == place
            fix = client.wait("TPV", lambda fix: fix["reason"] == "regained")
            assert fix["mode"] == 3 and "speed" in fix and "altMSL" in fix, fix
            assert datetime.datetime.fromisoformat(fix["time"]) >= origin + datetime.timedelta(seconds=place - 60)
            assert client.wait("TPV")["time"] > fix["time"]
        assert sum(line["class"] == "PLAYBACK" for line in client.lines) == 5
        client.send('?PLAYBACK={"pause":true,"seek":99999};')
        assert client.wait("PLAYBACK")["position"] < 1000
        daemon.stop()


@pytest.mark.parametrize("order", [("ride.nmea", "dump.json"), ("dump.json", "ride.nmea")])
def test_a_seek_just_beyond_a_file_boundary(folder, order):
    """The content of the file before does not affect a seek: another form, another time."""
    (folder / "ride.nmea").write_bytes(replay_files.recording(20))
    (folder / "dump.json").write_bytes(replay_files.gpsd(20, start=9 * 3600))
    first, second = order
    uri = f"recording:{folder}/{first}?speed=5&start=watch&then={folder}/{second}"
    with Daemon(folder, uri) as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.wait("TPV")
        client.send('?PLAYBACK={"seek":22};')
        assert client.wait("PLAYBACK")["file"].endswith(second)
        assert client.wait("TPV", lambda fix: fix["reason"] == "regained")["mode"] == 3
        last = client.wait("TPV")
        # Back by a little, within the same file.
        client.send('?PLAYBACK={"seek":22.5};')
        assert client.wait("TPV", lambda fix: fix["reason"] == "regained")["time"] > last["time"]
        assert client.wait("PLAYBACK", lambda line: line["ended"])
        daemon.stop()
    times = [fix["time"] for fix in fixes(client)]
    assert times == sorted(set(times)) and len(times) >= 18


def test_a_loop_reports_its_start_and_continues_the_numbering(folder):
    (folder / "ride.nmea").write_bytes(replay_files.recording(20))
    with Daemon(folder, f"recording:{folder}/ride.nmea?speed=100&loop=true&start=watch") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        for _ in range(2):
            again = client.wait("PLAYBACK")
            assert again["position"] == 0 and not again["ended"]
        client.wait("TPV", lambda one: one["seq"] > 50)
        client.send('?STATUS;?PLAYBACK={"speed":"max"};')
        assert client.wait("STATUS")["counts"]["fixes"] >= 50
        assert "never end" in client.wait("ERROR")["message"]
        daemon.stop()
    times = [one["time"] for one in fixes(client)]
    assert times == sorted(times)


def test_a_recording_beside_a_receiver_uses_machine_time(folder):
    (folder / "ride.nmea").write_bytes(replay_files.recording(20))
    with Daemon(folder, f"recording:{folder}/ride.nmea", "serial:/nonexistent") as daemon, daemon.connect() as client:
        for change in ('{"pause":true}', '{"speed":2}'):
            client.send(f"?PLAYBACK={change};")
            assert "only source" in client.wait("ERROR")["message"]
        client.send('?PLAYBACK={"seek":5};')
        assert client.wait("PLAYBACK")["position"] == 5
        daemon.stop()


def test_a_live_source_has_no_playback(folder):
    with Daemon(folder, "serial:/nonexistent") as daemon, daemon.connect() as client:
        for request in ("?PLAYBACK;", '?PLAYBACK={"pause":true};'):
            client.send(request)
            assert "recording:FILE" in client.wait("ERROR")["message"]
        daemon.stop()


def test_unknown_events_are_reported_once_for_each_kind(folder):
    """And those of many kinds do not fill the log either."""
    ride = RECORDING.read_text().splitlines()[:200]
    _, second, *_ = [number for number, line in enumerate(ride) if line.startswith("# t=")]
    events = 500 * ['{"request":"TELEPORT"}', '{"source":"stolen"}', "{}"]
    events += [f'{{"request":"KIND{number}"}}' for number in range(1000)]
    ride[second:second] = [f"# e {event}" for event in events]
    file = folder / "events.nmea"
    file.write_text("\n".join(ride) + "\n")
    with Daemon(folder, f"recording:{file}?speed=max") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.wait("PLAYBACK", lambda line: line["ended"])
        daemon.stop()
        log = daemon.log
    for kind in ("TELEPORT", "stolen", "malformed"):
        assert log.count(f"unknown event: {kind}") == 1, log
    assert log.count("unknown event") == 16
    assert f"{len(events) - 16} more events of the recording were left out" in log


def test_damage_is_reported_in_words(folder):
    file = folder / "damaged.nmea"
    ride = RECORDING.read_bytes()
    file.write_bytes(ride[:20_000] + b"\0" * 64 + b"\n# t=abc src=0\n" + ride[:9_990])
    with Daemon(folder, f"recording:{file}?speed=max") as daemon, daemon.connect() as client:
        client.watch(distanceFilter=0)
        client.wait("PLAYBACK", lambda line: line["ended"])
        daemon.stop()
        log = daemon.log
    assert "parts of the recording could not be read" in log
    assert "NUL bytes" in log and "malformed line" in log
    assert "RecordingDamageCounts" not in log
