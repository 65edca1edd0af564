"""Groups of traced models: those that the `.pt2` file of the same model has."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.groups.structure import Structure, Unknown, bind, structure_of
from pruneapp.groups.trace import use_trace
from tests.shrink.test_exported_programs import Joined, Tied, Twice
from tests.shrink.vision_models import MODELS, make
from tests.support.traces import exported, trace_model, trace_of_program


class VGG(nn.Module):
    """Flattens its channels in one of the usual ways."""

    def __init__(self, way: str) -> None:
        super().__init__()
        self.way = way
        self.one, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.two, self.hidden, self.out = nn.Conv2d(8, 6, 3), nn.Linear(6 * 9, 16), nn.Linear(16, 5)

    def forward(self, x):
        x = functional.max_pool2d(torch.relu_(self.norm(self.one(x))), 2)
        x = functional.adaptive_avg_pool2d(functional.relu(self.two(x), inplace=True), 3)
        if self.way == "flatten":
            x = x.flatten(1)
        elif self.way == "constant":
            x = x.view(-1, 54)
        else:
            x = x.view(x.size(0), -1) if self.way == "view" else x.reshape(x.shape[0], -1)
        return self.out(functional.dropout(functional.relu(self.hidden(x)), training=self.training))


class Functional(nn.Module):
    """A depthwise convolution whose number of groups is a constant of the code."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = nn.Conv2d(3, 8, 1), nn.Conv2d(8, 4, 1)
        self.weight = nn.Parameter(torch.randn(8, 1, 3, 3))

    def forward(self, x):
        return self.two(functional.conv2d(self.one(x), self.weight, groups=8))


class Shuffled(nn.Module):
    """Splits channels by a constant, as the shuffle of ShuffleNet does."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.three = (nn.Conv2d(n, m, 1) for n, m in ((3, 8), (8, 8), (8, 4)))

    def forward(self, x):
        y = self.one(x)
        y = y.view(y.size(0), 2, 4, *y.shape[2:]).transpose(1, 2).flatten(1, 2)
        return self.three(functional.relu(self.two(y)))


NETWORKS = {
    **{name: MODELS[name][0] for name in MODELS if name not in {"vit", "timm_vit", "decoder"}},
    **{way: lambda way=way: VGG(way) for way in ("flatten", "view", "reshape", "constant")},
    "joined": Joined,
    "tied": Tied,
    "twice": Twice,
    "shuffled": Shuffled,
}


X = torch.zeros(2, 3, 9, 9)


def traced(program, model, path):
    """Open the state dict of a model with its program."""
    torch.save(model.state_dict(), path)
    checkpoint = open_checkpoint(path)
    use_trace(checkpoint, trace_of_program(program, model))
    return checkpoint


def in_short(structure):
    """Return the counts and members of all groups, with the layout of the units."""
    groups = () if isinstance(structure, Unknown) else structure.axes["channels"].groups
    return [
        (
            group.count,
            {(m.name, m.dim, m.role, m.layout.units(group.count).tobytes()) for m in group.members},
        )
        for group in groups
    ]


@pytest.mark.parametrize("name", NETWORKS)
def test_groups_are_those_of_the_program_file(name, tmp_path):
    torch.manual_seed(0)
    model = NETWORKS[name]().float()
    program = exported(model, torch.zeros(MODELS[name][1]) if name in MODELS else X)
    torch.export.save(program, tmp_path / "m.pt2")
    with (
        traced(program, model, tmp_path / "m.pt") as checkpoint,
        open_checkpoint(tmp_path / "m.pt2") as file,
    ):
        known = in_short(bind(file))
        found = structure_of(checkpoint)
        if isinstance(found, Structure) and not found.blocks:
            assert in_short(found) == known
            assert found.graph.whole_layers == bind(file).graph.whole_layers
        else:
            assert sum(count for count, _ in known) <= sum(
                group.count for axis in found.axes.values() for group in axis.groups
            )


@pytest.mark.parametrize("way", ["flatten", "view", "reshape"])
def test_channels_are_followed_through_usual_ways_to_flatten(way, tmp_path):
    model = VGG(way)
    with traced(exported(model, X), model, tmp_path / "m.pt") as checkpoint:
        counts = [group.count for group in structure_of(checkpoint).axes["channels"].groups]
        assert counts == [8, 6, 16]
        (group,) = [g for g in structure_of(checkpoint).axes["channels"].groups if g.count == 6]
        (reader,) = [m for m in group.members if m.name == "hidden.weight"]
        units = reader.layout.units(6)
        assert np.array_equal(units, np.repeat(np.arange(6), 9))


def test_constants_in_the_code_keep_their_channels(tmp_path):
    for model, counts, reason in (
        (VGG("constant"), [8, 16], "'view' needs all of its channels"),
        (Functional(), [], "'conv2d' needs all of its channels"),
        (Shuffled(), [8], "a reshape needs all of its channels"),
    ):
        with traced(exported(model, X), model, tmp_path / "m.pt") as checkpoint:
            found = structure_of(checkpoint)
            if counts:
                assert [g.count for g in found.axes["channels"].groups] == counts
                assert reason in [why for _, why in found.graph.whole_layers.values()]
            else:
                assert isinstance(found, Unknown)


def test_a_trace_is_used_where_it_shows_more(tmp_path):
    model = make("basic").float()
    torch.save(model.state_dict(), tmp_path / "m.pt")
    with open_checkpoint(tmp_path / "m.pt") as checkpoint:
        before = structure_of(checkpoint)
        assert before.blocks
        use_trace(checkpoint, trace_model(model, X))
        after = structure_of(checkpoint)
        assert after.is_traced
        assert not after.blocks
        assert after.file_graph is None
        assert len(after.axes["channels"].groups) > len(before.axes["channels"].groups)
        assert structure_of(checkpoint) is after
    model = make("vit").float()
    torch.save(model.state_dict(), tmp_path / "vit.pt")
    with open_checkpoint(tmp_path / "vit.pt") as checkpoint:
        use_trace(checkpoint, trace_model(model, torch.zeros(MODELS["vit"][1])))
        assert structure_of(checkpoint).blocks, "attention hides more channels than the blocks do"
