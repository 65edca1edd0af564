"""Torch files of unusual tensors: views, NumPy arrays, DTensors, sparse tensors."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import torch


def plain(seed: int, *shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator)


@contextlib.contextmanager
def world(size: int) -> Iterator[Any]:
    """Initialize a fake process group of `size` ranks, of which this process is rank 0."""
    import torch.distributed as dist
    from torch.distributed.device_mesh import init_device_mesh
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=size)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield init_device_mesh("cpu", (size,))
    finally:
        dist.destroy_process_group()


@cache
def dtensor(seed: int, shape: tuple[int, ...], placement: str, size: int) -> torch.Tensor:
    """Return a DTensor whose local tensor has the given shape."""
    import torch.distributed.tensor as spread

    placements = {
        "shard": spread.Shard(0),
        "replicate": spread.Replicate(),
        "partial": spread.Partial(),
    }
    with world(size) as mesh:
        return spread.DTensor.from_local(
            plain(seed, *shape), mesh, [placements[placement]], run_check=False
        )


def negated() -> torch.Tensor:
    return torch.view_as_complex(plain(1, 6, 4, 2)).conj().imag


def conjugate() -> torch.Tensor:
    return torch.view_as_complex(plain(2, 3, 5, 2)).conj()


def both() -> torch.Tensor:
    return conjugate()._neg_view()


# Tensors whose values can be read, and their plain arrays by torch.load.
READABLE: dict[str, Callable[[], Any]] = {
    "negated": negated,
    "negated 16": lambda: torch._neg_view(plain(3, 4, 6).to(torch.float16)),
    "negated bfloat16 transposed": lambda: torch._neg_view(plain(3, 4, 6).to(torch.bfloat16)).T,
    "conjugate": conjugate,
    "conjugate 128": lambda: torch.view_as_complex(plain(4, 4, 3, 2).double()).conj().T,
    "conjugate and negated": both,
    "array": lambda: plain(5, 6, 8).numpy(),
    "array 64": lambda: plain(5, 6, 8).double().numpy(),
    "array 16": lambda: plain(5, 6, 8).half().numpy(),
    "array Fortran": lambda: np.asfortranarray(plain(6, 4, 5).numpy()),
    "array 3-D Fortran": lambda: np.asfortranarray(plain(6, 4, 5, 3).numpy()),
    "array permuted": lambda: plain(6, 4, 5, 3).numpy().transpose(1, 0, 2),
    "array big-endian": lambda: plain(7, 4, 5).numpy().astype(">f4"),
    "array big-endian complex": lambda: np.arange(6).reshape(2, 3).astype(">c16") * (1 - 2j),
    "array of whole numbers": lambda: np.arange(300, dtype=np.int64).reshape(30, 10),
    "array of booleans": lambda: np.arange(8) % 3 == 0,
    "array of no dimensions": lambda: np.array(2.5),
    "array of nothing": lambda: np.zeros((0, 3), np.float32),
    "array complex": lambda: np.arange(4, dtype=np.complex64) * 1j,
    "number": lambda: np.float32(1.5),
    "DTensor of one machine": lambda: dtensor(8, (4, 6), "shard", 1),
    "DTensor everywhere": lambda: dtensor(9, (4, 6), "replicate", 4),
    "DTensor parameter": lambda: torch.nn.Parameter(dtensor(9, (4, 6), "replicate", 2)),
    "parameter": lambda: torch.nn.Parameter(plain(10, 4, 6)),
    "gradient": lambda: plain(11, 4, 6).requires_grad_(),
    "buffer": lambda: torch.nn.Buffer(plain(12, 4, 6)),
    "transposed": lambda: plain(13, 4, 6).T,
    "CSR": lambda: torch.relu(plain(14, 8, 12)).to_sparse_csr(),
}
# Tensors that are shown as their dense component tensors.
IN_PARTS: dict[str, Callable[[], Any]] = {
    "COO": lambda: torch.relu(plain(15, 5, 6)).to_sparse().coalesce(),
    "CSC": lambda: torch.relu(plain(16, 5, 6)).to_sparse_csc(),
    "BSR": lambda: torch.relu(plain(17, 6, 6)).to_sparse_bsr((2, 2)),
    "BSC": lambda: torch.relu(plain(18, 6, 6)).to_sparse_bsc((2, 2)),
    "CSR of three dimensions": lambda: torch.stack([torch.eye(4), torch.eye(4)]).to_sparse_csr(),
    "nested": lambda: torch.nested.nested_tensor([plain(19, 2, 3), plain(20, 4, 3)]),
    "nested jagged": lambda: torch.nested.nested_tensor_from_jagged(
        plain(21, 6, 3), torch.tensor([0, 2, 6])
    ),
}
# Tensors whose values cannot be read, and the text that explains why.
UNREADABLE: dict[str, tuple[Callable[[], Any], str]] = {
    "shard": (lambda: dtensor(22, (2, 6), "shard", 2), "one shard, of shape [2, 6]"),
    "partial": (lambda: dtensor(23, (4, 6), "partial", 2), "partial result"),
    "meta": (lambda: torch.empty(3, 4, device="meta"), "the meta device"),
    "objects": (lambda: np.array([1, None], object), "dtype object"),
    "text": (lambda: np.array(["ab", "c"]), "of type 'U2'"),
    "records": (lambda: np.zeros(2, [("a", "f4"), ("b", "i4")]), "of type 'V8'"),
    "matrix": (lambda: np.arange(4.0).reshape(2, 2).view(np.matrix), "numpy.matrix"),
}


def oracle(value: Any) -> np.ndarray:
    """Return a value loaded by torch.load as a plain array."""
    if isinstance(value, torch.Tensor):
        if type(value).__name__ == "DTensor":
            value = value._local_tensor
        if value.layout != torch.strided:
            value = value.to_dense()
        value = value.detach().resolve_conj().resolve_neg().contiguous()
        if value.dtype == torch.bfloat16:
            return value.float().numpy()
        return value.numpy()
    found = np.asarray(value)
    return found.astype(found.dtype.newbyteorder("="))
