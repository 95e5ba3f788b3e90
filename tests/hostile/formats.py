"""Files of other formats, as a vendor's CI may hand them over: name of the format, bytes, words.

An empty word: the file is read, and what is harmful in it is gone or is mere text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

DOCTYPE, NO_XML, NO_JSON = "document type", "invalid XML", "invalid JSON"


def _again(number: int) -> str:
    return f"&l{number};" * 10


_LAUGHS = '<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{n} "{_again(n - 1)}">' for n in range(1, 10))
_LONG = "x" * 10_000
_MANY = " ".join(f"a{n}='1'" for n in range(200_000))
_CASE = '<testsuites><testsuite name="s"><testcase name="t">{}</testcase></testsuite></testsuites>'


def _suites(inside: str, before: str = "") -> bytes:
    return (before + _CASE.replace("{}", inside)).encode()


def _json(value: object) -> bytes:
    return json.dumps(value).encode()


_CTRF: dict[str, object] = {
    "reportFormat": "CTRF",
    "specVersion": "0.0.0",
    "results": {
        "tool": {"name": "x"},
        "summary": {
            "tests": 1,
            "passed": 1,
            "failed": 0,
            "skipped": 0,
            "pending": 0,
            "other": 0,
            "start": 0,
            "stop": 1,
        },
        "tests": [{"name": "t", "status": "passed", "duration": 1}],
    },
}


def _ctrf(old: str, new: str) -> bytes:
    text = json.dumps(_CTRF)
    assert old in text
    return text.replace(old, new, 1).encode()


_PYTEST: dict[str, object] = {
    "created": 0,
    "duration": 0,
    "exitcode": 0,
    "root": "/",
    "environment": {},
    "summary": {},
}
_HEADER = "Test ID,Test Case,Flow,Params,Result,Result Detail,Delegated\n"

CASES: Mapping[str, tuple[str, bytes, str]] = {
    # JUnit: XML.
    "a billion laughs": (
        "junit",
        _suites("&l9;", f"<!DOCTYPE x [{_LAUGHS}]>"),
        DOCTYPE,
    ),
    "a long entity, many times": (
        "junit",
        _suites("&a;" * 10_000, f'<!DOCTYPE x [<!ENTITY a "{_LONG}">]>'),
        DOCTYPE,
    ),
    "an entity that is a file": (
        "junit",
        _suites("&x;", '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
        DOCTYPE,
    ),
    "an entity that is an address": (
        "junit",
        _suites("&x;", '<!DOCTYPE x [<!ENTITY x SYSTEM "http://127.0.0.1:1/">]>'),
        DOCTYPE,
    ),
    "an entity of parameters": (
        "junit",
        _suites("", '<!DOCTYPE x [<!ENTITY % x SYSTEM "http://127.0.0.1:1/x.dtd"> %x;]>'),
        DOCTYPE,
    ),
    "a document type elsewhere": (
        "junit",
        _suites("", '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">'),
        DOCTYPE,
    ),
    "an attribute's default by a document type": (
        "junit",
        _suites("", '<!DOCTYPE x [<!ATTLIST testcase name CDATA "x">]>'),
        DOCTYPE,
    ),
    "an entity of nothing": ("junit", _suites("&nothing;"), NO_XML),
    "an include": (
        "junit",
        _suites(
            '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="/etc/passwd"'
            ' parse="text"/>'
        ),
        "",
    ),
    "a style sheet": ("junit", _suites("", '<?xml-stylesheet href="http://127.0.0.1:1/x"?>'), ""),
    "a script as CDATA": (
        "junit",
        _suites("<failure><![CDATA[<script>alert(1)</script>]]></failure>"),
        "",
    ),
    "elements in elements": ("junit", _suites("<a>" * 100_000), "nested elements"),
    "a tag without end": ("junit", b'<testsuites name="' + b"x" * 3_000_000, "one tag has more"),
    "attributes without end": (
        "junit",
        _suites(f"<x {_MANY}/>"),
        "",
    ),
    "a comment without end": ("junit", b"<testsuites><!-- " + b"x" * 1_000_000, NO_XML),
    "suites without end": (
        "junit",
        b"<testsuites>" + b"<testsuite/>" * 100_001 + b"</testsuites>",
        "more than 100,000 suites",
    ),
    "an encoding that does not exist": (
        "junit",
        _suites("", '<?xml version="1.0" encoding="x-nothing"?>'),
        "encoding",
    ),
    "an encoding of Python's own": (
        "junit",
        _suites("", '<?xml version="1.0" encoding="zlib_codec"?>'),
        "encoding",
    ),
    "UTF-7": (
        "junit",
        _suites("", '<?xml version="1.0" encoding="utf-7"?>'),
        "encoding",
    ),
    "a zero": ("junit", _suites("\x00"), NO_XML),
    "a number of nothing": ("junit", _suites("&#0;"), NO_XML),
    "an attribute twice": ("junit", _suites('<failure a="1" a="2"/>'), NO_XML),
    "HTML": ("junit", b"<html><body><script>alert(1)</script></body></html>", "outermost element"),
    "an end without a beginning": ("junit", b"</testsuites>", NO_XML),
    "no XML": ("junit", b"PK\x03\x04", NO_XML),
    "no bytes": ("junit", b"", NO_XML),
    "a colour of a terminal": ("junit", _suites("<failure>#x1B[31mred#x1B[0m</failure>"), ""),
    # CTRF: JSON.
    "CTRF: no JSON": ("ctrf", b"{", NO_JSON),
    "CTRF: no number": (
        "ctrf",
        _ctrf('"duration": 1', '"duration": NaN'),
        "NaN is not a valid JSON number",
    ),
    "CTRF: infinity": (
        "ctrf",
        _ctrf('"duration": 1', '"duration": -Infinity'),
        "not a valid JSON number",
    ),
    "CTRF: a number too large": ("ctrf", _ctrf('"duration": 1', '"duration": 1e999'), "too large"),
    "CTRF: too many digits": (
        "ctrf",
        _ctrf('"duration": 1', f'"duration": {"9" * 5000}'),
        "digits",
    ),
    "CTRF: lists in lists": ("ctrf", b"[" * 1_000_000, "nested too deeply"),
    "CTRF: half a pair": ("ctrf", _ctrf('"t"', '"\\ud800"'), "name"),
    "CTRF: a zero in a name": ("ctrf", _ctrf('"t"', '"a\\u0000b"'), ""),
    "CTRF: tests that are none": ("ctrf", _ctrf('[{"name"', '[7, {"name"'), "tests"),
    "CTRF: an escape in a system": (
        "ctrf",
        _ctrf('"tool"', '"environment": {"osPlatform": "\\u001b"}, "tool"'),
        "results.environment.os: the character U+001B",
    ),
    "CTRF: a status that does not exist": (
        "ctrf",
        _ctrf('"passed", "dur', '"<b>", "dur'),
        "status",
    ),
    "CTRF: a mapping of Python": ("ctrf", b'{"__class__": {"__init__": {}}}', "results"),
    # pytest-json-report.
    "pytest: nothing": ("pytest-json", b"{}", "field required"),
    "pytest: a list": ("pytest-json", b"[]", "a valid dictionary"),
    "pytest: lists in lists": ("pytest-json", b'{"tests": ' + b"[" * 1_000_000, "deeply"),
    "pytest: a test that is none": (
        "pytest-json",
        _json(_PYTEST | {"tests": [None]}),
        "tests",
    ),
    "pytest: a name that is none": (
        "pytest-json",
        _json(_PYTEST | {"tests": [{"nodeid": [], "outcome": "passed"}]}),
        "nodeid",
    ),
    "pytest: an escape in a version": (
        "pytest-json",
        _json(_PYTEST | {"tests": [], "environment": {"torch": "2.10.0", "Python": "3\x1b"}}),
        "environment.python: the character U+001B",
    ),
    # PyTorch's accuracy files.
    "CSV: nothing": ("dynamo-csv", b"", "no header"),
    "CSV: another header": ("dynamo-csv", b"a,b\n1,2\n", "the header starts with"),
    "CSV: a column twice": (
        "dynamo-csv",
        b"name,accuracy,accuracy\nx,pass,pass\n",
        "is listed twice",
    ),
    "CSV: columns without end": ("dynamo-csv", b"name,accuracy" + b",c" * 5000 + b"\n", "columns"),
    "CSV: a line without end": ("dynamo-csv", b"name,accuracy\n" + b"x" * 2_000_000, "characters"),
    "CSV: too few values": ("dynamo-csv", b"name,accuracy\nx\n", "has 1 values"),
    "CSV: a figure that is none": (
        "dynamo-csv",
        b"name,accuracy,g\nx,pass,nan\n",
        "is not a number",
    ),
    "CSV: bytes that are no UTF-8": ("dynamo-csv", b"name,accuracy\n\xff,pass\n", "not UTF-8"),
    "CSV: an issue of javascript": (
        "dynamo-csv",
        b"name,accuracy\n# javascript:alert(1)\nx,fail_to_run\n",
        "",
    ),
    # The configuration of TT-XLA's model tests.
    "TT-XLA: an alias": ("tt-xla", b"test_config: &a\n  x: *a\n", "anchor"),
    "TT-XLA: no mapping": ("tt-xla", b"test_config: 1\n", "test_config: input should be"),
    "TT-XLA: levels without end": ("tt-xla", b"test_config: " + b"[" * 5000, "levels"),
    # FlagGems' test files.
    "FlagGems: no Python": ("flaggems", b"import flag_gems\ndef f(:\n", "invalid Python"),
    "FlagGems: levels without end": ("flaggems", b"import flag_gems\n" + b"(" * 9000, "Python"),
    # The lists of PyTorch's operator tests on MPS, and the skip lists of torch-xpu-ops.
    "MPS: no list": ("mps-lists", b"def mps_ops_modifier():\n    pass\n", "no list of operators"),
    "MPS: no name": (
        "mps-lists",
        b"def mps_ops_modifier():\n    A_XFAILLIST = {a: None}\n",
        "an entry that is no name",
    ),
    "XPU: no mapping": ("xpu-skip-list", b"skip_dict = 1\n", "is no mapping"),
    "XPU: no list": ("xpu-skip-list", b"skip_dict = {\n  'a.py': 1}\n", "no file with a list"),
    "XPU: no test": ("xpu-skip-list", b"skip_dict = {\n  'a.py': (b,)}\n", "no name of a test"),
    # What vLLM's plugins expect with lm-eval.
    "lm-eval: no task": ("lm-eval", b"model_name: a\nmetrics: 1\n", "tasks: field required"),
    "lm-eval: a name of control characters": (
        "lm-eval",
        b'model_card: {model_name: "a\\e", tasks: b}\nmetrics: {name: c, value: 1}\n',
        "",
    ),
    # ExecuTorch's CSV and JSON.
    "ExecuTorch: nothing": ("executorch-csv", b"", "the file is empty"),
    "ExecuTorch: another header": ("executorch-csv", b"a,b\n", "is missing"),
    "ExecuTorch: a quotation without end": (
        "executorch-csv",
        (_HEADER + '"x,y\n' * 3).encode(),
        "invalid CSV",
    ),
    "ExecuTorch: a cell without end": (
        "executorch-csv",
        (_HEADER + '"' + "x\n" * 200_000).encode(),
        "invalid CSV",
    ),
    "ExecuTorch: parameters in each other": (
        "executorch-csv",
        (_HEADER + f'i,c,xnnpack,"{"[" * 50_000}",Pass,,True\n').encode(),
        "not a valid set of parameters",
    ),
    "ExecuTorch: parameters of Python": (
        "executorch-csv",
        (_HEADER + "i,c,xnnpack,\"__import__('os')\",Pass,,True\n").encode(),
        "not a valid set of parameters",
    ),
    "ExecuTorch as JSON: nothing": ("executorch-json", b"{}", "field required"),
    "ExecuTorch as JSON: lists in lists": ("executorch-json", b"[" * 1_000_000, "deeply"),
    # TorchBench.
    "TorchBench: nothing": ("torchbench", b"{}", "metrics"),
    "TorchBench: lists in lists": ("torchbench", b"[" * 1_000_000, "nested too deep"),
    "TorchBench: metrics that are none": ("torchbench", _json({"metrics": 7}), "metrics"),
    "TorchBench: names that are none": (
        "torchbench",
        _json({"name": [], "environ": 7, "metrics": {"": {}}}),
        "names no test",
    ),
    "TorchBench: an escape in a device": (
        "torchbench",
        _json({"name": "x", "environ": {"device": "a\x1b[31m"}, "metrics": {}}),
        "environ.hardware: the character U+001B",
    ),
}
