"""The destination of a shrunk model: a new folder, or a file."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QPushButton, QWidget

from pruneapp.checkpoint.io.files import exists, is_folder
from pruneapp.export.destination.sidecars import shrink_record_of
from pruneapp.export.report import TargetCheck
from pruneapp.gui.export.format_list import target_text
from pruneapp.gui.widgets.controls import add_row, lay_in_column
from pruneapp.gui.widgets.labels import DANGER, TEXT, heading, plain
from pruneapp.gui.widgets.typed_path import (
    expand_home,
    in_progress_problem,
    path_problem,
    real_path,
)


class FolderRow(QWidget):
    """A field for the new folder, or file, that the model is written to."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source = self._proposed = ""
        self._suffixes: tuple[str, ...] = ()  # suffixes of a single file that can contain the model
        # suffixes of files, which the name of a folder must not have
        self._file_suffixes: tuple[str, ...] = ()
        self._written: Collection[Path] = ()
        self._nbytes: int | None = None
        self.path = QLineEdit(self)
        self.title = heading("")
        self.browse = QPushButton(self.tr("Browse…"), self)
        self.browse.setAutoDefault(False)
        self.browse.setAccessibleDescription(self.tr("Choose the destination of the export."))
        self.note = plain(wrap=True, ink=DANGER)
        self.note.setMinimumHeight(self.fontMetrics().lineSpacing())
        layout = lay_in_column(self, self.title, spacing=4)
        add_row(layout, self.path, self.browse, wide=self.path)
        layout.addWidget(self.note)
        self.path.textChanged.connect(self._on_typed)
        self.browse.clicked.connect(self._browse)
        self._show_kind()

    def set_written(self, paths: Collection[Path]) -> None:
        """Set the targets of exports in progress; no other export may write there."""
        self._written = paths
        self._on_typed()

    def set_size(self, nbytes: int | None) -> None:
        """Set the size of the shrunk model, for which the disk must have space; None if unknown."""
        if nbytes != self._nbytes:
            self._nbytes = nbytes
            self._on_typed()

    def set_path(
        self,
        path: str,
        source: str,
        suffixes: Sequence[str] = (),
        *,
        file_suffixes: Sequence[str] = (".safetensors", ".json"),
    ) -> None:
        """Propose a folder or a file, replacing the text.

        Parameters
        ----------
        path
            The proposed path.
        source
            The path of the open checkpoint.
        suffixes
            Suffixes of a file that can contain the whole model. A name with any other ending is a
            folder; if empty, every name is.
        file_suffixes
            Suffixes of files, which the name of a folder must not have.
        """
        self._source, self._proposed = source, path
        self._suffixes, self._file_suffixes = tuple(suffixes), tuple(file_suffixes)
        self.path.setText(path)

    def typed_path(self) -> str:
        """Return the text that the user typed; empty if it is the proposed path."""
        return "" if self.path.text() == self._proposed else self.path.text()

    def target(self) -> Path:
        """Return the path of the new folder or file."""
        return expand_home(self.path.text().strip())

    def problem(self) -> str:
        """Return a sentence why nothing can be written to the path; "" if it is valid.

        Existing folders, the open file, and paths of exports in progress are not valid.
        """
        text = self.path.text().strip()
        one_file = self.is_file()
        target = expand_home(text)
        if not one_file and exists(target) and not is_folder(target):
            return self.tr("This is a file: name a new folder.")
        if one_file and not target.name.lower().endswith(self._suffixes):
            words = self.tr("The model cannot be written as {suffix}: use {usual}.")
            return words.format(suffix=target.suffix, usual=self._usual_suffix())
        endings = self._file_suffixes
        problem = path_problem(
            text, self._source, endings, split=not one_file, folders=True, nbytes=self._nbytes
        )
        if problem := problem or in_progress_problem(text, self._written):
            return problem
        if not os.path.lexists(target):
            return ""
        if not one_file:
            return self.tr("This already exists: name a new folder.")
        if target.is_symlink() or not target.is_file():
            return self.tr("This already exists: name a new file.")
        if self._source and real_path(text) == real_path(self._source):
            return self.tr("This is the open file: name another file.")
        return ""

    def _usual_suffix(self) -> str:
        """Return the suffix of the proposed file; "" if a folder is proposed."""
        return next((s for s in self._suffixes if self._proposed.endswith(s)), "")

    def is_file(self) -> bool:
        """Return whether the text names a file, possibly of a format that cannot hold the model."""
        name = self.path.text().strip().lower()
        return bool(self._suffixes) and name.endswith((*self._suffixes, *self._file_suffixes))

    def _show_kind(self) -> None:
        """Show whether the text is a folder or a file, as title and for screen readers."""
        title, name = self.tr("Folder"), self.tr("Destination folder")
        about = self.tr("A folder that does not exist yet.")
        if self.is_file():
            title, name = self.tr("File"), self.tr("Destination file")
            about = self.tr("A file; an existing one is replaced.")
        self.title.setText(title)
        self.path.setAccessibleName(name)
        self.path.setAccessibleDescription(about)

    def _on_typed(self) -> None:
        self._show_kind()
        problem = self.problem()
        text = f"✕ {problem}" if problem else ""
        if not problem and self.is_file():
            target = self.target()
            paths = (target, shrink_record_of(target))
            replaced = tuple(path.name for path in paths if os.path.lexists(path))
            text = target_text(TargetCheck(replaced=replaced))
        self.note.setForegroundRole(DANGER if problem else TEXT)
        self.note.setText(text)
        self.changed.emit()

    def _browse(self) -> None:
        """Let the user choose the destination; nothing changes if the user cancels."""
        path, _filter = QFileDialog.getSaveFileName(
            self,
            self.tr("Export to"),
            self.path.text(),
            "",
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if path:
            self.path.setText(path)
