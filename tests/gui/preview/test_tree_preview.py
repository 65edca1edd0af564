"""What is to come, told to the tree as often as that leaves time for everything else."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import pytest

from pruneapp.gui.app.jobs import Throttle
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.gui.preview.preview_state import PreviewState


class Previews:
    """The part of the controller that updates the tree."""

    def __init__(self, tree):
        self._tree = SimpleNamespace(model=tree)
        self._updates = Throttle(lambda: PreviewController._show_in_tree(self))

    def see(self, number):
        report = SimpleNamespace(after_by_name={"a": number}, by_name={"a": None}, dangers={})
        self.state = PreviewState(known=None if number is None else report)
        self._updates.request(at_once=number is None)


class Tree:
    """Notes what it is told, and takes its time for it."""

    def __init__(self):
        self.told = []
        self.takes = 0.0

    def set_preview(self, after, dangers=None):
        self.told.append(None if after is None else after["a"])
        ends = time.thread_time() + self.takes
        while time.thread_time() < ends:
            pass


@pytest.fixture
def seen(qtbot):
    tree = Tree()
    return Previews(tree), tree


def test_a_tree_that_is_told_quickly_is_told_every_estimate_at_once(seen):
    previews, tree = seen
    for number in (1, 2, 3):
        previews.see(number)
        assert tree.told[-1] == number


def test_a_tree_that_takes_long_leaves_time_and_is_told_the_newest(seen, qtbot):
    previews, tree = seen
    tree.takes = 0.05
    previews.see(1)
    previews.see(2)
    previews.see(3)
    assert tree.told == [1]
    began = time.perf_counter()
    qtbot.waitUntil(lambda: tree.told == [1, 3])
    assert time.perf_counter() - began > 0.05


def test_waiting_for_others_is_no_slow_tree(seen, monkeypatch):
    previews, tree = seen
    told = tree.set_preview

    def waits(*asked):
        told(*asked)
        threading.Event().wait(0.05)  # takes time, and none of the processor

    monkeypatch.setattr(tree, "set_preview", waits)
    for number in (1, 2, 3):
        previews.see(number)
    assert tree.told == [1, 2, 3]


def test_what_is_not_to_come_any_more_goes_at_once(seen):
    previews, tree = seen
    tree.takes = 0.05
    previews.see(1)
    previews.see(None)
    assert tree.told == [1, None]
