"""Generate code that loads an export: lines of Python, or a command.

Paths are absolute, so that the code can be pasted anywhere. In Python code, ``model`` is a module
of the user's class.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pruneapp import resources
from pruneapp.checkpoint.io.store import is_store
from pruneapp.export.destination.sidecars import CONFIG, MODULES
from pruneapp.export.destination.target import has_bytes
from pruneapp.export.format import LoadedModel

READER_NAME = "read_compact.py"
_DENSE = ".safetensors"
# Files from which `AutoTokenizer` reads a tokenizer.
_TOKENIZERS = ("tokenizer*.json", "vocab.*", "*.model")
_PRUNE_MODULES = """\
from pruneapp import prune  # or: from torch.nn.utils import prune
for key in [key for key in state_dict if key.removesuffix('_orig') + '_mask' in state_dict]:
    module, _, name = key.removesuffix('_orig').rpartition('.')
    prune.identity(model.get_submodule(module), name)"""


def describe_loading(loads: Callable[[LoadedModel], str], model: LoadedModel) -> str:
    """Return code that loads an export, with absolute paths.

    `loads` is that of the format. An export in an object store is downloaded into the current
    folder first, or expanded by a command if the format is compressed.
    """
    path = model.path
    if not is_store(path):
        return loads(replace(model, path=path.absolute()))
    code, name = loads(model), path.name
    if not code.startswith(("from ", "import ")):  # a command that unpacks it
        dense = name.removesuffix(".zst").removesuffix(".safetensors").removesuffix(".compact")
        return shlex.join(["pruneapp", "expand", str(path), "-o", f"{dense}{_DENSE}"])
    return (
        f"import fsspec\nstore, key = fsspec.url_to_fs({str(path)!r})\n"
        f"store.get(key, {name!r}, recursive=True)\n{code.replace(str(path), name)}"
    )


def safetensors(model: LoadedModel) -> str:
    """Return code that loads a dense safetensors file, or a folder of such files."""
    path = model.path
    if path.is_dir():
        line = "from safetensors.torch import load_file"
        return _load_folder(path, "*.safetensors", line, "load_file")
    return model.load_by(_read_safetensors(model))


def _read_safetensors(model: LoadedModel) -> str:
    return f"from safetensors.torch import load_file\nstate_dict = load_file({str(model.path)!r})"


def torch(model: LoadedModel) -> str:
    """Return code that loads a torch file, or a folder of such files."""
    path = model.path
    if path.is_dir():
        return _load_folder(path, "*.bin", "import torch", "torch.load")
    if model.script:
        return f"import torch\nmodel = torch.jit.load({str(path)!r}, map_location='cpu')"
    return model.load_by(_read_torch(model))


def npz(model: LoadedModel) -> str:
    """Return code that loads a NumPy archive.

    In it, items of void dtype become bfloat16 (2 bytes) or uint8.
    """
    raw = "torch.from_numpy(a.view(f'u{a.itemsize}')).view(torch.bfloat16 if a.itemsize == 2 else "
    raw += "torch.uint8)"
    return model.load_by(
        f"import numpy, torch\narrays = numpy.load({str(model.path)!r})\n"
        "state_dict = {n: torch.from_numpy(a) if a.dtype.kind != 'V' "
        f"else {raw} for n, a in arrays.items()}}"
    )


def gguf(model: LoadedModel) -> str:
    """Return code that reads a GGUF file, or a folder of its parts, with the gguf package."""
    path = model.path
    if path.is_dir():
        files = f"sorted(pathlib.Path({str(path)!r}).glob('*.gguf'))"
        lines = "import gguf, pathlib\n"
        return f"{lines}tensors = [t for f in {files} for t in gguf.GGUFReader(f).tensors]"
    return f"import gguf\ntensors = gguf.GGUFReader({str(path)!r}).tensors"


def _read_torch(model: LoadedModel) -> str:
    """Return code that defines `state_dict` from a torch file or a package."""
    call = ".state_dict()" if model.module else ""
    if model.package:
        package, pickle, *inside = model.keys
        keys = "".join(f"[{key!r}]" for key in inside)
        return (
            f"from torch.package import PackageImporter\n"
            f"archive = PackageImporter({str(model.path)!r})\n"
            f"state_dict = archive.load_pickle({package!r}, {pickle!r}, 'cpu'){keys}{call}"
        )
    options = "" if model.weights_only else ", weights_only=False"
    keys = "".join(f"[{key!r}]" for key in model.keys)
    return (
        f"import torch\nstate_dict = torch.load({str(model.path)!r}, map_location='cpu'"
        f"{options}){keys}{call}"
    )


def pickle(model: LoadedModel) -> str:
    """Return code that loads a pickle of arrays."""
    keys = "".join(f"[{key!r}]" for key in model.keys)
    return model.load_by(
        f"import pickle, torch\nwith open({str(model.path)!r}, 'rb') as file:\n"
        f"    arrays = pickle.load(file, encoding='latin1'){keys}\n"
        "state_dict = {n: torch.as_tensor(a) for n, a in arrays.items() if hasattr(a, 'shape')}"
    )


def onnx(model: LoadedModel) -> str:
    """Return code that loads an ONNX model."""
    return f"import onnxruntime\nsession = onnxruntime.InferenceSession({str(model.path)!r})"


def program(model: LoadedModel) -> str:
    """Return code that loads a program of torch.export as a module that runs its graph."""
    return f"import torch\nmodel = torch.export.load({str(model.path)!r}).module()"


def csr(model: LoadedModel) -> str:
    """Return code that loads a torch file with sparse CSR tensors."""
    lines = model.load_by(_read_torch(model))
    return lines.removesuffix(")") + ", assign=True)"


def resumable(model: LoadedModel) -> str:
    """Return code that loads weights and masks into a module, which is pruned first.

    For a folder, only code that reads its files.
    """
    path = model.path
    if path.is_dir():
        return safetensors(model) if any(path.rglob(f"*{_DENSE}")) else torch(model)
    is_torch = path.is_file() and path.suffix.lower() != _DENSE
    lines = model.load_by(_read_torch(model) if is_torch else _read_safetensors(model))
    *read, load = lines.splitlines()
    return "\n".join([*read, *_PRUNE_MODULES.splitlines(), load])


def masks(model: LoadedModel) -> str:
    """Return code that loads masks without weights."""
    return (
        "from safetensors.numpy import load_file\n"
        f"bits = load_file({str(model.path)!r})  # numpy.unpackbits(…, bitorder='little')"
    )


def compact(model: LoadedModel) -> str:
    """Return the command that unpacks a compact file.

    It runs the reader script if that is next to the file, otherwise Pruneapp.
    """
    packed, reader = str(model.path), model.path.with_name(READER_NAME)
    dense = packed.removesuffix(".compact.safetensors") + _DENSE
    if _is_reader_script(reader):
        command = shlex.join(["python", str(reader), packed, dense])
        return f"{command}\n# ship {READER_NAME} with the file; it requires numpy and zstandard"
    return shlex.join(["pruneapp", "expand", packed, "-o", dense])


def zst(model: LoadedModel) -> str:
    """Return the command that decompresses a dense zstd file."""
    packed = str(model.path)
    if packed.endswith(f"{_DENSE}.zst"):
        return shlex.join(["zstd", "-d", packed])
    # zstd derives the name of its output only from certain names.
    return shlex.join(["zstd", "-d", packed, "-o", packed.removesuffix(".zst") + _DENSE])


def _is_reader_script(reader: Path) -> bool:
    """Return whether a file is Pruneapp's reader script, not another file of the same name."""
    try:
        return has_bytes(reader, resources.path(READER_NAME).read_bytes())
    except OSError:
        return False  # the installed script cannot be read, so none was written


def transformers_folder(path: Path, model_class: str, comment: str = "") -> str:
    """Return code that loads a folder by a class of transformers, and its tokenizer if it has one.

    `comment` is appended to the line that loads the model. A sentence encoder, a folder with
    modules.json, is loaded by sentence-transformers, which pools the vectors of the tokens.
    """
    if (path / MODULES).is_file():
        return (
            "from sentence_transformers import SentenceTransformer\n"
            f"model = SentenceTransformer({str(path)!r})\nvectors = model.encode(['A sentence.'])"
        )
    tokenizer = any(file for like in _TOKENIZERS for file in path.glob(like))
    code = f"from transformers import {model_class}{', AutoTokenizer' * tokenizer}"
    code += f"\nmodel = {model_class}.from_pretrained({str(path)!r}){comment}"
    if tokenizer:
        code += f"\ntokenizer = AutoTokenizer.from_pretrained({str(path)!r})"
    return code


def _load_folder(path: Path, pattern: str, line: str, load: str) -> str:
    """Return code that loads a folder: by transformers if it has a config.json, else each file.

    `pattern` matches the files, `line` imports the function `load` that reads one.
    """
    if (path / CONFIG).is_file():
        return transformers_folder(path, "AutoModel", "  # or the class of your model")
    if not any(path.glob(pattern)):  # an index may list shards in subfolders
        pattern = f"**/{pattern}"
    return (
        f"import pathlib\n{line}\n"
        f"parts = [{load}(f) for f in sorted(pathlib.Path({str(path)!r}).glob({pattern!r}))]"
    )
