from __future__ import annotations

from pathlib import Path

import pytest

from accelerator_reports.file_reading import ImportResult
from accelerator_reports.formats.format_list import detect_format
from accelerator_reports.formats.lm_eval import read_lm_eval
from tests.reports.format_file import FormatFile

# The structure is that of the files of vllm-ascend and vllm-gaudi; models and values are made up.
TASKS = """\
model_name: "acme/Model-8B"
tasks:
- name: "gsm8k"
  metrics:
  - {name: "exact_match,strict-match", value: 0.75}
  - {name: "exact_match,flexible-extract", value: 0.8}
- name: "other"
  metrics:
  - {name: "acc,none", value: 1}
num_fewshot: 5
"""
CARD = """\
model_card:
  model_name: acme/Model-8B
  tasks: gsm8k
  limit: 256
metrics: {name: "exact_match,strict-match", value: 0.9}
"""


FILE = FormatFile("model.yaml", read_lm_eval)


def values(found: ImportResult) -> list[tuple[object, dict[str, float]]]:
    return [
        (test.parameters["task"], {name: one.value for name, one in test.metrics.items()})
        for test in found.tests
    ]


def test_each_task_of_a_model_is_a_test_with_the_expected_values(tmp_path: Path) -> None:
    found = FILE.read(tmp_path, TASKS)
    assert detect_format(tmp_path / FILE.name) == "lm-eval"
    assert values(found) == [
        ("gsm8k", {"exact-match-strict-match": 0.75, "exact-match-flexible-extract": 0.8}),
        ("other", {"acc-none": 1.0}),
    ]
    assert {(test.name, test.outcome) for test in found.tests} == {("acme/Model-8B", "passed")}
    assert [(suite.name, suite.kind) for suite in found.suites] == [("vllm-lm-eval", "model")]
    assert found.entries == {"taken": 2}


def test_a_model_card_has_one_task(tmp_path: Path) -> None:
    found = FILE.read(tmp_path, CARD)
    assert detect_format(tmp_path / FILE.name) == "lm-eval"
    assert values(found) == [("gsm8k", {"exact-match-strict-match": 0.9})]


def test_what_is_there_twice_is_counted(tmp_path: Path) -> None:
    found = FILE.read(tmp_path, TASKS.replace('"other"', '"gsm8k"'))
    assert found.entries == {"taken": 1, "listed more than once": 1}
    found = FILE.read(tmp_path, TASKS.replace("strict-match", "flexible_extract"))
    assert list(map(str, found.warnings)) == [
        'model.yaml:3: the task "gsm8k" has two metrics with the same name; remove one of the two'
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TASKS.replace("0.75", ".nan"), "value: input should be a finite number"),
        (TASKS.replace("0.75", "high"), "value: input should be a valid number"),
        ("model_name: a\ntasks: [{name: b, metrics: []}]", "tasks[0].metrics: "),
        (CARD.replace("tasks: gsm8k", ""), "model_card.tasks: field required"),
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, text: str, words: str) -> None:
    assert words in "\n".join(FILE.problems(tmp_path, text))
