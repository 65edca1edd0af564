"""The main workflow in a real window, by clicks and keys: open, prune, inspect, undo, export."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from safetensors.torch import load_file, save_file

from pruneapp import resources
from pruneapp.gui.plots.heatmap import shading
from pruneapp.gui.tree.columns import Column
from tests.gui.event_loop_delay import Stopwatch
from tests.gui.job_gate import Gate
from tests.gui.person import plain

SAMPLE = resources.path("sample/lenet-digits.safetensors")


@pytest.fixture
def small(tmp_path):
    """Write a small network with known weights."""
    generator = torch.Generator().manual_seed(1)
    tensors = {
        "conv1.weight": torch.randn(4, 3, 3, 3, generator=generator),
        "conv1.bias": torch.randn(4, generator=generator),
        "conv2.weight": torch.randn(8, 4, 3, 3, generator=generator),
        "fc.weight": torch.randn(10, 8, generator=generator),
        "fc.bias": torch.randn(10, generator=generator),
    }
    path = tmp_path / "small.safetensors"
    save_file(tensors, path)
    return path


def pruned_places(person):
    """Return where the heat map of the current tensor paints pruned weights, as a bool array."""
    canvas = person.views.pages.weights.canvas
    layout = person.views.pages.weights._layout
    image = canvas.grab().toImage()
    found = np.zeros(layout.shape, bool)
    for row in range(layout.rows):
        for column in range(layout.columns):
            middle = canvas.pixel_of(row, column)
            half = int(canvas.view.scale_x / 2), int(canvas.view.scale_y / 2)
            # Near a corner, as the value is painted in the center.
            color = image.pixelColor(middle - QPoint(*half) + QPoint(4, 4))
            found[layout.index(row, column)] = is_orange(color)
    return found


def is_orange(color: QColor) -> bool:
    return color.name() == QColor(shading.PRUNED_OVER).name()


def test_a_person_prunes_looks_undoes_redoes_and_exports(person, small, tmp_path):
    """From the empty window to reopening the exported file."""
    assert person.window.empty.isVisible()
    assert not person.views.tree_dock.isVisible()

    assert person.drop(small)
    person.wait_open(small)
    assert not person.window.empty.isVisible()
    before = person.wait_preview()
    assert before.newly_pruned == round(0.2 * 108) + round(0.2 * 288) + round(0.2 * 80)

    # Check only conv1, by a filter and Space.
    person.key("Ctrl+Shift+A")
    person.wait(lambda: person.button.text() == "Nothing to prune")
    assert "No tensor is checked" in person.views.preview.error.text()
    person.filter("conv1.w")
    person.key("Down")
    person.click_cell("conv1.weight")
    person.key("Space")
    person.ask_amount("50 %")
    report = person.wait_preview()
    assert person.button.text() == "Prune 54 weights"
    assert person.views.preview.pruned.text() == "54 of 108"
    assert report.newly_pruned == 54
    assert person.document.masks.pruned("conv1.weight") == 0, "only the button prunes"

    person.click(person.button)
    assert person.states[1:] == ["L1 50 % on conv1.weight"]
    weights = load_file(small)["conv1.weight"].numpy()
    expected = smallest(weights, 54)
    person.wait(lambda: heatmap_is_current(person))
    assert np.array_equal(pruned_places(person), expected)
    assert person.cell("conv1.weight", Column.SPARSITY).endswith("50.0 %")
    assert "50.0 % pruned" in plain(person.views.pages.heading.details.text())

    # Hovering over a weight shows its index, value and state.
    canvas = person.views.pages.weights.canvas
    place = tuple(int(i) for i in np.argwhere(expected)[7])
    person.qtbot.mouseMove(
        canvas.viewport(), canvas.pixel_of(*person.views.pages.weights._layout.place(place))
    )
    readout = person.views.pages.weights.readout
    person.wait(lambda: "pruned in step 1 by L1" in readout.text())
    out, in_, row, column = place
    assert readout.text().startswith(f"[out {out}, in {in_}, {row}, {column}] = ")

    # A second step, on another tensor.
    person.key("Ctrl+Shift+A")
    person.filter("")
    person.check("fc.weight")
    person.ask_amount("10")
    person.wait_preview()
    person.key("Ctrl+Return")
    person.wait(lambda: len(person.states) == 3)
    assert person.document.masks.pruned("fc.weight") == 8, "a bare 10 is a share in percent"

    person.key("Ctrl+Z")
    assert person.document.position == 1
    assert person.document.masks.pruned("fc.weight") == 0
    person.key("Ctrl+Shift+Z")
    assert person.document.position == 2
    person.click_state(0)
    assert person.document.position == 0
    person.click_cell("conv1.weight")
    person.wait(lambda: heatmap_is_current(person))
    assert not pruned_places(person).any()
    person.key("Alt+Right")
    assert person.document.position == 1
    person.click_state(2)
    assert person.document.position == 2
    assert person.window.actions_["undo"].text() == "&Undo L1 10 % on fc.weight"

    out = tmp_path / "out.safetensors"
    shown = person.export(out)
    text = shown.as_text()
    assert str(out) in text
    assert "read back and compared" in text
    assert "conv1.weight\t54\t108" in text
    person.close_report()
    dense = load_file(out)
    assert torch.equal(
        dense["conv1.weight"], torch.from_numpy(np.where(expected, np.float32(0), weights))
    )
    assert dense["fc.weight"].eq(0).sum() == 8
    assert torch.equal(dense["conv2.weight"], load_file(small)["conv2.weight"])
    assert not person.session.unexported

    assert person.drop(out)
    person.wait_open(out)
    assert person.states == ["Opened"]


def smallest(weights, count):
    """Return a bool array of the `count` smallest magnitudes; ties by index."""
    found = np.zeros(weights.size, bool)
    found[np.argsort(np.abs(weights).reshape(-1), kind="stable")[:count]] = True
    return found.reshape(weights.shape)


def heatmap_is_current(person):
    """Return whether the heat map has loaded the current state."""
    view = person.views.pages.weights
    return view.canvas.item.fine is not None and not view.stale


def test_a_person_exports_in_three_formats_and_resumes(person, small, tmp_path):
    """The resumable file opens pruned, with the mask as its first history entry."""
    person.open_file(small)
    person.ask_amount("25%")
    person.wait_preview()
    person.click(person.button)
    weights = load_file(small)
    kept = {
        name: ~smallest(weights[name].numpy(), round(weights[name].numel() / 4))
        for name in ("conv1.weight", "conv2.weight", "fc.weight")
    }

    for form, name in (
        ("safetensors", "a.safetensors"),
        ("torch", "b.pt"),
        ("resumable", "c.safetensors"),
    ):
        shown = person.export(tmp_path / name, form)
        assert person.trouble == []
        assert "read back and compared" in shown.as_text()
        person.close_report()

    for found in (
        load_file(tmp_path / "a.safetensors"),
        torch.load(tmp_path / "b.pt", weights_only=True),
    ):
        assert list(found) == list(weights) or set(found) == set(weights)
        for name, mask in kept.items():
            assert torch.equal(found[name], weights[name] * torch.from_numpy(mask))
    resumable = load_file(tmp_path / "c.safetensors")
    assert torch.equal(resumable["fc.weight_orig"], weights["fc.weight"])
    assert torch.equal(resumable["fc.weight_mask"], torch.from_numpy(kept["fc.weight"]).float())

    assert person.drop(tmp_path / "c.safetensors")
    person.wait_open(tmp_path / "c.safetensors")
    assert len(person.states) == 2, person.states
    assert person.document.masks.pruned("fc.weight") == 20
    assert person.cell("fc.weight", Column.SPARSITY).endswith("25.0 %")


def test_what_would_go_is_hatched_before_anything_is_pruned(person, small):
    """Heat map, tree and read-out show the preview."""
    person.open_file(small)
    person.wait_preview()
    view = person.views.pages.weights
    person.wait(lambda: heatmap_is_current(person) and view.canvas.item.fine.to_be_pruned.any())

    assert not pruned_places(person).all()
    tile = view.canvas.item.fine
    going = tile.to_be_pruned.astype(bool)
    assert going.sum() == round(0.2 * 108)
    row, column = (int(i) for i in np.argwhere(going)[0])
    person.qtbot.mouseMove(view.canvas.viewport(), view.canvas.pixel_of(row, column))
    assert view.readout.text().endswith("kept, to be pruned")
    assert "→ 20" in person.cell("conv1.weight", Column.SPARSITY)

    # Keys 1 to 4 select the page, ] selects the next tensor.
    pages = person.views.pages
    person.views.tree.view.setFocus()

    person.key("2")
    person.wait(lambda: pages.distribution.isVisible() and pages.distribution.numbers().rows)
    person.key("3")
    person.wait(lambda: pages.channels.isVisible() and pages.channels.numbers().rows)
    assert pages.channels.numbers().rows == 4
    person.key("4")
    person.wait(lambda: pages.model.isVisible() and pages.model.numbers().rows)
    person.key("1")
    assert pages.weights.isVisible()
    before = pages.heading.name.text()
    person.key("]")
    person.wait(lambda: pages.heading.name.text() != before)
    person.wait(lambda: heatmap_is_current(person))
    person.key("[")
    assert pages.heading.name.text() == before
    assert pages.weights.strength == 1
    person.key("M")
    assert pages.weights.strength == 0
    view = pages.weights.canvas.view
    person.key("+")
    assert pages.weights.canvas.view != view
    person.key("0")
    assert pages.weights.canvas.view == view


def test_a_stale_preview_is_never_applied(person, small):
    """A click prunes with the values in the form at that moment, even if the preview is older."""
    person.open_file(small)
    person.wait_preview()
    old = person.workbench.preview.state.preview

    # A wrong value is explained next to the field; the button is disabled until it is corrected.
    note = person.rule.fields.notes["amount"]
    person.ask_amount("130 %")
    assert note.text().startswith("✕")
    assert not person.button.isEnabled()
    person.key("Ctrl+Return")
    person.pause(50)
    assert person.states == ["Opened"]
    person.ask_amount("109,000,000")
    person.wait(lambda: not person.button.isEnabled())
    person.ask_amount("30 %")
    assert not note.text().startswith("✕")
    person.wait_preview()
    assert person.button.isEnabled()

    person.ask_amount("50 %")
    person.key("Ctrl+Return")  # no preview is computed yet
    person.wait(lambda: len(person.states) == 2)
    assert person.document.masks.pruned("conv1.weight") == 54

    assert not person.session.commit(old)
    assert person.document.position == 1
    assert person.trouble == [
        "The preview belongs to a state of the document that no longer exists. Compute it again."
    ]


@pytest.fixture
def slow(monkeypatch):
    """Return a gate that blocks previews until it is opened."""
    from pruneapp.gui.preview import live_preview
    from pruneapp.preview.preview import compute_preview

    gate = Gate(closed=True)

    def work(snapshot, step, kernel, job, **more):
        job.start(10_000, "conv1.weight")
        gate.wait(job, 1)
        return compute_preview(snapshot, step, kernel, job, **more)

    monkeypatch.setattr(live_preview, "compute_preview", work)
    return gate


def test_what_is_worked_on_is_read_whole_where_there_is_room(person, tmp_path, slow):
    name = "bert.encoder.layer.11.attention.output.dense.weight"
    file = tmp_path / "model.safetensors"
    save_file({name: torch.ones(8, 8)}, file)
    person.open_file(file)
    person.ask()
    person.wait(lambda: slow.running)
    person.key("Ctrl+Return")
    label = person.window.job_status.label
    person.wait(label.isVisible)
    assert person.window.width() <= 1280
    needed = label.fontMetrics().horizontalAdvance(f"Pruning: {name} …")
    person.wait(lambda: label.contentsRect().width() >= needed)
    slow.closed = False
    person.wait(lambda: len(person.states) == 2)
    person.workbench.notifications.show_done("Done.")
    assert person.window.done.isVisible()


def test_a_long_prune_is_cancelled_at_once_and_changes_nothing(person, small, slow, beats):
    """The tensor's name is shown as progress; after Cancel the button works again."""
    person.open_file(small)
    status = person.window.job_status
    for by in ("Esc", "Cancel"):
        slow.running = False
        person.ask()
        person.wait(lambda: slow.running)
        person.key("Ctrl+Return")
        person.wait(status.isVisible)
        person.wait(lambda: "conv1.weight" in status.label.text())
        assert status.label.text().startswith("Pruning")

        took = Stopwatch()
        if by == "Esc":
            person.views.tree.view.setFocus()
            person.key("Esc")
        else:
            person.click(status.cancel)
        person.wait(lambda: not status.isVisible())
        assert took.seconds < 1.0, by  # 0.25 s on an idle machine, see dev.py bench cancel
        assert person.document.revision == 0
        assert person.states == ["Opened"]
        assert person.trouble == []
        if by == "Esc":
            person.ask_amount("25 %")

    slow.closed = False
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    beats.assert_answered()


def test_a_large_model_is_pruned_and_a_prune_of_it_cancelled(person, tmp_path, beats):
    """400 MB of random weights: the window stays responsive, Cancel takes less than 0.25 s."""
    rng = np.random.default_rng(0)
    block = torch.from_numpy(rng.standard_normal((2048, 2048), dtype=np.float32))
    path = tmp_path / "large.safetensors"
    save_file({f"layers.{i}.weight": block + i for i in range(24)}, path)
    beats.forget()
    person.open_file(path)
    person.click(person.views.form.all)
    person.key("Ctrl+Return")
    person.wait(lambda: person.workbench.jobs.busy)
    assert person.states == ["Opened"]
    took = Stopwatch()
    person.key("Esc")
    person.wait(lambda: not person.workbench.jobs.busy)
    assert took.seconds < 1.0  # 0.25 s on an idle machine, see dev.py bench cancel
    assert person.states == ["Opened"]

    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    assert person.document.masks.pruned("layers.0.weight") > 0
    total = sum(person.document.masks.pruned(n) for n in person.document.checkpoint.entries)
    assert total == round(0.2 * 24 * 2048 * 2048)
    beats.assert_answered()
