"""From what a pickle describes and where its storages lie to what a reader delivers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.contract import Contents, Notice, StateDict
from pruneapp.checkpoint.entry import Location, TensorEntry
from pruneapp.checkpoint.source import ByteSource, FileSource
from pruneapp.checkpoint.torchfile.checked import Span
from pruneapp.checkpoint.torchfile.inflated import Packed
from pruneapp.checkpoint.torchfile.known_globals import is_known
from pruneapp.checkpoint.torchfile.pickled.placeholders import Compound, Tensor, Unreadable
from pruneapp.checkpoint.torchfile.tensors.candidates import Found, choose, identity
from pruneapp.checkpoint.torchfile.tensors.sparse import Matrix, check_indices, opens_dense
from pruneapp.checkpoint.torchfile.tensors.state_dicts import find
from pruneapp.errors import UnsupportedFileError
from pruneapp.progress import CancelToken

MAX_NAMED = 1000


@dataclass(frozen=True)
class Index:
    """All that is known of a file after its headers were read; crosses between processes.

    Attributes
    ----------
    contents
        For the checkpoint.
    spans
        Storages of the chosen tensors that have a checksum.
    packed
        Storages that are compressed.
    matrices
        Sparse tensors that are read as dense ones, in a source of their own behind the others.
    """

    contents: Contents
    spans: tuple[Span, ...] = ()
    packed: tuple[Packed, ...] = ()
    matrices: tuple[Matrix, ...] = ()


@dataclass(frozen=True)
class Described:
    """What a pickle says, and where its storages lie.

    Attributes
    ----------
    path, format, label
        Of the file.
    root
        The object that was saved.
    names
        The globals that it refers to, in order.
    place
        Source and byte at which a storage begins, by its key.
    sources
        How many sources that may name.
    read
        The bytes of a small dense tensor, None if they are not at hand.
    script
        Whether it is a TorchScript archive.
    notices
        What is known already.
    """

    path: Path
    format: str
    label: str
    root: Any
    names: tuple[str, ...]
    place: Callable[[str], tuple[int, int]]
    sources: int
    read: Callable[[Tensor], bytes | None]
    script: bool = False
    notices: tuple[Notice, ...] = field(default=())


def build(
    described: Described, key: str | None, cancel: CancelToken
) -> tuple[Contents, tuple[Matrix, ...]]:
    """Choose a state dict and describe its tensors, and where those lie that are matrices in CSR.

    Raises
    ------
    CheckpointError
        If there are no tensors, or no state dict `key`.
    Malformed
        If a sparse tensor among them is wrong.
    """
    unknown = tuple(name for name in described.names if not is_known(name))
    candidates = find(described.root, cancel, script=described.script)
    if not candidates:
        code = f" It contains code ({_listed(unknown)}), which was not run." if unknown else ""
        raise UnsupportedFileError(
            f"'{described.path}' holds no tensors of a model.{code}",
            remedy="Open the file that holds the weights, or save the state_dict with torch.save.",
        )
    chosen = choose(candidates, key, described.path)
    entries, matrices, unreadable = _entries(chosen.found, described, cancel)
    notices = [*described.notices, *_about_code(unknown, script=described.script)]
    if unreadable:
        notices.append(
            Notice(
                f"{len(unreadable)} of its tensors cannot be read and are not shown.",
                "\n".join(f"{name}: {reason}" for name, reason in unreadable.items()),
            )
        )
    if not entries:
        raise UnsupportedFileError(
            f"'{described.path}' holds no tensors that can be read: "
            f"{next(iter(unreadable.values()))}.",
            remedy="Load it with torch and save its state_dict as dense tensors.",
        )
    contents = Contents(
        format=described.format,
        label=described.label,
        entries=tuple(entries),
        metadata={},
        notices=tuple(notices),
        state_dicts=tuple(StateDict(c.key, c.tensors, c.numel) for c in candidates),
        state_dict=chosen.key,
        unknown_globals=unknown[:MAX_NAMED],
    )
    return contents, tuple(matrices)


def with_matrices(
    file: FileSource, sources: tuple[ByteSource, ...], index: Index
) -> tuple[ByteSource, ...]:
    """Return all sources that an index refers to, given those that lie in the file."""
    if not index.matrices:
        return sources
    # The process that parses headers comes by here, and has no numpy.
    from pruneapp.checkpoint.torchfile.matrices import joined

    return (*sources, joined(file, sources, index.matrices))


def _about_code(unknown: Sequence[str], *, script: bool) -> Iterable[Notice]:
    details = "\n".join(_printable(name) for name in unknown[:MAX_NAMED])
    if script:
        yield Notice(
            "This file is a TorchScript program; its code was not run. "
            "Its tensors are shown by the names of its attributes.",
            details,
        )
    elif unknown:
        yield Notice(f"This file contains code ({_listed(unknown)}); it was not run.", details)


def _listed(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(_printable(name)[:80] for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def _printable(name: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name[:500])


def _entries(
    found: Sequence[Found], described: Described, cancel: CancelToken
) -> tuple[list[TensorEntry], list[Matrix], Mapping[str, str]]:
    """Return an entry for each tensor, tied ones as one, and why others cannot be read."""
    names: dict[object, list[str]] = {}
    dense: dict[object, tuple[Tensor | Compound, str]] = {}
    unreadable: dict[str, str] = {}
    taken: set[str] = set()
    for batch in cancel.batches(found):
        taken.update([item.name for item in batch])

    def add(name: str, tensor: Tensor | Compound, why_not: str) -> None:
        same = identity(tensor)
        names.setdefault(same, []).append(name)
        dense.setdefault(same, (tensor, why_not))

    for item in found:
        cancel.check()
        leaf = item.leaf
        foreign = (
            f"it lies inside an object of {_printable(item.inside)[:80]}, which Pruneapp does "
            "not know"
            if item.inside
            else ""
        )
        if isinstance(leaf, Unreadable):
            unreadable[item.name] = leaf.reason
        elif isinstance(leaf, Compound):
            check_indices(item.name, leaf, described.read)
            if opens_dense(leaf):
                add(item.name, leaf, foreign)
                continue
            for part, tensor in leaf.parts.items():
                name = f"{item.name}.{part}"
                while name in taken:
                    name += "'"
                taken.add(name)
                add(name, tensor, f"it is a part of a {_layout(leaf.layout)} tensor")
        else:
            add(item.name, leaf, foreign or leaf.why_not)

    entries = []
    matrices: list[Matrix] = []
    start = 0
    for same, (shown, why_not) in dense.items():
        cancel.check()
        if isinstance(shown, Compound):
            values = shown.parts["values"]
            matrices.append(_matrix(names[same][0], shown, described))
            where = Location(described.sources, start, None, values.storage.root.key)
            start += math.prod(shown.shape) * values.element.itemsize
        else:
            values = shown
            where = _location(shown, described)
        entries.append(
            TensorEntry(
                name=names[same][0],
                shape=shown.shape,
                dtype=values.element.dtype,
                location=where,
                aliases=tuple(names[same][1:]),
                why_not=why_not,
            )
        )
    return entries, matrices, unreadable


def _location(tensor: Tensor, described: Described) -> Location:
    key = tensor.storage.root.key
    source, base = described.place(key)
    return Location(source, base + tensor.offset, tensor.strides, key)


def _matrix(name: str, compound: Compound, described: Described) -> Matrix:
    rows, columns = compound.shape
    crow, col, values = compound.parts.values()
    return Matrix(
        name,
        rows,
        columns,
        count=values.numel,
        itemsize=values.element.itemsize,
        index=crow.element.itemsize,
        crow=_location(crow, described),
        col=_location(col, described),
        values=_location(values, described),
    )


def _layout(layout: str) -> str:
    kind, _, name = layout.partition("_")
    return f"{kind} {name.upper()}" if name else kind
