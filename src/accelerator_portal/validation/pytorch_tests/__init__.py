"""PyTorch's own device-generic tests, from a checkout of PyTorch, on any device."""
