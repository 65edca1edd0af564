"""Operations on 25,000 tensors of a file of 100,000."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pruneapp.edits.manual_edit import ManualEditRequest
from tests.benchmarks.window import Hand

if TYPE_CHECKING:
    from tests.benchmarks.cancellation import Cancels

CHANNEL = (((0, 1), (0, 2)),)


def open_crowd(hand: Hand, path: Path) -> str:
    """Open the file and check every fourth tensor; return the name of the first."""
    hand.open(path)
    chosen = [r.name for r in hand.bench.session.rows if r.name.endswith("w1.weight")]
    assert len(chosen) >= 25_000
    hand.views.tree.set_checked(chosen)
    hand.views.tree.checkedChanged.emit()
    hand.rest(0.1)
    return chosen[0]


def change_crowd(hand: Hand, path: Path) -> None:
    """Prune, undo, redo, make permanent, treat zeros and edit; each is a phase of the beats."""
    first = open_crowd(hand, path)
    hand.beats.phase = "previewing 25,000 tensors"
    hand.preview()
    hand.beats.phase = "pruning 25,000 tensors"
    hand.prune()
    for name, phase in (
        ("undo", "undoing and redoing 25,000 tensors"),
        ("redo", "undoing and redoing 25,000 tensors"),
        ("make_permanent", "making 25,000 tensors final"),
        ("treat_zeros", "treating zeros as pruned"),
    ):
        hand.rest(0.3)
        hand.beats.phase = phase
        hand.when(hand.bench.session.changed, hand.window.actions_[name].trigger)
    hand.rest(0.3)
    hand.beats.phase = "editing by hand in every block"
    _gesture(hand, first, "restore")
    hand.wait(lambda: hand.bench.manual_edit.dialog is not None)
    hand.when(hand.bench.session.changed, hand.bench.manual_edit.dialog.accept)
    hand.rest(0.3)


def cancel_crowd(work: Cancels, path: Path) -> None:
    """Cancel each long operation."""
    hand = work.hand
    first = open_crowd(hand, path)
    numbers = iter(range(100_000))

    def prune() -> None:
        hand.ask("l1_unstructured", f"{30 + next(numbers) / 1000:.3f} %")
        hand.rest(0.02)
        hand.click(hand.views.preview.action.button)

    hand.preview()
    work.clicked("pruning 25,000 tensors", 2.0, prune, _undone(hand))
    hand.ask("l1_unstructured", "50 %")
    hand.rest(0.02)
    hand.preview()
    hand.prune()
    for name, what in (("make_permanent", "making final"), ("treat_zeros", "treating zeros")):
        trigger = hand.window.actions_[name].trigger
        work.clicked(f"{what}, 25,000 tensors", 0.5, trigger, _undone(hand))
    editing = hand.bench.manual_edit

    def left() -> None:
        hand.wait(lambda: editing.dialog is not None)
        editing.dialog.reject()

    work.clicked(
        "a gesture in every block, 25,000 tensors",
        1.0,
        lambda: _gesture(hand, first, "restore"),
        left,
    )


def _gesture(hand: Hand, name: str, operation: str) -> None:
    hand.window.actions_["in_every_block"].setChecked(True)
    hand.bench.manual_edit.perform(ManualEditRequest(operation, name, CHANNEL, "channel", 0))


def _undone(hand: Hand) -> Callable[[], None]:
    before = hand.bench.session.document.position

    def undo() -> None:
        hand.wait(lambda: hand.bench.session.document.position > before)
        hand.window.actions_["undo"].trigger()
        hand.wait_quiet()

    return undo
