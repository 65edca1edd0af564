"""Choose what a model is run on: a script, text, images, random inputs, a command, statistics."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QGridLayout,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QRadioButton,
    QWidget,
)

from pruneapp.gui.widgets.controls import (
    LineEdit,
    choice_box,
    choose_by_click,
    lay_in_column,
    single_shot,
    symbol_button,
)
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    join_sentences,
    label_for,
    plain,
    translate,
    with_label,
)

# Pause after the last keystroke before a typed path is checked.
TYPED_MS = 300
_FIELD_WIDTH = 320  # minimum width of the fields for texts and what is next to them, in pixels
_FIELD_DIGITS = 8  # width of the fields for numbers, in digits
# Lines reserved for the answer below the fields, so that the layout does not jump.
_RESERVED_LINES = 3


class DataKind(Enum):
    """The kind of data that a model is run on, or that is known of its inputs."""

    SCRIPT = "script"
    TEXT = "text"
    IMAGES = "images"
    TOKENS = "tokens"
    INPUTS = "inputs"
    STATISTICS = "statistics"
    COMMAND = "command"


@dataclass(frozen=True)
class DataSource:
    """The user's choice; paths and numbers as they were typed."""

    kind: DataKind = DataKind.SCRIPT
    # Path of the script, text, images or statistics; or the command line; or the sizes of random
    # inputs, such as ``batch=1, height=224``.
    path: str = ""
    python: str = ""  # path of the interpreter; empty to search for one
    # Maximum number of samples (empty: all) and random seed (empty: 0), as typed.
    limit: str = ""
    seed: str = ""
    # Which metrics of a command line are better: ``higher``, ``lower``, or empty to decide by their
    # names.
    better: str = ""
    # Name of the file whose script is proposed, because the open file was exported from it.
    exported_from: str = dataclasses.field(default="", compare=False)

    @property
    def is_complete(self) -> bool:
        """Whether everything required has been entered."""
        return bool(self.path) or self.kind in {DataKind.TOKENS, DataKind.INPUTS}

    @property
    def runs(self) -> bool:
        """Whether a Python that can be chosen runs the model."""
        return self.kind not in {DataKind.STATISTICS, DataKind.COMMAND}

    @property
    def draws(self) -> bool:
        """Whether the source takes a seed."""
        return self.kind is not DataKind.STATISTICS


@dataclass(frozen=True)
class SourceFields:
    """What the fields of a choice contain, also those that its kind does not use."""

    source: DataSource
    texts: Mapping[DataKind, str]
    unpruned: str  # path of the unpruned model


def source_name(source: DataSource) -> str:
    """Return the name of the file of a source, or what its inputs are instead."""
    if source.kind is DataKind.TOKENS:
        return translate("DataKind", "no data, random token IDs")
    if source.kind is DataKind.INPUTS:
        return translate("DataKind", "no data, random inputs")
    return Path(source.path).name


class SourceChoice(QWidget):
    """A row for each kind of source, rows for Python, samples and seed, and a line for the answer.

    `kinds` are the kinds that are offered. Only the fields of the chosen kind can be edited. With
    `unpruned` there is also a field for the model from which the open file was pruned. `use` is a
    sentence that states what the data are used for, if not for an evaluation. `stops_recording`
    states that inputs of a script are recorded up to the number of samples, whatever it does.
    `ScriptController.serve` connects it.
    """

    changed = Signal()  # the choice or a text has changed; answer with `set_found`
    answered = Signal()  # `has_trouble` and `problem` are those of the current choice
    templateRequested = Signal()  # the user asked for a template of a script

    def __init__(
        self,
        kinds: Sequence[DataKind],
        parent: QWidget | None = None,
        *,
        unpruned: bool = False,
        use: str = "",
        stops_recording: bool = False,
    ) -> None:
        super().__init__(parent)
        self.use, self.stops_recording = use, stops_recording
        self.has_trouble = False  # whether the answer to the choice is an error
        self._answer = ""  # the last answer
        self._folder = ""
        self._proposed: DataSource | None = None  # while it is that of another file
        self._paths: dict[DataKind, str] = {}
        self.radios: dict[DataKind, QRadioButton] = {}
        self.fields: dict[DataKind, LineEdit] = {}
        self.buttons: dict[DataKind, QPushButton] = {}
        self._typed = single_shot(self, TYPED_MS, self.changed)
        self.template = QPushButton(self.tr("New script…"), self)
        self.template.setAutoDefault(False)
        self.template.setToolTip(self.tr("Save a script to start from, made for this file"))
        self.template.setAccessibleDescription(self.template.toolTip())
        self.template.clicked.connect(self.templateRequested)
        self.template.setHidden(DataKind.SCRIPT not in kinds)
        # Without `setMenu`, which draws a second arrow.
        self.recent = symbol_button("▾", self.tr("Choose a script that was used before"), self)
        self.recent_menu = QMenu(self.recent)
        self.recent.clicked.connect(self._show_recent)
        self.recent.hide()
        self.better = choice_box(
            self.tr("Better values"),
            self.tr(
                "Whether higher or lower values of the metrics are better. For common names, "
                "such as accuracy and loss, this is detected."
            ),
            (
                (self.tr("automatic, by metric name"), ""),
                (self.tr("higher is better"), "higher"),
                (self.tr("lower is better"), "lower"),
            ),
        )
        self.better.setAccessibleDescription(self.better.toolTip())
        self.better.activated.connect(self.changed)
        self.better.setParent(self)
        self.better.setHidden(DataKind.COMMAND not in kinds)
        rows = QWidget(self)
        group = QButtonGroup(self)  # outside a group, a single radio button could be unchecked
        grid = QGridLayout(rows)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        # Fields of paths extend over columns 1 and 2, so that the buttons in column 3 are only as
        # wide as their texts; the choice of `better` values, which is wider, begins in column 2.
        grid.setColumnStretch(1, 100)
        grid.setColumnStretch(2, 1)
        grid.setColumnMinimumWidth(1, _FIELD_WIDTH)
        for row, kind in enumerate(kinds):
            label, help_ = _label_and_help(kind)
            radio = self.radios[kind] = QRadioButton(label, rows)
            group.addButton(radio)
            radio.setToolTip(help_)
            radio.setAccessibleDescription(help_)
            grid.addWidget(radio, row, 0)
            if kind is DataKind.TOKENS:
                note = plain(help_, ink=MUTED)
                grid.addWidget(note, row, 1, 1, 3)
            elif kind is DataKind.COMMAND:
                field = self.fields[kind] = self._field(label.replace("&", ""), help_)
                field.setPlaceholderText("python evaluate.py {checkpoint}")
                grid.addWidget(field, row, 1)
                grid.addWidget(self.better, row, 2, 1, 2)
                choose_by_click(radio, self.better)
            elif kind is DataKind.INPUTS:
                field = self.fields[kind] = self._field(label.replace("&", ""), help_)
                field.setPlaceholderText("batch=1")
                grid.addWidget(field, row, 1, 1, 3)
            else:
                name = label.replace("&", "")
                beside = (self.recent, self.template) if kind is DataKind.SCRIPT else ()
                field, button = self._path_row(name, help_, grid, row, beside)
                self.fields[kind], self.buttons[kind] = field, button
                button.clicked.connect(lambda _=False, kind=kind: self._browse(kind))
            radio.toggled.connect(self._on_kind)
            in_row = self.fields.get(kind), self.buttons.get(kind)
            choose_by_click(radio, *filter(None, in_row))
            if len(kinds) == 1 and kind in self.fields:  # nothing to choose
                grid.removeWidget(radio)
                radio.hide()
                grid.addWidget(label_for(self.fields[kind], label), row, 0)
        self.python, self.browse_python = self._path_row(
            self.tr("Python"),
            self.tr("The interpreter of the environment in which the model runs."),
            grid,
            len(kinds),
        )
        self.python.setPlaceholderText(self.tr("automatic"))
        grid.addWidget(label_for(self.python, self.tr("P&ython")), len(kinds), 0)
        self.browse_python.clicked.connect(self._browse_python)
        self._add_number_fields(grid, len(kinds) + 1)
        self.unpruned: LineEdit | None = None
        if unpruned:
            self._add_unpruned_field(grid, len(kinds) + 2)
        self.found = plain(wrap=True, ink=MUTED)
        lines = _RESERVED_LINES - unpruned  # with that field, a dialog would be too tall
        self.found.setMinimumHeight(lines * self.fontMetrics().lineSpacing())
        lay_in_column(self, rows, self.found)
        with QSignalBlocker(self):
            next(iter(self.radios.values())).setChecked(True)
        self._focus_field()

    def _focus_field(self) -> None:
        """Give the focus to the field of the chosen kind, so that a path can be typed at once."""
        field = self.fields.get(self.source().kind)
        if field is not None:
            field.setFocus()

    def set_folder(self, folder: str) -> None:
        """Set the initial folder of file dialogs, used while a field is empty."""
        self._folder = folder

    def set_recent(self, scripts: Sequence[str]) -> None:
        """Offer the paths of scripts in the menu of the button "▾", the first at the top."""
        menu = self.recent_menu
        menu.clear()
        for path in scripts:
            action = menu.addAction(path.replace("&", "&&"))
            action.triggered.connect(partial(self._choose_script, path))
        self.recent.setHidden(not scripts or DataKind.SCRIPT not in self.radios)

    def _show_recent(self) -> None:
        self.recent_menu.popup(self.recent.mapToGlobal(self.recent.rect().bottomLeft()))

    def _choose_script(self, path: str) -> None:
        self.radios[DataKind.SCRIPT].setChecked(True)
        self._set_path(self.fields[DataKind.SCRIPT], path)

    def set_source(self, source: DataSource) -> None:
        """Show a source without emitting `changed`; ignore it if its kind is not offered.

        Python, limit, seed and "better" are replaced as well. A pending `changed` of typed text is
        dropped.
        """
        if source.kind not in self.radios:
            return
        with QSignalBlocker(self):
            self.radios[source.kind].setChecked(True)
            for field, text in (
                (self.fields.get(source.kind), source.path),
                (self.python, source.python),
                (self.limit, source.limit),
                (self.seed, source.seed),
            ):
                if field is not None:
                    field.setText(text)
            self.better.setCurrentIndex(max(0, self.better.findData(source.better)))
        self._proposed = source if source.exported_from else None
        self._typed.stop()
        self._focus_field()

    def contents(self) -> SourceFields:
        """Return what the fields contain."""
        texts = {kind: field.text() for kind, field in self.fields.items()}
        return SourceFields(self.source(), texts, self.unpruned_path())

    def set_contents(self, contents: SourceFields) -> None:
        """Show what the fields of another choice contained, like `set_source`; skip empty ones."""
        for kind, field in self.fields.items():
            if text := contents.texts.get(kind):
                field.setText(text)
        if self.unpruned is not None:
            self.unpruned.setText(contents.unpruned)
        self.set_source(contents.source)

    def unpruned_path(self) -> str:
        """Return the path of the unpruned model; empty for the open file."""
        return "" if self.unpruned is None else self.unpruned.text().strip()

    def source(self) -> DataSource:
        """Return the chosen source; fields that its kind does not use are empty."""
        kind = next(kind for kind, radio in self.radios.items() if radio.isChecked())
        field = self.fields.get(kind)
        chosen = DataSource(kind, "" if field is None else field.text().strip())
        if chosen.runs:
            limit = self.limit.text().strip()
            chosen = replace(chosen, python=self.python.text().strip(), limit=limit)
        elif kind is DataKind.COMMAND:
            chosen = replace(chosen, better=self.better.currentData())
        return replace(chosen, seed=self.seed.text().strip()) if chosen.draws else chosen

    @property
    def problem(self) -> str:
        """Why the choice cannot be used: missing input, or an error; "" if it can."""
        if self.source().is_complete and not self.has_trouble:
            return ""
        return self._answer or self.tr("The choice is being checked.")

    def check_again(self) -> None:
        """Drop an answer that is an error, and emit `changed`: another setting was corrected."""
        if self.has_trouble:
            self.set_found("")
            self.changed.emit()

    def set_found(self, text: str, *, trouble: bool = False) -> None:
        """Show the answer to a choice, after a remark on a proposal; an error if `trouble`."""
        proposed = self._proposed
        if proposed is not None and not trouble and self.source().path == proposed.path:
            note = self.tr("Proposed: the script of {file}, from which this file was exported.")
            text = join_sentences(note.format(file=proposed.exported_from), text)
        self.found.setText(f"✕ {text}" if trouble else text)
        self.found.setForegroundRole(DANGER if trouble else MUTED)
        self.has_trouble, self._answer = trouble, text
        self.answered.emit()

    def set_unpruned_enabled(self, enabled: bool) -> None:
        """Enable the field of the unpruned model and its button, if there is one."""
        if self.unpruned is not None:
            self.unpruned.setEnabled(enabled)
            self.browse_unpruned.setEnabled(enabled)

    def _path_row(
        self, name: str, help_: str, grid: QGridLayout, row: int, beside: Sequence[QWidget] = ()
    ) -> tuple[LineEdit, QPushButton]:
        """Add a field, the widgets `beside` it, and a button to choose a path; return both."""
        field = self._field(name, help_)
        button = QPushButton(self.tr("Browse…"), self)
        button.setAutoDefault(False)
        button.setAccessibleDescription(with_label(name, help_))
        line = QHBoxLayout()
        grid.addLayout(line, row, 1, 1, 2)
        line.setSpacing(8)
        line.addWidget(field, 1)
        for before, widget in pairwise((field, *beside, button)):
            QWidget.setTabOrder(before, widget)
        for widget in beside:
            line.addWidget(widget)
        grid.addWidget(button, row, 3)
        return field, button

    def _field(self, name: str, help_: str) -> LineEdit:
        field = LineEdit(self)
        field.setAccessibleName(name)
        field.setAccessibleDescription(help_)
        field.setToolTip(help_)
        field.entered.connect(lambda _text: self._typed.start())
        return field

    def _add_number_fields(self, grid: QGridLayout, row: int) -> None:
        name = self.tr("Samples")
        self.limit = self._field(
            name,
            self.tr(
                "Maximum number of samples, such as images, or windows or sentences of a text. It "
                "is the argument 'limit' of a script."
            ),
        )
        self.limit.setPlaceholderText(self.tr("all"))
        of_seed = self.tr("Seed")
        self.seed = self._field(
            of_seed,
            self.tr(
                "Seed of random, NumPy and torch, set before each call. It is the argument "
                "'seed' of a script, and {seed} in a command line."
            ),
        )
        self.seed.setPlaceholderText("0")
        both = QHBoxLayout()
        grid.addLayout(both, row, 1, 1, 2)
        both.setSpacing(8)
        for field in (self.limit, self.seed):
            field.setMinimumWidth(self.fontMetrics().horizontalAdvance("0") * _FIELD_DIGITS)
        both.addWidget(self.limit, 1)
        both.addWidget(label_for(self.seed, self.tr("See&d")))
        both.addWidget(self.seed, 1)
        grid.addWidget(label_for(self.limit, self.tr("Sa&mples")), row, 0)

    def _add_unpruned_field(self, grid: QGridLayout, row: int) -> None:
        """Add a field for the model before pruning, which may be left empty, in row `row`."""
        name = self.tr("Unpruned model")
        field, browse = self.unpruned, self.browse_unpruned = self._path_row(
            name,
            self.tr(
                "The file or folder before pruning, if the open file was pruned by another "
                "program and its zeros are treated as pruned."
            ),
            grid,
            row,
        )
        field.setPlaceholderText(self.tr("the open file"))
        grid.addWidget(label_for(field, self.tr("&Unpruned model")), row, 0)
        browse.clicked.connect(lambda: self._browse_file(field, name, ""))

    def _on_kind(self, checked: bool) -> None:
        if not checked:
            return
        chosen = self.source()
        for kind, field in self.fields.items():
            field.setEnabled(kind is chosen.kind)
        for kind, button in self.buttons.items():
            button.setEnabled(kind is chosen.kind)
        self.better.setEnabled(chosen.kind is DataKind.COMMAND)
        self.python.setEnabled(chosen.runs)
        self.browse_python.setEnabled(chosen.runs)
        self.limit.setEnabled(chosen.runs)
        self.seed.setEnabled(chosen.draws)
        self._typed.stop()
        self.changed.emit()

    def _browse(self, kind: DataKind) -> None:
        title, field = self.radios[kind].text().replace("&", ""), self.fields[kind]
        if kind is DataKind.IMAGES:
            folder = field.text() or self._folder
            self._set_path(field, QFileDialog.getExistingDirectory(self, title, folder))
        else:
            self._browse_file(field, title, _filter(kind))

    def _browse_python(self) -> None:
        self._browse_file(self.python, self.tr("Python interpreter"), "")

    def _browse_file(self, field: LineEdit, title: str, kinds: str) -> None:
        path, _ = QFileDialog.getOpenFileName(self, title, field.text() or self._folder, kinds)
        self._set_path(field, path)

    def _set_path(self, field: LineEdit, path: str) -> None:
        if path:
            field.setText(path)
            self._typed.stop()
            self.changed.emit()


def _label_and_help(kind: DataKind) -> tuple[str, str]:
    return {
        DataKind.SCRIPT: (
            translate("DataKind", "&Evaluation script"),
            translate("DataKind", "A Python file that loads the model and runs inputs through it."),
        ),
        DataKind.TEXT: (
            translate("DataKind", "&Text file"),
            translate(
                "DataKind",
                "Plain text. For a language model, its perplexity is measured; for an encoder, "
                "how closely each line's embedding matches that of the unpruned model. The "
                "model is loaded from its folder with transformers.",
            ),
        ),
        DataKind.IMAGES: (
            translate("DataKind", "&Images"),
            translate(
                "DataKind",
                "A folder of images for an image classifier of torchvision or timm. With one "
                "subfolder per class of the model, its accuracy is measured; otherwise, how "
                "closely its outputs match those of the unpruned model.",
            ),
        ),
        DataKind.TOKENS: (
            translate("DataKind", "&No data"),
            translate(
                "DataKind",
                "Random token IDs, the same each time. Results are less accurate than with real "
                "text.",
            ),
        ),
        DataKind.INPUTS: (
            translate("DataKind", "&Random inputs"),
            translate(
                "DataKind",
                "Random numbers (always the same) in the input shapes of the ONNX model. They are "
                "unlike real inputs, so that small losses are missed and repairs are worse. Enter "
                "the dynamic sizes of the model, such as batch=1, height=224.",
            ),
        ),
        DataKind.STATISTICS: (
            translate("DataKind", "&Statistics file"),
            translate("DataKind", "Statistics of activations of the unpruned model."),
        ),
        DataKind.COMMAND: (
            translate("DataKind", "&Command line"),
            translate(
                "DataKind",
                "A program that evaluates a file. {checkpoint} is replaced by the path of the "
                "file, and {out} by the path to which the program writes its result, a JSON "
                "object or a number. Without {out}, the last JSON object or number that it "
                "prints is used.",
            ),
        ),
    }[kind]


def _filter(kind: DataKind) -> str:
    """Return the file types that a file dialog offers for a kind of source."""
    every = translate("DataKind", "All files (*)")
    patterns = {
        DataKind.SCRIPT: translate("DataKind", "Python files ({patterns})").format(patterns="*.py"),
        DataKind.STATISTICS: translate("DataKind", "Statistics ({patterns})").format(
            patterns="*.safetensors"
        ),
    }
    return ";;".join(filter(None, (patterns.get(kind, ""), every)))
