"""YAML that must be refused: what goes into `accelerator.yaml`, and words of the problem."""

from __future__ import annotations

from collections.abc import Mapping

ANCHOR, TAG, LARGE, HIDDEN = "anchor", "the tag", "too deep or too large", "is not allowed in text"

_LAUGHS = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10))

# Instead of the line `vendor: …`.
LINES: Mapping[str, tuple[str, str]] = {
    # Objects.
    "a call": ("vendor: !!python/object/apply:os.system [id]", TAG),
    "an object": ("vendor: !!python/object/new:subprocess.Popen [[id]]", TAG),
    "a function": ("vendor: !!python/name:os.system", TAG),
    "a module": ("vendor: !!python/module:os", TAG),
    "a tuple": ("vendor: !!python/tuple [x]", TAG),
    "bytes": ("vendor: !!binary aGk=", TAG),
    "a set": ("vendor: !!set {a, b}", TAG),
    "pairs": ("vendor: !!omap [a: b]", TAG),
    "a tag of one's own": ("vendor: !include /etc/passwd", TAG),
    "a tag in full": ("vendor: !<tag:yaml.org,2002:python/name:os.system> x", TAG),
    "a tag on a key": ("!!str vendor: x", TAG),
    "a tag that says text": ("vendor: !!str 1", TAG),
    # What grows, or refers to itself.
    "an anchor": ("vendor: &a x", ANCHOR),
    "an anchor on a key": ("&a vendor: x", ANCHOR),
    "a billion laughs": (f"l0: &l0 [lol]\n{_LAUGHS}\nvendor: x", ANCHOR),
    "one long text, many times": (
        "x: &x '" + "x" * 10_000 + "'\ny: [" + "*x, " * 2000 + "]\nvendor: x",
        ANCHOR,
    ),
    "a list in itself": ("vendor: &a [*a]", ANCHOR),
    "an alias of nothing": ("vendor: *nothing", "alias"),
    "a merge": ("x: &x {vendor: y}\n<<: *x", ANCHOR),
    "a merge without an alias": ("<<: {vendor: x}", 'unknown key "<<"'),
    # Depth and size.
    "lists in lists": ("vendor: " + "[" * 50 + "]" * 50, LARGE),
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
    # Keys.
    "a key twice": ("vendor: x\nvendor: y", "is already used in line"),
    "a key twice, once in quotes": ("vendor: x\n'vendor': y", "is already used in line"),
    "a key twice, once by number": ('vendor: x\n"\\u0076endor": y', "is already used in line"),
    "a key in capitals": ("Vendor: x", 'unknown key "Vendor"'),
    "a key with a Cyrillic letter": ("vend\u043er: x", "unknown key"),
    "a key of Python": ("__class__: x\nvendor: x", 'unknown key "__class__"'),
    "a key that is a list": (
        "? [a]\n: b\nvendor: x",
        "a key must be text, not a list or a mapping",
    ),
    "a key that is a mapping": (
        "? {a: b}\n: c\nvendor: x",
        "a key must be text, not a list or a mapping",
    ),
    # Documents and directives.
    "a second document": ("vendor: x\n---\nname: other", LARGE),
    "text after the end": ("vendor: x\n...\nname: other", "not valid YAML"),
    # What YAML makes of plain words.
    "nothing": ("vendor:", "expected a text"),
    "a tilde": ("vendor: ~", "read as nothing"),
    "a truth value": ("vendor: yes", "truth value"),
    "a number": ("vendor: 1.10", "the number 1.1"),
    "a number to the base of sixty": ("vendor: 1:30", "would be read as a different number"),
    "a number to the base of eight": ("vendor: 017", "would be read as a different number"),
    "a number with underscores": ("vendor: 1_000", "the number 1000"),
    "infinity": ("vendor: .inf", "the number inf"),
    "not a valid JSON number": ("vendor: .nan", "the number nan"),
    "a day": ("vendor: 2026-01-02", "the date 2026-01-02"),
    "a day that does not exist": ("vendor: 2026-02-30", "cannot be read"),
    "a moment": ("vendor: 2026-01-02T03:04:05Z", "is read as"),
    "an equals sign": ("vendor: =", "cannot be read"),
    "a number of 5,000 digits": (f"vendor: {'9' * 5000}", "too long for a number"),
    "a number of 5,000 digits in hex": (f"vendor: 0x{'f' * 5000}", "too long for a number"),
    "a number of 5,000 parts": (f"vendor: 1{':1' * 5000}", "too long for a number"),
    "a list": ("vendor: [x]", "expected a text"),
    "a mapping": ("vendor: {x: y}", "expected a text"),
    # Texts that are none.
    "no letters": ('vendor: ""', "the text is empty"),
    "spaces": ('vendor: "   "', "the text is empty"),
    "too many letters": (f"vendor: {'x' * 401}", "more than 400 characters"),
    "a line break": ('vendor: "a\\nb"', "a line break or a tab"),
    "a folded text with a line break": ("vendor: |\n  a\n  b", "a line break or a tab"),
    "a tab": ('vendor: "a\\tb"', "a line break or a tab"),
    "a tab as indentation": ("vendor: x\n\tname: y", "not valid YAML"),
    "an escape of nothing": ('vendor: "\\q"', "not valid YAML"),
    "a number beyond Unicode": ('vendor: "\\U00110000"', "not valid YAML"),
    "half a pair": ('vendor: "\\ud800"', "not valid YAML"),
    # Hidden characters, escaped so that the file itself looks clean.
    "a zero": ('vendor: "a\\0b"', HIDDEN),
    "a bell": ('vendor: "a\\ab"', HIDDEN),
    "a colour of a terminal": ('vendor: "\\e[31mred"', HIDDEN),
    "a title of a terminal": ('vendor: "\\e]0;x\\a"', HIDDEN),
    "a deletion": ('vendor: "a\\x7fb"', HIDDEN),
    "a control sign of Latin 1": ('vendor: "a\\x9bb"', HIDDEN),
    "a next line": ('vendor: "a\\Nb"', HIDDEN),
    "a line separator": ('vendor: "a\\Lb"', HIDDEN),
    "a paragraph separator": ('vendor: "a\\Pb"', HIDDEN),
    "an override of direction": ('vendor: "\\u202eemca"', HIDDEN),
    "an isolate of direction": ('vendor: "\\u2066x\\u2069"', HIDDEN),
    "a mark of direction": ('vendor: "\\u200fx"', HIDDEN),
    "a letter mark of Arabic": ('vendor: "\\u061cx"', HIDDEN),
    "a space without width": ('vendor: "Ac\\u200bme"', HIDDEN),
    "a joiner without width": ('vendor: "Ac\\u200dme"', HIDDEN),
    "a joiner of words": ('vendor: "Ac\\u2060me"', HIDDEN),
    "a soft hyphen": ('vendor: "Ac\\xadme"', HIDDEN),
    "a byte order mark within": ('vendor: "Ac\\ufeffme"', HIDDEN),
    # The same as they are.
    "an override of direction as it is": ("vendor: \u202eemca", HIDDEN),
    "a space without width as it is": ("vendor: Ac\u200bme", HIDDEN),
    "a form feed as it is": ("vendor: x\x0cy", HIDDEN),
    "an escape as it is": ("vendor: \x1b[31mred", HIDDEN),
    "a line separator as it is": ("vendor: x\u2028name: y", HIDDEN),
    # Letters that look like others.
    "a Cyrillic letter in a Latin word": ("vendor: \u0410cme Works", "letters in one word"),
    "a Greek letter in a Latin word": ("vendor: Acme W\u03bfrks", "letters in one word"),
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
