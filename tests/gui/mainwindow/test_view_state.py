"""Columns, sort order, page and form are restored for each file."""

import json
import shutil

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QFileDialog

from pruneapp import resources
from pruneapp.gui.app.settings import VIEWED_FILES, Settings
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.tree.columns import Column
from pruneapp.gui.tree.model import Order
from pruneapp.methods import registry

SAMPLE = resources.path("sample/lenet-digits.safetensors")


@pytest.fixture
def files(tmp_path):
    """Return two files with the tensors of the sample."""
    return [shutil.copy(SAMPLE, tmp_path / f"{name}.safetensors") for name in "ab"]


def test_a_file_is_shown_as_it_was_left(user, files):
    first, second = files
    user.open_file(first)
    usual = user.views.tree.checked_names()
    name = usual[-1]
    user.views.tree.set_checked([name])
    user.views.tree.set_focused(name)
    user.views.pages.tabs.setCurrentIndex(Page.CHANNELS)
    user.open_file(second)
    assert user.views.tree.checked_names() == usual
    assert user.views.pages.page is Page.CHANNELS
    user.views.pages.tabs.setCurrentIndex(Page.MODEL)
    user.open_file(first)
    assert user.views.tree.checked_names() == (name,)
    assert user.views.tree.focused_name() == name
    assert user.views.pages.page is Page.CHANNELS


def test_a_window_that_starts_with_the_whole_model_offers_no_manual_edit(
    new_user, settings_file, files
):
    settings = Settings(settings_file)
    for file, page in zip(files, ("compare", "model"), strict=True):
        settings.set_views({"page": page}, file, {"page": page})
    settings.flush()
    user = new_user().wait_ready()
    for file, page in zip(files, (Page.COMPARE, Page.MODEL), strict=True):
        user.open_file(file)
        assert user.views.pages.page is page
        assert not user.views.edit_options.isVisible()
    user.views.pages.tabs.setCurrentIndex(Page.CHANNELS)
    assert user.views.edit_options.isVisible()


def widen(user):
    """Drag the border between the tree and the plots 60 pixels to the right."""
    window, dock = user.window, user.views.tree_dock
    at = QPoint(dock.geometry().right() + 3, dock.geometry().center().y())
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    for kind, place, button, buttons in (
        (QEvent.Type.MouseButtonPress, at, left, left),
        (QEvent.Type.MouseMove, at + QPoint(60, 0), none, left),
        (QEvent.Type.MouseButtonRelease, at + QPoint(60, 0), left, none),
    ):
        where = QPointF(window.mapToGlobal(place))
        keys = Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(
            window, QMouseEvent(kind, QPointF(place), where, button, buttons, keys)
        )
        user.pause(50)  # Qt moves it in the event loop
    return dock.width()


def test_a_moved_border_stays_when_the_window_was_narrow_or_another_file_is_opened(user, files):
    """Regression: the docks got their initial widths again."""
    user.open_file(files[0])
    user.window.resize(1280, 800)
    user.pause(50)
    before = user.views.tree_dock.width()
    width = widen(user)
    assert width > before + 40
    user.window.resize(900, 800)
    user.pause(50)
    user.window.resize(1280, 800)
    user.wait(lambda: abs(user.views.tree_dock.width() - width) < 8)
    user.open_file(files[1])
    user.pause(50)
    assert abs(user.views.tree_dock.width() - width) < 8


def test_the_form_is_found_again(user, files):
    first, second = files
    user.open_file(first)
    user.views.form.set_amount(0.37)
    user.wait(lambda: user.views.form.request() is not None)
    said = user.views.form.request()
    user.open_file(second)
    user.views.form.set_amount(0.5)
    user.open_file(first)
    assert user.views.form.request() == said


def test_a_new_file_starts_with_the_defaults_of_the_form(user, files):
    """Amounts, rules, scope and limits of another file would apply unnoticed."""
    first, second = files
    user.open_file(first)
    form = user.views.form
    usual = form.request()
    user.ask_amount("37 %")
    user.click(form.all)
    user.click(form.add)
    user.qtbot.keyClicks(user.rule.target, "conv*")
    form.set_limit("target_sparsity", 0.5)
    user.open_file(second)
    assert form.request() == usual
    user.open_file(first)
    assert [row.pattern for row in form.request().rows] == ["", "conv*"]
    assert form.request().limits == {"target_sparsity": 0.5}


def test_a_method_without_a_choice_of_scope_leaves_the_choice_as_it_was(user, files):
    """Regression: LAMP is always global, and restoring it changed the scope of other methods."""
    first, second = files
    user.open_file(first)
    form = user.views.form
    form.choose_method("lamp")
    assert form.request().scope == "global"
    user.open_file(second)
    form.reset()
    user.open_file(first)
    assert form.request().rows[0].method == "lamp"
    form.choose_method("l1_unstructured")
    assert form.request().scope == "local"
    assert form.each.isChecked()


def test_columns_and_order_are_found_again(user, files):
    user.open_file(files[0])
    view = user.views.tree.view
    view.show_column(Column.TYPE, shown=True)
    view.show_column(Column.SHAPE, shown=False)
    user.views.tree.set_flat(flat=True)
    view.header().setSortIndicator(Column.PARAMETERS, view.header().sortIndicatorOrder())
    kept = view.columns()
    user.session.close()
    window = user.workbench.settings.state.window
    assert window["columns"] == kept
    assert kept["sorted"] == "parameters"
    assert "type" in kept["shown"]
    assert "shape" not in kept["shown"]
    json.dumps(dict(window))
    view.set_columns({"shown": ["name", "sparsity"], "sorted": "nothing"})
    assert view.isColumnHidden(Column.TYPE)
    view.set_columns(window["columns"])
    assert view.columns() == kept


def test_the_list_and_the_tree_are_each_sorted_by_their_own(user, files):
    user.open_file(files[0])
    tree, down = user.views.tree, Qt.SortOrder.DescendingOrder
    header = tree.view.header()
    tree.set_flat(flat=True)
    header.setSortIndicator(Column.SPARSITY, down)
    tree.set_flat(flat=False)
    assert tree.model.listing.order == Order()
    assert header.sortIndicatorSection() == -1
    header.setSortIndicator(Column.NAME, down)
    tree.set_flat(flat=True)
    assert tree.model.listing.order == Order(Column.SPARSITY, descending=True)
    assert header.sortIndicatorSection() == Column.SPARSITY
    tree.set_flat(flat=False)
    assert tree.model.listing.order == Order(Column.NAME, descending=True)
    user.open_file(files[1])  # another model is in the order of its file
    assert tree.model.listing.order == Order()
    assert header.sortIndicatorSection() == -1
    user.open_file(files[0])  # restored
    assert tree.model.listing.order == Order(Column.NAME, descending=True)
    assert tree.view.order(flat=True) == {"sorted": "sparsity", "descending": True}


def test_the_width_of_a_column_is_found_again(user, files):
    user.open_file(files[0])
    view = user.views.tree.view
    view.header().resizeSection(Column.SPARSITY, 171)
    user.session.close()
    kept = user.workbench.settings.state.window["columns"]
    assert kept["widths"] == {"sparsity": 171}
    view.header().resizeSection(Column.SPARSITY, 120)
    view.set_columns(kept)
    user.open_file(files[1])
    user.window.resize(1300, 800)
    user.pause(20)
    assert view.columnWidth(Column.SPARSITY) == 171
    view.set_columns({"widths": {"sparsity": "wide", "shape": -3, "nothing": 5}})
    assert view.columnWidth(Column.SPARSITY) == 171


def test_what_is_unfolded_and_the_kind_are_found_again(user, files):
    first, second = files
    user.open_file(first)
    tree = user.views.tree
    view, kind = tree.view, tree.tree_filter.kind
    at_first, nodes = view.expanded_paths(), tree.model.nodes
    folded = next(row.shown.rpartition(".")[0] for row in nodes.rows[::-1])
    assert folded not in at_first
    view.expand(tree.model.index_of(nodes.paths.index(folded)))
    unfolded = view.expanded_paths()
    assert set(unfolded) == {*at_first, folded}
    user.open_file(second)
    assert view.expanded_paths() == at_first
    kind.setCurrentIndex(1)
    chosen = kind.currentData()
    user.open_file(first)
    assert view.expanded_paths() == unfolded
    assert view.isExpanded(tree.model.index_of(tree.model.nodes.paths.index(folded)))
    assert kind.currentData() == ""
    user.open_file(second)
    assert kind.currentData() == chosen
    user.wait(lambda: tree.model.listing.filter.kind == chosen)


def test_names_stay_whole_whatever_columns_are_added(user, files):
    user.open_file(files[0])
    view = user.views.tree.view
    for width in (1000, 1280, 900, 1280):
        user.window.resize(width, 800)
        user.pause(10)
        view.show_column(Column.SHAPE, shown=width == 1280)
    assert "widths" not in view.columns(), "the user has chosen none"
    for column in Column:
        if column != Column.NAME:
            view.show_column(column, shown=True)
        user.pause(10)
        assert view.columnWidth(Column.NAME) >= view.sizeHintForColumn(Column.NAME)
    assert view.horizontalScrollBar().maximum() > 0


def test_settings_keep_the_last_files_alone(tmp_path):
    settings = Settings(tmp_path / "s.json")
    for number in range(VIEWED_FILES + 5):
        settings.set_views({"page": "model"}, tmp_path / f"{number}.pt", {"tensor": str(number)})
    settings.flush()
    found = Settings(tmp_path / "s.json")
    assert found.state.window == {"page": "model"}
    assert found.view(tmp_path / "4.pt") == {}
    assert found.view(tmp_path / "5.pt") == {"tensor": "5"}


def test_a_folder_is_kept_for_each_purpose(tmp_path):
    settings = Settings(tmp_path / "s.json")
    (tmp_path / "a").mkdir()
    assert settings.folder("open") == ""
    settings.set_folder("open", tmp_path / "a" / "x.pt")
    settings.set_folder("recipe", tmp_path / "gone" / "x.json")
    settings.flush()
    found = Settings(tmp_path / "s.json")
    assert found.folder("open") == str(tmp_path / "a")
    assert found.folder("recipe") == "", "its form was removed"


def test_a_dialog_begins_where_the_last_one_for_it_ended(user, files, tmp_path, monkeypatch):
    user.open_file(files[0])
    bench = user.workbench
    asked = []

    def choose(_parent, _title, place="", *_patterns):
        asked.append(str(place))
        return "", ""

    for dialog in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, dialog, staticmethod(choose))
    for number, (purpose, *calls) in enumerate(
        (
            ("recipe", bench.recipes.apply),
            (
                "mask",
                bench.form.load_masks,
                bench.form.load_scores,
                bench.manual_edit.combining.ask,
            ),
            ("compare", bench.compare.ask_file),
            ("session", bench.sessions.save_as),
            ("method", bench.settings_controller.load_method),  # or the folder for "open"
            ("open", bench.files.ask_file),
        )
    ):
        there = tmp_path / f"there{number}"
        there.mkdir()
        for call in calls:
            call()
        assert "there" not in str(asked), purpose
        asked.clear()
        user.session.note_folder(purpose, there / "x")
        for call in calls:
            call()
        assert len(asked) == len(calls), purpose
        assert all(place.startswith(str(there)) for place in asked), purpose
        asked.clear()


def test_settings_of_before_still_open(tmp_path):
    old = {"version": 1, "values": {"theme": "dark"}, "recent": ["/a.pt"], "blobs": {"docks": ""}}
    (tmp_path / "s.json").write_text(json.dumps(old))
    settings = Settings(tmp_path / "s.json")
    assert [str(path) for path in settings.recent] == ["/a.pt"]
    assert settings.state.window == {}
    assert settings.view(tmp_path / "a.pt") == {}


def test_a_form_of_a_method_that_is_gone_is_not_kept_and_stops_nothing(user, files, monkeypatch):
    """Regression: closing such a file raised an error, and no state was saved."""
    first, second = files
    user.open_file(first)
    name = user.views.tree.checked_names()[-1]
    user.views.tree.set_checked([name])
    user.choose(user.rule.method, "LAMP")
    left = {key: method for key, method in registry.METHODS.items() if key != "lamp"}
    with monkeypatch.context() as patched:
        patched.setattr(registry, "METHODS", left)
        user.open_file(second)
        user.wait_idle()
    user.open_file(first)
    assert user.views.tree.checked_names() == (name,)
    assert not user.bugs


def test_a_slip_in_one_field_loses_no_rules(user, files):
    """Regression: with an invalid amount, nothing of the form was saved."""
    first, second = files
    user.open_file(first)
    user.click(user.views.form.add)
    user.type(user.rule.target.lineEdit(), "*.weight")
    user.choose(user.rule.method, "Random unstructured")
    user.ask_amount("150")
    assert user.views.form.request() is None
    user.open_file(second)
    user.window.actions_["reset_form"].trigger()
    assert len(user.views.form.rules) == 1
    user.open_file(first)
    rules = user.views.form.request().rows
    assert [row.method for row in rules] == ["l1_unstructured", "random_unstructured"]
    assert [row.values["amount"] for row in rules] == [0.2, 0.2]
    assert rules[1].pattern == "*.weight"


@pytest.mark.parametrize("place", ["strip", "table"])
def test_a_tensor_chosen_on_the_page_model_is_shown_everywhere(user, qtbot, place):
    user.open_file(SAMPLE)
    views = user.views
    views.pages.tabs.setCurrentIndex(Page.MODEL)
    model = views.pages.model
    user.wait(model.strip.isVisible)
    before = user.workbench.plots.name
    if place == "strip":
        user.wait(lambda: model.strip.pixels_of(len(user.session.rows) - 1)[1] > 0)
        left, right = model.strip.pixels_of(len(user.session.rows) - 1)
        at = QPoint(int((left + right) / 2), 10)
        qtbot.mouseClick(model.strip, Qt.MouseButton.LeftButton, pos=at)
    else:
        model.toggle_table()
        table = model._table
        user.wait(lambda: table.model().rowCount() > 1)
        table.setCurrentIndex(table.model().index(table.model().rowCount() - 1, 0))
        qtbot.keyClick(table, Qt.Key.Key_Return)

    shown = views.tree.focused_name()
    assert shown != before
    assert user.workbench.plots.name == shown
