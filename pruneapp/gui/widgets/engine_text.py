"""Translation of texts and sentences of the engine.

The engine uses English for the command line, files, declarations and error sentences. The window
shows them through these functions; packaging/translations.py collects the texts for translators.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

from pruneapp.errors import PruneAppError
from pruneapp.gui.widgets.labels import join_sentences, translate
from pruneapp.params import (
    Choice,
    ChoiceParam,
    OptionalParam,
    Param,
    SizeParam,
    SubsetParam,
    with_labels,
)

if TYPE_CHECKING:  # deferred: they import numpy, and the first paint shows texts
    from pruneapp.document.document import HistoryItem
    from pruneapp.export.format_sizes import FormatOffer
    from pruneapp.gui.widgets.sentence_templates import SentenceTemplates

CONTEXT = "Declarations"  # as in packaging/translations.py
SENTENCES = "Sentences"  # as in packaging/translations.py
LANGUAGE_OF = "en"  # translators translate this to the name of their language
TIMES = " × "
_METHOD = re.compile(r"'([a-z]+(?:_[a-z0-9]+)+)'")  # a quoted identifier with an underscore
P = TypeVar("P", bound=Param)


def translate_declared(text: str) -> str:
    return translate(CONTEXT, text) if text else ""


def translate_product(text: str) -> str:
    """Return the translation of a product of axes, such as "output channel × kernel row"."""
    return TIMES.join(map(translate_declared, text.split(TIMES)))


def translate_param(param: P) -> P:
    """Return a parameter with translated label, help and choices; the same object in English."""
    words = translate_declared(param.label), translate_declared(param.help)
    # In English the declared parameter is returned unchanged.
    if words != (param.label, param.help):
        param = replace(param, label=words[0], help=words[1])
    if isinstance(param, ChoiceParam | SubsetParam):
        choices = tuple(map(_translate_choice, param.choices))
        if choices != param.choices:
            param = replace(param, choices=choices)
    if (
        isinstance(param, OptionalParam | SizeParam)
        and (nothing := translate_declared(param.nothing)) != param.nothing
    ):
        param = replace(param, nothing=nothing)
    return param


def translate_offer(offer: FormatOffer) -> FormatOffer:
    """Return an export format with translated texts."""
    return replace(
        offer,
        label=translate_declared(offer.label),
        help=translate_declared(offer.help),
        does_not=tuple(map(translate_sentence, map(translate_declared, offer.does_not))),
        warnings=tuple(map(translate_sentence, offer.warnings)),
        why_not=translate_sentence(offer.why_not),
        wrong=translate_sentence(offer.wrong),
        outside=translate_sentence(offer.outside),
        state_dict_only=translate_sentence(offer.state_dict_only),
        params=tuple(map(translate_param, offer.params)),
        recommended={
            purpose: translate_declared(reason) for purpose, reason in offer.recommended.items()
        },
    )


def translate_sentence(text: str) -> str:
    """Return the translation of sentences, or of a part of one; unknown ones are not changed.

    The identifiers of methods in it, as of the command line, are replaced by their labels.
    """
    templates = _templates()
    translated = text if templates is None or not text else templates.sentence(text)
    return _METHOD.sub(_quote_label, translated)


def _quote_label(found: re.Match[str]) -> str:
    """Return the label of a quoted method; other quoted text is not changed."""
    from pruneapp.methods import registry

    method = registry.METHODS.get(found[1])
    return found[0] if method is None else f"'{translate_declared(method.label)}'"


def translate_step(text: str) -> str:
    """Return the translation of the label of a history step, or of lines of its details."""
    templates = _templates()
    return text if templates is None or not text else templates.step(text)


def state_title(item: HistoryItem) -> str:
    """Return the title of a state in lists: its name, or else the translated step."""
    return item.name or translate_step(item.label)


def numbered_title(state: int, item: HistoryItem) -> str:
    from pruneapp.document.document import numbered_title

    return numbered_title(state, replace(item, name=state_title(item)))


def translate_error(error: PruneAppError, params: Iterable[Param] = ()) -> str:
    """Return the translated text of an error: sentence and remedy.

    The names of `params` in it are replaced by their labels.
    """
    translated = join_sentences(
        translate_sentence(error.sentence), translate_sentence(error.remedy)
    )
    return with_translated_labels(translated, params)


def with_translated_labels(sentence: str, params: Iterable[Param]) -> str:
    """Return a translated sentence with the names of `params` replaced by their labels."""
    if _templates() is None:
        return with_labels(sentence, params)
    for param in params:
        sentence = sentence.replace(f"'{param.name}'", translate_declared(param.label))
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
    """Load the templates of engine sentences; cached by language."""
    # Loaded on first use, and never for English.
    import json

    from pruneapp import resources
    from pruneapp.gui.widgets.number_format import localize_number
    from pruneapp.gui.widgets.sentence_templates import SentenceTemplates

    text = resources.path("translations/sentences.json").read_text(encoding="utf-8")
    gathered = json.loads(text)
    say = partial(translate, SENTENCES)
    return SentenceTemplates(
        gathered["sentences"], gathered["steps"], say, translate_declared, localize_number
    )


def _translate_choice(choice: Choice) -> Choice:
    return replace(
        choice, label=translate_declared(choice.label), help=translate_declared(choice.help)
    )
