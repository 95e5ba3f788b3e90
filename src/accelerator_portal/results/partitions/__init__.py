"""The archive of results: it stores every result and every change in Parquet files.

`manifest` lists the files and defines their folders, `columns` defines their tables, and
`parquet_files` writes and reads them.
"""
