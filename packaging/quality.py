"""Tour steps: evaluate, repair and recover states of the sample, and scan its tensors."""

from __future__ import annotations

import shutil
import sys

from driving import SIZE, Tour, wait_until
from steps import amount_field, label_of, turn_to

from pruneapp import resources
from pruneapp.gui.evaluation.dialogs import EvaluateDialog, ScriptConsentDialog
from pruneapp.gui.evaluation.source_choice import DataKind
from pruneapp.gui.method_form.editors import AmountEditor, IntEditor
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.recovery.dialogs import RecoverDialog, RecoveryPanel, RecoveryReportDialog
from pruneapp.gui.recovery.progress import HELD_OUT
from pruneapp.gui.repair.dialogs import RepairDialog, RepairReportDialog
from pruneapp.gui.sensitivity.dialogs import AllocationDialog, ScanDialog

SCRIPT = "my_evaluation.py"
WIDE = (1680, 900)  # wide enough for four states in the history
STEPS = 600  # of the recovery
POINTS = 8  # of its curve when the picture is taken


def see(walk: Tour) -> None:
    """Open the sample again, prune it with LAMP, evaluate, repair and recover it."""
    user = walk.user
    walk.open(lambda: user.menu("File", "Try the sample"))
    with walk.step("quality-empty", "nothing was evaluated: the page says what to do"):
        turn_to(walk, Page.QUALITY)
    turn_to(walk, Page.WEIGHTS)
    user.pick(walk.views.tree.view, "fc1")
    prune(walk, "90%")
    evaluate(walk)
    repair(walk)
    recover(walk)
    with walk.step("metrics", "sparsity and metric beside each state: pruned, repaired, recovered"):
        walk.window.resize(*WIDE)
    walk.window.resize(*SIZE)
    with walk.step("quality", "metric against sparsity, the noise as bars, and the target"):
        turn_to(walk, Page.QUALITY)
    with walk.step("quality-bytes", "the same against the packed size"):
        user.choose(walk.views.pages.quality.axis_box, "Packed size")
    with walk.step("compare-metrics", "the metrics of two states below what differs"):
        turn_to(walk, Page.COMPARE)
    scan(walk)
    turn_to(walk, Page.WEIGHTS)


def prune(walk: Tour, amount: str) -> None:
    """Prune a share of the remaining weights with LAMP."""
    user, form = walk.user, walk.views.form
    document = walk.bench.session.document
    assert document is not None
    before = document.position
    user.choose(form.rules[0].method, label_of(walk, "lamp"))
    user.replace(amount_field(walk), amount)
    wait_until(lambda: walk.bench.preview.state.preview, "the preview")
    user.click(walk.views.preview.action.button)
    wait_until(lambda: document.position > before, "the step to be done")


def evaluate(walk: Tour) -> None:
    """Choose a script, confirm it, and run it."""
    user = walk.user
    with walk.step("evaluate", "what measures the states: a script, and the Python that runs it"):
        dialog = choose_script(walk)
    with walk.step("consent", "the script is new: it is shown before it runs"):
        user.click(dialog.go)
        consent = user.dialog(ScriptConsentDialog)
        assert isinstance(consent, ScriptConsentDialog)
    with walk.step("evaluated", "the unpruned model and the current state have their metric"):
        user.click(consent.go)
        wait_for_metrics(walk, 2)


def start_evaluation(walk: Tour) -> None:
    """Evaluate the unpruned model and the current state with the script of the sample."""
    user = walk.user
    user.click(choose_script(walk).go)
    consent = user.dialog(ScriptConsentDialog)
    assert isinstance(consent, ScriptConsentDialog)
    user.click(consent.go)
    wait_for_metrics(walk, 2)


def choose_script(walk: Tour) -> EvaluateDialog:
    """Open the dialog and enter the script of the sample, with its data in the tour's folder."""
    user = walk.user
    # Script, data and Python are in one folder, so that pictures show the same paths everywhere.
    for name in (SCRIPT, "digits.npz"):
        shutil.copy(resources.path("sample") / name, walk.folder)
    if sys.prefix != sys.base_prefix:
        (walk.folder / ".venv").symlink_to(sys.prefix)
    user.menu("Tools", "Evaluate")
    dialog = user.dialog(EvaluateDialog)
    assert isinstance(dialog, EvaluateDialog)
    user.replace(dialog.choice.fields[DataKind.SCRIPT], str(walk.folder / SCRIPT))
    wait_until(dialog.go.isEnabled, "the script to be read")
    return dialog


def repair(walk: Tour) -> None:
    """Repair the current state with the same script, and evaluate the result."""
    user = walk.user
    with walk.step("repair", "what the inputs are collected with, and the layers"):
        user.press("Ctrl+R")
        dialog = user.dialog(RepairDialog)
        assert isinstance(dialog, RepairDialog)
        # Not the default, because it is also used for evaluation; its calibration images differ.
        user.replace(dialog.source.fields[DataKind.SCRIPT], str(walk.folder / SCRIPT))
        wait_until(dialog.go.isEnabled, "the layers")
    with walk.step("repaired", "the error of each layer, before and after"):
        user.click(dialog.go)
        report = user.dialog(RepairReportDialog)
        assert isinstance(report, RepairReportDialog)
    user.click(report.evaluate)
    wait_for_metrics(walk, 3)


def recover(walk: Tour, metrics: int = 4) -> None:
    """Recover the current state with the same script, and stop it before its end.

    `metrics` is the number of states that are measured afterwards.
    """
    user = walk.user
    with walk.step("recover", "what the model is trained with, and how"):
        user.press("Ctrl+Shift+R")
        dialog = user.dialog(RecoverDialog)
        assert isinstance(dialog, RecoverDialog)
        user.replace(dialog.source.fields[DataKind.SCRIPT], str(walk.folder / SCRIPT))
        wait_until(dialog.go.isEnabled, "the script")
        steps = dialog.editors["steps"]
        assert isinstance(steps, IntEditor)
        steps.field.setValue(STEPS)
    user.click(dialog.go)
    panel = user.dialog(RecoveryPanel)
    assert isinstance(panel, RecoveryPanel)
    curves = panel.progress.curves
    wait_until(lambda: len(curves.get(HELD_OUT, ())) >= POINTS, "points of the curve")
    with walk.step("recovering", "the errors as curves, the speed and the time left", rests=False):
        panel.refresh()
    user.click(panel.stop)
    with walk.step("recovered", "the error of each stage and block, and the metric"):
        report = user.dialog(RecoveryReportDialog)
        assert isinstance(report, RecoveryReportDialog)
    user.click(report.close_button)
    wait_for_metrics(walk, metrics)


def scan(walk: Tour) -> None:
    """Scan the unpruned sample, and allocate a sparsity of 80 %."""
    user, bench = walk.user, walk.bench
    document = bench.session.document
    assert document is not None
    with walk.step("sensitivity-empty", "nothing was scanned: the page says what to do"):
        turn_to(walk, Page.SENSITIVITY)
    bench.history.jump(0)
    with walk.step("scan", "what is scanned, by which script, and how long that takes"):
        user.press("Ctrl+Shift+M")
        dialog = user.dialog(ScanDialog)
        assert isinstance(dialog, ScanDialog)
        user.replace(dialog.choice.fields[DataKind.SCRIPT], str(walk.folder / SCRIPT))
        wait_until(dialog.go.isEnabled, "the script")
    with walk.step("sensitivity", "quality loss by tensor and amount: the first layer loses most"):
        user.click(dialog.go)
        wait_until(lambda: bench.scans.kept, "the first evaluation")
        wait_until(lambda: not bench.jobs.busy, "the scan to end")
    with walk.step("allocation", "80 % of all scanned tensors, and what each of them bears"):
        user.click(walk.views.pages.sensitivity.allocate)
        allocation = user.dialog(AllocationDialog)
        assert isinstance(allocation, AllocationDialog)
        total = allocation.editors["target_sparsity"]
        assert isinstance(total, AmountEditor)
        user.replace(total.field, "80%")
        wait_until(allocation.go.isEnabled, "the allocation")
    with walk.step("allocated", "one step with a rule for each tensor, and what it predicts"):
        user.click(allocation.go)
        wait_until(lambda: document.position > 3, "the step to be done")


def wait_for_metrics(walk: Tour, count: int) -> None:
    """Wait until `count` states are measured; the first waits for the import of torch."""
    evaluation = walk.bench.evaluation
    wait_until(evaluation.states, "the first metric")
    wait_until(lambda: len(evaluation.states()) == count, f"{count} metrics")
