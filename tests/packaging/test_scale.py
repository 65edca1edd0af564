"""The page on cluster costs: its tables are those of the model, checked by a simulation."""

from __future__ import annotations

import sys

import pytest

from tests.conftest import ROOT
from tests.packaging.test_structure import script


@pytest.fixture
def scale(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "packaging"))
    yield script("scale")
    del sys.modules["scale"], sys.modules["reference"]


def test_the_tables_are_up_to_date(scale, monkeypatch):
    # Simulates 600 large runs, which takes as long as a hundred other tests.
    monkeypatch.delitem(scale.TABLES, "differences")
    assert scale.page() == scale.PAGE.read_text(encoding="utf-8")


def test_the_play_takes_as_long_as_the_formula_says_or_waits_for_a_slow_worker(scale):
    for storage in scale.STORAGES:
        for workers in (1, 16):
            model = scale.MODELS[1]
            said = scale.expected(model, workers, storage, scale.RATES, counted=True).seconds
            played = scale.simulated(model, workers, storage, scale.RATES, counted=True)
            assert 0.7 < played / said < 2.3
