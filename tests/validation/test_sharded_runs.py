"""Shards of a run, each run for itself, become the report of one run without shards."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from accelerator_reports.cli import main
from accelerator_reports.report import Report
from accelerator_reports.report_file import read_report
from accelerator_validation.probe import ProbeResult
from accelerator_validation.request import ShardRequest
from accelerator_validation.run import begin_run, continue_run
from accelerator_validation.sharding import apply_sharding
from tests.portal.results.made_up import known_failure
from tests.validation.runs import matrix, plan, request

NAMES = ["passed-1", "wrong-2", "passed-3", "crash-4", "skip-5", "passed-6", "missing-7"]
PROBED = ProbeResult({"torch": "2.13.0"}, aten={"registered": 9, "core": ["of_passed_1", "absent"]})
TIMES = {"made-up/passed-1": 400, "made-up/crash-4": 300, "made-up/passed-6": 10}
ISSUES = [known_failure(test="made-up/passed-3", action="skip", expires="2026-06-01")]


def run(folder: Path, index: int = 0, count: int = 1, names: Sequence[str] = NAMES) -> Path:
    """Run a shard, or without an index everything, and return its report."""
    asked = replace(request(folder), out=folder / f"{index}.json")
    matrices = {"made-up": matrix(names)}
    whole = plan(names, ISSUES)
    if index:
        asked = replace(asked, shard=ShardRequest(index, count, TIMES))
        whole = apply_sharding(whole, asked, matrices)
    begin_run(asked, matrices, whole, PROBED, lambda *_: None)
    return asked.out


def merged(out: Path, *shards: Path) -> Result:
    words = ["report", "merge", "--out", str(out), *map(str, shards)]
    return CliRunner().invoke(main, words)


def comparable(report: Report) -> dict[str, Any]:
    """What two runs have in common: all but moments, durations and process ids."""
    data = report.model_dump(mode="json", exclude={"started", "finished"})
    for test in data["tests"]:
        del test["duration_s"]
        test["metrics"].pop("pid", None)
    return data


def test_merged_shards_are_the_report_of_a_run_without_shards(tmp_path: Path) -> None:
    shards = [run(tmp_path, index, 3) for index in (1, 2, 3)]
    out = tmp_path / "whole.json"
    done = merged(out, *reversed(shards))
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        f"Created {out} from 3 shards. 7 tests: 2 passed, 1 wrong-result, 1 unsupported-operator, "
        "1 crashed, 2 skipped.\n"
    )
    assert comparable(read_report(out)) == comparable(read_report(run(tmp_path)))


def test_a_shard_that_was_interrupted_is_refused_until_it_is_finished(tmp_path: Path) -> None:
    shards = [run(tmp_path, index, 2) for index in (1, 2)]
    journal = tmp_path / "2.journal.jsonl"
    lines = journal.read_text("utf-8").splitlines(keepends=True)
    records = [json.loads(line) for line in lines]
    last = max(place for place, record in enumerate(records) if record["record"] == "begin")
    journal.write_text("".join(lines[:last]), "utf-8")
    broken = replace(PROBED, fault="device", message="It is gone.")
    matrices = {"made-up": matrix(NAMES)}
    again = replace(request(tmp_path), out=shards[1])
    continue_run(again, matrices, broken, lambda *_: None)

    out = tmp_path / "whole.json"
    done = merged(out, *shards)
    assert done.exit_code == 1
    assert done.stdout == (
        f"{shards[1]}:1: shard 2/2 is not finished (tests without a result: 1); finish it: "
        "accelerator-portal validate --resume --device none --pytest PATH --suite-name made-up "
        "--out 2.json\n"
    )
    assert not out.exists()
    continue_run(again, matrices, PROBED, lambda *_: None)
    assert merged(out, *shards).exit_code == 0


def test_a_file_that_cannot_be_read_is_told_with_the_others(tmp_path: Path) -> None:
    shard = run(tmp_path, 1, 2, ["passed-1", "passed-2"])
    other = tmp_path / "other.json"
    other.write_text("{", "utf-8")
    out = tmp_path / "whole.json"
    done = merged(out, shard, other, shard)
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0].startswith(f"{shard}:1: shard 1/2 is given twice")
    assert done.stdout.splitlines()[1].startswith(f"{other}:1: invalid JSON")
    assert done.stderr == "2 problems found.\n"
    assert not out.exists()


def test_a_shard_is_never_overwritten(tmp_path: Path) -> None:
    shard = run(tmp_path, 1, 2, ["passed-1", "passed-2"])
    before = shard.read_bytes()
    done = merged(tmp_path / "." / "1.json", shard)
    assert done.exit_code == 2
    assert "is one of the shards; name another file with --out" in done.stderr
    assert shard.read_bytes() == before


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    shards = [run(tmp_path, index, 2, ["passed-1", "passed-2"]) for index in (1, 2)]
    (tmp_path / "no-folder-but-a-file").touch()
    done = merged(tmp_path / "no-folder-but-a-file" / "whole.json", *shards)
    assert done.exit_code == 1
    assert "cannot be read or written" in done.stderr
