"""What can be wrong with a torch file, said without its name; `located` adds the name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pruneapp.errors import DamagedFileError, UnsupportedFileError

DOWNLOAD_AGAIN = "Download or copy it again."
# What `Unsupported` says of such a file, and the remedy.
BIG_ENDIAN = (
    "was saved on a big-endian machine, whose numbers Pruneapp does not read",
    "Load it with torch and save it again on a usual machine.",
)


class Malformed(Exception):  # noqa: N818 - never leaves this package: `located` translates it
    """The file breaks a rule; the text goes on after "'FILE' is damaged: "."""


class Exhausted(Malformed):
    """The pickle goes on beyond the bytes that were given."""


class Unsupported(Exception):  # noqa: N818 - never leaves this package: `located` translates it
    """The file is sound, but of a kind that we do not read; the text goes on after "'FILE' "."""

    def __init__(self, text: str, remedy: str = "") -> None:
        super().__init__(text)
        self.remedy = remedy


@contextmanager
def located(path: Path) -> Iterator[None]:
    """Turn what is wrong into the errors that people see, which name the file."""
    try:
        yield
    except Malformed as fault:
        raise DamagedFileError(f"'{path}' is damaged: {fault}.", remedy=DOWNLOAD_AGAIN) from None
    except Unsupported as fault:
        raise UnsupportedFileError(f"'{path}' {fault}.", remedy=fault.remedy) from None
