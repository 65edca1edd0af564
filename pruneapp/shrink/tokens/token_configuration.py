"""Where configurations of a model name tokens by their ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pruneapp.errors import UnsupportedFileError

# `eos_token_id`, `image_token_index`, `stop_token_ids`. Those of codebooks are ids of other tables.
_ID = re.compile(r"(?!codebook_).*_token_(?:id|ids|index)")
# Lists of ids, of lists of ids, and objects whose values are ids (generation_config.json).
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
# Of the pairs in these lists, one part is an id, or ids: [position, id] and [ids, bias].
_PAIRS = {"forced_decoder_ids": 1, "sequence_bias": 0}
# Configurations within a configuration that are about the same tokens.
_NESTED = frozenset({"text_config", "language_config", "llm_config"})
_EACH_NESTED = frozenset({"task_specific_params"})


def named_ids(config: Mapping[str, Any], where: str) -> set[int]:
    """Return every id that a config.json, generation_config.json or the like names.

    Raises
    ------
    UnsupportedFileError
        If something stands where ids belong that is none.
    """
    found: set[int] = set()

    def note(number: int, _place: str) -> int:
        found.add(number)
        return number

    _mapped(config, note, where)
    return found


def remap_ids(
    config: Mapping[str, Any], old_to_new: Mapping[int, int], rows: int, where: str
) -> dict[str, Any]:
    """Return a configuration with the new ids of the tokens that it names.

    Parameters
    ----------
    rows
        Those that the embedding had. Ids that never had one (-1, 50,256 in a small model) stay.

    Raises
    ------
    UnsupportedFileError
        If something stands where ids belong that is none, or the token of one is not kept.
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

    return _mapped(config, renumber, where)


def _mapped(
    config: Mapping[str, Any], change: Callable[[int, str], int], where: str, place: str = ""
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in config.items():
        at = f"{place}.{key}" if place else key
        if _ID.fullmatch(key) or key in _IDS:
            result[key] = _each(value, change, where, at)
        elif key in _PAIRS and value is not None:
            result[key] = _pairs(value, _PAIRS[key], change, where, at)
        elif key in _NESTED and isinstance(value, dict):
            result[key] = _mapped(value, change, where, at)
        elif key in _EACH_NESTED and isinstance(value, dict):
            result[key] = {
                name: _mapped(one, change, where, f"{at}.{name}") if isinstance(one, dict) else one
                for name, one in value.items()
            }
        else:
            result[key] = value
    return result


def _each(value: Any, change: Callable[[int, str], int], where: str, place: str) -> Any:
    """Change an id, or all in a list or an object."""
    if type(value) is int:
        return change(value, place)
    if value is None:
        return None
    if isinstance(value, list):
        return [_each(one, change, where, f"{place}[{n}]") for n, one in enumerate(value)]
    if isinstance(value, dict):
        return {key: _each(one, change, where, f"{place}.{key}") for key, one in value.items()}
    raise _no_id(where, place, value)


def _pairs(
    value: Any, part: int, change: Callable[[int, str], int], where: str, place: str
) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(p, list) and len(p) == 2 for p in value):
        raise _no_id(where, place, value)
    result = []
    for number, pair in enumerate(value):
        both = list(pair)
        both[part] = _each(pair[part], change, where, f"{place}[{number}][{part}]")
        result.append(both)
    return result


def _no_id(where: str, place: str, value: Any) -> UnsupportedFileError:
    return UnsupportedFileError(
        f"'{where}', at {place}: it must be an id of a token, or a list of them, got {value!r}.",
        remedy="Keep the whole vocabulary.",
    )
