"""Whatever text stands in a file of test results, `report import` ends with a report or a message.

Each value of a good file of each format is replaced with each text: some 2,400 inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from accelerator_reports.report_file import read_report
from tests.hostile.imported_files import changed_files, good_files

TEXTS: Mapping[str, str] = {
    "an escape": "\x1b[31mred",
    "a zero": "a\x00b",
    "a right-to-left override": "a\u202eb",
    "a tag character": "a\U000e0041b",
    "a Hangul filler": "\u115f",
    "half a pair": "\ud800",
    "a line separator": "a\u2028b",
    "nothing": "",
    "a space": " ",
    "a line feed": "\n",
    "a long text": "x" * 70_000,
    "a negative number": "-1",
    "many digits": "9" * 400,
    "not a valid JSON number": "NaN",
    "a number too large": "1e999",
    "digits of another script": "١٢",
    "a version with a local part": "2.10.0+x/../y",
    "a date that does not exist": "2026-02-30T25:61:61",
    "the first year": "0001-01-01T00:00:00+23:59",
    "the last year": "9999-12-31T23:59:59-23:59",
    "JSON": '{"a": [1]}',
    "an open list": "[" * 5000,
    "a placeholder": "{torch}",
    "a slash": "/",
}
EMPTY = {"started": "2026-01-02T00:00:00", "torch": "2.10.0"}


def imported(folder: Path, form: str, content: bytes) -> tuple[Result, Path]:
    place = folder / "inductor_torchbench_inference.csv"
    place.write_bytes(content)
    out = folder / "report.json"
    out.unlink(missing_ok=True)
    command = [
        "report",
        "import",
        "--root",
        str(folder),
        "--accelerator",
        "example",
        "--out",
        str(out),
    ]
    command += [word for name, value in EMPTY.items() for word in (f"--{name}", value)]
    return CliRunner().invoke(main, [*command, "--format", form, str(place)]), out


@pytest.mark.parametrize(("form", "content"), list(good_files()))
def test_the_file_that_all_others_are_made_of_is_good(
    form: str, content: bytes, tmp_path: Path
) -> None:
    done, out = imported(tmp_path, form, content)
    assert done.exit_code == 0, done.output
    assert out.exists()


@pytest.mark.parametrize("what", TEXTS)
def test_each_value_is_refused_by_a_message_or_taken(what: str, tmp_path: Path) -> None:
    wrong = []
    for form, place, content in changed_files(TEXTS[what]):
        done, out = imported(tmp_path, form, content)
        ended = done.exception is None or isinstance(done.exception, SystemExit)
        told = done.output.replace("\n", "").isprintable() and "validation error" not in done.output
        if not (ended and told and out.exists() == (done.exit_code == 0) and good(out)):
            wrong.append((form, place, done.exit_code, repr(done.exception), done.output[:300]))
    assert wrong == []


def good(out: Path) -> bool:
    """Whether what was written, if anything, is a report without a fault."""
    return not out.exists() or bool(read_report(out).tests)
