"""One process for all windows of a user: a second start sends its files to the first process.

This module does not use Qt, whose import takes longer than sending the files. The listening process
(`InstanceServer` in `application.py`) sends the first line, so that no request is sent to a process
that does not respond::

    < {"pruneapp": "0.1.0"}
    > {"files": ["/home/me/model.safetensors"], "state_dict": null, "token": ""}
    < {"taken": true}
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import struct
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import platformdirs

import pruneapp
from pruneapp.json_codec import encode

# Timeout, in seconds, after which a process that does not answer is ignored.
PATIENCE_S = 1.0
# Maximum length of a line in bytes, far more than the longest paths need.
MAX_LINE_BYTES = 1 << 18
MAX_FILES = 20

GREETING = encode({"pruneapp": pruneapp.__version__}) + b"\n"
ACCEPTED = encode({"taken": True}) + b"\n"
# The longest socket path, in bytes, that all systems accept.
_LONGEST_PATH = 100


class OpenFiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request to open files or URLs; without any, a new window without a file is opened.

    `files` are absolute paths or URLs.
    """

    files: Annotated[tuple[str, ...], msgspec.Meta(max_length=MAX_FILES)] = ()
    state_dict: str | None = None
    token: str = ""  # activation token, which some desktops need to bring a window to the front

    @classmethod
    def of(cls, files: Sequence[Path], state_dict: str | None) -> OpenFiles:
        """Return the request for files named on the command line of this process."""
        token = os.environ.get("XDG_ACTIVATION_TOKEN", "")
        return cls(tuple(str(file.absolute()) for file in files), state_dict, token)


def address() -> str | None:
    """Return the path of the socket on which the user's running process listens, or would listen.

    The path depends on the version, the display and the settings folder, so that only processes
    that agree in these share their windows. None on Windows, whose Python has no Unix sockets, and
    if there is no private folder or the path would be too long.
    """
    if sys.platform == "win32":
        return None
    parts = [os.environ.get(name, "") for name in ("DISPLAY", "WAYLAND_DISPLAY")]
    parts.append(platformdirs.user_config_dir("pruneapp"))
    key = hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:12]
    name = f"pruneapp-{pruneapp.__version__}-{key}"
    folder = _folder()
    path = "" if folder is None else str(folder / name)
    return path if path and len(os.fsencode(path)) <= _LONGEST_PATH else None


def _folder() -> Path | None:
    """Return a folder that only the user can access, for the socket; None if there is none.

    It is XDG_RUNTIME_DIR, or else a folder in TMPDIR or /tmp, which is created if necessary. None
    if it belongs to another user or gives others any permission.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime) if runtime else Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - its owner is looked at
    if not runtime:
        folder /= f"pruneapp-{os.getuid()}"
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700)
    try:
        status = folder.lstat()
    except OSError:
        return None
    is_private = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return folder if is_private and not status.st_mode & 0o077 else None


def send_to_running_instance(request: OpenFiles) -> bool:
    """Send a request to the running process; return whether it has accepted it.

    False, without an exception, if there is no process, or if it does not accept within
    `PATIENCE_S` seconds.
    """
    socket_path = address()
    if socket_path is None:
        return False
    return send_by_socket(socket_path, request) if os.path.lexists(socket_path) else False


def send_by_socket(path: str, request: OpenFiles) -> bool:
    """Send a request through the Unix socket at `path`; return whether it was accepted.

    False if no process listens, if it belongs to another user or has another version, or if all
    together takes more than `PATIENCE_S` seconds.
    """
    import socket  # imported late: usually no other process is running

    deadline = time.monotonic() + PATIENCE_S
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:

            def receive() -> bytes:
                connection.settimeout(max(deadline - time.monotonic(), 0.001))
                return connection.recv(4096)

            connection.settimeout(PATIENCE_S)
            connection.connect(path)
            if belongs_to_other_user(connection.fileno()) or _line(receive) != GREETING:
                return False
            connection.sendall(encode(request) + b"\n")
            return _line(receive) == ACCEPTED
    except OSError:
        return False


def _line(receive: Callable[[], bytes]) -> bytes:
    """Return the next line, with its line break; `receive` returns the next bytes, b"" at the end.

    The break is missing if the connection ended early, or once `MAX_LINE_BYTES` were received.
    """
    line = b""
    while not line.endswith(b"\n") and (more := receive()) and len(line) < MAX_LINE_BYTES:
        line += more
    return line


def has_listener(path: str) -> bool:
    """Return whether a process accepts connections at a socket path.

    The result is False if the file is missing, or if connecting takes more than `PATIENCE_S`
    seconds.
    """
    import socket

    if not os.path.lexists(path):
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(PATIENCE_S)
        try:
            line.connect(path)
        except OSError:
            return False
    return True


def belongs_to_other_user(descriptor: int) -> bool:
    """Return whether the other end of a socket belongs to a different user.

    `descriptor` is the file descriptor of the socket; it is not closed. False where that cannot be
    found out, on systems other than Linux.
    """
    import socket

    credentials: Any = getattr(socket, "SO_PEERCRED", None)  # Linux only
    if credentials is None:
        return False
    with socket.socket(fileno=os.dup(descriptor)) as line:
        found = line.getsockopt(socket.SOL_SOCKET, credentials, struct.calcsize("3i"))
    return bool(struct.unpack("3i", found)[1] != os.getuid())
