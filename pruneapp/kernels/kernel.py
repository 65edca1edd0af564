"""The interface of kernels, and the rules that make their results identical on all devices.

- Elements are ranked by unsigned keys. For floats the key is the bit pattern of the magnitude
  (positive floats are ordered as their bits); every NaN has the same, largest key.
- Exactly `count` elements are pruned: those with the smallest keys, and of equal keys those of
  earlier tensors first, then those with lower flat indices.
- Norms of channels are float64 sums over the slice in flat order, in blocks of 4,096 elements:
  pairwise inside a block (see `pruneapp.kernels.summation`), blocks added in order.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.elements import Bits, RawChunk
from pruneapp.kernels.values import Float64s, Indices
from pruneapp.masks.bitmask import BitMask
from pruneapp.params import Norm
from pruneapp.progress import Job

BLOCK = 4096


class ReadBits(Protocol):
    """A function that reads the elements of a tensor; thread-safe."""

    def __call__(self, start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        """Yield the raw elements `start` to `stop` (flat indices) in order; all by default.

        A chunk is valid until the next one is requested; each call uses its own buffer.
        """


@runtime_checkable
class JoinedRead(ReadBits, Protocol):
    """A reader that can also read many small tensors together."""

    def read_joined(self, reads: Sequence[ReadBits]) -> Bits | None:
        """Return the concatenated elements of small tensors of one dtype.

        None if they cannot be read together.
        """


@dataclass(frozen=True, eq=False)
class KeyChunk:
    """The keys of consecutive elements from a flat index on: 1-D, ``uint8`` to ``uint64``.

    Valid until the next chunk is requested.
    """

    start: int
    keys: Bits


class Ranking(Protocol):
    """Computes the keys of one tensor's elements, again on each pass."""

    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def width(self) -> int:
        """Bits of a key: 8, 16, 32 or 64; the same for every tensor of a step."""

    @property
    def kept(self) -> BitMask | None:
        """Mask of the elements to rank, which are not pruned yet; None for all."""

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop` in flat order, pruned ones included.

        Thread-safe; each call uses its own buffers.
        """


@dataclass(frozen=True)
class Threshold:
    """A threshold that prunes every kept element with a key below `key`.

    Of the kept elements with exactly this key, the first `ties` in order are pruned.
    """

    key: int
    ties: int


@dataclass(frozen=True)
class Share:
    """What a threshold prunes in one tensor.

    All kept elements with a smaller key (`below`), and of those with exactly the key (`equal`) the
    first `ties_pruned`.
    """

    below: int
    equal: int
    ties_pruned: int

    @property
    def pruned(self) -> int:
        """Total number of pruned elements."""
        return self.below + self.ties_pruned


class KeyRange(NamedTuple):
    """Keys between which a threshold is expected, and the expected number of kept elements."""

    low: int
    high: int
    inside: float


@dataclass(frozen=True, eq=False)
class PlannedCut:
    """Tensors of which `count` kept elements are to be pruned, and an estimated threshold."""

    rankings: Sequence[Ranking]
    count: int
    near: KeyRange | None = None


class NearCut(NamedTuple):
    """The result of a `PlannedCut`: the new mask of each tensor.

    `pruned_keys` has for each tensor the pruned keys within `PlannedCut.near`, unsigned, in flat
    order. It is None if there was no such range, or the threshold was outside.
    """

    masks: list[BitMask]
    pruned_keys: list[Bits] | None


@dataclass(frozen=True, eq=False)
class Slices:
    """A tensor that is divided into channels along a non-negative dimension.

    Elements that are not kept count as 0 in every norm. `read` yields the raw elements in flat
    order.
    """

    shape: tuple[int, ...]
    dtype: DType
    dim: int
    kept: BitMask | None
    read: ReadBits


class Kernel(Protocol):
    """The arithmetic on one device. Stateless and thread-safe."""

    def find_threshold(self, rankings: Sequence[Ranking], count: int, job: Job) -> Threshold:
        """Find the threshold that prunes exactly `count` kept elements of all `rankings` together.

        `count` must be between 1 and the number of kept elements. `job` is advanced by the number
        of elements, and extended if more than one pass is needed.
        """

    def masks(
        self, rankings: Sequence[Ranking], threshold: Threshold, job: Job
    ) -> Iterator[BitMask]:
        """Yield the mask of each ranking after the threshold; advances `job` by the elements."""

    def prune(self, rankings: Sequence[Ranking], count: int, job: Job) -> list[BitMask]:
        """Return the masks after pruning `count` kept elements of all `rankings` together.

        The same as `prune_each` with one cut.
        """

    def prune_each(self, cuts: Sequence[PlannedCut], job: Job) -> Generator[NearCut, None, None]:
        """Yield the result of each cut, in order; close the generator to stop early.

        The same as `find_threshold` and `masks` for each, but usually faster: mostly in one pass,
        and with the next cut started before the previous one is finished. `job` is advanced by
        twice the elements, and extended if more passes are needed.
        """

    def shares(
        self, rankings: Sequence[Ranking], count: int, job: Job
    ) -> tuple[Threshold, tuple[Share, ...]]:
        """Find the threshold of `find_threshold`, and the number pruned in each ranking.

        No masks are made: the key, and the number of pruned ties per tensor, define them. `job` is
        advanced as by `find_threshold`.
        """

    def channel_norms(self, slices: Slices, n: Norm, job: Job) -> Float64s:
        """Return the norm of every channel, ``float64[channels]``; advances `job` by the elements.

        `n` = 0 counts nonzero values, including NaN; inf and -inf are the largest and the smallest
        magnitude; "fro" is 2 of the flattened slice; "nuc" is the sum of the singular values of the
        slice as a matrix of its first remaining dimension by the others. NaN in a slice makes all
        norms but 0 NaN. Results are bit-identical for all chunk sizes, numbers of threads and
        machines; see `pruneapp.kernels.summation`.
        """

    def lowest_channels(
        self, slices: Slices, n: Norm, among: Indices, count: int, job: Job
    ) -> Indices:
        """Return the `count` channels of `among` with the smallest norms, in ascending order.

        The same as by `channel_norms`, but usually faster. NaN is larger than all other norms; of
        equal norms, lower channels come first. `job` is advanced by the elements, and extended if
        some have to be read again.
        """
