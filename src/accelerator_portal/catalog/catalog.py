"""Holds the content of `accelerators/` and `data/` in one object, the Catalog; lists its facts."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel

from accelerator_portal.catalog.files.accelerator import Accelerator, Generation
from accelerator_portal.catalog.files.criteria_file import Criteria
from accelerator_portal.catalog.files.install_file import Install, Step
from accelerator_portal.catalog.files.package_file import PackageFacts, PackagesRead
from accelerator_portal.catalog.files.shared_files import (
    ExecutorchGoals,
    Exemption,
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
from accelerator_portal.catalog.markdown_file import CITATION, MarkdownFile, Translation
from accelerator_portal.catalog.message import message
from accelerator_reports.files.folders import ACCELERATORS, KNOWN_ISSUES, VALIDATION
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.sources import Source
from accelerator_reports.files.yaml_file import Location, YamlFile
from accelerator_reports.known_issues import KnownFailure
from accelerator_reports.suite_names import OwnSuite, SuiteFile, SuiteNames, suite_owner
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


# Lists the statements that cite sources, with their trust level and the age of their sources.

TrustLevel = Literal["metadata", "test", "vendor", "other", "thread"]

TRUST_LEVELS: Mapping[TrustLevel, str] = {
    "metadata": message("Package metadata"),
    "test": message("Tested by this project"),
    "vendor": message("Vendor's document"),
    "other": message("Third-party document"),
    "thread": message("Issue or forum thread"),
}
"""The title that readers see for each trust level, the most reliable level first. Documents of
PyTorch count as documents of the vendor, because every platform is used with PyTorch."""

STALE_DAYS = 90
"""The number of days after which a source should be read again."""

# The keys of a record that belong to other facts, or whose values are too long to show.
_OMITTED_KEYS = frozenset({"source", "models", "builds", "tests", "aliases", "sources"})

_PYTORCH_SITES = frozenset({"pytorch.org", "github.com/pytorch", "github.com/meta-pytorch"})
# Projects for several vendors: their pages are third-party even if a platform links to them.
_SHARED_PROJECTS = frozenset({"github.com/flagos-ai", "github.com/vllm-project"})
_OWN_REPOSITORY = "https://github.com/pytorch-fdn/accelerator-test-infra/"

_CODE_HOSTS = frozenset({"github.com", "gitee.com", "gitcode.com", "gitlab.com", "huggingface.co"})
# Each name below these suffixes belongs to another owner.
_SHARED_SUFFIXES = frozenset(
    {"co.jp", "co.kr", "co.uk", "com.cn", "com.tw", "github.io", "org.cn", "pages.dev",
     "readthedocs-hosted.com", "readthedocs.io"}
)  # fmt: skip

_THREAD = re.compile(
    r"https://[^/]+/[^/]+/[^/]+/(?:-/)?(?:issues|pulls?|merge_requests|discussions)/\w+"
)
_FORUM = re.compile(r"https://(?:(?:forums?|discuss|discussion|bbs)\.|[^/]+/(?:forums?|bbs)/)")
_INDEX = re.compile(
    r"https://(?:pypi\.|download\.pytorch\.org/|files\.python[a-z]+\.org/)"
    r"|/simple/(?:[^/?#]+/)?(?:[?#].*)?\Z|/simple/[^/]+/[^/]+\.(?:whl|tar\.gz)\Z"
)
_OWN_TEST_URL = re.compile(
    rf"{re.escape(_OWN_REPOSITORY)}(?:actions/runs/|.+/(?:results|history)/)"
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement with its file and line, and the sources that it cites."""

    path: str
    line: int
    text: str
    sources: tuple[Source, ...]


def facts(catalog: Catalog) -> Iterator[Fact]:
    """Yield a fact for each YAML mapping that has the key `source`, such as a compatibility row.

    Also yields a fact for each line of a guide or FAQ that cites a source.
    """
    for _, file in sorted(catalog.files.items()):
        declared = file.data.get("sources") if isinstance(file.data, Mapping) else None
        if isinstance(declared, Mapping):
            sources = {str(name): Source.model_validate(item) for name, item in declared.items()}
            for location, record in file.values():
                if isinstance(record, Mapping):
                    source_value = record.get("source")
                    names = source_value if isinstance(source_value, list) else [str(source_value)]
                    cited = tuple(sources[name] for name in names if name in sources)
                    if cited:
                        yield Fact(
                            file.path, file.line(location), _fact_text(location, record), cited
                        )
    for text in catalog.texts:
        yield from _markdown_facts(text)


def _fact_text(location: Location, record: Mapping[str, object]) -> str:
    details = {key: value for key, value in record.items() if key not in _OMITTED_KEYS}
    key_path = ".".join(str(part) for part in location if isinstance(part, str))
    return f"{key_path}: " + ", ".join(
        f"{key} {_value_text(value)}" for key, value in details.items()
    )


def _value_text(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(_value_text, value))
    if isinstance(value, Mapping):
        return " ".join(f"{key} {_value_text(inner)}" for key, inner in value.items())
    return " ".join(str(value).split())


def _markdown_facts(file: MarkdownFile) -> Iterator[Fact]:
    for section in file.sections:
        for number, line in enumerate(section.text.split("\n"), section.text_line):
            names = [name for name in CITATION.findall(line) if name in file.sources]
            if names:
                text = f"{section.title}: {CITATION.sub('', line).strip()}"
                yield Fact(file.path, number, text, tuple(file.sources[name] for name in names))


def trust_level(source: Source, vendor: Iterable[str] = ()) -> TrustLevel:
    """Return the trust level of a source; `vendor` lists the sites of the platform's vendor."""
    if source.run_here:
        return "test"
    if source.url is None or _INDEX.search(source.url):
        return "metadata"
    if _OWN_TEST_URL.match(source.url):
        return "test"
    if _THREAD.match(source.url) or _FORUM.match(source.url):
        return "thread"
    return "vendor" if site_of_url(source.url) in _PYTORCH_SITES.union(vendor) else "other"


def vendor_sites(accelerator: Accelerator) -> frozenset[str]:
    """Return a vendor's sites, such as `intel.com` or `github.com/intel`.

    The sites are `own_sites` in `accelerator.yaml`, and the sites of the documents, support
    channels and CI repositories there. A site that several vendors share, such as
    `github.com/vllm-project`, is included only if `own_sites` lists it.
    """
    links = [link.url for link in accelerator.documentation]
    links += [channel.url for channel in accelerator.support]
    links += [f"https://github.com/{ci.repository}" for ci in accelerator.upstream_ci]
    sites = frozenset(map(site_of_url, links)) - _SHARED_PROJECTS
    return sites.union(accelerator.own_sites)


def site_of_url(url: str) -> str:
    """Return the site of an address: the domain, or on a code host, the owner.

    For example, `https://docs.intel.com/x` → `intel.com`, and
    `https://github.com/pytorch/pytorch` → `github.com/pytorch`.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").removeprefix("www.").replace("raw.githubusercontent", "github")
    if host in _CODE_HOSTS:
        return f"{host}/{parts.path.strip('/').partition('/')[0].lower()}"
    labels = host.split(".")
    shared = ".".join(labels[-2:]) in _SHARED_SUFFIXES
    return ".".join(labels[-3 if shared else -2 :])


@dataclass(frozen=True, slots=True)
class AgedFact:
    """A fact, and the day on which its oldest source was read.

    `platform` is the id of the fact's platform, or empty for shared data. `trust` is the trust
    level of the fact's most reliable source.
    """

    fact: Fact
    platform: str
    read: dt.date
    trust: TrustLevel

    def is_stale(self, day: dt.date, days: int = STALE_DAYS) -> bool:
        """Return whether the fact's oldest source was read more than `days` days before `day`."""
        return (day - self.read).days > days


def aged_facts(catalog: Catalog) -> tuple[AgedFact, ...]:
    """Return every fact, the one with the oldest source first."""
    vendors = {p.id: vendor_sites(p.accelerator) for p in catalog.platforms}
    aged = (_make_aged_fact(fact, vendors) for fact in facts(catalog))
    return tuple(sorted(aged, key=lambda a: (a.read, a.fact.path, a.fact.line)))


def facts_by_platform(aged: Iterable[AgedFact]) -> dict[str, list[AgedFact]]:
    """Return facts by platform id, in the order of `aged`. The key is empty for shared data."""
    return grouped((aged_fact.platform, aged_fact) for aged_fact in aged)


def _make_aged_fact(fact: Fact, vendors: Mapping[str, frozenset[str]]) -> AgedFact:
    platform = platform_id_of(fact.path)
    levels = {trust_level(source, vendors.get(platform, ())) for source in fact.sources}
    best = next(level for level in TRUST_LEVELS if level in levels)
    return AgedFact(fact, platform, min(source.read for source in fact.sources), best)
