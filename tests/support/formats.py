"""The export formats that write a checkpoint whatever it was opened from."""

from __future__ import annotations

from pruneapp.export.catalog import FORMATS

# An ONNX model is written as it was opened: no other file has its graph.
OF_ANY_SOURCE = {name: form for name, form in FORMATS.items() if name != "onnx"}
