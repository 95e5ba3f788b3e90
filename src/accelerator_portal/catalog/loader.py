"""Loads `accelerators/` and `data/` into a Catalog, and collects every problem."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from os.path import lexists
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from accelerator_portal.catalog.catalog import (
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
    SELECTOR,
    SHARED_FAQ,
    STATED_MODELS,
    Catalog,
    Platform,
    platform_id_of,
)
from accelerator_portal.catalog.files.accelerator import Accelerator
from accelerator_portal.catalog.files.criteria_file import Criteria
from accelerator_portal.catalog.files.install_file import Install
from accelerator_portal.catalog.files.package_file import read_package_files
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
    StatedModels,
)
from accelerator_portal.catalog.files.versions_file import Compatibility, Releases
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.markdown_file import Translation, parse_markdown, parse_translation
from accelerator_reports.files.folders import (
    ACCELERATORS,
    KNOWN_ISSUES,
    RESULTS,
    SUITES,
    VALIDATION,
    folder_fault,
)
from accelerator_reports.files.problem import Problem, ProblemsError, did_you_mean
from accelerator_reports.files.text_file import read_text
from accelerator_reports.files.yaml_file import YamlFile, parse_yaml, validate
from accelerator_reports.known_issues import KnownIssues
from accelerator_reports.report_file import KnownNames, list_reports
from accelerator_reports.suite_names import SuiteFile
from accelerator_reports.validation_file import Validation

_REQUIRED = ("accelerator.yaml", "install.yaml", "compatibility.yaml", "guide.md", "faq.md")
_PLATFORM_FILES = (*_REQUIRED, KNOWN_ISSUES, VALIDATION, STATED_MODELS)

# A file that this project or vim is writing, or that a killed process left.
_TEMPORARY_FILE = re.compile(r"\..*\.(new|sw[a-p])", re.DOTALL)
_TRANSLATION_FILE = re.compile(r"(guide|faq)\.([a-z]{2,3})\.md")

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")


def load_platform(root: Path, folder: str) -> tuple[Platform | None, list[Problem]]:
    """Return the platform in the vendor's folder named `folder`, and the folder's problems.

    The platform is None if there are problems.
    """
    reader = _CatalogReader(root)
    return reader.platform(folder), reader.problems


def load_catalog(
    root: Path, should_load: Callable[[str], bool] = lambda _: True
) -> tuple[Catalog | None, list[Problem]]:
    """Return the catalog of the repository `root`, and the problems of its files.

    `should_load` takes the name of a platform's folder, and returns whether to load the platform. A
    platform whose folder has problems is left out. The catalog is None only if `data/releases.yaml`
    or `data/selector.yaml` cannot be used.
    """
    reader = _CatalogReader(root)
    releases = reader.record(RELEASES, Releases)
    defaults = reader.record(SELECTOR, SelectorDefaults)
    folders = reader.folders()
    platforms = [p for folder in folders if should_load(folder) and (p := reader.platform(folder))]
    platforms.sort(key=Platform.order)
    if releases is None or defaults is None:
        return None, reader.problems
    exceptions = reader.optional(EXCEPTIONS, Exceptions)
    packages, packages_read, package_problems = read_package_files(root)
    reader.problems += package_problems
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
        faq=reader.parsed(SHARED_FAQ, parse_markdown) if (root / SHARED_FAQ).exists() else None,
        executorch_goals=reader.optional(EXECUTORCH_GOALS, ExecutorchGoals),
        packages=packages,
        packages_read=packages_read,
        unloaded_reports=reader.unloaded_reports,
        folders=frozenset(folders),
        lacks_shared_data=any(not platform_id_of(p.path) for p in reader.problems),
        archived_without_folder=reader.archived_without_folder(),
    )
    return catalog, reader.problems


class _CatalogReader:
    """Reads the files of a catalog, and collects parsed YAML files and problems."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, YamlFile] = {}
        self.problems: list[Problem] = []
        self.unloaded_reports: dict[str, tuple[Path, ...]] = {}

    def folders(self) -> list[str]:
        remedy = "run the command in the repository"
        is_folder = self._check_folder(ACCELERATORS, "folder not found", remedy)
        return self._entry_names(ACCELERATORS) if is_folder else []

    def suites(self) -> dict[str, SuiteFile]:
        """Return every suite by id. The id is the file name without `.yaml`."""
        suites_by_id: dict[str, SuiteFile] = {}
        for name in self._entry_names(SUITES) if (self.root / SUITES).is_dir() else ():
            suite = self.record(f"{SUITES}/{name}", SuiteFile)
            if not name.endswith(".yaml"):
                self._add_problem(
                    f"{SUITES}/{name}", "this is not a suite file", "name it <id>.yaml"
                )
            elif suite:
                suites_by_id[name.removesuffix(".yaml")] = suite
        return suites_by_id

    def archived_without_folder(self) -> tuple[str, ...]:
        """Return the ids of platforms that have archived results but no folder.

        A folder with errors counts as a folder.
        """
        ids = sorted(path.stem for path in (self.root / HISTORY).glob("*.sha256"))
        return tuple(name for name in ids if not (self.root / ACCELERATORS / name).is_dir())

    def platform(self, folder: str) -> Platform | None:
        problem_count = len(self.problems)
        folder_path = f"{ACCELERATORS}/{folder}"
        remedy = "this folder may contain only one folder per accelerator"
        if not self._check_folder(folder_path, "this is not a folder", remedy):
            return None
        if name_fault := folder_fault(folder):
            self._add_problem(folder_path, *name_fault)
            return None
        self._report_unexpected_files(folder_path)
        accelerator = self.record(f"{folder_path}/accelerator.yaml", Accelerator)
        install = self.record(f"{folder_path}/install.yaml", Install)
        compatibility = self.record(f"{folder_path}/compatibility.yaml", Compatibility)
        guide = self.parsed(f"{folder_path}/guide.md", parse_markdown)
        faq = self.parsed(f"{folder_path}/faq.md", parse_markdown)
        issues = self.optional(f"{folder_path}/{KNOWN_ISSUES}", KnownIssues)
        validation = self.optional(f"{folder_path}/{VALIDATION}", Validation)
        translations = self._read_translations(folder_path)
        stated_models = self.optional(f"{folder_path}/{STATED_MODELS}", StatedModels)
        results = self._report_paths(f"{folder_path}/{RESULTS}")
        is_complete = len(self.problems) == problem_count
        if not (is_complete and accelerator and install and compatibility and guide and faq):
            self.unloaded_reports[folder] = results
            return None
        return Platform(
            folder,
            accelerator,
            install,
            compatibility,
            guide,
            faq,
            {name: f for name in _PLATFORM_FILES if (f := self.files.get(f"{folder_path}/{name}"))},
            results=results,
            known_issues=issues.issues if issues else (),
            validation=validation or Validation(),
            translations=translations["guide"],
            answers=translations["faq"],
            stated_models=stated_models,
        )

    def optional(self, path: str, model: type[M]) -> M | None:
        """Return a file's data as a `model`, or None if the file does not exist or has problems."""
        return self.record(path, model) if lexists(self.root / path) else None

    def record(self, path: str, model: type[M]) -> M | None:
        file = self.parsed(path, parse_yaml)
        if file is None:
            return None
        record, problems = validate(model, file)
        self.files[path] = replace(file, written={})  # only validation errors quote raw texts
        self.problems += problems
        return record

    def parsed(
        self, path: str, parse: Callable[[str, str], tuple[T | None, list[Problem]]]
    ) -> T | None:
        """Read a file and return the result of `parse`, called with the file's path and text.

        Return None if the file cannot be read or parsed. A platform's file must be inside the
        platform's folder, also after following symbolic links.
        """
        folder = platform_id_of(path)
        text = read_text(self.root, path, f"{ACCELERATORS}/{folder}" if folder else "")
        if isinstance(text, Problem):
            self.problems.append(text)
            return None
        result, problems = parse(path, text)
        self.problems += problems
        return result

    def _read_translations(self, folder_path: str) -> dict[str, dict[str, Translation]]:
        """Return a platform's translations by file (`guide` or `faq`) and then by language."""
        translations: dict[str, dict[str, Translation]] = {"guide": {}, "faq": {}}
        for name in self._entry_names(folder_path):
            if match := _TRANSLATION_FILE.fullmatch(name):
                translation = self.parsed(f"{folder_path}/{name}", parse_translation)
                if translation:
                    translations[match[1]][match[2]] = translation
        return translations

    def _check_folder(self, path: str, what: str, remedy: str) -> bool:
        """Return whether a path is a folder. If it is not, add a problem.

        `what` and `remedy` are the texts of the problem. A symbolic link does not count as a
        folder, and the problem then asks to replace the link.
        """
        folder = self.root / path
        if folder.is_symlink():
            what, remedy = "the folder is a symbolic link", "replace the link with the folder"
        elif folder.is_dir():
            return True
        self._add_problem(path, what, remedy)
        return False

    def _report_paths(self, path: str) -> tuple[Path, ...]:
        """Return the sorted paths of a platform's reports.

        Adds a problem for each file that is not a report.
        """
        folder = self.root / path
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            self._add_problem(path, "this is not a folder", "replace it with a folder of reports")
        elif folder.is_dir():
            self._report_hidden_entries(path)
            reports, problems = list_reports(self.root, path, self._entry_names(path))
            self.problems += problems
            return reports
        return ()

    def _report_unexpected_files(self, folder_path: str) -> None:
        self._report_hidden_entries(folder_path)
        for name in self._entry_names(folder_path):
            if name not in {*_PLATFORM_FILES, RESULTS} and not _TRANSLATION_FILE.fullmatch(name):
                what = "the portal does not use this file"
                remedy = did_you_mean(name, (*_PLATFORM_FILES, f"{RESULTS}/"))
                self._add_problem(f"{folder_path}/{name}", what, remedy)

    def _report_hidden_entries(self, folder: str) -> None:
        for name in self._entry_names(folder, hidden=True):
            if not _TEMPORARY_FILE.fullmatch(name):
                self._add_problem(
                    f"{folder}/{name}", "hidden files and folders are not allowed", "remove it"
                )

    def _entry_names(self, folder: str, *, hidden: bool = False) -> list[str]:
        """Return the sorted names of the files and folders in a folder: the hidden ones or not."""
        try:
            names = [entry.name for entry in (self.root / folder).iterdir()]
        except OSError as error:
            what = f"the folder cannot be read ({error.strerror})"
            self._add_problem(folder, what, "make the folder readable")
            return []
        return sorted(name for name in names if name.startswith(".") == hidden)

    def _add_problem(self, path: str, what: str, remedy: str) -> None:
        self.problems.append(Problem(path, 1, what, remedy))


# Returns the names that the portal knows, to check the names in reports.


def is_clone(root: Path) -> bool:
    """Return whether a folder contains data of the portal, such as `accelerators/`."""
    return any((root / name).exists() for name in (ACCELERATORS, RELEASES, HISTORY))


def names_in_clone(root: Path) -> KnownNames | None:
    """Return the names that a clone of the portal knows, or None for another folder.

    Raises ProblemsError if the PyTorch releases or the selector's defaults cannot be used.
    """
    if not is_clone(root):
        return None
    catalog, problems = load_catalog(root)
    if catalog is None:
        raise ProblemsError(problems)
    return known_names(catalog, problems)


def known_names(catalog: Catalog, problems: Iterable[Problem] = ()) -> KnownNames:
    """Return the names of the accelerators, suites and plugin packages in a catalog.

    The accelerators include folders with errors, which `catalog.platforms` does not contain.
    `problems` are the problems of these folders.
    """
    folder_problems = grouped((platform_id_of(p.path), p) for p in problems)
    return KnownNames(
        accelerators=frozenset({*catalog.by_id, *catalog.unread_folders}),
        unread={name: tuple(folder_problems.get(name, ())) for name in catalog.unread_folders},
        suites=catalog.suites,
        own_suites=frozenset(catalog.own_suites),
        aliases=catalog.suite_names.aliases,
        plugin_packages={
            platform.id: name
            for platform in catalog.platforms
            if (name := platform.accelerator.package.name) != "torch"
        },
    )
