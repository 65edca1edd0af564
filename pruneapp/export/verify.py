"""Verify that a file is, byte for byte, the result of its recipe applied to the original.

The tensor, element and value of a difference are looked up only where bytes differ.
"""

from __future__ import annotations

import contextlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from msgspec import Struct

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.digest import hash_in_background
from pruneapp.document.entries import RecoveryEntry, RepairEntry, RepairSource
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.manual_edit import DIGEST, digest
from pruneapp.edits.repaired_values import RepairedValues, as_values, tensor_sha256
from pruneapp.errors import (
    DamagedFileError,
    ExportError,
    JsonError,
    RecipeError,
    UnrecognizedFileError,
    UnsupportedFileError,
    words_of,
)
from pruneapp.export import provenance
from pruneapp.export.catalog import FORMATS, get
from pruneapp.export.completeness import find_omitted, omitted_entries
from pruneapp.export.destination.sidecars import has_shrink_record
from pruneapp.export.format import Format, Plan
from pruneapp.export.formats.zst import ZSTANDARD
from pruneapp.export.provenance import KEY, is_packed, metadata_inside
from pruneapp.export.records import State
from pruneapp.export.sharding import INDEX, needs_folder, plan_weights, whole_model
from pruneapp.json_codec import decode as decode_json
from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.values import decode
from pruneapp.masks.bitmask import BitMask
from pruneapp.params import validate_all
from pruneapp.progress import Job
from pruneapp.recipes.fit import Fit, fit
from pruneapp.recipes.recipe import Recipe, recipe_of, with_statistics, without_superseded
from pruneapp.recipes.replay import Replayed, replay_all

# Maximum number of reported differences.
MOST = 100
# Repairs that are recomputed on another machine or with other threads differ in the last bits;
# docs/repair.md has measurements.
TOLERANCE = 1e-3

# Called with the state before each edit of a recipe, and the edit.
EditCallback: TypeAlias = Callable[[Snapshot, Replayed, Job], None]
# Recomputes a repair of a state. Returns the relative difference from the recorded values (norm of
# the difference divided by their norm) for each tensor.
Recompute: TypeAlias = Callable[[Snapshot, RepairedValues, Job], Mapping[str, float]]


@dataclass(frozen=True)
class Difference:
    """A difference between a file and its expected contents."""

    # Name of a tensor, or ``metadata``, ``header``, ``original``, ``file`` or ``container``
    # (contents of a torch file other than tensors).
    where: str
    # Description without values: the end of a sentence that begins with `where`.
    sentence: str
    # Flat index of the element in C order, or byte offset in the file; None if there is neither.
    index: int | None = None
    # The expected value and the one in the file.
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        at = "" if self.index is None else f" at {self.index:,}"
        values = f": expected {self.expected}, found {self.found}" if self.expected else ""
        return f"{self.where}{at} {self.sentence}{values}"


class DifferenceFinder:
    """Finds the tensor at a byte of a file. Without a checkpoint, everything is ``header``."""

    def __init__(self, path: Path, checkpoint: Checkpoint | None) -> None:
        self._yielded: set[str] = set()
        self._ranges: list[tuple[int, int, TensorEntry]] = []
        if checkpoint is not None:
            for entry in (*checkpoint.entries.values(), *checkpoint.contents.masks):
                source = checkpoint.sources[entry.location.source]
                start = entry.location.offset
                stop = start + entry.dtype.nbytes(entry.reach)
                here = source.size == source.file.size and source.file.path.name == path.name
                if here and stop > start:
                    self._ranges.append((start, stop, entry))
        self._ranges.sort(key=itemgetter(0, 1))
        self._starts = [start for start, _, _ in self._ranges]

    def differences(self, offset: int, expected: bytes, actual: bytes) -> Iterator[Difference]:
        """Yield the first difference in each tensor, the header or the container, once per finder.

        Call it with pieces of the file in order, which begin at byte `offset`. If `actual` is
        shorter, the last difference is about that. Nothing is yielded if the pieces are equal.
        """
        size = min(len(expected), len(actual))
        one = np.frombuffer(expected, np.uint8, size)
        other = np.frombuffer(actual, np.uint8, size)
        at = 0
        while (more := np.flatnonzero(one[at:] != other[at:])[:1]).size:
            at += int(more[0])
            number = bisect_right(self._starts, offset + at)
            if number and offset + at < self._ranges[number - 1][1]:
                start, end, entry = self._ranges[number - 1]
                difference = _in_tensor(entry, start - offset, at, (expected, actual))
            else:
                values = (f"0x{side[at]:02x}" for side in (expected, actual))
                where = "container" if number else "header"
                difference = Difference(where, "differs", offset + at, *values)
                end = self._starts[number] if number < len(self._starts) else offset + size
            if difference.where not in self._yielded:
                self._yielded.add(difference.where)
                yield difference
            at = end - offset
            if at >= size:
                break
        if len(actual) < len(expected):
            yield Difference("file", "ends too early", index=offset + len(actual))


def _in_tensor(entry: TensorEntry, start: int, at: int, sides: tuple[bytes, bytes]) -> Difference:
    """Return the difference at byte `at` of two pieces.

    The tensor begins at byte `start` of them.
    """
    itemsize = max(entry.dtype.bits // 8, 1)
    index = (at - start) // itemsize
    first = start + index * itemsize
    values = (
        _value(entry, side[first : first + itemsize])
        if first >= 0 and first + itemsize <= len(side)
        else f"0x{side[at]:02x}"
        for side in sides
    )
    return Difference(entry.name, "differs", index, *values)


def _value(entry: TensorEntry, data: bytes) -> str:
    """Return an element as text: its value and its bits; only bits if it has no single value."""
    bits = f"0x{int.from_bytes(data, 'little'):0{2 * len(data)}x}"
    storage = np.dtype(entry.dtype.storage)
    if len(data) != storage.itemsize:
        return bits
    try:
        (value,) = decode(np.frombuffer(data, storage), entry.dtype).tolist()
    except ValueError:
        return bits
    return f"{value!r} ({bits})"


# Errors that damage of a written file can cause; missing read permission is not one of them.
_BROKEN = (DamagedFileError, UnrecognizedFileError, UnsupportedFileError)
_OTHER_RECIPE = Difference("metadata", "says that the file was made by another recipe")


class _NamedFormat(Struct):
    name: str
    configuration: dict[str, Any]


@dataclass(frozen=True)
class Verification:
    """The result of a verification."""

    # The first difference of each tensor; empty if the file is correct.
    differences: tuple[Difference, ...]
    compared: int = 0  # number of compared bytes
    format: str = ""  # format that was used for the comparison
    recipe: str = ""  # recipe in the form of `Recipe.canonical`
    # Tensors of the original that were intentionally omitted.
    omitted: tuple[str, ...] = ()
    # Relative difference of recomputed repairs by tensor name; see `Recompute`.
    recomputed: Mapping[str, float] = field(default_factory=dict)

    @property
    def same(self) -> bool:
        """Whether the file is the result of its recipe."""
        return not self.differences


@dataclass(frozen=True)
class VerificationRequest:
    """The original and the recipe to verify a file against."""

    original: Path  # path of the original model
    # The expected recipe. Required if the file's metadata has none, or if its masks are too large
    # for the metadata. If the metadata names another recipe, verification fails.
    recipe: Recipe | None = None
    # Format name, if the metadata has none; None derives it from the file name.
    format: str | None = None
    # Which of several state dicts to use, if the metadata does not specify it.
    state_dict: str | None = None
    # Names or globs of omitted tensors, if the metadata does not list them.
    omit: tuple[str, ...] = ()
    # Recomputes repairs, whose values may then differ by `tolerance`. None compares values by
    # SHA-256 only.
    recompute: Recompute | None = None
    tolerance: float = TOLERANCE
    # Names of open statistics, for a recipe that uses the statistics of the checkpoint.
    statistics: tuple[str, ...] = ()


class Engine(Protocol):
    """Applies a recipe and compares its result with files, in this process or on a cluster."""

    def apply(
        self,
        original: Checkpoint,
        recipe: Recipe,
        fitted: Fit,
        on_edit: EditCallback,
        job: Job,
        *,
        hashed: bool,
    ) -> tuple[State, Recipe]:
        """Return the state after a recipe, and the recipe for this checkpoint; see `apply_recipe`.

        `hashed` is whether the checksums of the source files will be needed.
        """

    def provenance(self, state: State, recipe: Recipe, job: Job) -> provenance.Provenance:
        """Return the origin of a state; see `pruneapp.export.provenance.provenance_of`."""

    def compare(
        self, state: State, plans: Mapping[Path, Plan], checkpoint: Checkpoint | None, job: Job
    ) -> Iterator[tuple[Sequence[Difference], int]]:
        """Yield for each file its differences and the number of compared bytes.

        `checkpoint` are the opened files; None if they cannot be opened.
        """


@dataclass(frozen=True)
class LocalEngine:
    """Applies and compares in this process."""

    kernel: Kernel

    def apply(
        self,
        original: Checkpoint,
        recipe: Recipe,
        fitted: Fit,
        on_edit: EditCallback,
        job: Job,
        *,
        hashed: bool,
    ) -> tuple[State, Recipe]:
        """Apply the recipe, and compute the checksums of the files at the same time."""
        with hash_in_background(original.files if hashed else ()):
            return apply_recipe(original, recipe, fitted, self.kernel, job, on_edit=on_edit)

    def provenance(self, state: State, recipe: Recipe, job: Job) -> provenance.Provenance:
        """Return the origin of a state."""
        return provenance.provenance_of(state, recipe, job)

    def compare(
        self, _state: State, plans: Mapping[Path, Plan], checkpoint: Checkpoint | None, job: Job
    ) -> Iterator[tuple[Sequence[Difference], int]]:
        """Compare the files one after another."""
        for path, plan in plans.items():
            yield compare_file(path, plan, checkpoint, job)


def verify(file: Path, against: VerificationRequest, engine: Engine, job: Job) -> Verification:
    """Apply a recipe again, and compare every byte of the result with a file or folder.

    Writes nothing. Finds any flipped bit: in tensors, the header, the metadata, and in the
    original. A damaged file, or one of another recipe or original, raises nothing: the result
    contains the difference.

    Raises
    ------
    CheckpointError
        If the original cannot be read, or the file cannot be accessed.
    RecipeError
        If no recipe is known, it does not fit the original, or the file was shrunk.
    ExportError
        If a file to compare cannot be read.
    ParameterError
        If the format is unknown, or `against.omit` matches no unreadable tensor.
    """
    with contextlib.ExitStack() as stack:
        checkpoint = None
        packed = is_packed(file)
        try:
            if not packed:
                checkpoint = stack.enter_context(open_checkpoint(file, job=job))
        except _BROKEN as error:
            return Verification((Difference("file", f"cannot be opened: {error}"),))
        shards = () if checkpoint is None else checkpoint.contents.shards
        metadata: Mapping[str, str] | None
        if checkpoint is None:
            metadata = metadata_inside(file)
        else:
            metadata = shards[0].metadata if shards else checkpoint.metadata
        if metadata is None:
            return Verification((Difference("file", "cannot be unpacked to a safetensors file"),))
        texts = {k.removeprefix(KEY): text for k, text in metadata.items() if k.startswith(KEY)}
        if (
            texts
            and (problem := _checksum_difference(texts) or _invalid_metadata(texts)) is not None
        ):
            return Verification((problem,))
        recipe = _recipe_to_verify(file, texts, against)
        original = stack.enter_context(
            open_checkpoint(
                against.original, state_dict=texts.get("state_dict") or against.state_dict, job=job
            )
        )
        if (
            checkpoint is not None
            and has_shrink_record(checkpoint)
            and not has_shrink_record(original)
        ):
            raise RecipeError(
                f"'{file}' was shrunk, and a recipe does not contain which units were removed, so "
                "it cannot be verified.",
                remedy="Export the same state without shrinking it, and verify that file.",
            )
        recipe = with_statistics(recipe, original, against.statistics, job)
        recipe, value_differences = _with_values(recipe, checkpoint, original, job)
        if value_differences:
            return Verification(value_differences)
        fitted = fit(recipe, original, job)
        recomputation = _Recomputation(fitted, against.recompute)
        state, made_recipe = engine.apply(
            original, recipe, fitted, recomputation, job, hashed=bool(texts)
        )
        if against.recipe is not None and _names_other_recipe(texts, made_recipe):
            # The metadata leaves out values that have no effect on the result.
            made_recipe = without_superseded(made_recipe)
        if against.recipe is not None and _names_other_recipe(texts, made_recipe):
            return Verification((_OTHER_RECIPE,), recipe=made_recipe.canonical())
        if len(shards) == 1 and not original.contents.shards and file.is_dir():
            file = shards[0].path
        form, values = _format(file, texts, against, state, job, packed=packed)
        if len(shards) > 1 and not needs_folder(original, form, values, file):
            sentence = f"has {len(shards):,} shards, but the recipe makes one file of the original"
            return Verification((Difference("file", sentence),), recipe=made_recipe.canonical())
        differences = [
            Difference(
                name,
                f"has repaired values that are off by {share:.2g} of their norm from those that "
                f"are computed again, more than {against.tolerance:g}",
            )
            for name, share in recomputation.off.items()
            if not share <= against.tolerance
        ]
        origin = None
        if texts:
            present_origin = engine.provenance(state, made_recipe, job)
            recorded = provenance.inputs_in(metadata)
            if present_origin.inputs != recorded:
                differences.append(_other_original(original, present_origin.inputs, recorded))
            named = decode_json(texts["format"], _NamedFormat, KEY + "format").configuration
            origin = replace(
                present_origin,
                inputs=recorded,
                version=texts["version"],
                # As recorded in the file: the same statistics need not be open during verification.
                calibration=provenance.calibration_in(metadata),
                parameters=frozenset(named),
            )
        plans = _plans(state, form, values, file, job, origin=origin)
        omitted_names = omitted_entries(original, form, plans.values())
        named_recipe = _intentionally_omitted(original, texts, against)
        for name in omitted_names:
            if name not in named_recipe:
                reason = original.contents.unreadable[name]
                sentence = f"of the original is missing from the file ({reason})"
                differences.append(Difference(name, sentence))
        if checkpoint is not None and form.lossless:
            differences += _missing_tensors(original, plans.values(), checkpoint)
        compared = 0
        for differing, size in engine.compare(state, plans, checkpoint, job):
            differences += differing
            compared += size
        omitted = tuple(name for name in omitted_names if name in named_recipe)
        return Verification(
            tuple(differences[:MOST]),
            compared,
            form.name,
            made_recipe.canonical(),
            omitted,
            recomputation.off,
        )


def _intentionally_omitted(
    original: Checkpoint, texts: Mapping[str, str], against: VerificationRequest
) -> frozenset[str]:
    """Return the names of intentionally omitted tensors, from the metadata or from `against`."""
    if "omitted" in texts:
        return frozenset(decode_json(texts["omitted"], tuple[str, ...], KEY + "omitted"))
    return frozenset(find_omitted(original, against.omit))


def _missing_tensors(
    original: Checkpoint, plans: Iterable[Plan], checkpoint: Checkpoint
) -> Iterator[Difference]:
    """Yield a difference for each planned tensor that the file lacks.

    It has the name of the tensor in the original.
    """
    names: dict[str, None] = {}
    for name in chain.from_iterable(plan.names for plan in plans):
        # Pairs NAME_orig and NAME_mask are opened as NAME.
        stored = (name, name.removesuffix("_orig"), name.removesuffix("_mask"))
        if not any(map(checkpoint.holds, stored)):
            names[next(filter(original.holds, stored), name)] = None
    for name in names:
        yield Difference(name, "of the original is missing from the file")


def _checksum_difference(texts: Mapping[str, str]) -> Difference | None:
    """Return a difference if the texts do not have the SHA-256 that they record; None otherwise."""
    counted, recorded = provenance.checksum(texts), texts.get("sha256", "")
    if counted == recorded:
        return None
    return Difference(
        "metadata",
        "is not what was written: something of it was changed, or is missing",
        expected=recorded,
        found=counted,
    )


def _invalid_metadata(texts: Mapping[str, str]) -> Difference | None:
    """Return a difference if the metadata is invalid despite a correct checksum; else None."""
    for name in ("version", "inputs", "format"):
        if name not in texts:
            return Difference("metadata", f"lacks '{KEY}{name}'")
    try:
        decode_json(texts["inputs"], tuple[str, ...], KEY + "inputs")
        decode_json(texts["format"], _NamedFormat, KEY + "format")
        for name in ("omitted", "calibration"):
            decode_json(texts.get(name, "[]"), tuple[str, ...], KEY + name)
    except JsonError as error:
        return Difference("metadata", f"is not what is written: {error.sentence.rstrip('.')}")
    return None


def _recipe_to_verify(file: Path, texts: Mapping[str, str], against: VerificationRequest) -> Recipe:
    """Return the recipe to apply: that of `against`, else that of the metadata.

    Masks in the metadata are added. Raises `RecipeError` if neither has a recipe.
    """
    given = against.recipe
    if "recipe" not in texts:
        if given is None:
            raise RecipeError(
                f"The metadata of '{file}' contains no recipe, so there is nothing to verify.",
                remedy="Specify the exported file first and the original after --against, or "
                "give the recipe with --recipe: torch formats have no metadata, and a "
                "recipe of many megabytes is not written into it.",
            )
        return given
    recipe = Recipe.from_text(texts["recipe"], where=file.name) if given is None else given
    masks = provenance.read_masks(texts.get("masks", "{}"), recipe) | dict(recipe.masks)
    return replace(recipe, masks=masks)


def _with_values(
    recipe: Recipe, checkpoint: Checkpoint | None, original: Checkpoint, job: Job
) -> tuple[Recipe, tuple[Difference, ...]]:
    """Return the recipe with the repaired values from the file, and differences if there are any.

    The metadata identifies repaired values and repaired tensors only by SHA-256, since values are
    as large as the tensors. Pruned weights, +0.0 in the file, get their values from the original.
    Values that the recipe has already are not replaced. `checkpoint` is the file, None if it cannot
    be opened.
    """
    masks = dict(recipe.masks)
    differences: list[Difference] = []
    for entry in recipe.entries:
        if not isinstance(entry, RepairEntry | RecoveryEntry):
            continue
        for tensor in entry.configuration.tensors:
            key = tensor.values.removeprefix(DIGEST)
            if not original.holds(tensor.name):
                continue
            if DIGEST + tensor_sha256(original, tensor.name, job) != tensor.original:
                sentence = "was repaired from other values than the original has"
                differences.append(Difference(tensor.name, sentence))
                continue
            if key in masks:
                continue
            values = None
            if checkpoint is not None and checkpoint.holds(tensor.name):
                values = _values_in(checkpoint, original, tensor.name)
            if values is not None and digest(values, job) == key:
                masks[key] = values
            else:
                sentence = (
                    "does not hold the values that its repair made; if it was pruned or rounded "
                    "after the repair, give the recipe and its folder of values with --recipe"
                )
                differences.append(Difference(tensor.name, sentence))
    return replace(recipe, masks=masks), tuple(differences[:MOST])


def _values_in(checkpoint: Checkpoint, original: Checkpoint, name: str) -> BitMask | None:
    entry, original_entry = checkpoint.entry(name), original.entry(name)
    if entry.dtype != original_entry.dtype or entry.shape != original_entry.shape:
        return None
    bits = checkpoint.bits(name)
    return as_values(np.where(bits == 0, original.bits(name), bits))


def _names_other_recipe(texts: Mapping[str, str], made: Recipe) -> bool:
    if "recipe" in texts:
        return texts["recipe"] != made.canonical()
    return texts.get("recipe_sha256", made.sha256) != made.sha256


@dataclass(frozen=True)
class _Recomputation:
    """Recomputes the repairs of a recipe if `recompute` is set."""

    fitted: Fit
    recompute: Recompute | None
    # Largest relative difference by tensor name, see `Recompute`.
    off: dict[str, float] = field(default_factory=dict)

    def __call__(self, before: Snapshot, done: Replayed, job: Job) -> None:
        """Recompute the repair of an edit, and record its largest differences in `off`.

        Does nothing for other edits. `before` is the state before the edit.
        """
        action = self.fitted.entries[done.number].action
        if not isinstance(action, RepairedValues) or not isinstance(action.source, RepairSource):
            return
        if self.recompute is not None:
            for name, share in self.recompute(before, action, job).items():
                self.off[name] = max(share, self.off.get(name, 0.0))


def apply_recipe(
    original: Checkpoint,
    recipe: Recipe,
    fitted: Fit,
    kernel: Kernel,
    job: Job,
    *,
    on_edit: EditCallback = lambda *_: None,
) -> tuple[Snapshot, Recipe]:
    """Apply a recipe. Return the final state, and the recipe as recorded for this checkpoint.

    `fitted` is the recipe fitted to `original`. `on_edit` is called with the state before each
    edit, and the edit.
    """
    state = Snapshot(original)
    masks: dict[str, BitMask] = {}
    entries = []
    for done in replay_all(state, fitted, recipe.where, kernel, job):
        on_edit(state, done, job)
        entries.append(done.edit.to_dict(masks))
        state = done.state
    return state, recipe_of(original, entries, masks)


def _format(
    file: Path,
    texts: Mapping[str, str],
    against: VerificationRequest,
    state: State,
    job: Job,
    *,
    packed: bool,
) -> tuple[Format, Mapping[str, Any]]:
    """Return the format to compare with, and the values of its parameters.

    They are those of the metadata. Without these it is the format of `against`, or one for the file
    name, with default parameters. `packed` is whether the whole file is a zstd file.
    """
    if "format" not in texts:
        form = get(against.format) if against.format else _format_by_name(file, state, job)
        return form, validate_all(form.params, {})
    recorded = decode_json(texts["format"], _NamedFormat, KEY + "format")
    # Metadata inside a compressed file names the format of the uncompressed file.
    form = ZSTANDARD if packed else get(recorded.name)
    return form, validate_all(form.params, recorded.configuration)


def _format_by_name(file: Path, state: State, job: Job) -> Format:
    """Return the format for a file name; if several match (.pt), the one with this file size.

    Without an exact match it is one that compresses, else the first that matches, else safetensors.
    """
    fitting = [f for f in FORMATS.values() if f.fits(file.name)] or [*FORMATS.values()][:1]
    if len(fitting) == 1 or not file.is_file():
        return fitting[0]
    size = file.stat().st_size
    compressed = []
    for form in fitting:
        if form.why_not(state.checkpoint):
            continue
        part = whole_model(state, file.suffix.lower())
        plan = form.plan(part, validate_all(form.params, {}), job)
        if plan.exact and plan.nbytes == size:
            return form
        if not plan.exact and plan.nbytes >= size:
            compressed.append(form)
    return (compressed or fitting)[0]


def _plans(
    state: State,
    form: Format,
    values: Mapping[str, Any],
    file: Path,
    job: Job,
    *,
    origin: provenance.Provenance | None,
) -> Mapping[Path, Plan]:
    """Return the plans of the files to compare, by path; of one shard only if `file` is a shard."""
    home = file if file.is_dir() else file.parent
    plans = plan_weights(state, form, values, job, path=file, provenance=origin)
    # A single shard can be verified alone, as its name shows which part of the model it is.
    alone = file.is_file() and not file.name.endswith(INDEX) and file.name in plans
    return {home / n: plan for n, plan in plans.items() if n == file.name or not alone}


def _other_original(
    original: Checkpoint, present: Sequence[str], recorded: Sequence[str]
) -> Difference:
    """Return the difference between the checksums of the original and those in the file."""
    pairs = zip(present, recorded, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(present), len(recorded)))
    return Difference(
        "original",
        f"is not the file that it was made of ('{original.path}')",
        expected=recorded[at] if at < len(recorded) else "no file",
        found=present[at] if at < len(present) else "no file",
    )


def compare_file(
    path: Path, plan: Plan, checkpoint: Checkpoint | None, job: Job
) -> tuple[list[Difference], int]:
    """Compare a file with a plan. Return the differences and the number of compared bytes.

    `checkpoint` is the opened file, to name tensors; None names none. `job` is started with the
    bytes. Raises `ExportError` if the file cannot be read.
    """
    differences: list[Difference] = []
    with contextlib.ExitStack() as stack:
        if plan.prepare is not None:
            plan = stack.enter_context(plan.prepare(job))
        finder = DifferenceFinder(path, checkpoint)
        job.start(plan.nbytes, path.name)
        at = 0
        try:
            file = stack.enter_context(path.open("rb"))
            for piece in plan.pieces():
                expected = bytes(piece)
                actual = file.read(len(expected))
                if actual != expected:
                    differences += finder.differences(at, expected, actual)
                    if len(actual) < len(expected):
                        return differences, at + len(actual)
                at += len(expected)
                job.step(len(expected))
            more = len(file.read(1))
        except OSError as error:
            raise ExportError(
                f"'{path}' cannot be read: {words_of(error)}.",
                remedy="Check the file and your permissions.",
            ) from None
        if more:
            sentence = f"goes on behind its end ('{path.name}')"
            differences.append(Difference("file", sentence, index=at, expected="", found="more"))
    return differences, at
