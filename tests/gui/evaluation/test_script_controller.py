"""Scripts in the window: parsed without being run, confirmed once, and again after changes."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.errors import PruneAppError
from pruneapp.gui.document.feature import flow
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource
from pruneapp.progress import Job
from tests.evaluation.stock_model import install, write_images, write_model


@pytest.fixture
def opened(user, tmp_path):
    """Return the user with a small model open, and the controller of scripts."""
    file = tmp_path / "m.safetensors"
    save_file({"fc.weight": np.ones((4, 4), np.float32)}, file)
    user.open_file(file)
    return user, user.workbench.scripts


@pytest.fixture
def script(tmp_path):
    """Write a script that creates a file when it runs."""
    path = tmp_path / "eval.py"
    path.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    return path


def request(user, scripts, source):
    """Request a script; return the lists of accepted and of refused ones."""
    run, refused = [], []

    @flow
    def agree(feature):
        try:
            run.append((yield from feature.agree_to(source)))
        except PruneAppError as error:
            refused.append(error)

    agree(scripts)
    user.wait(lambda: run or refused or scripts.dialog is not None)
    return run, refused


class Choice:
    """A source as chosen in a dialog, and the text and the error mark that are shown below it."""

    def __init__(self, source, use="", *, stops_recording=False):
        self._source, self.found = source, None
        self.use, self.stops_recording = use, stops_recording

    def source(self):
        return self._source

    def set_found(self, text, *, trouble=False):
        self.found = text, trouble

    def window(self):
        return None


def look(user, scripts, source, use="", *, stops_recording=False):
    """Return the text that is shown for a source, and whether it is an error."""
    choice = Choice(source, use, stops_recording=stops_recording)
    scripts.look(choice)
    user.wait(lambda: choice.found)
    return choice.found


def test_a_new_script_is_asked_about_once_and_again_when_it_changed(opened, script, tmp_path):
    user, scripts = opened
    source = DataSource(path=str(script), python=sys.executable)
    for answer, ran in (("leave", 0), ("go", 1)):
        run, _ = request(user, scripts, source)
        assert scripts.dialog.question.text() == "This script has not been run before. Run it?"
        user.click(getattr(scripts.dialog, answer))
        user.wait(lambda: scripts.dialog is None)
        assert len(run) == ran
    assert run[0].script.path == script
    run, _ = request(user, scripts, source)
    assert len(run) == 1
    script.write_text("import os\n")
    run, _ = request(user, scripts, source)
    assert "has changed" in scripts.dialog.question.text()
    assert scripts.dialog.lines.toPlainText() == "import os"
    user.click(scripts.dialog.go)
    user.wait(lambda: run)
    assert not (tmp_path / "ran").exists()

    # Another Python is asked about, too.
    other = tmp_path / ".venv" / "bin" / "python"
    other.parent.mkdir(parents=True)
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    run, _ = request(user, scripts, DataSource(path=str(script)))
    assert "a different Python" in scripts.dialog.question.text()
    assert str(other) in list(scripts.dialog.facts.values())[1]
    user.key("Esc", scripts.dialog)
    user.wait(lambda: scripts.dialog is None)
    assert run == []


def test_what_is_not_there_is_refused_in_a_sentence(opened, script, tmp_path):
    user, scripts = opened
    for source, words in (
        (DataSource(), "Choose an evaluation script."),
        (DataSource(path=str(tmp_path / "no.py")), "cannot be read"),
        (DataSource(path=str(script), python="/no/python"), "no Python interpreter"),
        (DataSource(DataKind.TEXT, str(tmp_path / "no.txt")), "There is no file"),
    ):
        run, refused = request(user, scripts, source)
        assert run == []
        assert words in str(refused[0])
    text, trouble = look(user, scripts, DataSource(path="/no.py"))
    assert trouble
    assert "cannot be read" in text
    assert scripts.kinds == (DataKind.SCRIPT,), "a file without a configuration"

    found = look(user, scripts, DataSource(path=str(script), python=sys.executable))
    assert found == (f"Runs with {sys.executable} (as chosen).", False)
    assert not (tmp_path / "ran").exists()

    # A limit that is invalid or has no effect is reported.
    for limit, seed, text, words, trouble in (
        ("0", "", "", "Samples must be an integer, 1 or more (got '0').", True),
        ("", "-1", "", "Seed must be an integer, from 0 to 2^63 - 1 (got '-1').", True),
        ("x", "", "", "Samples must be an integer, 1 or more (got 'x').", True),
        ("5", "", "def evaluate(model): return 1.0", "Evaluations use all samples: no", False),
        ("5", "", "def evaluate(model, *, limit): return 1.0", "Runs with", False),
        ("5", "", "from a import evaluate", "Runs with", False),
        ("", "1", "def evaluate(model): return 1.0", "Runs with", False),
    ):
        script.write_text(text)
        source = DataSource(DataKind.SCRIPT, str(script), sys.executable, limit, seed)
        shown, is_error = look(user, scripts, source)
        assert words in shown
        assert ("Evaluations use all" in shown) == ("Evaluations use all" in words)
        assert is_error is trouble


def test_the_samples_of_a_calibration_are_those_of_calibrate(opened, tmp_path):
    """Repair runs no evaluation, and Recover ends the recording at the number of samples."""
    user, scripts = opened
    script = tmp_path / "both.py"
    script.write_text("def evaluate(model, limit): return 1\ndef calibrate(model): pass\n")
    source = DataSource(DataKind.SCRIPT, str(script), sys.executable, limit="256")
    assert look(user, scripts, source)[0].endswith("The script decides what a sample is.")
    text, _ = look(user, scripts, source, "used for calibration")
    assert text.endswith(
        "All samples of the script are used: its function for them has no parameter 'limit'."
    )
    text, _ = look(user, scripts, source, "used for training", stops_recording=True)
    assert text.endswith("Samples: at most 256 of the data of the script.")


def test_what_was_chosen_is_remembered_for_the_file(opened, tmp_path, new_user):
    _, scripts = opened
    source = DataSource(DataKind.TEXT, str(tmp_path / "a.txt"), "python3", "100", "3")
    scripts.remember("repair", source)
    assert scripts.source("repair") == source
    unlimited = replace(source, limit="")
    assert scripts.source("evaluate") == unlimited  # nothing else was chosen
    scripts.remember("evaluate", DataSource(DataKind.TOKENS))
    assert scripts.source("repair") == source
    assert scripts.source("evaluation") == DataSource(DataKind.TOKENS)
    scripts.remember("scan", source)
    assert scripts.source("evaluation") == replace(unlimited, path=""), (
        "nor the data of a calibration"
    )
    scripts.remember("evaluation", source)
    assert scripts.source("evaluation") == source
    unnamed = replace(source, path="")
    proposed = [scripts.source(purpose) for purpose in ("repair", "scan")]
    assert proposed == [unnamed, unnamed], (
        "the data of the evaluation are not proposed for calibration"
    )
    assert scripts.source("frontier", evaluates=True) == source, "but for another evaluation"
    scripts.remember("scan", replace(source, path=str(tmp_path / "b.txt")))
    assert scripts.source("evaluation") == source, "its own choice is kept"
    scripts.remember("evaluation", replace(source, path=str(tmp_path / "texts" / "b.txt")))
    assert scripts.session.folder("data") == tmp_path, "there is no such folder"
    (tmp_path / "texts").mkdir()
    assert scripts.session.folder("data") == tmp_path / "texts"
    assert scripts.source("repair") == source
    later = new_user(tmp_path / "m.safetensors").wait_ready()
    later.wait_open(tmp_path / "m.safetensors")
    assert later.workbench.scripts.source("repair") == source
    assert later.workbench.scripts.source("evaluate") == DataSource(DataKind.TOKENS)


def test_the_script_of_the_evaluation_is_proposed_for_a_recovery(opened, tmp_path):
    """It has a function for each; texts and images must be others."""
    _, scripts = opened
    source = DataSource(DataKind.SCRIPT, str(tmp_path / "eval.py"), "python3")
    scripts.remember("evaluation", source)
    assert scripts.source("recovery") == source


def test_the_text_of_a_repair_is_proposed_for_a_recovery(opened, tmp_path):
    """Regression: the field was empty once the model was evaluated with another text."""
    _, scripts = opened
    calibration = DataSource(DataKind.TEXT, str(tmp_path / "calib.txt"), "python3")
    sentences = replace(calibration, path=str(tmp_path / "sentences.txt"))
    scripts.remember("repair", calibration)
    scripts.remember("evaluation", sentences)
    scripts.remember("scan", sentences)
    assert scripts.source("recovery") == calibration
    assert scripts.source("evaluation") == sentences


def test_the_script_is_proposed_for_an_export_and_offered_for_other_files(opened, script, tmp_path):
    """Regression: the field was empty for a file that was exported a minute ago."""
    user, scripts = opened
    source = DataSource(DataKind.SCRIPT, str(script), sys.executable, "100", "3")
    scripts.remember("evaluation", source)
    scripts.remember("repair", replace(source, path=str(tmp_path / "gone.py")))
    child, other = tmp_path / "child.safetensors", tmp_path / "other.safetensors"
    user.export(child)
    user.close_report()
    save_file({"fc.weight": np.ones((4, 4), np.float32)}, other)
    user.open_file(child)
    user.key("Ctrl+M")
    evaluation = user.workbench.evaluation
    user.wait(lambda: evaluation.dialog is not None)
    choice = evaluation.dialog.choice
    assert choice.source() == replace(source, limit="", seed=""), "not the limit of another file"
    note = "Proposed: the script of m.safetensors, from which this file was exported."
    user.wait(lambda: choice.found.text().startswith(note))
    user.key("Esc", evaluation.dialog)
    user.wait(lambda: evaluation.dialog is None)
    user.open_file(other)
    user.key("Ctrl+M")
    user.wait(lambda: evaluation.dialog is not None)
    choice = evaluation.dialog.choice
    assert choice.source() == DataSource()
    assert choice.recent.isVisible()
    (action,) = choice.recent_menu.actions()
    assert action.text() == str(script), "existing scripts, each once"


def test_folders_of_transformers_need_no_script_and_no_question(user, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    save_file({"fc.weight": np.ones((4, 4), np.float32)}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"architectures": ["BertModel"]}))
    user.chooses_file(folder, "getExistingDirectory")
    user.key("Ctrl+Shift+O")
    user.wait_open(folder)
    scripts = user.workbench.scripts
    assert scripts.kinds == (DataKind.SCRIPT, DataKind.TEXT, DataKind.TOKENS)
    run, _ = request(user, scripts, DataSource(DataKind.TOKENS, python=sys.executable))
    runner = run[0].runner(Job())
    assert runner.worker.script.builtin
    (tmp_path / "pages.txt").write_text("A sentence.")
    pages = DataSource(DataKind.TEXT, str(tmp_path / "pages.txt"), sys.executable)
    run, _ = request(user, scripts, pages)
    assert run[0].script.path.name == "builtin_embedding.py", "perplexity needs logits"
    assert run[0].script.name == "built-in evaluation of embeddings", "not a file of the user"
    assert str(runner.worker.python) == sys.executable
    for source, words in (
        (pages, "Each line of the text is a sentence: cosine between its embedding and that of"),
        (replace(pages, limit="5"), "Samples: at most 5 sentences of the text."),
        (DataSource(DataKind.TOKENS, python=sys.executable), "unpruned model on random token IDs."),
    ):
        text, trouble = look(user, scripts, source)
        assert words in text
        assert not trouble
    (folder / "config.json").write_text(json.dumps({"architectures": ["LlamaForCausalLM"]}))
    user.open_file(folder / "model.safetensors")
    text, _ = look(user, scripts, replace(pages, limit="5"))
    assert text.startswith("Perplexity of the text. ")
    assert text.endswith("Samples: at most 5 windows of the text.")


def test_a_stock_classifier_is_measured_on_images_without_a_script(user, tmp_path, monkeypatch):
    install(tmp_path / "packages", monkeypatch)
    images, model = write_images(tmp_path / "images"), write_model(tmp_path / "tiny.safetensors")
    user.open_file(model)
    scripts = user.workbench.scripts
    assert scripts.kinds == (DataKind.SCRIPT, DataKind.IMAGES)

    def look_at(folder):
        return look(user, scripts, DataSource(DataKind.IMAGES, str(folder), sys.executable))

    words, trouble = look_at(images)
    assert words.startswith("Accuracy of tiny (torchvision) on 3 of 6 images. Runs with ")
    assert not trouble
    agreement = "Agreement of tiny (torchvision) with the unpruned model on 1 of 2 images"
    assert look_at(images / "red")[0].startswith(f"{agreement}. Runs")
    (images / "all").mkdir()
    (images / "all" / "red").symlink_to(images / "red")
    assert look_at(images / "all")[0].startswith(f"{agreement} (1 subfolder, but 3 classes). Runs")
    words, trouble = look_at(images / "notes")
    assert words.startswith(f"There is no image in '{images / 'notes'}' or its subfolders. ")
    assert trouble
    run, _ = request(user, scripts, DataSource(DataKind.IMAGES, str(images), sys.executable))
    assert run[0].script.path.name == "builtin_accuracy.py"
    assert run[0].options.classifier == ("torchvision", "tiny", 3)
    source = DataSource(DataKind.IMAGES, str(images), sys.executable, limit="2", seed="7")
    text, _ = look(user, scripts, source)
    assert text.startswith("Accuracy of tiny (torchvision) on 2 of 6 images.")
    run, _ = request(user, scripts, source)
    options = run[0].runner(Job()).options
    assert (options.limit, options.seed) == (2, 7)


def request_command(user, scripts, command):
    return request(user, scripts, DataSource(DataKind.COMMAND, command))


def test_a_command_line_is_asked_about_once_for_its_folder(opened, tmp_path):
    user, scripts = opened
    command = f"'{sys.executable}' -c 'print(1)' {{checkpoint}}"
    run, _ = request_command(user, scripts, command)
    assert scripts.dialog.lines.toPlainText() == command
    assert scripts.dialog.facts == {"Program": sys.executable, "Folder": str(tmp_path)}
    user.click(scripts.dialog.leave)
    user.wait(lambda: scripts.dialog is None)
    assert run == []
    run, _ = request_command(user, scripts, command)
    user.click(scripts.dialog.go)
    user.wait(lambda: run)
    assert (run[0].command, run[0].folder) == (command, tmp_path)
    run, _ = request_command(user, scripts, command)
    assert len(run) == 1
    run, _ = request(user, scripts, DataSource(DataKind.COMMAND, command, seed="4"))
    assert run[0].runner(Job()).options.seed == 4, "confirmed for all seeds"
    run, _ = request_command(user, scripts, command + " ")
    assert scripts.dialog is not None, "another text is another command"
    user.click(scripts.dialog.leave)
    user.wait(lambda: scripts.dialog is None)

    # One that cannot run is refused.
    for command, words in (
        ("", "Enter a command line."),
        ("./no.sh {checkpoint}", "There is no program './no.sh'."),
        ("true", "does not name the checkpoint"),
        ("'true {checkpoint}", "a quotation mark"),
    ):
        run, refused = request_command(user, scripts, command)
        assert run == []
        assert words in str(refused[0])
    for command in ("sh {checkpoint}", "sh"):
        text, trouble = look(user, scripts, DataSource(DataKind.COMMAND, command))
        assert trouble == (command == "sh")
        assert (f"in {tmp_path}." in text) is not trouble
