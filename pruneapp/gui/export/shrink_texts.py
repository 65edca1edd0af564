"""Sentences of the page "Shrunk" on what a cut costs and how it is checked."""

from __future__ import annotations

from pruneapp.export.report import CHANGES
from pruneapp.gui.widgets import number_format
from pruneapp.gui.widgets.labels import translate
from pruneapp.shrink.forecast import ShrinkForecast

# largest share of an axis that published work cuts, followed by training (docs/shrink.md)
PUBLISHED_SHARE = 1 / 3


def is_grave(forecast: ShrinkForecast) -> bool:
    """Return whether more than `PUBLISHED_SHARE` of an axis is cut, with an effect."""
    return forecast.exactness == CHANGES and forecast.largest_share > PUBLISHED_SHARE


def loss_text(forecast: ShrinkForecast, *, is_evaluated: bool) -> str:
    """Return what to expect of a cut that changes the outputs, and what to do.

    "" for a cut that removes nothing with an effect, once it is evaluated or if it does not round.
    """
    if forecast.exactness != CHANGES:
        if is_evaluated or not forecast.rounds:
            return ""
        return translate("Shrink", "Evaluate the shrunk model to see how much quality is lost.")
    if is_evaluated:
        return translate(
            "Shrink", "Training the exported model usually recovers a part of the loss."
        )
    if is_grave(forecast):
        return translate(
            "Shrink",
            "▲ More than a third is removed: expect a large loss until the exported model is "
            "trained. Evaluate it, and remove less if you cannot train.",
        )
    return translate(
        "Shrink",
        "Evaluate the shrunk model to see how much quality is lost. Training the exported model "
        "usually recovers a part of the loss.",
    )


# share of the parameters from which embeddings are mentioned
_LARGE_SHARE = 0.2
# bytes per parameter of a model from which rounding to 16 bits is mentioned
_WIDE_BYTES = 3


def embeddings_text(forecast: ShrinkForecast) -> str:
    """Return a sentence with the share of the embeddings, and what reduces them.

    The share is that after the cut; "" if it is small.
    """
    size = forecast.after
    if size is None or size.embeddings < _LARGE_SHARE * size.parameters:
        return ""
    row = next((axis for axis in forecast.axes if axis.name == "vocabulary"), None)
    is_wide = size.nbytes > _WIDE_BYTES * size.parameters
    if row is not None and not row.why_not:
        text = translate(
            "Shrink",
            "Embeddings are {share} of the parameters: keep only the tokens of your texts "
            "(Vocabulary) to reduce them.",
        )
        if is_wide:
            text = translate(
                "Shrink",
                "Embeddings are {share} of the parameters: keep only the tokens of your texts "
                "(Vocabulary) to reduce them. The dtype bfloat16 halves the file.",
            )
    else:
        text = translate(
            "Shrink", "Embeddings are {share} of the parameters; this vocabulary cannot be reduced."
        )
        if is_wide:
            text = translate(
                "Shrink",
                "Embeddings are {share} of the parameters, and this vocabulary cannot be reduced. "
                "Choose the dtype bfloat16 to halve the file.",
            )
    return text.format(share=number_format.part(size.embeddings, size.parameters))


def check_text(check: str) -> str:
    """Return what a check does, and what it requires."""
    if check == "meta":
        return translate(
            "Shrink",
            "Starts Python and builds the model's class in transformers with these shapes, "
            "without weights.",
        )
    if check == "run":
        return translate(
            "Shrink",
            "Starts Python, temporarily writes the pruned model next to the folder, and "
            "compares the outputs of both in float32. Also reports the difference from the "
            "model before pruning. Needs memory and disk space for both.",
        )
    return translate(
        "Shrink", "The written files are always read back and compared with the pruned model."
    )
