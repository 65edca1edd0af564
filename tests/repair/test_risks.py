"""Warnings after a repair, and the text on its errors."""

from __future__ import annotations

from pruneapp.repair.repair import LayerRepair, repair_detail, risks_of


def layer(name="a", before=0.2, rounded=0.1, left=30):
    return LayerRepair(name, 5, left, before, rounded, rounded, numel=100)


def test_an_ordinary_repair_has_no_risks():
    assert risks_of([layer("a", left=10), layer("b", left=30)]) == ()
    assert risks_of([layer(left=5)]) == ()  # a fraction of one layer is not uniform
    assert risks_of([layer("a", left=50), layer("b", left=50)]) == ()
    assert risks_of([]) == ()


def test_layers_that_got_worse_are_named():
    (risk,) = risks_of([layer("a"), layer("b", 0.1, 0.2, left=60)])
    assert risk == "1 layer has a larger error after the repair than before: 'b'."
    (risk,) = risks_of([layer("a", 0.1, 0.3), layer("b", 0.1, 0.2, left=60)])
    assert risk.startswith("2 layers have larger errors after the repair than before: 'a'")


def test_uniform_high_sparsity_is_warned_of():
    (risk,) = risks_of([layer("a", left=30), layer("b", left=28)])
    assert risk.startswith("All 2 layers have nearly the same high sparsity (70 % to 72 %).")
    (risk,) = risks_of([layer("a", left=20), layer("b", left=20)])
    assert "(80 %)" in risk


def test_random_tokens_are_no_data():
    (risk,) = risks_of([layer()], "random tokens")
    assert "random token IDs" in risk
    assert risks_of([layer()], "text") == ()


def test_the_detail_names_the_five_layers_with_the_largest_errors():
    """Regression: 20 layers filled the tooltip of the state."""
    layers = [layer(f"l{at}", rounded=at / 100) for at in range(8)]
    head, first, *_, fifth, rest = repair_detail(layers).splitlines()
    assert head == "40 weights changed"
    assert first == "l7: error of the outputs 20.000 % before, 7.000 % after"
    assert fifth.startswith("l3: ")
    assert rest == "and 3 more"
    assert "more" not in repair_detail(layers[:5])
