"""A state together with its structure and dead units, and the plan of a cut on request.

Units that the user chose to remove are first pruned in all their tensors, in a temporary copy of
the state. After that they are dead, and are cut like the units that were dead before.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import CheckpointError, PruneAppError, first_names
from pruneapp.export.rounding import KEEP
from pruneapp.groups.axis import Axis
from pruneapp.groups.family import AxisName
from pruneapp.groups.group import USUAL_MULTIPLES, Group
from pruneapp.groups.structure import Structure, Unknown, structure_of
from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.values import Float64s
from pruneapp.params import percent
from pruneapp.progress import Job
from pruneapp.shrink.cut import ShrinkError
from pruneapp.shrink.plan import Choices, ShrinkPlan, Survey, plan, survey
from pruneapp.shrink.tokens.vocabulary import (
    Vocabulary,
    VocabularyCut,
    cut_surplus,
    cut_tokens,
    read_vocabulary,
)
from pruneapp.shrink.unit_choice import (
    choose_units,
    prune_layers,
    prune_units,
    ranking_by,
    size_for_share,
    widths_for_share,
)

Scores = Mapping[str, Float64s]
# Axes whose units are pruned before the cut, in this order: units of an axis are ranked after those
# of the previous axes were pruned.
_PRUNED: tuple[AxisName, ...] = ("ffn", "channels", "kv-groups", "query-heads")


# Means the rows of an embedding after the last token.
TRAILING = "trailing"
# Default ranking of units: a norm over all their tensors.
USUAL_NORM = "l2"


@dataclass(frozen=True)
class CutRequest:
    """The units to cut in addition to dead ones.

    Attributes
    ----------
    kept
        Number of units to keep, by axis name; the lowest-ranked are cut.
    layers
        Numbers of the layers to cut, in every stack.
    multiple
        Multiple to which the number of FFN neurons, channels or tokens is rounded up; None for the
        default of each.
    write_as
        Another model type to write; empty to keep the type.
    vocabulary
        `TRAILING`, or the path of a list of ids to keep; empty for all, or if there are texts.
    texts
        Paths of texts whose tokens are kept.
    by
        Ranking of units: a name used by the methods on units, or the path of a file of scores or
        statistics.
    statistics
        Path of the statistics that the ranking needs; empty for none.
    force_statistics
        Whether statistics of another checkpoint may be used.
    shares
        Share to cut from each group, from 0 to 1, by axis name: for axes whose groups differ in
        width.
    dtype
        A value of `pruneapp.export.rounding.DTYPE`: that of the written weights.
    """

    kept: Mapping[str, int] = field(default_factory=dict)
    layers: tuple[int, ...] = ()
    multiple: int | None = None
    write_as: str = ""
    vocabulary: str = ""
    texts: tuple[str, ...] = ()
    by: str = USUAL_NORM
    statistics: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)
    force_statistics: bool = False
    dtype: str = KEEP

    def identity(self) -> str:
        """Return text that is equal for equal requests, as long as the files they name are."""
        stamps = []
        for path in (self.by, self.statistics, self.vocabulary, *self.texts):
            with contextlib.suppress(OSError):  # not a path
                if path:
                    found = Path(path).stat()
                    stamps.append((found.st_size, found.st_mtime_ns))
        return json.dumps([asdict(self), stamps], sort_keys=True)


@dataclass(frozen=True, eq=False)
class Tokens:
    """The vocabulary of a model, and which tokens to keep.

    Attributes
    ----------
    asked
        The part of the request that this is computed from; see `_token_request`.
    vocabulary
        The vocabulary in the model's folder; None if it cannot be used.
    surplus
        Number of rows of the embedding after the last token.
    cut
        Tokens to keep; None if nothing was requested.
    error
        Why the request, or any cut of the vocabulary, is impossible; None if it is possible.
    """

    asked: tuple[Any, ...]
    vocabulary: Vocabulary | None = None
    surplus: int = 0
    cut: VocabularyCut | None = None
    error: PruneAppError | None = None


@dataclass(frozen=True, eq=False)
class SurveyedState:
    """A state with its structure and its dead units."""

    state: Snapshot
    structure: Structure
    found: Survey
    tokens: Tokens | None = None  # None until `with_tokens` computes it

    def axis(self, name: AxisName) -> Axis:
        """Return an axis that can be cut. Raises `ShrinkError` if it cannot."""
        return axis_of(self.structure, name)

    def remaining_groups(self, axis: Axis, request: CutRequest) -> list[Group]:
        """Return the groups of an axis outside of removed layers.

        Layers are removed by the request, or because they do nothing.
        """
        stacks = self.structure.axes.get("layers")
        removed_prefixes = tuple(
            f"{stack.prefix}{number}."
            for stack in (() if stacks is None else stacks.groups)
            for number in {*request.layers, *self.found.silent[stack.place]}
        )
        return [group for group in axis.groups if not group.place.startswith(removed_prefixes)]

    def with_tokens(self, request: CutRequest, job: Job) -> SurveyedState:
        """Return a copy with the tokens for a request; itself if it has them.

        The vocabulary is read once for all requests. An impossible request raises nothing, see
        `Tokens.error`.
        """
        if self.tokens is not None and self.tokens.asked == _token_request(request):
            return self
        known = None if self.tokens is None else self.tokens.vocabulary
        return replace(self, tokens=_tokens(self.structure, request, known, job))

    def prune_chosen(
        self,
        request: CutRequest,
        score: Callable[[Snapshot, Axis], Scores],
        job: Job,
        *,
        counted: bool = False,
    ) -> tuple[Snapshot, Survey, Choices]:
        """Choose the units to remove, and prune them in a copy of the state.

        Parameters
        ----------
        score
            Returns the importance of the units of an axis in a state, by the `place` of the group.
        counted
            Only count the units: the returned state is then the unchanged one.

        Returns
        -------
        tuple
            The state with the chosen units pruned, the dead units in it, and all other choices.

        Raises
        ------
        ShrinkError
            If the request does not fit the model.
        PruneAppError
            If the texts of the request cannot be used (see `pruneapp.shrink.tokens.text_tokens`).
        """
        state, found = self.state, self.found
        changed: set[AxisName] = set()
        for name in _PRUNED:
            if name not in request.kept and name not in request.shares:
                continue
            axis = self.axis(name)
            group_sizes = list(self._group_sizes(axis, request))
            scores = score(state, replace(axis, groups=tuple(group for group, _ in group_sizes)))
            to_prune = choose_units(state, group_sizes, scores, found, job)
            if any(units.size for _, units in to_prune):
                changed.add(name)
            found = found.without(to_prune)
            if not counted:
                state = prune_units(state, to_prune, job)
        if request.layers and not counted:
            state = prune_layers(state, self.axis("layers"), request.layers, job)
        experts = request.kept.get("experts")
        return state, found, self._choices(request, changed, experts, score, job)

    def plan_cut(
        self, request: CutRequest, kernel: Kernel, job: Job
    ) -> tuple[Snapshot, ShrinkPlan]:
        """Prune the requested units and plan the cut. Return the pruned state and the plan.

        Opens the files that the ranking needs, and closes them. Raises as `ranking_by`,
        `prune_chosen` and `plan` do.
        """
        statistics, forced = request.statistics or None, request.force_statistics
        with ranking_by(request.by, statistics, kernel, job, forced=forced) as score:
            state, found, choices = self.prune_chosen(request, score, job)
        made = plan(state, self.structure, choices, job, found)
        made = made.with_dtype(request.dtype, state.checkpoint)
        return state, replace(made, notices=(*self._rounding_notices(request), *made.notices))

    def _rounding_notices(self, request: CutRequest) -> Iterator[str]:
        """Yield a notice for each requested share that rounding changes."""
        for name in _PRUNED:
            share = request.shares.get(name)
            if share is None:
                continue
            axis = self.axis(name)
            groups = self.remaining_groups(axis, request)
            count = axis.count if axis.uniform else sum(group.count for group in groups)
            n_kept = sum(n for _, n in self._group_sizes(axis, request))
            if axis.uniform:
                n_kept = n_kept * axis.count // max(sum(group.count for group in groups), 1)
            cut, asked = count - n_kept, round(share * count)
            if cut != asked:
                yield (
                    f"{axis.label}: {cut:,} of {count:,} ({percent(cut / count)}) are cut "
                    f"instead of {asked:,} ({percent(share)}): the rest is rounded up to a "
                    f"multiple of {axis.multiple_words(request.multiple)}."
                )

    def _choices(
        self,
        request: CutRequest,
        changed: set[AxisName],
        experts: int | None,
        score: Callable[[Snapshot, Axis], Scores],
        job: Job,
    ) -> Choices:
        """Return the choices of a request, with scores of the experts and the tokens to keep.

        `changed` are the axes in which units were pruned, `experts` the number to keep or None.
        Raises the error of the tokens.
        """
        tokens = None
        if request.vocabulary or request.texts:
            tokens = self.with_tokens(request, job).tokens
            if tokens is not None and tokens.error is not None:
                raise tokens.error
        return Choices(
            request.multiple,
            request.layers,
            experts,
            {} if experts is None else score(self.state, self.axis("experts")),
            None if tokens is None else tokens.cut,
            frozenset(changed),
            request.write_as,
            request.kept,
        )

    def _group_sizes(self, axis: Axis, request: CutRequest) -> Iterator[tuple[Group, int]]:
        """Yield the remaining groups of an axis, and the number of units to keep in each.

        The request must have a number or a share of the axis. Raises `ShrinkError` if a share is
        too small to remove anything.
        """
        groups = self.remaining_groups(axis, request)
        share, kept = request.shares.get(axis.name), request.kept.get(axis.name)
        if share is not None:
            if not axis.uniform:
                some = replace(axis, groups=tuple(groups))
                widths = widths_for_share(some, share, request.multiple)
                yield from zip(groups, widths, strict=True)
                return
            multiple = request.multiple or axis.multiple
            kept = size_for_share(axis, self.structure, share, multiple)
        assert kept is not None
        for group in groups:
            yield group, kept * group.count // axis.count


def survey_state(state: Snapshot, job: Job) -> SurveyedState | Unknown:
    """Analyze the structure and the dead units of a state. Reads every member of a group.

    Returns `Unknown` if the structure of the model is not recognized.
    """
    structure = structure_of(state.checkpoint)
    if isinstance(structure, Unknown):
        return structure
    return SurveyedState(state, structure, survey(state, structure, job))


def axis_of(structure: Structure, name: AxisName) -> Axis:
    """Return an axis that has groups to cut. Raises `ShrinkError` if there are none."""
    axis = structure.axes.get(name)
    if axis is None or not axis.groups:
        why = axis.why_not if axis is not None else ""
        kind = f"type '{structure.model_type}'" if structure.model_type else "this kind"
        raise ShrinkError(why or f"A model of {kind} has no such units.")
    return axis


def _token_request(request: CutRequest) -> tuple[Any, ...]:
    """Return the part of a request that decides which tokens are kept."""
    chosen = bool(request.texts) or request.vocabulary not in {"", TRAILING}
    return request.vocabulary, request.texts, request.multiple if chosen else None


def _tokens(
    structure: Structure, request: CutRequest, vocabulary: Vocabulary | None, job: Job
) -> Tokens:
    """Return the tokens for a request, with the error if it is impossible; raises nothing for that.

    `vocabulary` is that of the folder if it is known already; None reads it.
    """
    request_key = _token_request(request)
    try:
        axis = axis_of(structure, "vocabulary")
        if vocabulary is None:
            vocabulary = read_vocabulary(structure.folder, job)
    except (CheckpointError, ShrinkError) as error:
        return Tokens(request_key, error=error)
    trailing = cut_surplus(vocabulary, structure.config, axis.count)
    known = Tokens(request_key, vocabulary, axis.count - trailing.kept.size)
    if request.vocabulary == TRAILING:
        return replace(known, cut=trailing)
    if not request.vocabulary and not request.texts:
        return known
    try:
        return replace(known, cut=_cut_tokens(structure, vocabulary, request, axis.count, job))
    except PruneAppError as error:
        return replace(known, error=error)


def _cut_tokens(
    structure: Structure, vocabulary: Vocabulary, request: CutRequest, rows: int, job: Job
) -> VocabularyCut:
    """Return the cut that keeps only the tokens of a file, or those that texts use.

    `rows` is the number of rows of the embedding. Raises `ShrinkError` if there are no tokens, and
    as the functions of `text_tokens` do.
    """
    from pruneapp.shrink.tokens.text_tokens import check_segmentation, read_ids, tokens_of

    texts = [Path(path) for path in request.texts]
    if request.vocabulary:
        token_ids = read_ids(Path(request.vocabulary), vocabulary.tokenizer, job)
    else:
        token_ids = tokens_of(vocabulary.tokenizer, texts, job)
    if not token_ids.size:
        raise ShrinkError(
            f"Nothing in {first_names([*map(str, request.texts)] or [request.vocabulary])} is a "
            f"token of '{vocabulary.tokenizer.where}', so no row of the embedding would be left.",
            remedy="Choose texts that the model is used with.",
        )
    multiple = request.multiple or USUAL_MULTIPLES["vocabulary"]
    cut = cut_tokens(vocabulary, structure.config, token_ids, rows, job, multiple=multiple)
    if texts:
        check_segmentation(vocabulary.tokenizer, cut, texts, job)
    return cut
