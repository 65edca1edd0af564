"""Force masks into scratch files, and list the open ones."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pruneapp.masks import bitmask, scratch


def limit_memory(monkeypatch: pytest.MonkeyPatch, nbytes: int = 0) -> None:
    """Store masks of more than `nbytes` bytes in scratch files, processed page by page."""
    monkeypatch.setattr(scratch, "MOST_IN_MEMORY", nbytes)
    monkeypatch.setattr(scratch, "PIECE", 4096)
    monkeypatch.setattr(bitmask, "PIECE", 4096)


def open_files() -> list[str]:
    """Return the open files of this process in the test's cache folder."""
    links = []
    for number in Path("/proc/self/fd").iterdir():
        try:
            links.append(str(number.readlink()))
        except OSError:  # the descriptor of the listing itself
            continue
    return [link for link in links if link.startswith(os.environ["XDG_CACHE_HOME"])]


def assert_none_open() -> None:
    """Fail if a scratch file is still open after 5 s; a thread closes them."""
    ends = time.monotonic() + 5
    while (left := open_files()) and time.monotonic() < ends:
        time.sleep(0.005)  # polling, because there is no notification when a thread has closed one
    assert not left, f"scratch files left open: {left}"
