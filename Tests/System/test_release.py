"""A release: what is in it, the same bytes wherever it is made, and what is in the way. The packages are built by a stand-in for
make; of the real ones see test_package.py."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile

import pytest

import images
from handlebar_harness import BIN, ROOT, until

pytestmark = pytest.mark.skipif(images.NATIVE != "amd64", reason="a release is made on amd64")
VERSION = "0.1.0"
CHANGELOG = f"""\
# Changes

## {VERSION}, 2026-12-01

### Protocol

- `TRIP`.

## 0.0.1, 2026-01-01

- Older.
"""
FILES = {
    "Packages", "Packages.gz", "RELEASE-NOTES.md", "Release", "SHA256SUMS", f"handlebar-{VERSION}.spdx.json",
    f"handlebar-{VERSION}.tar.gz", f"handlebar_client-{VERSION}-py3-none-any.whl", f"handlebar_client-{VERSION}.tar.gz",
    f"handlebard_{VERSION}+deb0_amd64.deb", f"handlebard_{VERSION}+deb0_arm64.deb", f"python3-handlebar_{VERSION}+deb0_all.deb",
    "manual/handlebar-sensors.1.html", "manual/handlebard.8.html", "manual/handlebard.toml.5.html",
}
# Stands for make deb.
MAKE = """\
#!/bin/bash
set -eu
architecture=amd64
for word; do case $word in ARCH=*) architecture=${word#*=} ;; OUT=*) out=${word#*=} ;; esac; done
case ${FAULT:-} in
  cross) [ $architecture = amd64 ] || { echo 'cross: the emulator is missing' >&2; exit 1; } ;;
  hang) echo begun >"$BEGUN"; exec sleep infinity ;;
esac
# package NAME ARCHITECTURE PAGE…
package() {
  root=$(mktemp -d)
  mkdir -p "$root"/{DEBIAN,usr/share/doc/$1,usr/share/man/man{1,5,8}}
  printf 'Package: %s\\nVersion: 0.1.0+deb0\\nArchitecture: %s\\nMaintainer: x <x@y>\\nDescription: x\\n' $1 $2 >"$root/DEBIAN/control"
  if [ "${FAULT:-}" = versions ]; then echo swift-nio $architecture; fi >"$root/usr/share/doc/$1/resolved-packages"
  for page in "${@:3}"; do gzip -9n <"$PAGES/$page" >"$root/usr/share/man/man${page##*.}/$page.gz"; done
  find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zgzip --build "$root" "$out/$1_0.1.0+deb0_$2.deb" >/dev/null
  rm -r "$root"
}
package handlebard $architecture handlebard.8 handlebard.toml.5
package python3-handlebar all handlebar-sensors.1
"""
LICENCE = "Apache License\nVersion 2.0, January 2004\n"


def git(tree, *arguments):
    options = ("-c", "user.name=x", "-c", "user.email=x@y", "-c", "commit.gpgSign=false", "-c", "tag.gpgSign=false")
    subprocess.run(["git", "-C", tree, *options, *arguments], check=True, capture_output=True)


def furnish(tree):
    """What the tests and a build leave beside the sources."""
    (tree / ".build-peers").symlink_to(sys.prefix)
    checkout = tree / ".build/checkouts/swift-nio"
    checkout.mkdir(parents=True)
    (checkout / "LICENSE.txt").write_text(LICENCE)
    nio = {
        "packageRef": {"identity": "swift-nio", "location": "https://github.com/apple/swift-nio.git"}, "subpath": "swift-nio",
        "state": {"checkoutState": {"version": "2.101.2", "revision": "abc"}},
    }
    (tree / ".build/workspace-state.json").write_text(json.dumps({"object": {"dependencies": [nio]}}))


@pytest.fixture
def tree(folder):
    """A small clone with a tag."""
    path = folder / "tree"
    (path / "packaging").mkdir(parents=True)
    (path / "packaging/debian").mkdir()
    for name in ("changelog", "debian/control", "release", "repository", "sbom"):
        shutil.copy(ROOT / "packaging" / name, path / "packaging" / name)
    shutil.copytree(ROOT / "clients/python", path / "clients/python", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    module = path / "clients/python/handlebar/__init__.py"
    module.write_text(re.sub(r'__version__ = ".*"', f'__version__ = "{VERSION}"', module.read_text()))
    version = path / "Sources/GPSDProtocol/Reports/VersionReport.swift"
    version.parent.mkdir(parents=True)
    version.write_text(f'  package static let currentRelease = "{VERSION}"\n')
    (path / "CHANGELOG.md").write_text(CHANGELOG)
    shutil.copy(ROOT / ".gitignore", path)
    git(path, "init", "--quiet")
    git(path, "add", "--all")
    git(path, "commit", "--quiet", "--message", "All")
    git(path, "tag", f"v{VERSION}")
    furnish(path)
    return path


def command(folder, **variables):
    """The options of a process that makes a release."""
    make = folder / "make"
    make.write_text(MAKE)
    make.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name not in ("KEY", "MAKEFLAGS", "GPG_TTY", "DISPLAY")}
    environment |= {"MAKE": str(make), "PAGES": str(ROOT / "packaging/man")} | variables
    return {"env": environment, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}


def release(tree, folder, umask=-1, **variables):
    return subprocess.run([tree / "packaging/release"], check=False, umask=umask, **command(folder, **variables))


def refused(tree, folder, sentence, **variables):
    """Makes a release, which is refused with a sentence: the earlier one stays as it is, and nothing else is left."""
    (tree / ".build-release").mkdir()
    (tree / ".build-release/earlier").touch()
    done = release(tree, folder, **variables)
    assert done.returncode == 1 and re.search(sentence, done.stderr), done.stderr
    assert [one.name for one in tree.glob(".build-release*")] == [".build-release"]
    assert [one.name for one in (tree / ".build-release").iterdir()] == ["earlier"]


def files(tree):
    root = tree / ".build-release"
    return {str(one.relative_to(root)): one.read_bytes() for one in root.rglob("*") if one.is_file()}


def test_a_release_is_complete_and_the_same_bytes_on_another_path(tree, folder):
    done = release(tree, folder)
    assert done.returncode == 0, done.stderr
    made = files(tree)
    assert set(made) == FILES
    assert [one.name for one in tree.glob(".build-release*")] == [".build-release"]

    other = folder / "another" / "much" / "deeper"
    subprocess.run(["git", "clone", "--quiet", tree, other], check=True)
    furnish(other)
    done = release(other, folder, umask=0o077, TZ="Pacific/Auckland", LANG="de_DE.UTF-8", TMPDIR=str(folder))
    assert done.returncode == 0, done.stderr
    assert {name for name, content in files(other).items() if made[name] != content} == set()
    assert {(one.stat().st_mode & 0o777) for one in (other / ".build-release").rglob("*") if one.is_file()} == {0o644}

    sums = dict(reversed(line.split("  ")) for line in made["SHA256SUMS"].decode().splitlines())
    assert sums == {name: hashlib.sha256(content).hexdigest() for name, content in made.items() if name != "SHA256SUMS"}
    assert made["RELEASE-NOTES.md"].decode() == "### Protocol\n\n- `TRIP`.\n"
    root = tree / ".build-release"
    with tarfile.open(root / f"handlebar-{VERSION}.tar.gz") as archive:
        names = {one.partition("/")[2] for one in archive.getnames()}
    assert {"CHANGELOG.md", "packaging/release"} <= names and not [one for one in names if one.startswith(".build")]
    with tarfile.open(root / f"handlebar_client-{VERSION}.tar.gz") as archive:
        assert f"handlebar_client-{VERSION}/handlebar/py.typed" in archive.getnames()
    with zipfile.ZipFile(root / f"handlebar_client-{VERSION}-py3-none-any.whl") as archive:
        assert {"handlebar/__init__.py", "handlebar/py.typed"} <= set(archive.namelist())
    page = made["manual/handlebard.8.html"].decode()
    assert 'href="handlebard.toml.5.html"' in page and 'href="https://manpages.debian.org/handlebarctl.1"' in page
    assert made["Packages"].count(b"\nSHA256: ") == 3
    assert sums["Packages"].encode() in made["Release"]


@pytest.mark.parametrize("changed", ["handlebard", "handlebarctl"])
def test_programs_are_ordered_again_after_a_change_of_either(folder, changed):
    (folder / "scripts").mkdir()
    order = pathlib.Path(shutil.copy(ROOT / "scripts" / "order", folder / "scripts"))
    for name in ("handlebard", "handlebarctl"):
        for place, time in ((".build/release", 1000), (".build/ordered", 2000)):
            (folder / place).mkdir(parents=True, exist_ok=True)
            (folder / place / name).touch()
            os.utime(folder / place / name, (time, time))

    def orders():
        # The command that links fails, so that no daemon is run.
        return "Ordering" in subprocess.run([order, "false"], capture_output=True, text=True, check=False).stdout

    assert not orders()
    os.utime(folder / ".build/release" / changed, (3000, 3000))
    assert orders()


def test_a_package_is_built_with_all_names_of_its_architecture(tree, folder):
    """Of another one, too: its libraries lie in a folder of that name."""
    shutil.copy(ROOT / "packaging/deb", tree / "packaging")
    program = tree / ".build/release/handlebard"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho {VERSION} # libgps.so.0\n")
    rules = tree / "packaging/debian/rules"
    rules.write_text("#!/bin/sh\nprintenv DEB_HOST_ARCH DEB_HOST_MULTIARCH >handlebard.deb\n")
    for one in (program, rules):
        one.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name not in ("BIN", "SYSROOT", "RUN")}
    environment |= {"ARCH": "arm64", "OUT": str(folder / "out")}
    subprocess.run([tree / "packaging/deb"], env=environment, capture_output=True, check=True)
    assert (folder / "out/handlebard.deb").read_text().split() == ["arm64", "aarch64-linux-gnu"]


def test_debians_changelog_has_every_version(tree):
    """The one that is built has the version and the time of the package."""
    made = subprocess.run(
        [tree / "packaging/changelog", f"{VERSION}+deb12", "bookworm"], env=os.environ | {"SOURCE_DATE_EPOCH": "1790000000"},
        capture_output=True, text=True, check=True).stdout
    command = ["dpkg-parsechangelog", "--file=-", "--all", "--format=rfc822"]
    read = subprocess.run(command, input=made, capture_output=True, text=True, check=True)
    assert not read.stderr
    found = [re.findall(rf"(?m)^{name}: (.*)", read.stdout) for name in ("Version", "Distribution", "Date")]
    assert found == [
        [f"{VERSION}+deb12", "0.0.1"], ["bookworm"] * 2, ["Mon, 21 Sep 2026 14:13:20 +0000", "Thu, 01 Jan 2026 00:00:00 +0000"],
    ]
    assert "  [ Protocol ]\n  * `TRIP`.\n" in made and "  * Older.\n" in made


def test_the_sbom_has_every_swift_package_with_its_licence():
    """Of the programs that were built here."""
    done = subprocess.run(
        [ROOT / "packaging/sbom", VERSION, "abc", BIN.parent], env=os.environ | {"SOURCE_DATE_EPOCH": "1790000000"},
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    sbom = json.loads(done.stdout)
    assert sbom["spdxVersion"] == "SPDX-2.3" and sbom["creationInfo"]["created"] == "2026-09-21T14:13:20Z"
    state = json.loads((BIN.parent / "workspace-state.json").read_text())["object"]["dependencies"]
    versions = {one["packageRef"]["identity"]: one["state"]["checkoutState"]["version"] for one in state}
    handlebar, *packages = sbom["packages"]
    assert (handlebar["name"], handlebar["versionInfo"], handlebar["licenseDeclared"]) == ("handlebar", VERSION, "Apache-2.0")
    assert {one["name"]: one["versionInfo"] for one in packages} == versions
    licences = {one["name"]: one["licenseDeclared"] for one in packages}
    assert (licences["swift-nio"], licences["swift-system"]) == ("Apache-2.0", "Apache-2.0 WITH Swift-exception")
    related = {one["relatedSpdxElement"] for one in sbom["relationships"]}
    assert related == {one["SPDXID"] for one in sbom["packages"]}


def test_a_licence_that_is_not_known_is_no_release(tree, folder):
    (tree / ".build/checkouts/swift-nio/LICENSE.txt").write_text("All rights reserved.\n")
    refused(tree, folder, "swift-nio has no licence that is known")


def test_what_is_not_committed_is_no_release(tree, folder):
    (tree / "CHANGELOG.md").write_text(CHANGELOG + "\n")
    (tree / "notes").touch()
    refused(tree, folder, r"commit, or remove: CHANGELOG\.md notes\n")


def test_a_commit_without_the_tag_of_its_version_is_no_release(tree, folder):
    git(tree, "tag", "--delete", f"v{VERSION}")
    git(tree, "tag", "v0.2.0")
    refused(tree, folder, rf"the version is {VERSION}, but the commit is not tagged v{VERSION}; its tags: v0\.2\.0\n")


def test_a_version_without_a_date_is_no_release(tree, folder):
    (tree / "CHANGELOG.md").write_text(CHANGELOG.replace("2026-12-01", "not released yet"))
    git(tree, "commit", "--all", "--quiet", "--message", "Undated")
    git(tree, "tag", "--force", f"v{VERSION}")
    refused(tree, folder, rf"CHANGELOG\.md has no section '## {VERSION}, YEAR-MONTH-DAY'")


def test_sources_without_git_are_no_release(tree, folder):
    shutil.rmtree(tree / ".git")
    refused(tree, folder, "is no git clone", GIT_CEILING_DIRECTORIES=str(folder))


def test_a_missing_cross_compiler_is_no_release(tree, folder):
    refused(tree, folder, "(?s)the emulator is missing.*there is no package ARCH=arm64, see above", FAULT="cross")


def test_programs_of_different_swift_packages_are_no_release(tree, folder):
    refused(tree, folder, "different versions of Swift packages", FAULT="versions")


def test_an_interrupted_release_leaves_nothing(tree, folder):
    (tree / ".build-release").mkdir()
    options = command(folder, FAULT="hang", BEGUN=str(folder / "begun"))
    # What runs in the background of a script ignores it.
    heeds = {"start_new_session": True, "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with subprocess.Popen([tree / "packaging/release"], **heeds, **options) as process:
        until(lambda: (folder / "begun").exists(), "the build")
        assert (tree / ".build-release.draft").exists()
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate()[1]
    assert process.returncode == 1 and "release: interrupted; nothing was written" in said, said
    assert [one.name for one in tree.glob(".build-release*")] == [".build-release"]


def test_a_key_signs_the_release(tree, folder, gpg):
    gpg("--passphrase", "", "--quick-generate-key", "rider@handlebar.example")
    done = release(tree, folder, KEY="rider@handlebar.example", GNUPGHOME=gpg.home)
    assert done.returncode == 0, done.stderr
    root = tree / ".build-release"
    assert set(files(tree)) == FILES | {"InRelease", "SHA256SUMS.asc", "handlebar.asc"}
    assert "Good signature" in gpg("--verify", root / "SHA256SUMS.asc", root / "SHA256SUMS")
    assert "Good signature" in gpg("--verify", root / "InRelease")
    assert pathlib.Path(root / "handlebar.asc").read_text().startswith("-----BEGIN PGP PUBLIC KEY BLOCK-----")


def test_a_key_without_its_passphrase_signs_nothing(tree, folder, gpg):
    gpg("--pinentry-mode", "loopback", "--passphrase", "secret", "--quick-generate-key", "rider@handlebar.example")
    subprocess.run(["gpgconf", "--homedir", gpg.home, "--kill", "all"], check=True)
    variables = {"KEY": "rider@handlebar.example", "GNUPGHOME": gpg.home}
    refused(tree, folder, "gpg does not sign with the key rider@handlebar.example .*; unlock it first: gpg --local-user", **variables)
    shutil.rmtree(tree / ".build-release")
    refused(tree, folder, "gpg does not sign with the key nobody ", **variables | {"KEY": "nobody"})
