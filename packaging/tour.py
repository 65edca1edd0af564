"""Drive the real window through the main job by mouse and keys, and save a picture of each step.

    .venv/bin/python packaging/tour.py [DIR] [--docs]
    .venv/bin/python packaging/tour.py [DIR] --views [FILE ...] [--language de|zh_CN]
    .venv/bin/python packaging/tour.py [DIR] --gif

DIR (by default ./tour, with --docs a temporary folder) receives the exported file and the pictures
of two tours, light and dark, of one window at 150 %, and of every view of the sample.
With --views it receives every view of each FILE (by default of the sample) in both themes at 100,
150 and 200 %, and each page in each special state (empty, refused, busy, nothing checked, long
names) once per scale, and nothing else.
With --docs the pictures of the documentation are also written to docs/pictures; those of the README
show the ResNet-20 of ../shared/data if it exists, otherwise the sample.
With --gif only the sample is opened, pruned, evaluated, recovered and exported, and
docs/pictures/first-minutes.gif is written.
With --language the window uses that language.
The exit status is 1 if a step failed; then failed.png shows the window.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESNET = ROOT.parent / "shared" / "data" / "resnet20-12fca82f.th"
SCALE = "1.5"
SCALES = ("1", "1.5", "2")
RECORDING = "recording"
STATES = (("light", "1"), ("dark", "1.5"), ("light", "2"))
# Steps shown in the documentation, in both themes.
IN_DOCS = (
    *("empty", "preview", "weights", "distribution", "channels", "model", "rules"),
    *("history", "export", "report", "notice"),
)

VIEWS_IN_DOCS = (
    *("danger", "distribution-dragged", "distribution-decades", "channels-chosen", "model-role"),
    *("hand-close", "compare", "zeros", "pattern"),
    *("consent", "metrics", "quality", "repair", "repaired", "sensitivity"),
    *("recover", "recovering", "recovered"),
    *("shrunk", "shrunk-onnx", "graph"),
)


def main() -> int:
    """Run the tours one after the other, each in a separate process."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", metavar="DIR", type=Path)
    parser.add_argument("--docs", action="store_true", help="write docs/pictures as well")
    parser.add_argument("--gif", action="store_true", help="record the main job as a GIF")
    parser.add_argument("--views", nargs="*", type=Path, metavar="FILE", help="look at files only")
    parser.add_argument("--language", default="en", help="language of the window")
    parser.add_argument("--only", help=argparse.SUPPRESS)  # name of a single tour
    options = parser.parse_args()
    # Notices show full paths: those in the documentation must be the same everywhere.
    in_docs = options.docs or options.gif
    usual = Path(tempfile.gettempdir(), "pruneapp-tour") if in_docs else Path("tour")
    folder: Path = (options.folder or usual).resolve()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    if options.only:
        file = options.views[0].resolve() if options.views else None
        return tour(folder / options.only, options.only, file, options.language)
    if options.gif:
        walks = [(RECORDING, "1", None)]
    elif options.views is None:
        walks = [("light", "1", None), ("dark", "1", None), ("scaled", SCALE, None)]
        walks += [("light-views", "1", None), ("dark-views", "1", None)]
    else:
        walks = [
            (f"{theme}-views-{file.stem if file else 'sample'}-{scale}", scale, file)
            for file in options.views or [None]
            for theme in ("light", "dark")
            for scale in SCALES
        ]
        walks += [(f"{theme}-states-{scale}", scale, None) for theme, scale in STATES]
    statuses = [walk(folder, *each, options.language) for each in walks]
    print(f"The pictures are in {folder}")
    if any(statuses):
        print("A step failed.")
        return 1
    if options.docs:
        to_docs(folder)
    return 0


def walk(folder: Path, only: str, scale: str, file: Path | None, language: str) -> int:
    """Run one tour in a separate process; return its exit status."""
    shutil.rmtree(folder / only, ignore_errors=True)
    # Uses temporary folders instead of the user's settings.
    with tempfile.TemporaryDirectory(prefix="pruneapp-tour-") as home:
        folders = {f"XDG_{kind}_HOME": home for kind in ("CONFIG", "CACHE", "STATE", "DATA")}
        environment = {**os.environ, **folders, "QT_SCALE_FACTOR": scale}
        command = [sys.executable, __file__, str(folder), "--only", only, "--language", language]
        if file is not None:
            command += ["--views", str(file)]
        return subprocess.run(command, env=environment, check=False).returncode


def to_docs(folder: Path) -> None:
    """Copy the pictures of the documentation."""
    target = ROOT / "docs" / "pictures"
    target.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        for tour_, names in ((theme, (*IN_DOCS, "window")), (f"{theme}-views", VIEWS_IN_DOCS)):
            for name in names:
                (found,) = (folder / tour_).glob(f"[0-9][0-9]-{name}.png")
                save_small(found, target / f"{name}-{theme}.png")
    print(f"Those of the documentation are in {target}")


def save_small(picture: Path, target: Path) -> None:
    """Save a picture reduced to 256 of its colors: a third of the size, without visible loss."""
    import numpy as np
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage

    image = QImage(str(picture)).convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32)
    colors, counts = np.unique(pixels, return_counts=True)
    colors = colors[np.argsort(-counts, kind="stable")]
    # The most frequent color of each kind first, so that a small red mark stays red.
    _, kinds = np.unique(colors & 0xE0E0E0, return_index=True)
    table = list(dict.fromkeys([*colors[np.sort(kinds)].tolist(), *colors.tolist()]))[:256]
    flat = Qt.ImageConversionFlag.AvoidDither
    small = image.convertToFormat(QImage.Format.Format_Indexed8, table, flat)
    if not small.save(str(target), quality=0):
        raise OSError(f"{target} could not be written.")


def tour(folder: Path, only: str, file: Path | None, language: str) -> int:
    """Run one tour; return the exit status."""
    import shrunk
    import states
    import steps
    import views
    from driving import StepError, Tour

    folder.mkdir(parents=True, exist_ok=True)
    # File names are shown as entered: short ones give equal pictures everywhere.
    os.chdir(folder)
    print(f"{only.capitalize()}:", flush=True)
    walk = Tour(folder, only, language)
    try:
        if only == "scaled":
            steps.scaled(walk)
        elif only == RECORDING:
            import animation  # needs Pillow

            animation.record(walk)
            animation.write_recording(folder, ROOT / "docs" / "pictures" / "first-minutes.gif")
        elif "views" in only:
            views.see(walk, file)
        elif "states" in only:
            states.see(walk)
            shrunk.see_states(walk)
        else:
            steps.main_job(walk, RESNET if RESNET.exists() else None)
    except StepError as error:
        walk.window.grab().save(str(folder / "failed.png"))
        print(f"  FAILED in step {walk.number}: {error}", flush=True)
        return 1
    except Exception:  # noqa: BLE001 - of the tour itself; a hook collects those of the window
        traceback.print_exc()
        return 1
    finally:
        walk.end()
    return 0


if __name__ == "__main__":
    sys.exit(main())
