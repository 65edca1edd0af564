"""States are loaded into the user's model bit for bit, or there is no result."""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.snapshot import Snapshot
from pruneapp.edits.repaired_values import as_values
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import (
    CommandRunner,
    Conditions,
    ScriptRunner,
    conditions_of,
    data_of,
)
from pruneapp.evaluation.script import EvaluationScript, Interpreter, Options, remedy_for_shrunk
from pruneapp.export.report_writer import calibration_text
from pruneapp.progress import Cancelled, CancelToken, Job
from tests.evaluation.scripts import MODEL, expected, pruned, refused, values, write_script
from tests.reliability.evaluations import left_over


@pytest.mark.parametrize("how", ["plain", "half", "renamed", "turned"])
def test_states_are_handed_over_in_place_and_undone(runner, mode, state, folder, how):
    mode(how)
    dtype = torch.bfloat16 if how == "half" else torch.float32
    near = pytest.approx if how == "turned" else lambda value: value
    some, more = pruned(state), pruned(state, 0.9)
    other = 3 * np.random.default_rng(2).normal(size=state.entry("0.weight").numel)
    repaired = some.with_masks({"values": {"0.weight": as_values(other.astype(np.float32))}})
    for one in (some, state, repaired, more, repaired, some):
        total, top = values(runner.run(one, 0, Job()))
        assert (total, top) == (near(expected(one, dtype)[0]), expected(one, dtype)[1])
    assert (folder / "loads").read_text().count("\n") == 1


def test_the_file_may_be_named_from_another_folder_than_that_of_the_script(
    runner, mode, file, monkeypatch
):
    """Regression: the worker could not read relative paths, as its folder differs."""
    mode("plain")
    monkeypatch.chdir(file.parent.parent)
    with open_checkpoint(file.relative_to(file.parent.parent)) as checkpoint:
        state = Snapshot(checkpoint)
        for one in (pruned(state), state):
            assert values(runner.run(one, 0, Job())) == expected(one)
    runner._handover = None


def test_only_what_differs_goes_over(runner, mode, state, monkeypatch):
    sent = []
    call = runner.worker.call

    def spy(what, *args, **more):
        sent.extend(more.get("patches", []))
        return call(what, *args, **more)

    monkeypatch.setattr(runner.worker, "call", spy)
    some = pruned(state, 0.5)
    fewer = some.with_masks({"masks": {"4.weight": pruned(some, 0.9).masks["4.weight"]}})
    fewer = fewer.with_masks(
        {"masks": {"4.weight": fewer.masks["4.weight"] & some.masks["4.weight"]}}
    )
    for one, names in (
        (state, []),
        (some, ["0.weight", "4.weight"]),
        (fewer, ["4.weight"]),
        (some, ["4.weight"]),
        (state, ["0.weight", "4.weight"]),
    ):
        sent.clear()
        runner.run(one, 0, Job())
        assert [patch["name"] for patch in sent] == names
        # Values are only sent again if weights are restored.
        assert all(
            ("values" in patch) == (one in (some, state) and sent != []) for patch in sent
        ) or (one is some and all("values" not in patch for patch in sent))
        assert all(("mask" in patch) == (one is not state) for patch in sent)


def test_a_model_that_holds_tensors_in_another_form_is_loaded_from_a_file(
    runner, mode, state, folder
):
    mode("fused")
    dense = runner.run(state, 0, Job())
    some = runner.run(pruned(state, names=("0.weight",)), 0, Job())
    assert values(dense)[0] != values(some)[0]
    assert values(runner.run(state, 0, Job())) == values(dense)
    loads = (folder / "loads").read_text().splitlines()
    assert len(loads) == 3
    assert loads[0] == loads[2] == str(state.checkpoint.path)
    assert not Path(loads[1]).exists()


def test_weights_that_change_meanwhile_give_no_number_and_are_put_right(
    runner, mode, state, folder
):
    runner.run(state, 0, Job())
    (folder / "mode").write_text("changes")
    said = refused(lambda: runner.run(pruned(state), 0, Job()))
    assert "changed the weights that it was given ('4.weight')" in said
    (folder / "mode").write_text("plain")
    for one in (pruned(state), state):
        assert values(runner.run(one, 0, Job())) == expected(one)
    assert (folder / "loads").read_text().count("\n") == 1


def test_a_norm_in_training_mode_is_named(runner, mode, state):
    mode("training")
    said = refused(lambda: runner.run(state, 0, Job()))
    assert "'1.num_batches_tracked'" in said or "'1.running_mean'" in said
    assert "call model.eval() in load" in said


def test_a_changed_tensor_that_is_not_of_the_file_has_the_model_loaded_anew(
    runner, mode, state, folder
):
    mode("fused")
    runner.run(state, 0, Job())
    (folder / "mode").write_text("changes")
    refused(lambda: runner.run(state, 0, Job()))
    (folder / "mode").write_text("fused")
    runner.run(state, 0, Job())
    assert (folder / "loads").read_text().count("\n") == 2


def test_after_an_error_the_next_number_is_right(runner, mode, state, folder):
    runner.run(state, 0, Job())
    (folder / "mode").write_text("raises")
    assert "raised ValueError" in refused(lambda: runner.run(pruned(state), 0, Job()))
    (folder / "mode").write_text("plain")
    assert values(runner.run(state, 0, Job())) == expected(state)


COPYING = """
import torch

def load(path):
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 2))
    state = torch.load(path)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            COPY
    return model

def evaluate(model):
    return model(torch.ones(3, 4)).sum()
"""


@pytest.mark.parametrize(
    ("copy", "sentence"),
    [
        (
            "parameter.copy_(state[name])",
            "'my_evaluation.py', line 9, raised RuntimeError while loading the model: The size of",
        ),
        ("parameter[...] = state[name]", "'my_evaluation.py', line 9, raised RuntimeError"),
        (
            "parameter[tuple(map(slice, state[name].shape))] = state[name]",
            "'0.weight' has the shape 8×4 in the loaded model and 3×4 in the shrunk file",
        ),
        ("parameter.data = state[name]", ""),
    ],
    ids=["copies", "assigns", "partly", "replaces"],
)
def test_a_script_that_copies_a_shrunk_file_by_hand_is_told_what_to_do(tmp_path, copy, sentence):
    own = tmp_path / "my_evaluation.py"
    own.write_text(COPYING.replace("COPY", copy))
    small = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Linear(3, 2))
    torch.save(small.state_dict(), tmp_path / "small.pt")
    (tmp_path / "small.pt.shrink.json").write_text("{}")
    made = ScriptRunner(
        EvaluationScript.read(own), Interpreter(Path(sys.executable), "ours"), Options(device="cpu")
    )
    with closing(made) as runner, open_checkpoint(tmp_path / "small.pt") as checkpoint:
        if not sentence:
            score = runner.run(Snapshot(checkpoint), 0, Job()).metrics["score"].value
            assert score == pytest.approx(float(small(torch.ones(3, 4)).detach().sum()), rel=1e-5)
            return
        with pytest.raises(EvaluationError) as caught:
            runner.run(Snapshot(checkpoint), 0, Job())
    assert caught.value.sentence.startswith(sentence)
    assert caught.value.remedy == remedy_for_shrunk()


def test_the_data_of_a_runner_have_the_same_name_wherever_they_are(tmp_path):
    """The identity of data is a hash of the content, not the path."""
    python = Interpreter(Path(sys.executable), "ours")
    texts = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt")]
    for text, content in zip(texts, ("one", "one", "two"), strict=True):
        text.write_text(content)
    shipped = EvaluationScript.shipped(text=True)
    first, same, other = (ScriptRunner(shipped, python, Options(text=text)) for text in texts)
    assert data_of(first) == data_of(same) != data_of(other)
    texts[0].write_text("two")
    changed = ScriptRunner(shipped, python, Options(text=texts[0]))
    assert data_of(changed) == data_of(other)
    assert changed.key != first.key, "of another text there are other results"
    for labelled in (True, False):
        script = EvaluationScript.shipped_for_images(labelled=labelled)
        images = ScriptRunner(script, python, Options(images=tmp_path))
        # Accuracy is measured on other images of the folder than calibration uses.
        assert (data_of(images) == data_of(images, calibrating=True)) is not labelled
    own = write_script(tmp_path, MODEL, load="")
    scripted = ScriptRunner(own, python, Options())
    assert data_of(scripted) == f"evaluate of script:{own.sha256}"
    command = CommandRunner("x {checkpoint}", Options())
    assert data_of(command) == f"command:{command.sha256}"
    for runner in (first, images, scripted, command):
        for name in (data_of(runner), data_of(runner, calibrating=True)):
            assert calibration_text(name).startswith(("the ", "images of ")), name
    digests = shipped.sha256, hashlib.sha256(texts[2].read_bytes()).hexdigest()
    name = "built-in evaluation of perplexity"
    conditions = Conditions(
        name, None, 0, "c.txt", *digests, "text", measuring_sha256=shipped.sha256
    )
    assert conditions_of(other) == conditions
    assert (conditions_of(command).name, conditions_of(command).kind) == ("x", "command")
    assert conditions_of(ScriptRunner(own, python, Options())).kind == "script"


def test_a_model_that_is_not_from_the_file_is_refused(runner, mode, state):
    mode("stranger")
    said = refused(lambda: runner.run(state, 0, Job()))
    assert "does not contain the weights of 'model.safetensors'" in said
    assert "Make sure that load(path) reads the weights" in said


def test_it_is_said_if_the_model_was_not_called(runner, mode, state):
    mode("elsewhere")
    (notice,) = runner.run(state, 0, Job()).notices
    assert "The model was not called" in notice


def test_a_killed_worker_is_started_again(runner, mode, state):
    runner.run(state, 0, Job())
    os.kill(runner.worker.pid, signal.SIGKILL)
    while runner.worker.runs:
        pass
    assert values(runner.run(pruned(state), 0, Job())) == expected(pruned(state))


COMMAND = """
import json, sys
from safetensors import safe_open
with safe_open(sys.argv[1], "np") as file:
    zeros = sum(int((file.get_tensor(name) == 0).sum()) for name in file.keys())
print("zeros", zeros)
print(sys.argv[1], file=open("read", "w"))
if len(sys.argv) > 2:
    found = {"results": {"task": {"acc,none": zeros, "alias": "t"}}}
    open(sys.argv[2], "w").write(json.dumps(found))
else:
    print(json.dumps({"accuracy": zeros}))
    print("bye")
"""


def test_a_command_line_measures_files(state, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "command.py").write_text(COMMAND)
    python = f"'{sys.executable}' '{tmp_path / 'command.py'}'"
    some = pruned(state)
    zeros = sum(mask.pruned for mask in some.masks.values())
    dense = runner_of(f"{python} {{checkpoint}}").run(state, 0, Job()).metrics["accuracy"].value
    assert Path("read").read_text() == f"{state.checkpoint.path}\n"  # the original file, not a copy
    found = runner_of(f"{python} {{checkpoint}}").run(some, 0, Job()).metrics["accuracy"].value
    assert found == dense + zeros
    found = runner_of(f"{python} {{checkpoint}} {{out}}").run(some, 0, Job()).metrics
    assert {name: metric.value for name, metric in found.items()} == {
        "task.acc,none": dense + zeros
    }


def runner_of(command):
    return CommandRunner(command, Options())


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("true", "does not name the checkpoint"),
        ("true '{checkpoint}", "a quotation mark without its counterpart"),
        ("true {checkpoint}", "returned no number"),
        ("sh -c 'echo gone; exit 3' {checkpoint}", "ended with exit status 3 (gone)"),
        ("nowhere-to-be-found {checkpoint}", "cannot be started"),
    ],
)
def test_what_is_said_of_a_command_that_does_not_work(state, command, words):
    assert words in refused(lambda: runner_of(command).run(state, 0, Job()))


@pytest.mark.parametrize(
    ("command", "metrics"),
    [
        ("sh -c 'echo 0.25; echo bye' {checkpoint}", {"score": 0.25}),
        ("""sh -c 'echo {\\"f1\\": 1}; echo 7' {checkpoint}""", {"f1": 1.0}),
        ("sh -c 'echo 3; echo 0.5 > $1' {checkpoint} {out}", {"score": 0.5}),
        ("sh -c 'echo 4; mkdir $1; ln -s gone $1/a.json' {checkpoint} {out}", {"score": 4.0}),
        (f"sh -c 'echo -1{'0' * 400}' {{checkpoint}}", {"score": -math.inf}),
    ],
)
def test_a_number_alone_is_a_score_where_there_is_no_object(state, command, metrics):
    found = runner_of(command).run(state, 0, Job()).metrics
    assert {name: metric.value for name, metric in found.items()} == metrics


@pytest.mark.skipif(os.name != "posix", reason="arguments are bytes")
def test_a_command_may_name_a_file_whose_name_is_no_text(state):
    odd = os.fsdecode(b"\xff")
    found = runner_of(f"sh -c 'printf %s $0 | wc -c' {odd} {{checkpoint}}").run(state, 0, Job())
    assert found.metrics["score"].value == 1


def test_a_command_runs_in_its_folder_where_its_program_may_be(state, tmp_path):
    program = tmp_path / "measure.sh"
    program.write_text('#!/bin/sh\nbasename "$(pwd)" | tr -dc 0-9\necho\n')
    program.chmod(0o755)
    here, there = tmp_path, tmp_path / "42"
    there.mkdir()
    inside = CommandRunner("../measure.sh {checkpoint}", Options(), there)
    assert inside.program == there / "../measure.sh"
    assert inside.run(state, 0, Job()).metrics["score"].value == 42
    assert CommandRunner("./no.sh {checkpoint}", Options(), here).program is None
    assert CommandRunner("sh {checkpoint}", Options(), here).program == Path(shutil.which("sh"))
    assert inside.key != CommandRunner("../measure.sh {checkpoint}", Options(), here).key


SLOW = """
import os, signal, subprocess, sys, time
from pathlib import Path

def interrupt(*_):
    if not {ignores}:
        Path(sys.argv[2]).touch()
        sys.exit(1)

signal.signal(signal.SIGINT, interrupt)
subprocess.Popen(["sleep", "60"])
Path(sys.argv[1]).write_text(f"{{os.getpid()}}\\n")
while True:
    time.sleep(0.1)  # until it is interrupted or killed
"""


@pytest.mark.parametrize("hasty", [False, True])
def test_a_cancelled_command_is_interrupted_and_leaves_nothing_behind(state, tmp_path, hasty):
    """It may end on SIGINT; if it ignores that, it is killed with its child processes."""
    started, interrupted = tmp_path / "group", tmp_path / "interrupted"
    (tmp_path / "c.py").write_text(SLOW.format(ignores=hasty))
    command = f"'{sys.executable}' '{tmp_path}/c.py' '{started}' '{interrupted}' {{checkpoint}}"
    runner, token = runner_of(command), CancelToken()

    def cancel():
        while not (started.exists() and started.read_text().endswith("\n")):
            time.sleep(0.01)  # polling: the command writes a file when it runs
        if hasty:
            runner.kill_on_cancel()
        token.cancel()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(cancel)
        with pytest.raises(Cancelled):
            runner.run(state, 0, Job(cancel=token))
    assert interrupted.exists() is not hasty
    assert not left_over(int(started.read_text()))
