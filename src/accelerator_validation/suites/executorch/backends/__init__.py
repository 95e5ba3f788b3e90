"""The backends of ExecuTorch that this project brings recipes for, one module each."""
