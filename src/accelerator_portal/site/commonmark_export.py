"""Converts the site's generated pages to CommonMark, so that another site generator can use them.

The pages are written for Python-Markdown with Material's extensions. Three things in these pages
are not CommonMark: ids of headings, the comments that hide HTML from MkDocs, and HTML blocks with
blank lines (in CommonMark, a blank line ends the block).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from posixpath import dirname, join, normpath
from typing import Any

import yaml

from accelerator_portal.site.site_file import SiteFile, to_root

EXPORT_INDEX = "export.json"

# Keys of a page's front matter that are exported; the other keys are for Material.
_EXPORTED_KEYS = ("title", "description")

_FRONT_MATTER = re.compile(r"\A\s*---\n(.*?)\n---\n", re.DOTALL)
_HEADING = re.compile(r"^(#+ .*?)\s*\{:\s*#([\w-]+)[^}]*\}\s*$")
_COMMENT = re.compile(r"^<!--(?:end of )?(?:raw|finished) html-->$")
_PAGE_LINK = re.compile(r"\]\(([^)\s:]+\.md)(#[\w-]+)?\)")
# A start tag can continue on the next line. html.parser would take ten times as long for all pages.
_TAG = re.compile(r"""<(/?)([a-z][\w-]*)(?:[^>"'/]|"[^"]*"|'[^']*'|/(?!>))*(?:(/)?>|["']|$)""")
# HTML with Markdown in it, which CommonMark reads after a blank line.
_AROUND_MARKDOWN = re.compile(r"""^<.* markdown="1">|^</details>$""")
_VOID_TAGS = frozenset({"br", "hr", "img", "input", "link", "meta", "source", "wbr"})


def export_files(files: Iterable[SiteFile]) -> Iterator[SiteFile]:
    """Yield the pages as CommonMark, the unchanged data files, and `export.json`, a list of pages.

    Links between pages are relative and lead to folders, as on the site: `versions/` for
    `versions/index.md`, `questions/` for `questions.md`. A site generator that uses the export must
    serve the pages at these addresses.
    """
    index: list[dict[str, str]] = []
    for file in files:
        if not file.path.endswith(".md"):
            yield file
            continue
        front_matter, body = _split_front_matter(file.content)
        entry = {
            "path": file.path,
            **{key: str(front_matter[key]) for key in _EXPORTED_KEYS if key in front_matter},
        }
        index.append(entry | ({"source": file.edit} if file.edit else {}))
        metadata = {key: front_matter[key] for key in _EXPORTED_KEYS if key in front_matter}
        metadata_yaml = yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True, width=10_000)
        yield SiteFile(
            file.path, f"---\n{metadata_yaml}---\n\n{commonmark(file.path, body)}", file.edit
        )
    data = {"format": "CommonMark with HTML", "addresses": "folders", "pages": index}
    yield SiteFile(EXPORT_INDEX, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def _split_front_matter(content: str) -> tuple[dict[str, Any], str]:
    match = _FRONT_MATTER.match(content)
    if not match:
        return {}, content
    return yaml.safe_load(match[1]) or {}, content[match.end() :]


def commonmark(path: str, text: str) -> str:
    """Return the Markdown of a page as CommonMark.

    `path` is the path of the page, and `text` is its Markdown without front matter.
    """
    lines: list[str] = []
    open_tags = _OpenTags()
    fenced = False
    for line in text.strip().split("\n"):
        if open_tags.tags and not line.strip():
            if "pre" in open_tags.tags:
                lines[-1] += "&#10;"  # a blank line would end the HTML
            continue
        if open_tags.tags:
            lines += open_tags.read(line)
            if not open_tags.tags:
                lines.append("")  # otherwise, the HTML would include the next line
            continue
        if not fenced and _AROUND_MARKDOWN.match(line):
            lines += [line.replace(' markdown="1"', ""), ""]
            continue
        fenced ^= line.startswith("```")
        if fenced or line.startswith("```"):
            lines.append(line)
        elif not _COMMENT.match(line) and (line or lines[-1:] != [""]):
            lines += (
                open_tags.read(line)
                if line.startswith("<")
                else _heading_lines(_with_page_addresses(path, line))
            )
            if line.startswith("<") and not open_tags.tags:
                lines.append("")
    return "\n".join(lines).strip() + "\n"


def _with_page_addresses(path: str, line: str) -> str:
    """Return a line of the page at `path`, with links to addresses instead of page files.

    For example, `](versions/index.md)` becomes `](versions/)` on the home page.
    """

    def address(match: re.Match[str]) -> str:
        file = normpath(join(dirname(path), match[1]))
        folder = file.removesuffix("index.md").removesuffix(".md")
        folder += "/" if folder and not folder.endswith("/") else ""
        return f"]({to_root(path)}{folder}{match[2] or ''})"

    return _PAGE_LINK.sub(address, line)


def _heading_lines(line: str) -> list[str]:
    """Return the lines of a heading, with an anchor instead of an id such as `{: #id}`.

    The anchor precedes the heading, because headings in CommonMark cannot have ids. A line without
    an id is returned unchanged.
    """
    match = _HEADING.match(line)
    return [f'<a id="{match[2]}"></a>', "", match[1]] if match else [line]


class _OpenTags:
    """Tracks which HTML tags are open after each line of a page."""

    def __init__(self) -> None:
        self.tags: list[str] = []

    def read(self, line: str) -> list[str]:
        """Update the open tags with a line of HTML, and return the lines to export.

        The result is `line` alone, or empty if `line` is a comment that only MkDocs needs.
        """
        for end, tag, empty in _TAG.findall(line):
            if end and tag in self.tags:
                while self.tags.pop() != tag:
                    pass
            elif not (end or empty or tag in _VOID_TAGS):
                self.tags.append(tag)
        return [] if _COMMENT.match(line) else [line]
