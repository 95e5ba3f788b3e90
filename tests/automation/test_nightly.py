"""Whole nights on the invented platform; a file stands for the site, and nobody is asked."""

from __future__ import annotations

import datetime as dt
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fsspec.implementations.local import LocalFileSystem

from accelerator_automation.archive_store import Archive, open_archive, store_published_digest
from accelerator_automation.building import inputs_digest
from accelerator_automation.github.client import GitHubClient
from accelerator_automation.github.comments import BOT
from accelerator_automation.night_steps import (
    NETWORK_STEPS,
    NightRun,
    StepResult,
    run_steps,
    steps,
    summary,
)
from accelerator_automation.nightly import run_night
from accelerator_portal.catalog import Catalog, load_catalog
from accelerator_portal.catalog.files.package_file import IndexFacts, PackageFacts, PackagesRead
from accelerator_portal.checks import folder_limits
from accelerator_portal.checks.quarantine import load_with_quarantine
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.rows import KEY_AXES
from accelerator_portal.packages.portal_packages import facts_text, packages_read_text
from accelerator_portal.packages.sync import SyncOptions, SyncResult, sync
from accelerator_portal.packages.uv_resolution import ResolutionQuestion, ResolutionResult
from accelerator_portal.packages.verdict_file import (
    Trial,
    Verdict,
    read_verdicts,
    verdict_row_key,
    write_verdicts,
)
from accelerator_portal.packages.verification import ResolveQuestion
from accelerator_reports.report_file import report_text
from tests.automation.github_double import GitHubDouble
from tests.automation.github_git import GitStore
from tests.automation.made_up import HOME
from tests.automation.small_site import SmallEngine
from tests.built_site import EXAMPLE as ACME
from tests.built_site import copy_sources
from tests.folders import COMPATIBILITY, EXAMPLE, write_tree
from tests.portal.packages.made_up import PACKAGE, PLUGINS, release
from tests.portal.packages.syncing import FAST
from tests.portal.results.made_up import made_up

NOW = dt.datetime(2026, 11, 20, 3, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def _no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """All folders are small; the process that finds that out has tests of its own.

    It runs once, in the night that `undisturbed` keeps for all tests.
    """
    monkeypatch.setattr(folder_limits, "folders_over_limits", lambda *_: {})


def tonight(place: Path, archive: Archive | None = None) -> NightRun:
    """A night over `place/root`, with the archive and the site beside it."""
    catalog, _ = load_catalog(place / "root")
    assert catalog is not None
    archive = archive or open_archive(str(place / "archive"))
    engine = SmallEngine()
    return NightRun(place / "root", place / "site", catalog, archive, engine=engine, now=NOW)


def portal(place: Path) -> Path:
    """The invented platform's repository, with what an index said of its package."""
    root = copy_sources(place / "root", ACME)
    facts = PackageFacts(package="torch-acme", indexes=(), changes=())
    (root / "data/packages").mkdir(exist_ok=True)
    (root / "data/packages/torch-acme.json").write_text(facts_text(facts), "utf-8")
    return root


def night(given: NightRun) -> NightRun:
    return run_night(given, NETWORK_STEPS)


def words(done: NightRun) -> dict[str, str]:
    return {step.name: step.words for step in done.steps}


def files(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a night leaves that nobody killed: the repository, the archive and the site."""
    place = tmp_path_factory.mktemp("undisturbed")
    portal(place)
    assert not night(tonight(place)).failed
    return left(place)


def left(place: Path) -> dict[str, bytes]:
    parts = ("root/data", "root/accelerators", "archive", "site")
    return {f"{part}/{path}": b for part in parts for path, b in files(place / part).items()}


def killed() -> str:
    raise KeyboardInterrupt


@pytest.mark.parametrize("number", range(6))
def test_a_night_that_is_killed_between_two_steps_and_started_again_loses_and_doubles_nothing(
    number: int, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    portal(tmp_path)
    every = steps(tonight(tmp_path), NETWORK_STEPS)
    assert len(every) == 5
    every.insert(number, ("killed", killed))
    with pytest.raises(KeyboardInterrupt):
        run_steps(every, lambda _: None)
    assert not night(tonight(tmp_path)).failed
    assert left(tmp_path) == undisturbed


def test_a_site_that_another_job_publishes_is_built_until_that_has_succeeded(
    tmp_path: Path,
) -> None:
    """GitHub's Pages may fail; then the next night has the site published again."""
    root = portal(tmp_path)
    archive = open_archive(str(tmp_path / "archive"))
    for _ in range(2):
        assert night(replace(tonight(tmp_path), preview=True)).published
    catalog, _ = load_with_quarantine(root, NOW.date())
    assert catalog is not None
    store_published_digest(archive, inputs_digest(root, catalog, {}))
    done = night(replace(tonight(tmp_path), preview=True))
    assert (done.published, words(done)["site"]) == (
        False,
        "no changes, so the existing site stays",
    )


def test_a_night_removes_what_a_killed_one_left_half_written(tmp_path: Path) -> None:
    root = portal(tmp_path)
    left = root / "accelerators/acme/results/.cpu.json.0123abcd.new"
    left.write_text('{"half', "utf-8")
    os.utime(left, (0, 0))
    assert not night(tonight(tmp_path)).failed
    assert not left.exists()


class Dying(LocalFileSystem):  # type: ignore[misc]  # fsspec has no types
    """A folder whose user is killed before, or after, it puts an object in its place."""

    def __init__(self, last: str, *, after: bool) -> None:
        super().__init__()
        self._last, self._after = last, after

    def mv(self, path1: str, path2: str, **options: object) -> None:
        """Put an object in its place."""
        dies = self._last in path2
        if not dies or self._after:
            super().mv(path1, path2, **options)
        if dies:
            raise KeyboardInterrupt


@pytest.mark.parametrize("last", ["packages/", "runs/", "last-good/", "published"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_night_that_is_killed_while_it_archives_loses_and_doubles_nothing(
    last: str, when: str, undisturbed: dict[str, bytes], tmp_path: Path
) -> None:
    portal(tmp_path)
    place = str(tmp_path / "archive")
    with pytest.raises(KeyboardInterrupt):
        night(tonight(tmp_path, Archive(place, Dying(last, after=when == "after"), place)))
    assert not night(tonight(tmp_path)).failed
    assert left(tmp_path) == undisturbed


def test_an_archive_that_cannot_be_used_fails_the_night_and_the_rest_goes_on(
    tmp_path: Path,
) -> None:
    portal(tmp_path)
    (tmp_path / "archive").touch()
    done = night(tonight(tmp_path))
    assert done.failed
    assert words(done)["archive"].startswith("the archive ")
    assert [step.name for step in done.steps] == [
        "reports", "history", "folders", "site", "archive",
    ]  # fmt: skip


def test_a_damaged_last_good_version_concerns_its_platform_alone(tmp_path: Path) -> None:
    root = portal(tmp_path)
    night(tonight(tmp_path))
    kept = tmp_path / "archive/last-good/acme.json.gz"
    kept.write_bytes(kept.read_bytes()[:-20])
    assert not night(tonight(tmp_path)).failed, "the folder is whole: it is kept again"
    kept.write_bytes(kept.read_bytes()[:-20])
    guide = root / "accelerators/acme/guide.md"
    guide.write_text("# broken", "utf-8")
    done = night(tonight(tmp_path))
    assert [step.name for step in done.steps if step.failed] == ["archive"]
    assert words(done)["archive"] == (
        "acme: the last valid version is damaged, so the platform is not shown. Fix its folder"
    )
    assert done.published


def test_a_build_that_fails_fails_the_night_and_keeps_the_site(tmp_path: Path) -> None:
    portal(tmp_path)
    given = tonight(tmp_path)
    given.engine = SmallEngine('<a href="nowhere/">x</a>')
    done = night(given)
    assert (done.failed, done.published) == (True, False)
    assert words(done)["site"] == (
        "404.html: nowhere/: no such file / compute-platforms/index.html: nowhere/: no such file"
        " / the new site has 6 broken links; the existing site stays"
    )
    assert not (tmp_path / "site").exists()


def test_each_breakage_gets_its_issue(
    tmp_path: Path, double: GitHubDouble, client: GitHubClient
) -> None:
    portal(tmp_path)
    double.login = BOT
    first, second = (
        night(replace(tonight(tmp_path), api=client, repository=HOME)) for _ in range(2)
    )
    opened = double.issues[HOME]
    assert opened
    assert words(first)["issues"] == f"{len(opened)} opened, 0 updated, 0 closed"
    assert words(second)["issues"] == "0 opened, 0 updated, 0 closed"
    assert words(second)["cited files"] == "0 opened, 0 updated, 0 closed"
    assert {issue["title"].partition(":")[0] for issue in opened} == {"acme"}


def test_a_new_plugin_release_gets_one_pull_request_in_two_nights(
    tmp_path: Path, double: GitHubDouble, client: GitHubClient
) -> None:
    root = write_tree(tmp_path / "root", PLUGINS)
    facts = IndexFacts(index="pypi", releases=(release("1.11.0", "torch==1.11.0"),))
    text = facts_text(PackageFacts(package=PACKAGE, indexes=(facts,)))
    read = packages_read_text(PackagesRead(read=NOW.date()))
    write_tree(root, {f"data/packages/{PACKAGE}.json": text, "data/packages-read.json": read})
    double.login = BOT
    git = double.git[HOME] = GitStore()
    git.push("main", {COMPATIBILITY: PLUGINS[COMPATIBILITY]}, "a@example.org")
    first, second = (
        night(replace(tonight(tmp_path), api=client, pull_requests=HOME)) for _ in range(2)
    )
    assert words(first)["plugin releases"] == "1 opened"
    assert words(first)["PyTorch releases"] == "no new PyTorch release"
    assert words(first)["baselines"] == "no changed baseline"
    assert words(second)["plugin releases"] == "1 unchanged"
    assert [pull["title"] for pull in git.pulls] == ["Add torch-example 1.11.0 to example"]


def test_installations_of_another_job_are_taken_and_nothing_else_of_it(tmp_path: Path) -> None:
    root, job = portal(tmp_path), tmp_path / "trials"
    given = replace(tonight(tmp_path), trials=job / "data/verdicts")
    rows = rows_by_platform(given.catalog)["acme"]
    row = next(row for row in rows if (row.os, row.arch, row.method) == ("linux", "x86_64", "pip"))
    key = verdict_row_key(row)
    own = Verdict(kind="found", on=NOW.date(), found={"torch": "1.10.0"})
    trial = Trial(on=NOW.date(), python="3.12.1", imported=("torch",), checked=True)
    good = own.model_copy(update={"trial": trial})
    other_versions = good.model_copy(update={"found": {"torch": "6.6.6"}})
    write_verdicts(root, "acme", {key: {"3.12": own, "3.11": own}})
    write_verdicts(job, "acme", {key: {"3.12": good, "3.11": other_versions}})
    assert words(night(given))["installations"] == "1 command installed and imported"
    assert read_verdicts(root, "acme") == {key: {"3.12": good, "3.11": own}}
    assert words(night(given))["installations"] == "0 commands installed and imported"


@pytest.mark.parametrize(
    "change",
    [
        {"python": "3.12.1 <b>"},
        {"imported": ["torch", "a b"]},
        {"imported": []},
        {"imported": ["torch"] * 51},
    ],
)
def test_a_file_of_another_job_that_is_not_valid_is_named(
    change: dict[str, object], tmp_path: Path
) -> None:
    portal(tmp_path)
    trial = {"on": "2026-11-20", "python": "3.12.1", "imported": ["torch"], **change}
    verdict = {"kind": "found", "on": "2026-11-20", "found": {"torch": "1.10.0"}, "trial": trial}
    row = [*"abcdefgh"[: len(KEY_AXES)], {"3.12": 0}]
    file = {"schema_version": 1, "verdicts": [verdict], "rows": [row]}
    write_tree(tmp_path / "trials", {"acme.json": json.dumps(file)})
    (done,) = only(replace(tonight(tmp_path), trials=tmp_path / "trials"), "installations")
    assert (done.failed, "acme.json:1: " in done.words) == (True, True), done.words


def pypi_answers(_asked: Sequence[ResolutionQuestion], _cache: Path) -> ResolveQuestion:
    return lambda _: ResolutionResult("found", {"torch": "1"})


def only(given: NightRun, *names: str) -> list[StepResult]:
    """What came of these steps alone."""
    return [*run_steps([step for step in steps(given) if step[0] in names], lambda _: None)]


def test_packages_and_commands_are_looked_up(tmp_path: Path) -> None:
    write_tree(tmp_path / "root", EXAMPLE)
    asked: list[SyncOptions] = []

    def nowhere(root: Path, catalog: Catalog, options: SyncOptions) -> SyncResult:
        asked.append(options)
        here = replace(options, addresses={"pypi": "http://127.0.0.1:9/"}, limits=FAST)
        return sync(root, catalog, here)

    given = replace(tonight(tmp_path), package_sync=nowhere, resolver=pypi_answers)
    assert only(given, *NETWORK_STEPS) == [
        StepResult("packages", "2 packages: 2 with changes, 2 not fully read"),
        StepResult("commands", "example: 26 versions found"),
    ]
    assert asked == [SyncOptions(NOW.date(), on_package=asked[0].on_package)]
    verdicts = read_verdicts(tmp_path / "root", "example").values()
    assert {verdict.on for found in verdicts for verdict in found.values()} == {NOW.date()}


def test_a_report_that_cannot_be_added_fails_that_step_alone(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", EXAMPLE)
    report = root / "accelerators/example/results/made-up.json"
    report.parent.mkdir()
    report.write_text(report_text(made_up(1, {"a": "passed"})), "utf-8")
    done = night(tonight(tmp_path))
    assert words(done)["history"] == "example, runs: 1 new report of 1, 1 change"
    report.write_text(report_text(made_up(0, {"a": "passed"})), "utf-8")
    done = night(tonight(tmp_path))
    assert [step.name for step in done.steps if step.failed] == ["history"]
    assert words(done)["history"].startswith(
        "accelerators/example/results/made-up.json:1: the report started 2026-03-01 02:00:00 UTC, "
        "before the latest report"
    )


def test_a_history_that_is_damaged_is_one_problem_and_the_night_is_told(tmp_path: Path) -> None:
    root = portal(tmp_path)
    damaged = root / "data/history/acme.sha256"
    damaged.parent.mkdir(parents=True)
    damaged.write_text("half", "utf-8")
    done = night(tonight(tmp_path))
    assert [step.name for step in done.steps if step.failed] == ["history"]
    assert done.overdue() == ()
    told = summary(done)
    assert told.count("data/history/acme.sha256:1: the list is damaged") == 1
    assert "restore it from the repository's history" in told
    assert done.breakages() == ([], ["acme"])  # its issues stay open


def test_a_portal_without_criteria_has_no_deadline_and_no_breakages(tmp_path: Path) -> None:
    root = portal(tmp_path)
    (root / "data/criteria.yaml").unlink()
    done = night(tonight(tmp_path))
    assert not [step.name for step in done.steps if step.failed]
    assert (done.overdue(), done.breakages()) == ((), ([], []))
