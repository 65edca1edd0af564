"""Translation of texts and sentences of the engine.

The engine uses English for the command line, files, declarations and error sentences. The window
shows them through these functions; packaging/translations.py collects the texts for translators.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

from pruneapp.errors import PruneAppError
from pruneapp.gui.widgets.labels import joined, translate
from pruneapp.params import Choice, ChoiceParam, Param, SizeParam, SubsetParam, with_labels

if TYPE_CHECKING:  # deferred: they import numpy, and the first paint shows texts
    from pruneapp.gui.widgets.sentence_templates import SentenceTemplates
    from pruneapp.results.document_rows import HistoryItem
    from pruneapp.results.export import FormatOffer

CONTEXT = "Declarations"  # as in packaging/translations.py
SENTENCES = "Sentences"  # as in packaging/translations.py
LANGUAGE_OF = "en"  # translators translate this to the name of their language
TIMES = " × "
P = TypeVar("P", bound=Param)


def said(text: str) -> str:
    """Return the translation of a declared text; "" for ""."""
    return translate(CONTEXT, text) if text else ""


def said_product(text: str) -> str:
    """Return the translation of a product of axes, such as "output channel × kernel row"."""
    return TIMES.join(map(said, text.split(TIMES)))


def said_param(param: P) -> P:
    """Return a parameter with translated label, help and choices."""
    words = said(param.label), said(param.help)
    # In English the declared parameter is returned unchanged.
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
    """Return an export format with translated texts."""
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
    """Return the translation of sentences, or of a part of one; unknown ones are not changed."""
    templates = _templates()
    return text if templates is None or not text else templates.sentence(text)


def said_step(text: str) -> str:
    """Return the translation of the label of a history step, or of lines of its details."""
    templates = _templates()
    return text if templates is None or not text else templates.step(text)


def said_title(item: HistoryItem) -> str:
    """Return the title of a state in lists: its name, or else the translated step."""
    return item.name or said_step(item.label)


def said_number(state: int, item: HistoryItem) -> str:
    """Return the title of a state, preceded by its number."""
    from pruneapp.results.document_rows import numbered

    return numbered(state, replace(item, name=said_title(item)))


def said_error(error: PruneAppError, params: Iterable[Param] = ()) -> str:
    """Return the translated text of an error, with parameter names replaced by labels."""
    if _templates() is None:
        return with_labels(str(error), params)
    said_both = joined(said_sentence(error.sentence), said_sentence(error.remedy))
    return with_said_labels(said_both, params)


def with_said_labels(sentence: str, params: Iterable[Param]) -> str:
    """Return a translated sentence with the names of `params` replaced by their labels."""
    if _templates() is None:
        return with_labels(sentence, params)
    for param in params:
        sentence = sentence.replace(f"'{param.name}'", said(param.label))
    return sentence


def _templates() -> SentenceTemplates | None:
    """Return the templates of engine sentences in the language of the window; None for English."""
    language = translate(SENTENCES, LANGUAGE_OF)
    # Pseudo-translations, which lengthen texts for tests, are not an identifier.
    if language == LANGUAGE_OF or not language.isidentifier():
        return None
    return _templates_in(language)


@cache
def _templates_in(_language: str) -> SentenceTemplates:
    # Loaded on first use, and never for English.
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
