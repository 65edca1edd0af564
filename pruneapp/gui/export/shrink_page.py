"""The page "Shrunk" of the export dialog: what is cut, the resulting sizes, and the destination."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from pruneapp.errors import PruneAppError, abridge_text
from pruneapp.export.report import CHANGES, EXACT
from pruneapp.export.rounding import DTYPE
from pruneapp.groups.group import MULTIPLES
from pruneapp.gui.app.jobs import JobState
from pruneapp.gui.export.axis_rows import AxisRows
from pruneapp.gui.export.config_diff import ConfigDiff
from pruneapp.gui.export.cut_step import has_step, step_of_cut
from pruneapp.gui.export.folder_row import FolderRow
from pruneapp.gui.export.format_list import slow_dtype_text
from pruneapp.gui.export.shrink_texts import check_text, embeddings_text, is_grave, loss_text
from pruneapp.gui.export.size_table import SizeTable
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.clipboard import code_button
from pruneapp.gui.widgets.controls import (
    add_row,
    choice_box,
    follow_font,
    lay_in_column,
    lay_in_row,
    single_shot,
)
from pruneapp.gui.widgets.engine_text import translate_declared, translate_sentence
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    TEXT,
    ElidedLines,
    as_plain,
    as_sentence,
    heading,
    join_facts,
    join_sentences,
    label_for,
    plain,
    with_label,
)
from pruneapp.gui.widgets.screen import Scrolled
from pruneapp.gui.widgets.status import time_left_text
from pruneapp.methods.coupled_units import FLAP, WANDA
from pruneapp.progress import Job
from pruneapp.shrink.forecast import ShrinkForecast
from pruneapp.shrink.loader import LOADER, loader_of_file
from pruneapp.shrink.surveyed_state import USUAL_NORM, CutRequest
from pruneapp.statistics.file import holds_statistics

# delay after which work in progress is shown
_BUSY_MS = 200
# minimum height of the page in lines
_MIN_LINES = 8
# height in lines of the text above the axes: an explanation, or an error
_HINT_LINES = 2
_BAR = 320  # maximum width of the progress bar in pixels
# The rankings by statistics of activations follow the three norms; a file of scores is the last.
_BY_STATISTICS = WANDA, FLAP
_NAMED = 3 + len(_BY_STATISTICS)
# maximum lines of the explanation of a check: what it does, and with which Python
_CHECK_LINES = 3


@dataclass(frozen=True)
class ShrinkOrder:
    """A confirmed cut: its forecast, destination, and how the result is checked."""

    forecast: ShrinkForecast
    path: Path
    check: str = "shapes"
    script: bool = False  # whether a comparison script is written next to it
    report: str = ""  # suffix of the report that is written next to it; empty for none


class ShrinkPage(QWidget):
    """Asks how far a model is cut, and shows the result."""

    # the page is shown for the first time: the model is not surveyed yet
    surveyRequested = Signal()
    forecastRequested = Signal(object)  # (CutRequest) request the forecast of a cut
    changed = Signal()  # what can be exported has changed
    evaluateRequested = Signal(object)  # (ShrinkForecast) the user wants to measure this cut
    cancelRequested = Signal(str)  # (identity of a cut) its measurement is to be cancelled
    jobCancelRequested = Signal(str)  # (title) the job that delays a measurement is to be cancelled
    fileChosen = Signal(str)  # the user chose this file of scores, texts or ids in a dialog
    codeRequested = Signal()  # the user wants code that writes the graph of the model to a file
    traceRequested = Signal()  # the user wants to trace the model
    stepRequested = Signal(object)  # (CutStep) the user wants to prune the units as a step

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.forecast: ShrinkForecast | None = None
        self._current_request = CutRequest()
        self._folder = ""  # in which file dialogs start
        self._survey_requested = False
        self._busy_timer = single_shot(self, _BUSY_MS, self._show_busy)
        self.why_not = plain(wrap=True)
        self.why_not.hide()
        self.instead = plain(
            self.tr("“Full size” exports the model with zeros in place of the pruned weights."),
            wrap=True,
            ink=MUTED,
        )
        self.instead.hide()
        self.offers_code = False  # whether code can be copied that writes the graph of the model
        self.graph = QWidget(self)
        self.trace = QPushButton(self.tr("Trace the model"), self.graph)
        self.trace.setAutoDefault(False)
        self.code = code_button(self.graph)
        self.about_graph = plain(wrap=True, ink=MUTED)
        add_row(lay_in_column(self.graph, self.about_graph, spacing=4), self.trace, self.code, None)
        self.graph.hide()
        self.busy = plain(self.tr("Looking for dead units…"), ink=MUTED)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Looking for dead units"))
        self.bar.setMaximumWidth(_BAR)
        self.busy.hide()
        self.bar.hide()
        self.again = QPushButton(self.tr("Look again"), self)
        self.again.setAutoDefault(False)
        self.again.hide()
        # Shown instead of `first`, so that the layout does not jump under the pointer.
        self.wrong = ElidedLines(_HINT_LINES, self)
        self.wrong.setForegroundRole(DANGER)
        self.wrong.hide()
        self.ranking = choice_box(
            self.tr("Rank by"),
            self.tr(
                "The units that rank lowest are cut first: by a norm over all their tensors, by "
                "Wanda or FLAP, which use statistics of activations, or by scores that you "
                "computed."
            ),
            (
                (self.tr("L2 norm"), USUAL_NORM),
                (self.tr("L1 norm"), "l1"),
                (self.tr("Mean magnitude"), "mean"),
                (self.tr("Wanda"), WANDA),
                (self.tr("FLAP"), FLAP),
            ),
        )
        self.scores = QPushButton(self.tr("Scores…"), self)
        self.scores.setAutoDefault(False)
        tip = self.tr(
            "Choose a safetensors file with a score vector per group, named as in pruneapp shrink "
            "--list --json; or statistics of activations, to rank by Wanda."
        )
        self.scores.setToolTip(tip)
        self.scores.setAccessibleDescription(tip)
        self.multiple = choice_box(
            self.tr("Multiple"),
            self.tr(
                "Keep a multiple of this many FFN neurons, channels or tokens (rounded up): "
                "some kernels reject other widths, others are slow with them."
            ),
            [(str(n), n) for n in MULTIPLES],
        )
        self.rows = AxisRows(self)
        self.write_as = QCheckBox(self.tr("Write as another model type"), self)
        self.write_as.hide()
        self.first = plain(wrap=True, ink=MUTED)
        self.first.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.first.setMinimumHeight(self.wrong.sizeHint().height())
        self.loss = plain(wrap=True)
        self.sizes = SizeTable(self)
        self.embeddings = plain(wrap=True, ink=MUTED)
        self.dtype = choice_box(
            translate_declared(DTYPE.label),
            translate_declared(DTYPE.help),
            [(translate_declared(choice.label), choice.value) for choice in DTYPE.choices],
        )
        self.diff = ConfigDiff(self)
        self.notes = plain(wrap=True, ink=MUTED)
        self.state = plain(wrap=True, ink=MUTED)
        self.evaluate = QPushButton(self.tr("Evaluate shrunk model"), self)
        self.evaluate.setAutoDefault(False)
        follow_font(self.evaluate, self._reserve_evaluate_width)
        self.cancel_job = QPushButton(self.tr("Cancel evaluation"), self)
        self.cancel_job.setAutoDefault(False)
        self.cancel_job.hide()
        self.is_current = True  # whether the exported state is the current one
        self.about_step = plain(
            self.tr(
                "For a better model of the same size, prune the units as a step, repair or recover "
                "the new state, and then export it shrunk."
            ),
            wrap=True,
            ink=MUTED,
        )
        self.as_step = QPushButton(self.tr("Prune as a step"), self)
        self.as_step.setAutoDefault(False)
        self._title = self._metric = self._statistics = ""
        # Measurements of cuts of the state by the identity of the cut, and of any other state.
        self._trials: Mapping[str, JobState] = {}
        self._other_trial: JobState | None = None
        self._metric_of: Callable[[ShrinkForecast], str] = lambda _forecast: ""
        self._warning_of: Callable[[ShrinkForecast], str] = lambda _forecast: ""
        self.target = FolderRow(self)
        self.check = choice_box(
            self.tr("Check"),
            self.tr(
                "The files are always read back and compared with the pruned model. To build or "
                "run the class, a Python with transformers is needed."
            ),
            (
                (self.tr("Read back and compare"), "shapes"),
                (self.tr("Build on meta device"), "meta"),
                (self.tr("Run and compare outputs"), "run"),
            ),
        )
        self.checks = plain(wrap=True, ink=MUTED)
        self.checks.setMinimumHeight(self.fontMetrics().lineSpacing() * _CHECK_LINES)
        self.checks.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._python = ""
        self._default_multiple = 0  # the multiple used if no other one is chosen
        self.tab_parts: tuple[QWidget, ...] = ()
        self._lay_out()
        self.rows.changed.connect(self._request)
        self.rows.vocabulary.fileChosen.connect(self._on_file_chosen)
        self.multiple.currentIndexChanged.connect(self._request)
        self.dtype.currentIndexChanged.connect(self._request)
        self.write_as.toggled.connect(self._request)
        self.ranking.currentIndexChanged.connect(self._on_ranking)
        self.scores.clicked.connect(self._choose_scores)
        self.target.changed.connect(self._show_notes)
        self.target.changed.connect(self.changed)
        self.check.currentIndexChanged.connect(self._explain_check)
        self.again.clicked.connect(self._survey)
        self.code.clicked.connect(self.codeRequested)
        self.trace.clicked.connect(self.traceRequested)
        self.evaluate.clicked.connect(self._on_evaluate)
        self.as_step.clicked.connect(self._on_as_step)
        self.cancel_job.clicked.connect(self._on_cancel_job)
        self._explain_check()
        self._show()

    def _lay_out(self) -> None:
        """Arrange the parts of the page; called once."""
        content = QWidget()
        column = lay_in_column(content, self.why_not, self.instead, self.busy, self.bar, spacing=8)
        add_row(column, self.again, None)
        self.body = QWidget(content)
        column.addWidget(self.body, 1)
        column.addWidget(self.graph)
        column.addStretch(0)  # takes the free height while the body is hidden
        layout = lay_in_column(self.body, spacing=8)
        self._fill(layout)
        self.scrolled = Scrolled(content, self)
        self.scrolled.setMinimumHeight(self.fontMetrics().lineSpacing() * _MIN_LINES)
        self.foot = QWidget(self)
        below = lay_in_column(self.foot, self.target, spacing=8)
        self._of_check = label_for(self.check, self.tr("Check"))
        add_row(below, self._of_check, self.check, None)
        below.addWidget(self.checks)
        # Below everything that changes its height, so that the buttons do not move.
        add_row(below, self.evaluate, self.as_step, None, self.cancel_job)
        lay_in_column(self, self.scrolled, self.foot, spacing=12, wide=self.scrolled)
        self.tab_parts = (
            self.again,
            self.ranking,
            self.scores,
            self.multiple,
            self.rows,
            self.write_as,
            self.dtype,
            self.diff,
            self.code,
            self.target,
            self.check,
            self.evaluate,
            self.as_step,
            self.cancel_job,
        )

    def _fill(self, layout: QVBoxLayout) -> None:
        """Add the parts that show a forecast to `layout`."""
        rank = label_for(self.ranking, self.tr("Rank by"))
        self._of_multiple = label_for(self.multiple, self.tr("Multiple of"))
        chosen = (rank, self.ranking, self.scores, 16, self._of_multiple, self.multiple)
        add_row(layout, heading(self.tr("Units to remove")), None, *chosen)
        layout.addWidget(self.first)
        layout.addWidget(self.wrong)
        layout.addWidget(self.rows)
        layout.addWidget(self.write_as)
        layout.addWidget(self.state)
        layout.addWidget(self.about_step)
        below = QWidget(self.body)
        layout.addWidget(below, 1)
        left, right = QWidget(below), QWidget(below)
        lay_in_row(below, left, right, spacing=24, wide=right)
        one = lay_in_column(left, spacing=4)
        one.addWidget(heading(self.tr("Size")))
        one.addWidget(self.sizes)
        self._of_dtype = label_for(self.dtype, translate_declared(DTYPE.label))
        add_row(one, self._of_dtype, self.dtype, None)
        one.addWidget(self.embeddings)
        one.addStretch(1)
        self.about = heading(self.tr("config.json"))
        lay_in_column(right, self.about, self.diff, spacing=4, wide=self.diff)
        # at the bottom, so that the layout does not jump when it appears
        layout.addWidget(self.loss)
        self._of_notes = heading(self.tr("Compatible with"))
        layout.addWidget(self._of_notes)
        layout.addWidget(self.notes)

    # -- inputs ---------------------------------------------------------------------------------

    def set_progress(self, done: int, total: int) -> None:
        """Show the progress of the search for dead units; a total of 0 means unknown."""
        self.bar.setRange(0, 1000 if total else 0)
        self.bar.setValue(1000 * done // total if total else 0)

    def set_forecast(self, forecast: ShrinkForecast) -> None:
        """Show a forecast, unless another request was made meanwhile."""
        if forecast.request != self._current_request:
            return
        self._busy_timer.stop()
        self.forecast = forecast
        self._show()

    def set_python(self, words: str) -> None:
        """Show which Python a check would start, or why there is none."""
        self._python = words
        self._explain_check()

    def set_trouble(self, sentence: str) -> None:
        """Show why a survey or a forecast failed, or that the search was cancelled.

        Without a forecast, `survey` and a button can start the survey again; otherwise the error
        replaces the text above the axes.
        """
        self._busy_timer.stop()
        if self.forecast is None:
            self._survey_requested = False
            self._show_survey_error(sentence)
        else:
            self._show_forecast_error(sentence)

    def set_state(self, title: str) -> None:
        """Set the title of the exported state, with which cuts are compared."""
        self._title = title
        self._show_effect()

    def set_metrics(
        self,
        metric: str,
        of_cut: Callable[[ShrinkForecast], str],
        warning_of: Callable[[ShrinkForecast], str],
    ) -> None:
        """Set the metric of the exported state as text; "" if it was not evaluated.

        `of_cut` returns sentences with the metric of an evaluated cut; "" if it was not evaluated.
        `warning_of` returns why an evaluation of a cut is too good; "" if nothing is known.
        """
        self._metric, self._metric_of, self._warning_of = metric, of_cut, warning_of
        self._show_effect()

    def set_trials(self, trials: Mapping[str, JobState], other: JobState | None) -> None:
        """Show the progress of measurements, or the previous job in the queue.

        `trials` are those of cuts of the exported state, by the identity of the cut. `other` is
        the first measurement of any cut; None if there is none.
        """
        self._trials, self._other_trial = trials, other
        self._show_effect()

    def _on_cancel_job(self) -> None:
        self.jobCancelRequested.emit(self._delaying_job())

    def _delaying_job(self) -> str:
        """Return the title of the job that a measurement waits for; "" if there is none."""
        forecast = self.forecast
        cut = "" if forecast is None else forecast.request.identity()
        trial = self._trials.get(cut, self._other_trial)
        return "" if trial is None or trial.is_running else trial.waits_for

    def _trial_text(self, cut: str) -> str:
        """Return a sentence on the running or queued measurement; "" if there is none.

        `cut` is the identity of the cut that is shown.
        """
        trial = self._trials.get(cut, self._other_trial)
        if trial is None:
            return ""
        same = cut in self._trials
        if not trial.is_running:
            words = self.tr("The evaluation of other sizes is queued.")
            if same:
                words = self.tr("Its evaluation is queued.")
            if trial.waits_for:
                waits = self.tr("It waits for: {title}").format(title=trial.waits_for)
                words = join_sentences(words, as_sentence(waits))
            return words
        words = self.tr("Evaluating these sizes") if same else self.tr("Evaluating other sizes")
        progress = trial.progress
        share = number_format.part(progress.done, progress.total) if progress.total else ""
        left = progress.seconds_left
        left_text = "" if left is None else time_left_text(left)
        return as_sentence(with_label(words, join_facts(share, left_text)) if share else words)

    def set_request(self, request: CutRequest, check: str, path: str) -> None:
        """Restore an earlier request without requesting a forecast.

        `path` is "" if it was proposed. Axes are set by its forecast.
        """
        self._current_request = request
        self.check.setCurrentIndex(self.check.findData(check))
        if path:
            self.target.path.setText(path)
        self._show_request()

    def survey(self) -> None:
        """Request the survey of the model, once, when the page is shown."""
        if not self._survey_requested:
            self._survey()

    # -- results --------------------------------------------------------------------------------

    @property
    def request(self) -> CutRequest:
        return self._current_request

    def check_mode(self) -> str:
        """Return how the result is to be checked: ``shapes``, ``meta`` or ``run``."""
        known = self.forecast is None or self.forecast.has_class
        return str(self.check.currentData()) if known else "shapes"

    def _selected_request(self) -> CutRequest:
        """Return the request that the controls show; the default multiple is None in it."""
        other = "" if self.forecast is None else self.forecast.write_as
        multiple = self.multiple.currentData()
        if multiple == (self._current_request.multiple or self._default_multiple):
            multiple = self._current_request.multiple
        elif multiple == self._default_multiple:
            multiple = None
        return CutRequest(
            self.rows.chosen_sizes(),
            self.rows.strip.cut_layers(),
            multiple,
            other if self.write_as.isChecked() else "",
            self.rows.vocabulary.vocabulary(),
            self.rows.vocabulary.texts(),
            str(self.ranking.currentData()),
            self._statistics if self.ranking.currentData() in _BY_STATISTICS else "",
            shares=self.rows.shares(),
            dtype=str(self.dtype.currentData()),
        )

    def _show_request(self) -> None:
        """Set the ranking, the multiple and the hint to the current request; emit no signals."""
        multiple = self._current_request.multiple or self._default_multiple
        for box, place in (
            (self.multiple, self.multiple.findData(multiple)),
            (self.ranking, self._ranking_index(self._current_request.by)),
            (self.dtype, self.dtype.findData(self._current_request.dtype)),
        ):
            blocker = QSignalBlocker(box)
            box.setCurrentIndex(place)
            del blocker
        by = self._current_request.by
        self._statistics = self._current_request.statistics or self._statistics
        file = self.ranking.findData(by) >= _NAMED
        ranked = self.tr("score in the file") if file else self.ranking.currentText()
        if by in _BY_STATISTICS:
            ranked = self.tr("{name} score").format(name=ranked)
        words = self.tr(
            "At its left end, a slider removes only dead units, without loss. Farther right, it "
            "removes more, starting with the lowest {rank}."
        )
        self.first.setText(words.format(rank=ranked))

    def _ranking_index(self, by: str) -> int:
        """Return the index of the ranking `by` in its box.

        The path of a file of scores becomes the last item, replacing another file.
        """
        place = self.ranking.findData(by)
        if place >= 0:
            return place
        name = self.tr("Scores of {file}").format(file=Path(by).name)
        blocker = QSignalBlocker(self.ranking)
        if self.ranking.count() == _NAMED:
            self.ranking.addItem(name)
        self.ranking.setItemText(_NAMED, name)
        self.ranking.setItemData(_NAMED, by)
        self.ranking.setItemData(_NAMED, as_plain(by), Qt.ItemDataRole.ToolTipRole)
        del blocker
        return _NAMED

    def set_statistics(self, path: str) -> None:
        """Set the statistics of activations that Wanda and FLAP use; "" asks for them if needed."""
        self._statistics = path
        tip = self.tr("Statistics: {path}").format(path=path) if path else ""
        for by in _BY_STATISTICS:
            index = self.ranking.findData(by)
            self.ranking.setItemData(index, as_plain(tip), Qt.ItemDataRole.ToolTipRole)

    def _on_ranking(self) -> None:
        """Request the chosen ranking; choose statistics first if it needs them and has none."""
        if self.ranking.currentData() in _BY_STATISTICS and not self._statistics:
            title = self.tr("Statistics of activations")
            path, _filter = QFileDialog.getOpenFileName(self, title, self._folder)
            if not path:
                self._show_request()
                return
            self._on_file_chosen(path)
            self.set_statistics(path)
        self._request()

    def set_folder(self, folder: str) -> None:
        """Set the folder in which file dialogs for scores, texts and ids start."""
        self._folder = self.rows.vocabulary.folder = folder

    def _on_file_chosen(self, path: str) -> None:
        self.set_folder(str(Path(path).parent))
        self.fileChosen.emit(path)

    def _choose_scores(self) -> None:
        path, _filter = QFileDialog.getOpenFileName(
            self, self.tr("File of scores"), self._folder, self.tr("safetensors (*.safetensors)")
        )
        if path:
            self._on_file_chosen(path)
            by = path
            with suppress(PruneAppError):  # a forecast reports why it cannot be read
                if holds_statistics(Path(path), Job()):
                    self.set_statistics(path)
                    by = WANDA
            self.ranking.setCurrentIndex(self._ranking_index(by))
            self._request()

    def order(self) -> ShrinkOrder | None:
        """Return the cut to be written; None while it is not possible.

        It is not possible while a forecast is computed, if that failed or cuts nothing, and for an
        invalid path.
        """
        forecast = self.forecast
        if forecast is None or forecast.why_not or forecast.wrong or forecast.is_empty:
            return None
        if forecast.request != self._current_request or self.target.problem():
            return None
        return ShrinkOrder(forecast, self.target.target(), self.check_mode())

    def _reserve_evaluate_width(self, button: QPushButton) -> None:
        """Set the width of the button to that of the longer of its two texts."""
        advance = button.fontMetrics().horizontalAdvance
        texts = self.tr("Evaluate shrunk model"), self.tr("Cancel evaluation")
        frame = button.sizeHint().width() - advance(button.text())
        button.setMinimumWidth(max(map(advance, texts)) + frame)

    def _explain_check(self) -> None:
        check = self.check_mode()
        python = "" if check == "shapes" else self._python
        self.checks.setText("\n".join(filter(None, (check_text(check), python))))

    def _survey(self) -> None:
        """Request the survey; progress is shown after `_BUSY_MS`."""
        self._survey_requested = True
        self.again.hide()
        self.why_not.hide()
        self.instead.hide()
        self.set_progress(0, 0)
        self._busy_timer.start()
        self.surveyRequested.emit()

    def _request(self) -> None:
        self._current_request = self._selected_request()
        self._show_request()
        self._busy_timer.start()
        self.forecastRequested.emit(self._current_request)
        self.changed.emit()

    def _show_notes(self) -> None:
        """Show which programs load the file, and what it has next to the weights."""
        found = self.forecast
        if found is None:
            return
        target = self.target.target()
        script = loader_of_file(target).name if self.target.is_file() else LOADER
        notices = (*found.notices, *found.others.notices(target))
        loaders = (line.replace(LOADER, script) for line in found.loaded_by)
        lines = [f"· {translate_sentence(line)}" for line in loaders]
        lines += [f"△ {translate_sentence(each)}" for each in notices]
        for part in (self._of_notes, self.notes):
            part.setVisible(bool(lines))
        self.notes.setText("\n".join(lines))

    def _show_busy(self) -> None:
        if self.forecast is None:
            self.busy.show()
            self.bar.show()
            return
        self._show_effect_text(self.tr("calculating…"), MUTED)

    def _show_survey_error(self, sentence: str) -> None:
        self.busy.hide()
        self.bar.hide()
        self.again.show()
        self.why_not.setText(sentence)
        self.why_not.setForegroundRole(DANGER)
        self.why_not.show()

    def _show(self) -> None:
        """Show the forecast, the reason why there is none, or only the progress; emit `changed`."""
        forecast = self.forecast
        known = forecast is not None and not forecast.why_not
        if forecast is not None:
            self.busy.hide()
            self.bar.hide()
        self.body.setVisible(known)
        self.foot.setVisible(known)
        self.graph.setVisible(forecast is not None and self.offers_code)
        words = self.tr(
            "Tracing uses your evaluation script. The code writes a .pt2 file where your model "
            "runs; open that file."
        )
        if known:
            words = self.tr(
                "With its graph, more channels can be removed: trace the model by its evaluation "
                "script, or copy code that writes a .pt2 file where your model runs, and open that "
                "file."
            )
        self.about_graph.setText(words)
        self.why_not.setVisible(forecast is not None and not known)
        self.instead.setVisible(forecast is not None and not known)
        self._show_effect_text("", TEXT)
        if forecast is None:
            return
        if not known:
            self.why_not.setForegroundRole(TEXT)
            self.why_not.setText(translate_sentence(forecast.why_not))
            self.changed.emit()
            return
        self._show_known(forecast)
        self.changed.emit()

    def _show_difference(self, forecast: ShrinkForecast) -> None:
        """Show the changes of config.json; for a model without it the widths of each group."""
        lines: Sequence[str] = forecast.config
        name = self.tr("config.json")
        if not forecast.has_config:
            name = self.tr("Units of each group")
            count = number_format.count
            lines = [f"  {at}: {count(old)} → {count(new)}" for at, old, new in forecast.widths]
        self.about.setText(name)
        self.diff.setAccessibleName(
            self.tr("Changes of config.json") if forecast.has_config else name
        )
        self.diff.set_lines(lines or (self.tr("  nothing changes"),))

    def _show_forecast_error(self, sentence: str) -> None:
        self.wrong.set_text(f"✕ {abridge_text(sentence)}" if sentence else "")
        self.first.setVisible(not sentence)
        self.wrong.setVisible(bool(sentence))

    def _on_evaluate(self) -> None:
        forecast = self.forecast
        if forecast is None:
            return
        if (cut := forecast.request.identity()) in self._trials:
            self.cancelRequested.emit(cut)
        elif forecast.request == self._current_request:
            self.evaluateRequested.emit(forecast)

    def _on_as_step(self) -> None:
        forecast = self.forecast
        if forecast is not None and (step := step_of_cut(forecast)) is not None:
            self.stepRequested.emit(step)

    def _show_step(self, forecast: ShrinkForecast) -> None:
        """Offer to prune the units of the cut as a step, unless some are dead already."""
        offers = self.is_current and has_step(forecast)
        step = None if forecast.wrong else step_of_cut(forecast)
        for part in (self.about_step, self.as_step):
            part.setVisible(offers)
        self.as_step.setEnabled(step is not None)
        tip = self.tr("Choose first how many units to remove.")
        if step is not None:
            words = self.tr(
                "Close this dialog, and set the form to prune as many {what} by the same ranking."
            )
            tip = words.format(what=translate_declared(step.label))
        elif not forecast.is_empty:
            tip = self.tr(
                "A step can prune FFN neurons, heads and channels that are not ranked by a file "
                "of scores."
            )
        self.as_step.setToolTip(tip)
        self.as_step.setAccessibleDescription(tip)

    def _show_effect(self) -> None:
        """Show how the cut affects the output of the state, and its metric if it was measured."""
        forecast = self.forecast
        if forecast is None:
            return
        # The dialog covers the list of jobs.
        delaying = self._delaying_job()
        self.cancel_job.setVisible(bool(delaying))
        self.cancel_job.setText(self.tr("Cancel: {title}").format(title=delaying))
        changes = forecast.exactness == CHANGES
        # Not hidden, so that nothing moves.
        impossible = forecast.is_empty or forecast.wrong or forecast.why_not
        under_way = forecast.request.identity() in self._trials
        self.evaluate.setDisabled(bool(impossible) and not under_way)
        words = self.tr("Evaluate shrunk model")
        tip = self.tr("Measure the smaller model, with its tokenizer, before it is exported.")
        self.evaluate.setText(self.tr("Cancel evaluation") if under_way else words)
        self.evaluate.setToolTip("" if under_way else tip)
        if forecast.wrong:
            self._show_effect_text("", TEXT)
        elif forecast.is_empty:
            self._show_effect_text(self.tr("nothing is removed yet"), MUTED)
        else:
            of = self._title or self.tr("the pruned model")
            differs = changes or forecast.rounds
            before = ""
            if self._metric and not differs:  # it would be read as that of the cut
                before = self.tr("Before shrinking: {metric}.").format(metric=self._metric)
            words = self._effect_words(forecast)
            text = words.format(state=of, dtype=forecast.request.dtype)
            result = self._metric_of(forecast)
            trial = self._trial_text(forecast.request.identity())
            pending = self.tr("Not evaluated yet.") if differs and not result else ""
            after = [before, result, trial or pending, self._warning_of(forecast)]
            if any(after):
                text = join_sentences(as_sentence(text), *filter(None, after))
            self._show_effect_text(text, DANGER if changes else TEXT)
            self._show_loss(forecast, is_evaluated=bool(result))

    def _effect_words(self, forecast: ShrinkForecast) -> str:
        """Return how the cut affects the output, with fields for the state and the dtype."""
        if forecast.exactness == CHANGES:
            return self.tr("▲ Output differs from {state}")
        if forecast.exactness == EXACT:
            if forecast.rounds:
                return self.tr("✓ Same output as {state} except for rounding to {dtype}")
            return self.tr("✓ Same output as {state}")
        if forecast.rounds:
            return self.tr(
                "△ Same output as {state} if a text has only kept tokens, except for rounding to "
                "{dtype}"
            )
        return self.tr("△ Same output as {state} if a text has only kept tokens")

    def _show_loss(self, forecast: ShrinkForecast, *, is_evaluated: bool) -> None:
        """Show what to expect of a cut that changes the outputs, and what to do."""
        text = loss_text(forecast, is_evaluated=is_evaluated)
        self.loss.setText(text)
        self.loss.setVisible(bool(text))
        self.loss.setForegroundRole(DANGER if is_grave(forecast) else TEXT)

    def _show_effect_text(self, text: str, role: QPalette.ColorRole) -> None:
        self.state.setText(text)
        self.state.setForegroundRole(role)

    def _show_known(self, forecast: ShrinkForecast) -> None:
        """Show a forecast. If it has an error, the axes keep the values in their controls."""
        # After an error keep the values in the controls, once there are rows.
        if not forecast.wrong or not self.rows.rows:
            self.rows.set_forecast(forecast)
        self._show_forecast_error(translate_sentence(forecast.wrong))
        self._default_multiple = forecast.usual_multiple
        self._show_request()
        for part in (self._of_multiple, self.multiple):
            part.setVisible(bool(self._default_multiple))
        for part in (self._of_check, self.check):
            part.setVisible(forecast.has_class)
        n_lines = _CHECK_LINES if forecast.has_class else 1
        self.checks.setMinimumHeight(self.fontMetrics().lineSpacing() * n_lines)
        fixed_dtype = ""
        if forecast.keeps_dtype:
            fixed_dtype = self.tr("A file that contains its graph keeps the dtype of its weights.")
        tip = fixed_dtype or translate_declared(DTYPE.help)
        self.dtype.setDisabled(forecast.keeps_dtype)
        self.dtype.setToolTip(as_plain(tip))
        self.dtype.setAccessibleDescription(tip)
        self.loss.hide()
        if forecast.write_as:
            words = self.tr("Write as '{other}': same outputs, supports any number of heads")
            self.write_as.setText(words.format(other=forecast.write_as))
            blocker = QSignalBlocker(self.write_as)
            self.write_as.setChecked(bool(self._current_request.write_as))
            del blocker
        self.write_as.setVisible(bool(forecast.write_as))
        if forecast.before is not None and forecast.after is not None:
            self.sizes.set_sizes(forecast.before, forecast.after)
            slow = slow_dtype_text(forecast.request.dtype)
            self.embeddings.setText(
                join_sentences(*filter(None, (fixed_dtype, embeddings_text(forecast), slow)))
            )
            self.embeddings.setHidden(not self.embeddings.text())
            self.target.set_size(forecast.after.nbytes)
        self._show_difference(forecast)
        self._show_effect()
        self._show_step(forecast)
        self._show_notes()
