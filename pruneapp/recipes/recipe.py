"""Recipes: entries in order, with the masks and values that they name.

Reads and writes JSON files, with folders of masks and values next to them. Converts the history of
a document to a recipe that also suits other checkpoints, in which patterns and kinds are resolved
again.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.atomic_file import write_error
from pruneapp.checkpoint.io.upload import new_file, write_whole
from pruneapp.document.document import Capture
from pruneapp.document.entries import (
    ChosenConfiguration,
    EditEntry,
    Entry,
    LimitsConfiguration,
    RecoveryEntry,
    RepairEntry,
    RowConfiguration,
    RowEntry,
    ScheduleEntry,
    StepConfiguration,
    StepEntry,
    TreatZerosEntry,
    ValuesEntry,
)
from pruneapp.document.selection import default_selection, resolve, select
from pruneapp.document.step import Step
from pruneapp.edits.manual_edit import DIGEST
from pruneapp.errors import JsonError, PruneAppError, RecipeError, SelectionError, suggest_nearest
from pruneapp.groups.trace import known_traces
from pruneapp.json_codec import convert, read
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask
from pruneapp.params import AT_HAND, STATISTICS
from pruneapp.progress import Job
from pruneapp.recipes.schema import FORMAT, decode, encode, recipe_error, steps_of, with_values
from pruneapp.statistics.file import statistics_of

# The name of a recipe in messages, if it was not read from a file.
UNNAMED = "recipe"


@dataclass(frozen=True, eq=False)
class Recipe:
    """The entries to apply to a checkpoint, in order.

    A recipe starts with no weights pruned: masks in the checkpoint are used only if an entry
    ``file_masks`` applies them.
    """

    entries: tuple[Entry, ...]
    # Masks of edits and values of repairs, by the SHA-256 of their bytes.
    masks: Mapping[str, BitMask] = field(default_factory=dict)
    where: str = UNNAMED  # name in messages: that of the file
    # Number of leading entries added by options, which messages do not count.
    n_added: int = 0
    # Names of data that calibrated values which are left out, see `without_superseded`.
    calibration: tuple[str, ...] = ()
    # Traces that steps name, as text, by key; see `pruneapp.groups.trace`.
    traces: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_text(
        cls, text: bytes | str, masks: Mapping[str, BitMask] | None = None, where: str = UNNAMED
    ) -> Recipe:
        """Create a recipe from JSON, called `where` in errors; raises `RecipeError`."""
        file = decode(text, where)
        return cls(file.entries, masks or {}, where, traces=file.traces)

    def __reduce__(self) -> tuple[object, ...]:
        # Pickling each struct would lose which values are defaults.
        return Recipe.from_text, (self.canonical(), dict(self.masks), self.where)

    def text(self) -> str:
        """Return indented JSON with a final newline."""
        return msgspec.json.format(self.canonical(), indent=2) + "\n"

    def canonical(self) -> str:
        """Return JSON without spaces, identical for equal recipes on every machine."""
        return encode(self.entries, self.traces).decode()

    @property
    def sha256(self) -> str:
        """The SHA-256 of the canonical JSON, in hex digits."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    def named_masks(self) -> Iterator[tuple[str, int]]:
        """Yield SHA-256 and number of elements of each mask that an edit names."""
        for entry in self.entries:
            if isinstance(entry, EditEntry):
                for target in entry.configuration.targets:
                    if target.mask:
                        yield target.mask.removeprefix(DIGEST), target.size

    def named_values(self) -> Iterator[tuple[str, int]]:
        """Yield SHA-256 and number of bytes of the values that repairs and recoveries name."""
        for entry in values_entries(self):
            for tensor in entry.configuration.tensors:
                yield tensor.values.removeprefix(DIGEST), tensor.size


def values_entries(recipe: Recipe) -> Iterator[ValuesEntry]:
    """Yield the entries that replace values: repairs and recoveries."""
    for entry in recipe.entries:
        if isinstance(entry, RepairEntry | RecoveryEntry):
            yield entry


def with_statistics(
    recipe: Recipe, checkpoint: Checkpoint, names: Sequence[str], job: Job
) -> Recipe:
    """Return the recipe with a statistics file for rows that use those of the checkpoint.

    Without such rows, or without `names`, the recipe itself is returned.

    Parameters
    ----------
    names
        Names of open statistics, see `pruneapp.statistics.file.register`. The last one that belongs
        to the checkpoint is used; without any such, the last one, which `fit` rejects.
    """
    if not names or not rows_at_hand(recipe):
        return recipe
    belonging = [n for n in names if statistics_of(n).belong_to(checkpoint, job)]
    chosen = (*names, *belonging)[-1]
    return _with_statistics(recipe, lambda name: chosen if name == AT_HAND else name)


def rows_at_hand(recipe: Recipe) -> list[RowEntry]:
    """Return the rows that use the statistics of the checkpoint the recipe is applied to."""
    rows = [row for step in steps_of(recipe.entries) for row in step.rows]
    return [row for row in rows if row.configuration.values.get(STATISTICS.name) == AT_HAND]


def _with_statistics(recipe: Recipe, rename: Callable[[str], str]) -> Recipe:
    """Return the recipe with each name of statistics replaced by the result of `rename`.

    Rows without statistics are unchanged.
    """

    def change(values: Mapping[str, Any]) -> dict[str, Any]:
        renamed = dict(values)
        if name := renamed.get(STATISTICS.name):
            renamed[STATISTICS.name] = rename(str(name))
        return renamed

    entries = tuple(with_values(entry, change) for entry in recipe.entries)
    return replace(recipe, entries=entries)


SUFFIX = ".recipe.json"
MASK = ".mask"
VALUES = ".values"
# Maximum size in bytes: a recipe of 1,000 steps with 10,000 names each.
_LARGEST = 512 << 20
_PIECE = 8 << 20
_HEAD = 4096
_DIGEST = re.compile(r"[0-9a-f]{64}")


def mask_folder(path: Path) -> Path:
    """Return the folder of the masks of a recipe, ``NAME.masks`` in the same folder."""
    return _sibling_folder(path, ".masks")


def values_folder(path: Path) -> Path:
    """Return the folder of repaired values of a recipe, ``NAME.values`` in the same folder."""
    return _sibling_folder(path, ".values")


def _sibling_folder(path: Path, suffix: str) -> Path:
    return path.with_name(path.name.removesuffix(".json").removesuffix(".recipe") + suffix)


def portable_text(recipe: Recipe) -> str:
    """Return the JSON of a recipe file: as `save` writes it, without masks and values."""
    return _with_statistics(recipe, lambda _name: AT_HAND).text()


def save(recipe: Recipe, path: Path, job: Job) -> tuple[Path, ...]:
    """Write a recipe with its masks and values. An old file is replaced when the new one is safe.

    Statistics of activations belong to one checkpoint, so rows that use them are written to use
    those of the checkpoint that the recipe will be applied to.

    Masks are written first, as ``<sha256>.mask`` in `mask_folder`: packed bits, lowest first, 1 for
    selected weights. Values are written as ``<sha256>.values`` in `values_folder`: raw elements.
    Existing files of the right size are not written again, and none is deleted. Starts `job` with
    the bytes; it can cancel.

    Returns
    -------
    tuple[Path, ...]
        The files that were written.

    Raises
    ------
    ExportError
        If a file cannot be written; the folder of `path` must exist.
    """
    text = portable_text(recipe).encode()
    masks, values = mask_folder(path), values_folder(path)
    mask_files = {masks / f"{name}{MASK}": recipe.masks[name] for name, _ in recipe.named_masks()}
    for name, _ in recipe.named_values():
        mask_files[values / f"{name}{VALUES}"] = recipe.masks[name]
    job.start(2 * (len(text) + sum(mask.nbytes for mask in mask_files.values())), path.name)
    written = []
    for folder in dict.fromkeys(file.parent for file in mask_files):
        try:
            folder.mkdir(exist_ok=True)
        except OSError as error:
            raise write_error(folder, error, 0) from error
    for file, mask in mask_files.items():
        if not (file.is_file() and file.stat().st_size == mask.nbytes):
            with new_file(file, mask.nbytes, job) as target:
                for _, part in mask.parts():
                    target.write(part.data)
                target.seal()
                target.commit()
            written.append(file)
    write_whole(path, text, job)
    return (*written, path)


def load(path: Path, job: Job) -> Recipe:
    """Read a recipe with the masks and values next to it.

    Missing files, and those of another size, are ignored here; `fit` reports the entries that need
    them. Their contents are compared with the SHA-256 when they are used. Starts `job` with their
    bytes; it can cancel. Raises `RecipeError` if the file of the recipe cannot be read or is no
    recipe.
    """
    recipe = Recipe.from_text(read(path, "recipe", _LARGEST, RecipeError), where=path.name)
    named = {
        name: (mask_folder(path) / f"{name}{MASK}", size) for name, size in recipe.named_masks()
    }
    for name, nbytes in recipe.named_values():
        named[name] = values_folder(path) / f"{name}{VALUES}", 8 * nbytes
    job.start(sum((size + 7) // 8 for _, size in named.values()), path.name)
    masks: dict[str, BitMask] = {}
    for name, (file, size) in named.items():
        # A name in a recipe must not lead to other files.
        mask = _mask(file, size, job) if _DIGEST.fullmatch(name) else None
        if mask is not None:
            masks[name] = mask
    return replace(recipe, masks=masks)


def is_recipe(path: Path) -> bool:
    """Return whether a file begins like a recipe; it may be invalid.

    False if it cannot be read.
    """
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except (OSError, ValueError):
        return False
    return head.lstrip()[:1] == b"{" and f'"{FORMAT}"'.encode() in head


def _mask(path: Path, size: int, job: Job) -> BitMask | None:
    """Read a mask of `size` elements; None if the file is missing, has another size, or fails.

    Steps `job` by the bytes. The content is not checked.
    """
    try:
        with path.open("rb") as file:
            # Checked first, because a recipe may claim a larger size than there is memory.
            if path.stat().st_size != (size + 7) // 8:
                return None
            packed = scratch.bits(size)
            for start in range(0, packed.nbytes, _PIECE):
                piece = packed[start : start + _PIECE]
                if file.readinto(piece.data) != piece.nbytes:
                    return None
                scratch.release_pages(packed, start, start + piece.nbytes)
                job.step(piece.nbytes)
    except OSError:
        return None
    return BitMask(packed, size)


def tensors_of_kind(checkpoint: Checkpoint, kind: str) -> tuple[str, ...]:
    """Return the prunable tensors of a kind of layer that are neither vectors nor buffers.

    By first names in file order. Raises `SelectionError`, with the nearest kinds, if there are
    none.
    """
    entries = [e for e in checkpoint.entries.values() if _is_of(e, kind)]
    names = tuple(e.name for e in entries if e.learned)
    if not names:
        kinds = {e.kind: None for e in checkpoint.entries.values() if _is_of(e, e.kind)}
        raise SelectionError(
            f"'{checkpoint.path.name}' contains no layer of type '{kind}' that can be pruned.",
            remedy=suggest_nearest(kind, kinds, "kinds"),
        )
    return names


def select_tensors(checkpoint: Checkpoint, row: RowConfiguration) -> tuple[str, ...]:
    """Return the tensors that a row selects, by first names in file order.

    By its pattern, else its kind, else its names, else the default selection. Raises
    `SelectionError` or `UnknownTensorError` if it matches nothing, or names a tensor that cannot be
    pruned.
    """
    if row.pattern:
        return select(checkpoint, [row.pattern], on_request=False)
    if row.kind:
        return tensors_of_kind(checkpoint, row.kind)
    if row.names:
        return resolve(checkpoint, row.names, on_request=row.quantized)
    names = default_selection(checkpoint)
    if not names:
        raise SelectionError(
            f"'{checkpoint.path.name}' contains no tensors that are selected by default.",
            remedy="Add a 'pattern' to the rule.",
        )
    return names


def select_for_entry(
    checkpoint: Checkpoint, chosen: ChosenConfiguration, usual: Callable[[TensorEntry], bool]
) -> tuple[str, ...]:
    """Return the tensors that an entry selects: by pattern, names, or the predicate `usual`.

    By first names in file order. `usual` is called with prunable tensors if there are neither
    pattern nor names; the result may then be empty. Otherwise raises `SelectionError` or
    `UnknownTensorError`.
    """
    if chosen.pattern:
        return select(checkpoint, [chosen.pattern], prefer_parameters=False, on_request=False)
    if chosen.names:
        return resolve(checkpoint, chosen.names)
    return tuple(e.name for e in checkpoint.entries.values() if e.prunable and usual(e))


def row_for(checkpoint: Checkpoint, names: Iterable[str], pattern: str) -> RowConfiguration:
    """Return the shortest row that selects exactly these tensors of the checkpoint, without values.

    `pattern` is the pattern or kind that the user selected them by; it may be empty. If neither it
    nor the default selection matches, the row has the first names. Raises the errors of `resolve`.
    """
    chosen = resolve(checkpoint, names, on_request=True)
    quantized = any(checkpoint.entries[name].on_request for name in chosen)
    tried = [RowConfiguration()]
    if pattern:
        tried[:0] = [RowConfiguration(pattern=pattern), RowConfiguration(kind=pattern)]
    for row in tried:
        with contextlib.suppress(PruneAppError):
            if select_tensors(checkpoint, row) == chosen:
                return row
    return RowConfiguration(names=chosen, quantized=quantized)


def _is_of(entry: TensorEntry, kind: str) -> bool:
    return entry.kind == kind and entry.prunable and len(entry.shape) > 1


def to_portable_entry(checkpoint: Checkpoint, data: Mapping[str, Any]) -> Entry:
    """Convert the JSON of an edit to an entry that suits other checkpoints.

    A row keeps the pattern or kind of layer that the user selected tensors by, if it still selects
    the same tensors; if they are the default selection, the row names none; otherwise it has their
    names. Entries that are no steps are unchanged. Equal edits of the same checkpoint give equal
    entries.

    Raises `RecipeError` if the edit is no entry of a recipe, and `ParameterError` if a step is
    invalid.
    """
    try:
        if data["name"] == "step":
            step = Step.from_dict(data)
            return step_entry(step, partial(row_for, checkpoint))
        entry: Entry = convert(data, Entry, UNNAMED)
    except JsonError as error:
        raise recipe_error(error) from None
    return entry


def recipe_of(
    checkpoint: Checkpoint,
    entries: Iterable[Mapping[str, Any]],
    masks: Mapping[str, BitMask] | None = None,
) -> Recipe:
    """Return the recipe of edits, given as JSON, each converted by `to_portable_entry`.

    It contains the traces of the checkpoint that steps name.
    """
    traces = {key: trace.text for key, trace in known_traces(checkpoint).items()}
    portable = tuple(to_portable_entry(checkpoint, entry) for entry in entries)
    return Recipe(portable, masks or {}, traces=traces)


def history_recipe(capture: Capture, job: Job) -> Recipe:
    """Return the recipe of the edits that lead to the current state of a document.

    Masks that edits name are loaded, from the scratch file where needed. Values that have no effect
    on the state are left out, see `without_superseded`. Starts `job` with the number of edits; it
    can cancel. Raises `HistoryError` if a mask cannot be read.
    """
    masks: dict[str, BitMask] = {}
    entries = []
    records = capture.done
    job.start(len(records))
    for record in records:
        masks.update(
            {name: slot.load(capture.scratch, job) for name, slot in record.entry_masks.items()}
        )
        entries.append(record.as_json())
        job.step(1)
    return without_superseded(recipe_of(capture.snapshot.checkpoint, entries, masks))


def without_superseded(recipe: Recipe) -> Recipe:
    """Return the recipe without values that later values replace before anything depends on them.

    For example those of a repair that is followed by a recovery of the same tensors: an exported
    file does not contain them, so it could not be verified by itself. Steps and schedules, which
    rank weights by their values, and zeros of the state depend on values; manual edits, masks of
    the file and permanent zeros do not. An entry that keeps some of its tensors stays with these.
    """
    entries: list[Entry] = []
    superseded: set[str] = set()
    calibration = {*recipe.calibration}
    for entry in reversed(recipe.entries):
        kept: Entry | None = entry
        if isinstance(entry, StepEntry | ScheduleEntry | TreatZerosEntry):
            superseded.clear()
        elif isinstance(entry, RepairEntry | RecoveryEntry):
            kept = _without_tensors(entry, superseded)
            superseded |= {tensor.name for tensor in entry.configuration.tensors}
            if kept is None and entry.configuration.source.data:
                calibration.add(entry.configuration.source.data)
        if kept is not None:
            entries.append(kept)
    return replace(recipe, entries=tuple(reversed(entries)), calibration=tuple(sorted(calibration)))


def _without_tensors(entry: ValuesEntry, names: Collection[str]) -> ValuesEntry | None:
    """Return an entry without the values of some tensors; None if no others are left."""
    configuration = entry.configuration
    tensors = tuple(tensor for tensor in configuration.tensors if tensor.name not in names)
    if not tensors:
        return None
    if len(tensors) == len(configuration.tensors):
        return entry
    configuration = msgspec.structs.replace(configuration, tensors=tensors)
    return msgspec.structs.replace(entry, configuration=configuration)


def step_entry(step: Step, choose: Callable[[tuple[str, ...], str], RowConfiguration]) -> StepEntry:
    """Convert a step to an entry; `choose` is `row_for` with its first arguments bound.

    It is called with the names and the pattern of each row, and its result gets the values of the
    row. Limits that are the defaults are omitted.
    """
    rows = []
    for row in step.rows:
        chosen = choose(row.names, row.pattern)
        chosen = msgspec.structs.replace(chosen, values=row.plain_values())
        rows.append(RowEntry(row.method, chosen))
    configuration = StepConfiguration(
        tuple(rows),
        step.scope,
        prune_bias_and_norm=step.prune_bias_and_norm,
        dependents=step.dependents,
        data=step.data,
        trace=step.trace,
    )
    if limits := step.limits.to_dict():  # omitted if they are the defaults
        configuration = msgspec.structs.replace(
            configuration, limits=convert(limits, LimitsConfiguration)
        )
    return StepEntry(configuration)
