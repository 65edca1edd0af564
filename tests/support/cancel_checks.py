"""Measure how much work is done between two checks for cancellation."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pruneapp
from pruneapp.progress import CancelToken

_OURS = str(Path(pruneapp.__file__).parent)


class CountingToken(CancelToken):
    """A token that counts its checks, and can be cancelled at a given one.

    Attributes
    ----------
    looks
        Number of checks.
    lines, longest
        Lines of Python that have run since the last check, and the most between two checks.
    """

    def __init__(self, cancelled_at: int | None = None) -> None:
        super().__init__()
        self.looks = self.lines = self.longest = 0
        self._cancelled_at = cancelled_at

    def check(self) -> None:
        self.looks += 1
        self.longest = max(self.longest, self.lines)
        self.lines = 0
        if self.looks == self._cancelled_at:
            self.cancel()
        super().check()


def count_looks(work: Callable[[CancelToken], object]) -> CountingToken:
    """Run `work` and count lines between checks of its token (deterministic, unlike time)."""
    token = CountingToken()

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "call":
            # Generated code (of a named tuple) has no file.
            return trace if frame.f_code.co_filename.startswith(_OURS) else None
        token.lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work(token)
    finally:
        sys.settrace(before)
    token.longest = max(token.longest, token.lines)
    return token


def assert_cut(work: Callable[[int], Callable[[CancelToken], object]], few: int) -> None:
    """Fail if doubling the number of items increases the work between two checks.

    Parameters
    ----------
    work
        Returns the function to run for a number of items; that function is called with a token.
    few
        A number of items many times larger than what is processed between two checks.
    """
    less, more = count_looks(work(few)), count_looks(work(2 * few))
    assert less.looks > 2, "it hardly looked at all"
    assert more.longest < 1.2 * less.longest, (
        f"up to {less.longest:,} lines between two looks for {few:,} things, "
        f"{more.longest:,} for twice as many"
    )
