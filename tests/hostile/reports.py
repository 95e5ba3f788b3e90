"""Reports that must be refused, as the bytes of a file in `results/`, and words of the problem."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.reports.examples import REPORT as GOOD
from tests.reports.examples import TEST

__all__ = ["GOOD", "REFUSED", "TEST"]

NO_JSON = "invalid JSON"
NO_TEXT = "is not UTF-8"


def _raw(old: str, new: str) -> bytes:
    text = json.dumps(GOOD)
    assert old in text
    return text.replace(old, new, 1).encode()


def _with(**fields: Any) -> bytes:  # noqa: ANN401 - any JSON
    return json.dumps(GOOD | fields).encode()


def _test(**fields: Any) -> bytes:  # noqa: ANN401 - any JSON
    return _with(tests=[TEST | fields])


def _content(case: Mapping[str, Any]) -> bytes:
    """The file that a case of the table describes."""
    match case:
        case {"report": fields}:
            return _with(**fields)
        case {"test": fields}:
            return _test(**fields)
        case {"suite": name}:
            return _with(suites=[{"name": name, "kind": "unit"}], tests=[TEST | {"suite": name}])
        case {"mode": mode}:
            return _test(parameters={"mode": mode})
        case _:
            return _raw(*case["text"])


_NAME = '"first"'
_TABLE = yaml.safe_load(Path(__file__).with_name("reports.yaml").read_text("utf-8"))

REFUSED: Mapping[str, tuple[bytes, str]] = {
    **{name: (_content(case), case["says"]) for name, case in _TABLE.items()},
    "nothing": (b"", NO_JSON),
    "zeros": (b"\x00" * 1000, NO_JSON),
    "YAML": (b"schema_version: 1\n", NO_JSON),
    "two values": (json.dumps(GOOD).encode() * 2, NO_JSON),
    **{
        f"the sign {sign!a} as a verdict": (_test(**field), "is not allowed in a name")
        for sign in "\u2713\u2705\u2715\u25cb\u2260\U0001f7e2\U0001f5f8\U0001fbb1\U00010102"
        for field in ({"name": f"{sign} x"}, {"parameters": {"device": f"x {sign}"}})
    },
    "half a value": (json.dumps(GOOD).encode()[:100], NO_JSON),
    "a comment": (b"// x\n" + json.dumps(GOOD).encode(), NO_JSON),
    "UTF-16": (json.dumps(GOOD).encode("utf-16"), NO_TEXT),
    "bytes that are no UTF-8": (_raw(_NAME, '"X"').replace(b"X", b"\xff"), NO_TEXT),
    "half a pair in UTF-8": (_raw(_NAME, '"X"').replace(b"X", b"\xed\xa0\x80"), NO_TEXT),
    "lists without end": (b"[" * 1_000_000, NO_JSON),
    "mappings without end": (b'{"a":' * 500_000, NO_JSON),
    "lists within a value": (
        _raw('"environment": {"torch": "1.10.0"}', '"environment": ' + "[" * 5000 + "]" * 5000),
        NO_JSON,
    ),
    "a list": (b"[]", "the report"),
    "a text": (b'"x"', "the report"),
    "a number": (b"1", "the report"),
    "a version of 4,000 digits": (_raw(": 1,", f": {'9' * 4000},"), "schema_version"),
    "a reason that is too long": (_test(reason="x" * 4001), "reason"),
    "a log that is too long": (_test(log_tail="x" * 4001), "log_tail"),
    "too many parameters": (_test(parameters={f"p{n}": 1 for n in range(41)}), "parameters"),
    "too many links": (
        _test(evidence=[{"label": "x", "url": "https://example.org/"}] * 41),
        "evidence",
    ),
    "too many packages": (
        _with(environment={"packages": {f"p{n}": "1" for n in range(1001)}}),
        "packages",
    ),
    "a mode that is too long for a file": (
        _test(parameters={"mode": "x" * 400}),
        "is not a valid mode",
    ),
    "a thousand suites": (
        _with(suites=[{"name": f"s{n}", "kind": "unit"} for n in range(1000)]),
        "1,000 suites",
    ),
    "a thousand modes": (
        _with(tests=[TEST | {"parameters": {"mode": f"m{n}"}} for n in range(1000)]),
        "1,000 modes",
    ),
    "a table without end": (
        _with(tests=[TEST | {"name": f"t{n}", "parameters": {"case": n}} for n in range(2000)]),
        "4,000,000 cells",
    ),
}
