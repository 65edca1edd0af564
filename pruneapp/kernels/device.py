"""The arithmetic of pruning on a GPU, by torch; the same masks as on the CPU, bit for bit.

Only rankings by magnitude are worth the way over the bus. Norms have to be added in an order that
a GPU does not keep, and a choice at random reads nothing: both stay on the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray

from pruneapp.checkpoint.reader import Bits
from pruneapp.errors import DeviceError
from pruneapp.kernels.contract import Ranking, Threshold
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.kernels.ranking import Magnitudes
from pruneapp.kernels.search import Bracket, Counted
from pruneapp.masks.bitmask import BitMask
from pruneapp.progress import Job

# Elements below which the CPU is done before the first byte has reached a GPU.
WORTH_MOVING = 1 << 20


def gpus() -> tuple[tuple[str, str], ...]:
    """Return key and label of every kind of GPU that torch can use here."""
    return tuple((key, TorchKernel(key).name) for key in ("cuda", "mps") if _is_there(key))


def _is_there(key: str) -> bool:
    return torch.cuda.is_available() if key == "cuda" else torch.backends.mps.is_available()


class TorchKernel(CpuKernel):
    """Prunes by magnitude on a device of torch, and all else on the CPU; see `Kernel`.

    Parameters
    ----------
    device
        ``cuda`` or ``mps``; ``cpu`` runs the same code without a GPU, for tests.
    worth_moving
        Elements below which the work stays on the CPU.
    """

    def __init__(self, device: str, worth_moving: int = WORTH_MOVING) -> None:
        super().__init__()
        self._device = torch.device(device)
        self._worth_moving = worth_moving

    @property
    def name(self) -> str:
        """The device, as people call it."""
        if self._device.type == "cuda":
            return f"CUDA {torch.cuda.current_device()}: {torch.cuda.get_device_name()}"
        return {"mps": "Apple GPU (MPS)"}.get(self._device.type, "CPU (torch)")

    def masks(
        self, rankings: Sequence[Ranking], threshold: Threshold, job: Job
    ) -> Iterator[BitMask]:
        """Compare every key with the cut; ties go in flat order until there are enough."""
        if not self._worth(rankings):
            yield from super().masks(rankings, threshold, job)
            return
        ties = threshold.ties
        for ranking in rankings:
            assert isinstance(ranking, Magnitudes)
            packed = np.zeros((ranking.size + 7) // 8, np.uint8)
            with _refusals(self.name):
                for start, keys in self._keys(ranking):
                    stays = keys >= threshold.key
                    if ties:
                        equal = keys == threshold.key
                        kept = self._kept(ranking, start, keys.numel())
                        if kept is not None:
                            equal &= kept
                        going = equal.nonzero().view(-1)[:ties]
                        stays[going] = False
                        ties -= going.numel()
                    bits = _pack(stays, start % 8)
                    packed[start // 8 : start // 8 + bits.size] |= bits
                    job.step(keys.numel())
            if ranking.kept is not None:
                np.bitwise_and(packed, ranking.kept.packed, out=packed)
            yield BitMask(packed, ranking.size)

    def _count(
        self, rankings: Sequence[Ranking], bracket: Bracket, job: Job, *, apart: bool
    ) -> Counted:
        if not self._worth(rankings):
            return super()._count(rankings, bracket, job, apart=apart)
        apart = apart and bracket.apart(len(rankings))
        below = np.zeros(len(rankings), np.int64)
        inside = np.zeros((len(rankings) if apart else 1, bracket.bins), np.int64)
        with _refusals(self.name):
            for index, ranking in enumerate(rankings):
                assert isinstance(ranking, Magnitudes)
                counts = torch.zeros(bracket.bins, dtype=torch.int64, device=self._device)
                for start, keys in self._keys(ranking):
                    kept = self._kept(ranking, start, keys.numel())
                    there = keys if kept is None else keys[kept]
                    below[index] += int((there < bracket.low).sum())
                    high = min(bracket.high, ranking.nan_key)  # else beyond what keys can hold
                    there = there[(there >= bracket.low) & (there <= high)]
                    digits = (there - bracket.low) >> bracket.shift
                    counts += torch.bincount(digits, minlength=bracket.bins)
                    job.step(keys.numel())
                inside[index if apart else 0] += counts.cpu().numpy()
        return Counted(below, inside)

    def _worth(self, rankings: Sequence[Ranking]) -> bool:
        size = sum(r.size for r in rankings)
        return size >= self._worth_moving and all(isinstance(r, Magnitudes) for r in rankings)

    def _keys(self, ranking: Magnitudes) -> Iterator[tuple[int, torch.Tensor]]:
        """Yield flat indices and keys, ``int32`` for keys of up to 32 bits, else ``int64``."""
        kind = torch.int64 if ranking.width == 64 else torch.int32
        if not ranking.native:  # types are mixed, which is rare: widened on the CPU
            for piece in ranking.keys():  # noqa: SIM118 - no dict
                yield piece.start, self._move(piece.keys).to(kind)
            return
        form = ranking.form
        for chunk in ranking.read():
            bits = self._move(chunk.bits).to(kind)
            keys = (bits & form.magnitude_mask).clamp_(max=form.nan_key)
            if form.fnuz:  # the sign bit alone is the one NaN, not -0.0
                keys[(bits & 0xFF) == 1 << (form.bits - 1)] = form.nan_key
            yield chunk.start, keys

    def _move(self, bits: Bits) -> torch.Tensor:
        # A copy, for the buffer is used again for the next chunk; signed, for torch computes on
        # few unsigned types. The sign falls to the mask.
        signed = bits.astype(bits.dtype, copy=True).view(f"int{8 * bits.itemsize}")
        return torch.from_numpy(signed).to(self._device)

    def _kept(self, ranking: Ranking, start: int, size: int) -> torch.Tensor | None:
        if ranking.kept is None:
            return None
        first = start // 8
        packed = torch.from_numpy(ranking.kept.packed[first : (start + size + 7) // 8].copy())
        places = torch.arange(8, dtype=torch.uint8, device=self._device)
        bits = (packed.to(self._device).unsqueeze(1) >> places) & 1
        offset = start - first * 8
        return bits.view(-1)[offset : offset + size].to(torch.bool)


def _pack(bools: torch.Tensor, offset: int) -> NDArray[np.uint8]:
    """Pack bits, the lowest first, after `offset` zeros."""
    padded = torch.nn.functional.pad(
        bools.to(torch.uint8), (offset, -(offset + bools.numel()) % 8)
    ).view(-1, 8)
    packed = padded[:, 0].clone()
    for place in range(1, 8):
        packed |= padded[:, place] << place
    bits: NDArray[np.uint8] = packed.cpu().numpy()
    return bits


@contextmanager
def _refusals(name: str) -> Iterator[None]:
    """Turn what a device refuses (no memory, a lost driver) into a sentence."""
    try:
        yield
    except RuntimeError as error:
        raise DeviceError(
            f"'{name}' gave up: {str(error).splitlines()[0].rstrip('.')}.",
            remedy="Choose the CPU as device; the masks are the same.",
            details=str(error),
        ) from error
