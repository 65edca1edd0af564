"""Registry of export formats."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.errors import ParameterError, PluginError, suggest_nearest
from pruneapp.export.format import Format
from pruneapp.export.formats.compact import COMPACT_FILE
from pruneapp.export.formats.csr import CSR
from pruneapp.export.formats.deflated import DEFLATED
from pruneapp.export.formats.exported_program import PROGRAM_FILE
from pruneapp.export.formats.gguf import GGUF_FILE
from pruneapp.export.formats.npz import NPZ_FILE
from pruneapp.export.formats.onnx import ONNX_FILE
from pruneapp.export.formats.pickle_file import PICKLE_FILE
from pruneapp.export.formats.resumable import MASKS_ONLY, RESUMABLE
from pruneapp.export.formats.safetensors import SAFETENSORS
from pruneapp.export.formats.torch import TORCH
from pruneapp.export.formats.zst import ZSTANDARD

__all__ = ["FORMATS", "Format", "format_named", "get", "register", "unregister", "usual_format"]

_formats: dict[str, Format] = {
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
        NPZ_FILE,
        ONNX_FILE,
        PROGRAM_FILE,
        PICKLE_FILE,
        GGUF_FILE,
    )
}

# All formats by name, in the order in which they are listed. A read-only view.
FORMATS: Mapping[str, Format] = MappingProxyType(_formats)


def register(form: Format) -> None:
    """Add a format at the end. Raises `PluginError` if the name exists."""
    if form.name in _formats:
        raise PluginError(f"There is an export format '{form.name}' already.")
    _formats[form.name] = form


def unregister(name: str) -> None:
    """Remove a format. Raises `ParameterError` if there is no format of this name."""
    del _formats[get(name).name]


def get(name: str) -> Format:
    """Return a format. Raises `ParameterError` if there is no format of this name."""
    try:
        return FORMATS[name]
    except KeyError:
        raise ParameterError(
            f"There is no export format '{name}'.", remedy=suggest_nearest(name, FORMATS, "formats")
        ) from None


def format_named(path: Path) -> Format | None:
    """Return the format with the longest suffix that a file name has; None if none fits.

    Case does not matter. Of formats with the same suffix, such as ``.pt``, it is the first in
    `FORMATS`.
    """

    def longest(form: Format) -> int:
        return max((len(s) for s in form.suffixes if path.name.lower().endswith(s)), default=0)

    best = max(FORMATS.values(), key=longest)  # the first one of equally long suffixes
    return best if longest(best) else None


def usual_format(path: Path, checkpoint: Checkpoint) -> Format:
    """Return the default format of an export: by the name of the file, otherwise by the source.

    The format of a name is returned even if it cannot represent the checkpoint; one of the source
    only if it can. Without either it is safetensors.
    """
    of_source = (
        form
        for form in FORMATS.values()
        if checkpoint.format in form.sources and not form.why_not(checkpoint)
    )
    return format_named(path) or next(of_source, SAFETENSORS)
