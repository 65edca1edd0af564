"""Texts that dialogs and pages share."""

from pruneapp.evaluation.runner import Conditions, Samples
from pruneapp.gui.widgets.reports import conditions_in_words
from tests.gui.user import plain


def test_the_samples_of_an_evaluation_replace_its_limit():
    windows = Samples("windows", 100, 504, 12_800)
    conditions = Conditions("builtin_perplexity.py", 100, 0, "pages.txt", samples=windows)
    assert plain(conditions_in_words(conditions)) == (
        "builtin_perplexity.py, pages.txt, 100 of 504 windows, 12,800 tokens, seed 0"
    )
    images = Conditions("builtin_accuracy.py", None, 0, "photos", samples=Samples("images", 50, 80))
    assert plain(conditions_in_words(images)) == (
        "builtin_accuracy.py, photos, 50 of 80 images, seed 0"
    )
