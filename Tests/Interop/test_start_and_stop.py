"""One instance owns the socket; it starts at once, stops on a signal and leaves nothing behind."""

import os
import signal
import socket
import stat

import pytest

from handlebar_harness import Daemon, control, until


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "SIGINT"])
def test_stops_on_a_signal(folder, asked):
    with Daemon(folder, f"serial:{folder}/absent") as daemon, daemon.connect() as client:
        client.watch()
        daemon.stop(asked)
        client.until_quiet(2)
        assert client.ended
        assert not daemon.socket.exists()


def test_socket_is_for_owner_and_group(folder):
    with Daemon(folder, f"serial:{folder}/absent") as daemon:
        mode = daemon.socket.stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o660
        daemon.stop()


def test_second_instance_refuses(folder):
    with Daemon(folder, f"serial:{folder}/absent") as first:
        with Daemon(folder, f"serial:{folder}/absent", wait=False) as second:
            assert second.wait_end() == 71
            assert str(first.pid) in second.log, f"the owner's pid {first.pid} is not named: {second.log}"
        assert first.is_alive(), "the second took the first one's socket"
        first.stop()
        assert not first.socket.exists()


def test_a_stale_socket_is_replaced(folder):
    """The socket of a killed daemon does not prevent the start of the next."""
    with Daemon(folder, f"serial:{folder}/absent") as first:
        first.process.kill()
        first.wait_end()
        assert first.socket.exists()
    with Daemon(folder, f"serial:{folder}/absent") as second:
        assert second.is_alive()
        second.stop()


def test_a_file_in_place_of_the_socket_stays(folder):
    """Another file at the socket's path is left alone."""
    (folder / "location.sock").write_text("mine\n")
    with Daemon(folder, f"serial:{folder}/absent", wait=False) as daemon:
        assert daemon.wait_end() == 71
    assert (folder / "location.sock").read_text() == "mine\n"


def test_unlinks_only_its_own_socket(folder):
    """The socket of a successor under the same path survives the end of the predecessor."""
    with Daemon(folder, f"serial:{folder}/absent") as daemon:
        daemon.socket.unlink()
        with socket.socket(socket.AF_UNIX) as successor:
            successor.bind(str(daemon.socket))
            daemon.stop()
            assert daemon.socket.exists()


@pytest.mark.parametrize(
    "arguments",
    [["--nonsense"], ["--distance-filter", "ten"], ["--distance-filter", "-1"]],
    ids=" ".join,
)
def test_wrong_usage(folder, arguments):
    with Daemon(folder, f"serial:{folder}/absent", options=arguments, wait=False) as daemon:
        assert daemon.wait_end() in (64, 78)
        (line,) = daemon.log.strip().splitlines()
        assert arguments[0].strip("-") in line


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["watch", "--filter", "-3"], ["--filter", "see: handlebarctl watch --help"]),
        (["view", "91", "0"], ["see: handlebarctl view --help"]),
        (["locate", "--timeout", "x"], ["'x'", "--timeout", "see: handlebarctl locate --help"]),
        (["view", "1", "2", "--seq", "-1"], ["'-1'", "see: handlebarctl view --help"]),
        (["nonsense"], ["nonsense", "see: handlebarctl --help"]),
    ],
    ids=str,
)
def test_a_usage_error_is_one_line(folder, arguments, words):
    code, out, err = control(folder / "absent.sock", *arguments)
    assert (code, out) == (64, "")
    (line,) = err.splitlines()
    assert line.startswith("handlebarctl: ") and all(word in line for word in words), line


@pytest.mark.parametrize("source", ["nonsense:/dev/x", "serial:", "serial:/dev/x?speed=fast", "no uri"])
def test_wrong_source(folder, source):
    with Daemon(folder, source, wait=False) as daemon:
        assert daemon.wait_end() in (64, 78)
        assert len(daemon.log.strip()) > 10


def test_control_without_a_daemon(folder):
    code, out, err = control(folder / "absent.sock", "locate", "--timeout", 1)
    assert code == 3
    assert out == ""
    assert len(err.strip().splitlines()) == 1 and "absent.sock" in err


def test_status_without_a_fix(folder):
    with Daemon(folder, f"serial:{folder}/absent") as daemon:
        code, out, _ = control(daemon.socket, "status")
        assert code != 0
        assert out.strip()
        daemon.stop()


def test_leaks_no_descriptor(folder):
    """A thousand clients that connect and close leave the descriptors unchanged."""
    with Daemon(folder, f"serial:{folder}/absent") as daemon:
        for _ in range(20):
            with daemon.connect() as client:
                client.watch()
        daemon.is_alive()
        before = len(os.listdir(f"/proc/{daemon.pid}/fd"))
        for _ in range(1000):
            with daemon.connect():
                pass
        assert daemon.is_alive()
        until(lambda: len(os.listdir(f"/proc/{daemon.pid}/fd")) <= before + 1, "every connection closed")
        daemon.stop()
