"""Dependents of whole channels are pruned with them, by clicks in the form."""

from __future__ import annotations

import threading

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton, QApplication

from pruneapp import resources
from pruneapp.groups import structure
from pruneapp.gui.tree.columns import Column
from tests.shrink.small_models import write_bert
from tests.shrink.vision_models import make
from tests.support.model_folders import write_llama
from tests.support.small_cnn import SmallCnn, write_cnn

SAMPLE = resources.path("sample/lenet-digits.safetensors")
DENSE = "encoder.layer.1.intermediate.dense"
OUTPUT = "encoder.layer.1.output.dense.weight"
PATTERN = "*.intermediate.dense.weight"


@pytest.fixture
def bert(user, tmp_path):
    """Open a model of a known type, and return its tensors."""
    tensors = write_bert(tmp_path / "bert")
    user.open_file(tmp_path / "bert")
    return tensors


def check_only(user, *names) -> None:
    """Check only these tensors."""
    for name in user.views.tree.checked_names():
        user.check(name)
    for name in names:
        user.check(name)


def ask(user, amount="25 %") -> None:
    user.choose(user.rule.method, "Ln structured (channels)")
    user.ask_amount(amount)


def row_of(user):
    return user.views.form.dependents


def click(user) -> None:
    box = row_of(user).box
    user.click(box, QPoint(8, box.height() // 2))


def found(user) -> None:
    """Wait until the dependents of the current step are computed."""
    controller = user.workbench.step_info
    form = user.workbench.form
    user.wait(
        lambda: (
            form._dependents[0] is not None
            and form._dependents[0] == form._dependents_key == controller._about
        )
    )


def test_a_person_prunes_rows_with_the_columns_of_the_next_matrix(user, bert):
    check_only(user, f"{DENSE}.weight")
    row = row_of(user)
    assert not row.isVisible(), "of single weights nothing depends"
    ask(user)
    user.wait(lambda: row.isVisible() and row.box.isChecked())
    assert row.box.isEnabled()
    assert row.note.text() == (
        "Also prunes 2 dependent tensors, in addition to the amount: output.dense.weight "
        "columns, intermediate.dense.bias."
    )
    report = user.wait_preview()
    assert {t.name for t in report.tensors} == {f"{DENSE}.weight", f"{DENSE}.bias", OUTPUT}
    assert report.newly_pruned == 3 * (8 + 8 + 1)
    assert user.button.text() == "Prune 3 channels"
    assert "→" in user.cell(OUTPUT, Column.SPARSITY), "the tree shows what follows"
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    assert user.states[1].startswith("L2 25 %, dim 0, with dependent tensors, on ")

    norms = np.square(bert[f"{DENSE}.weight"].astype(np.float64)).sum(axis=1)
    stays = np.ones(12, np.bool_)
    stays[np.argsort(norms)[:3]] = False
    masks = user.document.masks
    assert set(masks) == {f"{DENSE}.weight", f"{DENSE}.bias", OUTPUT}
    np.testing.assert_array_equal(masks[f"{DENSE}.bias"].bools(), stays)
    np.testing.assert_array_equal(
        masks[OUTPUT].bools().reshape(8, 12), np.broadcast_to(stays, (8, 12))
    )
    user.key("Ctrl+Z", user.window)
    assert not user.document.masks, "one step"


def test_a_person_leaves_the_rest_as_it_is(user, bert):
    check_only(user, f"{DENSE}.weight")
    ask(user)
    user.wait(row_of(user).box.isChecked)
    user.wait_preview()
    click(user)
    user.wait(lambda: user.workbench.preview.state.preview is None)
    assert [t.name for t in user.wait_preview().tensors] == [f"{DENSE}.weight"]
    assert not row_of(user).box.isChecked()
    assert not row_of(user).note.isVisible()
    # The choice is kept for other methods and tensors.
    user.choose(user.rule.method, "Random structured")
    check_only(user, "encoder.layer.2.intermediate.dense.weight")
    found(user)
    assert len(user.wait_preview().tensors) == 1
    assert row_of(user).box.isEnabled()
    assert not row_of(user).box.isChecked()
    click(user)
    user.wait(lambda: user.workbench.preview.state.preview is None)
    assert len(user.wait_preview().tensors) == 3


def test_the_box_says_why_nothing_or_not_all_is_known(user, bert):
    row = row_of(user)
    check_only(user, f"{DENSE}.weight", "encoder.layer.1.attention.output.dense.weight")
    ask(user)
    found(user)
    assert row.box.isEnabled()
    assert not row.box.isChecked(), "off by default where not all is known"
    assert row.note.text() == (
        "Off by default, because the dependents of attention.output.dense.weight are unknown."
    )
    assert f"in addition to the amount: {OUTPUT} columns" in row.box.accessibleDescription()
    assert (
        "the dependents of encoder.layer.1.attention.output" in row.box.accessibleDescription()
    ), "in full"
    assert len(user.wait_preview().tensors) == 2
    click(user)
    user.wait(lambda: user.workbench.preview.state.preview is None)
    assert len(user.wait_preview().tensors) == 4
    assert row.note.text().startswith(
        "Also prunes 2 dependent tensors, in addition to the amount: "
    )
    user.check(f"{DENSE}.weight")
    user.wait(lambda: not row.box.isEnabled())
    assert not row.box.isChecked(), "what cannot be is not asked for"
    assert row.note.text() == (
        "No other tensor is known to depend on dim 0 of "
        "'encoder.layer.1.attention.output.dense.weight': its outputs are not neurons, heads or "
        "channels of a group."
    )
    assert len(user.wait_preview().tensors) == 1


def test_the_box_and_the_tree_say_the_same_of_rows_that_are_tokens(user, tmp_path):
    """Regression: the box reported nothing for a head that the tree marks next to the embedding."""
    folder = write_llama(tmp_path / "tiny")
    user.open_file(folder)
    check_only(user, "lm_head.weight")
    user.click_cell("lm_head.weight")
    ask(user)
    found(user)
    row, groups = row_of(user), user.workbench.groups
    user.wait(lambda: groups.groups)
    (group,) = groups.groups
    assert (group.label, group.others) == ("Tokens", ("model.embed_tokens.weight",))
    assert not row.box.isEnabled()
    assert row.note.text() == (
        "Dim 0 of 'lm_head.weight' is that of the tokens, as in 'model.embed_tokens.weight'. Only "
        "a shrunk export removes tokens from all tensors."
    )
    user.choose(user.rule.fields.editors["dim"].combo, "1")
    found(user)
    assert row.note.text() == (
        "No other tensor is known to depend on dim 1 of 'lm_head.weight': its inputs are not "
        "neurons, heads or channels of a group."
    )


def test_a_convolution_takes_its_norm_and_the_inputs_of_the_next(user, tmp_path, monkeypatch):
    """The groups are never found on the main thread."""
    threads = []
    bind = structure.bind

    def watched(checkpoint, *arguments, **options):
        threads.append(threading.current_thread())
        return bind(checkpoint, *arguments, **options)

    monkeypatch.setattr(structure, "bind", watched)
    path = tmp_path / "net.pt"
    torch.save(make("basic").float().state_dict(), path)
    user.open_file(path)
    check_only(user, "1.conv1.weight")
    ask(user, "50 %")
    user.wait(row_of(user).box.isChecked)
    assert row_of(user).note.text() == (
        "Also prunes 3 dependent tensors, in addition to the amount: conv2.weight inputs, "
        "bn1.weight, bn1.bias."
    )
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    gone = ~user.document.masks["1.bn1.bias"].bools()
    inputs = user.document.masks["1.conv2.weight"].bools().reshape(16, 16, 9)
    np.testing.assert_array_equal(~inputs.any(axis=(0, 2)), gone)
    assert gone.sum() == 8
    user.wait_idle()
    assert threads
    assert threading.main_thread() not in threads


def test_a_model_that_nobody_knows_says_so(user):
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    ask(user)
    row = row_of(user)
    user.wait(row.trace.isVisible)
    assert not row.box.isEnabled()
    assert not row.box.isChecked()
    assert not row.note.isVisible(), "there is no room to say it of every step on the file"
    assert "do not show how the layers are connected" in row.box.accessibleDescription()
    assert "do not show how the layers are connected" in row.box.toolTip()
    assert len(user.wait_preview().tensors) == 5


def test_a_session_comes_back_with_the_step_and_the_choice(user, new_user, bert, tmp_path):
    check_only(user, f"{DENSE}.weight")
    ask(user)
    user.wait(row_of(user).box.isChecked)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    click(user)
    saved = tmp_path / "work.prune"
    user.save_session(saved)
    masks = dict(user.document.masks)

    other = new_user().wait_ready()
    other.open(saved)
    other.wait(lambda: other.document is not None and len(other.states) == 2)
    assert other.states == user.states
    assert dict(other.document.masks) == masks
    assert row_of(other).choice is False


def test_pruned_outputs_of_the_model_are_marked_and_left_out_by_a_click(user, tmp_path):
    user.open_file(write_cnn(tmp_path / "cnn.pt"))
    outputs = user.views.form.outputs
    user.wait_preview()
    assert not outputs.isVisible(), "single weights"
    ask(user, "30 %")
    user.wait(outputs.isVisible)
    text = "▲ Prunes 3 of 10 outputs of the model (fc2.weight)."
    user.wait(lambda: outputs.note.text() == text)
    row = row_of(user)
    assert row.note.text() == "Off by default: the dependents of 6 tensors are unknown."
    assert "of 6 tensors are unknown. One of them is stem.0.weight." in (
        row.box.accessibleDescription()
    )
    assert "If you check it, 4 dependent tensors are pruned too, in addition to the amount: " in (
        row.box.accessibleDescription()
    )
    assert outputs.button.text() == "Exclude"
    assert outputs.button.accessibleName() == "Exclude fc2.weight"
    assert row.trace.isVisible()
    mouse = outputs.button.mapTo(user.window, outputs.button.rect().center())
    user.click(outputs.button)
    user.wait(lambda: not outputs.isVisible())
    user.wait_preview()
    below = user.window.childAt(mouse)
    assert not isinstance(below, QAbstractButton), f"a second click presses {below}"
    assert "fc2.weight" not in user.views.tree.checked_names()
    assert "fc2.weight" not in user.wait_preview().by_name
    user.check("fc2.weight")
    user.wait(outputs.isVisible)
    user.choose(user.rule.method, "L1 unstructured")
    assert not outputs.isVisible()


def test_outputs_are_left_out_of_several_rules_by_another_rule(user, tmp_path):
    user.open_file(write_cnn(tmp_path / "cnn.pt"))
    form = user.views.form
    user.click(form.add)
    user.qtbot.keyClicks(user.rule.target, "fc*")
    ask(user, "50 %")
    user.wait(form.outputs.isVisible)
    user.wait(lambda: form.outputs.note.text().startswith("▲ Prunes 5 of 10 outputs"))
    user.click(form.outputs.button)
    user.wait(lambda: not form.outputs.isVisible())
    assert not user.wait_preview().by_name.keys() & {"fc2.weight"}
    assert form.request().rows[-1].method == "identity"
    assert "fc2.weight" in user.views.tree.checked_names()


def test_a_step_that_prunes_more_than_its_amount_offers_channel_groups(user, tmp_path):
    """Each convolution of a residual network chooses other channels, and all of them are pruned."""
    torch.manual_seed(0)
    program = torch.export.export(SmallCnn().eval(), (torch.zeros(2, 1, 8, 8),))
    torch.export.save(program, tmp_path / "cnn.pt2")
    user.open_file(tmp_path / "cnn.pt2")
    union = user.views.form.union
    assert not union.isVisible()
    user.check("fc2.weight")
    ask(user, "30 %")
    user.wait(union.isVisible)
    report = user.wait_preview()
    weights = round(100 * report.newly_pruned / report.unpruned)
    assert weights > 60
    assert union.note.text() == (
        f"▲ With dependents, 45\u00a0% of the channels and {weights}\u00a0% of the weights are "
        "pruned, not 30\u00a0%."
    )
    # The button counts the same channels: 45 % of them.
    channels = [t for t in report.tensors if t.name in user.views.tree.checked_names()]
    shapes = [user.document.checkpoint.entries[t.name].shape[0] for t in channels]
    n_pruned = user.workbench.preview.state.units.count
    assert user.button.text() == f"Prune {n_pruned} channels"
    assert round(100 * n_pruned / sum(shapes)) == 45
    following = len(report.tensors) - len(channels)
    assert row_of(user).note.text().startswith(f"Also prunes {following} dependent tensors")
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    pruned = sum(
        int((~user.document.masks[t.name].bools().reshape(n, -1).any(axis=1)).sum())
        for t, n in zip(channels, shapes, strict=True)
    )
    assert pruned == n_pruned
    user.key("Ctrl+Z", user.window)
    click(user)  # without dependents the step prunes its amount
    user.wait(lambda: not union.isVisible())
    click(user)
    user.wait(union.isVisible)
    user.click(union.button)
    user.wait_preview()
    assert user.rule.form().name == "channel_groups"
    assert user.rule.fields.values["amount"] == 0.3
    assert not union.isVisible()


def test_code_for_the_graph_is_offered_where_dependents_are_unknown(user, tmp_path):
    user.open_file(write_cnn(tmp_path / "cnn.pt"))
    form = user.views.form
    assert not form.dependents.trace.isVisible()
    ask(user)
    user.wait(form.dependents.trace.isVisible)
    assert form.dependents.trace.menu().actions() == [form.dependents.code]
    form.dependents.code.trigger()
    assert "torch.export.save" in QApplication.clipboard().text()


def test_a_last_layer_has_no_dependents_that_could_be_unknown(user, tmp_path):
    user.open_file(write_cnn(tmp_path / "cnn.pt"))
    check_only(user, "block1.conv1.weight", "fc2.weight")
    ask(user)
    row = row_of(user)
    user.wait(row.box.isChecked)
    assert row.note.text().startswith("Also prunes 3 dependent tensors, in addition to the amount")
    assert "unknown" not in row.note.text()
    user.check("block1.conv1.weight")
    user.wait(lambda: not row.box.isEnabled())
    assert row.note.text() == (
        "No tensor depends on the channels of 'fc2.weight': they are the outputs of the model."
    )


def test_a_program_shows_its_outputs(user, tmp_path):
    path = tmp_path / "cnn.pt2"
    program = torch.export.export(SmallCnn().eval(), (torch.zeros(2, 1, 8, 8),))
    torch.export.save(program, path)
    user.open_file(path)
    ask(user, "30 %")
    outputs, row = user.views.form.outputs, row_of(user)
    user.wait(outputs.isVisible)
    text = "▲ Prunes 3 of 10 outputs of the model (fc2.weight)."
    user.wait(lambda: outputs.note.text() == text)
    assert row.box.isChecked(), "the dependents of all other layers are known"
