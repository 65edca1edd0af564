"""The system's font may change while the window is open: no text is cut off."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit

from pruneapp import resources
from pruneapp.gui.files.start_page import EmptyPage
from pruneapp.gui.widgets.controls import CopyButton, fit_fonts

SAMPLE = resources.path("sample/lenet-digits.safetensors")


@pytest.fixture
def scale_font(qapp):
    """Return a function that scales the font of the application by a factor."""
    before = QFont(qapp.font())

    def grow(factor):
        font = QFont(before)
        font.setPointSizeF(before.pointSizeF() * factor)
        qapp.setFont(font)

    yield grow
    qapp.setFont(before)


def text_sizes(user):
    """Return the sizes of the visible widgets with a text, by class and text."""
    found = {}
    for kind in (QAbstractButton, QComboBox, QLabel, QLineEdit):
        for widget in user.window.findChildren(kind):
            if widget.isVisible() and (text := widget.property("text") or widget.accessibleName()):
                found.setdefault((kind.__name__, text), []).append(widget.size().toTuple())
    return found


def wait_text_sizes(user):
    """Return the sizes of the widgets with a text as soon as 200 ms do not change them."""
    sizes = text_sizes(user)
    while True:
        user.pause(200)
        before, sizes = sizes, text_sizes(user)
        if sizes == before:
            return sizes


def open_sample(user):
    user.wait_ready()
    user.window.resize(1600, 1000)
    user.open_file(SAMPLE)
    user.wait_idle()


def test_a_window_that_is_open_looks_as_one_that_was_opened_afterwards(new_user, scale_font):
    first = new_user()
    open_sample(first)
    small = wait_text_sizes(first)
    scale_font(1.4)
    heading = first.views.pages.heading.name
    first.wait(lambda: heading.font().pointSizeF() > QApplication.font().pointSizeF() * 1.3)
    live = wait_text_sizes(first)
    first.window.hide()
    second = new_user()
    open_sample(second)
    fresh = wait_text_sizes(second)
    # The central area may differ in width, as the user sets the widths of the docks.
    assert len(set(live) & set(fresh)) > 40
    differing = {
        key: (live[key], fresh[key])
        for key in set(live) & set(fresh)
        if "preview" not in key[1]  # the main button is as wide as its dock
        and key[0] in {"QAbstractButton", "QLineEdit"}
        and sorted(live[key]) != sorted(fresh[key])
    }
    assert not differing
    for kind, text in (
        ("QAbstractButton", "Iterative pruning…"),
        ("QLineEdit", "20\u00a0%"),
        ("QLabel", "Method"),
    ):
        key = next(k for k in live if k[0] == kind and k[1].replace("&", "") == text)
        assert live[key] != small[key], text


def test_no_button_of_the_form_is_cut(user, scale_font):
    user.open_file(SAMPLE)
    scale_font(1.5)
    form = user.views.form
    user.wait(lambda: form.rounds.width() > form.rounds.fontMetrics().horizontalAdvance("Iter"))

    def whole():
        return all(
            button.width() >= button.fontMetrics().horizontalAdvance(button.text())
            for button in (form.add, form.exclude, form.rounds)
        )

    user.wait(whole)


def test_the_page_without_a_file_follows(show, scale_font):
    page = show(EmptyPage(), 900, 700)
    button = CopyButton("Copy.", page)
    button.show()
    title, least = page.title.font().pointSizeF(), button.minimumWidth()
    scale_font(2)
    QApplication.processEvents()  # a change of the font is announced by events
    fit_fonts(page)
    assert page.title.font().pointSizeF() == pytest.approx(2 * title, abs=0.2)
    assert button.minimumWidth() > least
