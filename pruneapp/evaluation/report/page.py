"""The report of a history as one HTML page, without scripts and external files."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.errors import ExportError
from pruneapp.evaluation.metric import MetricChange, StateQuality
from pruneapp.evaluation.report.chart import HEIGHT, WIDTH, Marker, charts_of, value_text
from pruneapp.evaluation.report.contents import (
    HistoryReport,
    ReportedEvaluation,
    ReportedState,
    ReportSource,
    collect_report,
)
from pruneapp.evaluation.runner import Conditions
from pruneapp.evaluation.scan import Sensitivity
from pruneapp.export.destination.target import check_file
from pruneapp.export.report_writer import html_template
from pruneapp.progress import Job


def write_history_report(source: ReportSource, path: Path, job: Job) -> Path:
    """Write the report of a document to an HTML file; return its path, with links resolved.

    An existing file is replaced once the new one is complete, but never a file of the model.

    Raises
    ------
    ExportError
        If the file cannot be written, is part of the model, or does not end in ``.html``.
    CheckpointError
        If a file of the model cannot be read.
    HistoryError
        If a mask cannot be read.
    """
    if path.suffix.lower() != ".html":
        raise ExportError(
            f"The report of a history ends in .html (got '{path.name}').",
            remedy="Add .html to the name.",
        )
    target = check_file(path).path
    for file in source.capture.snapshot.checkpoint.files:
        if target.exists() and file.path.exists() and target.samefile(file.path):
            raise ExportError(f"'{path}' is part of the model.", remedy="Choose another name.")
    data = as_html(collect_report(source, job)).encode("utf-8", "backslashreplace")
    job.start(2 * len(data), path.name)
    write_whole(target, data, job)
    return target


def as_html(report: HistoryReport) -> str:
    """Return the page of a report; texts of files and users are escaped."""
    recipe = base64.b64encode(report.recipe.encode("utf-8", "backslashreplace")).decode()
    latest = report.evaluations[0] if report.evaluations else None
    return html_template("history_report.html.jinja").render(
        report=report,
        latest=latest,
        charts=() if latest is None else tuple(charts_of(report, latest)),
        current=next(state for state in report.states if state.is_current),
        recipe=recipe,
        width=WIDTH,
        height=HEIGHT,
        marker=Marker,
        value=value_text,
        difference=difference_text,
        remarks=_remarks,
        value_of=_number_text,
        cells=_cells_of,
    )


def difference_text(metric: MetricChange) -> str:
    """Return the difference of a metric from the unpruned model, with its noise if it is known."""
    unit = 100.0 if metric.share else 1.0
    form = "{:.2f}" if metric.share else "{:.4g}"
    difference = unit * metric.difference
    sign = "−" if difference < 0 else "+" if difference > 0 else ""
    text = sign + form.format(abs(difference))
    return f"{text} ± {form.format(unit * metric.half)}" if metric.half > 0 else text


def metric_texts(quality: StateQuality | None) -> dict[str, str]:
    """Return value and difference of each metric by its name; empty for None."""
    metrics = () if quality is None else quality.metrics
    return {
        m.name: f"{value_text(m)} ({difference_text(m)})" if m.difference else value_text(m)
        for m in metrics
    }


def conditions_text(conditions: Conditions) -> str:
    """Return script, data, limit and seed of a measurement, separated by commas.

    Of the SHA-256 of the data the first twelve digits are given; `hashes_of` has all.
    """
    data, samples, limit = conditions.data, conditions.samples, conditions.limit
    if data and conditions.data_sha256:
        data += f" (SHA-256 {conditions.data_sha256[:12]})"
    used = "" if limit is None else f"at most {limit:,} samples"
    if samples is not None:
        used = f"{samples.used:,} of {samples.total:,} {samples.noun}"
    return ", ".join(filter(None, (conditions.name, data, used, f"seed {conditions.seed}")))


def hashes_of(conditions: Conditions) -> dict[str, str]:
    """Return the SHA-256 of script and data of a measurement by their names, as far as known."""
    pairs = ((conditions.name, conditions.script_sha256), (conditions.data, conditions.data_sha256))
    return {name: digest for name, digest in pairs if name and digest}


def _number_text(value: float, *, share: bool) -> str:
    return f"{100 * value:.2f} %" if share else f"{value:.6g}"


def _cells_of(found: Sensitivity, row: int) -> Iterator[tuple[str, float]]:
    """Yield text and level (0 to 1) of each cell of a scan, as `Sensitivity.mark`."""
    tensor = found.rows[row]
    for column, value in enumerate(tensor.values):
        text = found.mark(tensor, column)
        if text is None and value is not None:
            difference = value - found.before
            sign = "−" if difference < 0 else "+"
            digits = f"{100 * difference:.1f}" if found.share else f"{difference:.3g}"
            text = sign + digits.lstrip("-").replace("-", "−")
        yield text or "", float(found.levels[row, column]) if text else 0.0


def _remarks(state: ReportedState, evaluation: ReportedEvaluation | None) -> Iterator[str]:
    """Yield remarks about a state and its metrics, a phrase each."""
    if state.label:
        yield state.label
    if state.note:
        yield state.note
    if state.parent not in {-1, state.number - 1}:
        yield f"made from state {state.parent}" if state.parent else "made from the opened file"
    quality = None if evaluation is None else evaluation.of_state.get(state.number)
    metrics = () if quality is None else quality.metrics
    judged = [metric for metric in metrics if metric.judged]
    if state.number and judged and all(metric.is_none for metric in judged):
        yield "no difference from the unpruned model was found"
    if any(metric.calibrated for metric in metrics):
        yield "†"
