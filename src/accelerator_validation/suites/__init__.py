"""The suites: each has a module that lists and runs its tests, and a YAML file with its matrix."""
