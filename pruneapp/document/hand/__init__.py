"""What a person does by hand: prune, restore, protect and release chosen weights."""

from pruneapp.document.hand.compute import HandPreview, compute_hand
from pruneapp.document.hand.edit import HandEdit
from pruneapp.document.hand.roles import Alike, alike
from pruneapp.document.hand.target import Target

__all__ = ["Alike", "HandEdit", "HandPreview", "Target", "alike", "compute_hand"]
