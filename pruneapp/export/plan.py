"""Which tensors go into which file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

from pruneapp.checkpoint.entry import TensorEntry
from pruneapp.checkpoint.torchfile.torch_objects import QUANTIZED
from pruneapp.export.format import ExportPart, Format
from pruneapp.export.records import State
from pruneapp.progress import Job


@dataclass(frozen=True)
class NamedPart:
    """A part and the name of its file in a folder.

    Attributes
    ----------
    name, part
        Both.
    unreadable
        Tensors of the opened file that only a file which keeps its container holds.
    """

    name: str
    part: ExportPart
    unreadable: tuple[str, ...] = ()


def whole(state: State, suffix: str) -> ExportPart:
    """Return everything as one file; shards are put together."""
    checkpoint = state.checkpoint
    files = checkpoint.files
    return ExportPart(
        state,
        tuple(checkpoint.entries.values()),
        files[0] if len(files) == 1 else None,
        checkpoint.metadata,
        suffix,
    )


def stripped(part: ExportPart) -> tuple[str, ...]:
    """Say which tensors lose what made numbers of them: torch keeps scales outside the bytes."""
    if QUANTIZED not in map(attrgetter("why_not"), part.entries):
        return ()
    names = [entry.name for entry in part.entries if entry.why_not == QUANTIZED]
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    return (
        (
            f"'{names[0]}'{more} went out as plain whole numbers: the scales and zero points of "
            "quantized tensors are not in this file."
        ),
    )


def shards(state: State, form: Format, job: Job) -> Iterator[NamedPart]:
    """Yield every shard of a model of several files under the name of its new file."""
    checkpoint = state.checkpoint
    opened = checkpoint.contents.shards
    shard_of = {source: at for at, shard in enumerate(opened) for source in shard.sources}
    entries: list[list[TensorEntry]] = [[] for _ in opened]
    for entry in chain.from_iterable(job.cancel.batches(checkpoint.entries.values())):
        entries[shard_of[entry.location.source]].append(entry)
    for shard, inside in zip(opened, entries, strict=True):
        name = renamed(shard.path.name, form)
        file = checkpoint.sources[shard.sources[0]].file
        suffix = name[name.rfind(".") :].lower()
        part = ExportPart(state, tuple(inside), file, shard.metadata, suffix)
        yield NamedPart(name, part, shard.unreadable)


def renamed(name: str, form: Format) -> str:
    """Return what a shard or an index is called in another format, as is the custom.

    ``pytorch_model-00001-of-00002.bin`` is ``model-00001-of-00002.safetensors``.
    """
    index = ".index.json" if name.endswith(".index.json") else ""
    stem, _dot, suffix = name.removesuffix(index).rpartition(".")
    if form.fits(name.removesuffix(index)):
        return name
    if ".safetensors" in form.suffixes:
        stem, suffix = stem.removeprefix("pytorch_"), "safetensors"
    else:
        stem, suffix = f"pytorch_{stem}", "bin"
    return f"{stem}.{suffix}{index}"
