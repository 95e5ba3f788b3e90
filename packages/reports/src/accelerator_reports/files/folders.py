"""Names of the folders and files that the harness reads, too."""

from __future__ import annotations

ACCELERATORS = "accelerators"
SUITES = "data/suites"
RESULTS = "results"
KNOWN_ISSUES = "known-issues.yaml"
VALIDATION = "validation.yaml"
