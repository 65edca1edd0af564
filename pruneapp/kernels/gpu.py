"""The arithmetic of pruning on a GPU with torch; masks are bit-identical to those of the CPU.

Only rankings by magnitude are worth the transfer. Norms must be summed in an order that GPUs do not
guarantee, and random rankings read no weights, so both run on the CPU.

Only operations that work on all devices are used. On MPS, ``clamp`` of torch has returned wrong
numbers (pytorch issues 130201, 133100 and 167767), and counting in bins takes seconds if most
elements fall into few bins (pull request 184779). Therefore NaN is replaced by comparison, and
devices do not count bins: they select the few elements inside a bracket, which the CPU counts.
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
from pruneapp.kernels.threads import STRETCH, ReadAhead, TensorRange, default_threads, stretches
from pruneapp.kernels.threshold import Bracket, BracketCounts, Candidates, Tally, bins_of
from pruneapp.progress import CancelToken, Job


def magnitude_keys(bits: Tensor, form: FloatForm) -> Tensor:
    """Return the keys of raw elements as a new int32 tensor, or int64 for 64-bit elements.

    `bits` are ``uint8`` or signed integers of the dtype's width, of any shape.
    """
    wide = bits.to(torch.int64 if form.bits == 64 else torch.int32)
    keys = wide & form.magnitude_mask
    if form.fnuz:  # the sign bit alone is the only NaN, not -0.0
        sign = 1 << (form.bits - 1)
        return keys.masked_fill_((wide & (2 * sign - 1)) == sign, form.nan_key)
    return keys.masked_fill_(keys > form.largest, form.nan_key)


def select(keys: Tensor, kept: Tensor | None, bracket: Bracket) -> tuple[Tensor, Tensor]:
    """Return the number of kept keys below a bracket, and the keys inside minus its low end.

    The number is a tensor of no dimensions on the device, the keys are 1-D in flat order. `kept` is
    a boolean tensor, None for all.
    """
    smaller = keys < bracket.low
    # Keys are signed here, which suffices: magnitudes use only half of the unsigned range.
    inside = ~smaller
    if bracket.high < torch.iinfo(keys.dtype).max:
        inside &= keys <= bracket.high
    if kept is not None:
        smaller &= kept
        inside &= kept
    return smaller.sum(), keys[inside] - bracket.low


def compare(keys: Tensor, kept: Tensor | None, key: int) -> tuple[Tensor, Tensor]:
    """Return which elements are kept with a key of at least `key`, and which with exactly it.

    Both are boolean tensors. `kept` selects the elements to consider, None for all.
    """
    is_kept = keys >= key
    equal = keys == key
    if kept is not None:
        is_kept &= kept
        equal &= kept
    return is_kept, equal


def pack(bools: Tensor) -> Tensor:
    """Pack a 1-D boolean tensor into bytes, lowest bit first; bits past the end are 0."""
    padded = torch.nn.functional.pad(bools.to(torch.uint8), (0, -bools.numel() % 8)).view(-1, 8)
    packed = padded[:, 0].clone()
    for place in range(1, 8):
        packed |= padded[:, place] << place
    return packed


def unpack(packed: Tensor, size: int) -> Tensor:
    """Unpack the first `size` booleans."""
    places = torch.arange(8, dtype=torch.uint8, device=packed.device)
    bits = (packed.unsqueeze(1) >> places) & 1
    return bits.view(-1)[:size].to(torch.bool)


# One buffer is filled, one is copied, one waits.
BUFFERS = 3

INTEGERS = {8: torch.uint8, 16: torch.int16, 32: torch.int32, 64: torch.int64}

Task = TypeVar("Task")


class DeviceTransfer:
    """Host buffers, and their transfer to a device.

    For CUDA the buffers are pinned and copied on a separate stream, so that a copy runs while the
    device computes and the next chunk is read. On MPS, CPU and GPU share memory: a plain copy is
    fast, and an asynchronous one could read a buffer that is being refilled.

    Raises
    ------
    DeviceError
        If there is no memory for the buffers.
    """

    def __init__(self, device: torch.device, name: str, width: int, length: int) -> None:
        """Allocate `BUFFERS` host buffers of `length` elements of `width` bits.

        `name` is that of the device in messages.
        """
        self._device = device
        self._name = name
        cuda = device.type == "cuda"
        with translate_device_errors(name):
            self.buffers = [
                torch.empty(length, dtype=INTEGERS[width], pin_memory=cuda) for _ in range(BUFFERS)
            ]
            self._stream = torch.cuda.Stream(device) if cuda else None  # type: ignore[no-untyped-call]  # torch leaves it so

    def transfer(self, ahead: ReadAhead[Task, Tensor]) -> Iterator[tuple[Task, Tensor]]:
        """Yield each task with its chunk on the device, ready for computation.

        The copy of the next chunk is started before a chunk is yielded, and buffers are given back
        to `ahead` when they are copied. Raises `DeviceError` if the device fails to copy.
        Exceptions of `ahead` propagate unchanged.
        """
        begun: deque[tuple[Task, Tensor, Callable[[], None]]] = deque()
        for task, buffer in ahead:
            with translate_device_errors(self._name):
                tensor, ready, copied = self._copy(buffer)
            ahead.give_back(buffer, copied)
            begun.append((task, tensor, ready))
            if len(begun) > 1:
                yield self._wait_for_copy(*begun.popleft())
        while begun:
            yield self._wait_for_copy(*begun.popleft())

    def _wait_for_copy(
        self, task: Task, tensor: Tensor, ready: Callable[[], None]
    ) -> tuple[Task, Tensor]:
        with translate_device_errors(self._name):
            ready()
        return task, tensor

    def _copy(self, buffer: Tensor) -> tuple[Tensor, Callable[[], None], Callable[[], None]]:
        """Start to copy a buffer to the device.

        Returns the tensor, a function that makes later work of the device wait for the copy, and
        one that blocks until the copy is complete and the buffer can be reused.
        """
        if self._stream is None:
            return buffer.to(self._device, copy=True), lambda: None, lambda: None
        with torch.cuda.stream(self._stream):
            tensor = buffer.to(self._device, non_blocking=True)
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]  # torch leaves it so
            event.record(self._stream)

        def ready() -> None:
            working = torch.cuda.current_stream(self._device)
            working.wait_event(event)
            # Otherwise its memory could be reused for the next copy before this work is done.
            tensor.record_stream(working)

        return tensor, ready, event.synchronize


@contextmanager
def translate_device_errors(name: str) -> Iterator[None]:
    """Raise `DeviceError` for a `RuntimeError` of the block, such as no memory or a lost driver.

    `name` is that of the device in the message.
    """
    try:
        yield
    except RuntimeError as error:
        raise DeviceError(
            f"The device '{name}' failed: {str(error).splitlines()[0].rstrip('.')}.",
            remedy="Choose the CPU as device; the masks are the same.",
            details=str(error),
        ) from error


# Below this many elements, the CPU is as fast. 8 cores next to an H200 took 17 ms for this number
# in float32 (the GPU 13) and 38 ms in bfloat16 (20); for a quarter of it they were at least as
# fast.
WORTH_MOVING = 1 << 24

# Minimum average size of a tensor, as a fraction of it: each needs a dozen calls of the device,
# so that a model of many thousand small tensors is faster on the CPU.
_SHARE = 64

# Elements of a chunk, 32 MB of float32: a bus is fast only for large chunks. Not larger, because
# boolean indexing on MPS was wrong beyond 2**24 elements (pytorch issue 122916).
LENGTH = 1 << 23


def gpus() -> tuple[tuple[str, str], ...]:
    """Return key and label of every kind of GPU that torch can use on this machine."""
    available = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return tuple((key, TorchKernel(key).name) for key, present in available.items() if present)


@dataclass(frozen=True, eq=False)
class DeviceChunk:
    """Elements on the device: their keys, signed, and a boolean tensor of those to rank."""

    stretch: TensorRange
    keys: Tensor
    kept: Tensor | None


class TorchKernel(CpuKernel):
    """The kernel for a torch device, which ranks by magnitude; all else runs on the CPU.

    Chunks are read, copied and processed concurrently. The CPU takes samples, and processes what
    has too few elements to be worth the transfer.
    """

    def __init__(self, device: str, worth_moving: int = WORTH_MOVING, length: int = LENGTH) -> None:
        super().__init__()
        self._device = torch.device(device)
        self._worth_moving = worth_moving
        self._length = length

    @property
    def name(self) -> str:
        """The name of the device for the user."""
        if self._device.type == "cuda":
            index = self._device.index
            number = torch.cuda.current_device() if index is None else index
            return f"CUDA {number}: {torch.cuda.get_device_name(number)}"
        return {"mps": "Apple GPU (MPS)"}.get(self._device.type, "CPU (torch)")

    def prune_each(self, cuts: Sequence[PlannedCut], job: Job) -> Generator[NearCut, None, None]:
        """Find each threshold, then make the masks; cuts for the CPU are pruned in one pass.

        Yields the results in the order of the cuts. The pruned keys of cuts for the device are
        None.
        """
        for worth, some in groupby(cuts, lambda cut: self._is_worthwhile(cut.rankings)):
            if not worth:
                yield from super().prune_each(list(some), job)
                continue
            for cut in some:
                kernel = self._choose_kernel(cut.rankings)
                yield NearCut(kernel.prune_in_two(cut.rankings, cut.count, job), None)

    def _pack_stretches(
        self, rankings: Sequence[Ranking], threshold: Threshold, job: Job
    ) -> Generator[OpenBits, None, None]:
        """Yield elements compared with a threshold, computed on the device.

        Uses the CPU if the transfer is not worthwhile; see `CpuKernel._pack_stretches`.
        """
        if not self._is_worthwhile(rankings):
            yield from super()._pack_stretches(rankings, threshold, job)
            return
        with closing(self._chunks(rankings, job)) as chunks:
            for chunk in chunks:
                with translate_device_errors(self.name):
                    is_kept, equal = compare(chunk.keys, chunk.kept, threshold.key)
                    # Copied together, so that the CPU waits for the device once per chunk.
                    packed = [pack(is_kept), pack(equal)] if threshold.ties else [pack(is_kept)]
                    kept_bits, *ties = torch.stack(packed).cpu().numpy()
                count = sum(int(np.bitwise_count(part).sum(dtype=np.int64)) for part in ties)
                yield OpenBits(chunk.stretch.stop, kept_bits, ties[0] if count else None, count)

    def _count(
        self,
        rankings: Sequence[Ranking],
        bracket: Bracket,
        job: Job,
        candidates: Candidates | None,
        *,
        per_tensor: bool,
    ) -> BracketCounts:
        """Count like `CpuKernel._count`: keys are selected on the device, and binned on the CPU.

        Uses the CPU alone if the transfer is not worthwhile.
        """
        if not self._is_worthwhile(rankings):
            return super()._count(rankings, bracket, job, candidates, per_tensor=per_tensor)
        per_tensor = per_tensor and bracket.fits_apart(len(rankings))
        tallies = [Tally(bracket.bins) for _ in (rankings if per_tensor else "1")]
        with translate_device_errors(self.name):
            below = torch.zeros(len(rankings), dtype=torch.int64, device=self._device)
        with closing(self._chunks(rankings, job)) as chunks:
            for chunk in chunks:
                index = chunk.stretch.index
                with translate_device_errors(self.name):
                    smaller, inside = select(chunk.keys, chunk.kept, bracket)
                    below[index] += smaller  # remains on the device
                    offsets = inside.cpu().numpy()
                offsets = offsets.view(f"uint{8 * offsets.itemsize}")
                tallies[index if per_tensor else 0].add(bins_of(offsets, bracket.shift))
                if candidates is not None:
                    candidates.add(index, offsets)
                job.step(chunk.stretch.size)
        with translate_device_errors(self.name):
            return BracketCounts(below.cpu().numpy(), np.stack([t.counts() for t in tallies]))

    def _choose_kernel(self, rankings: Sequence[Ranking]) -> TorchKernel:
        """Return a kernel that keeps keys on the device, or self.

        The former if half of the free memory of the device suffices.
        """
        if self._device.type == "mps":  # free memory is unknown, and shared with the CPU
            return self
        free = math.inf
        if self._device.type == "cuda":
            free = torch.cuda.mem_get_info(self._device)[0]
        each = max(4, rankings[0].width // 8) + any(r.kept is not None for r in rankings)
        if 2 * each * sum(r.size for r in rankings) > free:
            return self
        return HoldingKernel(str(self._device), self._worth_moving, self._length)

    def _is_worthwhile(self, rankings: Sequence[Ranking]) -> bool:
        """Return whether ranking on the device is worth the transfer.

        Only for magnitudes, enough elements in all and per tensor, and on MPS for keys of fewer
        than 64 bits.
        """
        size = sum(r.size for r in rankings)
        # MPS has no float64 and supports 64-bit integers only partly.
        supported = self._device.type != "mps" or all(r.width < 64 for r in rankings)
        return (
            supported
            and size >= max(1, self._worth_moving)
            and size // len(rankings) >= self._worth_moving // _SHARE
            and all(isinstance(r, Magnitudes) for r in rankings)
        )

    def _chunks(self, rankings: Sequence[Ranking], job: Job) -> Generator[DeviceChunk, None, None]:
        """Yield the keys of all elements, in order; close the generator to stop early.

        All rankings must be `Magnitudes` of one key width. A chunk is a part of one tensor.
        """
        magnitudes = [
            r for r in rankings if isinstance(r, Magnitudes)
        ]  # all of them, see _is_worthwhile
        sizes = [ranking.size for ranking in rankings]
        length = min(self._length, -(-max(sizes) // 8) * 8)
        mover = DeviceTransfer(self._device, self.name, rankings[0].width, length)

        def fill(task: tuple[TensorRange, ...], buffer: Tensor, cancel: CancelToken) -> None:
            """Read the elements of a task into a host buffer, on several threads."""
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

        # A single thread reads more slowly than a bus transfers.
        threads = ThreadPoolExecutor(default_threads(), thread_name_prefix="pruneapp-kernel")
        tasks = stretches(sizes, length)
        with threads as pool, ReadAhead(tasks, fill, mover.buffers, job) as ahead:
            for task, moved in mover.transfer(ahead):
                at = 0
                for stretch in task:
                    ranking = magnitudes[stretch.index]
                    with translate_device_errors(self.name):
                        chunk = self._chunk(ranking, stretch, moved[at : at + stretch.size])
                    yield chunk
                    at += stretch.size

    def _chunk(self, ranking: Magnitudes, stretch: TensorRange, bits: Tensor) -> DeviceChunk:
        """Return the keys and kept elements of raw elements (or keys) on the device."""
        if ranking.native:
            keys = magnitude_keys(bits, ranking.form)
        else:  # already keys
            keys = bits.to(torch.int64 if ranking.width == 64 else torch.int32)
        if ranking.kept is None:
            return DeviceChunk(stretch, keys, None)
        packed = ranking.kept.part(stretch.start // 8, (stretch.stop + 7) // 8)
        packed_on_device = torch.from_numpy(packed.copy()).to(
            self._device
        )  # copied, because masks are read-only
        return DeviceChunk(stretch, keys, unpack(packed_on_device, stretch.size))


class HoldingKernel(TorchKernel):
    """Keeps the keys of its first rankings on the device, so that a second pass reads nothing."""

    def __init__(self, device: str, worth_moving: int, length: int) -> None:
        super().__init__(device, worth_moving, length)
        self._held: list[DeviceChunk] = []
        self._whole = False

    def _sample(self, rankings: Sequence[Ranking], job: Job) -> list[Bits]:
        """Return runs of the kept keys on the device, evenly spaced.

        Reads all keys first if they are not on the device yet.
        """
        if not self._whole:
            deque(self._chunks(rankings, job), maxlen=0)
        runs = sum(chunk.keys.numel() // NEIGHBOURS for chunk in self._held)
        step, blocks = max(1, runs // PLACES), []
        for chunk in self._held:
            job.cancel.check()
            whole = chunk.keys.numel() // NEIGHBOURS * NEIGHBOURS
            with translate_device_errors(self.name):
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
        """Yield the chunks that are kept on the device, or read and keep them in the first call.

        `rankings` must be the same in each call. A call that was not finished is repeated
        completely.
        """
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
    """Yield the raw elements of a stretch, or their keys if dtypes are mixed and must be widened.

    Each array is valid until the next one is requested.
    """
    if ranking.native:
        for raw in ranking.read(stretch.start, stretch.stop):
            yield raw.bits
    else:
        for chunk in ranking.keys(stretch.start, stretch.stop):
            yield chunk.keys
