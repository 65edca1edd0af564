"""From a state to a folder and back, with the library and on the command line."""

import hashlib
import json
import math
import re
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pruneapp.__main__ import main
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.export.destination.sidecars import SHRINK_RECORD
from pruneapp.groups.structure import structure_of
from pruneapp.progress import Job
from pruneapp.shrink import shrunk_state
from pruneapp.shrink.cut import Cut, GroupCut, ShrinkError
from pruneapp.shrink.plan import CHANGES, EXACT, Choices, plan
from pruneapp.shrink.record import read_record
from pruneapp.shrink.shrink import ShrinkRequest, shrink
from tests.shrink.small_models import (
    HEAD,
    HIDDEN,
    LAYERS,
    NEURONS,
    TOKENS,
    write,
    write_bert,
    write_mistral,
)
from tests.support.activation_statistics import save_random
from tests.support.model_folders import write_llama

DEAD = [[0, 3, 4, 7, 11], [1, 2, 5], [2, 6, 8, 9]]  # of each layer


def run(*arguments):
    return main([str(argument) for argument in arguments])


def tensors_of(folder):
    return load_file(folder / "model.safetensors")


def config_of(folder):
    return json.loads((folder / "config.json").read_text())


def zero_units(tensors, dead):
    """Set units of the neurons of each layer to 0, in one tensor each."""
    for layer, units in enumerate(dead):
        for unit in units:
            name = ("gate_proj", "up_proj", "down_proj")[unit % 3]
            weight = tensors[f"model.layers.{layer}.mlp.{name}.weight"]
            weight[(slice(None), unit) if name == "down_proj" else unit] = 0


@pytest.fixture
def source(tmp_path):
    tensors = write_mistral(tmp_path / "model")
    zero_units(tensors, DEAD)
    write(tmp_path / "model", tensors, config_of(tmp_path / "model"))
    return tmp_path / "model"


def test_dead_units_alone_or_a_choice_never_both(source, tmp_path, capsys):
    assert run("shrink", source, "--dead", "--ffn", 6, "-o", tmp_path / "out") == 2
    assert "--dead cuts what does nothing and no more (got '--ffn')." in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_is_dead_in_all_layers_goes_and_the_rest_stays_zero(source, tmp_path, capsys):
    assert run("shrink", source, "--dead", "--multiple", 1, "-o", tmp_path / "out") == 0
    told = capsys.readouterr()
    assert "FFN neurons 12 → 9" in told.out
    assert "'model.layers.0.mlp' keeps 9 units, 2 of them zeros" in told.err + told.out
    before, after = tensors_of(source), tensors_of(tmp_path / "out")
    assert config_of(tmp_path / "out")["intermediate_size"] == 9
    x = np.random.default_rng(1).normal(size=HIDDEN)
    for layer in range(LAYERS):
        name = f"model.layers.{layer}.mlp"
        assert after[f"{name}.gate_proj.weight"].shape == (9, HIDDEN)
        for each in (before, after):
            gate, up, down = (
                each[f"{name}.{n}_proj.weight"].astype(np.float64) for n in ("gate", "up", "down")
            )
            y = down @ ((gate @ x) / (1 + np.exp(-(gate @ x))) * (up @ x))
            if each is before:
                wanted = y
        assert y == pytest.approx(wanted, rel=1e-12)
    untouched = [n for n in before if "mlp" not in n]
    assert all(np.array_equal(before[n], after[n]) for n in untouched)


def test_the_way_back_is_the_masked_model(source, tmp_path):
    options = ("--ffn", "50%", "--kv-groups", 1, "--layers", 1, "--multiple", 2)
    assert run("shrink", source, *options, "-o", tmp_path / "out") == 0
    assert run("unshrink", tmp_path / "out", "--against", source, "-o", tmp_path / "back") == 0
    before, back = tensors_of(source), tensors_of(tmp_path / "back")
    assert {n: t.shape for n, t in before.items()} == {n: t.shape for n, t in back.items()}
    for name, tensor in back.items():
        kept = tensor != 0
        assert np.array_equal(tensor[kept], before[name][kept]), "kept as it was, or 0"
    assert not back["model.layers.1.self_attn.o_proj.weight"].any()
    assert not back["model.layers.1.mlp.down_proj.weight"].any()
    assert (back["model.layers.0.mlp.gate_proj.weight"].any(axis=1)).sum() <= 6
    # Cutting it again gives the same file.
    assert run("shrink", tmp_path / "back", "--multiple", 2, "-o", tmp_path / "again") == 0
    for name in ("model.safetensors", "config.json"):
        first, second = ((tmp_path / f / name).read_bytes() for f in ("out", "again"))
        assert hashlib.sha256(first).digest() == hashlib.sha256(second).digest()


def test_the_units_that_stay_are_those_of_the_largest_norm(source, tmp_path):
    assert run("shrink", source, "--ffn", "0.5", "--multiple", 1, "-o", tmp_path / "out") == 0
    before = tensors_of(source)
    for cut in read_record(tmp_path / "out").cut.groups:
        layer = cut.group.place
        gate, up, down = (
            before[f"{layer}.{n}_proj.weight"].astype(float) for n in ("gate", "up", "down")
        )
        norm = (gate**2).sum(1) + (up**2).sum(1) + (down**2).sum(0)
        norm[DEAD[int(layer.split(".")[2])]] = 0
        assert sorted(cut.kept) == sorted(np.argsort(norm, kind="stable")[-6:])


def test_scores_of_a_file_decide(source, tmp_path):
    rng = np.random.default_rng(3)
    scores = {
        f"model.layers.{i}.mlp": rng.random(NEURONS).astype(np.float32) for i in range(LAYERS)
    }
    save_file(scores, tmp_path / "scores.safetensors")
    by = ("--by", tmp_path / "scores.safetensors", "--multiple", 1)
    assert run("shrink", source, "--ffn", "50%", *by, "-o", tmp_path / "out") == 0
    for cut in read_record(tmp_path / "out").cut.groups:
        ranked = scores[cut.group.place]
        ranked[DEAD[int(cut.group.place.split(".")[2])]] = 0
        assert sorted(cut.kept) == sorted(np.argsort(ranked)[-6:])


@pytest.mark.parametrize("by", ["wanda", "flap", "file"])
def test_statistics_decide(source, tmp_path, by):
    """A statistics file is recognized by its content."""
    before, path = tensors_of(source), tmp_path / "s.safetensors"
    known = save_random(path, {n: t.shape for n, t in before.items() if ".mlp." in n})
    words = ("--by", path) if by == "file" else ("--by", by, "--statistics", path)
    options = ("--ffn", "50%", "--multiple", 1, *words)
    assert run("shrink", source, *options, "-o", tmp_path / "out") == 0
    for cut in read_record(tmp_path / "out").cut.groups:
        layer = cut.group.place
        names = [f"{layer}.{n}_proj.weight" for n in ("gate", "up", "down")]
        parts = [
            (before[n].astype(float) * (known[n].deviation if by == "flap" else known[n].rms)) ** 2
            for n in names
        ]
        scores = parts[2].sum(0)
        if by != "flap":
            scores += parts[0].sum(1) + parts[1].sum(1)
        scores[DEAD[int(layer.split(".")[2])]] = 0
        assert sorted(cut.kept) == sorted(np.argsort(scores, kind="stable")[-6:])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--by", "wanda"), "Ranking units by wanda needs statistics"),
        (("--statistics", "s.safetensors"), "Ranking units by l2 uses no statistics"),
        (("--by", "flap", "--statistics", "model"), "contains no statistics of activations"),
        (("--by", "s.safetensors", "--kv-groups", 1), "inputs of 'model.layers.0.self_attn.q_proj"),
        (("--by", "none"), "'none'"),
    ],
)
def test_statistics_that_do_not_suit_are_refused(
    source, tmp_path, words, says, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    shapes = {n: t.shape for n, t in tensors_of(source).items() if ".mlp." in n}
    save_random(tmp_path / "s.safetensors", shapes)
    options = ("--ffn", "50%", "--multiple", 1, *words)
    assert run("shrink", source, *options, "-o", tmp_path / "out") == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_the_multiple_makes_of_a_share_is_said(source, tmp_path, capsys):
    options = "--ffn", "25%", "--multiple", 5
    assert run("shrink", source, *options, "-o", tmp_path / "out") == 0
    assert config_of(tmp_path / "out")["intermediate_size"] == 10
    notice = (
        "2 of 12 (16.7 %) are cut instead of 3 (25.0 %): the rest is rounded up to a multiple of 5."
    )
    printed = capsys.readouterr()
    assert f"FFN neurons: {notice}" in printed.err
    assert printed.out.count("2 of 12 (") == 0, "it is stated once"


def test_a_file_without_scores_for_a_group_is_refused(source, tmp_path, capsys):
    save_file({"model.layers.0.mlp": np.ones(3, np.float32)}, tmp_path / "s.safetensors")
    by = ("--by", tmp_path / "s.safetensors")
    assert run("shrink", source, "--ffn", "50%", *by, "--multiple", 1, "-o", tmp_path / "out") == 2
    assert "must have 12 real numbers (got the shape [3], float32)" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_constants_go_into_the_next_bias(tmp_path):
    tensors = write_bert(tmp_path / "model")
    for layer in range(LAYERS):
        tensors[f"encoder.layer.{layer}.intermediate.dense.weight"][2:6] = 0
    write(tmp_path / "model", tensors, config_of(tmp_path / "model"))
    assert run("shrink", tmp_path / "model", "--multiple", 1, "-o", tmp_path / "out") == 0
    after = tensors_of(tmp_path / "out")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        b = tensors[f"{name}.intermediate.dense.bias"][2:6].astype(np.float64)
        gelu = b * 0.5 * (1 + np.array([math.erf(x) for x in b / math.sqrt(2)]))
        shift = tensors[f"{name}.output.dense.weight"][:, 2:6].astype(np.float64) @ gelu
        wanted = (tensors[f"{name}.output.dense.bias"] + shift).astype(np.float32)
        assert np.array_equal(after[f"{name}.output.dense.bias"], wanted)
        assert after[f"{name}.intermediate.dense.bias"].shape == (NEURONS - 4,)


def test_without_a_bias_to_take_them_constants_stay(tmp_path, capsys):
    tensors = write_bert(tmp_path / "model")
    for layer in range(LAYERS):
        tensors[f"encoder.layer.{layer}.intermediate.dense.weight"][2:6] = 0
        del tensors[f"encoder.layer.{layer}.output.dense.bias"]
    write(tmp_path / "model", tensors, config_of(tmp_path / "model"))
    assert run("shrink", tmp_path / "model", "--multiple", 1, "-o", tmp_path / "out") == 2
    assert "There is nothing to remove" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--ffn", "1%"), r"The nearest possible numbers: none"),
        (("--ffn", "10%", "--multiple", 8), r"The nearest possible numbers: 8\."),
        (("--kv-groups", 3), "cannot be 3; the nearest are 1 and 2"),
        (("--layers", 3), "has 3 layers, numbered from 0, and no layer 3"),
        (("--layers", "0-2"), "No layer of 'model.layers' would be left"),
        (("--layers", "2-1"), "ends before it begins"),
        (("--layers", "first"), "must be numbers and ranges"),
        (("--experts", 3), "has no such units"),
        (("--ffn", "12"), "must be a share"),
        (("--vocabulary", "trailing"), r"has no tokenizer\.json"),
        (("--write-as", "llama", "--ffn", "50%", "--multiple", 1), "cannot be written as 'llama'"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(source, tmp_path, capsys, options, sentence):
    assert run("shrink", source, *options, "-o", tmp_path / "out") == 2
    assert re.search(sentence, capsys.readouterr().err)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]


def test_llama_takes_other_numbers_of_heads_as_mistral(tmp_path, capsys):
    model = tmp_path / "model"
    write_mistral(
        model,
        architectures=["LlamaForCausalLM"],
        model_type="llama",
        num_key_value_heads=4,
        num_attention_heads=4,
    )
    tensors = tensors_of(model)
    rng = np.random.default_rng(0)
    for i in range(LAYERS):
        for n in "kv":
            name = f"model.layers.{i}.self_attn.{n}_proj.weight"
            tensors[name] = rng.normal(size=(4 * HEAD, HIDDEN)).astype(np.float32)
    write(model, tensors, config_of(model))
    assert run("shrink", model, "--kv-groups", 3, "-o", tmp_path / "out") == 2
    assert "hidden_size % num_attention_heads == 0" in capsys.readouterr().err
    assert (
        run("shrink", model, "--kv-groups", 3, "--write-as", "mistral", "-o", tmp_path / "out") == 0
    )
    config = config_of(tmp_path / "out")
    assert config["architectures"] == ["MistralForCausalLM"]
    assert (config["model_type"], config["sliding_window"]) == ("mistral", None)
    assert (config["num_attention_heads"], config["head_dim"]) == (3, HEAD)


def test_list_says_what_may_be_cut_and_why_not(tmp_path, capsys):
    write_bert(tmp_path / "model")
    assert run("shrink", tmp_path / "model", "--list", "--multiple", 4 * 2, "--json") == 0
    axes = {axis["axis"]: axis for axis in json.loads(capsys.readouterr().out)["axes"]}
    assert axes["ffn"]["may_stay"] == [8, 12]
    first = {"name": "encoder.layer.0.", "units": NEURONS}
    assert axes["ffn"]["groups"][0] == first, "as a file of scores names it"
    assert axes["kv-groups"]["reason"].startswith("Heads cannot be removed: bert")
    assert run("shrink", tmp_path / "model", "--list") == 0
    assert "--kv-groups" in capsys.readouterr().out


def test_a_defect_of_the_gather_leaves_nothing(source, tmp_path, capsys, monkeypatch):
    good = shrunk_state._gather

    def bad(cut, *rest):
        bits = good(cut, *rest).copy()
        bits[:1] ^= 1
        return bits

    monkeypatch.setattr(shrunk_state, "_gather", bad)
    assert run("shrink", source, "--multiple", 1, "-o", tmp_path / "out") == 2
    assert "is not restored to its original values, which is a bug" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]


def test_a_unit_that_is_not_dead_may_not_go(source, tmp_path):
    """Removed units need not be masked, so they have to be dead."""
    checkpoint = open_checkpoint(source)
    state = Snapshot(checkpoint)
    found = plan(state, structure_of(checkpoint), Choices(multiple=1), Job())
    first, *rest = found.cut.groups
    living = next(unit for unit in first.kept if unit not in DEAD[0])
    kept = np.setdiff1d(np.append(first.kept, first.removed[0]), [living])
    wrong = replace(found, cut=Cut((GroupCut(first.group, kept), *rest)))
    with pytest.raises(ShrinkError, match="was removed that is not dead"):
        shrink(state, wrong, ShrinkRequest(tmp_path / "out", {}), Job())
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_there_is_left_alone(source, tmp_path, capsys):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    assert run("shrink", source, "-o", tmp_path / "out") == 2
    assert "already exists, and a shrunk model is never written over" in capsys.readouterr().err
    assert (tmp_path / "out" / "mine.txt").read_text() == "mine"


@pytest.mark.parametrize("name", [300 * "n", f"{300 * 'n'}.safetensors"])
def test_a_name_that_is_too_long_is_refused_with_the_limit(source, tmp_path, capsys, name):
    assert run("shrink", source, "-o", tmp_path / name) == 2
    assert "a name has at most 255." in capsys.readouterr().err


def test_what_approve_refuses_leaves_nothing(source, tmp_path):
    seen = []

    def refuse(folder):
        seen.append(sorted(path.name for path in folder.iterdir()))
        raise ShrinkError("No.")

    with open_checkpoint(source) as checkpoint:
        state = Snapshot(checkpoint)
        planned = plan(state, structure_of(checkpoint), Choices(multiple=1), Job())
        with pytest.raises(ShrinkError, match="No"):
            shrink(state, planned, ShrinkRequest(tmp_path / "out", {}, refuse), Job())
    assert seen == [["config.json", "model.safetensors", SHRINK_RECORD]]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]


def test_labels_are_never_mixed_up(source, tmp_path, capsys):
    options = ("--layers", 2, "--multiple", 1, "--json")
    assert run("shrink", source, *options, "-o", tmp_path / "out") == 0
    axes = {a["axis"]: a for a in json.loads(capsys.readouterr().out)["axes"]}
    assert (axes["ffn"]["after"], axes["ffn"]["exactness"]) == (9, EXACT)
    assert (axes["layers"]["after"], axes["layers"]["exactness"]) == (2, CHANGES)


def test_a_model_in_shards_stays_one(tmp_path):
    model = tmp_path / "model"
    tensors = write_mistral(model)
    (model / "model.safetensors").unlink()
    parts = [
        {n: t for n, t in tensors.items() if ".layers.1." in n},
        {n: t for n, t in tensors.items() if ".layers.1." not in n},
    ]
    where = {}
    for number, part in enumerate(parts, 1):
        name = f"model-0000{number}-of-00002.safetensors"
        save_file(part, model / name, {"format": "pt"})
        where |= dict.fromkeys(part, name)
    index = {"metadata": {"total_size": 0}, "weight_map": where}
    (model / "model.safetensors.index.json").write_text(json.dumps(index))
    assert run("shrink", model, "--ffn", "50%", "--multiple", 1, "-o", tmp_path / "both") == 0
    assert len(list((tmp_path / "both").glob("*.safetensors"))) == 2
    assert run("shrink", model, "--layers", "1", "-o", tmp_path / "one") == 0
    (name,) = (path.name for path in (tmp_path / "one").glob("*.safetensors"))
    written = json.loads((tmp_path / "one" / "model.safetensors.index.json").read_text())
    assert set(written["weight_map"].values()) == {name}
    with open_checkpoint(tmp_path / "one") as checkpoint:
        assert len(checkpoint.entries) == len(tensors) - 9
        nbytes = sum(entry.nbytes for entry in checkpoint.entries.values())
    assert written["metadata"]["total_size"] == nbytes


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "contains no 'pruneapp.shrink.json'"),
        ("[]", "object"),
        ('{"groups": [], "version": 2}', "is of version 2"),
        (
            '{"groups": [{"axis": "ffn", "place": "x", "count": 4, "kept": [[3, 9]]}]}',
            "contradicts itself at 'x'",
        ),
        (
            '{"groups": [{"axis": "ffn", "place": "x", "count": 4, "kept": [[2, 4], [0, 1]]}]}',
            "contradicts itself",
        ),
        (
            '{"groups": [{"axis": "f", "place": "x", "count": 4, "kept": [], "tensors": [["a"]]}]}',
            "contradicts itself",
        ),
    ],
)
def test_a_record_that_does_not_hold_is_refused(source, tmp_path, capsys, text, sentence):
    assert run("shrink", source, "--multiple", 1, "-o", tmp_path / "out") == 0
    (tmp_path / "out" / SHRINK_RECORD).unlink()
    if text is not None:
        (tmp_path / "out" / SHRINK_RECORD).write_text(text)
    back = ("--against", source, "-o", tmp_path / "back")
    assert run("unshrink", tmp_path / "out", *back) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "back").exists()


def test_another_model_is_no_way_back(source, tmp_path, capsys):
    assert run("shrink", source, "--multiple", 1, "-o", tmp_path / "out") == 0
    write_mistral(tmp_path / "other", seed=1)
    other = tensors_of(tmp_path / "other")
    other["lm_head.weight"] = np.ones((TOKENS + 1, HIDDEN), np.float32)
    write(tmp_path / "other", other, config_of(tmp_path / "other"))
    back = ("--against", tmp_path / "other", "-o", tmp_path / "back")
    assert run("unshrink", tmp_path / "out", *back) == 2
    assert "was not shrunk from" in capsys.readouterr().err


def test_a_file_is_cut_in_the_multiple_of_the_step_that_it_records(tmp_path, capsys):
    model, pruned = write_llama(tmp_path / "model"), tmp_path / "pruned"
    how = ["--method", "ffn_neurons", "--amount", "30%", "--multiple", "16"]
    assert run("prune", model, *how, "-o", pruned) == 0
    capsys.readouterr()
    assert run("shrink", pruned, "-o", tmp_path / "16") == 0
    printed = "".join(capsys.readouterr())
    assert config_of(tmp_path / "16")["intermediate_size"] == 192
    assert "Widths are rounded up to a multiple of 16, as in the last pruning step" in printed
    assert run("shrink", pruned, "--multiple", 128, "-o", tmp_path / "128") == 2
    assert run("shrink", model, "--ffn", "25%", "-o", tmp_path / "unpruned") == 0
    assert "as in the last pruning step" not in "".join(capsys.readouterr())
