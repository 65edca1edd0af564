"""Find the model in a folder."""

from __future__ import annotations

import contextlib
import re
import shlex
from pathlib import Path
from typing import Any

from pruneapp.checkpoint.formats.gguf import GGUF
from pruneapp.checkpoint.formats.npz import NPZ
from pruneapp.checkpoint.formats.onnx import ONNX
from pruneapp.checkpoint.formats.safetensors import SAFETENSORS
from pruneapp.checkpoint.formats.shard_names import ShardName, complete_sets
from pruneapp.checkpoint.formats.torch_dcp import METADATA_FILE, SUFFIX
from pruneapp.checkpoint.io.files import is_folder
from pruneapp.checkpoint.io.object_source import open_source
from pruneapp.checkpoint.io.store import is_store
from pruneapp.checkpoint.quantization import Declaration, declaration_of
from pruneapp.checkpoint.torchfile import ZIP
from pruneapp.errors import (
    CheckpointError,
    JsonError,
    UnrecognizedFileError,
    UnsupportedFileError,
    words_of,
)
from pruneapp.json_codec import load_object

# Formats of the files in a folder, in order of preference.
_FORMATS = (SAFETENSORS, ZIP, ONNX, GGUF, NPZ)
# The file that transformers loads from a folder in preference to an index of shards with the same
# prefix (`transformers/modeling_utils.py`, `_get_resolved_checkpoint_files`; 5.23).
_WHOLE_FILES = ("model.safetensors", "pytorch_model.bin")
_INDEX = ".index.json"
# The original file that an export over its own source has renamed.
_RENAMED_ORIGINAL = re.compile(r"\.orig\d*(?=\.\w+$)")
# Words in the names of other files that training saves with a model.
_OTHER_FILES = re.compile(
    r"optimizer|optim_states|scheduler|rng_state|training_args|scaler", re.IGNORECASE
)


def names_in(folder: Path) -> list[str]:
    """Return the sorted names of all entries of a folder, hidden ones and folders included.

    Raises `CheckpointError` if it cannot be read.
    """
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise CheckpointError(
            f"The folder '{folder}' cannot be read: {words_of(error)}.",
            remedy="Check the folder and your permission to read it.",
        ) from None


def find_model(folder: Path) -> tuple[tuple[Path, ...], str]:
    """Return the files of the model in a folder, with the preferences of transformers.

    Files of one format are preferred to those of the next: safetensors, torch, ONNX, GGUF, npz.
    Optimizer states, hidden files and originals that an export renamed are ignored.

    Returns
    -------
    files
        Either the index, the only file, or all shards (sorted); the metadata file of a distributed
        checkpoint of torch.
    unused_index
        The name of an index in the folder that is not opened because a whole file is preferred;
        empty if there is none.

    Raises
    ------
    CheckpointError
        If the folder cannot be read.
    UnsupportedFileError, UnrecognizedFileError
        If there is no model, more than one, or one that must be converted first.
    """
    names = names_in(folder)
    for suffixes in (form.suffixes for form in _FORMATS):
        if suffixes == ZIP.suffixes:  # parts saved by training have the same suffixes
            if METADATA_FILE in names and any(name.endswith(SUFFIX) for name in names):
                return (folder / METADATA_FILE,), ""
            _refuse_training_folders(folder, names)
        indexes = [n for n in names if n.endswith(tuple(s + _INDEX for s in suffixes))]
        for whole in _WHOLE_FILES:
            if whole in names and whole + _INDEX in indexes:
                return (folder / whole,), whole + _INDEX
        files = [folder / n for n in names if n.endswith(suffixes) and _is_model(n)]
        if len(indexes) == 1:
            return (folder / indexes[0],), ""
        if indexes:
            _refuse_choice(folder, indexes)
        names_of_files = [file.name for file in files]
        if len(files) == 1 or complete_sets(names_of_files) == [tuple(names_of_files)]:
            return tuple(files), ""
        if main := _without_variants(names_of_files):
            return (folder / main,), ""
        if files:
            _refuse_choice(folder, [file.name for file in files])
    *some, last = (suffix for form in _FORMATS for suffix in form.suffixes)
    raise UnrecognizedFileError(
        f"The folder '{folder}' contains no checkpoint in a supported format.",
        remedy=f"Open a folder with {', '.join(some)} or {last} files.",
    )


def find_index(path: Path) -> Path | None:
    """Return `path` if it is not a folder, else the path of the index of the model in the folder.

    Also an index that is not opened because a whole file is preferred. None if the folder has no
    index, no model or several.
    """
    if not is_folder(path):
        return path
    with contextlib.suppress(CheckpointError):
        files, unused_index = find_model(path)
        if unused_index:
            return path / unused_index
        return files[0] if files[0].suffix == ".json" else None
    return None


# ModelOpt wrote the second file before transformers supported quantization in the first.
_CONFIGURATIONS = ("config.json", "hf_quant_config.json")
_MAX_CONFIGURATION_BYTES = 8 << 20


def read_declaration(folder: Path) -> Declaration | None:
    """Return the declaration of quantization in the configuration of a folder.

    ``config.json`` is preferred to ``hf_quant_config.json``. None if there is none or it cannot be
    read: the weights are opened in any case. Configurations in an object store are not read,
    because each would need a request.
    """
    for name in _CONFIGURATIONS:
        config = read_configuration(folder, name)
        if config is not None and (declared := declaration_of(config)):
            return declared
    return None


def read_configuration(folder: Path, name: str = _CONFIGURATIONS[0]) -> dict[str, Any] | None:
    """Return the object in ``config.json``, or the JSON file `name`, of a local folder.

    None if the folder is in an object store, or the file is absent, unreadable, no JSON object, or
    larger than 8 MiB.
    """
    if is_store(folder):
        return None
    with (
        contextlib.suppress(CheckpointError, JsonError),
        contextlib.closing(open_source(folder / name)) as source,
    ):
        if source.size <= _MAX_CONFIGURATION_BYTES:
            return load_object(source.read(0, source.size), constants=True)
    return None


def may_be_weights(name: str) -> bool:
    """Return whether a file name in a folder is that of a file of weights or of their index."""
    suffixes = (*SAFETENSORS.suffixes, *ZIP.suffixes, *ONNX.suffixes)
    return name.removesuffix(".index.json").endswith(suffixes) and _is_model(name)


def name_before(name: str) -> str:
    """Return the name that a file had before an export renamed it, or `name` if none did."""
    return _RENAMED_ORIGINAL.sub("", name)


def _is_model(name: str) -> bool:
    return not (name.startswith(".") or _OTHER_FILES.search(name) or _RENAMED_ORIGINAL.search(name))


def _without_variants(names: list[str]) -> str:
    """Return the file that all others are variants of (``fp16``, ``non_ema``); empty if none.

    It is called ``diffusion_pytorch_model``, ``model`` or ``pytorch_model`` with one suffix; the
    others begin with that name and have the same suffix. A single such file is its own result.
    """
    for stem in ("diffusion_pytorch_model", "model", "pytorch_model"):
        for main in [
            name for name in names if name.startswith(f"{stem}.") and name.count(".") == 1
        ]:
            suffix = main.removeprefix(stem)
            others = [name for name in names if name != main]
            if all(n.startswith(f"{stem}.") and n.endswith(suffix) for n in others):
                return main
    return ""


def _refuse_choice(folder: Path, names: list[str]) -> None:
    """Raise `UnrecognizedFileError`, because the files `names` are not one complete model.

    The message is about missing shards if all are shards of the same number, else about a choice.
    """
    shown = ", ".join(f"'{name}'" for name in names[:5]) + (", …" if len(names) > 5 else "")
    shards = [ShardName.parse(folder / name) for name in names]
    first = shards[0]
    if first is not None and all(s is not None and s.count == first.count for s in shards):
        raise UnrecognizedFileError(
            f"The folder '{folder}' contains {len(names)} of {first.count} shards of a model "
            "and no index.",
            remedy="Download or copy the whole folder, or open one shard by itself.",
        )
    raise UnrecognizedFileError(
        f"The folder '{folder}' contains more than one checkpoint: {shown}.",
        remedy="Open one of these files.",
    )


# A file of DeepSpeed: the states of the model or the optimizer of one process.
_DEEPSPEED = re.compile(
    r"((?P<kind>bf16_|fp16_)?zero_pp_rank_\d+_)?mp_rank_(?P<rank>\d\d)_(model|optim)_states\.pt"
)
_CONVERTER = "zero_to_fp32.py"
_MEGATRON = "model_optim_rng.pt"


def refuse_part(path: Path) -> None:
    """Raise `UnsupportedFileError` if a file, by its name, is a part of a DeepSpeed checkpoint.

    A part has the optimizer states or weights of one process (``zero_pp_rank_…``); files with the
    whole model of a rank are accepted. Also raises `CheckpointError` if the folder of a part cannot
    be read.
    """
    match = _DEEPSPEED.fullmatch(path.name)
    if match is not None and match[1]:
        folder = path.parent
        raise UnsupportedFileError(
            f"'{path}' is a part of a checkpoint of DeepSpeed.",
            remedy=_deepspeed_remedy(folder, names_in(folder), [folder.absolute().name]),
        )


def _deepspeed_steps(folder: Path, names: list[str]) -> list[str]:
    """Return the names of the steps in a folder of DeepSpeed, or its own name if it is one step.

    DeepSpeed saves each step in a subfolder. The folder around them contains a file ``latest`` with
    the name of the last step, and the converter. `names` are the sorted names in `folder`, which
    determine the order of the steps. The result is ``[""]`` for a folder with only a converter, and
    empty for other folders.
    """
    if any(map(_DEEPSPEED.fullmatch, names)):
        return [folder.absolute().name]
    if _CONVERTER not in names and "latest" not in names:
        return []
    steps = []
    for name in names:
        with contextlib.suppress(CheckpointError):
            if is_folder(folder / name) and any(map(_DEEPSPEED.fullmatch, names_in(folder / name))):
                steps.append(name)
    return steps or [""] * (_CONVERTER in names)


def _deepspeed_remedy(folder: Path, names: list[str], steps: list[str]) -> str:
    """Return a remedy with the shell command that converts a checkpoint.

    The converter gets the folder of all steps, which is the parent of `folder` if that is one step.
    It also gets the last of `steps` if the file ``latest`` is missing or `folder` is one step. If
    `folder` has the whole model in one file, the remedy names that first. `names` are the names in
    `folder`.
    """
    if not folder.name:  # "."
        folder = folder.absolute()
    root = folder
    tag = "" if "latest" in names else steps[-1]
    whole = ""
    if any(map(_DEEPSPEED.fullmatch, names)):
        root, tag = folder.parent, steps[-1]
        models = [name for name in names if re.fullmatch(r"mp_rank_\d\d_model_states\.pt", name)]
        if len(models) == 1:
            whole = (
                f"Open '{folder / models[0]}', which has the weights in the precision of the "
                "training. For float32: "
            )
    script = root / _CONVERTER
    words = ["python", str(script if script.is_file() else _CONVERTER), str(root), "model"]
    return f"{whole or 'Convert it: '}{shlex.join([*words, *(['-t', tag] if tag else [])])}"


def _refuse_training_folders(folder: Path, names: list[str]) -> None:
    """Raise `UnsupportedFileError` if the names in a folder are those of a checkpoint to convert.

    These are checkpoints of DeepSpeed, Megatron, Meta (several ranks) and TensorFlow, and parts of
    a distributed checkpoint of torch without metadata. A folder with a ``pytorch_model…`` file,
    which contains the whole model, is only refused in the last case.
    """
    what = remedy = ""
    if any(name.endswith(SUFFIX) for name in names):
        what = f"a distributed checkpoint of torch without its file '{METADATA_FILE}'"
        remedy = "Copy the whole folder, including hidden files."
    elif any(n.startswith("pytorch_model") for n in names):
        return  # the whole model, saved together with the state of training
    elif steps := _deepspeed_steps(folder, names):
        what = "a checkpoint of DeepSpeed"
        remedy = _deepspeed_remedy(folder, names, steps)
    elif ranks := [name for name in names if re.fullmatch(r"mp_rank_\d\d.*", name)]:
        what = "a checkpoint of Megatron, split into ranks"
        remedy = "Convert it to Hugging Face's layout with the tools of Megatron."
        if len(ranks) == 1 and (whole := folder / ranks[0] / _MEGATRON).is_file():
            what, remedy = "a checkpoint of Megatron", f"Open '{whole}', which has all weights."
    elif sum(bool(re.fullmatch(r"consolidated\.\d\d\.pth", name)) for name in names) > 1:
        what = "a checkpoint of Meta's, split into ranks"
        remedy = "Convert it with convert_llama_weights_to_hf.py of transformers."
    elif "saved_model.pb" in names or any(".data-00000-of-" in name for name in names):
        what = "a TensorFlow model"
        remedy = "Save its weights as safetensors with TensorFlow, then open that."
    if what:
        raise UnsupportedFileError(f"The folder '{folder}' is {what}.", remedy=remedy)
