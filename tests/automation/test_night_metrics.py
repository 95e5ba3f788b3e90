"""The metrics of nights, in the archive and laid out for a build."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from accelerator_automation import building, nightly
from accelerator_automation.archive_store import open_archive
from accelerator_automation.building import archive_metrics, archived_metrics, write_nights
from accelerator_automation.feeds import FetchResult
from accelerator_automation.night_steps import NightRun, StepResult
from accelerator_portal.http import Traffic
from accelerator_portal.site.site import NightMetrics, read_nights
from tests.folders import EXAMPLE, Tree, loaded

START = dt.datetime(2026, 11, 20, 3, 0, 7, 12, tzinfo=dt.UTC)


Measured = Callable[[int], NightMetrics]


@pytest.fixture
def metrics(tree: Tree) -> Measured:
    """The metrics of a night that began so many days later."""
    catalog = replace(loaded(tree(EXAMPLE)), set_aside={"broken": ()})

    def of(days: int) -> NightMetrics:
        now = START + dt.timedelta(days=days)
        night = NightRun(Path(), Path(), catalog, valid_catalog=catalog, now=now)
        night.steps = (
            StepResult("reports", "2 feeds", seconds=4.26, traffic=Traffic(3, 900, 1, 1)),
            StepResult("site", "no room", failed=True, seconds=1.0),
        )
        night.fetched = [
            FetchResult("a", "x", "new"),
            FetchResult("b", "y", "new"),
            FetchResult("c", "z", "refused"),
        ]
        return nightly.night_metrics(night, 5.31)

    return of


def test_what_a_night_did_is_measured(metrics: Measured) -> None:
    found = metrics(0)
    assert (found.start, found.seconds, found.failed_steps) == ("2026-11-20 03:00", 5.3, ("site",))
    assert (found.feeds, found.quarantined) == ({"new": 2, "refused": 1}, ("broken",))
    assert found.network.model_dump() == {"requests": 3, "bytes": 900, "retries": 1, "refusals": 1}


def test_nights_are_kept_and_laid_out(metrics: Measured, tmp_path: Path) -> None:
    archive = open_archive(str(tmp_path / "archive"))
    for days in (1, 0):
        archive_metrics(archive, metrics(days))
    archive_metrics(archive, metrics(0))  # an interrupted night that was repeated
    assert archive.names("nights") == ["2026-11-20T030007Z.json", "2026-11-21T030007Z.json"]
    write_nights(archive, tmp_path / "nights.json")
    assert read_nights(str(tmp_path / "nights.json")) == (metrics(0), metrics(1))


def test_old_nights_are_removed(
    metrics: Measured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "MOST_KEPT", 2)
    archive = open_archive(str(tmp_path))
    for days in range(4):
        archive_metrics(archive, metrics(days))
    assert [night.started.day for night in archived_metrics(archive)] == [22, 23]


@pytest.mark.parametrize("data", [b"", b"{", b'{"schema_version": 2}', b" " * 200_000])
def test_a_damaged_night_is_left_out(data: bytes, metrics: Measured, tmp_path: Path) -> None:
    archive = open_archive(str(tmp_path))
    archive_metrics(archive, metrics(0))
    archive.write("nights/2026-11-19T030007Z.json", data)
    assert list(archived_metrics(archive)) == [metrics(0)]


@pytest.mark.parametrize(
    ("failed", "published", "expected"),
    [((), False, False), ((), True, True), (("packages",), False, True), (("site",), True, False)],
)
def test_a_failure_is_published_unless_the_site_failed(
    failed: tuple[str, ...], tree: Tree, *, published: bool, expected: bool
) -> None:
    night = NightRun(Path(), Path(), loaded(tree(EXAMPLE)), published=published)
    night.steps = tuple(
        StepResult(name, "", failed=name in failed) for name in ("packages", "site")
    )
    assert night.is_to_publish == expected
