""".

To which state of a tensor a count belongs: its mask, its protection and its final weights.

The last things that were put together from counts.

Counts of tensors, kept as long as there is room and their masks are there.

Two sums over what is kept of tensors, which are known longer than all their magnitudes.

Where counted magnitudes and norms are kept, as long as there is room.

What is to be counted, as things that can be put into a queue.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import ref

from pruneapp.analysis.histograms import Channels, MagnitudeHistogram, count_all, count_channels
from pruneapp.document.selection import excluded, rows_of
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step, dim_of
from pruneapp.masks.bitmask import MaskSet
from pruneapp.methods import registry
from pruneapp.params import Norm
from pruneapp.progress import Job
from pruneapp.results.sparsity_report import Assignment

if TYPE_CHECKING:
    from pruneapp.masks.bitmask import BitMask

# More than a step of some rows needs.
_MOST = 64


@dataclass(frozen=True, eq=False)
class _Kept:
    state: tuple[ref[MaskSet], ...]
    value: Any
    nbytes: int


class Recent:
    """Remembers what belongs to one state of the masks, the last of it, as long as it is there.

    Safe to use from several threads: two that miss at once may both make it.
    """

    def __init__(self) -> None:
        self._kept: dict[Hashable, _Kept] = {}
        self._lock = threading.Lock()
        self._nbytes = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all of it."""
        return self._nbytes

    def get(self, snapshot: Snapshot, key: Hashable) -> Any:
        """Return what was kept for a state; None if there is nothing."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        same = all(r() is s for r, s in zip(kept.state, _state(snapshot), strict=True))
        return kept.value if same else None

    def put(self, snapshot: Snapshot, key: Hashable, value: object, nbytes: int) -> None:
        """Keep something; the oldest goes if there are many."""
        state = tuple(ref(masks) for masks in _state(snapshot))
        with self._lock:
            self._kept.pop(key, None)
            for old in [
                k for k, kept in self._kept.items() if any(r() is None for r in kept.state)
            ]:
                del self._kept[old]
            while len(self._kept) >= _MOST:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = _Kept(state, value, nbytes)
            self._nbytes = sum(kept.nbytes for kept in self._kept.values())

    def clear(self) -> None:
        """Let go of all of it."""
        with self._lock:
            self._kept.clear()
            self._nbytes = 0


def _state(snapshot: Snapshot) -> tuple[MaskSet, MaskSet, MaskSet]:
    return snapshot.masks, snapshot.protected, snapshot.final


# A dimension, from 0, and the order of a norm; None for magnitudes.
Kind = tuple[int, Norm] | None

# Elements of small tensors that are counted as one.
_BATCH = 1 << 20


@dataclass(frozen=True)
class HistogramRequest:
    """Something that is to be counted; for `HistogramStore.count`.

    Attributes
    ----------
    names
        First names of the tensors: one large one, or several small ones.
    kind
        Dimension, from 0, and order of the norms; None if magnitudes are wanted.
    elements
        How many elements are read for it.
    """

    names: tuple[str, ...]
    kind: Kind
    elements: int


def rows_now(snapshot: Snapshot, step: Step) -> tuple[tuple[Row, tuple[str, ...]], ...]:
    """Return what `rows_of` does; of 100,000 names it is not asked at each move of a slider."""
    key = "rows", tuple(row.names for row in step.rows), step.limits.spare, step.version
    known: list[tuple[int, tuple[str, ...]]] | None = census_of(snapshot).recent(snapshot, key)
    if known is None:
        places = {id(row): i for i, row in enumerate(step.rows)}
        found = rows_of(snapshot.checkpoint, step)
        known = [(places[id(row)], names) for row, names in found]
        census_of(snapshot).remember(snapshot, key, known, 0)
    return tuple((step.rows[i], names) for i, names in known)


def assignment_now(snapshot: Snapshot, step: Step) -> Assignment:
    """Return which rule of a step prunes each tensor, and what its limits exclude.

    Found once for the names, rules and limits of a step, not at each move of a slider.
    """
    if len(step.rows) == 1 and not step.limits.spare:
        return Assignment()
    names = tuple(row.names for row in step.rows)
    key = "assignment", names, step.limits.spare, step.version
    known: Assignment | None = census_of(snapshot).recent(snapshot, key)
    if known is None:
        rules: dict[str, int] = {}
        counts = [0] * len(step.rows) if len(step.rows) > 1 else []
        if counts:
            places = {id(row): i for i, row in enumerate(step.rows)}
            for row, some in rows_now(snapshot, step):
                rules.update(dict.fromkeys(some, places[id(row)]))
                counts[places[id(row)]] = len(some)
        known = Assignment(rules, excluded(snapshot.checkpoint, step), tuple(counts))
        census_of(snapshot).remember(snapshot, key, known, 0)
    return known


def kinds_of(snapshot: Snapshot, step: Step) -> Iterator[tuple[tuple[str, ...], Kind]]:
    """Yield names, and what has to be known of them before a step can be estimated.

    What decides comes first, then what the energy is made of.
    """
    for row, names in rows_now(snapshot, step):
        method = registry.get(row.method)
        if method.told_by is None:
            continue
        if method.granularity == "weights":
            yield names, None
        else:
            dims = dims_of(snapshot, row, names)
            for order in orders_of(row):
                for dim in dict.fromkeys(dims):
                    yield (
                        tuple(n for n, d in zip(names, dims, strict=True) if d == dim),
                        (dim, order),
                    )


def dims_of(snapshot: Snapshot, row: Row, names: Sequence[str]) -> list[int]:
    """Return the dimension of a method of channels for each tensor, from 0."""
    shapes = [snapshot.entry(name).shape for name in names]
    # Most tensors of a large model are of a few shapes.
    first = dict(zip(reversed(shapes), reversed(names), strict=True))
    dims = {shape: dim_of(row, shape, name) for shape, name in first.items()}
    return [dims[shape] for shape in shapes]


def orders_of(row: Row) -> tuple[Norm, ...]:
    """Return the orders of the norms that a method of channels needs.

    That which decides comes first; 2 and 1 say the sums of squares and magnitudes. "fro" is 2 of
    the flattened slice.
    """
    n = row.values.get("n", 2)
    return tuple(dict.fromkeys((2 if n == "fro" else n, 2, 1)))


def batches(snapshot: Snapshot, names: Sequence[str], kind: Kind) -> list[HistogramRequest]:
    """Put names into batches, in order."""
    made: list[HistogramRequest] = []
    some: list[str] = []
    elements = 0
    for name in names:
        numel = snapshot.entry(name).numel
        if some and elements + numel > _BATCH:
            made.append(HistogramRequest(tuple(some), kind, elements))
            some, elements = [], 0
        some.append(name)
        elements += numel
    if some:
        made.append(HistogramRequest(tuple(some), kind, elements))
    return made


Key = tuple[str, Kind, int, int, int]
Marks = tuple["BitMask | None", "BitMask | None", "BitMask | None"]
Refs = tuple["ref[BitMask] | None", ...] | None  # None: there is no mask


def marks_of(snapshot: Snapshot, name: str) -> Marks:
    """Return what a count of a tensor depends on."""
    return snapshot.masks.get(name), snapshot.protected.get(name), snapshot.final.get(name)


def key_of(snapshot: Snapshot, name: str, kind: Kind) -> Key:
    """Return what a count is found by; whether it is that of the masks the references say."""
    if not (snapshot.masks or snapshot.protected or snapshot.final):
        return name, kind, 0, 0, 0
    mask, protected, final = (0 if m is None else id(m) for m in marks_of(snapshot, name))
    return name, kind, mask, protected, final


def refs_to(marks: Marks, note: Callable[[Any], None] | None = None) -> Refs:
    """Return references that keep no mask alive, each of which calls `note` as its mask goes."""
    if all(mark is None for mark in marks):
        return None
    return tuple(None if mark is None else ref(mark, note) for mark in marks)


def belongs(refs: Refs, marks: Marks) -> bool:
    """Return whether references are to these masks: another may be where one was that is gone."""
    if refs is None:
        mask, protected, final = marks  # not in a loop: it is asked of 100,000 tensors
        return mask is None and protected is None and final is None
    pairs = zip(refs, marks, strict=True)
    return all(mark is None if r is None else r() is mark for r, mark in pairs)


def are_gone(refs: Refs) -> bool:
    """Return whether any of the masks is gone."""
    return refs is not None and any(r is not None and r() is None for r in refs)


Record = MagnitudeHistogram | Channels


class Records:
    """What was counted, by the masks that a tensor had; these are not kept alive by it.

    Where there is no room, what was counted first is dropped. Safe to use from several threads.

    Parameters
    ----------
    budget
        Bytes that are kept at most.

    Attributes
    ----------
    recent
        What was put together from counts; the first to go where there is no room.
    """

    def __init__(self, budget: int) -> None:
        self.recent = Recent()
        self._budget = budget
        self._found: dict[Key, tuple[Refs, Record]] = {}
        # Sizes of what was dropped: what will not fit is not counted again and again. They go with
        # their masks, too.
        self._dropped: dict[Key, tuple[Refs, int]] = {}
        self._gone: deque[Key] = deque()  # whose masks are gone
        self._lock = threading.Lock()
        self._nbytes = 0

    def __len__(self) -> int:
        """How many counts there are."""
        return len(self._found)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes, about."""
        return self._nbytes + self.recent.nbytes

    @property
    def dropped(self) -> int:
        """Of how many counts only the size is known."""
        return len(self._dropped)

    def get(self, snapshot: Snapshot, key: Key) -> Record | None:
        """Return what was counted for a state; None if there is nothing."""
        known = self._found.get(key)
        if known is None:
            return None
        refs, record = known
        # Another mask may have been made at the address of one that is gone.
        same = refs is None or belongs(refs, marks_of(snapshot, key[0]))
        return record if same else None

    def size_of_dropped(self, key: Key) -> int:
        """Return how many bytes something took that was dropped; 0 if it is not known."""
        return self._dropped.get(key, (None, 0))[1]

    def put(self, snapshot: Snapshot, name: str, kind: Kind, record: Record) -> None:
        """Keep a count; of one that is larger than all the room only the size is kept."""
        key = key_of(snapshot, name, kind)
        refs = refs_to(marks_of(snapshot, name), partial(_note, self._gone, key))
        with self._lock:
            self._forget_gone()
            self._drop(key)
            if record.nbytes > self._budget:
                self._dropped[key] = refs, record.nbytes
                return
            size = record.nbytes
            if self.nbytes + size > self._budget:  # they are made anew if they are needed
                self.recent.clear()
            while self._nbytes + size > self._budget:
                oldest = next(iter(self._found))
                self._dropped[oldest] = self._found[oldest][0], self._drop(oldest)
            self._dropped.pop(key, None)
            self._found[key] = refs, record
            self._nbytes += size

    def remember(self, snapshot: Snapshot, key: Hashable, value: object, nbytes: int) -> None:
        """Remember something that was put together, if there is room beside the counts."""
        if self.nbytes + nbytes > self._budget:
            self.recent.clear()
        if self._nbytes + nbytes <= self._budget:
            self.recent.put(snapshot, key, value, nbytes)

    def _forget_gone(self) -> None:
        while self._gone:
            key = self._gone.popleft()
            self._dropped.pop(key, None)
            known = self._found.get(key)
            # A mask made at the same address may be known under the same key by now.
            refs = None if known is None else known[0]
            if are_gone(refs):
                self._drop(key)

    def _drop(self, key: Key) -> int:
        known = self._found.pop(key, None)
        freed = 0 if known is None else known[1].nbytes
        self._nbytes -= freed
        return freed


def _note(gone: deque[Key], key: Key, _: Any) -> None:
    # Called whenever a mask is let go, even while this thread holds the lock: no more than this.
    gone.append(key)


Sums = tuple[float, float]


class Energies:
    """Sums of squares and of magnitudes of each tensor, of two of its states.

    Those of the file as it was opened, without a mask, against which is measured what is retained;
    and those of the last other one, which belong to masks, told by identity. Which of them was
    counted first says nothing: work that is taken up begins in another state.
    """

    def __init__(self) -> None:
        self._opened: dict[str, Sums] = {}
        self._last: dict[str, tuple[Refs, Sums]] = {}

    def put(self, name: str, marks: Marks, sums: Sums) -> None:
        """Note the sums of squares and of magnitudes of a tensor under some masks."""
        refs = refs_to(marks)
        if refs is None:
            self._opened[name] = sums
        else:
            self._last[name] = refs, sums

    def get(self, name: str, marks: Marks) -> Sums | None:
        """Return the two sums of a tensor under some masks; None if they are not known."""
        if belongs(None, marks):
            return self._opened.get(name)
        known = self._last.get(name)
        return known[1] if known is not None and belongs(known[0], marks) else None


# Bytes of everything that is kept.
BUDGET = 128_000_000


class HistogramStore:
    """What was counted of the tensors of a document, for any of its states.

    A count belongs to the mask, the protection and the final weights that a tensor had, told by
    identity: undo finds what was counted before. It does not keep them alive. Where there is no
    room, what was counted first is dropped.

    Safe to use from several threads.

    Parameters
    ----------
    budget
        Bytes that are kept at most.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._records = Records(budget)
        self._energies = Energies()
        self._lock = threading.Lock()  # of the energies

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes, about."""
        return self._records.nbytes

    # What is to be counted

    def wanted(self, snapshot: Snapshot, step: Step) -> tuple[HistogramRequest, ...]:
        """Return what has to be counted before a step can be estimated, the most needed first.

        Nothing if all is there, or if counts do not say what the step does. What would not fit with
        all that is needed more is left out.

        Raises
        ------
        SelectionError
            If a tensor cannot be pruned, or none is selected.
        ParameterError
            If a tensor has no channels along the dimension.
        """
        made: list[HistogramRequest] = []
        room = self._budget  # for all together: what takes the room of another is counted for ever
        for names, kind in dict.fromkeys(kinds_of(snapshot, step)):
            missing, needed = self._missing(snapshot, names, kind)
            if needed <= room:
                room -= needed
                made += batches(snapshot, missing, kind)
        return tuple(dict.fromkeys(made))

    def wanted_all(self, snapshot: Snapshot, names: Iterable[str]) -> tuple[HistogramRequest, ...]:
        """Return what has to be counted to know all magnitudes of some tensors, in their order.

        Parameters
        ----------
        snapshot
            The state.
        names
            First names of tensors that can be pruned.
        """
        missing, needed = self._missing(snapshot, tuple(names), None)
        return tuple(batches(snapshot, missing, None)) if needed <= self._budget else ()

    def wanted_energies(
        self, snapshot: Snapshot, names: Iterable[str], job: Job
    ) -> tuple[HistogramRequest, ...]:
        """Return what has to be measured to know the energy of some tensors.

        Parameters
        ----------
        snapshot
            The state.
        names
            First names of tensors that can be pruned.
        job
            May cancel.
        """
        missing = [
            name
            for batch in job.cancel.batches(tuple(names))
            for name in batch
            if self.sums(snapshot, name) is None
        ]
        return tuple(batches(snapshot, missing, None))

    def share(self, snapshot: Snapshot, step: Step) -> float:
        """Return how much of what a step needs is counted, from 0 to 1; 1 if nothing is wanted."""
        missing = sum(wanted.elements for wanted in self.wanted(snapshot, step))
        if not missing:
            return 1.0
        sizes = snapshot.checkpoint.entries
        needed = sum(sizes[n].numel for names, _ in kinds_of(snapshot, step) for n in names)
        return 1 - missing / needed

    def _missing(
        self, snapshot: Snapshot, names: tuple[str, ...], kind: Kind
    ) -> tuple[list[str], int]:
        """Return what is not counted, and how many bytes all of it takes as far as is known."""
        mark = "counted", kind, names  # forgotten as soon as anything is dropped
        known: int | None = self.recent(snapshot, mark)
        if known is not None:
            return [], known
        missing = []
        needed = 0
        for name in names:
            key = key_of(snapshot, name, kind)
            record = self._records.get(snapshot, key)
            if record is None:
                missing.append(name)
                needed += self._records.size_of_dropped(key)
            else:
                needed += record.nbytes
        if not missing:
            self.remember(snapshot, mark, needed, nbytes=0)
        return missing, needed

    # Counting

    def count(self, snapshot: Snapshot, wanted: HistogramRequest, job: Job) -> None:
        """Count something; for a worker.

        Parameters
        ----------
        snapshot
            The state that it was wanted for.
        wanted
            Of `wanted` or `wanted_all`. What is there by now is not counted again.
        job
            Started with the elements; may cancel.

        Raises
        ------
        CheckpointError
            If the file cannot be read.
        """
        job.start(wanted.elements, wanted.names[0])
        kind = wanted.kind
        missing = [
            name
            for batch in job.cancel.batches(wanted.names)
            for name in batch
            if self._get(snapshot, name, kind) is None
        ]
        if kind is not None:
            for name in missing:
                self._put(snapshot, name, kind, count_channels(snapshot, name, *kind, job))
            return
        for name, record in count_all(snapshot, missing, job):
            self._put(snapshot, name, None, record)

    def measure(self, snapshot: Snapshot, wanted: HistogramRequest, job: Job) -> None:
        """Find out energies alone, for which there is always room; as `count` does.

        Parameters
        ----------
        snapshot
            The state that they were wanted for.
        wanted
            Of `wanted_energies`.
        job
            Started with the elements; may cancel.
        """
        job.start(wanted.elements, wanted.names[0])
        for name, record in count_all(snapshot, wanted.names, job):
            self._note(snapshot, name, record)

    # What is known

    def magnitudes(self, snapshot: Snapshot, name: str) -> MagnitudeHistogram | None:
        """Return the magnitudes of a tensor; None if they are not counted."""
        record = self._get(snapshot, name, None)
        return record if isinstance(record, MagnitudeHistogram) else None

    def channels(self, snapshot: Snapshot, name: str, dim: int, n: Norm) -> Channels | None:
        """Return the channels of a tensor, `dim` from 0 and `n` no "fro"; None if not counted."""
        record = self._get(snapshot, name, (dim, n))
        return record if isinstance(record, Channels) else None

    def sums(self, snapshot: Snapshot, name: str) -> tuple[float, float] | None:
        """Return the sums of squares and of magnitudes of the finite weights that are kept.

        Known longer than the magnitudes of the tensor: as it was opened, without masks, and of the
        last other state in which it was counted.

        Parameters
        ----------
        snapshot
            The state.
        name
            First name of the tensor.

        Returns
        -------
        tuple of float or None
            Infinite beyond float64; None if it is not counted.
        """
        found = self._energies.get(name, marks_of(snapshot, name))
        if found is None and (counted := self.magnitudes(snapshot, name)) is not None:
            return counted.sums(snapshot.entry(name).dtype)
        return found

    def zeros(self, snapshot: Snapshot, name: str) -> int | None:
        """Return how many of the weights that a step may take are 0; None if not counted.

        Parameters
        ----------
        snapshot
            The state.
        name
            Any name of the tensor.
        """
        found = self.magnitudes(snapshot, snapshot.entry(name).name)
        return None if found is None else found.zeros

    def below(self, snapshot: Snapshot, names: Iterable[str], threshold: float) -> int | None:
        """Return how many weights that a step may take have a magnitude up to a threshold.

        Parameters
        ----------
        snapshot
            The state.
        names
            Any names of tensors that can be pruned.
        threshold
            A magnitude; weights of just this one count.

        Returns
        -------
        int or None
            Exact for floats of up to 16 bits; in the bin of the threshold, wider ones are taken to
            be spread evenly. None if one of the tensors is not counted.
        """
        total = 0
        for name in names:
            entry = snapshot.entry(name)
            found = self.magnitudes(snapshot, entry.name)
            if found is None:
                return None
            total += found.below(threshold, entry.dtype)
        return total

    # Things put together from counts

    def recent(self, snapshot: Snapshot, key: Hashable) -> Any:
        """Return what was put together for this state and remembered; None if there is nothing."""
        return self._records.recent.get(snapshot, key)

    def remember(self, snapshot: Snapshot, key: Hashable, value: object, nbytes: int) -> None:
        """Remember something for this state, if there is room beside the counts."""
        self._records.remember(snapshot, key, value, nbytes)

    # The store

    def _get(self, snapshot: Snapshot, name: str, kind: Kind) -> Record | None:
        return self._records.get(snapshot, key_of(snapshot, name, kind))

    def _put(self, snapshot: Snapshot, name: str, kind: Kind, record: Record) -> None:
        if isinstance(record, MagnitudeHistogram):
            self._note(snapshot, name, record)
        self._records.put(snapshot, name, kind, record)

    def _note(self, snapshot: Snapshot, name: str, record: MagnitudeHistogram) -> None:
        sums = record.sums(snapshot.entry(name).dtype)
        with self._lock:
            self._energies.put(name, marks_of(snapshot, name), sums)


def census_of(snapshot: Snapshot) -> HistogramStore:
    """Return what was counted of the document of a snapshot, for all of its states."""
    return snapshot.cache.of(HistogramStore)
