"""Reads a baseline from lm-eval files of vLLM's plugins: the accuracy that CI expects of a model.

The form of vllm-ascend:

    model_name: "acme/Model-8B"
    tasks:
    - name: "gsm8k"
      metrics:
      - {name: "exact_match,strict-match", value: 0.765}

The form of vllm-gaudi, which has exactly one task and one metric:

    model_card: {model_name: "acme/Model-8B", tasks: "gsm8k"}
    metrics: {name: "exact_match,strict-match", value: 0.765}

The plugins' CI evaluates the model with lm-eval. It fails if a result is worse than the value by
more than a tolerance. Each task of a model is a test; the expected values are its metrics.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from accelerator_reports.file_reading import READ_AS_TEST, ImportOptions, ImportResult
from accelerator_reports.files.fields import OpenModel
from accelerator_reports.formats.imported_tests import (
    ImportedTests,
    chosen_suite,
    parse_document,
    read_yaml,
)
from accelerator_reports.report import Finite, Suite

_SUITE = "vllm-lm-eval"
_NON_SLUG_CHARACTERS = re.compile(r"[^a-z0-9]+")


class _Metric(OpenModel):
    name: str
    value: Finite


class _Task(OpenModel):
    name: str
    metrics: Annotated[tuple[_Metric, ...], Field(min_length=1)]


class _ExpectedAccuracy(OpenModel):
    model_name: str
    tasks: tuple[_Task, ...]


class _ModelCardFile(OpenModel):
    class _Model(OpenModel):
        model_name: str
        tasks: str

    model_card: _Model
    metrics: _Metric


def read_lm_eval(path: Path, options: ImportOptions) -> ImportResult:
    """Read a model's expected accuracy. `options.suite` names the suite.

    Each test has the outcome `passed`. Raises ProblemsError if the file or the suite name is
    invalid.
    """
    tests = ImportedTests(path, options)
    suite = Suite(name=chosen_suite(path, options) or _SUITE, kind="model")
    file = read_yaml(path)
    expected = _expected_accuracy(path, file.data)
    for index, task in enumerate(expected.tasks):
        line = file.line(("tasks", index))
        metrics = {
            _NON_SLUG_CHARACTERS.sub("-", metric.name.lower()).strip("-"): {
                "value": metric.value,
                "unit": "1",
            }
            for metric in task.metrics
        }
        if len(metrics) < len(task.metrics):
            what = f'the task "{task.name[:60]}" has two metrics with the same name'
            tests.leave_out_value(line, what, "remove one of the two")
        fields = {
            "suite": suite.name,
            "name": expected.model_name,
            "parameters": {"task": task.name},
            "outcome": "passed",
            "stage": "compare",
            "metrics": metrics,
        }
        tests.entries[READ_AS_TEST] += tests.add(line, fields)
    return tests.result((suite,))


def _expected_accuracy(path: Path, data: object) -> _ExpectedAccuracy:
    if isinstance(data, Mapping) and "model_card" in data:
        card = parse_document(path, _ModelCardFile, data)
        task = _Task(name=card.model_card.tasks, metrics=(card.metrics,))
        return _ExpectedAccuracy(model_name=card.model_card.model_name, tasks=(task,))
    return parse_document(path, _ExpectedAccuracy, data)
