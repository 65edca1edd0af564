"""Several windows of one process: each has its file and history, and some things are shared."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from safetensors.numpy import save_file

from pruneapp.gui.app.settings import DEVICE, MOTION, THEME
from pruneapp.gui.files import recovery_controller
from pruneapp.gui.files.open_controller import window_of
from pruneapp.gui.files.recovery_controller import find_leftovers

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def files(tmp_path):
    """Write three models with the same tensor names."""
    found = [tmp_path / f"model-{n}.safetensors" for n in range(3)]
    for seed, path in enumerate(found):
        rng = np.random.default_rng(seed)
        arrays = {"a.weight": rng.normal(size=(8, 5)), "b.weight": rng.normal(size=(6, 8))}
        save_file({n: a.astype(np.float32) for n, a in arrays.items()}, path)
    return found


@pytest.fixture
def pair(new_user, files):
    """Return the users at two windows of one process, each with a file."""
    first = new_user(files[0]).wait_ready()
    first.wait_open(files[0])
    second = first.open_beside(files[1])
    yield first, second
    assert not first.bugs + second.bugs


def window_menu(user):
    """Return the entries of the menu Window, and whether each is checked."""
    actions = [a for a in user.window.actions_.windows if a.isVisible()]
    return [(action.text().replace("&", ""), action.isChecked()) for action in actions]


def is_in_front(user):
    return user.window.isActiveWindow()


def test_a_new_window_has_nothing_open(user):
    user.key("Ctrl+N")
    other = user.at_window(1)
    assert other.window.empty.isVisible()
    assert other.document is None
    assert other.window.pos() != user.window.pos()
    assert other.window.size() == user.window.size()


def test_two_windows_have_a_document_and_a_history_each_and_recent_files_together(pair, files):
    def texts(user):
        return [a.text().replace("&", "") for a in user.window.actions_.recent if a.isVisible()]

    first, second = pair
    assert first.document.checkpoint.path == files[0]
    second.prune()
    assert len(first.states) == 1
    first.prune()
    second.key("Ctrl+Z")
    second.wait(lambda: second.document.position == 0)
    assert first.document.position == 1
    dialog = first.open_export()
    assert second.workbench.export.dialog is None
    dialog.reject()

    first.wait(lambda: texts(first) == [f"1 {files[1]}", f"2 {files[0]}"])
    second.menu("File", "Open recent", "Pin this file")
    second.drop(files[2])
    second.wait_open(files[2])
    for user in pair:
        now = [f"1 {files[1]}", f"2 {files[2]}", f"3 {files[0]}"]
        user.wait(lambda user=user, now=now: texts(user) == now)

    # a window without a file takes what is opened in a window of its own
    second.key("Ctrl+W")
    second.wait(lambda: second.document is None)
    first.chooses_file(files[2])
    first.menu("File", "Open in new window")
    second.wait_open(files[2])
    second.wait(lambda: is_in_front(second))
    assert len(first.launcher.starts) == 2


def test_a_file_that_is_open_elsewhere_is_shown_there(pair, files, tmp_path):
    first, second = pair
    link, session = tmp_path / "link.safetensors", tmp_path / "a.prune"
    link.symlink_to(files[0])
    for how in ("open", "in window", "drop", "link", "session"):
        path = {"link": link, "session": session}.get(how, files[0])
        if how == "session":
            first.chooses_file(path, "getSaveFileName")
            first.key("Ctrl+S")
            first.wait(lambda: first.workbench.sessions.path == session)
            first.wait_idle()
        second.window.activateWindow()
        second.wait(lambda: is_in_front(second))
        if how == "drop":
            second.drop(path)
        else:
            second.chooses_file(path)
            second.key("Ctrl+Shift+N" if how == "in window" else "Ctrl+O")
        first.wait(lambda: is_in_front(first))
        second.wait_idle()
        assert len(first.launcher.starts) == 2, how
        assert second.document.checkpoint.path == files[1], how


def test_a_file_is_known_by_its_links_and_a_url_by_its_text(tmp_path):
    from pruneapp.checkpoint.io.store import locate

    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    open_files = {1: tmp_path / "folder" / "m.pt", 2: locate("s3://bucket/m.pt")}
    assert window_of(tmp_path / "link" / "m.pt", open_files) == 1
    assert window_of(tmp_path / "link" / ".." / "folder" / "m.pt", open_files) == 1
    assert window_of(locate("s3://bucket/m.pt"), open_files) == 2
    assert window_of(locate("s3://bucket/n.pt"), open_files) is None
    assert window_of(tmp_path / "n.pt", open_files) is None


def choose_recent(user, number, held=Qt.KeyboardModifier.NoModifier):
    """Choose an entry of Open recent with the mouse."""
    menu = user.window.actions_.menus["&File/Open &recent"]
    menu.popup(user.window.mapToGlobal(QPoint(20, 40)))
    user.wait(menu.isVisible)
    place = menu.actionGeometry(user.window.actions_[f"recent_{number}"]).center()
    user.qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, held, place)
    user.wait(lambda: QApplication.activePopupWidget() is None)


def test_a_recent_file_is_opened_in_a_window_of_its_own_with_ctrl(new_user, files):
    first = new_user().wait_ready()
    for path in files[:2]:
        first.drop(path)
        first.wait_open(path)
    choose_recent(first, 2, CTRL)
    second = first.at_window(1)
    second.wait_open(files[0])
    assert first.document.checkpoint.path == files[1]
    second.key("Ctrl+W")
    second.wait(lambda: second.document is None)
    first.wait(lambda: str(files[0]) in first.window.actions_.recent[0].text().replace("&", ""))
    choose_recent(first, 1)  # the file that was closed
    first.wait_open(files[0])
    first.key("Ctrl+2")  # a shortcut closes no file either
    second.wait_open(files[1])
    assert first.document.checkpoint.path == files[0]
    assert len(first.launcher.starts) == 2
    second.key("Ctrl+W")
    second.wait(lambda: second.document is None)
    first.drop(files[2], ctrl=True)
    second.wait_open(files[2])
    assert first.document.checkpoint.path == files[0]


@pytest.mark.parametrize("early", [False, True])
def test_of_several_files_that_are_dropped_each_gets_a_window(new_user, files, early):
    """The first file opens in the window of the drop, once it is ready."""
    first = new_user()
    if not early:
        first.wait_ready()
    first.drop(files[0], files[1], files[0])
    first.wait_open(files[0])
    first.at_window(1).wait_open(files[1])
    first.wait_idle()
    assert len(first.launcher.starts) == 2


@pytest.mark.usefixtures("histories_off")
def test_closing_asks_about_the_work_of_a_window_and_quit_about_each(pair, tmp_path):
    first, second = pair
    first.prune()
    asked = first.answers("Cancel")
    second.key("Ctrl+Q")  # closes the windows until one stays
    first.wait(lambda: asked)
    first.wait(lambda: len(first.launcher.starts) == 1)
    assert first.window.isVisible()

    first.key("Ctrl+N")
    first.at_window(1).menu("File", "Close window")  # no question is asked
    first.wait(lambda: len(first.launcher.starts) == 1)
    asked = first.answers("Cancel")
    first.key("Ctrl+Shift+W")
    first.wait(lambda: asked)
    assert first.window.isVisible()

    first.key("Ctrl+N")
    third = first.at_window(1)
    first.chooses_file(tmp_path / "a.prune", "getSaveFileName")
    first.answers("Save session…")
    third.key("Ctrl+Q")
    first.wait(lambda: not first.launcher.starts)
    assert (tmp_path / "a.prune").exists()


@pytest.mark.usefixtures("histories_off")
def test_saving_on_the_way_out_goes_on_to_the_next_window(pair, files, tmp_path):
    first, second = pair
    second.prune()
    # A file that is open in the same window is opened again there: the history is discarded.
    asked = second.answers("Discard changes")
    second.open(files[1])
    second.wait(lambda: asked)
    second.wait(lambda: len(second.states) == 1)
    assert len(first.launcher.starts) == 2

    first.prune()
    second.prune()
    second.chooses_file(tmp_path / "b.prune", "getSaveFileName")
    asked = first.answers("Save session…", "Cancel")
    first.key("Ctrl+Q")
    first.wait(lambda: len(asked) == 2)
    assert (tmp_path / "b.prune").exists()
    first.wait(lambda: len(first.launcher.starts) == 1)
    assert first.window.isVisible()


@pytest.mark.usefixtures("histories_off")
def test_a_closed_window_leaves_nothing_behind(new_user, files):
    first = new_user(files[0]).wait_ready()
    first.wait_open(files[0])
    recent = first.window.empty  # the list of recent files, which grows by one

    def widgets():
        return sum(not recent.isAncestorOf(widget) for widget in QApplication.allWidgets())

    alone = widgets()
    second = first.open_beside(files[1])
    second.prune()
    bench = second.workbench
    things = (second.window, bench, bench.session, second.document, bench.plots, second.start)
    left = {type(thing).__name__: weakref.ref(thing) for thing in things}
    del things, bench
    asked = second.answers("Discard changes")
    second.window.close()
    first.wait(asked.__len__)
    second.__dict__.clear()
    del second

    def gone():
        gc.collect()
        return not [name for name, ref in left.items() if ref() is not None]

    first.qtbot.waitUntil(gone, timeout=5_000)
    assert widgets() <= alone
    first.prune()  # the first window still works


@pytest.mark.usefixtures("histories_off")
def test_the_menu_lists_the_windows_as_soon_as_there_are_several(pair, files, tmp_path):
    first, second = pair
    assert window_menu(first) == [(f"1 {files[0].name}", True), (f"2 {files[1].name}", False)]
    assert window_menu(second) == [(f"1 {files[0].name}", False), (f"2 {files[1].name}", True)]
    first.menu("Window", f"2 {files[1].name}")
    second.wait(lambda: is_in_front(second))
    assert window_menu(first)[0][1], "the window keeps its number"
    second.prune()
    second.wait(second.window.isWindowModified)
    assert window_menu(second)[1] == (f"2 {files[1].name}", True)

    same = tmp_path / "elsewhere" / files[0].name
    same.parent.mkdir()
    same.write_bytes(files[0].read_bytes())
    first.chooses_file(same)
    first.key("Ctrl+Shift+N")
    third = first.at_window(2)
    third.wait_open(same)
    assert [text for text, _ in window_menu(first)] == [
        f"1 {files[0].name} — {tmp_path}",
        f"2 {files[1].name}",
        f"3 {files[0].name} — {same.parent}",
    ]
    third.key("Ctrl+W")
    third.wait(lambda: window_menu(first)[2][0] == "3 No file")
    third.window.close()
    asked = second.answers("Discard changes")
    second.window.close()
    first.wait(lambda: asked)
    first.wait(lambda: window_menu(first) == [])
    assert not first.window.actions_.menus["&Window"].menuAction().isVisible()


def test_settings_are_those_of_all_windows_and_a_cluster_is_not(pair, files):
    first, second = pair
    # a window is found by its name in the palette
    first.key("Ctrl+Shift+P")
    first.wait(lambda: QApplication.activeModalWidget() is not None)
    palette = QApplication.activeModalWidget()
    first.qtbot.keyClicks(palette.field, files[1].stem)
    first.qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    second.wait(lambda: is_in_front(second))

    # a bug is reported in the window in front
    first.launcher.report_bug(KeyError, KeyError("a"), None)
    assert second.trouble
    assert not first.trouble

    settings = first.workbench.settings
    assert second.workbench.settings is settings
    first.menu("View", "Theme", "Dark")
    assert second.window.actions_["theme_dark"].isChecked()
    assert settings.get(THEME) == "dark"
    first.choose(first.window.device, "CPU")
    second.wait(lambda: second.window.device.currentData() == "cpu")
    assert settings.get(DEVICE) == "cpu"
    settings.store(keys={"find": ["Ctrl+K"]})
    for user in pair:
        assert user.window.actions_["find"].shortcut().toString() == "Ctrl+K"
    settings.set(MOTION, "reduced")
    assert first.launcher._appearance._motion == "reduced"

    first.workbench.settings_controller._set_cluster("tcp://node:8786")
    assert first.window.device.currentText().startswith("Cluster tcp://node:8786")
    second.choose(second.window.device, "Automatic")
    assert first.workbench.settings_controller.cluster == "tcp://node:8786"
    assert first.window.device.currentText().startswith("Cluster")
    assert second.window.device.currentData() == "auto"


def test_a_method_that_one_window_loads_is_offered_in_all(pair, tmp_path):
    from pruneapp.methods import registry

    first, second = pair
    path = tmp_path / "mine.py"
    path.write_text(
        "import torch.nn.utils.prune as prune\n"
        "class Mine(prune.BasePruningMethod):\n"
        "    PRUNING_TYPE = 'unstructured'\n"
        "    def compute_mask(self, t, default_mask):\n"
        "        return default_mask\n"
    )
    before = {*registry.METHODS}
    try:
        for user in (first, second):  # the second time, the file may have changed
            user.chooses_file(path)
            asked = user.answers("Run code")
            user.menu("Tools", "Load method from file")
            user.wait(lambda who=user: any("Loaded" in text for text in who.notices))
            assert asked
        for user in pair:
            box = user.rule.method
            assert sum("Mine" in box.itemText(i) for i in range(box.count())) == 1
        assert not first.trouble + second.trouble
    finally:
        for name in {*registry.METHODS} - before:
            registry.unregister(name)


def test_several_files_of_the_command_line_get_a_window_each(new_user, files):
    first = new_user(files[0])
    for path in (*files[1:], files[1]):
        first.launcher.open(path)
    assert len(first.launcher.starts) == 1, "nothing is imported yet"
    first.wait_ready()
    first.wait_open(files[0])
    for number, path in enumerate(files[1:], 1):
        first.at_window(number).wait_open(path)
    assert len(first.launcher.starts) == 3


def test_what_a_crash_left_behind_is_offered_by_the_first_window(new_user, monkeypatch):
    looked = []

    def look(places, job):
        looked.append(places)
        return find_leftovers(places, job)

    monkeypatch.setattr(recovery_controller, "find_leftovers", look)
    first = new_user().wait_ready()
    first.wait(lambda: looked)
    first.key("Ctrl+N")
    first.at_window(1).wait_idle()
    assert len(looked) == 1
