"""`handlebarctl doctor` on running daemons: it names every fault and no other."""

import json
import os
import socket
import subprocess

from gpsd_harness import Feeder
from handlebar_harness import BIN, TIMEOUT, Daemon, Receiver, control, tracking


def examine(path, *options, **environment):
    """The exit code and the findings by check."""
    done = subprocess.run(
        [BIN / "handlebarctl", "--socket", path, "doctor", "--json", *options], capture_output=True, text=True,
        timeout=TIMEOUT, check=False, stdin=subprocess.DEVNULL, env={**os.environ, "HANDLEBAR_CONFIG": "", **environment},
    )
    findings = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == int(any(one["state"] == "wrong" for one in findings)), done.stdout + done.stderr
    for one in findings:
        assert one["state"] != "wrong" or one["remedy"], one
    return {one["check"]: one for one in findings if one["state"] == "wrong"}, findings


def test_no_findings_with_a_fix(folder):
    with (
        Receiver(folder / "gps0") as receiver,
        Daemon(folder, f"serial:{receiver.link}") as daemon,
        daemon.connect() as client,
        # The fix would be lost before a slow examination.
        Feeder(receiver),
    ):
        client.watch(distanceFilter=0)
        client.wait("STATE", tracking)
        wrong, findings = examine(daemon.socket)
        # The sentences carry a time of their own; on this machine the clock may be another.
        assert set(wrong) <= {"clock", "disk", "holder"}, wrong
        # This test holds the other end of the line, and the line itself.
        assert [one for one in findings if one["check"] == "holder" and f"(pid {os.getpid()})" not in one["message"]] == []
        assert {"configuration", "socket", "receiver", "sky"} <= {one["check"] for one in findings}
        daemon.stop()


def test_no_receiver(folder):
    with Daemon(folder, f"serial:{folder}/absent") as daemon:
        wrong, _ = examine(daemon.socket)
        assert f"{folder}/absent does not exist" in wrong["receiver"]["message"]
        daemon.stop()


def test_device_held_by_another_process(folder):
    with Receiver(folder / "gps0") as receiver:
        holder = subprocess.Popen(["sleep", "infinity"], stdin=receiver.slave)
        try:
            with Daemon(folder, f"serial:{receiver.link}") as daemon:
                _, findings = examine(daemon.socket)
                assert any(f"sleep (pid {holder.pid})" in one["message"] for one in findings if one["check"] == "holder")
                daemon.stop()
        finally:
            holder.kill()
            holder.wait()


def test_no_daemon(folder):
    wrong, _ = examine(folder / "absent.sock")
    assert "does not exist" in wrong["socket"]["message"] and "systemctl start" in wrong["socket"]["remedy"]
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(folder / "left.sock"))
    wrong, _ = examine(folder / "left.sock")
    assert "no process listens" in wrong["socket"]["message"]


def test_wrong_configuration(folder):
    (folder / "handlebard.toml").write_text("\ndistance_filter = 5\n")
    wrong, _ = examine(folder / "absent.sock", HANDLEBAR_CONFIG=f"{folder}/handlebard.toml")
    message = wrong["configuration"]["message"]
    assert message.startswith(f"{folder}/handlebard.toml:2: distance_filter: "), message
    assert '"distance-filter"' in message


def test_text_output(folder):
    code, out, err = control(folder / "absent.sock", "doctor")
    assert code == 1 and err == ""
    assert "\nwrong  socket " in "\n" + out and " do: " in out
