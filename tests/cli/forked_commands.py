"""Run commands in forks of one process, which has imported everything.

Reads cases as JSON from standard input: arguments, and the kind of standard output and error.
Writes as JSON the status, the standard error and the standard output of each.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import suppress
from typing import IO

import pruneapp.cli.diff
import pruneapp.cli.parser
import pruneapp.cli.prune
import pruneapp.cli.run
import pruneapp.cli.sizes
import pruneapp.cli.verify  # noqa: F401 - loaded once for all
from pruneapp.__main__ import main


def run(case: dict[str, object]) -> dict[str, object]:
    """Run one case; an output is "file", "closed" or "unread"."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            _become(case, out, err)
        _, ended = os.waitpid(child, 0)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return {"status": os.waitstatus_to_exitcode(ended), "out": texts[0], "err": texts[1]}


def _become(case: dict[str, object], out: IO[bytes], err: IO[bytes]) -> None:
    status = 99
    try:
        for number, file, name in ((1, out, "stdout"), (2, err, "stderr")):
            how = case[name]
            if how == "file":
                os.dup2(file.fileno(), number)
            elif how == "closed":
                # As in an interpreter that was started with a closed output.
                os.close(number)
                setattr(sys, name, None)
            else:
                reading, writing = os.pipe()
                os.dup2(writing, number)
                os.close(reading)
                os.close(writing)
        sys.argv = ["pruneapp", *case["words"]]  # type: ignore[misc]  # of JSON
        status = main()
    finally:
        with suppress(OSError, AttributeError, ValueError):
            sys.stdout.flush()
        os._exit(status)


if __name__ == "__main__":
    found = [run(case) for case in json.load(sys.stdin)]
    sys.stdout.write(json.dumps(found))
