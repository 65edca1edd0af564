"""How much more memory a call needs than what was there before it, by what the kernel counts.

The kernel keeps the most memory that a process ever had resident (``VmHWM``). Writing 5 to
``/proc/self/clear_refs`` sets it back to what is resident now, so that it can be read for one
call. Read from files, bytes lie in the page cache, which belongs to nobody and is not counted.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from pathlib import Path

_RESET_PEAK = "5"


def extra_mb(call: Callable[[], object]) -> float:
    """Return the peak of resident memory during a call less what was resident just before, in MB.

    What the call returns counts, being there at its end. What the allocator kept from earlier work
    is given back first: used again, it would not be seen.
    """
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text(_RESET_PEAK)
    before = _status("VmRSS")
    kept = call()
    peak = _status("VmHWM")
    del kept
    return (peak - before) / 1e6


def _status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return 1024 * int(line.split()[1])
    raise RuntimeError(f"/proc/self/status has no line '{name}'.")
