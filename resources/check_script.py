"""Does the pruned model still work?

Run this file. It measures the original weights and the exported ones with your evaluation script,
on the data that your script reads, and prints both results. It requires what your script requires,
and the packages that load the two files.
"""

import dataclasses
import importlib.util
import inspect
import random
import shutil
import sys
import tempfile
from pathlib import Path

import torch

SCRIPT = Path("@SCRIPT@")
LIMIT = "@LIMIT@"  # for functions with a parameter `limit`; None for all samples
SEED = "@SEED@"
ORIGINAL = Path("@ORIGINAL@")
# The weight files of the original and their modification times, in nanoseconds since 1970. If an
# export has replaced the original, these are the backups.
ORIGINAL_WEIGHTS = {"@ORIGINAL_WEIGHTS@": None}
EXPORTED = Path("@EXPORTED@")
# Whether load(path) of your script gets EXPORTED itself; False if it may not read its format.
READS_EXPORT = "@READS_EXPORT@"
# Keys that lead to the state dict in a torch file, outermost first; empty if the file is one.
STATE_DICT = "@STATE_DICT@"


# @FILES@


# @LOADERS@


# @RESIZING@


def read_script():
    """Import the evaluation script."""
    sys.path.insert(0, str(SCRIPT.parent))
    spec = importlib.util.spec_from_file_location(SCRIPT.stem, SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[SCRIPT.stem] = module
    spec.loader.exec_module(module)
    return module


def call(function, argument):
    """Call a function of the script; `device`, `limit` and `seed` are passed if it has them."""
    random.seed(SEED)
    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    known = {"device": device, "limit": LIMIT, "seed": SEED}
    takes = list(inspect.signature(function).parameters)[1:]
    return function(argument, **{name: known[name] for name in takes if name in known})


def numbers(name, result):
    """Return the metrics of a result by name, as Pruneapp reads them."""
    if dataclasses.is_dataclass(result):
        result = dataclasses.asdict(result)
    if isinstance(result, dict):
        return {key: x for part, each in result.items() for key, x in numbers(part, each).items()}
    if isinstance(result, tuple) and len(result) == 2:
        first, second = result
        result = first if hasattr(second, "__len__") else first / second
    elif isinstance(result, (list, tuple)):
        result = sum(map(float, result)) / len(result)
    return {str(name): float(result)}


def written(tensors, folder):
    """Write tensors to a file, or a model folder, in the format of the original."""
    if ORIGINAL.is_dir():
        for file in ORIGINAL.iterdir():
            if file.is_file() and file.suffix in {".json", ".txt", ".model", ".py", ".jinja"}:
                if not file.name.endswith(".index.json"):
                    shutil.copy(file, folder)
    name = "model.safetensors" if ORIGINAL.is_dir() else ORIGINAL.name
    path = Path(folder) / name
    if path.suffix == ".safetensors":
        from safetensors.torch import save_file

        save_file({name: t.contiguous().clone() for name, t in tensors.items()}, path)
    else:
        for key in reversed(STATE_DICT.split(".") if STATE_DICT else []):
            tensors = {key: tensors}
        torch.save(tensors, path)
    return folder if ORIGINAL.is_dir() else str(path)


def measure(script, path):
    """Return the metrics of the model at a path."""
    model = call(script.load, str(path))
    found = {}
    for name, function in list(vars(script).items()):
        if name == "evaluate" or (
            name.startswith("evaluate_") and getattr(function, "__module__", "") == SCRIPT.stem
        ):
            metric = "score" if name == "evaluate" else name.removeprefix("evaluate_")
            found.update(numbers(metric, call(function, model)))
    return found


def main():
    refuse_wrong_files()
    script = read_script()
    weights = list(ORIGINAL_WEIGHTS)
    with tempfile.TemporaryDirectory() as folder:
        if len(weights) == 1 and not ORIGINAL.is_dir():
            before = measure(script, weights[0])
        elif all(Path(file).parent == ORIGINAL and ".orig." not in file for file in weights):
            before = measure(script, ORIGINAL)
        else:
            before = measure(script, written(load_original(weights), folder))
    with tempfile.TemporaryDirectory() as folder:
        path = EXPORTED if READS_EXPORT else written(load(EXPORTED), folder)
        after = measure(script, path)
    width = max(map(len, [*before, "metric"]))
    print(f"{'metric':{width}}  {'original':>12}  {'export':>12}  {'difference':>12}")
    for name, value in before.items():
        other = after.get(name, float("nan"))
        print(f"{name:{width}}  {value:12.6g}  {other:12.6g}  {other - value:+12.6g}")


if __name__ == "__main__":
    main()
