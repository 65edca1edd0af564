"""Read a tokenizer.json, and write a smaller one with fewer tokens.

Text that consists of kept tokens is segmented as before:

- BPE applies a merge only if both parts exist, so each kept token needs the parts of all merges
  that produce it.
- The best path through Unigram pieces remains the best if other pieces are removed. The cost of an
  unknown character depends on the worst piece of all, so that piece is always kept.
- WordPiece takes the longest entry that matches; an entry that was used is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from pruneapp import json_codec
from pruneapp.errors import DamagedFileError, UnsupportedFileError
from pruneapp.progress import Job

Ids = NDArray[np.int64]  # ids of tokens
Flags = NDArray[np.bool_]  # one bool per id
Kind = Literal["BPE", "Unigram", "WordPiece"]
_KINDS: tuple[Kind, ...] = ("BPE", "Unigram", "WordPiece")

# The largest published tokenizers have 300,000 tokens and 40 MB.
MAX_ID = (1 << 24) - 1
MAX_BYTES = 1 << 27
_BYTE = re.compile(r"<0x[0-9A-Fa-f]{2}>")

_Id = Annotated[int, msgspec.Meta(ge=0, le=MAX_ID)]


class _AddedToken(msgspec.Struct):
    id: _Id
    content: str


class _Padding(msgspec.Struct):
    pad_id: _Id = 0


class _File(msgspec.Struct):
    model: dict[str, Any]
    added_tokens: list[_AddedToken] = []
    padding: _Padding | None = None


class _Pairs(msgspec.Struct):
    vocab: dict[str, _Id]
    merges: list[str | tuple[str, str]]
    unk_token: str | None = None
    dropout: float | None = None
    continuing_subword_prefix: str | None = None
    end_of_word_suffix: str | None = None


class _Pieces(msgspec.Struct):
    vocab: list[tuple[str, float]]
    unk_id: _Id | None = None


class WordPieces(msgspec.Struct):
    """A WordPiece model, with the defaults of the library for missing fields."""

    vocab: dict[str, _Id]
    unk_token: str = "[UNK]"  # noqa: S105 - the library's default, no password
    continuing_subword_prefix: str = "##"
    max_input_chars_per_word: int = 100


class _SpecialToken(msgspec.Struct):
    ids: list[_Id]


@dataclass(frozen=True, eq=False)
class Tokenizer:
    """The contents of a tokenizer.json.

    Attributes
    ----------
    where
        Path of the file, for messages.
    data
        Bytes of the file.
    tree
        Parsed JSON; must not be modified.
    kind
        Type of the model.
    vocab
        Ids of the tokens of the model, in the order of the file.
    model_size
        Number of tokens of the model; larger than ``len(vocab)`` if a Unigram model repeats a
        piece.
    added
        Contents and ids of added tokens, in the order of the file.
    merges
        Possible merges of BPE, shape (merges, 3): ids of left part, right part and result.
    merge_numbers
        Index of each of these merges in the file.
    needed
        Ids that are always kept, ascending.
    """

    where: str
    data: bytes
    tree: Mapping[str, Any]
    kind: Kind
    vocab: Mapping[str, int]
    model_size: int
    added: tuple[tuple[str, int], ...]
    merges: Ids
    merge_numbers: Ids
    needed: Ids

    @cached_property
    def known(self) -> Flags:
        """Whether a token has the id, for each id up to the last one."""
        in_model = range(self.model_size) if self.kind == "Unigram" else self.vocab.values()
        ids = np.array([*in_model, *(number for _, number in self.added)], np.int64)
        known = np.zeros(int(ids.max(initial=-1)) + 1, np.bool_)
        known[ids] = True
        return known

    @property
    def last_id(self) -> int:
        """The largest id of a token; -1 if there are no tokens."""
        return self.known.size - 1

    def closure(self, token_ids: Ids, job: Job) -> Flags:
        """Return which ids must be kept so that the given ids can be produced as before.

        Includes all needed ids and the parts of all merges. Ids without a token are ignored.
        """
        kept = np.zeros_like(self.known)
        kept[token_ids[token_ids < kept.size]] = True
        kept[self.needed] = True
        kept &= self.known
        left, right, result = self.merges.T
        while True:
            job.step(0)
            missing = kept[result] & ~(kept[left] & kept[right])
            if not missing.any():
                return kept
            kept[left[missing]] = kept[right[missing]] = True

    def fill_up(self, kept: Flags, count: int, job: Job) -> Flags:
        """Return a closed set of ids, filled up with tokens until it has `count`.

        Adds the smallest ids first whose parts are kept; in BPE and Unigram these are the most
        frequent. It has fewer than `count` if no more can be added. The result is closed as well
        (see `closure`); `kept` is not changed.
        """
        kept = kept.copy()
        left, right, result = self.merges.T
        while (room := count - int(kept.sum())) > 0:
            job.step(0)
            free = self.known & ~kept
            free[result[~(kept[left] & kept[right])]] = False
            found = np.flatnonzero(free)[:room]
            if not found.size:
                break
            kept[found] = True
        return kept

    def check_ids(self, later: Sequence[tuple[str, int]] = ()) -> None:
        """Raise an error if the library would assign other ids than the file has.

        Parameters
        ----------
        later
            Tokens that other files of the folder add, ascending by id.

        Raises
        ------
        DamagedFileError
            If an added token would get another id, or a needed id has no token.
        UnsupportedFileError
            If segmentation is random, so that the needed tokens cannot be determined.
        """
        if self.tree["model"].get("dropout"):
            raise UnsupportedFileError(
                f"'{self.where}' skips merges at random (a dropout of "
                f"{self.tree['model']['dropout']}), so the tokens of a text may vary.",
                remedy="Set 'dropout' to null in it.",
            )
        missing = np.setdiff1d(self.needed, np.flatnonzero(self.known))
        if missing.size:
            raise DamagedFileError(
                f"'{self.where}' uses the id {missing[0]:,}, which none of its tokens has.",
                remedy="Save the tokenizer again with transformers.",
            )
        _check_assigned(self.where, self.vocab, self.model_size, (*self.added, *later))

    def kept_merges(self, kept: Flags) -> list[Any]:
        """Return the merges whose three parts are all kept, as written in the file."""
        all_merges = self.tree["model"].get("merges", ())
        return [all_merges[number] for number in self.merge_numbers[kept[self.merges].all(axis=1)]]

    def cut(self, kept: Flags, new_ids: Ids, later: Sequence[tuple[str, int]], job: Job) -> bytes:
        """Return the bytes of a tokenizer.json with only the kept tokens.

        Parameters
        ----------
        kept
            A closed set of ids (see `closure`).
        new_ids
            New id for each old id.
        later
            Tokens that other files of the folder add, with their old ids.

        Raises
        ------
        DamagedFileError
            If the library would assign other ids than `new_ids`.
        """
        model = dict(self.tree["model"])
        # A repeated piece of a Unigram model has the id of its last occurrence.
        vocab: dict[str, int] = {}
        for batch in job.cancel.batches(self.vocab.items()):
            vocab.update((token, int(new_ids[number])) for token, number in batch if kept[number])
        size = len(vocab)
        if self.kind == "Unigram":
            pieces = [piece for number, piece in enumerate(model["vocab"]) if kept[number]]
            vocab = {piece[0]: number for number, piece in enumerate(pieces)}
            model["vocab"], size = pieces, len(pieces)
            if model.get("unk_id") is not None:
                model["unk_id"] = int(new_ids[model["unk_id"]])
        else:
            model["vocab"] = vocab
        if self.kind == "BPE":
            model["merges"] = self.kept_merges(kept)
        tree = {**self.tree, "model": model}
        if self.tree.get("added_tokens"):
            tree["added_tokens"] = [
                {**token, "id": int(new_ids[token["id"]])} for token in self.tree["added_tokens"]
            ]
        if (padding := self.tree.get("padding")) is not None:
            tree["padding"] = {**padding, "pad_id": int(new_ids[padding.get("pad_id", 0)])}
        if (processor := self.tree.get("post_processor")) is not None:
            tree["post_processor"] = _renumber(processor, new_ids)
        added = [(token, int(new_ids[number])) for token, number in (*self.added, *later)]
        _check_assigned(self.where, vocab, size, added)
        job.step(0)
        return json_codec.encode(tree)


def parse_tokenizer(data: bytes, where: str, job: Job) -> Tokenizer:
    """Parse the bytes of a tokenizer.json. `where` names the file in errors.

    Raises `CheckpointError` if the contents are not valid, or the model is not BPE, Unigram or
    WordPiece.
    """
    tree: dict[str, Any] = json_codec.decode(data, dict[str, Any], where)
    job.step(0)
    file = json_codec.convert(tree, _File, where)
    kind = _kind_of(file.model, where)
    job.step(0)
    needed = [token.id for token in file.added_tokens]
    needed += [] if file.padding is None else [file.padding.pad_id]
    needed += _processor_ids(tree.get("post_processor"), where)
    merges, numbers = np.empty((0, 3), np.int64), np.empty(0, np.int64)
    if kind == "Unigram":
        pieces = json_codec.convert(file.model, _Pieces, where)
        if len(pieces.vocab) > MAX_ID:
            raise UnsupportedFileError(
                f"'{where}' has {len(pieces.vocab):,} pieces; at most {MAX_ID:,} are allowed."
            )
        vocab = {piece: number for number, (piece, _) in enumerate(pieces.vocab)}
        size, prefix, suffix = len(pieces.vocab), "", ""
        needed += [] if pieces.unk_id is None else [pieces.unk_id]
        if pieces.vocab:
            needed.append(min(range(size), key=[score for _, score in pieces.vocab].__getitem__))
    else:
        model: _Pairs | WordPieces
        if kind == "BPE":
            model = json_codec.convert(file.model, _Pairs, where)
            suffix = model.end_of_word_suffix or ""
            prefix = model.continuing_subword_prefix or ""
            merges, numbers = _possible_merges(model.merges, model.vocab, prefix, where, job)
        else:
            model = json_codec.convert(file.model, WordPieces, where)
            prefix, suffix = model.continuing_subword_prefix, ""
        vocab, size = model.vocab, len(model.vocab)
        _check_unique_ids(vocab, where)
        if model.unk_token in vocab:
            needed.append(vocab[model.unk_token])
    for token, number in job.cancel.each(vocab.items()):
        bare = token.removeprefix(prefix).removesuffix(suffix)
        if len(bare) == 1 or len(token) == 1 or (len(token) == 6 and _BYTE.fullmatch(token)):
            needed.append(number)
    job.step(0)
    added = tuple((token.content, token.id) for token in file.added_tokens)
    return Tokenizer(
        where,
        data,
        tree,
        kind,
        vocab,
        size,
        added,
        merges,
        numbers,
        np.unique(np.array(needed, np.int64)),
    )


def _kind_of(model: Mapping[str, Any], where: str) -> Kind:
    """Return the type of the model, also of older files that lack it. `where` names the file.

    Raises `UnsupportedFileError` for any other type.
    """
    kind: Any = model.get("type")
    if kind is None:  # older files lack the type
        if "merges" in model:
            kind = "BPE"
        elif "unk_id" in model:
            kind = "Unigram"
        elif "max_input_chars_per_word" in model:
            kind = "WordPiece"
    for known in _KINDS:
        if kind == known:
            return known
    raise UnsupportedFileError(
        f"The model of the tokenizer '{where}' must be BPE, Unigram or WordPiece to be shrunk, "
        f"got {json_codec.encode(kind).decode()}.",
        remedy="Keep the whole vocabulary.",
    )


def _check_unique_ids(vocab: Mapping[str, int], where: str) -> None:
    """Raise `DamagedFileError` if two tokens have the same id."""
    if len(set(vocab.values())) < len(vocab):
        first: dict[int, str] = {}
        for token, number in vocab.items():
            if number in first:
                raise DamagedFileError(
                    f"'{where}' gives the id {number:,} to both '{first[number]}' and '{token}'.",
                    remedy="Save the tokenizer again with transformers.",
                )
            first[number] = token


def _possible_merges(
    merges: Sequence[str | tuple[str, str]],
    vocab: Mapping[str, int],
    prefix: str,
    where: str,
    job: Job,
) -> tuple[Ids, Ids]:
    """Return the merges whose three tokens are in the vocabulary, and their indices in the file.

    The merges have the shape (merges, 3): the ids of left, right, and both joined without the
    `prefix` of the right one. `where` names the file in errors. Raises `DamagedFileError` for a
    merge that is no pair.
    """
    ids = np.empty((len(merges), 3), np.int64)
    end = 0
    for batch in job.cancel.batches(merges):
        pairs = [tuple(one.split(" ")) if isinstance(one, str) else one for one in batch]
        for number, pair in enumerate(pairs, end):
            if len(pair) != 2 or not pair[0] or not pair[1]:
                raise DamagedFileError(
                    f"'{where}', at model.merges[{number}]: a merge must be two tokens with a "
                    f"space between them, got '{merges[number]}'.",
                    remedy="Save the tokenizer again with transformers.",
                )
        begin, end = end, end + len(batch)
        ids[begin:end, 0] = [vocab.get(left, -1) for left, _ in pairs]
        ids[begin:end, 1] = [vocab.get(right, -1) for _, right in pairs]
        ids[begin:end, 2] = [vocab.get(left + right[len(prefix) :], -1) for left, right in pairs]
    numbers = np.flatnonzero((ids >= 0).all(axis=1))
    return ids[numbers], numbers


def _check_assigned(
    where: str, vocab: Mapping[str, int], size: int, added: Iterable[tuple[str, int]]
) -> None:
    """Raise `DamagedFileError` if added tokens have other ids than the library assigns.

    The library ignores the ids in the file: a token that the model lacks gets the next id after the
    model and the tokens added before (`AddedVocabulary::add_tokens` of tokenizers 0.23). `size` is
    the number of tokens of the model.
    """
    assigned: dict[str, int] = {}
    last = size - 1
    for content, number in added:
        if not content:  # ignored by the library
            continue
        given = assigned.get(content, vocab.get(content, last + 1))
        if given != number:
            raise DamagedFileError(
                f"The added token '{content}' of '{where}' has the id {number:,}, but the library "
                f"that reads it assigns {given:,}: the ids of added tokens must follow those of "
                "the model without gaps.",
                remedy="Keep the whole vocabulary, or save the tokenizer again with transformers.",
            )
        assigned[content] = given
        last = max(last, given)


def _processor_ids(processor: Any, where: str) -> list[int]:
    """Return the ids of the special tokens that a post-processor of the file `where` inserts.

    [] for None. Raises `UnsupportedFileError` for an unknown type of post-processor, and
    `JsonError` for invalid contents.
    """
    ids: list[int] = []
    for one in _processors(processor, where):
        if one["type"] == "TemplateProcessing":
            tokens = json_codec.convert(one.get("special_tokens"), dict[str, _SpecialToken], where)
            ids += [number for token in tokens.values() for number in token.ids]
        elif one["type"] in {"BertProcessing", "RobertaProcessing"}:
            for key in ("sep", "cls"):
                ids.append(json_codec.convert(one.get(key), tuple[str, _Id], where)[1])
    return ids


def _processors(processor: Any, where: str) -> Iterable[dict[str, Any]]:
    """Yield the post-processors in a post-processor, which may be a sequence; none for None.

    Raises `UnsupportedFileError` for an unknown type.
    """
    if processor is None:
        return
    one = json_codec.convert(processor, dict[str, Any], where)
    kind = json_codec.convert(one.get("type"), str, where)
    if kind == "Sequence":
        for inner in json_codec.convert(one.get("processors"), list[Any], where):
            yield from _processors(inner, where)
    elif kind in {"TemplateProcessing", "BertProcessing", "RobertaProcessing", "ByteLevel"}:
        yield one
    else:
        raise UnsupportedFileError(
            f"'{where}' has a post-processor of the unknown type '{kind}', which may use ids of "
            "tokens.",
            remedy="Keep the whole vocabulary.",
        )


def _renumber(processor: dict[str, Any], new_ids: Ids) -> dict[str, Any]:
    """Return a copy of a post-processor with new ids of special tokens."""
    if processor["type"] == "Sequence":
        return {
            **processor,
            "processors": [
                one if one is None else _renumber(one, new_ids) for one in processor["processors"]
            ],
        }
    if processor["type"] == "TemplateProcessing":
        tokens = {
            name: {**token, "ids": [int(new_ids[number]) for number in token["ids"]]}
            for name, token in processor["special_tokens"].items()
        }
        return {**processor, "special_tokens": tokens}
    pairs: dict[str, Any] = {
        key: [processor[key][0], int(new_ids[processor[key][1]])]
        for key in ("sep", "cls")
        if key in processor
    }
    return {**processor, **pairs}
