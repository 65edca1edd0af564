"""Opening can be cancelled at any moment: every stage checks its token every few tensors."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch

from pruneapp import progress
from pruneapp.checkpoint import parser_client
from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint, read_headers
from pruneapp.checkpoint.contents import Contents
from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import Location, TensorEntry, display_names
from pruneapp.checkpoint.formats import headers as header_scan
from pruneapp.checkpoint.io.source import FileSource
from pruneapp.checkpoint.mask_pairs import find_overlaps, fold_pairs
from pruneapp.checkpoint.prunability import Judge, annotate, find_modules
from pruneapp.checkpoint.quantization import find_quantized
from pruneapp.checkpoint.torchfile import archive, to_contents, unpickler, zip_format
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.support.cancel_checks import CountingToken, assert_cut

FEW = 1000
BATCH = 16
Work = Callable[[CancelToken], object]
# Last parts of names, alternating: for ordinary modules, and for special ones.
ORDINARY = ("weight", "bias")
SPECIAL = ("x_orig", "x_mask", "weight", "bias", "running_mean", "weight_scale", "y_orig", "tied")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(progress, "BATCH", BATCH)
    monkeypatch.setattr(header_scan, "_WINDOW_BYTES", 4096)
    monkeypatch.setattr(unpickler, "_OPS_PER_CHECK", 200)


def names(count: int, leaves: tuple[str, ...]) -> list[str]:
    size = len(leaves)
    return [f"module.layers.{i // size}.{leaves[i % size]}" for i in range(count)]


def write(path: Path, tensors: list[str]) -> Path:
    """Write tensors of ones, which are valid as masks."""
    header = {
        name: {"dtype": "F32", "shape": [2, 2], "data_offsets": [16 * i, 16 * (i + 1)]}
        for i, name in enumerate(tensors)
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    data = struct.pack("<4f", 1, 1, 1, 1) * len(tensors)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def views(count: int, stride: int) -> list[TensorEntry]:
    """Return views of one storage: contiguous, or overlapping if `stride` is not 1."""
    return [
        TensorEntry(
            f"{i}.weight",
            (4,),
            DTYPES["F32"],
            Location(0, 16 * i if stride == 1 else 4 * i, (stride,), "0"),
        )
        for i in range(count)
    ]


@pytest.fixture
def headers(tmp_path):
    """Provide a function that returns a reader's result and its sources."""

    def read(leaves: tuple[str, ...], count: int) -> tuple[Contents, tuple[FileSource, ...]]:
        path = write(tmp_path / f"{count}-{len(leaves)}.safetensors", names(count, leaves))
        return read_headers(path, None, Job())

    return read


@pytest.fixture
def stages(tmp_path, headers):
    """Return the stages by name: each maps a number of tensors to its work."""

    def file(leaves: tuple[str, ...], count: int) -> Path:
        headers(leaves, count)
        return tmp_path / f"{count}-{len(leaves)}.safetensors"

    def scanning(count: int) -> Work:
        text = file(ORDINARY, count).read_bytes()[8 : -16 * count]
        return lambda token: parser_client.parse_header(
            [text], parser_client.SMALL_BYTES + 1, "x", Job(cancel=token)
        )

    def reading(count: int) -> Work:
        path = file(ORDINARY, count)
        return lambda token: read_headers(path, None, Job(cancel=token))

    def annotating(leaves: tuple[str, ...], count: int) -> Work:
        contents, sources = headers(leaves, count)
        return lambda token: annotate(contents, sources, Job(cancel=token))

    def folding(count: int) -> Work:
        contents, sources = headers(SPECIAL, count)
        return lambda token: fold_pairs(contents, sources, Job(cancel=token))

    def finding_modules(count: int) -> Work:
        contents, _ = headers(ORDINARY, count)
        return partial(find_modules, contents.entries)

    def finding_overlaps(stride: int, count: int) -> Work:
        return partial(find_overlaps, views(count, stride))

    def judging(leaves: tuple[str, ...], count: int) -> Work:
        modules = find_modules(headers(leaves, count)[0].entries)
        return lambda token: Judge(modules, cancel=token)

    def judging_leaves(count: int) -> Work:
        entries = [entry._replace(name=f"w{i}") for i, entry in enumerate(views(count, 1))]
        modules = find_modules(entries)
        return lambda token: Judge(modules, cancel=token)

    def finding_quantized(leaves: tuple[str, ...], count: int) -> Work:
        modules = find_modules(headers(leaves, count)[0].entries)
        return lambda token: find_quantized(modules, None, cancel=token)

    def sorting(count: int) -> Work:
        contents, sources = headers(SPECIAL, count)
        annotated = annotate(contents, sources, Job())
        return lambda token: Checkpoint(tmp_path, annotated, sources, token)

    def naming(count: int) -> Work:
        wrapped = [f"module.model._orig_mod.{i}\u202e" for i in range(count)]
        return partial(display_names, wrapped)

    def merging(count: int) -> Work:
        folder = tmp_path / f"shards-{count}"
        folder.mkdir(exist_ok=True)
        weight_map = {}
        for number in range(1, 3):
            name = f"model-{number:05}-of-00002.safetensors"
            tensors = names(count, ORDINARY)[number - 1 :: 2]
            write(folder / name, tensors)
            weight_map |= dict.fromkeys(tensors, name)
        index = folder / "model.safetensors.index.json"
        index.write_text(json.dumps({"weight_map": weight_map}))
        # The text itself is parsed in one call; long ones are parsed in a helper process.
        return lambda token: read_headers(folder, None, Job(cancel=token))

    def torch_file(count: int) -> Path:
        path = tmp_path / f"{count}.pt"
        flat = torch.ones(4 * count)
        torch.save({f"{i}.weight": flat[4 * i : 4 * i + 4] for i in range(count)}, path)
        return path

    def unpickling(count: int) -> Work:
        path = torch_file(2 * count)  # a pickle sets 1,000 items of a dict at once

        def work(token: CancelToken) -> None:
            source = FileSource(path)
            zip_format.index_archive(source, archive.read_archive(source, token), None, token)
            source.close()

        return work

    def unpacking(count: int) -> Work:
        source = FileSource(torch_file(count))
        rows, rest = to_contents.to_rows(zip_format.index_file(source, None, CancelToken()))
        source.close()
        return lambda token: to_contents.from_rows(rows, rest, token)

    def opening(leaves: tuple[str, ...], count: int) -> Work:
        path = file(leaves, count)
        return lambda token: open_checkpoint(path, job=Job(cancel=token)).close()

    return {
        "a header in pieces": scanning,
        "headers": reading,
        "pairs": folding,
        "modules": finding_modules,
        "views side by side": partial(finding_overlaps, 1),
        "views woven together": partial(finding_overlaps, FEW),
        "ordinary modules": partial(judging, ORDINARY),
        "special modules": partial(judging, SPECIAL),
        "as many last names": judging_leaves,
        "layers without a quantizer": partial(finding_quantized, ORDINARY),
        "quantized layers": partial(finding_quantized, ("weight.absmax", "weight.quant_map")),
        "ordinary annotation": partial(annotating, ORDINARY),
        "special annotation": partial(annotating, SPECIAL),
        "a checkpoint": sorting,
        "names": naming,
        "shards": merging,
        "a pickle": unpickling,
        "rows of a torch file": unpacking,
        "an ordinary file": partial(opening, ORDINARY),
        "a special file": partial(opening, SPECIAL),
    }


STAGES = (
    *("a header in pieces", "headers", "pairs", "modules", "views side by side"),
    *("views woven together", "ordinary modules", "special modules", "as many last names"),
    *("layers without a quantizer", "quantized layers"),
    *("ordinary annotation", "special annotation", "a checkpoint", "names", "shards", "a pickle"),
    *("rows of a torch file", "an ordinary file", "a special file"),
)


def test_every_stage_is_named(stages):
    assert tuple(stages) == STAGES


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_looks_every_few_tensors(stages, stage):
    assert_cut(stages[stage], FEW)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_ends_at_the_look_at_which_it_is_cancelled(stages, stage):
    work = stages[stage](FEW)
    whole = CountingToken()
    work(whole)
    for share in (0.0, 0.3, 0.6, 1.0):
        look = max(1, round(share * whole.looks))
        token = CountingToken(cancelled_at=look)
        with pytest.raises(Cancelled):
            work(token)
        assert token.looks == look


def test_a_header_that_needs_the_parser_is_checked_in_batches():
    tensors = {
        f"{i}": {"dtype": "U8", "shape": [1], "data_offsets": [i, i + 1]} for i in range(FEW)
    }
    text = json.dumps(tensors).encode()
    whole = CountingToken()
    header_scan.parse(text, "x", whole)
    assert whole.looks >= 2 * FEW // BATCH
    token = CountingToken(cancelled_at=whole.looks // 2)
    with pytest.raises(Cancelled):
        header_scan.parse(text, "x", token)


def test_what_is_done_without_a_line_of_python_is_done_in_batches(tmp_path, monkeypatch):
    """Entries are made by zip and map, so lines of Python do not show the batch size."""
    path = write(tmp_path / "a.safetensors", names(FEW, ORDINARY))
    monkeypatch.setattr(header_scan, "_WINDOW_BYTES", 1 << 20)  # the whole header
    whole = CountingToken()
    read_headers(path, None, Job(cancel=whole))
    assert whole.looks >= FEW // BATCH


def test_a_cancelled_file_is_closed(tmp_path, monkeypatch):
    """At every possible check."""
    path = write(tmp_path / "a.safetensors", names(FEW, SPECIAL))
    closed = []
    close = FileSource.close
    monkeypatch.setattr(FileSource, "close", lambda s: (closed.append(s.path), close(s)))
    whole = CountingToken()
    open_checkpoint(path, job=Job(cancel=whole)).close()
    for look in (1, whole.looks // 2, whole.looks):
        closed.clear()
        with pytest.raises(Cancelled):
            open_checkpoint(path, job=Job(cancel=CountingToken(cancelled_at=look)))
        assert closed == [path]
