"""Forecast, history, notices, status and the empty page: what they show and announce."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from pruneapp.gui.app.notices import NoticeBar
from pruneapp.gui.document.history_view import HistoryStrip
from pruneapp.gui.files.start_page import EmptyPage
from pruneapp.gui.mainwindow.document_panels import FORM_WIDTH
from pruneapp.gui.plots.heading import NumbersLine
from pruneapp.gui.preview.affected_tensors import TensorName
from pruneapp.gui.preview.figures import PruneAction
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.widgets.status import JobStatus, ModelStatus
from pruneapp.gui.widgets.theme import LIGHT
from pruneapp.results.document_rows import HistoryItem
from pruneapp.results.short_names import ShortNames
from pruneapp.results.sparsity_report import Estimate, SparsityReport, TensorSparsity
from pruneapp.results.tensor_statistics import TensorStats

GAP = "\u00a0"
REPORT = SparsityReport(
    (
        TensorSparsity("m.a", 100, 0, 20, energy=0.88),
        TensorSparsity("m.b", 100, 10, 100, energy=0.0),
        TensorSparsity("m.c", 100, 0, 96, energy=0.4),
        TensorSparsity("m.d", 100, 30, 30, energy=1.0),
        TensorSparsity("m.e", 100, 0, 1, energy=0.99),
    ),
    numel=1000,
    before=40,
    after=247,
    energy=0.9912,
    magnitude=0.8,
)


@pytest.fixture
def show(qtbot):
    def shown(widget, width=320, height=400):
        qtbot.addWidget(widget)
        widget.resize(width, height)
        with qtbot.waitExposed(widget):
            widget.show()
        return widget

    return shown


@pytest.fixture
def forecast(show):
    host = QWidget()
    found = PreviewPanel()
    layout = QVBoxLayout(host)
    layout.addWidget(found)
    layout.addWidget(found.action)
    found.set_model(1000, 40)
    found.set_shown_names({"m.a": "a", "m.b": "b", "m.c": "c"}, ShortNames("abc"))
    show(host)
    yield found
    del host  # it lived as long as the test


def test_an_estimate_is_there_before_the_report(forecast):
    forecast.set_estimate(Estimate(tensors=4, gone=195, exact=True))
    assert forecast.tensors.text() == "4"
    assert forecast.gone.text() == "195"
    assert forecast.sparsity.text() == f"4.0{GAP}% → 23.5{GAP}%"
    assert forecast.action.button.text() == "Prune 195 weights"
    forecast.set_estimate(Estimate(tensors=4, gone=195, exact=False))
    assert forecast.action.button.text() == "Prune up to 195 weights"
    forecast.set_estimate(Estimate(tensors=4, gone=195, exact=False, channels=12))
    assert forecast.action.button.text() == "Prune 12 channels"
    forecast.clear()
    assert not forecast.action.button.isEnabled()


def test_another_number_on_the_button_does_not_lay_out_the_window_anew(show, qtbot):
    window = QWidget()
    QVBoxLayout(window).addWidget(action := PruneAction())
    show(window)
    laid_out = []

    class Watch(QObject):
        def eventFilter(self, _watched, event):  # noqa: N802 - Qt's name
            if event.type() == QEvent.Type.LayoutRequest:
                laid_out.append(event)
            return False

    watch = Watch(window)
    action.set_count(1_234_567, exact=False)
    QApplication.sendPostedEvents()
    window.installEventFilter(watch)
    room = action.sizeHint()
    action.set_count(1_234_561, exact=False)
    action.set_count(1)
    QApplication.sendPostedEvents()
    assert not laid_out
    assert action.sizeHint() == room
    action.set_count(1_234_567_890, exact=False)
    QApplication.sendPostedEvents()
    assert laid_out
    assert action.button.size() == action.size()
    assert action.button.width() >= action.button.sizeHint().width()
    assert action.button.height() >= 36


def test_the_report_names_what_is_hit_hardest_with_a_sign_and_a_word(forecast):
    forecast.set_report(REPORT)
    assert forecast.gone.text() == "207 of 500"
    assert forecast.left.text() == "753"
    assert forecast.energy.text() == f"99.1{GAP}%"
    assert forecast.magnitude.text() == f"80.0{GAP}%"
    rows = [(r.glyph.text(), r.name.text(), r.share.text()) for r in forecast.affected]
    assert rows == [
        ("■", "b", "all pruned"),
        ("▲", "c", f"60.0{GAP}%"),
        ("", "a", f"12.0{GAP}%"),
        ("", "m.e", f"1.0{GAP}%"),
    ]
    assert forecast.most._heading.text() == "Most affected (by norm² lost)"
    assert forecast.affected[1].accessibleName() == f"c, 60.0{GAP}% of norm² lost, at risk"
    assert forecast.affected[1].bar.shares == (0, 0.6)
    assert forecast.affected[1].glyph.toolTip() == (
        f"At risk: 4.0{GAP}% of its weights are left, with 40.0{GAP}% of its norm²."
    )


def test_a_row_is_as_high_as_its_own_name(forecast):
    """One long name made all rows two lines high, also of what was shown after it."""
    forecast.set_shown_names({}, ShortNames(LAYERS))
    forecast.resize(300, forecast.height())
    line = forecast.fontMetrics().height()

    def report(*names):
        tensors = tuple(
            TensorSparsity(name, 100, 0, 50, energy=0.5 + n / 10) for n, name in enumerate(names)
        )
        return SparsityReport(tensors, 300, 0, 150)

    def heights():
        return [row.minimumHeight() for row in forecast.affected]

    forecast.set_report(report(LAYERS[0], "a.weight", "b.weight"))
    high = heights()
    assert high[0] >= 2 * line
    assert high[1:] == [line + 4] * 3
    forecast.set_report(report("a.weight", "b.weight"))
    assert heights() == high, "nothing moves while a slider does"
    now = report("a.weight", "b.weight")
    forecast.set_now(now, now.tensors)
    assert heights() == [line + 4] * 4


def names_of(forecast):
    return [row.name.text() for row in forecast.affected]


def test_where_all_lose_the_same_share_the_norm_tells_who_loses_most(forecast):
    """As by 2:4, and the heading says by what they are in order."""
    energies = {"m.a": 0.99, "m.b": 0.91, "m.c": 0.95}
    tensors = tuple(TensorSparsity(n, 100, 0, 50, energy=e) for n, e in energies.items())
    forecast.set_report(SparsityReport(tensors, 300, 0, 150))
    assert names_of(forecast)[:3] == ["b", "c", "a"]
    shares = [row.share.text() for row in forecast.affected[:3]]
    assert shares == [f"9.0{GAP}%", f"5.0{GAP}%", f"1.0{GAP}%"]
    same = tuple(replace(t, energy=0.9) for t in tensors)
    forecast.set_report(SparsityReport(same, 300, 0, 150))
    assert names_of(forecast)[:3] == ["a", "b", "c"], "in file order"


def test_where_no_norm_is_known_the_sparsity_tells_who_loses_most(forecast):
    tensors = (
        TensorSparsity("m.a", 100, 0, 20, energy=0.1),
        TensorSparsity("m.b", 100, 10, 60),
        TensorSparsity("m.c", 100, 0, 0),
    )
    forecast.set_report(SparsityReport(tensors, 300, 10, 80))
    assert forecast.most._heading.text() == "Most affected (by sparsity)"
    assert names_of(forecast)[:3] == ["b", "a", ""]
    assert forecast.affected[0].share.text() == f"60.0{GAP}%"
    forecast.clear()
    assert forecast.most._heading.text() == ""


@pytest.mark.parametrize("numel", [22_713_216, 999_999_999, 700_000_000_000])
def test_numbers_of_any_size_fit_into_the_column(forecast, numel):
    tensors = (
        TensorSparsity("model.layers.0.mlp.down_proj.weight", numel, numel // 3, numel // 2),
    )
    report = SparsityReport(tensors, numel, numel // 3, numel // 2, 0.98765, 0.98765)
    room = FORM_WIDTH - 24
    forecast.set_report(report)
    assert forecast.minimumSizeHint().width() <= room
    forecast.set_estimate(Estimate(1, report.gone, exact=False, report=report))
    assert forecast.minimumSizeHint().width() <= room
    forecast.set_model(numel, numel // 2)
    forecast.set_now(report, tensors)
    assert forecast.minimumSizeHint().width() <= room


@pytest.mark.parametrize("after", [1, 99_999])
def test_a_share_of_almost_nothing_or_all_is_read_whole(forecast, after):
    """'> 99.9 %' without its sign would say something else."""
    forecast.set_report(
        SparsityReport((TensorSparsity("a", 100_000, 0, after),), 100_000, 0, after)
    )
    label = forecast.affected[0].share
    assert label.text()[0] in "<>"
    assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()


def test_an_estimate_is_marked_where_it_is_not_exact(forecast):
    def said():
        labels = forecast.figures.labels.items()
        return [label.text() for key, label in labels if key != "whole"]

    forecast.set_estimate(Estimate(5, 207, exact=True, report=REPORT, sure=False))
    assert said() == [
        "5",
        "207 of 500",
        f"4.0{GAP}% → 24.7{GAP}%",
        "753",
        f"≈{GAP}99.1{GAP}%",
        f"≈{GAP}80.0{GAP}%",
    ]
    assert forecast.affected[0].glyph.text() == "■", "what would be hurt is seen at once"
    forecast.set_estimate(Estimate(5, 207, exact=True, report=REPORT, sure=True))
    assert not any("≈" in text for text in said())
    forecast.set_estimate(Estimate(5, 207, exact=False, report=REPORT))
    assert sum("≈" in text for text in said()) == 5


def test_the_worst_is_said_in_a_line_that_leads_there(forecast, qtbot):
    alarm = forecast.alarm
    height = alarm.height()
    assert alarm.focusPolicy() == Qt.FocusPolicy.NoFocus, "nothing to go to"
    hurt = tuple(TensorSparsity(name, 100, 0, 97) for name in ("m.c", "m.a", "m.d"))
    forecast.set_report(SparsityReport(hurt, numel=1000, before=0, after=291))
    assert alarm.text() == "▲ 3 tensors are at risk: c, a, m.d"
    assert alarm.accessibleName() == alarm.text()
    qtbot.wait(1)
    assert alarm.height() == height
    danger = QColor(LIGHT["danger"]).getRgb()[:3]
    image = alarm.grab().toImage()
    colors = {image.pixelColor(x, y).getRgb()[:3] for x in range(80) for y in range(height)}
    assert danger in colors, "the line is painted in the danger colour"
    for go in (
        lambda: qtbot.mouseClick(alarm, Qt.MouseButton.LeftButton),
        lambda: qtbot.keyClick(alarm, Qt.Key.Key_Space),
    ):
        with qtbot.waitSignal(forecast.tensorRequested) as asked:
            go()
        assert asked.args == ["m.c"]
    forecast.set_report(SparsityReport((), numel=1000, before=0, after=0))
    assert alarm.text() == ""
    assert not alarm.isEnabled()


def test_the_forecast_says_what_stays_because_it_is_protected(forecast):
    """Until the next numbers are there."""
    forecast.set_report(replace(REPORT, spared=1_234))
    assert forecast.spared.text() == "1,234 more weights would be pruned, but they are protected."
    forecast.set_report(REPORT)
    assert not forecast.spared.text()


def test_the_size_of_a_file_is_told_and_those_of_other_formats_in_the_tooltip(forecast, qtbot):
    forecast.file.set_formats((("a", "Not at all"), ("b", "As this"), ("c", "As that")))
    label = forecast.file.labels["size"]
    qtbot.wait(1)
    place = label.geometry()
    assert label.text() == "–"
    forecast.file.set_sizes({"a": None, "b": 576_000_000, "c": 1_100_000})
    qtbot.wait(1)
    assert label.text() == "576 MB"
    assert label.toolTip().startswith("As this: 576 MB\nAs that: 1.1 MB\nZeros take")
    assert label.geometry() == place
    forecast.clear()
    assert label.text() == "–"


def test_what_was_done_is_told_without_arrow_or_accent_and_with_its_marks(forecast):
    forecast.set_report(REPORT)
    forecast.set_done(REPORT)
    assert forecast.heading.text() == "Result"
    assert forecast.sparsity.text() == f"24.7{GAP}%"
    assert (forecast.gone.text(), forecast.left.text()) == ("207 of 500", "753")
    assert (forecast.energy.text(), forecast.magnitude.text()) == (f"99.1{GAP}%", f"80.0{GAP}%")
    assert not forecast.alarm.text()
    assert not forecast.alarm.isVisible()
    assert [(row.glyph.text(), row.name.text()) for row in forecast.affected][:2] == [
        ("■", "b"),
        ("▲", "c"),
    ]
    assert all(len(set(row.bar.shares)) == 1 for row in forecast.affected), "nothing is hatched"
    forecast.set_again(20, share=0.9)
    assert forecast.note.isVisible()
    assert (
        forecast.note.text()
        == f"Amounts are fractions of the remaining weights: another 90{GAP}% prunes 20 more."
    )
    button = forecast.action.button
    assert (button.text(), button.objectName()) == ("Prune again: 20 weights", "")
    assert button.isVisible()
    forecast.set_not_again("There are not so many.")
    assert forecast.note.text() == "There are not so many."
    assert forecast.error.text() == ""
    assert not forecast.action.button.isEnabled()
    forecast.set_report(REPORT)
    assert forecast.heading.text() == "Preview"
    assert forecast.alarm.isVisible()
    assert forecast.action.button.objectName() == "mainAction"
    assert not button.isVisible()


def test_what_is_in_force_is_told_before_anything_is_counted(forecast):
    forecast.set_now(None)
    assert forecast.heading.text() == "Current state"
    assert (forecast.sparsity.text(), forecast.left.text()) == (f"4.0{GAP}%", "960")
    assert (forecast.energy.text(), forecast.tensors.text()) == ("–", "–")
    assert "opened" in forecast.energy.toolTip()
    tensors = (TensorSparsity("m.a", 100, 40, 40), TensorSparsity("m.b", 900, 0, 0))
    now = SparsityReport(tensors, 1000, 40, 40, energy=0.9, magnitude=0.8)
    forecast.set_now(now, tensors[:1])
    assert (forecast.energy.text(), forecast.tensors.text()) == (f"90.0{GAP}%", "1")
    assert forecast.magnitude.text() == f"80.0{GAP}%"
    assert forecast.affected[0].name.text() == "a"
    assert forecast.affected[1].name.text() == ""
    forecast.set_again(7)
    assert forecast.action.button.text() == "Prune 7 weights"
    assert "again" not in forecast.note.text()


def test_the_size_of_a_compact_file_is_about_what_it_will_be(forecast):
    label = forecast.file.labels["compact"]
    assert label.text() == "–"
    forecast.file.set_compact(6_500_000)
    assert label.text() == "up to 6.5 MB"
    forecast.file.set_sizes({})
    assert label.text() == "up to 6.5 MB"
    forecast.clear()
    assert label.text() == "–"


def test_focus_stays_on_the_button_when_it_becomes_another(forecast):
    forecast.set_report(REPORT)
    forecast.action.button.setFocus()
    forecast.set_done(REPORT)
    forecast.set_again(5)
    assert forecast.action.button.hasFocus()


LAYERS = [
    f"bert.encoder.layer.{n}.{part}.weight"
    for n in (0, 11)
    for part in ("attention.output.dense", "output.dense", "attention.self.query")
]


def test_no_two_names_of_a_list_look_alike_however_narrow_it_is(show):
    label = show(TensorName())
    label.set_names(ShortNames(LAYERS))
    metrics = label.fontMetrics()
    for width in range(600, metrics.horizontalAdvance("…layer.11.attention."), -1):
        seen = []
        for name in LAYERS:
            label.setText(name)
            seen.append(label.shortened(width))
            assert label.accessibleDescription() == name
            assert name in label.toolTip()
        assert len(set(seen)) == len(LAYERS)
        lines = "\n".join(seen).split("\n")
        assert max(map(metrics.horizontalAdvance, lines)) <= width


def test_a_name_is_on_two_lines_where_one_is_too_short(forecast):
    forecast.set_shown_names({}, ShortNames(LAYERS))
    forecast.set_report(
        replace(
            REPORT,
            tensors=tuple(
                replace(tensor, name=name)
                for tensor, name in zip(REPORT.tensors, LAYERS, strict=False)
            ),
        )
    )
    forecast.resize(300, forecast.height())
    label = next(r.name for r in forecast.affected if r.name.text() == LAYERS[0])
    shown = label.shortened(150)
    assert shown == "…layer.0.attention.\noutput.dense.weight"
    two = 2 * label.fontMetrics().height()
    assert label.height() >= two
    forecast.set_report(REPORT)
    assert label.height() >= two, "nothing moves with what is shown of the same file"
    forecast.set_shown_names({}, ShortNames([tensor.name for tensor in REPORT.tensors]))
    assert label.height() < two, "names that need one line take no room for two"


def test_counting_is_said_discreetly_and_being_slow_goes_first(forecast, qtbot):
    forecast.state.set_counting(0.4)
    assert forecast.state.text() == f"counting… 40{GAP}%"
    forecast.state.set_busy(busy=True)
    qtbot.waitUntil(lambda: "Esc" in forecast.state.text(), timeout=5000)
    forecast.state.set_busy(busy=False)
    assert forecast.state.text() == f"counting… 40{GAP}%"
    forecast.state.set_counting(1.0)
    assert forecast.state.text() == ""


def test_numbers_come_and_go_without_moving_anything(forecast, qtbot):
    def places():
        labels = (forecast.gone, forecast.energy, forecast.action, forecast.affected[0])
        return [(w.y(), w.height()) for w in labels]

    forecast.set_estimate(Estimate(4, 195, exact=True))
    qtbot.wait(1)
    before = places()
    forecast.set_report(REPORT)
    qtbot.wait(1)
    assert places() == before
    forecast.set_error("No tensor is checked.", "Check a tensor in the tree.")
    qtbot.wait(1)
    assert places() == before
    assert forecast.error.text() == "✕ No tensor is checked. Check a tensor in the tree."
    assert forecast.action.button.text() == "Nothing to prune"


def test_being_busy_is_said_after_a_moment_only(forecast, qtbot):
    forecast.state.set_busy(busy=True)
    assert forecast.state.text() == ""
    qtbot.waitUntil(lambda: forecast.state.text() == "calculating…", timeout=2000)
    forecast.state.set_busy(busy=False)
    assert forecast.state.text() == ""


def test_the_button_announces_the_wish(forecast, qtbot):
    forecast.set_report(REPORT)
    with qtbot.waitSignal(forecast.action.pruneRequested):
        qtbot.mouseClick(forecast.action.button, Qt.MouseButton.LeftButton)
    assert forecast.action.button.objectName() == "mainAction"


ITEMS = [
    HistoryItem("Opened", "resnet20.th"),
    HistoryItem("L1 20 % on 19 tensors, global", "all <of> it"),
    HistoryItem("L2 30 %, dim 0", "channels"),
]


def center(strip, row):
    return strip.list.visualRect(strip.list.model().index(row, 0)).center()


def test_a_click_on_a_state_asks_for_it_and_the_current_one_does_not(show, qtbot):
    strip = show(HistoryStrip(), 700, 60)
    strip.set_items(ITEMS, 1)
    with qtbot.waitSignal(strip.jumpRequested) as told:
        qtbot.mouseClick(strip.list.viewport(), Qt.MouseButton.LeftButton, pos=center(strip, 2))
    assert told.args == [2]
    with qtbot.assertNotEmitted(strip.jumpRequested):
        qtbot.mouseClick(strip.list.viewport(), Qt.MouseButton.LeftButton, pos=center(strip, 1))


def test_keys_go_through_the_states(show, qtbot):
    strip = show(HistoryStrip(), 700, 60)
    strip.set_items(ITEMS, 1)
    qtbot.keyClick(strip.list, Qt.Key.Key_Left)
    with qtbot.waitSignal(strip.jumpRequested) as told:
        qtbot.keyClick(strip.list, Qt.Key.Key_Return)
    assert told.args == [0]


def test_a_tooltip_of_a_state_says_at_most_ten_lines_and_how_many_more(show):
    strip = show(HistoryStrip(), 700, 60)
    long = replace(ITEMS[2], detail="\n".join(f"line {n}" for n in range(40)))
    strip.set_items((*ITEMS[:2], long), 1)
    tip = strip.list.model().index(2).data(Qt.ItemDataRole.ToolTipRole)
    assert tip.count("<br>") == 11
    assert "and 30 more" in tip
    assert "line 10<" not in tip
    assert "Undone" in tip


def test_the_current_state_is_marked_and_undone_ones_are_named_so(show):
    strip = show(HistoryStrip(), 700, 60)
    strip.set_items(ITEMS, 1)
    model = strip.list.model()
    role = Qt.ItemDataRole.AccessibleTextRole
    assert [model.index(n).data(role) for n in range(3)] == [
        "Opened",
        "L1 20 % on 19 tensors, global, current",
        "L2 30 %, dim 0, undone",
    ]
    assert "&lt;of&gt;" in model.index(1).data(Qt.ItemDataRole.ToolTipRole)
    image = strip.list.viewport().grab().toImage()
    highlight = strip.palette().highlight().color()

    def ground(row):
        rect = strip.list.visualRect(model.index(row))
        return QColor(image.pixelColor(rect.right() - 4, rect.top() + 4))

    assert ground(1) == highlight
    assert ground(0) != highlight
    strip.set_items(ITEMS, 0)
    image = strip.list.viewport().grab().toImage()
    assert ground(0) == highlight


def test_a_long_history_shows_the_current_state(show, qtbot):
    strip = show(HistoryStrip(), 500, 60)
    strip.set_items([HistoryItem(f"Step {n}", "") for n in range(300)], 250)
    rect = strip.list.visualRect(strip.list.model().index(250))
    assert strip.list.viewport().rect().contains(rect.center())


def test_wherever_one_jumps_to_is_beside_the_arrows(show):
    strip = show(HistoryStrip(), 500, 60)
    items = [HistoryItem(f"L1 {n} % on 43 tensors", "") for n in range(200)]
    for position in (199, 100, 99, 98, 101, 102, 103, 198, 1, 0):
        strip.set_items(items, position)
        rect = strip.list.visualRect(strip.list.model().index(position))
        assert strip.list.room().contains(rect), f"state {position} lies under an arrow"
    assert strip.list.beyond == (False, True)


def test_the_current_state_stays_whole_where_the_strip_becomes_narrower(show):
    strip = show(HistoryStrip(), 900, 60)
    labels = ("Opened", "L1 50 % on 36 tensors of encoder.layer, global", "2 rules on 20 tensors")
    strip.set_items([HistoryItem(label, "") for label in labels], 2)
    for width in (560, 420, 300, 700):
        strip.resize(width, 60)
        rect = strip.list.visualRect(strip.list.model().index(2))
        assert strip.list.room().contains(rect), width


def test_a_state_that_is_cut_off_shows_a_label_of_its_own_width(show):
    """1,447 weights without the 1 would be another number."""
    strip = show(HistoryStrip(), 360, 60)
    strip.set_items([HistoryItem(text, "") for text in ("IIIIIIII" * 4, "-" * 40)], 1)
    first = strip.list.visualRect(strip.list.model().index(0))
    assert first.left() < -20 < 60 < first.right(), "it is cut off, and something is left of it"
    image = strip.list.viewport().grab().toImage()
    ground = image.pixelColor(18, 2).name()
    edge = {image.pixelColor(x, y).name() for x in range(16, 26) for y in range(4, 20)}
    assert edge == {ground}, "letters run into the edge"
    arrow = {image.pixelColor(x, y).name() for x in range(16) for y in range(4, 20)}
    assert len(arrow) > 1, "nothing says that there is more on the left"
    assert strip.list.beyond == (True, False)


def test_a_short_history_has_no_arrows(show):
    strip = show(HistoryStrip(), 500, 60)
    strip.set_items([HistoryItem("Opened", ""), HistoryItem("L1 20 %", "")], 1)
    assert strip.list.beyond == (False, False)
    strip.set_items([HistoryItem("L1 20 % on 43 tensors", "")] * 9, 0)
    strip.list.viewport().grab()
    assert strip.list.beyond == (False, True)


def test_recent_names_begin_below_each_other_and_the_heading(show):
    page = show(EmptyPage(), 900, 700)
    page.set_recent(["/a/x", "/a/a-much-longer-name.safetensors"])
    page.grab()
    short, long = page.recent_buttons
    assert short.x() == long.x()
    for button in (short, long):
        spare = button.width() - button.fontMetrics().horizontalAdvance(button.text())
        assert spare == 16


def test_the_numbers_say_that_they_are_the_files_once_something_is_pruned(show):
    line = show(NumbersLine(), 900, 30)
    line.set_stats(TensorStats("a", 100, 40, -1.0, 1.0, 0.0, 0.5, 3, 0, 0))
    assert line.text().startswith("min")
    line.set_pruned(pruned=True)
    assert line.text().startswith("In the file:   min")
    assert line.toolTip().startswith("In the file:")
    line.set_pruned(pruned=False)
    assert line.text().startswith("min")


def test_a_job_that_waits_for_a_disk_says_so_when_it_is_cancelled(show, qtbot):
    host = show(QWidget(), 700, 40)
    status = JobStatus(host)
    status.set_job("Exporting")
    status.set_progress(1, 10, "model.safetensors")
    qtbot.waitUntil(status.isVisible)
    status.set_cancelling(writes=True)
    assert not status.cancel.isEnabled()
    assert status.cancel.text() == "Cancelling…"
    status.set_progress(2, 10, "model.safetensors")  # said before it heard of it
    qtbot.waitUntil(lambda: status.label.text() == "Cancelling: finishing the current write…")
    status.set_progress(3, 10, "model.safetensors")
    assert status.label.text().startswith("Cancelling")
    status.set_idle()
    assert not status.isVisible()
    status.set_job("Pruning")
    assert status.cancel.isEnabled()
    assert status.label.text() == "Pruning …"


def test_a_new_step_lets_the_states_before_it_stay_and_cuts_off_the_undone_ones(show):
    strip = show(HistoryStrip(), 700, 60)
    strip.set_items(ITEMS, 1)
    model = strip.list.model()
    removed, inserted, reset = [], [], []
    model.rowsRemoved.connect(lambda _parent, first, last: removed.append((first, last)))
    model.rowsInserted.connect(lambda _parent, first, last: inserted.append((first, last)))
    model.modelReset.connect(lambda: reset.append(True))
    strip.set_items([*ITEMS[:2], HistoryItem("L1 5 %", ""), HistoryItem("L1 6 %", "")], 3)
    assert (removed, inserted, reset) == ([(2, 2)], [(2, 3)], [])
    assert [model.index(row, 0).data() for row in range(model.rowCount())] == [
        "Opened",
        "L1 20 % on 19 tensors, global",
        "L1 5 %",
        "L1 6 %",
    ]
    assert strip.list.currentIndex().row() == 3
    strip.set_items(ITEMS[:1], 0)
    assert model.rowCount() == 1


def test_notices_stack_the_newest_on_top_and_the_same_is_said_once(show):
    bar = show(NoticeBar(), 700, 300)
    first = bar.set_notice("The file changed.", action="Open again", details="stat")
    assert bar.set_notice("The file changed.", action="Open again", details="stat") == first
    for text in ("b", "c", "d"):
        bar.set_notice(text, trouble=False)
    assert [n.sentence.text() for n in bar.notices] == ["d", "c", "b", "The file changed."]
    assert [n.isVisible() for n in bar.notices] == [True, True, False, False]
    assert bar.waiting.text() == "2 older notices"
    bar.clear()
    assert not bar.isVisible()


def test_a_notice_offers_its_action_its_details_and_an_end(show, qtbot):
    bar = show(NoticeBar(), 700, 300)
    number = bar.set_notice("<b>Cut</b> short.", action="Open again", details="line\nline")
    notice = bar.notices[0]
    assert notice.sentence.text() == "<b>Cut</b> short."
    assert notice.sentence.textFormat() == Qt.TextFormat.PlainText
    with qtbot.waitSignal(bar.actionRequested) as told:
        qtbot.mouseClick(notice.action, Qt.MouseButton.LeftButton)
    assert told.args == [number]
    qtbot.mouseClick(notice.more, Qt.MouseButton.LeftButton)
    assert notice.details.isVisible()
    qtbot.mouseClick(notice.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "<b>Cut</b> short.\n\nline\nline"
    qtbot.keyClick(notice.close_button, Qt.Key.Key_Escape)
    assert not bar.has(number)
    assert not bar.isVisible()


def test_a_notice_can_be_removed_twice(show):
    bar = show(NoticeBar(), 700, 300)
    number = bar.set_notice("Gone soon.")
    bar.remove(number)
    bar.remove(number)
    assert not bar.notices


def test_the_empty_page_says_what_to_do_in_the_agreed_words(show, qtbot):
    page = show(EmptyPage(), 800, 600)
    assert page.promise.text() == "Nothing is uploaded. Files are read, never run."
    assert page.opens.text() == ".safetensors, .pt, .pth, .bin, .ckpt, or a model folder"
    with qtbot.waitSignal(page.openRequested):
        qtbot.mouseClick(page.open_button, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(page.sampleRequested):
        qtbot.keyClick(page.sample_button, Qt.Key.Key_Space)


def test_recent_files_open_by_a_click(show, qtbot):
    page = show(EmptyPage(), 800, 600)
    page.set_recent([f"/models/{n}/R&D <{n}>.pt" for n in range(9)])
    assert len(page.recent_buttons) == 6
    with qtbot.waitSignal(page.recentRequested) as told:
        qtbot.mouseClick(page.recent_buttons[1], Qt.MouseButton.LeftButton)
    assert told.args == ["/models/1/R&D <1>.pt"]
    page.set_recent([])
    assert not page.recent_buttons


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_the_focused_button_of_the_empty_page_is_pressed_by_a_key(show, qtbot, key):
    page = show(EmptyPage(), 700, 600)
    page.set_recent(["/a/b.safetensors"])
    asked = []
    page.openRequested.connect(lambda: asked.append("open"))
    page.sampleRequested.connect(lambda: asked.append("sample"))
    page.recentRequested.connect(asked.append)
    for button in (page.open_button, page.sample_button, page.recent_buttons[0]):
        button.setFocus()
        qtbot.waitUntil(button.hasFocus)
        qtbot.keyClick(button, key)
    assert asked == ["open", "sample", "/a/b.safetensors"]


def test_dragging_over_the_page_is_seen(show):
    page = show(EmptyPage(), 800, 600)
    before = page.grab().toImage()
    page.set_dropping(dropping=True)
    assert page.grab().toImage() != before


def test_the_model_is_told_in_numbers(show):
    status = show(ModelStatus(), 400, 40)
    status.set_model(269_722, 53_405)
    assert status.text.text() == f"269,722 parameters   ·   19.8{GAP}% pruned"
    status.clear()
    assert status.text.text() == ""


def test_the_model_is_told_by_its_class_and_the_files_of_its_folder(show):
    status = show(ModelStatus(), 400, 40)
    files = tuple(f"file{n}.json" for n in range(8))
    status.set_kind("BertModel", layers=6, dtypes=("float32", "int64"), files=files)
    status.set_model(1_000, 0)
    assert status.text.text() == (
        f"BertModel   ·   1,000 parameters   ·   0{GAP}% pruned   ·   6 layers   ·   "
        "mixed: float32, int64"
    )
    tip = status.text.toolTip()
    assert "copies: file0.json" in tip
    assert "file5.json and 2 more" in tip
    status.set_kind("<b>\u202e" + "x" * 1_000)
    status.set_model(1_000, 0)
    shown = status.text.text()
    assert "\u202e" not in shown
    assert len(shown) < 100
    assert "<b>" not in status.text.toolTip()
    status.clear()
    status.set_model(1_000, 0)
    assert status.text.text().startswith("1,000")


def test_a_short_job_is_never_seen(qtbot, show):
    host = show(QWidget(), 600, 40)
    status = JobStatus(host)
    status.set_job("Opening")
    status.set_idle()
    qtbot.wait(260)
    assert not status.isVisible()


def test_a_job_shows_what_it_is_at_and_can_be_cancelled_once(qtbot, show):
    host = show(QWidget(), 600, 40)
    status = JobStatus(host)
    status.set_job("Exporting")
    status.set_progress(61, 100, "layer3.0.conv1")
    qtbot.waitUntil(status.isVisible, timeout=2000)
    assert status.label.text() == "Exporting layer3.0.conv1 …"
    assert status.bar.value() == 610
    with qtbot.waitSignal(status.cancelRequested):
        qtbot.mouseClick(status.cancel, Qt.MouseButton.LeftButton)
    assert not status.cancel.isEnabled()
    status.set_job("Pruning")
    assert status.cancel.isEnabled()
    assert status.bar.maximum() == 0
    status.set_idle()
    assert not status.isVisible()


def test_the_time_left_is_guessed_after_a_second_and_long_jobs_say_so(qtbot, show, monkeypatch):
    host = show(QWidget(), 600, 40)
    status = JobStatus(host)
    status.set_job("Exporting")
    monkeypatch.setattr(status, "_clock", Clock(2_600))
    status.set_progress(0, 0)
    status._late_timer.timeout.emit()
    assert status.left.text() == "This may take a while."
    status.set_progress(1, 4)
    assert status.left.text() == "8 s left"
    status.set_idle()


class Clock:
    def __init__(self, elapsed):
        self._elapsed = elapsed

    def elapsed(self):
        return self._elapsed


def test_numbers_without_room_go_whole(show):
    """Half of a number is another number; the tooltip has all."""
    line = show(NumbersLine(), 900, 30)
    line.set_stats(TensorStats("a", 100, 40, -1.25, 1.25, 0.125, 0.5, 3, 0, 0))
    entries = line.text().split("   ")
    assert len(entries) == 6
    seen = set()
    for width in range(900, 0, -7):
        line.resize(width, 30)
        shown = line.text().split("   ") if line.text() else []
        missing = bool(shown) and shown[-1] == "…"
        assert missing == (0 < len(shown) - missing < len(entries)), "it is said what is left out"
        words = [s.split(GAP)[0] for s in shown[: len(shown) - missing]]
        assert words == [w for w in ("min", "max", "mean", "std", "zeros", "NaN") if w in words]
        assert "zeros" in words or not {"mean", "std", "NaN"} & set(words), "zeros go last"
        assert line.fontMetrics().horizontalAdvance(line.text()) <= max(width - 2, 0)
        seen.add(len(words))
        assert all(entry in line.toolTip() for entry in entries)
    assert seen == set(range(7)) - {1}, "one number alone says little"
