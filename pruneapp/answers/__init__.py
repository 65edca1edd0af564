"""What views are told: frozen, numpy only, no Qt and nothing of the engine.

An answer is made by a job from a snapshot, and is true for the revision that it names.
"""

from pruneapp.answers.assignment import Assignment
from pruneapp.answers.comparison import Comparison, Difference, TensorDifference
from pruneapp.answers.danger import Danger, Severity
from pruneapp.answers.export import Forecast, FormatOffer, Landing, Loader, Purpose, RoundingCost
from pruneapp.answers.hand import Gesture, HandCount, HandOutcome, Operation, Shape
from pruneapp.answers.history import HistoryItem
from pruneapp.answers.overlap import Overlap, TensorOverlap
from pruneapp.answers.picture import Box, DifferenceTile, Layout, Tile, TileRequest
from pruneapp.answers.short_names import ShortNames
from pruneapp.answers.sparsity import Estimate, SparsityReport, TensorSparsity
from pruneapp.answers.statistics import Binning, ChannelNorms, Histogram, TensorStats
from pruneapp.answers.tensor_row import TensorRow
from pruneapp.answers.zeros import TensorZeros, ZerosReport

__all__ = [
    "Assignment",
    "Binning",
    "Box",
    "ChannelNorms",
    "Comparison",
    "Danger",
    "Difference",
    "DifferenceTile",
    "Estimate",
    "Forecast",
    "FormatOffer",
    "Gesture",
    "HandCount",
    "HandOutcome",
    "Histogram",
    "HistoryItem",
    "Landing",
    "Layout",
    "Loader",
    "Operation",
    "Overlap",
    "Purpose",
    "RoundingCost",
    "Severity",
    "Shape",
    "ShortNames",
    "SparsityReport",
    "TensorDifference",
    "TensorOverlap",
    "TensorRow",
    "TensorSparsity",
    "TensorStats",
    "TensorZeros",
    "Tile",
    "TileRequest",
    "ZerosReport",
]
