"""Loads the page templates: Jinja with escaping and a few filters."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, nodes
from jinja2.bccache import Bucket
from jinja2.ext import Extension
from jinja2.parser import Parser
from markupsafe import Markup, escape

from accelerator_portal.catalog.own_suite import suite_folder
from accelerator_portal.catalog.text_file import HIDDEN
from accelerator_portal.catalog.wording import count
from accelerator_portal.reports.outcomes import OUTCOMES
from accelerator_portal.site.anchors import slug
from accelerator_portal.site.page import SiteFile, to_root
from accelerator_portal.site.source_list import SourceEntry
from accelerator_portal.site.vendor_text import citation
from accelerator_portal.site.words import grouped, listed, number, os_name, python_range

TEMPLATES = "site_src/templates"

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|])")
_BACKTICKS = re.compile(r"`([^`]+)`")
# Short words only, such as --index-url or x86-64: long ones have to break in narrow columns.
_HYPHENATED = re.compile(r"(?<!\S)(?=[^\s=,;&]{2,22}(?:[\s=,;]|$))[^\s=,;&]*-[^\s=,;&]*")


class _Memory(BytecodeCache):
    """Compiles a template once for all `Templates` of a process, again when its text changes.

    It is not kept in a file: what filters make of constants is compiled, too.
    """

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fill in what was compiled; Jinja compares the texts."""
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep what was compiled."""
        self._kept[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Memory()


class Templates:
    """Renders the templates of one folder; a name that a template misspells is an error.

    Every template knows `outcomes`, the table of what can happen to a test.
    """

    def __init__(self, folder: Path, **shared: Any) -> None:  # noqa: ANN401 - whatever pages share
        self._environment = Environment(
            loader=FileSystemLoader(folder),
            bytecode_cache=_COMPILED,
            extensions=[Lines],
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_visible,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals.update(shared, outcomes=OUTCOMES)
        self._environment.filters.update(
            markdown=_escape_markdown,
            inline_code=_inline_code,
            unbroken=_unbroken,
            one_line=_one_line,
            python_range=python_range,
            listed=listed,
            number=number,
            counted=count,
            grouped=grouped,
            os_name=os_name,
            slug=slug,
            suite_folder=suite_folder,
            cite=_cite,
        )

    def render(self, name: str, /, **context: Any) -> str:  # noqa: ANN401 - whatever the page needs
        """Return the text of one page."""
        return self._environment.get_template(name).render(**context)

    def page(self, path: str, edit: str = "", template: str = "", /, **context: Any) -> SiteFile:  # noqa: ANN401 - as above
        """Return a page; without `template` it is the page's own, without `edit` the template."""
        template = template or f"{path}.j2"
        text = self.render(template, to_root=to_root(path), **context)
        return SiteFile(path, text, edit or f"{TEMPLATES}/{template}")


class Lines(Extension):
    """`{% line %}…{% endline %}` makes one line of several, `{% inline %}…{% endinline %}` a part.

    The line breaks of the template are left out, those of values are not. So a row of a table,
    which Markdown wants on one line, has a line for each cell in its template.
    """

    tags = {"line", "inline"}  # noqa: RUF012 - as Jinja declares it

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Return what stands between the two tags."""
        tag = next(parser.stream)
        body = parser.parse_statements((f"name:end{tag.value}",), drop_needle=True)
        for node in body:
            for text in node.find_all(nodes.TemplateData):
                text.data = text.data.replace("\n", "")
        end = "\n" if tag.value == "line" else ""
        return [*body, nodes.Output([nodes.TemplateData(end)], lineno=tag.lineno)]


def visible(text: str) -> str:
    r"""Return text with its number, `\u202e`, for each character that would hide or turn others.

    Contributed files have none; reports may, and what a reader sees must be what is there.
    """
    if text.isascii() and text.isprintable():
        return text
    return HIDDEN.sub(lambda m: m[0] if m[0] == "\r" else f"\\u{ord(m[0]):04x}", text)


def _visible(value: object) -> object:
    return visible(value) if type(value) is str else value


def _escape_markdown(text: str) -> Markup:
    """Return text that Markdown shows as it is."""
    text = visible(text)
    return Markup(str(escape(_MARKDOWN.sub(r"\\\1", text))))  # noqa: S704 - made harmless just here


def _inline_code(text: str) -> Markup:
    """Return text in which what stands in backticks is code."""
    return Markup(_BACKTICKS.sub(r"<code>\1</code>", str(escape(visible(text)))))  # noqa: S704 - the same


def _unbroken(text: str) -> Markup:
    """Return text in which browsers break no line at the hyphens of a short word."""
    whole = _HYPHENATED.sub(r'<span class="unbroken">\g<0></span>', str(escape(visible(text))))
    return Markup(whole)  # noqa: S704 - the same


def _one_line(text: str) -> str:
    """Return text without its line breaks: in HTML, a blank line is Markdown's again."""
    return " ".join(text.split())


def _cite(entries: list[SourceEntry]) -> Markup:
    return Markup("").join(Markup(citation(entry)) for entry in entries)  # noqa: S704 - escaped there
