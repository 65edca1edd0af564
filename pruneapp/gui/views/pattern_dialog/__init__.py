"""Whether tensors have an N:M pattern: the question, the answer, and one button that repairs."""

from pruneapp.gui.views.pattern_dialog.answer import Answer
from pruneapp.gui.views.pattern_dialog.dialog import PatternDialog
from pruneapp.gui.views.pattern_dialog.question import Question

__all__ = ["Answer", "PatternDialog", "Question"]
