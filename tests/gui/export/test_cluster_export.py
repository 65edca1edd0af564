"""Exports on a cluster that is chosen in the window have the same bytes as local ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QDialog, QInputDialog
from safetensors.numpy import save_file

from tests.cluster.conftest import clients, no_warnings_of_dask  # noqa: F401 - fixtures


@pytest.fixture
def answer(monkeypatch):
    """Enter one text after the other into the dialog for an address; None cancels it."""
    asked: list[str] = []

    def give(*texts: str | None) -> list[str]:
        left = list(texts)

        def run(dialog: QInputDialog) -> int:
            asked.append(dialog.labelText())
            text = left.pop(0)
            if text is None:
                return QDialog.DialogCode.Rejected
            dialog.setTextValue(text)
            return QDialog.DialogCode.Accepted

        monkeypatch.setattr(QInputDialog, "exec", run)
        return asked

    return give


@pytest.fixture
def pruned(user, tmp_path):
    """Return the user with a model of two files, half of its weights pruned."""
    rng = np.random.default_rng(1)
    folder = tmp_path / "model"
    folder.mkdir()
    for number, name in enumerate("ab", 1):
        tensors = {f"{name}.weight": rng.normal(size=(64, 48)).astype(np.float32)}
        save_file(tensors, folder / f"model-0000{number}-of-00002.safetensors")
    user.open_file(folder)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.document.position == 1)
    return user


def export(user, target: Path, form: str = "safetensors") -> None:
    dialog = user.open_export()
    user.click(dialog.formats.radios[form], QPoint(8, 8))
    dialog.target.path.setText(str(target))
    user.click(dialog.go)


def written(user, target: Path) -> dict[str, bytes]:
    export(user, target)
    user.wait(lambda: user.workbench.export.report is not None or user.trouble)
    assert user.trouble == []
    user.close_report()
    return {path.name: path.read_bytes() for path in target.iterdir()}


def test_exports_run_where_the_user_says(pruned, tmp_path, answer, clients, monkeypatch):  # noqa: F811
    address = clients(2).scheduler.address
    here = written(pruned, tmp_path / "here")
    titles = []
    run = pruned.workbench.jobs.run
    monkeypatch.setattr(
        pruned.workbench.jobs,
        "run",
        lambda *args, **named: (titles.append(named.get("title")), run(*args, **named))[1],
    )
    box = pruned.window.device
    asked = answer("nowhere", address)
    pruned.choose(box, "Cluster")
    assert "(got 'nowhere')" in asked[1]
    assert "(got" not in asked[0]
    assert box.currentText() == f"Cluster {address}…"
    assert written(pruned, tmp_path / "there") == here
    assert "Exporting on the cluster" in titles
    assert {path.name for path in tmp_path.iterdir()} == {"model", "here", "there"}
    pruned.workbench.settings.flush()
    assert pruned.workbench.settings.state.cluster == address, "it is proposed next time"
    pruned.choose(box, "CPU")
    titles.clear()
    assert written(pruned, tmp_path / "again") == here
    assert "Exporting" in titles
    assert "Exporting on the cluster" not in titles


def test_a_cluster_that_is_not_chosen_or_does_not_answer_or_cannot_do_it(
    pruned, tmp_path, answer, monkeypatch
):
    from pruneapp.cluster import connection

    monkeypatch.setattr(connection, "_PATIENCE", 0.2)
    box = pruned.window.device
    before = box.currentText()
    asked = answer(None)
    pruned.key("End", box)
    assert len(asked) == 1
    assert box.currentText() == before, "the question was cancelled"
    assert pruned.workbench.settings_controller.cluster == ""

    answer("tcp://127.0.0.1:9")
    pruned.choose(box, "Cluster")
    export(pruned, tmp_path / "there", "csr")
    # reported before the cluster is contacted
    assert "The format 'csr' cannot be written on a cluster yet." in why_failed(pruned)
    export(pruned, tmp_path / "there")
    assert "No Dask scheduler answers at 'tcp://127.0.0.1:9'" in why_failed(pruned)
    assert not (tmp_path / "there").exists()


def why_failed(user) -> str:
    """Return the error that the export dialog shows once it is open again, and cancel it."""
    exporting = user.workbench.export
    user.wait(lambda: exporting.dialog is not None and exporting.dialog.trouble.isVisible())
    sentence = exporting.dialog.trouble.text()
    user.click(exporting.dialog.stop)
    return sentence


def test_a_recipe_is_done_to_a_new_file_on_the_cluster(pruned, tmp_path, answer, clients):  # noqa: F811
    """The open document is not changed."""
    here = written(pruned, tmp_path / "here")
    recipe = tmp_path / "half.json"
    pruned.chooses_file(recipe, "getSaveFileName")
    pruned.menu("Tools", "Save recipe")
    pruned.wait(recipe.exists)
    pruned.key("Ctrl+Z")
    pruned.wait(lambda: pruned.document.position == 0)
    recipes = pruned.workbench.recipes

    def choose() -> None:
        pruned.chooses_file(recipe)
        pruned.menu("Tools", "Apply recipe")
        pruned.wait(lambda: recipes.dialog is not None and recipes.dialog.isVisible())

    choose()
    assert not recipes.dialog.on_cluster.isVisible(), "no cluster is chosen"
    pruned.click(recipes.dialog.leave)
    answer(clients(2).scheduler.address)
    pruned.choose(pruned.window.device, "Cluster")
    choose()
    pruned.chooses_file(tmp_path / "there", "getSaveFileName")
    pruned.click(recipes.dialog.on_cluster)
    pruned.wait(lambda: "there written" in pruned.window.done.label.text() or pruned.trouble)
    assert pruned.trouble == []
    assert {p.name: p.read_bytes() for p in (tmp_path / "there").iterdir()} == here
    assert pruned.document.position == 0
