"""Compares what readers see of two catalogs, and writes the difference as text and Markdown."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher, ndiff
from functools import cache
from itertools import chain, groupby, takewhile
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.markdown_file import code_span, fenced_code
from accelerator_portal.install.commands import VENDOR_METHODS
from accelerator_portal.install.expand import rows_by_platform
from accelerator_portal.install.rows import (
    ARCH_LABELS,
    METHOD_LABELS,
    NO_VARIANT,
    OS_LABELS,
    InstallRow,
)
from accelerator_portal.results.stored_reports import StoredReport, newest_evidence
from accelerator_portal.site.pages.hardware import hardware_data
from accelerator_portal.site.results.results_view import evidence_level, make_results_view
from accelerator_portal.site.text_formats import prose_list, python_range
from accelerator_reports.file_reading import read_bytes
from accelerator_reports.files.fields import Count, StrictModel
from accelerator_reports.files.wording import count
from accelerator_reports.outcomes import BAD, GOOD, Outcome
from accelerator_reports.test_ids import Identity, identity_of

ItemChange = Literal["added", "gone", "changed"]

DifferenceSection = Literal[
    "commands", "outcomes", "versions", "facts", "texts", "reports", "evidence", "pages"
]

MOST_CHARACTERS = 300
"""Longer texts are cut."""

# Keys that name an entry of a list; the first key whose value is a text counts.
_NAME_KEYS = ("id", "name", "title", "github", "question", "version", "command")

# Keys that together name a version row. A row with a newer plugin is the same row.
_VERSION_ROW_KEYS = ("torch", "variant")

# The number of characters shown before the first difference of two long texts.
_CONTEXT_LENGTH = 40

_FALSE_AND_TRUE = ("no", "yes")


class Item(StrictModel):
    """A command, fact, text, report or page that is new, removed or changed."""

    section: DifferenceSection
    """Where it is listed."""
    change: ItemChange
    """Whether it is new, removed or changed."""
    name: str
    """Its name, for example `hardware: Hopper`, or the selections of a command."""
    before: str | None = None
    """The text before, shortened if long. None if the item is new or its text isn't shown."""
    after: str | None = None
    """The text now, in the same form."""
    is_new_failure: bool = False
    """Whether it is a test that passed before and fails now."""


def change_kind(before: object, after: object) -> ItemChange:
    """Return `added`, `gone` or `changed` for two values; None stands for an absent value."""
    if before is None:
        return "added"
    return "gone" if after is None else "changed"


def changes(section: DifferenceSection, before: Any, after: Any, name: str = "") -> Iterator[Item]:  # noqa: ANN401 - any JSON
    """Yield the parts of a value that were added, removed or changed, in the order of `after`.

    `name` is the name of the whole value, such as `hardware`. The names of all yielded items start
    with it: `hardware: Hopper`. Mappings in a list are matched by name, not by position. Lists
    with other entries are compared as texts.
    """
    if before == after or (_is_empty(before) and _is_empty(after)):
        return
    old, new = (_by_name(value) if _is_table(value) else value for value in (before, after))
    if (old is None and _is_collection(new)) or (new is None and _is_collection(old)):
        old, new = old or {}, new or {}
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in dict.fromkeys((*new, *old)):
            full_name = shortened(f"{name}: {key}" if name else key)
            yield from changes(section, old.get(key), new.get(key), full_name)
        if old.keys() == new.keys() and list(old) != list(new) and _is_table(after):
            full_name = shortened(f"{name}: order" if name else "order")
            yield Item(section=section, change="changed", name=full_name)
        return
    old_text, new_text = (None if v is None else _plain_text(v) for v in (before, after))
    if old_text and new_text and max(len(old_text), len(new_text)) > MOST_CHARACTERS:
        equal = takewhile(lambda pair: pair[0] == pair[1], zip(old_text, new_text, strict=False))
        if (start := sum(1 for _ in equal) - _CONTEXT_LENGTH) > 0:
            old_text, new_text = f"…{old_text[start:]}", f"…{new_text[start:]}"
    change = change_kind(before, after)
    yield Item(
        section=section,
        change=change,
        name=name,
        before=old_text and shortened(old_text),
        after=new_text and shortened(new_text),
    )


def shortened(text: str) -> str:
    """Return a text, or its first `MOST_CHARACTERS` characters and `…` if it is longer."""
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"


def _is_empty(value: object) -> bool:
    return value is None or value in ([], (), {}, "")


def _is_table(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, Mapping) for entry in value)


def _is_collection(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(v, Mapping) for v in value.values())


def _by_name(entries: list[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return the mappings of a list by name, in their order.

    If several mappings have the same name, a number is appended: `Hopper (2)`, `Hopper`. The last
    one has none, because new entries come first.
    """
    entry_by_name: dict[str, Mapping[str, Any]] = {}
    for entry in reversed(entries):
        name = base = _entry_name(entry)
        number = 1
        while name in entry_by_name:
            number += 1
            name = f"{base} ({number})"
        entry_by_name[name] = entry
    return dict(reversed(entry_by_name.items()))


def _entry_name(entry: Mapping[str, Any]) -> str:
    """Return a name for a mapping in a list, such as the value of its key `id` or `title`.

    The name is the first text among the values of the keys `_NAME_KEYS`. Without such a text, the
    name has the keys and values of `_VERSION_ROW_KEYS`: `torch 2.9.0, variant cu130`. If the
    mapping has none of these keys, the name lists all keys and values of the mapping.
    """
    for key in _NAME_KEYS:
        if isinstance(entry.get(key), str):
            return str(entry[key])
    parts = [f"{key} {entry[key]}" for key in _VERSION_ROW_KEYS if key in entry]
    return ", ".join(parts) or _plain_text(entry)


def _plain_text(value: Any) -> str:  # noqa: ANN401 - any JSON
    if isinstance(value, bool):
        return _FALSE_AND_TRUE[value]
    if isinstance(value, Mapping):
        items = ((k, v) for k, v in value.items() if k != "source" and not _is_empty(v))
        return "; ".join(f"{key}: {_plain_text(inner)}" for key, inner in items)
    if isinstance(value, list):
        return ", ".join(
            _entry_name(entry) if isinstance(entry, Mapping) else _plain_text(entry)
            for entry in value
        )
    return str(value)


MOST_LINES = 40
"""The number of lines of a command that are listed."""
MOST_PLACES = 12
"""The number of descriptions of selections that are listed."""
MOST_VALUES = 4
"""The number of values of an axis that are listed."""


class ReaderChoice(NamedTuple):
    """The values that a reader selects in the install selector, as their labels.

    `python` is a version, or empty if every version gets the same commands.
    """

    system: str
    method: str
    python: str
    build: str
    variant: str


_ChoiceSet = tuple[frozenset[str], ...]
"""A set of values for each field of `ReaderChoice`, which stands for every combination of them."""

# Sets are merged along the axes in this order: Python first, which has the most values.
_MERGE_ORDER = ("python", "system", "method", "variant", "build")


def commands_by_choice(
    rows: Iterable[InstallRow], platform: Platform
) -> Mapping[ReaderChoice, str]:
    """Return the commands for every possible selection of a platform, and the texts beside them.

    Texts follow the commands as comments. Methods that the portal derives from a vendor's method,
    such as conda, are omitted.
    """
    variants = {variant.id: variant.name for variant in platform.install.variants}
    shown: dict[ReaderChoice, str] = {}
    for row in rows:
        if row.method in VENDOR_METHODS:
            text = "\n".join(_lines(row))
            for python in row.pythons or ("",):
                choice = ReaderChoice(
                    f"{OS_LABELS[row.os]} {ARCH_LABELS[row.arch]}",
                    METHOD_LABELS[row.method],
                    python,
                    row.build,
                    variants.get(row.variant, row.variant if row.variant != NO_VARIANT else ""),
                )
                shown.setdefault(choice, text)
    return shown


def _lines(row: InstallRow) -> Iterator[str]:
    yield from row.commands
    for need in row.prerequisites:
        yield "# needs: " + " ".join(filter(None, (need.name, need.version, need.url)))
    if row.check:
        yield f"# check: {row.check.command} prints {' / '.join(row.check.prints.split())}"
    if row.note:
        yield f"# note: {row.note}"
    if row.stage:
        until = f"{row.stage.until}" if row.stage.until else None
        stage = (row.stage.status, until, row.stage.note)
        yield "# status: " + "; ".join(filter(None, stage))


def command_changes(
    before: Mapping[ReaderChoice, str], after: Mapping[ReaderChoice, str]
) -> Iterator[Item]:
    """Yield the new, removed and changed commands of a platform.

    Selections whose commands changed in the same way are combined; the texts are of the first.
    """
    alike: dict[tuple[ItemChange, _Edit], list[ReaderChoice]] = {}
    for choice in dict.fromkeys((*after, *before)):
        old, new = before.get(choice), after.get(choice)
        if old != new:
            key = change_kind(old, new), _edit(old or "", new or "")
            alike.setdefault(key, []).append(choice)
    for (change, _), choices in alike.items():
        places = choice_descriptions(choices)
        if more := len(places) - MOST_PLACES:
            places[MOST_PLACES:] = [f"{more} more"] if more > 0 else []
        yield Item(
            section="commands",
            change=change,
            name=f"{count(len(choices), 'choice')}: {'; '.join(map(shortened, places))}",
            before=_limited_lines(before.get(choices[0])),
            after=_limited_lines(after.get(choices[0])),
        )


_Edit = tuple[tuple[str, str], ...]
"""For each place that changed: the words before, and the words that replace them."""


@cache
def _edit(before: str, after: str) -> _Edit:
    old, new = (text.replace("\n", " \n ").split(" ") for text in (before, after))
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple(
        (" ".join(old[i1:i2]), " ".join(new[j1:j2]))
        for tag, i1, i2, j1, j2 in steps
        if tag != "equal"
    )


def _limited_lines(text: str | None) -> str | None:
    if text is None:
        return None
    lines = [*map(shortened, text.split("\n"))]
    if left_out := lines[MOST_LINES:]:
        lines[MOST_LINES:] = [f"… and {count(len(left_out), 'more line')}"]
    return "\n".join(lines)


def choice_descriptions(choices: Sequence[ReaderChoice]) -> list[str]:
    """Return texts that together describe the selections `choices`.

    A text such as `Linux x86-64, pip, Python 3.11–3.14, PyTorch 2.15.0` covers several selections.
    """
    choice_sets: dict[_ChoiceSet, None] = {
        tuple(frozenset((value,)) for value in choice): None for choice in choices
    }
    for index in map(ReaderChoice._fields.index, _MERGE_ORDER):
        values_by_rest: dict[_ChoiceSet, frozenset[str]] = {}
        for choice_set in choice_sets:
            rest = (*choice_set[:index], *choice_set[index + 1 :])
            values_by_rest[rest] = values_by_rest.get(rest, frozenset()) | choice_set[index]
        choice_sets = {
            (*rest[:index], values, *rest[index:]): None for rest, values in values_by_rest.items()
        }
    return [_words(choice_set, choices) for choice_set in choice_sets]


def _words(choice_set: _ChoiceSet, all_choices: Sequence[ReaderChoice]) -> str:
    """Return a set of selections in words, with values in the order of `all_choices`.

    For example, `Linux x86-64, pip, any Python, PyTorch 2.15.0`.
    """
    system, method, pythons, build, variant = (
        [v for v in dict.fromkeys(choice[i] for choice in all_choices) if v in values]
        for i, values in enumerate(choice_set)
    )
    parts = (
        _limited_list(system),
        _limited_list(method),
        "any Python" if "" in pythons else f"Python {python_range(pythons)}",
        f"PyTorch {_limited_list(build)}",
        _limited_list([*filter(None, variant)]),
    )
    return ", ".join(filter(None, parts))


def _limited_list(values: Sequence[str]) -> str:
    left_out = len(values) - MOST_VALUES
    return prose_list([*values[:MOST_VALUES], f"{left_out} more"] if left_out > 0 else values)


MOST_CHANGES = 500
"""Further changes of a platform, or of pages, are only counted."""

RELEASES_ID = ""
"""The id of the part about PyTorch's releases, which belong to no platform."""

_SECTIONS = get_args(DifferenceSection)
_NO_TEXT = {"before": None, "after": None}

# The content of a page. The menus around it change on every page with each new platform.
_PAGE_CONTENT = re.compile(rb"<article\b.*</article>", re.DOTALL)


class PartDifference(StrictModel):
    """What changed about a platform or about PyTorch's releases."""

    id: str
    """The platform's id, or `RELEASES_ID`."""
    name: str
    """Its name."""
    change: ItemChange
    """Whether it is new, removed or changed."""
    items: tuple[Item, ...]
    """What changed, at most `MOST_CHANGES`."""
    left_out: Count = 0
    """The number of further changes."""


class Difference(StrictModel):
    """The difference between two states of the site."""

    schema_version: Literal[2] = 2
    not_compared: str | None = None
    """Why the data was not compared; None if it was."""
    parts: tuple[PartDifference, ...] = ()
    """What changed, by platform."""
    pages: PartDifference | None = None
    """The pages that changed; None if pages were not compared."""


@dataclass(frozen=True, slots=True)
class PlatformContent:
    """What readers see of a platform."""

    name: str
    commands: Mapping[ReaderChoice, str] = field(default_factory=dict)
    """The commands for each selection, with the texts beside them."""
    reports: Mapping[str, StoredReport] = field(default_factory=dict)
    """The test reports by id."""
    versions: Sequence[Any] = ()
    """The version rows and other facts on versions, as in JSON."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The facts about the platform, as in JSON."""
    texts: Mapping[str, Mapping[str, str]] = field(
        default_factory=lambda: {"Guide": {}, "Question": {}}
    )
    """The text of each section of the guide, and of each answer, by title."""
    evidence: Mapping[str, Any] = field(default_factory=dict)
    """The level of evidence, and what higher levels lack."""


SiteContent = Mapping[str, PlatformContent]
"""What readers see, by platform id. `RELEASES_ID` is the key of PyTorch's releases."""


def site_content(catalog: Catalog) -> SiteContent:
    """Return what readers see of a valid catalog."""
    results = make_results_view(catalog)
    releases = catalog.releases.model_dump(mode="json", exclude_unset=True)["releases"]
    content = {RELEASES_ID: PlatformContent("PyTorch’s releases", versions=releases)}
    cards = {hardware.id: hardware.generations for hardware in hardware_data(catalog).platforms}
    for platform in catalog.platforms:
        facts, versions = (
            record.model_dump(mode="json", by_alias=True, exclude_unset=True)
            for record in (platform.accelerator, platform.compatibility)
        )
        facts["variant"] = {variant.id: variant.name for variant in platform.install.variants}
        facts["runs on"] = {
            f"{card.name} {card.chip or ''}".strip(): card.words
            for card in cards.get(platform.id, ())
        }
        quality = evidence_level(catalog, results, platform)
        content[platform.id] = PlatformContent(
            platform.accelerator.name,
            commands_by_choice(rows_by_platform(catalog)[platform.id], platform),
            {stored.id: stored for stored in results.of(platform.id)},
            [*versions.pop("rows", ()), *({"name": key, key: versions[key]} for key in versions)],
            facts,
            {
                kind: {section.title: section.text for section in file.sections}
                for kind, file in (("Guide", platform.guide), ("Question", platform.faq))
            },
            {
                "level": quality.level.id,
                "why": quality.tested.why,
                "missing": {level.title: ", ".join(why) for level, why in quality.missing.items()},
            }
            if quality
            else {},
        )
    return content


def compare(before: SiteContent, after: SiteContent) -> tuple[PartDifference, ...]:
    """Return what changed, by platform, in the order of `after`."""
    ids = dict.fromkeys((*after, *before))
    found = (_part_difference(id_, before.get(id_), after.get(id_)) for id_ in ids)
    return tuple(part for part in found if part.items or part.change != "changed")


def _part_difference(
    id_: str, before: PlatformContent | None, after: PlatformContent | None
) -> PartDifference:
    old, new = (content or PlatformContent("") for content in (before, after))
    items = chain(
        command_changes(old.commands, new.commands),
        changes("versions", old.versions, new.versions),
        changes("facts", old.facts, new.facts),
        (i.model_copy(update=_NO_TEXT) for i in changes("texts", old.texts, new.texts)),
        _report_changes(old.reports, new.reports),
        _outcome_changes(old.reports, new.reports),
        changes("evidence", old.evidence, new.evidence),
    )
    return _part(id_, new.name or old.name, change_kind(before, after), items)


def _part(id_: str, name: str, change: ItemChange, items: Iterator[Item]) -> PartDifference:
    found = sorted(items, key=lambda item: _SECTIONS.index(item.section))
    left_out = max(0, len(found) - MOST_CHANGES)
    return PartDifference(
        id=id_, name=name, change=change, items=tuple(found[:MOST_CHANGES]), left_out=left_out
    )


def _report_changes(
    before: Mapping[str, StoredReport], after: Mapping[str, StoredReport]
) -> Iterator[Item]:
    for id_ in dict.fromkeys((*after, *before)):
        old, new = before.get(id_), after.get(id_)
        if not (old and new and old.report == new.report):
            yield Item(
                section="reports",
                change=change_kind(old, new),
                name=id_,
                before=_report_summary(old) if old else None,
                after=_report_summary(new) if new else None,
            )


def _report_summary(stored: StoredReport) -> str:
    """Return a report in one line: `self-reported, torchbench: 75 passed, 15 failed`."""
    parts: list[str] = [stored.report.kind]
    for evidence in newest_evidence([stored]):
        counts = (f"{number:,} {_outcome_text(name)}" for name, number in evidence.counts.items())
        parts.append(f"{evidence.suite}: {', '.join(counts)}")
    return shortened(", ".join(parts))


def _outcome_changes(
    before: Mapping[str, StoredReport], after: Mapping[str, StoredReport]
) -> Iterator[Item]:
    """Yield the tests whose newest outcome changed, new failures first, then counts of tests.

    Settings of a test that changed alike are counted.
    """
    old, new = (_newest_outcomes(reports.values()) for reports in (before, after))
    moves = Counter(
        (f"{test.suite}/{test.name}{expected}", old[test, expected], outcome)
        for (test, expected), outcome in new.items()
        if old.get((test, expected), outcome) != outcome
    )
    for (name, was, now), settings in sorted(moves.items(), key=_severity):
        more = f", {settings:,} settings" if settings > 1 else ""
        yield Item(
            section="outcomes",
            change="changed",
            name=name,
            before=_outcome_text(was),
            after=_outcome_text(now) + more,
            is_new_failure=was in GOOD and now in BAD,
        )
    added, gone = (
        Counter(f"tests of {test.suite}{expected}" for test, expected in sorted(keys))
        for keys in (new.keys() - old.keys(), old.keys() - new.keys())
    )
    yield from changes("reports", {}, added)
    yield from changes("reports", gone, {})


def _newest_outcomes(
    reports: Iterable[StoredReport],
) -> Mapping[tuple[Identity, str], Outcome]:
    """Return the outcome of each test in the newest report that has it.

    Results of baselines are kept apart: the second part of their key is `, expected`.
    """
    return {
        (identity_of(test), ", expected" if stored.report.kind == "baseline" else ""): test.outcome
        for stored in sorted(reports, key=lambda stored: stored.order)
        for test in stored.report.tests
    }


def _severity(move: tuple[tuple[str, Outcome, Outcome], int]) -> tuple[int, str]:
    """Return the sort key of a changed outcome: new failures, other failures, passed, others."""
    (name, was, now), _ = move
    return (was not in GOOD if now in BAD else 2 if now in GOOD else 3), name


def _outcome_text(outcome: Outcome) -> str:
    return outcome.replace("-", " ")


def page_digests(site: Path) -> Mapping[str, str]:
    """Return a digest of the content of each page of a built site, by address; menus are ignored.

    Addresses are, for example, `get-started/`, `404.html`, and "" for the home page. Raises
    ProblemsError if a page cannot be read.
    """
    digests = {}
    for file in sorted(site.rglob("*.html")):
        if file.is_file() and not file.is_symlink():
            page = read_bytes(file)
            content = _PAGE_CONTENT.search(page)
            address = file.relative_to(site).as_posix().removesuffix("index.html")
            digests[address] = hashlib.sha256(content[0] if content else page).hexdigest()
    return digests


def compare_pages(before: Mapping[str, str], after: Mapping[str, str]) -> PartDifference:
    """Return the new, removed and changed pages; both arguments are results of `page_digests`."""
    items = (
        Item(
            section="pages", change=change_kind(before.get(page), after.get(page)), name=f"/{page}"
        )
        for page in dict.fromkeys((*after, *before))
        if before.get(page) != after.get(page)
    )
    return _part("", "Pages", "changed", items)


# Writes the difference between two states of the site as Markdown, for a comment on GitHub.
#
# The length of the Markdown is limited. Texts from the two states are written as code, so that
# their characters are not interpreted as Markdown.

# GitHub accepts 65,536 characters; the rest is for other text in the comment.
MOST_MARKDOWN_CHARACTERS = 60_000

NO_DIFFERENCE = "No reader will see a difference."

# Limits for one list, so that one platform does not use the space of the others.
_MOST_MARKDOWN_LINES = 40
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
    left_out += len(lines[_MOST_MARKDOWN_LINES:])
    return [*lines[:_MOST_MARKDOWN_LINES], *([f"- … and {left_out:,} more"] if left_out else [])]
