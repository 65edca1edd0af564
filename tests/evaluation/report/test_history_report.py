"""The report of a history: contents, escaping, privacy, and the command that repeats it."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import shlex
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec import structs
from safetensors.numpy import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Capture, Document
from pruneapp.document.entries import RecoverySource, RepairSource
from pruneapp.document.step import Row, Step
from pruneapp.edits.repaired_values import RepairedValues, as_values
from pruneapp.errors import ExportError
from pruneapp.evaluation.evaluator import state_sha256
from pruneapp.evaluation.metric import MetricChange, StateQuality
from pruneapp.evaluation.report.chart import charts_of, crosses
from pruneapp.evaluation.report.contents import ReportSource, collect_report
from pruneapp.evaluation.report.page import as_html, write_history_report
from pruneapp.evaluation.report.results import StoredResult, scans_in
from pruneapp.evaluation.runner import Conditions, Samples
from pruneapp.export.exporter import export
from pruneapp.export.report import ExportRequest
from pruneapp.gui.commands.declarations import COMMANDS
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.sessions.restore import EVALUATION, SENSITIVITY
from pruneapp.sessions.session_file import save_session

HOSTILE = '<script>alert("x")</script>\u202e&'
CONDITIONS = Conditions(
    "evaluate.py", 500, 0, "", "ab" * 32, "", "script", measuring_sha256="ab" * 32
)


@pytest.fixture
def folder(tmp_path):
    """Return the folder of the model, whose name must not be in the report."""
    path = tmp_path / "home-of-alice"
    path.mkdir()
    return path


@pytest.fixture
def document(folder):
    """Return a document with two branches, one of which was repaired."""
    rng = np.random.default_rng(4)
    names = "a.weight", HOSTILE
    arrays = {n: rng.normal(size=(20, 30)).astype(np.float32) for n in names}
    save_file(arrays, folder / "model.safetensors")
    document = Document(open_checkpoint(folder / "model.safetensors"))
    prune(document, 0.5)
    repair(document)
    document.jump(1)
    prune(document, 0.8)
    document.rename(1, HOSTILE)
    yield document
    document.close()
    document.checkpoint.close()


def prune(document, amount):
    names = tuple(document.checkpoint.entries)
    step = Step((Row(names, "l1_unstructured", {"amount": amount}),))
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))


def repair(document):
    values = {"a.weight": as_values(np.ones(600, np.float32))}
    source = RepairSource("ab" * 32, data="images:/home/alice/pictures/cats")
    repaired = RepairedValues.create(document.snapshot(), values, source, Job())
    document.commit(repaired.propose(document.snapshot(), Job()))


def recover(document):
    values = {"a.weight": as_values(np.full(600, 2, np.float32))}
    source = RecoverySource(
        script="ab" * 32,
        steps=60,
        lr=1 / 3000,
        samples=128,
        windows=True,
        data=f"text:{'cd' * 32}",
        name="c.txt",
    )
    recovered = RepairedValues.create(document.snapshot(), values, source, Job())
    document.commit(recovered.propose(document.snapshot(), Job()))


def results(document, conditions=CONDITIONS, evaluation="e", numbers=(0, 1, 3)):
    found = []
    for number in numbers:
        snapshot = document.state_at(number).load(Job())
        metrics = (
            MetricChange("accuracy", 0.9 - 0.1 * number, 0.9, 0.02, "paired", True, share=True),
            MetricChange("loss", 0.5 + number, 0.5, 0.0, "repeatable", False),
        )
        quality = StateQuality(metrics, 0.1 * number, unpruned=not number)
        found.append(StoredResult(state_sha256(snapshot), evaluation, conditions, quality))
    return found


class _Page(HTMLParser):
    """Collects tags with attributes, and the text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words = [], []
        self.inside = {}  # by text of an element: the nearest element that can be folded
        self._open = []
        self.feed(text)
        self.text = " ".join("".join(self.words).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "details":
            self._open.append(tag)

    def handle_endtag(self, tag):
        if tag == "details":
            self._open.pop()

    def handle_data(self, data):
        self.words.append(data)
        for line in data.split("\n"):
            self.inside.setdefault(line.strip(), "".join(self._open[-1:]))


def page_of(document, found):
    return as_html(collect_report(ReportSource.of(document, found), Job()))


def test_all_states_are_listed_with_metrics_intervals_and_hashes(document):
    document.annotate(2, "better on the test set")
    text = page_of(document, results(document))
    words = _Page(text).text
    assert "accuracy" in words
    assert "80.00 %" in words
    assert "−10.00 ± 2.00" in words
    assert "3.5" in words, "the loss of state 3"
    assert "2: Repair" in words, "states without metrics are listed"
    assert "better on the test set" in words
    assert "3: L1" in words
    assert "(current)" in words
    assert "ab" * 32 in words, "SHA-256 of the script"
    assert "evaluate.py, at most 500 samples, seed 0" in words
    digest = hashlib.sha256(document.checkpoint.path.read_bytes()).hexdigest()
    assert digest in words
    assert re.search(r"2: Repair[^.]* was calibrated with images of cats\.", words)
    assert "torch" in words
    assert "Processor" in words


def test_a_remark_on_the_data_is_made_once_and_metrics_have_their_titles(document):
    """Regression: it was repeated for each state."""
    found = []
    for result in results(document):
        first, *others = result.quality.metrics
        marked = replace(first, name="mean_cosine", calibrated=True)
        quality = replace(result.quality, metrics=(marked, *others))
        found.append(structs.replace(result, quality=quality))
    words = _Page(page_of(document, found)).text
    assert words.count("† The metric was measured on data that were also used to calibrate") == 1
    assert words.count("†") > 2
    assert "cosine (mean)" in words
    assert "mean_cosine" not in words


def test_data_are_named_by_files_with_samples_and_settings_of_a_recovery(document):
    """Regression: texts were named by their SHA-256 alone."""
    recover(document)
    samples = Samples("lines", 200, 504, 4_321)
    conditions = Conditions(
        "builtin_embedding.py", 200, 0, "mine.txt", "ab" * 32, "ef" * 32, "text", samples
    )
    words = _Page(page_of(document, results(document, conditions))).text
    digest = "cd" * 32
    assert (
        f"was calibrated with the text c.txt (SHA-256 {digest[:12]}): 128 samples; distillation of "
        "the blocks, then of the whole model in 60 steps, learning rate 0.0003333." in words
    )
    assert (
        "Distillation of the blocks, then of the whole model in 60 steps, learning rate 0.0003333"
        in words
    )
    assert f"c.txt (calibration data){digest[:12]}…{digest}" in words, "the whole hash is folded"
    assert "Inputs: c.txt, 128 samples" in words
    assert "mine.txt, 200 of 504 sentences, 4,321 tokens, seed 0" in words


def test_an_allocation_by_a_scan_is_not_called_a_calibration(document):
    step = Step(
        (Row(("a.weight",), "l1_unstructured", {"amount": 0.9}),), data=("evaluate of script:ab",)
    )
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    words = _Page(page_of(document, results(document))).text
    assert re.search(r"4: L1[^:]* was allocated by a scan on the data that the", words)
    assert "reads the same data" not in words


def test_a_script_that_measured_and_calibrated_is_one_file(document):
    """Regression: "evaluate of script (calibration data)" was listed as another file."""
    data = ("evaluate of script:" + "ab" * 32, "script:" + "cd" * 32)
    step = Step((Row(("a.weight",), "l1_unstructured", {"amount": 0.9}),), data=data)
    document.commit(compute_preview(document.snapshot(), step, CpuKernel(), Job()))
    words = _Page(page_of(document, results(document))).text
    files = words[words.index("Model, data and script") : words.index("Calibration")]
    assert files.count("ab" * 32) == 1
    assert "evaluate of script" not in files
    assert "(calibration data)cdcdcdcdcdcd…" + "cd" * 32 in files
    assert "the data that the script evaluate.py evaluates" in words


def test_a_recipe_with_replaced_values_is_saved_from_the_window(document):
    """Regression: it was embedded as well, with a hash per tensor, though not enough."""
    recover(document)
    page = _Page(page_of(document, results(document)))
    words = page.text[page.text.index("Repeat it") : page.text.index("Machine")]
    assert (
        "The steps need replaced values, which are too large for this page. In Pruneapp, go to the "
        "current state of this report, choose Tools > Save recipe…, and save model.recipe.json in "
        "the folder of the model. It is saved with the folder model.values. Then run: pruneapp run "
        "model.recipe.json model.safetensors" in words
    )
    assert "sha256" not in words
    assert not any(tag == "a" for tag, _ in page.tags), "no recipe is embedded"
    command = next(c for c in COMMANDS if c.id == "save_recipe")
    assert (command.menu, command.text) == ("&Tools", "&Save recipe…"), "as the sentence calls it"


def test_a_recipe_that_is_enough_is_embedded_and_folded(document):
    page = _Page(page_of(document, results(document)))
    words = page.text[page.text.index("Repeat it") : page.text.index("Machine")]
    assert words.startswith(
        "Repeat it Save the recipe model.recipe.json in the folder of the model"
    )
    assert "Tools >" not in words
    assert "need" not in words
    (link,) = [a for tag, a in page.tags if tag == "a"]
    assert link["download"] == "model.recipe.json"
    assert page.inside["{"] == "details", "the JSON is folded"


def test_hashes_of_files_are_folded(document):
    page = _Page(page_of(document, results(document)))
    digest = hashlib.sha256(document.checkpoint.path.read_bytes()).hexdigest()
    assert page.inside[digest] == "details"


def test_a_state_that_was_trained_is_called_trained(document):
    """Regression: "Training, 21 steps was calibrated with the data …"."""
    values = {"a.weight": as_values(np.full(600, 2, np.float32))}
    data = "script:" + "ab" * 32
    source = RecoverySource("training", script="ab" * 32, steps=21, data=data, name="evaluate.py")
    trained = RepairedValues.create(document.snapshot(), values, source, Job())
    document.commit(trained.propose(document.snapshot(), Job()))
    words = _Page(page_of(document, results(document))).text
    assert "Calibration and training" in words
    assert (
        "4: Training, 21 steps was trained with the data of train() in the script evaluate.py "
        "(SHA-256 abababababab): 21 steps." in words
    )
    note = (
        "If train() reads the same data as evaluate(), metrics may be better than with other data."
    )
    assert words.count(note) == 1
    assert "reads the same data" not in _Page(page_of(document, [])).text, "nothing was measured"


def test_the_function_that_a_repair_was_calibrated_with_is_named(document):
    """Regression: "the data of the script" was read as the data of the evaluation."""
    values = {"a.weight": as_values(np.full(600, 2, np.float32))}
    source = RepairSource("ab" * 32, data="script:" + "ab" * 32, name="evaluate.py")
    for _ in range(2):
        repaired = RepairedValues.create(document.snapshot(), values, source, Job())
        document.commit(repaired.propose(document.snapshot(), Job()))
        values = {"a.weight": as_values(np.full(600, 3, np.float32))}
    words = _Page(page_of(document, results(document))).text
    assert "was calibrated with the data of calibrate() in the script evaluate.py" in words
    assert words.count("If calibrate() reads the same data as evaluate(), metrics may") == 1


def test_a_scan_is_reported_as_its_page_shows_it(document):
    tensors = (
        {
            "name": "a.weight",
            "weights": 600,
            "cells": [
                {"amount": 0.5, "pruned": 300, "metrics": {"accuracy": 0.899}},
                {"amount": 0.9, "pruned": 540, "metrics": {"accuracy": 0.5}},
            ],
        },
        {"name": HOSTILE, "weights": 600, "cells": [{"amount": 0.5, "pruned": 300}]},
    )
    conditions = {
        **dict.fromkeys(("checkpoint", "checkpoint_sha256", "script_sha256"), "model"),
        "script": "evaluate.py",
        "interpreter_sha256": "",
        "method": "l1_unstructured",
        "limit": 500,
    }
    metric = {"name": "accuracy", "higher": True, "before": 0.9, "noise": 0.01}
    scan = {
        "format": "pruneapp-scan",
        "version": 1,
        "conditions": conditions,
        "amounts": [0.5, 0.9],
        "tensors": tensors,
        "metrics": [metric],
    }
    kept = {"scan": scan, "evaluation": "e", "shares": ["accuracy"], "state": 1}
    stored = {SENSITIVITY: [kept]}
    source = ReportSource.of(document, results(document), scans=scans_in(stored))
    page = _Page(as_html(collect_report(source, Job())))
    words = page.text[page.text.index("Sensitivity") : page.text.index("Model, data and script")]
    assert "as difference in percentage points from 90.00 %, the value of the state 1: " in words
    assert "Measured by evaluate.py, at most 500 samples, seed 0." in words
    assert "3 of 4 measurements TensorWeights50 % pruned90 % pruned" in words
    assert "a.weight600≈−40.0" in words
    assert "600✕" in words, "a metric that is no number"
    cells = [a for tag, a in page.tags if tag == "td" and a.get("class") == "n cell"]
    shades = [a["style"] for a in cells if "style" in a]
    assert ["40%" in shade for shade in shades] == [True, True], "the two that lose most"
    assert "Sensitivity" not in _Page(page_of(document, [])).text, "without a scan"


def test_a_scan_is_reported_with_its_data_in_the_metric_that_the_user_chose(document):
    conditions = {
        **dict.fromkeys(("checkpoint", "checkpoint_sha256", "script_sha256"), "model"),
        "script": "built-in evaluation of embeddings",
        "interpreter_sha256": "",
        "method": "l1_unstructured",
        "data": "text:ab",
    }
    cell = {"amount": 0.5, "pruned": 300, "metrics": {"cosine": 0.75, "error": 2.0}}
    scan = {
        "format": "pruneapp-scan",
        "version": 1,
        "conditions": conditions,
        "amounts": [0.5],
        "tensors": [{"name": "a.weight", "weights": 600, "cells": [cell]}],
        "metrics": [
            {"name": "cosine", "higher": True, "before": 1.0},
            {"name": "error", "higher": False, "before": 1.5},
        ],
        "calibration": ["text:ab"],
    }
    samples = {"unit": "lines", "used": 60, "total": 60}
    measured = {"name": conditions["script"], "data": "calib.txt", "data_sha256": "ab" * 32}
    kept = {
        "scan": scan,
        "evaluation": "e",
        "metric": "cosine",
        "conditions": {**measured, "kind": "text", "samples": samples},
    }
    source = ReportSource.of(document, results(document), scans=scans_in({SENSITIVITY: [kept]}))
    text = _Page(as_html(collect_report(source, Job()))).text
    words = text[text.index("Sensitivity") :]
    assert words.startswith("Sensitivity cosine with one tensor"), words[:200]
    measured_by = "Measured by built-in evaluation of embeddings, calib.txt, 60 of 60 sentences"
    assert f"{measured_by}, seed 0." in words
    note = (
        "The metric was measured on data that were also used to calibrate or to choose the amounts."
    )
    assert words.index(note) < words.index("a.weight600−0.25")
    assert not {"▲", "†"} & set(words), "the note applies to all cells"
    assert "calib.txt (scan data)" in words


def test_the_page_is_self_contained_and_escaped(document):
    text = page_of(document, results(document))
    page = _Page(text)
    assert not any(tag in {"script", "link", "img", "iframe", "object"} for tag, _ in page.tags)
    addresses = [
        value
        for _, attributes in page.tags
        for name, value in attributes.items()
        if name in {"src", "href", "xlink:href"}
    ]
    assert [a.partition(";")[0] for a in addresses] == ["data:application/json"]
    assert "http" not in text
    assert "url(" not in text
    assert "<script" not in text
    assert "\u202e" not in text
    assert "\\u202e" in text, "invisible characters are shown by their numbers"
    assert html.escape(HOSTILE.partition("\u202e")[0]).split("&#")[0][:12] in text


def test_neither_folders_nor_users_are_named(document, folder):
    text = page_of(document, results(document))
    for private in (str(folder), "home-of-alice", "/home/alice", "alice", str(Path.home())):
        assert private not in text, private


def test_the_chart_joins_states_to_the_measured_state_they_were_made_from(document):
    report = collect_report(ReportSource.of(document, results(document)), Job())
    accuracy, loss = charts_of(report, report.evaluations[0])
    assert (accuracy.metric, loss.metric) == ("accuracy, %", "loss")
    opened, first, last = accuracy.states
    assert not opened.marker.corners, "a circle, as in the window"
    assert opened.parent is None
    assert first.parent == (opened.marker.x, opened.marker.y)
    assert last.parent == (first.marker.x, first.marker.y)
    assert [state.is_current for state in accuracy.states] == [False, False, True]
    assert first.noise[0] > first.marker.y > first.noise[1]
    assert loss.states[1].noise is None
    left, top, right, bottom = accuracy.box
    for state in accuracy.states:
        assert left <= state.marker.x <= right
        assert top <= state.marker.y <= bottom
    assert all(state.label for state in accuracy.states), "there is room for three labels"
    for state in (*accuracy.states, *loss.states):
        x, y = state.label_at
        box = x, y - 11, x + 7 * len(state.label), y + 3
        for other in (*accuracy.states, *loss.states):
            if other.parent and (other in accuracy.states) == (state in accuracy.states):
                line = (other.marker.x, other.marker.y), other.parent
                assert not crosses(*line, box), f"a line crosses the label {state.label}"


def test_other_evaluations_have_tables_of_their_own(document):
    other = Conditions("other.py", None, 7, "", "", "", "script")
    found = [*results(document, other, "older", (1,)), *results(document)]
    report = collect_report(ReportSource.of(document, found), Job())
    assert [e.conditions.name for e in report.evaluations] == ["evaluate.py", "other.py"]
    assert "Also measured by other.py, seed 7" in _Page(as_html(report)).text


def test_a_history_without_results_is_reported(document):
    words = _Page(page_of(document, [])).text
    assert "No state was evaluated." in words
    assert "pruneapp run" in words


def test_the_commands_repeat_the_state(document, folder, call_main):
    report = collect_report(ReportSource.of(document, results(document)), Job())
    run, evaluate = map(shlex.split, report.commands)
    assert evaluate[1:] == [
        *("evaluate", "model-pruned.safetensors", "--against", "model.safetensors"),
        *("--script", "evaluate.py", "--samples", "500"),
    ]
    page = _Page(as_html(report))
    (link,) = [a for tag, a in page.tags if tag == "a"]
    (folder / link["download"]).write_bytes(base64.b64decode(link["href"].partition(",")[2]))
    call_main(folder, run[1:])
    request = ExportRequest("safetensors", folder / "expected.safetensors")
    export(document.snapshot(), request, Job())
    expected = load_file(folder / "expected.safetensors")
    for name, array in load_file(folder / "model-pruned.safetensors").items():
        assert np.array_equal(array, expected[name])


LOAD_TORCH = 'torch.load(path)["model"]'
LOAD_FILE = "load_file(path)"
LOAD_FOLDER = (
    """{k: v for f in sorted(path.glob("*.safetensors")) for k, v in load_file(f).items()}"""
)
SCRIPT = """
from pathlib import Path
import torch
from msgspec import structs
from safetensors.torch import load_file

def load(path):
    path = Path(path)
    model = torch.nn.ModuleDict({{n: torch.nn.Linear(30, 20, bias=False) for n in "ab"}})
    model.load_state_dict({load})
    return model

def evaluate(model):
    return float(sum(map(torch.Tensor.sum, (m(torch.ones(1, 30)) for m in model.values()))))
"""


def write_torch(folder, arrays):
    weights = {name: torch.from_numpy(array) for name, array in arrays.items()}
    torch.save({"model": weights, "epoch": 12}, folder / "net.pt")
    return "net.pt"


def write_file(folder, arrays):
    save_file(arrays, folder / "net.safetensors")
    return "net.safetensors"


def write_folder(folder, arrays):
    (folder / "net").mkdir()
    for number, (name, array) in enumerate(arrays.items(), 1):
        save_file({name: array}, folder / "net" / f"model-{number:05}-of-00002.safetensors")
    files = {n: f"model-{i:05}-of-00002.safetensors" for i, n in enumerate(arrays, 1)}
    index = {"metadata": {}, "weight_map": files}
    (folder / "net" / "model.safetensors.index.json").write_text(json.dumps(index))
    return "net"


def write_graph(folder, arrays):
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    values = [helper.make_tensor_value_info(n, 1, [1, 30]) for n in ("x", "y")]
    nodes = [
        helper.make_node("Gemm", ["x", "a.weight"], ["h"]),
        helper.make_node("Gemm", ["h", "b.weight"], ["y"], transB=1),
    ]
    weights = [onnx.numpy_helper.from_array(a, n) for n, a in arrays.items()]
    weights[0] = onnx.numpy_helper.from_array(arrays["a.weight"].T.copy(), "a.weight")
    graph = helper.make_graph(nodes, "net", values[:1], values[1:], weights)
    graph.output[0].CopyFrom(helper.make_tensor_value_info("y", 1, [1, 20]))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, folder / "net.onnx")
    return "net.onnx"


@pytest.mark.parametrize(
    ("write", "load", "pruned"),
    [
        (write_torch, LOAD_TORCH, "net-pruned.pt"),
        (write_file, LOAD_FILE, "net-pruned.safetensors"),
        (write_folder, LOAD_FOLDER, "net-pruned"),
        (write_graph, None, "net-pruned.onnx"),
    ],
)
def test_both_commands_run_on_every_format(folder, call_main, capsys, write, load, pruned):
    """The script reads the pruned model as it reads the opened one."""
    rng = np.random.default_rng(4)
    shapes = {"a.weight": (20, 30), "b.weight": (20, 30 if load else 20)}
    arrays = {n: rng.normal(size=shape).astype(np.float32) for n, shape in shapes.items()}
    name = write(folder, arrays)
    conditions = Conditions("2 × 30", kind="inputs")
    if load is not None:
        (folder / "evaluate.py").write_text(SCRIPT.format(load=load))
        conditions = Conditions("evaluate.py", kind="script")
    document = Document(open_checkpoint(folder / name))
    prune(document, 0.5)
    report = collect_report(
        ReportSource.of(document, results(document, conditions, numbers=(0, 1))), Job()
    )
    document.close()
    document.checkpoint.close()
    (folder / report.recipe_name).write_text(report.recipe)
    for command in report.commands:
        call_main(folder, shlex.split(command)[1:])
    assert pruned in report.commands[0]
    assert (folder / pruned).exists()
    assert pruned in capsys.readouterr().out


@pytest.fixture
def call_main(monkeypatch):
    """Provide a function that runs a command in a folder, which must succeed."""
    from pruneapp.__main__ import main

    def call(where, arguments):
        monkeypatch.chdir(where)
        assert main(list(arguments)) == 0

    return call


def test_a_report_is_written_whole_and_never_over_the_model(document, folder, monkeypatch):
    source = ReportSource.of(document, results(document))
    path = folder / "report.html"
    path.write_text("before")
    assert write_history_report(source, path, Job()) == path.resolve()
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sorted(p.name for p in folder.iterdir()) == ["model.safetensors", "report.html"]
    with pytest.raises(ExportError, match=r"ends in \.html"):
        write_history_report(source, folder / "report.pdf", Job())
    link = folder / "link.html"
    link.hardlink_to(folder / "model.safetensors")
    with pytest.raises(ExportError, match="part of the model"):
        write_history_report(source, link, Job())


def test_the_command_line_reports_a_session(document, folder, call_main, capfd):
    view = {EVALUATION: results(document)}
    save_session(Capture.of(document), view, folder / "work.prune", Job())
    call_main(folder, ["report", "work.prune", "-o", "report.html", "--json"])
    assert json.loads(capfd.readouterr().out) == {"report": str(folder.resolve() / "report.html")}
    text = (folder / "report.html").read_text(encoding="utf-8")

    def timeless(page):
        return re.sub(r"made [\d: -]+UTC", "", page)

    assert timeless(text) == timeless(page_of(document, results(document))), "as from the window"
