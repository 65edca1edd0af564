"""The totals that commands print after an export."""

from __future__ import annotations

from pathlib import Path

from pruneapp.cli.export_options import report_output
from pruneapp.export.report import ExportReport, WrittenFile, WrittenTensor


def test_selection_and_model_count_the_same_tensors():
    """A repair changes running variances, which are no parameters and are not pruned."""
    tensors = (
        WrittenTensor("a.weight", 100, 90),
        WrittenTensor("bn.running_var", 10, 0, learned=False),
    )
    file = WrittenFile(Path("a.safetensors"), 1, "00")
    report = ExportReport(Path("a.safetensors"), "safetensors", (file,), tensors)
    output = report_output(report, (), ["a.weight", "bn.running_var"])
    lines = list(output.lines)
    assert "1 selected tensor: 90 of 100 weights pruned (90.0 %)" in lines
    assert any(line.startswith("Whole model: 90 of 100 weights pruned") for line in lines)
