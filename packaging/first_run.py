"""Perform the main job once in a window without a display, and print each step with its figures.

    .venv/bin/python packaging/first_run.py [FILE] [--folder DIR]

Opens FILE (by default the sample), prunes it, exports it, opens the export again and compares it
with the document. The sample comes with an evaluation script, so it is also evaluated before and
after pruning, and repaired. DIR/first-run (DIR is ./tour by default) is emptied and receives the
exported file and a picture of each step. The exit status is 1 if a step failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from driving import Tour

EXPORT = "pruned"
# A worker that imports torch for the first time on a slow disk takes this long.
PATIENCE_MS = 120_000


def main() -> int:
    """Parse the arguments and perform the job in a temporary home folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", metavar="FILE", type=Path)
    parser.add_argument("--folder", metavar="DIR", type=Path, default=Path("tour"))
    options = parser.parse_args()
    folder: Path = options.folder.resolve() / "first-run"
    file: Path | None = options.file and options.file.resolve()
    if file is not None and not file.exists():
        print(f"There is no file or folder '{options.file}'.")
        return 1
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    # The user's own settings are neither shown nor changed. The last thread may still write.
    with tempfile.TemporaryDirectory(prefix="pruneapp-", ignore_cleanup_errors=True) as home:
        os.environ.update(
            {f"XDG_{kind}_HOME": home for kind in ("CONFIG", "CACHE", "STATE", "DATA")}
        )
        return perform(folder, file)


def perform(folder: Path, file: Path | None) -> int:
    """Perform the job and return the exit status."""
    import driving
    from driving import StepError, Tour

    driving.PATIENCE_MS = PATIENCE_MS
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.chdir(folder)
    walk = Tour(folder, "first-run")
    try:
        exported = run_job(walk, file)
    except StepError as error:
        walk.window.grab().save(str(folder / "failed.png"))
        print(f"Step {walk.number + 1} failed: {error}\nSee {folder / 'failed.png'}", flush=True)
        return 1
    except Exception:  # noqa: BLE001 - printed; the exit status reports the failure
        traceback.print_exc()
        return 1
    finally:
        walk.end()
    print("Pictures:", *sorted(folder.glob("*.png")), sep="\n  ")
    print(f"Exported file:\n  {exported}", flush=True)
    return 0


def run_job(walk: Tour, file: Path | None) -> Path:
    """Open, prune, evaluate, repair, export and compare; return the path of the export."""
    import quality
    from driving import wait_until

    from pruneapp.gui.evaluation.source_choice import DataKind
    from pruneapp.gui.export.dialog import ExportDialog
    from pruneapp.gui.export.report_dialog import ExportReportDialog
    from pruneapp.gui.repair.dialogs import RepairDialog, RepairReportDialog
    from pruneapp.gui.widgets.number_format import count, percent, size

    user, bench = walk.user, walk.bench
    if file is None:
        walk.open(lambda: user.click(walk.window.empty.sample_button))
    else:
        walk.open(lambda: user.drop(file))
    document = bench.session.document
    assert document is not None
    entries = document.checkpoint.entries
    total = sum(entry.numel for entry in entries.values())
    keep(walk, "opened", f"Opened {document.checkpoint.path.name}: "
         f"{count(len(entries))} tensors, {count(total)} numbers")  # fmt: skip

    quality.prune(walk, "90%" if file is None else "50%")
    pruned = sum(mask.pruned for mask in document.masks.values())
    keep(walk, "pruned", f"Pruned {count(pruned)} of them ({percent(pruned / total)})")

    if file is None:
        quality.start_evaluation(walk)
        keep(walk, "evaluated", f"Evaluated: {metrics(walk)}")
        user.press("Ctrl+R")
        dialog = user.dialog(RepairDialog)
        assert isinstance(dialog, RepairDialog)
        script = dialog.source.fields[DataKind.SCRIPT]
        user.replace(script, str(walk.folder / quality.SCRIPT))
        wait_until(dialog.go.isEnabled, "the layers")
        user.click(dialog.go)
        report = user.dialog(RepairReportDialog)
        assert isinstance(report, RepairReportDialog)
        user.click(report.evaluate)
        quality.wait_for_metrics(walk, 3)
        keep(walk, "repaired", f"Repaired: {metrics(walk)}")
    else:
        print("Evaluation and repair need a script of yours; see docs/measure.md", flush=True)

    user.press("Ctrl+E")
    export = user.dialog(ExportDialog)
    assert isinstance(export, ExportDialog)
    target = Path(export.target.path.text())
    exported = walk.folder / f"{EXPORT}{target.suffix}"
    user.replace(export.target.path, str(exported))
    user.click(export.go)
    written = user.dialog(ExportReportDialog)
    assert isinstance(written, ExportReportDialog)
    nbytes = sum(p.stat().st_size for p in [exported, *exported.rglob("*")] if p.is_file())
    keep(walk, "exported", f"Exported {size(nbytes)} to {exported.name}")
    user.click(written.close_button)
    print(f"Opened the export again: {compare(walk, exported)}", flush=True)
    return exported


def keep(walk: Tour, name: str, text: str) -> None:
    """Save a picture of the window and print what was done."""
    from driving import StepError

    walk.number += 1
    walk.save(f"{walk.number:02}-{name}.png", text)
    if walk.bugs:
        raise StepError(f"The window reports a bug:\n{walk.bugs[0]}")


def metrics(walk: Tour) -> str:
    """Return the first metric of each evaluated state, in the order of the history."""
    from pruneapp.gui.widgets.number_format import percent

    found = []
    for state in walk.bench.evaluation.states():
        metric = state.quality.metric()
        assert metric is not None
        value = percent(metric.value) if metric.share else f"{metric.value:.4g}"
        found.append(f"{metric.name} {value} ({state.label})")
    return ", ".join(found)


def compare(walk: Tour, exported: Path) -> str:
    """Compare every tensor of the export with the document, bit by bit, and return a sentence.

    Raises
    ------
    StepError
        If a tensor is missing or has other bits.
    """
    import numpy as np
    from driving import StepError

    from pruneapp.checkpoint.checkpoint import open_checkpoint
    from pruneapp.export.records import RecordRange, final_bits

    document = walk.bench.session.document
    assert document is not None
    state = document.snapshot()
    zeros = 0
    with open_checkpoint(exported) as written:
        for name, entry in state.checkpoint.entries.items():
            expected = final_bits(state, RecordRange(entry, 0, entry.numel))
            if name not in written.entries or not np.array_equal(written.bits(name), expected):
                raise StepError(f"Tensor '{name}' of the export differs from the document.")
            zeros += int(np.count_nonzero(expected == 0))
    return f"all {len(state.checkpoint.entries)} tensors are equal, bit by bit; {zeros:,} zeros"


if __name__ == "__main__":
    sys.exit(main())
