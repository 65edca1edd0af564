"""What a person does by hand: prune, restore, protect and release chosen weights."""

from pruneapp.document.hand.complete import complete_channels
from pruneapp.document.hand.compute import HandPreview, compute_hand
from pruneapp.document.hand.edit import HandEdit
from pruneapp.document.hand.pairs import Companion, companions, with_companions
from pruneapp.document.hand.roles import Alike, alike
from pruneapp.document.hand.target import Target

__all__ = [
    "Alike",
    "Companion",
    "HandEdit",
    "HandPreview",
    "Target",
    "alike",
    "companions",
    "complete_channels",
    "compute_hand",
    "with_companions",
]
