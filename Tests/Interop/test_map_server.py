"""`handlebarctl map` without a browser: the page's files, tiles, viewers, and attacks on it."""

import bisect
import concurrent.futures
import contextlib
import functools
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gpsd_harness import free_port, needs_ipv6
from handlebar_harness import BIN, RECORDING, TIMEOUT, Daemon, Receiver, control, until
from map_page import pretending
from map_server import MapServer, Refused, mbtiles, streets, tile_of
from measuring import anonymous, measured, processor
from terminal import Terminal
import nmea_sender

LEAFLET = pathlib.Path("/usr/share/javascript/leaflet")
PLACE = 48.1373, 11.5754
pytestmark = pytest.mark.skipif(not LEAFLET.exists(), reason="libjs-leaflet is not installed")


@contextlib.contextmanager
def playing(folder, *options, query="speed=10&loop=true", **more):
    """A daemon that plays the bundled ride, and a server."""
    with Daemon(folder, f"recording:{RECORDING}?{query}") as daemon, MapServer(daemon.socket, *options, **more) as server:
        yield daemon, server


def clients(daemon):
    """The daemon's connections, besides this one."""
    with daemon.connect() as client:
        client.send("?STATUS;")
        return client.wait("STATUS")["clients"] - 1


# --- page and tiles --------------------------------------------------------------------------------------------------


def test_the_page_loads_nothing_from_elsewhere(folder):
    with MapServer(folder / "absent") as server:
        status, headers, body = server.get()
        assert status == 200 and headers["content-type"].startswith("text/html")
        weight = {"page": len(body), "leaflet": 0}
        for name in ("map.css", "main.js", "daemon.js", "motion.js", "view.js", "layers.js", "panels.js", "daylight.js", "course.js", "ride.js",
                     "leaflet.css", "leaflet.js", "map.json"):
            status, headers, body = server.get(f"/{name}")
            assert status == 200 and body, name
            assert headers["content-security-policy"].startswith("default-src 'self'; img-src 'self' data:; ")
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["cross-origin-resource-policy"] == "same-origin"
            assert not any(name.startswith("access-control-") for name in headers)
            weight["leaflet" if name.startswith("leaflet") else "page"] += len(body)
            if not name.startswith("leaflet"):
                text = body.decode().replace("http://www.w3.org/2000/svg", "")
                assert "http:" not in text and "https:" not in text and "url(" not in text, name
        print("bytes to load, not compressed:", weight)
        assert weight["page"] < 125_000 and weight["leaflet"] < 170_000
        assert server.get("/map.json")[2] == b'{"riding":false}'
        for path in ("/tiles/1/0/0", "/..", "/../etc/passwd", "/leaflet/../../../etc/passwd", "/%2e%2e/etc/passwd", "/viewer"):
            assert server.get(path)[0] == 404, path


@pytest.mark.parametrize("kind", ["MBTiles", "directory"])
def test_tiles(folder, kind):
    x, y = tile_of(*PLACE, 14)
    tiles = folder / "tiles"
    if kind == "MBTiles":
        mbtiles(tiles, *PLACE, zooms=range(13, 15))
    else:
        for zoom in (13, 14):
            column, row = tile_of(*PLACE, zoom)
            (tiles / str(zoom) / str(column)).mkdir(parents=True)
            (tiles / str(zoom) / str(column) / f"{row}.png").write_bytes(streets(column, row))
    with MapServer(folder / "absent", "--tiles", tiles) as server:
        about = json.loads(server.get("/map.json")[2])
        assert (about["minZoom"], about["maxZoom"]) == (13, 14)
        assert ("Synthetic" in about.get("attribution", "")) == (kind == "MBTiles")
        status, headers, body = server.get(f"/tiles/14/{x}/{y}")
        assert (status, headers["content-type"], body) == (200, "image/png", streets(x, y))
        # Beyond the edge of the map there is nothing, which is no error.
        assert server.get(f"/tiles/14/{x + 100}/{y}")[0] == 204
        for path in (f"/tiles/14/{x}/-1", "/tiles/14/99999/0", "/tiles/99/0/0", "/tiles/14/..%2f/0", f"/tiles/14/{x}/{y}/0"):
            assert server.get(path)[0] == 404, path
        status, headers, body = server.get(f"/tiles/14/{x}/{y}", method="HEAD")
        assert status == 200 and int(headers["content-length"]) == len(streets(x, y)) and body == b""


@pytest.mark.slow
def test_a_tile_is_sent_to_a_slow_reader(folder):
    x, y = tile_of(*PLACE, 14)
    (folder / "tiles" / "14" / str(x)).mkdir(parents=True)
    tile = streets(x, y) + bytes(2_080_000)
    (folder / "tiles" / "14" / str(x) / f"{y}.png").write_bytes(tile)
    with MapServer(folder / "absent", "--tiles", folder / "tiles") as server, socket.socket() as reader:
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        reader.settimeout(TIMEOUT)
        reader.connect(server.place)
        reader.sendall(server.head(f"/tiles/14/{x}/{y}", headers={"Connection": "close"}))
        received = b""
        # Longer than the time-out of requests.
        end = time.monotonic() + 12
        while time.monotonic() < end:
            received += reader.recv(4096)
            # A slow reader.
            time.sleep(0.05)
        while piece := reader.recv(1 << 20):
            received += piece
        assert received.endswith(tile)


def test_tiles_leave_the_processor_to_fixes_and_pages_in_between(folder):
    """Between two of them passes a time that no number of readers takes away."""
    x, y = tile_of(*PLACE, 14)
    mbtiles(folder / "tiles", *PLACE, zooms=range(14, 15))
    with MapServer(folder / "absent", "--tiles", folder / "tiles") as server:
        with concurrent.futures.ThreadPoolExecutor(8) as readers:
            begin = time.monotonic()
            answers = list(readers.map(lambda _: server.get(f"/tiles/14/{x}/{y}")[0], range(101)))
            assert answers == [200] * 101
            assert time.monotonic() - begin >= 100 * 0.002


def refusal(*arguments, wrapper=()):
    done = subprocess.run(
        [*wrapper, str(BIN / "handlebarctl"), "map", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=TIMEOUT, check=False)
    assert not done.stdout and done.stderr.count("\n") == 1, done
    return done.returncode, done.stderr


def test_unusable_tiles_end_the_command(folder):
    (folder / "empty").mkdir()
    (folder / "text").write_text("no database\n" * 100)
    with contextlib.closing(sqlite3.connect(folder / "vector")) as database:
        database.executescript("CREATE TABLE metadata (name, value); CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data);")
        database.execute("INSERT INTO tiles VALUES (0, 0, 0, ?)", (b"\x1f\x8b vector",))
        database.commit()
    with contextlib.closing(sqlite3.connect(folder / "other")) as database:
        database.execute("CREATE TABLE tiles (a)")
    for name, words in {
        "absent": "No such file", "empty": "has no tiles", "text": "not a database", "vector": "no images", "other": "no such column",
    }.items():
        code, text = refusal("--tiles", folder / name)
        assert code == 66 and f"{folder / name}: " in text and words in text, text


ENDLESS = "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x % 9 x FROM c)"
TILE = "0 tile_column, 0 tile_row"


def view(path, text):
    """A file whose tiles are the rows of a view."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(f"CREATE TABLE zooms (zoom); INSERT INTO zooms VALUES (0), (1); CREATE VIEW tiles AS {text}")
    return path


@pytest.mark.limits
def test_endless_tiles_end_the_command(folder):
    code, text = refusal("--tiles", view(folder / "endless", f"SELECT x zoom_level, {TILE}, x tile_data FROM {ENDLESS}"))
    assert code == 66 and "more than 10 s" in text, text


def test_a_signal_ends_the_examination_of_tiles(folder):
    path = view(folder / "endless", f"SELECT x zoom_level, {TILE}, x tile_data FROM {ENDLESS}")
    command = [str(BIN / "handlebarctl"), "map", "--listen", "127.0.0.1:0", "--tiles", str(path)]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        def is_open():
            # One that is closed meanwhile is another.
            with contextlib.suppress(FileNotFoundError):
                return str(path) in map(os.readlink, pathlib.Path(f"/proc/{process.pid}/fd").iterdir())

        until(is_open, "the file")
        # A shell's background process ignores SIGINT.
        process.send_signal(signal.SIGTERM)
        # At the end of its time it would say so.
        assert process.communicate(timeout=TIMEOUT) == (b"", b"") and process.returncode == -signal.SIGTERM


def test_an_endless_tile_does_not_hold_up_others(folder):
    """A tile that takes too long is none, and the page goes on."""
    path = view(folder / "endless", (
        f"SELECT zoom zoom_level, {TILE}, CASE zoom WHEN 0 THEN x'{streets(0, 0).hex()}'"
        f" ELSE (SELECT x FROM {ENDLESS} WHERE x < 0) END tile_data FROM zooms"))
    with MapServer(folder / "absent", "--tiles", path) as server:
        assert server.get("/tiles/0/0/0")[2] == streets(0, 0)
        assert server.get("/tiles/1/0/1")[0] == 204
        assert server.get("/tiles/0/0/0")[2] == streets(0, 0)


def test_large_tiles_and_pipes_end_the_command(folder):
    os.mkfifo(folder / "pipe")
    code, text = refusal("--tiles", folder / "pipe")
    assert code == 66 and "no regular file" in text, text
    code, text = refusal("--tiles", view(folder / "large", f"SELECT 0 zoom_level, {TILE}, zeroblob(999999999) tile_data"))
    assert code == 66 and "too big" in text, text


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts")
def test_missing_leaflet_is_named():
    hidden = ["unshare", "-m", "sh", "-c", f'mount -t tmpfs none {LEAFLET} && exec "$@"', "sh"]
    code, text = refusal("--listen", "127.0.0.1:0", wrapper=hidden)
    assert code == 69 and "leaflet.css is missing; install it: sudo apt-get install libjs-leaflet" in text


def test_a_taken_address_is_named(folder):
    with MapServer(folder / "absent") as server:
        code, text = refusal("--listen", server.host)
        assert code == 71 and server.host in text and "--listen" in text
    for listen in ("8480", "127.0.0.1", "a b:1"):
        code, text = refusal("--listen", listen)
        assert code == 64 and "HOST:PORT" in text


# --- viewers ---------------------------------------------------------------------------------------------------------


def test_a_viewer_receives_the_daemons_lines(folder):
    with playing(folder) as (daemon, server), server.viewer() as page:
        assert page.wait("WATCH")["poses"] == 20
        page.wait("TPV", lambda line: "seq" in line)

        def fixes():
            return {line["seq"]: line for line in page.lines if line["class"] == "TPV" and "seq" in line}

        pose = page.wait("POSE", lambda line: line["fixSeq"] in fixes())
        fix = fixes()[pose["fixSeq"]]
        assert {"lat", "lon", "eph", "basis"} <= set(pose) and abs(pose["lat"] - fix["lat"]) < 1e-3
        page.send("FOLLOW", view="map-1")
        assert page.wait("FOLLOW", lambda line: line["view"] == "map-1")["following"]
        page.send("PLAYBACK", pause=True)
        assert page.wait("PLAYBACK", lambda line: line["paused"])
        page.close()
        until(lambda: clients(daemon) == 0, "the end of the page's connection")
        assert server.stop() == 128 + signal.SIGTERM


def test_each_viewer_has_a_view_of_its_own(folder):
    """The view of one page is freed; the other page and another renderer go on following."""
    with playing(folder) as (daemon, server), server.viewer() as one, server.viewer() as other, daemon.connect() as renderer:
        fix = one.wait("TPV", lambda line: "seq" in line)
        for page, name in ((one, "map-1"), (other, "map-2")):
            page.send("VIEW", view=name, lat=fix["lat"], lon=fix["lon"], seq=fix["seq"], cause="follow")
            assert page.wait("FOLLOW", lambda line, name=name: line["view"] == name)["following"]
        one.send("FOLLOW", view="map-1", enable=False)
        assert not one.wait("FOLLOW", lambda line: line["view"] == "map-1")["following"]
        renderer.send('?FOLLOW;?VIEW={"view":"main","lat":48,"lon":11,"cause":"follow"};')
        states = {}
        while len(states) < 3:
            line = renderer.wait("FOLLOW")
            states[line["view"]] = line["following"]
        assert states == {"map-1": False, "map-2": True, "main": True}


@pytest.mark.parametrize("request_", [
    '?RECORD={"enable":false};', '?FOLLOW={"view":"main","enable":false};', '?WATCH={"enable":false};', "?LOCATE;",
    '?VIEW={"lat":48,"lon":11};', "GET / HTTP/1.1\r\n", "?NONSENSE;", '?TARGET={"name":"a","lat":48,"lon":11,"persistent":true};',
])
def test_other_requests_close_the_viewer(folder, request_):
    with playing(folder) as (daemon, server), server.viewer() as page:
        page.wait("WATCH")
        page.frame(request_.encode())
        assert page.wait_end() == 1008
        until(lambda: clients(daemon) == 0, "the end of the page's connection")


def test_hostile_frames_close_the_viewer_only(folder):
    with playing(folder) as (_, server), server.viewer() as witness:
        for send in (
            lambda page: page.frame(b"?TARGET;", opcode=2),
            lambda page: page.frame(b"?" * 5000),
            lambda page: page.socket.sendall(b"\x81\xff" + b"\xff" * 8 + b"0000"),
            lambda page: page.socket.sendall(b"\x81\x08?TARGET;"),
            lambda page: page.socket.sendall(os.urandom(4000)),
        ):
            with server.viewer() as page:
                page.wait("WATCH")
                send(page)
                page.wait_end()
        witness.lines.clear()
        witness.wait("POSE")


def test_the_daemon_may_come_later_and_restart(folder):
    with MapServer(folder / "location.sock") as server:
        for _ in range(2):
            with server.viewer() as page:
                error = page.wait("ERROR")
                assert error["code"] == "noDaemon" and "systemctl start handlebard" in error["message"]
                assert page.wait_end() == 1011
            with Daemon(folder, f"recording:{RECORDING}?speed=10") as daemon, server.viewer() as page:
                page.wait("POSE")
                daemon.stop()
                assert page.wait("ERROR")["code"] in ("stopping", "noDaemon")
                assert page.wait_end() == 1011


def test_a_ride_plays_in_a_daemon_of_its_own(folder):
    with MapServer(None, "--ride", RECORDING) as server:
        with server.viewer() as page:
            page.wait("TPV", lambda line: "seq" in line)

            def playback():
                page.send("PLAYBACK")
                return page.wait("PLAYBACK")

            until(lambda: playback().get("duration", 0) > 480, "the length of the ride")
            assert playback()["file"] == str(RECORDING)
        assert server.stop(signal.SIGINT) == 128 + signal.SIGINT
    assert refusal("--ride", folder / "absent.nmea")[0] == 66


# --- attacks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "localhost.evil.example:{port}", "127.0.0.1.evil.example"])
def test_dns_rebinding_is_refused(folder, host):
    with playing(folder) as (daemon, server):
        host = host.format(port=server.place[1])
        for path in ("/", "/main.js", "/map.json"):
            status, headers, body = server.get(path, host=host)
            assert status == 403 and b"<html" not in body
        with pytest.raises(Refused):
            server.viewer(host=host)
        assert clients(daemon) == 0


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://{host}", "http://localhost:1", ""])
def test_another_origin_is_refused(folder, origin):
    with playing(folder) as (daemon, server):
        with pytest.raises(Refused):
            server.viewer(origin=origin.format(host=server.host))
        if origin:
            assert server.get("/map.json", Origin=origin.format(host=server.host))[0] == 403
        assert clients(daemon) == 0
        assert server.get("/map.json", Origin=f"http://{server.host}")[0] == 200


def test_nothing_but_get(folder):
    with MapServer(folder / "absent") as server:
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
            status, headers, _ = server.get("/", method=method)
            assert status == 405 and "access-control-allow-origin" not in headers, method


def test_other_machines_need_the_token(folder):
    """An address that is not of the loopback interface: every request needs the cookie that only the printed URL gives."""
    with Daemon(folder, f"recording:{RECORDING}?speed=10") as daemon, MapServer(daemon.socket, listen="0.0.0.0:0") as server:
        server.host = f"127.0.0.1:{server.place[1]}"
        path = "/" + server.url.split("/", 3)[3]
        token = path.removeprefix("/?token=")
        assert len(token) == 32
        for wrong in ("/", "/main.js", "/map.json", f"/?token={token[:-1]}", f"/?token={'0' * 32}", "/?token="):
            assert server.get(wrong)[0] == 403, wrong
        with pytest.raises(Refused):
            server.viewer()
        with pytest.raises(Refused):
            server.viewer(path=f"/viewer?token={token}")
        status, headers, body = server.get(path)
        assert status == 303 and headers["location"] == "/" and not body
        cookie = headers["set-cookie"].split(";")[0]
        assert token not in cookie
        assert "HttpOnly" in headers["set-cookie"] and "SameSite=Lax" in headers["set-cookie"]
        assert server.get("/", Cookie=cookie)[0] == 200
        assert server.get("/", Cookie=f"{cookie}0")[0] == 403
        assert server.get("/", host="evil.example", Cookie=cookie)[0] == 403
        with pytest.raises(Refused):
            server.viewer(origin="http://evil.example", Cookie=cookie)
        with server.viewer(Cookie=cookie) as page:
            page.wait("POSE")


def test_a_bookmark_works_after_ten_restarts(folder, monkeypatch):
    """Token and session last; both are in files of the owner alone, and end by a flag or when others could read the token."""
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    kept = folder / "state" / "handlebar" / "map-token"
    cookie, port = None, free_port()
    address, session = f"0.0.0.0:{port}", kept.with_name(f"map-sessions-{port}")
    for _ in range(10):
        with MapServer(folder / "absent", listen=address) as server:
            server.host = f"127.0.0.1:{server.place[1]}"
            if not cookie:
                token = server.url.partition("?token=")[2]
                headers = server.get(f"/?token={token}")[1]
                assert "Max-Age=31536000" in headers["set-cookie"]
                cookie = headers["set-cookie"].split(";")[0]
            status, headers, _ = server.get("/", Cookie=cookie)
            assert server.url.endswith(token) and status == 200
            if "set-cookie" in headers:
                earlier, cookie = cookie, headers["set-cookie"].split(";")[0]
                assert earlier != cookie and server.get("/main.js", Cookie=cookie)[0] == 200
                assert server.get("/", Cookie=earlier)[0] == 403
            assert server.stop() == 143
        assert session.stat().st_mode & 0o777 == 0o600 and cookie.split("=")[1] in session.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600 and kept.read_text() == f"{token}\n"
    with MapServer(folder / "absent", "--new-token", listen=address) as server:
        server.host = f"127.0.0.1:{server.place[1]}"
        assert token not in server.url and server.get("/", Cookie=cookie)[0] == 403
        token = server.url.partition("?token=")[2]
    kept.chmod(0o644)
    with MapServer(folder / "absent", listen="0.0.0.0:0") as server:
        assert token not in server.url and kept.stat().st_mode & 0o777 == 0o600


def test_the_address_with_a_token_is_a_code_for_phones_in_a_terminal(folder):
    """Drawn by qrencode, which gets the address where other users cannot read it; without it, or without a token, the address
    alone; in a pipe as well."""
    programs = folder / "bin"
    programs.mkdir()
    own = {"PATH": f"{programs}", "XDG_STATE_HOME": str(folder / "state")}

    def shown(*options):
        command = [BIN / "handlebarctl", "map", "--socket", folder / "absent", "--listen", *options]
        with Terminal(folder, *command, variables=own) as terminal:
            url = terminal.shows(r"(http://\S+)\s")[1]
            until(lambda: terminal.read() or "\n" in terminal.text, "the end of the line")
            terminal.press(signal.SIGINT)
            until(lambda: terminal.process.poll() is not None or terminal.read(), "the end", pause=0)
            # What it wrote last.
            terminal.read()
            return url, terminal.transcript

    os.symlink(shutil.which("setsid"), programs / "setsid")
    url, text = shown("0.0.0.0:0")
    assert "?token=" in url and text.count("\n") == 1
    program = programs / "qrencode"
    program.write_text(f'#!{shutil.which("sh")}\necho "arguments: $*"\nread -r address || :\necho "code of $address"\n')
    program.chmod(0o755)
    url, text = shown("0.0.0.0:0")
    assert f"code of {url}" in text and url not in text.partition("arguments: ")[2].splitlines()[0]
    assert "code of" not in shown("127.0.0.1:0")[1]
    with MapServer(folder / "absent", listen="0.0.0.0:0") as server:
        assert server.stop() == 143 and server.process.stdout.read() == ""


@pytest.mark.skipif(shutil.which("qrencode") is None, reason="qrencode is not installed")
def test_the_code_leads_to_the_address(folder):
    """As qrencode itself draws it."""
    command = [BIN / "handlebarctl", "map", "--socket", folder / "absent", "--listen", "0.0.0.0:0"]
    with Terminal(folder, *command, variables={"XDG_STATE_HOME": str(folder / "state")}) as terminal:
        url = terminal.shows(r"(http://\S+)\s")[1]
        drawn = subprocess.run(
            ["qrencode", "-t", "ANSIUTF8", "-m", "2"], input=url, capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
        until(lambda: terminal.read() or drawn in terminal.transcript.replace("\r", ""), "the code", pause=0)


def of_the_service(state, *options, user=0):
    """`map --address` with this state directory of the service: exit code, stdout, stderr."""
    script = ('mkdir -p /var/lib/handlebar-map && mount --bind "$0" /var/lib/handlebar-map && '
              f'exec setpriv --reuid={user} --clear-groups "$@"')
    command = ["unshare", "-m", "sh", "-c", script, state, BIN / "handlebarctl", "map", "--address", *options]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=TIMEOUT, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts")
def test_the_address_of_the_service_is_printed(folder):
    """With the token of its state directory, for root alone; a new one on demand, which stays its owner's."""
    state = folder / "state"
    state.mkdir(mode=0o700)
    os.chown(state, 1234, 1234)

    address = functools.partial(of_the_service, state)
    code, text, error = address()
    assert (code, text) == (66, "") and "sudo systemctl enable --now handlebar-map" in error
    (state / "map-token").write_text("0123456789abcdef" * 2 + "\n")
    (state / "map-token").chmod(0o600)
    code, text, error = address()
    assert (code, error) == (0, "") and re.fullmatch(r"http://\S+:8480/\?token=(0123456789abcdef){2}\n", text)
    assert ":9000/?token=0123" in address("--listen", "0.0.0.0:9000")[1]
    code, text, error = address("--new-token")
    token = text.strip().partition("?token=")[2]
    assert code == 0 and "systemctl restart handlebar-map" in error and "0123456789" not in token
    kept = (state / "map-token").stat()
    assert (state / "map-token").read_text() == f"{token}\n" and (kept.st_uid, kept.st_mode & 0o777) == (1234, 0o600)
    code, text, error = address(user=1)
    assert (code, text) == (66, "") and "sudo handlebarctl map --address" in error
    for option in ("--open", "--kiosk", "--riding", "--ride=x", "--tiles=x"):
        assert address(option)[0] == 64


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone gives files away")
def test_a_new_token_gives_no_file_away(folder):
    """Root makes tokens while the owner of the directory exchanges each for a link to root's file, as fast as it can."""
    state, victim = folder / "state", folder / "victim"
    state.mkdir()
    victim.write_text("root's")
    for place in folder, state:
        place.chmod(0o755)
    os.chown(state, 1234, 1234)
    script = """
import os, sys
os.chdir(sys.argv[1])
os.setuid(1234)
print("ready", flush=True)
while True:
    os.symlink(sys.argv[2], "link")
    os.rename("link", "map-token")
"""
    with subprocess.Popen([sys.executable, "-c", script, state, victim], stdout=subprocess.PIPE) as attacker:
        try:
            assert attacker.stdout.readline() == b"ready\n"
            for _ in range(20):
                of_the_service(state, "--new-token")
        finally:
            attacker.kill()
    assert (victim.stat().st_uid, victim.read_text()) == (0, "root's")


def test_a_socket_of_the_service_manager_is_used(folder):
    """As systemd passes it: the descriptor 3, of this process. The request that it was started for is answered, too."""
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname(), TIMEOUT) as first:
        port = listener.getsockname()[1]
        request = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
        first.sendall(request)
        script = 'exec 3<&"$0" && LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"'
        command = ["bash", "-c", script, str(listener.fileno()), str(BIN / "handlebarctl"), "map", "--socket", str(folder / "absent")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, pass_fds=[listener.fileno()]) as process:
            try:
                assert first.makefile("rb").readline().split()[1] == b"200"
                assert process.stdout.readline().strip() == f"http://127.0.0.1:{port}/"
                with socket.create_connection(("127.0.0.1", port), TIMEOUT) as one:
                    one.sendall(request)
                    assert one.makefile("rb").readline().split()[1] == b"200"
            finally:
                process.kill()


def test_a_kiosk_starts_its_browser_again_after_a_crash(folder, monkeypatch):
    """It ends with the browser; other users do not see the token, without which pages cannot control the recording."""
    program = folder / "chromium"
    program.write_text(
        f'#!/bin/sh\nfor last; do :; done\necho "$1" >>{folder}/runs\ncp "$last" {folder}/page\n'
        f'[ "$(wc -l <{folder}/runs)" -gt 1 ]\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    with MapServer(folder / "absent", "--kiosk") as server:
        assert server.process.wait(TIMEOUT) == 0
        assert (folder / "runs").read_text() == "--kiosk\n--kiosk\n"
        assert "?token=" in server.url and f'url={server.url}"' in (folder / "page").read_text()
        assert not list(folder.glob("handlebar-map-*.html"))


def test_a_kiosk_begins_in_the_size_for_riding(folder, monkeypatch):
    """Unless another is asked for; other pages begin in that for reading."""
    program = folder / "chromium"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    for options, isRiding in (([], False), (["--riding"], True), (["--kiosk"], True), (["--kiosk", "--reading"], False)):
        with MapServer(folder / "absent", *options) as server:
            cookie = server.get("/?" + server.url.partition("?")[2])[1].get("set-cookie", "").split(";")[0]
            assert json.loads(server.get("/map.json", Cookie=cookie)[2])["riding"] == isRiding
            server.stop()
    refused = subprocess.run([BIN / "handlebarctl", "map", "--riding", "--reading"], capture_output=True, text=True)
    assert refused.returncode == 64 and "exclude each other" in refused.stderr


def test_only_pages_with_a_token_control_the_ride(folder):
    with Daemon(folder, f"serial:{folder}/none", options=["--record", folder / "rides"]) as daemon:
        with MapServer(daemon.socket, listen="0.0.0.0:0") as server:
            server.host = f"127.0.0.1:{server.place[1]}"
            cookie = server.get("/?" + server.url.partition("?")[2])[1]["set-cookie"].split(";")[0]
            with server.viewer(Cookie=cookie) as page:
                assert page.wait("HEARTBEAT")["mayControl"]
                page.send("RECORD", enable=False)
                # That it has begun may be told before.
                page.wait("RECORD", lambda line: line["state"] == "stopped")
                page.send("TRIP", name="day")
                assert page.wait("TRIP")["lap"] == 1
                page.send("TRIP", name="day", lap=True)
                page.wait("TRIP", lambda line: line["lap"] == 2)
        with MapServer(daemon.socket) as server, server.viewer() as page:
            assert not page.wait("HEARTBEAT")["mayControl"]
            page.send("RECORD")
            assert page.wait("RECORD")["state"] == "stopped"
            page.send("TRIP")
            assert page.wait("TRIP")["name"] == "day"
            page.send("TRIP", name="day", enable=False)
            assert page.wait_end() == 1008


# --- the ride so far -------------------------------------------------------------------------------------------------


def recorded(path, seconds):
    """Records fixes of a winding way; returns their places."""
    places, parts = [], []
    if not path.exists():
        parts.append(b"# handlebar-recording 1\n# device=gps\n# boot=1f0c9a7e\n# run=5\n")
    for second in seconds:
        start, longitude = 48 + 4e-4 * math.sin(second / 30), 11 + 6e-4 * math.cos(second / 40)
        places.append((start + 8 * second / 111_200, longitude))
        burst = nmea_sender.epoch(second, latitude=start, longitude=longitude, speed=8)
        parts.append(b"# t=%d u=%d src=0\n" % (1000 * second, 1000 * (1_773_921_600 + second)) + burst)
    with path.open("ab") as file:
        file.write(b"".join(parts))
    return places


def decoded(part):
    """The points of an encoded polyline."""
    numbers, number, shift = [], 0, 0
    for character in part["polyline"]:
        bits = ord(character) - 63
        number |= (bits & 31) << shift
        shift += 5
        if bits & 32 == 0:
            numbers.append(~(number >> 1) if number & 1 else number >> 1)
            number = shift = 0
    return list(zip(*(itertools.accumulate(numbers[first::2]) for first in (0, 1))))


def beside(place, start, end):
    """Metres from a place to the line between two points."""
    scale = 111_190, 111_190 * math.cos(math.radians(place[0]))
    (x, y), (dx, dy) = (tuple((one[axis] - start[axis]) * scale[axis] for axis in (0, 1)) for one in (place, end))
    share = max(0, min(1, (x * dx + y * dy) / ((dx * dx + dy * dy) or 1)))
    return math.hypot(x - share * dx, y - share * dy)


@measured
def test_five_hours_of_the_recorded_ride_are_read_within_a_second(folder):
    """In at most 3072 points, none of 18,000 fixes 5 m off their line; with the gaps; then only what is new is read; and in a few
    megabytes."""
    rides = folder / "rides"
    rides.mkdir()
    first, second = rides / "20260319T120000Z.nmea", rides / "20260319T120000Z-002.nmea"
    places = recorded(first, range(9000))
    places += recorded(first, range(9100, 14_000)) + recorded(second, range(14_000, 18_100))
    report = {"class": "RECORD", "state": "recording", "directory": str(rides), "ride": first.stem}
    lines = '{"class":"VERSION","release":"1","rev":"1"}\r\n' + json.dumps(report, separators=(",", ":")) + "\r\n"
    with pretending(folder / "daemon", lines) as path, MapServer(path) as server:
        # Without a ride there is nothing, which is no error.
        assert server.get("/trail.json")[0] == 204
        with server.viewer() as page:
            page.wait("RECORD")
        memory, begin = anonymous(server.pid), processor(server.pid)
        status, headers, body = server.get("/trail.json")
        seconds = processor(server.pid) - begin
        trail = json.loads(body)
        parts = [[(lat / 1e6, lon / 1e6) for lat, lon in decoded(part)] for part in trail["parts"]]
        print(f"read in {seconds:.2f} s and {anonymous(server.pid) - memory} KiB, {sum(map(len, parts))} points, {len(body)} bytes")
        assert status == 200 and headers["content-type"] == "application/json"
        # Of the newest epoch the end may not be known yet.
        assert trail["time"] in ("2026-03-19T17:01:39.000Z", "2026-03-19T17:01:38.000Z")
        assert seconds < 1 and sum(map(len, parts)) <= 3072 and len(parts) == 2
        assert anonymous(server.pid) - memory < 8192
        legs = [leg for part in parts for leg in itertools.pairwise(part)]
        # Of the way there and a little around it.
        legs.sort(key=lambda leg: min(leg[0][0], leg[1][0]))
        starts = [min(start[0], end[0]) for start, end in legs]
        for place in places[:-2:7]:
            near = legs[bisect.bisect(starts, place[0] - 0.02):bisect.bisect(starts, place[0] + 1e-5)]
            assert min(beside(place, *leg) for leg in near) < 5, place
        # It goes on in the same file and in a further one, also while the daemon is away.
        recorded(second, range(18_100, 18_160))
        recorded(rides / "20260319T120000Z-003.nmea", range(18_160, 18_200))
        begin = processor(server.pid)
        trail = json.loads(server.get("/trail.json")[2])
        assert trail["time"] >= "2026-03-19T17:03:18" and len(trail["parts"]) == 2
        assert processor(server.pid) - begin < 0.2


@pytest.mark.parametrize("report", [{"state": "stopped"}, {"state": "recording", "ride": "20260320T120000Z"}, {
    "state": "recording", "ride": "../rides/20260319T120000Z"}])
def test_a_ride_that_is_not_recorded_or_cannot_be_read_has_no_trail(folder, report):
    rides = folder / "rides"
    rides.mkdir()
    recorded(rides / "20260319T120000Z.nmea", range(10))
    reports = {"directory": str(rides), "ride": "20260319T120000Z", "state": "recording"}, report
    lines = "".join(json.dumps({"class": "RECORD", "directory": str(rides)} | one, separators=(",", ":")) + "\n" for one in reports)
    with pretending(folder / "daemon", lines) as path, MapServer(path) as server, server.viewer() as page:
        page.wait("RECORD", lambda line: line["state"] == report["state"] and line.get("ride") == report.get("ride"))
        assert server.get("/trail.json")[0] == 204


@needs_ipv6
def test_ipv6_loopback_needs_no_token(folder):
    with MapServer(folder / "absent", listen="[::1]:0") as server:
        assert server.url == f"http://{server.host}/" and server.host.startswith("[::1]:")
        assert server.get("/")[0] == 200


def test_at_most_16_viewers(folder):
    with playing(folder) as (daemon, server), contextlib.ExitStack() as stack:
        pages = [stack.enter_context(server.viewer()) for _ in range(16)]
        for page in pages:
            page.wait("WATCH")
        with server.viewer() as one_more:
            error = one_more.wait("ERROR")
            assert error["code"] == "tooManyViewers" and "16" in error["message"]
            assert one_more.wait_end() == 1011
        pages.pop().close()
        until(lambda: clients(daemon) == 15, "the end of one")
        with server.viewer() as page:
            page.wait("POSE")


@pytest.mark.slow
def test_100_connections_do_not_disturb_viewers(folder):
    """Connections that send nothing, or half a request, are closed in the end; pages that are open go on."""
    with playing(folder) as (_, server), contextlib.ExitStack() as stack:
        page = stack.enter_context(server.viewer())
        page.wait("POSE")
        idle = [stack.enter_context(socket.create_connection(server.place, TIMEOUT)) for _ in range(100)]
        for one in idle[::2]:
            with contextlib.suppress(OSError):
                one.sendall(b"GET / HTTP/1.1\r\nHost: ")
        page.lines.clear()
        for _ in range(20):
            page.wait("POSE")
        for one in idle:
            one.settimeout(TIMEOUT)
            with contextlib.suppress(ConnectionResetError):
                while one.recv(4096):
                    pass
        assert server.get("/")[0] == 200
        page.lines.clear()
        page.wait("POSE")


@measured
def test_a_slow_viewer_gets_the_newest(folder):
    """A page that does not read holds up nobody, grows nothing, and reads the newest fix when it reads again."""
    with Receiver(folder / "gps0") as receiver, Daemon(folder, f"serial:{receiver.link}") as daemon, daemon.connect() as client:
        with MapServer(daemon.socket) as server, server.viewer() as page, server.viewer(window=4096) as slow:
            page.wait("WATCH")
            slow.wait("WATCH")
            client.watch(distanceFilter=0)
            newest = 0

            def ride(count):
                nonlocal newest
                for number in range(newest, newest + count):
                    receiver.write(nmea_sender.epoch(number, period=0.1))
                    newest = client.wait("TPV", lambda fix: "seq" in fix)["seq"]

            def replaced():
                client.send("?STATUS;")
                return client.wait("STATUS")["counts"]["replacedFixes"]

            ride(10)
            before = resident(server.pid)
            ride(60)
            # Less than the 10 s after which the daemon closes a client that does not read.
            until(lambda: replaced() > 10 or ride(10), "fixes that are replaced")
            assert page.wait("TPV", lambda line: line.get("seq", 0) >= newest)["seq"] == newest
            assert resident(server.pid) - before < 2_000_000
            seqs = []
            while not seqs or seqs[-1] < newest:
                seqs.append(slow.wait("TPV", lambda line: "seq" in line)["seq"])
            print("the slow page has read", len(seqs), "of", newest, "fixes")
            assert seqs == sorted(seqs) and len(seqs) < newest


def resident(pid):
    pages = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


@measured
def test_a_viewer_costs_little(folder):
    """With 1, 4 and 16 viewers, the server takes at most 1 % of a processor for each; a build for debugging three times that."""
    with playing(folder, query="loop=true") as (daemon, server), contextlib.ExitStack() as stack:
        pages = []
        for count in (1, 4, 16):
            while len(pages) < count:
                pages.append(stack.enter_context(server.viewer()))
                pages[-1].wait("POSE")
            begin, server_begin, daemon_begin = time.monotonic(), processor(server.pid), processor(daemon.pid)
            while time.monotonic() - begin < 3:
                for page in pages:
                    page.receive()
            wall = time.monotonic() - begin
            percent = [100 * (after - before) / wall for before, after in (
                (server_begin, processor(server.pid)), (daemon_begin, processor(daemon.pid)))]
            print("{} viewers: percent of a processor: server {:.2f}, daemon {:.2f}; server resident {:.1f} MB".format(
                count, *percent, resident(server.pid) / 1e6))
            assert percent[0] / count < 3


def test_completion_and_help_name_the_command():
    code, out, _ = control("/nowhere", "map", "--help")
    assert code == 0 and "--tiles" in out and "--listen" in out and "--ride" in out and "--open" in out


@pytest.mark.skipif(shutil.which("xdg-open") is not None, reason="it would open a browser")
def test_open_without_a_browser_says_so(folder):
    with MapServer(folder / "absent", "--open") as server:
        assert "xdg-open" in server.process.stderr.readline()
        assert server.get("/")[0] == 200


def test_open_hides_the_token_from_other_users(folder, monkeypatch):
    """They can read command lines: the browser gets a file of this user that leads to the address."""
    program = folder / "xdg-open"
    program.write_text(f'#!/bin/sh\n{{ echo "$1"; stat -c %a "$1"; cat "$1"; }} >{folder}/new\nmv {folder}/new {folder}/opened\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    with MapServer(folder / "absent", "--open", listen="0.0.0.0:0") as server:
        assert "?token=" in server.url
        until(lambda: (folder / "opened").exists(), "the browser")
        path, mode, *page = (folder / "opened").read_text().splitlines()
        assert path.startswith(f"{folder}/handlebar-map-") and path.endswith(".html") and mode == "600"
        assert f'content="0; url={server.url}"' in "".join(page)
        server.stop()
        assert not pathlib.Path(path).exists()


def test_open_starts_the_browser_with_an_address_without_a_token(folder, monkeypatch):
    program = folder / "xdg-open"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" >{folder}/opened\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    with MapServer(folder / "absent", "--open") as server:
        until(lambda: (folder / "opened").exists() and (folder / "opened").read_text() == server.url, "the browser")


# --- Prometheus ------------------------------------------------------------------------------------------------------


def metrics(server, path="/metrics"):
    """The samples of one scrape, by their names."""
    status, headers, body = server.get(path)
    assert status == 200 and headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {one.name: one for family in text_string_to_metric_families(body.decode()) for one in family.samples}


def test_prometheus_reads_the_status(folder):
    with playing(folder) as (daemon, server), daemon.connect() as client:
        client.watch()
        client.wait("TPV", lambda fix: "lat" in fix)
        came = metrics(server)
        client.send("?STATUS;")
        status = client.wait("STATUS")
    assert came["handlebar_up"].value == came["handlebar_source_tracking"].value == 1
    assert came["handlebar_source_tracking"].labels == {"source": "recording", "device": str(RECORDING)}
    assert 0 < came["handlebar_fixes_total"].value <= status["counts"]["fixes"]
    assert 0 < came["handlebar_uptime_seconds"].value <= status["uptime"]
    totals = {name.removeprefix("handlebar_").removesuffix("_total") for name in came if name.endswith("_total")}
    assert totals == {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower() for name in status["counts"]}
    assert "not_ascii" in totals


def test_prometheus_sees_that_the_daemon_is_down(folder):
    with MapServer(folder / "absent") as server:
        assert {name: one.value for name, one in metrics(server).items()} == {"handlebar_up": 0}


def test_prometheus_needs_the_token(folder):
    with playing(folder, listen="0.0.0.0:0") as (_, server):
        server.host = f"127.0.0.1:{server.place[1]}"
        server.place = "127.0.0.1", server.place[1]
        assert server.get("/metrics")[0] == 403
        assert server.get("/metrics?token=0")[0] == 403
        token = server.url.partition("token=")[2]
        assert metrics(server, f"/metrics?token={token}")["handlebar_up"].value == 1
