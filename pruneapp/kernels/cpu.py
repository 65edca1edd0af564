"""The arithmetic of pruning with NumPy, on unsigned integers and several threads."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain, groupby
from operator import itemgetter

import numpy as np

from pruneapp.checkpoint.elements import Bits
from pruneapp.kernels.kernel import KeyRange, NearCut, PlannedCut, Ranking, Share, Slices, Threshold
from pruneapp.kernels.lowest_channels import lowest_channels
from pruneapp.kernels.mask_packing import (
    ComparedStretch,
    NearCutBuilder,
    OpenBits,
    compare_stretch,
    pack_stretch,
)
from pruneapp.kernels.norms import channel_norms
from pruneapp.kernels.small_tensors import (
    divide_into_batches,
    is_single_tensor,
    join,
    prune_separately,
    split_masks,
)
from pruneapp.kernels.threads import (
    STRETCH,
    Result,
    TensorRange,
    map_in_order,
    stretches,
    threads_for,
)
from pruneapp.kernels.threshold import (
    MOST_HELD,
    Bracket,
    BracketCounts,
    Candidates,
    FoundThreshold,
    Tally,
    count_inside,
    count_share,
    range_of_sample,
    read_kept_keys,
    search,
    shares,
)
from pruneapp.kernels.values import Float64s, Indices
from pruneapp.masks import scratch
from pruneapp.masks.bitmask import BitMask, ones
from pruneapp.params import Norm
from pruneapp.progress import Job

# Sample size. Many places are more informative than many neighbors, but each needs a read, which
# takes as long as a pass over some ten thousand elements. Smaller tensors get fewer places with
# more neighbors.
PLACES = 1 << 9
NEIGHBOURS = 1 << 9
_FEWEST = 1 << 6
_ELEMENTS = 1 << 16

# Up to this many elements, counting all of them is as fast as a sample.
WORTH_A_SAMPLE = PLACES * NEIGHBOURS

# Maximum parts of tensors in a task, however small they are.
_TOGETHER = 1 << 10

_GOLDEN = (5**0.5 - 1) / 2


def sample(rankings: Sequence[Ranking], job: Job) -> list[Bits]:
    """Return the kept keys of a sample, one array per place; deterministic.

    The places are those of `sample_places`; the array of a place without kept elements is empty.
    `job` is only used to cancel.
    """
    blocks = []
    for number, place in enumerate(sample_places([r.size for r in rankings])):
        if number % 64 == 0:
            job.step(0)
        blocks.append(read_kept_keys(rankings[place.index], place.start, place.stop))
    return blocks


def sample_places(sizes: Sequence[int]) -> Iterator[TensorRange]:
    """Yield up to `PLACES` short runs of elements of tensors with these sizes, in order.

    There must be at least one element. A run ends with its tensor and may start at any index. The
    concatenated tensors are divided into equal parts, one for each place. The offset of the run
    inside its part is its number times the golden ratio, modulo 1, so that the places are not in
    step with a period of the weights such as the row length.
    """
    ends = np.cumsum(sizes)
    places = min(PLACES, max(_FEWEST, int(ends[-1]) // _ELEMENTS))
    part = float(ends[-1]) / places
    neighbours = max(NEIGHBOURS, PLACES * NEIGHBOURS // 2 // places)
    for number in range(places):
        place = min(int((number + number * _GOLDEN % 1) * part), int(ends[-1]) - 1)
        index = int(np.searchsorted(ends, place, side="right"))
        start = place - (int(ends[index]) - sizes[index])
        yield TensorRange(index, start, min(start + neighbours, sizes[index]))


# Up to this many elements, keys are gathered and partitioned instead of counted.
FEW = 1 << 18


class CpuKernel:
    """The kernel for the CPU; see `Kernel`.

    Results depend neither on the number of threads (by default one per core, up to 8) nor on the
    number of elements, a multiple of 8, that a thread processes at a time (`stretch`).
    """

    def __init__(self, threads: int | None = None, stretch: int = STRETCH) -> None:
        self._threads = threads
        self._stretch = stretch

    def find_threshold(self, rankings: Sequence[Ranking], count: int, job: Job) -> Threshold:
        """Find the threshold in a bracket around its position in a sample."""
        return self._find(rankings, count, job, per_tensor=False).without_ties(_width(rankings))

    def shares(
        self, rankings: Sequence[Ranking], count: int, job: Job
    ) -> tuple[Threshold, tuple[Share, ...]]:
        """Find the threshold and what it prunes in each tensor, usually in one pass.

        With too many tensors for separate counters, a second pass counts the shares and extends
        `job`.
        """
        threshold = self._find(rankings, count, job, per_tensor=True)
        if threshold.shares is not None:
            return threshold.threshold, threshold.shares
        below = np.zeros(len(rankings), np.int64)
        equal = np.zeros(len(rankings), np.int64)
        key = threshold.threshold.key
        job.extend(sum(r.size for r in rankings))

        def work(task: Sequence[TensorRange]) -> list[tuple[TensorRange, int, int]]:
            return [(s, *count_share(rankings[s.index], s, key, job.cancel)) for s in task]

        for results in self._side_by_side(rankings, work, job):
            for stretch, smaller, same in results:
                below[stretch.index] += smaller
                equal[stretch.index] += same
                job.step(stretch.size)
        return threshold.threshold, shares(below.tolist(), equal.tolist(), threshold.threshold.ties)

    def masks(
        self, rankings: Sequence[Ranking], threshold: Threshold, job: Job
    ) -> Iterator[BitMask]:
        """Compare every key with the threshold; prune ties in flat order until there are enough.

        Yields a mask per ranking, in order, mapped from a file if it is large. Raises
        `ScratchError` if the disk has no space.
        """
        ties = threshold.ties
        with closing(self._pack_stretches(rankings, threshold, job)) as parts:
            for ranking in rankings:
                packed = scratch.bits(ranking.size)
                done = kept = 0
                while done < ranking.size:
                    part = next(parts)
                    ties -= part.prune_lowest(ties)
                    first, last = done // 8, (part.stop + 7) // 8
                    packed[first:last] = part.stays
                    scratch.release_pages(packed, first, last)
                    kept += ones(part.stays)
                    job.step(part.stop - done)
                    done = part.stop
                yield BitMask(packed, ranking.size, kept)

    def prune(self, rankings: Sequence[Ranking], count: int, job: Job) -> list[BitMask]:
        """Prune in one pass if, by a sample, few enough elements are near the threshold."""
        (cut,) = self.prune_each([PlannedCut(rankings, count)], job)
        return cut.masks

    def prune_each(self, cuts: Sequence[PlannedCut], job: Job) -> Generator[NearCut, None, None]:
        """Prune each cut in one pass; samples are taken while threads work on earlier cuts.

        Yields the results in the order of the cuts. Cuts of a single small tensor are processed
        first, many at a time.
        """
        small = [
            number for number, cut in enumerate(cuts) if is_single_tensor(cut.rankings, cut.near)
        ]
        masks = dict(zip(small, self._prune_small([cuts[n] for n in small], job), strict=True))
        large = [cut for number, cut in enumerate(cuts) if number not in masks]
        with closing(self._prune_large(large, job)) as found:
            for number in range(len(cuts)):
                mask = masks.pop(number, None)
                yield next(found) if mask is None else NearCut([mask], None)

    def _prune_small(self, cuts: Sequence[PlannedCut], job: Job) -> list[BitMask]:
        """Return the mask of each cut of a single small tensor.

        Advances `job` by twice the elements.
        """
        rankings = [cut.rankings[0] for cut in cuts]
        counts = [cut.count for cut in cuts]

        def work(some: slice) -> list[BitMask]:
            return prune_separately(rankings[some], counts[some], job.cancel)

        threads = self._threads or threads_for(sum([ranking.size for ranking in rankings]))
        masks: list[BitMask] = []
        with closing(map_in_order(divide_into_batches(rankings), work, job, threads)) as done:
            for some in done:
                masks += some
                job.step(2 * sum([mask.size for mask in some]))
        return masks

    def _prune_large(self, cuts: Sequence[PlannedCut], job: Job) -> Generator[NearCut, None, None]:
        """Yield the result of each cut, in order, comparing stretches of several cuts in one map.

        Small tensors of a cut without an estimated threshold are joined first and split again.
        """
        nears: dict[int, KeyRange | None] = {}
        cuts = [c if c.near is not None else replace(c, rankings=join(c.rankings)) for c in cuts]

        def tasks() -> Iterator[list[tuple[int, TensorRange | None]]]:
            """Yield parts of the cuts with their numbers, combined into tasks.

            A cut that needs two passes has the single part None.
            """
            task: list[tuple[int, TensorRange | None]] = []
            room = self._stretch
            for number, cut in enumerate(cuts):
                near = nears[number] = self._expected_range(cut, job)
                for part in [None] if near is None else self._parts(cut.rankings):
                    size = 0 if part is None else part.size
                    if task and (size > room or len(task) == _TOGETHER):
                        yield task
                        task, room = [], self._stretch
                    task.append((number, part))
                    room -= size
            if task:
                yield task

        def work(
            task: Sequence[tuple[int, TensorRange | None]],
        ) -> list[tuple[int, ComparedStretch | None]]:
            """Compare the parts of a task with the expected ranges of their cuts."""
            found: list[tuple[int, ComparedStretch | None]] = []
            for number, part in task:
                near, compared = nears[number], None
                if near is not None and part is not None:
                    ranking = cuts[number].rankings[part.index]
                    compared = compare_stretch(ranking, part, near, job.cancel)
                found.append((number, compared))
            return found

        threads = self._threads or threads_for(sum(r.size for cut in cuts for r in cut.rankings))
        with closing(map_in_order(tasks(), work, job, threads)) as passed:
            for number, results in groupby(chain.from_iterable(passed), itemgetter(0)):
                cut = cuts[number]
                found = self._cut(cut, nears[number], (each for _, each in results), job)
                yield found._replace(masks=split_masks(found.masks, cut.rankings, job.cancel))

    def _expected_range(self, cut: PlannedCut, job: Job) -> KeyRange | None:
        """Return the range in which a threshold is expected; None if it has too many keys.

        This is the range of the cut if its keys fit into memory, otherwise one found by a sample.
        None also for few elements, of which no sample is taken.
        """
        width = _width(cut.rankings)
        near = cut.near
        if near is None or NearCutBuilder.room_for(near, width) > MOST_HELD:
            if sum(r.size for r in cut.rankings) <= WORTH_A_SAMPLE:
                return None
            blocks = self._sample(cut.rankings, job)
            near = range_of_sample(blocks, cut.count, _n_ranked(cut.rankings), width)
        return None if NearCutBuilder.room_for(near, width) > MOST_HELD else near

    def _sample(self, rankings: Sequence[Ranking], job: Job) -> list[Bits]:
        return sample(rankings, job)

    def _parts(self, rankings: Sequence[Ranking]) -> Iterator[TensorRange]:
        for index, ranking in enumerate(rankings):
            for start in range(0, ranking.size, self._stretch):
                yield TensorRange(index, start, min(start + self._stretch, ranking.size))

    def _cut(
        self,
        cut: PlannedCut,
        near: KeyRange | None,
        compared: Iterable[ComparedStretch | None],
        job: Job,
    ) -> NearCut:
        """Return the result of a cut from all its stretches, as compared with the range `near`.

        Prunes in two passes instead if `near` is None, or the threshold is outside of it.
        `NearCut.pruned_keys` is only set if `near` is the range of the cut itself.
        """
        if near is not None:
            builder, done = NearCutBuilder(cut.rankings, near), 0
            for each in compared:
                assert each is not None
                builder.add(each)
                done += 2 * each.stretch.size
                job.step(2 * each.stretch.size)
            found = builder.cut(cut.count)
            if found is not None:
                return found if near is cut.near else found._replace(pruned_keys=None)
            del builder  # frees the masks it has begun
            job.extend(done)
        return NearCut(self.prune_in_two(cut.rankings, cut.count, job), None)

    def prune_in_two(self, rankings: Sequence[Ranking], count: int, job: Job) -> list[BitMask]:
        """Prune with `find_threshold` and `masks`."""
        scratch.require_room(ranking.size for ranking in rankings)  # fail before the first pass
        return list(self.masks(rankings, self.find_threshold(rankings, count, job), job))

    def channel_norms(self, slices: Slices, n: Norm, job: Job) -> Float64s:
        """Sum blocks of 4,096 elements in parallel, pairwise inside each block."""
        return channel_norms(slices, n, job, self._threads)

    def lowest_channels(
        self, slices: Slices, n: Norm, among: Indices, count: int, job: Job
    ) -> Indices:
        """Decide most channels by approximate sums."""
        return lowest_channels(slices, n, among, count, job, threads=self._threads)

    def _pack_stretches(
        self, rankings: Sequence[Ranking], threshold: Threshold, job: Job
    ) -> Generator[OpenBits, None, None]:
        """Yield all elements compared with a threshold, stretch by stretch in order.

        Ties are undecided. Large tensors are divided, small ones are stretches of their own.
        """

        def work(task: Sequence[TensorRange]) -> list[OpenBits]:
            return [pack_stretch(rankings[s.index], s, threshold, job.cancel) for s in task]

        for parts in self._side_by_side(rankings, work, job):
            yield from parts

    def _find(
        self, rankings: Sequence[Ranking], count: int, job: Job, *, per_tensor: bool
    ) -> FoundThreshold:
        """Find the threshold that prunes `count` keys.

        Few elements are partitioned in memory, for others a bracket from a sample is counted. The
        result has the share of each tensor if `per_tensor` and if there is memory for the counters.
        Advances `job` by the elements, and extends it for further passes.
        """
        size = sum(r.size for r in rankings)
        width = _width(rankings)
        if size <= FEW:
            threshold = _find_threshold_in_memory(rankings, count, job)
            job.step(size)
            return threshold
        bracket = Bracket.of_all_keys(width)
        candidates = None
        if size > WORTH_A_SAMPLE:
            near = range_of_sample(self._sample(rankings, job), count, _n_ranked(rankings), width)
            bracket = Bracket.of_range(near, width)
            if bracket.shift:
                candidates = Candidates(bracket)
        first: BracketCounts | None = None

        def pass_over(bracket: Bracket) -> BracketCounts:
            """Return the counts for a bracket, from the collected keys if these suffice."""
            nonlocal first
            if first is None:
                first = self._count(rankings, bracket, job, candidates, per_tensor=per_tensor)
                return first
            if candidates is not None and candidates.covers(bracket):
                return candidates.count(bracket, first.below, per_tensor=per_tensor)
            job.extend(size)
            return self._count(rankings, bracket, job, None, per_tensor=per_tensor)

        return search(width, count, bracket, pass_over)

    def _count(
        self,
        rankings: Sequence[Ranking],
        bracket: Bracket,
        job: Job,
        candidates: Candidates | None,
        *,
        per_tensor: bool,
    ) -> BracketCounts:
        """Count all kept elements once; the keys inside are added to `candidates` as well.

        With `per_tensor`, the bins are counted per tensor if there is memory for that. Advances
        `job` by the elements.
        """
        per_tensor = per_tensor and bracket.fits_apart(len(rankings))
        tallies = [Tally(bracket.bins) for _ in (rankings if per_tensor else "1")]
        below = np.zeros(len(rankings), np.int64)
        collect_keys = candidates is not None

        def work(task: Sequence[TensorRange]) -> list[tuple[TensorRange, int, Tally, Bits | None]]:
            """Count the keys of the stretches of a task."""
            return [
                (
                    s,
                    *count_inside(
                        rankings[s.index], s, bracket, job.cancel, collect_keys=collect_keys
                    ),
                )
                for s in task
            ]

        for results in self._side_by_side(rankings, work, job):
            for stretch, smaller, tally, offsets in results:
                below[stretch.index] += smaller
                tallies[stretch.index if per_tensor else 0].absorb(tally)
                if candidates is not None and offsets is not None:
                    candidates.add(stretch.index, offsets)
                job.step(stretch.size)
        return BracketCounts(below, np.stack([tally.counts() for tally in tallies]))

    def _side_by_side(
        self,
        rankings: Sequence[Ranking],
        work: Callable[[tuple[TensorRange, ...]], Result],
        job: Job,
    ) -> Generator[Result, None, None]:
        """Yield the results of `work` for the stretches of all rankings; see `map_in_order`."""
        sizes = [r.size for r in rankings]
        threads = self._threads or threads_for(sum(sizes))
        return map_in_order(stretches(sizes, self._stretch), work, job, threads)


def _n_ranked(rankings: Sequence[Ranking]) -> int:
    return sum(r.size if r.kept is None else r.kept.kept for r in rankings)


def _width(rankings: Sequence[Ranking]) -> int:
    widths = {r.width for r in rankings}
    if len(widths) != 1:
        raise ValueError(f"keys of one width expected (got {sorted(widths)})")
    return widths.pop()


def _find_threshold_in_memory(rankings: Sequence[Ranking], count: int, job: Job) -> FoundThreshold:
    """Find the threshold that prunes `count` keys (at least one), with all keys in memory.

    The result has the shares of the tensors. `job` is only used to cancel.
    """
    parts = []
    for ranking in rankings:
        job.cancel.check()
        parts.append(read_kept_keys(ranking, 0, ranking.size))
    keys = np.concatenate(parts)
    key = np.partition(keys, count - 1)[count - 1]
    ties = count - int(np.count_nonzero(keys < key))
    below = [int(np.count_nonzero(part < key)) for part in parts]
    equal = [int(np.count_nonzero(part == key)) for part in parts]
    return FoundThreshold(Threshold(int(key), ties), sum(equal), shares(below, equal, ties))
