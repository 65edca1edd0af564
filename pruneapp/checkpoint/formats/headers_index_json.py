"""The index of a sharded model: which tensor is in which file."""

from __future__ import annotations

from dataclasses import dataclass

from pruneapp.checkpoint.formats.headers_header_json import show
from pruneapp.checkpoint.io.files_file_names import FORBIDDEN, device_of, ends_badly
from pruneapp.errors import DamagedFileError, JsonError, UnrecognizedFileError
from pruneapp.json_codec import load_object
from pruneapp.progress import CancelToken

MAX_INDEX_BYTES = 64 << 20


@dataclass(frozen=True)
class ShardIndex:
    """What an index says.

    Attributes
    ----------
    weight_map
        The file name of each tensor.
    total_size
        Bytes of all tensors; None if it does not say.
    """

    weight_map: dict[str, str]
    total_size: int | None

    @property
    def files(self) -> tuple[str, ...]:
        """The file names, sorted: shards are numbered."""
        return tuple(sorted(set(self.weight_map.values())))


def parse(text: bytes, path: str, cancel: CancelToken | None = None) -> ShardIndex:
    """Parse an index.

    Parameters
    ----------
    text
        UTF-8 JSON.
    path
        The file, for messages.
    cancel
        Looked at once the text has been parsed as JSON; by default none.

    Raises
    ------
    UnrecognizedFileError
        If it is JSON of another kind.
    DamagedFileError
        If it is not JSON, or its weight_map breaks a rule.
    """
    try:
        tree = load_object(text)
    except JsonError as error:
        raise _damaged(path, error.what) from None
    if tree.get("format") == "pruneapp-recipe":  # not known by its name down here
        raise UnrecognizedFileError(
            f"'{path}' is a recipe, not a checkpoint.",
            remedy="Apply it to a checkpoint: pruneapp run RECIPE FILE -o OUT",
        )
    if "weight_map" not in tree:
        raise UnrecognizedFileError(
            f"'{path}' is a JSON file, but not an index of shards: it has no key 'weight_map'.",
            remedy="Open the file or folder that holds the weights.",
        )
    weight_map = tree["weight_map"]
    if type(weight_map) is not dict or not weight_map:
        raise _damaged(path, "its weight_map must be an object with at least one tensor")
    files: set[str] = set()
    for batch in (cancel or CancelToken()).batches(weight_map.items()):
        for name, file in batch:
            if type(file) is not str:
                raise _damaged(path, f"the file of tensor '{show(name)}' is not text")
            if file not in files:
                check_name(file, path)
                files.add(file)
    folded: dict[str, str] = {}
    for file in sorted(files):
        other = folded.setdefault(file.casefold(), file)
        if other != file:
            raise _damaged(
                path, f"'{other}' and '{file}' differ only in upper and lower case, or spelling"
            )
    metadata = tree.get("metadata")
    size = metadata.get("total_size") if type(metadata) is dict else None
    # transformers has written it as a float in places
    whole = size if type(size) is int or (type(size) is float and size.is_integer()) else None
    return ShardIndex(weight_map, None if whole is None else int(whole))


def check_name(file: str, path: str) -> None:
    """Raise `DamagedFileError` unless `file` is one plain file name on every system."""
    if (
        not file
        or len(file) > 255
        or ends_badly(file)
        or any(c == "/" or c in FORBIDDEN or not c.isprintable() for c in file)
        or device_of(file)
    ):
        raise _damaged(path, f"'{show(file)}' is not a plain file name")


def _damaged(path: str, what: str) -> DamagedFileError:
    return DamagedFileError(
        f"'{path}' is not a valid index of shards: {what}.",
        remedy="Download or save it again.",
    )
