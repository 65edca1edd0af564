"""Iterative pruning: the step of the form, repeated on a schedule to a final sparsity.

After each round, the model can be recovered and measured by a script.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from pruneapp.document.document import Document
from pruneapp.document.edit import Edit
from pruneapp.document.selection import rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.errors import ParameterError, PruneAppError, StaleError
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane
from pruneapp.gui.document.feature import Ask, Feature, Flow, RunJob, flow
from pruneapp.gui.document.history_controller import HistoryController, append_edits, append_steps
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.evaluation.evaluation_controller import EvaluationController
from pruneapp.gui.evaluation.measurement import Measurement
from pruneapp.gui.evaluation.script_controller import PURPOSE, AgreedScript, ScriptController
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.gui.method_form.fields import Fields
from pruneapp.gui.method_form.form_controller import FormController, with_field_labels
from pruneapp.gui.method_form.form_model import FormContext
from pruneapp.gui.recipes.after_round import AfterRound
from pruneapp.gui.recipes.script_rounds import ScriptRounds
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.controls import lay_in_column, set_problem
from pruneapp.gui.widgets.engine_text import translate_error, translate_param, translate_step
from pruneapp.gui.widgets.labels import (
    DANGER,
    MUTED,
    ElidedLabel,
    as_sentence,
    join_sentences,
    plain,
)
from pruneapp.gui.widgets.reports import CountsTable, DecisionDialog, quality_in_words
from pruneapp.gui.widgets.screen import Scrolled
from pruneapp.gui.widgets.short_names import ShortNames
from pruneapp.methods import registry
from pruneapp.methods.limits import Limits
from pruneapp.params import Amount, AmountParam, Param
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, Job
from pruneapp.recipes.replay import SCHEDULE, expand_schedule, schedule_amounts

if TYPE_CHECKING:  # imported when rounds are computed
    from pruneapp.evaluation.rounds import RoundsSettings


class RoundsDialog(DecisionDialog):
    """Asks for the final amount, the number of rounds and the schedule; `accepted` to start.

    The tensors of the rule have `size` weights, of which `begun` are pruned. `whole`: whole
    channels or blocks are pruned, so that a round may end below its amount.
    """

    changed = Signal()  # the schedule has changed; answer with `set_rounds`
    # The user asked for rounds that need a script; answer with `done`, or show the error by
    # `after.choice.set_found`.
    scriptRequested = Signal()

    def __init__(
        self,
        rule: str,
        params: Sequence[Param],
        *,
        size: int,
        begun: int,
        whole: bool,
        note: str,
        kinds: Sequence[DataKind] = (DataKind.SCRIPT,),
        parent: QWidget | None = None,
        short: ShortNames | None = None,
    ) -> None:
        super().__init__(self.tr("Iterative pruning"), parent=parent)
        self._size, self._n_pruned, self._whole = size, begun, whole
        self._after: Sequence[int] = ()
        self.rule = ElidedLabel(rule, self, ink=MUTED)
        self.rule.set_names(short or ShortNames())
        self.rule.setAccessibleName(self.tr("Pruning step"))
        self.fields = Fields(params, self)
        self.after = AfterRound(kinds, self)
        self.agreed: AgreedScript | None = None  # the script that the user agreed to
        self._has_rounds, self._error = False, ""
        self._note = note
        # An error replaces the note, so that the layout does not jump.
        self.note = plain(note, wrap=True, ink=MUTED)
        headers = [
            self.tr("Round"),
            self.tr("This round"),
            self.tr("Cumulative"),
            self.tr("Sparsity"),
        ]
        self.table = CountsTable(headers, 0, self._cells, self)
        self.table.setAccessibleName(self.tr("Rounds"))
        self.table.setAccessibleDescription(note)
        for editor in self.fields.editors.values():
            if isinstance(editor.param, AmountParam):
                editor.set_context(FormContext(left=size))
        settings = QWidget(self)
        lay_in_column(settings, self.fields, self.after, spacing=12)
        self.lay_out((self.rule, Scrolled(settings, self), self.note, self.table), wide=self.table)
        self.resize(480, 520)
        self.fields.changed.connect(self._on_changed)
        self.after.changed.connect(self._show_state)

    def accept(self) -> None:
        """Accept, unless a script is needed: then the user must agree to it first."""
        if self.after.needs_script:
            self.scriptRequested.emit()
        else:
            super().accept()

    # -- inputs

    def set_values(self, values: Mapping[str, Any]) -> None:
        """Show the values without emitting signals."""
        for name, value in values.items():
            self.fields.set_value(name, value)

    def set_rounds(self, after: Sequence[int], error: str = "") -> None:
        """Show the numbers of pruned weights after each round, or an error instead of the note.

        Pruning is disabled if there are no rounds, or if the last one prunes nothing.
        """
        self._after = after
        self.table.set_count(len(after))
        self._error = error
        to_prune = after[-1] - self._n_pruned if after else 0
        weights = (
            self.tr("up to {n}").format(n=number_format.count(to_prune))
            if self._whole
            else number_format.count(to_prune)
        )
        words = number_format.plural(
            len(after),
            self.tr("Prune {weights} weights in 1 round"),
            self.tr("Prune {weights} weights in {n} rounds"),
        )
        self.go.setText(words.format(weights=weights) if to_prune else self.tr("Nothing to prune"))
        self._has_rounds = bool(to_prune)
        self._show_state()

    # -- implementation

    def _show_state(self) -> None:
        note, error = self._note, self._error
        if self.after.recovers:
            note = self.tr(
                "Each round prunes the model trained in the previous round. The training is a "
                "separate step."
            )
        self.note.setText(f"✕ {error}" if error else note)
        self.note.setForegroundRole(DANGER if error else MUTED)
        rounds = "" if self._has_rounds else self.go.text()
        set_problem(self.go, error or rounds or self.after.problem)

    def _on_changed(self) -> None:
        if self.fields.errors:  # the error is shown next to the field
            self.set_rounds(())
        else:
            self.changed.emit()

    def _cells(self, row: int) -> tuple[str, ...]:
        after = self._after[row]
        before = self._after[row - 1] if row else self._n_pruned
        most = "≤\u00a0" if self._whole else ""
        share = number_format.part(after, self._size)
        return (
            number_format.count(row + 1),
            most + number_format.count(after - before),
            most + number_format.count(after),
            most + share,
        )


@dataclass(frozen=True)
class _Repeated:
    """A step to be repeated, with the number of weights of its tensors, and of pruned ones."""

    step: Step
    size: int
    begun: int


class RoundsController(Feature[RoundsDialog]):
    """Asks for a schedule, and applies it; each round is a step of the history."""

    commands: ClassVar = {"prune_in_rounds": "ask"}

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        *,
        form: FormController,
        scripts: ScriptController,
        evaluation: EvaluationController,
        history: HistoryController,
    ) -> None:
        super().__init__(context, session)
        self._form, self._scripts, self._evaluation = form, scripts, evaluation
        self._history = history
        self._running: RunJob[None] | None = None
        session.opening.connect(self._stop)
        self._values: dict[str, Any] = {}  # number of rounds and schedule of the last time

    @flow
    def ask(self) -> Flow[None]:
        """Ask for the schedule of the step of the form, and append the rounds to the history.

        Show an error if the step cannot be repeated.
        """
        self.session.check_may_work()
        try:
            step = self._form.step()
            asked = _step_to_repeat(self.document, step)
        except PruneAppError as error:
            raise with_field_labels(error) from error
        row = step.rows[0]
        method = registry.get(row.method)
        dialog = RoundsDialog(
            _rule_text(step),
            tuple(map(translate_param, SCHEDULE)),
            size=asked.size,
            begun=asked.begun,
            whole=method.granularity != "weights",
            note=self._note(anew=method.ranks_anew),
            kinds=self._scripts.kinds,
            parent=self._window,
            short=self.session.contents.short,
        )
        dialog.set_values(self._values | {"final": _final_amount(asked)})
        dialog.changed.connect(partial(self._show_rounds, dialog, asked))
        dialog.scriptRequested.connect(partial(self._agree, dialog))
        choice = dialog.after.choice
        choice.set_source(self._scripts.source(PURPOSE))
        self._scripts.serve(choice)
        self._show_rounds(dialog, asked)
        if not (yield from Ask(dialog)):
            return
        values = dict(dialog.fields.values)
        self._values = {name: value for name, value in values.items() if name != "final"}
        steps = expand_schedule(asked.step, _totals(asked, values))
        agreed = dialog.agreed
        if agreed is None:
            self._run(steps)
        else:
            metric = self._evaluation.metric
            settings = dialog.after.settings(len(steps), agreed.options.seed, metric)
            start = self.document.snapshot(), self.document.position
            self._run_script(steps, settings, choice.source(), agreed, start)

    @flow
    def _run(self, steps: Sequence[Step]) -> Flow[None]:
        """Append the rounds to the history, without those that prune nothing."""
        kernel = self.session.kernel
        scores = self._form.scores

        def work(state: Snapshot, job: Job) -> tuple[Edit, ...]:
            done, arithmetic = [], kernel()
            # Each step reads the same tensors, so all parts take equally long.
            for step, part in zip(steps, job.parts(len(steps)), strict=True):
                preview = compute_preview(state, step, arithmetic, part, scores=scores, norms=False)
                if preview.report.newly_pruned:
                    state = preview.edit.apply_to(state)
                    done.append(preview.edit)
            return tuple(done)

        count = yield from append_steps(
            self.session,
            self.tr("Iterative pruning"),
            work,
            too_late=StaleError(
                "No round was applied because the history changed in the meantime.",
                remedy="Start iterative pruning again.",
            ),
        )
        text = self.tr("Pruned in {n} rounds.")
        self._notifications.show_done(text.format(n=number_format.count(count)))

    @flow
    def _agree(self, dialog: RoundsDialog) -> Flow[None]:
        """Close the dialog once the user agreed to its script; show an error in it."""
        after = dialog.after
        source = after.choice.source()
        try:
            after.settings(1, 0, "")
        except ParameterError as error:
            after.choice.set_found(translate_error(error), trouble=True)
            return
        dialog.agreed = yield from self._scripts.agree_to_script(source, after.choice)
        self._scripts.remember(PURPOSE, source)
        dialog.done(RoundsDialog.DialogCode.Accepted)

    @flow
    def _run_script(
        self,
        steps: Sequence[Step],
        settings: RoundsSettings,
        source: DataSource,
        agreed: AgreedScript,
        start: tuple[Snapshot, int],
    ) -> Flow[None]:
        """Compute rounds with a script, append the complete ones, and go to the selected state.

        `start` is the state before the first round, and its position. The document is locked
        meanwhile. Complete rounds are appended also after an error or cancellation.
        """
        self.session.check_may_work()
        snapshot, position = start
        rounds = ScriptRounds(
            snapshot,
            steps,
            settings,
            agreed,
            self.session.kernel,
            self._form.scores,
            self.session.contents.size.parameters,
            self._evaluation.calibrated_with(position),
            self.tr("Round {n} of {count}"),
        )
        self._running = RunJob(self.tr("Iterative pruning"), rounds.compute, Lane.PROGRAM)
        running = PruneAppError(
            "Iterative pruning is running.",
            remedy="Wait for it to finish, or press Esc to cancel it. Complete rounds are kept.",
        )
        problem: PruneAppError | None = None
        cancelled = False
        try:
            with self.lock_during(self._running, running):
                yield from self._running
        except Cancelled:
            cancelled = True
        except PruneAppError as error:
            problem = error
        finally:
            self._running = None
        yield from self._append(rounds, position, source)
        text = self._summary(rounds, len(steps))
        if cancelled:
            text = join_sentences(self.tr("Iterative pruning was cancelled."), text)
        self._notifications.show_done(text)
        if problem is not None:
            raise problem

    def _summary(self, rounds: ScriptRounds, requested: int) -> str:
        """Return sentences about the complete rounds and the selected one."""
        complete = tuple(rounds.complete)
        done = self.tr("{n} of {count} rounds are complete.").format(
            n=number_format.count(len(complete)), count=number_format.count(requested)
        )
        selected = next((one for one in complete if one.round is rounds.selected()), None)
        if selected is None:
            return done
        worse = ""
        if selected.round.worse:
            worse = self.tr("Every round is worse than allowed.")
        elif complete[-1].round.worse:
            worse = self.tr("Round {n} is worse than allowed, so round {other} is used.").format(
                n=number_format.count(complete[-1].round.number),
                other=number_format.count(selected.round.number),
            )
        measured = ""
        if selected.measurement is not None:
            quality = selected.measurement.quality
            measured = as_sentence(quality_in_words(quality, self._evaluation.metric))
        return join_sentences(done, worse, measured)

    def _append(self, rounds: ScriptRounds, position: int, source: DataSource) -> Flow[None]:
        """Append the complete rounds, store what was measured, and go to the selected state.

        `position` is the state that they were computed for; the user may be at another one.
        """
        document, measured = self.document, dict[object, Measurement]()
        complete = tuple(rounds.complete)
        selected = rounds.selected()
        if complete:
            yield from self._history.go_to(position)
        target = document.position
        for done in complete:
            yield from append_edits(
                self.session,
                document.snapshot(),
                done.round.edits,
                too_late=StaleError(
                    "No round was applied because the history changed in the meantime.",
                    remedy="Start iterative pruning again.",
                ),
            )
            if done.measurement is not None:
                measured[document.history.key] = done.measurement
            if done.round is selected:
                target = document.position
        if measured and rounds.unpruned is not None:
            self._evaluation.adopt(source, {None: rounds.unpruned, **measured})
        if complete:
            yield from self._history.go_to(target)

    def _stop(self) -> None:
        if self._running is not None:
            self._running.cancel()

    def on_closed(self) -> None:
        self._stop()
        super().on_closed()

    def _note(self, *, anew: bool) -> str:
        if anew:
            return self.tr(
                "This method ranks the remaining weights again before each round, so the "
                "result may differ from a single step."
            )
        return self.tr(
            "With this method the final mask is the same as after a single step, apart from "
            "rounding. Each round can be inspected, undone and exported."
        )

    def _show_rounds(self, dialog: RoundsDialog, asked: _Repeated) -> None:
        try:
            dialog.set_rounds(_counts(asked, dialog.fields.values))
        except ParameterError as error:
            dialog.set_rounds((), translate_error(error, SCHEDULE))


def _step_to_repeat(document: Document, step: Step) -> _Repeated:
    """Return the step with its numbers of weights.

    Raises `PruneAppError` unless it has exactly one rule, whose method supports a target for the
    total; channels and blocks can be repeated per tensor only.
    """
    if len(step.rows) > 1:
        raise ParameterError(
            f"Iterative pruning needs exactly one rule (got {len(step.rows)}).",
            remedy="Remove the other rules, and apply them before or after.",
        )
    Step(
        step.rows, step.scope, Limits(target_sparsity=0.0)
    )  # raises if the method does not support a total
    if step.scope == "global" and registry.get(step.rows[0].method).granularity != "weights":
        raise ParameterError(
            "Iterative pruning of channels or blocks works per tensor only.",
            remedy="Choose the scope 'per tensor'.",
        )
    snapshot = document.snapshot()
    ((_, names),) = rows_of(snapshot.checkpoint, step)
    size = sum(snapshot.entry(name).numel for name in names)
    return _Repeated(step, size, sum(snapshot.masks.counts(names)))


def _rule_text(step: Step) -> str:
    """Return a text that describes the step without its amount."""
    scope = (step.scope,) if step.scope == "global" else ()
    limits = replace(step.limits, target_sparsity=None).words()
    label = ", ".join((step.rows[0].label(amount=False), *step.along_texts(), *scope, *limits))
    return translate_step(label)


def _final_amount(asked: _Repeated) -> Amount:
    """Return the amount of all weights, pruned or not, at which the form would arrive.

    For an amount of channels or blocks, which is unknown in weights, it is the default.
    """
    total, (row,) = asked.step.limits.target_sparsity, asked.step.rows
    if total is not None:
        return total
    amount: Amount = row.values["amount"]
    method = registry.get(row.method)
    if isinstance(amount, float):
        begun = asked.begun / asked.size if asked.size else 0.0
        return round(begun + amount * (1 - begun), 4)
    if method.granularity == "weights":
        return min(asked.size, asked.begun + amount)
    # an amount of channels or blocks, unknown in weights
    return next(float(p.default) for p in SCHEDULE if p.name == "final")


def _totals(asked: _Repeated, values: dict[str, Any]) -> list[Amount]:
    return schedule_amounts(
        values["final"], asked.begun, asked.size, values["steps"], values["path"]
    )


def _counts(asked: _Repeated, values: dict[str, Any]) -> list[int]:
    """Return the number of pruned weights after each round, including those pruned before.

    Raises `ParameterError` if the last number exceeds the weights or is below those pruned before.
    """
    counts = [
        round(total * asked.size) if isinstance(total, float) else total
        for total in _totals(asked, values)
    ]
    if counts[-1] > asked.size:
        raise ParameterError(f"These tensors have only {asked.size:,} weights.")
    if counts[-1] < asked.begun:
        raise ParameterError(
            f"{asked.begun:,} of {asked.size:,} weights are already pruned.",
            remedy="Enter a higher final sparsity, or undo.",
        )
    return counts
