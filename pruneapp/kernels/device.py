"""The arithmetic of pruning on a GPU, by torch; the same masks as on the CPU."""

from __future__ import annotations

from pruneapp.kernels.cpu import CpuKernel


def gpus() -> list[tuple[str, str]]:
    """Return (key, label) of every GPU that torch can use."""
    return []


class TorchKernel(CpuKernel):
    """Prunes on a device of torch."""

    def __init__(self, device: str) -> None:
        self.device = device
