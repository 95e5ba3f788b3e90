"""Measures how fast a device computes, and the spread of the measurements."""
