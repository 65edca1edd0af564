"""What one element of a storage or tensor is, by the names that torch gives to its types."""

from __future__ import annotations

from dataclasses import dataclass

from pruneapp.checkpoint.dtypes import DTYPES, DType

QUANTIZED = "it is quantized: whole numbers with a scale, which are not pruned"


@dataclass(frozen=True)
class Element:
    """One element as torch names it and as we read it.

    Attributes
    ----------
    name
        Attribute of the torch module, as ``float32`` or ``qint8``.
    dtype
        How its bits are read.
    why_not
        Why it cannot be pruned where `dtype` alone does not tell.
    whole
        False if several elements share a byte: such tensors are shown as bytes.
    """

    name: str
    dtype: DType
    why_not: str = ""
    whole: bool = True

    @property
    def itemsize(self) -> int:
        """Bytes of one element; for those that share a byte, of the byte."""
        return max(1, self.dtype.bits // 8)


def _shell(name: str) -> Element:
    return Element(name, DTYPES["U8"], f"Pruneapp does not know the numbers of torch.{name}")


# By the name of the dtype, as ``torch.float32`` in a pickle.
BY_DTYPE: dict[str, Element] = {
    element.name: element
    for element in (
        *(Element(d.torch, d) for d in DTYPES.values() if d.torch),
        Element("qint8", DTYPES["I8"], QUANTIZED),
        Element("quint8", DTYPES["U8"], QUANTIZED),
        Element("qint32", DTYPES["I32"], QUANTIZED),
        Element("quint4x2", DTYPES["U8"], QUANTIZED, whole=False),
        Element("quint2x4", DTYPES["U8"], QUANTIZED, whole=False),
        Element("complex32", DTYPES["U32"], "complex numbers are not pruned"),
        Element("float4_e2m1fn_x2", DTYPES["F4"]),
        *(_shell(f"{sign}int{bits}") for sign in ("", "u") for bits in range(1, 8)),
        *(_shell(f"bits{form}") for form in ("1x8", "2x4", "4x2", "8")),
        Element("bits16", DTYPES["U16"], "Pruneapp does not know the numbers of torch.bits16"),
    )
}

UNTYPED = Element("bytes", DTYPES["U8"])

# By the name of the storage's class, as ``torch.FloatStorage`` or ``torch.cuda.FloatStorage``.
BY_STORAGE: dict[str, Element] = {
    "DoubleStorage": BY_DTYPE["float64"],
    "FloatStorage": BY_DTYPE["float32"],
    "HalfStorage": BY_DTYPE["float16"],
    "BFloat16Storage": BY_DTYPE["bfloat16"],
    "LongStorage": BY_DTYPE["int64"],
    "IntStorage": BY_DTYPE["int32"],
    "ShortStorage": BY_DTYPE["int16"],
    "CharStorage": BY_DTYPE["int8"],
    "ByteStorage": BY_DTYPE["uint8"],
    "BoolStorage": BY_DTYPE["bool"],
    "ComplexDoubleStorage": BY_DTYPE["complex128"],
    "ComplexFloatStorage": BY_DTYPE["complex64"],
    "QInt8Storage": BY_DTYPE["qint8"],
    "QUInt8Storage": BY_DTYPE["quint8"],
    "QInt32Storage": BY_DTYPE["qint32"],
    "QUInt4x2Storage": BY_DTYPE["quint4x2"],
    "QUInt2x4Storage": BY_DTYPE["quint2x4"],
    "UntypedStorage": UNTYPED,
    "_UntypedStorage": UNTYPED,
}
