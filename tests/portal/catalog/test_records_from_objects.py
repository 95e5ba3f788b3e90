from __future__ import annotations

from dataclasses import dataclass

import pytest
from pydantic import ValidationError

from accelerator_reports.files.fields import StrictModel


class _Card(StrictModel):
    name: str
    vendor: str
    note: str | None = None


@dataclass(frozen=True)
class _Named:
    name: str
    note: str | None = None


@dataclass(frozen=True)
class _Made:
    name: str
    vendor: str


def test_the_first_object_with_a_field_counts_and_what_is_said_counts_most() -> None:
    found = _Card.from_objects(_Named("a", "n"), _Made("b", "v"), note="said")
    assert found == _Card(name="a", vendor="v", note="said")


def test_a_field_that_no_object_has_is_left_to_its_default() -> None:
    assert _Card.from_objects(_Made("b", "v")) == _Card(name="b", vendor="v")
    with pytest.raises(ValidationError, match="vendor"):
        _Card.from_objects(_Named("a"))
