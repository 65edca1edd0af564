"""Files of at most so many bytes: which tensor goes into which of them, and their names.

The files are called as transformers calls them, ``model-00001-of-00004.safetensors`` beside
``model.safetensors.index.json``, or ``model.safetensors`` alone where one is enough. Its limit
counts the bytes of tensors; ours counts the whole file, so that what was asked for holds on a disk
or at a service that takes files up to a size.

The index of a model of several files: which tensor lies in which of them.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.errors import ExportError, JsonError
from pruneapp.export import plan as parts
from pruneapp.export.format import ExportPart, Format, Plan
from pruneapp.export.records import State
from pruneapp.json_codec import load_object
from pruneapp.params import SizeParam, format_bytes
from pruneapp.progress import Job

SHARD_SIZE = SizeParam(
    name="shard_size",
    label="Max shard size",
    help=(
        "Write a folder of shards up to this size, with an index file as in "
        "transformers and the other files of the model."
    ),
    nothing="as opened",
    usual=(1 * 10**9, 2 * 10**9, 4 * 10**9, 5 * 10**9, 10 * 10**9),
)
# Each is open until all of them are safe, and systems let a program open a thousand or so.
MOST_FILES = 500
# About what a header says of a tensor: only a first guess depends on it.
_ABOUT = 128
_INTERPOLATED = 4


def limit_of(values: Mapping[str, Any]) -> int | None:
    """Return the largest size that values of parameters ask for; None where files stay whole."""
    limit: int | None = values.get(SHARD_SIZE.name)
    return limit


def split(
    state: State, form: Format, values: Mapping[str, Any], limit: int, job: Job
) -> dict[str, Plan]:
    """Plan files of at most `limit` bytes, by their names.

    Tensors go in the order of the checkpoint, each into the file of the one before it as long as
    that stays within the limit. A tensor that is larger has a file of its own.

    How large a file will be is known by nobody but its format, which is asked: about three plans
    for a file, so linear in the number of tensors.

    Raises
    ------
    ExportError
        If the format cannot hold it, or there would be more than `MOST_FILES`.
    """
    packing = _Packing(state, form, values, limit, job)
    plans = packing.run()
    if packing.large:
        said = _too_large(packing.large, limit)
        plans[0] = replace(plans[0], notices=(*plans[0].notices, said))
    stem, suffix = stem_of(state, form)
    if len(plans) == 1:
        return {f"{stem}{suffix}": plans[0]}
    count = len(plans)
    return {f"{stem}-{i:05}-of-{count:05}{suffix}": plan for i, plan in enumerate(plans, 1)}


def _too_large(names: Sequence[str], limit: int) -> str:
    if len(names) == 1:
        return f"'{names[0]}' alone needs more than {format_bytes(limit)}: its file is larger."
    return (
        f"'{names[0]}' and {len(names) - 1:,} more need more than {format_bytes(limit)}, each "
        "alone: their files are larger."
    )


def stem_of(state: State, form: Format) -> tuple[str, str]:
    """Return the name of the whole model without its suffix, and the suffix, in a folder.

    Those of the index that was opened, else what transformers calls it.
    """
    suffix = ".safetensors" if ".safetensors" in form.suffixes else ".bin"
    index = state.checkpoint.contents.index
    name = "" if index is None else parts.renamed(index.name, form).removesuffix(".index.json")
    if name.endswith(suffix):
        return name.removesuffix(suffix), suffix
    return "model" if suffix == ".safetensors" else "pytorch_model", suffix


class _Packing:
    """Packs the tensors of a state into files of at most so many bytes."""

    def __init__(
        self, state: State, form: Format, values: Mapping[str, Any], limit: int, job: Job
    ) -> None:
        self.large: list[str] = []
        self._state = state
        self._form = form
        self._values = values
        self._limit = limit
        self._job = job
        self._entries = tuple(state.checkpoint.entries.values())
        self._sums = [0, *accumulate(entry.nbytes + _ABOUT for entry in self._entries)]
        aliases = {alias: entry.name for entry in self._entries for alias in entry.aliases}
        metadata = state.checkpoint.metadata
        # A file says which names share a tensor only where it holds that.
        self._ties = {key: aliases[key] for key in metadata if key in aliases}
        self._suffix = stem_of(state, form)[1]
        # How large a file becomes for what its tensors have, as far as was seen.
        self._share = 1.0

    def run(self) -> list[Plan]:
        plans: list[Plan] = []
        start = 0
        while start < len(self._entries) or not plans:
            if len(plans) == MOST_FILES:
                raise ExportError(
                    f"There would be more than {MOST_FILES:,} files of at most "
                    f"{format_bytes(self._limit)}.",
                    remedy="Increase the max shard size.",
                )
            plan, start = self._next(start)
            plans.append(plan)
        return plans

    def _next(self, start: int) -> tuple[Plan, int]:
        """Plan the file that begins with the tensor `start`; returns where the next one begins."""
        last = len(self._entries)
        fits, too_many = start, last + 1
        best: Plan | None = None
        stop = self._reaching(start, self._share)
        tries = 0
        while too_many - fits > 1:
            stop = min(max(stop, fits + 1), too_many - 1)
            plan = self._plan(start, stop)
            self._share = max(plan.nbytes, 1) / max(self._sums[stop] - self._sums[start], 1)
            if plan.nbytes <= self._limit:
                best, fits = plan, stop
            else:
                too_many = stop
            tries += 1
            near = self._reaching(start, self._share)
            stop = near if tries < _INTERPOLATED else (fits + too_many) // 2
        if best is not None:
            return best, fits
        if start < last:
            self.large.append(self._entries[start].name)
        fits = min(start + 1, last)
        return self._plan(start, fits), fits

    def _reaching(self, start: int, share: float) -> int:
        """Guess which tensor is the first that a file beginning with `start` has no room for."""
        return bisect_right(self._sums, self._sums[start] + self._limit / share) - 1

    def _plan(self, start: int, stop: int) -> Plan:
        entries = self._entries[start:stop]
        if len(entries) == len(self._entries):
            whole = parts.whole(self._state, self._suffix)
            return self._form.plan(whole, self._values, self._job)
        metadata = self._metadata(entries)
        part = ExportPart(self._state, entries, None, metadata, self._suffix)
        return self._form.plan(part, self._values, self._job)

    def _metadata(self, entries: Sequence[TensorEntry]) -> Mapping[str, str]:
        metadata = self._state.checkpoint.metadata
        if not self._ties:
            return metadata
        names = {entry.name for entry in entries}
        gone = {alias for alias, name in self._ties.items() if name not in names}
        return {key: text for key, text in metadata.items() if key not in gone}


def index_of(plans: Mapping[str, Plan], old: Path | None, nbytes: int) -> Plan:
    """Plan the index of files that are planned, as transformers writes it.

    Parameters
    ----------
    plans
        The files by their names.
    old
        The index of the model that was opened: what else it says is kept, and all of it, byte for
        byte, where it is true of the new files.
    nbytes
        How many bytes the tensors of that model have, which is what `old` should say.

    Raises
    ------
    ExportError
        If the old index can no longer be read.
    """
    data = _index(plans, old, nbytes)
    return Plan(len(data), lambda: iter((data,)), {})


def _index(plans: Mapping[str, Plan], old: Path | None, nbytes: int) -> bytes:
    text, said = b"", dict[str, Any]()
    if old is not None:
        text, said = _read(old)
    where = {name: file for file, plan in plans.items() for name in plan.names}
    total = sum(nbytes for plan in plans.values() for nbytes in plan.names.values())
    if said.get("weight_map") == where and total == nbytes:
        return text  # byte for byte
    # Names in the order of the old index, the new ones where the old one stood.
    about = said.get("metadata")
    about = about if type(about) is dict else {}
    new = {"metadata": {**about, "total_size": total}, "weight_map": where}
    return (json.dumps(new, indent=2, ensure_ascii=False) + "\n").encode()


def _read(path: Path) -> tuple[bytes, dict[str, Any]]:
    try:
        text = path.read_bytes()
        return text, load_object(text, str(path))
    except (OSError, JsonError) as error:
        raise ExportError(
            f"'{path}', the index of the model, can no longer be read.",
            remedy="Put it back, then open the model again.",
            details=str(error),
        ) from None
