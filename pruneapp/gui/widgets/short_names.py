"""Short forms of tensor names, unique within a file."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pruneapp.progress import CancelToken

GAP = "…"
_WEIGHT = ".weight"
# Names with more parts do not occur in real models: they are not shortened.
_MOST_PARTS = 24
# Number of names that differ in more than indices, above which no name is shortened.
_MOST_ROLES = 20_000
# A word with dots, without the final full stop of a sentence and surrounding punctuation.
_DOTTED = re.compile(r"[^\s.,;:'\"“”‘’()]+(?:\.[^\s.,;:'\"“”‘’()]+)+")
Parts = tuple[str, ...]
# Start and end, in a name, of the words between two indices.
_Span = tuple[int, int]


class ShortNames:
    """Shorter forms of the names of a file; no form of one name is a form of another.

    Parts are removed in this order:

    1. Leading parts, unless the remainder also follows other leading parts
       (``bert.encoder.``; but not ``encoder.`` if there is a ``decoder.`` with the same layers).
    2. Words between two indices that carry no information: all names with the same indices,
       beginning and end have the same words there (``transformer_blocks``).

    Never removed: an index (a part of digits only, or one that differs from another only in the
    number at its end), the word before the first index, and the last two parts. A gap is shown as
    "…". The same parts are removed from a name in every block, so that names stay comparable.

    Notes
    -----
    Linear in the number of names, less than a second for 100,000; constructed in a job. Forms are
    built on demand.
    """

    def __init__(self, names: Iterable[str] = (), cancel: CancelToken | None = None) -> None:
        cancel = cancel or CancelToken()
        names = tuple(names)
        self._gaps: dict[Parts, tuple[_Span, ...]] = {}
        self._numbered: frozenset[str] = frozenset()
        # A name that contains the gap sign could equal the short form of another name.
        if any(GAP in "\n".join(batch) for batch in cancel.batches(names)):
            return
        heads, tails = split_names(names, cancel)
        self._numbered = _numbered_parts({*heads, *tails}, cancel)
        star = functools.cache(lambda part: ".".join(self._role(part.split("."))))
        roles: dict[tuple[str, str], None] = {}
        for batch in cancel.batches(zip(heads, tails, strict=True)):
            roles.update(dict.fromkeys([(star(head), star(tail)) for head, tail in batch]))
        if len(roles) <= _MOST_ROLES:
            parts = [tuple((head + tail).split(".")) for head, tail in cancel.each(roles)]
            self._gaps = _gaps([role for role in parts if len(role) <= _MOST_PARTS], cancel)

    def forms(self, name: str) -> tuple[str, ...]:
        """Return all forms of a name, from the full name to the shortest."""
        parts = name.split(".")
        gaps = self._gaps.get(self._role(parts), ()) if len(parts) <= _MOST_PARTS else ()
        return (name, *(_with_gaps(parts, gaps[:many]) for many in range(1, len(gaps) + 1)))

    def __getitem__(self, name: str) -> str:
        """Return the shortest form of a name."""
        return self.forms(name)[-1]

    def fitting(self, name: str, width: float, advance: Callable[[str], float]) -> str:
        """Return the longest form that fits into `width`, or the shortest one, which may be wider.

        `advance` returns the width of a text. Names that are not in the file have one form.
        """
        forms = self.forms(name)
        return next((form for form in forms if advance(form) <= width), forms[-1])

    def in_text(self, text: str) -> str:
        """Return a text with all names of the file replaced by their shortest forms.

        A name is a word with dots, without surrounding punctuation. Names of layers, which are
        names of weights without the last part, are replaced too.
        """
        return _DOTTED.sub(lambda word: self._word(word[0]), text)

    def _word(self, word: str) -> str:
        short = self[word]
        return short if short != word else self[word + _WEIGHT].removesuffix(_WEIGHT)

    def _role(self, parts: Sequence[str]) -> Parts:
        """Return the parts of a name with the number of each index replaced by a star."""
        return tuple(map(self._star, parts))

    def _star(self, part: str) -> str:
        return "*" if part.isdigit() else _stem(part) + "*" if part in self._numbered else part


def split_names(names: Iterable[str], cancel: CancelToken) -> tuple[list[str], list[str]]:
    """Return the start of each name, and its last three parts with the dot before them, in order.

    A name of at most three parts is all start up to its first dot. In a large file, few of either
    are distinct: results per start and per end can be cached.
    """
    heads: list[str] = []
    tails: list[str] = []
    for batch in cancel.batches(names):
        added = [name.rsplit(".", 3)[0] for name in batch]
        heads += added
        tails += [name[len(head) :] for name, head in zip(batch, added, strict=True)]
    return heads, tails


def _stem(part: str) -> str:
    return part.rstrip("0123456789")


def _numbered_parts(names: Iterable[str], cancel: CancelToken) -> frozenset[str]:
    """Return the parts that differ from others only in the number at their end."""
    parts: set[str] = set()
    for batch in cancel.batches(names):
        parts.update(".".join(batch).split("."))
    ending = [part for part in cancel.each(parts) if part[-1:].isdigit() and _stem(part)]
    many = Counter(map(_stem, cancel.each(ending)))
    return frozenset([part for part in cancel.each(ending) if many[_stem(part)] > 1])


def _gaps(roles: Sequence[Parts], cancel: CancelToken) -> dict[Parts, tuple[_Span, ...]]:
    """Return, for each role, the spans (start, end) of its parts to remove, in order of removal."""
    shared = _shared_count(roles)
    # Hashes save memory. A collision only means that a part is kept unnecessarily.
    before: dict[int, set[int]] = {}
    for role in roles:
        cancel.check()
        for cut in range(shared, _end(role) + 1):
            before.setdefault(hash(_fixed_parts(role[cut:])), set()).add(hash(role[:cut]))
    leads: dict[Parts, int] = {}
    likes: dict[tuple[Parts, ...], list[Parts]] = {}
    for role in roles:
        cancel.check()
        cuts = range(_start(role), shared, -1)
        lead = next(
            (cut for cut in cuts if len(before[hash(_fixed_parts(role[cut:]))]) == 1), shared
        )
        leads[role] = lead
        likes.setdefault(_fixed_parts(role[lead:]), []).append(role)
    gaps: dict[Parts, tuple[_Span, ...]] = {}
    for alike in likes.values():
        cancel.check()
        spans = [_word_spans(role) for role in alike]
        # The distinct words between the same two indices, over all similar roles.
        words: list[set[Parts]] = [set() for _ in spans[0]]
        for role, own in zip(alike, spans, strict=True):
            for each, span in zip(words, own, strict=True):
                each.add(role[slice(*span)])
        for role, own in zip(alike, spans, strict=True):
            removable = [
                span
                for span, each in zip(own, words, strict=True)
                if len(each) == 1 and span[0] < span[1]
            ]
            removable.sort(key=lambda span: len("".join(role[slice(*span)])), reverse=True)
            if leads[role]:
                removable.insert(0, (0, leads[role]))
            gaps[role] = tuple(removable)
    return gaps


def _index(part: str) -> bool:
    return part.endswith("*")


def _first(role: Parts) -> int:
    """Return the position of the first index, or the number of parts."""
    return next((place for place, part in enumerate(role) if _index(part)), len(role))


def _end(role: Parts) -> int:
    """Return where the fixed end begins: the last two parts, and the word of an index."""
    end = max(len(role) - 2, 0)
    return end - 1 if end and _index(role[end]) and not _index(role[end - 1]) else end


def _start(role: Parts) -> int:
    """Return the maximum number of leading parts that may be removed."""
    first = _first(role)
    # The word before an index belongs to it, unless the index contains a word.
    word = first - 1 if first < len(role) and role[first] == "*" else first
    return max(min(_end(role), word), 0)


def _shared_count(roles: Sequence[Parts]) -> int:
    """Return the number of removable leading parts that all roles share."""
    if not roles:
        return 0
    low, high = min(roles), max(roles)
    pairs = zip(low, high, strict=False)
    same = next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(low), len(high)))
    return min(same, *map(_start, roles))


def _fixed_parts(role: Parts) -> tuple[Parts, ...]:
    """Return the parts of a role that are always shown; roles with equal ones can be confused."""
    first, end = _first(role), _end(role)
    inner = filter(_index, role[first + 1 : end])
    return role[: min(first + 1, end)], tuple(inner), role[end:]


def _word_spans(role: Parts) -> list[_Span]:
    """Return the spans of words between the first index and the end, split at indices."""
    spans = []
    start, end = _first(role) + 1, _end(role)
    for place in range(start, end + 1):
        if place == end or _index(role[place]):
            spans.append((start, place))
            start = place + 1
    return spans


def _with_gaps(parts: Sequence[str], gaps: Iterable[_Span]) -> str:
    """Return the name of `parts` with each gap replaced by the gap sign."""
    runs, start = [], 0
    for left, right in sorted(gaps):
        runs.append(".".join(parts[start:left]))
        start = right
    return GAP.join((*runs, ".".join(parts[start:])))
