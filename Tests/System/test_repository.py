"""The apt repository: a bare Debian that knows nothing but its address and key installs the daemon, and nothing that the key did
not sign."""

import functools
import http.server
import os
import re
import shutil
import subprocess
import threading

import pytest

import images
from handlebar_harness import ROOT

pytestmark = pytest.mark.booted
KEY = "rider@handlebar.example"
# As the manual has it.
LINE = re.search(r"(?m)^\.Dl (deb .*)$", (ROOT / "packaging/man/handlebar-pi.7").read_text())[1]


@pytest.fixture
def repository(folder, gpg):
    """A folder with the package, signed, and the address at which it is served."""
    place = folder / "repository"
    place.mkdir()
    try:
        images.need("apt-ftparchive")
        shutil.copy(images.package(), place)
    except images.Missing as missing:
        pytest.skip(str(missing))
    gpg("--passphrase", "", "--quick-generate-key", KEY)
    subprocess.run([ROOT / "packaging/repository", place], env=os.environ | {"KEY": KEY, "GNUPGHOME": gpg.home}, check=True)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=place)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield place, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def root(repository):
    place, address = repository
    try:
        with images.root() as path:
            for one in (path / "etc/apt").glob("sources.list*"):
                shutil.rmtree(one) if one.is_dir() else one.unlink()
            (path / "etc/apt/keyrings").mkdir(exist_ok=True)
            shutil.copy(place / "handlebar.asc", path / "etc/apt/keyrings")
            (path / "etc/apt/sources.list").write_text(LINE.replace("ADDRESS", address) + "\n")
            yield path
    except images.Missing as missing:
        pytest.skip(str(missing))


UPDATE = "apt-get update --error-on=any"


def test_a_bare_system_installs_from_its_address_and_key(root):
    images.inside(root, f"{UPDATE} && apt-get install --yes handlebard")
    assert images.inside(root, "dpkg-query -W -f '${db:Status-Status}' handlebard") == "installed"
    assert images.inside(root, "handlebarctl --version").strip()


def test_what_the_key_did_not_sign_is_refused(root, repository):
    place, _ = repository
    index = place / "InRelease"
    index.write_text(index.read_text().replace("Origin: handlebar", "Origin: another"))
    with pytest.raises(images.Missing, match="(?s)signatures? (was|were) invalid|BADSIG"):
        images.inside(root, UPDATE)
