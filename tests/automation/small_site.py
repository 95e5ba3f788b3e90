"""What stands for MkDocs where a test builds a site: it writes the few files that one must have."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from accelerator_automation.building import LAST_GOOD
from accelerator_portal.checks.quarantine import last_good_versions
from accelerator_portal.site.broken_links import KEY_FILES


@dataclass
class SmallEngine:
    """Writes `text` into each page, and remembers what it was given."""

    text: str = "a site"
    variables: Mapping[str, str] = field(default_factory=dict)
    last_good: Mapping[str, dt.date] = field(default_factory=dict)

    def __call__(self, _root: Path, place: Path, variables: Mapping[str, str]) -> None:
        """Write the site."""
        self.variables = variables
        if variables[LAST_GOOD]:
            self.last_good = last_good_versions(Path(variables[LAST_GOOD]))
        for name in KEY_FILES:
            file = place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("{}" if name.endswith(".json") else self.text, "utf-8")
