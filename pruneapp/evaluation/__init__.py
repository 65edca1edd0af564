"""Measure states with an evaluation script of the user, run by the user's Python.

Contains the contract with the script, the process that runs it, the transfer of weights and its
verification, and the statistics of results. No Qt, and no torch in this process: docs/measure.md.
"""

from pruneapp.evaluation.allocation import Allocation, Bound, allocate
from pruneapp.evaluation.collection import Collected, collect
from pruneapp.evaluation.evaluator import Baseline, Change, Evaluator, Result
from pruneapp.evaluation.metric import Metric, Tolerance
from pruneapp.evaluation.process import EvaluationError
from pruneapp.evaluation.runner import CommandRunner, ScriptRunner
from pruneapp.evaluation.scan import ScanRequest, scan_tensors
from pruneapp.evaluation.scan_file import Scan, read_scan, write_scan
from pruneapp.evaluation.script import EvaluationScript, Interpreter, Options, find_interpreter

__all__ = [
    "Allocation",
    "Baseline",
    "Bound",
    "Change",
    "Collected",
    "CommandRunner",
    "EvaluationError",
    "EvaluationScript",
    "Evaluator",
    "Interpreter",
    "Metric",
    "Options",
    "Result",
    "Scan",
    "ScanRequest",
    "ScriptRunner",
    "Tolerance",
    "allocate",
    "collect",
    "find_interpreter",
    "read_scan",
    "scan_tensors",
    "write_scan",
]
