"""The root file systems that the tests boot: Debian of the release that this runs on, or of a newer one, made once and kept;
with ARCH=arm64 on another architecture Debian 13, which a cross-built package is for.

They live in .build-system beside the checkout's other build folders; `make clean` takes them away.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from handlebar_harness import ROOT

CACHE = ROOT / ".build-system"
# Those that are booted, oldest first.
RELEASES = ("bookworm", "trixie")
NATIVE = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=False).stdout.strip()
ARCH = os.environ.get("ARCH") or NATIVE
IS_CROSS = ARCH != NATIVE
# How much slower a machine of another architecture may be.
SLOWNESS = 5 if IS_CROSS else 1
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


def suite():
    """The release of Debian that is booted."""
    release = os_release()
    if release.get("ID") != "debian":
        raise Missing(f"the tests boot Debian, and this is {release.get('PRETTY_NAME')}")
    return "trixie" if IS_CROSS else release["VERSION_CODENAME"]


def emulate():
    """Has the kernel run programs of the other architecture, as the emulator's package does where systemd runs."""
    need("qemu-aarch64-static", "arch-test")
    registry = pathlib.Path("/proc/sys/fs/binfmt_misc")
    if not (registry / "register").exists():
        run("mount", "-t", "binfmt_misc", "binfmt_misc", registry)
    if not (registry / "qemu-aarch64").exists():
        (registry / "register").write_bytes(pathlib.Path("/usr/lib/binfmt.d/qemu-aarch64.conf").read_bytes())


def debian(target, variant, *packages, release=None):
    """Makes a file system of packages, in a folder or an archive."""
    need("mmdebstrap")
    # A mirror may be a snapshot, whose Release files have expired.
    run(
        "mmdebstrap", f"--variant={variant}", f"--architectures={ARCH}", '--aptopt=Acquire::Check-Valid-Until "false"',
        f"--include={','.join(packages)}", release or suite(), target,
    )


def base(*extra, release=None):
    """The archive of the plain system, with further packages."""
    if IS_CROSS:
        emulate()
    archive = CACHE / f"{'-'.join(('base', *extra))}-{release or suite()}-{ARCH}.tar"
    if not archive.exists():
        CACHE.mkdir(exist_ok=True)
        draft = archive.with_suffix(".draft.tar")
        debian(draft, "minbase", *PACKAGES, *extra, release=release)
        draft.rename(archive)
    return archive


@contextlib.contextmanager
def root(*extra, release=None):
    """A fresh root file system of one test's own, with further packages."""
    if release and suite() not in RELEASES[: RELEASES.index(release) + 1]:
        raise Missing(f"the package of {suite()} is not for {release}")
    archive = base(*extra, release=release)
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
    found = sorted((ROOT / ".build-deb").glob(f"handlebard_*_{ARCH}.deb"), key=lambda one: one.stat().st_mtime)
    if not found:
        raise Missing(f"there is no package for {ARCH} in .build-deb; make deb makes it")
    return found[-1]


@contextlib.contextmanager
def newer(given, version):
    """The same package under another version."""
    CACHE.mkdir(exist_ok=True)
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
    """Debian's generic kernel and a static busybox, unpacked: (version, folder)."""
    if ARCH not in ("amd64", "arm64"):
        raise Missing(f"the virtual machine is an amd64 or arm64 one, and this is {ARCH}")
    need("depmod")
    folder = CACHE / f"kernel-{suite()}-{ARCH}"
    if not folder.exists():
        CACHE.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="kernel-", dir=CACHE) as draft:
            root = pathlib.Path(draft) / "root"
            debian(root, "extract", f"linux-image-{ARCH}", "busybox-static")
            if not (root / "lib").exists():
                (root / "lib").symlink_to("usr/lib")
            run("depmod", "-b", root, next((root / "lib" / "modules").iterdir()).name)
            root.rename(folder)
    return next((folder / "lib" / "modules").iterdir()).name, folder
