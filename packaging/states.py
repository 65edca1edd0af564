"""Tour steps for empty, busy and error states of all pages."""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from driving import Tour, wait_until

from pruneapp.gui.document import open_document
from pruneapp.gui.plots.pages import Page

# 120 characters in all.
LONG = ("encoder_of_a_very_long_name_" * 5)[:113] + ".weight"


def see(walk: Tour) -> None:
    """Visit the states, each with all pages."""
    if walk.theme.startswith("dark"):
        walk.user.menu("View", "Theme", "Dark")
    with walk.step("empty", "the window without a file"):
        pass
    named = walk.folder / "a-file-with-long-names.safetensors"
    rng = np.random.default_rng(0)
    tensors = {LONG: rng.standard_normal((64, 48)), "b.weight": rng.standard_normal((32, 16))}
    write(named, tensors)
    walk.open(lambda: walk.user.drop(named))
    wait_until(lambda: not walk.bench.histograms.busy, "the counting to end")
    pages(walk, "long-names", "120 letters")
    refused(walk)
    unchecked(walk)
    at_work(walk, named)
    hollow = walk.folder / "a-file-without-tensors.safetensors"
    write(hollow, {})
    walk.open(lambda: walk.user.drop(hollow))
    pages(walk, "no-tensors", "a file that holds nothing")


def pages(walk: Tour, name: str, says: str, *, rests: bool = True) -> None:
    """Save a picture of every page."""
    for page in filter(walk.views.pages.tabs.isTabVisible, Page):
        with walk.step(f"{name}-{page.name.lower()}", says, rests=rests):
            walk.views.pages.tabs.setCurrentIndex(page)
    walk.views.pages.tabs.setCurrentIndex(Page.WEIGHTS)


def refused(walk: Tour) -> None:
    """Drop an invalid file; the open document stays open."""
    broken = walk.folder / "cut-off.safetensors"
    broken.write_bytes(b"\x10\x27\0\0\0\0\0\0{")
    with walk.step("refused", "what was wrong with a file stands above the picture"):
        walk.user.drop(broken)
        wait_until(lambda: walk.window.notices.notices, "the notice")
    pages(walk, "refused", "the same on each page")
    walk.window.notices.clear()


def unchecked(walk: Tour) -> None:
    for name in (LONG, "b.weight"):
        walk.user.check(walk.views.tree.view, name)
    walk.user.settle()
    pages(walk, "nothing-checked", "the form says what is missing")
    for name in (LONG, "b.weight"):
        walk.user.check(walk.views.tree.view, name)
    walk.user.settle()


def at_work(walk: Tour, file: Path) -> None:
    """Open a file from a slow disk."""
    with held() as released:
        walk.user.drop(file)
        pages(walk, "opening", "a job with its progress, and Cancel", rests=False)
        walk.open(released.set)


@contextmanager
def held() -> Iterator[threading.Event]:
    """Block opening inside of the block until the event is set."""
    released = threading.Event()

    open_path = open_document.open_path

    def slow(wish: Any, job: Any) -> Any:
        job.start(100, "layer3.2.conv2.weight")
        job.step(40)
        while not released.wait(0.01):
            job.step(0)
        return open_path(wish, job)

    with patch.object(open_document, "open_path", slow):
        try:
            yield released
        finally:
            released.set()


def write(path: Path, tensors: dict[str, Any]) -> None:
    """Write tensors as float32 in the safetensors format."""
    header: dict[str, Any] = {}
    data = b""
    for name, values in tensors.items():
        raw = values.astype("<f4").tobytes()
        offsets = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": offsets}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
