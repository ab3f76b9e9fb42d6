"""`make install`: every file in its place, under any prefix, and nobody's configuration overwritten."""

import os
import re
import stat
import subprocess

from handlebar_harness import BIN, ROOT

FILES = {
    "usr/sbin/handlebard": 0o755,
    "usr/bin/handlebarctl": 0o755,
    "usr/lib/systemd/system/handlebard.service": 0o644,
    "usr/lib/systemd/system/handlebard.socket": 0o644,
    "usr/lib/systemd/system/handlebar-forward.service": 0o644,
    "usr/lib/systemd/system/handlebar-map.service": 0o644,
    "usr/lib/systemd/system/handlebar-map.socket": 0o644,
    "usr/lib/systemd/system/handlebar-sensors.service": 0o644,
    "usr/share/handlebard/forward.env": 0o644,
    "usr/share/handlebard/map.env": 0o644,
    "usr/lib/sysusers.d/handlebard.conf": 0o644,
    "usr/lib/tmpfiles.d/handlebard.conf": 0o644,
    "usr/lib/udev/rules.d/65-handlebar.rules": 0o644,
    "usr/share/handlebard/64-handlebar-local.rules": 0o644,
    "usr/share/handlebard/network.conf": 0o644,
    "usr/share/handlebard/gpio.conf": 0o644,
    "usr/share/handlebard/chrony.conf": 0o644,
    "usr/share/handlebard/geoclue.conf": 0o644,
    "usr/lib/systemd/system/chrony.service.d/handlebard.conf": 0o644,
    "usr/share/man/man1/handlebarctl.1.gz": 0o644,
    "usr/share/man/man5/handlebard.toml.5.gz": 0o644,
    "usr/share/man/man7/handlebar-protocol.7.gz": 0o644,
    "usr/share/man/man7/handlebar-pi.7.gz": 0o644,
    "usr/share/handlebard/protocol.schema.json": 0o644,
    "usr/share/man/man8/handlebard.8.gz": 0o644,
    "usr/share/bash-completion/completions/handlebard": 0o644,
    "usr/share/bash-completion/completions/handlebarctl": 0o644,
    "usr/share/zsh/vendor-completions/_handlebard": 0o644,
    "usr/share/zsh/vendor-completions/_handlebarctl": 0o644,
    "usr/share/fish/vendor_completions.d/handlebard.fish": 0o644,
    "usr/share/fish/vendor_completions.d/handlebarctl.fish": 0o644,
    "etc/handlebar/handlebard.toml": 0o644,
}


def files(root):
    found = (one for one in root.rglob("*") if one.is_file())
    return {str(one.relative_to(root)): stat.S_IMODE(one.stat().st_mode) for one in found}


def install(destination, prefix):
    environment = os.environ | {"DESTDIR": str(destination), "PREFIX": prefix, "BIN": str(BIN)}
    subprocess.run([ROOT / "packaging" / "install"], env=environment, check=True, umask=0o077)


def test_every_file(installed):
    assert files(installed) == FILES
    assert all(stat.S_IMODE(one.stat().st_mode) == 0o755 for one in installed.rglob("*") if one.is_dir())


def test_prefix(folder):
    """Elsewhere the unit starts the daemon that was installed with it; configuration stays in /etc."""
    install(folder, "/opt/handlebar")
    unit = (folder / "opt/handlebar/lib/systemd/system/handlebard.service").read_text()
    assert "\nExecStart=/opt/handlebar/sbin/handlebard\n" in unit
    assert (folder / "etc/handlebar/handlebard.toml").exists()
    assert not (folder / "usr").exists()


def test_configuration_is_its_owners(folder):
    install(folder, "/usr")
    configuration = folder / "etc/handlebar/handlebard.toml"
    configuration.write_text("distance-filter = 3\n")
    install(folder, "/usr")
    assert configuration.read_text() == "distance-filter = 3\n"


def test_default_configuration_is_right(installed):
    done = subprocess.run(
        [BIN / "handlebard", "--config", installed / "etc/handlebar/handlebard.toml", "--check-config"],
        capture_output=True, text=True, check=False,
    )
    assert done.returncode == 0, done.stderr


def make(*arguments):
    """`make` in this checkout, by someone who finds no Swift."""
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "BIN", "DESTDIR", "SWIFT")}
    return subprocess.run(
        ["make", "--no-print-directory", "-C", ROOT, "SWIFT=no-swift-here", *map(str, arguments)],
        capture_output=True, text=True, check=False, env=environment,
    )


def test_root_needs_no_swift(folder):
    """What the user has built is installed as it is."""
    done = make("install", f"BIN={BIN}", f"DESTDIR={folder}")
    assert done.returncode == 0, done.stderr
    assert files(folder) == FILES


def test_what_is_not_built_is_said(folder):
    """And nothing is installed."""
    done = make("install", f"BIN={folder}/absent", f"DESTDIR={folder}/root")
    assert done.returncode
    said = [line for line in done.stderr.splitlines() if not re.match(r"make(\[\d+\])?: ", line)]
    assert len(said) == 1 and "run make build first" in said[0], done.stderr
    assert not (folder / "root").exists()


# Stands for Swift: says its version, and builds by copying what was built before.
BUILDER = """\
#!/bin/sh
case "$1" in
  --version) echo "Swift version 6.3" ;;
  build) echo "$*" >>"{folder}/builds"; mkdir -p "{folder}/built"; cp "{bin}/handlebard" "{bin}/handlebarctl" "{folder}/built" ;;
esac
"""


def test_one_command_suffices_where_swift_is(folder):
    """What is not there yet is built once, and not again."""
    builder = folder / "swift"
    builder.write_text(BUILDER.format(folder=folder, bin=BIN))
    builder.chmod(0o755)
    for _ in range(2):
        done = make(f"SWIFT={builder}", "install", f"BIN={folder}/built", f"DESTDIR={folder}/root")
        assert done.returncode == 0, done.stderr
        assert files(folder / "root") == FILES
    (build,) = (folder / "builds").read_text().splitlines()
    assert build.startswith("build -c release ")
