"""Recorded inputs of a model, and the batches that recovery makes of them."""

from __future__ import annotations

import collections
import pathlib
from typing import NamedTuple

import pytest
import torch
from torch import nn

from pruneapp.prune.recovery import _worker

recorded_calls = _worker("recorded_calls")
Recorder, Samples = recorded_calls.Recorder, recorded_calls.Samples
ContractError = _worker("pipe").ContractError


class Pair(NamedTuple):
    image: torch.Tensor
    weight: torch.Tensor


class Anything(nn.Module):
    """A model that accepts any arguments."""

    def forward(self, *args, **kwargs):
        return recorded_calls.tensors_in((args, kwargs))[0]


def record(*calls, **how):
    """Return a recorder of calls, each a tuple of arguments or a dict of keyword arguments."""
    model = Anything()
    recorder = Recorder(model, **how)
    with recorder.recording():
        for given in calls:
            if isinstance(given, dict):
                model(**given)
            else:
                model(*given)
    assert "forward" not in vars(model)
    return recorder


def is_split(model, *calls):
    model.eval()
    recorder = record(*calls)
    return recorded_calls.rows_are_independent(
        recorder.calls, lambda args, kwargs: recorded_calls.tensors_in(model(*args, **kwargs))
    )


def samples_of(*calls, split=True, size=4, seed=0, **how):
    return Samples(record(*calls).calls, split=split, size=size, seed=seed, **how)


class PerStep(nn.Module):
    def __init__(self, batch_first):
        super().__init__()
        self.lstm = nn.LSTM(3, 4, batch_first=batch_first)

    def forward(self, x):
        return self.lstm(x)[0]


class BatchCentred(nn.Module):
    def forward(self, x):
        return x - x.mean(0)


class Tempered(nn.BatchNorm1d):
    """Batch norm with statistics of the batch also in evaluation mode."""

    def __init__(self):
        super().__init__(3, track_running_stats=False)


def test_rows_are_split_only_if_they_are_independent():
    torch.manual_seed(0)
    x = torch.randn(5, 3)
    assert is_split(nn.Linear(3, 2), (x,))
    assert is_split(nn.BatchNorm1d(3), (x,))
    assert not is_split(Tempered(), (x,))
    assert not is_split(BatchCentred(), (x,))
    steps = torch.randn(6, 5, 3)
    assert is_split(PerStep(batch_first=True), (steps,))
    assert not is_split(PerStep(batch_first=False), (steps,))
    assert is_split(nn.LSTM(3, 4, num_layers=2, batch_first=True), (steps,))
    assert not is_split(nn.Flatten(0), (steps,))  # no dimension of rows
    assert not is_split(nn.Unflatten(0, (5, 1)), (x,))  # fails for other numbers of rows


def test_calls_of_one_row_are_joined_if_they_are_independent():
    ones = [(torch.randn(1, 3),) for _ in range(4)]
    assert is_split(nn.Linear(3, 2), *ones)
    assert not is_split(BatchCentred(), *ones)
    assert is_split(BatchCentred(), (torch.randn(1, 3),), (torch.randn(1, 4),))  # nothing to join


def test_numbers_that_are_not_finite_do_not_count():
    assert is_split(nn.Linear(3, 2), (torch.full((4, 3), torch.nan),))


@pytest.mark.parametrize("kind", ["tuple", "dict", "list", "named tuple", "keywords"])
def test_arguments_keep_their_structure(kind):
    images, weights = torch.randn(6, 2), torch.rand(6)
    given = {
        "tuple": ((images, weights),),
        "dict": ({"image": images, "weight": weights, "mode": "x"},),
        "list": ([images, [weights, 3]],),
        "named tuple": (Pair(images, weights),),
        "keywords": {"image": images, "weight": weights, "flag": True},
    }[kind]
    samples = samples_of(given, size=5)
    batch = samples.batch(samples.indices(0))
    value = batch.kwargs if kind == "keywords" else batch.args[0]
    before = given if kind == "keywords" else given[0]
    assert type(value) is type(before)
    assert batch.rows == 5
    assert [t.shape[0] for t in recorded_calls.tensors_in(value)] == [5, 5]
    row = (images == recorded_calls.tensors_in(value)[0][0]).all(1).nonzero().item()
    assert recorded_calls.tensors_in(value)[1][0] == weights[row]


def test_a_mapping_with_attributes_keeps_its_class():
    class Encoding(collections.UserDict):
        def __getattr__(self, name):
            try:
                return self.data[name]
            except KeyError:
                raise AttributeError(name) from None

    samples = samples_of((Encoding(ids=torch.arange(8).reshape(4, 2)),))
    assert samples.batch(samples.indices(0)).args[0].ids.shape == (3, 2)


def test_packed_sequences_are_recorded_as_a_whole():
    packed = nn.utils.rnn.pack_sequence([torch.randn(4, 3), torch.randn(2, 3)])
    samples = samples_of((packed,), (packed,), split=False)
    given = samples.batch(samples.indices(0)).args[0]
    assert isinstance(given, nn.utils.rnn.PackedSequence)
    assert torch.equal(given.data, packed.data)
    assert not is_split(PerStep(batch_first=True), (packed,), (packed,))


def test_tensors_that_rows_share_are_not_split():
    shared = torch.randn(3, 3)
    # the last call has as many rows as the shared tensor
    calls = [{"x": torch.randn(n, 2), "mask": shared, "scale": torch.tensor(2.0)} for n in (5, 3)]
    samples = samples_of(*calls)
    assert samples.count == 8
    for step in range(samples.per_epoch):
        batch = samples.batch(samples.indices(step), mix_seed=1)
        assert torch.equal(batch.kwargs["mask"], shared)
        assert batch.kwargs["scale"] == 2


def test_calls_with_other_shared_tensors_are_not_joined():
    calls = [{"x": torch.randn(2, 2), "bias": torch.full((3,), n)} for n in range(4)]
    samples = samples_of(*calls)
    for step in range(samples.per_epoch):
        rows = samples.indices(step)
        assert len({number for _, number, _ in rows}) == 1
    plain = [{"x": torch.randn(2, 2), "mode": n} for n in range(4)]
    assert len({key for key, _, _ in samples_of(*plain)._rows}) == 4
    place = [
        (torch.zeros(2, 2), None, torch.ones(2, 2)),
        (torch.zeros(2, 2), torch.ones(2, 2), None),
    ]
    assert len({row[0] for row in samples_of(*place)._rows}) == 2


def test_attention_masks_go_with_their_rows():
    ids = torch.arange(24).reshape(6, 4)
    mask = (ids % 5 > 0).long()
    samples = samples_of({"input_ids": ids, "attention_mask": mask})
    assert not samples.is_continuous
    batch = samples.batch(samples.indices(0), mix_seed=3)
    assert torch.equal(batch.kwargs["attention_mask"], (batch.kwargs["input_ids"] % 5 > 0).long())
    assert batch.first is batch.kwargs["input_ids"]


def test_batches_and_mixtures_are_determined_by_the_seed():
    x = torch.randn(50, 2)
    first, again, other = (samples_of((x,), seed=seed) for seed in (1, 1, 2))
    order = [first.indices(step) for step in range(3 * first.per_epoch)]
    # asked for in another order, as after resuming
    assert [again.indices(step) for step in reversed(range(len(order)))][::-1] == order
    assert order[: first.per_epoch] != order[first.per_epoch : 2 * first.per_epoch]
    assert other.held_out != first.held_out
    mixed = first.batch(order[0], mix_seed=1).first
    assert torch.equal(mixed, again.batch(order[0], mix_seed=1).first)
    assert not torch.equal(mixed, first.batch(order[0], mix_seed=2).first)
    plain = first.batch(order[0]).first
    assert torch.equal(plain, torch.stack([x[row] for *_, row in order[0]]))
    low, high = plain.amin(0) - 1e-6, plain.amax(0) + 1e-6
    assert ((mixed >= low) & (mixed <= high)).all()


def test_training_and_held_out_rows_are_a_partition():
    samples = samples_of((torch.randn(30, 2),), (torch.randn(10, 2),), (torch.randn(7, 5),))
    rows = [
        tuple(row) for batches in (samples.training, samples.held_out) for b in batches for row in b
    ]
    assert len(rows) == len(set(rows)) == samples.count == 47
    assert samples.n_held_out == 7
    epoch = [tuple(row) for step in range(samples.per_epoch) for row in samples.indices(step)]
    assert sorted(epoch) == sorted(tuple(row) for batch in samples.training for row in batch)
    assert {len({row[0] for row in batch}) for batch in samples.training} == {1}


def test_whole_calls_are_neither_split_nor_mixed():
    calls = [(torch.randn(3, 2),) for _ in range(4)]
    samples = samples_of(*calls, split=False)
    assert (samples.count, samples.n_held_out, samples.per_epoch) == (4, 1, 3)
    batch = samples.batch(samples.indices(0), mix_seed=1)
    assert any(torch.equal(batch.first, x) for (x,) in calls)
    assert batch.rows == 3


@pytest.mark.parametrize(
    "x", [torch.arange(12).reshape(6, 2), torch.full((6, 2), -torch.inf), torch.ones(6, 2).bool()]
)
def test_only_finite_numbers_are_mixed(x):
    samples = samples_of((x,))
    rows = samples.indices(0)
    assert torch.equal(samples.batch(rows, mix_seed=1).first, samples.batch(rows).first)


def test_fewer_than_two_samples_are_refused():
    with pytest.raises(ContractError, match="found only one independent sample"):
        samples_of((torch.randn(1, 2),))
    with pytest.raises(ContractError, match="found only one independent sample"):
        samples_of((torch.randn(5, 2),), split=False)
    assert samples_of((torch.randn(2, 2),)).n_held_out == 1


def test_a_batch_has_the_wanted_dtype_and_is_a_copy():
    x = torch.randn(4, 2).bfloat16()
    samples = samples_of({"x": x, "ids": torch.arange(4)}, dtype=torch.float32)
    rows = samples.held_out[0]
    batch = samples.batch(rows)
    assert (batch.kwargs["x"].dtype, batch.kwargs["ids"].dtype) == (torch.float32, torch.int64)
    batch.kwargs["x"].zero_()
    assert samples.batch(rows).kwargs["x"].any()


def test_inputs_of_inference_mode_are_recorded_before_they_change():
    model = Anything()
    recorder = Recorder(model)
    with torch.inference_mode(), recorder.recording():
        x = torch.randn(3, 2)
        before = x.clone()
        model(x)
        x.zero_()
    (call,) = recorder.calls
    recorded = call.given[0][0]
    assert torch.equal(recorded, before)
    assert not recorded.is_inference()


def test_only_outermost_calls_are_recorded_up_to_the_limit():
    class Recursive(nn.Module):
        def forward(self, x, again=2):
            return self(x, again - 1) if again else x

    model = Recursive()
    recorder = Recorder(model, samples=5)
    reached = []
    with recorder.recording():
        for number in range(5):
            model(torch.ones(2, 2))
            reached.append(number)
    assert (recorder.rows, len(recorder.calls), reached) == (6, 3, [0, 1, 2])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (({"cache": object()},), "an object of type object"),
        (([torch.ones(2), {1}],), "an object of type set"),
        ((torch.ones(2, 2).to_sparse(),), "layout torch.sparse_coo"),
        ((3,), "without a tensor"),
    ],
)
def test_calls_that_cannot_be_repeated_are_refused(given, message):
    with pytest.raises(ContractError, match=message):
        record(given)


def test_caches_of_transformers_are_refused():
    transformers = pytest.importorskip("transformers")
    with pytest.raises(ContractError, match="type DynamicCache") as caught:
        record({"input_ids": torch.ones(1, 2), "past_key_values": transformers.DynamicCache()})
    assert "use_cache=False" in caught.value.remedy


def test_inputs_beyond_the_budget_are_written_to_files_and_then_dropped():
    calls = [(torch.full((2, 4), float(n)),) for n in range(4)]  # 32 bytes each
    recorder = record(*calls, memory=40, disk=70)
    folder = pathlib.Path(recorder._folder.name)
    assert (len(recorder.calls), recorder.rows, recorder.dropped) == (3, 6, 2)
    assert len([*folder.iterdir()]) == 2
    for number, call in enumerate(recorder.calls):
        assert torch.equal(call.given[0][0], calls[number][0])
    recorder.close()
    assert not folder.exists()
    assert not recorder.calls


@pytest.mark.parametrize("dtype", [torch.bool, torch.bfloat16, torch.int64, torch.complex64])
def test_files_keep_dtypes_strides_and_empty_tensors(dtype):
    x = torch.arange(12).reshape(3, 4).t().to(dtype)
    recorder = record((x, torch.zeros(4, 0)), memory=0)
    assert torch.equal(recorder.calls[0].given[0][0], x)
    assert recorder.calls[0].given[0][1].shape == (4, 0)
    recorder.close()


def test_inputs_that_do_not_fit_on_the_disk_are_dropped(monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pathlib.Path, "write_bytes", fail)
    recorder = record((torch.ones(2, 2),), memory=0)
    assert (recorder.rows, recorder.dropped) == (0, 2)
    recorder.close()
