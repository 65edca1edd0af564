"""The origin of an export as text in its metadata, from which it can be repeated and verified.

Safetensors files store it in every shard under keys that begin with ``pruneapp.``; a compact file
stores it for the dense file that it expands to. Torch files have no text metadata: the report of
the export contains it, and ``pruneapp verify`` needs the recipe.

The header is at the start of a file, so the SHA-256 of the inputs must be known before the first
byte is written. It is computed once per opened file and cached, after the masks, when the file is
still in the page cache.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pruneapp import __version__
from pruneapp.analysis.patterns import BrokenPattern, broken_patterns, certificate, groups_wanted
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.safetensors import MAX_HEADER_BYTES
from pruneapp.checkpoint.io.digest import bytes_left, sha256_of
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.document.entries import (
    Entry,
    RecoveryEntry,
    RecoverySource,
    RepairEntry,
    RepairSource,
    StepEntry,
)
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.errors import CheckpointError, JsonError, ParameterError, RecipeError
from pruneapp.export.records import State
from pruneapp.json_codec import decode, load_object
from pruneapp.masks.bitmask import BitMask
from pruneapp.methods import registry
from pruneapp.methods.method import WeightMethod
from pruneapp.params import STATISTICS
from pruneapp.progress import Job
from pruneapp.recipes.recipe import Recipe, select_tensors
from pruneapp.recipes.schema import steps_of
from pruneapp.statistics.file import Origin, statistics_of

KEY = "pruneapp."
_INPUTS = KEY + "inputs"
_CALIBRATION = KEY + "calibration"
# Maximum sizes in a header, which every program that opens the file has to read.
MOST_MASKS = 1 << 20
MOST_RECIPE = 4 << 20
TIES = (
    "Of equal scores the lower flat index goes first, in a global step the earlier tensor of the "
    "file; NaN is kept."
)
_NOT_COUNTED = "0" * 64


@dataclass(frozen=True, eq=False)
class Provenance:
    """The origin of an export."""

    # The edits, with each pattern in its form for this checkpoint; see `to_portable_entry`.
    recipe: Recipe
    # SHA-256 of the files of the checkpoint, in order, as hexadecimal digits.
    inputs: tuple[str, ...]
    state_dict: str = ""  # which of several state dicts was used; "" if there is only one
    version: str = __version__
    pattern: str = ""  # N:M patterns of the masks, see `certificate`; "" if there are none
    # Patterns that steps of the recipe request but that do not hold; not part of the metadata.
    broken: tuple[BrokenPattern, ...] = ()
    # Unreadable tensors of the checkpoint, which lossless formats omit.
    omitted: tuple[str, ...] = ()
    # Names of the calibration data, see `calibration_data`.
    calibration: tuple[str, ...] = ()
    # Parameters of the format to record; None for all. Files written before a parameter was added
    # to the format do not record it.
    parameters: frozenset[str] | None = None

    def texts(self, form: str, values: Mapping[str, Any]) -> dict[str, str]:
        """Return the metadata of a file in the format `form` with parameters `values`.

        All keys begin with ``pruneapp.``. Parameters that are None are not recorded. A recipe of
        more than 4 MiB is only recorded by its SHA-256, and masks only if they have up to 1 MiB.
        """
        recipe = self.recipe.canonical()
        # Parameters without a value are not recorded, so that optional parameters can be added
        # later.
        named = values.keys() if self.parameters is None else self.parameters
        recorded = {n: value for n, value in values.items() if value is not None and n in named}
        long = len(recipe) > MOST_RECIPE
        texts = {
            "recipe_sha256" if long else "recipe": self.recipe.sha256 if long else recipe,
            "version": self.version,
            _INPUTS.removeprefix(KEY): _json(list(self.inputs)),
            "seeds": _json(seeds_of(self.recipe)),
            "ties": TIES,
            "format": _json({"name": form, "configuration": recorded}),
        }
        if self.state_dict:
            texts["state_dict"] = self.state_dict
        if self.pattern:
            texts["pattern"] = self.pattern
        if self.omitted:
            texts["omitted"] = _json(list(self.omitted))
        if self.calibration:
            texts[_CALIBRATION.removeprefix(KEY)] = _json(list(self.calibration))
        masks = {name: self.recipe.masks[name] for name, _ in self.recipe.named_masks()}
        if masks and sum(mask.nbytes for mask in masks.values()) <= MOST_MASKS:
            packed = {n: base64.b64encode(mask.packed.data) for n, mask in sorted(masks.items())}
            texts["masks"] = _json({name: data.decode() for name, data in packed.items()})
        texts["sha256"] = checksum(texts)
        return {KEY + name: text for name, text in texts.items()}


def checksum(texts: Mapping[str, str]) -> str:
    """Return the SHA-256 of the texts except for ``sha256``, which detects changes."""
    counted = {name: text for name, text in sorted(texts.items()) if name != "sha256"}
    return hashlib.sha256(_json(counted).encode()).hexdigest()


def recorded_recipe(checkpoint: Checkpoint) -> Recipe:
    """Return the recipe in the metadata of a file; an empty one if there is no valid one."""
    shards = checkpoint.contents.shards
    metadata = shards[0].metadata if shards else checkpoint.metadata
    try:
        return Recipe.from_text(metadata.get(KEY + "recipe", ""))
    except RecipeError:
        return Recipe(())


def calibration_data(entries: Iterable[Entry], statistics: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names of the data that entries were calibrated with, sorted, without duplicates.

    These are the data of repairs and recoveries, of open statistics of activations, and of
    sensitivity scans that amounts were chosen by. See `pruneapp.evaluation.runner.data_of`.

    Parameters
    ----------
    statistics
        Names of further statistics of activations; ignored if they are not open.
    """
    entries = tuple(entries)
    found = {
        e.configuration.source.data for e in entries if isinstance(e, RepairEntry | RecoveryEntry)
    }
    for step in steps_of(entries):
        found.update(step.data)
    named = {*map(str, statistics), *_statistics_names(entries)}
    found.update(origin.data for origin in _statistics_origins(named))
    return tuple(sorted(found - {""}))


def allocation_data(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the names of the data of scans that amounts were chosen by, and of nothing else."""
    entries = tuple(entries)
    steps = tuple(steps_of(entries))
    made = (entry for entry in entries if isinstance(entry, RepairEntry | RecoveryEntry))
    return frozenset(name for step in steps for name in step.data) - {
        entry.configuration.source.data for entry in made
    }


def training_data(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the names of the data that the user's own function trained with, and nothing else."""
    entries = tuple(entries)
    made = [e for e in entries if isinstance(e, RepairEntry | RecoveryEntry)]
    sources = [e.configuration.source for e in made]
    trained = {s.data for s in sources if isinstance(s, RecoverySource) and s.method == "training"}
    calibrated = {s.data for s in sources if isinstance(s, RepairSource) or s.method != "training"}
    allocated = {name for step in steps_of(entries) for name in step.data}
    return frozenset(trained - calibrated - allocated - {""})


def calibration_names(entries: Iterable[Entry]) -> dict[str, str]:
    """Return the file names of calibration data by their identifiers, as far as they are known.

    Entries have those of repairs and recoveries, open statistics those of their inputs. For the
    identifiers see `calibration_data`.
    """
    entries = tuple(entries)
    made = [entry for entry in entries if isinstance(entry, RepairEntry | RecoveryEntry)]
    sources = [(e.configuration.source.data, e.configuration.source.name) for e in made]
    origins = _statistics_origins(_statistics_names(entries))
    sources += [(origin.data, origin.name) for origin in origins]
    return {data: name for data, name in sources if name}


def kinds_of_values(entries: Iterable[Entry]) -> frozenset[str]:
    """Return how entries replaced values: "repaired", "trained", both, or nothing."""
    kinds = set()
    for entry in entries:
        if isinstance(entry, RepairEntry):
            kinds.add("repaired")
        elif isinstance(entry, RecoveryEntry):
            kinds.add("repaired" if entry.configuration.source.is_repair_only else "trained")
    return frozenset(kinds)


def _statistics_names(entries: Iterable[Entry]) -> set[str]:
    """Return the names of the statistics of activations that steps use."""
    rows = (row for step in steps_of(entries) for row in step.rows)
    return {str(row.configuration.values.get(STATISTICS.name, "")) for row in rows}


def _statistics_origins(names: Iterable[str]) -> Iterator[Origin]:
    """Yield the origins of statistics by their names, which are ignored if they are not open."""
    for name in names:
        with contextlib.suppress(ParameterError):  # there is no name, or the file is not open
            yield statistics_of(name).origin


def calibration_of(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return the calibration data recorded in the metadata of an exported file; () if none are."""
    shards = checkpoint.contents.shards
    return calibration_in(shards[0].metadata if shards else checkpoint.metadata)


def calibration_in(texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the calibration data recorded in metadata; () if they are missing or invalid."""
    try:
        return decode(texts.get(_CALIBRATION, "[]"), tuple[str, ...], _CALIBRATION)
    except JsonError:
        return ()


def seeds_of(recipe: Recipe) -> list[int]:
    """Return all seeds in a recipe, ascending."""
    values = [r.configuration.values for step in steps_of(recipe.entries) for r in step.rows]
    return sorted({v["seed"] for v in values if isinstance(v.get("seed"), int)})


def provenance_of(state: State, recipe: Recipe, job: Job, label: str = "") -> Provenance:
    """Return the origin of a state that a recipe produced.

    Computes missing SHA-256 checksums of the source files, and caches them. `job` is started with
    the bytes of files without checksum; its label is `label`, or the file name if that is "".
    Raises `CheckpointError` if a file cannot be read.
    """
    files = state.checkpoint.files
    job.start(sum(map(bytes_left, files)), label)
    inputs = []
    for file in files:
        job.label(label or file.path.name)
        inputs.append(sha256_of(file, job))
    return replace(estimated_provenance(state, recipe, job), inputs=tuple(inputs))


def estimated_provenance(state: State, recipe: Recipe, job: Job) -> Provenance:
    """Return the origin without checksums but of the same length, to estimate sizes.

    Patterns are checked only for a `Snapshot`, and only if the recipe may want one. Reads no file.
    """
    checkpoint, contents = state.checkpoint, state.checkpoint.contents
    state_dict = contents.state_dict if len(contents.state_dicts) > 1 else ""
    pattern = ""
    broken: tuple[BrokenPattern, ...] = ()
    if isinstance(state, Snapshot) and may_have_pattern(recipe):
        pattern = certificate(state, job) or ""
        broken = broken_patterns(state, groups_wanted(state, _steps_of(state, recipe)), job)
    inputs = (_NOT_COUNTED,) * len(checkpoint.files)
    omitted = tuple(contents.unreadable)
    return Provenance(
        recipe,
        inputs,
        state_dict,
        pattern=pattern,
        broken=broken,
        omitted=omitted,
        calibration=tuple(sorted({*calibration_data(recipe.entries), *recipe.calibration})),
    )


def provenance_without_steps(state: State, job: Job) -> Provenance:
    """Return the estimated origin of a state without the edits of its document, at low cost.

    Reading the recipe of a long history takes long, and changes the size of a file little.
    """
    return estimated_provenance(state, Recipe(()), job)


def _steps_of(state: Snapshot, recipe: Recipe) -> Iterator[Step]:
    """Yield the steps of a recipe, with the tensors that their rules select in this checkpoint."""
    for entry in recipe.entries:
        if not isinstance(entry, StepEntry):
            continue
        configuration = entry.configuration
        rows = tuple(
            Row.of(row, select_tensors(state.checkpoint, row.configuration))
            for row in configuration.rows
        )
        yield Step.of(configuration, rows)


def may_have_pattern(recipe: Recipe) -> bool:
    """Return whether the user may have wanted a pattern in the masks.

    True for any entry other than a step, and for a step with a method other than an unstructured
    one. Otherwise small tensors may match a pattern by chance, which is not worth reporting.
    """
    for entry in recipe.entries:
        if not isinstance(entry, StepEntry):
            return True
        methods = [registry.get(row.name) for row in entry.configuration.rows]
        if any(not isinstance(method, WeightMethod) for method in methods):
            return True
    return False


def inputs_in(texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the SHA-256 of the inputs recorded in metadata; () if they are missing.

    Raises `JsonError` if the text is not in the format of `Provenance.texts`.
    """
    return decode(texts.get(_INPUTS, "[]"), tuple[str, ...], _INPUTS)


def read_masks(text: str, recipe: Recipe) -> dict[str, BitMask]:
    """Return the masks of a recipe that metadata contains; {} if the text is invalid.

    Masks that the recipe does not name, or of another size, are ignored.
    """
    sizes = dict(recipe.named_masks())
    try:
        texts = decode(text, dict[str, str])
        packed = {name: base64.b64decode(data, validate=True) for name, data in texts.items()}
    except (JsonError, ValueError):
        return {}
    return {
        name: BitMask(np.frombuffer(data, np.uint8).copy(), sizes[name])
        for name, data in packed.items()
        if name in sizes and len(data) == (sizes[name] + 7) // 8
    }


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_ZSTD = b"\x28\xb5\x2f\xfd"


def is_packed(file: Path) -> bool:
    """Return whether a file is compressed with zstd as a whole; False if it cannot be opened."""
    try:
        source = open_source(file)  # does not block on a named pipe
    except CheckpointError:
        return False
    with contextlib.closing(source):
        return source.size >= len(_ZSTD) and source.read(0, len(_ZSTD)) == _ZSTD


def metadata_inside(file: Path) -> dict[str, str] | None:
    """Return the metadata of the safetensors file inside a zstd file; None if it cannot be read.

    {} if the file has none. Values that are not text are omitted.
    """
    import zstandard  # imported only for compressed files

    try:
        with (
            file.open("rb") as opened,
            zstandard.ZstdDecompressor().stream_reader(opened) as inside,
        ):
            length = int.from_bytes(inside.read(8), "little")
            if not 0 < length <= MAX_HEADER_BYTES:
                return None
            header = load_object(inside.read(length), str(file))
    except (OSError, zstandard.ZstdError, JsonError):
        return None
    metadata = header.get("__metadata__", {})
    if not isinstance(metadata, dict):
        return None
    return {key: text for key, text in metadata.items() if isinstance(text, str)}
