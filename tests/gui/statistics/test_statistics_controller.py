"""Statistics collected by clicks and keys: for the form, for repair, and in the session."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import save_file

from pruneapp.document.step import Row, Step
from pruneapp.gui.evaluation.source_choice import DataKind
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.statistics.file import open_statistics

SCRIPT = """
import torch
from safetensors.torch import load_file

def load(path):
    tensors = load_file(path)
    model = torch.nn.Sequential()
    model.fc, model.head = torch.nn.Linear(30, 20), torch.nn.Linear(20, 4, bias=False)
    model.load_state_dict(tensors)
    return model.eval()

def calibrate(model):
    torch.manual_seed(0)
    model(torch.randn(300, 30))
"""


@pytest.fixture
def model(two_layers):
    return two_layers


def open_dialog(user):
    """Choose Wanda, press the button of the form, and return the dialog."""
    user.choose(user.rule.method, "Wanda (per tensor)")
    user.click(user.rule.collect_statistics)
    user.wait(lambda: user.workbench.statistics.dialog is not None)
    dialog = user.workbench.statistics.dialog
    user.wait(dialog.isVisible)
    return dialog


def collect(user, folder, *, grams=False):
    script = folder / "calibrate.py"
    script.write_text(SCRIPT)
    dialog = open_dialog(user)
    assert not dialog.go.isEnabled(), "no script yet"
    user.type(dialog.choice.fields[DataKind.SCRIPT], str(script))
    user.type(dialog.choice.python, sys.executable)
    user.wait(lambda: dialog.choice.found.text().startswith("Runs with"))
    if grams:
        user.key("Space", dialog.grams)
    user.click(dialog.go)
    user.wait(lambda: user.workbench.scripts.dialog is not None)
    user.click(user.workbench.scripts.dialog.go)
    user.wait(lambda: user.workbench.form.statistics or user.trouble)
    assert user.trouble == []


def test_statistics_are_collected_used_and_kept_with_the_session(user, new_user, model, tmp_path):
    user.open_file(model)
    collect(user, tmp_path, grams=True)
    file = tmp_path / "m.statistics.safetensors"
    with open_statistics(file) as written:
        assert written.names == ("fc.weight", "head.weight")
        assert written.grams == {"fc.weight", "head.weight"}
        assert written.origin.source == "calibrate"
    assert (
        user.window.done.label.text()
        == "Statistics of 2 tensors collected from 300 rows of inputs."
    )
    assert user.rule.statistics_name.text() == "m.statistics.safetensors (inputs: calibrate.py)"
    assert str(file) in user.rule.statistics_name.toolTip()
    user.ask_amount("50")
    assert user.wait_preview().newly_pruned == 340
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)

    user.key("Ctrl+R")  # repair proposes the same file
    user.wait(lambda: user.workbench.repair.dialog is not None)
    dialog = user.workbench.repair.dialog
    assert dialog.source.source().path == str(file)
    user.wait(lambda: dialog.go.text() == "Repair 2 layers")
    user.key("Esc", dialog)

    session = tmp_path / "m.prune"
    user.save_session(session)
    other = new_user()
    other.open(session)
    other.wait(lambda: other.document is not None)
    other.wait(lambda: other.workbench.form.statistics == user.workbench.form.statistics)
    assert other.rule.statistics_name.text() == "m.statistics.safetensors (inputs: calibrate.py)"
    other.wait(lambda: "These settings would prune" in other.views.preview.note.text())
    assert other.views.preview.heading.text() == "Current state"


def test_a_missing_statistics_file_of_a_session_is_said(user, new_user, model, tmp_path):
    user.open_file(model)
    collect(user, tmp_path)
    step = Step((Row(("fc.weight",), "l1_unstructured", {"amount": 0.5}),))
    user.session.commit(compute_preview(user.document.snapshot(), step, CpuKernel(), Job()))
    session = tmp_path / "m.prune"
    user.save_session(session)
    (tmp_path / "m.statistics.safetensors").unlink()
    other = new_user()
    other.open(session)
    other.wait(lambda: other.document is not None)
    other.wait(lambda: any("no longer exists" in text for text in other.notices))
    assert other.rule.statistics_name.text() == "no file loaded"


def test_no_file_is_replaced_without_a_word_and_the_open_one_never(user, model, tmp_path):
    user.open_file(model)
    (tmp_path / "m.statistics.safetensors").write_bytes(b"mine")
    dialog = open_dialog(user)
    assert dialog.path() == tmp_path / "m-2.statistics.safetensors"
    assert dialog.note.text() == ""
    user.type(dialog.file, str(tmp_path / "m.statistics.safetensors"))
    assert dialog.note.text() == "The existing file is replaced."
    user.type(dialog.choice.fields[DataKind.SCRIPT], str(tmp_path / "calibrate.py"))
    user.type(dialog.file, str(model))
    user.click(dialog.go)
    user.wait(lambda: "This is the open file" in dialog.choice.found.text())
    assert model.stat().st_size > 1000
    user.key("Esc", dialog)
    user.wait(lambda: user.workbench.statistics.dialog is None)


def test_a_new_script_is_saved_and_chosen(user, model, tmp_path):
    user.open_file(model)
    dialog = open_dialog(user)
    user.chooses_file(tmp_path / "mine.py", "getSaveFileName")
    user.click(dialog.choice.template)
    user.wait(lambda: dialog.choice.source().path == str(tmp_path / "mine.py"))
    user.wait(dialog.go.isEnabled)
    user.key("Esc", dialog)


def test_the_result_of_a_text_counts_tokens_and_names_no_embeddings(user, tmp_path):
    names = ("fc1.weight", "fc2.weight", "embed.weight")
    save_file({name: torch.ones(8, 16) for name in names}, tmp_path / "m.safetensors")
    user.open_file(tmp_path / "m.safetensors")
    found = SimpleNamespace(seen=names[:1], unseen=names[2:], rows=1827)
    user.workbench.statistics._show_result(found, of_text=True)
    said = "Statistics of 1 tensor collected from 1,827 tokens."
    assert user.window.done.label.text() == said
    assert not user.notices, "nobody prunes embeddings"
    found.unseen = names[::2]
    user.workbench.statistics._show_result(found, of_text=True)
    assert user.notices[0].startswith(said)
    assert user.notices[0].endswith(": fc1.weight.")
