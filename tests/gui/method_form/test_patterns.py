"""Patterns and allocations, chosen and applied in the window."""

from __future__ import annotations

from pathlib import Path

from pruneapp import resources
from pruneapp.analysis.patterns import check_pattern
from pruneapp.progress import Job

SAMPLE = resources.path("sample/lenet-digits.safetensors")
MATRICES = ("conv2.weight", "fc1.weight", "fc2.weight", "fc3.weight")


def open_sample(user):
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)


def test_two_of_four_are_kept_of_every_layer(user):
    """There is no field for an amount; the result has the pattern, until the step is undone."""
    open_sample(user)
    user.choose(user.rule.method, "N:M semi-structured (2:4)")
    assert "amount" not in user.rule.fields.editors
    report = user.wait_preview()
    shares = {t.name: t.after / t.numel for t in report.tensors}
    assert shares == {"conv1.weight": 0.0, **dict.fromkeys(MATRICES, 0.5)}
    user.click(user.button)
    assert user.states[1:] == ["2:4, dim 1, on 5 tensors"]
    found = check_pattern(user.document.snapshot(), MATRICES, 2, 4, 1, Job())
    assert found.satisfied
    user.key("Ctrl+Z")
    assert not len(user.document.masks)

    fields = user.rule.fields
    user.type(fields.editors["pattern"].field, "4:2")
    user.wait(lambda: "must be n:m" in fields.notes["pattern"].text())
    assert not user.button.isEnabled()
    user.type(fields.editors["pattern"].field, "1:2")
    report = user.wait_preview()
    assert report.by_name["fc1.weight"].after == report.by_name["fc1.weight"].numel // 2


def test_lamp_is_global_and_says_how_much_of_each(user):
    """LAMP has a single scope; the amount is that of all tensors together."""
    open_sample(user)
    user.choose(user.rule.method, "LAMP")
    form = user.views.form
    assert not form.scope_row.isVisible()
    user.ask_amount("50 %")
    report = user.wait_preview()
    assert sum(t.after for t in report.tensors) == round(0.5 * report.unpruned)
    assert len({t.after / t.numel for t in report.tensors}) == 5
    user.click(user.button)
    assert user.states[1:] == ["LAMP 50 %, global, on 5 tensors"]
    user.choose(user.rule.method, "L1 unstructured (magnitude)")
    assert form.scope_row.isVisible()
    assert form.each.isChecked()

    # Blocks are pruned whole.
    user.key("Ctrl+Z")
    user.choose(user.rule.method, "Blocks")
    user.type(user.rule.fields.editors["block"].field, "2x8")
    user.ask_amount("25 %")
    user.wait_preview()
    user.click(user.button)
    user.wait(lambda: user.states[-1].startswith("Blocks"))
    entry = user.document.checkpoint.entry("fc2.weight")
    mask = user.document.masks["fc2.weight"].bools()
    rows, columns = entry.shape
    assert (rows % 2, columns % 8) == (0, 0)
    blocks = mask.reshape(rows // 2, 2, columns // 8, 8).sum(axis=(1, 3))
    assert set(blocks.reshape(-1).tolist()) == {0, 16}
    assert (blocks == 0).sum() == round(0.25 * blocks.size)


def test_it_is_said_which_rule_decides_the_scope_of_all(user):
    open_sample(user)
    form = user.views.form
    user.click(form.all)
    user.click(form.add)
    user.qtbot.keyClicks(user.rule.target, "fc1*")
    assert form.scope_note.text() == "Scope: global"
    form.list.setCurrentRow(0)
    user.choose(user.rule.method, "N:M")
    assert form.scope() == "local"
    assert not form.scope_row.isVisible()
    assert form.scope_note.isVisible()
    assert form.scope_note.text() == "Scope: per tensor (rule 1 has no global scope)"
    why = "N:M semi-structured (2:4) in rule 1 has no global threshold."
    assert why in form.scope_note.toolTip()
    assert form.scope_note.accessibleDescription() == why
    user.choose(user.rule.method, "LAMP")
    assert form.scope_note.text() == "Scope: global (rule 1 has no per-tensor scope)"
    user.choose(user.rule.method, "L1 unstructured")
    assert form.scope_note.text() == "Scope: global"
    assert form.scope() == "global"
    user.click(form.each)
    assert form.scope_note.text() == "Scope: per tensor"


def test_after_a_step_ctrl_z_in_its_field_takes_the_step_back(user):
    """The typed value is applied already. The error of a refused file is removed as well."""
    open_sample(user)
    user.choose(user.rule.method, "N:M semi-structured (2:4)")
    field = user.rule.fields.editors["pattern"].field
    user.click(field)
    user.key("Ctrl+A", field)
    user.qtbot.keyClicks(field, "1:4")
    user.drop(Path(__file__))
    user.wait(lambda: user.trouble)
    user.wait_preview()
    user.key("Ctrl+Return", field)
    user.wait(lambda: len(user.states) == 2)
    assert user.trouble == []
    field.setFocus()
    user.key("Ctrl+Z", field)
    user.wait(lambda: user.document.position == 0)
    assert field.text() == "1:4"
