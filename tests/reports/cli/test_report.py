from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from accelerator_reports.report_file import read_report, report_text
from tests.folders import EXAMPLE, Tree
from tests.reports.examples import report

# A made-up file in the form of PyTorch's expected accuracy.
CSV = "name,accuracy,graph_breaks\nalpha,pass,0\n\n\nbeta,fail_accuracy,2\ngamma,OOM,0\n"
NAME = "inductor_timm_inference.csv"
SUITE = """\
sources: {a: {url: "https://example.org", title: A, read: 2026-01-02}}
title: Made up
kind: model
description: Made up.
url: https://example.org
source: [a]
tests: [alpha, beta, gamma]
"""
ORIGIN = f"example/models@0123abc:expected/{NAME}"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


@pytest.fixture
def root(tree: Tree) -> Path:
    return tree({**EXAMPLE, "data/suites/timm.yaml": SUITE, NAME: CSV})


def imported(root: Path, *more: str) -> Result:
    options = ["--root", str(root), "--accelerator", "example", "--out", str(root / "r.json")]
    return run("import", *options, *more, root / NAME)


def test_the_upstream_commit_that_was_tested_is_kept(root: Path) -> None:
    commit = "pytorch/pytorch@0123abc"
    done = imported(root, "--kind", "baseline", "--origin", ORIGIN, "--commit", commit)
    assert done.exit_code == 0, done.output
    trigger = read_report(root / "r.json").trigger
    assert (trigger.kind, trigger.repository, trigger.commit) == (
        "unknown",
        "pytorch/pytorch",
        "0123abc",
    )
    refused = imported(root, "--commit", "main")
    assert refused.exit_code == 2
    assert '"main" is not in the form OWNER/NAME@COMMIT' in refused.output


def test_results_in_another_format_become_a_report(root: Path) -> None:
    done = imported(root, "--kind", "baseline", "--origin", ORIGIN, "--note", "Expected")
    assert done.exit_code == 0, done.output
    assert (
        done.output
        == f"Created {root / 'r.json'}: 3 tests: 1 passed, 1 wrong-result, 1 out-of-memory\n"
    )
    made = read_report(root / "r.json")
    assert (made.accelerator, made.kind) == ("example", "baseline")
    assert made.note == "Expected. Entries read: 3. Taken: 3."
    (origin,) = made.origins
    assert (origin.repository, origin.commit) == ("example/models", "0123abc")
    assert [(t.name, t.outcome, t.raw_status) for t in made.tests] == [
        ("alpha", "passed", "pass"),
        ("beta", "wrong-result", "fail_accuracy"),
        ("gamma", "out-of-memory", "OOM"),
    ]
    assert run("check", "--root", root, root / "r.json").output == "1 report, no problems.\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "the run has no start time; add --started YYYY-MM-DD"),
        (["--kind", "baseline"],
         "the baseline has no origin; add --origin OWNER/NAME@COMMIT:PATH"),
        (["--kind", "baseline", "--origin", "x"], '"x" is not in the form OWNER/NAME@COMMIT:PATH'),
        (["--kind", "baseline", "--origin", ORIGIN, "--accelerator", "No Id"], 'there is no platform "No Id"'),
        (["--format", "junit"], f"{NAME}:"),
        (["--parameter", "x"], '"x" has no name or no value. Write it like dtype=float32'),
        (["--parameter", "x=1", "--parameter", "x=2"], '"x" is given twice. Give it once'),
    ],
)  # fmt: skip
def test_a_fault_is_named_and_nothing_is_written(
    options: list[str], words: str, root: Path
) -> None:
    done = imported(root, *options)
    assert done.exit_code != 0
    assert words in done.output
    assert "Traceback" not in done.output
    assert not (root / "r.json").exists()


def test_every_fault_of_every_file_is_told(root: Path) -> None:
    one, two = root / "1.json", root / "2.json"
    one.write_text(report_text(report({}, {})), "utf-8")
    two.write_text("{", "utf-8")
    done = run("check", "--root", root, one, two)
    assert done.exit_code == 1
    assert '1.json:20: "first" is listed twice with the same parameters' in done.output
    assert "2.json:1: invalid JSON" in done.output


def test_show_counts_what_happened(root: Path) -> None:
    path = root / "r.json"
    path.write_text(report_text(report({}, {"name": "b", "outcome": "crashed"})), "utf-8")
    assert run("show", path).output.splitlines() == [
        "example, self-reported, 2026-01-02 03:04 UTC",
        "  torch: 1.10.0",
        "made-up (unit): 2 tests: 1 passed, 1 crashed",
    ]


@pytest.mark.parametrize("name", ["ctrf", "junit"])
def test_what_is_exported_can_be_imported_again(name: str, root: Path) -> None:
    path, other = root / "r.json", root / f"other.{'xml' if name == 'junit' else 'json'}"
    made = report({}, {"name": "b", "outcome": "failed", "reason": "It broke."})
    path.write_text(report_text(made), "utf-8")
    assert run("export", "--format", name, "--out", other, path).exit_code == 0
    back = root / "back.json"
    options = ["--root", str(root), "--accelerator", "example", "--out", str(back)]
    done = run("import", *options, other)
    assert done.exit_code == 0, done.output
    assert [(t.name, t.outcome) for t in read_report(back).tests] == [
        ("first", "passed"),
        ("b", "failed"),
    ]


def test_the_relays_summary_is_small(root: Path) -> None:
    path, out = root / "r.json", root / "relay.json"
    path.write_text(report_text(report({}, {"name": "b", "outcome": "failed"})), "utf-8")
    assert run("export", "--format", "relay", "--out", out, path).exit_code == 0
    results = json.loads(out.read_text("utf-8"))["test_results"]
    assert results == {"passed": 1, "failed": 1, "skipped": 0}


def test_a_report_can_be_shown_to_programs(root: Path) -> None:
    imported(root, "--kind", "baseline", "--origin", ORIGIN, "--torch", "1.9.0")
    shown = json.loads(run("show", "--json", root / "r.json").stdout)
    assert (shown["accelerator"], shown["kind"]) == ("example", "baseline")
    assert shown["environment"]["torch"] == "1.9.0"
    assert [(suite["name"], sum(suite["outcomes"].values())) for suite in shown["suites"]] == [
        ("timm", 3)
    ]


@pytest.mark.parametrize("version", ["abc", "2.9.x", "", "newest"])
def test_a_version_that_is_none_is_refused(root: Path, version: str) -> None:
    done = imported(root, "--kind", "baseline", "--origin", ORIGIN, "--torch", version)
    assert done.exit_code == 2
    assert "Invalid value for '--torch'" in done.stderr
    assert "is not a version. Write it like 2.9.0 or 2.9.0+cu128" in " ".join(done.stderr.split())
    assert not (root / "r.json").exists()
