"""From form and check marks to a step, and the files that it takes: masks, scores, statistics."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.document.selection import patterns_of, select
from pruneapp.document.step import Row, Step, takes_channels
from pruneapp.edits.existing_masks import names_in, read_masks_for
from pruneapp.errors import NothingToPruneError, ParameterError, PruneAppError, SelectionError
from pruneapp.gui.app.jobs import Jobs
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
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import registry
from pruneapp.methods.builtin.units import MULTIPLE, ROUNDED
from pruneapp.methods.coupled_units import USUAL
from pruneapp.methods.limits import LIMITS, Limits
from pruneapp.methods.method import Method, Scope
from pruneapp.params import STATISTICS, Amount, FileParam, validate_all
from pruneapp.progress import Job
from pruneapp.statistics.file import register as register_statistics
from pruneapp.statistics.file import statistics_of


def in_form_words(error: PruneAppError) -> PruneAppError:
    """Return an error that calls parameters by the labels of their fields."""
    params = chain(LIMITS, *(method.params for method in registry.METHODS.values()))
    return error.reworded(with_translated_labels(translate_sentence(error.sentence), params))


@dataclass(frozen=True, eq=False)
class FrozenExtras:
    """What a job is given of the extras."""

    masks: Mapping[str, BitMask] | None = None
    scores: Checkpoint | None = None


class LoadedMasks(QObject):
    """The loaded masks, scores and statistics of the open document."""

    changed = Signal()

    def __init__(self, session: OpenDocument, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._masks: Mapping[str, BitMask] | None = None
        self._scores: Checkpoint | None = None
        self.mask_file = ""
        self.scores_file = ""
        self.statistics = ""  # their name in a step: the SHA-256 of their file
        self.statistics_file = ""
        session.closed.connect(self.drop)

    def frozen(self, *, masks: bool = True, scores: bool = True) -> FrozenExtras:
        """Return what is loaded now, as far as it is wanted."""
        return FrozenExtras(self._masks if masks else None, self._scores if scores else None)

    def load_masks(self, path: Path, taken: Callable[[Sequence[str]], None] | None = None) -> None:
        """Read the masks of a file that fit the document; `taken` is told of which tensors."""
        document = self._session.document
        if document is None:
            return
        checkpoint = document.checkpoint

        def work(job: Job) -> Mapping[str, BitMask]:
            with open_checkpoint(path, job=job) as masks:
                return read_masks_for(checkpoint, names_in(masks, checkpoint), masks, job)

        def done(masks: Mapping[str, BitMask]) -> None:
            self.set_masks(masks, path.name, taken)

        self._session.work(self.tr("Reading masks"), work, done)

    def set_masks(
        self,
        masks: Mapping[str, BitMask],
        file: str,
        taken: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        """Take masks, and what the file is called that they are of; as `load_masks`."""
        self._masks, self.mask_file = masks, file
        if taken is not None:
            taken(list(masks))
        self.changed.emit()

    def load_scores(self, path: Path, taken: Callable[[], None] | None = None) -> None:
        """Open a file of importance scores; `taken` is told once they are loaded."""
        document = self._session.document

        def done(scores: Checkpoint) -> None:
            if self._session.document is not document:
                scores.close()  # nobody wants them any more
                return
            self._drop_scores()
            self._scores, self.scores_file = scores, path.name
            if taken is not None:
                taken()
            self.changed.emit()

        self._jobs.submit(
            self.tr("Opening scores"),
            lambda job: open_checkpoint(path, job=job),
            on_result=done,
            on_error=self._session.refused.emit,
        )

    def load_statistics(self, path: Path) -> None:
        """Open a file of statistics of activations; those of another checkpoint are refused."""
        document = self._session.document
        if document is None:
            return
        checkpoint = document.checkpoint

        def work(job: Job) -> str:
            name = register_statistics(path, job)
            statistics_of(name).refuse_other(checkpoint, job)
            return name

        def done(name: str) -> None:
            if self._session.document is document:
                self.statistics, self.statistics_file = name, path.name
                self.changed.emit()

        self._jobs.submit(
            self.tr("Opening statistics"),
            work,
            on_result=done,
            on_error=self._session.refused.emit,
        )

    def drop(self) -> None:
        """Forget everything that was loaded; what steps of the history name stays open."""
        self._masks, self.mask_file = None, ""
        self.statistics = self.statistics_file = ""
        self._drop_scores()
        self.changed.emit()

    def _drop_scores(self) -> None:
        if self._scores is not None:
            self._scores.close()
        self._scores, self.scores_file = None, ""


# A check mark on a module sets many in one go; the form follows once they have settled.
SETTLE_MS = 30
# While a pattern is typed it matches nothing half of the time: that is said after a pause.
PAUSE_MS = 400
# Of the tensors that a rule leaves out, as many are named in a tooltip.
MOST_NAMED = 20


@dataclass(frozen=True)
class RuleMatches:
    """What a rule that names its tensors by patterns, or by a kind of layer, finds in the file."""

    names: tuple[str, ...]  # of a pattern those that a check mark of a module reaches, if any
    left: tuple[str, ...] = ()  # the others that match and could be pruned


class FormController(QObject):
    """Reads the tree and the form, and tells the form what it is about."""

    changed = Signal()  # another step is requested
    opened = Signal()  # of a file that was opened: nobody requested anything yet

    def __init__(
        self,
        session: OpenDocument,
        tree: ModuleTree,
        form: PruneForm,
        extras: LoadedMasks,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._tree = tree
        self._compared: list[tuple[str, ...]] = []  # with what is checked
        self._form = form
        self._extras = extras
        self._window = window
        # What stood there when the file was opened, as long as the person requested nothing else.
        self._untouched: tuple[FormRequest | None, tuple[str, ...]] | None = None
        # What depends on the tensors of a step, and of which; of which the last step was, and
        # whether that prunes them as well.
        self._dependents: tuple[tuple[object, ...] | None, FormDependents | None] = (None, None)
        self._about: tuple[object, ...] = ()
        self._taken = False
        # What the export of shrunk models rounds up to a multiple of; None for what is usual.
        self._multiple: int | None = None
        # What `prepare` made of the form, and what it asked for before.
        self._prepared: FormRequest | None = None
        self._replaced: FormRequest | None = None
        # The pattern of the rule of the last `prepare`, and the data by which it was chosen.
        self._chosen_by: tuple[str, tuple[str, ...]] = "", ()
        # Of the rules, by pattern and kind: what they match, or why that is nothing.
        self._matches: dict[tuple[str, str], RuleMatches | SelectionError] = {}
        # The check marks of the person, and those that loaded masks set in their place.
        self._set_aside: tuple[frozenset[str], frozenset[str]] | None = None
        self._checks_pause = single_shot(self, SETTLE_MS, self._on_settled)
        tree.checkedChanged.connect(self._checks_pause.start)
        self._opened = single_shot(self, 0, self._on_first_settled)
        self._pause = single_shot(self, PAUSE_MS, self.changed)
        form.changed.connect(self._on_form_changed)
        for asked, title, load in (
            (form.maskFileRequested, self.tr("Load masks"), extras.load_masks),
            (form.scoresFileRequested, self.tr("Load importance scores"), extras.load_scores),
            (
                form.statisticsFileRequested,
                self.tr("Load statistics of activations"),
                extras.load_statistics,
            ),
        ):
            asked.connect(partial(self._ask_file, title, load))
        extras.changed.connect(self._on_extras)
        session.opened.connect(self._on_opened)
        self.offer_methods()
        form.set_limits(tuple(map(translate_param, LIMITS)))

    def step(self) -> Step:
        """Return the step of the form; raises `PruneAppError` if there is none."""
        request = self._form.request()
        if request is None or self._session.document is None:
            errors = self._form.errors()
            if not errors:
                raise ParameterError("No checkpoint is open.")
            # Not twice: the field says what its rule is.
            raise ParameterError(self._form.errors_beside_fields().get(errors[0], errors[0]))
        rows = [
            Row(names, row.method, self._values(row), row.pattern or row.kind)
            for row, names in zip(request.rows, self._named(request.rows), strict=True)
        ]
        scope: Scope = "global" if request.scope == "global" else "local"
        limits = self._limits(request)
        self._about, self._taken = about_dependents(rows, limits), False
        if any(map(takes_channels, rows)):
            self._taken = self._takes_dependents(request.dependents)
        pattern, data = self._chosen_by
        chosen = [row.pattern for row in request.rows] == [pattern]
        return Step(
            tuple(rows),
            scope,
            limits,
            request.companions,
            dependents=self._taken,
            data=data if chosen else (),
        )

    def set_dependents(
        self, about: tuple[object, ...] | None, found: FormDependents | None
    ) -> None:
        """Take what depends on what a step prunes, `about_dependents` of its rows and limits.

        None if that is not known. Another step may be requested by it.
        """
        self._dependents = about, found
        self._form.dependents.set_found(found)
        request = self._form.request()
        if self._untouched is not None or request is None or about is None or about != self._about:
            return
        if self._takes_dependents(request.dependents) != self._taken:
            self.changed.emit()

    def _takes_dependents(self, choice: bool | None) -> bool:
        about, found = self._dependents
        if found is None or about != self._about:  # it will be known soon
            return choice is True
        return found.in_force(choice)

    def _values(self, row: FormRow) -> Mapping[str, Any]:
        """Return the values of a rule, with the file that it takes and the export's multiple."""
        values = dict(row.values)
        if registry.get(row.method).needs_statistics(row.values):
            values[STATISTICS.name] = self._extras.statistics
        if self._multiple is not None and _rounds_as_export(row):
            values[MULTIPLE.name] = str(self._multiple)
        return values

    def set_multiple(self, multiple: int | None) -> None:
        """Set what "As the export" rounds up to a multiple of; None for what is usual."""
        if multiple == self._multiple:
            return
        self._multiple = multiple
        request = self._form.request()
        if request is not None and any(map(_rounds_as_export, request.rows)):
            self._pause.start()

    def flush(self) -> None:
        """Take what is typed and checked as it stands, without waiting for a pause."""
        if self._checks_pause.isActive():
            self._checks_pause.stop()
            self._on_settled()
        if self._pause.isActive():
            self._pause.stop()
            self.changed.emit()

    def set_amount(self, rule: int, amount: Amount) -> None:
        """Set the amount of a rule, as if it was typed."""
        self._form.set_amount(amount, rule)
        self.changed.emit()

    def set_total(self, total: int) -> None:
        """Set the total, as if it was typed."""
        self._form.set_limit("total", total)
        self.changed.emit()

    def _limits(self, request: FormRequest) -> Limits:
        try:
            return Limits(**request.limits)
        except ParameterError as error:
            self._form.limits.set_error(translate_error(error))
            raise

    def check_usual(self) -> None:
        """Check the tensors that are meant if nothing is said."""
        self.check([r.name for r in self._session.rows if r.by_default])

    def check(self, names: Sequence[str]) -> None:
        """Check exactly these tensors."""
        self._set_aside = None
        self._tree.set_checked(names)
        self._checks_pause.start()

    def prepare(
        self, name: str, method: str, values: Mapping[str, Any], *, data: tuple[str, ...] = ()
    ) -> None:
        """Ask for one rule for one tensor and nothing else; the check marks stay as they are.

        `restore` brings back what was asked for before. `data` names the data by which the values
        were chosen; the step names it as long as its only rule is for this tensor.
        """
        if not self.is_prepared:
            self._replaced = self._form.corrected()
        pattern = re.sub(r"[*?\[,]", r"[\g<0>]", name)
        row = FormRow(pattern, "", method, values)
        self._chosen_by = pattern, data
        self._set_request(FormRequest((row,), dependents=False))
        self._prepared = self._form.request()

    @property
    def is_prepared(self) -> bool:
        """Whether the form asks for what `prepare` made of it."""
        return self._prepared is not None and self._form.request() == self._prepared

    def restore(self) -> None:
        """Ask for what the form asked for before `prepare`."""
        if self._replaced is not None:
            self._set_request(self._replaced)
            self._replaced = self._prepared = None

    def _set_request(self, request: FormRequest) -> None:
        self._form.set_request(request)
        self._untouched = None
        self._on_form_changed()

    def reset(self) -> None:
        """Go back to the form as it was at first."""
        self._form.reset()
        self._put_marks_back()
        self._extras.drop()  # another step is requested by that

    def offer_methods(self) -> None:
        """Offer every method of the registry."""
        self._form.set_methods([_form(m) for m in registry.METHODS.values()])

    def _named(self, rows: Sequence[FormRow]) -> list[tuple[str, ...]]:
        """Return the tensors of each rule, and say beside the rules what they match."""
        named = []
        refused: SelectionError | None = None
        for place, row in enumerate(rows):
            target = row.pattern, row.kind
            if target == ("", ""):
                checked = self._tree.checked()
                self._form.set_matches(
                    place,
                    None,
                    error="" if checked else translate_sentence("No tensor is checked."),
                )
                named.append(checked)
                continue
            matches = self._match(row)
            if isinstance(matches, SelectionError):
                # Beside the field it is plain of which file, and there are two lines.
                document = self._session.document
                file = "" if document is None else document.checkpoint.path.name
                sentence = matches.sentence.replace(f" in '{file}'", "")
                error_text = translate_error(matches.reworded(sentence))
                rule = self._form.used[place]
                number = self._form.number_of(rule)
                if self._form.set_matches(place, 0, error=error_text):
                    matches = SelectionError(self._form.invalid(rule))  # not twice
                elif number:
                    sentence = f"Rule {number}: {matches.sentence}"
                    matches = SelectionError(sentence, remedy=matches.remedy)
                refused = refused or matches
                continue
            shown = [self._session.by_name[name].shown for name in matches.left[:MOST_NAMED]]
            self._form.set_matches(place, len(matches.names), len(matches.left), shown)
            named.append(matches.names)
        targets = {(row.pattern, row.kind) for row in rows}
        self._matches = {at: one for at, one in self._matches.items() if at in targets}
        if refused is not None:
            raise refused
        if not all(named):  # rules that name their tensors have some
            several = len(rows) > 1
            raise self._nothing_checked(named.index(()) + 1 if several else 0)
        if named != self._compared:  # not at each move of a slider
            self._compared = named
            own = frozenset(self._tree.checked())
            self._tree.set_others(any(not own.issuperset(names) for names in named))
        return named

    def _match(self, row: FormRow) -> RuleMatches | SelectionError:
        """Return what a rule matches, or why that is nothing; looked up once."""
        target = row.pattern, row.kind
        if target not in self._matches:  # a slider asks with each move
            try:
                self._matches[target] = self._matching(row)
            except SelectionError as error:
                self._matches[target] = error.with_traceback(None)
        return self._matches[target]

    def _matching(self, row: FormRow) -> RuleMatches:
        document = self._session.document
        assert document is not None
        by_name = self._session.by_name
        if row.kind:
            matched = [
                r
                for r in self._session.rows
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
        """Say why one of several rules, by its number, or the only one (0) has no tensors."""
        rows = self._session.rows
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
        self._matches.clear()
        self._set_aside = None  # not before: what was checked is kept when a file is closed
        self._pause.stop()
        offered = self._session.contents.kinds
        form = self._form
        example = self._session.contents.example or FormContext.example
        form.set_context(replace(form.context, kinds=tuple(offered), example=example))
        request = form.request()
        if request is not None and any(
            row.kind and row.kind not in offered for row in request.rows
        ):
            self._form.reset()  # rules for layers that this file has not
        # In a slot of its own: with 100,000 tensors the two together take too long for one.
        self._opened.start()

    def _on_form_changed(self) -> None:
        if self._opened.isActive():  # the person was faster
            self._opened.stop()
            self._checks_pause.start()
        self._untouched = None
        if not any(form.takes_mask for rule in self._form.rules if (form := rule.form())):
            self._put_marks_back()
        if self._form.names_tensors and self._matches_nothing():
            self._pause.start()
        else:
            self._pause.stop()
            self.changed.emit()

    def _matches_nothing(self) -> bool:
        request = self._form.request()
        if request is None or self._session.document is None:
            return False
        named = [row for row in request.rows if (row.pattern, row.kind) != ("", "")]
        return any(isinstance(self._match(row), SelectionError) for row in named)

    def _on_first_settled(self) -> None:
        self._untouched = self._asked()
        self.update_context()
        self.opened.emit()

    def _on_settled(self) -> None:
        self.update_context()
        # The check marks of the file itself settle as well.
        if self._opened.isActive() or self._untouched == self._asked():
            return
        self._untouched = None
        self.changed.emit()

    def _asked(self) -> tuple[FormRequest | None, tuple[str, ...]]:
        return self._form.request(), tuple(self._tree.checked())

    def update_context(self) -> None:
        """Tell the form what is checked: shapes, kinds, how much is left."""
        document = self._session.document
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
        left = sum([row.numel for row in rows])  # a list: there may be 100,000 of them
        if masks:
            left -= sum(masks.counts([row.name for row in rows]))
        form = self._form
        form.set_context(replace(form.context, shape=shape, kind=kind, left=left))

    def _on_extras(self) -> None:
        form, extras = self._form, self._extras
        files = replace(
            form.context,
            mask_file=extras.mask_file,
            scores_file=extras.scores_file,
            statistics_file=extras.statistics_file,
        )
        form.set_context(files)
        self.changed.emit()

    def load_masks(self) -> None:
        """Let the person choose a file, and ask to prune what its masks prune."""
        name = self._chosen_file(self.tr("Load masks"))
        if name and self._session.document is not None:
            self._extras.load_masks(Path(name), self.ask_for_masked)

    def ask_for_masked(self, names: Sequence[str]) -> None:
        """Ask for what loaded masks prune; their tensors are checked as long as that is asked."""
        self._want("custom_from_mask")
        self._put_marks_back()  # those of the person, not of other masks
        before = frozenset(self._tree.checked())
        self._tree.set_checked(names)
        self._set_aside = before, frozenset(self._tree.checked())

    def checked(self) -> tuple[str, ...]:
        """Return what the person checked, also while loaded masks say what is checked."""
        now = self._tree.checked()
        if self._set_aside is None:
            return now
        before, masked = self._set_aside
        # With what the person changed since.
        meant = (before | set(now) - masked) - (masked - set(now))
        # Of the tree, as the document is gone when what was checked is kept.
        return tuple([row.name for row in self._tree.model.nodes.rows if row.name in meant])

    def _put_marks_back(self) -> None:
        if self._set_aside is not None:
            self.check(self.checked())

    def load_scores(self) -> None:
        """Let the person choose a file, and ask to rank weights by its numbers."""
        name = self._chosen_file(self.tr("Load importance scores"))
        if name and self._session.document is not None:
            self._extras.load_scores(Path(name), self._ask_for_scored)

    def _ask_for_scored(self) -> None:
        """Ask for a method that takes loaded scores, unless a rule has one."""
        request = self._form.request()
        rows = () if request is None else request.rows
        if not any(registry.get(row.method).takes_scores for row in rows):
            self._want("l1_unstructured")
            self._put_marks_back()

    def _chosen_file(self, title: str) -> str:
        """Return the file that the person chooses, "" for none."""
        document = self._session.document
        beside = Path.home() if document is None else document.checkpoint.path.absolute().parent
        folder = self._session.folder("mask", beside)
        name, _ = QFileDialog.getOpenFileName(self._window, title, str(folder))
        if name:
            self._session.note_folder("mask", Path(name))
        return name

    def _want(self, method: str) -> None:
        self._form.set_request(FormRequest((FormRow("", "", method, {}),)))

    def _ask_file(self, title: str, load: Callable[[Path], None]) -> None:
        name = self._chosen_file(title)
        if name:
            load(Path(name))


def about_dependents(rows: Sequence[Row], limits: Limits) -> tuple[object, ...]:
    """Return what it depends on which tensors depend on those of a step."""
    channels = ((row.names, row.values.get("dim")) if takes_channels(row) else () for row in rows)
    names = (row.names for row in rows) if len(rows) > 1 else ()
    return (*channels, *names, limits.spare)


def _form(method: Method) -> MethodForm:
    shared = {f.name: getattr(method, f.name) for f in fields(MethodForm) if f.name != "excludes"}
    # Files have buttons of their own: one is loaded for all rules.
    shared["params"] = tuple(
        translate_param(p) for p in method.params if not isinstance(p, FileParam)
    )
    shared |= {"label": translate_declared(method.label), "help": translate_declared(method.help)}
    return MethodForm(**shared, excludes=not method.prunes)


def plain_form(request: FormRequest) -> dict[str, Any]:
    """Return what the form says as plain JSON; nothing of a method that is gone."""
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
        **({"companions": True} if request.companions else {}),
        # Forms that were saved before there was a choice asked for none.
        **({"dependents": request.dependents} if any(map(_of_channels, request.rows)) else {}),
    }


def _rounds_as_export(row: FormRow) -> bool:
    return row.method in ROUNDED and row.values.get(MULTIPLE.name) == USUAL


def _of_channels(row: FormRow) -> bool:
    return registry.get(row.method).granularity == "channels"


def read_form(plain: object, kinds: Sequence[str]) -> FormRequest | None:
    """Return what `plain_form` wrote; None if it says nothing, or what cannot be asked for here.

    `kinds` are the kinds of layers that there are.
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
        return None  # a method that is not loaded, or a file that somebody changed
    companions, selected = plain.get("companions") is True, plain.get("selected")
    dependents = plain.get("dependents", False if any(map(_of_channels, rows)) else None)
    if not isinstance(dependents, bool):
        dependents = None
    scope = "global" if plain.get("scope") == "global" else "local"
    limits = {name: valid[name] for name in given}
    if not isinstance(selected, int) or not 0 <= selected < len(rows):
        selected = 0
    request = FormRequest(tuple(rows), scope, limits, companions, dependents, selected)
    return request if rows else None
