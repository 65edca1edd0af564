"""Where an export goes: a file or a folder, and what to know of it before."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QWidget,
)

from pruneapp.errors import PruneAppError, abridged
from pruneapp.gui.export.format_list import check_words, files_words, rounded_to
from pruneapp.gui.widgets.controls import add_row, lay_in_column
from pruneapp.gui.widgets.engine_text import translate_error, translate_sentence
from pruneapp.gui.widgets.labels import (
    DANGER,
    TEXT,
    as_plain,
    heading,
    join_sentences,
    plain,
    translate,
)
from pruneapp.results.export import FormatOffer, TargetCheck


def misplaced(path: str, source: str, endings: Iterable[str], *, split: bool, folders: bool) -> str:
    """Say why an export cannot go to `path`, as a sentence; empty if it may.

    What the system does not let us look at may: the engine, which is asked next, has the rules.
    `source` is what is open, empty if nothing is; `endings` are those of files of any format. Files
    of a largest size, `split`, need a folder; else one must be allowed: `folders`.
    """
    if not path:
        if split or folders:
            return translate("ExportPlace", "Enter a folder.")
        return translate("ExportPlace", "Enter a file name.")
    if "\0" in path:
        return translate("ExportPlace", "A name cannot contain a null character.")
    try:
        target = Path(path).expanduser()
    except RuntimeError:
        text = translate("ExportPlace", "There is no user {name}: enter the full path.")
        return text.format(name=path.split("/", maxsplit=1)[0])
    try:
        if problem := _no_folder(target, source, endings) if split else "":
            return problem
        return _no_place(target, folders=folders)
    except OSError:  # a name that is too long, a folder that may not be looked into
        return ""


def real_path(path: str | Path) -> Path:
    """Return where a path leads, whatever it is: a loop of links leads to itself."""
    return Path(os.path.realpath(os.path.expanduser(path)))  # noqa: PTH111 - takes any name


def taken(path: str, written: Collection[Path]) -> str:
    """Say that an export that is under way goes there, or into it; empty if none does.

    `written` is where those go, by `real_path`.
    """
    if not written or not path or "\0" in path:
        return ""
    target = real_path(path)
    for other in written:
        if other == target or other in target.parents or target in other.parents:
            text = translate(
                "ExportPlace",
                "An export to {name} is under way: wait until it is done, or enter another name.",
            )
            return text.format(name=other.name)
    return ""


def _no_place(target: Path, *, folders: bool) -> str:
    if target.is_dir() and not folders:
        return translate("ExportPlace", "This is a folder: add a file name.")
    if target.parent.is_file():
        text = translate("ExportPlace", "{file} is a file, not a folder.")
        return text.format(file=target.parent)
    if not target.parent.is_dir():
        text = translate("ExportPlace", "The folder {folder} does not exist.")
        return text.format(folder=target.parent)
    return ""


def _no_folder(target: Path, source: str, endings: Iterable[str]) -> str:
    """Say why files of a largest size cannot be written there."""
    if target.is_file():
        return translate("ExportPlace", "This is a file: shards of a maximum size need a folder.")
    opened = Path(source)
    home = opened if opened.is_dir() else opened.parent
    if source and target.is_dir() and target.samefile(home):
        return translate("ExportPlace", "This folder contains the open model: choose another.")
    ending = next((s for s in endings if target.name.lower().endswith(s)), "")
    if ending and not target.is_dir():
        text = translate("ExportPlace", "The export is a folder: remove {suffix}.")
        return text.format(suffix=ending)
    return ""


class TargetRow(QWidget):
    """A path, what will become of what is there, and whether the original is to go."""

    changed = Signal()  # the path, or what is known of it, is another

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offer: FormatOffer | None = None
        self._limit: int | None = None
        self._type = ""
        # Of the proposed path: without its ending, and that; and what was proposed last.
        self._base = self._ending = self._proposed = ""
        # What the path was made for: a format, and whether all of it goes into one file.
        self._made_for = "", True
        self._check: TargetCheck | None = None
        self._suffixes: tuple[str, ...] = ()
        self._source = ""
        self._kept_as = ""
        self._folders = False
        self._locate: Callable[[str], Path] = Path
        self._written: Collection[Path] = ()
        self.title = heading("")
        self.path = QLineEdit(self)
        self.path.setMinimumWidth(420)
        self.path.setAccessibleDescription(self.tr("Destination of the export"))
        self.browse = QPushButton(self.tr("Browse…"), self)
        self.browse.setAccessibleDescription(self.tr("Choose the destination of the export."))
        self.note = plain(wrap=True)
        self.note.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.replace = QCheckBox(
            self.tr("Delete the original after the export (undo is no longer possible)"), self
        )
        self.replace.setAccessibleDescription(
            self.tr("Undo reads pruned weights from the original file.")
        )
        layout = lay_in_column(self, self.title)
        add_row(layout, self.path, self.browse, wide=self.path)
        layout.addWidget(self.note)
        layout.addWidget(self.replace)
        self.path.textChanged.connect(self._on_typed)
        self.path.editingFinished.connect(self._keep_up)
        self.browse.clicked.connect(self._browse)
        self._show_note()

    def set_suffixes(self, suffixes: Iterable[str]) -> None:
        """Set how files of any of the formats may end."""
        self._suffixes = tuple(sorted(set(suffixes), key=lambda suffix: (-len(suffix), suffix)))

    def set_format(self, offer: FormatOffer | None, values: Mapping[str, Any]) -> None:
        """Set the format, and the values of its parameters.

        What the person is typing stays as it is until they leave the field.
        """
        self._offer = offer
        self._limit = values.get(offer.split_by) if offer is not None else None
        self._type = rounded_to(offer, values)
        self._keep_up()
        self._show_note()

    def set_path(self, path: str) -> None:
        """Propose a file or folder."""
        self._ending = next((s for s in self._suffixes if path.endswith(s)), "")
        self._base, self._proposed = path.removesuffix(self._ending), path
        blocker = QSignalBlocker(self.path)
        self.path.setText(path)
        del blocker
        self._show_note()
        self.changed.emit()

    def set_check(self, check: TargetCheck | None) -> None:
        """Show what an export finds where it goes; None while that is looked for."""
        self._check = check
        self._show_note()

    def set_folders(self, *, allowed: bool) -> None:
        """Set whether a folder may be the target, as for a model of several files."""
        self._folders = allowed
        self._show_note()
        self.changed.emit()

    def set_locator(self, locate: Callable[[str], Path]) -> None:
        """Set what makes a path of a text; it raises `PruneAppError` for one that is none."""
        self._locate = locate

    def is_url(self) -> bool:
        """Whether the text is a URL; who has it is not asked before the export."""
        return "://" in self.text()

    def place(self) -> Path:
        """Return the path that is wanted; raises what the locator raises."""
        return self._locate(self.text()).expanduser()

    def set_source(self, path: str, kept_as: str) -> None:
        """Set the file that is open, and how it is kept if the export replaces it."""
        self._source, self._kept_as = path, kept_as
        self._show_note()
        self.changed.emit()

    def set_written(self, paths: Collection[Path]) -> None:
        """Set where exports go that are under way, by `real_path`; nothing else may go there."""
        self._written = paths
        self._show_note()
        self.changed.emit()

    def text(self) -> str:
        """Return the path that is wanted."""
        return self.path.text().strip()

    def typed(self) -> str:
        """Return the path if the person gave it; empty if it is as proposed."""
        return "" if self.path.text() == self._proposed else self.text()

    def problem(self) -> str:
        """Say why nothing can be written there, as a sentence; empty if it can."""
        if self.is_url():
            try:
                self.place()
            except PruneAppError as error:
                return translate_error(error)
            return ""
        problem = misplaced(
            self.text(),
            self._source,
            self._suffixes,
            split=self._limit is not None,
            folders=self._may_be_folder(),
        )
        problem = problem or taken(self.text(), self._written)
        return problem or (
            translate_sentence(self._check.refused) if self._check is not None else ""
        )

    def replaces_source(self) -> bool:
        """Whether the file that is open would be replaced."""
        path = self.text()
        if not path or self.is_url() or not self._source or self._limit is not None:
            return False
        source = Path(self._source)
        try:
            wanted = Path(path).expanduser()
            return wanted.resolve() == source.resolve() or wanted.samefile(source)
        except (OSError, RuntimeError):  # one is not there, or a loop of links (before Python 3.13)
            return False

    def is_taken(self) -> bool:
        """Whether anything is where the export goes."""
        path = os.path.expanduser(self.text())  # noqa: PTH111 - takes what is no name of a user
        return os.path.lexists(path)

    def replaced(self) -> int:
        """Return how many files the export replaces, as far as that is known."""
        if self._check is not None:
            return len(self._check.replaced)
        path = os.path.expanduser(self.text())  # noqa: PTH111 - as above
        return self._limit is None and os.path.isfile(path)  # noqa: PTH113 - a name may be too long

    def replaces_open(self) -> bool:
        """Whether files of the model that is open would be replaced, as far as that is known."""
        return self.replaces_source() or (self._check is not None and bool(self._check.kept))

    def _keep_up(self) -> None:
        """Make the path one for the format, unless the person is typing it."""
        offer = self._offer
        if offer is None:
            return
        (name, was_whole), is_whole = self._made_for, self._limit is None
        if self._base and self.path.text() == self._proposed:
            self._propose(offer)
        elif self.path is self.window().focusWidget():
            return  # also while another window is in front
        elif (name, was_whole) != (offer.name, is_whole):
            self._follow(offer, unsplit=is_whole and not was_whole)
        self._made_for = offer.name, is_whole

    def _put(self, path: str) -> None:
        """Set the path, and leave what is selected, or where the cursor is, as it was."""
        field, before = self.path, self.path.text()
        if path == before:
            return  # setting it would drop the selection
        selected, cursor = field.selectedText(), field.cursorPosition()
        field.setText(path)
        if selected and selected == before:
            field.selectAll()
        elif cursor < len(before):
            field.setCursorPosition(cursor)

    def _propose(self, offer: FormatOffer) -> None:
        """Name it so that another format or type does not take the place of the one before."""
        name = self._base + offer.tag + (f"-{self._type}" if self._type else "")
        if self._limit is None and not self._may_be_folder():
            name += self._ending if self._ending in offer.suffixes else offer.suffixes[0]
        self._proposed = name
        self._put(name)

    def _follow(self, offer: FormatOffer, *, unsplit: bool) -> None:
        """Follow the format with the suffix, if the name has one of the other formats'."""
        path = self.path.text()
        if not path:
            return
        ending = next((s for s in self._suffixes if path.endswith(s)), "")
        stem = path.removesuffix(ending)
        if self._limit is not None:
            self._put(stem)
        elif ending and ending not in offer.suffixes:
            self._put(stem if self._may_be_folder() else stem + offer.suffixes[0])
        elif not ending and not self._may_be_folder() and (unsplit or self._folders):
            self._put(path.rstrip("/") + offer.suffixes[0])

    def _may_be_folder(self) -> bool:
        offer = self._offer
        one_file = offer is not None and offer.one_file
        return self._limit is not None or (self._folders and not one_file)

    def _is_folder(self) -> bool:
        """Whether the path is the name of a folder: one with the suffix of its format is not."""
        named = self._offer is not None and self.text().lower().endswith(self._offer.suffixes)
        return self._limit is not None or (self._may_be_folder() and not named)

    def _on_typed(self) -> None:
        self._check = None
        self._show_note()
        self.changed.emit()

    def _show_note(self) -> None:
        if self._is_folder():
            title, name = self.tr("Folder"), self.tr("Destination folder")
        else:
            title, name = self.tr("File"), self.tr("Destination file")
        self.title.setText(title)
        self.path.setAccessibleName(name)
        problem = self.problem() or (self._offer.wrong if self._offer is not None else "")
        grave = problem or self.replaces_open()
        self.note.setForegroundRole(DANGER if grave else TEXT)
        text = f"✕ {problem}" if problem else self._about()
        self.note.setText(abridged(text))
        self.note.setToolTip(as_plain(text) if text != self.note.text() else "")
        self.replace.setVisible(not problem and self.replaces_source())

    def _about(self) -> str:
        if self.is_url():
            return self.tr(
                "Uploaded when you press the button. An object of this name is replaced."
            )
        offer, path = self._offer, Path(self.text()).expanduser()
        where = (
            "" if path.is_absolute() else self.tr("Written to {path}.").format(path=path.absolute())
        )
        if self._check is not None:
            count = files_words(offer.files, self._limit) if offer and self._limit else ""
            return join_sentences(where, count, check_words(self._check))
        if where:
            return where
        if self.replaces_source():
            return check_words(TargetCheck(kept=(self._kept_as,)))
        if self._limit is not None and offer is not None:
            count = files_words(offer.files, self._limit)
            note = self.tr("Files of the same name in this folder are replaced.")
            is_there = os.path.isdir(path)  # noqa: PTH112 - a name may be too long to be looked at
            return join_sentences(count, note) if is_there else count
        if os.path.isfile(path):  # noqa: PTH113 - as above
            return self.tr("This file already exists and will be replaced.")
        usual = offer is None or self.text().lower().endswith(offer.suffixes)
        if offer is not None and not usual and not self._may_be_folder():
            return self.tr("The usual suffix is {suffixes}.").format(
                suffixes=self.tr(" or ").join(offer.suffixes[:2])
            )
        return ""

    def _browse(self) -> None:
        offer = self._offer
        patterns = ""
        if offer is not None and self._limit is None:
            patterns = f"{offer.label} ({' '.join(f'*{suffix}' for suffix in offer.suffixes)})"
        path, _filter = QFileDialog.getSaveFileName(
            self,
            self.tr("Export to"),
            self.path.text(),
            patterns,
            # What would be replaced is said in the dialog, for typed names as well.
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if path:
            self.path.setText(path)
