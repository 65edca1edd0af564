"""Files compressed with zstd: the message, and that its advice works."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest
import zstandard
from safetensors.numpy import load_file, save

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.errors import UnsupportedFileError

DENSE = save({"a.weight": np.random.default_rng(0).normal(size=(20, 30))})


def advised_command(message):
    """Return the arguments of the command in a message."""
    return shlex.split(re.search("`(pruneapp expand .*?)`", message).group(1))[1:]


@pytest.mark.parametrize("name", ["my model.safetensors.zst", "model.ZST", "no-suffix"])
def test_the_advised_command_writes_a_file_that_opens(tmp_path, call, refused, name):
    path = tmp_path / name
    path.write_bytes(zstandard.compress(DENSE))
    out = tmp_path / "pruned.safetensors"
    options = ("--method", "l1_unstructured", "--amount", "0.5", "-o", str(out))
    output = refused("prune", path, *options)
    assert str(path) in output
    assert "compressed with zstd" in output
    command = advised_command(output)
    assert call(*command)[0] == 0
    assert path.read_bytes() == zstandard.compress(DENSE)
    assert call("prune", command[-1], *options)[0] == 0
    assert int((load_file(out)["a.weight"] == 0).sum()) == 300


def test_the_advised_command_does_not_replace_the_original(tmp_path):
    """The original is next to its compressed file."""
    original, path = tmp_path / "m.safetensors", tmp_path / "m.safetensors.zst"
    original.write_bytes(DENSE)
    path.write_bytes(zstandard.compress(DENSE))
    with pytest.raises(UnsupportedFileError) as refusal:
        open_checkpoint(path)
    assert advised_command(str(refusal.value))[-1] == str(tmp_path / "m-unpacked.safetensors")


def test_a_zstd_file_without_its_size_is_left_to_other_programs(tmp_path, refused):
    path = tmp_path / "m.safetensors.zst"
    packer = zstandard.ZstdCompressor().compressobj()
    path.write_bytes(packer.compress(DENSE) + packer.flush())
    output = refused("expand", path, "-o", str(tmp_path / "m.safetensors"))
    assert "zstd -d" in output
    assert not (tmp_path / "m.safetensors").exists()


@pytest.mark.parametrize("length", [4, 5, 40])
def test_truncated_zstd_files_are_reported_as_damaged(tmp_path, refused, length):
    path = tmp_path / "m.safetensors.zst"
    path.write_bytes(zstandard.compress(DENSE)[:length])
    output = refused("expand", path, "-o", str(tmp_path / "m.safetensors"))
    assert "is damaged" in output
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_impossible_outputs_are_refused_with_advice(tmp_path, refused):
    """The message does not suggest an option that does not exist."""
    path = tmp_path / "m.safetensors.zst"
    path.write_bytes(zstandard.compress(DENSE))
    (tmp_path / "link").symlink_to(tmp_path / "else")
    (tmp_path / "else").write_text("mine")
    for name, word in (
        ("link", f"Specify '{tmp_path / 'else'}' itself"),
        ("x" * 300, "shorter name"),
    ):
        output = refused("expand", path, "-o", str(tmp_path / name))
        assert word in output
        assert "--follow-links" not in output
    assert (tmp_path / "else").read_text() == "mine"
