"""Fixtures that shrink the constants of kernels, so that small tensors take all paths."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.kernels import cpu, mask_packing, sort_keys, threshold


@pytest.fixture
def small(monkeypatch):
    """Make a few thousand elements take the paths of millions."""
    monkeypatch.setattr(cpu, "FEW", 0)
    monkeypatch.setattr(cpu, "WORTH_A_SAMPLE", 2000)
    monkeypatch.setattr(cpu, "PLACES", 64)
    monkeypatch.setattr(cpu, "NEIGHBOURS", 32)
    monkeypatch.setattr(sort_keys, "PIECE", 1024)
    monkeypatch.setattr(threshold, "_FEW_BINS", 256)
    monkeypatch.setattr(threshold, "_COARSE_BINS", 16)
    monkeypatch.setattr(threshold, "_MOST_APART", 700)
    monkeypatch.setattr(threshold.Bracket.of.__func__, "__defaults__", (64,))


@pytest.fixture
def room(monkeypatch, request):
    """Limit the bytes held near the threshold; for a list, without the kernel expecting it."""
    foreseen = not isinstance(request.param, list)
    for module in (threshold, cpu, threshold) if foreseen else (threshold,):
        monkeypatch.setattr(module, "MOST_HELD", int(np.ravel(request.param)[0]))
    monkeypatch.setattr(mask_packing, "_SLACK", 0)
    if not foreseen:
        monkeypatch.setattr(mask_packing, "_ROOM", 0.3)
    monkeypatch.setattr(mask_packing, "_SAMPLE", 50)


@pytest.fixture
def brackets(monkeypatch):
    """Return the list of brackets that are counted, in order."""
    seen = []
    inside = threshold.search

    def seeing(width, count, bracket, pass_over):
        def counted(bracket):
            seen.append(bracket)
            return pass_over(bracket)

        return inside(width, count, bracket, counted)

    monkeypatch.setattr(cpu, "search", seeing)
    return seen
