"""Fixtures of every test: a temporary folder, the built programs, the bundled track."""

import fcntl
import functools
import os
import pathlib
import random
import subprocess
import tempfile
import time

import pytest

import epoch_oracle
from handlebar_harness import BIN, RECORDING, TIMEOUT, own_folder, received


def pytest_addoption(parser):
    parser.addoption("--only", default="", help="only the tests whose name, or whose file's name, contains this")


def pytest_configure(config):
    # Receivers, daemons and clients have time-outs, as real ones do: nothing else on this machine keeps them waiting.
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    except PermissionError:
        subprocess.run(["sudo", "-n", "renice", "-n", "-10", "-p", str(os.getpid())], capture_output=True, check=False)
    for name in ("handlebard", "handlebarctl"):
        if not config.option.collectonly and not (BIN / name).exists():
            raise pytest.UsageError(f"{BIN / name} is missing: `make test` builds it")


def pytest_collection_modifyitems(config, items):
    if name := config.option.only:
        config.hook.pytest_deselected(items=[item for item in items if name not in item.nodeid])
        items[:] = [item for item in items if name in item.nodeid]
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="session")
def interposed(tmp_path_factory):
    """The library of interposed.c, for LD_PRELOAD."""
    library = tmp_path_factory.mktemp("interposed") / "interposed.so"
    source = pathlib.Path(__file__).with_name("interposed.c")
    subprocess.run(["cc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


SLOTS = 6 * os.cpu_count()


def slot():
    """A place among the tests that run on this machine at once, for this user, held until it is closed."""
    folder = pathlib.Path(tempfile.gettempdir()) / f"handlebar-test-slots-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    while True:
        for number in random.sample(range(SLOTS), SLOTS):
            place = os.open(folder / str(number), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return place
            except BlockingIOError:
                os.close(place)
        time.sleep(0.1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """Two runs at once have as many tests at once as one: receivers and daemons have time-outs, as real ones do."""
    place = slot()
    try:
        return (yield)
    finally:
        os.close(place)


@pytest.fixture
def folder():
    with own_folder() as path:
        yield path


@pytest.fixture(scope="session")
def ubx_ride(tmp_path_factory):
    """A recording of a receiver that sends UBX only."""
    path = tmp_path_factory.mktemp("ubx") / "ride.nmea"
    command = [BIN / "handlebarctl", "simulate", "--ride", "tour", "--length", "2000", "--receiver", "ublox-ubx-5hz", "-o", path]
    subprocess.run(command, check=True, timeout=3 * TIMEOUT)
    return path


@pytest.fixture
def ride(request):
    """The recording that the clients are shown: the bundled one, or that in UBX, with the parameter `ubx`."""
    return request.getfixturevalue("ubx_ride") if getattr(request, "param", "") == "ubx" else RECORDING


@functools.cache
def places(path):
    log = received(path.read_bytes())
    if b"\xb5\x62" in log:
        return [(message.lat, message.lon) for message in epoch_oracle.ubx_solutions(log)]
    return [place for epoch in epoch_oracle.epochs(log) for place in epoch.positions]


@pytest.fixture
def track(ride):
    """Every position of the ride that the clients receive."""
    return places(ride)


@pytest.fixture
def patient(request, monkeypatch):
    """The Python client waits for a busy machine as long as a test does."""
    limits = request.module.handlebar._limits
    monkeypatch.setattr(limits, "CONNECT_TIMEOUT", TIMEOUT)
    monkeypatch.setattr(limits, "ANSWER_TIMEOUT", TIMEOUT)


@pytest.fixture(autouse=True)
def own_state(folder, monkeypatch):
    """Programs keep the user's state, such as the token of the map page, in the test's folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state-home"))
