"""Writes the differences between two built sites as Markdown, for a comment on a pull request.

The length of the Markdown is limited. Texts from the two sites are written as code, so that their
characters are not interpreted as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from accelerator_portal.catalog.markdown_quotes import code_span, fenced_code
from accelerator_portal.site.difference.shapes import (
    CommandChange,
    Difference,
    Item,
    Move,
    PagesDifference,
    PlatformDifference,
)
from accelerator_portal.site.text_formats import prose_list
from accelerator_reports.outcomes import BAD, GOOD

# GitHub accepts 65,536 characters; the rest is for other text in the comment.
MOST_MARKDOWN_CHARACTERS = 60_000

NO_DIFFERENCE = "No reader will see a difference."

# Limits for one list, so that one platform does not use the space of the others.
MOST_LINES = 40
MOST_COMMANDS = 15

_OMITTED_NOTE = "*{} more lines are left out here. The JSON difference has them.*"

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
_CHANGE_WORDS = {"added": "New", "gone": "Removed", "changed": "Changed"}

Block = list[str]
"""Lines that are shown or omitted together, for example a list, or a title with its code."""


def markdown(difference: Difference) -> str:
    """Return the differences between two sites as Markdown, with a summary at the start.

    The Markdown has at most MOST_MARKDOWN_CHARACTERS characters.
    """
    return join_blocks([[summary(difference)], *_blocks(difference)], MOST_MARKDOWN_CHARACTERS)


def summary(difference: Difference) -> str:
    """Return one sentence with the numbers of differences, by kind.

    For example: `Readers will see 1 new platform and 2 changed pages.`
    """
    if difference.nothing:
        return NO_DIFFERENCE
    count_texts = [_count_words(n, *nouns) for n, nouns in _change_counts(difference) if n]
    return f"Readers will see {prose_list(count_texts)}."


def join_blocks(blocks: Sequence[Block], limit: int) -> str:
    """Return blocks of lines as one text of at most `limit` characters, separated by blank lines.

    If a block does not fit, this block and all later blocks are omitted. A note at the end then
    states the number of omitted lines.
    """
    characters_left = limit - len(_OMITTED_NOTE) - 12
    texts: list[str] = []
    for index, block in enumerate(blocks):
        text = "\n".join(block)
        characters_left -= len(text) + 2
        if characters_left < 0:
            omitted_count = sum(map(len, blocks[index:]))
            texts.append(_OMITTED_NOTE.format(f"{omitted_count:,}"))
            break
        texts.append(text)
    return "\n\n".join(texts) + "\n"


def _change_counts(difference: Difference) -> Iterator[tuple[int, tuple[str, str]]]:
    change_kinds = [platform.change for platform in difference.platforms]
    yield change_kinds.count("added"), ("new platform", "new platforms")
    yield change_kinds.count("gone"), ("removed platform", "removed platforms")
    changed_platforms = [p for p in difference.platforms if p.change == "changed"]
    for name, nouns in _NOUNS.items():
        yield sum(_change_count(p, name) for p in changed_platforms), nouns
    release_words = "of PyTorch’s releases"
    yield len(difference.shared), (f"change {release_words}", f"changes {release_words}")
    pages = difference.pages or PagesDifference()
    for name, word in _CHANGE_WORDS.items():
        page_count = len(getattr(pages, name)) + pages.left_out.get(name, 0)
        yield page_count, (f"{word.lower()} page", f"{word.lower()} pages")


def _change_count(platform: PlatformDifference, name: str) -> int:
    if name == "commands":
        return sum(c.commands for c in platform.commands) + platform.left_out.get(name, 0)
    return len(getattr(platform, name)) + platform.left_out.get(name, 0)


def _blocks(difference: Difference) -> Iterator[Block]:
    if difference.shared:
        yield ["### PyTorch’s releases"]
        yield _limited_lines(list(map(_item_line, difference.shared)), 0)
    for platform in difference.platforms:
        yield from _platform_blocks(platform)
    if difference.pages and not difference.pages.nothing:
        yield ["### Pages"]
        yield _page_lines(difference.pages)
    elif difference.pages is None:
        yield ["Only data was compared, not pages."]


def _platform_blocks(platform: PlatformDifference) -> Iterator[Block]:
    title_prefix = {"added": "New: ", "gone": "Removed: ", "changed": ""}[platform.change]
    yield [f"### {title_prefix}{code_span(platform.name)} ({code_span(platform.id)})"]
    if platform.change == "gone":
        choices = sum(command.choices for command in platform.commands)
        choices_words = _count_words(choices, "choice", "choices")
        yield [f"Its page and its {choices_words} of install commands are removed."]
        return
    if platform.commands:
        yield ["**Install commands**"]
        for command in platform.commands[:MOST_COMMANDS]:
            yield from _command_blocks(command)
        left_out = platform.left_out.get("commands", 0)
        if omitted_count := _omitted_count(platform.commands, left_out, MOST_COMMANDS):
            yield [
                f"… and {_count_words(omitted_count, 'more change', 'more changes')} of commands."
            ]
    if platform.moves:
        yield ["**Results with another outcome**"]
        yield _limited_lines(
            list(map(_move_line, platform.moves)), platform.left_out.get("moves", 0)
        )
    for name, title in _TITLES.items():
        if items := getattr(platform, name):
            yield [f"**{title}**"]
            yield _limited_lines(list(map(_item_line, items)), platform.left_out.get(name, 0))


def _command_blocks(command: CommandChange) -> Iterator[Block]:
    descriptions = "; ".join(map(code_span, command.where))
    if command.where_left_out:
        descriptions += f" and {command.where_left_out} more"
    commands_words = (
        f"{command.commands:,} commands in the same way, " if command.commands > 1 else ""
    )
    choices_words = _count_words(command.choices, "choice", "choices")
    block = [f"{_CHANGE_WORDS[command.change]}, {commands_words}{choices_words}: {descriptions}"]
    if lines := _diff_lines(command.before, command.after):
        block += ["", *fenced_code(lines, "diff")]
    if command.beside:
        block += ["", *map(_item_line, command.beside)]
    yield block


def _diff_lines(before: Sequence[str], after: Sequence[str]) -> list[str]:
    lines = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [f"  {line}" for line in before[i1:i2]]
        else:
            lines += [f"- {line}" for line in before[i1:i2]]
            lines += [f"+ {line}" for line in after[j1:j2]]
    return lines


def _move_line(move: Move) -> str:
    sign = "✕ " if move.after in BAD and move.before in GOOD else ""
    outcomes_words = f"{move.before.replace('-', ' ')} → {move.after.replace('-', ' ')}"
    settings_words = "" if move.settings == 1 else f", {move.settings:,} settings"
    basis_words = ", expected" if move.basis == "baselines" else ""
    name = code_span(f"{move.suite}/{move.name}")
    return f"- {sign}{name}: {outcomes_words}{settings_words}{basis_words}"


def _limited_lines(lines: Block, left_out: int) -> Block:
    omitted_count = _omitted_count(lines, left_out)
    shown_lines = lines[:MOST_LINES]
    return [*shown_lines, f"- … and {omitted_count:,} more"] if omitted_count else shown_lines


def _omitted_count(entries: Sequence[object], left_out: int, most: int = MOST_LINES) -> int:
    """Return the number of entries of a list that the Markdown does not show.

    The Markdown shows the first `most` of `entries`. `left_out` is the number of further entries,
    which the comparison of the sites has already omitted from `entries`.
    """
    return max(0, len(entries) - most) + left_out


def _item_line(item: Item) -> str:
    word = "" if item.change == "changed" else f"{_CHANGE_WORDS[item.change]}: "
    values = [code_span(value) for value in (item.before, item.after) if value is not None]
    values_words = f": {' → '.join(values)}" if values else ""
    return f"- {word}{code_span(item.name)}{values_words}"


def _page_lines(pages: PagesDifference) -> Block:
    lines = []
    for name, word in _CHANGE_WORDS.items():
        pages_of_change: tuple[str, ...] = getattr(pages, name)
        if pages_of_change:
            pages_text = ", ".join(code_span(f"/{page}") for page in pages_of_change[:MOST_LINES])
            omitted_count = _omitted_count(pages_of_change, pages.left_out.get(name, 0))
            lines.append(
                f"- {word}: {pages_text}"
                + (f" and {omitted_count:,} more" if omitted_count else "")
            )
    return lines


def _count_words(number: int, singular: str, plural: str) -> str:
    return f"{number:,} {singular if number == 1 else plural}"
