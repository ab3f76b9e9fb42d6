"""Completion of command lines by real shells on a terminal: bash, zsh and fish."""

import subprocess

import pytest

from handlebar_harness import BIN, RECORDING, Daemon, control
from terminal import Terminal

RIDE = "20260319T123505Z"
# A line up to the key, and the line that it becomes.
FILES = [
    ("handlebarctl decode al", "handlebarctl decode alpha.nmea"),
    ("handlebarctl decode --stats su", "handlebarctl decode --stats sub"),
    ("handlebarctl decode sub/b", "handlebarctl decode sub/beta.nmea"),
    ("handlebarctl replay al", "handlebarctl replay alpha.nmea"),
    ("handlebarctl replay alpha.nmea sub/b", "handlebarctl replay alpha.nmea sub/beta.nmea"),
    ("handlebarctl plot al", "handlebarctl plot alpha.nmea"),
    ("handlebarctl export sub/b", "handlebarctl export sub/beta.nmea"),
    ("handlebarctl export alpha.nmea --gpx -o sub/b", "handlebarctl export alpha.nmea --gpx -o sub/beta.nmea"),
    ("handlebarctl plot alpha.nmea --output al", "handlebarctl plot alpha.nmea --output alpha.nmea"),
    ("handlebarctl map --tiles al", "handlebarctl map --tiles alpha.nmea"),
    ("handlebarctl map --ride al", "handlebarctl map --ride alpha.nmea"),
    ("handlebarctl course plot sub/b", "handlebarctl course plot sub/beta.nmea"),
    ("handlebarctl plot alpha.nmea --course sub/b", "handlebarctl plot alpha.nmea --course sub/beta.nmea"),
    ("handlebarctl rides list --dir su", "handlebarctl rides list --dir sub"),
    ("handlebard --config al", "handlebard --config alpha.nmea"),
]
NAMES = [
    ("handlebarctl rides show 20", f"handlebarctl rides show {RIDE}"),
    ("handlebarctl rides show la", "handlebarctl rides show last"),
    ("handlebarctl rides rm 20", f"handlebarctl rides rm {RIDE}"),
    ("handlebarctl export 20", f"handlebarctl export {RIDE}"),
    ("handlebarctl plot --dir rides 20", f"handlebarctl plot --dir rides {RIDE}"),
    ("handlebarctl target off", "handlebarctl target office"),
    ("handlebarctl targ", "handlebarctl target"),
    ("handlebarctl watch --uni", "handlebarctl watch --units"),
    ("handlebarctl watch --units imp", "handlebarctl watch --units imperial"),
]


@pytest.fixture(scope="module", params=["bash", "zsh", "fish"])
def completed(request, tmp_path_factory):
    """A function that completes lines with a shell, in a folder with files, rides, and a daemon that has a target."""
    folder = tmp_path_factory.mktemp("c")
    (folder / "sub").mkdir()
    (folder / "rides").mkdir()
    for path in ("alpha.nmea", "sub/beta.nmea"):
        (folder / path).write_bytes(RECORDING.read_bytes())
    (folder / "rides" / f"{RIDE}.nmea").write_bytes(RECORDING.read_bytes())
    with Daemon(folder, f"recording:{RECORDING}?loop=true") as daemon:
        assert control(daemon.socket, "target", "office", "48.1", "11.6")[0] == 0
        variables = {
            "PATH": f"{BIN}:/usr/bin:/bin", "HANDLEBAR_SOCKET": str(daemon.socket), "HANDLEBAR_RECORD": str(folder / "rides"),
            "HOME": str(folder), "LC_ALL": "C.UTF-8",
        }  # fmt: skip
        yield {"bash": bash, "zsh": zsh, "fish": fish}[request.param](folder, variables)


def scripts(folder, shell, name):
    """Writes the completions of both programs as a package installs them."""
    (folder / shell).mkdir()
    for program in ("handlebard", "handlebarctl"):
        script = subprocess.run([BIN / program, "--generate-completion-script", shell], capture_output=True, check=True)
        (folder / shell / name.format(program)).write_bytes(script.stdout)
    return folder / shell


def on_terminal(folder, variables, start, *command):
    """A function that types lines, each with the tabulator behind it, and returns what they become: with `echo` in front of
    it, a line is printed."""

    def complete(lines):
        with Terminal(folder, *command, cwd=folder, variables=variables) as terminal:
            terminal.press(f"{start}; echo 'rea''dy'\r".encode())
            terminal.shows("ready\r\n")
            for line in lines:
                terminal.press(f"{line}\t".encode())
                terminal.press(b"\x01echo '<' \r")
                yield terminal.shows(r"< (handlebar[^\r\n]*?)/? *\r\n")[1]
            terminal.press(b"exit\r")
            terminal.end()

    return complete


def bash(folder, variables):
    place = scripts(folder, "bash", "{}")
    start = f"PS1='$ '; bind 'set enable-bracketed-paste off'; . {place}/handlebard; . {place}/handlebarctl"
    return on_terminal(folder, variables, start, "bash", "--noprofile", "--norc", "-i")


def zsh(folder, variables):
    place = scripts(folder, "zsh", "_{}")
    start = f"PS1='$ '; unset zle_bracketed_paste; bindkey -e; fpath=({place} $fpath); autoload -U compinit; compinit -u"
    return on_terminal(folder, variables, start, "zsh", "-f", "-i")


def fish(folder, variables):
    place = scripts(folder, "fish", "{}.fish")
    start = f"set -g fish_autosuggestion_enabled 0; set -g fish_complete_path {place}"
    return on_terminal(folder, variables, start, "fish", "--no-config", "-i")


@pytest.mark.parametrize("cases", [FILES, NAMES], ids=["files", "names"])
def test_a_shell_completes_files_rides_and_targets(completed, cases):
    for result, (line, whole) in zip(completed([line for line, _ in cases]), cases, strict=True):
        assert result == whole, line


def test_bash_runs_nothing_that_stands_in_the_name_of_a_file(folder):
    (folder / "$(touch planted).nmea").write_bytes(b"")
    (folder / "$(touch planted).log").write_bytes(b"")
    complete = bash(folder, {"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(folder)})
    assert list(complete(["handlebarctl export "])) == ["handlebarctl export"]
    assert not (folder / "planted").exists()
