"""The libgps shim on other machines: without the header, and with newer versions of libgps."""

import os
import pathlib
import shutil
import subprocess

import pytest

import nmea_sender
from gpsd_harness import debian, free_port
from handlebar_harness import BIN, LONG, ROOT, SANITIZED, Daemon, Receiver

SHIM = ROOT / "Sources" / "CGPSD"
STRICT = ["cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror"]
# Decodes one report with the available libgps and prints its position.
PROGRAM = r"""
#include <stdio.h>
#include "CGPSD.h"
int main(void) {
  char line[] = "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"mode\":3,\"time\":\"2026-03-19T12:35:19.250Z\","
                "\"lat\":48.117300000,\"lon\":11.516666667,\"altMSL\":545.4}";
  static cgpsd_report report;
  cgpsd_decoder *decoder = cgpsd_decoder_create();
  int result = cgpsd_decode(decoder, line, &report);
  printf("%d %d %.9f %.9f %s\n", result, report.mode, report.latitude, report.longitude, cgpsd_library_name());
  cgpsd_decoder_destroy(decoder);
}
"""
OK, NOT_BUILT = 0, 3


def compiled(folder, *options):
    """A program of the shim and `PROGRAM`."""
    source = folder / "program.c"
    source.write_text(PROGRAM)
    program = folder / "program"
    sources = [source, *sorted(SHIM.glob("*.c"))]
    subprocess.run([*STRICT, *options, "-I", SHIM / "include", "-o", program, *sources, "-ldl"], check=True)
    return program


def test_installed_release(folder):
    if not pathlib.Path("/usr/include/gps.h").exists():
        pytest.skip("libgps-dev is not installed")
    printed = subprocess.run([compiled(folder)], capture_output=True, text=True, check=True).stdout.split()
    assert printed[:4] == [str(OK), "3", "48.117300000", "11.516666667"]


@pytest.mark.skipif(SANITIZED, reason="it links the objects of a build without a sanitizer")
@pytest.mark.skipif(shutil.which("swiftc") is None, reason="no swiftc to link with")
def test_build_without_the_header(folder):
    """The compiler names the missing package; the daemon reads a serial port and reports why it cannot read a gpsd."""
    shim = folder / "shim.o"
    warned = subprocess.run(
        ["cc", "-std=gnu11", "-DCGPSD_WITHOUT_LIBGPS", "-I", SHIM / "include", "-c", SHIM / "CGPSD.c", "-o", shim],
        capture_output=True, text=True, check=True,
    )
    assert "apt-get install libgps-dev" in warned.stderr

    parts = (BIN / "handlebard.product" / "Objects.LinkFileList").read_text().split("\n")
    parts = [part.strip("'\"") for part in parts if part and "/CGPSD.build/" not in part]
    listed = folder / "parts"
    listed.write_text("\n".join(f"'{part}'" for part in [*parts, str(shim)]))
    program = folder / "handlebard"
    subprocess.run(
        ["swiftc", "-emit-executable", "-static-stdlib", "-Xlinker", "--defsym", "-Xlinker", "main=handlebard_main", "-lstdc++",
         "-l_FoundationCShims", "-l_FoundationCollections", "-o", program, f"@{listed}"],
        check=True,
    )
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(
            folder, f"serial:{receiver.link}?speed=9600", f"gpsd://localhost:{free_port()}", program=program
        ) as daemon,
        daemon.connect() as client,
    ):
        client.watch(distanceFilter=0)
        client.send("?STATUS;")
        _, gpsd = client.wait("STATUS")["sources"]
        assert gpsd["error"] == "misconfigured"
        assert "built without libgps-dev" in gpsd["message"] + gpsd["remedy"]
        for number in range(4):
            receiver.write(nmea_sender.epoch(number))
        assert client.wait("TPV")["source"] == "serial"
        daemon.stop()


@pytest.mark.skipif(not LONG, reason="HANDLEBAR_LONG=1 fetches the libgps of newer Debian releases")
@pytest.mark.parametrize("suite,version", [("trixie", "3.25"), ("sid", "3.27")])
def test_newer_release(folder, suite, version):
    """Compiled with the header of that release and run with its libgps and C library."""
    closure = debian(suite, folder)("--no-install-recommends", "--download-only", "--yes", "install", "libgps-dev")
    assert closure.returncode == 0, closure.stderr
    root = folder / "root"
    for package in (folder / "cache" / "archives").glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)
        if package.name.startswith("libgps-dev_"):
            assert package.name.split("_")[1].startswith(version)
    # That header alone: the others are those of the C library that it is compiled with here.
    (folder / "include").mkdir()
    shutil.copy(root / "usr" / "include" / "gps.h", folder / "include")
    program = compiled(folder, "-I", folder / "include")
    loader = next(root.glob("**/ld-linux-*.so.*"))
    libraries = os.pathsep.join(sorted({str(path.parent) for path in root.glob("**/lib*.so.*")}))
    done = subprocess.run([loader, "--library-path", libraries, program], capture_output=True, text=True, check=True)
    assert done.stdout.split()[:4] == [str(OK), "3", "48.117300000", "11.516666667"], done.stdout
