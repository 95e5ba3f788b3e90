"""Runs PyTorch's own device-generic tests from a checkout, on any device."""
