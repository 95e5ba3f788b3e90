"""Finds ExecuTorch's backends, and reads their recipes and versions, without importing torch."""
