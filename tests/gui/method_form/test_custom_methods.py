"""Steps of several rules, and custom methods of the user."""

from __future__ import annotations

import re
import sys
import textwrap

import numpy as np
import pytest
import torch
from PySide6.QtCore import QPoint, Qt
from safetensors.torch import load_file, save_file
from torch.nn.utils import prune

from pruneapp import resources
from pruneapp.methods import registry
from pruneapp.progress import Job
from pruneapp.statistics.file import Inputs, Origin, save_statistics

SAMPLE = resources.path("sample/lenet-digits.safetensors")

FOO_BAR = textwrap.dedent("""
    import torch.nn.utils.prune as prune


    class FooBarPruningMethod(prune.BasePruningMethod):
        '''Prunes every other entry.'''

        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t, default_mask):
            mask = default_mask.clone()
            mask.view(-1)[::2] = 0
            return mask
""")


@pytest.fixture
def own_methods():
    """Unregister methods that a test loads. Request it before the window, which is closed first."""
    before = set(registry.METHODS)
    yield
    for name in set(registry.METHODS) - before:
        registry.unregister(name)


def by_torch(method, tensor, **values):
    module = torch.nn.Module()
    module.weight = torch.nn.Parameter(tensor.clone())
    method(module, "weight", **values)
    return module.weight_mask.bool()


def mask_of(user, name):
    entry = user.document.checkpoint.entry(name)
    return torch.from_numpy(user.document.masks[name].bools().reshape(entry.shape).copy())


def test_the_step_of_the_tutorial_is_two_rules(user):
    """20 % of every Conv2d and 40 % of every Linear, applied and undone as one step."""
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    form = user.views.form
    user.click(form.add)
    user.choose(user.rule.target, "all Conv2d layers")
    user.ask_amount("20 %")
    user.click(form.add)
    user.choose(user.rule.target, "all Linear layers")
    user.ask_amount("40 %")
    # Remove the rule for the checked tensors.
    first = form.list.visualItemRect(form.list.item(0)).center()
    user.click(form.list.viewport(), first)
    user.click(form.remove)
    assert [form.list.item(i).text() for i in range(form.list.count())] == [
        "1. all Conv2d layers · 2 tensors\nL1 unstructured (magnitude), 20\u00a0%",
        "2. all Linear layers · 3 tensors\nL1 unstructured (magnitude), 40\u00a0%",
    ]
    report = user.wait_preview()
    assert len(report.tensors) == 5
    user.click(user.button)

    assert user.states[1:] == ["L1 20 %, L1 40 % on 5 tensors by 2 rules"]
    tensors = load_file(SAMPLE)
    for name, amount in {
        "conv1.weight": 0.2,
        "conv2.weight": 0.2,
        "fc1.weight": 0.4,
        "fc2.weight": 0.4,
        "fc3.weight": 0.4,
    }.items():
        expected = by_torch(prune.l1_unstructured, tensors[name], amount=amount)
        assert torch.equal(mask_of(user, name), expected), name
    user.key("Ctrl+Z")
    assert not len(user.document.masks)


def test_a_rule_may_name_a_pattern(user):
    """A pattern without matches shows the nearest names below the field."""
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    user.click(user.views.form.add)
    field, said = user.rule.target.lineEdit(), user.rule.matched
    user.pause(50)
    below = user.rule.method.mapTo(user.window, QPoint(0, 0))
    user.type(field, "fc?.weigth")
    user.wait(lambda: "fc?.weigth" in said.text())
    assert said.isVisible()
    assert said.text().startswith("✕")
    assert "fc1.weight" in said.text()
    assert user.rule.target.geometry().bottom() <= said.geometry().top()
    assert "✕ matches nothing" in user.views.form.list.item(1).text()
    assert user.rule.method.mapTo(user.window, QPoint(0, 0)) == below, "nothing jumps"
    assert user.views.preview.error.text() == "✕ A setting of rule 2 is not valid."
    assert not user.button.isEnabled()
    # With another rule selected, the panel shows the whole message.
    user.click(user.views.form.list.viewport(), QPoint(20, 8))
    user.ask_amount("30 %")
    assert "fc?.weigth" in user.views.preview.error.text()
    user.views.form.list.setCurrentRow(1)
    user.type(field, "fc?.weight")
    assert said.text() == "3 tensors."
    assert "✕" not in user.views.form.list.item(1).text()
    user.click(user.views.form.list.viewport(), QPoint(20, 8))
    user.click(user.views.form.remove)
    report = user.wait_preview()
    assert [t.name for t in report.tensors] == ["fc1.weight", "fc2.weight", "fc3.weight"]
    footer = user.views.tree.footer
    assert re.fullmatch(r"Selected by rules; \d+ check marks are ignored", footer.text())
    assert "rules or check marks" in user.views.preview.tensors.toolTip()


def test_a_pattern_takes_no_biases_and_norms_beside_the_matrices(user):
    """It prunes what the check mark of a module includes, and lists its other matches."""
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    user.click(user.views.form.add)
    user.click(user.views.form.list.viewport(), QPoint(20, 8))
    user.click(user.views.form.remove)
    line, said = user.rule.target.lineEdit(), user.rule.matched

    def matched():
        return [t.name for t in user.wait_preview().tensors]

    user.type(line, "*1.*")
    assert matched() == ["conv1.weight", "fc1.weight"]
    assert said.isVisible()
    assert said.text() == ("2 tensors. Skips 4 matching biases, norms or 1\u2011D tensors.")
    for name in ("bn1.bias", "bn1.weight", "conv1.bias", "fc1.bias"):
        assert name in said.toolTip()
    assert "running_mean" not in said.toolTip()
    user.ask_amount("30 %")  # moving a slider keeps the found tensors
    assert matched() == ["conv1.weight", "fc1.weight"]

    user.type(line, "fc?.bias")  # of biases alone, it takes them
    assert matched() == ["fc1.bias", "fc2.bias", "fc3.bias"]
    assert said.text() == "3 tensors."

    # Several patterns, separated by commas or lines, are matched separately.
    user.type(line, "fc1.*, fc[2,3].bias")
    assert matched() == ["fc1.weight", "fc2.bias", "fc3.bias"]
    assert "Skips 1 matching bias, norm" in said.text()
    user.rule.target.setEditText("conv1.weight\nconv2.weight\n")
    assert user.rule.target.currentText() == "conv1.weight, conv2.weight"
    assert matched() == ["conv1.weight", "conv2.weight"]
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    assert user.states[1] == "L1 30 % on conv1.weight, conv2.weight"


def test_channels_of_a_dimension_that_some_tensors_lack_are_refused_in_words(user):
    """The message replaces the numbers, and the button is disabled."""
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    user.check("fc1.bias")
    user.ask_amount("50 %")
    user.choose(user.rule.method, "N:M semi-structured (2:4)")
    user.rule.fields.set_value("pattern", "1:4")
    user.choose(user.rule.method, "Ln structured (channels)")
    user.wait(lambda: "fc1.bias" in user.views.preview.error.text())
    assert user.views.preview.error.text().startswith("✕")
    assert not user.button.isEnabled()
    user.key("Ctrl+Return")
    assert user.states == ["Opened"]

    # Values of a method come back with it; equal parameters share them.
    user.choose(user.rule.method, "LAMP")
    assert user.rule.fields.editors["amount"].value() == 0.5
    user.choose(user.rule.method, "N:M semi-structured (2:4)")
    assert user.rule.fields.editors["pattern"].value() == "1:4"
    user.choose(user.rule.method, "L1 unstructured (magnitude)")
    assert user.rule.fields.editors["amount"].value() == 0.5


def load(user, path, answer):
    user.chooses_file(path)
    asked = user.answers(answer)
    user.menu("Tools", "Load method from file")
    user.wait(lambda: bool(asked))
    return asked


def test_an_own_method_runs_only_after_a_warning_and_prunes_a_bias(own_methods, user, tmp_path):
    """FooBar of the tutorial, loaded by the menu Tools, applied to fc3.bias."""
    path = tmp_path / "foobar.py"
    canary = tmp_path / "canary"
    path.write_text(f"{FOO_BAR}\nopen({str(canary)!r}, 'w').close()\n")
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)

    (warning,) = load(user, path, "Cancel")
    assert "runs its code" in warning
    assert str(path) in warning
    user.wait_idle()
    assert not canary.exists()
    assert set(registry.METHODS) == set(registry.METHODS) - {"FooBarPruningMethod"}

    load(user, path, "Run code")
    user.wait(lambda: any(text.startswith("Loaded: ") for text in user.notices))
    assert canary.exists()
    user.key("Ctrl+Shift+A")
    user.check("fc3.bias")
    label = user.notices[0].removeprefix("Loaded: ").removesuffix(".")
    user.choose(user.rule.method, label)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    assert mask_of(user, "fc3.bias").tolist() == [False, True] * 5


def test_a_file_that_is_no_method_is_refused_in_one_sentence(
    own_methods, user, tmp_path, monkeypatch
):
    """The window remains usable. The error of a method is shown by the preview."""
    with monkeypatch.context() as patch:
        # The import of torch takes seconds and cannot be cancelled: the file is read before.
        patch.setitem(sys.modules, "pruneapp.prune.custom_methods", None)
        load(user, tmp_path / "gone.py", "Run code")
        user.wait(lambda: any("gone.py' cannot be read" in text for text in user.notices))
        user.wait_idle()
    path = tmp_path / "own.py"
    for text, says in (
        ("def broken(:", "cannot be run"),
        ("raise SystemExit(3)", "cannot be run"),
        ("x = 1", "defines no pruning method"),
    ):
        user.window.notices.clear()
        path.write_text(text)
        load(user, path, "Run code")
        user.wait(lambda: bool(user.trouble))
        assert says in user.trouble[0]
        assert "Traceback" not in user.trouble[0]

    path.write_text(FOO_BAR.replace("mask = default_mask.clone()", "raise RuntimeError('mine')"))
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    load(user, path, "Run code")
    user.wait(lambda: any(text.startswith("Loaded: ") for text in user.notices))
    label = user.notices[0].removeprefix("Loaded: ").removesuffix(".")
    user.choose(user.rule.method, label)
    user.wait(lambda: "mine" in user.views.preview.error.text())
    assert not user.button.isEnabled()
    assert user.states == ["Opened"]


def test_make_permanent_turns_pruned_weights_into_ordinary_zeros(user):
    """As torch's `remove`; it is undone like any step. Their number of zeros stays the same."""
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    user.wait_preview()
    user.click(user.button)
    pruned = user.document.masks.pruned("fc1.weight")
    assert pruned
    numbers, zeros = user.views.pages.numbers, f"zeros\u00a0{pruned:,}\u00a0("
    user.click_cell("fc1.weight")
    user.wait(lambda: zeros in numbers.toolTip())
    user.click_cell("fc2.weight")
    user.wait_idle()
    user.menu("Prune", "Make permanent")
    user.wait(lambda: len(user.states) == 3)
    assert user.document.masks.pruned("fc1.weight") == 0
    assert user.document.snapshot().permanent.pruned("fc1.weight") == pruned
    user.click_cell("fc1.weight")
    user.wait(lambda: zeros in numbers.toolTip())
    user.key("Ctrl+Z", user.window)
    user.wait(lambda: zeros in numbers.toolTip())
    assert user.document.masks.pruned("fc1.weight") == pruned
    user.key("Ctrl+Shift+A")
    user.menu("Prune", "Make permanent")
    user.wait(lambda: user.trouble)
    assert user.trouble == ["No tensor is selected. Check one, or give a pattern."]


def test_statistics_are_loaded_from_a_file_for_methods_that_take_them(user, tmp_path):
    """Without them nothing can be pruned; an invalid file is refused with a sentence."""
    rng = np.random.default_rng(0)
    inputs = Inputs(rng.random((1, 128)), None, np.array([7.0]))
    path = tmp_path / "model.statistics.safetensors"
    save_statistics(path, {"fc3.weight": inputs}, Origin(), Job())
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    user.key("Ctrl+Shift+A")
    user.check("fc3.weight")
    assert not user.rule.load_statistics.isVisible()

    user.choose(user.rule.method, "Wanda (per tensor)")
    assert user.rule.load_statistics.isVisible()
    assert list(user.rule.fields.editors) == ["amount"]
    assert user.rule.statistics_name.text() == "no file loaded"
    assert user.rule.errors() == ("Collect or load statistics of activations first.",)
    assert not user.button.isEnabled()
    user.chooses_file(SAMPLE)
    user.click(user.rule.load_statistics)
    user.wait(lambda: any("contains no statistics of activations" in t for t in user.notices))

    other = tmp_path / "other.statistics.safetensors"
    save_statistics(other, {"fc3.weight": inputs}, Origin(checkpoint="0" * 64), Job())
    user.chooses_file(other)
    user.click(user.rule.load_statistics)
    user.wait(lambda: any("belong to another checkpoint" in t for t in user.notices))
    assert user.rule.statistics_name.text() == "no file loaded"

    user.chooses_file(path)
    user.click(user.rule.load_statistics)
    user.wait(lambda: user.rule.statistics_name.text() == path.name)
    user.ask_amount("50")
    assert user.wait_preview().newly_pruned == 640
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    scores = load_file(SAMPLE)["fc3.weight"].double().abs() * torch.from_numpy(inputs.rms[0])
    kept = mask_of(user, "fc3.weight").reshape(-1)
    lowest = scores.reshape(-1).argsort(stable=True)[:640]
    assert not kept[lowest].any()
    assert kept.sum() == 640
    user.check("fc2.weight")
    error = user.views.preview.error
    user.wait(lambda: "lack the inputs of 'fc2.weight'" in error.text())


def test_masks_and_scores_are_loaded_from_files(user, tmp_path):
    """A custom mask, and importance scores instead of magnitudes."""
    tensors = load_file(SAMPLE)
    mask = torch.ones(10, 128)
    mask[3] = 0
    save_file({"fc3.weight": mask}, tmp_path / "mask.safetensors")
    scores = torch.arange(10 * 128, dtype=torch.float32).reshape(10, 128)
    save_file({"fc3.weight": scores.flip(0)}, tmp_path / "scores.safetensors")
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    user.key("Ctrl+Shift+A")
    user.check("fc3.weight")

    user.choose(user.rule.method, "Custom mask from file…")
    assert not user.button.isEnabled()
    user.chooses_file(tmp_path / "mask.safetensors")
    user.click(user.rule.load_mask)
    report = user.wait_preview()
    assert report.newly_pruned == 128
    user.click(user.button)
    user.wait(lambda: len(user.states) == 2)
    assert torch.equal(mask_of(user, "fc3.weight"), mask.bool())
    user.key("Ctrl+Z")

    user.choose(user.rule.method, "L1 unstructured (magnitude)")
    user.chooses_file(tmp_path / "scores.safetensors")
    user.click(user.rule.load_scores)
    user.wait(lambda: user.rule.scores_name.text() == "scores.safetensors")
    user.click(user.rule.fields.editors["amount"].counts)
    user.ask_amount("128")
    user.qtbot.keyClick(user.rule.fields.editors["amount"].field, Qt.Key.Key_Tab)
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: len(user.states) == 3)
    kept = mask_of(user, "fc3.weight")
    assert not kept[9].any()
    assert kept[:9].all()

    # Esc cancels the preview and keeps the form; another command resets that.
    user.key("Ctrl+Z")
    user.ask_amount("100")
    user.wait_preview()
    user.views.tree.view.setFocus()
    user.key("Esc")
    assert user.rule.scores_name.text() == "scores.safetensors"
    assert user.rule.fields.editors["amount"].value() == 100
    assert user.views.preview.heading.text() == "Current state"
    user.wait_idle()
    assert user.workbench.preview.state.shown is None
    user.key("Esc")
    assert user.rule.fields.editors["amount"].value() == 100
    user.ask_amount("90")
    assert user.wait_preview().newly_pruned == 90, "changing the form asks again"
    user.window.actions_["reset_form"].trigger()
    assert user.rule.scores_name.text() == "Ranked by the method"
    report = user.wait_preview()
    user.click(user.button)
    expected = by_torch(prune.l1_unstructured, tensors["fc3.weight"], amount=0.2)
    assert torch.equal(mask_of(user, "fc3.weight"), expected)
