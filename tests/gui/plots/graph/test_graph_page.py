"""The page Graph, in a real window: reading, colors, zoom, clicks and keys."""

from __future__ import annotations

import threading
import time
from unittest.mock import ANY

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from safetensors.numpy import save_file

from pruneapp.errors import CheckpointError
from pruneapp.groups.operator_graph import Operator
from pruneapp.gui.plots.graph import graph_controller, graph_view
from pruneapp.gui.plots.graph.graph_layout import PlacedGraph, lay_out
from pruneapp.gui.plots.graph.graph_view import GraphView
from pruneapp.gui.plots.pages import Page
from pruneapp.progress import CancelToken
from tests.gui.plots.graph.test_graph_layout import deep, wide
from tests.support.onnx_models import save
from tests.support.onnx_networks import NETWORKS


@pytest.fixture
def at_graph(user, tmp_path):
    """Open an ONNX model with two residual blocks at its page Graph."""
    user.open_file(save(NETWORKS["residual"](), tmp_path / "m.onnx"))
    user.key("8", user.views.tree.view)
    user.canvas = user.views.pages.graph.canvas
    user.wait(lambda: user.canvas.graph is not None and user.canvas.isVisible())
    user.wait_idle()
    return user


def node(user, name):
    return next(n for n, o in enumerate(user.canvas.graph.operators) if name in o.tensors)


def click(user, number):
    """Click an operator."""
    center = user.canvas._transform().map(user.canvas._box(number).center()).toPoint()
    user.qtbot.mouseClick(user.canvas.viewport(), Qt.MouseButton.LeftButton, pos=center)


def test_a_click_selects_the_tensor(at_graph):
    canvas, readout = at_graph.canvas, at_graph.views.pages.graph.readout
    assert at_graph.views.pages.page is Page.GRAPH
    kinds = [operator.op for operator in canvas.graph.operators]
    assert kinds.count("Conv") == 6
    assert kinds[0] == "Input"
    assert canvas.current == node(at_graph, "c0.weight")  # focused when the file was opened
    target = node(at_graph, "c3.weight")
    at_graph.key("0", canvas)
    click(at_graph, target)
    assert at_graph.workbench.plots.name == "c3.weight"
    assert at_graph.views.tree.focused_name() == "c3.weight"
    assert canvas.current == target
    assert readout.text().startswith("Conv c3, 0\u00a0% pruned")
    at_graph.click_cell("c1.weight")
    assert canvas.current == node(at_graph, "c1.weight")
    assert "after Relu" in readout.text()
    assert "before BatchNormalization bn1" in canvas.accessibleDescription()


def test_a_click_stays_at_the_second_reader_of_a_tensor(show, qtbot):
    view = show(GraphView(), 500, 400)
    view.tensorClicked.connect(view.set_current)
    operators = [Operator(f"Use{n}", f"v{n}", ("shared.weight",)) for n in range(2)]
    layout = lay_out([80.0, 80.0], [(0, 1)], CancelToken())
    view.set_graph(PlacedGraph(operators, ["Use0", "Use1"], layout), [4, 4])
    view.set_current("shared.weight")
    assert view.canvas.current == 0
    center = view.canvas._transform().map(view.canvas._box(1).center()).toPoint()
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=center)
    assert view.canvas.current == 1


def test_keys_follow_the_edges(at_graph):
    canvas = at_graph.canvas
    at_graph.click_cell("c2.weight")
    canvas.setFocus()
    at_graph.key("Up")
    assert canvas.graph.operators[canvas.current].op == "Relu"
    at_graph.key("Up")
    assert canvas.current == node(at_graph, "bn1.weight")
    at_graph.key("Down")
    at_graph.key("Down")
    assert canvas.current == node(at_graph, "c2.weight")
    assert at_graph.workbench.plots.name == "c2.weight"
    at_graph.key("Down")
    assert canvas.accessibleDescription().startswith("BatchNormalization bn2,")
    at_graph.key("Return")
    assert at_graph.workbench.plots.name == "bn2.weight"
    at_graph.click_cell("c3.weight")
    at_graph.key("Left", canvas)
    at_graph.key("Right", canvas)
    assert canvas.current == node(at_graph, "c3.weight")


def test_a_screen_reader_hears_where_keys_lead(at_graph, monkeypatch):
    heard = []
    monkeypatch.setattr(graph_view.QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(
        graph_view.QAccessible, "updateAccessibility", lambda event: heard.append(event.message())
    )
    at_graph.key("Down", at_graph.canvas)
    assert heard == ["BatchNormalization bn0, 0\u00a0% pruned, after Conv c0, before Relu"]


def test_the_wheel_and_keys_zoom_and_dragging_pans(at_graph):
    canvas = at_graph.canvas
    at_graph.key("0", canvas)
    whole = canvas._scale
    assert canvas._visible().contains(canvas._box(0))
    middle = QPointF(canvas.viewport().rect().center())
    event = QWheelEvent(
        middle,
        QPointF(canvas.viewport().mapToGlobal(middle.toPoint())),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(canvas.viewport(), event)
    assert canvas._scale > whole
    zoomed = canvas._scale
    at_graph.key("+", canvas)
    assert canvas._scale > zoomed
    at_graph.key("-", at_graph.views.tree.view)
    assert canvas._scale == pytest.approx(zoomed)
    before, _ = canvas._center
    at_graph.qtbot.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    for x in (110, 130, 150):
        at_graph.qtbot.mouseMove(canvas.viewport(), QPoint(x, 100))
    at_graph.qtbot.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(150, 100))
    assert canvas._center[0] < before
    at_graph.key("0", at_graph.views.tree.view)
    assert canvas._scale == whole


def test_operators_show_the_sparsity_of_their_weights(at_graph):
    canvas, view = at_graph.canvas, at_graph.views.pages.graph
    target = node(at_graph, "c1.weight")
    assert canvas._shares[target] == 0
    at_graph.prune()
    at_graph.wait(lambda: canvas._shares[target] > 0.1)
    assert np.isnan(canvas._shares[0])  # the input
    numbers = view.numbers()
    assert numbers.row(target)[:3] == ("Conv c1", ANY, "c1.weight")
    assert numbers.row(target)[4] == pytest.approx(canvas._shares[target])
    at_graph.key("1", at_graph.views.tree.view)
    at_graph.key("Ctrl+Z")
    at_graph.wait(lambda: at_graph.workbench.session.document.position == 0)
    at_graph.key("8", at_graph.views.tree.view)
    assert canvas._shares[target] == 0
    assert numbers.row(target)[4] > 0.1  # a table that is being saved does not change


def test_a_graph_that_is_being_placed_is_dropped_when_the_file_is_closed(
    user, tmp_path, monkeypatch
):
    started, tokens = threading.Event(), []

    def wait_for_cancellation(_widths, _edges, cancel):
        tokens.append(cancel)
        started.set()
        while True:
            cancel.wait(5)
            cancel.check()

    monkeypatch.setattr(graph_controller, "lay_out", wait_for_cancellation)
    user.open_file(save(NETWORKS["residual"](), tmp_path / "m.onnx"))
    view = user.views.pages.graph
    user.key("8", user.views.tree.view)
    user.wait(started.is_set)
    user.wait(lambda: view._message.text() == "Reading the graph…")
    user.key("1", user.views.tree.view)
    user.key("8", user.views.tree.view)
    assert len(tokens) == 1  # it is not started a second time
    user.key("Ctrl+W")
    user.wait(lambda: tokens[0].cancelled)
    user.wait_idle()
    assert view.canvas.graph is None


def test_a_graph_that_cannot_be_read_is_an_error_on_the_page(user, tmp_path, monkeypatch):
    def fail(*_):
        raise CheckpointError("The graph is damaged.")

    monkeypatch.setattr(graph_controller, "read_operators", fail)
    user.open_file(save(NETWORKS["residual"](), tmp_path / "m.onnx"))
    user.key("8", user.views.tree.view)
    user.wait(lambda: "The graph is damaged." in user.views.pages.graph._message.text())


def test_other_files_have_no_page_graph(at_graph, tmp_path):
    pages, action = at_graph.views.pages, at_graph.window.actions_["page_graph"]
    assert pages.tabs.isTabVisible(Page.GRAPH)
    assert action.isEnabled()
    save_file({"a.weight": np.ones((4, 4), np.float32)}, tmp_path / "m.safetensors")
    at_graph.open_file(tmp_path / "m.safetensors")
    assert not pages.tabs.isTabVisible(Page.GRAPH)
    assert pages.page is Page.WEIGHTS
    assert not action.isEnabled()
    at_graph.key("8", at_graph.views.tree.view)
    assert pages.page is Page.WEIGHTS
    assert "contains no graph" in at_graph.window.done.label.text()


@pytest.mark.parametrize("make_edges", [deep, wide])
def test_ten_thousand_operators_are_painted_fast(make_edges, show):
    n = 10_000
    edges = make_edges(n)
    layout = lay_out([120.0] * n, edges, CancelToken())
    operators = [Operator("Conv", f"v{at}", (f"layer{at}.weight",)) for at in range(n)]
    view = show(GraphView(), 1400, 900)
    labels = [f"Conv layer{at}" for at in range(n)]
    view.set_graph(PlacedGraph(operators, labels, layout), [100] * n)
    view.set_pruned([at % 100 for at in range(n)])
    canvas = view.canvas
    image = QImage(canvas.viewport().size(), QImage.Format.Format_RGB32)
    for scale in (canvas._min_scale(), 0.05, 0.2, 0.7, 1.0):
        canvas._scale = scale
        began = time.thread_time()
        canvas.viewport().render(image)
        assert time.thread_time() - began < 0.1, scale
