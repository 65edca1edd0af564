"""What the engine declares of methods, parameters and formats, in the person's language.

The engine speaks English: to the command line, to files, and in declarations. The window shows what
it declares through these functions; packaging/translations.py collects the texts for translators.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from pruneapp.gui.widgets.labels import translate
from pruneapp.params import Choice, ChoiceParam, Param, SizeParam, SubsetParam
from pruneapp.results.export import FormatOffer

CONTEXT = "Declarations"  # as packaging/translations.py writes it
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
        does_not=tuple(map(said, offer.does_not)),
        params=tuple(map(said_param, offer.params)),
        recommended={purpose: said(reason) for purpose, reason in offer.recommended.items()},
    )


def _said_choice(choice: Choice) -> Choice:
    return replace(choice, label=said(choice.label), help=said(choice.help))
