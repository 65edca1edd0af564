"""A screen reader gets everything that is visible in the window, and can operate all of it.

Tested twice: in this process with Qt's accessibility interfaces, and on a real X server over the
accessibility bus of the desktop.
"""

from __future__ import annotations

import pytest
import torch
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QGraphicsView,
    QLabel,
    QPushButton,
    QScrollArea,
    QWidget,
)
from safetensors.torch import save_file

from pruneapp import resources
from pruneapp.edits.manual_edit import ManualEditRequest
from tests.gui.accessibility_tree import Node, find_problems
from tests.gui.real_screen import (
    missing_bus_tools,
    start_application,
    wait_until,
    window_ids,
    xdotool,
)
from tests.support.onnx_models import save as save_onnx
from tests.support.onnx_networks import NETWORKS

SAMPLE = resources.path("sample/lenet-digits.safetensors")
PAGES = ("Weights", "Distribution", "Channels", "Model", "Compare")
# Menu, entry, title of the dialog.
DIALOGS = (
    ("File", "Export…", "Export"),
    ("Tools", "Command palette…", "Command palette"),
    ("Tools", "Check sparsity pattern…", "Check sparsity pattern"),
    ("Edit", "Confirmations…", "Confirmations"),
    ("Help", "Keyboard shortcuts", "Keyboard shortcuts"),
    ("Help", "Change keyboard shortcuts…", "Change keyboard shortcuts"),
    ("Help", "Guide", "Guide"),
    ("Help", "About Pruneapp", "About Pruneapp"),
)
# Contents of dialogs that need preparation, as pairs of role and beginning of the name.
SAME_LAYER = {
    ("label", "Pattern"),
    ("label", "36 weights change in 3 of 3 tensors"),
    ("table", "Included tensors"),
    ("push button", "Cancel"),
    ("push button", "Prune channel 5 in 3 tensors"),
}
COMBINE = {
    ("table", "Mask overlap per tensor"),
    ("label", "Result"),
    ("radio button", "Union"),
    ("radio button", "Intersection"),
    ("radio button", "Only in this file"),
    ("push button", "Show differences"),
    ("push button", "Cancel"),
    ("push button", "Prune 36 weights"),
}
REPORT = {
    *(("label", f"{fact}: ") for fact in ("File", "Format", "Size", "Checksum", "Verified")),
    ("table", "Sparsity of the tensors"),
    ("push button", "Show in folder"),
    ("push button", "Copy as text"),
    ("push button", "Close"),
}
BLOCK = "layers.1.conv1.weight"
Role = QAccessible.Role
ROLES = {
    Role.Button: "push button",
    Role.CheckBox: "check box",
    Role.RadioButton: "radio button",
    Role.MenuItem: "menu item",
    Role.PageTab: "page tab",
    Role.ComboBox: "combo box",
    Role.EditableText: "text",
    Role.SpinBox: "spin button",
    Role.TreeItem: "tree item",
    Role.ListItem: "list item",
    Role.Table: "table",
    Role.ColumnHeader: "column header",
    Role.Cell: "table cell",
    Role.StaticText: "label",
    Role.Client: "filler",
    Role.LayeredPane: "layered pane",
    Role.Pane: "panel",
}


def node_of(interface) -> Node:
    """Return the accessibility tree below an interface."""
    state, thing = interface.state(), interface.object()
    actions = interface.actionInterface()
    relations = interface.relations(QAccessible.RelationFlag.Label)
    inside = [interface.child(number) for number in range(interface.childCount())]
    return Node(
        role=ROLES.get(interface.role(), interface.role().name.lower()),
        name=interface.text(QAccessible.Text.Name),
        description=interface.text(QAccessible.Text.Description),
        focusable=bool(state.focusable),
        showing=not (state.invisible or state.offscreen),
        enabled=not state.disabled,
        label=" ".join(label.text(QAccessible.Text.Name) for label, _kind in relations),
        actions=list(actions.actionNames()) if actions else [],
        children=[node_of(child) for child in inside if child is not None and child.isValid()],
        text=thing.text().replace("&", "") if isinstance(thing, QLabel) else "",
    )


def problems_of(window) -> list[str]:
    """Return the accessibility problems of a window, as `find_problems` does."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return find_problems(node_of(QAccessible.queryAccessibleInterface(window)))


def dialog_of(user, title):
    """Wait until a dialog with a title is visible, and return it."""

    def found():
        shown = [w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog)]
        return next((w for w in shown if w.isVisible() and title in w.windowTitle()), None)

    user.wait(found)
    return found()


def test_what_is_not_told_is_found(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    parts = QPushButton(), QGraphicsView(), QComboBox(), QLabel("1,000 weights")
    for part in parts:
        part.setParent(window)
    parts[1].setAccessibleName("A picture")
    parts[2].addItem("first")
    parts[3].setAccessibleName("Pruned")
    window.show()
    qtbot.waitExposed(window)
    found = "\n".join(problems_of(window))
    for why in ("has no name", "a picture without", "not what for", "hides '1,000 weights'"):
        assert why in found


def test_the_empty_window_trouble_and_limits_are_told(user, tmp_path):
    assert problems_of(user.window) == []
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(b"no checkpoint at all")
    user.open(broken)
    user.wait(lambda: user.trouble)
    assert problems_of(user.window) == []
    size = user.window.size()
    user.window.resize(720, 480)  # the notice is cut to one line, with a button for the rest
    user.wait(user.window.notices.notices[0].line.isVisible)
    assert problems_of(user.window) == []
    user.window.resize(size)
    user.open_file(SAMPLE)
    user.click(user.views.form.limits.button)
    user.wait(user.views.form.limits.isVisible)
    assert problems_of(user.window) == []


def test_every_page_is_told_as_a_picture_and_as_a_table(user):
    user.open_file(SAMPLE)
    user.wait_preview()
    user.key("Ctrl+Return")  # so that there is something to compare
    user.wait(lambda: len(user.states) == 2)
    for size in ((1280, 800), (960, 600)):
        user.window.resize(*size)
        for number, page in enumerate(PAGES, 1):
            user.key(str(number))
            picture = user.views.pages.picture()
            user.wait(lambda picture=picture: picture._has_content)
            user.wait_idle()
            found = node_of(QAccessible.queryAccessibleInterface(user.window))
            drawn = [
                node
                for node, above in found.walk()
                if node.role == "filler" and node.focusable and node.showing and node.name
            ]
            assert drawn, f"{page} has no picture that can have the focus"
            assert [page, size, problems_of(user.window)] == [page, size, []]
            user.click(picture._table_button)
            user.wait(lambda picture=picture: picture._table.isVisible())
            assert [page, size, problems_of(user.window)] == [page, size, []]
            user.click(picture._table_button)


def test_the_graph_is_told_as_a_picture_and_as_a_table(user, tmp_path):
    user.open_file(save_onnx(NETWORKS["residual"](), tmp_path / "m.onnx"))
    user.key("8", user.views.tree.view)
    view = user.views.pages.graph
    user.wait(view.canvas.isVisible)
    user.wait_idle()
    assert "before BatchNormalization bn0. Press an arrow" in view.canvas.accessibleDescription()
    assert problems_of(user.window) == []
    user.click(view._table_button)
    user.wait(view._table.isVisible)
    assert problems_of(user.window) == []


def test_every_method_of_the_form_is_told(user):
    user.open_file(SAMPLE)
    box = user.rule.method
    names = [box.itemText(number) for number in range(box.count())]
    user.click(user.views.form.add)  # with two rules, each has a list and a target
    area = user.views.form.parentWidget()
    while not isinstance(area, QScrollArea):
        area = area.parentWidget()
    bar = area.verticalScrollBar()
    for name in names:
        user.choose(user.rule.method, name)
        user.pause(20)
        for position in {0, bar.maximum()}:  # what is out of sight is not told
            bar.setValue(position)
            assert [name, problems_of(user.window)] == [name, []]


def test_every_dialog_is_told(user):
    user.open_file(SAMPLE)
    user.wait_preview()
    for menu, entry, title in DIALOGS:
        user.menu(menu, entry.rstrip("…"))
        dialog = dialog_of(user, title)
        assert [entry, problems_of(dialog)] == [entry, []]
        dialog.reject()
        user.wait(lambda dialog=dialog: not dialog.isVisible())


@pytest.fixture
def blocks(tmp_path):
    """Write tensors of three blocks, and masks for two of them that prune other channels."""
    generator = torch.Generator().manual_seed(5)
    names = [f"layers.{block}.conv1.weight" for block in range(3)]
    path = tmp_path / "blocks.safetensors"
    save_file({name: torch.randn(8, 4, 3, generator=generator) for name in names}, path)
    masks = {f"{name}_mask": torch.ones(8, 4, 3) for name in names[:2]}
    masks[f"{BLOCK}_mask"][2:5] = 0
    save_file(masks, tmp_path / "masks.safetensors")
    return path


def assert_accessible(dialog, expected):
    """Assert that a dialog has no accessibility problem and the expected widgets."""
    assert problems_of(dialog) == []
    assert_contains(node_of(QAccessible.queryAccessibleInterface(dialog)), expected)


def assert_contains(dialog, expected):
    """Assert that a node is a dialog with the expected widgets, and a table with named headers."""
    assert dialog.role == "dialog"
    found = [
        (role, name) for role, name in expected if (it := dialog.find(role, name)) and it.showing
    ]
    assert set(found) == expected
    buttons = {n.name for n, _ in dialog.walk() if n.role in {"push button", "radio button"}}
    prefixes = {name for role, name in expected if role.endswith("button")}
    assert all(any(name.startswith(prefix) for prefix in prefixes) for name in buttons)
    headers = [n for n, _ in dialog.walk() if n.role == "column header" and n.showing]
    assert len(headers) >= 3
    assert all(header.name for header in headers)


def test_the_dialogs_of_handwork_and_the_report_of_an_export_are_told(user, blocks):
    user.open_file(blocks)
    user.menu("Prune", "Manual edit", "Apply to the same layer in all blocks")
    editing = user.workbench.manual_edit
    editing.perform(ManualEditRequest("prune", BLOCK, (((5, 6), (0, 4), (0, 3)),), "channel", 0))
    dialog = dialog_of(user, "Apply to the same layer in all blocks")
    assert_accessible(dialog, SAME_LAYER)
    user.click(dialog.go)
    user.wait(lambda: len(user.states) == 2)

    user.chooses_file(blocks.with_name("masks.safetensors"))
    user.menu("Prune", "Combine masks with a file")
    dialog = dialog_of(user, "Combine masks")
    assert_accessible(dialog, COMBINE)
    dialog.reject()
    user.wait(lambda: not dialog.isVisible())

    assert_accessible(user.export(blocks.with_name("out.safetensors")), REPORT)
    user.close_report()


# Over the accessibility bus ---------------------------------------------------------------------

PICTURES = ("Weights picture", "Distribution", "Norms", "Sparsity", "Difference")


needs_bus = pytest.mark.skipif(
    bool(missing_bus_tools()),
    reason=f"needs {missing_bus_tools()}, which packaging/dev.py test installs on Debian",
)


@needs_bus
def test_a_screen_reader_hears_all_of_the_window_and_does_the_main_job(screen):
    with start_application(screen, str(SAMPLE)) as client:

        def wait_for(role, name):
            def look():
                found = (tree := client.tree()).find(role, name)
                return (tree, found) if found is not None and found.showing else None

            return wait_until(look, f"a {role} '{name}'")

        def wait_for_dialog():
            wait_until(lambda: len(client.windows()) > 1, "a dialog")
            tree = client.tree()
            return tree, next(n for n in tree.children if SAMPLE.name not in n.name)

        wait_for("push button", "Prune 1")
        tree = whole = client.tree(menus=True)
        assert len([n for n, _ in whole.walk() if n.role == "menu item"]) > 40
        assert find_problems(whole) == []
        for page, picture in zip(PAGES, PICTURES, strict=True):
            client.act(tree.find("page tab", page), "Press")
            tree, _ = wait_for("filler", picture)
            assert [page, find_problems(tree)] == [page, []]
        for _, entry, title in DIALOGS:
            client.act(whole.find("menu item", entry), "Press")
            tree, dialog = wait_for_dialog()
            assert title in dialog.name
            assert [entry, find_problems(tree)] == [entry, []]
            escape(screen, title)
            wait_until(lambda: len(client.windows()) == 1, f"the end of '{entry}'")
        _, scope = wait_for("radio button", "Global")
        client.act(scope)
        _, button = wait_for("push button", "Prune 1")
        client.act(button, "Press")
        wait_for("tree item", "1: L1")
        wait_for("push button", "Prune again")


@pytest.mark.slow
@needs_bus
def test_a_screen_reader_hears_the_dialogs_of_handwork_and_the_report(screen, blocks):
    with start_application(screen, str(blocks)) as client:

        def wait_for(role, name):
            def look():
                found = client.tree().find(role, name)
                return found if found is not None and found.showing else None

            return wait_until(look, f"a {role} '{name}'")

        def wait_for_dialog(title, expected):
            wait_for("dialog", title)
            tree = client.tree()
            assert [title, find_problems(tree)] == [title, []]
            dialog = tree.find("dialog", title)
            assert_contains(dialog, expected)
            return dialog

        def wait_closed():
            wait_until(lambda: len(client.windows()) == 1, "the end of the dialog")

        wait_for("push button", "Prune ")
        whole = client.tree(menus=True)
        client.act(whole.find("menu item", "Apply to the same layer in all blocks"))
        client.act(whole.find("page tab", "Channels"), "Press")
        wait_until(
            lambda: wait_for("filler", "Norms").description.startswith("8 channels"), "the norms"
        )
        page = wait_for("filler", "Norms")
        client.act(
            next(n for n, _ in page.walk() if n.focusable and n.name == page.name), "SetFocus"
        )
        press(screen, blocks.name, "Home", *["Right"] * 5, "space", "Delete")
        dialog = wait_for_dialog("Apply to the same layer in all blocks", SAME_LAYER)
        client.act(dialog.find("push button", "Prune channel 5"), "Press")
        wait_closed()
        wait_for("tree item", "1: channel 5 of layers.*.conv1 pruned")

        client.act(whole.find("menu item", "Combine masks with a file"), "Press")
        title = "Combine masks with a file"
        wait_for("dialog", title)
        press(screen, title, "ctrl+a")
        xdotool(screen, "type", str(blocks.with_name("masks.safetensors")))
        xdotool(screen, "key", "Return")
        dialog = wait_for_dialog("Combine masks", COMBINE)
        client.act(dialog.find("push button", "Cancel"), "Press")
        wait_closed()

        client.act(whole.find("menu item", "Export…"), "Press")
        dialog = wait_for("dialog", "Export")
        client.act(dialog.find("push button", "Export"), "Press")
        dialog = wait_for_dialog("Exported", REPORT)
        client.act(dialog.find("push button", "Close"), "Press")
        wait_closed()


def press(environment, title, *keys):
    """Press keys in a window."""
    window = wait_until(lambda: window_ids(environment, f"^{title}"), title).splitlines()[0]
    xdotool(environment, "windowfocus", "--sync", window)
    xdotool(environment, "key", *keys)


def escape(environment, title):
    """Press Escape in a window."""
    # Not with `--window`: the key would never be released after the window is closed.
    press(environment, title, "Escape")
