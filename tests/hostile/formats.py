"""Files of other formats, as a vendor's CI may hand them over: name of the format, bytes, words.

An empty word: the file is read, and what is harmful in it is gone or is mere text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import yaml

from tests.hostile.imported_files import JSON

DOCTYPE, NO_XML = "document type", "invalid XML"


_SHORT = yaml.safe_load(Path(__file__).with_name("formats.yaml").read_text("utf-8"))


def _again(number: int) -> str:
    return f"&l{number};" * 10


_LAUGHS = '<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{n} "{_again(n - 1)}">' for n in range(1, 10))
_LONG = "x" * 10_000
_MANY = " ".join(f"a{n}='1'" for n in range(200_000))
_CASE = '<testsuites><testsuite name="s"><testcase name="t">{}</testcase></testsuite></testsuites>'


def _suites(inside: str, before: str = "") -> bytes:
    return (before + _CASE.replace("{}", inside)).encode()


def _ctrf(old: str, new: str) -> bytes:
    text = json.dumps(JSON["ctrf"])
    assert old in text
    return text.replace(old, new, 1).encode()


_HEADER = "Test ID,Test Case,Flow,Params,Result,Result Detail,Delegated\n"

CASES: Mapping[str, tuple[str, bytes, str]] = {
    **{
        name: (form, text.encode(), words)
        for form, cases in _SHORT.items()
        for name, (text, words) in cases.items()
    },
    "a billion laughs": ("junit", _suites("&l9;", f"<!DOCTYPE x [{_LAUGHS}]>"), DOCTYPE),
    "a long entity, many times": (
        "junit",
        _suites("&a;" * 10_000, f'<!DOCTYPE x [<!ENTITY a "{_LONG}">]>'),
        DOCTYPE,
    ),
    "elements in elements": ("junit", _suites("<a>" * 100_000), "nested elements"),
    "a tag without end": ("junit", b'<testsuites name="' + b"x" * 3_000_000, "one tag has more"),
    "attributes without end": ("junit", _suites(f"<x {_MANY}/>"), ""),
    "a comment without end": ("junit", b"<testsuites><!-- " + b"x" * 1_000_000, NO_XML),
    "suites without end": (
        "junit",
        b"<testsuites>" + b"<testsuite/>" * 100_001 + b"</testsuites>",
        "more than 100,000 suites",
    ),
    "CTRF: no number": (
        "ctrf",
        _ctrf('"duration": 3', '"duration": NaN'),
        "",
    ),
    "CTRF: infinity": (
        "ctrf",
        _ctrf('"duration": 3', '"duration": -Infinity'),
        "",
    ),
    "CTRF: a number too large": ("ctrf", _ctrf('"duration": 3', '"duration": 1e999'), ""),
    "CTRF: too many digits": (
        "ctrf",
        _ctrf('"duration": 3', f'"duration": {"9" * 5000}'),
        "a number has too many digits",
    ),
    "CTRF: lists in lists": ("ctrf", b"[" * 1_000_000, "nested too deeply"),
    "CTRF: half a pair": ("ctrf", _ctrf('"test_a"', '"\\ud800"'), "name"),
    "CTRF: a zero in a name": ("ctrf", _ctrf('"test_a"', '"a\\u0000b"'), ""),
    "CTRF: tests that are none": ("ctrf", _ctrf('[{"name"', '[7, {"name"'), "tests"),
    "CTRF: an escape in a system": (
        "ctrf",
        _ctrf('"linux"', '"\\u001b"'),
        "results.environment.os: the character U+001B",
    ),
    "CSV: columns without end": ("dynamo-csv", b"name,accuracy" + b",c" * 5000 + b"\n", "columns"),
    "CSV: a line without end": ("dynamo-csv", b"name,accuracy\n" + b"x" * 2_000_000, "characters"),
    "CSV: bytes that are no UTF-8": ("dynamo-csv", b"name,accuracy\n\xff,pass\n", "not UTF-8"),
    "TT-XLA: levels without end": ("tt-xla", b"test_config: " + b"[" * 5000, "levels"),
    "FlagGems: levels without end": ("flaggems", b"import flag_gems\n" + b"(" * 9000, "Python"),
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
    "ExecuTorch as JSON: lists in lists": (
        "executorch-json",
        b'{"tests": ' + b"[" * 1_000_000,
        "deeply",
    ),
    "TorchBench: lists in lists": ("torchbench", b"[" * 1_000_000, "nested too deep"),
}
