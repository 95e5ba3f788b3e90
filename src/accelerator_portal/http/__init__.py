"""Sends HTTP requests within limits, with retries, a cache and readable error messages."""
