"""The rules, in modules by subject. The site shows the docstrings of the rules."""
