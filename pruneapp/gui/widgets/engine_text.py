"""What the engine says and declares, in the person's language.

The engine speaks English: to the command line, to files, in declarations and in its sentences. The
window shows that through these functions; packaging/translations.py collects the texts for
translators.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

from pruneapp.errors import PruneAppError
from pruneapp.gui.widgets.labels import joined, translate
from pruneapp.params import Choice, ChoiceParam, Param, SizeParam, SubsetParam, with_labels

if TYPE_CHECKING:  # they import numpy, and the first picture has texts
    from pruneapp.gui.widgets.sentence_templates import SentenceTemplates
    from pruneapp.results.document_rows import HistoryItem
    from pruneapp.results.export import FormatOffer

CONTEXT = "Declarations"  # as packaging/translations.py writes it
SENTENCES = "Sentences"  # as well
LANGUAGE_OF = "en"  # what translators translate by the name of their language
TIMES = " × "
P = TypeVar("P", bound=Param)


def said(text: str) -> str:
    """Return a text of a declaration in the person's language."""
    return translate(CONTEXT, text) if text else ""


def said_product(text: str) -> str:
    """Return the words of an axis, such as "output channel × kernel row"."""
    return TIMES.join(map(said, text.split(TIMES)))


def said_param(param: P) -> P:
    """Return a parameter whose label, help and choices are in the person's language."""
    words = said(param.label), said(param.help)
    # Whoever reads English gets the very parameter that was declared.
    if words != (param.label, param.help):
        param = replace(param, label=words[0], help=words[1])
    if isinstance(param, ChoiceParam | SubsetParam):
        choices = tuple(map(_said_choice, param.choices))
        if choices != param.choices:
            param = replace(param, choices=choices)
    if isinstance(param, SizeParam) and (nothing := said(param.nothing)) != param.nothing:
        param = replace(param, nothing=nothing)
    return param


def said_offer(offer: FormatOffer) -> FormatOffer:
    """Return a format that is offered with its declared words in the person's language."""
    return replace(
        offer,
        label=said(offer.label),
        help=said(offer.help),
        does_not=tuple(map(said_sentence, map(said, offer.does_not))),
        why_not=said_sentence(offer.why_not),
        wrong=said_sentence(offer.wrong),
        params=tuple(map(said_param, offer.params)),
        recommended={purpose: said(reason) for purpose, reason in offer.recommended.items()},
    )


def said_sentence(text: str) -> str:
    """Return sentences that the engine has made, or a part of one; as they are if not known."""
    templates = _templates()
    return text if templates is None or not text else templates.sentence(text)


def said_step(text: str) -> str:
    """Return the label of a step in the history, or lines of its details."""
    templates = _templates()
    return text if templates is None or not text else templates.step(text)


def said_title(item: HistoryItem) -> str:
    """Return what lists call a state: the name that a person gave it, or what was done."""
    return item.name or said_step(item.label)


def said_number(state: int, item: HistoryItem) -> str:
    """Return the same with the number of the state."""
    from pruneapp.results.document_rows import numbered

    return numbered(state, replace(item, name=said_title(item)))


def said_error(error: PruneAppError, params: Iterable[Param] = ()) -> str:
    """Return what an error says, with the labels of `params` in the place of their names."""
    if _templates() is None:
        return with_labels(str(error), params)
    said_both = joined(said_sentence(error.sentence), said_sentence(error.remedy))
    return with_said_labels(said_both, params)


def with_said_labels(sentence: str, params: Iterable[Param]) -> str:
    """Return a sentence of `said_error` with the labels of `params` in the place of their names."""
    if _templates() is None:
        return with_labels(sentence, params)
    for param in params:  # elsewhere than in English, too
        sentence = sentence.replace(f"'{param.name}'", said(param.label))
    return sentence


def _templates() -> SentenceTemplates | None:
    """Return what knows the sentences of the engine; None where they are shown as they are."""
    language = translate(SENTENCES, LANGUAGE_OF)
    # What only makes words longer, for tests, is no language.
    if language == LANGUAGE_OF or not language.isidentifier():
        return None
    return _templates_in(language)


@cache
def _templates_in(_language: str) -> SentenceTemplates:
    # Not for those who read English, and not before the first sentence.
    import json

    from pruneapp import resources
    from pruneapp.gui.widgets.number_format import localized
    from pruneapp.gui.widgets.sentence_templates import SentenceTemplates

    text = resources.path("translations/sentences.json").read_text(encoding="utf-8")
    gathered = json.loads(text)
    say = partial(translate, SENTENCES)
    return SentenceTemplates(gathered["sentences"], gathered["steps"], say, said, localized)


def _said_choice(choice: Choice) -> Choice:
    return replace(choice, label=said(choice.label), help=said(choice.help))
