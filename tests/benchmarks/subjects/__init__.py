"""The subjects, in the order in which they are measured."""

from __future__ import annotations

from tests.benchmarks.frame import Subject
from tests.benchmarks.subjects import acceptance, beating, cancelling, job, opening, start, undo

SUBJECTS: dict[str, Subject] = {
    module.SUBJECT.name: module.SUBJECT
    for module in (start, opening, beating, cancelling, undo, job, acceptance)
}
