"""Sends changes of PyTorch to other platforms, and posts their test results on pull requests."""
