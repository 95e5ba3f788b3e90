"""What is archived is what the reports say; damage is found, named, and stays with its platform."""

from __future__ import annotations

import datetime as dt
import errno
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings

from accelerator_portal.catalog import load_catalog
from accelerator_portal.results.history import RESULT_KINDS, ResultKind, result_kind
from accelerator_portal.results.report_intake import (
    AddedReports,
    add_reports,
    without_future_reports,
)
from accelerator_portal.results.result_files import (
    DUCKDB_COLUMNS,
    HISTORY,
    Partition,
    ResultFile,
    archive_problems,
    archived_accelerators,
    list_path,
    listed_files,
    merge_months,
    write_list,
    writing,
)
from accelerator_portal.results.result_table import ResultTable, read_history, rollup
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_portal.site.pages.archive import archive_files
from accelerator_reports.cli import main
from accelerator_reports.files.problem import ProblemsError
from tests.folders import REPOSITORY
from tests.portal.results.archived import DAYS, archive, content, named, report_of, rows
from tests.portal.results.made_up import HISTORIES, START, Outcomes, made_up

REPORTS = [report_of(day, outcomes, ("models", "kernels")) for day, outcomes in enumerate(DAYS)]
OTHER = made_up(0, {"a": "passed"}, accelerator="other")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["history", *map(str, arguments)])


def listed(root: Path) -> Path:
    return root / HISTORY / listed_files(root, "example")[0].path


def duckdb_source(root: Path, kind: str) -> str:
    files = root / HISTORY / kind / "results" / "**" / "*.parquet"
    return f"read_parquet('{files}', hive_partitioning = true)"


def test_every_result_is_a_row_with_where_it_was_measured(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS)
    found = rows(tmp_path)
    assert len(found) == 3 * 2 * 3
    first = found[0]
    assert {name: first[name] for name in ("key", "suite", "name", "outcome", "seconds")} == {
        "key": "kernels/a",
        "suite": "kernels",
        "name": "a",
        "outcome": "passed",
        "seconds": 0.5,
    }
    assert (first["started"], first["torch"], first["kind"]) == (START, "2.0", "self-reported")
    training = next(row for row in found if row["name"] == "c")
    assert (training["parameters"], training["mode"]) == ("mode=training", "training")


def test_a_gone_test_is_a_row_without_an_outcome(tmp_path: Path) -> None:
    archive(tmp_path, report_of(0, DAYS[0]), report_of(1, {"b": "failed"}))
    (gone,) = (row for row in rows(tmp_path) if row["outcome"] is None)
    assert (gone["key"], gone["suite"], gone["torch"]) == ("models/a", "models", "2.1")


def test_facts_without_a_column_are_kept(tmp_path: Path) -> None:
    trigger = {"kind": "nightly", "repository": "acme/plugin", "commit": "b" * 40}
    environment = {
        "torch": "2.0",
        "plugin": {"name": "acme", "version": "1"},
        "sdk": {"name": "CANN", "version": "9"},
        "hardware_count": 2,
        "packages": {"numpy": "2.3.1"},
    }
    origins = [{"repository": "acme/plugin", "commit": "c" * 40, "path": "ci.yml"}]
    facts = {"trigger": trigger, "environment": environment, "origins": origins}
    reports = [made_up(0, {"a": "passed"}, **facts), made_up(1, {"a": "failed"})]
    table = ResultTable("example", "runs")
    for path, report in named(*reports):
        table.add(report, path)
    archive(tmp_path, *reports)
    assert read_history(tmp_path, "example", "runs") == table.history()
    assert next(iter(table.reports.values())).origins == (("acme/plugin", "c" * 40),)


def test_a_night_adds_files_of_its_own_and_touches_no_other(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS[:2])
    before = content(tmp_path)
    archive(tmp_path, REPORTS[2])
    after = content(tmp_path)
    assert {path for path in before if after[path] != before[path]} == {"example.sha256"}
    assert {path.rpartition("/")[0] for path in after.keys() - before.keys()} == {
        f"runs/results/accelerator=example/suite={suite}/month=2026-03"
        for suite in ("models", "kernels")
    }


class KilledError(BaseException):
    """Stands for the end of the process."""


def disk_full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def stopped_after(changes: int, error: Callable[[], BaseException]) -> Iterator[None]:
    """Allow a number of changes of files; after that, no line of code changes a file.

    Without space on the disk, half of the next file is written.
    """
    left, write = [changes], Path.write_bytes

    def counted(change: Callable[..., Any]) -> Callable[..., Any]:
        def counted_change(path: Path, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
            if left[0] == 0:
                if error is disk_full and change is write:
                    write(path, arguments[0][: len(arguments[0]) // 2])
                raise error()
            left[0] -= 1
            return change(path, *arguments, **options)

        return counted_change

    with ExitStack() as patches:
        for name in ("write_bytes", "replace", "unlink"):
            patches.enter_context(mock.patch.object(Path, name, counted(getattr(Path, name))))
        yield


COMMANDS: dict[str, Callable[[Path], object]] = {
    "add": lambda root: add_reports(root, named(*REPORTS)),
    "rebuild": lambda root: add_reports(root, named(*REPORTS), anew=True),
    "compact": lambda root: merge_months(root, "2026-05"),
}


@pytest.mark.parametrize("error", [KilledError, disk_full])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_stopped_at_any_change_continues(
    tmp_path: Path, command: str, error: Callable[[], BaseException]
) -> None:
    run_command = COMMANDS[command]

    def prepared(name: str) -> Path:
        if command != "add":
            archive(tmp_path / name, *REPORTS)
        return tmp_path / name

    run_command(whole := prepared("whole"))
    for changes in range(1000):
        root, finished = prepared(str(changes)), False
        with suppress(KilledError, OSError), stopped_after(changes, error):
            run_command(root)
            finished = True
        read_history(root, "example", "runs")  # what is listed is whole
        run_command(root)
        assert content(root) == content(whole)
        assert not list(archive_problems(root, "example"))
        if finished:
            break
    assert changes > len(REPORTS)


def test_rebuilding_forgets_one_kind_and_keeps_the_other(tmp_path: Path) -> None:
    expected = made_up(0, {"a": "passed"}, kind="baseline", trigger={"kind": "manual"})
    archive(tmp_path, *REPORTS, expected)
    add_reports(tmp_path, named(REPORTS[2]), anew=True)
    assert len(read_history(tmp_path, "example", "baselines").reports) == 1
    assert len(read_history(tmp_path, "example", "runs").reports) == 1
    assert len(rows(tmp_path)) == 6 + 1


@pytest.mark.parametrize("suite", ["op-db", "acme/kernels", "a=b"])
def test_a_suite_may_have_any_name_in_a_folder(tmp_path: Path, suite: str) -> None:
    partition = Partition("runs", "cpu", suite, "2026-11")
    assert partition.folder.count("/") == 4
    file = ResultFile(f"{partition.folder}/x.parquet", "0" * 64, partition)
    write_list(tmp_path, "cpu", [file])
    assert listed_files(tmp_path, "cpu") == (file,)


def garbage(path: Path) -> None:
    """Replace a file by one that is no Parquet file, and list it."""
    root = path.parents[7]
    path.write_bytes(b"PAR1 no table PAR1")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    first, *others = listed_files(root, "example")
    write_list(root, "example", [first._replace(sha256=digest), *others])


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (Path.unlink, "file not found"),
    "truncated": (lambda p: p.write_bytes(p.read_bytes()[:-20]), "the file was changed; its SHA"),
    "a flipped bit": (
        lambda p: p.write_bytes(p.read_bytes().replace(b"PAR1", b"PAR2", 1)),
        "the file was changed; its SHA-256 checksum differs from data/history/example.sha256",
    ),
    "garbage with its checksum": (garbage, "this is not a valid file of results"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_named_not_published_and_stops_its_history_alone(
    tmp_path: Path, damage: str
) -> None:
    archive(tmp_path, *REPORTS, OTHER)
    intact = archive_files(tmp_path)
    path = listed(tmp_path)
    do, said = DAMAGE[damage]
    do(path)
    before = content(tmp_path)
    (problem,) = archive_problems(tmp_path, "example")
    assert problem.path == path.relative_to(tmp_path).as_posix()
    assert said in problem.what
    assert intact.keys() - archive_files(tmp_path).keys() == {
        f"archive/{problem.path.removeprefix('data/history/')}"
    }
    for read in (
        lambda: read_history(tmp_path, "example", "runs"),
        lambda: rollup(tmp_path, "outcomes", ["example"]),
    ):
        with pytest.raises(ProblemsError) as raised:
            read()
        assert "data/history/" in str(raised.value)
    assert not read_history(tmp_path, "example", "baselines").reports
    assert len(read_history(tmp_path, "other", "runs").reports) == 1
    assert len(add_reports(tmp_path, named(report_of(9, {"a": "passed"}))).problems) == 1
    assert len(merge_months(tmp_path, "2026-05")) == 1
    assert content(tmp_path) == before


LISTS: dict[str, Callable[[str], str | None]] = {
    "missing": lambda _: None,
    "empty": lambda _: "",
    "half": lambda text: text[: len(text) // 2],
    "without the last file": lambda text: text[: text[:-1].rindex("\n") + 1],
    "of another platform": lambda text: text.replace("=example/", "=other/"),
    "with another folder": lambda text: text.replace("/results/", "/../results/"),
    "no text": lambda _: "\udcff\udcfe",
}


@pytest.mark.parametrize("change", LISTS)
def test_a_damaged_list_is_named_and_no_file_is_deleted(tmp_path: Path, change: str) -> None:
    archive(tmp_path, *REPORTS, OTHER)
    path = list_path(tmp_path, "example")
    text = LISTS[change](path.read_text("utf-8"))
    path.unlink()
    if text is not None:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = content(tmp_path)
    name = path.relative_to(tmp_path).as_posix()
    assert [p.path for p in archive_problems(tmp_path, "example")] == [name]
    for command in (add_reports(tmp_path, named(REPORTS[2])).problems, merge_months(tmp_path, "3")):
        assert [problem.path for problem in command] == [name]
    with pytest.raises(ProblemsError, match=name):
        read_history(tmp_path, "example", "runs")
    assert all("accelerator=other" in path for path in archive_files(tmp_path))
    assert content(tmp_path) == before


def test_files_of_an_interrupted_command_are_named_and_deleted_by_the_next(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS[:2])
    before = list_path(tmp_path, "example").read_bytes()
    archive(tmp_path, REPORTS[2])
    whole = content(tmp_path)
    list_path(tmp_path, "example").write_bytes(before)
    problems = list(archive_problems(tmp_path, "example"))
    assert len(problems) == 2
    assert all("does not list this file" in problem.what for problem in problems)
    assert all(problem.remedy.endswith("history compact") for problem in problems)
    assert run("compact", "--root", tmp_path, "--before", "2026-01").output == ""
    assert not list(archive_problems(tmp_path, "example"))
    archive(tmp_path, REPORTS[2])
    assert content(tmp_path) == whole


def test_of_two_commands_at_once_the_second_says_so_and_others_go_on(tmp_path: Path) -> None:
    with writing(tmp_path, "example"):
        intake = add_reports(tmp_path, named(REPORTS[0], OTHER))
    assert "\n".join(map(str, intake.problems)) == (
        'data/history:1: another command is writing the history of "example"; wait '
        "until it finishes, then run this command again"
    )
    assert intake.histories == (AddedReports("other, runs", 1, 1, 1),)
    assert not list(tmp_path.rglob("*.lock"))


def test_commands_check_and_compact_an_archive(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS)
    assert run("check", "--root", tmp_path).output == "example: 6 files, 18 rows, no damage\n"
    path = listed(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    checked = run("check", "--root", tmp_path, "example")
    assert checked.exit_code == 1
    assert f"{path.name}:1: the file was changed" in checked.output
    path.write_bytes(data)
    compacted = run("compact", "--root", tmp_path, "--before", "2026-04")
    assert compacted.output == "example: merged 6 files into 2\n"


def test_past_months_are_one_file_each_and_the_last_one_stays(tmp_path: Path) -> None:
    archive(tmp_path, *(report_of(day * 20, tests) for day, tests in enumerate([*DAYS, *DAYS])))
    before = rows(tmp_path), read_history(tmp_path, "example", "runs")
    told: list[str] = []
    assert not merge_months(tmp_path, "2026-06", told.append)
    assert told == ["example: merged 4 files into 2"]
    assert (rows(tmp_path), read_history(tmp_path, "example", "runs")) == before
    files = [file.path.split("/")[-2:] for file in listed_files(tmp_path, "example")]
    assert [(month, name.partition("-")[0]) for month, name in files] == [
        ("month=2026-03", "month"),
        ("month=2026-04", "month"),
        ("month=2026-05", "20260520T020000Z"),
        ("month=2026-06", "20260609T020000Z"),
    ]
    again = content(tmp_path)
    assert not merge_months(tmp_path, "2026-06")
    assert content(tmp_path) == again


@settings(max_examples=15)  # each writes files for every day
@given(HISTORIES)
def test_merged_files_have_the_same_rows(
    tmp_path_factory: pytest.TempPathFactory, days: list[Outcomes]
) -> None:
    root = tmp_path_factory.mktemp("merged")
    archive(root, *(made_up(day * 9, outcomes) for day, outcomes in enumerate(days)))
    before = rows(root)
    assert not merge_months(root, "2026-05")
    assert rows(root) == before
    assert not list(archive_problems(root, "example"))


def test_a_report_that_a_history_cannot_take_is_named_and_stops_no_other(tmp_path: Path) -> None:
    archive(tmp_path, made_up(1, {"a": "passed"}))
    told: list[AddedReports] = []
    paths = [f"accelerators/example/results/{name}.json" for name in ("old", "new", "other")]
    reports = [made_up(0, {"a": "failed"}), made_up(2, {"a": "failed"}), OTHER]
    intake = add_reports(
        tmp_path, zip(map(Path, paths), reports, strict=True), on_result=told.append
    )
    assert [problem.path for problem in intake.problems] == [paths[0]]
    assert intake.histories == tuple(told) == (AddedReports("other, runs", 1, 1, 1),)
    assert intake.total is None
    assert read_history(tmp_path, "example", "runs").last == reports[1].started


@pytest.mark.parametrize(("ahead", "refused"), [(20, False), (72, True)])
def test_a_report_of_the_future_is_refused(ahead: int, refused: bool) -> None:  # noqa: FBT001 - a case
    late = START + dt.timedelta(hours=ahead)
    report = named(made_up(0, {"a": "passed"}, started=late))
    present, problems = without_future_reports(report, START)
    assert (present == report) != refused
    assert [str(problem) for problem in problems] == [
        (
            f"day-0.json:1: the report started {late:%Y-%m-%d %H:%M} UTC, which is in the future; "
            "correct the clock of the machine that ran it, and correct started"
        )
    ] * refused


def test_duckdb_reads_every_row_with_names_of_folders_as_columns(tmp_path: Path) -> None:
    archive(tmp_path, *REPORTS)
    found = duckdb.execute(
        f"FROM {duckdb_source(tmp_path, 'runs')} "
        "SELECT suite, month, key, outcome, seconds, torch ORDER BY key, started"
    ).fetchall()
    names = ("suite", "key", "outcome", "seconds", "torch")
    ours = [tuple(row[name] for name in names) for row in rows(tmp_path)]
    assert [(suite, *rest) for suite, _, *rest in found] == ours
    assert {month for _, month, *_ in found} == {"2026-03"}


@pytest.mark.parametrize("kind", RESULT_KINDS)
def test_the_repository_has_the_columns_that_are_documented(kind: str) -> None:
    found = duckdb.execute(f"DESCRIBE FROM {duckdb_source(REPOSITORY, kind)}").fetchall()
    folders = dict.fromkeys(("accelerator", "suite", "month"), "VARCHAR")
    assert {name: type_ for name, type_, *_ in found} == dict(DUCKDB_COLUMNS) | folders


def test_the_repository_is_intact() -> None:
    names = archived_accelerators(REPOSITORY)
    assert not [p for name in names for p in archive_problems(REPOSITORY, name)]


@pytest.mark.parametrize(
    ("accelerator", "kind", "changes", "results"),
    [
        ("xpu", "baselines", 2_602, 59_750),
        ("cpu", "runs", 2_149, 3_559),
        ("ascend", "runs", 103, 103),
    ],
)
def test_what_the_repository_keeps_does_not_get_less(
    accelerator: str, kind: ResultKind, changes: int, results: int
) -> None:
    assert len(read_history(REPOSITORY, accelerator, kind).changes) >= changes
    ((found,),) = duckdb.execute(
        f"SELECT count(outcome) FROM {duckdb_source(REPOSITORY, kind)} WHERE accelerator = ?",  # noqa: S608 - a path
        [accelerator],
    ).fetchall()
    assert found >= results


def test_a_report_that_this_repository_archived_is_still_the_same_one() -> None:
    """Whatever the format gets later: or each night would meet a stranger of the same moment."""
    catalog, _ = load_catalog(REPOSITORY)
    assert catalog is not None
    known = 0
    for one in stored_reports(catalog)[0]:
        report = one.report
        table = ResultTable.read(REPOSITORY, report.accelerator, result_kind(report))
        last = table.history().last
        if report.started and last and report.started <= last:
            assert table.add(report, Path(one.path)) is None
            known += 1
    assert known
