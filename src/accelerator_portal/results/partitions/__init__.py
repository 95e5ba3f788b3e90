"""The archive of results: every result and every change as partitioned Parquet.

`layout` says where files are, `columns` what is in them, `manifest` which files there are.
"""
