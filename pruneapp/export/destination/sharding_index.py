"""The index of a model of several files: which tensor lies in which of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pruneapp.errors import ExportError, JsonError
from pruneapp.export.format import Plan
from pruneapp.json_codec import load_object


def index_of(plans: Mapping[str, Plan], old: Path | None, nbytes: int) -> Plan:
    """Plan the index of files that are planned, as transformers writes it.

    Parameters
    ----------
    plans
        The files by their names.
    old
        The index of the model that was opened: what else it says is kept, and all of it, byte for
        byte, where it is true of the new files.
    nbytes
        How many bytes the tensors of that model have, which is what `old` should say.

    Raises
    ------
    ExportError
        If the old index can no longer be read.
    """
    data = _index(plans, old, nbytes)
    return Plan(len(data), lambda: iter((data,)), {})


def _index(plans: Mapping[str, Plan], old: Path | None, nbytes: int) -> bytes:
    text, said = b"", dict[str, Any]()
    if old is not None:
        text, said = _read(old)
    where = {name: file for file, plan in plans.items() for name in plan.names}
    total = sum(nbytes for plan in plans.values() for nbytes in plan.names.values())
    if said.get("weight_map") == where and total == nbytes:
        return text  # byte for byte
    # Names in the order of the old index, the new ones where the old one stood.
    about = said.get("metadata")
    about = about if type(about) is dict else {}
    new = {"metadata": {**about, "total_size": total}, "weight_map": where}
    return (json.dumps(new, indent=2, ensure_ascii=False) + "\n").encode()


def _read(path: Path) -> tuple[bytes, dict[str, Any]]:
    try:
        text = path.read_bytes()
        return text, load_object(text, str(path))
    except (OSError, JsonError) as error:
        raise ExportError(
            f"'{path}', the index of the model, can no longer be read.",
            remedy="Put it back, then open the model again.",
            details=str(error),
        ) from None
