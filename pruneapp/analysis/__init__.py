"""Read-only analysis of a state: statistics, histograms, tiles, patterns, comparison.

Each function takes a frozen snapshot and a job, runs on a worker thread, and returns a type of
its own module. Nothing here changes a document or computes the effect of a step
(`pruneapp.preview` does).
"""
