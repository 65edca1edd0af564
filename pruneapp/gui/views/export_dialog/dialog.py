"""The dialog before an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.answers import FormatOffer
from pruneapp.errors import ParameterError
from pruneapp.gui.views.export_dialog.beside import Beside
from pruneapp.gui.views.export_dialog.details import Details
from pruneapp.gui.views.export_dialog.formats import Formats
from pruneapp.gui.views.export_dialog.purposes import Purposes
from pruneapp.gui.views.export_dialog.words import size_words
from pruneapp.gui.views.parts.colors import with_defaults
from pruneapp.gui.views.parts.labels import heading, plain, recolor


@dataclass(frozen=True)
class ExportWish:
    """What the person wants to be exported, and where to.

    Attributes
    ----------
    format, path
        As the request names them.
    replace_original
        Whether the original is deleted afterwards.
    params
        Values of the parameters of the format.
    script
        Whether a script that compares outputs is written beside it.
    report
        Suffix of the report that is written beside it; empty if none is.
    """

    format: str
    path: str
    replace_original: bool = False
    params: Mapping[str, Any] = field(default_factory=dict)
    script: bool = False
    report: str = ""


class ExportDialog(QDialog):
    """Asks what the file is for, in which format it is written, and where to.

    Signals
    -------
    exportRequested(ExportWish)
        The person wants it to be done; the dialog closes with it.
    parametersChanged(str, dict)
        The person changed a parameter of this format: its size may be another now.
    """

    exportRequested = Signal(object)
    parametersChanged = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Export"))
        self._suffixes: tuple[str, ...] = ()
        self._source = ""
        self._kept_as = ""
        self._folders = False
        self._colors = with_defaults({})
        self.purposes = Purposes(self)
        self.formats = Formats(self)
        self.details = Details(self)
        self.path = QLineEdit(self)
        self.path.setMinimumWidth(420)
        self.path.setAccessibleName(self.tr("File to write"))
        self.path.setAccessibleDescription(self.tr("Where the export is written."))
        self.browse = QPushButton(self.tr("Browse…"), self)
        self.browse.setAccessibleDescription(self.tr("Choose where the export is written."))
        self.note = plain(wrap=True)
        self.note.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        self.replace = QCheckBox(self.tr("Delete the original afterwards; undo ends then"), self)
        self.replace.setAccessibleDescription(
            self.tr("Without the original there is nothing that undo could bring back.")
        )
        self.beside = Beside(self)
        self.go = QPushButton(self)
        self.go.setObjectName("mainAction")
        self.go.setDefault(True)
        self.stop = QPushButton(self.tr("Cancel"), self)
        self._lay_out()
        self.purposes.chosen.connect(self._on_best)
        self.formats.picked.connect(self._on_picked)
        self.details.changed.connect(self._on_changed)
        self.path.textChanged.connect(self._arrange)
        self.browse.clicked.connect(self._browse)
        self.go.clicked.connect(self._finish)
        self.stop.clicked.connect(self.reject)
        self.set_colors({})
        self._arrange()

    def _lay_out(self) -> None:
        choice = QHBoxLayout()
        choice.setSpacing(24)
        choice.addWidget(self.formats)
        choice.addWidget(self.details, 1)
        place = QHBoxLayout()
        place.setSpacing(8)
        place.addWidget(self.path, 1)
        place.addWidget(self.browse)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.stop)
        buttons.addWidget(self.go)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(8)
        layout.addWidget(heading(self.tr("What is it for?")))
        layout.addWidget(self.purposes)
        layout.addSpacing(4)
        layout.addWidget(heading(self.tr("Format")))
        layout.addLayout(choice, 1)
        layout.addSpacing(4)
        layout.addWidget(heading(self.tr("File")))
        layout.addLayout(place)
        layout.addWidget(self.note)
        layout.addWidget(self.replace)
        layout.addWidget(self.beside)
        layout.addSpacing(8)
        layout.addLayout(buttons)

    # Told

    def set_offers(self, offers: Sequence[FormatOffer], chosen: str = "") -> None:
        """Offer these formats; `chosen`, or else the first that can be, is chosen at first."""
        self._suffixes = tuple({suffix for offer in offers for suffix in offer.suffixes})
        self.formats.set_offers(offers, chosen)
        self.purposes.set_offers(offers)
        self._show_chosen()

    def set_target(self, path: str) -> None:
        """Propose a file."""
        blocker = QSignalBlocker(self.path)
        self.path.setText(path)
        del blocker
        self._arrange()

    def set_folders(self, *, allowed: bool) -> None:
        """Take note whether a folder may be the target, as for a model of several files."""
        self._folders = allowed
        self._arrange()

    def set_source(self, path: str, kept_as: str) -> None:
        """Take note of the file that is open, and how it is kept if the export replaces it."""
        self._source, self._kept_as = path, kept_as
        self._arrange()

    def set_colors(self, colors: Mapping[str, str]) -> None:
        """Take the theme's colours."""
        self._colors = with_defaults(colors)
        self.purposes.set_colors(self._colors)
        self.formats.set_colors(self._colors)
        self.details.set_colors(self._colors)
        self._arrange()

    # Asked

    @property
    def radios(self) -> Mapping[str, QRadioButton]:
        """The buttons of the formats, by their names."""
        return self.formats.radios

    def chosen(self) -> FormatOffer | None:
        """Return the chosen format; None if none can be."""
        return self.formats.chosen()

    def wish(self) -> ExportWish | None:
        """Return what is wanted; None while it cannot be done."""
        offer, path = self.chosen(), self.path.text().strip()
        if offer is None or self._trouble(path):
            return None
        try:
            values = self.details.values()
        except ParameterError:
            return None  # said beside the field
        replace = self.replace.isChecked() and self._replaces_source(path)
        return ExportWish(
            offer.name,
            path,
            replace_original=replace,
            params=values,
            script=self.beside.script.isChecked(),
            report=self.beside.report(),
        )

    # Inside

    def _on_best(self, name: str) -> None:
        self.formats.choose(name)
        self._follow()
        self._show_chosen()

    def _on_picked(self) -> None:
        offer = self.chosen()
        if offer is not None and self.purposes.purpose() not in offer.recommended:
            self.purposes.forget()
        self._follow()
        self._show_chosen()

    def _on_changed(self) -> None:
        offer = self.chosen()
        self._arrange()
        if offer is not None and not self.details.errors():
            self.parametersChanged.emit(offer.name, self.details.values())

    def _show_chosen(self) -> None:
        self.details.show_offer(self.chosen())
        self._arrange()

    def _replaces_source(self, path: str) -> bool:
        if not path or not self._source:
            return False
        wanted, source = Path(path), Path(self._source)
        try:
            return wanted.resolve() == source.resolve() or wanted.samefile(source)
        except OSError:  # one of them is not there: then they are not the same
            return False

    def _may_be_folder(self) -> bool:
        offer = self.chosen()
        return self._folders and not (offer is not None and offer.one_file)

    def _trouble(self, path: str) -> str:
        if not path:
            return self.tr("Say which file to write.")
        if "\0" in path:
            return self.tr("A name cannot hold a null character.")
        try:
            target = Path(path).expanduser()
            if target.is_dir() and not self._may_be_folder():
                return self.tr("This is a folder: add the name of a file.")
            if not target.parent.is_dir():
                return self.tr("The folder {folder} does not exist.").format(folder=target.parent)
        except OSError as error:  # a name that is too long, a folder that may not be looked into
            return str(error)
        return ""

    def _misnamed(self, path: str, offer: FormatOffer) -> bool:
        return not self._may_be_folder() and not path.lower().endswith(offer.suffixes)

    def _arrange(self) -> None:
        offer, path = self.chosen(), self.path.text().strip()
        trouble = self._trouble(path)
        same = not trouble and self._replaces_source(path)
        note = f"✕ {trouble}" if trouble else ""
        if same:
            note = self.tr("The original is first kept beside it as {name}.").format(
                name=self._kept_as
            )
        elif not trouble and Path(path).expanduser().is_file():
            note = self.tr("This file is there already and will be replaced.")
        elif not trouble and offer is not None and self._misnamed(path, offer):
            note = self.tr("Such files are usually named {suffixes}.").format(
                suffixes=self.tr(" or ").join(offer.suffixes[:2])
            )
        recolor(self.note, self._colors["danger" if trouble else "text"])
        self.note.setText(note)
        self.replace.setVisible(same)
        if offer is None or offer.nbytes is None:
            self.go.setText(self.tr("Export"))
        else:
            self.go.setText(self.tr("Export {size}").format(size=size_words(offer)))
        self.go.setEnabled(offer is not None and not trouble and not self.details.errors())

    def _follow(self) -> None:
        """Follow the format with the suffix, if the name has one of the other formats'."""
        offer, path = self.chosen(), self.path.text()
        if offer is None or not path:
            return
        ending = next(
            (s for s in sorted(self._suffixes, key=len, reverse=True) if path.endswith(s)), ""
        )
        if ending in offer.suffixes:
            return
        if ending:
            stem = path.removesuffix(ending)
            self.path.setText(stem if self._may_be_folder() else stem + offer.suffixes[0])
        elif self._folders and offer.one_file:
            self.path.setText(path.rstrip("/") + offer.suffixes[0])

    def _browse(self) -> None:
        offer = self.chosen()
        patterns = " ".join(f"*{suffix}" for suffix in offer.suffixes) if offer else ""
        path, _filter = QFileDialog.getSaveFileName(
            self,
            self.tr("Export to"),
            self.path.text(),
            f"{offer.label} ({patterns})" if offer and patterns else "",
            # What would be replaced is said in the dialog, for typed names as well.
            options=QFileDialog.Option.DontConfirmOverwrite,
        )
        if path:
            self.path.setText(path)

    def _finish(self) -> None:
        wish = self.wish()
        if wish is not None:
            self.accept()
            self.exportRequested.emit(wish)
