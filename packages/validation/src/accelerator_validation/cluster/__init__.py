"""Runs batches of tests on the workers of a Dask cluster."""
