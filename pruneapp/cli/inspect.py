"""``pruneapp inspect``: list the contents of a checkpoint."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import zip_longest
from typing import Any

from pruneapp.analysis.statistics import TensorNumbers, numbers
from pruneapp.checkpoint.entry import TensorEntry, size_of
from pruneapp.checkpoint.formats.headers import show
from pruneapp.cli.export_options import uncounted_zeros_notice
from pruneapp.cli.files import open_model
from pruneapp.cli.options import connection
from pruneapp.cli.terminal import Output, attributes, percent, printable_name, real, size, table
from pruneapp.document.document import Document
from pruneapp.document.selection import match_tensors
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError, counted, in_numeric_order
from pruneapp.progress import Job

# Maximum number of keys outside of the state dict that are listed.
_KEYS = 12


def inspect(options: argparse.Namespace, job: Job, stack: ExitStack) -> Output:
    """Return the tensors of a checkpoint, or, with --stats, statistics of their weights.

    In numeric order of their names. Raises `ParameterError` for a cluster without --stats, and what
    opening and selecting raise.
    """
    document = open_model(options.file, options.state_dict, job, stack)
    checkpoint = document.checkpoint
    names = (
        match_tensors(checkpoint, options.select) if options.select else tuple(checkpoint.entries)
    )
    names = tuple(in_numeric_order(names))
    measured: Sequence[TensorNumbers] = ()
    if options.stats and options.cluster:
        from pruneapp.cluster.inspection import measure_on_cluster

        cluster = stack.enter_context(connection(options, job))
        measured = measure_on_cluster(cluster, checkpoint, names, job)
    elif options.stats:
        state = Snapshot(checkpoint)
        job.start(sum(checkpoint.entries[name].nbytes for name in names), "")
        measured = [numbers(state, name, job) for name in names]
    elif options.cluster:
        raise ParameterError(
            "Without --stats no weight is read, so there is nothing to do on a cluster.",
            remedy="Add --stats, or remove --cluster.",
        )
    lines = _number_lines(measured) if options.stats else _lines(document, names)
    return Output(lines, lambda: _data(document, names, measured))


_NUMBERS = ("name", "elements", "zeros", "NaN", "minimum", "maximum", "L1", "L2")


def _number_lines(measured: Sequence[TensorNumbers]) -> Iterator[str]:
    """Return the lines of a table of statistics; a cell is empty if its number is None."""
    rows = [
        (
            printable_name(each.name),
            *("" if n is None else f"{n:,}" for n in (each.count, each.zeros, each.nan)),
            *("" if value is None else real(value) for value in _reals(each).values()),
        )
        for each in measured
    ]
    return table(_NUMBERS, rows)


def _reals(measured: TensorNumbers) -> dict[str, float | None]:
    return attributes(measured, "minimum maximum l1 l2")


def _data(
    document: Document, names: tuple[str, ...], measured: Sequence[TensorNumbers]
) -> dict[str, Any]:
    """Return the contents as JSON data; `measured` has the statistics of `names`, or nothing."""
    contents, entries = document.checkpoint.contents, document.checkpoint.entries
    total = size_of(entries[name] for name in names)
    return {
        "path": document.checkpoint.path,
        **attributes(contents, "format state_dict"),
        "state_dicts": [
            attributes(each, "key tensors elements=numel") for each in contents.state_dicts
        ],
        **attributes(total, "parameters buffers"),
        "notices": [notice.text for notice in contents.notices],
        **attributes(contents, "unknown_globals metadata"),
        "unreadable": {n: contents.unreadable[n] for n in in_numeric_order([*contents.unreadable])},
        **attributes(contents, "outside_state_dict=outside_keys not_tensors=non_tensor_keys"),
        "tensors": [
            _tensor(document, entries[name]) | _numbers(each)
            for name, each in zip_longest(names, measured)
        ],
    }


def _numbers(measured: TensorNumbers | None) -> dict[str, Any]:
    """Return the statistics of a tensor as JSON data, with infinities and NaN as strings.

    {} for None.
    """
    if measured is None:
        return {}
    json_values = {
        name: value if value is None or math.isfinite(value) else str(value)
        for name, value in _reals(measured).items()
    }
    return {"statistics": attributes(measured, "zeros nan") | json_values}


def _tensor(document: Document, entry: TensorEntry) -> dict[str, Any]:
    """Return a tensor as JSON data, without statistics."""
    return {
        **attributes(entry, "name aliases"),
        "transformers_name": document.checkpoint.contents.hub_names.get(entry.name, ""),
        **attributes(entry, "kind shape"),
        "dtype": entry.dtype.label,
        "elements": entry.numel,
        "parameters": entry.numel if entry.learned else 0,
        **attributes(entry, "bytes=stored_bytes prunable reason=why_not"),
        "selected_by_default": entry.by_default,
        "pruned": document.masks.pruned(entry.name),
    }


def _lines(document: Document, names: tuple[str, ...]) -> Iterator[str]:
    """Yield a table of the tensors `names`, their totals, and notes about the file.

    Unreadable tensors are listed only if all others are.
    """
    checkpoint = document.checkpoint
    contents = checkpoint.contents
    entries = [checkpoint.entries[name] for name in names]
    rows: list[tuple[str, ...]] = [
        (
            printable_name(e.name),
            e.kind,
            "×".join(map(str, e.shape)) or "scalar",
            e.dtype.label,
            f"{e.numel:,}",
            percent(document.masks.pruned(e.name), e.numel) if e.prunable else e.why_not,
        )
        for e in entries
    ]
    if len(entries) == len(checkpoint.entries):  # everything is listed, also unreadable tensors
        unreadable = contents.unreadable
        rows += [
            (printable_name(name), "", "", "", "", unreadable[name])
            for name in in_numeric_order([*unreadable])
        ]
    head = ["name", "kind (inferred)", "shape", "type", "elements", "pruned"]
    if hub_names := contents.hub_names:
        known = [printable_name(hub_names[e.name]) if e.name in hub_names else "" for e in entries]
        known += [""] * (len(rows) - len(entries))
        rows = [(*row, name) for row, name in zip(rows, known, strict=True)]
        head.append("name in transformers")
    yield from table(head, rows, left=(0, 1, 2, 3, 5, 6))
    yield ""
    total, buffers = size_of(entries)
    buffer_text = f"{counted(buffers, 'element')} in buffers, " if buffers else ""
    pruned = sum(document.masks.pruned(e.name) for e in entries if e.learned)
    yield (
        f"{contents.label}: {counted(len(entries), 'tensor')}, {counted(total, 'parameter')}, "
        f"{buffer_text}"
        f"{size(sum(e.stored_bytes for e in entries))}, {percent(pruned, total)} pruned"
    )
    if len(contents.state_dicts) > 1:
        keys = ", ".join(repr(s.key) for s in contents.state_dicts)
        yield f"State dict {contents.state_dict!r} of {keys}; choose with --state-dict KEY"
    for what, outside in (
        ("Not in the state dict", contents.outside_keys),
        ("In the state dict, but not tensors", contents.non_tensor_keys),
    ):
        if outside:
            more = f" and {len(outside) - _KEYS:,} more" if len(outside) > _KEYS else ""
            yield f"{what}: {', '.join(map(repr, map(show, outside[:_KEYS])))}{more}"
    if "" in names:
        yield 'Note: "" is a tensor whose name in the file is empty; select it with --select "".'
    if earlier := uncounted_zeros_notice(checkpoint):
        yield f"Note: {earlier}"
    for notice in contents.notices:
        yield f"Note: {notice.text}"
