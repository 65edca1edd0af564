"""The tiny models load again, and all of their tensors are random."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from safetensors.numpy import load_file

from tests.shrink.tiny_models import TINY_MODELS, make


@pytest.mark.parametrize("name", TINY_MODELS)
def test_a_tiny_model_loads_again(name: str, tiny_folder):
    import torch
    import transformers

    folder = tiny_folder(name)
    kind = getattr(transformers, TINY_MODELS[name].architecture)
    config = transformers.AutoConfig.from_pretrained(folder)
    _, found = kind.from_pretrained(
        folder, config=config, output_loading_info=True, dtype=torch.float32
    )
    assert not {what: names for what, names in found.items() if names}
    assert json.loads((folder / "config.json").read_text())["architectures"] == [kind.__name__]
    for tensor_name, tensor in load_file(folder / "model.safetensors").items():
        assert str(tensor.dtype) == "float32", tensor_name
        # Biases are not zero, norms are not one.
        assert tensor.size < 2 or tensor.std() > 0.01, tensor_name


def test_a_tiny_model_is_the_same_each_time(tiny_folder, tmp_path: Path):
    again = make("mixtral", tmp_path / "again")
    data = (again / "model.safetensors").read_bytes()
    assert data == (tiny_folder("mixtral") / "model.safetensors").read_bytes()


def test_fields_of_the_configuration_can_be_replaced(tmp_path: Path):
    folder = make("llama", tmp_path / "llama", num_hidden_layers=2)
    assert json.loads((folder / "config.json").read_text())["num_hidden_layers"] == 2
