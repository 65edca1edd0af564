"""Exports with a maximum shard size: contents, names and loaders."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.errors import ExportError
from pruneapp.export import sharding
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.format_sizes import format_offer
from pruneapp.export.provenance import provenance_of
from pruneapp.export.report import ExportRequest
from pruneapp.export.sharding import SHARD_SIZE
from pruneapp.export.verify import LocalEngine, VerificationRequest, verify
from pruneapp.kernels.devices import kernel_for
from pruneapp.params import validate_all
from pruneapp.progress import Job
from pruneapp.recipes.recipe import Recipe, recipe_of
from tests.support.containers import as_snapshot, kept_masks, model

NAME = "net.conv.weight"
SPLIT = [form.name for form in FORMATS.values() if SHARD_SIZE in form.params]

pytestmark = pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")


def run(state, path: Path, limit: int | None, form: str = "safetensors", **more):
    params = {"max_shard_size": limit, **more}
    return export(state, ExportRequest(form, path, params=params), Job())


def weights(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.suffix in {".safetensors", ".bin"})


def tensors_in(folder: Path) -> dict[str, torch.Tensor]:
    found: dict[str, torch.Tensor] = {}
    for path in weights(folder):
        inside = torch.load(path) if path.suffix == ".bin" else load_file(path)
        assert not set(inside) & set(found)
        found |= inside
    return found


def same(a: dict, b: dict) -> bool:
    """Return whether the same names have the same dtypes, shapes and bits."""

    def bits(tensor):
        return (
            tensor.dtype,
            tensor.shape,
            tensor.contiguous().reshape(-1).view(torch.uint8).tolist(),
        )

    return {n: bits(t) for n, t in a.items()} == {n: bits(t) for n, t in b.items()}


@pytest.fixture(scope="module", params=["safetensors", "sharded", "zip"])
def opened(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    tensors = model(torch.float32)
    path = folder / "model.safetensors"
    if request.param == "zip":
        path = folder / "model.pt"
        torch.save(tensors, path)
    elif request.param == "safetensors":
        save_file(tensors, path, metadata={"format": "pt", "note": "grüße"})
    else:
        names = list(tensors)
        where = {}
        for number, some in enumerate((names[:3], names[3:]), 1):
            file = f"model-{number:05}-of-00002.safetensors"
            save_file({name: tensors[name] for name in some}, folder / file, {"format": "pt"})
            where |= dict.fromkeys(some, file)
        path = folder
        total = sum(tensor.nbytes for tensor in tensors.values())
        index = {"metadata": {"total_size": total, "ours": "x"}, "weight_map": where}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "config.json").write_text('{"model_type": "none"}')
    (folder / "tokenizer.model").write_bytes(b"\x00\x01")
    (folder / "modeling.py").write_text("raise SystemExit")
    with open_checkpoint(path) as checkpoint:
        yield checkpoint


@given(limit=st.one_of(st.integers(1, 400), st.integers(1, 9000)), form=st.sampled_from(SPLIT))
def test_any_limit_gives_the_same_tensors_in_files_within_it(opened, limit, form):
    state = as_snapshot(opened)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        suffix = ".pt" if form == "torch" else ".safetensors"
        export(state, ExportRequest(form, home / f"whole{suffix}"), Job())
        one = home / f"whole{suffix}"
        whole = torch.load(one, weights_only=False) if suffix == ".pt" else load_file(one)
        out = home / "out"
        report = run(state, out, limit, form)
        found = weights(out)
        inside = {path.name: list(load(path)) for path in found}

        assert same(tensors_in(out), whole)
        assert len(found) == 1 or all(
            path.stat().st_size <= limit or len(opened_names(names)) == 1
            for path, names in zip(found, inside.values(), strict=True)
        )
        stem = "pytorch_model" if form == "torch" else "model"
        ending = ".bin" if form == "torch" else ".safetensors"
        index = out / f"{stem}{ending}.index.json"
        count = len(found)
        if count == 1:
            assert found[0].name == f"{stem}{ending}"
            assert not index.exists()
        else:
            assert [p.name for p in found] == [
                f"{stem}-{i:05}-of-{count:05}{ending}" for i in range(1, count + 1)
            ]
            said = json.loads(index.read_text())
            assert said["weight_map"] == {n: file for file, names in inside.items() for n in names}
            assert said["metadata"]["total_size"] == sum(t.nbytes for t in whole.values())
        too_large = [path for path in found if path.stat().st_size > limit]
        assert bool(too_large) == any("its file is larger" in n or "files are larger" in n
                                      for n in report.notices)  # fmt: skip
        with open_checkpoint(out) as again:
            assert sorted(again.entries) == sorted(opened.entries)
            assert not again.contents.notices


def load(path: Path) -> dict[str, torch.Tensor]:
    return torch.load(path) if path.suffix == ".bin" else load_file(path)


def opened_names(names: list[str]) -> set[str]:
    """Return the checkpoint's names of these tensors: a weight and its mask count as one."""
    return {name.removesuffix("_orig").removesuffix("_mask") for name in names}


@pytest.mark.parametrize("form", SPLIT)
def test_no_file_could_have_taken_the_first_tensor_of_the_next(opened, form, tmp_path):
    """Greedy: every file is as full as the order of tensors allows."""
    state = as_snapshot(opened)
    whole = sharding.whole_model(state, "")
    for limit in (700, 1500, 2600):
        out = tmp_path / f"{limit}"
        run(state, out, limit, form)
        groups = [[e for e in opened.entries if e in opened_names(list(load(path)))]
                  for path in weights(out)]  # fmt: skip
        assert [name for group in groups for name in group] == list(opened.entries)
        values = validate_all(FORMATS[form].params, {})
        packing = sharding.Sharding(whole, FORMATS[form], values, limit, Job())
        at = 0
        for group in groups[:-1]:
            assert packing._plan(at, at + len(group) + 1).nbytes > limit
            at += len(group)


def test_what_lies_beside_is_copied_and_code_is_not(opened, tmp_path):
    report = run(as_snapshot(opened), tmp_path / "out", 2000)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    own = [f for f in report.files if f.path.name.startswith("model")]  # and their index
    assert {path.name for path in report.beside} == names - {f.path.name for f in own}
    assert report.nbytes_of_weights == sum(f.nbytes for f in own)
    assert {"config.json", "tokenizer.model", "model.safetensors.index.json"} <= names
    assert "modeling.py" not in names


def test_beside_a_file_that_is_no_model_of_a_folder_nothing_is_copied(tmp_path):
    (tmp_path / "downloads").mkdir()
    path = tmp_path / "downloads" / "a.safetensors"
    save_file(model(torch.float32), path)
    (path.parent / "letters.txt").write_text("private")
    with open_checkpoint(path) as checkpoint:
        run(as_snapshot(checkpoint), tmp_path / "out", 10**9)
    assert [p.name for p in (tmp_path / "out").iterdir()] == ["model.safetensors"]


def test_the_same_request_gives_the_same_bytes(opened, tmp_path):
    for name in ("a", "b"):
        run(as_snapshot(opened), tmp_path / name, 1500)
    one, other = ({p.name: p.read_bytes() for p in (tmp_path / n).iterdir()} for n in "ab")
    assert one == other


@pytest.mark.parametrize("form", SPLIT)
@pytest.mark.parametrize("limit", [1, 1500, 10**9])
def test_the_size_to_come_is_what_is_written(opened, form, limit, tmp_path):
    state = as_snapshot(opened)
    found = format_offer(state, FORMATS[form], {"max_shard_size": limit}, Job())
    report = run(state, tmp_path / "out", limit, form)
    ours = [f for f in report.files if f.path.name not in {"config.json", "tokenizer.model"}]

    assert found.exact
    assert found.nbytes == sum(f.nbytes for f in ours)
    assert found.files == len(weights(tmp_path / "out"))


def test_rounded_tensors_are_packed_by_what_they_become(opened, tmp_path):
    state = as_snapshot(opened)
    run(state, tmp_path / "half", 1700, dtype="float16")
    run(state, tmp_path / "full", 1700)

    assert all(p.stat().st_size <= 1700 for p in weights(tmp_path / "half"))
    assert len(weights(tmp_path / "half")) < len(weights(tmp_path / "full"))
    assert tensors_in(tmp_path / "half")["net.fc.weight"].dtype == torch.float16


def test_what_rounding_cost_is_said_once_for_all_files(opened, tmp_path):
    state = as_snapshot(opened)
    split = run(state, tmp_path / "out", 900, dtype="float16")
    whole = tmp_path / "whole.safetensors"
    one = export(state, ExportRequest("safetensors", whole, params={"dtype": "float16"}), Job())
    (said,) = [notice for notice in split.notices if "Rounded" in notice]
    assert said in one.notices
    assert "The largest absolute rounding error is" in said


def test_a_tied_tensor_is_in_one_file_which_alone_says_so(tmp_path):
    source = tmp_path / "model.safetensors"
    tensors = {"embed": torch.randn(10, 10), "mid": torch.randn(10, 10), "z": torch.randn(9, 9)}
    save_file(tensors, source, metadata={"format": "pt", "head": "embed"})
    with open_checkpoint(source) as checkpoint:
        assert checkpoint.entries["embed"].aliases == ("head",)
        run(as_snapshot(checkpoint, {}), tmp_path / "out", 700)
    with open_checkpoint(tmp_path / "out") as again:
        said = ["head" in shard.metadata for shard in again.contents.shards]
        assert said == [True, False, False]
        assert again.entries["embed"].aliases == ("head",)
        assert all(shard.metadata["format"] == "pt" for shard in again.contents.shards)


class TestRefused:
    def test_the_folder_of_the_model_itself(self, opened, tmp_path):
        home = tmp_path / "home"
        source = opened.path if opened.path.is_dir() else opened.path.parent
        shutil.copytree(source, home)
        before = {p.name: p.read_bytes() for p in home.iterdir()}
        inside = home if opened.contents.shards else home / opened.path.name
        with open_checkpoint(inside) as again:
            with pytest.raises(ExportError, match="contains the opened model") as caught:
                run(as_snapshot(again), home, 1500)
            assert "Choose another folder" in caught.value.remedy
        assert {p.name: p.read_bytes() for p in home.iterdir()} == before

    @pytest.mark.parametrize(
        "name", ["model.safetensors", "model-00001-of-00009.safetensors", "pytorch_model.bin",
                 "pytorch_model.bin.index.json", "model.pt"]
    )  # fmt: skip
    def test_a_folder_where_other_weights_would_stay(self, opened, tmp_path, name):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / name).write_bytes(b"old")
        with pytest.raises(ExportError, match=f"'{name}'. These files would remain"):
            run(as_snapshot(opened), tmp_path / "out", 1500)
        assert [p.name for p in (tmp_path / "out").iterdir()] == [name]

    def test_what_training_leaves_is_no_weights(self, opened, tmp_path):
        (tmp_path / "out").mkdir()
        for name in ("training_args.bin", "optimizer.pt", "notes.txt", ".model.safetensors.part"):
            (tmp_path / "out" / name).write_bytes(b"old")
        run(as_snapshot(opened), tmp_path / "out", 1500)
        with open_checkpoint(tmp_path / "out") as again:
            assert sorted(again.entries) == sorted(opened.entries)

    def test_the_name_of_a_file(self, opened, tmp_path):
        with pytest.raises(ExportError, match="name of a file") as caught:
            run(as_snapshot(opened), tmp_path / "x.safetensors", 1500)
        assert "'x'" in caught.value.remedy
        assert not list(tmp_path.iterdir())

    def test_a_file_of_that_name(self, opened, tmp_path):
        (tmp_path / "out").write_text("mine")
        with pytest.raises(ExportError, match="is a file"):
            run(as_snapshot(opened), tmp_path / "out", 1500)

    def test_more_files_than_can_be_open(self, opened, tmp_path, monkeypatch):
        monkeypatch.setattr(sharding, "MAX_FILES", 3)
        with pytest.raises(ExportError, match="more than 3") as caught:
            run(as_snapshot(opened), tmp_path / "out", 1)
        assert "max shard size" in caught.value.remedy
        assert not list(tmp_path.iterdir())


def test_an_older_export_of_the_same_files_is_replaced_and_its_companions_stay(opened, tmp_path):
    out = tmp_path / "out"
    run(as_snapshot(opened, {}), out, 1500)
    (out / "config.json").write_text("{}")
    before = {p.name for p in out.iterdir()}
    run(as_snapshot(opened), out, 1500)

    assert {p.name for p in out.iterdir()} == before
    assert (out / "config.json").read_text() == "{}"
    gone = ~torch.from_numpy(kept_masks()[NAME])
    assert not tensors_in(out)[NAME][gone].any()


def test_an_index_of_another_name_gives_the_files_theirs(tmp_path):
    """As in folders of diffusers."""
    home = tmp_path / "unet"
    home.mkdir()
    tensors = model(torch.float32)
    names = list(tensors)
    file = "diffusion_pytorch_model-00001-of-00001.safetensors"
    save_file(tensors, home / file)
    index = {"metadata": {}, "weight_map": dict.fromkeys(names, file)}
    (home / "diffusion_pytorch_model.safetensors.index.json").write_text(json.dumps(index))
    with open_checkpoint(home) as checkpoint:
        run(as_snapshot(checkpoint), tmp_path / "out", 1500)
    found = {p.name for p in (tmp_path / "out").iterdir()}
    assert "diffusion_pytorch_model.safetensors.index.json" in found
    assert all(name.startswith("diffusion_pytorch_model") for name in found)


@pytest.mark.parametrize("onto", ["new", "old"])
@pytest.mark.parametrize("call", ["replace", "link", "mkdir", "rename", "fsync"])
def test_faults_leave_all_files_as_they_were(tmp_path, monkeypatch, onto, call):
    save_file(model(torch.float32), tmp_path / "model.safetensors")
    out = tmp_path / "out"
    with open_checkpoint(tmp_path / "model.safetensors") as checkpoint:
        if onto == "old":
            run(as_snapshot(checkpoint, {}), out, 1500)
        before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
        for index in itertools.count():
            calls = itertools.count()
            real = getattr(os, call)

            def failing(*args, real=real, calls=calls, index=index, **kwargs):
                if next(calls) == index:
                    raise OSError(5, os.strerror(5))
                return real(*args, **kwargs)

            with monkeypatch.context() as patch:
                patch.setattr(os, call, failing)
                try:
                    run(as_snapshot(checkpoint), out, 1500)
                except ExportError:
                    pass
                else:
                    break
            assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before
        assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} != before


class TestVerify:
    @pytest.fixture
    def out(self, opened, tmp_path):
        state = as_snapshot(opened, {})
        origin = provenance_of(state, recipe_of(opened, [], {}), Job())
        request = ExportRequest("safetensors", tmp_path / "out", params={"max_shard_size": 1500})
        export(state, request, Job(), origin)
        return tmp_path / "out"

    def original(self, opened) -> VerificationRequest:
        return VerificationRequest(opened.path)

    def test_a_folder_of_a_largest_size_is_made_again(self, opened, out):
        verdict = verify(out, self.original(opened), LocalEngine(kernel_for("cpu")), Job())
        assert verdict.same
        assert verdict.compared > sum(p.stat().st_size for p in weights(out))  # and the index
        assert verify(
            weights(out)[1], self.original(opened), LocalEngine(kernel_for("cpu")), Job()
        ).same

    @pytest.mark.parametrize("as_folder", [True, False])
    def test_a_folder_of_one_file_is_as_good_as_the_file(self, as_folder, tmp_path):
        home, out = tmp_path / "model", tmp_path / "out"
        home.mkdir()
        save_file({"a": torch.ones(4, 4)}, home / "model.safetensors")
        (home / "config.json").write_text("{}")
        with open_checkpoint(home) as checkpoint:
            state = as_snapshot(checkpoint, {})
            origin = provenance_of(state, recipe_of(checkpoint, [], {}), Job())
            target = out if as_folder else out.with_suffix(".safetensors")
            export(state, ExportRequest("safetensors", target), Job(), origin)
        for original in (home, home / "model.safetensors"):
            for file in {target, *target.glob("*.safetensors")}:
                verdict = verify(
                    file, VerificationRequest(original), LocalEngine(kernel_for("cpu")), Job()
                )
                assert verdict.same, verdict.differences

    def test_shards_are_no_result_of_a_single_file(self, opened, tmp_path):
        origin = provenance_of(as_snapshot(opened, {}), Recipe((), {}), Job())
        folder = tmp_path / "shards"
        folder.mkdir()
        for n in (1, 2):
            texts = origin.texts("safetensors", {"dtype": "keep"})
            save_file(
                {f"t{n}": torch.ones(2)}, folder / f"model-{n:05}-of-00002.safetensors", texts
            )
        save_file({"t1": torch.ones(2)}, tmp_path / "one.safetensors")
        against = VerificationRequest(tmp_path / "one.safetensors")
        verdict = verify(folder, against, LocalEngine(kernel_for("cpu")), Job())
        assert [d.where for d in verdict.differences] == ["file"]
        assert "2 shards" in verdict.differences[0].sentence

    def test_one_flipped_bit_is_found(self, opened, out):
        path = weights(out)[-1]
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
        assert not verify(out, self.original(opened), LocalEngine(kernel_for("cpu")), Job()).same

    def test_files_without_the_setting_say_nothing_of_it(self, opened, tmp_path):
        """A recipe of an older version still gives the same bytes."""
        state = as_snapshot(opened, {})
        origin = provenance_of(state, Recipe((), {}), Job())
        texts = origin.texts("safetensors", {"dtype": "keep", "max_shard_size": None})
        said = json.loads(texts["pruneapp.format"])
        assert said == {"name": "safetensors", "configuration": {"dtype": "keep"}}


def test_of_very_many_tensors_each_is_planned_a_few_times(tmp_path, monkeypatch):
    path = tmp_path / "many.safetensors"
    save_file({f"t{i:05}": torch.zeros(i % 50) for i in range(5000)}, path)
    planned = []
    real = FORMATS["safetensors"].plan

    with open_checkpoint(path) as checkpoint:
        state = as_snapshot(checkpoint, {})

        def counted(part, values, job):
            planned.append(len(part.entries))
            return real(part, values, job)

        form = FORMATS["safetensors"]
        object.__setattr__(form, "plan", counted)
        try:
            whole = sharding.whole_model(state, "")
            plans = sharding.Sharding(whole, form, {"dtype": "keep"}, 40_000, Job()).plans()
        finally:
            object.__setattr__(form, "plan", real)
    assert len(plans) > 20
    assert sum(planned) < 6 * 5000
    assert np.sum([len(plan.names) for plan in plans.values()]) == 5000
