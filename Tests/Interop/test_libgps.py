"""gpsd without libgps, and the libgps shim with newer versions."""

import contextlib
import os
import pathlib
import shutil
import subprocess

import pytest

from gpsd_harness import Feeder, Gpsd, debian, needs_gpsd
from handlebar_harness import BIN, LONG, ROOT, SANITIZED, Daemon, Receiver, until

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
  printf("%d %d %.9f %.9f\n", result, report.mode, report.latitude, report.longitude);
  cgpsd_decoder_destroy(decoder);
}
"""
OK = 0


def compiled(folder, *options):
    """A program of the shim and `PROGRAM`."""
    source = folder / "program.c"
    source.write_text(PROGRAM)
    program = folder / "program"
    sources = [source, *sorted(SHIM.glob("*.c"))]
    subprocess.run([*STRICT, *options, "-I", SHIM / "include", "-o", program, *sources, "-ldl"], check=True)
    return program


def fixes(client):
    """The fixes so far by their times."""
    client.receive()
    found = [line for line in client.lines if line["class"] == "TPV" and line["mode"] >= 2]
    return {fix["time"]: {name: value for name, value in fix.items() if name not in ("_at", "monotonic")} for fix in found}


def test_installed_release(folder):
    if not pathlib.Path("/usr/include/gps.h").exists():
        pytest.skip("libgps-dev is not installed")
    printed = subprocess.run([compiled(folder)], capture_output=True, text=True, check=True).stdout.split()
    assert printed == [str(OK), "3", "48.117300000", "11.516666667"]


@pytest.mark.skipif(SANITIZED, reason="it links the objects of a build without a sanitizer")
@pytest.mark.skipif(shutil.which("swiftc") is None, reason="no swiftc to link with")
@needs_gpsd
def test_a_build_without_the_header_reads_gpsd_as_well(folder):
    """The compiler names the missing package; the daemon decodes the same of a gpsd by itself."""
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
    with contextlib.ExitStack() as stack:
        receiver = stack.enter_context(Receiver(folder / "gps0"))
        gpsd = stack.enter_context(Gpsd(receiver.link))
        clients = []
        for name, path in (("own", program), ("libgps", BIN / "handlebard")):
            (folder / name).mkdir()
            daemon = stack.enter_context(Daemon(folder / name, gpsd.uri, program=path))
            until(lambda: f"DECODER={name}" in daemon.log, "the connection to gpsd")
            clients.append(stack.enter_context(daemon.connect()))
            clients[-1].watch(distanceFilter=0)
        stack.enter_context(Feeder(receiver))
        # A client that is not read would miss some.
        own, libgps = until(lambda: (both := [fixes(client) for client in clients]) and min(map(len, both)) >= 30 and both, "fixes")
    common = own.keys() & libgps.keys()
    assert len(common) >= 15 and [own[time] for time in common] == [libgps[time] for time in common]


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
    assert done.stdout.split() == [str(OK), "3", "48.117300000", "11.516666667"], done.stdout
