"""The page of nightly metrics."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest

from accelerator_portal.site.pages.operations import (
    MOST_SHOWN,
    compare_steps,
    data,
    duration,
    pages,
)
from accelerator_portal.site.site import NightMetrics, StepMetrics, read_nights
from accelerator_portal.site.site_file import SiteFile
from tests.built_site import Site
from tests.portal.site.unbuilt import rendered, unbuilt

START = dt.datetime(2026, 11, 20, 3, tzinfo=dt.UTC)


def night(days: int, seconds: float, *, failed: bool = False) -> NightMetrics:
    """Return the metrics of a night so many days later, whose first step took so long."""
    steps = (
        StepMetrics(name="reports", seconds=seconds, failed=failed, requests=1200, bytes=2_000_000),
        StepMetrics(name="site", seconds=20, retries=1, refusals=3),
    )
    return NightMetrics(
        started=START + dt.timedelta(days=days),
        seconds=seconds + 20,
        published=True,
        steps=steps,
        feeds={"new": 2, "refused": 1},
        quarantined=("example",),
    )


def files_of(site: Site, *nights: NightMetrics) -> tuple[SiteFile, SiteFile]:
    unbuilt_site = unbuilt(site.catalog, *nights)
    (metrics,) = data(unbuilt_site)
    (page,) = rendered(unbuilt_site, pages(unbuilt_site)).values()
    return metrics, page


def test_runs_are_listed_newest_first(site: Site) -> None:
    metrics, page = files_of(site, night(0, 4), night(1, 70, failed=True))
    lines = [line for line in page.content.splitlines() if line.startswith("<tr><th")]
    assert lines[0].startswith('<tr><th scope="row">2026-11-21 03:00</th><td>1 min 30 s</td>')
    assert "<td>reports</td>" in lines[0]
    assert "<td>1,200</td><td>2.0 MB</td><td>1</td><td>3</td>" in lines[0]
    assert lines[1].startswith('<tr><th scope="row">2026-11-20 03:00</th><td>24.0 s</td>')
    assert "In the run of 2026-11-21 03:00 UTC, these steps failed: reports." in page.content
    assert len(json.loads(metrics.content)["nights"]) == 2


def test_the_newest_run_is_compared_with_the_others() -> None:
    usual = [night(days, seconds) for days, seconds in ((0, 2), (1, 4), (2, 9))]
    found = compare_steps([night(3, 60), *usual])
    assert [(one.step.name, one.step.seconds, one.usual_seconds) for one in found] == [
        ("reports", 60, 4),
        ("site", 20, 20),
    ]
    assert compare_steps([night(0, 5)])[0].usual_seconds is None


def test_the_page_stays_short(site: Site) -> None:
    metrics, page = files_of(site, *(night(days, 5) for days in range(MOST_SHOWN + 5)))
    assert page.content.count('<tr><th scope="row">2') == MOST_SHOWN
    assert len(json.loads(metrics.content)["nights"]) == MOST_SHOWN + 5


def test_a_build_without_an_archive_says_so(site: Site) -> None:
    page = site.pages["contribute/operations/"]
    assert "This build has no metrics of nightly runs." in page.html
    assert not page.tree.css("table")


def test_nights_are_read_from_the_file_of_the_build(tmp_path: Path) -> None:
    file = tmp_path / "nights.json"
    file.write_text(json.dumps({"nights": [night(0, 4).model_dump(mode="json")]}), "utf-8")
    assert read_nights(str(file)) == (night(0, 4),)
    assert read_nights("") == ()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.04, "0.0 s"),
        (59.9, "59.9 s"),
        (59.97, "1 min 0 s"),
        (125, "2 min 5 s"),
        (4800, "1 h 20 min"),
    ],
)
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words
