"""The manual pages: clean, and complete against what the programs and the default configuration say."""

import gzip
import json
import re
import subprocess

import pytest

from handlebar_harness import BIN, ROOT

PAGES = ["man8/handlebard.8", "man1/handlebarctl.1", "man5/handlebard.toml.5"]


def source(installed, name):
    return gzip.decompress((installed / "usr" / "share" / "man" / f"{name}.gz").read_bytes()).decode()


def rendered(folder, text):
    """The page as a terminal shows it, without the breaks that filling makes."""
    page = folder / "page"
    page.write_text(text)
    done = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=1000", page], capture_output=True, text=True, check=True)
    return re.sub(r".\x08", "", done.stdout)


@pytest.mark.parametrize("name", PAGES)
def test_page_is_clean(installed, folder, name):
    page = folder / name.split("/")[1]
    page.write_text(source(installed, name))
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "style", page], capture_output=True, text=True, check=False)
    # What the pages refer to need not be installed where this runs.
    said = [line for line in done.stdout.splitlines() if "referenced manual not found" not in line]
    assert not said, "\n".join(said)
    assert not re.search(r"@[A-Z]+@", page.read_text()), "a part was not filled in"


def commands(program):
    dump = subprocess.run([BIN / program, "--experimental-dump-help"], capture_output=True, check=True).stdout
    waiting = [json.loads(dump)["command"]]
    while waiting:
        one = waiting.pop()
        waiting += one.get("subcommands", [])
        if one["commandName"] != "help":
            yield one


@pytest.mark.parametrize("program, name", [("handlebard", PAGES[0]), ("handlebarctl", PAGES[1])])
def test_every_option_is_told(installed, folder, program, name):
    """What --help knows, the page knows: each command, each option with its value, each word of explanation."""
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


def test_every_key_is_told(installed, folder):
    """The page, the default configuration and the list in the page's environment speak of the same keys."""
    default = (ROOT / "systemd" / "handlebard.toml").read_text()
    keys = re.findall(r"^#?([a-z-]+) = ", default, re.MULTILINE)
    assert len(keys) >= 8
    told = re.findall(r"^\.It Cm ([a-z-]+) No = ", source(installed, PAGES[2]), re.MULTILINE)
    assert sorted(told) == sorted(keys)
    page = source(installed, PAGES[0])
    for key in keys:
        assert f"HANDLEBAR_{key.upper().replace('-', '_')}" in page.split(), key


@pytest.mark.parametrize("program", ["handlebard", "handlebarctl"])
@pytest.mark.parametrize("shell, path", [
    ("bash", "bash-completion/completions/{}"), ("zsh", "zsh/vendor-completions/_{}"), ("fish", "fish/vendor_completions.d/{}.fish"),
])
def test_completions(installed, program, shell, path):
    """Each shell reads its file without a complaint; bash is asked to complete a line."""
    file = installed / "usr" / "share" / path.format(program)
    assert file.stat().st_size > 1000
    try:
        done = subprocess.run([shell, "-n", file], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip(f"{shell} is not installed")
    assert done.returncode == 0 and not done.stderr, done.stderr
    if shell == "bash":
        ask = f'source "$1"; COMP_WORDS=({program} --so); COMP_CWORD=1; COMP_LINE="{program} --so"; COMP_POINT=${{#COMP_LINE}}; ' \
            f'$(complete -p {program} | sed -n "s/.*-F \\([^ ]*\\) .*/\\1/p") {program} --so {program}; printf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", ask, "bash", file], capture_output=True, text=True, check=False)
        assert "--socket" in done.stdout, done.stdout + done.stderr
