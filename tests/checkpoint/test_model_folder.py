"""Folders that are not models: what they are, and what to open or to run."""

from __future__ import annotations

import os
import shlex
import shutil

import pytest
import torch
from safetensors.torch import load_file, save_file

from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint, refuse_unknown
from pruneapp.errors import CheckpointError, UnsupportedFileError


def remedy_of(path) -> str:
    with pytest.raises(CheckpointError) as caught:
        open_checkpoint(path)
    return caught.value.remedy


class TestDeepSpeed:
    @pytest.fixture
    def ckpt(self, tmp_path):
        """Write a checkpoint of ZeRO stage 3, as DeepSpeed saves it."""
        step = tmp_path / "my ckpt" / "global_step10"
        step.mkdir(parents=True)
        for kind in ("model", "optim"):
            for rank in range(2):
                name = f"zero_pp_rank_{rank}_mp_rank_00_{kind}_states.pt"
                torch.save({"module": {}, "param_shapes": []}, step / name)
        (step.parent / "latest").write_text("global_step10")
        return step.parent

    def command(self, path) -> list[str]:
        return shlex.split(remedy_of(path).rpartition(": ")[2])

    def test_the_folder_of_all_steps(self, ckpt):
        assert self.command(ckpt) == ["python", "zero_to_fp32.py", str(ckpt), "model"]
        (ckpt / "zero_to_fp32.py").touch()
        script = str(ckpt / "zero_to_fp32.py")
        assert self.command(ckpt) == ["python", script, str(ckpt), "model"]
        (ckpt / "latest").unlink()
        assert self.command(ckpt)[4:] == ["-t", "global_step10"]

    def test_the_folder_of_one_step(self, ckpt):
        expected = ["python", "zero_to_fp32.py", str(ckpt), "model", "-t", "global_step10"]
        assert self.command(ckpt / "global_step10") == expected

    def test_a_relative_folder(self, ckpt, monkeypatch):
        monkeypatch.chdir(ckpt / "global_step10")
        expected = ["python", "zero_to_fp32.py", str(ckpt), "model", "-t", "global_step10"]
        assert self.command(".") == expected
        assert self.command("zero_pp_rank_0_mp_rank_00_optim_states.pt") == expected

    @pytest.mark.parametrize("kind", ["model", "optim"])
    def test_the_file_of_one_process(self, ckpt, kind):
        path = ckpt / "global_step10" / f"zero_pp_rank_0_mp_rank_00_{kind}_states.pt"
        assert self.command(path)[4:] == ["-t", "global_step10"]

    def test_whole_weights_beside_a_sharded_optimizer(self, tmp_path):
        """ZeRO stages 0 to 2 save the whole model, in the precision of training."""
        step = tmp_path / "global_step3"
        step.mkdir()
        whole = step / "mp_rank_00_model_states.pt"
        torch.save({"module": {"a.weight": torch.ones(2, 3)}}, whole)
        torch.save({}, step / "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt")
        assert f"Open '{whole}'" in remedy_of(step)
        assert self.command(step)[3:] == ["model", "-t", "global_step3"]
        with open_checkpoint(whole) as opened:
            assert list(opened.entries) == ["a.weight"]


class TestMegatron:
    def test_one_rank_is_the_whole_model(self, tmp_path):
        rank = tmp_path / "mp_rank_00"
        rank.mkdir()
        whole = rank / "model_optim_rng.pt"
        torch.save({"model": {"a.weight": torch.ones(2, 3)}}, whole)
        assert remedy_of(tmp_path) == f"Open '{whole}', which has all weights."
        (tmp_path / "mp_rank_01").mkdir()
        with pytest.raises(UnsupportedFileError, match="split into ranks"):
            open_checkpoint(tmp_path)


def weights(folder, rows, name="diffusion_pytorch_model.safetensors"):
    folder.mkdir(parents=True, exist_ok=True)
    save_file({"a.weight": torch.ones(rows, 4)}, folder / name, metadata={"format": "pt"})
    (folder / "config.json").write_text("{}")


def texts(checkpoint) -> str:
    return " ".join(notice.text for notice in checkpoint.contents.notices)


class TestPipelines:
    @pytest.fixture
    def pipeline(self, tmp_path):
        folder = tmp_path / "pipe"
        weights(folder / "unet", 9)
        weights(folder / "vae", 3)
        weights(folder / "text_encoder", 5, "model.safetensors")
        for name in ("scheduler", "tokenizer"):
            (folder / name).mkdir()
            (folder / name / "config.json").write_text("{}")
        (folder / "model_index.json").write_text('{"_class_name": "StableDiffusionPipeline"}')
        return folder

    def test_the_largest_component_opens_and_the_others_are_offered(self, pipeline):
        with open_checkpoint(pipeline) as opened:
            assert opened.path == pipeline / "unet"
            dicts = [(d.key, d.numel) for d in opened.contents.state_dicts]
            assert dicts == [("unet", 36), ("text_encoder", 20), ("vae", 12)]
            assert opened.contents.state_dict == "unet"
            assert "models in 'unet', 'text_encoder', 'vae'. 'unet' was opened" in texts(opened)

    @pytest.mark.parametrize("folder", ["", "unet", "vae"])
    def test_a_component_is_chosen_from_the_pipeline_or_any_component(self, pipeline, folder):
        with open_checkpoint(pipeline / folder, state_dict="vae") as opened:
            assert opened.path == pipeline / "vae"
            assert opened.entry("a.weight").shape == (3, 4)
            assert opened.contents.state_dict == "vae"

    def test_it_is_not_refused_by_the_check_before_opening(self, pipeline):
        refuse_unknown(pipeline)
        (pipeline / "model_index.json").unlink()
        with pytest.raises(CheckpointError):
            refuse_unknown(pipeline)

    def test_a_component_opens_by_its_folder(self, pipeline):
        with open_checkpoint(pipeline / "vae") as opened:
            assert not texts(opened)
            assert len(opened.contents.state_dicts) == 1

    def test_a_component_that_is_not_there(self, pipeline):
        with pytest.raises(CheckpointError, match="no component 'x'") as caught:
            open_checkpoint(pipeline, state_dict="x")
        assert "'unet', 'text_encoder', 'vae'" in caught.value.remedy

    def test_variants_of_a_component_are_left_aside(self, pipeline):
        for variant in ("fp16", "non_ema"):
            weights(pipeline / "unet", 2, f"diffusion_pytorch_model.{variant}.safetensors")
        with open_checkpoint(pipeline) as opened:
            assert opened.entry("a.weight").shape == (9, 4)

    def test_it_can_be_pruned_and_exported_as_a_folder(self, pipeline, tmp_path):
        out = tmp_path / "out"
        step = ("--method", "l1_unstructured", "--amount", "50%")
        assert main(["prune", str(pipeline), "--state-dict", "vae", "-o", str(out), *step]) == 0
        made = load_file(out / "diffusion_pytorch_model.safetensors")
        assert int((made["a.weight"] == 0).sum()) == 6
        assert (out / "config.json").exists()


class TestCaches:
    @pytest.fixture
    def root(self, tmp_path):
        """Write a model in the layout of the Hub cache, with two revisions."""
        root = tmp_path / "hub" / "models--org--name"
        for revision, rows in (("aaa", 2), ("bbb", 3)):
            snapshot = root / "snapshots" / revision
            weights(snapshot, rows, "model.safetensors")
            (root / "blobs").mkdir(exist_ok=True)
            (snapshot / "model.safetensors").rename(root / "blobs" / revision)
            (snapshot / "model.safetensors").symlink_to(f"../../blobs/{revision}")
        (root / "refs").mkdir()
        (root / "refs" / "main").write_text("aaa")
        return root

    @pytest.mark.parametrize("folder", ["", "snapshots"])
    def test_the_revision_of_main_opens(self, root, folder):
        with open_checkpoint(root / folder) as opened:
            assert opened.path == root / "snapshots" / "aaa"
            assert opened.entry("a.weight").shape == (2, 4)
            assert "revision 'aaa' was opened. Open another revision by its folder: 'bbb'" in texts(
                opened
            )

    def test_without_main_the_latest_revision_opens(self, root):
        (root / "refs" / "main").unlink()
        os.utime(root / "snapshots" / "aaa", (1, 1))
        with open_checkpoint(root) as opened:
            assert opened.path.name == "bbb"

    def test_a_pipeline_in_a_cache(self, root):
        snapshot = root / "snapshots" / "aaa"
        weights(snapshot / "unet", 7)
        weights(snapshot / "vae", 6)
        (snapshot / "model_index.json").write_text("{}")
        with open_checkpoint(root, state_dict="vae") as opened:
            assert opened.path == snapshot / "vae"
            assert opened.entry("a.weight").shape == (6, 4)

    def test_a_cache_without_snapshots(self, root):
        shutil.rmtree(root / "snapshots" / "aaa")
        shutil.rmtree(root / "snapshots" / "bbb")
        assert "Download the model again" in remedy_of(root)

    def test_the_folder_of_all_models(self, root):
        assert remedy_of(root.parent) == "Open one of them: 'models--org--name'."
