"""How many files of the package an event passes on its way, and which.

Every call of a Python function is watched, in all threads, from the event on: the mouse that moves
the slider until panel and tree are painted, `OpenController.open` until the window is filled, the
click that accepts the export dialog until the file has its name. Of an event, a file of
`pruneapp/` is

on the way
    if one of its functions is on the stack when one of the `ends` of the event is called: where a
    number of the answer is computed, a byte read or written, a part of the window told or painted.
    The stack goes on through the worker: behind a job and behind its result stands who asked for
    it. This is what one sees who stops at an end in a debugger.
asked on the way
    if a function of it ran because of the event and returned to who called it before an end was
    reached, or did something else with the same event. These are printed, and are not counted.
shared
    if it is named in `SHARED`, with its reason. These are printed, too.

What Qt puts off (a timer, painting) begins a stack of its own: who asked for it is an end as well.
An end that is not reached fails the test: it was renamed, or the way goes elsewhere by now.

    pytest -s tests/gui/journeys/test_ways.py     print the files
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtTest import QTest
from safetensors.numpy import save_file

import pruneapp
from pruneapp.gui.app.jobs import Jobs, run_task
from pruneapp.gui.preview import live_preview

PACKAGE = f"{Path(pruneapp.__file__).parent}/"

SHARED = {
    "gui/app/jobs.py": "hands every job to a thread, and its result back",
    "gui/widgets/labels.py": "labels that elide what they say",
    "gui/widgets/safe_paint.py": "goes round whatever is painted by us",
    "progress.py": "how far a job is",
}

SLIDER = {
    # What the form says now, and how it looks.
    "gui/method_form/editors.py": ("AmountEditor._on_slider_moved", "AmountEditor.value"),
    "gui/method_form/fields.py": ("Field._show_note",),
    "gui/method_form/rules.py": ("RuleEditor.row",),
    "gui/method_form/panel.py": ("PruneForm._arrange",),
    # The answer.
    "methods/amounts.py": ("counts_to_prune",),
    "analysis/histogram_store.py": ("rows_now",),
    "preview/cumulative.py": ("CumulativeTable.cut",),
    "preview/estimate.py": ("_report",),
    "export/size_bounds.py": ("CompactSizes.after",),
    # The panel.
    "gui/preview/panel.py": ("WaitingNote.set_counting", "PreviewPanel._show_most"),
    "gui/preview/figures.py": ("Figures.set_numbers", "PruneAction._show_button"),
    "gui/preview/affected_tensors.py": ("Alarm.set_dangers", "MostAffected.show_tensors"),
    # The tree: its rows are painted by Qt, once it is asked for.
    "gui/tree/cell_text.py": ("Cells.set_preview", "Cells.sparsity", "Cells.shares"),
    "gui/tree/view.py": ("TreeView._repaint_columns", "ShareColumn.paint"),
    "gui/tree/delegate.py": ("CellDelegate.paint",),
    "gui/widgets/sparsity_bar.py": ("paint_bar",),
}

OPENING = {
    # The file.
    "checkpoint/io/source.py": ("FileSource.read",),
    "checkpoint/formats/headers.py": ("parse",),
    "checkpoint/prunability.py": ("Judge.of", "kind_of"),
    "edits/existing_masks.py": ("_read_masks",),
    "gui/document/open_document.py": ("contents_of",),
    "gui/tree/nodes.py": ("build_nodes",),
    # The window.
    "gui/mainwindow/window.py": ("MainWindow.show_document", "ModelStatus.set_model"),
    "gui/mainwindow/workbench.py": ("StatusController.enable",),
    "gui/tree/model.py": ("TreeModel.set_nodes",),
    "gui/document/history_view.py": ("HistoryStrip.set_items",),
    "gui/method_form/panel.py": ("PruneForm.set_context",),
    "gui/preview/figures.py": ("StepFigures.set_model",),
    "gui/plots/pages.py": ("PlotPages.set_tensor",),
}

EXPORT = {
    # What the dialog says.
    "gui/export/dialog.py": ("ExportDialog.request", "FormatDetails.values"),
    "gui/export/format_list.py": ("Formats.chosen",),
    "gui/export/target_row.py": ("TargetRow.text",),
    # What is written, and whether it may be.
    "export/provenance.py": ("provenance_of",),
    "recipes/recipe.py": ("history_recipe",),
    "export/destination/target.py": ("check_weights",),
    "export/sharding.py": ("plan_weights",),
    "export/completeness.py": ("account_for",),
    "checkpoint/io/source.py": ("FileSource._read_all",),
    # The file.
    "checkpoint/io/atomic_file.py": ("WritePipeline._store", "AtomicFile.commit"),
}


class Watch:
    """Watches the calls of functions of the package, and which of them lead to an end."""

    def __init__(self) -> None:
        self._ends: dict[str, tuple[str, ...]] | None = None
        self._asked_by: dict[int, frozenset[str]] = {}  # by the work of a job
        self.ran: set[str] = set()
        self.way: set[str] = set()
        self.missing: set[tuple[str, str]] = set()

    def on_call(self, frame: FrameType, event: str, _argument: object) -> None:
        """Take note of a call: the function for `sys.setprofile`."""
        ends, code = self._ends, frame.f_code
        if ends is None or event != "call" or not code.co_filename.startswith(PACKAGE):
            return
        file, name = code.co_filename.removeprefix(PACKAGE), code.co_qualname
        if name == "<module>":
            return
        self.ran.add(file)
        if code is Jobs.run.__code__:
            self._asked_by[id(frame.f_locals["work"])] = self._files_on_stack(frame)
        if name in ends.get(file, ()):
            self.way |= self._files_on_stack(frame)
            self.missing.discard((file, name))

    def _files_on_stack(self, frame: FrameType | None) -> frozenset[str]:
        found: set[str] = set()
        while frame is not None:
            code = frame.f_code
            if code.co_filename.startswith(PACKAGE):
                found.add(code.co_filename.removeprefix(PACKAGE))
            if code in (run_task.__code__, Jobs._on_finished.__code__):
                found |= self._asked_by.get(id(frame.f_locals["task"].work), frozenset())
            frame = frame.f_back
        return frozenset(found)

    @contextmanager
    def watching(self, ends: dict[str, tuple[str, ...]]) -> Iterator[None]:
        """Watch what runs meanwhile."""
        self.missing = {(file, name) for file, names in ends.items() for name in names}
        self._ends = ends
        yield
        self._ends = None

    def counted(self, event: str) -> list[str]:
        """Print the files of an event, and return those on its way."""
        way = sorted(self.way - SHARED.keys())
        shared, asked = self.ran & SHARED.keys(), self.ran - self.way - SHARED.keys()
        for title, files in (("on the way", way), ("shared", shared), ("asked on the way", asked)):
            sys.stdout.write(f"\n{event}, {title}: {len(files)} files\n")
            sys.stdout.writelines(f"    {file}\n" for file in sorted(files))
        assert not self.missing
        return way


@pytest.fixture(autouse=True)
def watch():
    """Watch all threads, those that are started later as well."""
    found, before = Watch(), sys.getprofile()
    threading.setprofile(found.on_call)
    sys.setprofile(found.on_call)
    yield found
    sys.setprofile(before)
    threading.setprofile(None)


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(7)
    path = tmp_path / "model.safetensors"
    tensors = {
        f"block.{name}.weight": rng.standard_normal((96, 96)).astype(np.float32)
        for name in ("first", "second")
    }
    save_file(tensors, str(path))
    return path


@pytest.fixture
def opened(person, file):
    """A person before a model of which everything is counted and previewed."""
    person.open(file)
    person.wait_open(file)
    person.wait(lambda: not person.workbench.histograms.busy)
    person.wait_preview()
    person.wait_idle()
    return person


def test_the_way_of_the_slider_to_panel_and_tree(opened, watch, monkeypatch):
    # The exact preview follows after a pause: that is another way.
    monkeypatch.setattr(live_preview.PreviewRunner, "schedule", lambda *_: None)
    slider = opened.rule.fields.fields["amount"].editor.slider
    at = QPoint(round(slider.value() / 1000 * (slider.width() - 12)) + 6, slider.height() // 2)
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=at)
    opened.pause(50)
    before = opened.workbench.preview.state
    with watch.watching(SLIDER):
        QTest.mouseMove(slider, at + QPoint(15, 0))
        opened.wait(lambda: opened.workbench.preview.state is not before)
        opened.wait(lambda: not watch.missing)
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=at + QPoint(15, 0))
    assert len(watch.counted("slider")) <= 20


def test_the_way_of_an_opening_to_the_filled_window(person, file, watch):
    person.wait_idle()
    with watch.watching(OPENING):
        person.workbench.files.open(file)
        person.wait(lambda: person.document is not None)
        person.wait(lambda: not person.workbench.form._opened.isActive())
        QCoreApplication.processEvents()
    assert len(watch.counted("opening")) <= 20


def test_the_way_of_an_export_from_the_dialog_to_the_file(opened, watch):
    opened.click(opened.button)
    opened.wait(lambda: opened.document.position == 1)
    exporting = opened.workbench.export
    opened.key("Ctrl+E")
    opened.wait(lambda: exporting.dialog is not None and exporting.dialog.isVisible())
    path = Path(exporting.dialog.target.path.text())
    opened.wait(lambda: not opened.workbench.histograms.busy)  # that read on beside the export
    opened.wait_idle()
    with watch.watching(EXPORT):
        opened.click(exporting.dialog.go)
        opened.wait(path.exists)
    opened.wait(lambda: exporting.report is not None)
    opened.close_report()
    own = [f for f in watch.counted("export") if not f.startswith("export/formats/")]
    assert len(own) <= 15
