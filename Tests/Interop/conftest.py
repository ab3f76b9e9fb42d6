"""What every test gets: a folder of its own, and binaries that are there."""

import pytest

import epoch_oracle
from handlebar_harness import BIN, RECORDING, own_folder


def pytest_configure():
    for name in ("handlebard", "handlebarctl"):
        if not (BIN / name).exists():
            raise pytest.UsageError(f"{BIN / name} is missing: `make test` builds it")


@pytest.fixture
def folder():
    with own_folder() as path:
        yield path


@pytest.fixture(scope="session")
def track():
    """Every position of the recording that the clients are shown."""
    log = b"".join(line for line in RECORDING.read_bytes().splitlines(keepends=True) if not line.startswith(b"#"))
    return [place for epoch in epoch_oracle.epochs(log) for place in epoch.positions]
