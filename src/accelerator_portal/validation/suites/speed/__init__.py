"""The suite `speed`: how fast a device computes, with the spread of what was measured."""
