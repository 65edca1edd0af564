"""The report of an export agrees with its files."""

import csv
import json
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from pruneapp.document.entries import Entry
from pruneapp.errors import ExportError
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.provenance import calibration_names
from pruneapp.export.report import ExportRequest
from pruneapp.export.report_writer import (
    KINDS,
    StepAccount,
    account_of,
    percent,
    size,
    write_account,
)
from pruneapp.json_codec import convert
from pruneapp.progress import Cancelled, CancelToken, Job
from pruneapp.statistics.file import Inputs, Origin, register, save_statistics
from tests.support.containers import as_snapshot, kept_masks, model

STEPS = (
    StepAccount("2 rules on 3 tensors", "Rule 1: L1 40 % on 2 tensors (*.weight)\nScope: global"),
    StepAccount("<script>alert(1)</script> & more", "<b>all</b> of it"),
)


class Page(HTMLParser):
    """Texts and pictures of an HTML page; asserts that every element is closed."""

    EMPTY = frozenset({"meta", "rect", "link", "br"})

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict]] = []
        self.texts: list[str] = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data.strip())


@pytest.fixture
def exported(source_of, tmp_path):
    snapshot = as_snapshot(source_of("safetensors", model(torch.float32)))
    out = tmp_path / "out.safetensors"
    report = export(snapshot, ExportRequest("safetensors", out), Job())
    return snapshot, report, out


@pytest.fixture
def account(exported):
    snapshot, report, _ = exported
    return account_of(snapshot, report, STEPS, Job())


def test_the_numbers_are_those_of_the_files(account, exported):
    original = model(torch.float32)
    written = load_file(exported[2])
    kept = kept_masks()
    for tensor in account.tensors:
        assert tensor.shape == tuple(original[tensor.name].shape)
        if tensor.name not in kept:
            assert (tensor.pruned, tensor.norm_retained, tensor.l1_retained) == (0, 1.0, 1.0)
            continue
        assert tensor.pruned == int((~kept[tensor.name]).sum())
        before, after = original[tensor.name].double(), written[tensor.name].double()
        assert tensor.norm_retained == pytest.approx(float((after**2).sum() / (before**2).sum()))
        assert tensor.l1_retained == pytest.approx(float(after.abs().sum() / before.abs().sum()))
    assert account.report.pruned == sum(t.pruned for t in account.tensors)
    assert {offer.name for offer in account.sizes} == set(FORMATS)
    assert account.report.nbytes == exported[2].stat().st_size


def test_buffers_are_no_parameters(account):
    assert account.report.numel == 8 * 4 * 9 + 8 + 170 + 10


def test_json_and_csv_say_the_same(account, tmp_path):
    write_account(account, tmp_path / "r.json", Job())
    write_account(account, tmp_path / "r.csv", Job())
    data = json.loads((tmp_path / "r.json").read_text())
    with (tmp_path / "r.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))

    assert data["steps"] == [step.label for step in STEPS]
    assert data["step_details"] == [step.detail for step in STEPS]
    assert data["files"][0]["sha256"] == account.report.files[0].sha256
    assert [row["name"] for row in rows] == [t["name"] for t in data["tensors"]]
    for row, tensor, told in zip(rows, data["tensors"], account.tensors, strict=True):
        assert tensor["shape"] == list(told.shape)
        assert float(row["sparsity"]) == tensor["sparsity"] == told.sparsity
        assert float(row["norm2_retained"]) == tensor["norm2_retained"] == told.norm_retained
        assert float(row["l1_retained"]) == tensor["l1_retained"] == told.l1_retained


def test_the_page_names_both_norms_as_the_glossary_does(account, tmp_path):
    page = Page(write_account(account, tmp_path / "r.html", Job()).read_text())
    assert {"L2 norm² retained", "L1 norm retained"} <= set(page.texts)
    assert not [text for text in page.texts if "nergy" in text]
    assert (
        "L2 norm² retained: the sum of squares of the remaining weights, relative to that of all "
        "weights of the original. L1 norm retained: the same for magnitudes. Both use the "
        "original values, also after a repair or recovery."
    ) in page.texts


def test_the_page_says_all_of_each_step(account, tmp_path):
    page = Page(write_account(account, tmp_path / "r.html", Job()).read_text())
    for step in STEPS:
        assert {step.label, *step.detail.splitlines()} <= set(page.texts)


def test_the_page_names_the_data_of_the_evaluation(account, tmp_path):
    """Regression: a warning about the same data was shown for any data."""

    def text_of(same):
        data = {"metrics": {"cosine": "0.98"}, "evaluation": "embedding.py, sentences.txt, seed 0"}
        found = replace(account, calibration=("text:12ab",), same_data=same, **data)
        return write_account(found, tmp_path / f"{same}.html", Job()).read_text()

    page = text_of(False)
    assert "Measured before the export by embedding.py, sentences.txt, seed 0, with" in page
    assert "Calibrated with the text with the SHA-256 12ab.<" in page
    assert "the metrics are measured with the same data" in text_of(True)
    account = replace(account, allocated=frozenset({"text:12ab"}))
    assert "Allocated by a scan on the text with the SHA-256 12ab." in text_of(False)
    assert "Allocated by a scan on the same data: its metrics may be better than" in text_of(True)
    account = replace(account, evaluation_files={"s.txt": "12ab"})
    both = replace(account, calibration=("text:34cd", "text:12ab"), same_data=True)
    page = write_account(both, tmp_path / "both.html", Job()).read_text()
    assert "Calibrated with the text with the SHA-256 34cd.<" in page
    assert "Allocated by a scan on the same data" in page


def test_data_of_open_statistics_are_named(tmp_path):
    inputs = Inputs(np.ones((1, 4)), None, np.array([1.0]))
    origin = Origin(data="text:12ab", name="calib.txt")
    save_statistics(tmp_path / "s.safetensors", {"fc.weight": inputs}, origin, Job())
    values = {"amount": 0.5, "statistics": register(tmp_path / "s.safetensors")}
    rows = [{"name": "wanda", "configuration": {"values": values}}]
    entry: Entry = convert({"name": "step", "configuration": {"rows": rows}}, Entry)
    assert calibration_names([entry]) == {"text:12ab": "calib.txt"}


def test_sizes_and_dtypes_are_those_that_were_written(source_of, tmp_path):
    snapshot = as_snapshot(source_of("safetensors", model(torch.float32)))
    out = tmp_path / "out.safetensors"
    request = ExportRequest("safetensors", out, params={"dtype": "bfloat16"})
    account = account_of(snapshot, export(snapshot, request, Job()), (), Job())
    written = {n: str(t.dtype).removeprefix("torch.") for n, t in load_file(out).items()}
    assert {t.name: t.dtype for t in account.tensors} == written
    sizes = {offer.name: offer.nbytes for offer in account.sizes}
    assert sizes["safetensors"] == out.stat().st_size
    page = Page(write_account(account, tmp_path / "r.html", Job()).read_text())
    assert "Size in each format, weights as bfloat16" in page.texts
    data = json.loads(write_account(account, tmp_path / "r.json", Job()).read_text())
    assert data["dtype"] == "bfloat16"


def test_the_page_is_one_file_that_runs_nothing(account, tmp_path):
    path = write_account(account, tmp_path / "r.html", Job())
    page = Page(path.read_text())

    assert not {tag for tag, _ in page.tags} & {"script", "iframe", "img", "link", "object"}
    assert not [a for _, attrs in page.tags for a in attrs if a.startswith("on") or a == "src"]
    assert STEPS[1].label in page.texts, "it is said, and not run"
    assert account.report.files[0].sha256 in page.texts
    assert all(tensor.name in page.texts for tensor in account.tensors)
    stripes = [attrs for tag, attrs in page.tags if tag == "rect" and "x" in attrs]
    kept = [s for s in stripes if s["class"] == "kept"]
    assert sum(float(s["width"]) for s in kept) == pytest.approx(1000, abs=0.01)
    area = sum(float(s["width"]) * float(s["height"]) for s in stripes if s["class"] == "pruned")
    assert area / 100_000 == pytest.approx(account.report.sparsity, abs=1e-3)


@pytest.mark.parametrize("suffix", [".pdf", ".txt", ""])
def test_other_suffixes_are_refused_by_name(account, tmp_path, suffix):
    with pytest.raises(ExportError, match=r"\.html, \.csv, \.json"):
        write_account(account, tmp_path / f"report{suffix}", Job())

    assert not (tmp_path / f"report{suffix}").exists()


@pytest.mark.parametrize("suffix", KINDS)
def test_a_report_over_an_older_one_is_whole(account, tmp_path, suffix):
    path = tmp_path / f"r{suffix}"
    path.write_bytes(b"x" * 1_000_000)
    write_account(account, path, Job())

    assert b"xxx" not in path.read_bytes()


def test_a_shrunk_model_is_reported_with_what_was_removed(account, tmp_path):
    """Regression: "0.0 % pruned" was the headline of a model with half of its parameters."""
    before = write_account(account, tmp_path / "before.html", Job()).read_text()
    cut = replace(account.report, parameters_before=2 * account.report.numel, cut=("5 neurons",))
    text = write_account(replace(account, report=cut), tmp_path / "r.html", Job()).read_text()
    numel = account.report.numel
    assert "<b>50.0 %</b>removed" in text
    assert f"<b>{numel:,}</b>of {2 * numel:,} parameters remain, " in text
    assert "% of them pruned" in text
    # Regression: each tensor of the smaller file "retained 100 %" of the original.
    assert "norm retained" in before
    assert "norm retained" not in text


def test_it_can_be_cancelled(exported):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        account_of(exported[0], exported[1], STEPS, Job(cancel=token))


def test_a_tensor_of_zeros_has_no_energy_to_lose(source_of, tmp_path):
    checkpoint = source_of("safetensors", {"w": torch.zeros(4, 4)})
    snapshot = as_snapshot(checkpoint, {"w": np.eye(4, dtype=bool)})
    out = tmp_path / "o.safetensors"
    report = export(snapshot, ExportRequest("safetensors", out), Job())
    account = account_of(snapshot, report, (), Job())

    assert account.tensors[0].norm_retained is None
    assert "Nothing was pruned." in write_account(account, tmp_path / "r.html", Job()).read_text()


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0.0 %"), (0.0001, "< 0.1 %"), (0.5, "50.0 %"), (0.99999, "> 99.9 %"), (1.0, "100.0 %")],
)
def test_shares_never_claim_all_or_nothing_falsely(share, said):
    assert percent(share) == said


def test_sizes_are_in_units():
    assert [size(n) for n in (0, 999, 1500, 5 * 10**6, None)] == [
        "0 bytes", "999 bytes", "1.5 kB", "5 MB", "–",
    ]  # fmt: skip
