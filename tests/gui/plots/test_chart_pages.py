"""What the pages with charts have in common: readout, table, files, menu, texts and colors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu

from pruneapp.analysis.comparison import Comparison, TensorDifference
from pruneapp.analysis.sparsity_report import SparsityReport, TensorSparsity
from pruneapp.evaluation.metric import MeasuredState, MetricChange, StateQuality
from pruneapp.evaluation.scan import Sensitivity, TensorSensitivity
from pruneapp.export.report_writer import csv_text
from pruneapp.gui.compare.view import CompareView
from pruneapp.gui.plots.channels import ChannelsView
from pruneapp.gui.plots.distribution import DistributionView
from pruneapp.gui.plots.quality import QualityView
from pruneapp.gui.plots.sensitivity import SensitivityView
from pruneapp.gui.plots.sparsity_overview import ModelView
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME
from tests.gui.plots.chart_data import HISTOGRAM, made_norms
from tests.gui.user import plain

NORMS = made_norms([4.0, 1.0], kept=[1.0, 0.0], to_prune=[True, False])
TENSORS = TensorSparsity("a.weight", 100, 0, 20), TensorSparsity("b.weight", 300, 0, 0)
REPORT = SparsityReport(TENSORS, numel=400, before=0, after=20)
PREVIEW = SparsityReport((TensorSparsity("b.weight", 300, 0, 150),), 400, 20, 170)
COMPARISON = Comparison(
    "A",
    "B",
    (
        TensorDifference("a.weight", "differs", (9,), (9,), 9, 3, 1.0, 0.5, 0.9, 0.75),
        TensorDifference("b.weight", "only a", (4,), (), 4),
    ),
)
ROWS = (
    TensorSensitivity("a.weight", "a.weight", 1200, (0.5, 3.0)),
    TensorSensitivity("b.weight", "b.weight", 10, (0.6, None)),
)
SENSITIVITY = Sensitivity(
    ("loss",), "loss", False, 0.5, 0.001, (0.3, 0.9), ROWS, "L1", state="Opened"
)


def state(number, label, sparsity, value):
    metric = MetricChange("accuracy", value, 0.9, 0.0, "paired", higher=True, share=True)
    return MeasuredState(number, label, StateQuality((metric,), sparsity), is_old=False)


STATES = state(0, "Opened", 0.0, 0.9), state(1, "L1 50 %", 0.5, 0.6)


@dataclass
class Case:
    """A page with data, and what it must show."""

    kind: type
    fill: Callable
    clear: Callable
    title: str
    stem: str
    empty: str
    summary: str
    readout: str  # of the second bar
    csv: str  # header and second row
    cells: list[str]  # of the second row of the table


CASES = {
    "distribution": Case(
        DistributionView,
        lambda view: view.set_histogram(HISTOGRAM),
        lambda view: view.set_histogram(None),
        "Distribution of magnitudes",
        "conv.weight-distribution",
        "Select a tensor in the tree.",
        "all 1,220 weights: 6.6 % pruned, 3.3 % to be pruned, 2 NaN or infinite",
        "1 to 2:  40 kept, 20 pruned, 40 to be pruned",
        "from,to,kept,pruned,to be pruned,kept after\n1.0,2.0,40,20,40,0",
        ["1", "2", "40", "20", "40", "0"],
    ),
    "channels": Case(
        ChannelsView,
        lambda view: view.set_norms(NORMS),
        lambda view: view.set_norms(None),
        "Norms of the channels",
        "conv.weight-channels",
        "Select a tensor with two or more dimensions in the tree.",
        "2 channels: 1 pruned, 1 to be pruned",
        "channel 1:  L2 norm 0 of 1,  pruned",
        "channel,L2 norm,L2 norm left,L2 norm after the step,share of weights kept,"
        "share kept after the step,state\n1,1.0,0.0,0.0,0.0,0.0,pruned",
        ["1", "1", "0", "0", "0", "0", "pruned"],
    ),
    "model": Case(
        ModelView,
        lambda view: view.set_report(REPORT, PREVIEW),
        lambda view: view.set_report(None),
        "Sparsity of the tensors",
        "sparsity",
        "Open a checkpoint to see the sparsity of its tensors.",
        "2 tensors; model 5.0 % pruned, 42.5 % after the step",
        "b.weight:  0 % → 50.0 % pruned",
        "tensor,weights,bytes,pruned,pruned after,sparsity,sparsity after,L2 norm² retained,"
        "L2 norm² retained after\nb.weight,300,0,0,150,0.0,0.5,,",
        ["b.weight", "0 %", "50.0 %", "–", "–"],
    ),
    "compare": Case(
        CompareView,
        lambda view: view.set_comparison(COMPARISON),
        lambda view: view.set_comparison(None),
        "Differences of the tensors",
        "comparison",
        "Open a checkpoint to compare its states, or to compare it with another file.",
        "2 of 2 tensors differ, 1 only in A",
        "b.weight:  only in A",
        "tensor,difference,weights that differ,relative norm,cosine,same sign,shared zeros\n"
        "b.weight,only in A,0,–,–,,",
        ["b.weight", "only in A", "0", "–", "–", "–", "–"],
    ),
    "sensitivity": Case(
        SensitivityView,
        lambda view: view.set_sensitivity(SENSITIVITY),
        lambda view: view.set_sensitivity(None),
        "Quality loss by tensor and amount",
        "sensitivity",
        "No scan yet. Press Scan… to measure how far each tensor can be pruned.",
        "3 of 4 evaluations measured. Most sensitive: a.weight, 2.5 worse at 90 %.",
        "b.weight, 30 % pruned:  loss 0.6, 0.1 worse",
        "tensor,weights,loss at 30 %,loss at 90 %\nb.weight,10,0.6,–",
        ["b.weight", "0.6", "–"],
    ),
    "quality": Case(
        QualityView,
        lambda view: view.set_states(STATES, 0, ""),
        lambda view: view.set_states((), 0, ""),
        "Metric against sparsity",
        "quality",
        "Nothing has been evaluated yet. Press Evaluate… to measure the model with your own data "
        "or script.",
        "No pruned or shrunk model measured so far is within 1.0 points of the unpruned model.",
        "L1 50 %:  50.0 % pruned: accuracy 60.0 %, 30.0 points worse",
        "state,sparsity,accuracy,difference,noise ±,meets the target,bytes,note,"
        "measured with\nL1 50 %,0.5,0.6,-0.30000000000000004,,no,,,",
        ["L1 50 %", "50.0 %", "0.6", "−0.3", "", "no", "", "", ""],
    ),
}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture
def view(case, show, english):
    shown = show(case.kind(), 700, 480)
    case.fill(shown)
    return shown


def test_a_bar_is_read_out_by_mouse_and_by_keys(view, case, qtbot):
    assert plain(view.readout.text()) == case.summary
    view.canvas.hovered.emit(1)
    assert plain(view.readout.text()).startswith(case.readout)
    view.canvas.hovered.emit(-1)
    assert plain(view.readout.text()) == case.summary
    view.canvas.set_cursor(1)
    view.canvas.cursorMoved.emit(1)
    assert plain(view.readout.text()).startswith(case.readout)


def test_screen_readers_get_title_and_summary(view, case):
    assert view.canvas.accessibleName() == view.accessibleName() == case.title
    assert plain(view.canvas.accessibleDescription()).endswith(case.summary)


def test_the_table_and_the_file_have_the_same_rows(view, case, qtbot, qtmodeltester):
    numbers = view.numbers()
    header, _, second = csv_text(numbers.headers, [*numbers][:2]).splitlines()[:3]
    assert plain(f"{header}\n{second}") == case.csv
    qtbot.keyClick(view.canvas, Qt.Key.Key_T)
    model = view._table.model()
    assert view._stack.currentWidget() is view._table
    assert model.rowCount() == numbers.rows
    cells = [plain(model.index(1, c).data()) for c in range(model.columnCount())]
    assert cells == case.cells
    role = Qt.ItemDataRole.TextAlignmentRole
    for column in range(model.columnCount()):  # headers are aligned like their cells
        header = model.headerData(column, Qt.Orientation.Horizontal, role)
        assert header == model.data(model.index(0, column), role)
    qtmodeltester.check(model)
    qtbot.keyClick(view._table, Qt.Key.Key_T)
    assert view._stack.currentWidget() is view.canvas


def test_without_data_a_message_is_shown(view, case):
    view.toggle_table()
    case.clear(view)
    assert view._message.text() == case.empty
    assert view.canvas.accessibleDescription() == case.empty
    assert (view.readout.text(), view.legend.entries) == ("", ())
    assert view.numbers().rows == view._table.model().rowCount() == 0
    assert not view.export_menu.button.isEnabled()


def test_an_error_stays_until_there_is_new_data(view, case):
    view.set_error("The file changed.")
    view.set_colors(DARK_THEME.colors)
    view.refresh()
    assert view._stack.currentWidget() is view._message
    assert view._message.text() == "▲  The file changed."
    case.fill(view)
    assert view._stack.currentWidget() is view.canvas


def test_axes_and_background_have_the_colors_of_the_theme(view):
    for theme in (DARK_THEME, LIGHT_THEME):
        view.set_colors(theme.colors)
        image = view.canvas.grab().toImage()
        assert image.pixelColor(2, 2).name() == theme.colors["surface"]
        assert view.canvas.left.textPen().color().name() == theme.colors["text"]


def test_the_menu_saves_picture_and_data(view, case, tmp_path, monkeypatch, qtbot):
    actions = view.export_menu.button.menu().actions()
    files = ["Save PNG…", "Save SVG…", "Save CSV…"]
    assert [a.text() for a in actions] == ["Copy picture", *files, "Picture for slides…"]
    proposed = []

    def ask(_parent, _title, name, kinds):
        proposed.append(name)
        return str(tmp_path / "x"), kinds

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    for action, signal in zip(
        actions[1:4], (view.fileRequested, view.fileRequested, view.csvRequested), strict=True
    ):
        with qtbot.waitSignal(signal) as requested:
            action.trigger()
        content, path = requested.args
        assert path == tmp_path / "x"
        assert content.rows == view.numbers().rows if signal is view.csvRequested else content()
    names = [name.rpartition("/")[2] for name in proposed]
    assert names == [f"{case.stem}.{suffix}" for suffix in ("png", "svg", "csv")]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args: ("", ""))
    with qtbot.assertNotEmitted(view.fileRequested):
        actions[1].trigger()


def test_the_menu_opens_over_the_canvas_by_mouse_and_by_key(view, monkeypatch):
    # The offscreen platform cannot grab the keyboard, and warns for every real popup.
    opened = []
    monkeypatch.setattr(QMenu, "popup", lambda menu, _where: opened.append(menu))
    for reason in (QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard):
        port = view.canvas.viewport()
        middle = port.rect().center()
        QApplication.sendEvent(port, QContextMenuEvent(reason, middle, port.mapToGlobal(middle)))
        menu = opened.pop()
        assert [a.text() for a in menu.actions()][-5:] == [
            a.text() for a in view.export_menu.actions
        ]
        menu.deleteLater()
