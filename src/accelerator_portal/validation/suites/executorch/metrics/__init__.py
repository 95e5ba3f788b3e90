"""The metrics of ExecuTorch's suites: each module is one and has an object METRIC."""
