"""Renders vendors' Markdown as safe HTML.

The parser treats raw HTML as text, and its output is sanitized again. A vendor's text can therefore
neither run in a reader's browser nor imitate a part of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import NamedTuple

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from accelerator_portal.catalog.catalog import TRUST_LEVELS, trust_level
from accelerator_portal.catalog.markdown_file import CITATION, MarkdownFile
from accelerator_portal.catalog.message import message
from accelerator_portal.catalog.schema import slug
from accelerator_portal.site.languages import ENGLISH, Language
from accelerator_portal.site.text_formats import Anchors
from accelerator_reports.files.fields import is_public_https_url, is_site_path
from accelerator_reports.files.sources import Source


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """A source document in the list of a page.

    `number` is its position in the list, from 1. `anchor` is its id on the page, which stays the
    same if other sources are added or removed.
    """

    number: int
    anchor: str
    source: Source
    trust: str
    """The trust level of the source in words."""


class SourceList:
    """The numbered sources of a page.

    Source ids are unique only within a file. To find an entry, give the file's name and the id.
    """

    def __init__(
        self, files: Iterable[tuple[str, Mapping[str, Source]]], vendor: Iterable[str] = ()
    ) -> None:
        """Create the list from the sources of `files`.

        `files` has pairs of a file name and the file's sources by source id. `vendor` has the sites
        of the platform's vendor, such as `intel.com`. The trust level of a source can depend on
        whether the source is on a vendor's site.
        """
        self.entries: list[SourceEntry] = []
        self._entry_by_id: dict[tuple[str, str], SourceEntry] = {}
        vendor = frozenset(vendor)
        entry_by_document: dict[tuple[str, str, str], SourceEntry] = {}
        for file, sources in files:
            for name, source in sources.items():
                document = (source.address or "", source.package or "", source.title)
                if document not in entry_by_document:
                    anchor = f"source-{file.split('.')[0]}-{name}"
                    trust = TRUST_LEVELS[trust_level(source, vendor)]
                    entry_by_document[document] = SourceEntry(
                        len(self.entries) + 1, anchor, source, trust
                    )
                    self.entries.append(entry_by_document[document])
                self._entry_by_id[file, name] = entry_by_document[document]

    def entry(self, file: str, name: str) -> SourceEntry | None:
        """Return the entry of the source that has the id `name` in `file`, or None if unknown."""
        return self._entry_by_id.get((file, name))

    def cited(self, file: str, names: Iterable[str] | None) -> list[SourceEntry]:
        """Return the entries of the sources with the ids `names` in `file`, in the given order.

        Repeated documents and unknown ids are omitted.
        """
        entries = (self.entry(file, name) for name in names or ())
        return list(dict.fromkeys(entry for entry in entries if entry))


Cite = Callable[[str], SourceEntry | None]

_TAGS = {
    *("p", "ul", "ol", "li", "blockquote", "hr", "br", "div", "h3", "h4", "h5"),
    *("table", "thead", "tbody", "tr", "th", "td"),
    *("a", "code", "pre", "em", "strong", "sup"),
}
_ATTRIBUTES = {
    "a": {"href", "class", "aria-label"},
    "ol": {"start"},
    "h3": {"id"},
    "h4": {"id"},
    "h5": {"id"},
    "pre": {"tabindex"},
    "div": {"class", "tabindex", "role", "aria-label"},
    "sup": {"class"},
    "table": {"class"},
}


# A citation and the space before it. Markdown has the space; on the page, the number follows the
# word directly.
_SPACED_CITATION = re.compile(rf"\s{{0,9}}{CITATION.pattern}")
_PART_HEADING = re.compile(r'<h3 id="([^"]+)">(.*?)</h3>')
_CITATION_LINK = re.compile(r'\s*<sup class="cite">(.*?)</sup>')
_LINK_REL = "nofollow noopener noreferrer"
_REL_WITHIN_THE_SITE = re.compile(rf'(<a href="(?!https:)[^"]*"[^>]*) rel="{_LINK_REL}"')

# A paragraph, list item or cell that holds no other block.
_BLOCK = re.compile(
    r"<(p|li|td|th)\b(?:(?!<(?:p|li|td|th|ul|ol|pre|table|div|blockquote)\b).)*?</\1>", re.DOTALL
)


def render_vendor_text(  # noqa: PLR0913 - what a text is, and where it stands
    text: str,
    prefix: str,
    cite: Cite,
    page: str = "",
    *,
    language: Language = ENGLISH,
    to_root: str | None = None,
) -> str:
    """Return the Markdown `text` as safe HTML, in which the ids of headings start with `prefix`.

    A citation such as `[@readme]` becomes a link to the source that `cite` returns for `readme`. If
    `cite` returns None, the citation is omitted. `page` is the address of the page with the list of
    sources, empty if the list is on the same page. `to_root` is put before links to pages of the
    site, such as `/install/`. If `to_root` is None, these links get no `href`. `language` is the
    language of labels for screen readers.
    """
    environment = {
        "prefix": prefix,
        "cite": cite,
        "page": page,
        "language": language,
        "ids": Anchors(),
        "tables": 0,
    }
    html = str(_PARSER.renderer.render(_parse_markdown(text), _PARSER.options, environment))
    clean = nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        attribute_filter=lambda _, name, value: (
            _link_target(value, page, to_root) if name == "href" else value
        ),
        url_schemes={"https"},
        link_rel=_LINK_REL,
    )
    clean = _REL_WITHIN_THE_SITE.sub(r"\1", clean)
    # Some site generators look for code fences before HTML; they must not find any here.
    return clean.replace("`", "&#96;").replace("~", "&#126;")


@lru_cache(maxsize=64)  # a question is rendered for two pages, one after the other
def _parse_markdown(text: str) -> list[Token]:
    return _PARSER.parse(text)


def _link_target(address: str, page: str, to_root: str | None) -> str | None:
    """Return the `href` of a link to `address`, or None if links must not lead there.

    Allowed are https addresses of public hosts, and anchors of sources on `page`. If `to_root` is
    given, pages of the site, such as `/install/`, are also allowed: `to_root` is put before them.
    """
    if to_root is not None and is_site_path(address):
        return to_root + address.removeprefix("/")
    return (
        address if is_public_https_url(address) or address.startswith(f"{page}#source-") else None
    )


def render_section(  # noqa: PLR0913 - what a text is, and where it stands
    file: MarkdownFile,
    sources: SourceList,
    text: str,
    prefix: str,
    page: str = "",
    *,
    language: Language = ENGLISH,
    to_root: str = "../../",
) -> Markup:
    """Return a section of a guide or FAQ as HTML, with citations at the end of each text block.

    `text` is the section's Markdown or its translation. `file` is the file with the section, and
    `sources` contains the sources that `text` cites. `prefix`, `page`, `language` and `to_root` are
    as in `render_vendor_text`. The default of `to_root` fits the page of a platform.
    """
    name = file.path.rsplit("/", 1)[-1]

    def cite(source: str) -> SourceEntry | None:
        return sources.entry(name, source)

    html = render_vendor_text(text, prefix, cite, page, language=language, to_root=to_root)
    return Markup(_BLOCK.sub(_citations_at_end, html))  # noqa: S704 - sanitized just there


class GuidePart(NamedTuple):
    """A part of a guide's section, below a heading of its own."""

    anchor: str
    title: Markup
    html: Markup


def guide_parts(html: Markup) -> tuple[Markup, list[GuidePart]]:
    """Split a rendered section of a guide: what comes before its first heading, and the parts."""
    beginning, *rest = map(Markup, _PART_HEADING.split(html))
    return beginning, list(map(GuidePart, rest[::3], rest[1::3], rest[2::3]))


def _citations_at_end(block: re.Match[str]) -> str:
    """Return a paragraph, list item or cell with its citations at the end, without duplicates."""
    citations = dict.fromkeys(_CITATION_LINK.findall(block[0]))
    text, end, tag = _CITATION_LINK.sub("", block[0]).rpartition("</")
    return text.rstrip() + superscript(citations) + end + tag


def citation(entry: SourceEntry, page: str = "", language: Language = ENGLISH) -> str:
    """Return a link to a source in a list of sources, for `superscript`.

    `page` is the address of the page with the list, empty if the list is on the same page. The list
    has the titles: pages have more than a thousand of these links.
    """
    words = message("Source {number}", number=entry.number)
    label = escape(language.translate(words), quote=True)
    return f'<a href="{page}#{entry.anchor}" aria-label="{label}">{entry.number}</a>'


def superscript(citations: Iterable[str]) -> str:
    """Return citations that stand beside each other, as one superscript."""
    links = "".join(citations)
    return f'<sup class="cite">{links}</sup>' if links else ""


class _Renderer(RendererHTML):
    """CommonMark's renderer with the portal's headings, tables, code boxes and citations."""

    def heading_open(
        self, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
    ) -> str:
        token = tokens[index]
        anchor = env["ids"].take(f"{env['prefix']}-{slug(tokens[index + 1].content)}")
        token.attrSet("id", anchor)
        return str(self.renderToken(tokens, index, options, env))

    def text(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, env: EnvType) -> str:
        def linked_citation(match: re.Match[str]) -> str:
            entry = env["cite"](match.group(1))
            links = [citation(entry, env["page"], env["language"])] if entry else []
            return superscript(links)

        return _SPACED_CITATION.sub(linked_citation, escape(tokens[idx].content, quote=False))

    def table_open(
        self, _tokens: Sequence[Token], _idx: int, _options: OptionsDict, env: EnvType
    ) -> str:
        env["tables"] += 1
        words = " ".join(env["prefix"].replace("-", " ").split())
        table = message("{section}: table {number}", section=words, number=env["tables"])
        label = env["language"].translate(table)
        box = f'<div class="table-box" tabindex="0" role="region" aria-label="{escape(label)}">'
        return f'{box}<table class="data">'

    def table_close(self, *_: object) -> str:
        return "</table></div>\n"

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return self.code_block(tokens, idx, options, env)

    def code_block(
        self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType
    ) -> str:
        return f'<pre tabindex="0"><code>{escape(tokens[idx].content)}</code></pre>\n'


_PARSER = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
