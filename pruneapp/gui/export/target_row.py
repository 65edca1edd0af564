"""The destination of an export: a file or a folder, with errors and notes about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QPushButton, QWidget

from pruneapp.errors import PruneAppError, abridge_text
from pruneapp.export.format_sizes import FormatOffer
from pruneapp.export.report import TargetCheck
from pruneapp.gui.export.format_list import file_count_text, rounding_dtype, target_text
from pruneapp.gui.widgets.controls import add_row, lay_in_column
from pruneapp.gui.widgets.engine_text import translate_error, translate_sentence
from pruneapp.gui.widgets.labels import DANGER, TEXT, as_plain, heading, join_sentences, plain
from pruneapp.gui.widgets.typed_path import (
    expand_home,
    free_path,
    in_progress_problem,
    path_problem,
)


class TargetRow(QWidget):
    """A path, a note about what it replaces, and a check box to delete the original."""

    changed = Signal()  # the path, or what is known about it, has changed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offer: FormatOffer | None = None
        self._limit: int | None = None
        self._type = ""
        # the proposed path without its suffix, the suffix, and the path proposed last
        self._base = self._ending = self._proposed = ""
        # format for which the path was set, and whether all of it is one file
        self._path_format = "", True
        self._check: TargetCheck | None = None
        self._suffixes: tuple[str, ...] = ()
        self._source = ""
        self._backup_name = ""
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
        self.path.editingFinished.connect(self._update_path)
        self.browse.clicked.connect(self._browse)
        self._show_note()

    def set_suffixes(self, suffixes: Iterable[str]) -> None:
        """Set the suffixes of files of all formats."""
        self._suffixes = tuple(sorted(set(suffixes), key=lambda suffix: (-len(suffix), suffix)))

    def set_format(self, offer: FormatOffer | None, values: Mapping[str, Any]) -> None:
        """Set the format and the values of its parameters, and adapt the path to it.

        A path that the user is typing is not changed until the field loses the focus.
        """
        self._offer = offer
        self._limit = values.get(offer.split_by) if offer is not None else None
        self._type = rounding_dtype(offer, values)
        self._update_path()
        self._show_note()

    def set_path(self, path: str) -> None:
        """Propose a file or folder, replacing the text, and emit `changed`.

        The suffix stays where the format permits it. A name that is in use gets a number.
        """
        self._ending = next((s for s in self._suffixes if path.endswith(s)), "")
        self._base, self._proposed = path.removesuffix(self._ending), path
        blocker = QSignalBlocker(self.path)
        self.path.setText(path)
        self._update_path()
        del blocker
        self._show_note()
        self.changed.emit()

    def set_check(self, check: TargetCheck | None) -> None:
        """Show the result of checking the target; None while it is being checked."""
        self._check = check
        self._show_note()

    def set_folders(self, *, allowed: bool) -> None:
        """Set whether the target may be a folder, as for a model of several files."""
        self._folders = allowed
        self._show_note()
        self.changed.emit()

    def set_locator(self, locate: Callable[[str], Path]) -> None:
        """Set the function that converts text to a path, or raises `PruneAppError`."""
        self._locate = locate

    def is_url(self) -> bool:
        """Whether the text is a URL; object stores are not accessed before the export."""
        return "://" in self.text()

    def place(self) -> Path:
        """Return the path of the target; raises the errors of the locator."""
        return self._locate(self.text()).expanduser()

    def set_source(self, path: str, kept_as: str) -> None:
        """Set the open file, and the name of its backup if the export replaces it."""
        self._source, self._backup_name = path, kept_as
        self._show_note()
        self.changed.emit()

    def set_written(self, paths: Collection[Path]) -> None:
        """Set the targets of exports in progress; no other export may write there."""
        self._written = paths
        self._update_path()
        self._show_note()
        self.changed.emit()

    def text(self) -> str:
        """Return the entered path."""
        return self.path.text().strip()

    def typed_path(self) -> str:
        """Return the path if the user changed it; empty if it is the proposed one."""
        return "" if self.path.text() == self._proposed else self.text()

    def problem(self) -> str:
        """Return a sentence why nothing can be written to the path; "" if it is valid.

        A URL is only parsed. For a path the result of the last check counts as well.
        """
        if self.is_url():
            try:
                self.place()
            except PruneAppError as error:
                return translate_error(error)
            return ""
        problem = path_problem(
            self.text(),
            self._source,
            self._suffixes,
            split=self._limit is not None,
            folders=self._may_be_folder(),
            nbytes=self._offer.nbytes if self._offer is not None else None,
        )
        problem = problem or in_progress_problem(self.text(), self._written)
        return problem or (
            translate_sentence(self._check.refused) if self._check is not None else ""
        )

    def replaces_source(self) -> bool:
        """Whether the export would replace the open file; False for a folder, a URL, and shards."""
        path = self.text()
        if not path or self.is_url() or not self._source or self._limit is not None:
            return False
        source = Path(self._source)
        try:
            wanted = expand_home(path)
            return wanted.resolve() == source.resolve() or wanted.samefile(source)
        # one does not exist, or a loop of links (before Python 3.13)
        except (OSError, RuntimeError):
            return False

    def path_exists(self) -> bool:
        return os.path.lexists(expand_home(self.text()))

    def count_replaced(self) -> int:
        """Return the number of files that the export replaces, as far as known."""
        if self._check is not None:
            return len(self._check.replaced)
        path = expand_home(self.text())
        return self._limit is None and os.path.isfile(path)  # noqa: PTH113 - a name may be too long

    def replaces_open(self) -> bool:
        """Whether files of the open model would be replaced, as far as known."""
        return self.replaces_source() or (self._check is not None and bool(self._check.kept))

    def _update_path(self) -> None:
        """Adapt the path to the format: a proposed name, or the suffix of another one.

        A name that the user is typing is not changed.
        """
        offer = self._offer
        if offer is None:
            return
        (name, was_whole), is_whole = self._path_format, self._limit is None
        if self._base and self.path.text() == self._proposed:
            self._propose(offer)
        elif self.path is self.window().focusWidget():
            return  # also while another window is active
        elif (name, was_whole) != (offer.name, is_whole):
            self._replace_suffix(offer, unsplit=is_whole and not was_whole)
        self._path_format = offer.name, is_whole

    def _set_text(self, path: str) -> None:
        """Set the path, but keep the selection or the cursor position."""
        field, before = self.path, self.path.text()
        if path == before:
            return  # setting it would clear the selection
        selected, cursor = field.selectedText(), field.cursorPosition()
        field.setText(path)
        if selected and selected == before:
            field.selectAll()
        elif cursor < len(before):
            field.setCursorPosition(cursor)

    def _propose(self, offer: FormatOffer) -> None:
        """Propose an unused name with format and dtype: exports do not replace each other."""
        name, suffix = self._base + offer.tag + (f"-{self._type}" if self._type else ""), ""
        if self._limit is None and not self._may_be_folder():
            suffix = self._ending if self._ending in offer.suffixes else offer.suffixes[0]
        self._proposed = free_path(name, suffix, self._written)
        self._set_text(self._proposed)

    def _replace_suffix(self, offer: FormatOffer, *, unsplit: bool) -> None:
        """Adapt the suffix of the path to the format, unless it has one of its suffixes.

        A path that may be a folder, or has shards, gets no suffix. A path without a suffix gets one
        if the export was split before (`unsplit`) or the model is a folder.
        """
        path = self.path.text()
        if not path:
            return
        ending = next((s for s in self._suffixes if path.endswith(s)), "")
        stem = path.removesuffix(ending)
        if self._limit is not None:
            self._set_text(stem)
        elif ending and ending not in offer.suffixes:
            self._set_text(stem if self._may_be_folder() else stem + offer.suffixes[0])
        elif not ending and not self._may_be_folder() and (unsplit or self._folders):
            self._set_text(path.rstrip("/") + offer.suffixes[0])

    def _may_be_folder(self) -> bool:
        offer = self._offer
        one_file = offer is not None and offer.one_file
        return self._limit is not None or (self._folders and not one_file)

    def _is_folder(self) -> bool:
        """Return whether the path is a folder: it may be one and has no suffix of the format."""
        named = self._offer is not None and self.text().lower().endswith(self._offer.suffixes)
        return self._limit is not None or (self._may_be_folder() and not named)

    def _on_typed(self) -> None:
        self._check = None
        self._show_note()
        self.changed.emit()

    def _show_note(self) -> None:
        """Show whether the path is a file or a folder, and the problem or note about it.

        The check box is only visible for a valid path that replaces the open file.
        """
        if self._is_folder():
            title, name = self.tr("Folder"), self.tr("Destination folder")
        else:
            title, name = self.tr("File"), self.tr("Destination file")
        self.title.setText(title)
        self.path.setAccessibleName(name)
        problem = self.problem() or (self._offer.wrong if self._offer is not None else "")
        grave = problem or self.replaces_open()
        self.note.setForegroundRole(DANGER if grave else TEXT)
        text = f"✕ {problem}" if problem else self._note_text()
        self.note.setText(abridge_text(text))
        self.note.setToolTip(as_plain(text) if text != self.note.text() else "")
        self.replace.setVisible(not problem and self.replaces_source())

    def _note_text(self) -> str:
        """Return a text about a valid path: where it is, what it replaces, or an unusual suffix.

        The result is "" if there is nothing to say.
        """
        if self.is_url():
            return self.tr(
                "The file is uploaded when you press the button. An existing object of this "
                "name is replaced."
            )
        offer, path = self._offer, expand_home(self.text())
        where = (
            ""
            if path.is_absolute()
            else self.tr("Will be written to {path}.").format(path=path.absolute())
        )
        if self._check is not None:
            count = file_count_text(offer.files, self._limit) if offer and self._limit else ""
            return join_sentences(where, count, target_text(self._check))
        if where:
            return where
        if self.replaces_source():
            return target_text(TargetCheck(kept=(self._backup_name,)))
        if self._limit is not None and offer is not None:
            count = file_count_text(offer.files, self._limit)
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
        """Let the user choose the destination; nothing changes if the user cancels."""
        offer = self._offer
        patterns = ""
        if offer is not None and self._limit is None:
            patterns = f"{offer.label} ({' '.join(f'*{suffix}' for suffix in offer.suffixes)})"
        path, _filter = QFileDialog.getSaveFileName(
            self,
            self.tr("Export to"),
            self.path.text(),
            patterns,
            # The note warns of replaced files, for typed names as well.
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if path:
            self.path.setText(path)
