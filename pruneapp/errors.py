"""Every error that reaches the user.

A ``PruneAppError`` is one sentence that says what went wrong, where, which rule was broken, what
came instead, and what to do. The window shows it beside the place it belongs to, the command line
prints it and exits with 2. Any other exception is a bug in Pruneapp and is shown as one.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from itertools import starmap
from types import MappingProxyType
from typing import Self, TypeVar

T = TypeVar("T")

# Of what an error was given, so many characters at most are repeated in it.
MOST_REPEATED = 200
# In quotation marks, behind "got", and in a word that never ends.
_REPEATED = (
    re.compile(rf"((?<![^\s(\[])')(?=\S)([^']{{{MOST_REPEATED + 1},}})(')"),
    re.compile(rf"(\(got )([^)]{{{MOST_REPEATED + 1},}})(\))"),
    re.compile(rf"()(\S{{{MOST_REPEATED + 1},}})()"),
)
# No sentence of ours is as long by itself.
_LONGEST = 1000
_MAX_DIGITS = 12  # of a number that orders names
# More names take too long to sort for a sentence.
MAX_SORTED = 500
_MAX_LEVELS = 64  # of modules that are distinguished when names are ordered
# The spaces of Unicode: what separates the digits of numbers in many languages is no harm.
_SPACES = frozenset("\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))))


class PruneAppError(Exception):
    """An error that a person can understand and mend.

    Parameters
    ----------
    sentence
        What, where, the rule, what came instead.
    remedy
        What to do, as a sentence of its own; empty if there is nothing to do.
    details
        More text to copy into a report, never needed to understand the sentence.
    listed
        What the sentence introduces, a line each.

    What is repeated of files and of what a person wrote is one line of visible characters, and at
    most `MOST_REPEATED` of them, wherever the error was made: `details` then has all of it.
    """

    def __init__(
        self, sentence: str, *, remedy: str = "", details: str = "", listed: Iterable[str] = ()
    ) -> None:
        lines = (escaped(sentence), *(f"  {escaped(line)}" for line in listed))
        whole = "\n".join(lines)
        sentence, remedy = "\n".join(map(abridged, lines)), abridged(escaped(remedy))
        if not details and len(sentence) < len(whole):
            details = whole
        super().__init__(f"{sentence} {remedy}".strip())
        self.sentence = sentence
        self.remedy = remedy
        self.details = details

    def reworded(self, sentence: str) -> Self:
        """Return the same error with another sentence."""
        other = copy(self)
        other.sentence, other.args = sentence, (f"{sentence} {self.remedy}".strip(),)
        return other

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross from the process that parses large headers.
        return _rebuild, (type(self), self.sentence, self.remedy, self.details)


def words_of(error: OSError) -> str:
    """Return the system's own words for what it refused, as the middle of a sentence."""
    return (error.strerror or str(error)).rstrip(".").lower()


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 tensor``, ``1,200 tensors``; `plural` where no s does."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def first_names(
    names: Sequence[str], most: int = 3, show: Callable[[str], str] = "'{}'".format
) -> str:
    """Return the first names, in quotes or as `show` writes them, and how many more there are.

    Up to `MAX_SORTED` names are in numeric order, see `in_numeric_order`: sorting more takes too
    long for a sentence.
    """
    if len(names) <= MAX_SORTED:
        names = in_numeric_order(names)
    shown = ", ".join(map(show, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def in_numeric_order(items: Sequence[T], name_of: Callable[[T], str] = str) -> Sequence[T]:
    """Return items with dotted names so that numbered siblings are in the order of their numbers.

    Every list of tensors or layers that a user reads has this order: safetensors files are sorted
    alphabetically (layers 0, 1, 10, 2). Selections, results, and exported files keep the order of
    the opened file.

    Parameters
    ----------
    items
        They are returned unchanged unless numbered siblings are out of order. Otherwise items are
        grouped by module; modules and names without a number keep their order.
    name_of
        Return the name of an item.

    Notes
    -----
    O(n log n) in the number of items.
    """
    split = [_split_name(name_of(item)) for item in items]
    children: dict[str, dict[str, int]] = {"": {}}  # places of the children of each module
    for module, leaf in split:
        path, part = module, leaf
        while path not in children:
            children[path] = {part: 0}
            path, _, part = path.rpartition(".")
        siblings = children[path]
        siblings.setdefault(part, len(siblings))
    is_sorted = True
    for siblings in children.values():
        numbered: dict[str, list[tuple[int, str]]] = {}
        for part in siblings:
            stem = part.rstrip("0123456789")
            if stem != part and len(part) - len(stem) <= _MAX_DIGITS:
                numbered.setdefault(stem, []).append((int(part[len(stem) :]), part))
        for found in numbered.values():
            ordered = sorted(found)
            places = [siblings[part] for _, part in found]
            is_sorted = is_sorted and ordered == found
            siblings.update({part: at for (_, part), at in zip(ordered, places, strict=True)})
    if is_sorted:
        return items

    places_of: dict[str, tuple[int, ...]] = {"": ()}

    def place(path: str, part: str) -> tuple[int, ...]:
        if path not in places_of:
            above, _, last = path.rpartition(".")
            places_of[path] = place(above, last)
        return (*places_of[path], children[path][part])

    keys = list(starmap(place, split))
    return [items[index] for index in sorted(range(len(keys)), key=keys.__getitem__)]


def _split_name(name: str) -> tuple[str, str]:
    """Return the module of a tensor and its last part, which has the dots of very deep names."""
    if name.count(".") <= _MAX_LEVELS:
        module, _, leaf = name.rpartition(".")
    else:
        *modules, leaf = name.split(".", _MAX_LEVELS)
        module = ".".join(modules)
    return module, leaf


def last_line(error: BaseException) -> str:
    """Return what an error of somebody else's code says, as a sentence."""
    text = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    return text if text.endswith((".", "!", "?")) else text + "."


def nearest(word: str, known: Iterable[str], things: str = "values") -> str:
    """Return what a person may have meant by an unknown word, and all that there are.

    `things` says what the words are, as a plural: ``methods``.
    """
    import difflib  # not for those who make no mistake

    words = {"".join(filter(str.isalnum, one)).casefold(): one for one in known}
    if not words:
        return f"No {things} are allowed here."
    plain = "".join(filter(str.isalnum, word)).casefold()
    begun = [one for key, one in words.items() if len(plain) > 1 and key.startswith(plain)]
    match = difflib.get_close_matches
    close = match(plain, words, 2, cutoff=0.8) or match(plain, words, 1, cutoff=0.6)
    near = begun[:3] or [words[one] for one in close]
    listed = ", ".join(f"'{one}'" for one in near)
    question = f"Did you mean {' or '.join(listed.rsplit(', ', 1))}? " if near else ""
    return f"{question}Allowed {things}: {', '.join(words.values())}."


def escaped(text: str, too: str = "") -> str:
    """Return text from outside so that it is one line and reads from left to right.

    What would break a line, move a cursor, reverse the line or stay unseen (control characters,
    bidi marks, halves of characters) is written by its number, in four or eight digits.

    The characters of `too` are written so as well.
    """
    if text.isprintable() and not (too and any(c in text for c in too)):
        return text
    return "".join(
        c if (c.isprintable() or c in _SPACES) and c not in too else _by_number(c) for c in text
    )


def _by_number(char: str) -> str:
    number = ord(char)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def abridged(text: str) -> str:
    """Return a line without the middle of what it repeats at too great a length."""
    if len(text) <= MOST_REPEATED:
        return text
    for pattern in _REPEATED:
        text = pattern.sub(lambda found: found[1] + _ends(found[2], MOST_REPEATED) + found[3], text)
    return _ends(text, _LONGEST)


def _ends(text: str, most: int) -> str:
    half = (most - 1) // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def _rebuild(kind: type[PruneAppError], sentence: str, remedy: str, details: str) -> PruneAppError:
    first, *listed = sentence.split("\n  ")
    return kind(first, remedy=remedy, details=details, listed=listed)


class CheckpointError(PruneAppError):
    """A file cannot be opened or read."""


class UnrecognizedFileError(CheckpointError):
    """A file is not a checkpoint that we know."""


class DamagedFileError(CheckpointError):
    """A file breaks the rules of its format, or is cut short."""


class UnsupportedFileError(CheckpointError):
    """A file is sound, but of a kind that we do not read."""


class JsonError(CheckpointError):
    """Text from outside is not the JSON that it should be.

    Parameters
    ----------
    what
        What is wrong, as a phrase: ``it is not UTF-8 text at byte 3``.
    where
        The file, or whatever the text is part of; empty if a caller says it.
    place
        Where in the text: ``entries[2].name``; empty for the whole of it.
    remedy
        What is allowed there, as sentences.
    """

    def __init__(self, what: str, where: str = "", place: str = "", remedy: str = "") -> None:
        at = f", at {place}" * bool(place)
        if place or not what.startswith("it "):
            sentence = f"'{where}'{at}: {what}."
        else:
            sentence = f"'{where}' {what[3:]}."
        super().__init__(sentence, remedy=remedy)
        self.what = what
        self.where = where
        self.place = place

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.what, self.where, self.place, self.remedy)


class FileChangedError(CheckpointError):
    """A file changed on disk while it was open."""


class UnknownTensorError(CheckpointError, KeyError):
    """A checkpoint holds no tensor of this name."""

    def __str__(self) -> str:  # KeyError would show the repr
        return Exception.__str__(self)


class ParameterError(PruneAppError, ValueError):
    """A value of a method or an option breaks its rule."""


class SelectionError(PruneAppError):
    """A selection matches nothing that can be pruned."""


class NothingToPruneError(SelectionError):
    """A file holds nothing that can be pruned, whatever is asked for."""


class MethodError(PruneAppError):
    """A method loaded from a file cannot be used."""


class PluginError(PruneAppError):
    """What another package adds cannot be used."""


class DeviceError(PruneAppError):
    """A device is not there or gave up."""


class ClusterError(PruneAppError):
    """A cluster cannot be used, or cannot do what is asked."""


class ClusterLostError(ClusterError):
    """A cluster went away while it was at work."""


class StaleError(PruneAppError):
    """An answer belongs to a state of the document that is gone."""


class HistoryError(PruneAppError):
    """A state of the history that was put aside cannot be read again."""


class ScratchError(PruneAppError):
    """The disk has no room for a mask for which memory has none."""


class RecipeError(PruneAppError):
    """A recipe cannot be read, or does not fit a checkpoint."""


class ExportError(PruneAppError):
    """A file cannot be written."""


class UnwritableError(ExportError):
    """Tensors of the source can neither be written in a format nor be left out without leave."""

    unread: Mapping[str, str] = MappingProxyType({})  # why each cannot be read, by name


class SessionError(PruneAppError):
    """A session cannot be opened, or work cannot be kept for the next start."""


class OriginalMissingError(SessionError):
    """The checkpoint that a session is about is not where it was.

    Attributes
    ----------
    in_folder
        Whether it is a folder.
    """

    in_folder = False


class OriginalChangedError(SessionError):
    """The checkpoint is another one than that which a session is about.

    Attributes
    ----------
    fits
        Whether it has the same tensors nevertheless.
    in_folder
        Whether the one that is looked for is a folder.
    """

    fits = False
    in_folder = False


class SessionChangedError(SessionError):
    """A session file would be replaced that somebody else wrote meanwhile."""
