"""Choose the rows of an embedding to keep, and update the files that refer to token ids.

Rows after the last id of the tokenizer can be removed for every text. Removing tokens changes
nothing only for texts that do not contain them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from pruneapp import json_codec
from pruneapp.checkpoint.model_folder import names_in
from pruneapp.errors import DamagedFileError, JsonError, UnsupportedFileError, counted
from pruneapp.progress import Job
from pruneapp.shrink.tokens.tokenizer import (
    MAX_BYTES,
    MAX_ID,
    Flags,
    Ids,
    Tokenizer,
    parse_tokenizer,
)

TOKENIZER = "tokenizer.json"
_TOKENIZER_CONFIG = "tokenizer_config.json"
_ADDED = "added_tokens.json"
_GENERATION = "generation_config.json"
_VOCAB_JSON = "vocab.json"
_VOCAB_TEXT = "vocab.txt"
_MERGES = "merges.txt"
# Files that contain token ids, or depend on them, in addition to tokenizer.json.
_BESIDE = (_TOKENIZER_CONFIG, _ADDED, _GENERATION, _VOCAB_JSON, _VOCAB_TEXT, _MERGES)
# Vocabularies in other formats: sentencepiece, tiktoken, Mistral, fastBPE.
_OTHER = re.compile(
    r"(?:tokenizer|spiece|sentencepiece|spm|source|target|vocab)\S*\.(?:model|spm)(?:\.v\d+)?"
    r"|.*\.tiktoken|tiktoken\.model|tekken\.json|bpe\.codes"
)


class _DecoderToken(msgspec.Struct):
    content: str


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The tokens of a model folder.

    Attributes
    ----------
    tokenizer
        The contents of tokenizer.json.
    later
        Tokens that only tokenizer_config.json or added_tokens.json contain, ascending by id.
    files
        Contents of the other files that refer to tokens, by name; only files that exist.
    others
        Names of vocabulary files in other formats, which cannot be cut.
    """

    tokenizer: Tokenizer
    later: tuple[tuple[str, int], ...]
    files: Mapping[str, bytes]
    others: tuple[str, ...]

    @property
    def last_id(self) -> int:
        """The largest id of a token."""
        return max([self.tokenizer.last_id, *(number for _, number in self.later)])


@dataclass(frozen=True, eq=False)
class VocabularyCut:
    """The rows of an embedding to keep, and the updated files.

    Attributes
    ----------
    rows
        Number of rows before.
    kept
        Rows to keep, ascending: new row ``i`` is old row ``kept[i]``.
    promise
        For which texts the model computes the same.
    files
        New contents of files, by name.
    left_out
        Names of files that must not be copied because they describe the old vocabulary.
    notices
        Sentences for the user.
    """

    rows: int
    kept: Ids
    promise: Literal["exact", "exact for this text"]
    files: Mapping[str, bytes]
    left_out: tuple[str, ...]
    notices: tuple[str, ...]

    @cached_property
    def new_ids(self) -> Ids:
        """The new id for each old id, -1 if it is removed."""
        return _new_ids(self.kept, self.rows)

    def remap(self, config: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Return the config.json in `where` with new token ids; `vocab_size` is not changed."""
        return _remap(config, self.new_ids, where)


def read_vocabulary(folder: Path, job: Job) -> Vocabulary:
    """Read the tokens of a model folder.

    Raises `CheckpointError` if the folder has no tokenizer.json, or one of the files is not valid.
    Whether ids contradict each other is only checked by `cut_tokens`.
    """
    names = names_in(folder)
    others = tuple(name for name in names if _OTHER.fullmatch(name))
    if TOKENIZER not in names:
        found = f", only '{others[0]}', which cannot be shrunk" if others else ""
        raise UnsupportedFileError(
            f"The folder '{folder}' has no {TOKENIZER}{found}, so its vocabulary cannot be "
            "reduced.",
            remedy="Save the tokenizer with transformers as a fast tokenizer.",
        )

    def read(name: str) -> bytes:
        job.step(0)
        return json_codec.read(folder / name, "tokenizer", MAX_BYTES, UnsupportedFileError)

    tokenizer = parse_tokenizer(read(TOKENIZER), str(folder / TOKENIZER), job)
    files = {name: read(name) for name in _BESIDE if name in names}
    return Vocabulary(tokenizer, _later_tokens(tokenizer, files), files, others)


def surplus_rows(vocabulary: Vocabulary, config: Mapping[str, Any], rows: int) -> int:
    """Return the number of embedding rows after all token ids, 0 if there are none.

    Rows named in `config` (config.json), generation_config.json or tokenizer_config.json count as
    token ids. `rows` is the number of all rows.
    """
    named = _named_rows(vocabulary, config, rows)
    return max(0, rows - 1 - max([vocabulary.last_id, *named]))


def cut_surplus(
    vocabulary: Vocabulary, config: Mapping[str, Any], rows: int, *, multiple: int = 1
) -> VocabularyCut:
    """Return the cut of the rows after all token ids, which changes no other file.

    The number of kept rows is rounded up to `multiple`.
    """
    left = rows - surplus_rows(vocabulary, config, rows)
    kept = np.arange(min(rows, -(-left // multiple) * multiple), dtype=np.int64)
    return VocabularyCut(rows, kept, "exact", {}, (), ())


def cut_tokens(
    vocabulary: Vocabulary,
    config: Mapping[str, Any],
    token_ids: Ids,
    rows: int,
    job: Job,
    *,
    multiple: int = 1,
) -> VocabularyCut:
    """Return the cut of all tokens except those to keep and those needed to produce them.

    Added tokens, single characters and bytes, and tokens named by a configuration are kept as well.

    Parameters
    ----------
    config
        Contents of config.json.
    token_ids
        Ids of the tokens to keep, in any order.
    rows
        Number of rows of the embedding.
    multiple
        Further tokens are kept, or rows without a token, so that their number is a multiple of this
        or all rows.

    Raises
    ------
    CheckpointError
        If the ids in the files contradict each other or the embedding.
    """
    tokenizer = vocabulary.tokenizer
    if vocabulary.last_id >= rows:
        raise DamagedFileError(
            f"'{tokenizer.where}' has tokens up to the id {vocabulary.last_id:,}, but the "
            f"embedding has only {counted(rows, 'row')}: they do not belong together.",
            remedy="Keep the whole vocabulary, or check that the folder is complete.",
        )
    tokenizer.check_ids(vocabulary.later)
    named = _named_rows(vocabulary, config, rows)
    later_ids = {number for _, number in vocabulary.later}
    later_ids |= {number for number in named if number > tokenizer.last_id}
    ids = np.concatenate([token_ids, np.array(sorted(named), np.int64)])
    flags = tokenizer.closure(ids, job)
    count = int(flags.sum()) + len(later_ids)
    target = min(rows, -(-count // multiple) * multiple)
    flags = tokenizer.fill_up(flags, target - len(later_ids), job)
    kept = np.array([*np.flatnonzero(flags), *sorted(later_ids)], np.int64)
    if kept.size < target:  # only rows without a token are left to fill up with
        free = np.setdiff1d(np.arange(tokenizer.last_id + 1, rows), kept)
        kept = np.sort(np.concatenate([kept, free[: target - kept.size]]))
    job.step(0)
    new_ids = _new_ids(kept, rows)
    files = {
        TOKENIZER: tokenizer.cut(flags, new_ids, vocabulary.later, job),
        **_updated_files(vocabulary, flags, new_ids, job),
    }
    left_out = (*(name for name in vocabulary.files if name not in files), *vocabulary.others)
    notices = tuple(
        f"'{name}' is not written: it contains the vocabulary in a form that cannot be reduced. "
        f"{TOKENIZER} contains everything that is needed."
        for name in left_out
    )
    return VocabularyCut(rows, kept, "exact for this text", files, left_out, notices)


def _later_tokens(tokenizer: Tokenizer, files: Mapping[str, bytes]) -> tuple[tuple[str, int], ...]:
    """Return the tokens of other files that tokenizer.json lacks, ascending by id.

    Tokens that have another id there are included. Raises `JsonError` for invalid ids.
    """
    found: dict[str, int] = {}
    for name in (_TOKENIZER_CONFIG, _ADDED):
        where = str(Path(tokenizer.where).with_name(name))
        for content, number in _added_tokens(name, files, where):
            if not 0 <= number <= MAX_ID:
                raise JsonError(f"expected an id up to {MAX_ID:,}, got {number:,}", where, content)
            found.setdefault(content, number)
    known_ids = {**tokenizer.vocab, **dict(tokenizer.added)}
    return tuple(
        (content, number)
        for content, number in sorted(found.items(), key=lambda one: one[1])
        if known_ids.get(content) != number
    )


def _added_tokens(name: str, files: Mapping[str, bytes], where: str) -> Iterable[tuple[str, int]]:
    """Yield the tokens and ids in tokenizer_config.json or added_tokens.json, the file `name`.

    None if there is no such file. `where` is its path, for the `JsonError` of invalid contents.
    """
    if name not in files:
        return
    tree = json_codec.load_object(files[name], where)
    if name == _ADDED:
        yield from json_codec.convert(tree, dict[str, int], where).items()
        return
    decoder = tree.get("added_tokens_decoder") or {}
    for number, token in json_codec.convert(decoder, dict[str, _DecoderToken], where).items():
        if not re.fullmatch(r"[0-9]{1,8}", number):
            raise JsonError(f"expected an id, got '{number[:40]}'", where, "added_tokens_decoder")
        yield token.content, int(number)


def _named_rows(vocabulary: Vocabulary, config: Mapping[str, Any], rows: int) -> set[int]:
    """Return the row numbers that the configurations name as token ids."""
    folder = Path(vocabulary.tokenizer.where).parent
    named = named_ids(config, str(folder / "config.json"))
    for name in (_GENERATION, _TOKENIZER_CONFIG):
        if name in vocabulary.files:
            where = str(folder / name)
            named |= named_ids(json_codec.load_object(vocabulary.files[name], where), where)
    return {number for number in named if 0 <= number < rows}


def _new_ids(kept: Ids, rows: int) -> Ids:
    new_ids = np.full(rows, -1, np.int64)
    new_ids[kept] = np.arange(kept.size)
    return new_ids


def _remap(config: Mapping[str, Any], new_ids: Ids, where: str) -> dict[str, Any]:
    kept = np.flatnonzero(new_ids >= 0)
    old_to_new = dict(zip(kept.tolist(), new_ids[kept].tolist(), strict=True))
    return remap_ids(config, old_to_new, new_ids.size, where)


def _updated_files(
    vocabulary: Vocabulary, flags: Flags, new_ids: Ids, job: Job
) -> dict[str, bytes]:
    """Return the other files with the new ids; omits files that contradict tokenizer.json.

    `flags` are the ids of tokenizer.json to keep. Raises `CheckpointError` if a configuration names
    a removed token.
    """
    files: dict[str, bytes] = {}
    tokenizer = vocabulary.tokenizer
    folder = Path(tokenizer.where).parent
    known = {**tokenizer.vocab, **dict(tokenizer.added), **dict(vocabulary.later)}
    for name, data in vocabulary.files.items():
        job.step(0)
        where = str(folder / name)
        if name in {_GENERATION, _TOKENIZER_CONFIG}:
            tree = _remap(json_codec.load_object(data, where), new_ids, where)
            if tree.get("added_tokens_decoder"):
                tree["added_tokens_decoder"] = {
                    str(new_ids[int(number)]): token
                    for number, token in tree["added_tokens_decoder"].items()
                }
            files[name] = json_codec.encode(tree, indent=2)
        elif name in {_ADDED, _VOCAB_JSON}:
            ids: dict[str, int] = json_codec.decode(data, dict[str, int], where)
            if all(known.get(token) == number for token, number in ids.items()):
                left = {t: int(new_ids[n]) for t, n in ids.items() if new_ids[n] >= 0}
                files[name] = json_codec.encode(left, indent=2 if name == _ADDED else None)
        elif name == _VOCAB_TEXT:
            lines = [line.rstrip("\r") for line in data.decode(errors="replace").split("\n")]
            lines = lines if lines[-1] else lines[:-1]
            if {line: number for number, line in enumerate(lines)} == tokenizer.vocab:
                kept = [line for number, line in enumerate(lines) if flags[number]]
                files[name] = "".join(f"{line}\n" for line in kept).encode()
        elif name == _MERGES and (text := _merges_text(data, tokenizer, flags)) is not None:
            files[name] = text
    return files


def _merges_text(data: bytes, tokenizer: Tokenizer, flags: Flags) -> bytes | None:
    """Return merges.txt for the kept tokens; None if the format cannot represent the merges.

    A first line with the version is kept.
    """
    pairs = [
        merge if isinstance(merge, str) else " ".join(merge)
        for merge in tokenizer.kept_merges(flags)
    ]
    if any(pair.count(" ") != 1 or "\n" in pair for pair in pairs):
        return None
    first = data.split(b"\n", 1)[0]
    head = first + b"\n" if first.startswith(b"#version") else b""
    return head + "".join(f"{pair}\n" for pair in pairs).encode()


# Fields of model configurations that contain token ids:
# `eos_token_id`, `image_token_index`, `stop_token_ids`. Codebook fields refer to other tables.
_ID = re.compile(r"(?!codebook_).*_token_(?:id|ids|index)")
# Fields with lists of ids, nested lists of ids, or objects whose values are ids.
_IDS = frozenset(
    {
        "suppress_tokens",
        "begin_suppress_tokens",
        "bad_words_ids",
        "force_words_ids",
        "lang_to_id",
        "lang_code_to_id",
        "task_to_id",
    }
)
# Fields with lists of pairs, and which element of a pair is an id or a list of ids: [position, id]
# and [ids, bias].
_PAIRS = {"forced_decoder_ids": 1, "sequence_bias": 0}
# Nested configurations that refer to the same tokens.
_NESTED = frozenset({"text_config", "language_config", "llm_config"})
_EACH_NESTED = frozenset({"task_specific_params"})


def named_ids(config: Mapping[str, Any], where: str) -> set[int]:
    """Return all token ids that a config.json, generation_config.json or similar file names.

    `where` names the file in errors. Raises `UnsupportedFileError` if a field for ids contains
    anything else.
    """
    found: set[int] = set()

    def note(number: int, _place: str) -> int:
        found.add(number)
        return number

    _map_ids(config, note, where)
    return found


def remap_ids(
    config: Mapping[str, Any], old_to_new: Mapping[int, int], rows: int, where: str
) -> dict[str, Any]:
    """Return a copy of a configuration with new token ids. `where` names the file in errors.

    Parameters
    ----------
    rows
        Number of rows of the old embedding. Ids outside of it (-1, or 50,256 in a small model) are
        not changed.

    Raises
    ------
    UnsupportedFileError
        If a field for ids contains anything else, or the token of an id is not kept.
    """

    def renumber(number: int, place: str) -> int:
        if not 0 <= number < rows:
            return number
        if number not in old_to_new:
            raise UnsupportedFileError(
                f"'{where}', at {place}: it names the token {number:,}, which is not among the "
                f"{len(old_to_new):,} kept tokens.",
                remedy="Keep this token too.",
            )
        return old_to_new[number]

    return _map_ids(config, renumber, where)


def _map_ids(
    config: Mapping[str, Any], change: Callable[[int, str], int], where: str, place: str = ""
) -> dict[str, Any]:
    """Return a copy of a configuration with `change` applied to all token ids in known fields.

    `change` gets each id and its place, such as ``text_config.eos_token_id``. `place` is that of
    the configuration in the file `where`. Raises `UnsupportedFileError`.
    """
    result: dict[str, Any] = {}
    for key, value in config.items():
        at = f"{place}.{key}" if place else key
        if _ID.fullmatch(key) or key in _IDS:
            result[key] = _change_ids(value, change, where, at)
        elif key in _PAIRS and value is not None:
            result[key] = _change_pairs(value, _PAIRS[key], change, where, at)
        elif key in _NESTED and isinstance(value, dict):
            result[key] = _map_ids(value, change, where, at)
        elif key in _EACH_NESTED and isinstance(value, dict):
            result[key] = {
                name: _map_ids(one, change, where, f"{at}.{name}") if isinstance(one, dict) else one
                for name, one in value.items()
            }
        else:
            result[key] = value
    return result


def _change_ids(value: Any, change: Callable[[int, str], int], where: str, place: str) -> Any:
    """Return a copy of an id, or of a list or object of ids, with `change` applied to each.

    `change` gets the id and its place; None is kept. Raises `UnsupportedFileError`, naming the file
    `where`, for anything else.
    """
    if type(value) is int:
        return change(value, place)
    if value is None:
        return None
    if isinstance(value, list):
        return [_change_ids(one, change, where, f"{place}[{n}]") for n, one in enumerate(value)]
    if isinstance(value, dict):
        return {
            key: _change_ids(one, change, where, f"{place}.{key}") for key, one in value.items()
        }
    raise _id_error(where, place, value)


def _change_pairs(
    value: Any, part: int, change: Callable[[int, str], int], where: str, place: str
) -> list[Any]:
    """Return a copy of a list of pairs, with `change` applied to the ids in element `part` of each.

    Raises `UnsupportedFileError` for anything else.
    """
    if not isinstance(value, list) or not all(isinstance(p, list) and len(p) == 2 for p in value):
        raise _id_error(where, place, value)
    result = []
    for number, pair in enumerate(value):
        both = list(pair)
        both[part] = _change_ids(pair[part], change, where, f"{place}[{number}][{part}]")
        result.append(both)
    return result


def _id_error(where: str, place: str, value: Any) -> UnsupportedFileError:
    return UnsupportedFileError(
        f"'{where}', at {place}: it must be an id of a token, or a list of them, got {value!r}.",
        remedy="Keep the whole vocabulary.",
    )
