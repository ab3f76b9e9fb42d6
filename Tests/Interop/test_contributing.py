"""CONTRIBUTING.md: every file, target and script that it names exists."""

import re

from handlebar_harness import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text()
NAMES = re.findall(r"`([^`\n]+)`", TEXT)


def test_the_files_that_it_names_exist():
    paths = [name for name in NAMES if re.fullmatch(r"[\w.+-]*(/[\w.+-]+)+|[A-Z]+\.md", name)]
    assert len(paths) > 40
    assert not [path for path in paths if not path.startswith(".build") and not (ROOT / path).exists()]


def test_the_targets_and_suites_that_it_names_exist():
    targets = re.findall(r"make ([a-z][a-z-]+)", TEXT)
    rules = (ROOT / "Makefile").read_text()
    assert len(targets) > 10 and not [target for target in targets if not re.search(rf"^{target}:", rules, re.M)]
    assert "func `A heading belongs" in (ROOT / "Tests/LocationCoreTests/Epoch/EpochAccuracyTests.swift").read_text()
    assert len(TEXT.splitlines()) <= 200
