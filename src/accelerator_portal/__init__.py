"""Builds the PyTorch accelerator portal, which shows where PyTorch runs and how to install it."""
