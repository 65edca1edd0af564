"""Measure sizes and times of all export formats: ``python -m tests.benchmarks.format_sizes FILE``.

At five sparsities. Each file is loaded with the code that the export's script contains, and every
tensor is compared with the masked original. The size forecast must equal the written size, or be
within 2 % of it for compressed formats.
"""

from __future__ import annotations

import argparse
import runpy
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file

from pruneapp.checkpoint.checkpoint import open_checkpoint
from pruneapp.document.document import Document
from pruneapp.document.snapshot import Snapshot
from pruneapp.document.step import Row, Step
from pruneapp.edits.existing_masks import open_document
from pruneapp.export.catalog import FORMATS
from pruneapp.export.exporter import export
from pruneapp.export.format import Format
from pruneapp.export.report import ExportRequest
from pruneapp.export.scripts.comparison_script import check_script
from pruneapp.export.sharding import plan_weights
from pruneapp.kernels.devices import kernel_for
from pruneapp.params import validate_all
from pruneapp.preview.preview import compute_preview
from pruneapp.progress import Job
from tests.benchmarks.benchmark import median
from tests.benchmarks.models import ROOT
from tests.benchmarks.report import replace_sections

PAGE = ROOT / "docs" / "formats.md"
SPARSITIES = (0, 50, 90, 99, 100)
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
MOST_OFF = 0.02
# One byte per page is read, so that a memory-mapped file is really loaded.
_PAGE_BYTES = 4096


@dataclass(frozen=True)
class Cell:
    """Sizes in bytes and times in seconds of one format at one sparsity."""

    nbytes: int
    foretold: int
    exact: bool
    told: float
    written: float
    loaded: float

    @property
    def off(self) -> float:
        """Return the relative error of the size forecast."""
        return self.foretold / self.nbytes - 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="packaging/dev.py sizes", description=__doc__)
    parser.add_argument("file", type=Path, metavar="FILE", help="a torch file of weights")
    parser.add_argument("--rounds", type=int, default=3, help="measure so often (default: 3)")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    weights = torch.load(options.file, map_location="cpu", weights_only=True)
    sections: list[str] = []
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="pruneapp-sizes-") as name:
        for label, dtype in DTYPES.items():
            source = Path(name) / f"{label}.safetensors"
            cast = {n: t.to(dtype) if t.is_floating_point() else t for n, t in weights.items()}
            save_file({n: t.contiguous() for n, t in cast.items()}, source)
            rows: dict[str, dict[int, Cell]] = {}
            for form, sparsity, cell in measured(source, Path(name), options.rounds):
                rows.setdefault(form, {})[sparsity] = cell
                say(f"{label} {form} {sparsity} %: {cell}")
                if cell.off and (cell.exact or abs(cell.off) > MOST_OFF):
                    wrong.append(f"{label} {form} at {sparsity} %: {100 * cell.off:+.2f} %")
            sections.append(section(label, source.stat().st_size, rows))
    for text in sections:
        say(f"\n{text}")
    if options.write:
        named = {"sizes": "\n".join(sections)}
        replace_sections(PAGE, named, "# What is written, and who loads it\n")
    for line in wrong:
        say(f"Not as foretold: {line}")
    return 1 if wrong else 0


def measured(source: Path, folder: Path, rounds: int) -> Iterator[tuple[str, int, Cell]]:
    """Yield name, sparsity and measurements of every format, pruned globally by magnitude."""
    with open_checkpoint(source) as checkpoint:
        document = open_document(checkpoint)
        usual = tuple(e.name for e in checkpoint.entries.values() if e.by_default)
        for sparsity in SPARSITIES:
            document.jump(0)
            if sparsity:
                _prune(document, usual, sparsity / 100)
            for form in FORMATS.values():
                cell = _cell(document.snapshot(), form, folder, rounds)
                yield form.name, sparsity, cell
        document.close()


def _prune(document: Document, names: tuple[str, ...], amount: float) -> None:
    row = Row(names, "l1_unstructured", {"amount": amount})
    step = Step((row,), scope="global")
    document.commit(compute_preview(document.snapshot(), step, kernel_for("cpu"), Job()))


def _cell(state: Snapshot, form: Format, folder: Path, rounds: int) -> Cell:
    values = validate_all(form.params, {})
    target = folder / f"written{form.suffixes[0]}"
    told, written, loaded = [], [], []
    for _ in range(rounds):
        began = time.perf_counter()
        plans = plan_weights(state, form, values, Job()).values()
        expected = sum(plan.size(Job()) for plan in plans)
        told.append(time.perf_counter() - began)
        began = time.perf_counter()
        report = export(state, ExportRequest(form.name, target), Job())
        written.append(time.perf_counter() - began)
        script = folder / "check.py"
        script.write_text(check_script(state.checkpoint, report))
        space = runpy.run_path(str(script), run_name="loaded")
        began = time.perf_counter()
        tensors = space["load"](target)
        _touch(tensors)
        loaded.append(time.perf_counter() - began)
        _compare(state, tensors)
        del tensors
    nbytes = sum(file.nbytes for file in report.files if file.path == target)
    target.unlink()
    return Cell(
        nbytes,
        expected,
        all(plan.exact for plan in plans),
        median(told),
        median(written),
        median(loaded),
    )


def _touch(tensors: Mapping[str, Any]) -> None:
    for tensor in tensors.values():
        tensor.reshape(-1).view(torch.uint8)[::_PAGE_BYTES].sum()


def _compare(state: Snapshot, tensors: Mapping[str, Any]) -> None:
    original = load_file(state.checkpoint.path)
    if tensors.keys() != original.keys():
        raise RuntimeError(f"Other names: {sorted(tensors.keys() ^ original.keys())}")
    for name, tensor in original.items():
        kept = state.export_mask(name)
        expected = tensor
        if kept is not None:
            bools = torch.from_numpy(kept.bools(0, kept.size)).reshape(tensor.shape)
            expected = torch.where(bools, tensor, torch.zeros((), dtype=tensor.dtype))
        if not torch.equal(tensors[name], expected):
            raise RuntimeError(f"'{name}' came back otherwise")


def section(label: str, nbytes: int, rows: Mapping[str, Mapping[int, Cell]]) -> str:
    """Return the tables of sizes and of times for one data type of weights."""
    head = ("format", *(f"{sparsity} %" for sparsity in SPARSITIES))
    sizes = [
        (f"`{form}`", *(_size(cells[sparsity]) for sparsity in SPARSITIES))
        for form, cells in rows.items()
    ]
    times = [
        (f"`{form}`", *(_times(cells[sparsity]) for sparsity in SPARSITIES))
        for form, cells in rows.items()
    ]
    return (
        f"### {label}, {nbytes:,} bytes dense\n\n{_table(head, sizes)}\n\n"
        "Seconds to predict the size, to write the file (flushed, read back and compared), and to "
        f"load it again:\n\n{_table(head, times)}\n"
    )


def _size(cell: Cell) -> str:
    off = f"{100 * cell.off:+.2f}".replace("-", "−")
    shown = "±0.00" if off in {"+0.00", "−0.00"} else off
    return f"{cell.nbytes:,}" + ("" if cell.exact else f" ({shown} %)")


def _times(cell: Cell) -> str:
    return f"{cell.told:.2f} / {cell.written:.2f} / {cell.loaded:.2f}"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
