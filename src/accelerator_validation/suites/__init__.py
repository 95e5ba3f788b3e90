"""The suites: each a module that names its tests and runs one, beside a YAML file of its matrix."""
