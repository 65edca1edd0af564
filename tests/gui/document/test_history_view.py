"""The history strip: its states, by mouse and by keys."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QApplication

from pruneapp.document.document import HistoryItem
from pruneapp.document.history import Branches
from pruneapp.document.step import Row, Step
from pruneapp.gui.document.history_states import HistoryMark
from pruneapp.gui.document.history_view import HistoryStrip
from pruneapp.gui.widgets.labels import MUTED
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME

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


@pytest.mark.parametrize("rows", [1, 30])
def test_what_a_tooltip_names_and_leaves_out_adds_up_and_the_result_is_kept(show, rows):
    """Regression: it named 8 "and 15 more" of 36 tensors, and omitted the number of weights."""
    names = tuple(f"layer.{n}.weight" for n in range(36))
    row = Row(names, "l1_unstructured", {"amount": 0.2})
    detail = Step((row,) * rows).detail((2,) * rows if rows > 1 else ())
    strip = show(HistoryStrip(), 700, 60)
    strip.set_items((*ITEMS[:2], replace(ITEMS[2], detail=f"{detail}\n7 of 9 weights pruned")), 1)
    tip = strip.list.model().index(2).data(Qt.ItemDataRole.ToolTipRole)
    named = tip.count("Rule " if rows > 1 else ".weight")
    more = int(re.findall(r"and (\d+) more", tip)[0])
    assert named >= 4
    assert named + more == (rows if rows > 1 else 36)
    assert "7 of 9 weights pruned" in tip
    assert "Scope: per tensor" in tip
    assert tip.count("<br>") == 11


def test_the_current_state_is_marked_and_undone_ones_are_named_so(show):
    strip = show(HistoryStrip(), 700, 60)
    strip.set_items(ITEMS, 1)
    model = strip.list.model()
    role = Qt.ItemDataRole.AccessibleTextRole
    assert [model.index(n).data(role) for n in range(3)] == [
        "Opened",
        "1: L1 20 % on 19 tensors, global, current",
        "2: L2 30 %, dim 0, undone",
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


def test_states_of_the_same_label_are_painted_with_their_numbers(show):
    """Regression: Compare offered "L1 50 % on 36 tensors" twice, indistinguishably."""
    strip = show(HistoryStrip(), 900, 60)
    same = HistoryItem("L1 50 % on 36 tensors", "")
    strip.set_items([HistoryItem("Opened", ""), same, same], 0)
    model = strip.list.model()
    image = strip.list.viewport().grab().toImage()
    first, second = (strip.list.visualRect(model.index(n)) for n in (1, 2))
    assert first.width() == second.width()
    digit = strip.fontMetrics().horizontalAdvance("0")

    def painted(rect, left, width):
        area = QRect(rect.left() + left, rect.top(), width, rect.height())
        return image.copy(area)

    numbers = [painted(rect, 12 + 16, digit) for rect in (first, second)]
    labels = [painted(rect, 12 + 16 + digit + 8, 100) for rect in (first, second)]
    assert numbers[0] != numbers[1]
    assert labels[0] == labels[1]


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
        assert strip.list.room().contains(rect), f"state {position} is under an arrow"
    assert strip.list.hidden_sides == (False, True)


def test_the_current_state_stays_whole_where_the_strip_becomes_narrower(show):
    strip = show(HistoryStrip(), 900, 60)
    labels = ("Opened", "L1 50 % on 36 tensors of encoder.layer, global", "2 rules on 20 tensors")
    strip.set_items([HistoryItem(label, "") for label in labels], 2)
    for width in (560, 420, 300, 700):
        strip.resize(width, 60)
        rect = strip.list.visualRect(strip.list.model().index(2))
        assert strip.list.room().contains(rect), width


def test_the_current_state_and_the_one_before_are_whole_in_a_narrow_window(show):
    """Regression: the label of the previous state was cut."""
    strip = show(HistoryStrip(), 600, 60)
    labels = [
        f"L1 {n} % on 36 tensors of encoder.layer, per tensor, at most 90 %" for n in range(9)
    ]
    strip.set_items([HistoryItem(label, "") for label in labels], 8)
    for width in (600, 540):
        strip.resize(width, 60)
        for row in (7, 8):
            rect = strip.list.visualRect(strip.list.model().index(row))
            assert strip.list.room().contains(rect), (width, row)


def test_labels_are_whole_where_all_states_fit_together(show):
    """Regression: the label was elided although half of the strip was empty."""
    strip = show(HistoryStrip(), 1200, 60)
    label = "2:4, dim 1, on 2 tensors of encoder.layer.11.attention.output.dense, at most 90 %"
    items = [HistoryItem("Opened", ""), HistoryItem(label, "")]
    model, metrics = strip.list.model(), strip.list.fontMetrics()
    strip.set_items(items, 1)
    assert strip.list.visualRect(model.index(1)).width() > metrics.horizontalAdvance(label)
    strip.set_items([*items, *[HistoryItem(f"{label} {n}", "") for n in range(3)]], 1)
    assert strip.list.visualRect(model.index(1)).width() <= 380
    strip.set_items(items, 1)
    assert strip.list.visualRect(model.index(1)).width() > metrics.horizontalAdvance(label)


def test_a_state_that_is_cut_off_shows_a_label_of_its_own_width(show):
    """1,447 weights without the 1 would be a wrong number."""
    strip = show(HistoryStrip(), 360, 60)
    strip.set_items([HistoryItem(text, "") for text in ("IIIIIIII" * 4, "-" * 40)], 1)
    first = strip.list.visualRect(strip.list.model().index(0))
    assert first.left() < -20 < 60 < first.right(), "cut off, but partly visible"
    image = strip.list.viewport().grab().toImage()
    ground = image.pixelColor(18, 2).name()
    edge = {image.pixelColor(x, y).name() for x in range(16, 26) for y in range(4, 20)}
    assert edge == {ground}, "the text reaches the edge"
    arrow = {image.pixelColor(x, y).name() for x in range(16) for y in range(4, 20)}
    assert len(arrow) > 1, "the continuation on the left is not indicated"
    assert strip.list.hidden_sides == (True, False)


def test_a_state_that_is_cut_off_shows_how_its_label_begins(show):
    """Regression: the end was shown, such as the "d" of "Opened"."""
    strip = show(HistoryStrip(), 360, 60)
    seen = []
    for start, end in (("Opened", "I"), ("Opened", "W"), ("IIIIII", "I")):
        label = f"{start} {'O' * 24}{end}"
        strip.set_items([HistoryItem(label, ""), HistoryItem("-" * 40, "")], 1)
        first = strip.list.visualRect(strip.list.model().index(0))
        assert first.left() < -20 < 60 < first.right()
        area = QRect(20, 0, first.right() - 25, first.height())
        seen.append(strip.list.viewport().grab(area).toImage())
    assert seen[0] == seen[1], "the end is elided"
    assert seen[0] != seen[2], "the beginning is visible"


def test_a_short_history_has_no_arrows(show):
    strip = show(HistoryStrip(), 500, 60)
    strip.set_items([HistoryItem("Opened", ""), HistoryItem("L1 20 %", "")], 1)
    assert strip.list.hidden_sides == (False, False)
    strip.set_items([HistoryItem("L1 20 % on 43 tensors", "")] * 9, 0)
    strip.list.viewport().grab()
    assert strip.list.hidden_sides == (False, True)


def turn(strip, dx=0, dy=0, keys=Qt.KeyboardModifier.NoModifier):
    """Turn the wheel over the strip, and return its scroll position."""
    place = QPoint(100, 8)
    event = QWheelEvent(
        QPointF(place),
        QPointF(strip.list.viewport().mapToGlobal(place)),
        QPoint(),
        QPoint(dx, dy),
        Qt.MouseButton.NoButton,
        keys,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(strip.list.viewport(), event)
    return strip.list.horizontalScrollBar().value()


def test_wheels_and_the_arrows_at_its_ends_scroll_the_strip_and_go_to_no_state(show, qtbot):
    """Regression: a click on an arrow jumped to the state below it, and the wheel had no effect."""
    strip = show(HistoryStrip(), 700, 60)
    strip.set_items([HistoryItem(f"L1 {n} % on 43 tensors", "") for n in range(20)], 0)
    viewport, left = strip.list.viewport(), Qt.MouseButton.LeftButton
    at = turn(strip, dy=-120)
    assert at > 0
    assert turn(strip, dy=-120, keys=Qt.KeyboardModifier.ShiftModifier) == 2 * at
    assert turn(strip, dx=-120) == 3 * at
    assert turn(strip, dy=120) == 2 * at
    ends = [QPoint(viewport.width() - 5, 8), QPoint(5, 8)]
    with qtbot.assertNotEmitted(strip.jumpRequested):
        for press in (qtbot.mouseClick, qtbot.mouseDClick):
            press(viewport, left, pos=ends[0])
            further = strip.list.horizontalScrollBar().value()
            assert further > 2 * at
            press(viewport, left, pos=ends[1])
            assert strip.list.horizontalScrollBar().value() < further
    assert strip.list.room().contains(QPoint(100, 8))
    with qtbot.waitSignal(strip.jumpRequested):
        qtbot.mouseClick(viewport, left, pos=QPoint(100, 8))


def test_four_states_with_a_metric_are_whole_in_a_usual_window(show):
    """Regression: of three states, the first was cut."""
    strip = show(HistoryStrip(), 1264, 60)
    label = "L1 50 % on 7 tensors of encoder.layer, global"
    strip.set_items([HistoryItem("Opened", ""), *[HistoryItem(label, "")] * 3], 3)
    mark = HistoryMark("80.0 % pruned: 74.2 % −24.7", "worse", brief="74.2 % −24.7")
    strip.set_marks([HistoryMark("98.9 %"), *[mark] * 3])
    assert strip._delegate.brief, "otherwise they would not fit"
    assert strip.list.hidden_sides == (False, False)
    rects = [strip.list.visualRect(strip.list.model().index(n)) for n in range(4)]
    assert strip.list.room().contains(rects[-1])
    assert rects[-1].right() > strip.list.room().right() - 8, (
        "labels are elided although there is space"
    )


def test_what_comes_and_goes_lets_the_states_before_it_stay(show):
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


def test_states_show_their_metric_or_a_dot_to_be_clicked(show, qtbot):
    strip = show(HistoryStrip(), 900, 60)
    strip.set_items(ITEMS, 1)
    before = strip.list.visualRect(strip.list.model().index(2)).width()
    marks = [
        HistoryMark("98.9 %", "accuracy 98.9 %"),
        HistoryMark(words="not evaluated"),
        HistoryMark("74.2 % −24.7", "24.7 points worse", faded=True),
    ]
    strip.set_marks(marks)
    qtbot.wait(20)
    model, viewport = strip.list.model(), strip.list.viewport()
    wider = strip.list.visualRect(model.index(2)).width() - before
    assert wider > strip.fontMetrics().horizontalAdvance("74.2 % −24.7")
    role = Qt.ItemDataRole.AccessibleTextRole
    assert model.index(0).data(role) == "Opened, accuracy 98.9 %"
    assert "click the dot" in model.index(1).data(Qt.ItemDataRole.ToolTipRole)
    dot = strip.list.visualRect(model.index(1))
    place = QPoint(dot.right() - 12 - 5, dot.center().y())
    image, ground = viewport.grab().toImage(), strip.palette().highlight().color()
    ring = {image.pixelColor(place.x() + dx, place.y()).name() for dx in range(-7, 8)}
    assert ring > {ground.name()}, "the dot is not painted"
    assert image.pixelColor(place) == ground, "it is not filled"
    with qtbot.assertNotEmitted(strip.jumpRequested), qtbot.waitSignal(strip.measureRequested) as s:
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    assert s.args == [1]
    place = QPoint(strip.list.visualRect(model.index(2)).right() - 17, dot.center().y())
    with qtbot.waitSignal(strip.jumpRequested):  # a click on the metric jumps to its state
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=place)
    strip.set_marks(())
    qtbot.wait(20)
    assert strip.list.visualRect(model.index(2)).width() == before


# Branches

#  Opened - 1 - 2 - 3
#            `- 4 - 5
TREE = Branches((0, 1, 2, 1, 4), 5)
BRANCHED = [*ITEMS, HistoryItem("L1 90 %", ""), HistoryItem("2:4", ""), HistoryItem("LAMP", "")]


@pytest.fixture
def branched(show):
    strip = show(HistoryStrip(), 900, 120)
    strip.set_items(BRANCHED, 4, TREE)
    strip.list.setFocus()
    return strip


def rect(strip, state):
    return strip.list.visualRect(strip.list.model().index(state, 0))


def test_branches_stand_below_each_other_and_steps_of_one_depth_in_one_column(branched):
    height = rect(branched, 0).height()
    assert branched.list.height() == 2 * height
    assert [rect(branched, state).top() // height for state in range(6)] == [0, 0, 0, 0, 1, 1]
    assert rect(branched, 4).left() == rect(branched, 2).left() == rect(branched, 1).right() + 1
    assert rect(branched, 4).width() == rect(branched, 2).width()
    for state in range(6):
        assert branched.list.indexAt(rect(branched, state).center()).row() == state
    assert not branched.list.indexAt(QPoint(4, height + 4)).isValid()
    branched.set_items(BRANCHED[:3], 1)
    assert branched.list.height() == height


def test_states_that_are_not_in_force_say_whether_redo_leads_there(branched):
    model, role = branched.list.model(), Qt.ItemDataRole.AccessibleTextRole
    assert [model.index(state).data(role) for state in range(6)] == [
        "Opened",
        "1: L1 20 % on 19 tensors, global",
        "2: L2 30 %, dim 0, on another branch",
        "3: L1 90 %, on another branch",
        "4: 2:4, current",
        "5: LAMP, undone",
    ]
    tips = [model.index(n).data(Qt.ItemDataRole.ToolTipRole) for n in (2, 5)]
    assert "On another branch. Click to go to this state." in tips[0]
    assert "Undone. Click to redo up to this step." in tips[1]


def test_any_state_of_any_branch_is_gone_to_by_a_click(branched, qtbot):
    for state in (0, 1, 2, 3, 5):
        with qtbot.waitSignal(branched.jumpRequested) as told:
            where = rect(branched, state).center()
            qtbot.mouseClick(branched.list.viewport(), Qt.MouseButton.LeftButton, pos=where)
        assert told.args == [state]


def test_keys_lead_along_a_branch_and_from_one_to_another(branched, qtbot):
    def press(key):
        qtbot.keyClick(branched.list, key)
        return branched.list.currentIndex().row()

    key = Qt.Key
    assert branched.list.currentIndex().row() == 4
    keys = key.Key_Up, key.Key_Right, key.Key_Right, key.Key_Down, key.Key_Down, key.Key_Home
    assert [press(each) for each in keys] == [2, 3, 3, 5, 5, 0]
    assert press(key.Key_End) == 3
    branched.set_items(BRANCHED, 4, TREE)
    assert [press(key.Key_Left) for _ in range(3)] == [1, 0, 0]
    assert press(key.Key_Up) == 0


def test_f2_and_delete_ask_for_a_name_and_for_deletion(branched, qtbot):
    for key, signal in (
        (Qt.Key.Key_F2, branched.renameRequested),
        (Qt.Key.Key_Delete, branched.deleteRequested),
    ):
        branched.list.setCurrentIndex(branched.list.model().index(2))
        with qtbot.waitSignal(signal) as told:
            qtbot.keyClick(branched.list, key)
        assert told.args == [2]
        branched.list.setCurrentIndex(branched.list.model().index(0))
        with qtbot.assertNotEmitted(signal):  # the opened file
            qtbot.keyClick(branched.list, key)


def test_the_menu_closes_when_states_go(branched, qtbot):
    menu = branched.context_menu(3)
    menu.popup(branched.mapToGlobal(QPoint(4, 4)))
    qtbot.waitUntil(menu.isVisible)
    branched.set_items(BRANCHED[:3], 1)
    assert not menu.isVisible(), "state 3 was deleted"


def test_the_menu_of_a_state_offers_what_can_be_done(branched, qtbot):
    def offers(state):
        menu = branched.context_menu(state)
        found = {a.text().split("\t")[0]: a.isEnabled() for a in menu.actions()}
        tip = menu.actions()[2].toolTip()
        menu.deleteLater()
        return [*found.values()], tip

    with qtbot.waitSignal(branched.jumpRequested) as told:
        branched.context_menu(3).actions()[0].trigger()
    assert told.args == [3]
    with qtbot.waitSignal(branched.renameRequested) as told:
        branched.context_menu(3).actions()[1].trigger()
    assert told.args == [3]
    with qtbot.waitSignal(branched.deleteRequested) as told:
        branched.context_menu(3).actions()[2].trigger()
    assert told.args == [3]
    assert offers(0)[0] == [True, False, False]
    assert offers(1)[0] == [True, True, False]
    assert offers(4) == ([False, True, False], "The current state is this one, or follows it")
    assert offers(5) == ([True, True, True], "Delete this state and all that follow it")


def test_a_name_stands_for_the_step_and_the_tooltip_has_both(show):
    strip = show(HistoryStrip(), 700, 60)
    strip.set_items([*ITEMS[:2], replace(ITEMS[2], name="keeper <1>")], 2)
    index = strip.list.model().index(2)
    assert index.data() == "keeper <1>"
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "2: keeper <1>, current"
    tip = index.data(Qt.ItemDataRole.ToolTipRole)
    lines = "keeper &lt;1&gt;", "L2 30 %, dim 0", "channels"
    assert tip == "<br>".join(f"<span>{line}</span>" for line in lines)


@pytest.mark.parametrize("theme", [LIGHT_THEME, DARK_THEME])
def test_a_line_leads_from_a_state_down_to_its_branches(show, palette_of, theme):
    """In the accent color along the path to the current state, otherwise dimmed."""
    palette_of(theme)
    strip = show(HistoryStrip(), 900, 160)

    def line_of(state):
        strip.list.viewport().update()
        image = strip.list.viewport().grab().toImage()
        place = rect(strip, state)
        across = image.pixelColor(place.left() + 5, place.center().y())
        above = image.pixelColor(place.left(), place.top() + 3)
        assert across == above
        return across

    palette = strip.palette()
    accent, dimmed = palette.highlight().color(), palette.color(MUTED)
    strip.set_items(BRANCHED, 3, TREE)
    assert line_of(4) == dimmed
    strip.set_items(BRANCHED, 5, TREE)
    assert line_of(4) == accent
    assert accent != dimmed != palette.base().color()
    strip.set_items(BRANCHED, 4, TREE)
    assert line_of(4) == palette.highlightedText().color(), (
        "on an accent background, the line has another color"
    )


def test_of_many_branches_four_are_seen_and_the_others_by_scrolling(show):
    strip = show(HistoryStrip(), 700, 200)
    items = [HistoryItem("Opened", ""), *(HistoryItem(f"L1 {n} %", "") for n in range(30))]
    tree = Branches((0,) * 30, 30)
    strip.set_items(items, 30, tree)
    height = rect(strip, 0).height()
    assert strip.list.height() == 4 * height
    for state in (30, 1, 15):
        strip.set_items(items, state, tree.with_current(state))
        assert strip.list.viewport().rect().contains(rect(strip, state))
    assert strip.list.hidden_sides == (False, False)


def test_of_a_long_history_with_branches_only_what_is_in_sight_is_painted(show):
    strip = show(HistoryStrip(), 700, 120)
    count = 20_000
    after = tuple(max(0, state - 2) if state % 100 == 0 else state for state in range(count))
    items = [HistoryItem(f"step {n % 500}", "") for n in range(count + 1)]
    strip.set_items(items, count, Branches(after, count))
    painted = []
    paint = strip._delegate.paint
    strip._delegate.paint = lambda *args: (painted.append(args[2].row()), paint(*args))[1]
    strip.list.viewport().grab()
    assert count in painted
    assert len(painted) < 100
