"""Files next to the weights of a model: config.json with its dtype, tokenizer, other weights.

In transformers 5, ``from_pretrained(folder)`` uses the dtype in ``"dtype"`` or the older
``"torch_dtype"``, and that of the weights only if the configuration has none. With the original
configuration, rounded weights would be loaded as float32, and unrounded weights with the
configuration of a rounded export as bfloat16.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec

from pruneapp import json_codec
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.sharded import blobs_of
from pruneapp.checkpoint.io.atomic_file import PIECE_BYTES
from pruneapp.checkpoint.io.store import is_store
from pruneapp.checkpoint.model_folder import may_be_weights
from pruneapp.errors import ExportError, FileChangedError, JsonError, first_names, words_of
from pruneapp.export.format import Plan
from pruneapp.export.rounding import DTYPE, KEEP
from pruneapp.json_codec import load_object

CONFIG = "config.json"
MODULES = "modules.json"
SHRINK_RECORD = "pruneapp.shrink.json"  # in a folder with a shrunk model
# Parts of the names of classes that end in "Model" but have a head.
_WITH_HEADS = "Head", "MarianMT", "EncoderDecoder", "SeamlessM4T"
# The fields of a pooling of sentence-transformers, without their common start.
_POOLINGS = {
    "cls": "cls_token",
    "mean": "mean_tokens",
    "max": "max_tokens",
    "weighted mean": "weightedmean_tokens",
    "last token": "lasttoken",
}
# Suffixes of files that a model needs (configuration, tokenizer, templates, licence). Never code.
_COMPANIONS = frozenset({".json", ".txt", ".model", ".jinja", ".md"})
_LARGEST_COMPANION = 64 << 20


def home_of(checkpoint: Checkpoint) -> Path:
    """Return the folder of a checkpoint."""
    return checkpoint.folder


class Configuration(msgspec.Struct, frozen=True):
    """The fields of config.json that matter here."""

    architectures: list[str] = []  # classes of transformers
    architecture: str = ""  # model name of timm
    model_type: str = ""
    num_hidden_layers: int | None = None
    auto_map: dict[str, object] = {}

    @property
    def embeds(self) -> bool:
        """Whether the class has no head: `BertModel`, but not `GPT2LMHeadModel`."""
        name = self.architectures[0] if self.architectures else ""
        return name.endswith("Model") and not any(part in name for part in _WITH_HEADS)


def configuration_of(checkpoint: Checkpoint) -> Configuration | None:
    """Return the config.json next to the weights; None if it is missing or invalid."""
    return configuration_in(home_of(checkpoint))


def configuration_in(home: Path) -> Configuration | None:
    """Return the config.json in a folder.

    None if it is missing, invalid, unreadable, larger than 64 MiB, or a link to outside of the
    folder and of its download cache.
    """
    path = home / CONFIG
    try:
        if _is_inside(path, home, _LARGEST_COMPANION):
            return json_codec.decode(path.read_bytes(), Configuration, str(path))
    except (OSError, JsonError):
        pass
    return None


def pooling_of(checkpoint: Checkpoint) -> str:
    """Return how a folder of sentence-transformers pools the vectors of tokens, such as "mean".

    Several ways are joined by "+". Empty for other models, and if a file is missing or invalid.
    """
    home = home_of(checkpoint)
    try:
        modules = _module_folders(home).items()
        folder = next((path for path, kind in modules if kind.endswith(".Pooling")), None)
        if folder is None:
            return ""
        path = home / folder / CONFIG
        if not _is_inside(path, path.parent, _LARGEST_COMPANION):
            return ""
        fields = json_codec.decode(path.read_bytes(), dict[str, Any], str(path))
    except (OSError, JsonError, ExportError):
        return ""
    mode = fields.get("pooling_mode")  # of sentence-transformers 5
    if isinstance(mode, str):
        return mode
    return "+".join(
        name for name, field in _POOLINGS.items() if fields.get(f"pooling_mode_{field}") is True
    )


def shrink_record_of(model: Path) -> Path:
    """Return the path of the record of a shrunk model, which is a folder or a file."""
    return model / SHRINK_RECORD if model.is_dir() else model.with_name(f"{model.name}.shrink.json")


def has_shrink_record(checkpoint: Checkpoint) -> bool:
    """Return whether there is a record of a shrunk model; its content is not read.

    Units were removed from such a model, so it may be smaller than its class. False in a store.
    """
    if is_store(checkpoint.path):
        return False
    paths = {checkpoint.path, home_of(checkpoint)}
    return any(shrink_record_of(path).is_file() for path in paths)


def records_for_copies(checkpoint: Checkpoint, names: Iterable[str]) -> dict[str, bytes]:
    """Return the record of an opened shrunk file, by the name that it has next to each copy.

    `names` are those of the copies. Empty if there is no record, or one of more than 64 MiB. Raises
    `ExportError` if it cannot be read.
    """
    if is_store(checkpoint.path):
        return {}
    path = shrink_record_of(checkpoint.path)
    with reading(path):
        if not path.is_file() or path.stat().st_size > _LARGEST_COMPANION:
            return {}
        data = path.read_bytes()
    return {shrink_record_of(path.with_name(name)).name: data for name in names}


def is_home(checkpoint: Checkpoint, target: Path) -> bool:
    """Return whether a folder is that of a checkpoint."""
    return target.exists() and home_of(checkpoint).samefile(target)


def files_in(folder: Path) -> list[Path]:
    """Return the paths of all files and folders directly in a folder, sorted.

    Raises `ExportError` if the folder cannot be listed.
    """
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise ExportError(
            f"The files in '{folder}' cannot be listed: {words_of(error)}.",
            remedy="Ask for permission to read the folder, or choose another one.",
            details=str(error),
        ) from error


def is_folder_model(checkpoint: Checkpoint) -> bool:
    """Return whether the opened model is a folder: it has shards, or a config.json next to it.

    A shard that was opened alone has no shards in this sense.
    """
    shards = checkpoint.contents.shards
    # A single shard of a larger model.
    alone = len(shards) == 1 and shards[0].path == checkpoint.path
    return bool(shards and not alone) or (home_of(checkpoint) / CONFIG).is_file()


def sidecar_files(checkpoint: Checkpoint) -> dict[str, Path]:
    """Return the files that a copy of the model folder needs besides its weights, by name.

    These are configuration, tokenizer and licence of up to 64 MiB each, and all files of subfolders
    that ``modules.json`` of sentence-transformers names; their names contain ``/``. Code, hidden
    files, indexes and links that leave the folder are never included. Empty if a single file
    outside of a model folder was opened. Raises `ExportError` if files cannot be listed or read.
    """
    if not is_folder_model(checkpoint):
        return {}
    home = home_of(checkpoint)
    result = {}
    for path in files_in(home):
        is_needed = path.suffix.lower() in _COMPANIONS or path.name.upper().startswith("LICENSE")
        if not is_needed or path.name.startswith(".") or path.name.endswith(".index.json"):
            continue
        if _is_inside(path, home, _LARGEST_COMPANION):
            result[path.name] = path
    for folder in _module_folders(home):
        for path in _files_below(home / folder):
            if path.suffix != ".py" and _is_inside(path, home):
                result[path.relative_to(home).as_posix()] = path
    return result


def empty_modules(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return the subfolders named in ``modules.json`` in which there are no files.

    Modules without parameters may have an empty folder, such as Normalize of sentence-transformers.
    Hidden files do not count, code does, although it is not copied. Raises `ExportError` if files
    cannot be listed or read.
    """
    if not is_folder_model(checkpoint):
        return ()
    home = home_of(checkpoint)
    folders = _module_folders(home)
    return tuple(str(each) for each in folders if not any(_files_below(home / each)))


def not_copied_notice(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return a notice about files of the model folder that are not copied; () if there are none.

    The opened weights, their index and hidden files are not mentioned.
    """
    if not is_folder_model(checkpoint):
        return ()
    home = home_of(checkpoint)
    contents = checkpoint.contents
    opened = {shard.name.partition("/")[0] for shard in contents.shards} or {checkpoint.path.name}
    if contents.index is not None:
        opened.add(contents.index.name)
    copied_names = (*sidecar_files(checkpoint), *empty_modules(checkpoint))
    copied = {name.partition("/")[0] for name in copied_names} | opened
    not_copied = [p for p in files_in(home) if p.name not in copied and not p.name.startswith(".")]
    if not not_copied:
        return ()
    names = [f"{path.name}/" if path.is_dir() else path.name for path in not_copied]
    return (
        (
            f"Not copied from '{home.name}': {first_names(names)}. Configuration, tokenizer, and "
            f"what {MODULES} refers to are copied; code never is."
        ),
    )


class _Module(msgspec.Struct):
    """An entry of ``modules.json``; other fields are ignored."""

    path: str = ""
    type: str = ""  # name of a class with its module


def _module_folders(home: Path) -> dict[PurePosixPath, str]:
    """Return the subfolders of the model folder in ``modules.json``, in its order, with the class.

    Duplicates are ignored, and paths that are absolute, do not exist, or lead out of the folder. {}
    without a ``modules.json``. Raises `ExportError` if it cannot be read or is not valid.
    """
    index = home / MODULES
    if not index.is_file() or not _is_inside(index, home):
        return {}
    with reading(index):
        text = index.read_bytes()
    try:
        modules = json_codec.decode(text, list[_Module], str(index))
    except JsonError as error:
        raise ExportError(
            f"'{index}' lists the modules of the model, and cannot be read: {error}",
            remedy="Fix the file, or move it out of the folder.",
        ) from error
    folders: dict[PurePosixPath, str] = {}
    for module in modules:
        folders.setdefault(PurePosixPath(module.path.replace("\\", "/")), module.type)
    return {
        folder: kind
        for folder, kind in folders.items()
        if folder.parts
        and not folder.is_absolute()
        and ".." not in folder.parts
        and (home / folder).is_dir()
        and (home / folder).resolve().is_relative_to(home.resolve())
    }


def _files_below(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and its subfolders, sorted, without hidden files and folders.

    Links to folders are yielded like files. Raises `ExportError` if a folder cannot be listed.
    """
    for path in files_in(folder):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _files_below(path)
        else:
            yield path


def _is_inside(path: Path, home: Path, max_bytes: int | None = None) -> bool:
    """Return whether a path is a file in `home`, or a link into the model's download cache.

    False as well if the file is larger than `max_bytes`, does not exist, or cannot be accessed.
    """
    # Follow symbolic links only into the download cache of the same model.
    try:
        resolved = path.resolve(strict=True)
        if max_bytes is not None and resolved.stat().st_size > max_bytes:
            return False
        blobs = [blobs.resolve() for blobs in blobs_of(home.resolve())]
    except (OSError, RuntimeError):  # a loop of links raises RuntimeError before Python 3.13
        return False
    inside = resolved.parent == path.parent.resolve() or resolved.parent in blobs
    return resolved.is_file() and inside


def has_same_bytes(plan: Plan, path: Path) -> bool:
    """Return whether an existing file has the bytes of a small planned file.

    False if there is no file. Raises `ExportError` if it cannot be read.
    """
    if not path.is_file():
        return False
    with reading(path):
        if path.stat().st_size != plan.nbytes:
            return False
        return path.read_bytes() == b"".join(plan.pieces())


def copy_of(path: Path) -> Plan:
    """Plan a copy of a file. Raises `ExportError` if it cannot be accessed.

    The pieces raise `FileChangedError` if the file has another size when it is read.
    """
    with reading(path):
        size = path.stat().st_size

    def pieces() -> Iterator[bytes | memoryview]:
        left = size
        with reading(path), path.open("rb") as file:
            while left >= 0 and (piece := file.read(PIECE_BYTES)):
                left -= len(piece)
                if left >= 0:
                    yield piece
        if left:
            raise FileChangedError(
                f"'{path}' was changed by another program while it was being copied.",
                remedy="Nothing was written. Export again.",
            )

    return Plan(size, pieces, {})


@contextlib.contextmanager
def reading(path: Path) -> Iterator[None]:
    """Convert an `OSError` in the block to `ExportError`.

    `path` is the file that the error names.
    """
    try:
        yield
    except OSError as error:
        raise ExportError(
            f"'{path}', which belongs to the model, cannot be read: {words_of(error)}.",
            remedy="Ask for permission to read it, or move it out of the folder.",
            details=str(error),
        ) from error


def check_no_other_weights(checkpoint: Checkpoint, target: Path, names: Collection[str]) -> None:
    """Raise `ExportError` if other weights or an index would remain next to the exported files.

    transformers prefers ``model.safetensors`` to an index, and safetensors to torch files; other
    programs may read all files together. In the folder of the opened model, only files of that
    model are checked. A folder that does not exist passes.

    Parameters
    ----------
    names
        Names of the files to be written.
    """
    if not target.is_dir():
        return
    if is_home(checkpoint, target):
        contents = checkpoint.contents
        weight_names = [shard.name for shard in contents.shards] or [checkpoint.path.name]
        present = weight_names if contents.index is None else [*weight_names, contents.index.name]
    else:
        present = [path.name for path in files_in(target)]
    others = [name for name in present if name not in names and may_be_weights(name)]
    if not others:
        return
    if is_home(checkpoint, target):
        raise ExportError(
            f"'{target}' contains the opened model. Its files would remain next to the new ones "
            f"and could be loaded instead of them: {first_names(others)}.",
            remedy="Choose another folder.",
        )
    raise ExportError(
        f"'{target}' contains {first_names(others)}. These files would remain next to the new "
        "ones and could be loaded with them or instead of them.",
        remedy="Choose an empty folder or the name of a new one, or remove what is there.",
    )


DTYPE_KEYS = frozenset({"dtype", "torch_dtype"})
_TYPE = re.compile(r"(torch\.)?(float64|float32|float16|bfloat16)")
_BETWEEN = re.compile(r"[\s,:]*")


def copy_config(path: Path, values: Mapping[str, Any]) -> Plan:
    """Plan a copy of config.json with the exported dtype, and a notice about the change.

    The file is copied unchanged if the export does not round, or the file contains no other dtype;
    with a notice as well if it is not valid JSON. Raises `ExportError` if it cannot be read.
    """
    dtype = values.get(DTYPE.name, KEEP)
    if dtype == KEEP or not (text := _read_text(path)):
        return copy_of(path)
    try:
        load_object(text, constants=True)
    except JsonError as error:
        notice = (
            f"'{path.name}' of the opened model was copied unchanged, because it cannot be read "
            f"({error.what}); a dtype in it is the old one."
        )
        return replace(copy_of(path), notices=(notice,))
    named = [one for one in _find_dtypes(text) if one.dtype != dtype]
    if not named:
        return copy_of(path)
    for one in reversed(named):
        text = text[: one.start] + dtype + text[one.stop :]
    notice = (
        f"'{path.name}': dtype changed from {named[0].dtype} to {dtype}, so that transformers "
        "loads the weights as they were written."
    )
    return Plan.of(text.encode(), (notice,))


def type_notices(
    checkpoint: Checkpoint, folder: Path, values: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return a notice if an existing config.json, which is not changed, names another dtype.

    The correct dtype is that of `values`. Without rounding it is that in the configuration of the
    opened model, or else that of most weights; in the folder of the opened model nothing is
    reported then. () without config.json or if it names no dtype.
    """
    path, dtype = folder / CONFIG, values.get(DTYPE.name, KEEP)
    if not path.is_file():
        return ()
    if dtype == KEEP:
        dtype = "" if is_home(checkpoint, folder) else _original_dtype(checkpoint)
    if not dtype:
        return ()
    if not (old := _find_other_dtype(path, dtype)):
        return ()
    return (
        (
            f"'{path}' is not changed. It declares the dtype {old}, and transformers will load "
            f"the weights with this dtype unless you replace it with {dtype}."
        ),
    )


def loading_notices(folder: Path, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a notice if config.json in `folder` names another dtype than rounded weights have.

    The notice states how to load them. () without rounding.
    """
    dtype = values.get(DTYPE.name, KEEP)
    if dtype == KEEP or not (old := _find_other_dtype(folder / CONFIG, dtype)):
        return ()
    return (
        (
            f"'{CONFIG}' declares the dtype {old}, and from_pretrained would convert the "
            f"weights to it. Load them with dtype='{dtype}', or write {dtype} into the copy of "
            f"'{CONFIG}'."
        ),
    )


def _find_other_dtype(path: Path, dtype: str) -> str:
    """Return the dtype in a configuration if it is not `dtype`; "" otherwise."""
    return next((one.dtype for one in _find_dtypes(_read_text(path)) if one.dtype != dtype), "")


def differ_beyond_dtype(one: Path, other: Path) -> bool:
    """Return whether two configurations differ in more than their dtype."""
    return _remove_dtypes(_read_text(one)) != _remove_dtypes(_read_text(other))


def _remove_dtypes(text: str) -> str:
    for named in reversed(_find_dtypes(text)):
        text = text[: named.start] + text[named.stop :]
    return text


def _original_dtype(checkpoint: Checkpoint) -> str:
    """Return the dtype with which transformers should load unrounded weights.

    It is that in the opened config.json, or the floating-point dtype of most elements; "" if there
    are none.
    """
    config = sidecar_files(checkpoint).get(CONFIG)
    if config is not None and (named := _find_dtypes(_read_text(config))):
        return named[0].dtype
    counts: Counter[str] = Counter()
    for entry in checkpoint.entries.values():
        if _TYPE.fullmatch(entry.dtype.label):
            counts[entry.dtype.label] += entry.numel
    return max(counts, key=counts.__getitem__, default="")


def _read_text(path: Path) -> str:
    """Return a file as text; "" if it is not UTF-8. Raises `ExportError` if it cannot be read."""
    with reading(path):
        data = path.read_bytes()  # small: its size is limited
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""


class _DtypeSpan(NamedTuple):
    """A dtype in a text at characters `start` to `stop`."""

    start: int
    stop: int
    dtype: str


def _find_dtypes(text: str) -> list[_DtypeSpan]:
    """Return the positions of dtypes in the top-level object of a JSON text, in order.

    Only values of the keys "dtype" and "torch_dtype" that name a float dtype count. [] if the text
    is not a JSON object.
    """
    try:
        load_object(text, constants=True)
    except JsonError:
        return []
    decoder = json.JSONDecoder()
    result = []
    at = text.index("{") + 1
    while text[at := _skip_separators(text, at)] != "}":
        key, at = decoder.raw_decode(text, at)
        start = _skip_separators(text, at)
        value, at = decoder.raw_decode(text, start)
        match = _TYPE.fullmatch(value) if key in DTYPE_KEYS and isinstance(value, str) else None
        if match is not None and text[start + 1 : at - 1] == value:  # contains no escape sequences
            result.append(_DtypeSpan(start + 1 + match.start(2), at - 1, match[2]))
    return result


def _skip_separators(text: str, at: int) -> int:
    between = _BETWEEN.match(text, at)
    return at if between is None else between.end()
