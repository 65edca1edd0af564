"""The same done to one document again and again leaves nothing behind."""

from __future__ import annotations

import gc
from collections import Counter

import numpy as np
from safetensors.numpy import save_file

from pruneapp.gui.widgets import sparsity_bar

ROUNDS = 20
# Masks, states, what holds pictures, and the jobs that made them.
KINDS = {"BitMask", "MaskSet", "MaskSlot", "Snapshot", "Preview", "Tile", "Units", "Task", "QImage"}


def alive() -> Counter[str]:
    found = Counter(n for thing in gc.get_objects() if (n := type(thing).__name__) in KINDS)
    # Bars of the tree are kept on purpose, a bounded number of small ones.
    found["QImage"] -= (
        sparsity_bar._bar.cache_info().currsize + sparsity_bar._stripes.cache_info().currsize
    )
    return found


def test_rounds_of_prune_look_undo_delete_leave_no_mask_state_or_picture(person, tmp_path):
    rng = np.random.default_rng(5)
    path = tmp_path / "model.safetensors"
    names = [f"h.{n}.weight" for n in range(3)]
    save_file({name: rng.standard_normal((64, 96), np.float32) for name in names}, str(path))
    person.open(path)
    person.wait_open(path)
    counts: list[Counter[str]] = []
    for number in range(ROUNDS):
        person.ask_amount(f"{20 + number} %")
        person.wait_preview()
        person.click(person.button)
        person.workbench.plots.show_tensor(names[number % len(names)])
        for page in range(4):
            person.views.pages.tabs.setCurrentIndex(page)
            person.pause(20)
        for key in ("Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+Z"):
            person.key(key, person.window)
        assert person.document.position == 0
        person.document.delete(1)  # else it stays, as a branch
        person.views.pages.tabs.setCurrentIndex(0)
        person.wait(lambda: person.workbench.preview.state.preview is not None)
        person.pause(60)  # the last tile is asked for a moment after
        person.wait_idle()
        # Not collected: what only the collector finds stays for a long time in a quiet window.
        counts.append(alive())
    assert counts[-1]["BitMask"] > 0, "nothing was counted"
    before = {kind: max(c[kind] for c in counts[2:5]) for kind in KINDS}

    def nothing_has_grown() -> None:
        after = alive()
        for kind, most in before.items():
            assert after[kind] <= most, f"{kind}: {most} after 5 rounds, {after[kind]} now"

    person.qtbot.waitUntil(nothing_has_grown)  # on a busy machine the last picture comes late
