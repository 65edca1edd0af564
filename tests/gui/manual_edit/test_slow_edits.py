"""A long edit is shown in the status bar and can be cancelled there; the next one is applied."""

from __future__ import annotations

from pruneapp import resources
from pruneapp.edits.manual_edit import ManualEditRequest
from pruneapp.gui.manual_edit import edit_controller
from pruneapp.gui.manual_edit.edit_controller import compute_edit
from tests.gui.job_gate import Gate, endless

SAMPLE = resources.path("sample/lenet-digits.safetensors")


def channel(number: int) -> ManualEditRequest:
    return ManualEditRequest(
        "prune", "fc1.weight", (((number, number + 1), (0, 128)),), "channel", 0
    )


def open_sample(user):
    user.menu("File", "Try the sample")
    user.wait_open(SAMPLE)
    user.wait_preview()
    return user.workbench.manual_edit


def test_a_gesture_that_takes_long_can_be_seen_and_cancelled(user, monkeypatch):
    """One that is computed when the file is closed is dropped."""
    by_hand, status = open_sample(user), user.window.job_status
    monkeypatch.setattr(edit_controller, "compute_edit", lambda _a, _b, job, **_how: endless(job))
    by_hand.perform(channel(2))
    user.wait(status.cancel.isVisible)
    user.session.close()
    user.wait_idle()
    open_sample(user)

    gate = Gate(closed=True)

    def slow(snapshot, gesture, job, **how):
        if gesture == channel(0):
            job.start(100, "fc1.weight")
            gate.wait(job)
        return compute_edit(snapshot, gesture, job, **how)

    monkeypatch.setattr(edit_controller, "compute_edit", slow)
    by_hand.perform(channel(0))
    by_hand.perform(channel(1))
    assert not status.cancel.isVisible(), "short edits do not flicker in the status bar"
    user.wait(status.cancel.isVisible)
    assert "Applying manual edit" in status.label.text()
    user.wait(lambda: "fc1.weight" in status.label.text())
    user.click(status.cancel)
    user.wait(lambda: len(user.states) == 2)
    assert user.document.masks["fc1.weight"].pruned == 128
    assert not user.document.masks["fc1.weight"].bools()[128:256].any(), "the one after it"
    user.wait_idle()
    assert not status.cancel.isVisible()
    assert gate.running
