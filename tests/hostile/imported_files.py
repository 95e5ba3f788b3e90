"""A good file of each format that `report import` reads, and the file with one value replaced.

Everything in the files is made up.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.hostile.mutations import places

_JUNIT = """\
<testsuites name="pytest tests"><testsuite name="alpha" timestamp="2026-01-02T03:04:05" hostname="h"
 time="1"><properties><property name="torch" value="2.10.0"/><property name="driver" value="580.1"/>
<property name="os" value="Linux"/><property name="hardware" value="Example Card"/></properties>
<testcase classname="a.B" name="test_c[float32]" time="0.5" file="a.py"><failure message="no"
 type="E">Traceback</failure><system-out>out</system-out></testcase>
<testcase classname="a.B" name="test_d" time="0.1"><skipped message="not here" type="s"/></testcase>
</testsuite></testsuites>"""
_JUNIT_VALUES = (
    "pytest tests", "alpha", "2026-01-02T03:04:05", '"h"', '"1"', "2.10.0", "580.1", "Linux",
    "Example Card", "a.B", "test_c[float32]", "0.5", "a.py", '"no"', '"E"', "Traceback", "out",
    "not here", '"s"', '"torch"', '"driver"',
)  # fmt: skip

_CTRF = {
    "reportFormat": "CTRF",
    "specVersion": "0.0.0",
    "results": {
        "tool": {"name": "pytest", "version": "9"},
        "summary": {
            "tests": 1, "passed": 0, "failed": 1, "skipped": 0, "pending": 0, "other": 0,
            "start": 1767323045000, "stop": 1767323046000,
        },
        "tests": [
            {
                "name": "test_a", "status": "failed", "duration": 3, "message": "no",
                "trace": "at b", "suite": ["alpha"], "filePath": "a.py",
                "rawStatus": "failed", "browser": "x",
                "attachments": [
                    {"name": "log", "contentType": "text/plain", "path": "https://a.example/1"}
                ],
                "parameters": {"dtype": "float32"},
            }
        ],
        "environment": {
            "appName": "torch", "appVersion": "2.10.0", "osPlatform": "linux", "osRelease": "6",
            "osVersion": "24.04", "extra": {"hardware": "Example Card", "driver": "580.1"},
        },
    },
}  # fmt: skip

_KEY = "model=alpha, test=eval, device=ex, bs=None, extra_args=[], metric=accuracy"
_TORCHBENCH = {
    "name": "example",
    "environ": {
        "pytorch_version": "2.10.0.dev20260102", "pytorch_git_version": "0" * 40,
        "metrics_version": "v0.1", "torchvision_version": "0.1", "device": "Example Card",
    },
    "metrics": {_KEY: "pass", _KEY.replace("accuracy", "latencies"): 1.5},
}  # fmt: skip

_EXECUTORCH = {
    "created": 1767323045.5, "duration": 1.0, "exitcode": 1, "root": "/x",
    "environment": {"torch": "2.10.0", "Python": "3.12", "driver": "580.1", "Platform": "Linux"},
    "summary": {"failed": 1, "total": 2},
    "tests": [
        {
            "nodeid": "a.py::test_b[float32]", "outcome": "failed", "keywords": ["x"], "lineno": 1,
            "setup": {"duration": 0.1, "outcome": "passed"},
            "call": {
                "duration": 0.1, "outcome": "failed", "longrepr": "no",
                "crash": {"path": "a.py", "lineno": 3, "message": "AssertionError: no"},
            },
            "teardown": {"duration": 0.1, "outcome": "passed"},
        },
        {
            "nodeid": "test_add.py::test_add_dtype[xnnpack-float32]",
            "outcome": "passed",
            "call": {"duration": 4.25, "outcome": "passed"},
            "metadata": {
                "subtests": [
                    {
                        "Test ID": "test_add_dtype[xnnpack-float32]", "Test Case": "test_add_dtype",
                        "Subtest": 0, "Flow": "xnnpack", "Result": "Pass", "Result Detail": "",
                        "Error": "", "Delegated": "True", "Quantize Time (s)": "2.885",
                        "Output 0 SNR": "inf", "Delegated Nodes": 7, "PTE Size (Kb)": "2.000",
                        "Delegated Ops": {"aten::add.Tensor": 1},
                    }
                ]
            },
        }
    ],
}  # fmt: skip

JSON: Mapping[str, Any] = {
    "ctrf": _CTRF,
    "torchbench": _TORCHBENCH,
    "executorch-json": _EXECUTORCH,
}

CSV: Mapping[str, list[list[str]]] = {
    "executorch-csv": [
        ["Test ID", "Test Case", "Subtest", "Flow", "Params", "Result", "Result Detail",
         "Delegated", "Quantize Time (s)", "Delegated Nodes", "Delegated Ops", "PTE Size (Kb)",
         "Error"],
        ["test_a_xnnpack", "test_a", "0", "xnnpack", '{"dtype": "float32"}', "Fail",
         "Lowering Failed", "True", "1.5", "7", '{"aten::add": 1}', "2.0", "RuntimeError: no"],
    ],
    "dynamo-csv": [["name", "accuracy", "graph_breaks"], ["model_a", "pass", "0"]],
}  # fmt: skip


def good_files() -> Iterator[tuple[str, bytes]]:
    """Yield each format with its good file."""
    yield "junit", _JUNIT.encode()
    for name, record in JSON.items():
        yield name, json.dumps(record).encode()
    for name, rows in CSV.items():
        yield name, _csv(rows)


def changed_files(value: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield each format, a place in its good file, and the file with `value` in that place."""
    for old in _JUNIT_VALUES:
        quote = '"' if old.startswith('"') else ""
        new = quote + _escaped(value) + quote
        yield "junit", old, _JUNIT.replace(old, new, 1).encode("utf-8", "surrogatepass")
    for name, record in JSON.items():
        for path in places(record):
            if path:
                yield (
                    name,
                    ".".join(map(str, path)),
                    json.dumps(_with(record, path, value)).encode(),
                )
    for name, rows in CSV.items():
        for number, row in enumerate(rows):
            for column in range(len(row)):
                cells = [list(one) for one in rows]
                cells[number][column] = value
                yield name, f"{number}.{column}", _csv(cells)


def _with(record: Any, path: tuple[Any, ...], value: str) -> Any:  # noqa: ANN401 - any JSON
    copy = json.loads(json.dumps(record))
    holder = copy
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return copy


def _csv(rows: list[list[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8", "surrogatepass")


def _escaped(value: str) -> str:
    for old, new in (("&", "&amp;"), ("<", "&lt;"), ('"', "&quot;")):
        value = value.replace(old, new)
    return value
