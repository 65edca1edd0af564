"""Results of evaluations as a session stores them, and what a state was calibrated with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from pruneapp.document.edit import Record
from pruneapp.document.entries import Entry
from pruneapp.document.history import Branches
from pruneapp.errors import JsonError
from pruneapp.evaluation.metric import StateQuality
from pruneapp.evaluation.runner import Conditions
from pruneapp.export.provenance import calibration_data
from pruneapp.json_codec import convert
from pruneapp.sessions.restore import EVALUATION


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


def calibration_of_state(
    records: Sequence[Record], branches: Branches, state: int
) -> tuple[str, ...]:
    """Return the names of the data that a state of a history was calibrated with, sorted."""
    entries = (convert(records[n - 1].as_json(), Entry) for n in branches.path(state))
    return calibration_data(entries)
