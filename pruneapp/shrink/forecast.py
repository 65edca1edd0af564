"""Forecast the sizes that result from a cut, and write a forecast cut.

All sizes depend only on the number of removed units, so a forecast neither ranks units nor reads
weights; it uses the survey of dead units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry, size_of
from pruneapp.checkpoint.formats.onnx import ONNX
from pruneapp.checkpoint.torchfile.exported_program import FORMAT
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import CheckpointError
from pruneapp.export.catalog import get, usual_format
from pruneapp.export.format import Format
from pruneapp.export.provenance import Provenance
from pruneapp.export.records import State
from pruneapp.export.report import CHANGES, EXACT, Exactness, ExportReport
from pruneapp.export.rounding import CONTAINER, DTYPE, KEEP, Rounding
from pruneapp.export.sharding import plan_weights
from pruneapp.groups.axis import Axis, fields_of
from pruneapp.groups.structure import Structure, Unknown
from pruneapp.kernels.kernel import Kernel
from pruneapp.methods.coupled_units import protected_units
from pruneapp.params import validate_all
from pruneapp.progress import Job
from pruneapp.shrink import configuration
from pruneapp.shrink.cut import Cut, ShrinkError, TensorCut
from pruneapp.shrink.plan import (
    AxisChange,
    OtherContents,
    ShrinkPlan,
    adjust_axis,
    legal_sizes,
    plan,
    units_to_keep,
)
from pruneapp.shrink.shrink import ShrinkRequest, plan_with_graph, shrink_checked
from pruneapp.shrink.shrunk_state import ShrunkState
from pruneapp.shrink.surveyed_state import (
    USUAL_NORM,
    CutRequest,
    Scores,
    SurveyedState,
    survey_state,
)
from pruneapp.shrink.unit_choice import WORDS, percents_of, read_scores
from pruneapp.statistics.file import holds_statistics

if TYPE_CHECKING:
    from pruneapp.shrink.check import How

# Text about which programs load a file with a graph, by format.
_GRAPH_LOADERS = {
    ONNX.name: "ONNX Runtime and any runtime that runs the original",
    FORMAT: "torch, with torch.export.load, and any runtime that runs the original",
}
# Axes that are cut to a number of units.
_NUMBERED = ("ffn", "kv-groups", "query-heads", "experts")
# Axes after whose cut the size of a head must be read from config.json, which not all programs do.
_OF_HEADS = ("kv-groups", "query-heads")
# Endings of the names of classes that predict tokens.
_HEADS = ("LM", "LMHeadModel", "ForConditionalGeneration", "MTModel")
_CACHED = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")
_CHOSEN = ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "top_k_experts")
# Parts of the names of tensors in layers that need no matrix product per token: embeddings of which
# a token uses one row, projections of positions, and biases of experts.
_NO_PRODUCTS = ("embed", "pos_key_proj", "pos_query_proj", "bias")
# Endings of the names of matrices that predict tokens, and of other matrices outside of layers that
# are applied to every token. Poolers and classifiers are applied once per text.
_PREDICT = (
    *("lm_head.weight", "embed_out.weight"),
    *("predictions.decoder.weight", "vocab_projector.weight"),
)
_PASSED = (
    *("predictions.transform.dense.weight", "predictions.dense.weight", "head.dense.weight"),
    *("vocab_transform.weight", "embeddings_project.weight", "embedding_hidden_mapping_in.weight"),
    *("project_in.weight", "project_out.weight", "feature_projection.projection.weight"),
    *("patch_embedding.weight", "patch_embeddings.projection.weight"),
)


@dataclass(frozen=True)
class AxisForecast:
    """The result of a cut for one axis.

    Attributes
    ----------
    before, after
        Units of a group; the sum over all groups if these differ in width.
    sizes
        Numbers of units that can be kept, ascending; the last is that after cutting dead units.
    percents
        If groups differ in width: shares of each group that can be cut, ascending, in percent,
        without those that remove only dead units.
    dead_percents
        If groups differ in width: lowest and highest share of dead units of a group, in percent.
    in_each
        Number of runs of units, each of which keeps the same number: query heads of key/value
        heads.
    exactness
        Effect of the requested cut.
    notices
        Remarks, a sentence each.
    why_not
        Why nothing of the axis can be cut, as a sentence; empty if something can.
    """

    name: str
    label: str
    before: int = 0
    after: int = 0
    sizes: tuple[int, ...] = ()
    percents: tuple[int, ...] = ()
    dead_percents: tuple[int, int] = (0, 0)
    in_each: int = 1
    exactness: Exactness = EXACT
    notices: tuple[str, ...] = ()
    why_not: str = ""


@dataclass(frozen=True)
class LayersForecast:
    """Layers that can be cut, numbered from 0; equal numbers of all stacks are cut together.

    Attributes
    ----------
    count
        Number of layers that can be selected: those of the shortest stack.
    gone
        Layers cut by the request.
    dead
        Those of them that have no effect on the output.
    fixed
        Layers that differ from the others and cannot be cut.
    """

    count: int = 0
    gone: frozenset[int] = frozenset()
    dead: frozenset[int] = frozenset()
    fixed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class ModelSize:
    """The size of a model.

    Attributes
    ----------
    nbytes
        Bytes of its written weights, including headers and index.
    parameters
        See `pruneapp.checkpoint.entry.size_of`.
    cache
        Bytes of cached keys and values per token; None for a model without such a cache.
    multiply_adds
        Per token, for all weights that it passes in encoder and decoder. Excludes attention scores,
        which grow with the text, and parts run once per text (pooler, classifier). None if matrices
        are packed or the configuration is missing.
    embeddings
        Number of parameters of the matrices with a row for each token: embeddings, and an output
        head that is not tied to them. 0 for a model without a vocabulary.
    """

    nbytes: int
    parameters: int
    cache: int | None
    multiply_adds: int | None
    embeddings: int = 0


@dataclass(frozen=True)
class ShrinkForecast:
    """The exact result of a cut, known before writing.

    Attributes
    ----------
    rounds
        Whether weights are rounded to another dtype.
    keeps_dtype
        Whether the dtype of the weights cannot be changed, as the file contains its graph.
    others
        Other contents of the opened file, of which the written file may have some.
    """

    request: CutRequest
    why_not: str = ""
    wrong: str = ""
    model_type: str = ""
    axes: tuple[AxisForecast, ...] = ()
    layers: LayersForecast = LayersForecast()
    write_as: str = ""
    surplus: int = 0
    usual_multiple: int = 0
    has_class: bool = True
    has_config: bool = True
    before: ModelSize | None = None
    after: ModelSize | None = None
    widths: tuple[tuple[str, int, int], ...] = ()
    config: tuple[str, ...] = ()
    loaded_by: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    rounds: bool = False
    keeps_dtype: bool = False
    others: OtherContents = field(default_factory=OtherContents)

    @property
    def is_empty(self) -> bool:
        """Whether no unit would be removed and no weight rounded."""
        return not self.rounds and not self.changes

    @property
    def changes(self) -> tuple[str, ...]:
        """What is removed from each axis, as text: ``FFN neurons 1,536 → 768``."""
        return tuple(_format_change(axis) for axis in self.axes if axis.after < axis.before)

    @property
    def has_dead_units(self) -> bool:
        """Whether units or layers are removed that are dead in the state itself."""
        return bool(self.layers.dead) or any(
            axis.dead_percents[1] or (axis.sizes and axis.sizes[-1] < axis.before)
            for axis in self.axes
        )

    @property
    def exactness(self) -> Exactness:
        """The combined effect of all removals on the model's output, without rounding."""
        found = {axis.exactness for axis in self.axes if axis.after < axis.before}
        order: tuple[Exactness, ...] = (CHANGES, "exact for this text", EXACT)
        return next((each for each in order if each in found), EXACT)

    @property
    def largest_share(self) -> float:
        """The largest share (0 to 1) of an axis's live units that is cut; 0 if there are none."""
        layers = self.layers
        alive = layers.count - len(layers.dead)
        shares = [len(layers.gone - layers.dead) / alive] if alive else []
        shares += [(a.sizes[-1] - a.after) / a.sizes[-1] for a in self.axes if a.sizes]
        return max(shares, default=0.0)


def forecast(
    surveyed: SurveyedState, request: CutRequest, job: Job, provenance: Provenance | None = None
) -> ShrinkForecast:
    """Return the sizes after a cut, exact to the byte.

    Reads no weights except for those that constants are folded into. A request that the model does
    not allow raises no error: the forecast is then that of a request with only the allowed parts,
    and `wrong` is the error; if not even dead units can be cut, it is empty, and `why_not` is the
    error.
    """
    surveyed = surveyed.with_tokens(request, job)
    try:
        return _Forecast(surveyed, request, job, provenance).forecast()
    except ShrinkError as error:
        fewer = replace(request, layers=(), write_as="", vocabulary="", texts=(), by=USUAL_NORM)
        possible = CutRequest(multiple=request.multiple) if fewer == request else fewer
        if possible == request:
            return ShrinkForecast(request, why_not=str(error))
        without = forecast(surveyed, possible, job, provenance)
        return replace(without, request=request, wrong=str(error))


def shrunk_size(
    state: Snapshot, job: Job, provenance: Provenance | None = None, *, multiple: int | None = None
) -> int:
    """Return the bytes of the file, without other files, when the dead units of a state are cut.

    `multiple` is that of `CutRequest`. Reads every member of a group. Raises `ShrinkError` if the
    model is of an unknown type, or cannot be cut.
    """
    surveyed = survey_state(state, job)
    if isinstance(surveyed, Unknown):
        raise ShrinkError(surveyed.why_not)
    found = forecast(surveyed, CutRequest(multiple=multiple), job, provenance)
    if found.after is None:
        raise ShrinkError(found.why_not)
    return found.after.nbytes


def cut_out(  # noqa: PLR0917 - each its own type
    surveyed: SurveyedState,
    expected: ShrinkForecast,
    request: ShrinkRequest,
    kernel: Kernel,
    job: Job,
    provenance: Provenance | None = None,
    *,
    how: How | None = None,
) -> ExportReport:
    """Prune the requested units, cut them and all dead units, and write the model.

    The report has the results of the check among its notices.

    Parameters
    ----------
    expected
        The forecast of the same request.
    how
        The check with the class of the model before the folder is renamed into place; None for
        none.

    Raises
    ------
    ShrinkError
        If the resulting sizes differ from those of `expected`, and as `shrink_checked` does.
    """
    state, planned = surveyed.plan_cut(expected.request, kernel, job)
    sizes = {str(axis.name): axis.after for axis in planned.axes}
    for axis in expected.axes:
        if not axis.why_not and sizes.get(axis.name, axis.after) != axis.after:
            raise ShrinkError(
                f"{axis.label} would be {sizes[axis.name]:,} and not {axis.after:,}, which is a "
                "bug in Pruneapp. Nothing was written.",
                remedy="Please report it.",
            )
    report, results = shrink_checked(state, planned, request, job, provenance, how=how)
    label = f"shrunk {report.label}" if surveyed.structure.file_graph is not None else "shrunk"
    pruned = ShrunkState(state, planned.cut).count_pruned(job)
    return replace(
        report,
        tensors=tuple(replace(t, pruned=pruned.get(t.name, 0)) for t in report.tensors),
        parameters_before=0 if expected.before is None else expected.before.parameters,
        label=label,
        notices=(*report.notices, *(result.sentence() for result in results)),
        cut=expected.changes,
        effect=expected.exactness,
    )


def _format_change(axis: AxisForecast) -> str:
    unit_size = axis.in_each
    label = f"{axis.label} per key/value head" if unit_size > 1 else axis.label
    return f"{label} {axis.before // unit_size:,} → {axis.after // unit_size:,}"


class _Forecast:
    def __init__(
        self, surveyed: SurveyedState, request: CutRequest, job: Job, provenance: Provenance | None
    ) -> None:
        self._surveyed = surveyed
        self._structure = surveyed.structure
        self._request = request
        self._job = job
        self._provenance = provenance

    def forecast(self) -> ShrinkForecast:
        """Return the forecast. Raises `ShrinkError` if the model does not allow the request."""
        surveyed, structure, request = self._surveyed, self._structure, self._request
        tokens = surveyed.tokens
        tokens_requested = request.vocabulary or request.texts
        if tokens_requested and tokens is not None and tokens.error is not None:
            raise ShrinkError(str(tokens.error))
        without = replace(request, kept={}, shares={})
        exact_plan = self._plan(without, _no_scores)
        planned = self._plan(request, self._placeholder_scores)
        all_tensors = Cut(()).tensors(surveyed.state.checkpoint)
        shrunk = ShrunkState(surveyed.state, planned.cut, planned.biases)
        limited = any(axis.limit for axis in structure.axes.values()) and not structure.inside
        other = structure.family.write_as.get(structure.model_type, "")
        usual = (
            axis.multiple
            for axis in structure.axes.values()
            if axis.is_rounded and axis.groups and not axis.why_not
        )
        before = self._size(surveyed.state, all_tensors, structure.config)
        return ShrinkForecast(
            request,
            model_type=structure.model_type,
            axes=tuple(self._axes(exact_plan, planned)),
            layers=self._layers(),
            write_as=other if limited else "",
            surplus=0 if surveyed.tokens is None else surveyed.tokens.surplus,
            usual_multiple=next(usual, 0),
            has_class=structure.has_class,
            has_config=bool(structure.config),
            before=before,
            after=before
            if planned.is_empty
            else self._size(shrunk, shrunk.cuts, planned.config, planned),
            widths=tuple(self._widths(planned)),
            config=configuration.difference(structure.config, planned.config),
            loaded_by=tuple(_loaders(surveyed.state.checkpoint, planned)),
            notices=planned.notices,
            rounds=planned.rounds,
            keeps_dtype=structure.file_graph is not None,
            others=planned.others,
        )

    def _plan(self, request: CutRequest, score: Callable[[Snapshot, Axis], Scores]) -> ShrinkPlan:
        """Return the plan of a cut for counting only: no weights are masked."""
        state, found, choices = self._surveyed.prune_chosen(request, score, self._job, counted=True)
        made = plan(state, self._structure, choices, self._job, found)
        return made.with_dtype(request.dtype, state.checkpoint)

    def _placeholder_scores(self, state: Snapshot, axis: Axis) -> Scores:
        """Return scores of 0, as only the number of units matters. Validates a file with scores.

        Raises `ShrinkError` if the file cannot be read or has other scores.
        """
        by = self._request.by
        try:
            if by in WORDS or holds_statistics(Path(by), self._job):
                return _no_scores(state, axis)
            return read_scores(axis, by, self._job)
        # Reported as an error of the request, so that the user can choose another file.
        except CheckpointError as error:
            raise ShrinkError(str(error)) from None

    def _size(
        self,
        state: State,
        cuts: Iterable[TensorCut],
        config: Mapping[str, Any],
        planned: ShrinkPlan | None = None,
    ) -> ModelSize:
        """Return the size of a state, with the graph of its file if it has one.

        `cuts` are the tensors of the state. `planned` is the cut; None for the state before the
        cut, whose files have the size of the source if they contain a graph.
        """
        structure, job = self._structure, self._job
        source, form = self._surveyed.state.checkpoint, get("safetensors")
        if not (structure.config or structure.file_graph or source.contents.shards):
            form = usual_format(Path(), source)
        dtype = KEEP if planned is None else planned.dtype
        size = model_size(
            state, cuts, structure, config, job, self._provenance, form=form, dtype=dtype
        )
        if structure.file_graph is None:
            return size
        if planned is None or not isinstance(state, ShrunkState):
            return replace(size, nbytes=sum(file.size for file in source.files))
        plans = plan_with_graph(state, planned.cut, structure.file_graph, source, job)
        return replace(size, nbytes=sum(each.nbytes for each in plans.values()))

    def _axes(self, exact_plan: ShrinkPlan, planned: ShrinkPlan) -> Iterator[AxisForecast]:
        """Yield the forecast of each axis, in the order of the structure.

        `exact_plan` is the cut of dead units only, `planned` that of the request. Axes that can be
        cut in principle but are in no plan are omitted, except for the vocabulary.
        """
        exact = {each.name: each for each in exact_plan.axes}
        changes = {each.name: each for each in planned.axes}
        for name, axis in self._structure.axes.items():
            change = changes.get(name)
            if axis.why_not:
                yield AxisForecast(name, axis.label, why_not=axis.why_not)
            elif change is not None:
                axis_forecast = AxisForecast(
                    name,
                    change.label,
                    change.before,
                    change.after,
                    exactness=change.exactness,
                    notices=change.notices,
                )
                if not axis.uniform:
                    yield self._forecast_shared(axis_forecast, axis, exact[name], exact_plan)
                else:
                    numbered = name in _NUMBERED
                    yield (
                        self._forecast_numbered(axis_forecast, axis, exact[name], planned)
                        if numbered
                        else axis_forecast
                    )
            elif name == "vocabulary":
                tokens = self._surveyed.tokens
                error = None if tokens is None else tokens.error
                why = "" if error is None else str(error)
                yield AxisForecast(name, axis.label, axis.count, axis.count, why_not=why)

    def _widths(self, planned: ShrinkPlan) -> Iterator[tuple[str, int, int]]:
        varying_axes = {axis.name for axis in self._structure.axes.values() if not axis.uniform}
        for cut in planned.cut.groups:
            if cut.group.axis in varying_axes:
                yield cut.group.place, cut.group.count, cut.kept.size

    def _forecast_shared(
        self, axis_forecast: AxisForecast, axis: Axis, exact: AxisChange, exact_plan: ShrinkPlan
    ) -> AxisForecast:
        alive = {cut.group.place: cut.kept.size for cut in exact_plan.cut.groups}
        percents = percents_of(axis, self._request.multiple, alive)
        dead = [
            round(100 * (1 - alive.get(group.place, group.count) / group.count))
            for group in axis.groups
        ]
        return replace(
            axis_forecast,
            sizes=(exact.after,),
            percents=percents,
            dead_percents=(min(dead), max(dead)),
        )

    def _forecast_numbered(
        self, axis_forecast: AxisForecast, axis: Axis, exact: AxisChange, planned: ShrinkPlan
    ) -> AxisForecast:
        """Return the forecast with the numbers of units that can be kept.

        Smaller ones than protected weights allow are omitted.
        """
        if self._request.write_as:
            axis = replace(axis, limit="")
        earlier = [change for change in planned.axes if change.name == "kv-groups"]
        adjusted = adjust_axis(axis, earlier)
        multiple = self._request.multiple or axis.multiple
        sizes = legal_sizes(adjusted, self._structure.fields, multiple)
        low = self._min_protected(axis)
        return replace(
            axis_forecast,
            sizes=(*(n for n in sizes if low <= n < exact.after), exact.after),
            in_each=axis.groups[0].outer if axis.name == "query-heads" else 1,
        )

    def _min_protected(self, axis: Axis) -> int:
        """Return the smallest number of units of an axis that its protected weights allow.

        0 for experts, and if nothing is protected.
        """
        if axis.name == "experts":
            return 0
        groups = self._surveyed.remaining_groups(axis, self._request)
        state, found = self._surveyed.state, self._surveyed.found
        guarded_masks = [
            protected_units(group, state.view, self._job)
            & units_to_keep(state, group, found.units_of(group))
            for group in groups
        ]
        if axis.rule.same and guarded_masks:
            guarded_masks = [np.logical_or.reduce(guarded_masks)]
        max_kept = 0
        for group, guarded in zip(groups, guarded_masks, strict=False):
            n_kept = (
                int(np.count_nonzero(guarded.reshape(group.outer, -1), axis=1).max()) * group.outer
            )
            max_kept = max(max_kept, -(-n_kept * axis.count // group.count))
        return max_kept

    def _layers(self) -> LayersForecast:
        """Return which layers can be cut and which are; empty if the model has none that can be."""
        axis = self._structure.axes.get("layers")
        if axis is None or axis.why_not or not axis.groups:
            return LayersForecast()
        fixed = frozenset(self._structure.family.keep)
        silent = [self._surveyed.found.silent[group.place] for group in axis.groups]
        dead = frozenset.intersection(*silent) - fixed
        count = min(group.count for group in axis.groups)
        return LayersForecast(count, dead.union(self._request.layers), dead, fixed)


def _no_scores(_state: Snapshot, axis: Axis) -> Scores:
    return {group.place: np.zeros(group.count) for group in axis.groups}


def _loaders(checkpoint: Checkpoint, planned: ShrinkPlan) -> Iterator[str]:
    """Yield texts about the programs that are known to load the cut model."""
    structure = planned.structure
    if structure.file_graph is not None:
        yield _GRAPH_LOADERS[checkpoint.format]
        return
    if structure.blocks or structure.is_traced:
        yield from planned.loading
        return
    written = str(planned.config.get("model_type", structure.model_type))
    yield f"transformers 5, with its standard class for '{written}' (from_pretrained)"
    heads = [each for each in planned.axes if each.name in _OF_HEADS and each.after < each.before]
    if heads and "head_dim" in fields_of(planned.config, structure.inside):
        yield "other programs that read the head size ('head_dim') from config.json"


def model_size(  # noqa: PLR0917 - each its own type
    state: State,
    cuts: Iterable[TensorCut],
    structure: Structure,
    config: Mapping[str, Any],
    job: Job,
    provenance: Provenance | None = None,
    *,
    form: Format,
    dtype: str = KEEP,
) -> ModelSize:
    """Return the size of a state in a format and a dtype, see `DTYPE`. Reads no weights.

    The size of a torch file depends on its name, which is taken to be that of the source. O(n) in
    the number of tensors. `cuts` are the tensors of the state, with their entries in the source,
    and `config` is its config.json.
    """
    cuts = tuple(job.cancel.each(cuts))
    return ModelSize(
        _weight_bytes(state, form, job, provenance, dtype),
        size_of([each.entry for each in cuts], job.cancel).parameters,
        _cache_bytes(state.checkpoint, structure, config, dtype),
        _multiply_adds(cuts, structure, config, job) if structure.layers else None,
        sum(_embedding_sizes(cuts, structure)),
    )


def _weight_bytes(
    state: State, form: Format, job: Job, provenance: Provenance | None, dtype: str
) -> int:
    """Return the total size in bytes of the weight files and their index.

    Without the container of an opened file; a cut is written with the plain values of its file.
    """
    is_cut = isinstance(state, ShrunkState)
    without = {CONTAINER.name: "state-dict"} if CONTAINER in form.params and not is_cut else {}
    if dtype != KEEP:
        without[DTYPE.name] = dtype
    values = validate_all(form.params, without)
    plans = plan_weights(state, form, values, job, provenance=provenance)
    return sum(plan.nbytes for plan in plans.values())


def _has_class(config: Mapping[str, Any], ends: tuple[str, ...]) -> bool:
    classes = config.get("architectures") or ()
    return any(isinstance(name, str) and name.endswith(ends) for name in classes)


def _cache_bytes(
    checkpoint: Checkpoint, structure: Structure, config: Mapping[str, Any], dtype: str
) -> int | None:
    """Return the bytes of keys and values per token, in the dtype that the weights are written in.

    None for encoders and encoder-decoders, for models with latent attention, and if the
    configuration does not describe it. Layers with linear attention or state spaces are not
    counted.
    """
    fields = fields_of(config, structure.inside)
    if (
        not _has_class(config, _CACHED)
        or fields.get("is_encoder_decoder")
        or "kv_lora_rank" in fields
    ):
        return None
    axis = structure.axes.get("kv-groups")
    heads = next((fields[n] for n in ("num_attention_heads", "n_head") if n in fields), None)
    hidden = next((fields[n] for n in ("hidden_size", "n_embd") if n in fields), None)
    depth = next((fields[f] for f in structure.depths.values() if f in fields), None)
    if not isinstance(heads, int) or not isinstance(depth, int) or not heads:
        return None
    each = fields.get("head_dim") or (hidden // heads if isinstance(hidden, int) else None)
    groups = fields.get("num_key_value_heads") or heads
    types = fields.get("layer_types")
    if isinstance(types, list):
        depth = sum("attention" in kind and "linear" not in kind for kind in types)
    first = axis.groups[0].members[0].name if axis is not None and axis.groups else ""
    entry = checkpoint.entries.get(first) or next(iter(checkpoint.entries.values()), None)
    if not isinstance(each, int) or entry is None or entry.dtype.packed:
        return None
    rounding = Rounding.for_dtype(dtype)
    entry = entry if rounding is None else rounding.entry(entry)
    return 2 * depth * groups * entry.dtype.nbytes(each)


def _multiply_adds(
    cuts: Iterable[TensorCut], structure: Structure, config: Mapping[str, Any], job: Job
) -> int | None:
    """Return the multiply-adds per token in matrix products; None if the weights are packed.

    Of experts, only those that a router chooses count.
    """
    inside = {
        entry.name: rest for layer in structure.layers for rest, entry in layer.entries.items()
    }
    fields = fields_of(config, structure.inside)
    axis = structure.axes.get("experts")
    of_experts: set[str] = set()
    for group in () if axis is None else axis.groups:
        of_experts |= {name for names in group.tensors for name in names}
    chosen = next((fields[name] for name in _CHOSEN if isinstance(fields.get(name), int)), 0)
    chosen = chosen or (0 if axis is None else axis.least)
    total = routed = head = outside = 0
    for each in job.cancel.each(cuts):
        entry, rest = each.entry, inside.get(each.source.name)
        if rest is None:
            head = max(head, _size_if_named(each, _PREDICT))
            outside += 0 if structure.inside else _size_if_named(each, _PASSED)
        elif len(entry.shape) < 2 or any(part in rest for part in _NO_PRODUCTS):
            continue
        elif entry.dtype.packed or not entry.dtype.prunable:
            return None
        elif each.source.name in of_experts:
            routed += entry.numel * chosen
        elif axis is not None and len(entry.shape) == 3 and _is_stacked(each.source, structure):
            total += entry.numel * chosen // entry.shape[0]
        else:
            total += entry.numel
    if routed:
        total += routed // _experts_left(fields)
    if not head and _has_class(config, _HEADS):
        head = _embedding_size(cuts, structure)
    depth, groups = fields.get("num_hidden_layers"), fields.get("num_hidden_groups")
    if not structure.depths and isinstance(depth, int) and isinstance(groups, int) and groups:
        total = total * depth // groups  # each group of layers runs several times
    return total + head + outside


def _is_stacked(entry: TensorEntry, structure: Structure) -> bool:
    """Return whether a tensor stacks one matrix per expert."""
    groups = structure.axes["experts"].groups
    return any(
        member.dim == 0 and member.name == entry.name
        for group in groups
        for member in group.members
    )


def _experts_left(fields: Mapping[str, Any]) -> int:
    names = ("n_routed_experts", "num_experts", "num_local_experts")
    return next(int(fields[name]) for name in names if isinstance(fields.get(name), int))


def _size_if_named(each: TensorCut, ends: tuple[str, ...]) -> int:
    """Return the number of multiply-adds of a matrix if one of its names ends in one of `ends`.

    0 otherwise, and for vectors.
    """
    entry = each.entry
    is_one = len(entry.shape) > 1 and any(name.endswith(ends) for name in each.source.names)
    return entry.numel if is_one else 0


def _embedding_size(cuts: Iterable[TensorCut], structure: Structure) -> int:
    """Return the size of the embedding, which predicts tokens if no other matrix does."""
    return max(_embedding_sizes(cuts, structure), default=0)


def _embedding_sizes(cuts: Iterable[TensorCut], structure: Structure) -> Iterator[int]:
    """Yield the number of parameters of each tensor, 0 without a row for each token."""
    ends = tuple(name.replace("{wb}", "weight") for name in structure.family.vocabulary)
    return (_size_if_named(each, ends) for each in cuts)
