"""Measure how much additional memory a call needs, from counters of the kernel.

The kernel records the peak of the resident memory of a process (``VmHWM``). Writing 5 to
``/proc/self/clear_refs`` resets it to the current value, so that it can be read for one call. The
page cache belongs to no process and is not counted.

``python -m tests.benchmarks.memory BYTES`` frees that many bytes.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from pathlib import Path

_RESET_PEAK = "5"
_PAGE = 4096
_PIECE = 256 << 20


def extra_mb(call: Callable[[], object]) -> float:
    """Return the peak of resident memory during a call minus the value before, in MB.

    The return value of the call counts. Memory that the allocator kept from earlier work is
    released first: its reuse would not be measured.
    """
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    reset_peak()
    before = resident_bytes()
    kept = call()
    peak = peak_bytes()
    del kept
    return (peak - before) / 1e6


def reset_peak() -> None:
    """Reset the peak of resident memory to the current value."""
    Path("/proc/self/clear_refs").write_text(_RESET_PEAK)


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    return _status("VmRSS")


def peak_bytes() -> int:
    """Return the peak of resident memory since `reset_peak`."""
    return _status("VmHWM")


def make_room(nbytes: float) -> None:
    """Evict the page cache by allocating and freeing memory until `nbytes` are free.

    At most 60 % of the available memory is used. Without this, a call that needs gigabytes would
    wait some seconds for the page cache to be evicted, and look slower than it is.
    """
    if _told("/proc/meminfo", "MemFree") >= nbytes:
        return
    most = 0.6 * _told("/proc/meminfo", "MemAvailable")
    pieces = [bytearray(_PIECE) for _ in range(0, int(min(nbytes, most)), _PIECE)]
    for piece in pieces:
        piece[::_PAGE] = bytes(_PIECE // _PAGE)


def _status(name: str) -> int:
    return _told("/proc/self/status", name)


def _told(path: str, name: str) -> int:
    for line in Path(path).read_text().splitlines():
        if line.startswith(f"{name}:"):
            return 1024 * int(line.split()[1])
    raise RuntimeError(f"'{path}' has no line '{name}'.")


if __name__ == "__main__":
    make_room(float(sys.argv[1]))
