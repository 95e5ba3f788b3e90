"""The browsers that tests and benchmarks can drive."""

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The one that takes the least processor time first: it draws without the parts of a window."""
