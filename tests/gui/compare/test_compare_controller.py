"""Compare two states, or a state with another file, in a real window."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from pruneapp.analysis.tiles import Tile
from pruneapp.errors import CheckpointError
from pruneapp.gui.compare import compare_controller
from pruneapp.gui.plots.heatmap.shading import Mode
from pruneapp.gui.plots.pages import Page
from tests.gui.job_gate import endless


@pytest.fixture
def model(tmp_path):
    generator = torch.Generator().manual_seed(6)
    path = tmp_path / "model.safetensors"
    tensors = {f"layers.{n}.weight": torch.randn(12, 16, generator=generator) for n in range(3)}
    save_file(tensors, path)
    return path


@pytest.fixture
def tuned(model, tmp_path):
    """Write the model with one tensor changed, one of another shape, and an additional one."""
    tensors = load_file(model)
    tensors["layers.1.weight"][2] *= 1.5
    tensors["layers.2.weight"] = torch.ones(3, 3)
    tensors["extra.weight"] = torch.ones(2, 2)
    path = tmp_path / "tuned.safetensors"
    save_file(tensors, path)
    return path


@pytest.fixture
def at_work(user, model):
    return user.open_file(model)


def compared_rows(user):
    """Wait until the page Compare is computed; return its rows by tensor name."""
    view = user.views.compare
    user.wait(lambda: view.numbers().rows)
    numbers = view.numbers()
    rows = [numbers.row(number) for number in range(numbers.rows)]
    return {row[0]: dict(zip(numbers.headers, row, strict=True)) for row in rows}


def test_what_a_step_changed_is_shown_against_the_file(at_work):
    """By default, the first and the last state are compared."""
    view = at_work.views.compare
    at_work.key("5", at_work.views.tree.view)
    assert at_work.views.pages.page is Page.COMPARE
    at_work.pause(50)
    assert view.numbers().rows == 0
    assert "There is only one state so far." in view.empty_text()

    at_work.key("Ctrl+Shift+A")
    at_work.check("layers.1.weight")
    at_work.ask_amount("25 %")
    at_work.wait_preview()
    at_work.click(at_work.button)
    rows = compared_rows(at_work)
    assert list(rows) == ["layers.1.weight"]
    assert rows["layers.1.weight"]["weights that differ"] == 48

    at_work.key("Ctrl+Z", at_work.window)
    at_work.pause(50)
    assert view.sides.wanted == (0, 1), "the sides do not become the same"
    assert list(compared_rows(at_work)) == ["layers.1.weight"]
    at_work.key("Ctrl+Shift+Z", at_work.window)
    assert list(compared_rows(at_work)) == ["layers.1.weight"]
    at_work.click_state(0)
    at_work.pause(50)
    assert view.sides.wanted == (0, 1)
    assert "(current state)" in view.sides.boxes[0].currentText()
    assert "(current state)" not in view.sides.boxes[1].currentText()


def test_another_file_is_opened_compared_and_closed(at_work, tuned):
    at_work.chooses_file(tuned)
    at_work.menu("Tools", "Compare with a file")
    rows = compared_rows(at_work)
    assert at_work.views.pages.page is Page.COMPARE
    assert at_work.views.compare.sides.wanted == (0, None)
    assert rows["layers.1.weight"]["weights that differ"] == 16
    assert rows["layers.2.weight"]["difference"] == "different shape or type, not compared"
    assert rows["extra.weight"]["difference"] == "only in B"
    assert "layers.0.weight" not in rows

    other = at_work.workbench.compare.other.state.checkpoint
    at_work.views.compare.differenceRequested.emit("layers.1.weight")
    weights = at_work.views.pages.weights
    assert at_work.views.pages.page is Page.WEIGHTS
    assert weights.mode is Mode.DIFFERENCE
    at_work.wait(lambda: weights.canvas.item.fine is not None and not at_work.trouble)
    at_work.wait(lambda: hasattr(weights.canvas.item.fine, "change"))
    changed = np.flatnonzero(weights.canvas.item.fine.change.any(axis=1))
    assert changed.tolist() == [2]

    at_work.views.tree.set_focused("layers.2.weight")
    at_work.workbench.plots.show_tensor("layers.2.weight")
    at_work.wait(lambda: "different shapes" in weights._error)
    at_work.menu("File", "Close")
    assert at_work.workbench.compare.other.state is None
    with pytest.raises(CheckpointError, match="was closed"):
        next(iter(other.chunks("layers.1.weight")))


def test_the_original_is_the_base_though_the_pruned_file_was_opened(user, model, tmp_path):
    """The original is in the folder, and can be chosen too."""
    tensors = load_file(model)
    folder = tmp_path / "original"
    folder.mkdir()
    model.rename(folder / "model.safetensors")
    user.chooses_file(folder, "getExistingDirectory")
    zeros = tensors["layers.0.weight"].clone()
    zeros[:3] = 0
    for name, changed, metadata in (
        ("zeros", zeros, None),
        ("metadata", tensors["layers.0.weight"] + 1, {"pruneapp.inputs": "[]"}),
    ):
        pruned = tmp_path / f"{name}.safetensors"
        save_file(tensors | {"layers.0.weight": changed}, pruned, metadata)
        user.open_file(pruned)
        user.views.compare.sides.folderRequested.emit()
        assert list(compared_rows(user)) == ["layers.0.weight"], name
        assert user.views.compare.sides.wanted == (None, 0), name
        assert user.views.compare._comparison.a == "original", name


def test_two_masks_are_laid_over_each_other_from_a_file_without_weights(at_work, tmp_path):
    """Counts and heat map of weights pruned in both, in one only, and in neither."""
    user = at_work
    user.key("Ctrl+Shift+A")
    user.check("layers.1.weight")
    user.ask_amount("25 %")
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    here = torch.from_numpy(user.document.masks["layers.1.weight"].bools()).reshape(12, 16)
    there = torch.ones(12, 16, dtype=torch.bool)
    there[:4] = False
    both, union = int((~here & ~there).sum()), int((~here | ~there).sum())
    for kind, tensors in (
        ("bools", {"layers.1.weight": there}),
        ("integers", {"layers.1.weight": there.to(torch.uint8)}),
        ("numbers beside names", {"layers.1.weight_mask": there.float()}),
    ):
        path = tmp_path / f"{kind}.safetensors"
        save_file(tensors, path)
        user.chooses_file(path)
        user.menu("Tools", "Compare with a file")
        user.wait(lambda name=path.name: user.workbench.compare.other.called == name)
        rows = compared_rows(user)
        assert list(rows) == ["layers.1.weight"], kind
        assert rows["layers.1.weight"]["shared zeros"] == pytest.approx(both / union), kind
        assert user.views.compare.measure == "zeros", kind
        path.unlink()  # no file handle is left open

    user.views.compare.differenceRequested.emit("layers.1.weight")
    item = user.views.pages.weights.canvas.item
    user.wait(lambda: hasattr(item.fine, "removed") and not item.fine.sampled)
    for share, wanted in (
        (item.fine.removed, here & ~there),
        (item.fine.restored, ~here & there),
        (item.fine.in_neither, ~here & ~there),
    ):
        np.testing.assert_array_equal(share.astype(bool), wanted.numpy())


def test_a_file_that_is_none_is_refused_and_a_long_comparison_can_be_cancelled(
    at_work, tuned, tmp_path, monkeypatch
):
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(b"nothing of the kind")
    at_work.chooses_file(broken)
    at_work.menu("Tools", "Compare with a file")
    at_work.wait(lambda: at_work.trouble)
    assert "broken.safetensors" in at_work.trouble[0]
    assert at_work.states == ["Opened"]
    assert at_work.views.pages.page is Page.WEIGHTS

    at_work.window.notices.clear()
    monkeypatch.setattr(compare_controller, "compare", lambda _a, _b, job, **_more: endless(job))
    at_work.chooses_file(tuned)
    at_work.menu("Tools", "Compare with a file")
    status = at_work.window.job_status
    at_work.wait(lambda: status.isVisible() and status.label.text().startswith("Comparing"))
    at_work.click(status.cancel)
    at_work.wait(lambda: not at_work.workbench.jobs.busy)
    assert at_work.trouble == []


def prune(user, name, amount="25 %"):
    """Prune one tensor with the form."""
    user.key("Ctrl+Shift+A")
    user.check(name)
    user.ask_amount(amount)
    user.wait_preview()
    before = len(user.states)
    user.click(user.button)
    user.wait(lambda: len(user.states) == before + 1)


def note(user):
    """Return the message that replaces the heat map; "" if the heat map is shown."""
    picture = user.views.pages.weights
    page = picture._stack.currentWidget()
    return page.text() if page is picture._message else ""


def show_difference(user, name):
    """Show the difference of a tensor in the heat map."""
    user.click_cell(name)
    user.choose(user.views.pages.weights.modes.mode_box, "Difference")


def removed_weights(user):
    """Wait for the tile of a difference, and return its number of removed weights."""
    item = user.views.pages.weights.canvas.item
    asking = user.views.pages.weights._tile_requests
    user.wait(lambda: hasattr(item.fine, "removed") and asking.is_complete and not note(user))
    return int(item.fine.removed.sum())


def test_a_state_that_stands_against_itself_says_so_and_pictures_come_back(at_work):
    prune(at_work, "layers.1.weight")
    show_difference(at_work, "layers.1.weight")
    assert removed_weights(at_work) == 48
    at_work.click_state(0)
    assert removed_weights(at_work) == 48, "B remains the state that was current"
    at_work.key("5", at_work.views.tree.view)
    at_work.choose(at_work.views.compare.sides.boxes[1], "Opened")
    at_work.key("1", at_work.views.tree.view)
    at_work.wait(lambda: "Opened is the only state: there is nothing to compare" in note(at_work))
    assert "▲" not in note(at_work), "not a warning"
    at_work.key("Ctrl+Shift+Z", at_work.window)
    assert removed_weights(at_work) == 48
    at_work.choose(at_work.views.pages.weights.modes.mode_box, "Magnitude")
    item = at_work.views.pages.weights.canvas.item
    at_work.wait(lambda: isinstance(item.fine, Tile))


def test_a_tensor_in_which_nothing_differs_says_so(at_work, tuned):
    prune(at_work, "layers.1.weight")
    show_difference(at_work, "layers.1.weight")
    assert removed_weights(at_work) == 48
    at_work.click_cell("layers.0.weight")
    at_work.wait(lambda: note(at_work).startswith("Nothing differs here between Opened and 1: L1"))
    at_work.click_cell("layers.1.weight")
    assert removed_weights(at_work) == 48
    # With another file, that is only known after reading both.
    at_work.chooses_file(tuned)
    at_work.menu("Tools", "Compare with a file")
    compared_rows(at_work)
    at_work.key("1", at_work.views.tree.view)
    at_work.click_cell("layers.0.weight")
    at_work.wait(lambda: "between tuned.safetensors and" in note(at_work))  # without zeros
    # Weights that are pruned on both sides are drawn.
    at_work.key("5", at_work.views.tree.view)
    prune(at_work, "layers.0.weight")
    prune(at_work, "layers.2.weight")
    sides = at_work.views.compare.sides
    at_work.choose(sides.boxes[0], "2: L1 25 % on layers.0")
    at_work.choose(sides.boxes[1], "3: L1 25 % on layers.2")
    at_work.key("1", at_work.views.tree.view)
    at_work.click_cell("layers.0.weight")
    assert removed_weights(at_work) == 0
    assert at_work.views.pages.weights.canvas.item.fine.in_neither.sum() == 48


def test_a_step_reads_what_it_changed_and_nothing_else(at_work, tuned):
    at_work.chooses_file(tuned)
    at_work.menu("Tools", "Compare with a file")
    first = compared_rows(at_work)
    other = at_work.workbench.compare.other.state.checkpoint
    read, real = [], other.chunks

    def chunks(name, *args, **more):
        read.append(name)
        return real(name, *args, **more)

    other.chunks = chunks
    sides = at_work.views.compare.sides
    at_work.choose(sides.boxes[0], "Opened")
    prune(at_work, "layers.0.weight")
    at_work.choose(sides.boxes[0], "1: L1 25 %")
    at_work.wait(lambda: "layers.0.weight" in compared_rows(at_work))
    assert set(read) == {"layers.0.weight"}
    rows = compared_rows(at_work)
    assert rows["layers.0.weight"]["weights that differ"] == 48
    assert rows["layers.1.weight"] == first["layers.1.weight"]
    read.clear()
    at_work.choose(sides.boxes[0], "Opened")
    at_work.wait(lambda: "layers.0.weight" not in compared_rows(at_work))
    assert compared_rows(at_work) == first
    assert read == []
