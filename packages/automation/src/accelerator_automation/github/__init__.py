"""Sends requests to GitHub's API, with a token or as a GitHub App, and parses the responses."""
