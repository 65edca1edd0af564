"""The panel of the history: its states, columns and branches, by mouse and by keys."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit, QStyleOptionViewItem

from pruneapp.document.document import HistoryItem
from pruneapp.document.history import LONGEST_NOTE, Branches
from pruneapp.document.step import Row, Step
from pruneapp.evaluation.metric import MetricChange
from pruneapp.gui.document.history_model import HistoryColumn, StateResult, StateSize
from pruneapp.gui.document.history_view import HistoryPanel
from pruneapp.gui.mainwindow.window import DOCKS
from pruneapp.gui.widgets.labels import MUTED, letter_width
from pruneapp.gui.widgets.theme import DARK_THEME, LIGHT_THEME
from tests.gui.mouse_wheel import turn_wheel
from tests.gui.user import plain

ITEMS = [
    HistoryItem("Opened", "resnet20.th"),
    HistoryItem("L1 20 %, global, on 19 tensors", "all <of> it"),
    HistoryItem("L2 30 %, dim 0", "channels"),
]
ACCURACY = MetricChange("accuracy", 0.742, 0.989, 0.011, "paired", higher=True, share=True)
LOSS = MetricChange("loss", 1.5, 0.5, 0.0, "repeatable", higher=False)
TIME = MetricChange("seconds", 3.0, 3.0, 0.0, "", judged=False)
TIP, SPOKEN = Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole
LEFT = Qt.MouseButton.LeftButton
#  Opened - 1 - 2 - 3
#            `- 4 - 5
TREE = Branches((0, 1, 2, 1, 4), 5)
BRANCHED = [*ITEMS, HistoryItem("L1 90 %", ""), HistoryItem("2:4", ""), HistoryItem("LAMP", "")]


@pytest.fixture
def panel(show):
    """Return a panel with three states, of which the second is current."""
    panel = show(HistoryPanel(), 800, 240)
    panel.set_items(ITEMS, 1)
    panel.tree.setFocus()
    return panel


@pytest.fixture
def branched(show):
    panel = show(HistoryPanel(), 800, 240)
    panel.set_items(BRANCHED, 4, TREE)
    panel.tree.setFocus()
    return panel


def cell(panel, state, kind=HistoryColumn.STATE):
    """Return the rectangle of a cell."""
    states = panel.tree.states
    return panel.tree.visualRect(states.index_of(state, states.column_of(kind)))


def click(qtbot, panel, state, kind=HistoryColumn.STATE, press="mouseClick"):
    place = cell(panel, state, kind).center()
    getattr(qtbot, press)(panel.tree.viewport(), LEFT, pos=place)


def texts(panel, state):
    states = panel.tree.states
    return [plain(states.cell(state, column)) for column in range(states.columnCount())]


def measured(panel):
    panel.set_sizes({0: StateSize(0.0, 1_080_000), 1: StateSize(0.198, 870_000)})
    dense = replace(ACCURACY, value=0.989), replace(LOSS, value=0.5), TIME
    panel.set_results(
        [
            StateResult(dense, "accuracy 98.9 %"),
            StateResult((), "not evaluated"),
            StateResult((ACCURACY, LOSS, TIME), "24.7 points worse", is_old=True),
        ]
    )


def test_the_columns_show_sparsity_metrics_with_their_interval_size_and_note(panel):
    titles = ["State", "Sparsity", "Note", "Packed"]
    assert [name for _, name in panel.tree.states.columns] == titles
    assert texts(panel, 0) == ["Opened", "–", "", "–"]
    tip = panel.tree.states.headerData(3, Qt.Orientation.Horizontal, TIP)
    assert "Packed size: the bytes of the remaining weights, and one mask bit" in tip
    assert "before compression. The export format Compact compresses them" in tip
    measured(panel)
    panel.set_items([*ITEMS[:2], replace(ITEMS[2], note="for the talk")], 1)
    titles = ["State", "Sparsity", "accuracy", "Note", "loss", "Packed"]
    assert [name for _, name in panel.tree.states.columns] == titles, "durations measure no quality"
    assert texts(panel, 0) == ["Opened", "0 %", "98.9 %", "", "0.5", "1.1 MB"]
    assert texts(panel, 1)[1:] == ["19.8 %", "○", "", "○", "870 kB"]
    assert texts(panel, 2)[1:] == ["–", "(74.2 % −24.7 ±1.1)", "for the talk", "(1.5 +1)", "–"]
    assert panel.tree.currentIndex().internalId() == 1, "the cursor survives other columns"
    panel.set_results([StateResult((), "being evaluated", pending="running"), StateResult()])
    assert [name for _, name in panel.tree.states.columns][2] == "Metric"
    assert texts(panel, 0)[2] == "running"


def test_headers_of_numbers_do_not_touch_each_other(panel):
    tree = panel.tree
    panel.resize(900, 400)
    for at in (1, 3):
        text = tree.header().fontMetrics().horizontalAdvance(tree.states.columns[at][1])
        assert tree.columnWidth(at) >= text + 14


def test_a_legend_explains_parentheses_and_moves_nothing(panel):
    """Only a tooltip explained them."""
    measured(panel)
    fresh = [StateResult((ACCURACY, LOSS, TIME)) for _ in ITEMS]
    panel.set_results(fresh)
    before = panel.tree.geometry(), panel.minimumSizeHint()
    assert panel.legend.text() == ""
    measured(panel)
    assert panel.legend.text() == "( ) earlier evaluation"
    assert "with another script, Python or options" in panel.legend.toolTip()
    QApplication.processEvents()  # the legend would be laid out now
    assert (panel.tree.geometry(), panel.minimumSizeHint()) == before
    panel.set_results(fresh)
    assert panel.legend.text() == panel.legend.toolTip() == ""


def test_a_click_goes_to_a_state_and_the_circle_evaluates_it(panel, qtbot):
    measured(panel)
    with qtbot.waitSignal(panel.jumpRequested) as told:
        click(qtbot, panel, 2)
    assert told.args == [2]
    with qtbot.assertNotEmitted(panel.jumpRequested):
        click(qtbot, panel, 1)
    panel.set_items(ITEMS, 0)
    assert "click ○" in panel.tree.states.index_of(1, 2).data(TIP)
    with qtbot.assertNotEmitted(panel.jumpRequested), qtbot.waitSignal(panel.measureRequested) as s:
        click(qtbot, panel, 1, HistoryColumn.METRIC)
    assert s.args == [1]
    with qtbot.waitSignal(panel.jumpRequested):
        click(qtbot, panel, 2, HistoryColumn.METRIC)


def test_keys_go_through_states_and_columns(branched, qtbot):
    def press(key):
        qtbot.keyClick(branched.tree, key)
        return branched.tree.currentIndex().internalId()

    key = Qt.Key
    keys = key.Key_Home, key.Key_Down, key.Key_Down, key.Key_Down, key.Key_Down, key.Key_End
    assert [press(each) for each in keys] == [0, 1, 2, 3, 4, 5]
    assert [press(each) for each in (key.Key_Up, key.Key_Up)] == [4, 3]
    columns = branched.tree.states.columnCount()
    seen = []
    for _ in range(columns):
        press(key.Key_Right)
        seen.append(branched.tree.currentIndex().column())
    assert seen == [1, 2, 3, 3]
    for each in (key.Key_Return, key.Key_Space, key.Key_Enter):
        with qtbot.waitSignal(branched.jumpRequested) as told:
            press(each)
        assert told.args == [3]
    with qtbot.waitSignal(branched.deleteRequested) as told:
        press(key.Key_Delete)
    assert told.args == [3]
    press(key.Key_Home)
    with qtbot.assertNotEmitted(branched.deleteRequested):  # the opened file
        press(key.Key_Delete)


def editor(panel):
    (field,) = filter(QLineEdit.isVisible, panel.tree.viewport().findChildren(QLineEdit))
    return field


def test_names_and_notes_are_edited_in_their_cells(panel, qtbot):
    panel.tree.setCurrentIndex(panel.tree.states.index_of(2))
    qtbot.keyClick(panel.tree, Qt.Key.Key_F2)
    assert editor(panel).accessibleName().startswith("Name of this state")
    assert editor(panel).placeholderText() == "L2 30 %, dim 0"
    qtbot.keyClicks(editor(panel), "the keeper")
    panel.set_sizes({0: StateSize(0.0, 9)})  # computed meanwhile
    with qtbot.waitSignal(panel.renamed) as told:
        qtbot.keyClick(editor(panel), Qt.Key.Key_Return)
    assert told.args == [2, "the keeper"]
    panel.tree.edit_cell(1, HistoryColumn.NOTE)
    qtbot.keyClicks(editor(panel), "kept")
    qtbot.keyClick(editor(panel), Qt.Key.Key_Return)
    noted(panel, 1, "kept")
    click(qtbot, panel, 1, HistoryColumn.NOTE, press="mouseDClick")
    qtbot.keyClicks(editor(panel), "x" * (LONGEST_NOTE + 9))
    with qtbot.waitSignal(panel.annotated) as told:
        qtbot.keyClick(editor(panel), Qt.Key.Key_Return)
    assert told.args == [1, "x" * LONGEST_NOTE], "no more letters than are kept"
    note = panel.tree.states.column_of(HistoryColumn.NOTE)
    panel.tree.setCurrentIndex(panel.tree.states.index_of(0, note))
    with qtbot.assertNotEmitted(panel.annotated), qtbot.assertNotEmitted(panel.renamed):
        qtbot.keyClick(panel.tree, Qt.Key.Key_F2)  # the opened file has notes
        qtbot.keyClicks(editor(panel), "no")
        qtbot.keyClick(editor(panel), Qt.Key.Key_Escape)
        panel.tree.setCurrentIndex(panel.tree.states.index_of(0))
        qtbot.keyClick(panel.tree, Qt.Key.Key_F2)  # and its own name
        assert not any(map(QLineEdit.isVisible, panel.tree.viewport().findChildren(QLineEdit)))


def test_tab_after_return_closes_a_field_once(qtbot, panel):
    """Qt queues what Return does; Tab had closed the field by then, and Qt warned."""
    qtbot.keyClick(panel.tree, Qt.Key.Key_F2)
    field = editor(panel)
    qtbot.keyClicks(field, "kept")
    with qtbot.waitSignal(panel.renamed):
        qtbot.keyClick(field, Qt.Key.Key_Return)
        qtbot.keyClick(field, Qt.Key.Key_Tab)
    qtbot.wait(1)


@pytest.mark.parametrize("kind", [HistoryColumn.STATE, HistoryColumn.NOTE])
def test_a_text_is_edited_on_while_results_and_states_arrive(panel, qtbot, kind):
    panel.tree.edit_cell(2, kind)
    qtbot.keyClicks(editor(panel), "to ship")
    qtbot.keyClick(editor(panel), Qt.Key.Key_Left)

    panel.set_results([StateResult((ACCURACY,), "")] * 3)  # another column
    panel.set_items(BRANCHED, 4, TREE)

    qtbot.keyClicks(editor(panel), "!")
    edited = panel.renamed if kind is HistoryColumn.STATE else panel.annotated
    with qtbot.waitSignal(edited) as told:
        qtbot.keyClick(editor(panel), Qt.Key.Key_Return)
    assert told.args[0] == 2
    assert told.args[1].endswith("to shi!p")


def test_an_edited_state_may_be_deleted_meanwhile(panel, qtbot):
    panel.tree.edit_cell(2, HistoryColumn.STATE)
    qtbot.keyClicks(editor(panel), "to ship")

    panel.set_items(ITEMS[:1], 0)

    assert not any(map(QLineEdit.isVisible, panel.tree.viewport().findChildren(QLineEdit)))


def test_the_menu_of_a_state_offers_what_can_be_done(branched, qtbot):
    def actions(state):
        menu = branched.context_menu(state)
        found = {a.text().split("\t")[0]: a for a in menu.actions() if not a.isSeparator()}
        return menu, found

    kept = "Delete branch… (contains the current state)"
    for state, disabled in (
        (0, {"Rename", kept}),
        (1, {kept}),
        (4, {"Go to this state", kept}),
        (5, set()),
    ):
        menu, found = actions(state)
        assert {name for name, action in found.items() if not action.isEnabled()} == disabled
        menu.deleteLater()
    menu, found = actions(4)
    assert "Compare with the opened file" in found
    menu.deleteLater()
    for text, signal, args in (
        ("Go to this state", branched.jumpRequested, [3]),
        ("Evaluate", branched.measureRequested, [3]),
        ("Compare with the current state", branched.compareRequested, [3]),
        ("Go to this state and repair…", branched.commandRequested, [3, "repair"]),
        ("Go to this state and recover…", branched.commandRequested, [3, "recover"]),
        ("Export…", branched.exportRequested, [3]),
        ("Delete branch…", branched.deleteRequested, [3]),
    ):
        menu, found = actions(3)
        with qtbot.waitSignal(signal) as told:
            found[text].trigger()
        assert told.args == args
        menu.deleteLater()
    menu, found = actions(3)
    found["Edit note"].trigger()
    assert editor(branched).isVisible()
    menu.deleteLater()


def test_the_menu_closes_when_states_go(branched, qtbot):
    menu = branched.context_menu(3)
    menu.popup(branched.mapToGlobal(QPoint(4, 4)))
    qtbot.waitUntil(menu.isVisible)
    branched.set_items(BRANCHED[:3], 1)
    assert not menu.isVisible(), "state 3 was deleted"


def test_a_tooltip_of_a_state_says_at_most_ten_lines_and_how_many_more(panel):
    long = replace(ITEMS[2], detail="\n".join(f"line {n}" for n in range(40)))
    panel.set_items((*ITEMS[:2], long), 1)
    tip = panel.tree.states.index_of(2).data(TIP)
    assert tip.count("<br>") == 11
    assert "and 30 more" in tip
    assert "line 10<" not in tip
    assert "Undone" in tip


@pytest.mark.parametrize("rows", [1, 30])
def test_what_a_tooltip_names_and_leaves_out_adds_up_and_the_result_is_kept(panel, rows):
    """Regression: it named 8 "and 15 more" of 36 tensors, and omitted the number of weights."""
    names = tuple(f"layer.{n}.weight" for n in range(36))
    row = Row(names, "l1_unstructured", {"amount": 0.2})
    detail = Step((row,) * rows).detail((2,) * rows if rows > 1 else ())
    panel.set_items((*ITEMS[:2], replace(ITEMS[2], detail=f"{detail}\n7 of 9 weights pruned")), 1)
    tip = panel.tree.states.index_of(2).data(TIP)
    named = tip.count("Rule " if rows > 1 else ".weight")
    more = int(re.findall(r"and (\d+) more", tip)[0])
    assert named >= 4
    assert named + more == (rows if rows > 1 else 36)
    assert "7 of 9 weights pruned" in tip
    assert "Scope: per tensor" in tip
    assert tip.count("<br>") == 11


def test_states_say_whether_they_are_current_undone_or_on_another_branch(branched):
    states = branched.tree.states
    assert [states.index_of(state).data(SPOKEN) for state in range(6)] == [
        "Opened",
        "1: L1 20 %, global, on 19 tensors",
        "2: L2 30 %, dim 0, on another branch",
        "3: L1 90 %, on another branch",
        "4: 2:4, current",
        "5: LAMP, undone",
    ]
    tips = [states.index_of(n).data(TIP) for n in (2, 5)]
    assert "On another branch. Click to go to this state." in tips[0]
    assert "Undone. Click to redo up to this step." in tips[1]
    assert "&lt;of&gt;" in states.index_of(1).data(TIP)


def test_a_name_stands_for_the_step_and_the_tooltip_has_both(panel):
    panel.set_items([*ITEMS[:2], replace(ITEMS[2], name="keeper <1>", note="good")], 2)
    index = panel.tree.states.index_of(2)
    assert index.data() == "keeper <1>"
    assert index.data(SPOKEN) == "2: keeper <1>, current"
    lines = "keeper &lt;1&gt;", "L2 30 %, dim 0", "channels", "good"
    assert index.data(TIP) == "<br>".join(f"<span>{line}</span>" for line in lines)


def test_branches_are_below_the_state_that_they_start_from(branched):
    states = branched.tree.states
    assert [states.index_of(n).parent().internalId() for n in (2, 3, 4, 5)] == [1, 1, 1, 1]
    assert not states.index_of(1).parent().isValid()
    tops = [cell(branched, state).top() for state in (0, 1, 2, 3, 4, 5)]
    assert tops == sorted(tops)
    assert cell(branched, 2).left() == cell(branched, 5).left() > cell(branched, 1).left()


@pytest.mark.parametrize("theme", [LIGHT_THEME, DARK_THEME])
def test_lines_lead_from_a_state_to_its_branches(show, palette_of, theme):
    """In the accent color along the path to the current state, otherwise dimmed."""
    palette_of(theme)
    panel = show(HistoryPanel(), 600, 240)

    def line_of(state):
        """The color of the line from the parent, left of the circle."""
        panel.tree.viewport().update()
        image = panel.tree.viewport().grab().toImage()
        rect = cell(panel, state)
        return image.pixelColor(rect.left() - 12, rect.center().y())

    palette = panel.palette()
    accent, dimmed = palette.highlight().color(), palette.color(MUTED)
    panel.set_items(BRANCHED, 3, TREE)
    assert (line_of(2), line_of(4)) == (accent, dimmed)
    panel.set_items(BRANCHED, 5, TREE)
    assert (line_of(2), line_of(4)) == (dimmed, accent)
    panel.set_items(BRANCHED, 4, TREE)
    assert line_of(4) == palette.highlightedText().color(), (
        "on an accent background, the line has another color"
    )


def test_the_current_state_is_painted_on_the_highlight_color(panel):
    highlight = panel.palette().highlight().color()
    for current in (1, 0):
        panel.set_items(ITEMS, current)
        image = panel.tree.viewport().grab().toImage()
        grounds = [
            image.pixelColor(cell(panel, n).right() - 2, cell(panel, n).top() + 2) for n in range(3)
        ]
        assert [ground == highlight for ground in grounds] == [n == current for n in range(3)]


def test_the_middle_of_labels_is_elided_after_method_and_amount(show):
    """Regression: all of "1: Wa…nsors" was shown, without the amount."""
    panel = show(HistoryPanel(), 230, 240)
    labels = [
        "Opened",
        *(f"L1 {amount} %, global, on {amount} tensors of encoder" for amount in (20, 30)),
    ]
    panel.set_items([HistoryItem(label, "") for label in labels], 0)
    delegate, metrics = panel.tree.delegate, panel.fontMetrics()
    for width in (100, 130, 160, 200):
        for state in (1, 2):
            shown = delegate.label(state, metrics, width)
            assert shown.startswith(f"{state}: L1 {state + 1}0 %")
            assert "…" in shown
            assert shown.endswith("encoder") or width < 160
            assert metrics.horizontalAdvance(shown) <= width


def test_a_narrow_panel_shows_method_metric_and_sparsity_without_scrolling(show):
    """Regression: differences and intervals took the space of the names and of the sparsity."""
    panel = show(HistoryPanel(), DOCKS[0] - 16, 240)
    labels = ["Opened", "LAMP 90 %, global, on 5 tensors", "Repair of 11 layers"]
    labels.append("Recovery, 60 steps")
    panel.set_items([HistoryItem(label, "") for label in labels], 3)
    panel.set_sizes({state: StateSize(0.9, 289_000) for state in range(4)})
    cosine = MetricChange("mean_cosine", 0.8679, 1.0, 0.0031, "paired", higher=True)
    lowest = replace(cosine, name="lowest_cosine", value=0.612)
    tree, states = panel.tree, panel.tree.states
    for metrics in ((ACCURACY,), (cosine, lowest)):
        panel.set_results([StateResult(metrics, "")] * 4)
        assert cell(panel, 1, HistoryColumn.METRIC).right() < tree.viewport().width()
        assert cell(panel, 1, HistoryColumn.SPARSITY).right() < tree.viewport().width()
        for state, begins in enumerate(("Opened", "1: LAMP 90 %", "2: Repair", "3: Recovery")):
            room = cell(panel, state).width() - 6
            assert tree.delegate.label(state, tree.fontMetrics(), room).startswith(begins)
        metric = states.column_of(HistoryColumn.METRIC)
        assert "−" not in painted(panel, 1, metric), "the value alone"
        scrolls = bool(tree.horizontalScrollBar().maximum())
        assert scrolls == (len(metrics) > 1), "the size is not cut beside one metric"
    header = [states.headerData(at, Qt.Orientation.Horizontal) for at in (1, 2, 4)]
    assert header == ["Sparsity", "cosine (mean)", "lowest cosine"]
    panel.resize(900, 240)
    assert painted(panel, 1, metric) == "0.8679 −0.1321 ±0.0031"


def painted(panel, state, column):
    """Return the text that is painted in a cell."""
    option, index = QStyleOptionViewItem(), panel.tree.states.index_of(state, column)
    option.rect = panel.tree.visualRect(index)
    panel.tree.delegate.initStyleOption(option, index)
    return option.text


def test_columns_that_do_not_fit_are_scrolled_to(show, qtbot):
    panel = show(HistoryPanel(), 300, 240)
    panel.set_items(ITEMS, 1)
    measured(panel)
    tree = panel.tree
    width = tree.viewport().width()
    assert cell(panel, 1).width() >= 10 * letter_width(tree), "ten letters of the name"
    assert cell(panel, 1, HistoryColumn.METRIC).right() <= width, "the first metric is whole"
    assert cell(panel, 1, HistoryColumn.BYTES).right() >= width
    turn_wheel(tree.viewport(), -9, modifiers=Qt.KeyboardModifier.ShiftModifier)
    assert cell(panel, 1, HistoryColumn.BYTES).right() == width - 1
    turn_wheel(tree.viewport(), 9, modifiers=Qt.KeyboardModifier.ShiftModifier)
    assert not tree.horizontalScrollBar().value()
    tree.setFocus()
    for column in range(1, tree.states.columnCount()):
        qtbot.keyClick(tree, Qt.Key.Key_Right)
        assert tree.currentIndex().column() == column
        assert tree.viewport().rect().contains(tree.visualRect(tree.currentIndex()))
    panel.resize(900, 240)
    assert cell(panel, 2, HistoryColumn.BYTES).right() == tree.viewport().width() - 1


def visible_columns(panel):
    """Return the kinds of the columns that are wholly visible, from left to right."""
    tree = panel.tree
    fits = [
        kind
        for at, (kind, _) in enumerate(tree.states.columns)
        if not tree.isColumnHidden(at)
        and tree.columnViewportPosition(at) + tree.columnWidth(at) <= tree.viewport().width()
    ]
    assert [tree.header().visualIndex(at) for at in range(len(tree.states.columns))] == [
        *range(len(tree.states.columns))
    ]
    return fits


def test_titles_of_columns_do_not_touch(show):
    """Regression: "Sparsity" ended where "cosine (mean)" began."""
    panel = show(HistoryPanel(), 304, 240)
    panel.set_items(ITEMS, 1)
    panel.set_results([StateResult((MetricChange("mean_cosine", 0.9, 1.0, 0.0, "", True),), "")])
    header = panel.tree.header()
    assert header.model().headerData(2, Qt.Orientation.Horizontal) == "cosine (mean)"
    for column in (1, 2):
        title = header.model().headerData(column, Qt.Orientation.Horizontal)
        width = header.fontMetrics().horizontalAdvance(title)
        assert header.sectionSize(column) >= width + 6, title


@pytest.mark.parametrize("note", ["", "best state so far"])
def test_longer_names_hide_no_column(show, note):
    """Regression: the second metric and the size were hidden when a name became longer."""
    panel = show(HistoryPanel(), 900, 240)
    metrics = StateResult((ACCURACY, LOSS), "")
    sizes = {state: StateSize(0.3, 406_000) for state in range(3)}
    for width in range(900, 280, -40):
        panel.resize(width, 240)
        seen = []
        for label in ("L1 30 %", "LAMP 90 %, global, on 20 tensors", "long " * 40):
            items = [ITEMS[0], *(HistoryItem(label, "", note=note) for _ in range(2))]
            panel.set_items(items, 1)
            panel.set_sizes(sizes)
            panel.set_results([metrics] * 3)
            seen.append((visible_columns(panel), painted(panel, 1, 2)))
        assert seen[0] == seen[1] == seen[2], width
        assert HistoryColumn.SPARSITY in seen[0][0]
        assert HistoryColumn.METRIC in seen[0][0]
        room = panel.tree.viewport().width()
        used = sum(map(panel.tree.columnWidth, range(len(panel.tree.states.columns))))
        assert used >= room, "no empty space at the right"


@pytest.mark.parametrize("width", [240, 300, 360, 460, 700, 1000])
def test_the_first_metric_is_always_visible_and_no_empty_column_is_scrolled_to(show, width):
    """Regression: long names pushed the metric out of a narrow panel."""
    panel = show(HistoryPanel(), width, 240)
    label = "L1 50 % on 36 tensors of encoder.layer, per tensor, 50 % in total"
    panel.set_items([ITEMS[0], HistoryItem(label, ""), HistoryItem(label[:-8], "")], 1)
    panel.set_sizes({state: StateSize(0.5, 22_700_000) for state in range(3)})
    cosine = MetricChange("mean cosine", 0.98, 1.0, 0.01, "paired", higher=True)
    panel.set_results([StateResult((cosine,), "")] * 3)
    tree, states = panel.tree, panel.tree.states
    room = tree.viewport().width()
    assert cell(panel, 1, HistoryColumn.METRIC).right() < room
    numbers = sum(tree.columnWidth(at) for at in range(1, states.columnCount() - 1))
    if tree._content_width(0) + numbers <= room or 26 * letter_width(tree) + 40 + numbers <= room:
        assert not tree.horizontalScrollBar().maximum()
    panel.set_items([replace(item, note="good") for item in states.items], 1)
    assert not tree.isColumnHidden(states.column_of(HistoryColumn.NOTE))


@pytest.mark.parametrize("width", [320, 340, 448])
def test_twelve_letters_of_a_note_are_visible_and_nothing_is_scrolled(show, qtbot, width):
    """Regression: the name was scrolled away during the edit, and then "best s" was shown."""
    panel = show(HistoryPanel(), width, 240)
    labels = ["Opened", *(f"L1 {n}0 %, global, on 11 tensors" for n in range(1, 8))]
    labels.append("L2 40 %, dim 0, with dependent tensors, on 3 tensors")
    panel.set_items([HistoryItem(label, "") for label in labels], 8)
    panel.set_sizes({state: StateSize(0.3, 406_000) for state in range(9)})
    panel.set_results([StateResult((ACCURACY, LOSS), "")] * 9)
    panel.annotated.connect(lambda state, text: noted(panel, state, text))
    tree, kinds = panel.tree, HistoryColumn
    for edits in (True, False):
        if edits:
            tree.edit_cell(1, kinds.NOTE)
        for kind in (kinds.STATE, kinds.METRIC, kinds.NOTE):
            assert tree.viewport().rect().contains(cell(panel, 1, kind)), kind
        assert not tree.horizontalScrollBar().value()
        if edits:
            qtbot.keyClicks(editor(panel), "best state so far")
            qtbot.keyClick(editor(panel), Qt.Key.Key_Return)
            qtbot.waitUntil(lambda: "best state so far" in texts(panel, 1))
    note = tree.states.column_of(kinds.NOTE)
    room = cell(panel, 1, kinds.NOTE).width() - 12
    whole = painted(panel, 1, note)
    begins = whole[: whole.index("best") + 12]
    assert tree.fontMetrics().horizontalAdvance(begins) <= room
    room = cell(panel, 1).width() - 6
    shown = tree.delegate.label(1, tree.fontMetrics(), room)
    assert shown.startswith("1: L1 10 %")


@pytest.mark.parametrize("name", ["accuracy", "validation_accuracy"])
@pytest.mark.parametrize("branches", [0, 3])
def test_a_note_stays_in_the_standard_panel_beside_a_wide_metric(show, qtbot, name, branches):
    """Regression: a long name of a metric, or branches, moved the notes out of the panel."""
    panel = show(HistoryPanel(), DOCKS[0], 240)
    after = [0]
    for _ in range(branches):
        after += [len(after), len(after)]
    states = range(len(after) + 1)
    panel.annotated.connect(lambda state, text: noted(panel, state, text))
    items = [HistoryItem("L1 20 %, global, on 19 tensors", "") for _ in states]
    panel.set_items(items, len(after), Branches(tuple(after), len(after)))
    panel.set_sizes({state: StateSize(0.198, 870_000) for state in states})
    metric = MetricChange(name, 0.9907, 0.9919, 0.0031, "paired", higher=True)
    panel.set_results([StateResult((metric, LOSS), is_old=True) for _ in states])
    panel.tree.edit_cell(1, HistoryColumn.NOTE)
    qtbot.keyClicks(editor(panel), "best state so far")
    qtbot.keyClick(editor(panel), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "best state so far" in texts(panel, 1))
    for kind in (HistoryColumn.SPARSITY, HistoryColumn.METRIC, HistoryColumn.NOTE):
        assert panel.tree.viewport().rect().contains(cell(panel, 1, kind)), kind
    place = cell(panel, 1, HistoryColumn.METRIC)
    assert panel.tree.fontMetrics().horizontalAdvance("(0.9907)") < place.width()


def noted(panel, state, text):
    items = list(panel.tree.states.items)
    items[state] = replace(items[state], note=text)
    panel.set_items(items, 1)


def test_a_note_is_edited_while_its_column_is_hidden(show, qtbot):
    panel = show(HistoryPanel(), 260, 240)
    panel.set_items(ITEMS, 1)
    note = panel.tree.states.column_of(HistoryColumn.NOTE)
    assert panel.tree.isColumnHidden(note)
    panel.tree.edit_cell(1, HistoryColumn.NOTE)
    panel.set_sizes({0: StateSize(0.0, 9)})  # computed meanwhile
    qtbot.keyClicks(editor(panel), "kept")
    with qtbot.waitSignal(panel.annotated) as told:
        qtbot.keyClick(editor(panel), Qt.Key.Key_Return)
    assert told.args == [1, "kept"]
    panel.tree.setCurrentIndex(panel.tree.states.index_of(1))
    assert panel.tree.isColumnHidden(note), "it is still empty, as nobody stored the note"


@pytest.mark.parametrize("kind", [HistoryColumn.STATE, HistoryColumn.NOTE])
def test_the_field_of_a_name_or_note_is_wider_than_a_narrow_cell(show, kind):
    """Regression: the field of a note had room for six letters."""
    panel = show(HistoryPanel(), 400, 240)
    panel.set_items(ITEMS, 1)
    measured(panel)
    panel.tree.edit_cell(1, kind)
    field = editor(panel)
    assert field.width() >= 240
    assert panel.tree.viewport().rect().contains(field.geometry())


def test_a_long_history_shows_the_current_state_and_paints_what_is_in_sight(show):
    panel = show(HistoryPanel(), 400, 240)
    count = 2_000
    panel.set_items([HistoryItem(f"Step {n}", "") for n in range(count)], 1250)
    assert panel.tree.viewport().rect().contains(cell(panel, 1250).center())
    painted, paint = [], panel.tree.delegate.paint
    panel.tree.delegate.paint = lambda *args: (painted.append(args[2].internalId()), paint(*args))
    panel.tree.viewport().grab()
    assert 1250 in painted
    assert len(set(painted)) < 30


def test_new_values_are_painted_without_a_visit_of_all_states(panel, qtbot):
    painted, paint, visited = [], panel.tree.delegate.paint, []
    panel.tree.delegate.paint = lambda *args: (painted.append(args[2].data()), paint(*args))
    panel.tree.states.dataChanged.connect(lambda *_: visited.append(True))
    panel.set_sizes({1: StateSize(0.198, 870_000)})
    qtbot.waitUntil(lambda: "870 kB" in map(plain, painted))
    assert not visited, "only screen readers need it"


def test_a_step_at_the_end_is_inserted_and_others_stay(panel):
    states, reset, inserted = panel.tree.states, [], []
    assert states.parent() is panel
    states.modelReset.connect(lambda: reset.append(True))
    states.rowsInserted.connect(lambda _parent, first, last: inserted.append((first, last)))
    panel.set_items([*ITEMS, HistoryItem("L1 5 %", "")], 3)
    assert (reset, inserted) == ([], [(3, 3)])
    assert panel.tree.currentIndex().internalId() == 3
    panel.set_items(ITEMS[:1], 0)
    assert states.rowCount() == 1


def test_all_states_are_copied_as_a_table_with_all_digits(panel, qtbot):
    measured(panel)
    qtbot.keyClick(panel.tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QGuiApplication.clipboard().text()
    head, *rows = [line.split("\t") for line in text.split("\n")]
    assert head[:2] == ["state", "sparsity (%)"]
    assert [row[0] for row in rows] == [
        "Opened",
        "1: L1 20 %, global, on 19 tensors",
        "2: L2 30 %, dim 0",
    ]
    assert "accuracy: noise ±" in head
    assert QApplication.focusWidget() is panel.tree


def test_values_of_a_metric_have_the_same_number_of_decimals(panel):
    """Regression: 0.912 was shown next to 0.8259."""
    values = 1.0, 0.912, 0.8259
    metrics = [MetricChange("cosine", value, value, 0.0, "repeatable") for value in values]
    panel.set_results([StateResult((metric,)) for metric in metrics])
    states = panel.tree.states
    column = states.column_of(HistoryColumn.METRIC)
    assert [states.cell(n, column) for n in range(3)] == ["1.0000", "0.9120", "0.8259"]


def test_numbers_at_the_edge_are_elided_and_not_cut(show):
    """Regression: 0.02323 was read as 0.0232 where its column ended outside of the view."""
    panel = show(HistoryPanel(), 300, 240)
    panel.set_items(ITEMS, 1)
    panel.set_results([StateResult((ACCURACY, LOSS), "")] * 3)
    tree, found = panel.tree, 0
    end = tree.viewport().width() - 1
    for column in range(1, tree.states.columnCount()):
        option, index = QStyleOptionViewItem(), tree.states.index_of(1, column)
        option.rect = cell = tree.visualRect(index)
        tree.delegate.initStyleOption(option, index)
        is_cut = cell.left() < end < cell.right()
        found += is_cut
        assert option.rect.right() == (end if is_cut else cell.right())
    assert found == 1
