from __future__ import annotations

import re
from pathlib import Path

import pytest

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.reports.reading import load_json

NO_JSON = "results.json:1: invalid JSON: {}; create the file again"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NO_JSON.format("expecting value")),
        ('{"reportFormat": "CT', NO_JSON.format("unterminated string starting at")),
        ("[1, NaN]", "results.json:1: NaN is not a valid JSON number; create the file again"),
        (
            "-Infinity",
            "results.json:1: -Infinity is not a valid JSON number; create the file again",
        ),
        ("1e999", "results.json:1: 1e999 is too large for a number; create the file again"),
        ("1" * 5000, "results.json:1: a number has too many digits; create the file again"),
        (
            "[" * 100_000,
            "results.json:1: the values are nested too deeply; create the file again",
        ),
    ],
)
def test_what_is_no_json_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "results.json"
    file.write_text(text, "utf-8")
    with pytest.raises(ProblemsError) as caught:
        load_json(file)
    assert re.sub(r"(invalid JSON) in column \d+", r"\1", str(caught.value)) == message
