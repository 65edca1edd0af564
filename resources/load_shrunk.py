"""Load weights from which channels were removed into a model of the original width.

    from load_shrunk import load_shrunk
    model = load_shrunk(resnet18())

Each layer of the model gets the shapes of its tensors in FILES, in the folder of this script; the
forward pass must not depend on widths otherwise. This file does not need Pruneapp; copy it freely.
"""

from pathlib import Path

import torch
from torch import nn

FILES = []


def _read(file):
    if str(file).endswith(".safetensors"):
        from safetensors.torch import load_file

        return load_file(file)
    state = torch.load(file, map_location="cpu", weights_only=True)
    for inside in state.values():  # of a checkpoint that has the epoch, too
        if isinstance(inside, dict) and inside and all(map(torch.is_tensor, inside.values())):
            return inside
    return state


def load_shrunk(model, files=None):
    files = files or [Path(__file__).with_name(name) for name in FILES]
    state = {name: tensor for file in files for name, tensor in _read(file).items()}
    tensors = model.state_dict()
    for prefix in ("module.", "model.", "_orig_mod."):  # of wrappers, where the model has none
        if all(name.startswith(prefix) for name in state) and not tensors.keys() & state.keys():
            state = {name[len(prefix) :]: tensor for name, tensor in state.items()}
    resize(model, state)
    model.load_state_dict(state)
    return model


def resize(model, state):
    """Give the layers of a model the shapes of a state dict, and add tied tensors to the latter."""
    tensors = model.state_dict(keep_vars=True)
    stored = {id(tensors[name]): state[name] for name in tensors.keys() & state.keys()}
    for name, tensor in tensors.items():  # tied tensors may be stored once
        if id(tensor) in stored:
            state.setdefault(name, stored[id(tensor)])
    made = {}
    for path, module in model.named_modules():
        own = {**module._parameters, **module._buffers}
        own = {key: old for key, old in own.items() if old is not None}
        new = {key: state.get(f"{path}.{key}" if path else key, old) for key, old in own.items()}
        new = {key: tensor for key, tensor in new.items() if tensor.shape != own[key].shape}
        depthwise = getattr(module, "groups", 1) > 1 and module.groups == module.in_channels
        for key, tensor in new.items():
            empty = own[key].detach().new_empty(tensor.shape)
            if key in module._parameters:
                empty = nn.Parameter(empty, own[key].requires_grad)
            setattr(module, key, made.setdefault(id(own[key]), empty))  # tied ones stay tied
        if "weight" not in new:
            continue
        shape = tuple(new["weight"].shape)
        if isinstance(module, nn.Linear):
            module.out_features, module.in_features = shape
        elif depthwise:
            module.in_channels = module.groups = shape[0] * module.groups // module.out_channels
            module.out_channels = shape[0]
        elif isinstance(module, nn.modules.conv._ConvNd):
            module.out_channels, module.in_channels = shape[0], shape[1] * module.groups
        elif hasattr(module, "normalized_shape"):
            module.normalized_shape = shape
        elif hasattr(module, "num_features"):
            module.num_features = shape[0]
