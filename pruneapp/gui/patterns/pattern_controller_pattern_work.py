"""What the pattern checker does in the background: pure functions of frozen data."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pruneapp.analysis.patterns import check_pattern
from pruneapp.document.edit import Edit
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Step
from pruneapp.gui.files.loader_loading import LoadedContents
from pruneapp.gui.patterns.answer import PatternAnswer
from pruneapp.gui.patterns.dialog_question import Question
from pruneapp.kernels.kernel import Kernel
from pruneapp.methods.builtin.patterns import pattern_sizes
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job


def look(
    snapshot: Snapshot, names: Sequence[str], asked: Question, contents: LoadedContents, job: Job
) -> PatternAnswer:
    """Return whether tensors have a pattern, the worst first; raises as `check_pattern`.

    Parameters
    ----------
    snapshot, names
        The state, and the tensors.
    asked
        The pattern and its dimension.
    contents
        What tensors are called, and which are convolutions.
    job
        Started with the elements; may cancel.
    """
    n, m = pattern_sizes(asked.pattern)
    report = check_pattern(snapshot, names, n, m, asked.dim, job).worst_first()
    kinds = [contents.by_name[tensor.name].kind for tensor in report.tensors if tensor.groups]
    answer = PatternAnswer(
        report,
        report.totals(),
        contents.shown,
        convolutions=sum([kind.startswith("Conv") for kind in kinds]),
        short=contents.short,
    )
    _ = answer.widest  # made here, where it takes nobody's time
    return answer


def mend(snapshot: Snapshot, step: Step, kernel: Callable[[], Kernel], job: Job) -> Edit:
    """Return what a step changes of a state, ready to be put in force."""
    preview = compute_preview(snapshot, step, kernel(), job, energy=False)
    return preview.as_edit(snapshot).prepare()
