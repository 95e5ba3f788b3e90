"""Parses `guide.md`, `faq.md` and their translations, and quotes untrusted text in Markdown."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Annotated, TypeVar

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from pydantic import BaseModel, Field

from accelerator_reports.files.fields import Line, StrictModel
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.sources import Source, SourcedFile
from accelerator_reports.files.text_file import HIDDEN_CHARACTER, escape_sequence
from accelerator_reports.files.yaml_file import parse_yaml, validate

M = TypeVar("M", bound=BaseModel)

# The five questions that a guide answers, in their order.
GUIDE_HEADINGS = ("Prepare", "Install", "Start", "Deploy", "Help")

# The length is bounded, so that a search takes time proportional to the text.
CITATION = re.compile(r"\[@([^\[\]\s]{0,200})\]")

# The time to find the ends of links and emphasis grows with the square of a paragraph's length.
MAX_PARAGRAPH = 8_000

_FRONT_MATTER = re.compile(r"---\n(.*?\n)---(?:\n|\Z)", re.DOTALL)


class _LongParagraphError(Exception):
    """A paragraph is too long to parse; the argument is the paragraph's Markdown token."""


def _limit_paragraphs(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline" and len(token.content) > MAX_PARAGRAPH:
            raise _LongParagraphError(token)


_PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
_PARSER.core.ruler.before("inline", "bounded", _limit_paragraphs)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Code or another literal text, and the number of its first line in the file."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """A level-2 heading and the Markdown below it, with their line numbers in the file.

    `title` is the heading, and `line` its line. `text` is the Markdown, and `text_line` its first
    line. `text` does not contain the `error` code block directly below the heading.
    """

    title: str
    line: int
    text: str
    text_line: int
    messages: tuple[CodeBlock, ...] = ()
    """The error messages that the section declares: the lines of the `error` block above `text`."""


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The target of a link or a picture, and its line."""

    line: int
    address: str
    is_picture: bool


@dataclass(frozen=True, slots=True)
class MarkdownFile:
    """A guide or FAQ: its sources by id, and its sections, link targets and code blocks in order.

    `source_lines` maps a source's id to the line of its `read` date. `spans` are inline code, and
    the text of headings and table cells. `length` is the number of lines below the front matter.
    """

    path: str
    sources: Mapping[str, Source]
    sections: tuple[Section, ...]
    targets: tuple[LinkTarget, ...]
    code: tuple[CodeBlock, ...] = ()
    source_lines: Mapping[str, int] = field(default_factory=dict)
    spans: tuple[CodeBlock, ...] = ()
    length: int = 0
    fingerprint: str = ""
    """A digest of the text below the front matter. A translation states the digest of the English
    text."""

    def fingerprint_of(self, titles: Collection[str]) -> str:
        """Return the fingerprint of the sections with the given titles.

        A translated FAQ can have only some of the questions of `faq.md`. The front matter of the
        translation then states the fingerprint of only these questions.
        """
        sections = (section for section in self.sections if section.title in titles)
        return _fingerprint("\n".join(f"{section.title}\n{section.text}" for section in sections))


class TranslatedFile(StrictModel):
    """The front matter of `guide.<language>.md` and `faq.<language>.md`.

    The translated text cites the sources of `guide.md` or `faq.md`.
    """

    translates: Annotated[str, Field(pattern="^en-[0-9a-f]{12}$")]
    """Fingerprint of the English text that was translated: `en-` and 12 digits or letters from a to
    f. `accelerator-portal check` prints it."""
    summary: Line | None = None
    """The summary of `accelerator.yaml` in this language."""


@dataclass(frozen=True, slots=True)
class Translation:
    """A translated guide or FAQ. `head` is the front matter.

    A translated FAQ can have only some of the questions.
    """

    head: TranslatedFile
    text: MarkdownFile


def parse_markdown(path: str, text: str) -> tuple[MarkdownFile | None, list[Problem]]:
    """Return the parsed guide or FAQ and its problems.

    The first value is None if the text cannot be used. `text` is the content of the file. `path`
    is only copied to the result and to the problems.
    """
    head_and_file, problems = _parse_file(path, text, SourcedFile, "sources: …")
    return (
        replace(head_and_file[1], sources=head_and_file[0].sources) if head_and_file else None
    ), problems


def parse_translation(path: str, text: str) -> tuple[Translation | None, list[Problem]]:
    """Return the parsed translation of a guide or FAQ and its problems.

    The first value is None if the text cannot be used.
    """
    head_and_file, problems = _parse_file(path, text, TranslatedFile, "translates: …")
    return (Translation(*head_and_file) if head_and_file else None), problems


def _parse_file(
    path: str, text: str, head_model: type[M], first_key: str
) -> tuple[tuple[M, MarkdownFile] | None, list[Problem]]:
    front = _FRONT_MATTER.match(text)
    if not front:
        remedy = f"start the file with ---, {first_key} and ---"
        return None, [Problem(path, 1, "the front matter is missing", remedy)]
    document, problems = parse_yaml(path, front.group(1), first_line=2)
    record = None
    if document and not problems:
        record, problems = validate(head_model, document)
    body_line = text.count("\n", 0, front.end()) + 1
    body = text[front.end() :]
    try:
        tokens = _PARSER.parse(body)
    except _LongParagraphError as error:
        (token,) = error.args
        what = f"a paragraph has {len(token.content):,} characters, more than {MAX_PARAGRAPH:,}"
        return None, [*problems, Problem(path, _file_line(token, body_line), what, "split it")]
    for token, what, remedy in _structure_faults(tokens):
        problems.append(Problem(path, _file_line(token, body_line), what, remedy))
    if record is None or document is None:
        return None, problems
    names = getattr(record, "sources", ())
    file = MarkdownFile(
        path,
        {},
        tuple(_sections(body, tokens, body_line)),
        tuple(_link_targets(tokens, body_line)),
        tuple(_code_blocks(tokens, body_line)),
        {name: document.line(("sources", name, "read")) for name in names},
        tuple(_inline_texts(tokens, body_line)),
        len(body.splitlines()),
        _fingerprint(body),
    )
    return (record, file), problems


def _fingerprint(text: str) -> str:
    return f"en-{hashlib.sha256(text.strip().encode()).hexdigest()[:12]}"


def _sections(body: str, tokens: list[Token], body_line: int) -> Iterator[Section]:
    lines = body.split("\n")
    heads = [
        (token.map[0], token.map[1], tokens[i + 1], tokens[min(i + 3, len(tokens) - 1)])
        for i, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == "h2" and token.level == 0 and token.map
    ]
    ends = [*(start for start, *_ in heads), len(lines)][1:]
    for (start, after, title, block), end in zip(heads, ends, strict=True):
        begin = block.map[1] if _declares_messages(block) and block.map else after
        text_start = next((n for n in range(begin, end) if lines[n].strip()), end)
        text = "\n".join(lines[text_start:end]).rstrip()
        messages = tuple(_error_messages(block, body_line))
        text_line = text_start + body_line
        yield Section(title.content.strip(), start + body_line, text, text_line, messages)


def _error_messages(token: Token, body_line: int) -> Iterator[CodeBlock]:
    if _declares_messages(token):
        for number, text in enumerate(token.content.splitlines(), _file_line(token, body_line) + 1):
            if text.strip():
                yield CodeBlock(number, text.strip())


def _declares_messages(token: Token) -> bool:
    return token.type == "fence" and token.info.strip() == "error"


def _link_targets(tokens: list[Token], body_line: int) -> Iterator[LinkTarget]:
    for token in tokens:
        line = _file_line(token, body_line)
        for child in token.children or ():
            line += child.type in {"softbreak", "hardbreak"}
            if child.type in {"link_open", "image"}:
                address = str(child.attrs.get("href") or child.attrs.get("src") or "")
                yield LinkTarget(line, address, child.type == "image")


def _code_blocks(tokens: list[Token], body_line: int) -> Iterator[CodeBlock]:
    for token in tokens:
        if token.type in {"fence", "code_block"} and not _declares_messages(token):
            first_line = _file_line(token, body_line) + (token.type == "fence")
            yield CodeBlock(first_line, token.content)


def _inline_texts(tokens: list[Token], body_line: int) -> Iterator[CodeBlock]:
    for previous, token in pairwise(tokens):
        line = _file_line(token, body_line)
        if previous.type in {"heading_open", "th_open", "td_open"}:
            yield CodeBlock(line, token.content)
        for child in token.children or ():
            line += child.type in {"softbreak", "hardbreak"}
            if child.type == "code_inline":
                yield CodeBlock(line, child.content)


def _structure_faults(tokens: list[Token]) -> Iterator[tuple[Token, str, str]]:
    """Yield each Markdown token that the site cannot show, with what is wrong and the fix."""
    first_token = next((t for t in tokens if t.map), None)
    if first_token and not (first_token.type == "heading_open" and first_token.tag == "h2"):
        yield first_token, "there is text before the first ## heading", "move it under a heading"
    for token, following in pairwise(tokens):
        if token.type == "th_open" and not following.content.strip():
            yield following, "a table column has no name", "add its name in the table's first line"
        if _declares_messages(following) and (token.type, token.tag) != ("heading_close", "h2"):
            yield (
                following,
                "a block `error` is inside an answer",
                "move it directly below the heading",
            )
    for token in tokens:
        if token.type == "heading_open" and token.tag == "h1":
            yield token, "level-1 headings are not allowed", "use ## headings"
        child_types = (child.type for child in token.children or ())
        if token.type == "html_block" or "html_inline" in child_types:
            yield token, "raw HTML is not allowed", "use Markdown, or put it in backticks"


def _file_line(token: Token, body_line: int) -> int:
    return (token.map[0] if token.map else 0) + body_line


# Quotes untrusted text in Markdown so that it has no effect on GitHub, such as a mention.
#
# There is one rule: all text from data is in code, in a span or in a fence. In code, GitHub creates
# no mentions, references, links, pictures or HTML.

_BACKTICKS = re.compile(r"`+")
_SHORTEST_FENCE = 3
MOST_IN_SPAN = 301  # the longest text in a difference, including the ellipsis of a cut


def code_span(text: str, most: int = MOST_IN_SPAN) -> str:
    """Return text as a Markdown code span on one line.

    The text is cut after `most` characters. Invisible characters become escape sequences. For
    an empty text, the result is `*empty*`.
    """
    line = escape_hidden_characters(" ".join(text.split()))
    if len(line) > most:
        line = f"{line[: most - 1]}…"
    if not line:
        return "*empty*"
    ticks = "`" * (_longest_backtick_run(line) + 1)
    # CommonMark takes away one blank at each end, if both have one.
    blank = " " if "`" in (line[0], line[-1]) else ""
    return f"{ticks}{blank}{line}{blank}{ticks}"


def fenced_code(lines: Iterable[str], language: str = "") -> list[str]:
    """Return the lines of a fenced code block, including the fences. `lines` is its content.

    Backticks in the lines cannot end the block. Invisible characters become escape sequences.
    """
    escaped_lines = [escape_hidden_characters(line) for line in lines]
    ticks = "`" * max(
        [_SHORTEST_FENCE, *(_longest_backtick_run(line) + 1 for line in escaped_lines)]
    )
    return [f"{ticks}{language}", *escaped_lines, ticks]


def escape_hidden_characters(text: str) -> str:
    """Return text with invisible characters and line breaks as escape sequences."""
    escaped = HIDDEN_CHARACTER.sub(lambda found: escape_sequence(found[0]), text)
    return "".join(c if c == " " or c.isprintable() else escape_sequence(c) for c in escaped)


def _longest_backtick_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)
