"""Tour steps that show every view of one file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import quality
import shrunk
from driving import LEFT, Tour, wait, wait_until
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from steps import amount_field, label_of, turn_to

from pruneapp.gui.patterns.dialog import PatternDialog
from pruneapp.gui.plots.heatmap.shading import Mode
from pruneapp.gui.plots.pages import Page

MOVES = 20
_KEYS = Qt.Key


def see(walk: Tour, file: Path | None) -> None:
    """Open a file (None: the sample), and show it in every view."""
    user = walk.user
    if walk.theme.startswith("dark"):
        user.menu("View", "Theme", "Dark")
    if file is None:
        walk.open(lambda: user.click(walk.window.empty.sample_button))
    else:
        walk.open(lambda: user.drop(file))
    wait_until(lambda: not walk.bench.histograms.busy, "the counting to end")
    choose(walk)
    weights(walk)
    distribution(walk)
    limits(walk)
    channels(walk)
    by_hand(walk)
    model(walk)
    compare(walk)
    danger(walk)
    zeros(walk)
    if file is None:
        quality.see(walk)
        shrunk.see(walk)


def choose(walk: Tour) -> None:
    """Show the largest tensor with many channels that is not an embedding."""
    rows = [r for r in walk.bench.session.rows if r.by_default and len(r.shape) > 1]
    name = max(rows, key=lambda r: (len(r.shape), r.numel)).name
    walk.views.tree.set_focused(name)
    walk.bench.plots.show_tensor(name)


def weights(walk: Tour) -> None:
    """Show the preview over the weights, and individual weights with signs."""
    user, canvas = walk.user, walk.views.pages.weights.canvas
    box = walk.views.pages.weights.modes.mode_box
    user.click(walk.views.form.all, QPoint(8, walk.views.form.all.height() // 2))
    with walk.step("weights-preview", "30 % by one threshold, over the magnitudes"):
        user.replace(amount_field(walk), "30%")
        wait_until(lambda: walk.bench.preview.state.preview, "the preview")
    with walk.step("weights-pruned", "the same, done"):
        user.click(walk.views.preview.action.button)
        _wait_for_state(walk)
    for mode in (Mode.SIGNED, Mode.RESULT, Mode.MASK):
        with walk.step(f"weights-{mode.value}", "the picture, otherwise"):
            user.choose(box, box.itemText(box.findData(mode)))
    with walk.step("weights-cells", "single weights, their values written in the cells"):
        user.choose(box, box.itemText(box.findData(Mode.SIGNED)))
        shape = walk.bench.session.by_name[walk.bench.plots.name or ""].shape
        user.click(canvas.viewport(), canvas.pixel_of(shape[0] // 2, 5))
        for _ in range(60):
            canvas.zoom(1.25)
    with walk.step("weights-fit", "back to all of it"):
        QTest.keyClick(canvas, _KEYS.Key_0)
        user.choose(box, box.itemText(box.findData(Mode.MAGNITUDE)))


def distribution(walk: Tour) -> None:
    """Drag the threshold."""
    user, view = walk.user, walk.views.pages.distribution
    with walk.step("distribution", "magnitudes, the next 20 % hatched below the threshold"):
        turn_to(walk, Page.DISTRIBUTION)
        user.replace(amount_field(walk), "20%")
        wait_until(lambda: walk.bench.preview.state.preview, "the preview")
        wait_until(lambda: view.canvas.line is not None, "the threshold")
    with walk.step("distribution-dragged", "the threshold, while it is dragged"):
        line, place = view.canvas.line, view.canvas.area
        assert line is not None
        start = QPointF(place.pixel(line.at, 0).x(), place.rect.center().y()).toPoint()
        with held(view.canvas.viewport(), start, QPoint(3, 0)):
            walk.user.settle()
    with walk.step("distribution-signed", "values with their signs, counts on a logarithmic axis"):
        user.click(view.log_box)
        user.choose(view.binning_box, view.binning_box.itemText(2))
    user.click(view.log_box)
    with walk.step("distribution-decades", "magnitudes on an axis of powers of ten"):
        user.choose(view.binning_box, view.binning_box.itemText(1))
    user.choose(view.binning_box, view.binning_box.itemText(0))


def limits(walk: Tour) -> None:
    """Expand the limits of the form."""
    form = walk.views.form
    with walk.step("limits", "floors, ceilings, a total, and what is left alone"):
        walk.user.click(form.limits.button)
    walk.user.click(form.limits.button)


def channels(walk: Tour) -> None:
    """Select channels by clicks, and show their norms in order."""
    user, view = walk.user, walk.views.pages.channels
    with walk.step("channels", "norms of channels, which are to be pruned next, with the cut"):
        turn_to(walk, Page.CHANNELS)
        user.choose(walk.views.form.rules[0].method, label_of(walk, "ln_structured"))
        user.replace(amount_field(walk), "30%")
        wait_until(lambda: walk.bench.preview.state.preview, "the preview")
    with walk.step("channels-chosen", "three channels, chosen by click and shift-click"):
        first = view.canvas.pixel_of(1)
        QTest.mouseClick(view.canvas.viewport(), LEFT, pos=first)
        QTest.mouseClick(
            view.canvas.viewport(),
            LEFT,
            Qt.KeyboardModifier.ShiftModifier,
            pos=view.canvas.pixel_of(3),
        )
    with walk.step("channels-protected", "protected by P: no method takes them"):
        QTest.keyClick(view.canvas, _KEYS.Key_P)
        _wait_for_state(walk)
    with walk.step("channels-sorted", "in order of their norms, the cut behind the last that goes"):
        user.choose(view.order_box, view.order_box.itemText(1))
    user.choose(view.order_box, view.order_box.itemText(0))


def by_hand(walk: Tour) -> None:
    """Edit weights manually in the picture."""
    user, view = walk.user, walk.views.pages.weights
    canvas = view.canvas
    with walk.step("hand-drawn", "a rectangle drawn on the weights, and what can be done to it"):
        turn_to(walk, Page.WEIGHTS)
        user.click(view.tools.tools["rectangle"])
        canvas.fit()
        middle = canvas.viewport().rect().center()
        drag(canvas.viewport(), middle - QPoint(40, 40), QPoint(4, 3))
    with walk.step("hand-protected", "protected: a double outline, and a lock"):
        QTest.keyClick(canvas, _KEYS.Key_P)
        _wait_for_state(walk)
    with walk.step("hand-pruned", "a channel, pruned by hand"):
        QTest.keyClick(canvas, _KEYS.Key_Escape)
        user.click(view.tools.tools["look"])
        user.click(canvas.viewport(), middle + QPoint(10, 60))
        QTest.keyClick(canvas, _KEYS.Key_C)
        QTest.keyClick(canvas, _KEYS.Key_Delete)
        _wait_for_state(walk)
    with walk.step("hand-close", "protected weights beside pruned ones"):
        user.click(canvas.viewport(), middle - QPoint(40, 40))
        while canvas.view is not None and canvas.view.scale_x < 24:
            canvas.zoom(1.25)


def model(walk: Tour) -> None:
    """Show the page of all tensors."""
    user, view = walk.user, walk.views.pages.model
    with walk.step("model", "the sparsity of every tensor, and the strip of the file"):
        turn_to(walk, Page.MODEL)
    with walk.step("model-role", "the same roles of all blocks side by side"):
        user.choose(view.order_box, view.order_box.itemText(view.order_box.findData("role")))
    with walk.step("model-norm", "the L2 norm² that each tensor retained since opening"):
        user.choose(view.measure_box, view.measure_box.itemText(view.measure_box.findData("norm")))
    with walk.step("model-table", "the same in numbers"):
        user.press("T")
        if not view.shows_table:
            view.toggle_table()
    view.toggle_table()


def compare(walk: Tour) -> None:
    """Compare the first state with the current one."""
    with walk.step("compare", "the first state beside the current one, tensor by tensor"):
        turn_to(walk, Page.COMPARE)


def danger(walk: Tour) -> None:
    """Prune more than some tensors tolerate, with one threshold."""
    user = walk.user
    with walk.step("danger", "97 % by one threshold: what would be emptied is named and marked"):
        turn_to(walk, Page.WEIGHTS)
        user.choose(walk.views.form.rules[0].method, label_of(walk, "l1_unstructured"))
        user.replace(amount_field(walk), "97%")
        wait_until(lambda: walk.bench.preview.state.preview, "the preview")
    with walk.step("danger-model", "the same, tensor by tensor"):
        walk.views.pages.tabs.setCurrentIndex(Page.MODEL)
        view = walk.views.pages.model
        user.choose(view.measure_box, view.measure_box.itemText(view.measure_box.findData("share")))
    user.replace(amount_field(walk), "20%")


def zeros(walk: Tour) -> None:
    """Export, and open the exported file."""
    user = walk.user
    target = walk.folder / "pruned.safetensors"
    dialog = None

    def there() -> bool:
        nonlocal dialog
        dialog = walk.bench.export.dialog
        return dialog is not None and dialog.isVisible()

    user.press("Ctrl+E")
    wait_until(there, "the dialog of the export")
    assert dialog is not None
    user.click(dialog.formats.radios["safetensors"])
    user.replace(dialog.target.path, target.name)
    user.click(dialog.go)
    wait_until(lambda: walk.bench.export.report is not None, "the export to be done")
    assert walk.bench.export.report is not None
    user.click(walk.bench.export.report.close_button)
    walk.views.pages.tabs.setCurrentIndex(Page.WEIGHTS)
    with walk.step("zeros", "the exported file: its zeros are found, and offered as pruned"):
        walk.open(lambda: user.drop(target))
        wait_until(lambda: walk.window.notices.notices, "the notice of the zeros")
    with walk.step("zeros-treated", "treated as pruned: amounts count from there"):
        user.menu("Prune", "Treat zeros as pruned")
        document = walk.bench.session.document
        assert document is not None
        wait_until(lambda: document.position == 1, "the zeros to be treated as pruned")
    pattern(walk)
    target.unlink()


def pattern(walk: Tour) -> None:
    """Check whether the layers have the 2:4 pattern."""
    user = walk.user
    with walk.step("pattern", "which tensors have 2:4, where the others break it, what mends them"):
        user.menu("Tools", "Check sparsity pattern")
        dialog = user.dialog(PatternDialog)
        assert isinstance(dialog, PatternDialog)
        wait_until(dialog.go.isEnabled, "the answer")
        dialog.table.setFocus()
        user.press("Down")
    user.click(dialog.leave)


# -- input -----------------------------------------------------------------------------------------


@contextmanager
def held(widget: QWidget, start: QPoint, step: QPoint) -> Iterator[None]:
    """Press the mouse button, move 20 times, and release it at the end of the block."""
    _mouse(QEvent.Type.MouseButtonPress, widget, start)
    for number in range(1, MOVES + 1):
        _mouse(QEvent.Type.MouseMove, widget, start + step * number)
        wait(16)
    yield
    _mouse(QEvent.Type.MouseButtonRelease, widget, start + step * MOVES)


def drag(widget: QWidget, start: QPoint, step: QPoint) -> None:
    """Drag from a position in 20 moves."""
    with held(widget, start, step):
        pass


def _mouse(kind: QEvent.Type, widget: QWidget, place: QPoint) -> None:
    moves = kind == QEvent.Type.MouseMove
    released = kind == QEvent.Type.MouseButtonRelease
    event = QMouseEvent(
        kind,
        QPointF(place),
        QPointF(widget.mapToGlobal(place)),
        Qt.MouseButton.NoButton if moves else LEFT,
        Qt.MouseButton.NoButton if released else LEFT,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(widget, event)


def _wait_for_state(walk: Tour) -> None:
    """Wait until the document has a further state."""
    document = walk.bench.session.document
    assert document is not None
    before = walk.states
    wait_until(lambda: document.position > before, "the gesture to be done")
    walk.states = document.position
