"""Recipes in the window, by clicks and keys; and the same bytes from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from safetensors.numpy import load_file, save_file

from pruneapp import resources
from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture
from pruneapp.document.entries import RepairSource
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.repaired_values import RepairedValues, as_values
from pruneapp.export.format_sizes import format_offers
from pruneapp.gui.export.export_controller import preview_export
from pruneapp.gui.recipes import recipe_controller
from pruneapp.progress import Job
from pruneapp.recipes.recipe import recipe_of, save
from tests.gui.journeys.test_screen_reader import problems_of
from tests.gui.manual_edit.edit_actions import channel_edit


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file(load_file(resources.path("sample/lenet-digits.safetensors")), path)
    return path


@pytest.fixture
def pruneapp(capsys):
    """Return a function that runs a command, and returns its exit status and its output."""

    def run(*arguments):
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert printed.err == ""
        return status, printed.out

    return run


def prune(user, amount):
    steps = len(user.states)
    user.ask_amount(amount)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) > steps)


def save_recipe(user, path):
    user.chooses_file(path, "getSaveFileName")
    user.menu("Tools", "Save recipe")
    user.wait(path.exists)
    user.wait_idle()


def choose_recipe(user, path):
    user.chooses_file(path)
    user.menu("Tools", "Apply recipe")
    recipes = user.workbench.recipes
    user.wait(lambda: recipes.dialog is not None and recipes.dialog.isVisible())
    return recipes.dialog


def recipe_file(path, *entries):
    text = {"format": "pruneapp-recipe", "version": 1, "entries": list(entries)}
    path.write_text(json.dumps(text))
    return path


def step(method, values, **row):
    entry = {"name": method, "configuration": {"values": values, **row}}
    return {"name": "step", "configuration": {"rows": [entry]}}


def test_a_recipe_made_in_the_window_gives_identical_bytes_by_command(
    user, source, tmp_path, pruneapp
):
    user.open_file(source)
    prune(user, "30%")
    prune(user, "7")
    shape = user.session.by_name["conv2.weight"].shape
    user.workbench.manual_edit.perform(channel_edit("conv2.weight", 3, shape=shape))
    user.wait(lambda: len(user.states) == 4)
    user.menu("Prune", "Make permanent")
    user.wait(lambda: user.states[-1].startswith("Made permanent"))
    user.wait_idle()
    report = user.export(tmp_path / "window.safetensors")
    assert report is not None, user.trouble
    user.close_report()
    recipe = tmp_path / "made.recipe.json"
    save_recipe(user, recipe)
    names = [entry["name"] for entry in json.loads(recipe.read_text())["entries"]]
    assert names == ["step", "step", "edit", "finalize"]
    status, _ = pruneapp("run", recipe, source, "-o", tmp_path / "command.safetensors")
    assert status == 0
    window, command = (tmp_path / f"{x}.safetensors" for x in ("window", "command"))
    assert window.read_bytes() == command.read_bytes()
    status, out = pruneapp("verify", window, "--against", source, "--json")
    assert (status, json.loads(out)["same"]) == (0, True)
    assert not user.trouble


def test_an_applied_recipe_is_as_many_steps_as_it_has_entries(user, source, tmp_path):
    schedule = {
        "name": "schedule",
        "configuration": {"step": step("l1_unstructured", {}), "final": 0.8, "steps": 3},
    }
    path = recipe_file(
        tmp_path / "r.recipe.json",
        step("ln_structured", {"amount": 1}, pattern="conv?.weight"),
        schedule,
    )
    user.open_file(source)
    dialog = choose_recipe(user, path)
    assert dialog.go.text() == "Apply 4 steps"
    assert dialog.go.isEnabled()
    assert not dialog.problems.isVisible()
    assert problems_of(dialog) == []
    model = dialog.table.model()
    rows = [[model.index(r, c).data() for c in range(3)] for r in range(model.rowCount())]
    assert rows[0] == ["1. L2 1 channel, dim 0, on conv?.weight", "2", "yes"]
    assert rows[1] == ["2. L1 on 5 tensors, to 80 % in 3 rounds, cubic", "5", "yes"]
    user.click(dialog.go)
    user.wait(lambda: len(user.states) == 5)
    assert user.workbench.recipes.dialog is None
    pruned = sum(m.pruned for m in user.document.masks.values())
    assert pruned == round(0.8 * sum(r.numel for r in user.session.rows if r.by_default))
    for left in (3, 2, 1, 0):
        user.key("Ctrl+Z")
        user.wait(lambda left=left: user.document.position == left)
    assert not user.document.masks
    assert not user.trouble


def test_a_repair_of_another_checkpoint_does_not_match(user, source, tmp_path):
    with open_checkpoint(source) as checkpoint:
        values = {"conv1.weight": as_values(checkpoint.bits("conv1.weight"))}
        made = RepairedValues.create(Snapshot(checkpoint), values, RepairSource(), Job())
        named = {tensor.sha256: tensor.values for tensor in made.tensors}
        save(recipe_of(checkpoint, [made.to_dict()], named), tmp_path / "r.recipe.json", Job())
    tensors = load_file(source)
    tensors["conv1.weight"].flat[3] += 1
    save_file(tensors, source)
    user.open_file(source)
    dialog = choose_recipe(user, tmp_path / "r.recipe.json")
    assert not dialog.go.isEnabled()
    model = dialog.table.model()
    assert [model.index(0, c).data() for c in range(3)][2] == "no"
    words = dialog.problems.toPlainText()
    assert "1. The repair belongs to another checkpoint: 'conv1.weight' has other values" in words


def test_what_does_not_fit_is_shown_and_nothing_runs(user, source, tmp_path):
    path = recipe_file(
        tmp_path / "r.recipe.json",
        step("l1_unstructured", {"amount": 0.1}),
        step("l1_unstructured", {"amount": 0.1}, pattern="layer4.*"),
        step("ln_structured", {"amount": 1, "dim": 9}, names=["conv1.weight"]),
    )
    user.open_file(source)
    dialog = choose_recipe(user, path)
    assert not dialog.go.isEnabled()
    assert dialog.problems.isVisible()
    lines = dialog.problems.toPlainText().split("\n\n")
    assert lines[0].startswith("2. No tensor in 'model.safetensors' matches 'layer4.*'")
    assert lines[0].endswith(" (entries[1].configuration.rows[0])")
    assert lines[1].startswith("3. 'dim' must be from")
    assert dialog._trouble.text() == "✕ 2 problems"
    model = dialog.table.model()
    assert [model.index(r, 2).data() for r in range(3)] == ["yes", "no", "no"]
    assert model.index(1, 0).data() == "✕ 2. l1_unstructured on layer4.*"
    assert problems_of(dialog) == []
    user.qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    user.wait(lambda: user.workbench.recipes.dialog is None)
    assert user.states == ["Opened"]

    path.write_text('{"format": "pruneapp-recipe", "version": 9, "entries": []}')
    user.chooses_file(path)
    user.menu("Tools", "Apply recipe")
    user.wait(lambda: bool(user.trouble))
    assert "version 9" in user.trouble[0]

    # An amount that is too large after the first step changes nothing.
    rows = [step("l1_unstructured", {"amount": 100}, pattern="conv1.weight") for _ in range(2)]
    recipe_file(path, *rows)
    assert 100 <= user.session.by_name["conv1.weight"].numel < 200
    dialog = choose_recipe(user, path)
    user.window.notices.clear()
    user.click(dialog.go)
    user.wait(lambda: bool(user.trouble))
    assert "'r.recipe.json', at entries[1]: 'amount' is larger than what" in user.trouble[0]
    assert user.states == ["Opened"]

    # The dialog works by keys alone.
    recipe_file(path, step("l1_unstructured", {"amount": 0.1}))
    dialog = choose_recipe(user, path)
    assert dialog.go.hasFocus()
    user.qtbot.keyClick(dialog.go, Qt.Key.Key_Return)
    user.wait(lambda: len(user.states) == 2)
    assert user.states[1].startswith("L1 10 %")
    assert user.window.done.label.text() == "r.recipe.json applied: 1 step."


def test_copy_as_python_with_torchs_own_calls(user, source, tmp_path, monkeypatch):
    user.open_file(source)
    QGuiApplication.clipboard().setText("before")
    user.menu("Tools", "Copy as Python")
    user.wait(lambda: bool(user.trouble))
    assert "The history is empty" in user.trouble[0]
    prune(user, "30%")
    user.menu("Tools", "Copy as Python")
    user.wait(lambda: QGuiApplication.clipboard().text() != "before")
    assert user.window.done.label.text() == (
        "Python script copied: 1 step, with calls of torch.nn.utils.prune only."
    )
    made = load_file(run_clipboard(tmp_path, monkeypatch))
    for name, mask in user.document.masks.items():
        assert np.array_equal(made[name].reshape(-1) != 0, mask.bools()), name


def run_clipboard(tmp_path, monkeypatch) -> Path:
    """Run the script from the clipboard in another folder, and return the file that it wrote."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    text = QGuiApplication.clipboard().text()
    with monkeypatch.context() as patch:
        patch.chdir(elsewhere)
        exec(compile(text, "<stdin>", "exec"), {"__name__": "__main__"})
    assert "__file__" not in text
    assert "as seen from this file" not in text
    (out,) = elsewhere.iterdir()
    return out


def test_copy_as_python_asks_where_masks_may_go(user, source, tmp_path, monkeypatch):
    user.open_file(source)
    dialog = choose_recipe(
        user, recipe_file(tmp_path / "r.json", step("random_unstructured", {"amount": 0.5}))
    )
    user.click(dialog.go)
    user.wait(lambda: len(user.states) == 2)
    asked = []

    def choose(*arguments, **_):
        asked.append(arguments[1])
        return str(tmp_path / "again"), ""

    user.monkeypatch.setattr(QFileDialog, "getSaveFileName", staticmethod(choose))
    user.menu("Tools", "Copy as Python")
    user.wait((tmp_path / "again.py").exists)
    assert asked == ["Save script and masks"]
    assert (tmp_path / "again.masks.safetensors").exists()
    assert "__file__" in (tmp_path / "again.py").read_text()
    made = load_file(run_clipboard(tmp_path, monkeypatch))
    for name, mask in user.document.masks.items():
        assert np.array_equal(made[name].reshape(-1) != 0, mask.bools()), name


def test_the_note_of_a_saved_recipe_names_the_folder_that_belongs_to_it(user, source, tmp_path):
    def save_with_masks(_recipe, path, _job):
        path.write_text("{}")
        return tmp_path / "r.masks" / "1", path

    user.open_file(source)
    prune(user, "30%")
    user.monkeypatch.setattr(recipe_controller, "save", save_with_masks)
    save_recipe(user, tmp_path / "r.recipe.json")
    assert user.window.done.label.text() == (
        "Recipe saved: r.recipe.json. Keep the folder r.masks with masks and repaired values next "
        "to it."
    )


def test_a_step_that_was_undone_is_not_in_the_recipe(user, source, tmp_path):
    user.open_file(source)
    prune(user, "30%")
    prune(user, "20%")
    user.key("Ctrl+Z")
    user.wait(lambda: user.document.position == 1)
    save_recipe(user, tmp_path / "r.recipe.json")
    (entry,) = json.loads((tmp_path / "r.recipe.json").read_text())["entries"]
    (row,) = entry["configuration"]["rows"]
    assert row["configuration"] == {"values": {"amount": 0.3}}

    # The recipe in the file counts in the size that is predicted for an export.
    found = preview_export(Capture.of(user.document), Job())
    offered = format_offers(found.snapshot, Job(), provenance=found.provenance)
    sizes = {offer.name: offer.nbytes for offer in offered}
    user.export(tmp_path / "o.safetensors")
    assert sizes["safetensors"] == (tmp_path / "o.safetensors").stat().st_size
    user.close_report()
