"""Make a step from the form and the checked tensors; load its masks, scores and statistics."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QFileDialog

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.io.store import is_store
from pruneapp.document.selection import axis_of, patterns_of, select
from pruneapp.document.step import Row, Step, takes_channels
from pruneapp.edits.existing_masks import names_in, read_masks_for
from pruneapp.errors import NothingToPruneError, ParameterError, PruneAppError, SelectionError
from pruneapp.gui.app.context import AppContext
from pruneapp.gui.app.notifications import NoticeTopic
from pruneapp.gui.document.feature import Feature, Flow, RunJob, flow
from pruneapp.gui.document.open_document import OpenDocument
from pruneapp.gui.method_form.form_model import (
    FormContext,
    FormDependents,
    FormRequest,
    FormRow,
    MethodForm,
)
from pruneapp.gui.method_form.panel import PruneForm
from pruneapp.gui.tree.panel import ModuleTree
from pruneapp.gui.widgets.controls import single_shot
from pruneapp.gui.widgets.engine_text import (
    translate_declared,
    translate_error,
    translate_param,
    translate_sentence,
    with_translated_labels,
)
from pruneapp.gui.widgets.labels import translate, with_note
from pruneapp.gui.widgets.typed_path import is_file
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import registry
from pruneapp.methods.builtin.units import MULTIPLE, ROUNDED
from pruneapp.methods.coupled_units import USUAL
from pruneapp.methods.limits import LIMITS, Limits
from pruneapp.methods.method import Method, Scope
from pruneapp.params import SHA256, STATISTICS, Amount, FileParam, validate_all
from pruneapp.progress import Job
from pruneapp.statistics.file import register as register_statistics
from pruneapp.statistics.file import statistics_of


def with_field_labels(error: PruneAppError) -> PruneAppError:
    """Return the error with parameter names replaced by the labels of their form fields."""
    params = chain(LIMITS, *(method.params for method in registry.METHODS.values()))
    return error.with_sentence(with_translated_labels(translate_sentence(error.sentence), params))


# The sentence of an error about the amount of a step, or of one of its rules.
_AMOUNT_ERROR = re.compile(r"(?:Rule (\d+): )?('amount' )")
# Checking a module changes many check marks; the form is updated once after they have changed.
SETTLE_MS = 30
# A half-typed pattern often matches nothing: the error is shown after this pause.
PAUSE_MS = 400
# maximum number of excluded tensors named in a tooltip
MOST_NAMED = 20


@dataclass(frozen=True)
class RuleMatches:
    """The tensors that match the patterns, or the kind of layer, of a rule."""

    names: tuple[str, ...]  # of each pattern only its matrices, if it matches any
    skipped: tuple[str, ...] = ()  # other tensors that match patterns; none for a kind of layer


class FormController(Feature[QDialog]):
    """Makes steps of the form and the tree, and updates the form for the document.

    Attributes
    ----------
    masks, scores
        The masks and the importance scores that were loaded for this document; None for none.
    statistics
        The name of the loaded statistics in a step: the SHA-256 of their file; or empty.
    statistics_path
        The file of the loaded statistics; None for none.
    """

    changed = Signal(object)  # (Step, or PruneAppError) another step is requested
    collectRequested = Signal()  # the user asked to collect statistics
    opened = Signal()  # a file was opened, and the user has not requested a step yet

    commands: ClassVar = {
        "load_masks": "load_masks",
        "load_scores": "load_scores",
        "check_usual": "check_usual",
        "reset_form": "reset",
    }

    def __init__(
        self, context: AppContext, session: OpenDocument, *, tree: ModuleTree, form: PruneForm
    ) -> None:
        super().__init__(context, session)
        self._tree = tree
        # tensors of the rules that were last compared with the checked ones
        self._compared: list[tuple[str, ...]] = []
        self._form = form
        self.masks: Mapping[str, BitMask] | None = None
        self.scores: Checkpoint | None = None
        self.statistics = ""
        self.statistics_path: Path | None = None
        # Request and checked tensors after opening the file, until the user changes them.
        self._untouched: tuple[FormRequest | None, tuple[str, ...]] | None = None
        # The dependents found last, preceded by the key of the step that they belong to; then the
        # key of the last step, and whether it prunes its dependents.
        self._dependents: tuple[tuple[object, ...] | None, FormDependents | None] = (None, None)
        self._dependents_key: tuple[object, ...] = ()
        self._prunes_dependents = False
        # The multiple to which the export of shrunk models rounds; None for the default.
        self._multiple: int | None = None
        # The request made by `prepare`, and the previous one.
        self._prepared: FormRequest | None = None
        self._replaced: FormRequest | None = None
        # The pattern of the rule of the last `prepare`, and the data that its values were chosen
        # by.
        self._chosen_by: tuple[str, tuple[str, ...]] = "", ()
        # Matches of rules, or the error that there is none, by pattern and kind.
        self._matches: dict[tuple[str, str], RuleMatches | SelectionError] = {}
        # The user's checked tensors, and those that loaded masks have checked in their place.
        self._replaced_checks: tuple[frozenset[str], frozenset[str]] | None = None
        self._checks_pause = single_shot(self, SETTLE_MS, self._on_settled)
        tree.checkedChanged.connect(self._checks_pause.start)
        self._opened = single_shot(self, 0, self._on_first_settled)
        self._pause = single_shot(self, PAUSE_MS, self._request_step)
        form.changed.connect(self._on_form_changed)
        form.fileRequested.connect(self._ask_file)
        form.collectRequested.connect(self.collectRequested)
        form.outputs.excludeRequested.connect(self._exclude_outputs)
        session.closed.connect(self._drop_files)
        session.opened.connect(self._on_opened)
        self.offer_methods()
        form.set_limits(tuple(map(translate_param, LIMITS)))

    def step(self) -> Step:
        """Return the step of the form; raise `PruneAppError` if a setting is not valid."""
        return self._step_of(self._form.request())

    def step_or_error(self) -> Step | PruneAppError:
        """Return the step of the form, or the error why there is none."""
        return self._step_or_error_of(self._form.request())

    def _step_or_error_of(self, request: FormRequest | None) -> Step | PruneAppError:
        try:
            return self._step_of(request)
        except PruneAppError as error:
            return error.with_traceback(None)

    def _request_step(self) -> None:
        self.changed.emit(self.step_or_error())

    def place_error(self, error: PruneAppError | None) -> PruneAppError | None:
        """Show an error about an amount of the shown rule at its field, or none there.

        Return the error for other places: the same one with the labels of fields, or where the
        field is. None clears the error at the field.
        """
        found = None if error is None else _AMOUNT_ERROR.match(error.sentence)
        number, text, shown = int(found[1] or 1) if found else 0, "", self._form.shown
        of_rule = self._form.used[number - 1 : number] if number else ()  # it may be removed by now
        if error is not None and found is not None and shown in of_rule:
            here = with_field_labels(error.with_sentence(error.sentence[found.start(2) :]))
            text, error = translate_error(here), ParameterError(self._form.invalid(shown))
        self._form.set_amount_error(text)
        return None if error is None else with_field_labels(error)

    def _step_of(self, request: FormRequest | None) -> Step:
        """Return the step that a request describes, and show errors and matches in the form.

        `request` is None if the form has errors. Raises `PruneAppError` if there is no step.
        """
        if request is None or self.session.document is None:
            errors = self._form.errors()
            if not errors:
                raise ParameterError("No checkpoint is open.")
            # The field shows its own error: do not repeat it.
            raise ParameterError(self._form.errors_beside_fields().get(errors[0], errors[0]))
        rows = [
            Row(names, row.method, self._values(row), row.pattern or row.kind)
            for row, names in zip(request.rows, self._match_rules(request.rows), strict=True)
        ]
        scope: Scope = "global" if request.scope == "global" else "local"
        limits = self._limits(request)
        self._dependents_key, self._prunes_dependents = dependents_key(rows, limits), False
        if any(map(takes_channels, rows)):
            self._prunes_dependents = self._takes_dependents(request.dependents)
        pattern, data = self._chosen_by
        chosen = [row.pattern for row in request.rows] == [pattern]
        return Step(
            tuple(rows),
            scope,
            limits,
            request.prune_bias_and_norm,
            dependents=self._prunes_dependents,
            data=data if chosen else (),
        )

    def set_dependents(self, key: tuple[object, ...] | None, found: FormDependents | None) -> None:
        """Set and show the tensors that depend on those pruned by a step with the key `key`.

        The key is the result of `dependents_key`. `found` is None if they are not known. If
        `key` is the key of the requested step, and this step now begins or ceases to prune its
        dependents, `changed` is emitted.
        """
        self._dependents = key, found
        self._form.dependents.set_found(found)
        self._form.outputs.set_layers(() if found is None else found.outputs)
        request = self._form.request()
        if request is None or key is None or key != self._dependents_key:
            return
        if self._takes_dependents(request.dependents) != self._prunes_dependents:
            self._renew()

    def _renew(self) -> None:
        """Request the step again. Until the user changes the form, show the same as after opening.

        Call it for a change of the step that the user has not made.
        """
        if self._untouched is None:
            self._request_step()
        else:
            self._untouched = self._current_input()
            self.opened.emit()

    def _takes_dependents(self, choice: bool | None) -> bool:
        about, found = self._dependents
        if found is None or about != self._dependents_key:  # still being computed
            return choice is True
        return found.in_force(choice)

    def _values(self, row: FormRow) -> Mapping[str, Any]:
        """Return the values of a rule, with the loaded statistics and the export's multiple."""
        values = dict(row.values)
        if registry.get(row.method).needs_statistics(row.values):
            values[STATISTICS.name] = self.statistics
        if self._multiple is not None and _rounds_as_export(row):
            values[MULTIPLE.name] = str(self._multiple)
        return values

    def set_multiple(self, multiple: int | None) -> None:
        """Set the multiple that rules with "As the export" round to; None for the default.

        If it has changed and a rule uses it, the step is requested again after a pause.
        """
        if multiple == self._multiple:
            return
        self._multiple = multiple
        request = self._form.request()
        if request is not None and any(map(_rounds_as_export, request.rows)):
            self._pause.start()

    def flush(self) -> None:
        """Emit pending changes of text and check marks now, without waiting for the pause."""
        if self._checks_pause.isActive():
            self._checks_pause.stop()
            self._on_settled()
        if self._pause.isActive():
            self._pause.stop()
            self._request_step()

    def set_amount(self, rule: int, amount: Amount) -> None:
        """Set the amount of the rule with index `rule`, as if it had been typed."""
        self._form.set_amount(amount, rule)
        self._request_step()

    def set_total(self, total: int) -> None:
        """Set the target total sparsity as a number of weights, as if it had been typed."""
        self._form.set_limit("target_sparsity", total)
        self._request_step()

    def _limits(self, request: FormRequest) -> Limits:
        try:
            return Limits(**request.limits)
        except ParameterError as error:
            self._form.limits.set_error(translate_error(error))
            raise

    def check_usual(self) -> None:
        """Check the default tensors of the file."""
        self.check([r.name for r in self.session.rows if r.by_default])

    def check(self, names: Sequence[str]) -> None:
        """Check exactly these tensors."""
        self._replaced_checks = None
        self._tree.set_checked(names)
        self._checks_pause.start()

    def prune_separately(self) -> None:
        """Set the scope "Per tensor" as the user can; no effect if the rules have no choice."""
        if self._form.offers_scopes:
            self._form.each.setChecked(True)

    def _exclude_outputs(self, names: Sequence[str]) -> None:
        """Exclude tensors from the step: uncheck them, or add a rule that prunes nothing.

        They are unchecked if the only rule is for the checked tensors.
        """
        request = self._form.corrected_request()
        if [(row.pattern, row.kind) for row in request.rows] == [("", "")]:
            self.check([name for name in self._tree.checked_names() if name not in names])
            return
        pattern = ", ".join(re.sub(r"[*?\[,]", r"[\g<0>]", name) for name in names)
        excluded = FormRow(pattern, "", "identity")
        self._set_request(replace(request, rows=(*request.rows, excluded)))

    def prepare(
        self, name: str, method: str, values: Mapping[str, Any], *, data: tuple[str, ...] = ()
    ) -> None:
        """Request one rule for one tensor, in place of all others; the check marks are not changed.

        `restore` requests again what was requested before the first of several calls. `data`
        contains the names of the data by which the values were chosen; the step records it while
        its only rule is for this tensor.
        """
        if not self.is_prepared:
            self._replaced = self._form.corrected_request()
        pattern = re.sub(r"[*?\[,]", r"[\g<0>]", name)
        row = FormRow(pattern, "", method, values)
        self._chosen_by = pattern, data
        self._set_request(FormRequest((row,), dependents=False))
        self._prepared = self._form.request()

    def request_everywhere(self, row: FormRow, statistics: Path | None) -> None:
        """Request one rule for the default tensors, in place of all rules and check marks.

        `statistics` is the file that it uses, which is loaded unless it is the loaded one.
        """
        self.check_usual()
        self._set_request(FormRequest((row,)))
        if statistics is not None and statistics.absolute() != self.statistics_path:
            self.load("statistics", statistics)

    @property
    def statistics_file(self) -> str:
        """The name of the loaded statistics file, with its inputs if known; "" for none."""
        return self._form.context.statistics_file

    @property
    def is_prepared(self) -> bool:
        """Whether the form still requests what `prepare` has set."""
        return self._prepared is not None and self._form.request() == self._prepared

    def restore(self) -> None:
        """Request what the form requested before `prepare`; does nothing if it was not called."""
        if self._replaced is not None:
            self._set_request(self._replaced)
            self._replaced = self._prepared = None

    def _set_request(self, request: FormRequest) -> None:
        self._form.set_request(request)
        self._on_form_changed(self._form.request())

    def reset(self) -> None:
        """Reset the form to its initial state, and drop loaded files."""
        self._form.reset()
        self._restore_checks()
        self._drop_files()  # emits `changed`

    def offer_methods(self) -> None:
        self._form.set_methods([_form(m) for m in registry.METHODS.values()])

    def _match_rules(self, rows: Sequence[FormRow]) -> list[tuple[str, ...]]:
        """Return the tensors of each rule, and show next to the rules what they match.

        Raises the first error of a rule that matches nothing, or else an error if no tensor is
        checked for a rule.
        """
        named = []
        refused: SelectionError | None = None
        for place, row in enumerate(rows):
            target = row.pattern, row.kind
            if target == ("", ""):
                checked = self._tree.checked_names()
                self._form.set_matches(
                    place,
                    None,
                    error="" if checked else translate_sentence("No tensor is checked."),
                )
                named.append(checked)
                continue
            matches = self._match(row)
            if isinstance(matches, SelectionError):
                # The error next to the field need not name the file, and there are only two lines.
                document = self.session.document
                file = "" if document is None else document.checkpoint.path.name
                sentence = matches.sentence.replace(f" in '{file}'", "")
                error_text = translate_error(matches.with_sentence(sentence))
                rule = self._form.used[place]
                number = self._form.number_of(rule)
                if self._form.set_matches(place, 0, error=error_text):
                    # already shown next to the field
                    matches = SelectionError(self._form.invalid(rule))
                elif number:
                    sentence = f"Rule {number}: {matches.sentence}"
                    matches = SelectionError(sentence, remedy=matches.remedy)
                refused = refused or matches
                continue
            shown = [self.session.by_name[name].shown for name in matches.skipped[:MOST_NAMED]]
            self._form.set_matches(place, len(matches.names), len(matches.skipped), shown)
            named.append(matches.names)
        targets = {(row.pattern, row.kind) for row in rows}
        self._matches = {at: one for at, one in self._matches.items() if at in targets}
        if refused is not None:
            raise refused
        if not all(named):  # rules that name their tensors have at least one
            several = len(rows) > 1
            raise self._nothing_checked(named.index(()) + 1 if several else 0)
        if named != self._compared:  # for speed: not for each move of a slider
            self._compared = named
            own = frozenset(self._tree.checked_names())
            self._tree.set_others(any(not own.issuperset(names) for names in named))
        return named

    def _match(self, row: FormRow) -> RuleMatches | SelectionError:
        """Return the matches of a rule with pattern or kind, or the error that it matches nothing.

        The result is cached for the open file while a rule has this pattern or kind.
        """
        target = row.pattern, row.kind
        if target not in self._matches:  # each move of a slider asks for it
            try:
                self._matches[target] = self._find_matches(row)
            except SelectionError as error:
                self._matches[target] = error.with_traceback(None)
        return self._matches[target]

    def _find_matches(self, row: FormRow) -> RuleMatches:
        """Return the matches of a rule, in the order of the file.

        Of a kind of layer, and of each pattern, these are the matrices (`TensorRow.matrix`), or all
        matching tensors if there is none; of a kind only tensors of two dims or more that can be
        pruned. `RuleMatches.skipped` has the other matches of patterns. A document must be open.
        Raises `SelectionError` if there is no pattern, or if the kind or any single pattern matches
        nothing that can be pruned.
        """
        document = self.session.document
        assert document is not None
        by_name = self.session.by_name
        if row.kind:
            matched = [
                r
                for r in self.session.rows
                if r.kind == row.kind and not (r.why_not or r.buffer) and len(r.shape) > 1
            ]
            if not matched:
                raise SelectionError(f"No {row.kind} layer can be pruned here.")
            matrices = [r.name for r in matched if r.matrix]
            return RuleMatches(tuple(matrices or [r.name for r in matched]))
        every: set[str] = set()
        taken: set[str] = set()
        for pattern in patterns_of(row.pattern):
            names = select(document.checkpoint, [pattern])
            every.update(names)
            taken.update([name for name in names if by_name[name].matrix] or names)
        if not taken:
            raise SelectionError("Enter the tensors that this rule applies to.")
        inside = [name for name in by_name if name in every]
        return RuleMatches(
            tuple(name for name in inside if name in taken),
            tuple(name for name in inside if name not in taken),
        )

    def _nothing_checked(self, rule: int) -> SelectionError | NothingToPruneError:
        """Return the error for a rule for the checked tensors if none is checked.

        `rule` is its number, from 1; 0 if it is the only rule.
        """
        rows = self.session.rows
        if not rows:
            return NothingToPruneError(
                "This file has no tensors.", remedy="Open another checkpoint."
            )
        if all(r.why_not for r in rows):
            return NothingToPruneError(
                "No tensor of this file can be pruned.",
                remedy="The tree shows the reason for each.",
            )
        if rule:
            return SelectionError(
                f"Rule {rule} is for the checked tensors, but no tensor is checked.",
                remedy="Check a tensor in the tree, or remove the rule.",
            )
        return SelectionError("No tensor is checked.", remedy="Check a tensor in the tree.")

    def _on_opened(self) -> None:
        """Offer the kinds of layers of the file, and reset the form.

        Rules, amounts and limits of the file before would apply unnoticed; those that were stored
        for this file are restored afterwards.
        """
        self._matches.clear()
        self._replaced_checks = None  # not earlier: closing a file stores what the user checked
        self._pause.stop()
        offered = self.session.contents.kinds
        form = self._form
        example = self.session.contents.example or FormContext.example
        form.set_context(replace(form.context, kinds=tuple(offered), example=example))
        form.reset()
        # In a separate slot: with 100,000 tensors, both parts together take too long.
        self._opened.start()

    def _on_form_changed(self, request: FormRequest | None) -> None:
        """Emit `changed` with the step of the request, or its error.

        This waits for a pause while the user types a pattern that matches nothing yet.
        """
        if self._opened.isActive():  # the user was faster
            self._opened.stop()
            self._checks_pause.start()
        self._untouched = None
        if not any(form.takes_mask for rule in self._form.rules if (form := rule.form())):
            self._restore_checks()
        if self._form.names_tensors and self._matches_nothing(request):
            self._pause.start()
        else:
            self._pause.stop()
            self.changed.emit(self._step_or_error_of(request))

    def _matches_nothing(self, request: FormRequest | None) -> bool:
        if request is None or self.session.document is None:
            return False
        named = [row for row in request.rows if (row.pattern, row.kind) != ("", "")]
        return any(isinstance(self._match(row), SelectionError) for row in named)

    def _on_first_settled(self) -> None:
        self._untouched = self._current_input()
        self.update_context()
        self.opened.emit()

    def _on_settled(self) -> None:
        self.update_context()
        # The initial check marks of a file also start the timer.
        if self._opened.isActive() or self._untouched == self._current_input():
            return
        self._untouched = None
        self._request_step()

    def _current_input(self) -> tuple[FormRequest | None, tuple[str, ...]]:
        return self._form.request(), tuple(self._tree.checked_names())

    def update_context(self) -> None:
        """Set the context of the form: shape, kind and weights left of the checked tensors.

        Does nothing without a document.
        """
        document = self.session.document
        if document is None:
            return
        rows, masks = self._tree.checked_rows(), document.masks
        kinds = {row.kind for row in rows}
        kind = kinds.pop() if len(kinds) == 1 else ""
        shape: tuple[int, ...] = ()
        shapes = {row.shape for row in rows}
        if len({len(each) for each in shapes}) == 1:
            sizes = zip(*shapes, strict=True)
            shape = tuple(s[0] if len(set(s)) == 1 else -1 for s in sizes)
        left = sum([row.numel for row in rows])  # a list, which is faster for 100,000 tensors
        if masks:
            left -= sum(masks.counts([row.name for row in rows]))
        form = self._form
        form.set_context(replace(form.context, shape=shape, kind=kind, left=left))

    # -- masks, scores and statistics from files --------------------------------------------------

    def load_masks(self) -> None:
        """Ask the user for a file, and request to prune what its masks prune."""
        self._ask_file("masks", requests=True)

    def load_scores(self) -> None:
        """Ask the user for a file, and request to rank weights by its scores."""
        self._ask_file("scores", requests=True)

    def _ask_file(self, kind: str, *, requests: bool = False) -> None:
        titles = {
            "masks": self.tr("Load masks"),
            "scores": self.tr("Load importance scores"),
            "statistics": self.tr("Load activation statistics"),
        }
        folder = self.session.folder("mask")
        name, _ = QFileDialog.getOpenFileName(self._window, titles[kind], str(folder))
        if name:
            self.session.note_folder("mask", Path(name))
            self.load(kind, Path(name), requests=requests)

    @flow
    def load(self, kind: str, path: Path, *, requests: bool = False) -> Flow[None]:
        """Load a file of "masks", "scores" or "statistics", in place of the one loaded before.

        `requests`: also request a method that uses masks or scores. The step is requested again in
        any case. If the file cannot be used, an error is shown, and what was loaded before is kept.
        """
        checkpoint = self.document.checkpoint
        if kind == "masks":
            masks = yield from RunJob(
                self.tr("Reading masks"), partial(_read_masks, checkpoint, path)
            )
            self.set_masks(masks, path.name, requests=requests)
        elif kind == "scores":
            scores = yield from RunJob(
                self.tr("Opening scores"), lambda job: open_checkpoint(path, job=job)
            )
            self._close_scores()
            self.scores = scores
            if requests:
                self._request_scored()
            self._set_context(replace(self._form.context, scores_file=path.name))
        else:
            name = yield from RunJob(
                self.tr("Opening statistics"), partial(_register_statistics, checkpoint, path)
            )
            self._set_statistics(name, path)
            self._request_step()

    def _set_statistics(self, name: str, path: Path) -> None:
        """Use registered statistics, and show where they came from."""
        self.statistics, self.statistics_path = name, path.absolute()
        origin = statistics_of(name).origin
        source = origin.name or _source_text(origin.source)
        about = [str(self.statistics_path), name.replace(SHA256, "SHA-256: ")]
        if source:
            text = self.tr("Collected with {source}, {date}.")
            about.insert(1, text.format(source=source, date=origin.date.replace("T", " ")[:16]))
        context = replace(
            self._form.context,
            statistics_file=with_note(path.name, self.tr("inputs: {source}").format(source=source))
            if source
            else path.name,
            statistics_about="\n".join(about),
        )
        self._form.set_context(context)

    def methods(self) -> tuple[str, ...]:
        """Return the names of the methods of the rules in use."""
        return tuple(form.name for rule in self._form.used if (form := rule.form()) is not None)

    # -- session files ----------------------------------------------------------------------------

    def read(self) -> Mapping[str, Any]:
        """Return the loaded statistics, to be stored in a session file; empty for none."""
        if self.statistics_path is None:
            return {}
        origin = statistics_of(self.statistics).origin
        kept = {"path": str(self.statistics_path), "sha256": self.statistics.removeprefix(SHA256)}
        return {STATISTICS.name: {**kept, "source": origin.source, "date": origin.date}}

    def show(self, view: Mapping[str, Any]) -> None:
        """Load the statistics that `read` returned; invalid data is ignored."""
        kept = view.get(STATISTICS.name)
        if isinstance(kept, Mapping):
            self._load_kept(str(kept.get("path", "")), f"{SHA256}{kept.get('sha256')}")

    @flow
    def _load_kept(self, path: str, name: str) -> Flow[None]:
        """Load the statistics of a session; show a notice if the file is missing or has changed."""
        checkpoint = self.document.checkpoint
        text = self.tr(
            "The statistics file of this session, {path}, no longer exists. Collect the "
            "statistics again, or load another file."
        )
        try:
            found = yield from RunJob("", partial(_register_kept, checkpoint, Path(path)))
        except PruneAppError:
            pass
        else:
            if found == name:
                self._set_statistics(found, Path(path))
                self._renew()
                return
            text = self.tr(
                "The statistics file of this session, {path}, has changed. Load it again to use it."
            )
        self._notifications.show_info(NoticeTopic.STATISTICS, text.format(path=path))

    def set_masks(self, masks: Mapping[str, BitMask], file: str, *, requests: bool = True) -> None:
        """Set the masks and the name of their file; `requests`: also request to apply them."""
        self.masks = masks
        if requests:
            self.request_masked(list(masks))
        self._set_context(replace(self._form.context, mask_file=file))

    def _set_context(self, context: FormContext) -> None:
        """Show the names of loaded files, and request the step, which may use them."""
        self._form.set_context(context)
        self._request_step()

    def _drop_files(self) -> None:
        """Close everything that was loaded; files that steps of the history use stay open."""
        self.masks, self.statistics, self.statistics_path = None, "", None
        self._close_scores()
        context = self._form.context
        context = replace(context, mask_file="", scores_file="")
        self._set_context(replace(context, statistics_file="", statistics_about=""))

    def _close_scores(self) -> None:
        if self.scores is not None:
            self.scores.close()
        self.scores = None

    def request_masked(self, names: Sequence[str]) -> None:
        """Request to prune what loaded masks prune, and check only these tensors.

        The user's check marks are restored once no rule takes masks any more.
        """
        self._request_method("custom_from_mask")
        self._restore_checks()  # restore the user's check marks, not those set for other masks
        before = frozenset(self._tree.checked_names())
        self._tree.set_checked(names)
        self._replaced_checks = before, frozenset(self._tree.checked_names())

    def user_checks(self) -> tuple[str, ...]:
        """Return the tensors that the user checked, in the order of the file.

        While loaded masks set the check marks, these are the former ones with the user's changes
        since.
        """
        now = self._tree.checked_names()
        if self._replaced_checks is None:
            return now
        before, masked = self._replaced_checks
        # including changes by the user since then
        meant = (before | set(now) - masked) - (masked - set(now))
        # From the tree, because the document is already closed when this is stored.
        return tuple([row.name for row in self._tree.model.nodes.rows if row.name in meant])

    def _restore_checks(self) -> None:
        if self._replaced_checks is not None:
            self.check(self.user_checks())

    def _request_scored(self) -> None:
        """Request L1 unstructured for the checked tensors, unless a rule takes scores already."""
        request = self._form.request()
        rows = () if request is None else request.rows
        if not any(registry.get(row.method).takes_scores for row in rows):
            self._request_method("l1_unstructured")
            self._restore_checks()

    def _request_method(self, method: str) -> None:
        self._form.set_request(FormRequest((FormRow("", "", method, {}),)))


def _read_masks(checkpoint: Checkpoint, path: Path, job: Job) -> Mapping[str, BitMask]:
    with open_checkpoint(path, job=job) as masks:
        return read_masks_for(checkpoint, names_in(masks, checkpoint), masks, job)


def _register_statistics(checkpoint: Checkpoint, path: Path, job: Job) -> str:
    """Open a file of statistics; return its name, or raise an error if it does not fit."""
    name = register_statistics(path, job)
    statistics_of(name).refuse_other(checkpoint, job)
    return name


def _register_kept(checkpoint: Checkpoint, path: Path, job: Job) -> str:
    """Register the statistics file that a session names; raise an error unless it is a local file.

    Sessions come from anywhere: a device or an address on the network must not be read for them.
    """
    if is_store(path) or not is_file(path):
        raise ParameterError(f"There is no file '{path}'.")
    return _register_statistics(checkpoint, path, job)


def _source_text(source: str) -> str:
    """Return the kind of inputs of statistics as text; empty if unknown."""
    return {
        "calibrate": translate("DataKind", "a script"),
        "text": translate("DataKind", "a text"),
        "images": translate("DataKind", "images"),
        "random tokens": translate("DataKind", "random token IDs"),
        "random inputs": translate("DataKind", "random inputs"),
        "imatrix": translate("DataKind", "an imatrix"),
    }.get(source, "")


def dependents_key(rows: Sequence[Row], limits: Limits) -> tuple[object, ...]:
    """Return the key of the tensors that depend on those pruned by a step with these rules.

    Steps with equal keys have the same dependents.
    """
    channels = ((row.names, row.values.get("dim")) if takes_channels(row) else () for row in rows)
    names = ((row.names, axis_of(row)) for row in rows) if len(rows) > 1 else ()
    return (*channels, *names, limits.exclude)


def _form(method: Method) -> MethodForm:
    """Return what the form shows of a method, translated, without its parameters for files."""
    shared = {f.name: getattr(method, f.name) for f in fields(MethodForm) if f.name != "excludes"}
    # Files are not parameters of the form: one file is loaded for all rules.
    shared["params"] = tuple(
        translate_param(p) for p in method.params if not isinstance(p, FileParam)
    )
    shared |= {"label": translate_declared(method.label), "help": translate_declared(method.help)}
    return MethodForm(**shared, excludes=not method.prunes)


def plain_form(request: FormRequest) -> dict[str, Any]:
    """Return the request as plain JSON, with only what is not at its default, for `read_form`.

    Empty if a method is not registered any more.
    """
    rules: list[dict[str, Any]] = []
    if any(row.method not in registry.METHODS for row in request.rows):
        return {}
    for row in request.rows:
        plain = Row((), row.method, row.values, row.pattern).to_dict()
        plain["configuration"] = {
            "values": plain["configuration"]["values"],
            **({"pattern": row.pattern} if row.pattern else {}),
            **({"kind": row.kind} if row.kind else {}),
        }
        rules.append(plain)
    return {
        "rules": rules,
        "scope": request.scope,
        **({"selected": request.selected} if request.selected else {}),
        **({"limits": dict(request.limits)} if request.limits else {}),
        **({"prune_bias_and_norm": True} if request.prune_bias_and_norm else {}),
        # Forms saved before this option existed do not prune dependents.
        **({"dependents": request.dependents} if any(map(_of_channels, request.rows)) else {}),
    }


def _rounds_as_export(row: FormRow) -> bool:
    return row.method in ROUNDED and row.values.get(MULTIPLE.name) == USUAL


def _of_channels(row: FormRow) -> bool:
    return registry.get(row.method).granularity == "channels"


def read_form(plain: object, kinds: Sequence[str]) -> FormRequest | None:
    """Return the request written by `plain_form`; None if it is invalid or impossible here.

    `kinds` are the kinds of layers of the open file: a rule for another one makes it impossible.
    Nothing is raised. Invalid options are replaced by defaults; rules, methods and limits are not.
    """
    if not isinstance(plain, Mapping) or not isinstance(plain.get("rules"), list):
        return None
    rows = []
    try:
        for rule in plain["rules"]:
            configuration = dict(rule["configuration"])
            kind = str(configuration.pop("kind", ""))
            row = Row.from_dict({**rule, "configuration": configuration})
            if kind and kind not in kinds:
                return None
            rows.append(FormRow(row.pattern, kind, row.method, dict(row.values)))
        given = dict(plain.get("limits", {}))
        valid = validate_all(LIMITS, given)
    except (ParameterError, TypeError, ValueError, KeyError):
        return None  # a method that is not registered, or a file changed by hand
    companions, selected = plain.get("prune_bias_and_norm") is True, plain.get("selected")
    dependents = plain.get("dependents", False if any(map(_of_channels, rows)) else None)
    if not isinstance(dependents, bool):
        dependents = None
    scope = "global" if plain.get("scope") == "global" else "local"
    limits = {name: valid[name] for name in given}
    if not isinstance(selected, int) or not 0 <= selected < len(rows):
        selected = 0
    request = FormRequest(tuple(rows), scope, limits, companions, dependents, selected)
    return request if rows else None
