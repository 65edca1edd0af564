"""Transfer states into the model of a worker, and verify the transfer.

A tensor of the checkpoint is matched with one of the model by name, or else by value: equal bytes,
possibly after a cast to the model's dtype, or transposed. A state is then transferred in place:
only its differences from the worker's weights, as masks and values.
"""

from __future__ import annotations

import copy
import hashlib
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import counted
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.script import remedy_for_shrunk
from pruneapp.export.destination.sidecars import has_shrink_record
from pruneapp.export.records import finalize
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

_BY_LABEL = {dtype.label: dtype for dtype in DTYPES.values()}


@dataclass(frozen=True)
class ModelTensor:
    """A parameter or buffer of the model, as described by the worker after loading."""

    name: str
    shape: tuple[int, ...]
    dtype: str  # name of the dtype in torch
    place: str  # equal for tied tensors
    parameter: bool  # otherwise it is a buffer
    sha256: str
    zeros: int

    @classmethod
    def of(cls, described: Mapping[str, Any]) -> ModelTensor:
        """Create it from a message of the worker."""
        return cls(**{**described, "shape": tuple(described["shape"])})

    @property
    def is_weight(self) -> bool:
        """Whether the model's output depends on its values: a parameter, or a float buffer.

        Integer buffers are position ids or batch counters, which only some library versions store.
        """
        return self.parameter or self.dtype.startswith(("float", "bfloat"))

    @property
    def is_counter(self) -> bool:
        """Whether it counts the batches of a norm layer, which training changes."""
        return not self.parameter and self.name.endswith("num_batches_tracked")


@dataclass(frozen=True)
class Digest:
    """SHA-256 of a tensor's bytes in C order, and its number of zeros."""

    sha256: str
    zeros: int


def digest_of(
    snapshot: Snapshot, name: str, dtype: str, job: Job, *, transposed: bool = False
) -> Digest:
    """Return the digest of a tensor of a state, with zeros applied, cast to a torch dtype.

    If `transposed`, the bytes are those of the transposed matrix. The digest is cached in the
    snapshot, and shared with states that have the same masks and values of the tensor.
    """
    owners = snapshot.masks_of(name)
    key = ("digest", name, dtype, transposed, *map(id, owners))
    known: Digest | None = snapshot.cache.get(key, owners)
    if known is None:
        known = _digest(snapshot, snapshot.entry(name), dtype, job, transposed=transposed)
        snapshot.cache.put(key, owners, known)
    return known


def _digest(
    snapshot: Snapshot, entry: TensorEntry, dtype: str, job: Job, *, transposed: bool
) -> Digest:
    """Compute what `digest_of` returns, in pieces; a transposed tensor is read as a whole."""
    hashed, zeros = hashlib.sha256(), 0
    source, target = _numpy(entry.dtype.label), _numpy(dtype)
    whole: list[NDArray[Any]] = []
    for piece in finalize(snapshot, entry).pieces():
        job.cancel.check()
        values = np.frombuffer(piece, source)
        if source != target:
            with np.errstate(all="ignore"):
                values = values.astype(target)
        if transposed:
            whole.append(values.copy() if source == target else values)
            continue
        hashed.update(values.view(np.uint8).data)
        zeros += _zeros(values)
    if transposed:
        matrix = np.concatenate(whole).reshape(entry.shape).T
        values = np.ascontiguousarray(matrix).reshape(-1)
        hashed.update(values.view(np.uint8).data)
        zeros = _zeros(values)
    return Digest(hashed.hexdigest(), zeros)


def _numpy(label: str) -> np.dtype[Any]:
    """Return the NumPy dtype with the name `label` in torch.

    uint8 if NumPy has none: then the raw bytes are hashed.
    """
    dtype = _BY_LABEL.get(label)
    if dtype is None or not dtype.numpy:
        return np.dtype(np.uint8)
    if label.startswith(("bfloat", "float8")):
        import ml_dtypes

        small: np.dtype[Any] = np.dtype(getattr(ml_dtypes, label))
        return small
    return np.dtype(label)


def _zeros(values: NDArray[Any]) -> int:
    """Return the number of zeros, of floats including negative ones."""
    if values.dtype.kind in "fV" and values.dtype.itemsize in {1, 2, 4, 8}:
        bits = values.view(f"u{values.dtype.itemsize}")
        return int(bits.size - np.count_nonzero(bits << np.asarray(1, bits.dtype)))
    return int(values.size - np.count_nonzero(values))


@dataclass(frozen=True)
class _Pair:
    """A tensor of the checkpoint and its counterpart in the model."""

    name: str
    tensor: ModelTensor
    transposed: bool = False

    def digest(self, snapshot: Snapshot, job: Job) -> Digest:
        return digest_of(snapshot, self.name, self.tensor.dtype, job, transposed=self.transposed)


class Handover:
    """The model that a worker loaded from a file, and the weights that it has now.

    Parameters
    ----------
    loaded
        The state in the loaded file.
    described
        The worker's descriptions of the model's tensors.

    Raises
    ------
    EvaluationError
        If the model does not have the weights of the file.
    """

    def __init__(self, loaded: Snapshot, described: Iterable[Mapping[str, Any]], job: Job) -> None:
        self.loaded = loaded
        self.tensors = {tensor.name: tensor for tensor in map(ModelTensor.of, described)}
        self.held = {name: tensor.sha256 for name, tensor in self.tensors.items()}
        self.spoiled = False  # whether something changed that a transfer cannot restore
        # For transferred tensors: the checkpoint, the replaced values, and the mask of zeros.
        self._given: dict[str, tuple[Checkpoint | None, BitMask | None, BitMask | None]] = {}
        self._pairs = {pair.name: pair for pair in self._match_tensors(job)}
        self._places = {pair.tensor.place for pair in self._pairs.values()}
        self._refuse_strangers(job)

    @property
    def unmatched(self) -> tuple[str, ...]:
        """Tensors of the checkpoint without an exact counterpart in the model."""
        return tuple(name for name in self.loaded.checkpoint.entries if name not in self._pairs)

    def counterpart(self, name: str) -> tuple[ModelTensor, bool] | None:
        """Return the counterpart of a tensor, and whether it is transposed.

        None if there is none.
        """
        pair = self._pairs.get(name)
        return None if pair is None else (pair.tensor, pair.transposed)

    def checkpoint_names(self) -> dict[str, str]:
        """Return the tensors of the checkpoint by the names of their counterparts in the model.

        Tied tensors of the model have the same one. Tensors without counterpart are left out.
        """
        names = {pair.tensor.place: name for name, pair in self._pairs.items()}
        tensors = self.tensors.values()
        return {t.name: names[t.place] for t in tensors if t.place in names}

    def _match_tensors(self, job: Job) -> list[_Pair]:
        """Return the pairs of tensors with equal values: by name first, the others by value.

        Each tensor of the model is used once, tied ones together.
        """
        loaded, taken, pairs = self.loaded, set(), []
        rest: list[TensorEntry] = []
        for entry in loaded.checkpoint.entries.values():
            pair = self._match_by_name(entry, job)
            if pair is None:
                rest.append(entry)
            else:
                pairs.append(pair)
                taken.add(pair.tensor.place)
        free: dict[tuple[int, ...], list[ModelTensor]] = defaultdict(list)
        for tensor in self.tensors.values():
            if tensor.is_weight and tensor.place not in taken:
                free[tensor.shape].append(tensor)
        for entry in rest:
            pair = self._match_by_value(entry, free, taken, job)
            if pair is not None:
                pairs.append(pair)
                taken.add(pair.tensor.place)
        return pairs

    def _match_by_name(self, entry: TensorEntry, job: Job) -> _Pair | None:
        """Return the model's tensor with a name, the shape and the bytes of `entry`, or None."""
        for name in entry.names:
            tensor = self.tensors.get(name)
            if tensor is None or tensor.shape != entry.shape:
                continue
            if tensor.is_weight or tensor.is_counter:
                pair = _Pair(entry.name, tensor)
                if pair.digest(self.loaded, job).sha256 == tensor.sha256:
                    return pair
        return None

    def _match_by_value(
        self,
        entry: TensorEntry,
        free: Mapping[tuple[int, ...], Sequence[ModelTensor]],
        taken: set[str],
        job: Job,
    ) -> _Pair | None:
        """Return the model's tensor with the bytes of `entry`, possibly transposed, or None.

        `free` are the unmatched tensors of the model by shape, and `taken` the places matched
        since. Of several equal tensors the one with most equal trailing parts of the name is
        returned, None if two are equally similar.
        """
        turned = entry.shape[::-1]
        candidates = [_Pair(entry.name, tensor) for tensor in free.get(entry.shape, ())]
        if len(entry.shape) == 2:
            candidates += [_Pair(entry.name, t, transposed=True) for t in free.get(turned, ())]
        equal: dict[str, _Pair] = {}
        for pair in candidates:
            tensor = pair.tensor
            if tensor.place not in taken and tensor.sha256 == pair.digest(self.loaded, job).sha256:
                equal.setdefault(tensor.place, pair)
        ranked = sorted(
            equal.values(),
            key=lambda p: _count_equal_parts(entry.name, p.tensor.name),
            reverse=True,
        )
        if len(ranked) > 1 and _count_equal_parts(
            entry.name, ranked[0].tensor.name
        ) == _count_equal_parts(entry.name, ranked[1].tensor.name):
            return None  # equal tensors that names do not distinguish
        return ranked[0] if ranked else None

    def _refuse_strangers(self, job: Job) -> None:
        """Raise `EvaluationError` if the weights of the model are not those of the file.

        Compared are float parameters of at least two dimensions. Those without an exact counterpart
        are compared by their number of zeros, which does not change if a model joins or splits
        weights. A file may also have weights that the model lacks, such as a head: all of these
        elements may be zeros. In a shrunk file, tensors of the same name must not differ in size.
        """
        checkpoint = self.loaded.checkpoint
        large = [
            entry
            for entry in checkpoint.entries.values()
            if len(entry.shape) > 1 and entry.prunable and entry.learned and entry.kind != "bias"
        ]
        for entry in large if has_shrink_record(checkpoint) else ():
            tensor = self.tensors.get(entry.name)
            if tensor is not None and math.prod(tensor.shape) != entry.numel:
                raise self._original_widths(entry, tensor)
        if large and not any(entry.name in self._pairs for entry in large):
            raise self._other_weights(
                f"none of {counted(len(large), 'tensor')} has the same values"
            )
        zeros_of_file = zeros_of_model = missing = 0
        for entry in large:
            if entry.name in self._pairs:
                continue
            zeros = digest_of(self.loaded, entry.name, entry.dtype.label, job).zeros
            tensor = self.tensors.get(entry.name)
            if tensor is not None and tensor.shape == entry.shape and tensor.zeros != zeros:
                raise self._other_weights(
                    f"'{entry.name}' has {counted(tensor.zeros, 'zero')} in the model and "
                    f"{zeros:,} in the file"
                )
            zeros_of_file += zeros
            missing += entry.numel
        for place, tensor in {t.place: t for t in self.tensors.values()}.items():
            if place not in self._places and tensor.parameter and len(tensor.shape) > 1:
                zeros_of_model += tensor.zeros
                missing -= math.prod(tensor.shape)
        if zeros_of_model < zeros_of_file - max(missing, 0):
            raise self._other_weights(
                f"the tensors that it holds in another form have "
                f"{counted(zeros_of_model, 'zero')}, those of the file {zeros_of_file:,}"
            )

    def _original_widths(self, entry: TensorEntry, tensor: ModelTensor) -> EvaluationError:
        name = self.loaded.checkpoint.path.name
        before, after = ("×".join(map(str, shape)) for shape in (tensor.shape, entry.shape))
        return EvaluationError(
            f"'{entry.name}' has the shape {before} in the loaded model and {after} in the shrunk "
            f"file '{name}'.",
            remedy=remedy_for_shrunk(),
        )

    def _other_weights(self, what: str) -> EvaluationError:
        name = self.loaded.checkpoint.path.name
        return EvaluationError(
            f"The loaded model does not contain the weights of '{name}': {what}.",
            remedy="Make sure that load(path) reads the weights from the path that it is given.",
        )

    def can_transfer(self, snapshot: Snapshot, job: Job) -> bool:
        """Return whether a state can be transferred in place: changed tensors have counterparts.

        The state may belong to another checkpoint if that has the same names and shapes.
        """
        entries = snapshot.checkpoint.entries
        if snapshot.checkpoint is not self.loaded.checkpoint:
            ours = self.loaded.checkpoint.entries
            if entries.keys() != ours.keys() or any(
                entries[name].shape != ours[name].shape for name in ours
            ):
                return False
        return all(self._same(snapshot, name, job) for name in self.unmatched)

    def _same(self, snapshot: Snapshot, name: str, job: Job) -> bool:
        dtype = self.loaded.entry(name).dtype.label
        return digest_of(snapshot, name, dtype, job) == digest_of(self.loaded, name, dtype, job)

    def copy_for_second_model(self) -> Handover:
        """Return a copy that tracks another state in the worker, equal at first."""
        other = copy.copy(self)
        vars(other).update(held=dict(self.held), _given=dict(self._given))
        return other

    def patches(
        self, snapshot: Snapshot, scratch: Path, job: Job, names: Collection[str] | None = None
    ) -> list[dict[str, Any]]:
        """Return the changes that the worker has to make; write masks and values to `scratch`.

        Each is a JSON object with the tensor's name in the model, and the file and offset of its
        mask and values. Afterwards the worker is assumed to have made them, so a second call with
        the same state returns none. With `names` only these tensors of the state are transferred.
        The file `scratch` is replaced, also if nothing is written.
        """
        found: list[dict[str, Any]] = []
        with scratch.open("wb") as file:
            for pair in self._pairs.values():
                if names is not None and snapshot.entry(pair.name).name not in names:
                    continue
                wanted = pair.digest(snapshot, job).sha256
                if self.held.get(pair.tensor.name) == wanted:
                    continue
                mask = snapshot.export_mask(pair.name)
                patch: dict[str, Any] = {"name": pair.tensor.name, "transposed": pair.transposed}
                if not self._needs_only_mask(snapshot, pair.name, mask):
                    patch |= _values(snapshot, pair.name, scratch, file)
                if mask is not None:
                    patch["mask"] = [str(scratch), file.tell()]
                    for _, part in mask.parts():
                        file.write(part.data)
                found.append(patch)
                values = snapshot.values.get(pair.name)
                self._given[pair.name] = snapshot.checkpoint, values, mask
                for tensor in self.tensors.values():
                    if tensor.place == pair.tensor.place:
                        self.held[tensor.name] = wanted
        return found

    def _needs_only_mask(self, snapshot: Snapshot, name: str, mask: BitMask | None) -> bool:
        """Return whether it suffices to send `mask`, without values.

        That is if it prunes all that was pruned before, and the values are equal. Compared with
        what was transferred last for this tensor, or else with the loaded state. False if `mask` is
        None.
        """
        loaded = self.loaded
        before = loaded.checkpoint, loaded.values.get(name), loaded.export_mask(name)
        checkpoint, values, known = self._given.get(name, before)
        if checkpoint is not snapshot.checkpoint or values is not snapshot.values.get(name):
            return False
        if mask is None:
            return False
        return known is None or not (mask - known).kept

    def record_digests(self, held: Iterable[tuple[str, str, int]]) -> list[ModelTensor]:
        """Record the digests that the worker reports; return tensors that changed unexpectedly.

        `held` has the name, SHA-256 and number of zeros of each tensor. Buffers that belong to no
        tensor of the checkpoint may change. `spoiled` becomes True if a parameter without
        counterpart changed, which no transfer can restore; the matched ones are transferred whole
        next time.
        """
        changed = []
        for name, sha256, _zeros in held:
            tensor = self.tensors.get(name)
            if tensor is None or sha256 == self.held[name]:
                continue
            self.held[name] = sha256
            if tensor.place in self._places or tensor.parameter:
                changed.append(tensor)
        places = {tensor.place for tensor in changed}
        self._given |= {
            name: (None, None, None)
            for name, pair in self._pairs.items()
            if pair.tensor.place in places
        }
        self.spoiled |= not places <= self._places
        return changed

    def verify(self, held: Iterable[tuple[str, str, int]]) -> None:
        """Raise `EvaluationError` if the computation ran with other weights than were transferred.

        `held` is as in `record_digests`, which is called in any case.
        """
        changed = self.record_digests(held)
        if not changed:
            return
        more = f" and {counted(len(changed) - 1, 'other tensor')}" * (len(changed) > 1)
        raise EvaluationError(
            f"The evaluation changed the weights that it was given ('{changed[0].name}'{more}), "
            "so there is no result.",
            remedy="Do not train, load or change weights in evaluate."
            if any(tensor.parameter for tensor in changed)
            else "Norm layers in training mode change their buffers: call model.eval() in load.",
        )


def _values(snapshot: Snapshot, name: str, scratch: Path, file: IO[bytes]) -> dict[str, Any]:
    """Return where the worker reads a tensor's values: the checkpoint's file, or `scratch`.

    Values that are replaced, not contiguous, or not in a file on disk are appended to `file`, which
    is `scratch` opened for writing. The JSON object has ``values``, a path and an offset, and
    ``dtype``.
    """
    entry = snapshot.entry(name)
    source = snapshot.checkpoint.sources[entry.location.source]
    in_file = isinstance(source, FileSource) and not snapshot.replaces(name)
    if in_file and entry.location.strides is None:
        # Absolute, because the worker runs in the folder of the script.
        place: list[Any] = [str(source.file.path.absolute()), entry.location.offset]
    else:
        place = [str(scratch), file.tell()]
        for chunk in snapshot.chunks(name):
            file.write(chunk.bits.data)
    return {"values": place, "dtype": entry.dtype.torch}


def _count_equal_parts(name: str, other: str) -> int:
    """Return the number of equal trailing parts of two names, separated by periods; 0 for none."""
    parts = zip(reversed(name.split(".")), reversed(other.split(".")), strict=False)
    number = 0
    for one, two in parts:
        if one != two:
            break
        number += 1
    return number
