"""The README's blocks that need a board: run on one, in order, as they are printed."""

import contextlib
import importlib.machinery
import importlib.util
import shutil

import pytest

import images
from handlebar_harness import ROOT
from receiver import Receiver
from userland import Userland

pytestmark = pytest.mark.booted


def blocks():
    """(line number, text) of each block that is for a board."""
    loader = importlib.machinery.SourceFileLoader("readme", str(ROOT / "Tests" / "Readme" / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("readme", loader))
    loader.exec_module(module)
    found = module.blocks((ROOT / "README.md").read_text())
    return [(number, body) for number, _, how, _, body in found if how == "board"]


def test_blocks_work_as_printed():
    with contextlib.ExitStack() as stack:
        try:
            root = stack.enter_context(images.root())
            checkout = root / "checkout" / ".build-deb"
            checkout.mkdir(parents=True)
            shutil.copy(images.package(), checkout)
            images.as_typed_by(root, "rider")
            receiver = stack.enter_context(Receiver(group=20))
            board = stack.enter_context(Userland(root, binds=[(receiver.path, "/dev/ttyGPS0")]))
        except images.Missing as missing:
            pytest.skip(str(missing))
        count = 0
        for number, body in blocks():
            board.run(f"cd /checkout; export USER=rider\nset -eu\n{body}")
            count += 1
            if count == 1:
                board.run("ln -s ttyGPS0 /dev/gps0")
                board.until(lambda: board.run("handlebarctl status", check=False).returncode == 0, "a fix")
        assert count >= 3
        assert "handlebar" in board.run("id -nG rider").stdout.split()
        board.until(lambda: board.run("handlebarctl status", check=False).returncode == 0, "a fix")
        board.until(lambda: board.run("ls /var/lib/handlebar/rides").stdout.strip(), "a recording")
        assert board.show("handlebard", "PrivateNetwork") == "no"
        board.run("DEBIAN_FRONTEND=noninteractive apt-get purge --yes handlebard")
