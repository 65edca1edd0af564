"""``pruneapp statistics``: its file and its messages."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import ANY

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.export.provenance import calibration_of
from pruneapp.progress import Job
from pruneapp.statistics.file import Inputs, Origin, open_statistics, save_statistics
from tests.cli.command_process import until
from tests.shrink.small_models import NEURONS, write_mistral
from tests.support.activation_statistics import forget, save_random
from tests.support.imatrix_files import gguf

SCRIPT = """
import torch
from safetensors.torch import load_file

def load(path):
    model = torch.nn.ModuleDict({"fc": torch.nn.Linear(3, 2, bias=False),
                                 "table": torch.nn.Embedding(4, 3)})
    model.load_state_dict(load_file(path))
    return model

def calibrate(model, limit, seed):
    model["fc"](torch.full((limit or 5, 3), 2.0 + seed))
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    shapes = {"fc.weight": (2, 3), "table.weight": (4, 3)}
    save_file({n: rng.normal(size=s).astype("f4") for n, s in shapes.items()}, "m.safetensors")
    Path("script.py").write_text(SCRIPT)
    return tmp_path


@pytest.fixture
def run(call):
    return lambda *words: call("statistics", "m.safetensors", *words)


def test_a_script_collects_statistics(run, place):
    """The output lists tensors with and without statistics."""
    words = (
        "--script",
        "script.py",
        "-o",
        "s.safetensors",
        "--gram",
        "--seed",
        "1",
        "--samples",
        "3",
    )
    status, out, err = run(*words, "--json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert len(report.pop("sha256")) == 64
    assert report == {
        "output": "s.safetensors",
        "rows": 3,
        "seen": ["fc.weight"],
        "unseen": ["table.weight"],
    }
    arrays = load_file("s.safetensors")
    assert arrays["fc.weight.in_sum2"].tolist() == [27.0] * 3
    assert arrays["fc.weight.in_sum"].tolist() == [9.0] * 3
    assert arrays["fc.weight.in_gram"].tolist() == [[27.0] * 3] * 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "--output is required"),
        (("-o", "s.st"), "--script is required"),
        (("-o", "s.st", "--script", "none.py"), "none.py' cannot be read"),
        (("-o", "s.st", "--script", "bare.py"), "does not define calibrate(model)"),
        (("-o", "m.safetensors", "--script", "script.py"), "is an input of this command"),
        (("-o", "script.py", "--script", "script.py"), "is an input of this command"),
        (("-o", ".", "--script", "script.py"), "is a folder"),
        (("-o", "no/s.st", "--script", "script.py"), "in a folder that does not exist"),
        (("-o", "s.st", "--script", "script.py", "--gram-memory", "8"), "size with its unit"),
        (("-o", "s.st", "--script", "script.py", "--text", "x"), "not allowed with argument"),
    ],
)
def test_invalid_requests_give_one_sentence(run, place, words, message):
    """Nothing is written."""
    Path("bare.py").write_text("def evaluate(model):\n    return 1\n")
    before = {path: path.read_bytes() for path in place.iterdir()}
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert message in err
    assert before == {path: path.read_bytes() for path in place.iterdir()}


@pytest.fixture
def statistics(place):
    """Write statistics in which the last input is the largest."""
    weights = {"fc.weight": Inputs(np.array([[1.0, 4.0, 9e6]]), None, np.array([10.0]))}
    save_statistics(Path("s.safetensors"), weights, Origin(), Job())
    return Path("s.safetensors")


def test_an_imatrix_is_converted_and_skipped_names_are_printed(
    call, refused, tmp_path, monkeypatch
):
    """With Gram matrices if requested; an imatrix of another model is refused."""
    monkeypatch.chdir(tmp_path)
    shapes = {"model.layers.0.mlp.up_proj.weight": (4, 6), "lm_head.weight": (9, 6)}
    save_file({name: np.ones(shape, np.float32) for name, shape in shapes.items()}, "m.safetensors")
    owner = "blk.0.ffn_up.weight"
    arrays = {
        f"{owner}.in_sum2": np.ones((1, 6)),
        f"{owner}.counts": np.full((1, 1), 3),
        f"{owner}.in_gram": np.eye(6),
        "blk.0.ssm_out.weight.in_sum2": np.ones((1, 6)),
    }
    Path("i.gguf").write_bytes(gguf(arrays))
    words = ("statistics", "m.safetensors", "--from", "i.gguf", "-o", "s.safetensors")
    status, out, err = call(*words, "--gram")
    assert status == 0
    assert out == (
        "Wrote statistics of 1 weight over 3 rows to s.safetensors\n"
        "No inputs were seen for 1 weight: lm_head.weight\n"
    )
    assert err == (
        "Note: 1 name of the imatrix not used, unknown or with inputs in another order than in the "
        "checkpoint: blk.0.ssm_out.weight\n"
    )
    assert np.array_equal(
        load_file("s.safetensors")["model.layers.0.mlp.up_proj.weight.in_gram"], np.eye(6)
    )
    with open_statistics(Path("s.safetensors")) as statistics:
        assert statistics.origin.source == "imatrix"
        assert statistics.origin.script == hashlib.sha256(gguf(arrays)).hexdigest()
    before = Path("s.safetensors").read_bytes()
    arrays = {name.replace("blk.0", "blk.9"): array for name, array in arrays.items()}
    Path("i.gguf").write_bytes(gguf(arrays))
    err = refused(*words)
    assert "the file was made for another model" in err
    assert Path("s.safetensors").read_bytes() == before


WANDA = ("m.safetensors", "--method", "wanda", "--amount", "0.5", "--statistics", "s.safetensors")


def test_wanda_prunes_and_its_recipe_uses_the_statistics_of_the_checkpoint(
    call, refused, statistics
):
    """The recipe with the same statistics gives the same bytes; the export names them."""
    status, _, err = call("prune", *WANDA, "-o", "p.safetensors", "--save-recipe", "r.json")
    assert status == 0
    assert err.startswith("Note: 1 tensor is left as is")
    weights, pruned = load_file("m.safetensors"), load_file("p.safetensors")
    scores = np.abs(weights["fc.weight"].astype(float)) * np.sqrt([0.1, 0.4, 9e5])
    zeros = pruned["fc.weight"] == 0
    assert zeros.sum(axis=1).tolist() == [2, 2], "half of three, rounded as torch does it"
    assert not zeros[:, 2].any()
    assert (scores[zeros].max() < scores[:, 2]).all()
    digest = "sha256:" + hashlib.sha256(statistics.read_bytes()).hexdigest()
    (entry,) = json.loads(Path("r.json").read_text())["entries"]
    (row,) = entry["configuration"]["rows"]
    assert row["configuration"]["values"] == {"amount": 0.5, "statistics": "checkpoint"}

    given = ("--statistics", "s.safetensors")
    assert call("run", "r.json", "m.safetensors", "-o", "q.safetensors", *given)[0] == 0
    assert Path("q.safetensors").read_bytes() == Path("p.safetensors").read_bytes()
    verify = ("verify", "p.safetensors", "--against", "m.safetensors")
    assert call(*verify, *given)[0] == 0
    assert call(*verify, *given, "--recipe", "r.json")[0] == 0
    forget(digest)
    run = ("run", "r.json", "m.safetensors", "-o", "x.safetensors")
    missing = f"SHA-256 {digest.removeprefix('sha256:')} are not loaded"
    at_hand = "ranks weights by statistics of activations of the checkpoint"
    for command, output in ((verify, missing), (run, at_hand)):
        err = refused(*command)
        assert output in err
        assert "--statistics" in err
    assert "`pruneapp statistics m.safetensors --script SCRIPT -o FILE`" in err
    assert "`pruneapp run RECIPE m.safetensors --statistics FILE -o OUT`" in err
    assert "`pruneapp run RECIPE m.safetensors --script SCRIPT -o OUT`" in err
    assert not Path("x.safetensors").exists()


@pytest.fixture
def recipe(call, place):
    """Write a recipe with a placeholder for statistics; return a function that runs it."""
    Path("r.json").write_text(
        json.dumps(
            {
                "format": "pruneapp-recipe",
                "version": 1,
                "entries": [
                    {
                        "name": "step",
                        "configuration": {
                            "rows": [
                                {
                                    "name": "wanda",
                                    "configuration": {
                                        "values": {"amount": 0.5, "statistics": "checkpoint"},
                                        "names": ["fc.weight"],
                                    },
                                }
                            ]
                        },
                    }
                ],
            }
        )
    )
    return lambda *words: call("run", "r.json", "m.safetensors", *words)


def swap(path):
    """Change a recipe to a method that needs Gram matrices."""
    path.write_text(path.read_text().replace('"wanda"', '"swaps"'))


@pytest.mark.parametrize(
    ("change", "limit"), [(lambda _path: None, "2"), (swap, "7")], ids=["wanda", "swaps"]
)
def test_run_collects_the_statistics_that_a_recipe_needs(call, recipe, change, limit):
    """The result is the same as with the file of `pruneapp statistics`."""
    change(Path("r.json"))
    script = ("--script", "script.py", "--seed", "3", "--samples", limit)
    status, _, err = recipe("-o", "p.safetensors", *script, "--save-statistics", "kept")
    assert (status, err) == (0, "")
    assert recipe("-o", "q.safetensors", "--statistics", "kept")[0] == 0
    assert Path("p.safetensors").read_bytes() == Path("q.safetensors").read_bytes()
    verify = ("verify", "p.safetensors", "--against", "m.safetensors")
    assert call(*verify, "--statistics", "kept")[0] == 0
    more = ("--gram",) if "swaps" in Path("r.json").read_text() else ()
    assert call("statistics", "m.safetensors", "-o", "s", *script, *more)[0] == 0
    kept, made = load_file("kept"), load_file("s")
    assert kept.keys() == made.keys()
    assert all(np.array_equal(kept[name], made[name]) for name in kept)


def test_run_saves_statistics_only_on_request(recipe, tmp_path):
    """A note says that the result cannot be verified without them."""
    before = set(tmp_path.iterdir())
    status, out, err = recipe("-o", "p.safetensors", "--script", "script.py")
    assert status == 0
    assert "pruneapp verify needs them: --save-statistics FILE keeps them" in out + err
    assert {path.name for path in set(tmp_path.iterdir()) - before} == {"p.safetensors"}
    status, out, _ = recipe("--check", "--script", "script.py")
    assert (status, "1 tensor" in out or "fc" in out) == (0, True)


def test_nothing_is_collected_for_a_recipe_that_does_not_fit(recipe):
    """The script does not run."""
    text = json.loads(Path("r.json").read_text())
    text["entries"].append({"name": "finalize", "configuration": {"names": ["gone.weight"]}})
    Path("r.json").write_text(json.dumps(text))
    Path("script.py").write_text("raise RuntimeError('this script was run')")
    status, _, err = recipe("-o", "p.safetensors", "--script", "script.py")
    assert status == 2
    assert "'gone.weight'" in err
    assert "ranks weights by statistics" not in err
    assert "this script was run" not in err
    status, out, _ = recipe("--check", "--script", "script.py")
    assert status == 1
    assert "'gone.weight'" in out
    assert "ranks weights by statistics" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--script", "script.py", "--statistics", "s"), "not allowed with argument"),
        (("--save-statistics", "s"), "is for statistics that are collected"),
        (("--samples", "3"), "is for statistics that are collected"),
        (("--script", "script.py", "--cluster", "local:1"), "cannot be collected on a cluster"),
        (("--script", "script.py", "--save-statistics", "m.safetensors"), "is an input of this"),
        (("--script", "script.py", "--save-statistics", "p"), "name the same file"),
        (("--text", "script.py"), "--script is required"),
    ],
)
def test_options_of_collecting_that_do_not_fit_are_refused(recipe, place, words, message):
    before = {path: path.read_bytes() for path in place.iterdir()}
    status, _, err = recipe("-o", "p", *words)
    assert status == 2
    assert message in err
    assert {path: path.read_bytes() for path in place.iterdir()} == before


@pytest.mark.parametrize("data", [("--script", "script.py"), ("--text", "script.py")])
def test_an_export_does_not_replace_the_script(recipe, data):
    status, _, err = recipe("-o", "script.py", *data)
    assert (status, "is an input of this command" in err) == (2, True)
    assert Path("script.py").read_text() == SCRIPT


def test_a_recipe_without_statistics_runs_no_script(call, place):
    words = ("m.safetensors", "--method", "l1_unstructured", "--amount", "0.5")
    assert call("prune", *words, "-o", "p", "--save-recipe", "r.json")[0] == 0
    Path("script.py").write_text("raise RuntimeError('this script was run')")
    run = ("run", "r.json", "m.safetensors", "-o", "q", "--script", "script.py")
    status, _, err = call(*run)
    assert status == 0
    assert "so none are collected" in err
    assert Path("p").read_bytes() == Path("q").read_bytes()


def test_an_export_stores_the_digest_of_its_statistics(call, statistics):
    """In metadata and reports; verifying works while other statistics are open."""
    metadata = {"pruneapp_statistics": json.dumps({"data": "text:1"})}
    save_file(load_file(statistics), statistics, metadata)
    reports = ("--report", "r.json", "--report", "r.html")
    assert call("prune", *WANDA, "-o", "p.safetensors", *reports)[0] == 0
    with open_checkpoint(Path("p.safetensors")) as checkpoint:
        assert calibration_of(checkpoint) == ("text:1",)
    assert json.loads(Path("r.json").read_text())["calibrated_with"] == ["text:1"]
    assert "Calibrated with the text with the SHA-256 1." in Path("r.html").read_text("utf-8")
    verify = ("verify", "p.safetensors", "--against", "m.safetensors")
    assert call(*verify, "--statistics", "s.safetensors")[0] == 0
    plain = ("m.safetensors", "--method", "l1_unstructured", "--amount", "0.5")
    assert call("prune", *plain, "-o", "q.safetensors", *reports, "--overwrite")[0] == 0
    with open_checkpoint(Path("q.safetensors")) as checkpoint:
        assert calibration_of(checkpoint) == ()
    assert json.loads(Path("r.json").read_text())["calibrated_with"] == []
    assert "Calibrated" not in Path("r.html").read_text("utf-8")


def collected_with(file):
    """Write statistics that name a file as their checkpoint; return their path."""
    combined = hashlib.sha256(hashlib.sha256(Path(file).read_bytes()).hexdigest().encode())
    sums = {"fc.weight": np.array([[1.0, 4.0, 9.0]]), "up.weight": np.ones((1, 6))}
    weights = {name: Inputs(sum2, None, np.array([10.0])) for name, sum2 in sums.items()}
    grams = {name: [np.eye(sum2.size)] for name, sum2 in sums.items()}
    path = Path(f"{file}.statistics")
    save_statistics(path, weights, Origin(checkpoint=combined.hexdigest()), Job(), grams=grams)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("prune", "FILE", "--method", "wanda", "--amount", "0.5", "--statistics", "STATS"),
        ("run", "r.json", "FILE", "--statistics", "STATS"),
        ("repair", "FILE", "--against", "FILE", "--statistics", "STATS"),
        ("verify", "made", "--recipe", "r.json", "--against", "FILE", "--statistics", "STATS"),
        ("scan", "FILE", "--method", "wanda", "--statistics", "STATS", "--command", "{checkpoint}"),
        ("scan", "FILE", "--repair", "STATS", "--command", "{checkpoint}"),
    ],
)
def test_statistics_of_another_checkpoint_are_refused(call, refused, tmp_path, monkeypatch, words):
    """By all commands that rank or repair with them, unless forced."""
    monkeypatch.chdir(tmp_path)
    weights = {"fc.weight": np.arange(6, dtype=np.float32).reshape(2, 3)}
    for number, name in enumerate(("one.safetensors", "other.safetensors")):
        save_file({"fc.weight": weights["fc.weight"] + number}, name)
    prune = ("--method", "wanda", "--amount", "0.5", "-o", "made", "--save-recipe", "r.json")
    given = ("--statistics", collected_with("one.safetensors"))
    assert call("prune", "one.safetensors", *prune, *given)[0] == 0
    if words[0] in {"run", "verify"}:
        # The file that belongs to the checkpoint is selected from several.
        both = (*given, "--statistics", collected_with("other.safetensors"))
        run = ("run", "r.json", "other.safetensors", "-o", "x.safetensors", *both)
        assert call(*run)[0] == 0
    filled = {"FILE": "other.safetensors", "STATS": given[1]}
    words = [filled.get(word, word) for word in words]
    if words[0] != "verify":
        words += ["-o", "out.safetensors"]
    err = refused(*words)
    belong = "The statistics 'one.safetensors.statistics' belong to another checkpoint than"
    assert f"{belong} 'other.safetensors'" in err
    assert "--force-statistics" in err
    assert not Path("out.safetensors").exists()
    _, out, err = call(*words, "--force-statistics")
    assert "belong to another checkpoint" not in out + err


def test_swaps_prune_tensors_with_gram_matrices_and_are_verified(call, statistics):
    """Tensors without Gram matrices are unchanged; the recipe names the statistics as for Wanda."""
    arrays = {"fc.weight": (2, 3), "up.weight": (4, 6)}
    rng = np.random.default_rng(0)
    weights = {name: rng.normal(size=shape).astype("f") for name, shape in arrays.items()}
    save_file(weights, "n.safetensors")
    x = rng.normal(size=(20, 6)) @ rng.normal(size=(6, 6))
    sizes = {"fc.weight": np.ones((1, 3)), "up.weight": (x * x).sum(0, keepdims=True)}
    inputs = {name: Inputs(sum2, None, np.array([20.0])) for name, sum2 in sizes.items()}
    save_statistics(Path("g.safetensors"), inputs, Origin(), Job(), grams={"up.weight": [x.T @ x]})
    given = ("--statistics", "g.safetensors")
    words = ("n.safetensors", "--method", "swaps", "--amount", "0.5", *given)
    status, _, err = call("prune", *words, "-o", "p.safetensors")
    assert status == 0
    assert err.startswith("Note: 1 tensor is left as is")
    pruned = load_file("p.safetensors")
    assert np.array_equal(pruned["fc.weight"], weights["fc.weight"])
    assert (pruned["up.weight"] == 0).sum(axis=1).tolist() == [3, 3, 3, 3]
    verify = ("verify", "p.safetensors", "--against", "n.safetensors", *given)
    assert call(*verify)[0] == 0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write a model of a known type, and statistics of its neurons."""
    monkeypatch.chdir(tmp_path)
    tensors = write_mistral(Path("model"))
    save_random(Path("s.safetensors"), {n: t.shape for n, t in tensors.items() if ".mlp." in n})
    return Path("model")


UNITS = ("model", "--method", "ffn_neurons", "--amount", "50%", "--multiple", "1", "--by", "flap",
         "--statistics", "s.safetensors")  # fmt: skip


def test_units_are_pruned_by_their_inputs_and_the_recipe_uses_the_statistics(call, folder):
    assert call("prune", *UNITS, "-o", "p", "--save-recipe", "r.json")[:2] == (0, ANY)
    pruned = load_file("p/model.safetensors")
    assert pruned["model.layers.2.mlp.down_proj.weight"].any(axis=0).sum() == NEURONS // 2
    (entry,) = json.loads(Path("r.json").read_text())["entries"]
    (row,) = entry["configuration"]["rows"]
    assert row["configuration"]["values"]["statistics"] == "checkpoint"
    given = ("--statistics", "s.safetensors")
    assert call("run", "r.json", "model", "-o", "q", *given)[0] == 0
    again = Path("q/model.safetensors").read_bytes()
    assert again == Path("p/model.safetensors").read_bytes()
    assert call("verify", "p", "--against", "model", *given)[0] == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (UNITS[:-2], "'ffn_neurons' with --by flap needs --statistics FILE."),
        ((*UNITS[:7], *UNITS[9:]), "--statistics has no effect without 'by' wanda or flap."),
        ((*UNITS[:2], "attention_heads", *UNITS[3:5], *UNITS[7:]),
         "lack the inputs of 'model.layers.0.self_attn.o_proj.weight', so 'flap' cannot"),
    ],
)  # fmt: skip
def test_units_without_statistics_are_refused(call, refused, folder, words, message):
    err = refused("prune", *words, "-o", "p")
    assert message in err
    assert not Path("p").exists()
    status, _, err = call("prune", *UNITS, "-o", "s.safetensors")
    assert (status, "is an input of this command" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (WANDA[:-2], "'wanda' needs --statistics FILE"),
        ((*WANDA[:-1], "m.safetensors"), "contains no statistics of activations"),
        ((*WANDA[:-1], "none"), "'none'"),
        (("m.safetensors", "--method", "swaps", *WANDA[3:]), "needs Gram matrices, but"),
        ((*WANDA, "--select", "table*"), "lack the inputs of 'table.weight'"),
        (("m.safetensors", "--method", "l1_unstructured", "--amount", "1", *WANDA[-2:]),
         "does not take --statistics"),
    ],
)  # fmt: skip
def test_statistics_that_do_not_suit_are_refused(call, refused, statistics, words, message):
    """Nothing is written."""
    err = refused("prune", *words, "-o", "p.safetensors")
    assert message in err
    assert not Path("p.safetensors").exists()
    status, _, err = call("prune", *WANDA, "-o", "s.safetensors")
    assert (status, "is an input of this command" in err) == (2, True)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_leaves_no_file(place):
    """Interrupted while the script sleeps."""
    Path("script.py").write_text(
        "import time\nfrom pathlib import Path\n\ndef load(path): pass\n\n"
        "def calibrate(model): pass\n\nPath('started').touch()\ntime.sleep(100)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "pruneapp", "statistics", "m.safetensors", "--script", "script.py",
         "-o", "s.st"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=place,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )  # fmt: skip
    until(process, "started", Path("started").exists)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "pruneapp: Interrupted.\n")
    assert time.monotonic() - began < 10
    assert not Path("s.st").exists()
