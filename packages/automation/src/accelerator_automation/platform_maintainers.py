"""Finds the platforms that a pull request changes, and their maintainers in the base commit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import platform_id_of
from accelerator_portal.catalog.markdown_quotes import code_span
from accelerator_reports.files.folder_name import folder_fault
from accelerator_reports.files.wording import count

MOST_FOLDERS = 20

Maintainers = Mapping[str, Sequence[str]]
"""The GitHub logins of a folder's maintainers, by the folder's name (the platform id)."""


def maintainers(catalog: Catalog) -> Maintainers:
    """Return the GitHub logins of each platform's maintainers, by platform id."""
    return {
        platform.id: [person.github for person in platform.accelerator.maintainers]
        for platform in catalog.platforms
    }


def changed_platforms(files: Iterable[str]) -> list[str]:
    """Return the ids of the platforms whose folders contain any of the files."""
    return sorted({name for name in map(platform_id_of, files) if not folder_fault(name)})


def notices(base: Maintainers, folders: Sequence[str], author: str) -> list[str]:
    """Return a sentence, in Markdown, for each folder whose maintainers do not include `author`.

    `base` has the maintainers in the base commit, by folder name. At most MOST_FOLDERS folders get
    a sentence. If there are more, a last sentence states how many are left out.
    """
    sentences = [
        sentence for folder in folders if (sentence := _notice(base.get(folder), folder, author))
    ]
    more = len(sentences) - MOST_FOLDERS
    last = [f"… and {count(more, 'more folder')}."] if more > 0 else []
    return sentences[:MOST_FOLDERS] + last


def _notice(people: Sequence[str] | None, folder: str, author: str) -> str | None:
    path, who = code_span(f"accelerators/{folder}/"), code_span(author)
    if people is None:
        return f"{path} is new and has no maintainer yet. The author is {who}."
    if not people:
        return f"{path} has no maintainer. The author is {who}."
    if author.casefold() in {person.casefold() for person in people}:
        return None
    return f"The author, {who}, is not a maintainer of {path}: {', '.join(map(code_span, people))}."
