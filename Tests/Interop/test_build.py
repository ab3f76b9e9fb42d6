"""The scripts of the build: what has been compiled once is not compiled again for another flag of the linker."""

import os
import subprocess

import pytest

from handlebar_harness import ROOT

MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription
let names = (0..<8).map { "Trait\\($0)" }
let package = Package(
  name: "traits", traits: Set(names.map { .trait(name: $0) } + [.default(enabledTraits: Set(names))]),
  targets: [.executableTarget(name: "Program", path: ".", sources: ["main.swift"])])
"""


@pytest.mark.limits
@pytest.mark.timeout(700)
def test_a_plan_with_other_linker_flags_compiles_nothing(folder):
    """The order of a package's traits, which SwiftPM passes to the compiler, is the same in every process."""
    (folder / "Package.swift").write_text(MANIFEST)
    (folder / "main.swift").write_text("print(1)\n")
    compiled = set()
    for flag in ("-s", "-S", "-O1"):
        command = [ROOT / "scripts" / "swift-build", "--package-path", folder, "--disable-sandbox", "-Xlinker", flag]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, env=os.environ, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        compiled.add((folder / ".build/debug/Program.build/main.swift.o").stat().st_mtime_ns)
    assert len(compiled) == 1
