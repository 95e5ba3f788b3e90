"""Compares versions that texts and `data/releases.yaml` call the newest with package facts."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping

from packaging.utils import canonicalize_name
from packaging.version import Version

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import RELEASES
from accelerator_portal.catalog.files.package_file import PACKAGES, PYPI, ReleaseFacts
from accelerator_portal.catalog.markdown_file import CITATION, MarkdownFile
from accelerator_portal.checks.rule import rule
from accelerator_portal.packages.facts_text import release_line_number
from accelerator_portal.packages.fitting_releases import (
    admits,
    torch_requirements,
    usable_releases,
)
from accelerator_portal.packages.newest_versions import fill_versions, newest_version
from accelerator_portal.packages.portal_packages import TORCH, TORCHVISION
from accelerator_reports.files.fields import version_or_none
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.sources import Source

_ANY_PLACEHOLDER = re.compile(r"\{newest:[^{}\s]{0,80}\}?")
_VERSION = r"v?(?P<version>\d+(?:\.\w+)+)"
# `the newest release is 2.11.0`, `torch_xla 2.9.0 is the last release.`
_CLAIM = re.compile(
    rf"\b(?:newest|latest|last)(?:\s+(?P<subject>[\w-]+))?(?:\s+so\s+far)?(?:,|:|\s+is|\s+was)\s+"
    rf"{_VERSION}|(?:(?P<name>[\w-]+)\s+)?{_VERSION.replace('version', 'other')}\s+is\s+the\s+"
    r"(?:newest|latest|last)(?:\s+(?:release|version))?(?=\s+so\s+far|[.,:;)]|$)"
)
_PLUGIN_NAME = re.compile(r"(?<![\w./@-])torch[\w-]+", re.IGNORECASE)
_TORCH_PIN = re.compile(r"(?<![\w-])torch==\d[\w.]*")
_PIN = re.compile(r"([\w-]+)==([\w.]+)")


@rule()
def version_placeholders(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Placeholders such as `{newest:torchaudio}` in guides and answers name a known package.

    The site shows the newest version in their place. `{newest:torch+cpu+cu126}` is the newest
    PyTorch release that has both builds.
    """
    for path, line, text in _texts(catalog):
        for found in _ANY_PLACEHOLDER.finditer(text):
            if fill_versions(catalog, found[0]) == found[0]:
                what = f'no version is known for the placeholder "{found[0]}"'
                remedy = "name a package of data/packages, as in {newest:torchaudio}"
                yield Problem(path, line + text.count("\n", 0, found.start()), what, remedy)


def _texts(catalog: Catalog) -> Iterator[tuple[str, int, str]]:
    """Yield each section of guides and answers, and each text of a YAML file, with its line."""
    for path, yaml_file in catalog.files.items():
        for location, value in yaml_file.values():
            if isinstance(value, str):
                yield path, yaml_file.line(location), value
    for file in (*catalog.texts, *catalog.translations):
        for section in file.sections:
            yield file.path, section.text_line, section.text


@rule(level="warning")
def newest_versions(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """What is called the newest version is the newest one that `data/packages/` has.

    The rule checks the companions of torch and the newest release in `data/releases.yaml`,
    sentences such as "the newest release is 2.11.0" in guides, answers and notes, and examples that
    pin torch. A text can write `{newest:torchaudio}` instead of the version.
    """
    yield from _unlisted_versions(catalog)
    for path, yaml_file in catalog.files.items():
        for location, value in yaml_file.values():
            if isinstance(value, str):
                for _, what, remedy in _outdated_claims(catalog, value, {}):
                    yield Problem(path, yaml_file.line(location), what, remedy)
    own_texts = {p.path(name) for p in catalog.platforms if p.in_tree for name in _TEXT_FILES}
    for file in catalog.texts:
        yield from _text_problems(catalog, file)
        if file.path in own_texts or file is catalog.faq:
            yield from _outdated_pins(catalog, file)


_TEXT_FILES = ("guide.md", "faq.md")


def _unlisted_versions(catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each release on PyPI that `data/releases.yaml` should list.

    For torchvision, only the version for the newest torch is compared, because older releases
    keep the torchvision that was released with them.
    """
    releases = catalog.releases
    first_index = {c.package: n for n, c in reversed([*enumerate(releases.companions)])}
    for package in (TORCH, TORCHVISION, *first_index):
        facts = catalog.packages.get(package)
        on_pypi = facts.on(PYPI) if facts else None
        for release in usable_releases(on_pypi.releases) if on_pypi else ():
            if facts is None or not _is_unlisted(catalog, package, release):
                continue
            line = release_line_number(facts, PYPI, release.version)
            what = f"PyPI has {package} {release.version} ({PACKAGES}/{package}.json:{line})"
            remedy = f"add a row for {package} {release.version}, with its source"
            if package == TORCH:
                remedy = f"run accelerator-portal release add {release.version}"
            elif package == TORCHVISION:
                remedy = f"write {release.version}, with its source"
            location = ("companions", first_index[package]) if package in first_index else None
            newest = ("releases", releases.releases.index(releases.newest))
            yield catalog.problem(RELEASES, location or newest, what, remedy)


def _is_unlisted(catalog: Catalog, package: str, release: ReleaseFacts) -> bool:
    """Return whether a release is newer than what is listed for a torch that it supports.

    Metadata that names no torch says nothing about older versions of torch.
    """
    newest = catalog.releases.newest.version
    if package == TORCH:
        return Version(release.version) > Version(newest)
    stated = torch_requirements(release).values()
    older = () if package == TORCHVISION or not stated else catalog.releases.by_version
    return any(
        Version(release.version) > max(map(Version, listed))
        for torch in (newest, *older)
        if all(admits(line, torch) for line in stated)
        and (listed := catalog.releases.companions_of(torch).get(package))
    )


def _text_problems(catalog: Catalog, file: MarkdownFile) -> Iterator[Problem]:
    for name, source in file.sources.items():
        for _, what, remedy in _outdated_claims(catalog, source.title, {}):
            yield Problem(file.path, file.source_lines[name], what, remedy)
    for section in file.sections:
        for start, what, remedy in _outdated_claims(catalog, section.text, file.sources):
            line = section.text_line + section.text.count("\n", 0, start)
            yield Problem(file.path, line, what, remedy)


def _outdated_pins(catalog: Catalog, file: MarkdownFile) -> Iterator[Problem]:
    for block in file.code:
        for line, text in enumerate(block.text.splitlines(), block.line):
            for pin in _TORCH_PIN.findall(text):
                remedy = "write torch=={newest:torch}, or name builds as in {newest:torch+cpu}"
                yield Problem(file.path, line, f'the example pins "{pin}"', remedy)
    companions = catalog.releases.companions_of(catalog.releases.newest.version)
    for span in file.spans:
        pinned = _PIN.fullmatch(span.text)
        if pinned and companions.get(pinned[1]) and pinned[2] != companions[pinned[1]][0]:
            what = f'"{span.text}" is not the newest version, {companions[pinned[1]][0]}'
            remedy = f"write {pinned[1]}=={{newest:{pinned[1]}}}"
            yield Problem(file.path, span.line, what, remedy)


def _outdated_claims(
    catalog: Catalog, text: str, sources: Mapping[str, Source]
) -> Iterator[tuple[int, str, str]]:
    """Yield the position of each claim that names an older version, with a message and the fix.

    A claim is about the package that it names, or that the next citation of its paragraph names, or
    that was named last before it.
    """
    for claim in _CLAIM.finditer(text):
        stated = version_or_none(claim["version"] or claim["other"])
        package = _package_of_claim(catalog, text, claim, sources)
        newest = newest_version(catalog, package) if package else None
        if stated and newest and Version(newest).release[: len(stated.release)] > stated.release:
            words = " ".join(claim[0].split())
            what = f'"{words}", but the newest {package} is {newest}'
            yield claim.start(), what, f"write {{newest:{package}}}, or correct the sentence"


def _package_of_claim(
    catalog: Catalog, text: str, claim: re.Match[str], sources: Mapping[str, Source]
) -> str | None:
    known = catalog.packages
    named = canonicalize_name(claim["name"] or claim["subject"] or "")
    if named in known:
        return named
    end = text.find("\n\n", claim.end())
    following = CITATION.findall(text[claim.end() : end if end >= 0 else len(text)])
    cited = [source.package for name in following if (source := sources.get(name))]
    if cited and cited[0]:
        return canonicalize_name(cited[0])
    mentioned = _PLUGIN_NAME.findall(text[: claim.end()].rpartition("\n\n")[2])
    return canonicalize_name(mentioned[-1]) if mentioned else None
