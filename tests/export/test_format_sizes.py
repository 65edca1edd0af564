"""The format list: every format, its size, its loaders and its notes."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from pruneapp.export import catalog, format_sizes
from pruneapp.export.catalog import FORMATS
from pruneapp.export.destination.sidecars import home_of
from pruneapp.export.exporter import export
from pruneapp.export.format import Format, Plan, Purpose
from pruneapp.export.format_sizes import container_key, format_offers, recommend
from pruneapp.export.formats.safetensors import SAFETENSORS
from pruneapp.export.report import ExportRequest
from pruneapp.export.sharding import usual_suffix
from pruneapp.params import validate_all
from pruneapp.progress import Job
from tests.support.containers import SOURCES, as_snapshot, model
from tests.support.formats import OF_ANY_SOURCE

pytestmark = pytest.mark.filterwarnings("ignore:.*(TypedStorage|read-only|non-writable).*")


@pytest.fixture
def state(source_of):
    return as_snapshot(source_of("safetensors", model(torch.float32)))


@pytest.mark.parametrize("form", FORMATS.values(), ids=list(FORMATS))
def test_every_format_says_who_loads_it_and_what_it_does_not(form):
    assert form.loaded_by
    assert len(form.does_not) <= 3, "more is not read"
    assert all(loader.name for loader in form.loaded_by)
    reasons = (*form.good_for.values(), *(form.good_for_folder or {}).values())
    for sentence in (*form.does_not, *reasons):
        assert sentence[0] == sentence[0].upper()
        assert sentence.endswith(".")
    assert all(suffix.startswith(".") for suffix in form.suffixes)
    assert form.fits("Model" + form.suffixes[0].upper())


def test_exact_sizes_are_those_of_the_files(state, tmp_path):
    found = format_offers(state, Job())
    assert [offer.name for offer in found] == list(FORMATS)
    for offer in found:
        assert bool(offer.why_not) == (offer.name not in OF_ANY_SOURCE)
        if offer.why_not:
            continue
        report = export(state, ExportRequest(offer.name, tmp_path / f"x{offer.suffixes[0]}"), Job())
        if offer.exact:
            assert offer.nbytes == report.files[0].nbytes


def test_a_format_that_cannot_is_offered_with_the_reason(source_of):
    checkpoint = source_of("bare zip", {"x": torch.zeros(3, dtype=torch.complex128)})
    by_name = {offer.name: offer for offer in format_offers(as_snapshot(checkpoint, {}), Job())}
    assert "complex128" in by_name["safetensors"].why_not
    assert by_name["safetensors"].nbytes is None
    assert not by_name["torch"].why_not


def test_each_purpose_is_served_by_the_smallest(state):
    found = format_offers(state, Job())
    for purpose in Purpose:
        serving = [o for o in found if purpose in o.serves]
        best = [o for o in found if purpose in o.recommended]
        assert len(best) == bool(serving)
        for offer in best:
            assert offer.nbytes <= 1.02 * min(o.nbytes for o in serving)
            assert offer.recommended[purpose] == FORMATS[offer.name].good_for[purpose]


@pytest.mark.parametrize(
    ("deflated", "zst", "best"),
    [
        (9_300_000, 9_600_000, "deflated"),
        (9_600_000, 9_600_000, "deflated"),
        (9_780_000, 9_600_000, "deflated"),
        (9_800_000, 9_600_000, "zst"),
    ],
)
def test_what_loads_as_it_is_goes_by_mail_unless_it_is_larger(deflated, zst, best, state):
    sizes = {"deflated": deflated, "zst": zst}
    found = [replace(o, nbytes=sizes.get(o.name, o.nbytes)) for o in format_offers(state, Job())]
    mailed = [o for o in recommend(found) if Purpose.MAIL in o.recommended]
    assert [o.name for o in mailed] == [best]
    assert Purpose.MAIL in mailed[0].recommended


@pytest.mark.parametrize(
    ("container", "config", "mailed", "archived"),
    [
        ("safetensors", False, {"deflated", "zst"}, "The smallest file, lossless."),
        ("bare zip", False, {"deflated", "zst"}, "The smallest file, lossless."),
        ("safetensors", True, {"zst"}, "keep config.json"),
        ("bare zip", True, {"zst"}, "keep config.json"),
        ("sharded", True, {"zst"}, "keep config.json"),
        ("sharded", False, {"zst"}, "keep config.json"),
    ],
)
def test_what_is_mailed_is_loaded_by_what_loaded_the_original(
    source_of, container, config, mailed, archived
):
    """transformers loads no packed torch file from a model folder, however small."""
    opened = source_of(container, model(torch.float32))
    if config:
        home_of(opened).joinpath("config.json").write_text("{}")
    elif container == "sharded":
        home_of(opened).joinpath("config.json").unlink()
    found = format_offers(as_snapshot(opened), Job())
    assert {o.name for o in found if Purpose.MAIL in o.serves} == mailed
    for smallest in mailed:
        sized = [replace(o, nbytes=1 if o.name == smallest else 9) for o in found]
        (best,) = [o for o in recommend(sized) if Purpose.MAIL in o.recommended]
        assert best.name == smallest
    tiny = [replace(o, nbytes=1 if o.name == "deflated" else 9_000) for o in found]
    (best,) = [o for o in recommend(tiny) if Purpose.MAIL in o.recommended]
    assert (best.name == "deflated") == ("deflated" in mailed)
    (kept,) = [o for o in found if Purpose.ARCHIVE in o.recommended]
    assert archived in kept.recommended[Purpose.ARCHIVE]
    for smallest in ("compact", "zst"):  # regression: Compact was called the smallest if it was not
        sized = [replace(o, nbytes=1 if o.name == smallest else 9) for o in found]
        (best,) = [o for o in recommend(sized) if Purpose.ARCHIVE in o.recommended]
        assert best.name == smallest


def test_no_program_is_named_that_does_not_unpack_zst():
    # GNU tar reports "This does not look like a tar archive" for a file that contains none.
    named = " ".join(f"{o.name} {o.note}" for o in FORMATS["zst"].loaded_by)
    assert "tar" not in named.split()
    assert "zstd -d" in named
    assert "pruneapp expand" in named


def test_nothing_is_recommended_before_all_are_sized(state):
    found = [
        replace(o, nbytes=None) if o.name == "safetensors" else o
        for o in format_offers(state, Job())
    ]
    assert all(Purpose.TRANSFORMERS not in o.recommended for o in recommend(found))


def bounded(plan: Plan, guess: int) -> Plan:
    return replace(plan, nbytes=plan.nbytes + 70_000, expected=lambda _job: guess)


class Steps:
    def __init__(self):
        self.told = []

    def report(self, done: int, total: int, _label: str) -> None:
        self.told.append((done, total))


@pytest.mark.parametrize("guess", [0, 500, 1_000_000])
def test_progress_of_a_file_of_unknown_size_ends_at_its_end(guess, state, tmp_path, monkeypatch):
    form = replace(SAFETENSORS, planner=lambda *a: bounded(SAFETENSORS.planner(*a), guess))
    monkeypatch.setattr(catalog, "FORMATS", {**FORMATS, "safetensors": form})
    steps = Steps()
    report = export(state, ExportRequest("safetensors", tmp_path / "x.safetensors"), Job(steps))
    export(state, ExportRequest("torch", tmp_path / "x.pt"), Job())

    assert steps.told[-1] == (2 * report.nbytes, 2 * report.nbytes)
    assert all(done <= total for done, total in steps.told)
    assert all(one[0] <= other[0] for one, other in itertools.pairwise(steps.told))
    told = format_sizes.format_offer(state, form, validate_all(form.params, {}), Job())
    assert (told.nbytes, told.exact) == (guess, False)
    assert format_sizes.planned_size(state, "safetensors", Job()) is None
    monkeypatch.setattr(format_sizes, "FORMATS", catalog.FORMATS)
    quick = format_offers(state, Job(), sampled=False)[0]
    assert (quick.nbytes, quick.exact) == (None, False)


def test_parameters_are_checked(state):
    for form in OF_ANY_SOURCE.values():
        assert (
            format_sizes.format_offer(state, form, validate_all(form.params, {}), Job()).nbytes > 0
        )


# The reported loading code uses the actual file name, whatever its suffix


SHARDED = [form for form in OF_ANY_SOURCE.values() if not form.one_file]


@pytest.mark.parametrize("opened", ["safetensors", "bare zip"])
@pytest.mark.parametrize("form", OF_ANY_SOURCE.values(), ids=lambda form: form.name)
def test_what_is_told_of_a_name_is_written_under_it(form, opened, source_of, tmp_path):
    state = as_snapshot(source_of(opened, model(torch.float32)))
    # Unknown suffixes and names without a suffix are allowed as well.
    for ending in (*form.suffixes, form.suffixes[0].upper(), "", ".model"):
        out = tmp_path / f"out{ending}"
        told = format_sizes.format_offer(state, form, {}, Job(), path=out)
        written = _written(form, state, out)
        if told.exact:
            assert told.nbytes == written, ending
        else:
            assert abs(told.nbytes - written) <= 0.02 * written, ending


@pytest.mark.parametrize("opened", SOURCES)
def test_of_resumable_every_ending_has_its_own_size(opened, source_of, tmp_path):
    form = FORMATS["resumable"]
    state = as_snapshot(source_of(opened, model(torch.float32)))
    sizes = {}
    for ending in (".safetensors", ".pt", ".bin"):
        out = tmp_path / f"x{ending}"
        sizes[ending] = format_sizes.format_offer(state, form, {}, Job(), path=out).nbytes
        assert sizes[ending] == _written(form, state, out)
    assert sizes[".safetensors"] != sizes[".pt"] == sizes[".bin"], "another container"


@pytest.mark.parametrize("form", SHARDED, ids=lambda form: form.name)
def test_shards_that_are_put_together_are_sized_as_one_file(form, source_of, tmp_path):
    state = as_snapshot(source_of("sharded", model(torch.float32)))
    together = tmp_path / f"x{form.suffixes[0]}"
    apart = format_sizes.format_offer(state, form, {}, Job(), path=tmp_path / "x")
    one = format_sizes.format_offer(state, form, {}, Job(), path=together)
    assert one.nbytes == _written(form, state, together)
    assert (one.files, apart.files) == (1, 2)
    assert apart == format_sizes.format_offer(state, form, {}, Job()), "which is the usual"


@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_names_that_are_written_alike_need_no_new_count(form, source_of, tmp_path):
    state = as_snapshot(source_of("safetensors", model(torch.float32)))
    ways: dict[tuple[str, bool], set[int | None]] = {}
    for ending in (*form.suffixes, "", ".model"):
        out = tmp_path / f"x{ending}"
        way = container_key(state.checkpoint, form, out)
        ways.setdefault(way, set()).add(
            format_sizes.format_offer(state, form, {}, Job(), path=out).nbytes
        )
    assert all(len(sizes) == 1 for sizes in ways.values())
    usual = tmp_path / f"x{usual_suffix(state.checkpoint, form)}"
    assert container_key(state.checkpoint, form, None) == container_key(
        state.checkpoint, form, usual
    )


@pytest.mark.parametrize("name", ["csr", "deflated"])
def test_a_name_that_is_refused_leaves_the_usual_size(name, source_of, tmp_path):
    state = as_snapshot(source_of("safetensors", model(torch.float32)))
    refused = format_sizes.format_offer(state, FORMATS[name], {}, Job(), path=tmp_path / "x.bin")
    assert refused == format_sizes.format_offer(state, FORMATS[name], {}, Job())
    assert refused.nbytes


def _written(form: Format, state, out: Path) -> int:
    report = export(state, ExportRequest(form.name, out), Job())
    written = report.files[0].nbytes
    assert out.stat().st_size == written
    return written
