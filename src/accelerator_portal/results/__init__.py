"""What reports say over time: how each test stands, what changed, what is broken and since when.

Nothing here reads a clock: the same reports give the same bytes.
"""
