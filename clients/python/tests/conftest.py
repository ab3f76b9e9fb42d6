"""Fixtures: a folder with a short path, and a peer in place of the daemon."""

import pathlib
import sys
import tempfile

import pytest

# The sources, where the package is not installed.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from handlebar import _limits  # noqa: E402
from peer import TIMEOUT, Peer  # noqa: E402


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """The client waits for a busy machine as long as a test does."""
    monkeypatch.setattr(_limits, "CONNECT_TIMEOUT", TIMEOUT)
    monkeypatch.setattr(_limits, "ANSWER_TIMEOUT", TIMEOUT)


@pytest.fixture
def folder():
    # The path of a socket has 107 bytes at most.
    with tempfile.TemporaryDirectory() as path:
        yield pathlib.Path(path)


@pytest.fixture
def peer(folder):
    with Peer(folder) as one:
        yield one
