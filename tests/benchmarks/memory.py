"""How much more memory a call needs than what was there before it, by what the kernel counts.

The kernel keeps the most memory that a process ever had resident (``VmHWM``). Writing 5 to
``/proc/self/clear_refs`` sets it back to what is resident now, so that it can be read for one
call. What is read from files lies in the page cache, which belongs to nobody and is not counted.

``python -m tests.benchmarks.memory BYTES`` sees to it that so much memory is free.
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
    """Return the peak of resident memory during a call less what was resident just before, in MB.

    What the call returns counts, being there at its end. What the allocator kept from earlier work
    is given back first: used again, it would not be seen.
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
    """Let the peak of resident memory be counted from now on."""
    Path("/proc/self/clear_refs").write_text(_RESET_PEAK)


def resident_bytes() -> int:
    """Return what is resident now."""
    return _status("VmRSS")


def peak_bytes() -> int:
    """Return the most that was resident since `reset_peak`."""
    return _status("VmHWM")


def make_room(nbytes: float) -> None:
    """Touch so much memory and give it back, if it is not free; where less is to be had, most.

    A system keeps in memory what was read from files. A call that needs gigabytes would wait until
    they are given up, some seconds, and look slower than it is.
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
