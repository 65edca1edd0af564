"""Every export format by its name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pruneapp.errors import ParameterError, nearest
from pruneapp.export.format import Format
from pruneapp.export.formats.compact import COMPACT_FILE
from pruneapp.export.formats.csr import CSR
from pruneapp.export.formats.deflated import DEFLATED
from pruneapp.export.formats.onnx import ONNX_FILE
from pruneapp.export.formats.resumable import MASKS_ONLY, RESUMABLE
from pruneapp.export.formats.safetensors import SAFETENSORS
from pruneapp.export.formats.torch import TORCH
from pruneapp.export.formats.zst import ZSTANDARD

__all__ = ["FORMATS", "Format", "get"]

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        form.name: form
        for form in (
            SAFETENSORS,
            TORCH,
            RESUMABLE,
            MASKS_ONLY,
            COMPACT_FILE,
            DEFLATED,
            ZSTANDARD,
            CSR,
            ONNX_FILE,
        )
    }
)


def get(name: str) -> Format:
    """Return a format; raises `ParameterError` for a name that is none."""
    try:
        return FORMATS[name]
    except KeyError:
        raise ParameterError(
            f"There is no export format '{name}'.", remedy=nearest(name, FORMATS, "formats")
        ) from None
