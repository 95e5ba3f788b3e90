"""YAML that must be refused: what goes into `accelerator.yaml`, and words of the problem."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

ANCHOR, TAG, LARGE, HIDDEN = "anchor", "the tag", "too deep or too large", "is not allowed in text"

_LAUGHS = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10))

# Instead of the line `vendor: …`.
_SHORT = yaml.safe_load(Path(__file__).with_name("yaml_lines.yaml").read_text("utf-8"))

LINES: Mapping[str, tuple[str, str]] = {
    **{name: (text, words) for name, (text, words) in _SHORT.items()},
    "a billion laughs": (f"l0: &l0 [lol]\n{_LAUGHS}\nvendor: x", ANCHOR),
    "one long text, many times": (
        "x: &x '" + "x" * 10_000 + "'\ny: [" + "*x, " * 2000 + "]\nvendor: x",
        ANCHOR,
    ),
    "lists in lists without end": ("vendor: " + "[" * 100_000, LARGE),
    "mappings in mappings without end": ("vendor: " + "{a: " * 50_000, LARGE),
    "lists in lists on one line": ("vendor:\n  " + "- " * 50_000 + "x", LARGE),
    "mappings in mappings by indentation": (
        "\n".join(f"{' ' * n}a{n}:" for n in range(300)),
        LARGE,
    ),
    "many values": ("vendor: [" + "x, " * 30_000 + "]", LARGE),
    "many unknown keys": ("\n".join(f"vendor{n}: x" for n in range(9000)), "unknown key"),
    "a key without end": ("? " + "x" * 200_000 + "\n: x", "unknown key"),
    "a number of 5,000 digits": (f"vendor: {'9' * 5000}", "too long for a number"),
    "a number of 5,000 digits in hex": (f"vendor: 0x{'f' * 5000}", "too long for a number"),
    "a number of 5,000 parts": (f"vendor: 1{':1' * 5000}", "too long for a number"),
    "too many letters": (f"vendor: {'x' * 401}", "more than 400 characters"),
}

# Instead of the whole file.
FILES: Mapping[str, tuple[bytes, str]] = {
    "nothing": (b"", "the file is empty"),
    "a comment": (b"# x\n", "the value is empty"),
    "a word": (b"x\n", "a mapping"),
    "a list of words": (b"- x\n", "a mapping"),
    "zeros": (b"\x00" * 1000, "binary"),
    "a zero within": (b"vendor: a\x00b\n", "binary"),
    "UTF-16": ("vendor: x\n".encode("utf-16"), "binary"),
    "UTF-16 without a mark": ("vendor: x\n".encode("utf-16-le"), "binary"),
    "UTF-32": ("vendor: x\n".encode("utf-32"), "binary"),
    "Latin 1": ("vendor: é\n".encode("latin-1"), "is not UTF-8"),
    "a zero of two bytes": (b"vendor: \xc0\x80\n", "is not UTF-8"),
    "a slash of two bytes": (b"vendor: \xc0\xaf\n", "is not UTF-8"),
    "half a pair in UTF-8": (b"vendor: \xed\xa0\x80\n", "is not UTF-8"),
    "a letter beyond Unicode": (b"vendor: \xf5\x80\x80\x80\n", "is not UTF-8"),
    "half a letter": (b"vendor: \xe2\x82", "is not UTF-8"),
    "too many bytes": (b"#" * (256 * 1024 + 1), "more than 262,144"),
    "a picture": (b"\x89PNG\r\n\x1a\n\x00", "binary"),
    "a program": (b"\x7fELF\x02\x01\x01\x00", "binary"),
    "a tag by a directive": (
        b"%TAG ! tag:yaml.org,2002:python/\n---\nvendor: !name:os.system x\n",
        TAG,
    ),
    "a version that does not exist": (b"%YAML 9.9\n---\nvendor: x\n", "not valid YAML"),
    "a first document that is empty": (b"---\n---\nvendor: x\n", LARGE),
    "a bracket": (b"[", "not valid YAML"),
    "a quotation mark": (b"vendor: '", "not valid YAML"),
    "a colon too many": (b"vendor: a: b", "not valid YAML"),
}
