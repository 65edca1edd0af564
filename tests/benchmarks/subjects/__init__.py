"""The subjects, in the order in which they are measured."""

from __future__ import annotations

from tests.benchmarks.frame import Subject
from tests.benchmarks.subjects import (
    acceptance,
    beating,
    big,
    cancelling,
    document,
    drop_in,
    floor,
    growth,
    interaction,
    job,
    norms,
    opening,
    picture,
    rounds,
    stages,
    start,
    undo,
)

SUBJECTS: dict[str, Subject] = {
    module.SUBJECT.name: module.SUBJECT
    for module in (
        start,
        opening,
        beating,
        cancelling,
        undo,
        rounds,
        drop_in,
        document,
        norms,
        interaction,
        picture,
        growth,
        job,
        stages,
        floor,
        acceptance,
        big,
    )
}
