"""A repaired model in the window: display, comparison, undo, saving and export."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QImage
from safetensors.numpy import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture, Document
from pruneapp.document.step import Row, Step
from pruneapp.gui.plots.heatmap.shading import PRUNED_OVER
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.widgets import number_format
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.repair.repair import compute_repair
from pruneapp.sessions.session_file import save_session
from tests.repair.layers import InputArrays, mixed

FC, BIAS = "fc.weight", "fc.bias"


@pytest.fixture
def session(tmp_path):
    """Write a session with a pruned and repaired layer; return its path and exported weights."""
    rng = np.random.default_rng(1)
    arrays = {FC: rng.normal(size=(20, 30)), BIAS: rng.normal(size=20)}
    path = tmp_path / "model.safetensors"
    save_file({n: a.astype(np.float32) for n, a in arrays.items()}, path)
    with open_checkpoint(path) as checkpoint:
        document = Document(checkpoint)
        step = Step((Row((FC,), "l1_unstructured", {"amount": 0.5}),))
        document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
        known = InputArrays({FC: mixed(2, 300, 30, offset=1.0)})
        document.commit(compute_repair(document.snapshot(), known, Job()))
        save_session(Capture.of(document), {}, tmp_path / "work.prune", Job())
        state = document.snapshot()
        zeroed = state.export_mask(FC)
        weights = state.bits(FC).view(np.float32) * zeroed.bools()
        bias = state.bits(BIAS).view(np.float32)
        document.close()
    return tmp_path / "work.prune", {FC: weights.reshape(20, 30), BIAS: bias}


def pruned_pixels(user) -> int:
    """Count the pixels of the heat map in the color of pruned weights."""
    image = user.views.pages.weights.canvas.grab().toImage()
    pixels = np.frombuffer(image.convertToFormat(QImage.Format.Format_RGB32).constBits(), np.uint32)
    return int(np.count_nonzero(pixels == int("ff" + PRUNED_OVER[1:], 16)))


def test_a_repaired_session_is_shown_undone_and_exported(user, session, tmp_path):
    """All pages paint it, undo restores the values of the file, and the export is repaired."""
    file, expected = session
    user.open(file)
    user.wait(lambda: user.states and len(user.states) == 3)
    assert user.states[-1].startswith("Repair of fc")
    whole = load_file(file.parent / "model.safetensors")
    lost = np.square(whole[FC][expected[FC] == 0]).sum()
    kept = number_format.percent(1 - lost / sum(np.square(a).sum() for a in whole.values()))
    retained = user.views.preview.norm_retained  # from the values of the file and the mask alone
    user.wait(lambda: retained.text() == kept)
    for page in Page:
        user.views.pages.tabs.setCurrentIndex(page)
        user.wait_idle()
    user.views.pages.tabs.setCurrentIndex(Page.WEIGHTS)
    numbers = user.views.pages.numbers
    user.wait(lambda: "zeros" in numbers.text())
    repaired = numbers.text()
    user.wait_idle()
    orange = pruned_pixels(user)
    assert orange > 10_000
    user.export(tmp_path / "out.safetensors")
    user.close_report()
    written = load_file(tmp_path / "out.safetensors")
    for name, array in expected.items():
        assert np.array_equal(written[name], array)
    user.key("Ctrl+Z")
    user.wait(lambda: not user.document.snapshot().values)
    user.wait(lambda: numbers.text() != repaired)
    assert numbers.text().partition("zeros")[2] == repaired.partition("zeros")[2]
    user.wait(lambda: retained.text() == kept)
    user.wait_idle()
    assert pruned_pixels(user) == orange, "a repair hides no pruned weight"
    assert not user.trouble
