"""What is told of an export is what is written under that very name, whatever its ending."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.format import Format
from pruneapp.export.format_sizes import offer, written_as
from pruneapp.export.sharding import usual_suffix
from pruneapp.progress import Job
from pruneapp.results.export import ExportRequest
from tests.export.containers import SOURCES, as_snapshot, model

pytestmark = pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")

# A name that no format knows, and one without an ending, are written as well.
NAMES = [
    (form, f"out{ending}")
    for form in FORMATS.values()
    for ending in (*form.suffixes, form.suffixes[0].upper(), "", ".model")
]
SHARDED = [form for form in FORMATS.values() if not form.one_file]


@pytest.mark.parametrize("opened", ["safetensors", "bare zip"])
@pytest.mark.parametrize(("form", "name"), NAMES, ids=lambda a: getattr(a, "name", a) or "none")
def test_what_is_told_of_a_name_is_written_under_it(form, name, opened, source_of, tmp_path):
    state = as_snapshot(source_of(opened, model(torch.float32)))
    out = tmp_path / name
    told = offer(state, form, {}, Job(), path=out)
    written = _written(form, state, out)
    if told.exact:
        assert told.nbytes == written
    else:
        assert abs(told.nbytes - written) <= 0.02 * written


@pytest.mark.parametrize("opened", SOURCES)
def test_of_resumable_every_ending_has_its_own_size(opened, source_of, tmp_path):
    form = FORMATS["resumable"]
    state = as_snapshot(source_of(opened, model(torch.float32)))
    sizes = {}
    for ending in (".safetensors", ".pt", ".bin"):
        out = tmp_path / f"x{ending}"
        sizes[ending] = offer(state, form, {}, Job(), path=out).nbytes
        assert sizes[ending] == _written(form, state, out)
    assert sizes[".safetensors"] != sizes[".pt"] == sizes[".bin"], "another container"


@pytest.mark.parametrize("form", SHARDED, ids=lambda form: form.name)
def test_shards_that_are_put_together_are_sized_as_one_file(form, source_of, tmp_path):
    state = as_snapshot(source_of("sharded", model(torch.float32)))
    together = tmp_path / f"x{form.suffixes[0]}"
    apart = offer(state, form, {}, Job(), path=tmp_path / "x")
    one = offer(state, form, {}, Job(), path=together)
    assert one.nbytes == _written(form, state, together)
    assert (one.files, apart.files) == (1, 2)
    assert apart == offer(state, form, {}, Job()), "which is the usual"


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_names_that_are_written_alike_need_no_new_count(form, source_of, tmp_path):
    state = as_snapshot(source_of("safetensors", model(torch.float32)))
    ways: dict[tuple[str, bool], set[int | None]] = {}
    for ending in (*form.suffixes, "", ".model"):
        out = tmp_path / f"x{ending}"
        way = written_as(state.checkpoint, form, out)
        ways.setdefault(way, set()).add(offer(state, form, {}, Job(), path=out).nbytes)
    assert all(len(sizes) == 1 for sizes in ways.values())
    usual = tmp_path / f"x{usual_suffix(state.checkpoint, form)}"
    assert written_as(state.checkpoint, form, None) == written_as(state.checkpoint, form, usual)


@pytest.mark.parametrize("name", ["csr", "deflated"])
def test_a_name_that_is_refused_leaves_the_usual_size(name, source_of, tmp_path):
    state = as_snapshot(source_of("safetensors", model(torch.float32)))
    refused = offer(state, FORMATS[name], {}, Job(), path=tmp_path / "x.bin")
    assert refused == offer(state, FORMATS[name], {}, Job())
    assert refused.nbytes


def _written(form: Format, state, out: Path) -> int:
    report = export(state, ExportRequest(form.name, out), Job())
    written = report.files[0].nbytes
    assert out.stat().st_size == written
    return written
