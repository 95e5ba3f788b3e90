"""ExecuTorch's backends: what one is, where it is found, and asking it; imports no torch."""
