"""Runs the jobs of GitHub Actions that may write: the nightly update and the answers upstream."""
