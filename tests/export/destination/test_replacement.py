"""The announced replacements of an export equal the actual ones."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.export.exporter import check_target, export
from pruneapp.export.report import ExportRequest
from pruneapp.progress import Job
from tests.support.containers import as_snapshot, model

pytestmark = pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")


def asked(state, path: Path, form: str = "safetensors", **params):
    request = ExportRequest(form, path, params=params)
    found = check_target(state, request, Job())
    return found, request


def changed(folder: Path, state, request) -> tuple[set[str], set[str]]:
    """Export; return the names of the replaced files and of the new ones."""
    before = {path.name: path.stat().st_ino for path in folder.iterdir()}
    export(state, request, Job())
    after = {path.name: path.stat().st_ino for path in folder.iterdir()}
    return {n for n in before if after[n] != before[n]}, set(after) - set(before)


@pytest.fixture
def alone(source_of):
    return source_of("safetensors", model(torch.float32))


@pytest.fixture
def shards(source_of):
    return source_of("sharded", model(torch.float32))


class TestFiles:
    def test_nothing_is_there(self, alone, tmp_path):
        found, _ = asked(as_snapshot(alone), tmp_path / "out.safetensors")
        assert (found.refused, found.replaced, found.kept, found.notices) == ("", (), (), ())

    def test_a_file_is_there(self, alone, tmp_path):
        (tmp_path / "out.safetensors").write_bytes(b"old")
        found, _ = asked(as_snapshot(alone), tmp_path / "out.safetensors")
        assert (found.replaced, found.kept) == (("out.safetensors",), ())

    def test_the_opened_file_is_kept(self, alone):
        alone.path.with_name("model.orig.safetensors").write_bytes(b"")
        found, request = asked(as_snapshot(alone), alone.path)
        assert (found.replaced, found.kept) == ((), ("model.orig2.safetensors",))
        _, new = changed(alone.path.parent, as_snapshot(alone), request)
        assert new == {"model.orig2.safetensors"}

    def test_a_name_that_does_not_fit_is_told_in_the_words_of_the_report(self, alone, tmp_path):
        found, request = asked(as_snapshot(alone), tmp_path / "crepe-full.pth")
        (said,) = found.notices
        assert "'crepe-full.pth' contains" in said
        assert "usually named .safetensors" in said
        assert export(as_snapshot(alone), request, Job()).notices == (said,)

    @pytest.mark.parametrize(
        ("name", "form", "said"),
        [("there", "safetensors", "is a folder"), ("no/x.pt", "torch", "does not exist"),
         ("model.safetensors", "compact", "plain weights"), ("a?\x01", "torch", "valid file")],
    )  # fmt: skip
    def test_where_it_may_not_go(self, alone, tmp_path, name, form, said):
        (tmp_path / "there").mkdir()
        found, _ = asked(as_snapshot(alone), tmp_path / name, form)
        assert said in found.refused
        assert found.replaced == ()

    def test_a_shard_of_the_opened_model(self, shards):
        found, _ = asked(as_snapshot(shards), shards.contents.shards[0].path)
        assert "one of several files of the opened model" in found.refused


class TestFolders:
    def test_a_new_one(self, shards, tmp_path):
        found, _ = asked(as_snapshot(shards), tmp_path / "out")
        assert (found.refused, found.replaced, found.kept) == ("", (), ())
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize("limit", [None, 1500])
    def test_an_older_export(self, shards, tmp_path, limit):
        state, out = as_snapshot(shards, {}), tmp_path / "out"
        export(state, ExportRequest("safetensors", out, params={"max_shard_size": limit}), Job())
        found, request = asked(state, out, max_shard_size=limit)
        weights = [p for p in out.iterdir() if p.suffix == ".safetensors"]
        assert len(weights) >= 2
        assert len(found.replaced) == len(weights) + 1
        replaced, new = changed(out, state, request)
        assert set(found.replaced) == replaced
        assert not new

    @pytest.mark.parametrize("form", ["safetensors", "resumable"])
    def test_the_opened_one_keeps_its_originals(self, shards, form):
        home = shards.contents.shards[0].path.parent
        found, request = asked(as_snapshot(shards), home, form)
        assert found.replaced == ()
        assert len(found.kept) == (2 if form == "safetensors" else 3)
        _, new = changed(home, as_snapshot(shards), request)
        assert new == set(found.kept)

    def test_other_weights_refuse_it(self, shards, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "pytorch_model.bin").write_bytes(b"old")
        found, _ = asked(as_snapshot(shards), tmp_path / "out")
        assert "'pytorch_model.bin'. These files would remain" in found.refused
        assert "Choose an empty folder" in found.refused

    def test_a_configuration_that_differs(self, shards, tmp_path):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "config.json").write_text("{}")
        found, request = asked(as_snapshot(shards), tmp_path / "out")
        assert found.replaced == ()
        assert "differs from that of the opened model" in found.notices[0]
        assert export(as_snapshot(shards), request, Job()).notices == found.notices

    def test_a_link_that_leads_nowhere_is_replaced(self, shards, tmp_path):
        out = tmp_path / "out"
        out.mkdir()
        name = shards.contents.shards[0].path.name
        (out / name).symlink_to(tmp_path / "nothing")
        found, request = asked(as_snapshot(shards), out)
        assert found.replaced == (name,)
        export(as_snapshot(shards), request, Job())
        assert not (out / name).is_symlink()


def test_a_folder_of_one_file(tmp_path):
    (tmp_path / "model").mkdir()
    save_file({"a.weight": torch.randn(4, 6)}, tmp_path / "model" / "model.safetensors")
    with open_checkpoint(tmp_path / "model") as checkpoint:
        found, _ = asked(as_snapshot(checkpoint, {}), tmp_path / "model")
        assert (found.refused, found.kept) == ("", ("model.orig.safetensors",))
