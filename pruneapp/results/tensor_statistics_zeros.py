"""Zeros that a file already has."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TensorZeros:
    """The zeros of a tensor that are not pruned here, and the pattern that they form.

    Attributes
    ----------
    name
        The tensor.
    numel, zeros
        Elements in all, and those that are +0.0 or -0.0.
    channels
        For each dimension, how many whole slices are zero.
    pattern
        ``(n, m)`` where at most n of every m successive elements along dim 1 (input features, or
        input channels at one place of the kernel) are left: the first of 1:4, 2:4 and 4:8 that
        holds throughout. None if there is no such, and for a tensor of nothing but zeros.
    block
        ``(rows, columns)`` of the largest block of 64, 32, 16, 8, 4 squared in which 99 % of the
        zeros come whole, in the matrix of dim 0 by all others. None if there is no such, and where
        whole rows and columns say it all.
    """

    name: str
    numel: int
    zeros: int
    channels: tuple[int, ...] = ()
    pattern: tuple[int, int] | None = None
    block: tuple[int, int] | None = None


@dataclass(frozen=True)
class ZerosReport:
    """The tensors of a file that have a considerable share of zeros, in file order."""

    tensors: tuple[TensorZeros, ...]

    @property
    def zeros(self) -> int:
        """How many zeros there are in all of them."""
        return sum(t.zeros for t in self.tensors)

    @property
    def numel(self) -> int:
        """How many elements there are in all of them."""
        return sum(t.numel for t in self.tensors)
