"""What can be exported, how large it will be, who loads it, and what it is good for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from pruneapp.params import Param


class Purpose(Enum):
    """What the file is for."""

    MAIL = "mail"
    TRANSFORMERS = "transformers"
    TORCH = "torch"
    ARCHIVE = "archive"


@dataclass(frozen=True)
class Loader:
    """A program that loads files of a format."""

    name: str  # as people call it: ``torch.load``
    since: str = ""  # the oldest version that does, in words: ``torch 1.6``; empty if any
    note: str = ""  # what it needs for that, or does differently; empty if nothing


@dataclass(frozen=True)
class RoundingCost:
    """What it costs to write numbers in a type of fewer bits."""

    dtype: str  # the type, in words: ``float16``
    tensors: int = 0
    # The largest rounding error of a number that stays finite, and the name of the first tensor
    # that has it; empty if nothing changes.
    worst: float = 0.0
    where: str = ""
    # The tensors with finite numbers that become infinite, and how many of them.
    infinite: tuple[tuple[str, int], ...] = ()
    vanished: int = 0  # how many numbers become 0 that were not

    @property
    def lost(self) -> int:
        """How many numbers become infinite."""
        return sum(count for _, count in self.infinite)


@dataclass(frozen=True)
class FormatOffer:
    """A format that an export may have."""

    name: str  # as the request names it
    label: str  # a few words
    help: str  # a paragraph
    suffixes: tuple[str, ...]  # of its files, the usual one first
    # Bytes of all its files, but for what is copied along with a model; None while that is not
    # known, and where it cannot be written so.
    nbytes: int | None = None
    # Whether that is what will be written, to the byte; else it comes from a sample, and what is
    # written differs by 2 % at most.
    exact: bool = True
    loaded_by: tuple[Loader, ...] = ()  # what loads it
    does_not: tuple[str, ...] = ()  # what it does not do, a sentence each
    why_not: str = ""  # why this checkpoint cannot be written so; empty if it can
    wrong: str = ""  # why it cannot with these values of its parameters; empty if it can
    params: tuple[Param, ...] = ()
    one_file: bool = False  # whether a model of several files becomes one file
    # Name of the parameter that, where it is not None, makes a folder of files of that size; empty
    # if there is none.
    split_by: str = ""
    files: int | None = None  # that hold the weights; None while that is not known
    # Name of the parameter that says in which type numbers are written; empty if there is none.
    rounded_by: str = ""
    # What its files have in their names beside those of other formats that end so; may be empty.
    tag: str = ""
    # Bytes that it would have in a type of 16 bits; None where that saves nothing, and where only a
    # sample would tell.
    in_16_bits: int | None = None
    # For which purposes of this very model it would do, with the reason in words.
    serves: Mapping[Purpose, str] = field(default_factory=lambda: MappingProxyType({}))
    as_it_is: bool = False  # whether whoever gets the file loads it without unpacking it first
    # For which of them it is the best of all.
    recommended: Mapping[Purpose, str] = field(default_factory=lambda: MappingProxyType({}))
