"""Generate a script that compares a pruned model with its original."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pruneapp import resources
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.io.store import is_store
from pruneapp.checkpoint.io.upload import write_whole
from pruneapp.checkpoint.torchfile import LEGACY, ZIP
from pruneapp.errors import CheckpointError, ExportError
from pruneapp.export.catalog import get
from pruneapp.export.destination.sidecars import (
    configuration_of,
    has_shrink_record,
    shrink_record_of,
)
from pruneapp.export.destination.target import check_file, unused_name
from pruneapp.export.format import Format
from pruneapp.export.formats.compact import COMPACT_FILE
from pruneapp.export.formats.resumable import RESUMABLE
from pruneapp.export.formats.safetensors import SAFETENSORS
from pruneapp.export.formats.torch import TORCH
from pruneapp.export.report import ExportReport
from pruneapp.progress import Job

# Formats whose files scripts of users read like the opened file, if the suffix is the same.
_WITH_GRAPH = frozenset({"onnx", "pt2"})
_READ_BY_SCRIPTS = _WITH_GRAPH | {SAFETENSORS.name, TORCH.name, "gguf", "npz"}
_SENTENCES = re.compile(r"# Put sentences of the kind.*?len\(SENTENCES\)\n", re.DOTALL)
# Maximum number of sentences for models with an output per token: a script keeps all outputs, and
# the logits of one sentence can take 100 MB.
_MOST_SENTENCES = 64
# First characters and end of the part of image_classifier.py that comparison scripts contain.
_CLASSIFIERS = "# Set before timm", "# What the worker calls"
# Comparison scripts of shrunk files contain these around `resize` of load_shrunk.py.
_RESIZING = """\
# The model of your script has the original widths. These files are smaller, so each load_state_dict
# first gives the layers the shapes of its tensors.
from torch import nn


{resize}


load_state_dict = nn.Module.load_state_dict


def load_resized(module, state_dict, *args, **kwargs):
    resize(module, dict(state_dict))
    return load_state_dict(module, state_dict, *args, **kwargs)


nn.Module.load_state_dict = load_resized


"""


@dataclass(frozen=True)
class EvaluationData:
    """What the user evaluates the model with: a script with `load` and `evaluate`, or data."""

    script: Path | None = None
    text: Path | None = None
    images: Path | None = None  # a folder; needs `classifier`
    # Library and name of an image classifier, and its number of classes.
    classifier: tuple[str, str, int] | None = None
    limit: int | None = None
    seed: int = 0


def check_script(
    checkpoint: Checkpoint, report: ExportReport, data: EvaluationData | None = None
) -> str:
    """Return a script that compares the original with an export, or with a shrunk model.

    With an evaluation script of the user, it prints the metrics of both. Otherwise it compares
    outputs, and is complete if config.json names a class of transformers; if not, the user fills in
    a function that creates the model. A shrunk state dict is loaded into the model of the original
    widths, which gets the shapes of its tensors first. Raises `ExportError` if the original no
    longer exists, one of both is in an object store, or a shrunk file contains its graph and there
    is no evaluation script.

    Parameters
    ----------
    data
        The evaluation data of the user: a model of transformers is run on the lines of a text, an
        image classifier on a folder of images. Without it, a model of transformers is run on
        example sentences. `limit` is ignored for a model with an output per token, which is run on
        at most 64 lines.
    """
    data = data or EvaluationData()
    for path in (checkpoint.path, report.path):
        if is_store(path):
            raise ExportError(
                f"The comparison script reads files of a disk, and '{path}' is in a store.",
                remedy="Compare with `pruneapp diff`, or download both first.",
            )
    is_shrunk = shrink_record_of(report.path).is_file()
    if is_shrunk and report.format in _WITH_GRAPH and data.script is None:
        raise ExportError(
            f"The comparison script cannot run '{report.path.name}', which contains its graph, "
            "without an evaluation script.",
            remedy="Evaluate a state with a script, and export again.",
        )
    form = get(report.format)
    before = _format_of(checkpoint)
    original = checkpoint.path
    if checkpoint.contents.shards and original.is_file():
        original = original.parent  # the path of an index file
    loaders = "\n\n\n".join(
        (
            before.load_code.strip().replace("def load(", "def load_original("),
            form.load_code.strip(),
        )
    )
    model = transformers_class(checkpoint)
    template = "check_transformers.py" if model else "check_export.py"
    if data.script is not None:
        template = "check_script.py"
    elif data.images is not None:
        template = "check_images.py"
    text = resources.path(template).read_text(encoding="utf-8")
    if (file := data.text) is not None:
        is_small = model.endswith("Classification") or (
            model.endswith("Model") and not model.endswith("LMHeadModel")
        )
        most = data.limit if is_small else _MOST_SENTENCES
        text = _SENTENCES.sub(lambda _: _sentences_of(file, most), text)
    reads = report.format in _READ_BY_SCRIPTS and (
        report.path.is_dir() == original.is_dir()
        and (original.is_dir() or report.path.suffix == original.suffix)
    )
    resizing = _resizing_code() if is_shrunk or has_shrink_record(checkpoint) else ""
    marks = {
        '"@SCRIPT@"': repr(str(data.script.absolute() if data.script else "")),
        '"@LIMIT@"': repr(data.limit),
        '"@SEED@"': repr(data.seed),
        '"@READS_EXPORT@"': repr(reads),
        '"@IMAGES@"': repr(str(data.images.absolute() if data.images else "")),
        '"@CLASSIFIER@"': repr(data.classifier and tuple(data.classifier)),
        "import AutoModel as Model": f"import {model} as Model",
        '"@ORIGINAL@"': repr(str(original.absolute())),
        '{"@ORIGINAL_WEIGHTS@": None}': f"{{\n{''.join(_weights(checkpoint))}}}",
        '"@EXPORTED@"': repr(str(report.path.absolute())),
        '"@STATE_DICT@"': repr(checkpoint.contents.state_dict),
        "# @FILES@": resources.path("check_files.py").read_text(encoding="utf-8").strip(),
        "# @LOADERS@": loaders,
        "# @CLASSIFIERS@": _classifier_code(),
        "# @RESIZING@\n\n\n": resizing,
    }
    for mark, instead in marks.items():
        text = text.replace(mark, instead)
    return text


def _classifier_code() -> str:
    """Return the code that the evaluation in the window makes classifiers and reads images with."""
    text = resources.path("pruneapp_worker/image_classifier.py").read_text(encoding="utf-8")
    code = text[text.index(_CLASSIFIERS[0]) : text.index(_CLASSIFIERS[1])]
    return re.sub(r"^(import|from) .*\n+", "", code, flags=re.MULTILINE).strip()


def _resizing_code() -> str:
    """Return code that makes ``load_state_dict`` give a model the shapes of a shrunk file first."""
    loader = resources.path("load_shrunk.py").read_text(encoding="utf-8")
    return _RESIZING.format(resize=loader[loader.index("def resize(") :].strip())


def _sentences_of(file: Path, most: int | None) -> str:
    """Return code that reads the first `most` sentences from the text of the user; None for all."""
    return (
        "# The text that the model was evaluated with: each line is a sentence.\n"
        f"TEXT = Path({str(file.absolute())!r})\n"
        'LINES = TEXT.read_text(encoding="utf-8", errors="replace").splitlines()\n'
        "LINES = [line.strip() for line in LINES if line.strip()]\n"
        f"SENTENCES = LINES[:{most}]  # None for all\n"
        "SOURCE, AVAILABLE = TEXT.name, len(LINES)\n"
    )


def _weights(checkpoint: Checkpoint) -> Iterator[str]:
    """Yield the current paths of the original weights and their modification times in ns.

    An export may have replaced the original files and kept them under other names. Raises
    `ExportError` if a file is missing or was changed.
    """
    for file in checkpoint.files:
        try:
            file.verify_unchanged()
        except CheckpointError as error:
            raise ExportError(
                f"The comparison script needs the original, which it cannot find: "
                f"{error.sentence.rstrip('.')}.",
                remedy="Export to another path, or keep a backup of the original.",
            ) from None
        yield f"    {str(file.path.absolute())!r}: {file.identity.mtime_ns},\n"


def transformers_class(checkpoint: Checkpoint) -> str:
    """Return the class of transformers that loads a model; "" if config.json names none.

    Also "" if it names several, or if the model brings its own code.
    """
    configuration = configuration_of(checkpoint)
    # Generated scripts never run code that comes with a model.
    if configuration is None or len(configuration.architectures) != 1 or configuration.auto_map:
        return ""
    (name,) = configuration.architectures
    return name if name.isidentifier() and name.isascii() and not keyword.iskeyword(name) else ""


def _format_of(checkpoint: Checkpoint) -> Format:
    """Return the format whose loading code also loads the opened file."""
    if any(entry.mask_of for entry in checkpoint.entries.values()):
        return RESUMABLE
    if checkpoint.format in {ZIP.name, LEGACY.name}:
        return TORCH
    return COMPACT_FILE if checkpoint.format == COMPACT_FILE.name else SAFETENSORS


def write_check_script(
    checkpoint: Checkpoint,
    report: ExportReport,
    path: Path,
    job: Job,
    data: EvaluationData | None = None,
) -> Path:
    """Write `check_script` to a file. Return its path, which can differ from `path`.

    An existing script that differs is kept, because the user may have edited it; the new one then
    gets the next unused name (``NAME2.py``). Raises `ExportError` as `check_script` does, or if it
    cannot be written.
    """
    text = check_script(checkpoint, report, data).encode()
    target = check_file(unused_name(path, text)).path
    job.extend(2 * len(text))
    write_whole(target, text, job)
    return target
