"""The command line does the whole job, reports errors in one sentence, and leaves no files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch.nn.utils import prune as torch_prune

from pruneapp import resources
from pruneapp.cli.parser import COMMANDS
from tests.cli.command_process import until
from tests.shrink.small_models import write_bert

SAMPLE = resources.path("sample/lenet-digits.safetensors")


def prune(target, *more, method="l1_unstructured", amount="0.5", source=SAMPLE):
    return ("prune", source, "-o", target, "--method", method, "--amount", amount, *more)


def torch_masks(names, prune_one, source=SAMPLE):
    """Return the tensors after the same step with torch, by name."""
    weights = load_file(source)
    modules = {}
    for name in names:
        modules[name] = torch.nn.Module()
        modules[name].weight = torch.nn.Parameter(weights[name])
    prune_one(modules)
    return {**weights, **{name: module.weight.detach() for name, module in modules.items()}}


DEFAULT = ["conv1.weight", "conv2.weight", "fc1.weight", "fc2.weight", "fc3.weight"]


def test_local_l1_equals_torch(call, tmp_path):
    status, _, err = call(*prune(tmp_path / "o.safetensors"))

    def prune_one(modules):
        for module in modules.values():
            torch_prune.l1_unstructured(module, "weight", 0.5)

    assert (status, err) == (0, "")
    expected = torch_masks(DEFAULT, prune_one)
    found = load_file(tmp_path / "o.safetensors")
    assert list(found) == list(load_file(SAMPLE))
    for name, tensor in expected.items():
        assert torch.equal(found[name], tensor), name


def test_global_l1_on_selected_tensors_equals_torch(call, tmp_path):
    arguments = ("--scope", "global", "--select", "fc*.weight", "--json")

    status, out, _ = call(*prune(tmp_path / "o.pt", *arguments, amount="1000"))

    def prune_one(modules):
        torch_prune.global_unstructured(
            [(m, "weight") for m in modules.values()], torch_prune.L1Unstructured, amount=1000
        )

    assert status == 0
    expected = torch_masks(DEFAULT[2:], prune_one)
    found = torch.load(tmp_path / "o.pt", weights_only=True)
    assert all(torch.equal(found[name], expected[name]) for name in expected)
    report = json.loads(out)
    assert report["format"] == "torch"
    assert report["pruned"] == 1000
    assert report["verified"] is True
    assert report["bytes"] == (tmp_path / "o.pt").stat().st_size


def test_channels_along_a_negative_dim_equal_torch(call, tmp_path):
    arguments = ("--n", "-inf", "--dim", "-1", "--select", "fc1.weight")

    status, _, err = call(
        *prune(tmp_path / "o.safetensors", *arguments, method="ln_structured", amount="30%")
    )

    def prune_one(modules):
        for module in modules.values():
            torch_prune.ln_structured(module, "weight", 0.3, n=-float("inf"), dim=-1)

    assert (status, err) == (0, "")
    expected = torch_masks(["fc1.weight"], prune_one)
    assert torch.equal(load_file(tmp_path / "o.safetensors")["fc1.weight"], expected["fc1.weight"])


def test_bias_and_norm_are_pruned_with_their_channels(call, tmp_path):
    arguments = ("--n", "2", "--select", "conv1.weight", "--prune-bias-and-norm", "--json")

    status, out, err = call(
        *prune(tmp_path / "o.safetensors", *arguments, method="ln_structured", amount="2")
    )

    def prune_one(modules):
        for module in modules.values():
            torch_prune.ln_structured(module, "weight", 2, n=2, dim=0)

    assert (status, err) == (0, "")
    weight = torch_masks(["conv1.weight"], prune_one)["conv1.weight"]
    before, found = load_file(SAMPLE), load_file(tmp_path / "o.safetensors")
    kept = weight.flatten(1).any(1)
    assert int((~kept).sum()) == 2
    assert torch.equal(found["conv1.weight"], weight)
    companions = ("conv1.bias", "bn1.weight", "bn1.bias")
    for name in companions:
        assert torch.equal(found[name], torch.where(kept, before[name], 0.0)), name
    report = json.loads(out)
    assert report["step"] == "L2 2 channels, dim 0, with bias and norm, on conv1.weight"
    assert report["pruned"] == 2 * (weight[0].numel() + len(companions))


@pytest.fixture
def bert(tmp_path):
    """Write a model folder of a known type."""
    return write_bert(tmp_path / "bert"), tmp_path / "bert"


DENSE = "encoder.layer.1.intermediate.dense"


def test_dependents_are_pruned_with_their_channels_replayed_and_verified(call, tmp_path, bert):
    before, folder = bert
    recipe, out = tmp_path / "r.json", tmp_path / "out"
    more = ("--select", f"{DENSE}.weight", "--dependents", "--save-recipe", recipe)

    status, output, err = call(
        *prune(out, *more, method="ln_structured", amount="3", source=folder)
    )

    assert (status, err) == (0, "")
    norms = np.square(before[f"{DENSE}.weight"].astype(np.float64)).sum(axis=1)
    pruned = np.argsort(norms)[:3]
    expected = {name: values.copy() for name, values in before.items()}
    expected[f"{DENSE}.weight"][pruned] = 0
    expected[f"{DENSE}.bias"][pruned] = 0
    expected["encoder.layer.1.output.dense.weight"][:, pruned] = 0
    found = load_file(out / "model.safetensors")
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name].numpy(), values, name)
    follow = (
        "Also prunes 2 tensors: encoder.layer.1.output.dense.weight (columns), "
        "encoder.layer.1.intermediate.dense.bias."
    )
    assert f"Note: {follow}" in output
    assert "1 selected tensor: 24 of 96 weights pruned" in output

    assert call("verify", out, "--against", folder)[0] == 0
    status, output, err = call("run", recipe, folder, "-o", tmp_path / "again")
    assert (status, err) == (0, "")
    assert follow in output
    again = (tmp_path / "again" / "model.safetensors").read_bytes()
    assert again == (out / "model.safetensors").read_bytes()
    status, output, _ = call("run", recipe, folder, "--check")
    assert (status, follow in output) == (0, True)
    assert ", with dependent tensors, on " in output


def test_unknown_dependents_are_refused_with_the_reason(call, refused, tmp_path, bert):
    more = ("--select", "conv1.weight", "--dependents")
    status, _, err = call(*prune(tmp_path / "o.safetensors", *more, method="ln_structured"))
    assert status != 0
    assert "the tensors belong to no known block" in err or "contains no config.json" in err
    assert not (tmp_path / "o.safetensors").exists()

    more = ("--select", "*.attention.output.dense.weight", "--dependents")
    status, _, err = call(*prune(tmp_path / "o", *more, method="ln_structured", source=bert[1]))
    assert status != 0
    assert "No other tensor is known to depend on dim 0 of 'encoder.layer.0.attention" in err

    err = refused(*prune(tmp_path / "o", "--dependents"))
    assert "Other tensors depend on whole channels only" in err


def test_resumable_loads_into_a_module_pruned_by_torch(call, tmp_path):
    status, _, _ = call(
        *prune(tmp_path / "o.pt", "--format", "resumable", "--select", "fc3.weight")
    )

    module = torch.nn.Linear(128, 10)
    torch_prune.identity(module, "weight")
    state = torch.load(tmp_path / "o.pt", weights_only=True)
    module.load_state_dict(
        {k.removeprefix("fc3."): v for k, v in state.items() if k.startswith("fc3.")}
    )
    assert status == 0
    assert int((module.weight_mask == 0).sum()) == 640


def test_a_resumable_file_is_pruned_further_from_where_it_was(call, tmp_path):
    call(*prune(tmp_path / "a.pt", "--format", "resumable"))

    status, out, _ = call(*prune(tmp_path / "b.safetensors", "--json", source=tmp_path / "a.pt"))

    fc1 = next(t for t in json.loads(out)["tensors"] if t["name"] == "fc1.weight")
    assert status == 0
    assert fc1["pruned"] == fc1["numel"] * 3 // 4


def test_a_mask_from_a_file(call, tmp_path):
    generator = np.random.default_rng(0)
    mask = torch.tensor(generator.random((10, 128)) < 0.5)
    save_file({"fc3.weight": mask}, tmp_path / "mask.safetensors")

    status, _, err = call(
        *("prune", SAMPLE, "-o", tmp_path / "o.safetensors", "--method", "custom_from_mask"),
        *("--mask", tmp_path / "mask.safetensors"),
    )

    assert (status, err) == (0, "")
    found = load_file(tmp_path / "o.safetensors")["fc3.weight"]
    assert torch.equal(found != 0, mask)


def test_importance_scores_from_a_file(call, tmp_path):
    scores = torch.arange(1280.0).reshape(10, 128)
    save_file({"fc3.weight": scores}, tmp_path / "scores.safetensors")

    status, _, _ = call(
        *prune(
            *(tmp_path / "o.safetensors", "--select", "fc3.weight"),
            *("--importance-scores", tmp_path / "scores.safetensors"),
            amount="300",
        )
    )

    assert status == 0
    kept = load_file(tmp_path / "o.safetensors")["fc3.weight"] != 0
    assert torch.equal(kept, scores >= 300)


def test_the_same_seed_makes_the_same_bytes(call, tmp_path):
    files = []
    for name, seed in (("a", 7), ("b", 7), ("c", 8)):
        call(*prune(tmp_path / name, "--seed", seed, method="random_unstructured"))
        files.append((tmp_path / name).read_bytes())

    assert files[0] == files[1] != files[2]


def test_inspect_lists_tensors_as_json_and_as_text(call):
    status, out, _ = call("inspect", SAMPLE, "--json")
    report = json.loads(out)
    status_words, words, _ = call("inspect", SAMPLE, "--select", "conv*")

    assert status == status_words == 0
    by_name = {t["name"]: t for t in report["tensors"]}
    assert by_name["conv2.weight"]["shape"] == [32, 16, 3, 3]
    assert by_name["conv2.weight"]["kind"] == "Conv2d"
    assert by_name["bn1.running_mean"]["prunable"] is False
    assert [t["name"] for t in report["tensors"] if t["selected_by_default"]] == DEFAULT
    assert "conv2.weight" in words
    assert "fc1.weight" not in words


def test_diff_shows_the_effect_of_pruning_in_any_format(call, tmp_path):
    call(*prune(tmp_path / "o.pt", "--select", "fc*.weight"))
    call(*prune(tmp_path / "masks.pt", "--select", "fc*.weight", "--format", "resumable"))

    status, out, err = call("diff", SAMPLE, tmp_path / "o.pt", "--json")
    report = json.loads(out)
    by_masks = call("diff", tmp_path / "masks.pt", tmp_path / "o.pt")

    a, b = load_file(SAMPLE), torch.load(tmp_path / "o.pt", weights_only=True)
    assert (status, err) == (1, "")
    assert (report["same"], report["differing"], report["compared"]) == (False, 3, len(a))
    changed = report["tensors"][:3]
    assert sorted(t["name"] for t in changed) == ["fc1.weight", "fc2.weight", "fc3.weight"]
    relatives = [t["relative"] for t in changed]
    assert relatives == sorted(relatives, reverse=True)
    for row in changed:
        x, y = a[row["name"]].double().flatten(), b[row["name"]].double().flatten()
        assert row["norm"] == pytest.approx((y - x).norm().item(), rel=1e-12)
        assert row["cosine"] == pytest.approx(torch.cosine_similarity(x, y, 0).item(), rel=1e-9)
        assert row["differing"] == row["zeros_b"] == row["parameters"] // 2
    assert {t["kind"] for t in report["tensors"][3:]} == {"same"}
    assert by_masks[0] == 0
    assert by_masks[1].endswith(f"0 of {len(a)} tensors differ\n")


def test_diff_prints_a_table_of_the_selected_tensors(call, tmp_path):
    call(*prune(tmp_path / "o.safetensors"))
    weights = load_file(tmp_path / "o.safetensors")
    weights["fc3.weight"] = weights["fc3.weight"][:4]
    weights["extra.weight"] = weights.pop("fc2.weight").half()
    save_file(weights, tmp_path / "o.safetensors")

    arguments = ("--only-different", "*.weight", "conv1.bias")
    status, out, err = call("diff", SAMPLE, tmp_path / "o.safetensors", *arguments)

    table = [line.split() for line in out.splitlines()]
    assert (status, err) == (1, "")
    assert table[0][:3] == ["tensor", "difference", "relative"]
    shown = {row[0]: " ".join(row[1:]) for row in table[1:7]}
    assert shown["fc2.weight"] == "only in A"
    assert shown["extra.weight"] == "only in B"
    assert shown["fc3.weight"] == "10×128 float32 / 4×128 float32"
    assert set(list(shown)[3:]) == {"fc1.weight", "conv2.weight", "conv1.weight"}
    relatives = [float(row[2]) for row in table[4:7]]
    assert relatives == sorted(relatives, reverse=True)
    assert "50.0 % 0.0 % 50.0 % 0.0 %" in shown["fc1.weight"]
    assert "bias" not in out
    assert out.splitlines()[-1] == "6 of 9 tensors differ"


def test_diff_of_shards_and_of_a_file_with_itself(call, tmp_path):
    weights = load_file(SAMPLE)
    half = len(weights) // 2
    parts = [dict(list(weights.items())[:half]), dict(list(weights.items())[half:])]
    index = {}
    for number, part in enumerate(parts, 1):
        name = f"model-{number:05}-of-00002.safetensors"
        save_file(part, tmp_path / name)
        index.update(dict.fromkeys(part, name))
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))

    for other in (tmp_path, tmp_path / "model.safetensors.index.json", SAMPLE):
        status, out, err = call("diff", SAMPLE, other, "--only-different")
        assert (status, err) == (0, "")
        assert out.splitlines()[-1] == f"0 of {len(weights)} tensors differ"


def test_diff_of_two_state_dicts_of_a_file(call, tmp_path):
    weights = load_file(SAMPLE)
    moved = {name: w + 1 if w.is_floating_point() else w for name, w in weights.items()}
    torch.save({"model": weights, "ema": moved}, tmp_path / "c.pt")
    keys = ("--state-dict", "model", "--other-state-dict", "ema")

    status, out, _ = call("diff", tmp_path / "c.pt", tmp_path / "c.pt", *keys, "fc3.bias", "--json")

    (row,) = json.loads(out)["tensors"]
    assert status == 1
    assert row["norm"] == pytest.approx(10**0.5)


def test_methods_lists_all_declared_methods(call):
    from pruneapp.methods.registry import METHODS

    status, out, _ = call("methods", "--json")
    _, words, _ = call("methods")

    assert status == 0
    assert [m["name"] for m in json.loads(out)] == list(METHODS)
    assert all(method.label in words for method in METHODS.values())


# Packages of the window, custom methods, clusters and stores, which take long to import.
OPTIONAL = {
    *("torch", "PySide6", "pyqtgraph", "safetensors", "dask", "distributed"),
    *("fsspec", "s3fs", "botocore", "aiohttp"),
}


def test_pruning_by_magnitude_loads_no_optional_package(run_python, tmp_path):
    code = (
        "import sys, pruneapp.cli.run; from pruneapp.__main__ import main\n"
        f"print(main(sys.argv[1:]), sorted({OPTIONAL} & set(sys.modules)))"
    )

    out = run_python(code, *(str(a) for a in prune(tmp_path / "o.safetensors", "--device", "cpu")))

    assert out.splitlines()[-1] == "0 []"


def test_prune_passes_at_most_20_functions(call, tmp_path):
    """Count the functions on the stack at the steps of the work, from reading to the report."""
    ends = {
        "pruneapp.cli.parser.parse",
        "pruneapp.checkpoint.formats.safetensors.read_header",
        "pruneapp.methods.prune_tensors.rules",
        "pruneapp.export.exporter.make_file",
        "pruneapp.cli.export_options.report_output",
        "pruneapp.cli.terminal.show",
    }
    passed = set()

    def name_of(frame):
        return f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}"

    def watch(frame, event, _argument):
        if event == "call" and name_of(frame) in ends:
            while frame is not None:
                passed.add(name_of(frame))
                frame = frame.f_back

    sys.setprofile(watch)
    try:
        status, _, _ = call(*prune(tmp_path / "o.safetensors"))
    finally:
        sys.setprofile(None)
    passed = {name for name in passed if name.startswith("pruneapp.")}
    assert status == 0
    assert ends <= passed
    assert len(passed) <= 20, passed


@pytest.mark.parametrize("words", [(), ("evaluate",)])
def test_help_loads_nothing_heavy(run_python, words):
    code = (
        f"import sys\ntry:\n import pruneapp.__main__ as m; m.main({[*words, '--help']!r})\n"
        "except SystemExit: pass\n"
        "print(sorted({'torch', 'PySide6', 'numpy'} & set(sys.modules)))"
    )

    assert run_python(code).splitlines()[-1] == "[]"


def test_help_of_a_command_has_its_description(call):
    for command, declared in COMMANDS.items():
        status, out, _ = call(command, "--help")
        assert (status, declared.description in " ".join(out.split())) == (0, True), command


def test_a_termination_leaves_no_file(tmp_path):
    """SIGINT does the same: `test_an_interrupted_run_leaves_no_file`."""
    source = tmp_path / "large.safetensors"
    save_file({f"layer{i}.weight": torch.zeros(4096, 4096) for i in range(2)}, source)
    command = [sys.executable, "-m", "pruneapp", *map(str, prune(tmp_path / "o", source=source))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until(process, "a file was begun", lambda: any(tmp_path.glob(".*part")))

    process.terminate()
    out, err = process.communicate(timeout=20)

    assert (process.returncode, out, err) == (143, "", "pruneapp: Interrupted.\n")
    assert [p.name for p in tmp_path.iterdir()] == ["large.safetensors"]


@pytest.mark.parametrize("module", ["argparse", "msgspec"])
def test_an_interrupt_while_options_are_read_shows_no_traceback(tmp_path, module):
    """Ctrl+C directly after the start interrupts imports."""
    code = (
        "import os, signal, sys\n"
        "class Typed:\n"
        "    def find_spec(self, name, *_):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Typed())\n"
        "import pruneapp.__main__ as m\n"
        "sys.exit(m.main())"
    )
    words = map(str, prune(tmp_path / "o.safetensors"))
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, b"", b"")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="the terminal is one of Unix")
def test_output_is_redirected_completely_while_progress_is_shown(call, tmp_path):
    """Regression: rich wrote the standard output to the terminal of the progress bar."""
    words = ("inspect", SAMPLE)
    terminal, stderr = os.openpty()
    command = [sys.executable, "-m", "pruneapp", *map(str, words)]
    with (tmp_path / "out").open("w") as out:
        subprocess.run(command, stdout=out, stderr=stderr, check=True, timeout=60)
    os.close(stderr)
    os.close(terminal)
    assert (tmp_path / "out").read_text() == call(*words)[1]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="others always have a display")
def test_a_window_without_a_display_is_refused_in_one_sentence(refused, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)

    err = refused(SAMPLE)
    assert err.startswith("pruneapp: There is no display")
    assert err.count("\n") == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names are text elsewhere")
@pytest.mark.parametrize(
    "words",
    [
        ("inspect",),
        ("sizes",),
        ("check", "--pattern", "2:4"),
        ("diff", SAMPLE),
        ("prune", "--method", "l1_unstructured", "--amount", "0.5", "-o", "small.safetensors"),
    ],
    ids=lambda words: words[0],
)
def test_a_file_name_that_is_not_unicode_is_valid_json(call, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"x\xff.safetensors")
    Path(name).write_bytes(SAMPLE.read_bytes())

    status, out, err = call(words[0], name, *words[1:], "--json")

    assert (status in {0, 1}, err) == (True, "")
    assert json.loads(out)
    if words[0] == "inspect":
        assert Path(json.loads(out)["path"]).name == name
