"""Every hostile torch file is refused in one sentence, or opened as far as it is harmless."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.errors import CheckpointError
from tests.checkpoint.torchfile.hostile_torch import CASES, GOOD, Case, archive, dump, saved
from tests.checkpoint.torchfile.rawzip import Raw, rawzip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_hostile_file_does_what_its_row_says(case: Case, tmp_path: Path):
    """It opens with its tensors and a banner, or an error explains why not; no code ran."""
    path = tmp_path / "model.pt"
    path.write_bytes(case.build(tmp_path))
    start = time.process_time()
    if case.refused:
        with pytest.raises(CheckpointError) as caught:
            open_checkpoint(path)
        assert re.search(case.refused, str(caught.value))
        assert str(path) in caught.value.sentence
        assert "\n" not in str(caught.value)
        assert caught.value.remedy
    else:
        with open_checkpoint(path) as checkpoint:
            assert set(checkpoint.entries) == set(case.opens)
            assert case.code in "".join(checkpoint.contents.unknown_globals)
            banners = [n.text for n in checkpoint.contents.notices if "was not run" in n.text]
            assert bool(banners) == bool(case.code or checkpoint.format == "torchscript")
            if case.reading_fails:
                last = list(checkpoint.entries)[-1]
                with pytest.raises(CheckpointError, match=case.reading_fails):
                    list(checkpoint.chunks(last))
            else:
                for name in checkpoint.entries:
                    checkpoint.bits(name)
    assert time.process_time() - start < 30, "the work is not bounded"
    assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize("legacy", [False, True])
def test_cut_file_is_refused_wherever_it_is_cut(legacy: bool, tmp_path: Path):
    """P41: truncated at any sixteenth."""
    import torch

    whole = saved(
        {f"l{i}.weight": torch.randn(8, 8) for i in range(8)},
        _use_new_zipfile_serialization=not legacy,
    )
    path = tmp_path / "model.pt"
    for part in range(1, 16):
        path.write_bytes(whole[: len(whole) * part // 16])
        with pytest.raises(CheckpointError):
            open_checkpoint(path)


def test_cut_legacy_file_says_how_much_is_missing(tmp_path: Path):
    """The sizes of the storages are known, so the missing bytes are counted."""
    import torch

    whole = saved({"w": torch.ones(100)}, _use_new_zipfile_serialization=False)
    path = tmp_path / "model.th"
    path.write_bytes(whole[:-10])
    with pytest.raises(CheckpointError, match="10 bytes are missing"):
        open_checkpoint(path)


def test_deflated_member_that_lies_about_its_size_is_refused(tmp_path: Path):
    """P06: inflating stops at the declared size."""
    path = tmp_path / "model.pt"
    parts = [Raw("a/data.pkl", dump(GOOD)), Raw("a/data/0", bytes(4096), 8)]
    parts[1].local.update(size=48)
    parts[1].central.update(size=48)
    path.write_bytes(rawzip(parts))
    with (
        open_checkpoint(path) as checkpoint,
        pytest.raises(CheckpointError, match="storage '0' are not those"),
    ):
        checkpoint.bits("w")


def test_small_expanded_tensor_opens_but_is_not_pruned(tmp_path: Path):
    """A stride of 0 is legitimate in a small buffer."""
    import torch

    path = tmp_path / "model.pt"
    path.write_bytes(saved({"w": torch.ones(3, 4), "mask": torch.ones(1).expand(200)}))
    with open_checkpoint(path) as checkpoint:
        assert not checkpoint.entries["mask"].prunable
        assert checkpoint.bits("mask").size == 200


def test_archive_without_checksums_opens(tmp_path: Path):
    """torch has an option to omit CRCs."""
    path = tmp_path / "model.pt"
    parts = [Raw("a/data.pkl", dump(GOOD)), Raw("a/data/0", archive(GOOD)[-48:])]
    for part in parts:
        part.local["crc"] = part.central["crc"] = 0
    path.write_bytes(rawzip(parts))
    with open_checkpoint(path) as checkpoint:
        assert checkpoint.bits("w").size == 12
