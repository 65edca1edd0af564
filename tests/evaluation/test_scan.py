"""Scans: the measured states, their order, and resuming an interrupted scan."""

from __future__ import annotations

import math
import os
from contextlib import contextmanager

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.selection import default_selection
from pruneapp.document.snapshot import Snapshot
from pruneapp.errors import ParameterError, SelectionError
from pruneapp.evaluation.allocation import allocate
from pruneapp.evaluation.evaluator import Evaluator
from pruneapp.evaluation.metric import Metric
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import Measured
from pruneapp.evaluation.scan import (
    ScanRequest,
    can_continue,
    coarse_to_fine,
    scan_tensors,
    with_protection,
)
from pruneapp.evaluation.scan_file import check_scan, read_scan, write_scan
from pruneapp.evaluation.script import Options
from pruneapp.kernels.cpu import CpuKernel
from pruneapp.masks.bitmask import BitMask
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.statistics.file import Inputs, Origin, register, save_statistics

NAMES = ("small.weight", "large.weight")


class PrunedShares:
    """Measures the sparsity: the loss is 1 plus the sparsity of each tensor."""

    name, key, sha256, interpreter = "made.py", "k", "s" * 64, "python"
    options = Options()
    agrees = has_reference = False

    def __init__(self, **more) -> None:
        self.states: list[dict[str, float]] = []
        self.directions = None
        self.unpruned = 1.0
        self.metrics = lambda loss: {"loss": loss}
        self.__dict__ |= more

    def start(self, job) -> None: ...

    def direction_remedy(self, metric) -> str:
        return f"HIGHER_IS_BETTER = {metric}"

    def run(self, snapshot, seed, job, *, reference=False):
        job.cancel.check()
        masks = {name: mask.pruned / mask.size for name, mask in snapshot.masks.items()}
        self.states.append({name: share for name, share in masks.items() if share})
        found = self.metrics(self.unpruned + sum(masks.values()))
        return Measured({name: Metric(value) for name, value in found.items()}, 0.5)

    def close(self) -> None: ...


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("scans") / "m.safetensors"
    rng = np.random.default_rng(0)
    shapes = {"small.weight": (4, 5), "large.weight": (10, 20), "large.bias": (10,)}
    save_file({name: rng.normal(size=s).astype("f4") for name, s in shapes.items()}, path)
    return path


@pytest.fixture
def state(file):
    with open_checkpoint(file) as checkpoint:
        yield Snapshot(checkpoint)


def last(found):
    """Return the complete scan."""
    *_, scanned = found
    return scanned


@contextmanager
def measured(runner=None):
    with Evaluator(runner or PrunedShares()) as evaluator:
        yield evaluator


def test_the_middle_amount_comes_first_and_the_largest_tensor(state):
    runner = PrunedShares()
    with measured(runner) as evaluator:
        scanned = last(scan_tensors(evaluator, state, ScanRequest(NAMES), Job()))
    pruned = [state for state in runner.states if state]
    assert [next(iter(state)) for state in pruned] == [NAMES[1], NAMES[0]] * 5
    assert [round(*state.values(), 2) for state in pruned[::2]] == [
        round(round(200 * amount) / 200, 2) for amount in (0.7, 0.95, 0.5, 0.85, 0.3)
    ]
    large, small = scanned.tensors  # as in the file
    assert (small.name, small.weights, scanned.measured, scanned.wanted) == (NAMES[0], 20, 10, 10)
    for cell in large.cells:
        assert cell.pruned == round(cell.amount * 200)
        assert cell.metrics == {"loss": 1 + cell.pruned / 200}
    (metric,) = scanned.metrics
    assert (metric.name, metric.higher, metric.before, metric.noise) == ("loss", False, 1, 0)
    assert scanned.seconds == 0.5


@pytest.mark.parametrize("number", range(8))
def test_every_amount_is_in_the_order_once(number):
    amounts = [0.1 * n for n in range(1, number + 1)]
    assert sorted(coarse_to_fine(amounts)) == amounts


def test_an_interrupted_scan_goes_on_where_it_was(state):
    token = CancelToken()
    with measured() as evaluator:
        found = scan_tensors(evaluator, state, ScanRequest(NAMES), Job(cancel=token))
        kept = [next(found) for _ in range(5)][-1]
        token.cancel()
        with pytest.raises(Cancelled):
            next(found)
    assert kept.measured == 4
    runner = PrunedShares()
    with measured(runner) as evaluator:
        scanned = last(scan_tensors(evaluator, state, ScanRequest(NAMES), Job(), known=kept))
        assert len([state for state in runner.states if state]) == 6
        whole = last(scan_tensors(evaluator, state, ScanRequest(NAMES), Job()))
    assert scanned == whole
    runner = PrunedShares()
    with measured(runner) as evaluator:
        assert last(scan_tensors(evaluator, state, ScanRequest(NAMES), Job(), known=whole)) == whole
    assert runner.states == []  # not even the unpruned model


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes")
def test_the_python_may_lie_in_a_folder_whose_name_is_no_text(state):
    runner = PrunedShares(interpreter=os.fsdecode(b"/opt/\xff/bin/python"))
    with measured(runner) as evaluator:
        assert last(scan_tensors(evaluator, state, ScanRequest(NAMES), Job())).measured == 10


def test_amounts_and_tensors_may_be_added(state):
    with measured() as evaluator:
        first = last(scan_tensors(evaluator, state, ScanRequest(NAMES[:1], amounts=(0.5,)), Job()))
        more = ScanRequest(NAMES, amounts=(0.2,))
        scanned = last(scan_tensors(evaluator, state, more, Job(), known=first))
    assert scanned.amounts == (0.2, 0.5)
    assert [[c.amount for c in tensor.cells] for tensor in scanned.tensors] == [[0.2, 0.5], [0.2]]
    assert (scanned.measured, scanned.wanted) == (3, 4)


def test_what_does_not_compare_is_not_continued(state):
    request = ScanRequest(NAMES, amounts=(0.5,))
    with measured() as evaluator:
        known = last(scan_tensors(evaluator, state, request, Job()))
    cases = {
        "another script": (PrunedShares(sha256="t" * 64), request),
        "another Python interpreter": (PrunedShares(interpreter="other"), request),
        "another number of samples": (PrunedShares(options=Options(limit=3)), request),
        "another method": (PrunedShares(), ScanRequest(NAMES, "random_unstructured")),
        "has 1 as 'loss' of the unpruned model, and now it is 2": (
            PrunedShares(unpruned=2.0),
            ScanRequest(NAMES, amounts=(0.6,)),
        ),
        "has other metrics": (
            PrunedShares(metrics=lambda loss: {"kl": loss}),
            ScanRequest(NAMES, amounts=(0.6,)),
        ),
    }
    for words, (runner, asked) in cases.items():
        with measured(runner) as evaluator, pytest.raises(EvaluationError, match=words):
            last(scan_tensors(evaluator, state, asked, Job(), known=known, where="x.scan.json"))


@pytest.fixture
def statistics(tmp_path):
    """Write statistics of correlated inputs, for the large weight only."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(64, 20)) + 2 * rng.normal(size=(64, 1))
    gram = rows.T @ rows
    inputs = Inputs(np.diagonal(gram)[np.newaxis].copy(), rows.sum(0)[np.newaxis], np.full(1, 64.0))
    path, weights = tmp_path / "m.statistics.safetensors", {NAMES[1]: inputs}
    save_statistics(path, weights, Origin("calibrate"), Job(), grams={NAMES[1]: [gram]})
    return register(path)


class RepairedValues(PrunedShares):
    """Records the tensors with replaced values, and the pruned weights of the large one."""

    def __init__(self) -> None:
        super().__init__()
        self.values: list[tuple[str, ...]] = []
        self.large: list[np.ndarray] = []

    def run(self, snapshot, seed, job, *, reference=False):
        self.values.append(tuple(snapshot.values))
        weight = np.frombuffer(snapshot.bits(NAMES[1]), np.float32)
        self.large.append(weight * snapshot.masks[NAMES[1]].bools() if snapshot.values else weight)
        return super().run(snapshot, seed, job, reference=reference)


@pytest.mark.parametrize(
    ("made", "calibrated"),
    [
        ({}, False),
        ({"repair": True}, True),
        ({"method": "wanda"}, True),
        ({"repair": True, "data": "text:1"}, False),
        ({"state": ("command:" + PrunedShares.sha256,)}, True),
        ({"state": ("text:1",)}, False),
    ],
    ids=str,
)
def test_a_scan_by_the_data_that_calibrated_the_states_is_marked(state, tmp_path, made, calibrated):
    """Data of the scanned state, of statistics used for ranking, and of those used for repair."""
    data = made.get("data", f"command:{PrunedShares.sha256}")
    inputs = {NAMES[1]: Inputs(np.ones((1, 20)), np.ones((1, 20)), np.full(1, 64.0))}
    path = tmp_path / "s.statistics.safetensors"
    grams = {NAMES[1]: [np.eye(20)]}
    save_statistics(path, inputs, Origin("calibrate", data=data), Job(), grams=grams)
    name = register(path)
    method = made.get("method", "l1_unstructured")
    request = ScanRequest(
        NAMES[1:],
        method,
        {"statistics": name} if method == "wanda" else {},
        amounts=(0.5,),
        repair=name if made.get("repair") else "",
    )
    with measured() as evaluator:
        of_state = made.get("state", ())
        scanned = last(scan_tensors(evaluator, state, request, Job(), calibration=of_state))
        assert scanned.calibrated is calibrated
        again = last(scan_tensors(evaluator, state, request, Job(), known=scanned))
        assert again.calibration == scanned.calibration, "what continues it keeps the mark"
    write_scan(scanned, tmp_path / "m.scan.json")
    assert read_scan(tmp_path / "m.scan.json").calibrated is calibrated


def test_each_tensor_is_repaired_before_the_model_is_measured(state, statistics):
    request = ScanRequest(NAMES, amounts=(0.5,), repair=statistics)
    runner = RepairedValues()
    with measured(runner) as evaluator:
        scanned = last(scan_tensors(evaluator, state, request, Job()))
    # Without a Gram matrix the small tensor is unchanged, as in any repair.
    assert runner.values[-2:] == [(NAMES[1], "large.bias"), ()]
    assert not any(runner.values[:-2])
    assert scanned.conditions.repair == statistics
    repaired_now, unpruned = runner.large[-2], runner.large[0]
    assert not np.array_equal(repaired_now[repaired_now != 0], unpruned[repaired_now != 0])
    other = ScanRequest(NAMES, amounts=(0.5,))
    with (
        measured() as evaluator,
        pytest.raises(EvaluationError, match="a scan with another repair"),
    ):
        last(scan_tensors(evaluator, state, other, Job(), known=scanned, where="x.scan.json"))


def test_statistics_for_the_repair_are_there_and_have_gram_matrices(tmp_path):
    with pytest.raises(ParameterError, match="are not loaded"):
        ScanRequest(NAMES, repair="sha256:00")
    inputs = Inputs(np.ones((1, 20)), None, np.ones(1))
    save_statistics(tmp_path / "s.safetensors", {NAMES[1]: inputs}, Origin(), Job())
    name = register(tmp_path / "s.safetensors")
    with pytest.raises(ParameterError, match="has no Gram matrices"):
        ScanRequest(NAMES, repair=name)


def test_what_is_no_number_is_left_out_and_the_scan_goes_on(state):
    def metrics(loss):
        return {"perplexity": math.inf if loss > 1.8 else loss, "loss": loss, "seconds": 3.0}

    with measured(PrunedShares(metrics=metrics)) as evaluator:
        scanned = last(scan_tensors(evaluator, state, ScanRequest(NAMES), Job()))
    assert [metric.name for metric in scanned.metrics] == ["perplexity", "loss"]
    assert [sorted(cell.metrics) for cell in scanned.tensors[0].cells] == [
        ["loss", "perplexity"],
        ["loss", "perplexity"],
        ["loss", "perplexity"],
        ["loss"],
        ["loss"],
    ]


def test_protected_weights_stay_and_those_that_were_pruned_count(state):
    kept = np.arange(200) >= 100
    protected = kept & (np.arange(200) < 190)
    state = state.with_masks(
        {
            "masks": {"large.weight": BitMask.from_bools(kept)},
            "protected": {"large.weight": BitMask.from_bools(protected)},
        }
    )
    request = ScanRequest(NAMES[1:], amounts=(0.05, 0.5))
    with measured() as evaluator:
        (tensor,) = last(scan_tensors(evaluator, state, request, Job())).tensors
    assert (tensor.pruned, tensor.protected) == (100, 90)
    assert [cell.pruned for cell in tensor.cells] == [105, 110]


def test_protection_may_change_between_two_parts_of_a_scan(state):
    """Its file can still be read, and an allocation respects the current protection."""
    half = {"protected": {NAMES[1]: BitMask.from_bools(np.arange(200) < 100)}}
    with measured() as evaluator:
        first = ScanRequest(NAMES[1:], amounts=(0.5,))
        known = last(scan_tensors(evaluator, state.with_masks(half), first, Job()))
        more = ScanRequest(NAMES[1:], amounts=(0.9,))
        scanned = last(scan_tensors(evaluator, state, more, Job(), known=known))
    (tensor,) = scanned.tensors
    assert (tensor.protected, [cell.pruned for cell in tensor.cells]) == (0, [100, 180])
    now = with_protection(scanned, state.with_masks(half))
    check_scan(now, "scan")
    assert allocate(now, 0.5).pruned == 100
    with pytest.raises(ParameterError, match="from 0 % to 50 %"):
        allocate(now, 0.6)


@pytest.mark.parametrize("more", [False, True])
def test_metrics_that_are_not_those_of_the_unpruned_model_end_the_scan(state, more):
    """Its file could not be read, or its damage would be infinite."""

    def metrics(loss):
        return {"loss": loss} | ({"accuracy": 1.0} if (loss > 1.8) is more else {})

    with measured(PrunedShares(metrics=metrics)) as evaluator:
        found = scan_tensors(evaluator, state, ScanRequest(NAMES[1:]), Job())
        kept = [next(found) for _ in range(2)][-1]
        with pytest.raises(EvaluationError, match="'accuracy' for only one of the two models"):
            last(found)
        check_scan(kept, "scan")
        pruned = state.with_masks({"masks": {NAMES[1]: BitMask.from_bools(np.zeros(200, bool))}})
        with pytest.raises(EvaluationError, match="'accuracy' for only one"):
            last(scan_tensors(evaluator, pruned, ScanRequest(NAMES[:1]), Job()))


def test_channels_are_scanned_as_such(state):
    request = ScanRequest(NAMES[1:], "ln_structured", {"n": 2, "dim": 0}, (0.5,))
    with measured() as evaluator:
        (tensor,) = last(scan_tensors(evaluator, state, request, Job())).tensors
    assert (tensor.unit, tensor.cells[0].pruned) == (20, 100)


def test_requests_that_mean_nothing_are_refused(state):
    for words, asked in (
        ("'n_m' cannot be scanned", {"method": "n_m"}),
        ("'identity' cannot be scanned", {"method": "identity"}),
        ("'amounts' must be fractions", {"amounts": (0.0,)}),
        ("'amounts' must be fractions", {"amounts": ()}),
        ("There is no method", {"method": "x"}),
    ):
        with pytest.raises(ParameterError, match=words):
            ScanRequest(NAMES, **asked)
    pruned = state.with_masks({"masks": {"small.weight": BitMask.from_bools(np.zeros(20, bool))}})
    with measured() as evaluator, pytest.raises(SelectionError, match="Nothing is left"):
        last(scan_tensors(evaluator, pruned, ScanRequest(NAMES[:1]), Job()))
    runner = PrunedShares(metrics=lambda loss: {"fluff": loss})
    with measured(runner) as evaluator, pytest.raises(EvaluationError, match="HIGHER_IS_BETTER"):
        last(scan_tensors(evaluator, state, ScanRequest(NAMES), Job()))
    runner = PrunedShares(metrics=lambda loss: {"runtime": loss})
    with measured(runner) as evaluator, pytest.raises(EvaluationError, match="no metric that can"):
        last(scan_tensors(evaluator, state, ScanRequest(NAMES), Job()))


def test_an_allocation_keeps_the_sample_that_one_rule_breaks():
    """Scanned by the loss on training pictures, evaluated on test pictures (docs/quality.md)."""
    import torch

    from tests.benchmarks import quality_models

    sample = quality_models.sample()
    pictures = sample.calibration(0)

    class TrainedOn(PrunedShares):
        def run(self, snapshot, seed, job, *, reference=False):
            with torch.no_grad():
                outputs = sample.load(snapshot)(pictures)
                if not hasattr(self, "labels"):
                    self.labels = outputs.argmax(1)
                loss = torch.nn.functional.cross_entropy(outputs, self.labels)
            return Measured({"loss": Metric(loss.item())}, 0.1)

    with open_checkpoint(sample.path) as checkpoint, measured(TrainedOn()) as evaluator:
        state = Snapshot(checkpoint)
        request = ScanRequest(default_selection(checkpoint))
        found = allocate(last(scan_tensors(evaluator, state, request, Job())), 0.8)
        right = []
        for step in (found.step(), found.uniform()):
            preview = compute_preview(state, step, CpuKernel(), Job(), norms=False)
            after = sample.load(state.with_masks(preview.edit.after))
            right.append(sample.score(after, after))
    assert right[0] > 90
    assert right[1] < 40


def test_an_earlier_scan_goes_on_only_under_its_conditions_and_on_its_data(state):
    request = ScanRequest(NAMES, amounts=(0.5,))
    with measured() as evaluator:
        known = last(scan_tensors(evaluator, state, request, Job()))
        runs = len(evaluator.runner.states)
        more = ScanRequest(NAMES, amounts=(0.2, 0.5))
        assert can_continue(known, evaluator, state, more, Job())
        assert not can_continue(
            known, evaluator, state, ScanRequest(NAMES, "random_unstructured"), Job()
        )
        last(scan_tensors(evaluator, state, more, Job(), known=known))
        assert len(evaluator.runner.states) == runs + 2, "the unpruned model is known"
    with measured(PrunedShares(unpruned=1.1)) as evaluator:
        assert not can_continue(known, evaluator, state, more, Job()), "the data have changed"


class Right(PrunedShares):
    """Measures for each of 100 samples whether it is classified correctly."""

    def run(self, snapshot, seed, job, *, reference=False):
        found = super().run(snapshot, seed, job)
        wrong = round(10 * (found.metrics["loss"].value - 1))
        samples = (0.0,) * wrong + (1.0,) * (100 - wrong)
        return Measured({"accuracy": Metric(1 - wrong / 100, samples=samples)}, 0.5)


def test_a_state_whose_samples_were_forgotten_is_measured_again_before_a_scan(state):
    masks = [{NAMES[0]: BitMask.from_bools(np.arange(20) >= n)} for n in (10, 5)]
    pruned, other = (state.with_masks({"masks": each}) for each in masks)
    with measured(Right()) as evaluator:
        evaluator.measure_baseline(state, Job())
        for each in (pruned, other):
            evaluator.measure(each, Job())
        request = ScanRequest(NAMES[1:], amounts=(0.5,))
        (tensor,) = last(scan_tensors(evaluator, pruned, request, Job())).tensors
    assert 0.03 < tensor.cells[0].noise["accuracy"] < 0.06


def test_where_samples_are_known_the_noise_of_a_cell_is_the_paired_interval(state):
    request = ScanRequest((NAMES[1],), amounts=(0.5,))
    with measured(Right()) as evaluator:
        scanned = last(scan_tensors(evaluator, state, request, Job()))
        change = evaluator.changes([*evaluator.results.values()][-1])
    (cell,) = scanned.tensors[0].cells
    assert cell.metrics == {"accuracy": 0.95}
    assert cell.noise == {"accuracy": change[0].band.half}, "as the history says"
    assert cell.noise["accuracy"] > 0.03
    assert scanned.metrics[0].noise == 0
