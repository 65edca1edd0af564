"""Read evaluation scripts without running them, and find the Python to run them with."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from textwrap import indent

from pruneapp import DOCUMENTATION, json_codec, resources
from pruneapp.checkpoint.checkpoint import Checkpoint
from pruneapp.checkpoint.formats.safetensors import SAFETENSORS
from pruneapp.checkpoint.io.store import is_store
from pruneapp.checkpoint.torchfile.exported_program import FORMAT as EXPORTED_PROGRAM
from pruneapp.errors import ParameterError, escape_text
from pruneapp.evaluation.classifier import Classifier
from pruneapp.evaluation.model_graph import SeededInputs, is_onnx, read_model_graph
from pruneapp.evaluation.process import ChildProcess, EvaluationError
from pruneapp.export.destination.sidecars import configuration_of, has_shrink_record
from pruneapp.export.format import LoadedModel
from pruneapp.export.scripts import loading_code
from pruneapp.params import Interval, IntParam, SeedParam
from pruneapp.progress import Job

LIMIT = IntParam(
    name="samples",
    label="Samples",
    help="Maximum number of samples.",
    default=None,
    bounds=Interval(1),
)
SEED = SeedParam()
# Seconds between two checks for cancellation.
_LOOK = 0.05
# Larger files are not scripts.
_MOST_BYTES = 16 << 20
_MOST_PARSED = 1 << 20  # characters; parsing this many takes a second
_HEADER = re.compile(r"(?m)^# /// script\s*$\s(?P<content>(?:^#(?:| .*)$\s?)+?)^# ///\s*$")
# Files that mark the root of a project, where the search for .venv ends.
_PROJECT = (".git", "pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True)
class Options:
    """Options for running a script.

    Raises
    ------
    ParameterError
        If a limit or the time limit is not positive, or the seed is invalid.
    """

    device: str = ""  # the script's argument `device`; empty for the fastest available in torch
    limit: int | None = None  # maximum number of samples, for scripts with an argument `limit`
    seed: int = 0  # seed of random numbers before each call, and the argument `seed`
    time_limit: float | None = None  # maximum seconds per call
    # Data of the built-in scripts, and the classifier that they build.
    text: Path | None = None
    images: Path | None = None
    classifier: Classifier | None = None
    seeded: SeededInputs | None = None  # inputs of an ONNX model without data
    graph: bool = False  # whether the model is an ONNX model, for which Python needs no torch

    def __post_init__(self) -> None:
        if self.limit is not None:
            LIMIT.validate(self.limit)
        SEED.validate(self.seed)
        if self.time_limit is not None and not self.time_limit > 0:
            raise ParameterError(
                f"'time_limit' must be more than 0 seconds (got {self.time_limit:g})."
            )


# Names of the built-in evaluations, by the file name of their script.
BUILT_IN_NAMES: Mapping[str, str] = {
    "builtin_accuracy.py": "built-in evaluation of accuracy",
    "builtin_agreement.py": "built-in evaluation of agreement on random token IDs",
    "builtin_embedding.py": "built-in evaluation of embeddings",
    "builtin_graph.py": "built-in evaluation of agreement on random inputs",
    "builtin_images.py": "built-in evaluation of agreement on images",
    "builtin_perplexity.py": "built-in evaluation of perplexity",
}


@dataclass(frozen=True)
class EvaluationScript:
    """A Python file with `load`, `evaluate` or `calibrate`, with its content when it was read."""

    path: Path
    sha256: str
    text: str

    @classmethod
    def read(cls, path: Path) -> EvaluationScript:
        """Read a file without running it; the path becomes absolute, with links resolved.

        Raises `EvaluationError` if it cannot be read, is larger than 16 MiB, or is not UTF-8 text.
        """
        try:
            path = Path(os.path.realpath(path))  # `resolve` raises for a loop of links
            data = json_codec.read(path, "script", _MOST_BYTES, EvaluationError)
            text = data.decode("utf-8")
            if "\0" in text:
                raise ValueError  # noqa: TRY301 - same error as for invalid UTF-8
        except ValueError:  # invalid UTF-8, or null bytes
            raise EvaluationError(
                f"'{path}' is not a Python file.",
                remedy="Choose the Python file that defines load and evaluate.",
            ) from None
        return cls(path, hashlib.sha256(data).hexdigest(), text)

    @classmethod
    def shipped(cls, *, text: bool, embeds: bool = False) -> EvaluationScript:
        """Return the built-in script for transformers folders: perplexity of a text, or agreement.

        `text`: whether there is a text; without it, agreement on random tokens is measured. A model
        that `embeds` returns no logits, so agreement on the text is measured.
        """
        of_text = "builtin_embedding.py" if embeds else "builtin_perplexity.py"
        name = of_text if text else "builtin_agreement.py"
        return cls.read(resources.path(f"pruneapp_worker/{name}"))

    @classmethod
    def shipped_for_images(cls, *, labelled: bool) -> EvaluationScript:
        """Return the built-in script for image classifiers: accuracy with labels, or agreement."""
        name = "builtin_accuracy.py" if labelled else "builtin_images.py"
        return cls.read(resources.path(f"pruneapp_worker/{name}"))

    @classmethod
    def shipped_for_graphs(cls) -> EvaluationScript:
        """Return the built-in script for ONNX models: agreement on seeded inputs."""
        return cls.read(resources.path("pruneapp_worker/builtin_graph.py"))

    @cached_property
    def measuring_sha256(self) -> str:
        """The SHA-256 of the text without its function ``train``, which evaluations do not call.

        `sha256` if there is none, another part of the script refers to it, or the text cannot be
        parsed.
        """
        statements = self._statements or []
        training = [
            one for one in statements if isinstance(one, ast.FunctionDef) and one.name == "train"
        ]
        others = [one for one in statements if one not in training]
        names = (node for one in others for node in ast.walk(one) if isinstance(node, ast.Name))
        if not training or any(node.id == "train" for node in names):
            return self.sha256
        lines = self.text.splitlines()
        for one in training:
            first = min([one.lineno, *(node.lineno for node in one.decorator_list)])
            for line in range(first - 1, one.end_lineno or first):
                lines[line] = ""
        kept = "\n".join(line for line in lines if line.strip())
        return hashlib.sha256(kept.encode()).hexdigest()

    @property
    def name(self) -> str:
        """The file name, or what a built-in script evaluates, which the user did not choose."""
        name = self.path.name
        # The scripts of checks are built in too, and are called by their file name.
        return BUILT_IN_NAMES.get(name, name) if self.builtin else name

    @property
    def measures_other_images(self) -> bool:
        """Whether it is the built-in script that evaluates and calibrates on different images."""
        return self.builtin and self.path.name == "builtin_accuracy.py"

    @property
    def builtin(self) -> bool:
        """Whether it is a built-in script, judged by its folder, not by its name."""
        return self.path.parent == resources.path("pruneapp_worker").resolve()

    @property
    def unchanged(self) -> bool:
        """Whether the file still has the content that was read."""
        try:
            data = json_codec.read(self.path, "script", _MOST_BYTES, EvaluationError)
        except EvaluationError:
            return False
        return hashlib.sha256(data).hexdigest() == self.sha256

    def ignores_limit(self, *, calibrating: bool = False) -> bool:
        """Return whether no measuring function has an argument `limit`, judged by parsing.

        `calibrating`: only ``calibrate`` counts, if it is defined. False if there is no measuring
        function, one has a decorator, or the text cannot be parsed.
        """
        defined = [one for one in self._statements or () if isinstance(one, ast.FunctionDef)]
        measuring = [
            one for one in defined if one.name == "calibrate" or one.name.startswith("evaluate")
        ]
        if calibrating:
            measuring = [one for one in measuring if one.name == "calibrate"] or measuring
        return bool(measuring) and not any(
            one.decorator_list
            or "limit" in {arg.arg for arg in (*one.args.args, *one.args.kwonlyargs)}
            for one in measuring
        )

    def may_define(self, prefix: str) -> bool:
        """Return whether it may define a function whose name starts with `prefix`.

        Judged by parsing; True if it cannot be parsed, or imports all names of a module.
        """
        statements = self._statements
        if statements is None:
            return True
        names: list[str] = []
        for one in statements:
            if isinstance(one, ast.If | ast.Try):
                return True
            if isinstance(one, ast.FunctionDef):
                names.append(one.name)
            elif isinstance(one, ast.Import | ast.ImportFrom):
                names += [alias.asname or alias.name for alias in one.names]
            elif isinstance(one, ast.Assign):
                names += [target.id for target in one.targets if isinstance(target, ast.Name)]
        return "*" in names or any(name.startswith(prefix) for name in names)

    @property
    def _statements(self) -> list[ast.stmt] | None:
        """The statements of the module; None if it is too long or cannot be parsed."""
        if len(self.text) > _MOST_PARSED:
            return None
        try:
            return ast.parse(self.text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @property
    def header(self) -> str:
        """The requirements declared in the script (PEP 723), as TOML; empty if there are none."""
        match = _HEADER.search(self.text)
        if match is None:
            return ""
        lines = match["content"].splitlines()
        return "\n".join(line[2:] if line.startswith("# ") else line[1:] for line in lines)


_SAMPLE_DATA = 'Path(__file__).with_name("digits.npz")'
_SAMPLE_IMPORT = "from pathlib import Path\n\n"
# Maximum number of tensors listed in a template.
_NAMED = 12
_FILL_IN = "  # TODO: "  # in generated code: the user has to replace what is before it
_READ_TORCH = "torch.load(path, map_location='cpu')"
_READ_SAFETENSORS = """\
if path.endswith('.safetensors'):  # also the weights of a .pt2
    from safetensors.torch import load_file

    state_dict = load_file(path)
"""
_PATH = Path("<path>")  # replaced by the variable `path` in a template


def template_for(checkpoint: Checkpoint) -> str:
    """Return the text of a script for a checkpoint, to be completed; for the sample it is complete.

    The names of the first 12 tensors are listed in comments. An ONNX model gets a template for
    onnxruntime, whose graph is read: raises `DamagedFileError` if that is damaged.
    """
    sample = resources.path("sample")
    if checkpoint.path.parent == sample:
        text = (sample / "my_evaluation.py").read_text(encoding="utf-8")
        text = text.replace(_SAMPLE_DATA, repr(str(sample / "digits.npz")))
        return text.replace(_SAMPLE_IMPORT, "")  # the template uses no other paths
    if is_onnx(checkpoint):
        return _graph_template(checkpoint)
    large = [e for e in checkpoint.entries.values() if len(e.shape) > 1]
    named = [f"#   {escape_text(e.name)}  {e.shape}" for e in large[:_NAMED]]
    named += ["#   …"] * (len(large) > _NAMED)
    configuration = configuration_of(checkpoint) if checkpoint.path.is_dir() else None
    embeds = configuration is not None and configuration.embeds
    template = "encoder_template.txt" if embeds else "evaluation_template.txt"
    reader, lines = _loading_lines(checkpoint)
    # Names are only inserted into comments, escaped and one per line, and into a docstring, without
    # quotes: no file name can become code.
    filled = {
        "FILE": _title(checkpoint),
        "HELP": f"{DOCUMENTATION}/measure.md",
        "READER\n": reader,
        "LOAD": indent(lines, "    "),
        "TENSORS": "\n".join(named),
    }
    return _fill_template(template, filled)


def _loading_lines(checkpoint: Checkpoint) -> tuple[str, str]:
    """Return an import, and lines that load the file at `path` into `model`, as reports state.

    For a torch file and a program of torch.export, the lines also load the other one: Pruneapp
    passes the weights of a program as a safetensors file.
    """
    code = _loading_code(checkpoint, _PATH).replace(repr(str(_PATH)), "path")
    first, _, lines = code.partition("\n")
    read, _, rest = lines.partition("\n")
    if checkpoint.format == EXPORTED_PROGRAM:
        first, read = "import torch", f"state_dict = {_READ_TORCH}"
    if read.startswith(f"state_dict = {_READ_TORCH}"):
        lines = f"{_READ_SAFETENSORS}else:\n    {read}\n{rest}"
    if has_shrink_record(checkpoint):
        lines = f"# a model of the original widths: Pruneapp resizes it to the file\n{lines}"
    return "" if first == "import torch" else f"{first}\n", lines


def _loading_code(checkpoint: Checkpoint, path: Path) -> str:
    """Return the code that reports state for a torch or safetensors file at `path`."""
    is_torch = checkpoint.format.startswith("torch")
    loads = loading_code.torch if is_torch else loading_code.safetensors
    return loads(LoadedModel.of(path, checkpoint, container=is_torch))


def has_program_code(checkpoint: Checkpoint) -> bool:
    """Return whether there is `program_code` for a checkpoint: torch or safetensors, on a disk.

    False for a shrunk file, which only the worker loads with the user's script.
    """
    known = checkpoint.format.startswith("torch") or checkpoint.format == "safetensors"
    return known and not is_store(checkpoint.path) and not has_shrink_record(checkpoint)


def program_code(checkpoint: Checkpoint, target: Path, script: Path | None) -> str:
    """Return Python code that writes a model with the weights of a checkpoint as a `.pt2` file.

    The model is that of ``load`` in `script`; without a script, the user has to insert the class.
    Empty without `has_program_code`.
    """
    if not has_program_code(checkpoint):
        return ""
    path = checkpoint.path.absolute()
    if script is not None:
        model = (
            f"import runpy, sys, torch\n"
            f"sys.path.insert(0, {str(script.parent)!r})\n"
            f"model = runpy.run_path({str(script)!r})['load']({str(path)!r}).eval()\n"
        )
    else:
        code = _loading_code(checkpoint, path)
        model = "" if code.startswith("import torch") else "import torch\n"
        if "model.load_state_dict" in code:
            model += f"from my_package import MyModel{_FILL_IN}the class of your model\n"
            code = f"model = MyModel().eval()\n{code}"
        model += f"{code}\n"
    shapes = [entry.shape for entry in checkpoint.entries.values() if len(entry.shape) > 1]
    first = shapes[0] if shapes else ()
    shape = (2, *first[1:2]) if len(first) == 2 else (2, *first[1:2], 224, 224)
    return (
        f"{model}"
        f"inputs = (torch.zeros{shape},){_FILL_IN}a batch of two inputs of your model\n"
        "sizes = ({0: torch.export.Dim.AUTO},) * len(inputs)  # any number of inputs\n"
        "program = torch.export.export(model, inputs, dynamic_shapes=sizes)\n"
        f"torch.export.save(program, {str(target)!r})\n"
    )


def remedy_for_shrunk() -> str:
    """Return what to do if a script loads a shrunk file by other means than `load_state_dict`."""
    # Workers replace `load_state_dict` while `load` runs.
    return (
        "A shrunk file has other shapes than the class of the model. In load(path), call "
        "model.load_state_dict, which also resizes the layers here, or load_shrunk of the script "
        "that was written next to the file, instead of copying tensors."
    )


_SHAPE_ERROR = re.compile(r"^\w*Error: .*\b(size|shape)", re.MULTILINE)


def remedy_for_loading(
    error: EvaluationError, checkpoint: Checkpoint, opened: Checkpoint | None = None
) -> EvaluationError:
    """Return an error of ``load`` with a remedy that states how to read the file at `path`.

    The remedy is about a state dict that does not fit the model, a file in another format than the
    opened one, or tensors of a shrunk file that are copied into a model of the original widths.
    Other errors are returned unchanged.

    Parameters
    ----------
    checkpoint
        The file that was loaded.
    opened
        The opened checkpoint, if the loaded file was exported from it.
    """
    if opened is not None and opened.format != checkpoint.format:
        remedy = _remedy_for_format(opened, checkpoint)
    elif "Error(s) in loading state_dict" in error.details:
        remedy = _remedy_for_state_dict(error.details.partition("Unexpected key(s)")[2], checkpoint)
    elif has_shrink_record(opened or checkpoint) and _SHAPE_ERROR.search(error.details):
        remedy = remedy_for_shrunk()
    else:
        return error
    if "size mismatch for" in error.details and not has_shrink_record(opened or checkpoint):
        remedy = _remedy_for_sizes(opened or checkpoint)
    return EvaluationError(error.sentence, remedy=remedy, details=error.details)


def _remedy_for_sizes(opened: Checkpoint) -> str:
    """Return what to do about shapes that differ from those of the model of the script."""
    return (
        f"If '{opened.path.name}' is a shrunk model of Pruneapp, put its '.shrink.json' file, "
        "which was written with it, into its folder, or call load_shrunk of the script that was "
        "written next to it in load(path). "
        "Otherwise the class or its arguments differ from those of the file."
    )


def _remedy_for_format(opened: Checkpoint, checkpoint: Checkpoint) -> str:
    """Return what the file is that was exported from the opened checkpoint, and how to read it."""
    name = opened.path.name
    if checkpoint.format == SAFETENSORS.name:
        return (
            f"For '{name}', load(path) gets the weights as a plain state dict in a safetensors "
            "file. Read it with load_file(path) of safetensors.torch, without further keys."
        )
    label = checkpoint.contents.label
    return f"For '{name}', load(path) gets the weights as a plain state dict in a {label} file."


def _remedy_for_state_dict(unexpected: str, checkpoint: Checkpoint) -> str:
    """Return how to load a state dict that does not fit the model.

    `unexpected` is torch's text on unexpected keys.
    """
    loaded = LoadedModel.of(_PATH, checkpoint, container=True)
    if loaded.keys and f'"{loaded.keys[0]}"' in unexpected:
        keys = "".join(f"[{key!r}]" for key in loaded.keys)
        return (
            f"The file contains more than the weights. In load(path), use torch.load(path){keys}."
        )
    if loaded.prefix and f'"{loaded.prefix}' in unexpected:
        return (
            f"All names in the file begin with '{loaded.prefix}'. In load(path), remove it: "
            f"key.removeprefix('{loaded.prefix}')."
        )
    return (
        "Compare the names and shapes of the file with those of the model: the class or its "
        "arguments differ."
    )


def _title(checkpoint: Checkpoint) -> str:
    return escape_text(checkpoint.path.name).replace('"', "'").replace("\\", "/")


def _fill_template(template: str, filled: Mapping[str, str]) -> str:
    text = resources.path(template).read_text(encoding="utf-8")
    return re.sub("|".join(filled), lambda found: filled[found[0]], text)


def _graph_template(checkpoint: Checkpoint) -> str:
    """Return a script template for an ONNX model, with its declared inputs and outputs.

    At most 12 of each are listed. Raises what `read_model_graph` raises.
    """
    graph = read_model_graph(checkpoint)
    lines = [
        f"#   {kind} {escape_text(value.name)}  {escape_text(str(list(value.shape)))}"
        for kind, values in (("input", graph.inputs), ("output", graph.outputs))
        for value in values[:_NAMED]
    ]
    # Quoted as a string literal: no input name can become code.
    quoted = json.dumps(graph.inputs[0].name if graph.inputs else "input")
    filled = {
        "FILE": _title(checkpoint),
        "HELP": f"{DOCUMENTATION}/measure.md",
        "VALUES": "\n".join(lines),
        "INPUT": quoted,
    }
    return _fill_template("onnx_template.txt", filled)


@dataclass(frozen=True)
class Interpreter:
    """A Python interpreter, and why it was chosen."""

    path: Path
    found: str  # end of a sentence: ``in the .venv next to the script``
    notice: str = ""  # remark for the user about the choice


def find_interpreter(
    script: EvaluationScript,
    chosen: Path | None = None,
    job: Job | None = None,
    *,
    make: bool = True,
) -> Interpreter:
    """Return the Python for a script: chosen, .venv, PEP 723, conda, or this one, in this order.

    A .venv is searched in the script's folder and its parents up to the root of the project. For a
    script with a header uv is used if it is installed; otherwise the result has a notice.

    Parameters
    ----------
    chosen
        Path of an interpreter or its environment; None to search.
    job
        May cancel while uv creates an environment.
    make
        Whether uv may be run for a script with a header; otherwise the path of uv is returned and
        nothing is run.

    Raises
    ------
    EvaluationError
        If the chosen one does not exist, uv fails, or none is found, which happens only in a
        bundle, whose Python cannot run scripts.
    """
    if chosen is not None:
        return Interpreter(_executable(chosen), "as chosen")
    for folder in _folders_above(script.path):
        python = _python_of(folder / ".venv")
        if python is not None:
            return Interpreter(python, "of the nearest .venv folder")
    notice = ""
    if script.header:
        uv = shutil.which("uv")
        if uv is not None:
            python = _by_uv(uv, script, job or Job()) if make else Path(uv)
            return Interpreter(python, "made by uv according to the header of the script")
        notice = (
            "The script lists what it needs in a header (PEP 723), but uv, which would install it, "
            "was not found."
        )
    for variable, words in (("CONDA_PREFIX", "conda"), ("VIRTUAL_ENV", "virtual")):
        prefix = os.environ.get(variable, "")
        python = _python_of(Path(prefix)) if prefix else None
        if python is not None:
            return Interpreter(python, f"in the active {words} environment '{prefix}'", notice)
    if getattr(sys, "frozen", False):
        raise EvaluationError(
            f"No Python was found for '{script.path.name}': there is no .venv next to it, and "
            "no conda environment is active.",
            remedy="Choose the interpreter of the environment in which your model runs.",
        )
    return Interpreter(Path(sys.executable), "the one that runs Pruneapp", notice)


def _folders_above(path: Path) -> list[Path]:
    """Return the script's folder and its parents up to and including the project root.

    The root has a .git folder or a file of a Python project. Only the script's folder if there is
    none.
    """
    folders = [path.parent]
    for folder in path.parents:
        if folder != path.parent:
            folders.append(folder)
        if any((folder / name).exists() for name in _PROJECT):
            return folders
    return folders[:1]


def _python_of(prefix: Path) -> Path | None:
    for name in ("bin/python", "Scripts/python.exe", "python.exe"):
        if os.access(prefix / name, os.X_OK):
            return prefix / name
    return None


def _executable(path: Path) -> Path:
    """Return the interpreter that a path, the folder of an environment, or a command name means.

    A name without folder is looked up in PATH unless a file has that name. Raises `EvaluationError`
    if there is none that can be executed.
    """
    with contextlib.suppress(OSError, ValueError):  # invalid paths
        if path.is_dir():
            python = _python_of(path.absolute())  # absolute, as the worker runs in another folder
            if python is not None:
                return python
        elif path.name == str(path) and not path.exists():
            command = shutil.which(str(path))
            if command is not None:
                return Path(command)
        elif os.access(path, os.X_OK):
            return path.absolute()
    raise EvaluationError(
        f"There is no Python interpreter at '{path}'.",
        remedy="Specify the executable file, or the folder of its environment.",
    )


def _by_uv(uv: str, script: EvaluationScript, job: Job) -> Path:
    """Run uv to create the environment described by the script's header, and return its Python.

    Raises `EvaluationError` if uv fails, and `Cancelled`, after uv was killed.
    """
    last = ""
    for command in (["sync", "--script"], ["python", "find", "--script"]):
        process = ChildProcess([uv, *command, str(script.path)], Path.cwd(), {}, talks=False)
        try:
            while process.runs:
                job.cancel.check()
                job.cancel.wait(_LOOK)
        finally:
            status = process.end()
        if status:
            raise EvaluationError(
                f"uv could not make the environment that the header of '{script.path}' describes.",
                remedy="Correct the header, or choose an interpreter.",
                details=process.log,
            )
        last = process.log.rpartition("\n")[2]
    return _executable(Path(last))
