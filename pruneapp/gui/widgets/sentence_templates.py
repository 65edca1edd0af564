"""Translate finished English sentences of the engine by matching them with its templates.

The engine uses English and formats its sentences itself. A sentence is matched with the templates
that packaging/translations.py has collected from the engine. The best match determines the
translation; the texts in its gaps are its values. Numbers among them are formatted for the locale.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import NamedTuple

from pruneapp.gui.widgets.labels import join_sentences

# A template with fewer letters may match anything: its values must be known, too.
_FEW_LETTERS = 7
_LONGEST = 4000  # longer texts are not looked up
_KNOWN = 50_000  # maximum number of cached results; a history may have 10,000 states
# Limits of recursion for values of values and parts of a label, as a name of the user may look like
# any of them.
_DEEPEST, _MOST_PARTS = 8, 100
# Patterns of the values of gaps with these names.
_NUMBERS = {"n": r"(\d[\d,.]*)", "percent": r"([<>]?\d[\d,.]* ?%)"}
_WORDLESS = re.compile(r"[\W\d_]*")
# Quoted names, and lists of them, are not translated.
_QUOTED = re.compile(r"'[^']*'(?:, '[^']*')*")
# Names of gaps that contain lists of names, or words of code.
_LISTS = frozenset({"join", "words"})
# End of the first of two adjacent values: "12, which fits all tensors".
_FIRST_OF_TWO = re.compile(r"[^,(:]*")
# A number in the engine's format that has a group separator, a percent sign or a unit. Other
# numbers with a point may be versions, except in gaps of the names below.
_GROUPED = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?"
_UNIT = r"\s?(?:%|(?:[kMGTPE]i?)?B|bytes)"
_NUMBER = re.compile(rf"[<>]?\s?-?(?:{_GROUPED}(?:{_UNIT})?|\d+\.\d+{_UNIT})")
_DECIMAL = re.compile(r"-?\d+\.\d+(?:e[+-]\d+)?")
_DECIMALS = frozenset(
    {
        *("after", "amount", "before", "damping", "end", "got", "iterations", "limit", "low"),
        *("high", "start"),
        *("largest", "largest_difference", "largest_output", "median", "most", "most_in_median"),
        *("rate", "share", "tree", "value", "worst"),
    }
)
# Percentages in the label of a step, which may have untranslatable words: "L1 12.5 %".
_PERCENTAGE = re.compile(r"(?<![^\s(])\d+\.\d+(?=\s?%(?![^\s,;:)]))")
_OUTER_SPACE = re.compile(r"(\s*)(.*?)(\s*)", re.DOTALL)
_END = re.compile(r"[.!?] ")


@dataclass(frozen=True)
class Template:
    """The text of a sentence, with gaps."""

    source: str
    text: tuple[str, ...]  # before, between and after the gaps
    names: tuple[str, ...]  # names of the gaps
    numbers: re.Pattern[str] | None = None  # regular expression for the values, if some are numbers

    @classmethod
    def of(cls, source: str) -> Template:
        """Parse a format string as `str.format` does; raises ValueError for an invalid one."""
        text, names = [""], []
        for literal, name, _, _ in Formatter().parse(source):
            text[-1] += literal  # escaped braces are separate parts
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
        """The number of letters outside the gaps."""
        return _letters("".join(self.text))

    def quotes(self, gap: int) -> bool:
        """Return whether a gap is quoted: its value is a name or path and is not translated."""
        return self.text[gap].endswith(("'", "`")) and self.text[gap + 1].startswith(("'", "`"))

    def values(self, text: str) -> tuple[str, ...] | None:
        """Return the shortest values of the gaps for which the template yields `text`, in order.

        The result is None if there are none. A gap for a number, see `_NUMBERS`, has no other
        value.
        """
        if self.numbers is not None:
            found = self.numbers.fullmatch(text)
            return None if found is None else found.groups()
        # Without a regular expression, which is slow to find that several gaps do not match.
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


class Translation(NamedTuple):
    """A translation, and the number of its letters that are known to be left in English."""

    text: str
    left: int


class SentenceTemplates:
    """Translates sentences of the engine.

    Parameters
    ----------
    sentences
        Templates of sentences.
    steps
        Templates of labels of history steps, which consist of short parts with names between them.
    say
        Returns the translation of a template; its argument if there is none.
    declared
        Returns the translation of a declared label; its argument if there is none.
    write
        Formats a number such as "1,234.5" for the locale.
    """

    def __init__(
        self,
        sentences: Iterable[str],
        steps: Iterable[str] = (),
        say: Callable[[str], str] = str,
        declared: Callable[[str], str] = str,
        write: Callable[[str], str] = str,
    ) -> None:
        self._translate, self._declared, self._format_number = say, declared, write
        # Templates without letters that start with a gap only combine parts.
        self._steps = _Templates(
            s for s in steps if Template.of(s).letters or not s.startswith("{")
        )
        self._sentences = _Templates((*sentences, *self._steps.sources))
        self._known: dict[tuple[str, bool], Translation | None] = {}
        self._depth = [0, 0]  # current recursion depth, of sentences and of labels

    def sentence(self, text: str) -> str:
        """Return the translation of sentences, or of a part of one; unknown texts are unchanged."""
        return self._translate_lines(text, self._sentences)

    def step(self, text: str) -> str:
        """Return the translation of the label of a state, or of a line of its details."""
        return self._translate_lines(text, self._steps)

    def _translate_lines(self, text: str, templates: _Templates) -> str:
        return "\n".join(self._translate_line(line, templates) for line in text.split("\n"))

    def _translate_line(self, line: str, templates: _Templates) -> str:
        found = self._look_up(line, templates)
        return self._format_numbers(line, templates) if found is None else found.text

    def _look_up(self, text: str, templates: _Templates) -> Translation | None:
        """Return the translation of a text by `templates`; None if no part of the text is known.

        Spaces around it are kept. Results are cached. None as well for a text without words or with
        more than `_LONGEST` characters, and below the maximum depth of recursion.
        """
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
                found = self._translate_step(inner) if lenient else self._translate_sentences(inner)
                self._depth[lenient] -= 1
            if found is not None:
                found = Translation(f"{before}{found.text}{behind}", found.left)
            self._known[key] = found
        return self._known[key]

    def _translate_sentences(self, text: str) -> Translation | None:
        """Return the translation that leaves the fewest letters in English; None if there is none.

        It is made by a single template, or by one for the first sentence and recursively for the
        rest.
        """
        whole = self._fill_best_template(text, self._sentences)
        if whole is not None and not whole.left:
            return whole
        # Several sentences are translated one by one, unless a single template leaves fewer
        # letters.
        for end in _END.finditer(text):
            first = self._fill_best_template(text[: end.start() + 1], self._sentences)
            if first is not None:
                rest = self._translate_or_format(text[end.end() :], self._sentences)
                if whole is None or first.left + rest.left < whole.left:
                    return Translation(
                        join_sentences(first.text, rest.text), first.left + rest.left
                    )
        return whole

    def _translate_step(self, text: str) -> Translation | None:
        """Return the translation of the label of a step; None if no part of it is known.

        A label is tried as a whole, in two parts at the first "; " or ", ", as "label: value", and
        with templates that start with a name, in this order.
        """
        if (
            whole := self._fill_best_template(text, self._steps, starts_with_word=True)
        ) is not None:
            return whole
        for mark, name in (("; ", "{step}; {step2}"), (", ", "{step}, {step2}")):
            head, parted, tail = text.partition(mark)
            both = (head, tail) if parted else ()
            if any(self._look_up(part, self._steps) is not None for part in both):
                first, second = (self._translate_or_format(part, self._steps) for part in both)
                translated = self._translate(name).format(step=first.text, step2=second.text)
                return Translation(translated, first.left + second.left)
        head, parted, tail = text.partition(": ")
        label = self._declared(head)
        if parted and label != head:
            value = self._translate_or_format(tail, self._steps)
            translated = self._translate("{label}: {value}").format(label=label, value=value.text)
            return Translation(translated, value.left)
        return self._fill_best_template(text, self._steps)

    def _fill_best_template(
        self, text: str, templates: _Templates, *, starts_with_word: bool = False
    ) -> Translation | None:
        """Return the translation by the template that fits best; None if none does.

        The best one leaves the fewest letters untranslated; among equal ones, it is the longest. In
        labels of steps, which contain arbitrary names, the longest match is used. A template with
        few letters matches only if its values are known. With `starts_with_word`, only templates
        that start with a word are used.
        """
        if (source := templates.whole.get(text)) and (
            translated := self._translate(source)
        ) != source:
            return Translation(translated.format(), 0)
        if (declared := self._declared(text)) != text:
            return Translation(declared, 0)
        best, strict = None, templates is self._sentences
        for template, longest, letters in templates.ordered:
            if longest not in text or (starts_with_word and not template.text[0][:4].isalpha()):
                continue
            values = template.values(text)
            if values is None:
                continue
            translated_values, known, left = self._translate_values(template, values, templates)
            if not known and (letters < _FEW_LETTERS if strict else not letters):
                continue
            if best is None or left < best.left:
                best = Translation(
                    self._translate(template.source).format(**translated_values), left
                )
            if not strict or not left:
                break
        return best

    def _translate_values(
        self, template: Template, values: Sequence[str], templates: _Templates
    ) -> tuple[dict[str, str], bool, int]:
        """Translate the values of a template, given in the order of its gaps.

        Quoted values, which are names, are not translated. Two adjacent gaps share their text: the
        first one gets all of it if that is known, or else its beginning.

        Returns
        -------
        tuple
            The values by gap name, whether all values with words are known, and the number of
            letters left in English.
        """
        translated_values, all_known, left = {}, True, 0
        given = list(values)
        for gap, name in enumerate(template.names):
            value = given[gap]
            if not template.quotes(gap) and gap + 1 < len(given) and not template.text[gap + 1]:
                value += given[gap + 1]
                known = self._translate_value(value, templates) is not None
                end = len(value) if known else _length_of_first(value)
                value, given[gap + 1] = value[:end], value[end:]
            translated_values[name] = value
            if template.quotes(gap):
                if "'" in value:  # the quoted text ended earlier
                    left += _letters(value)
                continue
            if _QUOTED.fullmatch(value):
                continue
            translated_values[name] = self._format_numbers(value, templates, name)
            if _WORDLESS.fullmatch(value):
                continue
            found = self._translate_value(value, templates)
            all_known = all_known and (found is not None or name in _LISTS)
            if found is not None:
                translated_values[name] = found.text
            left += _letters(value) if found is None else found.left
        return translated_values, all_known, left

    def _translate_or_format(self, text: str, templates: _Templates) -> Translation:
        """Return a translation, or else the text with its numbers formatted."""
        found = self._look_up(text, templates)
        return (
            Translation(self._format_numbers(text, templates), _letters(text))
            if found is None
            else found
        )

    def _format_numbers(self, value: str, templates: _Templates, name: str = "") -> str:
        """Return an untranslated value with its number formatted for the locale.

        Only a number that is the whole value of a gap is formatted, or a percentage in the label of
        a step.
        """
        if name and _NUMBER.fullmatch(value):
            return self._format_number(value)
        if name.rstrip("0123456789") in _DECIMALS and _DECIMAL.fullmatch(value):
            return self._format_number(value)
        if templates is self._steps:
            return _PERCENTAGE.sub(lambda found: self._format_number(found[0]), value)
        return value

    def _translate_value(self, value: str, templates: _Templates) -> Translation | None:
        """Return the translation of a value; None if it is unknown.

        A value of a step may also be a sentence, and one without its subject "it" is found with it.
        """
        found = self._look_up(value, templates)
        if found is None and templates is self._steps:
            found = self._look_up(value, self._sentences)
        # "it is not JSON", from which a sentence has made "'FILE' is not JSON".
        if found is None and value[:1].isalpha() and not value.startswith("it "):
            return self._look_up(f"it {value}", self._sentences)
        return found


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _length_of_first(values: str) -> int:
    found = _FIRST_OF_TWO.match(values)
    return 0 if found is None else found.end()


class _Templates:
    """Templates, those with the longest text outside their gaps first."""

    def __init__(self, sources: Iterable[str]) -> None:
        self.sources = tuple(dict.fromkeys(sources))
        templates = list(map(Template.of, self.sources))
        self.whole = {t.text[0]: t.source for t in templates if not t.names}
        with_gaps = [t for t in templates if t.names]
        with_gaps.sort(key=lambda t: (-sum(map(len, t.text)), len(t.names)))
        self.ordered = [(t, max(t.text, key=len), t.letters) for t in with_gaps]
