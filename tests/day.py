"""The day on which all tests take place: the newest day that this repository's data name.

Whatever the clock says, the same data pass the same tests. On any later day exceptions and
lifecycles may end, which only ever warns; on an earlier day a report would lie in the future.
"""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

from accelerator_reports.files.clock import DATE_VARIABLE
from accelerator_reports.files.folders import ACCELERATORS

_REPOSITORY = Path(__file__).parents[1]
_DAY = re.compile(r'(?:read: |"(?:started|finished)": ")(\d{4}-\d{2}-\d{2})')
_HEAD = 8192  # a report's tests come after its dates


def _newest_day() -> dt.date:
    folders = (f"{ACCELERATORS}/*", "data")
    files = [
        file
        for f in folders
        for kind in ("yaml", "md")
        for file in _REPOSITORY.glob(f"{f}/*.{kind}")
    ]
    texts = [file.read_text("utf-8") for file in files]
    for report in _REPOSITORY.glob(f"{ACCELERATORS}/*/results/*.json"):
        with report.open(encoding="utf-8") as lines:
            texts.append(lines.read(_HEAD))
    return max(dt.date.fromisoformat(day) for text in texts for day in _DAY.findall(text))


TODAY = _newest_day()
ENVIRONMENT = {DATE_VARIABLE: f"{dt.datetime.combine(TODAY, dt.time(), dt.UTC).timestamp():.0f}"}
"""What tells commands and hooks the same, also in processes of their own."""
