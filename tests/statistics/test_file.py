"""The statistics file: read as written, by any of a weight's names and shapes, and nothing else."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from pruneapp.errors import CheckpointError, DamagedFileError, ParameterError
from pruneapp.progress import Job
from pruneapp.statistics.file import KEY, Inputs, Origin, fits, open_statistics, save_statistics
from tests.support.cancel_checks import CountingToken
from tests.support.imatrix_files import dat, gguf

RNG = np.random.default_rng(0)


def inputs(parts: int, columns: int, *, transposed: bool = False) -> Inputs:
    x = RNG.normal(size=(parts, 7, columns))
    return Inputs((x**2).sum(1), x.sum(1), np.full(parts, 7.0), transposed)


def test_what_is_written_is_read(tmp_path):
    """Sums, counts and Gram matrices of matrices, experts and transposed weights."""
    weights = {
        "fc.weight": inputs(1, 5),
        "experts": inputs(3, 4),
        "conv1d.weight": inputs(1, 6, transposed=True),
    }
    gram = RNG.normal(size=(3, 4, 4))
    origin = Origin(source="calibrate", script="ab", date="2026-01-01", unseen=("emb.weight",))
    path = tmp_path / "s.safetensors"
    digest = save_statistics(path, weights, origin, Job(), grams={"experts": list(gram)})

    shapes = {"fc.weight": (2, 5), "experts": (3, 2, 4), "conv1d.weight": (6, 8)}
    with open_statistics(path) as statistics:
        assert statistics.sha256 == digest
        assert statistics.names == tuple(weights)
        assert statistics.origin.unseen == ("emb.weight",)
        for name, wanted in weights.items():
            found = statistics.inputs(["other", name], shapes[name])
            assert found is not None
            assert np.array_equal(found.sum2, wanted.sum2)
            assert np.array_equal(found.sum, wanted.sum)
            assert np.array_equal(found.counts, wanted.counts)
            assert found.transposed == wanted.transposed
            assert np.array_equal(found.rms, np.sqrt(wanted.sum2 / 7))
        assert statistics.inputs(["emb.weight"], (9, 5)) is None
        assert np.array_equal(statistics.gram("experts", 2), gram[2])
        assert statistics.gram("fc.weight") is None
    # For other programs: the names and shapes of docs/statistics.md.
    arrays = load_file(path)
    assert {name: array.shape for name, array in arrays.items()} == {
        "fc.weight.in_sum2": (5,),
        "fc.weight.in_sum": (5,),
        "fc.weight.counts": (),
        "experts.in_sum2": (3, 4),
        "experts.in_sum": (3, 4),
        "experts.counts": (3,),
        "experts.in_gram": (3, 4, 4),
        "conv1d.weight.in_sum2": (6,),
        "conv1d.weight.in_sum": (6,),
        "conv1d.weight.counts": (),
    }


def test_a_part_that_nothing_reached_ranks_by_magnitude_alone():
    """As in llama.cpp for experts without tokens."""
    seen = Inputs(np.array([[8.0, 2.0], [0.0, 0.0]]), None, np.array([2.0, 0.0]))

    assert np.array_equal(seen.rms, [[2, 1], [1, 1]])


@pytest.mark.parametrize(
    ("shape", "parts", "columns", "transposed", "fit"),
    [
        ((4, 6), 1, 6, False, True),
        ((4, 6), 1, 4, False, False),
        ((4, 6), 1, 4, True, True),
        ((4, 3, 2, 2), 1, 12, False, True),  # a convolution, unfolded
        ((4, 3, 2, 2), 2, 12, False, True),  # with two groups
        ((4, 3, 2, 2), 3, 12, False, False),
        ((6, 3, 2, 2), 2, 3, True, True),  # transposed, with two groups
        ((5, 4, 6), 5, 6, False, True),  # experts
        ((5, 4, 6), 5, 4, True, True),
        ((5, 4, 6), 4, 6, False, False),
        ((6,), 1, 6, False, False),
        ((0, 6), 0, 6, False, False),
    ],
)
def test_inputs_fit_a_shape(shape, parts, columns, transposed, fit):
    """A matrix, a convolution and its groups, experts; each may be transposed."""
    assert fits(shape, parts, columns, transposed=transposed) == fit


def test_statistics_of_another_shape_are_refused_in_a_sentence(tmp_path):
    """Before a number is read."""
    path = tmp_path / "s.safetensors"
    save_statistics(path, {"fc.weight": inputs(1, 5)}, Origin(), Job())
    words = r"'fc.weight' with 5 inputs, .* \[2, 6\]"
    with open_statistics(path) as statistics, pytest.raises(ParameterError, match=words):
        statistics.inputs(["fc.weight"], (2, 6))


SUMS = {"w.in_sum2": np.ones(5), "w.in_sum": np.ones(5), "w.counts": np.ones(())}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"w.counts": None}, "lacks its counts"),
        ({"w.in_sum2": np.ones((1, 1, 5))}, "no matrix"),
        ({"w.counts": np.ones(2)}, "has 2 numbers instead of 1"),
        ({"w.in_sum": np.ones(4)}, "has 4 numbers instead of 1 x 5"),
        ({"w.in_sum2": np.full(5, np.nan)}, "not finite"),
        ({"w.in_sum": np.full(5, np.inf)}, "not finite"),
        ({"w.in_sum2": -np.ones(5)}, "negative"),
        ({"w.counts": np.array(-1.0)}, "negative"),
        ({"w.in_sum2": np.ones(5, np.float16)}, "float16"),
        ({"w.in_sum2": np.ones(5, np.complex64)}, "complex64"),
        ({"w.in_gram": np.ones((5, 4))}, "5 x 5"),
    ],
)
def test_damaged_statistics_are_refused_in_a_sentence(tmp_path, changed, says):
    """Whatever another program wrote into the file."""
    path = tmp_path / "s.safetensors"
    save_file({k: v for k, v in (SUMS | changed).items() if v is not None}, path)

    def read(statistics):
        statistics.inputs(["w"], (3, 5))
        statistics.gram("w")

    with open_statistics(path) as statistics, pytest.raises(DamagedFileError, match=says):
        read(statistics)


def test_files_of_other_programs_are_read(tmp_path):
    """Without our metadata; float32 sums, integer counts."""
    path = tmp_path / "s.safetensors"
    save_file({"w.in_sum2": np.ones(5, np.float32), "w.counts": np.array(4, np.int64)}, path)
    with open_statistics(path) as statistics:
        found = statistics.inputs(["w"], (3, 5))
    assert found is not None
    assert found.sum is None
    assert np.array_equal(found.rms, np.full((1, 5), 0.5))


@pytest.mark.parametrize("text", ["{", "[]", '{"transposed": 3}', '{"unseen": [null]}'])
def test_hostile_metadata_is_refused_in_a_sentence(tmp_path, text):
    """Including text of another type."""
    path = tmp_path / "s.safetensors"
    save_file(SUMS, path, metadata={KEY: text})
    with pytest.raises(DamagedFileError, match="in its metadata"):
        open_statistics(path)


def test_checkpoints_are_no_statistics_and_cut_files_are_refused(tmp_path):
    """Truncated at every byte."""
    path = tmp_path / "s.safetensors"
    save_file({"w": np.ones(5)}, path)
    with pytest.raises(CheckpointError, match="contains no statistics of activations"):
        open_statistics(path)
    save_statistics(path, {"w": inputs(1, 3)}, Origin(), Job())
    data = path.read_bytes()
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(CheckpointError):
            open_statistics(path)


@pytest.mark.parametrize("data", [gguf({}), dat({"output.weight": (1, np.ones(3))}), b"x", b"{}"])
def test_an_imatrix_is_to_be_converted_first(tmp_path, data):
    """It does not identify the weights of the checkpoint."""
    path = tmp_path / "imatrix.any"
    path.write_bytes(data)
    with pytest.raises(CheckpointError, match=r"is not a statistics file\. .*--from IMATRIX"):
        open_statistics(path)


def test_the_header_is_json_of_the_format(tmp_path):
    """Names may have any characters."""
    path = tmp_path / "s.safetensors"
    name = 'ä"\\\n.weight'
    save_statistics(path, {name: inputs(1, 3)}, Origin(source="text"), Job())
    with open_statistics(path) as statistics:
        assert statistics.names == (name,)
    data = path.read_bytes()
    head = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert json.loads(head["__metadata__"][KEY]) == {"source": "text"}


def test_reading_a_large_gram_matrix_can_be_cancelled(tmp_path):
    gram = RNG.normal(size=(2, 1500, 1500))
    weights = {"experts": inputs(2, 1500)}
    save_statistics(tmp_path / "s", weights, Origin(), Job(), grams={"experts": list(gram)})
    with open_statistics(tmp_path / "s") as statistics:
        token = CountingToken()
        assert np.array_equal(statistics.gram("experts", 1, token), gram[1])
        assert token.looks >= 4, "18 MB are not read in one go"
