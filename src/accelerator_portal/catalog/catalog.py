"""Holds the content of `accelerators/` and `data/` in one immutable object, the Catalog."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel

from accelerator_portal.catalog.files.accelerator import Accelerator
from accelerator_portal.catalog.files.compatibility_file import Compatibility
from accelerator_portal.catalog.files.criteria_file import Criteria
from accelerator_portal.catalog.files.finder_file import FinderWords
from accelerator_portal.catalog.files.hardware import Generation
from accelerator_portal.catalog.files.install_file import Install
from accelerator_portal.catalog.files.install_steps import Step
from accelerator_portal.catalog.files.package_file import PackageFacts, PackagesRead
from accelerator_portal.catalog.files.releases_file import Releases
from accelerator_portal.catalog.files.shared_files import (
    ExecutorchGoals,
    Exemption,
    FeatureEvidence,
    Hosts,
    ModelFamilies,
    Models,
    OtherBackends,
    OwnRuns,
    Relay,
    SelectorDefaults,
)
from accelerator_portal.catalog.files.stated_models_file import StatedModels
from accelerator_portal.catalog.markdown_file import MarkdownFile, Translation
from accelerator_reports.files.folders import ACCELERATORS, KNOWN_ISSUES, VALIDATION
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.sources import Source
from accelerator_reports.files.yaml_file import Location, YamlFile
from accelerator_reports.known_issues_file import KnownFailure
from accelerator_reports.suite_file import SuiteFile
from accelerator_reports.suite_names import OwnSuite, SuiteNames, suite_owner
from accelerator_reports.validation_file import Validation

HISTORY = "data/history"
RELEASES = "data/releases.yaml"
SELECTOR = "data/selector.yaml"
CRITERIA = "data/criteria.yaml"
EXECUTORCH_GOALS = "data/executorch-goals.yaml"
MODELS = "data/models.yaml"
MODEL_FAMILIES = "data/model-families.yaml"
FEATURE_TESTS = "data/feature-tests.yaml"
EXCEPTIONS = "data/exceptions.yaml"
HOSTS = "data/hosts.yaml"
RELAY = "data/relay.yaml"
OWN_RUNS = "data/own-runs.yaml"
OTHER_BACKENDS = "data/other-backends.yaml"
FINDER = "data/finder.yaml"
SHARED_FAQ = "data/faq.md"
STATED_MODELS = "stated-models.yaml"


def platform_id_of(path: str) -> str:
    """Return the id of the platform whose folder contains a path.

    For example, `accelerators/acme/faq.md` → `acme`. The id is empty for other paths.
    """
    top_folder, _, rest = path.partition("/")
    return rest.partition("/")[0] if top_folder == ACCELERATORS else ""


@dataclass(frozen=True, eq=False)
class Platform:
    """The content of one platform's folder, `accelerators/<id>/`.

    `files` maps file names to parsed YAML files, which give the line numbers of problems. `results`
    are the paths of the test reports, which are large and read only when needed. `stated_models`
    are the models that run on the platform according to documents.
    """

    id: str
    accelerator: Accelerator
    install: Install
    compatibility: Compatibility
    guide: MarkdownFile
    faq: MarkdownFile
    files: Mapping[str, YamlFile]
    results: tuple[Path, ...] = ()
    known_issues: tuple[KnownFailure, ...] = ()
    validation: Validation = field(default_factory=Validation)
    translations: Mapping[str, Translation] = field(default_factory=dict)
    """The translated guides, by language code."""
    answers: Mapping[str, Translation] = field(default_factory=dict)
    """The translated files of questions and answers, by language code."""
    stated_models: StatedModels | None = None

    @property
    def in_tree(self) -> bool:
        """Whether PyTorch itself builds and tests the platform."""
        return self.accelerator.integration.value == "in-tree"

    def order(self) -> tuple[bool, str, str]:
        """Return the sort key of the platform: in-tree first, then by name."""
        return not self.in_tree, self.accelerator.name.casefold(), self.id

    def path(self, name: str) -> str:
        """Return the path of one of the platform's files, relative to the repository."""
        return f"{ACCELERATORS}/{self.id}/{name}"

    def problem(self, name: str, location: Location, what: str, remedy: str) -> Problem:
        """Return a problem at `location` of the platform's YAML file `name`."""
        return Problem(self.path(name), self.files[name].line(location), what, remedy)

    @cached_property
    def _place_by_record_id(self) -> dict[int, tuple[str, Location]]:
        """Maps the identity of each record to the file that contains it, and its location there.

        Equal records of different places are different objects, with their own identities.
        """
        content_by_file: dict[str, BaseModel | Mapping[str, object]] = {
            "accelerator.yaml": self.accelerator,
            "install.yaml": self.install,
            "compatibility.yaml": self.compatibility,
            KNOWN_ISSUES: {"issues": self.known_issues},
            VALIDATION: self.validation,
        }
        return {
            id(record): (name, location)
            for name, content in content_by_file.items()
            for location, record in _records_in(content)
        }

    def line_of(self, record: BaseModel) -> int:
        """Return the line of a record of the platform, such as a compatibility row."""
        name, location = self._place_by_record_id[id(record)]
        return self.files[name].line(location)

    def record_problem(
        self, record: BaseModel, key: str | Location, what: str, remedy: str
    ) -> Problem:
        """Return a problem at a key of a record of the platform, such as an install option.

        `key` is a key of the record, or a location below the record: `("pip", "packages", 0)`. The
        record must be the object from one of the platform's files, and not a copy.
        """
        name, location = self._place_by_record_id[id(record)]
        keys = (key,) if isinstance(key, str) else key
        return self.problem(name, (*location, *keys), what, remedy)

    def option_problem(self, option_id: str, what: str, remedy: str) -> Problem:
        """Return a problem at the install option with the id `option_id`."""
        option = next(option for option in self.install.options if option.id == option_id)
        return self.record_problem(option, "id", what, remedy)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of all install options."""
        return tuple(step for option in self.install.options for step in option.steps)

    @property
    def generations(self) -> tuple[Generation, ...]:
        """The hardware generations; empty if none is listed."""
        hardware = self.accelerator.hardware
        return hardware.generations if hardware else ()

    def sourced_files(self) -> Iterator[tuple[str, Mapping[str, Source]]]:
        """Yield the platform's files that have sources: the file's name, and its sources by id."""
        yield "accelerator.yaml", self.accelerator.sources
        yield "install.yaml", self.install.sources
        yield "compatibility.yaml", self.compatibility.sources
        yield "guide.md", self.guide.sources
        yield "faq.md", self.faq.sources
        if self.stated_models:
            yield STATED_MODELS, self.stated_models.sources


def _records_in(
    value: BaseModel | Mapping[str, object] | tuple[object, ...], location: Location = ()
) -> Iterator[tuple[Location, BaseModel]]:
    """Yield each record in `value` with its location; `location` is that of `value` itself."""
    if isinstance(value, BaseModel):
        yield location, value
        fields = type(value).model_fields
        value = {field.alias or name: getattr(value, name) for name, field in fields.items()}
    for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
        if isinstance(inner, BaseModel | Mapping | tuple):
            yield from _records_in(inner, (*location, key))


@dataclass(frozen=True, eq=False)  # by identity, so that what is computed from it can be kept
class Catalog:
    """The content of `accelerators/` and `data/`.

    In `platforms`, in-tree platforms come first, and platforms are then sorted by name. `files`
    maps paths to parsed YAML files, and `suites` maps ids to suites. `defaults` are the default
    choices of the install selector. `models` are models that have different names in different
    suites. `exceptions` are problems that are accepted for a time. `hosts` are the hosts from which
    commands may download. `relay` is the allowlist of PyTorch's cross-repository CI relay. Optional
    data that does not exist is None or empty.
    """

    platforms: tuple[Platform, ...]
    releases: Releases
    defaults: SelectorDefaults
    files: Mapping[str, YamlFile]
    suites: Mapping[str, SuiteFile] = field(default_factory=dict)
    models: Models | None = None
    model_families: ModelFamilies | None = None
    feature_tests: FeatureEvidence = field(default_factory=lambda: FeatureEvidence(features={}))
    """The tests that show whether a PyTorch feature works on a platform, by feature."""
    criteria: Criteria | None = None
    exceptions: tuple[Exemption, ...] = ()
    hosts: Hosts | None = None
    relay: Relay | None = None
    executorch_goals: ExecutorchGoals | None = None
    set_aside: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    """The errors of each quarantined folder, by folder name."""
    shown_before: Mapping[str, dt.date] = field(default_factory=dict)
    """Maps the name of a quarantined folder to the first day on which the site showed the last
    valid version of the folder instead. Contains only folders whose last valid version is in
    `platforms`."""
    packages: Mapping[str, PackageFacts] = field(default_factory=dict)
    """The facts that package indexes state, by normalized package name."""
    packages_read: PackagesRead = field(default_factory=PackagesRead)
    """The days on which the facts in `packages` were read."""
    own_runs: OwnRuns | None = None
    """The platforms on which this project runs the suites itself."""
    other_backends: OtherBackends | None = None
    """Backends and runtimes that are not listed as platforms."""
    finder_words: FinderWords | None = None
    """The words that the card finder recognizes besides names."""
    faq: MarkdownFile | None = None
    """Questions and answers that hold on every platform."""
    unloaded_reports: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    """The paths of the reports in each folder that could not be loaded, by folder name. The rules
    check these reports, too."""
    folders: frozenset[str] = frozenset()
    """The names of all folders in `accelerators/`. `platforms` can lack some of them."""
    lacks_shared_data: bool = False
    """Whether a file of shared data has errors, so that what it states is unknown."""
    archived_without_folder: tuple[str, ...] = ()
    """The ids of platforms that have archived results but no folder."""
    changed: frozenset[str] = frozenset()
    """The names of the folders that the current change modifies; empty if they are unknown."""

    def with_platform(self, platform: Platform) -> Catalog:
        """Return the catalog with one more platform and its files."""
        platforms = sorted((*self.platforms, platform), key=Platform.order)
        files = {**self.files, **{file.path: file for file in platform.files.values()}}
        return replace(self, platforms=tuple(platforms), files=files)

    def problem(self, path: str, location: Location, what: str, remedy: str) -> Problem:
        """Return a problem at `location` of the YAML file `path`."""
        return Problem(path, self.files[path].line(location), what, remedy)

    @property
    def unread_folders(self) -> frozenset[str]:
        """The names of the folders that `platforms` lacks, because they have errors.

        What they contain is unknown, so a rule must not report that something is missing or unused
        if it could be in one of them.
        """
        return self.folders - self.by_id.keys()

    @property
    def platforms_by_precedence(self) -> list[Platform]:
        """The platforms, sorted by their right to a name that several platforms use.

        The first platform in the list that uses the name may keep it. Platforms in `changed` come
        last. Within the changed and the unchanged platforms, in-tree platforms come first, and
        platforms are then sorted by id.
        """
        return sorted(self.platforms, key=lambda p: (p.id in self.changed, not p.in_tree, p.id))

    @property
    def faq_files(self) -> Iterator[MarkdownFile]:
        """The FAQ for all platforms, if it exists, and then the FAQ of each platform."""
        yield from [self.faq] if self.faq else []
        yield from (platform.faq for platform in self.platforms)

    @property
    def texts(self) -> Iterator[MarkdownFile]:
        """The English guides of all platforms, then the FAQ files in the order of `faq_files`."""
        yield from (platform.guide for platform in self.platforms)
        yield from self.faq_files

    @property
    def translations(self) -> Iterator[MarkdownFile]:
        """The translated guides and FAQ files of all platforms."""
        for platform in self.platforms:
            for translation in (*platform.translations.values(), *platform.answers.values()):
                yield translation.text

    @cached_property
    def by_id(self) -> dict[str, Platform]:
        """The platforms by id."""
        return {platform.id: platform for platform in self.platforms}

    @cached_property
    def own_suites(self) -> dict[str, OwnSuite]:
        """Maps suite names such as `acme/kernels` to vendors' own suites.

        A suite is left out if its name does not begin with the id of the folder that declares it.
        """
        return {
            suite.name: suite
            for platform in self.platforms
            for suite in platform.accelerator.suites
            if suite_owner(suite.name) == platform.id
        }

    @cached_property
    def suite_names(self) -> SuiteNames:
        """The ids of the suites in `data/suites/`, and the aliases of vendors' suites."""
        aliases = {
            alias: suite.name
            for suite in self.own_suites.values()
            for alias in suite.aliases
            if suite_owner(alias) == suite_owner(suite.name)
        }
        return SuiteNames(frozenset(self.suites), aliases)

    def suite(self, name: str) -> SuiteFile | OwnSuite | None:
        """Return the suite `name` from `data/suites/` or a vendor's folder; None if unknown."""
        return self.suites.get(name) or self.own_suites.get(name)

    def suite_title(self, name: str) -> str:
        """Return the title of a suite. If the suite is unknown, return `name`."""
        suite = self.suite(name)
        return suite.title if suite else name
