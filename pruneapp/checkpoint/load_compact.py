"""Load compact files as numpy arrays or torch tensors, for scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from pruneapp.checkpoint.checkpoint import Checkpoint, open_checkpoint
from pruneapp.checkpoint.formats.compact import FORMAT
from pruneapp.errors import ParameterError, UnsupportedFileError

if TYPE_CHECKING:
    import torch

T = TypeVar("T")


class CompactFile(Mapping[str, T]):
    """A mapping from tensor names, tied names included, to the tensors of a compact file.

    Each access unpacks the tensor again. Created by `load_compact`. Use it as a context manager, or
    call `close`; both close the file.
    """

    def __init__(self, file: Checkpoint, read: Callable[[Checkpoint, str], T]) -> None:
        self._file = file
        self._read = read
        self._names = tuple(n for e in file.entries.values() for n in e.names)

    @property
    def metadata(self) -> Mapping[str, str]:
        """The text metadata of the original file."""
        return self._file.metadata

    def __getitem__(self, name: str) -> T:
        return self._read(self._file, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@overload
def load_compact(
    path: str | Path, framework: Literal["np"] = "np"
) -> CompactFile[NDArray[Any]]: ...
@overload
def load_compact(path: str | Path, framework: Literal["pt"]) -> CompactFile[torch.Tensor]: ...
def load_compact(path: str | Path, framework: str = "np") -> CompactFile[Any]:
    """Open a compact file as a mapping from names to arrays or tensors.

    Parameters
    ----------
    framework
        As in ``safetensors.safe_open``. ``"np"``: numpy arrays, of numpy's type or that of
        ml_dtypes (bfloat16 and float8); 4 and 6 bit floats are returned as 1-D ``uint8`` with the
        bytes of the file. ``"pt"``: torch tensors on the CPU, of the types that torch has.

    Raises
    ------
    ParameterError
        If `framework` is not one of these.
    CheckpointError
        If the file cannot be opened or is not a compact file.

    Examples
    --------
    A compact file next to the ``config.json`` of its model, in transformers:

    >>> with pruneapp.load_compact("model.compact.safetensors", framework="pt") as file:
    ...     config = AutoConfig.from_pretrained(".")
    ...     model = BertModel.from_pretrained(
    ...         None, config=config, state_dict=dict(file), dtype=torch.bfloat16
    ...     )

    The dtype is that of the file; ``"auto"`` would use the one in ``config.json``.
    """
    reads: dict[str, Callable[[Checkpoint, str], Any]] = {"np": _array, "pt": Checkpoint.read}
    if framework not in reads:
        raise ParameterError(
            f"'framework' must be 'np' (numpy) or 'pt' (torch) (got {framework!r})."
        )
    file = open_checkpoint(path)
    if file.format != FORMAT:
        file.close()
        raise UnsupportedFileError(
            f"'{path}' is not a compact file of Pruneapp ({file.contents.label}).",
            remedy="Open it with pruneapp.open_checkpoint.",
        )
    return CompactFile(file, reads[framework])


def _array(file: Checkpoint, name: str) -> NDArray[Any]:
    """Return a tensor as a new array of its shape, with the type of numpy or else of ml_dtypes.

    bfloat16 and float8 are types of ml_dtypes. Packed types (4 and 6 bits), which neither has, are
    returned as 1-D uint8 with the bytes of the file. Raises `UnknownTensorError` for an unknown
    name and `CheckpointError` if the file cannot be read.
    """
    entry = file.entry(name)
    bits = file.bits(name)
    if not entry.dtype.numpy:
        return bits
    import ml_dtypes

    kind = getattr(ml_dtypes, entry.dtype.numpy, None) or entry.dtype.numpy
    return bits.view(np.dtype(kind)).reshape(entry.shape)
