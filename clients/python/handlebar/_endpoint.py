"""What is at an endpoint instead of a daemon that answers: the sentences and remedies of the Swift client."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
import struct
import typing
from typing import Any, Callable, Tuple, Union

from ._errors import CannotConnect, _NoDaemon
from ._limits import STANDARD_PATH
from ._requests import _checked


Endpoint = Union[str, "os.PathLike[str]", Tuple[str, int], None]


def _resolved(endpoint: Endpoint) -> Union[str, Tuple[str, int]]:
    """The path or (host, port) of a daemon, by default of the environment."""
    if endpoint is None:
        return os.environ.get("HANDLEBAR_SOCKET") or STANDARD_PATH
    if not isinstance(endpoint, tuple):
        return os.fsdecode(endpoint)
    host, port = endpoint
    return host, int(typing.cast(float, _checked("port", port, 1, 65_535)))


_RESTART = "restart it: sudo systemctl restart handlebard; its log: journalctl -u handlebard -n 20"
_CHOICE = "set HANDLEBAR_SOCKET to the path of the daemon's socket"


def _place(endpoint: Union[str, Tuple[str, int]]) -> str:
    return endpoint if isinstance(endpoint, str) else f"{endpoint[0]}:{endpoint[1]}"


def _cannot_connect(endpoint: Union[str, Tuple[str, int]], error: Exception) -> CannotConnect:
    if isinstance(endpoint, str):
        if isinstance(error, PermissionError):
            return CannotConnect(_denied(endpoint))
        if isinstance(error, BlockingIOError):
            return CannotConnect(f"the process at {endpoint} accepts no more connections; {_RESTART}")
        mode = None
        with contextlib.suppress(OSError, ValueError):
            mode = os.stat(endpoint).st_mode
        number = getattr(error, "errno", None) or 0
        kind = {errno.ELOOP: "a loop of links", errno.EPROTOTYPE: "a socket of another kind"}.get(number)
        if number == errno.ECONNREFUSED and mode is not None and not stat.S_ISSOCK(mode):
            kind = "a directory" if stat.S_ISDIR(mode) else "a file"
        if kind is not None:
            return CannotConnect(f"{endpoint} is {kind}, not the daemon's socket; {_CHOICE}")
    reason = getattr(error, "strerror", None) or str(error) or "no answer in time"
    return _NoDaemon(f"no daemon at {_place(endpoint)} ({reason}); start it with: systemctl start handlebard")


def _denied(path: str) -> str:
    """Why this user may not connect to a path, and what to do."""
    import grp
    import pwd

    def name(find: Callable[[int], Any], number: int) -> str:
        with contextlib.suppress(KeyError):
            return str(find(number)[0])
        return str(number)

    parts = [path[:at] for at, letter in enumerate(path) if letter == "/" and at > 0]
    closed = next((one for one in parts if os.path.isdir(one) and not os.access(one, os.X_OK)), None)
    at = path if closed is None else closed
    with contextlib.suppress(OSError):
        found = os.stat(at)
        owner, mode = name(pwd.getpwuid, found.st_uid), f"mode 0{found.st_mode & 0o777:o}"
        if closed is not None:
            return (
                f"{path}: permission denied, the directory {closed} is for {owner} alone ({mode}); open it for others: "
                f"sudo chmod o+x {closed}; or choose another path: socket in handlebard.toml")
        # Nobody joins root's group for a position.
        if found.st_mode & 0o020 and found.st_gid != 0:
            group, user = name(grp.getgrgid, found.st_gid), name(pwd.getpwuid, os.geteuid())
            return (
                f"{path}: permission denied, it is for the group {group}; join the group: sudo usermod -aG {group} {user}, "
                f"then log in again")
        return (
            f"{path}: permission denied, it is for {owner} alone ({mode}); set socket-mode and socket-group in "
            f"handlebard.toml and restart the daemon, or connect as {owner}")
    return f"{path}: permission denied"


def _silent(endpoint: Union[str, Tuple[str, int]], what: str) -> str:
    """The sentence about a process that listens and does not do its work, with a remedy."""
    text, is_stopped, pid = _peer(endpoint)
    if is_stopped:
        return f"{text} at {_place(endpoint)} is stopped; continue it: sudo kill -CONT {pid}"
    return f"{text} at {_place(endpoint)} {what}; {_RESTART}"


def _foreign(endpoint: Union[str, Tuple[str, int]]) -> str:
    return f"{_peer(endpoint)[0]} at {_place(endpoint)} is not handlebard: it sends something else; {_CHOICE}"


def _peer(endpoint: Union[str, Tuple[str, int]]) -> Tuple[str, bool, int]:
    """The process that listens, as far as it is known: in words, whether it is stopped, its number."""
    unknown = ("the process", False, 0)
    if not isinstance(endpoint, str) or not hasattr(socket, "SO_PEERCRED"):
        return unknown
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.setblocking(False)
            one.connect(endpoint)
            pid = struct.unpack("3i", one.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        # systemd listens for those that it starts by a connection.
        if pid <= 1:
            return unknown
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            words = file.read()
        name, state = words[words.index("(") + 1 : words.rindex(")")], words[words.rindex(")") + 1 :].split()[0]
        return f"{name} (pid {pid})", state in "Tt", pid
    except (OSError, ValueError):
        return unknown
