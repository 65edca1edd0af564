"""How much work is done between two looks at whether it is still wanted."""

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
    """Counts how often it is looked at, and is cancelled at a certain look if it is told so.

    Attributes
    ----------
    looks
        How often it was looked at.
    lines, longest
        Lines of Python that have run since the last look, and the most between two of them.
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
    """Do some work and count lines between looks at its token: no clock, the same every time."""
    token = CountingToken()

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "call":
            # Code made of text (a named tuple's) has no file.
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
    """Fail if twice as many things are more work between two looks, at whatever moment.

    Parameters
    ----------
    work
        Told how many things, returns the work on them, which is told the token.
    few
        Many times what may be done between two looks.
    """
    less, more = count_looks(work(few)), count_looks(work(2 * few))
    assert less.looks > 2, "it hardly looked at all"
    assert more.longest < 1.2 * less.longest, (
        f"up to {less.longest:,} lines between two looks for {few:,} things, "
        f"{more.longest:,} for twice as many"
    )
