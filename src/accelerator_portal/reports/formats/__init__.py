"""Readers and writers of other formats of test results; `format_list` lists them."""
