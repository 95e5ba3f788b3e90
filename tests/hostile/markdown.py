"""Markdown as a vendor may write it: what is refused, and what is accepted and must be harmless."""

from __future__ import annotations

from collections.abc import Mapping

from tests.hostile.texts import ELEMENTS, MUTATIONS

RAW_HTML = "raw HTML is not allowed"
NO_ADDRESS = "is not a web address"

_BLOCKS = {
    "in a heading": "### <img src=x onerror=alert(1)>",
    "in a table": "| a |\n| - |\n| <img src=x onerror=alert(1)> |",
    "in a list": "- x\n- <img src=x onerror=alert(1)>",
    "in a quotation": "> <script>alert(1)</script>",
    "in the words of a link": "[<img src=x onerror=alert(1)>](https://example.org/)",
    "in emphasis": "*<b>x</b>*",
    "with Markdown in it": '<div markdown="1">\n\n# Big\n\n</div>',
    "behind an open fence": "```\nx\n```\n\n<script>alert(1)</script>",
    "an end tag alone": "</article>",
    "a comment": "<!-- x -->",
}
_ADDRESSES = {
    "javascript": "javascript:alert(1)",
    "javascript in mixed letters": "JaVaScRiPt:alert(1)",
    "javascript with a tab as entity": "java&#9;script:alert(1)",
    "javascript with a line feed as entity": "java&#10;script:alert(1)",
    "javascript with a colon as entity": "javascript&colon;alert(1)",
    "javascript with numbers": "&#106;avascript:alert(1)",
    "javascript behind a control sign": "&#1;javascript:alert(1)",
    "javascript in percent signs": "%6aavascript:alert(1)",
    "javascript behind slashes": "javascript://example.org/%0aalert(1)",
    "vbscript": "vbscript:msgbox(1)",
    "data": "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "a picture as data": "data:image/svg+xml,<svg/onload=alert(1)>".replace("<", "%3C"),
    "a file": "file:///etc/passwd",
    "plain http": "http://example.org/",
    "no scheme": "//evil.example/",
    "backslashes": "https:\\\\evil.example",
    "a place on the page": "#install",
    "another page": "../../results/",
    "a blob": "blob:https://example.org/1",
    "a page's source": "view-source:https://example.org/",
    "mail": "mailto:x@example.org",
    "an application": "ms-settings:privacy",
    "a user before the host": "https://pytorch.org@evil.example/",
    "a point in percent signs": "https://pytorch.org%2Fevil.example/",
    "nothing": "",
}
_OTHER_LINKS = {
    "a definition": ("[x][y]\n\n[y]: http://example.org/", NO_ADDRESS),
    "a definition with a title": ('[x]\n\n[x]: http://a.example "onmouseover=x"', NO_ADDRESS),
    "a footnote": ("x[^1]\n\n[^1]: y", NO_ADDRESS),
    "a citation of markup": ("[@x|script|]", "is not declared"),
    "a citation of nothing": ("[@]", "is not declared"),
    "a citation of a path": ("[@../x]", "is not declared"),
    "between angle brackets": ("<http://example.org/>", NO_ADDRESS),
    "a picture": ("![x](https://evil.example/x.png)", "images are not allowed"),
    "a picture by reference": ("![x]\n\n[x]: https://evil.example/x.png", "images are not allowed"),
    "a picture in a link": (
        "[![x](https://evil.example/x.png)](https://example.org/)",
        "images are not allowed",
    ),
}

REFUSED: Mapping[str, tuple[str, str]] = {
    **{f"raw HTML: {name}": (text, RAW_HTML) for name, text in _BLOCKS.items()},
    **{
        f"raw HTML: {name}": (text, RAW_HTML)
        for name, text in {**ELEMENTS, **MUTATIONS}.items()
        # Not HTML to Markdown: it stands as text.
        if name
        not in {
            "a handler in a tag that is not closed",
            "a handler with a slash for a space",
            "a handler of SVG",
            "a backslash before a bracket",
            "an attribute behind a double quote",
            "an attribute behind a single quote",
            "an attribute without quotes",
            "an attribute behind a backtick",
            "a handler behind a line feed as entity",
            "entities for brackets",
            "numbers for brackets",
            "numbers without semicolons",
            "entities twice",
            "brackets of full width",
            "percent signs",
        }
    },
    **{
        f"a link: {name}": (f"[x]({address})", NO_ADDRESS)
        for name, address in _ADDRESSES.items()
        if name
        # To Markdown these are no links at all.
        not in {
            "javascript",
            "javascript in mixed letters",
            "javascript with a colon as entity",
            "javascript with numbers",
            "javascript behind slashes",
            "vbscript",
            "data",
            "a picture as data",
            "a file",
        }
    },
    **{f"a link: {name}": case for name, case in _OTHER_LINKS.items()},
}

ACCEPTED: Mapping[str, str] = {
    **{
        f"no link: {name}": f"[x]({address})"
        for name, address in _ADDRESSES.items()
        if f"a link: {name}" not in REFUSED
    },
    **{
        f"no HTML: {name}": text
        for name, text in {**ELEMENTS, **MUTATIONS}.items()
        if f"raw HTML: {name}" not in REFUSED
    },
    "a second definition, which no rule sees": (
        "[x][y]\n\n[y]: https://example.org/\n[y]: javascript:alert(1)"
    ),
    "a definition that is none": "[x][y]\n\n[y]: javascript:alert(1)\n[y]: http://example.org/",
    "a title that closes the attribute": '[x](https://example.org/ "\\" onmouseover=\\"alert(1)")',
    "an address that closes the attribute": '[x](<https://example.org/"onmouseover="alert(1)>)',
    "an address with brackets": "[x](https://example.org/%3Cscript%3E)",
    "an attribute list behind a heading": "### x {: onclick=alert(1) #install }",
    "an attribute list behind a link": "[x](https://example.org/){: onclick=alert(1) }",
    "an attribute list behind code": "`x`{: onclick=alert(1) }",
    "a fence with attributes": "``` { .python onclick=alert(1) }\nx\n```",
    "a fence whose language closes a tag": '```"><script>alert(1)</script>\nx\n```',
    "a fence with a title": '``` py title="<img src=x onerror=alert(1)>" hl_lines="1"\nx\n```',
    "a diagram": "```mermaid\ngraph TD; A[<img src=x onerror=alert(1)>]\n```",
    "a fence in a fence": "````\n```\n<script>alert(1)</script>\n```\n````",
    "a script as code": "`<script>alert(1)</script>`",
    "a script as a block of code": "    <script>alert(1)</script>",
    "a snippet": '--8<-- "/etc/passwd"',
    "a snippet over lines": "--8<--\n/etc/passwd\n--8<--",
    "an include": "{!/etc/passwd!}",
    "an expression of Jinja": "{{ 7 * 7 }} {% raw %} {{ config }}",
    "an admonition": '!!! danger "<b>x</b>"\n\n    x'.replace("<b>x</b>", "x"),
    "a tab": '=== "Linux"\n\n    x',
    "a definition list": "CUDA\n:   a definition",
    "an abbreviation": "*[CUDA]: something else",
    "a heading with the id of a section": "### install\n\n#### install",
    "headings of one name": "### Twice\n\n### Twice\n\n### Twice 2",
    "a heading without letters": "### ???\n\n### \u4e2d\u6587",
    "a citation with a space": "[@no such] [@",
    "entities of letters": "&#x6a;avascript&colon;alert(1) &Tab;&NewLine;",
    "a table with attributes": "| a {: onclick=x } |\n| - |\n| b |",
    "a list that starts at a billion": "999999999. x",
    "quotations in each other": "> " * 30 + "x",
    "a rule of signs": "* * *",
    "a backslash at each letter": "\\<\\s\\c\\r\\i\\p\\t\\>",
    "an address as text": "https://evil.example/<x> www.evil.example".replace("<x>", ""),
    "a raw-HTML place of the portal": '`<div data-raw-html="1"></div>`',
    "an emoji": ":material-account: :smile:",
    "a task": "- [x] done",
    "math": "$$\\href{javascript:alert(1)}{x}$$ \\(x\\)",
    "a key": "++ctrl+alt+del++",
    "critic marks": "{++x++} {--y--} {>>z<<}",
    "a highlight": "==x== ^^y^^ ~~z~~",
}
