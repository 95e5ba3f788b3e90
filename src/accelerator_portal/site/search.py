"""Writes the index of the site's search with Pagefind, from the content of each page.

Pagefind stores the index in small parts, and a reader's browser loads the parts that have the words
of a query: see site_src/theme/assets/scripts/search.js. Its format: https://pagefind.app/docs/
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

import rjieba
from selectolax.lexbor import LexborHTMLParser

SEARCH_FOLDER = "pagefind"  # of the site, with a folder for each language

# Characters that belong to a word: "torch.compile", "torch_npu", "2.14.0+cpu".
_WORD_CHARACTERS = "._+"

# Forms for a search that Pagefind brings. The site has its own.
_UNUSED = ("*-ui.*", "pagefind-highlight.js")

_CHINESE = re.compile("[\u3400-\u9fff]+")
_TEXT = re.compile("(?<=>)[^<>]+")
_SECTION = re.compile(r"(?=<h[2-6][\s>])")
_CELL_END = re.compile("</(?:dt|dd|th|td)>")
_EXCLUDED = "[data-search-exclude], .cite, form, script, style"


@dataclass(frozen=True, slots=True)
class SearchedPage:
    """A page that the search finds.

    `url` is relative to the site's root. `tags` are words that people search for and that may be
    missing on the page. A page with a larger `boost` stands before others with its words. With
    `split`, each section is a result of its own.
    """

    url: str
    title: str
    html: str
    tags: tuple[str, ...] = ()
    boost: float = 1
    split: bool = False


def write_search_index(pages: Collection[SearchedPage], language: str, folder: Path) -> None:
    """Write the index of the pages that a reader of the language finds.

    Raises ChildProcessError with Pagefind's output if it fails.
    """
    if language == "zh":
        for tag in {tag for page in pages for tag in page.tags if _CHINESE.fullmatch(tag)}:
            rjieba.add_word(tag, None, None)  # the name of a vendor is one word
    with tempfile.TemporaryDirectory(prefix="portal-search-") as name:
        for number, text in enumerate(text for page in pages for text in _records(page)):
            words = _TEXT.sub(_with_spaces, text) if language == "zh" else text
            Path(name, f"{number}.html").write_text(words, encoding="utf-8")
        command = (sys.executable, "-m", "pagefind", "--site", name, "--output-path", str(folder))
        options = ("--force-language", language, "--include-characters", _WORD_CHARACTERS)
        done = subprocess.run((*command, *options), capture_output=True, text=True, check=False)
    if done.returncode:
        raise ChildProcessError(f"Pagefind failed: {done.stderr.strip() or done.stdout.strip()}")
    for unused in [path for pattern in _UNUSED for path in folder.glob(pattern)]:
        unused.unlink()


def _records(page: SearchedPage) -> Iterator[str]:
    """Return what Pagefind reads of a page: one HTML document, or one for each section."""
    content = LexborHTMLParser(page.html)
    for excluded in content.css(_EXCLUDED):
        excluded.decompose()
    html = (content.body and content.body.inner_html) or ""
    html = _CELL_END.sub(r"\g<0> ", html)  # Pagefind would join the texts of two cells
    first, *sections = _SECTION.split(html) if page.split else [html]
    tags = " ".join(page.tags)
    heading = "" if "<h1" in first else f"<h1>{escape(page.title)}</h1>"
    yield _record(page, page.url, page.title, heading + first, tags)
    for section in sections:
        own = LexborHTMLParser(section).css_first("h2, h3, h4, h5, h6")
        anchor = (own and own.attributes.get("id")) or ""
        title = own.text(strip=True) if own else ""
        yield _record(page, f"{page.url}#{anchor}", title, section)


def _record(page: SearchedPage, address: str, title: str, html: str, tags: str = "") -> str:
    facts = {"address": address, "title": title, "tags": tags, "boost": f"{page.boost:g}"}
    meta = "".join(
        f'<meta data-pagefind-meta="{name}[content]" content="{escape(text)}">'
        for name, text in facts.items()
        if text
    )
    return f"<!doctype html><html><body><main data-pagefind-body>{meta}{html}</main></body></html>"


def _with_spaces(text: re.Match[str]) -> str:
    """Return a text with spaces between and around its Chinese words."""
    return _CHINESE.sub(lambda chinese: f" {' '.join(rjieba.cut(chinese[0]))} ", text[0])
