"""A document compared with a plain dict of bool arrays."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from pruneapp.document.document import Capture, Document
from pruneapp.document.history import Branches
from pruneapp.document.step import Row, Step
from pruneapp.edits.apply_manual_edit import compute_manual_edit
from pruneapp.edits.manual_edit import ManualEdit, ManualTarget
from pruneapp.errors import HistoryError, ParameterError, SelectionError, StaleError
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.estimate import estimate
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from pruneapp.sessions.journal import Journal
from pruneapp.sessions.journal_reader import read_journal
from pruneapp.sessions.restore import restore
from pruneapp.sessions.session_file import read_session, save_session
from tests.support.document_edits import hand_edit, make_permanent, redo, undo
from tests.support.memory_checkpoint import MemoryCheckpoint

SHAPES = {"a.weight": (7, 5), "b.weight": (4, 3, 2, 2), "c.bias": (9,)}
NAMES = tuple(SHAPES)


@st.composite
def boxes_of(draw, name: str):
    spans = []
    for n in SHAPES[name]:
        start = draw(st.integers(0, n - 1))
        spans.append((start, draw(st.integers(start + 1, n))))
    return name, tuple(spans)


def arrays() -> dict[str, np.ndarray]:
    """Return arrays with few distinct magnitudes, hence many ties, and zeros of both signs."""
    rng = np.random.default_rng(3)
    return {
        name: (rng.integers(-3, 4, shape) / np.float32(2)).astype(np.float32)
        for name, shape in SHAPES.items()
    }


@dataclass(frozen=True)
class State:
    """Kept, permanent and protected weights, and the step that pruned each (0 for none)."""

    kept: dict[str, np.ndarray]
    final: dict[str, np.ndarray]
    protected: dict[str, np.ndarray]
    by: dict[str, np.ndarray]
    final_by: dict[str, np.ndarray]


class NaiveModel:
    """All states, each a full copy, with their parents."""

    def __init__(self) -> None:
        self.weights = arrays()
        everything = {n: np.ones(w.shape, bool) for n, w in self.weights.items()}
        nothing = {n: ~m for n, m in everything.items()}
        nobody = {n: np.zeros(w.shape, int) for n, w in self.weights.items()}
        self.states = [State(everything, everything, nothing, nobody, nobody)]
        self.parents, self.names = [-1], [""]
        # Serial numbers of states, which do not change when positions do; see `State.by`.
        self.serials, self.next_serial = [0], 1
        self.position = self.tip = 0

    def way(self, state: int) -> list[int]:
        return [] if state < 0 else [*self.way(self.parents[state]), state]

    def newest_end(self, state: int) -> int:
        after = [s for s, parent in enumerate(self.parents) if parent == state]
        return self.newest_end(max(after)) if after else state

    def go_to(self, state: int) -> None:
        self.position = state
        if state not in self.way(self.tip):
            self.tip = self.newest_end(state)

    def delete(self, state: int) -> None:
        kept = [s for s in range(len(self.states)) if state not in self.way(s)]
        self.states, self.names = [self.states[s] for s in kept], [self.names[s] for s in kept]
        self.serials = [self.serials[s] for s in kept]
        self.parents = [-1, *(kept.index(self.parents[s]) for s in kept[1:])]
        self.position = kept.index(self.position)
        self.tip = kept.index(self.tip) if self.tip in kept else self.newest_end(self.position)

    @property
    def now(self) -> State:
        return self.states[self.position]

    @property
    def kept(self) -> dict[str, np.ndarray]:
        return self.now.kept

    def push(self, at, kept, *, final=None, protected=None) -> None:
        """Add a state, or move to an equal one: `at` is the document's position."""
        now, number = self.now, self.next_serial
        final_by = now.final_by
        if final is not None:
            final_by = {n: np.where(now.by[n], now.by[n], final_by[n]) for n in NAMES}
        by = {n: np.where(kept[n], 0, np.where(now.kept[n], number, now.by[n])) for n in NAMES}
        state = State(kept, final or now.final, protected or now.protected, by, final_by)
        if at < len(self.states):
            assert self.parents[at] == self.position
            for field in ("kept", "final", "protected"):
                for there, here in zip(
                    getattr(self.states[at], field).values(),
                    getattr(state, field).values(),
                    strict=True,
                ):
                    assert np.array_equal(there, here)
            self.go_to(at)
            return
        self.states.append(state)
        self.parents.append(self.position)
        self.names.append("")
        self.serials.append(number)
        self.next_serial += 1
        self.position = self.tip = len(self.states) - 1

    def shown(self, name: str) -> np.ndarray:
        return np.where(self.now.final[name], self.weights[name], np.float32(0))

    def l1(self, names, share, scope) -> dict[str, np.ndarray] | None:
        """Return the kept weights after the step; None if the amount is too large."""
        kept = {n: m.copy() for n, m in self.kept.items()}
        for group in [names] if scope == "global" else [(n,) for n in names]:
            free = [
                (abs(self.shown(n).flat[i]), order, i)
                for order, n in enumerate(group)
                for i in np.flatnonzero(kept[n] & ~self.now.protected[n])
            ]
            count = round(share * sum(int(kept[n].sum()) for n in group))
            if count > len(free):
                return None
            for _, order, i in sorted(free)[:count]:
                kept[group[order]].flat[i] = False
        return kept

    def channels(self, name, count, dim) -> dict[str, np.ndarray] | None:
        kept = {n: m.copy() for n, m in self.kept.items()}
        weights = np.moveaxis(self.shown(name) * kept[name], dim, 0).astype(np.float64)
        alive, guarded = (
            np.moveaxis(m[name], dim, 0).any(axis=tuple(range(1, m[name].ndim)))
            for m in (kept, self.now.protected)
        )
        norms = [float(np.abs(w).sum()) for w in weights]
        free = np.flatnonzero(alive & ~guarded)
        if count > free.size:
            return None
        for c in sorted(free, key=lambda c: (norms[c], c))[:count]:
            np.moveaxis(kept[name], dim, 0)[c] = False
        return kept

    def by_hand(self, operation, chosen) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
        """Return the kept and the protected weights after the edit."""
        kept, guarded = dict(self.kept), dict(self.now.protected)
        for n, meant in chosen.items():
            if operation == "prune":
                kept[n] = kept[n] & (guarded[n] | ~meant)
            elif operation == "restore":
                kept[n] = kept[n] | meant
            elif operation == "protect":
                guarded[n] = guarded[n] | (meant & kept[n])
            else:
                guarded[n] = guarded[n] & ~meant
        return kept, guarded


class DocumentAgainstArrays(RuleBasedStateMachine):
    """Prune, edit, undo, redo, jump, branch and make permanent in any order.

    If `patient` is False, masks are spilled, and read again, by a slow worker.
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
        self.journal = Journal(Path(self.folder.name) / "journals")
        self.told: list[int] = []
        self.document.subscribe(self.hear)

    def hear(self, change):
        if not change.is_remark:
            self.told.append(change.revision)

    def teardown(self):
        if hasattr(self, "document"):
            self.document.close()
            if self.journal.path is not None:
                self.journal.close()
            self.folder.cleanup()

    def apply(self, step: Step, expected: dict[str, np.ndarray] | None) -> int:
        """Return the number of pruned weights; 0 if the amount is too large."""
        snapshot = self.document.snapshot()
        if expected is None:
            for ask in (estimate, lambda *a: compute_preview(*a, CpuKernel(), Job())):
                with pytest.raises(ParameterError, match="protected, so "):
                    ask(snapshot, step)
            return 0
        guess = estimate(snapshot, step)
        preview = compute_preview(snapshot, step, CpuKernel(), Job())
        self.document.commit(preview)
        if guess.exact:
            assert guess.to_prune == preview.report.newly_pruned
        else:
            assert guess.to_prune >= preview.report.newly_pruned
        self.naive.push(self.document.position, expected)
        return preview.report.newly_pruned

    @rule(
        names=st.sets(st.sampled_from(NAMES), min_size=1).map(lambda s: tuple(sorted(s))),
        share=st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]),
        scope=st.sampled_from(["local", "global"]),
    )
    def prune_weights(self, names, share, scope):
        expected = self.naive.l1(names, share, scope)
        after = self.naive.kept if expected is None else expected
        gone = sum(int(np.sum(self.naive.kept[n] & ~after[n])) for n in NAMES)
        step = Step((Row(names, "l1_unstructured", {"amount": share}),), scope)
        assert self.apply(step, expected) == gone

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
        self.apply(Step((Row((name,), "ln_structured", values),)), expected)

    @precondition(lambda self: any(not m.all() for m in self.naive.kept.values()))
    @rule()
    def make_permanent(self):
        make_permanent(self.document, NAMES)
        final = {n: self.naive.now.final[n] & self.naive.kept[n] for n in NAMES}
        kept = {n: np.ones(SHAPES[n], bool) for n in NAMES}
        self.naive.push(self.document.position, kept, final=final)

    @rule(
        operation=st.sampled_from(["prune", "restore", "protect", "release"]),
        boxes=st.lists(st.sampled_from(NAMES).flatmap(boxes_of), min_size=1, max_size=3),
        seed=st.none() | st.integers(0, 99),
    )
    def edit_by_hand(self, operation, boxes, seed):
        """Use boxes of one or several tensors, and sometimes a mask."""
        targets = [ManualTarget(name, (box,)) for name, box in boxes]
        chosen = {name: np.zeros(SHAPES[name], bool) for name, _ in boxes}
        for name, box in boxes:
            chosen[name][tuple(slice(*span) for span in box)] = True
        if seed is not None:
            meant = np.random.default_rng(seed).random(SHAPES[NAMES[0]]) < 0.3
            targets.append(ManualTarget(NAMES[0], mask=BitMask.from_bools(meant)))
            chosen[NAMES[0]] = chosen.get(NAMES[0], False) | meant
        kept, protected = self.naive.by_hand(operation, chosen)
        edit, snapshot = ManualEdit(operation, tuple(targets)), self.document.snapshot()
        changed = sum(
            int((kept[n] != self.naive.kept[n]).sum())
            + int((protected[n] != self.naive.now.protected[n]).sum())
            for n in NAMES
        )
        if not changed:
            with pytest.raises(SelectionError, match="Nothing to "):
                compute_manual_edit(snapshot, edit, Job())
            return
        preview = compute_manual_edit(snapshot, edit, Job())
        assert preview.numbers.changed == changed
        self.document.commit(preview)
        self.naive.push(self.document.position, kept, protected=protected)
        assert hand_edit(self.document.history, self.document.position) == edit

    @rule()
    def undo(self):
        assert self.document.position == self.naive.position
        undo(self.document)
        self.naive.position = max(0, self.naive.parents[self.naive.position])

    @rule()
    def redo(self):
        ahead = self.naive.way(self.naive.tip)[len(self.naive.way(self.naive.position)) :]
        assert (self.document.position != self.document.branches.tip) == bool(ahead)
        redo(self.document)
        self.naive.position = (ahead or [self.naive.position])[0]

    @rule(where=st.floats(0, 1))
    def jump(self, where):
        self.naive.go_to(round(where * (len(self.naive.states) - 1)))
        self.document.jump(self.naive.position)

    @rule(where=st.floats(0, 1))
    def delete_a_branch(self, where):
        state = round(where * (len(self.naive.states) - 1))
        if state == 0:
            with pytest.raises(IndexError):
                self.document.delete(state)
        elif state in self.naive.way(self.naive.position):
            with pytest.raises(HistoryError, match="has the current state"):
                self.document.delete(state)
        else:
            self.document.delete(state)
            self.naive.delete(state)

    @precondition(lambda self: len(self.naive.states) > 1)
    @rule(where=st.floats(0, 1), name=st.sampled_from(["", "a", "another name"]))
    def rename(self, where, name):
        state = 1 + round(where * (len(self.naive.states) - 2))
        self.document.rename(state, name)
        self.naive.names[state] = name

    @precondition(lambda self: self.written is None and self.read is None)
    @rule()
    def save_and_open_again(self):
        """All states and branches are preserved; the test continues with the opened document."""
        path = Path(self.folder.name) / "work.prune"
        save_session(Capture.of(self.document), {}, path, Job())
        with read_session(path, Job()) as session:
            self.go_on_with(session.history)

    @precondition(lambda self: self.written is None and self.read is None)
    @rule()
    def be_killed_and_take_up_again(self):
        """A journal is written step by step."""
        self.keep()
        if self.journal.path is None:
            return
        copy = Path(self.folder.name) / "copy.journal"
        shutil.copyfile(self.journal.path, copy)
        with read_journal(copy, Job()) as found:
            self.go_on_with(found.history)
        self.journal.delete()
        self.journal = Journal(Path(self.folder.name) / "journals")

    @rule()
    def keep(self):
        self.journal.keep(Capture.of(self.document), {}, Job())

    def go_on_with(self, history):
        unexported, patient = self.document.unexported, self.document.history.patient
        self.document.close()
        self.document = restore(
            self.document.checkpoint,
            history,
            "work",
            Job(),
            budget=self.budget,
            scratch=Path(self.folder.name),
        )
        self.document.history.patient = patient
        assert self.document.unexported == unexported
        self.told = list(range(1, self.document.revision + 1))
        self.document.subscribe(self.hear)

    @rule(most=st.sampled_from([1, 5, None]))
    def let_go_of_what_was_deleted(self, most):
        history = self.document.history
        if not history.forget_cut_off(most):
            assert history.store.nbytes == self.held_by_history()

    @precondition(lambda self: self.written is None)
    @rule()
    def begin_to_put_aside(self):
        spill = self.document.history.spill()
        self.written = spill and spill.run(Job())

    @precondition(lambda self: self.written is not None)
    @rule()
    def end_to_put_aside(self):
        self.document.history.finish_spill(self.written)
        self.written = None

    @rule(where=st.floats(0, 1))
    def begin_to_read(self, where):
        fetch = self.document.history.fetch_missing(round(where * (len(self.naive.states) - 1)))
        self.read = fetch and fetch.run(Job())

    @precondition(lambda self: self.read is not None)
    @rule()
    def end_to_read(self):
        self.document.history.finish_fetch(self.read)
        self.read = None

    @rule()
    def apply_a_stale_preview(self):
        step = Step((Row(NAMES, "l1_unstructured", {"amount": 0.0}),))
        preview = compute_preview(self.document.snapshot(), step, CpuKernel(), Job())
        self.document.commit(preview)
        self.naive.push(self.document.position, self.naive.kept)
        with pytest.raises(StaleError):
            self.document.commit(preview)

    @invariant()
    def both_are_the_same(self):
        if not hasattr(self, "document"):
            return
        snapshot = self.document.snapshot()
        assert self.document.position == self.naive.position
        assert [item.name for item in self.document.items] == self.naive.names
        names = {state: name for state, name in enumerate(self.naive.names) if name}
        assert self.document.branches == Branches(
            tuple(self.naive.parents[1:]), self.naive.tip, names
        )
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
            zeroed = snapshot.export_mask(name)
            stays = np.ones(shape, bool) if zeroed is None else zeroed.bools().reshape(shape)
            np.testing.assert_array_equal(stays, self.naive.kept[name] & self.naive.now.final[name])
            protected = snapshot.protected.get(name)
            guarded = np.zeros(shape, bool) if protected is None else protected.bools()
            np.testing.assert_array_equal(
                guarded.reshape(shape), self.naive.now.protected[name], strict=True
            )
            eligible = snapshot.free_mask(name)
            free = np.ones(shape, bool) if eligible is None else eligible.bools().reshape(shape)
            np.testing.assert_array_equal(
                free, self.naive.kept[name] & ~self.naive.now.protected[name]
            )

    @invariant()
    def the_step_that_pruned_a_weight_is_known(self):
        if not hasattr(self, "document"):
            return
        for name, shape in SHAPES.items():
            for index in range(0, int(np.prod(shape)), 3):
                by = (
                    self.naive.now.by[name].flat[index] or self.naive.now.final_by[name].flat[index]
                )
                state = self.document.find_pruning_step(name, index) or 0
                assert self.naive.serials[state] == by

    @invariant()
    def subscribers_were_told_every_revision_in_order(self):
        if hasattr(self, "document"):
            assert self.told == list(range(1, self.document.revision + 1))

    @invariant()
    def memory_stays_within_the_budget_but_for_what_is_in_force(self):
        if hasattr(self, "document"):
            in_force = sum(
                mask.nbytes
                for masks in (
                    self.document.masks,
                    self.document.snapshot().permanent,
                    self.document.snapshot().protected,
                )
                for mask in masks.values()
            )
            if self.document.history.patient and self.read is None and self.written is None:
                assert self.document.history.store.nbytes <= self.budget + in_force
            if self.document.history.patient:
                assert self.document.history.store.nbytes == self.held_by_history()
            assert self.document.history.store.nbytes >= self.held_by_history()

    def held_by_history(self) -> int:
        records = self.document.history._records
        slots = {id(slot): slot for record in records for slot in record.slots()}
        return sum(slot.nbytes for slot in slots.values() if slot.mask is not None)


TestDocument = DocumentAgainstArrays.TestCase
TestDocument.settings = settings(max_examples=25, stateful_step_count=20)
