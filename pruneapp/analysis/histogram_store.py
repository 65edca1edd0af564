"""Where counted magnitudes and norms are kept, as long as there is room."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable
from typing import Any

from pruneapp.analysis.histogram_store_energies import Energies
from pruneapp.analysis.histogram_store_keys import key_of, marks_of
from pruneapp.analysis.histogram_store_records import Record, Records
from pruneapp.analysis.histogram_store_wanted import HistogramRequest, Kind, batches, kinds_of
from pruneapp.analysis.histograms import MagnitudeHistogram
from pruneapp.analysis.histograms_alike import count_all
from pruneapp.analysis.histograms_channels import Channels, count_channels
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.params import Norm
from pruneapp.progress import Job

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
