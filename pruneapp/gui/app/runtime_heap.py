"""One heap for all threads: what they give back is used again, instead of lying in many heaps.

The C library of most Linux systems gives threads that ask for memory at the same moment a heap
each, up to eight for every core, and keeps some megabytes at the top of each for the next time. A
pass over weights runs in threads of its own, now and then beside those of a picture, so that one
heap more was made after dozens of steps and never given back: docs/decisions/0011.
"""

from __future__ import annotations

import ctypes
import os

# <malloc.h> of glibc
_M_ARENA_MAX = -8


def share_heap() -> bool:
    """Let all threads that start from now on share the heaps that there are.

    Heaps that other threads already have are kept, so this belongs before the first thread: Qt's
    thread and that of the imports are enough for two heaps more, which kept 12 MB. Takes 3 ms,
    for ctypes, which numpy would import a moment later.

    Returns
    -------
    bool
        False where nothing was changed: where the C library knows no such thing (musl, macOS,
        Windows), and where the person has chosen by ``MALLOC_ARENA_MAX`` or ``GLIBC_TUNABLES``.
    """
    chosen = os.environ.get("GLIBC_TUNABLES", "")
    if os.name != "posix" or "MALLOC_ARENA_MAX" in os.environ or "malloc.arena_max" in chosen:
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and bool(mallopt(_M_ARENA_MAX, 1))
