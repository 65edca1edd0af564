"""The functions and files of the package through which an event passes, counted by a profiler.

Calls of Python functions are recorded in all threads, from the event to its last visible effect:
from the mouse move on the slider until panel and tree are painted, from `OpenController.open` until
the window is filled, from the click that accepts a dialog until the file has its name, or the state
its repair or its metrics. A function of `pruneapp/` is

on the way
    if it is on the stack when one of the `ends` of the event is called: where a number of the
    result is computed, bytes are read or written, a part of the window is updated or painted. The
    stack continues through worker threads: the functions that requested a job are below the job and
    below the callback with its result.
off the way
    if it was called because of the event, but had returned before an end, or led to none.
shared
    if its file is in `SHARED`.

Tests limit the numbers of functions and files on the way. A function that runs later (a timer,
painting) has its own stack, so the function that requested it is an end as well. The test
fails if an end is not reached: it was renamed, or is not on the way any more.

    pytest -s tests/gui/journeys/test_ways.py     print the functions and the files
"""

from __future__ import annotations

import sys
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtTest import QTest
from safetensors.numpy import save_file

import pruneapp
from pruneapp.document.entries import RecoverySource
from pruneapp.document.mask_store import ValuesFile
from pruneapp.edits.repaired_values import RepairedValues
from pruneapp.evaluation.metric import Metric
from pruneapp.evaluation.recovery import Recovery
from pruneapp.gui.app.jobs import Jobs, run_task
from pruneapp.gui.evaluation.source_choice import DataKind
from pruneapp.gui.recovery import recover_controller
from tests.repair.layers import InputArrays, mixed

PACKAGE = f"{Path(pruneapp.__file__).parent}/"

Function = tuple[str, str]  # file, qualified name

SHARED = {
    "gui/app/jobs.py": "passes every job to a thread, and its result back",
    "gui/document/feature.py": "runs every flow, step by step",
    "gui/widgets/labels.py": "labels that elide their text",
    "gui/widgets/safe_paint.py": "reports errors in paint events",
    "progress.py": "progress of jobs",
}

SLIDER = {
    # The values of the form, and the help or error below the field.
    "gui/method_form/editors.py": ("AmountEditor._on_slider_moved", "AmountEditor.value"),
    "gui/method_form/fields.py": ("Fields._read",),
    "gui/method_form/rules.py": ("RuleEditor.row",),
    # The estimate.
    "methods/amounts.py": ("counts_to_prune",),
    "analysis/histogram_store.py": ("cached_rows",),
    "preview/cumulative.py": ("CumulativeTable.cut",),
    "preview/estimate.py": ("_report",),
    "export/size_bounds.py": ("CompactSizes.measure_after",),
    # The panel: the numbers of the step, and those on the button.
    "gui/preview/figures.py": ("StepFigures.show_report", "PruneAction.set_count"),
    # The tree: its new values, and the request to paint them.
    "gui/tree/cell_text.py": ("Cells.set_preview",),
    "gui/tree/view.py": ("TreeView._repaint_columns",),
}

# All parts of the panel, and the painting of the rows of the tree.
SLIDER_TO_PIXELS = {
    "gui/preview/panel.py": ("WaitingNote.set_counting",),
    "gui/preview/figures.py": ("Figures.set_numbers", "FileSizes.set_compact"),
    "gui/preview/affected_tensors.py": ("Alarm.set_dangers", "MostAffected.show_tensors"),
    "gui/tree/cell_text.py": ("Cells.sparsity", "Cells.shares"),
    "gui/tree/view.py": ("ShareColumn.paint",),
    "gui/tree/delegate.py": ("CellDelegate.paint",),
    "gui/widgets/sparsity_bar.py": ("paint_bar",),
}


def _merged(*ends):
    names = defaultdict(tuple)
    for file, more in chain.from_iterable(each.items() for each in ends):
        names[file] += more
    return dict(names)


OPENING = {
    # The file.
    "checkpoint/io/source.py": ("FileSource.read",),
    "checkpoint/formats/headers.py": ("parse",),
    "checkpoint/prunability.py": ("Judge.judge", "kind_of"),
    "edits/existing_masks.py": ("_read_masks",),
    "gui/document/open_document.py": ("contents_of",),
    "gui/tree/nodes.py": ("build_nodes",),
    # The window.
    "gui/mainwindow/window.py": ("MainWindow.show_document", "ModelStatus.set_model"),
    "gui/mainwindow/workbench.py": ("StatusController.enable",),
    "gui/tree/model.py": ("TreeModel.set_nodes",),
    "gui/document/history_view.py": ("HistoryPanel.set_items",),
    "gui/method_form/panel.py": ("PruneForm.set_context",),
    "gui/preview/figures.py": ("StepFigures.set_model",),
    "gui/plots/pages.py": ("PlotPages.set_tensor",),
}

# The new state of the document, in the tree, the status bar and the history.
_CHANGED = {
    "gui/tree/model.py": ("TreeModel.set_sparsity",),
    "gui/mainwindow/window.py": ("ModelStatus.set_model",),
    "gui/document/history_view.py": ("HistoryPanel.set_items",),
}
PRUNE = {"document/history.py": ("History.push",), **_CHANGED}
UNDO = {"document/document.py": ("Document.jump",), **_CHANGED}

EXPORT = {
    # The values of the dialog.
    "gui/export/dialog.py": ("ExportDialog.request", "FormatDetails.values"),
    "gui/export/format_list.py": ("Formats.chosen_format",),
    "gui/export/target_row.py": ("TargetRow.text",),
    # The content of the file, and its validation.
    "export/provenance.py": ("provenance_of",),
    "recipes/recipe.py": ("history_recipe",),
    "export/destination/target.py": ("check_weights",),
    "export/sharding.py": ("plan_weights",),
    "export/completeness.py": ("account_for",),
    "checkpoint/io/source.py": ("FileSource._read_all",),
    # The file.
    "checkpoint/io/atomic_file.py": ("WritePipeline._store", "AtomicFile.commit"),
}


_SOURCE = {"gui/evaluation/source_choice.py": ("SourceChoice.source",)}
REPAIR = {
    **_SOURCE,
    "gui/repair/dialogs.py": ("RepairDialog.values",),
    "repair/solve.py": ("solve",),
    "document/history.py": ("History.push",),
    "gui/tree/model.py": ("TreeModel.set_sparsity",),
    "gui/document/history_view.py": ("HistoryPanel.set_items",),
}
# The training, which a process does, is replaced.
RECOVERY = {
    **_SOURCE,
    "evaluation/script.py": ("EvaluationScript.read", "find_interpreter"),
    "gui/recovery/dialogs.py": ("RecoverDialog.values", "RecoveryPanel.refresh"),
    "gui/recovery/progress.py": ("RecoveryProgress.add",),
    "document/history.py": ("History.push",),
    "gui/tree/model.py": ("TreeModel.set_sparsity",),
    "gui/document/history_view.py": ("HistoryPanel.set_items",),
}
# The runner, which starts the script, is replaced by one in this process.
EVALUATION = {
    **_SOURCE,
    "evaluation/script.py": ("EvaluationScript.read", "find_interpreter"),
    "gui/evaluation/script_controller.py": ("ScriptController.remember",),
    "evaluation/evaluator.py": (
        "Evaluator.measure_baseline",
        "Evaluator.measure",
        "Evaluator.changes",
    ),
    "gui/evaluation/evaluation_controller.py": ("EvaluationController._store_result",),
    "gui/document/history_view.py": ("HistoryPanel.set_results",),
    "gui/plots/quality.py": ("QualityView.set_states",),
}


class Watch:
    """Records the calls of functions of the package, and the calls that lead to an end."""

    def __init__(self) -> None:
        self._ends: dict[str, tuple[str, ...]] | None = None
        # the functions on the stack where a job was requested, by its work
        self._requested_by: dict[int, list[Function]] = {}
        self.ran: Counter[Function] = Counter()  # number of calls
        self.way: dict[Function, None] = {}  # in the order of the calls that reach ends
        self.missing: set[Function] = set()

    def on_call(self, frame: FrameType, event: str, _argument: object) -> None:
        """Record a call: the function for `sys.setprofile`."""
        ends, code = self._ends, frame.f_code
        if ends is None or event != "call" or not code.co_filename.startswith(PACKAGE):
            return
        called = _function(frame)
        file, name = called
        if name == "<module>":
            return
        self.ran[called] += 1
        if code is Jobs.run.__code__:
            self._requested_by[id(frame.f_locals["work"])] = self._stack(frame)
        if name in ends.get(file, ()):
            self.way |= dict.fromkeys(self._stack(frame))
            self.missing.discard(called)

    def _stack(self, frame: FrameType | None) -> list[Function]:
        """Return the functions on the stack, outermost first, preceded by those of its job."""
        found: list[Function] = []
        requested: list[Function] = []
        while frame is not None:
            code = frame.f_code
            if code.co_filename.startswith(PACKAGE):
                found.append(_function(frame))
            if code in (run_task.__code__, Jobs._on_finished.__code__):
                requested = self._requested_by.get(id(frame.f_locals["task"].work), [])
            frame = frame.f_back
        return requested + found[::-1]

    @contextmanager
    def watching(self, ends: dict[str, tuple[str, ...]]) -> Iterator[None]:
        """Record the calls made in a `with` block."""
        self.missing = {(file, name) for file, names in ends.items() for name in names}
        self._ends = ends
        yield
        self._ends = None

    def print_way(self, event: str) -> None:
        """Print the functions of an event; fail if an end was not reached."""
        way = self.functions()
        ran = list(self.ran)  # background threads still add to it
        shared = [each for each in ran if each[0] in SHARED]
        off_way = [each for each in ran if each not in self.way and each not in shared]
        for title, found in (("on the way", way), ("shared", shared), ("off the way", off_way)):
            files = len({file for file, _ in found})
            calls = sum(self.ran[each] for each in found)
            sys.stdout.write(
                f"\n{event}, {title}: {len(found)} functions in {files} files, {calls} calls\n"
            )
            sys.stdout.writelines(
                f"    {file} {name} {self.ran[file, name]}\n" for file, name in found
            )
        assert not self.missing

    def functions(self) -> list[Function]:
        """Return the functions on the way."""
        return [each for each in self.way if each[0] not in SHARED]

    def files(self) -> set[str]:
        """Return the files of the functions on the way."""
        return {file for file, _ in self.functions()}


def _function(frame: FrameType) -> Function:
    """Return the function of a frame; comprehensions are part of the function around them."""
    code = frame.f_code
    name = code.co_qualname
    for inner in ("<genexpr>", "<listcomp>", "<dictcomp>", "<setcomp>"):
        name = name.removesuffix(f".<locals>.{inner}")
    return code.co_filename.removeprefix(PACKAGE), name


@pytest.fixture(autouse=True)
def watch():
    """Record calls in all threads, including those that are started later."""
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
def opened(user, file):
    """Return the user with a model whose histograms and preview are computed."""
    user.open_file(file)
    user.wait(lambda: not user.workbench.histograms.busy)
    user.wait_preview()
    user.wait_idle()
    return user


@pytest.mark.parametrize(
    ("event", "ends", "functions", "files"),
    # Two functions of the first count the outputs of the model that the step prunes.
    [("slider", SLIDER, 31, 19), ("slider to pixels", _merged(SLIDER, SLIDER_TO_PIXELS), 51, 23)],
    ids=["values", "pixels"],
)
def test_the_way_of_the_slider_to_panel_and_tree(opened, watch, event, ends, functions, files):
    # The exact preview, which follows after a pause, is another event.
    opened.workbench.preview._exact_pause.setInterval(60_000)
    slider = opened.rule.fields.editors["amount"].slider
    at = QPoint(round(slider.value() / 1000 * (slider.width() - 12)) + 6, slider.height() // 2)
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=at)
    opened.pause(50)
    before = opened.workbench.preview.state
    with watch.watching(ends):
        QTest.mouseMove(slider, at + QPoint(15, 0))
        opened.wait(lambda: opened.workbench.preview.state is not before)
        opened.wait(lambda: not watch.missing)
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=at + QPoint(15, 0))
    watch.print_way(event)
    assert len(watch.functions()) <= functions
    assert len(watch.files()) <= files


def test_the_way_of_an_opening_to_the_filled_window(user, file, watch):
    user.wait_idle()
    with watch.watching(OPENING):
        user.workbench.files.open(file)
        user.wait(lambda: user.document is not None)
        user.wait(lambda: not user.workbench.form._opened.isActive())
        QCoreApplication.processEvents()
    watch.print_way("opening")
    assert len(watch.functions()) <= 47
    assert len(watch.files()) <= 20


def test_the_ways_of_a_prune_and_an_undo_to_the_new_state(opened, watch):
    for event, ends, do, position, most in (
        ("prune", PRUNE, lambda: opened.click(opened.button), 1, 13),
        ("undo", UNDO, lambda: opened.key("Ctrl+Z"), 0, 11),
    ):
        watch.way.clear()
        with watch.watching(ends):
            do()
            opened.wait(lambda position=position: opened.document.position == position)
        watch.print_way(event)
        assert len(watch.functions()) <= most


def test_the_way_of_an_export_from_the_dialog_to_the_file(opened, watch):
    opened.click(opened.button)
    opened.wait(lambda: opened.document.position == 1)
    exporting = opened.workbench.export
    dialog = opened.open_export()
    path = Path(dialog.target.path.text())
    opened.wait(lambda: not opened.workbench.histograms.busy)  # they read during the export
    opened.wait_idle()
    with watch.watching(EXPORT):
        opened.click(dialog.go)
        opened.wait(path.exists)
    opened.wait(lambda: exporting.report is not None)
    opened.close_report()
    watch.print_way("export")
    own = [each for each in watch.functions() if not each[0].startswith("export/formats/")]
    assert len(own) <= 38
    assert len({file for file, _ in own}) <= 15


@pytest.fixture
def training(monkeypatch):
    """Replace the training by one in this process, which reports a point and adds 1 to a bias."""

    def recover(_runner, snapshot, settings, job, on_event):
        on_event({"what": "point", "step": 1, "held_out": 0.5})
        name = "block.first.weight"
        bits = snapshot.bits(name)
        with closing(ValuesFile()) as store:
            store.add(name, np.where(snapshot.export_mask(name).bools(), bits + 1, bits), job)
            values = store.map_values()
        source = RecoverySource(steps=settings.steps)
        edit = RepairedValues.create(snapshot, values, source, job)
        losses = {"pruned": 1.0, "start": 1.0, "rounded": 0.5}
        return Recovery(edit.propose(snapshot, job), losses, source)

    monkeypatch.setattr(recover_controller, "recover_by_script", recover)


def test_the_way_of_a_recovery(opened, watch, training, runners, script):
    recover, scripts = opened.workbench.recover, opened.workbench.scripts
    script.write_text(script.read_text() + "def calibrate(model): pass\n")
    opened.click(opened.button)
    opened.wait(lambda: opened.document.position == 1)
    opened.key("Ctrl+Shift+R")
    opened.wait(lambda: recover.dialog is not None and recover.dialog.isVisible())
    dialog = recover.dialog
    opened.type(dialog.source.fields[DataKind.SCRIPT], str(script))
    opened.type(dialog.source.python, sys.executable)
    opened.wait(lambda: dialog.go.isEnabled() and dialog.editors["evaluates"].box.isEnabled())
    opened.click(dialog.editors["evaluates"].box)
    opened.wait_idle()
    with watch.watching(RECOVERY):
        opened.click(dialog.go)
        opened.wait(lambda: scripts.dialog is not None and scripts.dialog.isVisible())
        opened.click(scripts.dialog.go)
        opened.wait(lambda: recover.report is not None)
    opened.click(recover.report.close_button)
    watch.print_way("recovery")
    # three of them read the fields for the next dialog
    assert len(watch.functions()) <= 24
    assert len(watch.files()) <= 12


@pytest.fixture
def measure():
    return lambda _state: (None, {"accuracy": Metric(0.5)})


def test_the_ways_of_a_repair_and_an_evaluation(opened, watch, runners, script, tmp_path):
    repair, evaluation = opened.workbench.repair, opened.workbench.evaluation
    opened.click(opened.button)
    opened.wait(lambda: opened.document.position == 1)
    inputs = InputArrays({"block.first.weight": mixed(2, 300, 96)})
    statistics = inputs.save(tmp_path / "model.statistics.safetensors")
    opened.key("Ctrl+R")
    opened.wait(lambda: repair.dialog is not None and repair.dialog.isVisible())
    dialog = repair.dialog
    opened.click(dialog.source.radios[DataKind.STATISTICS])
    opened.type(dialog.source.fields[DataKind.STATISTICS], str(statistics))
    opened.wait(lambda: dialog.go.text() == "Repair 1 layer")
    opened.wait_idle()
    with watch.watching(REPAIR):
        opened.click(dialog.go)
        opened.wait(lambda: repair.report is not None)
    opened.click(repair.report.close_button)
    watch.print_way("repair")
    # one of them reads the fields for the next dialog
    assert len(watch.functions()) <= 22
    assert len(watch.files()) <= 12

    opened.menu("Tools", "Evaluate")
    opened.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    dialog, scripts = evaluation.dialog, opened.workbench.scripts
    opened.type(dialog.choice.fields[DataKind.SCRIPT], str(script))
    opened.type(dialog.choice.python, sys.executable)
    opened.wait(dialog.go.isEnabled)
    opened.wait_idle()
    watch.way.clear()
    with watch.watching(EVALUATION):
        opened.click(dialog.go)
        opened.wait(lambda: scripts.dialog is not None and scripts.dialog.isVisible())
        opened.click(scripts.dialog.go)
        opened.wait(lambda: len(evaluation.states()) == 2)
        opened.wait_idle()
    watch.print_way("evaluation")
    assert len(watch.functions()) <= 23
    assert len(watch.files()) <= 10
