"""A figure that is a median says between which values it lies."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from accelerator_portal.reports.report import Metric


def test_a_figure_needs_no_interval() -> None:
    assert Metric(value=1.5, unit="ms").interval is None


@pytest.mark.parametrize("interval", [(1.6, 1.7), (1.2, 1.4), (1.7, 1.2)])
def test_a_value_outside_its_interval_is_a_fault(interval: tuple[float, float]) -> None:
    with pytest.raises(ValidationError, match="the value is outside its interval"):
        Metric(value=1.5, unit="ms", interval=interval, repeats=9)
