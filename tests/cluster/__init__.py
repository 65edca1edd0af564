"""Runs on a Dask cluster."""
