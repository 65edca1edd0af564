"""Whether a file is what its recipe makes of the original, to the last bit.

Bytes are compared; which tensor, weight and value they mean is looked up only where they differ.
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
from pruneapp.checkpoint.io.digest import hashed_meanwhile
from pruneapp.document.entries import RepairEntry
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
from pruneapp.export.completeness import omitted, omitted_entries
from pruneapp.export.format import Format, Plan
from pruneapp.export.formats.zst import ZSTANDARD
from pruneapp.export.provenance import KEY, is_packed, metadata_inside
from pruneapp.export.records import State
from pruneapp.export.sharding import INDEX, in_folder, plan_weights, whole
from pruneapp.json_codec import decode as decode_json
from pruneapp.kernels.kernel import Kernel
from pruneapp.kernels.values import decode
from pruneapp.masks.bitmask import BitMask
from pruneapp.params import validate_all
from pruneapp.progress import Job
from pruneapp.recipes.fit import Fit, fit
from pruneapp.recipes.recipe import Recipe, recipe_of, with_statistics
from pruneapp.recipes.replay import Replayed, replay_all

# How many differences are told.
MOST = 100
# Values that are computed again on another machine, or by other threads, are not the same to the
# last bit; docs/repair.md has how far they are off.
TOLERANCE = 1e-3

# Is called with the state before each edit of a recipe, and the edit.
Look: TypeAlias = Callable[[Snapshot, Replayed, Job], None]
# Computes a repair of a state again; returns how far the values of each tensor are from those that
# were recorded, as a share of their norm.
Recompute: TypeAlias = Callable[[Snapshot, RepairedValues, Job], Mapping[str, float]]


@dataclass(frozen=True)
class Difference:
    """Where a file is not what it should be."""

    # A tensor by its name; or ``metadata``, ``header``, ``original``, ``file``, ``container`` (what
    # a torch file holds around its tensors).
    where: str
    # What is wrong, without the values: the end of a sentence that begins with `where`.
    sentence: str
    # Flat index of the element in C order, or the byte of the file; None where there is none.
    index: int | None = None
    # The value that the recipe makes, and that of the file.
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        at = "" if self.index is None else f" at {self.index:,}"
        values = f": expected {self.expected}, found {self.found}" if self.expected else ""
        return f"{self.where}{at} {self.sentence}{values}"


class DifferenceFinder:
    """Finds what lies at a byte of a file of a checkpoint; None of one that cannot be opened."""

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
        """Yield the first difference of each tensor that was not yielded before.

        Both pieces begin at the byte `offset` of the file, which may end before.
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
    """Return the difference at a byte of two pieces in which a tensor begins at `start`."""
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
    bits = f"0x{int.from_bytes(data, 'little'):0{2 * len(data)}x}"
    storage = np.dtype(entry.dtype.storage)
    if len(data) != storage.itemsize:
        return bits
    try:
        (value,) = decode(np.frombuffer(data, storage), entry.dtype).tolist()
    except ValueError:
        return bits
    return f"{value!r} ({bits})"


# What a file that was written once may have become; one that may not be read is no such.
_BROKEN = (DamagedFileError, UnrecognizedFileError, UnsupportedFileError)
_OTHER_RECIPE = Difference("metadata", "says that the file was made by another recipe")


class _NamedFormat(Struct):
    name: str
    configuration: dict[str, Any]


@dataclass(frozen=True)
class Verification:
    """What was found."""

    # Where the file is not what it should be, the first of each tensor; none if it is.
    differences: tuple[Difference, ...]
    compared: int = 0  # how many bytes were compared
    format: str = ""  # the format that was written again
    recipe: str = ""  # the recipe, as `Recipe.canonical`
    # Tensors of the original that are not in the file because that was asked for.
    omitted: tuple[str, ...] = ()
    # How far repaired values were from those that were computed again, by tensors; see `Recompute`.
    recomputed: Mapping[str, float] = field(default_factory=dict)

    @property
    def same(self) -> bool:
        """Whether the file is what its recipe makes of the original."""
        return not self.differences


@dataclass(frozen=True)
class Against:
    """What a file is compared with."""

    original: Path  # what it was made of
    # What is verified, if it is given: a file whose metadata says another one is not the result of
    # it. Needed for a file that does not say it, and where masks are too large for its metadata.
    recipe: Recipe | None = None
    format: str | None = None  # for a file that does not say it; its name tells otherwise
    # Which of several dicts of tensors, for a file that does not say it.
    state_dict: str | None = None
    # Names or globs of tensors that were left out, for a file that does not say it.
    omit: tuple[str, ...] = ()
    # Computes repairs again, and how far off their values may be. By default they are not: values
    # are compared by their SHA-256.
    recompute: Recompute | None = None
    tolerance: float = TOLERANCE
    # Names of open statistics, for a recipe that takes those of the checkpoint.
    statistics: tuple[str, ...] = ()


class Engine(Protocol):
    """Does a recipe again, and compares what it makes: here, or on a cluster."""

    def apply(
        self,
        original: Checkpoint,
        recipe: Recipe,
        fitted: Fit,
        look: Look,
        job: Job,
        *,
        hashed: bool,
    ) -> tuple[State, Recipe]:
        """Return the state after a recipe; see `apply_recipe`.

        `hashed` says whether the checksums of the files will be asked for.
        """

    def provenance(self, state: State, recipe: Recipe, job: Job) -> provenance.Provenance:
        """Say what the state was made of; see `pruneapp.export.provenance.provenance_of`."""

    def compare(
        self, state: State, plans: Mapping[Path, Plan], checkpoint: Checkpoint | None, job: Job
    ) -> Iterator[tuple[Sequence[Difference], int]]:
        """Yield what differs in each of some files, and how many bytes were compared.

        `checkpoint` is what they are, opened; None if that cannot be.
        """


@dataclass(frozen=True)
class Here:
    """Does it in this process."""

    kernel: Kernel

    def apply(
        self,
        original: Checkpoint,
        recipe: Recipe,
        fitted: Fit,
        look: Look,
        job: Job,
        *,
        hashed: bool,
    ) -> tuple[State, Recipe]:
        """Do it, and count the checksums of the files meanwhile."""
        with hashed_meanwhile(original.files if hashed else ()):
            return apply_recipe(original, recipe, fitted, self.kernel, job, look=look)

    def provenance(self, state: State, recipe: Recipe, job: Job) -> provenance.Provenance:
        """Say what it was made of."""
        return provenance.provenance_of(state, recipe, job)

    def compare(
        self, _state: State, plans: Mapping[Path, Plan], checkpoint: Checkpoint | None, job: Job
    ) -> Iterator[tuple[Sequence[Difference], int]]:
        """Compare one file after another."""
        for path, plan in plans.items():
            yield compare_file(path, plan, checkpoint, job)


def verify(file: Path, against: Against, engine: Engine, job: Job) -> Verification:
    """Do a recipe again, and compare every byte of what it makes with a file.

    Nothing is written. Finds a single flipped bit, wherever it is: in a tensor that was pruned or
    not, in the header, in the metadata and in what it says of the original. `file` may be a folder.

    Raises
    ------
    CheckpointError
        If the original cannot be read, or the system does not let the file be opened.
    RecipeError
        If nothing says what was done, or it does not fit the original.
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
        if texts and (problem := _changed(texts) or _unsound(texts)) is not None:
            return Verification((problem,))
        recipe = _recipe(file, texts, against)
        original = stack.enter_context(
            open_checkpoint(
                against.original,
                state_dict=texts.get("state_dict") or against.state_dict,
                job=job,
            )
        )
        recipe = with_statistics(recipe, original, against.statistics, job)
        recipe, lost = _with_values(recipe, checkpoint, original, job)
        if lost:
            return Verification(lost)
        fitted = fit(recipe, original, job)
        again = _Recomputation(fitted, against.recompute)
        state, made_recipe = engine.apply(original, recipe, fitted, again, job, hashed=bool(texts))
        if against.recipe is not None and _names_another(texts, made_recipe):
            return Verification((_OTHER_RECIPE,), recipe=made_recipe.canonical())
        if len(shards) == 1 and not original.contents.shards and file.is_dir():
            file = shards[0].path
        form, values = _format(file, texts, against, state, job, packed=packed)
        if len(shards) > 1 and not in_folder(original, form, values, file):
            sentence = f"has {len(shards):,} shards, but the recipe makes one file of the original"
            return Verification((Difference("file", sentence),), recipe=made_recipe.canonical())
        differences = [
            Difference(
                name,
                f"has repaired values that are off by {share:.2g} of their norm from those that "
                f"are computed again, more than {against.tolerance:g}",
            )
            for name, share in again.off.items()
            if not share <= against.tolerance
        ]
        origin = None
        if texts:
            counted = engine.provenance(state, made_recipe, job)
            recorded = provenance.inputs_in(metadata)
            if counted.inputs != recorded:
                differences.append(_other_original(original, counted.inputs, recorded))
            named = decode_json(texts["format"], _NamedFormat, KEY + "format").configuration
            origin = replace(
                counted,
                inputs=recorded,
                version=texts["version"],
                # As the file records them: whoever verifies need not have the same statistics open.
                calibration=provenance.calibration_in(metadata),
                parameters=frozenset(named),
            )
        plans = _plans(state, form, values, file, job, origin=origin)
        left = omitted_entries(original, form, plans.values())
        named_recipe = _asked(original, texts, against)
        for name in left:
            if name not in named_recipe:
                reason = original.contents.unreadable[name]
                sentence = f"of the original is missing from the file ({reason})"
                differences.append(Difference(name, sentence))
        if checkpoint is not None and form.lossless:
            differences += _lacking(original, plans.values(), checkpoint)
        compared = 0
        for differing, size in engine.compare(state, plans, checkpoint, job):
            differences += differing
            compared += size
        omitted = tuple(name for name in left if name in named_recipe)
        return Verification(
            tuple(differences[:MOST]),
            compared,
            form.name,
            made_recipe.canonical(),
            omitted,
            again.off,
        )


def _asked(original: Checkpoint, texts: Mapping[str, str], against: Against) -> frozenset[str]:
    """Return the names that were left out by choice, as far as that is known."""
    if "omitted" in texts:
        return frozenset(decode_json(texts["omitted"], tuple[str, ...], KEY + "omitted"))
    return frozenset(omitted(original, against.omit))


def _lacking(
    original: Checkpoint, plans: Iterable[Plan], checkpoint: Checkpoint
) -> Iterator[Difference]:
    """Yield the tensors that the file should hold and does not, each once."""
    names: dict[str, None] = {}
    for name in chain.from_iterable(plan.names for plan in plans):
        # Pairs of NAME_orig and NAME_mask are opened as NAME.
        stored = (name, name.removesuffix("_orig"), name.removesuffix("_mask"))
        if not any(map(checkpoint.holds, stored)):
            names[next(filter(original.holds, stored), name)] = None
    for name in names:
        yield Difference(name, "of the original is missing from the file")


def _changed(texts: Mapping[str, str]) -> Difference | None:
    counted, recorded = provenance.checksum(texts), texts.get("sha256", "")
    if counted == recorded:
        return None
    return Difference(
        "metadata",
        "is not what was written: something of it was changed, or is missing",
        expected=recorded,
        found=counted,
    )


def _unsound(texts: Mapping[str, str]) -> Difference | None:
    """Return what is not even of the kind that is written, though its checksum fits."""
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


def _recipe(file: Path, texts: Mapping[str, str], against: Against) -> Recipe:
    beside = against.recipe
    if "recipe" not in texts:
        if beside is None:
            raise RecipeError(
                f"The metadata of '{file}' contains no recipe, so there is nothing to verify.",
                remedy="Name the exported file first and the original after --against, or give "
                "the recipe with --recipe: torch formats have no metadata, and a recipe of many "
                "megabytes is not written into it.",
            )
        return beside
    recipe = Recipe.from_text(texts["recipe"], where=file.name) if beside is None else beside
    masks = provenance.read_masks(texts.get("masks", "{}"), recipe) | dict(recipe.masks)
    return Recipe(recipe.entries, masks, recipe.where)


def _with_values(
    recipe: Recipe, checkpoint: Checkpoint | None, original: Checkpoint, job: Job
) -> tuple[Recipe, tuple[Difference, ...]]:
    """Return a recipe with the values of its repairs as the file holds them, and what differs.

    Values are as large as the tensors, so they are in no metadata; and they are known by their
    SHA-256, as are the tensors that were repaired. Pruned weights are +0.0 in the file, and what
    they were in the original.
    """
    masks = dict(recipe.masks)
    differences: list[Difference] = []
    for entry in recipe.entries:
        for tensor in entry.configuration.tensors if isinstance(entry, RepairEntry) else ():
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
    return Recipe(recipe.entries, masks, recipe.where), tuple(differences[:MOST])


def _values_in(checkpoint: Checkpoint, original: Checkpoint, name: str) -> BitMask | None:
    ours, before = checkpoint.entry(name), original.entry(name)
    if ours.dtype != before.dtype or ours.shape != before.shape:
        return None
    bits = checkpoint.bits(name)
    return as_values(np.where(bits == 0, original.bits(name), bits))


def _names_another(texts: Mapping[str, str], made: Recipe) -> bool:
    if "recipe" in texts:
        return texts["recipe"] != made.canonical()
    return texts.get("recipe_sha256", made.sha256) != made.sha256


@dataclass(frozen=True)
class _Recomputation:
    """Computes the repairs of a recipe again, if that is asked for."""

    fitted: Fit
    recompute: Recompute | None
    off: dict[str, float] = field(default_factory=dict)  # what comes of it, see `Recompute`

    def __call__(self, before: Snapshot, done: Replayed, job: Job) -> None:
        action = self.fitted.entries[done.number].action
        if self.recompute is not None and isinstance(action, RepairedValues):
            for name, share in self.recompute(before, action, job).items():
                self.off[name] = max(share, self.off.get(name, 0.0))


def apply_recipe(
    original: Checkpoint,
    recipe: Recipe,
    fitted: Fit,
    kernel: Kernel,
    job: Job,
    *,
    look: Look = lambda *_: None,
) -> tuple[Snapshot, Recipe]:
    """Return the state after a recipe, and the recipe as it is said for this checkpoint.

    `look` is called with the state before each edit, and the edit.
    """
    state = Snapshot(original)
    masks: dict[str, BitMask] = {}
    entries = []
    for done in replay_all(state, fitted, recipe.where, kernel, job):
        look(state, done, job)
        entries.append(done.edit.to_dict(masks))
        state = done.state
    return state, recipe_of(original, entries, masks)


def _format(
    file: Path, texts: Mapping[str, str], against: Against, state: State, job: Job, *, packed: bool
) -> tuple[Format, Mapping[str, Any]]:
    if "format" not in texts:
        form = get(against.format) if against.format else _usual(file, state, job)
        return form, validate_all(form.params, {})
    recorded = decode_json(texts["format"], _NamedFormat, KEY + "format")
    # What is inside says of itself that it is the dense file.
    form = ZSTANDARD if packed else get(recorded.name)
    return form, validate_all(form.params, recorded.configuration)


def _usual(file: Path, state: State, job: Job) -> Format:
    """Return the format of such a name whose file would be as large; several are called .pt."""
    fitting = [f for f in FORMATS.values() if f.fits(file.name)] or [*FORMATS.values()][:1]
    if len(fitting) == 1 or not file.is_file():
        return fitting[0]
    size = file.stat().st_size
    compressed = []
    for form in fitting:
        if form.why_not(state.checkpoint):
            continue
        part = whole(state, file.suffix.lower())
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
    home = file if file.is_dir() else file.parent
    plans = plan_weights(state, form, values, job, path=file, provenance=origin)
    # Of a largest size, one of the files may be looked at alone: it says what it is part of.
    alone = file.is_file() and not file.name.endswith(INDEX) and file.name in plans
    return {home / n: plan for n, plan in plans.items() if n == file.name or not alone}


def _other_original(
    original: Checkpoint, present: Sequence[str], recorded: Sequence[str]
) -> Difference:
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
    """Return what differs, and how many bytes were compared: of a compressed file those it has."""
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
