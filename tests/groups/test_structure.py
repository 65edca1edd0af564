"""The structure of a model, and reasons why there is none."""

import json
import os

import numpy as np
import pytest

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.groups.structure import Structure, Unknown, bind, structure_of
from tests.shrink.small_models import (
    HEAD,
    HIDDEN,
    KV_GROUPS,
    LAYERS,
    NEURONS,
    TOKENS,
    write,
    write_bert,
    write_mistral,
)


def bound(folder):
    with open_checkpoint(folder) as checkpoint:
        return bind(checkpoint)


def changed(folder, more=None, without=(), **fields):
    """Write a mistral with changed tensors and fields; return its structure."""
    tensors = write_mistral(folder, **fields)
    tensors |= more or {}
    config = json.loads((folder / "config.json").read_text())
    write(folder, {n: t for n, t in tensors.items() if n not in without}, config)
    return bound(folder)


def test_groups_are_found_by_configuration_and_shapes(tmp_path):
    write_mistral(tmp_path)
    found = bound(tmp_path)
    assert isinstance(found, Structure)
    assert {name: axis.count for name, axis in found.axes.items()} == {
        "ffn": NEURONS,
        "kv-groups": KV_GROUPS,
        "query-heads": 4,
        "layers": LAYERS,
        "vocabulary": TOKENS,
    }
    assert all(not axis.why_not for axis in found.axes.values())
    group = found.axes["kv-groups"].groups[1]
    assert (group.place, group.layer) == ("model.layers.1.self_attn", 1)
    by_name = {member.name.split(".")[-2]: member for member in group.members}
    assert group.entries(by_name["q_proj"], [1]).tolist() == list(range(2 * HEAD, 4 * HEAD))
    assert group.entries(by_name["k_proj"], [1]).tolist() == [HEAD, HEAD + 1]
    assert group.left(by_name["o_proj"], [1]).tolist() == list(range(2 * HEAD, 4 * HEAD))
    assert [by_name[n].role for n in ("q_proj", "k_proj", "v_proj", "o_proj")] == [
        "along",
        "along",
        "factor",
        "output",
    ]


def test_what_is_found_is_found_once(tmp_path):
    write_mistral(tmp_path)
    with open_checkpoint(tmp_path) as checkpoint:
        assert structure_of(checkpoint) is structure_of(checkpoint)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (None, r"contains no config\.json"),
        ({"model_type": "nobody"}, "is of type 'nobody', and it is not known which"),
        ({}, "names no model type"),
        ({"model_type": ["llama"]}, "is of type"),
        (
            {"model_type": "llama", "auto_map": {"AutoModel": "x.Y"}},
            "refers to the model's own code",
        ),
        ([], "must be an object|config.json"),
        ("{", "config.json"),
    ],
)
def test_a_model_that_nobody_knows_is_refused_with_a_sentence(tmp_path, config, sentence):
    write_mistral(tmp_path)
    path = tmp_path / "config.json"
    path.unlink()
    if config is not None:
        path.write_text(config if isinstance(config, str) else json.dumps(config))
    found = bound(tmp_path)
    assert isinstance(found, Unknown)
    assert found.why_not.endswith(".") or found.why_not.endswith("…")
    import re

    assert re.search(sentence, found.why_not)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have names on Unix only")
def test_a_configuration_is_a_regular_file(tmp_path):
    write_mistral(tmp_path)
    path = tmp_path / "config.json"
    path.unlink()
    os.mkfifo(path)
    found = bound(tmp_path)
    assert isinstance(found, Unknown)
    assert "is not a regular file" in found.why_not


def test_a_tensor_of_the_size_that_is_no_member_stops_the_group(tmp_path):
    lora = {"model.layers.1.mlp.up_proj.lora_B.weight": np.ones((NEURONS, 2), np.float32)}
    found = changed(tmp_path, lora)
    why = found.axes["ffn"].why_not
    assert why.startswith("'model.layers.1.mlp.up_proj.lora_B.weight' has a dimension of 12")
    assert not found.axes["kv-groups"].why_not, "another size"


def test_a_tensor_outside_of_the_layers_stops_it_too(tmp_path):
    found = changed(tmp_path, {"model.extra.weight": np.ones((3, NEURONS), np.float32)})
    assert "'model.extra.weight' has a dimension of 12" in found.axes["ffn"].why_not
    found = changed(tmp_path, {"value_head.weight": np.ones((TOKENS, 3), np.float32)})
    assert "'value_head.weight'" in found.axes["vocabulary"].why_not


def test_a_member_that_is_missing_or_of_another_size_stops_it(tmp_path):
    gone = "model.layers.2.mlp.up_proj.weight"
    assert changed(tmp_path, without={gone}).axes["ffn"].why_not == (
        "'mlp.up_proj.weight' is missing next to 'model.layers.2.mlp.gate_proj.weight'."
    )
    other = {gone: np.ones((NEURONS + 1, HIDDEN), np.float32)}
    why = changed(tmp_path, other).axes["ffn"].why_not
    assert why == (f"'{gone}' has 13 entries along dim 0; config.json requires 12.")


@pytest.mark.parametrize("value", [None, "many", 2.5, [], 0])
def test_a_configuration_without_the_number_stops_it(tmp_path, value):
    found = changed(tmp_path, intermediate_size=value)
    assert found.axes["ffn"].why_not


def test_layers_that_are_not_those_of_the_configuration_stop_it(tmp_path):
    found = changed(tmp_path, num_hidden_layers=LAYERS - 1)
    assert "layers beyond that number would not fit" in found.axes["layers"].why_not


def test_heads_of_a_class_that_computes_their_size_are_refused_in_its_words(tmp_path):
    write_bert(tmp_path)
    assert bound(tmp_path).axes["kv-groups"].why_not == (
        "Heads cannot be removed: bert computes the head size as hidden_size / "
        "num_attention_heads, so fewer heads would be read with a larger size."
    )


def test_a_class_that_wants_heads_to_divide_takes_only_such_numbers(tmp_path):
    write_mistral(tmp_path, model_type="llama", num_attention_heads=4)
    axis = bound(tmp_path).axes["query-heads"]
    assert [n for n in range(5) if axis.takes(n)] == [2, 4]
    assert axis.groups[0].sizes == (2, 4)


def test_the_model_inside_another_is_found(tmp_path):
    tensors = write_mistral(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    inner = {f"language_model.{name}": tensor for name, tensor in tensors.items()}
    vision = {
        f"vision_tower.vision_model.encoder.layers.{i}.mlp.fc1.weight": np.ones(
            (NEURONS, HIDDEN), np.float32
        )
        for i in range(2)
    }
    write(tmp_path, inner | vision, {"model_type": "llava", "text_config": config})
    found = bound(tmp_path)
    assert (found.model_type, found.inside) == ("mistral", ("text_config",))
    assert not found.axes["ffn"].why_not
    assert found.axes["ffn"].groups[0].place == "language_model.model.layers.0.mlp"
