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


def mask_of(person, name):
    entry = person.document.checkpoint.entry(name)
    return torch.from_numpy(person.document.masks[name].bools().reshape(entry.shape).copy())


def test_the_step_of_the_tutorial_is_two_rules(person):
    """20 % of every Conv2d and 40 % of every Linear, applied and undone as one step."""
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)
    form = person.views.form
    person.click(form.add)
    person.choose(person.rule.target, "all Conv2d layers")
    person.ask_amount("20 %")
    person.click(form.add)
    person.choose(person.rule.target, "all Linear layers")
    person.ask_amount("40 %")
    # Remove the rule for the checked tensors.
    first = form.list.visualItemRect(form.list.item(0)).center()
    person.click(form.list.viewport(), first)
    person.click(form.remove)
    assert [form.list.item(i).text() for i in range(form.list.count())] == [
        "1. all Conv2d layers · 2 tensors\nL1 unstructured (magnitude), 20\u00a0%",
        "2. all Linear layers · 3 tensors\nL1 unstructured (magnitude), 40\u00a0%",
    ]
    report = person.wait_preview()
    assert len(report.tensors) == 5
    person.click(person.button)

    assert person.states[1:] == ["L1 20 %, L1 40 % on 5 tensors by 2 rules"]
    tensors = load_file(SAMPLE)
    for name, amount in {
        "conv1.weight": 0.2,
        "conv2.weight": 0.2,
        "fc1.weight": 0.4,
        "fc2.weight": 0.4,
        "fc3.weight": 0.4,
    }.items():
        expected = by_torch(prune.l1_unstructured, tensors[name], amount=amount)
        assert torch.equal(mask_of(person, name), expected), name
    person.key("Ctrl+Z")
    assert not len(person.document.masks)


def test_a_rule_may_name_a_pattern(person):
    """A pattern without matches shows the nearest names below the field."""
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)
    person.click(person.views.form.add)
    field, said = person.rule.target.lineEdit(), person.rule.matched
    person.pause(50)
    below = person.rule.method.mapTo(person.window, QPoint(0, 0))
    person.type(field, "fc?.weigth")
    person.wait(lambda: "fc?.weigth" in said.text())
    assert said.isVisible()
    assert said.text().startswith("✕")
    assert "fc1.weight" in said.text()
    assert person.rule.target.geometry().bottom() <= said.geometry().top()
    assert "✕ matches nothing" in person.views.form.list.item(1).text()
    assert person.rule.method.mapTo(person.window, QPoint(0, 0)) == below, "nothing jumps"
    assert person.views.preview.error.text() == "✕ A setting of rule 2 is not valid."
    assert not person.button.isEnabled()
    # With another rule selected, the panel shows the whole message.
    person.click(person.views.form.list.viewport(), QPoint(20, 8))
    person.ask_amount("30 %")
    assert "fc?.weigth" in person.views.preview.error.text()
    person.views.form.list.setCurrentRow(1)
    person.type(field, "fc?.weight")
    assert said.text() == "3 tensors."
    assert "✕" not in person.views.form.list.item(1).text()
    person.click(person.views.form.list.viewport(), QPoint(20, 8))
    person.click(person.views.form.remove)
    report = person.wait_preview()
    assert [t.name for t in report.tensors] == ["fc1.weight", "fc2.weight", "fc3.weight"]
    footer = person.views.tree.footer
    assert re.fullmatch(r"Chosen by rules; \d+ checked, not used", footer.text())
    assert "rules or check marks" in person.views.preview.tensors.toolTip()


def test_a_pattern_takes_no_biases_and_norms_beside_the_matrices(person):
    """It prunes what the check mark of a module includes, and lists its other matches."""
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)
    person.click(person.views.form.add)
    person.click(person.views.form.list.viewport(), QPoint(20, 8))
    person.click(person.views.form.remove)
    line, said = person.rule.target.lineEdit(), person.rule.matched

    def matched():
        return [t.name for t in person.wait_preview().tensors]

    person.type(line, "*1.*")
    assert matched() == ["conv1.weight", "fc1.weight"]
    assert said.isVisible()
    assert said.text() == ("2 tensors. Skips 4 matching biases, norms or 1\u2011D tensors.")
    for name in ("bn1.bias", "bn1.weight", "conv1.bias", "fc1.bias"):
        assert name in said.toolTip()
    assert "running_mean" not in said.toolTip()
    person.ask_amount("30 %")  # moving a slider keeps the found tensors
    assert matched() == ["conv1.weight", "fc1.weight"]

    person.type(line, "fc?.bias")  # of biases alone, it takes them
    assert matched() == ["fc1.bias", "fc2.bias", "fc3.bias"]
    assert said.text() == "3 tensors."

    # Several patterns, separated by commas or lines, are matched separately.
    person.type(line, "fc1.*, fc[2,3].bias")
    assert matched() == ["fc1.weight", "fc2.bias", "fc3.bias"]
    assert "Skips 1 matching bias, norm" in said.text()
    person.rule.target.setEditText("conv1.weight\nconv2.weight\n")
    assert person.rule.target.currentText() == "conv1.weight, conv2.weight"
    assert matched() == ["conv1.weight", "conv2.weight"]
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    assert person.states[1] == "L1 30 % on conv1.weight, conv2.weight"


def test_channels_of_a_dimension_that_some_tensors_lack_are_refused_in_words(person):
    """The message replaces the numbers, and the button is disabled."""
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)
    person.check("fc1.bias")
    person.ask_amount("50 %")
    person.choose(person.rule.method, "N:M semi-structured (2:4)")
    person.rule.fields.set_value("pattern", "1:4")
    person.choose(person.rule.method, "Ln structured (channels)")
    person.wait(lambda: "fc1.bias" in person.views.preview.error.text())
    assert person.views.preview.error.text().startswith("✕")
    assert not person.button.isEnabled()
    person.key("Ctrl+Return")
    assert person.states == ["Opened"]

    # Values of a method come back with it; equal parameters share them.
    person.choose(person.rule.method, "LAMP")
    assert person.rule.fields.editors["amount"].value() == 0.5
    person.choose(person.rule.method, "N:M semi-structured (2:4)")
    assert person.rule.fields.editors["pattern"].value() == "1:4"
    person.choose(person.rule.method, "L1 unstructured (magnitude)")
    assert person.rule.fields.editors["amount"].value() == 0.5


def load(person, path, answer):
    person.chooses_file(path)
    asked = person.answers(answer)
    person.menu("Tools", "Load method from file")
    person.wait(lambda: bool(asked))
    return asked


def test_an_own_method_runs_only_after_a_warning_and_prunes_a_bias(own_methods, person, tmp_path):
    """FooBar of the tutorial, loaded by the menu Tools, applied to fc3.bias."""
    path = tmp_path / "foobar.py"
    canary = tmp_path / "canary"
    path.write_text(f"{FOO_BAR}\nopen({str(canary)!r}, 'w').close()\n")
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)

    (warning,) = load(person, path, "Cancel")
    assert "runs its code" in warning
    assert str(path) in warning
    person.wait_idle()
    assert not canary.exists()
    assert set(registry.METHODS) == set(registry.METHODS) - {"FooBarPruningMethod"}

    load(person, path, "Run code")
    person.wait(lambda: any(text.startswith("Loaded: ") for text in person.notices))
    assert canary.exists()
    person.key("Ctrl+Shift+A")
    person.check("fc3.bias")
    label = person.notices[0].removeprefix("Loaded: ").removesuffix(".")
    person.choose(person.rule.method, label)
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    assert mask_of(person, "fc3.bias").tolist() == [False, True] * 5


def test_a_file_that_is_no_method_is_refused_in_one_sentence(
    own_methods, person, tmp_path, monkeypatch
):
    """The window remains usable. The error of a method is shown by the preview."""
    with monkeypatch.context() as patch:
        # The import of torch takes seconds and cannot be cancelled: the file is read before.
        patch.setitem(sys.modules, "pruneapp.prune.custom_methods", None)
        load(person, tmp_path / "gone.py", "Run code")
        person.wait(lambda: any("gone.py' cannot be read" in text for text in person.notices))
        person.wait_idle()
    path = tmp_path / "own.py"
    for text, says in (
        ("def broken(:", "cannot be run"),
        ("raise SystemExit(3)", "cannot be run"),
        ("x = 1", "defines no pruning method"),
    ):
        person.window.notices.clear()
        path.write_text(text)
        load(person, path, "Run code")
        person.wait(lambda: bool(person.trouble))
        assert says in person.trouble[0]
        assert "Traceback" not in person.trouble[0]

    path.write_text(FOO_BAR.replace("mask = default_mask.clone()", "raise RuntimeError('mine')"))
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)
    load(person, path, "Run code")
    person.wait(lambda: any(text.startswith("Loaded: ") for text in person.notices))
    label = person.notices[0].removeprefix("Loaded: ").removesuffix(".")
    person.choose(person.rule.method, label)
    person.wait(lambda: "mine" in person.views.preview.error.text())
    assert not person.button.isEnabled()
    assert person.states == ["Opened"]


def test_make_permanent_turns_pruned_weights_into_ordinary_zeros(person):
    """As torch's `remove`; it is undone like any step. Numbers that were shown before follow."""
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)
    person.wait_preview()
    person.click(person.button)
    pruned = person.document.masks.pruned("fc1.weight")
    assert pruned
    numbers = person.views.pages.numbers
    person.click_cell("fc1.weight")
    person.wait(lambda: "zeros\u00a00" in numbers.text())
    person.click_cell("fc2.weight")
    person.wait_idle()
    person.menu("Prune", "Make permanent")
    person.wait(lambda: len(person.states) == 3)
    assert person.document.masks.pruned("fc1.weight") == 0
    assert person.document.snapshot().permanent.pruned("fc1.weight") == pruned
    person.click_cell("fc1.weight")
    person.wait(lambda: "zeros" in numbers.text())
    assert "zeros\u00a00" not in numbers.text()
    person.key("Ctrl+Z", person.window)
    person.wait(lambda: "zeros\u00a00" in numbers.text())
    assert person.document.masks.pruned("fc1.weight") == pruned
    person.key("Ctrl+Shift+A")
    person.menu("Prune", "Make permanent")
    person.wait(lambda: person.trouble)
    assert person.trouble == ["No tensor is selected. Check one, or give a pattern."]


def test_statistics_are_loaded_from_a_file_for_methods_that_take_them(person, tmp_path):
    """Without them nothing can be pruned; an invalid file is refused with a sentence."""
    rng = np.random.default_rng(0)
    inputs = Inputs(rng.random((1, 128)), None, np.array([7.0]))
    path = tmp_path / "model.statistics.safetensors"
    save_statistics(path, {"fc3.weight": inputs}, Origin(), Job())
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)
    person.key("Ctrl+Shift+A")
    person.check("fc3.weight")
    assert not person.rule.load_statistics.isVisible()

    person.choose(person.rule.method, "Wanda (per tensor)")
    assert person.rule.load_statistics.isVisible()
    assert list(person.rule.fields.editors) == ["amount"]
    assert person.rule.statistics_name.text() == "no file loaded"
    assert person.rule.errors() == ("Load statistics of activations first.",)
    assert not person.button.isEnabled()
    person.chooses_file(SAMPLE)
    person.click(person.rule.load_statistics)
    person.wait(lambda: any("holds no statistics of activations" in t for t in person.notices))

    other = tmp_path / "other.statistics.safetensors"
    save_statistics(other, {"fc3.weight": inputs}, Origin(checkpoint="0" * 64), Job())
    person.chooses_file(other)
    person.click(person.rule.load_statistics)
    person.wait(lambda: any("belong to another checkpoint" in t for t in person.notices))
    assert person.rule.statistics_name.text() == "no file loaded"

    person.chooses_file(path)
    person.click(person.rule.load_statistics)
    person.wait(lambda: person.rule.statistics_name.text() == path.name)
    person.ask_amount("50")
    assert person.wait_preview().newly_pruned == 640
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    scores = load_file(SAMPLE)["fc3.weight"].double().abs() * torch.from_numpy(inputs.rms[0])
    kept = mask_of(person, "fc3.weight").reshape(-1)
    lowest = scores.reshape(-1).argsort(stable=True)[:640]
    assert not kept[lowest].any()
    assert kept.sum() == 640
    person.check("fc2.weight")
    error = person.views.preview.error
    person.wait(lambda: "say nothing about the inputs of 'fc2.weight'" in error.text())


def test_masks_and_scores_are_loaded_from_files(person, tmp_path):
    """A custom mask, and importance scores instead of magnitudes."""
    tensors = load_file(SAMPLE)
    mask = torch.ones(10, 128)
    mask[3] = 0
    save_file({"fc3.weight": mask}, tmp_path / "mask.safetensors")
    scores = torch.arange(10 * 128, dtype=torch.float32).reshape(10, 128)
    save_file({"fc3.weight": scores.flip(0)}, tmp_path / "scores.safetensors")
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)
    person.key("Ctrl+Shift+A")
    person.check("fc3.weight")

    person.choose(person.rule.method, "Custom mask from file…")
    assert not person.button.isEnabled()
    person.chooses_file(tmp_path / "mask.safetensors")
    person.click(person.rule.load_mask)
    report = person.wait_preview()
    assert report.newly_pruned == 128
    person.click(person.button)
    person.wait(lambda: len(person.states) == 2)
    assert torch.equal(mask_of(person, "fc3.weight"), mask.bool())
    person.key("Ctrl+Z")

    person.choose(person.rule.method, "L1 unstructured (magnitude)")
    person.chooses_file(tmp_path / "scores.safetensors")
    person.click(person.rule.load_scores)
    person.wait(lambda: person.rule.scores_name.text() == "scores.safetensors")
    person.click(person.rule.fields.editors["amount"].counts)
    person.ask_amount("128")
    person.qtbot.keyClick(person.rule.fields.editors["amount"].field, Qt.Key.Key_Tab)
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: len(person.states) == 3)
    kept = mask_of(person, "fc3.weight")
    assert not kept[9].any()
    assert kept[:9].all()

    # Esc cancels the preview and keeps the form; another command resets that.
    person.key("Ctrl+Z")
    person.ask_amount("100")
    person.wait_preview()
    person.views.tree.view.setFocus()
    person.key("Esc")
    assert person.rule.scores_name.text() == "scores.safetensors"
    assert person.rule.fields.editors["amount"].value() == 100
    assert person.views.preview.heading.text() == "Current state"
    assert not person.button.isEnabled()
    person.wait_idle()
    assert person.workbench.preview.state.shown is None
    person.key("Esc")
    assert person.rule.fields.editors["amount"].value() == 100
    person.ask_amount("90")
    assert person.wait_preview().newly_pruned == 90, "changing the form asks again"
    person.window.actions_["reset_form"].trigger()
    assert person.rule.scores_name.text() == "Ranking: weight magnitude"
    report = person.wait_preview()
    person.click(person.button)
    expected = by_torch(prune.l1_unstructured, tensors["fc3.weight"], amount=0.2)
    assert torch.equal(mask_of(person, "fc3.weight"), expected)
