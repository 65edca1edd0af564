"""The compact format: opened here, by script, by the reader, expanded."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest
import torch
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import pruneapp
from pruneapp.__main__ import run_command as main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.formats import compact_codec
from pruneapp.cli.parser import parse
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import (
    CheckpointError,
    DamagedFileError,
    ExportError,
    ParameterError,
    UnsupportedFileError,
)
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.format_sizes import format_offers
from pruneapp.export.formats.compact import expand
from pruneapp.export.report import ExportRequest
from pruneapp.export.scripts.loading_code import READER_NAME
from pruneapp.progress import Cancelled, Job
from tests.export.test_every_format import SPARSITIES, pruned, write_source
from tests.support.cancel_checks import CountingToken
from tests.support.containers import SOURCES, as_snapshot, kept_masks, model
from tests.support.memory_checkpoint import MemoryCheckpoint


@pytest.fixture
def small_frames(monkeypatch):
    monkeypatch.setattr(compact_codec, "FRAME", 1024)


@pytest.fixture
def source(tmp_path, small_frames):
    (tmp_path / "in").mkdir()
    path = write_source(tmp_path / "in" / "model.safetensors", packed=True)
    with open_checkpoint(path) as checkpoint:
        yield checkpoint


def write(state, path, name="compact", **params):
    return export(state, ExportRequest(name, path, params=params), Job())


def dense_of(state, folder) -> bytes:
    write(state, folder / "dense.safetensors", "safetensors")
    return (folder / "dense.safetensors").read_bytes()


WORDS = st.sampled_from(["u1", "u2", "u4", "u8"])


@given(WORDS, st.integers(1, 3000), st.sampled_from([0.0, 0.02, 0.5, 1.0]), st.integers(0, 9))
def test_a_frame_holds_any_bits(kind, size, density, seed):
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 256, size * np.dtype(kind).itemsize, np.uint8).view(kind)
    words = np.where(rng.random(size) < density, words, 0).astype(kind)
    row, parts = compact_codec.encode(words)
    out = np.ones(size, kind)
    compact_codec.decode(memoryview(b"".join(parts)), np.array(row, np.uint32), out)

    assert np.array_equal(out, words)
    assert row[0] == np.count_nonzero(words)
    assert list(map(len, parts)) == [n for n in row[1:] if n]
    bound = compact_codec.bound((size + 7) // 8) + words.itemsize * compact_codec.bound(size)
    assert sum(row[1:]) <= bound


@pytest.mark.parametrize("sparsity", SPARSITIES)
def test_expanded_it_is_the_dense_export_to_the_byte(sparsity, source, tmp_path, capsys):
    state = pruned(source, sparsity)
    dense = dense_of(state, tmp_path)
    for name, suffix in (("compact", ".compact.safetensors"), ("zst", ".safetensors.zst")):
        packed, out = tmp_path / f"x{suffix}", tmp_path / f"{name}.safetensors"
        write(state, packed, name)
        assert main(parse(["expand", str(packed), "-o", str(out)])) == 0
        assert out.read_bytes() == dense
        assert "SHA-256" in capsys.readouterr().out


@pytest.mark.parametrize("sparsity", SPARSITIES)
def test_the_reader_beside_it_needs_nothing_of_ours(sparsity, source, tmp_path):
    state = pruned(source, sparsity)
    dense = dense_of(state, tmp_path)
    report = write(state, tmp_path / "x.compact.safetensors")
    reader = tmp_path / READER_NAME
    assert [file.path for file in report.files] == [tmp_path / "x.compact.safetensors", reader]
    assert len(reader.read_text(encoding="utf-8").splitlines()) <= 60
    # Without this test's folder on sys.path, and only with the packages that the reader names.
    program = (
        "import sys, runpy\n"
        "sys.modules.update(dict.fromkeys(['pruneapp', 'torch', 'safetensors', 'ml_dtypes']))\n"
        f"sys.argv = ['read', {str(tmp_path / 'x.compact.safetensors')!r}, "
        f"{str(tmp_path / 'out.safetensors')!r}]\n"
        f"runpy.run_path({str(reader)!r}, run_name='__main__')\n"
    )
    subprocess.run([sys.executable, "-I", "-c", program], check=True, cwd=tmp_path, timeout=60)
    assert (tmp_path / "out.safetensors").read_bytes() == dense
    done = read_by_program(tmp_path, "x.compact.safetensors")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "x.safetensors").read_bytes() == dense


def read_by_program(folder, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", READER_NAME, *args],
        check=False,
        cwd=folder,
        timeout=60,
        capture_output=True,
        text=True,
    )


def test_the_reader_says_in_a_sentence_what_is_wrong(source, tmp_path):
    write(pruned(source, 0.5), tmp_path / "x.compact.safetensors")
    usage = read_by_program(tmp_path)
    assert "python read_compact.py x.compact.safetensors" in usage.stderr
    assert "docs/" not in usage.stderr
    other = read_by_program(tmp_path, READER_NAME)
    assert other.stderr == f"{READER_NAME} is not a compact file.\n"
    (tmp_path / "x.safetensors").write_text("mine")
    there = read_by_program(tmp_path, "x.compact.safetensors")
    assert "x.safetensors" in there.stderr
    assert (tmp_path / "x.safetensors").read_text() == "mine"
    assert "Traceback" not in usage.stderr + other.stderr + there.stderr
    assert all(done.returncode == 1 for done in (usage, other, there))
    (tmp_path / "zstandard.py").write_text("raise ImportError")
    program = f"import sys; sys.path.insert(0, '.'); import {READER_NAME.removesuffix('.py')}"
    missing = subprocess.run(
        [sys.executable, "-I", "-c", program],
        check=False,
        cwd=tmp_path,
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert missing.stderr == ("read_compact.py needs two packages: pip install zstandard numpy\n")


@pytest.mark.parametrize("sparsity", SPARSITIES)
def test_the_reader_loads_a_dict_of_arrays(sparsity, source, tmp_path):
    state = pruned(source, sparsity)
    write(state, tmp_path / "x.compact.safetensors")
    load = runpy.run_path(str(tmp_path / READER_NAME))["load"]
    found = load(str(tmp_path / "x.compact.safetensors"))
    assert set(found) == {name for e in source.entries.values() for name in e.names}
    with pruneapp.load_compact(tmp_path / "x.compact.safetensors") as ours:
        for entry in source.entries.values():
            if not entry.dtype.packed:
                assert found[entry.name].shape == entry.shape
                assert found[entry.name].tobytes() == ours[entry.name].tobytes()


def test_the_reader_is_left_out_on_request_and_replaces_nothing(source, tmp_path):
    (tmp_path / "one").mkdir()
    report = write(
        pruned(source, 0.5), tmp_path / "one" / "x.compact.safetensors", reader_script=False
    )
    assert [p.name for p in (tmp_path / "one").iterdir()] == ["x.compact.safetensors"]
    assert len(report.files) == 1
    (tmp_path / READER_NAME).write_text("mine")
    report = write(pruned(source, 0.5), tmp_path / "x.compact.safetensors")
    assert (tmp_path / READER_NAME).read_text() == "mine"
    assert "is not replaced" in report.notices[-1]
    (tmp_path / READER_NAME).unlink()
    first = write(pruned(source, 0.5), tmp_path / "x.compact.safetensors")
    again = write(pruned(source, 0.5), tmp_path / "x.compact.safetensors")
    assert (len(first.files), len(again.files), again.notices) == (2, 1, ())


def test_it_loads_as_numpy_arrays(source, tmp_path):
    state = pruned(source, 0.9)
    write(state, tmp_path / "x.compact.safetensors")
    with pruneapp.load_compact(tmp_path / "x.compact.safetensors") as found:
        assert list(found) == [name for e in source.entries.values() for name in e.names]
        assert len(found) == len(list(found))
        assert found.metadata["note"] == "grüße"
        for name, kind in (("F32", "f4"), ("F16", "f2"), ("F64", "f8")):
            mask = state.mask(f"{name}.large").bools()
            bits = np.where(mask, source.bits(f"{name}.large"), 0).astype(f"u{kind[1]}")
            assert found[f"{name}.large"].dtype == kind
            assert found[f"{name}.large"].shape == (9, 501)
            assert found[f"{name}.large"].tobytes() == bits.tobytes()
        assert found["BF16.large"].dtype == ml_dtypes.bfloat16
        assert found["F8_E4M3.one"].dtype == ml_dtypes.float8_e4m3fn
        assert found["BOOL"].dtype == np.bool_
        assert found["F4"].dtype == np.uint8
        assert found["tied"].tobytes() == found["F32.large"].tobytes()
        with pytest.raises(KeyError):
            found["no such tensor"]
    with pytest.raises(UnsupportedFileError, match="not a compact file"):
        pruneapp.load_compact(source.path)


def test_it_loads_as_torch_tensors(source, tmp_path):
    write(pruned(source, 0.5), tmp_path / "x.compact.safetensors")
    with (
        pruneapp.open_checkpoint(tmp_path / "x.compact.safetensors") as file,
        pruneapp.load_compact(tmp_path / "x.compact.safetensors", framework="pt") as found,
    ):
        assert found["BF16.large"].dtype == torch.bfloat16
        assert torch.equal(found["tied"].view(torch.int32), found["F32.large"].view(torch.int32))
        for entry in file.entries.values():
            if not entry.dtype.packed:
                wanted = file.read(entry.name)
                assert found[entry.name].dtype == wanted.dtype
                assert found[entry.name].shape == entry.shape
                as_bytes = [t.reshape(-1).view(torch.uint8) for t in (found[entry.name], wanted)]
                assert torch.equal(*as_bytes)
    with pytest.raises(ParameterError, match=r"'framework' must be 'np' .* or 'pt' .*got 'tf'"):
        pruneapp.load_compact(tmp_path / "x.compact.safetensors", framework="tf")


def test_torch_reads_it_in_a_line(source, tmp_path):
    write(pruned(source, 0.5), tmp_path / "x.compact.safetensors")
    with pruneapp.open_checkpoint(tmp_path / "x.compact.safetensors") as file:
        found = {n: file.read(n) for n in file.entries if not file.entry(n).dtype.packed}
    assert found["BF16.large"].dtype == torch.bfloat16
    assert found["F32.large"].shape == (9, 501)


@given(st.integers(0, 4509), st.integers(0, 4509), st.integers(1, 5000))
def test_any_stretch_is_read_alone(open_compact, a, b, size):
    packed, source, state = open_compact
    start, stop = sorted((min(a, 4509), min(b, 4509)))
    for name in ("F32.large", "F8_E5M2.large", "I16"):
        last = source.entry(name).numel
        begin, end = min(start, last), min(stop, last)
        kept = state.mask(name)
        wanted = source.bits(name, begin, end)
        if kept is not None:
            wanted = np.where(kept.bools(begin, end), wanted, 0)
        got = [chunk.bits.copy() for chunk in packed.chunks(name, begin, end, size)]
        assert np.array_equal(np.concatenate([*got, wanted[:0]]), wanted)


@pytest.fixture(scope="module")
def open_compact(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compact")
    with (
        pytest.MonkeyPatch.context() as patch,
        open_checkpoint(write_source(folder / "in.safetensors", packed=True)) as source,
    ):
        patch.setattr(compact_codec, "FRAME", 1024)
        state = pruned(source, 0.5)
        write(state, folder / "x.compact.safetensors")
        with open_checkpoint(folder / "x.compact.safetensors") as packed:
            yield packed, source, state


def header_of(data: bytes) -> tuple[dict, bytes]:
    size = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def with_header(header: dict, data: bytes) -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def about(change):
    def changed(header):
        tree = json.loads(header["__metadata__"]["pruneapp"])
        change(tree)
        header["__metadata__"]["pruneapp"] = json.dumps(tree)

    return changed


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (about(lambda t: t.update(version=7)), "newer Pruneapp"),
        (about(lambda t: t.update(frame=12)), "no valid size"),
        (about(lambda t: t.update(frame=1 << 40)), "no valid size"),
        (about(lambda t: t.update(tensors=[])), "lists no tensors"),
        (about(lambda t: t.update(metadata={"a": 1})), "not text"),
        (about(lambda t: t.update(metadata={"a": None})), "not text"),
        (
            about(lambda t: t["tensors"].update({"F32.large": ["F32", [9, 502000]]})),
            "has the shape",
        ),
        (about(lambda t: t["tensors"].update({"F32.large": ["F4", [9, 501]]})), "share bytes"),
        (about(lambda t: t["tensors"].update({"F32.large": ["Q9", [9, 501]]})), "valid type"),
        (about(lambda t: t["tensors"].update({"F32.large": ["F32", [9, -1]]})), "valid shape"),
        (about(lambda t: t["tensors"].update({"F32.small": ["F32", [3, 5]]})), "described twice"),
        (about(lambda t: t["tensors"].update({"more": ["F32", [3]]})), "lacks 'more:index'"),
    ],
)
def test_hostile_metadata_is_refused_in_a_sentence(change, words, source, tmp_path):
    path = tmp_path / "x.compact.safetensors"
    write(pruned(source, 0.9), path)
    header, data = header_of(path.read_bytes())
    change(header)
    path.write_bytes(with_header(header, data))
    with pytest.raises(CheckpointError) as caught:
        open_checkpoint(path)
    assert words in str(caught.value)


def test_every_flipped_bit_is_noticed_or_changes_no_weight(source, tmp_path):
    path = tmp_path / "x.compact.safetensors"
    write(pruned(source, 0.9), path)
    good = path.read_bytes()
    with open_checkpoint(path) as found:
        weights = found.bits("F32.large").tobytes()
    header, _ = header_of(good)
    start = len(good) - max(e["data_offsets"][1] for n, e in header.items() if n[:2] != "__")
    begin, end = header["F32.large:frames"]["data_offsets"]
    index = header["F32.large:index"]["data_offsets"]
    rng = np.random.default_rng(0)
    refused = 0
    places = [*rng.integers(begin, end, 150), *range(*index)]
    for place in places:
        bad = bytearray(good)
        bad[start + place] ^= 1 << int(rng.integers(8))
        path.write_bytes(bad)
        with open_checkpoint(path) as found:
            try:
                assert found.bits("F32.large").tobytes() == weights, place
            except DamagedFileError as error:
                refused += "'F32.large'" in str(error)
    assert refused > 0.9 * len(places)


def test_names_that_the_layout_needs_are_refused(tmp_path):
    header, end = {}, 0
    for name in ("w", "w:index"):
        header[name] = {"dtype": "F32", "shape": [2000], "data_offsets": [end, end + 8000]}
        end += 8000
    (tmp_path / "x.safetensors").write_bytes(with_header(header, bytes(range(250)) * 64))
    with open_checkpoint(tmp_path / "x.safetensors") as source:
        state = pruned(source, 0.5)
        with pytest.raises(ExportError, match="reserves the name 'w:index'"):
            write(state, tmp_path / "x.compact.safetensors")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("__metadata__", "safetensors reserves the name '__metadata__', which a tensor has."),
        ("a\ud800", "safetensors cannot store a tensor name that is not valid Unicode."),
    ],
)
def test_names_that_safetensors_has_not_are_refused_before_anything_is_planned(name, why, tmp_path):
    """The large tensor would be packed under another name, and could not be expanded."""
    source = MemoryCheckpoint({name: np.ones((64, 64), np.float32)})
    for form in ("compact", "safetensors", "zst"):
        assert FORMATS[form].why_not(source) == why
    with pytest.raises(ExportError, match=re.escape(why)):
        write(Snapshot(source), tmp_path / "x.compact.safetensors")
    assert list(tmp_path.iterdir()) == []


def test_it_can_be_cancelled_at_any_step_and_leaves_nothing(source, tmp_path):
    for look in range(1, 61, 3):
        with pytest.raises(Cancelled):
            export(
                pruned(source, 0.5),
                ExportRequest("compact", tmp_path / "x.compact.safetensors"),
                Job(cancel=CountingToken(look)),
            )
        assert [p.name for p in tmp_path.iterdir()] == ["in"]


def test_a_file_that_was_cut_or_damaged_is_not_expanded(source, tmp_path):
    path = tmp_path / "x.safetensors.zst"
    write(pruned(source, 0.5), path, "zst")
    good = path.read_bytes()
    for bad in (good[:-5], good[: len(good) // 2], good[:30] + b"\xff" * 9 + good[39:]):
        path.write_bytes(bad)
        with pytest.raises(DamagedFileError, match="damaged"):
            expand(path, tmp_path / "out.safetensors", Job())
    path.write_bytes(zstandard.ZstdCompressor(write_content_size=False).compress(b"abc" * 99))
    with pytest.raises(UnsupportedFileError, match="does not contain the size"):
        expand(path, tmp_path / "out.safetensors", Job())
    with pytest.raises(UnsupportedFileError, match="can be expanded"):
        expand(source.path, tmp_path / "out.safetensors", Job())
    with pytest.raises(ExportError, match="the file to expand"):
        expand(path, path, Job())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in", "x.safetensors.zst"]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_number_of_threads_changes_no_byte(threads, source, tmp_path, monkeypatch):
    from pruneapp.export.formats import compact, zst

    for module, name, suffix in ((compact, "compact", ".safetensors"), (zst, "zst", ".zst")):
        digests = set()
        for count in (1, threads):
            monkeypatch.setattr(module, "default_threads", lambda count=count: count)
            digests.add(write(pruned(source, 0.9), tmp_path / f"x{count}{suffix}", name).sha256)
        assert len(digests) == 1


def test_what_it_says_of_its_making_is_true_of_both_files(source, tmp_path):
    from pruneapp.export.provenance import KEY, provenance_of
    from pruneapp.recipes.recipe import recipe_of

    state = pruned(source, 0.5)
    origin = provenance_of(state, recipe_of(source, [], {}), Job())
    made = {}
    for name, suffix in (("safetensors", "dense"), ("compact", "x.compact"), ("zst", "x.zst")):
        out = tmp_path / f"{suffix}.safetensors"
        export(state, ExportRequest(name, out), Job(), origin)
        made[name] = out
    with open_checkpoint(made["compact"]) as packed, open_checkpoint(made["safetensors"]) as dense:
        assert json.loads(packed.metadata[f"{KEY}format"])["name"] == "compact"
        assert json.loads(dense.metadata[f"{KEY}format"])["name"] == "safetensors"
    header, _ = header_of(made["compact"].read_bytes())
    own = header["__metadata__"]
    kept = json.loads(own["pruneapp"])["metadata"]
    assert {key for key, text in kept.items() if text is None} >= {f"{KEY}recipe", f"{KEY}ties"}

    read_by_script = runpy.run_path(str(tmp_path / READER_NAME))
    assert (
        read_by_script["header"](made["compact"])[2]["metadata"]
        == header_of(made["safetensors"].read_bytes())[0]["__metadata__"]
    )
    for name in ("compact", "zst"):
        expand(made[name], tmp_path / "out.safetensors", Job())
        assert (tmp_path / "out.safetensors").read_bytes() == made["safetensors"].read_bytes()


def test_a_model_of_several_files_becomes_one(tmp_path):
    tensors = model(torch.float32)
    with open_checkpoint(SOURCES["sharded"](tmp_path, tensors)) as checkpoint:
        state = as_snapshot(checkpoint)
        told = {offer.name: offer for offer in format_offers(state, Job())}
        assert told["compact"].one_file
        for name, suffix in (("compact", ".compact.safetensors"), ("masks", ".masks.safetensors")):
            report = write(state, tmp_path / f"x{suffix}", name)
            assert report.files[0].path == tmp_path / f"x{suffix}"
            assert report.files[0].nbytes == pytest.approx(told[name].nbytes, rel=0.02)
        with open_checkpoint(tmp_path / "x.compact.safetensors") as packed:
            assert sorted(packed.entries) == sorted(checkpoint.entries)
            for name in checkpoint.entries:
                kept = kept_masks().get(name)
                bits = checkpoint.bits(name)
                bits = bits if kept is None else np.where(kept.ravel(), bits, 0)
                assert np.array_equal(packed.bits(name), bits)
        with pytest.raises(ExportError, match="is a folder"):
            write(state, tmp_path / "sharded", "compact")
