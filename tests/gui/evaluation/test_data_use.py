"""The dialogs of a model's data state what these are used for."""

from __future__ import annotations

import pytest

from pruneapp.document.step import Row, Step
from pruneapp.gui.evaluation.source_choice import DataKind, SourceChoice
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
    user = pruned_encoder
    (tmp_path / "text.txt").write_text("A sentence.")
    if feature == "statistics":
        user.choose(user.rule.method, "Wanda (per tensor)")
        user.click(user.rule.collect_statistics)
    else:
        user.key({"evaluation": "Ctrl+M", "repair": "Ctrl+R", "recover": "Ctrl+Shift+R"}[feature])
    controller = getattr(user.workbench, feature)
    user.wait(lambda: controller.dialog is not None and controller.dialog.isVisible())
    choice = controller.dialog.findChild(SourceChoice)
    user.click(choice.radios[DataKind.TEXT])
    user.type(choice.fields[DataKind.TEXT], str(tmp_path / "text.txt"))
    user.wait(lambda: use in choice.found.text())
    assert ("cosine" in choice.found.text()) == (feature == "evaluation")
