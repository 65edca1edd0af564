"""What the dimensions of a tensor mean, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QCoreApplication


def dim_labels(shape: Sequence[int], kind: str) -> tuple[str, ...]:
    """Spell out every dimension: "0: output channels (64)".

    Parameters
    ----------
    shape
        Extents; one below 0 differs among the tensors that are meant, and is not named.
    kind
        The inferred kind of the layer; empty if unknown.
    """
    rank = len(shape)
    return tuple(
        f"{dim}: {meaning(dim, rank, kind)}" + (f" ({shape[dim]:n})" if shape[dim] >= 0 else "")
        for dim in range(rank)
    )


def meaning(dim: int, rank: int, kind: str) -> str:
    """Say what the slices along `dim` (from 0) of a tensor of `rank` dimensions are."""
    kind = kind.lower()
    if kind == "embedding" and dim < 2:
        return (
            QCoreApplication.translate("Dims", "entries"),
            QCoreApplication.translate("Dims", "features"),
        )[dim]
    if kind == "linear" and rank == 2:
        return (
            QCoreApplication.translate("Dims", "outputs"),
            QCoreApplication.translate("Dims", "inputs"),
        )[dim]
    if dim < 2:
        words = (
            QCoreApplication.translate("Dims", "output channels"),
            QCoreApplication.translate("Dims", "input channels"),
        )
        return words[1 - dim] if "transpose" in kind else words[dim]
    kernel: Mapping[int, tuple[str, ...]] = {
        3: (QCoreApplication.translate("Dims", "kernel"),),
        4: (
            QCoreApplication.translate("Dims", "kernel rows"),
            QCoreApplication.translate("Dims", "kernel columns"),
        ),
        5: (
            QCoreApplication.translate("Dims", "kernel depth"),
            QCoreApplication.translate("Dims", "kernel rows"),
            QCoreApplication.translate("Dims", "kernel columns"),
        ),
    }
    return (
        kernel[rank][dim - 2] if rank in kernel else QCoreApplication.translate("Dims", "dimension")
    )
