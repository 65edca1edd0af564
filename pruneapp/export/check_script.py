"""A script that a person runs to see whether their pruned model still works."""

from __future__ import annotations

import keyword
from pathlib import Path

import msgspec

from pruneapp import plain_json, resources
from pruneapp.checkpoint.reader import Checkpoint
from pruneapp.checkpoint.torchfile import LEGACY, ZIP
from pruneapp.checkpoint.writer import write_whole
from pruneapp.errors import JsonError
from pruneapp.export.compact import COMPACT_FILE
from pruneapp.export.companions import CONFIG, home_of
from pruneapp.export.declaration import Format
from pruneapp.export.registry import get
from pruneapp.export.report import ExportReport
from pruneapp.export.resumable import RESUMABLE
from pruneapp.export.safetensors import SAFETENSORS
from pruneapp.export.target import check_file, spared
from pruneapp.export.torch import TORCH
from pruneapp.progress import Job

_BY_HAND = '''def make_model():
    """Return your model, and the inputs to try it with: a tuple or dict for its forward."""
    raise SystemExit("Fill in make_model() in this file first: it must return (model, inputs).")
    # For a folder of transformers:
    #     from transformers import AutoConfig, AutoModelForCausalLM
    #     model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(ORIGINAL))
    #     return model, (torch.randint(model.config.vocab_size, (1, 32)),)
    # For a module of your own:
    #     return MyModel(), (torch.randn(1, 3, 224, 224),)'''

# transformers makes every model from its configuration, and says what its forward takes.
_TRANSFORMERS = '''def make_model():
    """Return the model that config.json describes, with random inputs for its forward."""
    from transformers import @CLASS@, AutoConfig

    folder = ORIGINAL if ORIGINAL.is_dir() else ORIGINAL.parent
    config = AutoConfig.from_pretrained(folder, local_files_only=True)
    torch.manual_seed(0)
    model = @CLASS@(config)
    return model, example_inputs(model, config)


def example_inputs(model, config):
    """Return two random examples of what the model takes: token ids, images, or sound."""
    text = config.get_text_config()
    vocabulary = getattr(text, "vocab_size", 0)
    tokens = torch.randint(vocabulary, (2, 16)) if vocabulary else None
    inputs = {}
    if model.main_input_name == "input_ids" and vocabulary:
        inputs["input_ids"] = tokens
    elif model.main_input_name == "pixel_values":
        size = config.image_size
        height, width = (size, size) if isinstance(size, int) else size
        inputs["pixel_values"] = torch.randn(2, getattr(config, "num_channels", 3), height, width)
    elif model.main_input_name == "input_values":
        inputs["input_values"] = torch.randn(2, 16000)
    elif model.main_input_name == "input_features":
        frames = 2 * getattr(config, "max_source_positions", 1500)
        inputs["input_features"] = torch.randn(2, getattr(config, "num_mel_bins", 80), frames)
    else:
        raise SystemExit(f"Add inputs for {model.main_input_name!r} to example_inputs().")
    if getattr(config, "is_encoder_decoder", False):
        inputs["decoder_input_ids"] = tokens
    return inputs'''

_LOAD = """def load_into(model, tensors):
    missing, unexpected = model.load_state_dict(tensors, strict=False)
    return model, missing, unexpected"""

# transformers renames tensors of older files, and fuses some, as it loads them.
_LOAD_TRANSFORMERS = """def load_into(model, tensors):
    model, found = type(model).from_pretrained(
        None, config=model.config, state_dict=tensors, dtype=torch.float32, output_loading_info=True
    )
    return model, found["missing_keys"], found["unexpected_keys"]"""


def check_script(checkpoint: Checkpoint, report: ExportReport) -> str:
    """Return a script that compares the outputs of the original and of an export.

    Where the config.json beside the weights names a class of transformers, the script is complete.
    Else the user fills in the one function that makes the model.

    Parameters
    ----------
    checkpoint
        What was exported; where it was moved by the export, as it is now.
    report
        What was written.
    """
    form = get(report.format)
    before = _format_of(checkpoint)
    text = resources.path("check_export.py").read_text(encoding="utf-8")
    original = report.moved_to or checkpoint.path
    if checkpoint.contents.shards and original.is_file():
        original = original.parent  # of an index
    loaders = "\n\n\n".join(
        (
            before.load_code.strip().replace("def load(", "def load_original("),
            form.load_code.strip(),
        )
    )
    model = _transformers_class(checkpoint)
    how = "Run this file." if model else "Fill in make_model() below, then run this file."
    said = {
        "@HOW@": how,
        "# @LOAD@": _LOAD_TRANSFORMERS if model else _LOAD,
        "# @MODEL@": _TRANSFORMERS.replace("@CLASS@", model) if model else _BY_HAND,
        '"@ORIGINAL@"': repr(str(original.absolute())),
        '"@EXPORTED@"': repr(str(report.path.absolute())),
        '"@STATE_DICT@"': repr(checkpoint.contents.state_dict),
        "# @LOADERS@": loaders,
    }
    for mark, instead in said.items():
        text = text.replace(mark, instead)
    return text


class _Configuration(msgspec.Struct):
    """What config.json says of the class of a model; other keys do not matter here."""

    architectures: list[str] = []
    auto_map: dict[str, object] = {}


def is_complete(checkpoint: Checkpoint) -> bool:
    """Whether the script makes the model itself, so that nothing is left to be filled in."""
    return bool(_transformers_class(checkpoint))


def _transformers_class(checkpoint: Checkpoint) -> str:
    """Return the class of transformers that loads a model; empty where only its author knows."""
    path = home_of(checkpoint) / CONFIG
    try:
        found = plain_json.decode(path.read_bytes(), _Configuration, str(path))
    except (OSError, JsonError):
        return ""
    # Code that comes with a model is not run by a script of ours.
    if len(found.architectures) != 1 or found.auto_map:
        return ""
    (name,) = found.architectures
    return name if name.isidentifier() and name.isascii() and not keyword.iskeyword(name) else ""


def _format_of(checkpoint: Checkpoint) -> Format:
    """Return the format whose files are loaded like the one that was opened."""
    if any(entry.mask_of for entry in checkpoint.entries.values()):
        return RESUMABLE
    if checkpoint.format in {ZIP.name, LEGACY.name}:
        return TORCH
    return COMPACT_FILE if checkpoint.format == COMPACT_FILE.name else SAFETENSORS


def write_check_script(checkpoint: Checkpoint, report: ExportReport, path: Path, job: Job) -> Path:
    """Write `check_script` to a file; see there.

    A script that is there and differs may have been filled in: it stays, and the new one goes to
    the next free name, ``NAME2.py`` and so on.

    Returns
    -------
    Path
        What was written.

    Raises
    ------
    ExportError
        If the system refuses to write it.
    """
    data = check_script(checkpoint, report).encode()
    target = check_file(spared(path, data)).path
    job.extend(2 * len(data))
    write_whole(target, data, job)
    return target
