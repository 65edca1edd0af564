"""Format parameters, reports and the check script on the command line."""

import ast
import json
import re

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from pruneapp.__main__ import main
from pruneapp.cli.options import SPELLINGS, option_of
from pruneapp.cli.parser import parse
from tests.support.formats import OF_ANY_SOURCE as FORMATS


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "model.safetensors"
    generator = torch.Generator().manual_seed(0)
    save_file({"a.weight": torch.randn(20, 30, generator=generator)}, path)
    return path


@pytest.fixture
def call(source, tmp_path, capfd):
    def run(*more):
        words = ["prune", source, "-o", tmp_path / "out.safetensors", "--method", "l1_unstructured"]
        try:
            status = main([str(word) for word in (*words, "--amount", "0.5", *more)])
        except SystemExit as end:
            status = end.code
        return status, *capfd.readouterr()

    return run


def test_the_dtype_can_be_chosen(call, tmp_path):
    status, out, _ = call("--dtype", "bfloat16")

    assert status == 0
    assert "Rounded to bfloat16. The largest rounding error is" in out
    found = load_file(tmp_path / "out.safetensors")["a.weight"]
    assert found.dtype == torch.bfloat16
    assert int((found == 0).sum()) == 300


def test_a_maximum_shard_size_writes_a_folder(source, tmp_path, capfd):
    more = torch.randn(30, 30)
    save_file(load_file(source) | {"b.weight": more, "c.weight": more + 1}, source)
    (tmp_path / "config.json").write_text("{}")
    out = tmp_path / "out"
    words = ["prune", source, "-o", out, "--method", "l1_unstructured", "--amount", "0.5"]
    assert main([str(word) for word in (*words, "--shard-size", "5 kB")]) == 0
    output = capfd.readouterr().out
    names = [f"model-0000{number}-of-00003.safetensors" for number in (1, 2, 3)]

    assert sorted(path.name for path in out.iterdir()) == [
        "config.json", *names, "model.safetensors.index.json"
    ]  # fmt: skip
    assert all(f"{out / name}: " in output for name in names)
    assert max((out / name).stat().st_size for name in names) <= 5000
    assert main(["verify", str(out), "--against", str(source)]) == 0
    assert "Yes" in capfd.readouterr().out


def test_a_folder_with_the_name_of_another_formats_file_is_refused(source, tmp_path, capfd):
    (tmp_path / "config.json").write_text("{}")
    out = tmp_path / "zz.pt"
    words = ["prune", tmp_path, "-o", out, "--method", "l1_unstructured", "--amount", "0.5"]
    assert main([str(word) for word in (*words, "--format", "safetensors")]) == 2
    assert capfd.readouterr().err == (
        "pruneapp: 'zz.pt' is the name of a file, but not of one in the format 'safetensors': the "
        "model would be written as a folder of that name. "
        "Choose 'zz.safetensors' for one file, or 'zz' for a folder.\n"
    )
    assert not out.exists()


def test_files_of_a_folder_are_announced_before_they_are_replaced(source, tmp_path, capfd):
    words = ["prune", source, "-o", tmp_path / "out", "--method", "l1_unstructured"]
    call = [str(word) for word in (*words, "--amount", "0.5", "--shard-size", "1GB")]
    assert main(call) == 0
    assert capfd.readouterr().err == ""
    assert main(call) == 0
    output = capfd.readouterr().err
    assert output == "Note: 1 file is there already and will be replaced: 'model.safetensors'.\n"
    (tmp_path / "out" / "pytorch_model.bin").write_bytes(b"old")
    assert main(call) == 2
    output = capfd.readouterr().err
    assert output.startswith("pruneapp: ")
    assert "holds 'pytorch_model.bin', which would stay" in output


def test_every_parameter_of_every_format_is_an_option(capfd):
    with pytest.raises(SystemExit):
        main(["prune", "--help"])
    output = capfd.readouterr().out
    for form in FORMATS.values():
        for param in form.params:
            assert f"{option_of(param.name)} " in output


def test_reports_and_the_comparison_script_describe_the_export(call, tmp_path, source):
    page, table, everything = (tmp_path / f"r{suffix}" for suffix in (".html", ".csv", ".json"))
    script = tmp_path / "check.py"
    reports = [word for path in (page, table, everything) for word in ("--report", path)]
    status, _, _ = call(*reports, "--check-script", script)

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


def test_the_sizes_in_a_report_are_those_of_the_files(call, tmp_path):
    """Regression: recipe and checksums were not counted, and the written format had an estimate."""
    written, reported = {}, {}
    for name, form in FORMATS.items():
        out, report = tmp_path / f"as-{name}{form.suffixes[0]}", tmp_path / f"{name}.json"
        status, _, output = call("-o", out, "--format", name, "--report", report)
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


def test_the_report_of_a_recipe_has_the_rules_of_its_steps(tmp_path, source):
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
    words = ["run", recipe, source, "-o", tmp_path / "out.safetensors", "--report", report]
    assert main([str(word) for word in words]) == 0
    details = [
        text.replace("\u00a0", " ") for text in json.loads(report.read_text())["step_details"]
    ]
    assert "Rule 2: L1 30 % on 1 tensor (a.*)" in details[0].splitlines()
    assert "Pattern: a.*" in details[1]
    assert "90 %" in details[1]


def test_the_comparison_script_of_an_export_over_its_source_reads_the_backup(
    tmp_path, source, capfd
):
    script = tmp_path / "check.py"
    words = ["prune", source, "-o", source, "--method", "l1_unstructured", "--amount", "0.5"]
    words += ["--comparison-script", script]
    assert main([str(word) for word in words]) == 0
    capfd.readouterr()
    kept = source.with_name(f"{source.stem}.orig{source.suffix}")
    assert f"    {str(kept)!r}: {kept.stat().st_mtime_ns}," in script.read_text()
    script.unlink()
    before = source.read_bytes()
    assert main([str(word) for word in (*words, "--replace-original")]) == 2
    assert "--comparison-script needs the original, which --replace" in capfd.readouterr().err
    assert not script.exists()
    assert source.read_bytes() == before, "nothing was written"


def test_a_report_is_replaced_and_a_script_is_not(call, tmp_path):
    page, script = tmp_path / "r.html", tmp_path / "check.py"
    page.write_text("old")
    script.write_text("mine")
    status, output, _ = call("--report", page, "--check-script", script)

    assert status == 0
    assert "<html" in page.read_text()
    assert script.read_text() == "mine"
    assert "def make_model" in (tmp_path / "check2.py").read_text()
    assert f"Note: The script is '{tmp_path / 'check2.py'}'." in output
    assert f"Note: '{script}' exists already and is not replaced." in output
    status, output, _ = call("--check-script", script, "--json")
    assert len(json.loads(output)["notices"]) == 2


@pytest.mark.parametrize(("name", "spelling"), SPELLINGS.items())
def test_parameter_names_are_accepted_but_only_spellings_are_shown(name, spelling, capsys):
    """Old spellings of options are still accepted."""
    base = ["prune", "in.safetensors", "-o", "out", "--method", "l1_unstructured"]
    flag = name == "companions"
    (new,), (old,) = (
        [vars(parse([*base, f"--{word}", *(() if flag else ("5",))]))]
        for word in (spelling, name.replace("_", "-"))
    )
    assert new == old
    assert new != vars(parse(base))
    with pytest.raises(SystemExit):
        parse(["prune", "--help"])
    shown = capsys.readouterr().out
    assert f"--{spelling} " in shown or f"--{spelling}\n" in shown
    assert not re.search(rf"--{name.replace('_', '-')}\b(?!-)", shown)
