"""The data types of checkpoints, one declaration for each.

The names are those of safetensors 0.8, or of torch for types that only torch has.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FloatForm:
    """The bit layout of a float type, as far as ranking by magnitude needs it.

    Non-negative floats of any width are ordered like their bit patterns.
    """

    bits: int  # width: 8, 16, 32 or 64
    # Bits of the largest magnitude that is not NaN: infinity, if the type has one.
    largest: int
    one: int  # the bits of 1.0
    fnuz: bool = False  # whether the only NaN is the bit pattern of -0.0, which does not exist then

    @property
    def magnitude_mask(self) -> int:
        """A mask of all bits except the sign."""
        return (1 << (self.bits - 1)) - 1

    @property
    def nan_key(self) -> int:
        """The sort key of every NaN: one more than the largest magnitude."""
        return self.largest + 1


@dataclass(frozen=True)
class DType:
    """An element type of a tensor."""

    name: str  # as safetensors spells it
    bits: int  # size of one element; 4 and 6 for packed small floats
    label: str  # display name, and the name in torch, numpy or ml_dtypes if they have the type
    form: FloatForm | None = None  # bit layout for ranking; None if it cannot be ranked
    why_not: str = ""  # why it cannot be pruned; empty if it can
    # Number of elements and of bytes of a block in the file, for block-quantized types of
    # llama.cpp. Such a type with a `form` is decoded: its elements are read as float32.
    block: tuple[int, int] | None = None

    @property
    def prunable(self) -> bool:
        """Whether weights of this type can be pruned."""
        return self.form is not None and not self.why_not

    @property
    def decoded(self) -> bool:
        """Whether the file stores quantized blocks and reading returns float32."""
        return self.block is not None and self.form is not None

    @property
    def storage(self) -> str:
        """The numpy type in which raw elements are read: ``uint8`` to ``uint64``.

        A complex128 element is a pair of ``uint64``. Packed types are read as bytes.
        """
        return {16: "uint16", 32: "uint32", 64: "uint64", 128: "uint64"}.get(self.bits, "uint8")

    @property
    def packed(self) -> bool:
        """Whether several elements share a byte; neither torch nor numpy has such types."""
        return self.bits < 8

    @property
    def torch(self) -> str:
        """The attribute name in the torch module; empty if torch has no such type."""
        return "" if self.packed or self.block else self.label

    @property
    def numpy(self) -> str:
        """The numpy or ml_dtypes name of the type of the values; empty if there is none."""
        if self.decoded:
            return "float32"
        return "" if self.packed else self.label

    @property
    def one(self) -> int | None:
        """The bits of the value 1, or None for types that a mask cannot have; 0 is always 0."""
        if self.form is not None:
            return self.form.one
        return 1 if self.name == "BOOL" or self.integer else None

    @property
    def integer(self) -> bool:
        """Whether it is a signed or unsigned integer type."""
        return self.label.startswith(("int", "uint"))

    def nbytes(self, numel: int) -> int:
        """Return the size in bytes of `numel` elements once read; must be whole bytes or blocks."""
        if self.block and not self.decoded:
            return self.stored_bytes(numel)
        return numel * self.bits // 8

    def stored_bytes(self, numel: int) -> int:
        """Return the size in bytes of `numel` elements in the file, smaller for decoded types."""
        if self.block:
            return numel // self.block[0] * self.block[1]
        return numel * self.bits // 8


_INTEGER = "integers are not pruned: they are counters, indices or quantized"
_FLOAT32 = FloatForm(32, 0x7F80_0000, 0x3F80_0000)


def _quantized_type(name: str, weights: int, nbytes: int, *, decoded: bool = False) -> DType:
    """Return a block-quantized type of ggml with `weights` elements in `nbytes` bytes per block."""
    why_not = f"it is quantized as {name}, in blocks of {weights} weights"
    if decoded:
        return DType(name, 32, name, _FLOAT32, why_not, (weights, nbytes))
    return DType(name, 4, name, None, why_not, (weights, nbytes))


DTYPES: dict[str, DType] = {
    d.name: d
    for d in (
        DType("F64", 64, "float64", FloatForm(64, 0x7FF0_0000_0000_0000, 0x3FF0_0000_0000_0000)),
        DType("F32", 32, "float32", _FLOAT32),
        DType("F16", 16, "float16", FloatForm(16, 0x7C00, 0x3C00)),
        DType("BF16", 16, "bfloat16", FloatForm(16, 0x7F80, 0x3F80)),
        DType("F8_E5M2", 8, "float8_e5m2", FloatForm(8, 0x7C, 0x3C)),
        DType("F8_E4M3", 8, "float8_e4m3fn", FloatForm(8, 0x7E, 0x38)),
        DType("F8_E5M2FNUZ", 8, "float8_e5m2fnuz", FloatForm(8, 0x7F, 0x40, fnuz=True)),
        DType("F8_E4M3FNUZ", 8, "float8_e4m3fnuz", FloatForm(8, 0x7F, 0x40, fnuz=True)),
        DType("F8_E8M0", 8, "float8_e8m0fnu", why_not="this type of scales has no 0"),
        DType("F6_E2M3", 6, "float6_e2m3", why_not="packed 6-bit floats are not pruned"),
        DType("F6_E3M2", 6, "float6_e3m2", why_not="packed 6-bit floats are not pruned"),
        DType("F4", 4, "float4_e2m1", why_not="packed 4-bit floats are not pruned"),
        DType("C64", 64, "complex64", why_not="complex numbers are not pruned"),
        DType("C128", 128, "complex128", why_not="complex numbers are not pruned"),
        DType("BOOL", 8, "bool", why_not="booleans are not pruned"),
        DType("U8", 8, "uint8", why_not=_INTEGER),
        DType("I8", 8, "int8", why_not=_INTEGER),
        DType("U16", 16, "uint16", why_not=_INTEGER),
        DType("I16", 16, "int16", why_not=_INTEGER),
        DType("U32", 32, "uint32", why_not=_INTEGER),
        DType("I32", 32, "int32", why_not=_INTEGER),
        DType("U64", 64, "uint64", why_not=_INTEGER),
        DType("I64", 64, "int64", why_not=_INTEGER),
        # Types of GGUF files: number of weights and of bytes of a block.
        _quantized_type("Q4_0", 32, 18, decoded=True),
        _quantized_type("Q4_1", 32, 20, decoded=True),
        _quantized_type("Q5_0", 32, 22, decoded=True),
        _quantized_type("Q5_1", 32, 24, decoded=True),
        _quantized_type("Q8_0", 32, 34, decoded=True),
        _quantized_type("Q2_K", 256, 84, decoded=True),
        _quantized_type("Q3_K", 256, 110, decoded=True),
        _quantized_type("Q4_K", 256, 144, decoded=True),
        _quantized_type("Q5_K", 256, 176, decoded=True),
        _quantized_type("Q6_K", 256, 210, decoded=True),
        _quantized_type("IQ1_S", 256, 50),
        _quantized_type("IQ1_M", 256, 56),
        _quantized_type("IQ2_XXS", 256, 66),
        _quantized_type("IQ2_XS", 256, 74),
        _quantized_type("IQ2_S", 256, 82),
        _quantized_type("IQ3_XXS", 256, 98),
        _quantized_type("IQ3_S", 256, 110),
        _quantized_type("IQ4_NL", 32, 18, decoded=True),
        _quantized_type("IQ4_XS", 256, 136, decoded=True),
        _quantized_type("TQ1_0", 256, 54),
        _quantized_type("TQ2_0", 256, 66),
        _quantized_type("MXFP4", 32, 17, decoded=True),
        _quantized_type("NVFP4", 64, 36),
        _quantized_type("Q1_0", 128, 18),
    )
}

# The 22 types of safetensors 0.8; the others occur only in torch and GGUF files.
SAFETENSORS_DTYPES = frozenset(d.name for d in DTYPES.values() if not d.block) - {"C128"}
