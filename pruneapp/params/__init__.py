"""What a method, an export or a setting asks for: one declaration for all who use it.

From a `Param` come the validation and its messages, the editor in the window, the option of the
command line, the schema of the recipe, the reference page, and the values that the tests try.
"""

from pruneapp.params.amounts import AMOUNT_OF_CHANNELS, AMOUNT_OF_WEIGHTS, Amount, AmountParam
from pruneapp.params.declared import Param, validate_all
from pruneapp.params.numbers import (
    DimParam,
    FloatParam,
    Interval,
    IntParam,
    Norm,
    NormParam,
    NumberParam,
    SeedParam,
)
from pruneapp.params.sizes import SizeParam, format_bytes, parse_bytes
from pruneapp.params.words import Choice, ChoiceParam, FlagParam

__all__ = [
    "AMOUNT_OF_CHANNELS",
    "AMOUNT_OF_WEIGHTS",
    "Amount",
    "AmountParam",
    "Choice",
    "ChoiceParam",
    "DimParam",
    "FlagParam",
    "FloatParam",
    "IntParam",
    "Interval",
    "Norm",
    "NormParam",
    "NumberParam",
    "Param",
    "SeedParam",
    "SizeParam",
    "format_bytes",
    "parse_bytes",
    "validate_all",
]
