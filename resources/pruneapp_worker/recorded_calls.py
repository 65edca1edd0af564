"""Record the inputs of a model while a script runs it, and form batches of them.

Used by the worker and by `pruneapp.recover`; needs torch only.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any, Callable

import torch

from pruneapp_worker.pipe import ContractError
from pruneapp_worker.tensors import buffer_of

# Bytes of recorded inputs in memory, and of further ones in files.
MEMORY = 1 << 30
DISK = 8 << 30
# Relative difference of outputs up to which rows count as computed independently of each other.
_SAME = 1e-3
_PLAIN = (type(None), bool, int, float, complex, str, bytes, torch.dtype, torch.device)


class Enough(BaseException):
    """Raised to end a function of the script when enough inputs are recorded."""


def map_tensors(given: Any, function: Callable[[torch.Tensor], Any]) -> Any:
    """Return arguments with each tensor replaced, also in tuples, lists and mappings."""
    if isinstance(given, torch.Tensor):
        return function(given)
    if isinstance(given, tuple) and hasattr(given, "_fields"):
        return type(given)(*(map_tensors(one, function) for one in given))
    if isinstance(given, (tuple, list)):
        return type(given)(map_tensors(one, function) for one in given)
    if isinstance(given, Mapping):
        return {key: map_tensors(one, function) for key, one in given.items()}
    return given


def tensors_in(given: Any) -> list[torch.Tensor]:
    """Return the tensors in arguments or outputs, in their order."""
    found: list[torch.Tensor] = []
    map_tensors(given, found.append)
    return found


class Call:
    """The arguments of a call of the model: tensors on the CPU, and where they were."""

    def __init__(self, given: Any, device: torch.device) -> None:
        self.given = given
        self.device = device
        tensors = tensors_in(given)
        sizes = [tensor.shape[0] for tensor in tensors if tensor.dim()]
        self.rows = sizes[0] if sizes else 1

    def key(self, *, split: bool) -> tuple[Any, ...]:
        """Return what calls must have in common to be joined in a batch."""
        found: list[Any] = []

        def describe(tensor: torch.Tensor) -> None:
            if split and tensor.dim() and tensor.shape[0] == self.rows:
                found.append((tuple(tensor.shape[1:]), tensor.dtype))
            else:  # shared by the rows
                found.append(
                    (tuple(tensor.shape), tensor.dtype, bytes(buffer_of(tensor.contiguous())))
                )

        plain = map_tensors(self.given, describe)
        return (*found, repr(plain))


class Recorder:
    """Records the arguments of the outermost calls of a model.

    Parameters
    ----------
    module
        The model.
    samples
        How many rows are recorded at most; None for no limit.
    memory, disk
        Maximum bytes of recorded tensors in memory, and in files of a temporary folder, which
        `close` deletes. Further calls are not recorded.
    """

    def __init__(
        self,
        module: torch.nn.Module,
        samples: int | None = None,
        *,
        memory: int = MEMORY,
        disk: int = DISK,
    ) -> None:
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

    def close(self) -> None:
        """Delete the files; recorded calls must not be used any more."""
        self.calls = []
        if self._folder is not None:
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
                if self._samples is not None and self.rows >= self._samples:
                    raise Enough
                self._record(args, kwargs)
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

    def _record(self, args: Any, kwargs: Any) -> None:
        """Copy the arguments of a call; raise `ContractError` for objects that are not copied."""
        _refuse_objects((args, kwargs))
        tensors = tensors_in((args, kwargs))
        if not tensors:
            raise ContractError(
                "The model was called without a tensor in its arguments, so recovery cannot repeat "
                "the call.",
                "Call the model with tensors in calibrate(model).",
            )
        size = sum(tensor.numel() * tensor.element_size() for tensor in tensors)
        in_memory = size <= self._memory
        if not in_memory and size > self._disk:
            self.dropped += Call((args, kwargs), tensors[0].device).rows
            return
        self._memory -= size if in_memory else 0
        self._disk -= 0 if in_memory else size
        with torch.inference_mode(mode=False), torch.no_grad():
            copied = map_tensors((args, kwargs), self._copy if in_memory else self._copy_to_file)
        self.calls.append(Call(copied, tensors[0].device))

    @staticmethod
    def _copy(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.detach().to("cpu", copy=True)

    def _copy_to_file(self, tensor: torch.Tensor) -> torch.Tensor:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="pruneapp-inputs-")
        handle, path = tempfile.mkstemp(dir=self._folder.name)
        os.close(handle)
        size = max(1, tensor.numel() * tensor.element_size())
        stored = torch.from_file(path, shared=True, size=size, dtype=torch.uint8)
        if not tensor.numel():
            return tensor.detach().cpu()
        copied = stored.view(tensor.dtype).view(tensor.shape)
        copied.copy_(tensor.detach())
        return copied


def _refuse_objects(given: Any) -> None:
    """Raise `ContractError` for arguments that are neither tensors nor plain values."""
    if isinstance(given, Mapping):
        given = list(given.values())
    if isinstance(given, (tuple, list)):
        for one in given:
            _refuse_objects(one)
    elif not isinstance(given, (torch.Tensor, *_PLAIN)):
        raise ContractError(
            f"The model was called with an object of type {type(given).__name__}, so recovery "
            "cannot repeat the call.",
            "Let calibrate(model) call the model with tensors, lists and dicts of tensors only, "
            "for language models with use_cache=False instead of generate().",
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
        combination. Otherwise each call is one sample.
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
        keys: dict[Any, int] = {}
        rows = [
            (keys.setdefault(call.key(split=split), len(keys)), number, row)
            for number, call in enumerate(calls)
            for row in range(call.rows if split else 1)
        ]
        if len(rows) < 2:
            raise ContractError(
                f"calibrate() ran {len(rows)} sample through the model, and recovery needs at "
                "least two: one to train with, one held out.",
                "Run more inputs; 256 or more are useful.",
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
        first = self._calls[rows[0][1]]
        if not self._split:
            joined = first.given
        else:
            parts = [self._calls[number].given for _, number, _ in rows]
            joined = _join(
                parts, [row for _, _, row in rows], [self._calls[n].rows for _, n, _ in rows]
            )
        count = len(rows) if self._split else first.rows
        mixing = mix_seed is not None and self._split and self.is_continuous and count > 1
        order = proportion = None
        if mixing:
            generator = _generator(self._seed, mix_seed or 0)
            order = torch.randperm(count, generator=generator)
            proportion = torch.rand(count, generator=generator)

        def prepare(tensor: torch.Tensor) -> torch.Tensor:
            """Mix rows, and convert a tensor to the wanted dtype and device."""
            if self._dtype is not None and tensor.is_floating_point():
                tensor = tensor.to(self._dtype)
            if (
                order is not None
                and proportion is not None
                and tensor.dim()
                and len(tensor) == count
            ):
                shape = (-1, *[1] * (tensor.dim() - 1))
                share = proportion.to(tensor.dtype).reshape(shape)
                tensor = share * tensor + (1 - share) * tensor[order]
            return tensor.to(first.device, copy=True)  # the model may change its inputs

        args, kwargs = map_tensors(joined, prepare)
        return Batch(args, kwargs, count)


def _generator(seed: int, number: int = 0) -> torch.Generator:
    generator = torch.Generator()
    generator.manual_seed((seed * 1_000_003 + number) % (1 << 63))
    return generator


def _join(parts: list[Any], rows: list[int], sizes: list[int]) -> Any:
    """Return the arguments of `parts` joined: row `rows[i]` of part i, with `sizes[i]` rows."""
    flat = [tensors_in(part) for part in parts]
    position = iter(range(len(flat[0])))

    def join(tensor: torch.Tensor) -> torch.Tensor:
        place = next(position)
        if not tensor.dim() or tensor.shape[0] != sizes[0]:
            return tensor
        return torch.stack([some[place][row] for some, row in zip(flat, rows)])

    return map_tensors(parts[0], join)


@torch.no_grad()
def rows_are_independent(calls: list[Call], run: Callable[[Any, Any], list[torch.Tensor]]) -> bool:
    """Return whether the outputs of a row do not depend on the other rows of its call.

    Two rows are run together and each alone. `run` returns the outputs for arguments on the CPU. If
    each call has one row, two calls with equal shapes are joined; with none, rows are independent.
    """
    call = next((call for call in calls if call.rows > 1), None)
    if call is not None:
        pairs = [(call.given, 0, call.rows), (call.given, call.rows - 1, call.rows)]
    else:
        by_key: dict[Any, Call] = {}
        for one in calls:
            other = by_key.setdefault(one.key(split=True), one)
            if other is not one:
                pairs = [(other.given, 0, 1), (one.given, 0, 1)]
                break
        else:
            return True
    together = (
        [part for part, _, _ in pairs],
        [row for _, row, _ in pairs],
        [n for _, _, n in pairs],
    )
    try:
        joined = run(*_join(*together))
        alone = [run(*_join([part], [row], [n])) for part, row, n in pairs]
    except Exception:  # noqa: BLE001 - the model does not accept these shapes
        return False
    for place, output in enumerate(joined):
        if not output.dim() or output.shape[0] != 2:
            return False
        for row, single in enumerate(alone):
            if single[place].shape != output[row : row + 1].shape:
                return False
            difference = (single[place].double() - output[row : row + 1].double()).norm()
            if not difference <= _SAME * output[row].double().norm() + 1e-12:
                return False
    return True
