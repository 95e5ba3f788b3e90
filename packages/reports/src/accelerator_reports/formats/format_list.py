"""Lists the formats that can be read or written, and detects the format of a file.

To add a format, add an entry to `FORMATS`. The command line, the detection of formats and the
site's page about the report format use this table.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accelerator_reports.file_reading import (
    ImportOptions,
    ImportResult,
    Reader,
    file_error,
    load_json,
    parse_json_in_file,
    read_bytes,
    read_text,
)
from accelerator_reports.files.problem import ProblemsError
from accelerator_reports.formats.ctrf import ctrf_text, junit_text, read_ctrf
from accelerator_reports.formats.executorch import read_executorch_csv, read_executorch_json
from accelerator_reports.formats.flaggems import read_flaggems
from accelerator_reports.formats.html_page import html_text
from accelerator_reports.formats.junit import read_junit
from accelerator_reports.formats.lm_eval import read_lm_eval
from accelerator_reports.formats.mps_lists import read_mps_lists
from accelerator_reports.formats.other_formats import (
    JUNIT_RUN,
    Kind,
    kind_of_bytes,
    kind_of_json,
)
from accelerator_reports.formats.pytorch_benchmarks import DTYPES, read_dynamo_csv, read_torchbench
from accelerator_reports.formats.tt_xla import read_tt_xla
from accelerator_reports.formats.xpu_skip_list import read_xpu_skip_list
from accelerator_reports.report import Report
from accelerator_reports.report_views import relay_summary

Writer = Callable[[Report], str]


@dataclass(frozen=True, slots=True)
class Format:
    """A format of test results: its title, and how to detect, read and write it."""

    title: str
    """The format's name, as used in a sentence."""
    read: Reader | None = None
    """The reader; None for a format that is only written."""
    starts: tuple[bytes, ...] = ()
    """Every file in this format has one of these near its beginning, unless it is JSON. Their first
    character also says what the file is: XML for `<`, otherwise text. After a line end as first
    character, they begin a line."""
    keys: frozenset[str] = frozenset()
    """A file in this format is a JSON object with these keys."""
    further: tuple[bytes, ...] = ()
    """Bytes that every file in this format also contains, at any place."""
    write: Writer | None = None
    """The writer; None for a format that is only read."""
    example: str = ""
    """Options and files of an example import command; empty if the format is only written."""


def _relay_text(report: Report) -> str:
    return json.dumps(relay_summary(report), indent=1) + "\n"


_COLUMNS = ("accuracy", *sorted(DTYPES))
_UNDATED_OPTIONS = "--started 2026-01-31T02:00:00 --torch 2.9.0"

# A file has the first format that matches. Formats with more specific marks come first.
FORMATS: Mapping[str, Format] = {
    "junit": Format(
        "JUnit XML",
        read_junit,
        (b"<testsuite",),
        write=junit_text,
        example="--torch 2.9.0 results.xml",
    ),
    "ctrf": Format(
        "CTRF",
        read_ctrf,
        keys=frozenset({"reportFormat"}),
        write=ctrf_text,
        example="--torch 2.9.0 ctrf-report.json",
    ),
    "torchbench": Format(
        "TorchBench’s JSON",
        read_torchbench,
        keys=frozenset({"environ", "metrics"}),
        example="--started 2026-01-31T02:00:00 metrics.json",
    ),
    # It is a pytest-json-report, with columns of its own far from the beginning.
    "executorch-json": Format(
        "the JSON of ExecuTorch’s backend suite",
        read_executorch_json,
        keys=frozenset({"created", "duration", "exitcode", "summary"}),
        further=(b'"Result Detail"',),
        example="--torch 2.9.0 executorch.json",
    ),
    "executorch-csv": Format(
        "the CSV of ExecuTorch’s backend suite",
        read_executorch_csv,
        (b"\nTest ID,",),
        example=f"{_UNDATED_OPTIONS} executorch.csv",
    ),
    "dynamo-csv": Format(
        "the CSV files of PyTorch’s dynamo benchmarks, and the accuracy that CI expects of them",
        read_dynamo_csv,
        (
            b"\ndev,name,",
            *(f"\nname,{column}{end}".encode() for column in _COLUMNS for end in ",\n"),
        ),
        example=f"{_UNDATED_OPTIONS} inductor_torchbench_inference.csv",
    ),
    "tt-xla": Format(
        "the model test configuration of Tenstorrent’s TT-XLA",
        read_tt_xla,
        (b"test_config:",),
        example="--kind baseline --origin acme/tests@0123456:models.yaml models.yaml",
    ),
    "flaggems": Format(
        "the tests that FlagGems’ test files leave out",
        read_flaggems,
        (b"import flag_gems",),
        example="--kind baseline --origin acme/tests@0123456:tests test_abs.py",
    ),
    "mps-lists": Format(
        "the lists of PyTorch’s operator tests on MPS",
        read_mps_lists,
        (b"def mps_ops_modifier(",),
        example="--kind baseline --origin acme/tests@0123456:lists.py lists.py",
    ),
    "xpu-skip-list": Format(
        "the skip lists of torch-xpu-ops",
        read_xpu_skip_list,
        (b"skip_dict = {",),
        example="--kind baseline --origin acme/tests@0123456:skip_list.py skip_list.py",
    ),
    "lm-eval": Format(
        "the accuracy that vLLM’s plugins expect in lm-eval, which scores language models",
        read_lm_eval,
        (b"model_name:",),
        further=(b"tasks:", b"metrics:"),
        example="--kind baseline --origin acme/tests@0123456:model.yaml model.yaml",
    ),
    "html": Format("a page in HTML, without other files and without scripts", write=html_text),
    "relay": Format(
        "the summary that PyTorch’s cross-repository CI relay accepts", write=_relay_text
    ),
}

EXAMPLES: Mapping[str, str] = {name: f.example for name, f in FORMATS.items() if f.example}
READERS: Mapping[str, Reader] = {name: f.read for name, f in FORMATS.items() if f.read}
WRITERS: Mapping[str, Writer] = {name: f.write for name, f in FORMATS.items() if f.write}

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UNKNOWN = "unknown format"
_UTF16_XML_STARTS = (b"\xff\xfe<\0", b"\xfe\xff\0<", b"<\0", b"\0<")
_CTRF_KEYS = {"summary", "tool"}
_START_SIZE = 64 * 1024


def detect_format(path: Path) -> str:
    """Return the key of a file's format in `FORMATS`, such as `junit`.

    Raises ProblemsError if the file cannot be read or has no known format. The error says what the
    file is, if this is known.
    """
    data = read_bytes(path)
    start = data[:_START_SIZE].removeprefix(_BYTE_ORDER_MARK)
    if start.startswith(_UTF16_XML_STARTS):  # the XML parser reads UTF-16
        start = start.replace(b"\0", b"").lstrip(b"\xff\xfe")
    if kind := kind_of_bytes(start):
        raise _kind_error(path, kind)
    lines, syntax = b"\n" + start.replace(b"\r\n", b"\n"), _syntax(start.lstrip())
    content = _json_or_first_line(path) if syntax == "JSON" else None
    keys = content.keys() if isinstance(content, dict) else set()
    for name, form in FORMATS.items():
        is_marked = any(mark in lines for mark in form.starts if _syntax(mark) == syntax)
        has_keys = 0 < len(form.keys) == len(form.keys & keys)
        if (is_marked or has_keys) and all(mark in data for mark in form.further):
            return name
    if syntax == "XML":
        read_junit(path, ImportOptions())  # says what is wrong with it
    elif syntax == "JSON":
        raise _json_error(path, content)
    elif (end := lines.find(b"<testsuite")) >= 0:
        what = "there is text before the XML"
        raise file_error(path, lines.count(b"\n", 0, end), what, "remove it")
    remedy = f"{JUNIT_RUN}. If it has one of these formats, pass it to --format"
    raise file_error(path, 1, _UNKNOWN, f"{remedy}: {', '.join(sorted(READERS))}")


def read_as(name: str | None, path: Path, options: ImportOptions) -> ImportResult:
    """Read a file in the format `name`, which the user named, or else in the detected format.

    Raises ProblemsError. If the file is known to be something else, the error says so.
    """
    try:
        name = name or detect_format(path)
        return READERS[name](path, options)
    except ProblemsError as error:
        try:
            detected = detect_format(path)
        except ProblemsError as other:
            raise (error if other.problems[0].what == _UNKNOWN else other) from None
        if detected == name:
            raise
        what = f"the file is not in the format {name}, but probably in {detected}"
        raise file_error(path, 1, what, f"pass --format {detected}") from None


def _syntax(start: bytes) -> str:
    """Return the kind of a file that begins with these bytes: XML, JSON or other text."""
    return {b"<": "XML", b"{": "JSON", b"[": "JSON"}.get(start[:1], "text")


def _json_error(path: Path, data: Any) -> ProblemsError:  # noqa: ANN401 - any JSON
    """Return the error for JSON in no readable format, which says what it is."""
    results = data.get("results") if isinstance(data, dict) else None
    if not isinstance(results, dict) or not results.keys() & _CTRF_KEYS:
        return _kind_error(path, kind_of_json(data))
    what = 'the file looks like CTRF, but has no "reportFormat"'
    remedy = 'add "reportFormat": "CTRF"'
    if "specVersion" not in data:
        what, remedy = f'{what} or "specVersion"', f'{remedy}, "specVersion": "1.0.0"'
    return file_error(path, 1, what, remedy)


def _json_or_first_line(path: Path) -> Any:  # noqa: ANN401 - any JSON
    try:
        return load_json(path, strict=False)
    except ProblemsError as error:
        # A file with one object per line is not JSON, but its first line is.
        if not error.problems[0].what.endswith(": extra data"):
            raise
        first_line = read_text(path).lstrip().partition("\n")[0]
        return parse_json_in_file(path, first_line, "create the file again", 1, strict=False)


def _kind_error(path: Path, kind: Kind) -> ProblemsError:
    what, remedy = kind
    return file_error(path, 1, f"the file is {what}", remedy)
