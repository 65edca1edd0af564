"""Exports onto the source, over older exports, into folders; after faults and kills."""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.io import atomic_file
from pruneapp.errors import ExportError, FileChangedError, ParameterError
from pruneapp.export.destination import target
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Cancelled, Job
from tests.support.cancel_checks import CountingToken
from tests.support.containers import as_snapshot, kept_masks, model

NAME = "net.conv.weight"

pytestmark = pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")


def run(snapshot, path: Path, name: str = "safetensors", job: Job | None = None, **more):
    return export(snapshot, ExportRequest(name, path, **more), job or Job())


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


@pytest.fixture
def opened(source_of):
    return source_of("safetensors", model(torch.float32))


class TestOntoTheSource:
    def test_the_original_is_kept_beside_and_the_document_goes_on_from_it(self, opened):
        path, before = opened.path, opened.path.read_bytes()
        report = run(as_snapshot(opened), path)
        kept = path.with_name("model.orig.safetensors")

        assert report.kept_originals[0] == kept
        assert "model.orig.safetensors" in " ".join(report.notices)
        assert kept.read_bytes() == before
        assert opened.path == kept
        opened.verify_unchanged()
        original = model(torch.float32)[NAME]
        assert opened.bits(NAME).tobytes() == original.numpy().tobytes()
        assert torch.equal(load_file(path)[NAME], original * torch.from_numpy(kept_masks()[NAME]))

    def test_after_undo_the_original_comes_out_again(self, opened):
        path, before = opened.path, opened.path.read_bytes()
        run(as_snapshot(opened), path)
        report = run(as_snapshot(opened, {}), path)

        assert path.read_bytes() == before
        assert report.kept_originals == ()
        assert len(list(path.parent.iterdir())) == 2

    def test_an_earlier_original_is_never_overwritten(self, opened):
        path = opened.path
        for number in ("", "2"):
            path.with_name(f"model.orig{number}.safetensors").write_bytes(b"precious")
        report = run(as_snapshot(opened), path)

        assert report.kept_originals[0] == path.with_name("model.orig3.safetensors")
        assert path.with_name("model.orig.safetensors").read_bytes() == b"precious"

    def test_without_hard_links_the_original_is_copied(self, opened, monkeypatch):
        def no_links(*args, **kwargs):
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(target.os, "link", no_links)
        before = opened.path.read_bytes()
        report = run(as_snapshot(opened), opened.path)

        assert report.kept_originals[0].read_bytes() == before
        opened.verify_unchanged()
        assert opened.bits(NAME).size == 8 * 4 * 9

    def test_replacing_the_original_ends_undo_and_says_so(self, opened):
        path = opened.path
        report = run(as_snapshot(opened), path, replace_original=True)

        assert report.undo_ends
        assert "undo ends" in " ".join(report.notices)
        assert list(path.parent.iterdir()) == [path]
        with pytest.raises(FileChangedError):
            opened.verify_unchanged()

    def test_an_original_that_cannot_be_deleted_is_kept_and_undo_goes_on(self, opened, monkeypatch):
        path = opened.path

        def refuse(_path, **_more):
            raise PermissionError(13, "Permission denied")

        with monkeypatch.context() as patch:
            patch.setattr(Path, "unlink", refuse)
            report = run(as_snapshot(opened), path, replace_original=True)

        assert not report.undo_ends
        assert [kept.name for kept in report.kept_originals] == ["model.orig.safetensors"]
        assert "could not be deleted" in " ".join(report.notices)
        opened.verify_unchanged()

    @pytest.mark.parametrize("container", ["zip", "legacy"])
    def test_a_torch_file_is_replaced_likewise(self, container, source_of):
        opened = source_of(container, model(torch.float32))
        path, before = opened.path, opened.path.read_bytes()
        report = run(as_snapshot(opened), path, "torch")

        assert report.kept_originals[0].read_bytes() == before
        found = torch.load(path, weights_only=False)["state_dict"]
        assert int((found[NAME] == 0).sum()) == int((~kept_masks()[NAME]).sum())
        run(as_snapshot(opened, {}), path, "torch")
        assert path.read_bytes() == before

    def test_a_link_to_the_source_is_the_source(self, opened):
        link = opened.path.with_name("link.safetensors")
        link.symlink_to(opened.path)
        path = opened.path
        with pytest.raises(ExportError, match="is a link"):
            run(as_snapshot(opened), link)
        request = ExportRequest("safetensors", link, follow_links=True)
        report = export(as_snapshot(opened), request, Job())

        assert link.is_symlink()
        assert report.kept_originals[0] == path.with_name("model.orig.safetensors")
        assert str(path) in report.notices[0]

    def test_a_fault_of_the_renaming_gives_the_original_its_name_back(self, opened, monkeypatch):
        path, before = opened.path, files(opened.path.parent)

        def fails(*args):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))

        monkeypatch.setattr(atomic_file.os, "replace", fails)
        with pytest.raises(ExportError):
            run(as_snapshot(opened), path)
        monkeypatch.undo()

        assert files(path.parent) == before
        opened.verify_unchanged()
        assert opened.path == path
        assert opened.sources[0].path == path


class TestFaults:
    CALLS = ("write", "fdatasync", "fsync", "replace", "posix_fallocate", "link", "open")

    @pytest.mark.parametrize("call", CALLS)
    @pytest.mark.parametrize(
        ("onto", "number"), [("new", errno.ENOSPC), ("old", errno.EIO), ("source", errno.EACCES)]
    )
    def test_at_every_call_the_old_files_are_left(
        self, opened, tmp_path, monkeypatch, onto, call, number
    ):
        """Each system call fails in turn, until one export meets no fault."""
        folder = opened.path.parent
        path = opened.path if onto == "source" else folder / "out.safetensors"
        if onto == "old":
            path.write_bytes(b"the old export")
        before = files(folder)
        monkeypatch.setattr(atomic_file, "WINDOW_BYTES", 1000)
        snapshot = as_snapshot(opened)
        for index in itertools.count():
            calls = itertools.count()
            real = getattr(os, call)

            def failing(*args, real=real, calls=calls, index=index, **kwargs):
                if next(calls) == index:
                    raise OSError(number, os.strerror(number))
                return real(*args, **kwargs)

            with monkeypatch.context() as patch:
                patch.setattr(os, call, failing)
                try:
                    run(snapshot, path)
                except ExportError:
                    pass
                else:
                    break
            assert files(folder) == before
            opened.verify_unchanged()
        assert path.read_bytes() != before.get(path.name)
        assert not [p for p in folder.iterdir() if p.name.startswith(".")]

    @pytest.mark.parametrize("name", ["safetensors", "torch", "resumable"])
    def test_cancelling_leaves_nothing(self, opened, name):
        before = files(opened.path.parent)
        out = opened.path.with_name("out.pt")

        for look in range(1, 41, 3):
            with contextlib.suppress(Cancelled):
                run(as_snapshot(opened), out, name, Job(cancel=CountingToken(look)))
                out.unlink()
            assert files(opened.path.parent) == before, look

    def test_a_source_that_changes_meanwhile_stops_the_export(self, opened):
        before = files(opened.path.parent)
        snapshot = as_snapshot(opened)

        class Changes:
            def report(self, done, total, label):
                os.utime(opened.path, ns=(1, 1))

        with pytest.raises(FileChangedError):
            run(snapshot, opened.path.with_name("out.safetensors"), job=Job(Changes()))
        assert files(opened.path.parent) == before

    def test_progress_ends_at_its_total(self, opened, tmp_path):
        told = []

        class Told:
            def report(self, done, total, label):
                told.append((done, total))

        report = run(as_snapshot(opened), tmp_path / "out.safetensors", job=Job(Told()))

        assert told[-1] == (2 * report.nbytes, 2 * report.nbytes)


class TestFolders:
    @pytest.fixture
    def shards(self, source_of):
        return source_of("sharded", model(torch.float32))

    def test_a_new_folder_has_the_same_files_and_what_lies_beside(self, shards, tmp_path):
        out = tmp_path / "out"
        report = run(as_snapshot(shards), out)
        home = shards.contents.shards[0].path.parent

        assert sorted(files(out)) == sorted(set(files(home)) - {"modeling.py"})
        for name in ("config.json", "model.safetensors.index.json"):
            assert (out / name).read_bytes() == (home / name).read_bytes()
        assert {f.path.name for f in report.files} == set(files(out))
        with open_checkpoint(out) as again:
            assert list(again.entries) == list(shards.entries)
            assert [s.metadata for s in again.contents.shards] == [
                s.metadata for s in shards.contents.shards
            ]
        assert not [p for p in tmp_path.iterdir() if "partial" in p.name]

    def test_the_folder_itself_keeps_every_original(self, shards):
        home = shards.contents.shards[0].path.parent
        before = files(home)
        report = run(as_snapshot(shards), home)
        after = files(home)

        assert len(report.kept_originals) == 2
        assert report.notices == (
            (
                "2 files of the original are kept next to the new ones, as "
                "'model-00001-of-00002.orig.safetensors', "
                "'model-00002-of-00002.orig.safetensors'."
            ),
        )
        for path in report.kept_originals:
            assert path.read_bytes() == before[path.name.replace(".orig", "")]
        assert set(after) - set(before) == {path.name for path in report.kept_originals}
        shards.verify_unchanged()
        with open_checkpoint(home) as again:
            assert list(again.entries) == list(shards.entries)
            gone = ~kept_masks()[NAME].reshape(-1)
            assert np.array_equal(again.bits(NAME) == 0, gone)
        run(as_snapshot(shards, {}), home)
        assert {n: files(home)[n] for n in before} == before

    def test_a_resumable_folder_has_an_index_of_its_own(self, shards, tmp_path):
        out = tmp_path / "out"
        run(as_snapshot(shards), out, "resumable")
        index = json.loads((out / "model.safetensors.index.json").read_text())
        found = {k: f.name for f in sorted(out.glob("*.safetensors")) for k in load_file(f)}

        assert index["weight_map"] == found
        assert f"{NAME}_orig" in found
        with open_checkpoint(out) as again:
            assert list(again.entries) == list(shards.entries)
            assert again.entry(NAME).mask_of == f"{NAME}_mask"

    def test_a_folder_with_kept_originals_opens_again(self, source_of):
        alone = source_of("safetensors", model(torch.float32))
        home = alone.path.parent
        run(as_snapshot(alone), alone.path)
        with open_checkpoint(home) as again:
            assert int((again.bits(NAME) == 0).sum()) == int((~kept_masks()[NAME]).sum())

    def test_an_index_that_changes_in_its_own_folder_is_kept_too(self, shards):
        home = shards.contents.shards[0].path.parent
        before = files(home)
        report = run(as_snapshot(shards), home, "resumable")

        assert home / "model.safetensors.index.orig.json" in report.kept_originals
        for path in report.kept_originals:
            assert path.read_bytes() == before[path.name.replace(".orig", "")]

    def test_a_torch_folder_is_named_as_is_the_custom(self, shards, tmp_path):
        out = tmp_path / "out"
        run(as_snapshot(shards), out, "torch")

        assert sorted(files(out)) == [
            "config.json",
            "pytorch_model-00001-of-00002.bin",
            "pytorch_model-00002-of-00002.bin",
            "pytorch_model.bin.index.json",
        ]
        index = json.loads((out / "pytorch_model.bin.index.json").read_text())
        assert list(index["weight_map"]) == list(shards.entries)

    @pytest.mark.parametrize(
        "name", ["model.safetensors", "model-00003-of-00003.safetensors", "pytorch_model.bin",
                 "pytorch_model.bin.index.json", "other.pt"]
    )  # fmt: skip
    def test_a_folder_where_other_weights_would_stay_is_refused(self, shards, tmp_path, name):
        """transformers prefers a single safetensors file to an index, and both to torch files."""
        out = tmp_path / "out"
        out.mkdir()
        (out / name).write_bytes(b"old")
        before = files(tmp_path)
        with pytest.raises(
            ExportError, match=f"contains '{name}'. These files would remain"
        ) as caught:
            run(as_snapshot(shards), out)
        assert "Choose an empty folder" in caught.value.remedy
        assert files(tmp_path) == before
        (out / name).unlink()
        for _ in range(2):
            (said,) = run(as_snapshot(shards), out).notices
            assert said.startswith("Not copied from 'sharded': 'modeling.py'.")

    def test_of_many_other_weights_some_are_named(self, shards, tmp_path):
        out = tmp_path / "out"
        out.mkdir()
        for number in range(1, 6):
            (out / f"model-0000{number}-of-00005.safetensors").write_bytes(b"old")
        with pytest.raises(ExportError, match=r"'model-00003-of-00005.safetensors' and 2 more"):
            run(as_snapshot(shards), out)

    def test_the_opened_folder_does_not_get_a_second_model(self, shards):
        home = shards.contents.shards[0].path.parent
        before = files(home)
        with pytest.raises(ExportError, match=r"contains the opened model\. Its files") as caught:
            run(as_snapshot(shards), home, "torch")
        assert "model.safetensors.index.json" in str(caught.value)
        assert files(home) == before

    def test_a_configuration_that_differs_is_left_and_told(self, shards, tmp_path):
        out = tmp_path / "out"
        run(as_snapshot(shards), out)
        (out / "config.json").write_text('{"model_type": "y"}')
        said, _left = run(as_snapshot(shards), out).notices
        assert said == (
            "'config.json' is in 'out' already and differs from that of the opened model; it is "
            "not replaced."
        )
        assert (out / "config.json").read_text() == '{"model_type": "y"}'

    @pytest.mark.parametrize("name", ["safetensors", "torch", "resumable"])
    def test_shards_are_put_together_in_one_file(self, shards, tmp_path, name):
        out = tmp_path / ("out.pt" if name == "torch" else "out.safetensors")
        run(as_snapshot(shards), out, name)
        with open_checkpoint(out) as again:
            assert list(again.entries) == list(shards.entries)

    def test_a_shard_is_not_overwritten_with_the_whole(self, shards):
        before = files(shards.contents.shards[0].path.parent)
        with pytest.raises(ExportError, match="one of several files"):
            run(as_snapshot(shards), shards.contents.shards[0].path)
        assert files(shards.contents.shards[0].path.parent) == before

    @pytest.mark.parametrize("onto", ["new", "old", "source"])
    @pytest.mark.parametrize("call", ["replace", "link", "mkdir", "rename", "fsync"])
    def test_faults_leave_all_files_as_they_were(self, shards, tmp_path, monkeypatch, onto, call):
        home = shards.contents.shards[0].path.parent
        out = home if onto == "source" else tmp_path / "out"
        if onto == "old":
            run(as_snapshot(shards, {}), out)
        before = files(tmp_path)
        snapshot = as_snapshot(shards)
        for index in itertools.count():
            calls = itertools.count()
            real = getattr(os, call)

            def failing(*args, real=real, calls=calls, index=index, **kwargs):
                if next(calls) == index:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                return real(*args, **kwargs)

            with monkeypatch.context() as patch:
                patch.setattr(os, call, failing)
                try:
                    run(snapshot, out)
                except ExportError:
                    pass
                else:
                    break
            assert files(tmp_path) == before
            shards.verify_unchanged()
        assert files(tmp_path) != before
        assert not [p for p in tmp_path.rglob("*") if p.name.endswith((".part", ".old"))]


def test_an_unknown_format_is_refused_by_name(opened, tmp_path):
    with pytest.raises(ParameterError, match="safetensors, torch, resumable"):
        run(as_snapshot(opened), tmp_path / "x", "tflite")


@pytest.mark.parametrize("suffix", ["safetensors", "bin"])
def test_a_folder_with_one_file_is_written_as_a_folder(suffix, tmp_path):
    """In the layout of transformers: the usual file name, with configuration and tokenizer."""
    from safetensors.torch import save_file

    source = tmp_path / "model"
    source.mkdir()
    tensors = {"a.weight": torch.randn(4, 6), "a.bias": torch.randn(4)}
    if suffix == "bin":
        torch.save(tensors, source / "pytorch_model.bin")
    else:
        save_file(tensors, source / "model.safetensors", {"format": "pt"})
    (source / "config.json").write_text("{}")
    (source / "modeling.py").write_text("raise SystemExit")
    kept = {"a.weight": np.arange(24).reshape(4, 6) % 2 == 0}
    with open_checkpoint(source) as checkpoint:
        out = tmp_path / "out"
        report = export(as_snapshot(checkpoint, kept), ExportRequest("safetensors", out), Job())
        single = tmp_path / "single.safetensors"
        export(as_snapshot(checkpoint, kept), ExportRequest("safetensors", single), Job())
        (weights,) = (shard.path for shard in checkpoint.contents.shards)
        form = "torch" if suffix == "bin" else "safetensors"
        with pytest.raises(ExportError, match="has the weights of the opened folder") as refused:
            export(as_snapshot(checkpoint, kept), ExportRequest(form, weights), Job())
        assert refused.value.remedy == f"Choose the folder '{source}', or another name."
    assert sorted(p.name for p in out.iterdir()) == ["config.json", "model.safetensors"]
    assert {f.path.parent for f in report.files} == {out}
    assert (out / "model.safetensors").read_bytes() == single.read_bytes()
    with open_checkpoint(out) as written:
        assert not written.bits("a.weight")[1::2].any()


def test_tensors_without_a_weight_are_named_in_the_notes(tmp_path):
    from safetensors.torch import save_file

    path = tmp_path / "m.safetensors"
    save_file({name: torch.ones(2, 3) for name in "abc"} | {"none": torch.ones(0, 3)}, path)
    empty, half = np.zeros((2, 3), np.bool_), np.eye(2, 3, dtype=np.bool_)
    with open_checkpoint(path) as checkpoint:
        request = ExportRequest("safetensors", tmp_path / "out.safetensors")
        for kept, said in (
            ({"b": empty, "c": half}, ("1 tensor is pruned completely: 'b'.",)),
            ({"a": empty, "b": empty}, ("2 tensors are pruned completely: 'a', 'b'.",)),
            ({"c": half}, ()),
        ):
            assert export(as_snapshot(checkpoint, kept), request, Job()).notices == said


def test_the_file_of_a_folder_alone_says_what_transformers_misses(tmp_path):
    from safetensors.torch import save_file

    folder = tmp_path / "model"
    folder.mkdir()
    save_file({"a": torch.randn(4, 6)}, folder / "model.safetensors")
    with open_checkpoint(folder / "model.safetensors") as checkpoint:
        state = as_snapshot(checkpoint, {})
        out = folder / "pruned.safetensors"
        assert export(state, ExportRequest("safetensors", out), Job()).notices == ()
        (folder / "config.json").write_text("{}")
        (said,) = export(state, ExportRequest("safetensors", out), Job()).notices
        assert "open the folder" in said
        assert export(state, ExportRequest("resumable", out), Job()).notices == ()
