"""100,000 tensors: open, filter, check, preview and prune without blocking the window."""

from __future__ import annotations

import json
import struct

import pytest

from pruneapp.gui.tree.columns import Column
from tests.gui.event_loop_delay import Stopwatch

TENSORS = 100_000
NUMEL = 4


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Write a file with more bytes of header than of weights."""
    path = tmp_path_factory.mktemp("large") / "large.safetensors"
    size = 4 * NUMEL
    header = {
        f"blocks.{i // 100}.layer{i % 100}.weight": {
            "dtype": "F32",
            "shape": [2, 2],
            "data_offsets": [i * size, (i + 1) * size],
        }
        for i in range(TENSORS)
    }
    text = json.dumps(header).encode()
    data = struct.pack("<4f", 0.5, -1.0, 0.25, 2.0) * TENSORS
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def test_a_hundred_thousand_tensors_are_opened_filtered_and_pruned(user, large, beats):
    user.pause(100)
    beats.forget()
    took = Stopwatch()
    user.drop(large)
    user.wait_open(large)
    assert len(user.session.rows) == TENSORS
    assert took.seconds < 10, "2 s on an idle machine"

    user.ask()
    user.wait(lambda: user.button.text() == f"Prune {TENSORS:,} weights")
    user.pause(500)  # the exact preview is still running when the user continues
    user.filter("blocks.77.")
    user.wait(lambda: user.views.tree.model.listing.shown.sum() == 100)
    user.key("Ctrl+Shift+A")
    user.views.tree.view.setFocus()
    user.key("Ctrl+A")
    assert len(user.views.tree.checked_names()) == 100
    user.wait_preview()
    user.ask_amount("50 %")
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    user.filter("")
    user.wait(lambda: user.views.tree.model.listing.shown.sum() > 100)
    assert user.cell("blocks.77", Column.SPARSITY).endswith("50.0 %")
    user.key("Ctrl+Z", user.views.tree.view)
    assert not len(user.document.masks)
    beats.assert_answered()
