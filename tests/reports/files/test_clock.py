from __future__ import annotations

import datetime as dt

import pytest

from accelerator_reports.files.clock import DATE_VARIABLE, today


def test_the_day_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATE_VARIABLE, "86399")
    assert today() == dt.date(1970, 1, 1)
    monkeypatch.setenv(DATE_VARIABLE, "86400")
    assert today() == dt.date(1970, 1, 2)


@pytest.mark.parametrize("unusable", ["", "tomorrow", "9" * 30])
def test_what_is_no_number_of_seconds_does_not_count(
    monkeypatch: pytest.MonkeyPatch, unusable: str
) -> None:
    before = dt.datetime.now(dt.UTC).date()
    monkeypatch.setenv(DATE_VARIABLE, unusable)
    assert before <= today() <= dt.datetime.now(dt.UTC).date()
