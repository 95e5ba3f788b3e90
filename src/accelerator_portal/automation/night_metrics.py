"""What a night measured."""

from __future__ import annotations

import datetime as dt
from collections import Counter

from accelerator_portal.automation.night_summary import Night
from accelerator_portal.automation.step_runner import StepResult
from accelerator_portal.site.operations import NightMetrics, StepMetrics


def night_metrics(night: Night, started: dt.datetime, seconds: float) -> NightMetrics:
    """Return the metrics of a night that took so many seconds."""
    return NightMetrics(
        started=started.replace(microsecond=0),
        seconds=round(seconds, 1),
        published=night.published,
        steps=tuple(map(_step, night.steps)),
        feeds=dict(Counter(feed.outcome for feed in night.fetched)),
        quarantined=tuple(night.set_aside or ()),
        overdue=len(night.overdue),
    )


def _step(step: StepResult) -> StepMetrics:
    return StepMetrics(
        name=step.name,
        seconds=round(step.seconds, 1),
        failed=step.failed,
        requests=step.traffic.requests,
        bytes=step.traffic.bytes,
        retries=step.traffic.retries,
        refusals=step.traffic.refusals,
    )
