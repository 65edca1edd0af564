"""Repair pruned layers: change the kept weights so that the outputs approximate the original.

The solver only knows matrices and moments of inputs; `repair` maps a checkpoint to them. No torch,
and no user interface.
"""
