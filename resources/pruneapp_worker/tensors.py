"""The tensors of a model: their digests, and applying another state to them."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
from pathlib import Path
from typing import Any, Callable

import torch

# Elements read, cast and masked at a time; a multiple of 8.
PIECE = 1 << 22


class ModelTensors:
    """Parameters and buffers in the model's state dict, by all of their names."""

    def __init__(self, module: torch.nn.Module) -> None:
        self.module = module
        found = {
            name: value
            for name, value in module.state_dict(keep_vars=True).items()
            if isinstance(value, torch.Tensor) and is_plain(value)
        }
        self._named = found
        self._learned = {id(p) for p in module.parameters()}

    def describe(self) -> list[dict[str, Any]]:
        """Return name, shape, dtype and digest of each tensor; tied ones have the same place.

        As JSON objects, in the order of the state dict.
        """
        held = {name: rest for name, *rest in self.digest_tensors()}
        return [
            {
                "name": name,
                "shape": list(tensor.shape),
                "dtype": str(tensor.dtype).partition(".")[2],
                "place": f"{tensor.device}:{tensor.data_ptr()}:{tensor.stride()}",
                "parameter": id(tensor) in self._learned,
                "sha256": held[name][0],
                "zeros": held[name][1],
            }
            for name, tensor in self._named.items()
        ]

    def digest_tensors(self) -> list[tuple[str, str, int]]:
        """Return the SHA-256 and the number of zeros of each tensor's present values.

        Computed in each call. A tensor that the model has lost, or whose values cannot be read, has
        "" and 0.
        """
        current = self.module.state_dict(keep_vars=True)
        known: dict[tuple[Any, ...], tuple[str, int]] = {}
        found = []
        for name in self._named:
            tensor = current.get(name)
            if not isinstance(tensor, torch.Tensor) or not is_plain(tensor):
                found.append((name, "", 0))
                continue
            self._named[name] = tensor
            key = (tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)
            if key not in known:
                known[key] = digest_tensor(tensor)
            found.append((name, *known[key]))
        return found

    def tensor_called(self, name: str) -> torch.Tensor:
        """Return a tensor that shares its memory with the model."""
        return self._named[name].detach()

    def parameter(self, name: str) -> torch.Tensor:
        """Return the parameter or buffer itself."""
        return self._named[name]

    def device_of(self, name: str) -> torch.device:
        """Return the device of a tensor."""
        return self.tensor_called(name).device

    def watch(self) -> Watch:
        """Return a context manager that records whether the model was called."""
        return Watch(self.module)

    def outputs(self, take: Any) -> Any:
        """Call `take` with the output of each outermost call of the model in the block."""
        return outputs_of(self.module, take)

    def collect(self, activations: Any, grams: Any, run: Any, path: str, **how: Any) -> Any:
        """Write sums over the inputs of each weight; see `activations.collect`."""
        return activations.collect(self.module, grams, run, path, **how)

    def count(self, activations: Any, name: str, run: Any, path: str) -> Any:
        """Count how often each weight is multiplied; see `activations.count`."""
        return activations.count(self.module, name, run, path)

    @torch.no_grad()
    def apply(self, patch: dict[str, Any]) -> None:
        """Write values and zeros into a tensor.

        `values` and `mask` are ``[path, offset]`` of the data, each optional; values have the dtype
        `dtype` and are in C order, of the transposed tensor if `transposed`; in the mask the lowest
        bit of a byte is first. Raises `OSError` if a file is too short, with a part of the tensor
        written.
        """
        tensor = self.tensor_called(patch["name"])
        turned = patch.get("transposed", False)
        shaped = tensor.t() if turned else tensor
        straight = shaped.is_contiguous()
        flat = shaped.reshape(-1) if straight else shaped.contiguous().reshape(-1)
        if patch.get("values"):
            fill(flat, *patch["values"], getattr(torch, patch["dtype"]))
        if patch.get("mask"):
            zero_pruned(flat, *patch["mask"])
        if not straight:
            shaped.copy_(flat.reshape(shaped.shape))


@contextlib.contextmanager
def outputs_of(module: torch.nn.Module, take: Callable[[Any], None]) -> Any:
    """Call `take` with the result of each outermost call of a model in the block.

    Calls of the model from inside itself do not count, nor those that raise.
    """
    forward = module.forward
    depth = 0

    def watched(*args: Any, **words: Any) -> Any:
        """Call the model, and pass the output of an outermost call to `take`."""
        nonlocal depth
        depth += 1
        try:
            output = forward(*args, **words)
        finally:
            depth -= 1
        if not depth:
            take(output)
        return output

    had = "forward" in vars(module)
    module.forward = watched
    try:
        yield
    finally:
        if had:
            module.forward = forward
        else:
            del module.forward


def is_plain(tensor: torch.Tensor) -> bool:
    """Return whether a tensor has its numbers in memory: dense, not meta, not quantized."""
    return (
        tensor.layout is torch.strided and tensor.device.type != "meta" and not tensor.is_quantized
    )


def fill(flat: torch.Tensor, path: str, offset: int, dtype: torch.dtype) -> None:
    """Fill a flat tensor with numbers from a file, cast from `dtype`.

    Raises `OSError` if the file is too short.
    """
    with Path(path).open("rb", buffering=0) as file:
        for start in range(0, flat.numel(), PIECE):
            part = flat[start : start + PIECE]
            numbers = torch.empty(part.numel(), dtype=dtype)
            read_into(file, offset, buffer_of(numbers))
            offset += numbers.numel() * numbers.element_size()
            part.copy_(numbers)


def zero_pruned(flat: torch.Tensor, path: str, offset: int) -> None:
    """Set the elements of a flat tensor to 0 that a packed mask in a file does not keep.

    Raises `OSError` if the file is too short.
    """
    weights = (1 << torch.arange(8)).to(torch.uint8)
    with Path(path).open("rb", buffering=0) as file:
        for start in range(0, flat.numel(), PIECE):
            part = flat[start : start + PIECE]
            octets = torch.empty((part.numel() + 7) // 8, dtype=torch.uint8)
            read_into(file, offset, buffer_of(octets))
            offset += octets.numel()
            pruned = (octets[:, None] & weights == 0).reshape(-1)[: part.numel()]
            part.masked_fill_(pruned.to(part.device), 0)


def read_into(file: Any, offset: int, buffer: Any) -> None:
    """Fill a buffer with the bytes of a file from `offset`.

    Raises `OSError` if the file is too short.
    """
    file.seek(offset)
    rest = memoryview(buffer).cast("B")
    while rest:
        got = file.readinto(rest)
        if not got:
            raise OSError(f"'{file.name}' is cut short")
        rest = rest[got:]


def buffer_of(tensor: torch.Tensor) -> Any:
    """Return the bytes of a contiguous tensor on the CPU, without a copy."""
    nbytes = tensor.numel() * tensor.element_size()
    return (ctypes.c_char * nbytes).from_address(tensor.data_ptr()) if nbytes else bytearray()


@torch.no_grad()
def digest_tensor(tensor: torch.Tensor) -> tuple[str, int]:
    """Return the SHA-256 of the elements in C order, and the number of zeros, of either sign."""
    flat = tensor.detach().contiguous().reshape(-1)
    digest, zeros = hashlib.sha256(), 0
    for start in range(0, flat.numel(), PIECE):
        part = flat[start : start + PIECE].cpu()
        digest.update(buffer_of(part))
        if part.dtype.is_floating_point and part.element_size() == 1:
            part = part.float()
        zeros += part.numel() - int(torch.count_nonzero(part))
    return digest.hexdigest(), zeros


class Watch:
    """Records whether a module, or one inside it, was called."""

    def __init__(self, module: torch.nn.Module) -> None:
        self.seen = False
        self._modules = {id(one) for one in module.modules()}
        self._handle: Any = None

    def __enter__(self) -> Watch:  # noqa: PYI034 - Self is of Python 3.11
        from torch.nn.modules.module import register_module_forward_pre_hook

        self._handle = register_module_forward_pre_hook(self._on_call)
        return self

    def _on_call(self, module: torch.nn.Module, _inputs: Any) -> None:
        if id(module) in self._modules and not self.seen:
            self.seen = True
            self._handle.remove()

    def __exit__(self, *_: object) -> None:
        self._handle.remove()
