"""Find the tokens of texts, and check that a smaller tokenizer segments texts like before.

The library `tokenizers` is optional, and is imported only when it is used.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pruneapp import json_codec
from pruneapp.errors import CheckpointError, ExportError, ParameterError, words_of
from pruneapp.installation import remedy_for
from pruneapp.progress import Job
from pruneapp.shrink.tokens.tokenizer import Flags, Ids, Tokenizer, WordPieces
from pruneapp.shrink.tokens.vocabulary import TOKENIZER, VocabularyCut

# Bytes of text to process at a time: some milliseconds of work.
_PIECE = 1 << 14
# Number of characters by which pieces overlap: the tokens at the ends of a piece can differ from
# those of the whole text.
_OVERLAP = 512
# Maximum size of a list of ids.
_LIST_BYTES = 1 << 24


class _Library:
    """A tokenizer of the library `tokenizers`, whose errors are converted to `CheckpointError`."""

    def __init__(self, data: bytes, where: str) -> None:
        try:
            import tokenizers
        except ImportError:
            raise ParameterError(
                "Finding the tokens of a text needs the package tokenizers, which is not "
                "installed.",
                remedy=remedy_for("tokenizers", extra="tokenizers"),
            ) from None
        self._where = where
        with self._translate_errors():
            self._tokenizer = tokenizers.Tokenizer.from_str(data.decode())
            self._tokenizer.no_truncation()  # Tokens that truncation removes must be found as well.
            self._tokenizer.no_padding()

    def encode(self, texts: Sequence[str]) -> list[Any]:
        """Return the encodings of texts, including special tokens that the tokenizer adds."""
        with self._translate_errors():
            found: list[Any] = self._tokenizer.encode_batch(list(texts))
        return found

    def normalize(self, text: str) -> str:
        """Return the text as the tokenizer normalizes it before segmentation."""
        with self._translate_errors():
            normalizer = self._tokenizer.normalizer
            return text if normalizer is None else str(normalizer.normalize_str(text))

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Convert all errors of the library in the block to `CheckpointError`."""
        try:
            yield
        except BaseException as error:
            # Panics of the library are not subclasses of `Exception`.
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise CheckpointError(
                f"The library tokenizers cannot use '{self._where}': {error}.",
                remedy="Save the tokenizer again with transformers.",
            ) from None


def tokens_of(tokenizer: Tokenizer, texts: Sequence[Path], job: Job) -> Ids:
    """Return the ids of the tokens that texts consist of, ascending, without duplicates.

    Each text is segmented as a whole and each of its lines separately, because tokens at the start
    of a line need not occur within the text, nor tokens of several line ends within a line. Special
    tokens that the tokenizer adds are included.

    Parameters
    ----------
    texts
        Paths of UTF-8 files.
    job
        Started with the bytes of the files.

    Raises
    ------
    CheckpointError
        If a file cannot be read or is not UTF-8, or the library cannot read the tokenizer.
    ParameterError
        If the library `tokenizers` is not installed.
    """
    library = _Library(tokenizer.data, tokenizer.where)
    seen = np.zeros(tokenizer.known.size, np.bool_)
    unknown = _UnknownWords(tokenizer, library) if tokenizer.kind == "WordPiece" else None
    for _, _, parts in _overlapping_pieces(texts, job):
        for part, encoding in zip(parts, library.encode(parts), strict=True):
            ids = np.array(encoding.ids, np.int64)
            seen[ids] = True
            if unknown is not None:
                unknown.note(part, encoding, seen)
    return np.flatnonzero(seen)


def check_segmentation(
    tokenizer: Tokenizer, cut: VocabularyCut, texts: Sequence[Path], job: Job
) -> None:
    """Raise `ExportError` if the tokenizer of a cut segments any line of the texts differently.

    Reads the texts again. Other errors are those of `tokens_of`.
    """
    before = _Library(tokenizer.data, tokenizer.where)
    after = _Library(cut.files[TOKENIZER], f"the smaller {TOKENIZER}")
    for path, line, parts in _overlapping_pieces(texts, job):
        pairs = zip(before.encode(parts), after.encode(parts), strict=True)
        for number, (old, new) in enumerate(pairs):
            if old.tokens != new.tokens or cut.new_ids[old.ids].tolist() != new.ids:
                raise ExportError(
                    f"The smaller {TOKENIZER} would tokenize '{path}' differently, at line "
                    f"{line + max(0, number - 1):,}: '{parts[number][:60]}'.",
                    remedy="Keep the whole vocabulary.",
                )


def read_ids(path: Path, tokenizer: Tokenizer, job: Job) -> Ids:
    """Read a list of ids to keep, one id or one range ``a-b`` per line. Return them ascending.

    Both ends of a range are included. Empty lines are ignored, and so are duplicates.

    Raises
    ------
    CheckpointError
        If the file cannot be read.
    ParameterError
        If a line is anything else, or contains an id beyond those of the tokenizer.
    """
    chosen = np.zeros(tokenizer.known.size, np.bool_)
    data = json_codec.read(path, "list of ids", _LIST_BYTES, CheckpointError)
    lines = data.decode(errors="replace").split("\n")
    for number, line in enumerate(job.cancel.each(lines), 1):
        _choose(line, number, path, chosen)
    return np.flatnonzero(chosen)


def _choose(line: str, number: int, path: Path, chosen: Flags) -> None:
    """Set `chosen` for the ids in a line; an empty line sets none. Raises `ParameterError`.

    `number` is that of the line in the file `path`, from 1, for errors.
    """
    if not (text := line.strip()):
        return
    first, dash, last = (part.strip() for part in text.partition("-"))
    last = last if dash else first
    digits = all(part.isascii() and part.isdigit() and len(part) <= 9 for part in (first, last))
    if not digits or int(first) > int(last):
        raise ParameterError(
            f"'{path}', line {number:,}: it must contain an id such as 17, or a range such as "
            f"20-31, got '{text[:40]}'.",
            remedy="Write one id or one range on each line.",
        )
    if int(last) >= chosen.size:
        raise ParameterError(
            f"'{path}', line {number:,}: the tokenizer has ids up to {chosen.size - 1:,}, got "
            f"{int(last):,}.",
            remedy="Remove the line, or choose the list that belongs to this model.",
        )
    chosen[int(first) : int(last) + 1] = True


class _UnknownWords:
    """Marks the entries that WordPiece matched at the beginning of an unknown word.

    Without these entries, WordPiece would match shorter ones and could find tokens for the whole
    word.
    """

    def __init__(self, tokenizer: Tokenizer, library: _Library) -> None:
        self._model = json_codec.convert(tokenizer.tree["model"], WordPieces, tokenizer.where)
        self._library = library
        self._words: set[str] = set()

    def note(self, text: str, encoding: Any, seen: Flags) -> None:
        """Set `seen` for the entries at the beginning of each unknown word of a text.

        `encoding` is that of the text by the library. Words of earlier texts are skipped.
        """
        model = self._model
        if model.vocab.get(model.unk_token) not in encoding.ids:
            return
        for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True):
            if token == model.unk_token and end > start:
                word = self._library.normalize(text[start:end])
                if word not in self._words and len(word) <= model.max_input_chars_per_word:
                    self._words.add(word)
                    self._mark_prefixes(word, seen)

    def _mark_prefixes(self, word: str, seen: Flags) -> None:
        """Set `seen` for the longest matches from the start of a word, until nothing matches."""
        at = 0
        while at < len(word):
            for end in range(len(word), at, -1):
                prefix = self._model.continuing_subword_prefix * (at > 0)
                number = self._model.vocab.get(prefix + word[at:end])
                if number is not None:
                    seen[number] = True
                    at = end
                    break
            else:
                return


def _overlapping_pieces(texts: Sequence[Path], job: Job) -> Iterator[tuple[Path, int, list[str]]]:
    """Yield pieces of text files: path, number of the first line from 1, and [piece, *its lines].

    Consecutive pieces of a file overlap by up to `_OVERLAP` characters. `job` is started with the
    bytes. Raises `CheckpointError` if a file is not UTF-8 or cannot be read.
    """
    sizes = []
    for path in texts:
        try:
            sizes.append(path.stat().st_size)
        except (OSError, ValueError) as error:
            raise _unreadable(path, error) from None
    job.start(sum(sizes))
    for path in texts:
        line, before = 1, ""
        job.label(path.name)
        for text, size in _pieces(path, job):
            piece = before + text
            yield path, line, [piece, *piece.splitlines()]
            before = piece[-_OVERLAP:]
            # Preferably start after a space.
            before = before[max(0, before.find(" ", 0, _OVERLAP // 2)) :]
            line += piece[: len(piece) - len(before)].count("\n")
            job.step(size)


def _pieces(path: Path, job: Job) -> Iterator[tuple[str, int]]:
    """Yield the pieces of a UTF-8 text file, each with the number of bytes read for it.

    Pieces end after a line or a word if possible. Raises `CheckpointError` if the file is not UTF-8
    or cannot be read.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    rest, done, pending = "", 0, 0
    try:
        if not path.is_file():
            raise CheckpointError(
                f"'{path}' is not a regular file, so it cannot be read as text.",
                remedy="Choose another file.",
            )
        with path.open("rb") as file:
            while data := file.read(_PIECE):
                job.step(0)
                rest += decoder.decode(data)
                done += len(data)
                pending = len(decoder.getstate()[0])
                end = max(rest.rfind("\n"), rest.rfind(" ")) + 1 or len(rest)
                end = end if len(data) == _PIECE else len(rest)
                yield rest[:end], len(data)
                rest = rest[end:]
        rest += decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise CheckpointError(
            f"'{path}' must be UTF-8 text, but is not at byte {done - pending + error.start:,}.",
            remedy="Convert it to UTF-8.",
        ) from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    if rest:
        yield rest, 0


def _unreadable(path: Path, error: Exception) -> CheckpointError:
    words = words_of(error) if isinstance(error, OSError) else "it is not a valid file name"
    return CheckpointError(
        f"'{path}' cannot be read: {words}.", remedy="Check the name and your permissions."
    )
