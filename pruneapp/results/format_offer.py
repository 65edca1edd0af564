"""What can be exported, how large it will be, who loads it, and what it is good for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from pruneapp.params import Param


class Purpose(Enum):
    """What a person wants of the file, as they would say it."""

    MAIL = "mail"
    TRANSFORMERS = "transformers"
    TORCH = "torch"
    ARCHIVE = "archive"


@dataclass(frozen=True)
class Loader:
    """A program that loads files of a format.

    Attributes
    ----------
    name
        As people call it: ``torch.load``.
    since
        The oldest version that does, in words: ``torch 1.6``; empty if any.
    note
        What it needs for that, or does differently; empty if nothing.
    """

    name: str
    since: str = ""
    note: str = ""


@dataclass(frozen=True)
class SizeForecast:
    """How large an export will be.

    Attributes
    ----------
    nbytes
        Bytes of all its files; what is copied along with a model is not counted.
    exact
        Whether that is what will be written, to the byte; else it comes from a sample, and what
        is written differs by 2 % at most.
    notices
        What the person should know before.
    files
        How many files hold the weights.
    """

    nbytes: int
    exact: bool = True
    notices: tuple[str, ...] = ()
    files: int = 1


@dataclass(frozen=True)
class RoundingCost:
    """What it costs to write numbers in a type of fewer bits.

    Attributes
    ----------
    dtype
        The type, in words: ``float16``.
    tensors
        How many tensors are rounded.
    worst, where
        The largest rounding error of a number that stays finite, and the name of the first tensor
        that has it; empty if nothing changes.
    infinite
        The tensors with finite numbers that become infinite, and how many of them.
    vanished
        How many numbers become 0 that were not.
    """

    dtype: str
    tensors: int = 0
    worst: float = 0.0
    where: str = ""
    infinite: tuple[tuple[str, int], ...] = ()
    vanished: int = 0

    @property
    def lost(self) -> int:
        """How many numbers become infinite."""
        return sum(count for _, count in self.infinite)


@dataclass(frozen=True)
class FormatOffer:
    """A format that an export may have.

    Attributes
    ----------
    name
        As the request names it.
    label, help
        A few words, and a paragraph.
    suffixes
        Of its files, the usual one first.
    nbytes
        Bytes to come; None while that is not known, and where it cannot be written so.
    exact
        Whether `nbytes` is exact; see `SizeForecast`.
    loaded_by
        What loads it.
    does_not
        What it does not do, a sentence each.
    why_not
        Why this checkpoint cannot be written so; empty if it can.
    wrong
        Why it cannot with these values of its parameters; empty if it can.
    params
        What it asks for.
    one_file
        Whether a model of several files becomes one file.
    split_by
        Name of the parameter that, where it is not None, makes a folder of files of that size;
        empty if there is none.
    files
        How many files hold the weights; None while that is not known.
    rounded_by
        Name of the parameter that says in which type numbers are written; empty if there is none.
    tag
        What its files have in their names beside those of other formats that end so; may be empty.
    in_16_bits
        Bytes that it would have in a type of 16 bits; None where that saves nothing, and where
        only a sample would tell.
    serves
        For which purposes of this very model it would do, with the reason in words.
    as_it_is
        Whether whoever gets the file loads it without unpacking it first.
    recommended
        For which of them it is the best of all.
    """

    name: str
    label: str
    help: str
    suffixes: tuple[str, ...]
    nbytes: int | None = None
    exact: bool = True
    loaded_by: tuple[Loader, ...] = ()
    does_not: tuple[str, ...] = ()
    why_not: str = ""
    wrong: str = ""
    params: tuple[Param, ...] = ()
    one_file: bool = False
    split_by: str = ""
    files: int | None = None
    rounded_by: str = ""
    tag: str = ""
    in_16_bits: int | None = None
    serves: Mapping[Purpose, str] = field(default_factory=lambda: MappingProxyType({}))
    as_it_is: bool = False
    recommended: Mapping[Purpose, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Landing:
    """What an export finds where it goes, looked at before anything is written.

    Attributes
    ----------
    refused
        Why it cannot go there, with what to do; empty if it can. Then nothing else is said.
    replaced
        Names of the files that are there and will be replaced: what they hold is lost.
    kept
        Under which names the files of the opened model that are replaced are kept first, in the
        order in which they are replaced.
    notices
        What the person should know of the place and its name, a sentence each.
    """

    refused: str = ""
    replaced: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
