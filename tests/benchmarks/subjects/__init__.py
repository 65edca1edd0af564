"""The subjects, in the order of measuring."""

from __future__ import annotations

from tests.benchmarks.benchmark import Subject
from tests.benchmarks.subjects import (
    acceptance,
    big,
    cancellation,
    cluster,
    cluster_methods,
    cnn_cuts,
    crowd,
    document,
    drop_in,
    event_loop,
    gpu,
    growth,
    interaction,
    job,
    lower_bound,
    norms,
    open_to_paint,
    picture,
    quality,
    quality_llama,
    quality_scan,
    quality_units,
    recover,
    repair,
    rounds,
    shrink,
    shrink_onnx,
    stages,
    start,
    undo,
)

SUBJECTS: dict[str, Subject] = {
    module.SUBJECT.name: module.SUBJECT
    for module in (
        start,
        open_to_paint,
        event_loop,
        cancellation,
        undo,
        rounds,
        drop_in,
        document,
        norms,
        interaction,
        crowd,
        picture,
        repair,
        shrink,
        shrink_onnx,
        cnn_cuts,
        growth,
        job,
        stages,
        lower_bound,
        acceptance,
        big,
        cluster,
        cluster_methods,
        quality,
        quality_llama,
        quality_scan,
        quality_units,
        recover,
        gpu,
    )
} | {
    subject.name: subject
    for subject in (
        big.ONE,
        quality.MASKS,
        quality.PHOTOS,
        recover.PHOTOS,
        recover.LLAMA,
        recover.ENCODER,
    )
}
