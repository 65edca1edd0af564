"""Masks sent as rules, and models that workers open by path.

A mask has a bit per weight, which is too much to send. Instead, rules are sent, with what each step
decided for a tensor: the key of a cut, the indices of channels, or the method itself if it depends
on one tensor only. The bits are computed from the rules and the file where they are needed, with
the same result everywhere.
"""

from __future__ import annotations

import hashlib
import pickle
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import zstandard
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row
from pruneapp.edits.coupled_tensors import Companions
from pruneapp.errors import CheckpointError, ClusterError, FileChangedError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.kernel import Ranking, Share
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask, Mask, MaskLayers, MaskSet
from pruneapp.methods import registry
from pruneapp.methods.cutoff import mask_without, prune_rows
from pruneapp.methods.limits import Limits, Pruning
from pruneapp.methods.method import RowMethod, Scope, TensorView, UnitMethod, WeightMethod
from pruneapp.methods.prune_tensors import CutMask, prune
from pruneapp.params import STATISTICS
from pruneapp.preview.preview import views_for_row
from pruneapp.progress import Job
from pruneapp.statistics.file import register, statistics_of


@dataclass(frozen=True)
class NamedFile:
    """Path, size and modification time of a file; inode and device differ between machines."""

    path: Path
    size: int
    mtime_ns: int


# Models kept open by a process: a job reads one model and a folder of statistics.
_MOST_OPEN = 4


@dataclass(frozen=True)
class ModelSource:
    """A model by its path, with the size and modification time of its files."""

    path: Path
    state_dict: str | None
    files: tuple[NamedFile, ...]

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> ModelSource:
        """Return the source of an open checkpoint, with absolute paths.

        `state_dict` is None unless the file contains several.
        """
        contents = checkpoint.contents
        chosen = contents.state_dict if len(contents.state_dicts) > 1 else None
        files = tuple(
            NamedFile(f.path.absolute(), f.identity.size, f.identity.mtime_ns)
            for f in checkpoint.files
        )
        return cls(checkpoint.path.absolute(), chosen, files)

    def open(self) -> Checkpoint:
        """Return the model, opened once per process; the process keeps the four used last open.

        The caller must not close it. Raises `ClusterError` if it cannot be opened on this machine,
        and `FileChangedError` if size or modification time of a file differ from those on the
        client.
        """
        with _opening:
            known = _opened.pop(self, None)
            if known is None:
                known = self._open()
                while len(_opened) >= _MOST_OPEN:
                    _opened.popitem(last=False)[1].close()
            _opened[self] = known
        return known

    def _open(self) -> Checkpoint:
        """Open the model, and raise what `open` raises if it is not that of the client."""
        try:
            checkpoint = open_checkpoint(self.path, state_dict=self.state_dict)
        except CheckpointError as error:
            raise ClusterError(
                f"'{self.path}' cannot be opened there: {error.sentence}",
                remedy="Use a path that every worker sees, such as one on a shared file system.",
            ) from None
        here = ModelSource.of(checkpoint).files
        if here != self.files:
            checkpoint.close()
            pairs = zip(self.files, here, strict=False)
            other = next((mine for mine, its in pairs if mine != its), self.files[-1])
            raise FileChangedError(
                f"'{other.path}' is a different file there: its size or modification time differs "
                "from that on the client.",
                remedy="Use a path that every worker sees, and do not change the model meanwhile.",
            )
        return checkpoint


_opening = threading.Lock()
_opened: OrderedDict[ModelSource, Checkpoint] = OrderedDict()


def close_models() -> None:
    """Close all models that this process has open."""
    with _opening:
        while _opened:
            _opened.popitem()[1].close()
    _cache.clear()


@dataclass(frozen=True)
class MethodCall:
    """A method with its values, and the statistics file that it ranks by, if any."""

    method: str
    values: tuple[tuple[str, Any], ...]
    statistics: NamedFile | None = None

    @classmethod
    def of(cls, row: Row) -> MethodCall:
        """Return the method call of a row of a step, with its statistics file if it uses one.

        Reads size and modification time of the file. Raises what `statistics_of` raises if it is
        not open.
        """
        statistics = None
        if registry.get(row.method).needs_statistics(row.values):
            path = statistics_of(row.values[STATISTICS.name]).path.absolute()
            status = path.stat()
            statistics = NamedFile(path, status.st_size, status.st_mtime_ns)
        return cls(row.method, tuple(row.values.items()), statistics)

    def without_amount(self) -> MethodCall:
        """Return a copy without the amount: calls that are equal then rank weights equally."""
        return replace(self, values=tuple(pair for pair in self.values if pair[0] != "amount"))

    def row(self, names: Iterable[str]) -> Row:
        """Return a row for tensors; statistics are registered first."""
        if self.statistics is not None:
            self._register(self.statistics)
        return Row(tuple(names), self.method, dict(self.values))

    def _register(self, statistics: NamedFile) -> None:
        """Make the statistics file of the client available under its name in this process.

        Raises `ClusterError` if it is missing here, `FileChangedError` if its size or modification
        time differs, and the errors of `open_statistics`.
        """
        path = statistics.path
        try:
            status = path.stat()
        except OSError:
            raise ClusterError(
                f"The statistics '{path}' do not exist.",
                remedy="Use a path that every worker sees, such as one on a shared file system.",
            ) from None
        if (status.st_size, status.st_mtime_ns) != (statistics.size, statistics.mtime_ns):
            raise FileChangedError(
                f"'{path}' is a different file there: its size or modification time differs from "
                "that on the client.",
                remedy="Use a path that every worker sees.",
            )
        register(path, name=dict(self.values)[STATISTICS.name])

    def view(self, state: Snapshot, name: str) -> TensorView:
        """Return the view of a tensor that the method gets."""
        pairs = Companions(state.checkpoint)
        (view,) = views_for_row(state, self.row((name,)), (name,), None, None, pairs)
        return view

    def ranking(self, view: TensorView, width: int, job: Job, measured: Any = None) -> Ranking:
        """Return the ranking of a tensor by a method for single weights, with keys of `width` bits.

        `measured` is the result of `measure`; None to compute it now.
        """
        method = registry.get(self.method)
        assert isinstance(method, WeightMethod)
        values = dict(self.values)
        if measured is None:
            measured = self.measure(view, job)
        return method.rank(view.free, values, width, measured)

    def measure(self, view: TensorView, job: Job) -> Any:
        """Return the facts about a whole tensor that its ranking needs; None if it needs none."""
        method = registry.get(self.method)
        assert isinstance(method, WeightMethod)
        if method.measure is None:
            return None
        return method.measure(view, dict(self.values), CpuKernel(), job)


class Rule(Protocol):
    """The effect of a step on one tensor."""

    def mask(self, state: Snapshot, name: str, job: Job) -> Mask:
        """Return the mask after the step; `state` has the mask before the step."""


@dataclass(frozen=True)
class CutRule:
    """Prune all kept weights below a key, and the first `share.ties_pruned` with that key."""

    call: MethodCall
    width: int
    key: int
    share: Share

    def mask(self, state: Snapshot, name: str, job: Job) -> Mask:
        """Return a mask that computes its bits on access."""
        view = self.call.view(state, name)
        ranking = self.call.ranking(view, self.width, job)
        return CutMask(ranking, self.key, self.share, by_magnitude=view.scores is None)

    def after(self, before: Rule) -> CutRule | None:
        """Return one rule equivalent to `before` followed by this one; None if there is none.

        Only two cuts by the same method, values (except the amount) and width can be joined. If the
        method measures nothing, a tensor has the same keys in both steps: the weights pruned by the
        first step then have smaller keys than those of the second, or come first among equal keys.
        """
        method = registry.get(self.call.method)
        if not isinstance(before, CutRule) or not isinstance(method, WeightMethod):
            return None
        same = (
            before.call.without_amount() == self.call.without_amount()
            and before.width == self.width
        )
        if not same or method.measure is not None:
            return None
        first, then = before.share, self.share
        if not then.pruned:
            return before
        if self.key == before.key:
            ties = first.ties_pruned + then.ties_pruned
            return replace(self, share=replace(first, ties_pruned=ties))
        return replace(self, share=replace(then, below=then.below + first.pruned))


@dataclass(frozen=True)
class RecomputeRule:
    """Run a method on the tensor alone; `budget` is the number of weights to prune, or None."""

    call: MethodCall
    scope: Scope
    limits: Limits
    budget: int | None = None

    def mask(self, state: Snapshot, name: str, job: Job) -> Mask:
        """Run the method on the tensor, and return its mask after the step."""
        view, kernel = self.call.view(state, name), CpuKernel()
        method, values = registry.get(self.call.method), dict(self.call.values)
        limits = self.limits
        if self.budget is None:
            pruned = prune([view], method, values, self.scope, kernel, job, limits=limits)
        else:
            assert isinstance(method, RowMethod)
            pruning = Pruning(values, self.scope, limits, kernel, job)
            pruned = prune_rows([view], method, [self.budget], pruning)
        return pruned.masks[view.name]


@dataclass(frozen=True)
class UnitsRule:
    """Prune channels or blocks; `stays` has a bit for each, 1 if it is kept."""

    call: MethodCall
    stays: bytes

    @classmethod
    def of(cls, call: MethodCall, numbers: NDArray[np.integer[Any]], count: int) -> UnitsRule:
        """Return a rule that prunes the channels or blocks `numbers` of `count`."""
        stays = np.ones(count, np.bool_)
        stays[numbers] = False
        return cls(call, np.packbits(stays, bitorder="little").tobytes())

    def mask(self, state: Snapshot, name: str, job: Job) -> Mask:
        """Return the mask before the step without the channels or blocks to prune."""
        view, values = self.call.view(state, name), dict(self.call.values)
        method = registry.get(self.call.method)
        assert isinstance(method, UnitMethod)
        count = method.partition(view, values).count
        bits = np.unpackbits(np.frombuffer(self.stays, np.uint8), bitorder="little")[:count]
        after = mask_without(view, method, values, np.flatnonzero(bits == 0), job)
        return after if view.kept is None else view.kept & after


@dataclass(frozen=True)
class StructureRule:
    """A compressed mask of a regular structure; such masks compress to almost nothing."""

    packed: bytes
    size: int

    @classmethod
    def of(cls, mask: BitMask) -> StructureRule:
        """Return the rule of a mask."""
        # A long window, because each row of a matrix may repeat the one before.
        compressor = zstandard.ZstdCompressor(
            compression_params=zstandard.ZstdCompressionParameters(enable_ldm=True, window_log=24)
        )
        return cls(compressor.compress(mask.packed.data), mask.size)

    def mask(self, state: Snapshot, name: str, _job: Job) -> Mask:
        """Return the mask of the rule, without the weights that the state pruned before.

        Its bits are in memory, or in a scratch file if they are many.
        """
        packed, at = scratch.bits(self.size), 0
        with zstandard.ZstdDecompressor().stream_reader(self.packed) as reader:
            while count := reader.readinto(packed[at : at + _STRETCH].data):
                scratch.release_pages(packed, at, at + count)
                at += count
        mask = BitMask(packed, self.size)
        before = state.masks.get(name)
        return mask if before is None else before & mask


@dataclass(frozen=True)
class WholeRule:
    """Prune nothing: a mask of ones if there was no mask."""

    def mask(self, state: Snapshot, name: str, _job: Job) -> Mask:
        """Return the mask before the step, or a mask of ones."""
        return state.masks.get(name) or BitMask.full(state.entry(name).numel)


Rules = tuple[Rule, ...]

# Bytes of masks that a process caches; one mask is cached whatever its size.
_ROOM = 256 << 20
# Bytes decompressed at a time.
_STRETCH = 1 << 24
# Maximum bytes of a mask that is computed completely when a later rule needs some of it.
_MOST_TOGETHER = 64 << 20


class _MaskCache:
    """LRU cache of computed masks, by model, tensor name and digest of the rules."""

    def __init__(self) -> None:
        self._masks: OrderedDict[tuple[ModelSource, str, bytes], BitMask] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[ModelSource, str, bytes]) -> BitMask | None:
        with self._lock:
            if key in self._masks:
                self._masks.move_to_end(key)
            return self._masks.get(key)

    def put(self, key: tuple[ModelSource, str, bytes], mask: BitMask) -> None:
        with self._lock:
            self._masks[key] = mask
            self._masks.move_to_end(key)
            while len(self._masks) > 1 and sum(m.nbytes for m in self._masks.values()) > _ROOM:
                self._masks.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._masks.clear()


_cache = _MaskCache()


class RuleMask(BitMask):
    """A mask whose bits are computed when they are accessed.

    On the client only the number of kept weights is known; `part` is None there, and accessing the
    bits is an error.
    """

    __slots__ = ("_key", "_made", "_part", "name", "rules", "together")

    def __init__(
        self,
        name: str,
        size: int,
        rules: Rules,
        kept: int | None = None,
        part: tuple[ModelSource, Job] | None = None,
    ) -> None:
        self.name = name
        self.size = size
        self.rules = rules
        self._part = part
        self._made: Mask | None = None
        self._key: tuple[ModelSource, str, bytes] | None = None
        # Whether an access computes all bits at once. Otherwise a later rule, which reads stretch
        # by stretch, would repeat the work of all earlier rules for each stretch.
        self.together = False
        self.known_kept = kept

    @property
    def packed(self) -> NDArray[np.uint8]:  # type: ignore[override]  # it is computed, not stored
        """The packed bits, computed unless they are cached."""
        return self._bits().packed

    @property
    def mapped(self) -> bool:
        """Always False: the bits are not in a scratch file."""
        return False

    @property
    def nbytes(self) -> int:
        """Bytes of memory of the computed bits."""
        return (self.size + 7) // 8

    def bools(self, start: int = 0, stop: int | None = None) -> NDArray[np.bool_]:
        """Return the elements `start` to `stop`, True where kept."""
        return self._mask().bools(start, stop)

    def zero(self, bits: NDArray[np.unsignedinteger[Any]], start: int) -> None:
        """Set the pruned elements from flat index `start` on to 0, in place."""
        self._mask().zero(bits, start)

    def count_kept(self) -> int:
        """Return the number of kept weights, without computing the bits if possible."""
        return self._mask().kept

    def _mask(self) -> Mask:
        if isinstance(self.rules[-1], CutRule) and not self.together:
            if self._made is None:  # a CutMask stores no bits
                self._made = self._last()
            return self._made
        return self._bits()

    def _bits(self) -> BitMask:
        """Return all bits, computed unless this process has cached them for equal rules.

        Raises `AssertionError` on the client.
        """
        assert self._part is not None, "a mask was asked for where no file is read"
        key = self._key = self._key or (self._part[0], self.name, digest_of(self.rules))
        known = _cache.get(key)
        if known is None:
            made = self._last()
            known = made if isinstance(made, BitMask) else BitMask(packed_bits_of(made), self.size)
            _cache.put(key, known)
        return known

    def _last(self) -> Mask:
        """Apply the last rule to the result of the earlier rules; nothing is cached."""
        assert self._part is not None, "a mask was asked for where no file is read"
        source, job = self._part
        *before, last = self.rules
        masks = {}
        if before:
            mask = RuleMask(self.name, self.size, tuple(before), part=self._part)
            mask.known_kept = mask.count_kept()
            mask.together = self.nbytes <= _MOST_TOGETHER
            masks[self.name] = mask
        state = Snapshot(source.open(), MaskLayers(masks=MaskSet(masks)))
        return last.mask(state, self.name, Job(cancel=job.cancel))


def packed_bits_of(mask: Mask) -> NDArray[np.uint8]:
    """Return the packed bits of a mask, lowest bit first, ``uint8[(size + 7) // 8]``.

    In memory, or in a scratch file if it is large.
    """
    packed = scratch.bits(mask.size)
    step = 1 << 22
    for start in range(0, mask.size, step):
        bits = np.packbits(mask.bools(start, min(start + step, mask.size)), bitorder="little")
        first, last = start // 8, start // 8 + bits.size
        packed[first:last] = bits
        scratch.release_pages(packed, first, last)
    return packed


def digest_of(rules: Rules) -> bytes:
    """Return a digest that identifies rules."""
    return hashlib.sha256(pickle.dumps(rules)).digest()


@dataclass(frozen=True)
class StatePart:
    """A model with the rules of some tensors: the part of a state that a task needs."""

    model: ModelSource
    rules: Mapping[str, Rules] = field(default_factory=dict)
    kept: Mapping[str, int] = field(default_factory=dict)

    def __reduce__(self) -> tuple[object, ...]:
        # Compressed, because the rules of thousands of tensors are similar.
        data = pickle.dumps((self.model, dict(self.rules), dict(self.kept)))
        return _unpack, (zstandard.ZstdCompressor().compress(data),)

    def snapshot(self, job: Job) -> Snapshot:
        """Return the state; its masks are computed on access.

        Opens the model, see `ModelSource.open`. `job` cancels the computation of masks.
        """
        checkpoint = self.model.open()
        masks: dict[str, BitMask] = {
            name: RuleMask(
                name, checkpoint.entries[name].numel, rules, self.kept.get(name), (self.model, job)
            )
            for name, rules in self.rules.items()
        }
        return Snapshot(checkpoint, MaskLayers(masks=MaskSet(masks)))


def _unpack(data: bytes) -> StatePart:
    return StatePart(*pickle.loads(zstandard.ZstdDecompressor().decompress(data)))  # noqa: S301 - ours
