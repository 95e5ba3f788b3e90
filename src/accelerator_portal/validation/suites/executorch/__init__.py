"""The suites of ExecuTorch: from a model to a program, and what came of it."""
