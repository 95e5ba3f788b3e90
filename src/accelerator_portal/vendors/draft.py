"""Renders the draft of a new platform's folder as the texts of its files, and checks the folder.

`Draft` has the content of the folder. `PlatformCase` collects a vendor's answers, from which the
draft is made.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.files.install_steps import Step
from accelerator_portal.catalog.loader import load_platform
from accelerator_portal.catalog.markdown_file import CITATION, GUIDE_HEADINGS
from accelerator_portal.catalog.yaml_text import yaml_text
from accelerator_portal.checks import run_checks
from accelerator_portal.install.addresses import host_of, step_addresses
from accelerator_portal.install.pip_command import pip_steps
from accelerator_portal.vendors.package_metadata import PackageMetadata
from accelerator_portal.vendors.questions import Answer
from accelerator_reports.files.folders import ACCELERATORS
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.sources import cited_ids

Record = Mapping[str, Any]

_HINT_PREFIX = "# Next: "


@dataclass(frozen=True, slots=True)
class Hint:
    """A hint for the vendor: a part of a file to complete next.

    `file` is the file's name. `words` describe the part. In a Markdown file, `heading` is the
    heading of the section to complete.
    """

    file: str
    words: str
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """The known content of a platform's folder; unknown values are absent.

    `sources` are all sources by id. Each file declares the sources that it cites; a file that cites
    no source declares all of them. `accelerator` and `install` are the contents of accelerator.yaml
    and install.yaml. `rows` is the list `rows` of compatibility.yaml. `guide` has the guide's
    Markdown by heading. `questions` has the FAQ's answers by question.
    """

    sources: Mapping[str, Record]
    accelerator: Record
    install: Record
    rows: Sequence[Record]
    guide: Mapping[str, str]
    questions: Mapping[str, str]
    hints: Sequence[Hint] = field(default=())


def folder_files(draft: Draft) -> dict[str, str]:
    """Return the text of each file in the folder, by file name."""
    return {
        "accelerator.yaml": _yaml_file(draft, "accelerator.yaml", draft.accelerator),
        "install.yaml": _yaml_file(draft, "install.yaml", draft.install),
        "compatibility.yaml": _yaml_file(draft, "compatibility.yaml", {"rows": [*draft.rows]}),
        "guide.md": _markdown_file(
            draft, {h: draft.guide[h] for h in GUIDE_HEADINGS if h in draft.guide}
        ),
        "faq.md": _markdown_file(draft, draft.questions),
    }


def hint_lines(draft: Draft, files: Mapping[str, str]) -> Iterator[tuple[Hint, int]]:
    """Yield each hint with its line number in its file; `files` comes from `folder_files`."""
    for hint in draft.hints:
        line = f"## {hint.heading}" if hint.heading else _HINT_PREFIX + hint.words
        yield hint, files[hint.file].split("\n").index(line) + 1


def _yaml_file(draft: Draft, name: str, record: Record) -> str:
    schema = f"../../data/schema/{name.removesuffix('.yaml')}.schema.json"
    hints = [f"{_HINT_PREFIX}{hint.words}\n" for hint in draft.hints if hint.file == name]
    sources = _sources_to_declare(draft, [name for _, name in cited_ids(record)])
    text = yaml_text({"sources": sources, **record})
    return f"# yaml-language-server: $schema={schema}\n{text}{''.join(hints)}"


def _markdown_file(draft: Draft, sections: Mapping[str, str]) -> str:
    body = "\n".join(f"## {title}\n\n{text}\n" for title, text in sections.items())
    sources = _sources_to_declare(draft, CITATION.findall(body))
    return f"---\n{yaml_text({'sources': sources})}---\n\n{body}"


def _sources_to_declare(draft: Draft, source_ids: Sequence[str]) -> dict[str, Record]:
    """Return the sources to declare in a file that cites `source_ids`, by id.

    If the file cites none of the draft's sources, all sources are returned.
    """
    return {id_: s for id_, s in draft.sources.items() if id_ in source_ids} or dict(draft.sources)


@dataclass(frozen=True, slots=True)
class PlatformCase:
    """The answers and documents so far about a new platform, whose id is `id`.

    `answers` has the vendor's answers, and `offers` has proposed answers, both by question flag.
    Proposed answers come from package metadata and from `additional-platforms.json`. Answers that
    the user gave before going back to an earlier question are also proposed. `entry` is a draft
    made from the platform's entry in `additional-platforms.json`. `package` is the metadata of the
    platform's package.
    """

    catalog: Catalog
    id: str
    today: dt.date
    offers: Mapping[str, Answer] = field(default_factory=dict)
    entry: Draft | None = None
    package: PackageMetadata | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)

    def value(self, flag: str) -> Any:  # noqa: ANN401 - each question has its kind
        """Return the value of the answer to the question `flag`; None without an answer."""
        answer = self.answers.get(flag)
        return answer.value if answer else None

    def source(self, flag: str) -> str:
        """Return the id of the source that the answer to the question `flag` cites.

        Raises KeyError without an answer.
        """
        return self.answers[flag].source

    def answered(self, flag: str, answer: Answer) -> PlatformCase:
        """Return a copy of the case with `answer` as the answer to the question `flag`."""
        return replace(self, answers={**self.answers, flag: answer})

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps of the install command in the answers.

        If the answers have no command, these are the steps of the first install option in `entry`.
        Empty if there is neither a command nor an option.
        """
        command = self.value("command")
        if command:
            return pip_steps(command)
        options = self.entry_options
        return list(options[0]["steps"]) if options else []

    @property
    def unlisted_hosts(self) -> list[str]:
        """The hosts in the platform's install commands that `data/hosts.yaml` does not list."""
        options = self.entry_options or [{"steps": self.steps}]
        return self.unlisted_hosts_in([step for option in options for step in option["steps"]])

    def unlisted_hosts_in(self, steps: Iterable[Record]) -> list[str]:
        """Return the hosts in `steps` that `data/hosts.yaml` does not list.

        Empty if the catalog has no `data/hosts.yaml`.
        """
        host_list = self.catalog.hosts
        if host_list is None:
            return []
        models = map(Step.model_validate, steps)
        step_hosts = (host_of(address) for step in models for _, address in step_addresses(step))
        listed_hosts = {entry.host for entry in host_list.hosts}
        return [host for host in dict.fromkeys(step_hosts) if host and host not in listed_hosts]

    @property
    def platforms_with_same_device(self) -> list[str]:
        """The names of existing platforms that have the device string in `answers`."""
        device = (self.value("device") or "").casefold()
        platforms = (platform.accelerator for platform in self.catalog.platforms)
        return [p.name for p in platforms if p.device.value.casefold() == device]

    @property
    def entry_options(self) -> list[Record]:
        """The install options in `entry`; empty without an entry."""
        return list(self.entry.install["options"]) if self.entry else []


def plugin_by_release(case: PlatformCase) -> Mapping[str, str]:
    """Return the plugin version for each torch release in the answers: `{"2.9.0": "2.9.1"}`.

    If the answers have a single plugin version, it applies to all releases. If they have none, the
    result is empty.
    """
    releases: tuple[str, ...] = case.value("torch") or ()
    plugins: tuple[str, ...] = case.value("plugin-version") or ()
    if len(plugins) == 1:
        return dict.fromkeys(releases, *plugins)
    return dict(zip(releases, plugins, strict=False))


def check_folder(
    catalog: Catalog, platform_id: str, files: Mapping[str, str], today: dt.date
) -> tuple[Catalog | None, list[Problem]]:
    """Return the catalog with the new folder, and the problems that this folder causes.

    `files` has the text of each file in the folder, by name. The returned catalog has no reports.
    The problems include problems in other folders, such as a device string that is no longer
    unique. If the new folder cannot be loaded, the catalog is None, and the problems say why.
    Raises OSError if a temporary file cannot be written.
    """
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / ACCELERATORS / platform_id
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
        platform, problems = load_platform(Path(root), platform_id)
    if platform is None:
        return None, sorted(set(problems))
    # Reports take long to check and do not matter here.
    platforms = tuple(replace(other_platform, results=()) for other_platform in catalog.platforms)
    base = replace(catalog, platforms=platforms)
    catalog_with_folder = base.with_platform(platform)
    new_problems = {*problems, *run_checks(catalog_with_folder, today)} - {*run_checks(base, today)}
    return catalog_with_folder, sorted(new_problems)
