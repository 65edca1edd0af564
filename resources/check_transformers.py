"""Does the pruned model still work?

Run this file. It loads the original weights and the exported ones, runs both models on the same
inputs, and prints how much the results differ:

- of a sentence encoder the cosine similarity of both embeddings of each sentence below,
- of a causal language model the perplexity on these sentences,
- of a classifier the labels that both predict,
- of any other model the difference of the outputs.

The inputs are random if the folder of the original has no tokenizer, and for images and audio. It
requires torch, transformers and the packages that load the two files.
"""

import inspect
import json
from pathlib import Path

import torch
import transformers
from torch.nn.functional import cosine_similarity, cross_entropy, normalize
from transformers import AutoModel as Model
from transformers import AutoConfig, AutoTokenizer, PreTrainedTokenizerFast

# Put sentences of the kind that the model is made for here: the more, the better the comparison.
SENTENCES = [
    "A man plays the guitar on a stage.",
    "A musician performs a song for an audience.",
    "Tomorrow will be cold, with heavy rain in the evening.",
    "The forecast predicts low temperatures and showers.",
    "How do I reset the password of my account?",
    "The company reported record profits for the third quarter.",
    "Plants turn sunlight, water and carbon dioxide into sugar.",
    "The train to Berlin leaves from platform nine at half past seven.",
]
# Where the sentences are from, and how many there are.
SOURCE, AVAILABLE = "this script", len(SENTENCES)
RANDOM_INPUTS = 8  # how many, where sentences cannot be used
ORIGINAL = Path("@ORIGINAL@")
# Each file of the original's weights, and when it was last changed, in nanoseconds since 1970. Where
# an export has taken the name of the original, this is the backup.
ORIGINAL_WEIGHTS = {"@ORIGINAL_WEIGHTS@": None}
EXPORTED = Path("@EXPORTED@")
# Where in a torch file the tensors are, from the outside in; empty if it holds nothing else.
STATE_DICT = "@STATE_DICT@"
FOLDER = ORIGINAL if ORIGINAL.is_dir() else ORIGINAL.parent  # with config.json and the tokenizer
# Those of the export: a shrunk model has other widths, and may have fewer tokens.
EXPORTED_FOLDER = EXPORTED if (EXPORTED / "config.json").is_file() else FOLDER


# @FILES@


# @LOADERS@


def load_model(config, tensors, what):
    """Return the model with these weights; transformers renames tensors of older files."""
    kind = getattr(transformers, (config.architectures or [""])[0], Model)
    model, found = kind.from_pretrained(
        None, config=config, state_dict=tensors, dtype=torch.float32, output_loading_info=True
    )
    for words, key in (("missing", "missing_keys"), ("not in the model", "unexpected_keys")):
        if names := sorted(found[key]):
            print(f"{what}: {len(names)} tensors are {words}, {names[0]!r} for one.")
    return model.eval()


def declared(name):
    """Return what a JSON file of the folder declares; nothing if it is not there."""
    path = FOLDER / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def load_tokenizer(folder):
    """Return the tokenizer of a folder; None if there is none."""
    if (folder / "tokenizer.json").is_file():
        return PreTrainedTokenizerFast.from_pretrained(folder, local_files_only=True)
    if not any(files_of(folder, "vocab.*", "*.model")):
        return None
    try:
        return AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    except (ImportError, OSError, ValueError) as error:
        print(f"Random tokens are used, as the tokenizer cannot be loaded: {error}")
        return None


def print_samples(tokenizer):
    """Print how many inputs both models are run on, and where they are from."""
    used = len(SENTENCES)
    if tokenizer is None:
        print(f"{RANDOM_INPUTS} random inputs")
    elif used < AVAILABLE:
        print(f"The first {used:,} of {AVAILABLE:,} sentences of {SOURCE}")
    else:
        print(f"{used:,} sentences of {SOURCE}")


def sentence_tokens(config):
    """Return the maximum number of tokens of a sentence: the same as when Pruneapp evaluates it."""
    text = config.get_text_config()
    names = "max_position_embeddings", "n_positions", "max_sequence_length"
    sizes = [n for n in (getattr(text, name, None) for name in names) if isinstance(n, int)]
    context = sizes[0] if sizes else 2048
    declared_most = declared("sentence_bert_config.json").get("max_seq_length") or 2048
    return min(2048, context - 2, declared_most)


def examples(config, tokenizer):
    """Return a title and the keyword arguments of the model for each example."""
    takes = inspect.signature(Model.forward).parameters
    found = []
    if tokenizer is not None:
        most = sentence_tokens(config)
        for sentence in SENTENCES:
            # One at a time: nothing is padded, so that every token counts.
            encoded = tokenizer(sentence, truncation=True, max_length=most, return_tensors="pt")
            found.append((sentence, {name: encoded[name] for name in encoded if name in takes}))
    else:
        found = [(f"random input {n + 1}", {}) for n in range(RANDOM_INPUTS)]
    for _, inputs in found:
        inputs.update((n, t) for n, t in random_inputs(config, takes).items() if n not in inputs)
    return found


def vocabulary_of(config):
    """Return the number of tokens of a model; 0 for a model without tokens."""
    return getattr(config.get_text_config(), "vocab_size", 0)


def random_inputs(config, takes):
    """Return random inputs that the model cannot do without: tokens, an image, or sound."""
    main = Model.main_input_name
    inputs = {}
    vocabulary = vocabulary_of(config)
    tokens = torch.randint(vocabulary, (1, 16)) if vocabulary else None
    if main == "input_ids" and vocabulary:
        inputs[main] = tokens
    elif main == "input_values":
        inputs[main] = torch.randn(1, 16000)
    elif main == "input_features":
        frames = 2 * getattr(config, "max_source_positions", 1500)
        inputs[main] = torch.randn(1, getattr(config, "num_mel_bins", 80), frames)
    elif main != "pixel_values":
        raise SystemExit(f"Add inputs for {main!r} to random_inputs() in this file.")
    if main == "pixel_values" or ("pixel_values" in takes and Model.__name__.endswith("Model")):
        seen = getattr(config, "vision_config", config)
        size = getattr(seen, "image_size", 224)
        height, width = (size, size) if isinstance(size, int) else size
        inputs["pixel_values"] = torch.randn(1, getattr(seen, "num_channels", 3), height, width)
    if "decoder_input_ids" in takes:
        inputs["decoder_input_ids"] = tokens
    return inputs


def first_tensor(output):
    """Return the first tensor of whatever a model returns: logits, a tuple, a dict."""
    if isinstance(output, torch.Tensor):
        return output
    values = output.values() if hasattr(output, "values") else output
    return first_tensor(next(iter(values)))


# How the states of all tokens become the embedding of a sentence, by what 1_Pooling calls it.
POOLINGS = {
    "cls_token": lambda states: states[0],
    "max_tokens": lambda states: states.amax(0),
    "mean_tokens": lambda states: states.mean(0),
    "mean_sqrt_len_tokens": lambda states: states.sum(0) / len(states) ** 0.5,
    "weightedmean_tokens": lambda states: (
        torch.arange(1.0, len(states) + 1) @ states / torch.arange(1.0, len(states) + 1).sum()
    ),
    "lasttoken": lambda states: states[-1],
}


def declared_pooling():
    """Return the names of the poolings whose results are one embedding, end to end."""
    modules = {m["path"]: m["type"].rpartition(".")[2] for m in declared("modules.json")}
    folder = next((path for path, kind in modules.items() if kind == "Pooling"), "1_Pooling")
    pooling = declared(f"{folder}/config.json")
    names = [
        name
        for name in POOLINGS
        if pooling.get(f"pooling_mode_{name}")
        or pooling.get("pooling_mode") in {name, name.partition("_token")[0]}
    ]
    # Both models share these; the last changes no cosine.
    others = {k for k in modules.values() if k not in {"Transformer", "Pooling", "Normalize"}}
    if others:
        print(f"Not applied: {', '.join(sorted(others))} of modules.json.")
    names = names or ["mean_tokens"]
    print(f"Pooling: {', '.join(names)}")
    return names


def compare_embeddings(before, after, titles):
    before, after = torch.stack(before), torch.stack(after)
    cosines = cosine_similarity(before, after)
    print("Cosine similarity of the embeddings of original and export:")
    for cosine, title in zip(cosines, titles):
        print(f"  {cosine:.4f}  {title}")
    print(f"Mean: {cosines.mean():.4f}, lowest: {cosines.min():.4f}")
    before, after = (normalize(x) for x in (before, after))
    apart = after @ after.T - before @ before.T
    if len(titles) <= 12:
        print("Change of the similarity of each sentence to each, in the order above:")
        for row in apart:
            print("  " + " ".join(f"{change:+.3f}" for change in row))
    largest, mean = apart.abs().max(), apart.abs().mean()
    print(
        "Change of the cosine similarity of two sentences, over all pairs: "
        f"largest {largest:.4f}, mean {mean:.4f}"
    )


def compare_perplexity(before, after, titles, inputs, inputs_after):
    """Print the perplexity of each sentence; both models may divide it into other tokens."""
    print("Perplexity of the original and of the export:")
    totals = torch.zeros(2)
    counts = torch.zeros(2)
    for *both, title, one, other in zip(before, after, titles, inputs, inputs_after):
        ids = [tokens["input_ids"][0, 1:] for tokens in (one, other)]
        if not all(map(len, ids)):
            continue
        sums = [cross_entropy(x[0, :-1], y, reduction="sum") for x, y in zip(both, ids)]
        sums, numbers = torch.stack(sums), torch.tensor([len(y) for y in ids])
        first, second = (sums / numbers).exp().tolist()
        print(f"  {first:10.2f}  {second:10.2f}  {title}")
        totals += sums
        counts += numbers
    if counts.all():
        first, second = (totals / counts).exp().tolist()
        print(f"All tokens: {first:.2f} before, {second:.2f} after ({second / first - 1:+.1%})")


def compare_labels(before, after, titles, names):
    print("Predicted label of the original and of the export:")
    for first, second, title in zip(before, after, titles):
        one, other = (names.get(x.argmax().item(), x.argmax().item()) for x in (first, second))
        print(f"  {one}  {other}  {title}")


def compare_outputs(before, after, largest):
    """Print how far outputs of any kind are apart, if they have the same shapes."""
    if any(a.shape != b.shape for a, b in zip(before, after)):
        print("The outputs have other shapes, as the export has other tokens.")
        return
    same = torch.cat([(a.argmax(-1) == b.argmax(-1)).flatten() for a, b in zip(before, after)])
    before, after = (torch.cat([x.flatten() for x in side]) for side in (before, after))
    apart = (after - before).abs()
    print(f"Outputs of the original: from {before.min():.6g} to {before.max():.6g}")
    print(f"Largest difference: {apart.max():.6g}")
    print(f"Mean difference: {apart.mean():.6g}")
    print(f"Cosine similarity: {cosine_similarity(before, after, dim=0):.6f}")
    print(f"{largest}: {same.double().mean():.1%} of {len(same):,}")


def main():
    refuse_wrong_files()
    torch.manual_seed(0)
    folders = FOLDER, EXPORTED_FOLDER
    config, config_after = [AutoConfig.from_pretrained(f, local_files_only=True) for f in folders]
    tokenizer = load_tokenizer(FOLDER) if Model.main_input_name == "input_ids" else None
    print_samples(tokenizer)
    titles, inputs = zip(*examples(config, tokenizer))
    inputs_after = inputs
    if tokenizer is not None and vocabulary_of(config_after) != vocabulary_of(config):
        tokens = load_tokenizer(EXPORTED_FOLDER)
        inputs_after = [inputs for _, inputs in examples(config_after, tokens)]
    name = Model.__name__
    language = name.endswith(("ForCausalLM", "LMHeadModel"))
    encoder = (FOLDER / "modules.json").is_file() or (name.endswith("Model") and not language)
    text = tokenizer is not None and not {"pixel_values", "decoder_input_ids"} & set(inputs[0])
    pooling = declared_pooling() if encoder and text else []

    def results(config, load_tensors, path, what, inputs):
        model = load_model(config, load_tensors(path), what)
        with torch.no_grad():
            if not pooling:
                return [first_tensor(model(**one)) for one in inputs]
            # A generator, so that the states of only one sentence are in memory.
            states = (model.base_model(**one).last_hidden_state[0] for one in inputs)
            return [torch.cat([POOLINGS[name](x) for name in pooling]) for x in states]

    before = results(config, load_original, ORIGINAL_WEIGHTS, "Original", inputs)
    after = results(config_after, load, EXPORTED, "Export", inputs_after)
    if pooling:
        compare_embeddings(before, after, titles)
    elif "Classification" in name:
        if before[0].dim() == 2:
            compare_labels(before, after, titles, config.id2label)
        compare_outputs(before, after, "Same label")
    elif language:
        if tokenizer is not None:
            compare_perplexity(before, after, titles, inputs, inputs_after)
        compare_outputs(before, after, "Same most likely next token")
    else:
        compare_outputs(before, after, "Same largest output")


if __name__ == "__main__":
    main()
