"""What every test gets: a folder of its own, and binaries that are there."""

import pytest

from handlebar_harness import BIN, own_folder


def pytest_configure():
    for name in ("handlebard", "handlebarctl"):
        if not (BIN / name).exists():
            raise pytest.UsageError(f"{BIN / name} is missing: `make test` builds it")


@pytest.fixture
def folder():
    with own_folder() as path:
        yield path
