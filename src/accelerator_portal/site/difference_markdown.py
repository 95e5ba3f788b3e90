"""Writes the difference between two states of the site as Markdown, for a comment on GitHub.

The length of the Markdown is limited. Texts from the two states are written as code, so that their
characters are not interpreted as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import ndiff
from itertools import groupby

from accelerator_portal.catalog.markdown_quotes import code_span, fenced_code
from accelerator_portal.site.difference import Difference, Item, PartDifference
from accelerator_portal.site.text_formats import prose_list
from accelerator_reports.files.wording import count

# GitHub accepts 65,536 characters; the rest is for other text in the comment.
MOST_MARKDOWN_CHARACTERS = 60_000

NO_DIFFERENCE = "No reader will see a difference."

# Limits for one list, so that one platform does not use the space of the others.
MOST_LINES = 40
MOST_COMMANDS = 15

_TITLES = {
    "commands": "Install commands",
    "outcomes": "Results with another outcome",
    "versions": "Versions",
    "facts": "Facts",
    "texts": "Guide and questions",
    "reports": "Reports",
    "evidence": "Evidence",
}
_CHANGE_WORDS = {"added": "New", "gone": "Removed", "changed": "Changed"}

Block = list[str]
"""Lines that are shown or omitted together, for example a list, or a title with its code."""


def markdown(difference: Difference) -> str:
    """Return the difference between two states of the site as Markdown, with a summary first."""
    blocks = list(_blocks(difference))
    texts = [_summary(difference)]
    length = len(texts[0])
    for index, block in enumerate(blocks):
        text = "\n".join(block)
        length += len(text) + 2
        if length > MOST_MARKDOWN_CHARACTERS:
            left_out = sum(map(len, blocks[index:]))
            texts.append(f"*{count(left_out, 'more line')} left out. The JSON difference has all.*")
            break
        texts.append(text)
    return "\n\n".join(texts) + "\n"


def _summary(difference: Difference) -> str:
    if difference.not_compared:
        return "The data of the two states was not compared."
    parts = difference.parts
    words = [
        count(number, f"{_CHANGE_WORDS[change].lower()} platform")
        for change in ("added", "gone")
        if (number := sum(part.change == change for part in parts))
    ]
    changed = [part for part in parts if part.id and part.change == "changed"]
    if number := sum(len(part.items) + part.left_out for part in changed):
        words.append(f"{count(number, 'change')} of {count(len(changed), 'platform')}")
    words += [
        f"{count(len(part.items) + part.left_out, 'change')} of PyTorch’s releases"
        for part in parts
        if not part.id
    ]
    if difference.pages and (number := len(difference.pages.items) + difference.pages.left_out):
        words.append(count(number, "changed page"))
    return f"Readers will see {prose_list(words)}." if words else NO_DIFFERENCE


def _blocks(difference: Difference) -> Iterator[Block]:
    if difference.not_compared:
        yield [code_span(difference.not_compared)]
    for part in difference.parts:
        prefix = "" if part.change == "changed" else f"{_CHANGE_WORDS[part.change]}: "
        title = (
            f"{code_span(part.name)} ({code_span(part.id)})" if part.id else "PyTorch’s releases"
        )
        yield [f"### {prefix}{title}"]
        if part.change == "gone":
            yield ["Its page and its install commands are removed."]
        else:
            yield from _section_blocks(part)
    if difference.pages is None:
        yield ["Pages were not compared."]
    elif difference.pages.items:
        yield ["### Pages"]
        yield _limited([*map(_line, difference.pages.items)], difference.pages.left_out)


def _section_blocks(part: PartDifference) -> Iterator[Block]:
    for section, group in groupby(part.items, key=lambda item: item.section):
        items = list(group)
        yield [f"**{_TITLES[section]}**"]
        if section == "commands":
            yield from map(_command, items[:MOST_COMMANDS])
            if len(items) > MOST_COMMANDS:
                yield [f"… and {count(len(items) - MOST_COMMANDS, 'more change')} of commands."]
        else:
            yield _limited([*map(_line, items)])
    if part.left_out:
        yield [f"… and {count(part.left_out, 'more change')}."]


def _command(item: Item) -> Block:
    before, after = (text.split("\n") if text else [] for text in (item.before, item.after))
    lines = ndiff(before, after)
    shown = [line for line in lines if not line.startswith("?")]
    return [
        f"{_CHANGE_WORDS[item.change]}, {code_span(item.name)}",
        "",
        *fenced_code(shown, "diff"),
    ]


def _line(item: Item) -> str:
    sign = "✕ " if item.is_new_failure else ""
    word = "" if item.change == "changed" else f"{_CHANGE_WORDS[item.change]}: "
    values = [code_span(value) for value in (item.before, item.after) if value is not None]
    return f"- {sign}{word}{code_span(item.name)}" + (": " + " → ".join(values)) * bool(values)


def _limited(lines: Sequence[str], left_out: int = 0) -> Block:
    left_out += len(lines[MOST_LINES:])
    return [*lines[:MOST_LINES], *([f"- … and {left_out:,} more"] if left_out else [])]
