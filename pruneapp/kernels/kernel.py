"""What every kernel does, and in which order it treats equal elements.

The rules that make a mask the same everywhere:

- Elements are ranked by unsigned keys. For floats the key is the bit pattern of the magnitude
  (the order of positive floats is the order of their bits); every NaN has one key, the largest.
- Exactly `count` elements go: those with the smallest keys; among equal keys the earlier tensor,
  then the lower flat index goes first.
- Norms of channels are float64 sums over the slice in flat order, in blocks of 4,096 elements,
  pairwise inside a block as `pruneapp.kernels.summation` says, blocks added in order.
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
    """Reads a tensor, from any thread."""

    def __call__(self, start: int = 0, stop: int | None = None) -> Iterator[RawChunk]:
        """Yield the raw elements `start` to `stop` (flat) in order; all of them by default.

        A chunk is valid until the next is asked for; each call has a buffer of its own.
        """


@runtime_checkable
class JoinedRead(ReadBits, Protocol):
    """Reads a tensor, or many small ones together."""

    def joined(self, reads: Sequence[ReadBits]) -> Bits | None:
        """Return all elements of whole small tensors of one type, one after another.

        None if they cannot be read together.
        """


@dataclass(frozen=True, eq=False)
class KeyChunk:
    """The keys of some elements from a flat index on: 1-D, ``uint8`` to ``uint64``.

    Valid until the next chunk is asked for.
    """

    start: int
    keys: Bits


class Ranking(Protocol):
    """The keys of one tensor's elements, made anew on every pass."""

    @property
    def size(self) -> int:
        """Elements in all."""

    @property
    def width(self) -> int:
        """Bits of a key: 8, 16, 32 or 64; the same for every tensor of one step."""

    @property
    def kept(self) -> BitMask | None:
        """The elements that are still there; None for all. Only these are ranked."""

    def keys(self, start: int = 0, stop: int | None = None) -> Iterator[KeyChunk]:
        """Yield the keys of elements `start` to `stop` (pruned ones too) in flat order.

        May be called from any thread; each call has buffers of its own.
        """


@dataclass(frozen=True)
class Threshold:
    """Where the cut is: every kept element with a smaller key than `key` goes.

    Of the kept elements with just this key the first `ties` in order go.
    """

    key: int
    ties: int


@dataclass(frozen=True)
class Share:
    """What a cut takes of one tensor.

    All kept elements with a smaller key (`below`), and `ties_pruned` of those with just the key of
    the cut (`equal`), the first in order.
    """

    below: int
    equal: int
    ties_pruned: int

    @property
    def pruned(self) -> int:
        """How many elements go in all."""
        return self.below + self.ties_pruned


class KeyRange(NamedTuple):
    """The first and the last key between which a cut should lie, and how many kept elements are."""

    low: int
    high: int
    inside: float


@dataclass(frozen=True, eq=False)
class PlannedCut:
    """Tensors of which so many kept elements go, and about where that cut is, if it is known."""

    rankings: Sequence[Ranking]
    count: int
    near: KeyRange | None = None


class NearCut(NamedTuple):
    """What a cut does: the mask of each tensor after it.

    `taken` has, for each, the keys that went between those it was planned `near`, unsigned, in flat
    order; None if it was found in another way.
    """

    masks: list[BitMask]
    taken: list[Bits] | None


@dataclass(frozen=True, eq=False)
class Slices:
    """A tensor, to be taken apart into the channels along one dimension, counted from 0.

    Elements that are not kept count as 0 in every norm. `read` yields the raw ones in flat order.
    """

    shape: tuple[int, ...]
    dtype: DType
    dim: int
    kept: BitMask | None
    read: ReadBits


class Kernel(Protocol):
    """The arithmetic on one device. Without state: calls may come from any thread."""

    def find_threshold(self, rankings: Sequence[Ranking], count: int, job: Job) -> Threshold:
        """Find the cut that takes exactly `count` kept elements over all of `rankings`.

        `count` is from 1 to the number of kept elements. Steps `job` by the elements, once; where
        more passes are needed than one, the job is extended by them.
        """

    def masks(
        self, rankings: Sequence[Ranking], threshold: Threshold, job: Job
    ) -> Iterator[BitMask]:
        """Yield the mask of each of `rankings` after the cut; steps `job` by the elements."""

    def prune(self, rankings: Sequence[Ranking], count: int, job: Job) -> list[BitMask]:
        """Return the masks after the cut that takes `count` kept elements over all of `rankings`.

        As `prune_each` does of one cut.
        """

    def prune_each(self, cuts: Sequence[PlannedCut], job: Job) -> Generator[NearCut, None, None]:
        """Yield what each cut does, in order; close the generator to stop early.

        The same as `find_threshold` and `masks` of each, and as a rule sooner: most often in one
        pass, and the next is begun before the one before is done. Steps `job` by twice the
        elements; where more is needed, the job is extended by it.
        """

    def shares(
        self, rankings: Sequence[Ranking], count: int, job: Job
    ) -> tuple[Threshold, tuple[Share, ...]]:
        """Find the cut as `find_threshold` does, and what it takes of each of `rankings`.

        No mask is made: what goes is known by the key, and in the tensor where the ties end by
        how many are taken. Steps `job` as `find_threshold` does.
        """

    def channel_norms(self, slices: Slices, n: Norm, job: Job) -> Float64s:
        """Return the norm of every channel, float64; steps `job` by the elements.

        `n` = 0 counts what is not zero, NaN too; inf and -inf take the largest and the smallest
        magnitude, 'fro' is 2 of the flattened slice, 'nuc' the sum of the singular values of the
        slice as a matrix: its first remaining dimension by the rest. NaN in a slice makes every
        other norm NaN. Sums are the same bits for any chunk, thread and machine; see
        `pruneapp.kernels.summation`.
        """

    def lowest_channels(
        self, slices: Slices, n: Norm, among: Indices, count: int, job: Job
    ) -> Indices:
        """Return which `count` of the channels `among` have the smallest norms, ascending.

        Those that `channel_norms` says, and as a rule sooner: NaN is larger than all others, of
        equal norms the lower channel comes first. Steps `job` by the elements; where they have to
        be looked at once more, the job is extended by them.
        """
