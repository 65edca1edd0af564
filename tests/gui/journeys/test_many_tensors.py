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


def test_a_hundred_thousand_tensors_are_opened_filtered_and_pruned(person, large, beats):
    person.pause(100)
    beats.forget()
    took = Stopwatch()
    person.drop(large)
    person.wait_open(large)
    assert len(person.session.rows) == TENSORS
    assert took.seconds < 10, "2 s on an idle machine"

    person.ask()
    person.wait(lambda: person.button.text() == f"Prune {TENSORS:,} weights")
    person.pause(500)  # the exact preview is still running when the user continues
    person.filter("blocks.77.")
    person.wait(lambda: person.views.tree.model.listing.shown.sum() == 100)
    person.key("Ctrl+Shift+A")
    person.views.tree.view.setFocus()
    person.key("Ctrl+A")
    assert len(person.views.tree.checked_names()) == 100
    person.wait_preview()
    person.ask_amount("50 %")
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    person.filter("")
    person.wait(lambda: person.views.tree.model.listing.shown.sum() > 100)
    assert person.cell("blocks.77", Column.SPARSITY).endswith("50.0 %")
    person.key("Ctrl+Z", person.views.tree.view)
    assert not len(person.document.masks)
    beats.assert_answered()
