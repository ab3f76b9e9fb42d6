"""What every test gets: the folder of one test, and what `make install` puts into place."""

import os
import pathlib
import subprocess

import pytest

from handlebar_harness import BIN, ROOT, own_folder


def pytest_configure():
    for name in ("handlebard", "handlebarctl"):
        if not (BIN / name).exists():
            raise pytest.UsageError(f"{BIN / name} is missing: `make build` makes it")


FIGURES = []


@pytest.fixture
def figures():
    """What was measured; printed at the end."""
    return FIGURES


def pytest_terminal_summary(terminalreporter):
    for line in FIGURES:
        terminalreporter.write_line(line)


@pytest.fixture
def folder():
    with own_folder() as path:
        yield path


@pytest.fixture(scope="session")
def installed():
    """The root of an installation, as DESTDIR makes it."""
    with own_folder() as path:
        environment = os.environ | {"DESTDIR": str(path), "PREFIX": "/usr", "BIN": str(BIN)}
        subprocess.run([ROOT / "packaging" / "install"], env=environment, check=True)
        yield pathlib.Path(path)


@pytest.fixture
def gpg(folder):
    """gpg with a home of its own."""
    home = folder / "gpg"
    home.mkdir(mode=0o700)
    # By default its agent measures for seconds how often it can hash a passphrase.
    (home / "gpg-agent.conf").write_text("s2k-count 65536\n")

    def run(*arguments):
        done = subprocess.run(["gpg", "--batch", *arguments], env=os.environ | {"GNUPGHOME": str(home)}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stderr

    run.home = str(home)
    yield run
    subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False)
