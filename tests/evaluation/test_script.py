"""Scripts are read, not run; their Python environment is found nearby."""

from __future__ import annotations

import ast
import os
import runpy
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_torch

from pruneapp import DOCUMENTATION, resources
from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import ScriptRunner
from pruneapp.evaluation.script import (
    BUILT_IN_NAMES,
    EvaluationScript,
    Interpreter,
    Options,
    find_interpreter,
    has_program_code,
    program_code,
    template_for,
)
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.groups.operator_graph import has_operators
from pruneapp.progress import Cancelled, Job
from tests.reliability.evaluations import left_over

HEADER = """# /// script
# requires-python = ">=3.9"
# dependencies = ["torch"]
# ///
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    """Write a script in a project folder; deactivate environments."""
    for variable in ("CONDA_PREFIX", "VIRTUAL_ENV"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "project" / "evaluation").mkdir(parents=True)
    (tmp_path / "project" / "pyproject.toml").write_text("")
    path = tmp_path / "project" / "evaluation" / "s.py"
    path.write_text(HEADER + "raise SystemExit('I was run')\n" + "x\n" * 100)
    return EvaluationScript.read(path)


def environment(prefix):
    """Create the layout of a virtual environment; return its Python."""
    python = prefix / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    return python


def test_a_script_is_read_and_not_run(script):
    assert "I was run" in script.text
    assert script.header == 'requires-python = ">=3.9"\ndependencies = ["torch"]'
    assert len(script.sha256) == 64


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have names on Unix only")
def test_a_script_is_a_regular_file(script, tmp_path):
    """Reading a pipe would never end, and a window with such a job would not close."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path / "pipe", tmp_path / "loop", tmp_path):
        with pytest.raises(EvaluationError, match=path.name):
            EvaluationScript.read(path)
    script.path.unlink()
    os.mkfifo(script.path)
    assert not script.unchanged


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def evaluate(model): ...", True),
        ("def evaluate(model, limit): ...", False),
        ("def evaluate(model): ...\ndef calibrate(model, *, limit): ...", False),
        ("@with_limit\ndef evaluate(model): ...", False),
        ("from other import evaluate", False),
        ("def evaluate(model: ...", False),
    ],
)
def test_a_limit_is_ignored_if_no_measuring_function_takes_it(tmp_path, text, expected):
    """Functions that parsing cannot judge count as functions that take it."""
    path = tmp_path / "s.py"
    path.write_text(text)
    assert EvaluationScript.read(path).ignores_limit() is expected


def test_only_what_evaluates_decides_whether_results_are_comparable(tmp_path):
    """Regression: another learning rate in train made all metrics outdated."""
    train = "@decorated\ndef train(model):\n    step(model, {rate})\n\n\n"
    body = "import torch\n\n\n{train}def evaluate(model):\n    return {{'loss': {loss}}}\n"

    def digests(train, loss=1, more=""):
        path = tmp_path / "evaluate.py"
        path.write_text(body.format(train=train, loss=loss) + more)
        script = EvaluationScript.read(path)
        return script.measuring_sha256, script.sha256

    slow, fast = digests(train.format(rate=1)), digests(train.format(rate=2))
    assert slow[0] == fast[0]
    assert slow[1] != fast[1]
    assert digests(train.format(rate=1), loss=2)[0] != slow[0]
    assert digests(train.format(rate=1), more="x = 1\n")[0] != slow[0]
    called = "train(None)\n"
    assert digests(train.format(rate=1), more=called) != digests(train.format(rate=2), more=called)
    assert len(set(digests("def train(:\n"))) == 1, "code that cannot be parsed counts as a whole"


def test_the_environment_beside_the_script_comes_first(script, tmp_path, monkeypatch):
    assert find_interpreter(script).path == Path(sys.executable)
    conda = environment(tmp_path / "conda")
    monkeypatch.setenv("CONDA_PREFIX", str(tmp_path / "conda"))
    found = find_interpreter(script)
    assert (found.path, "conda" in found.found) == (conda, True)
    assert "PEP 723" in found.notice
    beyond = environment(tmp_path / ".venv")  # above the project
    above = environment(tmp_path / "project" / ".venv")
    assert find_interpreter(script).path == above
    beside = environment(script.path.parent / ".venv")
    assert find_interpreter(script).path == beside
    assert find_interpreter(script, beyond).path == beyond
    monkeypatch.chdir(tmp_path)
    assert find_interpreter(script, Path(".venv")).path == beyond, "the worker runs elsewhere"
    assert find_interpreter(script, tmp_path / ".venv").path == beyond


def test_uv_makes_the_environment_of_a_header(script, tmp_path, monkeypatch):
    made = environment(tmp_path / "made")
    uv = tmp_path / "bin" / "uv"
    uv.parent.mkdir()
    uv.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/called\necho {made}\n')
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/bin:/usr/bin")
    assert find_interpreter(script, make=False).path == uv
    assert not (tmp_path / "called").exists()
    assert find_interpreter(script).path == made
    assert (tmp_path / "called").read_text().splitlines() == [
        f"sync --script {script.path}",
        f"python find --script {script.path}",
    ]
    uv.write_text("#!/bin/sh\necho no such package >&2\nexit 1\n")
    with pytest.raises(EvaluationError, match="uv could not make the environment") as caught:
        find_interpreter(script)
    assert "no such package" in caught.value.details
    uv.write_text(f"#!/bin/sh\nsleep 60 &\necho $$ > {tmp_path}/group\nwait\n")
    job = Job()
    threading.Timer(0.2, job.cancel.cancel).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        find_interpreter(script, job=job)
    assert time.monotonic() - began < 5
    assert left_over(int((tmp_path / "group").read_text())) == [], "what uv started ends with it"


def test_what_is_no_interpreter_is_refused(script, tmp_path):
    no_names = Path("python" * 100), Path("/usr/bin/py\0thon"), Path("py\0thon")
    missing = tmp_path, tmp_path / "missing", Path("no-such-command")
    for chosen in (*missing, *no_names, script.path):
        with pytest.raises(EvaluationError, match="There is no Python interpreter at"):
            find_interpreter(script, chosen)


def test_the_worker_is_valid_for_the_oldest_python_and_needs_only_known_packages():
    files = sorted(resources.path("pruneapp_worker").glob("*.py"))
    assert len(files) == 29
    for file in files:
        tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 9))
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module]
            for name in names:
                top = name.partition(".")[0]
                allowed = sys.stdlib_module_names | {
                    "torch",
                    "numpy",
                    "onnxruntime",
                    "pruneapp_worker",
                    "tqdm",
                    "transformers",
                    "torchvision",
                    "timm",
                    "PIL",
                    "safetensors",
                }
                assert top in allowed, (file, name)


# Names of the standard library that were added after Python 3.9.
NEWER = [
    "pairwise",
    "batched",
    "bit_count",
    "sumprod",
    "cbrt",
    "ExceptionGroup",
    "BaseExceptionGroup",
    "file_digest",
    "UTC",
    "StrEnum",
    "stdlib_module_names",
    "orig_argv",
    "get_annotations",
    "aclosing",
    "chdir",
    "anext",
    "aiter",
    "exception",
    "add_note",
    "walk",
    "hardlink_to",
    "tomllib",
    "Self",
    "override",
    "TypeAlias",
    "TypeGuard",
    "ParamSpec",
    "EncodingWarning",
    "copy_file_range",
]


def newer_than_39(tree):
    """Yield constructs that parse in Python 3.9 but do not exist there."""
    for node in ast.walk(tree):
        name = getattr(node, "attr", getattr(node, "id", getattr(node, "name", "")))
        if name in NEWER:
            yield name
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            words = {word.arg for word in node.keywords}
            if node.func.id == "zip" and "strict" in words:
                yield "zip(strict)"
            if node.func.id == "dataclass" and words & {"slots", "kw_only", "match_args"}:
                yield "dataclass(slots)"
            if node.func.id in {"isinstance", "issubclass"} and isinstance(
                node.args[-1], ast.BinOp
            ):
                yield "isinstance(A | B)"


def test_the_worker_uses_no_newer_standard_library():
    for file in sorted(resources.path("pruneapp_worker").glob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        assert list(newer_than_39(tree)) == [], file
        annotated = any(
            getattr(node, "annotation", None) or getattr(node, "returns", None)
            for node in ast.walk(tree)
        )
        future = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in tree.body)
        assert future or not annotated, f"{file}: X | None is evaluated"
    for text in ("import tomllib", "from itertools import pairwise", "zip(a, b, strict=True)"):
        assert list(newer_than_39(ast.parse(text))), text
    assert list(newer_than_39(ast.parse("isinstance(a, int | float)")))


@pytest.mark.parametrize(("text", "embeds"), [(False, True), (True, False), (True, True)])
def test_only_what_is_shipped_is_built_in(tmp_path, text, embeds):
    """A copied script in a folder of the same name still needs confirmation to run."""
    shipped = EvaluationScript.shipped(text=text, embeds=embeds)
    assert shipped.builtin
    copy = tmp_path / shipped.path.parent.name / shipped.path.name
    copy.parent.mkdir()
    copy.write_text(shipped.text)
    assert not EvaluationScript.read(copy).builtin
    assert EvaluationScript.read(copy).name == copy.name
    names = {path.name for path in resources.path("pruneapp_worker").glob("builtin_*.py")}
    assert names == set(BUILT_IN_NAMES)


def functions_of(text, tmp_path):
    """Run a script as the worker does; return its namespace."""
    path = tmp_path / "new.py"
    path.write_text(text)
    return runpy.run_path(str(path))


def test_the_template_for_the_sample_runs_as_it_is(tmp_path):
    with open_checkpoint(resources.path("sample/lenet-digits.safetensors")) as sample:
        text = template_for(sample)
        assert "Path" not in text, "it was imported, and not used"
        script = functions_of(text, tmp_path)
        model = script["load"](str(sample.path))
    right = script["evaluate"](model)["accuracy"]
    assert (sum(right), len(right)) == (356, 360)
    script["calibrate"](model)


def test_a_template_names_the_tensors_and_takes_no_code_from_names(tmp_path):
    evil = {
        '"""\nimport os': "a\rimport os",
        'TENSORS"""; import os': '"""; import os',
        "FILE READ": "b\u2028import os",
    }
    plain = None
    for name, tensor in {"model": "a.weight", **evil}.items():
        path = tmp_path / f"{name}.safetensors"
        save_file({tensor: np.ones((4, 3), np.float32)}, path)
        with open_checkpoint(path) as checkpoint:
            text = template_for(checkpoint)
        tree = ast.parse(text)
        code = ast.dump(ast.Module(tree.body[1:], []))
        plain = plain or code
        assert code == plain, "the same code for every file"
        assert "(4, 3)" in text
    assert "load_file(path)" in text
    torch.save({"a": torch.ones(2, 2)}, tmp_path / "m.pt")
    with open_checkpoint(tmp_path / "m.pt") as checkpoint:
        text = template_for(checkpoint)
    assert "    state_dict = torch.load(path, map_location='cpu')\n" in text
    assert f"{DOCUMENTATION}/measure.md" in text


def test_a_template_reads_a_nested_state_dict(tmp_path):
    """The lines that load the file are those of the report of an export."""
    model = torch.nn.Linear(4, 3)
    weights = {f"module.{name}": tensor for name, tensor in model.state_dict().items()}
    torch.save({"model": weights, "epoch": 3, "optimizer": {}}, tmp_path / "m.pt")
    with open_checkpoint(tmp_path / "m.pt") as checkpoint:
        text = template_for(checkpoint)
        exported = export(Snapshot(checkpoint), ExportRequest("torch", tmp_path / "out.pt"), Job())
    for line in exported.loads.replace(repr(str(tmp_path / "out.pt")), "path").splitlines()[1:]:
        assert f"    {line}\n" in text
    save_torch(weights, tmp_path / "weights.safetensors")
    assert "torch.load(path, map_location='cpu')['model']" in text
    found = functions_of(text, tmp_path)
    found["load"].__globals__["MyModel"] = lambda: torch.nn.Linear(4, 3)
    for name in ("m.pt", "weights.safetensors"):
        loaded = found["load"](str(tmp_path / name))
        assert torch.equal(loaded.weight, model.weight)
    assert "train" not in found
    training = text[text.index("# def train(") :].splitlines()
    assert "called once, for all epochs" in training[0]
    batches = [(torch.ones(2, 4), torch.tensor([0, 1]))] * 5
    space = {"torch": torch, "train_loader": lambda: batches}
    exec("\n".join(line.removeprefix("# ") for line in training), space)
    steps = list(space["train"](torch.nn.Linear(4, 3), progress=iter))
    assert len(steps) == 3 * len(batches), "it can be uncommented, and trains for three epochs"


@pytest.fixture
def program(tmp_path):
    """Return the paths of a program of torch.export, and of a torch file with its weights."""
    model = torch.nn.Linear(4, 3)
    torch.export.save(torch.export.export(model, (torch.ones(2, 4),)), tmp_path / "m.pt2")
    torch.save(model.state_dict(), tmp_path / "m.pt")
    return tmp_path / "m.pt2", tmp_path / "m.pt"


def test_the_template_for_a_program_loads_its_weights_and_a_torch_file(tmp_path, program):
    path, weights = program
    state = torch.load(weights)
    with open_checkpoint(path) as checkpoint:
        text = template_for(checkpoint)
    save_torch(state, tmp_path / "weights.safetensors")
    found = functions_of(text, tmp_path)
    found["load"].__globals__["MyModel"] = lambda: torch.nn.Linear(4, 3)
    for file in (weights, tmp_path / "weights.safetensors"):
        assert torch.equal(found["load"](str(file)).weight, state["weight"])


def test_an_error_of_load_for_a_program_states_what_path_contains(tmp_path, program):
    script = tmp_path / "mine.py"
    script.write_text(
        "import torch\n"
        "def load(path):\n"
        "    return torch.load(path)['model']\n"
        "def evaluate(model): return 1\n"
    )
    read = EvaluationScript.read(script)
    with (
        open_checkpoint(program[0]) as checkpoint,
        closing(ScriptRunner(read, Interpreter(Path(sys.executable), ""), Options())) as runner,
        pytest.raises(EvaluationError) as caught,
    ):
        runner.run(Snapshot(checkpoint), 0, Job())
    assert caught.value.remedy == (
        "For 'm.pt2', load(path) gets the weights as a plain state dict in a safetensors file. "
        "Read it with load_file(path) of safetensors.torch, without further keys."
    )


@pytest.mark.parametrize("with_script", [True, False])
def test_code_writes_a_program_with_the_weights_of_the_file(tmp_path, monkeypatch, with_script):
    model = torch.nn.Linear(4, 3)
    torch.save({"model": model.state_dict(), "epoch": 1}, tmp_path / "m.pt")
    (tmp_path / "my_package.py").write_text(
        "import torch\ndef MyModel(): return torch.nn.Linear(4, 3)\n"
    )
    script = tmp_path / "mine.py"
    script.write_text(
        "import torch\nfrom my_package import MyModel\n"
        "def load(path):\n"
        "    model = MyModel()\n"
        "    model.load_state_dict(torch.load(path)['model'])\n"
        "    return model\n"
    )
    target = tmp_path / "out.pt2"
    with open_checkpoint(tmp_path / "m.pt") as checkpoint:
        code = program_code(checkpoint, target, script if with_script else None)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "my_package", raising=False)
    exec(code, {})
    with open_checkpoint(target) as checkpoint:
        assert has_operators(checkpoint)
        assert torch.equal(checkpoint.read("weight"), model.weight)


def error_of_load(folder, model):
    """Return the error of a script that loads `m.pt` into a model, given as an expression."""
    script = folder / "mine.py"
    script.write_text(
        "import torch\n"
        "def load(path):\n"
        f"    model = {model}\n"
        "    model.load_state_dict(torch.load(path))\n"
        "    return model\n"
        "def evaluate(model): return 1\n"
    )
    read = EvaluationScript.read(script)
    with (
        open_checkpoint(folder / "m.pt") as checkpoint,
        closing(ScriptRunner(read, Interpreter(Path(sys.executable), ""), Options())) as runner,
        pytest.raises(EvaluationError) as caught,
    ):
        runner.run(Snapshot(checkpoint), 0, Job())
    return caught.value


@pytest.mark.parametrize(
    ("saved", "remedy"),
    [
        (lambda w: {"net": {"ema": w}, "epoch": 1}, "use torch.load(path)['net']['ema']."),
        (lambda w: {f"module.{n}": t for n, t in w.items()}, "key.removeprefix('module.')."),
        (lambda w: {"weight": w["weight"]}, "the class or its arguments differ."),
    ],
)
def test_a_state_dict_that_does_not_fit_has_a_remedy(tmp_path, saved, remedy):
    model = torch.nn.Linear(4, 3)
    torch.save(saved(model.state_dict()), tmp_path / "m.pt")
    error = error_of_load(tmp_path, "torch.nn.Linear(4, 3)")
    assert error.remedy.endswith(remedy)
    assert "Missing key" in error.details


def test_an_error_about_many_keys_names_three_and_has_all_in_its_details(tmp_path):
    model = torch.nn.Sequential(*(torch.nn.BatchNorm1d(2) for _ in range(40)))
    state_dict = model.state_dict()
    torch.save({"model": state_dict, "optimizer": {}, "epoch": 3}, tmp_path / "m.pt")
    model = "torch.nn.Sequential(*(torch.nn.BatchNorm1d(2) for _ in range(40)))"
    error = error_of_load(tmp_path, model)
    # torch does not report the missing `num_batches_tracked` of a file without version
    named = [name for name in state_dict if f'"{name}"' in error.details]
    assert len(named) >= 160
    assert error.sentence.endswith(
        'Missing key(s) in state_dict: "0.weight", "0.bias", "0.running_mean" '
        f"and {len(named) - 3} more."
    )
    assert len(error.sentence) < 250
    assert error.remedy.endswith("use torch.load(path)['model'].")


@pytest.mark.parametrize(
    ("text", "defines"),
    [
        ("def train(model): pass", True),
        ("from mine import train", True),
        ("from mine import *", True),
        ("train = make()", True),
        ("if GPU:\n    from a import train", True),
        ("def train(", True),  # the script reports the syntax error
        ("class A:\n    def train(self): pass\n\ndef load(path): pass", False),
        ("", False),
    ],
)
def test_it_is_known_without_running_whether_a_function_may_be_defined(tmp_path, text, defines):
    path = tmp_path / "s.py"
    path.write_text(text)
    assert EvaluationScript.read(path).may_define("train") is defines


def test_a_shrunk_file_gets_the_template_of_its_class_and_no_program_code(tmp_path):
    torch.save(torch.nn.Linear(4, 3).state_dict(), tmp_path / "m.pt")
    with open_checkpoint(tmp_path / "m.pt") as checkpoint:
        assert has_program_code(checkpoint)
        assert "Pruneapp resizes it" not in template_for(checkpoint)
        (tmp_path / "m.pt.shrink.json").write_text("anything: only its existence matters")
        assert not has_program_code(checkpoint)
        assert "    # a model of the original widths: Pruneapp" in template_for(checkpoint)
