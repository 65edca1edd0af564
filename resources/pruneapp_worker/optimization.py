"""Steps of an optimizer, its learning rate, and low-rank changes of weights.

Used by `recovery`; needs torch only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import torch

from pruneapp_worker.masked_training import FixedElements

WARM_UP = 0.05  # share of the steps in which the learning rate rises
CLIP = 1.0  # maximum norm of the gradients
# Of low-rank changes.
RANK, ALPHA = 16, 32


def make_optimizer(parameters: Iterable[torch.Tensor], rate: float) -> torch.optim.Optimizer:
    """Return AdamW without weight decay for some parameters."""
    return torch.optim.AdamW(list(parameters), lr=rate, betas=(0.9, 0.999), weight_decay=0.0)


def set_rate(optimizer: torch.optim.Optimizer, step: int, steps: int) -> None:
    """Set the learning rate of a step: it rises for 5 % of the steps, then falls to 0 linearly."""
    warm_up = max(1, round(WARM_UP * steps))
    share = min((step + 1) / warm_up, (steps - step) / max(1, steps - warm_up + 1))
    for group in optimizer.param_groups:
        group["lr"] = group.setdefault("first_lr", group["lr"]) * share


def take_step(optimizer: torch.optim.Optimizer, parameters: Iterable[torch.Tensor]) -> None:
    """Take a step of the optimizer with clipped gradients, and delete these.

    No step is taken if they are not finite, because the moments would never be finite again.
    """
    parameters = list(parameters)
    for parameter in parameters:
        gradient = parameter.grad
        if gradient is not None and gradient.layout is not torch.strided:
            parameter.grad = gradient.to_dense()  # of a sparse embedding; AdamW refuses it
    if bool(torch.nn.utils.clip_grad_norm_(parameters, CLIP).isfinite()):
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)


class LowRankChanges:
    """Low-rank changes of the weights of two or more dimensions, at their free elements.

    A weight is its value at the beginning plus ``alpha / rank * B @ A``, masked. `leaves` are the
    factors, which an optimizer trains. The parameters must require gradients; `close` ends that
    their gradients are taken one by one, so that there is only one at a time.
    """

    def __init__(
        self,
        parameters: Iterable[torch.nn.Parameter],
        elements: Mapping[int, FixedElements],
        seed: int,
    ) -> None:
        self.leaves: list[torch.Tensor] = []
        self._weights: dict[int, tuple[torch.nn.Parameter, torch.Tensor, Any, Any, Any]] = {}
        self._hooks: list[Any] = []
        generator = torch.Generator().manual_seed(seed)
        for parameter in parameters:
            if parameter.dim() < 2:  # norms and biases are trained themselves
                continue
            rows, columns = parameter.flatten(1).shape
            rank = min(RANK, rows, columns)
            inner = torch.randn(rank, columns, generator=generator) / math.sqrt(columns)
            first = inner.to(parameter.detach()).requires_grad_()  # its device and dtype
            second = torch.zeros(rows, rank).to(first.detach()).requires_grad_()
            self.leaves += [first, second]
            base = parameter.detach().clone()
            fixed = elements.get(id(parameter))
            self._weights[id(parameter)] = parameter, base, fixed, first, second
            if hasattr(parameter, "register_post_accumulate_grad_hook"):  # torch 2.1 or newer
                self._hooks.append(parameter.register_post_accumulate_grad_hook(self._take))

    def close(self) -> None:
        """Take no gradients any more."""
        for hook in self._hooks:
            hook.remove()

    @torch.no_grad()
    def _take(self, parameter: torch.Tensor) -> None:
        """Add the gradient of a weight to those of its factors, and delete it."""
        gradient, parameter.grad = parameter.grad, None
        if gradient is None:
            return
        _, _, fixed, first, second = self._weights[id(parameter)]
        gradient = gradient.to_dense() if gradient.is_sparse else gradient
        masked = gradient if fixed is None else fixed.mask_gradient(gradient)
        matrix = ALPHA / RANK * masked.flatten(1)
        for factor, found in (
            (first, second.detach().t() @ matrix),
            (second, matrix @ first.detach().t()),
        ):
            factor.grad = found if factor.grad is None else factor.grad + found

    def take_gradients(self) -> None:
        """Set the gradients of the factors by those of the weights, which are deleted."""
        for parameter, *_ in self._weights.values():
            self._take(parameter)

    @torch.no_grad()
    def write(self) -> None:
        """Write the changed weights into the model."""
        for parameter, base, fixed, first, second in self._weights.values():
            parameter.copy_(base + (ALPHA / RANK * (second @ first)).reshape(base.shape))
            if fixed is not None:
                fixed.restore()

    def state_dict(self) -> dict[str, Any]:
        """Return the factors and the values at the beginning."""
        return {
            "leaves": [leaf.detach() for leaf in self.leaves],
            "base": [base for _, base, *_ in self._weights.values()],
        }

    @torch.no_grad()
    def load(self, state: Mapping[str, Any]) -> None:
        """Restore the result of `state_dict`."""
        for leaf, value in zip(self.leaves, state["leaves"]):
            leaf.copy_(value)
        for (_, base, *_), value in zip(self._weights.values(), state["base"]):
            base.copy_(value)
