"""Make the distributed checkpoints of golden/dcp, with torch 2.13.0: python make_dcp_golden.py.

``mesh``: DTensors of four processes (2×2 mesh), sharded by rows, by columns, by both, unevenly, and
replicated. ``fsdp``: a model of two processes by FullyShardedDataParallel with sharded state dicts
(ShardedTensor). ``expected.safetensors`` has the full tensors.
"""

import tempfile
from pathlib import Path

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.multiprocessing as mp
from safetensors.torch import save_file
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, StateDictType
from torch.distributed.tensor import Replicate, Shard, distribute_tensor


def values(seed, *shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator).to(dtype)


def mesh_tensors():
    rows, columns, whole = Shard(0), Shard(1), Replicate()
    return {
        "rows.weight": (values(1, 6, 4), (rows, whole)),
        "columns.weight": (values(2, 4, 6), (columns, whole)),
        "both.weight": (values(3, 6, 5), (rows, columns)),
        "uneven.weight": (values(4, 3, 3, dtype=torch.bfloat16), (rows, columns)),
        "twice.weight": (values(5, 7, 2), (rows, rows)),
        "conv.weight": (values(6, 4, 3, 2, 2), (columns, rows)),
        "replicated.weight": (values(7, 3, 4), (whole, whole)),
        "counter": (torch.tensor(12), (whole, whole)),
    }


def start(rank, world, place):
    dist.init_process_group("gloo", init_method=f"file://{place}", rank=rank, world_size=world)


def save_mesh(rank, place, out):
    start(rank, 4, place)
    mesh = init_device_mesh("cpu", (2, 2))
    state = {
        name: distribute_tensor(tensor, mesh, placements)
        for name, (tensor, placements) in mesh_tensors().items()
    }
    state["plain.weight"] = values(8, 2, 3).t()  # strides are preserved
    dcp.save({"model": state, "epoch": 3}, checkpoint_id=out)
    dist.destroy_process_group()


def make_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 7), nn.ReLU(), nn.Linear(7, 3))


def save_fsdp(rank, place, out):
    start(rank, 2, place)
    model = FullyShardedDataParallel(make_model(), device_id=torch.device("cpu"))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(2, 5)).sum().backward()
    with FullyShardedDataParallel.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        state = {"model": model.state_dict(), "optim": {"lr": optimizer.param_groups[0]["lr"]}}
        dcp.save(state, checkpoint_id=out)
    dist.destroy_process_group()


if __name__ == "__main__":
    here = Path(__file__).parents[1] / "golden" / "dcp"
    with tempfile.TemporaryDirectory() as scratch:
        mp.spawn(save_mesh, (f"{scratch}/a", str(here / "mesh")), 4)
        mp.spawn(save_fsdp, (f"{scratch}/b", str(here / "fsdp")), 2)
    tensors = {f"mesh.{name}": tensor for name, (tensor, _) in mesh_tensors().items()}
    tensors["mesh.plain.weight"] = values(8, 2, 3).t().contiguous()
    tensors |= {f"fsdp.{name}": tensor for name, tensor in make_model().state_dict().items()}
    save_file(tensors, here / "expected.safetensors")
