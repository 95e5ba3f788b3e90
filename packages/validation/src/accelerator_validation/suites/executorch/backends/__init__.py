"""Contains a module for each tested ExecuTorch backend, with recipes to lower models to it.

A recipe is a way to lower and run a model, such as one kind of quantization.
"""
