"""Repair: what stays of a pruned layer is moved so that its outputs come out as before.

The solve knows matrices and moments of inputs only; what of a checkpoint these are is said beside
it. No torch, and nothing that a person sees.
"""
