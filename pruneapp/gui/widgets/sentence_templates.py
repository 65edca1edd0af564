"""Finished sentences of the engine, in the person's language.

The engine knows one language and fills its sentences itself. Here a sentence is held against the
templates that the engine has (packaging/translations.py gathers them): the one whose text it
contains says which translation is meant, and what stands between are the values. Those that are
numbers are written as the language writes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import NamedTuple

from pruneapp.gui.widgets.labels import joined

# A template of fewer letters than this may be part of anything: its values have to be known, too.
_FEW_LETTERS = 7
_LONGEST = 4000  # letters of what is looked up
_KNOWN = 50_000  # texts that are remembered; a history may have 10,000 states
# Values of values, and parts of a label: a name that somebody made may look like any number.
_DEEPEST, _MOST_PARTS = 8, 100
# What gaps of these names hold, and nothing else.
_NUMBERS = {"n": r"(\d[\d,.]*)", "percent": r"([<>]?\d[\d,.]* ?%)"}
_WORDLESS = re.compile(r"[\W\d_]*")
# Names in quotation marks are the same in every language, and so are lists of them.
_QUOTED = re.compile(r"'[^']*'(?:, '[^']*')*")
# Gaps that hold lists of names, or of words of code.
_LISTS = frozenset({"join", "words"})
# Where one of two values ends that have nothing between them: "12, which fits all tensors".
_FIRST_OF_TWO = re.compile(r"[^,(:]*")
# A number as the engine writes it, if it has separators of thousands, a percent sign or a unit.
# Another one with a point may be a version, except in gaps of the names below.
_GROUPED = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"
_UNIT = r"\s?(?:%|(?:[kMGTPE]i?)?B|bytes)"
_NUMBER = re.compile(rf"[<>]?\s?-?(?:{_GROUPED}(?:{_UNIT})?|\d+\.\d+{_UNIT})")
_DECIMAL = re.compile(r"-?\d+\.\d+(?:e[+-]\d+)?")
_DECIMALS = frozenset(
    {
        *("after", "amount", "before", "damping", "got", "iterations", "limit", "low", "high"),
        *("largest", "largest_difference", "largest_output", "median", "most", "most_in_median"),
        *("rate", "share", "tree", "value", "worst"),
    }
)
# Percentages in the label of a step, which may have words of no language: "L1 12.5 %".
_PERCENTAGE = re.compile(r"(?<![^\s(])\d+\.\d+(?=\s?%(?![^\s,;:)]))")
_OUTER_SPACE = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)
_END = re.compile(r"[.!?] ")


@dataclass(frozen=True)
class Template:
    """The text of a sentence, with gaps."""

    source: str
    text: tuple[str, ...]  # before, between and behind the gaps
    names: tuple[str, ...]  # of the gaps
    numbers: re.Pattern[str] | None = None  # what finds the values, if some are numbers alone

    @classmethod
    def of(cls, source: str) -> Template:
        """Read a template as `str.format` does."""
        text, names = [""], []
        for literal, name, _, _ in Formatter().parse(source):
            text[-1] += literal  # braces that stand for themselves are parts of their own
            if name is not None:
                names.append(name)
                text.append("")
        numbers = None
        gaps = [_NUMBERS.get(name.rstrip("0123456789"), "(.*?)") for name in names]
        if set(gaps) & set(_NUMBERS.values()):
            pieces = zip(map(re.escape, text), [*gaps, ""], strict=True)
            numbers = re.compile("".join(map("".join, pieces)), re.DOTALL)
        return cls(source, tuple(text), tuple(names), numbers)

    @property
    def letters(self) -> int:
        """How many letters it has itself."""
        return _letters("".join(self.text))

    def quotes(self, gap: int) -> bool:
        """Whether a value stands in quotation marks: a name or a path, which no language has."""
        return self.text[gap].endswith(("'", "`")) and self.text[gap + 1].startswith(("'", "`"))

    def values(self, text: str) -> tuple[str, ...] | None:
        """Return what stands in the gaps of a text, as little as possible each; None if no fit."""
        if self.numbers is not None:
            found = self.numbers.fullmatch(text)
            return None if found is None else found.groups()
        # No regular expression: with several gaps it takes long to find that there is no fit.
        at, end = len(self.text[0]), len(text) - len(self.text[-1])
        if end < at or not (text.startswith(self.text[0]) and text.endswith(self.text[-1])):
            return None
        values = []
        for piece in self.text[1:-1]:
            place = text.find(piece, at, end)
            if place < 0:
                return None
            values.append(text[at:place])
            at = place + len(piece)
        return *values, text[at:end]


class Said(NamedTuple):
    """A translation, and how many letters of it are left in English, as far as that is known."""

    text: str
    left: int


class SentenceTemplates:
    """What the engine says, in another language.

    `say` returns the translation of a template, `declared` that of a declared label; either returns
    what it is given if there is none. `write` writes a number such as "1,234.5". `steps` are
    templates of labels of the history, which consist of short parts with names between.
    """

    def __init__(
        self,
        sentences: Iterable[str],
        steps: Iterable[str] = (),
        say: Callable[[str], str] = str,
        declared: Callable[[str], str] = str,
        write: Callable[[str], str] = str,
    ) -> None:
        self._say, self._declared, self._write = say, declared, write
        # Those that begin with a gap and have no letters only say how parts are put together.
        self._steps = _Templates(
            s for s in steps if Template.of(s).letters or not s.startswith("{")
        )
        self._sentences = _Templates((*sentences, *self._steps.sources))
        self._known: dict[tuple[str, bool], Said | None] = {}
        self._depth = [0, 0]  # of sentences, and of labels

    def sentence(self, text: str) -> str:
        """Return one or more sentences, or the middle of one; as they are if they are not known."""
        return self._lines(text, self._sentences)

    def step(self, text: str) -> str:
        """Return the label of a state of the history, or a line of its details."""
        return self._lines(text, self._steps)

    def _lines(self, text: str, templates: _Templates) -> str:
        return "\n".join(self._line(line, templates) for line in text.split("\n"))

    def _line(self, line: str, templates: _Templates) -> str:
        found = self._look_up(line, templates)
        return self._written(line, templates) if found is None else found.text

    def _look_up(self, text: str, templates: _Templates) -> Said | None:
        """Return a translation; None if nothing of a text is known."""
        lenient = templates is self._steps
        key = text, lenient
        if key not in self._known:
            if self._depth[lenient] == (_MOST_PARTS if lenient else _DEEPEST):
                return None
            if len(self._known) >= _KNOWN:
                self._known.clear()
            space = _OUTER_SPACE.fullmatch(text)
            assert space is not None, "every text has this form"
            before, inner, behind = space.groups()
            found = None
            if len(inner) <= _LONGEST and not _WORDLESS.fullmatch(inner):
                self._depth[lenient] += 1
                found = self._of_step(inner) if lenient else self._of_sentences(inner)
                self._depth[lenient] -= 1
            if found is not None:
                found = Said(f"{before}{found.text}{behind}", found.left)
            self._known[key] = found
        return self._known[key]

    def _of_sentences(self, text: str) -> Said | None:
        whole = self._filled(text, self._sentences)
        if whole is not None and not whole.left:
            return whole
        # Two sentences, or more: each by itself; else the last gap of one takes in the next one.
        for end in _END.finditer(text):
            first = self._filled(text[: end.start() + 1], self._sentences)
            if first is not None:
                rest = self._found(text[end.end() :], self._sentences)
                if whole is None or first.left + rest.left < whole.left:
                    return Said(joined(first.text, rest.text), first.left + rest.left)
        return whole

    def _of_step(self, text: str) -> Said | None:
        if (whole := self._filled(text, self._steps, begun=True)) is not None:
            return whole
        for mark, name in (("; ", "{step}; {step2}"), (", ", "{step}, {step2}")):
            head, parted, tail = text.partition(mark)
            both = (head, tail) if parted else ()
            if any(self._look_up(part, self._steps) is not None for part in both):
                first, second = (self._found(part, self._steps) for part in both)
                said = self._say(name).format(step=first.text, step2=second.text)
                return Said(said, first.left + second.left)
        head, parted, tail = text.partition(": ")
        label = self._declared(head)
        if parted and label != head:
            value = self._found(tail, self._steps)
            said = self._say("{label}: {value}").format(label=label, value=value.text)
            return Said(said, value.left)
        return self._filled(text, self._steps)

    def _filled(self, text: str, templates: _Templates, *, begun: bool = False) -> Said | None:
        """Return the translation of the template that fits best; if `begun`, it begins with words.

        That is the one which leaves the fewest letters as they are, of several such ones the
        longest; in labels of steps, whose names are anything, the longest. One of few letters fits
        only if its values are known.
        """
        if (source := templates.whole.get(text)) and (said := self._say(source)) != source:
            return Said(said.format(), 0)
        if (declared := self._declared(text)) != text:
            return Said(declared, 0)
        best, strict = None, templates is self._sentences
        for template, longest, letters in templates.ordered:
            if longest not in text or (begun and not template.text[0][:4].isalpha()):
                continue
            values = template.values(text)
            if values is None:
                continue
            said_values, known, left = self._values(template, values, templates)
            if not known and (letters < _FEW_LETTERS if strict else not letters):
                continue
            if best is None or left < best.left:
                best = Said(self._say(template.source).format(**said_values), left)
            if not strict or not left:
                break
        return best

    def _values(
        self, template: Template, values: Sequence[str], templates: _Templates
    ) -> tuple[dict[str, str], bool, int]:
        """Return values for the translation, whether all are known that are words, what is left."""
        said_values, all_known, left = {}, True, 0
        given = list(values)
        for gap, name in enumerate(template.names):
            value = given[gap]
            if not template.quotes(gap) and gap + 1 < len(given) and not template.text[gap + 1]:
                value += given[gap + 1]
                known = self._value(value, templates) is not None
                end = len(value) if known else _length_of_first(value)
                value, given[gap + 1] = value[:end], value[end:]
            said_values[name] = value
            if template.quotes(gap):
                if "'" in value:  # the quote ended before
                    left += _letters(value)
                continue
            if _QUOTED.fullmatch(value):
                continue
            said_values[name] = self._written(value, templates, name)
            if _WORDLESS.fullmatch(value):
                continue
            found = self._value(value, templates)
            all_known = all_known and (found is not None or name in _LISTS)
            if found is not None:
                said_values[name] = found.text
            left += _letters(value) if found is None else found.left
        return said_values, all_known, left

    def _found(self, text: str, templates: _Templates) -> Said:
        """Return a translation, or the text as it is."""
        found = self._look_up(text, templates)
        return Said(self._written(text, templates), _letters(text)) if found is None else found

    def _written(self, value: str, templates: _Templates, name: str = "") -> str:
        """Return a value of no translation, with its number as the language writes it.

        That is a number which is the whole value of a gap, or a percentage in the label of a step.
        """
        if name and _NUMBER.fullmatch(value):
            return self._write(value)
        if name.rstrip("0123456789") in _DECIMALS and _DECIMAL.fullmatch(value):
            return self._write(value)
        if templates is self._steps:
            return _PERCENTAGE.sub(lambda found: self._write(found[0]), value)
        return value

    def _value(self, value: str, templates: _Templates) -> Said | None:
        found = self._look_up(value, templates)
        if found is None and templates is self._steps:
            found = self._look_up(value, self._sentences)
        # "it is not JSON", of which a sentence has made "'FILE' is not JSON".
        if found is None and value[:1].isalpha() and not value.startswith("it "):
            return self._look_up(f"it {value}", self._sentences)
        return found


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _length_of_first(values: str) -> int:
    found = _FIRST_OF_TWO.match(values)
    return 0 if found is None else found.end()


class _Templates:
    """Templates, those with the longest text of their own first."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.sources = tuple(dict.fromkeys(sources))
        templates = list(map(Template.of, self.sources))
        self.whole = {t.text[0]: t.source for t in templates if not t.names}
        with_gaps = [t for t in templates if t.names]
        with_gaps.sort(key=lambda t: (-sum(map(len, t.text)), len(t.names)))
        self.ordered = [(t, max(t.text, key=len), t.letters) for t in with_gaps]
