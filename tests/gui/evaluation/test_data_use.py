"""The dialogs of a model's data state what these are used for."""

from __future__ import annotations

import pytest

from pruneapp.document.step import Row, Step
from pruneapp.gui.evaluation.source_choice import DataKind, DataSource, SourceChoice
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.gui.user import User


@pytest.fixture
def pruned_encoder(user, two_layers) -> User:
    """Return the user after pruning both layers of a folder with a configuration of an encoder."""
    folder = two_layers.parent / "encoder"
    folder.mkdir()
    two_layers.rename(folder / "model.safetensors")
    (folder / "config.json").write_text('{"architectures": ["BertModel"]}')
    user.open_file(folder)
    step = Step((Row(("fc.weight", "head.weight"), "l1_unstructured", {"amount": 0.6}),))
    preview = compute_preview(user.document.snapshot(), step, CpuKernel(), Job())
    assert user.session.commit(preview)
    return user


@pytest.mark.parametrize(
    ("feature", "use"),
    [
        ("evaluation", "cosine"),
        ("repair", "The data are used for calibration:"),
        ("recover", "The data are used for training:"),
        ("statistics", "statistics of its activations are saved."),
    ],
)
def test_a_dialog_states_what_a_text_is_used_for(pruned_encoder, tmp_path, feature, use):
    choice = choose_text(pruned_encoder, feature, tmp_path / "text.txt")
    pruned_encoder.wait(lambda: use in choice.found.text())
    assert ("cosine" in choice.found.text()) == (feature == "evaluation")


@pytest.mark.parametrize("feature", ["repair", "recover", "statistics"])
def test_a_dialog_warns_if_states_are_evaluated_on_the_same_text(pruned_encoder, tmp_path, feature):
    user = pruned_encoder
    path, other = tmp_path / "text.txt", tmp_path / "other.txt"
    user.workbench.scripts.remember("evaluation", DataSource(DataKind.TEXT, str(path)))
    choice = choose_text(user, feature, other)
    warning = "States are evaluated on the same data, so their metrics will be better"
    user.wait(lambda: "The data are used" in choice.found.text() or "saved" in choice.found.text())
    assert warning not in choice.found.text()
    choice.fields[DataKind.TEXT].clear()
    user.type(choice.fields[DataKind.TEXT], str(path))
    user.wait(lambda: warning in choice.found.text())
    assert not choice.has_trouble, "it is only a warning"


def choose_text(user, feature, path):
    """Open the dialog of a feature, and choose a text in it; return its choice of data."""
    for each in (path, path.with_name("text.txt")):
        each.write_text("A sentence.")
    if feature == "statistics":
        user.choose(user.rule.method, "Wanda (per tensor)")
        user.click(user.rule.collect_statistics)
    else:
        user.key({"evaluation": "Ctrl+M", "repair": "Ctrl+R", "recover": "Ctrl+Shift+R"}[feature])
    controller = getattr(user.workbench, feature)
    user.wait(lambda: controller.dialog is not None and controller.dialog.isVisible())
    choice = controller.dialog.findChild(SourceChoice)
    user.click(choice.radios[DataKind.TEXT])
    choice.fields[DataKind.TEXT].clear()
    user.type(choice.fields[DataKind.TEXT], str(path))
    return choice
