"""Pairs of facts that cannot both be right, one function for each pair."""
