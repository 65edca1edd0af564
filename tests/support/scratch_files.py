"""Masks in files as if they were large, and which files without a name are open."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from pruneapp.masks import bitmask, scratch


def limit_memory(monkeypatch: pytest.MonkeyPatch, nbytes: int = 0) -> None:
    """Let masks of more bytes lie in files, which are worked on page by page."""
    monkeypatch.setattr(scratch, "MOST_IN_MEMORY", nbytes)
    monkeypatch.setattr(scratch, "PIECE", 4096)
    monkeypatch.setattr(bitmask, "PIECE", 4096)


def open_files() -> list[str]:
    """Return the files in the cache folder of this test that the process has open."""
    links = []
    for number in Path("/proc/self/fd").iterdir():
        try:
            links.append(str(number.readlink()))
        except OSError:  # that of the listing itself
            continue
    return [link for link in links if link.startswith(os.environ["XDG_CACHE_HOME"])]


def assert_none_open() -> None:
    """Fail if any is still open; they are closed in a thread."""
    ends = time.monotonic() + 5
    while (left := open_files()) and time.monotonic() < ends:
        time.sleep(0.005)  # Qt has no part in it: nothing tells when a thread has closed one
    assert not left, f"scratch files left open: {left}"
