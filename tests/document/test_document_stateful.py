"""A document plays against a plain dict of bool arrays."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from memory_checkpoint import MemoryCheckpoint

from pruneapp.document.document import Document
from pruneapp.document.estimate import estimate
from pruneapp.document.preview import compute_preview
from pruneapp.document.step import Row, Step
from pruneapp.errors import StaleError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.progress import Job

SHAPES = {"a.weight": (7, 5), "b.weight": (4, 3, 2, 2), "c.bias": (9,)}
NAMES = tuple(SHAPES)


def arrays() -> dict[str, np.ndarray]:
    """Few distinct magnitudes, so that ties are everywhere; zeros of both signs among them."""
    rng = np.random.default_rng(3)
    return {
        name: (rng.integers(-3, 4, shape) / np.float32(2)).astype(np.float32)
        for name, shape in SHAPES.items()
    }


class NaiveModel:
    """What is kept and what is final, as arrays; a state is copied whole."""

    def __init__(self) -> None:
        self.weights = arrays()
        everything = {n: np.ones(w.shape, bool) for n, w in self.weights.items()}
        self.states = [(everything, everything)]
        self.position = 0

    @property
    def kept(self) -> dict[str, np.ndarray]:
        return self.states[self.position][0]

    @property
    def final(self) -> dict[str, np.ndarray]:
        return self.states[self.position][1]

    def push(self, kept, final) -> None:
        del self.states[self.position + 1 :]
        self.states.append((kept, final))
        self.position += 1

    def shown(self, name: str) -> np.ndarray:
        return np.where(self.final[name], self.weights[name], np.float32(0))

    def l1(self, names, share, scope) -> dict[str, np.ndarray]:
        kept = {n: m.copy() for n, m in self.kept.items()}
        for group in [names] if scope == "global" else [(n,) for n in names]:
            places = [
                (abs(self.shown(n).flat[i]), order, i)
                for order, n in enumerate(group)
                for i in np.flatnonzero(kept[n])
            ]
            for _, order, i in sorted(places)[: round(share * len(places))]:
                kept[group[order]].flat[i] = False
        return kept

    def channels(self, name, count, dim) -> dict[str, np.ndarray]:
        kept = {n: m.copy() for n, m in self.kept.items()}
        weights = np.moveaxis(self.shown(name) * kept[name], dim, 0).astype(np.float64)
        alive = np.moveaxis(kept[name], dim, 0).any(axis=tuple(range(1, kept[name].ndim)))
        norms = [float(np.abs(w).sum()) for w in weights]
        for c in sorted(np.flatnonzero(alive), key=lambda c: (norms[c], c))[:count]:
            np.moveaxis(kept[name], dim, 0)[c] = False
        return kept


class DocumentAgainstArrays(RuleBasedStateMachine):
    """Prune, undo, redo, jump and make final in any order.

    An impatient one has its masks put aside, and read again, by a worker that takes its time.
    """

    @initialize(
        budget=st.sampled_from([0, 10, 1 << 30]),
        chunk=st.sampled_from([3, 16, 1000]),
        patient=st.booleans(),
    )
    def open(self, budget, chunk, patient):
        self.written = self.read = None
        self.folder = tempfile.TemporaryDirectory()
        self.document = Document(
            MemoryCheckpoint(arrays(), chunk=chunk), budget=budget, scratch=Path(self.folder.name)
        )
        self.budget = budget
        self.document.history.patient = patient
        self.naive = NaiveModel()
        self.told: list[int] = []
        self.document.subscribe(lambda change: self.told.append(change.revision))

    def teardown(self):
        if hasattr(self, "document"):
            self.document.close()
            self.folder.cleanup()

    def apply(self, step: Step) -> int:
        snapshot = self.document.snapshot()
        guess = estimate(snapshot, step)
        preview = compute_preview(snapshot, step, CpuKernel(), Job())
        self.document.apply(preview)
        if guess.exact:
            assert guess.gone == preview.report.gone
        else:
            assert guess.gone >= preview.report.gone
        return preview.report.gone

    @rule(
        names=st.sets(st.sampled_from(NAMES), min_size=1).map(lambda s: tuple(sorted(s))),
        share=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]),
        scope=st.sampled_from(["local", "global"]),
    )
    def prune_weights(self, names, share, scope):
        expected = self.naive.l1(names, share, scope)
        gone = sum(int(np.sum(self.naive.kept[n] & ~expected[n])) for n in NAMES)
        step = Step((Row(names, "l1_unstructured", {"amount": share}),), scope)
        assert self.apply(step) == gone
        self.naive.push(expected, self.naive.final)

    @rule(
        name=st.sampled_from(["a.weight", "b.weight"]),
        count=st.integers(0, 2),
        dim=st.integers(-2, 1),
    )
    def prune_channels(self, name, count, dim):
        alive = np.moveaxis(self.naive.kept[name], dim, 0)
        left = int(np.sum(alive.any(axis=tuple(range(1, alive.ndim)))))
        count = min(count, left)
        expected = self.naive.channels(name, count, dim)
        values = {"amount": count, "n": 1, "dim": dim}
        self.apply(Step((Row((name,), "ln_structured", values),)))
        self.naive.push(expected, self.naive.final)

    @precondition(lambda self: any(not m.all() for m in self.naive.kept.values()))
    @rule()
    def make_final(self):
        self.document.make_final(NAMES)
        final = {n: self.naive.final[n] & self.naive.kept[n] for n in NAMES}
        kept = {n: np.ones(SHAPES[n], bool) for n in NAMES}
        self.naive.push(kept, final)

    @rule()
    def undo(self):
        assert self.document.can_undo == (self.naive.position > 0)
        self.document.undo()
        self.naive.position = max(0, self.naive.position - 1)

    @rule()
    def redo(self):
        last = len(self.naive.states) - 1
        assert self.document.can_redo == (self.naive.position < last)
        self.document.redo()
        self.naive.position = min(last, self.naive.position + 1)

    @rule(where=st.floats(0, 1))
    def jump(self, where):
        self.naive.position = round(where * (len(self.naive.states) - 1))
        self.document.jump(self.naive.position)

    @precondition(lambda self: self.written is None)
    @rule()
    def begin_to_put_aside(self):
        spill = self.document.history.spill()
        self.written = spill and spill.run(Job())

    @precondition(lambda self: self.written is not None)
    @rule()
    def end_to_put_aside(self):
        self.document.history.put_aside(self.written)
        self.written = None

    @rule(where=st.floats(0, 1))
    def begin_to_read(self, where):
        fetch = self.document.history.missing(round(where * (len(self.naive.states) - 1)))
        self.read = fetch and fetch.run(Job())

    @precondition(lambda self: self.read is not None)
    @rule()
    def end_to_read(self):
        self.document.history.put_back(self.read)
        self.read = None

    @rule()
    def apply_a_stale_preview(self):
        step = Step((Row(NAMES, "l1_unstructured", {"amount": 0.5}),))
        preview = compute_preview(self.document.snapshot(), step, CpuKernel(), Job())
        self.document.apply(preview)
        self.naive.push(self.naive.l1(NAMES, 0.5, "local"), self.naive.final)
        with pytest.raises(StaleError):
            self.document.apply(preview)

    @invariant()
    def both_are_the_same(self):
        if not hasattr(self, "document"):
            return
        snapshot = self.document.snapshot()
        assert self.document.position == self.naive.position
        assert len(self.document.items) == len(self.naive.states)
        for name, shape in SHAPES.items():
            mask = snapshot.mask(name)
            kept = np.ones(shape, bool) if mask is None else mask.bools().reshape(shape)
            np.testing.assert_array_equal(kept, self.naive.kept[name])
            shown = self.naive.shown(name)
            np.testing.assert_array_equal(
                snapshot.bits(name), shown.reshape(-1).view(np.uint32), strict=True
            )
            joined = np.concatenate([c.bits.copy() for c in snapshot.chunks(name)])
            np.testing.assert_array_equal(joined, snapshot.bits(name))
            zeroed = snapshot.zeroed(name)
            stays = np.ones(shape, bool) if zeroed is None else zeroed.bools().reshape(shape)
            np.testing.assert_array_equal(stays, self.naive.kept[name] & self.naive.final[name])

    @invariant()
    def the_step_that_pruned_a_weight_is_known(self):
        if not hasattr(self, "document"):
            return
        for name, shape in SHAPES.items():
            by = self.document.pruned_by(name, 0)
            gone = [
                not kept[name].flat[0] or not final[name].flat[0]
                for kept, final in self.naive.states[: self.naive.position + 1]
            ]
            assert (by is not None) == gone[-1]
            if by is not None and np.prod(shape):
                assert not self.naive.states[by][0][name].flat[0]
                assert self.naive.states[by - 1][0][name].flat[0]

    @invariant()
    def subscribers_were_told_every_revision_in_order(self):
        if hasattr(self, "document"):
            assert self.told == list(range(1, self.document.revision + 1))

    @invariant()
    def memory_stays_within_the_budget_but_for_what_is_in_force(self):
        if hasattr(self, "document"):
            in_force = sum(
                m.nbytes for s in (self.document.masks, self.document.final) for m in s.values()
            )
            if self.document.history.patient and self.read is None and self.written is None:
                assert self.document.history.memory <= self.budget + in_force
            assert self.document.history.memory == self.held_by_history()

    def held_by_history(self) -> int:
        records = self.document.history._records
        slots = {id(slot): slot for record in records for slot in record.slots()}
        return sum(slot.nbytes for slot in slots.values() if slot.mask is not None)


TestDocument = DocumentAgainstArrays.TestCase
TestDocument.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
