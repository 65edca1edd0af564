"""Recovered files are offered row by row, by mouse and by keys."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from pruneapp.gui.files.recovery_view import RecoverableWork, RecoveryView, TemporaryFiles

LEFT = Qt.MouseButton.LeftButton
WORKS = tuple(
    RecoverableWork(f"/state/{n}.journal", f"model-{n}.safetensors", n, f"L1 {n} % on fc", "14:02")
    for n in (1, 3)
)
FILES = TemporaryFiles(("/data/.out.0123abcd.part", "/data/.b.0123abcd.part"), 3_000_000)


@pytest.fixture
def offer(qtbot):
    found = RecoveryView()
    qtbot.addWidget(found)
    found.resize(900, 160)
    return found


def shown_offer(qtbot, offer, works, files):
    with qtbot.waitExposed(offer):
        offer.set_recoverable(works, files)
        offer.show()


def texts(offer) -> str:
    rows = offer._rows
    found = []
    for row in range(rows.rowCount()):
        items = [rows.itemAtPosition(row, column) for column in range(2)]
        found += [item.widget().text() for item in dict.fromkeys(items) if item is not None]
    return " | ".join(found).replace("\u00a0", " ")


def test_without_anything_nothing_is_shown(qtbot, offer):
    shown_offer(qtbot, offer, WORKS, None)
    offer.set_recoverable((), None)
    assert not offer.isVisible()


def test_each_work_has_a_row_and_what_was_done_last(qtbot, offer):
    shown_offer(qtbot, offer, WORKS, FILES)
    assert offer.title.text() == "Pruneapp was closed unexpectedly"
    assert texts(offer) == (
        "1 step on model-1.safetensors, 14:02 | L1 1 % on fc | "
        "3 steps on model-3.safetensors, 14:02 | L1 3 % on fc | "
        "2 temporary files of exports, 3.0 MB | /data/.out.0123abcd.part"
    )


def test_buttons_announce_the_work_that_they_stand_beside(qtbot, offer):
    shown_offer(qtbot, offer, WORKS, FILES)
    for signal, buttons in (
        (offer.restoreRequested, offer.restore_buttons),
        (offer.deleteRequested, offer.delete_buttons),
    ):
        for work, button in zip(WORKS, buttons, strict=True):
            with qtbot.waitSignal(signal) as told:
                qtbot.mouseClick(button, LEFT)
            assert told.args == [work.key]
            assert work.file in button.accessibleName()
    for signal, button in (
        (offer.filesDeleteRequested, offer.files_button),
        (offer.dismissed, offer.later),
    ):
        with qtbot.waitSignal(signal):
            qtbot.mouseClick(button, LEFT)


def test_setting_announces_nothing(qtbot, offer):
    with qtbot.assertNotEmitted(offer.restoreRequested), qtbot.assertNotEmitted(offer.dismissed):
        shown_offer(qtbot, offer, WORKS, FILES)


def test_it_works_by_keys_alone(qtbot, offer):
    shown_offer(qtbot, offer, WORKS[:1], None)
    offer.later.setFocus()
    reached = []
    for _ in range(3):
        reached.append(QApplication.focusWidget())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert {offer.later, offer.restore_buttons[0], offer.delete_buttons[0]} == set(reached)
    offer.restore_buttons[0].setFocus()
    with qtbot.waitSignal(offer.restoreRequested) as told:
        qtbot.keyClick(offer.restore_buttons[0], Qt.Key.Key_Space)
    assert told.args == [WORKS[0].key]


def test_files_alone_are_no_crash_of_the_window(qtbot, offer):
    shown_offer(qtbot, offer, (), TemporaryFiles(("/data/.out.0123abcd.part",), 2_000_000))
    assert offer.title.text() == "An export was interrupted"
    assert texts(offer).startswith("1 temporary file of an export, 2.0 MB")


def test_work_of_a_newer_pruneapp_can_only_be_deleted(qtbot, offer):
    shown_offer(qtbot, offer, (RecoverableWork("k", "", 0, "", "14:02", known=False),), None)
    assert not offer.restore_buttons[0].isEnabled()
    assert offer.delete_buttons[0].isEnabled()
    assert texts(offer).startswith("Work saved by a newer version of Pruneapp, 14:02")


@pytest.mark.parametrize(("undone", "said"), [(1, "1 undone step"), (3, "3 undone steps")])
def test_work_that_was_taken_back_can_be_restored_too(qtbot, offer, undone, said):
    work = RecoverableWork("k", "a.pt", 0, "L1 30 % on fc", "14:02", undone=undone)
    shown_offer(qtbot, offer, (work,), None)
    assert texts(offer).startswith(f"{said} on a.pt, 14:02 | L1 30 % on fc")
    with qtbot.waitSignal(offer.restoreRequested) as asked:
        offer.restore_buttons[0].click()
    assert asked.args == ["k"]


def test_steps_of_all_branches_are_counted(qtbot, offer):
    work = RecoverableWork("k", "a.pt", 2, "L1 30 % on fc", "14:02", undone=2)
    shown_offer(qtbot, offer, (work,), None)
    whole = "4 steps on a.pt, 14:02 | L1 30 % on fc (2 undone or on other branches)"
    assert texts(offer).startswith(whole)
    assert offer.restore_buttons[0].accessibleName() == "Restore 4 steps on a.pt, 14:02"


def test_of_many_three_are_shown_and_the_rest_is_counted(qtbot, offer):
    works = [RecoverableWork(str(n), f"m{n}.pt", n, "", "14:02") for n in range(1, 6)]
    shown_offer(qtbot, offer, works, None)
    assert len(offer.restore_buttons) == 3
    assert offer.more.text() == "2 more"


@pytest.mark.parametrize(
    ("again", "said"),
    [(1, "The last step is recomputed."), (2, "The last 2 steps are recomputed.")],
)
def test_what_has_to_be_computed_again_is_said_below_its_row(qtbot, offer, again, said):
    works = [replace(WORKS[0], again=again), WORKS[1]]
    shown_offer(qtbot, offer, works, FILES)
    assert texts(offer).split(" | ")[2] == said
    assert "3 steps on" in texts(offer).split(" | ")[3]
    assert offer.restore_buttons[0].accessibleDescription() == said
    assert not offer.restore_buttons[1].accessibleDescription()


def test_names_of_files_are_no_markup(qtbot, offer):
    work = RecoverableWork("k", "<b>bold</b>\n.pt", 2, "<img src=x>", "14:02")
    shown_offer(qtbot, offer, (work,), None)
    assert "<b>bold</b>\\u000a.pt" in texts(offer)
    assert "&lt;b&gt;" in offer.restore_buttons[0].toolTip() or "<b>" not in (
        offer.restore_buttons[0].toolTip()
    )


def test_the_stripe_has_the_accent(qtbot, offer, palette_of, theme):
    shown_offer(qtbot, offer, WORKS, None)
    palette_of(theme)
    image = offer.grab().toImage()
    assert image.pixelColor(1, offer.height() // 2) == QColor(theme.colors["accent"])
    assert image.pixelColor(8, 6) == QColor(theme.colors["surface"])


def test_metrics_without_a_step_can_be_restored(qtbot, offer):
    shown_offer(qtbot, offer, (RecoverableWork("k", "m.pt", 0, "", "14:02"),), None)
    assert texts(offer).startswith("Metrics on m.pt, 14:02 | ")
    assert offer.restore_buttons[0].isEnabled()
