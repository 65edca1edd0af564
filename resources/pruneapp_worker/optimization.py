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
    factors, which an optimizer trains.
    """

    def __init__(
        self,
        parameters: Iterable[torch.nn.Parameter],
        elements: Mapping[int, FixedElements],
        seed: int,
    ) -> None:
        self.leaves: list[torch.Tensor] = []
        self._weights: list[tuple[torch.nn.Parameter, torch.Tensor, Any, Any, Any]] = []
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
            self._weights.append((parameter, base, elements.get(id(parameter)), first, second))

    @torch.no_grad()
    def take_gradients(self) -> None:
        """Set the gradients of the factors by those of the weights, which are deleted."""
        for parameter, _, fixed, first, second in self._weights:
            gradient, parameter.grad = parameter.grad, None
            if gradient is None:
                continue
            gradient = gradient.to_dense() if gradient.is_sparse else gradient
            masked = gradient if fixed is None else fixed.mask_gradient(gradient)
            matrix = ALPHA / RANK * masked.flatten(1)
            first.grad = second.detach().t() @ matrix
            second.grad = matrix @ first.detach().t()

    @torch.no_grad()
    def write(self) -> None:
        """Write the changed weights into the model."""
        for parameter, base, fixed, first, second in self._weights:
            parameter.copy_(base + (ALPHA / RANK * (second @ first)).reshape(base.shape))
            if fixed is not None:
                fixed.restore()

    def state_dict(self) -> dict[str, Any]:
        """Return the factors and the values at the beginning."""
        return {
            "leaves": [leaf.detach() for leaf in self.leaves],
            "base": [base for _, base, *_ in self._weights],
        }

    @torch.no_grad()
    def load(self, state: Mapping[str, Any]) -> None:
        """Restore the result of `state_dict`."""
        for leaf, value in zip(self.leaves, state["leaves"]):
            leaf.copy_(value)
        for (_, base, *_), value in zip(self._weights, state["base"]):
            base.copy_(value)
