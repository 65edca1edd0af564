"""Results of evaluations and scans as a session stores them, and what calibrated a state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from pruneapp.document.edit import Record
from pruneapp.document.entries import Entry
from pruneapp.document.history import Branches
from pruneapp.errors import JsonError
from pruneapp.evaluation.metric import StateQuality
from pruneapp.evaluation.runner import Conditions
from pruneapp.evaluation.scan_file import Scan, ScanMetric, check_scan
from pruneapp.export.provenance import calibration_data
from pruneapp.json_codec import convert
from pruneapp.sessions.restore import EVALUATION, SENSITIVITY


class StoredResult(msgspec.Struct, frozen=True):
    """The result of one evaluation of one state."""

    state: str  # SHA-256 of the state, see `state_sha256`
    evaluation: str  # hash of script, interpreter and options
    conditions: Conditions
    quality: StateQuality


def results_in(view: Mapping[str, Any]) -> list[StoredResult]:
    """Return the results in the state of the views, in the order in which they were stored.

    [] if there are none, or if they were not written by Pruneapp.
    """
    try:
        return convert(view.get(EVALUATION, []), list[StoredResult])
    except JsonError:
        return []


class KeptScan(msgspec.Struct, frozen=True):
    """A sensitivity scan and how it was measured, as sessions store it."""

    scan: Scan
    evaluation: str  # hash of script, interpreter and options
    shares: tuple[str, ...] = ()  # names of the metrics that are shares of samples
    state: int = -1  # index of the scanned state in the history; -1 if it was deleted
    conditions: Conditions | None = None  # script, data and options, to be shown
    metric: str = ""  # name of the metric that the user chose; empty for the default
    # Names of the metrics with a value per sample, without those that are shares of samples.
    per_sample: tuple[str, ...] = ()

    @property
    def shown_metric(self) -> ScanMetric:
        """The metric that the user chose, otherwise the first one with a value per sample.

        Intervals of its differences are known, and it changes with every weight, unlike a share of
        samples. The default of `Scan.metric` if there is no such metric.
        """
        names = [metric.name for metric in self.scan.metrics]
        wanted = (self.metric, *(name for name in names if name in self.per_sample))
        return self.scan.metric(next((name for name in wanted if name in names), None))

    @property
    def progress(self) -> float:
        """The measured part of the scan, from 0 to 1."""
        return self.scan.measured / self.scan.wanted


def scans_in(view: Mapping[str, Any]) -> list[KeptScan]:
    """Return the sensitivity scans in the state of the views, the latest last.

    [] if there are none, or if they were not written by Pruneapp.
    """
    some = view.get(SENSITIVITY, [])
    try:
        scans = convert(some if isinstance(some, list) else [some], list[KeptScan])
        for kept in scans:
            check_scan(kept.scan, "session")
    except JsonError:
        return []
    return scans


def calibration_of_state(
    records: Sequence[Record], branches: Branches, state: int
) -> tuple[str, ...]:
    """Return the names of the data that a state of a history was calibrated with, sorted."""
    entries = (convert(records[n - 1].as_json(), Entry) for n in branches.path(state))
    return calibration_data(entries)


def data_names(evaluations: Iterable[Conditions]) -> dict[str, str]:
    """Return the file names of the data of evaluations and scans by their identifiers.

    For the identifiers see `pruneapp.evaluation.runner.data_of`.
    """
    names: dict[str, str] = {}
    for found in evaluations:
        if found.data_sha256:
            names[f"text:{found.data_sha256}"] = found.data
        names[f"script:{found.script_sha256}"] = found.name
        names[f"evaluate of script:{found.measuring_sha256}"] = found.name
    return names
