"""Valid and faulty evaluation scripts, and a stub of torch that imports quickly."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest
import torch

from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.script import EvaluationScript
from pruneapp.evaluation.worker import Worker
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# A minimal torch for workers whose model has no tensors: only the process is tested.
STUB = """
import types

class Tensor: pass
class Module:
    training = False
    def modules(self): return [self]
    def parameters(self): return []
    def state_dict(self, keep_vars=False): return {}

def hook(*_): return types.SimpleNamespace(remove=lambda: None)

strided = None
__version__ = "stub"
nn = types.ModuleType("torch.nn")
nn.Module = Module
nn.modules = types.ModuleType("torch.nn.modules")
nn.modules.module = types.ModuleType("torch.nn.modules.module")
nn.modules.module.register_module_forward_pre_hook = hook
cuda = types.SimpleNamespace(is_available=lambda: False, OutOfMemoryError=MemoryError)
backends = types.SimpleNamespace()
dtype = OutOfMemoryError = MemoryError
no_grad = lambda: (lambda f: f)
manual_seed = lambda seed: None
import sys
for name in ("nn", "nn.modules", "nn.modules.module"):
    part = sys.modules[__name__]
    for word in name.split("."):
        part = getattr(part, word)
    sys.modules["torch." + name] = part
"""

# A small model whose variants and errors are selected by `mode`.
MODEL = '''
import os
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn

HERE = Path(__file__).parent

def mode():
    return (HERE / "mode").read_text()

class Fused(nn.Module):
    """Two weights of the file are one parameter here."""
    def __init__(self, tensors):
        super().__init__()
        parts = tensors["0.weight"], tensors["3.weight"][:, :16]
        self.both = nn.Parameter(torch.cat(parts))
        self.norm = nn.Parameter(tensors["1.weight"])
        self.rest = nn.Parameter(tensors["3.weight"][:, 16:].contiguous())
        self.head = nn.Parameter(tensors["4.weight"])

    def forward(self, x):
        return x @ self.both[:5].T

def load(path):
    with open(HERE / "loads", "a") as file:
        file.write(path + "\\n")
    tensors = load_file(path)
    if mode() == "fused":
        return Fused(tensors)
    first = nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU()
    model = nn.Sequential(*first, nn.Linear(32, 32), nn.Linear(32, 5))
    if mode() != "stranger":
        model.load_state_dict(tensors)
    if mode() == "half":
        model = model.to(torch.bfloat16)
    if mode() == "renamed":
        model = nn.Sequential(model)
    if mode() == "turned":
        for part in (model[0], model[4]):
            weight = nn.Parameter(part.weight.detach().t().contiguous())
            part.turned, part.weight = weight, None
            part.forward = lambda x, part=part: x @ part.turned + part.bias
            del part.weight
    if mode() != "training":
        model.eval()
    return model

def inputs(model):
    torch.manual_seed(7)
    return torch.randn(50, 16).to(next(model.parameters()).dtype)

def evaluate(model):
    if mode() == "raises":
        raise ValueError("no")
    if mode() == "changes":
        with torch.no_grad():
            (model[4].weight if isinstance(model, nn.Sequential) else model.both).add_(1)
    if mode() == "elsewhere":
        return 1.0
    noise = torch.rand(()) if mode() == "noisy" else 0
    with torch.no_grad():
        output = model(inputs(model)).double()
    return {"sum": float(output.sum() + noise), "top": (output.argmax(1) == 0).int().tolist()}
'''

AGREEMENT = (
    MODEL.partition("def evaluate")[0]
    + """
def calibrate(model):
    x = inputs(model)
    for part in x.split(20):
        model(part)
    if mode() == "other" and not model[4].weight.all():
        model(x)
"""
)


LOAD = """
import torch

def load(path):
    return torch.nn.Module()
"""


def write_script(folder: Path, body: str, *, load: str = LOAD) -> EvaluationScript:
    """Write a script and read it as the application does."""
    path = folder / "my_evaluation.py"
    path.write_text(textwrap.dedent(load) + textwrap.dedent(body))
    return EvaluationScript.read(path)


class StubbedWorker(Worker):
    """A worker with the stub of torch next to the script, which starts in 0.1 s."""

    def evaluate(self, job: Job | None = None, seed: int = 0):
        """Load and evaluate; return the values by name."""
        job = job or Job()
        if not self.runs:
            self.start(job)
            self.call("open", job, "loading", path="x", seed=seed)
        answer = self.call("evaluate", job, "evaluating", seed=seed, reference=False, agree=False)
        return {name: told["value"] for name, told in answer["metrics"].items()}


def pruned(state, share=0.5, names=("0.weight", "4.weight"), seed=0):
    """Return a state in which a fraction of some tensors is pruned."""
    draw = np.random.default_rng(seed)
    masks = {
        name: BitMask.from_bools(draw.random(state.entry(name).numel) >= share) for name in names
    }
    return state.with_masks({"masks": masks})


def outputs(state, dtype=torch.float32):
    """Compute the outputs of the model here."""
    nn = torch.nn
    first = nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU()
    model = nn.Sequential(*first, nn.Linear(32, 32), nn.Linear(32, 5))
    tensors = {}
    for name in state.checkpoint.entries:
        tensors[name] = state.checkpoint.read(name).clone()
        if state.replaces(name):
            values = torch.from_numpy(state.bits(name)).view(tensors[name].dtype)
            tensors[name] = values.reshape(tensors[name].shape)
        mask = state.export_mask(name)
        if mask is not None:
            kept = torch.from_numpy(mask.bools().copy()).reshape(tensors[name].shape)
            tensors[name][~kept] = 0
    model.load_state_dict(tensors)
    torch.manual_seed(7)
    with torch.no_grad():
        return model.eval().to(dtype)(torch.randn(50, 16).to(dtype)).double()


def expected(state, dtype=torch.float32):
    output = outputs(state, dtype)
    return float(output.sum()), tuple((output.argmax(1) == 0).double().tolist())


def values(measured):
    return measured.metrics["sum"].value, measured.metrics["top"].samples


def assert_repaired_alike(ours, theirs):
    """Assert that values and layer reports agree with those of another solver."""
    before, after = (done.repair.edit.after["values"] for done in (ours, theirs))
    assert before.keys() == after.keys() >= {"0.weight", "4.weight", "0.bias", "1.running_var"}
    for name, held in before.items():
        one, other = (v.packed.view(np.float32) for v in (held, after[name]))
        assert np.linalg.norm(one - other) < 0.01 * np.linalg.norm(one), name
    for one, other in zip(ours.repair.layers, theirs.repair.layers, strict=True):
        assert (one.name, one.left, one.bias) == (other.name, other.left, other.bias)
        assert other.rounded == pytest.approx(one.rounded, rel=1e-3)


def refused(call):
    with pytest.raises(EvaluationError) as caught:
        call()
    return str(caught.value)
