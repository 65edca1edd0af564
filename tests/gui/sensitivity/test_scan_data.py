"""A scan and an evaluation of the same file may use different data."""

from __future__ import annotations

import pytest

from pruneapp.evaluation.runner import are_different_data
from tests.gui.sensitivity.conftest import choose_data
from tests.gui.user import plain


def evaluate(user, text):
    """Measure the current state on a text by Evaluate…; return what the dialog proposed."""
    user.key("Ctrl+M")
    evaluation = user.workbench.evaluation
    user.wait(lambda: evaluation.dialog is not None and evaluation.dialog.isVisible())
    dialog = evaluation.dialog
    proposed = dialog.choice.source()
    choose_data(user, dialog.choice, "", text)
    user.wait(dialog.go.isEnabled)
    user.click(dialog.go)
    user.wait(lambda: evaluation.dialog is None)
    user.wait_idle()
    return proposed


def allocate(user, scans):
    """Prune by an allocation; return the note of its dialog."""
    user.click(scans.view.allocate)
    controller = user.workbench.allocation
    user.wait(lambda: controller.dialog is not None and controller.dialog.isVisible())
    dialog = controller.dialog
    note = dialog.note.text()
    user.wait(dialog.go.isEnabled)
    user.click(dialog.go)
    user.wait(lambda: user.document.position == 1)
    return note


def test_an_allocation_names_the_data_of_scan_and_evaluation(encoder, encoder_scans, texts):
    """Agreement of the unpruned model with itself is the same for all data."""
    calibration, sentences = texts
    encoder_scans.scan("50%, 90%", text=calibration)
    assert "the same script evaluates" in allocate(encoder, encoder_scans)
    evaluate(encoder, sentences)
    encoder.wait(lambda: "Allocation: loss" in str(encoder.notices))
    notice = plain(encoder.notices[0])
    assert notice.endswith("than each alone. Scan: calib.txt; evaluation: sentences.txt.")


def test_an_allocation_by_the_data_of_the_evaluation_is_optimistic(encoder, encoder_scans, texts):
    evaluate(encoder, texts[1])
    encoder_scans.scan("50%, 90%", text=texts[1])
    assert "so its score there is optimistic" in allocate(encoder, encoder_scans)


@pytest.mark.parametrize(
    ("first", "second", "different"),
    [
        ("text:1", "text:2", True),
        ("text:1", "text:1", False),
        ("text:1", "images:/a", True),
        ("text:1", "", False),
        ("evaluate of script:1", "evaluate of script:2", False),
        ("command:1", "text:1", False),
    ],
)
def test_data_of_scripts_may_be_the_same(first, second, different):
    assert are_different_data(first, second) == different
    assert are_different_data(second, first) == different
