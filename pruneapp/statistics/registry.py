"""The statistics that are open, by what recipes name them by: the SHA-256 of their files.

A name stands for the same numbers everywhere, so it does not matter who opened them.
"""

from __future__ import annotations

from pathlib import Path

from pruneapp.errors import ParameterError
from pruneapp.params import SHA256
from pruneapp.progress import Job
from pruneapp.statistics.file import Statistics, open_statistics

_open: dict[str, Statistics] = {}


def register(path: Path, job: Job | None = None) -> str:
    """Open a statistics file for whoever names it; returns its name, ``sha256:…``.

    Raises what `open_statistics` raises.
    """
    statistics = open_statistics(path, job)
    name = f"{SHA256}{statistics.sha256}"
    former = _open.get(name)
    if former is None:
        _open[name] = statistics
    else:
        statistics.close()
    return name


def statistics_of(name: str) -> Statistics:
    """Return open statistics by their name.

    Raises
    ------
    ParameterError
        If the name is empty, or no such file is open.
    """
    if not name:
        raise ParameterError(
            "Ranking weights by their inputs needs statistics of activations.",
            remedy="Choose a statistics file; `pruneapp statistics` makes one.",
        )
    try:
        return _open[name]
    except KeyError:
        raise ParameterError(
            f"The statistics of activations with the SHA-256 {name.removeprefix(SHA256)} are not "
            "there.",
            remedy="Load the statistics file in the form, or name it with --statistics.",
        ) from None


def unregister(name: str) -> None:
    """Close statistics; nobody may use them any more."""
    _open.pop(name).close()
