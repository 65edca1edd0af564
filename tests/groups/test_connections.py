"""What feeds a tensor and what it feeds, in files with a graph, known blocks and known families."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file as save_numpy
from safetensors.torch import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.errors import UnsupportedFileError
from pruneapp.groups.connections import Connections, Link, connections_of
from pruneapp.groups.family import family_of, model_types
from pruneapp.groups.operator_graph import read_operators
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.shrink.small_models import write_bert, write_mistral
from tests.shrink.vision_models import MODELS, make
from tests.support.onnx_models import Builder, save
from tests.support.onnx_networks import NETWORKS


def in_line(found: Connections) -> str:
    """Return the stages as a text, with the tensor in focus in brackets."""
    words = [" · ".join(link.label for link in stage) for stage in found.stages]
    words[found.focus : found.focus + 1] = [f"[{found.stages[found.focus][0].label}]"]
    return " > ".join(words)


@pytest.fixture
def connected(tmp_path):
    """Return a function that reads the connections of a tensor from a file or folder."""

    def read(path, name):
        with open_checkpoint(path) as checkpoint:
            return connections_of(checkpoint, name, Job())

    return read


@pytest.fixture
def network(tmp_path):
    return lambda name: save(NETWORKS[name](), tmp_path / f"{name}.onnx")


def test_layers_and_sums_of_an_onnx_model(connected, network):
    path = network("residual")
    assert in_line(connected(path, "c1.weight")) == "c0 > bn0 > [c1] > bn1 > c2"
    assert in_line(connected(path, "bn2.weight")) == "bn1 > c2 > [bn2] > + > down · c3"
    assert in_line(connected(path, "c0.weight")) == "x > [c0] > bn0 > c1 · +"
    found = connected(path, "down.weight")
    assert found.stages[found.focus] == (Link("down", "down.weight"),)
    assert found.stages[found.focus + 1] == (Link("bn3", "bn3.weight"),)
    assert found.stages[found.focus + 2] == (Link("+"),)


def test_a_value_times_a_function_of_itself_joins_nothing(connected, network):
    path = network("squeezed")
    assert in_line(connected(path, "expand.weight")) == "x > stem > [expand] > dw > fc1 · ×"
    assert in_line(connected(path, "fc2.weight")) == "dw > fc1 > [fc2] > × > project"


def test_layers_of_a_program_of_torch_export(connected, tmp_path):
    path = tmp_path / "m.pt2"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(
            torch.export.export(make("basic").float(), (torch.zeros(2, 3, 8, 8),)), path
        )
    with open_checkpoint(path) as checkpoint:
        name = next(n for n in checkpoint.entries if n.endswith("conv2.weight"))
        found = connections_of(checkpoint, name, Job())
    assert in_line(found).startswith("conv1 > bn1 > [conv2] > bn2 > +")


def test_known_blocks_of_a_file_without_a_graph(connected, resnet20):
    found = connected(resnet20, "module.layer3.2.conv2.weight")
    assert in_line(found) == "conv1 > bn1 > [conv2] > bn2 > +"
    assert found.stages[0] == (Link("conv1", "module.layer3.2.conv1.weight"),)
    assert in_line(connected(resnet20, "module.layer3.2.bn2.bias")) == "bn1 > conv2 > [bn2] > +"
    outside = connected(resnet20, "module.linear.weight")
    assert outside.why_not == "Not known: the file contains no graph."


@pytest.mark.parametrize("name", MODELS)
def test_the_paths_of_every_form_name_modules_of_its_blocks(name, connected, tmp_path):
    tensors = make(name).state_dict()
    path = tmp_path / "net.safetensors"
    save_file({name: tensor.clone() for name, tensor in tensors.items()}, path)
    with open_checkpoint(path) as checkpoint:
        found = [
            in_line(c)
            for n in checkpoint.entries
            if (c := connections_of(checkpoint, n, Job())).stages
        ]
    assert found


def test_groups_of_a_family(connected, tmp_path):
    write_mistral(tmp_path)
    layer = "model.layers.1."
    down = connected(tmp_path, f"{layer}mlp.down_proj.weight")
    assert in_line(down) == "gate_proj · up_proj > [down_proj] > +"
    values = connected(tmp_path, f"{layer}self_attn.v_proj.weight")
    assert in_line(values) == "[v_proj] > o_proj > +"


def test_the_layers_of_an_encoder_are_connected_with_each_other(connected, tmp_path):
    tensors = write_bert(tmp_path)
    tensors["embeddings.LayerNorm.weight"] = tensors["encoder.layer.0.output.LayerNorm.weight"]
    tensors["pooler.dense.weight"] = tensors["encoder.layer.0.attention.output.dense.weight"]
    for name in ("word", "position"):
        rows = np.ones((50, len(tensors["embeddings.LayerNorm.weight"])), np.float32)
        tensors[f"embeddings.{name}_embeddings.weight"] = rows
    tensors["other.weight"] = np.ones((3, 5), np.float32)
    save_numpy(tensors, tmp_path / "model.safetensors")
    layer = "encoder.layer.0."
    first = connected(tmp_path, f"{layer}attention.output.dense.weight")
    assert in_line(first) == (
        "embeddings.LayerNorm > self.query · self.key · self.value > [dense] > LayerNorm > "
        "intermediate.dense · output.LayerNorm"
    )
    second = connected(tmp_path, f"{layer}output.dense.weight")
    assert in_line(second).startswith(
        "attention.output.LayerNorm > intermediate.dense > [dense] > LayerNorm > "
        "1.attention.self.query · 1.attention.self.key"
    )
    norm = connected(tmp_path, f"{layer}attention.output.LayerNorm.weight")
    assert "dense · embeddings.LayerNorm > [LayerNorm]" in in_line(norm)
    embeddings = connected(tmp_path, "embeddings.LayerNorm.weight")
    assert in_line(embeddings).startswith(
        "position_embeddings · word_embeddings > [LayerNorm] > encoder.layer.0.attention.self.query"
    )
    words = connected(tmp_path, "embeddings.word_embeddings.weight")
    assert in_line(words).startswith("[word_embeddings] > LayerNorm > encoder.layer.0.")
    other = connected(tmp_path, "other.weight")
    assert other.why_not == "Not known: the file contains no graph."
    assert other.needs_graph
    pooler = connected(tmp_path, "pooler.dense.weight")
    assert in_line(pooler).endswith(".output.LayerNorm > [dense]")


@pytest.mark.parametrize("model_type", model_types())
def test_the_attention_of_every_family_names_its_modules(model_type):
    family = family_of(model_type)
    assert bool(family.attention) == ("kv-groups" in family.refused)
    modules = {module for path in family.attention for module in path.split() if module != ">"}
    assert len(family.stream) in {0, 4}
    modules.update(*map(str.split, family.stream[1:3]))
    assert {f"{module}.{{wb}}" for module in modules} <= set(family.known)


def test_a_model_without_known_structure_has_the_reason(connected, tmp_path):
    save_file({"weight": torch.ones(4, 4)}, tmp_path / "m.safetensors")
    found = connected(tmp_path / "m.safetensors", "weight")
    assert found == Connections(why_not="Not known: the file contains no graph.")


def test_a_tensor_that_no_operator_reads(connected, tmp_path):
    b = Builder()
    b.weight("unused", 2, 2)
    path = save(b.model([b.linear("fc", "x", 2, 3)], ["N", 3]), tmp_path / "m.onnx")
    assert connected(path, "unused").why_not == "No layer of the graph reads this tensor."


def test_reading_operators_can_be_cancelled(network, tmp_path):
    with open_checkpoint(network("residual")) as checkpoint:
        token = CancelToken()
        token.cancel()
        with pytest.raises(Cancelled):
            read_operators(checkpoint, Job(cancel=token))
    write_mistral(tmp_path)
    with open_checkpoint(tmp_path) as checkpoint, pytest.raises(UnsupportedFileError):
        read_operators(checkpoint, Job())
