"""Labels of different scans are distinct, with as few words as possible."""

from __future__ import annotations

from pruneapp.gui.sensitivity.scan_controller import disambiguate


def test_labels_have_the_details_that_tell_them_apart():
    labels = ["Opened; L1", "Opened; L1", "Opened; L1", "1: L1", "1: L1", "2"]
    details = [
        ("", "30%"),
        ("another script", "30%"),
        ("another script", "50%"),
        ("", "50%"),
        ("", "50%"),
        ("another script", "50%"),
    ]
    assert disambiguate(labels, details) == [
        "Opened; L1",
        "Opened; L1, another script, 30%",
        "Opened; L1, another script, 50%",
        "1: L1",
        "1: L1 (2)",
        "2",
    ]
    assert disambiguate([], []) == []
