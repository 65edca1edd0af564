"""Every method on 1, 2 or 4 workers writes the bytes and the report of one machine."""

from __future__ import annotations

import pytest

from pruneapp.cluster import steps
from pruneapp.document.step import Row, Step
from pruneapp.methods import registry
from pruneapp.methods.method import CoupledMethod
from pruneapp.params import STATISTICS
from tests.cluster.conftest import MATRICES
from tests.cluster.workers import compare, recipe_of_steps
from tests.support.onnx_models import save
from tests.support.onnx_networks import squeezed

METHODS = [name for name in registry.METHODS if not registry.get(name).takes_mask]


def rows_for(name: str, statistics: str) -> list[Row]:
    """Return the rule of a method with default parameters, on suitable tensors."""
    method = registry.get(name)
    values = {"amount": 0.5} if any(p.name == "amount" for p in method.params) else {}
    names: tuple[str, ...] = ("conv1.weight", "conv2.weight", "fc1.weight", "fc2.weight")
    if STATISTICS in method.params and not isinstance(method, CoupledMethod):
        values[STATISTICS.name] = statistics
        names = tuple(MATRICES)
    if method.takes_scale:
        names = ("conv1.weight", "conv2.weight")
    return [Row(names, name, values)]


def source_and_steps(name, network, llama, statistics, tmp_path):
    """Return a model for a method, and two steps of it, the second on the result of the first."""
    method = registry.get(name)
    source = network
    rows = rows_for(name, statistics)
    if isinstance(method, CoupledMethod):
        source = llama
        names = ("self_attn.o_proj.weight", "mlp.down_proj.weight")
        names = tuple(f"model.layers.{n}.{names[name != 'attention_heads']}" for n in (0, 2))
        if name == "channel_groups":
            source, names = save(squeezed(), tmp_path / "net.onnx"), ("dw.weight",)
        small = {"multiple": "1"} if name in {"channel_groups", "ffn_neurons"} else {}
        rows = [Row(names, name, {"amount": 0.5, **small})]
    made = [Step(tuple(rows), scope) for scope in method.scopes]
    return source, (made[-1], made[0])


# The methods take turns with 1, 2 and 4 workers.
@pytest.mark.parametrize(
    ("name", "cluster"),
    [(name, (1, 2, 4)[number % 3]) for number, name in enumerate(METHODS)],
    indirect=["cluster"],
)
def test_a_method(name, cluster, network, llama, statistics, tmp_path, monkeypatch):
    monkeypatch.setattr(steps, "UNIT_BYTES", 4096)
    monkeypatch.setattr(steps, "FEW", 100)
    source, made = source_and_steps(name, network, llama, statistics, tmp_path)
    compare(cluster, source, recipe_of_steps(*made), tmp_path)
