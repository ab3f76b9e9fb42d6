"""The map page as a service on a booted Debian: there when the ignition is, at the same address after every restart."""

import contextlib
import re
import shutil

import pytest

import images
from handlebar_harness import RECORDING, ROOT
from userland import Userland

pytestmark = pytest.mark.booted
LEAFLET = "/usr/share/javascript/leaflet"
# Not limited to five in 10 s.
RESTART = "systemctl reset-failed handlebar-map.service; systemctl restart handlebar-map"
# Run in the container, which has a network of its own: a request, its time in milliseconds, and a page's first position.
HANDS = """\
import sys, time
sys.path.insert(0, "/opt/test")
import map_server
server = map_server.MapServer.__new__(map_server.MapServer)
server.place, server.host = ("127.0.0.1", 8480), "127.0.0.1:8480"
path, cookie = sys.argv[1:]
cookies = {"Cookie": cookie} if cookie else {}
begin = time.monotonic()
status, headers, body = server.get(path, **cookies)
print(status, round(1000 * (time.monotonic() - begin)), len(body), headers.get("set-cookie", "-").split(";")[0])
if status == 200:
    with server.viewer(**cookies) as page:
        print(page.wait("TPV", lambda line: "lat" in line)["lat"], page.wait("HEARTBEAT")["mayControl"])
"""


@pytest.fixture(scope="module")
def board():
    """A board with the package and Leaflet, on which a ride is played."""
    with contextlib.ExitStack() as stack:
        try:
            root = stack.enter_context(images.root("libjs-leaflet"))
            (root / "package.deb").write_bytes(images.package().read_bytes())
            images.inside(root, "dpkg -i /package.deb && rm /package.deb && useradd --create-home --groups handlebar rider")
            (root / "opt" / "test").mkdir(parents=True)
            for name in ("map_server.py", "handlebar_harness.py"):
                shutil.copy(ROOT / "Tests" / "Interop" / name, root / "opt" / "test")
            (root / "opt" / "test" / "hands.py").write_text(HANDS)
            shutil.copy(RECORDING, root / "opt" / "ride.nmea")
            (root / "etc" / "handlebar" / "handlebard.toml").write_text('sources = ["recording:/opt/ride.nmea?loop=true"]\n')
            board = stack.enter_context(Userland(root))
        except images.Missing as missing:
            pytest.skip(str(missing))
        board.run("systemctl enable --now handlebar-map")
        yield board


def get(board, path="/", cookie="''"):
    """Status, milliseconds, bytes, cookie; and what a page receives, if it is allowed."""
    first, *further = board.run(f"python3 /opt/test/hands.py '{path}' {cookie}").stdout.splitlines()
    status, time, size, cookie = first.split()
    return int(status), int(time), int(size), cookie, further


def journal(board):
    return board.journal("--unit=handlebar-map --lines=30")


def bookmark(board):
    """The path with the token, and the cookie that a browser gets for it."""
    url = board.run("handlebarctl map --address").stdout.strip()
    match = re.fullmatch(r"http://[^/]+:8480(/\?token=[0-9a-f]{32})", url)
    assert match, url
    status, _, _, cookie, _ = get(board, match[1])
    assert status == 303 and cookie.startswith("handlebar-map-8480=")
    return match[1], cookie


def test_the_page_is_served_with_the_token_only(board, figures):
    """Closed as far as its work lets it; a page with the token receives positions and may control the recording."""
    assert board.show("handlebar-map", "ActiveState") == "active", journal(board)
    path, cookie = bookmark(board)
    assert get(board)[0] == 403
    status, _, size, _, page = get(board, "/", cookie)
    latitude, may_record = page[0].split()
    assert status == 200 and size > 1000 and 48 < float(latitude) < 49 and may_record == "True"
    said = board.run("systemd-analyze security --no-pager handlebar-map.service").stdout
    level = float(re.search(r"Overall exposure level for \S+: (\d+\.\d+)", said)[1])
    figures.append(f"exposure of the map page as installed: {level}")
    assert level <= 1.2
    # Root alone prints the address, which is not in the journal either.
    refused = board.run("handlebarctl map --address", user="rider", check=False)
    assert refused.returncode == 66 and "sudo handlebarctl map --address" in refused.stderr
    assert path.partition("=")[2] not in board.journal("--lines=500")


def test_a_request_starts_the_service(board, figures):
    """Its socket listens without it; whoever comes first waits until it is there."""
    _, cookie = bookmark(board)
    times = []
    for _ in range(5):
        # Without the limit of starts in 10 s.
        board.run("systemctl stop handlebar-map.service; systemctl reset-failed handlebar-map.service handlebar-map.socket")
        assert board.show("handlebar-map.socket", "ActiveState") == "active"
        assert board.show("handlebar-map.service", "ActiveState") == "inactive"
        status, time, *_ = get(board, "/", cookie)
        assert status == 200
        times.append(time)
    figures.append(f"the map page's first answer, with the start of its service: {min(times)} to {max(times)} ms")
    assert min(times) < 3000


def test_a_bookmark_works_after_ten_restarts(board):
    path, cookie = bookmark(board)
    for _ in range(10):
        board.run(RESTART)
        assert bookmark(board)[0] == path and get(board, "/", cookie)[0] == 200
    # A new token ends it.
    changed = board.run("handlebarctl map --address --new-token")
    assert "systemctl restart handlebar-map" in changed.stderr
    board.run(RESTART)
    assert get(board, path)[0] == 403 and get(board, "/", cookie)[0] == 403
    assert bookmark(board)[0] != path


def test_a_kiosk_runs_beside_the_service(board):
    """At an address of its own, for a user of the group; it ends with the browser."""
    board.run("printf '#!/bin/sh\\nfor last; do :; done\\necho \"$1\" >/tmp/kiosk\\ncat \"$last\" >>/tmp/kiosk\\n' >/usr/local/bin/chromium"
              " && chmod 755 /usr/local/bin/chromium")
    done = board.run("HOME=/home/rider XDG_RUNTIME_DIR=/tmp handlebarctl map --kiosk", user="rider")
    assert re.fullmatch(r"http://127\.0\.0\.1:8481/\?token=[0-9a-f]{32}", done.stdout.strip())
    assert done.stdout.strip() in board.run("cat /tmp/kiosk").stdout
    assert board.run("head -1 /tmp/kiosk").stdout == "--kiosk\n"
    board.run("rm /usr/local/bin/chromium")
    refused = board.run("HOME=/home/rider handlebarctl map --kiosk", user="rider", check=False)
    assert refused.returncode == 69 and "sudo apt-get install chromium" in refused.stderr


def test_without_leaflet_the_service_says_what_to_install(board):
    """It is not started again and again."""
    board.run(f"mv {LEAFLET} {LEAFLET}.away; {RESTART}")
    board.until(lambda: board.show("handlebar-map", "ActiveState") == "failed", "the failure")
    assert board.show("handlebar-map", "ExecMainStatus") == "69" and board.show("handlebar-map", "NRestarts") == "0"
    assert "install it: sudo apt-get install libjs-leaflet" in journal(board)
    board.run(f"mv {LEAFLET}.away {LEAFLET}; {RESTART}")
    assert get(board, "/", bookmark(board)[1])[0] == 200
