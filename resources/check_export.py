"""Does the pruned model still work?

Fill in make_model() below, then run this file. It loads the original weights and the exported ones
into the same model, gives both the same inputs, and says how far their outputs are apart. It needs
torch, and what loads the two files.
"""

from pathlib import Path

import torch

ORIGINAL = Path("@ORIGINAL@")
# Each file of the original's weights, and when it was last changed, in nanoseconds since 1970. Where
# an export has taken the name of the original, this is the backup.
ORIGINAL_WEIGHTS = {"@ORIGINAL_WEIGHTS@": None}
EXPORTED = Path("@EXPORTED@")
# Where in a torch file the tensors are, from the outside in; empty if it holds nothing else.
STATE_DICT = "@STATE_DICT@"


def make_model():
    """Return your model, and the inputs to try it with: a tuple or dict for its forward."""
    raise SystemExit("Fill in make_model() in this file first: it must return (model, inputs).")
    # For a folder of transformers:
    #     from transformers import AutoConfig, AutoModelForCausalLM
    #     model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(ORIGINAL))
    #     return model, (torch.randint(model.config.vocab_size, (1, 32)),)
    # For a module of your own:
    #     return MyModel(), (torch.randn(1, 3, 224, 224),)


# @FILES@


# @LOADERS@


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
