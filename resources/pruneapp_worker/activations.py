"""Collect statistics of activations: sums over the inputs of each weight while a model runs.

The products of a model are observed, not its modules: a weight is identified by its memory,
whatever module or function multiplies by it. For each product the input rows are summed in float64:
squares, values and, on request, the products of any two inputs.

If two states of a model run side by side (`side_by_side`), the inputs are those of the second
state. The inputs of the first for the same rows are kept until then, to sum the drift: the
difference of the outputs of the first state from those on the second inputs.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import operator
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from pruneapp_worker import tensors
from pruneapp_worker.pipe import ContractError

ATEN = torch.ops.aten
# Elements of activations converted to float64 at a time.
PIECE = 1 << 22
# Rows of a weight that are collected before they are summed. Adding a Gram matrix of 1,536 columns
# takes as long as multiplying 60 rows, and a short sentence has 20.
TOGETHER = 512


class Weight:
    """A parameter or buffer of two or more dimensions."""

    def __init__(self, name: str, tensor: torch.Tensor) -> None:
        self.name = name
        self.tensor = tensor
        self.first = tensor.storage_offset()
        self.span = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride()))

    def place_of(self, matrix: torch.Tensor) -> tuple[int, int, bool] | None:
        """Return the part of the weight that a matrix ``[inputs, outputs]`` is.

        The result is (first element, number of elements, whether the weight is stored as the matrix
        is, with the inputs along its rows). None if the matrix is not a contiguous part of the
        weight. `matrix` must share the memory of the weight.
        """
        own, offset = self.tensor, matrix.storage_offset()
        if own.dim() == 2 and offset == self.first:
            if matrix.t().shape == own.shape and matrix.t().stride() == own.stride():
                return 0, own.numel(), False
            if matrix.shape == own.shape and matrix.stride() == own.stride():
                return 0, own.numel(), True
        inputs, outputs = matrix.shape
        if own.is_contiguous():
            if matrix.t().is_contiguous() and inputs in {own[0].numel(), own.shape[-1]}:
                return offset - self.first, inputs * outputs, False
            if matrix.is_contiguous() and outputs == own.shape[-1]:
                return offset - self.first, inputs * outputs, True
        return None


class Sums:
    """Sums over the inputs of equal parts of a weight."""

    def __init__(self, parts: int, columns: int, *, grams: bool) -> None:
        self.counts = torch.zeros(parts, dtype=torch.float64)
        self.sum2 = torch.zeros(parts, columns, dtype=torch.float64)
        self.sum = torch.zeros(parts, columns, dtype=torch.float64)
        self.gram: Any = None  # created on first use: an expert may get no inputs
        self.grams = grams
        self.drift: Any = None  # sums by part, as returned by `drift_of`
        self.paired = True  # whether all rows had a counterpart, so that the drift is known
        # Rows that are not summed yet, with their changes between two states if `paired`.
        self.pending: list[torch.Tensor] = []
        self.changes: list[torch.Tensor] = []
        self.matrix: Any = None  # the part of the weight, if there are changes

    def add_drift(self, found: Any) -> None:
        """Add the drift of some rows; None marks the drift of all rows as unknown."""
        if found is None:
            self.paired = False
        elif self.drift is None:
            self.drift = found
        else:
            self.drift = [one + other for one, other in zip(self.drift, found)]

    def add(self, count: int, sum2: torch.Tensor, total: torch.Tensor, grams: Any) -> None:
        """Add the moments of `count` rows.

        `grams` is a function that yields (part, Gram matrix); it is called only if Gram matrices
        are collected.
        """
        self.counts += count
        self.sum2 += sum2
        self.sum += total
        if self.grams:
            if self.gram is None:
                parts, columns = self.sum.shape
                self.gram = torch.zeros(parts, columns, columns, dtype=torch.float64)
            for part, gram in grams():
                self.gram[part] += gram


class Rows:
    """The input rows of products, summed once for all weights that share them."""

    def __init__(self, parts: list[torch.Tensor]) -> None:
        self.parts = parts
        self.rows = parts[0] if len(parts) == 1 else torch.cat(parts)
        self.moments = moments(self.rows)
        self._gram: Any = None

    def is_of(self, parts: list[torch.Tensor]) -> bool:
        """Return whether these are the rows of the same tensors."""
        return len(parts) == len(self.parts) and all(map(operator.is_, parts, self.parts))

    def grams(self) -> Any:
        """Return the Gram matrix as that of part 0; it is computed once."""
        if self._gram is None:
            self._gram = sum(gram_of(piece) for piece in read_in_pieces(self.rows))
        return ((0, self._gram),)


class Watcher(TorchDispatchMode):
    """Sums the inputs of each weight of a module while it is active.

    Parameters
    ----------
    grams
        Names of weights whose Gram matrices are collected.
    counts
        Whether only rows are counted, which is fast; sums stay 0.
    only
        Whether the inputs of other weights than `grams` are ignored.
    """

    def __init__(
        self, module: torch.nn.Module, grams: Any = (), *, counts: bool = False, only: bool = False
    ) -> None:
        super().__init__()
        self.counts, self.only = counts, only
        self._weights: dict[int, list[Weight]] = {}
        self.grams = set(grams)
        # With two states: whether the first is running (inputs are kept), or the second (compared).
        self.keeping = self.pairing = False
        self.kept: dict[Any, list[torch.Tensor]] = {}
        self.seen: dict[str, dict[tuple[int, int, bool, int], Sums]] = {}
        self.sizes: dict[str, int] = {}
        self.devices: dict[str, str] = {}
        known = set()
        for name, tensor in module.state_dict(keep_vars=True).items():
            if (
                isinstance(tensor, torch.Tensor)
                and tensors.is_plain(tensor)
                and tensor.dim() > 1
                and tensor.is_floating_point()
            ):
                weight = Weight(name, tensor.detach())
                place = (storage_of(tensor), weight.first, tuple(tensor.shape), tensor.stride())
                self.sizes[name], self.devices[name] = tensor.numel(), str(tensor.device)
                if place not in known:  # otherwise it is tied
                    known.add(place)
                    self._weights.setdefault(place[0], []).append(weight)
        self._last: Any = None  # the `Rows` that were summed last
        self._copied: Any = None  # the rows of `_inputs`, shared by consecutive products
        self._inputs: Any = None  # of the last product, referenced so that its memory is not reused
        self._key: Any = None  # of `_inputs`
        self._runs = 0  # incremented when the inputs differ from those of the previous product
        self.runs: dict[str, int] = {}  # value of `_runs` at the first product of each weight

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Compute an operator, and pass the arguments of a product to its method in `WATCHED`."""
        kwargs = kwargs or {}
        watch = WATCHED.get(func._overloadpacket)  # noqa: SLF001 - no public API
        if watch is None:
            # In inference mode composite functions such as einsum arrive here: decompose them.
            if func.namespace == "aten" and hasattr(func, "decompose"):
                with self:
                    result = func.decompose(*args, **kwargs)
                if result is not NotImplemented:
                    return result
            return func(*args, **kwargs)
        result = func(*args, **kwargs)
        with torch.no_grad():
            watch(self, *args, **kwargs)
        return result

    def finish(self) -> None:
        """Sum the pending rows, and drop the references to activations."""
        for places in self.seen.values():
            for sums in places.values():
                self._sum_pending(sums)
        self._last = self._inputs = self._copied = None

    def _weight_of(self, tensor: torch.Tensor) -> Weight | None:
        """Return the weight in whose memory a tensor begins; None if there is none."""
        if not tensors.is_plain(tensor):
            return None
        offset = tensor.storage_offset()
        for weight in self._weights.get(storage_of(tensor), ()):
            if weight.first <= offset < weight.first + weight.span:
                return weight
        return None

    def _ignores(self, weight: Weight) -> bool:
        return self.only and weight.name not in self.grams

    def on_product(self, rows: torch.Tensor, matrix: torch.Tensor) -> None:
        """Add the product ``rows @ matrix`` if the matrix is a weight or a part of one.

        Otherwise, and for no rows, does nothing. While the first of two states runs, the rows are
        only kept.
        """
        weight = self._weight_of(matrix)
        place = None if weight is None or self._ignores(weight) else weight.place_of(matrix)
        if weight is None or place is None or not rows.shape[0]:
            return
        place = (*place, 1)
        if self._keeps(weight, place, rows):
            return
        sums = self._sums(weight, place, matrix.shape[0])
        self._note_run(weight, rows)
        if self.counts:
            sums.counts += rows.shape[0]
            return
        if self.pairing and weight.name in self.grams:
            change = self._counterpart(weight, place, rows)
            if change is None:
                sums.paired = False
            else:
                sums.changes.append(change)
                sums.matrix = matrix
        if self._copied is None:  # a copy of few rows, because the model may reuse the memory
            few = rows.shape[0] < TOGETHER
            self._copied = rows.detach().clone() if few else rows.detach()
        sums.pending.append(self._copied)
        if sum(map(len, sums.pending)) >= TOGETHER:
            self._sum_pending(sums)

    def _sum_pending(self, sums: Sums) -> None:
        """Add the pending rows of a part of a weight to its sums."""
        if not sums.pending:
            return
        if self._last is None or not self._last.is_of(sums.pending):
            self._last = Rows(sums.pending)
        rows = self._last.rows
        if sums.changes and sums.paired:
            sums.add_drift(drift_of([(0, torch.cat(sums.changes), rows, sums.matrix)]))
        sums.add(len(rows), *self._last.moments, self._last.grams)
        sums.pending, sums.changes = [], []

    def _sums(self, weight: Weight, place: tuple[int, int, bool, int], columns: int) -> Sums:
        places = self.seen.setdefault(weight.name, {})
        if place not in places:
            places[place] = Sums(place[3], columns, grams=weight.name in self.grams)
        return places[place]

    def _note_run(self, weight: Weight, inputs: torch.Tensor) -> None:
        """Record which weights share their inputs, when they are first used."""
        key = key_of(inputs)
        if self._inputs is None or key is None or self._key != key:
            self._runs += 1
            # The key of now: that of the tensor changes when its values do.
            self._inputs, self._key, self._copied = inputs, key, None
        self.runs.setdefault(weight.name, self._runs)

    def _keeps(self, weight: Weight, place: Any, inputs: torch.Tensor) -> bool:
        """Keep the inputs of a product if the first state is running; return whether it is."""
        if self.keeping and weight.name in self.grams:
            # A copy, because the model may reuse the memory.
            self.kept.setdefault((weight.name, place), []).append(inputs.detach().clone())
        return self.keeping

    def _counterpart(self, weight: Weight, place: Any, inputs: torch.Tensor) -> Any:
        """Return the inputs of the first state minus these; None if unknown."""
        kept = self.kept.get((weight.name, place))
        before = kept.pop(0) if kept else None
        same = before is not None and before.shape == inputs.shape
        return widen(before) - widen(inputs) if same else None

    def end_pair(self) -> None:
        """Finish a call of both states; the drift of products only in the first is unknown."""
        for (name, place), rest in self.kept.items():
            if rest and place in self.seen.get(name, ()):
                self.seen[name][place].paired = False
        self.kept.clear()

    def on_linear(self, rows: torch.Tensor, weight: torch.Tensor, _bias: Any = None) -> None:
        """Add a linear layer that was not decomposed."""
        self.on_product(rows.reshape(-1, rows.shape[-1]), weight.t())

    def on_mm(self, one: torch.Tensor, other: torch.Tensor) -> None:
        """Add a product of matrices, either of which may be the weight."""
        self.on_product(one, other)
        if self._weight_of(other) is None:
            self.on_product(other.t(), one.t())

    def on_addmm(self, _bias: Any, one: torch.Tensor, other: torch.Tensor, **_more: Any) -> None:
        """Add a product with a summand."""
        self.on_mm(one, other)

    def on_bmm(self, one: torch.Tensor, other: torch.Tensor) -> None:
        """Add a batched product, either side of which may be the weight, also broadcast."""
        for rows, stack in ((one, other), (other.mT, one.mT)):
            if self._weight_of(stack) is not None:
                if stack.stride(0) == 0:
                    self.on_product(rows.reshape(-1, rows.shape[-1]), stack[0])
                else:
                    for part, matrix in zip(rows, stack):
                        self.on_product(part, matrix)

    def on_baddbmm(self, _bias: Any, one: torch.Tensor, other: torch.Tensor, **_m: Any) -> None:
        """Add a batched product with a summand."""
        self.on_bmm(one, other)

    def on_grouped_mm(
        self, rows: torch.Tensor, stack: torch.Tensor, offs: Any = None, *_more: Any, **_m: Any
    ) -> None:
        """Add products of groups of rows with one matrix of a stack each.

        `offs` are the ends of the groups.
        """
        if rows.dim() == 2 and stack.dim() == 3 and offs is not None:
            begin = 0
            for end, matrix in zip(offs.tolist(), stack):
                self.on_product(rows[begin:end], matrix)
                begin = end
        elif rows.dim() == 3:
            self.on_bmm(rows, stack)

    def on_convolution(  # noqa: PLR0917 - as torch has them
        self,
        image: torch.Tensor,
        filters: torch.Tensor,
        _bias: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        transposed: bool,  # noqa: FBT001 - as torch has it
        _output_padding: Any,
        groups: int,
    ) -> None:
        """Add a convolution by a weight: its inputs are unfolded patches.

        Of a transposed one each pixel is a row. Filters that are part of a weight count if both are
        contiguous; other filters and empty images are ignored.
        """
        weight = self._weight_of(filters)
        if weight is None or self._ignores(weight) or not image.numel():
            return
        own, ndim = weight.tensor, filters.dim() - 2
        same = filters.shape == own.shape and filters.storage_offset() == weight.first
        if not same and not (own.is_contiguous() and filters.is_contiguous()):
            return
        place = (filters.storage_offset() - weight.first, filters.numel(), transposed, groups)
        if image.dim() == ndim + 1:
            image = image[None]
        step, pad, gap = (
            tuple(v) * ndim if len(v) == 1 else tuple(v) for v in (stride, padding, dilation)
        )
        if transposed:  # each pixel is a row
            step, pad, gap, kernel = (1,) * ndim, (0,) * ndim, (1,) * ndim, (1,) * ndim
        else:
            kernel = tuple(filters.shape[2:])
        if self._keeps(weight, place, image):
            return
        patches = Patches(image, groups, step, gap, pad, kernel)
        sums = self._sums(weight, place, patches.columns)
        self._note_run(weight, image)
        if self.counts:
            sums.counts += patches.count
            return
        sums.add(patches.count, *patches.moments(), patches.grams)
        if self.pairing and weight.name in self.grams:
            change, drift = self._counterpart(weight, place, image), None
            if change is not None:
                changes = Patches(change, groups, step, gap, pad, kernel)
                drift = drift_of(changes.pair_rows(patches, filters, turned=transposed))
            sums.add_drift(drift)


class Patches:
    """The patches of a batch of images, of any number of dimensions, that a convolution reads."""

    def __init__(  # noqa: PLR0917 - as torch has them
        self, image: Any, groups: int, stride: Any, dilation: Any, padding: Any, kernel: Any
    ) -> None:
        self.image = image
        self.groups = groups
        self.stride, self.dilation, self.padding = stride, dilation, padding
        self.kernel = tuple(kernel)

    @property
    def columns(self) -> int:
        """Number of elements of a patch per group."""
        return self.image.shape[1] // self.groups * math.prod(self.kernel)

    @property
    def size(self) -> tuple[int, ...]:
        """Number of patches along each dimension of the image."""
        return tuple(
            (n + 2 * p - d * (k - 1) - 1) // s + 1
            for n, p, d, k, s in zip(
                self.image.shape[2:], self.padding, self.dilation, self.kernel, self.stride
            )
        )

    @property
    def count(self) -> int:
        """Total number of patches."""
        return self.image.shape[0] * math.prod(self.size)

    def unfolded(self) -> Iterator[torch.Tensor]:
        """Yield views of patches of some images, ``[images, channels, *positions, *kernel]``.

        In order, with as many images at a time as have about `PIECE` elements.
        """
        amounts = [amount for pad in reversed(self.padding) for amount in (pad, pad)]
        each = self.image[0].numel() * math.prod(self.kernel)
        for some in self.image.split(max(1, PIECE // max(each, 1))):
            padded = torch.nn.functional.pad(widen(some), amounts).contiguous()
            strides = padded.stride()
            steps = [s * step for s, step in zip(strides[2:], self.stride)]
            gaps = [s * gap for s, gap in zip(strides[2:], self.dilation)]
            shape = (*some.shape[:2], *self.size, *self.kernel)
            yield padded.as_strided(shape, (*strides[:2], *steps, *gaps))

    def moments(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the sums of squares and of values, ``float64[groups, columns]`` each."""
        channels = self.image.shape[1]
        sum2 = torch.zeros((channels, *self.kernel), dtype=torch.float64)
        total = torch.zeros_like(sum2)
        over = [0, *range(2, 2 + len(self.kernel))]
        for patches in self.unfolded():
            for at in itertools.product(*map(range, self.kernel)):
                part = patches[(..., *at)]
                total[(slice(None), *at)] += part.sum(over).to("cpu", torch.float64)
                sum2[(slice(None), *at)] += part.square().sum(over).to("cpu", torch.float64)
        shape = (self.groups, self.columns)
        return sum2.reshape(shape), total.reshape(shape)

    def rows(self) -> Iterator[tuple[int, torch.Tensor]]:
        """Yield patches as rows, with the index of their group."""
        ndim = len(self.kernel)
        order = [0, *range(2, 2 + ndim), 1, *range(2 + ndim, 2 + 2 * ndim)]
        for patches in self.unfolded():
            for group, part in enumerate(patches.chunk(self.groups, 1)):
                yield group, part.permute(order).reshape(-1, self.columns)

    def grams(self) -> Iterator[tuple[int, torch.Tensor]]:
        """Yield Gram matrices, with the index of their group."""
        for group, rows in self.rows():
            yield group, gram_of(rows)

    def pair_rows(
        self, other: Patches, filters: torch.Tensor, *, turned: bool
    ) -> Iterator[tuple[int, torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Yield (group, own rows, rows of `other`, matrix ``[inputs, outputs]``) for `drift_of`.

        `turned`: whether the convolution is transposed.
        """
        matrices = [
            part.reshape(part.shape[0], -1) if turned else part.reshape(part.shape[0], -1).t()
            for part in filters.chunk(self.groups, 0)
        ]
        for (group, change), (_, rows) in zip(self.rows(), other.rows()):
            yield group, change, rows, matrices[group]


WATCHED = {
    ATEN.mm: Watcher.on_mm,
    ATEN.addmm: Watcher.on_addmm,
    ATEN.bmm: Watcher.on_bmm,
    ATEN.baddbmm: Watcher.on_baddbmm,
    ATEN.linear: Watcher.on_linear,
    ATEN.convolution: Watcher.on_convolution,
}
if hasattr(ATEN, "_grouped_mm"):
    WATCHED[ATEN._grouped_mm] = Watcher.on_grouped_mm  # noqa: SLF001 - torch's name


def storage_of(tensor: torch.Tensor) -> int:
    """Return the address of a tensor's storage."""
    if hasattr(tensor, "untyped_storage"):
        return tensor.untyped_storage().data_ptr()
    return tensor.storage().data_ptr()


def key_of(rows: torch.Tensor) -> Any:
    """Return a key that identifies a tensor and its contents; None if it is not available."""
    with contextlib.suppress(RuntimeError):  # tensors of inference mode
        version = rows._version  # noqa: SLF001 - no public API
        return rows.data_ptr(), version, tuple(rows.shape), rows.stride(), rows.dtype
    return None


def widen(rows: torch.Tensor) -> torch.Tensor:
    """Return the tensor in the precision used for sums: float64, or float32 on a GPU."""
    rows = rows.detach()
    return rows.double() if rows.device.type == "cpu" else rows.float()


def gram_of(rows: torch.Tensor) -> torch.Tensor:
    """Return the sums of products of any two columns."""
    wide = widen(rows)
    return (wide.t() @ wide).to("cpu", torch.float64)


def drift_of(pieces: Any) -> Any:
    """Return sums of the output drift that input changes cause.

    `pieces` yields (group, changes, inputs, matrix ``[inputs, outputs]``). Returns float64 sums:
    ``[groups, outputs, inputs]`` of the products with the inputs, and ``[groups, outputs]`` of
    values and of squares.
    """
    found: dict[int, list[torch.Tensor]] = {}
    for group, change, rows, matrix in pieces:
        size = max(1, PIECE // max(*matrix.shape))
        for some, inputs in zip(change.split(size), rows.split(size)):
            outputs = widen(some) @ widen(matrix)
            parts = outputs.t() @ widen(inputs), outputs.sum(0), outputs.square().sum(0)
            sums = [part.to("cpu", torch.float64) for part in parts]
            before = found.get(group)
            found[group] = sums if before is None else [a + b for a, b in zip(before, sums)]
    groups = [found[number] for number in sorted(found)]
    return [torch.stack(list(parts)) for parts in zip(*groups)]


def read_in_pieces(rows: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield the rows in pieces."""
    yield from rows.split(max(1, PIECE // max(rows.shape[-1], 1)))


def moments(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the sums of squares and of values of each column, ``float64[columns]``."""
    columns = rows.shape[-1]
    sum2 = torch.zeros(columns, dtype=torch.float64)
    total = torch.zeros(columns, dtype=torch.float64)
    for piece in read_in_pieces(rows):
        wide = widen(piece)
        total += wide.sum(0).to("cpu", torch.float64)
        sum2 += (wide**2).sum(0).to("cpu", torch.float64)
    return sum2, total


def merge_places(numel: int, places: dict[tuple[int, int, bool, int], Sums]) -> Any:
    """Merge the sums of the observed places of a weight into those of equal parts.

    `numel` is the size of the weight. Experts, or the queries, keys and values of a fused weight,
    are separate places; a place that covers several parts counts for each. Returns the number of
    columns, whether the weight is transposed, and for each part the (sums, index) pairs that cover
    it, none for a part that was not used. None if the places differ in columns or orientation.
    """
    kinds = {(transposed, sums.sum.shape[1]) for (_, _, transposed, _), sums in places.items()}
    if len(kinds) != 1:
        return None
    transposed, columns = kinds.pop()
    size = numel
    for first, length, _, parts in places:
        size = math.gcd(size, math.gcd(first, length // parts))
    cover: list[list[tuple[Sums, int]]] = [[] for _ in range(numel // size)]
    for (first, length, _, parts), sums in places.items():
        each = length // parts // size
        for number in range(length // size):
            cover[first // size + number].append((sums, number // each))
    return columns, transposed, cover


class Kept:
    """Statistics of a weight kept in the worker, with its Gram matrices."""

    def __init__(self, columns: int, cover: Any, drift: Any) -> None:
        self._columns = columns
        self._cover = cover
        self._drift = drift

    def moments(self, number: int) -> dict[str, Any]:
        """Return the moments of the part with the index `number`, as `solver` expects them."""
        shapes = {"gram": (self._columns,) * 2, "sum": (self._columns,), "counts": ()}
        found = {
            what: sum(
                (getattr(sums, what)[i] for sums, i in self._cover[number]),
                torch.zeros(shape, dtype=torch.float64),
            )
            for what, shape in shapes.items()
        }
        drift = self._drift and [part[number] for part in self._drift]
        return {**found, "count": float(found["counts"]), "drift": drift}


def report(watcher: Watcher, file: Any, kept: Any = None) -> list[dict[str, Any]]:
    """Write the sums to a file of float64, and return a description of each weight with offsets.

    For each weight: counts, sums of squares, sums of values, and its Gram matrices if requested;
    then the output drift, if two states ran and it is known. If the dict `kept` is given, weights
    with Gram matrices are stored in it instead of writing these. Weights that were multiplied in
    inconsistent ways are left out.
    """
    found = []
    for name, places in watcher.seen.items():
        merge = merge_places(watcher.sizes[name], places)
        if merge is None:
            continue
        columns, transposed, cover = merge
        told = {
            "name": name,
            "parts": len(cover),
            "columns": columns,
            "transposed": transposed,
            "inputs": watcher.runs[name],
            "offset": file.tell(),
            "gram": -1,
            "drift": -1,
            "rows": 0,
            "numel": watcher.sizes[name],
            "device": watcher.devices[name],
        }
        for what, shape in (("counts", (1,)), ("sum2", (columns,)), ("sum", (columns,))):
            for part in cover:
                write_sum(file, shape, [getattr(sums, what)[i] for sums, i in part])
        if name in watcher.grams:
            # Parts that were multiplied separately, such as experts, may have had different rows.
            ((_, length, _, _), only), *others = places.items()
            whole = not others and length == watcher.sizes[name]
            drift = only.drift if whole and only.paired else None
            if kept is not None:
                kept[name] = Kept(columns, cover, drift)
                found.append(told)
                continue
            told["gram"] = file.tell()
            for part in cover:
                write_sum(file, (columns, columns), [sums.gram[i] for sums, i in part])
            if drift is not None:
                told["drift"], told["rows"] = file.tell(), drift[1].shape[1]
                for part in drift:
                    write_sum(file, tuple(part.shape), [part])
        found.append(told)
    return found


def write_sum(file: Any, shape: tuple[int, ...], summands: list[torch.Tensor]) -> None:
    """Write the sum of tensors."""
    total = torch.zeros(shape, dtype=torch.float64)
    for one in summands:
        total += one
    file.write(tensors.buffer_of(total))


@contextlib.contextmanager
def slow_attention() -> Any:
    """Disable the fast path of nn.MultiheadAttention, which hides its products, for the block.

    Does nothing in versions of torch without it.
    """
    mha = getattr(torch.backends, "mha", None)
    if mha is None:
        yield
        return
    before = mha.get_fastpath_enabled()
    mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        mha.set_fastpath_enabled(before)


@contextlib.contextmanager
def full_precision() -> Any:
    """Compute float32 products in full precision, not in TF32, during the block.

    Does nothing if the script has set the precision in another way.
    """
    try:
        before = torch.get_float32_matmul_precision()
        torch.set_float32_matmul_precision("highest")
    except RuntimeError:  # the script used another API of torch
        yield
        return
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def collect(
    module: torch.nn.Module,
    grams: Any,
    run: Any,
    path: str,
    *,
    other_state: Any = None,
    kept: Any = None,
    only: bool = False,
) -> list[dict[str, Any]]:
    """Run inputs through a model with `run`, and write the statistics to `path`; see `report`.

    `only` leaves out all weights but `grams`.

    With `other_state`, a `SideBySide` of the model, the inputs are those of its other state. Raises
    `ContractError` if nothing was multiplied by a weight.
    """
    watcher = Watcher(module, grams, only=only)
    paired = contextlib.nullcontext() if other_state is None else other_state.call_twice(watcher)
    with torch.no_grad(), slow_attention(), full_precision(), paired, watcher:
        run()
    with torch.inference_mode():  # the script may have used it, then the sums belong to it
        watcher.finish()
    with Path(path).open("wb") as file:
        found = report(watcher, file, kept)
    if not found:
        raise ContractError(
            "No multiplication by the weights of the model was recorded in calibrate().",
            "Run some inputs through the model that load returned, in the same thread. Compiled "
            "models and quantized layers cannot be recorded.",
        )
    return found


class Enough(BaseException):
    """Raised to end a function of the script after the first call of the model."""


def count(
    module: torch.nn.Module, name: str, run: Any, path: str
) -> tuple[list[dict[str, Any]], int]:
    """Call a model once with `run`, the function `name`, and write the rows per weight to `path`.

    `run` is ended by an exception after the first call of the model. Returns the result of
    `report`, and the number of inputs: the size of the first dimension of the first tensor
    argument. Raises `ContractError` if the model is not called with a tensor, or nothing is
    multiplied by a weight.
    """
    watcher, calls = Watcher(module, counts=True), []
    forward = module.forward

    def watched(*args: Any, **kwargs: Any) -> Any:
        """Call the model once while its products are counted, and end the script's function."""
        # the attribute of the object, so that the method of the class is visible again
        del module.forward
        watcher.seen.clear()
        with watcher:
            forward(*args, **kwargs)
        first = first_tensor((args, kwargs))
        calls.append(0 if first is None or not first.dim() else first.shape[0])
        raise Enough

    own = vars(module).get("forward")
    module.forward = watched  # type: ignore[method-assign] - of this object, until the first call
    try:
        with torch.no_grad(), slow_attention(), contextlib.suppress(Enough):
            run()
    finally:
        vars(module).pop("forward", None)
        if own is not None:
            module.forward = own
    if not calls or not calls[0]:
        raise ContractError(
            f"{name}() does not call the model with a tensor, so multiply-adds cannot be counted.",
            "Call the model that load returned as model(inputs), or define calibrate(model) that "
            "does.",
        )
    with Path(path).open("wb") as file:
        found = report(watcher, file)
    if not found:
        raise ContractError(
            "No multiplication by the weights of the model was recorded.",
            "Compiled models and quantized layers cannot be recorded.",
        )
    return found, calls[0]


def first_tensor(given: Any) -> Any:
    """Return the first tensor among arguments, also in lists and dicts; None if there is none.

    Depth first, in their order.
    """
    if isinstance(given, torch.Tensor):
        return given
    if hasattr(given, "values") and callable(given.values):
        given = list(given.values())
    if not isinstance(given, (list, tuple)):
        return None
    return next((one for one in map(first_tensor, given) if one is not None), None)
