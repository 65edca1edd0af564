"""Check a shrunk model folder against its transformers class; no code of the folder is run.

`check` gets a request with the kind of check and, for each side, its configuration and its
safetensors files. Objections of the class are part of the answer; errors of the comparison itself
raise `ContractError`.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from pathlib import Path
from typing import Any, Callable

# Set before transformers is imported, which reads them: nothing is downloaded, and loader threads,
# which would not see the fake tensor mode, are disabled.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DEACTIVATE_ASYNC_LOAD"] = "1"

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, FakeTensorMode

from pruneapp_worker.pipe import ContractError

ROWS, TOKENS, SAMPLES = 2, 24, 4000
DTYPES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U8": "uint8",
    "BOOL": "bool",
}


class RefusalError(Exception):
    """The class rejects a folder; the text completes a sentence."""


def check(request: dict[str, Any], progress: Callable[..., Any]) -> dict[str, Any]:
    """Build the class without values, or run both sides; see `pruneapp.shrink.check`.

    Returns the answer: versions, the tensors that do not fit, and the compared outputs; ``refused``
    is why the class rejects the shrunk model. Raises `ContractError` if the comparison is not
    possible.
    """
    transformers = import_transformers()
    answer: dict[str, Any] = {
        "transformers": transformers.__version__,
        "torch": torch.__version__,
        "architecture": "the class",
    }
    shrunk, masked, original = request["shrunk"], request["masked"], request["original"]
    load = load_shapes if request["how"] == "meta" else load_values
    dtype = getattr(torch, request["precision"])
    done, total = 0, 1 + bool(masked) + bool(original)
    before = outputs = None
    try:
        if masked:
            progress(done, total, "the model with zeros")
            with raise_as_contract_error("folder with zeros"):
                model, before = load(transformers, masked, answer, dtype)
                if request["how"] == "run":
                    inputs = inputs_for(model.config, model, request)
                    inputs = {
                        n: x.to(dtype) if x.is_floating_point() else x for n, x in inputs.items()
                    }
                    outputs = run_masked(model, inputs, request)
            del model
            done += 1
        progress(done, total, "the shrunk model")
        model, found = load(transformers, shrunk, answer, dtype)
        answer["against"] = subtract_known(found, before)
        answer["experts"] = experts_of(model.config, request) > 0
        if request["how"] == "run" and not any(answer["against"].values()):
            after, answer["predicts"] = run(model, inputs)
            answer["compared"] = compare_outputs(outputs, after, request)
            if original and "shapes" not in answer["compared"]:
                del model
                progress(done + 1, total, "the unpruned model")
                with raise_as_contract_error("unpruned model"):
                    model, _ = load(transformers, original, answer, dtype)
                    outputs = run_before(model, inputs, request, "the unpruned model")
                answer["changed"] = compare_outputs(outputs, after, request)
                if outputs.shape == after.shape:
                    cosine = torch.nn.functional.cosine_similarity(outputs, after, dim=-1)
                    answer["changed"]["mean_cosine"] = float(cosine.mean())
    except RefusalError as error:
        answer["refused"] = str(error)
    except (MemoryError, RuntimeError) as error:
        if out_of_memory(error):
            raise ContractError(
                f"The model does not fit into the memory in {request['precision']}.",
                "Check its first layers only, or use a larger machine.",
            ) from None
        raise
    progress(total, total)
    return answer


@contextlib.contextmanager
def raise_as_contract_error(what: str) -> Any:
    """Raise rejections inside of the block as errors of the folder that is compared with."""
    try:
        yield
    except RefusalError as error:
        raise ContractError(f"The {what} cannot be used: {error}.") from None


def out_of_memory(error: BaseException) -> bool:
    """Return whether an error means that memory for a tensor or mapped file was insufficient."""
    said = str(error).lower()
    words = ("can't allocate memory", "cannot allocate memory")
    return isinstance(error, MemoryError) or any(one in said for one in words)


def import_transformers() -> Any:
    """Import and return transformers, with its warnings disabled.

    Raises `ContractError` if that fails.
    """
    try:
        import transformers
    except Exception as error:  # noqa: BLE001 - reported to the application
        raise ContractError(
            f"transformers cannot be imported: {words_of(error)}.",
            "Choose the interpreter of an environment that has transformers.",
        ) from None
    transformers.logging.set_verbosity_error()
    return transformers


def words_of(error: BaseException) -> str:
    """Return type and last line of the root cause: "Could not import module" is uninformative."""
    seen = {id(error)}
    while True:
        cause = error.__cause__ or error.__context__
        if cause is None or id(cause) in seen:
            break
        seen.add(id(cause))
        error = cause
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = lines[-1].rstrip(".") if lines else ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def class_of(transformers: Any, config: dict[str, Any]) -> Any:
    """Return the class named by a configuration, or else the one for its model type.

    Raises `ContractError` if transformers has neither, or cannot import it.
    """
    name = str((config.get("architectures") or [""])[0])
    kind = str(config.get("model_type"))
    try:
        found = getattr(transformers, name, None) if name.isidentifier() else None
        if isinstance(found, type) and issubclass(found, transformers.PreTrainedModel):
            return found
        # A type may be built by the class of another type: internlm3 is a llama.
        purpose = re.search(r"For[A-Za-z]+\Z", name)
        auto = getattr(transformers, f"AutoModel{purpose[0] if purpose else ''}", None)
        if auto is not None and kind in transformers.CONFIG_MAPPING:
            mapping = auto._model_mapping  # noqa: SLF001 - no public API without a folder
            mapped = mapping.get(transformers.CONFIG_MAPPING[kind], None)
            if isinstance(mapped, type):
                return mapped
    except Exception as error:  # noqa: BLE001 - imports fail in many ways
        raise ContractError(
            f"transformers {transformers.__version__} cannot import {name}: {words_of(error)}.",
            "Fix this environment, or choose the interpreter of another.",
        ) from None
    raise ContractError(
        f"transformers {transformers.__version__} has no class {name or kind}.",
        "Choose the interpreter of an environment whose transformers has it.",
    )


def load(
    transformers: Any,
    side: dict[str, Any],
    answer: dict[str, Any],
    dtype: Any,
    state: dict[str, Any],
) -> tuple[Any, dict[str, Any]]:
    """Build the class of a side and load tensors; return it with missing and unfitting tensors.

    Sets the name of the class in `answer`. Raises `RefusalError` if the class rejects configuration
    or tensors, and `ContractError` without a class.
    """
    known = str(side["config"].get("model_type"))
    kind = class_of(transformers, side["config"])
    answer["architecture"] = kind.__name__
    try:
        configs = transformers.CONFIG_MAPPING
        # It imports a class on access; its get() never finds anything.
        made = configs[known] if known in configs else kind.config_class  # noqa: SIM401 - see above
        config = made.from_dict(dict(side["config"]))
    except Exception as error:  # noqa: BLE001 - the message is the answer
        raise RefusalError(f"its configuration is refused ({words_of(error)})") from None
    release = [int(part) for part in re.findall(r"\d+", transformers.__version__)[:2]]
    how: dict[str, Any] = {"dtype" if release >= [4, 56] else "torch_dtype": dtype}
    if hasattr(transformers.PreTrainedModel, "set_experts_implementation"):
        how["experts_implementation"] = "eager"
    torch.manual_seed(0)  # for parameters that no file contains
    try:
        model, info = kind.from_pretrained(
            None,
            config=config,
            state_dict=state,
            attn_implementation="eager",
            ignore_mismatched_sizes=True,
            output_loading_info=True,
            **how,
        )
    except DataDependentOutputException:
        raise
    except Exception as error:  # all errors of the class are answers
        if out_of_memory(error):
            raise
        raise RefusalError(f"it cannot be built ({words_of(error)})") from error
    found = {
        "missing": sorted(map(str, info["missing_keys"])),
        "unexpected": sorted(map(str, info["unexpected_keys"])),
        "mismatched": sorted(shapes_of(one, state, model) for one in info["mismatched_keys"]),
    }
    return model.eval(), found


def shapes_of(one: Any, state: dict[str, Any], model: Any) -> list[Any]:
    """Return a name, its shape in the file, and that in the class.

    `one` is an entry of transformers; version 4 gives the name only.
    """
    if not isinstance(one, str):
        return [str(one[0]), list(one[1]), list(one[2])]
    there = list(state[one].shape) if one in state else []
    return [one, there, list(model.state_dict()[one].shape)]


def load_shapes(transformers: Any, side: dict[str, Any], answer: dict[str, Any], dtype: Any) -> Any:
    """Build and load with fake tensors, which have shapes but no values and need no memory.

    If the class reads values while it is built, it gets real ones. Returns and raises as `load`.
    """
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    with mode:
        state = {
            name: torch.empty(shape, dtype=dtype)
            for path in side["files"]
            for name, shape, dtype in shapes_in(path)
        }
    with contextlib.suppress(DataDependentOutputException), mode:
        return load(transformers, side, answer, dtype, state)
    # The constructor reads values (beit in transformers 4): real tensors are needed for its own.
    return load(transformers, side, answer, dtype, state)


def load_values(transformers: Any, side: dict[str, Any], answer: dict[str, Any], dtype: Any) -> Any:
    """Build and load real tensors; tensors that the class does not use are never read.

    Returns and raises as `load`; if the side has only its first layers, tensors of others are
    ignored.
    """
    state = {name: tensor for path in side["files"] for name, tensor in values_in(path)}
    model, found = load(transformers, side, answer, dtype, state)
    if side["first"]:
        found["unexpected"] = []  # tensors of the other layers
    return model, found


def shapes_in(path: str) -> Any:
    """Yield names, shapes and dtypes from a header; mapping a file of 100 GB may fail."""
    with Path(path).open("rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    for name, entry in header.items():
        if name != "__metadata__":
            dtype = getattr(torch, DTYPES.get(entry["dtype"], ""), torch.uint8)
            yield name, entry["shape"], dtype


def values_in(path: str) -> Any:
    """Yield the names and memory-mapped tensors of a file: unused ones are not read."""
    from safetensors import safe_open

    with safe_open(path, framework="pt") as file:
        for name in file.keys():  # noqa: SIM118 - it is not a dict
            yield name, file.get_tensor(name)


def subtract_known(found: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    """Return the unfitting tensors, without those that did not fit before the cut either.

    All of them if `before` is None.
    """
    if before is None:
        return found
    return {
        what: [one for one in names if name_of(one) not in map(name_of, before[what])]
        for what, names in found.items()
    }


def name_of(one: Any) -> str:
    """Return the name of an entry, which may contain shapes."""
    return one if isinstance(one, str) else one[0]


def configs_of(model: Any) -> list[Any]:
    """Return the configurations of a model: its own and, if different, that of its text model."""
    text = model.config.get_text_config()
    return [model.config] if text is model.config else [model.config, text]


def experts_of(config: Any, request: dict[str, Any]) -> int:
    """Return the number of experts per layer; 0 if there are none or one."""
    for one in (config, config.get_text_config()):
        for name in request["expert_counts"]:
            number = getattr(one, name, None)
            if isinstance(number, int) and number > 1:
                return number
    return 0


def vocabulary_of(config: Any) -> int:
    """Return the number of rows of the embedding; 0 if unknown."""
    return int(getattr(config.get_text_config(), "vocab_size", 0) or 0)


def inputs_for(config: Any, model: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Return seeded inputs for the shrunk side, with its token ids, by argument.

    Raises `ContractError` for a main input of an unknown kind.
    """
    generator = torch.Generator().manual_seed(request["seed"])
    text = config.get_text_config()
    count = request["vocabulary"] or vocabulary_of(config)

    def random(*shape: int) -> Any:
        return torch.randn(shape, generator=generator)

    def ids() -> Any:
        """Return token ids, ``int64[ROWS, tokens]``, without placeholders of images."""
        most = [
            getattr(text, name, None)
            for name in ("max_position_embeddings", "n_positions", "max_seq_len")
        ]
        tokens = min([TOKENS] + [n - 2 for n in most if isinstance(n, int) and n > 3])
        found = torch.randint(count, (ROWS, tokens), generator=generator)
        for name in ("image_token_id", "video_token_id", "audio_token_id", "image_token_index"):
            found[found == getattr(config, name, None)] = 0  # no placeholders of images
        return found

    main = model.main_input_name
    inputs: dict[str, Any] = {}
    if main == "input_ids":
        inputs[main] = ids()
    elif main == "pixel_values":
        size = getattr(config, "image_size", 224)
        height, width = (size, size) if isinstance(size, int) else size
        inputs[main] = random(ROWS, getattr(config, "num_channels", 3), height, width)
    elif main == "input_values":
        inputs[main] = random(ROWS, SAMPLES)
    elif main == "input_features":
        frames = 2 * getattr(config, "max_source_positions", 1500)
        inputs[main] = random(ROWS, getattr(config, "num_mel_bins", 80), frames)
    else:
        raise ContractError(f"{type(model).__name__} takes {main}, which the check cannot make.")
    if config.is_encoder_decoder:
        inputs["decoder_input_ids"] = ids()
    return inputs


def run_masked(model: Any, inputs: dict[str, Any], request: dict[str, Any]) -> Any:
    """Run the masked model, without the layers, experts and tokens that masks cannot remove."""
    routers = routers_of(model, request)
    for stack, numbers in request["layers_kept"].items():
        keep_layers(model, stack, numbers, request["layer_lists"])
    with without_experts(model, routers):
        return run_before(model, inputs, request, "the folder with zeros")


def run_before(model: Any, inputs: dict[str, Any], request: dict[str, Any], what: str) -> Any:
    """Return the outputs of a model with all tokens, in float of the model.

    Token ids of `inputs` are those of the shrunk vocabulary, and are mapped to the original ids.
    Raises `ContractError` if the outputs are not finite or all zero; `what` names the model in it.
    """
    kept = request["vocabulary_kept"]
    if kept is not None:
        table = torch.tensor(kept)
        inputs = {
            name: table[value] if name.endswith("input_ids") else value
            for name, value in inputs.items()
        }
    output, _ = run(model, inputs)
    if not torch.isfinite(output).all() or not output.any():
        how = "nothing but zeros" if torch.isfinite(output).all() else "not finite"
        raise ContractError(f"The outputs of {what} are {how}, so nothing can be compared.")
    return output


def run(model: Any, inputs: dict[str, Any]) -> tuple[Any, bool]:
    """Return the output of a model: logits, its last hidden states, or its first tensor.

    The second result is whether it is logits. Disables the cache of the model. Raises
    `RefusalError` if it cannot be run.
    """
    for config in configs_of(model):
        if hasattr(config, "use_cache"):
            config.use_cache = False
    try:
        with torch.no_grad():
            output = model(**inputs)
    except Exception as error:  # all errors of the class are answers
        if out_of_memory(error):
            raise
        raise RefusalError(f"it cannot be run ({words_of(error)})") from error
    for name in ("logits", "last_hidden_state"):
        if isinstance(getattr(output, name, None), torch.Tensor):
            return getattr(output, name), name == "logits"
    values = output.values() if hasattr(output, "values") else output
    return next(one for one in values if isinstance(one, torch.Tensor)), False


def compare_outputs(masked: Any, shrunk: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Return measures of the difference between outputs; only ``shapes`` if these differ.

    Of a cut vocabulary the kept columns of `masked` are compared.
    """
    kept = request["vocabulary_kept"]
    if masked.shape != shrunk.shape and masked.dim() == shrunk.dim():
        if kept is not None and len(kept) == shrunk.shape[-1]:
            masked = masked[..., kept]
        elif request["vocabulary"] == shrunk.shape[-1] < masked.shape[-1]:
            masked = masked[..., : shrunk.shape[-1]]
    if masked.shape != shrunk.shape:
        return {"shapes": [list(masked.shape), list(shrunk.shape)]}
    apart = (masked.double() - shrunk.double()).abs()
    return {
        # NaN is not valid JSON, and not a small difference.
        "largest_difference": float(apart.max().nan_to_num(nan=float("inf"))),
        "median_difference": float(apart.median().nan_to_num(nan=float("inf"))),
        "largest_output": float(masked.abs().max()),
        "same_largest": float((masked.argmax(-1) == shrunk.argmax(-1)).double().mean()),
    }


def keep_layers(model: Any, stack: str, numbers: list[int], lists_of_layers: list[str]) -> None:
    """Keep only the layers `numbers` of a stack, from 0; `stack` is its name in the file.

    Also shortens lists in the configuration that are indexed by layer, named in `lists_of_layers`.
    Raises `ContractError` if the model has no such stack.
    """
    lists = {
        name: one
        for name, one in model.named_modules()
        if isinstance(one, torch.nn.ModuleList) and len(one) > max(numbers)
    }
    name = stack if stack in lists else None
    if name is None:
        # Files may have old module names: vit.encoder.layer is now vit.layers.
        side = next((word for word in ("encoder", "decoder") if word in stack.split(".")), "")
        alike = [
            one
            for one in lists
            if one.rpartition(".")[2] in {"layer", "layers", "h", "block", "blocks"}
        ]
        alike = [one for one in alike if not any(one.startswith(f"{other}.") for other in alike)]
        fitting = [one for one in alike if side in one.split(".")]
        fitting = fitting or (alike if len(alike) == 1 else [])
        if len(fitting) != 1:
            raise ContractError(f"{type(model).__name__} has no list of layers '{stack}'.")
        name = fitting[0]
    count = len(lists[name])
    parent, _, last = name.rpartition(".")
    setattr(model.get_submodule(parent), last, torch.nn.ModuleList(lists[name][n] for n in numbers))
    for config in configs_of(model):
        for field in lists_of_layers:
            values = vars(config).get(field)
            if isinstance(values, list) and len(values) == count:
                setattr(config, field, [values[n] for n in numbers])


def routers_of(model: Any, request: dict[str, Any]) -> list[tuple[Any, Any, list[int]]]:
    """Return each router's weight, its correction bias or None, and the experts to exclude.

    Of the layers in ``experts_kept`` only. Raises `ContractError` if one has no router.
    """
    kept = {int(number): ids for number, ids in request["experts_kept"].items()}
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    count = experts_of(model.config, request)
    found = []
    seen = set()
    for name, weight in model.named_parameters():
        layer = re.search(r"\.(?:layers|h|blocks?)\.(\d+)\.", f".{name}")
        if layer is None or int(layer[1]) not in kept or not name.endswith(".weight"):
            continue
        if (
            weight.dim() == 2
            and weight.shape[0] == count
            and {"gate", "router"} & set(name.split("."))
        ):
            seen.add(int(layer[1]))
            bias = tensors.get(f"{name.rpartition('.')[0]}.e_score_correction_bias")
            found.append((weight, bias, [n for n in range(count) if n not in kept[int(layer[1])]]))
    for number in kept:
        if number not in seen:
            raise ContractError(f"{type(model).__name__} has no router in layer {number}.")
    return found


@contextlib.contextmanager
def without_experts(model: Any, routers: list[tuple[Any, Any, list[int]]]) -> Any:
    """Make routers return the logit -inf for some experts during the block.

    Replaces ``torch.nn.functional.linear``, so that it works for any class; correction biases stay
    changed. Raises `ContractError` at the end if a router was not called that way.
    """
    left = {weight.data_ptr() for weight in model.parameters()}  # of the layers kept
    dropped = {weight.data_ptr(): ids for weight, _, ids in routers if weight.data_ptr() in left}
    if not dropped:
        yield
        return
    for _, bias, ids in routers:
        if bias is not None:
            bias.data[ids] = float("-inf")
    called = set()
    linear = torch.nn.functional.linear

    def patched(given: Any, weight: Any, bias: Any = None) -> Any:
        """Return the product with the bias, with -inf for the excluded experts of a router."""
        result = linear(given, weight, bias)
        ids = dropped.get(weight.data_ptr())
        if ids is not None and result.shape[-1] == weight.shape[0]:
            called.add(weight.data_ptr())
            result = result.clone()
            result[..., ids] = float("-inf")
        return result

    torch.nn.functional.linear = patched
    try:
        yield
    finally:
        torch.nn.functional.linear = linear
    if called != set(dropped):
        raise ContractError(f"{type(model).__name__} routes in a way that the check cannot follow.")
