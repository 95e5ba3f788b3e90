"""Tests ExecuTorch: exports models to programs, runs them, and compares them with PyTorch."""
