"""Two releases of ExecuTorch on one platform: which flows, which tests, and when times count."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from accelerator_portal.results.stored_reports import StoredReport
from accelerator_portal.site.pages.executorch import ReleasePair, release_pairs
from tests.portal.site.test_executorch_view import SUITE, entry, stored

OLD = [
    entry("add", "plain", "passed", pte_size=20, delegated_nodes=3, undelegated_nodes=1),
    entry("mul", "plain", "failed"),
    entry("sub", "plain", "passed", pte_size=10),
    entry("only-old", "plain", "passed"),
    entry("add", "only_old", "passed"),
]
NEW = [
    entry("add", "plain", "passed", pte_size=10, delegated_nodes=4, undelegated_nodes=0),
    entry("mul", "plain", "passed", pte_size=5),
    entry("sub", "plain", "wrong-result", pte_size=1),
    entry("only-new", "plain", "passed"),
]


def run(
    version: str, day: int, tests: list[dict[str, Any]], hardware: str = "Chip 1"
) -> StoredReport:
    made = stored(tests, hardware)
    packages = {"executorch": version} if version else {"numpy": "2.0"}
    environment = made.report.environment.model_copy(update={"packages": packages})
    assert made.report.started
    update = {"environment": environment, "started": made.report.started.replace(day=day)}
    return replace(made, id=f"cpu-{version}", report=made.report.model_copy(update=update))


def pair(*reports: StoredReport) -> ReleasePair:
    (found,) = release_pairs(reports)
    return found


def test_a_flow_that_two_releases_have_is_compared_test_by_test() -> None:
    found = pair(run("1.5.1", 2, NEW), run("1.4.1", 3, OLD))
    assert (str(found.older), str(found.newer)) == ("1.4.1", "1.5.1"), "by version, not by day"
    changed = [(one.kind, one.after.name) for one in found.changed]
    assert changed == [("fix", "mul"), ("new-failure", "sub")]
    assert (found.count("fix"), found.count("new-failure")) == (1, 1)
    assert found.after.against(found.before.by_test, "pte_size") == (0.5, 1)
    assert found.title == f"{SUITE}: 1.4.1 → 1.5.1"
    assert (found.passed, found.delegated) == ("3 of 4", "75% → 100%")


def test_what_changed_is_shown_with_both_figures() -> None:
    fewer = [entry("add", "plain", "passed"), entry("mul", "plain", "failed")]
    assert pair(run("1.4.1", 1, fewer), run("1.5.1", 2, NEW)).passed == "1 of 2 → 3 of 4"
    all_passed = [entry("add", "plain", "passed"), entry("mul", "plain", "passed")]
    found = pair(run("1.4.1", 1, fewer), run("1.5.1", 2, all_passed))
    assert (found.passed, found.delegated) == ("1 → 2 of 2", "")
    more = [*fewer, entry("sub", "plain", "failed")]
    assert pair(run("1.4.1", 1, fewer), run("1.5.1", 2, more)).passed == "1 of 2 → 1 of 3"


def test_of_several_releases_the_newest_two_are_compared() -> None:
    found = pair(run("1.10.0", 1, NEW), run("1.9.0", 2, OLD), run("1.4.1", 3, NEW))
    assert (str(found.older), str(found.newer)) == ("1.9.0", "1.10.0")


def test_of_one_release_the_newest_run_counts() -> None:
    found = pair(run("1.4.1", 1, NEW), run("1.4.1", 5, OLD), run("1.5.1", 3, NEW))
    assert found.before.stored.report.started
    assert found.before.stored.report.started.day == 5


def test_one_release_is_compared_with_nothing() -> None:
    assert release_pairs([run("1.5.1", 1, NEW), run("1.5.1", 2, NEW)]) == ()
    assert release_pairs([run("", 1, NEW), run("1.5.1", 2, NEW)]) == ()
    assert release_pairs([run("no version", 1, NEW), run("1.5.1", 2, NEW)]) == ()


def test_times_count_on_the_same_hardware_only() -> None:
    assert pair(run("1.4.1", 1, OLD), run("1.5.1", 2, NEW)).has_same_hardware
    assert not pair(run("1.4.1", 1, OLD), run("1.5.1", 2, NEW, "Chip 2")).has_same_hardware
