"""The preview panel: a step, its result, or the current state."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QStackedWidget, QToolButton, QWidget

from pruneapp.analysis.sparsity_report import Severity, SparsityReport, TensorSparsity
from pruneapp.errors import ParameterError, ScratchError
from pruneapp.gui.preview.affected_tensors import Alarm, MostAffected
from pruneapp.gui.preview.figures import FileSizes, PruneAction, StepFigures
from pruneapp.gui.preview.preview_state import NO_UNITS, PreviewStage, PreviewState, StepUnits
from pruneapp.gui.widgets import number_format, reports
from pruneapp.gui.widgets.controls import add_row, lay_in_column, lay_in_row, single_shot
from pruneapp.gui.widgets.engine_text import translate_error, translate_sentence
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    ElidedLabel,
    as_plain,
    heading,
    join_sentences,
    plain,
)
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.preview.estimate import Estimate

BUSY_MS = 200
LONG_MS = 2_500
_PERCENT = re.compile(r"(\d) %")
_SPACING = 4


class WaitingNote(ElidedLabel):
    """A short status text. It is elided, since a long text would widen the whole form."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent, ink=MUTED)
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._counted = 1.0
        self._busy = False
        self.is_slow = False  # whether it shows that the computation is slow, and how to cancel it
        self._busy_timer = single_shot(self, BUSY_MS, self._show_busy)
        self._slow_timer = single_shot(self, LONG_MS, self._show_long)

    def set_busy(self, *, busy: bool) -> None:
        """Show after `BUSY_MS` that numbers are computed, and after `LONG_MS` how to cancel it.

        True while already busy does not restart the times. False hides both texts at once.
        """
        if not busy:
            self._busy_timer.stop()
            self._slow_timer.stop()
            self._busy = self.is_slow = False
            self._update_text()
        elif not self._slow_timer.isActive() and not self.is_slow:
            self._busy_timer.start()
            self._slow_timer.start()

    def set_counting(self, share: float) -> None:
        """Show the share of histograms that are counted, from 0 to 1; nothing if it is 1."""
        self._counted = share
        self._update_text()

    def clear(self) -> None:
        self._counted = 1.0
        self.set_busy(busy=False)

    def _show_busy(self) -> None:
        self._busy = True
        self._update_text()

    def _show_long(self) -> None:
        self.is_slow = True
        self._update_text()

    def _update_text(self) -> None:
        text = ""
        if self.is_slow:
            text = self.tr("slow; press Esc to cancel")
        elif self._counted < 1:
            share = number_format.percent(min(self._counted, 0.99), 0)
            text = self.tr("counting… {share}").format(share=share)
        elif self._busy:
            text = self.tr("calculating…")
        if text != self.text():
            self.setText(text)


class PreviewPanel(QWidget):
    """Shows the step, its result, or the current state.

    `action` is its button, which is placed below the panel. `state` shows the progress of computing
    numbers, and `file` the sizes of files.
    """

    tensorRequested = Signal(str)  # (tensor) by name in the file
    repairRequested = Signal()  # repair the state that is shown
    recoverRequested = Signal()  # recover the state that is shown
    evaluateRequested = Signal()  # evaluate the state that is shown
    separateRequested = Signal()  # set the scope of the step to "Per tensor"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Mapping[str, str] = {}
        self._short = ShortNames()
        self._resting = self._done = self._can_separate = False
        self._missing = 0  # pixels of height
        # What the form would do in the current state, and why changes are refused, shown instead.
        self._next_step = self._lock = ""
        self._next_ink = MUTED
        self.action = PruneAction()
        self.heading = heading(self.tr("Preview"))
        self.state = WaitingNote(self)
        self.evaluate = _action_button(
            self.tr("Evaluate…"),
            self.tr("Measure the current state with a script, a text or images"),
            self,
        )
        self.evaluate.clicked.connect(self.evaluateRequested)
        self.repair = _action_button(
            self.tr("Repair…"),
            self.tr(
                "Adjust the remaining weights so that each layer's output stays close to that of "
                "the unpruned model"
            ),
            self,
        )
        self.repair.clicked.connect(self.repairRequested)
        self.recover = _action_button(
            self.tr("Recover…"),
            self.tr("Train the remaining weights, while pruned weights stay zero"),
            self,
        )
        self.recover.clicked.connect(self.recoverRequested)
        self.figures = StepFigures(self)
        self.tensors, self.pruned, self.sparsity, self.remaining, *norms = (
            self.figures.labels.values()
        )
        self.norm_retained, self.norm_retained_of_model, self.l1_retained = norms
        self.file = FileSizes(self)
        self.error = plain(wrap=True, ink=DANGER)
        self.error.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        # Broken patterns and tensors without weights; hidden if there are none.
        self.broken = plain(wrap=True, ink=DANGER)
        self.alarm = Alarm(self)
        self.alarm.tensorRequested.connect(self.tensorRequested)
        # On the line of the warning, as another line would move what is below.
        self.separate = _action_button(
            self.tr("Per tensor"),
            self.tr(
                "Set the scope to per tensor: each tensor or group is pruned to the same fraction"
            ),
            self,
        )
        self.separate.clicked.connect(self.separateRequested)
        self.note = plain(wrap=True, ink=MUTED)
        self.note.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.most = MostAffected(self)
        self.affected = self.most.rows
        self.protected = plain(wrap=True, ink=MUTED)

        layout = lay_in_column(self)
        self._buttons = self.evaluate, self.repair, self.recover
        add_row(layout, self.heading, self.state, wide=self.state)
        # In a separate row: next to the heading they would make the form much wider.
        add_row(layout, *self._buttons, None, spacing=_SPACING)
        # Warnings of a step, or in the same area a note about the next step.
        self._alarm_row = QWidget()
        lay_in_row(self._alarm_row, self.alarm, self.separate, spacing=_SPACING)
        self._warning = _Lines(self.alarm, self._alarm_row, self.note)
        # Numbers, or in their place an error, as widgets below may be scrolled out of view.
        self.pages = QStackedWidget(self)
        self._gap = QWidget(self)  # height of hidden rows, for a stable layout
        above = self.broken, self.figures, self.file, self._gap
        counted = *above, self._warning, self.most, self.protected
        for parts in (counted, (self.error,)):
            page = QWidget(self.pages)
            lay_in_column(page, *parts, spacing=_SPACING).addStretch(1)
            self.pages.addWidget(page)
        layout.addWidget(self.pages)
        self.clear()

    def minimumSizeHint(self) -> QSize:
        """Return a minimum size with space for the buttons, also while they are hidden.

        The form must not become wider after a step.
        """
        hint, widths = (
            super().minimumSizeHint(),
            [each.sizeHint().width() for each in self._buttons],
        )
        return QSize(max(hint.width(), sum(widths) + (len(widths) - 1) * _SPACING), hint.height())

    def set_missing_height(self, missing: int) -> None:
        """Set how many pixels the panel is too high for its place; 0 if it fits.

        Then empty rows are hidden, and the last of the most affected tensors if the others fit.
        """
        if missing != self._missing:
            self._missing = missing
            self._hide_rows()

    @property
    def hidden_height(self) -> int:
        """How much lower the panel is than with all rows, in pixels."""
        protected = (
            self.protected.fontMetrics().height() + _SPACING if self.protected.isHidden() else 0
        )
        gap = self._gap.minimumHeight() + _SPACING if self._gap.isHidden() else 0
        return self.most.hidden_height + protected + gap

    def _hide_rows(self) -> None:
        """Hide rows if the panel is too high for its place.

        Not called for estimates, whose rows are filled soon.
        """
        is_missing = self._missing > 0
        self._gap.setHidden(is_missing)
        self.protected.setHidden(is_missing and not self.protected.text())
        self.most.trim(self._missing - (self.hidden_height - self.most.hidden_height))

    def set_lock(self, why: str) -> None:
        """Disable the button, and show `why` in the note and its tooltip; "" enables it again."""
        self._lock = why
        self.action.set_lock(why)
        self._set_note(self._next_step, self._next_ink)
        self._show_warning()

    def set_shown_names(self, shown: Mapping[str, str], short: ShortNames) -> None:
        """Set the display names `shown` by name in the file, and their short forms."""
        self._shown, self._short = shown, short
        self.most.set_names(short)

    def set_preview(self, state: PreviewState) -> None:
        """Show a step with its estimated or exact result, the current state, or an error.

        The button is updated as well. A step that is only requested does not replace what is shown;
        without a step, the last numbers remain.
        """
        stage, error, estimate = state.stage, state.error, state.estimate
        self._can_separate = state.can_separate
        if stage is PreviewStage.APPLIED:
            self._show_current(state)
        elif stage is PreviewStage.FAILED and error is not None:
            settings = isinstance(error, (ParameterError, ScratchError))
            self.set_error(
                translate_sentence(error.sentence),
                translate_sentence(error.remedy),
                settings=settings,
            )
        elif stage is PreviewStage.EXACT and state.report is not None:
            self.set_report(state.report, state.units)
            if state.masks_added is not None:
                self.action.set_masks(state.masks_added)
            self.file.set_compact(state.compact)
        elif stage is PreviewStage.ESTIMATED and estimate is not None:
            self._show_as_preview()
            if state.report is not None:
                exact, sure = estimate.exact, estimate.exact_report
                self.figures.show_report(state.report, exact=exact, sure=sure)
            else:
                self.figures.show_counts(estimate)
            self._show_affected(state.report, only_by_norm=True)
            emptied = 0 if state.report is None else state.report.n_emptied
            self.action.set_count(
                _at_most(estimate), state.units, exact=estimate.exact, n_emptied=emptied
            )
            self.file.set_compact(state.compact)
        if stage is not PreviewStage.REQUESTED:
            # An exact preview has all figures; a scan may keep histograms waiting for minutes.
            counting = state.requested and error is None and state.preview is None
            self.state.set_counting(estimate.counting if counting and estimate is not None else 1.0)
        self.action.set_previewable(previewable=state.step is not None and not state.requested)

    def _show_current(self, state: PreviewState) -> None:
        current, error, estimate = state.current, state.error, state.estimate
        if current.applied is not None:
            self.set_done(current.applied, current.report.norm_retained if current.report else None)
        else:
            self.set_now(current.report, current.most_pruned)
        self.file.set_compact(current.compact)
        units = state.units
        if error is not None:
            self.set_not_again(translate_error(error))
        elif state.preview is not None:
            to_prune, share = state.preview.report.newly_pruned, state.repeated_amount
            self.set_again(to_prune, units, share=share, repeats=state.repeats)
        elif estimate is not None and state.estimated:
            to_prune, share = _at_most(estimate), state.repeated_amount
            exact, repeats = estimate.exact, state.repeats
            self.set_again(to_prune, units, exact=exact, share=share, repeats=repeats)

    def clear(self) -> None:
        """Show the page of numbers with a dash in each row, no warnings, and a disabled button."""
        self._show_as_preview()
        self.state.clear()
        self.figures.set_numbers({})
        self.file.set_compact(None)
        self._show_affected(None)
        self.action.set_count(0)

    def set_report(self, report: SparsityReport, units: StepUnits = NO_UNITS) -> None:
        """Show the exact result of a step that is not applied yet, and its number on the button.

        `units` are those of `PruneAction.set_count`.
        """
        self._show_as_preview()
        reports.show_broken(self.broken, report.broken, self._shown)
        self.figures.show_report(report, exact=True, sure=True)
        self._show_affected(report)
        stays = {
            self.tr("{n} more weights would be pruned, but they are protected."): report.protected,
            self.tr("{n} weights are in no group of the pattern, and are kept."): report.outside,
        }
        texts = [text.format(n=number_format.count(n)) for text, n in stays.items() if n]
        self.protected.setText("\n".join(texts))
        self._hide_rows()
        self.action.set_count(report.newly_pruned, units, n_emptied=report.n_emptied)

    def set_error(self, sentence: str, remedy: str = "", *, settings: bool = False) -> None:
        """Replace all numbers by an error, and disable the button.

        `settings`: the error is about the settings of the form, and the text of the button is
        changed.
        """
        self.clear()
        self._set_sentence(self.error, f"✕ {join_sentences(sentence, remedy)}")
        refuse = self.action.set_refused if settings else self.action.set_disabled
        refuse(join_sentences(sentence, remedy))
        self.pages.setCurrentIndex(1)

    def set_done(self, report: SparsityReport, whole: float | None = None) -> None:
        """Show the result of an applied step as the current state, with the buttons for it.

        `whole` is the fraction of norm² that the model retains, None if unknown. When the panel
        changes to this display, the button gets no number until `set_again` is called.
        """
        self._show_as_state(self.tr("Result"), done=True)
        self._show_broken(report)
        self.figures.show_done(report, whole)
        self._show_buttons(shown=True)
        least = [tensor._replace(before=tensor.after) for tensor in report.most_affected]
        self._show_most(report, least)
        self._hide_rows()

    def set_now(self, report: SparsityReport | None, pruned: Sequence[TensorSparsity] = ()) -> None:
        """Show the current state and its most pruned tensors, with buttons if any is pruned.

        `report` is relative to the opened file, None if unknown. `pruned` is in displayed order.
        When the panel changes to this display, the button gets no number until `set_again` is
        called.
        """
        self._show_as_state(self.tr("Current state"), done=False)
        self._show_broken(report)
        self.figures.show_now(report)
        unpruned = self.figures.unpruned
        self._show_buttons(shown=not unpruned)
        self.file.set_unpruned(unpruned=unpruned)
        # As high as the result of a step, so that the buttons do not move.
        hidden = self.figures.hidden_height(whole=not unpruned) + self.file.hidden_height()
        self._gap.setFixedHeight(hidden)
        dangers = {} if report is None else report.dangers
        self.most.show_tensors(self.tr("Most pruned"), pruned, self._shown, dangers)
        self._hide_rows()

    def set_again(
        self,
        to_prune: int,
        units: StepUnits = NO_UNITS,
        *,
        exact: bool = True,
        share: float | None = None,
        repeats: bool = False,
    ) -> None:
        """Show in a note and on the button what the form would prune next from the current state.

        `repeats`: the form has the methods of the step that led to this state, and `share` is its
        fraction, if it has one. `exact` is False if `to_prune` is an upper bound. `units` are those
        of `PruneAction.set_count`.
        """
        n = (
            number_format.count(to_prune)
            if exact
            else self.tr("up to {n}").format(n=number_format.count(to_prune))
        )
        what = self.action.units_text(units)
        if not to_prune and not units.count:
            text = self.tr("These settings would not prune any more weights.")
        elif share is not None:
            digits = 0 if round(share * 100, 9).is_integer() else 1
            # At most two lines: a third one would move the figures above.
            text = self.tr("Another {share} of the remaining weights would be {n} more.")
            if what:
                text = self.tr(
                    "Another {share} of the remaining ones would be {what} ({n} weights)."
                )
            text = text.format(share=number_format.percent(share, digits), n=n, what=what)
        elif repeats:
            text = self.tr("Repeating the step would prune {n} more weights.")
            if what:
                text = self.tr("Repeating the step would prune {what} ({n} more weights).")
            text = text.format(n=n, what=what)
        else:
            text = self.tr("These settings would prune {n} weights.")
            if what:
                text = self.tr("These settings would prune {what} ({n} weights).")
            text = text.format(n=n, what=what)
        self._set_note(text)
        self.action.set_count(to_prune, units, exact=exact, again=True, repeats=repeats)

    def set_not_again(self, sentence: str) -> None:
        """Show a note on why the form cannot be applied to the current state."""
        self._set_note(f"✕ {sentence}", ink=DANGER)
        self.action.set_refused(sentence)

    def _set_note(self, sentence: str, ink: QPalette.ColorRole = MUTED) -> None:
        self._next_step, self._next_ink = sentence, ink
        self.note.setForegroundRole(MUTED if self._lock else ink)
        self._set_sentence(self.note, self._lock or sentence)

    def _show_warning(self) -> None:
        """Show the note, or the warnings of a step that is shown and can be applied."""
        is_note = self._resting or bool(self._lock)
        self._warning.setCurrentWidget(self.note if is_note else self._alarm_row)

    def _set_sentence(self, label: QLabel, sentence: str) -> None:
        # The engine writes "50 %" with a space, at which a line could end.
        sentence = _PERCENT.sub("\\1\u00a0%", sentence)
        text = self._short.in_text(sentence)
        label.setText(text)
        label.setToolTip(as_plain(sentence) if text != sentence else "")

    def _show_buttons(self, *, shown: bool) -> None:
        """Show or hide the buttons for pruned states."""
        for button in self._buttons:
            button.setVisible(shown)

    def _show_as_preview(self) -> None:
        self._resting = False
        self._show_buttons(shown=False)
        self._reset(self.tr("Preview"))

    def _show_as_state(self, title: str, *, done: bool) -> None:
        if not self._resting or done != self._done:
            self._set_note("")
            self.action.set_unknown(done=done)
        self._resting, self._done = True, done
        self.alarm.set_dangers({}, {})
        self._reset(title)

    def _reset(self, title: str) -> None:
        if title != self.heading.text():
            self.heading.setText(title)
        self._set_sentence(self.error, "")
        self.protected.setText("")
        self._show_broken(None)
        self._gap.setFixedHeight(0)
        self.file.set_unpruned(unpruned=False)
        self._show_warning()
        self.pages.setCurrentIndex(0)

    def _show_broken(self, report: SparsityReport | None) -> None:
        """Show broken patterns and tensors without weights; None for none."""
        broken, dangers = ((), {}) if report is None else (report.broken, report.dangers)
        emptied = [name for name, danger in dangers.items() if danger.severity is Severity.ALL]

        def short(name: str) -> str:
            return self._short[self._shown.get(name, name)]

        reports.show_broken(self.broken, broken, self._shown, emptied, short)

    def _show_affected(self, report: SparsityReport | None, *, only_by_norm: bool = False) -> None:
        """Show the most affected tensors; `only_by_norm`: none until norms are known."""
        self.separate.setVisible(self._can_separate and report is not None and report.n_emptied > 0)
        self.alarm.set_dangers({} if report is None else report.dangers, self._shown)
        if report is None or (only_by_norm and not report.ranked_by_norm):
            self.most.show_tensors("", (), self._shown, {})
        else:
            self._show_most(report, report.most_affected)

    def _show_most(self, report: SparsityReport, tensors: Sequence[TensorSparsity]) -> None:
        by_norm = report.ranked_by_norm
        heading = self.tr("Most affected (by sparsity)")
        if by_norm:
            heading = self.tr("Most affected (by L2 norm² lost)")
        self.most.show_tensors(heading, tensors, self._shown, report.dangers, by_norm=by_norm)


def _at_most(estimate: Estimate) -> int:
    """Return the number of weights of an estimate, rounded up if it is approximate."""
    if estimate.exact or estimate.report is None:
        return estimate.to_prune
    return number_format.rough(estimate.to_prune, up=True)


def _action_button(text: str, tip: str, parent: QWidget) -> QToolButton:
    """Return a button for an action on the state that is shown."""
    button = QToolButton(parent)
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleDescription(button.toolTip())
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
    return button


class _Lines(QStackedWidget):
    """A stack of two widgets whose height is always that of the warnings."""

    def __init__(self, alarm: Alarm, row: QWidget, note: QWidget) -> None:
        super().__init__()
        self._alarm = alarm
        self.addWidget(row)
        self.addWidget(note)

    def sizeHint(self) -> QSize:
        return self._alarm.sizeHint()
