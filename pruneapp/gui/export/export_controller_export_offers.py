"""The formats that the dialog offers, with sizes that become known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from pruneapp.errors import PruneAppError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import ExportRequest
from pruneapp.export.exporter_landing import landing
from pruneapp.export.format_sizes import offer, recommend, written_as
from pruneapp.export.records_state import State
from pruneapp.export.rounding import cost_to_come
from pruneapp.gui.app.jobs import Jobs, Urgency
from pruneapp.gui.app.jobs_tasks import Task
from pruneapp.gui.export.format_list import rounded_to
from pruneapp.results.format_offer import FormatOffer, Landing, RoundingCost


class ExportOffers(QObject):
    """Counts how large each format would be, while a dialog shows them.

    Parameters
    ----------
    jobs
        Where it is counted.
    parent
        Owns this.

    Signals
    -------
    changed(tuple of FormatOffer)
        Something is known that was not, or known no longer.
    rounded(str, RoundingCost or str)
        What rounding to a type costs, or a sentence on why that is not known.
    landed(object, Landing)
        What an export finds where it goes, with the key that it was asked by.
    failed(PruneAppError)
        A size could not be counted.
    """

    changed = Signal(object)
    rounded = Signal(str, object)
    landed = Signal(object, object)
    failed = Signal(object)

    def __init__(self, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._state: State | None = None
        self._offers: dict[str, FormatOffer] = {}
        self._sampling: dict[str, Task[FormatOffer]] = {}
        self._types: dict[str, str] = {}  # that each format was last counted in
        self._paths: dict[str, Path] = {}  # where each format goes, as far as it was said
        self._rounding: Task[RoundingCost] | None = None
        self._landing: Task[Landing] | None = None

    def start(self, state: State, found: Iterable[FormatOffer]) -> None:
        """Begin with what headers tell of a state, and count the rest."""
        self._state = state
        self._paths.clear()
        self._types.clear()
        self._offers = {one.name: one for one in found}
        for one in self._offers.values():
            if not one.why_not and one.nbytes is None:
                self.count(one.name, {})

    def count(self, name: str, values: Mapping[str, Any]) -> None:
        """Count how large a format would be; what is known of it is known no longer."""
        state = self._state
        assert state is not None  # there is a dialog
        if (old := self._sampling.pop(name, None)) is not None:
            old.cancel()
        was = self._offers[name]
        before, self._types[name] = self._types.get(name, ""), rounded_to(was, values)
        # An exact size hardly changes in the same type, so it stays until the new one is there.
        kept = was.nbytes if was.exact and before == self._types[name] else None
        stale = replace(was, nbytes=kept, files=None, wrong="")
        if stale != was:
            self._take(stale)
        self._jobs.make_room()
        path = self._paths.get(name)
        self._sampling[name] = self._jobs.answer(
            lambda job: offer(state, FORMATS[name], values, job, path=path),
            on_result=self._take,
            on_error=self.failed.emit,
            urgency=Urgency.AT_ONCE,
        )

    def round(self, name: str) -> None:
        """Look for what rounding to a type costs, and no longer at another one."""
        state = self._state
        assert state is not None  # there is a dialog
        self._look_no_more()
        self._rounding = self._jobs.answer(
            lambda job: cost_to_come(state, name, job),
            on_result=partial(self._take_cost, name),
            on_error=partial(self._take_no_cost, name),
        )

    def look(self, key: object, request: ExportRequest) -> None:
        """Look at where an export goes, and no longer elsewhere.

        Where the name makes another file of it, its size is counted anew.
        """
        state = self._state
        assert state is not None  # there is a dialog
        name = request.format
        before, self._paths[name] = self._paths.get(name), request.path
        if written_as(state.checkpoint, FORMATS[name], before) != written_as(
            state.checkpoint, FORMATS[name], request.path
        ):
            self.count(name, request.params)
        if self._landing is not None:
            self._landing.cancel()
        self._landing = self._jobs.answer(
            lambda job: landing(state, request, job),
            on_result=partial(self._take_landing, key),
            on_error=self.failed.emit,
        )

    def _take_landing(self, key: object, found: Landing) -> None:
        if self._state is not None:
            self.landed.emit(key, found)

    def _look_no_more(self) -> None:
        if self._rounding is not None:
            self._rounding.cancel()
            self._rounding = None

    def _take_cost(self, name: str, cost: RoundingCost) -> None:
        if self._state is not None:
            self.rounded.emit(name, cost)

    def _take_no_cost(self, name: str, error: PruneAppError) -> None:
        if self._state is not None:
            self.rounded.emit(name, f"{error.sentence} {error.remedy}".strip())

    def stop(self) -> None:
        """Count no more."""
        self._look_no_more()
        if self._landing is not None:
            self._landing.cancel()
            self._landing = None
        for task in self._sampling.values():
            task.cancel()
        self._sampling.clear()
        self._state = None

    def _take(self, found: FormatOffer) -> None:
        if self._state is None:
            return
        self._offers[found.name] = found
        self.changed.emit(recommend(self._offers.values()))
