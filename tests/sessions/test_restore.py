"""The checkpoint of a session is found although an export has replaced its files."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from pruneapp.errors import OriginalChangedError, OriginalMissingError
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job
from pruneapp.sessions.original import describe, find_original
from pruneapp.sessions.restore import masks_on_other, reopen
from pruneapp.sessions.session_file import read_session
from tests.sessions.session_documents import (
    SHAPES,
    A,
    open_model,
    prune,
    save,
    shut,
    states,
    storied,
    write_model,
)


def sharded(path: Path, *, index: bool = True) -> Path:
    """Write a model of three shards, with different values in each."""
    path.mkdir()
    names = {n: f"model-0000{k}-of-00003.safetensors" for k, n in enumerate(SHAPES, 1)}
    rng = np.random.default_rng(3)
    for tensor, name in names.items():
        values = {tensor: rng.normal(size=SHAPES[tensor]).astype(np.float32)}
        save_file(values, path / name, metadata={"format": "pt"})
    if index:
        text = json.dumps({"metadata": {}, "weight_map": names})
        (path / "model.safetensors.index.json").write_text(text)
    return path


def export_onto(document, path: Path, form: str = "safetensors"):
    return export(document.snapshot(), ExportRequest(form, path), Job())


def weights(document) -> dict:
    return {n: document.checkpoint.bits(n).tobytes() for n in document.checkpoint.entries}


@pytest.mark.parametrize("named", ["folder", "index", "shards alone"])
@pytest.mark.parametrize("form", ["safetensors", "resumable"])
@pytest.mark.parametrize("when", ["saved before", "saved after"])
def test_a_model_of_shards_is_found_under_the_names_that_an_export_gave_to_them(
    tmp_path, named, form, when
):
    folder = sharded(tmp_path / "llama", index=named != "shards alone")
    path = folder / "model.safetensors.index.json" if named == "index" else folder
    document = storied(path)
    before, bits = states(document), weights(document)
    shards = [shard.path for shard in document.checkpoint.contents.shards]
    if when == "saved before":
        save(document, tmp_path / "work.prune")
    assert len(export_onto(document, folder, form).kept_originals) >= 3
    if when == "saved after":
        save(document, tmp_path / "work.prune")
        before = states(document)
    index = document.checkpoint.contents.index
    shut(document)
    for _ in range(2):  # the second time after an export of the reopened one to the same folder
        with read_session(tmp_path / "work.prune", Job()) as session:
            again = reopen(session, Job())
        assert weights(again) == bits
        assert states(again) == before
        assert again.checkpoint.path == path
        assert [shard.path for shard in again.checkpoint.contents.shards] == shards
        assert again.checkpoint.contents.index == index
        moved = [".orig." in file.path.name for file in again.checkpoint.files]
        assert moved[:2] == [True, True], "nothing of the third is pruned"
        export_onto(again, folder, form)
        shut(again)


def test_shards_are_found_where_some_were_replaced_and_some_not_and_by_content(tmp_path):
    folder = sharded(tmp_path / "llama")
    first, second, third = sorted(folder.glob("*.safetensors"))
    document = storied(folder)
    before, bits = states(document), weights(document)
    save(document, tmp_path / "work.prune")
    shut(document)
    other = (folder / "other").with_suffix(".safetensors")
    save_file({A: np.zeros(SHAPES[A], np.float32)}, other, metadata={"format": "pt"})
    first.rename(first.with_suffix(".orig2.safetensors"))
    other.rename(first)
    shutil.copy(first, first.with_suffix(".orig.safetensors"))
    third.rename(third.with_suffix(".orig.safetensors"))
    with read_session(tmp_path / "work.prune", Job()) as session:
        again = reopen(session, Job())
        files = [file.path.name for file in again.checkpoint.files]
        assert files == [
            "model-00001-of-00003.orig2.safetensors",
            second.name,
            "model-00003-of-00003.orig.safetensors",
        ]
        assert (states(again), weights(again)) == (before, bits)
        shut(again)
        # Without any copy of the saved content, the error names the file that differs.
        third.with_suffix(".orig.safetensors").rename(third)
        first.with_suffix(".orig2.safetensors").unlink()
        with pytest.raises(OriginalChangedError, match=f"'{first.name}' has the same size"):
            reopen(session, Job())


@pytest.mark.parametrize("chosen", ["folder", "shard", "kept", "index", "around"])
def test_any_file_of_a_model_of_shards_stands_for_all_of_it(tmp_path, chosen):
    folder = sharded(tmp_path / "llama")
    document = storied(folder)
    before = states(document)
    save(document, tmp_path / "work.prune")
    export_onto(document, folder)
    shut(document)
    there = tmp_path / "there"
    there.mkdir()
    folder = folder.rename(there / "llama")
    original = {
        "folder": folder,
        "shard": folder / "model-00002-of-00003.safetensors",
        "kept": folder / "model-00002-of-00003.orig.safetensors",
        "index": folder / "model.safetensors.index.json",
        "around": there,
    }[chosen]
    with read_session(tmp_path / "work.prune", Job()) as session:
        with pytest.raises(OriginalMissingError) as error:
            reopen(session, Job())
        assert error.value.in_folder
        again = reopen(session, Job(), original=original)
        assert states(again) == before
        assert again.checkpoint.path == (original if chosen == "index" else folder)
        shut(again)
        for kept in folder.glob("*.orig.safetensors"):
            kept.unlink()
        with pytest.raises(
            OriginalChangedError, match=r"model-00001-of-00003\.safetensors' has the same size"
        ):
            reopen(session, Job(), original=original)


def test_a_file_that_is_no_part_of_the_model_is_taken_for_what_it_is(tmp_path):
    folder = sharded(tmp_path / "llama")
    document = storied(folder)
    save(document, tmp_path / "work.prune")
    shut(document)
    other = write_model(tmp_path / "other.safetensors")
    with read_session(tmp_path / "work.prune", Job()) as session:
        with pytest.raises(OriginalChangedError, match=r"It has 1 file; it had 3\.") as error:
            reopen(session, Job(), original=other)
        assert error.value.fits
        assert error.value.in_folder


def test_names_of_files_in_a_session_lead_nowhere_else(tmp_path):
    folder = sharded(tmp_path / "llama")
    document = storied(folder)
    found = describe(document.checkpoint, Job())
    shut(document)
    outside = (folder / "model-00001-of-00003.safetensors").rename(tmp_path / "a.safetensors")
    first = msgspec.structs.replace(found.files[0], name=f"../{outside.name}")
    made_up = msgspec.structs.replace(found, files=(first, *found.files[1:]))
    place = find_original(made_up, tmp_path / "work.prune", Job())
    assert (place.path, place.files) == (folder, {})


def torch_file(path, seed, *, outer: bool, names=("a.weight", "b.weight")):
    rng = np.random.default_rng(seed)
    tensors = {n: torch.from_numpy(rng.normal(size=(6, 8)).astype(np.float32)) for n in names}
    torch.save({"state_dict": tensors, "epoch": 3} if outer else tensors, path)
    return path


@pytest.mark.parametrize("fits", [True, False])
def test_another_model_without_the_dict_that_was_chosen_is_another_file(tmp_path, fits):
    original = torch_file(tmp_path / "r.th", 1, outer=True)
    document = open_model(original)
    assert document.checkpoint.contents.state_dict == "state_dict"
    prune(document)
    before = {name: mask.packed.tobytes() for name, mask in document.masks.items()}
    save(document, tmp_path / "work.prune")
    shut(document)
    torch_file(original, 2, outer=False, names=("a.weight", "b.weight") if fits else ("c.weight",))
    with read_session(tmp_path / "work.prune", Job()) as session:
        with pytest.raises(OriginalChangedError, match=r"'r\.th' is not the file that") as caught:
            reopen(session, Job())
        assert caught.value.fits == fits
        if fits:
            other = masks_on_other(session, Job())
            assert {n: m.packed.tobytes() for n, m in other.masks.items()} == before
            shut(other)


def test_what_is_no_checkpoint_any_more_is_another_file_too(tmp_path):
    original = torch_file(tmp_path / "r.th", 1, outer=True)
    document = open_model(original)
    prune(document)
    save(document, tmp_path / "work.prune")
    shut(document)
    original.write_bytes(b"a diary")
    with read_session(tmp_path / "work.prune", Job()) as session:
        with pytest.raises(OriginalChangedError, match="has 7 bytes; it had") as caught:
            reopen(session, Job())
        assert not caught.value.fits
        assert "r.th" in caught.value.details.splitlines()[1]
