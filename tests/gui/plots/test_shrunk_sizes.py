"""Sizes of shrunk files as the horizontal axis of the page Quality."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture, Document
from pruneapp.document.step import Row, Step
from pruneapp.export.provenance import estimated_provenance
from pruneapp.gui.plots.quality import QualityView
from pruneapp.gui.plots.shrunk_sizes import shrunk_sizes
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.recipes.recipe import history_recipe
from pruneapp.shrink.cut import ShrinkError
from pruneapp.shrink.forecast import forecast
from pruneapp.shrink.surveyed_state import CutRequest, survey_state
from tests.gui.plots.test_quality import STATES
from tests.gui.user import plain
from tests.shrink.small_models import write_bert


@pytest.fixture
def folder(tmp_path):
    """Return the folder of a small BERT."""
    write_bert(tmp_path / "bert")
    return tmp_path / "bert"


@pytest.fixture
def document(folder):
    """Return the model after half of the neurons of all layers became dead."""
    document = Document(open_checkpoint(folder))
    values = {"amount": 0.5, "n": 2, "dim": 1}  # what reads a neuron
    names = tuple(
        name
        for name in document.checkpoint.entries
        if name.endswith(".output.dense.weight") and ".attention." not in name
    )
    step = Step((Row(names, "ln_structured", values),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    yield document
    document.close()
    document.checkpoint.close()


def test_the_size_is_that_of_the_model_without_dead_units(document):
    states = {n: document.state_at(n) for n in (0, 1)}
    sizes = shrunk_sizes(Capture.of(document), states, lambda _multiple: 1, Job())
    (file,) = document.checkpoint.files
    assert sizes[0] == pytest.approx(file.size, rel=0.05)
    assert sizes[1] <= sizes[0]
    surveyed = survey_state(document.snapshot(), Job())
    recipe = history_recipe(Capture.of(document), Job())
    origin = estimated_provenance(document.snapshot(), recipe, Job())
    assert sizes[1] == forecast(surveyed, CutRequest(multiple=1), Job(), origin).after.nbytes
    usual = shrunk_sizes(Capture.of(document), states, lambda multiple: multiple, Job())
    assert usual[1] > sizes[1], "rounded up to the usual multiple"


def test_a_model_that_cannot_be_cut_has_no_sizes():
    with open_checkpoint(resources.path("sample/lenet-digits.safetensors")) as checkpoint:
        document = Document(checkpoint)
        states = {0: document.state_at(0)}
        with pytest.raises(ShrinkError, match=r"no config\.json"):
            shrunk_sizes(Capture.of(document), states, lambda multiple: multiple, Job())
        document.close()


def test_the_axis_requests_sizes_once_and_shows_them(show, english, qtbot):
    view = show(QualityView(), 700, 420)
    requested = []
    view.shrunkSizesRequested.connect(requested.append)
    view.set_states(STATES, 1, "")
    assert not requested
    view.axis_box.setFocus()
    row = view.axis_box.findText("Size of the shrunk file")
    for _ in range(row):
        qtbot.keyClick(view.axis_box, Qt.Key.Key_Down)
    assert [sorted(numbers) for numbers in requested] == [[0, 1, 2, 3]]
    assert view._message.text() == "Computing the sizes of shrunk files…"
    view.set_shrunk_sizes({0: 400_000, 1: 300_000, 2: 200_000, 3: 100_000}, "")
    assert len(requested) == 1
    assert [p.x for p in view.canvas.points] == [100_000, 200_000, 300_000, 400_000]
    assert "down to 300 kB in the shrunk file (L1 50 %)" in plain(view.readout.text())
    view.set_shrunk_sizes({}, "This model cannot be cut.")
    assert view._message.text() == "This model cannot be cut."


def test_the_window_computes_the_sizes(user, folder):
    user.open_file(folder)
    sizes = user.workbench.shrunk_sizes
    sizes.compute([0])
    user.wait_idle()
    assert set(user.views.pages.quality._shrunk_sizes) == {0}
    user.key("Ctrl+W")
    user.wait(lambda: user.document is None)
    assert not user.views.pages.quality._shrunk_sizes
