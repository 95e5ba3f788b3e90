"""Defines the backends of ExecuTorch that this project has recipes for, one module each.

A recipe is a way to lower and run a model, such as one kind of quantization.
"""
