"""A file of two tensors, and a script that is measured in this process."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.evaluation.metric import Metric
from pruneapp.evaluation.runner import Samples, ScriptRunner
from pruneapp.gui.evaluation.script_controller import AgreedScript
from pruneapp.gui.evaluation.source_choice import DataKind
from tests.gui.script_runner import LocalRunner

FIRST, SECOND = "first.weight", "second.weight"
SIZES = {FIRST: 40, SECOND: 30}


@pytest.fixture
def measure():
    """Return a fake measurement: the loss is ten times as sensitive to the first tensor."""

    def found(snapshot):
        shares = {n: snapshot.masks.pruned(n) / size for n, size in SIZES.items()}
        loss = 1 + shares[FIRST] + shares[SECOND] / 10
        right = round(1000 - 100 * shares[FIRST])
        accuracy = Metric(right / 1000, counts=(right, 1000))
        return shares, {"accuracy": accuracy, "loss": Metric(loss)}

    return found


@pytest.fixture
def opened(user, tmp_path):
    """Return the user with the file open, and both tensors checked."""
    path = tmp_path / "model.safetensors"
    rng = np.random.default_rng(1)
    shapes = {FIRST: (5, 8), SECOND: (6, 5)}
    save_file({n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}, path)
    return user.open_file(path)


def choose_data(user, choice, script, text=None):
    """Choose a script, or a text if there is one, in a dialog."""
    kind = DataKind.SCRIPT if text is None else DataKind.TEXT
    if kind in choice.radios and len(choice.radios) > 1:
        user.click(choice.radios[kind])
    choice.fields[kind].clear()
    user.type(choice.fields[kind], str(text or script))


def enter_total(user, dialog, text):
    """Enter the total sparsity in the dialog of an allocation."""
    user.type(dialog.editors["target_sparsity"].field, text)


class Scans:
    """Operates the dialogs and the page of scans."""

    def __init__(self, user, script):
        self.user, self.script = user, script
        self.view = user.views.pages.sensitivity

    def ask(self, limit="", seed="", text=None):
        """Open the dialog, and enter the script, or else the path of a text; limit and seed."""
        user = self.user
        user.menu("Tools", "Scan sensitivity")
        controller = user.workbench.scans
        user.wait(lambda: controller.dialog is not None and controller.dialog.isVisible())
        dialog = controller.dialog
        choose_data(user, dialog.choice, self.script, text)
        user.type(dialog.choice.python, sys.executable)
        for field, number in ((dialog.choice.limit, limit), (dialog.choice.seed, seed)):
            field.clear()
            user.type(field, number)
        return dialog

    def begin(self, amounts="50%, 90%", **given):
        """Start a scan, and return while it runs."""
        dialog = self.ask(**given)
        self.user.type(dialog.fractions, amounts)
        self.agree(dialog)

    def agree(self, dialog):
        """Press Scan, and agree to the script if the window asks."""
        user = self.user
        user.wait(dialog.go.isEnabled)
        user.click(dialog.go)
        user.wait(
            lambda: user.workbench.scripts.dialog is not None or user.workbench.scans.dialog is None
        )
        if user.workbench.scripts.dialog is not None:
            user.wait(user.workbench.scripts.dialog.isVisible)
            user.click(user.workbench.scripts.dialog.go)
        user.wait(lambda: user.workbench.scans.dialog is None)

    def scan(self, amounts="50%, 90%", **given):
        self.begin(amounts, **given)
        self.user.wait_idle()

    @property
    def cells(self):
        """The texts of the cells; "" where nothing is measured."""
        canvas = self.view.canvas
        return [[canvas.text(r, c) for c in range(canvas.columns)] for r in range(canvas.count)]

    def click(self, row, column):
        canvas = self.view.canvas
        at = canvas.cell_rect(row, column).center().toPoint()
        self.user.click(canvas.viewport(), at)


@pytest.fixture
def encoder(user, tmp_path):
    """Return the user with the folder of an encoder open, and both tensors checked."""
    folder = tmp_path / "encoder"
    folder.mkdir()
    rng = np.random.default_rng(1)
    shapes = {FIRST: (5, 8), SECOND: (6, 5)}
    tensors = {n: rng.normal(size=s).astype(np.float32) for n, s in shapes.items()}
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text('{"architectures": ["BertModel"]}')
    return user.open_file(folder)


@pytest.fixture
def texts(tmp_path):
    """Return the paths of two texts with different sentences."""
    paths = tmp_path / "calib.txt", tmp_path / "sentences.txt"
    for path in paths:
        path.write_text(f"A sentence of {path.stem}.\n")
    return paths


class LocalScriptRunner(LocalRunner, ScriptRunner):
    """Measures in this process; its data are known by the options of the script."""

    counts_sentences = False  # whether results contain the number of sentences of the text

    def __init__(self, script, measure, options):
        super().__init__(script, measure, options)
        self.worker.script = script

    def run(self, snapshot, seed, job, *, reference=False):
        measured = super().run(snapshot, seed, job, reference=reference)
        if not self.counts_sentences:
            return measured
        lines = self.options.text.read_text().splitlines()
        used = len(lines[: self.options.limit])
        return replace(measured, samples=Samples("lines", used, len(lines)))


@pytest.fixture
def text_runners(monkeypatch, measure):
    """Run built-in evaluations of texts in this process; return the list of runners made."""
    made = []

    def make(agreed, _job):
        made.append(LocalScriptRunner(agreed.script, measure, agreed.options))
        return made[-1]

    monkeypatch.setattr(AgreedScript, "runner", make)
    return made


@pytest.fixture
def encoder_scans(encoder, text_runners, script):
    return Scans(encoder, script)


@pytest.fixture
def scans(opened, runners, script):
    return Scans(opened, script)
