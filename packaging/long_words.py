"""Find texts of the window that do not fit, in a pseudo language of longer words or a real one.

    .venv/bin/python packaging/long_words.py DIR [--language pseudo|de|zh_CN] [--dark]

Opens the sample at 960 x 600 and 1280 x 800, visits pages and dialogs, saves a picture of each in
DIR, and lists texts that are clipped or elided. In the language ``pseudo`` every word is 40 %
longer and every text is in brackets: a text without brackets is not marked for translation.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from driving import wait, wait_until
from PySide6.QtCore import QObject, QRect, QTranslator
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QWidget,
)

from pruneapp import resources
from pruneapp.gui import application
from pruneapp.gui.app.settings import Settings
from pruneapp.gui.mainwindow.window import MainWindow
from pruneapp.gui.method_form.editors import AmountEditor
from pruneapp.gui.plots.pages import Page
from pruneapp.gui.widgets import screen
from pruneapp.gui.widgets.labels import ElidedLabel
from pruneapp.gui.widgets.theme import ThemeManager

SIZES = ((960, 600), (1280, 800))
LONGER = 1.4
SAMPLE = "sample/lenet-digits.safetensors"
# Ids of commands that open a dialog.
DIALOGS = (
    *(
        "export",
        "prune_in_rounds",
        "check_pattern",
        "repair",
        "recover",
        "evaluate",
        "scan",
        "commands",
        "keys",
        "change_keys",
        "questions",
    ),
    *("about", "plugins", "guide"),
)
# Placeholders, markup and symbols that must not be changed.
_FIXED = re.compile(r"&?\{[^{}]*\}|%L?n|\(\*[^)]*\)|&.|\\?\n|\t.*|[^\w]")


class LongWords(QTranslator):
    """A pseudo language with longer words in brackets."""

    def translate(
        self, _context: str, source: str, _comment: str | None = None, _n: int = -1
    ) -> str:
        """Return a text with longer words; placeholders and mnemonics are unchanged."""
        return longer(source)

    def isEmpty(self) -> bool:  # noqa: N802 - as Qt names it
        """Return False: there are translations for all texts."""
        return False


def longer(text: str) -> str:
    if not text.strip():
        return text
    letters = sum(map(str.isalpha, text))
    spare = round(letters * (LONGER - 1))
    parts, at = [], 0
    for fixed in _FIXED.finditer(text):
        parts += [text[at : fixed.start()], fixed[0]]
        at = fixed.end()
    parts.append(text[at:])
    words = [place for place in range(0, len(parts), 2) if parts[place]]
    for turn in range(spare):
        if words:
            place = words[turn % len(words)]
            parts[place] += parts[place][-1]
    shown = "".join(parts)
    lead, trail = shown[: len(shown) - len(shown.lstrip())], shown[len(shown.rstrip()) :]
    return f"{lead}[{shown.strip()}]{trail}"


def clipped(root: QWidget) -> Iterator[str]:
    """Yield descriptions of visible texts below a widget that are not fully shown."""
    for widget in root.findChildren(QWidget):
        seen = widget.isVisible() and not widget.visibleRegion().isEmpty()
        if seen and (why := _why(widget)) is not None:
            yield f"{type(widget).__name__} {why}"


def _why(widget: QWidget) -> str | None:
    width, wanted = widget.width(), widget.sizeHint().width()
    if isinstance(widget, ElidedLabel):
        shown = widget.shortened(widget.contentsRect().width())
        return f"shows {shown!r}" if shown != widget.text() else None
    if isinstance(widget, QLabel) and widget.text():
        if widget.wordWrap():
            high = widget.heightForWidth(width)
            low = high > widget.height() + 2
            return f"{widget.text()!r}: {widget.height()} of {high} px high" if low else None
        return f"{widget.text()!r}: {width} of {wanted} px" if wanted > width + 1 else None
    if isinstance(widget, QAbstractButton) and widget.text():
        return f"{widget.text()!r}: {width} of {wanted} px" if wanted > width + 1 else None
    if isinstance(widget, QComboBox) and widget.currentText():
        option = QStyleOptionComboBox()
        widget.initStyleOption(option)
        kind, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = widget.style().subControlRect(kind, option, part, widget).width()
        text = widget.fontMetrics().horizontalAdvance(widget.currentText())
        return f"{widget.currentText()!r}: {room} of {text} px" if text > room else None
    if isinstance(widget, QTabBar):
        short = [
            widget.tabText(at)
            for at in range(widget.count())
            if widget.tabRect(at).width() < widget.tabSizeHint(at).width()
        ]
        return f"{short}" if short else None
    if isinstance(widget, QHeaderView) and widget.model() is not None:
        short = [
            str(widget.model().headerData(at, widget.orientation()))
            for at in range(widget.count())
            if not widget.isSectionHidden(at)
            and widget.sectionSize(at) < widget.sectionSizeHint(at)
        ]
        return f"{short}" if short else None
    return None


class Look:
    """A window, inspected at several sizes."""

    def __init__(self, folder: Path, settings: Settings, theme: str) -> None:
        self.folder = folder
        self.window = MainWindow(settings, theme_ := ThemeManager(_application(), theme))
        self._theme = theme_
        self.start = application.Start(
            self.window, settings, self._theme, file=resources.path(SAMPLE)
        )
        self.window.show()
        wait_until(lambda: self.start.workbench, "the window to be furnished")
        assert self.start.workbench is not None
        self.bench = self.start.workbench
        wait_until(lambda: self.bench.session.document is not None, "the sample to be open")
        self.found: dict[str, list[str]] = {}

    def at(self, width: int, height: int) -> None:
        """Inspect all pages and dialogs at this window size."""
        self.window.resize(width, height)
        size = f"{width}x{height}"
        bench = self.bench
        self._settle()
        for page in filter(bench.views.pages.tabs.isTabVisible, Page):
            bench.navigation.show_page(page)
            self._keep(self.window, f"{size}-{page.name.lower()}")
        bench.navigation.show_page(Page.WEIGHTS)
        bench.views.form_dock.raise_()
        self._keep(self.window, f"{size}-form")
        bench.views.form.limits.button.click()
        self._keep(self.window, f"{size}-limits")
        bench.views.form.limits.button.click()
        for name in DIALOGS:
            self._dialog(f"{size}-{name}", self.window.actions_[name].trigger)

    def prune(self) -> None:
        """Apply a step, so that there is something to evaluate and repair."""
        field = self.bench.views.form.rules[0].findChildren(AmountEditor)[0].field
        field.selectAll()
        QTest.keyClicks(field, "50%")
        wait(3000)
        self.window.actions_["prune"].trigger()
        wait_until(lambda: self._steps() > 1, "the step")

    def _steps(self) -> int:
        document = self.bench.session.document
        return 0 if document is None else len(document.items)

    def _dialog(self, name: str, trigger: Callable[[], None]) -> None:
        trigger()
        self._settle()
        for dialog in QApplication.topLevelWidgets():
            if isinstance(dialog, QDialog) and dialog.isVisible():
                self._keep(dialog, name)
                dialog.reject()
        self._settle()

    def _keep(self, widget: QWidget, name: str) -> None:
        self._settle()
        widget.grab().save(str(self.folder / f"{name}.png"))
        self.found[name] = list(clipped(widget))

    def _settle(self) -> None:
        wait(350)
        wait_until(lambda: not self.bench.jobs.busy, "the jobs to end")


def _application() -> QApplication:
    found = QApplication.instance()
    assert isinstance(found, QApplication)
    return found


def main() -> int:
    """Inspect both sizes; always return 0, because the list needs human judgment."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", metavar="DIR", type=Path)
    parser.add_argument("--language", default="pseudo")
    parser.add_argument("--dark", action="store_true")
    options = parser.parse_args()
    folder: Path = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="pruneapp-words-") as home:
        for kind in ("CONFIG", "CACHE", "STATE", "DATA"):
            os.environ[f"XDG_{kind}_HOME"] = home
        app = application.make_application(["pruneapp"])
        words: QObject | None = None
        if options.language == "pseudo":
            words = LongWords(app)
            app.installTranslator(words)
        else:
            app.speak(options.language)
        screen.available = lambda _window: QRect(0, 0, 1920, 1200)
        look = Look(folder, Settings(), "dark" if options.dark else "light")
        look.prune()
        for width, height in SIZES:
            look.at(width, height)
        seen: set[str] = set()
        for name, texts in look.found.items():
            for text in texts:
                if text not in seen:
                    print(f"{name}: {text}")
                seen.add(text)
        look.bench.shut_down()
        look.window.hide()
    print(f"The pictures are in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
