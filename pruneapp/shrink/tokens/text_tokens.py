"""Which tokens texts are made of, and whether a smaller tokenizer makes the same of them.

The library `tokenizers` is imported here only, when it is needed.
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

# Some milliseconds of work each.
_PIECE = 1 << 14
# So much of a piece is in the next one too: what comes out at its end, or at its beginning, is not
# always what the whole text would give there.
_OVERLAP = 512
# No list of ids is larger.
_LIST_BYTES = 1 << 24


class _Library:
    """A tokenizer as the library runs it."""

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
        with self._refusals():
            self._tokenizer = tokenizers.Tokenizer.from_str(data.decode())
            self._tokenizer.no_truncation()  # or else nothing is seen of what it would cut off
            self._tokenizer.no_padding()

    def encoded(self, texts: Sequence[str]) -> list[Any]:
        """Segment texts; with what is put before and behind each."""
        with self._refusals():
            found: list[Any] = self._tokenizer.encode_batch(list(texts))
        return found

    def normalized(self, text: str) -> str:
        """Return a text as it is before it is segmented."""
        with self._refusals():
            normalizer = self._tokenizer.normalizer
            return text if normalizer is None else str(normalizer.normalize_str(text))

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            # A panic of the library is no `Exception`.
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise
            raise CheckpointError(
                f"The library tokenizers cannot use '{self._where}': {error}.",
                remedy="Save the tokenizer again with transformers.",
            ) from None


def tokens_of(tokenizer: Tokenizer, texts: Sequence[Path], job: Job) -> Ids:
    """Return the ids of the tokens that texts are made of, ascending.

    A text counts as a whole, and each of its lines by itself: tokens of a line's start need not
    occur within the text, nor those of several line ends within a line.

    Parameters
    ----------
    texts
        Files of UTF-8 text.

    Raises
    ------
    CheckpointError
        If a file cannot be read or is no such text, or the library cannot read the tokenizer.
    ParameterError
        If the library is not installed.
    """
    library = _Library(tokenizer.data, tokenizer.where)
    seen = np.zeros(tokenizer.known.size, np.bool_)
    unknown = _UnknownWords(tokenizer, library) if tokenizer.kind == "WordPiece" else None
    for _, _, parts in _parts(texts, job):
        for part, encoding in zip(parts, library.encoded(parts), strict=True):
            ids = np.array(encoding.ids, np.int64)
            seen[ids] = True
            if unknown is not None:
                unknown.note(part, encoding, seen)
    return np.flatnonzero(seen)


def check_segmentation(
    tokenizer: Tokenizer, cut: VocabularyCut, texts: Sequence[Path], job: Job
) -> None:
    """Refuse a cut if its tokenizer makes other tokens of any line of texts than before.

    Raises
    ------
    ExportError
        If it does; for the rest, see `tokens_of`.
    """
    before = _Library(tokenizer.data, tokenizer.where)
    after = _Library(cut.files[TOKENIZER], f"the smaller {TOKENIZER}")
    for path, line, parts in _parts(texts, job):
        pairs = zip(before.encoded(parts), after.encoded(parts), strict=True)
        for number, (old, new) in enumerate(pairs):
            if old.tokens != new.tokens or cut.new_ids[old.ids].tolist() != new.ids:
                raise ExportError(
                    f"The smaller {TOKENIZER} would tokenize '{path}' differently, at line "
                    f"{line + max(0, number - 1):,}: '{parts[number][:60]}'.",
                    remedy="Keep the whole vocabulary.",
                )


def read_ids(path: Path, tokenizer: Tokenizer, job: Job) -> Ids:
    """Read a list of ids to keep: on each line one, or a range ``a-b``; ascending.

    Raises
    ------
    CheckpointError
        If it cannot be read.
    ParameterError
        If a line is something else, or the tokenizer has no such id.
    """
    chosen = np.zeros(tokenizer.known.size, np.bool_)
    data = json_codec.read(path, "list of ids", _LIST_BYTES, CheckpointError)
    lines = data.decode(errors="replace").split("\n")
    for number, line in enumerate(job.cancel.each(lines), 1):
        _choose(line, number, path, chosen)
    return np.flatnonzero(chosen)


def _choose(line: str, number: int, path: Path, chosen: Flags) -> None:
    if not (text := line.strip()):
        return
    first, dash, last = (part.strip() for part in text.partition("-"))
    last = last if dash else first
    digits = all(part.isascii() and part.isdigit() and len(part) <= 9 for part in (first, last))
    if not digits or int(first) > int(last):
        raise ParameterError(
            f"'{path}', line {number:,}: it must hold an id such as 17, or a range such as 20-31, "
            f"got '{text[:40]}'.",
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
    """Keeps what WordPiece found of a word before it gave up.

    Without these entries it would take shorter ones, get further, and find something.
    """

    def __init__(self, tokenizer: Tokenizer, library: _Library) -> None:
        self._model = json_codec.convert(tokenizer.tree["model"], WordPieces, tokenizer.where)
        self._library = library
        self._words: set[str] = set()

    def note(self, text: str, encoding: Any, seen: Flags) -> None:
        """Add the beginnings of the unknown words of a text to what was seen."""
        model = self._model
        if model.vocab.get(model.unk_token) not in encoding.ids:
            return
        for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True):
            if token == model.unk_token and end > start:
                word = self._library.normalized(text[start:end])
                if word not in self._words and len(word) <= model.max_input_chars_per_word:
                    self._words.add(word)
                    self._begin(word, seen)

    def _begin(self, word: str, seen: Flags) -> None:
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


def _parts(texts: Sequence[Path], job: Job) -> Iterator[tuple[Path, int, list[str]]]:
    """Yield pieces of texts: the file, the number of the first line, the piece and its lines."""
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
            before = before[max(0, before.find(" ", 0, _OVERLAP // 2)) :]  # rather not in a word
            line += piece[: len(piece) - len(before)].count("\n")
            job.step(size)


def _pieces(path: Path, job: Job) -> Iterator[tuple[str, int]]:
    """Yield a text in pieces that end with a line or a word, and their sizes in bytes."""
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
