"""How an export is loaded: one to three lines of Python, or a command.

Each takes the absolute path of a file or folder that was written, so that the lines can be pasted
wherever Python, or a shell, runs.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from pruneapp import resources
from pruneapp.checkpoint.io.store import is_store
from pruneapp.export.destination.sidecars import CONFIG
from pruneapp.export.destination.target import has_bytes

READER_NAME = "read_compact.py"
_DENSE = ".safetensors"
# What `AutoTokenizer` reads a tokenizer from.
_TOKENIZERS = ("tokenizer*.json", "vocab.*", "*.model")


def loading(loads: Callable[[Path], str], path: Path) -> str:
    """Return how an export is loaded; from a store it is downloaded before."""
    if not is_store(path):
        return loads(path.absolute())
    code, name = loads(path), path.name
    if not code.startswith(("from ", "import ")):  # a command that unpacks it
        dense = name.removesuffix(".zst").removesuffix(".safetensors").removesuffix(".compact")
        return shlex.join(["pruneapp", "expand", str(path), "-o", f"{dense}{_DENSE}"])
    return (
        f"import fsspec\nstore, key = fsspec.url_to_fs({str(path)!r})\n"
        f"store.get(key, {name!r}, recursive=True)\n{code.replace(str(path), name)}"
    )


def safetensors(path: Path) -> str:
    """Of a dense file, or of a folder of them."""
    if path.is_dir():
        return _folder(
            path, "*.safetensors", "from safetensors.torch import load_file", "load_file"
        )
    return f"from safetensors.torch import load_file\nstate_dict = load_file({str(path)!r})"


def torch(path: Path) -> str:
    """Of a torch file, or of a folder of them."""
    if path.is_dir():
        return _folder(path, "*.bin", "import torch", "torch.load")
    return f"import torch\nstate_dict = torch.load({str(path)!r}, map_location='cpu')"


def onnx(path: Path) -> str:
    """Of a model with its graph."""
    return f"import onnxruntime\nsession = onnxruntime.InferenceSession({str(path)!r})"


def npz(path: Path) -> str:
    """Of an archive of numpy; elements that numpy has no type for are bfloat16, or bytes."""
    raw = "torch.from_numpy(a.view(f'u{a.itemsize}')).view(torch.bfloat16 if a.itemsize == 2 else "
    raw += "torch.uint8)"
    return (
        f"import numpy, torch\narrays = numpy.load({str(path)!r})\n"
        "state_dict = {n: torch.from_numpy(a) if a.dtype.kind != 'V' "
        f"else {raw} for n, a in arrays.items()}}"
    )


def csr(path: Path) -> str:
    """Of a torch file with sparse rows."""
    return f"{torch(path)}\nmodel.load_state_dict(state_dict, assign=True)"


def resumable(path: Path) -> str:
    """Of weights and masks, for a module that torch has pruned."""
    is_torch = path.is_file() and path.suffix.lower() != ".safetensors"
    lines = torch(path) if is_torch else safetensors(path)
    if path.is_dir():
        return lines
    return f"{lines}\nmodel.load_state_dict(state_dict)  # pruned by torch.nn.utils.prune"


def masks(path: Path) -> str:
    """Of masks without weights."""
    return (
        "from safetensors.numpy import load_file\n"
        f"bits = load_file({str(path)!r})  # numpy.unpackbits(…, bitorder='little')"
    )


def compact(path: Path) -> str:
    """Of a packed file: by our reader beside it, to be sent along, else by Pruneapp."""
    packed, reader = str(path), path.with_name(READER_NAME)
    dense = packed.removesuffix(".compact.safetensors") + _DENSE
    if _is_ours(reader):
        command = shlex.join(["python", str(reader), packed, dense])
        return f"{command}\n# send {READER_NAME} along; it needs numpy and zstandard"
    return shlex.join(["pruneapp", "expand", packed, "-o", dense])


def zst(path: Path) -> str:
    """Of a dense file in a frame of zstd."""
    packed = str(path)
    if packed.endswith(f"{_DENSE}.zst"):
        return shlex.join(["zstd", "-d", packed])
    # Of another name zstd does not know what to call what comes out.
    return shlex.join(["zstd", "-d", packed, "-o", packed.removesuffix(".zst") + _DENSE])


def _is_ours(reader: Path) -> bool:
    """Whether it is the reader that we write, and not a script of somebody else's."""
    try:
        return has_bytes(reader, resources.path(READER_NAME).read_bytes())
    except OSError:
        return False  # ours cannot be read where it is installed, so none was written


def _folder(path: Path, pattern: str, line: str, load: str) -> str:
    if (path / CONFIG).is_file():
        tokenizer = any(file for like in _TOKENIZERS for file in path.glob(like))
        code = f"from transformers import AutoModel{', AutoTokenizer' * tokenizer}"
        code += f"\nmodel = AutoModel.from_pretrained({str(path)!r})  # or the class of your model"
        if tokenizer:
            code += f"\ntokenizer = AutoTokenizer.from_pretrained({str(path)!r})"
        return code
    if not any(path.glob(pattern)):  # an index may list shards in subfolders
        pattern = f"**/{pattern}"
    return (
        f"import pathlib\n{line}\n"
        f"parts = [{load}(f) for f in sorted(pathlib.Path({str(path)!r}).glob({pattern!r}))]"
    )
