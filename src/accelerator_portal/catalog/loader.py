"""Loads `accelerators/` and `data/` into a Catalog, and collects every problem."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from accelerator_portal.catalog.catalog import (
    ACCELERATORS,
    CRITERIA,
    EXCEPTIONS,
    EXECUTORCH_GOALS,
    FEATURE_TESTS,
    FINDER,
    HISTORY,
    HOSTS,
    MODEL_FAMILIES,
    MODELS,
    OTHER_BACKENDS,
    OWN_RUNS,
    RELAY,
    RELEASES,
    RESULTS,
    SELECTOR,
    SHARED_FAQ,
    STATED_MODELS,
    SUITES,
    Catalog,
    Platform,
)
from accelerator_portal.catalog.files.accelerator import Accelerator
from accelerator_portal.catalog.files.compatibility_file import Compatibility
from accelerator_portal.catalog.files.criteria_file import Criteria
from accelerator_portal.catalog.files.install_file import Install
from accelerator_portal.catalog.files.known_issues_file import KnownIssues
from accelerator_portal.catalog.files.package_file import read_package_files
from accelerator_portal.catalog.files.releases_file import Releases
from accelerator_portal.catalog.files.results_folder import reports_in
from accelerator_portal.catalog.files.shared_files import (
    Exceptions,
    ExecutorchGoals,
    FeatureEvidence,
    FinderWords,
    Hosts,
    ModelFamilies,
    Models,
    OtherBackends,
    OwnRuns,
    Relay,
    SelectorDefaults,
)
from accelerator_portal.catalog.files.stated_models_file import StatedModels
from accelerator_portal.catalog.files.suite_file import SuiteFile
from accelerator_portal.catalog.files.validation_file import Validation
from accelerator_portal.catalog.folder_name import folder_fault
from accelerator_portal.catalog.markdown_file import (
    MarkdownFile,
    Translation,
    parse_markdown,
    parse_translation,
)
from accelerator_portal.catalog.problem import Problem, did_you_mean
from accelerator_portal.catalog.text_file import read_text
from accelerator_portal.catalog.validation import validate
from accelerator_portal.catalog.yaml_file import YamlFile, parse_yaml

FOLDER_FILES = ("accelerator.yaml", "install.yaml", "compatibility.yaml", "guide.md", "faq.md")
KNOWN_ISSUES = "known-issues.yaml"
VALIDATION = "validation.yaml"
OPTIONAL_FILES = (KNOWN_ISSUES, VALIDATION, STATED_MODELS)

_TRANSLATION = re.compile(r"(guide|faq)\.([a-z]{2,3})\.md")

M = TypeVar("M", bound=BaseModel)


def load_platform(root: Path, folder: str) -> tuple[Platform | None, list[Problem]]:
    """Return the platform in the vendor's folder named `folder`, and the folder's problems.

    The platform is None if there are problems.
    """
    reader = _Reader(root)
    return reader.platform(folder), reader.problems


def load_catalog(
    root: Path, wanted: Callable[[str], bool] = lambda _: True
) -> tuple[Catalog | None, list[Problem]]:
    """Return the catalog of the repository `root`, and the problems of its files.

    The catalog has the platforms whose folder name `wanted` accepts and whose folder has no
    problems. It is None only if the releases or the selector's defaults cannot be used.
    """
    reader = _Reader(root)
    releases = reader.record(RELEASES, Releases)
    defaults = reader.record(SELECTOR, SelectorDefaults)
    platforms = [
        p for folder in reader.folders() if wanted(folder) and (p := reader.platform(folder))
    ]
    platforms.sort(key=Platform.order)
    if releases is None or defaults is None:
        return None, reader.problems
    exceptions = reader.optional(EXCEPTIONS, Exceptions)
    packages, packages_read, wrong = read_package_files(root)
    reader.problems += wrong
    catalog = Catalog(
        tuple(platforms),
        releases,
        defaults,
        reader.files,
        suites=reader.suites(),
        models=reader.optional(MODELS, Models),
        model_families=reader.optional(MODEL_FAMILIES, ModelFamilies),
        feature_tests=reader.optional(FEATURE_TESTS, FeatureEvidence)
        or FeatureEvidence(features={}),
        criteria=reader.optional(CRITERIA, Criteria),
        exceptions=exceptions.exceptions if exceptions else (),
        hosts=reader.optional(HOSTS, Hosts),
        relay=reader.optional(RELAY, Relay),
        own_runs=reader.optional(OWN_RUNS, OwnRuns),
        other_backends=reader.optional(OTHER_BACKENDS, OtherBackends),
        finder_words=reader.optional(FINDER, FinderWords),
        faq=reader.markdown(SHARED_FAQ) if (root / SHARED_FAQ).exists() else None,
        executorch_goals=reader.optional(EXECUTORCH_GOALS, ExecutorchGoals),
        packages=packages,
        packages_read=packages_read,
        left_out=reader.left_out,
        archived_without_folder=reader.archived_without_folder(),
    )
    return catalog, reader.problems


class _Reader:
    """A reader of the files below one root; it collects the files and their problems."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, YamlFile] = {}
        self.problems: list[Problem] = []
        self.left_out: dict[str, tuple[Path, ...]] = {}

    def folders(self) -> list[str]:
        place = self.root / ACCELERATORS
        if place.is_symlink():
            self._problem(
                ACCELERATORS, "the folder is a symbolic link", "replace the link with the folder"
            )
        elif not place.is_dir():
            self._problem(
                ACCELERATORS,
                "folder not found",
                "run the command in the repository",
            )
        else:
            return self._names(ACCELERATORS)
        return []

    def suites(self) -> dict[str, SuiteFile]:
        """Return every suite by its id, which is the name of its file."""
        found: dict[str, SuiteFile] = {}
        for name in self._names(SUITES) if (self.root / SUITES).is_dir() else ():
            suite = self.record(f"{SUITES}/{name}", SuiteFile)
            if not name.endswith(".yaml"):
                self._problem(f"{SUITES}/{name}", "this is not a suite file", "name it <id>.yaml")
            elif suite:
                found[name.removesuffix(".yaml")] = suite
        return found

    def archived_without_folder(self) -> tuple[str, ...]:
        """Return the ids of platforms that have archived results but no folder.

        A folder with errors counts as a folder.
        """
        manifests = (self.root / HISTORY).glob("*/manifest.json")
        ids = sorted(manifest.parent.name for manifest in manifests)
        return tuple(name for name in ids if not (self.root / ACCELERATORS / name).is_dir())

    def optional(self, path: str, model: type[M], folder: str | None = None) -> M | None:
        """Return the record of a file, or None if the file does not exist or has problems.

        The file must be inside the platform folder named `folder`, also after following symbolic
        links. Without `folder`, it must be inside the repository.
        """
        place = self.root / path
        return self.record(path, model, folder) if place.exists() or place.is_symlink() else None

    def platform(self, folder: str) -> Platform | None:
        before = len(self.problems)
        if not self._is_folder(folder):
            return None
        self._unexpected_files(folder)
        accelerator = self.record(self._path(folder, "accelerator.yaml"), Accelerator, folder)
        install = self.record(self._path(folder, "install.yaml"), Install, folder)
        versions = self.record(self._path(folder, "compatibility.yaml"), Compatibility, folder)
        guide = self.markdown(self._path(folder, "guide.md"), folder)
        faq = self.markdown(self._path(folder, "faq.md"), folder)
        issues = self.optional(self._path(folder, KNOWN_ISSUES), KnownIssues, folder)
        settings = self.optional(self._path(folder, VALIDATION), Validation, folder)
        translations = self._translations(folder, "guide")
        answers = self._translations(folder, "faq")
        stated = self.optional(self._path(folder, STATED_MODELS), StatedModels, folder)
        results = self._results(folder)
        whole = len(self.problems) == before
        if not (whole and accelerator and install and versions and guide and faq):
            self.left_out[folder] = results
            return None
        names = (*FOLDER_FILES, *OPTIONAL_FILES)
        return Platform(
            folder,
            accelerator,
            install,
            versions,
            guide,
            faq,
            {name: f for name in names if (f := self.files.get(self._path(folder, name)))},
            results=results,
            known_issues=issues.issues if issues else (),
            validation=settings or Validation(),
            translations=translations,
            answers=answers,
            stated_models=stated,
        )

    def record(self, path: str, model: type[M], folder: str | None = None) -> M | None:
        text = self._text(path, folder)
        if text is None:
            return None
        file, problems = parse_yaml(path, text)
        self.problems += problems
        if file is None:
            return None
        record, problems = validate(model, file)
        self.files[path] = replace(file, written={})  # only validation errors quote raw texts
        self.problems += problems
        return record

    def markdown(self, path: str, folder: str | None = None) -> MarkdownFile | None:
        text = self._text(path, folder)
        if text is None:
            return None
        markdown, problems = parse_markdown(path, text)
        self.problems += problems
        return markdown

    def _translations(self, folder: str, kind: str) -> dict[str, Translation]:
        """Return the translations of the guide or the FAQ (`kind`) by language code."""
        found: dict[str, Translation] = {}
        for name in self._names(f"{ACCELERATORS}/{folder}"):
            match = _TRANSLATION.fullmatch(name)
            path = self._path(folder, name)
            text = self._text(path, folder) if match and match[1] == kind else None
            if match and text is not None:
                translation, problems = parse_translation(path, text)
                self.problems += problems
                if translation:
                    found[match[2]] = translation
        return found

    def _text(self, path: str, folder: str | None) -> str | None:
        inside = f"{ACCELERATORS}/{folder}" if folder else ""
        text = read_text(self.root, path, inside)
        if isinstance(text, Problem):
            self.problems.append(text)
            return None
        return text

    def _is_folder(self, folder: str) -> bool:
        place = self.root / ACCELERATORS / folder
        path = f"{ACCELERATORS}/{folder}"
        if place.is_symlink():
            self._problem(path, "the folder is a symbolic link", "replace the link with the folder")
        elif not place.is_dir():
            self._problem(
                path,
                "this is not a folder",
                "this folder may contain only one folder per accelerator",
            )
        elif wrong := folder_fault(folder):
            self._problem(path, *wrong)
        else:
            return True
        return False

    def _results(self, folder: str) -> tuple[Path, ...]:
        """Return the paths of a platform's reports, sorted; record a problem for other files."""
        path = self._path(folder, RESULTS)
        place = self.root / path
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            self._problem(path, "this is not a folder", "replace it with a folder of reports")
        elif place.is_dir():
            reports, problems = reports_in(self.root, path, self._names(path))
            self.problems += problems
            return reports
        return ()

    def _unexpected_files(self, folder: str) -> None:
        for name in self._names(f"{ACCELERATORS}/{folder}"):
            known = {*FOLDER_FILES, *OPTIONAL_FILES, RESULTS}
            if name not in known and not _TRANSLATION.fullmatch(name):
                what = "the portal does not use this file"
                remedy = did_you_mean(name, (*FOLDER_FILES, *OPTIONAL_FILES, f"{RESULTS}/"))
                self._problem(self._path(folder, name), what, remedy)

    def _names(self, folder: str) -> list[str]:
        """Return the sorted names in a folder, without hidden files such as an editor's."""
        try:
            names = [entry.name for entry in (self.root / folder).iterdir()]
        except OSError as error:
            what = f"the folder cannot be read ({error.strerror})"
            self._problem(folder, what, "make the folder readable")
            return []
        return sorted(name for name in names if not name.startswith("."))

    def _path(self, folder: str, name: str) -> str:
        return f"{ACCELERATORS}/{folder}/{name}"

    def _problem(self, path: str, what: str, remedy: str) -> None:
        self.problems.append(Problem(path, 1, what, remedy))
