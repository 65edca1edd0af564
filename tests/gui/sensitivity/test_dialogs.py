"""The dialog of an allocation: its table."""

from __future__ import annotations

from pruneapp.gui.sensitivity.dialogs import AllocatedTensor, AllocationDialog, PredictedAllocation


def test_a_change_that_is_too_small_for_its_digits_has_no_sign(show, english):
    dialog = show(AllocationDialog((), "on the same data"), 640, 600)
    damages = 0.0, 1e-5, -1e-5, 0.1
    tensors = tuple(AllocatedTensor(f"t{n}", 10, 1, damage) for n, damage in enumerate(damages))
    for higher, worse in ((True, "−"), (False, "+")):
        dialog.set_allocation(
            PredictedAllocation(tensors, "accuracy", 0.9, 0.8, 4, share=True, higher=higher)
        )
        model = dialog.table.model()
        changes = [model.index(row, 3).data() for row in range(4)]
        assert changes == ["0.0", "0.0", "0.0", f"{worse}10.0"]
