"""The manual pages: clean, and complete against the programs and the default configuration. The fields of the protocol: see
test_protocol_schema.py."""

import gzip
import json
import re
import subprocess

import pytest

from handlebar_harness import BIN, ROOT

PAGES = [
    "man8/handlebard.8", "man1/handlebarctl.1", "man5/handlebard.toml.5", "man7/handlebar-protocol.7", "man7/handlebar-pi.7",
]


def source(installed, name):
    return gzip.decompress((installed / "usr" / "share" / "man" / f"{name}.gz").read_bytes()).decode()


def rendered(folder, text):
    """The page as a terminal shows it, without line breaks in paragraphs."""
    page = folder / "page"
    page.write_text(text)
    done = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=1000", page], capture_output=True, text=True, check=True)
    return re.sub(r".\x08", "", done.stdout)


@pytest.mark.parametrize("name", PAGES)
def test_page_is_clean(installed, folder, name):
    page = folder / name.split("/")[1]
    page.write_text(source(installed, name))
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "style", page], capture_output=True, text=True, check=False)
    # Referenced pages need not be installed on the machine that runs the tests.
    complaints = [line for line in done.stdout.splitlines() if "referenced manual not found" not in line]
    assert not complaints, "\n".join(complaints)
    assert not re.search(r"@[A-Z]+@", page.read_text()), "a placeholder was not replaced"


@pytest.mark.parametrize("name", PAGES)
def test_sections_of_a_page_are_its_own(installed, name):
    """A link to one of another page leads nowhere in the manual as HTML."""
    text = source(installed, name)
    sections = set(re.findall(r"^\.S[hs] (.*)$", text, re.M))
    assert {link for link in re.findall(r"^\.Sx (.*?)(?: [.,;)])?$", text, re.M)} <= sections


def commands(program):
    dump = subprocess.run([BIN / program, "--experimental-dump-help"], capture_output=True, check=True).stdout
    waiting = [json.loads(dump)["command"]]
    while waiting:
        one = waiting.pop()
        waiting += one.get("subcommands", [])
        if one["commandName"] != "help":
            yield one


@pytest.mark.parametrize("program, name", [("handlebard", PAGES[0]), ("handlebarctl", PAGES[1])])
def test_every_option_is_documented(installed, folder, program, name):
    """The page has every command and option of --help, with its description."""
    page = rendered(folder, source(installed, name))
    count = 0
    for command in commands(program):
        assert command["commandName"] in page
        for option in command.get("arguments", []):
            if not option.get("shouldDisplay", True) or option.get("valueName") == "help":
                continue
            for one in option.get("names", []):
                dashes = "-" if one["kind"] == "short" else "--"
                assert re.search(rf"(?<![\w-]){dashes}{re.escape(one['name'])}(?![\w-])", page), one["name"]
            flat = " ".join(page.split())
            assert " ".join(option.get("abstract", "").split()) in flat, option["abstract"]
            count += 1
    assert count >= 5


def test_every_key_is_documented(installed):
    """The page, the default configuration and the list of environment variables have the same keys."""
    default = (ROOT / "systemd" / "handlebard.toml").read_text()
    keys = re.findall(r"^#?([a-z-]+) = ", default, re.MULTILINE)
    assert len(keys) >= 8
    documented = re.findall(r"^\.It Cm ([a-z-]+) No = ", source(installed, PAGES[2]), re.MULTILINE)
    assert sorted(documented) == sorted(keys)
    page = source(installed, PAGES[0])
    for key in keys:
        assert f"HANDLEBAR_{key.upper().replace('-', '_')}" in page.split(), key


def test_the_page_of_the_raspberry_pi_configures_what_it_says(installed, folder):
    """Its changes of the daemon's configuration, from top to bottom: each is accepted, and keeps those before it."""
    page = source(installed, PAGES[4])
    blocks = re.findall(r"^\.Bd -literal -offset indent\n(.*?)^\.Ed$", page, re.MULTILINE | re.DOTALL)
    configured = folder / "handlebard.toml"
    configured.touch()
    # A command may span lines: those of a document, up to its end.
    command = r"^sudo tee -a \S+ <<'END'\n.*?^END$|^[^\n]*/etc/handlebar/handlebard\.toml$"
    changes = re.findall(command, "".join(blocks), re.MULTILINE | re.DOTALL)
    assert len(changes) == 3
    for change in changes:
        change = change.replace("sudo ", "").replace("/etc/handlebar/handlebard.toml", str(configured))
        subprocess.run(["sh", "-euc", change], stdout=subprocess.DEVNULL, check=True)
        subprocess.run([BIN / "handlebard", "--config", configured, "--check-config"], stdout=subprocess.DEVNULL, check=True)
    text = configured.read_text()
    assert 'model = "bike"' in text and "udp://" in text and "record = " in text and "chrony-socket = " in text
    # What is started with tiles comes after them.
    assert page.index("sudo install -m 644 region.mbtiles") < page.index("labwc/autostart")
