"""Opening a file in the worker: the document, and what its tensors come to, counted once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.dtypes import DType
from pruneapp.checkpoint.entry import Size, display_names, is_buffer, size_of
from pruneapp.document.document import Document
from pruneapp.errors import ExportError
from pruneapp.export.destination.sidecars import Configuration, companions, configuration_of
from pruneapp.progress import CancelToken, Job
from pruneapp.results.document_rows import TensorRow
from pruneapp.results.short_names import ShortNames
from pruneapp.sessions.journal_reader import JournalFile
from pruneapp.sessions.open_path import OpenRequest, open_path
from pruneapp.sessions.restore import Saved

Prepare = Callable[[tuple[TensorRow, ...], CancelToken], object]


@dataclass(frozen=True)
class LoadedContents:
    """What the tensors of a file come to, counted in the worker: there may be 100,000 of them."""

    rows: tuple[TensorRow, ...] = ()  # what lists and trees show, in file order
    # The rows, and the names that they are shown by, under their names in the file.
    by_name: Mapping[str, TensorRow] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    # The shorter forms of the names that are shown.
    short: ShortNames = field(default_factory=ShortNames)
    # Kinds of layers for which a rule makes sense, those that are usually pruned first.
    kinds: tuple[str, ...] = ()
    # How many parameters there are, and how many elements of buffers.
    size: Size = field(default_factory=Size)
    # What the config.json beside the weights says; None without one.
    configuration: Configuration | None = None
    # The other files of the model's folder, which an export as a folder copies.
    companions: tuple[str, ...] = ()


def contents_of(document: Document, cancel: CancelToken) -> LoadedContents:
    """Count what the window asks for again and again."""
    entries = document.checkpoint.entries
    shown = display_names(tuple(entries), cancel)
    rows: list[TensorRow] = []
    by_name: dict[str, TensorRow] = {}
    able: dict[str, bool] = {}
    for batch in cancel.batches(entries.values()):
        names, shapes, dtypes, _, aliases, why_not, kinds, _, by_default = zip(*batch, strict=True)
        numels = list(map(math.prod, shapes))
        columns = zip(
            names,
            [shown[name] for name in names],
            kinds,
            shapes,
            [dtype.label for dtype in dtypes],
            numels,
            map(DType.nbytes, dtypes, numels),
            why_not,
            by_default,
            aliases,
            map(is_buffer, names, shapes, dtypes),
            strict=True,
        )
        # A quarter of the time that it takes to call the class for each.
        made = list(map(partial(tuple.__new__, TensorRow), columns))
        rows += made
        by_name.update(zip(names, made, strict=True))
        # Of norms and biases there is nothing for a rule.
        able.update(
            [(r.kind, r.by_default) for r in made if r.kind and not r.why_not and len(r.shape) > 1]
        )
    return LoadedContents(
        rows=tuple(rows),
        by_name=by_name,
        shown=shown,
        short=ShortNames(shown.values(), cancel),
        kinds=tuple(sorted(able, key=lambda kind: not able[kind])),
        size=size_of(entries.values(), cancel),
        configuration=configuration_of(document.checkpoint),
        companions=_companions_of(document.checkpoint),
    )


def _companions_of(checkpoint: Checkpoint) -> tuple[str, ...]:
    try:
        return tuple(companions(checkpoint))
    except ExportError:  # said by an export, which needs them
        return ()


@dataclass(frozen=True)
class Opened:
    """What the worker hands over after opening a file; whoever gets it closes it."""

    document: Document
    contents: LoadedContents
    extra: object
    saved: Saved | None

    def close(self) -> None:
        """Let go of it, as nobody wants it any more."""
        _close(self.document, self.saved)


def load(request: OpenRequest, prepare: Prepare, job: Job) -> Opened:
    """Open what is requested, and count its contents; nothing stays open if that fails.

    `prepare` makes what the tree needs of the rows. Raises as `open_path`.
    """
    document, saved = open_path(request, job)
    try:
        contents = contents_of(document, job.cancel)
        extra = prepare(contents.rows, job.cancel)
        job.cancel.check()
        return Opened(document, contents, extra, saved)
    except BaseException:
        _close(document, saved)
        raise


def _close(document: Document, saved: Saved | None) -> None:
    document.close()
    document.checkpoint.close()
    if isinstance(saved, JournalFile):
        saved.close()
