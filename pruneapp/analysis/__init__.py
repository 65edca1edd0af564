"""Read-only questions about a state: statistics, histograms, tiles, patterns, comparison.

Each is a function of a frozen snapshot and a job, computed on a worker thread; what it returns
stands in ``results``. Nothing here changes a document or knows what a step would do (``preview``).
"""
