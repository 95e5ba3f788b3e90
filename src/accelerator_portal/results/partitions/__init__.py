"""The archive of results: every result and every change as partitioned Parquet.

`manifest` lists the files and defines their folders; `columns` defines their tables.
"""
