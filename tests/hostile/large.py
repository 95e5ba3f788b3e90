"""Long guides of what makes parsers slow: each ends, soon, in some way."""

from __future__ import annotations

from collections.abc import Mapping

# A tenth of what a file may have: what takes the square of a length shows, and the rest is quick.
SIZE = 24_000


def _fill(piece: str) -> str:
    return piece * (SIZE // len(piece))


TEXTS: Mapping[str, str] = {
    "brackets": _fill("["),
    "brackets of pictures": _fill("!["),
    "links that do not end": _fill("[a]("),
    "links in links": _fill("[") + "a" + "](b)" * (SIZE // 8),
    "links with brackets": _fill("[a](<b"),
    "definitions": "".join(f"[a{n}]: https://example.org/{n}\n" for n in range(6000)),
    "definitions that do not end": _fill('[a]: b "'),
    "references": "[a]: https://example.org/\n\n" + _fill("[a] "),
    "emphasis": _fill("*a **a "),
    "stars": _fill("*"),
    "underscores": _fill("_a"),
    "stars and underscores": _fill("**x*_y_"),
    "backticks": "".join("`" * n + " " for n in range(600)),
    "backticks that do not end": _fill("`a ``b "),
    "quotations": _fill("> "),
    "quotations line by line": "\n".join("> " * n + "x" for n in range(400)),
    "lists": "\n".join("  " * n + "- x" for n in range(400)),
    "lists on a line": _fill("- "),
    "numbers": _fill("1. "),
    "headings": _fill("### a\n\n"),
    "headings of one line": "### " + _fill("a-"),
    "rules": _fill("---\n\n"),
    "underlines": _fill("a\n---\n"),
    "tables": _fill("| a |\n| - |\n| b |\n\n"),
    "columns": f"|{'a|' * 9000}\n|{'-|' * 9000}\n|{'b|' * 9000}\n",
    "rows": "| a |\n| - |\n" + _fill("| b |\n"),
    "pipes": _fill("|"),
    "tables that are none": _fill("|-\n"),
    "fences": _fill("```\n"),
    "fences in fences": "\n".join("`" * n for n in range(3, 600)),
    "spaces": "a" + " " * SIZE + "b",
    "lines without words": "\n" * SIZE,
    "tabs": _fill("\t"),
    "less than": _fill("<"),
    "elements": _fill("<a>"),
    "elements that do not end": _fill("<a b='"),
    "comments": _fill("<!--"),
    "declarations": _fill("<!A "),
    "CDATA": _fill("<![CDATA["),
    "instructions": _fill("<?"),
    "autolinks": _fill("<https:"),
    "mail addresses": _fill("<a@b."),
    "entities": _fill("&amp;"),
    "entities that do not end": _fill("&a"),
    "numbers of letters": _fill("&#x"),
    "backslashes": _fill("\\"),
    "citations": _fill("[@made-up] "),
    "citations that do not end": _fill("[@"),
    "citations of spaces": "x" + " " * (SIZE // 2) + "[@made-up",
    "one word": _fill("x"),
    "letters of four bytes": "\U0001f600" * (SIZE // 4),
    "accents": "a" + "\u0301" * (SIZE // 2),
}
