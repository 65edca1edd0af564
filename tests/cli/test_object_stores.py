"""Commands whose FILE and OUT are URLs."""

from __future__ import annotations

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from pruneapp.__main__ import main


@pytest.fixture
def url(bucket, tmp_path):
    save_file(
        {"a.weight": torch.arange(1.0, 101).reshape(10, 10), "a.bias": torch.ones(10)},
        tmp_path / "model.safetensors",
    )
    return str(bucket.put("m/model.safetensors", (tmp_path / "model.safetensors").read_bytes()))


def test_every_command_accepts_urls(url, bucket, tmp_path, capsys):
    local, out = str(tmp_path / "model.safetensors"), url.replace("model", "out")
    here, recipe = str(tmp_path / "out.safetensors"), str(tmp_path / "a.recipe.json")
    step = ["--method", "l1_unstructured", "--amount", "0.5", "--save-recipe", recipe]
    assert main(["inspect", url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tensors"][0]["name"] == "a.bias"
    assert main(["prune", url, "-o", out, *step]) == 0
    assert f"{out}: " in capsys.readouterr().out
    assert main(["prune", local, "-o", here, *step]) == 0
    assert bucket.get("m/out.safetensors") == (tmp_path / "out.safetensors").read_bytes()
    assert main(["run", recipe, url, "-o", url.replace("model", "again")]) == 0
    assert bucket.get("m/again.safetensors") == bucket.get("m/out.safetensors")
    capsys.readouterr()
    assert main(["verify", out, "--against", url]) == 0
    assert capsys.readouterr().out.startswith("Yes: s3://")
    assert main(["diff", out, here]) == 0
    assert main(["diff", out, url]) == 1
    assert main(["sizes", url]) == 0
    assert main(["check", out, "--pattern", "2:4"]) == 1
    packed, report = url.replace("model", "p.compact"), url.replace("model.safetensors", "r.json")
    assert main(["run", recipe, url, "-o", packed, "--report", report]) == 0
    assert main(["expand", packed, "-o", str(tmp_path / "x.safetensors")]) == 0
    assert torch.equal(
        load_file(tmp_path / "x.safetensors")["a.weight"], load_file(here)["a.weight"]
    )
    assert "m/r.json" in bucket.listed()


def test_a_url_that_does_not_exist(url, capsys):
    assert main(["inspect", url.replace("model", "nothing")]) == 2
    output = capsys.readouterr().err
    assert "nothing.safetensors' cannot be opened: no such file" in output


def test_without_the_packages(tmp_path, run_python):
    """The message names the packages to install."""
    output = run_python(
        "import sys\n"
        "sys.modules['fsspec'] = None\n"
        "from pruneapp.__main__ import main\n"
        "sys.stderr = sys.stdout\n"
        "assert main(['inspect', 's3://b/m.safetensors']) == 2\n"
    )
    assert "the package s3fs, which reaches it, cannot be imported" in output
    assert 'pip install "pruneapp[cloud]"' in output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("https://example.org/m.safetensors", "begin with s3://, gs://, az:// or hf://"),
        ("s3://", "names no object"),
        ("s3://joe:SECRET@bucket/m.safetensors", "must not contain ':' or '?'"),
        ("s3://joe:SEC/RET@bucket/m.safetensors", "must not contain ':' or '?'"),
        ("s3://bucket/m.safetensors?X-Amz-Signature=SECRET", "must not contain ':' or '?'"),
    ],
)
def test_urls_that_are_refused(text, message, capsys, tmp_path):
    """Messages do not contain the URL's password."""
    assert main(["inspect", text]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "SEC" not in error
    assert main(["prune", text, "-o", text, "--method", "l1_unstructured", "--amount", "0.5"]) == 2
    error = capsys.readouterr().err
    assert "SEC" not in error


@pytest.mark.logs
def test_credentials_are_not_printed_or_stored(url, bucket, tmp_path, capsys, caplog, monkeypatch):
    """Not in recipes, reports, exports or logs, whatever fails."""
    monkeypatch.setattr("pruneapp.checkpoint.io.store._WAITS", (0.001,) * 2)
    caplog.set_level(0)
    out = url.replace("model", "out")
    recipe, report = tmp_path / "a.recipe.json", tmp_path / "r.json"
    step = ["--method", "l1_unstructured", "--amount", "0.5", "--save-recipe", str(recipe)]
    assert main(["prune", url, "-o", out, *step, "--report", str(report)]) == 0
    bucket.faults.errors = 1
    page = str(tmp_path / "r.html")
    assert main(["inspect", url]) == 2
    bucket.faults.errors = 0
    assert main(["prune", url, "-o", url.replace("model", "o2"), *step, "--report", page]) == 0
    captured = capsys.readouterr()
    texts = [
        captured.out,
        captured.err,
        *(path.read_bytes().decode("latin1") for path in tmp_path.iterdir()),
        *(bucket.get(key).decode("latin1") for key in bucket.listed()),
        *(r.getMessage() for r in caplog.records if r.name.startswith("pruneapp")),
    ]
    assert not any("SECRETSECRET" in text for text in texts)
