"""Distribute tensors over the files of an export, and name these files and their index.

Files with a size limit are named as in transformers: ``model-00001-of-00004.safetensors`` and
``model.safetensors.index.json``, or only ``model.safetensors`` if one file is enough. The limit of
transformers counts the bytes of tensors; this one counts the whole file, so that it also holds for
disks and services with a maximum file size.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.io.files import is_folder
from pruneapp.errors import ExportError, JsonError
from pruneapp.export.format import ExportPart, Format, Plan
from pruneapp.export.provenance import Provenance
from pruneapp.export.records import State
from pruneapp.json_codec import load_object
from pruneapp.params import SizeParam, format_bytes
from pruneapp.progress import Job

SHARD_SIZE = SizeParam(
    name="max_shard_size",
    label="Max shard size",
    help=(
        "Write a folder of shards up to this size, with an index file as in "
        "transformers and the other files of the model."
    ),
    nothing="as opened",
    usual=(1 * 10**9, 2 * 10**9, 4 * 10**9, 5 * 10**9, 10 * 10**9),
)
# All files remain open until the last is written, and systems limit open files to about 1,000.
MAX_FILES = 500
INDEX = ".index.json"
# Approximate bytes of a tensor in a header; only the first guess depends on it.
_HEADER_BYTES = 128
_INTERPOLATED = 4


def max_file_size(values: Mapping[str, Any]) -> int | None:
    """Return the maximum file size in bytes that the parameters set; None if there is no limit."""
    return values.get(SHARD_SIZE.name)


def needs_folder(
    checkpoint: Checkpoint, form: Format, values: Mapping[str, Any], path: Path | None = None
) -> bool:
    """Return whether an export writes a folder of several files.

    Sharded models are merged into one file only if `path` is the name of a file. Without `path`,
    return the default.
    """
    if max_file_size(values) is not None:
        return True
    if form.one_file or not checkpoint.contents.shards:
        return False
    return path is None or is_folder(path) or not form.fits(path.name)


def usual_suffix(checkpoint: Checkpoint, form: Format) -> str:
    """Return the default suffix of a file: that of the source if the format has it."""
    suffix = checkpoint.path.suffix.lower()
    return suffix if suffix in form.suffixes else form.suffixes[0]


def whole_model(state: State, suffix: str, provenance: Provenance | None = None) -> ExportPart:
    """Return the whole state as one file with this suffix; shards are merged.

    `source` of the result is None if the checkpoint has several files.
    """
    checkpoint = state.checkpoint
    files = checkpoint.files
    return ExportPart(
        state,
        tuple(checkpoint.entries.values()),
        files[0] if len(files) == 1 else None,
        checkpoint.metadata,
        suffix,
        provenance,
    )


def plan_weights(
    state: State,
    form: Format,
    values: Mapping[str, Any],
    job: Job,
    *,
    path: Path | None = None,
    provenance: Provenance | None = None,
) -> dict[str, Plan]:
    """Plan all weight files by name; for several files, their index is last.

    Reads headers but no weights. The name of a single file is that of `path`, or "" without it.

    Parameters
    ----------
    values
        Valid values of all parameters of the format.
    path
        File or folder to write; None for the default name.
    provenance
        Origin for the metadata.

    Raises
    ------
    ExportError
        If the format cannot represent the state, or not under this name, or more than `MAX_FILES`
        files would be needed, or the opened index can no longer be read.
    """
    checkpoint = state.checkpoint
    if not needs_folder(checkpoint, form, values, path):
        suffix = usual_suffix(checkpoint, form) if path is None else path.suffix.lower()
        name = "" if path is None else path.name
        part = replace(whole_model(state, suffix, provenance), name=name)
        return {name: form.plan(part, values, job)}
    limit = max_file_size(values)
    if limit is None:
        plans = _plan_as_opened(whole_model(state, "", provenance), form, values, job)
        opened = checkpoint.contents.index
        index = "" if opened is None else rename_shard(opened.name, form)
    else:
        plans = Sharding(whole_model(state, "", provenance), form, values, limit, job).plans()
        index = f"{''.join(_stem_of(checkpoint, form))}{INDEX}" if len(plans) > 1 else ""
    return {**plans, index: _plan_index(plans, checkpoint)} if index else plans


def _plan_as_opened(
    model: ExportPart, form: Format, values: Mapping[str, Any], job: Job
) -> dict[str, Plan]:
    """Plan one file for each shard of the source, by new name, in their order.

    Shards that had only copies of tied weights are omitted.
    """
    checkpoint = model.checkpoint
    opened = checkpoint.contents.shards
    shard_of = {source: at for at, shard in enumerate(opened) for source in shard.sources}
    entries: list[list[TensorEntry]] = [[] for _ in opened]
    for entry in job.cancel.each(checkpoint.entries.values()):
        entries[shard_of[entry.location.source]].append(entry)
    plans = {}
    for shard, inside in zip(opened, entries, strict=True):
        if not inside and checkpoint.contents.copies:
            continue  # The shard had only copies of tied weights.
        name = rename_shard(shard.name, form)
        file = checkpoint.sources[shard.sources[0]].file
        suffix = name[name.rfind(".") :].lower()
        part = replace(model, entries=tuple(inside), source=file, suffix=suffix)
        plan = form.plan(replace(part, metadata=shard.metadata), values, job)
        # The index lists unreadable tensors of the container as well; their sizes are unknown.
        if plan.container:
            plan = replace(plan, names={**plan.names, **dict.fromkeys(shard.unreadable, 0)})
        plans[name] = plan
    return plans


def rename_shard(name: str, form: Format) -> str:
    """Return the conventional name of a shard or index in another format; folders are kept.

    ``pytorch_model-00001-of-00002.bin`` becomes ``model-00001-of-00002.safetensors``. A name with a
    suffix of the format is not changed.
    """
    folder, slash, name = name.rpartition("/")
    index = INDEX if name.endswith(INDEX) else ""
    stem, _dot, suffix = name.removesuffix(index).rpartition(".")
    if form.fits(name.removesuffix(index)):
        return f"{folder}{slash}{name}"
    if ".safetensors" in form.suffixes:
        stem, suffix = stem.removeprefix("pytorch_"), "safetensors"
    else:
        stem, suffix = f"pytorch_{stem}", "bin"
    return f"{folder}{slash}{stem}.{suffix}{index}"


def _stem_of(checkpoint: Checkpoint, form: Format) -> tuple[str, str]:
    """Return the stem and the suffix of the file of the whole model in a folder.

    They are those of the opened index, or ``model`` and ``.safetensors``, for torch
    ``pytorch_model`` and ``.bin``.
    """
    suffix = ".safetensors" if ".safetensors" in form.suffixes else ".bin"
    index = checkpoint.contents.index
    name = "" if index is None else rename_shard(index.name, form).removesuffix(INDEX)
    if name.endswith(suffix):
        return name.removesuffix(suffix), suffix
    return "model" if suffix == ".safetensors" else "pytorch_model", suffix


class Sharding:
    """Packs the tensors of a state into files up to a maximum size.

    Tensors are added to a file in the order of the checkpoint until the limit is reached. A tensor
    larger than the limit gets its own file. Only the format knows the size of a file, so about
    three plans are made per file; the total time is linear in the number of tensors.
    """

    def __init__(
        self, model: ExportPart, form: Format, values: Mapping[str, Any], limit: int, job: Job
    ) -> None:
        self._form = form
        self._values = values
        self._limit = limit
        self._job = job
        self._stem, self._suffix = _stem_of(model.checkpoint, form)
        self._whole = replace(model, suffix=self._suffix)
        self._entries = self._whole.entries
        self._cumulative_bytes = [
            0,
            *accumulate(entry.nbytes + _HEADER_BYTES for entry in self._entries),
        ]
        aliases = {alias: entry.name for entry in self._entries for alias in entry.aliases}
        # Only a file that contains the tensor may list the names that share it.
        self._ties = {key: aliases[key] for key in self._whole.metadata if key in aliases}
        self._large: list[str] = []
        # Ratio of file size to the bytes of its tensors in the last plan.
        self._share = 1.0

    def plans(self) -> dict[str, Plan]:
        """Plan the files by name, in order. Raises `ExportError` if there would be too many.

        A single file has no number in its name. A notice names tensors that exceed the limit alone.
        """
        plans: list[Plan] = []
        start = 0
        while start < len(self._entries) or not plans:
            if len(plans) == MAX_FILES:
                raise ExportError(
                    f"There would be more than {MAX_FILES:,} files of at most "
                    f"{format_bytes(self._limit)}.",
                    remedy="Increase the max shard size.",
                )
            plan, start = self._plan_next(start)
            plans.append(plan)
        if self._large:
            plans[0] = replace(plans[0], notices=(*plans[0].notices, self._too_large_notice()))
        if len(plans) == 1:
            return {f"{self._stem}{self._suffix}": plans[0]}
        count = len(plans)
        return {
            f"{self._stem}-{i:05}-of-{count:05}{self._suffix}": plan
            for i, plan in enumerate(plans, 1)
        }

    def _too_large_notice(self) -> str:
        """Return the notice about tensors that alone exceed the limit, at least one."""
        names, limit = self._large, format_bytes(self._limit)
        if len(names) == 1:
            return f"'{names[0]}' alone needs more than {limit}: its file is larger."
        return (
            f"'{names[0]}' and {len(names) - 1:,} more need more than {limit}, each "
            "alone: their files are larger."
        )

    def _plan_next(self, start: int) -> tuple[Plan, int]:
        """Plan the file that begins with tensor `start`: with as many tensors as fit, at least one.

        Return it and the number of the first tensor of the next file.
        """
        last = len(self._entries)
        fits, too_many = start, last + 1
        best: Plan | None = None
        stop = self._estimate_stop(start)
        tries = 0
        while too_many - fits > 1:
            stop = min(max(stop, fits + 1), too_many - 1)
            plan = self._plan(start, stop)
            self._share = max(plan.nbytes, 1) / max(
                self._cumulative_bytes[stop] - self._cumulative_bytes[start], 1
            )
            if plan.nbytes <= self._limit:
                best, fits = plan, stop
            else:
                too_many = stop
            tries += 1
            estimated_stop = self._estimate_stop(start)
            stop = estimated_stop if tries < _INTERPOLATED else (fits + too_many) // 2
        if best is not None:
            return best, fits
        if start < last:
            self._large.append(self._entries[start].name)
        fits = min(start + 1, last)
        return self._plan(start, fits), fits

    def _estimate_stop(self, start: int) -> int:
        """Estimate the first tensor that does not fit into a file beginning with `start`.

        Based on the ratio of file size to tensors in the last plan.
        """
        return (
            bisect_right(
                self._cumulative_bytes, self._cumulative_bytes[start] + self._limit / self._share
            )
            - 1
        )

    def _plan(self, start: int, stop: int) -> Plan:
        part, entries = self._whole, self._entries[start:stop]
        if len(entries) < len(self._entries):
            metadata = self._metadata(entries)
            part = replace(part, entries=entries, source=None, metadata=metadata)
        return self._form.plan(part, self._values, self._job)

    def _metadata(self, entries: Sequence[TensorEntry]) -> Mapping[str, str]:
        if not self._ties:
            return self._whole.metadata
        names = {entry.name for entry in entries}
        dropped = {alias for alias, name in self._ties.items() if name not in names}
        return {key: text for key, text in self._whole.metadata.items() if key not in dropped}


def _plan_index(plans: Mapping[str, Plan], checkpoint: Checkpoint) -> Plan:
    """Plan the index of the files in the format of transformers.

    The opened index is kept byte for byte if its tensors and size are still correct; otherwise only
    these are changed. Raises `ExportError` if it can no longer be read.
    """
    text, index = _read_index(checkpoint.contents.index)
    file_of_tensor = {name: file for file, plan in plans.items() for name in plan.names}
    total = sum(nbytes for plan in plans.values() for nbytes in plan.names.values())
    metadata = index.get("metadata")
    metadata = metadata if type(metadata) is dict else {}
    if index.get("weight_map") == file_of_tensor and metadata.get("total_size", total) == total:
        return Plan.of(text)
    # The names remain in the order of the plans.
    new = {"metadata": {**metadata, "total_size": total}, "weight_map": file_of_tensor}
    return Plan.of((json.dumps(new, indent=2, ensure_ascii=False) + "\n").encode())


def _read_index(index: Path | None) -> tuple[bytes, dict[str, Any]]:
    """Return the text and the object of an index; (b"", {}) for None. Raises `ExportError`."""
    if index is None:
        return b"", {}
    try:
        text = index.read_bytes()
        return text, load_object(text, str(index))
    except (OSError, JsonError) as error:
        raise ExportError(
            f"'{index}', the index of the model, can no longer be read.",
            remedy="Restore it, then open the model again.",
            details=str(error),
        ) from None
