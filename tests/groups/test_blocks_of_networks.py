"""Recognized blocks, and similar structures that are not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.groups.blocks import forms
from pruneapp.groups.structure import Structure, Unknown, bind
from tests.shrink import vision_models
from tests.shrink.vision_models import MODELS, make

Tensors = Mapping[str, torch.Tensor]


def _bound(tensors: Tensors, folder: Path, suffix: str = ".safetensors") -> Structure | Unknown:
    path = folder / f"net{suffix}"
    if suffix == ".pt":
        torch.save(dict(tensors), path)
    else:
        save_file({name: tensor.clone() for name, tensor in tensors.items()}, path)
    with open_checkpoint(path) as checkpoint:
        return bind(checkpoint)


def _basic() -> dict[str, torch.Tensor]:
    return dict(make("basic").state_dict())


def test_every_form_is_in_a_network_of_the_tests(tmp_path: Path) -> None:
    labels = set()
    for name in MODELS:
        structure = _bound(make(name).state_dict(), tmp_path)
        assert isinstance(structure, Structure)
        labels |= {id(block.form) for block in structure.blocks}
    assert labels == {id(form) for form in forms().values()}


def test_members_of_a_block(tmp_path: Path) -> None:
    structure = _bound(make("efficientnet").state_dict(), tmp_path)

    assert isinstance(structure, Structure)
    (axis,) = structure.axes.values()
    assert axis.name == "channels"
    assert not axis.uniform
    group = axis.groups[1]
    assert (group.place, group.count) == ("2", 64)
    roles = {m.name.removeprefix("2.block."): (m.dim, m.role) for m in group.members}
    assert roles == {
        "0.0.weight": (0, "along"),
        "0.1.weight": (0, "along"),
        "0.1.bias": (0, "along"),
        "0.1.running_mean": (0, "along"),
        "0.1.running_var": (0, "along"),
        "1.0.weight": (0, "along"),
        "1.1.weight": (0, "factor"),
        "1.1.bias": (0, "factor"),
        "1.1.running_mean": (0, "along"),
        "1.1.running_var": (0, "along"),
        "2.fc1.weight": (1, "output"),
        "2.fc2.weight": (0, "along"),
        "2.fc2.bias": (0, "along"),
        "3.0.weight": (1, "output"),
    }


def test_bottleneck_has_two_groups(tmp_path: Path) -> None:
    structure = _bound(make("bottleneck").state_dict(), tmp_path)

    assert isinstance(structure, Structure)
    places = [(g.place, g.count) for g in structure.axes["channels"].groups]
    assert places == [
        ("layer1.0.conv1", 64),
        ("layer1.0.conv2", 64),
        ("layer2.0.conv1", 128),
        ("layer2.0.conv2", 128),
    ]


def test_prefixes_of_wrappers_are_of_the_place(tmp_path: Path) -> None:
    structure = _bound({f"module.{n}": t for n, t in _basic().items()}, tmp_path, ".pt")

    assert isinstance(structure, Structure)
    assert [block.prefix for block in structure.blocks] == ["module.1.", "module.2."]


def _without(name: str) -> Tensors:
    tensors = _basic()
    del tensors[name]
    return tensors


def _with(**more: torch.Tensor) -> Tensors:
    return _basic() | {name.replace("__", "."): tensor for name, tensor in more.items()}


@pytest.mark.parametrize(
    ("tensors", "places"),
    [
        # A norm without running statistics mixes the channels of a group or layer.
        (_without("1.bn1.running_mean"), ["2"]),
        (_without("2.conv2.weight"), ["1"]),
        # An unknown module in a block makes it another kind of block.
        (_with(**{"1__se__weight": torch.zeros(16)}), ["2"]),
        (_with(**{"1__downsample__0__weight": torch.zeros(16, 16, 1, 1)}), ["1", "2"]),
    ],
)
def test_other_names_are_no_block(tensors: Tensors, places: list[str], tmp_path: Path) -> None:
    structure = _bound(tensors, tmp_path)

    assert isinstance(structure, Structure)
    assert [g.place for g in structure.axes["channels"].groups] == places


@pytest.mark.parametrize(
    ("name", "shape", "said"),
    [
        ("2.conv2.weight", (16, 8, 3, 3), "has the shape 16 × 8 × 3 × 3, and"),  # two groups
        ("2.conv2.weight", (16, 1, 3, 3), "has the shape 16 × 1 × 3 × 3, and"),
        ("2.bn1.weight", (8,), "has the shape 8, and in such a block it would have 16."),
        ("2.bn1.running_var", (), "has the shape of a number, and"),
        ("2.conv1.weight", (16, 16), "has the shape 16 × 16, and"),
        ("2.conv1.weight", (16, 16, 3, 3, 3), "has the shape 16 × 16 × 3 × 3 × 3, and"),
        ("2.bn2.weight", (0,), "has the shape 0, and"),
        ("2.bn1.num_batches_tracked", (2,), "has the shape 2, and"),
    ],
)
def test_other_shapes_stop_all_blocks_of_the_form(
    name: str, shape: tuple[int, ...], said: str, tmp_path: Path
) -> None:
    bound = _bound(_basic() | {name: torch.zeros(shape)}, tmp_path)

    assert isinstance(bound, Unknown)
    assert f"No BasicBlock is removed: '{name}' {said}" in bound.why_not


def test_grouped_convolutions_are_no_bottleneck(tmp_path: Path) -> None:
    bound = _bound(nn.Sequential(vision_models.Bottleneck(64, 32, groups=8)).state_dict(), tmp_path)

    assert isinstance(bound, Unknown)
    assert "'0.conv2.weight' has the shape 32 × 4 × 3 × 3" in bound.why_not


@pytest.mark.parametrize("suffix", [".pt", ".safetensors"])
def test_preactivation_is_no_basic_block(suffix: str, tmp_path: Path) -> None:
    blocks = nn.Sequential(vision_models.PreActivation(16, 16), vision_models.PreActivation(16, 32))

    bound = _bound(blocks.state_dict(), tmp_path, suffix)

    assert isinstance(bound, Unknown)
    wanted = "'0.bn1.weight' comes before" if suffix == ".pt" else "'1.bn1.weight' has the shape 16"
    assert wanted in bound.why_not


def test_tied_tensors_stay(tmp_path: Path) -> None:
    tensors = _basic()
    tensors["2.conv1.weight"] = tensors["1.conv1.weight"]

    bound = _bound(tensors, tmp_path, ".pt")

    assert isinstance(bound, Unknown)
    assert "'1.conv1.weight' is tied to '2.conv1.weight'." in bound.why_not


def test_many_names_that_look_alike_take_no_time(tmp_path: Path) -> None:
    names = [f"{'a.' * n}conv1.weight" for n in range(400)]
    names += [f"{'a.' * n}linear1.weight" for n in range(400)]
    tensors = {name: torch.zeros(1) for name in names}

    assert isinstance(_bound(tensors, tmp_path), Unknown)


def test_network_of_other_names_is_unknown(tmp_path: Path) -> None:
    bound = _bound(nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 5)).state_dict(), tmp_path)

    assert isinstance(bound, Unknown)
    assert "contains no config.json" in bound.why_not
