"""Contains the rules that check the catalog. The site shows the docstrings of the rules."""
