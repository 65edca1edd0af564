"""Ways to see what a kernel does without millions of elements."""

from __future__ import annotations

import numpy as np
import pytest

from pruneapp.kernels import candidates, cpu, one_pass, ranking, sampling, search


@pytest.fixture
def small(monkeypatch):
    """Let a few thousand elements go all the ways that else take millions."""
    monkeypatch.setattr(cpu, "FEW", 0)
    monkeypatch.setattr(cpu, "WORTH_A_SAMPLE", 2000)
    monkeypatch.setattr(sampling, "PLACES", 64)
    monkeypatch.setattr(sampling, "NEIGHBOURS", 32)
    monkeypatch.setattr(ranking, "PIECE", 1024)
    monkeypatch.setattr(search, "_FEW_BINS", 256)
    monkeypatch.setattr(search, "_COARSE_BINS", 16)
    monkeypatch.setattr(search, "_MOST_APART", 700)
    monkeypatch.setattr(search.Bracket.of.__func__, "__defaults__", (64,))


@pytest.fixture
def room(monkeypatch, request):
    """Let so many bytes of what is near the cut be held; a list: and think that there are more."""
    foreseen = not isinstance(request.param, list)
    for module in (candidates, cpu, search) if foreseen else (candidates,):
        monkeypatch.setattr(module, "MOST_HELD", int(np.ravel(request.param)[0]))
    monkeypatch.setattr(one_pass, "_SLACK", 0)
    if not foreseen:
        monkeypatch.setattr(one_pass, "_ROOM", 0.3)
    monkeypatch.setattr(one_pass, "_SAMPLE", 50)


@pytest.fixture
def brackets(monkeypatch):
    """The brackets that are counted, in order."""
    seen = []
    inside = search.search

    def seeing(width, count, bracket, pass_over):
        def counted(bracket):
            seen.append(bracket)
            return pass_over(bracket)

        return inside(width, count, bracket, counted)

    monkeypatch.setattr(cpu, "search", seeing)
    return seen
