"""Runs the jobs with write access on GitHub: the nightly update and tests of PyTorch changes."""
