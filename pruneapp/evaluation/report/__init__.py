"""The report of a history: all states with their metrics, as one HTML file."""

from __future__ import annotations
