"""Contains the test suites: each has a module that lists and runs its tests, and a YAML file.

The YAML file, the suite's matrix, states its tests, parameters, exclusions, tolerances and limits.
"""
