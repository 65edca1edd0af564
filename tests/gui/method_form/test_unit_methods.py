"""Methods on units in the window: choice, preview, pruning."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from safetensors.numpy import load_file

from pruneapp.groups import structure
from pruneapp.gui.method_form.form_model import FormRow
from pruneapp.gui.widgets.labels import as_plain
from tests.support.activation_statistics import save_random
from tests.support.model_folders import write_llama
from tests.support.small_cnn import write_cnn


@pytest.fixture
def folder(tmp_path):
    return write_llama(tmp_path / "tiny")


def test_groups_are_never_found_on_the_main_thread(user, folder, monkeypatch):
    threads = []
    bind = structure.bind

    def watched(checkpoint, *arguments, **options):
        threads.append(threading.current_thread())
        return bind(checkpoint, *arguments, **options)

    monkeypatch.setattr(structure, "bind", watched)
    user.open_file(folder)
    user.choose(user.rule.method, "FFN neurons")
    user.ask_amount("25%")
    user.wait_preview()
    assert user.button.text() == "Prune 384 neurons"
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    user.wait_idle()
    assert len(threads) == 1, "the tree and the form share what is found"
    assert threading.main_thread() not in threads
    # Of all selected tensors, those of the neurons: three in each of the six layers.
    assert user.states[-1] == "FFN neurons 25 % on 18 tensors of model.layers"


def test_what_the_multiple_makes_of_a_fraction_is_said_beside_the_amount(user, folder):
    user.open_file(folder)
    user.choose(user.rule.method, "FFN neurons")
    user.ask_amount("25%")
    note = user.rule.fields.meaning
    groups = "in each of 6 groups (18 tensors)"
    others = "Not pruned: 24 tensors without a group."
    user.wait(lambda: note.text() == f"Prunes 64 neurons {groups}. {others}")
    user.ask_amount("30%")
    text = "Prunes 64 neurons per group, not 77 (multiples of 64)."
    user.wait(lambda: note.text() == f"{text} {others}")
    why = "the number that each group keeps is rounded up to a multiple of 64 (setting 'Multiple')."
    whole = f"Prunes 64 neurons {groups} instead of 77: {why} {others}"
    assert note.toolTip() == as_plain(whole)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    states = user.views.history.tree.states
    tip = states.index_of(1).data(Qt.ItemDataRole.ToolTipRole)
    assert "384 of 1,536 units pruned" in tip
    assert "Amount: 30 %" in tip, "it was requested"
    assert user.states[-1] == "FFN neurons 25 % on 18 tensors of model.layers", "it was pruned"


def test_units_are_ranked_by_statistics_where_that_is_chosen(user, folder, tmp_path):
    tensors = load_file(folder / "model.safetensors")
    path = tmp_path / "s.safetensors"
    known = save_random(path, {n: t.shape for n, t in tensors.items() if ".mlp." in n})
    user.open_file(folder)
    user.choose(user.rule.method, "FFN neurons")
    rule, by = user.rule, user.rule.fields.editors["by"].combo
    assert not rule.load_statistics.isVisible()
    rule.set_row(FormRow("", "", "ffn_neurons", {"by": "wanda"}))  # as the page Shrunk does
    assert rule.load_statistics.isVisible()
    by = rule.fields.editors["by"].combo
    user.choose(by, "FLAP (fluctuation)")
    assert rule.load_statistics.isVisible()
    assert rule.errors() == ("Collect or load statistics of activations first.",)
    assert not user.button.isEnabled()
    user.choose(by, "L1 norm")
    assert not rule.load_statistics.isVisible()
    assert not rule.errors()

    user.choose(by, "FLAP (fluctuation)")
    user.chooses_file(path)
    user.click(rule.load_statistics)
    user.wait(lambda: rule.statistics_name.text() == path.name)
    user.ask_amount("25%")
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    name = "model.layers.3.mlp.down_proj.weight"
    scores = ((tensors[name].astype(float) * known[name].deviation) ** 2).sum(0)
    mask = user.document.masks[name].bools().reshape(tensors[name].shape)
    assert np.flatnonzero(~mask.any(0)).tolist() == sorted(np.argsort(scores)[:64])
    assert user.states[-1] == ("FFN neurons 25 %, rank by FLAP, on 18 tensors of model.layers")
    # Statistics of other tensors rank no unit here; the message names the tensors.
    user.choose(user.rule.method, "Attention heads")
    error = user.views.preview.error
    user.wait(lambda: "cannot rank the units of 'model.layers.0.self_attn'" in error.text())


def test_channels_of_tensors_can_be_pruned_after_those_of_groups_were_tried(user, tmp_path):
    """Regression: the step got the norms of the groups that the former method prunes."""
    user.open_file(write_cnn(tmp_path / "cnn.pt"))
    user.choose(user.rule.method, "Channel groups")
    user.ask_amount("50 %")
    user.prune()
    user.key("Ctrl+Z", user.window)
    user.wait(lambda: not user.document.masks)
    user.choose(user.rule.method, "Ln structured")
    user.wait_preview()
    assert not user.views.preview.error.isVisible()
    assert set(user.workbench.preview.state.known.by_name) >= set(user.views.tree.checked_names())


def test_the_form_says_which_checked_tensors_have_a_group_and_counts_channels(user, tmp_path):
    user.open_file(write_cnn(tmp_path / "cnn.pt"))
    user.choose(user.rule.method, "Channel groups")
    note = user.rule.fields.meaning
    others = "Not pruned: 5 tensors without a group."
    user.ask_amount("50 %")
    user.wait(
        lambda: note.text() == f"Prunes 8 to 16 channels in each of 2 groups (8 tensors). {others}"
    )
    user.wait_preview()
    assert user.button.text() == "Prune 24 channels"

    user.click(user.views.form.all)
    user.ask_amount("40 %")
    user.wait(lambda: note.text() == f"Prunes at most 19 of 48 channels (multiples of 8). {others}")
    user.wait_preview()
    text = user.button.text()
    assert text in {"Prune 8 channels", "Prune 16 channels"}
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    masks = user.document.masks
    gone = sum(masks[f"block{n}.bn1.bias"].pruned for n in (1, 2))
    assert text == f"Prune {gone} channels"
    user.choose(user.rule.fields.editors["multiple"].combo, "1")
    user.wait(
        lambda: note.text() == f"{round((48 - gone) * 0.4)} of {48 - gone} channels. {others}"
    )


@pytest.fixture
def small_group(user, tmp_path):
    """Open a CNN of two groups, whose first convolution is small, and choose a global step."""
    user.open_file(write_cnn(tmp_path / "cnn.pt"))
    form = user.views.form
    user.click(form.all)
    return form


def test_a_global_scope_of_weights_is_not_used_for_whole_channels(user, small_group):
    """A method of whole channels starts per tensor, and both choices are kept."""
    form = small_group
    assert form.scope() == "global"
    user.choose(user.rule.method, "Channel groups")
    assert form.each.isChecked()
    assert form.request().scope == "local"
    user.choose(user.rule.method, "L1 unstructured")
    assert form.all.isChecked()
    assert form.request().scope == "global"
    user.choose(user.rule.method, "Channel groups")
    user.click(form.all)
    user.choose(user.rule.method, "BatchNorm scale")
    assert form.all.isChecked(), "chosen for methods of channels"
    user.workbench.form.reset()
    assert form.each.isChecked()
    user.choose(user.rule.method, "Channel groups")
    assert form.each.isChecked()
