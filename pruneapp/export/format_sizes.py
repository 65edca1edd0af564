"""Available formats for the export of a state, with their sizes and recommendations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.errors import ExportError
from pruneapp.export.catalog import FORMATS, get, usual_format
from pruneapp.export.completeness import describe_outside, keeps_all, losses
from pruneapp.export.destination.sidecars import configuration_of, is_folder_model
from pruneapp.export.format import Format, Loader, Plan, Purpose
from pruneapp.export.formats.torch import TORCH
from pruneapp.export.provenance import Provenance, provenance_without_steps
from pruneapp.export.records import State
from pruneapp.export.rounding import CONTAINER, DTYPE, KEEP, SMALLER, STATE_DICT, Rounding
from pruneapp.export.sharding import SHARD_SIZE, needs_folder, plan_weights, usual_suffix
from pruneapp.params import Param, validate_all
from pruneapp.progress import Job

# Sizes up to this many times the smallest count as equal: estimates are not more exact.
_SIMILAR_SIZE = 1.02


@dataclass(frozen=True)
class FormatOffer:
    """An export format for a checkpoint."""

    name: str  # identifier used by requests
    label: str  # a few words
    help: str  # a paragraph
    suffixes: tuple[str, ...]  # file suffixes, the usual one first
    # Total bytes, without files copied along with a model; None if not known yet or impossible.
    nbytes: int | None = None
    # Whether `nbytes` is exact; otherwise it is extrapolated from a sample, within 2 %.
    exact: bool = True
    loaded_by: tuple[Loader, ...] = ()  # programs that load it
    does_not: tuple[str, ...] = ()  # limitations, a sentence each
    warnings: tuple[str, ...] = ()  # what a file of this state lacks, a sentence each
    why_not: str = ""  # why this checkpoint cannot be written in the format; empty if it can
    wrong: str = ""  # why it cannot be written with the current parameters; empty if it can
    params: tuple[Param, ...] = ()
    one_file: bool = False  # whether a model of several files becomes one file
    # Name of the parameter that, if not None, splits the export into files of that size; may be
    # empty.
    split_by: str = ""
    files: int | None = None  # number of files of weights; None if not known yet
    # Name of the parameter with the dtype of the written numbers; empty if there is none.
    rounded_by: str = ""
    # Part of the file name that distinguishes it from formats with the same suffix; may be empty.
    tag: str = ""
    # Bytes with a 16-bit dtype; None if that saves nothing or is only known from a sample.
    in_16_bits: int | None = None
    # Bytes of the state dict alone, if 16 bits would drop the other contents; None otherwise.
    without_container: int | None = None
    # Why only the state dict is written although the whole checkpoint was chosen, as a sentence.
    state_dict_only: str = ""
    # Purposes that the format is suitable for, with the reason as text.
    serves: Mapping[Purpose, str] = field(default_factory=lambda: MappingProxyType({}))
    # Sentence about values outside of the state dict, such as the optimizer: kept or lost.
    outside: str = ""
    loads_directly: bool = False  # whether the recipient can load the file without unpacking it
    # Purposes for which it is the best format, with the reason as text.
    recommended: Mapping[Purpose, str] = field(default_factory=lambda: MappingProxyType({}))


def planned_size(
    state: State, name: str, job: Job, provenance: Provenance | None = None
) -> int | None:
    """Return the exact size in bytes of an export in the format `name`, with default parameters.

    None if the export is impossible or the format compresses (see `format_offer`). Other files of a
    model folder, which are copied, are not counted. The size includes `provenance`.
    """
    form = get(name)
    try:
        values = validate_all(form.params, {})
        plans = plan_weights(state, form, values, job, provenance=provenance).values()
    except ExportError:
        return None
    return sum(plan.nbytes for plan in plans) if all(plan.exact for plan in plans) else None


def usual_size(state: State, job: Job) -> int | None:
    """Return the size in bytes of an export in the format of the source; None as `planned_size`."""
    form = usual_format(Path(), state.checkpoint)
    return planned_size(state, form.name, job, provenance_without_steps(state, job))


def container_key(checkpoint: Checkpoint, form: Format, path: Path | None) -> tuple[str, bool]:
    """Return the container that `path` selects, and whether shards are merged into one file.

    Paths with equal results give files of equal size. Does not access the disk.
    """
    suffix = usual_suffix(checkpoint, form) if path is None else path.suffix.lower()
    together = path is not None and bool(checkpoint.contents.shards) and form.fits(path.name)
    return form.container(suffix), together


def format_offers(
    state: State,
    job: Job,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    sampled: bool = True,
    path: Path | None = None,
    provenance: Provenance | None = None,
) -> tuple[FormatOffer, ...]:
    """Return all formats with their sizes and recommended purposes, in the order of `FORMATS`.

    A format that is impossible is included as well, see `FormatOffer.why_not` and `wrong`. Raises
    `ParameterError` if a parameter is invalid.

    Parameters
    ----------
    params
        Values of parameters by the name of the format; missing ones have their defaults.
    sampled
        Whether to estimate the size of compressed files from a sample. Otherwise their size is
        None, and purposes whose recommendation depends on it have none.
    path, provenance
        As in `format_offer`.
    """
    offered = []
    for form in FORMATS.values():
        job.step(0)
        given = (params or {}).get(form.name, {})
        offered.append(
            format_offer(state, form, given, job, sampled=sampled, path=path, provenance=provenance)
        )
    return recommend(offered)


def format_offer(
    state: State,
    form: Format,
    given: Mapping[str, Any],
    job: Job,
    *,
    sampled: bool = True,
    path: Path | None = None,
    provenance: Provenance | None = None,
) -> FormatOffer:
    """Return a format with its size, without a recommendation.

    `given` are values of parameters; missing ones have their defaults. The size is that of an
    export to `path`. Without a path, or if the format does not accept it, the size is that of a
    file with the default name. The size includes `provenance`, for example `estimated_provenance`.
    If the export is impossible, the reason is in `why_not`, or in `wrong` if it depends on the
    parameters. Raises only `ParameterError`, for an invalid parameter.
    """
    values = validate_all(form.params, given)

    def plan(path: Path | None, **more: Any) -> Collection[Plan]:
        one = values | more
        return plan_weights(state, form, one, job, path=path, provenance=provenance).values()

    def with_size(path: Path | None) -> FormatOffer:
        plain = _offer_without_size(state, form, values, job, path, provenance=provenance)
        if plain.why_not:
            return plain
        try:
            plans = plan(path)
            exact = all(one.exact for one in plans)
            if not exact and not sampled:
                return replace(plain, exact=False)
            described = _offer_without_size(
                state, form, values, job, path, plans, provenance=provenance
            )
            smaller = in_16_bits(path) if exact else None
            without = None
            if smaller is not None and _keeps_container(plans) and CONTAINER in form.params:
                only = {CONTAINER.name: STATE_DICT}
                if not _keeps_container(plan(path, **{DTYPE.name: SMALLER})):
                    without = sum(one.nbytes for one in plan(path, **only))
            nbytes = sum(one.size(job) for one in plans)
            if form.originals and nbytes > sum(file.size for file in state.checkpoint.files):
                notes = (*described.does_not, "Larger than the opened file.")
                described = replace(described, does_not=notes)
            return replace(
                described,
                nbytes=nbytes,
                exact=exact,
                files=sum(1 for one in plans if one.names) or 1,  # an index contains no tensors
                in_16_bits=smaller,
                without_container=without,
            )
        except ExportError as error:
            if values == validate_all(form.params, {}):
                return replace(plain, why_not=str(error))
            return replace(plain, wrong=str(error))

    def in_16_bits(path: Path | None) -> int | None:
        """Return the exact size in bfloat16 of a file that keeps dtypes; None unless smaller."""
        if DTYPE not in form.params or values[DTYPE.name] != KEEP:
            return None
        rounding = Rounding.for_dtype(SMALLER)
        assert rounding is not None
        if not any(map(rounding.shrinks, job.cancel.each(state.checkpoint.entries.values()))):
            return None
        return sum(one.nbytes for one in plan(path, **{DTYPE.name: SMALLER}))

    result = with_size(path)
    return with_size(None) if path is not None and (result.why_not or result.wrong) else result


def offers_without_sizes(
    state: State, job: Job, *, provenance: Provenance | None = None
) -> tuple[FormatOffer, ...]:
    """Return all formats without sizes or recommendations, in the order of `FORMATS`.

    Fast even for 100,000 tensors, as nothing is planned. `provenance` is as in `format_offer`.
    """
    offered = []
    for form in FORMATS.values():
        job.step(0)
        offered.append(_offer_without_size(state, form, {}, job, provenance=provenance))
    return tuple(offered)


def _keeps_container(plans: Collection[Plan]) -> bool:
    return all(plan.container for plan in plans if plan.names)


def _explain_state_dict(plans: Collection[Plan]) -> str:
    """Return why only the state dict of a torch file is written, as a sentence; "" if unknown."""
    why = next((plan.plain_because for plan in plans if plan.plain_because), "")
    return f"Only the state dict is written, because {why}." if why else ""


def _offer_without_size(  # noqa: PLR0917 - each its own type
    state: State,
    form: Format,
    values: Mapping[str, Any],
    job: Job,
    path: Path | None = None,
    plans: Collection[Plan] | None = None,
    *,
    provenance: Provenance | None,
) -> FormatOffer:
    """Return what is known about a format without its size; `why_not` only from headers.

    `plans` decide whether the container is kept; None derives it from headers and `values`, which
    may be wrong if pruned tensors prevent it.
    """
    kept = keeps_all(state.checkpoint, form, values) if plans is None else _keeps_container(plans)
    nested = kept and bool(state.checkpoint.contents.state_dict)
    only = "" if kept or values.get(CONTAINER.name) != KEEP else _explain_state_dict(plans or ())
    serves = form.good_for
    if form.good_for_folder is not None and is_folder_model(state.checkpoint):
        serves = form.good_for_folder
    if Purpose.TRANSFORMERS in serves and configuration_of(state.checkpoint) is None:
        serves = {use: why for use, why in serves.items() if use is not Purpose.TRANSFORMERS}
    # Training continues with the optimizer of the file, or else with masks and pruned values.
    resumes = bool(state.checkpoint.contents.outside_keys) and TORCH.keeps(state.checkpoint)
    if Purpose.TORCH in serves and form.originals == resumes:
        serves = {use: why for use, why in serves.items() if use is not Purpose.TORCH}
    # The name of a folder does not determine the suffix of the files in it.
    named = path is not None and not needs_folder(state.checkpoint, form, values, path)
    suffix = path.suffix.lower() if path and named else usual_suffix(state.checkpoint, form)
    return FormatOffer(
        form.name,
        form.label,
        form.help,
        form.suffixes,
        loaded_by=(*form.loaded_by, *(() if nested else form.loaded_without_keys_by)),
        does_not=(
            *filter(None, (only,)),
            *losses(state.checkpoint, form, suffix, job, kept=kept),
            *form.does_not,
        ),
        warnings=form.warnings(state, provenance, job),
        state_dict_only=only,
        why_not=form.why_not(state.checkpoint),
        params=form.params,
        one_file=form.one_file,
        split_by=SHARD_SIZE.name if SHARD_SIZE in form.params else "",
        tag=form.tag,
        rounded_by=DTYPE.name if DTYPE in form.params else "",
        serves=serves,
        outside=describe_outside(state.checkpoint, kept=kept) if form.lossless else "",
        loads_directly=form.loads_directly,
    )


def recommend(offered: Iterable[FormatOffer]) -> tuple[FormatOffer, ...]:
    """Return the offers, in the same order, with the smallest that serves each purpose recommended.

    Among formats up to 2 % larger, one that needs no unpacking is preferred. A purpose has no
    recommendation while the size of one of its possible formats is unknown. Earlier recommendations
    are replaced.
    """
    by_name = {one.name: one for one in offered}
    chosen: dict[str, dict[Purpose, str]] = {name: {} for name in by_name}
    for purpose in Purpose:
        serving = [one for one in by_name.values() if not one.why_not and purpose in one.serves]
        sizes = {one.name: one.nbytes for one in serving if one.nbytes is not None}
        if serving and len(sizes) == len(serving):
            max_similar = min(sizes.values()) * _SIMILAR_SIZE
            direct = {
                n: size
                for n, size in sizes.items()
                if by_name[n].loads_directly and size <= max_similar
            }
            candidates = direct or sizes
            best = min(candidates, key=lambda name: candidates[name])
            chosen[best][purpose] = by_name[best].serves[purpose]
    return tuple(
        replace(one, recommended=MappingProxyType(chosen[name])) for name, one in by_name.items()
    )
