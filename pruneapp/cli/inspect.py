"""``pruneapp inspect``: list the contents of a checkpoint."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import zip_longest
from typing import Any

from pruneapp.analysis.statistics import TensorNumbers, numbers
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.entry import TensorEntry, size_of
from pruneapp.checkpoint.formats.headers import show
from pruneapp.cli import terminal
from pruneapp.cli.export_options import uncounted_zeros_notice
from pruneapp.cli.options import connection
from pruneapp.cli.terminal import percent, print_json, print_table, printable_name, real, size
from pruneapp.document.document import Document
from pruneapp.document.selection import matching
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.existing_masks import open_document
from pruneapp.errors import ParameterError, counted, escaped, in_numeric_order
from pruneapp.progress import CancelToken

# Maximum number of keys outside of the state dict that are listed.
_KEYS = 12


def inspect(options: argparse.Namespace, token: CancelToken) -> int:
    with (
        terminal.job("Opening", token) as job,
        open_checkpoint(options.file, state_dict=options.state_dict, job=job) as checkpoint,
        closing(open_document(checkpoint, job)) as document,
    ):
        patterns = options.select
        names = matching(checkpoint, patterns) if patterns else tuple(checkpoint.entries)
        names = tuple(in_numeric_order(names))
        measured: Sequence[TensorNumbers] = ()
        if options.stats and options.cluster:
            from pruneapp.cluster.inspection import numbers_on

            with connection(options, job) as cluster:
                measured = numbers_on(cluster, checkpoint, names, job)
        elif options.stats:
            state = Snapshot(checkpoint)
            job.start(sum(checkpoint.entries[name].nbytes for name in names), "")
            measured = [numbers(state, name, job) for name in names]
        elif options.cluster:
            raise ParameterError(
                "Without --stats no weight is read, so there is nothing to do on a cluster.",
                remedy="Add --stats, or leave out --cluster.",
            )
        if options.json:
            print_json(_as_json(document, names, measured))
        elif options.stats:
            _print_numbers(measured)
        else:
            _print(document, names)
    return 0


_NUMBERS = ("name", "elements", "zeros", "NaN", "minimum", "maximum", "L1", "L2")


def _print_numbers(measured: Sequence[TensorNumbers]) -> None:
    rows = [
        (
            printable_name(each.name),
            f"{each.count:,}",
            *("" if n is None else f"{n:,}" for n in (each.zeros, each.nan)),
            *(
                "" if value is None else real(value)
                for value in (each.minimum, each.maximum, each.l1, each.l2)
            ),
        )
        for each in measured
    ]
    print_table(_NUMBERS, rows, (False, *[True] * (len(_NUMBERS) - 1)))


def _as_json(
    document: Document, names: tuple[str, ...], measured: Sequence[TensorNumbers]
) -> dict[str, Any]:
    contents = document.checkpoint.contents
    counted = size_of(document.checkpoint.entries[name] for name in names)
    return {
        "path": str(document.checkpoint.path),
        "format": contents.format,
        "state_dict": contents.state_dict,
        "state_dicts": [
            # For compatibility, "parameters" counts all elements, including buffers.
            {"key": s.key, "tensors": s.tensors, "elements": s.numel, "parameters": s.numel}
            for s in contents.state_dicts
        ],
        "parameters": counted.parameters,
        "buffers": counted.buffers,
        "notices": [n.text for n in contents.notices],
        "unknown_globals": list(contents.unknown_globals),
        "metadata": dict(contents.metadata),
        "unreadable": {n: contents.unreadable[n] for n in in_numeric_order([*contents.unreadable])},
        "beside": list(contents.beside),
        "not_tensors": list(contents.others),
        "tensors": [
            _tensor(document, document.checkpoint.entries[name]) | _numbers(each)
            for name, each in zip_longest(names, measured)
        ],
    }


def _numbers(measured: TensorNumbers | None) -> dict[str, Any]:
    """Return the statistics of a tensor as JSON data, with infinities as strings."""
    if measured is None:
        return {}
    numbers = {"zeros": measured.zeros, "nan": measured.nan}
    real_numbers = {
        "minimum": measured.minimum,
        "maximum": measured.maximum,
        "l1": measured.l1,
        "l2": measured.l2,
    }
    json_values = {
        name: value if value is None or math.isfinite(value) else str(value)
        for name, value in real_numbers.items()
    }
    return {"statistics": numbers | json_values}


def _tensor(document: Document, entry: TensorEntry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "aliases": list(entry.aliases),
        "transformers_name": document.checkpoint.contents.hub_names.get(entry.name, ""),
        "kind": entry.kind,
        "shape": list(entry.shape),
        "dtype": entry.dtype.label,
        "elements": entry.numel,
        "parameters": entry.numel if entry.learned else 0,
        "bytes": entry.stored_bytes,
        "prunable": entry.prunable,
        "why_not": entry.why_not,
        "by_default": entry.by_default,
        "pruned": document.masks.pruned(entry.name),
    }


def _print(document: Document, names: tuple[str, ...]) -> None:
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
    head: tuple[str, ...] = ("name", "kind (inferred)", "shape", "type", "elements", "pruned")
    right: tuple[bool, ...] = (False, False, False, False, True, False)
    if hub_names := contents.hub_names:
        known = [printable_name(hub_names[e.name]) if e.name in hub_names else "" for e in entries]
        known += [""] * (len(rows) - len(entries))
        rows = [(*row, name) for row, name in zip(rows, known, strict=True)]
        head, right = (*head, "name in transformers"), (*right, False)
    print_table(head, rows, right)
    total, buffers = size_of(entries)
    buffer_text = f"{counted(buffers, 'element')} in buffers, " if buffers else ""
    pruned = sum(document.masks.pruned(e.name) for e in entries if e.learned)
    write = sys.stdout.write
    write(
        f"\n{contents.label}: {counted(len(entries), 'tensor')}, {counted(total, 'parameter')}, "
        f"{buffer_text}"
        f"{size(sum(e.stored_bytes for e in entries))}, {percent(pruned, total)} pruned\n"
    )
    if len(contents.state_dicts) > 1:
        keys = ", ".join(repr(s.key) for s in contents.state_dicts)
        write(f"State dict {contents.state_dict!r} of {keys}; choose with --state-dict KEY\n")
    for what, outside in (
        ("Not in the state dict", contents.beside),
        ("In the state dict, but not tensors", contents.others),
    ):
        if outside:
            more = f" and {len(outside) - _KEYS:,} more" if len(outside) > _KEYS else ""
            write(f"{what}: {', '.join(map(repr, map(show, outside[:_KEYS])))}{more}\n")
    if "" in names:
        write('Note: "" is a tensor whose name in the file is empty; select it with --select "".\n')
    if earlier := uncounted_zeros_notice(checkpoint):
        write(f"Note: {escaped(earlier)}\n")
    for notice in contents.notices:
        write(f"Note: {escaped(notice.text)}\n")
