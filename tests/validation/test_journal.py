"""A journal that somebody changed is refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_validation.case import Case
from accelerator_validation.journal import Journal, JournalError, read_journal


@pytest.mark.parametrize(
    "record",
    [
        '{"record": "begin"}',
        '{"record": "end"}',
        '{"record": "end", "final": true, "case": "made-up/test"}',
        '{"record": "end", "final": true, "case": [], "result": {"outcome": "passed"}}',
        '{"record": "end", "final": true, "case": "made-up/test", "result": []}',
        '{"record": "end", "final": true, "case": "made-up/test", "result": {"unknown": 1}}',
    ],
)
def test_an_invalid_record_is_told(tmp_path: Path, record: str) -> None:
    path = tmp_path / "run.journal.jsonl"
    with Journal(path, anew=True) as journal:
        journal.plan({}, [Case("made-up", "test")])
    assert read_journal(path).cases == (Case("made-up", "test"),)
    with path.open("a") as file:
        file.write(f"{record}\n")
    with pytest.raises(JournalError, match=r"journal\.jsonl has an invalid record"):
        read_journal(path)


@pytest.mark.parametrize("cases", ['["no key"]', "7", "[7]"])
def test_an_invalid_plan_is_told(tmp_path: Path, cases: str) -> None:
    path = tmp_path / "run.journal.jsonl"
    head = '{"record": "run", "version": 1}'
    path.write_text(f'{head}\n{{"record": "plan", "cases": {cases}}}\n')
    with pytest.raises(JournalError, match=r"journal\.jsonl has an invalid record"):
        read_journal(path)
