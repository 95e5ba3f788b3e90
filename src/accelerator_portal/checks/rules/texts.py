"""Checks guides, FAQs, error messages and names of vendors."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping

from packaging.utils import canonicalize_name

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.install_file import package_name
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.markdown_file import CITATION, GUIDE_HEADINGS, MarkdownFile, Section
from accelerator_portal.checks.look_alike_names import (
    alphabet_faults,
    claimed_fault,
    name_fault,
    skeleton,
)
from accelerator_portal.checks.rule import rule
from accelerator_portal.install.additional_platforms import MAX_PAGE_LINES
from accelerator_reports.files.fields import is_public_https_url, is_site_path, url_fault
from accelerator_reports.files.problem import Problem, did_you_mean
from accelerator_reports.files.sources import cited_ids
from accelerator_reports.files.yaml_file import Location, YamlFile


@rule()
def guide_headings(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Every guide has the same five headings in the same order, so links to them keep working.

    Below its front matter, a guide has at most 200 lines of Markdown, blank lines included. This is
    the limit of pytorch.org's Additional Platforms page.
    """
    guides = [
        text
        for platform in catalog.platforms
        for text in (
            platform.guide,
            *(translation.text for translation in platform.translations.values()),
        )
    ]
    for guide in guides:
        titles = [section.title for section in guide.sections]
        for heading in GUIDE_HEADINGS:
            if heading not in titles:
                what = f'the heading "## {heading}" is missing'
                yield Problem(guide.path, 1, what, f"the guide needs {', '.join(GUIDE_HEADINGS)}")
        for section in guide.sections:
            if section.title not in GUIDE_HEADINGS:
                what = f'"## {section.title}" is not a valid heading in a guide'
                yield Problem(
                    guide.path, section.line, what, did_you_mean(section.title, GUIDE_HEADINGS)
                )
            elif not section.text:
                what = f'there is no text under "## {section.title}"'
                yield Problem(guide.path, section.line, what, "add text or remove the heading")
        if sorted(titles) == sorted(GUIDE_HEADINGS) and titles != list(GUIDE_HEADINGS):
            what = "the headings are not in the required order"
            yield Problem(
                guide.path, guide.sections[0].line, what, f"use {', '.join(GUIDE_HEADINGS)}"
            )
        if len(set(titles)) < len(titles):
            yield Problem(guide.path, 1, "a heading is used twice", "remove one of the two")
        if guide.length > MAX_PAGE_LINES and guide.sections:
            what = f"the guide has {guide.length} lines of Markdown, more than {MAX_PAGE_LINES}"
            line = guide.sections[-1].line
            yield Problem(guide.path, line, what, "shorten it and link to the vendor's guide")


@rule()
def citations(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Every source that a file cites is in its `sources`, and the file cites each source there."""
    for file in catalog.files.values():
        if isinstance(file.data, Mapping) and "sources" in file.data:
            yield from _yaml_citation_problems(file, file.data["sources"])
    for text in catalog.texts:
        yield from _markdown_citation_problems(text)


def _yaml_citation_problems(file: YamlFile, declared: object) -> Iterator[Problem]:
    declared_ids = list(declared) if isinstance(declared, Mapping) else []
    cited_ids_here = set()
    for location, name in cited_ids(file.data):
        cited_ids_here.add(name)
        if name not in declared_ids:
            what = f'the source "{name}" is not declared in this file'
            yield Problem(file.path, file.line(location), what, did_you_mean(name, declared_ids))
    for name in declared_ids:
        if name not in cited_ids_here:
            line = file.line(("sources", name))
            what = f'no fact cites the source "{name}"'
            yield Problem(file.path, line, what, "cite it where it is used, or remove it")


def _markdown_citation_problems(file: MarkdownFile) -> Iterator[Problem]:
    cited_ids_here = set()
    for section in file.sections:
        for number, line in enumerate(section.text.split("\n"), section.text_line):
            for name in CITATION.findall(line):
                cited_ids_here.add(name)
                if name not in file.sources:
                    what = f'the source "{name}" is not declared in the front matter'
                    yield Problem(file.path, number, what, did_you_mean(name, file.sources))
    for name in file.sources:
        if name not in cited_ids_here:
            what = f'the text never cites the source "{name}"'
            yield Problem(file.path, 1, what, f"cite it as [@{name}], or remove it")


@rule(level="warning")
def translated_guides(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """A guide in another language says the same as the English one, and cites the same sources.

    `translates` in the front matter of the translation is the fingerprint of the English text that
    was translated. If the English text changes later, the translated page tells its readers.
    """
    for platform in catalog.platforms:
        english = platform.guide
        for translation in platform.translations.values():
            text = translation.text
            if translation.head.translates != english.fingerprint:
                what = "the English guide has changed since this translation"
                remedy = f"compare them, then write translates: {english.fingerprint}"
                yield Problem(text.path, 2, what, remedy)
            cited = {name for s in text.sections for name in CITATION.findall(s.text)}
            for name in sorted(cited ^ set(english.sources)):
                what = f'only one of the two guides cites the source "{name}"'
                yield Problem(text.path, 1, what, "cite the sources of guide.md")


@rule(level="warning")
def translated_answers(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """An answer in another language says the same as the English one, and cites the same sources.

    In `faq.<language>.md`, the heading of an answer is the English question, and a level-3 heading
    below it is the question in the other language. `translates` in the front matter is the
    fingerprint of the English questions and answers.
    """
    for platform in catalog.platforms:
        english_sections = {section.title: section for section in platform.faq.sections}
        for translation in platform.answers.values():
            text = translation.text
            current = platform.faq.fingerprint_of({section.title for section in text.sections})
            if translation.head.translates != current:
                what = "the English answers have changed since this translation"
                remedy = f"compare them, then write translates: {current}"
                yield Problem(text.path, 2, what, remedy)
            for section in text.sections:
                yield from _answer_problems(text.path, section, english_sections)


def _answer_problems(
    path: str, section: Section, english_sections: Mapping[str, Section]
) -> Iterator[Problem]:
    original = english_sections.get(section.title)
    if original is None:
        what = f'"{section.title}" is not a question of faq.md'
        yield Problem(path, section.line, what, did_you_mean(section.title, english_sections))
        return
    if not section.text.startswith("### "):
        what = "the question is missing in the language"
        yield Problem(path, section.line, what, "add it below the heading as a ### heading")
    if {*CITATION.findall(section.text)} != {*CITATION.findall(original.text)}:
        what = "the answer and the English one cite different sources"
        yield Problem(path, section.line, what, "cite the sources of the answer in faq.md")


@rule()
def text_links(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Links in guides and FAQs use https, or lead to a page of the site, as in `/hardware/`.

    Images are not allowed.
    """
    for file in (*catalog.texts, *catalog.translations):
        for target in file.targets:
            if target.is_picture:
                remedy = "describe it in words, or link to it"
                yield Problem(file.path, target.line, "images are not allowed", remedy)
            elif not is_public_https_url(target.address) and not is_site_path(target.address):
                what, remedy = url_fault(target.address)
                what = f'the link to "{target.address[:80]}" {what}'
                yield Problem(file.path, target.line, what, remedy)


@rule(level="warning")
def uncited_answers(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Every answer in `faq.md` cites a source: the discussion or documentation it is based on.

    Without a source, readers can't check whether the answer is still correct.
    """
    for faq in catalog.faq_files:
        for section in faq.sections:
            if not CITATION.search(section.text):
                what = f'the answer to "{section.title[:60]}" cites no source'
                remedy = "add the source under sources, and cite it as [@its-id]"
                yield Problem(faq.path, section.line, what, remedy)


@rule()
def look_alikes(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Names contain no look-alike letters from other alphabets.

    For example, `cuda` with a Cyrillic letter looks like `cuda`. The rule follows Unicode Technical
    Standard 39, Security Mechanisms, as far as Python's Unicode data allows. The standard has a
    table of confusable characters; the rule uses only the letters that IDs can contain.
    """
    for platform in catalog.platforms:
        yield from _yaml_alphabet_problems(platform)
        if letters_fault := name_fault(platform.accelerator.name):
            yield platform.problem("accelerator.yaml", ("name",), *letters_fault)
    for file in (*catalog.texts, *catalog.translations):
        for line, text in _numbered_lines(file):
            for what in alphabet_faults(text):
                yield Problem(file.path, line, what, "use one alphabet")


def _yaml_alphabet_problems(platform: Platform) -> Iterator[Problem]:
    for name, file in platform.files.items():
        for location, value in file.values():
            for text in (*location[-1:], value):
                if isinstance(text, str) and not text.isascii():
                    for what in alphabet_faults(text):
                        yield platform.problem(name, location, what, "use one alphabet")


def _numbered_lines(file: MarkdownFile) -> Iterator[tuple[int, str]]:
    for section in file.sections:
        yield section.line, section.title
        yield from enumerate(section.text.split("\n"), section.text_line)


# Checks the error messages that answers in `faq.md` declare.

_MAX_CHARACTERS = 300
_MAX_VARYING_PARTS = 3
# A message is specific if it has as many words, or a long name with as many characters.
_MIN_WORDS = 3
_MIN_NAME_CHARACTERS = 12

_VARYING_PART = re.compile(r"\u2026|\*|\.{3}")
_GENERAL_ERROR_NAME = re.compile(
    r"\b(?:(?:Runtime|Value|Type|Key|Index|Attribute|Assertion|OS)?Error|Exception)\b"
)
_WORD = re.compile(r"[a-zA-Z0-9_]{2,}")
_CODE = re.compile(r"[A-Z][A-Z0-9][0-9]{4}")  # such as EZ9999
_LONG_NAME = re.compile(r"[a-zA-Z0-9]{1,80}(?:_|[a-z](?=[A-Z]))")


@rule()
def declared_messages(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """An error message in an `error` block of `faq.md` is specific, and only one answer has it.

    When a reader pastes such a message, its answer opens. A message must have at least three words
    besides names such as `RuntimeError`, or a long name such as `CUDNN_STATUS_NOT_INITIALIZED`, or
    an error code such as `EZ9999` and another word.
    """
    for faq in catalog.faq_files:
        title_by_message: dict[str, str] = {}
        for section in faq.sections:
            for message in section.messages:
                words = _WORD.findall(_GENERAL_ERROR_NAME.sub(" ", message.text))
                first_title = title_by_message.setdefault(" ".join(words).lower(), section.title)
                other_title = first_title if first_title != section.title else None
                for what, remedy in _message_faults(message.text, words, other_title):
                    yield Problem(faq.path, message.line, what, remedy)


def _message_faults(
    text: str, words: list[str], other_title: str | None
) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a declared message, and the fix.

    `words` are the words of the message without general names such as `RuntimeError`. `other_title`
    is the title of an earlier answer that declares the same message, or None.
    """
    if not _is_specific(words):
        remedy = f"write at least {_MIN_WORDS} words of it, besides a name such as RuntimeError"
        yield f'the message "{text[:60]}" is not specific', remedy
    elif other_title is not None:
        what = f'the answer to "{other_title[:60]}" declares this message, too'
        yield what, "declare it only in the answer that solves the problem"
    if len(text) > _MAX_CHARACTERS or len(_VARYING_PART.findall(text)) > _MAX_VARYING_PARTS:
        limits = f"{_MAX_CHARACTERS} characters and {_MAX_VARYING_PARTS} varying parts (\u2026)"
        what = "the message is too long or has too many parts that vary"
        yield what, f"use at most {limits}"


def _is_specific(words: list[str]) -> bool:
    return (
        len(words) >= _MIN_WORDS
        or any(len(word) >= _MIN_NAME_CHARACTERS and _LONG_NAME.match(word) for word in words)
        or (len(words) > 1 and any(_CODE.fullmatch(word) for word in words))
    )


# Checks for ids, names, devices and packages that readers or pip could confuse.

# PyPI rejects versions with a local part, so nobody can upload `==0.2.3+torch2.11` there.
_LOCAL_PIN = re.compile(r"==[^,;{]*\+")
_WELL_KNOWN = ("numpy", "torch", "torchaudio", "torchvision", "triton")


@rule(compares=True)
def additional_platform_ids(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """No two folders have the same `additional_platform.id` in `accelerator.yaml`.

    It is the id under which pytorch.org's Additional Platforms page lists a platform, and
    `additional-platforms.json` uses it. This id must also differ from the ids of all other
    folders. The rule treats hyphens and underscores as the same.
    """
    claims: list[tuple[Platform, str, Location]] = [
        (p, p.id, ()) for p in catalog.platforms_by_precedence
    ]
    claims += [
        (platform, entry.id, ("additional_platform", "id"))
        for platform in catalog.platforms_by_precedence
        if (entry := platform.accelerator.additional_platform)
    ]
    # Folders that the current change modifies come last, so that they get the problem.
    claims.sort(key=lambda claim: claim[0].id in catalog.changed)
    owner_by_id: dict[str, Platform] = {}
    for platform, name, location in claims:
        owner = owner_by_id.setdefault(name.replace("-", "_"), platform)
        if owner is not platform:
            fault = claimed_fault("id", name, owner)
            yield platform.problem("accelerator.yaml", location, *fault)


@rule(compares=True)
def duplicate_names(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Each folder has its own name and its own plugin package.

    Package names are compared in normalized form, so `torch-tpu` and `torch_tpu` are the same. If
    several vendors' packages share a name, such as builds of `torch`, each folder sets
    `package.shared_name`.
    """
    claims: dict[tuple[str, str], Platform] = {}
    for platform in catalog.platforms_by_precedence:
        for kind, name, location in _claimed_names(platform):
            owner = claims.setdefault((kind, name), platform)
            if owner is not platform and not (
                kind == "package" and _share_package_name(owner, platform)
            ):
                yield platform.problem(
                    "accelerator.yaml", location, *claimed_fault(kind, name, owner)
                )


def _share_package_name(platform: Platform, other: Platform) -> bool:
    """Return whether two platforms both set `shared_name`, so that both may use one package name.

    One platform's key is not enough, because any vendor could then claim another vendor's name.
    """
    return platform.accelerator.package.shared_name and other.accelerator.package.shared_name


def _claimed_names(platform: Platform) -> Iterator[tuple[str, str, Location]]:
    yield "name", platform.accelerator.name.casefold(), ("name",)
    if not platform.in_tree:
        package = canonicalize_name(platform.accelerator.package.name)
        yield "package", package, ("package", "name")


@rule(compares=True)
def similar_names(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Platform IDs, names and packages don't look like another platform's.

    For example, `torch-acrne` looks like `torch-acme`, and installing the wrong package runs its
    code. The rule follows Unicode Technical Standard 39, Security Mechanisms. The standard has a
    table of confusable characters; the rule uses only the letters that names can contain.
    """
    claims: dict[tuple[str, str], tuple[Platform, str]] = {}
    for platform in catalog.platforms_by_precedence:
        reported: set[str] = set()
        for kind, name, location in _compared_names(platform):
            owner, other_name = claims.setdefault((kind, skeleton(name)), (platform, name))
            # The rule duplicate-names reports equal packages and equal names.
            is_duplicate = name.casefold() == other_name.casefold() and (
                kind == "package"
                or platform.accelerator.name.casefold() == owner.accelerator.name.casefold()
            )
            if owner is not platform and not is_duplicate and kind not in reported:
                reported.add(kind)
                what = f'"{name}" looks like "{other_name}" of {owner.path("accelerator.yaml")}'
                yield platform.problem("accelerator.yaml", location, what, "choose another name")


def _compared_names(platform: Platform) -> Iterator[tuple[str, str, Location]]:
    yield "platform", platform.id, ("name",)
    yield "platform", platform.accelerator.name, ("name",)
    package = canonicalize_name(platform.accelerator.package.name)
    yield "package", package, ("package", "name")


# A warning: a new platform must not be able to block a platform that has the device already.


@rule(level="warning")
def shared_devices(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Platforms with the same device string each explain it in the note of `device`.

    For example, ROCm uses `cuda`, and two vendors use `tpu`. `torch.device("tpu")` alone doesn't
    say which platform a program uses.
    """
    platforms_by_device = grouped(
        (platform.accelerator.device.value, platform) for platform in catalog.platforms
    )
    for device, platforms in platforms_by_device.items():
        for platform in platforms if len(platforms) > 1 else ():
            if not platform.accelerator.device.note:
                other_names = ", ".join(p.accelerator.name for p in platforms if p is not platform)
                what = f'the device "{device}" is also used by {other_names}'
                remedy = "explain in device.note how to distinguish the platforms"
                yield platform.problem("accelerator.yaml", ("device", "value"), what, remedy)


@rule(level="warning")
def package_confusion(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """No install command uses a package name that somebody else could register on PyPI.

    With an extra index, pip installs the highest version that PyPI or that index has. If PyPI does
    not have the package, anybody can register its name there. A name that differs by one letter
    from a well-known package is also reported: it is usually a typing error, and somebody else has
    often registered it.
    """
    listed_packages = {canonicalize_name(p.accelerator.package.name) for p in catalog.platforms}
    for platform in catalog.platforms:
        for step in platform.steps:
            if step.pip is None:
                continue
            for package_index, package in enumerate(step.pip.packages):
                name = canonicalize_name(package_name(package))
                location = ("pip", "packages", package_index)
                similar_name = next((word for word in _WELL_KNOWN if _is_typo_of(name, word)), None)
                if similar_name and name not in listed_packages and not catalog.unread_folders:
                    what = f'"{name}" differs by one letter from "{similar_name}"'
                    remedy = f'write "{similar_name}" if that is meant'
                    yield platform.record_problem(step, location, what, remedy)
                if (
                    step.pip.extra_index
                    and "@" not in package.partition(";")[0]  # with an address, pip asks no index
                    and not _LOCAL_PIN.search(package)
                    and not _on_pypi(catalog, name)
                ):
                    what = f'because of extra_index, anybody could register "{name}" on PyPI'
                    remedy = "use index if that index has all packages, or register the name"
                    yield platform.record_problem(step, location, what, remedy)


def _on_pypi(catalog: Catalog, name: str) -> bool:
    """Return whether PyPI has releases of a package.

    If the package was never looked up on PyPI, return whether `_WELL_KNOWN` contains the name.
    """
    facts = catalog.packages.get(name)
    pypi_facts = facts.on("pypi") if facts else None
    return bool(pypi_facts.releases) if pypi_facts else name in _WELL_KNOWN


def _is_typo_of(name: str, word: str) -> bool:
    """Return whether one added, missing, changed or swapped letter turns `name` into `word`."""
    if name == word or abs(len(name) - len(word)) > 1:
        return False
    start = 0
    while start < min(len(name), len(word)) and name[start] == word[start]:
        start += 1
    a, b = name[start:], word[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
