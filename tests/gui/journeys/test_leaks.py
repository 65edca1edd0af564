"""Repeated actions on one document do not leak masks, states, pictures or jobs."""

from __future__ import annotations

import gc
from collections import Counter

import numpy as np
from PySide6.QtWidgets import QDialog
from safetensors.numpy import save_file

from pruneapp.gui.widgets import sparsity_bar

ROUNDS = 10
# Classes of masks, states, images, and jobs that reference them.
KINDS = {"BitMask", "MaskSet", "MaskSlot", "Snapshot", "Preview", "Tile", "Units", "Task", "QImage"}


def alive() -> Counter[str]:
    found = Counter(n for thing in gc.get_objects() if (n := type(thing).__name__) in KINDS)
    # The tree caches a limited number of bar images.
    found["QImage"] -= (
        sparsity_bar._bar.cache_info().currsize + sparsity_bar._stripes.cache_info().currsize
    )
    return found


def test_rounds_of_prune_look_undo_delete_leave_no_mask_state_or_picture(user, tmp_path):
    rng = np.random.default_rng(5)
    path = tmp_path / "model.safetensors"
    names = [f"h.{n}.weight" for n in range(3)]
    save_file({name: rng.standard_normal((64, 96), np.float32) for name in names}, str(path))
    user.open_file(path)
    counts: list[Counter[str]] = []
    for number in range(ROUNDS):
        user.ask_amount(f"{20 + number} %")
        user.wait_preview()
        user.click(user.button)
        user.workbench.plots.show_tensor(names[number % len(names)])
        for page in range(4):
            user.views.pages.tabs.setCurrentIndex(page)
            user.pause(20)
        for key in ("Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+Z"):
            user.key(key, user.window)
        assert user.document.position == 0
        user.document.delete(1)  # or the step would be kept as a branch
        user.views.pages.tabs.setCurrentIndex(0)
        user.wait(lambda: user.workbench.preview.state.preview is not None)
        user.pause(60)  # the last tile is requested with a delay
        user.wait_idle()
        # No gc.collect: it rarely runs in an idle window, so nothing may depend on it.
        counts.append(alive())
    assert counts[-1]["BitMask"] > 0, "the count is empty"
    before = {kind: max(c[kind] for c in counts[2:5]) for kind in KINDS}

    def nothing_has_grown() -> None:
        after = alive()
        for kind, most in before.items():
            assert after[kind] <= most, f"{kind}: {most} after 5 rounds, {after[kind]} now"

    user.qtbot.waitUntil(nothing_has_grown)  # on a busy machine the last image is released late


def test_a_closed_document_leaves_no_flow_dialog_or_document(user, tmp_path):
    """Flows and dialogs refer to their feature, which lives as long as the window."""
    paths = [tmp_path / f"{name}.safetensors" for name in "ab"]
    for path in paths:
        save_file({"h.weight": np.eye(64, dtype=np.float32)}, str(path))
    kinds = {"Document", "Checkpoint", "History", "_RunningFlow", "RunJob", "Task", "generator"}
    windows: list[int] = []

    def count() -> Counter[str]:
        return Counter(n for thing in gc.get_objects() if (n := type(thing).__name__) in kinds)

    def closed(path) -> Counter[str]:
        """Open a file, leave work and a dialog, and close it; return what is left."""
        user.open(path)
        user.wait_open(path)
        workbench = user.workbench
        workbench.evaluation.ask()
        workbench.recipes.copy()
        workbench.manual_edit.complete()
        user.session.close()
        user.wait(lambda: workbench.jobs.is_idle and workbench.evaluation.dialog is None)
        user.pause(20)
        windows.append(len(user.window.findChildren(QDialog)))
        gc.collect()
        return count()

    counts = [closed(paths[number % 2]) for number in range(ROUNDS)]
    assert counts[0]["generator"] > 0, "nothing was counted"
    before = {kind: max(c[kind] for c in counts[:5]) for kind in kinds}

    def nothing_has_grown() -> None:
        after = count()
        assert {k: after[k] for k in kinds if after[k] > before[k]} == {}, before

    user.qtbot.waitUntil(nothing_has_grown)
    assert windows[-1] <= max(windows[:5])
