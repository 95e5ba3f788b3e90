"""Finds ExecuTorch's backends and asks them; imports no torch."""
