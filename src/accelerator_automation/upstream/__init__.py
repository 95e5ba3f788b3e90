"""Tests changes of PyTorch on other platforms, and answers on their pull requests."""
