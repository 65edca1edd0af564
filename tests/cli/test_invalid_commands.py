"""Invalid command lines end with status 0, 1 or 2 and a sentence, never a traceback."""

from __future__ import annotations

import itertools
import json
import os

import numpy as np
import pytest
from safetensors.numpy import save_file

from pruneapp import resources

SAMPLE = resources.path("sample/lenet-digits.safetensors")
OUT = ("prune", SAMPLE, "-o", "out.safetensors")
L1 = (*OUT, "--method", "l1_unstructured")
HALF = (*L1, "--amount", "0.5")
LN = (*OUT, "--method", "ln_structured", "--amount", "0.5")
DIFF = ("diff", SAMPLE, SAMPLE)
# Command lines that are refused, and texts in the message.
INVALID = [
    (("inspect", "/no/such/file"), ("/no/such/file", "cannot be opened")),
    # Methods and their parameters.
    (
        (*OUT, "--method", "l1", "--amount", "0.5"),
        ("'l1'", "Did you mean 'l1_unstructured', 'l1_per_row' or 'l1_normalized'? Allowed meth"),
    ),
    ((*LN, "--scope", "global"), ("global", "ln_structured")),
    ((*OUT, "--method", "n_m", "--scope", "global"), ("n_m", "local only")),
    ((*HALF, "--n", "1"), ("--n", "l1_unstructured")),
    ((*L1, "--amount", "150%"), ("pruneapp: --amount must be ", "(got '150%')")),
    ((*L1, "--amount", "nan"), ("amount", "nan")),
    ((*L1, "--amount", "-3"), ("amount", "-3")),
    (
        (*L1, "--amount", "1281", "--select", "fc3.weight"),
        ("pruneapp: --amount is larger than what remains", "1,281", "1,280"),
    ),
    (L1, ("needs --amount or --target-sparsity.",)),
    (
        (*LN, "--dim", "5", "--select", "fc3.weight"),
        ("--dim must be from -2 to 1 for 'fc3.weight' (got 5)",),
    ),
    ((*LN, "--select", "conv1.bias"), ("conv1.bias",)),
    ((*HALF, "--select", "fc9.*"), ("fc9.*", "fc")),
    ((*HALF, "--select", "bn1.running_mean"), ("running",)),
    ((*HALF, "--mask", "m"), ("--mask",)),
    ((*OUT, "--method", "custom_from_mask"), ("--mask",)),
    (
        (*HALF, "--prune-bias-and-norm"),
        ("Only whole channels along dim 0 have matching bias and norm",),
    ),
    ((*HALF, "--state-dict", "ema"), ("ema",)),
    # Limits.
    ((*HALF, "--target-sparsity", "0.5"), ("--target-sparsity replaces --amount",)),
    ((*HALF, "--max-sparsity", "2"), ("--max-sparsity must be a share from 0.0 to 1.0",)),
    ((*HALF, "--exclude", "x"), ("--exclude must be any of embeddings, first, last", "'x'")),
    ((*HALF, "--min-sparsity", "0.9", "--max-sparsity", "50%"), ("above the maximum",)),
    (
        (*L1, "--amount", "0.7", "--scope=global", "--max-sparsity", "0.5"),
        ("At most 50 % in each of 5",),
    ),
    # Formats and outputs.
    ((*HALF, "-o", "/no/such/folder/o.safetensors"), ("/no/such/folder",)),
    ((*HALF, "-o", "-"), ("pruneapp: --output must be a file",)),
    ((*HALF, "--dtype", "int4"), ("--dtype must be one of keep, float16, bfloat16 (got 'int4')",)),
    (
        (*HALF, "--compression-level", "3"),
        ("The format 'safetensors' does not take --compression-level (it takes --dtype, --max-",),
    ),
    ((*HALF, "--format", "masks", "--dtype", "float16"), ("'masks' does not take --dtype",)),
    (
        (*HALF, "--format", "compact", "--max-shard-size", "5GB"),
        ("'compact' does not take --max-shard-size",),
    ),
    ((*HALF, "--max-shard-size", "x"), ("pruneapp: --max-shard-size must be ", "(got 'x')")),
    (
        (*HALF, "--max-shard-size", "5"),
        ("--max-shard-size must be a size with its unit, such as 5 GB",),
    ),
    ((*HALF, "--max-shard-size", "5GB"), ("'out.safetensors' is the name of a file",)),
    ((*HALF, "--report", "r.pdf"), ("--report must end in .html, .csv, .json (got 'r.pdf')",)),
    # Patterns, and two checkpoints.
    (("check", SAMPLE, "--pattern", "4:2"), ("--pattern must be n:m",)),
    (("check", SAMPLE, "--pattern", "two of four"), ("--pattern must be n:m",)),
    (("check", SAMPLE, "--pattern", "2:4", "--dim", "9"), ("--dim must be from -4 to 3",)),
    (("diff", SAMPLE, "/no/such/file"), ("/no/such/file", "cannot be opened")),
    ((*DIFF, "fc9.*"), ("fc9.*", "fc1")),
    ((*DIFF, "--state-dict", "ema"), ("ema",)),
    # Errors of the parser, which name options as in the help.
    (("prun",), ("no such command or file: 'prun'; did you mean 'prune'?",)),
    (("foo",), ("no such command or file: 'foo' ",)),
    (("prune",), ("required",)),
    ((*HALF, "--device", "tpu"), ("--device",)),
    (
        (*HALF, "--format", "compct"),
        ("--format must be one of safetensors, ", "(got 'compct'); did you mean 'compact'?"),
    ),
    ((*HALF, "--amont", "1"), ("unknown option --amont; did you mean --amount?",)),
    ((*HALF, "n"), ("prune: unexpected argument 'n'",)),
    (("prune", "m", "--method", "identity"), ("pruneapp prune: --output is required",)),
    (("inspect",), ("pruneapp inspect: FILE is required",)),
    (("inspect", "m", "--select"), ("--select needs a value",)),
    (("check", "m", "--pattern", "2:4", "--dim", "x"), ("--dim must be an integer (got 'x')",)),
    (("diff", "m"), ("pruneapp diff: B is required",)),
    (("diff", "m", "n", "--only-diferent"), ("did you mean --only-different?",)),
    (("methods", "--jsn"), ("pruneapp methods: unknown option --jsn; did you mean --json?",)),
    (("--foo",), ("pruneapp: unknown option --foo (see pruneapp --help)",)),
]
RECIPE = {"format": "pruneapp-recipe", "version": 1, "entries": []}
ODD = (
    "",
    "-",
    ".",
    "no such file",
    "a\udcffb",
    "\u202e",
    "x" * 5000,
    "model/below",
    "empty",
    "binary.json",
    "list.json",
    "cut.safetensors",
    "broken link",
    "loop",
    "pipe",
    "folder",
    "none.recipe.json",
    "model",
)
PRUNE = ("--method", "l1_unstructured", "--amount", "0.5")
LINES = {
    "inspect": lambda one, _: (one,),
    "sizes": lambda one, _: (one,),
    "check": lambda one, other: (one, "--pattern", "2:4", "--select", other),
    "diff": lambda one, other: (one, other),
    "expand": lambda one, other: (one, "-o", f"{other}.out"),
    "verify": lambda one, other: (one, "--against", other),
    "run": lambda one, other: (one, other, "--check"),
    "prune": lambda one, other: (one, "-o", "out.safetensors", *PRUNE, "--save-recipe", other),
    "methods": lambda one, other: (one, other),
    "allocate": lambda one, other: (
        one,
        other,
        "--target-sparsity",
        "50%",
        "-o",
        "out.recipe.json",
    ),
}


@pytest.mark.parametrize(("words", "texts"), INVALID)
def test_invalid_arguments_give_one_sentence_and_status_2(
    refused, tmp_path, monkeypatch, words, texts
):
    monkeypatch.chdir(tmp_path)
    err = refused(*words)
    assert err.count("\n") == 1
    for text in texts:
        assert text in err
    assert not list(tmp_path.iterdir())


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_file({"fc.weight": np.ones((4, 8), np.float32)}, tmp_path / "model")
    (tmp_path / "empty").touch()
    (tmp_path / "binary.json").write_bytes(bytes(range(256)) * 9)
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "cut.safetensors").write_bytes((tmp_path / "model").read_bytes()[:-9])
    (tmp_path / "none.recipe.json").write_text(json.dumps(RECIPE))
    (tmp_path / "broken link").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    return tmp_path


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have names on Unix only")
@pytest.mark.parametrize("command", LINES)
def test_unusual_arguments_give_a_status_and_a_sentence(call, place, command):
    for one, other in itertools.chain(
        ((one, "model") for one in ODD), (("model", one) for one in ODD[:-2])
    ):
        words = (command, *LINES[command](one, other))
        status, out, err = call(*words)
        assert status in {0, 1, 2}, (words, err)
        assert "Traceback" not in err
        assert (err if status == 2 else out).strip(), words
        if status == 2:
            assert err.startswith("pruneapp"), words
            assert "." in err or "--help" in err


def _identity(path):
    """Return what changes if a file is replaced or written; not when it was last read."""
    status = os.lstat(path)
    return status.st_dev, status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have names on Unix only")
@pytest.mark.parametrize("where", [".", "folder", "pipe", "broken link"])
def test_a_recipe_only_replaces_regular_files(call, place, where):
    before = _identity(where)
    words = ("prune", "model", "-o", "out.safetensors", *PRUNE, "--save-recipe", where)
    status, _, err = call(*words)
    assert (status, f"'{where}' is " in err) == (2, True)
    assert _identity(where) == before
    assert not (place / "out.safetensors").exists()
