"""Magnitudes and norms that are counted once, so that "what if" needs no weight any more."""

from pruneapp.document.census.store import Census
from pruneapp.document.census.wanted import Wanted

__all__ = ["Census", "Wanted"]
