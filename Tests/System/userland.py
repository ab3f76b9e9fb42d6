"""Debian booted in a container: its own systemd, with control groups and namespaces as on a board, on this kernel."""

import contextlib
import os
import pathlib
import subprocess

import images
from handlebar_harness import TIMEOUT, until


class Userland:
    """A booted container on a root file system; its devices are those that were bound into it."""

    def __init__(self, root, binds=()):
        images.need("systemd-nspawn", "nsenter")
        self.root = pathlib.Path(root)
        self.console = self.root.with_name(self.root.name + ".console")
        command = [
            "systemd-nspawn", "-q", "-D", self.root, "--boot", "--register=no", "--keep-unit", "--private-network",
            # Without bpf(2) systemd cannot enforce device rules.
            "--system-call-filter=bpf", *(f"--bind={source}:{target}" for source, target in binds),
        ]
        with open(self.console, "wb") as console:
            self.process = subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=console, stderr=console,
                env=os.environ | {"SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}, start_new_session=True,
            )
        self.leader = None
        try:
            self.leader = until(self.child, "the container's first process")
            self.booted = until(self.state, "the container's boot", timeout=60)
        except AssertionError as late:
            said = self.console.read_text(errors="replace")[-2000:]
            self.close()
            raise images.Missing(f"a container does not boot here: {late}\n{said}") from late

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def child(self):
        """The container's process 1 as seen from here; systemd-nspawn forks once before it."""
        if self.process.poll() is not None:
            raise AssertionError(f"systemd-nspawn ended with {self.process.returncode}")
        for pid in children(self.process.pid):
            with contextlib.suppress(FileNotFoundError):
                if pathlib.Path(f"/proc/{pid}/comm").read_text().strip() == "systemd":
                    return pid
        return None

    def state(self):
        """What systemd says of itself, once it has finished booting."""
        said = self.run("systemctl is-system-running", check=False).stdout.strip()
        return said if said in ("running", "degraded") else None

    def run(self, script, check=True, timeout=60.0, user=None):
        """Runs a shell script inside; as a user who has logged in, if one is named."""
        command = ["nsenter", f"--target={self.leader}", "--mount", "--uts", "--ipc", "--net", "--pid", "--cgroup", "--root", "--wd"]
        if user:
            command += ["runuser", "-u", user, "--"]
        done = subprocess.run(
            [*command, "sh", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False,
            env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"},
        )
        if check:
            assert done.returncode == 0, f"{script}\nended with {done.returncode}:\n{done.stdout}{done.stderr}\n{self.journal()}"
        return done

    def show(self, unit, name):
        """One property of a unit."""
        return self.run(f"systemctl show --property={name} --value {unit}").stdout.strip()

    def journal(self, options="--unit=handlebard --lines=30"):
        """What the journal has, newest last."""
        return self.run(f"journalctl --no-pager --output=short {options}", check=False).stdout

    def until(self, condition, what, timeout=TIMEOUT):
        """Waits for a condition; tells the journal when it does not come."""
        try:
            return until(condition, what, timeout=timeout, pause=0.1)
        except AssertionError as late:
            raise AssertionError(f"{late}\n{self.journal()}") from late

    def close(self):
        """Ends the container, the hard way: its first process takes all others with it."""
        if self.leader is not None and self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.leader, 9)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.console.unlink(missing_ok=True)


def children(pid):
    """The children of a process, and theirs."""
    try:
        own = [int(one) for one in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []
    return own + [one for child in own for one in children(child)]
