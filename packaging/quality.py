"""Tour steps for evaluation: evaluate and repair states of the sample, and scan tensors."""

from __future__ import annotations

import shutil
import sys

from driving import SIZE, Tour, wait_until
from steps import amount_field, label_of, turn_to

from pruneapp import resources
from pruneapp.gui.evaluation.dialogs import EvaluateDialog, ScriptConsentDialog
from pruneapp.gui.evaluation.source_choice import DataKind
from pruneapp.gui.method_form.editors import AmountEditor
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.repair.dialogs import RepairDialog, RepairReportDialog
from pruneapp.gui.sensitivity.dialogs import AllocationDialog, ScanDialog

SCRIPT = "my_evaluation.py"
WIDE = (1680, 900)  # wide enough for three states in the history


def see(walk: Tour) -> None:
    """Open the sample again, prune it with LAMP, evaluate and repair it."""
    person = walk.person
    walk.open(lambda: person.menu("File", "Try the sample"))
    with walk.step("quality-empty", "nothing was evaluated: the page says what to do"):
        turn_to(walk, Page.QUALITY)
    turn_to(walk, Page.WEIGHTS)
    person.pick(walk.views.tree.view, "fc1")
    prune(walk, "90%")
    evaluate(walk)
    repair(walk)
    with walk.step("metrics", "sparsity and metric beside each state: dense, pruned, repaired"):
        walk.window.resize(*WIDE)
    walk.window.resize(*SIZE)
    with walk.step("quality", "metric against sparsity, the noise as bars, and the target"):
        turn_to(walk, Page.QUALITY)
    with walk.step("quality-bytes", "the same against the size of packed weights"):
        person.choose(walk.views.pages.quality.axis_box, "Size of packed weights")
    with walk.step("compare-metrics", "the metrics of two states below what differs"):
        turn_to(walk, Page.COMPARE)
    scan(walk)
    turn_to(walk, Page.WEIGHTS)


def prune(walk: Tour, amount: str) -> None:
    """Prune a share of the remaining weights with LAMP."""
    person, form = walk.person, walk.views.form
    document = walk.bench.session.document
    assert document is not None
    before = document.position
    person.choose(form.rules[0].method, label_of(walk, "lamp"))
    person.replace(amount_field(walk), amount)
    wait_until(lambda: walk.bench.preview.state.preview, "the preview")
    person.click(walk.views.preview.action.button)
    wait_until(lambda: document.position > before, "the step to be done")


def evaluate(walk: Tour) -> None:
    """Choose a script, confirm it, and run it."""
    person = walk.person
    with walk.step("evaluate", "what measures the states: a script, and the Python that runs it"):
        dialog = choose_script(walk)
    with walk.step("consent", "the script is new: it is shown before it runs"):
        person.click(dialog.go)
        consent = person.dialog(ScriptConsentDialog)
        assert isinstance(consent, ScriptConsentDialog)
    with walk.step("evaluated", "the unpruned model and the current state have their metric"):
        person.click(consent.go)
        wait_for_metrics(walk, 2)


def start_evaluation(walk: Tour) -> None:
    """Evaluate the unpruned model and the current state with the script of the sample."""
    person = walk.person
    person.click(choose_script(walk).go)
    consent = person.dialog(ScriptConsentDialog)
    assert isinstance(consent, ScriptConsentDialog)
    person.click(consent.go)
    wait_for_metrics(walk, 2)


def choose_script(walk: Tour) -> EvaluateDialog:
    """Open the dialog and enter the script of the sample, with its data in the tour's folder."""
    person = walk.person
    # Script, data and Python are in one folder, so that pictures show the same paths everywhere.
    for name in (SCRIPT, "digits.npz"):
        shutil.copy(resources.path("sample") / name, walk.folder)
    if sys.prefix != sys.base_prefix:
        (walk.folder / ".venv").symlink_to(sys.prefix)
    person.menu("Tools", "Evaluate")
    dialog = person.dialog(EvaluateDialog)
    assert isinstance(dialog, EvaluateDialog)
    person.replace(dialog.choice.fields[DataKind.SCRIPT], str(walk.folder / SCRIPT))
    wait_until(dialog.go.isEnabled, "the script to be read")
    return dialog


def repair(walk: Tour) -> None:
    """Repair the current state with the same script, and evaluate the result."""
    person = walk.person
    with walk.step("repair", "what the inputs are collected with, and the layers"):
        person.press("Ctrl+R")
        dialog = person.dialog(RepairDialog)
        assert isinstance(dialog, RepairDialog)
        # Not the default, because it is also used for evaluation; its calibration images differ.
        person.replace(dialog.source.fields[DataKind.SCRIPT], str(walk.folder / SCRIPT))
        wait_until(dialog.go.isEnabled, "the layers")
    with walk.step("repaired", "the error of each layer, before and after"):
        person.click(dialog.go)
        report = person.dialog(RepairReportDialog)
        assert isinstance(report, RepairReportDialog)
    person.click(report.evaluate)
    wait_for_metrics(walk, 3)


def scan(walk: Tour) -> None:
    """Scan the unpruned sample, and allocate a sparsity of 80 %."""
    person, bench = walk.person, walk.bench
    document = bench.session.document
    assert document is not None
    with walk.step("sensitivity-empty", "nothing was scanned: the page says what to do"):
        turn_to(walk, Page.SENSITIVITY)
    bench.history.jump(0)
    with walk.step("scan", "what is scanned, by which script, and how long that takes"):
        person.press("Ctrl+Shift+M")
        dialog = person.dialog(ScanDialog)
        assert isinstance(dialog, ScanDialog)
        person.replace(dialog.choice.fields[DataKind.SCRIPT], str(walk.folder / SCRIPT))
        wait_until(dialog.go.isEnabled, "the script")
    with walk.step("sensitivity", "damage by tensor and amount: the first layer bears the most"):
        person.click(dialog.go)
        wait_until(lambda: bench.scans.kept, "the first evaluation")
        wait_until(lambda: not bench.jobs.busy, "the scan to end")
    with walk.step("allocation", "80 % of all scanned tensors, and what each of them bears"):
        person.click(walk.views.pages.sensitivity.allocate)
        allocation = person.dialog(AllocationDialog)
        assert isinstance(allocation, AllocationDialog)
        total = allocation.editors["target_sparsity"]
        assert isinstance(total, AmountEditor)
        person.replace(total.field, "80%")
        wait_until(allocation.go.isEnabled, "the allocation")
    with walk.step("allocated", "one step with a rule for each tensor, and what it predicts"):
        person.click(allocation.go)
        wait_until(lambda: document.position > 2, "the step to be done")


def wait_for_metrics(walk: Tour, count: int) -> None:
    """Wait until `count` states are measured; the first waits for the import of torch."""
    evaluation = walk.bench.evaluation
    wait_until(evaluation.states, "the first metric")
    wait_until(lambda: len(evaluation.states()) == count, f"{count} metrics")
