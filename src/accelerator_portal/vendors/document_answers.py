"""Reads answers about a new platform from package metadata or `additional-platforms.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from packaging.utils import canonicalize_name

from accelerator_portal.vendors.draft import Draft
from accelerator_portal.vendors.draft_from_entry import ENTRY_SOURCE, step_requirements
from accelerator_portal.vendors.package_metadata import PackageMetadata
from accelerator_portal.vendors.questions import (
    PACKAGE_SOURCE,
    QUESTION_BY_FLAG,
    Answer,
    RefusedAnswerError,
    read_answer,
)

# Labels of project URLs in lower case, in order of preference. Source: "Well-known Project URLs in
# Metadata", a PyPA specification.
_DOCUMENTATION_LABELS = ("documentation", "docs")
_CODE_LABELS = (
    "source",
    "source code",
    "repository",
    "sourcecode",
    "github",
    "homepage",
    "home page",
)
_ISSUE_LABELS = ("issues", "bugs", "issue", "tracker", "issuetracker", "bug tracker", "bugtracker")

_REPOSITORY = re.compile(r"https://github\.com/([^/?#]+/[^/?#]+?)(?:\.git)?/?")


def answers_from_package(package: PackageMetadata) -> dict[str, Answer]:
    """Return the answers about a new platform that package metadata states, by question flag.

    A question is absent if the metadata states no valid answer.
    """
    autoload = None if package.autoload is None else "yes" if package.autoload else "no"
    return _valid_answers(
        PACKAGE_SOURCE,
        {
            "package": package.name,
            "import": package.module,
            "autoload": autoload,
            "url": next(_project_urls(package, _DOCUMENTATION_LABELS), None),
            "github": next(_github_repositories(package), None),
            "support": next(_project_urls(package, _ISSUE_LABELS), None),
        },
    )


def project_page(package: PackageMetadata) -> str | None:
    """Return the address of a package's repository, home page or documentation.

    The result is the first of these that the metadata states, or None.
    """
    return next(_project_urls(package, (*_CODE_LABELS, *_DOCUMENTATION_LABELS)), None)


def answers_from_entry(entry: Draft) -> dict[str, Answer]:
    """Return the answers about a new platform that the draft `entry` states, by question flag.

    `entry` is made from `additional-platforms.json`. A question is absent if the draft states no
    valid answer.
    """
    steps = [step for option in entry.install["options"] for step in option["steps"]]
    names = (canonicalize_name(requirement.name) for requirement in step_requirements(steps))
    plugins = (name for name in names if name not in {"torch", "torchvision", "torchaudio"})
    return _valid_answers(
        ENTRY_SOURCE,
        {
            "name": entry.accelerator["name"],
            "support": entry.accelerator["support"][0]["url"],
            "package": next(plugins, None),
        },
    )


def _valid_answers(source: str, texts: Mapping[str, str | None]) -> dict[str, Answer]:
    answer_by_flag = {}
    for flag, text in texts.items():
        try:
            if text is not None:
                answer_by_flag[flag] = Answer(read_answer(QUESTION_BY_FLAG[flag], text), source)
        except RefusedAnswerError:
            continue  # it is asked instead
    return answer_by_flag


def _project_urls(package: PackageMetadata, labels: tuple[str, ...]) -> Iterator[str]:
    for label in labels:
        answers = _valid_answers(PACKAGE_SOURCE, {"url": package.urls.get(label)})
        yield from (answer.value for answer in answers.values())


def _github_repositories(package: PackageMetadata) -> Iterator[str]:
    for url in _project_urls(package, _CODE_LABELS):
        if found := _REPOSITORY.fullmatch(url):
            yield found[1]
