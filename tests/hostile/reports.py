"""Reports that must be refused, as the bytes of a file in `results/`, and words of the problem."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

NO_JSON = "invalid JSON"
NO_TEXT = "is not UTF-8"

GOOD: dict[str, Any] = {
    "schema_version": 1,
    "accelerator": "example",
    "kind": "self-reported",
    "trigger": {"kind": "nightly"},
    "started": "2026-01-02T03:00:00Z",
    "environment": {"torch": "1.10.0"},
    "suites": [{"name": "made-up", "kind": "unit"}],
    "tests": [{"suite": "made-up", "name": "first", "outcome": "passed"}],
}
TEST: dict[str, Any] = GOOD["tests"][0]


def _raw(old: str, new: str) -> bytes:
    text = json.dumps(GOOD)
    assert old in text
    return text.replace(old, new, 1).encode()


def _with(**fields: Any) -> bytes:  # noqa: ANN401 - any JSON
    return json.dumps(GOOD | fields).encode()


def _test(**fields: Any) -> bytes:  # noqa: ANN401 - any JSON
    return _with(tests=[TEST | fields])


def _suite(name: str) -> bytes:
    return _with(suites=[{"name": name, "kind": "unit"}], tests=[TEST | {"suite": name}])


def _mode(mode: str) -> bytes:
    return _test(parameters={"mode": mode})


_NAME = '"first"'

REFUSED: Mapping[str, tuple[bytes, str]] = {
    # No JSON.
    "nothing": (b"", NO_JSON),
    "zeros": (b"\x00" * 1000, NO_JSON),
    "YAML": (b"schema_version: 1\n", NO_JSON),
    "two values": (json.dumps(GOOD).encode() * 2, NO_JSON),
    **{
        f"the sign {sign!a} as a verdict": (_test(**field), "is not allowed in a name")
        for sign in "\u2713\u2705\u2715\u25cb\u2260\U0001f7e2\U0001f5f8\U0001fbb1\U00010102"
        for field in ({"name": f"{sign} x"}, {"parameters": {"device": f"x {sign}"}})
    },
    "a verdict as a card": (_with(environment={"hardware": "\u2705 x"}), "in a name"),
    "half a value": (json.dumps(GOOD).encode()[:100], NO_JSON),
    "a comment": (b"// x\n" + json.dumps(GOOD).encode(), NO_JSON),
    "UTF-16": (json.dumps(GOOD).encode("utf-16"), NO_TEXT),
    "bytes that are no UTF-8": (_raw(_NAME, '"X"').replace(b"X", b"\xff"), NO_TEXT),
    "half a pair": (_raw(_NAME, '"\\ud800"'), "name: input should be a valid string"),
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
    # Numbers.
    "not a valid JSON number": (_raw('"schema_version": 1', '"schema_version": NaN'), NO_JSON),
    "a version of the future": (_with(schema_version=2), "newer than 1"),
    "a version of 4,000 digits": (_raw(": 1,", f": {'9' * 4000},"), "schema_version"),
    "a version that is a text": (_with(schema_version="1"), "schema_version"),
    "a figure that is infinite": (_raw('"passed"', '"passed", "duration_s": Infinity'), NO_JSON),
    "a figure that is none": (_raw('"passed"', '"passed", "duration_s": NaN'), NO_JSON),
    "a figure that is too large": (
        _raw('"passed"', '"passed", "duration_s": 1e999'),
        "too large for a number",
    ),
    "a time below nothing": (_test(duration_s=-1), "duration_s"),
    "a plan below nothing": (
        _with(suites=[{"name": "made-up", "kind": "unit", "planned": -1}]),
        "planned",
    ),
    "no device": (_with(environment={"hardware_count": 0}), "hardware_count"),
    # Keys and values.
    "an unknown key": (_with(__class__="x"), "__class__"),
    "an unknown key of a test": (_test(onclick="alert(1)"), "onclick"),
    "an outcome that does not exist": (_test(outcome="<b>passed</b>"), "outcome"),
    "a kind that does not exist": (_with(kind="made-here-honestly"), "kind"),
    "tests that are none": (_with(tests={"0": TEST}), "tests"),
    "a name that is too long": (_test(name="x" * 201), "name"),
    "no name": (_test(name=""), "name"),
    "a name with letters that nobody sees": (
        _test(name="a\U000e0041b"),
        "U+E0041 is not allowed in text",
    ),
    "a name with an escape": (_test(name="\x1b]0;x\x07"), "U+001B is not allowed in text"),
    "a repository of points": (
        _with(trigger={"kind": "nightly", "repository": "a/.."}),
        "repository",
    ),
    "a name that is a number": (_test(name=1), "name"),
    "a reason that is too long": (_test(reason="x" * 4001), "reason"),
    "a log that is too long": (_test(log_tail="x" * 4001), "log_tail"),
    "a parameter with markup for a name": (_test(parameters={"<b>": 1}), "parameters"),
    "a parameter that is a list": (_test(parameters={"a": []}), "parameters"),
    "too many parameters": (_test(parameters={f"p{n}": 1 for n in range(41)}), "parameters"),
    "too many links": (
        _test(evidence=[{"label": "x", "url": "https://example.org/"}] * 41),
        "evidence",
    ),
    "too many packages": (
        _with(environment={"packages": {f"p{n}": "1" for n in range(1001)}}),
        "packages",
    ),
    "a day before all days": (_with(started="0001-01-01T00:00:00+14:00"), "started"),
    "a moment without a zone": (_with(started="2026-01-02T03:00:00"), "started"),
    "a moment that does not exist": (_with(started="2026-02-30T03:00:00Z"), "started"),
    "a moment in the future": (_with(started="9999-01-01T00:00:00Z"), "future"),
    # Addresses.
    "an issue of javascript": (_test(known_issue={"url": "javascript:alert(1)"}), "known_issue"),
    "evidence as data": (
        _test(evidence=[{"label": "x", "url": "data:text/html,<script>alert(1)</script>"}]),
        "evidence",
    ),
    "evidence with a hidden character": (
        _test(evidence=[{"label": "x", "url": "https://example.org/\u202egpj.exe"}]),
        "evidence",
    ),
    "a repository that is an address": (
        _with(trigger={"kind": "nightly", "repository": "https://evil.example"}),
        "repository",
    ),
    "a repository with a quotation mark": (
        _with(trigger={"kind": "nightly", "repository": 'a/b"onclick="x'}),
        "repository",
    ),
    "a repository in another alphabet": (
        _with(trigger={"kind": "nightly", "repository": "pyt\u043erch/pytorch"}),
        "repository",
    ),
    "a commit that is a path": (
        _with(trigger={"kind": "nightly", "commit": "../../x"}),
        "commit",
    ),
    # Names that become addresses and files.
    "a suite that is a path": (_suite("../x"), "name"),
    "a suite in capitals": (_suite("MadeUp"), "name"),
    "a suite with a zero": (_suite("a\u0000b"), "name"),
    "a suite on the dashboard's page": (_suite("dashboard"), "is a reserved"),
    "a suite on the page of changes": (_suite("changes"), "is a reserved"),
    "a suite in the folder of runs": (_suite("runs"), "is a reserved"),
    "a suite on the index": (_suite("index"), "is a reserved"),
    "a mode that is a path": (_mode("/../../../../evil"), "is not a valid mode"),
    "a mode with a slash": (_mode("a/b"), "is not a valid mode"),
    "a mode with a zero": (_mode("a\u0000b"), "the character U+0000 is not allowed in text"),
    "a mode that is too long for a file": (_mode("x" * 400), "is not a valid mode"),
    "a mode of markup": (_mode("<script>alert(1)</script>"), "is not a valid mode"),
    # What would be too many pages, or cells.
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
    # Claims.
    "a report about another platform": (_with(accelerator="other"), "the report is about"),
    "a report about a path": (_with(accelerator="../other"), "accelerator"),
    "a suite that is not declared": (
        _with(tests=[TEST, TEST | {"suite": "other"}]),
        "is used in tests but missing from suites",
    ),
    "a test twice": (_with(tests=[TEST, TEST]), "is listed twice"),
    "more tests than were planned": (
        _with(suites=[{"name": "made-up", "kind": "unit", "planned": 0}]),
        "planned 0",
    ),
}
