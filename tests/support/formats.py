"""The export formats that write a checkpoint whatever it was opened from."""

from __future__ import annotations

from pruneapp.export.catalog import FORMATS

# Written as they were opened: no other file has the graph of ONNX or of a program of torch.export,
# the vocabulary of GGUF, or the objects of a pickle.
_OF_ITS_OWN = {"onnx", "pt2", "gguf", "pickle"}
OF_ANY_SOURCE = {name: form for name, form in FORMATS.items() if name not in _OF_ITS_OWN}
