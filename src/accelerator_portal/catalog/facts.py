"""Lists the statements that cite sources, with their trust level and the age of their sources."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from accelerator_portal.catalog.catalog import Catalog, platform_id_of
from accelerator_portal.catalog.files.accelerator import Accelerator
from accelerator_portal.catalog.grouping import grouped
from accelerator_portal.catalog.markdown_file import CITATION, MarkdownFile
from accelerator_portal.catalog.message import message
from accelerator_reports.files.sources import Source
from accelerator_reports.files.yaml_file import Location

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
