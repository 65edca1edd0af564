"""Patterns and allocations, chosen and applied in the window."""

from __future__ import annotations

from pathlib import Path

from pruneapp import resources
from pruneapp.analysis.patterns import check_pattern
from pruneapp.progress import Job

SAMPLE = resources.path("sample/lenet-digits.safetensors")
MATRICES = ("conv2.weight", "fc1.weight", "fc2.weight", "fc3.weight")


def open_sample(person):
    person.menu("File", "Try the sample")
    person.wait_open(SAMPLE)


def test_two_of_four_are_kept_of_every_layer(person):
    """There is no field for an amount; the result has the pattern, until the step is undone."""
    open_sample(person)
    person.choose(person.rule.method, "N:M semi-structured (2:4)")
    assert "amount" not in person.rule.fields.editors
    report = person.wait_preview()
    shares = {t.name: t.after / t.numel for t in report.tensors}
    assert shares == {"conv1.weight": 0.0, **dict.fromkeys(MATRICES, 0.5)}
    person.click(person.button)
    assert person.states[1:] == ["2:4, dim 1, on 5 tensors"]
    found = check_pattern(person.document.snapshot(), MATRICES, 2, 4, 1, Job())
    assert found.satisfied
    person.key("Ctrl+Z")
    assert not len(person.document.masks)

    fields = person.rule.fields
    person.type(fields.editors["pattern"].field, "4:2")
    person.wait(lambda: "must be n:m" in fields.notes["pattern"].text())
    assert not person.button.isEnabled()
    person.type(fields.editors["pattern"].field, "1:2")
    report = person.wait_preview()
    assert report.by_name["fc1.weight"].after == report.by_name["fc1.weight"].numel // 2


def test_lamp_is_global_and_says_how_much_of_each(person):
    """LAMP has a single scope; the amount is that of all tensors together."""
    open_sample(person)
    person.choose(person.rule.method, "LAMP")
    form = person.views.form
    assert not form.scope_row.isVisible()
    person.ask_amount("50 %")
    report = person.wait_preview()
    assert sum(t.after for t in report.tensors) == round(0.5 * report.unpruned)
    assert len({t.after / t.numel for t in report.tensors}) == 5
    person.click(person.button)
    assert person.states[1:] == ["LAMP 50 % on 5 tensors, global"]
    person.choose(person.rule.method, "L1 unstructured (magnitude)")
    assert form.scope_row.isVisible()
    assert form.each.isChecked()

    # Blocks are pruned whole.
    person.key("Ctrl+Z")
    person.choose(person.rule.method, "Blocks")
    person.type(person.rule.fields.editors["block"].field, "2x8")
    person.ask_amount("25 %")
    person.wait_preview()
    person.click(person.button)
    person.wait(lambda: person.states[-1].startswith("Blocks"))
    entry = person.document.checkpoint.entry("fc2.weight")
    mask = person.document.masks["fc2.weight"].bools()
    rows, columns = entry.shape
    assert (rows % 2, columns % 8) == (0, 0)
    blocks = mask.reshape(rows // 2, 2, columns // 8, 8).sum(axis=(1, 3))
    assert set(blocks.reshape(-1).tolist()) == {0, 16}
    assert (blocks == 0).sum() == round(0.25 * blocks.size)


def test_it_is_said_which_rule_decides_the_scope_of_all(person):
    open_sample(person)
    form = person.views.form
    person.click(form.all)
    person.click(form.add)
    person.qtbot.keyClicks(person.rule.target, "fc1*")
    assert form.scope_note.text() == "Scope: global"
    form.list.setCurrentRow(0)
    person.choose(person.rule.method, "N:M")
    assert form.scope() == "local"
    assert not form.scope_row.isVisible()
    assert form.scope_note.isVisible()
    assert form.scope_note.text() == "Scope: per tensor (rule 1 has no global scope)"
    why = "N:M semi-structured (2:4) in rule 1 has no global threshold."
    assert why in form.scope_note.toolTip()
    assert form.scope_note.accessibleDescription() == why
    person.choose(person.rule.method, "LAMP")
    assert form.scope_note.text() == "Scope: global (rule 1 has no per-tensor scope)"
    person.choose(person.rule.method, "L1 unstructured")
    assert form.scope_note.text() == "Scope: global"
    assert form.scope() == "global"
    person.click(form.each)
    assert form.scope_note.text() == "Scope: per tensor"


def test_after_a_step_ctrl_z_in_its_field_takes_the_step_back(person):
    """The typed value is applied already. The error of a refused file is removed as well."""
    open_sample(person)
    person.choose(person.rule.method, "N:M semi-structured (2:4)")
    field = person.rule.fields.editors["pattern"].field
    person.click(field)
    person.key("Ctrl+A", field)
    person.qtbot.keyClicks(field, "1:4")
    person.drop(Path(__file__))
    person.wait(lambda: person.trouble)
    person.wait_preview()
    person.key("Ctrl+Return", field)
    person.wait(lambda: len(person.states) == 2)
    assert person.trouble == []
    field.setFocus()
    person.key("Ctrl+Z", field)
    person.wait(lambda: person.document.position == 0)
    assert field.text() == "1:4"
