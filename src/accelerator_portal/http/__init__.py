"""Sends HTTP requests within limits, with retries, a cache and errors in plain words."""
