"""All errors that are shown to the user.

A ``PruneAppError`` is a sentence that states the failure, its place, the violated rule, the actual
value, and what to do. The window shows it next to the field or file concerned, the command line
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

# Maximum characters of a quoted value in an error.
MOST_REPEATED = 200
# Quoted values: in quotation marks, after "got", and overlong words.
_REPEATED = (
    re.compile(rf"((?<![^\s(\[])')(?=\S)([^']{{{MOST_REPEATED + 1},}})(')"),
    re.compile(rf"(\(got )([^)]{{{MOST_REPEATED + 1},}})(\))"),
    re.compile(rf"()(\S{{{MOST_REPEATED + 1},}})()"),
)
# Maximum length of a sentence; ours are shorter without quoted values.
_LONGEST = 1000
_MAX_DIGITS = 12  # of numbers used for sorting names
# More names are not sorted, because it takes too long for an error.
MAX_SORTED = 500
_MAX_LEVELS = 64  # number of module levels that are considered when names are sorted
# Unicode spaces, which are harmless: many languages separate digits with them.
_SPACES = frozenset("\u00a0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))))


class PruneAppError(Exception):
    """An error that the user can understand and fix.

    Parameters
    ----------
    sentence
        States the failure, its place, the rule, and the actual value.
    remedy
        What to do, as a sentence; empty if there is nothing to do.
    details
        Additional text to copy into a report, not needed to understand the sentence.
    listed
        Lines that the sentence introduces.

    Values quoted from files or user input are limited to one line of printable characters and
    `MOST_REPEATED` characters; `details` then has the full text.
    """

    def __init__(
        self, sentence: str, *, remedy: str = "", details: str = "", listed: Iterable[str] = ()
    ) -> None:
        lines = (escape_text(sentence), *(f"  {escape_text(line)}" for line in listed))
        whole = "\n".join(lines)
        sentence, remedy = "\n".join(map(abridge_text, lines)), abridge_text(escape_text(remedy))
        if not details and len(sentence) < len(whole):
            details = whole
        super().__init__(f"{sentence} {remedy}".strip())
        self.sentence = sentence
        self.remedy = remedy
        self.details = details

    def with_sentence(self, sentence: str) -> Self:
        """Return a copy of the error with another sentence."""
        other = copy(self)
        other.sentence, other.args = sentence, (f"{sentence} {self.remedy}".strip(),)
        return other

    def __reduce__(self) -> tuple[object, ...]:
        # Errors are pickled in the process that parses large headers.
        return _rebuild, (type(self), self.sentence, self.remedy, self.details)


def words_of(error: OSError) -> str:
    """Return the system's message for an error, for use inside a sentence."""
    return (error.strerror or str(error)).rstrip(".").lower()


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun: ``1 tensor``, ``1,200 tensors``; `plural` if irregular."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def first_names(
    names: Sequence[str], most: int = 3, show: Callable[[str], str] = "'{}'".format
) -> str:
    """Return the first `most` names, quoted or as `show` writes them, and how many more there are.

    "" for no names. Up to `MAX_SORTED` names are in numeric order, see `in_numeric_order`: sorting
    more takes too long for a sentence.
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
    """Return the module of a tensor and the last part of its name; "" without a module.

    Only the first 64 periods separate: the last part of deeper names contains the others.
    """
    if name.count(".") <= _MAX_LEVELS:
        module, _, leaf = name.rpartition(".")
    else:
        *modules, leaf = name.split(".", _MAX_LEVELS)
        module = ".".join(modules)
    return module, leaf


def last_line(error: BaseException) -> str:
    """Return the message of an error of third-party code, as a sentence."""
    text = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    return text if text.endswith((".", "!", "?")) else text + "."


def suggest_nearest(word: str, known: Iterable[str], things: str = "values") -> str:
    """Return a question with similar known words, and a list of all known words in their order.

    Case and punctuation do not matter. Up to three words that begin with `word` are suggested, else
    up to two similar ones; without any there is no question. `things` is the plural noun for the
    words: ``methods``.
    """
    import difflib  # only needed for unknown words

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


def escape_text(text: str, too: str = "") -> str:
    """Return external text as a single line that reads from left to right.

    Characters that would break the line, move the cursor, reverse the direction or be invisible
    (control characters, bidi marks, surrogates) are replaced by escapes with four or eight digits,
    as are the characters in `too`. Other Unicode spaces and letters are unchanged.
    """
    if text.isprintable() and not (too and any(c in text for c in too)):
        return text
    return "".join(
        c if (c.isprintable() or c in _SPACES) and c not in too else _by_number(c) for c in text
    )


def _by_number(char: str) -> str:
    number = ord(char)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def abridge_text(text: str) -> str:
    """Return a line with overlong quoted values shortened in the middle.

    Lines of at most `MOST_REPEATED` characters are returned unchanged; no line is longer than
    1,000.
    """
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
    """A file is not a known kind of checkpoint."""


class DamagedFileError(CheckpointError):
    """A file violates its format, or is truncated."""


class UnsupportedFileError(CheckpointError):
    """A file is valid, but of an unsupported kind."""


class JsonError(CheckpointError):
    """External text is not the expected JSON.

    Parameters
    ----------
    what
        The error as a phrase: ``it is not UTF-8 text at byte 3``.
    where
        The file, or the origin of the text; empty if the caller adds it.
    place
        The location in the text: ``entries[2].name``; empty for the whole text.
    remedy
        The allowed values, as sentences.
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
    """A checkpoint has no tensor of this name."""

    def __str__(self) -> str:  # KeyError would show the repr
        return Exception.__str__(self)


class ParameterError(PruneAppError, ValueError):
    """A parameter of a method or an option has an invalid value."""


class SelectionError(PruneAppError):
    """A selection matches nothing that can be pruned."""


class NothingToPruneError(SelectionError):
    """A file contains nothing that can be pruned."""


class MethodError(PruneAppError):
    """A method loaded from a file cannot be used."""


class PluginError(PruneAppError):
    """A plugin cannot be used."""


class DeviceError(PruneAppError):
    """A device is not available or failed."""


class ClusterError(PruneAppError):
    """A cluster cannot be used, or does not support the request."""


class ClusterLostError(ClusterError):
    """The connection to a cluster was lost during a job."""


class StaleError(PruneAppError):
    """A result belongs to an outdated state of the document."""


class HistoryError(PruneAppError):
    """A history state stored on disk cannot be read."""


class ScratchError(PruneAppError):
    """There is neither memory nor disk space for a mask."""


class RecipeError(PruneAppError):
    """A recipe cannot be read, or does not fit a checkpoint."""


class ExportError(PruneAppError):
    """A file cannot be written."""


class UnwritableError(ExportError):
    """Tensors cannot be written in a format, and may not be omitted without consent."""

    unread: Mapping[str, str] = MappingProxyType({})  # reason for each tensor, by name


class SessionError(PruneAppError):
    """A session cannot be opened, or work cannot be saved for the next start."""


class OriginalMissingError(SessionError):
    """The checkpoint of a session is not at its path.

    Attributes
    ----------
    in_folder
        Whether it is a folder.
    """

    in_folder = False


class OriginalChangedError(SessionError):
    """The checkpoint of a session has changed.

    Attributes
    ----------
    fits
        Whether it still has the same tensors.
    in_folder
        Whether the expected checkpoint is a folder.
    """

    fits = False
    in_folder = False


class SessionChangedError(SessionError):
    """Saving would overwrite a session file that another program has changed."""
