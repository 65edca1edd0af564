"""Does the pruned model still work?

Fill in make_model() below, then run this file. It loads the original weights and the exported ones
into the same model, runs both on the same inputs, and prints how much their outputs differ. It
requires torch and the packages that load the two files.
"""

from pathlib import Path

import torch

ORIGINAL = Path("@ORIGINAL@")
# The weight files of the original and their modification times, in nanoseconds since 1970. If an
# export has replaced the original, these are the backups.
ORIGINAL_WEIGHTS = {"@ORIGINAL_WEIGHTS@": None}
EXPORTED = Path("@EXPORTED@")
# Keys that lead to the state dict in a torch file, outermost first; empty if the file is one.
STATE_DICT = "@STATE_DICT@"


def make_model():
    """Return your model and example inputs: a tuple or dict of arguments for its forward."""
    raise SystemExit("Fill in make_model() in this file first: it must return (model, inputs).")
    # For a folder of transformers:
    #     from transformers import AutoConfig, AutoModelForCausalLM
    #     model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(ORIGINAL))
    #     return model, (torch.randint(model.config.vocab_size, (1, 32)),)
    # For a module of your own:
    #     return MyModel(), (torch.randn(1, 3, 224, 224),)


# @FILES@


# @LOADERS@


# @RESIZING@


def first_tensor(output):
    """Return the first tensor of whatever a model returns: logits, a tuple, a dict."""
    if isinstance(output, torch.Tensor):
        return output
    values = output.values() if hasattr(output, "values") else output
    return first_tensor(next(iter(values)))


def outputs(model, inputs, tensors, what):
    missing, unexpected = model.load_state_dict(tensors, strict=False)
    for words, names in (("are missing", missing), ("are not in the model", unexpected)):
        if names:
            print(f"{what}: {len(names)} tensors {words}, {sorted(names)[0]!r} for one.")
    model.eval()
    with torch.no_grad():
        output = model(**inputs) if isinstance(inputs, dict) else model(*inputs)
        return first_tensor(output).double()


def main():
    model, inputs = make_model()
    refuse_wrong_files()
    before = outputs(model, inputs, load_original(ORIGINAL_WEIGHTS), "Original").clone()
    after = outputs(model, inputs, load(EXPORTED), "Export")
    apart = (after - before).abs()
    cosine = torch.nn.functional.cosine_similarity(before.flatten(), after.flatten(), dim=0)
    print(f"Outputs: {tuple(before.shape)}, from {before.min():.6g} to {before.max():.6g}")
    print(f"Largest difference: {apart.max():.6g}")
    print(f"Mean difference: {apart.mean():.6g}")
    print(f"Cosine similarity: {cosine:.6f}")
    if before.dim() > 1:
        same = (before.argmax(-1) == after.argmax(-1)).double().mean()
        print(f"Same largest output: {same:.1%}")


if __name__ == "__main__":
    main()
