"""Reader for the accuracy that vLLM's plugins expect of a model with lm-eval: no run.

    model_name: "acme/Model-8B"        vllm-ascend; vllm-gaudi has `model_card` around it,
    tasks:                             one task as a text, and `metrics` beside `model_card`
    - name: "gsm8k"
      metrics:
      - {name: "exact_match,strict-match", value: 0.765}

The plugins' CI evaluates the model, and fails if a result is worse than the value by more than a
tolerance. Each task of a model is a test; the expected values are its metrics.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from accelerator_portal.catalog import ProblemsError
from accelerator_portal.catalog.yaml_file import parse_yaml
from accelerator_portal.reports.imported_tests import ImportedTests, chosen_suite, refused
from accelerator_portal.reports.reading import ImportResult, Options, read_text
from accelerator_portal.reports.report import Finite

_SUITE = "vllm-lm-eval"
_NO_SLUG = re.compile(r"[^a-z0-9]+")


class _Open(BaseModel):
    """A part of the file; it has more keys than are read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Metric(_Open):
    name: str
    value: Finite


class _Task(_Open):
    name: str
    metrics: tuple[_Metric, ...]


class _File(_Open):
    model_name: str
    tasks: tuple[_Task, ...]


class _Card(_Open):
    class _Model(_Open):
        model_name: str
        tasks: str

    model_card: _Model
    metrics: _Metric


def read_lm_eval(path: Path, options: Options) -> ImportResult:
    """Read what is expected of a model; `options.suite` names the suite. Raises ProblemsError."""
    tests = ImportedTests(path, options)
    suite = tests.suite(chosen_suite(path, options) or _SUITE, "model")
    file, problems = parse_yaml(path.name, read_text(path))
    if file is None or problems:
        raise ProblemsError(problems)
    for task in (expected := _expected(path, file.data)).tasks:
        fields = {
            "suite": suite.name,
            "name": expected.model_name,
            "parameters": {"task": task.name},
            "outcome": "passed",
            "stage": "compare",
            "metrics": {
                _NO_SLUG.sub("-", metric.name.lower()).strip("-"): {
                    "value": metric.value,
                    "unit": "1",
                }
                for metric in task.metrics
            },
        }
        tests.add(file.line(("tasks",)), fields)
    return ImportResult(suites=(suite,), tests=tests.done())


def _expected(path: Path, data: object) -> _File:
    try:
        if isinstance(data, Mapping) and "model_card" in data:
            card = _Card.model_validate(data)
            task = _Task(name=card.model_card.tasks, metrics=(card.metrics,))
            return _File(model_name=card.model_card.model_name, tasks=(task,))
        return _File.model_validate(data)
    except ValidationError as error:
        raise refused(path, error) from None
