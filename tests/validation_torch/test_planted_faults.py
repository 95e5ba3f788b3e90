"""Each kind of fault is caught by the check that is meant for it; a device without faults passes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.validation_torch.conftest import Done, validate_once

TABLE = yaml.safe_load(Path(__file__).with_name("planted_faults.yaml").read_text("utf-8"))
OPERATORS = sorted({operator for _, _, operator, _, _ in TABLE})
STANDARD = ("--device", "paper", "--suite", "operators", "--level", "standard")
SELECTED = " or ".join(f"operators/{name}?" for name in OPERATORS)
KEYS = [f"operators/{name}?dtype={dtype}&mode={mode}" for _, _, name, mode, dtype in TABLE]
TESTS = [argument for key in KEYS for argument in ("--test", key)]
IDS = [" ".join(row[:2]) for row in TABLE]
assert len({fault.partition("=")[0] for _, fault, *_ in TABLE}) == len(TABLE)  # one for each
FAULTS = ",".join(fault for _, fault, _, _, _ in TABLE)


def outcomes(done: Done) -> dict[str, dict[str, Any]]:
    tests = json.loads(done.report.read_text("utf-8"))["tests"]
    return {
        f"operators/{test['name']}?dtype={test['parameters']['dtype']}"
        f"&mode={test['parameters']['mode']}": test
        for test in tests
    }


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory, site: str) -> dict[str, dict[str, Any]]:
    run = (*STANDARD, *TESTS)
    return outcomes(
        validate_once(tmp_path_factory, "planted-faults", *run, site=site, PAPER_FAULTS=FAULTS)
    )


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory, site: str) -> dict[str, dict[str, Any]]:
    return outcomes(validate_once(tmp_path_factory, "no-faults", *STANDARD, *TESTS, site=site))


@pytest.mark.parametrize(("row", "key"), [*zip(TABLE, KEYS, strict=True)], ids=IDS)
def test_a_planted_fault_is_caught(
    faulty: dict[str, dict[str, Any]], clean: dict[str, dict[str, Any]], row: list[str], key: str
) -> None:
    kind, _, _, mode, _ = row
    raised = mode == "errors" or "lost with each" in kind
    expected = "failed" if raised else "wrong-result"
    assert faulty[key]["outcome"] == expected, faulty[key].get("reason")
    assert clean[key]["outcome"] in {"passed", "executed"}, clean[key].get("reason")


@pytest.mark.slow
def test_a_device_without_faults_raises_no_alarm(
    tmp_path_factory: pytest.TempPathFactory, site: str
) -> None:
    """All tests of the operators that have a fault in the table."""
    run = (*STANDARD, "-k", SELECTED)
    found = outcomes(validate_once(tmp_path_factory, "no-alarm", *run, site=site))
    alarms = {
        key: test.get("reason")
        for key, test in found.items()
        if test["outcome"] not in {"passed", "executed", "skipped"}
    }
    assert alarms == {}
    assert sum(test["outcome"] == "passed" for test in found.values()) > 500
