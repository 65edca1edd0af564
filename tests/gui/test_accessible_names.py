"""Every widget that can have the focus has a name for screen readers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QLabel, QLineEdit, QWidget

from pruneapp.checkpoint.entry import TensorRow
from pruneapp.document.document import HistoryItem
from pruneapp.edits.apply_manual_edit import ManualEditCount
from pruneapp.edits.existing_masks import Overlap, TensorOverlap
from pruneapp.export.format_sizes import FormatOffer
from pruneapp.export.formats.zst import LEVEL
from pruneapp.export.report import ExportReport, WrittenFile, WrittenTensor
from pruneapp.gui.app.notices import NoticeBar
from pruneapp.gui.app.plugin_dialog import PluginDialog, PluginRow
from pruneapp.gui.app.question_dialog import QuestionDialog
from pruneapp.gui.app.settings import QUESTIONS
from pruneapp.gui.commands.actions import assign_keys
from pruneapp.gui.commands.shortcut_dialog import ShortcutDialog
from pruneapp.gui.compare.combine_controller import CombineDialog
from pruneapp.gui.compare.view import CompareView
from pruneapp.gui.document.history_view import HistoryPanel
from pruneapp.gui.evaluation.dialogs import (
    CommandConsentDialog,
    CommandFacts,
    ConsentReason,
    EvaluateDialog,
    ScriptConsentDialog,
    ScriptFacts,
)
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource, SourceChoice
from pruneapp.gui.export.dialog import ExportDialog
from pruneapp.gui.export.report_dialog import ExportReportDialog
from pruneapp.gui.files.recovery_view import RecoverableWork, RecoveryView, TemporaryFiles
from pruneapp.gui.files.start_page import EmptyPage, RecentFile
from pruneapp.gui.manual_edit.edit_controller import AllBlocksDialog, ManualEditOptions
from pruneapp.gui.method_form.form_model import MethodForm
from pruneapp.gui.method_form.panel import PruneForm
from pruneapp.gui.plots.pages import Page, PlotPages
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.repair.dialogs import RepairDialog, RepairReportDialog
from pruneapp.gui.repair.repair_controller import PARAMS
from pruneapp.gui.sensitivity.allocation_controller import PARAMS as ALLOCATION_PARAMS
from pruneapp.gui.sensitivity.dialogs import (
    AllocatedTensor,
    AllocationDialog,
    PredictedAllocation,
    ScanDialog,
)
from pruneapp.gui.tree.nodes import build_nodes
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.gui.widgets.status import Done, JobStatus
from pruneapp.params import AmountParam, DimParam, NormParam, SeedParam
from pruneapp.repair.repair import LayerRepair, PrunedLayer


def tree():
    found = ModuleTree()
    found.set_nodes(build_nodes([TensorRow("a.w", "a.w", "Linear", (2, 2), "float32", 4, 16)]))
    return found


def form():
    found = PruneForm()
    params = (AmountParam(), NormParam(), DimParam(), SeedParam())
    found.set_methods(
        [MethodForm("m", "M", "h", "f", params, ("local", "global"), "weights", True, True)]
    )
    found.add.click()
    return found


def history():
    found = HistoryPanel()
    found.set_items([HistoryItem("Opened", "")], 0)
    return found


def notices():
    found = NoticeBar()
    found.set_notice("Gone.", action="Open again", details="why")
    found.notices[0].more.click()
    return found


def empty():
    found = EmptyPage()
    found.set_recent([RecentFile("/a/b.pt")], changeable=True)
    return found


def recovery():
    found = RecoveryView()
    work = RecoverableWork("k", "a.pt", 2, "L1", "14:02")
    found.set_recoverable((work,), TemporaryFiles((".a.0123abcd.part",), 5))
    return found


def export_dialog():
    found = ExportDialog()
    found.set_offers([FormatOffer("t", "torch", "h", (".pt",), 3, params=(LEVEL,))])
    return found


def export_report():
    file, tensor = WrittenFile(Path("p"), 1, "c"), WrittenTensor("a", 2, 1)
    return ExportReportDialog(ExportReport(Path("p"), "f", (file,), (tensor,), verified=True))


def pictures():
    found = PlotPages(CompareView())
    for page in Page:
        found.picture(page).toggle_table()
    return found


def alike_dialog():
    counts = [ManualEditCount("a.0.w", 4, 2, 1), ManualEditCount("a.1.w", 4, 4)]
    return AllBlocksDialog("a.*.w", counts, {}, "Prune 6 weights")


def combine_dialog():
    return CombineDialog("b.pt", Overlap((TensorOverlap("a", 9, 1, 2, 3),)), {"a": "a"})


def edit_options():
    found = ManualEditOptions()
    found.set_same_role("a.*.w", 2)
    found.set_companions(["a.bias"], "Why not.")
    return found


def source_choice():
    return SourceChoice(tuple(DataKind))


def repair_dialog():
    found = RepairDialog(tuple(DataKind), PARAMS, {})
    found.set_layers([PrunedLayer("a.weight", 4, 2, 32)])
    return found


def repair_report():
    layers = [LayerRepair("a.weight", 5, 50, 0.2, 0.1, 0.3)]
    return RepairReportDialog(layers, risks=["No."], unknown=(), source="a.py", shown={})


def evaluate_dialog():
    return EvaluateDialog(tuple(DataKind), DataSource())


def scan_dialog():
    return ScanDialog(tuple(DataKind)[:3], DataSource(), [("l1_unstructured", "L1")])


def allocation_dialog():
    found = AllocationDialog(ALLOCATION_PARAMS, "A note.")
    tensors = (AllocatedTensor("a", 10, 0.5, 0.1),)
    found.set_allocation(PredictedAllocation(tensors, "loss", 1.0, 1.1, 5))
    return found


def shortcut_dialog():
    return ShortcutDialog(assign_keys({}), {})


def plugin_dialog():
    found = PluginDialog()
    found.set_rows([PluginRow("a", "a", "1.0", (("method", "x"),), True, False, "Failed.")])
    return found


def question_dialog():
    return QuestionDialog([(param, True) for param in QUESTIONS], 2)


def consent_dialog():
    return ScriptConsentDialog(ScriptFacts("a.py", "0", "x", "python", "", ConsentReason.NEW))


def command_consent_dialog():
    return CommandConsentDialog(CommandFacts("a {checkpoint}", "/bin/a", "/x"))


@pytest.mark.parametrize(
    "make",
    [
        tree,
        form,
        PreviewPanel,
        history,
        notices,
        empty,
        recovery,
        JobStatus,
        export_dialog,
        export_report,
        pictures,
        alike_dialog,
        combine_dialog,
        source_choice,
        shortcut_dialog,
        plugin_dialog,
        question_dialog,
        consent_dialog,
        command_consent_dialog,
        evaluate_dialog,
        scan_dialog,
        allocation_dialog,
        repair_dialog,
        repair_report,
        edit_options,
        Done,
    ],
    ids=lambda make: make.__name__,
)
def test_whatever_can_have_the_focus_has_a_name(qtbot, make):
    view = make()
    qtbot.addWidget(view)
    nameless = []
    for widget in view.findChildren(QWidget):
        inside = widget.parent()
        if (
            widget.focusPolicy() == Qt.FocusPolicy.NoFocus
            or widget.objectName().startswith("qt_")
            # The field inside a combo or spin box is named by that; a header belongs to its table.
            or (isinstance(widget, QLineEdit) and inside.focusProxy() is not None)
            or (isinstance(widget, QLineEdit) and inside.accessibleName())
            or isinstance(inside, QAbstractScrollArea)
            or widget.window() is not view  # the list of a combo box
        ):
            continue
        text = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
        if not (widget.accessibleName() or len(text) > 1):
            nameless.append(f"{type(widget).__name__} {text!r} in {type(inside).__name__}")
    assert nameless == []
