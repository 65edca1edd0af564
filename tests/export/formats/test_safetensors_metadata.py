"""Safetensors exports have a format entry, which transformers before version 5 requires."""

from __future__ import annotations

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint


def is_accepted(metadata: dict[str, str] | None) -> bool:
    """Return whether transformers 4.57 loads a file with this metadata (`load_state_dict`)."""
    return metadata is None or metadata.get("format") in {"pt", "tf", "flax", "mlx"}


@pytest.mark.parametrize("form", ["safetensors", "resumable", "torch"])
@pytest.mark.parametrize(
    "metadata", [None, {"note": "x"}, {"format": "pt"}, {"format": "mlx", "note": "x"}]
)
def test_an_export_has_the_format_of_its_source_or_pt(metadata, form, tmp_path):
    source, target = tmp_path / "in.safetensors", tmp_path / "out.safetensors"
    save_file({"fc.weight": torch.arange(64.0).reshape(8, 8)}, source, metadata)
    if form == "torch":  # a source without safetensors metadata
        source = tmp_path / "in.pt"
        torch.save({"fc.weight": torch.arange(64.0).reshape(8, 8)}, source)
        form, metadata = "safetensors", None
    command = ["prune", source, "-o", target, "--format", form]
    assert main([*map(str, command), "--method", "l1_unstructured", "--amount", "50%"]) == 0

    with safe_open(target, "pt") as file:
        written = file.metadata()
    assert is_accepted(written)
    expected = {"format": "pt", **(metadata or {})}
    assert {key: written[key] for key in expected} == expected


def test_every_shard_and_an_export_of_an_export_have_a_format(tmp_path):
    folder, target = tmp_path / "m", tmp_path / "out"
    folder.mkdir()
    for number in (1, 2):
        tensors = {f"{number}.weight": torch.arange(64.0).reshape(8, 8)}
        save_file(tensors, folder / f"model-{number:05}-of-00002.safetensors")
    source = folder
    for again in (target, tmp_path / "again"):
        command = ["prune", source, "-o", again, "--method", "l1_unstructured", "--amount", "50%"]
        assert main(list(map(str, command))) == 0
        source = again
        with open_checkpoint(again) as checkpoint:
            assert len(checkpoint.contents.shards) == 2
            assert all(shard.metadata["format"] == "pt" for shard in checkpoint.contents.shards)
