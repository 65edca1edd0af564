"""Where an export comes from, as text in its metadata: enough to make it again, and to check it.

A safetensors file says it under keys that begin with ``pruneapp.``, in every shard; a compact file
keeps it for the dense file that it expands to. A torch file has no place for text: there the
report of the export has it, and ``pruneapp verify`` is given the recipe.

The header stands first in a file, so the SHA-256 of the inputs must be known before the first byte
is written. It is counted once for an opened file and then remembered, after the masks were made,
when the system still holds what was read for them.

What a safetensors file says of itself that is compressed as a whole, without unpacking it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from pruneapp import __version__
from pruneapp.analysis.patterns import certificate
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.elements import RawChunk
from pruneapp.checkpoint.formats.safetensors import MAX_HEADER_BYTES
from pruneapp.checkpoint.io.digest import left, sha256_of
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import CheckpointError, JsonError
from pruneapp.export.records import State
from pruneapp.export.rounding import RoundedState
from pruneapp.json_codec import decode, load_object
from pruneapp.masks.bitmask import BitMask, Mask
from pruneapp.methods import registry
from pruneapp.methods.method import WeightMethod
from pruneapp.progress import Job
from pruneapp.recipes.recipe import Recipe
from pruneapp.recipes.schema import ScheduleEntry, StepEntry

KEY = "pruneapp."
_INPUTS = KEY + "inputs"
# What goes into a header as text: everybody who opens the file reads it, and it has an end.
MOST_MASKS = 1 << 20
MOST_RECIPE = 4 << 20
TIES = (
    "Of equal scores the lower flat index goes first, in a global step the earlier tensor of the "
    "file; NaN is kept."
)
_NOT_COUNTED = "0" * 64


@dataclass(frozen=True, eq=False)
class Provenance:
    """What an export was made of, and how.

    Attributes
    ----------
    recipe
        What was done, with every pattern as it is said for this checkpoint; see `portable`.
    inputs
        SHA-256 of the files of the checkpoint in its order, in hexadecimal digits.
    state_dict
        Which of several dicts of tensors was taken; empty if there is no choice.
    version
        Of Pruneapp.
    pattern
        Which N:M patterns the masks have, see `certificate`; empty if none.
    omitted
        Tensors of the checkpoint that cannot be read, and are in no file of such a format.
    """

    recipe: Recipe
    inputs: tuple[str, ...]
    state_dict: str = ""
    version: str = __version__
    pattern: str = ""
    omitted: tuple[str, ...] = ()

    def texts(self, form: str, values: Mapping[str, Any]) -> dict[str, str]:
        """Return it as metadata.

        Parameters
        ----------
        form, values
            The format of the file, and the values of its parameters.
        """
        recipe = self.recipe.canonical()
        # A value that is None says nothing, and parameters that say nothing may be added.
        said = {name: value for name, value in values.items() if value is not None}
        long = len(recipe) > MOST_RECIPE
        texts = {
            "recipe_sha256" if long else "recipe": self.recipe.sha256 if long else recipe,
            "version": self.version,
            _INPUTS.removeprefix(KEY): _json(list(self.inputs)),
            "seeds": _json(seeds_of(self.recipe)),
            "ties": TIES,
            "format": _json({"name": form, "configuration": said}),
        }
        if self.state_dict:
            texts["state_dict"] = self.state_dict
        if self.pattern:
            texts["pattern"] = self.pattern
        if self.omitted:
            texts["omitted"] = _json(list(self.omitted))
        masks = {name: self.recipe.masks[name] for name, _ in self.recipe.named_masks()}
        if masks and sum(mask.nbytes for mask in masks.values()) <= MOST_MASKS:
            texts["masks"] = _json({n: _text_of(mask) for n, mask in sorted(masks.items())})
        texts["sha256"] = checksum(texts)
        return {KEY + name: text for name, text in texts.items()}


def checksum(texts: Mapping[str, str]) -> str:
    """Return the SHA-256 that tells whether any of the texts was changed."""
    counted = {name: text for name, text in sorted(texts.items()) if name != "sha256"}
    return hashlib.sha256(_json(counted).encode()).hexdigest()


def seeds_of(recipe: Recipe) -> list[int]:
    """Return every seed that a recipe names, ascending."""
    found = set()
    for entry in recipe.entries:
        step = entry.configuration.step if isinstance(entry, ScheduleEntry) else entry
        if isinstance(step, StepEntry):
            values = [row.configuration.values for row in step.configuration.rows]
            found |= {v["seed"] for v in values if isinstance(v.get("seed"), int)}
    return sorted(found)


def provenance_of(state: State, recipe: Recipe, job: Job) -> Provenance:
    """Return the provenance of an export; counts the SHA-256 of files that are not counted yet.

    Parameters
    ----------
    state
        What is exported.
    recipe
        How it came to be.
    job
        Started with the bytes that are read; may cancel.

    Raises
    ------
    CheckpointError
        If a file cannot be read, or was changed.
    """
    files = state.checkpoint.files
    job.start(sum(map(left, files)))
    inputs = []
    for file in files:
        job.label(file.path.name)
        inputs.append(sha256_of(file, job))
    return replace(planned(state, recipe, job), inputs=tuple(inputs))


def planned(state: State, recipe: Recipe, job: Job) -> Provenance:
    """Return provenance of the same length whose inputs are not counted: to say sizes to come.

    Parameters are those of `provenance_of`; no weight is read.
    """
    checkpoint = state.checkpoint
    pattern = ""
    if isinstance(state, Snapshot) and may_have_pattern(recipe):
        pattern = certificate(state, job) or ""
    inputs = (_NOT_COUNTED,) * len(checkpoint.files)
    omitted = tuple(checkpoint.contents.unreadable)
    return Provenance(recipe, inputs, _state_dict(checkpoint), pattern=pattern, omitted=omitted)


def may_have_pattern(recipe: Recipe) -> bool:
    """Whether somebody may have wanted a pattern: single weights that rank lowest have none.

    In a small tensor they may have one by chance, which nobody needs to be told of; and where
    masks are rules, nobody could say so.
    """
    for entry in recipe.entries:
        if not isinstance(entry, StepEntry):
            return True
        methods = [registry.get(row.name) for row in entry.configuration.rows]
        if any(not isinstance(method, WeightMethod) for method in methods):
            return True
    return False


@dataclass(frozen=True, eq=False)
class ProvenanceState:
    """A state that says where it comes from, wherever a format has a place for text.

    Attributes
    ----------
    state, provenance
        The state, and where it comes from.
    form, values
        The format that is written, and the values of its parameters; see `told`.
    """

    state: State
    provenance: Provenance
    form: str = ""
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def checkpoint(self) -> Checkpoint:
        """What the tensors come from."""
        return self.state.checkpoint

    def mask(self, name: str) -> Mask | None:
        """Return what is kept of a tensor; None for everything."""
        return self.state.mask(name)

    def zeroed(self, name: str) -> Mask | None:
        """Return the mask of everything that is written as +0.0; None for nothing."""
        return self.state.zeroed(name)

    def chunks(
        self, name: str, start: int = 0, stop: int | None = None, size: int | None = None
    ) -> Iterator[RawChunk]:
        """Yield the raw elements of a tensor, see `State`."""
        return self.state.chunks(name, start, stop, size)


def told(state: State, form: str, values: Mapping[str, Any]) -> State:
    """Return a state that knows which format it is written in, if it says where it comes from."""
    if isinstance(state, RoundedState):
        return replace(state, state=told(state.state, form, values))
    return replace(state, form=form, values=values) if isinstance(state, ProvenanceState) else state


def metadata_of(state: State, kept: Mapping[str, str]) -> dict[str, str]:
    """Return the text that a file of a state should carry.

    Parameters
    ----------
    state
        What is written.
    kept
        The text of the source. What that says of its own provenance is not true any more.
    """
    if isinstance(state, RoundedState):
        state = state.state
    others = {key: text for key, text in kept.items() if not key.startswith(KEY)}
    if not isinstance(state, ProvenanceState):
        return others
    return others | state.provenance.texts(state.form, state.values)


def inputs_in(texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the SHA-256 of the inputs that metadata names; none where it says nothing of them.

    Parameters
    ----------
    texts
        Metadata as `Provenance.texts` makes it.

    Raises
    ------
    JsonError
        If it is not as that makes it.
    """
    return decode(texts.get(_INPUTS, "[]"), tuple[str, ...], _INPUTS)


def read_masks(text: str, recipe: Recipe) -> dict[str, BitMask]:
    """Return the masks of a recipe that metadata holds; none for text that is not ours."""
    sizes = dict(recipe.named_masks())
    try:
        found = decode(text, dict[str, str])
        packed = {name: base64.b64decode(data, validate=True) for name, data in found.items()}
    except (JsonError, ValueError):
        return {}
    return {
        name: BitMask(np.frombuffer(data, np.uint8).copy(), sizes[name])
        for name, data in packed.items()
        if name in sizes and len(data) == (sizes[name] + 7) // 8
    }


def _text_of(mask: BitMask) -> str:
    return base64.b64encode(mask.packed.data).decode()


def _state_dict(checkpoint: Checkpoint) -> str:
    contents = checkpoint.contents
    return contents.state_dict if len(contents.state_dicts) > 1 else ""


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_ZSTD = b"\x28\xb5\x2f\xfd"


def is_packed(file: Path) -> bool:
    """Whether a file is compressed with zstd as a whole."""
    try:
        source = FileSource(file)  # which waits for no pipe
    except CheckpointError:
        return False
    with contextlib.closing(source):
        return source.size >= len(_ZSTD) and source.read(0, len(_ZSTD)) == _ZSTD


def metadata_inside(file: Path) -> dict[str, str] | None:
    """Return the metadata of the safetensors file that is compressed in another.

    None if there is none in it, or it cannot be unpacked so far.
    """
    import zstandard  # not for those who read no such file

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
    found = header.get("__metadata__", {})
    if not isinstance(found, dict):
        return None
    return {key: text for key, text in found.items() if isinstance(text, str)}
