"""The opened program of torch.export with zeros for pruned weights.

The graph, its constants and its example inputs are copied byte for byte; only changed weights and
their checksums are replaced.
"""

from __future__ import annotations

from pruneapp.checkpoint.torchfile import exported_program
from pruneapp.errors import ExportError
from pruneapp.export.format import ExportPart, Format, Loader, Plan
from pruneapp.export.formats.torch import changed_entries, plan_in_place, why_not_in_place
from pruneapp.export.scripts import loading_code
from pruneapp.progress import Job

SUFFIX = ".pt2"


def _plan(part: ExportPart, job: Job) -> Plan:
    """Plan a copy of the opened program with zeros, the planner of `PROGRAM_FILE`.

    Raises `ExportError` if a changed tensor cannot be overwritten in the file.
    """
    changed = changed_entries(part, job)
    reason, _ = why_not_in_place(part, changed, job)
    if reason:
        raise ExportError(
            f"The program cannot be written, because {reason}.",
            remedy="Export as safetensors, which contains the weights without the graph.",
        )
    return plan_in_place(part, changed, (), job)


PROGRAM_FILE = Format(
    name="pt2",
    label="torch.export program, dense",
    help=(
        "The opened program of torch.export with zeros where weights are pruned. Everything "
        "else is unchanged: the graph, its constants and its example inputs."
    ),
    suffixes=(SUFFIX,),
    planner=_plan,
    only_from=(
        exported_program.FORMAT,
        "Available only if a program of torch.export (.pt2) is open: other files contain no graph.",
    ),
    loaded_by=(Loader("torch.export.load", "torch 2.9", "and any runtime that runs the original"),),
    does_not=("Zeros do not reduce the size of a dense file.",),
    sources=frozenset({exported_program.FORMAT}),
    one_file=True,
    loads=loading_code.program,
    load_code="""
def load(path):
    return dict(torch.export.load(path).state_dict)
""",
)
