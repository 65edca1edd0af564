"""Convert a parsed pickle and the positions of its storages to the result of a reader.

If another process parses the file, its result is transferred as plain values.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.contents import Contents, Notice, StateDict
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import Location, TensorEntry, make_entries, reach
from pruneapp.checkpoint.io.derived_source import JoinedSource
from pruneapp.checkpoint.io.source import ByteSource, FileSource
from pruneapp.checkpoint.torchfile.rebuild import KNOWN, runs_code
from pruneapp.checkpoint.torchfile.sources import (
    CheckedSource,
    Flipped,
    InflatedSource,
    InlineArray,
    Matrix,
    PackedMember,
    Rebuilt,
    Span,
    can_read_dense,
    check_indices,
)
from pruneapp.checkpoint.torchfile.state_dicts import (
    Declared,
    FoundTensor,
    choose,
    find,
    find_plain_values,
    find_shared,
    identity,
)
from pruneapp.checkpoint.torchfile.torch_objects import (
    Array,
    Blob,
    Compound,
    Element,
    Global,
    Tensor,
    Unreadable,
)
from pruneapp.errors import UnsupportedFileError, counted, escape_text, first_names
from pruneapp.progress import CancelToken, Job

MAX_NAMED = 1000


@dataclass(frozen=True)
class TorchIndex:
    """The result of reading the headers of a file, which can be sent between processes."""

    contents: Contents
    spans: tuple[Span, ...] = ()  # storages of the chosen tensors that have a checksum
    packed: tuple[PackedMember, ...] = ()  # compressed storages
    # Tensors that are rebuilt on reading, in a separate source after the others.
    rebuilt: tuple[Rebuilt, ...] = ()


@dataclass(frozen=True)
class Described:
    """The parsed pickle of a torch file, and the positions of its storages."""

    format: str
    label: str
    root: Any  # the object that was saved
    globals: tuple[Global, ...]  # the names of code that it refers to, in order
    sources: tuple[ByteSource, ...]  # the sources of the storages, the file first
    locate: Callable[[str], tuple[int, int]]  # returns source and offset of a storage by key
    script: bool = False  # whether it is a TorchScript archive
    # The declarations of TorchScript classes, by their full names.
    declared: Mapping[str, Declared] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()  # notices of the reader

    @property
    def path(self) -> Path:
        """The path of the file."""
        return self.sources[0].path


def build(
    described: Described, key: str | None, cancel: CancelToken
) -> tuple[Contents, tuple[Rebuilt, ...]]:
    """Choose a state dict, describe its tensors, and return those that must be rebuilt.

    `key` is the key of the dict, None for the default. The elements of rebuilt tensors follow each
    other in one source after those of `described`. Metadata, spans and sources are left to the
    caller.

    Raises
    ------
    CheckpointError
        If there are no tensors that can be read, or no state dict `key`.
    MalformedError
        If a sparse tensor in it is invalid.
    """
    unknown = _paths(one for one in described.globals if one.path not in KNOWN)
    code = _paths(filter(runs_code, described.globals))
    candidates = find(described.root, cancel, described.declared)
    if not candidates:
        names = first_names(unknown, 5, _short)
        run = f" It contains code ({names}), which was not run." if unknown else ""
        raise UnsupportedFileError(
            f"'{described.path}' contains no tensors of a model.{run}",
            remedy=(
                "Open the file that contains the weights, or save the state_dict with torch.save."
            ),
        )
    chosen = choose(candidates, key, described.path)
    model = _Entries(described, cancel)
    model.add_all(chosen.found)
    unreadable = model.unreadable
    notices = [*described.notices, *_about_code(unknown, script=described.script)]
    if unreadable:
        them = "it" if len(unreadable) == 1 else "them"
        notices.append(
            Notice(
                f"{counted(len(unreadable), 'tensor')} of this file cannot be read: "
                f"{first_names(tuple(unreadable), show=_quoted)}. A torch file that keeps its "
                f"container keeps {them}; other exports leave {them} out only if you say so.",
                "\n".join(f"{name}: {reason}" for name, reason in unreadable.items()),
            )
        )
    if not model.entries:
        raise UnsupportedFileError(
            f"'{described.path}' contains no tensors that can be read: "
            f"{next(iter(unreadable.values()))}.",
            remedy="Load it with torch and save its state_dict as dense tensors.",
        )
    values_outside = chosen.find_values_outside()
    contents = Contents(
        format=described.format,
        label=described.label,
        entries=tuple(model.entries),
        metadata={},
        notices=tuple(notices),
        state_dicts=tuple(StateDict(c.key, c.tensors, c.numel) for c in candidates),
        state_dict=chosen.key,
        unknown_globals=unknown[:MAX_NAMED],
        weights_only=all(WEIGHTS_ONLY.fullmatch(one.path) for one in described.globals),
        code_globals=code[:MAX_NAMED],
        unreadable=unreadable,
        traits={trait: tuple(names) for trait, names in model.traits.items()},
        parts=model.parts,
        non_tensor_keys=chosen.find_non_tensor_keys(),
        outside_keys=tuple(values_outside),
        plain_values=find_plain_values(described.root, chosen.key),
        module=chosen.module,
        keys_sharing_memory=find_shared(values_outside, chosen.found, cancel),
    )
    return contents, tuple(model.rebuilt)


def _paths(references: Iterable[Global]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.path for one in references))


def sources_of(file: FileSource, index: TorchIndex) -> tuple[ByteSource, ...]:
    """Return the byte sources that the entries of an index refer to.

    These are the file, a source of compressed storages if there are any, and one of rebuilt tensors
    if there are any. Closing all of them closes `file`.
    """
    sources: list[ByteSource] = [CheckedSource(file, index.spans) if index.spans else file]
    if index.packed:
        sources.append(InflatedSource(file, index.packed))
    if index.rebuilt:
        # Imported here because the process that parses headers has no numpy.
        from pruneapp.checkpoint.torchfile.dense import create_segment

        stored = tuple(sources)
        sources.append(JoinedSource(file, [create_segment(one, stored) for one in index.rebuilt]))
    return tuple(sources)


def _about_code(unknown: Sequence[str], *, script: bool) -> Iterable[Notice]:
    """Yield one notice about a TorchScript program or else about unknown code, if there is any."""
    details = "\n".join(_printable(name) for name in unknown[:MAX_NAMED])
    if script:
        yield Notice(
            "This file is a TorchScript program; its code was not run. "
            "Its tensors are shown by the names of its attributes.",
            details,
        )
    elif unknown:
        yield Notice(
            f"This file contains code ({first_names(unknown, 5, _short)}); it was not run.", details
        )


def _printable(name: str) -> str:
    return escape_text(name[:500])


def _short(name: str) -> str:
    return _printable(name)[:80]


def _quoted(name: str) -> str:
    return f"'{_short(name)}'"


class _Entries:
    """Creates the entries of tensors, merging tied ones, and collects unreadable tensors."""

    def __init__(self, described: Described, cancel: CancelToken) -> None:
        """Start without entries. `add_all` does the rest."""
        self.entries: list[TensorEntry] = []
        self.rebuilt: list[Rebuilt] = []
        self.unreadable: dict[str, str] = {}
        self.traits: dict[str, list[str]] = defaultdict(list)
        self.parts: dict[str, tuple[str, ...]] = {}
        self._described = described
        self._cancel = cancel
        self._names: dict[object, list[str]] = {}
        self._leaves: dict[object, tuple[Tensor | Compound | Array, str]] = {}
        # Whether each tensor is a buffer, and its kind, as far as the file states them.
        self._declared: dict[object, tuple[bool | None, str]] = {}
        self._used: set[str] = set()
        self._end = 0

    def add_all(self, tensors: Sequence[FoundTensor]) -> None:
        """Create the entries of all tensors of a state dict, in order. Call it once.

        Names of the same tensor become aliases of the first.
        """
        self._used.update([item.name for item in self._cancel.each(tensors)])
        for item in tensors:
            self._cancel.check()
            self._add(item)
        shared = self._shared()
        for same, (leaf, why_not) in self._leaves.items():
            self._cancel.check()
            names = self._names[same]
            buffer, kind = self._declared[same]
            element = (leaf.parts["values"] if isinstance(leaf, Compound) else leaf).element
            self.entries.append(
                TensorEntry(
                    name=names[0],
                    shape=leaf.shape,
                    dtype=element.dtype,
                    location=self._locate(names[0], leaf),
                    aliases=tuple(names[1:]),
                    why_not=why_not or shared.get(same, ""),
                    kind=kind,
                    buffer=buffer,
                )
            )

    def _add(self, item: FoundTensor) -> None:
        """Register a tensor, or its parts, or the reason why it cannot be read; and its traits."""
        leaf = item.leaf
        if isinstance(leaf, Unreadable) or (isinstance(leaf, Array) and leaf.reason):
            self.unreadable[item.name] = leaf.reason
            return
        foreign = ""
        if item.inside:
            inside = _short(item.inside)
            foreign = f"it is inside an object of {inside}, which Pruneapp does not support"
            self.traits[f"a part of an object of {inside}"].append(item.name)
        if isinstance(leaf, Compound):
            self._add_compound(item, leaf, foreign)
        else:
            self._register(item, leaf, foreign or getattr(leaf, "why_not", ""))
            for trait in leaf.traits:
                self.traits[trait].append(item.name)

    def _add_compound(self, item: FoundTensor, leaf: Compound, foreign: str) -> None:
        """Register a sparse or nested tensor: a dense CSR matrix if possible, else its parts.

        Parts are called ``NAME.PART``, with a quotation mark appended if that name is in use, and
        are not pruned. `foreign` is why the whole cannot be pruned, or empty. Raises
        `MalformedError` if an index is out of range.
        """
        name = item.name
        check_indices(name, leaf, self._read)
        kind = _layout(leaf.layout)
        if can_read_dense(leaf):
            self.traits[f"{kind} layout"].append(name)
            self._register(item, leaf, foreign)
            return
        parts = []
        for part, tensor in leaf.parts.items():
            part_name = f"{name}.{part}"
            while part_name in self._used:
                part_name += "'"
            self._used.add(part_name)
            parts.append(part_name)
            part_of = FoundTensor(part_name, tensor, buffer=item.buffer)
            self._register(part_of, tensor, f"it is a part of a {kind} tensor")
        shape = list(leaf.shape)
        what = f"{kind} tensor of shape {shape}" if shape else f"{kind} tensor"
        self.parts[name] = (what, *parts)

    def _register(self, item: FoundTensor, leaf: Tensor | Compound | Array, why_not: str) -> None:
        """Add a name of a tensor. The first one is its primary name, with the reason `why_not`.

        Declarations as buffer and kind are combined over all names.
        """
        same = identity(leaf)
        buffer, kind = self._declared.get(same, (None, ""))
        # A tensor with several names is a parameter if it is declared as one under any of them.
        if buffer is None or item.buffer is False:
            buffer = item.buffer
        if not kind or item.kind == "embedding":
            kind = item.kind
        self._declared[same] = buffer, kind
        self._names.setdefault(same, []).append(item.name)
        self._leaves.setdefault(same, (leaf, why_not))

    def _locate(self, name: str, leaf: Tensor | Compound | Array) -> Location:
        """Return the location of a tensor, adding it to `rebuilt` if it cannot be read as stored.

        Rebuilt are arrays in the pickle that were read or are big-endian, sparse matrices, and
        views with other signs. `name` is its primary name.
        """
        rebuilt: Rebuilt
        if isinstance(leaf, Array):
            if isinstance(leaf.raw, Blob) and not leaf.swapped:
                return Location(0, leaf.raw.offset, leaf.strides, leaf.key)
            rebuilt = InlineArray(name, self._little_endian(leaf))
            strides, storage = leaf.strides, leaf.key
        elif isinstance(leaf, Compound):
            rows, columns = leaf.shape
            crow, col, values = leaf.parts.values()
            where = (self._stored(crow), self._stored(col), self._stored(values))
            sizes = values.numel, values.element.itemsize, crow.element.itemsize
            rebuilt = Matrix(name, rows, columns, *sizes, where)
            strides, storage = None, values.storage.root.key
        else:
            stored = self._stored(leaf)
            if not leaf.flips:
                return stored
            size = reach(leaf.shape, leaf.strides) * leaf.element.itemsize
            rebuilt = Flipped(name, size, leaf.element.itemsize, leaf.flips, (stored,))
            strides, storage = leaf.strides, stored.storage
        location = Location(len(self._described.sources), self._end, strides, storage)
        self.rebuilt.append(rebuilt)
        self._end += rebuilt.size
        return location

    def _little_endian(self, leaf: Array) -> bytes:
        """Return the bytes of an array in little-endian order, reading them if necessary."""
        raw = leaf.raw
        if isinstance(raw, Blob):
            buffer = bytearray(raw.size)
            self._described.sources[0].read_into(raw.offset, memoryview(buffer))
            raw = bytes(buffer)
        return _swap_bytes(raw, leaf.element) if leaf.swapped else raw

    def _stored(self, tensor: Tensor) -> Location:
        key = tensor.storage.root.key
        source, base = self._described.locate(key)
        return Location(source, base + tensor.offset, tensor.strides, key)

    def _read(self, tensor: Tensor) -> bytes:
        source, offset, _, _ = self._stored(tensor)
        buffer = bytearray(tensor.nbytes)
        self._described.sources[source].read_into(offset, memoryview(buffer))
        return bytes(buffer)

    def _shared(self) -> dict[object, str]:
        """Return why views cannot be pruned that share elements with a view with other signs.

        By the identity of the view, for both of them; empty without conjugate or negated views.
        """
        views: dict[str, list[tuple[object, Tensor]]] = defaultdict(list)
        leaves = self._cancel.each(self._leaves.items())
        flipped = [(k, t) for k, (t, _) in leaves if isinstance(t, Tensor) and t.flips]
        if not flipped:
            return {}
        for same, (leaf, _) in self._leaves.items():
            self._cancel.check()
            if isinstance(leaf, Tensor):
                views[leaf.storage.root.key].append((same, leaf))
        reasons: dict[object, str] = {}
        for same, leaf in flipped:
            for other, tensor in views[leaf.storage.root.key]:
                self._cancel.check()
                if tensor.flips != leaf.flips and _may_overlap(leaf, tensor):
                    reasons[same] = f"it shares memory with '{self._names[other][0]}'"
                    reasons[other] = f"it shares memory with '{self._names[same][0]}'"
        return reasons


_WORDS = {2: "H", 4: "I", 8: "Q"}


def _swap_bytes(raw: bytes, element: Element) -> bytes:
    """Return the bytes of numbers with reversed byte order."""
    size = element.itemsize
    words = array(_WORDS[size // 2 if element.name.startswith("complex") else size], raw)
    words.byteswap()
    return words.tobytes()


def _may_overlap(a: Tensor, b: Tensor) -> bool:
    """Return whether the memory ranges of two views of a storage overlap."""
    ends = [t.offset + reach(t.shape, t.strides) * t.element.itemsize for t in (a, b)]
    return a.offset < ends[1] and b.offset < ends[0]


def _layout(layout: str) -> str:
    kind, _, name = layout.partition("_")
    return f"{kind} {name.upper()}" if name else kind


# The types and functions that `torch.load` accepts with ``weights_only=True``.
WEIGHTS_ONLY = re.compile(
    r"torch\.(\w+|(cuda|sparse|cuda\.sparse|storage)\.\w+|nn\.parameter\.Parameter"
    r"|_utils\._rebuild_\w+|_tensor\._rebuild_from_type_v2|serialization\._get_layout)"
    r"|collections\.(OrderedDict|Counter)|_codecs\.encode|(builtins|__builtin__)\.(bytearray|complex|set)"
)


Rows = tuple[list[Any], dict[str, Any]]
_KINDS: dict[str, Any] = {
    kind.__name__: kind for kind in (Span, PackedMember, Matrix, Flipped, InlineArray)
}
_VALUES = {kind: attrgetter(*kind.__slots__) for kind in _KINDS.values()}
# Fields of `Contents` that are plain values.
_PLAIN = (
    "format", "label", "state_dict", "unknown_globals", "weights_only", "code_globals",
    "unreadable", "traits", "parts", "non_tensor_keys", "outside_keys",
    "keys_sharing_memory", "module", "plain_values",
)  # fmt: skip


def index_in_process(
    source: FileSource, reader: str, state_dict: str | None, job: Job
) -> TorchIndex:
    """Read the headers of an open file in another process; `reader` is the name of its format.

    Raises the errors of the reader, or `FileChangedError` if the file has changed since it was
    opened, and `Cancelled`.
    """
    from pruneapp.checkpoint import parser_client

    rows, rest = parser_client.parse_torch(str(source.path), reader, state_dict, job)
    source.verify_unchanged()
    return from_rows(rows, rest, job.cancel)


def to_rows(index: TorchIndex) -> Rows:
    """Convert an index to plain values: a row per tensor and per part of the file, and the rest.

    `from_rows` is the inverse. Metadata, masks and shards are not included.
    """
    contents = index.contents
    rows: list[Any] = [
        (
            "tensor",
            e.name,
            e.shape,
            e.dtype.name,
            tuple(e.location),
            e.aliases,
            e.why_not,
            e.kind,
            e.buffer,
        )
        for e in contents.entries
    ]
    parts = (*index.spans, *index.packed)
    rows += [(type(part).__name__, *_VALUES[type(part)](part)) for part in parts]
    for one in index.rebuilt:
        *values, locations = _VALUES[type(one)](one)
        rows.append((type(one).__name__, *values, tuple(map(tuple, locations))))
    rest = {name: getattr(contents, name) for name in _PLAIN}
    rest["notices"] = tuple(map(astuple, contents.notices))
    rest["state_dicts"] = tuple(map(astuple, contents.state_dicts))
    return rows, rest


def from_rows(rows: list[Any], rest: dict[str, Any], cancel: CancelToken) -> TorchIndex:
    """Return the index whose `to_rows` returned `rows` and `rest`.

    Raises `Cancelled`.
    """
    entries: list[TensorEntry] = []
    parts: list[Any] = []
    for batch in cancel.batches(rows):
        tensors = [row[1:] for row in batch if row[0] == "tensor"]
        if tensors:
            names, shapes, dtypes, locations, aliases, why_not, kinds, buffers = zip(
                *tensors, strict=True
            )
            entries += make_entries(
                names,
                shapes,
                map(DTYPES.__getitem__, dtypes),
                map(Location._make, locations),
                aliases=aliases,
                why_not=why_not,
                kinds=kinds,
                buffers=buffers,
            )
        parts += [_part(*row) for row in batch if row[0] != "tensor"]
    notices = tuple(Notice(*notice) for notice in rest["notices"])
    dicts = tuple(StateDict(*one) for one in rest["state_dicts"])
    plain = {name: rest[name] for name in _PLAIN}
    return TorchIndex(
        Contents(entries=tuple(entries), metadata={}, notices=notices, state_dicts=dicts, **plain),
        tuple(part for part in parts if isinstance(part, Span)),
        tuple(part for part in parts if isinstance(part, PackedMember)),
        tuple(part for part in parts if isinstance(part, Rebuilt)),
    )


def _part(kind: str, *values: Any) -> Span | PackedMember | Rebuilt:
    if issubclass(_KINDS[kind], Rebuilt):
        values = (*values[:-1], tuple(map(Location._make, values[-1])))
    part: Span | PackedMember | Rebuilt = _KINDS[kind](*values)
    return part
