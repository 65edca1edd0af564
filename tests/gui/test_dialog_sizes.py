"""Every dialog fits its screen, also one of 1280x800 pixels at 150 %."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPushButton

import pruneapp.gui
from pruneapp.analysis.patterns import BrokenGroup, PatternReport, TensorPattern
from pruneapp.edits.apply_manual_edit import ManualEditCount
from pruneapp.edits.existing_masks import Overlap, TensorOverlap
from pruneapp.export.report import ExportReport, WrittenFile, WrittenTensor
from pruneapp.gui.app.about import AboutDialog
from pruneapp.gui.app.guide import GuideDialog
from pruneapp.gui.app.plugin_dialog import PluginDialog, PluginRow
from pruneapp.gui.app.question_dialog import QuestionDialog
from pruneapp.gui.app.settings import QUESTIONS
from pruneapp.gui.commands.actions import assign_keys
from pruneapp.gui.commands.palette import CommandPalette, Entry, KeySheet
from pruneapp.gui.commands.shortcut_dialog import ShortcutDialog
from pruneapp.gui.compare.combine_controller import CombineDialog
from pruneapp.gui.evaluation.dialogs import (
    CommandConsentDialog,
    CommandFacts,
    ConsentDialog,
    ConsentReason,
    EvaluateDialog,
    ScriptConsentDialog,
    ScriptFacts,
)
from pruneapp.gui.evaluation.generate_dialog import GenerateDialog
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource, SourceChoice
from pruneapp.gui.export.dialog import ExportDialog
from pruneapp.gui.export.report_dialog import ExportReportDialog
from pruneapp.gui.manual_edit.edit_controller import AllBlocksDialog
from pruneapp.gui.patterns.answer import PatternAnswer
from pruneapp.gui.patterns.dialog import PatternDialog
from pruneapp.gui.plots.base.slide import SlideDialog
from pruneapp.gui.plots.heatmap.limits_dialog import LimitsDialog
from pruneapp.gui.plots.heatmap.shading import ContrastLimits
from pruneapp.gui.recipes.recipe_controller import RecipeDialog, RecipeLine
from pruneapp.gui.recipes.rounds_controller import RoundsDialog
from pruneapp.gui.recovery.dialogs import (
    HarmDialog,
    RecoverDialog,
    RecoveryPanel,
    RecoveryReportDialog,
)
from pruneapp.gui.recovery.progress import RecoveryProgress, TrainedWindow
from pruneapp.gui.recovery.recover_controller import PARAMS as RECOVERY_PARAMS
from pruneapp.gui.repair.dialogs import RepairDialog, RepairReportDialog
from pruneapp.gui.repair.repair_controller import PARAMS
from pruneapp.gui.sensitivity.allocation_controller import PARAMS as ALLOCATION_PARAMS
from pruneapp.gui.sensitivity.dialogs import (
    AllocatedTensor,
    AllocationDialog,
    FrontierDialog,
    PredictedAllocation,
    ScanDialog,
)
from pruneapp.gui.statistics.dialog import CollectDialog
from pruneapp.gui.widgets import screen as window_placing
from pruneapp.gui.widgets.reports import DecisionDialog
from pruneapp.gui.widgets.screen import Dialog, room
from pruneapp.installation import License
from pruneapp.methods.builtin.patterns import PatternParam
from pruneapp.params import DimParam
from pruneapp.recipes.replay import SCHEDULE
from pruneapp.repair.repair import LayerRepair, PrunedLayer
from tests.gui.export.test_dialog import OFFERS

NAMES = [f"model.encoder.layers.{n}.attention.self.query.weight" for n in range(80)]
SENTENCE = "A sentence that is long enough to be broken into two or three lines of a dialog. " * 3
BROKEN = (BrokenGroup((0, 0), 3),)


def guide():
    return GuideDialog()


def palette():
    return CommandPalette([Entry(name, "Ctrl+K", lambda: None) for name in NAMES])


def keys():
    actions = []
    for name in NAMES:
        action = QAction(name)
        action.setShortcut("Ctrl+K")
        actions.append((name, action))
    return KeySheet(actions, [("Space", "Check")])


def shortcuts():
    return ShortcutDialog(assign_keys({}), {"R": "Restore"})


PLUGIN_ROWS = [
    PluginRow(name, name, "1.0", (("method", name),) * 4, True, False, SENTENCE)
    for name in NAMES[:3]
]


def plugins():
    found = PluginDialog()
    found.set_rows(PLUGIN_ROWS)
    return found


def questions():
    return QuestionDialog([(param, True) for param in QUESTIONS], 2)


def combine():
    overlaps = tuple(TensorOverlap(name, 9, 1, 2, 3) for name in NAMES)
    return CombineDialog("b.pt", Overlap(overlaps), {})


def export():
    found = ExportDialog()
    found.set_offers(OFFERS)
    found.target.set_path("/models/pruned.safetensors")
    found.set_state("Opened", "", pruned=False, asked="Prune 12,345 weights")
    return found


def report():
    files = (WrittenFile(Path("p"), 1, "c"),)
    tensors = tuple(WrittenTensor(name, 20, 10) for name in NAMES)
    return ExportReportDialog(
        ExportReport(
            Path("p"), "f", files, tensors, verified=True, notices=(SENTENCE,) * 9, loads="a\nb"
        )
    )


def alike():
    return AllBlocksDialog(
        "*.w", [ManualEditCount(name, 4, 2, 1) for name in NAMES], {}, "Prune 6 weights"
    )


def pattern():
    found = PatternDialog(PatternParam(), ("2:4", "1:4"), DimParam(default=1))
    found.row.set_tensors(2, 3)
    tensors = tuple(
        TensorPattern(name, (4, 8), groups=8, broken=1, first=BROKEN, lost=0.1) for name in NAMES
    )
    whole = PatternReport(2, 4, 1, tensors, 0.125)
    found.set_answer(PatternAnswer(whole, whole.totals(), {}, convolutions=3))
    return found


def rounds():
    found = RoundsDialog("L1", SCHEDULE, size=10**6, begun=0, whole=True, note=SENTENCE)
    found.set_rounds(range(0, 1000, 10))
    return found


def rounds_by_script():
    found = rounds()
    found.after.recover.setCurrentIndex(1)
    found.after._on_changed()
    found.after.choice.set_found(SENTENCE)
    return found


def frontier():
    found = FrontierDialog("L1", "50 %, 70 %", tuple(DataKind)[:3], DataSource())
    found.choice.set_found(SENTENCE)
    return found


def recipe():
    lines = [RecipeLine(name, 3) for name in NAMES]
    return RecipeDialog("recipe.json", lines, [SENTENCE] * 9)


def consent():
    code = "\n".join(["x" * 300] * 300)
    where = "/models/" + "very-long-name/" * 20
    return ScriptConsentDialog(
        ScriptFacts(where, "ab" * 32, code, where, SENTENCE, ConsentReason.OTHER_PYTHON)
    )


def command_consent():
    where = "/models/" + "very-long-name/" * 20
    return CommandConsentDialog(CommandFacts("x" * 2000, where, where))


def scan():
    methods = [("l1_unstructured", SENTENCE[:40])]
    found = ScanDialog(tuple(DataKind)[:3], DataSource(), methods, no_repair=SENTENCE)
    found.set_estimate(SENTENCE, trouble=True)
    return found


def allocation():
    found = AllocationDialog(ALLOCATION_PARAMS, SENTENCE)
    tensors = tuple(AllocatedTensor(name, 10**6, 5e-6, 0.1) for name in NAMES)
    found.set_allocation(PredictedAllocation(tensors, "accuracy_" * 14, 1.0, 1.1, 5, unmeasured=3))
    return found


def repair():
    # Random inputs are only offered for ONNX models, which have neither text nor images.
    found = RepairDialog(tuple(k for k in DataKind if k is not DataKind.INPUTS), PARAMS, {})
    found.source.set_found(SENTENCE)
    found.set_layers([PrunedLayer(name, 100, 50, 10**6) for name in NAMES])
    return found


def repaired():
    layers = [LayerRepair(name, 10**8, 10**8, 0.2, 0.1, 0.3, name, 10**9) for name in NAMES]
    return RepairReportDialog(layers, risks=[SENTENCE] * 3, unknown=NAMES, source="a.py", shown={})


def recover():
    kinds = tuple(k for k in DataKind if k not in {DataKind.INPUTS, DataKind.STATISTICS})
    found = RecoverDialog(kinds, RECOVERY_PARAMS)
    found.source.set_found(SENTENCE)
    return found


def _progress():
    progress = RecoveryProgress(300)
    progress.windows = [TrainedWindow(name, 0.2, 0.1) for name in NAMES]
    plan = {"trains": "lora", "trained": 10**9, "device": "cuda:0", "samples": 10**6}
    plan |= {"held_out": 10**5, "windows": 80, "bytes": 10**12, "limit": 10**12}
    progress.add({"what": "plan", **plan})
    progress.add({"what": "point", "step": 0, "held_out": 0.5, "metrics": dict.fromkeys(NAMES, 1)})
    return progress


def recovering():
    return RecoveryPanel(_progress())


def recovered():
    return RecoveryReportDialog(
        _progress(),
        sentence=SENTENCE,
        losses={"pruned": 2.0, "start": 1.0, "windows": 1.5, "best": 0.1, "rounded": 0.2},
        metrics=[SENTENCE] * 2,
        risks=[SENTENCE] * 2,
        notes=[SENTENCE],
        changed=True,
    )


def harm():
    return HarmDialog([SENTENCE] * 3)


def evaluate():
    kinds = DataKind.SCRIPT, DataKind.TEXT, DataKind.TOKENS
    found = EvaluateDialog(kinds, DataSource())
    found.choice.set_found(SENTENCE * 3)
    return found


def generate():
    return GenerateDialog(SENTENCE)


def slide():
    return SlideDialog(SENTENCE, SENTENCE, labels=True)


def contrast_limits():
    dialog = LimitsDialog(ContrastLimits(0.0, 1.5))
    dialog.high_line.setText("x")
    dialog.high_line.entered.emit("x")
    return dialog


def collect():
    kinds = DataKind.SCRIPT, DataKind.TEXT, DataKind.TOKENS
    return CollectDialog(kinds, DataSource(), Path("/folder", NAMES[0]), 10**9, grams=True)


def about():
    found = AboutDialog()
    facts = dict.fromkeys(("Pruneapp", "Python", "Qt", "numpy", "torch", "System"), SENTENCE)
    found.set_facts(facts, [License(name, "1.0", SENTENCE, SENTENCE * 99) for name in NAMES])
    return found


MADE = (
    guide,
    palette,
    keys,
    shortcuts,
    plugins,
    combine,
    export,
    report,
    alike,
    pattern,
    rounds,
    recipe,
)
MADE += (questions, consent, command_consent, repair, repaired, evaluate, scan, allocation, about)
MADE += (rounds_by_script, frontier)
MADE += (recover, recovering, recovered, harm, generate, slide, contrast_limits, collect)


@pytest.fixture(params=[QRect(0, 0, 853, 533), QRect(0, 24, 1280, 776)], ids=str)
def free(request, monkeypatch):
    monkeypatch.setattr(window_placing, "available", lambda _window: request.param)
    return request.param


@pytest.mark.parametrize("make", MADE)
def test_a_dialog_opens_inside_its_screen(make, qtbot, free):
    dialog = make()
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    QApplication.processEvents()  # apply the layout
    size = dialog.size().boundedTo(room(dialog))
    assert dialog.size() == size, f"{dialog.size()}, {dialog.minimumSizeHint()}"
    for button in dialog.findChildren(QPushButton):
        if button.isVisible() and button.parentWidget() is dialog:
            corner = button.mapTo(dialog, button.rect().bottomRight())
            assert dialog.rect().contains(corner), button.text()


def test_the_choices_of_an_export_scroll_and_its_buttons_stay(qtbot, monkeypatch):
    """Regression: with a notice, the dialog was higher than the screen, and cut off below."""
    monkeypatch.setattr(window_placing, "available", lambda _window: QRect(0, 0, 853, 480))
    dialog = export()
    qtbot.addWidget(dialog)
    with qtbot.waitActive(dialog):
        dialog.show()
        dialog.activateWindow()
    assert dialog.height() <= 480
    assert dialog.rect().contains(dialog.go.geometry())
    for stays in (dialog.target.path, dialog.beside):
        assert not stays.visibleRegion().isEmpty()
    chosen = dialog.scrolled
    bar = chosen.verticalScrollBar()
    bar.setValue(bar.maximum())
    dialog.stop.setFocus()
    while not chosen.isAncestorOf(dialog.focusWidget()):
        dialog.focusNextPrevChild(True)
    here = dialog.focusWidget()
    assert bar.value() < bar.maximum()
    assert not here.visibleRegion().isEmpty()


def test_a_dialog_grows_before_its_content_scrolls_unless_the_user_resized_it(qtbot, monkeypatch):
    """Regression: settings of iterative pruning scrolled on a screen with free space."""
    monkeypatch.setattr(window_placing, "available", lambda _window: QRect(0, 0, 1280, 800))
    dialog = rounds_by_script()
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    area = dialog.findChild(window_placing.Scrolled)
    qtbot.waitUntil(lambda: not area.hidden_height())
    assert dialog.user_geometry().isNull()
    lower = dialog.height() - 60
    dialog.resize(dialog.width(), lower)
    dialog.after.choice.set_found("")
    dialog.after.choice.set_found(SENTENCE)
    qtbot.wait(20)
    assert dialog.height() == lower


@pytest.mark.parametrize("make", [evaluate, repair, recover])
def test_what_is_said_later_makes_no_field_lower(make, qtbot, monkeypatch):
    """Regression: an error of three lines shrank the fields above, and cut off their buttons."""
    monkeypatch.setattr(window_placing, "available", lambda _window: QRect(0, 0, 1120, 700))
    dialog = make()
    choice = dialog.findChild(SourceChoice)
    choice.set_found("")
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    qtbot.wait(20)
    before = [field.height() for field in dialog.findChildren(QLineEdit)]
    choice.set_found(SENTENCE * 2, trouble=True)
    qtbot.wait(20)
    assert [field.height() for field in dialog.findChildren(QLineEdit)] == before
    found = choice.found
    assert found.height() >= found.heightForWidth(found.width())
    assert dialog.rect().contains(dialog.go.geometry())


def test_every_dialog_of_the_application_is_among_them():
    modules = pkgutil.walk_packages(pruneapp.gui.__path__, "pruneapp.gui.")
    found = {
        kind
        for info in modules
        for _name, kind in inspect.getmembers(import_module(info.name), inspect.isclass)
        if issubclass(kind, QDialog) and kind.__module__ == info.name
    }
    assert all(issubclass(kind, Dialog) for kind in found)
    shown = {GuideDialog, CommandPalette, KeySheet, CombineDialog, ExportDialog, AllBlocksDialog}
    shown |= {ExportReportDialog, PatternDialog, RoundsDialog, RecipeDialog, ScriptConsentDialog}
    shown |= {RepairDialog, RepairReportDialog, EvaluateDialog, CommandConsentDialog}
    shown |= {
        ScanDialog,
        AllocationDialog,
        FrontierDialog,
        ShortcutDialog,
        QuestionDialog,
        PluginDialog,
    }
    shown |= {AboutDialog, RecoverDialog, RecoveryPanel, RecoveryReportDialog, HarmDialog}
    shown |= {GenerateDialog, SlideDialog, LimitsDialog, CollectDialog}
    assert found - {Dialog, DecisionDialog, ConsentDialog} == shown
