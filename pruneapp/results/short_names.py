"""Names of tensors where room is short: what no other tensor of the file has is never left out."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pruneapp.progress import CancelToken

GAP = "…"
_WEIGHT = ".weight"
# A name of more parts is of no model that there is: it is left whole.
_MOST_PARTS = 24
# Names that differ in more than their numbers; where there are more, they are left whole as well.
_MOST_ROLES = 20_000

# A word with dots, but for the full stop of a sentence, and marks before and behind it.
_DOTTED = re.compile(r"[^\s.,;:'\"“”‘’()]+(?:\.[^\s.,;:'\"“”‘’()]+)+")
Parts = tuple[str, ...]
# Where the words between two indices begin and end in a name.
_Span = tuple[int, int]


class ShortNames:
    """The shorter forms of the names of a file; no form of a name is one of another's.

    What is left out, one after the other:

    1. Leading parts, unless what would be left to read follows other ones as well
       (``bert.encoder.``; but not ``encoder.`` where there is a ``decoder.`` of the same layers).
    2. Between two indices, words that tell nothing: all names that have the same indices, the same
       beginning and the same end have the same words there (``transformer_blocks``).

    Never an index (a part of digits alone, or one that differs from another in the number at its
    end alone), never the word before the first index, never the last two parts. A gap is shown as
    "…". The same parts are left out of a name in every block, so that names stay comparable.

    Notes
    -----
    Linear in the number of names, less than a second for 100,000: made in a job. Forms are written
    when they are asked for.
    """

    def __init__(self, names: Iterable[str] = (), cancel: CancelToken | None = None) -> None:
        cancel = cancel or CancelToken()
        names = tuple(names)
        self._gaps: dict[Parts, tuple[_Span, ...]] = {}
        self._numbered: frozenset[str] = frozenset()
        # A name that holds the sign for a gap could be the short form of another one.
        if any(GAP in "\n".join(batch) for batch in cancel.batches(names)):
            return
        self._numbered = _numbered(names, cancel)
        star = functools.cache(self._star)  # few parts are different
        roles: dict[Parts, None] = {}
        for batch in cancel.batches(names):
            split = [name.split(".") for name in batch if name.count(".") < _MOST_PARTS]
            roles.update(dict.fromkeys([tuple(map(star, parts)) for parts in split]))
        if len(roles) <= _MOST_ROLES:
            self._gaps = _gaps(tuple(roles), cancel)

    def forms(self, name: str) -> tuple[str, ...]:
        """Return all forms of a name, the longest first: the name itself."""
        parts = name.split(".")
        gaps = self._gaps.get(self._role(parts), ()) if len(parts) <= _MOST_PARTS else ()
        return (name, *(_written(parts, gaps[:many]) for many in range(1, len(gaps) + 1)))

    def __getitem__(self, name: str) -> str:
        """Return the shortest form of a name."""
        return self.forms(name)[-1]

    def fitting(self, name: str, width: float, advance: Callable[[str], float]) -> str:
        """Return the longest form that fits into a width, else the shortest one.

        `advance` measures a text, in the unit of `width`. What is no name of the file has one form.
        """
        forms = self.forms(name)
        return next((form for form in forms if advance(form) <= width), forms[-1])

    def in_text(self, text: str) -> str:
        """Return a text with every name of the file in it in its shortest form.

        A name is a word with dots, the marks around it no part of it. Labels of steps name layers,
        the names of their weights without the last part.
        """
        return _DOTTED.sub(lambda word: self._word(word[0]), text)

    def _word(self, word: str) -> str:
        short = self[word]
        return short if short != word else self[word + _WEIGHT].removesuffix(_WEIGHT)

    def _role(self, parts: Sequence[str]) -> Parts:
        """Return the parts of a name with a star for every number of an index."""
        return tuple(map(self._star, parts))

    def _star(self, part: str) -> str:
        return "*" if part.isdigit() else _stem(part) + "*" if part in self._numbered else part


def _stem(part: str) -> str:
    return part.rstrip("0123456789")


def _numbered(names: Iterable[str], cancel: CancelToken) -> frozenset[str]:
    """Return the parts that differ from others in the number at their end alone."""
    parts: set[str] = set()
    for batch in cancel.batches(names):
        parts.update(".".join(batch).split("."))
    ending = [part for part in cancel.each(parts) if part[-1:].isdigit() and _stem(part)]
    many = Counter(map(_stem, cancel.each(ending)))
    return frozenset([part for part in cancel.each(ending) if many[_stem(part)] > 1])


def _gaps(roles: Sequence[Parts], cancel: CancelToken) -> dict[Parts, tuple[_Span, ...]]:
    """Return for each role the spans that are left out, in this order."""
    shared = _shared(roles)
    # Hashes, as there may be many: two that are equal by chance keep a part more, that is all.
    before: dict[int, set[int]] = {}
    for role in roles:
        cancel.check()
        for cut in range(shared, _end(role) + 1):
            before.setdefault(hash(_fixed(role[cut:])), set()).add(hash(role[:cut]))
    leads: dict[Parts, int] = {}
    likes: dict[tuple[Parts, ...], list[Parts]] = {}
    for role in roles:
        cancel.check()
        cuts = range(_start(role), shared, -1)
        lead = next((cut for cut in cuts if len(before[hash(_fixed(role[cut:]))]) == 1), shared)
        leads[role] = lead
        likes.setdefault(_fixed(role[lead:]), []).append(role)
    gaps: dict[Parts, tuple[_Span, ...]] = {}
    for alike in likes.values():
        cancel.check()
        spans = [_between(role) for role in alike]
        # The words between the same two indices, of all of them; few are different.
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
    """Return where the first index is, or the number of parts."""
    return next((place for place, part in enumerate(role) if _index(part)), len(role))


def _end(role: Parts) -> int:
    """Return where the end begins that is always shown: two parts, and the word of an index."""
    end = max(len(role) - 2, 0)
    return end - 1 if end and _index(role[end]) and not _index(role[end - 1]) else end


def _start(role: Parts) -> int:
    """Return how many leading parts may be left out at most."""
    first = _first(role)
    # The word before an index belongs to it; an index that is a word itself needs none.
    word = first - 1 if first < len(role) and role[first] == "*" else first
    return max(min(_end(role), word), 0)


def _shared(roles: Sequence[Parts]) -> int:
    """Return how many leading parts all roles share that may be left out."""
    if not roles:
        return 0
    low, high = min(roles), max(roles)
    pairs = zip(low, high, strict=False)
    same = next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(low), len(high)))
    return min(same, *map(_start, roles))


def _fixed(role: Parts) -> tuple[Parts, ...]:
    """Return what is shown of a role in any case; those that agree in it must be told apart."""
    first, end = _first(role), _end(role)
    inner = filter(_index, role[first + 1 : end])
    return role[: min(first + 1, end)], tuple(inner), role[end:]


def _between(role: Parts) -> list[_Span]:
    """Return the words between the first index and the end, in runs without an index."""
    spans = []
    start, end = _first(role) + 1, _end(role)
    for place in range(start, end + 1):
        if place == end or _index(role[place]):
            spans.append((start, place))
            start = place + 1
    return spans


def _written(parts: Sequence[str], gaps: Iterable[_Span]) -> str:
    """Write the parts of a name with a sign for each gap."""
    runs, start = [], 0
    for left, right in sorted(gaps):
        runs.append(".".join(parts[start:left]))
        start = right
    return GAP.join((*runs, ".".join(parts[start:])))
