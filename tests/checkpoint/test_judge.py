"""What is remembered from one tensor to the next never says anything else than looking would."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pruneapp.checkpoint.dtypes import DTYPES
from pruneapp.checkpoint.entry import Location, TensorEntry
from pruneapp.checkpoint.layer_kinds import find_modules, kind_of, pruned_by_default, role
from pruneapp.checkpoint.prunability import Judge, Prunability, why_not

MODULES = ("", "a", "b", "0", "bn1", "embed", "norm", "weight", "parametrizations", "quant_state")
LEAVES = (
    *("weight", "bias", "running_mean", "weight_scale", "scale", "scale_weight", "SCB", "qweight"),
    *("weight_g", "weight_v", "x_orig", "x_u", "w_mask", "w_blocks", "w_scales", "inv_freq"),
    *("pos_embed", "absmax", "zero_point", "_packed_params", "ln_1", "scales", "qzeros", "own"),
)
SHAPES = ((), (0,), (4,), (5,), (2, 2), (1, 2, 3), (2, 2, 3, 3))

names = st.builds(
    lambda path, leaf: ".".join([*path, leaf]),
    st.lists(st.sampled_from(MODULES), max_size=3),
    st.sampled_from(LEAVES),
)
tensors = st.tuples(
    st.sampled_from(SHAPES), st.sampled_from(["F32", "BF16", "I64", "U8", "F8_E4M3", "BOOL"])
)


@settings(max_examples=300)
@given(st.dictionaries(names, tensors, min_size=1, max_size=14), st.data())
def test_a_judge_says_what_looking_at_each_tensor_says(found, data):
    free = list(found)
    entries = []
    while free:
        name = free.pop(0)
        tied = (free.pop(),) if free and data.draw(st.integers(0, 9)) == 0 else ()
        shape, dtype = found[name]
        entries.append(TensorEntry(name, shape, DTYPES[dtype], Location(0, 0), tied))
    modules = find_modules(entries)
    for entry, verdict in zip(entries, Judge(modules).of(entries), strict=True):
        path, _, leaf = entry.name.rpartition(".")
        named = role(entry, modules)
        kind = kind_of(entry, named, modules[path], path, leaf)
        assert verdict == Prunability(
            why_not(entry, modules, modules[path], path, leaf),
            kind,
            pruned_by_default(entry, named, modules[path], kind),
        )


def test_like_tensors_are_looked_at_once():
    entries = [
        TensorEntry(f"layers.{i}.mlp.weight", (2, 2), DTYPES["F32"], Location(0, 4 * i))
        for i in range(50)
    ]
    verdicts = Judge(find_modules(entries)).of(entries)
    assert len({id(verdict) for verdict in verdicts}) == 1
