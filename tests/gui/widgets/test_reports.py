"""Texts that dialogs and pages share."""

from dataclasses import replace

import pytest

from pruneapp.evaluation.metric import MetricChange, StateQuality
from pruneapp.evaluation.runner import Conditions, Samples
from pruneapp.gui.widgets.reports import (
    comparison_in_words,
    conditions_in_words,
    is_harmful,
    metric_in_words,
    quality_in_words,
    result_in_words,
)
from tests.gui.user import plain


def test_the_samples_of_an_evaluation_replace_its_limit():
    windows = Samples("windows", 100, 504, 12_800)
    conditions = Conditions("builtin_perplexity.py", 100, 0, "pages.txt", samples=windows)
    assert plain(conditions_in_words(conditions)) == (
        "builtin_perplexity.py, pages.txt, 100 of 504 windows, 12,800 tokens, seed 0"
    )
    sentences = replace(conditions, samples=Samples("lines", 48, 128, 960))
    assert plain(conditions_in_words(sentences)) == (
        "builtin_perplexity.py, pages.txt, 48 of 128 sentences, 960 tokens, seed 0"
    )
    unknown = replace(conditions, samples=None)
    assert "pages.txt, at most 100 samples, seed 0" in plain(conditions_in_words(unknown))
    images = Conditions("builtin_accuracy.py", None, 0, "photos", samples=Samples("images", 50, 80))
    assert plain(conditions_in_words(images)) == (
        "builtin_accuracy.py, photos, 50 of 80 images, seed 0"
    )


def test_two_pruned_states_are_compared_with_the_noise_of_both():
    def cosine(value, half):
        return MetricChange("cosine", value, 1.0, half, "paired", higher=True)

    before = cosine(0.93, 0.003)
    for value, words in (
        (0.9345, "cosine 0.9300 → 0.9345: uncertain, the noise is at most ±0.005."),
        (0.936, "cosine 0.930 → 0.936: 0.006 better, more than the noise (±0.005)."),
    ):
        assert plain(comparison_in_words(before, cosine(value, 0.004))) == words
    unpruned = cosine(0.93, 0.0)
    assert plain(comparison_in_words(unpruned, cosine(0.9345, 0.005))) == (
        "cosine 0.9300 → 0.9345: no difference beyond the noise (±0.005)."
    )
    assert not is_harmful(before, cosine(0.9255, 0.004))
    assert is_harmful(before, cosine(0.924, 0.004))


@pytest.mark.parametrize(
    ("value", "higher", "words"),
    [
        (0.93, True, "cosine 0.95 → 0.93: 0.02 worse; the noise is unknown."),
        (0.96, True, "cosine 0.95 → 0.96: 0.01 better; the noise is unknown."),
        (0.96, None, "cosine 0.95 → 0.96; the noise is unknown."),
        (0.95, True, "cosine 0.95 → 0.95: no difference."),
    ],
)
def test_unknown_noise_is_not_stated_as_zero(value, higher, words):
    """Regression: a report contained "more than the noise (±0)"."""
    before, after = (
        MetricChange("cosine", number, 1.0, 0.0, "largest spread", higher=higher)
        for number in (0.95, value)
    )
    assert plain(comparison_in_words(before, after)) == words
    if value == 0.93:
        quality = quality_in_words(StateQuality((after,), 0.5))
        assert plain(quality).endswith("0.07 worse than the unpruned model (the noise is unknown)")


@pytest.mark.parametrize(
    ("unpruned", "words"),
    [(True, "score 1, unpruned model"), (False, "score 1, no difference from the unpruned model")],
)
def test_a_shrunk_model_without_a_difference_is_not_the_unpruned_model(unpruned, words):
    """Nothing is pruned in a shrunk model either."""
    metric = MetricChange("score", 1.0, 1.0, 0.0, "paired", higher=True)
    quality = StateQuality((metric,), 0.0, unpruned=unpruned)
    assert plain(metric_in_words(quality)) == words


@pytest.mark.parametrize(
    ("value", "higher", "short", "words"),
    [
        (0.93, True, "0.07 worse", "0.07 worse than the unpruned model (±0.0054, paired)"),
        (1.07, True, "0.07 better", "0.07 better than the unpruned model (±0.0054, paired)"),
        (0.93, None, "−0.07", "difference −0.07 (±0.0054, paired)"),
        (
            0.998,
            True,
            "difference within noise",
            "difference from the unpruned model within noise ±0.0054 (paired)",
        ),
    ],
)
def test_the_noise_is_stated_where_its_kind_is_named(value, higher, short, words):
    """A new user read "paired 95 % interval" without the interval."""
    metric = MetricChange("score", value, 1.0, 0.0054, "paired", higher=higher)
    quality = StateQuality((metric,), 0.5)
    assert plain(quality_in_words(quality)).endswith(f", {words}")
    brief, whole = map(plain, result_in_words("3: L1 20 %", quality))
    assert brief.endswith(f", {short} (3: L1 20 %)")
    assert whole == f"3: L1 20 %: {plain(quality_in_words(quality))}"


def test_a_worse_metric_is_named_if_the_chosen_one_is_within_its_noise():
    """Regression: only "accuracy 98.3 %, difference within noise" was shown for a bad loss."""
    accuracy = MetricChange("accuracy", 0.983, 0.985, 0.01, "paired", higher=True, share=True)
    loss = MetricChange("loss", 0.3149, 0.0266, 0.024, "paired", higher=False)
    brief, whole = map(
        plain, result_in_words("2: LAMP 70 %", StateQuality((accuracy, loss), 0.7), "accuracy")
    )
    assert brief == (
        "accuracy 98.3 %, difference within noise;  loss 0.3149, 0.2883 worse (2: LAMP 70 %)"
    )
    assert whole.endswith(";  loss 0.3149, 0.2883 worse than the unpruned model (±0.024, paired)")
    harmless = replace(loss, value=0.03), replace(loss, higher=None), replace(loss, half=0.0)
    for other in (*harmless, replace(loss, judged=False)):
        quality = StateQuality((accuracy, other), 0.7)
        assert "loss" not in "".join(result_in_words("2: LAMP 70 %", quality, "accuracy"))
    worse = replace(accuracy, value=0.9)
    quality = StateQuality((worse, loss), 0.7)
    assert "loss" not in "".join(result_in_words("2: LAMP 70 %", quality, "accuracy"))
