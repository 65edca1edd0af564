"""Format parameters, reports and the check script on the command line."""

import ast
import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from pruneapp.cli.options import option_of
from tests.support.formats import OF_ANY_SOURCE as FORMATS

L1 = ("--method", "l1_unstructured", "--amount", "0.5")


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "model.safetensors"
    generator = torch.Generator().manual_seed(0)
    save_file({"a.weight": torch.randn(20, 30, generator=generator)}, path)
    return path


@pytest.fixture
def prune(call, source, tmp_path):
    """Provide a function that prunes half of the source with more options."""

    def run(*more, file=source, output=tmp_path / "out.safetensors"):
        return call("prune", file, "-o", output, *L1, *more)

    return run


def test_the_dtype_can_be_chosen(prune, tmp_path):
    status, out, _ = prune("--dtype", "bfloat16")

    assert status == 0
    assert "Rounded to bfloat16. The largest rounding error is" in out
    found = load_file(tmp_path / "out.safetensors")["a.weight"]
    assert found.dtype == torch.bfloat16
    assert int((found == 0).sum()) == 300


def test_a_maximum_shard_size_writes_a_folder(call, prune, source, tmp_path):
    more = torch.randn(30, 30)
    save_file(load_file(source) | {"b.weight": more, "c.weight": more + 1}, source)
    (tmp_path / "config.json").write_text("{}")
    out = tmp_path / "out"
    status, output, _ = prune("--max-shard-size", "5 kB", output=out)
    assert status == 0
    names = [f"model-0000{number}-of-00003.safetensors" for number in (1, 2, 3)]

    assert sorted(path.name for path in out.iterdir()) == [
        "config.json", *names, "model.safetensors.index.json"
    ]  # fmt: skip
    assert all(f"{out / name}: " in output for name in names)
    assert max((out / name).stat().st_size for name in names) <= 5000
    status, output, _ = call("verify", out, "--against", source)
    assert (status, "Yes" in output) == (0, True)


def test_a_folder_with_the_name_of_another_formats_file_is_refused(prune, source, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    out = tmp_path / "zz.pt"
    status, _, err = prune("--format", "safetensors", file=tmp_path, output=out)
    assert status == 2
    assert err == (
        "pruneapp: 'zz.pt' is the name of a file, but not of one in the format 'safetensors': the "
        "model would be written as a folder of that name. "
        "Choose 'zz.safetensors' for one file, or 'zz' for a folder.\n"
    )
    assert not out.exists()


def test_files_of_a_folder_are_announced_before_they_are_replaced(prune, tmp_path):
    def write():
        return prune("--max-shard-size", "1GB", output=tmp_path / "out")

    assert write()[::2] == (0, "")
    message = "Note: 1 file is there already and will be replaced: 'model.safetensors'.\n"
    assert write()[::2] == (0, message)
    (tmp_path / "out" / "pytorch_model.bin").write_bytes(b"old")
    status, _, err = write()
    assert status == 2
    assert err.startswith("pruneapp: ")
    assert "contains 'pytorch_model.bin'. These files would remain" in err


def test_every_parameter_of_every_format_is_an_option(call):
    _, output, _ = call("prune", "--help")
    for form in FORMATS.values():
        for param in form.params:
            assert f"{option_of(param.name)} " in output


def test_reports_and_the_comparison_script_describe_the_export(prune, tmp_path, source):
    page, table, everything = (tmp_path / f"r{suffix}" for suffix in (".html", ".csv", ".json"))
    script = tmp_path / "check.py"
    reports = [word for path in (page, table, everything) for word in ("--report", path)]
    status, _, _ = prune(*reports, "--comparison-script", script)

    assert status == 0
    data = json.loads(everything.read_text())
    assert data["sparsity"] == 0.5
    assert data["steps"] == ["L1 50 % on a.weight"]
    lines = data["step_details"][0].splitlines()
    assert {"  Amount: 50%", "  a.weight", "Scope: per tensor"} <= set(lines)
    assert len(data["inputs"]) == 1
    assert data["inputs"][0] in page.read_text()
    weights = load_file(source)["a.weight"].numpy()
    kept = np.sort(np.abs(weights), axis=None)[300:]
    energy = float((kept.astype(float) ** 2).sum() / (weights.astype(float) ** 2).sum())
    assert data["tensors"][0]["norm2_retained"] == pytest.approx(energy)
    assert "a.weight" in table.read_text()
    assert any(
        isinstance(node, ast.Constant) and node.value == str(tmp_path / "out.safetensors")
        for node in ast.walk(ast.parse(script.read_text()))
    )


def test_the_sizes_in_a_report_are_those_of_the_files(prune, tmp_path):
    """Regression: recipe and checksums were not counted, and the written format had an estimate."""
    written, reported = {}, {}
    for name, form in FORMATS.items():
        out, report = tmp_path / f"as-{name}{form.suffixes[0]}", tmp_path / f"{name}.json"
        status, _, output = prune("-o", out, "--format", name, "--report", report)
        if status:
            assert "needs" in output
            continue
        written[name] = out.stat().st_size
        reported[name] = {each["name"]: each for each in json.loads(report.read_text())["sizes"]}
    assert {"safetensors", "masks", "compact"} <= written.keys()
    for name, sizes in reported.items():
        assert (sizes[name]["nbytes"], sizes[name]["exact"]) == (written[name], True), name
        for other, size in written.items():
            if sizes[other]["exact"] and other not in {"torch", "prune_mask"}:
                assert sizes[other]["nbytes"] == size, (name, other)


def test_the_report_of_a_recipe_has_the_rules_of_its_steps(call, tmp_path, source):
    rows = [
        {"name": "l1_unstructured", "configuration": {"values": values, "pattern": "a.*"}}
        for values in ({"amount": 0.5}, {"amount": 0.3})
    ]
    step = {"name": "step", "configuration": {"scope": "local", "rows": rows}}
    more = {"step": {**step, "configuration": {**step["configuration"], "rows": rows[:1]}}}
    schedule = {"name": "schedule", "configuration": {**more, "final": 0.9, "steps": 2}}
    recipe, report = tmp_path / "recipe.json", tmp_path / "r.json"
    recipe.write_text(
        json.dumps({"format": "pruneapp-recipe", "version": 1, "entries": [step, schedule]})
    )
    output = tmp_path / "out.safetensors"
    assert call("run", recipe, source, "-o", output, "--report", report)[0] == 0
    details = [
        text.replace("\u00a0", " ") for text in json.loads(report.read_text())["step_details"]
    ]
    assert "Rule 2: L1 30 % on 1 tensor (a.*)" in details[0].splitlines()
    assert "Pattern: a.*" in details[1]
    assert "90 %" in details[1]


def test_the_comparison_script_of_an_export_over_its_source_reads_the_backup(
    prune, source, tmp_path
):
    script = tmp_path / "check.py"
    assert prune("--comparison-script", script, output=source)[0] == 0
    kept = source.with_name(f"{source.stem}.orig{source.suffix}")
    assert f"    {str(kept)!r}: {kept.stat().st_mtime_ns}," in script.read_text()
    script.unlink()
    before = source.read_bytes()
    status, _, err = prune("--comparison-script", script, "--replace-original", output=source)
    assert status == 2
    assert "--comparison-script needs the original, which --replace" in err
    assert not script.exists()
    assert source.read_bytes() == before, "nothing was written"


def test_a_report_is_replaced_and_a_script_is_not(prune, tmp_path):
    page, script = tmp_path / "r.html", tmp_path / "check.py"
    page.write_text("old")
    script.write_text("mine")
    status, output, _ = prune("--report", page, "--comparison-script", script)

    assert status == 0
    assert "<html" in page.read_text()
    assert script.read_text() == "mine"
    assert "def make_model" in (tmp_path / "check2.py").read_text()
    assert f"Note: The script is '{tmp_path / 'check2.py'}'." in output
    assert f"Note: '{script}' exists already and is not replaced." in output
    status, output, _ = prune("--comparison-script", script, "--json")
    assert len(json.loads(output)["notices"]) == 2
