"""Forecasts equal the written files to the byte; dead units are always cut."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.report import CHANGES, EXACT
from pruneapp.groups.structure import Unknown
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job
from pruneapp.shrink.forecast import cut_out, forecast
from pruneapp.shrink.shrink import ShrinkRequest
from pruneapp.shrink.surveyed_state import TRAILING, CutRequest, survey_state
from tests.shrink import small_models
from tests.shrink.small_models import write_bert
from tests.support.model_folders import (
    HEAD,
    HIDDEN,
    LAYERS,
    NEURONS,
    TOKENS,
    write_llama,
    zeroed_neurons,
)
from tests.support.tokenizer_files import bpe, tokenizer_json


def state_of(folder):
    return Snapshot(open_checkpoint(folder))


def surveyed(folder):
    return survey_state(state_of(folder), Job())


def axes_of(found):
    return {axis.name: axis for axis in found.axes}


def dead_everywhere(gone: int):
    return {k: v for n in range(LAYERS) for k, v in zeroed_neurons(gone, layer=n).items()}


@pytest.fixture
def llama(tmp_path):
    return write_llama(tmp_path / "model")


@pytest.fixture
def dead(tmp_path):
    """Write a model with 70 neurons of each layer pruned in two of three matrices."""
    return write_llama(tmp_path / "model", tensors=dead_everywhere(70))


def test_what_is_dead_is_exact_and_what_is_chosen_beside_it_is_not(dead):
    found = surveyed(dead)
    ffn = axes_of(forecast(found, CutRequest(), Job()))["ffn"]
    assert (ffn.before, ffn.after, ffn.exactness) == (NEURONS, 192, EXACT)
    assert ffn.sizes == (64, 128, 192)
    further = forecast(found, CutRequest({"ffn": 128}), Job())
    assert (axes_of(further)["ffn"].after, further.exactness) == (128, CHANGES)


@pytest.mark.parametrize(
    "request_",
    [
        CutRequest(),
        CutRequest({"ffn": 64}),
        CutRequest({"ffn": 72, "kv-groups": 1}, (1, 4), 8),
        CutRequest({"kv-groups": 1, "query-heads": 2}, multiple=8, write_as="mistral"),
        CutRequest(layers=(0,)),
    ],
    ids=["dead", "neurons", "everything", "heads", "layer"],
)
def test_a_forecast_is_what_is_written(dead, tmp_path, request_):
    found = surveyed(dead)
    expected = forecast(found, request_, Job())
    assert not expected.wrong
    out = tmp_path / "out"
    report = cut_out(found, expected, ShrinkRequest(out, {}), CpuKernel(), Job())
    assert report.nbytes_of_weights == expected.after.nbytes
    assert report.numel == expected.after.parameters
    written = json.loads((out / "config.json").read_text())
    tensors = load_file(out / "model.safetensors")
    first = "model.layers.0."
    assert written["intermediate_size"] == len(tensors[first + "mlp.gate_proj.weight"])
    assert written["num_attention_heads"] * HEAD == len(tensors[first + "self_attn.q_proj.weight"])
    assert written["num_key_value_heads"] * HEAD == len(tensors[first + "self_attn.k_proj.weight"])
    assert written["num_hidden_layers"] == LAYERS - len(request_.layers)
    assert written["model_type"] == (request_.write_as or "llama")


def test_the_units_that_weigh_least_go(llama, tmp_path):
    found = surveyed(llama)
    name = "model.layers.2.mlp.{}.weight"
    before = load_file(llama / "model.safetensors")
    gate, up, down = (before[name.format(p)] for p in ("gate_proj", "up_proj", "down_proj"))
    norms = (gate**2).sum(1) + (up**2).sum(1) + (down**2).sum(0)
    expected = forecast(found, CutRequest({"ffn": 64}), Job())
    cut_out(found, expected, ShrinkRequest(tmp_path / "out", {}), CpuKernel(), Job())
    after = load_file(tmp_path / "out" / "model.safetensors")[name.format("gate_proj")]
    kept = np.sort(np.argsort(norms)[-64:])
    assert np.array_equal(after, gate[kept])


def test_heads_that_the_class_does_not_take_are_not_offered_unless_written_as_another(tmp_path):
    folder = write_llama(tmp_path / "model", heads=8, groups=4)
    found = surveyed(folder)
    plain = forecast(found, CutRequest(), Job())
    assert plain.write_as == "mistral"
    assert axes_of(plain)["kv-groups"].sizes == (1, 2, 4)
    other = forecast(found, CutRequest(write_as="mistral"), Job())
    assert axes_of(other)["kv-groups"].sizes == (1, 2, 3, 4)
    for kept, cannot in (({"kv-groups": 3}, "cannot be 3 ("), ({"kv-groups": 2}, "")):
        assert cannot in forecast(found, CutRequest(kept), Job()).wrong
        assert not forecast(found, CutRequest(kept, write_as="mistral"), Job()).wrong
    back = forecast(found, CutRequest({"kv-groups": 3}, (1,)), Job())
    assert back.wrong.endswith("or write the model as 'mistral', which takes any number.")


def test_query_heads_are_counted_beside_the_groups_that_are_left(dead):
    both = CutRequest({"kv-groups": 1, "query-heads": 2}, multiple=8, write_as="mistral")
    found = forecast(surveyed(dead), both, Job())
    assert '+  "num_attention_heads": 1' in found.config
    assert '+  "num_key_value_heads": 1' in found.config
    out = dead.with_name("out")
    report = cut_out(surveyed(dead), found, ShrinkRequest(out, {}), CpuKernel(), Job())
    assert {"Key/value heads 2 → 1", "Query heads per key/value head 2 → 1"} <= set(report.cut)


def test_only_values_that_differ_are_said_to(llama):
    """Regression: a field that was no longer last was shown with its comma."""
    found = forecast(surveyed(llama), CutRequest({"kv-groups": 1}), Job())
    assert found.config == (
        '-  "num_attention_heads": 4',
        '-  "num_key_value_heads": 2',
        '+  "num_attention_heads": 2',
        '+  "num_key_value_heads": 1',
        f'+  "head_dim": {HEAD}',
    )


def test_units_with_protected_weights_stay(llama, tmp_path):
    state = state_of(llama)
    name = "model.layers.3.mlp.up_proj.weight"
    entry = state.entry(name)
    rows = np.zeros(entry.shape, np.bool_)
    rows[:130, 0] = True
    state = state.with_masks({"protected": {name: BitMask.from_bools(rows.reshape(-1))}})
    found = survey_state(state, Job())
    ffn = axes_of(forecast(found, CutRequest(), Job()))["ffn"]
    assert ffn.sizes == (192, 256)
    expected = forecast(found, CutRequest({"ffn": 192}), Job())
    cut_out(found, expected, ShrinkRequest(tmp_path / "out", {}), CpuKernel(), Job())
    before = load_file(llama / "model.safetensors")[name]
    after = load_file(tmp_path / "out" / "model.safetensors")[name]
    assert np.array_equal(after[:130], before[:130])


def test_a_layer_that_does_nothing_goes_and_is_exact(tmp_path):
    silent = {
        f"model.layers.2.{name}": np.zeros(shape, np.float32)
        for name, shape in (
            ("self_attn.o_proj.weight", (HIDDEN, HIDDEN)),
            ("mlp.down_proj.weight", (HIDDEN, NEURONS)),
        )
    }
    found = forecast(surveyed(write_llama(tmp_path / "model", tensors=silent)), CutRequest(), Job())
    assert (found.layers.dead, found.layers.gone) == ({2}, {2})
    layers = axes_of(found)["layers"]
    assert (layers.before, layers.after, layers.exactness) == (LAYERS, LAYERS - 1, EXACT)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_cut_is_rounded_as_forecast(llama, tmp_path, dtype):
    config = json.loads((llama / "config.json").read_text())
    (llama / "config.json").write_text(json.dumps({**config, "torch_dtype": "float32"}))
    request = CutRequest({"ffn": 128}, dtype=dtype)
    found = surveyed(llama)
    kept, expected = (forecast(found, one, Job()) for one in (CutRequest({"ffn": 128}), request))
    assert (expected.exactness, expected.rounds, kept.rounds) == (CHANGES, True, False)
    out = tmp_path / "out"
    report = cut_out(found, expected, ShrinkRequest(out, {}), CpuKernel(), Job(), how="run")
    assert expected.after.nbytes == (out / "model.safetensors").stat().st_size
    assert expected.after.parameters == kept.after.parameters
    assert expected.after.cache == kept.after.cache // 2
    assert report.dtype == dtype
    assert json.loads((out / "config.json").read_text())["torch_dtype"] == dtype
    cut_out(found, kept, ShrinkRequest(tmp_path / "kept", {}), CpuKernel(), Job())
    with open_checkpoint(out) as rounded, open_checkpoint(tmp_path / "kept") as full:
        for name in full.entries:
            assert torch.equal(rounded.read(name), full.read(name).to(getattr(torch, dtype)))


def test_a_dtype_alone_is_written(tmp_path):
    """Regression: a cut that removes nothing was refused, although a dtype reduces the file."""
    found = surveyed(write_llama(tmp_path / "model"))
    expected = forecast(found, CutRequest(dtype="bfloat16"), Job())
    assert (expected.is_empty, expected.changes, expected.exactness) == (False, (), EXACT)
    out = tmp_path / "out"
    cut_out(found, expected, ShrinkRequest(out, {}), CpuKernel(), Job(), how="run")
    assert expected.after.nbytes == (out / "model.safetensors").stat().st_size
    assert expected.after.nbytes < 0.6 * expected.before.nbytes
    again = forecast(surveyed(out), CutRequest(dtype="bfloat16"), Job())
    assert again.is_empty, "it has this dtype already"


def test_what_cannot_be_asked_for_is_said_and_the_rest_is_forecast(llama):
    every = CutRequest(layers=tuple(range(LAYERS)))
    found = forecast(surveyed(llama), every, Job())
    assert found.wrong.startswith("No layer of 'model.layers' would be left.")
    assert found.request == every
    assert found.before == found.after


def test_rows_behind_the_last_token_may_go_and_are_exact(llama, tmp_path):
    assert forecast(surveyed(llama), CutRequest(), Job()).surplus == 0, "nobody knows the tokens"
    vocabulary = {f"t{number}": number for number in range(40)}
    (llama / "tokenizer.json").write_bytes(tokenizer_json(bpe(vocabulary, [])))
    found = surveyed(llama)
    assert forecast(found, CutRequest(), Job()).surplus == TOKENS - 40
    expected = forecast(found, CutRequest(vocabulary=TRAILING), Job())
    assert expected.exactness == EXACT
    report = cut_out(found, expected, ShrinkRequest(tmp_path / "out", {}), CpuKernel(), Job())
    assert report.nbytes_of_weights == expected.after.nbytes
    assert len(load_file(tmp_path / "out" / "model.safetensors")["lm_head.weight"]) == 40


def test_nothing_is_known_of_another_type(tmp_path):
    folder = write_llama(tmp_path / "model", model_type="nobody_knows")
    found = survey_state(state_of(folder), Job())
    assert isinstance(found, Unknown)
    assert "nobody_knows" in found.why_not


def test_sizes_are_those_of_the_shapes(llama):
    size = forecast(surveyed(llama), CutRequest(), Job()).before
    neurons, heads, groups = NEURONS, 4 * HEAD, 2 * HEAD
    layer = 3 * neurons * HIDDEN + 2 * heads * HIDDEN + 2 * groups * HIDDEN
    assert size.multiply_adds == LAYERS * layer + TOKENS * HIDDEN
    assert size.embeddings == 2 * TOKENS * HIDDEN, "the head is not tied"
    assert size.cache == LAYERS * 2 * groups * 4
    assert size.nbytes == (llama / "model.safetensors").stat().st_size


def test_what_every_token_passes_outside_of_the_layers_counts(tmp_path):
    write_bert(tmp_path / "model", architectures=["BertForMaskedLM"])
    file = tmp_path / "model" / "model.safetensors"
    tensors = load_file(file)
    encoder = forecast(surveyed(tmp_path / "model"), CutRequest(), Job()).before.multiply_adds
    square = np.ones((small_models.HIDDEN, small_models.HIDDEN), np.float32)
    tensors |= {
        "cls.predictions.transform.dense.weight": square,
        "pooler.dense.weight": square,  # computed for the first token
    }
    save_file(tensors, file)
    whole = forecast(surveyed(tmp_path / "model"), CutRequest(), Job()).before.multiply_adds
    assert whole - encoder == square.size
