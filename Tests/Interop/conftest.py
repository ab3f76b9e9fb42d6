"""Fixtures of every test: a temporary folder, the built programs, the bundled track."""

import pytest

import epoch_oracle
from handlebar_harness import BIN, RECORDING, own_folder


def pytest_configure():
    for name in ("handlebard", "handlebarctl"):
        if not (BIN / name).exists():
            raise pytest.UsageError(f"{BIN / name} is missing: `make test` builds it")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture
def folder():
    with own_folder() as path:
        yield path


@pytest.fixture(scope="session")
def track():
    """Every position of the recording that the clients receive."""
    log = b"".join(line for line in RECORDING.read_bytes().splitlines(keepends=True) if not line.startswith(b"#"))
    return [place for epoch in epoch_oracle.epochs(log) for place in epoch.positions]


@pytest.fixture(autouse=True)
def own_state(folder, monkeypatch):
    """Programs keep the user's state, such as the token of the map page, in the test's folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state-home"))
