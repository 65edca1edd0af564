"""Every declared format preserves its input bit for bit.

A new format is tested by its declaration. Only a reader has to be added to `READ` if our own reader
does not open its files.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import zstandard
from safetensors.numpy import save_file

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.dtypes import DTYPES, SAFETENSORS_DTYPES
from pruneapp.checkpoint.formats import compact_codec
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.existing_masks import read_mask
from pruneapp.edits.repaired_values import as_values
from pruneapp.errors import ExportError, PruneAppError
from pruneapp.export.exporter import export
from pruneapp.export.format import Format
from pruneapp.export.format_sizes import format_offer
from pruneapp.export.formats.compact import expand
from pruneapp.export.report import ExportRequest
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.params import validate_all
from pruneapp.progress import Job
from tests.support.formats import OF_ANY_SOURCE as FORMATS

Bytes = Mapping[str, bytes]
SPARSITIES = (0.0, 0.7, 1.0)
PRUNABLE = [d for d in DTYPES.values() if d.prunable]
# torch has no dtypes whose elements share bytes.
OTHERS = [d for d in DTYPES.values() if d.name in SAFETENSORS_DTYPES and not d.prunable]
LOSSLESS = [form for form in FORMATS.values() if form.lossless]

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*(TypedStorage|read-only|non-writable|Sparse CSR).*"
)


@pytest.fixture(autouse=True)
def small_frames(monkeypatch):
    monkeypatch.setattr(compact_codec, "FRAME", 1024)


def write_source(path: Path, *, packed: bool) -> Path:
    """Write tensors of every dtype with random bits: NaN payloads, -0.0, infinities, denormals."""
    rng = np.random.default_rng(3)
    tensors: list[tuple[str, str, tuple[int, ...], bytes]] = []
    for dtype in PRUNABLE:
        for name, shape in (("large", (9, 501)), ("small", (5, 3)), ("none", (0, 4)), ("one", ())):
            data = rng.integers(0, 256, dtype.nbytes(math.prod(shape)), np.uint8).tobytes()
            tensors.append((f"{dtype.name}.{name}", dtype.name, shape, data))
    for dtype in OTHERS:
        if packed or not dtype.packed:
            data = rng.integers(0, 2, dtype.nbytes(8 * 40), np.uint8).tobytes()
            tensors.append((dtype.name, dtype.name, (8, 40), data))
    tensors.sort(key=lambda tensor: -DTYPES[tensor[1]].bits)
    header: dict = {"__metadata__": {"format": "pt", "note": "grüße", "tied": "F32.large"}}
    offset = 0
    for name, dtype, shape, data in tensors:
        header[name] = {
            "dtype": dtype,
            "shape": shape,
            "data_offsets": [offset, offset + len(data)],
        }
        offset += len(data)
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(t[3] for t in tensors))
    return path


@pytest.fixture(scope="module", params=[False, True], ids=["torch's types", "packed types too"])
def source(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("source") / "model.safetensors"
    with open_checkpoint(write_source(path, packed=request.param)) as checkpoint:
        yield checkpoint


def pruned(checkpoint: Checkpoint, sparsity: float, **more) -> Snapshot:
    rng = np.random.default_rng(round(100 * sparsity))
    masks = {}
    for entry in checkpoint.entries.values():
        if entry.prunable and entry.numel and sparsity:
            masks[entry.name] = BitMask.from_bools(rng.random(entry.numel) >= sparsity)
    return Snapshot(checkpoint, MaskLayers(MaskSet(masks), **more))


def other_values(checkpoint: Checkpoint) -> MaskSet:
    """Return replacement values with random bits for every prunable tensor."""
    rng = np.random.default_rng(11)
    return MaskSet(
        {
            entry.name: as_values(rng.integers(0, 256, entry.nbytes, np.uint8))
            for entry in checkpoint.entries.values()
            if entry.prunable and entry.numel
        }
    )


def expected(state: Snapshot) -> dict[str, bytes]:
    found = {}
    for entry in state.checkpoint.entries.values():
        bits = state.bits(entry.name)
        gone = state.export_mask(entry.name)
        if gone is not None:
            bits = np.where(gone.bools(), bits, 0).astype(bits.dtype)
        for name in entry.names:
            found[name] = bits.tobytes()
    return found


def by_our_reader(path: Path) -> dict[str, bytes]:
    found = {}
    with open_checkpoint(path) as checkpoint:
        for entry in checkpoint.entries.values():
            bits = checkpoint.bits(entry.name)
            if entry.mask_of:
                kept = read_mask(checkpoint, entry.mask_of, Job())
                bits = np.where(kept.bools(), bits, 0).astype(bits.dtype)
            for name in entry.names:
                found[name] = bits.tobytes()
    return found


def by_unpacking(path: Path) -> dict[str, bytes]:
    """Decompress with zstd, then read."""
    with path.open("rb") as packed, path.with_suffix("").open("wb") as out:
        zstandard.ZstdDecompressor().copy_stream(packed, out)
    return by_our_reader(path.with_suffix(""))


# Readers of files that our own reader does not open.
READ: dict[str, Callable[[Path], Bytes]] = {"zst": by_unpacking}


def run(form: Format, state: Snapshot, folder: Path):
    out = folder / f"out{form.suffixes[0]}"
    report = export(state, ExportRequest(form.name, out), Job())
    assert report.verified
    assert all(file.path.stat().st_size == file.nbytes for file in report.files)
    assert report.files[0].path == out
    return report, out


def refused(form: Format, checkpoint: Checkpoint, folder: Path) -> bool:
    reason = form.why_not(checkpoint)
    if not reason:
        return False
    assert reason.count(".") == 1
    assert reason.endswith(".")
    with pytest.raises(ExportError, match="Choose another format"):
        run(form, Snapshot(checkpoint), folder)
    assert list(folder.iterdir()) == []
    return True


@pytest.mark.parametrize("sparsity", SPARSITIES)
@pytest.mark.parametrize("form", LOSSLESS, ids=lambda form: form.name)
def test_what_goes_in_comes_out_bit_for_bit(form, sparsity, source, tmp_path):
    if refused(form, source, tmp_path):
        assert any(e.dtype.packed for e in source.entries.values()), "all else goes everywhere"
        return
    state = pruned(source, sparsity)
    planned = format_offer(state, form, validate_all(form.params, {}), Job())
    report, out = run(form, state, tmp_path)

    found = READ.get(form.name, by_our_reader)(out)
    wanted = expected(state)
    assert set(found) == set(wanted)
    for name, data in wanted.items():
        assert found[name] == data, name
    assert report.pruned == sum(m.pruned for m in state.masks.values())
    if planned.exact:
        assert report.files[0].nbytes == planned.nbytes
    else:
        assert report.files[0].nbytes == pytest.approx(planned.nbytes, rel=0.02, abs=100)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Write a layer whose zeros compress 18 MB to a thousandth, and a 16-bit one."""
    path = tmp_path_factory.mktemp("large") / "model.safetensors"
    rng = np.random.default_rng(5)
    layers = {"fc": rng.normal(size=(1500, 3000)).astype(np.float32)}
    layers["head"] = rng.normal(size=(100, 300)).astype(np.float16)
    save_file(layers, path)
    with open_checkpoint(path) as checkpoint:
        yield checkpoint


@pytest.mark.parametrize("sparsity", [0.9999, 1.0])
@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_whatever_is_exported_opens_again(form, sparsity, large, tmp_path):
    state = pruned(large, sparsity)
    _, out = run(form, state, tmp_path)

    if form.lossless:
        assert READ.get(form.name, by_our_reader)(out) == expected(state)
        return
    with open_checkpoint(out) as checkpoint:
        for entry in checkpoint.entries.values():
            assert checkpoint.bits(entry.name).size == entry.reach


@pytest.mark.parametrize("behind", [1, 200_000])
@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_bytes_behind_the_end_are_not_called_a_file_that_is_cut_short(
    form, behind, source, tmp_path
):
    if form.why_not(source):
        return
    _, out = run(form, pruned(source, 0.5), tmp_path)
    with out.open("ab") as file:
        file.write(b"x" * behind)
    opens = open_checkpoint
    if form.name == "zst":
        opens = partial(expand, out=tmp_path / "dense.safetensors", job=Job())
    with pytest.raises(PruneAppError) as caught:
        opens(out)
    sentence = str(caught.value).replace(str(tmp_path), "")
    assert "truncated" not in sentence
    assert "follow" in sentence, sentence


@pytest.mark.parametrize("form", LOSSLESS, ids=lambda form: form.name)
def test_weights_that_were_made_final_are_zero(form, source, tmp_path):
    if form.why_not(source):
        return
    size = source.entry("BF16.large").numel
    final = MaskSet({"BF16.large": BitMask.from_bools(np.arange(size) % 3 == 0)})
    state = pruned(source, 0.5, permanent=final)
    _, out = run(form, state, tmp_path)

    assert READ.get(form.name, by_our_reader)(out) == expected(state)


@pytest.mark.parametrize("sparsity", [0.0, 0.7])
@pytest.mark.parametrize("form", LOSSLESS, ids=lambda form: form.name)
def test_repaired_values_are_written(form, sparsity, source, tmp_path):
    """Values are replaced in the export; a format without weights says that it has none."""
    if form.why_not(source):
        return
    state = pruned(source, sparsity, values=other_values(source))
    _, out = run(form, state, tmp_path)

    found = READ.get(form.name, by_our_reader)(out)
    assert found == expected(state)
    assert found["F32.large"] != expected(pruned(source, sparsity))["F32.large"]


@pytest.mark.parametrize("container", ["zip", "legacy"])
def test_a_torch_file_keeps_its_container_around_repaired_values(container, tmp_path):
    """Including the entries outside the state dict."""
    import torch

    weights = {n: torch.arange(24.0).reshape(4, 6) + 1 for n in ("a.weight", "b.weight")}
    torch.save(
        {"state_dict": weights, "epoch": 3},
        tmp_path / "model.pt",
        _use_new_zipfile_serialization=container == "zip",
    )
    with open_checkpoint(tmp_path / "model.pt") as checkpoint:
        state = pruned(checkpoint, 0.5, values=other_values(checkpoint))
        export(state, ExportRequest("torch", tmp_path / "out.pt"), Job())
        wanted = expected(state)
    written = torch.load(tmp_path / "out.pt", weights_only=True)
    assert written["epoch"] == 3
    assert {n: t.numpy().tobytes() for n, t in written["state_dict"].items()} == wanted


def test_masks_alone_say_that_repaired_values_are_not_among_them(source, tmp_path):
    state = pruned(source, 0.5, values=other_values(source))
    report, _ = run(FORMATS["masks"], state, tmp_path)

    (notice,) = [n for n in report.notices if "values" in n]
    assert notice == (
        f"The changed values of {len(state.values)} tensors are not in the file: use another "
        "format to keep them."
    )


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_the_same_state_gives_the_same_bytes(form, source, tmp_path):
    if form.why_not(source):
        return
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    reports = [run(form, pruned(source, 0.9), tmp_path / n)[0] for n in ("one", "other")]
    assert reports[0].sha256 == reports[1].sha256


def test_torch_formats_refuse_what_torch_has_not(tmp_path):
    with open_checkpoint(write_source(tmp_path / "x.safetensors", packed=True)) as checkpoint:
        reason = FORMATS["torch"].why_not(checkpoint)
    assert reason.startswith("torch has no type float")
