"""The built-in runner for transformers model folders. Code in a folder is never run."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

# Set before transformers is imported, which reads it: nothing is downloaded.
os.environ["HF_HUB_OFFLINE"] = "1"

import torch

from pruneapp_worker.pipe import ContractError

# Maximum tokens per window, and the seeded inputs for measuring agreement.
MOST_TOKENS = 2048
SEEDED_ROWS, SEEDED_TOKENS, SEEDED_BATCH = 32, 64, 8
WRITE_ONE = "Write an evaluation script with load(path) for it."
_folders: list[str] = []


def load(path: str, device: str) -> Any:
    """Return the model of a folder, of the transformers class named in its config, on the device.

    Nothing is downloaded, and no code of the folder is run. Raises `ContractError` without a
    config.json or for a class that transformers lacks.
    """
    import transformers

    file = Path(path) / "config.json"
    if not file.is_file():
        raise ContractError(f"'{path}' is not a model folder with a config.json.", WRITE_ONE)
    names = json.loads(file.read_text(encoding="utf-8")).get("architectures") or ["no class"]
    found = getattr(transformers, str(names[0]), None)
    if not (isinstance(found, type) and issubclass(found, transformers.PreTrainedModel)):
        raise ContractError(
            f"'{path}' requires custom code: transformers {transformers.__version__} has no "
            f"class {names[0]}.",
            WRITE_ONE,
        )
    _folders.append(path)
    # If there is only a pickle, torch refuses code in it; versions of transformers without this
    # argument raise TypeError.
    form: dict[str, bool] = {"use_safetensors": True}
    if not any(file.parent.glob("*.safetensors")):
        form = {"use_safetensors": False, "weights_only": True}
    model = found.from_pretrained(
        path, local_files_only=True, trust_remote_code=False, dtype="auto", **form
    )
    return model.eval().to(device)


def context_of(model: Any) -> int:
    """Return the maximum number of tokens that a model processes at once."""
    config = model.config.get_text_config()
    for name in ("max_position_embeddings", "n_positions", "max_sequence_length"):
        if isinstance(getattr(config, name, None), int):
            return int(getattr(config, name))
    return MOST_TOKENS


@torch.no_grad()
def calibrate(model: Any, progress: Any, limit: Any = None) -> None:
    """Run `limit` (or 32) rows of random token IDs, the same for each state.

    Raises `ContractError` if the model takes no token ids.
    """
    if model.main_input_name != "input_ids":
        raise ContractError(
            f"The model takes {model.main_input_name}, not token IDs.",
            "Write an evaluation script that runs inputs of yours.",
        )
    generator = torch.Generator().manual_seed(0)
    tokens = min(SEEDED_TOKENS, context_of(model) - 2)  # RoBERTa's positions begin at 2
    shape = (limit or SEEDED_ROWS, tokens)
    ids = torch.randint(model.config.get_text_config().vocab_size, shape, generator=generator)
    for part in progress(ids.to(model.device).split(SEEDED_BATCH)):
        run(model, part)


def tokenizer_of_folder() -> Any:
    """Return the tokenizer of the folder loaded last that has one: a cut changes token ids."""
    from transformers import AutoTokenizer

    having = (folder for folder in reversed(_folders) if any(Path(folder).glob("tokenizer*")))
    folder = next(having, _folders[0])
    return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)


def words_in(text: str) -> str:
    """Return the content of a text file."""
    return Path(text).read_text(encoding="utf-8", errors="replace")


def no_text(text: str) -> ContractError:
    """Return the error for a file without text."""
    return ContractError(f"'{text}' contains no text.", "Specify a file with some pages of text.")


# What the latest run used of the text: see `Samples` in pruneapp.evaluation.runner.
SAMPLES: dict[str, Any] = {}


def windows_of(model: Any, text: str, limit: Any) -> torch.Tensor:
    """Return the token ids of a text in windows that do not overlap; a shorter rest is dropped.

    ``int64[windows, tokens]``, at most `limit` windows. Raises `ContractError` if the text has
    fewer than two tokens.
    """
    ids = torch.tensor(tokenizer_of_folder()(words_in(text), verbose=False)["input_ids"])
    size = min(MOST_TOKENS, context_of(model), len(ids))
    if size < 2:
        raise no_text(text)
    windows = ids[: len(ids) // size * size].reshape(-1, size)
    used = windows[:limit]
    SAMPLES.update(unit="windows", used=len(used), total=len(windows), tokens=used.numel())
    return used


@torch.no_grad()
def calibrate_on_text(model: Any, text: str, progress: Any, limit: Any = None) -> None:
    """Run a text through the model, in windows."""
    for window in progress(windows_of(model, text, limit)):
        model(input_ids=window[None].to(model.device))


def weighted_mean(states: torch.Tensor) -> torch.Tensor:
    """Return the mean of the states of tokens, each weighted by its position."""
    weights = torch.arange(1, states.shape[1] + 1, device=states.device, dtype=states.dtype)
    return (states * weights[:, None]).sum(1) / weights.sum()


# The sentences of the latest run, one per call.
SENTENCES: list[str] = []
# Poolings of token states to a sentence embedding, by their names in 1_Pooling.
POOLINGS: dict[str, Any] = {
    "cls_token": lambda states: states[:, 0],
    "max_tokens": lambda states: states.amax(1),
    "mean_tokens": lambda states: states.mean(1),
    "mean_sqrt_len_tokens": lambda states: states.sum(1) / states.shape[1] ** 0.5,
    "weightedmean_tokens": weighted_mean,
    "lasttoken": lambda states: states[:, -1],
}


def declared_poolings() -> list[str]:
    """Return the names of the poolings declared in a sentence encoder's folder; [] if none.

    In the order of `POOLINGS`, of the first loaded folder that declares any.
    """
    for folder in map(Path, _folders):
        index = folder / "modules.json"
        modules = json.loads(index.read_text(encoding="utf-8")) if index.is_file() else []
        paths = [m.get("path") for m in modules if str(m.get("type")).endswith("Pooling")]
        file = folder / (paths[0] if paths else "1_Pooling") / "config.json"
        if file.is_file():
            found = json.loads(file.read_text(encoding="utf-8"))
            mode = found.get("pooling_mode")
            return [
                name
                for name in POOLINGS
                if found.get(f"pooling_mode_{name}") or mode in (name, name.partition("_token")[0])
            ]
    return []


def pooled_embedding(output: Any) -> Any:
    """Return the pooled embedding of each sentence; the unchanged output of other models.

    The poolings are concatenated, as ``sentence_embedding``. There is no padding: sentences are run
    one at a time, and random token IDs have equal lengths.
    """
    names = declared_poolings()
    if not names or not isinstance(output, dict) or "last_hidden_state" not in output:
        return output
    states = output["last_hidden_state"].float()
    return {"sentence_embedding": torch.cat([POOLINGS[name](states) for name in names], -1)}


def sentence_tokens(model: Any) -> int:
    """Return the maximum number of tokens of a sentence, as in check_transformers.py.

    It is the ``max_seq_length`` of the first loaded folder that declares one, as in
    sentence-transformers, but at most that of the model.
    """
    most = min(MOST_TOKENS, context_of(model) - 2)  # RoBERTa's positions begin at 2
    for folder in map(Path, _folders):
        file = folder / "sentence_bert_config.json"
        found = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
        if isinstance(declared := found.get("max_seq_length"), int):
            return min(most, declared)
    return most


@torch.no_grad()
def calibrate_on_lines(model: Any, text: str, progress: Any, limit: Any = None) -> None:
    """Run each line of a text as a sentence, truncated to `sentence_tokens`.

    Empty lines are skipped; at most `limit` are run, and stored in `SENTENCES`. Raises
    `ContractError` if there is no line.
    """
    found = [line for line in words_in(text).splitlines() if line.strip()]
    lines = found[:limit]
    if not lines:
        raise no_text(text)
    SENTENCES[:] = lines
    SAMPLES.update(unit="lines", used=len(lines), total=len(found), tokens=0)
    tokenizer, most = tokenizer_of_folder(), sentence_tokens(model)
    for line in progress(lines):
        ids = tokenizer(line, truncation=True, max_length=most)["input_ids"]
        SAMPLES["tokens"] += len(ids)
        run(model, torch.tensor([ids]).to(model.device))


def run(model: Any, ids: torch.Tensor) -> None:
    """Run token ids through a model, and through its decoder if it has one."""
    model(input_ids=ids, **({"decoder_input_ids": ids} if model.config.is_encoder_decoder else {}))


@torch.no_grad()
def evaluate(model: Any, text: str, progress: Any, limit: Any = None) -> dict[str, Any]:
    """Return the perplexity of a text, and the loss of each window.

    Raises `ContractError` if the model returns no logits for each token, or the text is too short.
    """
    losses = []
    for window in progress(windows_of(model, text, limit)):
        row = window[None].to(model.device)
        logits = model(input_ids=row).logits[0, :-1].float()
        if logits.shape[0] != len(window) - 1:
            raise ContractError("The model returns no logits for each token.", WRITE_ONE)
        losses.append(float(torch.nn.functional.cross_entropy(logits, row[0, 1:])))
    return {"perplexity": float(torch.tensor(losses).double().mean().exp()), "loss": losses}
