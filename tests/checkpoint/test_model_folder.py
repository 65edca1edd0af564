"""Folders that are no model themselves: what they are, and what to open or to run."""

from __future__ import annotations

import shlex

import pytest
import torch

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.errors import CheckpointError, UnsupportedFileError


def remedy_of(path) -> str:
    with pytest.raises(CheckpointError) as caught:
        open_checkpoint(path)
    return caught.value.remedy


class TestDeepSpeed:
    @pytest.fixture
    def ckpt(self, tmp_path):
        """A checkpoint of ZeRO stage 3, as DeepSpeed saves it."""
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
        """ZeRO stages 0 to 2 save the model whole, in the precision of the training."""
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
        with pytest.raises(UnsupportedFileError, match="cut into ranks"):
            open_checkpoint(tmp_path)
