"""A target in bytes of the compact file: its formula is solved, and bounds what is written."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.cli.main import main
from pruneapp.cli.parser import parse
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError
from pruneapp.export.size_bounds import total_for
from pruneapp.masks.bitmask import BitMask, MaskLayers, MaskSet
from pruneapp.params import parse_bytes


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    generator = torch.Generator().manual_seed(1)
    tensors = {
        "a.weight": torch.randn(200, 300, generator=generator),
        "b.weight": torch.randn(100, 200, generator=generator).bfloat16(),
        "b.bias": torch.randn(1001, generator=generator),
        "n": torch.arange(50),
    }
    save_file(tensors, path)
    return path


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [
        ("40MB", 40_000_000),
        ("1.5 GB", 1_500_000_000),
        ("512KiB", 512 * 1024),
        ("2 MiB", 2 * 1024**2),
        ("100 bytes", 100),
        (" 7kb ", 7000),
        ("3B", 3),
        ("50%", None),
        ("1000", None),
        ("0.5", None),
        ("MB", None),
        ("-3MB", None),
        ("1e3B", None),
        ("", None),
    ],
)
def test_bytes_are_read_as_people_write_them(text, nbytes):
    assert parse_bytes(text) == nbytes


def held(state, kept: dict[str, int]) -> int:
    """The formula: a bit for each weight and the bytes of what is kept; else all bytes."""
    return sum(
        kept[e.name] * e.dtype.bits // 8 + math.ceil(e.numel / 8) if e.name in kept else e.nbytes
        for e in state.checkpoint.entries.values()
    )


@given(st.integers(15_000, 270_000))
def test_the_target_is_kept_to_the_weight(file, nbytes):
    with open_checkpoint(file) as checkpoint:
        state = Snapshot(checkpoint)
        names = ["a.weight"]
        whole = sum(entry.nbytes for entry in checkpoint.entries.values())
        if not held(state, {"a.weight": 0}) <= nbytes < whole:
            with pytest.raises(ParameterError, match=f"{nbytes:,}"):
                total_for(state, names, nbytes)
            return
        total = total_for(state, names, nbytes)
        assert held(state, {"a.weight": 60_000 - total}) <= nbytes
        assert total == 0 or held(state, {"a.weight": 60_000 - total + 1}) > nbytes


def test_types_of_several_widths_and_what_is_pruned_already_count(file):
    with open_checkpoint(file) as checkpoint:
        rng = np.random.default_rng(0)
        mask = BitMask.from_bools(rng.random(1001) < 0.1)
        state = Snapshot(checkpoint, MaskLayers(MaskSet({"b.bias": mask})))
        names = ["a.weight", "b.weight"]
        total = total_for(state, names, 100_000)
        others = mask.kept * 4 + 126 + 400
        masks = 7500 + 2500
        assert 80_000 - total == (100_000 - others - masks) // 4, "kept ones taken for the widest"


def test_the_file_that_is_written_is_smaller(file, tmp_path, capsys):
    out = tmp_path / "x.compact.safetensors"
    words = ["prune", str(file), "-o", str(out), "--method", "l1_unstructured", "--scope", "global"]
    for text, nbytes in (("200kB", 200_000), ("100kB", 100_000), ("40KiB", 40_960)):
        assert main(parse([*words, "--total", text])) == 0
        assert 0.5 * nbytes < out.stat().st_size <= nbytes
    capsys.readouterr()
    assert main(parse([*words, "--total", "1kB"])) == 2
    assert "cannot be reached" in capsys.readouterr().err
    assert main(parse([*words, "--total", "1GB"])) == 2
    assert "Ask for fewer" in capsys.readouterr().err
    words[words.index("l1_unstructured")] = "ln_structured"
    assert main(parse([*words, "--total", "100kB"])) == 2
    assert "whole channels" in capsys.readouterr().err
