"""Parameters and buffers have one definition, wherever they are counted."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import save_file

from pruneapp.__main__ import main
from pruneapp.analysis.statistics import sparsity
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.checkpoint.entry import size_of
from pruneapp.document.selection import select

PARAMETERS = {
    "conv.weight": torch.ones(4, 3, 3, 3),
    "bn.weight": torch.ones(4),
    "bn.bias": torch.ones(4),
    "h.0.attn.c_attn.weight": torch.ones(4, 12),
    "h.0.attn.c_attn.bias": torch.ones(12),
    "relative_position_bias_table": torch.ones(9, 2),
    "scale": torch.ones(()),
}
BUFFERS = {
    "bn.running_mean": torch.ones(4),
    "bn.running_var": torch.ones(4),
    "bn.num_batches_tracked": torch.tensor(7),
    "h.0.attn.bias": torch.ones(1, 1, 8, 8).tril(),
    "h.0.attn.masked_bias": torch.tensor(-1e4),
    "embeddings.position_ids": torch.arange(8).view(1, 8),
    "rotary_emb.inv_freq": torch.ones(2),
    "relative_position_index": torch.zeros(4, 4, dtype=torch.int64),
    "causal": torch.ones(8, 8, dtype=torch.bool),
}
LEARNED = sum(t.numel() for t in PARAMETERS.values())
BESIDE = sum(t.numel() for t in BUFFERS.values())


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({**BUFFERS, **PARAMETERS}, path)
    return path


@pytest.fixture
def run(capsys):
    """Return a function that runs the command line and returns its output."""

    def run(*arguments):
        assert main(list(map(str, arguments))) == 0
        return capsys.readouterr().out

    return run


def test_one_function_tells_parameters_from_buffers(file):
    with open_checkpoint(file) as checkpoint:
        assert size_of(checkpoint.entries.values()) == (LEARNED, BESIDE)
        learned = {entry.name for entry in checkpoint.entries.values() if entry.learned}
        assert learned == set(PARAMETERS)
        assert not any(checkpoint.entries[name].by_default for name in BUFFERS)
        assert "h.0.attn.bias" not in select(checkpoint, ["*"])
        assert select(checkpoint, ["*.attn.bias"]) == ("h.0.attn.bias",)  # and no other


def test_the_command_line_agrees_with_itself(run, file, tmp_path):
    said = run("inspect", file)
    assert f"{LEARNED} parameters, {BESIDE} elements in buffers," in said
    told = json.loads(run("inspect", file, "--json"))
    assert (told["parameters"], told["buffers"]) == (LEARNED, BESIDE)
    assert sum(t["parameters"] for t in told["tensors"]) == LEARNED
    assert sum(t["elements"] for t in told["tensors"]) == LEARNED + BESIDE
    options = ("--method", "l1_unstructured", "--amount", "0.5", "--json")
    assert told["state_dicts"] == [
        {"key": "", "tensors": len(told["tensors"]), "elements": LEARNED + BESIDE}
    ]
    compared = {t["name"]: t for t in json.loads(run("diff", file, file, "--json"))["tensors"]}
    assert sum(t["parameters"] for t in compared.values()) == LEARNED
    assert sum(t["elements"] for t in compared.values()) == LEARNED + BESIDE
    report = json.loads(run("prune", file, "-o", tmp_path / "out.safetensors", *options))
    assert report["parameters"] == LEARNED


def test_the_window_agrees_with_it_and_a_click_on_a_module_checks_no_buffer(user, file):
    user.open_file(file)
    status = user.window.model_status.text
    assert f"{LEARNED} parameters + {BESIDE} in buffers" in status.text()
    assert f"{BESIDE} elements in buffers" in status.toolTip()
    assert status.text().endswith("·   float32"), "types of buffers are not counted"
    tree = user.views.tree
    assert tree.model.cells.parameters_below[0] == LEARNED
    assert sparsity(user.session.document.snapshot()).numel == LEARNED

    model = tree.model
    number = model.nodes.names.index("h.0.attn.bias")
    assert not model.checks.checked[number]
    assert not model.checks.click_targets(0)[number]
    leaf = int(model.nodes.leaf[number])
    why = "A buffer: not learned. To prune it, check its own check box."
    assert why in model.cells.tooltip(leaf)
    model.check([leaf], on=True)
    assert model.checks.checked[number]
