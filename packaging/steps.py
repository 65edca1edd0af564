"""The steps of the tour: user actions, and what the window shows afterwards."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from driving import NARROW, SIZE, StepError, Tour, is_said, wait, wait_until
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QTabBar, QWidget

from pruneapp.gui.commands.palette import CommandPalette, KeySheet
from pruneapp.gui.export.dialog import ExportDialog
from pruneapp.gui.export.report_dialog import ExportReportDialog
from pruneapp.gui.method_form.editors import AmountEditor
from pruneapp.gui.plots.pages import Page

EXPORTED = "lenet-digits-pruned.safetensors"
CUT = "cut-off.safetensors"
_KEYS = Qt.Key


def main_job(walk: Tour, real: Path | None) -> None:
    """Do the whole main job: open, inspect, prune, undo, export, and error cases."""
    user = walk.user
    if walk.theme == "dark":
        user.menu("View", "Theme", "Dark")
    with walk.step("empty", "the window without a file says what to do"):
        pass
    with walk.step("sample", "the sample, opened: tree, picture of the weights, form"):
        walk.open(lambda: user.click(walk.window.empty.sample_button))
    choose(walk)
    prune(walk)
    look_around(walk)
    rules(walk)
    history(walk)
    export(walk)
    trouble(walk)
    explain(walk)
    in_both_sizes(walk)
    with walk.step("window", "a real model, pruned, with the next step in preview"):
        showpiece(walk, real)


def choose(walk: Tour) -> None:
    """Filter the tree and set check marks."""
    user, tree = walk.user, walk.views.tree
    with walk.step("filter", "Ctrl+F and 'fc' show the linear layers only"):
        user.press("Ctrl+F")
        user.write("fc")
    with walk.step("check", "the last layer is unchecked: it shall stay as it is"):
        before = len(tree.checked_names())
        user.check(tree.view, "fc3")
        wait_until(lambda: len(tree.checked_names()) == before - 1, "fc3 to be unchecked")
        user.press("Ctrl+F")
        user.press("Esc")
        user.pick(tree.view, "fc1")


def prune(walk: Tour) -> None:
    """Fill in the form, preview, apply, and zoom to individual weights."""
    user, form = walk.user, walk.views.form
    with walk.step(
        "preview", "40 % by one threshold: what is to be pruned is hatched, nothing is done"
    ):
        user.click(form.all, QPoint(8, form.all.height() // 2))
        user.replace(amount_field(walk), "40%")
        wait_until(lambda: walk.bench.preview.state.preview, "the preview")
    with walk.step("pruned", "the button was pressed: orange weights are pruned"):
        user.click(walk.views.preview.action.button)
        wait_until(lambda: walk.bench.session.unexported, "the step to be done")
    with walk.step("weights", "zoomed in until each weight is seen, the cursor reads one out"):
        canvas = walk.views.pages.weights.canvas
        place = canvas.pixel_of(100, 60)
        user.click(canvas.viewport(), place)
        for _ in range(7):
            user.press("+")
        for key in ("Left", "Left", "Down"):
            QTest.keyClick(canvas, getattr(_KEYS, f"Key_{key}"))


def look_around(walk: Tour) -> None:
    """Show the other pages for the same tensor."""
    user = walk.user
    with walk.step("distribution", "how the magnitudes of the tensor are spread"):
        turn_to(walk, Page.DISTRIBUTION)
    with walk.step("channels", "the norm of each channel, and which of them are to be pruned next"):
        turn_to(walk, Page.CHANNELS)
        user.choose(walk.views.form.rules[0].method, label_of(walk, "ln_structured"))
        wait_until(lambda: walk.bench.preview.state.preview, "the preview")
    with walk.step("model", "the sparsity of every tensor, before and after"):
        turn_to(walk, Page.MODEL)


def rules(walk: Tour) -> None:
    """Prune 20 % of every convolution and 40 % of every linear layer in one step."""
    user, form = walk.user, walk.views.form
    with walk.step("rules", "one step of two rules: 20 % of all Conv2d, 40 % of all Linear layers"):
        user.choose(form.rules[0].method, label_of(walk, "l1_unstructured"))
        user.click(form.add)
        for rule, kind, amount in ((0, "Conv2d", "20%"), (1, "Linear", "40%")):
            line = form.list.visualItemRect(form.list.item(rule))
            user.click(form.list.viewport(), line.center())
            target = form.rules[rule].target
            all_of_kind = next(
                text for at in range(target.count()) if kind in (text := target.itemText(at))
            )
            user.choose(target, all_of_kind)
            user.choose(form.rules[rule].method, label_of(walk, "l1_unstructured"))
            user.replace(amount_field(walk, rule), amount)
        wait_until(lambda: walk.bench.preview.state.preview, "the preview")


def history(walk: Tour) -> None:
    """Prune, undo, prune with another amount, and jump between states."""
    user, states = walk.user, walk.views.history.tree
    document = walk.bench.session.document
    assert document is not None
    with walk.step("history", "undone by Ctrl+Z, and another step: the first one stays, above it"):
        user.click(walk.views.preview.action.button)
        wait_until(lambda: document.position == 2, "the second step to be done")
        user.press("Ctrl+Z")
        wait_until(lambda: document.position == 1, "the step to be undone")
        user.replace(amount_field(walk, 1), "70%")
        wait_until(lambda: walk.bench.preview.state.preview, "the preview")
        wait(QApplication.doubleClickInterval())  # the window ignores faster clicks as accidental
        user.click(walk.views.preview.action.button)
        wait_until(lambda: document.position == 3, "the other step to be done")
        turn_to(walk, Page.WEIGHTS)
    with walk.step("jump", "clicks on the first branch, and on the first state: as it was opened"):
        user.click(states.viewport(), states.visualRect(states.states.index_of(2)).center())
        wait_until(lambda: document.position == 2, "the first branch")
        user.click(states.viewport(), states.visualRect(states.states.index_of(0)).center())
        wait_until(lambda: document.position == 0, "the first state")
    with walk.step("redo", "Ctrl+Shift+Z twice: both steps are done again"):
        user.press("Ctrl+Shift+Z")
        user.press("Ctrl+Shift+Z")
        wait_until(lambda: document.position == 2, "the last state")


def export(walk: Tour) -> None:
    """Write the file, read the report, and open the written file."""
    user = walk.user
    with walk.step("export", "where to, and in which format"):
        user.press("Ctrl+E")
        dialog = user.dialog(ExportDialog)
        assert isinstance(dialog, ExportDialog)
        user.replace(dialog.target.path, EXPORTED)
    with walk.step("report", "what was written, read back and compared"):
        user.click(dialog.go)
        report = user.dialog(ExportReportDialog)
    assert isinstance(report, ExportReportDialog)
    user.click(report.close_button)
    with walk.step(
        "reopened", "the exported file, dropped on the window: zeros where it was pruned"
    ):
        walk.open(partial(user.drop, walk.folder / EXPORTED))
        wait_until(lambda: walk.window.notices.notices, "the notice of the zeros")


def trouble(walk: Tour) -> None:
    """Open a truncated file, enter a wrong amount, and close."""
    user = walk.user
    with walk.step("notice", "a download that broke off: one sentence, the open file stays"):
        whole = (walk.folder / EXPORTED).read_bytes()
        (walk.folder / CUT).write_bytes(whole[: len(whole) // 3])
        user.drop(walk.folder / CUT)
        wait_until(lambda: len(walk.window.notices.notices) == 2, "the notice")
    user.click(walk.window.notices.notices[0].close_button)
    (walk.folder / CUT).unlink()
    user.replace(amount_field(walk), "10%")
    user.press("Ctrl+Return")
    wait_until(lambda: walk.bench.session.unexported, "the step to be done")
    with walk.step("wrong-value", "a wrong amount is explained beside the field"):
        user.replace(amount_field(walk), "130%")
    user.replace(amount_field(walk), "20%")
    user.press("Ctrl+W")
    wait_until(lambda: walk.bench.session.document is None, "the file to be closed")


def explain(walk: Tour) -> None:
    """Show the lists of commands and shortcuts, and the guide."""
    user = walk.user
    walk.open(lambda: user.menu("File", "Try the sample"))
    for name, keys, kind, says in (
        ("commands", "Ctrl+Shift+P", CommandPalette, "every command by its name"),
        ("keys", "?", KeySheet, "every key"),
        ("guide", "F1", QDialog, "how to do common tasks"),
    ):
        with walk.step(name, says):
            user.press(keys)
            dialog = user.dialog(kind)
            if name == "commands":
                user.write("ma")
        QTest.keyClick(dialog, _KEYS.Key_Escape)
        user.wait_for_end(dialog)


def in_both_sizes(walk: Tour) -> None:
    """Resize the window to the smallest size."""
    with walk.step("narrow", "960 × 600: tree and form share one place, as tabs"):
        walk.window.resize(*NARROW)
    with walk.step("narrow-form", "and the other tab"):
        tabs = next(
            bar
            for bar in walk.window.findChildren(QTabBar)
            if bar.isVisible() and any(is_said(bar.tabText(n), "Prune") for n in range(bar.count()))
        )
        walk.user.click(tabs, tabs.tabRect(1).center())
    walk.window.resize(*SIZE)


def showpiece(walk: Tour, real: Path | None) -> None:
    """Prune a real model, and preview the next step."""
    user, form = walk.user, walk.views.form
    tree = walk.views.tree
    focus = "fc1.weight"
    while len(form.rules) > 1:
        user.click(form.remove)
    user.choose(form.rules[0].target, "checked tensors")
    if real is not None:
        walk.open(lambda: user.drop(real))
        focus = "module.layer3.2.conv2.weight"
    user.click(form.all, QPoint(8, form.all.height() // 2))
    user.replace(amount_field(walk), "20%")
    wait_until(lambda: walk.bench.preview.state.preview, "the preview")
    user.press("Ctrl+Return")
    wait_until(lambda: walk.bench.session.unexported, "the step to be done")
    # the first row, so that it gets the keyboard focus
    user.click(tree.view.viewport(), QPoint(60, 10))
    while tree.focused_name() != focus:
        before = tree.focused_name()
        user.press("]")
        if tree.focused_name() == before:
            raise StepError(f"The tree ends at {before}, before {focus}.")
    user.choose(form.rules[0].method, label_of(walk, "ln_structured"))
    user.replace(amount_field(walk), "30%")
    wait_until(lambda: walk.bench.preview.state.preview, "the preview")


def scaled(walk: Tour) -> None:
    with walk.step("sample", "everything at 150 %"):
        walk.open(lambda: walk.user.click(walk.window.empty.sample_button))


def turn_to(walk: Tour, page: Page) -> None:
    """Click on the tab of a page.

    Keys 1 to 5 are not used, as a list with the focus receives them.
    """
    tabs = walk.views.pages.tabs
    wait(1)  # tabs move after a resize
    walk.user.click(tabs, tabs.tabRect(page).center())


def amount_field(walk: Tour, rule: int | None = None) -> QWidget:
    """Return the amount field of a rule; None for the visible rule."""
    form = walk.views.form
    editor = form.shown if rule is None else form.rules[rule]
    found: list[AmountEditor] = []

    def there() -> bool:
        found[:] = [e for e in editor.findChildren(AmountEditor) if e.isVisible()]
        return bool(found)

    wait_until(there, "the field of the amount")
    return found[0].field


def label_of(walk: Tour, method: str) -> str:
    box = walk.views.form.rules[0].method
    return box.itemText(box.findData(method))
