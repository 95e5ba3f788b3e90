"""Golden files: what was once looked at and found right, kept to be compared with.

After a change that is meant: PORTAL_UPDATE_GOLDEN=1 make test ARGS="tests/portal/site", then look.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def assert_golden(path: Path, found: Any) -> None:  # noqa: ANN401 - any JSON
    """Compare `found` with the JSON file, or write the file where that is asked for."""
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("PORTAL_UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(text)
