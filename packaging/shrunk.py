"""Tour steps for shrunk exports: of known models, and of an unknown one."""

from __future__ import annotations

import json
import threading
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from driving import StepError, Tour, wait_until
from onnx import TensorProto, helper, numpy_helper
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from states import LONG, write
from steps import turn_to

from pruneapp.errors import PruneAppError
from pruneapp.gui.export.dialog import ExportDialog
from pruneapp.gui.export.report_dialog import ExportReportDialog
from pruneapp.gui.export.shrink_controller import ShrinkJob
from pruneapp.gui.export.shrink_page import ShrinkPage
from pruneapp.gui.plots.pages import Page

LAYERS, HEADS, GROUPS, HIDDEN, NEURONS, TOKENS = 12, 8, 4, 128, 512, 2000
HEAD = HIDDEN // HEADS
SURPLUS = 24  # rows after the last token
DEAD = 70  # neurons per layer
SHARE = 30  # of the channels, in percent
WIDTHS = (64, 128, 256)  # of the blocks of the ONNX model
_HEIGHT = 720


def see(walk: Tour) -> None:
    """Cut dead units out of a llama model, and others; show the report."""
    folder = walk.folder / "my-llama"
    write_llama(folder)
    page = open_page(walk, folder)
    dialog = page.window()
    dialog.resize(dialog.width(), _HEIGHT)  # large enough to show all of the page
    with walk.step("shrunk-dead", "neurons that are dead in every layer would be cut, exactly"):
        pass
    with walk.step(
        "shrunk", "more neurons, a layer and unused rows: what that changes, the sizes to come"
    ):
        box = page.rows.rows["ffn"].box
        walk.user.replace(box, "384")
        QTest.keyClick(box, Qt.Key.Key_Return)
        strip = page.rows.strip
        walk.user.click(strip, strip.cell(7).center())
        vocabulary = page.rows.vocabulary.box
        walk.user.choose(vocabulary, vocabulary.itemText(1))
        wait_until(page.order, "the sizes")
    with walk.step("shrunk-much", "more than a third: a warning; and the class is to be asked"):
        walk.user.replace(box, "200")
        QTest.keyClick(box, Qt.Key.Key_Return)
        walk.user.choose(page.check, page.check.itemText(2))
        wait_until(page.order, "the sizes")
    with walk.step("shrunk-report", "what was cut, and that this is not the original"):
        walk.user.choose(page.check, page.check.itemText(0))
        assert isinstance(dialog, ExportDialog)
        walk.user.click(dialog.go)
        report = walk.user.dialog(ExportReportDialog)
        assert isinstance(report, ExportReportDialog)
    walk.user.click(report.close_button)
    see_network(walk)


def see_network(walk: Tour) -> None:
    """Cut a third of the channels of an ONNX model, and show its graph."""
    file = walk.folder / "my-resnet.onnx"
    write_resnet(file)
    page = open_page(walk, file)
    page.window().resize(page.window().width(), _HEIGHT)
    with walk.step("shrunk-onnx", "a share of each group of channels, and what is left of each"):
        percent = page.rows.rows["channels"].percent
        walk.user.replace(percent, str(SHARE))
        QTest.keyClick(percent, Qt.Key.Key_Return)
        wait_until(page.order, "the sizes")
    walk.user.press("Escape")
    with walk.step("graph", "the operators, with the sparsity of their weights"):
        turn_to(walk, Page.GRAPH)
        walk.user.press("Ctrl+Return")
        canvas = walk.views.pages.graph.canvas
        wait_until(lambda: canvas.graph is not None, "the graph")


def see_states(walk: Tour) -> None:
    """Show the page for a name of 120 characters, an unknown model type, and an error."""
    write_llama(walk.folder / LONG)
    page = open_page(walk, walk.folder / LONG)
    with walk.step("shrunk-long-name", "a folder of 120 letters"):
        pass
    with walk.step("shrunk-there", "the folder is there already"):
        walk.user.replace(page.target.path, str(walk.folder / LONG))
    walk.user.replace(page.target.path, "out")
    with walk.step("shrunk-at-work", "a job of which nobody knows how long it takes", rests=False):
        released = threading.Event()
        with patch.object(ShrinkJob, "work", _waiting(released)):
            dialog = walk.user.dialog(ExportDialog)
            assert isinstance(dialog, ExportDialog)
            walk.user.click(dialog.go)
            wait_until(walk.window.job_status.isVisible, "the job to be shown")
            walk.save(f"{walk.number:02}-shrunk-running.png", "the same", rests=False)
            released.set()
            wait_until(lambda: not walk.bench.jobs.busy, "the job to end")
    write_llama(walk.folder / "odd", model_type="zorblax")
    open_page(walk, walk.folder / "odd")
    with walk.step("shrunk-unknown", "a model type that nobody knows: what to do instead"):
        pass
    walk.user.press("Escape")


def open_page(walk: Tour, folder: Path) -> ShrinkPage:
    """Open a folder and the page; wait until dead units are found."""
    user = walk.user
    walk.open(partial(user.drop, folder))
    user.settle()
    user.press("Ctrl+E")
    dialog = user.dialog(ExportDialog)
    assert isinstance(dialog, ExportDialog)
    user.click(dialog.tabs, dialog.tabs.tabRect(1).center())
    wait_until(lambda: dialog.page.forecast is not None, "what is dead")
    if dialog.page.target.path.text() == "":
        raise StepError("No folder is proposed.")
    return dialog.page


def _waiting(released: threading.Event) -> Any:
    def work(_self: object, job: Any) -> None:
        job.start(100, "starting Python")
        while not released.wait(0.01):
            job.step(0)
        raise PruneAppError(f"'{LONG}' no longer exists.", remedy="Try again.")

    return work


def write_llama(folder: Path, model_type: str = "llama") -> None:
    """Write a llama model of random weights with some neurons already pruned."""
    rng = np.random.default_rng(0)

    def weight(*shape: int) -> Any:
        return rng.normal(0, 0.05, shape).astype(np.float32)

    tensors = {"model.embed_tokens.weight": weight(TOKENS, HIDDEN)}
    for number in range(LAYERS):
        at = f"model.layers.{number}."
        attention = (("q", HEADS), ("k", GROUPS), ("v", GROUPS))
        tensors |= {
            at + f"self_attn.{n}_proj.weight": weight(k * HEAD, HIDDEN) for n, k in attention
        }
        tensors[at + "self_attn.o_proj.weight"] = weight(HIDDEN, HEADS * HEAD)
        for name in ("gate", "up"):
            tensors[at + f"mlp.{name}_proj.weight"] = weight(NEURONS, HIDDEN)
            tensors[at + f"mlp.{name}_proj.weight"][:DEAD] = 0
        tensors[at + "mlp.down_proj.weight"] = weight(HIDDEN, NEURONS)
        for name in ("input", "post_attention"):
            tensors[at + f"{name}_layernorm.weight"] = np.ones(HIDDEN, np.float32)
    tensors["model.norm.weight"] = np.ones(HIDDEN, np.float32)
    tensors["lm_head.weight"] = weight(TOKENS, HIDDEN)
    config = {
        "architectures": [f"{model_type.capitalize()}ForCausalLM"],
        "model_type": model_type,
        "hidden_act": "silu",
        "hidden_size": HIDDEN,
        "intermediate_size": NEURONS,
        "num_attention_heads": HEADS,
        "num_hidden_layers": LAYERS,
        "num_key_value_heads": GROUPS,
        "tie_word_embeddings": False,
        "vocab_size": TOKENS,
    }
    folder.mkdir()
    write(folder / "model.safetensors", tensors)
    (folder / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    vocabulary = {f"<{number}>": number for number in range(TOKENS - SURPLUS)}
    tokenizer: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": None,
    }
    tokenizer |= {"post_processor": None, "decoder": None, "truncation": None, "padding": None}
    tokenizer["model"] = {"type": "BPE", "vocab": vocabulary, "merges": []}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")


def write_resnet(file: Path) -> None:
    """Write an ONNX model of random weights: a stem, and two convolutions per residual block."""
    rng = np.random.default_rng(0)
    nodes: list[Any] = []
    tensors: list[Any] = []

    def conv(name: str, given: str, into: int, out: int, stride: int = 1) -> str:
        weight = rng.normal(0, 0.05, (out, into, 3, 3)).astype(np.float32)
        for leaf, values in (("weight", weight), ("bias", np.zeros(out, np.float32))):
            tensors.append(numpy_helper.from_array(values, f"{name}.{leaf}"))
        names = [given, f"{name}.weight", f"{name}.bias"]
        more: dict[str, Any] = {"pads": [1] * 4, "strides": [stride] * 2}
        nodes.append(helper.make_node("Conv", names, [name], **more))
        return name

    def relu(given: str) -> str:
        nodes.append(helper.make_node("Relu", [given], [f"{given}.relu"]))
        return f"{given}.relu"

    here, width = relu(conv("stem", "image", 3, WIDTHS[0], 2)), WIDTHS[0]
    for number, wider in enumerate(WIDTHS, 1):
        at = f"layer{number}"
        here = relu(conv(f"{at}.down", here, width, wider, 2))
        inside = relu(conv(f"{at}.conv1", here, wider, wider))
        both = [conv(f"{at}.conv2", inside, wider, wider), here]
        nodes.append(helper.make_node("Add", both, [f"{at}.sum"]))
        here, width = relu(f"{at}.sum"), wider
    nodes.append(helper.make_node("GlobalAveragePool", [here], ["pooled"]))
    nodes.append(helper.make_node("Flatten", ["pooled"], ["flat"]))
    head = rng.normal(0, 0.05, (10, width)).astype(np.float32)
    tensors.append(numpy_helper.from_array(head, "head.weight"))
    nodes.append(helper.make_node("Gemm", ["flat", "head.weight"], ["classes"], transB=1))
    info = helper.make_tensor_value_info
    inputs = [info("image", TensorProto.FLOAT, ["N", 3, 64, 64])]
    outputs = [info("classes", TensorProto.FLOAT, ["N", 10])]
    graph = helper.make_graph(nodes, "resnet", inputs, outputs, tensors)
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    file.write_bytes(model.SerializeToString())
