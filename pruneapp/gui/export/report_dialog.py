"""The report of an export: file, size, checksum, and the sparsity of each tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontDatabase, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QFormLayout, QFrame, QPushButton, QScrollArea, QSizePolicy, QWidget

from pruneapp.export.report import CHANGES, ExportReport
from pruneapp.gui.export.axis_rows import exactness_text, share_text
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import CopyButton, lay_in_column
from pruneapp.gui.widgets.engine_text import translate_sentence
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    TEXT,
    ElidedLabel,
    as_plain,
    as_sentence,
    heading,
    join_facts,
    join_names,
    join_sentences,
    letter_width,
    plain,
    with_label,
)
from pruneapp.gui.widgets.reports import CountsTable, add_button_row
from pruneapp.gui.widgets.screen import Dialog, room
from pruneapp.gui.widgets.short_names import ShortNames

# width of the notes in characters; minimum height of the table in lines
_WIDTH = 84
_MIN_TABLE_LINES = 4
_MAX_WIDTH = 900  # maximum width of the dialog in pixels, for long names of tensors
_MEASURED_ROWS = 500  # number of rows by which the width of the number columns is measured
_FACT_LINES = 9
_MARGIN = 16


class _FactsArea(QScrollArea):
    """The scroll area above the table: as high as its content, or less on a low screen."""

    def sizeHint(self) -> QSize:
        """Return the height of the whole content at the current width."""
        content = self.widget()
        width = max(self.width(), letter_width(self) * _WIDTH)
        return QSize(width, content.heightForWidth(width) if content is not None else 0)


class ExportReportDialog(Dialog):
    """Shows what an export wrote; all of it can be copied as text.

    `shown` maps names of tensors in the file to display names, `short` has their short forms.
    `steps` are label and detail of each step, for the copied text.
    """

    # (Path) The user asked to show this file or folder in the file manager.
    folderRequested = Signal(object)

    def __init__(
        self,
        report: ExportReport,
        parent: QWidget | None = None,
        *,
        shown: Mapping[str, str] | None = None,
        short: ShortNames | None = None,
        steps: Sequence[tuple[str, str]] = (),  # label and detail of each step, for the copied text
        state_texts: tuple[str, str] = ("", ""),  # name and note of the exported state
        cut_metric: str = "",  # sentences with the metric of the cut; "" if it was not evaluated
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Exported"))
        self._report = report
        self._in_store = "://" in str(report.path)  # an object store is not accessed for the report
        self._steps = tuple(steps)
        self._state, self._note = state_texts
        wrong = (*report.damage, *(f"{each.sentence}." for each in report.broken))
        notes = [translate_sentence(notice) for notice in report.notices if notice not in wrong]
        if report.kept_originals and not report.undo_ends:
            notes.append(self.tr("Undo still works: it reads the backup of the original."))
        if report.effect == CHANGES:
            changed = self.tr(
                "The outputs differ from those of the full-size model, because units with an "
                "effect were removed."
            )
            measure = self.tr(
                "Evaluate this model before you use it: the check finds errors in the files, but "
                "does not measure the quality loss."
            )
            notes.insert(0, join_sentences(changed, cut_metric or measure))
        elif cut_metric:
            notes.insert(0, cut_metric)
        self.notes = [plain(note, wrap=True) for note in notes]
        damage = [translate_sentence(warning) for warning in report.damage]
        broken = [as_sentence(translate_sentence(each.sentence)) for each in report.broken]
        self.warnings = [plain(f"▲ {text}", wrap=True, ink=DANGER) for text in (*damage, *broken)]
        for label, each in zip(self.warnings[len(report.damage) :], report.broken, strict=True):
            label.setToolTip(as_plain("\n".join(each.tensor_lines(shown))))
        pruned = [tensor for tensor in report.tensors if tensor.pruned]
        self._tensors = [replace(t, name=(shown or {}).get(t.name, t.name)) for t in pruned]
        headers = self.tr("Tensor"), self.tr("Pruned"), self.tr("Total"), self.tr("Sparsity")
        self.table = CountsTable(headers, len(self._tensors), self._cells, self, short=short)
        self.table.setAccessibleName(self.tr("Sparsity of the tensors"))
        rows = range(len(self._tensors))
        largest = sorted(rows, key=lambda row: -self._tensors[row].numel)[:1]
        self.table.fit_columns((*rows[:_MEASURED_ROWS], *largest))
        self.table.setMinimumHeight(self.fontMetrics().lineSpacing() * _MIN_TABLE_LINES)
        self.loads = plain(report.loads)
        self.loads.setWordWrap(True)
        # A long name must not widen the dialog; copying gives the full text.
        self.loads.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.loads.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.loads.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.loads.setAccessibleName(self.tr("How to load"))
        self.loads.setAccessibleDescription(report.loads)
        self.show_folder = QPushButton(self.tr("Show in folder"), self)
        self.show_folder.setAccessibleDescription(
            self.tr("Open the folder that contains the file.")
        )
        self.show_folder.setHidden(self._in_store)
        self.copy = CopyButton(self.tr("Copy the whole report."), self)
        self.close_button = QPushButton(self.tr("Close"), self)
        self.close_button.setDefault(True)

        self.above = self._facts_area()
        title = heading(self.tr("Sparsity"))
        self.trouble = plain(wrap=True, ink=DANGER)
        self.trouble.hide()
        parts = self.above, title, self.table, self.trouble
        layout = lay_in_column(self, *parts, spacing=12, margins=(_MARGIN,) * 4)
        title.setVisible(bool(self._tensors))
        self.table.setVisible(bool(self._tensors))
        add_button_row(layout, self.close_button, beside=(self.show_folder, self.copy))
        self.close_button.setFocus()
        self.copy.clicked.connect(self._copy)
        self.show_folder.clicked.connect(lambda: self.folderRequested.emit(report.path))
        self.close_button.clicked.connect(self.accept)

    def set_trouble(self, text: str) -> None:
        """Show why the folder cannot be opened; empty to hide it.

        A notice would be behind the dialog.
        """
        self.trouble.setText(f"✕ {text}" if text else "")
        self.trouble.setVisible(bool(text))

    def _facts_area(self) -> QScrollArea:
        """Return the scroll area with facts, warnings, notes, and how to load the file.

        Call it once.
        """
        content = QWidget()
        layout = lay_in_column(content, margins=(0, 0, 8, 0))
        rows = QFormLayout()
        layout.addLayout(rows)
        rows.setHorizontalSpacing(16)
        rows.setVerticalSpacing(4)
        grave = exactness_text(CHANGES)
        for label, text, tip in self._facts():
            value = ElidedLabel(text, self, ink=DANGER if text.startswith(grave) else TEXT)
            value.setAccessibleName(with_label(label, text))
            if tip:
                value.setToolTip(tip.strip())
            rows.addRow(plain(label, ink=MUTED), value)
        for note in (*self.warnings, *self.notes):
            layout.addWidget(note)
        if self._report.loads:
            layout.addSpacing(4)
            layout.addWidget(heading(self.tr("How to load")))
            layout.addWidget(self.loads)
        else:
            self.loads.hide()
        layout.addStretch(1)
        above = _FactsArea(self)
        above.setWidgetResizable(True)
        above.setFrameShape(QFrame.Shape.NoFrame)
        above.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        above.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        above.setMinimumHeight(self.fontMetrics().lineSpacing() * _FACT_LINES)
        above.setAccessibleName(self.tr("Exported file"))
        above.setAccessibleDescription(self.tr("File, size, checksum and notes."))
        above.setWidget(content)
        return above

    def preferred_size(self) -> QSize:
        """Return the size that the content needs, limited to the screen.

        Also sets the minimum height of the facts, so that the table shrinks first.
        """
        names = self.table.width_for_names(tensor.name for tensor in self._tensors)
        # Wrapped code is hard to read; the margin leaves room for a scroll bar.
        advance = QFontMetrics(self.loads.font()).horizontalAdvance
        code = max(map(advance, self._report.loads.splitlines()), default=0) + 2 * _MARGIN
        # On a low screen the table shrinks first, since it scrolls anyway.
        rest = self.minimumSizeHint().height() - self.above.minimumHeight()
        whole = min(self.above.sizeHint().height(), room(self).height() - rest)
        self.above.setMinimumHeight(max(self.above.minimumHeight(), whole))
        return self.sizeHint().expandedTo(QSize(min(max(names, code) + 2 * _MARGIN, _MAX_WIDTH), 0))

    def as_text(self) -> str:
        """Return the whole report as text, with exact numbers."""
        lines = [f"{label}: {tip or text}" for label, text, tip in self._facts()]
        lines.extend(label.text() for label in self.warnings)
        lines.extend(label.text() for label in self.notes)
        if self._report.loads:
            lines.extend(("", self.tr("How to load"), self._report.loads))
        if self._steps:
            lines.extend(("", self.tr("Pruning steps")))
        for number, (label, detail) in enumerate(self._steps, 1):
            lines.extend((f"{number}. {label}", *(f"   {line}" for line in detail.splitlines())))
        if self._tensors:
            lines.extend(("", self.tr("Sparsity")))
        lines.extend(
            f"{tensor.name}\t{tensor.pruned}\t{tensor.numel}\t"
            f"{number_format.part(tensor.pruned, tensor.numel)}"
            for tensor in self._tensors
        )
        return "\n".join(lines) + "\n"

    def _cells(self, row: int) -> tuple[str, ...]:
        """Return the texts of a row: tensor, pruned weights, all weights, share."""
        tensor = self._tensors[row]
        return (
            tensor.name,
            number_format.count(tensor.pruned),
            number_format.count(tensor.numel),
            number_format.part(tensor.pruned, tensor.numel),
        )

    def _facts(self) -> list[tuple[str, str, str]]:
        """Return label, text and full text of the facts above the table; full text may be empty."""
        report = self._report
        nbytes, rest = report.nbytes_of_weights, len(report.beside)
        size, checksum, each = number_format.size(nbytes), f"sha256 {report.sha256}", ""
        exact = number_format.exact_size(nbytes)
        folder = report.files[0].path != report.path if self._in_store else report.path.is_dir()
        if folder:
            one, several = self.tr("{size} in 1 file"), self.tr("{size} in {n} files")
            size = number_format.plural(len(report.files) - rest, one, several).format(size=size)
            if rest:  # separate: the first size is that of the format
                one, several = self.tr(" + {size} in 1 other"), self.tr(" + {size} in {n} others")
                more = report.nbytes - nbytes
                text = number_format.plural(rest, one, several)
                size += text.format(size=number_format.size(more))
                exact += f" + {number_format.exact_size(more)}"
            checksum = self.tr("one for each file, see “Copy as text”")
            home = report.files[0].path.parent  # folder of the weights, with links resolved
            each = "\n".join(
                f"{file.path.relative_to(home).as_posix()}\t"
                f"{number_format.exact_size(file.nbytes)}\tsha256 {file.sha256}"
                for file in report.files
            )
        texts = (self.tr("State"), self._state), (self.tr("Note"), self._note)
        rounded_to = "" if report.dtype == "keep" else report.dtype
        facts = [
            (self.tr("Folder") if folder else self.tr("File"), str(report.path), ""),
            *((label, text, text) for label, text in texts if text),
            (self.tr("Format"), join_facts(translate_sentence(report.label), rounded_to), ""),
            (self.tr("Size"), size, exact),
            (self.tr("Checksum"), checksum, each and f"\n{each}"),
            (
                self.tr("Verified"),
                self.tr("✓ read back and compared")
                if report.verified
                else self.tr("✕ not compared"),
                "",
            ),
        ]
        if report.cut:
            facts.append((self.tr("Removed"), join_facts(*map(translate_sentence, report.cut)), ""))
        before = report.parameters_before
        if report.cut or (before and rounded_to):
            effect = exactness_text(report.effect)
            if rounded_to:
                rounded = self.tr("weights rounded to {dtype}").format(dtype=rounded_to)
                effect = join_facts(effect, rounded)
            facts.append((self.tr("Effect"), effect, ""))
        if before > report.numel:
            size = self.tr("{before} → {after} ({less})").format(
                before=number_format.count(before),
                after=number_format.count(report.numel),
                less=share_text(before - report.numel, before),
            )
            facts.append((self.tr("Parameters"), size, ""))
        pruned = self.tr("{n} weights, {share} of the parameters")
        if report.cut:
            pruned = self.tr("{n} weights, {share} of the remaining parameters")
        if report.pruned or not report.cut:
            n, share = number_format.count(report.pruned), number_format.percent(report.sparsity)
            facts.append((self.tr("Pruned"), pruned.format(n=n, share=share), ""))
        if report.kept_originals:
            kept = list(map(str, report.kept_originals))
            facts.append((self.tr("Backup of original"), join_names(*kept), "\n".join(kept)))
        return facts

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())
        self.copy.set_copied()
