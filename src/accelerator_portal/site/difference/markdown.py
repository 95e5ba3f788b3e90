"""Writes a difference as Markdown for a pull request: limited in length, with data as code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from accelerator_portal.catalog.markdown_quotes import fence, span
from accelerator_portal.reports.outcomes import BAD, GOOD
from accelerator_portal.site.difference.shapes import (
    CommandChange,
    Difference,
    Item,
    Move,
    PagesDifference,
    PlatformDifference,
)
from accelerator_portal.site.words import listed

# GitHub accepts 65,536 characters; the rest is for other text in the comment.
LIMIT = 60_000

NOTHING = "No reader will see a difference."

# Limits for one list, so that one platform does not use the space of the others.
MOST_LINES = 40
MOST_COMMANDS = 15

_SHORTENED = "*{} more lines are left out here. The JSON difference has them.*"

_TITLES = {
    "versions": "Versions",
    "facts": "Facts",
    "texts": "Guide and questions",
    "reports": "Reports",
    "evidence": "Evidence",
}
_NOUNS = {
    "commands": ("changed install command", "changed install commands"),
    "versions": ("change of version rows", "changes of version rows"),
    "facts": ("changed fact", "changed facts"),
    "texts": ("changed section or question", "changed sections and questions"),
    "reports": ("change of reports", "changes of reports"),
    "moves": ("result with another outcome", "results with another outcome"),
    "evidence": ("change of evidence", "changes of evidence"),
}
_WORDS = {"added": "New", "gone": "Removed", "changed": "Changed"}

Block = list[str]
"""Lines that stay together: a list, a fence with its heading."""


def markdown(difference: Difference) -> str:
    """Return the difference as Markdown of at most LIMIT characters; a summary comes first."""
    return cut([[summary(difference)], *_blocks(difference)], LIMIT)


def summary(difference: Difference) -> str:
    """Return a summary of the difference in one sentence."""
    if difference.nothing:
        return NOTHING
    counted = [_count(n, *nouns) for n, nouns in _numbers(difference) if n]
    return f"Readers will see {listed(counted)}."


def cut(blocks: Sequence[Block], limit: int) -> str:
    """Return blocks separated by blank lines, within about `limit` characters.

    If a block does not fit, this block and all later blocks are omitted. A note at the end then
    states the number of omitted lines.
    """
    room = limit - len(_SHORTENED) - 12
    kept: list[str] = []
    for place, block in enumerate(blocks):
        text = "\n".join(block)
        room -= len(text) + 2
        if room < 0:
            more = sum(map(len, blocks[place:]))
            kept.append(_SHORTENED.format(f"{more:,}"))
            break
        kept.append(text)
    return "\n\n".join(kept) + "\n"


def _numbers(difference: Difference) -> Iterator[tuple[int, tuple[str, str]]]:
    changes = [platform.change for platform in difference.platforms]
    yield changes.count("added"), ("new platform", "new platforms")
    yield changes.count("gone"), ("removed platform", "removed platforms")
    changed = [p for p in difference.platforms if p.change == "changed"]
    for name, nouns in _NOUNS.items():
        yield sum(_size(p, name) for p in changed), nouns
    releases = "of PyTorch’s releases"
    yield len(difference.shared), (f"change {releases}", f"changes {releases}")
    pages = difference.pages or PagesDifference()
    for name, word in _WORDS.items():
        found = len(getattr(pages, name)) + pages.left_out.get(name, 0)
        yield found, (f"{word.lower()} page", f"{word.lower()} pages")


def _size(platform: PlatformDifference, name: str) -> int:
    if name == "commands":
        return sum(c.commands for c in platform.commands) + platform.left_out.get(name, 0)
    return len(getattr(platform, name)) + platform.left_out.get(name, 0)


def _blocks(difference: Difference) -> Iterator[Block]:
    if difference.shared:
        yield ["### PyTorch’s releases"]
        yield _bounded(list(map(_item, difference.shared)), 0)
    for platform in difference.platforms:
        yield from _platform(platform)
    if difference.pages and not difference.pages.nothing:
        yield ["### Pages"]
        yield _pages(difference.pages)
    elif difference.pages is None:
        yield ["Only data was compared, not pages."]


def _platform(platform: PlatformDifference) -> Iterator[Block]:
    words = {"added": "New: ", "gone": "Removed: ", "changed": ""}[platform.change]
    yield [f"### {words}{span(platform.name)} ({span(platform.id)})"]
    if platform.change == "gone":
        choices = sum(command.choices for command in platform.commands)
        removed = _count(choices, "choice", "choices")
        yield [f"Its page and its {removed} of install commands are removed."]
        return
    if platform.commands:
        yield ["**Install commands**"]
        for command in platform.commands[:MOST_COMMANDS]:
            yield from _command(command)
        left_out = platform.left_out.get("commands", 0)
        if more := _more(platform.commands, left_out, MOST_COMMANDS):
            yield [f"… and {_count(more, 'more change', 'more changes')} of commands."]
    if platform.moves:
        yield ["**Results with another outcome**"]
        yield _bounded(list(map(_move, platform.moves)), platform.left_out.get("moves", 0))
    for name, title in _TITLES.items():
        if items := getattr(platform, name):
            yield [f"**{title}**"]
            yield _bounded(list(map(_item, items)), platform.left_out.get(name, 0))


def _command(command: CommandChange) -> Iterator[Block]:
    where = "; ".join(map(span, command.where))
    if command.where_left_out:
        where += f" and {command.where_left_out} more"
    alike = f"{command.commands:,} commands in the same way, " if command.commands > 1 else ""
    choices = _count(command.choices, "choice", "choices")
    block = [f"{_WORDS[command.change]}, {alike}{choices}: {where}"]
    if lines := _compared(command.before, command.after):
        block += ["", *fence(lines, "diff")]
    if command.beside:
        block += ["", *map(_item, command.beside)]
    yield block


def _compared(before: Sequence[str], after: Sequence[str]) -> list[str]:
    lines = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [f"  {line}" for line in before[i1:i2]]
        else:
            lines += [f"- {line}" for line in before[i1:i2]]
            lines += [f"+ {line}" for line in after[j1:j2]]
    return lines


def _move(move: Move) -> str:
    sign = "✕ " if move.after in BAD and move.before in GOOD else ""
    way = f"{move.before.replace('-', ' ')} → {move.after.replace('-', ' ')}"
    said = "" if move.settings == 1 else f", {move.settings:,} settings"
    basis = ", expected" if move.basis == "baselines" else ""
    return f"- {sign}{span(f'{move.suite}/{move.name}')}: {way}{said}{basis}"


def _bounded(lines: Block, left_out: int) -> Block:
    more = _more(lines, left_out)
    kept = lines[:MOST_LINES]
    return [*kept, f"- … and {more:,} more"] if more else kept


def _more(entries: Sequence[object], left_out: int, most: int = MOST_LINES) -> int:
    """Return the number of entries that the Markdown does not show.

    The Markdown shows the first `most` of `entries`. `left_out` is the number of further entries
    that the difference already omitted from `entries`.
    """
    return max(0, len(entries) - most) + left_out


def _item(item: Item) -> str:
    word = "" if item.change == "changed" else f"{_WORDS[item.change]}: "
    values = [span(value) for value in (item.before, item.after) if value is not None]
    said = f": {' → '.join(values)}" if values else ""
    return f"- {word}{span(item.name)}{said}"


def _pages(pages: PagesDifference) -> Block:
    lines = []
    for name, word in _WORDS.items():
        found: tuple[str, ...] = getattr(pages, name)
        if found:
            shown = ", ".join(span(f"/{page}") for page in found[:MOST_LINES])
            more = _more(found, pages.left_out.get(name, 0))
            lines.append(f"- {word}: {shown}" + (f" and {more:,} more" if more else ""))
    return lines


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
