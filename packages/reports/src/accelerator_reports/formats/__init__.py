"""Reads and writes test results in other formats, such as JUnit XML; `format_list` lists them."""
