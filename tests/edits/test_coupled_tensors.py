"""Related tensors: the same role in every block, and norms and biases of channels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.selection import tensors_of_role
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.coupled_tensors import Companions, complete_channels, with_companions
from pruneapp.edits.manual_edit import ManualEdit, ManualEditRequest
from pruneapp.errors import SelectionError, UnknownTensorError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.support.document_edits import redo, undo
from tests.support.memory_checkpoint import MemoryCheckpoint


def named(*names: str, **shapes: tuple[int, ...]) -> MemoryCheckpoint:
    arrays = {n: np.ones(shapes.get(n.replace(".", "_"), (4, 4)), np.float32) for n in names}
    return MemoryCheckpoint(arrays)


def test_the_same_role_in_every_block_in_file_order():
    model = named(
        "model.layers.0.mlp.up_proj.weight",
        "model.layers.0.mlp.down_proj.weight",
        "model.layers.10.mlp.up_proj.weight",
        "model.layers.2.mlp.up_proj.weight",
        "model.layers.3.mlp.up_proj.weight",
        "model.layers.4.mlp.up_proj.bias",
        "vision.layers.0.mlp.up_proj.weight",
        model_layers_3_mlp_up_proj_weight=(4, 5),
    )
    found = tensors_of_role(model, "model.layers.2.mlp.up_proj.weight", Job())
    assert found.names == tuple(f"model.layers.{i}.mlp.up_proj.weight" for i in (0, 10, 2))
    assert found.pattern == "model.layers.*.mlp.up_proj.weight"
    alone = tensors_of_role(model, "vision.layers.0.mlp.up_proj.weight", Job())
    assert alone.names == (alone.pattern,) == ("vision.layers.0.mlp.up_proj.weight",)
    with pytest.raises(UnknownTensorError):
        tensors_of_role(model, "nothing", Job())


def test_tied_names_have_the_roles_of_all_their_names():
    model = MemoryCheckpoint(
        {"shared": np.ones((2, 2)), "blocks.1.w": np.ones((2, 2))},
        shared={"aliases": ("blocks.0.w",)},
    )
    assert tensors_of_role(model, "blocks.0.w", Job()).names == ("shared", "blocks.1.w")
    assert tensors_of_role(model, "blocks.1.w", Job()).pattern == "blocks.*.w"


def saved(module: torch.nn.Module, folder: Path) -> Checkpoint:
    torch.save(module.state_dict(), folder / "model.pt")
    return open_checkpoint(folder / "model.pt")


class Block(torch.nn.Module):
    """Layers under any names, in this order."""

    def __init__(self, **layers: torch.nn.Module) -> None:
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)


def conv(before: int, after: int, *, bias: bool = False, groups: int = 1) -> torch.nn.Conv2d:
    return torch.nn.Conv2d(before, after, 3, bias=bias, groups=groups)


def norm(channels: int) -> torch.nn.BatchNorm2d:
    return torch.nn.BatchNorm2d(channels)


@pytest.mark.parametrize(
    ("module", "name", "expected"),
    [
        (Block(conv=conv(3, 4, bias=True)), "conv.weight", ["conv.bias"]),
        (torch.nn.Linear(3, 4), "weight", ["bias"]),
        (Block(fc=torch.nn.Linear(3, 4, bias=False)), "fc.weight", []),
        # torchvision and timm: bn1 after conv1
        (
            Block(conv1=conv(3, 4), bn1=norm(4), conv2=conv(4, 4), bn2=norm(4)),
            "conv2.weight",
            ["bn2.weight", "bn2.bias"],
        ),
        (
            Block(conv1=conv(4, 4, bias=True), bn1=norm(4)),
            "conv1.weight",
            ["conv1.bias", "bn1.weight", "bn1.bias"],
        ),
        # a norm of another length belongs to another layer
        (Block(conv1=conv(3, 4), bn1=norm(3)), "conv1.weight", []),
        # sequences
        (
            Block(features=torch.nn.Sequential(conv(3, 4), norm(4), torch.nn.ReLU(), conv(4, 5))),
            "features.0.weight",
            ["features.1.weight", "features.1.bias"],
        ),
        (Block(net=torch.nn.Sequential(conv(3, 4), torch.nn.PReLU(4))), "net.0.weight", []),
        (
            Block(downsample=torch.nn.Sequential(conv(3, 4), torch.nn.GroupNorm(2, 4))),
            "downsample.0.weight",
            ["downsample.1.weight", "downsample.1.bias"],
        ),
        # BasicConv2d, ConvNormAct
        (Block(conv=conv(3, 4), bn=norm(4)), "conv.weight", ["bn.weight", "bn.bias"]),
        (Block(conv=conv(3, 4), norm=norm(4)), "conv.weight", ["norm.weight", "norm.bias"]),
        # norms after the convolution, according to shapes
        (Block(conv1=conv(3, 4), norm1=norm(4)), "conv1.weight", ["norm1.weight", "norm1.bias"]),
        # and before: DenseNet, pre-activation, diffusers
        (
            Block(norm1=norm(3), conv1=conv(3, 4), norm2=norm(4), conv2=conv(4, 5)),
            "conv1.weight",
            ["norm2.weight", "norm2.bias"],
        ),
        (
            Block(norm1=norm(3), conv1=conv(3, 4), norm2=norm(4), conv2=conv(4, 5)),
            "conv2.weight",
            [],
        ),
        (
            Block(bn1=norm(3), conv1=conv(3, 4), bn2=norm(4), conv2=conv(4, 4)),
            "conv1.weight",
            ["bn2.weight", "bn2.bias"],
        ),
        # ambiguous by shapes and by name
        (Block(conv1=conv(4, 4), norm1=norm(4), norm2=norm(4)), "conv1.weight", []),
        # a grouped convolution is ambiguous as well; bn follows by convention
        (
            Block(conv1=conv(4, 4, groups=4), bn1=norm(4)),
            "conv1.weight",
            ["bn1.weight", "bn1.bias"],
        ),
        # timm's inverted residual and depthwise separable blocks
        (
            Block(
                conv_pw=conv(3, 8), bn1=norm(8), conv_dw=conv(8, 8, groups=8), bn2=norm(8),
                conv_pwl=conv(8, 4), bn3=norm(4),
            ),
            "conv_dw.weight",
            ["bn2.weight", "bn2.bias"],
        ),
        (
            Block(conv_dw=conv(8, 8, groups=8), bn1=norm(8), conv_pw=conv(8, 8), bn2=norm(8)),
            "conv_dw.weight",
            ["bn1.weight", "bn1.bias"],
        ),
        # its outputs are along dim 1
        (Block(up_transpose=torch.nn.ConvTranspose2d(4, 4, 3)), "up_transpose.weight", []),
        # no channels
        (Block(conv=conv(3, 4, bias=True), bn=norm(4)), "conv.bias", []),
    ],
)  # fmt: skip
def test_what_goes_with_a_channel(module, name, expected, tmp_path):
    with saved(module, tmp_path) as checkpoint:
        found = Companions(checkpoint).of(name)
        assert [each.name for each in found] == expected
        for each in found:
            assert each.why.endswith(".")
            assert ("beta" in each.why) == (each.part == "norm")
            assert (each.part == "bias") == (each.name == name.replace("weight", "bias"))


def test_one_block_tells_how_the_others_are_built(tmp_path):
    """All lengths in the second are equal; the first shows that norms come before."""
    blocks = torch.nn.ModuleList(
        Block(norm1=norm(a), conv1=conv(a, 8), norm2=norm(8), conv2=conv(8, 8)) for a in (4, 8)
    )
    with saved(blocks, tmp_path) as checkpoint:
        found = [each.name for each in Companions(checkpoint).of("1.conv1.weight")]
    assert found == ["1.norm2.weight", "1.norm2.bias"]


def test_a_channel_that_goes_with_its_companions_emits_nothing(tmp_path):
    """With torch's layers and nonzero running statistics; otherwise the output is a constant."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(conv(3, 4, bias=True), norm(4)).eval()
    net[1].running_mean += torch.rand(4)
    net[1].bias.data += 0.5
    picture = torch.rand(2, 3, 8, 8)
    with saved(net, tmp_path) as checkpoint:
        document = Document(checkpoint)
        gesture = ManualEditRequest(
            "prune", "0.weight", (((2, 3), (0, 3), (0, 3), (0, 3)),), "channel", 0
        )
        alone = ManualEdit.from_requests(gesture)
        document.commit(compute_manual_edit(document.snapshot(), alone, Job()))
        emitted = outputs(net, document, picture)[:, 2]
        assert emitted.std() < 1e-6
        assert emitted.abs().min() > 0.1
        undo(document)
        together = with_companions(checkpoint, alone)
        document.commit(compute_manual_edit(document.snapshot(), together, Job()))
        assert document.items[-1].label == "channel 2 of 0 pruned, with bias and norm"
        assert not outputs(net, document, picture)[:, 2].any()
        assert outputs(net, document, picture)[:, 1].std() > 0
        undo(document)
        assert not document.masks


def outputs(net, document: Document, picture: torch.Tensor) -> torch.Tensor:
    state = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    for name, mask in document.masks.items():
        if name not in state:
            continue
        state[name] *= torch.from_numpy(mask.bools().reshape(tuple(state[name].shape)))
    with torch.no_grad():
        return torch.func.functional_call(net, state, picture)


def test_only_channels_along_dim_0_have_companions(tmp_path):
    with saved(torch.nn.Sequential(conv(4, 4), norm(4)), tmp_path) as checkpoint:
        boxes = (((0, 4), (2, 3), (0, 3), (0, 3)),)
        for shape, dim in (("channel", 1), ("brush", -1)):
            edit = ManualEdit.from_requests(
                ManualEditRequest("prune", "0.weight", boxes, shape, dim)
            )
            assert with_companions(checkpoint, edit) is edit


def test_what_pruned_channels_left_behind_goes_in_one_step(tmp_path):
    """After a method without dependents; only for whole channels along dim 0."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(conv(3, 6, bias=True), norm(6), torch.nn.ReLU(), conv(6, 4))
    with saved(net, tmp_path) as checkpoint:
        document = Document(checkpoint)
        with pytest.raises(SelectionError, match="No pruned channel has anything left"):
            complete_channels(document.snapshot(), None, Job())
        rows = (Row(("0.weight", "3.weight"), "ln_structured", {"amount": 0.5, "n": 2, "dim": 0}),)
        document.commit(compute_preview(document.snapshot(), Step(rows), CpuKernel(), Job()))
        document.commit(
            compute_preview(
                document.snapshot(),
                Step((Row(("0.bias",), "l1_unstructured", {"amount": 2}),)),
                CpuKernel(),
                Job(),
            )
        )
        gone = ~document.masks["0.weight"].bools().reshape(6, -1).any(axis=1)
        bias_before = document.masks["0.bias"].bools()
        edit = complete_channels(document.snapshot(), None, Job())
        document.commit(compute_manual_edit(document.snapshot(), edit, Job()))
        assert document.items[-1].label == "Bias and norm of 3 pruned channels pruned"
        for name in ("1.weight", "1.bias"):
            np.testing.assert_array_equal(document.masks[name].bools(), ~gone)
        np.testing.assert_array_equal(document.masks["0.bias"].bools(), bias_before & ~gone)
        with pytest.raises(SelectionError, match="No pruned channel"):
            complete_channels(document.snapshot(), ["0.weight"], Job())
        undo(document)
        with pytest.raises(SelectionError, match="No pruned channel"):
            complete_channels(document.snapshot(), ["3.weight"], Job())
        picture = torch.rand(1, 3, 8, 8)
        net.eval()
        redo(document)
        assert not outputs(net[:2], document, picture)[:, torch.from_numpy(gone)].any()
        document.close()
