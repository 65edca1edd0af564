"""Compute what follows from the tensors of a step: file sizes, dependents, counts of rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QInputDialog

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.document.document import Capture
from pruneapp.document.selection import coupling_of, pruned_tensors, rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step, may_have_companions, takes_channels
from pruneapp.edits.coupled_tensors import Companions
from pruneapp.edits.dependents import dependents_of
from pruneapp.errors import ParameterError, PruneAppError
from pruneapp.evaluation.script import has_program_code
from pruneapp.export.catalog import FORMATS, usual_format
from pruneapp.export.format_sizes import planned_size
from pruneapp.export.provenance import provenance_without_steps
from pruneapp.export.size_bounds import size_range, total_for
from pruneapp.groups.structure import Unknown, structure_of
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.jobs import Lane, LatestTask
from pruneapp.gui.document.feature import Ask, Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.method_form.amount_notes import amount_notes, outputs_to_prune
from pruneapp.gui.method_form.form_controller import FormController, dependents_key
from pruneapp.gui.method_form.form_model import (
    AmountNote,
    DependentsEffect,
    FollowingTensor,
    FormDependents,
    OutputLayer,
)
from pruneapp.gui.method_form.panel import PruneForm
from pruneapp.gui.preview.panel import PreviewPanel
from pruneapp.gui.preview.preview_controller import PreviewController
from pruneapp.gui.preview.preview_state import PreviewState
from pruneapp.gui.widgets.controls import call_soon, scroll_to, single_shot
from pruneapp.gui.widgets.engine_text import translate_declared, translate_error
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.methods import registry
from pruneapp.params import format_bytes, parse_bytes
from pruneapp.preview.preview import Preview, RuleState, n_channels_left
from pruneapp.progress import Job

Sizes = Mapping[str, int | None]

# With more tensors than this, planning a file takes noticeable time.
MANY = 5_000
SOON_MS = 100
LATER_MS = 1_500
# maximum number of roles of dependent tensors that are named
MOST_FOLLOWING = 3
# Factor on the number of channels from which dependents prune clearly more than the amount.
_MORE = 1.1
_LAYER = re.compile(r"^(?:.*\.)?\d+\.(?=.*\.)")
# After that the note about the limits has its height: it may be laid out more than once.
_LAID_OUT_MS = 200
# Placeholder for a mask whose content is not known yet. Its number of kept weights is so large
# that no format stores the tensor as sparse.
_SOME_MASK = BitMask(np.zeros(0, np.uint8), 0, kept=1 << 62)


class StepInfoController(Feature[QInputDialog]):
    """Updates form and panel with what follows from the tensors of a step, whatever its amount.

    Nothing is computed again while a slider moves.
    """

    def __init__(
        self,
        context: AppContext,
        session: OpenDocument,
        *,
        form_controller: FormController,
        previews: PreviewController,
        form: PruneForm,
        panel: PreviewPanel,
    ) -> None:
        super().__init__(context, session)
        self._form_controller = form_controller
        self._form = form
        self._previews = previews
        self._panel = panel
        # the state and the names that sizes were requested for
        self._sized: tuple[object, ...] = ()
        self._coupled: tuple[str, ...] = ()  # the names that biases and norms were searched for
        self._about: tuple[object, ...] = ()  # the key that dependents were searched for
        self._last_text = ""  # the size entered last
        self._size_refused = False  # whether the form shows an error of `ask_size`
        self._judged: Preview | None = None  # the preview whose dependents were counted last
        self._effect_task = LatestTask(self.jobs)
        self._size_task, self._coupled_task = LatestTask(self.jobs), LatestTask(self.jobs)
        self._dependents_task, self._notes_task = LatestTask(self.jobs), LatestTask(self.jobs)
        self._size_timer = single_shot(self, 0, self._size)
        self._note_timer = single_shot(self, _LAID_OUT_MS, lambda: scroll_to(form.limits.note))
        self.offer_formats()
        form.sizeRequested.connect(self.ask_size)
        previews.requested.connect(self._on_requested)
        previews.assigned.connect(self._show_shares)
        previews.stateChanged.connect(self._on_state_changed)
        session.closed.connect(self._on_closed)
        self.jobs.pauseRequested.connect(self._pause_sizes)

    def offer_formats(self) -> None:
        """Set the export formats that are registered now."""
        formats = [(each.name, translate_declared(each.label)) for each in FORMATS.values()]
        self._panel.file.set_formats(formats)

    def _show_shares(self, state: PreviewState) -> None:
        # While the form is invalid, the counts of the last valid rules are kept.
        if state.error is None:
            self._form.set_shares(state.assignment.shares)

    def _on_requested(self, state: PreviewState) -> None:
        if self._size_refused and state.error is None:
            self._size_refused = False
            self._form.limits.set_error("")
        self._show_shares(state)
        self._request_sizes()
        self._count_coupled()
        self._find_dependents()
        self._note_amounts(state)

    def _note_amounts(self, state: PreviewState) -> None:
        """Show next to the amounts what they mean in each row or group, once it is computed."""
        document = self.session.document
        if document is None or state.step is None:
            self._notes_task.cancel()
            return
        snapshot, step, layers = document.snapshot(), state.step, self._form.outputs.layers

        def work(job: Job) -> tuple[tuple[AmountNote, ...], int | None]:
            notes = amount_notes(snapshot, step, job)
            return notes, outputs_to_prune(snapshot, step, layers, job)

        self._notes_task.start(
            work, self._show_notes, lambda _error: self._show_notes(), lane=Lane.INTERACTIVE
        )

    def _show_notes(self, found: tuple[tuple[AmountNote, ...], int | None] = ((), None)) -> None:
        """Show the notes of the amounts and the number of pruned outputs; nothing by default."""
        notes, n_outputs = found
        self._form.set_amount_notes(notes)
        self._form.outputs.set_pruned(n_outputs)

    def _on_closed(self) -> None:
        self._forget_sizes()
        self._panel.file.set_sizes({})
        self._coupled_task.cancel()
        self._dependents_task.cancel()
        self._notes_task.cancel()
        self._effect_task.cancel()
        self._judged = None
        self._form.union.set_effect(None)
        self._coupled = self._about = ()
        self._form_controller.set_dependents(None, None)
        self._form.companions.set_paired(None, 0)
        self._form.set_shares(())

    # -- size of a file of each format after the step, from headers alone --------------------------

    @property
    def _sized_step(self) -> Step | None:
        """The step after which sizes are computed; None for the current state."""
        return self._previews.state.step if self._previews.state.requested else None

    def _request_sizes(self) -> None:
        document, step = self.session.document, self._sized_step
        if document is None or (step is None and self._previews.state.requested):
            return  # the panel shows why there is no step
        about: tuple[object, ...] = (document.revision, step is not None and step.dependents)
        about += tuple(row.names for row in (step.rows if step else ()))
        if about != self._sized:
            self._forget_sizes()
            self._sized = about
            self._size_timer.start(LATER_MS if self._has_many else SOON_MS)
        else:
            self._pause_sizes()

    @property
    def _has_many(self) -> bool:
        """Whether computing sizes takes seconds in Python.

        Meanwhile a moving slider and the progress of a job would wait for the interpreter lock at
        each number.
        """
        return len(self.session.rows) > MANY

    def _pause_sizes(self) -> None:
        """Compute the sizes of many tensors again after a pause, if they are being computed."""
        if self._has_many and (self._size_timer.isActive() or self._size_task.task is not None):
            self._size_task.cancel()
            self._size_timer.start(LATER_MS)

    def _size(self) -> None:
        document, step = self.session.document, self._sized_step
        if document is None or (step is None and self._previews.state.requested):
            self._sized = ()
            return
        if self._has_many and self.jobs.busy:
            self._size_timer.start(LATER_MS)
            return
        snapshot = document.snapshot()
        usual = usual_format(Path(), snapshot.checkpoint).name
        # An error is reported by the panel or by the export.
        self._size_task.start(
            lambda job: sizes_after(snapshot, step, job),
            lambda sizes: self._panel.file.set_sizes(sizes, usual),
            lane=Lane.BACKGROUND,
        )

    def _forget_sizes(self) -> None:
        self._size_timer.stop()
        self._sized = ()
        self._size_task.cancel()

    # -- tensors with bias or norm, dependents, and tensors of each rule ---------------------------

    def _count_coupled(self) -> None:
        document, step = self.session.document, self._previews.state.step
        if document is None or step is None:
            return
        each = [row.names for row in step.rows if may_have_companions(row)]
        names = each[0] if len(each) == 1 else tuple(chain.from_iterable(each))
        if not names or names == self._coupled:
            return
        self._coupled = names
        checkpoint = document.checkpoint

        def work(job: Job) -> tuple[int, int]:
            pairs, paired = Companions(checkpoint, job.cancel), 0
            pruned: set[str] = set()
            for name in names:
                job.step(0)
                found = pairs.of(name)
                paired += bool(found)
                pruned.update(companion.name for companion in found)
            return paired, len(pruned)

        self._coupled_task.start(
            work,
            lambda found: self._form.companions.set_paired(found[0], len(names), found[1]),
            # A missing tensor is reported by the preview.
            lambda _error: self._form.companions.set_paired(None, 0),
            lane=Lane.BACKGROUND,
        )

    def _find_dependents(self) -> None:
        """Find the dependents of the channels of the step, and pass them to the form.

        They are found in the background. Does nothing if the step prunes no channels, or if rows
        and limits are those of the last search.
        """
        document, step = self.session.document, self._previews.state.step
        if document is None or step is None or not any(map(takes_channels, step.rows)):
            return
        about = dependents_key(step.rows, step.limits)
        if about == self._about:
            return
        self._about = about
        checkpoint, by_name = document.checkpoint, self.session.by_name
        self._dependents_task.start(
            lambda job: _form_dependents(
                checkpoint, step, job, lambda name: by_name[name].shown if name in by_name else name
            ),
            partial(self._on_dependents, about),
            # For example a missing dimension, which the preview reports.
            lambda _error: self._form_controller.set_dependents(about, None),
            lane=Lane.BACKGROUND,
        )

    def _on_state_changed(self, state: PreviewState) -> None:
        """Count in the background what dependents add to a new exact preview, and show it.

        What was shown for the last preview stays until then, but not for a step without dependents.
        """
        document, preview, step = self.session.document, state.preview, state.step
        if step is None or not step.dependents or len(step.rows) != 1:
            self._effect_task.cancel()
            self._judged = None
            self._form.union.set_effect(None)
        elif document is not None and preview is not None and preview is not self._judged:
            self._judged = preview
            n_requested = 0 if state.estimate is None else state.estimate.channels
            self._effect_task.start(
                partial(dependents_effect, document.snapshot(), preview, n_requested),
                self._form.union.set_effect,
                lane=Lane.BACKGROUND,
            )

    def forget_dependents(self) -> None:
        """Find the dependents again at the next request of a step: the model was traced."""
        self._about = ()

    def _on_dependents(self, about: tuple[object, ...], found: FormDependents) -> None:
        self._form_controller.set_dependents(about, found)
        if found.outputs:  # which the notes of the step count
            self._note_amounts(self._previews.state)

    # -- total sparsity from the size of a compact file --------------------------------------------

    @flow
    def ask_size(self) -> Flow[None]:
        """Ask for the size of the compact file, and set the total sparsity that reaches it.

        A size that the step can reach is computed first, as the default. Errors, such as an
        impossible size or a method of whole channels, are shown below the limits of the form until
        a step is requested; nothing is set then.
        """
        self._form.limits.set_error("")
        try:
            step = self._form_controller.step()
            _check_supports_size(step)
            suggestion = yield from RunJob(
                "", partial(_suggestion, Capture.of(self.document), step, self._last_text)
            )
            dialog = QInputDialog(self._window)
            dialog.setWindowTitle(self.tr("Target file size"))
            dialog.setLabelText(
                self.tr("Maximum size of the compact file, such as 40 MB or 512 KiB:")
            )
            dialog.setTextValue(suggestion)
            dialog.setOkButtonText(self.tr("Set total sparsity"))
            dialog.setCancelButtonText(self.tr("Cancel"))
            if not (yield from Ask(dialog)):
                return
            self._last_text = dialog.textValue()
            step, nbytes = self._form_controller.step(), _bytes(self._last_text)
            total = yield from RunJob(
                "", partial(total_for, Capture.of(self.document), step, nbytes)
            )
        except PruneAppError as error:
            limits = self._form.limits
            limits.set_error(translate_error(error))
            self._size_refused = True
            # The note is below the limits, and has its position only after they are laid out.
            call_soon(limits.note, lambda: scroll_to(limits.note))
            self._note_timer.start()
        else:
            self._form_controller.set_total(total)


def _form_dependents(
    checkpoint: Checkpoint, step: Step, job: Job, shown: Callable[[str], str]
) -> FormDependents:
    """Return the dependents of the channels that a step prunes; `shown` returns display names.

    Tensors that a rule prunes are neither counted nor named. The named examples are the first of
    each role, `MOST_FOLLOWING` at most, in the order in which they were found.
    """
    rows = rows_of(checkpoint, step)
    found = dependents_of(checkpoint, rows, job)
    pruned = pruned_tensors(rows)
    dims = found.dependent_dims()
    following = [each for each in job.cancel.each(dims) if each.name not in pruned]
    roles: dict[tuple[str, int], FollowingTensor] = {}
    for name, dim in job.cancel.each(following):
        role = _role(shown(name))
        if (role, dim) not in roles:
            n_dims = len(checkpoint.entries[name].shape)
            roles[role, dim] = FollowingTensor(shown(name), role, dim, n_dims)
    unknown = shown(found.unknown[0].name) if found.unknown else ""
    structure = structure_of(checkpoint)
    return FormDependents(
        known=len(found.groups),
        tensors=len(found.groups) + len(found.unknown),
        following=len({each.name for each in following}),
        in_checked=len(following) < len(dims),
        first=tuple(roles.values())[:MOST_FOLLOWING],
        more=len(roles) > MOST_FOLLOWING,
        unknown=unknown,
        unknown_role=_role(unknown),
        why_not=found.why_not,
        of_model=isinstance(structure, Unknown),
        offers_code=(isinstance(structure, Unknown) or structure.graph is None)
        and has_program_code(checkpoint),
        outputs=tuple(
            OutputLayer(name, shown(name), checkpoint.entries[name].shape[dim])
            for name, dim in found.outputs
        ),
    )


def dependents_effect(
    snapshot: Snapshot, preview: Preview, n_requested: int, job: Job
) -> DependentsEffect | None:
    """Return what a step of one rule prunes with its dependents, if that is clearly more.

    None unless at least `_MORE` times `n_requested` channels of its tensors are pruned: those that
    its amount means. `preview` is the exact preview of the step on `snapshot`. Reads masks only.
    """
    checkpoint = snapshot.checkpoint
    ((row, names),) = rows_of(checkpoint, preview.step)
    if not n_requested or preview.units < _MORE * n_requested:
        return None
    n_before = n_channels_left(snapshot, row, names, job)
    report, amount = preview.report, row.values.get("amount")
    return DependentsEffect(
        amount if isinstance(amount, float) else n_requested / n_before,
        preview.units / n_before,
        report.newly_pruned / max(1, report.unpruned),
        offers_groups=any(coupling_of(checkpoint, "channels", name) for name in names),
    )


def _role(name: str) -> str:
    """Return the part of a name after the number of its layer, if that has several parts."""
    return _LAYER.sub("", name)


def sizes_after(snapshot: Snapshot, step: Step | None, job: Job) -> Sizes:
    """Return the bytes of an export in each format, None for formats that are not possible.

    It is the size after `step`, or of the present state if that is None. No weights are read, so
    amounts do not matter: every tensor that the step prunes gets a mask.
    """
    # A later rule takes tensors from earlier ones, even if it prunes nothing.
    touched: dict[str, Mask] = {}
    pruned: set[str] = set()
    for row in step.rows if step else ():
        take = pruned.update if row.prunes else pruned.difference_update
        for batch in job.cancel.batches(row.names):
            names = [snapshot.entry(name).name for name in batch]
            touched |= dict.fromkeys(names, _SOME_MASK)
            take(names)
    if step is not None and step.dependents:
        rows = rows_of(snapshot.checkpoint, step)
        following = dependents_of(snapshot.checkpoint, rows, job).dependent_dims()
        touched |= dict.fromkeys([name for name, _ in following], _SOME_MASK)
        pruned |= {name for name, _ in following}
    state = _After(snapshot, touched, frozenset(pruned))
    origin = provenance_without_steps(state, job)
    sizes: dict[str, int | None] = {}
    for name, form in FORMATS.items():
        job.step(0)
        possible = not form.why_not(snapshot.checkpoint)
        sizes[name] = planned_size(state, name, job, origin) if possible else None
    return sizes


@dataclass(frozen=True, eq=False)
class _After(RuleState):
    """The state after a step, with placeholders for masks, to compute sizes of files."""

    pruned: frozenset[str]

    def export_mask(self, name: str) -> Mask | None:
        """Return a mask if zeros will be written for a tensor, else None."""
        first = self.before.entry(name).name
        return _SOME_MASK if first in self.pruned else self.before.export_mask(first)


def _bytes(text: str) -> int:
    nbytes = parse_bytes(text)
    if nbytes is None:
        raise ParameterError(
            f"Enter a size as a number and a unit, such as 40 MB or 512 KiB (got '{text.strip()}')."
        )
    return nbytes


def _check_supports_size(step: Step) -> None:
    for row in step.rows:
        method = registry.get(row.method)
        if row.prunes and method.granularity != "weights":
            raise ParameterError(
                f"'{method.label}' prunes whole {method.granularity}, so a file size cannot "
                "be guaranteed.",
                remedy="Choose an unstructured method.",
            )


def _suggestion(capture: Capture, step: Step, last: str, job: Job) -> str:
    """Return the last size if the step can reach it, otherwise one halfway between the limits.

    `last` is the text as entered, also invalid or empty. The default is rounded to two digits.
    Raises `PruneAppError` if the step is invalid.
    """
    least, now, _touched = size_range(capture, step, job)
    before = parse_bytes(last)
    if before is not None and least <= before < now:
        return last
    return format_bytes(int(float(f"{(least + now) // 2:.2g}")))
