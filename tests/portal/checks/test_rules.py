"""The rules as a whole."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import replace
from pathlib import Path

from accelerator_portal import checks
from accelerator_portal.catalog import Catalog
from tests.day import TODAY
from tests.folders import REPOSITORY
from tests.portal.checks.rules.test_tables import TABLES
from tests.problem_tables import read_table

HERE = Path(__file__).parent
LEVELS = ("error", "warning")


def test_every_rule_runs_and_has_its_own_tests() -> None:
    named = {rule.id.replace("-", "_") for rule in checks.RULES}
    files = {file.stem.removeprefix("test_") for file in (HERE / "rules").glob("test_*.py")}
    tables = {rule.replace("-", "_") for path in TABLES for rule in read_table(path)}
    assert files - {"tables"} | tables == named
    assert len(named) > 40  # none is overlooked


def test_every_rule_says_in_words_what_it_asks_for() -> None:
    for rule in checks.RULES:
        assert rule.text.endswith("."), rule.id
        assert rule.text.partition("\n")[0].endswith("."), f"{rule.id}: one sentence, one line"


def test_what_only_warns_fixes_or_compares_folders_is_known() -> None:
    levels = {level: {r.id for r in checks.RULES if r.level == level} for level in LEVELS}
    assert set.union(*levels.values()) == {rule.id for rule in checks.RULES}
    assert levels["warning"] == {
        "archived-ids",
        "check-computes",
        "ended-lifecycle",
        "guide-versions",
        "minors-behind",
        "newest-versions",
        "outdated-known-issues",
        "package-confusion",
        "package-facts",
        "report-names",
        "shared-devices",
        "shared-suites",
        "translated-answers",
        "translated-guides",
        "uncited-answers",
        "unknown-releases",
        "unlisted-releases",
        "unpinned-packages",
    }
    assert {rule.id for rule in checks.RULES if rule.fixes} == {"pinned-versions"}
    assert {r.id for r in checks.RULES if r.compares} == {
        "additional-platform-ids",
        "contradictions",
        "duplicate-names",
        "shared-suites",
        "similar-names",
    }


def test_the_rules_stand_in_the_order_of_the_alphabet() -> None:
    ids = [rule.id for rule in checks.RULES]
    assert ids == sorted(ids)


def test_only_time_brings_problems_to_this_repository(catalog: Catalog) -> None:
    """What ends, such as an exception, is for the nightly to say; no change has to wait for it."""
    held = tuple(e.model_copy(update={"expires": dt.date.max}) for e in catalog.exceptions)
    found = checks.run_checks(replace(catalog, exceptions=held), TODAY)
    assert [problem for problem in found if problem.rule != "ended-lifecycle"] == []


def test_time_alone_never_keeps_a_change_out(catalog: Catalog) -> None:
    found = list(checks.run_checks(catalog, dt.date(2100, 1, 1)))
    assert found, "no exception and no lifecycle ends, or the rules do not take the day"
    assert checks.errors(found) == []


def test_no_library_code_reads_the_clock() -> None:
    """Rules and pages take the day as an argument; commands and hooks ask `files.clock`."""
    pure = ("catalog", "checks", "install", "packages", "results", "site", "vendors")
    clocks = re.compile(r"datetime\.(?:utc)?now\(|date\.today\(|time\.time\(")
    folders = [REPOSITORY / "src/accelerator_portal" / folder for folder in pure]
    folders.append(REPOSITORY / "packages/reports/src")
    readers = {
        file.name
        for folder in folders
        for file in folder.rglob("*.py")
        if clocks.search(file.read_text("utf-8"))
    }
    assert readers == {"clock.py"}
