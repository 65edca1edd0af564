"""Record the inputs of a model while a script runs it, and form batches of them.

Used by the worker and by `pruneapp.recover`; needs torch only.
"""

from __future__ import annotations

import contextlib
import copy
import enum
import hashlib
import os
import tempfile
from collections.abc import Iterator, Mapping, MutableMapping
from numbers import Number
from pathlib import Path
from typing import Any, Callable

import torch

from pruneapp_worker.pipe import ContractError
from pruneapp_worker.tensors import buffer_of

# Bytes of recorded inputs in memory, and of further ones in files.
MEMORY = 1 << 30
DISK = 8 << 30
# Relative difference of outputs up to which rows count as computed independently of each other:
# kernels for other batch sizes round differently (TF32).
_SAME = 1e-2
_PLAIN = (type(None), Number, str, bytes, slice, range, enum.Enum, torch.dtype, torch.device)


class Enough(BaseException):
    """Raised to end a function of the script when enough inputs are recorded."""


def map_tensors(given: Any, function: Callable[[torch.Tensor], Any]) -> Any:
    """Return arguments with each tensor replaced, also in tuples, lists and mappings.

    These are copied, and keep their types.
    """
    if isinstance(given, torch.Tensor):
        return function(given)
    if isinstance(given, tuple) and hasattr(given, "_fields"):
        return type(given)(*(map_tensors(one, function) for one in given))
    if isinstance(given, (tuple, list)):
        return type(given)(map_tensors(one, function) for one in given)
    if isinstance(given, Mapping):
        replaced = {key: map_tensors(one, function) for key, one in given.items()}
        if type(given) is dict or not isinstance(given, MutableMapping):
            return replaced
        copied = copy.copy(given)  # such as BatchEncoding, whose entries are attributes, too
        for key, one in replaced.items():
            copied[key] = one
        return copied
    return given


def tensors_in(given: Any) -> list[torch.Tensor]:
    """Return the tensors in arguments or outputs, in their order."""
    if isinstance(given, torch.Tensor):
        return [given]
    if isinstance(given, Mapping):
        given = list(given.values())
    if isinstance(given, (tuple, list)):
        return [tensor for one in given for tensor in tensors_in(one)]
    return []


class Call:
    """The arguments of a call of the model: tensors on the CPU, and the devices they were on."""

    def __init__(self, given: Any, devices: list[torch.device]) -> None:
        self.given = given
        self.devices = devices
        sizes = [tensor.shape[0] for tensor in tensors_in(given) if tensor.dim()]
        self.rows = sizes[0] if sizes else 1

    def structure(self) -> str:
        """Return a text that is equal for calls that differ in the tensors only."""
        return _structure_of(self.given)

    def key(self, by_row: list[bool]) -> tuple[Any, ...]:
        """Return what calls must have in common to be joined in a batch.

        `by_row`: which of the tensors have an entry for each row; the others are shared by them.
        """
        found: list[Any] = [self.structure()]
        for tensor, rows in zip(tensors_in(self.given), by_row):
            found.append((tuple(tensor.shape[1 if rows else 0 :]), tensor.dtype))
            if not rows:
                found.append(hashlib.sha256(buffer_of(tensor.contiguous())).digest())
        return tuple(found)


def _structure_of(given: Any) -> str:
    if isinstance(given, torch.Tensor):
        return "tensor"
    if isinstance(given, Mapping):
        given = [one for entry in given.items() for one in entry]
    if isinstance(given, (tuple, list)):
        return f"({', '.join(map(_structure_of, given))})"
    return repr(given)


def find_row_tensors(calls: list[Call]) -> list[list[bool]]:
    """Return which tensors of each call have an entry for each row.

    Their first dimension has the number of rows in each call with the same structure. A tensor for
    which this is true of a single batch by chance, such as a mask for as many positions as there
    are rows, is shared.
    """
    by_structure: dict[str, list[bool]] = {}
    structures = [call.structure() for call in calls]
    for call, structure in zip(calls, structures):
        found = [bool(t.dim()) and t.shape[0] == call.rows for t in tensors_in(call.given)]
        before = by_structure.setdefault(structure, found)
        by_structure[structure] = [a and b for a, b in zip(before, found)]
    return [by_structure[structure] for structure in structures]


class Recorder:
    """Records the arguments of the outermost calls of a model.

    Parameters
    ----------
    module
        The model.
    samples
        Recording ends with the call that reaches this number of rows; None for no limit.
    memory, disk
        Maximum bytes of recorded tensors in memory, and in files of a temporary folder, which
        `close` deletes. Further calls are not recorded, and those that do not fit on the disk.
    folder
        Where the temporary folder is created; None for that of the system.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        samples: int | None = None,
        *,
        memory: int = MEMORY,
        disk: int = DISK,
        folder: str | None = None,
    ) -> None:
        self._place = folder
        self.calls: list[Call] = []
        self.dropped = 0  # rows that exceeded the budget
        self._module = module
        self._samples = samples
        self._memory, self._disk = memory, disk
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def rows(self) -> int:
        """Number of recorded rows."""
        return sum(call.rows for call in self.calls)

    @property
    def is_complete(self) -> bool:
        """Whether as many rows are recorded as are wanted."""
        return self._samples is not None and self.rows >= self._samples

    def close(self) -> None:
        """Delete the files; recorded calls must not be used any more."""
        self.calls = []
        if self._folder is not None:
            with contextlib.suppress(OSError):  # Windows does not delete files that are in use
                self._folder.cleanup()

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Record the calls of the model in the block; it ends early when there are enough."""
        module = self._module
        forward, own = module.forward, vars(module).get("forward")
        depth = 0

        def watched(*args: Any, **kwargs: Any) -> Any:
            """Record the arguments of an outermost call, and call the model."""
            nonlocal depth
            if not depth:
                if self.is_complete:
                    raise Enough
                self.record(args, kwargs)
            depth += 1
            try:
                return forward(*args, **kwargs)
            finally:
                depth -= 1

        module.forward = watched
        try:
            with contextlib.suppress(Enough):
                yield
        finally:
            vars(module).pop("forward", None)
            if own is not None:
                module.forward = own

    def record(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], device: torch.device | None = None
    ) -> None:
        """Copy the arguments of a call of the model.

        With a `device`, the model is called with tensors on it instead of where they are. Raises
        `ContractError` for objects that cannot be copied.
        """
        if kwargs.get("use_cache") is True:  # blocks that run again would find their own keys
            kwargs = {**kwargs, "use_cache": False}
        _refuse_objects((args, kwargs))
        tensors = tensors_in((args, kwargs))
        if not tensors:
            raise ContractError(
                "The model was called without a tensor in its arguments, so recovery cannot repeat "
                "the call.",
                "Call the model with tensors.",
            )
        devices = [tensor.device if device is None else device for tensor in tensors]
        size = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        in_memory = size <= self._memory
        with torch.inference_mode(mode=False), torch.no_grad():
            call = Call((args, kwargs), devices)
            if not in_memory and size > self._disk:
                self.dropped += call.rows
                return
            try:
                call.given = map_tensors(
                    call.given, self._copy if in_memory else self._copy_to_file
                )
            except OSError:  # the disk is full
                self.dropped += call.rows
                return
        self._memory -= size if in_memory else 0
        self._disk -= 0 if in_memory else size
        self.calls.append(call)

    @staticmethod
    def _copy(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach().to("cpu", copy=True)

    def _copy_to_file(self, tensor: torch.Tensor) -> torch.Tensor:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="pruneapp-inputs-", dir=self._place)
        copied = self._copy(tensor).contiguous()
        size = copied.numel() * copied.element_size()
        if not size:
            return copied
        handle, path = tempfile.mkstemp(dir=self._folder.name)
        os.close(handle)
        # Not written through the mapping: a full disk would end the process.
        Path(path).write_bytes(buffer_of(copied))
        try:
            stored = torch.from_file(path, shared=False, size=size, dtype=torch.uint8)
        except RuntimeError as error:  # too many mappings
            raise OSError(str(error)) from error
        return stored.view(copied.dtype).view(copied.shape)


def _refuse_objects(given: Any) -> None:
    """Raise `ContractError` for arguments that are neither tensors nor plain values."""
    if isinstance(given, Mapping):
        given = list(given.values())
    if isinstance(given, (tuple, list)):
        for one in given:
            _refuse_objects(one)
    elif isinstance(given, torch.Tensor) and given.layout is not torch.strided:
        raise ContractError(
            f"The model was called with a tensor of layout {given.layout}, which recovery cannot "
            "record.",
            "Call the model with dense tensors.",
        )
    elif not isinstance(given, (torch.Tensor, *_PLAIN)):
        raise ContractError(
            f"The model was called with an object of type {type(given).__name__}, so recovery "
            "cannot repeat the call.",
            "Call the model with tensors, lists and dicts of tensors only; language models with "
            "use_cache=False instead of generate().",
        )


class Batch:
    """The arguments of a call that joins rows of recorded calls."""

    def __init__(self, args: Any, kwargs: Any, rows: int) -> None:
        self.args, self.kwargs = args, kwargs
        self.rows = rows

    @property
    def first(self) -> torch.Tensor:
        """The first tensor of the arguments."""
        return tensors_in((self.args, self.kwargs))[0]


class Samples:
    """Recorded rows, divided into training and held-out ones, in batches.

    Parameters
    ----------
    calls
        The recorded calls.
    split
        Whether rows are independent: rows of calls with equal shapes may be joined in any
        combination. Otherwise each call is one sample, and one batch.
    size
        Rows per batch.
    seed
        Seed of the division and of the order. Everything is determined by it.
    dtype
        Floating dtype of all floating inputs; None for that of each.
    """

    def __init__(
        self,
        calls: list[Call],
        *,
        split: bool,
        size: int,
        seed: int,
        dtype: torch.dtype | None = None,
        held_out: float = 0.15,
    ) -> None:
        self._calls, self._split, self._size = calls, split, size
        self._seed, self._dtype = seed, dtype
        self._by_row = find_row_tensors(calls)
        keys: dict[Any, int] = {}
        rows: list[tuple[int, int, int]] = []  # key, number of the call, row in it
        for number, (call, by_row) in enumerate(zip(calls, self._by_row)):
            key = keys.setdefault(call.key(by_row), len(keys)) if split else number
            rows += [(key, number, row) for row in range(call.rows if split else 1)]
        if len(rows) < 2:
            raise ContractError(
                "Recovery found only one independent sample in the inputs, and needs at least two: "
                "one to train with, one held out.",
                "Run more inputs through the model; 256 or more are useful.",
            )
        order = torch.randperm(len(rows), generator=_generator(seed)).tolist()
        held = max(1, round(held_out * len(rows)))
        self.held_out = self._batches([rows[i] for i in sorted(order[:held])])
        self._rows = [rows[i] for i in sorted(order[held:])]
        self.count, self.n_held_out = len(rows), held
        self._epoch: tuple[int, list[list[Any]]] = (-1, [])
        self.per_epoch = len(self._batches(self._rows))
        self.is_continuous = all(
            tensor.is_floating_point() for call in calls for tensor in tensors_in(call.given)
        )

    def _batches(self, rows: list[Any]) -> list[list[Any]]:
        """Return rows in their order as batches of the same key."""
        by_key: dict[int, list[Any]] = {}
        for row in rows:
            by_key.setdefault(row[0], []).append(row)
        size = self._size if self._split else 1
        return [
            some[start : start + size]
            for some in by_key.values()
            for start in range(0, len(some), size)
        ]

    @property
    def training(self) -> list[list[Any]]:
        """The training rows as fixed batches."""
        return self._batches(self._rows)

    def indices(self, step: int) -> list[Any]:
        """Return the rows of the batch of a step; the order changes in each epoch."""
        epoch, number = divmod(step, self.per_epoch)
        if self._epoch[0] != epoch:
            generator = _generator(self._seed, epoch)
            order = torch.randperm(len(self._rows), generator=generator).tolist()
            batches = self._batches([self._rows[i] for i in order])
            order = torch.randperm(len(batches), generator=generator).tolist()
            self._epoch = epoch, [batches[i] for i in order]
        return self._epoch[1][number]

    def batch(self, rows: list[Any], *, mix_seed: int | None = None) -> Batch:
        """Return the batch of some rows of one key, on the device of the recorded call.

        With a `mix_seed`, each row of continuous inputs is mixed with another row of the batch in a
        random proportion.
        """
        first, by_row = self._calls[rows[0][1]], self._by_row[rows[0][1]]
        joined, count = first.given, first.rows
        if self._split:
            joined = _join([(self._calls[number].given, row) for _, number, row in rows], by_row)
            count = len(rows)
        order = proportion = None
        if mix_seed is not None and self._split and self.is_continuous and count > 1:
            generator = _generator(self._seed, mix_seed)
            order = torch.randperm(count, generator=generator)
            proportion = torch.rand(count, generator=generator)
            mixed = [t for t, rows_of in zip(tensors_in(joined), by_row) if rows_of]
            if not all(bool(torch.isfinite(tensor).all()) for tensor in mixed):  # additive masks
                order = None
        position = iter(zip(by_row, first.devices))

        def prepare(tensor: torch.Tensor) -> torch.Tensor:
            """Mix rows, and convert a tensor to the wanted dtype and device."""
            has_rows, device = next(position)
            if self._dtype is not None and tensor.is_floating_point():
                tensor = tensor.to(self._dtype)
            if order is not None and proportion is not None and has_rows:
                shape = (-1, *[1] * (tensor.dim() - 1))
                share = proportion.to(tensor.dtype).reshape(shape)
                tensor = share * tensor + (1 - share) * tensor[order]
            return tensor.to(device, copy=True)  # the model may change its inputs

        args, kwargs = map_tensors(joined, prepare)
        return Batch(args, kwargs, count)


def _generator(seed: int, number: int = 0) -> torch.Generator:
    generator = torch.Generator()
    generator.manual_seed((seed * 1_000_003 + number) % (1 << 63))
    return generator


def _join(parts: list[tuple[Any, int]], by_row: list[bool]) -> Any:
    """Return arguments of a call that has a row of each of some calls with the same key.

    `parts` are the arguments of the calls and the rows; `by_row` as in `Call.key`.
    """
    flat = [(tensors_in(given), row) for given, row in parts]
    position = iter(enumerate(by_row))

    def join(tensor: torch.Tensor) -> torch.Tensor:
        place, rows = next(position)
        return torch.stack([some[place][row] for some, row in flat]) if rows else tensor

    return map_tensors(parts[0][0], join)


@torch.no_grad()
def rows_are_independent(calls: list[Call], run: Callable[[Any, Any], list[torch.Tensor]]) -> bool:
    """Return whether the outputs of a row do not depend on the other rows of its call.

    Two rows are run together and each alone. `run` returns the outputs for arguments on the CPU. If
    each call has one row, two calls with equal shapes are joined; with none, rows are independent.
    """
    found = _two_rows_of(calls)
    if found is None:
        return True
    pairs, by_row = found
    try:
        joined = run(*_join(pairs, by_row))
        alone = [run(*_join([pair], by_row)) for pair in pairs]
    except Exception:  # noqa: BLE001 - the model does not accept these shapes
        return False
    if any(len(single) != len(joined) for single in alone):
        return False
    return all(
        _has_row(output, single[place], row)
        for place, output in enumerate(joined)
        for row, single in enumerate(alone)
    )


def _has_row(joined: torch.Tensor, alone: torch.Tensor, row: int) -> bool:
    """Return whether the output of a row is that in an output for two rows.

    The rows of an output may be in any dimension: in the second one of the state of an LSTM.
    """
    shape = list(joined.shape)
    for place, size in enumerate(shape):
        if size != 2 or [*shape[:place], 1, *shape[place + 1 :]] != list(alone.shape):
            continue
        # what is not finite is reported by the caller
        found, wanted = (
            tensor.double().nan_to_num(0.0, 0.0, 0.0)
            for tensor in (joined.narrow(place, row, 1), alone)
        )
        return bool((found - wanted).norm() <= _SAME * wanted.norm() + 1e-12)
    return False


def _two_rows_of(calls: list[Call]) -> tuple[list[tuple[Any, int]], list[bool]] | None:
    """Return arguments and rows of two samples that could be joined, and which tensors have rows.

    None if no samples can be joined.
    """
    row_tensors = find_row_tensors(calls)
    for call, by_row in zip(calls, row_tensors):
        if call.rows > 1:
            return [(call.given, 0), (call.given, call.rows - 1)], by_row
    by_key: dict[Any, Call] = {}
    for call, by_row in zip(calls, row_tensors):
        other = by_key.setdefault(call.key(by_row), call)
        if other is not call and call.rows:
            return [(other.given, 0), (call.given, 0)], by_row
    return None
