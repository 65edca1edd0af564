"""The arithmetic of pruning on a GPU, by torch; the same masks as on the CPU, bit for bit.

Only rankings by magnitude are worth the way over the bus. Norms have to be added in an order that
a GPU does not keep, and a choice at random reads nothing: both stay on the CPU.

Only what every device does right is used. On MPS torch's ``clamp`` has given wrong numbers
(pytorch issues 130201, 133100 and 167767), and counting in bins takes seconds where most elements
fall into few (pull request 184779); so NaN is filled in by comparison, and a device never counts
bins: it selects the few elements inside a bracket, which the CPU counts.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from pruneapp.checkpoint.dtypes import FloatForm
from pruneapp.checkpoint.elements import Bits
from pruneapp.errors import DeviceError
from pruneapp.kernels.cpu import NEIGHBOURS, PLACES, CpuKernel
from pruneapp.kernels.kernel import NearCut, PlannedCut, Ranking, Threshold
from pruneapp.kernels.mask_packing import OpenBits
from pruneapp.kernels.sort_keys import Magnitudes
from pruneapp.kernels.threads import (
    STRETCH,
    ReadAhead,
    TensorRange,
    default_threads,
    stretches,
)
from pruneapp.kernels.threshold import Bracket, BracketCounts, Candidates, Tally, bins_of
from pruneapp.progress import CancelToken, Job


def magnitude_keys(bits: Tensor, form: FloatForm) -> Tensor:
    """Return the keys of raw elements: signed, of 32 bits, or 64 for elements of so many.

    `bits` are ``uint8`` or signed integers of the width of the type; any shape.
    """
    wide = bits.to(torch.int64 if form.bits == 64 else torch.int32)
    keys = wide & form.magnitude_mask
    if form.fnuz:  # the sign bit alone is the one NaN, not -0.0
        sign = 1 << (form.bits - 1)
        return keys.masked_fill_((wide & (2 * sign - 1)) == sign, form.nan_key)
    return keys.masked_fill_(keys > form.largest, form.nan_key)


def select(keys: Tensor, kept: Tensor | None, bracket: Bracket) -> tuple[Tensor, Tensor]:
    """Return how many kept keys are below a bracket, and those inside, less its low end."""
    smaller = keys < bracket.low
    # Keys are signed here, but only half of what unsigned ones hold is ever used.
    inside = ~smaller
    if bracket.high < torch.iinfo(keys.dtype).max:
        inside &= keys <= bracket.high
    if kept is not None:
        smaller &= kept
        inside &= kept
    return smaller.sum(), keys[inside] - bracket.low


def compare(keys: Tensor, kept: Tensor | None, key: int) -> tuple[Tensor, Tensor]:
    """Return which elements are kept and above or at a cut, and which of these are just at it."""
    stays = keys >= key
    equal = keys == key
    if kept is not None:
        stays &= kept
        equal &= kept
    return stays, equal


def pack(bools: Tensor) -> Tensor:
    """Pack truth values, 1-D, into bytes, the lowest bit first."""
    padded = torch.nn.functional.pad(bools.to(torch.uint8), (0, -bools.numel() % 8)).view(-1, 8)
    packed = padded[:, 0].clone()
    for place in range(1, 8):
        packed |= padded[:, place] << place
    return packed


def unpack(packed: Tensor, size: int) -> Tensor:
    """Unpack the first `size` truth values."""
    places = torch.arange(8, dtype=torch.uint8, device=packed.device)
    bits = (packed.unsqueeze(1) >> places) & 1
    return bits.view(-1)[:size].to(torch.bool)


# One is filled, one is copied, one waits between.
BUFFERS = 3

INTEGERS = {8: torch.uint8, 16: torch.int16, 32: torch.int32, 64: torch.int64}

Task = TypeVar("Task")


class DeviceTransfer:
    """Buffers in memory, and copies of them on a device.

    For CUDA the buffers are pinned and copied on a stream of their own, so that a copy goes on
    while the device computes and the next chunk is read. On MPS, memory is shared by CPU and GPU:
    a plain copy is short, and one that does not wait could still read a buffer that is filled
    again.

    Raises
    ------
    DeviceError
        If there is no memory for the buffers.
    """

    def __init__(self, device: torch.device, name: str, width: int, length: int) -> None:
        self._device = device
        self._name = name
        cuda = device.type == "cuda"
        with refusals(name):
            self.buffers = [
                torch.empty(length, dtype=INTEGERS[width], pin_memory=cuda) for _ in range(BUFFERS)
            ]
            self._stream = torch.cuda.Stream(device) if cuda else None  # type: ignore[no-untyped-call]  # torch leaves it so

    def moved(self, ahead: ReadAhead[Task, Tensor]) -> Iterator[tuple[Task, Tensor]]:
        """Yield each task with its chunk on the device, ready for what is computed next.

        The copy of the next chunk is begun before the one before is handed out.

        Raises
        ------
        DeviceError
            If the device refuses a copy. What `ahead` raises is raised as it is.
        """
        begun: deque[tuple[Task, Tensor, Callable[[], None]]] = deque()
        for task, buffer in ahead:
            with refusals(self._name):
                tensor, ready, copied = self._copy(buffer)
            ahead.give_back(buffer, copied)
            begun.append((task, tensor, ready))
            if len(begun) > 1:
                yield self._handed(*begun.popleft())
        while begun:
            yield self._handed(*begun.popleft())

    def _handed(self, task: Task, tensor: Tensor, ready: Callable[[], None]) -> tuple[Task, Tensor]:
        with refusals(self._name):
            ready()
        return task, tensor

    def _copy(self, buffer: Tensor) -> tuple[Tensor, Callable[[], None], Callable[[], None]]:
        """Begin a copy; returns it, what makes later work wait for it, and what waits for it."""
        if self._stream is None:
            return buffer.to(self._device, copy=True), lambda: None, lambda: None
        with torch.cuda.stream(self._stream):
            tensor = buffer.to(self._device, non_blocking=True)
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]  # torch leaves it so
            event.record(self._stream)

        def ready() -> None:
            working = torch.cuda.current_stream(self._device)
            working.wait_event(event)
            # Else its memory could be given to the next copy while it is still worked on.
            tensor.record_stream(working)

        return tensor, ready, event.synchronize


@contextmanager
def refusals(name: str) -> Iterator[None]:
    """Turn what a device refuses (no memory, a lost driver) into a sentence."""
    try:
        yield
    except RuntimeError as error:
        raise DeviceError(
            f"The device '{name}' failed: {str(error).splitlines()[0].rstrip('.')}.",
            remedy="Choose the CPU as device; the masks are the same.",
            details=str(error),
        ) from error


# Elements below which the CPU is done as soon: 8 of its cores beside an H200 took 17 ms for so many
# in float32 (13 there) and 38 in bfloat16 (20), for a quarter of them as long or less.
WORTH_MOVING = 1 << 24

# Of these, the share that a tensor has on average at least: each is a dozen calls of the device,
# and a model of many thousand small ones is done sooner by the CPU.
_SHARE = 64

# Elements of a chunk, 32 MB of float32: a bus is fast with large chunks only. Not more: what MPS
# finds by truth values was wrong beyond 2**24 elements (pytorch issue 122916).
LENGTH = 1 << 23


def gpus() -> tuple[tuple[str, str], ...]:
    """Return key and label of every kind of GPU that torch can use here."""
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return tuple((key, TorchKernel(key).name) for key, present in available.items() if present)


@dataclass(frozen=True, eq=False)
class DeviceChunk:
    """Some elements on the device: their keys, signed, and which of them are ranked."""

    stretch: TensorRange
    keys: Tensor
    kept: Tensor | None


class TorchKernel(CpuKernel):
    """Prunes by magnitude on a device of torch, and all else on the CPU; see `Kernel`.

    Chunks are read, copied to the device and worked on at the same time. What a sample needs is
    read by the CPU, and so is what has fewer elements than are worth moving.
    """

    def __init__(self, device: str, worth_moving: int = WORTH_MOVING, length: int = LENGTH) -> None:
        super().__init__()
        self._device = torch.device(device)
        self._worth_moving = worth_moving
        self._length = length

    @property
    def name(self) -> str:
        """The device, as people call it."""
        if self._device.type == "cuda":
            index = self._device.index
            number = torch.cuda.current_device() if index is None else index
            return f"CUDA {number}: {torch.cuda.get_device_name(number)}"
        return {"mps": "Apple GPU (MPS)"}.get(self._device.type, "CPU (torch)")

    def prune_each(self, cuts: Sequence[PlannedCut], job: Job) -> Generator[NearCut, None, None]:
        """Find each cut, then make its masks; what stays on the CPU is done in one pass."""
        for worth, some in groupby(cuts, lambda cut: self._worth(cut.rankings)):
            if not worth:
                yield from super().prune_each(list(some), job)
                continue
            for cut in some:
                kernel = self._holding(cut.rankings)
                yield NearCut(kernel.prune_in_two(cut.rankings, cut.count, job), None)

    def _packed(
        self, rankings: Sequence[Ranking], threshold: Threshold, job: Job
    ) -> Generator[OpenBits, None, None]:
        if not self._worth(rankings):
            yield from super()._packed(rankings, threshold, job)
            return
        with closing(self._chunks(rankings, job)) as chunks:
            for chunk in chunks:
                with refusals(self.name):
                    stays, equal = compare(chunk.keys, chunk.kept, threshold.key)
                    # Both in one go: the CPU waits for the device once a chunk.
                    packed = [pack(stays), pack(equal)] if threshold.ties else [pack(stays)]
                    own, *ties = torch.stack(packed).cpu().numpy()
                count = sum(int(np.bitwise_count(part).sum(dtype=np.int64)) for part in ties)
                yield OpenBits(chunk.stretch.stop, own, ties[0] if count else None, count)

    def _count(
        self,
        rankings: Sequence[Ranking],
        bracket: Bracket,
        job: Job,
        candidates: Candidates | None,
        *,
        apart: bool,
    ) -> BracketCounts:
        if not self._worth(rankings):
            return super()._count(rankings, bracket, job, candidates, apart=apart)
        apart = apart and bracket.apart(len(rankings))
        tallies = [Tally(bracket.bins) for _ in (rankings if apart else "1")]
        with refusals(self.name):
            below = torch.zeros(len(rankings), dtype=torch.int64, device=self._device)
        with closing(self._chunks(rankings, job)) as chunks:
            for chunk in chunks:
                index = chunk.stretch.index
                with refusals(self.name):
                    smaller, inside = select(chunk.keys, chunk.kept, bracket)
                    below[index] += smaller  # stays on the device
                    offsets = inside.cpu().numpy()
                offsets = offsets.view(f"uint{8 * offsets.itemsize}")
                tallies[index if apart else 0].add(bins_of(offsets, bracket.shift))
                if candidates is not None:
                    candidates.add(index, offsets)
                job.step(chunk.stretch.size)
        with refusals(self.name):
            return BracketCounts(below.cpu().numpy(), np.stack([t.counts() for t in tallies]))

    def _holding(self, rankings: Sequence[Ranking]) -> TorchKernel:
        """Return what keeps the keys of some tensors, if they take at most half of what is free."""
        if self._device.type == "mps":  # what is free is not known, nor the device's alone
            return self
        free = math.inf
        if self._device.type == "cuda":
            free = torch.cuda.mem_get_info(self._device)[0]
        each = max(4, rankings[0].width // 8) + any(r.kept is not None for r in rankings)
        if 2 * each * sum(r.size for r in rankings) > free:
            return self
        return HoldingKernel(str(self._device), self._worth_moving, self._length)

    def _worth(self, rankings: Sequence[Ranking]) -> bool:
        size = sum(r.size for r in rankings)
        # MPS has no float64, and 64-bit integers only in part.
        supported = self._device.type != "mps" or all(r.width < 64 for r in rankings)
        return (
            supported
            and size >= max(1, self._worth_moving)
            and size // len(rankings) >= self._worth_moving // _SHARE
            and all(isinstance(r, Magnitudes) for r in rankings)
        )

    def _chunks(self, rankings: Sequence[Ranking], job: Job) -> Generator[DeviceChunk, None, None]:
        """Yield the keys of all elements, in order; close the generator to stop early."""
        magnitudes = [r for r in rankings if isinstance(r, Magnitudes)]  # all, see _worth
        sizes = [ranking.size for ranking in rankings]
        length = min(self._length, -(-max(sizes) // 8) * 8)
        mover = DeviceTransfer(self._device, self.name, rankings[0].width, length)

        def fill(task: tuple[TensorRange, ...], buffer: Tensor, cancel: CancelToken) -> None:
            at, bits = 0, buffer.numpy().view(f"uint{rankings[0].width}")
            done = []
            for whole in task:
                for start in range(whole.start, whole.stop, STRETCH):
                    part = TensorRange(whole.index, start, min(start + STRETCH, whole.stop))
                    room = bits[at : at + part.size]
                    done.append(pool.submit(_fill, magnitudes[part.index], part, room, cancel))
                    at += part.size
            for each in done:
                each.result()

        # One thread reads less than a bus carries.
        threads = ThreadPoolExecutor(default_threads(), thread_name_prefix="pruneapp-kernel")
        tasks = stretches(sizes, length)
        with threads as pool, ReadAhead(tasks, fill, mover.buffers, job) as ahead:
            for task, moved in mover.moved(ahead):
                at = 0
                for stretch in task:
                    ranking = magnitudes[stretch.index]
                    with refusals(self.name):
                        chunk = self._chunk(ranking, stretch, moved[at : at + stretch.size])
                    yield chunk
                    at += stretch.size

    def _chunk(self, ranking: Magnitudes, stretch: TensorRange, bits: Tensor) -> DeviceChunk:
        if ranking.native:
            keys = magnitude_keys(bits, ranking.form)
        else:  # keys already
            keys = bits.to(torch.int64 if ranking.width == 64 else torch.int32)
        if ranking.kept is None:
            return DeviceChunk(stretch, keys, None)
        packed = ranking.kept.part(stretch.start // 8, (stretch.stop + 7) // 8)
        packed_on_device = torch.from_numpy(packed.copy()).to(
            self._device
        )  # a copy, for masks are read-only
        return DeviceChunk(stretch, keys, unpack(packed_on_device, stretch.size))


class HoldingKernel(TorchKernel):
    """Keeps the keys of what it is asked for first on the device: a second pass reads nothing."""

    def __init__(self, device: str, worth_moving: int, length: int) -> None:
        super().__init__(device, worth_moving, length)
        self._held: list[DeviceChunk] = []
        self._whole = False

    def _sample(self, rankings: Sequence[Ranking], job: Job) -> list[Bits]:
        """Take runs of what is on the device, at even distances."""
        if not self._whole:
            deque(self._chunks(rankings, job), maxlen=0)
        runs = sum(chunk.keys.numel() // NEIGHBOURS for chunk in self._held)
        step, blocks = max(1, runs // PLACES), []
        for chunk in self._held:
            job.cancel.check()
            whole = chunk.keys.numel() // NEIGHBOURS * NEIGHBOURS
            with refusals(self.name):
                keys, kept = (
                    None
                    if part is None
                    else part[:whole].view(-1, NEIGHBOURS)[::step].cpu().numpy()
                    for part in (chunk.keys, chunk.kept)
                )
            assert keys is not None
            unsigned = keys.view(f"uint{8 * keys.itemsize}")
            blocks += [run if kept is None else run[kept[i]] for i, run in enumerate(unsigned)]
        return blocks

    def _chunks(self, rankings: Sequence[Ranking], job: Job) -> Generator[DeviceChunk, None, None]:
        if self._whole:
            for chunk in self._held:
                job.cancel.check()
                yield chunk
            return
        self._held.clear()
        with closing(super()._chunks(rankings, job)) as chunks:
            for chunk in chunks:
                self._held.append(chunk)
                yield chunk
        self._whole = True


def _fill(ranking: Magnitudes, part: TensorRange, room: Bits, cancel: CancelToken) -> None:
    at = 0
    for bits in _parts(ranking, part):
        cancel.check()
        room[at : at + bits.size] = bits
        at += bits.size


def _parts(ranking: Magnitudes, stretch: TensorRange) -> Iterator[Bits]:
    """Yield what is moved: raw elements, or keys where types are mixed, widened by the CPU."""
    if ranking.native:
        for raw in ranking.read(stretch.start, stretch.stop):
            yield raw.bits
    else:
        for chunk in ranking.keys(stretch.start, stretch.stop):
            yield chunk.keys
