"""A Content-Security-Policy for each page, so that what a vendor writes cannot run at a reader's.

The site is served by anything that can serve files, so no header can be relied on: the policy
stands in the page. Material has a few inline scripts whose text differs with the page's depth;
the policy names each by its hash and allows no other. Hashing *every* inline script would allow
an injected one as well, so the content of a page, the part that vendors write, may hold none: a
page with one is refused.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class SecurityPolicyError(ValueError):
    """A page that cannot be given a policy; the message says why and what to do."""


# No 'unsafe-inline' for scripts. Styles need it: Material's scripts set them, and a style can
# carry nothing away, since nothing may be loaded from elsewhere.
_POLICY: Final = (
    "default-src 'self'; "
    "script-src {script}; "
    "style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; "
    "connect-src 'self'; "
    "worker-src 'self'; "
    "base-uri 'none'; "
    "form-action 'self'; "
    "object-src 'none'"
)

# Attributes as the HTML standard's tokenizer reads them: a quoted one may hold `>` or `<script>`.
# Possessive (`*+`), and what is left open lasts to the end (`\Z`), as it does for browsers: so no
# page, however odd, takes more than one pass.
_ATTRIBUTE: Final = r"""
    (?: =[^\s/>=]*+ | [^\s/>=]++ )
    (?: \s*+ = \s*+ (?: "[^"]*+(?:"|\Z) | '[^']*+(?:'|\Z) | [^\s>"'][^\s>]*+ )?+ )?+
"""
_ATTRIBUTES: Final = rf"(?: [\s/]++ | {_ATTRIBUTE} )*+"
# What is not text: comments, elements whose content is not markup, all other tags. A thing this
# reads differently from a browser (an unclosed tag, scripts in SVG) leads to a script without a
# hash, which is blocked, never to one too many in the content.
_TOKEN: Final = re.compile(
    rf"""<(?:
        !--(?: -?> | .*?(?: --!?> | \Z ))
      | (?P<raw>script|style|title|textarea|noscript|iframe|noembed|noframes|xmp)(?=[\s/>])
        (?P<attributes>{_ATTRIBUTES})> (?P<text>.*?)
        (?: </(?P=raw)(?=[\s/>]){_ATTRIBUTES}(?:>|\Z) | \Z )
      | (?P<head>head)(?=[\s/>]){_ATTRIBUTES}>
      | /?[a-z][^\s/>]*+ (?: > | {_ATTRIBUTES}(?:>|\Z) )
      | [!?/][^>]*+ (?:>|\Z)
    )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL | re.ASCII,
)
_NAME_AND_VALUE: Final = re.compile(
    r"""([^\s/>=]++) (?: \s*+ = \s*+ (?: "([^"]*+)" | '([^']*+)' | ([^\s>"'][^\s>]*+) )?+ )?+""",
    re.VERBOSE | re.ASCII,
)
_CHARSET: Final = re.compile(r"""\s*<meta\s+charset=["']?[\w-]+["']?\s*/?>""", re.IGNORECASE)
# https://mimesniff.spec.whatwg.org/#javascript-mime-type, and the other types a browser acts upon.
_EXECUTABLE: Final = re.compile(
    r"(?: module | importmap | speculationrules"
    r" | (?:text|application) / (?:x-)? (?:java|ecma)script"
    r" | text / (?: jscript | livescript | javascript1\.[0-5] ) )?",
    re.IGNORECASE | re.VERBOSE,
)
# From here on a browser no longer ends the script where one would think.
_DOUBLE_ESCAPE: Final = re.compile(r"<!--.*<script[\s/>]", re.IGNORECASE | re.DOTALL)


class _Script(NamedTuple):
    start: int
    text: str


def add_security_policy(html: str) -> str:
    """Return the rendered page with its policy, as early in its head as can be.

    Raises SecurityPolicyError when the page has no head or its content holds an inline script.
    """
    head_end: int | None = None
    scripts: list[_Script] = []
    for token in _TOKEN.finditer(html):
        if token["raw"]:
            scripts += _inline_scripts(token, html)
        elif token["head"] and head_end is None:
            head_end = token.end()
    if head_end is None:
        raise SecurityPolicyError("the page has no <head>, so there is no place for its policy")

    hashes = dict.fromkeys(_hash(script.text) for script in _outside_content(scripts, html))
    policy = _POLICY.format(script=" ".join(["'self'", *hashes]))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    # The encoding comes first: browsers look for it in the first 1024 bytes only.
    charset = _CHARSET.match(html, head_end)
    position = charset.end() if charset else head_end
    return html[:position] + meta + html[position:]


def _inline_scripts(token: re.Match[str], html: str) -> Iterator[_Script]:
    """Yield the token's script if a browser would run its text: most elements yield nothing."""
    if token["raw"].lower() != "script":
        return
    if _DOUBLE_ESCAPE.search(token["text"]):
        raise SecurityPolicyError(
            f"line {_line(html, token.start())}: a script holds '<!--' and then '<script', and "
            r"browsers disagree with eyes about its end; write '<' as '\u003c' there"
        )
    attributes: dict[str, str] = {}
    for name, *values in _NAME_AND_VALUE.findall(token["attributes"]):
        attributes.setdefault(name.lower(), "".join(values))  # of two alike, the first counts
    if (
        "src" not in attributes
        and token["text"]
        and _EXECUTABLE.fullmatch(attributes.get("type", "").strip())
    ):
        yield _Script(token.start(), token["text"])


def _outside_content(scripts: list[_Script], html: str) -> Iterator[_Script]:
    """Yield the theme's scripts; raise for one in the content.

    The content begins with the first <article> and ends with the *last* </article>, searched as
    plain text: that one is the theme's, so nothing within can end the content early.
    """
    begin, end = html.find("<article"), html.rfind("</article>")
    for script in scripts:
        if begin <= script.start < end:
            beginning = " ".join(script.text.split())[:60]
            raise SecurityPolicyError(
                f"line {_line(html, script.start)}: the page's content holds an inline script "
                f"({beginning!r}). Content cannot bring scripts: put it into a file under "
                "site_src/pages/assets/scripts/ and list that in mkdocs.yml"
            )
        yield script


def _hash(text: str) -> str:
    """What a policy calls a script: the hash of its text with line ends as browsers read them."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _line(html: str, position: int) -> int:
    return html.count("\n", 0, position) + 1
