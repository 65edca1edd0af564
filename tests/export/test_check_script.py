"""The script that says whether a pruned model still works, run as a person runs it."""

import ast
import contextlib
import io
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
import torch

from pruneapp.checkpoint.reader import open_checkpoint
from pruneapp.export.check_script import check_script, write_check_script
from pruneapp.export.registry import FORMATS
from pruneapp.export.run import ExportRequest, export
from pruneapp.progress import Job
from tests.export.containers import as_snapshot, kept_masks, model

MODEL = """def make_model():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(4, 8, 3)
            self.fc = torch.nn.Linear(17, 10)

        def forward(self, x, y):
            return {"logits": torch.cat((self.conv(x).flatten(1).sum(1), self.fc(y).flatten()))}

    outer = torch.nn.Module()
    outer.net = Net()
    outer.forward = outer.net.forward
    torch.manual_seed(0)
    return outer, (torch.randn(2, 4, 5, 5), torch.randn(3, 17))
"""


def tensors() -> dict:
    """Finite biases, unlike those of the other tests: the outputs are compared."""
    found = {n: t for n, t in model(torch.float32).items() if n.endswith(".weight")}
    generator = torch.Generator().manual_seed(9)
    for name, size in (("net.conv.bias", 8), ("net.fc.bias", 10)):
        found[name] = torch.randn(size, generator=generator)
    return found


def run(text: str, folder: Path) -> str:
    """Run it in this process, where torch is imported already; returns what it printed."""
    (folder / "check.py").write_text(text)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        runpy.run_path(str(folder / "check.py"), run_name="__main__")
    return said.getvalue()


def difference() -> float:
    """Return the largest difference of the outputs, computed with plain torch."""
    space: dict = {"torch": torch}
    exec(MODEL, space)
    net, inputs = space["make_model"]()
    found = []
    for kept in ({}, kept_masks()):
        state = tensors()
        for name, mask in kept.items():
            state[name] = state[name] * torch.from_numpy(mask)
        net.load_state_dict(state)
        with torch.no_grad():
            found.append(net(*inputs)["logits"].double())
    return float((found[1] - found[0]).abs().max())


CASES = [("safetensors", form) for form in FORMATS] + [
    ("zip", "torch"),
    ("bare zip", "safetensors"),
    ("sharded", "safetensors"),
    ("sharded", "torch"),
    ("sharded", "resumable"),
]


@pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")
@pytest.mark.parametrize(("source", "form"), CASES, ids="-".join)
def test_it_says_how_far_the_outputs_are_apart(source_of, tmp_path, source, form):
    checkpoint = source_of(source, tensors())
    out = tmp_path / ("out" if source == "sharded" else f"out{FORMATS[form].suffixes[0]}")
    report = export(as_snapshot(checkpoint), ExportRequest(form, out), Job())
    text = check_script(checkpoint, report)
    if source == "zip":  # this one holds an object of argparse
        text = text.replace("weights_only=True", "weights_only=False")
    begin, end = text.index("def make_model"), text.index("def files_of")
    printed = run(text[:begin] + MODEL + "\n\n" + text[end:], tmp_path)

    assert "tensors" not in printed, "none is missing"
    said = re.search(r"Largest difference: (\S+)", printed)
    assert float(said[1]) == pytest.approx(difference(), rel=1e-4)
    assert difference() > 0.1


def tiny_models():
    import transformers as t

    small = {"num_hidden_layers": 1, "num_attention_heads": 2, "hidden_size": 16}
    ends = {"bos_token_id": 0, "eos_token_id": 1}  # transformers' own are not in so few
    return [
        t.BertModel(t.BertConfig(**small, intermediate_size=32, vocab_size=50)),
        t.ViTModel(t.ViTConfig(**small, intermediate_size=32, image_size=16, patch_size=8)),
        t.T5ForConditionalGeneration(
            t.T5Config(d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, vocab_size=50)
        ),
        t.GPT2LMHeadModel(t.GPT2Config(n_embd=16, n_layer=1, n_head=2, vocab_size=50, **ends)),
    ]


@pytest.mark.filterwarnings("ignore")  # of transformers about itself
def test_where_config_json_names_the_class_it_runs_as_it_is(tmp_path):
    for net in tiny_models():
        name = type(net).__name__
        net.save_pretrained(tmp_path / name)
        with open_checkpoint(tmp_path / name) as checkpoint:
            entries = [e for e in checkpoint.entries.values() if e.by_default]
            kept = {e.name: np.arange(e.numel).reshape(e.shape) % 2 == 0 for e in entries}
            request = ExportRequest("safetensors", tmp_path / f"{name}-out")
            report = export(as_snapshot(checkpoint, kept), request, Job())
            text = check_script(checkpoint, report)
        assert text.startswith('"""Does the pruned model still work?\n\nRun this file.')
        printed = run(text, tmp_path)
        assert "are not in the model" not in printed
        assert float(re.search(r"Largest difference: (\S+)", printed)[1]) > 0, name
        assert float(re.search(r"Cosine of both: (\S+)", printed)[1]) < 1


@pytest.mark.parametrize(
    "config",
    [
        "not JSON",
        "[]",
        '{"architectures": ["os; import os"]}',
        '{"architectures": ["import"]}',
        '{"architectures": []}',
        '{"architectures": ["A", "B"]}',
        '{"architectures": "BertModel"}',
        '{"architectures": ["Own"], "auto_map": {"AutoModel": "modeling.Own"}}',
    ],
)
def test_what_config_json_says_is_never_code(source_of, tmp_path, config):
    checkpoint = source_of("safetensors", tensors())
    checkpoint.path.with_name("config.json").write_text(config)
    report = export(as_snapshot(checkpoint), ExportRequest("safetensors", tmp_path / "o"), Job())
    with pytest.raises(SystemExit, match=r"Fill in make_model\(\)"):
        run(check_script(checkpoint, report), tmp_path)


def test_it_asks_for_the_model_first(source_of, tmp_path):
    checkpoint = source_of("safetensors", tensors())
    out = tmp_path / 'it\'s "o\\ut".safetensors'
    report = export(as_snapshot(checkpoint), ExportRequest("safetensors", out), Job())
    path = write_check_script(checkpoint, report, tmp_path / "check_out.py", Job())
    with pytest.raises(SystemExit, match=r"Fill in make_model\(\)"):
        run(path.read_text(), tmp_path)
    named = [n.value for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Constant)]
    assert str(out) in named, "whatever its name is"


def test_a_script_that_was_filled_in_is_not_lost(source_of, tmp_path):
    checkpoint = source_of("safetensors", tensors())
    report = export(as_snapshot(checkpoint), ExportRequest("safetensors", tmp_path / "o"), Job())
    path = tmp_path / "o.check.py"
    assert write_check_script(checkpoint, report, path, Job()) == path
    empty = path.read_text()
    assert write_check_script(checkpoint, report, path, Job()) == path, "the same again"
    path.write_text(empty + MODEL)
    (tmp_path / "o.check2.py").symlink_to(tmp_path / "nothing")

    written = write_check_script(checkpoint, report, path, Job())
    assert written == tmp_path / "o.check3.py"
    assert (path.read_text(), written.read_text()) == (empty + MODEL, empty)
    assert write_check_script(checkpoint, report, path, Job()) == written


@pytest.mark.parametrize("form", FORMATS.values(), ids=list(FORMATS))
def test_every_format_says_how_it_is_loaded(form):
    (function,) = ast.parse(form.load_code).body

    assert function.name == "load"
    assert [a.arg for a in function.args.args] == ["path"]
    assert max(map(len, form.load_code.splitlines())) <= 100
