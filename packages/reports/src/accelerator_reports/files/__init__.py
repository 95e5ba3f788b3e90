"""Reads and checks contributed files: text, YAML and values, with the line of each problem."""
