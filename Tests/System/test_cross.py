"""Cross-built programs, run by qemu-user beside the native ones: the same bytes, and what each of them takes."""

import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import time

import pytest

import images
from handlebar_harness import BIN, ROOT, Daemon

pytestmark = [pytest.mark.booted, pytest.mark.skipif(not images.IS_CROSS, reason="only for programs of another architecture")]
RIDES = sorted((ROOT / "recordings").glob("*.nmea"))
NATIVE = ROOT / ".build" / "release"
# Options of a ride of which two lengths are decoded: the difference is that of its epochs.
LONG, SHORT = 60_000, 6_000


def emulated(machine, program):
    """The command that runs a program of an architecture by its emulator."""
    if machine == images.ARCH:
        return [*os.environ["RUN"].split(), BIN / program]
    return ["qemu-x86_64-static", NATIVE / program]


@pytest.mark.parametrize("options", [(), ("--poses", "10")], ids=["fixes", "poses"])
@pytest.mark.parametrize("ride", RIDES, ids=lambda ride: ride.stem)
def test_decodes_to_the_same_bytes(ride, options):
    def decoded(*program):
        command = [*program, "decode", *options, ride.relative_to(ROOT)]
        return subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout

    native = decoded(NATIVE / "handlebarctl")
    assert native.count(b'"class":"POSE"' if options else b'"class":"TPV"') > 100
    assert decoded(*emulated(images.ARCH, "handlebarctl")) == native


def test_is_built_whatever_the_folder_for_temporary_files(folder):
    """The chroot of the compiler does not have the user's."""
    done = subprocess.run(
        ["make", "-C", ROOT, "cross", f"ARCH={images.ARCH}"], env=os.environ | {"TMPDIR": str(folder)}, capture_output=True, text=True,
        check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_missing_file_is_an_error():
    """An initializer that throws."""
    command = [*emulated(images.ARCH, "handlebarctl"), "decode", "/nonexistent.nmea"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "/nonexistent.nmea" in done.stderr) == (os.EX_NOINPUT, True), done.stderr


def processor_time(command):
    """Seconds of processor time of a command, the least of three."""
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def epoch_time(machine, folder):
    """Processor time of an epoch, in seconds."""
    taken, epochs = [], []
    for length in (SHORT, LONG):
        ride = folder / f"{length}.nmea"
        if not ride.exists():
            subprocess.run([NATIVE / "handlebarctl", "simulate", "--ride", "tour", "--length", str(length), "-o", ride], check=True)
        epochs.append(ride.read_bytes().count(b"GGA,"))
        taken.append(processor_time([*emulated(machine, "handlebarctl"), "decode", ride]))
    return (taken[1] - taken[0]) / (epochs[1] - epochs[0])


def start(machine, folder):
    """Starts the daemon on a ride: seconds of processor time until it greets a client, and its memory in MB ten seconds later."""
    program = folder / f"handlebard-{machine}"
    program.write_text(f'#!/bin/sh\nexec {" ".join(map(str, emulated(machine, "handlebard")))} "$@"\n')
    program.chmod(0o755)
    with Daemon(folder, f"recording:{RIDES[0]}?loop=true", program=program) as daemon, daemon.connect() as client:
        times = pathlib.Path(f"/proc/{daemon.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
        taken = sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
        client.watch(distanceFilter=0)
        # Memory is compared at the same age.
        time.sleep(10)
        memory = pathlib.Path(f"/proc/{daemon.pid}/status").read_text().split("VmRSS:")[1].split()[0]
        return taken, int(memory) / 1000


def test_what_it_takes(figures, folder):
    """Under the same emulator both architectures take about the same; it computes faster for its own."""
    if not shutil.which("qemu-x86_64-static"):
        pytest.skip("qemu-x86_64-static is not installed")
    folder = pathlib.Path(folder)
    taken = {}
    for machine in (images.NATIVE, images.ARCH):
        starts = [start(machine, folder) for _ in range(3)]
        seconds = statistics.median(one[0] for one in starts)
        memory = statistics.median(one[1] for one in starts)
        taken[machine] = (seconds, memory, epoch_time(machine, folder))
        figures.append(
            f"{machine} under qemu-user: greets after {seconds:.2f} s of processor time, {memory:.1f} MB with the emulator, "
            f"{taken[machine][2] * 1e6:.0f} µs of processor time per epoch decoded"
        )
    assert all(one <= 3 * other for one, other in zip(taken[images.ARCH], taken[images.NATIVE], strict=True)), taken
