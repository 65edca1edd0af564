"""The preview panel: what it shows, and its signals."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from pruneapp.analysis.patterns import BrokenPattern
from pruneapp.analysis.sparsity_report import SparsityReport, TensorSparsity
from pruneapp.document.step import Row, Step
from pruneapp.export.size_bounds import CompactSize
from pruneapp.gui.mainwindow.document_panels import FORM_WIDTH
from pruneapp.gui.preview.affected_tensors import TensorName
from pruneapp.gui.preview.figures import PruneAction
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.preview.preview_state import PreviewState, StepUnits
from pruneapp.gui.widgets.controls import fit_fonts
from pruneapp.gui.widgets.labels import DANGER, as_plain
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.gui.widgets.theme import LIGHT, LIGHT_THEME
from pruneapp.preview.estimate import Estimate

GAP = "\u00a0"
REPORT = SparsityReport(
    (
        TensorSparsity("m.a", 100, 0, 20, norm_retained=0.88),
        TensorSparsity("m.b", 100, 10, 100, norm_retained=0.0),
        TensorSparsity("m.c", 100, 0, 96, norm_retained=0.4),
        TensorSparsity("m.d", 100, 30, 30, norm_retained=1.0),
        TensorSparsity("m.e", 100, 0, 1, norm_retained=0.99),
    ),
    numel=1000,
    before=40,
    after=247,
    norm_retained=0.9912,
    l1_retained=0.8,
)
# With some weights of each tensor left.
SPARED = replace(REPORT, tensors=tuple(t for t in REPORT.tensors if t.after < t.numel))


@pytest.fixture
def forecast(show):
    host = QWidget()
    found = PreviewPanel()
    layout = QVBoxLayout(host)
    layout.addWidget(found)
    layout.addWidget(found.action)
    found.figures.set_model(1000, 40)
    found.set_shown_names({"m.a": "a", "m.b": "b", "m.c": "c"}, ShortNames("abc"))
    show(host)
    yield found
    del host  # kept alive during the test


def show_estimate(panel, estimate):
    step = Step((Row(("m.a",), "l1_unstructured", {}),))
    panel.set_preview(
        PreviewState(step=step, estimated=True, estimate=estimate, known=estimate.report)
    )


def test_an_estimate_is_there_before_the_report(forecast):
    show_estimate(forecast, Estimate(tensors=4, to_prune=195, exact=True))
    assert forecast.tensors.text() == "4"
    assert forecast.pruned.text() == "195"
    assert forecast.sparsity.text() == f"4.0{GAP}% → 23.5{GAP}%"
    assert forecast.action.button.text() == "Prune 195 weights"
    show_estimate(forecast, Estimate(tensors=4, to_prune=195, exact=False))
    assert forecast.action.button.text() == "Prune up to 195 weights"
    show_estimate(forecast, Estimate(tensors=4, to_prune=195, exact=False, channels=12))
    assert forecast.action.button.text() == "Prune 12 channels"
    forecast.clear()
    assert not forecast.action.button.isEnabled()


def test_an_exact_preview_does_not_wait_for_histograms(forecast):
    """Regression: during a scan, which keeps them waiting, it was "counting… 0 %" for minutes."""
    waiting = Estimate(tensors=4, to_prune=195, exact=False, counting=0.0)
    show_estimate(forecast, waiting)
    assert forecast.state.text() == f"counting… 0{GAP}%"
    step = Step((Row(("m.a",), "l1_unstructured", {}),))
    forecast.set_preview(
        PreviewState(step=step, estimate=waiting, preview=SimpleNamespace(units=0), known=REPORT)
    )
    assert forecast.state.text() == ""


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
    assert action.preview.geometry().right() == action.rect().right()
    assert action.button.width() >= action.button.sizeHint().width()
    assert action.button.height() >= 36


def test_the_report_names_what_is_hit_hardest_with_a_sign_and_a_word(forecast):
    forecast.set_report(REPORT)
    assert forecast.pruned.text() == "207 of 460"
    assert forecast.remaining.text() == "753"
    assert forecast.norm_retained.text() == f"99.1{GAP}%"
    assert forecast.l1_retained.text() == f"80.0{GAP}%"
    rows = [(r.glyph.text(), r.name.text(), r.share.text()) for r in forecast.affected]
    assert rows == [
        ("■", "b", "all pruned"),
        ("▲", "c", f"60.0{GAP}%"),
        ("", "a", f"12.0{GAP}%"),
        ("", "m.e", f"1.0{GAP}%"),
    ]
    assert forecast.most._heading.text() == "Most affected (by L2 norm² lost)"
    assert forecast.affected[1].accessibleName() == (
        f"c, 60.0{GAP}% of L2 norm² lost, few weights or little L2 norm² left"
    )
    assert forecast.affected[1].bar.shares == (0, 0.6)
    assert forecast.affected[1].glyph.toolTip() == (
        f"4.0{GAP}% of its weights are left, with 40.0{GAP}% of its L2 norm². "
        "The quality loss is estimated, not measured."
    )


def test_weights_are_counted_of_those_that_were_left_as_in_the_history(forecast):
    """Regression: the panel gave the share of all weights, the history that of unpruned ones."""
    forecast.set_report(REPORT)
    assert forecast.figures.words["pruned"].text() == "Newly pruned"
    assert "that remained in its tensors" in forecast.pruned.toolTip()
    forecast.set_done(REPORT)
    assert (forecast.figures.words["pruned"].text(), forecast.pruned.text()) == (
        "Newly pruned",
        "207 of 460",
    )
    forecast.set_now(None)
    assert forecast.figures.words["pruned"].text() == "Weights pruned"
    assert forecast.pruned.toolTip() == "Whole model"
    fresh = replace(REPORT, tensors=tuple(t for t in REPORT.tensors if not t.before))
    forecast.set_report(fresh)
    assert forecast.figures.words["pruned"].text() == "Weights pruned"


def test_a_row_is_as_high_as_its_own_name(forecast):
    """Regression: one long name made all rows two lines high, also later ones."""
    forecast.set_shown_names({}, ShortNames(LAYERS))
    forecast.resize(300, forecast.height())
    line = forecast.fontMetrics().height()

    def report(*names):
        tensors = tuple(
            TensorSparsity(name, 100, 0, 50, norm_retained=0.5 + n / 10)
            for n, name in enumerate(names)
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
    """As for 2:4; the heading names the order."""
    energies = {"m.a": 0.99, "m.b": 0.91, "m.c": 0.95}
    tensors = tuple(TensorSparsity(n, 100, 0, 50, norm_retained=e) for n, e in energies.items())
    forecast.set_report(SparsityReport(tensors, 300, 0, 150))
    assert names_of(forecast)[:3] == ["b", "c", "a"]
    shares = [row.share.text() for row in forecast.affected[:3]]
    assert shares == [f"9.0{GAP}%", f"5.0{GAP}%", f"1.0{GAP}%"]
    same = tuple(t._replace(norm_retained=0.9) for t in tensors)
    forecast.set_report(SparsityReport(same, 300, 0, 150))
    assert names_of(forecast)[:3] == ["a", "b", "c"], "in file order"


def test_where_no_norm_is_known_the_sparsity_tells_who_loses_most(forecast):
    tensors = (
        TensorSparsity("m.a", 100, 0, 20, norm_retained=0.1),
        TensorSparsity("m.b", 100, 10, 60),
        TensorSparsity("m.c", 100, 0, 0),
    )
    forecast.set_report(SparsityReport(tensors, 300, 10, 80))
    assert forecast.most._heading.text() == "Most affected (by sparsity)"
    assert names_of(forecast)[:3] == ["b", "a", ""]
    assert forecast.affected[0].share.text() == f"60.0{GAP}%"
    forecast.clear()
    assert forecast.most._heading.text() == ""


def test_numbers_of_any_size_fit_into_the_column(forecast):
    for numel in (22_713_216, 999_999_999, 700_000_000_000):
        tensors = (
            TensorSparsity("model.layers.0.mlp.down_proj.weight", numel, numel // 3, numel // 2),
        )
        report = SparsityReport(tensors, numel, numel // 3, numel // 2, 0.98765, 0.98765)
        room = FORM_WIDTH - 24
        forecast.set_report(report)
        assert forecast.minimumSizeHint().width() <= room
        show_estimate(forecast, Estimate(1, report.newly_pruned, exact=False, report=report))
        assert forecast.minimumSizeHint().width() <= room
        forecast.figures.set_model(numel, numel // 2)
        forecast.set_now(report, tensors)
        assert forecast.minimumSizeHint().width() <= room


def test_a_share_of_almost_nothing_or_all_is_read_whole(forecast):
    """'> 99.9 %' without its sign would be misread."""
    for after in (1, 99_999):
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

    show_estimate(forecast, Estimate(5, 207, exact=True, report=REPORT, exact_report=False))
    assert said() == [
        "5",
        "207 of 460",
        f"4.0{GAP}% → 24.7{GAP}%",
        "753",
        f"≈{GAP}99.1{GAP}%",
        f"≈{GAP}80.0{GAP}%",
    ]
    assert forecast.affected[0].glyph.text() == "■", "what would be hurt is seen at once"
    show_estimate(forecast, Estimate(5, 207, exact=True, report=REPORT, exact_report=True))
    assert not any("≈" in text for text in said())
    show_estimate(forecast, Estimate(5, 207, exact=False, report=REPORT))
    assert sum("≈" in text for text in said()) == 5
    assert said()[1:4] == [f"≈{GAP}210 of 460", f"4.0{GAP}% → ≈{GAP}24.7{GAP}%", f"≈{GAP}750"]
    assert forecast.action.button.text() == "■ Prune up to 210 weights"


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_an_estimate_needs_no_more_width_than_an_exact_number(forecast, qapp, scale):
    """Regression: the form became wider by the sign "≈" of an estimate."""
    font = forecast.font()
    font.setPointSizeF(scale * font.pointSizeF())
    forecast.setFont(font)
    fit_fonts(forecast)
    widths = []
    for exact in (True, False, True):
        show_estimate(forecast, Estimate(5, 207, exact=True, report=REPORT, exact_report=exact))
        qapp.processEvents()  # the layout is updated by a posted event
        widths.append(forecast.figures.minimumSizeHint().width())
    assert len(set(widths)) == 1, widths


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_longer_numbers_need_no_more_width(forecast, qapp, scale):
    """Regression: the form became wider as the number of pruned weights got longer."""
    font = forecast.font()
    font.setPointSizeF(scale * font.pointSizeF())
    forecast.setFont(font)
    forecast.figures.set_model(999_999_999, 0)
    fit_fonts(forecast)
    widths = []
    for pruned in (1, 999_999_998):
        tensors = (TensorSparsity("m.a", 999_999_999, 0, pruned, norm_retained=0.9),)
        show_estimate(
            forecast,
            Estimate(
                1, pruned, exact=False, report=SparsityReport(tensors, 999_999_999, 0, pruned, 0.9)
            ),
        )
        qapp.processEvents()
        widths.append(forecast.figures.minimumSizeHint().width())
    assert widths[0] == widths[1]


def test_the_worst_is_said_in_a_line_that_leads_there(forecast, qtbot, palette_of):
    palette_of(LIGHT_THEME)
    alarm = forecast.alarm
    height = alarm.height()
    assert alarm.focusPolicy() == Qt.FocusPolicy.NoFocus, "nothing to go to"
    hurt = tuple(TensorSparsity(name, 100, 0, 97) for name in ("m.c", "m.a", "m.d"))
    forecast.set_report(SparsityReport(hurt, numel=1000, before=0, after=291))
    assert alarm.text() == "▲ Few weights or little L2 norm² left in 3 tensors: c, a, m.d"
    assert alarm.accessibleName() == alarm.text()
    qtbot.wait(1)
    assert alarm.height() == height
    alarm.resize(alarm.fontMetrics().horizontalAdvance(alarm.text()), height)
    assert alarm.lines() == ["▲ Few weights or little L2 norm² left in 3 tensors:", "c, a, m.d"]
    alarm.resize(alarm.width() * 2 // 3, height)
    assert "".join(alarm.lines()) == alarm.text(), "the heading continues before the names"
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
    """Until the next numbers are computed."""
    forecast.set_report(replace(REPORT, protected=1_234))
    assert (
        forecast.protected.text() == "1,234 more weights would be pruned, but they are protected."
    )
    forecast.set_report(REPORT)
    assert not forecast.protected.text()


def test_the_forecast_says_what_no_group_of_a_pattern_has(forecast):
    """Regression: only `pruneapp check` reported that the dimension is no multiple."""
    said = "96 weights are in no group of the pattern, and are kept."
    forecast.set_report(replace(REPORT, outside=96))
    assert forecast.protected.isVisible()
    assert forecast.protected.text() == said
    forecast.set_report(replace(REPORT, outside=96, protected=2))
    assert forecast.protected.text().splitlines()[1:] == [said]
    forecast.set_report(REPORT)
    assert not forecast.protected.text()


def test_what_is_pruned_completely_is_named_as_long_as_it_is(forecast):
    for give in (forecast.set_done, forecast.set_now):
        give(REPORT)
        assert forecast.broken.isVisible()
        assert forecast.broken.text() == "■ 1 tensor is pruned completely: b."
        many = tuple(TensorSparsity(f"m.{letter}", 10, 0, 10) for letter in "abcde")
        give(replace(REPORT, tensors=many))
        assert forecast.broken.text() == "■ 5 tensors are pruned completely: a, b, c and 2 more."
        give(SPARED)
        assert not forecast.broken.isVisible()
        forecast.set_report(REPORT)
        assert not forecast.broken.isVisible(), "the line of the alarm says it"


def test_the_size_of_a_file_is_told_and_those_of_other_formats_in_the_tooltip(forecast, qtbot):
    forecast.file.set_formats((("a", "Not at all"), ("b", "As this"), ("c", "As that")))
    label = forecast.file.labels["size"]
    qtbot.wait(1)
    place = label.geometry()
    assert label.text() == "–"
    forecast.file.set_sizes({"a": None, "b": 576_000_000, "c": 1_100_000})
    qtbot.wait(1)
    assert label.text() == "576 MB"
    tip = label.accessibleDescription()
    assert tip.startswith("As this: 576 MB\nAs that: 1.1 MB\nThe file that Export… proposes")
    assert label.toolTip() == forecast.file.words["size"].toolTip() == as_plain(tip)
    assert label.geometry() == place
    forecast.file.set_sizes({"a": None, "b": 576_000_000, "c": 1_100_000}, "c")
    assert label.text() == "1.1 MB", "the format of the opened file"
    assert label.accessibleDescription().startswith("As that: 1.1 MB\nAs this: 576 MB\n")
    forecast.file.set_sizes({})
    assert label.text() == "–"


def test_what_was_done_is_told_without_arrow_or_accent_and_with_its_marks(forecast):
    forecast.set_report(REPORT)
    forecast.set_done(REPORT)
    assert forecast.heading.text() == "Result"
    assert forecast.sparsity.text() == f"24.7{GAP}%"
    assert (forecast.pruned.text(), forecast.remaining.text()) == ("207 of 460", "753")
    assert (forecast.norm_retained.text(), forecast.l1_retained.text()) == (
        f"99.1{GAP}%",
        f"80.0{GAP}%",
    )
    assert not forecast.alarm.text()
    assert not forecast.alarm.isVisible()
    assert [(row.glyph.text(), row.name.text()) for row in forecast.affected][:2] == [
        ("■", "b"),
        ("▲", "c"),
    ]
    assert all(len(set(row.bar.shares)) == 1 for row in forecast.affected), "nothing is hatched"
    forecast.set_again(20, share=0.9, repeats=True)
    assert forecast.note.isVisible()
    assert forecast.note.text() == f"Another 90{GAP}% of the remaining weights would be 20 more."
    forecast.set_again(20, StepUnits(2), share=0.9, repeats=True)
    assert forecast.note.text() == (
        f"Another 90{GAP}% of the remaining ones would be 2 channels (20 weights)."
    )
    forecast.set_again(1_234_567, StepUnits(12_345), share=0.855, repeats=True)
    forecast.layout().activate()
    assert forecast._warning.height() == forecast.alarm.sizeHint().height(), "nothing moves"
    forecast.set_again(20, StepUnits(2), repeats=True)
    assert forecast.note.text() == "Repeating the step would prune 2 channels (20 more weights)."
    forecast.set_now(None)
    forecast.set_again(20, StepUnits(2))
    assert forecast.note.text() == "These settings would prune 2 channels (20 weights)."
    forecast.set_done(REPORT)
    forecast.set_again(20)
    assert forecast.action.button.text() == "Prune 20 weights", "the form has another method"
    forecast.set_again(20, share=0.9, repeats=True)
    button = forecast.action.button
    assert (button.text(), button.objectName()) == ("Prune again: 20 weights", "")
    assert button.isVisible()
    forecast.set_not_again("There are not so many.")
    assert forecast.note.text() == "✕ There are not so many."
    assert forecast.note.foregroundRole() == DANGER
    forecast.set_not_again("Enter at most 89.52 %, or unprotect weights.")
    assert forecast.note.text() == f"✕ Enter at most 89.52{GAP}%, or unprotect weights."
    forecast.set_not_again("There are not so many.")
    assert forecast.action.button.text() == "Prune", "there is more"
    assert forecast.action.button.toolTip() == "<span>There are not so many.</span>"
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
    assert (forecast.sparsity.text(), forecast.remaining.text()) == (f"4.0{GAP}%", "960")
    assert (forecast.norm_retained.text(), forecast.tensors.text()) == ("–", "–")
    assert "opened" in forecast.norm_retained.toolTip()
    tensors = (TensorSparsity("m.a", 100, 40, 40), TensorSparsity("m.b", 900, 0, 0))
    now = SparsityReport(tensors, 1000, 40, 40, norm_retained=0.9, l1_retained=0.8)
    forecast.set_now(now, tensors[:1])
    assert (forecast.norm_retained.text(), forecast.tensors.text()) == (f"90.0{GAP}%", "1")
    assert forecast.l1_retained.text() == f"80.0{GAP}%"
    assert forecast.affected[0].name.text() == "a"
    assert forecast.affected[1].name.text() == ""
    forecast.set_again(7)
    assert forecast.action.button.text() == "Prune 7 weights"
    assert "again" not in forecast.note.text()


def test_after_a_repair_the_norms_are_said_to_be_those_without_it(forecast):
    """Regression: the norm² retained remained 49.2 %, for a file with 443 % after the repair."""
    words = forecast.figures.words
    tensors = (TensorSparsity("m.a", 100, 40, 40), TensorSparsity("m.b", 900, 0, 0))
    now = SparsityReport(tensors, 1000, 40, 40, norm_retained=0.492, l1_retained=0.8)
    repaired = replace(now, repaired={"m.a": 1.0})
    forecast.set_now(repaired, tensors[:1])
    assert words["norm"].text() == "L2 norm² retained (pruning only)"
    assert words["l1"].text() == "L1 norm retained (pruning only)"
    assert "without repair or recovery" in forecast.norm_retained.toolTip()
    forecast.set_now(now, tensors[:1])
    assert words["norm"].text() == "L2 norm² retained (whole model)"
    forecast.set_done(replace(REPORT, repaired={"m.a": 1.0}), 0.492)
    assert words["norm"].text() == "L2 norm² retained (step's tensors)"
    assert words["whole"].text() == "L2 norm² retained (pruning only)"
    forecast.set_report(REPORT)
    forecast.set_done(REPORT, 0.492)
    assert words["whole"].text() == "L2 norm² retained (whole model)"


def test_the_packed_size_is_shown_with_the_bound_of_the_file(forecast):
    label = forecast.file.labels["packed"]
    assert label.text() == "–"
    assert "at most" not in label.toolTip()
    forecast.file.set_compact(CompactSize(6_000_000, 6_500_000))
    assert label.text() == "6.0 MB"
    assert "A compact file has at most 6.5 MB, with metadata." in label.toolTip()
    forecast.file.set_sizes({})
    assert label.text() == "6.0 MB"
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
                tensor._replace(name=name)
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
    forecast.state.set_busy(busy=True)
    assert forecast.state.text() == ""
    qtbot.waitUntil(lambda: forecast.state.text() == "calculating…", timeout=2000)
    forecast.state.set_busy(busy=False)
    assert forecast.state.text() == ""
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
        labels = (forecast.pruned, forecast.norm_retained, forecast.action, forecast.affected[0])
        return [(w.y(), w.height()) for w in labels]

    show_estimate(forecast, Estimate(4, 195, exact=True))
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
    forecast.set_error("'amount' is larger than what remains.", settings=True)
    qtbot.wait(1)
    assert places() == before
    assert forecast.action.button.text() == "Prune"
    assert forecast.action.why_not == "'amount' is larger than what remains."


def test_the_button_announces_the_wish(forecast, qtbot):
    forecast.set_report(REPORT)
    with qtbot.waitSignal(forecast.action.pruneRequested):
        qtbot.mouseClick(forecast.action.button, Qt.MouseButton.LeftButton)
    assert forecast.action.button.objectName() == "mainAction"


BROKEN = (BrokenPattern(1, 4, 1, {"m.a": 10_000, "m.z": 939}),)


def test_a_pattern_that_does_not_hold_is_a_visible_warning(forecast):
    for give in (forecast.set_report, forecast.set_done, forecast.set_now):
        assert not forecast.broken.isVisible()
        give(replace(SPARED, broken=BROKEN))
        label = forecast.broken
        assert label.isVisible()
        assert label.text() == (
            "▲ 1:4 is violated by 2 tensors (10,939 groups): protected weights."
        )
        assert label.height() >= label.heightForWidth(label.width())
        assert label.foregroundRole() == DANGER
        assert label.toolTip() == "<span>a: 10,000 groups<br>m.z: 939 groups</span>"
        assert label.accessibleDescription() == "a: 10,000 groups, m.z: 939 groups"
        give(SPARED)
        assert not label.isVisible()


def test_a_click_on_preview_never_prunes(show, qtbot):
    """Regression: the button that prunes took the place of "Preview" when a preview appeared."""
    action = show(PruneAction(), 400, 40)
    pruned, previewed = [], []
    action.pruneRequested.connect(lambda: pruned.append(1))
    action.previewRequested.connect(lambda: previewed.append(1))
    action.set_previewable(previewable=True)
    action.set_count(500, again=True)
    places = action.preview.geometry(), action.button.geometry()
    action.set_count(500)  # a preview appears by itself, before the user presses
    assert (action.preview.geometry(), action.button.geometry()) == places
    assert action.preview.isVisible()
    assert not action.preview.isEnabled()
    assert action.preview.toolTip() == "The preview is shown."
    qtbot.mouseClick(action, Qt.MouseButton.LeftButton, pos=places[0].center())
    assert (pruned, previewed) == ([], [])
    action.set_count(500, again=True)
    qtbot.mouseClick(action.preview, Qt.MouseButton.LeftButton)
    assert (pruned, previewed) == ([], [1])
    action.set_previewable(previewable=False)
    assert action.preview.toolTip() == "There is no step to preview."


def test_a_double_click_prunes_once(show, qtbot):
    action = show(PruneAction(), 400, 40)
    pruned = []
    action.pruneRequested.connect(lambda: pruned.append(1))
    action.set_count(500)
    place = QPointF(action.button.geometry().center())
    for kind in (QEvent.Type.MouseButtonDblClick, QEvent.Type.MouseButtonRelease):
        where = QPointF(action.button.mapFrom(action, place.toPoint()))
        left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        event = QMouseEvent(kind, where, action.mapToGlobal(place), left, left, none)
        QApplication.sendEvent(action.button, event)
    assert not pruned
    qtbot.mouseClick(action.button, Qt.MouseButton.LeftButton)
    assert pruned == [1]
