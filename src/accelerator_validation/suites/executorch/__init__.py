"""Tests ExecuTorch: exports models to programs, and compares their results."""
