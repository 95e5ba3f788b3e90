"""The same batches on the workers of a Dask cluster."""
