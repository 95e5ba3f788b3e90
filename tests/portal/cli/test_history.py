from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from accelerator_reports.report_file import report_text
from tests.built_site import EXAMPLE as ACME
from tests.built_site import copy_sources
from tests.folders import EXAMPLE, Tree
from tests.portal.results.made_up import Outcomes, made_up


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["history", *map(str, arguments)])


def reports(folder: Path, *days: Outcomes) -> list[Path]:
    folder.mkdir(exist_ok=True)
    for day, outcomes in enumerate(days):
        (folder / f"day-{day}.json").write_text(report_text(made_up(day, outcomes)), "utf-8")
    return [folder / f"day-{day}.json" for day in range(len(days))]


def test_reports_are_added_in_the_order_of_time(tmp_path: Path) -> None:
    days = reports(tmp_path, {"a": "passed"}, {"a": "failed", "b": "passed"}, {"a": "failed"})
    done = run("add", "--root", tmp_path, *reversed(days))
    assert (done.exit_code, done.output) == (0, "example, runs: 3 new reports of 3, 4 changes\n")


def test_adding_again_changes_no_byte(tmp_path: Path) -> None:
    days = reports(tmp_path, {"a": "passed"}, {"a": "failed"})
    run("add", "--root", tmp_path, *days)
    files = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert len(files) == 3  # the list, and one for each report
    before = [file.read_bytes() for file in files]
    again = run("add", "--root", tmp_path, *days)
    assert again.stdout == "example, runs: 0 new reports of 2, 0 changes\n"
    assert [file.read_bytes() for file in files] == before


def test_an_older_report_is_refused_and_may_be_added_anew(tmp_path: Path) -> None:
    first, second = reports(tmp_path, {"a": "passed"}, {"a": "failed"})
    run("add", "--root", tmp_path, second)
    refused = run("add", "--root", tmp_path, first)
    assert refused.exit_code == 1
    assert (
        "day-0.json:1: the report started 2026-03-01 02:00:00 UTC, before the latest report "
        "(2026-03-02 02:00:00 UTC); remove the report, or rebuild the history from all reports"
        in refused.output
    )
    anew = run("add", "--root", tmp_path, "--rebuild", first, second)
    assert anew.stdout == "example, runs: 2 new reports of 2, 2 changes\n"


def test_every_report_that_cannot_be_read_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    (good,) = reports(tmp_path, {"a": "passed"})
    bad = [tmp_path / "one.json", tmp_path / "two.json"]
    for file in bad:
        file.write_text("no report", "utf-8")
    done = run("add", "--root", tmp_path, good, *bad)
    assert done.exit_code == 1
    assert all(f"{file.name}:1:" in done.output for file in bad)
    assert not (tmp_path / "data").exists()


def test_without_files_the_reports_of_the_folders_are_added(tree: Tree) -> None:
    dated = report_text(made_up(0, {"a": "passed"}))
    undated = report_text(made_up(0, {"a": "passed"}, started=None, kind="baseline"))
    folder = "accelerators/example/results"
    root = tree({**EXAMPLE, f"{folder}/dated.json": dated, f"{folder}/undated.json": undated})
    done = run("add", "--root", root)
    assert done.stdout == "example, runs: 1 new report of 1, 1 change\n"


def test_a_renamed_suite_continues_its_history(tree: Tree) -> None:
    def report(day: int, suite: str) -> str:
        suites = [{"name": suite, "kind": "model"}]
        text = report_text(made_up(day, {"a": "passed"}, suites=suites))
        return text.replace('"suite": "models"', f'"suite": "{suite}"')

    declared = '{name: example/kernels, title: K, url: "https://example.org", aliases: [%s]}'
    folder, file = "accelerators/example/results", "accelerators/example/accelerator.yaml"
    files = {
        **EXAMPLE,
        file: f"{EXAMPLE[file]}\nsuites: [{declared % 'example/gpu-kernels'}]\n",
        f"{folder}/old.json": report(0, "example/kernels"),
        f"{folder}/new.json": report(1, "gpu-kernels"),
    }
    done = run("add", "--root", tree(files))
    assert done.stdout == "example, runs: 2 new reports of 2, 1 change\n"


@pytest.mark.parametrize("name", ["exampel", "../../etc"])
def test_of_an_unknown_platform_the_nearest_is_named(tree: Tree, name: str) -> None:
    root = tree(EXAMPLE)
    assert run("add", "--root", root, *reports(root / "x", {"a": "passed"})).exit_code == 0
    done = run("check", "--root", root, name)
    assert done.exit_code == 2
    help_ = 'did you mean "example"?' if name == "exampel" else "use one of: example"
    assert done.output.endswith(f'Error: there is no platform "{name}"; {help_}\n')


def test_of_whom_nothing_is_kept_that_is_said(tree: Tree) -> None:
    done = run("check", "--root", tree(EXAMPLE), "example")
    assert done.exit_code == 2
    assert " ".join(done.output.split()).endswith(
        "Error: example has no history, because none of its reports was added. "
        "To add them: accelerator-portal history add"
    )


def test_a_broken_folder_holds_up_nobody_at_night(tmp_path: Path) -> None:
    root = copy_sources(tmp_path / "repository", ACME)
    shutil.copytree(root / "accelerators/acme", root / "accelerators/broken")
    (root / "accelerators/broken/accelerator.yaml").write_text("name: [", "utf-8")
    stopped = run("add", "--root", root)
    assert stopped.exit_code == 1
    assert "accelerators/broken/accelerator.yaml:1: " in stopped.stdout
    done = run("add", "--quarantine", "--root", root)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("acme, runs: 3 new reports of 3, ")


def test_several_histories_end_with_a_total(tree: Tree, tmp_path: Path) -> None:
    files = reports(tmp_path / "runs", {"a": "passed"}, {"a": "failed"})
    expected = tmp_path / "baseline.json"
    baseline = made_up(0, {"a": "passed"}, kind="baseline", trigger={"kind": "manual"})
    expected.write_text(report_text(baseline), "utf-8")
    done = run("add", "--root", tree(EXAMPLE), *files, expected)
    assert done.stdout == (
        "example, baselines: 1 new report of 1, 1 change\n"
        "example, runs: 2 new reports of 2, 2 changes\n"
        "2 histories: 3 new reports of 3, 3 changes\n"
    )
