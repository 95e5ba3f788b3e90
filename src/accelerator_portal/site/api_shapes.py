"""Describes several JSON files of `/api/v1/` in pydantic models, which give their JSON Schemas.

These files are the index, the install selector's data, the index of the question search, the files
of platforms, and the verification results of install commands.
"""

from __future__ import annotations

from pydantic import Field

from accelerator_portal.catalog.files.accelerator import Accelerator
from accelerator_portal.catalog.files.compatibility_file import Compatibility
from accelerator_portal.catalog.files.install_file import Install
from accelerator_portal.install.rows import InstallRow
from accelerator_reports.files.fields import Integration, StrictModel


class IndexEntry(StrictModel):
    """A platform in the index of the data files. Addresses are relative to the index."""

    id: str
    """Id of the platform; never changes."""
    name: str
    """Name of the platform."""
    vendor: str
    """The company that makes the hardware."""
    integration: Integration
    """`in-tree` or `out-of-tree`."""
    dispatch_key: str
    """PyTorch's dispatch key."""
    device: str
    """The argument of `torch.device()`."""
    accelerator: str
    """Address of the platform's own file."""
    install: str
    """Address of the platform's data for the install selector."""


class Index(StrictModel):
    """The index of the data files. Addresses are relative to this file."""

    api_version: int
    """The API version. It increases with each incompatible change, as does the folder name."""
    newest_release: str
    """PyTorch's newest release."""
    releases: str
    """Address of PyTorch's releases and their wheels."""
    selector: str
    """Address of the data that the install selector loads first."""
    install: str
    """Address of the install selector's data for all platforms."""
    findings: str
    """Address of the verification results of install commands."""
    questions: str
    """Address of the index that finds the answer to an error message."""
    hardware: str
    """Address of the hardware data of all platforms."""
    versions: str
    """Address of the version data of all platforms."""
    features: str
    """Address of the feature data of all platforms."""
    additional_platforms: str
    """Address of the platforms in the format of pytorch.org's Additional Platforms."""
    other_backends: str | None
    """Address of backends without a folder and of runtimes without a torch device. Absent if there
    are none."""
    stale_facts: str
    """Address of the ages of facts."""
    operations: str
    """Address of the metrics of the last nightly runs."""
    packages: str
    """Address of the package facts from package indexes."""
    results: str
    """Address of the index of test reports."""
    models: str
    """Address of the results by model family."""
    history: str
    """Address of the index of results over time."""
    quality: str
    """Address of the quality data of all platforms."""
    accelerators: tuple[IndexEntry, ...]
    """The platforms, in-tree first and then by name."""
    schemas: dict[str, str]
    """Addresses of the JSON Schemas, by the name of the described data."""


class Question(StrictModel):
    """A question and its answer, in Markdown; `[@id]` cites a source."""

    question: str
    """The question."""
    answer: str
    """The answer."""


class AcceleratorFile(StrictModel):
    """A platform's description, install options, versions, guide and questions."""

    id: str
    """Id of the platform."""
    accelerator: Accelerator
    """The content of `accelerator.yaml`."""
    install: Install
    """The content of `install.yaml`."""
    compatibility: Compatibility
    """The content of `compatibility.yaml`."""
    guide: dict[str, str]
    """The content of `guide.md`: Markdown by section title."""
    faq: tuple[Question, ...]
    """The questions and answers of `faq.md`."""


class DriverData(StrictModel):
    """The oldest driver that supports each variant of a platform."""

    name: str
    """The name of the driver."""
    oldest: dict[str, dict[str, str]]
    """The oldest driver version, by variant and then by operating system."""


class EndedData(StrictModel):
    """The last PyTorch release with wheels for a machine, and its install commands.

    A machine is an operating system with an architecture.
    """

    version: str
    """The last PyTorch release with wheels for the machine."""
    platforms: tuple[str, ...]
    """The platforms whose builds run on the machine."""
    method: str
    """The install method."""
    environment: str
    """The lines that create and activate an environment."""
    commands: str
    """The command that installs the release."""
    check: str
    """The command that checks the installation."""
    checks: dict[str, str]
    """The commands that replace `check`, by platform."""


class SelectorOverview(StrictModel):
    """The install selector's settings, defaults, drivers and cards, without install rows."""

    axes: dict[str, tuple[tuple[str, ...], ...]]
    """For each axis (a setting such as `os`), its values: id, label and perhaps a detail."""
    variants: dict[str, tuple[tuple[str, ...], ...]]
    """For each platform with variants, the variants in the same form as in `axes`."""
    order: tuple[str, ...]
    """All axes, in the order of the parameters in a page's address."""
    machine: tuple[str, ...]
    """The axes of the reader's machine. Choices on other axes don't change their values."""
    weights: tuple[str, ...]
    """The axes whose values are derived if the reader selects none, most important first."""
    ready: tuple[str, ...]
    """Methods that install prebuilt packages. Methods that build from source are selected only if
    none of these is available."""
    unpinned: tuple[str, ...]
    """Methods whose command names no version, so that it installs the newest."""
    inside: tuple[str, ...]
    """Methods whose commands end in a container's shell. The check runs in the container."""
    more: dict[str, tuple[str, ...]]
    """For each axis, the ids of the values that the page shows only on request."""
    offers: dict[str, dict[str, str]]
    """For each platform, its default build by machine, such as `linux x86_64`."""
    starts: tuple[dict[str, str], ...]
    """For each operating system, the default value of each axis except `build` and `variant`. The
    first entry is used if the system is unknown."""
    drivers: dict[str, DriverData]
    """The driver versions that variants need, by platform."""
    cards: dict[str, dict[str, tuple[str | bool | int, ...]]]
    """For each platform, its cards by id. A card is a list that begins with its name. If install
    rows run on the card, these values follow: a remark, whether it is uncertain that any of these
    rows runs, and the start and the exclusive end of each range of these rows."""
    environments: dict[str, dict[str, str]]
    """The lines that create and activate an environment, by method and operating system. `{python}`
    stands for the Python version."""
    ended: dict[str, EndedData] = Field(default_factory=dict)
    """The last release with wheels, for machines without wheels of newer releases. The key is the
    machine, such as `macos x86_64`."""
    containers: dict[str, str]
    """The id of the section about containers on each platform's page, if there is one."""


class SelectorData(SelectorOverview):
    """The data that the install selector loads first, without install rows.

    `parts` is the address of the install rows. Each card in `cards` has only its name.
    """

    parts: str
    """Address of a platform's install rows, relative to this file; `{platform}` stands for its
    id."""


class InstallData(SelectorOverview):
    """The install selector's data of a platform."""

    rows: tuple[InstallRow, ...]
    """The commands for each valid selection."""


class InstallDataOfAll(StrictModel):
    """The install selector's data for all platforms."""

    platforms: dict[str, InstallData]
    """For each platform, the content of its own file."""


class QuestionIndex(StrictModel):
    """The index of the question search.

    A search compares the words of an error message, and its pairs of adjacent words, with `terms`.
    The score of a question is the sum of its weights for the words and pairs that match.
    """

    questions: list[str]
    """Each question, as the id of its platform, a slash, and its anchor on the platform's page. The
    id is `any` for questions about all platforms; they are on the page of all questions."""
    titles: list[str]
    """The text of each question."""
    names: dict[str, list[str]]
    """Beginnings of words by which an error message names platforms, with the platforms' ids."""
    same_device: dict[str, list[str]]
    """The key is a platform whose id is also a device string, such as `cuda`. The value has the ids
    of the other platforms with this device string, such as `rocm`. A message that names one of the
    other platforms is not about the key: PyTorch on ROCm reports a "CUDA error", too."""
    terms: dict[str, list[tuple[int, float]]]
    """For each word, and each pair of words joined by a space, the indexes of matching questions in
    `questions`, with their weights."""
    messages: list[tuple[int, str]]
    """The error messages that answers declare: the index of the question and the message, in which
    `…`, `*` or `...` stands for a part that varies."""


class FindingShares(StrictModel):
    """The number of install commands with each verification result.

    A command counts once for each of its Python versions.
    """

    installed: int
    """Commands that ran in a fresh environment, and whose packages were imported."""
    found: int
    """Commands for which versions were found."""
    none: int
    """Commands for which no matching versions exist."""
    named: int
    """Commands that have no lookup result, but whose version a document names."""
    unchecked: int
    """Commands for which it is unknown whether matching versions exist, and no document names the
    version. They do not use pip or uv, were not looked up yet, or the package index did not
    answer."""


class FindingsData(StrictModel):
    """The verification results of install commands, as counts for each platform."""

    platforms: dict[str, FindingShares]
    """The numbers for each platform with install commands, by platform id."""
