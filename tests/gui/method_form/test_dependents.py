"""Dependents of whole channels are pruned with them, by clicks in the form."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint

from pruneapp import resources
from pruneapp.groups import structure
from pruneapp.gui.tree.columns import Column
from tests.shrink.small_models import write_bert
from tests.shrink.vision_models import make
from tests.support.model_folders import write_llama

SAMPLE = resources.path("sample/lenet-digits.safetensors")
DENSE = "encoder.layer.1.intermediate.dense"
OUTPUT = "encoder.layer.1.output.dense.weight"
PATTERN = "*.intermediate.dense.weight"


@pytest.fixture
def bert(person, tmp_path):
    """Open a model of a known type, and return its tensors."""
    tensors = write_bert(tmp_path / "bert")
    person.open_file(tmp_path / "bert")
    return tensors


def check_only(person, *names) -> None:
    """Check only these tensors."""
    for name in person.views.tree.checked_names():
        person.check(name)
    for name in names:
        person.check(name)


def ask(person, amount="25 %") -> None:
    person.choose(person.rule.method, "Ln structured (channels)")
    person.ask_amount(amount)


def row_of(person):
    return person.views.form.dependents


def click(person) -> None:
    box = row_of(person).box
    person.click(box, QPoint(8, box.height() // 2))


def found(person) -> None:
    """Wait until the dependents of the current step are computed."""
    controller = person.workbench.step_info
    form = person.workbench.form
    person.wait(
        lambda: (
            form._dependents[0] is not None
            and form._dependents[0] == form._dependents_key == controller._about
        )
    )


def test_a_person_prunes_rows_with_the_columns_of_the_next_matrix(person, bert):
    check_only(person, f"{DENSE}.weight")
    row = row_of(person)
    assert not row.isVisible(), "of single weights nothing depends"
    ask(person)
    person.wait(lambda: row.isVisible() and row.box.isChecked())
    assert row.box.isEnabled()
    assert row.note.text() == (
        "On top of the amount, also prunes 2 tensors: output.dense.weight columns, "
        "intermediate.dense.bias."
    )
    report = person.wait_preview()
    assert {t.name for t in report.tensors} == {f"{DENSE}.weight", f"{DENSE}.bias", OUTPUT}
    assert report.newly_pruned == 3 * (8 + 8 + 1)
    assert person.button.text() == "Prune 3 channels"
    assert "→" in person.cell(OUTPUT, Column.SPARSITY), "the tree shows what follows"
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    assert person.states[1].endswith("dense.weight, with everything that depends on it")

    norms = np.square(bert[f"{DENSE}.weight"].astype(np.float64)).sum(axis=1)
    stays = np.ones(12, np.bool_)
    stays[np.argsort(norms)[:3]] = False
    masks = person.document.masks
    assert set(masks) == {f"{DENSE}.weight", f"{DENSE}.bias", OUTPUT}
    np.testing.assert_array_equal(masks[f"{DENSE}.bias"].bools(), stays)
    np.testing.assert_array_equal(
        masks[OUTPUT].bools().reshape(8, 12), np.broadcast_to(stays, (8, 12))
    )
    person.key("Ctrl+Z", person.window)
    assert not person.document.masks, "one step"


def test_a_person_leaves_the_rest_as_it_is(person, bert):
    check_only(person, f"{DENSE}.weight")
    ask(person)
    person.wait(row_of(person).box.isChecked)
    person.wait_preview()
    click(person)
    person.wait(lambda: person.workbench.preview.state.preview is None)
    assert [t.name for t in person.wait_preview().tensors] == [f"{DENSE}.weight"]
    assert not row_of(person).box.isChecked()
    assert not row_of(person).note.isVisible()
    # The choice is kept for other methods and tensors.
    person.choose(person.rule.method, "Random structured")
    check_only(person, "encoder.layer.2.intermediate.dense.weight")
    found(person)
    assert len(person.wait_preview().tensors) == 1
    assert row_of(person).box.isEnabled()
    assert not row_of(person).box.isChecked()
    click(person)
    person.wait(lambda: person.workbench.preview.state.preview is None)
    assert len(person.wait_preview().tensors) == 3


def test_the_box_says_why_nothing_or_not_all_is_known(person, bert):
    row = row_of(person)
    check_only(person, f"{DENSE}.weight", "encoder.layer.1.attention.output.dense.weight")
    ask(person)
    found(person)
    assert row.box.isEnabled()
    assert not row.box.isChecked(), "off by default where not all is known"
    assert row.note.text() == (
        "On top of the amount, would also prune 2 tensors. Off by default: No other tensor is "
        "pruned with attention.output.dense.weight."
    )
    assert f"2 tensors: {OUTPUT} columns" in row.box.accessibleDescription()
    assert "with encoder.layer.1.attention.output" in row.box.accessibleDescription(), "in full"
    assert len(person.wait_preview().tensors) == 2
    click(person)
    person.wait(lambda: person.workbench.preview.state.preview is None)
    assert len(person.wait_preview().tensors) == 4
    assert row.note.text().startswith("On top of the amount, also prunes 2 tensors: ")
    person.check(f"{DENSE}.weight")
    person.wait(lambda: not row.box.isEnabled())
    assert not row.box.isChecked(), "what cannot be is not asked for"
    assert row.note.text() == (
        "No other tensor is known to depend on dim 0 of "
        "'encoder.layer.1.attention.output.dense.weight': its outputs are not neurons, heads or "
        "channels of a group."
    )
    assert len(person.wait_preview().tensors) == 1


def test_the_box_and_the_tree_say_the_same_of_rows_that_are_tokens(person, tmp_path):
    """Regression: the box reported nothing for a head that the tree marks next to the embedding."""
    folder = write_llama(tmp_path / "tiny")
    person.open_file(folder)
    check_only(person, "lm_head.weight")
    person.click_cell("lm_head.weight")
    ask(person)
    found(person)
    row, groups = row_of(person), person.workbench.groups
    person.wait(lambda: groups.groups)
    (group,) = groups.groups
    assert (group.label, group.others) == ("Tokens", ("model.embed_tokens.weight",))
    assert not row.box.isEnabled()
    assert row.note.text() == (
        "Dim 0 of 'lm_head.weight' is that of the tokens, as in 'model.embed_tokens.weight'. Only "
        "a shrunk export cuts tokens out of all tensors."
    )
    person.choose(person.rule.fields.editors["dim"].combo, "1")
    found(person)
    assert row.note.text() == (
        "No other tensor is known to depend on dim 1 of 'lm_head.weight': its inputs are not "
        "neurons, heads or channels of a group."
    )


def test_a_convolution_takes_its_norm_and_the_inputs_of_the_next(person, tmp_path, monkeypatch):
    """The groups are never found on the main thread."""
    threads = []
    bind = structure.bind

    def watched(checkpoint, *arguments, **options):
        threads.append(threading.current_thread())
        return bind(checkpoint, *arguments, **options)

    monkeypatch.setattr(structure, "bind", watched)
    path = tmp_path / "net.pt"
    torch.save(make("basic").float().state_dict(), path)
    person.open_file(path)
    check_only(person, "1.conv1.weight")
    ask(person, "50 %")
    person.wait(row_of(person).box.isChecked)
    assert row_of(person).note.text() == (
        "On top of the amount, also prunes 3 tensors: conv2.weight inputs, bn1.weight, bn1.bias."
    )
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    gone = ~person.document.masks["1.bn1.bias"].bools()
    inputs = person.document.masks["1.conv2.weight"].bools().reshape(16, 16, 9)
    np.testing.assert_array_equal(~inputs.any(axis=(0, 2)), gone)
    assert gone.sum() == 8
    person.wait_idle()
    assert threads
    assert threading.main_thread() not in threads


def test_a_model_that_nobody_knows_says_so(person):
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)
    ask(person)
    row = row_of(person)
    person.wait(lambda: row.box.text() == "With everything that depends on it (not known)")
    assert not row.box.isEnabled()
    assert not row.box.isChecked()
    assert not row.note.isVisible(), "there is no room to say it of every step on the file"
    assert "what its tensors share is not known" in row.box.accessibleDescription()
    assert "what its tensors share is not known" in row.box.toolTip()
    assert len(person.wait_preview().tensors) == 5


def test_a_session_comes_back_with_the_step_and_the_choice(person, new_person, bert, tmp_path):
    check_only(person, f"{DENSE}.weight")
    ask(person)
    person.wait(row_of(person).box.isChecked)
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    click(person)
    saved = tmp_path / "work.prune"
    person.chooses_file(saved, "getSaveFileName")
    person.key("Ctrl+S", person.window)
    person.wait(saved.exists)
    person.wait_idle()
    masks = dict(person.document.masks)

    other = new_person().wait_ready()
    other.open(saved)
    other.wait(lambda: other.document is not None and len(other.states) == 2)
    assert other.states == person.states
    assert dict(other.document.masks) == masks
    assert row_of(other).choice is False
