from __future__ import annotations

import datetime as dt

from accelerator_portal.results.result_matrices import single_platform_suites
from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.pages.platforms import devices_of_runs, systems_of_runs
from tests.portal.results.made_up import stored_example


def on(day: int, **environment: str) -> StoredReport:
    started = f"2026-01-{day:02}T00:00:00Z"
    return stored_example(
        f"r{day}", started=started, environment={"torch": "1.10.0", **environment}
    )


def test_each_system_and_device_stands_once_with_its_newest_run() -> None:
    reports = [
        on(2, os="Example OS 1", arch="x86_64", hardware="One"),
        on(4, os="Example OS 1", arch="aarch64"),
        on(3, os="Example OS 1", arch="x86_64", hardware="Two"),
        on(1),
    ]
    assert [(name, newest.day) for name, newest in systems_of_runs(reports)] == [
        ("Example OS 1 (aarch64)", dt.date(2026, 1, 4)),
        ("Example OS 1 (x86_64)", dt.date(2026, 1, 3)),
    ]
    assert [(name, newest.id) for name, newest in devices_of_runs(reports)] == [
        ("Two", "r3"),
        ("One", "r2"),
    ]


def test_a_baseline_tested_nothing() -> None:
    expected = stored_example(
        "b", kind="baseline", environment={"os": "Never run", "hardware": "None"}
    )
    assert systems_of_runs([expected]) == devices_of_runs([expected]) == []


def test_a_suite_is_shared_when_two_platforms_report_it() -> None:
    def of(accelerator: str, *suites: str) -> StoredReport:
        declared = [{"name": suite, "kind": "unit"} for suite in suites]
        tested = {"suite": suites[0]}
        return stored_example(accelerator, tested, accelerator=accelerator, suites=declared)

    alone = single_platform_suites([of("a", "a/x", "a/y", "known"), of("b", "a/x", "known", "b/z")])
    assert alone == {"a/y", "b/z"}
