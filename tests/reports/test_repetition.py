from __future__ import annotations

import pytest

from accelerator_reports.report import TestEntry
from accelerator_reports.report_views import repeat_command, seed_of

_TEST = TestEntry(
    suite="torchbench", name="hf Bert", parameters={"mode": "inference"}, outcome="passed"
)


@pytest.mark.parametrize(
    ("suite_command", "command"),
    [
        (
            "accelerator-portal validate --device npu --suite torchbench --level full",
            "accelerator-portal validate --device npu --level full --test 'torchbench/hf%20Bert?mode=inference'",
        ),
        (
            "accelerator-portal validate --suite torchbench --pytorch C --pytorch-files a,b",
            "accelerator-portal validate --pytorch C --test 'torchbench/hf%20Bert?mode=inference'",
        ),
        ("accelerator-portal validate --device npu", None),
        ("accelerator-portal report import a.xml --suite torchbench", None),
        ("pytest tests/ --suite torchbench", None),
        ("accelerator-portal validate --suite 'torchbench", None),
        ("", None),
        (None, None),
    ],
)
def test_the_command_of_a_test_is_that_of_its_suite_with_the_test_in_place_of_the_suite(
    suite_command: str | None, command: str | None
) -> None:
    assert repeat_command(_TEST, suite_command) == command


def test_a_command_that_the_report_states_for_the_test_is_used() -> None:
    test = _TEST.model_copy(update={"command": "pytest -k bert"})
    command = "accelerator-portal validate --device npu --suite torchbench"
    assert repeat_command(test, command) == "pytest -k bert"


def test_the_seed_depends_on_the_test_and_never_changes() -> None:
    assert seed_of("operators/add?dtype=float32&mode=forward") == 1_985_633_577
    assert seed_of("operators/add?dtype=float32&mode=forward") != seed_of("operators/add")
    assert 0 <= seed_of("") < 1 << 31
