"""Lists the formats that can be read or written, and detects the format of a file.

To add a format, add an entry to `FORMATS`. The command line, the detection of formats and the
site's page about the report format use this table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from accelerator_reports.file_reading import (
    ImportOptions,
    Reader,
    file_error,
    load_json,
    read_bytes,
)
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.formats.ctrf import ctrf_text, read_ctrf
from accelerator_reports.formats.dynamo_csv import read_dynamo_csv
from accelerator_reports.formats.executorch import read_executorch_csv, read_executorch_json
from accelerator_reports.formats.flaggems import read_flaggems
from accelerator_reports.formats.junit import junit_text, read_junit
from accelerator_reports.formats.lm_eval import read_lm_eval
from accelerator_reports.formats.mps_lists import read_mps_lists
from accelerator_reports.formats.onnx_scoreboard import read_onnx_scoreboard
from accelerator_reports.formats.pytest_json import read_pytest_json
from accelerator_reports.formats.pytorch_test_run import read_pytorch_test_run
from accelerator_reports.formats.torchbench import read_torchbench
from accelerator_reports.formats.tt_xla import read_tt_xla
from accelerator_reports.formats.xpu_skip_list import read_xpu_skip_list
from accelerator_reports.relay import relay_summary
from accelerator_reports.report import Report

Writer = Callable[[Report], str]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of test results: its title, and how to detect, read and write it."""

    title: str
    """The format's name, as used in a sentence."""
    read: Reader | None = None
    """The reader; None for a format that is only written."""
    start: bytes = b""
    """Bytes near the beginning of every file in this format."""
    further: bytes = b""
    """Bytes that every file in this format also contains, at any place."""
    write: Writer | None = None
    """The writer; None for a format that is only read."""
    example: str = ""
    """Options and files of an example import command; empty if the format is only written."""


def _relay_text(report: Report) -> str:
    return json.dumps(relay_summary(report), indent=1) + "\n"


_UNDATED_OPTIONS = "--started 2026-01-31T02:00:00 --torch 2.9.0"

# A file has the first format that matches. Formats with more specific marks come first.
FORMATS: Mapping[str, Format] = {
    "junit": Format(
        "JUnit XML",
        read_junit,
        b"<testsuite",
        write=junit_text,
        example="--torch 2.9.0 results.xml",
    ),
    "ctrf": Format(
        "CTRF",
        read_ctrf,
        b'"reportFormat"',
        write=ctrf_text,
        example="--torch 2.9.0 ctrf-report.json",
    ),
    "pytorch-test-run": Format(
        "the test cases that PyTorch’s CI uploads as JSON",
        read_pytorch_test_run,
        b'"classname"',
        b'"workflow_run_attempt"',
        example=f"{_UNDATED_OPTIONS} test_run.json",
    ),
    "torchbench": Format(
        "TorchBench’s JSON",
        read_torchbench,
        b'"metrics"',
        example="--started 2026-01-31T02:00:00 metrics.json",
    ),
    # It is a pytest-json-report, with columns of its own far from the beginning.
    "executorch-json": Format(
        "the JSON of ExecuTorch’s backend suite",
        read_executorch_json,
        b'"exitcode"',
        b'"Result Detail"',
        example="--torch 2.9.0 executorch.json",
    ),
    "pytest-json": Format(
        "the JSON of pytest-json-report",
        read_pytest_json,
        b'"exitcode"',
        example="--torch 2.9.0 .report.json",
    ),
    "onnx-scoreboard": Format(
        "the report.json of ONNX’s backend scoreboard",
        read_onnx_scoreboard,
        b'"failed"',
        b'"passed"',
        example="--torch 2.9.0 scoreboard.json",
    ),
    "executorch-csv": Format(
        "the CSV of ExecuTorch’s backend suite",
        read_executorch_csv,
        b"Test ID,",
        example=f"{_UNDATED_OPTIONS} executorch.csv",
    ),
    "dynamo-csv": Format(
        "the accuracy files of PyTorch’s dynamo benchmarks",
        read_dynamo_csv,
        b"name,",
        example=f"{_UNDATED_OPTIONS} inductor_torchbench_inference.csv",
    ),
    "tt-xla": Format(
        "the model test configuration of Tenstorrent’s TT-XLA",
        read_tt_xla,
        b"test_config:",
        example="--kind baseline --origin acme/tests@0123456:models.yaml models.yaml",
    ),
    "flaggems": Format(
        "the tests that FlagGems’ test files leave out",
        read_flaggems,
        b"import flag_gems",
        example="--kind baseline --origin acme/tests@0123456:tests test_abs.py",
    ),
    "mps-lists": Format(
        "the lists of PyTorch’s operator tests on MPS",
        read_mps_lists,
        b"def mps_ops_modifier(",
        example="--kind baseline --origin acme/tests@0123456:lists.py lists.py",
    ),
    "xpu-skip-list": Format(
        "the skip lists of torch-xpu-ops",
        read_xpu_skip_list,
        b"skip_dict = {",
        example="--kind baseline --origin acme/tests@0123456:skip_list.py skip_list.py",
    ),
    "lm-eval": Format(
        "the accuracy that vLLM’s plugins expect in lm-eval, which scores language models",
        read_lm_eval,
        b"model_name:",
        b"metrics:",
        example="--kind baseline --origin acme/tests@0123456:model.yaml model.yaml",
    ),
    "relay": Format(
        "the summary that PyTorch’s cross-repository CI relay accepts", write=_relay_text
    ),
}

EXAMPLES: Mapping[str, str] = {name: f.example for name, f in FORMATS.items() if f.example}
READERS: Mapping[str, Reader] = {name: f.read for name, f in FORMATS.items() if f.read}
WRITERS: Mapping[str, Writer] = {name: f.write for name, f in FORMATS.items() if f.write}

_CTRF_KEYS = {"summary", "tool"}
_START_SIZE = 64 * 1024


def detect_format(path: Path) -> str:
    """Return the key of a file's format in `FORMATS`, such as `junit`.

    Raises ProblemsError if the file cannot be read or has no known format.
    """
    data = read_bytes(path)
    start = data[:_START_SIZE]
    for name in READERS:
        if FORMATS[name].start in start and FORMATS[name].further in data:
            return name
    _refuse_malformed(path, start)
    raise file_error(
        path, 1, "unknown format", f"pass --format with one of: {', '.join(sorted(READERS))}"
    )


def _refuse_malformed(path: Path, start: bytes) -> None:
    """Raise ProblemsError for XML other than JUnit XML, invalid JSON, and unmarked CTRF.

    `start`, the beginning of the file's content, shows whether it is XML or JSON. A file that is
    neither raises no error. The error has the line of the fault.
    """
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"<"):
        read_junit(path, ImportOptions())
    elif text.startswith((b"{", b"[")):
        try:
            data = load_json(path)
        except ProblemsError as error:
            # A file with one object per line is not JSON, but its format may only be unknown.
            if not error.problems[0].what.endswith(": extra data"):
                raise
            return
        results = data.get("results") if isinstance(data, dict) else None
        if isinstance(results, dict) and "reportFormat" not in data and results.keys() & _CTRF_KEYS:
            what = 'the file looks like CTRF, but has no "reportFormat"'
            raise file_error(path, 1, what, 'add "reportFormat": "CTRF"')
