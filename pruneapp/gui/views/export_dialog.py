"""Where an export goes, and in which format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.gui.views.parts import numbers
from pruneapp.gui.views.parts.colors import with_defaults
from pruneapp.gui.views.parts.labels import heading, plain, recolor


@dataclass(frozen=True)
class FormatForm:
    """An export format, as the dialog shows it.

    Attributes
    ----------
    name
        As the request names it.
    label, help
        A few words, and one sentence.
    suffixes
        Of its files, the usual one first: (".safetensors",).
    nbytes
        Size of the file to come; None if that is not known.
    why_not
        Why this checkpoint cannot be written so; empty if it can.
    """

    name: str
    label: str
    help: str
    suffixes: tuple[str, ...]
    nbytes: int | None = None
    why_not: str = ""


@dataclass(frozen=True)
class ExportWish:
    """What the person wants to be exported, and where to."""

    format: str
    path: str
    replace_original: bool = False


class ExportDialog(QDialog):
    """Asks for format and place.

    Signals
    -------
    exportRequested
        The person wants an `ExportWish` to be done; the dialog closes with it.
    """

    exportRequested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Export"))
        self._forms: dict[str, FormatForm] = {}
        self._source = ""
        self._kept_as = ""
        self._folders = False
        self._colors = with_defaults({})
        self._notes: list[QWidget] = []
        self.radios: dict[str, QRadioButton] = {}
        self._group = QButtonGroup(self)
        self._formats = QGridLayout()
        self._formats.setHorizontalSpacing(16)
        self._formats.setVerticalSpacing(4)
        self._formats.setColumnStretch(0, 1)

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
        self.dense = plain(
            self.tr("Zeros do not make a dense file smaller: pruned weights are written as 0."),
            wrap=True,
        )
        self.go = QPushButton(self)
        self.go.setObjectName("mainAction")
        self.go.setDefault(True)
        self.stop = QPushButton(self.tr("Cancel"), self)

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
        layout.setSpacing(12)
        layout.addWidget(heading(self.tr("Format")))
        layout.addLayout(self._formats)
        layout.addWidget(self.dense)
        layout.addSpacing(4)
        layout.addWidget(heading(self.tr("File")))
        layout.addLayout(place)
        layout.addWidget(self.note)
        layout.addWidget(self.replace)
        layout.addStretch(1)
        layout.addLayout(buttons)

        self._group.buttonClicked.connect(self._choose)
        self.path.textChanged.connect(self._arrange)
        self.browse.clicked.connect(self._browse)
        self.go.clicked.connect(self._finish)
        self.stop.clicked.connect(self.reject)
        self.set_colors({})
        self._arrange()

    # Told

    def set_formats(self, forms: Sequence[FormatForm], chosen: str = "") -> None:
        """Offer these formats; `chosen`, or else the first that can be, is chosen."""
        while (item := self._formats.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self._forms = {form.name: form for form in forms}
        self.radios = {}
        self._notes = []
        for row, form in enumerate(forms):
            radio = QRadioButton(form.label.replace("&", "&&"), self)
            radio.setEnabled(not form.why_not)
            radio.setAccessibleDescription(form.why_not or form.help)
            size = plain(numbers.NO_NUMBER if form.nbytes is None else numbers.size(form.nbytes))
            if form.nbytes is not None:
                size.setToolTip(numbers.exact_size(form.nbytes))
            words = plain(form.why_not or form.help, wrap=True)
            words.setContentsMargins(24, 0, 0, 8)
            self._formats.addWidget(radio, 2 * row, 0)
            self._formats.addWidget(size, 2 * row, 1, Qt.AlignmentFlag.AlignRight)
            self._formats.addWidget(words, 2 * row + 1, 0)
            self._group.addButton(radio)
            self.radios[form.name] = radio
            self._notes.append(words)
        able = [form.name for form in forms if not form.why_not]
        if able:
            self.radios[chosen if chosen in able else able[0]].setChecked(True)
        self.set_colors(self._colors)
        self._arrange()

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
        for label in (*self._notes, self.dense):
            recolor(label, self._colors["muted"])
        self._arrange()

    # Asked

    def chosen(self) -> FormatForm | None:
        """Return the chosen format; None if none can be."""
        for name, radio in self.radios.items():
            if radio.isChecked() and radio.isEnabled():
                return self._forms[name]
        return None

    def wish(self) -> ExportWish | None:
        """Return what is wanted; None while it cannot be done."""
        form, path = self.chosen(), self.path.text().strip()
        if form is None or self._trouble(path):
            return None
        replace = self.replace.isChecked() and self._replaces_source(path)
        return ExportWish(form.name, path, replace_original=replace)

    # Inside

    def _replaces_source(self, path: str) -> bool:
        if not path or not self._source:
            return False
        wanted, source = Path(path), Path(self._source)
        try:
            return wanted.resolve() == source.resolve() or wanted.samefile(source)
        except OSError:  # one of them is not there: then they are not the same
            return False

    def _trouble(self, path: str) -> str:
        if not path:
            return self.tr("Say which file to write.")
        if "\0" in path:
            return self.tr("A name cannot hold a null character.")
        try:
            target = Path(path).expanduser()
            if target.is_dir() and not self._folders:
                return self.tr("This is a folder: add the name of a file.")
            if not target.parent.is_dir():
                return self.tr("The folder {folder} does not exist.").format(folder=target.parent)
        except OSError as error:  # a name that is too long, a folder that may not be looked into
            return str(error)
        return ""

    def _misnamed(self, path: str, form: FormatForm) -> bool:
        return not self._folders and Path(path).suffix.lower() not in form.suffixes

    def _arrange(self) -> None:
        form, path = self.chosen(), self.path.text().strip()
        trouble = self._trouble(path)
        same = not trouble and self._replaces_source(path)
        note = f"✕ {trouble}" if trouble else ""
        if same:
            note = self.tr("The original is first kept beside it as {name}.").format(
                name=self._kept_as
            )
        elif not trouble and Path(path).expanduser().is_file():
            note = self.tr("This file is there already and will be replaced.")
        elif not trouble and form is not None and self._misnamed(path, form):
            note = self.tr("Such files are usually named {suffixes}.").format(
                suffixes=self.tr(" or ").join(form.suffixes[:2])
            )
        recolor(self.note, self._colors["danger" if trouble else "text"])
        self.note.setText(note)
        self.replace.setVisible(same)
        if form is None or form.nbytes is None:
            self.go.setText(self.tr("Export"))
        else:
            self.go.setText(self.tr("Export {size}").format(size=numbers.size(form.nbytes)))
        self.go.setEnabled(form is not None and not trouble)

    def _choose(self) -> None:
        """Follow the format with the suffix, if the name has one of the other formats'."""
        form = self.chosen()
        path = self.path.text()
        known = {suffix for other in self._forms.values() for suffix in other.suffixes}
        ending = next((s for s in sorted(known, key=len, reverse=True) if path.endswith(s)), "")
        if form is not None and ending and form.suffixes and ending not in form.suffixes:
            self.path.setText(path.removesuffix(ending) + form.suffixes[0])
        self._arrange()

    def _browse(self) -> None:
        form = self.chosen()
        patterns = " ".join(f"*{suffix}" for suffix in form.suffixes) if form else ""
        path, _filter = QFileDialog.getSaveFileName(
            self,
            self.tr("Export to"),
            self.path.text(),
            f"{form.label} ({patterns})" if form and patterns else "",
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
