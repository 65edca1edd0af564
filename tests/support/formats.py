"""The export formats that can write a checkpoint of any container."""

from __future__ import annotations

from pruneapp.export.catalog import FORMATS

# Only for sources of the same format: other files lack the graph of ONNX or of torch.export, the
# vocabulary of GGUF, or the objects of a pickle.
_OF_ITS_OWN = {"onnx", "pt2", "gguf", "pickle"}
OF_ANY_SOURCE = {name: form for name, form in FORMATS.items() if name not in _OF_ITS_OWN}
