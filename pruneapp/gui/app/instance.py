"""One process for all windows of a person: a second start hands its files over to the first.

Without Qt, which takes longer to import than the files to hand over. The process that listens
(`InstanceServer` in `application.py`) speaks first, so that nothing is given to one that does not
answer::

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
from pruneapp.json_codec import encoded

# Who does not answer for so long is passed over.
PATIENCE_S = 1.0
# Bytes of a line; many times what the longest paths take.
LONGEST = 1 << 18
MOST_FILES = 20

GREETING = encoded({"pruneapp": pruneapp.__version__}) + b"\n"
TAKEN = encoded({"taken": True}) + b"\n"
# What an address of a socket may have on all systems.
_LONGEST_PATH = 100


class OpenFiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is to be opened: absolute paths, or URLs; a window without a file if there are none."""

    files: Annotated[tuple[str, ...], msgspec.Meta(max_length=MOST_FILES)] = ()
    state_dict: str | None = None
    token: str = ""  # what lets a window come to the front, where the desktop wants one

    @classmethod
    def of(cls, files: Sequence[Path], state_dict: str | None) -> OpenFiles:
        """Return the request for files that were named in this process."""
        token = os.environ.get("XDG_ACTIVATION_TOKEN", "")
        return cls(tuple(str(file.absolute()) for file in files), state_dict, token)


def address() -> str | None:
    """Return where the windows of this person listen; None where there is no place for that.

    That is on Windows, whose Python has no such sockets, and where others may write to the folder.
    Those of this version, on this screen, with these settings: others are others.
    """
    if sys.platform == "win32":
        return None
    about = [os.environ.get(name, "") for name in ("DISPLAY", "WAYLAND_DISPLAY")]
    about.append(platformdirs.user_config_dir("pruneapp"))
    key = hashlib.sha256("\0".join(about).encode(errors="surrogateescape")).hexdigest()[:12]
    name = f"pruneapp-{pruneapp.__version__}-{key}"
    folder = _folder()
    path = "" if folder is None else str(folder / name)
    return path if path and len(os.fsencode(path)) <= _LONGEST_PATH else None


def _folder() -> Path | None:
    """Return a folder that nobody else can write to, which is made if need be; None for none."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime) if runtime else Path(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108 - its owner is looked at
    if not runtime:
        folder /= f"pruneapp-{os.getuid()}"
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700)
    try:
        found = folder.lstat()
    except OSError:
        return None
    own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return folder if own and not found.st_mode & 0o077 else None


def hand_over(request: OpenFiles) -> bool:
    """Have the windows that are there open something; False if none takes it within a second."""
    place = address()
    if place is None:
        return False
    return by_socket(place, request) if os.path.lexists(place) else False


def by_socket(path: str, request: OpenFiles) -> bool:
    """Hand over by a socket of the system."""
    import socket  # not for who finds nobody there

    ends = time.monotonic() + PATIENCE_S
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:

            def receive() -> bytes:
                line.settimeout(max(ends - time.monotonic(), 0.001))
                return line.recv(4096)

            line.settimeout(PATIENCE_S)
            line.connect(path)
            if is_of_another(line.fileno()) or _line(receive) != GREETING:
                return False
            line.sendall(encoded(request) + b"\n")
            return _line(receive) == TAKEN
    except OSError:
        return False


def _line(receive: Callable[[], bytes]) -> bytes:
    """Return the next line, or what came of it when nothing more came."""
    line = b""
    while not line.endswith(b"\n") and (more := receive()) and len(line) < LONGEST:
        line += more
    return line


def is_answered(path: str) -> bool:
    """Return whether somebody listens at a socket."""
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


def is_of_another(descriptor: int) -> bool:
    """Return whether the other end of a socket is known to be another user's."""
    import socket

    credentials: Any = getattr(socket, "SO_PEERCRED", None)  # of Linux
    if credentials is None:
        return False
    with socket.socket(fileno=os.dup(descriptor)) as line:
        found = line.getsockopt(socket.SOL_SOCKET, credentials, struct.calcsize("3i"))
    return bool(struct.unpack("3i", found)[1] != os.getuid())
