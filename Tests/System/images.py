"""The root file systems that the tests boot: Debian of the release that this runs on, made once and kept.

They live in .build-system beside the checkout's other build folders; `make clean` takes them away.
"""

import contextlib
import os
import pathlib
import platform
import shutil
import subprocess
import tempfile

from handlebar_harness import ROOT

CACHE = ROOT / ".build-system"
# What a small board has, a Python for the tests' own programs, and what the package depends on.
PACKAGES = (
    "systemd", "systemd-sysv", "udev", "dbus", "kmod", "procps", "python3", "libstdc++6", "libgcc-s1", "passwd", "init-system-helpers",
)


class Missing(Exception):
    """Something that the tests need cannot be had on this machine."""


def os_release():
    """The release of Debian that this runs on."""
    return dict(
        line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().replace('"', "").splitlines() if "=" in line
    )


def run(*command, **options):
    """Runs a command to its end; what it said is in the error."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise Missing(f"{command[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:]}")
    return done.stdout


def need(*programs):
    """Demands root and programs."""
    if os.geteuid() != 0:
        raise Missing("root is needed to boot a system")
    for program in programs:
        if not shutil.which(program):
            raise Missing(f"{program} is not installed")


def base(*extra):
    """The archive of the plain system, with further packages."""
    need("mmdebstrap")
    release = os_release()
    if release.get("ID") != "debian":
        raise Missing(f"the tests boot Debian, and this is {release.get('PRETTY_NAME')}")
    archive = CACHE / f"{'-'.join(('base', *extra))}-{release['VERSION_CODENAME']}.tar"
    if not archive.exists():
        CACHE.mkdir(exist_ok=True)
        draft = archive.with_suffix(".draft.tar")
        run("mmdebstrap", "--variant=minbase", f"--include={','.join((*PACKAGES, *extra))}", release["VERSION_CODENAME"], draft)
        draft.rename(archive)
    return archive


@contextlib.contextmanager
def root(*extra):
    """A fresh root file system of one test's own, with further packages."""
    archive = base(*extra)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="root-", dir=CACHE))
    folder.chmod(0o755)
    try:
        run("tar", "-x", "-f", archive, "-C", folder)
        # Nothing of the machine that the image was made on.
        (folder / "etc" / "machine-id").write_text("")
        (folder / "etc" / "hostname").write_text("handlebar\n")
        (folder / "etc" / "resolv.conf").unlink(missing_ok=True)
        (folder / "etc" / "resolv.conf").write_text("")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def inside(root, script):
    """Runs a shell script in a root file system in which nothing runs; with a /proc, as programs need it."""
    command = 'mount -t proc proc "$1/proc" && exec chroot "$1" sh -c "$2"'
    path = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
    return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", command, "sh", root, script, env=path)


def package():
    """The Debian package that is tested."""
    if given := os.environ.get("PACKAGE"):
        return pathlib.Path(given)
    found = sorted((ROOT / ".build-deb").glob("handlebard_*.deb"), key=lambda one: one.stat().st_mtime)
    if not found:
        raise Missing("there is no package in .build-deb; make deb makes it")
    return found[-1]


@contextlib.contextmanager
def newer(given, version):
    """The same package under another version."""
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        tree = pathlib.Path(folder) / "tree"
        run("dpkg-deb", "-R", given, tree)
        control = tree / "DEBIAN" / "control"
        lines = control.read_text().splitlines()
        control.write_text("".join(f"Version: {version}\n" if one.startswith("Version:") else f"{one}\n" for one in lines))
        target = pathlib.Path(folder) / "newer.deb"
        run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "-b", tree, target)
        yield target


def kernel():
    """The unpacked package of Debian's generic kernel: (version, folder)."""
    if platform.machine() != "x86_64":
        raise Missing(f"the virtual machine is an x86_64 one, and this is {platform.machine()}")
    folder = CACHE / "kernel"
    if not folder.exists():
        CACHE.mkdir(exist_ok=True)
        draft = pathlib.Path(tempfile.mkdtemp(prefix="kernel-", dir=CACHE))
        depends = run("apt-cache", "depends", "linux-image-amd64")
        image = next((line.split()[-1] for line in depends.splitlines() if line.strip().startswith("Depends: linux-image")), None)
        if image is None:
            raise Missing("apt knows no linux-image-amd64; apt-get update")
        run("apt-get", "-o", "APT::Sandbox::User=root", "download", image, cwd=draft)
        run("dpkg-deb", "-x", next(draft.glob("*.deb")), draft / "root")
        version = next((draft / "root" / "lib" / "modules").iterdir()).name
        run("depmod", "-b", draft / "root", version)
        next(draft.glob("*.deb")).unlink()
        (draft / "root").rename(folder)
        draft.rmdir()
    return next((folder / "lib" / "modules").iterdir()).name, folder
